"""Rows that quote a text beside its offsets, kept while a file is read so that the text can be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partwise.formats.problems import Reader
from partwise.later import cell_tables, named_columns, objects
from partwise.model import Source
from partwise.units import CHARS

if TYPE_CHECKING:
    from partwise.formats.tables import Table

COLUMNS = ("doc_id", "start", "end", "start_line", "end_line", "text")


class QuotedRows:
    """Rows with a text, as cells of the file, and the line of each."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.lines: list[int] = []
        self.unit: str = CHARS
        """What their offsets count."""

    def add(self, table: Table) -> None:
        """Add the rows of a table, if it has texts."""
        table = named_columns.renamed(table, COLUMNS)
        if not table.has("text"):
            return
        present = {name: table.columns[name] for name in COLUMNS if table.has(name)}
        self.rows += cell_tables.Table(present, table.lines, table.reader).rows()
        self.lines += table.lines.tolist()

    def add_object(self, value: Any) -> None:
        """Add the rows of a data frame or of a list of dicts."""
        if objects.is_table(value) or objects.is_rows(value):
            self.add(objects.table_of(value, COLUMNS, "", Reader(Source("rows", is_file=False), True, [])))
