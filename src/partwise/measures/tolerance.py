"""Tolerance to irrelevance: a reader gives up on a result after a given amount of irrelevant text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.measures.base import SURVEY, Measure
from partwise.model import Floats, Ints
from partwise.parameters import Param, exact
from partwise.tables import Key
from partwise.tables.tolerance import Findings, FindingsTable


class _Tolerance(Measure):
    """The common part of T2I and T2IAP."""

    paper = SURVEY
    tolerance: Param[int] = Param(
        int, default=300, low=1, help="how many irrelevant characters in a row end the reading of a result"
    )
    one: Param[bool] = Param(
        bool, default=True, help="whether reading ends after the first passage not found before, or goes on"
    )

    def needs(self) -> Sequence[Key]:
        return [Findings(self.tolerance, self.one)]

    @staticmethod
    def values(ranks: Ints, need: Ints) -> Floats:
        """need / (rank at which `need` passages are found), at most 1, 0 if they never are."""
        reached = need <= len(ranks)
        at = ranks[np.minimum(need, len(ranks)) - 1] if len(ranks) else np.ones(len(need))
        return np.where(reached, np.minimum(1.0, need / at), 0.0)


class T2I(_Tolerance):
    """Tolerance to irrelevance: passages found per result read, until a share of all passages is found.

    T2I@x = need / (rank at which need passages are found), where need = ceil(x*N)

    From the start of a part the user reads forward until `tolerance` irrelevant characters in a row, the document's
    end, or the end of the first passage not found before. With N passages and need = ceil(x*N), the value is need
    divided by the rank at which need passages are found, 0 if they never are. (The document score T2I of gP and AgP is
    different: the share of relevant text in the text read of a document.)
    """

    recall: Param[float] = Param(float, at=True, above=0, high=1, example=0.1, help="the share of the passages")

    def score(self, findings: FindingsTable) -> Floats:
        level = exact(self.recall)
        need = [-(-total * level.numerator // level.denominator) for total in findings.total.tolist()]
        pairs = zip(findings.ranks, need, strict=True)
        return np.array([self.values(ranks, np.array([n]))[0] if n else 0.0 for ranks, n in pairs])


class T2IAP(_Tolerance):
    """Average T2I: the mean over all numbers of passages from one to all.

    T2IAP = (sum over need = 1 ... N of min(1, need / r(need))) / N

    With N passages, of which n are found, the n-th at rank r(n): the sum of min(1, need / r(need)) over need = 1 ... n,
    divided by N. The reading is that of T2I: from the start of a result forward, until `tolerance` irrelevant
    characters in a row, the document's end, or the end of the first passage not found before.

    It is 1 if each of the first N results begins at another passage, or less than `tolerance` characters before it;
    half of that if the same results are at every second rank. A passage that is never found counts as 0. (With
    one=False a result may find several passages, so fewer than N results can be enough.)
    """

    def score(self, findings: FindingsTable) -> Floats:
        pairs = zip(findings.ranks, findings.total.tolist(), strict=True)
        return np.array([self.values(ranks, np.arange(1, n + 1)).mean() if n else 0.0 for ranks, n in pairs])
