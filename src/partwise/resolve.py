"""From raw columns to what tables work on: one assessor's judgements, and batches of a run in rank order."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from partwise import kernels
from partwise.collection import Collection, Document, PathError
from partwise.errors import PartwiseError, shown
from partwise.model import (
    ALL,
    NO_GRADE,
    NONE,
    TO_END,
    Assessments,
    Bools,
    Coded,
    Floats,
    Ints,
    LazyNames,
    PassageJudgements,
    Run,
    Source,
    SpanJudgements,
    Tokenised,
    constant,
    counting,
    empty_ints,
    slices,
)

ROWS_PER_BATCH = 1 << 20

T = TypeVar("T")

_REMEMBERING = threading.RLock()

NOT_A_NODE = -1
"""A part that is given as characters; it may still cover exactly what an element covers."""

SEVERAL = -2
"""A part of several elements: a tree."""


# ---- judgements ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Judgements:
    """One assessor's judgements per topic, ready to be looked up.

    A *pair* is a judged document of a topic; pairs are sorted by topic, then document. The highlighted passages of
    pair p are ``passage_offsets[p]:passage_offsets[p+1]``, merged and sorted; laid end to end they form the highlight
    axis, on which passage i starts at ``before[i]``.
    """

    assessments: Assessments
    topics: Sequence[str]
    docs: Mapping[str, int]
    pair_topic: Ints
    pair_doc: Ints
    pair_offsets: Ints
    bep: Ints
    grade: Ints
    element_relevant: Bools
    """Whether each pair has a relevant element, or a passage that could not be looked up."""
    lines: Ints
    passage_offsets: Ints
    passage_start: Ints
    passage_end: Ints
    before: Ints
    lengths: Mapping[str, int]
    element_pair: Ints
    element_path: Sequence[str]
    element_lines: Ints
    exhaustivity: Floats
    specificity: Floats
    tree_pair: Ints
    tree_paths: Sequence[tuple[str, ...]]
    tree_lines: Ints
    tree_exhaustivity: Floats
    tree_specificity: Floats
    collection: Collection | None = None
    navigation: Mapping[str, Any] = field(default_factory=dict)
    """Navigation models by the names that users gave them."""
    memory: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What tables compute of the assessments alone, so that several runs share it."""

    def remembered(self, key: Any, compute: Callable[[], T]) -> T:
        """Something of the assessments alone: computed once, also where several threads ask for it at a time."""
        if key not in self.memory:
            with _REMEMBERING:
                if key not in self.memory:
                    self.memory[key] = compute()
        found: T = self.memory[key]
        return found

    @property
    def has_grades(self) -> bool:
        """Whether elements are graded; their grades then win over highlighted passages."""
        return len(self.element_pair) > 0

    @property
    def scale(self) -> str | None:
        """The scale of the grades: as declared, or what highlighted passages give; None where it is not declared."""
        return self.assessments.scale if self.has_grades else "highlights"

    @cached_property
    def topic_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.topics)}

    @cached_property
    def highlighted(self) -> Ints:
        """The number of highlighted characters of each pair."""
        return self.before[self.passage_offsets[1:]] - self.before[self.passage_offsets[:-1]]

    @cached_property
    def topic_highlighted(self) -> Ints:
        """The number of highlighted characters of each topic."""
        return self._per_topic(self.highlighted)

    @cached_property
    def topic_relevant(self) -> Ints:
        """The number of documents of each topic that have highlighted text."""
        return self._per_topic((self.highlighted > 0).astype(np.int64))

    def documents_of_grade(self, level: int) -> Ints:
        """The number of documents of each topic whose relevance is at least this."""
        return self._per_topic((self.relevance >= level).astype(np.int64))

    def _per_topic(self, of_pair: Ints) -> Ints:
        total: Ints = kernels.segment_sums(of_pair, self.pair_offsets[:-1], self.pair_offsets[1:])
        return total

    @cached_property
    def relevance(self) -> Ints:
        """The grade of each pair; without one, 1 if it has highlighted text or a relevant element."""
        return np.where(self.grade != NO_GRADE, self.grade, (self.highlighted > 0) | self.element_relevant).astype(
            np.int64
        )

    @cached_property
    def doc_length(self) -> Ints:
        """The length of each judged document, NONE where it is not known."""
        return np.array([self.length_of(doc, NONE) for doc in self.docs], np.int64)

    @cached_property
    def pair_length(self) -> Ints:
        """The length of each pair's document, NONE where it is not known."""
        return self.doc_length[self.pair_doc] if len(self.docs) else empty_ints()

    @cached_property
    def knows_unjudged(self) -> bool:
        """Whether the length of a document may be known that nobody judged."""
        return self.collection is not None or any(doc not in self.docs for doc in self.lengths)

    def length_of(self, doc: str, unknown: int) -> int:
        """The length of a document: as given, or as the collection has it."""
        if doc in self.lengths:
            return self.lengths[doc]
        if self.collection is not None and doc in self.collection:
            return self.collection[doc].length
        return unknown

    @cached_property
    def doc_tokens(self) -> kernels.Tokens:
        """The names of the judged documents, to be found among those of a file."""
        return kernels.Tokens.of([name.encode() for name in self.docs])

    @cached_property
    def judged_index(self) -> kernels.JudgedIndex:
        """The judged documents of every topic, to be found by the tokens of a file."""
        return kernels.JudgedIndex(self.doc_tokens, self.pair_offsets, self.pair_doc)

    @property
    def has_highlights(self) -> bool:
        return len(self.passage_start) > 0

    def pair_of(self, topic: Ints, doc: Ints) -> Ints:
        """The pair of each topic and document, NONE where the document is not judged for the topic."""
        return kernels.pairs_of(topic, doc, self.pair_offsets, self.pair_doc, len(self.docs))

    @cached_property
    def given_length(self) -> Ints:
        """The length of each pair's document where it is given as a number: no document is opened for it."""
        by_doc = np.array([self.lengths.get(doc, NONE) for doc in self.docs], np.int64)
        return by_doc[self.pair_doc] if len(by_doc) else empty_ints()

    @property
    def past_end(self) -> int:
        """How many highlighted passages reach past the given end of their document."""
        length = np.repeat(self.given_length, np.diff(self.passage_offsets))
        return int(((self.passage_end > length) & (length != NONE)).sum())

    def error(self, problem: str, remedy: str, pair: int) -> PartwiseError:
        return self.assessments.source.error(problem, remedy, int(self.lines[pair]))

    def pair_name(self, pair: int) -> tuple[str, str]:
        """The topic and document of a pair."""
        return self.topics[int(self.pair_topic[pair])], self.assessments.docs[int(self.pair_doc[pair])]


