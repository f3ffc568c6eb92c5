"""Lines that cannot be read: the first stops the reading, or, when lenient, all are skipped and counted."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.errors import PartwiseError, shown
from partwise.model import LARGEST_OFFSET, Source


class SkippedLines(str):
    """The note that lines were skipped, with what was wrong with each."""

    errors: list[PartwiseError]

    @classmethod
    def of(cls, source: Source, found: dict[int, PartwiseError]) -> SkippedLines:
        errors = [found[line] for line in sorted(found)]
        many = "line" if len(errors) == 1 else "lines"
        note = cls(f"{source.name}: {len(errors)} bad {many} skipped, the first: {errors[0]}")
        note.errors = errors
        return note


class Reader:
    """Collects what is wrong with one source while it is read."""

    def __init__(self, source: Source, lenient: bool, notes: list[str]) -> None:
        self.source = source
        self.lenient = lenient
        self.notes = notes
        self.found: dict[int, PartwiseError] = {}

    def problem(self, line: int, problem: str, remedy: str) -> None:
        """Note the first thing that is wrong with a line (or row)."""
        self.found.setdefault(line, self.source.error(problem, remedy, line))

    def settle(self) -> None:
        """Raise the first problem, or note how many lines were skipped."""
        if not self.found:
            return
        first = self.found[min(self.found)]
        if not self.lenient:
            raise first
        self.notes.append(SkippedLines.of(self.source, self.found))
        self.found = {}


def number_remedy(text: object, low: str = "a whole number from 0") -> str:
    """What a number should have been; one that is only too large is told its bound."""
    if str(text).isascii() and str(text).isdigit():
        return f"it must be at most {LARGEST_OFFSET}"
    return f"it must be {low}"


def no_column(source: Source, name: str, found: Sequence[str], what: str) -> PartwiseError:
    there = ", ".join(shown(column) for column in found) or "none"
    return source.error(f"has no column {name!r} (it has {there})", f"{what} need it")
