"""Parts found: hits, passages, nuggets and sets, for everyone who thinks in hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures.base import (
    OURS,
    Measure,
    as_asked,
    budget_param,
    check_budget,
    cutoff_param,
    judged_only_param,
    pack_param,
    rel_param,
)
from partwise.messages import measures as messages
from partwise.model import Floats
from partwise.parameters import Param
from partwise.tables import Key, ratio
from partwise.tables.abstaining import Answered, AnsweredTable
from partwise.tables.parts import Match, NuggetParts, NuggetsTable, Parts, PartsTable, cover, iou, seen

GENOMICS_2007 = "Hersh, Cohen, Ruslen and Roberts 2007, TREC 2007 Genomics Track Overview"
QVHIGHLIGHTS = "Lei, Berg and Bansal 2021, QVHighlights"


def match_param(
    default: Match, kinds: str = "any, cover(t), contains, seen(t), iou(t) or iou(low, high)"
) -> Param[Match]:
    return Param(Match, default=default, help=f"when a result finds a passage: {kinds}")


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
        return as_asked(self, *keys)

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

    PartHit@k = 1 if the first k results find a passage, else 0

    A passage is found if a result shows half of it, unless match says otherwise.

    The first result shows 4 of the 10 characters of the passage, the second 5:

    >>> import partwise as pw
    >>> gold = {"q": [("d", 0, 10)]}
    >>> run = {"q": [("d", 6, 20), ("d", 5, 20)]}
    >>> pw.evaluate(gold, run, "PartHit@1 PartHit@2 PartHit(match=any)@1").mean()["run"]
    {'PartHit@1': 0.0, 'PartHit@2': 1.0, 'PartHit(match=any)@1': 1.0}
    """

    def value(self, parts: PartsTable) -> Floats:
        hits: Floats = (parts.sum(parts.new, self.cutoff) > 0).astype(np.float64)
        return hits


class PartRR(_PartMeasure):
    """Reciprocal rank of the first result that finds a gold passage.

    PartRR = 1 / (the first rank that finds a passage)

    0 if no result finds any. Its mean over queries is the MRR of chunks.

    The second result is the first that shows half of the passage:

    >>> import partwise as pw
    >>> gold = {"q": [("d", 0, 10)]}
    >>> run = {"q": [("d", 6, 20), ("d", 5, 20)]}
    >>> pw.evaluate(gold, run, "PartRR PartRR(match=any)").mean()["run"]
    {'PartRR': 0.5, 'PartRR(match=any)': 1.0}
    """

    def value(self, parts: PartsTable) -> Floats:
        finders = np.flatnonzero(parts.new > 0)
        first = np.append(finders, len(parts.new))[np.searchsorted(finders, parts.offsets[:-1])]
        rank = first - parts.offsets[:-1] + 1
        return np.where(first < parts.ends(self.cutoff), 1 / rank, 0.0)


class PartP(_PartMeasure):
    """Part precision: the share of the first results that find a new gold passage.

    PartP@k = results among the first k that find a new passage / k

    A result that finds only passages found before brings nothing, so a chunk returned twice pays once. Divided by the
    cutoff even if the list is shorter; without one by the length of the list, with a budget by the results read.

    The second result shows a passage that the first has found:

    >>> import partwise as pw
    >>> gold = {"q": [("d", 0, 10), ("d", 50, 60)]}
    >>> run = {"q": [("d", 0, 20), ("d", 5, 10), ("d", 45, 60)]}
    >>> pw.evaluate(gold, run, "PartP@3 PartP(new=False)@3").mean()["run"]
    {'PartP@3': 0.6666666666666666, 'PartP(new=False)@3': 1.0}
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

    PartR@k = passages found by the first k results / all passages

    A passage is found once, however often its text is returned, and a short one counts as much as a long one.

    The first result finds one of two passages, the third the other:

    >>> import partwise as pw
    >>> gold = {"q": [("d", 0, 10), ("d", 50, 60)]}
    >>> run = {"q": [("d", 0, 20), ("d", 5, 10), ("d", 45, 60)]}
    >>> pw.evaluate(gold, run, "PartR@1 PartR@3").mean()["run"]
    {'PartR@1': 0.5, 'PartR@3': 1.0}
    """

    def value(self, parts: PartsTable) -> Floats:
        return ratio(parts.sum(parts.new, self.cutoff), parts.count)


class PartAP(_PartMeasure):
    """Average precision over gold passages.

    PartAP = (sum over ranks r of |new(r)| * PartP@r) / all passages

    new(r) are the passages first found at rank r, and PartP@r the share of the first r results that found a new
    passage. Interpolated, each precision is the highest at its rank or a later
    one, as in object detection and in QVHighlights' mAP.

    Results 1 and 3 find a passage each, so that it is (1/1 + 2/3) / 2:

    >>> import partwise as pw
    >>> gold = {"q": [("d", 0, 10), ("d", 50, 60)]}
    >>> run = {"q": [("d", 0, 20), ("d", 5, 10), ("d", 45, 60)]}
    >>> pw.evaluate(gold, run, "PartAP").mean()["run"]
    {'PartAP': 0.8333333333333333}
    """

    interpolated: Param[bool] = Param(bool, default=False, help="take the highest precision at a rank or a later one")

    def value(self, parts: PartsTable) -> Floats:
        precision = parts.interpolated(parts.ends(self.cutoff)) if self.interpolated else parts.precision
        return ratio(parts.sum(parts.new * precision, self.cutoff), parts.count)


