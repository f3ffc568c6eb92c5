"""Discriminative power: how many pairs of systems does a measure tell apart, on the same queries?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise.model import Floats, Scores
from partwise.study import statistics
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row, choice, defined, share, whole
from partwise.study.matrix import Matrix, at_least_two_runs, matrices, pairs_of


@dataclass(frozen=True)
class Levels:
    """The achieved significance level (p-value) and absolute difference of all pairs under one measure."""

    matrix: Matrix
    p: Floats
    apart: Floats


@dataclass(frozen=True, repr=False)
class Power(Findings):
    """What `power` found: a row per measure; `curve` has the achieved significance levels behind it."""

    labels: ClassVar[int] = 1
    levels: Sequence[Levels]
    test: str
    correction: str
    alpha: float
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        """How many pairs are significantly different; the smallest such difference, and the largest that is not."""
        rows: list[Row] = []
        for of in self.levels:
            significant = of.p <= self.alpha
            rows.append(
                {
                    "measure": of.matrix.measure,
                    "runs": len(of.matrix.runs),
                    "topics": len(of.matrix.queries),
                    "pairs": len(of.p),
                    "significant": int(significant.sum()),
                    "power": float(significant.mean()),
                    "least_significant": defined(np.min(of.apart[significant], initial=np.inf))
                    if significant.any()
                    else None,
                    "largest_not": defined(of.apart[~significant].max()) if not significant.all() else None,
                }
            )
        return rows

    def curve(self) -> list[Row]:
        """The p-values of all pairs in falling order, a row per measure and pair: the ASL curve."""
        return [
            {"measure": of.matrix.measure, "pair": place, "p": p}
            for of in self.levels
            for place, p in enumerate(np.sort(of.p)[::-1].tolist(), 1)
        ]

    def tables(self) -> list[tuple[str, list[Row]]]:
        told = (
            f"Pairs of runs told apart at {self.alpha:g} by the {self.test} test, correction {self.correction}.\n"
            "least_significant: the smallest difference that is significant; largest_not: the largest that is not."
        )
        return [(told, self.rows())]


def power(
    scores: Scores,
    *,
    test: str = "tukey",
    correct: str = "none",
    alpha: float = 0.05,
    trials: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Power:
    """The share of pairs of runs that each measure finds significantly different (Sakai 2006).

    All measures are taken on the same runs and queries. A pair whose p-value is not defined counts as not significant.
    """
    choice("test", test, statistics.TESTS)
    choice("correct", correct, tuple(statistics.CORRECTIONS))
    share("alpha", alpha)
    for name, value, least in (("trials", trials, 1), ("seed", seed, 0), ("jobs", jobs, 1)):
        whole(name, value, least)
    found, notes = matrices(scores, same_runs=True)
    at_least_two_runs(found[0])
    first, second = pairs_of(len(found[0].runs))
    levels = []
    for done, matrix in enumerate(found):
        p = statistics.p_values(matrix, first, second, test, trials=trials, seed=seed, jobs=jobs)
        p = np.where(np.isnan(p), 1.0, statistics.corrected(p, correct))
        levels.append(Levels(matrix, p, np.abs(matrix.means[first] - matrix.means[second])))
        if progress is not None:
            progress(done + 1, len(found))
    return Power(levels, test, correct, alpha, tuple(notes))
