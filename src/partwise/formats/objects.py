"""Runs and assessments from Python objects.

Mappings by query (also pytrec_eval's), lists of dicts or of named tuples (ir_measures, ir_datasets), pandas (also
PyTerrier's), Polars and Arrow tables, and the objects of ranx.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise import kernels
from partwise.errors import PartwiseError, shown
from partwise.formats import names
from partwise.formats.assessments import assessments_from_table
from partwise.formats.cells import ID, text_in
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.problems import Reader, refuse_repeated
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import Table, table_from_arrow, table_from_dicts
from partwise.messages import reading
from partwise.model import Assessments, Coded, Run, Source, Tokenised, numbered
from partwise.types import Kind

ACCEPTED = "a path, a mapping by query, a list of dicts or named tuples, or a pandas, Polars or Arrow table"


ACCEPTED_FOR_QUERY = "a list of parts or a mapping of documents to scores"


def is_table(value: Any) -> bool:
    """Whether this is a data frame of some library, by the attributes of its type."""
    return hasattr(type(value), "column_names") or hasattr(type(value), "columns")


def is_rows(value: Any) -> bool:
    """Whether this is a list of dicts or named tuples, one per row; a row without a query is reported later."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or not len(value):
        return False
    answer = kernels.are_rows(value, _QUERY_NAMES)
    if answer is not None:
        return answer
    if all(isinstance(row, Mapping) for row in value):
        return any(not _QUERY_NAMES.isdisjoint(row) for row in value)
    return all(_is_named_tuple(row) for row in value)


_QUERY_NAMES = frozenset(names.names_of("query_id"))


def refuse_swapped(value: Any, what: Kind) -> None:
    """Raise an error if an object of ir_measures, ir_datasets or ranx is given as what it is not."""
    first = value[0] if is_rows(value) and _is_named_tuple(value[0]) else None
    fields = () if first is None else first._fields
    if type(value).__module__.partition(".")[0] == "ranx":
        is_run = type(value).__name__ == "Run"
    elif "relevance" in fields or ("score" in fields and "doc_id" in fields):
        is_run = "relevance" not in fields
    else:
        return
    if is_run != (what == "run"):
        name = type(value if first is None else first).__name__
        raise PartwiseError(reading.SWAPPED(type=name, kind="a run" if is_run else "assessments", what=what))


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def as_given(value: Any) -> Any:
    """What a user gives in the shape in which it is read: an iterator as a list, an object of ranx as a mapping."""
    if hasattr(value, "__next__"):
        return list(value)
    if type(value).__module__.partition(".")[0] == "ranx" and hasattr(value, "to_dict"):
        return value.to_dict()
    return value


def is_by_query(value: Any) -> bool:
    """Whether this maps each query to its results (a list) or to ``{doc_id: number}``."""
    if type(value) is not dict and not isinstance(value, Mapping):
        return False
    unknown, is_good = kernels.lists_by_query(value, _QUERY_NAMES)
    if not unknown:
        return is_good
    return all(map(_is_list_or_numbers, unknown)) and is_good


def _is_list_or_numbers(item: Any) -> bool:
    if isinstance(item, Sequence):
        return not isinstance(item, (str, bytes)) and not is_rows(item)
    return isinstance(item, Mapping) and all(_is_number(number) for number in item.values())


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, (str, bytes))


def table_of(value: Any, names: Sequence[str], number: str, reader: Reader, by_query: bool = False) -> Table:
    """Any accepted object as a table; `number` is the column for the values of ``{doc_id: number}``.

    With `by_query` it is known to be a mapping by query, unless it is a table: examining a large one takes long.
    """
    if is_table(value):
        return table_of_frame(value, names, reader)
    if is_rows(value):
        return table_from_dicts(value, reader)
    if by_query or is_by_query(value):
        return _table_by_query(value, number, reader)
    refuse_rows_without_query(value, reader.source.name)
    type_name = type(value).__name__
    raise PartwiseError(reading.UNKNOWN_TYPE(name=reader.source.name, type=type_name, accepted=ACCEPTED))


def refuse_rows_without_query(value: Any, name: str) -> None:
    """Raise an error that names the columns of a list of dicts, or of one dict, that has no column for the query."""
    rows = [value] if isinstance(value, Mapping) else value
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, Mapping) and row for row in rows):
        return
    if any(isinstance(cell, (Mapping, list, tuple)) or is_table(cell) for row in rows for cell in row.values()):
        return
    if isinstance(value, list) and not value:
        return
    shape = "a dict" if isinstance(value, Mapping) else "a list of dicts"
    columns = ", ".join(dict.fromkeys(shown(key) for row in rows for key in row))
    raise PartwiseError(reading.ROWS_WITHOUT_QUERY(name=name, shape=shape, columns=columns))


