"""The ranked lists of a report: columns of all runs, brought into the order of the queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.explanation import HIT, PartOutcomes, PassageOutcomes
from partwise.listing import GoldPassages, JudgedDocument, Results
from partwise.messages import report
from partwise.model import Bools, Floats, Ints, slices
from partwise.placement import AMBIGUOUS, MISSING, NUMBERS, OUTCOMES
from partwise.records import record
from partwise.report.content import Texts
from partwise.report.packing import narrowed, signed
from partwise.resolving import Batch, Judgements

FIRST = 100
"""This many results of every list are shown, and after them those in documents with relevant text."""

NOT_PLACED = {AMBIGUOUS: report.CHUNK_AMBIGUOUS.note(), MISSING: report.CHUNK_MISSING.note()}
"""What is shown instead of the offsets of a chunk without a place."""
_NOT_PLACED_NUMBER = np.zeros(len(OUTCOMES), np.int64)
_NOT_PLACED_NUMBER[[NUMBERS[outcome] for outcome in NOT_PLACED]] = np.arange(1, len(NOT_PLACED) + 1)

SHARES = 10_000
"""The share of a passage that is shown is rounded down to one of so many, so that what is not found never looks so."""

Trees = dict[str, list[list[Any]]]
"""By document, its elements that are relevant or returned."""


@record()
class Sorted:
    """Rows by query, run and rank: those of query q are ``offsets[q]:offsets[q+1]``, ``counts[r, q]`` are of run r."""

    counts: Ints
    offsets: Ints
    order: Ints
    """The place of each row before it was sorted."""
    columns: Mapping[str, Any]
    """Whole numbers, in as few bytes as they need."""


class Stack:
    """Rows that are added run by run, in columns."""

    def __init__(self, queries: int, names: Sequence[str]) -> None:
        self.queries = queries
        self._counts: list[Ints] = []
        self._query: list[Ints] = []
        self._columns: dict[str, list[Any]] = {name: [] for name in names}

    def begin_run(self) -> None:
        self._counts.append(np.zeros(self.queries, np.int64))

    def add(self, query: Ints, *columns: Any) -> None:
        """Add rows of the run that was begun last."""
        self._counts[-1] += np.bincount(query, minlength=self.queries)
        self._query.append(query)
        for column, added in zip(self._columns.values(), columns, strict=True):
            column.append(narrowed(added))

    @property
    def counts(self) -> Ints:
        """The number of rows by run and query."""
        return np.array(self._counts, np.int64).reshape(-1, self.queries)

    def sorted(self) -> Sorted:
        """All rows; what was added is let go."""
        query, counts = _joined(self._query), self.counts
        order = np.argsort(query.astype(np.uint16) if self.queries < 1 << 16 else query, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
        columns = {name: _joined(self._columns.pop(name))[order] for name in list(self._columns)}
        return Sorted(counts, offsets, order, columns)


def _joined(columns: Sequence[Any]) -> Any:
    return np.concatenate(columns) if columns else np.empty(0, np.int64)


class Lists:
    """The lists of the runs of a report, which are added run by run, each a batch of queries at a time."""

    def __init__(
        self,
        judgements: Judgements,
        texts: Texts,
        judged: Sequence[Sequence[JudgedDocument]],
        gold: Sequence[GoldPassages] | None,
    ) -> None:
        self.texts, self.judged, self.gold = texts, judged, gold
        self.queries: list[str] = list(judgements.queries)
        self.results = 0
        """The number of results of all runs."""
        self.targets: dict[str, dict[int, list[tuple[str, str]]]] = {}
        """The relevant parts by kind and query: the document, and the paths or the span, of each."""
        self.kinds: list[str | None] = []
        """The kind of the relevant parts of each run."""
        self.trees: dict[int, dict[int, Trees]] = {}
        """The trees of each query, by run."""
        self.docs: list[str] = list(judgements.assessments.docs)
        """Judged documents, then those that runs add."""
        self.numbers = {doc: number for number, doc in enumerate(self.docs)}
        self._is_relevant = np.append(np.diff(judgements.passage_offsets) > 0, False)  # the last is for unjudged ones
        count = len(self.queries)
        self._rows = Stack(count, ROW_COLUMNS)
        self._totals = Stack(count, ())
        self._parts = Stack(count, PART_COLUMNS)
        self._shown = Stack(count, SHOWN_COLUMNS)
        self._spans_of_row: list[Any] = []
        self._start: list[Ints] = []
        self._length: list[Ints] = []
        self._kept: list[int] = []
        self._worth: list[Floats | None] = []
        self._path: list[Any] = []

    def begin_run(self) -> None:
        self.kinds.append(None)
        for stack in (self._rows, self._totals, self._parts, self._shown):
            stack.begin_run()

    def add(self, results: Results) -> None:
        """Add the lists of some queries of the run that was begun last."""
        batch = results.batch
        query = batch.queries[batch.query_of_row]
        rank = np.arange(len(batch)) - batch.offsets[batch.query_of_row]
        is_kept = (rank < FIRST) | self._is_relevant[batch.pair]
        kept: Any = slice(None) if is_kept.all() else np.flatnonzero(is_kept)
        self.results += len(batch)
        self._totals.add(query)
        doc = self._docs(batch)[kept]
        place = np.zeros(len(doc), np.int64)
        if results.located is not None:
            place = _NOT_PLACED_NUMBER[results.located[kept]]
        counts, start, end = self._spans(batch, kept, doc, place > 0)
        length = end - start
        self._spans_of_row.append(narrowed(counts))
        self._start.append(narrowed(start))
        self._length.append(narrowed(length))
        offsets = np.concatenate([[0], np.cumsum(counts)])
        size, new, highlighted = results.size[kept], results.new[kept], results.highlighted[kept]
        self._rows.add(
            query[kept],
            rank[kept] + 1,
            doc,
            signed(counts - 1),
            signed(size - kernels.segment_sums(length, offsets[:-1], offsets[1:])),
            size - new,
            highlighted,
            highlighted - results.gained[kept],
            batch.repeated[kept].astype(np.int64),
            place,
        )
        self._worth.append(results.worth if results.worth is None else results.worth[kept])
        self._path.append(None if results.path is None else np.array(results.path, object)[kept])
        self._kept.append(len(doc))

    def _docs(self, batch: Batch) -> Ints:
        """The number of each row's document."""
        used = np.flatnonzero(np.bincount(batch.doc))
        numbers = np.arange(int(used[-1]) + 1 if len(used) else 0)
        added = used[used >= len(batch.judgements.assessments.docs)]
        numbers[added] = [self._number(batch.doc_names[code]) for code in added.tolist()]
        return numbers[batch.doc]

    def _number(self, doc: str) -> int:
        number = self.numbers.setdefault(doc, len(self.docs))
        if number == len(self.docs):
            self.docs.append(doc)
        return number

    def _spans(self, batch: Batch, kept: Any, doc: Ints, hidden: Bools) -> tuple[Ints, Ints, Ints]:
        """The number of spans of some results, and the starts and ends of these spans as the page shows them."""
        offsets, inside = (batch.span_offsets, kept) if isinstance(kept, slice) else slices(batch.span_offsets, kept)
        counts = np.diff(offsets)
        if hidden.any():
            inside = np.arange(len(batch.start))[inside][np.repeat(~hidden, counts)]
            counts = np.where(hidden, 0, counts)
        owner = np.repeat(doc, counts)
        return counts, *self.texts.places(self.docs, owner, batch.start[inside], batch.end[inside])

    def add_parts(self, kind: str, outcomes: PartOutcomes) -> None:
        """Add what the run does for the relevant parts of some queries."""
        self.kinds[-1] = kind
        self._parts.add(
            np.repeat(outcomes.queries, np.diff(outcomes.offsets)),
            outcomes.part,
            outcomes.status,
            np.where(outcomes.status == HIT, outcomes.rank, outcomes.from_rank),
            np.where(outcomes.from_rank > 0, thousandths(outcomes.probability) + 1, 0),
        )

    def add_shown(self, queries: Ints, outcomes: PassageOutcomes, passages: Ints) -> None:
        """Add what the run shows of the gold passages of some queries; those of query q begin at ``passages[q]``."""
        offsets, inside = slices(passages, queries)
        share = np.floor(outcomes.share[inside] * SHARES).astype(np.int64)
        query = np.repeat(queries, np.diff(offsets))
        self._shown.add(query, outcomes.rank[inside], share, outcomes.from_rank[inside])

    def worth(self, order: Ints) -> Floats | None:
        """The gain of each result, NaN where it is not known; None if it is known nowhere."""
        worth: Floats | None = _known(self._worth, self._kept, np.nan, order)
        return worth

    def path(self, order: Ints) -> Any:
        """The path of each result, None where there is none; None if no run has paths."""
        return _known(self._path, self._kept, None, order)

    def sorted(self) -> tuple[Sorted, Ints, Sorted, Sorted, Sorted]:
        """By query: the results, how many there are of each run, their spans, the relevant parts, and the passages."""
        rows, totals, counts = self._rows.sorted(), self._totals.counts, _joined(self._spans_of_row)
        inside, offsets = rows.order, rows.offsets
        if (counts != 1).any():
            bounds = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
            of_order, inside = slices(bounds, rows.order)
            offsets = of_order[rows.offsets]
        columns = {"start": _joined(self._start)[inside], "length": _joined(self._length)[inside]}
        spans = Sorted(rows.counts, offsets, inside, columns)
        return rows, totals, spans, self._parts.sorted(), self._shown.sorted()


ROW_COLUMNS = (
    "rank", "doc", "spans", "size", "known", "highlighted", "known_highlighted", "repeated", "not_placed",
)  # fmt: skip
"""`spans` is how many it has beyond one, which is below 0 if it has none, `size` is what it has beyond its spans,
`known` are characters that earlier results show."""
PART_COLUMNS = ("part", "status", "rank", "chance")
SHOWN_COLUMNS = ("rank", "share", "from_rank")


def _known(columns: Sequence[Any], counts: Sequence[int], missing: Any, order: Ints) -> Any:
    """A column that some runs do not have, sorted; None if no run has it."""
    if all(column is None for column in columns):
        return None
    pairs = zip(columns, counts, strict=True)
    return _joined([np.full(count, missing) if column is None else column for column, count in pairs])[order]


def thousandths(chances: Floats) -> Ints:
    """Probabilities in thousandths, rounded as Python rounds."""
    scaled = chances * 1000
    rounded = np.rint(scaled).astype(np.int64)
    for i in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6).tolist():
        rounded[i] = round(round(float(chances[i]), 3) * 1000)
    return rounded
