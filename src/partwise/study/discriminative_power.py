"""Discriminative power: the share of pairs of systems that a measure distinguishes on the same queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from partwise.evaluators import scores_of
from partwise.messages import studies
from partwise.model import Floats
from partwise.parameters import check_choice
from partwise.records import record
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row, check_share, check_whole, defined
from partwise.study.matrix import Matrix, at_least_two_runs, matrices, pairs_of
from partwise.study.significance import Ranges, notes_by_measure, significance
from partwise.types import CORRECTIONS, MOST_TRIALS, TESTS


@record()
class Levels:
    """The achieved significance level (p-value) and absolute difference of all pairs under one measure."""

    matrix: Matrix
    p: Floats
    apart: Floats


@record(repr=False)
class Power(Findings):
    """The result of `power`: one row per measure; `curve` returns the achieved significance levels."""

    labels: ClassVar[int] = 1
    levels: Sequence[Levels]
    test: str
    correction: str
    alpha: float
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        """The number of significantly different pairs, the smallest such difference, and the largest other one."""
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
        """The p-values of all pairs in decreasing order, one row per measure and pair: the ASL curve."""
        return [
            {"measure": of.matrix.measure, "pair": place, "p": p}
            for of in self.levels
            for place, p in enumerate(np.sort(of.p)[::-1].tolist(), 1)
        ]

    def tables(self) -> list[tuple[str, list[Row]]]:
        return [
            (studies.POWER.note(alpha=self.alpha, test=self.test, correction=self.correction), self.rows()),
        ]


def power(
    qrels: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    test: str = "tukey",
    correct: str = "none",
    alpha: float = 0.05,
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Power:
    """The share of pairs of runs that differ significantly by each measure (Sakai 2006).

    All measures use the same runs and queries. A pair whose p-value is undefined counts as not significant. The
    parameters are those of `partwise.compare`.

    `qrels`, `runs`, `measures` and `options` are those of `partwise.evaluate`; scores may be given instead of all of
    them.

    - `test`: ``randomisation``, ``t``, ``wilcoxon`` or ``tukey``.
    - `correct`: the correction for several pairs: ``holm``, ``bonferroni``, ``bh`` or ``none``.
    - `alpha`: the significance level.
    - `trials`: the number of random assignments.
    - `seed`: the seed of the random numbers, on which alone they depend.
    - `jobs`: the number of threads; results do not depend on it.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    check_choice("test", test, TESTS)
    check_choice("correct", correct, CORRECTIONS)
    check_share("alpha", alpha)
    for name, value, least, most in (
        ("trials", trials, 1, MOST_TRIALS),
        ("seed", seed, 0, None),
        ("jobs", jobs, 1, None),
    ):
        if value is not None:
            check_whole(name, value, least, most)
    scores, of_scores = scores_of(qrels, runs, measures, options)
    by_measure, notes = matrices(scores, same_runs=True)
    at_least_two_runs(by_measure[0])
    first, second = pairs_of(len(by_measure[0].runs))
    levels, outcomes = [], []
    ranges = Ranges(by_measure)
    for done, matrix in enumerate(by_measure):
        outcome = significance(
            matrix, first, second, test, correct, alpha=alpha, trials=trials, seed=seed, jobs=jobs, ranges=ranges
        )
        p = np.where(np.isnan(outcome.p), 1.0, outcome.p_corrected)
        outcomes.append(outcome)
        levels.append(Levels(matrix, p, np.abs(matrix.means[first] - matrix.means[second])))
        if progress is not None:
            progress(done + 1, len(by_measure))
    return Power(levels, test, correct, alpha, (*of_scores, *notes, *notes_by_measure(outcomes)))