def refuse_topic_all(assessments: Assessments) -> None:
    """Fail if a topic has the name under which the mean is reported."""
    if ALL in assessments.queries:
        raise assessments.source.error(f"has a topic {ALL!r}, which is what the mean is called", "rename the topic")


def judge(
    assessments: Assessments,
    assessor: str | Mapping[str, str] | None,
    lengths: Mapping[str, int],
    collection: Collection | None = None,
    navigation: Mapping[str, Any] | None = None,
) -> Judgements:
    """The judgements of one assessor per topic: the one named where they judged it, else the first in the file.

    A mapping names an assessor for each topic.
    """
    documents = assessments.documents
    chosen = _chosen_assessors(assessments, assessor)
    queries = documents.query[np.argsort(documents.lines, kind="stable")]
    queries = queries[np.sort(np.unique(queries, return_index=True)[1])]
    topic_of = np.full(len(assessments.queries), NONE)
    topic_of[queries] = np.arange(len(queries))

    rows = np.flatnonzero(documents.assessor == chosen[documents.query])
    count = len(assessments.docs)
    key = topic_of[documents.query[rows]] * count + documents.doc[rows]
    rows = rows[np.argsort(key, kind="stable")]
    key = np.sort(key)
    topic = topic_of[documents.query[rows]]

    spans, elements = assessments.spans, assessments.elements
    used = np.flatnonzero(spans.assessor == chosen[spans.query])
    pair = np.searchsorted(key, topic_of[spans.query[used]] * count + spans.doc[used])
    start, end, bep = spans.start[used], spans.end[used], documents.bep[rows]
    if assessments.unit == "bytes" and collection is not None:
        names = [assessments.docs[doc] for doc in spans.doc[used].tolist()]
        start, end = _as_chars(collection, names, start, end)
        marked = np.flatnonzero(bep != NONE)
        names = [assessments.docs[doc] for doc in documents.doc[rows[marked]].tolist()]
        bep[marked], _ = _as_chars(collection, names, bep[marked], bep[marked])
    passages = assessments.passages
    pointed = np.flatnonzero(passages.assessor == chosen[passages.query])
    pointed_pair = np.searchsorted(key, topic_of[passages.query[pointed]] * count + passages.doc[pointed])
    if collection is not None:
        first, last = _found_passages(assessments, pointed, collection)
        pair, start, end = (np.concatenate(both) for both in ((pair, pointed_pair), (start, first), (end, last)))
        bep = _found_entry_points(assessments, rows, bep, collection)
    pair, start, end = kernels.merge_spans(pair, start, end)
    graded = np.flatnonzero(elements.assessor == chosen[elements.query])
    element_pair = np.searchsorted(key, topic_of[elements.query[graded]] * count + elements.doc[graded])
    element_relevant = np.zeros(len(rows), np.bool_)
    element_relevant[element_pair[elements.exhaustivity[graded] > 0]] = True
    if collection is None:
        element_relevant[pointed_pair[passages.may_hold_text[pointed]]] = True
    trees = assessments.trees
    grown = np.flatnonzero(trees.assessor == chosen[trees.query])
    tree_pair = np.searchsorted(key, topic_of[trees.query[grown]] * count + trees.doc[grown])
    element_relevant[tree_pair[~(trees.exhaustivity[grown] <= 0)]] = True

    known = {
        assessments.docs[doc]: length
        for doc, length in zip(documents.doc.tolist(), documents.length.tolist(), strict=True)
        if length != NONE
    }
    for doc, length in lengths.items():
        if known.get(doc, length) != length:
            raise PartwiseError(
                f"document {doc} has the length {length} in the lengths, {known[doc]} in the assessments",
                "give one value",
            )
    known.update(lengths)
    if assessments.unit == "bytes" and collection is not None:  # which knows the lengths in characters
        known = {doc: length for doc, length in known.items() if doc not in collection}
    return Judgements(
        assessments=assessments,
        topics=[assessments.queries[query] for query in queries],
        docs={name: code for code, name in enumerate(assessments.docs)},
        pair_topic=topic,
        pair_doc=documents.doc[rows],
        pair_offsets=np.searchsorted(topic, np.arange(len(queries) + 1)),
        bep=bep,
        grade=documents.grade[rows],
        element_relevant=element_relevant,
        lines=documents.lines[rows],
        passage_offsets=np.searchsorted(pair, np.arange(len(rows) + 1)),
        passage_start=start,
        passage_end=end,
        before=np.concatenate([[0], np.cumsum(end - start)]),
        lengths=known,
        element_pair=element_pair,
        element_path=[elements.path[i] for i in graded.tolist()],
        element_lines=elements.lines[graded],
        exhaustivity=elements.exhaustivity[graded],
        specificity=elements.specificity[graded],
        tree_pair=tree_pair,
        tree_paths=[trees.paths[i] for i in grown.tolist()],
        tree_lines=trees.lines[grown],
        tree_exhaustivity=trees.exhaustivity[grown],
        tree_specificity=trees.specificity[grown],
        collection=collection,
        navigation=navigation or {},
    )


