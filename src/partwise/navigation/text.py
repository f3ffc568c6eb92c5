"""Models that need no structure: by the text that two parts share, and by their distance."""

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
    """Users see the share of a part that the result contains: |r and x| / |x|; 1 for an entry point inside it."""

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
        # A result contains a point if it contains the character that follows.
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
    """Users prefer near parts: A·L / (A·L + |start(x) - start(r)|), L being the document's length."""

    needs_lengths = True
    takes_trees_whole = True
    takes_queries_together = True
    A: Param[float] = Param(float, default=0.1, above=0, help="the tolerated distance, as a share of the length")

    def probabilities(self, question: Question) -> Links:
        origin, target = question.pairs
        length = question.lengths[question.origins.document[origin]]
        tolerated = self.A * np.where(length == NONE, 0, length)
        away = np.abs(question.origins.first[origin] - question.targets.first[target])
        whole = tolerated + away
        return Links(origin, target, np.divide(tolerated, whole, out=np.zeros(len(whole)), where=whole > 0))
