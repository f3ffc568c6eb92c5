"""Agreement of two rankings: Kendall's tau-b with its p-value, and tau_AP, which emphasises the top ranks."""

from __future__ import annotations

import math

import numpy as np

from partwise.model import Floats, Ints

EXACT_RUNS = 33
"""The p-value of tau is exact up to this number of systems without ties."""


def tau_b(first: Floats, second: Floats) -> float:
    """Kendall's tau-b of two lists of scores; NaN if all scores of one list are equal."""
    one, other = _orders(first), _orders(second)
    norm = math.sqrt(float((one != 0).sum()) * float((other != 0).sum()))
    return float((one * other).sum()) / norm if norm else math.nan


def _orders(values: Floats) -> Ints:
    """The sign of the difference of every two systems: 1, 0 or -1."""
    signs: Ints = np.sign(values[:, None] - values[None, :]).astype(np.int64)
    return signs


def tau_p_value(first: Floats, second: Floats) -> float:
    """The two-sided p-value of Kendall's tau.

    Exact up to 33 systems without ties, else by the normal distribution with the variance corrected for ties.
    """
    count = len(first)
    score = int((_orders(first) * _orders(second)).sum()) // 2
    ties = [np.unique(values, return_counts=True)[1].astype(np.float64) for values in (first, second)]
    pairs = count * (count - 1) / 2
    if any((of == count).all() for of in ties) or count < 2:
        return math.nan
    if count <= EXACT_RUNS and all(len(of) == count for of in ties):
        discordant = (int(pairs) - score) // 2
        return _exact(count, min(discordant, int(pairs) - discordant))
    sizes = [float((of * (of - 1)).sum()) for of in ties]
    triples = [float((of * (of - 1) * (of - 2)).sum()) for of in ties]
    spread = [float((of * (of - 1) * (2 * of + 5)).sum()) for of in ties]
    variance = (count * (count - 1) * (2 * count + 5) - spread[0] - spread[1]) / 18
    variance += sizes[0] * sizes[1] / (4 * pairs)
    if count > 2:
        variance += triples[0] * triples[1] / (9 * 2 * pairs * (count - 2))
    return math.erfc(abs(score) / math.sqrt(2 * variance)) if variance > 0 else math.nan


def _exact(count: int, fewest: int) -> float:
    """Twice the share of permutations with at most `fewest` inversions."""
    shares = np.ones(1)
    for size in range(2, count + 1):
        shares = np.convolve(shares, np.full(size, 1.0 / size))
    return min(1.0, 2 * math.fsum(shares[: fewest + 1].tolist()))


def tau_ap(ranking: Floats, reference: Floats) -> float:
    """tau_AP of a ranking against a reference: pairs at higher ranks have more weight.

    The mean, over all ranks but the first, of the share of the systems above that are also above in the reference,
    scaled to -1 to 1. Ties are averaged over all ways to break them, without enumerating these. NaN for one system.
    """
    count = len(ranking)
    if count < 2:
        return math.nan
    above = _orders(ranking).T  # above[x, y]: 1 if y is above x
    right = (_orders(reference).T + 1) / 2  # the probability that the reference ranks y above x
    total = 0.0
    for system in range(count):
        higher = above[system] > 0
        tied = above[system] == 0
        tied[system] = False
        strictly, others = int(higher.sum()), int(tied.sum())
        of_higher, of_tied = float(right[system, higher].sum()), float(right[system, tied].sum())
        share = of_tied / others if others else 0.0
        places = [
            (of_higher + before * share) / (strictly + before) for before in range(others + 1) if strictly + before
        ]
        total += math.fsum(places) / (others + 1)
    return 2 * total / (count - 1) - 1
