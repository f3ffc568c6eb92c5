"""Text measures (HiXEval): precision and recall counted in characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures.base import (
    INEX_2007,
    OURS,
    SURVEY,
    Measure,
    Together,
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
from partwise.parameters import Param, exact
from partwise.tables import Key, f_measure, ratio, sums
from partwise.tables.text import Spans, SpansTable, Text, TextTable


def _alpha() -> Param[float]:
    return Param(
        float,
        default=1.0,
        low=0,
        high=1,
        help="how much of the highlighted text seen before is subtracted; 0 ignores overlap",
    )


def _trel() -> Param[str]:
    return Param(
        str,
        default="highlights",
        choices=("highlights", "elements"),
        help="the base of recall: all highlighted text, or that of all relevant elements (Thorough)",
    )


class _TextMeasure(Measure):
    """The common part of the text measures."""

    counts_text = True
    alpha = _alpha()
    trel = _trel()
    rel = rel_param()
    judged_only = judged_only_param()

    def check(self) -> None:
        if self.rel != 1 and self.trel == "elements":
            raise PartwiseError(messages.REL_OF_ELEMENTS(owner=type(self).__name__))

    def needs(self) -> Sequence[Key]:
        return as_asked(self, Text(self.alpha, self.trel, rel=self.rel))


class _ReadMeasure(_TextMeasure):
    """The common part of the measures with a cutoff or a budget."""

    alpha = _alpha()  # declared again, because the order of parameters is that of canonical names
    trel = _trel()
    budget = budget_param()
    pack = pack_param()
    rel = rel_param()
    judged_only = judged_only_param()
    cutoff: Param[int | None] = cutoff_param()

    def check(self) -> None:
        super().check()
        check_budget(self)

    def needs(self) -> Sequence[Key]:
        return as_asked(self, Text(self.alpha, self.trel, self.budget, self.pack, self.rel))


class TextP(_ReadMeasure):
    """Text precision: the share of the text read that is highlighted and new.

    TextP@k = sum of rval / sum of size, over the first k results

    rval of a result is its number of highlighted characters less alpha times those in earlier results; its size counts
    in full, so reading text twice costs twice. A list shorter than the cutoff is divided by its own size; an empty one
    scores 0.
    """

    paper = INEX_2007

    def score(self, text: TextTable) -> Floats:
        return text.precision(self.cutoff)


class TextR(_ReadMeasure):
    """Text recall: the share of the highlighted text that is returned.

    TextR@k = sum of rval over the first k results / all highlighted characters

    rval of a result is its number of highlighted characters less alpha times those in earlier results. With alpha=1
    every highlighted character counts once, so a part returned twice never raises recall.
    """

    paper = INEX_2007

    def score(self, text: TextTable) -> Floats:
        return text.recall(self.cutoff)

    def together(self) -> Together | None:
        if self.budget is None:
            return None
        [key] = as_asked(self, Text(self.alpha, self.trel, rel=self.rel))
        return Together(key, TextTable.recall_within, (self.budget, self.pack))


class TextF(_ReadMeasure):
    """F-measure of text precision and text recall.

    TextF@k = (1 + beta²) P R / (beta² P + R), where P = TextP@k and R = TextR@k

    Both are at the same cutoff or budget.
    """

    paper = SURVEY
    beta: Param[float] = Param(float, default=1.0, above=0, help="weight of recall over precision")

    def score(self, text: TextTable) -> Floats:
        return f_measure(text.precision(self.cutoff), text.recall(self.cutoff), self.beta)


class TextIoU(Measure):
    """Intersection over union of the returned text and the highlighted text.

    TextIoU@k = |retrieved and highlighted| / |retrieved or highlighted|

    Both are sets of characters; retrieved are those of the first results.
    """

    paper = OURS
    counts_text = True
    budget = budget_param()
    pack = pack_param()
    rel = rel_param()
    judged_only = judged_only_param()
    cutoff: Param[int | None] = cutoff_param()

    def check(self) -> None:
        check_budget(self)

    def needs(self) -> Sequence[Key]:
        keys = Text(budget=self.budget, pack=self.pack, rel=self.rel), Spans(self.budget, self.pack)
        return as_asked(self, *keys)

    def score(self, text: TextTable, spans: SpansTable) -> Floats:
        both = sums(text.highlights.new, text.offsets, self.cutoff)
        retrieved = sums(spans.new, text.offsets, self.cutoff)
        return ratio(both, retrieved + text.relevant - both)


class iP(_TextMeasure):
    """Interpolated text precision: the best precision at this recall level or beyond.

    iP@x = max of TextP@r over the ranks r with TextR@r >= x

    0 if no rank reaches the level; at level 0 it is the best precision at any rank. Levels are compared in whole
    characters.
    """

    paper = INEX_2007
    recall: Param[float] = Param(float, at=True, low=0, high=1, example=0.01, help="the recall level")

    def score(self, text: TextTable) -> Floats:
        values: Floats = text.interpolated_at([exact(self.recall)])[0]
        return values

    def together(self) -> Together | None:
        [key] = self.needs()
        return Together(key, TextTable.interpolated_at, exact(self.recall))


class iAP(_TextMeasure):
    """Interpolated average precision: the mean of iP over evenly spaced recall levels.

    iAP = mean of iP@x over x = 0, 0.01, 0.02 ... 1

    With 101 points the levels are 0, 0.01, 0.02 ... 1. Its mean over queries is what INEX calls MAiP.
    """

    paper = INEX_2007
    aliases = ("MAiP", "iMAP")
    points: Param[int] = Param(int, default=101, low=2, high=100_001, help="the number of recall levels, from 0 to 1")

    def score(self, text: TextTable) -> Floats:
        over = self.points - 1
        values: Floats = text.interpolated(range(self.points), [over] * self.points).mean(axis=1)
        return values


class TextAP(_TextMeasure):
    """Text average precision: precision where new highlighted text appears, times recall at the end.

    TextAP = (mean of TextP@r over the ranks r with rval_r > 0) * TextR

    rval_r is above 0 where a result shows highlighted text that was not shown before; TextR is that of the whole list.
    """

    paper = INEX_2007

    def score(self, text: TextTable) -> Floats:
        rows = np.flatnonzero(text.gaining)  # the others do not even change how the sum is rounded
        offsets = np.searchsorted(rows, text.offsets)
        return ratio(sums(text.precision_by_rank[rows], offsets, None), np.diff(offsets)) * text.recall(None)
