"""The ideal recall base: the best element of every relevant path, and of nested ones the outermost."""

from __future__ import annotations

import numpy as np

from partwise.model import Bools, Floats, Ints

SMALLEST_DIFFERENCE = 1e-9
"""Values that differ by less are equal: rounding may make two products e*s differ in the last bit."""


def ideal_nodes(last: Ints, value: Floats, relevant: Bools) -> Ints:
    """The ideal elements of one document, in document order.

    A relevant path runs from the root to a relevant node that has no relevant descendant. On each path the node of the
    highest value is kept, the deeper one if equal, none if that value is 0; nodes inside another kept node are dropped.
    """
    relevant_nodes = np.flatnonzero(relevant)
    has_below = np.zeros(len(value), np.bool_)
    has_below[relevant_nodes[:-1]] = relevant_nodes[1:] < last[relevant_nodes[:-1]]
    best: dict[int, int] = {}
    path: list[int] = []
    kept: set[int] = set()
    for node in np.flatnonzero(relevant | (value > 0)).tolist():
        while path and last[path[-1]] <= node:
            path.pop()
        above = best[path[-1]] if path else node
        best[node] = node if value[node] >= value[above] - SMALLEST_DIFFERENCE else above
        path.append(node)
        if relevant[node] and not has_below[node] and value[best[node]] > 0:
            kept.add(best[node])
    outermost: list[int] = []
    for node in sorted(kept):
        if not outermost or node >= last[outermost[-1]]:
            outermost.append(node)
    return np.array(outermost, np.int64)
