"""Significance tests and corrections as functions of arrays; NaN means undefined."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from partwise.model import Floats, Ints
from partwise.study.chance import Progress, map_pieces, streams
from partwise.study.matrix import EQUAL, Matrix

EXACT_QUERIES = 16
"""Up to this number of queries all sign flips are enumerated."""
EXACT_SIGNED_RANKS = 50
"""Up to this number of nonzero differences the distribution of signed ranks is exact."""
PIECE = 250
NUMBERS_AT_ONCE = 1 << 22


def differences(values: Floats, first: Ints, second: Ints) -> Floats:
    """The first run's values minus the second's, by pair and query; rounding errors are set to 0."""
    difference = values[first] - values[second]
    difference[np.abs(difference) <= EQUAL] = 0.0
    return difference


def effect_size(difference: Floats) -> Floats:
    """The mean difference in standard deviations of the differences (Cohen's d of pairs).

    0 if all differences are 0; NaN for one query, or if all differences are the same.
    """
    mean, spread = difference.mean(axis=1), _spread(difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(spread > 0, mean / spread, np.nan)
    return np.where((difference == 0).all(axis=1) & (difference.shape[1] > 1), 0.0, effect)


def _spread(difference: Floats) -> Floats:
    """The standard deviation of each row with n-1, exactly 0 if all values are the same."""
    if difference.shape[1] < 2:
        return np.full(len(difference), np.nan)
    spread: Floats = difference.std(axis=1, ddof=1)
    return np.where(np.ptp(difference, axis=1) <= EQUAL, 0.0, spread)


# ---- tests: from differences by pair and query to a p-value per pair -----------------------------------------------


def paired_t(difference: Floats) -> Floats:
    """Two-sided p-values of Student's paired t-test; NaN for one query."""
    from scipy.special import stdtr

    count = difference.shape[1]
    mean, spread = difference.mean(axis=1), _spread(difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread == 0, np.where(np.abs(mean) <= EQUAL, 0.0, np.inf), np.abs(mean) / spread) * math.sqrt(
            count
        )
    p: Floats = 2 * stdtr(max(count - 1, 1), -t)
    return p


def wilcoxon(difference: Floats) -> Floats:
    """Two-sided p-values of Wilcoxon's signed-rank test; zeros are left out, equal differences share their mean rank.

    Exact up to 50 differences, also with shared ranks, else by the normal distribution with the variance corrected
    for ties.
    """
    return np.array([_signed_ranks(row[row != 0]) for row in np.round(difference, 12)])


def _signed_ranks(values: Floats) -> float:
    count = len(values)
    if not count:
        return 1.0
    _, group, sizes = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    doubled = 2 * np.cumsum(sizes) - sizes + 1  # twice the mean rank of each group, a whole number
    ranks = doubled[group]
    positive = int(ranks[values > 0].sum())
    total = int(ranks.sum())
    if count <= EXACT_SIGNED_RANKS:
        ways = np.zeros(total + 1)
        ways[0] = 1.0
        for rank in ranks.tolist():
            ways[rank:] = (ways[rank:] + ways[: total + 1 - rank]) / 2
            ways[:rank] /= 2
        return min(1.0, 2 * math.fsum(ways[: min(positive, total - positive) + 1].tolist()))
    variance = float((ranks.astype(np.float64) ** 2).sum()) / 4
    return math.erfc(abs(positive - total / 2) / math.sqrt(2 * variance))


def sign_flips(
    difference: Floats,
    trials: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    one_sided: bool = False,
) -> Floats:
    """Fisher's randomisation test: how often the mean is as far from 0 with random signs of the differences.

    With `one_sided`, how often it is as large. Up to 16 queries all combinations of signs are used, else random ones,
    to which the data itself is added.
    """
    queries = difference.shape[1]
    if queries <= EXACT_QUERIES:
        counted = _counter(difference, one_sided)
        used = 1 << (queries if one_sided else queries - 1)  # if two-sided, the other half is symmetric
        total = np.zeros(len(difference), np.int64)
        for begun in range(0, used, PIECE * 16):
            patterns = np.arange(begun, min(used, begun + PIECE * 16))
            negative = (patterns[:, None] >> np.arange(queries)) & 1
            total += counted(np.where(negative, -1.0, 1.0))
        exact: Floats = total / used
        return exact
    p: Floats = (flip_counts(difference, 0, trials, seed, jobs, progress, one_sided) + 1) / (trials + 1)
    return p


def flip_counts(
    difference: Floats,
    begun: int,
    end: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    one_sided: bool = False,
) -> Ints:
    """In how many of the trials from `begun` (a multiple of `PIECE`) to `end` the mean is as far from 0 as it is.

    With `one_sided`, in how many it is as large. Trials with the same number have the same signs, whatever the range.
    """
    counted = _counter(difference, one_sided)
    queries = difference.shape[1]

    def random(chance: np.random.Generator, count: int) -> Ints:
        return counted(np.where(chance.integers(0, 2, (count, queries), np.int8), 1.0, -1.0))

    pieces = streams(seed, "sign flips", end, PIECE)[begun // PIECE :]
    counts: Ints = np.sum(map_pieces(random, pieces, jobs, progress), axis=0)
    return counts


def _counter(difference: Floats, one_sided: bool) -> Callable[[Floats], Ints]:
    """A function that counts for how many rows of signs each mean is as far from 0, or as large, as without them."""
    total = difference.sum(axis=1)
    reached = (total if one_sided else np.abs(total)) - 1e-10 * np.abs(difference).sum(axis=1)
    columns = np.ascontiguousarray(difference.T)

    def counted(signs: Floats) -> Ints:
        counts = np.empty(len(reached), np.int64)
        step = max(1, NUMBERS_AT_ONCE // len(signs))
        for i in range(0, len(reached), step):
            sums = signs @ columns[:, i : i + step]
            sums = sums if one_sided else np.abs(sums, out=sums)
            counts[i : i + step] = (sums >= reached[i : i + step]).sum(axis=0)
        return counts

    return counted


def largest_ranges(values: Floats, trials: int, seed: int, jobs: int = 1, progress: Progress | None = None) -> Floats:
    """For every trial the range of the runs' means after the scores of each query are permuted among the runs."""
    by_query = np.ascontiguousarray(values.T)

    def permuted(chance: np.random.Generator, count: int) -> Floats:
        values = np.empty((count, *by_query.shape))
        values[:] = by_query
        chance.permuted(values, axis=2, out=values)
        spread: Floats = np.ptp(values.sum(axis=1), axis=1)
        return spread / len(by_query)

    size = max(1, min(PIECE, NUMBERS_AT_ONCE // max(values.size, 1)))
    return np.concatenate(map_pieces(permuted, streams(seed, "tukey", trials, size), jobs, progress))


def tukey(
    values: Floats,
    first: Ints,
    second: Ints,
    trials: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Randomised Tukey HSD: how often the best and the worst of *all* runs differ as much by chance as this pair.

    The p-values apply to all pairs together and need no correction.
    """
    ranges = np.sort(largest_ranges(values, trials, seed, jobs, progress))
    means = values.mean(axis=1)
    apart = np.abs(means[first] - means[second])
    reached = trials - np.searchsorted(ranges, apart - 1e-10 * max(1e-300, np.abs(values).max()))
    p: Floats = (reached + 1) / (trials + 1)
    return p


# ---- corrections ----------------------------------------------------------------------------------------------


def bonferroni(p: Floats) -> Floats:
    return np.minimum(1.0, p * max(1, len(p)))


def holm(p: Floats) -> Floats:
    """Holm's step-down procedure: controls the chance of any false finding."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _unsorted(stepped, order)


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini and Hochberg's step-up procedure: controls the expected share of false findings."""
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _unsorted(np.minimum.accumulate(stepped[::-1])[::-1], order)


def _unsorted(values: Floats, order: Ints) -> Floats:
    unsorted = np.empty(len(values))
    unsorted[order] = np.minimum(1.0, values)
    return unsorted


_CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": lambda p: p,
}


def corrected(p: Floats, correction: str) -> Floats:
    """The corrected p-values of one family; NaN stays NaN and does not count."""
    is_defined = ~np.isnan(p)
    result = np.full(len(p), np.nan)
    result[is_defined] = _CORRECTIONS[correction](p[is_defined])
    return result


# ---- tests by name --------------------------------------------------------------------------------------------


def p_values(
    matrix: Matrix,
    first: Ints,
    second: Ints,
    test: str,
    *,
    trials: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """The p-value of every pair of runs before correction (Tukey's test needs none)."""
    if not len(first):
        return np.empty(0)
    if test == "tukey":
        by_name = np.argsort(np.array(matrix.runs, object), kind="stable")  # the order of runs must not matter
        place = np.argsort(by_name, kind="stable")
        return tukey(matrix.values[by_name], place[first], place[second], trials, seed, jobs, progress)
    difference = differences(matrix.values, first, second)
    if test == "t":
        return paired_t(difference)
    if test == "wilcoxon":
        return wilcoxon(difference)
    return sign_flips(difference, trials, seed, jobs, progress)
