"""Models that need no structure: what a part shows of another, and how far it is away."""

from __future__ import annotations

import numpy as np

from partwise import kernels
from partwise.model import NONE
from partwise.navigation.base import Links, Navigation, Question
from partwise.parameters import Param


class none(Navigation):
    """Users go nowhere."""

    takes_queries_together = True
    only_from_elements = True

    def probabilities(self, question: Question) -> Links:
        nothing = np.empty(0, np.int64)
        return Links(nothing, nothing, np.empty(0))


class coverage(Navigation):
    """Users see of a part what the result shows of it: |r and x| / |x|; an entry point if the result contains it."""

    takes_trees_whole = True
    takes_queries_together = True

    def probabilities(self, question: Question) -> Links:
        a, b = question.origins, question.targets
        origin, target, shared = kernels.shared_lengths(
            a.document, a.span_offsets, a.start, a.end, b.document, b.span_offsets, b.start, b.end
        )
        links = Links(origin, target, shared / b.size[target])
        if not b.is_point.any():
            return links
        # A point is there where the character behind it is.
        point = np.flatnonzero(b.is_point)
        i, j, _ = kernels.shared_lengths(
            a.document, a.span_offsets, a.start, a.end,
            b.document[point], np.arange(len(point) + 1), b.first[point], b.first[point] + 1,
        )  # fmt: skip
        return Links(
            np.concatenate([links.origin, i]),
            np.concatenate([links.target, point[j]]),
            np.concatenate([links.probability, np.ones(len(i))]),
        )


class distance(Navigation):
    """Users go far less likely than near: A·L / (A·L + |start(x) - start(r)|), L being the document's length."""

    needs_lengths = True
    takes_trees_whole = True
    takes_queries_together = True
    A: Param[float] = Param(float, default=0.1, above=0, help="how much distance is forgiven, as a share of the length")

    def probabilities(self, question: Question) -> Links:
        origin, target = question.pairs
        length = question.lengths[question.origins.document[origin]]
        forgiven = self.A * np.where(length == NONE, 0, length)
        away = np.abs(question.origins.first[origin] - question.targets.first[target])
        whole = forgiven + away
        return Links(origin, target, np.divide(forgiven, whole, out=np.zeros(len(whole)), where=whole > 0))
