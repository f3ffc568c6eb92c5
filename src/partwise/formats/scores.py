"""Saved scores: named columns (CSV, TSV, JSON Lines, Parquet), or trec_eval's three columns."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.files import read_bytes, run_names
from partwise.formats.base import Format
from partwise.formats.cells import ID, number_in, text_in
from partwise.formats.opening import recognised
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, require
from partwise.formats.tabular import Tabular
from partwise.messages import reading, slices, writing
from partwise.model import ALL, COLUMNS, LARGEST_SCORE, Block, Scores
from partwise.provenance import KEY, SUFFIX, Provenance, Record, hash_of, is_record, judged_in, refuse_to_mix
from partwise.units import CHARS

_COUNT = "num_q"
"""What trec_eval calls the number of queries, which has no values per query."""
_ROUNDED = 1e-4
"""The largest difference between a mean and that of its values in files with four decimals."""
MISSING_VALUES = ("nan", "none", "null")
A_SCORE = "a number, of at most 1e100 in size"
EXAMPLE = "map 301 0.2574"
_SCORES = "scores (run_id, measure, query_id, value)"

LARGEST = 1e100
"""The largest score: sums of squares of larger ones may be infinite."""
_VALUE = f"a number from -{LARGEST:g} to {LARGEST:g}"

Row = tuple[str, str, str, float, int]
"""Run, measure, query, value, line."""


def holds_scores(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds scores: it has columns for measures and values, or trec_eval's three columns."""
    name = os.fspath(path)
    data, format, reader = recognised(name, _without_head(read_bytes(name), name)[0], False, None)
    if isinstance(format, Tabular):
        return {"measure", "value"} <= set(format.column_names(data, reader))
    first = next((line.split() for line in data.splitlines() if line.strip()), [])
    return format.is_blank_separated and len(first) == 3


def read_scores(
    files: Sequence[tuple[str | None, str | os.PathLike[str]]], *, lenient: bool, mix: bool, notes: list[str]
) -> Scores:
    """The scores in these files, each with the name that its run gets, or None.

    A name replaces that of the only run of its file; several runs have it before their own. Unless `mix`, files whose
    provenance shows that they cannot be compared are an error.
    """
    stems = iter(run_names([path for name, path in files if name is None]))
    rows: list[Row] = []
    records: list[tuple[str, Record | None]] = []
    units: dict[str, str] = {}
    first_file: dict[tuple[str, str], str] = {}
    for given_name, path in files:
        file = os.fspath(path)
        stem = next(stems) if given_name is None else given_name
        of_file, record, units[file] = _rows_of(file, stem, lenient, notes)
        if given_name is not None:
            of_file = _renamed(of_file, given_name)
        for run_id, measure in dict.fromkeys((run_id, measure) for run_id, measure, *_ in of_file):
            first = first_file.setdefault((run_id, measure), file)
            if first != file:
                message = writing.SCORES_IN_TWO_FILES(run_id=shown(run_id), measure=measure, first=first, file=file)
                raise PartwiseError(message, file=file)
        rows += of_file
        records.append((file, record))
    if not mix:
        refuse_to_mix(records)
        _refuse_units(units)
    scores = _assembled(rows, records, notes)
    scores.unit = ", ".join(dict.fromkeys(units.values()))
    return scores if all(map(_is_verified, records)) else _with_checked_means(scores)


def _refuse_units(units: Mapping[str, str]) -> None:
    """Raise an error if files of scores count different units."""
    first, unit = next(iter(units.items()))
    for file, other in units.items():
        if other != unit:
            raise PartwiseError(writing.NOT_COMPARABLE(field="unit", value=other, other=unit, first=first), file=file)


def _is_verified(record: tuple[str, Record | None]) -> bool:
    """Whether a file is known to hold the scores that were written: by a hash, or in Parquet."""
    file, provenance = record
    return provenance is not None and ("scores" in provenance or file.endswith(".parquet"))


