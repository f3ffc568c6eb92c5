"""The number of queries needed: swaps between two disjoint sets of queries by the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError, shown
from partwise.evaluators import scores_of
from partwise.messages import studies
from partwise.model import Ints
from partwise.records import record
from partwise.study.chance import Progress, generators
from partwise.study.findings import Findings, Row, check_share, check_whole
from partwise.study.matrix import EQUAL, Matrix, at_least_two_runs, matrices, ranked
from partwise.types import MOST_TRIALS

EDGES = np.array([0.0025, 0.005, *(i / 100 for i in range(1, 21))])
"""The lower edges of the bins of the difference, except the first, which starts at 0."""
RISING = 1e-9
"""A slope above this counts as rising."""
FARTHEST = 1_000_000
"""Larger numbers of queries are reported as not found."""
STEPS_TO_1 = 400
"""All edges are multiples of 1 / 400, so that a bin is looked up by whole steps."""
BIN_OF_STEP = np.searchsorted(EDGES, (np.arange(int(0.2 * STEPS_TO_1) + 1) + 0.5) / STEPS_TO_1, side="right")
SLACK = 1e-9
"""Added to steps, so that rounding errors do not cross an edge."""


def bin_of(difference: float) -> int:
    """The bin of an absolute difference."""
    return int(BIN_OF_STEP[int(min(abs(difference) * STEPS_TO_1 + SLACK, len(BIN_OF_STEP) - 1))])


def requested_difference(difference: float | str | None, best: float) -> float | None:
    """The requested difference as a number, from a number or a percentage of the best mean."""
    if difference is None:
        return None
    try:
        value = float(difference.removesuffix("%")) / 100 * best if isinstance(difference, str) else float(difference)
        good = (not isinstance(difference, str) or difference.endswith("%")) and 0 <= value < math.inf
    except (TypeError, ValueError):
        value, good = 0.0, False
    if not good or (best > 0 and not value > 0):
        raise PartwiseError(studies.BAD_DIFFERENCE(value=shown(difference)))
    if best <= 1 < value or (isinstance(difference, str) and value > best > 0):
        raise PartwiseError(studies.LARGE_DIFFERENCE(value=shown(difference)))
    return value


def bin_names() -> list[str]:
    """``<.0025``, ``.0025-.005`` ... ``>=.2``."""
    edges = [f"{edge:g}".lstrip("0") for edge in EDGES.tolist()]
    return [f"<{edges[0]}", *(f"{a}-{b}" for a, b in pairwise(edges)), f">={edges[-1]}"]


@record()
class Swaps:
    """Comparisons and swaps of one measure by size of the query set and bin of the difference."""

    measure: str
    runs: int
    sizes: Ints
    comparisons: Ints
    swaps: Ints
    best: float = 0.0
    """The mean of the best run over all queries, to which differences are related."""

    def rate(self, size: int, bin: int) -> float:
        """The share of comparisons that were swaps; NaN without comparisons."""
        count = int(self.comparisons[size, bin])
        return int(self.swaps[size, bin]) / count if count else math.nan

    def fitted(self, bin: int) -> tuple[float, float] | None:
        """Intercept and slope of log(rate) over the number of queries, of greatest likelihood.

        The fit uses the larger half of the sizes, because rates fall faster over the smallest sets. None if fewer than
        two sizes have comparisons, or if there were no swaps.
        """
        used = self._used(bin)
        if len(used) < 2 or not self.swaps[used, bin].any():
            return None
        return exponential_fit(self.sizes[used], self.comparisons[used, bin], self.swaps[used, bin])

    def _used(self, bin: int) -> Ints:
        """The sizes that a fit uses: the larger half, or all if too few of the larger have comparisons."""
        compared = np.flatnonzero(self.comparisons[:, bin])
        larger = compared[self.sizes[compared] > self.sizes[-1] / 2]
        return larger if len(larger) > 1 else compared

    def extrapolated(self, queries: int, bin: int) -> float:
        """The rate of the exponential fit for this number of queries, at most 0.5.

        NaN without a fit, or if rates rise with the number of queries, which too few comparisons cause.
        """
        used = self._used(bin)
        if len(used) and not self.swaps[used, bin].any():
            return 0.0
        fit = self.fitted(bin)
        if fit is None or fit[1] > RISING:
            return math.nan
        return math.exp(min(math.log(0.5), fit[0] + fit[1] * queries))

    def needed(self, bin: int, error: float) -> tuple[int | None, bool]:
        """The smallest number of queries from which the rate stays at or below `error`, and whether it is extrapolated.

        Sizes with too few comparisons for such a rate are skipped.
        """
        enough = np.flatnonzero(self.comparisons[:, bin] >= 1 / error)
        good = [self.rate(i, bin) <= error for i in enough.tolist()]
        if good and good[-1]:
            first = len(good) - good[::-1].index(False) if False in good else 0
            return int(self.sizes[enough[first]]), False
        fit = self.fitted(bin)
        if fit is None or fit[1] >= -RISING:
            return None, True
        queries = max(math.ceil((math.log(error) - fit[0]) / fit[1]), int(self.sizes[-1]) + 1)
        return (queries, True) if queries <= FARTHEST else (None, True)


def exponential_fit(sizes: Ints, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """Intercept and slope of ``rate = exp(intercept + slope * size)`` of greatest likelihood (Poisson counts).

    Newton's method with steps that are halved if they overshoot. Unlike a line through logarithms it allows sizes
    without swaps.
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
            break  # all swaps are at one size
        step = np.linalg.solve(curvature, gradient)
        while (reached := likelihood(intercept + step[0], slope + step[1])) < best and np.abs(step).max() > 1e-14:
            step /= 2
        if reached <= best:
            break
        gained, best = reached - best, reached
        intercept, slope = intercept + float(step[0]), slope + float(step[1])
        if gained <= 1e-12 * (1 + abs(best)):
            break
    return intercept - slope * float(np.average(sizes, weights=comparisons)), slope