class PartnDCG(_PartMeasure):
    """Discounted cumulated gain of the gold passages found, divided by that of the ideal list.

    PartnDCG@k = (sum of grade / log2(position + 1)) / (the same of the ideal list)

    Passages are taken in the order found, higher grades first within a rank. The j-th, found at rank r, is at position
    max(r, j) and brings grade / log2(position + 1), nothing beyond the cutoff. The ideal list has the highest grades at
    positions 1, 2 ..., so that a result that finds several passages never beats it.

    The passage of grade 1 is found at rank 1, that of grade 3 at rank 3: (1 + 3/2) / (3 + 1/log2(3)).

    >>> import partwise as pw
    >>> row = {"query_id": "q", "doc_id": "d"}
    >>> gold = [{**row, "start": 0, "end": 10, "grade": 1}, {**row, "start": 50, "end": 60, "grade": 3}]
    >>> run = {"q": [("d", 0, 20), ("d", 5, 10), ("d", 45, 60)]}
    >>> pw.evaluate(gold, run, "PartnDCG@3").mean()["run"]
    {'PartnDCG@3': 0.6885288809404666}
    """

    def value(self, parts: PartsTable) -> Floats:
        return ratio(parts.cumulated_gain(self.cutoff), parts.ideal_gain(self.cutoff))


class NuggetR(_PartMeasure):
    """Nugget recall: the share of the nuggets that the first results show.

    NuggetR@k = nuggets shown by the first k results / all nuggets

    Passages with the same nugget are alternatives: finding one of them finds the nugget. A passage without a nugget is
    one of its own. `rel` selects nuggets by their highest grade; any relevant passage of a selected nugget shows it.

    The run finds both passages of nugget a, which are two of the three passages, and not nugget b:

    >>> import partwise as pw
    >>> row = {"query_id": "q", "doc_id": "d"}
    >>> gold = [{**row, "start": s, "end": s + 10, "nugget": n} for s, n in ((0, "a"), (50, "a"), (80, "b"))]
    >>> run = {"q": [("d", 0, 20), ("d", 5, 10), ("d", 45, 60)]}
    >>> pw.evaluate(gold, run, "NuggetR PartR").mean()["run"]
    {'NuggetR': 0.5, 'PartR': 0.6666666666666666}
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

    AllFound@k = 1 if the first k results show every nugget, else 0

    If the query has sets of nuggets, all nuggets of one set are enough; nuggets outside of sets are then not needed.

    One passage is enough for nugget a; nugget b is in the second result:

    >>> import partwise as pw
    >>> row = {"query_id": "q", "doc_id": "d"}
    >>> gold = [{**row, "start": s, "end": s + 10, "nugget": n} for s, n in ((0, "a"), (50, "a"), (80, "b"))]
    >>> run = {"q": [("d", 0, 20), ("d", 75, 90)]}
    >>> pw.evaluate(gold, run, "AllFound@1 AllFound@2").mean()["run"]
    {'AllFound@1': 0.0, 'AllFound@2': 1.0}
    """

    _key = NuggetR._key

    def value(self, nuggets: NuggetsTable) -> Floats:
        return nuggets.complete(self.cutoff).astype(np.float64)


class AspectAP(Measure):
    """Aspect average precision: average precision where a result counts if it shows a new nugget.

    AspectAP = (sum over ranks with new nuggets of |new nuggets| * n / d) / all nuggets

    Down the list, a result that shows no nugget adds 1 to d; one that shows a new nugget adds 1 to n and to d, then the
    number of its new nuggets times n/d to the sum; one that shows only nuggets shown before changes nothing. The sum is
    divided by the number of nuggets. This is ASPECT of TREC Genomics 2007.

    No nugget, then a, a again, and b: (1/2 + 2/3) / 2.

    >>> import partwise as pw
    >>> row = {"query_id": "q", "doc_id": "d"}
    >>> gold = [{**row, "start": s, "end": s + 10, "nugget": n} for s, n in ((0, "a"), (50, "a"), (80, "b"))]
    >>> run = {"q": [("d", 200, 210), ("d", 50, 60), ("d", 0, 10), ("d", 80, 90)]}
    >>> pw.evaluate(gold, run, "AspectAP").mean()["run"]
    {'AspectAP': 0.5833333333333333}
    """

    kind = "parts"
    paper = GENOMICS_2007
    match: Param[Match] = match_param(Match.from_value("any"), "any, cover(t) or contains")
    rel = rel_param()
    judged_only = judged_only_param()

    def check(self) -> None:
        if isinstance(self.match, (seen, iou)):
            raise PartwiseError(messages.NOT_FOR_MATCH(owner="AspectAP", match=self.match.name))

    def needs(self) -> Sequence[Key]:
        return as_asked(self, NuggetParts(self.match, self.rel))

    def score(self, nuggets: NuggetsTable) -> Floats:
        return ratio(nuggets.aspect_precision(), nuggets.count)


class Abstain(Measure):
    """Whether the run returns nothing for a query that has nothing relevant.

    Abstain = 1 if the run returns nothing, else 0

    Scored over the judged queries with nothing relevant, and no others: 1 if the run has no results for the query, else
    0. A query that is missing from the run has none.

    Nothing is relevant for q1 and q2, and the run answers q1:

    >>> import partwise as pw
    >>> gold = [{"query_id": "q1", "doc_id": ""}, {"query_id": "q2", "doc_id": ""}]
    >>> gold += [{"query_id": "q3", "doc_id": "d", "start": 0, "end": 5}]
    >>> run = {"q1": [("d", 0, 5)], "q3": [("d", 0, 5)]}
    >>> pw.evaluate(gold, run, "Abstain").mean()["run"]
    {'Abstain': 0.5}
    """

    kind = "parts"
    paper = OURS
    counts_absent = True

    def needs(self) -> Sequence[Key]:
        return [Answered()]

    def score(self, answered: AnsweredTable) -> Floats:
        abstains: Floats = (answered.results == 0).astype(np.float64)
        return abstains