def _with_checked_means(scores: Scores) -> Scores:
    """The scores with a note for every mean that is neither the mean nor the sum of its values."""
    notes = list(scores.notes)
    for block in scores.blocks:
        values = [value for value in block.values.tolist() if not math.isnan(value)]
        total = math.fsum(values)
        average = total / len(values) if values else 0.0
        if not any(abs(block.aggregate - other) <= _ROUNDED for other in (average, total)):
            about = {"run_id": block.run_id, "measure": block.measure}
            notes.append(writing.OTHER_MEAN.note(**about, mean=block.aggregate, average=average))
    return Scores(scores.blocks, scores.judged, tuple(notes), provenance=scores.provenance, unit=scores.unit)


def _renamed(rows: list[Row], name: str) -> list[Row]:
    runs = {row[0] for row in rows}
    return [(name if len(runs) == 1 else f"{name}/{row[0]}", row[1], row[2], row[3], row[4]) for row in rows]


# ---- provenance -----------------------------------------------------------------------------------------------


def _without_head(content: bytes, file: str) -> tuple[bytes, Record | None]:
    """The content with its head of provenance as empty lines, which keeps the numbers of lines, and the provenance."""
    start = f"# {KEY}: ".encode()
    if not content.startswith(start):
        return content, None
    record: Record = {}
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        if not line.startswith(b"#"):
            break
        name, separator, value = line.decode("utf-8", "replace").removeprefix("#").partition(":")
        try:
            record[name.strip()] = json.loads(value if separator else "")
        except (ValueError, RecursionError):
            raise PartwiseError(writing.BAD_HEAD(), file=file, line=number + 1) from None
        lines[number] = b""
    if not is_record(record):
        raise PartwiseError(writing.BAD_HEAD(), file=file, line=1)
    return b"\n".join(lines), record


def _in_metadata(content: bytes, file: str) -> Record | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(pa.BufferReader(content)).metadata or {}
    except (pa.ArrowException, OSError):
        return None  # reported when the rows are read
    if KEY.encode() not in metadata:
        return None
    record = _json(metadata[KEY.encode()])
    if not is_record(record):
        raise PartwiseError(writing.BAD_METADATA(), file=file)
    return dict(record)


def _beside(content: bytes, file: str, notes: list[str]) -> Record | None:
    """The provenance in the file beside this one; if it belongs to other scores, a note says so."""
    sidecar = file + SUFFIX
    if not os.path.isfile(sidecar):
        return None
    record = _json(read_bytes(sidecar))
    note = None
    if not is_record(record):
        note = writing.BAD_SIDECAR.note()
    elif not isinstance(record.get("scores"), dict) or record["scores"].get("sha256") != hash_of(content):
        note = writing.STALE_SIDECAR.note(file=file)
    if note is not None:
        notes.append(note.on(sidecar))
        return None
    return dict(record)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


# ---- rows -----------------------------------------------------------------------------------------------------


def _rows_of(file: str, name: str, lenient: bool, notes: list[str]) -> tuple[list[Row], Record | None, str]:
    """The rows of a file, their provenance and their unit."""
    if file.endswith(SUFFIX):
        raise PartwiseError(writing.PROVENANCE_AS_SCORES(), file=file)
    content = read_bytes(file)
    without_head, record = _without_head(content, file)
    data, format, reader = recognised(file, without_head, lenient, notes)
    if record is None:
        record = _in_metadata(content, file) if format.content == "binary" else None
    if record is None:
        record = _beside(content, file, notes)
    recorded = record.get("options", {}).get("unit") if record is not None else None
    rows, unit = _checked_rows(data, format, reader, name)
    return rows, record, unit or (recorded if isinstance(recorded, str) else CHARS)


def _checked_rows(data: bytes, format: Format, reader: Reader, name: str) -> tuple[list[Row], str | None]:
    """The rows of a file, and the unit that it declares."""
    unit = None
    if isinstance(format, Tabular):
        table = format.table(data, (*COLUMNS, "unit"), reader)
        rows = _from_table(table)
        unit = _unit_of(table)
    elif format.is_blank_separated:
        rows = _from_text(data, name, reader)
    else:
        raise reader.source.error(writing.NO_SCORE_COLUMNS(what=_SCORES))
    seen: dict[tuple[str, str, str], int] = {}
    per_query = False
    for run_id, measure, query, _, line in rows:
        key = run_id, measure, query
        if key in seen:
            message = writing.REPEATED_SCORE(measure=measure, query_id=query, run_id=run_id, line=seen[key])
            raise reader.source.error(message, line=line)
        seen[key] = line
        per_query |= query != ALL
    if not per_query:
        raise reader.source.error(writing.NO_QUERY_VALUES())
    return rows, unit