@record(repr=False)
class QuerySets(Findings):
    """The result of `queries`: swap rates by measure, size and bin, observed and extrapolated."""

    labels: ClassVar[int] = 2
    key_columns: ClassVar[tuple[str, ...]] = ("measure", "difference")
    pivoted: ClassVar[tuple[Any, Any, str] | None] = (key_columns, "topics", "rate")
    swaps: Sequence[Swaps]
    error: float
    projected: Sequence[int]
    difference: float | str | None
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        """One row per measure, bin and number of queries; ``extrapolated`` is ``yes`` or, if observed, ``no``.

        ``needed`` is the number of queries needed to trust such a difference, None if it was not found, and
        ``needed_how`` says whether it is observed or extrapolated. With a difference, there are rows of its bin only.
        """
        rows: list[Row] = []
        names = bin_names()
        for swaps in self.swaps:
            for bin in self._bins(swaps):
                needed, is_extrapolated = swaps.needed(bin, self.error)
                how = None if needed is None else "extrapolated" if is_extrapolated else "observed"
                answer: Row = {"of_best": _of_best(swaps, bin), "needed": needed, "needed_how": how}
                for i, size in enumerate(swaps.sizes.tolist()):
                    count = int(swaps.comparisons[i, bin])
                    if count:
                        rate = swaps.rate(i, bin)
                        row = _rate_row(swaps, names[bin], size, count, int(swaps.swaps[i, bin]), rate)
                        rows.append({**row, **answer})
                for size in self.projected:
                    rate = swaps.extrapolated(size, bin)
                    if not math.isnan(rate):
                        rows.append({**_rate_row(swaps, names[bin], size, None, None, rate), **answer})
        return rows

    def _bins(self, swaps: Swaps) -> list[int]:
        """The bins of the requested difference, or all, in which there are comparisons."""
        difference = requested_difference(self.difference, swaps.best)
        bins = range(len(EDGES) + 1) if difference is None else [bin_of(difference)]
        return [bin for bin in bins if swaps.comparisons[:, bin].any()]

    def needed(self) -> list[Row]:
        """One row per measure and bin: the number of queries needed to trust such a difference."""
        rows: list[Row] = []
        names = bin_names()
        for swaps in self.swaps:
            last = len(swaps.sizes) - 1
            for bin in self._bins(swaps):
                queries, extrapolated = swaps.needed(bin, self.error)
                row: Row = {"measure": swaps.measure, "difference": names[bin]}
                row["of the best"] = _of_best(swaps, bin)
                observed = swaps.rate(last, bin)
                row[f"rate at {swaps.sizes[last]}"] = None if math.isnan(observed) else observed
                for size in self.projected:
                    rate = swaps.extrapolated(size, bin)
                    row[f"at {size} (extrapolated)"] = None if math.isnan(rate) else rate
                row["queries needed"] = (
                    "not found" if queries is None else f"~{queries}" if extrapolated else f"{queries}"
                )
                row["how"] = "" if queries is None else "extrapolated" if extrapolated else "observed"
                rows.append(row)
        return rows

    def tables(self) -> list[tuple[str, list[Row]]]:
        heading = studies.QUERY_SETS.note(error=self.error)
        rows = self.needed()
        if not rows:
            return [(heading, [])]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [(heading, [{name: row.get(name) for name in names} for row in rows])]


