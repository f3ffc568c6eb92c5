"""Finds texts in documents, in readings from the strictest to the loosest that is allowed.

The strictest reading with a match decides. All its matches count, overlapping ones too: a text with one match is
located, a text with several is ambiguous, and the caller chooses how to treat it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError, shown
from partwise.location import ellipsis, fuzzy, markup
from partwise.location.readings import Form, Reading, casefolded, normalised, squeezed, word_edges
from partwise.location.search import Haystack
from partwise.messages import documents
from partwise.model import Bools, Ints, empty_ints
from partwise.parameters import check_choice
from partwise.placement import AMBIGUOUS, CASEFOLDED, ELLIPSIS, EXACT, FUZZY, MARKUP, MISSING, NORMALISED, WHITESPACE
from partwise.types import MATCHES

_FORMS: dict[str, tuple[Form, ...]] = {
    EXACT: (Form(Reading, (Reading,)),),
    WHITESPACE: (Form(squeezed, (squeezed,)),),
    NORMALISED: (Form(normalised, (normalised,)),),
    CASEFOLDED: (Form(casefolded, (casefolded,)),),
    MARKUP: markup.FORMS,
}
"""How texts and documents are compared, the strictest first; ellipsis and fuzzy are defined by these."""

MIN_SCORE = 0.9
LEAST_MIN_SCORE = 0.5


@dataclass(frozen=True)
class Matching:
    """The loosest reading that is allowed, and the lowest score of a fuzzy match."""

    match: str = NORMALISED
    min_score: float = MIN_SCORE

    @classmethod
    def of(cls, match: str, min_score: float | None = None) -> Matching:
        """These choices if they are valid; an error names what is not, or the package that is missing."""
        check_choice("match", match, MATCHES)
        if match == FUZZY:
            fuzzy.required()
        elif min_score is not None:
            raise PartwiseError(documents.SCORE_WITHOUT_FUZZY(match=match))
        score = MIN_SCORE if min_score is None else min_score
        is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
        if not is_number or not LEAST_MIN_SCORE <= score <= 1:
            raise PartwiseError(documents.BAD_MIN_SCORE(value=shown(score), least=LEAST_MIN_SCORE))
        return cls(match, float(score))

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings that are tried, in this order."""
        return MATCHES[: MATCHES.index(self.match) + 1]


DEFAULT = Matching()


class Place(NamedTuple):
    """Characters `start` to `end` of a document."""

    doc_id: str
    start: int
    end: int


class _Matches(NamedTuple):
    """The document, start and end of every match, ascending; where needed its spans and its score."""

    names: Sequence[str]
    doc: Ints
    start: Ints
    end: Ints
    spans: Sequence[ellipsis.Spans] = ()
    scores: Sequence[float] = ()


_NO_MATCHES = _Matches((), empty_ints(), empty_ints(), empty_ints())


@dataclass(frozen=True)
class Located:
    """The location of one text.

    `how` is the reading with exactly one match (``exact``, ``whitespace`` ...), ``ambiguous`` or ``missing``; `reading`
    is the reading with any match, and `count` the number of matches. `doc_id`, `start` and `end` are set if there is
    one match; `doc_id` also if it is known which document must contain the text. `score` is the similarity of a fuzzy
    match.
    """

    how: str
    reading: str | None = None
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None
    count: int = 0
    score: float | None = None
    _spans: ellipsis.Spans = field(default=(), repr=False)
    _matches: _Matches = field(default=_NO_MATCHES, repr=False, compare=False)

    @property
    def found(self) -> bool:
        """Whether the text was located."""
        return self.start is not None

    @property
    def places(self) -> list[Place]:
        """All matches, in the order of documents and characters."""
        matches = self._matches
        rows = zip(matches.doc.tolist(), matches.start.tolist(), matches.end.tolist(), strict=True)
        return [Place(matches.names[code], first, stop) for code, first, stop in rows]

    @property
    def spans(self) -> list[Place]:
        """The place of a text that was located: one, or several if the pieces around an ellipsis are far apart."""
        if self.doc_id is None or self.start is None or self.end is None:
            return []
        return [Place(self.doc_id, start, end) for start, end in self._spans or ((self.start, self.end),)]

    def at(self, number: int) -> Located:
        """The location at one of its matches.

        - `number`: the number of the place, from 0.
        """
        place = self.places[number]
        spans, scores = self._matches.spans, self._matches.scores
        return replace(
            self,
            how=str(self.reading),
            doc_id=place.doc_id,
            start=place.start,
            end=place.end,
            score=scores[number] if scores else None,
            _spans=spans[number] if spans else (),
        )


class _Layer:
    """One form of several documents, concatenated."""

    def __init__(self, texts: Sequence[str], read: Callable[[str], Reading]) -> None:
        parts = [read(text) for text in texts]
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
        return self.sources(first[valid], stop[valid])

    def sources(self, first: Ints, stop: Ints) -> tuple[Ints, Ints, Ints]:
        """The document, start and end, in the documents themselves, of spans of the concatenated text."""
        doc = np.searchsorted(self.bounds, first, side="right") - 1
        if self.first is None or self.last is None:
            return doc, first - self.bounds[doc], stop - self.bounds[doc]
        return doc, self.first[first], self.last[stop - 1] + 1

    def word_edges(self) -> Bools:
        """For every offset of the concatenated text whether it is not inside a word."""
        edges = word_edges(Reading(self.haystack.text, self.first, self.last))
        edges[self.bounds] = True
        return edges


