"""Saved scores: named columns (CSV, TSV, JSON Lines, Parquet), or trec_eval's three columns."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.files import run_names
from partwise.formats.cells import number_in
from partwise.formats.opening import opened
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, require
from partwise.formats.tabular import Tabular
from partwise.messages import reading, writing
from partwise.model import ALL, COLUMNS, Block, Scores

MISSING_VALUES = ("nan", "none", "null")
EXAMPLE = "map 301 0.2574"
_SCORES = "scores (run_id, measure, query_id, value)"

Row = tuple[str, str, str, float, int]
"""Run, measure, query, value, line."""


def holds_scores(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds scores: it has columns for measures and values, or trec_eval's three columns."""
    data, format, reader = opened(path, False, None)
    if isinstance(format, Tabular):
        return {"measure", "value"} <= set(format.column_names(data, reader))
    first = next((line.split() for line in data.splitlines() if line.strip()), [])
    return format.is_blank_separated and len(first) == 3


def read_scores(paths: Sequence[str | os.PathLike[str]], *, lenient: bool, notes: list[str]) -> Scores:
    """The scores in these files."""
    names = run_names(list(paths))
    rows: list[Row] = []
    first_file: dict[tuple[str, str], str] = {}
    for path, name in zip(paths, names, strict=True):
        of_file = list(_rows_of(path, name, lenient, notes))
        for run_id, measure in dict.fromkeys((run_id, measure) for run_id, measure, *_ in of_file):
            first = first_file.setdefault((run_id, measure), os.fspath(path))
            if first != os.fspath(path):
                message = writing.SCORES_IN_TWO_FILES(run_id=shown(run_id), measure=measure, first=first)
                raise PartwiseError(message, file=os.fspath(path))
        rows += of_file
    return _assembled(rows, notes)


def _rows_of(path: str | os.PathLike[str], name: str, lenient: bool, notes: list[str]) -> Iterator[Row]:
    data, format, reader = opened(path, lenient, notes)
    if isinstance(format, Tabular):
        rows = _from_table(format.table(data, COLUMNS, reader))
    elif format.is_blank_separated:
        rows = _from_text(data, name, reader)
    else:
        raise reader.source.error(writing.NO_SCORE_COLUMNS(what=_SCORES))
    seen: dict[tuple[str, str, str], int] = {}
    per_query = False
    for run_id, measure, query, value, line in rows:
        key = run_id, measure, query
        if key in seen:
            message = writing.REPEATED_SCORE(measure=measure, query_id=query, run_id=run_id, line=seen[key])
            raise reader.source.error(message, line=line)
        seen[key] = line
        per_query |= query != ALL
        yield run_id, measure, query, value, line
    if not per_query:
        raise reader.source.error(writing.NO_QUERY_VALUES())


def _from_table(table: Table) -> list[Row]:
    require(table, COLUMNS, _SCORES)
    columns = [table.strings(name).values() for name in COLUMNS[:3]]
    values = table.each("value", _value, "a number", np.nan)
    table.reader.settle()
    rows = zip(*columns, values, table.lines.tolist(), strict=True)
    return [row for row, bad in zip(rows, table.bad.tolist(), strict=True) if not bad]


def _value(cell: Any) -> float | None:
    if isinstance(cell, str) and cell.strip().lower() in MISSING_VALUES:
        return math.nan
    value = number_in(cell)
    return None if value is None or math.isinf(value) else value


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
            reader.problem(line, reading.BAD_VALUE(name="value", value=shown(cell), expected="a number"))
            continue
        pending.append((measure, query, value, line))
    reader.settle()
    close()
    return rows


def _assembled(rows: Iterable[Row], notes: list[str]) -> Scores:
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
    for (run_id, measure), (queries, values, means) in blocks.items():
        present = [value for value in values if not math.isnan(value)]
        mean = means[0] if means else math.fsum(present) / len(present) if present else 0.0
        scores.append(Block(run_id, measure, queries, np.array(values, np.float64), mean))
    judged = {query for block in scores for query in block.queries}
    return Scores(scores, len(judged), tuple(notes))
