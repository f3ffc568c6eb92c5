"""Error rates: how often a measure contradicts itself from one set of queries to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.evaluators import scores_of
from partwise.messages import studies
from partwise.model import Floats
from partwise.records import record
from partwise.study.chance import Progress, Stream, map_pieces, streams
from partwise.study.findings import Findings, Row, check_whole
from partwise.study.matrix import EQUAL, Matrix, at_least_two_runs, matrices, pairs_of
from partwise.types import MOST_TRIALS

FUZZ = 0.05


def rates(scores: Floats, fuzz: float = FUZZ) -> tuple[float, float]:
    """Error rate and share of ties of scores by set of queries and run; higher scores are better.

    Of the two verdicts on a pair of runs the rarer one is an error. Scores tie if they differ by less than `fuzz` of
    the larger one; equal scores always tie.
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


@record(repr=False)
class ErrorRate(Findings):
    """The result of `error_rate`: one row per measure."""

    labels: ClassVar[int] = 1
    by_measure: Sequence[Row]
    fuzz: float
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.by_measure)

    def tables(self) -> list[tuple[str, list[Row]]]:
        return [(studies.ERROR_RATE.note(fuzz=self.fuzz), self.rows())]


def error_rate(
    qrels: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    size: int | None = None,
    trials: int = 100,
    fuzz: float = FUZZ,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> ErrorRate:
    """Compare all pairs of runs on random sets of queries and count contradictions (Buckley and Voorhees 2000).

    `size` is the number of queries in each of the `trials` sets, by default half of them. Scores that differ by less
    than `fuzz` of the larger one tie; with 0 only equal scores do.

    `qrels`, `runs`, `measures` and `options` are those of `partwise.evaluate`; scores may be given instead of all of
    them.

    - `seed`: the seed of the random numbers, on which alone they depend.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    check_fuzz(fuzz)
    check_whole("trials", trials, 2, MOST_TRIALS)
    check_whole("seed", seed, 0)
    if size is not None:
        check_whole("size", size, 1)
    scores, of_scores = scores_of(qrels, runs, measures, options)
    by_measure, notes = matrices(scores)
    rows = []
    for done, matrix in enumerate(by_measure):
        at_least_two_runs(matrix)
        queries = len(matrix.queries)
        chosen = max(1, queries // 2) if size is None else size
        if chosen > queries:
            raise PartwiseError(studies.SETS_TOO_LARGE(size=chosen, measure=matrix.measure, queries=queries))
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
            progress(done + 1, len(by_measure))
    return ErrorRate(rows, fuzz, (*of_scores, *notes))


def check_fuzz(fuzz: Any) -> None:
    """Raise an error unless this is a share from 0, and below 1."""
    if isinstance(fuzz, bool) or not isinstance(fuzz, (int, float)) or not 0 <= fuzz < 1:
        raise PartwiseError(studies.BAD_FUZZ(value=shown(fuzz)))


def subset_means(matrix: Matrix, size: int, trials: int, seed: int) -> Floats:
    """The means of all runs over random sets of `size` queries, by set and run."""
    queries = len(matrix.queries)

    def drawn(stream: Stream) -> Floats:
        chance, count = stream
        orders = chance.permuted(np.tile(np.arange(queries), (count, 1)), axis=1)
        member = np.zeros((count, queries))
        np.put_along_axis(member, orders[:, :size], 1.0, axis=1)
        means: Floats = member @ matrix.goodness.T / size
        return means

    return np.concatenate(map_pieces(drawn, streams(seed, "sets of topics", trials, 1000)))
