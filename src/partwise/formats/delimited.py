"""CSV and TSV: a header line, then a row per line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from partwise import kernels
from partwise.errors import shown
from partwise.files import encoded, safe_cell
from partwise.formats.base import TREES_OF_RANGES, Limit
from partwise.formats.columns import present
from partwise.formats.names import names_of
from partwise.formats.problems import Reader, refuse_repeated
from partwise.formats.tables import Table
from partwise.formats.tabular import Blocks, Row, Tabular
from partwise.formats.text import HEAD, first_line, refuse_other_text
from partwise.kernels.cells import AFTER_QUOTE, COLUMN_COUNT, END_OF_DATA, TOO_LONG
from partwise.messages import Text, reading, writing
from partwise.model import Irregular

_QUERY_NAMES, _DOC_NAMES = ([name.encode() for name in names_of(column)] for column in ("query_id", "doc_id"))


class Delimited(Tabular):
    """Rows of cells separated by a character."""

    run_limits = (Limit(frozenset({TREES_OF_RANGES}), writing.ONE_RANGE),)
    has_blocks = True

    def __init__(self, name: str, separator: str, is_safe: bool = False) -> None:
        self.name, self.title, self.suffixes, self.separator = name, name.upper(), (f".{name}",), separator
        self.is_safe = is_safe

    def for_spreadsheets(self) -> Delimited:
        return Delimited(self.name, self.separator, is_safe=True)

    def sniff(self, data: bytes, name: str) -> bool:
        line = first_line(data)[1]
        if line.startswith((b"{", b"<", b"[")):
            return False
        cells = {cell.strip().strip(b'"') for cell in line.split(self.separator.encode())}
        has_query, has_doc = (not cells.isdisjoint(names) for names in (_QUERY_NAMES, _DOC_NAMES))
        return b"query_id" in cells or (has_query and has_doc) or (len(cells) > 1 and b"doc_id" in cells)

    def takes(self, data: bytes, name: str) -> bool:
        """A header has no numbers; a first line that has some belongs to a TREC or INEX file."""
        tokens = first_line(data)[1].replace(b",", b" ").split()
        return len(tokens) < 4 or not any(map(_is_number, tokens))

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        return table_from_csv(data, self.separator, reader)

    def blocks(self, path: str, texts: Blocks) -> Iterator[Callable[[Reader], Table]]:
        names: list[str] = []
        lines = [0, 0]  # before this block, and before the next

        def last_query(block: memoryview) -> int:
            if not names:
                names.extend(kernels.read_delimited(bytes(block[:HEAD]), self.separator, LONGEST_CELL).names)
            query = present(names, "query_id")
            if not query:
                raise Irregular
            cut, before = kernels.last_delimited_query(block, self.separator, names.index(query[0]), lines[0] == 0)
            lines[1] = lines[0] + before
            return cut

        is_first = True
        for block in texts(last_query):
            yield partial(self._block, block, None if is_first else names, lines[0])
            is_first = False
            lines[0] = lines[1]

    def _block(self, block: memoryview, names: Sequence[str] | None, lines: int, reader: Reader) -> Table:
        refuse_other_text(block)
        table = table_from_csv(block, self.separator, reader, names)
        table.lines = table.lines + lines
        return table

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        line = next(line for line in data.splitlines() if line.strip())
        return list(self.table(line + b"\n", (), Reader(reader.source, True, [])).columns)

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        import csv
        import io

        if self.is_safe:
            lines = [names, *([row.get(name) for name in names] for row in rows)]
            return encoded("".join(self.separator.join(map(_safe, names, line)) + "\n" for line in lines))
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.separator, lineterminator="\n")
        writer.writerow(names)
        for row in rows:
            writer.writerow([_cell(name, row.get(name)) for name in names])
        return encoded(text.getvalue())

    def name_problem(self, what: str, names: Sequence[str]) -> Text | None:
        for name in names:
            if name != name.strip() or "\r" in name or "\0" in name:
                return writing.CHANGED_NAME(name=shown(name), format=self.title)
        return None


def _is_number(token: bytes) -> bool:
    return token.replace(b".", b"", 1).removeprefix(b"-").isdigit()


LONGEST_CELL = 2**31 - 1
"""The largest number of characters of a cell."""


def table_from_csv(data: Any, separator: str, reader: Reader, names: Sequence[str] | None = None) -> Table:
    """CSV or TSV with a header line, or without one if the names are known."""
    table = kernels.read_delimited(data, separator, LONGEST_CELL, names)
    refuse_repeated(table.names, reader, table.header)
    for bad in table.bad:
        reader.problem(bad.line, _problem(bad, separator, table.names))
    return Table(table.columns, table.lines, reader)


def _problem(bad: kernels.BadLine, separator: str, names: Sequence[str]) -> Text:
    """What is wrong with a line, as the csv module of Python words it."""
    if bad.what == COLUMN_COUNT:
        return reading.COLUMN_COUNT(count=bad.cells, columns=", ".join(names))
    reasons = {
        AFTER_QUOTE: f"'{separator}' expected after '\"'",
        END_OF_DATA: "unexpected end of data",
        TOO_LONG: f"field larger than field limit ({LONGEST_CELL})",
    }
    return reading.NOT_CSV(reason=reasons[bad.what])


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return ""
    if name == "spans":
        return " ".join(f"{start}-{end}" for start, end in value)
    if name == "paths":
        return " ".join(value)
    return repr(value) if isinstance(value, float) else value


def _safe(name: str, value: Any) -> str:
    """A cell for spreadsheets: texts are quoted, numbers are not."""
    return safe_cell(value) if isinstance(value, str) else str(_cell(name, value))


CSV = Delimited("csv", ",")
TSV = Delimited("tsv", "\t")
