"""Text measures (HiXEval): precision and recall counted in characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures.base import INEX_2007, OURS, SURVEY, Measure, cutoff_param
from partwise.messages import measures as messages
from partwise.model import Floats
from partwise.parameters import Param, exact
from partwise.tables import Key, ratio, sums
from partwise.tables.documents import f_measure
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


def _budget() -> Param[int | None]:
    return Param(
        int, default=None, low=1, help="read this many characters instead of a number of results; the last part is cut"
    )


class _TextMeasure(Measure):
    """The common part of the measures with a cutoff or a budget."""

    alpha = _alpha()
    trel = _trel()
    budget = _budget()
    cutoff: Param[int | None] = cutoff_param()

    def check(self) -> None:
        if self.budget is not None and self.cutoff is not None:
            raise PartwiseError(messages.BUDGET_AND_CUTOFF(owner=type(self).__name__))

    def needs(self) -> Sequence[Key]:
        return [Text(self.alpha, self.trel, self.budget)]


class TextP(_TextMeasure):
    """Text precision: the share of the text read that is highlighted and new.

    Sum of rval over sum of size, over the first results. rval of a result is its number of highlighted characters less
    alpha times those in earlier results; its size counts in full, so reading text twice costs twice. A list shorter
    than the cutoff is divided by its own size; an empty one scores 0.
    """

    paper = INEX_2007

    def score(self, text: TextTable) -> Floats:
        return text.precision(self.cutoff)


class TextR(_TextMeasure):
    """Text recall: the share of the highlighted text that is returned.

    Sum of rval over the first results, divided by all highlighted characters of the query. With alpha=1 every
    highlighted character counts once, so a part returned twice never raises recall.
    """

    paper = INEX_2007

    def score(self, text: TextTable) -> Floats:
        return text.recall(self.cutoff)


class TextF(_TextMeasure):
    """F-measure of text precision and text recall.

    (1 + beta²) P R / (beta² P + R), P and R being TextP and TextR at the same cutoff or budget.
    """

    paper = SURVEY
    beta: Param[float] = Param(float, default=1.0, above=0, help="weight of recall over precision")

    def score(self, text: TextTable) -> Floats:
        return f_measure(text.precision(self.cutoff), text.recall(self.cutoff), self.beta)


class TextIoU(Measure):
    """Intersection over union of the returned text and the highlighted text.

    Both are sets of characters: |retrieved and highlighted| / |retrieved or highlighted| over the first results.
    """

    paper = OURS
    budget = _budget()
    cutoff: Param[int | None] = cutoff_param()
    check = _TextMeasure.check

    def needs(self) -> Sequence[Key]:
        return [Text(budget=self.budget), Spans(self.budget)]

    def score(self, text: TextTable, spans: SpansTable) -> Floats:
        both = sums(text.highlights.new, text.offsets, self.cutoff)
        retrieved = sums(spans.new, text.offsets, self.cutoff)
        return ratio(both, retrieved + text.relevant - both)


class iP(Measure):
    """Interpolated text precision: the best precision at this recall level or beyond.

    The highest TextP@r over all ranks r with TextR@r of at least the recall level, 0 if no rank reaches it. At level 0
    it is the best precision at any rank. Levels are compared in whole characters.
    """

    paper = INEX_2007
    recall: Param[float] = Param(float, at=True, low=0, high=1, example=0.01, help="the recall level")
    alpha = _alpha()
    trel = _trel()

    def needs(self) -> Sequence[Key]:
        return [Text(self.alpha, self.trel)]

    def score(self, text: TextTable) -> Floats:
        level = exact(self.recall)
        return text.interpolated([level.numerator], [level.denominator])[:, 0]


class iAP(Measure):
    """Interpolated average precision: the mean of iP over evenly spaced recall levels.

    With 101 points the levels are 0, 0.01, 0.02 ... 1. Its mean over queries is what INEX calls MAiP.
    """

    paper = INEX_2007
    aliases = ("MAiP", "iMAP")
    points: Param[int] = Param(int, default=101, low=2, high=100_001, help="the number of recall levels, from 0 to 1")
    alpha = _alpha()
    trel = _trel()

    def needs(self) -> Sequence[Key]:
        return [Text(self.alpha, self.trel)]

    def score(self, text: TextTable) -> Floats:
        over = self.points - 1
        values: Floats = text.interpolated(range(self.points), [over] * self.points).mean(axis=1)
        return values


class TextAP(Measure):
    """Text average precision: precision where new highlighted text appears, times recall at the end.

    The mean of TextP@r over the ranks r with new highlighted text (rval above 0), multiplied by TextR of the whole
    list.
    """

    paper = INEX_2007
    alpha = _alpha()
    trel = _trel()

    def needs(self) -> Sequence[Key]:
        return [Text(self.alpha, self.trel)]

    def score(self, text: TextTable) -> Floats:
        precision = np.where(text.gaining, text.precision_by_rank, 0.0)
        return ratio(sums(precision, text.offsets, None), sums(text.gaining, text.offsets, None)) * text.recall(None)
