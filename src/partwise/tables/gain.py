"""The gain of each result as an element of a tree, from its grade and the ideal recall base."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from partwise import kernels
from partwise.errors import CannotScore
from partwise.messages import measures as messages
from partwise.model import NONE, Bools, Floats, Ints, slices
from partwise.records import record
from partwise.resolving import NOT_A_NODE, SEVERAL, Batch
from partwise.tables import COLLECTION, GRADES, Key, Tables, ratio
from partwise.tables.grades import Graded, graded_queries, relevant_pairs, totals
from partwise.tables.text import Spans, SpansTable

if TYPE_CHECKING:
    from partwise.collection import Forest

SMALLEST_GAIN = 1e-9

# ---- results as elements ------------------------------------------------------------------------------------


@record()
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
        graded = graded_queries(judged, batch.queries, self.quant)
        for documents in graded:
            rows, place = results_in(batch, documents)
            node[rows] = nodes = as_elements(batch, documents.forest, rows, documents.trees.tree[place])
            elements = np.flatnonzero(nodes != NOT_A_NODE)
            at = documents.offsets[place[elements]] + nodes[elements]
            value[rows[elements]] = documents.value[at]
            e[rows[elements]] = documents.exhaustivity[at]
            s[rows[elements]] = documents.specificity[at]
        tables.count_elements(node[(batch.pair != NONE) & relevant[batch.pair]] != NOT_A_NODE)
        return ElementsTable(batch, graded, node, value, e, s)


def results_in(batch: Batch, documents: Graded) -> tuple[Ints, Ints]:
    """The results in these documents, document by document in rank order, and the document of each."""
    rows = batch.judged_rows
    here, place = documents.places(batch.pair[rows])
    order = np.argsort(place, kind="stable")
    return rows[here[order]], place[order]


def as_elements(batch: Batch, forest: Forest, rows: Ints, tree: Ints) -> Ints:
    """The element of each of these results in its tree; for a single span the deepest with exactly this span."""
    node = batch.node[rows].copy()
    first = batch.span_offsets[rows]
    spans = np.flatnonzero((node == NOT_A_NODE) & (batch.span_offsets[rows + 1] - first == 1))
    if not len(spans):
        return node
    at = first[spans]
    node[spans] = kernels.nodes_at(
        forest.offsets, forest.start, forest.end, forest.depth, tree[spans], batch.start[at], batch.end[at]
    )
    return node


@record(eq=False, repr=False)
class ElementsTable:
    batch: Batch
    graded: list[Graded]
    node: Ints
    value: Floats
    exhaustivity: Floats
    specificity: Floats

    @property
    def offsets(self) -> Ints:
        return self.batch.offsets

    @cached_property
    def total_value(self) -> Floats:
        """The sum of values over each query's recall base."""
        return totals(self.batch.judgements, self.graded, self.batch.queries, "value")

    @cached_property
    def total_exhaustivity(self) -> Floats:
        return totals(self.batch.judgements, self.graded, self.batch.queries, "exhaustivity")

    @property
    def scored(self) -> Bools:
        return self.total_value > 0

    @cached_property
    def relevant_elements(self) -> Ints:
        """The number of relevant elements of each query, whatever their value."""
        count = np.zeros(len(self.batch.judgements.queries), np.int64)
        for documents in self.graded:
            of_document = kernels.segment_sums(documents.relevant, documents.offsets[:-1], documents.offsets[1:])
            np.add.at(count, self.batch.judgements.pair_query[documents.pairs], of_document)
        return count[self.batch.queries]

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


# ---- gain ---------------------------------------------------------------------------------------------------


@record()
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
        gain = np.zeros(len(batch))
        number = batch.judgements.pair_query
        reached_by_query = np.zeros(len(batch.judgements.queries), np.int64)
        ideals: dict[int, Floats] = {}
        for documents in elements.graded:
            ideal_offsets, ideal = documents.ideals(self.ideal)
            ideals.update(_ideal_gains(documents, number[documents.pairs], ideal_offsets, ideal))
            rows, place = results_in(batch, documents)
            place, first = np.unique(place, return_index=True)
            offsets, inside = slices(ideal_offsets, place)
            span_offsets, spans = slices(batch.span_offsets, rows)
            gain[rows], reached = kernels.element_gains(
                documents.forest.columns,
                documents.trees.tree[place],
                documents.offsets[place],
                documents.value,
                offsets,
                ideal[inside],
                np.append(first, len(rows)),
                elements.node[rows],
                span_offsets,
                batch.start[spans],
                batch.end[spans],
                self.alpha,
                self.ideal == "focused",
            )
            query = np.repeat(number[documents.pairs[place]], np.diff(offsets))
            np.add.at(reached_by_query, query, reached >= SMALLEST_GAIN)
        of_queries = [ideals.get(query, _NO_GAINS) for query in batch.queries.tolist()]
        unreached = np.array([len(ideal) for ideal in of_queries], np.int64) - reached_by_query[batch.queries]
        return GainTable(batch.offsets, gain, of_queries, unreached)


_NO_GAINS = np.empty(0)


def _ideal_gains(documents: Graded, query: Ints, offsets: Ints, ideal: Ints) -> dict[int, Floats]:
    """The values of each query's ideal elements, the highest first; `query` is that of each document."""
    document = np.repeat(np.arange(len(query)), np.diff(offsets))
    values, of_value = documents.value[documents.offsets[document] + ideal], query[document]
    values = values[np.lexsort((-values, of_value))]
    queries, first = np.unique(of_value, return_index=True)
    return dict(zip(queries.tolist(), np.split(values, first[1:]), strict=True)) if len(queries) else {}


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


@record()
class SeenShare(Key):
    """The share of each result that is in earlier results, 0 for a result without text."""

    def build(self, batch: Batch, tables: Tables) -> Floats:
        spans: SpansTable = tables.get(Spans())
        return ratio(spans.size - spans.new, spans.size)
