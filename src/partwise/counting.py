"""Offsets of a text counted in other units than characters, and back.

A span in bytes or UTF-16 units has the characters that it shares a unit with. A span of characters has the lines that
it shares a character with, and the tokens whose first character it has, so that abutting spans never share a token.
Past the end of a text, where there is nothing to count, offsets grow as they do on average in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError
from partwise.messages import documents

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

_CR, _LF = 13, 10


class Counting:
    """How a unit divides a text of `chars` characters into `size` units; this one counts characters."""

    def __init__(self, chars: int, size: int | None = None) -> None:
        self.chars = chars
        self.size = chars if size is None else size

    def from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Spans of characters as spans of units."""
        return start, end

    def passages_from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """As `from_chars`, for relevant passages, which are not to vanish."""
        return self.from_chars(start, end)

    def to_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Spans of units as spans of characters."""
        return start, end

    def inside_character(self, offsets: Ints) -> Bools:
        """Whether each offset is inside a character of several units; never past the end of the text."""
        return np.zeros(len(offsets), np.bool_)

    def _past_end(self, chars: Ints, offsets: Ints) -> Ints:
        """The offsets of these characters, with those past the end of the text continued."""
        return _continued(chars, offsets, self.chars, self.size)

    def _past_size(self, offsets: Ints, chars: Ints) -> Ints:
        return _continued(offsets, chars, self.size, self.chars)


def _continued(position: Ints, value: Ints, length: int, size: int) -> Ints:
    beyond = position - length
    if not (beyond > 0).any():
        return value
    if min(length, size) <= 0:
        return np.where(beyond > 0, size + beyond, value)
    whole, rest = np.divmod(np.maximum(beyond, 0), length)  # beyond * size may be larger than 64 bits
    return np.where(beyond > 0, size + whole * size - (-rest * size // length), value)


class Encoded(Counting):
    """Units of an encoding: `edges` has the offset of each character, and the size of the text."""

    def __init__(self, edges: Ints) -> None:
        super().__init__(len(edges) - 1, int(edges[-1]))
        self.edges = edges

    def from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        first, last = (self._past_end(at, self.edges[np.minimum(at, self.chars)]) for at in (start, end))
        return first, last

    def to_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """An empty span stays empty, at the character that contains it."""
        first = np.minimum(np.searchsorted(self.edges, start, side="right") - 1, self.chars)
        last = np.where(end > start, np.searchsorted(self.edges, end), first)
        last = np.minimum(last, self.chars)
        return self._past_size(start, first), self._past_size(end, last)

    def inside_character(self, offsets: Ints) -> Bools:
        inside: Bools = (offsets < self.size) & (self.edges[np.searchsorted(self.edges[:-1], offsets)] != offsets)
        return inside


class Pieces(Counting):
    """Pieces of a text, such as lines: the character at which each starts, and that after its last."""

    def __init__(self, chars: int, starts: Ints, ends: Ints) -> None:
        super().__init__(chars, len(starts))
        self.starts = starts
        self.ends = ends

    def from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        first = np.searchsorted(self.ends, start, side="right")
        last = np.where(end > start, np.maximum(np.searchsorted(self.starts, end), first), first)
        return self._past_end(start, first), self._past_end(end, last)

    def to_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """From the start of the first piece to the end of the last; an empty span stays empty."""
        starts = np.append(self.starts, self.chars)
        ends = np.append(0, self.ends)
        first = starts[np.minimum(start, self.size)]
        last = np.where(end > start, ends[np.minimum(end, self.size)], first)
        last = np.maximum(last, first)
        return self._past_size(start, first), self._past_size(end, last)


class Tokens(Pieces):
    """Tokens, between which there may be characters that belong to none."""

    def from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        first, last = (self._past_end(at, np.searchsorted(self.starts, at)) for at in (start, end))
        return first, last

    def passages_from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """A passage in which no token starts takes the one that has its first character, if there is one."""
        first, last = self.from_chars(start, end)
        if not self.size:
            return first, last
        around = np.searchsorted(self.starts, start, side="right") - 1
        taken = (first == last) & (start < end) & (around >= 0) & (self.ends[around] > start)
        return np.where(taken, around, first), np.where(taken, around + 1, last)


def counting_of(text: str, unit: str, tokenizer: Tokenizer | None = None) -> Counting:
    """How a unit divides a text: ``chars``, ``bytes`` (of UTF-8), ``utf16``, ``lines`` or ``tokens``."""
    if unit == "chars":
        return Counting(len(text))
    if unit == "bytes":
        return bytes_of(text.encode(errors="surrogatepass"))
    if unit == "utf16":
        return utf16_of(text)
    if unit == "lines":
        return lines_of(text)
    if tokenizer is None:
        raise PartwiseError(documents.NO_TOKENIZER())
    return Tokens(len(text), *tokenizer.spans(text))


def bytes_of(utf8: bytes) -> Counting:
    if utf8.isascii():
        return Counting(len(utf8))
    data = np.frombuffer(utf8, np.uint8)
    return Encoded(np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data)))


def utf16_of(text: str) -> Counting:
    points = _code_points(text)
    if not (points > 0xFFFF).any():
        return Counting(len(text))
    return Encoded(np.concatenate([[0], np.cumsum(1 + (points > 0xFFFF))]))


def lines_of(text: str) -> Counting:
    """Lines end at \\n, \\r\\n or \\r; what ends a line belongs to it."""
    points = _code_points(text)
    is_end = points == _LF
    is_end |= (points == _CR) & ~np.append(is_end[1:], False)
    ends = np.flatnonzero(is_end) + 1
    if len(points) and not is_end[-1]:
        ends = np.append(ends, len(points))
    return Pieces(len(text), np.append(0, ends[:-1]) if len(ends) else ends, ends)


def _code_points(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
