"""The grades of the nodes of judged documents, their values under a quantisation, and the ideal elements."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from partwise import kernels
from partwise.messages import measures as messages
from partwise.model import Bools, Floats, Ints, slices
from partwise.records import record
from partwise.relevance.quantise import HIGHLIGHTS as HIGHLIGHTED
from partwise.relevance.quantise import fits_scale, quantised, unit_grades
from partwise.resolving import Judgements
from partwise.resolving.trees import JudgedTrees, elements_at, trees_of
from partwise.tables.text import highlighted_in

if TYPE_CHECKING:
    from partwise.collection import Forest

NODES_AT_ONCE = 1 << 20
"""Documents are processed together up to this number of nodes."""


@record(eq=False, repr=False)
class Graded:
    """Judged documents of some queries: the grades of their nodes on the unit scale, and their values.

    Document i is pair ``trees.pairs[i]``; the rows of its nodes are ``offsets[i]:offsets[i+1]``, and its ideal
    elements ``ideal[ideal_offsets[i]:ideal_offsets[i+1]]``, numbered from 0 in each document.
    """

    trees: JudgedTrees
    exhaustivity: Floats
    specificity: Floats
    value: Floats
    relevant: Bools

    @property
    def pairs(self) -> Ints:
        return self.trees.pairs

    @property
    def forest(self) -> Forest:
        return self.trees.forest

    @property
    def offsets(self) -> Ints:
        return self.trees.offsets

    @cached_property
    def node(self) -> Ints:
        """The number of each node in its document."""
        return np.arange(len(self.value)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @cached_property
    def document(self) -> Ints:
        """The document of each node."""
        return np.repeat(np.arange(len(self.pairs)), np.diff(self.offsets))

    @cached_property
    def _ideal(self) -> tuple[Ints, Ints]:
        forest = self.forest
        return kernels.ideal_elements(
            forest.offsets, forest.last, self.trees.tree, self.offsets, self.value, self.relevant
        )

    @property
    def ideal_offsets(self) -> Ints:
        return self._ideal[0]

    @property
    def ideal(self) -> Ints:
        return self._ideal[1]

    @cached_property
    def every(self) -> tuple[Ints, Ints]:
        """All relevant elements with a value, as offsets and nodes: the ideal elements of Thorough."""
        rows = np.flatnonzero(self.relevant & (self.value > 0))
        return np.searchsorted(rows, self.offsets), self.node[rows]

    def ideals(self, kind: str) -> tuple[Ints, Ints]:
        """The ideal elements of each document, as offsets and nodes: the ``focused`` ones, or ``all``."""
        return self.every if kind == "all" else self._ideal

    def places(self, pairs: Ints) -> tuple[Ints, Ints]:
        """Which of these pairs are among the documents, and the documents that they are."""
        at = np.minimum(np.searchsorted(self.pairs, pairs), max(len(self.pairs) - 1, 0))
        here = np.flatnonzero(self.pairs[at] == pairs) if len(self.pairs) else at[:0]
        return here, at[here]


def graded_queries(judgements: Judgements, queries: Ints, quant: str, with_trees: bool = False) -> list[Graded]:
    """The relevant documents of these queries, `with_trees` also those with judged trees; cached for other runs."""
    by_query: dict[int, Graded | None] = judgements.remembered(("graded", quant, with_trees), dict)

    def grade_missing() -> None:
        missing = np.array([query for query in queries.tolist() if query not in by_query], np.int64)
        relevant = relevant_pairs(judgements)
        if with_trees:
            relevant[judgements.tree_pair] = True
        pairs = slices(judgements.pair_offsets, np.sort(missing))[1]
        pairs = pairs[relevant[pairs]]
        trees = trees_of(judgements, pairs)
        bounds = _bounds(judgements.pair_query[pairs], trees.offsets)
        graded = [graded_trees(judgements, trees.part(low, high), quant) for low, high in bounds]
        by_query.update(dict.fromkeys(missing.tolist()))
        for of_queries in graded:
            by_query.update(dict.fromkeys(judgements.pair_query[of_queries.pairs].tolist(), of_queries))

    if any(query not in by_query for query in queries.tolist()):
        judgements.locked(grade_missing)
    parts = dict.fromkeys(by_query[query] for query in queries.tolist())
    return [graded for graded in parts if graded is not None]


def _bounds(query: Ints, offsets: Ints) -> list[tuple[int, int]]:
    """The first and last documents of parts of whole queries with up to `NODES_AT_ONCE` nodes, or one query."""
    bounds: list[tuple[int, int]] = []
    ends = np.append(np.flatnonzero(np.diff(query)) + 1, len(query)).tolist() if len(query) else []
    low = 0
    for before, end in zip([0, *ends], ends, strict=False):
        if before > low and offsets[end] - offsets[low] > NODES_AT_ONCE:
            bounds.append((low, before))
            low = before
    return [*bounds, (low, ends[-1])] if ends else []


def graded_pairs(judgements: Judgements, pairs: Ints, quant: str) -> Graded:
    """The documents of these pairs, which are sorted."""
    return graded_trees(judgements, trees_of(judgements, pairs), quant)


def graded_trees(judgements: Judgements, trees: JudgedTrees, quant: str) -> Graded:
    """The grades of these documents: those of their elements, or the highlighted share of each node."""
    count = int(trees.offsets[-1])
    e, s = np.zeros(count), np.zeros(count)
    order, bounds = _elements_by_pair(judgements)
    of_pair, items = slices(bounds, trees.pairs)
    items = order[items]
    place = np.repeat(np.arange(len(trees.pairs)), np.diff(of_pair))
    at = trees.offsets[place] + elements_at(judgements, trees, place, items)
    e[at], s[at] = judgements.exhaustivity[items], judgements.specificity[items]
    has_grades = np.repeat(np.diff(of_pair) > 0, np.diff(trees.offsets))
    shared = np.flatnonzero(~has_grades)
    if len(shared):
        row = trees.row[shared]
        pair = np.repeat(trees.pairs, np.diff(trees.offsets))[shared]
        start, end = trees.forest.start[row], trees.forest.end[row]
        highlighted = highlighted_in(judgements, pair, start, end)
        size = end - start
        s[shared] = np.divide(highlighted, size, out=np.zeros(len(shared)), where=size > 0)
        e[shared] = highlighted > 0
    value, unit_e, unit_s = np.zeros(count), np.zeros(count), np.zeros(count)
    for scale, rows in ((judgements.scale or "", np.flatnonzero(has_grades)), (HIGHLIGHTED, shared)):
        if len(rows):
            value[rows] = quantised(quant, scale, e[rows], s[rows])
            unit_e[rows], unit_s[rows] = unit_grades(scale, e[rows], s[rows])
    return Graded(trees, unit_e, unit_s, value, (e > 0) & (s > 0))


def _elements_by_pair(judgements: Judgements) -> tuple[Ints, Ints]:
    """The graded elements in the order of their pairs, and those of each pair as offsets."""

    def by_pair() -> tuple[Ints, Ints]:
        order = np.argsort(judgements.element_pair, kind="stable")
        return order, np.searchsorted(judgements.element_pair[order], np.arange(len(judgements.pair_doc) + 1))

    return judgements.remembered("elements", by_pair)


def with_graded_elements(judgements: Judgements, pairs: Ints) -> Bools:
    """Whether each of these pairs has graded elements."""
    bounds = _elements_by_pair(judgements)[1]
    has_elements: Bools = bounds[pairs + 1] > bounds[pairs]
    return has_elements


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


def totals(judgements: Judgements, graded: list[Graded], queries: Ints, column: str) -> Floats:
    """The sum of a column over the nodes of each query; exact, so that no order of documents changes the last bit."""
    total = np.zeros(len(queries))
    for of_queries in graded:
        values = getattr(of_queries, column)
        rows = np.flatnonzero(values)
        query = judgements.pair_query[of_queries.pairs[of_queries.document[rows]]]
        low, high = np.searchsorted(query, queries), np.searchsorted(query, queries, side="right")
        for at in np.flatnonzero(low < high).tolist():
            total[at] = math.fsum(values[rows[low[at] : high[at]]].tolist())
    return total
