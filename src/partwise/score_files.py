"""Scores as the bytes of a file, and files of scores with their provenance."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from partwise.errors import PartwiseError
from partwise.files import encoded, safe_cell, split_suffixes
from partwise.later import outputs
from partwise.messages import commands, slices, writing
from partwise.parameters import check_choice
from partwise.provenance import KEY, PYTHON, SUFFIX, Provenance, Record, hash_of
from partwise.scores import ALL, Scores, Slices
from partwise.types import PLACES_OF_PROVENANCE, PlaceOfProvenance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SUFFIXES = {
    ".txt": "table",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".parquet": "parquet",
    ".trec": "trec",
}
DECIMALS = 4
"""Decimal places of tables and of trec_eval's columns."""


def format_of_suffix(path: str, formats: Sequence[str]) -> str:
    """The format of a file's suffix, if it is among these."""
    suffix = split_suffixes(os.path.basename(path))[1]
    if SUFFIXES.get(suffix) not in formats:
        suffixes = ", ".join(suffix for suffix, format in SUFFIXES.items() if format in formats)
        raise PartwiseError(commands.UNKNOWN_SUFFIX(suffix=repr(suffix), suffixes=suffixes), file=path)
    return SUFFIXES[suffix]


def save(
    scores: Scores,
    path: str,
    format: str,
    place: PlaceOfProvenance,
    render: Callable[[Record | None], bytes],
    command: str = PYTHON,
) -> None:
    """Write scores and their provenance, both or neither; `render` is called with the provenance that goes inside."""
    check_place(place, format)
    record = None if place == "none" else record_of(scores, command)
    if place != "file" or format == "parquet":
        outputs.write_files({path: render(record)})
        return
    content = render(None)
    if record is None or outputs.is_special(path):
        outputs.write_files({path: content})
        return
    record["scores"] = {"size": len(content), "sha256": hash_of(content)}
    outputs.write_files({path: content, path + SUFFIX: _bytes_of(record, indent=2) + b"\n"})


def check_place(place: PlaceOfProvenance, format: str) -> None:
    check_choice("provenance", place, PLACES_OF_PROVENANCE)
    if place == "head" and format != "tsv":
        raise PartwiseError(commands.HEAD_WITHOUT_TSV(format=format))


def check_safe(safe_csv: bool, format: str) -> None:
    """Fail if cells for spreadsheets are requested of a format that has none."""
    if safe_csv and format not in ("csv", "tsv"):
        raise PartwiseError(writing.SAFE_CSV(format=format))


def record_of(scores: Scores, command: str = PYTHON) -> Record:
    """The provenance of scores as it is saved."""
    record = (scores.provenance or Provenance()).record(command)
    record.pop("scores", None)  # of the file that they were read from
    return record | {"judged": scores.judged, "scored": scores.usual_count()}


def _bytes_of(value: object, indent: int | None = None) -> bytes:
    """A value as JSON in UTF-8; names of files that are not UTF-8 become escapes."""
    import json

    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def rendered(
    scores: Scores | Slices,
    format: str,
    queries: bool,
    places: int | None,
    record: Record | None = None,
    safe_csv: bool = False,
) -> bytes:
    """Scores in a format for programs, with or without values per query; TSV and Parquet hold their provenance."""
    if format == "parquet":
        return _parquet(scores, queries, record)
    if format == "trec":
        if isinstance(scores, Slices):
            raise PartwiseError(slices.NO_TREC())
        text = _trec(scores, queries, DECIMALS if places is None else places)
    elif format == "jsonl":
        text = _jsonl(scores, queries, places)
    elif format == "csv":
        text = _delimited(scores, queries, places, "csv", safe_csv)
    else:
        head = "".join(f"# {name}: {_bytes_of(value).decode()}\n" for name, value in (record or {}).items())
        text = head + _delimited(scores, queries, places, "tsv", safe_csv)
    return encoded(text)


def number_format(places: int | None) -> Callable[[float], str]:
    """A function that writes a number with this number of decimal places, or in full."""
    return repr if places is None else lambda value: f"{value:.{places}f}"


class Number(str):
    """A number as it is written, which is not a text for spreadsheets."""


def flat(name: str) -> str:
    """A name with tabs and line ends as escapes, for formats that they delimit."""
    if name.isprintable():  # as nearly all names are
        return name
    return name.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def delimited(header: Sequence[str], rows: Iterable[Sequence[str | Number]], format: str, safe_csv: bool) -> str:
    """Rows as CSV or TSV; with `safe_csv` texts are quoted, and none of them is a formula of a spreadsheet."""
    separator = "," if format == "csv" else "\t"
    if format == "csv" and not safe_csv:
        import csv
        import io

        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([header, *rows])
        return text.getvalue()
    lines = []
    for row in (header, *rows):
        cells = row
        if safe_csv:
            texts = row if format == "csv" else map(flat, row)
            cells = [raw if isinstance(raw, Number) else safe_cell(cell) for raw, cell in zip(row, texts, strict=True)]
        line = separator.join(cells)
        if format != "csv" and (line.count("\t") >= len(cells) or "\n" in line or "\r" in line):
            line = separator.join(map(flat, cells))
        lines.append(line + "\n")
    return "".join(lines)


def _delimited(scores: Scores | Slices, queries: bool, places: int | None, format: str, safe_csv: bool) -> str:
    text = number_format(places)

    def cells(row: tuple[Any, ...]) -> list[str]:
        numbers = (text(cell) if isinstance(cell, float) else str(cell) for cell in row)
        return [cell if isinstance(cell, str) else Number(number) for cell, number in zip(row, numbers, strict=True)]

    common = scores.common_cells
    rows = ([*cells(row), *common.values()] for row in scores.rows(queries, mean=True))
    return delimited((*scores.fields, *common), rows, format, safe_csv)


def _jsonl(scores: Scores | Slices, queries: bool, places: int | None) -> str:
    import json

    lines = []
    for row in scores.rows(queries, mean=True):
        cells = dict(zip(scores.fields, row, strict=True))
        if places is not None:
            cells["value"] = round(row.value, places)
        lines.append(json.dumps(cells | scores.common_cells, ensure_ascii=False) + "\n")
    return "".join(lines)


def _parquet(scores: Scores | Slices, queries: bool, record: Record | None) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    table = scores.to_arrow(queries=queries, mean=True)
    pq.write_table(table if record is None else table.replace_schema_metadata({KEY: _bytes_of(record)}), sink)
    return bytes(sink.getvalue().to_pybytes())


def _trec(scores: Scores, queries: bool, places: int) -> str:
    """The three columns of trec_eval: measure, query, value; the means of each run follow its ``runid``."""
    lines = []
    for run_id, of_run in groupby(scores.blocks, key=lambda block: block.run_id):
        blocks = list(of_run)
        if queries:
            of_query: dict[str, list[str]] = {}
            for block in blocks:
                for query, value in block.by_query():
                    line = f"{block.measure:<22}\t{flat(query)}\t{value:.{places}f}"
                    of_query.setdefault(query, []).append(line)
            lines += [line for lines_of_query in of_query.values() for line in lines_of_query]
        lines.append(f"{'runid':<22}\t{ALL}\t{flat(run_id)}")
        lines += [f"{block.measure:<22}\t{ALL}\t{block.aggregate:.{places}f}" for block in blocks]
    return "".join(line + "\n" for line in lines)
