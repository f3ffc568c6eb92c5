"""The relevant parts of each query as targets of navigation, and the results as parts of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from partwise.errors import PathError
from partwise.messages import measures as messages
from partwise.model import NO_GRADE, NONE, Bools, Floats, Ints, slices
from partwise.records import record
from partwise.relevance.quantise import fits_scale, unit_grades
from partwise.resolving import NOT_A_NODE, Batch, Judgements
from partwise.tables import BEPS, COLLECTION, GRADES, HIGHLIGHTS, PARTS, Key, Tables
from partwise.tables.gain import as_elements, results_in
from partwise.tables.grades import Graded, graded_queries, relevant_pairs, with_graded_elements
from partwise.tables.text import highlighted_in

if TYPE_CHECKING:
    from partwise.collection import Document

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


@record()
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


@record()
class Units(Key):
    """The ideal units of each query: ideal elements under a quantisation, highlighted passages, or entry points."""

    ideals: str
    quant: str | None = None

    def required(self) -> tuple[str, ...]:
        return {ELEMENTS: (COLLECTION, GRADES), PASSAGES: (HIGHLIGHTS,), BEP: (BEPS,)}[self.ideals]

    def build(self, batch: Batch, tables: Tables) -> Targets:
        if self.ideals == PASSAGES:
            return _passages(batch.judgements, batch.queries)
        if self.ideals == BEP:
            return _entry_points(batch)
        judged = batch.judgements
        parts: list[tuple[Ints, Ints, Ints, Ints]] = []
        for documents in graded_queries(judged, batch.queries, self.quant or ""):
            offsets, node = documents.ideal_offsets, documents.ideal
            document = np.repeat(np.arange(len(documents.pairs)), np.diff(offsets))
            row = documents.forest.offsets[documents.trees.tree[document]] + node
            parts.append((documents.pairs[document], node, documents.forest.start[row], documents.forest.end[row]))
        pair, node, start, end = (joined([part[i] for part in parts]) for i in range(4))
        order, query_offsets = _in_file_order(judged, batch.queries, pair)
        return Targets.single(query_offsets, pair[order], node[order], start[order], end[order])


def joined(parts: Sequence[Ints]) -> Ints:
    """Columns of whole numbers concatenated; an empty one if there are none."""
    return np.concatenate([np.empty(0, np.int64), *parts])


def _in_file_order(judged: Judgements, queries: Ints, pair: Ints) -> tuple[Ints, Ints]:
    """The order of parts by query, the line of their document, and document; and the parts of each query as offsets.

    `queries` are ascending; parts of other queries are left out.
    """
    query = judged.pair_query[pair]
    here = np.flatnonzero(np.isin(query, queries))
    order = here[np.lexsort((pair[here], judged.lines[pair[here]], query[here]))]
    bounds = np.searchsorted(query[order], queries)
    return order, np.append(bounds, len(order))


def _passages(judged: Judgements, queries: Ints) -> Targets:
    query_offsets, inside = slices(judged.passage_offsets[judged.pair_offsets], queries)
    of_passage = judged.pair_of_passage
    query = np.repeat(np.arange(len(queries)), np.diff(query_offsets))
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


@record()
class Relevant(Key):
    """The relevant parts of each query: judged elements and trees, or highlighted passages."""

    parts: str

    def required(self) -> tuple[str, ...]:
        return (COLLECTION, PARTS) if self.parts == ELEMENTS else (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> RelevantParts:
        judged, queries = batch.judgements, batch.queries
        make = _relevant_passages if self.parts == PASSAGES else _relevant_parts
        return judged.remembered(("relevant", self.parts, queries.tobytes()), lambda: make(judged, queries))


@record()
class RelevantParts:
    """Relevant parts, with their highlighted characters and specificity."""

    targets: Targets
    length: Floats
    specificity: Floats

    def worth(self, rel: str) -> Floats:
        """rel(a) of each part."""
        return {"binary": np.ones(len(self.length)), "length": self.length, "spe": self.specificity}[rel]


def _relevant_passages(judged: Judgements, queries: Ints) -> RelevantParts:
    passages = _passages(judged, queries)
    length = (passages.end - passages.start).astype(np.float64)
    return RelevantParts(passages, length, np.ones(len(length)))


def _relevant_parts(judged: Judgements, queries: Ints) -> RelevantParts:
    """The elements judged relevant (or, without grades and trees, those with highlighted text), and the trees."""
    parts = [
        part
        for documents in graded_queries(judged, queries, "spe", with_trees=True)
        for part in (_relevant_elements(judged, documents), _relevant_trees(judged, documents))
    ]
    pair, size, length, specificity = (
        np.concatenate([np.empty(0, kind), *(part[i] for part in parts)])
        for i, kind in ((0, np.int64), (1, np.int64), (2, np.float64), (3, np.float64))
    )
    order, query_offsets = _in_file_order(judged, queries, pair)
    offsets, inside = slices(np.concatenate([[0], np.cumsum(size)]), order)
    node, start, end = (joined([part[4][i] for part in parts])[inside] for i in range(3))
    targets = Targets(query_offsets, pair[order], offsets, node, start, end)
    return RelevantParts(targets, length[order], specificity[order])


_Parts = tuple[Ints, Ints, Floats, Floats, tuple[Ints, Ints, Ints]]
"""The pair, the number of elements, the highlighted characters and the specificity of each part; and of each element of
all parts its number, start and end."""


def _relevant_elements(judged: Judgements, documents: Graded) -> _Parts:
    of_trees = np.zeros(len(judged.pair_doc), np.bool_)
    of_trees[judged.tree_pair[_is_relevant_tree(judged)]] = True
    counts = ~of_trees[documents.pairs] | with_graded_elements(judged, documents.pairs)
    rows = np.flatnonzero(documents.relevant & np.repeat(counts, np.diff(documents.offsets)))
    document = documents.document[rows]
    pair, at = documents.pairs[document], documents.trees.row[rows]
    start, end = documents.forest.start[at], documents.forest.end[at]
    s = documents.specificity[rows]
    marked = highlighted_in(judged, pair, start, end)
    length = np.where(judged.highlighted[pair] > 0, marked.astype(np.float64), s * (end - start))
    return pair, np.ones(len(rows), np.int64), length, s, (documents.node[rows], start, end)


def _is_relevant_tree(judged: Judgements) -> Bools:
    relevant: Bools = ~((judged.tree_exhaustivity <= 0) | (judged.tree_specificity <= 0))
    return relevant


def _relevant_trees(judged: Judgements, documents: Graded) -> _Parts:
    items = np.flatnonzero(_is_relevant_tree(judged))
    here, place = documents.places(judged.tree_pair[items])
    here = here[np.argsort(place, kind="stable")]
    trees = [(int(item), *_nodes_of_tree(judged, documents, int(item))) for item in items[here].tolist()]
    worth = [_worth_of_tree(judged, item, nodes, document) for item, nodes, document in trees]
    return (
        judged.tree_pair[items[here]],
        np.array([len(nodes) for _, nodes, _ in trees], np.int64),
        np.array([length for length, _ in worth], np.float64),
        np.array([s for _, s in worth], np.float64),
        (
            joined([nodes for _, nodes, _ in trees]),
            joined([document.start[nodes] for _, nodes, document in trees]),
            joined([document.end[nodes] for _, nodes, document in trees]),
        ),
    )


def _nodes_of_tree(judged: Judgements, documents: Graded, item: int) -> tuple[Ints, Document]:
    """The elements of a judged tree, and their document."""
    place = np.searchsorted(documents.pairs, judged.tree_pair[item])
    document = documents.forest.document(int(documents.trees.tree[place]))
    try:
        nodes = {document.node(path) for path in judged.tree_paths[item]}
    except PathError as error:
        raise judged.assessments.source.error(error.text, line=int(judged.tree_lines[item])) from None
    return np.array(sorted(nodes), np.int64), document


def _worth_of_tree(judged: Judgements, item: int, nodes: Ints, document: Document) -> tuple[float, float]:
    """The highlighted characters of a tree and its specificity, from its highlights, else from its grade."""
    outer = nodes[[not ((nodes < node) & (document.last[nodes] > node)).any() for node in nodes.tolist()]]
    start, end = document.start[outer], document.end[outer]
    size = float((end - start).sum())
    pair = int(judged.tree_pair[item])
    marked = highlighted_in(judged, np.full(len(outer), pair), start, end)
    held = float(marked.sum()) if judged.highlighted[pair] else None
    grade = judged.tree_specificity[item]
    if np.isnan(grade):
        s = 1.0 if held is None else held / size if size else 0.0
    else:
        s = float(unit_grades(judged.assessments.scale or "", np.ones(1), np.array([grade]))[1][0])
    return s * size if held is None else held, s


# ---- results --------------------------------------------------------------------------------------------------


@record()
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
        for documents in graded_queries(judged, batch.queries, "spe", with_trees=True):
            inside, place = results_in(batch, documents)
            node[inside] = as_elements(batch, documents.forest, inside, documents.trees.tree[place])
        tables.count_elements(node[rows] != NOT_A_NODE)
        return replace(batch, node=node)
