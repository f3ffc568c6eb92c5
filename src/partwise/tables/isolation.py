"""Isolation: the probability that users first see a result in the list, not by navigating from another."""

from __future__ import annotations

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Floats, Ints
from partwise.navigation import Navigation, Places, Question
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import COLLECTION, GRADES, LENGTHS, Key, Tables, ends
from partwise.tables.gain import Elements, ElementsTable, results_in
from partwise.tables.grades import relevant_pairs
from partwise.tables.links import documents_of, groups_of, ready_model


@record()
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
        relevant = fresh & _relevant(elements)
        isolation = np.zeros(len(batch))
        for queries in _groups(batch, fresh, relevant, model.takes_queries_together and not model.normalise):
            inside = np.arange(batch.offsets[queries.start], batch.offsets[queries.stop])
            rows, targets = inside[fresh[inside]], inside[relevant[inside]]
            isolation[targets] = self._of_queries(batch, elements, model, rows, targets)
        return IsolationTable(batch, relevant, isolation, elements.relevant_elements)

    def _of_queries(
        self, batch: Batch, elements: ElementsTable, model: Navigation, rows: Ints, targets: Ints
    ) -> Floats:
        """The isolation of the target rows, with all rows of their documents as origins."""
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
            values: Ints = question.column(places, lambda forest: getattr(forest, name), NONE)
            return values

        f, e = a.node[origin], b.node[target]
        lineage = (f < e) & (e < column(a, "last")[origin]) | (e < f) & (f < column(b, "last")[target])
        if self.related == "lineage":
            return lineage
        above = column(a, "parent")[origin]
        siblings: Bools = (above != NONE) & (above == column(b, "parent")[target])
        return lineage | siblings


def _relevant(elements: ElementsTable) -> Bools:
    """Which results are elements judged relevant."""
    batch = elements.batch
    relevant = np.zeros(len(batch), np.bool_)
    for documents in elements.graded:
        rows, place = results_in(batch, documents)
        known = np.flatnonzero(elements.node[rows] != NONE)
        relevant[rows[known]] = documents.relevant[documents.offsets[place[known]] + elements.node[rows[known]]]
    return relevant


def _groups(batch: Batch, fresh: Bools, relevant: Bools, together: bool) -> list[range]:
    """The queries with relevant results, in groups that are processed together."""
    documents = np.bincount(batch.pair[fresh], minlength=len(batch.judgements.pair_doc))
    pairs = np.bincount(
        batch.query_of_row[relevant], documents[batch.pair[relevant]], minlength=len(batch.queries)
    ).tolist()
    return groups_of(np.unique(batch.query_of_row[relevant]).tolist(), pairs, together)


def _question(batch: Batch, elements: ElementsTable, model: Navigation, rows: Ints, targets: Ints) -> Question:
    judged = batch.judgements
    pairs, of_row = np.unique(batch.pair[rows], return_inverse=True)
    documents = documents_of(judged, pairs, np.flatnonzero(relevant_pairs(judged)[pairs]))

    def places(chosen: Ints) -> Places:
        at = batch.span_offsets[chosen]
        number = of_row[np.searchsorted(rows, chosen)]
        return Places.of_single_spans(number, elements.node[chosen], batch.start[at], batch.end[at])

    lengths = judged.pair_length[pairs] if model.needs_lengths else np.full(len(pairs), NONE)
    return Question(places(rows), places(targets), documents, lengths)


@record()
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
