"""Models of the document tree: up and down, by depth, and by the structural summary of the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from partwise.model import Coded, Floats
from partwise.navigation.base import Links, Navigation, Question
from partwise.navigation.files import weights_in
from partwise.parameters import Param
from partwise.types import GROUPINGS

if TYPE_CHECKING:
    from partwise.collection import Collection, Forest

DEEPEST = 3


class hierarchy(Navigation):
    """Users go up and down the tree: size(x)/size(r) to a descendant, size(r)/size(x) to an ancestor, else nowhere."""

    needs_nodes = True
    takes_queries_together = True

    def probabilities(self, question: Question) -> Links:
        origin, target = question.elements
        a, b = question.origins, question.targets
        r, x = a.node[origin], b.node[target]
        below = (x > r) & (x < question.column(a, lambda forest: forest.last, 0)[origin])
        above = (r > x) & (r < question.column(b, lambda forest: forest.last, 0)[target])
        related = below | above
        origin, target = origin[related], target[related]
        sizes = np.sort([a.size[origin], b.size[target]], axis=0)
        return Links(
            origin, target, np.divide(sizes[0], sizes[1], out=np.zeros(len(origin)), where=(sizes > 0).all(axis=0))
        )


class depth(Navigation):
    """Users prefer shallow elements: by the depth of x, weights 1, 1/2, 1/3 and (3 or more) 1/4, over their sum."""

    needs_nodes = True
    takes_queries_together = True

    def probabilities(self, question: Question) -> Links:
        origin, target = question.elements
        weight = 1 / np.arange(1, DEEPEST + 2)
        level = np.minimum(question.column(question.targets, lambda forest: forest.depth, 0), DEEPEST)
        return Links(origin, target, (weight / weight.sum())[level][target])


def partition(forest: Forest, by: str) -> Coded:
    """The partition of each element: its tag, or its label path."""
    return forest.tags if by == "tag" else forest.labels


class Shares(Navigation):
    """Users browse at random: P(x | r) = 1 - share of time spent in the partition of x."""

    needs_nodes = True
    takes_queries_together = True

    def __init__(self, by: str, shares: Mapping[str, float], normalise: bool) -> None:
        super().__init__(normalise=normalise)
        self.by = by
        self.shares = shares

    def probabilities(self, question: Question) -> Links:
        origin, target = question.elements

        def outside(forest: Forest) -> Floats:
            of_node = partition(forest, self.by)
            shares: Floats = np.array([1 - self.shares.get(name, 0.0) for name in of_node.names])[of_node.codes]
            return shares

        return Links(origin, target, question.column(question.targets, outside, 0.0)[target])


class summary(Navigation):
    """Users browse the structure at random: P(x | r) = 1 - π(x), the stationary share of x's partition.

    One partition per tag or label path of the collection; its extent is its number of elements. Every pair of parent
    and child partitions weighs the extent of the child, in both directions; π is a partition's share of all weight.
    """

    needs_nodes = True
    by: Param[str] = Param(str, default="path", choices=GROUPINGS, help="how elements are grouped")
    weights: Param[str | None] = Param(str, default=None, help="a file of weights: columns from, to, weight")

    def ready(self, collection: Collection | None) -> Navigation:
        if self.weights is not None:
            weights = weights_in(self.weights, self.by)
        else:
            weights = summary_weights({} if collection is None else collection.label_counts(), self.by)
        return Shares(self.by, stationary_shares(weights), self.normalise)

    def probabilities(self, question: Question) -> Links:
        return self.ready(None).probabilities(question)


def summary_weights(labels: Mapping[str, int], by: str) -> dict[tuple[str, str], float]:
    """The weight between every two partitions of which one has a child in the other."""

    def name(label: str) -> str:
        return label.rpartition("/")[2] if by == "tag" else label

    extent: dict[str, int] = {}
    for label, count in labels.items():
        extent[name(label)] = extent.get(name(label), 0) + count
    above = {(name(label.rpartition("/")[0]), name(label)) for label in labels if label.rpartition("/")[0]}
    weights: dict[tuple[str, str], float] = {}
    for parent, child in sorted(above):
        for pair in {(parent, child), (child, parent)}:
            weights[pair] = weights.get(pair, 0.0) + extent[child]
    return weights


def stationary_shares(weights: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """The share of all weight in each partition's row."""
    rows: dict[str, float] = {}
    for (start, _), weight in weights.items():
        rows[start] = rows.get(start, 0.0) + weight
    total = sum(weights.values())
    return {start: weight / total for start, weight in rows.items()} if total else {}