def _unit_of(table: Table) -> str | None:
    if not table.has("unit"):
        return None
    units = dict.fromkeys(cell for cell in table.each("unit", text_in, ID, None) if cell is not None)
    if len(units) > 1:
        raise table.reader.source.error(reading.TWO_UNITS(units=", ".join(units)))
    return next(iter(units), None)


def _from_table(table: Table) -> list[Row]:
    if "slice" in table.names:
        raise table.reader.source.error(slices.SLICED_SCORES())
    require(table, COLUMNS, _SCORES)
    columns = [table.strings(name).values() for name in COLUMNS[:3]]
    values = table.each("value", _value, A_SCORE, np.nan)
    table.reader.settle()
    rows = zip(*columns, values, table.lines.tolist(), strict=True)
    return [row for row, bad in zip(rows, table.bad.tolist(), strict=True) if not bad]


def _value(cell: Any) -> float | None:
    if isinstance(cell, str) and cell.strip().lower() in MISSING_VALUES:
        return math.nan
    value = number_in(cell)
    return None if value is None or abs(value) > LARGEST_SCORE else value


def _from_text(data: bytes, name: str, reader: Reader) -> list[Row]:
    """Rows of measure, query and value. A line ``runid all NAME`` names the run of the lines around it."""
    rows: list[Row] = []
    pending: list[tuple[str, str, float, int]] = []
    run_id, closing = name, False

    def close() -> None:
        rows.extend((run_id, *row) for row in pending)
        pending.clear()

    for line, text in enumerate(data.decode().split("\n"), 1):
        cells = text.split()
        if not cells:
            continue
        if len(cells) != 3:
            reader.problem(line, writing.SCORE_COLUMNS(count=len(cells), example=EXAMPLE))
            continue
        measure, query, cell = cells
        if closing and query != ALL:  # the next run begins
            close()
            run_id, closing = name, False
        if measure in ("runid", "relstring"):
            run_id, closing = (cell, True) if measure == "runid" else (run_id, closing)
            continue
        value = _value(cell)
        if value is None:
            reader.problem(line, reading.BAD_VALUE(name="value", value=shown(cell), expected=A_SCORE))
            continue
        pending.append((measure, query, value, line))
    reader.settle()
    close()
    return rows


def _assembled(rows: Iterable[Row], records: Sequence[tuple[str, Record | None]], notes: list[str]) -> Scores:
    """Scores by run and measure in the order of the rows; a mean that is missing is computed."""
    blocks: dict[tuple[str, str], tuple[list[str], list[float], list[float]]] = {}
    for run_id, measure, query, value, _ in rows:
        queries, values, means = blocks.setdefault((run_id, measure), ([], [], []))
        if query == ALL:
            means.append(value)
        else:
            queries.append(query)
            values.append(value)
    scores = []
    only_means = [measure for (_, measure), (queries, _, _) in blocks.items() if not queries]
    left_out = [measure for measure in dict.fromkeys(only_means) if measure != _COUNT]
    if left_out:
        notes.append(writing.ONLY_MEANS.note(count=len(left_out), measures=", ".join(left_out)))
    for (run_id, measure), (queries, values, means) in blocks.items():
        if not queries:
            continue
        present = [value for value in values if not math.isnan(value)]
        mean = means[0] if means else math.fsum(present) / len(present) if present else 0.0
        scores.append(Block(run_id, measure, queries, np.array(values, np.float64), mean))
    queries_scored = {query for block in scores for query in block.queries}
    judged = max([len(queries_scored), *(judged_in(record) for _, record in records if record is not None)])
    return Scores(scores, judged, tuple(notes), provenance=_provenance(records))


def _provenance(records: Sequence[tuple[str, Record | None]]) -> Provenance | None:
    parts = {file: None if record is None else Provenance(saved=record) for file, record in records}
    if len(parts) == 1 or not any(parts.values()):
        return next(iter(parts.values()), None)
    return Provenance(parts=parts)
