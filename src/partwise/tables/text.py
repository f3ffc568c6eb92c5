"""What each result covers: characters, highlighted characters, and what earlier results had covered of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError
from partwise.model import NONE, TO_END, Bools, Floats, Ints
from partwise.parameters import exact
from partwise.resolve import Batch
from partwise.tables import COLLECTION, HIGHLIGHTS, Key, Tables


@dataclass(frozen=True)
class Spans(Key):
    """The spans that are read: all of them, or with a budget the first `budget` characters of each topic."""

    budget: int | None = None

    def build(self, batch: Batch, tables: Tables) -> SpansTable:
        batch.require_parts()
        start, end = batch.start, batch.end
        if self.budget is not None:
            size = end - start
            if (end == TO_END).any():
                batch.require_ends()
            passed = np.cumsum(size) - size
            first = batch.span_offsets[batch.offsets[:-1]]
            at_start = np.concatenate([passed, [0]])[np.minimum(first, len(passed))]
            passed -= at_start[batch.topic_of_row[batch.row_of_span]]
            end = start + np.clip(self.budget - passed, 0, size)
        return SpansTable(batch, start, end)


@dataclass(frozen=True)
class SpansTable:
    batch: Batch
    start: Ints
    end: Ints

    @cached_property
    def size(self) -> Ints:
        """Characters of each result."""
        if self.end is self.batch.end:
            return self.batch.size
        total = np.concatenate([[0], np.cumsum(self.end - self.start)])
        sizes: Ints = total[self.batch.span_offsets[1:]] - total[self.batch.span_offsets[:-1]]
        return sizes

    @cached_property
    def new(self) -> Ints:
        """Characters of each result that no earlier result of the topic has."""
        self.batch.require_ends()
        owner = self.batch.row_of_span
        return kernels.novel_lengths(owner, self.batch.document[owner], self.start, self.end, len(self.batch))


@dataclass(frozen=True)
class Highlights(Key):
    """The highlighted characters in each result, and those of them that no earlier result has."""

    budget: int | None = None
    requires = (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> HighlightsTable:
        spans: SpansTable = tables.get(Spans(self.budget))
        judged = batch.judgements
        inside = np.flatnonzero(batch.pair[batch.row_of_span] != NONE)
        owner = batch.row_of_span[inside]
        pair = batch.pair[owner]
        axis = judged.passage_offsets, judged.passage_start, judged.passage_end, judged.before
        low = kernels.highlighted_before(pair, spans.start[inside], *axis)
        high = kernels.highlighted_before(pair, spans.end[inside], *axis)
        inside_any = high > low
        owner, low, high = owner[inside_any], low[inside_any], high[inside_any]
        found = np.zeros(len(batch), np.int64)
        np.add.at(found, owner, high - low)
        topic = batch.topic_of_row[owner]
        return HighlightsTable(found, kernels.novel_lengths(owner, topic, low, high, len(batch)))


@dataclass(frozen=True)
class HighlightsTable:
    found: Ints
    new: Ints


@dataclass(frozen=True)
class Text(Key):
    """What HiXEval counts: highlighted characters gained and characters read, rank by rank.

    `alpha` is how much of what was seen before is taken off; `trel` is what recall is counted against.
    """

    alpha: float = 1.0
    trel: str = "highlights"
    budget: int | None = None

    def required(self) -> tuple[str, ...]:
        return (HIGHLIGHTS, COLLECTION) if self.trel == "elements" else (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> TextTable:
        highlights: HighlightsTable = tables.get(Highlights(self.budget))
        return TextTable(
            batch.offsets,
            batch.judgements.topic_highlighted[batch.topics],
            highlights,
            tables.get(Spans(self.budget)),
            exact(self.alpha),
        )


class TextTable:
    """Gains are integers, counted in units of 1/`unit` character so that any alpha is exact."""

    def __init__(
        self, offsets: Ints, relevant: Ints, highlights: HighlightsTable, spans: SpansTable, alpha: Fraction
    ) -> None:
        self.offsets = offsets
        self.relevant = relevant
        self.scored: Bools = relevant > 0
        self.unit = alpha.denominator
        self.spans = spans
        self.highlights = highlights
        found, new = highlights.found, highlights.new
        _countable(found, self.unit)
        self.gain: Ints = found * self.unit - (found - new) * alpha.numerator

    @cached_property
    def gained(self) -> Ints:
        """Gains summed over all rows before each row of the batch."""
        return np.concatenate([[0], np.cumsum(self.gain)])

    @cached_property
    def read(self) -> Ints:
        """Characters summed over all rows before each row of the batch."""
        _countable(self.spans.size, 1)
        return np.concatenate([[0], np.cumsum(self.spans.size)])

    def ends(self, cutoff: int | None) -> Ints:
        """For each topic, the row behind the last one that counts."""
        ends = self.offsets[1:]
        return ends if cutoff is None else np.minimum(ends, self.offsets[:-1] + cutoff)

    def gain_until(self, ends: Ints) -> Ints:
        gains: Ints = self.gained[ends] - self.gained[self.offsets[:-1]]
        return gains

    def read_until(self, ends: Ints) -> Ints:
        characters: Ints = self.read[ends] - self.read[self.offsets[:-1]]
        return characters

    def precision(self, cutoff: int | None) -> Floats:
        ends = self.ends(cutoff)
        return ratio(self.gain_until(ends), self.read_until(ends) * self.unit)

    def recall(self, cutoff: int | None) -> Floats:
        return ratio(self.gain_until(self.ends(cutoff)), self.relevant * self.unit)

    @cached_property
    def precision_by_rank(self) -> Floats:
        counts = np.diff(self.offsets)
        base = np.repeat(self.offsets[:-1], counts)
        return ratio(self.gained[1:] - self.gained[base], (self.read[1:] - self.read[base]) * self.unit)

    def interpolated(self, levels: list[Fraction]) -> Floats:
        """The best precision of every topic at every recall level or beyond (levels rising)."""
        return kernels.best_from(self.precision_by_rank, self.first_reaching(levels), self.offsets[1:])

    def first_reaching(self, levels: list[Fraction]) -> Ints:
        """For each topic and recall level, the first row at which recall reaches it, the topic's end if none.

        Decided in integers: a level is a whole number of units of gain.
        """
        number = np.array([level.numerator for level in levels], object)
        divisor = np.array([level.denominator for level in levels], object)
        total = self.relevant * self.unit
        if int(total.max(initial=0)) * max(number, default=0) < 2**62 and max(divisor, default=1) < 2**62:
            number, divisor = number.astype(np.int64), divisor.astype(np.int64)
        need: Ints = (-(-(total[:, None] * number) // divisor)).astype(np.int64)
        start, end = self.offsets[:-1, None], self.offsets[1:, None]
        row = np.searchsorted(self.gained[1:], self.gained[self.offsets[:-1], None] + need)
        first: Ints = np.clip(row, start, end)
        return first


def _countable(values: Ints, unit: int) -> None:
    if len(values) and int(values.max()) * unit * len(values) >= 2**62:
        raise PartwiseError(
            "the parts of the run are too large to be counted exactly", "give fewer or smaller parts, or another alpha"
        )


def ratio(part: Any, whole: Any) -> Floats:
    """Part by whole, 0 where both are 0."""
    whole = np.asarray(whole, np.float64)
    result: Floats = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole != 0)
    return result


@dataclass(frozen=True)
class Sharing(Key):
    """Which of the first `cutoff` results share text with another of them."""

    cutoff: int | None = None

    def build(self, batch: Batch, tables: Tables) -> SharingTable:
        spans: SpansTable = tables.get(Spans())
        ends = batch.offsets[1:] if self.cutoff is None else batch.offsets[:-1] + self.cutoff
        counted = np.arange(len(batch)) < ends[batch.topic_of_row]
        owner = batch.row_of_span
        inside = counted[owner]
        backwards = len(batch) - 1 - owner[inside]
        later = kernels.novel_lengths(
            backwards, batch.document[owner[inside]], spans.start[inside], spans.end[inside], len(batch)
        )[::-1]
        shares = counted & ((spans.new < spans.size) | (later < spans.size))
        return SharingTable(batch.offsets, counted, shares)


@dataclass(frozen=True)
class SharingTable:
    offsets: Ints
    counted: Bools
    shares: Bools

    @property
    def scored(self) -> Bools:
        return np.diff(self.offsets) > 0


@dataclass(frozen=True)
class Novelty(Key):
    """How many characters of each result are new, and how many there are."""

    def build(self, batch: Batch, tables: Tables) -> NoveltyTable:
        spans: SpansTable = tables.get(Spans())
        return NoveltyTable(batch.offsets, spans.size, spans.new)


@dataclass(frozen=True)
class NoveltyTable:
    offsets: Ints
    size: Ints
    new: Ints

    @property
    def scored(self) -> Bools:
        return np.diff(self.offsets) > 0


def sums(values: Any, offsets: Ints, cutoff: int | None) -> Any:
    """The sum of the first `cutoff` values of each topic; no topic's sum depends on another's values."""
    ends = offsets[1:] if cutoff is None else np.minimum(offsets[1:], offsets[:-1] + cutoff)
    return kernels.segment_sums(values, offsets[:-1], ends)
