"""Lines that cannot be read: the first stops the reading, or, when lenient, all are skipped and counted."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.errors import PartwiseError, shown
from partwise.messages import Text
from partwise.model import LARGEST_OFFSET, Source


class SkippedLines(str):
    """The note that lines were skipped, with what was wrong with each."""

    errors: list[PartwiseError]

    @classmethod
    def of(cls, source: Source, errors: list[PartwiseError], noun: str) -> SkippedLines:
        many = noun if len(errors) == 1 else f"{noun}s"
        note = cls(f"{source.name}: {len(errors)} bad {many} skipped, the first: {errors[0]}")
        note.errors = errors
        return note


class Reader:
    """Collects what is wrong with one source while it is read.

    `noun` is what is skipped when lenient, and so counted: lines, or elements, of which a line may hold several.
    """

    def __init__(self, source: Source, lenient: bool, notes: list[str], noun: str = "line") -> None:
        self.source = source
        self.lenient = lenient
        self.notes = notes
        self.noun = noun
        self.found: dict[tuple[int, ...], PartwiseError] = {}

    def problem(self, line: int, problem: str | Text, remedy: str = "", item: tuple[int, ...] | None = None) -> None:
        """Note the first thing that is wrong with a line (or row), or with an item, which begins with its line."""
        self.found.setdefault(item or (line,), self.source.error(problem, remedy, line))

    def settle(self) -> None:
        """Raise the first problem, or note how many lines were skipped."""
        if not self.found:
            return
        errors = [self.found[item] for item in sorted(self.found)]
        if not self.lenient:
            raise errors[0]
        self.notes.append(SkippedLines.of(self.source, errors, self.noun))
        self.found = {}


def number_remedy(text: object, low: str = "a whole number from 0") -> str:
    """What a number should have been; one that is only too large is told its bound."""
    if str(text).isascii() and str(text).isdigit():
        return f"it must be at most {LARGEST_OFFSET}"
    return f"it must be {low}"


def no_column(source: Source, name: str, found: Sequence[str], what: str) -> PartwiseError:
    there = ", ".join(shown(column) for column in found) or "none"
    return source.error(f"has no column {name!r} (it has {there})", f"{what} need it")
