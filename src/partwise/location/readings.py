"""Readings of a text: the forms in which it is compared, with offsets that lead back into the text itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.model import Bools, Ints

Codes = NDArray[np.uint32]


class Reading(NamedTuple):
    """A text in the form that is compared, with the offset of each of its characters in the original text."""

    text: str
    first: Ints | None = None
    """For each character, the original offset at which a match starting there starts; None if unchanged."""
    last: Ints | None = None
    """For each character, the original offset of the last character of a match ending there.

    It differs from `first` where marks are reordered.
    """
    edge: Bools | None = None
    """Whether a match may start at a character, or end before it; None if everywhere."""


class Form(NamedTuple):
    """A way to read documents, and the ways to read a text that is searched for in them, the strictest first."""

    document: Callable[[str], Reading]
    texts: tuple[Callable[[str], Reading], ...]


def codes_of(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def text_of(codes: Codes) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _spaces() -> Bools:
    """Whether each character up to U+3000 is white space; no later one is."""
    return np.array([chr(code).isspace() for code in range(0x3001)])


def squeezed(text: str) -> Reading:
    """The text without white space."""
    codes = codes_of(text)
    spaces = _spaces()
    offset = np.flatnonzero(~spaces[np.minimum(codes, len(spaces) - 1)] | (codes >= len(spaces)))
    return Reading("".join(text.split()), offset, offset)


_QUOTES = {**dict.fromkeys("‘’‚‛ʼ′`´", "'"), **dict.fromkeys("“”„‟″", '"')}
_DASHES = frozenset("-‐‑‒–—―−⁃")
_SELECTORS = ("\ufe00", "\ufe0f")
_SHORT = 1 << 12


@cache
def _folded(character: str, fold_case: bool = False) -> str:
    """A character as it is compared: NFKD, with plain quotes and dashes; empty if it is invisible.

    >>> _folded("ﬁ"), _folded("é") == "e" + chr(0x301), _folded("“"), _folded("—"), _folded(chr(0xAD))
    ('fi', True, '"', '-', '')
    >>> _folded("É", True) == "e" + chr(0x301), _folded("ß", True)
    (True, 'ss')
    """
    if character in _QUOTES:
        return _QUOTES[character]
    kept = []
    for part in unicodedata.normalize("NFKD", character):
        if part.isspace() or unicodedata.category(part) == "Cf" or _SELECTORS[0] <= part <= _SELECTORS[1]:
            continue
        kept.append("-" if part in _DASHES else _QUOTES.get(part, part))
    folded = "".join(kept)
    return folded.casefold() if fold_case else folded


def _distinct(text: str) -> tuple[list[str], Ints]:
    """The distinct characters of a text, and the index of each character among them."""
    codes = codes_of(text)
    if len(codes) < _SHORT:
        distinct, number = np.unique(codes, return_inverse=True)
        return [chr(code) for code in distinct.tolist()], number
    present = np.flatnonzero(np.bincount(codes))
    number_of = np.zeros(int(present[-1]) + 1, np.int64)
    number_of[present] = np.arange(len(present))
    return [chr(code) for code in present.tolist()], number_of[codes]


def normalised(text: str, fold_case: bool = False) -> Reading:
    """The text in normalised characters, without white space.

    Characters are decomposed as in Unicode's NFKD, quotes and dashes become plain ones, and invisible characters such
    as soft hyphens are left out. A dash is left out unless a digit follows, so that a word hyphenated at the end of a
    line matches with and without its hyphen, while minus signs and ranges are kept. A match never separates a letter
    from its marks, nor splits a ligature.
    """
    characters, number = _distinct(text)
    parts = [_folded(character, fold_case) for character in characters]
    flat = "".join(parts)
    width = np.array([len(part) for part in parts], np.int64)
    counts = width[number]
    place = np.repeat(np.arange(len(text)), counts)
    shift = (np.cumsum(width) - width)[number] - (np.cumsum(counts) - counts)
    inside = np.repeat(shift, counts) + np.arange(len(place))  # into `flat`
    is_dash = np.array([part == "-" for part in flat], np.bool_)[inside]
    is_digit = np.array([part.isdecimal() for part in flat], np.bool_)[inside]
    kept = ~is_dash | np.append(is_digit[1:], False)[: len(is_dash)]
    inside, place = inside[kept], place[kept]

    mark = np.array([unicodedata.combining(part) for part in flat], np.int64)[inside]
    if ((mark[1:] > 0) & (mark[:-1] > mark[1:])).any():  # not in canonical order
        order = np.lexsort((mark, np.cumsum(mark == 0)))
        inside, place, mark = inside[order], place[order], mark[order]
    edge = mark == 0
    edge[1:] &= place[1:] != place[:-1]
    edge[:1] = True
    first, last = np.minimum.accumulate(place[::-1])[::-1], np.maximum.accumulate(place)
    return Reading(text_of(codes_of(flat)[inside]), first, last, edge)


def casefolded(text: str) -> Reading:
    """The text in normalised characters, without the difference between upper and lower case."""
    return normalised(text, fold_case=True)


_NO_BLANKS = 0x2E80
"""Scripts from here on, up to those of Korea, are written without blanks between words."""


def word_edges(reading: Reading) -> Bools:
    """For every offset of a reading, its end included, whether it is not inside a word of the original text."""
    characters, number = _distinct(reading.text)
    in_words = [
        (character.isalnum() or unicodedata.category(character)[0] == "M") and not _is_ideograph(character)
        for character in characters
    ]
    in_word = np.array(in_words, np.bool_)[number] if len(number) else np.zeros(0, np.bool_)
    edges = np.ones(len(reading.text) + 1, np.bool_)
    edges[1:-1] = ~(in_word[1:] & in_word[:-1])
    if reading.first is not None and reading.last is not None:
        edges[1:-1] |= reading.first[1:] > reading.last[:-1] + 1
    return edges


def _is_ideograph(character: str) -> bool:
    return _NO_BLANKS <= ord(character) < 0xAC00
