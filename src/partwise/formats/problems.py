"""Lines that cannot be read: the first is an error, or, when lenient, all are skipped and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from partwise.errors import PartwiseError, shown
from partwise.messages import Note, Text, reading
from partwise.model import LARGEST_OFFSET, Source
from partwise.units import CHARS

if TYPE_CHECKING:
    from partwise.formats.quoted import QuotedRows

WHOLE_NUMBER = "a whole number from 0"


class SkippedLines(Note):
    """The note that lines were skipped, with the error of each."""

    errors: list[PartwiseError]

    @classmethod
    def from_errors(cls, source: Source, errors: list[PartwiseError], item: str) -> SkippedLines:
        text = reading.SKIPPED(source=source.name, count=len(errors), item=item, error=errors[0])
        note = cls(text.problem)
        note.code, note.values, note.errors = text.code, {}, errors
        return note


class RepeatedPassages(Note):
    """The note that rows judge passages exactly as earlier rows do, with the message of each row."""

    errors: list[PartwiseError]

    @classmethod
    def from_errors(cls, source: Source, errors: list[PartwiseError]) -> RepeatedPassages:
        place = source.place(errors[0].line or 0)
        plain = reading.SAME_PASSAGES.note(source=source.name, count=len(errors), first=place)
        note = cls(plain)
        note.code, note.about, note.message, note.values = plain.code, plain.about, plain.message, plain.values
        note.errors = errors
        return note


class Reader:
    """Collects the errors of one source while it is read.

    `noun` names what is skipped, and so counted, when lenient: lines, or elements, of which a line may hold several.
    """

    def __init__(self, source: Source, lenient: bool, notes: list[str], noun: str = "line") -> None:
        self.source = source
        self.lenient = lenient
        self.notes = notes
        self.noun = noun
        self.quotes: QuotedRows | None = None
        """Where rows with texts are kept, if they are wanted."""
        self.unit: str = CHARS
        """What offsets count."""
        self.requested_unit: str | None = None
        """What offsets count in files that do not declare it, if the user says so."""
        self.errors: dict[tuple[int, ...], PartwiseError] = {}

    def count_in(self, unit: str | None) -> None:
        """Count in this unit, unless the file declares another; in characters if it is None."""
        self.requested_unit = unit
        self.unit = unit or CHARS

    def problem(self, line: int, problem: str | Text, remedy: str = "", item: tuple[int, ...] | None = None) -> None:
        """Record the first problem of a line (or row), or of an item, a tuple that starts with its line."""
        text = problem if isinstance(problem, Text) else Text("", problem, remedy)
        self.errors.setdefault(item or (line,), self.source.error(text, line))

    def settle(self) -> None:
        """Raise the first error, or add a note of how many lines were skipped."""
        if not self.errors:
            return
        errors = [self.errors[item] for item in sorted(self.errors)]
        if not self.lenient:
            raise errors[0]
        self.notes.append(SkippedLines.from_errors(self.source, errors, self.noun))
        self.errors = {}


def bad_number(name: str, value: str, expected: str = WHOLE_NUMBER) -> Text:
    """The message for a value that is not a whole number, or only too large."""
    if value.isascii() and value.isdigit():
        return reading.TOO_LARGE(name=name, value=shown(value), largest=LARGEST_OFFSET)
    return reading.BAD_VALUE(name=name, value=shown(value), expected=expected)


def refuse_repeated(columns: Sequence[str], reader: Reader, line: int | None = None) -> None:
    """Raise an error if two columns have the same name."""
    seen: set[str] = set()
    for name in columns:
        if name in seen:
            raise reader.source.error(reading.COLUMN_TWICE(name=shown(name)), line=line)
        seen.add(name)


def no_column(source: Source, name: str, columns: Sequence[str], what: str) -> PartwiseError:
    existing = ", ".join(map(shown, columns)) or "none"
    return source.error(reading.NO_COLUMN(name=repr(name), columns=existing, what=what))