def _chosen_assessors(assessments: Assessments, assessor: str | Mapping[str, str] | None) -> Ints:
    """By query: the assessor named (for all, or for each topic) where they judged it, else the first in the file."""
    documents = assessments.documents
    by_line = np.argsort(documents.lines, kind="stable")
    queries, first = np.unique(documents.query[by_line], return_index=True)
    chosen = np.full(len(assessments.queries), NONE)
    chosen[queries] = documents.assessor[by_line][first]
    if isinstance(assessor, Mapping):
        code = {name: i for i, name in enumerate(assessments.assessors)}
        for query, name in enumerate(assessments.queries):
            if name in assessor:
                chosen[query] = code[assessor[name]]
    elif assessor is not None:
        names = list(assessments.assessors)
        if assessor not in names:
            there = ", ".join(name for name in names if name) or "none by name"
            raise assessments.source.error(f"has no assessor {shown(assessor)}", f"it has {there}")
        judged = documents.query[documents.assessor == names.index(assessor)]
        chosen[judged] = names.index(assessor)
    return chosen


def _found_passages(assessments: Assessments, rows: Ints, collection: Collection) -> tuple[Ints, Ints]:
    """The characters of these passages that are given as paths."""
    passages = assessments.passages
    edges = np.empty((len(rows), 2), np.int64)
    for place, row in enumerate(rows.tolist()):
        where = assessments.docs[int(passages.doc[row])], int(passages.lines[row])
        document = _judged_document(assessments, *where, collection)
        with _told_where(assessments.source, where[1]):
            edges[place] = document.span(passages.first[row], passages.last[row])
    return edges[:, 0], edges[:, 1]


def _found_entry_points(assessments: Assessments, rows: Ints, bep: Ints, collection: Collection) -> Ints:
    """Best entry points of these documents, those that are given as paths found in them."""
    documents = assessments.documents
    if documents.bep_path is None:
        return bep
    bep = bep.copy()
    for place, row in enumerate(rows.tolist()):
        if documents.bep_path[row]:
            where = assessments.docs[int(documents.doc[row])], int(documents.lines[row])
            document = _judged_document(assessments, *where, collection)
            with _told_where(assessments.source, where[1]):
                bep[place] = document.offset(documents.bep_path[row])
    return bep


def _judged_document(assessments: Assessments, doc: str, line: int, collection: Collection) -> Document:
    if doc not in collection:
        raise assessments.source.error(
            f"document {doc} is not in the collection {collection.name}", "add it there, or give start and end", line
        )
    return collection[doc]


