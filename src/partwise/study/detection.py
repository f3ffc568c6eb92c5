"""How large a loss must be for the one-sided randomisation test to find it, given how much queries differ.

The differences of the queries, without their mean, are taken for the population: samples of as many queries are drawn
from them, every query loses the same amount, and the test is applied. The smallest detectable loss is the amount that
is found in a given share of the samples, the power.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partwise.model import Floats
from partwise.study import statistics
from partwise.study.chance import streams
from partwise.study.matrix import EQUAL
from partwise.study.quantiles import student_quantile

POWER = 0.8
NEAR = 0.02
"""A power that is estimated this close to the requested one is that one: simulations show no more."""
MANY = 50
"""From this number of queries that matter, sums with random signs are normal to three digits."""
SAMPLES = 2000
FLIPS = 500
FULL = 12
"""Up to this number of queries all signs are tried."""
STEPS = 10


class Detectable(NamedTuple):
    """A mean loss, and how often a test finds it. Where few values occur power grows in steps, and may be exceeded."""

    size: float
    power: float


def smallest_detectable(loss: Floats, alpha: float, seed: int, power: float = POWER) -> Detectable | None:
    """The smallest mean loss that a test at level `alpha` finds in the share `power` of samples, None if not known.

    It is not known if all queries lose the same (or nothing), or if there are too few queries for the level.
    """
    queries = len(loss)
    if queries < 2 or math.ldexp(1.0, -queries) > alpha or np.ptp(loss) <= EQUAL:
        return None
    centred = (loss - loss.mean()) * math.sqrt(queries / (queries - 1))
    spread = float(loss.std(ddof=1)) / math.sqrt(queries)
    guess = (student_quantile(queries - 1, alpha) + student_quantile(queries - 1, 1 - power)) * spread
    (first, _), (second, _) = streams(seed, "detectable loss", 2, 1)
    drawn, fresh = (centred[chance.integers(0, queries, (SAMPLES, queries))] for chance in (first, second))

    def rate(samples: Floats, size: float, number: int = 0) -> float:
        lost = samples + size
        lost[np.abs(lost) <= EQUAL] = 0.0
        return float((p_values(lost, alpha, seed + number) <= alpha).mean())

    low, high = 0.0, guess
    while rate(drawn, high) < power:
        low, high = high, 1.5 * high
    low = max(low, 0.6 * high) if low or rate(drawn, 0.6 * high) < power else low
    for _ in range(STEPS):  # the samples are the same in each step, so that the rate grows with the size
        middle = (low + high) / 2
        low, high = (low, middle) if rate(drawn, middle) >= power else (middle, high)
    found = (rate(drawn, high) + rate(fresh, high, 1)) / 2
    return Detectable(high, power if abs(found - power) <= NEAR else found)


def p_values(loss: Floats, alpha: float, seed: int) -> Floats:
    """The p-values of the one-sided test, approximate if many queries matter."""
    from scipy.special import ndtr

    squares = (loss**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = squares**2 / (loss**4).sum(axis=1)
        p: Floats = ndtr(-loss.sum(axis=1) / np.sqrt(squares))
    few = np.flatnonzero(~(effective >= MANY))
    if len(few):
        trials = max(FLIPS, math.ceil(25 / alpha / statistics.PIECE) * statistics.PIECE)
        if loss.shape[1] <= FULL:
            p[few] = statistics.sign_flips(loss[few], trials, seed, one_sided=True)
        else:
            p[few] = (statistics.flip_counts(loss[few], 0, trials, seed, one_sided=True) + 1) / (trials + 1)
    return p
