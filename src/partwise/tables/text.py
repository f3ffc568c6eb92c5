"""The text of each result: characters, highlighted characters, and how many of them earlier results contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partwise import kernels
from partwise.errors import CannotScore
from partwise.later import judged_trees
from partwise.messages import measures as messages
from partwise.model import LARGEST_OFFSET, Bools, Floats, Ints, slices
from partwise.parameters import exact_ratio
from partwise.records import computed, record
from partwise.resolving import Batch, Judgements
from partwise.tables import COLLECTION, HIGHLIGHTS, Key, Tables, ends, ratio, sums
from partwise.units import in_units

if TYPE_CHECKING:
    from fractions import Fraction


@record()
class Spans(Key):
    """The spans that are read: all of them, or with a budget the first `budget` characters of each query.

    The last part is cut; with `pack` it is not read, and nothing after it.
    """

    budget: float | None = None
    pack: bool = False

    def build(self, batch: Batch, tables: Tables) -> SpansTable:
        if self.budget is not None:
            budget = in_units(self.budget, batch.judgements.assessments.unit)
            return SpansTable(batch, None, Limit(tables.get(Spans()).passed, budget, self.pack))
        batch.require_ends()
        size = batch.end - batch.start
        is_small = batch.run.bounded and len(size) * LARGEST_OFFSET < kernels.LARGEST_SUM
        if len(size) and not is_small and int(size.max()) * len(size) >= kernels.LARGEST_SUM:
            raise CannotScore(messages.TOO_MUCH_TEXT())
        return SpansTable(batch, size if batch.single else None)


class PassedTable:
    """How much text is read before each span, and before each query, whatever the budget; the sizes of all spans."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.size: Ints = batch.end - batch.start
        self.total = np.concatenate([[0], np.cumsum(self.size)])
        self.before_query: Ints = self.total[batch.span_offsets[batch.offsets[:-1]]][batch.query_of_row]

    def of(self, spans: Any, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """Of some spans, in these rows: what of their query is read before each and up to the row's end; the size."""
        before = self.before_query[rows]
        passed, ended = self.total[:-1][spans] - before, self.total[self.batch.span_offsets[rows + 1]] - before
        return passed, ended, self.size[spans]

    @computed
    def judged(self) -> JudgedSpans:
        rows = self.batch.judged_rows
        offsets, spans = slices(self.batch.span_offsets, rows)
        before = self.of(spans, np.repeat(rows, np.diff(offsets)))
        of_query = np.searchsorted(rows, self.batch.offsets)
        return JudgedSpans(rows, of_query, self.batch.pair[rows], offsets, self.batch.start[spans], before)


class JudgedSpans(NamedTuple):
    """Spans in judged documents: all that can be highlighted."""

    rows: Ints
    of_query: Ints
    """The rows of query t are ``of_query[t]:of_query[t+1]`` of these."""
    pair: Ints
    offsets: Ints
    start: Ints
    before: tuple[Ints, Ints, Ints]
    """What `PassedTable.of` says of them."""


@record(eq=False, repr=False)
class Limit:
    """A budget, in the unit of the assessments; with `pack`, results that exceed it are not read at all."""

    passed: PassedTable
    budget: int
    pack: bool

    def read(self, passed: Ints, ended: Ints, size: Ints) -> Ints:
        """How much of some spans is read."""
        if self.pack:
            return np.where(ended <= self.budget, size, 0)
        read: Ints = np.minimum(np.maximum(self.budget - passed, 0), size)
        return read

    def highlights(self, axis: Any) -> HighlightsTable:
        """What is highlighted of the text that is read."""
        judged = self.passed.judged
        end = judged.start + self.read(*judged.before)
        counted = kernels.highlighted_rows(judged.pair, judged.offsets, judged.start, end, *axis)
        return HighlightsTable(*counted, judged, len(self.passed.batch))


class SpansTable:
    """The spans of a batch as they are read: with a limit, ends are cut."""

    def __init__(self, batch: Batch, known_size: Ints | None = None, limit: Limit | None = None) -> None:
        self.batch = batch
        self.start = batch.start
        self.limit = limit
        self._known_size = known_size

    @computed
    def passed(self) -> PassedTable:
        return PassedTable(self.batch)

    @computed
    def end(self) -> Ints:
        if self.limit is None:
            return self.batch.end
        end: Ints = self.start + self.limit.read(*self.limit.passed.of(slice(None), self.batch.row_of_span))
        return end

    @computed
    def read(self) -> Ints:
        """For each query, the row after the last one that is read."""
        if self.limit is None:
            return self.offsets[1:]
        passed, bounds = self.limit.passed, self.batch.span_offsets
        if self.limit.pack:
            is_read = passed.total[bounds[1:]] - passed.before_query <= self.limit.budget
        else:
            is_read = passed.total[bounds[:-1]] - passed.before_query < self.limit.budget
        count: Ints = kernels.segment_sums(is_read, self.offsets[:-1], self.offsets[1:])
        return self.offsets[:-1] + count

    @property
    def offsets(self) -> Ints:
        return self.batch.offsets

    @property
    def scored(self) -> Bools:
        """Queries with results: overlap is not defined for an empty list."""
        return np.diff(self.offsets) > 0

    @computed
    def size(self) -> Ints:
        """Characters of each result."""
        if self._known_size is not None:
            return self._known_size
        bounds = self.batch.span_offsets
        sizes: Ints = kernels.segment_sums(self.end - self.start, bounds[:-1], bounds[1:])
        return sizes

    @computed
    def new(self) -> Ints:
        """Characters of each result that no earlier result of the query contains."""
        owner = self.batch.row_of_span
        document = self.batch.document if self.batch.single else self.batch.document[owner]
        return kernels.novel_lengths(owner, document, self.start, self.end, len(self.batch))


@record()
class Highlights(Key):
    """The highlighted characters in each result, and those of them that no earlier result contains."""

    budget: float | None = None
    pack: bool = False
    rel: int = 1
    requires = (HIGHLIGHTS,)

    @computed
    def spans(self) -> Spans:
        """The key of the spans that are read."""
        return Spans(self.budget, self.pack)

    def build(self, batch: Batch, tables: Tables) -> HighlightsTable:
        spans: SpansTable = tables.get(self.spans)
        axis = batch.judgements.axis(self.rel)
        if spans.limit is None:
            both = kernels.highlighted_rows(batch.pair, batch.span_offsets, spans.start, spans.end, *axis)
            return HighlightsTable(*both)
        return spans.limit.highlights(axis)


class HighlightsTable:
    """The number of highlighted characters of each result, and of those in no earlier result.

    Of spans that are read within a limit only the `judged` ones are counted, some of `rows` results.
    """

    def __init__(self, count: Ints, new: Ints, judged: JudgedSpans | None = None, rows: int = 0) -> None:
        self._count, self._new, self._judged, self._rows = count, new, judged, rows

    @computed
    def count(self) -> Ints:
        return self._of_all(self._count)

    @computed
    def new(self) -> Ints:
        return self._of_all(self._new)

    def _of_all(self, counts: Ints) -> Ints:
        if self._judged is None:
            return counts
        of_all = np.zeros(self._rows, np.int64)
        of_all[self._judged.rows] = counts
        return of_all

    def gains(self, offsets: Ints, cutoff: int | None, alpha: float) -> Floats:
        """The gain of the first results of each query."""
        if self._judged is not None and cutoff is None:
            return kernels.gains_at(self._judged.of_query, self._count, self._new, None, alpha)
        return kernels.gains_at(offsets, self.count, self.new, cutoff, alpha)


@record()
class Text(Key):
    """The counts of HiXEval: highlighted characters gained and characters read, rank by rank.

    `alpha` is how much of the text seen before is subtracted; `trel` is the base of recall; passages of a grade below
    `rel` are not highlighted.
    """

    alpha: float = 1.0
    trel: str = "highlights"
    budget: float | None = None
    pack: bool = False
    rel: int = 1

    def required(self) -> tuple[str, ...]:
        return (HIGHLIGHTS, COLLECTION) if self.trel == "elements" else (HIGHLIGHTS,)

    @computed
    def highlights(self) -> Highlights:
        """The key of what is highlighted."""
        return Highlights(self.budget, self.pack, self.rel)

    def build(self, batch: Batch, tables: Tables) -> TextTable:
        judged = batch.judgements
        by_elements = self.trel == "elements"
        relevant = _text_of_elements(judged) if by_elements else judged.highlighted_of_grade(self.rel)
        return TextTable(
            batch.offsets,
            relevant[batch.queries],
            tables.get(self.highlights),
            tables.get(self.highlights.spans),
            self.alpha,
            self.rel,
        )


def highlighted_in(judgements: Judgements, pair: Ints, start: Ints, end: Ints) -> Ints:
    """The number of highlighted characters of a pair between each start and end."""
    axis = judgements.axis(1)
    return kernels.highlighted_before(pair, end, *axis) - kernels.highlighted_before(pair, start, *axis)


def _text_of_elements(judgements: Judgements) -> Ints:
    """The highlighted characters of all elements of each query together: nested ones count again."""
    return judgements.remembered("text of elements", lambda: _counted_text_of_elements(judgements))


def _counted_text_of_elements(judgements: Judgements) -> Ints:
    trees = judged_trees.trees_of(judgements, np.flatnonzero(judgements.highlighted > 0))
    place = np.repeat(np.arange(len(trees.pairs)), np.diff(trees.offsets))
    row = trees.row
    graded = np.flatnonzero(np.isin(judgements.element_pair, trees.pairs))
    if len(graded):  # then these are the relevant elements of their documents
        positive = (judgements.exhaustivity[graded] > 0) & (judgements.specificity[graded] > 0)
        others = ~np.isin(trees.pairs, judgements.element_pair)[place]
        items = graded[positive]
        of_items = np.searchsorted(trees.pairs, judgements.element_pair[items])
        nodes = trees.forest.offsets[trees.tree[of_items]] + judged_trees.elements_at(
            judgements, trees, of_items, items
        )
        place, row = np.concatenate([place[others], of_items]), np.concatenate([row[others], nodes])
    pair = trees.pairs[place]
    counted = highlighted_in(judgements, pair, trees.forest.start[row], trees.forest.end[row])
    total = np.zeros(len(judgements.queries), np.int64)
    np.add.at(total, judgements.pair_query[pair], counted)
    return total


class TextTable:
    """Rank by rank: highlighted characters, those of them seen before, and characters read.

    All counts are integers; the gain is the number highlighted less `alpha` times the number seen before.
    """

    def __init__(
        self, offsets: Ints, relevant: Ints, highlights: HighlightsTable, spans: SpansTable, alpha: float, rel: int = 1
    ) -> None:
        self.offsets = offsets
        self.relevant = relevant
        self.scored: Bools = relevant > 0
        self.alpha = float(alpha)
        self.highlights = highlights
        self._spans, self._rel = spans, rel
        self._gains: dict[int | None, Floats] = {}

    @property
    def size(self) -> Ints:
        return self._spans.size

    @property
    def gaining(self) -> Bools:
        """Which results have a positive gain."""
        return self.highlights.count > (self.highlights.count - self.highlights.new) * self.alpha

    def _gain(self, cutoff: int | None) -> Floats:
        """The gain of the first results of each query."""
        if cutoff not in self._gains:
            self._gains[cutoff] = self.highlights.gains(self.offsets, cutoff, self.alpha)
        return self._gains[cutoff]

    def precision(self, cutoff: int | None) -> Floats:
        return ratio(self._gain(cutoff), sums(self.size, self.offsets, cutoff))

    def recall(self, cutoff: int | None) -> Floats:
        return ratio(self._gain(cutoff), self.relevant)

    def recall_within(self, limits: Sequence[tuple[float, bool]]) -> Floats:
        """The recall of every query, a row per limit: a budget, and whether only whole results are read."""
        judged, judgements = self._spans.passed.judged, self._spans.batch.judgements
        unit = judgements.assessments.unit
        budgets = np.array([in_units(budget, unit) for budget, _ in limits], np.int64)
        whole_rows = np.array([pack for _, pack in limits], np.bool_)
        spans = judged.of_query, judged.pair, judged.offsets, judged.start, judged.before
        gains = kernels.gains_within(*spans, judgements.axis(self._rel), budgets, whole_rows, self.alpha)
        return ratio(gains, np.broadcast_to(self.relevant, gains.shape))

    @property
    def _rows(self) -> tuple[Ints, Ints, Ints, Ints, float]:
        return self.offsets, self.highlights.count, self.highlights.new, self.size, self.alpha

    @computed
    def precision_by_rank(self) -> Floats:
        return kernels.precision_by_rank(*self._rows)

    def interpolated(self, numerators: Sequence[int], denominators: Sequence[int]) -> Floats:
        """The best precision of every query at every recall level or beyond (levels are ascending fractions)."""
        return kernels.best_precision(*self._rows, exact_ratio(self.alpha), self.relevant, (numerators, denominators))

    def interpolated_at(self, levels: Sequence[Fraction]) -> Floats:
        """The same, a row per level."""
        values = self.interpolated([level.numerator for level in levels], [level.denominator for level in levels])
        return np.ascontiguousarray(values.T)


@record()
class Sharing(Key):
    """Which of the first `cutoff` results share text with another of them."""

    cutoff: int | None = None

    def build(self, batch: Batch, tables: Tables) -> Bools:
        spans: SpansTable = tables.get(Spans())
        counted = np.arange(len(batch)) < ends(batch.offsets, self.cutoff)[batch.query_of_row]
        owner = batch.row_of_span
        inside = counted[owner]
        backwards = len(batch) - 1 - owner[inside]
        later = kernels.novel_lengths(
            backwards, batch.document[owner[inside]], spans.start[inside], spans.end[inside], len(batch)
        )[::-1]
        shares: Bools = counted & ((spans.new < spans.size) | (later < spans.size))
        return shares
