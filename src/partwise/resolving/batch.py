"""Batches: some queries of a run, in rank order and looked up in the judgements, the input of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import pairwise

import numpy as np

from partwise import kernels
from partwise.errors import CannotScore, shown
from partwise.messages import inputs
from partwise.model import (
    NONE,
    TO_END,
    Bools,
    Coded,
    Ints,
    LazyNames,
    Run,
    Tokenised,
    constant,
    counting,
    empty_ints,
    slices,
    taken,
)
from partwise.order import in_order
from partwise.records import computed, record
from partwise.resolving.judgements import Judgements
from partwise.resolving.locating import NOT_A_NODE, SEVERAL, located_parts, spans_of
from partwise.resolving.units import splits_character
from partwise.units import ENCODINGS

ROWS_PER_BATCH = 1 << 20


class DocNames:
    """The names of documents by code: first those of the assessments, then those that the run adds.

    Codes are computed on access, because looking up judged pairs does not need them.
    """

    def __init__(self, judgements: Judgements, run: Run) -> None:
        self.judgements = judgements
        self.judged = judgements.assessments.docs
        self.column = run.doc

    @computed
    def _codes(self) -> tuple[Ints, Ints]:
        """The document of each code of the run, and the codes that the assessments do not have."""
        names = self.column.names
        kept = self.judgements.memory.get("documents of names")
        if kept is not None and kept[0] is names:  # many runs of one file share their names
            codes: tuple[Ints, Ints] = kept[1]
            return codes
        codes = self._look_up(names)
        if not isinstance(names, LazyNames) or names.shared:
            self.judgements.memory["documents of names"] = names, codes
        return codes

    def _look_up(self, names: Sequence[str]) -> tuple[Ints, Ints]:
        doc_of_code = self.judgements.docs_of(names)
        added = (doc_of_code == NONE).nonzero()[0]
        doc_of_code[added] = len(self.judged) + counting(len(added))
        return doc_of_code, added

    @property
    def unused(self) -> int:
        """The first code that no document has."""
        return len(self.judged) + len(self._codes[1])

    def of_rows(self, rows: Ints) -> Ints:
        """The document of each of these rows of the run."""
        return self._codes[0][self.column.codes[rows]] if len(rows) else empty_ints()

    def pairs(self, rows: Ints, query: Ints) -> Ints:
        """The judged pair of each of these rows, NONE where its document is not judged for its query."""
        if isinstance(self.column, Tokenised):
            return self.column.column.pairs(rows, query, self.judgements.judged_index)
        return self.judgements.pair_of(query, self.of_rows(rows))

    def __getitem__(self, doc: int) -> str:
        count = len(self.judged)
        return self.judged[doc] if doc < count else self.column.names[int(self._codes[1][doc - count])]


@record(eq=False, repr=False)
class Batch:
    """Some queries of one run, in rank order: rows of query t are ``offsets[t]:offsets[t+1]``.

    A result's spans are sorted and do not overlap. `pair` is the judged pair of each row or NONE; rows with the same
    `tie` have the same rank; `row` is the row in the run, for error messages.
    """

    run: Run
    judgements: Judgements
    queries: Ints
    offsets: Ints
    pair: Ints
    tie: Ints
    row: Ints
    span_offsets: Ints
    start: Ints
    end: Ints
    node: Ints
    """The element that each row is: its preorder number, NOT_A_NODE, or SEVERAL for a tree."""
    member_offsets: Ints
    member: Ints
    """The elements of each row given as elements, in document order."""
    doc_names: DocNames = field(repr=False)
    single: bool
    """Whether every row has exactly one span."""
    ends_known: bool = False
    """Whether the end of every part is known."""
    known_docs: Ints | None = None

    def __len__(self) -> int:
        return len(self.pair)

    @computed
    def doc(self) -> Ints:
        """The document of each row."""
        return self.doc_names.of_rows(self.row) if self.known_docs is None else self.known_docs

    @computed
    def query_of_row(self) -> Ints:
        """The number, within this batch, of each row's query."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    @computed
    def judged_rows(self) -> Ints:
        """The rows in judged documents."""
        return np.flatnonzero(self.pair != NONE)

    @computed
    def row_of_span(self) -> Ints:
        return counting(len(self)) if self.single else np.repeat(np.arange(len(self)), np.diff(self.span_offsets))

    @computed
    def documents(self) -> tuple[Ints, Ints]:
        """The document of each row, numbered query by query in the order of their first rows; and these first rows."""
        column = self.run.doc
        if isinstance(column, Tokenised) and self.known_docs is None:
            return column.column.documents(self.row, self.offsets)
        return kernels.first_of_each(self.doc, self.offsets)

    @property
    def document(self) -> Ints:
        """A code for each row's query and document together."""
        return self.documents[0]

    @computed
    def tags(self) -> list[str]:
        """The tag of each row's element; for a span, that of the deepest element around it; empty if unknown."""
        collection = self.judgements.collection
        tags = []
        bounds = self.span_offsets.tolist()
        for row, (doc, node) in enumerate(zip(self.doc.tolist(), self.node.tolist(), strict=True)):
            name = self.doc_names[doc]
            if collection is None or name not in collection or node == SEVERAL:
                tags.append("" if node != SEVERAL else "several")
                continue
            document = collection[name]
            if node == NOT_A_NODE and bounds[row] < bounds[row + 1]:
                start, end = self.start[bounds[row]], self.end[bounds[row + 1] - 1]
                around = np.flatnonzero((document.start <= start) & (end <= document.end))
                node = int(around[-1]) if len(around) else NOT_A_NODE
            tags.append("" if node == NOT_A_NODE else document.tag[node])
        return tags

    def take(self, rows: Ints) -> Batch:
        """The batch of these rows alone, which are ascending."""
        span_offsets, inside = (counting(len(rows) + 1), rows) if self.single else slices(self.span_offsets, rows)
        member_offsets, members = constant(0, len(rows) + 1), empty_ints()
        if len(self.member):
            member_offsets, members = slices(self.member_offsets, rows)
        return replace(
            self,
            offsets=np.searchsorted(rows, self.offsets),
            pair=self.pair[rows],
            tie=self.tie[rows],
            row=self.row[rows],
            span_offsets=span_offsets,
            start=self.start[inside],
            end=self.end[inside],
            node=self.node[rows],
            member_offsets=member_offsets,
            member=self.member[members],
            known_docs=None if self.known_docs is None else self.known_docs[rows],
        )

    def of_queries(self, first: int, last: int) -> Batch:
        """The batch of the queries ``first:last`` alone."""
        low, high = int(self.offsets[first]), int(self.offsets[last])
        low_span, high_span = int(self.span_offsets[low]), int(self.span_offsets[high])
        low_member, high_member = int(self.member_offsets[low]), int(self.member_offsets[high])
        return replace(
            self,
            queries=self.queries[first:last],
            offsets=self.offsets[first : last + 1] - low,
            pair=self.pair[low:high],
            tie=self.tie[low:high],
            row=self.row[low:high],
            span_offsets=self.span_offsets[low : high + 1] - low_span,
            start=self.start[low_span:high_span],
            end=self.end[low_span:high_span],
            node=self.node[low:high],
            member_offsets=self.member_offsets[low : high + 1] - low_member,
            member=self.member[low_member:high_member],
            known_docs=None if self.known_docs is None else self.known_docs[low:high],
        )

    def without(self, rows: Bools) -> Batch:
        """The batch with these rows made irrelevant: of the same length, in documents that are not judged."""
        nowhere = int(self.doc.max(initial=0)) + 1 + np.arange(len(self))
        return replace(
            self,
            pair=np.where(rows, NONE, self.pair),
            known_docs=np.where(rows, nowhere, self.doc),
            node=np.where(rows, NOT_A_NODE, self.node),
        )

    def require_parts(self, rows: Ints | None = None) -> None:
        """Fail unless these rows (all by default) have spans: a path has none without a collection."""
        if self.single:
            return
        counts = np.diff(self.span_offsets)
        missing = np.flatnonzero(counts == 0) if rows is None else rows[counts[rows] == 0]
        if not len(missing):
            return
        row = int(self.row[missing[0]])
        paths = self.run.paths.of_row(row) if self.run.paths is not None else []
        path = shown(paths[0][0] if paths else "")
        raise CannotScore.because(self.run.error(inputs.PATH_WITHOUT_COLLECTION(path=path), row=row))

    def require_ends(self, rows: Ints | None = None) -> None:
        """Fail unless the ends of these rows (all by default) are known: a whole document needs its length."""
        self.require_parts(rows)
        if self.ends_known:
            return
        unknown = self.end == TO_END
        if not unknown.any():
            return
        owners = self.row_of_span[unknown]
        owners = owners if rows is None else owners[np.isin(owners, rows)]
        if len(owners):
            row = int(owners[0])
            doc_id = self.doc_names[int(self.doc[row])]
            error = self.run.error(inputs.LENGTH_UNKNOWN(doc_id=doc_id), row=int(self.row[row]))
            raise CannotScore.because(error)

    @computed
    def repeated(self) -> Bools:
        """Whether each row returns the part of an earlier row of its query."""
        column = self.run.doc
        if isinstance(column, Tokenised) and self.known_docs is None and not self.has_nodes:
            return column.column.repeated(self.row, self.offsets, self.span_offsets, self.start, self.end)
        group = self.document if isinstance(column, Tokenised) else self.doc
        if self.has_nodes:
            node = self.node
            if (node == SEVERAL).any():
                node = np.where(node == SEVERAL, int(node.max()) + 1 + self._tree, node)
            group = group * (int(node.max(initial=0)) + 3) + node - SEVERAL
        return kernels.repeated_parts(self.offsets, group, self.span_offsets, self.start, self.end)

    @property
    def splitting(self) -> int:
        """The number of rows in judged documents that start or end inside a character; known with a collection only."""
        collection = self.judgements.collection
        if collection is None or collection.unit not in ENCODINGS:
            return 0
        spans = np.flatnonzero(self.pair[self.row_of_span] != NONE)
        rows = self.row_of_span[spans]
        docs = [self.judgements.pair_name(pair)[1] for pair in self.pair[rows].tolist()]
        splits = splits_character(collection, docs, self.start[spans], self.end[spans])
        return len(np.unique(rows[splits]))

    @property
    def has_nodes(self) -> bool:
        """Whether some part is given as elements."""
        return self.run.paths is not None and bool((self.node != NOT_A_NODE).any())

    @computed
    def _tree(self) -> Ints:
        """A number for each row's set of elements."""
        sets: dict[tuple[int, ...], int] = {}
        bounds, member = self.member_offsets.tolist(), self.member.tolist()
        numbers = [sets.setdefault(tuple(member[a:b]), len(sets)) for a, b in pairwise(bounds)]
        return np.array(numbers, np.int64)


