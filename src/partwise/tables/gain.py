"""The gain of each result as an element of a tree, from its grade and the ideal recall base."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from partwise import kernels
from partwise.collection import Document
from partwise.errors import CannotScore, PathError
from partwise.messages import measures as messages
from partwise.model import NONE, Bools, Floats, Ints, empty_ints, slices
from partwise.relevance.ideal import ideal_nodes
from partwise.relevance.quantise import HIGHLIGHTS as HIGHLIGHTED
from partwise.relevance.quantise import fits_scale, quantised, unit_grades
from partwise.resolving import NOT_A_NODE, SEVERAL, Batch, Judgements
from partwise.tables import COLLECTION, GRADES, Key, Tables, ratio
from partwise.tables.text import Spans, SpansTable, highlighted_in

T = TypeVar("T")

SMALLEST_GAIN = 1e-9
NODES_AT_ONCE = 1 << 20
"""Documents are processed together up to this number of nodes."""


@dataclass(frozen=True, eq=False, repr=False)
class GradedDocument:
    """A judged document of a query: the grades of its nodes on the unit scale, and their values."""

    document: Document
    exhaustivity: Floats
    specificity: Floats
    value: Floats
    relevant: Bools
    ideal: Ints


def graded_document(judgements: Judgements, pair: int, quant: str) -> GradedDocument:
    """The grades of a pair's document, cached for other runs."""
    return judgements.remembered(("graded", quant, pair), lambda: _graded(judgements, pair, quant))


def _graded(judgements: Judgements, pair: int, quant: str) -> GradedDocument:
    name = judgements.pair_name(pair)[1]
    collection = judgements.collection
    if collection is None or name not in collection:
        raise judgements.error(messages.NOT_IN_COLLECTION(doc=name), pair=pair)
    document = collection[name]
    count = len(document.parent)
    e, s = np.zeros(count), np.zeros(count)
    items = elements_of(judgements, pair)
    scale = (judgements.scale or "") if len(items) else HIGHLIGHTED
    if len(items):
        for item in items.tolist():
            try:
                node = document.node(judgements.element_path[item])
            except PathError as error:
                line = int(judgements.element_lines[item])
                raise judgements.assessments.source.error(error.text, line=line) from None
            e[node], s[node] = judgements.exhaustivity[item], judgements.specificity[item]
    else:
        highlighted = highlighted_in(judgements, pair, document)
        size = document.end - document.start
        s = np.divide(highlighted, size, out=s, where=size > 0)
        e = (highlighted > 0).astype(np.float64)
    value = quantised(quant, scale, e, s)
    relevant = (e > 0) & (s > 0)
    ideal = ideal_nodes(document.last, value, relevant)
    return GradedDocument(document, *unit_grades(scale, e, s), value, relevant, ideal)


def elements_of(judgements: Judgements, pair: int) -> Ints:
    """The graded elements of a pair."""

    def by_pair() -> tuple[Ints, Ints]:
        order = np.argsort(judgements.element_pair, kind="stable")
        return order, np.searchsorted(judgements.element_pair[order], np.arange(len(judgements.pair_doc) + 1))

    order, bounds = judgements.remembered("elements", by_pair)
    items: Ints = order[bounds[pair] : bounds[pair + 1]]
    return items


def relevant_pairs(judgements: Judgements) -> Bools:
    """Which pairs may have a gain: those with positive grades or, in documents without grades, highlighted text."""
    relevant = judgements.highlighted > 0
    relevant[judgements.element_pair] = False
    relevant[judgements.element_pair[(judgements.exhaustivity > 0) | (judgements.specificity > 0)]] = True
    return relevant


