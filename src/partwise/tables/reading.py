"""A list read character by character: where new relevant text is met."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Floats, Ints
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import HIGHLIGHTS, Key, Tables
from partwise.tables.text import Highlights, HighlightsTable, Spans, SpansTable


@record()
class Stretches(Key):
    """The stretches of relevant text that no earlier result shows, in reading order."""

    rel: int = 1
    requires = (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> StretchesTable:
        spans: SpansTable = tables.get(Spans())
        highlights: HighlightsTable = tables.get(Highlights(rel=self.rel))
        axis = batch.judgements.axis(self.rel)
        row, before, again, length = kernels.fresh_stretches(
            batch.offsets, batch.pair, batch.span_offsets, spans.start, spans.end, *axis
        )
        relevant = batch.judgements.highlighted_of_grade(self.rel)[batch.queries]
        return StretchesTable(batch, relevant, spans, highlights, row, before, again, length)


@record(eq=False, repr=False)
class StretchesTable:
    """Stretch i of new relevant text is in result ``row[i]``, after ``before[i]`` of its characters.

    ``again[i]`` of these are relevant and in earlier results.
    """

    batch: Batch
    relevant: Ints
    spans: SpansTable
    highlights: HighlightsTable
    row: Ints
    before: Ints
    again: Ints
    length: Ints

    @property
    def scored(self) -> Bools:
        return self.relevant > 0

    @cached_property
    def read(self) -> Ints:
        """The number of characters read before each stretch."""
        return self._before_row(self.spans.size) + self.before

    @cached_property
    def read_again(self) -> Ints:
        """How many of them are relevant and were read before."""
        return self._before_row(self.highlights.count - self.highlights.new) + self.again

    @cached_property
    def gained(self) -> Ints:
        """The number of relevant characters met before each stretch."""
        total = np.cumsum(self.length) - self.length
        first = np.searchsorted(self.query, np.arange(len(self.batch.queries)))
        return total - np.concatenate([total, [0]])[first][self.query] if len(total) else total

    @cached_property
    def query(self) -> Ints:
        return self.batch.query_of_row[self.row]

    def per_query(self, of_stretch: Floats) -> Floats:
        """The sums of a column of stretches for each query."""
        bounds = np.searchsorted(self.query, np.arange(len(self.batch.queries) + 1))
        sums: Floats = kernels.segment_sums(of_stretch, bounds[:-1], bounds[1:])
        return sums

    def _before_row(self, of_row: Ints) -> Ints:
        """The sums of a column of results over those before the row of each stretch in its query."""
        total = np.concatenate([[0], np.cumsum(of_row)])
        before: Ints = total[self.row] - total[self.batch.offsets[:-1]][self.query]
        return before


def harmonic(start: Ints, length: Ints) -> Floats:
    """The sums 1 / (start + 1) + ... + 1 / (start + length), to the last few bits even if `start` is large."""
    low, high = np.minimum(start, _FEW), np.minimum(start + length, _FEW)
    early = _SUMS[high] - _SUMS[low]
    a = np.maximum(start, _FEW).astype(np.float64)
    b = np.maximum(start + length, _FEW).astype(np.float64)
    sums: Floats = early + np.log1p((b - a) / a) + (_rest(b) - _rest(a))
    return sums


_FEW = 64
_SUMS: Floats = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, _FEW + 1))])


def _rest(x: Floats) -> Floats:
    """What the harmonic number of x has besides its logarithm and Euler's constant; x is at least `_FEW`."""
    square = x * x
    rest: Floats = 1 / (2 * x) - (1 / 12 - (1 / 120 - 1 / (252 * square)) / square) / square
    return rest


@record()
class Judged(Key):
    """The results that are in judged documents."""

    def build(self, batch: Batch, tables: Tables) -> JudgedTable:
        return JudgedTable(batch.pair != NONE, tables.get(Spans()))


@record(eq=False, repr=False)
class JudgedTable:
    is_judged: Bools
    spans: SpansTable

    @property
    def scored(self) -> Bools:
        return self.spans.scored