def batches(
    run: Run,
    judgements: Judgements,
    *,
    queries: str = "judged",
    order: str | None = None,
    rows_per_batch: int = ROWS_PER_BATCH,
) -> Iterator[Batch]:
    """The judged queries of a run (with ``queries='run'``, those with results), a batch at a time.

    ``queries='piece'`` is ``run`` for a piece of a run, which need not have a judged query.
    """
    query_of_code = judgements.numbers_of(run.query.names)
    count = len(run)
    query = query_of_code.take(run.query.codes) if count else empty_ints()
    are_judged = np.count_nonzero(query_of_code == NONE) == 0
    rows = counting(count) if are_judged else np.flatnonzero(query != NONE)
    if count and not len(rows) and queries != "piece":
        message = inputs.NO_COMMON_QUERY(
            assessments=judgements.assessments.source.name,
            first=shown(run.query[0]),
            judged=shown(judgements.queries[0]),
        )
        raise CannotScore.because(run.source.error(message))
    in_file = rows
    rows, tie = in_order(run, rows, taken(query, rows), order)
    in_file_order = rows is in_file and len(rows) == count
    query = query if in_file_order else query[rows]

    names = DocNames(judgements, run)
    parts = located_parts(run, rows, judgements.collection)
    if run.single and in_file_order:
        span_offsets, start, end = run.span_offsets, run.start, run.end
    else:
        span_offsets, start, end = spans_of(run, rows, parts)
    largest_end = 0 if run.bounded else int(end.max(initial=0))
    if largest_end == TO_END:
        end = end.copy()
        whole = np.flatnonzero(end == TO_END)
        owner = np.searchsorted(span_offsets, whole, side="right") - 1
        docs, of_whole = np.unique(names.of_rows(rows[owner]), return_inverse=True)
        end[whole] = _lengths(judgements, names, docs)[of_whole]
    single = run.single or (len(start) == len(rows) and bool((np.diff(span_offsets) == 1).all()))

    if queries == "judged":
        chosen = counting(len(judgements.queries))
        offsets = kernels.query_offsets(query, len(chosen))
    else:
        chosen, offsets = kernels.rows_by_query(query)
    pair = names.pairs(rows, query)
    batch = Batch(
        run=run,
        judgements=judgements,
        queries=chosen,
        offsets=offsets,
        pair=pair,
        tie=tie,
        row=rows,
        span_offsets=span_offsets,
        start=start,
        end=end,
        node=parts.node,
        member_offsets=parts.member_offsets,
        member=parts.member,
        doc_names=names,
        single=single,
        ends_known=largest_end < TO_END,
    )
    if len(rows) <= rows_per_batch:
        if len(chosen):
            yield batch
        return
    first = 0
    while first < len(chosen):
        reach = offsets[1:].searchsorted(offsets[first] + rows_per_batch, side="right")
        last = max(first + 1, int(reach))
        yield batch.of_queries(first, last)
        first = last


