"""Tables of named columns, and those that Python users have: lists of dicts, Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise import kernels
from partwise.errors import shown
from partwise.formats.cells import grade_in, is_missing, natural_in, number_in, text_in
from partwise.formats.names import IDS
from partwise.formats.problems import Reader, no_column
from partwise.messages import Text
from partwise.model import (
    LARGEST_GRADE,
    LARGEST_OFFSET,
    NO_GRADE,
    NONE,
    Bools,
    Coded,
    Floats,
    Ints,
    LazyNames,
    numbers_of,
)


class Table:
    """Named columns of cells, with the line (or row) of each; turns them into checked columns."""

    def __init__(self, columns: Mapping[str, Any], lines: Any, reader: Reader) -> None:
        self.columns = columns
        self.lines = np.asarray(lines, np.int64)
        self.reader = reader
        self.bad: Bools = np.zeros(len(self.lines), np.bool_)

    def __len__(self) -> int:
        return len(self.lines)

    def has(self, name: str) -> bool:
        return name in self.columns

    def rows(self) -> list[dict[str, Any]]:
        """The cells row by row, as they are; a missing one is None."""
        columns = {
            name: cells.values()
            if isinstance(cells, Coded)
            else cells.tolist()
            if isinstance(cells, np.ndarray)
            else cells
            for name, cells in self.columns.items()
        }
        return [
            {name: None if is_missing(cell) else cell for name, cell in zip(columns, cells, strict=True)}
            for cells in zip(*columns.values(), strict=True)
        ]

    def problem(self, row: int, problem: str | Text, remedy: str = "") -> None:
        self.reader.problem(int(self.lines[row]), problem, remedy)
        self.bad[row] = True

    def each(self, name: str, convert: Callable[[Any], Any], wanted: str, missing: Any) -> list[Any]:
        """A column cell by cell; `convert` answers None for a cell that is wrong."""
        cells = self.columns[name]
        if isinstance(cells, Coded):  # then each distinct text is enough, if none is wrong
            found = [convert(text) for text in cells.names]
            if None not in found:
                return [found[code] for code in cells.codes.tolist()]
        out = []
        for row, cell in enumerate(self.columns[name]):
            if is_missing(cell):
                out.append(missing)
                continue
            value = convert(cell)
            if value is None:
                self.problem(row, f"the {name} is {shown(cell)}", f"it must be {wanted}")
                value = missing
            out.append(value)
        return out

    def strings(self, name: str) -> Coded:
        """A column of ids; whole numbers are taken as their digits, a missing one is wrong."""
        cells = self.columns[name]
        if isinstance(cells, Coded):
            return cells
        values = self.each(name, text_in, "a text or a whole number", None)
        for row, value in enumerate(values):
            if value is None and not self.bad[row]:
                self.problem(row, f"has no {name}", f"give every row its {name}")
        return Coded.of("" if value is None else value for value in values)

    def naturals(self, name: str) -> Ints:
        """A column of counts or offsets, NONE where missing."""
        if not self.has(name):
            return np.full(len(self), NONE)
        values = _whole_numbers(_array(self.columns[name]))
        if values is not None:
            return values
        wanted = f"a whole number from 0 to {LARGEST_OFFSET}"
        return np.array(self.each(name, natural_in, wanted, NONE), np.int64)

    def grades(self, name: str) -> Ints:
        if not self.has(name):
            return np.full(len(self), NO_GRADE)
        wanted = f"a whole number from -{LARGEST_GRADE} to {LARGEST_GRADE}"
        return np.array(self.each(name, grade_in, wanted, NO_GRADE), np.int64)

    def numbers(self, name: str, convert: Callable[[Any], float | None] | None = None) -> Floats:
        """A column of numbers, NaN where missing."""
        if not self.has(name):
            return np.full(len(self), np.nan)
        cells = _array(self.columns[name])
        if cells is not None:
            return cells.astype(np.float64)
        return np.array(self.each(name, convert or number_in, "a number", np.nan), np.float64)


class ArrowCells(Sequence[Any]):
    """An Arrow column of numbers: `values` has them all, NaN where missing; cells are made when one is looked at."""

    def __init__(self, column: Any) -> None:
        self.column = column
        self.values: Floats = column.to_numpy()

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, row: Any) -> Any:
        return self.column[row].as_py()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.column.to_pylist())


def _array(cells: Any) -> NDArray[Any] | None:
    """A column of numbers as an array, NaN where missing; None if it is a column of anything else."""
    values = cells.values if isinstance(cells, ArrowCells) else cells
    return values if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" else None


def _whole_numbers(values: NDArray[Any] | None) -> Ints | None:
    """A column of counts or offsets, NONE where missing; None if there is anything else in it."""
    if values is None:
        return None
    given: Any = True
    if values.dtype.kind == "f":
        given = ~np.isnan(values)
        if (values[given] != np.floor(values[given])).any():
            return None
    there = values if given is True else values[given]
    if len(there) and (there.min() < 0 or there.max() > LARGEST_OFFSET):
        return None
    if given is True:
        return values.astype(np.int64)
    found = np.full(len(values), NONE)
    found[given] = there
    return found


def table_from_dicts(rows: Sequence[Mapping[str, Any]], reader: Reader, lines: Sequence[int] | None = None) -> Table:
    """A mapping per row."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return Table(columns, lines if lines is not None else range(1, len(rows) + 1), reader)


