"""Where a text stands in documents: exactly, without regard to white space, or in normalised characters.

The strictest of the three readings in which a text is found at all decides. In it every place counts, overlapping ones
too: a text that stands in one place is found, one that stands in several is ambiguous, and the caller says what
becomes of it.
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
from partwise.model import Bools, Ints, empty_ints

EXACT, WHITESPACE, NORMALISED, AMBIGUOUS, MISSING = "exact", "whitespace", "normalised", "ambiguous", "missing"
READINGS = (EXACT, WHITESPACE, NORMALISED)
OUTCOMES = (*READINGS, AMBIGUOUS, MISSING)

KEEP, FIRST, SKIP, ERROR = "keep", "first", "skip", "error"
IF_AMBIGUOUS = (KEEP, FIRST, SKIP, ERROR)
IF_MISSING = (KEEP, SKIP, ERROR)

_Codes = NDArray[np.uint32]


# ---- readings of a text -------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """A text as it is compared: its characters, where each stands in the text, and where a match may begin or end."""

    text: str
    first: Ints | None = None
    """Where what begins with each character begins; None if that is its number."""
    last: Ints | None = None
    """The last character of what ends with each; it differs from the first where marks are in another order."""
    edge: Bools | None = None
    """Whether a match may begin at a character, or end before it; None if at all."""


def _codes(text: str) -> _Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _text(codes: _Codes) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _spaces() -> Bools:
    """Whether each of the first characters is white space; no later one is."""
    return np.array([chr(code).isspace() for code in range(0x3001)])


def squeezed(text: str) -> Reading:
    """The text without white space."""
    codes = _codes(text)
    spaces = _spaces()
    place = np.flatnonzero(~spaces[np.minimum(codes, len(spaces) - 1)] | (codes >= len(spaces)))
    return Reading("".join(text.split()), place, place)


_QUOTES = {**dict.fromkeys("‘’‚‛ʼ′`´", "'"), **dict.fromkeys("“”„‟″", '"')}
_DASHES = frozenset("-‐‑‒–—―−⁃")
_SELECTORS = ("\ufe00", "\ufe0f")
_SHORT = 1 << 12


@cache
def _folded(character: str) -> str:
    """One character as it is compared: compatible, decomposed, with plain quotes and dashes; what is invisible is not.

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
    """The distinct characters of a text, and of each character which it is."""
    codes = _codes(text)
    if len(codes) < _SHORT:
        distinct, number = np.unique(codes, return_inverse=True)
        return [chr(code) for code in distinct.tolist()], number
    known = np.flatnonzero(np.bincount(codes))
    number_of = np.zeros(int(known[-1]) + 1, np.int64)
    number_of[known] = np.arange(len(known))
    return [chr(code) for code in known.tolist()], number_of[codes]


