"""Runs of named columns, read in blocks of whole queries like text runs (see `blocks`).

A file is read whole if its rows are irregular, if a query recurs in a later block, if it has several runs, or if its
blocks differ in what is decided once for a file: the columns, the unit, and the warnings about them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from partwise.errors import PartwiseError
from partwise.formats import registry
from partwise.formats.blocks import is_regular, whole_queries
from partwise.formats.detect import detect
from partwise.formats.names import PART_COLUMNS, names_of
from partwise.formats.problems import Reader
from partwise.formats.tables import Table
from partwise.formats.tabular import Tabular
from partwise.formats.text import HEAD
from partwise.later import run_tables
from partwise.messages import Note, reading
from partwise.model import TO_END, Irregular, Piece, Source
from partwise.records import record

_ROWS = reading.OTHER_LENGTHS.code
"""The note about rows that is added up over the blocks of a file."""
_NOT_ADDED = (reading.SOME_WHOLE.code, reading.ALL_EMPTY.code, reading.FILLED.code)


def format_of(path: str | os.PathLike[str]) -> Tabular | None:
    """The format in whose blocks a file may be read; None if there is none."""
    format = registry.by_suffix(path)
    return format if isinstance(format, Tabular) and format.has_blocks and is_regular(path) else None


@record()
class RowsRun:
    """A file of named columns that is read in blocks, as one run."""

    path: str
    name: str
    """The name of the run, if the file does not name it."""
    given_name: str | None
    unit: str | None
    format: Tabular

    def pieces(self) -> Iterator[Callable[[], Piece]]:
        """Functions that read one block each, in file order; `Irregular` if the file must be read whole."""
        block_of_query: dict[str, int] = {}
        try:
            for number, read in enumerate(self.format.blocks(self.path, self._texts)):
                yield self._piece(read, number, block_of_query)
        except (GeneratorExit, Irregular, PartwiseError, MemoryError):
            raise
        except Exception as error:  # whatever Arrow raises for damaged files
            raise Irregular from error

    def _texts(self, last_query: Callable[[memoryview], int]) -> Iterator[memoryview]:
        is_first = True
        for block, _ in whole_queries(self.path, last_query):
            if is_first:
                self._require_format(bytes(block[: 2 * HEAD]))
            is_first = False
            yield block

    def _require_format(self, head: bytes) -> None:
        try:
            format = detect(head, self.path)
        except PartwiseError:
            raise Irregular from None
        if format is not self.format:
            raise Irregular

    def _piece(
        self, read: Callable[[Reader], Table], number: int, block_of_query: dict[str, int]
    ) -> Callable[[], Piece]:
        def piece() -> Piece:
            reader = Reader(Source(self.path), False, [])
            reader.count_in(self.unit)
            try:
                table = read(reader)
                [run, *others] = run_tables.runs_from_table(table, self.name)
            except PartwiseError:
                raise Irregular from None
            if others or run.placing is not None:
                raise Irregular
            if any(block_of_query.setdefault(query, number) != number for query in run.query.used()):
                raise Irregular
            of_rows, of_file = _divided(reader.notes)
            has_place = any(name in table.names for column in PART_COLUMNS for name in names_of(column))
            if has_place and len(run.end) and (run.end == TO_END).all():
                raise Irregular  # in the whole file, only some results may be whole documents
            run = replace(run, run_id=self.given_name or run.run_id, unit=reader.unit)
            columns = repr((sorted(table.names), reader.unit, of_file))
            return Piece(run, frozenset(), columns=columns, notes=(*of_file, *of_rows))

        return piece


def _divided(notes: Sequence[str]) -> tuple[list[str], list[str]]:
    """The notes that are added up over blocks, and those that all blocks have; `Irregular` for any other."""
    codes = [note.code if isinstance(note, Note) else "" for note in notes]
    if any(code in _NOT_ADDED for code in codes):
        raise Irregular
    of_rows = [note for note, code in zip(notes, codes, strict=True) if code == _ROWS]
    return of_rows, [note for note, code in zip(notes, codes, strict=True) if code != _ROWS]


def notes_of_rows(blocks: Sequence[tuple[int, Sequence[str]]]) -> list[str]:
    """The notes of reading a file whole, from the rows and the notes of its blocks."""
    of_rows: list[Note] = []
    of_file: Sequence[str] = ()
    for number, (_, notes) in enumerate(blocks):
        counted, others = _divided(notes)
        of_rows += [note for note in counted if isinstance(note, Note)]
        of_file = others if number == 0 else of_file
    if not of_rows:
        return list(of_file)
    count = sum(int(str(note.values["count"])) for note in of_rows)
    total = sum(rows for rows, _ in blocks)
    return [*of_file, reading.OTHER_LENGTHS.note(**{**of_rows[0].values, "count": count, "total": total})]
