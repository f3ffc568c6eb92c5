"""Formats with a result or judgement per line, the shortest way to one of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise.errors import PartwiseError
from partwise.files import encoded
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, table_from_dicts
from partwise.formats.tabular import Row, Tabular
from partwise.messages import reading, writing


class LineFormat(Tabular):
    """A format with one result or judgement per line.

    A subclass has a `name`, `suffixes`, and `row`; with `line` it can be written, with `sniff` it is recognised in
    files of other names. Cells are named as in JSON Lines: ``query_id, doc_id, start, end``, ...

    >>> import partwise as pw
    >>> @pw.register_format
    ... class Arrows(pw.LineFormat):
    ...     name, suffixes = "arrows", (".arrows",)
    ...     def row(self, line):
    ...         query_id, _, doc_id, start, end = line.split()
    ...         return {"query_id": query_id, "doc_id": doc_id, "start": start, "end": end}
    ...     def line(self, row):
    ...         return f"{row['query_id']} -> {row['doc_id']} {row['start']} {row['end']}"
    """

    def row(self, line: str) -> Mapping[str, Any] | None:
        """The cells of a line, or None for a line without any; a ValueError describes what is wrong with it."""
        raise NotImplementedError

    def line(self, row: Mapping[str, Any]) -> str:
        """The line of a row."""
        raise NotImplementedError

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        rows, numbers = [], []
        for number, line in enumerate(data.decode().splitlines(), 1):
            try:
                row = self.row(line)
            except ValueError as error:
                reader.problem(number, reading.NOT_A_ROW(format=self.title or self.name, reason=error))
                continue
            if row is not None:
                rows.append(dict(row))
                numbers.append(number)
        return table_from_dicts(rows, reader, numbers)

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        return list(self.table(data, (), Reader(reader.source, True, [])).columns)

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        lines = []
        for row in rows:
            try:
                lines.append(f"{self.line(row)}\n")
            except KeyError as error:
                cells = ", ".join(sorted(row))
                raise PartwiseError(
                    writing.ROW_WITHOUT_CELL(format=self.title or self.name, column=error.args[0], cells=cells)
                ) from None
        return encoded("".join(lines))

    def _has(self, method: str) -> bool:
        if method in ("write_runs", "write_assessments"):
            return type(self).line is not LineFormat.line
        return super()._has(method)
