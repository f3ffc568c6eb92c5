"""Agreement of measures: do two measures rank the systems in the same order?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from partwise.errors import PartwiseError
from partwise.evaluators import scores_of
from partwise.messages import studies
from partwise.records import record
from partwise.study.findings import Findings, Row, defined
from partwise.study.matrix import Matrix, at_least_two_runs, matrices, ranked
from partwise.study.ranking import tau_ap, tau_b, tau_p_value

EQUIVALENT, DIFFERENT, APPROPRIATE = 0.9, 0.8, 0.25
"""Conventions for tau: equivalent above .9, noticeably different below .8, an appropriate representation above .25."""


def verdict(tau: float) -> str:
    """The meaning of tau by the conventions of the literature."""
    if np.isnan(tau):
        return ""
    if tau > EQUIVALENT:
        return "equivalent (>.9)"
    return "different (<.8)" if tau < DIFFERENT else "between (.8-.9)"


@record(repr=False)
class Agreement(Findings):
    """The result of `agreement`: one row per pair of measures."""

    labels: ClassVar[int] = 2
    key_columns: ClassVar[tuple[str, ...]] = ("measure", "other")
    pivoted: ClassVar[tuple[Any, Any, str] | None] = ("measure", "other", "tau")
    matrices: Sequence[Matrix]
    pairs: Sequence[Row]
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.pairs)

    def tables(self) -> list[tuple[str, list[Row]]]:
        first = self.matrices[0]
        return [(studies.AGREEMENT.note(runs=len(first.runs), queries=len(first.queries)), self.rows())]


def agreement(qrels: Any, runs: Any = None, measures: Any = None, **options: Any) -> Agreement:
    """Compare the rankings of systems by every two measures, by their means and query by query.

    `qrels`, `runs`, `measures` and `options` are those of `partwise.evaluate`; scores may be given instead of all of
    them.
    """
    scores, of_scores = scores_of(qrels, runs, measures, options)
    by_measure, notes = matrices(scores, same_runs=True)
    if len(by_measure) < 2:
        raise PartwiseError(studies.ONE_MEASURE())
    at_least_two_runs(by_measure[0])
    rows = [_row(one, other) for one, other in combinations(by_measure, 2)]
    return Agreement(by_measure, rows, (*of_scores, *notes))


def _row(one: Matrix, other: Matrix) -> Row:
    first, second = ranked(one.goodness), ranked(other.goodness)
    tau = tau_b(first, second)
    same_order, query_tau = _by_query(one, other)
    return {
        "measure": one.measure,
        "other": other.measure,
        "tau": defined(tau),
        "p": defined(tau_p_value(first, second)),
        "tau_ap": defined(tau_ap(second, first)),
        "tau_ap_back": defined(tau_ap(first, second)),
        "verdict": verdict(tau),
        "appropriate": "" if np.isnan(tau) else "yes" if tau > APPROPRIATE else "no",
        "topics_alike": same_order,
        "topic_tau": defined(query_tau),
    }


def _by_query(one: Matrix, other: Matrix) -> tuple[float, float]:
    """The share of queries for which both measures rank the runs in the same order, and the mean of defined taus."""
    in_same_order = 0
    taus = []
    for first, second in zip(one.goodness.T, other.goodness.T, strict=True):
        same = np.sign(first[:, None] - first[None, :]) == np.sign(second[:, None] - second[None, :])
        in_same_order += int(same.all())
        tau = tau_b(first, second)
        if not np.isnan(tau):
            taus.append(tau)
    return in_same_order / len(one.queries), float(np.mean(taus)) if taus else float("nan")