def table_of_frame(value: Any, wanted: Sequence[str], reader: Reader) -> Table:
    """These columns of a data frame, through Arrow if it can hold them, else cell by cell."""
    import pyarrow as pa

    kind = type(value)  # its attributes are looked up in the type, because a frame looks for columns of that name
    if hasattr(kind, "collect_schema") and hasattr(kind, "collect"):
        value = value.collect()
        kind = type(value)
    columns = list(value.column_names if hasattr(kind, "column_names") else value.columns)
    texts = [name for name in columns if isinstance(name, str)]
    needed = names.needed(texts, wanted)
    refuse_repeated(needed, reader)
    if isinstance(value, (pa.Table, pa.RecordBatch)):
        return table_from_arrow(pa.table(value.select(needed)), needed, reader, texts)
    cells: dict[str, Any] = {}
    rest: dict[str, Any] = {}  # the columns that Arrow reads
    is_pandas = not hasattr(kind, "to_arrow")
    for name in needed:
        column = rest[name] = value[name]
        if (
            is_pandas and column.dtype == object
        ):  # Arrow looks at them cell by cell, as we do, and crashes for some of them
            cells[name] = rest.pop(name).to_list()
        elif is_pandas and (numbers := _own_numbers(name, column)) is not None:
            cells[name] = numbers
            del rest[name]
    try:
        if is_pandas and rest:
            table = pa.table({name: pa.array(column, from_pandas=True) for name, column in rest.items()})
            cells |= table_from_arrow(table, needed, reader, texts).columns
        elif rest:
            frame = value if needed == columns else value[needed]
            has_stream = hasattr(kind, "__arrow_c_stream__")  # `to_arrow` copies texts
            table = pa.table(frame) if has_stream else frame.to_arrow()
            cells |= table_from_arrow(table, needed, reader, texts).columns
    except MemoryError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError) as error:
        if isinstance(error, PartwiseError):
            raise
        cells |= {name: column.to_list() for name, column in rest.items()}
    return Table({name: cells[name] for name in needed}, numbered(len(value)), reader, texts)


def _own_numbers(name: str, column: Any) -> NDArray[Any] | None:
    """A copy of a pandas column of numbers, because the user may change it; None if Arrow must read the column."""
    kind = column.dtype
    if name in names.IDS or not isinstance(kind, np.dtype) or kind.kind not in "iuf" or kind.itemsize < 4:
        return None
    numbers: NDArray[Any] = column.to_numpy().copy()
    if not kind.isnative or (kind.kind == "f" and np.isnan(numbers).any()):
        return None
    numbers.flags.writeable = False
    return numbers


def parts_by_query(
    value: Mapping[Any, Any], number: str, unknown_part: Callable[[Any, Any], Exception]
) -> tuple[dict[Any, Any], int]:
    """The columns of the parts of every query, and their number of rows.

    `number` is the column for the values of ``{doc_id: number}``; `unknown_part` makes the error for a query and a part
    that is not understood. In assessments, nothing is relevant to a query with an empty list.
    """
    in_assessments = number == "grade"

    def rows_of(_: Any, items: Any) -> list[Any]:
        if isinstance(items, Mapping):
            return [{"doc_id": doc, number: cell} for doc, cell in items.items()]
        if in_assessments and items is not None and not len(items):
            return [{"doc_id": ""}]
        return list(items or ())

    def cells_of(query_id: Any, item: Any) -> list[tuple[Any, Any]]:
        if isinstance(item, Mapping):
            return [(name, cell) for name, cell in item.items()]
        if isinstance(item, str):
            return [("doc_id", item)]
        if isinstance(item, Sequence) and not isinstance(item, bytes) and len(item) == 3:
            return list(zip(("doc_id", "start", "end"), item, strict=True))
        raise unknown_part(query_id, item)

    # checking and wrapping the arrays of a few rows takes longer than lists do
    kinds = _KINDS if number == "score" and len(value) > 1 else {}
    columns, count = kernels.cells_by_query(value, number, in_assessments, rows_of, cells_of, kinds)
    if not kinds:
        return columns, count
    return {name: cells if type(cells) is list else _column(*cells) for name, cells in columns.items()}, count


_KINDS = {
    **dict.fromkeys(names.names_of("doc_id"), "t"),
    **{name: "n" for column in ("rank", "start", "end", "offset", "length") for name in names.names_of(column)},
    "query_id": "c",
}
"""The columns of results that become texts, numbers or codes while the results are read."""


