"""Isolation: the probability that users first see a result in the list, not by navigating from another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise import kernels
from partwise.collection import Document
from partwise.model import NONE, Bools, Floats, Ints
from partwise.navigation import Navigation, Places, Question
from partwise.resolving import Batch
from partwise.tables import COLLECTION, GRADES, LENGTHS, Key, Tables, ends
from partwise.tables.gain import Elements, ElementsTable, graded_document
from partwise.tables.links import ready_model


@dataclass(frozen=True)
class Isolation(Key):
    """The isolation of every relevant result among the first `cutoff`, without repeated ones."""

    nav: Navigation
    related: str
    cutoff: int | None = None

    def required(self) -> tuple[str, ...]:
        return (COLLECTION, GRADES, LENGTHS) if self.nav.needs_lengths else (COLLECTION, GRADES)

    def only_elements(self) -> bool:
        return True

    def build(self, batch: Batch, tables: Tables) -> IsolationTable:
        elements: ElementsTable = tables.get(Elements("spe"))
        model = ready_model(batch.judgements, self.nav)
        counted = np.arange(len(batch)) < ends(batch.offsets, self.cutoff)[batch.query_of_row]
        fresh = counted & elements.first_time & (batch.pair != NONE) & (elements.node != NONE)
        relevant = np.zeros(len(batch), np.bool_)
        isolation = np.zeros(len(batch))
        for query in range(len(batch.queries)):
            inside = np.arange(batch.offsets[query], batch.offsets[query + 1])
            rows = inside[fresh[inside]]
            targets = rows[_relevant(elements, rows)]
            relevant[targets] = True
            if len(targets):
                isolation[targets] = self._of_query(batch, elements, model, rows, targets)
        return IsolationTable(batch, relevant, isolation, elements.relevant_elements)

    def _of_query(self, batch: Batch, elements: ElementsTable, model: Navigation, rows: Ints, targets: Ints) -> Floats:
        """The isolation of the target rows, with all rows as origins."""
        question = _question(batch, elements, model, rows, targets)
        links = model.links(question)
        chosen = rows[links.origin] != targets[links.target]
        chosen &= self._are_related(question, links.origin, links.target)
        chosen &= ~question.is_same(links.origin, links.target)
        origin, target, stays = links.origin[chosen], links.target[chosen], 1 - links.probability[chosen]
        tie, own = batch.tie[rows[origin]], batch.tie[targets[target]]
        order = np.lexsort((origin, target))
        higher = order[tie[order] < own[order]]
        isolation = np.ones(len(targets))
        products = kernels.running_products(stays[higher], target[higher])
        last = np.ones(len(higher), np.bool_)
        last[:-1] = target[higher][1:] != target[higher][:-1]
        isolation[target[higher][last]] = products[last]
        tied = tie == own
        return isolation * kernels.mean_over_orders(target[tied], stays[tied], len(targets))

    def _are_related(self, question: Question, origin: Ints, target: Ints) -> Bools:
        if self.related == "document":
            return np.ones(len(origin), np.bool_)
        a, b = question.origins, question.targets

        def column(places: Places, name: str) -> Ints:
            values: Ints = question.of(places, lambda document: getattr(document, name), NONE)
            return values

        f, e = a.node[origin], b.node[target]
        lineage = (f < e) & (e < column(a, "last")[origin]) | (e < f) & (f < column(b, "last")[target])
        if self.related == "lineage":
            return lineage
        above = column(a, "parent")[origin]
        siblings: Bools = (above != NONE) & (above == column(b, "parent")[target])
        return lineage | siblings


def _relevant(elements: ElementsTable, rows: Ints) -> Bools:
    """Which rows are elements judged relevant."""
    batch = elements.batch
    relevant = np.zeros(len(rows), np.bool_)
    for pair in np.unique(batch.pair[rows]).tolist():
        if elements.relevant[pair]:
            here = np.flatnonzero(batch.pair[rows] == pair)
            graded = graded_document(batch.judgements, pair, elements.quant)
            relevant[here] = graded.relevant[elements.node[rows[here]]]
    return relevant


def _question(batch: Batch, elements: ElementsTable, model: Navigation, rows: Ints, targets: Ints) -> Question:
    judged = batch.judgements
    pairs, of_row = np.unique(batch.pair[rows], return_inverse=True)
    documents: list[Document | None] = [
        graded_document(judged, pair, elements.quant).document if elements.relevant[pair] else None
        for pair in pairs.tolist()
    ]

    def places(chosen: Ints) -> Places:
        at = batch.span_offsets[chosen]
        number = of_row[np.searchsorted(rows, chosen)]
        return Places.of_single_spans(number, elements.node[chosen], batch.start[at], batch.end[at])

    lengths = judged.pair_length[pairs] if model.needs_lengths else np.full(len(pairs), NONE)
    return Question(places(rows), places(targets), documents, lengths)


@dataclass(frozen=True)
class IsolationTable:
    """Which results are relevant (each once), their isolation, and the number of relevant elements of each query."""

    batch: Batch
    relevant: Bools
    isolation: Floats
    judged: Ints

    @property
    def offsets(self) -> Ints:
        return self.batch.offsets

    @property
    def scored(self) -> Bools:
        return self.judged > 0
