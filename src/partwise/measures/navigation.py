"""Users who navigate: how many of the ideal units they see, and how soon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures.base import SURVEY, Measure, cutoff_param
from partwise.measures.xcg import quant_param
from partwise.model import Floats
from partwise.navigation import Navigation
from partwise.parameters import Param, exact
from partwise.tables import Facts, Key, ratio
from partwise.tables.reach import Reach, ReachTable, Units

PIWOWARSKI_2007 = "Piwowarski, Gallinari and Dupret 2007, Precision Recall with User Modelling"
PIWOWARSKI_2006 = "Piwowarski 2006, EPRUM Metrics and INEX 2005"
_DEFAULT_NAV = {"elements": "hierarchy", "passages": "coverage", "bep": "distance"}


def nav_param(default: str) -> Param[Navigation | None]:
    return Param(
        Navigation,
        default=None,
        help="how users go on from a result: none, coverage, distance(A=0.1), hierarchy, depth, summary(by=path), "
        f"routes(file='...'), table(file='...'), or one of your own. By default {default}",
    )


def recall_param(help: str) -> Param[float]:
    return Param(float, at=True, above=0, high=1, example=0.5, help=help)


class _Navigating(Measure):
    """What measures of ideal units seen share."""

    ideals: Param[str | None] = Param(
        str,
        default=None,
        choices=("elements", "passages", "bep"),
        help="the ideal units: ideal elements, highlighted passages or best entry points. By default elements where "
        "there is a collection, else passages",
    )
    quant: Param[str | None] = quant_param()
    nav: Param[Navigation | None] = nav_param("hierarchy for elements, coverage for passages, distance for bep")

    def resolved(self, facts: Facts) -> Measure:
        ideals = facts.relevant_kind(self.ideals)
        if ideals != "elements" and self.quant is not None:
            raise PartwiseError(f"{self.name} has a quant and its ideals are {ideals}", "leave quant out")
        quant = facts.quantisation(self.quant) if ideals == "elements" else None
        nav = facts.navigation(self.nav or _DEFAULT_NAV[ideals], ideals, "ideals")
        return self(ideals=ideals, quant=quant, nav=nav)

    def needs(self) -> Sequence[Key]:
        ideals = self.ideals or "passages"
        return [Reach(Units(ideals, self.quant), self.nav or Navigation.made_from(_DEFAULT_NAV[ideals]))]

    def score(self, reach: ReachTable) -> Floats:
        # A topic without an ideal unit is not scored.
        return np.array([self.of(reach, t, n) if n else 0.0 for t, n in enumerate(reach.units.tolist())])

    def of(self, reach: ReachTable, topic: int, units: int) -> float:
        """The value of one topic."""
        raise NotImplementedError


class NavR(_Navigating):
    """Recall of users who navigate: the expected share of the ideal units that they see.

    A unit is seen by rank k with the chance 1 - prod (1 - P(unit | result)) over the first k results, and for certain
    where it is returned itself. The sum of these chances over the number of units. (Generalised recall, GR.)
    """

    paper = SURVEY
    cutoff: Param[int | None] = cutoff_param()

    def of(self, reach: ReachTable, topic: int, units: int) -> float:
        return reach.seen(topic, self.cutoff) / units


def _need(recall: float, units: int) -> int:
    return math.ceil(exact(recall) * units - Fraction(1, 10**9))


class PRUM(_Navigating):
    """Precision of users who navigate: of the ranks they consult, the share at which they see something new.

    A user consults the list until need = ceil(x*n) of the n ideal units are seen (C, the whole list if never). CL of
    these ranks show a unit for the first time. The value is P(need is reached) E[CL] / E[C], exactly: the number of
    units seen is a sum of independent chances.
    """

    paper = PIWOWARSKI_2007
    recall: Param[float] = recall_param("the share of the ideal units that is wanted")

    def of(self, reach: ReachTable, topic: int, units: int) -> float:
        length = int(reach.ranks[topic])
        steps = reach.steps(topic)
        if not len(steps.rank):
            return 0.0
        below, quiet = steps.below(_need(self.recall, units))
        before = np.append(1.0, below[:-1])
        gaps = np.diff(np.concatenate([[0], steps.rank, [length]]))
        consulted = float((gaps * np.append(1.0, below)).sum())
        leading = float(np.maximum(before - quiet, 0.0).sum())
        return (1 - float(below[-1])) * min(1.0, leading / consulted)


class EPRUM(_Navigating):
    """Expected effort of users who navigate: how deep an ideal list must be read, relative to this one.

    With need = ceil(x*n) of the n ideal units: the sum over ranks k of P(need is reached at rank k) min(1, need/k), as
    the ideal list shows one unit a rank.
    """

    paper = PIWOWARSKI_2006
    recall: Param[float] = recall_param("the share of the ideal units that is wanted")

    def of(self, reach: ReachTable, topic: int, units: int) -> float:
        steps = reach.steps(topic)
        need = _need(self.recall, units)
        reached = np.maximum(-np.diff(np.append(1.0, steps.below(need)[0])), 0.0)
        return min(1.0, float((reached * np.minimum(1.0, need / steps.rank)).sum()))


class AEPRUM(_Navigating):
    """Average EPRUM: its mean over all numbers of ideal units from one to all."""

    paper = PIWOWARSKI_2006

    def of(self, reach: ReachTable, topic: int, units: int) -> float:
        return min(1.0, max(0.0, reach.steps(topic).mean_effort(units)))


class EPRUMrank(_Navigating):
    """Expected units at a rank, against an ideal list: min(1, ceil(E[units seen by rank k]) / k)."""

    paper = PIWOWARSKI_2006
    cutoff: Param[int | None] = cutoff_param()

    def of(self, reach: ReachTable, topic: int, units: int) -> float:
        rank = int(reach.ranks[topic]) if self.cutoff is None else self.cutoff
        seen = math.ceil(reach.seen(topic, rank) - 1e-9)
        return min(1.0, float(ratio(seen, rank)))