def check_scale(judgements: Judgements) -> None:
    """Raise an error if elements are graded without a scale, or off their scale."""
    if not judgements.has_grades:
        return
    source = judgements.assessments.source
    if judgements.scale is None:
        raise source.error(messages.ELEMENTS_WITHOUT_SCALE())
    wrong = np.flatnonzero(~fits_scale(judgements.scale, judgements.exhaustivity, judgements.specificity))
    for item in wrong[:1].tolist():
        e, s = judgements.exhaustivity[item], judgements.specificity[item]
        text = messages.OFF_SCALE(exhaustivity=e, specificity=s, scale=judgements.scale)
        raise source.error(text, line=int(judgements.element_lines[item]))


# ---- results as elements ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Elements(Key):
    """Each result as an element with its grades; a span that covers exactly an element counts as that element."""

    quant: str
    requires = (COLLECTION, GRADES)

    def only_elements(self) -> bool:
        return True

    def build(self, batch: Batch, tables: Tables) -> ElementsTable:
        judged = batch.judgements
        several = np.flatnonzero(batch.node == SEVERAL)
        if len(several):
            row = int(batch.row[several[0]])
            raise CannotScore.because(batch.run.error(messages.SEVERAL_ELEMENTS(), row=row))
        relevant = relevant_pairs(judged)
        node = np.full(len(batch), NOT_A_NODE)
        value, e, s = np.zeros(len(batch)), np.zeros(len(batch)), np.zeros(len(batch))
        for documents in together(batch, relevant, self.quant):
            rows, nodes = documents.rows, documents.elements(batch)
            node[rows] = nodes
            elements = np.flatnonzero(nodes != NOT_A_NODE)
            at = documents.offsets[documents.document[elements]] + nodes[elements]
            for column, of_graded in ((value, "value"), (e, "exhaustivity"), (s, "specificity")):
                column[rows[elements]] = documents.column(of_graded)[at]
        tables.count_elements(node[(batch.pair != NONE) & relevant[batch.pair]] != NOT_A_NODE)
        return ElementsTable(batch, self.quant, relevant, node, value, e, s)