@contextlib.contextmanager
def _told_where(source: Source, line: int) -> Iterator[None]:
    """A path that is not in its document is an error of the line that has it."""
    try:
        yield
    except PathError as error:
        raise source.error(error.problem, error.remedy, line) from None


def located_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """The same assessments in characters: passages and entry points given as paths or bytes, and documents' lengths."""
    documents, spans, passages = assessments.documents, assessments.spans, assessments.passages
    edges = np.stack(_found_passages(assessments, np.arange(len(passages.lines)), collection), axis=1)
    bep, length = documents.bep.copy(), documents.length.copy()
    start, end = spans.start, spans.end
    names = [assessments.docs[doc] for doc in documents.doc.tolist()]
    if assessments.unit == "bytes":
        start, end = _as_chars(collection, [assessments.docs[doc] for doc in spans.doc.tolist()], start, end)
        marked = np.flatnonzero(bep != NONE)
        bep[marked], _ = _as_chars(collection, [names[row] for row in marked.tolist()], bep[marked], bep[marked])
    for row, name in enumerate(names):
        if name in collection and (length[row] == NONE or assessments.unit == "bytes"):
            length[row] = collection[name].length
    bep = _found_entry_points(assessments, np.arange(len(names)), bep, collection)
    return replace(
        assessments,
        documents=replace(documents, bep=bep, length=length, bep_path=None),
        spans=_once(replace(spans, start=start, end=end).joined(passages, edges)),
        passages=PassageJudgements.none(),
        unit="chars",
    )


def _once(spans: SpanJudgements) -> SpanJudgements:
    """The same passages, those that came out as the same characters once."""
    columns = spans.query, spans.doc, spans.assessor, spans.start, spans.end
    _, first = np.unique(np.stack(columns), axis=1, return_index=True)
    rows = np.sort(first)
    return SpanJudgements(*(column[rows] for column in (*columns, spans.lines)))


def of_one_assessor(assessments: Assessments, assessor: str) -> Assessments:
    """The same assessments with one assessor per topic: the one named where they judged it, else the first."""
    chosen = _chosen_assessors(assessments, assessor)

    def kept(table: Any) -> Any:
        rows = np.flatnonzero(table.assessor == chosen[table.query])
        values = {}
        for column in fields(table):
            given = getattr(table, column.name)
            is_array = isinstance(given, np.ndarray)
            values[column.name] = given if given is None else given[rows] if is_array else [given[i] for i in rows]
        return type(table)(**values)

    return replace(
        assessments,
        documents=kept(assessments.documents),
        spans=kept(assessments.spans),
        elements=kept(assessments.elements),
        passages=kept(assessments.passages),
        trees=kept(assessments.trees),
    )


def located_run(run: Run, collection: Collection) -> Run:
    """The same run in characters: parts given as paths or in bytes, and whole documents whose lengths are known."""
    rows = np.arange(len(run))
    offsets, start, end = _spans(run, rows, _located(run, rows, collection))
    owner = np.repeat(rows, np.diff(offsets))
    if run.unit == "bytes":
        start, end = _given_as_chars(run, rows, owner, start, end, collection)
    for i in np.flatnonzero(end == TO_END).tolist():
        name = run.doc[int(owner[i])]
        end[i] = collection[name].length if name in collection else TO_END
    return replace(run, span_offsets=offsets, start=start, end=end, paths=None, unit="chars")


def _given_as_chars(
    run: Run, rows: Ints, owner: Ints, start: Ints, end: Ints, collection: Collection
) -> tuple[Ints, Ints]:
    """Offsets in bytes as characters; spans of rows that are given as paths are characters already."""
    is_path = np.zeros(len(rows), np.bool_) if run.paths is None else np.diff(run.paths.offsets)[rows] > 0
    given = np.flatnonzero(~is_path[owner])
    start, end = start.copy(), end.copy()
    docs = [run.doc[int(row)] for row in rows[owner[given]]]
    start[given], end[given] = _as_chars(collection, docs, start[given], end[given])
    return start, end


