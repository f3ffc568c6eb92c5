"""Significance tests and corrections as functions of arrays; NaN means undefined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from partwise import kernels
from partwise.kernels.arrays import Octets
from partwise.model import Floats, Ints
from partwise.study.chance import Generators, Progress, generators, map_pieces
from partwise.study.matrix import EQUAL, Matrix

EXACT_QUERIES = 16
"""Up to this number of queries all sign flips are enumerated."""
EXACT_SIGNED_RANKS = 50
"""Up to this number of nonzero differences the distribution of signed ranks is exact."""
PIECE = 250
NUMBERS_AT_ONCE = 1 << 22
PIECES_AT_ONCE = 64
BYTES_AT_ONCE = 1 << 20
"""Random signs that are counted together, eight in a byte: so many that preparing the values takes less time."""
COLUMNS_AT_ONCE = 1 << 11
"""Sums of this many rows of differences are in memory at the same time."""
MEASURES_AT_ONCE = 4
STREAMS_AT_ONCE = 8
"""Generators of a call of `kernels.permuted_ranges`, for which values are copied once, and cached together."""
KEPT_BYTES = 1 << 25
"""Random signs that measures share are kept up to this size, eight in a byte; others are drawn again."""


def differences(values: Floats, first: Ints, second: Ints) -> Floats:
    """The first run's values minus the second's, by pair and query; rounding errors are set to 0."""
    queries = values.shape[1]
    return kernels.differences(values.ravel(), queries, first, second, EQUAL).reshape(len(first), queries)


class Sums(NamedTuple):
    """What tests need of the differences of each pair: sums, and the standard deviation with n-1, NaN for one query."""

    queries: int
    total: Floats
    size: Floats
    """The sum of their sizes."""
    deviation: Floats
    range: Floats
    """The largest less the smallest."""
    positive: Ints
    """How many are above 0."""
    zero: Ints

    @classmethod
    def of(cls, difference: Floats) -> Sums:
        queries = difference.shape[1]
        if not queries:
            nothing, none = np.zeros(len(difference)), np.zeros(len(difference), np.int64)
            return cls(0, nothing, nothing, nothing + np.nan, nothing, none, none)
        return cls(queries, *kernels.row_sums(difference.ravel(), queries))

    @property
    def mean(self) -> Floats:
        return self.total / self.queries

    @property
    def spread(self) -> Floats:
        """The standard deviation, exactly 0 if all differences are the same."""
        return np.where((self.range <= EQUAL) & (self.queries > 1), 0.0, self.deviation)


def effect_size(sums: Sums) -> Floats:
    """The mean difference in standard deviations of the differences (Cohen's d of pairs).

    0 if all differences are 0; NaN for one query, or if all differences are the same.
    """
    mean, spread = sums.mean, sums.spread
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(spread > 0, mean / spread, np.nan)
    return np.where((sums.zero == sums.queries) & (sums.queries > 1), 0.0, effect)


# ---- tests: from differences by pair and query to a p-value per pair -----------------------------------------------


def paired_t(difference: Floats) -> Floats:
    """Two-sided p-values of Student's paired t-test; NaN for one query."""
    from scipy.special import stdtr

    count, sums = difference.shape[1], Sums.of(difference)
    mean, spread = sums.mean, sums.spread
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


class Pairing:
    """How the values of runs make differences: the values by run and query, and the rows of each pair."""

    def __init__(self, values: Floats, first: Ints, second: Ints) -> None:
        self.values, self.first, self.second = values, first, second
        self._changed: Floats | None = None

    def changed(self, difference: Floats) -> Floats:
        """By pair, the size of all that was set to 0 in its differences, which are always the same."""
        if self._changed is None:
            values, queries = self.values.ravel(), self.values.shape[1]
            self._changed = kernels.changed_sums(values, queries, self.first, self.second, difference.ravel())
        return self._changed


def sign_flips(
    difference: Floats,
    trials: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    one_sided: bool = False,
    pairing: Pairing | None = None,
    signs: Signs | None = None,
) -> Floats:
    """Fisher's randomisation test: how often the mean is as far from 0 with random signs of the differences.

    With `one_sided`, how often it is as large. Up to 16 queries all combinations of signs are used, else random ones,
    to which the data itself is added. `pairing` and `signs` are those of `flip_counts`.
    """
    queries = difference.shape[1]
    if queries <= EXACT_QUERIES:
        counted = _counter(difference, one_sided, pairing)
        used = 1 << (queries if one_sided else queries - 1)  # if two-sided, the other half is symmetric
        total = np.zeros(len(difference), np.int64)
        for begun in range(0, used, PIECE * 16):
            is_kept = ~np.arange(begun, min(used, begun + PIECE * 16)) & ((1 << queries) - 1)  # a bit for each query
            total += counted(np.concatenate([(is_kept >> i & 255).astype(np.uint8) for i in range(0, queries, 8)]))
        exact: Floats = total / used
        return exact
    counts = flip_counts(difference, 0, trials, seed, jobs, progress, one_sided, pairing, signs)
    p: Floats = (counts + 1) / (trials + 1)
    return p


class Signs:
    """Random signs for several tests: those with the same number of queries share what is drawn once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int, int], Octets] = {}
        self._free = KEPT_BYTES

    def of(self, seed: int, queries: int, begun: int, end: int) -> Octets:
        """The packed signs of the trials from `begun` (a multiple of `PIECE`) to `end`."""
        key = seed, queries, begun, end
        packed = self._known.get(key)
        if packed is None:
            packed = _drawn(seed, queries, begun, end)
            if packed.nbytes < self._free:
                self._known[key] = packed
                self._free -= packed.nbytes
        return packed


def flip_counts(
    difference: Floats,
    begun: int,
    end: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    one_sided: bool = False,
    pairing: Pairing | None = None,
    signs: Signs | None = None,
    rows: Ints | None = None,
    sums: Sums | None = None,
) -> Ints:
    """In how many of the trials from `begun` (a multiple of `PIECE`) to `end` the mean is as far from 0 as it is.

    With `one_sided`, in how many it is as large. Trials with the same number have the same signs, whatever the range.
    Pairs of few runs share their sums if their `pairing` is given, and tests share `signs`; the counts are the same.
    With `rows`, only these pairs are counted; `sums` are those of all differences, if they are known already.
    """
    counted = _counter(difference, one_sided, pairing, rows, sums)
    queries = difference.shape[1]
    fair = -(-(end - begun) // (PIECE * jobs))  # every thread has some of them
    size = PIECE * max(1, min(PIECES_AT_ONCE, BYTES_AT_ONCE // (PIECE * (queries // 8 + 1)), fair))
    batches = [(at, min(at + size, end)) for at in range(begun, end, size)]
    draw = _drawn if signs is None else signs.of

    def random(batch: tuple[int, int]) -> Ints:
        return counted(draw(seed, queries, *batch))

    def advance(done: int, _: int) -> None:
        if progress is not None:
            pieces = -(-(end - begun) // PIECE)
            progress(min(done * (size // PIECE), pieces), pieces)

    counts: Ints = np.sum(map_pieces(random, batches, jobs, advance), axis=0)
    return counts


def _drawn(seed: int, queries: int, begun: int, end: int) -> Octets:
    return kernels.random_signs(*generators(seed, "sign flips", end, PIECE, begun), queries)


def _counter(
    difference: Floats, one_sided: bool, pairing: Pairing | None, rows: Ints | None = None, sums: Sums | None = None
) -> Callable[[Octets], Ints]:
    """A function that counts for how many rows of signs each mean is as far from 0, or as large, as without them.

    The sum of a pair's differences is the difference of its runs' sums, except for rounding. Where rounding could
    matter, because values are much larger than their differences, or differences were set to 0, the pair's differences
    are summed themselves.
    """
    rows = np.arange(len(difference)) if rows is None else rows
    sums = Sums.of(difference) if sums is None else sums
    total, tolerance = sums.total[rows], 1e-10 * sums.size[rows]
    reached = (total if one_sided else np.abs(total)) - tolerance
    queries = difference.shape[1]
    parts: list[tuple[Ints, Floats, Ints, Ints]] = []
    alone = np.arange(len(rows))
    if pairing is not None:
        values, first, second = pairing.values, pairing.first[rows], pairing.second[rows]
        sizes = np.abs(values).sum(axis=1)
        rounding = (queries / 8 + 12) * np.finfo(np.float64).eps * (sizes[first] + sizes[second])
        shared = np.flatnonzero(rounding + pairing.changed(difference)[rows] <= tolerance / 4)
        used, columns = np.unique(np.concatenate([first[shared], second[shared]]), return_inverse=True)
        if len(used) < len(shared):
            parts.append((shared, values[used], *np.split(columns.ravel(), 2)))
            is_alone = np.ones(len(rows), np.bool_)
            is_alone[shared] = False
            alone = np.flatnonzero(is_alone)
    for i in range(0, len(alone), COLUMNS_AT_ONCE):
        pairs = alone[i : i + COLUMNS_AT_ONCE]
        columns_of = np.concatenate([difference[rows[pairs]], np.zeros((1, queries))])
        parts.append((pairs, columns_of, np.arange(len(pairs)), np.full(len(pairs), len(pairs))))

    def counted(signs: Octets) -> Ints:
        counts = np.empty(len(reached), np.int64)
        for pairs, columns, first, second in parts:
            counts[pairs] = kernels.flip_counts(
                signs, columns.ravel(), queries, first, second, reached[pairs], one_sided
            )
        return counts

    return counted


def largest_ranges(values: Floats, trials: int, seed: int, jobs: int = 1, progress: Progress | None = None) -> Floats:
    """For every trial the range of the runs' means after the scores of each query are permuted among the runs.

    `values` are by measure, run and query, the result by measure and trial; all measures share the permutations.
    """
    measures, runs, queries = values.shape
    grids = [
        np.ascontiguousarray(values[i : i + MEASURES_AT_ONCE].transpose(2, 1, 0))
        for i in range(0, measures, MEASURES_AT_ONCE)
    ]

    def permuted(some: Generators) -> Floats:
        ranges = [kernels.permuted_ranges(*some, grid.ravel(), queries, runs, grid.shape[2]) for grid in grids]
        return np.concatenate([found.reshape(some.trials.sum(), -1).T / queries for found in ranges])

    size = max(1, min(PIECE, NUMBERS_AT_ONCE // max(runs * queries, 1)))
    states, counts = generators(seed, "tukey", trials, size)
    pieces = [
        Generators(states[4 * i : 4 * (i + STREAMS_AT_ONCE)], counts[i : i + STREAMS_AT_ONCE])
        for i in range(0, len(counts), STREAMS_AT_ONCE)
    ]

    def advance(done: int, _: int) -> None:
        if progress is not None:
            progress(min(done * STREAMS_AT_ONCE, len(counts)), len(counts))

    return np.concatenate(map_pieces(permuted, pieces, jobs, advance), axis=1)


def tukey(
    values: Floats,
    first: Ints,
    second: Ints,
    trials: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    ranges: Floats | None = None,
) -> Floats:
    """Randomised Tukey HSD: how often the best and the worst of *all* runs differ as much by chance as this pair.

    The p-values apply to all pairs together and need no correction. `ranges` are the ranges of the trials, if they are
    known already.
    """
    if ranges is None:
        ranges = largest_ranges(values[None], trials, seed, jobs, progress)[0]
    ranges = np.sort(ranges)
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
    ranges: Floats | None = None,
    signs: Signs | None = None,
) -> Floats:
    """The p-value of every pair of runs before correction (Tukey's test needs none).

    `ranges` are those of the trials of Tukey's test, if they are known already; `signs` are those of `flip_counts`.
    """
    if not len(first):
        return np.empty(0)
    if test == "tukey":
        by_name = order_by_name(matrix.runs)
        place = np.argsort(by_name, kind="stable")
        return tukey(matrix.values[by_name], place[first], place[second], trials, seed, jobs, progress, ranges)
    difference = differences(matrix.values, first, second)
    if test == "t":
        return paired_t(difference)
    if test == "wilcoxon":
        return wilcoxon(difference)
    pairing = Pairing(matrix.values, first, second)
    return sign_flips(difference, trials, seed, jobs, progress, pairing=pairing, signs=signs)


def order_by_name(runs: Sequence[str]) -> Ints:
    """The order in which Tukey's test permutes runs, so that their order in the input does not matter."""
    return np.argsort(np.array(runs, object), kind="stable")