def normalised(text: str) -> Reading:
    """The text in normalised characters, without white space.

    Characters are decomposed as in Unicode's NFKD; quotes and dashes are plain ones; soft hyphens and other invisible
    characters are left out. So is a dash unless a digit follows: what was hyphenated at the end of a line is one word,
    with its hyphen or without, and only minus signs and ranges keep theirs. A match does not part a letter from its
    marks, nor a ligature.
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
    if ((mark[1:] > 0) & (mark[:-1] > mark[1:])).any():  # marks in another order than Unicode's
        order = np.lexsort((mark, np.cumsum(mark == 0)))
        inside, place, mark = inside[order], place[order], mark[order]
    edge = mark == 0
    edge[1:] &= place[1:] != place[:-1]
    edge[:1] = True
    first, last = np.minimum.accumulate(place[::-1])[::-1], np.maximum.accumulate(place)
    return Reading(_text(_codes(flat)[inside]), first, last, edge)


_READ: dict[str, Callable[[str], Reading]] = {EXACT: Reading, WHITESPACE: squeezed, NORMALISED: normalised}


# ---- all places of a string in another ----------------------------------------------------------------------

_GRAM = 16
"""The index knows every 16th stretch of 16 characters."""
_FEW = 64
_SCANNED_PER_CANDIDATE = 1000
"""Comparing at one place takes as long as scanning about that many characters."""
_FACTORS = np.array([pow(0x9E3779B97F4A7C15, i, 2**64) for i in range(1, _GRAM + 1)], np.uint64)


class Haystack:
    """A string in which all places of others are found without reading all of it each time.

    A string of 31 characters and more holds one of the indexed stretches wherever it stands: 16 lookups find all
    places there can be. Shorter ones are scanned for.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _index(self) -> tuple[NDArray[np.uint64], Ints]:
        """The hashes of the stretches, rising, and the number of each stretch."""
        codes = _codes(self.text)
        blocks = codes[: len(codes) // _GRAM * _GRAM].reshape(-1, _GRAM)
        found = np.zeros(len(blocks), np.uint64)
        for i in range(_GRAM):
            found += blocks[:, i].astype(np.uint64) * _FACTORS[i]
        order = np.argsort(found, kind="stable")
        return found[order], order

    def places(self, wanted: str) -> Ints:
        """Where `wanted` begins, everywhere, overlapping places too."""
        if len(wanted) < 2 * _GRAM - 1 or len(self.text) < 64 * _GRAM:
            return scanned(self.text, wanted)
        bounds, shift = self._candidates(wanted[: 2 * _GRAM - 1]), 0
        few = _FEW + len(self.text) // _SCANNED_PER_CANDIDATE
        if (bounds[1] - bounds[0]).sum() > _FEW:
            bounds = self._candidates(wanted)
            in_window = np.convolve(bounds[1] - bounds[0], np.ones(_GRAM, np.int64), "valid")
            shift = int(in_window.argmin())
            if in_window[shift] > few:
                return scanned(self.text, wanted)
        stretch = self._index[1]
        found = [
            at
            for before in range(shift, shift + _GRAM)
            for block in stretch[bounds[0][before] : bounds[1][before]].tolist()
            if (at := block * _GRAM - before) >= 0 and self.text.startswith(wanted, at)
        ]
        return np.array(sorted(found), np.int64)

    def _candidates(self, wanted: str) -> tuple[Ints, Ints]:
        """For every stretch of `wanted`: from where to where the index has stretches of its hash."""
        windows = np.lib.stride_tricks.sliding_window_view(_codes(wanted).astype(np.uint64), _GRAM)
        hashes = (windows * _FACTORS).sum(axis=1, dtype=np.uint64)
        known = self._index[0]
        return np.searchsorted(known, hashes), np.searchsorted(known, hashes, side="right")


def scanned(text: str, wanted: str) -> Ints:
    """Where `wanted` begins in `text`, everywhere, in linear time.

    Places that lie closer than half its length are a stretch of one period, and such a stretch is followed to its end
    instead of being searched from place to place.
    """
    found: list[Iterable[int]] = []
    size = len(wanted)
    at = text.find(wanted)
    while at >= 0:
        found.append((at,))
        again = text.find(wanted, at + 1)
        step = again - at
        if again >= 0 and 2 * step <= size:
            end = _end_of_period(text, again + size, step)
            last = again + (end - size - again) // step * step
            found.append(range(again, last + 1, step))
            again = text.find(wanted, max(last, end - step) + 1)
        at = again
    return np.array([place for places in found for place in places], np.int64)


def _end_of_period(text: str, at: int, step: int) -> int:
    """The first character from `at` on that is not the one `step` before it."""
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
    """Where one text stands.

    `how` is the reading in which it was found in one place (``exact``, ``whitespace``, ``normalised``), ``ambiguous``
    or ``missing``; `reading` the one in which it was found at all; `count` in how many places. `doc_id`, `start` and
    `end` are set where there is one place; `doc_id` also where it is known in which document the text must stand.
    """

    how: str
    reading: str | None = None
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None
    count: int = 0
    _found: tuple[Sequence[str], Ints, Ints, Ints] = field(
        default=((), empty_ints(), empty_ints(), empty_ints()), repr=False, compare=False
    )

    @property
    def found(self) -> bool:
        """Whether it is known where the text stands."""
        return self.start is not None

    @property
    def places(self) -> list[Place]:
        """All places, in the order of documents and characters."""
        names, doc, start, end = self._found
        rows = zip(doc.tolist(), start.tolist(), end.tolist(), strict=True)
        return [Place(names[code], first, behind) for code, first, behind in rows]

    def at(self, number: int) -> Located:
        """The same, found in one of its places."""
        place = self.places[number]
        return replace(self, how=str(self.reading), doc_id=place.doc_id, start=place.start, end=place.end)


class _Layer:
    """One reading of several documents, end to end."""

    def __init__(self, texts: Sequence[str], reading: str) -> None:
        parts = [_READ[reading](text) for text in texts]
        self.bounds = np.cumsum([0, *(len(part.text) for part in parts)])
        self.haystack = Haystack("".join(part.text for part in parts))
        self.first, self.last = _joined([part.first for part in parts]), _joined([part.last for part in parts])
        edge = _joined([part.edge for part in parts])
        self.edge = None if edge is None else np.append(edge, True)

    def spans(self, wanted: str) -> tuple[Ints, Ints, Ints]:
        """The document, start and end of every place."""
        first = self.haystack.places(wanted)
        behind = first + len(wanted)
        doc = np.searchsorted(self.bounds, first, side="right") - 1
        good = behind <= self.bounds[doc + 1]
        if self.edge is not None:
            good &= self.edge[first] & self.edge[behind]
        first, behind, doc = first[good], behind[good], doc[good]
        if self.first is None or self.last is None:
            return doc, first - self.bounds[doc], behind - self.bounds[doc]
        return doc, self.first[first], self.last[behind - 1] + 1


def _joined(columns: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    known = [column for column in columns if column is not None]
    return np.concatenate(known) if known else None


class Finder:
    """Texts to look in, read anew in each of the three ways when that is first needed."""

    def __init__(self, names: Sequence[str], texts: Sequence[str]) -> None:
        self.names = names
        self.texts = texts
        self._layers: dict[str, _Layer] = {}
        self._known: dict[str, Located] = {}

    def find(self, wanted: str) -> Located:
        """Where a text stands; one without a visible character stands nowhere."""
        if wanted not in self._known:
            self._known[wanted] = self._find(wanted)
        return self._known[wanted]

    def _find(self, wanted: str) -> Located:
        only = self.names[0] if len(self.names) == 1 else None
        for reading in READINGS:
            read = _READ[reading](wanted).text
            if not read.strip():
                break
            if reading not in self._layers:
                self._layers[reading] = _Layer(self.texts, reading)
            doc, start, end = self._layers[reading].spans(read)
            if len(doc):
                same = self.names[int(doc[0])] if (doc == doc[0]).all() else None
                found = Located(AMBIGUOUS, reading, same, count=len(doc), _found=(self.names, doc, start, end))
                return found.at(0) if len(doc) == 1 else found
        return Located(MISSING, doc_id=only)


class Locations(list[Located]):
    """Where each of several texts stands."""

    @property
    def counts(self) -> dict[str, int]:
        """How many texts were found exactly, how many in other readings, and how many are ambiguous or missing."""
        counted = Counter(located.how for located in self)
        return {how: counted[how] for how in OUTCOMES}

    @property
    def complete(self) -> bool:
        """Whether every text was found in one place."""
        return all(located.found for located in self)

    def summary(self) -> str:
        """The counts in a line."""
        told = [f"{count} {how}" for how, count in self.counts.items() if count]
        return f"{len(self)} {'text' if len(self) == 1 else 'texts'}: {', '.join(told) or 'none'}"


Wanted = tuple[str | None, str]
"""The document (None: any of them) and the text."""


def locate(wanted: Sequence[Wanted], texts: Mapping[str, str], in_order: bool = False) -> Locations:
    """Where each text stands, in its document or, if that is not known, in any.

    `in_order` says that the texts of a document begin one behind the other in it, as splitters give them: a text that
    stands in several places is found if only one of them fits between the others.
    """
    rows: dict[str | None, list[int]] = {}
    for row, (doc_id, _) in enumerate(wanted):
        rows.setdefault(doc_id, []).append(row)
    found = [Located(MISSING)] * len(wanted)
    for doc_id, of_doc in rows.items():
        names = list(texts) if doc_id is None else [doc_id]
        finder = Finder(names, [texts[name] for name in names])
        for row in of_doc:
            found[row] = finder.find(wanted[row][1])
        if in_order and doc_id is not None:
            for row, located in zip(of_doc, _ordered([found[row] for row in of_doc]), strict=True):
                found[row] = located
    return Locations(found)


def _ordered(found: Sequence[Located]) -> list[Located]:
    """The same, with those found of which one place alone lets all texts begin one behind the other."""
    starts = [located._found[2].tolist() for located in found]
    there = [row for row, places in enumerate(starts) if places]
    first, last = _rising(starts, there), _rising([[-at for at in reversed(places)] for places in starts], there[::-1])
    if first is None or last is None:
        return list(found)
    sure = {row: starts[row].index(at) for row, at in first.items() if at == -last[row]}
    return [located.at(sure[row]) if row in sure else located for row, located in enumerate(found)]


def _rising(places: Sequence[Sequence[int]], rows: Sequence[int]) -> dict[int, int] | None:
    """The lowest place of each of these rows that lies above the row's before it, if there are such."""
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


# ---- what becomes of texts that have no one place -------------------------------------------------------------


class Unplaced:
    """Room for texts whose place is not known: behind the end of their document, each distinct text in its own stretch.

    There a text keeps its document and its size, overlaps nothing but itself, and brings nothing. One whose document is
    not known either gets a document of its own.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._free: dict[str, int] = {}
        self._places: dict[tuple[str | None, str], Place] = {}

    def place(self, doc_id: str | None, text: str) -> Place:
        key = doc_id, text
        if key not in self._places:
            name = self._fresh() if doc_id is None else doc_id
            start = self._free.get(name, 0 if doc_id is None else len(self.texts[name]))
            self._free[name] = start + len(text)
            self._places[key] = Place(name, start, start + len(text))
        return self._places[key]

    def _fresh(self) -> str:
        number = sum(doc_id is None for doc_id, _ in self._places) + 1
        name = f"unplaced-{number}"
        while name in self.texts:
            name = f"_{name}"
        return name


def problem_of(located: Located, text: str) -> tuple[str, str]:
    """What is wrong with a text that has no one place, and what would be right."""
    told = shown(text)
    there = "the documents" if located.doc_id is None else f"document {located.doc_id}"
    if located.how == MISSING:
        if not text.strip():
            return f"the text {told} has no visible character", "give the text as it stands in the document"
        return f"the text {told} is not in {there}", "give it as it stands there, or its start and end"
    first = located.places[0]
    of = f" of document {first.doc_id}" if located.doc_id is None else ""
    return (
        f"the text {told} stands in {located.count} places of {there}, first at {first.start}{of}",
        "give its start and end",
    )


def settled(
    wanted: Sequence[Wanted],
    found: Locations,
    texts: Mapping[str, str],
    ambiguous: str,
    missing: str,
    error: Callable[[int, str, str], PartwiseError],
) -> list[Place | None]:
    """The place of every text; for those without one what `ambiguous` and `missing` say, None for one left out."""
    unplaced = Unplaced(texts)
    places: list[Place | None] = []
    for row, ((_, text), located) in enumerate(zip(wanted, found, strict=True)):
        if located.doc_id is not None and located.start is not None and located.end is not None:
            places.append(Place(located.doc_id, located.start, located.end))
            continue
        way, option = (missing, "missing") if located.how == MISSING else (ambiguous, "ambiguous")
        if way == ERROR:
            problem, remedy = problem_of(located, text)
            raise error(row, problem, f"{remedy}, or say what becomes of such texts (--{option})")
        if way == FIRST:
            places.append(located.places[0])
        else:
            places.append(None if way == SKIP else unplaced.place(located.doc_id, text))
    return places