def _rows_by_pair(batch: Batch, relevant: Bools) -> list[Ints]:
    """The rows of each relevant pair with results, in rank order."""
    rows = np.flatnonzero((batch.pair != NONE) & relevant[batch.pair])
    rows = rows[np.argsort(batch.pair[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(batch.pair[rows])) + 1) if len(rows) else []


def as_elements(batch: Batch, document: Document, rows: Ints) -> Ints:
    """The element of each of these results of one document; for a single span the deepest with exactly this span."""
    return _as_elements(batch, [document], rows, np.zeros(len(rows), np.int64))


def _as_elements(batch: Batch, documents: Sequence[Document], rows: Ints, number: Ints) -> Ints:
    """The same for several documents; `number` is the index of each row's document, in increasing order."""
    node = batch.node[rows].copy()
    first = batch.span_offsets[rows]
    spans = np.flatnonzero((node == NOT_A_NODE) & (batch.span_offsets[rows + 1] - first == 1))
    if not len(spans):
        return node
    at = first[spans]
    node[spans] = kernels.nodes_at(
        _offsets(len(document) for document in documents),
        _joined([document.start for document in documents]),
        _joined([document.end for document in documents]),
        _joined([document.depth for document in documents]),
        number[spans],
        batch.start[at],
        batch.end[at],
    )
    return node


def _joined(columns: Sequence[Any]) -> Any:
    return np.concatenate(columns) if columns else empty_ints()


def _offsets(sizes: Iterable[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class GradedDocuments:
    """Graded documents that are processed together, with their nodes in one column and the rows of their results."""

    graded: Sequence[GradedDocument]
    rows: Ints
    row_offsets: Ints

    @cached_property
    def document(self) -> Ints:
        """The document of each row."""
        return np.repeat(np.arange(len(self.graded)), np.diff(self.row_offsets))

    @cached_property
    def offsets(self) -> Ints:
        return _offsets(len(g.value) for g in self.graded)

    def column(self, name: str) -> Any:
        """A column of the nodes' grades."""
        return _joined([getattr(g, name) for g in self.graded])

    def trees(self) -> kernels.Trees:
        edges = (
            _joined([getattr(g.document, name) for g in self.graded]) for name in ("parent", "last", "start", "end")
        )
        return kernels.Trees(self.offsets, *edges)

    def elements(self, batch: Batch) -> Ints:
        """The element of each row."""
        return _as_elements(batch, [g.document for g in self.graded], self.rows, self.document)


def together(batch: Batch, relevant: Bools, quant: str) -> Iterator[GradedDocuments]:
    """The relevant documents with results in a batch, in groups of up to `NODES_AT_ONCE` nodes."""
    graded: list[GradedDocument] = []
    rows: list[Ints] = []
    nodes = 0
    for inside in _rows_by_pair(batch, relevant):
        document = graded_document(batch.judgements, int(batch.pair[inside[0]]), quant)
        if graded and nodes + len(document.value) > NODES_AT_ONCE:
            yield GradedDocuments(graded, _joined(rows), _offsets(map(len, rows)))
            graded, rows, nodes = [], [], 0
        graded.append(document)
        rows.append(inside)
        nodes += len(document.value)
    if graded:
        yield GradedDocuments(graded, _joined(rows), _offsets(map(len, rows)))


@dataclass(frozen=True, eq=False, repr=False)
class ElementsTable:
    batch: Batch
    quant: str
    relevant: Bools
    node: Ints
    value: Floats
    exhaustivity: Floats
    specificity: Floats

    @property
    def offsets(self) -> Ints:
        return self.batch.offsets

    def graded(self, number: int) -> Iterator[GradedDocument]:
        """The relevant documents of a judged query."""
        judged = self.batch.judgements
        for pair in range(int(judged.pair_offsets[number]), int(judged.pair_offsets[number + 1])):
            if self.relevant[pair]:
                yield graded_document(judged, pair, self.quant)

    def of_queries(self, what: str, of_documents: Callable[[Iterator[GradedDocument]], T]) -> list[T]:
        """A value computed from each query's relevant documents, cached under this name for other runs."""
        remembered = self.batch.judgements.remembered
        return [
            remembered((what, self.quant, number), partial(self._of_query, number, of_documents))
            for number in self.batch.queries.tolist()
        ]

    def _of_query(self, number: int, of_documents: Callable[[Iterator[GradedDocument]], T]) -> T:
        return of_documents(self.graded(number))

    @cached_property
    def total_value(self) -> Floats:
        """The sum of values over each query's recall base."""
        return np.array(self.of_queries("total value", lambda documents: _total(g.value for g in documents)))

    @cached_property
    def total_exhaustivity(self) -> Floats:
        totals = self.of_queries("total exhaustivity", lambda documents: _total(g.exhaustivity for g in documents))
        return np.array(totals)

    @property
    def scored(self) -> Bools:
        return self.total_value > 0

    @cached_property
    def relevant_elements(self) -> Ints:
        """The number of relevant elements of each query, whatever their value."""
        counts = self.of_queries("relevant elements", lambda documents: sum(int(g.relevant.sum()) for g in documents))
        return np.array(counts, np.int64)

    @property
    def has_relevant(self) -> Bools:
        """Which queries have a relevant element."""
        return self.relevant_elements > 0

    @cached_property
    def first_time(self) -> Bools:
        """Which results are not repetitions of an element."""
        group = np.where(self.node == NOT_A_NODE, -1 - np.arange(len(self.node)), self.batch.document)
        single = np.arange(len(self.node) + 1)
        return ~kernels.repeated_parts(self.offsets, group, single, self.node, self.node)


def _total(values: Iterable[Floats]) -> float:
    """An exact sum, so that the last bit does not depend on the order of documents."""
    return math.fsum(value for part in values for value in part.tolist())


# ---- gain ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gain(Key):
    """The gain of every result after overlap and dependency normalisation, and the ideal gains."""

    quant: str
    alpha: float = 1.0
    ideal: str = "focused"
    requires = (COLLECTION, GRADES)

    def only_elements(self) -> bool:
        return True

    def build(self, batch: Batch, tables: Tables) -> GainTable:
        elements: ElementsTable = tables.get(Elements(self.quant))
        batch.require_parts()
        ideals = elements.of_queries(f"{self.ideal} ideals", self._ideal_gains)
        gain = np.zeros(len(batch))
        unreached = np.array([len(ideal) for ideal in ideals], np.int64)
        for documents in together(batch, elements.relevant, self.quant):
            rows = documents.rows
            ideal = [self._ideal(graded) for graded in documents.graded]
            ideal_offsets = _offsets(map(len, ideal))
            span_offsets, spans = slices(batch.span_offsets, rows)
            gain[rows], reached = kernels.element_gains(
                documents.trees(),
                documents.column("value"),
                ideal_offsets,
                _joined(ideal),
                documents.row_offsets,
                elements.node[rows],
                span_offsets,
                batch.start[spans],
                batch.end[spans],
                self.alpha,
                self.ideal == "focused",
            )
            query = batch.query_of_row[rows[documents.row_offsets[:-1]]]
            np.subtract.at(unreached, np.repeat(query, np.diff(ideal_offsets)), reached >= SMALLEST_GAIN)
        return GainTable(batch.offsets, gain, ideals, unreached)

    def _ideal(self, graded: GradedDocument) -> Ints:
        """The elements of a document in the ideal run."""
        return graded.ideal if self.ideal != "all" else np.flatnonzero(graded.relevant & (graded.value > 0))

    def _ideal_gains(self, documents: Iterator[GradedDocument]) -> Floats:
        gains: Floats = np.sort(np.concatenate([np.empty(0), *(g.value[self._ideal(g)] for g in documents)]))[::-1]
        return gains


class GainTable:
    """Per query: the gains in rank order, the ideal gains in descending order, and the number of ideals not reached."""

    def __init__(self, offsets: Ints, gain: Floats, ideals: list[Floats], unreached: Ints) -> None:
        self.offsets = offsets
        self.gain = gain
        self.ideals = ideals
        self.unreached = unreached
        self.scored: Bools = np.array([len(ideal) > 0 for ideal in ideals], np.bool_)

    def curves(self) -> Iterator[tuple[Curve, Curve, int]]:
        """For each query the curve of the run, that of the ideal run, and the number of ideals not reached."""
        for query, ideal in enumerate(self.ideals):
            gains = self.gain[self.offsets[query] : self.offsets[query + 1]]
            yield Curve(gains), Curve(ideal), int(self.unreached[query])


class Curve:
    """Cumulated gain by rank, constant after the end."""

    def __init__(self, gains: Floats) -> None:
        self.gains = gains
        self.total = np.concatenate([[0.0], np.cumsum(gains)])

    def __len__(self) -> int:
        return len(self.gains)

    def at(self, rank: Ints | int) -> Floats:
        """The cumulated gain at each of these ranks."""
        gain: Floats = self.total[np.minimum(rank, len(self.gains))]
        return gain

    def rank_reaching(self, gain: Floats) -> Floats:
        """The rank at which each gain is reached, (k-1) + r/C[k] at the first such k; infinite if it never is."""
        first = np.searchsorted(self.total[1:], gain - SMALLEST_GAIN)
        reached = first < len(self.gains)
        within = self.total[1:][np.minimum(first, len(self.gains) - 1)] if len(self.gains) else np.ones(len(gain))
        return np.where(reached, first + gain / np.where(within > 0, within, 1.0), np.inf)

    @property
    def gaining(self) -> Ints:
        """The ranks, from 1, with gain."""
        return np.flatnonzero(self.gains > 0) + 1


@dataclass(frozen=True)
class SeenShare(Key):
    """The share of each result that is in earlier results, 0 for a result without text."""

    def build(self, batch: Batch, tables: Tables) -> Floats:
        spans: SpansTable = tables.get(Spans())
        return ratio(spans.size - spans.new, spans.size)
