"""Who reaches what: relevant parts, the results of their documents, and how likely users go from one to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from partwise import kernels
from partwise.collection import Document, PathError
from partwise.errors import PartwiseError
from partwise.model import NO_GRADE, NONE, Bools, Floats, Ints, slices
from partwise.navigation import Named, Navigation, Places, Question, looked_up
from partwise.relevance.quantise import fits_scale, unit_grades
from partwise.resolving import NOT_A_NODE, SEVERAL, Batch, Judgements
from partwise.tables import BEPS, COLLECTION, GRADES, HIGHLIGHTS, LENGTHS, PARTS, Key, Tables
from partwise.tables.gain import SCALES_TOLD, elements_of, graded_document, relevant_pairs, together
from partwise.tables.text import highlighted_in

ELEMENTS = "elements"
PASSAGES = "passages"
BEP = "bep"
LINKS_KEPT = 1 << 23
"""Links of a batch are kept for other measures while they are not more; those of further topics are found again."""
LINKS_AT_ONCE = 1 << 21
PAIRS_AT_ONCE = 1 << 17
"""Topics are worked on together while they have not more pairs of a result and a relevant part of one document."""


def ready_model(judgements: Judgements, nav: Navigation) -> Navigation:
    """A model with all it has to know of files and collection, remembered for other measures and runs."""

    def ready() -> Navigation:
        return looked_up(nav, judgements.navigation).ready(judgements.collection)

    return judgements.remembered(("navigation", nav), ready)


def checked_navigation(judgements: Judgements, nav: Navigation, kind: str, parameter: str) -> Navigation:
    """A model must be known, readable, and go between parts of this kind; a name then says what its model needs."""
    model = looked_up(nav, judgements.navigation)
    if model.needs_nodes and judgements.collection is None:
        raise PartwiseError(f"nav={nav.name} goes between elements", "give the collection (--collection)")
    if model.needs_nodes and kind != ELEMENTS:
        raise PartwiseError(
            f"nav={nav.name} goes between elements and {parameter} is {kind}",
            f"use {parameter}=elements, or nav=coverage, distance or none",
        )
    ready_model(judgements, nav)
    return Named(nav.name, model) if isinstance(nav, Named) else nav


def check_trees(judgements: Judgements) -> None:
    """Graded trees must declare their scale, and keep to it."""
    graded = np.flatnonzero(~np.isnan(judgements.tree_exhaustivity))
    scale, source = judgements.assessments.scale, judgements.assessments.source
    if not len(graded):
        return
    if scale is None:
        raise source.error("grades trees and does not say on which scale", "add scale: four-point, inex2005 or unit")
    e, s = judgements.tree_exhaustivity[graded], judgements.tree_specificity[graded]
    for item in graded[~fits_scale(scale, e, s)][:1].tolist():
        grades = f"({judgements.tree_exhaustivity[item]:g}, {judgements.tree_specificity[item]:g})"
        line = int(judgements.tree_lines[item])
        raise source.error(f"the grades {grades} are not on the scale {scale}", SCALES_TOLD, line)


# ---- what is relevant -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Targets:
    """Relevant parts, topic after topic: their pairs and their elements or spans (a passage has one).

    The elements of target i are ``node[offsets[i]:offsets[i+1]]``; -1 is a passage or an entry point. The documents of
    a topic stand as they do in the file, so that sums over them have the same bits whatever other topics there are.
    """

    topic_offsets: Ints
    pair: Ints
    offsets: Ints
    node: Ints
    start: Ints
    end: Ints

    @property
    def count(self) -> Ints:
        """How many there are of each topic."""
        return np.diff(self.topic_offsets)

    @property
    def scored(self) -> Bools:
        return self.count > 0

    @cached_property
    def size(self) -> Ints:
        """How many elements (or spans) each has."""
        return np.diff(self.offsets)

    @classmethod
    def single(cls, topic_offsets: Ints, pair: Ints, node: Ints, start: Ints, end: Ints) -> Targets:
        return cls(topic_offsets, pair, np.arange(len(pair) + 1), node, start, end)


@dataclass(frozen=True)
class Units(Key):
    """The ideal units of each topic: ideal elements under a quantisation, highlighted passages, or entry points."""

    ideals: str
    quant: str | None = None

    def required(self) -> tuple[str, ...]:
        return {ELEMENTS: (COLLECTION, GRADES), PASSAGES: (HIGHLIGHTS,), BEP: (BEPS,)}[self.ideals]

    def build(self, batch: Batch, tables: Tables) -> Targets:
        if self.ideals == PASSAGES:
            return _passages(batch)
        if self.ideals == BEP:
            return _entry_points(batch)
        judged = batch.judgements
        relevant = relevant_pairs(judged)
        columns = [
            judged.remembered(("units", self.quant, topic), partial(self._of_topic, judged, topic, relevant))
            for topic in batch.topics.tolist()
        ]
        topic_offsets = np.cumsum([0, *(len(pair) for pair, _, _, _ in columns)], dtype=np.int64)
        return Targets.single(topic_offsets, *(_joined([part[i] for part in columns]) for i in range(4)))

    def _of_topic(self, judged: Judgements, topic: int, relevant: Bools) -> tuple[Ints, Ints, Ints, Ints]:
        """The ideal elements of a topic: their pairs, numbers, starts and ends."""
        pairs, nodes, starts, ends = [], [], [], []
        for pair in _in_file_order(judged, topic, relevant):
            graded = graded_document(judged, pair, self.quant or "")
            pairs.append(np.full(len(graded.ideal), pair))
            nodes.append(graded.ideal)
            starts.append(graded.document.start[graded.ideal])
            ends.append(graded.document.end[graded.ideal])
        return _joined(pairs), _joined(nodes), _joined(starts), _joined(ends)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *parts])


def _in_file_order(judged: Judgements, topic: int, chosen: Bools) -> list[int]:
    """The chosen pairs of a topic, in the order of their lines."""
    pairs = np.arange(judged.pair_offsets[topic], judged.pair_offsets[topic + 1])
    pairs = pairs[chosen[pairs]]
    in_order: list[int] = pairs[np.argsort(judged.lines[pairs], kind="stable")].tolist()
    return in_order


def _passages(batch: Batch) -> Targets:
    judged = batch.judgements
    topic_offsets, inside = slices(judged.passage_offsets[judged.pair_offsets], batch.topics)
    of_passage = np.repeat(np.arange(len(judged.pair_doc)), np.diff(judged.passage_offsets))
    topic = np.repeat(np.arange(len(batch.topics)), np.diff(topic_offsets))
    inside = inside[np.lexsort((judged.lines[of_passage[inside]], topic))]
    pair = of_passage[inside]
    start, end = judged.passage_start[inside], judged.passage_end[inside]
    return Targets.single(topic_offsets, pair, np.full(len(pair), NOT_A_NODE), start, end)


def _entry_points(batch: Batch) -> Targets:
    """The best entry points of relevant documents; where nothing else is judged, all of them."""
    judged = batch.judgements
    only = not judged.has_highlights and not judged.has_grades and not bool((judged.grade != NO_GRADE).any())
    there = np.flatnonzero((judged.bep != NONE) & (only | (judged.relevance > 0)))
    topic_offsets, inside = slices(np.searchsorted(there, judged.pair_offsets), batch.topics)
    topic = np.repeat(np.arange(len(batch.topics)), np.diff(topic_offsets))
    pair = there[inside]
    pair = pair[np.lexsort((judged.lines[pair], topic))]
    return Targets.single(topic_offsets, pair, np.full(len(pair), NOT_A_NODE), judged.bep[pair], judged.bep[pair])


@dataclass(frozen=True)
class Relevant(Key):
    """The relevant parts of each topic: judged elements and trees, or highlighted passages."""

    parts: str

    def required(self) -> tuple[str, ...]:
        return (COLLECTION, PARTS) if self.parts == ELEMENTS else (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> RelevantParts:
        if self.parts == PASSAGES:
            passages = _passages(batch)
            length = (passages.end - passages.start).astype(np.float64)
            return RelevantParts(passages, length, np.ones(len(length)))
        judged = batch.judgements
        topic_offsets = [0]
        found: list[_PartsOfPair] = []
        relevant = relevant_pairs(judged)
        relevant[judged.tree_pair] = True
        for topic in batch.topics.tolist():
            found += [_parts_of_pair(judged, pair) for pair in _in_file_order(judged, topic, relevant)]
            topic_offsets.append(sum(len(part.pair) for part in found))
        targets = Targets(
            np.array(topic_offsets),
            _joined([part.pair for part in found]),
            np.concatenate([[0], np.cumsum(_joined([part.size for part in found]))]),
            _joined([part.node for part in found]),
            _joined([part.start for part in found]),
            _joined([part.end for part in found]),
        )
        empty = np.empty(0)
        length = np.concatenate([empty, *(part.length for part in found)])
        return RelevantParts(targets, length, np.concatenate([empty, *(part.specificity for part in found)]))


@dataclass(frozen=True)
class RelevantParts:
    """Relevant parts, with their highlighted characters and specificity."""

    targets: Targets
    length: Floats
    specificity: Floats

    def worth(self, rel: str) -> Floats:
        """rel(a) of each part."""
        return {"binary": np.ones(len(self.length)), "length": self.length, "spe": self.specificity}[rel]


@dataclass(frozen=True)
class _PartsOfPair:
    pair: Ints
    size: Ints
    node: Ints
    start: Ints
    end: Ints
    length: Floats
    specificity: Floats


def _parts_of_pair(judged: Judgements, pair: int) -> _PartsOfPair:
    return judged.remembered(("relevant parts", pair), lambda: _found_parts(judged, pair))


def _found_parts(judged: Judgements, pair: int) -> _PartsOfPair:
    """The elements judged relevant (or, without grades and trees, those with highlighted text), and the trees."""
    graded = graded_document(judged, pair, "spe")
    document = graded.document
    trees = _trees_of(judged, pair, document)
    elements = np.flatnonzero(graded.relevant)
    if len(trees) and not len(elements_of(judged, pair)):
        elements = elements[:0]
    sizes = document.end - document.start
    marked = highlighted_in(judged, pair, document) if judged.highlighted[pair] else None
    s = graded.specificity[elements]
    length = s * sizes[elements] if marked is None else marked[elements].astype(np.float64)
    of_trees = [_worth_of_tree(judged, item, nodes, document, marked) for item, nodes in trees]
    nodes = _joined([elements, *(nodes for _, nodes in trees)])
    return _PartsOfPair(
        np.full(len(elements) + len(trees), pair),
        np.concatenate([np.ones(len(elements), np.int64), np.array([len(nodes) for _, nodes in trees], np.int64)]),
        nodes,
        document.start[nodes],
        document.end[nodes],
        np.concatenate([length, np.array([worth[0] for worth in of_trees])]),
        np.concatenate([s, np.array([worth[1] for worth in of_trees])]),
    )


def _trees_of(judged: Judgements, pair: int, document: Document) -> list[tuple[int, Ints]]:
    """The relevant trees of a pair: their numbers, and their elements."""
    found = []
    for item in np.flatnonzero(judged.tree_pair == pair).tolist():
        if judged.tree_exhaustivity[item] <= 0 or judged.tree_specificity[item] <= 0:
            continue
        try:
            nodes = {document.node(path) for path in judged.tree_paths[item]}
        except PathError as error:
            line = int(judged.tree_lines[item])
            raise judged.assessments.source.error(error.problem, error.remedy, line) from None
        found.append((item, np.array(sorted(nodes), np.int64)))
    return found


def _worth_of_tree(
    judged: Judgements, item: int, nodes: Ints, document: Document, marked: Ints | None
) -> tuple[float, float]:
    """The highlighted characters of a tree and its specificity, from what is known: highlights, else its grade."""
    outer = nodes[[not ((nodes < node) & (document.last[nodes] > node)).any() for node in nodes.tolist()]]
    size = float((document.end[outer] - document.start[outer]).sum())
    held = None if marked is None else float(marked[outer].sum())
    grade = judged.tree_specificity[item]
    if np.isnan(grade):
        s = 1.0 if held is None else held / size if size else 0.0
    else:
        s = float(unit_grades(judged.assessments.scale or "", np.ones(1), np.array([grade]))[1][0])
    return s * size if held is None else held, s


# ---- what was returned ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Returned(Key):
    """The results as elements (a span that is exactly one is that element), or all of them as characters."""

    elements: bool

    def build(self, batch: Batch, tables: Tables) -> Batch:
        if not self.elements:
            batch.require_parts(np.flatnonzero(batch.pair != NONE))
            return replace(batch, node=np.full(len(batch), NOT_A_NODE))
        judged = batch.judgements
        relevant = relevant_pairs(judged)
        relevant[judged.tree_pair] = True
        node = batch.node.copy()
        rows = np.flatnonzero((batch.pair != NONE) & relevant[batch.pair])
        batch.require_parts(rows)
        for documents in together(batch, relevant, "spe"):
            node[documents.rows] = documents.elements(batch)
        tables.count_elements(node[rows] != NOT_A_NODE)
        return replace(batch, node=node)


# ---- who reaches what -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TopicLinks:
    """How likely each target is reached from each result, sorted by target and row.

    Rows are those of the batch, targets count from the first one of the topics whose links these are.
    """

    row: Ints
    target: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def unseen(self) -> Floats:
        """The chance that a target was not reached, down to each link."""
        return kernels.running_products(1 - self.probability, self.target)

    @cached_property
    def before(self) -> Floats:
        """The same before each link."""
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

    def where(self, chosen: Bools) -> TopicLinks:
        return TopicLinks(self.row[chosen], self.target[chosen], self.probability[chosen])


class TopicPlaces:
    """The relevant parts of some topics and the results of their documents, as navigation models are asked about them.

    The topics follow each other in the batch. A document is numbered once for each topic that it is judged for. Trees
    may be taken apart: origin i belongs to row ``row[origin_owner[i]]``, target j to ``target_owner[j]``.
    """

    def __init__(
        self, batch: Batch, targets: Targets, topics: range, lengths: Ints | None = None, repeats: bool = False
    ) -> None:
        self.batch = batch
        bounds = slice(topics.start, topics.stop)
        low, high = int(targets.topic_offsets[topics.start]), int(targets.topic_offsets[topics.stop])
        judged = batch.judgements
        number, self.pairs = slices(judged.pair_offsets, batch.topics[bounds])
        shift = judged.pair_offsets[batch.topics[bounds]] - number[:-1]
        has_targets = np.zeros(len(self.pairs), np.bool_)
        self.target_document = targets.pair[low:high] - np.repeat(shift, targets.count[bounds])
        has_targets[self.target_document] = True
        rows = np.arange(batch.offsets[topics.start], batch.offsets[topics.stop])
        rows = rows[(batch.pair[rows] != NONE) & (repeats | ~batch.repeated[rows])]
        document = batch.pair[rows] - shift[batch.topic_of_row[rows] - topics.start]
        there = has_targets[document]
        self.row, self.document = rows[there], document[there]
        self.count = high - low
        inside = slice(int(targets.offsets[low]), int(targets.offsets[high]))
        self.target_size = targets.size[low:high]
        self.target_owner = np.repeat(np.arange(high - low), self.target_size)
        self.targets = Places.of_single_spans(
            self.target_document[self.target_owner], targets.node[inside], targets.start[inside], targets.end[inside]
        )
        self.lengths = np.full(len(self.pairs), NONE) if lengths is None else lengths[self.pairs]

    @cached_property
    def documents(self) -> list[Document | None]:
        judged = self.batch.judgements
        found: list[Document | None] = [None] * len(self.lengths)
        if (self.targets.node == NOT_A_NODE).all():
            return found
        collection = judged.collection
        for number in np.unique(self.document).tolist() if collection is not None else ():
            if collection is not None:
                found[number] = collection[judged.pair_name(int(self.pairs[number]))[1]]
        return found

    @cached_property
    def is_tree(self) -> Bools:
        found: Bools = self.batch.node[self.row] == SEVERAL
        return found

    @property
    def without_trees(self) -> bool:
        """Whether every row and every target is one part."""
        return not self.is_tree.any() and bool((self.target_size == 1).all())

    @cached_property
    def whole(self) -> Places:
        """Each row as one origin; a tree as the characters it covers."""
        offsets, inside = slices(self.batch.span_offsets, self.row)
        node = np.where(self.is_tree, NOT_A_NODE, self.batch.node[self.row])
        return Places(self.document, node, offsets, self.batch.start[inside], self.batch.end[inside])

    @cached_property
    def apart(self) -> tuple[Places, Ints]:
        """Trees as their elements, all other rows as they are; and the row (its number here) that each belongs to."""
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
        """The question with trees taken apart."""
        return self.question(self.apart[0])

    def links(self, row: Ints, target: Ints, probability: Floats) -> TopicLinks:
        """Links by the number of the row here, sorted."""
        order = np.lexsort((row, target))
        return TopicLinks(self.row[row[order]], target[order], probability[order])


def reaching(places: TopicPlaces, model: Navigation) -> TopicLinks:
    """P(target | row), 1 for what a row itself shows; users go from each element of a tree independently."""
    parts, owner = places.of_parts, places.apart[1]
    whole = model.takes_trees_whole and bool(places.is_tree.any())
    found = model.links(places.question(places.whole) if whole else parts)
    row = found.origin if whole else owner[found.origin]
    links = places.links(
        np.concatenate([row, owner[parts.same[0]]]),
        np.concatenate([places.target_owner[found.target], places.target_owner[parts.same[1]]]),
        np.concatenate([found.probability, np.ones(len(parts.same[0]))]),
    )
    fresh = np.ones(len(links), np.bool_)
    fresh[1:] = (links.row[1:] != links.row[:-1]) | (links.target[1:] != links.target[:-1])
    if fresh.all():
        return links
    missed = kernels.running_products(1 - links.probability, np.cumsum(fresh))
    last = np.append(np.flatnonzero(fresh)[1:], len(links)) - 1
    return TopicLinks(links.row[last], links.target[last], 1 - missed[last])


def passing(places: TopicPlaces, model: Navigation) -> TopicLinks:
    """p(target; row) between trees: the mean chance over pairs of an element of either that is not in the other."""
    parts, owner = places.of_parts, places.apart[1]
    found = model.links(parts)
    if places.without_trees:  # what a row says of itself is not asked for: it is a hit there
        return places.links(owner[found.origin], places.target_owner[found.target], found.probability)
    other = ~parts.is_same(found.origin, found.target)
    origin, to, probability = found.origin[other], found.target[other], found.probability[other]
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


class LinksOfTopics:
    """The links of topics, found when they are asked for and kept while there are not too many."""

    def __init__(self, batch: Batch, targets: Targets, nav: Navigation, between_trees: bool) -> None:
        self.batch = batch
        self.targets = targets
        self.model = ready_model(batch.judgements, nav)
        self.between_trees = between_trees
        self.kept: dict[range, TopicLinks] = {}
        self.room = LINKS_KEPT
        self._asked: tuple[range, TopicPlaces] | None = None

    @cached_property
    def groups(self) -> list[range]:
        """The topics that have targets, in their order, those together that are worked on together."""
        together = self.model.takes_topics_together and not self.model.normalise
        pairs = self._pairs.tolist()
        groups: list[range] = []
        size = 0
        for topic in np.flatnonzero(self.targets.scored).tolist():
            size += pairs[topic]
            if together and groups and size <= PAIRS_AT_ONCE:
                groups[-1] = range(groups[-1].start, topic + 1)
            else:
                groups.append(range(topic, topic + 1))
                size = pairs[topic]
        return groups

    @property
    def _pairs(self) -> Ints:
        """How many pairs of a span and a target's element each topic has, of one document."""
        batch, judged = self.batch, self.batch.judgements
        of_span = np.repeat(batch.pair, np.diff(batch.span_offsets))
        spans = np.bincount(of_span[of_span != NONE], minlength=len(judged.pair_doc))
        elements = np.bincount(np.repeat(self.targets.pair, self.targets.size), minlength=len(judged.pair_doc))
        bounds = judged.pair_offsets[batch.topics], judged.pair_offsets[batch.topics + 1]
        found: Ints = kernels.segment_sums(spans * elements, *bounds)
        return found

    def places(self, topics: range) -> TopicPlaces:
        if self._asked is None or self._asked[0] != topics:
            lengths = self.batch.judgements.pair_length if self.model.needs_lengths else None
            self._asked = topics, TopicPlaces(self.batch, self.targets, topics, lengths)
        return self._asked[1]

    def of(self, topics: range) -> TopicLinks:
        if topics in self.kept:
            return self.kept[topics]
        places = self.places(topics)
        found = passing(places, self.model) if self.between_trees else reaching(places, self.model)
        if len(found) <= self.room:
            self.room -= len(found)
            self.kept[topics] = found
        return found


