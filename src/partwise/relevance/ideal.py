"""The ideal recall base: the best element of every relevant path, and of nested ones the outermost."""

from __future__ import annotations

import numpy as np

from partwise.model import Bools, Floats, Ints

SMALLEST_DIFFERENCE = 1e-9
"""Values that differ by less are equal: rounding may make two products e*s differ in the last bit."""


def ideal_nodes(last: Ints, value: Floats, relevant: Bools) -> Ints:
    """The ideal elements of one document, in document order.

    A relevant path runs from the root to a relevant node that has no relevant descendant. On each path the relevant
    node of the highest value is kept, the deeper one if equal, none if that value is 0; nodes inside another kept node
    are dropped. A node that is not relevant is never ideal, even if its quantisation has a value ("too small" elements
    under spe).
    """
    nodes = np.flatnonzero(relevant)
    has_below = np.append(nodes[1:] < last[nodes[:-1]], False) if len(nodes) else relevant[:0]
    best: dict[int, int] = {}
    path: list[int] = []
    kept: set[int] = set()
    for node, is_inner in zip(nodes.tolist(), has_below.tolist(), strict=True):
        while path and last[path[-1]] <= node:
            path.pop()
        above = best[path[-1]] if path else node
        best[node] = node if value[node] >= value[above] - SMALLEST_DIFFERENCE else above
        path.append(node)
        if not is_inner and value[best[node]] > 0:
            kept.add(best[node])
    outermost: list[int] = []
    for node in sorted(kept):
        if not outermost or node >= last[outermost[-1]]:
            outermost.append(node)
    return np.array(outermost, np.int64)