def _column(kind: str, cells: Any) -> Any:
    """A column of natural numbers, of texts, or of codes."""
    if kind == "n":
        cells.flags.writeable = False
        return cells
    if kind == "t":
        text, keys, edges = cells
        return Tokenised(kernels.TokenColumn(text, keys, edges[:-1], edges[1:]), shared=True)
    codes, names = cells
    return Coded(codes=codes, names=names, all_used=True)


def _table_by_query(value: Mapping[Any, Any], number: str, reader: Reader) -> Table:
    """The parts of every query as rows; `number` is the column for the values of ``{doc_id: number}``."""

    def unknown_part(query_id: Any, item: Any) -> PartwiseError:
        return reader.source.error(reading.UNKNOWN_PART(query=repr(query_id), type=type(item).__name__))

    columns, count = parts_by_query(value, number, unknown_part)
    table = Table(columns, numbered(count), reader)
    table.is_ranked = True
    return table


def runs_from_object(
    value: Any, name: str, unit: str | None, lenient: bool, notes: list[str], by_query: bool = False
) -> list[Run]:
    """The runs in a Python object: one, or one per value of a column ``run_id``.

    With `by_query` it is known to be a mapping by query.
    """
    if isinstance(value, Run):
        return [value]
    refuse_swapped(value, "run")
    value = as_given(value)
    refuse_swapped(value, "run")
    if isinstance(value, (list, tuple)) and not value:
        value = {}
    reader = Reader(Source(name, is_file=False), lenient, notes)
    reader.count_in(unit)
    return runs_from_table(_run_table(value, reader, by_query), name)


_ONE_QUERY = Source("run", is_file=False)


def results_of_query(query_id: Any, results: Any, unit: str | None, lenient: bool, notes: list[str]) -> tuple[str, Run]:
    """The id of a query, and its results as a run: parts, also with a query_id of their own, or ``{doc_id: score}``."""
    reader = Reader(_ONE_QUERY, lenient, notes)
    reader.count_in(unit)
    if type(results) is not list:
        results = as_given(results)
    value = {query_id: results}
    if not is_by_query(value) and not is_rows(results):
        kind = type(results).__name__
        raise PartwiseError(reading.UNKNOWN_TYPE(name=reader.source.name, type=kind, accepted=ACCEPTED_FOR_QUERY))
    runs = runs_from_table(_with_columns(_table_by_query(value, "score", reader)), "run")
    name = text_in(query_id)
    if not name:
        raise reader.source.error(reading.BAD_VALUE(name="query_id", value=shown(query_id), expected=ID))
    if len(runs) != 1:
        raise reader.source.error(reading.SEVERAL_RUNS_OF_QUERY(count=len(runs)))
    for other in runs[0].query.names:
        if other != name:
            raise reader.source.error(reading.OTHER_QUERY(query=shown(name), other=shown(other)))
    return name, runs[0]


def _run_table(value: Any, reader: Reader, by_query: bool) -> Table:
    table = table_of(value, (*RUN_COLUMNS, "text"), "score", reader, by_query)
    return _with_columns(table) if isinstance(value, Mapping) else table


def _with_columns(table: Table) -> Table:
    """The table by query of a run; if no query has results, an empty run, not a table without columns."""
    return table if len(table) else Table({"query_id": [], "doc_id": []}, [], table.reader)


def assessments_from_object(
    value: Any, unit: str | None, lenient: bool, notes: list[str], name: str = "qrels"
) -> Assessments:
    """The assessments in a Python object, which errors call `name`."""
    if isinstance(value, Assessments):
        return value
    refuse_swapped(value, "assessments")
    is_iterator = hasattr(value, "__next__")
    value = as_given(value)
    refuse_swapped(value, "assessments")
    if is_iterator and not value:
        raise PartwiseError(reading.EMPTY_ITERATOR(name=name))
    reader = Reader(Source(name, is_file=False), lenient, notes)
    reader.count_in(unit)
    if is_by_query(value) and isinstance(value, Mapping):
        grades = [grade for grades in value.values() if isinstance(grades, Mapping) for grade in grades.values()]
        if any(isinstance(grade, float) for grade in grades):
            notes.append(reading.FLOAT_GRADES.note(source=name, count=len(grades)))
    if isinstance(value, Mapping) and any(
        isinstance(item, str) for items in value.values() if isinstance(items, Sequence) for item in items
    ):
        raise PartwiseError(reading.DOCUMENT_ONLY())
    table = table_of(value, (*ASSESSMENT_COLUMNS, "text"), "grade", reader)
    if not len(table):
        raise PartwiseError(reading.EMPTY_ASSESSMENTS())
    assessments = assessments_from_table(table, unit)
    if not assessments.has_rows:  # when lenient, all rows may have been skipped
        raise PartwiseError(reading.EMPTY_ASSESSMENTS())
    return assessments
