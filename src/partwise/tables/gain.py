"""What each result is worth as an element of a tree, given its grade and the ideal recall base."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partwise import kernels
from partwise.collection import Document, PathError
from partwise.model import NONE, Bools, Floats, Ints
from partwise.relevance.ideal import ideal_nodes
from partwise.relevance.quantise import HIGHLIGHTS as HIGHLIGHTED
from partwise.relevance.quantise import fits_scale, quantised, unit_grades
from partwise.resolve import NOT_A_NODE, SEVERAL, Batch, Judgements
from partwise.tables import COLLECTION, GRADES, Key, Tables, ratio
from partwise.tables.text import Spans, SpansTable, highlighted_in

SMALLEST_GAIN = 1e-9
SCALES_TOLD = "four-point is 0 to 3, inex2005 is e 0 to 2 and s 0 to 1, unit is 0 to 1"


@dataclass(frozen=True, eq=False, repr=False)
class GradedDocument:
    """A judged document of a topic: the grades of its nodes on the unit scale, and what they are worth."""

    document: Document
    exhaustivity: Floats
    specificity: Floats
    value: Floats
    relevant: Bools
    ideal: Ints


def graded_document(judgements: Judgements, pair: int, quant: str) -> GradedDocument:
    """The grades of a pair's document, remembered for other runs."""
    key = "graded", quant, pair
    if key not in judgements.memory:
        judgements.memory[key] = _graded(judgements, pair, quant)
    found: GradedDocument = judgements.memory[key]
    return found


def _graded(judgements: Judgements, pair: int, quant: str) -> GradedDocument:
    name = judgements.pair_name(pair)[1]
    collection = judgements.collection
    if collection is None or name not in collection:
        raise judgements.error(f"document {name} is judged and not in the collection", "add it to the collection", pair)
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
                raise judgements.assessments.source.error(
                    error.problem, error.remedy, int(judgements.element_lines[item])
                ) from None
            e[node], s[node] = judgements.exhaustivity[item], judgements.specificity[item]
    else:
        found = highlighted_in(judgements, pair, document)
        size = document.end - document.start
        s = np.divide(found, size, out=s, where=size > 0)
        e = (found > 0).astype(np.float64)
    value = quantised(quant, scale, e, s)
    relevant = (e > 0) & (s > 0)
    ideal = ideal_nodes(document.last, value, relevant)
    return GradedDocument(document, *unit_grades(scale, e, s), value, relevant, ideal)


def elements_of(judgements: Judgements, pair: int) -> Ints:
    """The graded elements of a pair."""
    if "elements" not in judgements.memory:
        order = np.argsort(judgements.element_pair, kind="stable")
        bounds = np.searchsorted(judgements.element_pair[order], np.arange(len(judgements.pair_doc) + 1))
        judgements.memory["elements"] = order, bounds
    order, bounds = judgements.memory["elements"]
    found: Ints = order[bounds[pair] : bounds[pair + 1]]
    return found


def relevant_pairs(judgements: Judgements) -> Bools:
    """Which pairs have anything that may be worth something: grades, or, in a document without, highlighted text."""
    found = judgements.highlighted > 0
    found[judgements.element_pair] = False
    found[judgements.element_pair[(judgements.exhaustivity > 0) | (judgements.specificity > 0)]] = True
    return found


def check_scale(judgements: Judgements) -> None:
    """Graded elements must declare their scale, and keep to it."""
    if not judgements.has_grades:
        return
    source = judgements.assessments.source
    if judgements.scale is None:
        raise source.error("grades elements and does not say on which scale", "add scale: four-point, inex2005 or unit")
    wrong = np.flatnonzero(~fits_scale(judgements.scale, judgements.exhaustivity, judgements.specificity))
    for item in wrong[:1].tolist():
        grades = f"({judgements.exhaustivity[item]:g}, {judgements.specificity[item]:g})"
        raise source.error(
            f"the grades {grades} are not on the scale {judgements.scale}",
            SCALES_TOLD,
            int(judgements.element_lines[item]),
        )


# ---- results as elements ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Elements(Key):
    """Each result as an element with its grades; spans that cover exactly an element are that element."""

    quant: str
    requires = (COLLECTION, GRADES)

    def only_elements(self) -> bool:
        return True

    def build(self, batch: Batch, tables: Tables) -> ElementsTable:
        judged = batch.judgements
        several = np.flatnonzero(batch.node == SEVERAL)
        if len(several):
            row = int(batch.row[several[0]])
            raise batch.run.error("the part is a tree of several elements", "this measure takes single elements", row)
        relevant = relevant_pairs(judged)
        node = np.full(len(batch), NOT_A_NODE)
        value, e, s = np.zeros(len(batch)), np.zeros(len(batch)), np.zeros(len(batch))
        rows = np.flatnonzero((batch.pair != NONE) & relevant[batch.pair])
        rows = rows[np.argsort(batch.pair[rows], kind="stable")]
        for inside in np.split(rows, np.flatnonzero(np.diff(batch.pair[rows])) + 1) if len(rows) else ():
            graded = graded_document(judged, int(batch.pair[inside[0]]), self.quant)
            node[inside] = found = as_elements(batch, graded.document, inside)
            known = inside[found != NOT_A_NODE]
            at = node[known]
            value[known], e[known], s[known] = graded.value[at], graded.exhaustivity[at], graded.specificity[at]
        tables.count_elements(node[rows] != NOT_A_NODE)
        return ElementsTable(batch, self.quant, relevant, node, value, e, s)


