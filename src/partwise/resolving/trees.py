"""The trees of judged documents, and the paths to their elements."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from partwise import later
from partwise.errors import PathError
from partwise.messages import measures as messages
from partwise.model import Coded, Ints, slices
from partwise.resolving.judgements import Judgements

if TYPE_CHECKING:
    from partwise.collection import Forest


class JudgedTrees:
    """The trees of some pairs: pair ``pairs[i]`` has tree ``tree[i]`` of the forest, which queries may share."""

    def __init__(self, pairs: Ints, forest: Forest, tree: Ints) -> None:
        self.pairs = pairs
        self.forest = forest
        self.tree = tree

    @cached_property
    def offsets(self) -> Ints:
        """The nodes of each pair, pair after pair."""
        return self._nodes[0]

    @property
    def row(self) -> Ints:
        """The row in the forest of each node."""
        return self._nodes[1]

    @cached_property
    def _nodes(self) -> tuple[Ints, Ints]:
        return slices(self.forest.offsets, self.tree)

    def part(self, low: int, high: int) -> JudgedTrees:
        """The pairs from `low` to `high` alone."""
        return JudgedTrees(self.pairs[low:high], self.forest, self.tree[low:high])


def trees_of(judgements: Judgements, pairs: Ints) -> JudgedTrees:
    """The trees of these pairs; the first document that is not in the collection, or cannot be read, is an error."""
    docs, tree = np.unique(judgements.pair_doc[pairs], return_inverse=True)
    names = [judgements.assessments.docs[doc] for doc in docs.tolist()]
    collection = judgements.collection
    is_known = np.zeros(len(names), np.bool_) if collection is None else collection.has(names)
    missing = np.flatnonzero(~is_known[tree])
    if len(missing):
        if missing[0]:
            trees_of(judgements, pairs[: missing[0]])  # an error of an earlier document comes first
        pair = int(pairs[missing[0]])
        raise judgements.error(messages.NOT_IN_COLLECTION(doc=judgements.pair_name(pair)[1]), pair=pair)
    if collection is None:
        return JudgedTrees(pairs, later.collection.Forest.of([]), tree)
    first = np.full(len(names), len(pairs))
    np.minimum.at(first, tree, np.arange(len(pairs)))
    order = np.argsort(first, kind="stable")  # the first document that cannot be read is the one to report
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return JudgedTrees(pairs, collection.forest([names[doc] for doc in order.tolist()]), place[tree])


def elements_at(judgements: Judgements, trees: JudgedTrees, place: Ints, items: Ints) -> Ints:
    """The nodes of graded elements; `place` is the index of each one's pair among the trees."""
    paths: Coded = judgements.remembered("element paths", lambda: Coded.of(judgements.element_path))
    node, _, _ = trees.forest.located(trees.tree[place], paths.take(items))
    for at in np.flatnonzero(node < 0).tolist():
        item = int(items[at])
        try:
            node[at] = trees.forest.document(int(trees.tree[place[at]])).node(judgements.element_path[item])
        except PathError as error:
            raise judgements.assessments.source.error(error.text, line=int(judgements.element_lines[item])) from None
    return node
