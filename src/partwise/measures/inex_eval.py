"""inex_eval and inex_eval_ng: precision and recall over graded elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.measures.base import SURVEY, Measure, cutoff_param
from partwise.measures.xcg import GradedMeasure, quant_param
from partwise.model import Bools, Floats, Ints
from partwise.parameters import Param, exact
from partwise.tables import Key, ratio, sums
from partwise.tables.gain import Elements, ElementsTable, SeenShare
from partwise.tables.text import Spans, SpansTable

GOEVERT_KAZAI = "Gövert and Kazai 2003, Overview of INEX 2002"
SMALLEST = 1e-9


class _Precall(GradedMeasure):
    """The common part of Precall and inexAP."""

    paper = GOEVERT_KAZAI
    quant: Param[str | None] = quant_param()
    variant: Param[str] = Param(
        str,
        default="expected",
        choices=("expected", "simple"),
        help="expected search length within ties, or need divided by rank",
    )

    def needs(self) -> Sequence[Key]:
        return [Elements(self.quant or "")]

    def curve(self, elements: ElementsTable, levels: Sequence[float]) -> Floats:
        """The precision of every query at every level."""
        value = np.where(elements.first_time, elements.value, 0.0)
        bounds = elements.offsets
        curves = np.zeros((len(bounds) - 1, len(levels)))
        for query, total in enumerate(elements.total_value.tolist()):
            rows = slice(int(bounds[query]), int(bounds[query + 1]))
            curves[query] = _precision(value[rows], elements.batch.tie[rows], total, levels, self.variant == "simple")
        return curves


def _precision(value: Floats, tie: Ints, total: float, levels: Sequence[float], simple: bool) -> Floats:
    """need / (need + j + s*i/(r+1)) at the rank where the cumulated value reaches need, for every level."""
    reached = np.cumsum(value)
    needs = np.multiply(levels, total)
    rows = np.searchsorted(reached, needs - SMALLEST)
    values = np.zeros(len(needs))
    for row in np.unique(rows[(rows < len(value)) & (needs != 0)]).tolist():
        here = np.flatnonzero((rows == row) & (needs != 0))
        need = needs[here]
        if simple:
            values[here] = need / (row + 1)
            continue
        group = tie == tie[row]
        first = int(np.argmax(group))
        before = float(reached[first - 1]) if first else 0.0
        idle = float((1 - value[:first]).sum())
        rest, in_rank, idle_in_rank = need - before, float(value[group].sum()), float((1 - value[group]).sum())
        values[here] = need / (need + idle + rest * idle_in_rank / (in_rank + 1))
    return values


class Precall(_Precall):
    """Expected precision at a recall level: the value needed, over itself plus the expected search length.

    Precall@x = need / (need + j + s*i / (r+1))

    N is the sum of values over the recall base, need = x*N. Go down the list to the rank where the cumulated value
    reaches need; j is the sum of (1 - value) before it, s the value still needed from it, r and i the sums of value and
    of (1 - value) in it, as a rank may hold tied results. The value is need / (need + j + s*i/(r+1)), 0 if never
    reached. An element that was returned before has the value 0.
    """

    recall: Param[float] = Param(float, at=True, above=0, high=1, example=0.1, help="the recall level")

    def score(self, elements: ElementsTable) -> Floats:
        return self.curve(elements, [float(exact(self.recall))])[:, 0]


class inexAP(_Precall):
    """Average expected precision: the mean of Precall over evenly spaced recall levels 1/points ... 1.

    inexAP = mean of Precall@x over x = 1/points, 2/points ... 1
    """

    points: Param[int] = Param(int, default=100, low=1, high=100_000, help="how many recall levels")

    def score(self, elements: ElementsTable) -> Floats:
        levels = [point / self.points for point in range(1, self.points + 1)]
        values: Floats = self.curve(elements, levels).mean(axis=1)
        return values


class _NG(Measure):
    """The common part of the measures of inex_eval_ng, which use the grades without quantisation."""

    kind = "parts"
    paper = SURVEY
    overlap: Param[bool] = Param(bool, default=True, help="whether text seen before is subtracted")
    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [Elements("spe"), SeenShare(), Spans()]

    def scored(self, elements: ElementsTable, *others: Any) -> Bools:
        return elements.has_relevant

    def fresh(self, elements: ElementsTable, seen: Floats) -> tuple[Floats, Floats]:
        """The share of each result that is new, and 1 if its grade counts (it was not returned before), else 0."""
        return (1 - seen if self.overlap else np.ones(len(seen))), elements.first_time.astype(np.float64)


class ngP(_NG):
    """Specificity-weighted precision: the relevant share of the text read, by the elements' specificity.

    ngP@k = sum of s*size*(1-o) / sum of size*(1-o), over the first k results

    s is the specificity of a result, and o the share of it that was seen before.
    """

    def score(self, elements: ElementsTable, seen: Floats, spans: SpansTable) -> Floats:
        new, counts = self.fresh(elements, seen)
        read = spans.size * new
        gained = sums(elements.specificity * read * counts, elements.offsets, self.cutoff)
        return ratio(gained, sums(read, elements.offsets, self.cutoff))


class ngR(_NG):
    """Exhaustivity-weighted recall: the share of all exhaustivity that the first results have.

    ngR@k = sum of e*(1-o) over the first k results / sum of e over the recall base

    e is the exhaustivity of a result, and o the share of it that was seen before.
    """

    def score(self, elements: ElementsTable, seen: Floats, spans: SpansTable) -> Floats:
        new, counts = self.fresh(elements, seen)
        gained = sums(elements.exhaustivity * new * counts, elements.offsets, self.cutoff)
        return ratio(gained, elements.total_exhaustivity)
