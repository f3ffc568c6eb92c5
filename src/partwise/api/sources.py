"""The files and objects from which runs are read, each with a name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partwise import formats
from partwise.errors import PartwiseError, shown
from partwise.files import is_unicode
from partwise.messages import Text, writing
from partwise.messages import scores as of_scores
from partwise.model import Irregular, Piece, Run
from partwise.options import Options
from partwise.outcomes import ScoredPiece
from partwise.records import record
from partwise.units import CHARS


class NamedFiles(list[tuple[str | None, Any]]):
    """Files, each with the name that the user gave it, or None."""


def named_files(paths: Any) -> NamedFiles:
    """Files from a path, several paths, or a mapping of names to paths."""
    if isinstance(paths, NamedFiles):
        return _checked(paths)
    if isinstance(paths, Mapping):
        return _checked(NamedFiles((str(name), path) for name, path in paths.items()))
    return NamedFiles((None, path) for path in ([paths] if formats.is_path(paths) else paths))


def _checked(named: NamedFiles) -> NamedFiles:
    """The same; a name that files cannot hold is an error."""
    for name, _ in named:
        if name == "":
            raise PartwiseError(writing.EMPTY_NAME(what="a run"))
        if name is not None and not is_unicode(name):
            raise PartwiseError(writing.LONE_SURROGATE(what="a run", name=shown(name)))
    return named


def run_sources(runs: Any, options: Options, notes: list[str]) -> list[FileOrObject]:
    """A named source for each file or object with runs that the user passes."""
    given, by_query = (runs, False) if isinstance(runs, NamedFiles) else formats.named_runs(runs)
    named = _checked(NamedFiles(given))
    paths = [item for name, item in named if name is None and formats.is_path(item)]
    stems = iter(formats.run_names(paths))
    unnamed = [item for name, item in named if name is None and not formats.is_path(item)]
    numbers = iter(range(1, len(unnamed) + 1))
    sources = []
    for name, item in named:
        if formats.is_path(item):
            run_name = next(stems) if name is None else name
            by_tag = name is None and options.run_id == "tag"
        else:
            run_name = name or ("run" if len(unnamed) == 1 else f"run{next(numbers)}")
            by_tag = False
        sources.append(FileOrObject(item, run_name, name, by_tag, options.file_unit, options.lenient, notes, by_query))
    return sources


@record(eq=False, repr=False)
class FileOrObject:
    """A file or an object with runs; `given_name` is the name under which the user passed it."""

    item: Any
    run_id: str
    given_name: str | None
    by_tag: bool
    unit: str | None
    lenient: bool
    notes: list[str]
    by_query: bool = False
    """Whether it is known to be a mapping by query."""
    quotes: formats.quoted.QuotedRows | None = None
    """Where rows with texts are kept, if they are wanted."""
    misplaced: Callable[[formats.quoted.QuotedRows], Sequence[tuple[int, Text]]] | None = None
    """The rows whose text is not at their offsets, by line, with messages; None if there is nothing to compare with."""

    @property
    def name(self) -> str:
        return str(os.fspath(self.item))

    def __call__(self) -> list[Run]:
        return self.read(self.notes)

    def read(self, notes: list[str]) -> list[Run]:
        if self.misplaced is None:
            return self._runs(notes)
        quotes = formats.quoted.QuotedRows()
        runs = replace(self, quotes=quotes)._runs(notes)
        found = self.misplaced(quotes)
        if found:
            line, message = found[0]
            notes.append(
                of_scores.RESULTS_ELSEWHERE.note(
                    source=runs[0].source.name, count=len(found), first=runs[0].source.error(message, line)
                )
            )
        return runs

    def _runs(self, notes: list[str]) -> list[Run]:
        unit, lenient = self.unit, self.lenient
        if formats.is_path(self.item):
            runs = formats.read_runs(
                self.item,
                run_id=self.run_id,
                by_tag=self.by_tag,
                unit=unit,
                lenient=lenient,
                notes=notes,
                quotes=self.quotes,
            )
        else:
            if self.quotes is not None:
                self.quotes.add_object(self.item)
            runs = formats.objects.runs_from_object(self.item, self.run_id, unit, lenient, notes, self.by_query)
            if self.quotes is not None and runs:
                self.quotes.unit = runs[0].unit
        name = self.given_name
        if name is None:
            return runs
        if len(runs) == 1:
            return [replace(runs[0], run_id=name)]
        return [replace(run, run_id=f"{name}/{run.run_id}") for run in runs]

    def pieces(self) -> Iterator[Callable[[], Piece]] | None:
        if not formats.is_path(self.item):
            return None
        if self.misplaced is None and (format := formats.row_blocks.format_of(self.item)) is not None:
            return formats.row_blocks.RowsRun(self.name, self.run_id, self.given_name, self.unit, format).pieces()
        if self.by_tag or not formats.blocks.is_plain(self.item):
            return None
        if self.unit == "seconds":  # no text format has them: reading the file whole says so
            return None
        return formats.blocks.TextRun(self.name, self.run_id, self.unit or CHARS).pieces()

    def whole(self, pieces: Sequence[ScoredPiece]) -> tuple[str, list[str]]:
        if len({(piece.run_id, piece.columns) for piece in pieces}) > 1:
            raise Irregular
        tags = frozenset[str]().union(*(piece.tags for piece in pieces))
        notes = formats.row_blocks.notes_of_rows([(piece.rows, piece.notes) for piece in pieces])
        return pieces[0].run_id, [*formats.text.tags_note(self.name, len(tags)), *notes]


@record(eq=False, repr=False)
class HeldRuns:
    """Runs kept in memory because they are needed several times, with the notes of reading them."""

    name: str
    run_id: str
    runs: list[Run]
    notes: list[str]

    @classmethod
    def of(cls, source: FileOrObject) -> HeldRuns:
        notes: list[str] = []
        runs = source.read(notes)
        return cls(source.name if formats.is_path(source.item) else source.run_id, source.run_id, runs, notes)

    def read(self, notes: list[str]) -> list[Run]:
        notes += self.notes
        return self.runs

    def pieces(self) -> None:
        return None

    def whole(self, pieces: Sequence[ScoredPiece]) -> tuple[str, list[str]]:
        raise Irregular
