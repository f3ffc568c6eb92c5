"""Scores and findings as text or bytes, written to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from partwise import score_files
from partwise.errors import PartwiseError, visible
from partwise.files import encoded
from partwise.later import display, outputs, sheets, sheets_of_findings, terminal
from partwise.messages import commands
from partwise.score_files import Number, delimited, flat, number_format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.api import StudyFindings
    from partwise.scores import Scores, Slices

ROW_FORMATS = ("table", "tsv", "csv", "jsonl")
PEOPLE = ("table", "latex", "markdown", "html")
"""Formats for people: terminals, papers and pages."""
TABLE_FORMATS = (*ROW_FORMATS, *PEOPLE[1:])
SCORE_FORMATS = (*TABLE_FORMATS, "parquet", "trec")
PLACES = score_files.DECIMALS


def chosen_format(requested: str | None, path: str | None, formats: Sequence[str], safe_csv: bool = False) -> str:
    """The requested format, else that of the file's suffix, else a table on a terminal and TSV in a pipe.

    With `safe_csv` it must be CSV or TSV.
    """
    if requested == "parquet" and to_terminal(path):
        raise PartwiseError(commands.NO_PARQUET_ON_TERMINAL())
    if requested is not None:
        format = requested
    elif path is None:
        format = "table" if to_terminal(None) else "tsv"
    else:
        format = score_files.format_of_suffix(path, formats)
    score_files.check_safe(safe_csv, format)
    return format


def write(content: str | bytes, path: str | None, format: str) -> None:
    """Write to a file, completely or not at all, or to standard output.

    Names of files that are not UTF-8 become escapes in formats for programs. On a terminal, characters that act on it
    become escapes; a table has its own, and shows names without any.
    """
    if isinstance(content, str):
        data = encoded(content) if format == "table" else content.encode("utf-8", "backslashreplace")
    else:
        data = content
    if format != "table" and to_terminal(path):
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        data = encoded("\n".join(map(_json_visible if format == "jsonl" else _tabs_kept, lines)))
    if path is not None:
        outputs.write_bytes(path, data)
        return
    if sys.stdout is None:
        raise PartwiseError(commands.OUTPUT_CLOSED())
    sys.stdout.flush()
    left = memoryview(data)
    while left:  # a write to a broken pipe may be short instead of failing
        left = left[sys.stdout.buffer.write(left) :]
    sys.stdout.buffer.flush()


def _tabs_kept(line: str) -> str:
    return "\t".join(map(visible, line.split("\t")))


def _json_visible(line: str) -> str:
    """A line of JSON on a terminal, with the escapes of JSON."""
    return "".join(c if visible(c) == c else f"\\u{ord(c):04x}" for c in line)


def rendered(
    scores: Scores | Slices,
    format: str,
    per_query: bool,
    places: int | None,
    on_terminal: bool,
    record: dict[str, Any] | None = None,
    safe_csv: bool = False,
    transpose: bool | None = None,
) -> bytes:
    """Scores in any format; `record` is the provenance that goes inside."""
    if format not in PEOPLE:
        return score_files.rendered(scores, format, per_query, places, record, safe_csv)
    places = PLACES if places is None else places
    if format == "table":
        return encoded(table(scores, per_query, places, on_terminal, transpose))
    return encoded(display.paper(scores, format, places=places, transpose=transpose, per_query=per_query))


def table(
    scores: Scores | Slices, per_query: bool, places: int, on_terminal: bool, transpose: bool | None = None
) -> str:
    """A table for people, with the number of queries scored below it."""
    [sheet] = display.sheets(scores, places, transpose, per_query)
    return terminal.with_lines(sheet, on_terminal)


def drawn(header: Sequence[str], rows: Sequence[Sequence[str]], labels: int, on_terminal: bool) -> str:
    """A table whose first columns are labels, the others numbers."""
    return terminal.drawn(sheets.plain(header, rows, labels), on_terminal)


def _column(cells: Sequence[Any], number: Callable[[float], str]) -> Sequence[str]:
    """Cells as texts; an undefined cell is empty."""

    def text(cell: Any) -> str:
        if cell is None or isinstance(cell, str):
            return cell or ""
        return Number(number(cell) if isinstance(cell, float) else cell)

    distinct = dict.fromkeys(cells)  # the rows of a run repeat its mean, and p-values recur
    kinds = set(map(type, distinct)) - {type(None)}
    if len(kinds) > 1 or 0 in distinct:  # as keys, 0.0 is the same as -0.0, and 1 the same as 1.0
        return list(map(text, cells))
    texts = dict(zip(distinct, map(text, distinct), strict=True))
    return list(map(texts.__getitem__, cells))


def _cells(rows: Sequence[Mapping[str, Any]], number: Callable[[float], str]) -> list[tuple[str, ...]]:
    """Rows of named cells, all with the same names, as texts."""
    columns = zip(*(row.values() for row in rows), strict=True)
    return list(zip(*(_column(column, number) for column in columns), strict=True))


def rows(
    cells: Sequence[Mapping[str, Any]],
    labels: int,
    format: str,
    places: int | None,
    on_terminal: bool,
    safe_csv: bool = False,
) -> str:
    """Rows of named cells, all with the same names: as a table for a terminal or a paper, TSV, CSV or JSON Lines."""
    if format not in TABLE_FORMATS:
        raise PartwiseError(commands.UNSUPPORTED_FORMAT(format=format, formats=", ".join(TABLE_FORMATS)))
    if format != "table" and format in PEOPLE:
        sheet = sheets_of_findings.table("", cells, PLACES if places is None else places)
        return display.drawn([sheet], format) if cells else ""
    if format == "jsonl":
        import json

        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in cells)
    number = number_format(PLACES if places is None and format == "table" else places)
    header = list(cells[0]) if cells else []
    texts = _cells(cells, number)
    if format == "table":
        return drawn(header, texts, labels, on_terminal)
    return delimited(header, texts, format, safe_csv)


def parquet_rows(cells: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows of named cells, all with the same names, as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: [row[name] for row in cells] for name in (cells[0] if cells else ())}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


def trec_rows(cells: Sequence[Mapping[str, Any]], places: int | None) -> str:
    """The numbers of rows of named cells as trec_eval writes them: name, query (the first cell), value."""
    number = number_format(PLACES if places is None else places)
    lines = []
    for row in cells:
        query = flat(str(next(iter(row.values()))))
        for name, cell in row.items():
            if isinstance(cell, (int, float)):
                lines.append(f"{name:<22}\t{query}\t{number(cell) if isinstance(cell, float) else cell}\n")
    return "".join(lines)


def to_terminal(path: str | None) -> bool:
    """Whether output goes to a terminal."""
    return path is None and sys.stdout is not None and sys.stdout.isatty()


def findings(
    results: StudyFindings,
    format: str,
    places: int | None,
    on_terminal: bool,
    safe_csv: bool = False,
    transpose: bool | None = None,
) -> str:
    """One or several tables with a heading each for people, all rows for machines."""
    if format not in PEOPLE:
        return rows(results.rows(), results.labels, format, places, on_terminal, safe_csv)
    places = PLACES if places is None else places
    if format != "table":
        return display.paper(results, format, places=places, transpose=transpose)
    return "\n".join(terminal.with_lines(sheet, on_terminal) for sheet in display.sheets(results, places, transpose))
