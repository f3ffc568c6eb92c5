"""The judgements of one assessor per query, indexed for lookup."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError, shown
from partwise.later import gold
from partwise.messages import Text, inputs, scores
from partwise.model import ALL, NO_GRADE, NONE, Assessments, Bools, Floats, Ints, LazyNames, empty_ints
from partwise.records import record
from partwise.resolving.locating import entry_points_of, passages_of
from partwise.resolving.units import splits_character
from partwise.units import ENCODINGS

if TYPE_CHECKING:
    from partwise.collection import Collection

T = TypeVar("T")

_LOCK = threading.RLock()


class Axis(NamedTuple):
    """The highlight axis: the passages of each pair, sorted and disjoint, and where each starts on the axis."""

    offsets: Ints
    start: Ints
    end: Ints
    before: Ints


@record(eq=False, repr=False)
class Judgements:
    """The judgements of one assessor per query, indexed for lookup.

    A *pair* is a judged document of a query; pairs are sorted by query, then document. The highlighted passages of
    pair p are ``passage_offsets[p]:passage_offsets[p+1]``, merged and sorted; laid end to end they form the highlight
    axis, on which passage i starts at ``before[i]``.
    """

    assessments: Assessments
    queries: Sequence[str]
    docs: Mapping[str, int]
    pair_query: Ints
    pair_doc: Ints
    pair_offsets: Ints
    bep: Ints
    grade: Ints
    element_relevant: Bools
    """Whether each pair has a relevant element, or a passage whose characters are unknown."""
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
    """Navigation models by the names that users give them."""
    chosen: Ints = field(default_factory=empty_ints)
    """The assessor of each query of the assessments."""
    memory: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """A cache of what tables compute from the assessments alone, shared by all runs."""

    def remembered(self, key: Any, compute: Callable[[], T]) -> T:
        """The cached result of `compute`, which depends on the assessments alone; computed once, also with threads."""
        if key not in self.memory:
            with _LOCK:
                if key not in self.memory:
                    self.memory[key] = compute()
        value: T = self.memory[key]
        return value

    def locked(self, compute: Callable[[], T]) -> T:
        """The result of `compute`, which changes what is cached, while no other thread does."""
        with _LOCK:
            return compute()

    @property
    def has_grades(self) -> bool:
        """Whether elements are graded; their grades then take precedence over highlighted passages."""
        return len(self.element_pair) > 0

    @property
    def scale(self) -> str | None:
        """The declared scale of the grades (None if not declared), or that of highlighted passages."""
        return self.assessments.scale if self.has_grades else "highlights"

    @cached_property
    def query_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.queries)}

    @cached_property
    def query_names(self) -> list[str]:
        return list(self.queries)

    @cached_property
    def query_tokens(self) -> kernels.Tokens:
        """The names of the queries, for lookups by the tokens of a file."""
        return kernels.Tokens.of([*map(str.encode, self.queries)])

    def numbers_of(self, names: Sequence[str]) -> Ints:
        """The number of the query of each name, NONE if it is not judged."""
        kept = self.memory.get("queries of names")
        if kept is not None and kept[0] is names:  # a run is looked up to score it, and again to count its queries
            numbers: Ints = kept[1]
            return numbers
        numbers = self._look_up(names)
        if not isinstance(names, LazyNames) or names.shared:
            self.memory["queries of names"] = names, numbers
        return numbers

    def _look_up(self, names: Sequence[str]) -> Ints:
        if isinstance(names, LazyNames):
            return names.tokens.codes_in(self.query_tokens)
        in_list = names if isinstance(names, list) else list(names)
        return kernels.numbers_of_names(in_list, self.query_names, self.query_numbers)

    def docs_of(self, names: Sequence[str]) -> Ints:
        """The number of the document of each name, NONE if it is not judged for any query."""
        if isinstance(names, LazyNames):
            return names.tokens.codes_in(self.doc_tokens)
        return np.fromiter(map(self.docs.get, names, repeat(NONE)), np.int64, len(names))

    @cached_property
    def highlighted(self) -> Ints:
        """The number of highlighted characters of each pair."""
        return self.before[self.passage_offsets[1:]] - self.before[self.passage_offsets[:-1]]

    @cached_property
    def query_highlighted(self) -> Ints:
        """The number of highlighted characters of each query."""
        return self._per_query(self.highlighted)

    @cached_property
    def query_relevant(self) -> Ints:
        """The number of documents of each query that have highlighted text."""
        return self._per_query((self.highlighted > 0).astype(np.int64))

    def documents_of_grade(self, level: int) -> Ints:
        """The number of documents of each query whose relevance is at least `level`."""
        return self._per_query((self.relevance >= level).astype(np.int64))

    def _per_query(self, of_pair: Ints) -> Ints:
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
        """The length of each judged document, NONE where unknown."""
        return self.lengths_of(list(self.docs), NONE)

    @cached_property
    def pair_length(self) -> Ints:
        """The length of each pair's document, NONE where unknown."""
        return self.doc_length[self.pair_doc] if len(self.docs) else empty_ints()

    @cached_property
    def knows_unjudged(self) -> bool:
        """Whether lengths of documents that are not judged may be known."""
        return self.collection is not None or any(doc not in self.docs for doc in self.lengths)

    def lengths_of(self, docs: Sequence[str], unknown: int) -> Ints:
        """The lengths of documents, as given or from the collection; `unknown` where neither has one."""
        length = np.fromiter(map(self.lengths.get, docs, repeat(NONE)), np.int64, len(docs))
        other = np.flatnonzero(length == NONE)
        if self.collection is not None and len(other):
            other = other[self.collection.has([docs[at] for at in other.tolist()])]
            length[other] = self.collection.lengths([docs[at] for at in other.tolist()])
        return np.where(length == NONE, unknown, length)

    @cached_property
    def doc_tokens(self) -> kernels.Tokens:
        """The names of the judged documents, for lookups by the tokens of a file."""
        return kernels.Tokens.of([*map(str.encode, self.docs)])

    @cached_property
    def judged_index(self) -> kernels.JudgedIndex:
        """The judged documents of every query, for lookups by the tokens of a file."""
        return kernels.JudgedIndex(self.doc_tokens, self.pair_offsets, self.pair_doc)

    @property
    def has_highlights(self) -> bool:
        return len(self.passage_start) > 0

    def pair_of(self, query: Ints, doc: Ints) -> Ints:
        """The pair of each query and document, NONE where the document is not judged for the query."""
        return kernels.pairs_of(query, doc, self.pair_offsets, self.pair_doc, len(self.docs))

    @cached_property
    def verified_length(self) -> Ints:
        """The length that offsets in each pair's document are compared with, NONE where unknown.

        Of the documents in a collection, only those with highlighted text are opened.
        """
        opened = self._opened[0]
        known = {**opened, **self.lengths} if opened else self.lengths
        by_doc = np.fromiter(map(known.get, self.docs, repeat(NONE)), np.int64, len(self.docs))
        return by_doc[self.pair_doc] if len(by_doc) else empty_ints()

    @property
    def unreadable(self) -> list[PartwiseError]:
        """The errors of the documents in the collection that have highlighted text but cannot be read."""
        return self._opened[1]

    @cached_property
    def _opened(self) -> tuple[dict[str, int], list[PartwiseError]]:
        if self.collection is None:
            return {}, []
        docs = [self.assessments.docs[number] for number in np.unique(self.pair_doc[self.highlighted > 0]).tolist()]
        try:
            return dict(zip(docs, self.lengths_of(docs, NONE).tolist(), strict=True)), []
        except PartwiseError:  # which of them cannot be read?
            lengths: dict[str, int] = {}
            unreadable: list[PartwiseError] = []
            for doc in docs:
                try:
                    lengths[doc] = int(self.lengths_of([doc], NONE)[0])
                except PartwiseError as error:
                    unreadable.append(error)
            return lengths, unreadable

    @property
    def past_end(self) -> int:
        """The number of highlighted passages that reach past the end of their document, where its length is known."""
        length = np.repeat(self.verified_length, np.diff(self.passage_offsets))
        return int(((self.passage_end > length) & (length != NONE)).sum())

    @property
    def splitting(self) -> int:
        """The number of highlighted passages that start or end inside a character; known with a collection only."""
        if self.collection is None or self.collection.unit not in ENCODINGS:
            return 0
        pair = self.pair_of_passage
        docs = [self.assessments.docs[doc] for doc in self.pair_doc[pair].tolist()]
        return int(splits_character(self.collection, docs, self.passage_start, self.passage_end).sum())

    def notes_on_relevance(self, assessor: Any) -> Iterator[str]:
        """Notes if nothing is relevant, or if the requested assessor did not judge some queries."""
        if len(self.pair_doc) and not (self.relevance > 0).any():
            yield scores.NOTHING_RELEVANT.note()
        if isinstance(assessor, str):
            code = list(self.assessments.assessors).index(assessor)
            query, of_row = _by_line(self.assessments)
            others = len(self.queries) - len(np.unique(query[of_row == code]))
            if others:
                yield scores.OTHER_ASSESSORS.note(count=others, total=len(self.queries), assessor=assessor)

    def is_used(self, table: Any) -> Bools:
        """Whether each row of a table of the assessments is of the assessor of its query."""
        used: Bools = table.assessor == self.chosen[table.query]
        return used

    def pairs_of_rows(self, table: Any, rows: Ints) -> Ints:
        """The pair of each of these rows of a table of the assessments."""
        numbers = self.query_numbers
        number = np.array([numbers.get(name, NONE) for name in self.assessments.queries], np.int64)
        return self.pair_of(number[table.query[rows]], table.doc[rows])

    @cached_property
    def has_relevant(self) -> Bools:
        """Whether anything is relevant to each query."""
        return self._per_query((self.relevance > 0).astype(np.int64)) > 0

    @cached_property
    def pair_of_passage(self) -> Ints:
        """The pair of each passage."""
        return np.repeat(np.arange(len(self.pair_doc)), np.diff(self.passage_offsets))

    def axis(self, rel: int) -> Axis:
        """The highlight axis of the passages of at least this grade."""
        if rel == 1:
            return self._axis
        return self.remembered(("axis", rel), lambda: self._axis_of_grade(rel))

    @cached_property
    def _axis(self) -> Axis:
        return Axis(self.passage_offsets, self.passage_start, self.passage_end, self.before)

    def _axis_of_grade(self, rel: int) -> Axis:
        pair, start, end = kernels.merge_spans(*gold.highlighted_spans(self, rel))
        offsets = np.searchsorted(pair, np.arange(len(self.pair_doc) + 1))
        return Axis(offsets, start, end, np.concatenate([[0], np.cumsum(end - start)]))

    def highlighted_of_grade(self, rel: int) -> Ints:
        """The number of highlighted characters of each query in passages of at least this grade."""
        if rel == 1:
            return self.query_highlighted
        axis = self.axis(rel)
        return self._per_query(axis.before[axis.offsets[1:]] - axis.before[axis.offsets[:-1]])

    def error(self, message: Text, pair: int) -> PartwiseError:
        return self.assessments.source.error(message, int(self.lines[pair]))

    def pair_name(self, pair: int) -> tuple[str, str]:
        """The query and document of a pair."""
        return self.queries[int(self.pair_query[pair])], self.assessments.docs[int(self.pair_doc[pair])]

    def relevant_documents(self) -> dict[str, list[str]]:
        """The relevant documents of each judged query."""
        docs: dict[str, list[str]] = {query: [] for query in self.queries}
        for pair in np.flatnonzero(self.relevance > 0).tolist():
            query, doc = self.pair_name(pair)
            docs[query].append(doc)
        return docs