def empty_batch(judgements: Judgements, queries: Ints) -> Batch:
    """Queries for which a run has no results."""
    none, no_offsets = empty_ints(), np.zeros(1, np.int64)
    run = Run("", Coded(none, []), Coded(none, []), None, None, no_offsets, none, none)
    return Batch(
        run=run,
        judgements=judgements,
        queries=queries,
        offsets=np.zeros(len(queries) + 1, np.int64),
        pair=none,
        tie=none,
        row=none,
        span_offsets=no_offsets,
        start=none,
        end=none,
        node=none,
        member_offsets=no_offsets,
        member=none,
        doc_names=DocNames(judgements, run),
        single=True,
    )


def _lengths(judgements: Judgements, names: DocNames, docs: Ints) -> Ints:
    """The lengths of documents, TO_END where unknown; names are looked up only if that may help."""
    length = np.full(len(docs), TO_END)
    judged = docs < len(judgements.docs)
    judged_length = judgements.doc_length[docs[judged]] if judged.any() else empty_ints()
    length[judged] = np.where(judged_length == NONE, TO_END, judged_length)
    if judgements.knows_unjudged:
        others = np.flatnonzero(~judged)
        length[others] = judgements.lengths_of([names[code] for code in docs[others].tolist()], TO_END)
    return length
