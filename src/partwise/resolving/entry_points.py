"""Best entry points that cannot be judgements: all the same, or outside their documents."""

from __future__ import annotations

import numpy as np

from partwise.model import NONE, Bools, Ints

ENOUGH = 10
"""The number of equal entry points from which this is no coincidence."""


def all_the_same(bep: Ints) -> bool:
    """Whether there are many entry points, and no two differ."""
    given = bep[bep != NONE]
    return len(given) >= ENOUGH and bool((given == given[0]).all())


def outside(bep: Ints, length: Ints) -> Bools:
    """Whether each entry point is at or past the end of its document; position 0 of an empty one is inside."""
    is_outside: Bools = (bep != NONE) & (length != NONE) & (bep >= np.maximum(length, 1))
    return is_outside
