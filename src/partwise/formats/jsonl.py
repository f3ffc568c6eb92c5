"""JSON Lines: a JSON object per row, whose keys are the names of the columns."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from partwise import kernels
from partwise.errors import shown
from partwise.files import encoded
from partwise.formats.cells import has_half_character
from partwise.formats.columns import present
from partwise.formats.names import RUN_COLUMNS, needed
from partwise.formats.problems import Reader
from partwise.formats.tables import Table
from partwise.formats.tabular import Blocks, Row, Tabular
from partwise.formats.text import HEAD, first_line, refuse_other_text
from partwise.messages import Text, reading
from partwise.model import Irregular, Source

DEEPEST = 100
"""The largest depth of the values of a line."""


class JsonLines(Tabular):
    """A JSON object per line."""

    name = "jsonl"
    title = "JSON Lines"
    suffixes = (".jsonl", ".ndjson")
    has_blocks = True

    def sniff(self, data: bytes, name: str) -> bool:
        return first_line(data)[1].startswith(b"{")

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        return table_from_jsonl(data, reader, columns)

    def blocks(self, path: str, texts: Blocks) -> Iterator[Callable[[Reader], Table]]:
        key: list[str] = []
        lines = [0, 0]  # before this block, and before the next

        def last_query(block: memoryview) -> int:
            if not key:
                head = bytes(block[:HEAD])
                head = head[: head.rfind(b"\n") + 1]  # whole lines
                names = self.column_names(head if first_line(head)[1] else bytes(block), Reader(Source(path), True, []))
                key.extend(present(names, "query_id")[:1])
            if not key:
                raise Irregular
            cut, before = kernels.last_json_query(block, key[0])
            lines[1] = lines[0] + before
            return cut

        for block in texts(last_query):
            yield partial(self._block, block, lines[0])
            lines[0] = lines[1]

    def _block(self, block: memoryview, lines: int, reader: Reader) -> Table:
        refuse_other_text(block)
        table = table_from_jsonl(block, reader, RUN_COLUMNS)
        table.lines = table.lines + lines
        return table

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        return list(self.table(first_line(data)[1], (), Reader(reader.source, True, [])).columns)

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        import json

        encode = json.JSONEncoder(ensure_ascii=False).encode
        lines = (encode({name: _finite(row[name]) for name in names if row.get(name) is not None}) for row in rows)
        return encoded("".join(line + "\n" for line in lines))


def _finite(cell: Any) -> Any:
    """A cell as JSON can hold it: an infinite number as text, which is read as a number."""
    return str(cell) if isinstance(cell, float) and math.isinf(cell) else cell


def table_from_jsonl(data: Any, reader: Reader, columns: Sequence[str] = ()) -> Table:
    """A JSON object per line. In those of its columns that are `columns`, half a character is a problem."""
    most_digits = sys.get_int_max_str_digits()
    table = kernels.read_json(data, DEEPEST, most_digits)
    for bad in table.bad:
        reader.problem(bad.line, _problem(bytes(data[bad.start : bad.end])))
    halved = [
        bad.line for bad in table.halved if _refused_half(bytes(data[bad.start : bad.end]), bad.line, columns, reader)
    ]
    if halved:
        table = kernels.read_json(data, DEEPEST, most_digits, halved)
    return Table(table.columns, table.lines, reader)


def _problem(line: bytes) -> Text:
    """What is wrong with a line that is not the object of a row, as the json module of Python words it."""
    import json

    try:
        value = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return reading.NOT_JSON(reason=getattr(error, "msg", None) or error)
    if not isinstance(value, dict):
        return reading.NOT_AN_OBJECT(value=shown(value))
    return reading.TOO_DEEP(limit=DEEPEST)


def _refused_half(line: bytes, number: int, columns: Sequence[str], reader: Reader) -> bool:
    """Whether one of these columns has half a character in a line, which is a problem."""
    import json

    row = json.loads(line)
    halved = next((name for name in needed(list(row), columns) if has_half_character(row[name])), None)
    if halved is not None:
        reader.problem(number, reading.HALF_CHARACTER(name=shown(halved)))
    return halved is not None


def _no_constant(name: str) -> float:
    if name == "NaN":
        raise ValueError("NaN is not allowed")
    return float(name)


JSONL = JsonLines()