@dataclass(frozen=True)
class Reach(Key):
    """How likely each ideal unit is reached from each result."""

    units: Units
    nav: Navigation

    def required(self) -> tuple[str, ...]:
        lengths = (LENGTHS,) if self.nav.needs_lengths else ()
        return (*self.units.required(), *((COLLECTION,) if self.nav.needs_nodes else ()), *lengths)

    def only_elements(self) -> bool:
        return self.units.ideals == ELEMENTS and self.nav.only_from_elements

    def build(self, batch: Batch, tables: Tables) -> ReachTable:
        returned = tables.get(Returned(self.units.ideals == ELEMENTS))
        return ReachTable(LinksOfTopics(returned, tables.get(self.units), self.nav, between_trees=False))


@dataclass(frozen=True)
class ReachTable:
    links: LinksOfTopics

    @property
    def scored(self) -> Bools:
        return self.links.targets.scored

    @property
    def units(self) -> Ints:
        """How many ideal units each topic has."""
        return self.links.targets.count

    @property
    def ranks(self) -> Ints:
        """How long each topic's list is."""
        return np.diff(self.links.batch.offsets)

    def seen(self, cutoffs: Ints) -> Floats:
        """The expected number of units seen in each topic by a rank."""
        batch = self.links.batch
        total = np.zeros(len(self.units))
        end = batch.offsets[:-1] + np.minimum(cutoffs, self.ranks)
        for topics in self.links.groups:
            links = self.links.of(topics)
            inside = slice(topics.start, topics.stop)
            if (end[inside] < batch.offsets[1:][inside]).any():
                links = links.where(links.row < end[batch.topic_of_row[links.row]])
            seen = 1 - links.unseen[links.last]
            topic = batch.topic_of_row[links.row[links.last]]
            bounds = np.searchsorted(topic, np.arange(topics.start, topics.stop + 1))
            total[inside] = kernels.segment_sums(seen, bounds[:-1], bounds[1:])
        return total

    def steps(self) -> Iterator[Steps]:
        """The links of all topics that have units, some topics at a time."""
        group: list[range] = []
        found: list[TopicLinks] = []
        for topics in self.links.groups:
            links = self.links.of(topics)
            if group and sum(map(len, found)) + len(links) > LINKS_AT_ONCE:
                yield Steps.of(self.links, group, found)
                group, found = [], []
            group.append(topics)
            found.append(links)
        if group:
            yield Steps.of(self.links, group, found)