def refuse_query_all(assessments: Assessments) -> None:
    """Fail if a query has the name under which means are reported."""
    if ALL in assessments.queries:
        raise assessments.source.error(inputs.QUERY_CALLED_ALL(query_id=repr(ALL)))


def judge(
    assessments: Assessments,
    assessor: str | Mapping[str, str] | None,
    lengths: Mapping[str, int],
    collection: Collection | None = None,
    navigation: Mapping[str, Any] | None = None,
) -> Judgements:
    """The judgements of one assessor per query: `assessor` where they judged the query, else the first in the file.

    A mapping gives an assessor for each query. The elements of the collection are converted to the unit of the
    assessments, in which everything is counted.
    """
    collection = None if collection is None else collection.in_unit(assessments.unit)
    documents = assessments.documents
    chosen = _chosen_assessors(assessments, assessor)
    judged, _ = _by_line(assessments)
    judged = judged[np.sort(np.unique(judged, return_index=True)[1])]
    number_of = np.full(len(assessments.queries), NONE)
    number_of[judged] = np.arange(len(judged))

    rows = np.flatnonzero(documents.assessor == chosen[documents.query])
    count = len(assessments.docs)
    key = number_of[documents.query[rows]] * count + documents.doc[rows]
    rows = rows[np.argsort(key, kind="stable")]
    key = np.sort(key)
    query = number_of[documents.query[rows]]

    spans, elements = assessments.spans, assessments.elements
    used_spans = np.flatnonzero((spans.assessor == chosen[spans.query]) & spans.highlighted)
    pair = np.searchsorted(key, number_of[spans.query[used_spans]] * count + spans.doc[used_spans])
    start, end, bep = spans.start[used_spans], spans.end[used_spans], documents.bep[rows]
    passages = assessments.passages
    used_passages = np.flatnonzero((passages.assessor == chosen[passages.query]) & passages.highlighted)
    passage_pair = np.searchsorted(key, number_of[passages.query[used_passages]] * count + passages.doc[used_passages])
    if collection is not None:
        first, last = passages_of(assessments, used_passages, collection)
        pair, start, end = (np.concatenate(both) for both in ((pair, passage_pair), (start, first), (end, last)))
        bep = entry_points_of(assessments, rows, bep, collection)
    pair, start, end = kernels.merge_spans(pair, start, end)
    used_elements = _once(np.flatnonzero(elements.assessor == chosen[elements.query]), elements, elements.path)
    element_pair = np.searchsorted(key, number_of[elements.query[used_elements]] * count + elements.doc[used_elements])
    element_relevant = np.zeros(len(rows), np.bool_)
    element_relevant[element_pair[elements.exhaustivity[used_elements] > 0]] = True
    if collection is None:
        element_relevant[passage_pair[passages.may_hold_text[used_passages]]] = True
    trees = assessments.trees
    used_trees = np.flatnonzero(trees.assessor == chosen[trees.query])
    used_trees = _once(used_trees, trees, [" ".join(sorted(set(paths))) for paths in trees.paths])
    tree_pair = np.searchsorted(key, number_of[trees.query[used_trees]] * count + trees.doc[used_trees])
    element_relevant[tree_pair[~(trees.exhaustivity[used_trees] <= 0)]] = True

    names = assessments.docs
    is_known = documents.length != NONE
    with_length = map(names.__getitem__, documents.doc[is_known].tolist())
    judged_lengths = dict(zip(with_length, documents.length[is_known].tolist(), strict=True))
    for doc, length in lengths.items():
        if judged_lengths.get(doc, length) != length:
            raise PartwiseError(inputs.LENGTHS_DIFFER(doc_id=doc, length=length, judged=judged_lengths[doc]))
    return Judgements(
        assessments=assessments,
        queries=[assessments.queries[code] for code in judged],
        docs=dict(zip(names, range(len(names)), strict=True)),
        pair_query=query,
        pair_doc=documents.doc[rows],
        pair_offsets=np.searchsorted(query, np.arange(len(judged) + 1)),
        bep=bep,
        grade=documents.grade[rows],
        element_relevant=element_relevant,
        lines=documents.lines[rows],
        passage_offsets=np.searchsorted(pair, np.arange(len(rows) + 1)),
        passage_start=start,
        passage_end=end,
        before=np.concatenate([[0], np.cumsum(end - start)]),
        lengths={**judged_lengths, **lengths},
        element_pair=element_pair,
        element_path=[elements.path[i] for i in used_elements.tolist()],
        element_lines=elements.lines[used_elements],
        exhaustivity=elements.exhaustivity[used_elements],
        specificity=elements.specificity[used_elements],
        tree_pair=tree_pair,
        tree_paths=[trees.paths[i] for i in used_trees.tolist()],
        tree_lines=trees.lines[used_trees],
        tree_exhaustivity=trees.exhaustivity[used_trees],
        tree_specificity=trees.specificity[used_trees],
        collection=collection,
        navigation=navigation or {},
        chosen=chosen,
    )


