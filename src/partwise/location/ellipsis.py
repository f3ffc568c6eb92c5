"""Quotes that leave something out: ``A ... B`` is found where A is followed by B.

Every piece must occur, in this order, in one document. Pieces at most `NEAR` characters apart belong together; if there
are such places, others are not considered, because a repeated phrase far away is not what an ellipsis stands for. Of
several places, one that leaves out at most `COVERED` characters is meant if every other leaves out `CLEARLY` times as
many. At most `COVERED` characters between two pieces are covered: the quote is then one span, and otherwise a span per
piece.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from partwise.model import Bools, Ints

COVERED = 200
NEAR = 2000
CLEARLY = 4
MOST_PIECES = 20
"""More pieces are not a quote, but the dots of a table of contents."""
SHORTEST = 16
"""Fewer characters in all pieces together may follow each other by chance; a piece with fewer must be whole words."""

_WORD = 10
"""The least that counts as left out."""
_ELLIPSIS = re.compile(r"[\[(]\s*(?:\.\s?\.\s?\.|…)\s*[\])]|\.(?:\s?\.){2,}|…+")

Edges = tuple[Ints, Ints]
"""The starts and ends of the matches of a piece, ascending."""
Spans = tuple[tuple[int, int], ...]


def pieces(text: str) -> list[str]:
    """What is before, between and after the ellipses of a text; empty if it has none, too little text, or too many.

    >>> pieces("... Leave is granted [...] on request.")
    ['Leave is granted', 'on request.']
    """
    parts = [part.strip() for part in _ELLIPSIS.split(text)]
    present = [part for part in parts if any(character.isalnum() for character in part)]
    is_enough = len(present) == 1 or sum(map(_size, present)) >= SHORTEST
    return present if len(parts) > 1 and is_enough and len(present) <= MOST_PIECES else []


def _size(text: str) -> int:
    return len("".join(text.split()))


def without(text: str) -> str:
    """The text with a blank in place of each ellipsis."""
    return _ELLIPSIS.sub(" ", text)


def fitting(pieces: Sequence[str], number: int, text: str, edges: Edges) -> Edges:
    """The matches of a piece in a document, without those that end inside a word at an ellipsis, if it is short."""
    starts, ends = edges
    if _size(pieces[number]) >= SHORTEST:
        return edges
    fits = np.ones(len(starts), np.bool_)
    if number > 0:
        fits &= [not _joins(text, start) for start in starts.tolist()]
    if number < len(pieces) - 1:
        fits &= [not _joins(text, end) for end in ends.tolist()]
    return starts[fits], ends[fits]


def _joins(text: str, at: int) -> bool:
    """Whether the characters before and after an offset belong to one word; scripts without blanks have no words."""
    around = text[max(0, at - 1) : at + 1]
    return at > 0 and len(around) == 2 and all(c.isalnum() and ord(c) < 0x2E80 for c in around)


def places(matches: Mapping[int, Sequence[Edges]]) -> list[tuple[int, Spans]]:
    """The document and spans of every place where the pieces follow each other, given their matches by document.

    Where several pieces fit, there is a place for every possible start and every possible end.
    """
    for reach in (NEAR, None):
        chains = [(doc, chain) for doc, of_doc in matches.items() for chain in _chains(of_doc, reach)]
        if chains:
            return sorted({(doc, _covered(chain)) for doc, chain in _clearly_meant(chains)})
    return []


def _clearly_meant(chains: list[tuple[int, Spans]]) -> list[tuple[int, Spans]]:
    """The chain that leaves out by far the least, or all of them."""
    by_size = sorted(chains, key=lambda of_doc: _left_out(of_doc[1]))
    sizes = [_left_out(chain) for _, chain in by_size[:2]]
    is_clear = len(sizes) == 2 and sizes[0] <= COVERED and sizes[1] >= CLEARLY * max(sizes[0], _WORD)
    return by_size[:1] if is_clear else chains


def _left_out(chain: Spans) -> int:
    return sum(after[0] - before[1] for before, after in pairwise(chain))


def _chains(matches: Sequence[Edges], reach: int | None) -> list[Spans]:
    forward = _continued(matches, reach)
    if not all(ok.any() for ok in forward):
        return []
    mirrored = [(-ends[::-1], -starts[::-1]) for starts, ends in matches[::-1]]
    backward = [ok[::-1] for ok in _continued(mirrored, reach)][::-1]
    fitting = [(s[a & b], e[a & b]) for (s, e), a, b in zip(matches, forward, backward, strict=True)]
    if not len(fitting[0][0]):
        return []
    chains = _first_choices(fitting)
    mirrored = [(-ends[::-1], -starts[::-1]) for starts, ends in fitting[::-1]]
    reverse = [tuple((-end, -start) for start, end in chain[::-1]) for chain in _first_choices(mirrored)]
    return sorted({*chains, *reverse})


def _continued(matches: Sequence[Edges], reach: int | None) -> list[Bools]:
    """Whether each match of a piece can be followed by matches of all later pieces."""
    fitting = np.ones(len(matches[-1][0]), np.bool_)
    result = [fitting]
    for (_, ends), (next_starts, _) in zip(matches[-2::-1], matches[:0:-1], strict=True):
        count = np.concatenate([[0], np.cumsum(fitting)])
        low = np.searchsorted(next_starts, ends)
        high = len(next_starts) if reach is None else np.searchsorted(next_starts, ends + reach, side="right")
        fitting = count[high] > count[low]
        result.append(fitting)
    return result[::-1]


def _first_choices(fitting: Sequence[Edges]) -> list[Spans]:
    """For every match of the first piece, the first match of each later piece after it."""
    starts, ends = fitting[0]
    columns = [(starts, ends)]
    for next_starts, next_ends in fitting[1:]:
        chosen = np.minimum(np.searchsorted(next_starts, ends), len(next_starts) - 1)
        starts, ends = next_starts[chosen], next_ends[chosen]
        columns.append((starts, ends))
    rows = zip(*(zip(first.tolist(), last.tolist(), strict=True) for first, last in columns), strict=True)
    return [chain for chain in rows if all(a[1] <= b[0] for a, b in pairwise(chain))]


def _covered(chain: Spans) -> Spans:
    """The spans of a chain, where pieces at most `COVERED` characters apart are one."""
    spans = [chain[0]]
    for start, end in chain[1:]:
        if start - spans[-1][1] <= COVERED:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)
