"""Python objects as runs and assessments: mappings, lists of dicts, pandas, Polars and Arrow tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partwise.errors import PartwiseError
from partwise.formats.assessments import assessments_from_table
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.problems import Reader
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import Table, table_from_arrow, table_from_dicts
from partwise.model import Assessments, Run, Source

ACCEPTED = "a path, a mapping by query, a list of dicts, or a pandas, Polars or Arrow table"


def is_table(value: Any) -> bool:
    """Whether this is a data frame of some library, told by what its type has."""
    return hasattr(type(value), "column_names") or hasattr(type(value), "columns")


def is_rows(value: Any) -> bool:
    """Whether this is a list of dicts with a row each; one that lacks its query is an error of that row."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes))
        and len(value) > 0
        and all(isinstance(row, Mapping) for row in value)
        and any("query_id" in row for row in value)
    )


def is_by_query(value: Any) -> bool:
    """Whether this maps each query to its results (a list) or to ``{doc_id: number}``."""
    if not isinstance(value, Mapping):
        return False
    return all(
        item is None
        or (isinstance(item, Sequence) and not isinstance(item, (str, bytes)) and not is_rows(item))
        or (isinstance(item, Mapping) and all(_is_number(number) for number in item.values()))
        for item in value.values()
    )


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, (str, bytes))


def table_of(value: Any, wanted: Sequence[str], number: str, reader: Reader) -> Table:
    """Any accepted object as a table; `number` names the column of ``{doc_id: number}``."""
    if is_table(value):
        return _frame_table(value, wanted, reader)
    if is_rows(value):
        return table_from_dicts(value, reader)
    if is_by_query(value):
        return _table_by_query(value, number, reader)
    raise PartwiseError(f"{reader.source.name} is of type {type(value).__name__}", f"give {ACCEPTED}")


def _frame_table(value: Any, wanted: Sequence[str], reader: Reader) -> Table:
    """The wanted columns of a frame, through Arrow; one that Arrow cannot hold goes cell by cell."""
    import pyarrow as pa

    if hasattr(type(value), "collect_schema") and hasattr(type(value), "collect"):
        value = value.collect()
    names = list(value.column_names if hasattr(value, "column_names") else value.columns)
    there = [name for name in names if isinstance(name, str) and name in wanted]
    twice = [name for name in there if there.count(name) > 1]
    if twice:
        raise reader.source.error(f"has two columns {twice[0]!r}", "give every column its own name")
    if isinstance(value, (pa.Table, pa.RecordBatch)):
        return table_from_arrow(pa.table(value.select(there)), wanted, reader)
    chosen = value[there]
    try:
        table = chosen.to_arrow() if hasattr(chosen, "to_arrow") else pa.Table.from_pandas(chosen, preserve_index=False)
        return table_from_arrow(table, wanted, reader)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError) as error:
        if isinstance(error, PartwiseError):
            raise
        cells = {name: (chosen[name].to_list()) for name in there}
        return Table(cells, range(1, len(chosen) + 1), reader)


def _table_by_query(value: Mapping[Any, Any], number: str, reader: Reader) -> Table:
    """The parts of every query, cell by cell into their columns; `number` names that of ``{doc_id: number}``."""
    query: list[Any] = []
    cells: dict[str, list[Any]] = {"query_id": query}

    def add(owner: Any, part: Iterable[tuple[Any, Any]]) -> None:
        query.append(owner)
        row = len(query)
        for name, cell in part:
            column = cells.setdefault(name, [])
            column.extend([None] * (row - 1 - len(column)))
            if name == "query_id":
                column.pop()  # the part says itself whose it is
            column.append(cell)

    for owner, items in value.items():
        if isinstance(items, Mapping):
            for doc, cell in items.items():
                add(owner, (("doc_id", doc), (number, cell)))
            continue
        for item in items or ():
            if isinstance(item, Mapping):
                add(owner, item.items())
            elif isinstance(item, str):
                add(owner, (("doc_id", item),))
            elif isinstance(item, Sequence) and not isinstance(item, bytes) and len(item) == 3:
                add(owner, zip(("doc_id", "start", "end"), item, strict=True))
            else:
                raise reader.source.error(
                    f"query {owner!r} has a part of type {type(item).__name__}",
                    "give a dict, (doc_id, start, end) or a doc_id",
                )
    for column in cells.values():
        column.extend([None] * (len(query) - len(column)))
    return Table(cells if query else {}, range(1, len(query) + 1), reader)


def runs_from_object(value: Any, name: str, unit: str, lenient: bool, notes: list[str]) -> list[Run]:
    """The run, or the runs of a column ``run_id``, in a Python object."""
    if isinstance(value, Run):
        return [value]
    if isinstance(value, (list, tuple)) and not value:
        value = {}
    reader = Reader(Source(name, is_file=False), lenient, notes)
    table = _never_empty(value, RUN_COLUMNS, "score", reader)
    return [replace(run, unit=unit) for run in runs_from_table(table, name)]


def _never_empty(value: Any, wanted: Sequence[str], number: str, reader: Reader) -> Table:
    """A mapping whose queries all have no results is a run without results, not a table without columns."""
    table = table_of(value, wanted, number, reader)
    if len(table) == 0 and isinstance(value, Mapping):
        return Table({"query_id": [], "doc_id": []}, [], reader)
    return table


def assessments_from_object(value: Any, unit: str, lenient: bool, notes: list[str]) -> Assessments:
    """The assessments in a Python object."""
    if isinstance(value, Assessments):
        return value
    reader = Reader(Source("qrels", is_file=False), lenient, notes)
    if isinstance(value, Mapping) and any(
        isinstance(item, str) for items in value.values() if isinstance(items, Sequence) for item in items
    ):
        raise PartwiseError("a document alone is no judgement", "give {doc_id: grade}, or (doc_id, start, end)")
    table = table_of(value, ASSESSMENT_COLUMNS, "grade", reader)
    if not len(table):
        raise PartwiseError("the assessments are empty", "give at least one judgement")
    return assessments_from_table(table, unit)
