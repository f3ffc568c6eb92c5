"""Locates texts in documents: exactly, ignoring white space, or in normalised characters.

The strictest of these three readings with a match decides. All its matches count, overlapping ones too: a text with one
match is located, a text with several is ambiguous, and the caller chooses how to treat it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError, shown
from partwise.messages import Text, documents
from partwise.model import Bools, Ints, empty_ints
from partwise.placement import AMBIGUOUS, EXACT, MISSING, NORMALISED, UNKNOWN_DOCUMENT, WHITESPACE
from partwise.types import IF_AMBIGUOUS

READINGS = (EXACT, WHITESPACE, NORMALISED)
OUTCOMES = (*READINGS, AMBIGUOUS, MISSING)

KEEP, FIRST, SKIP, ERROR = IF_AMBIGUOUS

_Codes = NDArray[np.uint32]


# ---- readings of a text -------------------------------------------------------------------------------------


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


def _codes(text: str) -> _Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _text(codes: _Codes) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _spaces() -> Bools:
    """Whether each character up to U+3000 is white space; no later one is."""
    return np.array([chr(code).isspace() for code in range(0x3001)])


def squeezed(text: str) -> Reading:
    """The text without white space."""
    codes = _codes(text)
    spaces = _spaces()
    offset = np.flatnonzero(~spaces[np.minimum(codes, len(spaces) - 1)] | (codes >= len(spaces)))
    return Reading("".join(text.split()), offset, offset)


_QUOTES = {**dict.fromkeys("‘’‚‛ʼ′`´", "'"), **dict.fromkeys("“”„‟″", '"')}
_DASHES = frozenset("-‐‑‒–—―−⁃")
_SELECTORS = ("\ufe00", "\ufe0f")
_SHORT = 1 << 12


@cache
def _folded(character: str) -> str:
    """A character as it is compared: NFKD, with plain quotes and dashes; empty if it is invisible.

    >>> _folded("ﬁ"), _folded("é") == "e" + chr(0x301), _folded("“"), _folded("—"), _folded(chr(0xAD))
    ('fi', True, '"', '-', '')
    """
    if character in _QUOTES:
        return _QUOTES[character]
    kept = []
    for part in unicodedata.normalize("NFKD", character):
        if part.isspace() or unicodedata.category(part) == "Cf" or _SELECTORS[0] <= part <= _SELECTORS[1]:
            continue
        kept.append("-" if part in _DASHES else _QUOTES.get(part, part))
    return "".join(kept)


def _distinct(text: str) -> tuple[list[str], Ints]:
    """The distinct characters of a text, and the index of each character among them."""
    codes = _codes(text)
    if len(codes) < _SHORT:
        distinct, number = np.unique(codes, return_inverse=True)
        return [chr(code) for code in distinct.tolist()], number
    present = np.flatnonzero(np.bincount(codes))
    number_of = np.zeros(int(present[-1]) + 1, np.int64)
    number_of[present] = np.arange(len(present))
    return [chr(code) for code in present.tolist()], number_of[codes]


def normalised(text: str) -> Reading:
    """The text in normalised characters, without white space.

    Characters are decomposed as in Unicode's NFKD, quotes and dashes become plain ones, and invisible characters such
    as soft hyphens are left out. A dash is left out unless a digit follows, so that a word hyphenated at the end of a
    line matches with and without its hyphen, while minus signs and ranges are kept. A match never separates a letter
    from its marks, nor splits a ligature.
    """
    characters, number = _distinct(text)
    parts = [_folded(character) for character in characters]
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
    return Reading(_text(_codes(flat)[inside]), first, last, edge)


_READ: dict[str, Callable[[str], Reading]] = {EXACT: Reading, WHITESPACE: squeezed, NORMALISED: normalised}


# ---- all matches of a string in another ----------------------------------------------------------------------

_GRAM = 16
"""The index has the blocks of 16 characters at offsets 0, 16, 32, ..."""
_FEW = 64
_SCANNED_PER_CANDIDATE = 1000
"""Comparing at one offset takes as long as scanning about this many characters."""
_FACTORS = np.array([pow(0x9E3779B97F4A7C15, i, 2**64) for i in range(1, _GRAM + 1)], np.uint64)


class Haystack:
    """A string with an index that finds all matches of another without scanning everything.

    A match of 31 or more characters contains at least one indexed block, so 16 lookups find all candidates. Shorter
    strings are searched by scanning.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _index(self) -> tuple[NDArray[np.uint64], Ints]:
        """The hashes of the blocks, ascending, and the number of each block."""
        codes = _codes(self.text)
        blocks = codes[: len(codes) // _GRAM * _GRAM].reshape(-1, _GRAM)
        hashes = np.zeros(len(blocks), np.uint64)
        for i in range(_GRAM):
            hashes += blocks[:, i].astype(np.uint64) * _FACTORS[i]
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order

    def places(self, pattern: str) -> Ints:
        """The start of every match of `pattern`, overlapping ones too."""
        if len(pattern) < 2 * _GRAM - 1 or len(self.text) < 64 * _GRAM:
            return scanned(self.text, pattern)
        bounds, shift = self._candidates(pattern[: 2 * _GRAM - 1]), 0
        few = _FEW + len(self.text) // _SCANNED_PER_CANDIDATE
        if (bounds[1] - bounds[0]).sum() > _FEW:
            bounds = self._candidates(pattern)
            in_window = np.convolve(bounds[1] - bounds[0], np.ones(_GRAM, np.int64), "valid")
            shift = int(in_window.argmin())
            if in_window[shift] > few:
                return scanned(self.text, pattern)
        block_number = self._index[1]
        matches = [
            at
            for before in range(shift, shift + _GRAM)
            for block in block_number[bounds[0][before] : bounds[1][before]].tolist()
            if (at := block * _GRAM - before) >= 0 and self.text.startswith(pattern, at)
        ]
        return np.array(sorted(matches), np.int64)

    def _candidates(self, pattern: str) -> tuple[Ints, Ints]:
        """For every window of `pattern`, the range of index entries that have its hash."""
        windows = np.lib.stride_tricks.sliding_window_view(_codes(pattern).astype(np.uint64), _GRAM)
        hashes = (windows * _FACTORS).sum(axis=1, dtype=np.uint64)
        indexed = self._index[0]
        return np.searchsorted(indexed, hashes), np.searchsorted(indexed, hashes, side="right")


def scanned(text: str, pattern: str) -> Ints:
    """The start of every match of `pattern` in `text`, in linear time.

    Matches closer than half its length form a periodic run; the end of such a run is computed instead of searching for
    each match in it.
    """
    matches: list[Iterable[int]] = []
    size = len(pattern)
    at = text.find(pattern)
    while at >= 0:
        matches.append((at,))
        again = text.find(pattern, at + 1)
        step = again - at
        if again >= 0 and 2 * step <= size:
            end = _end_of_period(text, again + size, step)
            last = again + (end - size - again) // step * step
            matches.append(range(again, last + 1, step))
            again = text.find(pattern, max(last, end - step) + 1)
        at = again
    return np.array([start for run in matches for start in run], np.int64)


def _end_of_period(text: str, at: int, step: int) -> int:
    """The first offset from `at` on whose character differs from the one `step` before it."""
    size = 64
    while at < len(text):
        size = min(size, len(text) - at)
        if text[at : at + size] == text[at - step : at - step + size]:
            at, size = at + size, 2 * size
        elif size == 1:
            return at
        else:
            size = (size + 1) // 2
    return at


# ---- documents ----------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Characters `start` to `end` of a document."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True)
class Located:
    """The location of one text.

    `how` is the reading with exactly one match (``exact``, ``whitespace``, ``normalised``), ``ambiguous`` or
    ``missing``; `reading` is the reading with any match, and `count` the number of matches. `doc_id`, `start` and `end`
    are set if there is one match; `doc_id` also if it is known which document must contain the text.
    """

    how: str
    reading: str | None = None
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None
    count: int = 0
    _matches: tuple[Sequence[str], Ints, Ints, Ints] = field(
        default=((), empty_ints(), empty_ints(), empty_ints()), repr=False, compare=False
    )

    @property
    def found(self) -> bool:
        """Whether the text was located."""
        return self.start is not None

    @property
    def places(self) -> list[Place]:
        """All matches, in the order of documents and characters."""
        names, doc, start, end = self._matches
        rows = zip(doc.tolist(), start.tolist(), end.tolist(), strict=True)
        return [Place(names[code], first, stop) for code, first, stop in rows]

    def at(self, number: int) -> Located:
        """The location at one of its matches."""
        place = self.places[number]
        return replace(self, how=str(self.reading), doc_id=place.doc_id, start=place.start, end=place.end)


class _Layer:
    """One reading of several documents, concatenated."""

    def __init__(self, texts: Sequence[str], reading: str) -> None:
        parts = [_READ[reading](text) for text in texts]
        self.bounds = np.cumsum([0, *(len(part.text) for part in parts)])
        self.haystack = Haystack("".join(part.text for part in parts))
        self.first, self.last = _joined([part.first for part in parts]), _joined([part.last for part in parts])
        edge = _joined([part.edge for part in parts])
        self.edge = None if edge is None else np.append(edge, True)

    def spans(self, pattern: str) -> tuple[Ints, Ints, Ints]:
        """The document, start and end of every match."""
        first = self.haystack.places(pattern)
        stop = first + len(pattern)
        doc = np.searchsorted(self.bounds, first, side="right") - 1
        valid = stop <= self.bounds[doc + 1]
        if self.edge is not None:
            valid &= self.edge[first] & self.edge[stop]
        first, stop, doc = first[valid], stop[valid], doc[valid]
        if self.first is None or self.last is None:
            return doc, first - self.bounds[doc], stop - self.bounds[doc]
        return doc, self.first[first], self.last[stop - 1] + 1


def _joined(columns: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if present else None


class Finder:
    """Documents to search; each of the three readings is computed when it is first needed."""

    def __init__(self, names: Sequence[str], texts: Sequence[str]) -> None:
        self.names = names
        self.texts = texts
        self._layers: dict[str, _Layer] = {}
        self._located: dict[str, Located] = {}

    def find(self, text: str) -> Located:
        """Locate a text; one without visible characters is missing."""
        if text not in self._located:
            self._located[text] = self._find(text)
        return self._located[text]

    def _find(self, text: str) -> Located:
        only = self.names[0] if len(self.names) == 1 else None
        for reading in READINGS:
            pattern = _READ[reading](text).text
            if not pattern.strip():
                break
            if reading not in self._layers:
                self._layers[reading] = _Layer(self.texts, reading)
            doc, start, end = self._layers[reading].spans(pattern)
            if len(doc):
                same = self.names[int(doc[0])] if (doc == doc[0]).all() else None
                located = Located(AMBIGUOUS, reading, same, count=len(doc), _matches=(self.names, doc, start, end))
                return located.at(0) if len(doc) == 1 else located
        return Located(MISSING, doc_id=only)


class Locations(list[Located]):
    """The locations of several texts."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of texts with each outcome: the three readings, ambiguous and missing."""
        counts = Counter(located.how for located in self)
        return {how: counts[how] for how in OUTCOMES}

    @property
    def complete(self) -> bool:
        """Whether every text was located."""
        return all(located.found for located in self)

    def summary(self) -> str:
        """The counts on one line."""
        outcomes = [f"{count} {how}" for how, count in self.counts.items() if count]
        return f"{len(self)} {'text' if len(self) == 1 else 'texts'}: {', '.join(outcomes) or 'none'}"


TextToFind = tuple[str | None, str]
"""A text to locate: its document (None for any) and the text."""


def locate(texts_to_find: Sequence[TextToFind], texts: Mapping[str, str], in_order: bool = False) -> Locations:
    """Locate each text in its document or, if that is not known, in any.

    With `in_order` the texts of a document start in ascending order, as text splitters return them: an ambiguous text
    is located if only one of its matches fits between the other texts.
    """
    rows: dict[str | None, list[int]] = {}
    for row, (doc_id, _) in enumerate(texts_to_find):
        rows.setdefault(doc_id, []).append(row)
    locations = [Located(MISSING)] * len(texts_to_find)
    for doc_id, of_doc in rows.items():
        names = list(texts) if doc_id is None else [doc_id]
        finder = Finder(names, [texts[name] for name in names])
        for row in of_doc:
            locations[row] = finder.find(texts_to_find[row][1])
        if in_order and doc_id is not None:
            for row, located in zip(of_doc, _ordered([locations[row] for row in of_doc]), strict=True):
                locations[row] = located
    return Locations(locations)


def _ordered(locations: Sequence[Located]) -> list[Located]:
    """The locations, where an ambiguous text is located if only one of its matches keeps all starts ascending.

    It is the only one if it is both the lowest possible (choosing from the front) and the highest (from the back).
    """
    starts = [located._matches[2].tolist() for located in locations]
    rows = [row for row, of_row in enumerate(starts) if of_row]
    lowest = _ascending(starts, rows)
    highest = _ascending([[-at for at in reversed(of_row)] for of_row in starts], rows[::-1])
    if lowest is None or highest is None:
        return list(locations)
    only = {row: starts[row].index(at) for row, at in lowest.items() if at == -highest[row]}
    return [located.at(only[row]) if row in only else located for row, located in enumerate(locations)]


def _ascending(places: Sequence[Sequence[int]], rows: Sequence[int]) -> dict[int, int] | None:
    """For each of these rows, its lowest place above that of the row before; None if one has none."""
    chosen: dict[int, int] = {}
    low: float = -np.inf
    for row in rows:
        at = bisect_left(places[row], low)
        if at < len(places[row]) and places[row][at] == low:
            at += 1
        if at == len(places[row]):
            return None
        chosen[row] = places[row][at]
        low = chosen[row]
    return chosen


# ---- texts that are ambiguous or missing ----------------------------------------------------------------------


class Unplaced:
    """Assigns spans past the end of their document to texts that were not located, one per distinct text.

    There a text keeps its document and its size, overlaps no other text, and is not relevant. A text whose document is
    unknown gets a document of its own.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._free: dict[str, int] = {}
        self._places: dict[tuple[str | None, str], Place] = {}
        self._fresh_names = 0

    def place(self, doc_id: str | None, text: str) -> Place:
        key = doc_id, text
        if key not in self._places:
            name = self._fresh() if doc_id is None else doc_id
            start = self._free.get(name, 0 if doc_id is None else len(self.texts[name]))
            self._free[name] = start + len(text)
            self._places[key] = Place(name, start, start + len(text))
        return self._places[key]

    def _fresh(self) -> str:
        self._fresh_names += 1
        name = f"{UNKNOWN_DOCUMENT}{self._fresh_names}"
        while name in self.texts:
            name = f"_{name}"
        return name


def problem_of(located: Located, text: str) -> Text:
    """The message about a text that was not located."""
    quoted = shown(text)
    if located.how == MISSING:
        if not text.strip():
            return documents.BLANK_TEXT(text=quoted)
        message = documents.NOT_IN_DOCUMENTS if located.doc_id is None else documents.NOT_IN_DOCUMENT
        return message(text=quoted, doc_id=located.doc_id)
    first = located.places[0]
    message = documents.AMBIGUOUS_IN_DOCUMENTS if located.doc_id is None else documents.AMBIGUOUS_IN_DOCUMENT
    return message(text=quoted, count=located.count, start=first.start, doc_id=first.doc_id)


def settled(
    texts_to_find: Sequence[TextToFind],
    locations: Locations,
    texts: Mapping[str, str],
    ambiguous: str,
    missing: str,
    error: Callable[[int, Text], PartwiseError],
) -> list[Place | None]:
    """The place of every text, None if it is skipped; `ambiguous` and `missing` decide about texts not located."""
    unplaced = Unplaced(texts)
    places: list[Place | None] = []
    for row, ((_, text), located) in enumerate(zip(texts_to_find, locations, strict=True)):
        if located.doc_id is not None and located.start is not None and located.end is not None:
            places.append(Place(located.doc_id, located.start, located.end))
            continue
        treatment, option = (missing, "missing") if located.how == MISSING else (ambiguous, "ambiguous")
        if treatment == ERROR:
            _, problem, remedy = problem_of(located, text)
            raise error(row, documents.UNLOCATED_TEXT(problem=problem, remedy=remedy, option=option))
        if treatment == FIRST:
            places.append(located.places[0])
        else:
            places.append(None if treatment == SKIP else unplaced.place(located.doc_id, text))
    return places
