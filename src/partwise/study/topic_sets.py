"""How many topics are needed? Swaps between two disjoint sets of topics, by the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from partwise.errors import PartwiseError
from partwise.model import Floats, Ints, Scores
from partwise.study.chance import Progress, streams
from partwise.study.findings import Findings, Row, share, whole
from partwise.study.matrix import Matrix, at_least_two_runs, matrices, pairs_of, ranked

EDGES = np.array([0.0025, 0.005, *(i / 100 for i in range(1, 21))])
"""Where the bins of the difference begin, but the first, which begins at 0."""
FARTHEST = 1_000_000
"""Topics beyond this are not a plan."""
PAIRS_AT_ONCE = 1 << 22


def bin_of(difference: Floats) -> Ints:
    """The bin of each absolute difference."""
    found: Ints = np.searchsorted(EDGES, np.round(np.abs(difference), 12), side="right")
    return found


def bin_names() -> list[str]:
    """``<.0025``, ``.0025-.005`` ... ``>=.2``."""
    told = [f"{edge:g}".lstrip("0") for edge in EDGES.tolist()]
    return [f"<{told[0]}", *(f"{a}-{b}" for a, b in pairwise(told)), f">={told[-1]}"]


@dataclass(frozen=True)
class Swaps:
    """Comparisons and swaps of one measure by size of the topic set and bin of the difference."""

    measure: str
    runs: int
    sizes: Ints
    comparisons: Ints
    swaps: Ints

    def rate(self, size: int, bin: int) -> float:
        """The share of comparisons that were swaps; not defined where there was none."""
        count = int(self.comparisons[size, bin])
        return int(self.swaps[size, bin]) / count if count else math.nan

    def fitted(self, bin: int) -> tuple[float, float] | None:
        """Intercept and slope of log(rate) over the number of topics, where the counts of swaps are likeliest.

        None where fewer than two sizes have comparisons, or nothing was swapped.
        """
        there = np.flatnonzero(self.comparisons[:, bin])
        if len(there) < 2 or not self.swaps[there, bin].any():
            return None
        return exponential_fit(self.sizes[there], self.comparisons[there, bin], self.swaps[there, bin])

    def extrapolated(self, topics: int, bin: int) -> float:
        """The rate that the exponential fit gives for so many topics, at most a half; not defined without a fit."""
        if self.comparisons[:, bin].any() and not self.swaps[:, bin].any():
            return 0.0
        fit = self.fitted(bin)
        return math.nan if fit is None else math.exp(min(math.log(0.5), fit[0] + fit[1] * topics))

    def needed(self, bin: int, error: float) -> tuple[int | None, bool]:
        """The fewest topics from which on the rate stays at or below `error`, and whether that is extrapolated.

        Sizes with too few comparisons to show such a rate are passed over.
        """
        there = np.flatnonzero(self.comparisons[:, bin] >= 1 / error)
        good = [self.rate(i, bin) <= error for i in there.tolist()]
        if good and good[-1]:
            first = len(good) - good[::-1].index(False) if False in good else 0
            return int(self.sizes[there[first]]), False
        fit = self.fitted(bin)
        if fit is None or fit[1] >= 0:
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
class TopicSets(Findings):
    """What `topics` found: swap rates by measure, size and bin, observed and extrapolated."""

    labels: ClassVar[int] = 2
    swaps: Sequence[Swaps]
    error: float
    projected: Sequence[int]
    difference: float | None
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        """A row per measure, bin and number of topics; ``extrapolated`` says whether it was observed."""
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
        """A row per measure and bin: how many topics make the verdict on such a difference trusty."""
        rows: list[Row] = []
        names = bin_names()
        wanted = None if self.difference is None else int(bin_of(np.array([self.difference]))[0])
        for swaps in self.swaps:
            last = len(swaps.sizes) - 1
            for bin, name in enumerate(names):
                if (wanted is not None and bin != wanted) or not swaps.comparisons[:, bin].any():
                    continue
                topics, guessed = swaps.needed(bin, self.error)
                row: Row = {"measure": swaps.measure, "difference": name}
                observed = swaps.rate(last, bin)
                row[f"rate at {swaps.sizes[last]}"] = None if math.isnan(observed) else observed
                for size in self.projected:
                    rate = swaps.extrapolated(size, bin)
                    row[f"at {size} (extrapolated)"] = None if math.isnan(rate) else rate
                row["topics needed"] = "not found" if topics is None else f"~{topics}" if guessed else f"{topics}"
                row["how"] = "" if topics is None else "extrapolated" if guessed else "observed"
                rows.append(row)
        return rows

    def tables(self) -> list[tuple[str, list[Row]]]:
        told = (
            "Two disjoint sets of topics, again and again: how often does the second reverse the first?\n"
            f"topics needed: to trust such a difference with at most {self.error:.0%} error."
        )
        rows = self.needed()
        if not rows:
            return [(told, []), (f"no pair of runs differs by {self.difference:g} on any set of topics", [])]
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


def topics(
    scores: Scores,
    *,
    trials: int = 100,
    best: float = 0.75,
    error: float = 0.05,
    difference: float | None = None,
    project: Sequence[int] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> TopicSets:
    """Swap rates between disjoint sets of topics, of sizes from 1 to half of the topics (Voorhees and Buckley 2002).

    Only the best runs take part (their share is `best`): bad ones are told apart easily. Rates for more topics than
    could be tried (`project`, by default as many as there are, and twice as many) are extrapolated exponentially and
    marked so. `difference` restricts the answer to differences of that size.
    """
    whole("trials", trials, 1)
    whole("seed", seed, 0)
    share("error", error)
    if not 0 < best <= 1:
        raise PartwiseError(f"best is {best}", "it must be a share of the runs, above 0 and up to 1")
    if difference is not None and not difference > 0:
        raise PartwiseError(f"difference is {difference}", "it must be above 0")
    found, notes = matrices(scores)
    swaps = []
    for done, matrix in enumerate(found):
        at_least_two_runs(matrix)
        if len(matrix.topics) < 2:
            raise PartwiseError(
                f"{matrix.measure} has one topic only", "give at least two: sets of topics are compared with each other"
            )
        swaps.append(count_swaps(best_runs(matrix, best), trials, seed))
        if progress is not None:
            progress(done + 1, len(found))
    most = max(len(matrix.topics) for matrix in found)
    sizes = [most, 2 * most] if project is None else list(project)
    for size in sizes:
        whole("project", size, 1)
    return TopicSets(swaps, error, sizes, difference, tuple(notes))


def best_runs(matrix: Matrix, best: float) -> Matrix:
    """The best of the runs by their means, at least two."""
    count = max(2, math.floor(best * len(matrix.runs) + 1e-9))
    order = np.argsort(-ranked(matrix.goodness), kind="stable")[:count]
    return matrix.take(np.sort(order))


def count_swaps(matrix: Matrix, trials: int, seed: int) -> Swaps:
    """Comparisons and swaps by size and bin, over all pairs of runs and all trials."""
    count = len(matrix.topics)
    half = count // 2
    first, second = pairs_of(len(matrix.runs))
    bins = len(EDGES) + 1
    comparisons = np.zeros((half, bins), np.int64)
    swaps = np.zeros((half, bins), np.int64)
    columns = np.ascontiguousarray(matrix.goodness.T)
    at_once = max(1, PAIRS_AT_ONCE // max(1, len(first)))
    for size, (chance, _) in enumerate(streams(seed, "two sets of topics", half, 1), 1):
        orders = chance.permuted(np.tile(np.arange(count), (trials, 1)), axis=1)
        for begun in range(0, trials, at_once):
            some = orders[begun : begun + at_once]
            one, other = (_set_means(some[:, at : at + size], columns) for at in (0, size))
            apart = np.round(one[:, first] - one[:, second], 12)
            again = np.round(other[:, first] - other[:, second], 12)
            bin = bin_of(apart).ravel()
            swapped = ((apart * again) < 0).ravel()
            comparisons[size - 1] += np.bincount(bin, minlength=bins)
            swaps[size - 1] += np.bincount(bin[swapped], minlength=bins)
    return Swaps(matrix.measure, len(matrix.runs), np.arange(1, half + 1), comparisons, swaps)


def _set_means(chosen: Ints, columns: Floats) -> Floats:
    member = np.zeros((len(chosen), len(columns)))
    np.put_along_axis(member, chosen, 1.0, axis=1)
    found: Floats = member @ columns / chosen.shape[1]
    return found
