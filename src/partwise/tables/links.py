"""Links: the probabilities that users go from each result to each relevant part of its document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError
from partwise.messages import navigation as messages
from partwise.model import NONE, Bools, Floats, Ints, slices
from partwise.navigation import Named, Navigation, Places, Question, TreesOfDocuments, resolved_model
from partwise.records import record
from partwise.resolving import NOT_A_NODE, SEVERAL, Batch, Judgements
from partwise.resolving.trees import trees_of
from partwise.tables.targets import ELEMENTS, Targets

if TYPE_CHECKING:
    from partwise.collection import Document

LINKS_KEPT = 1 << 23
"""Up to this many links of a batch are kept for other measures; the rest are computed again."""
PAIRS_AT_ONCE = 1 << 17
"""Queries are processed together up to this number of pairs of a result and a relevant part of one document."""


def ready_model(judgements: Judgements, nav: Navigation) -> Navigation:
    """A model with the contents of its files and of the collection, cached for other measures and runs."""

    def ready() -> Navigation:
        return resolved_model(nav, judgements.navigation).ready(judgements.collection)

    return judgements.remembered(("navigation", nav), ready)


def checked_navigation(judgements: Judgements, nav: Navigation, kind: str, parameter: str) -> Navigation:
    """The model, with the needs of the one it names; an error if it is unknown, unreadable, or for other parts."""
    model = resolved_model(nav, judgements.navigation)
    if model.needs_nodes and judgements.collection is None:
        raise PartwiseError(messages.NEEDS_COLLECTION(name=nav.name))
    if model.needs_nodes and kind != ELEMENTS:
        raise PartwiseError(messages.NEEDS_ELEMENTS(name=nav.name, parameter=parameter, kind=kind))
    ready_model(judgements, nav)
    return Named(nav.name, model) if isinstance(nav, Named) else nav


@record()
class QueryLinks:
    """The probability of reaching each target from each result, sorted by target and row.

    Rows are those of the batch; targets are numbered from the first one of these queries.
    """

    row: Ints
    target: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def unseen(self) -> Floats:
        """The probability that a target is not reached by this link or an earlier one."""
        return kernels.running_products(1 - self.probability, self.target)

    @cached_property
    def before(self) -> Floats:
        """The probability that a target is not reached by an earlier link."""
        before = np.ones(len(self))
        same = self.target[1:] == self.target[:-1]
        before[1:][same] = self.unseen[:-1][same]
        return before

    @cached_property
    def last(self) -> Bools:
        """Which links are the last of their target."""
        last = np.ones(len(self), np.bool_)
        last[:-1] = self.target[1:] != self.target[:-1]
        return last

    def where(self, chosen: Bools) -> QueryLinks:
        return QueryLinks(self.row[chosen], self.target[chosen], self.probability[chosen])


def documents_of(judgements: Judgements, pairs: Ints, numbers: Ints) -> TreesOfDocuments:
    """The documents of pairs, for navigation models; those that are not among `numbers` are None."""
    trees = trees_of(judgements, pairs[numbers])
    tree = np.full(len(pairs), NONE)
    tree[numbers] = trees.tree

    def document(number: int) -> Document:
        doc_id = trees.forest.doc_ids[number]
        return trees.forest.document(number) if judgements.collection is None else judgements.collection[doc_id]

    return TreesOfDocuments(trees.forest, tree, document)


class QueryPlaces:
    """The relevant parts of some queries and the results in their documents, as input of navigation models.

    The queries are consecutive in the batch. A document has a number for each query that it is judged for. Trees may be
    split into elements: origin i belongs to row ``row[origin_owner[i]]``, target j to ``target_owner[j]``.
    """

    def __init__(
        self, batch: Batch, targets: Targets, queries: range, lengths: Ints | None = None, repeats: bool = False
    ) -> None:
        self.batch = batch
        bounds = slice(queries.start, queries.stop)
        low, high = int(targets.query_offsets[queries.start]), int(targets.query_offsets[queries.stop])
        judged = batch.judgements
        number, self.pairs = slices(judged.pair_offsets, batch.queries[bounds])
        shift = judged.pair_offsets[batch.queries[bounds]] - number[:-1]
        has_targets = np.zeros(len(self.pairs), np.bool_)
        self.target_document = targets.pair[low:high] - np.repeat(shift, targets.count[bounds])
        has_targets[self.target_document] = True
        bounds_of_rows = batch.offsets[[queries.start, queries.stop]]
        rows = batch.judged_rows[slice(*np.searchsorted(batch.judged_rows, bounds_of_rows).tolist())]
        rows = rows if repeats else rows[~batch.repeated[rows]]
        document = batch.pair[rows] - shift[batch.query_of_row[rows] - queries.start]
        kept = has_targets[document]
        self.row, self.document = rows[kept], document[kept]
        self.count = high - low
        inside = slice(int(targets.offsets[low]), int(targets.offsets[high]))
        self.target_size = targets.size[low:high]
        self.target_owner = np.repeat(np.arange(high - low), self.target_size)
        self.targets = Places.of_single_spans(
            self.target_document[self.target_owner], targets.node[inside], targets.start[inside], targets.end[inside]
        )
        self.lengths = np.full(len(self.pairs), NONE) if lengths is None else lengths[self.pairs]

    @cached_property
    def documents(self) -> Sequence[Document | None]:
        if (self.targets.node == NOT_A_NODE).all() or self.batch.judgements.collection is None:
            return [None] * len(self.lengths)
        return documents_of(self.batch.judgements, self.pairs, np.unique(self.document))

    @cached_property
    def is_tree(self) -> Bools:
        trees: Bools = self.batch.node[self.row] == SEVERAL
        return trees

    @property
    def without_trees(self) -> bool:
        """Whether every row and every target is a single part."""
        return not self.is_tree.any() and bool((self.target_size == 1).all())

    @cached_property
    def whole(self) -> Places:
        """Each row as one origin; a tree as its characters."""
        offsets, inside = slices(self.batch.span_offsets, self.row)
        node = np.where(self.is_tree, NOT_A_NODE, self.batch.node[self.row])
        return Places(self.document, node, offsets, self.batch.start[inside], self.batch.end[inside])

    @cached_property
    def apart(self) -> tuple[Places, Ints]:
        """Origins with trees split into elements, and the row (its index here) that each belongs to."""
        if not self.is_tree.any():
            return self.whole, np.arange(len(self.row))
        members, inside = slices(self.batch.member_offsets, self.row)
        kept = np.flatnonzero(~self.is_tree)
        spans, of_kept = slices(self.batch.span_offsets, self.row[kept])
        in_tree = np.repeat(self.is_tree, np.diff(members))
        owner = np.repeat(np.arange(len(self.row)), np.diff(members))[in_tree]
        node = self.batch.member[inside][in_tree]
        edges = np.empty((2, len(node)), np.int64)
        for number in np.unique(self.document[owner]).tolist():
            here = self.document[owner] == number
            document = self.documents[number]
            if document is not None:
                edges[:, here] = document.start[node[here]], document.end[node[here]]
        places = Places(
            self.document[np.concatenate([kept, owner])],
            np.concatenate([self.batch.node[self.row[kept]], node]),
            np.concatenate([spans, spans[-1] + np.arange(1, len(node) + 1)]),
            np.concatenate([self.batch.start[of_kept], edges[0]]),
            np.concatenate([self.batch.end[of_kept], edges[1]]),
        )
        return places, np.concatenate([kept, owner])

    def question(self, origins: Places) -> Question:
        return Question(origins, self.targets, self.documents, self.lengths)

    @cached_property
    def of_parts(self) -> Question:
        """The question with trees split into elements."""
        return self.question(self.apart[0])

    def links(self, row: Ints, target: Ints, probability: Floats) -> QueryLinks:
        """Sorted links from rows given by their index here."""
        order = np.lexsort((row, target))
        return QueryLinks(self.row[row[order]], target[order], probability[order])


def reaching(places: QueryPlaces, model: Navigation) -> QueryLinks:
    """P(target | row), 1 if the row contains the target itself; elements of a tree are independent origins."""
    parts, owner = places.of_parts, places.apart[1]
    whole = model.takes_trees_whole and bool(places.is_tree.any())
    reached = model.links(places.question(places.whole) if whole else parts)
    row = reached.origin if whole else owner[reached.origin]
    links = places.links(
        np.concatenate([row, owner[parts.same[0]]]),
        np.concatenate([places.target_owner[reached.target], places.target_owner[parts.same[1]]]),
        np.concatenate([reached.probability, np.ones(len(parts.same[0]))]),
    )
    fresh = np.ones(len(links), np.bool_)
    fresh[1:] = (links.row[1:] != links.row[:-1]) | (links.target[1:] != links.target[:-1])
    if fresh.all():
        return links
    missed = kernels.running_products(1 - links.probability, np.cumsum(fresh))
    last = np.append(np.flatnonzero(fresh)[1:], len(links)) - 1
    return QueryLinks(links.row[last], links.target[last], 1 - missed[last])


def passing(places: QueryPlaces, model: Navigation) -> QueryLinks:
    """p(target; row) between trees: the mean probability over pairs of elements, each in only one of the trees."""
    parts, owner = places.of_parts, places.apart[1]
    links = model.links(parts)
    if places.without_trees:  # links of a row to itself are never used: the row is a hit
        return places.links(owner[links.origin], places.target_owner[links.target], links.probability)
    other = ~parts.is_same(links.origin, links.target)
    origin, to, probability = links.origin[other], links.target[other], links.probability[other]
    row, target = owner[origin], places.target_owner[to]
    origins_of_row = np.bincount(owner, minlength=len(places.row))
    node_of_origin, node_of_target = parts.origins.node, parts.targets.node
    nodes = 2 + max(int(node_of_origin.max(initial=0)), int(node_of_target.max(initial=0)))
    held_by_target = (places.target_owner * nodes + node_of_target)[node_of_target != NONE]
    held_by_row = (owner * nodes + node_of_origin)[node_of_origin != NONE]
    apart = (node_of_origin[origin] == NONE) | ~np.isin(target * nodes + node_of_origin[origin], held_by_target)
    apart &= (node_of_target[to] == NONE) | ~np.isin(row * nodes + node_of_target[to], held_by_row)
    row, target, probability = row[apart], target[apart], probability[apart]
    pair, inverse = np.unique(row * max(places.count, 1) + target, return_inverse=True)
    row, target = pair // max(places.count, 1), pair % max(places.count, 1)
    total = np.bincount(inverse, probability, minlength=len(pair))
    return places.links(row, target, total / (places.target_size[target] * origins_of_row[row]))


def groups_of(queries: Sequence[int], pairs: Sequence[float], together: bool) -> list[range]:
    """Queries in groups that are processed together, of up to `PAIRS_AT_ONCE` pairs (given for all queries)."""
    groups: list[range] = []
    size = 0.0
    for query in queries:
        size += pairs[query]
        if together and groups and size <= PAIRS_AT_ONCE:
            groups[-1] = range(groups[-1].start, query + 1)
        else:
            groups.append(range(query, query + 1))
            size = pairs[query]
    return groups


class LinksOfQueries:
    """The links of queries, computed on request and kept up to a limit."""

    def __init__(self, batch: Batch, targets: Targets, nav: Navigation, between_trees: bool) -> None:
        self.batch = batch
        self.targets = targets
        self.model = ready_model(batch.judgements, nav)
        self.between_trees = between_trees
        self.kept: dict[range, QueryLinks] = {}
        self.capacity = LINKS_KEPT
        self._latest: tuple[range, QueryPlaces] | None = None

    @cached_property
    def groups(self) -> list[range]:
        """The queries with targets in order, in groups that are processed together."""
        together = self.model.takes_queries_together and not self.model.normalise
        queries, pairs = np.flatnonzero(self.targets.scored), self._pairs
        if together and len(queries) and pairs[queries].sum() <= PAIRS_AT_ONCE:
            return [range(int(queries[0]), int(queries[-1]) + 1)]
        return groups_of(queries.tolist(), pairs.tolist(), together)

    @property
    def _pairs(self) -> Ints:
        """The number of pairs of a span and an element of a target in one document, by query."""
        batch, judged = self.batch, self.batch.judgements
        rows = batch.judged_rows
        of_span = np.repeat(batch.pair[rows], batch.span_offsets[rows + 1] - batch.span_offsets[rows])
        spans = np.bincount(of_span, minlength=len(judged.pair_doc))
        elements = np.bincount(np.repeat(self.targets.pair, self.targets.size), minlength=len(judged.pair_doc))
        bounds = judged.pair_offsets[batch.queries], judged.pair_offsets[batch.queries + 1]
        counts: Ints = kernels.segment_sums(spans * elements, *bounds)
        return counts

    def places(self, queries: range) -> QueryPlaces:
        if self._latest is None or self._latest[0] != queries:
            lengths = self.batch.judgements.pair_length if self.model.needs_lengths else None
            self._latest = queries, QueryPlaces(self.batch, self.targets, queries, lengths)
        return self._latest[1]

    def of(self, queries: range) -> QueryLinks:
        if queries in self.kept:
            return self.kept[queries]
        places = self.places(queries)
        links = passing(places, self.model) if self.between_trees else reaching(places, self.model)
        if len(links) <= self.capacity:
            self.capacity -= len(links)
            self.kept[queries] = links
        return links
