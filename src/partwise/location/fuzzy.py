"""Texts that are only similar to a stretch of a document.

Stretches of eight characters that the text shares with the documents give the places to look at; only these are
compared, so the time does not grow with the product of both lengths. The score of a place is the share of characters in
common, 2c / (m + n) for c common characters in the same order, and m and n characters of the text and the place,
without white space, markup and case. A place starts and ends at words of the document.

Two places are about as good if the words of the text do not decide between them: see `_about_as_good`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError
from partwise.location.readings import codes_of
from partwise.messages import documents
from partwise.model import Bools, Ints

if TYPE_CHECKING:
    from types import ModuleType

SHORTEST = 16
"""Shorter texts, in compared characters, may be similar to others by chance."""
LONGEST = 50_000
"""Comparing longer texts takes too long."""
_GRAM = 8
_STEP = 4
"""The index has the stretch of eight characters at every fourth offset."""
_MOST_HITS = 4096
_MOST_PLACES = 8
_FEWEST_VOTES = 0.25
"""A place with a smaller share of the shared stretches than the best one is not about as good."""
_LONGEST_END = 4000
"""A longer stretch of a text, before or after the shared stretch around its middle, is not compared word by word."""
_WIDER = 100
"""How far beyond half more than the length of a stretch of a text its words are looked for in the document."""
_SHORTEST_CUT = 3
_FACTORS = np.array([pow(0x9E3779B97F4A7C15, i, 2**64) for i in range(1, _GRAM + 1)], np.uint64)


def required() -> ModuleType:
    """The module that compares texts; an error if the package is not installed."""
    try:
        from rapidfuzz import distance
    except ImportError:
        raise PartwiseError(documents.NO_RAPIDFUZZ()) from None
    return distance


class Similar(NamedTuple):
    """A place in the compared text of the documents, its score, and how many words differ."""

    start: int
    end: int
    score: float
    words: int


class Index:
    """The stretches of the compared text of documents.

    `bounds` are the offsets between documents, and `edges` says for every offset whether it is not inside a word.
    """

    def __init__(self, text: str, bounds: Ints, edges: Bools) -> None:
        self.text, self.bounds, self.edges = text, bounds, edges
        codes = codes_of(text).astype(np.uint64)
        self._at: Ints = np.arange(0, max(0, len(codes) - _GRAM + 1), _STEP)
        hashes = np.zeros(len(self._at), np.uint64)
        for i in range(_GRAM):
            hashes += codes[self._at + i] * _FACTORS[i]
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._at = hashes[order], self._at[order]

    def places(self, pattern: str, edges: Bools, min_score: float) -> list[Similar]:
        """The best place with at least this score, and those about as good; in the order of the text."""
        if not SHORTEST <= len(pattern) <= LONGEST:
            return []
        words = _words(pattern, edges, 0, len(pattern))
        compared = [self._compared(pattern, edges, words, hits) for hits in self._candidates(pattern)]
        similar = sorted(filter(None, compared), key=lambda place: (-place.score, place.start))
        if not similar or similar[0].score < min_score:
            return []
        best = similar[0]
        rivals = [place for place in similar[1:] if place.end <= best.start or best.end <= place.start]
        return sorted([best, *(place for place in rivals if _about_as_good(place, best))])

    def _hits(self, pattern: str) -> tuple[Ints, Ints]:
        """Offsets in the pattern and in the text at which both have the same stretch, the rarest ones."""
        windows = np.lib.stride_tricks.sliding_window_view(codes_of(pattern).astype(np.uint64), _GRAM)
        hashes: NDArray[np.uint64] = (windows * _FACTORS).sum(axis=1, dtype=np.uint64)
        low, high = np.searchsorted(self._hashes, hashes), np.searchsorted(self._hashes, hashes, side="right")
        count = high - low
        rarest = np.argsort(count, kind="stable")
        rarest = rarest[count[rarest] > 0]
        rarest = rarest[np.cumsum(count[rarest]) <= _MOST_HITS]
        count = count[rarest]
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(rarest, count), self._at[np.repeat(low[rarest], count) + within]

    def _candidates(self, pattern: str) -> list[tuple[Ints, Ints]]:
        """The hits of the places that share the most stretches with the pattern.

        Hits of one place have nearly the same difference of offsets; those of places that do not overlap differ by more
        than the width of the window in which hits are counted.
        """
        in_pattern, in_text = self._hits(pattern)
        shift = in_text - in_pattern
        order = np.argsort(shift, kind="stable")
        in_pattern, in_text, shift = in_pattern[order], in_text[order], shift[order]
        width = len(pattern) // 4 + _GRAM
        candidates: list[tuple[Ints, Ints]] = []
        fewest = 1.0
        while len(shift) and len(candidates) < _MOST_PLACES:
            stop = np.searchsorted(shift, shift + width, side="right")
            votes = stop - np.arange(len(shift))
            best = int(votes.argmax())
            if votes[best] < fewest:
                break
            fewest = max(fewest, _FEWEST_VOTES * int(votes[best]))
            chosen = slice(best, int(stop[best]))
            candidates.append((in_pattern[chosen], in_text[chosen]))
            kept: Bools = np.ones(len(shift), np.bool_)
            kept[chosen] = False
            in_pattern, in_text, shift = in_pattern[kept], in_text[kept], shift[kept]
        return candidates

    def _compared(self, pattern: str, edges: Bools, words: Sequence[str], hits: tuple[Ints, Ints]) -> Similar | None:
        """The place of these hits: its longest stretch without a difference, extended in both directions."""
        shifts, count = np.unique(hits[1] - hits[0], return_counts=True)
        shift = int(shifts[count.argmax()])
        chosen = hits[1] - hits[0] == shift
        a = int(np.sort(hits[0][chosen])[chosen.sum() // 2])
        b = a + shift
        doc = int(np.searchsorted(self.bounds, b, side="right")) - 1
        low, high = int(self.bounds[doc]), int(self.bounds[doc + 1])
        if b + _GRAM > high:
            return None
        low = max(low, b - 3 * a // 2 - _WIDER)
        high = min(high, b + 3 * (len(pattern) - a) // 2 + _WIDER)
        start = b - _extent(
            pattern[:a][::-1], edges[: a + 1][::-1], self.text[low:b][::-1], self.edges[low : b + 1][::-1]
        )
        end = b + _extent(pattern[a:], edges[a:], self.text[b:high], self.edges[b : high + 1])
        distance = required()
        score = distance.Indel.normalized_similarity(pattern, self.text[start:end])
        there = _words(self.text, self.edges, start, end)
        return Similar(start, end, score, distance.Levenshtein.distance(words, there))


def _extent(rest: str, rest_edges: Bools, there: str, edges: Bools) -> int:
    """How many characters of `there` the rest of a text is, which starts with some that both share.

    It ends at a word. A word of which less than half is shared is not part of the place, unless words after it are.
    """
    size = _shared(rest, there)
    if size == len(rest) or len(rest) > _LONGEST_END:
        return size
    if edges[size]:
        return _next_words(rest, rest_edges, size, there, edges, size) or size
    stop = size + int(edges[size:].argmax())
    starts = np.flatnonzero(edges[:size])
    if not len(starts):  # the word starts before what is compared here
        after = size + int(rest_edges[size:].argmax())
        return _next_words(rest, rest_edges, after, there, edges, stop) or stop
    word = int(starts[-1])
    is_similar = 2 * (size - word) >= stop - word
    return _next_words(rest, rest_edges, word, there, edges, word) or (stop if is_similar else word)


def _next_words(rest: str, rest_edges: Bools, at: int, there: str, edges: Bools, end: int) -> int:
    """Where the words of `rest` from `at` on end, which are some of those of `there` from `end` on; 0 if none are."""
    words = _words(rest, rest_edges, at, len(rest))
    spans = _word_spans(there, edges, end, len(there))
    if not words or not spans:
        return 0
    others = [there[low:high] for low, high in spans]
    taken = _taken(words, others)
    last = words[-1]
    if taken < len(others) and others[taken].startswith(last) and not (taken and others[taken - 1].startswith(last)):
        return spans[taken][0] + len(last)  # a text that is cut inside its last word
    if taken == 0:
        return 0
    low, high = spans[taken - 1]
    is_cut = last != others[taken - 1] and len(last) >= _SHORTEST_CUT and others[taken - 1].startswith(last)
    return low + len(last) if is_cut else high


def _shared(a: str, b: str) -> int:
    """The number of characters at the start of both."""
    size = min(len(a), len(b))
    if a[:size] == b[:size]:
        return size
    return next(i for i in range(size) if a[i] != b[i])


def _word_spans(text: str, edges: Bools, start: int, end: int) -> list[tuple[int, int]]:
    """The offsets of the words between two offsets, which may cut words; other signs are not words."""
    inside = np.flatnonzero(edges[start + 1 : end]) + start + 1
    cuts = [start, *inside.tolist(), end]
    return [(low, high) for low, high in pairwise(cuts) if high > low and any(map(str.isalnum, text[low:high]))]


def _words(text: str, edges: Bools, start: int, end: int) -> list[str]:
    return [text[low:high] for low, high in _word_spans(text, edges, start, end)]


def _taken(words: Sequence[str], there: Sequence[str]) -> int:
    """The number of words of the document, from the first on, that belong to the place.

    A word of the text that is not there costs 2, a word that is only there 1: what was left out of a quote is more
    often inside it than at its end. The last word of the text may be cut.
    """
    codes: dict[str, int] = {}
    column = np.array([codes.setdefault(other, len(codes)) for other in there], np.int64)
    position: Ints = np.arange(len(there) + 1)
    costs = position
    for number, word in enumerate(words, 1):
        same = column == codes.get(word, -1)
        if number == len(words) and len(word) >= _SHORTEST_CUT:
            same |= [other.startswith(word) for other in there]
        passed = costs + 2
        np.minimum(passed[1:], costs[:-1], out=passed[1:], where=same)
        costs = np.minimum.accumulate(passed - position) + position
    return int(np.flatnonzero(costs == costs.min())[-1])


def _about_as_good(place: Similar, best: Similar) -> bool:
    """Whether a place may be meant as well as the best one.

    If one word was changed, and two places differ in that word only, its spelling proves nothing. So fewer words must
    differ at the best place: at most two thirds of those at the other.
    """
    return place.words <= best.words or 2 * place.words < 3 * best.words
