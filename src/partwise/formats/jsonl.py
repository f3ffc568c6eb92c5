"""JSON Lines: a JSON object per row, whose keys are the names of the columns."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from partwise.errors import shown
from partwise.files import encoded
from partwise.formats.cells import has_half_character
from partwise.formats.names import needed
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, table_from_dicts
from partwise.formats.tabular import Row, Tabular
from partwise.formats.text import first_line
from partwise.messages import reading

DEEPEST = 100
"""The largest depth of the values of a line."""
_MARK = re.compile(rb'\\.|["\[\]{}]')


class JsonLines(Tabular):
    """A JSON object per line."""

    name = "jsonl"
    title = "JSON Lines"
    suffixes = (".jsonl", ".ndjson")

    def sniff(self, data: bytes, name: str) -> bool:
        return first_line(data)[1].startswith(b"{")

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        return table_from_jsonl(data, reader, columns)

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        line = next(line for line in data.splitlines() if line.strip())
        return list(self.table(line, (), Reader(reader.source, True, [])).columns)

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        import json

        encode = json.JSONEncoder(ensure_ascii=False).encode
        lines = (encode({name: _finite(row[name]) for name in names if row.get(name) is not None}) for row in rows)
        return encoded("".join(line + "\n" for line in lines))


def _finite(cell: Any) -> Any:
    """A cell as JSON can hold it: an infinite number as text, which is read as a number."""
    return str(cell) if isinstance(cell, float) and math.isinf(cell) else cell


def table_from_jsonl(data: bytes, reader: Reader, columns: Sequence[str] = ()) -> Table:
    """A JSON object per line. In those of its columns that are `columns`, half a character is a problem."""
    import json

    numbered = [(i, line.strip()) for i, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    try:
        if not all(line.startswith(b"{") and line.endswith(b"}") for _, line in numbered):
            raise ValueError
        rows = json.loads(b"[" + b",".join(line for _, line in numbered) + b"]", parse_constant=_no_constant)
        lines = [i for i, _ in numbered]
        if len(rows) != len(lines) or not all(isinstance(row, dict) for row in rows):
            raise ValueError
        if any(_levels(line) > DEEPEST for _, line in numbered):
            raise ValueError
    except (ValueError, RecursionError):
        rows, lines = [], []
        for i, line in numbered:
            try:
                row = json.loads(line, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                reader.problem(i, reading.NOT_JSON(reason=getattr(error, "msg", None) or error))
                continue
            if not isinstance(row, dict):
                reader.problem(i, reading.NOT_AN_OBJECT(value=shown(row)))
                continue
            if _levels(line) > DEEPEST:
                reader.problem(i, reading.TOO_DEEP(limit=DEEPEST))
                continue
            rows.append(row)
            lines.append(i)
    if b"\\ud" in data or b"\\uD" in data:  # only an escape can be half a character: the bytes are UTF-8
        rows, lines = _whole_characters(rows, lines, reader, columns)
    return table_from_dicts(rows, reader, lines)


def _whole_characters(
    rows: list[dict[str, Any]], lines: list[int], reader: Reader, columns: Sequence[str]
) -> tuple[list[dict[str, Any]], list[int]]:
    """The rows whose cells in these columns have no half characters, and their lines; any other is a problem."""
    kept: list[tuple[dict[str, Any], int]] = []
    for row, line in zip(rows, lines, strict=True):
        halved = next((name for name in needed(list(row), columns) if has_half_character(row[name])), None)
        if halved is None:
            kept.append((row, line))
        else:
            reader.problem(line, reading.HALF_CHARACTER(name=shown(halved)))
    return [row for row, _ in kept], [line for _, line in kept]


def _levels(line: bytes) -> int:
    """The depth of the values of a JSON object."""
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return 0  # whatever it is, it is not too deep
    deepest = depth = 0
    inside = False  # a string
    for mark in _MARK.findall(line):
        if mark == b'"':
            inside = not inside
        elif not inside and mark in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif not inside and mark in b"]}":
            depth -= 1
    return deepest


def _no_constant(name: str) -> float:
    if name == "NaN":
        raise ValueError("NaN is not allowed")
    return float(name)


JSONL = JsonLines()
