"""Parts found: hits, passages, nuggets and sets, for everyone who thinks in hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures.base import (
    OURS,
    Measure,
    budget_param,
    check_budget,
    cutoff_param,
    judged_only_param,
    pack_param,
)
from partwise.messages import measures as messages
from partwise.model import Floats
from partwise.parameters import Param
from partwise.tables import Condensed, Key, ratio
from partwise.tables.abstaining import Answered, AnsweredTable
from partwise.tables.parts import Match, NuggetParts, NuggetsTable, Parts, PartsTable, cover, iou, seen

GENOMICS_2007 = "Hersh, Cohen, Ruslen and Roberts 2007, TREC 2007 Genomics Track Overview"
QVHIGHLIGHTS = "Lei, Berg and Bansal 2021, QVHighlights"


def match_param(default: Match) -> Param[Match]:
    return Param(
        Match,
        default=default,
        help="when a result finds a passage: any, cover(t), contains, seen(t), iou(t) or iou(low, high)",
    )


def rel_param() -> Param[int]:
    return Param(int, default=1, low=1, help="passages of a lower grade are not relevant")


class _PartMeasure(Measure):
    """The common part of the measures of passages found."""

    kind = "parts"
    paper = OURS
    match: Param[Match] = match_param(cover(share=0.5))
    rel = rel_param()
    budget = budget_param()
    pack = pack_param()
    judged_only = judged_only_param()
    cutoff: Param[int | None] = cutoff_param()

    def check(self) -> None:
        check_budget(self)

    def needs(self) -> Sequence[Key]:
        keys = [self._key(match) for match in self.match.thresholds()]
        return [Condensed(key) for key in keys] if self.judged_only else keys

    def _key(self, match: Match) -> Key:
        return Parts(match, self.rel, self.budget, self.pack)

    def score(self, *tables: Any) -> Floats:
        values: Floats = np.mean([self.value(table) for table in tables], axis=0)
        return values

    def value(self, parts: Any) -> Floats:
        """The value of each query for one threshold."""
        raise NotImplementedError


class PartHit(_PartMeasure):
    """Whether the first results find a gold passage: the hit rate.

    1 if anything is found in the first results, else 0. A passage is found if a result shows half of it, unless match
    says otherwise.
    """

    def value(self, parts: PartsTable) -> Floats:
        hits: Floats = (parts.sum(parts.new, self.cutoff) > 0).astype(np.float64)
        return hits


class PartRR(_PartMeasure):
    """Reciprocal rank of the first result that finds a gold passage.

    1 / its rank, 0 if no result finds any. Its mean over queries is the MRR of chunks.
    """

    def value(self, parts: PartsTable) -> Floats:
        finders = np.flatnonzero(parts.new > 0)
        first = np.append(finders, len(parts.new))[np.searchsorted(finders, parts.offsets[:-1])]
        rank = first - parts.offsets[:-1] + 1
        return np.where(first < parts.ends(self.cutoff), 1 / rank, 0.0)


class PartP(_PartMeasure):
    """Part precision: the share of the first results that find a new gold passage.

    A result that finds only passages found before brings nothing, so a chunk returned twice pays once. Divided by the
    cutoff even if the list is shorter; without one by the length of the list, with a budget by the results read.
    """

    new: Param[bool] = Param(
        bool, default=True, help="count only results that find a new passage; False: any that matches one"
    )

    def value(self, parts: PartsTable) -> Floats:
        counted = parts.sum(parts.new > 0 if self.new else parts.matched, self.cutoff)
        read = parts.ends(None) - parts.offsets[:-1]
        return ratio(counted, read if self.cutoff is None else np.full(len(read), self.cutoff))


class PartR(_PartMeasure):
    """Part recall: the share of the gold passages that the first results find.

    A passage is found once, however often its text is returned, and a short one counts as much as a long one.
    """

    def value(self, parts: PartsTable) -> Floats:
        return ratio(parts.sum(parts.new, self.cutoff), parts.count)


class PartAP(_PartMeasure):
    """Average precision over gold passages.

    The sum over ranks r of the number of passages first found at r, times the share of the first r results that found
    a new passage, divided by all gold passages. Interpolated, each precision is the highest at its rank or a later
    one, as in object detection and in QVHighlights' mAP.
    """

    interpolated: Param[bool] = Param(bool, default=False, help="take the highest precision at a rank or a later one")

    def value(self, parts: PartsTable) -> Floats:
        precision = parts.interpolated(parts.ends(self.cutoff)) if self.interpolated else parts.precision
        return ratio(parts.sum(parts.new * precision, self.cutoff), parts.count)


class PartnDCG(_PartMeasure):
    """Discounted cumulated gain of the gold passages found, divided by that of the ideal list.

    Passages are taken in the order found, higher grades first within a rank. The j-th, found at rank r, is at position
    max(r, j) and brings grade / log2(position + 1), nothing beyond the cutoff. The ideal list has the highest grades at
    positions 1, 2 ..., so that a result that finds several passages never beats it.
    """

    def value(self, parts: PartsTable) -> Floats:
        return ratio(parts.cumulated_gain(self.cutoff), parts.ideal_gain(self.cutoff))


class NuggetR(_PartMeasure):
    """Nugget recall: the share of the nuggets that the first results show.

    Passages with the same nugget are alternatives: finding one of them finds the nugget. A passage without a nugget is
    one of its own. `rel` selects nuggets by their highest grade; any relevant passage of a selected nugget shows it.
    """

    weight: Param[str] = Param(
        str, default="one", choices=("one", "grade"), help="how much a nugget counts: one each, or its grade"
    )

    def _key(self, match: Match) -> Key:
        return NuggetParts(match, self.rel, self.budget, self.pack)

    def value(self, nuggets: NuggetsTable) -> Floats:
        weight = nuggets.nuggets.grade if self.weight == "grade" else np.ones(len(nuggets.selected), np.int64)
        shown = nuggets.shown(self.cutoff)
        return ratio(nuggets.per_query(weight * shown), nuggets.per_query(weight * nuggets.selected))


class AllFound(_PartMeasure):
    """Whether the first results show every nugget.

    1 if they do, else 0. If the query has sets of nuggets, all nuggets of one set are enough; nuggets outside of sets
    are then not needed.
    """

    _key = NuggetR._key

    def value(self, nuggets: NuggetsTable) -> Floats:
        return nuggets.complete(self.cutoff).astype(np.float64)


class AspectAP(Measure):
    """Aspect average precision: average precision where a result counts if it shows a new nugget.

    Down the list, a result that shows no nugget adds 1 to d; one that shows a new nugget adds 1 to n and to d, then the
    number of its new nuggets times n/d to the sum; one that shows only nuggets shown before changes nothing. The sum is
    divided by the number of nuggets. This is ASPECT of TREC Genomics 2007.
    """

    kind = "parts"
    paper = GENOMICS_2007
    match: Param[Match] = match_param(Match.from_value("any"))
    rel = rel_param()
    judged_only = judged_only_param()

    def check(self) -> None:
        if isinstance(self.match, (seen, iou)):
            raise PartwiseError(messages.NOT_FOR_MATCH(owner="AspectAP", match=self.match.name))

    def needs(self) -> Sequence[Key]:
        key = NuggetParts(self.match, self.rel)
        return [Condensed(key)] if self.judged_only else [key]

    def score(self, nuggets: NuggetsTable) -> Floats:
        return ratio(nuggets.aspect_precision(), nuggets.count)


class Abstain(Measure):
    """Whether the run returns nothing for a query that has nothing relevant.

    Scored over the judged queries with nothing relevant, and no others: 1 if the run has no results for the query, else
    0. A query that is missing from the run has none.
    """

    kind = "parts"
    paper = OURS
    counts_absent = True

    def needs(self) -> Sequence[Key]:
        return [Answered()]

    def score(self, answered: AnsweredTable) -> Floats:
        abstains: Floats = (answered.results == 0).astype(np.float64)
        return abstains