def _of_best(swaps: Swaps, bin: int) -> float | None:
    """The smallest difference of a bin as a share of the best mean."""
    return float(EDGES[bin - 1]) / swaps.best if bin and swaps.best > 0 else None


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
    qrels: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    trials: int = 100,
    best: float = 0.75,
    error: float = 0.05,
    difference: float | str | None = None,
    project: Sequence[int] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> QuerySets:
    """Swap rates between disjoint sets of queries, of sizes from 1 to half of the queries (Voorhees and Buckley 2002).

    `trials` is the number of pairs of sets for every size. Only the share `best` of the runs is used, because bad runs
    are easy to distinguish. `error` is the accepted error rate. Rates for the numbers of queries in `project`, by
    default all queries and twice that number, are extrapolated exponentially. `difference` restricts the result to
    differences of that size: a number, or a percentage of the best mean such as ``"10%"``.

    `qrels`, `runs`, `measures` and `options` are those of `partwise.evaluate`; scores may be given instead of all of
    them.

    - `seed`: the seed of the random numbers, on which alone they depend.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    check_whole("trials", trials, 1, MOST_TRIALS)
    check_whole("seed", seed, 0)
    check_share("error", error)
    if not 0 < best <= 1:
        raise PartwiseError(studies.BAD_BEST(value=best))
    requested_difference(difference, 1.0)
    scores, of_scores = scores_of(qrels, runs, measures, options)
    by_measure, notes = matrices(scores)
    notes = [*of_scores, *notes]
    for matrix in by_measure:
        at_least_two_runs(matrix)
        if len(matrix.queries) < 2:
            raise PartwiseError(studies.ONE_QUERY(measure=matrix.measure))
    found: dict[str, Swaps] = {}
    for count in dict.fromkeys(len(matrix.queries) for matrix in by_measure):
        same = [best_runs(matrix, best) for matrix in by_measure if len(matrix.queries) == count]
        found |= {one.measure: one for one in count_swaps(same, trials, seed)}
        if progress is not None:
            progress(len(found), len(by_measure))
    swaps = [found[matrix.measure] for matrix in by_measure]
    most = max(len(matrix.queries) for matrix in by_measure)
    sizes = [most, 2 * most] if project is None else list(project)
    for size in sizes:
        check_whole("project", size, 1)
    result = QuerySets(swaps, error, sizes, difference, tuple(notes))
    if not any(map(result._bins, swaps)):
        return replace(result, notes=(*notes, studies.NO_SUCH_DIFFERENCE.note(difference=difference)))
    return result


def best_runs(matrix: Matrix, best: float) -> Matrix:
    """The share `best` of the runs with the best means, at least two runs."""
    count = max(2, math.floor(best * len(matrix.runs) + 1e-9))
    order = np.argsort(-ranked(matrix.goodness), kind="stable")[:count]
    return matrix.take(np.sort(order))


def count_swaps(by_measure: Sequence[Matrix], trials: int, seed: int) -> list[Swaps]:
    """Count comparisons and swaps by size and bin, over all pairs of runs and all trials.

    The measures have values for the same number of queries, and share the sets of queries.
    """
    count = len(by_measure[0].queries)
    half = count // 2
    swaps = [
        Swaps(
            matrix.measure,
            len(matrix.runs),
            np.arange(1, half + 1),
            np.zeros((half, len(EDGES) + 1), np.int64),
            np.zeros((half, len(EDGES) + 1), np.int64),
            float(matrix.means.min() if matrix.lower else matrix.means.max()),
        )
        for matrix in by_measure
    ]
    columns = np.concatenate([matrix.goodness for matrix in by_measure]).T.ravel()
    offsets = np.cumsum([0, *(len(matrix.runs) for matrix in by_measure)])
    for i, state in enumerate(generators(seed, "two sets of topics", half, 1).states.reshape(-1, 4)):
        orders = kernels.permutations(state, count, trials, 2 * (i + 1))
        steps = STEPS_TO_1, SLACK, len(BIN_OF_STEP)
        counted = kernels.swap_counts(orders, i + 1, columns, offsets, EQUAL, *steps)
        for found, (kept, swapped) in zip(swaps, counted.reshape(len(swaps), -1, 2).transpose(0, 2, 1), strict=True):
            np.add.at(found.comparisons[i], BIN_OF_STEP, kept + swapped)
            np.add.at(found.swaps[i], BIN_OF_STEP, swapped)
    return swaps
