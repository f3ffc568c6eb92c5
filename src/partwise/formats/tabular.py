"""The base class of formats of named columns.

Runs have ``query_id, doc_id`` and, where known, ``rank, score, run_id``; a part is ``start, end`` or ``offset,
length`` or ``spans`` (several), ``path`` or ``paths``; without any of them it is the whole document. Assessments have
``query_id, doc_id`` and ``start, end`` (or ``spans``, or ``start_path, end_path``) or ``path, exhaustivity,
specificity`` or ``paths`` (a relevant tree, graded or not), and ``nugget, set, bep`` (or ``bep_path``), ``length,
grade, assessor, scale``; an empty ``doc_id`` says that a query has nothing relevant. The names that other tools use for
them are read too; columns that are not known are named in a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from partwise.formats import base
from partwise.formats.base import Format
from partwise.formats.names import ASSESSMENT_COLUMNS, BEIR_GRADE, RUN_COLUMNS, names_of
from partwise.formats.problems import Reader
from partwise.later import assessment_tables, cell_tables, named_columns, run_tables
from partwise.model import Assessments, Run
from partwise.types import Kind

if TYPE_CHECKING:
    from partwise.formats.tables import Table

Row = dict[str, Any]
Blocks = Callable[[Callable[[memoryview], int]], Iterator[memoryview]]
_NAMES = (
    (base.RUN_NAME, "run_id"),
    (base.QUERY_NAME, "query_id"),
    (base.DOC_NAME, "doc_id"),
    (base.ASSESSOR_NAME, "assessor"),
    (base.PATH_NAME, "path"),
)


class Tabular(Format):
    """A format of named columns: a subclass turns a file into a table and rows into a file."""

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        """The columns of a file; those that are not in `columns` may be left out.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        """
        raise NotImplementedError

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        """The names of the columns, without reading all rows; none if the file is damaged.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        """
        raise NotImplementedError

    has_blocks = False
    """Whether it defines `blocks`."""

    def blocks(self, path: str, texts: Blocks) -> Iterator[Callable[[Reader], Table]]:
        """Functions that read the tables of some queries each, in the order of the file at a `path`.

        `texts` returns the blocks of the file's text, with a function that finds where the last query of one starts.
        `Irregular` if the file must be read whole.
        """
        raise NotImplementedError

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        """Rows as the bytes of a file with these columns.

        - `rows`: rows of named cells.
        - `names`: the names of the columns.
        """
        raise NotImplementedError

    def read_either(
        self, data: bytes, reader: Reader, name: str, by_tag: bool, unit: str
    ) -> list[Run] | Assessments | None:
        table = self.table(data, (*RUN_COLUMNS, *ASSESSMENT_COLUMNS), reader)
        what = what_is(table)
        if what == "run":
            return run_tables.runs_from_table(table, name)
        if what == "assessments":
            return assessment_tables.assessments_from_table(table, unit)
        reader.lenient = reader.lenient and len(table) > 0
        reader.settle()
        cell_tables.require(
            named_columns.renamed(table, ("query_id", "doc_id")), ("query_id", "doc_id"), "runs and assessments"
        )
        return None

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        return run_tables.runs_from_table(self._with_quotes(data, RUN_COLUMNS, reader), name)

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        return assessment_tables.assessments_from_table(self._with_quotes(data, ASSESSMENT_COLUMNS, reader), unit)

    def _with_quotes(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        if reader.quotes is None:
            return self.table(data, columns, reader)
        table = self.table(data, (*columns, "text"), reader)
        reader.quotes.add(table)
        return table

    def lengths_table(self, data: bytes, reader: Reader) -> Table:
        return self.table(data, ("doc_id", "length"), reader)

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        return self.write_rows([row for run in runs for row in run_tables.run_rows(run)], RUN_COLUMNS)

    def write_assessments(self, assessments: Assessments, path: str) -> bytes:
        return self.write_rows(assessment_tables.assessment_rows(assessments), ASSESSMENT_COLUMNS)

    def check_rows(self, rows: Sequence[Row], path: str) -> None:
        """Raise an error if a name in these rows would not be read back unchanged.

        - `path`: the path of the file.
        """
        self._check_names(
            ((what, [row[column] for row in rows if row.get(column) is not None]) for what, column in _NAMES), path
        )

    def write_rows(self, rows: list[Row], names: Sequence[str]) -> bytes:
        """Rows as the bytes of a file, with the columns of `names` that occur.

        - `rows`: rows of named cells.
        """
        return self.rows_written(rows, [name for name in names if any(name in row for row in rows)])


def what_is(table: Table) -> Kind | None:
    """Whether a table is a run or assessments, by the columns that only one of them has; None if it may be either."""

    def has(column: str) -> bool:
        return any(name in table.names for name in names_of(column))

    if {"query-id", "corpus-id", BEIR_GRADE} == set(table.names):
        return "assessments"
    of_run = any(has(name) for name in RUN_COLUMNS if name not in ASSESSMENT_COLUMNS)
    of_run |= has("paths") or (has("path") and not has("exhaustivity"))
    of_assessments = any(has(name) for name in ASSESSMENT_COLUMNS if name not in RUN_COLUMNS)
    of_run |= has("spans") and not of_assessments
    if of_run == of_assessments:
        return None
    return "run" if of_run else "assessments"