def _as_chars(collection: Collection, docs: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Offsets in UTF-8 bytes as offsets in characters, document by document."""
    start, end = start.copy(), end.copy()
    _, code = np.unique(np.array(docs, object).astype(str), return_inverse=True) if docs else ([], empty_ints())
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1) if len(order) else ():
        name = docs[int(rows[0])]
        if name in collection:
            document = collection[name]
            whole = end[rows] == TO_END
            start[rows], chars = document.chars(start[rows]), document.chars(np.where(whole, 0, end[rows]))
            end[rows] = np.where(whole, TO_END, chars)
    return start, end


# ---- batches ------------------------------------------------------------------------------------------------


class DocNames:
    """The names of documents by code: first those of the assessments, then what the run adds to them.

    Codes are found when somebody asks: what is judged can be known without them.
    """

    def __init__(self, judgements: Judgements, run: Run) -> None:
        self.judgements = judgements
        self.judged = judgements.assessments.docs
        self.column = run.doc

    @cached_property
    def _codes(self) -> tuple[Ints, Ints]:
        """The document of each code of the run, and the codes that the assessments do not have."""
        names = self.column.names
        kept = self.judgements.memory.get("documents of names")
        if kept is not None and kept[0] is names:  # many runs of one file share their names
            found: tuple[Ints, Ints] = kept[1]
            return found
        found = self._found(names)
        if not isinstance(names, LazyNames) or names.shared:
            self.judgements.memory["documents of names"] = names, found
        return found

    def _found(self, names: Sequence[str]) -> tuple[Ints, Ints]:
        if isinstance(names, LazyNames):
            doc_of_code = names.tokens.codes_in(self.judgements.doc_tokens)
        else:
            doc_of_code = np.array([self.judgements.docs.get(name, NONE) for name in names], np.int64)
        added = np.flatnonzero(doc_of_code == NONE)
        doc_of_code[added] = len(self.judged) + np.arange(len(added))
        return doc_of_code, added

    def of_rows(self, rows: Ints) -> Ints:
        """The document of each of these rows of the run."""
        return self._codes[0][self.column.codes[rows]] if len(rows) else empty_ints()

    def pairs(self, rows: Ints, topic: Ints) -> Ints:
        """The judged pair of each of these rows, NONE where its document is not judged for its topic."""
        if isinstance(self.column, Tokenised):
            return self.column.column.pairs(rows, topic, self.judgements.judged_index)
        return self.judgements.pair_of(topic, self.of_rows(rows))

    def __getitem__(self, doc: int) -> str:
        known = len(self.judged)
        return self.judged[doc] if doc < known else self.column.names[int(self._codes[1][doc - known])]


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Some topics of one run, in rank order: rows of topic t are ``offsets[t]:offsets[t+1]``.

    A result's spans are sorted and do not overlap. `pair` is the judged pair of each row or NONE; rows with the same
    `tie` stand at the same rank; `row` is the row in the run, for error lines.
    """

    run: Run
    judgements: Judgements
    topics: Ints
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
    """The elements of each row that is given as elements, in document order."""
    doc_names: DocNames = field(repr=False)
    single: bool
    """Whether every row has exactly one span."""
    ends_known: bool = False
    """Whether it is known that no part reaches to an end that is not known."""
    known_docs: Ints | None = None

    def __len__(self) -> int:
        return len(self.pair)

    @cached_property
    def doc(self) -> Ints:
        """The document of each row."""
        return self.doc_names.of_rows(self.row) if self.known_docs is None else self.known_docs

    @cached_property
    def topic_of_row(self) -> Ints:
        """The number, within this batch, of each row's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @cached_property
    def row_of_span(self) -> Ints:
        return np.repeat(np.arange(len(self)), np.diff(self.span_offsets))

    @cached_property
    def documents(self) -> tuple[Ints, Ints]:
        """The document of each row, numbered topic by topic in the order of their first rows; and these first rows."""
        column = self.run.doc
        if isinstance(column, Tokenised) and self.known_docs is None:
            return column.column.documents(self.row, self.offsets)
        return kernels.first_of_each(self.topic_of_row * (int(self.doc.max(initial=0)) + 1) + self.doc)

    @property
    def document(self) -> Ints:
        """A code for each row's topic and document together."""
        return self.documents[0]

    @cached_property
    def tags(self) -> list[str]:
        """What kind of element each row is; for a span the deepest element around it, empty where nothing is known."""
        collection = self.judgements.collection
        found = []
        bounds = self.span_offsets.tolist()
        for row, (doc, node) in enumerate(zip(self.doc.tolist(), self.node.tolist(), strict=True)):
            name = self.doc_names[doc]
            if collection is None or name not in collection or node == SEVERAL:
                found.append("" if node != SEVERAL else "several")
                continue
            document = collection[name]
            if node == NOT_A_NODE and bounds[row] < bounds[row + 1]:
                start, end = self.start[bounds[row]], self.end[bounds[row + 1] - 1]
                around = np.flatnonzero((document.start <= start) & (end <= document.end))
                node = int(around[-1]) if len(around) else NOT_A_NODE
            found.append("" if node == NOT_A_NODE else document.tag[node])
        return found

    def without(self, rows: Bools) -> Batch:
        """The same batch with these rows worth nothing: as long as before, in documents that nobody judged."""
        nowhere = int(self.doc.max(initial=0)) + 1 + np.arange(len(self))
        return replace(
            self,
            pair=np.where(rows, NONE, self.pair),
            known_docs=np.where(rows, nowhere, self.doc),
            node=np.where(rows, NOT_A_NODE, self.node),
        )

    def require_parts(self, rows: Ints | None = None) -> None:
        """Fail unless these rows (all by default) have characters: a path has none without a collection."""
        if self.single:
            return
        counts = np.diff(self.span_offsets)
        missing = np.flatnonzero(counts == 0) if rows is None else rows[counts[rows] == 0]
        if not len(missing):
            return
        row = int(self.row[missing[0]])
        paths = self.run.paths.of_row(row) if self.run.paths is not None else []
        raise self.run.error(
            f"the part is the path {shown(paths[0][0] if paths else '')} and there is no collection to find it in",
            "give its start and end, or the collection (--collection)",
            row,
        )

    def require_ends(self, rows: Ints | None = None) -> None:
        """Fail unless these rows (all by default) have known ends: a whole document needs its length."""
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
            raise self.run.error(
                f"the length of document {self.doc_names[int(self.doc[row])]} is not known",
                "whole documents need it: give it in the assessments or as lengths (--lengths FILE)",
                int(self.row[row]),
            )

    @cached_property
    def repeated(self) -> Bools:
        """Whether each row returns a part that an earlier row of its topic returned."""
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
    def has_nodes(self) -> bool:
        """Whether some part is given as elements."""
        return self.run.paths is not None and bool((self.node != NOT_A_NODE).any())

    @cached_property
    def _tree(self) -> Ints:
        """A number for each row's set of elements."""
        sets: dict[tuple[int, ...], int] = {}
        bounds, member = self.member_offsets.tolist(), self.member.tolist()
        found = [sets.setdefault(tuple(member[a:b]), len(sets)) for a, b in pairwise(bounds)]
        return np.array(found, np.int64)


def batches(
    run: Run,
    judgements: Judgements,
    *,
    topics: str = "judged",
    order: str | None = None,
    rows_per_batch: int = ROWS_PER_BATCH,
) -> Iterator[Batch]:
    """The judged topics of a run (with ``topics='run'``, those it has results for), a batch at a time.

    ``topics='piece'`` is the same as ``run`` for a part of a run, which need not have a judged topic.
    """
    numbers = judgements.topic_numbers
    topic_of_code = np.array([numbers.get(name, NONE) for name in run.query.names], np.int64)
    topic = topic_of_code.take(run.query.codes) if len(run) else empty_ints()
    rows = counting(len(run)) if (topic_of_code != NONE).all() else np.flatnonzero(topic != NONE)
    if len(run) and not len(rows) and topics != "piece":
        raise run.source.error(
            f"has no topic in common with {judgements.assessments.source.name}",
            f"its first topic is {shown(run.query[0])}, theirs is {shown(judgements.topics[0])}",
        )
    in_file = rows
    rows, tie = _in_order(run, rows, taken(topic, rows), order)
    as_they_stand = rows is in_file and len(rows) == len(run)
    topic = topic if as_they_stand else topic[rows]

    names = DocNames(judgements, run)
    located = _located(run, rows, judgements.collection)
    node, member_offsets = located.node, located.member_offsets
    if run.single and as_they_stand:
        span_offsets, start, end = run.span_offsets, run.start, run.end
    else:
        span_offsets, start, end = _spans(run, rows, located)
    if run.unit == "bytes" and judgements.collection is not None:
        owner = np.repeat(np.arange(len(rows)), np.diff(span_offsets))
        start, end = _given_as_chars(run, rows, owner, start, end, judgements.collection)
    largest_end = 0 if run.bounded else int(end.max(initial=0))
    if largest_end == TO_END:
        end = end.copy()
        whole = np.flatnonzero(end == TO_END)
        owner = np.searchsorted(span_offsets, whole, side="right") - 1
        docs, of_whole = np.unique(names.of_rows(rows[owner]), return_inverse=True)
        end[whole] = _lengths(judgements, names, docs)[of_whole]
    single = run.single or (len(start) == len(rows) and bool((np.diff(span_offsets) == 1).all()))

    chosen = np.arange(len(judgements.topics)) if topics == "judged" else np.sort(topic_of_code)
    bounds = np.searchsorted(topic, chosen), np.searchsorted(topic, chosen, side="right")
    if topics != "judged":
        present = bounds[0] < bounds[1]
        chosen, bounds = chosen[present], (bounds[0][present], bounds[1][present])
    pair = names.pairs(rows, topic)
    first = 0
    while first < len(chosen):
        reach = np.searchsorted(bounds[1], bounds[0][first] + rows_per_batch, side="right")
        last = max(first + 1, int(reach))
        low, high = int(bounds[0][first]), int(bounds[1][last - 1])
        low_span, high_span = int(span_offsets[low]), int(span_offsets[high])
        yield Batch(
            run=run,
            judgements=judgements,
            topics=chosen[first:last],
            offsets=np.append(bounds[0][first:last], high) - low,
            pair=pair[low:high],
            tie=tie[low:high],
            row=rows[low:high],
            span_offsets=span_offsets[low : high + 1] - low_span if low_span else span_offsets[: high + 1],
            start=start[low_span:high_span],
            end=end[low_span:high_span],
            node=node[low:high],
            member_offsets=member_offsets[low : high + 1] - member_offsets[low]
            if member_offsets[low]
            else member_offsets[low : high + 1],
            member=located.member[member_offsets[low] : member_offsets[high]],
            doc_names=names,
            single=single,
            ends_known=largest_end < TO_END,
        )
        first = last


def empty_batch(judgements: Judgements, topics: Ints) -> Batch:
    """Topics for which a run has no results."""
    none, no_offsets = empty_ints(), np.zeros(1, np.int64)
    run = Run("", Coded(none, []), Coded(none, []), None, None, no_offsets, none, none)
    return Batch(
        run=run,
        judgements=judgements,
        topics=topics,
        offsets=np.zeros(len(topics) + 1, np.int64),
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
    """The lengths of documents, TO_END where they are not known; names are asked for only if that may help."""
    length = np.full(len(docs), TO_END)
    judged = docs < len(judgements.docs)
    known = judgements.doc_length[docs[judged]] if judged.any() else empty_ints()
    length[judged] = np.where(known == NONE, TO_END, known)
    if judgements.knows_unjudged:
        others = np.flatnonzero(~judged)
        length[others] = [judgements.length_of(names[code], TO_END) for code in docs[others].tolist()]
    return length


def taken(column: Ints, rows: Ints) -> Ints:
    """The column in these rows, which rise: where they are all rows, the column itself."""
    return column if len(rows) == len(column) else column[rows]


def _in_order(run: Run, rows: Ints, topic: Ints, order: str | None) -> tuple[Ints, Ints]:
    """Rows by topic and rank, and the tie group of each; `topic` is that of each of these rows."""
    if order != "rank" and run.trec_order:
        return _as_trec_eval(run, rows, topic)
    if order != "score" and run.rank is not None:
        tie = kernels.ordered_ties(topic, taken(run.rank, rows))
        if tie is not None:
            return rows, tie
    key = _rank_key(run, rows, topic, order)
    ascending = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (key[1:] >= key[:-1]))
    if not ascending.all():
        at = np.lexsort((key, topic))
        rows, topic, key = rows[at], topic[at], key[at]
    return rows, _groups(topic, key)


def _groups(*columns: Ints | Floats) -> Ints:
    """A number per stretch of equal rows."""
    fresh = np.zeros(len(columns[0]), np.bool_)
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    return np.cumsum(fresh)


def _as_trec_eval(run: Run, rows: Ints, topic: Ints) -> tuple[Ints, Ints]:
    """By score in single precision, highest first; equal scores by document id, descending."""
    if run.score is None:
        raise run.source.error("has no scores", "a TREC run needs them")
    with np.errstate(over="ignore"):
        score = -run.score[rows].astype(np.float32).astype(np.float64)
    at = np.lexsort((score, topic))
    tie = _groups(topic[at], score[at])
    tied = np.flatnonzero(np.bincount(tie)[tie] > 1)
    if len(tied):
        codes = np.unique(run.doc.codes[rows[at[tied]]], return_index=True)[0]  # without it, NumPy loads numpy.ma
        names = [run.doc.names[code].encode() for code in codes]
        place = np.zeros(len(run.doc.names), np.int64)
        place[codes[sorted(range(len(names)), key=names.__getitem__, reverse=True)]] = np.arange(len(names))
        at = np.lexsort((place[run.doc.codes[rows]], score, topic))
    return rows[at], tie


def _rank_key(run: Run, rows: Ints, topic: Ints, order: str | None) -> Floats:
    """What orders the rows within their topic, ascending: ranks, negated scores, or the order of the file."""
    count = int(topic.max(initial=-1)) + 1
    rank = np.full(len(rows), NONE) if run.rank is None else run.rank[rows]
    score = np.full(len(rows), np.nan) if run.score is None else run.score[rows]

    def topics_with(column: Bools) -> Bools:
        found = np.zeros(count, np.bool_)
        found[topic[column]] = True
        return found

    some_rank = topics_with(rank != NONE)
    lacks_rank, lacks_score = topics_with(rank == NONE), topics_with(np.isnan(score))
    some_score = topics_with(~np.isnan(score))
    by_rank = some_rank & ~lacks_rank
    by_score = ~by_rank
    if order is not None:
        by_rank, by_score = np.full(count, order == "rank"), np.full(count, order == "score")
        lacking = (rank == NONE) if order == "rank" else np.isnan(score)
        _complain(run, rows, lacking, f"has no {order}", f"--order {order} needs one in every result")
    else:
        mixed = by_score & lacks_score & (some_rank | some_score)
        remedy = "give every result of a topic a rank, or every one a score"
        _complain(run, rows, (mixed & some_score)[topic] & np.isnan(score), "has no score", remedy)
        _complain(run, rows, (mixed & ~some_score)[topic] & (rank == NONE), "has no rank", remedy)
    by_file = by_score & ~some_score
    key = np.where(by_rank[topic], rank.astype(np.float64), -score)
    return np.where(by_file[topic], np.arange(len(rows), dtype=np.float64), key)


def _complain(run: Run, rows: Ints, lacking: Bools, problem: str, remedy: str) -> None:
    if lacking.any():
        raise run.error(problem, remedy, int(rows[int(np.argmax(lacking))]))


def _spans(run: Run, rows: Ints, located: _Located) -> tuple[Ints, Ints, Ints]:
    """The spans of these rows, each row's sorted and merged; a row of empty spans keeps one."""
    offsets, inside = slices(run.span_offsets, rows)
    start, end = run.start[inside], run.end[inside]
    counts = np.diff(offsets)
    owner = np.repeat(np.arange(len(rows)), counts)
    if len(located.owner):
        owner = np.concatenate([owner, located.owner])
        start, end = np.concatenate([start, located.start]), np.concatenate([end, located.end])
        at = np.argsort(owner, kind="stable")
        owner, start, end = owner[at], start[at], end[at]
        offsets = np.searchsorted(owner, np.arange(len(rows) + 1))
        counts = np.diff(offsets)
    if not (counts > 1).any():
        return offsets, start, end
    merged_owner, merged_start, merged_end = kernels.merge_spans(owner, start, end, touching=True)
    emptied = np.ones(len(rows), np.bool_)
    emptied[merged_owner] = False
    kept = np.flatnonzero(emptied & (counts > 0))
    owner = np.concatenate([merged_owner, kept])
    start = np.concatenate([merged_start, start[offsets[kept]]])
    end = np.concatenate([merged_end, end[offsets[kept]]])
    at = np.argsort(owner, kind="stable")
    offsets = np.searchsorted(owner[at], np.arange(len(rows) + 1))
    return offsets, start[at], end[at]


@dataclass(frozen=True, eq=False, repr=False)
class _Located:
    """The element of each row, all its elements, and the spans of the rows that are given as paths."""

    node: Ints
    member_offsets: Ints
    member: Ints
    owner: Ints
    start: Ints
    end: Ints


def _located(run: Run, rows: Ints, collection: Collection | None) -> _Located:
    if run.paths is None or collection is None:
        none = empty_ints()
        return _Located(constant(NOT_A_NODE, len(rows)), constant(0, len(rows) + 1), none, none, none, none)
    node = np.full(len(rows), NOT_A_NODE)
    found: dict[tuple[str, str, str | None], tuple[int, int, int]] = {}
    counts = np.zeros(len(rows), np.int64)
    members: list[int] = []
    owner, starts, ends = [], [], []
    for place, row in enumerate(rows.tolist()):
        parts = run.paths.of_row(row)
        doc = run.doc[row] if parts else ""
        for path, last in parts:
            key = doc, path, last
            if key not in found:
                found[key] = _found(run, row, collection, *key)
            _, start, end = found[key]
            owner.append(place)
            starts.append(start)
            ends.append(end)
        if parts:
            nodes = sorted({found[doc, *part][0] for part in parts})
            node[place] = nodes[0] if len(nodes) == 1 else SEVERAL
            if nodes[0] != NOT_A_NODE:
                members += nodes
                counts[place] = len(nodes)
    return _Located(
        node,
        np.concatenate([[0], np.cumsum(counts)]),
        np.array(members, np.int64),
        np.array(owner, np.int64),
        np.array(starts, np.int64),
        np.array(ends, np.int64),
    )


def _found(run: Run, row: int, collection: Collection, doc: str, path: str, last: str | None) -> tuple[int, int, int]:
    """The element (or none, for a range or a pointer) and the span of a path."""
    if doc not in collection:
        raise run.error(
            f"document {doc} is not in the collection {collection.name}", "add it there, or give start and end", row
        )
    document = collection[doc]
    try:
        start, end = document.span(path, last)
        is_element = last is None and "text()" not in path
        return document.node(path) if is_element else NOT_A_NODE, start, end
    except PathError as error:
        raise run.error(error.problem, error.remedy, row) from None