def as_elements(batch: Batch, document: Document, rows: Ints) -> Ints:
    """The element that each of these results of one document is; for a single span the deepest that covers just it."""
    node = batch.node[rows].copy()
    first = batch.span_offsets[rows]
    spans = np.flatnonzero((node == NOT_A_NODE) & (batch.span_offsets[rows + 1] - first == 1))
    if not len(spans):
        return node
    at = first[spans]
    node[spans] = kernels.nodes_at(document.start, document.end, document.depth, batch.start[at], batch.end[at])
    return node


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

    def graded(self, topic: int) -> Iterator[tuple[int, GradedDocument]]:
        """The relevant documents of a topic of the batch, with their pairs."""
        judged = self.batch.judgements
        number = int(self.batch.topics[topic])
        for pair in range(int(judged.pair_offsets[number]), int(judged.pair_offsets[number + 1])):
            if self.relevant[pair]:
                yield pair, graded_document(judged, pair, self.quant)

    @cached_property
    def total_value(self) -> Floats:
        """The sum of values over each topic's recall base."""
        return self._total([[g.value for _, g in self.graded(topic)] for topic in range(len(self.batch.topics))])

    @cached_property
    def total_exhaustivity(self) -> Floats:
        return self._total([[g.exhaustivity for _, g in self.graded(topic)] for topic in range(len(self.batch.topics))])

    @staticmethod
    def _total(values: list[list[Floats]]) -> Floats:
        """Exact sums, so that the order of documents does not show in the last bit."""
        return np.array([math.fsum(value for part in parts for value in part.tolist()) for parts in values])

    @property
    def scored(self) -> Bools:
        return self.total_value > 0

    @cached_property
    def has_relevant(self) -> Bools:
        """Which topics have a relevant element, whatever it is worth."""
        topics = range(len(self.batch.topics))
        return np.array([any(g.relevant.any() for _, g in self.graded(topic)) for topic in topics], np.bool_)

    @cached_property
    def first_time(self) -> Bools:
        """Which results are not an element that was returned before."""
        group = np.where(self.node == NOT_A_NODE, -1 - np.arange(len(self.node)), self.batch.document)
        single = np.arange(len(self.node) + 1)
        return ~kernels.repeated_parts(self.offsets, group, single, self.node, self.node)


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
        gain = np.zeros(len(batch))
        ideals: list[Floats] = []
        unreached = np.zeros(len(batch.topics), np.int64)
        for topic in range(len(batch.topics)):
            rows = np.arange(batch.offsets[topic], batch.offsets[topic + 1])
            best: list[Floats] = [np.empty(0)]
            for pair, graded in elements.graded(topic):
                ideal = graded.ideal
                if self.ideal == "all":
                    ideal = np.flatnonzero(graded.relevant & (graded.value > 0))
                best.append(graded.value[ideal])
                inside = rows[batch.pair[rows] == pair]
                gain[inside], reached = self._of_document(batch, elements.node, graded, ideal, inside)
                unreached[topic] += int((reached < SMALLEST_GAIN).sum())
            ideals.append(np.sort(np.concatenate(best))[::-1])
        return GainTable(batch.offsets, gain, ideals, unreached)

    def _of_document(
        self, batch: Batch, node: Ints, graded: GradedDocument, ideal: Ints, rows: Ints
    ) -> tuple[Floats, Floats]:
        document = graded.document
        return kernels.element_gains(
            kernels.Tree(document.parent, document.last, document.start, document.end),
            graded.value,
            ideal,
            node[rows],
            [
                (batch.start[low:high], batch.end[low:high])
                for low, high in zip(
                    batch.span_offsets[rows].tolist(), batch.span_offsets[rows + 1].tolist(), strict=True
                )
            ],
            self.alpha,
            shared=self.ideal == "focused",
        )


class GainTable:
    """Per topic: the gains in rank order, the ideal gains in falling order, and how many ideals gave nothing."""

    def __init__(self, offsets: Ints, gain: Floats, ideals: list[Floats], unreached: Ints) -> None:
        self.offsets = offsets
        self.gain = gain
        self.ideals = ideals
        self.unreached = unreached
        self.scored: Bools = np.array([len(ideal) > 0 for ideal in ideals], np.bool_)

    def curves(self) -> Iterator[tuple[Curve, Curve, int]]:
        """For each topic the curve of the run, that of the ideal run, and the ideals from which no gain came."""
        for topic, ideal in enumerate(self.ideals):
            gains = self.gain[self.offsets[topic] : self.offsets[topic + 1]]
            yield Curve(gains), Curve(ideal), int(self.unreached[topic])


class Curve:
    """Cumulated gain by rank, constant after the end."""

    def __init__(self, gains: Floats) -> None:
        self.gains = gains
        self.total = np.concatenate([[0.0], np.cumsum(gains)])

    def __len__(self) -> int:
        return len(self.gains)

    def at(self, rank: Ints | int) -> Floats:
        """The gain cumulated at each of these ranks."""
        found: Floats = self.total[np.minimum(rank, len(self.gains))]
        return found

    def rank_reaching(self, gain: Floats) -> Floats:
        """The rank at which each gain is reached, (k-1) + r/C[k] at the first such k; infinite where it never is."""
        first = np.searchsorted(self.total[1:], gain - SMALLEST_GAIN)
        reached = first < len(self.gains)
        within = self.total[1:][np.minimum(first, len(self.gains) - 1)] if len(self.gains) else np.ones(len(gain))
        return np.where(reached, first + gain / np.where(within > 0, within, 1.0), np.inf)

    @property
    def gaining(self) -> Ints:
        """The ranks, from 1, that bring gain."""
        return np.flatnonzero(self.gains > 0) + 1


@dataclass(frozen=True)
class SeenShare(Key):
    """The share of each result that earlier results have shown, 0 for one without text."""

    def build(self, batch: Batch, tables: Tables) -> Floats:
        spans: SpansTable = tables.get(Spans())
        return ratio(spans.size - spans.new, spans.size)
