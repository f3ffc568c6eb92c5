"""Measures of users who navigate: how many of the ideal units they see, and how soon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures.base import SURVEY, Measure, cutoff_param
from partwise.measures.xcg import quant_param
from partwise.messages import measures as messages
from partwise.model import Floats, Ints
from partwise.navigation import Navigation
from partwise.parameters import Param, exact
from partwise.tables import Facts, Key, ratio
from partwise.tables.reach import Reach, ReachTable
from partwise.tables.targets import Units

PIWOWARSKI_2007 = "Piwowarski, Gallinari and Dupret 2007, Precision Recall with User Modelling"
PIWOWARSKI_2006 = "Piwowarski 2006, EPRUM Metrics and INEX 2005"
_DEFAULT_NAV = {"elements": "hierarchy", "passages": "coverage", "bep": "distance"}


def nav_param(default: str) -> Param[Navigation | None]:
    return Param(
        Navigation,
        default=None,
        help="how users navigate from a result: none, coverage, distance(A=0.1), hierarchy, depth, summary(by=path), "
        f"routes(file='...'), table(file='...'), or a registered one. By default {default}",
    )


def recall_param(help: str) -> Param[float]:
    return Param(float, at=True, above=0, high=1, example=0.5, help=help)


class _Navigating(Measure):
    """The common part of the measures of ideal units seen."""

    kind = "parts"
    for_passages = "ideals=passages"
    ideals: Param[str | None] = Param(
        str,
        default=None,
        choices=("elements", "passages", "bep"),
        help="the ideal units: ideal elements, highlighted passages or best entry points. By default elements if "
        "there is a collection, else passages",
    )
    quant: Param[str | None] = quant_param()
    nav: Param[Navigation | None] = nav_param("hierarchy for elements, coverage for passages, distance for bep")

    def resolved(self, facts: Facts) -> Measure:
        ideals = facts.relevant_kind(self.ideals)
        if ideals != "elements" and self.quant is not None:
            raise PartwiseError(messages.QUANT_WITHOUT_ELEMENTS(measure=self.name, ideals=ideals))
        quant = facts.quantisation(self.quant) if ideals == "elements" else None
        nav = facts.navigation(self.nav or _DEFAULT_NAV[ideals], ideals, "ideals")
        return self(ideals=ideals, quant=quant, nav=nav)

    def needs(self) -> Sequence[Key]:
        ideals = self.ideals or "passages"
        return [Reach(Units(ideals, self.quant), self.nav or Navigation.from_value(_DEFAULT_NAV[ideals]))]


class NavR(_Navigating):
    """Recall of users who navigate: the expected share of the ideal units that they see.

    NavR@k = (sum over units x of 1 - prod over i <= k of (1 - P(x | result i))) / units

    A unit is seen by rank k with probability 1 - prod (1 - P(unit | result)) over the first k results, and for certain
    if it is itself returned. The sum of these probabilities over the number of units. (Generalised recall, GR.)
    """

    paper = SURVEY
    cutoff: Param[int | None] = cutoff_param()

    def score(self, reach: ReachTable) -> Floats:
        return ratio(reach.seen(_cutoffs(reach, self.cutoff)), reach.units)


def _cutoffs(reach: ReachTable, cutoff: int | None) -> Ints:
    """The cutoff of each query; by default the end of its list."""
    return reach.ranks if cutoff is None else np.full(len(reach.units), cutoff)


def _needed(recall: float, units: Ints) -> Ints:
    """The number of units needed, ceil(x*n), with x as the decimal number that the user wrote."""
    level = exact(recall)
    return np.array([math.ceil(level * count - Fraction(1, 10**9)) for count in units.tolist()], np.int64)


class PRUM(_Navigating):
    """Precision of users who navigate: of the ranks they consult, the share at which they see a new unit.

    PRUM@x = P(need is reached) * E[CL] / E[C]

    A user consults C ranks, until need = ceil(x*n) of the n ideal units are seen (the whole list if never). CL of these
    ranks show a unit for the first time. The value is P(need is reached) E[CL] / E[C], computed exactly: the number of
    units seen is a sum of independent events.
    """

    paper = PIWOWARSKI_2007
    recall: Param[float] = recall_param("the share of the ideal units to be seen")

    def score(self, reach: ReachTable) -> Floats:
        values = np.zeros(len(reach.units))
        for steps in reach.steps():
            below, quiet = steps.below(_needed(self.recall, reach.units[steps.queries]))
            for query, inside in steps.each():
                if inside.start < inside.stop:
                    ranks = np.concatenate([[0], steps.rank[inside], reach.ranks[query : query + 1]])
                    values[query] = _precision(below[inside], quiet[inside], np.diff(ranks))
        return values


def _precision(below: Floats, quiet: Floats, gaps: Ints) -> float:
    """P(reached) E[CL] / E[C] from the probabilities that too few units are seen after each step, and none new at it.

    `gaps` are the numbers of ranks between steps, including those before the first and after the last.
    """
    so_far = np.append(1.0, below)
    consulted = float((gaps * so_far).sum())
    leading = float(np.maximum(so_far[:-1] - quiet, 0.0).sum())
    return (1 - float(below[-1])) * min(1.0, leading / consulted)


class EPRUM(_Navigating):
    """Expected effort of users who navigate: how deep an ideal list must be read, relative to this one.

    EPRUM@x = sum over ranks k of P(need is reached at rank k) * min(1, need / k)

    need = ceil(x*n) of the n ideal units are to be seen; the ideal list shows one unit per rank.
    """

    paper = PIWOWARSKI_2006
    recall: Param[float] = recall_param("the share of the ideal units to be seen")

    def score(self, reach: ReachTable) -> Floats:
        values = np.zeros(len(reach.units))
        for steps in reach.steps():
            needed = _needed(self.recall, reach.units[steps.queries])
            below = steps.below(needed)[0]
            for (query, inside), need in zip(steps.each(), needed.tolist(), strict=True):
                reached = np.maximum(-np.diff(np.append(1.0, below[inside])), 0.0)
                values[query] = min(1.0, float((reached * np.minimum(1.0, need / steps.rank[inside])).sum()))
        return values


class AEPRUM(_Navigating):
    """Average EPRUM: its mean over all numbers of ideal units from one to all.

    AEPRUM = mean over need = 1 ... n of sum over ranks k of P(need is reached at rank k) * min(1, need / k)

    n is the number of ideal units; need is reached at rank k if that many are seen by rank k and not before. A unit is
    seen by rank k with probability 1 - prod (1 - P(unit | result)) over the first k
    results, independently of others, so the distribution of the number seen is exact.

    It is 1 if each of the first n results is another ideal unit, as in the ideal list, and also if users see them
    sooner by navigation. Units that no user reaches lower it: with one of n seen for certain at rank 1 it is 1/n.
    """

    paper = PIWOWARSKI_2006

    def score(self, reach: ReachTable) -> Floats:
        values = np.zeros(len(reach.units))
        for steps in reach.steps():
            values[steps.queries] = np.clip(steps.mean_effort(reach.units[steps.queries]), 0.0, 1.0)
        return values


class EPRUMrank(_Navigating):
    """Expected units at a rank, relative to an ideal list: min(1, ceil(E[units seen by rank k]) / k).

    EPRUMrank@k = min(1, ceil(E[units seen by rank k]) / k)
    """

    paper = PIWOWARSKI_2006
    cutoff: Param[int | None] = cutoff_param()

    def score(self, reach: ReachTable) -> Floats:
        ranks = _cutoffs(reach, self.cutoff)
        seen = np.ceil(reach.seen(ranks) - 1e-9)
        return np.minimum(1.0, ratio(seen, ranks))
