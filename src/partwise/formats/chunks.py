"""All chunks of a system, from a file or an object: rows with a document and a place, of no query.

They are a run of one query, so that every format that holds places can be read, and parts are resolved as results are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.formats.names import RUN_COLUMNS, names_of
from partwise.formats.objects import as_given, is_table, table_of_frame
from partwise.formats.problems import Reader
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import Table, table_from_dicts
from partwise.messages import reading
from partwise.model import Coded, Run, Source

CHUNKS = "chunks"
ACCEPTED = "a path, a list of dicts, {doc_id: [(start, end), ...]}, or a pandas, Polars or Arrow table"
COLUMNS = tuple(name for name in RUN_COLUMNS if name not in ("query_id", "run_id", "rank", "score"))
_OF_RESULTS = {name for column in ("query_id", "run_id", "rank", "score") for name in names_of(column)}


def chunks_from_table(table: Table) -> Run:
    """The chunks in a table; columns that only results have are not read."""
    cells = {name: column for name, column in table.columns.items() if name not in _OF_RESULTS}
    cells["query_id"] = Coded(np.zeros(len(table), np.int64), [CHUNKS])
    names = [name for name in table.names if name not in _OF_RESULTS]
    rows = Table(cells, table.lines, table.reader, names)
    rows.is_ranked, rows.bad = True, table.bad
    [run] = runs_from_table(rows, CHUNKS)
    return replace(run, unit=table.reader.unit)


def chunks_from_object(value: Any, unit: str | None, lenient: bool, notes: list[str]) -> Run:
    """The chunks in a Python object: a list of dicts, a mapping of documents to spans, a frame, or a `Run`."""
    if isinstance(value, Run):
        return value
    value = as_given(value)
    reader = Reader(Source(CHUNKS, is_file=False), lenient, notes)
    reader.count_in(unit)
    if is_table(value):
        return chunks_from_table(table_of_frame(value, COLUMNS, reader))
    if isinstance(value, Mapping) and all(_are_spans(spans) for spans in value.values()):
        rows = [{"doc_id": doc, "start": start, "end": end} for doc, spans in value.items() for start, end in spans]
        return chunks_from_table(table_from_dicts(rows, reader))
    if isinstance(value, Sequence) and len(value) and all(isinstance(row, Mapping) for row in value):
        return chunks_from_table(table_from_dicts(value, reader))
    raise PartwiseError(reading.UNKNOWN_TYPE(name=CHUNKS, type=type(value).__name__, accepted=ACCEPTED))


def _are_spans(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(span, Sequence) and len(span) == 2 for span in value)
