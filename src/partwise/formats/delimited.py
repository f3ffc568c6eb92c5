"""CSV and TSV: a header line, then a row per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partwise.errors import shown
from partwise.files import encoded, safe_cell
from partwise.formats.base import TREES_OF_RANGES, Limit
from partwise.formats.names import names_of
from partwise.formats.problems import Reader, refuse_repeated
from partwise.formats.tables import Table
from partwise.formats.tabular import Row, Tabular
from partwise.formats.text import first_line
from partwise.messages import Text, reading, writing

_QUERY_NAMES, _DOC_NAMES = ([name.encode() for name in names_of(column)] for column in ("query_id", "doc_id"))


class Delimited(Tabular):
    """Rows of cells separated by a character."""

    run_limits = (Limit(frozenset({TREES_OF_RANGES}), writing.ONE_RANGE),)

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


def table_from_csv(data: bytes, separator: str, reader: Reader) -> Table:
    """CSV or TSV with a header line."""
    import csv
    import io

    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    cells: list[list[str]] = []
    lines: list[int] = []
    while True:
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            reader.problem(rows.line_num, reading.NOT_CSV(reason=error))
            continue
        row = [cell.strip() for cell in row]
        if not row or row == [""]:
            continue
        if not header:
            header = row
            refuse_repeated(header, reader, rows.line_num)
        elif len(row) != len(header):
            reader.problem(rows.line_num, reading.COLUMN_COUNT(count=len(row), columns=", ".join(header)))
        else:
            cells.append(row)
            lines.append(rows.line_num)
    columns = zip(*cells, strict=True) if cells else ([] for _ in header)
    return Table(dict(zip(header, columns, strict=True)), lines, reader)


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
