"""Texts that are ambiguous or missing: where they are kept, and the messages about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from partwise.errors import PartwiseError, shown
from partwise.location.finding import Located, Locations, Place, TextToFind
from partwise.messages import Text, documents
from partwise.placement import MISSING, UNKNOWN_DOCUMENT
from partwise.types import IF_AMBIGUOUS

KEEP, FIRST, SKIP, ERROR = IF_AMBIGUOUS


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
) -> list[list[Place] | None]:
    """The places of every text, usually one, or None if it is skipped.

    `ambiguous` and `missing` decide about texts that were not located.
    """
    unplaced = Unplaced(texts)
    places: list[list[Place] | None] = []
    for row, ((_, text), located) in enumerate(zip(texts_to_find, locations, strict=True)):
        if located.found:
            places.append(located.spans)
            continue
        treatment, option = (missing, "missing") if located.how == MISSING else (ambiguous, "ambiguous")
        if treatment == ERROR:
            _, problem, remedy = problem_of(located, text)
            raise error(row, documents.UNLOCATED_TEXT(problem=problem, remedy=remedy, option=option))
        if treatment == FIRST:
            places.append(located.at(0).spans)
        else:
            places.append(None if treatment == SKIP else [unplaced.place(located.doc_id, text)])
    return places