def table_from_arrow(table: Any, wanted: Sequence[str], reader: Reader) -> Table:
    """An Arrow table; strings stay coded and whole numbers stay arrays where nothing is missing."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name in table.column_names:
        if name not in wanted:
            continue
        column = table.column(name)
        kind = column.type
        if pa.types.is_dictionary(kind):
            coded_already = _coded(column)
            if coded_already is not None:
                columns[name] = coded_already
                continue
            column = column.cast(kind.value_type)
            kind = column.type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        whole_id = name in IDS and pa.types.is_integer(kind)
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if column.null_count:
            columns[name] = ArrowCells(column) if is_number and not whole_id else column.to_pylist()
        elif is_text or whole_id:
            coded = _coded(column.cast(pa.string()).dictionary_encode())
            columns[name] = column.to_pylist() if coded is None else coded
        elif is_number:
            values = numbers_of(column)
            has_nan = values.dtype.kind == "f" and np.isnan(values).any()
            columns[name] = ArrowCells(column) if has_nan else values
        else:
            columns[name] = column.to_pylist()
    return Table(columns, np.arange(1, table.num_rows + 1), reader)


def _coded(column: Any) -> Coded | None:
    """An Arrow column of dictionary-encoded texts; None if one is missing or empty, or they are no texts."""
    import pyarrow as pa

    kind = column.type.value_type
    if column.null_count or not column.num_chunks or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    column = column.unify_dictionaries()
    names = _names(column.chunk(0).dictionary)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in column.chunks])
    return None if names is None else Coded(codes.astype(np.int64), names)


def _names(texts: Any) -> LazyNames | None:
    """The texts of an Arrow array, left where they are; None if one is missing, empty, there twice or no UTF-8."""
    import pyarrow as pa

    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return None
    _, edges, data = texts.buffers()
    if texts.null_count or edges is None:
        return None
    edge = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    places = np.frombuffer(edges, edge)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    if (np.diff(places) == 0).any():
        return None
    tokens = kernels.Tokens(data.to_pybytes() if data is not None else b"", places[:-1], places[1:])
    if (tokens.codes_in(tokens) != np.arange(len(tokens))).any():
        return None
    return LazyNames(tokens, shared=True)


def require(table: Table, names: Sequence[str], what: str) -> None:
    for name in names:
        if not table.has(name):
            table.reader.settle()
            raise no_column(table.reader.source, name, list(table.columns), what)
