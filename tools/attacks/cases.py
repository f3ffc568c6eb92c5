"""Case K of seed S: always the same."""

from __future__ import annotations

from random import Random

from attacks import calls, commands, relations
from attacks.case import Case

CALLS, RELATIONS = 0.1, 0.04
"""The shares of calls of Python and of inputs whose values must agree; the others are commands."""


def case(seed: int, number: int) -> Case:
    rng = Random(f"{seed}/{number}")
    kind = rng.random()
    if kind < CALLS:
        return calls.case(rng)
    return relations.case(rng) if kind < CALLS + RELATIONS else commands.case(rng)
