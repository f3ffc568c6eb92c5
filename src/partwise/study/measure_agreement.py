"""Do two measures order the systems alike?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from partwise.errors import PartwiseError
from partwise.model import Scores
from partwise.study.findings import Findings, Row, defined
from partwise.study.matrix import Matrix, at_least_two_runs, matrices, ranked
from partwise.study.ranking import tau_ap, tau_b, tau_p_value

EQUIVALENT, DIFFERENT, APPROPRIATE = 0.9, 0.8, 0.25
"""Conventions: tau above .9 is equivalent, below .8 noticeably different; above .25 an appropriate representation."""


def verdict(tau: float) -> str:
    """What tau means by the conventions of the literature."""
    if np.isnan(tau):
        return ""
    if tau > EQUIVALENT:
        return "equivalent (>.9)"
    return "different (<.8)" if tau < DIFFERENT else "between (.8-.9)"


@dataclass(frozen=True, repr=False)
class Agreement(Findings):
    """What `agreement` found: a row per pair of measures."""

    labels: ClassVar[int] = 2
    matrices: Sequence[Matrix]
    found: Sequence[Row]
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.found)

    def tables(self) -> list[tuple[str, list[Row]]]:
        first = self.matrices[0]
        told = (
            f"{len(first.runs)} runs, {len(first.queries)} queries. tau-b with its two-sided p-value; tau_AP of the "
            "second ranking against the first, and back.\nBy convention above .9 equivalent, below .8 different "
            "(Voorhees 2001); above .25 appropriate (Ali, Consens and Lalmas).\ntopics_alike: the share of queries "
            "whose order of all runs is the same; topic_tau: the mean of tau over queries."
        )
        return [(told, self.rows())]


def agreement(scores: Scores) -> Agreement:
    """Compare the rankings of systems that each two measures give, by their means and query by query."""
    found, notes = matrices(scores, same_runs=True)
    if len(found) < 2:
        raise PartwiseError("there is one measure only", "give at least two: measures are compared with each other")
    at_least_two_runs(found[0])
    rows = [_row(one, other) for one, other in combinations(found, 2)]
    return Agreement(found, rows, tuple(notes))


def _row(one: Matrix, other: Matrix) -> Row:
    first, second = ranked(one.goodness), ranked(other.goodness)
    tau = tau_b(first, second)
    alike, query_taus = _by_query(one, other)
    return {
        "measure": one.measure,
        "other": other.measure,
        "tau": defined(tau),
        "p": defined(tau_p_value(first, second)),
        "tau_ap": defined(tau_ap(second, first)),
        "tau_ap_back": defined(tau_ap(first, second)),
        "verdict": verdict(tau),
        "appropriate": "" if np.isnan(tau) else "yes" if tau > APPROPRIATE else "no",
        "topics_alike": alike,
        "topic_tau": defined(query_taus),
    }


def _by_query(one: Matrix, other: Matrix) -> tuple[float, float]:
    """The share of queries that both measures order alike, and the mean of tau over queries where it is defined."""
    alike = 0
    taus = []
    for first, second in zip(one.goodness.T, other.goodness.T, strict=True):
        same = np.sign(first[:, None] - first[None, :]) == np.sign(second[:, None] - second[None, :])
        alike += int(same.all())
        tau = tau_b(first, second)
        if not np.isnan(tau):
            taus.append(tau)
    return alike / len(one.queries), float(np.mean(taus)) if taus else float("nan")
