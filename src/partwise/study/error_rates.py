"""How often does a measure contradict itself from one test set to another?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise.errors import PartwiseError
from partwise.model import Floats, Scores
from partwise.study.chance import Progress, streams, worked
from partwise.study.findings import Findings, Row, share, whole
from partwise.study.matrix import EQUAL, Matrix, at_least_two_runs, matrices, pairs_of

FUZZ = 0.05


def rates(scores: Floats, fuzz: float = FUZZ) -> tuple[float, float]:
    """Error rate and share of ties of scores by test set and run (higher is better, or all negated).

    Of each pair of runs the rarer verdict is an error; scores tie where they differ by less than `fuzz` of the larger,
    and equal ones always do.
    """
    first, second = pairs_of(scores.shape[1])
    a, b = scores[:, first], scores[:, second]
    apart = np.abs(a - b)
    ties = (apart < fuzz * np.maximum(np.abs(a), np.abs(b)) - EQUAL) | (apart <= EQUAL)
    wins = ((a > b) & ~ties).sum(axis=0)
    losses = ((b > a) & ~ties).sum(axis=0)
    comparisons = ties.size
    if not comparisons:
        return 0.0, 0.0
    return float(np.minimum(wins, losses).sum() / comparisons), float(ties.sum() / comparisons)


@dataclass(frozen=True, repr=False)
class ErrorRate(Findings):
    """What `error_rate` found: a row per measure."""

    labels: ClassVar[int] = 1
    found: Sequence[Row]
    fuzz: float
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.found)

    def tables(self) -> list[tuple[str, list[Row]]]:
        told = (
            f"Sets of queries drawn at random. Runs tie where they differ by less than {self.fuzz:.0%} of the larger "
            "score; of the other verdicts on a pair the rarer one is an error."
        )
        return [(told, self.rows())]


def error_rate(
    scores: Scores,
    *,
    size: int | None = None,
    trials: int = 100,
    fuzz: float = FUZZ,
    seed: int = 0,
    progress: Progress | None = None,
) -> ErrorRate:
    """Judge all pairs of runs on many random sets of queries and count contradictions (Buckley and Voorhees 2000).

    `size` is the number of queries in each of the `trials` sets, by default half of them.
    """
    share("fuzz", fuzz)
    whole("trials", trials, 2)
    whole("seed", seed, 0)
    if size is not None:
        whole("size", size, 1)
    found, notes = matrices(scores)
    rows = []
    for done, matrix in enumerate(found):
        at_least_two_runs(matrix)
        queries = len(matrix.queries)
        chosen = max(1, queries // 2) if size is None else size
        if chosen > queries:
            raise PartwiseError(
                f"size is {chosen} and {matrix.measure} has {queries} queries", "draw fewer queries than there are"
            )
        error, ties = rates(subset_means(matrix, chosen, trials, seed), fuzz)
        pairs = len(pairs_of(len(matrix.runs))[0])
        rows.append(
            {
                "measure": matrix.measure,
                "runs": len(matrix.runs),
                "topics": chosen,
                "sets": trials,
                "comparisons": pairs * trials,
                "error_rate": error,
                "ties": ties,
            }
        )
        if progress is not None:
            progress(done + 1, len(found))
    return ErrorRate(rows, fuzz, tuple(notes))


def subset_means(matrix: Matrix, size: int, trials: int, seed: int) -> Floats:
    """The means of all runs over random sets of so many queries: sets by runs."""
    queries = len(matrix.queries)

    def drawn(chance: np.random.Generator, count: int) -> Floats:
        orders = chance.permuted(np.tile(np.arange(queries), (count, 1)), axis=1)
        member = np.zeros((count, queries))
        np.put_along_axis(member, orders[:, :size], 1.0, axis=1)
        found: Floats = member @ matrix.goodness.T / size
        return found

    return np.concatenate(worked(drawn, streams(seed, "sets of topics", trials, 1000)))