def _once(rows: Ints, table: Any, parts: Sequence[str]) -> Ints:
    """These rows without those that repeat a part for another nugget or set."""
    if not ((table.nugget[rows] != NONE) | (table.set[rows] != NONE)).any():
        return rows
    first: dict[tuple[int, int, str], int] = {}
    for row in rows.tolist():
        first.setdefault((int(table.query[row]), int(table.doc[row]), parts[row]), row)
    return np.array(list(first.values()), np.int64)


def _chosen_assessors(assessments: Assessments, assessor: str | Mapping[str, str] | None) -> Ints:
    """The assessor of each query: the requested one where they judged it, else the first in the file."""
    query, of_row = _by_line(assessments)
    queries, first = np.unique(query, return_index=True)
    chosen = np.full(len(assessments.queries), NONE)
    chosen[queries] = of_row[first]
    if isinstance(assessor, Mapping):
        code = {name: i for i, name in enumerate(assessments.assessors)}
        for number, name in enumerate(assessments.queries):
            if name in assessor:
                chosen[number] = code[assessor[name]]
    elif assessor is not None:
        names = list(assessments.assessors)
        if not isinstance(assessor, str) or assessor not in names:
            named = ", ".join(name for name in names if name)
            message = inputs.NO_ASSESSOR if named else inputs.NO_NAMED_ASSESSOR
            raise assessments.source.error(message(assessor=shown(assessor), assessors=named))
        chosen[query[of_row == names.index(assessor)]] = names.index(assessor)
    return chosen


