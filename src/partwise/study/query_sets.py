"""How many queries are needed? Swaps between two disjoint sets of queries, by the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.model import Floats, Ints, Scores
from partwise.study.chance import Progress, streams
from partwise.study.findings import Findings, Row, share, whole
from partwise.study.matrix import EQUAL, Matrix, at_least_two_runs, matrices, pairs_of, ranked

EDGES = np.array([0.0025, 0.005, *(i / 100 for i in range(1, 21))])
"""Where the bins of the difference begin, but the first, which begins at 0."""
RISING = 1e-9
"""A slope above this rises."""
FARTHEST = 1_000_000
"""Queries beyond this are not a plan."""
NUMBERS_AT_ONCE = 1 << 22


STEPS_TO_1 = 400
"""All edges are multiples of this part of 1, so that a bin is looked up by whole steps."""
BIN_OF_STEP = np.searchsorted(EDGES, (np.arange(int(0.2 * STEPS_TO_1) + 1) + 0.5) / STEPS_TO_1, side="right")


def steps(difference: Floats) -> Ints:
    """Absolute differences in whole steps, as far as the last edge; rounding does not move one below an edge."""
    found: Ints = np.minimum(np.abs(difference) * STEPS_TO_1 + 1e-9, len(BIN_OF_STEP) - 1).astype(np.int64)
    return found


def bin_of(difference: Floats) -> Ints:
    """The bin of each absolute difference."""
    found: Ints = BIN_OF_STEP[steps(difference)]
    return found


def asked_difference(difference: float | str | None, best: float) -> float | None:
    """The difference in question as a number: given as such, or as a percentage of the best mean."""
    if difference is None:
        return None
    try:
        value = float(difference.removesuffix("%")) / 100 * best if isinstance(difference, str) else float(difference)
        good = (not isinstance(difference, str) or difference.endswith("%")) and 0 <= value < math.inf
    except (TypeError, ValueError):
        value, good = 0.0, False
    if not good or (best > 0 and not value > 0):
        raise PartwiseError(f"difference is {shown(difference)}", "it must be a number above 0, or a percentage: '10%'")
    return value


def bin_names() -> list[str]:
    """``<.0025``, ``.0025-.005`` ... ``>=.2``."""
    told = [f"{edge:g}".lstrip("0") for edge in EDGES.tolist()]
    return [f"<{told[0]}", *(f"{a}-{b}" for a, b in pairwise(told)), f">={told[-1]}"]


@dataclass(frozen=True)
class Swaps:
    """Comparisons and swaps of one measure by size of the query set and bin of the difference."""

    measure: str
    runs: int
    sizes: Ints
    comparisons: Ints
    swaps: Ints
    best: float = 0.0
    """The mean of the best run over all queries, to see a difference in proportion."""

    def rate(self, size: int, bin: int) -> float:
        """The share of comparisons that were swaps; not defined where there was none."""
        count = int(self.comparisons[size, bin])
        return int(self.swaps[size, bin]) / count if count else math.nan

    def fitted(self, bin: int) -> tuple[float, float] | None:
        """Intercept and slope of log(rate) over the number of queries, where the counts of swaps are likeliest.

        Over the larger half of the sizes: sets of a few queries fall off faster than what follows. None where fewer
        than two sizes have comparisons, or nothing was swapped.
        """
        there = self._used(bin)
        if len(there) < 2 or not self.swaps[there, bin].any():
            return None
        return exponential_fit(self.sizes[there], self.comparisons[there, bin], self.swaps[there, bin])

    def _used(self, bin: int) -> Ints:
        """The sizes that a fit is made of: the larger half, or all where too few of that have comparisons."""
        there = np.flatnonzero(self.comparisons[:, bin])
        larger = there[self.sizes[there] > self.sizes[-1] / 2]
        return larger if len(larger) > 1 else there

    def extrapolated(self, queries: int, bin: int) -> float:
        """The rate that the exponential fit gives for so many queries, at most a half.

        Not defined without a fit, or where rates rise with the number of queries: that is too few comparisons speaking.
        """
        there = self._used(bin)
        if len(there) and not self.swaps[there, bin].any():
            return 0.0
        fit = self.fitted(bin)
        if fit is None or fit[1] > RISING:
            return math.nan
        return math.exp(min(math.log(0.5), fit[0] + fit[1] * queries))

    def needed(self, bin: int, error: float) -> tuple[int | None, bool]:
        """The fewest queries from which on the rate stays at or below `error`, and whether that is extrapolated.

        Sizes with too few comparisons to show such a rate are passed over.
        """
        there = np.flatnonzero(self.comparisons[:, bin] >= 1 / error)
        good = [self.rate(i, bin) <= error for i in there.tolist()]
        if good and good[-1]:
            first = len(good) - good[::-1].index(False) if False in good else 0
            return int(self.sizes[there[first]]), False
        fit = self.fitted(bin)
        if fit is None or fit[1] >= -RISING:
            return None, True
        found = max(math.ceil((math.log(error) - fit[0]) / fit[1]), int(self.sizes[-1]) + 1)
        return (found, True) if found <= FARTHEST else (None, True)


def exponential_fit(sizes: Ints, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """Intercept and slope of ``rate = exp(intercept + slope * size)`` of greatest likelihood (Poisson counts).

    Newton's steps, halved where they overshoot. Unlike a line through the logarithms it can take sizes without swaps.
    """
    x = sizes - np.average(sizes, weights=comparisons)
    intercept, slope = math.log(swaps.sum() / comparisons.sum()), 0.0

    def likelihood(a: float, b: float) -> float:
        log_rate = np.minimum(a + b * x, 50.0)
        return float((swaps * log_rate - comparisons * np.exp(log_rate)).sum())

    best = likelihood(intercept, slope)
    for _ in range(100):
        expected = comparisons * np.exp(np.minimum(intercept + slope * x, 50.0))
        gradient = np.array([(swaps - expected).sum(), ((swaps - expected) * x).sum()])
        curvature = np.array([[expected.sum(), (expected * x).sum()], [(expected * x).sum(), (expected * x * x).sum()]])
        if np.linalg.det(curvature) <= 1e-12 * curvature[0, 0] * curvature[1, 1]:
            break  # all of it at one size: there is no steeper fit to find
        step = np.linalg.solve(curvature, gradient)
        while (found := likelihood(intercept + step[0], slope + step[1])) < best and np.abs(step).max() > 1e-14:
            step /= 2
        if found <= best:
            break
        better, best = found - best, found
        intercept, slope = intercept + float(step[0]), slope + float(step[1])
        if better <= 1e-12 * (1 + abs(best)):
            break
    return intercept - slope * float(np.average(sizes, weights=comparisons)), slope


@dataclass(frozen=True, repr=False)
class QuerySets(Findings):
    """What `queries` found: swap rates by measure, size and bin, observed and extrapolated."""

    labels: ClassVar[int] = 2
    swaps: Sequence[Swaps]
    error: float
    projected: Sequence[int]
    difference: float | str | None
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        """A row per measure, bin and number of queries; ``extrapolated`` says whether it was observed."""
        rows: list[Row] = []
        names = bin_names()
        for swaps in self.swaps:
            for bin, name in enumerate(names):
                for i, size in enumerate(swaps.sizes.tolist()):
                    count = int(swaps.comparisons[i, bin])
                    if count:
                        rows.append(_rate_row(swaps, name, size, count, int(swaps.swaps[i, bin]), swaps.rate(i, bin)))
                for size in self.projected:
                    rate = swaps.extrapolated(size, bin)
                    if not math.isnan(rate):
                        rows.append(_rate_row(swaps, name, size, None, None, rate))
        return rows

    def needed(self) -> list[Row]:
        """A row per measure and bin: how many queries make the verdict on such a difference trusty."""
        rows: list[Row] = []
        names = bin_names()
        for swaps in self.swaps:
            asked = asked_difference(self.difference, swaps.best)
            wanted = None if asked is None else int(bin_of(np.array([asked]))[0])
            last = len(swaps.sizes) - 1
            for bin, name in enumerate(names):
                if (wanted is not None and bin != wanted) or not swaps.comparisons[:, bin].any():
                    continue
                queries, guessed = swaps.needed(bin, self.error)
                row: Row = {"measure": swaps.measure, "difference": name}
                row["of the best"] = float(EDGES[bin - 1]) / swaps.best if bin and swaps.best > 0 else None
                observed = swaps.rate(last, bin)
                row[f"rate at {swaps.sizes[last]}"] = None if math.isnan(observed) else observed
                for size in self.projected:
                    rate = swaps.extrapolated(size, bin)
                    row[f"at {size} (extrapolated)"] = None if math.isnan(rate) else rate
                row["queries needed"] = "not found" if queries is None else f"~{queries}" if guessed else f"{queries}"
                row["how"] = "" if queries is None else "extrapolated" if guessed else "observed"
                rows.append(row)
        return rows

    def tables(self) -> list[tuple[str, list[Row]]]:
        told = (
            "Two disjoint sets of queries, again and again: how often does the second reverse the first?\n"
            f"queries needed: to trust such a difference with at most {self.error:.0%} error.\n"
            "of the best: the least such difference as a share of the best run's mean."
        )
        rows = self.needed()
        if not rows:
            return [(told, []), (f"no pair of runs differs by {self.difference} on any set of queries", [])]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [(told, [{name: row.get(name) for name in names} for row in rows])]


def _rate_row(swaps: Swaps, name: str, size: int, comparisons: int | None, count: int | None, rate: float) -> Row:
    return {
        "measure": swaps.measure,
        "difference": name,
        "topics": size,
        "comparisons": comparisons,
        "swaps": count,
        "rate": rate,
        "extrapolated": "yes" if comparisons is None else "no",
    }


def queries(
    scores: Scores,
    *,
    trials: int = 100,
    best: float = 0.75,
    error: float = 0.05,
    difference: float | str | None = None,
    project: Sequence[int] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> QuerySets:
    """Swap rates between disjoint sets of queries, of sizes from 1 to half of the queries (Voorhees and Buckley 2002).

    Only the best runs take part (their share is `best`): bad ones are told apart easily. Rates for more queries than
    could be tried (`project`, by default as many as there are, and twice as many) are extrapolated exponentially and
    marked so. `difference` restricts the answer to differences of that size: a number, or ``"10%"`` of the best mean.
    """
    whole("trials", trials, 1)
    whole("seed", seed, 0)
    share("error", error)
    if not 0 < best <= 1:
        raise PartwiseError(f"best is {best}", "it must be a share of the runs, above 0 and up to 1")
    asked_difference(difference, 1.0)
    found, notes = matrices(scores)
    swaps = []
    for done, matrix in enumerate(found):
        at_least_two_runs(matrix)
        if len(matrix.queries) < 2:
            raise PartwiseError(
                f"{matrix.measure} has one query only",
                "give at least two: sets of queries are compared",
            )
        swaps.append(count_swaps(best_runs(matrix, best), trials, seed))
        if progress is not None:
            progress(done + 1, len(found))
    most = max(len(matrix.queries) for matrix in found)
    sizes = [most, 2 * most] if project is None else list(project)
    for size in sizes:
        whole("project", size, 1)
    return QuerySets(swaps, error, sizes, difference, tuple(notes))


def best_runs(matrix: Matrix, best: float) -> Matrix:
    """The best of the runs by their means, at least two."""
    count = max(2, math.floor(best * len(matrix.runs) + 1e-9))
    order = np.argsort(-ranked(matrix.goodness), kind="stable")[:count]
    return matrix.take(np.sort(order))


def count_swaps(matrix: Matrix, trials: int, seed: int) -> Swaps:
    """Comparisons and swaps by size and bin, over all pairs of runs and all trials."""
    count = len(matrix.queries)
    half = count // 2
    first, second = pairs_of(len(matrix.runs))
    bins = len(EDGES) + 1
    comparisons = np.zeros((half, bins), np.int64)
    swaps = np.zeros((half, bins), np.int64)
    best = float(matrix.means.min() if matrix.lower else matrix.means.max())
    columns = np.ascontiguousarray(matrix.goodness.T)
    pieces = streams(seed, "two sets of topics", half, 1)
    together = max(1, NUMBERS_AT_ONCE // (2 * trials * max(count, len(first))))  # few large products, not many small
    for begun in range(0, half, together):
        sizes = range(begun + 1, min(half, begun + together) + 1)
        member = np.zeros((len(sizes), 2, trials, count))
        for i, size in enumerate(sizes):
            orders = pieces[size - 1][0].permuted(np.tile(np.arange(count), (trials, 1)), axis=1)
            for part in (0, 1):
                np.put_along_axis(member[i, part], orders[:, part * size : (part + 1) * size], 1.0 / size, axis=1)
        means = (member.reshape(-1, count) @ columns).reshape(len(sizes), 2, trials, -1)
        for size, (one, other) in zip(sizes, means, strict=True):
            apart, again = (of[:, first] - of[:, second] for of in (one, other))
            swapped = ((apart > EQUAL) & (again < -EQUAL)) | ((apart < -EQUAL) & (again > EQUAL))
            counted = np.bincount((2 * steps(apart) + swapped).ravel(), minlength=2 * len(BIN_OF_STEP)).reshape(-1, 2)
            np.add.at(comparisons[size - 1], BIN_OF_STEP, counted.sum(axis=1))
            np.add.at(swaps[size - 1], BIN_OF_STEP, counted[:, 1])
    return Swaps(matrix.measure, len(matrix.runs), np.arange(1, half + 1), comparisons, swaps, best)
