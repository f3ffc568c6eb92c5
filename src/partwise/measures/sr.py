"""Structural relevance: relevant elements that users first see in the list, not by navigating from another result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.measures.base import Measure, cutoff_param
from partwise.measures.navigation import nav_param, recall_param
from partwise.model import Floats
from partwise.navigation import Navigation
from partwise.parameters import Param, exact
from partwise.tables import Facts, Key, ratio, sums
from partwise.tables.isolation import Isolation, IsolationTable
from partwise.tables.targets import ELEMENTS

ALI_2007 = "Ali, Consens and Lalmas 2007, Structural Relevance in XML Retrieval Evaluation"
SMALLEST = 1e-9


class _Structural(Measure):
    """The common part of the measures of structural relevance."""

    kind = "parts"
    paper = ALI_2007
    nav: Param[Navigation | None] = nav_param("summary(by=path)")
    related: Param[str] = Param(
        str,
        default="document",
        choices=("document", "kin", "lineage"),
        help="the results from which users may navigate: all of the document; ancestors, descendants and siblings; or "
        "only ancestors and descendants",
    )

    def resolved(self, facts: Facts) -> Measure:
        kind = facts.relevant_kind(ELEMENTS)
        return self(nav=facts.navigation(self.nav or "summary", kind, "parts"))

    def _table(self, cutoff: int | None) -> Isolation:
        return Isolation(self.nav or Navigation.from_value("summary"), self.related, cutoff)


class SR(_Structural):
    """Structural relevance: the expected number of relevant elements that users first see in the list.

    SR@k = sum over the first k results e of rel(e) * p(e;R)

    rel(e) is 1 for a relevant element. p(e;R) is its isolation: the product of (1 - P(e | f)) over the related results
    f at higher ranks, times the mean over the orders of those tied with e of the product over those before it. A
    repeated element counts neither as a result nor as a starting point.
    """

    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [self._table(self.cutoff)]

    def score(self, table: IsolationTable) -> Floats:
        total: Floats = sums(table.isolation, table.offsets, None)
        return total


class SRP(_Structural):
    """Structural relevance in precision: SR over the number of results.

    SRP@k = SR@k / k
    """

    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [self._table(self.cutoff)]

    def score(self, table: IsolationTable) -> Floats:
        ranks = np.diff(table.offsets) if self.cutoff is None else np.full(len(table.judged), self.cutoff)
        return ratio(sums(table.isolation, table.offsets, None), ranks)


class SRPL(_Structural):
    """Structural relevance in precall: SR at a recall level, over itself plus the expected search length.

    SRPL@x = SR_l / (SR_l + j + s*i / (r+1))

    Go down the list to the rank l (which may hold tied results) where the number of relevant elements reaches x*n. The
    value is SR_l / (SR_l + j + s*i/(r+1)): SR_l of all ranks to l, j irrelevant results before it, s relevant ones
    still needed from it, r and i relevant and irrelevant ones in it; 0 if x*n is never reached.
    """

    base: Param[str] = Param(
        str,
        default="judged",
        choices=("judged", "retrieved"),
        help="what x is a share of: all relevant elements, or those in the list",
    )
    recall: Param[float] = recall_param("the share of the relevant elements")

    def needs(self) -> Sequence[Key]:
        return [self._table(None)]

    def score(self, table: IsolationTable) -> Floats:
        level = float(exact(self.recall))
        values = np.zeros(len(table.judged))
        for query, judged in enumerate(table.judged.tolist()):
            rows = slice(int(table.offsets[query]), int(table.offsets[query + 1]))
            relevant, tie = table.relevant[rows], table.batch.tie[rows]
            reached = np.cumsum(relevant)
            need = level * (judged if self.base == "judged" else int(relevant.sum()))
            row = int(np.searchsorted(reached, need - SMALLEST))
            if row == len(relevant) or need == 0:
                continue
            in_rank = tie == tie[row]
            first, after = int(np.argmax(in_rank)), int(np.flatnonzero(in_rank)[-1]) + 1
            before = int(reached[first - 1]) if first else 0
            relevant_in_rank = int(relevant[in_rank].sum())
            irrelevant = int(in_rank.sum()) - relevant_in_rank
            gained = float(table.isolation[rows][:after].sum())
            length = first - before + (need - before) * irrelevant / (relevant_in_rank + 1)
            values[query] = gained / (gained + length) if gained else 0.0
        return values