@dataclass(frozen=True)
class Steps:
    """Links of some topics with the chances that the unit is seen before and after them, sorted by topic and unit.

    A step is a rank from which something is reached; those of topic t are ``rank[offsets[t]:offsets[t+1]]``.
    """

    topics: Ints
    topic: Ints
    unit: Ints
    step: Ints
    before: Floats
    after: Floats
    offsets: Ints
    rank: Ints

    @classmethod
    def of(cls, links: LinksOfTopics, groups: Sequence[range], found: Sequence[TopicLinks]) -> Steps:
        """Steps of groups of topics that follow each other, from their links."""
        batch, targets = links.batch, links.targets
        every = np.arange(groups[0].start, groups[-1].stop)
        topics = every[targets.scored[every]]
        row = _joined([part.row for part in found])
        unit = [part.target + targets.topic_offsets[group.start] for group, part in zip(groups, found, strict=True)]
        first = int(batch.offsets[groups[0].start])
        is_step = np.zeros(int(batch.offsets[groups[-1].stop]) - first, np.bool_)
        is_step[row - first] = True
        place = np.concatenate([[0], np.cumsum(is_step)])
        begin, end = place[batch.offsets[topics] - first], place[batch.offsets[topics + 1] - first]
        topic = np.searchsorted(topics, batch.topic_of_row[row])
        at = np.flatnonzero(is_step) + first
        return cls(
            topics,
            topic,
            _joined(unit),
            place[row - first] - begin[topic],
            1 - np.concatenate([part.before for part in found]),
            1 - np.concatenate([part.unseen for part in found]),
            np.append(begin, end[-1:]),
            at - batch.offsets[batch.topic_of_row[at]] + 1,
        )

    @property
    def _links(self) -> tuple[Ints, Ints, Ints, Floats, Floats, Ints]:
        return self.topic, self.unit, self.step, self.before, self.after, np.diff(self.offsets)

    def below(self, need: Ints) -> tuple[Floats, Floats]:
        """After each step, the chance that fewer than `need` units are seen; and that so few were, none new at it."""
        return kernels.chances_below(*self._links, need)

    def mean_effort(self, units: Ints) -> Floats:
        return kernels.mean_effort(*self._links, self.rank, units)

    def each(self) -> Iterator[tuple[int, slice]]:
        """Every topic with its steps."""
        for topic, low, high in zip(
            self.topics.tolist(), self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True
        ):
            yield topic, slice(low, high)