def _joined(columns: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if present else None


class Finder:
    """Documents to search; each form of them is computed when it is first needed."""

    def __init__(self, names: Sequence[str], texts: Sequence[str], matching: Matching = DEFAULT) -> None:
        self.names = names
        self.texts = texts
        self.matching = matching
        self._layers: dict[Form, _Layer] = {}
        self._located: dict[str, Located] = {}
        self._indexes: dict[Form, fuzzy.Index] = {}

    def find(self, text: str) -> Located:
        """Locate a text; one without visible characters is missing."""
        if text not in self._located:
            self._located[text] = self._find(text)
        return self._located[text]

    def _find(self, text: str) -> Located:
        for reading in self.matching.readings:
            if reading == ELLIPSIS:
                matches = self._around_ellipses(text)
            elif reading == FUZZY:
                matches = self._similar(text)
            else:
                matches = next(filter(None, (self._in_form(text, form) for form in _FORMS[reading])), None)
            if matches is not None:
                doc = matches.doc
                same = self.names[int(doc[0])] if (doc == doc[0]).all() else None
                located = Located(AMBIGUOUS, reading, same, count=len(doc), _matches=matches)
                return located.at(0) if len(doc) == 1 else located
        return Located(MISSING, doc_id=self.names[0] if len(self.names) == 1 else None)

    def _layer(self, form: Form) -> _Layer:
        if form not in self._layers:
            self._layers[form] = _Layer(self.texts, form.document)
        return self._layers[form]

    def _in_form(self, text: str, form: Form) -> _Matches | None:
        """The matches of a text in one form of the documents; None if there are none."""
        for pattern in dict.fromkeys(read(text).text for read in form.texts):
            if pattern.strip():
                doc, start, end = self._layer(form).spans(pattern)
                if len(doc):
                    return _Matches(self.names, doc, start, end)
        return None

    def _around_ellipses(self, text: str) -> _Matches | None:
        """The places where the pieces of a text around its ellipses follow each other."""
        pieces = ellipsis.pieces(text)
        for form in (form for forms in _FORMS.values() for form in forms) if pieces else ():
            found = takewhile(lambda of_piece: of_piece is not None, (self._in_form(piece, form) for piece in pieces))
            matches = [of_piece for of_piece in found if of_piece is not None]
            if len(matches) < len(pieces):
                continue
            common = set(matches[0].doc.tolist()).intersection(*(of_piece.doc.tolist() for of_piece in matches[1:]))
            places = ellipsis.places({doc: self._edges(pieces, matches, doc) for doc in sorted(common)})
            if places:
                doc = np.array([doc for doc, _ in places], np.int64)
                start = np.array([spans[0][0] for _, spans in places], np.int64)
                end = np.array([spans[-1][1] for _, spans in places], np.int64)
                return _Matches(self.names, doc, start, end, spans=[spans for _, spans in places])
        return None

    def _edges(self, pieces: Sequence[str], matches: Sequence[_Matches], doc: int) -> list[ellipsis.Edges]:
        """The starts and ends of the matches of each piece in one document."""
        inside = [of_piece.doc == doc for of_piece in matches]
        edges = [(found.start[rows], found.end[rows]) for found, rows in zip(matches, inside, strict=True)]
        text = self.texts[doc]
        return [ellipsis.fitting(pieces, number, text, of_piece) for number, of_piece in enumerate(edges)]

    def _similar(self, text: str) -> _Matches | None:
        """The place that is most similar to a text, and those about as good."""
        text = ellipsis.without(text)
        for form in (_FORMS[CASEFOLDED][0], _FORMS[MARKUP][0]):
            layer, pattern = self._layer(form), form.texts[-1](text)
            if form not in self._indexes:
                self._indexes[form] = fuzzy.Index(layer.haystack.text, layer.bounds, layer.word_edges())
            places = self._indexes[form].places(pattern.text, word_edges(pattern), self.matching.min_score)
            if places:
                first, stop = (np.array(column, np.int64) for column in list(zip(*places, strict=True))[:2])
                return _Matches(self.names, *layer.sources(first, stop), scores=[place.score for place in places])
        return None


class Locations(list[Located]):
    """The locations of several texts, and the readings that were tried."""

    def __init__(self, locations: Iterable[Located], matching: Matching = DEFAULT) -> None:
        super().__init__(locations)
        self.matching = matching

    @property
    def counts(self) -> dict[str, int]:
        """The number of texts with each outcome: the readings that were tried, ambiguous and missing."""
        counts = Counter(located.how for located in self)
        return {how: counts[how] for how in (*self.matching.readings, AMBIGUOUS, MISSING)}

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


def locate(
    texts_to_find: Sequence[TextToFind],
    texts: Mapping[str, str],
    in_order: bool = False,
    matching: Matching = DEFAULT,
) -> Locations:
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
        finder = Finder(names, [texts[name] for name in names], matching)
        for row in of_doc:
            locations[row] = finder.find(texts_to_find[row][1])
        if in_order and doc_id is not None:
            for row, located in zip(of_doc, _ordered([locations[row] for row in of_doc]), strict=True):
                locations[row] = located
    return Locations(locations, matching)


def _ordered(locations: Sequence[Located]) -> list[Located]:
    """The locations, where an ambiguous text is located if only one of its matches keeps all starts ascending.

    It is the only one if it is both the lowest possible (choosing from the front) and the highest (from the back).
    """
    starts = [located._matches.start.tolist() for located in locations]
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
