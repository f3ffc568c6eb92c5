"""The relevant parts of each query as targets of navigation, and the results as parts of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from partwise.collection import Document
from partwise.errors import PathError
from partwise.messages import measures as messages
from partwise.model import NO_GRADE, NONE, Bools, Floats, Ints, slices
from partwise.relevance.quantise import fits_scale, unit_grades
from partwise.resolving import NOT_A_NODE, Batch, Judgements
from partwise.tables import BEPS, COLLECTION, GRADES, HIGHLIGHTS, PARTS, Key, Tables
from partwise.tables.gain import elements_of, graded_document, relevant_pairs, together
from partwise.tables.text import highlighted_in

ELEMENTS = "elements"
PASSAGES = "passages"
BEP = "bep"


def check_trees(judgements: Judgements) -> None:
    """Raise an error if trees are graded without a scale, or off their scale."""
    graded = np.flatnonzero(~np.isnan(judgements.tree_exhaustivity))
    scale, source = judgements.assessments.scale, judgements.assessments.source
    if not len(graded):
        return
    if scale is None:
        raise source.error(messages.TREES_WITHOUT_SCALE())
    e, s = judgements.tree_exhaustivity[graded], judgements.tree_specificity[graded]
    for item in graded[~fits_scale(scale, e, s)][:1].tolist():
        grades = judgements.tree_exhaustivity[item], judgements.tree_specificity[item]
        text = messages.OFF_SCALE(exhaustivity=grades[0], specificity=grades[1], scale=scale)
        raise source.error(text, line=int(judgements.tree_lines[item]))


# ---- relevant parts -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Targets:
    """Relevant parts, query after query: their pairs and their elements or spans (a passage has one).

    The elements of target i are ``node[offsets[i]:offsets[i+1]]``; -1 is a passage or an entry point. The documents of
    a query are in the order of the file, so that sums over them have the same bits whatever other queries there are.
    """

    query_offsets: Ints
    pair: Ints
    offsets: Ints
    node: Ints
    start: Ints
    end: Ints

    @property
    def count(self) -> Ints:
        """The number of targets of each query."""
        return np.diff(self.query_offsets)

    @property
    def scored(self) -> Bools:
        return self.count > 0

    @cached_property
    def size(self) -> Ints:
        """The number of elements (or spans) of each target."""
        return np.diff(self.offsets)

    @classmethod
    def single(cls, query_offsets: Ints, pair: Ints, node: Ints, start: Ints, end: Ints) -> Targets:
        return cls(query_offsets, pair, np.arange(len(pair) + 1), node, start, end)


@dataclass(frozen=True)
class Units(Key):
    """The ideal units of each query: ideal elements under a quantisation, highlighted passages, or entry points."""

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
            judged.remembered(("units", self.quant, query), partial(self._of_query, judged, query, relevant))
            for query in batch.queries.tolist()
        ]
        query_offsets = np.cumsum([0, *(len(pair) for pair, _, _, _ in columns)], dtype=np.int64)
        return Targets.single(query_offsets, *(joined([part[i] for part in columns]) for i in range(4)))

    def _of_query(self, judged: Judgements, query: int, relevant: Bools) -> tuple[Ints, Ints, Ints, Ints]:
        """The ideal elements of a query: their pairs, numbers, starts and ends."""
        pairs, nodes, starts, ends = [], [], [], []
        for pair in _in_file_order(judged, query, relevant):
            graded = graded_document(judged, pair, self.quant or "")
            pairs.append(np.full(len(graded.ideal), pair))
            nodes.append(graded.ideal)
            starts.append(graded.document.start[graded.ideal])
            ends.append(graded.document.end[graded.ideal])
        return joined(pairs), joined(nodes), joined(starts), joined(ends)


def joined(parts: Sequence[Ints]) -> Ints:
    """Columns of whole numbers concatenated; an empty one if there are none."""
    return np.concatenate([np.empty(0, np.int64), *parts])


def _in_file_order(judged: Judgements, query: int, chosen: Bools) -> list[int]:
    """The chosen pairs of a query, in the order of their lines."""
    pairs = np.arange(judged.pair_offsets[query], judged.pair_offsets[query + 1])
    pairs = pairs[chosen[pairs]]
    in_order: list[int] = pairs[np.argsort(judged.lines[pairs], kind="stable")].tolist()
    return in_order


def _passages(batch: Batch) -> Targets:
    judged = batch.judgements
    query_offsets, inside = slices(judged.passage_offsets[judged.pair_offsets], batch.queries)
    of_passage = np.repeat(np.arange(len(judged.pair_doc)), np.diff(judged.passage_offsets))
    query = np.repeat(np.arange(len(batch.queries)), np.diff(query_offsets))
    inside = inside[np.lexsort((judged.lines[of_passage[inside]], query))]
    pair = of_passage[inside]
    start, end = judged.passage_start[inside], judged.passage_end[inside]
    return Targets.single(query_offsets, pair, np.full(len(pair), NOT_A_NODE), start, end)


def _entry_points(batch: Batch) -> Targets:
    """The best entry points of relevant documents; all of them if nothing else is judged."""
    judged = batch.judgements
    only = not judged.has_highlights and not judged.has_grades and not bool((judged.grade != NO_GRADE).any())
    with_point = np.flatnonzero((judged.bep != NONE) & (only | (judged.relevance > 0)))
    query_offsets, inside = slices(np.searchsorted(with_point, judged.pair_offsets), batch.queries)
    query = np.repeat(np.arange(len(batch.queries)), np.diff(query_offsets))
    pair = with_point[inside]
    pair = pair[np.lexsort((judged.lines[pair], query))]
    return Targets.single(query_offsets, pair, np.full(len(pair), NOT_A_NODE), judged.bep[pair], judged.bep[pair])


@dataclass(frozen=True)
class Relevant(Key):
    """The relevant parts of each query: judged elements and trees, or highlighted passages."""

    parts: str

    def required(self) -> tuple[str, ...]:
        return (COLLECTION, PARTS) if self.parts == ELEMENTS else (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> RelevantParts:
        if self.parts == PASSAGES:
            passages = _passages(batch)
            length = (passages.end - passages.start).astype(np.float64)
            return RelevantParts(passages, length, np.ones(len(length)))
        judged = batch.judgements
        query_offsets = [0]
        parts: list[_PartsOfPair] = []
        relevant = relevant_pairs(judged)
        relevant[judged.tree_pair] = True
        for query in batch.queries.tolist():
            parts += [_parts_of_pair(judged, pair) for pair in _in_file_order(judged, query, relevant)]
            query_offsets.append(sum(len(part.pair) for part in parts))
        targets = Targets(
            np.array(query_offsets),
            joined([part.pair for part in parts]),
            np.concatenate([[0], np.cumsum(joined([part.size for part in parts]))]),
            joined([part.node for part in parts]),
            joined([part.start for part in parts]),
            joined([part.end for part in parts]),
        )
        empty = np.empty(0)
        length = np.concatenate([empty, *(part.length for part in parts)])
        return RelevantParts(targets, length, np.concatenate([empty, *(part.specificity for part in parts)]))


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
    return judged.remembered(("relevant parts", pair), lambda: _computed_parts(judged, pair))


def _computed_parts(judged: Judgements, pair: int) -> _PartsOfPair:
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
    nodes = joined([elements, *(nodes for _, nodes in trees)])
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
    trees = []
    for item in np.flatnonzero(judged.tree_pair == pair).tolist():
        if judged.tree_exhaustivity[item] <= 0 or judged.tree_specificity[item] <= 0:
            continue
        try:
            nodes = {document.node(path) for path in judged.tree_paths[item]}
        except PathError as error:
            line = int(judged.tree_lines[item])
            raise judged.assessments.source.error(error.text, line=line) from None
        trees.append((item, np.array(sorted(nodes), np.int64)))
    return trees


def _worth_of_tree(
    judged: Judgements, item: int, nodes: Ints, document: Document, marked: Ints | None
) -> tuple[float, float]:
    """The highlighted characters of a tree and its specificity, from its highlights, else from its grade."""
    outer = nodes[[not ((nodes < node) & (document.last[nodes] > node)).any() for node in nodes.tolist()]]
    size = float((document.end[outer] - document.start[outer]).sum())
    held = None if marked is None else float(marked[outer].sum())
    grade = judged.tree_specificity[item]
    if np.isnan(grade):
        s = 1.0 if held is None else held / size if size else 0.0
    else:
        s = float(unit_grades(judged.assessments.scale or "", np.ones(1), np.array([grade]))[1][0])
    return s * size if held is None else held, s


# ---- results --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Returned(Key):
    """The results as elements (a span of exactly one element counts as that element), or all of them as text."""

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