def _by_line(assessments: Assessments) -> tuple[Ints, Ints]:
    """The query and the assessor of every judged document, and of every query without any, in the order of lines."""
    documents, empty = assessments.documents, assessments.empty
    order = np.argsort(np.concatenate([documents.lines, empty.lines]), kind="stable")
    query = np.concatenate([documents.query, empty.query])[order]
    return query, np.concatenate([documents.assessor, empty.assessor])[order]


def of_one_assessor(assessments: Assessments, assessor: str) -> Assessments:
    """The assessments of one assessor per query: `assessor` where they judged it, else the first in the file."""
    chosen = _chosen_assessors(assessments, assessor)

    def kept(table: Any) -> Any:
        rows = np.flatnonzero(table.assessor == chosen[table.query])
        values = {}
        for column in fields(table):
            cells = getattr(table, column.name)
            is_array = isinstance(cells, np.ndarray)
            values[column.name] = cells if cells is None else cells[rows] if is_array else [cells[i] for i in rows]
        return type(table)(**values)

    return replace(
        assessments,
        documents=kept(assessments.documents),
        spans=kept(assessments.spans),
        elements=kept(assessments.elements),
        passages=kept(assessments.passages),
        trees=kept(assessments.trees),
        empty=kept(assessments.empty),
    )
