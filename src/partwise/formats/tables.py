"""Tables of named columns, also from lists of dicts and Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise import kernels
from partwise.errors import shown
from partwise.formats.cells import (
    GRADE,
    ID,
    LINE,
    NATURAL,
    NUMBER,
    SECONDS,
    SPANS,
    UNIT,
    grade_in,
    is_missing,
    line_in,
    milliseconds_in,
    natural_in,
    number_in,
    spans_in,
    text_in,
    unit_in,
)
from partwise.formats.names import IDS, LINE_COLUMNS, OFFSET_COLUMNS
from partwise.formats.problems import Reader, no_column
from partwise.messages import Text, reading
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
    Tokenised,
    empty_ints,
    numbered,
    numbers_of,
)
from partwise.units import CHARS, LINES


class Table:
    """Named columns of cells and the line (or row) of each; its methods check and convert columns."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        lines: Any,
        reader: Reader,
        names: Sequence[str] | None = None,
        origins: Mapping[str, str] | None = None,
    ) -> None:
        """`names` are those of all columns, also of those that were not loaded; `origins` what ours were called."""
        self.columns: Mapping[str, Any] = columns
        self.names = [name for name in columns if isinstance(name, str)] if names is None else names
        self.origins = origins or {}
        self.filled: dict[str, str] = {}
        """Notes about columns that were read only where another of the same meaning has no cell, by their names."""
        self.is_ranked = False
        """Whether the rows of a query are known to be in rank order."""
        self.lines = np.asarray(lines, np.int64)
        self.reader = reader
        self._bad: Bools | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def bad(self) -> Bools:
        """Which rows have a problem."""
        if self._bad is None:
            self._bad = np.zeros(len(self.lines), np.bool_)
        return self._bad

    @bad.setter
    def bad(self, rows: Bools) -> None:
        self._bad = rows

    @property
    def has_bad(self) -> bool:
        """Whether a row has a problem."""
        return self._bad is not None and bool(self._bad.any())

    def has(self, name: str) -> bool:
        return name in self.columns

    def rows(self) -> list[dict[str, Any]]:
        """The cells row by row, unconverted; a missing cell is None."""
        columns = {name: cells_of(cells) for name, cells in self.columns.items()}
        return [
            {name: None if is_missing(cell) else cell for name, cell in zip(columns, cells, strict=True)}
            for cells in zip(*columns.values(), strict=True)
        ]

    def problem(self, row: int, message: Text) -> None:
        self.reader.problem(int(self.lines[row]), message)
        self.bad[row] = True

    def each(self, name: str, convert: Callable[[Any], Any], expected: str, missing: Any) -> list[Any]:
        """A column converted cell by cell; `convert` returns None for a bad cell, `expected` describes a good one."""
        cells = self.columns[name]
        if isinstance(cells, (Coded, kernels.Cells)):
            codes, distinct = cells.distinct() if isinstance(cells, kernels.Cells) else (cells.codes, cells.names)
            is_bad = False  # convert each distinct cell once, unless one is bad: that needs its row
            values = []
            for cell in distinct:
                values.append(missing if is_missing(cell) else convert(cell))
                is_bad |= values[-1] is None and not is_missing(cell)
            if not is_bad:
                return [values[code] for code in codes.tolist()]
        return [self._value(name, row, cell, convert, expected, missing) for row, cell in enumerate(cells)]

    def _value(self, name: str, row: int, cell: Any, convert: Callable[[Any], Any], expected: str, missing: Any) -> Any:
        """The value of a cell; a bad one is a problem, and `missing`."""
        if is_missing(cell):
            return missing
        value = convert(cell)
        if value is not None:
            return value
        called = self.origins.get(name, name)
        self.problem(row, reading.BAD_VALUE(name=called, value=shown(cell), expected=expected))
        return missing

    def _complete(
        self, name: str, values: Any, irregular: Ints, convert: Callable[[Any], Any], expected: str, missing: Any
    ) -> Any:
        """The values of a column, with those of the irregular rows."""
        if not len(irregular):
            return values
        for row, cell in zip(irregular.tolist(), self._cells_at(name, irregular), strict=True):
            values[row] = self._value(name, row, cell, convert, expected, missing)
        return values

    def _cells_at(self, name: str, rows: Ints) -> list[Any]:
        """The cells of some rows of a column."""
        cells = self.columns[name]
        return cells.values(rows) if isinstance(cells, kernels.Cells) else [cells[row] for row in rows.tolist()]

    def strings(self, name: str) -> Coded:
        """A column of ids; whole numbers become their digits, a missing id is a problem."""
        cells = self.columns[name]
        if isinstance(cells, Coded):
            return cells
        codes, names, irregular = _ids(cells)
        if not len(irregular):
            return Coded(codes=codes, names=names, all_used=True)
        values = [names[code] if code != NONE else "" for code in codes.tolist()]
        for row, cell in zip(irregular.tolist(), self._cells_at(name, irregular), strict=True):
            value = self._value(name, row, cell, text_in, ID, None)
            if value is None and not self.bad[row]:
                self.problem(row, reading.NO_VALUE(name=self.origins.get(name, name)))
            values[row] = "" if value is None else value
        return Coded.of(values)

    def tokens(self, name: str) -> Coded:
        """A column of ids that hardly ever repeat: like `strings`, but not coded until codes are needed."""
        cells = self.columns[name]
        if isinstance(cells, Coded):
            return cells
        if type(cells) is not list and isinstance(cells, kernels.Cells):
            tokens = cells.tokens()
        else:
            tokens = kernels.token_cells(_listed(cells))
        return self.strings(name) if tokens is None else Tokenised(tokens, shared=True)

    def naturals(self, name: str) -> Ints:
        """A column of counts or offsets, NONE where missing."""
        if name not in self.columns:
            return np.full(len(self), NONE)
        return self._whole(name, natural_in, NATURAL, NONE, (0, LARGEST_OFFSET))

    def _whole(
        self, name: str, convert: Callable[[Any], Any], expected: str, missing: int, limits: tuple[int, int]
    ) -> Ints:
        """A column of whole numbers within these limits."""
        cells = self.columns[name]
        if type(cells) is not list:
            if isinstance(cells, kernels.Cells) and limits == (0, LARGEST_OFFSET):
                return self._complete(name, *cells.naturals(LARGEST_OFFSET), convert, expected, missing)  # type: ignore[no-any-return]
            if isinstance(cells, (Coded, kernels.Cells)):
                return np.array(self.each(name, convert, expected, missing), np.int64)
            values = _whole_numbers(_array(cells), missing, *limits)
            if values is not None:
                return values
        known, irregular = kernels.whole_cells(_listed(cells), *limits, missing)
        return self._complete(name, known, irregular, convert, expected, missing)  # type: ignore[no-any-return]

    def offsets(self, name: str) -> Ints:
        """A column of offsets or lengths in the unit of the reader, NONE where missing; seconds become milliseconds."""
        if self.reader.unit != "seconds" or name not in self.columns:
            return self.naturals(name)
        return np.array(self.each(name, milliseconds_in, SECONDS, NONE), np.int64)

    def take_unit(self, requested: str | None) -> None:
        """Count in the unit that the table declares, in a column or by having lines, else in the requested one.

        Of lines and other offsets, lines are read if they are requested; the others then are left alone.
        """
        declared: dict[str, None] = {}
        if "unit" in self.columns:
            declared = dict.fromkeys(cell for cell in self.each("unit", unit_in, UNIT, None) if cell is not None)
        if len(declared) > 1:
            raise self.reader.source.error(reading.TWO_UNITS(units=", ".join(declared)))
        unit = next(iter(declared), requested)
        columns = self.columns
        lines = [name for name in LINE_COLUMNS if name in columns]
        others = [name for name in OFFSET_COLUMNS if name in columns]
        if lines and others:
            left = others if unit == LINES else lines
            read = lines if unit == LINES else others
            self.columns = {name: cells for name, cells in self.columns.items() if name not in left}
            self.reader.notes.append(
                reading.TWO_UNITS_OF_PLACES.note(
                    source=self.reader.source.name, read=", ".join(read), left=", ".join(left)
                )
            )
        elif lines:
            if unit not in (None, LINES) and declared:
                raise self.reader.source.error(reading.LINES_DECLARED_AS(unit=unit, columns=", ".join(lines)))
            unit = LINES
        self.reader.unit = unit or CHARS

    def lines_from(self, name: str) -> Ints:
        """A column of numbers of lines, from 1; NONE where missing."""
        return self._whole(name, line_in, LINE, NONE, (1, LARGEST_OFFSET))

    def spans(self) -> list[Any]:
        """The column of several spans, None in rows without any."""
        offset_in = milliseconds_in if self.reader.unit == "seconds" else natural_in
        return self.each("spans", lambda cell: spans_in(cell, offset_in), SPANS, None)

    def grades(self, name: str) -> Ints:
        if not self.has(name):
            return np.full(len(self), NO_GRADE)
        return self._whole(name, grade_in, GRADE, NO_GRADE, (-LARGEST_GRADE, LARGEST_GRADE))

    def numbers(self, name: str, convert: Callable[[Any], float | None] | None = None) -> Floats:
        """A column of numbers, NaN where missing."""
        if not self.has(name):
            return np.full(len(self), np.nan)
        cells = self.columns[name]
        convert = convert or number_in
        if isinstance(cells, kernels.Cells):
            return self._complete(name, *cells.reals(), convert, NUMBER, np.nan)  # type: ignore[no-any-return]
        numbers = _array(cells)
        if numbers is not None:
            return numbers.astype(np.float64)
        if isinstance(cells, Coded):
            return np.array(self.each(name, convert, NUMBER, np.nan), np.float64)
        return self._complete(name, *kernels.real_cells(_listed(cells)), convert, NUMBER, np.nan)  # type: ignore[no-any-return]


class ArrowCells(Sequence[Any]):
    """An Arrow column of numbers: `values` is an array with NaN where missing; cells are created on access."""

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
    """A column of numbers as an array, NaN where missing; None if the cells are not all numbers."""
    values = cells.values if isinstance(cells, ArrowCells) else cells
    return values if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" else None


def _ids(cells: Any) -> tuple[Ints, Sequence[str], Ints]:
    """The codes and the names of a column of texts, and the rows with anything else."""
    if type(cells) is not list and isinstance(cells, kernels.Cells):
        codes, texts, irregular = cells.texts()
        return codes, LazyNames(texts, shared=True), irregular
    return kernels.coded_cells(_listed(cells))


def _listed(cells: Any) -> list[Any]:
    return cells if type(cells) is list else list(cells)


def _whole_numbers(values: NDArray[Any] | None, missing: int, low: int, high: int) -> Ints | None:
    """A column of whole numbers within these limits; None if a value is not one."""
    if values is None:
        return None
    present: Any = slice(None)
    if values.dtype.kind == "f":
        values = values.astype(np.float64)  # half precision does not reach LARGEST_OFFSET
        present = ~np.isnan(values)
        if (values[present] != np.floor(values[present])).any():
            return None
    numbers = values[present]
    if len(numbers) and (numbers.min() < low or numbers.max() > high):
        return None
    if values.dtype == np.int64:
        return values.copy() if values.flags.writeable else values  # they belong to the user, who may change them
    whole = np.full(len(values), missing)
    whole[present] = numbers
    return whole


def table_from_dicts(rows: Sequence[Any], reader: Reader, lines: Sequence[int] | None = None) -> Table:
    """A table from a mapping or a named tuple per row."""
    columns, count = kernels.cells_of_rows(rows if type(rows) in (list, tuple) else list(rows), _cells_of)  # type: ignore[arg-type]
    return Table(columns, lines if lines is not None else numbered(count), reader)


def _cells_of(_: Any, row: Any) -> list[tuple[Any, Any]]:
    row = row if isinstance(row, Mapping) else row._asdict()
    return [(name, row.get(name)) for name in row]


def table_from_arrow(table: Any, names: Sequence[str], reader: Reader, all_names: Sequence[str] | None = None) -> Table:
    """These columns of an Arrow table; strings stay coded and numbers stay arrays where nothing is missing.

    `all_names` are the names of all columns of what the table was loaded from.
    """
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name in table.column_names:
        if name not in names:
            continue
        column = table.column(name)
        kind = column.type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        ascii_cells = _ascii_cells(column) if is_text else None
        if ascii_cells is not None:
            columns[name] = ascii_cells
            continue
        _check(column, name, reader)
        if pa.types.is_dictionary(kind):
            dictionary_coded = _coded(column)
            if dictionary_coded is not None:
                columns[name] = dictionary_coded
                continue
            column = column.cast(kind.value_type)
            kind = column.type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        whole_id = name in IDS and pa.types.is_integer(kind)
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if column.null_count:
            columns[name] = ArrowCells(column) if is_number and not whole_id else column.to_pylist()
        elif is_text or whole_id:
            columns[name] = _cells(column.cast(pa.large_string()))
        elif is_number:
            values = numbers_of(column)
            has_nan = values.dtype.kind == "f" and np.isnan(values).any()
            columns[name] = ArrowCells(column) if has_nan else values
        else:
            columns[name] = column.to_pylist()
    return Table(columns, numbered(table.num_rows), reader, all_names)


def _check(column: Any, name: str, reader: Reader) -> None:
    """Raise an error if a column holds what its type does not allow: texts that are not UTF-8, codes without a text."""
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        row = _not_utf8(column)
        reason = " ".join(str(error).split()) if row is None else "not UTF-8"
        raise reader.source.error(reading.BAD_COLUMN(name=shown(name), reason=reason), row) from None


def _not_utf8(column: Any) -> int | None:
    """The first row, from 1, whose text is not UTF-8; None if the column has another fault."""
    import pyarrow as pa

    is_coded = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if is_coded else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    before = 0
    for chunk in column.chunks:
        texts = (chunk.dictionary if is_coded else chunk).cast(pa.large_binary()).to_pylist()
        bad = {code for code, text in enumerate(texts) if text is not None and not _is_utf8(text)}
        codes = chunk.indices.to_pylist() if is_coded else range(len(chunk))
        rows = [row for row, code in enumerate(codes) if code in bad]
        if rows:
            return before + rows[0] + 1
        before += len(chunk)
    return None


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _ascii_cells(column: Any) -> kernels.Cells | None:
    """An Arrow column of texts as cells; None if it has nulls, damage or other than ASCII characters.

    What is checked here makes a full validation by Arrow, which takes as long as reading the column, unnecessary.
    """
    import pyarrow as pa

    try:
        column.validate()
    except pa.ArrowException:
        return None
    cells = None if column.null_count else _cells(column)
    return cells if cells is not None and kernels.content(cells.data)[0] else None


def _cells(column: Any) -> kernels.Cells | None:
    """An Arrow column of texts without nulls as cells of one text; None if the edges of its texts are damaged."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        _, views, *buffers = column.buffers()
        inside = np.frombuffer(views or b"", np.uint8)[16 * column.offset : 16 * (column.offset + len(column))]
        texts = kernels.view_texts(inside, [np.frombuffer(buffer or b"", np.uint8) for buffer in buffers])
        return None if texts is None else kernels.Cells.of_texts(*texts)
    edge = np.int64 if pa.types.is_large_string(column.type) else np.int32
    data, cells, before = [np.empty(0, np.uint8)], [empty_ints()], 0
    for chunk in column.chunks:
        _, edges, text = chunk.buffers()
        if len(chunk) and edges is not None:
            places = np.frombuffer(edges, edge)[chunk.offset : chunk.offset + len(chunk) + 1]
            first, last = int(places[0]), int(places[-1])
            data.append(np.frombuffer(text or b"", np.uint8)[first:last])
            chunk_cells = kernels.text_cells(places, text.size if text is not None else 0, before - first)
            if chunk_cells is None:
                return None
            cells.append(chunk_cells)
            before += last - first
    if len(cells) == 2:
        return kernels.Cells.of_texts(data[1], cells[1])
    return kernels.Cells.of_texts(np.concatenate(data), np.concatenate(cells))


def _coded(column: Any) -> Coded | None:
    """A dictionary-encoded Arrow column of texts as codes; None if one is missing or empty, or not a text."""
    import pyarrow as pa

    kind = column.type.value_type
    if column.null_count or not column.num_chunks or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    column = column.unify_dictionaries()
    names = _names(column.chunk(0).dictionary)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in column.chunks])
    return None if names is None else Coded(codes.astype(np.int64), names)


def _names(texts: Any) -> LazyNames | None:
    """The texts of a valid Arrow array, not decoded; None if one is missing, empty or repeated."""
    import pyarrow as pa

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


def cells_of(cells: Any) -> Sequence[Any]:
    """The cells of a column as Python objects."""
    if isinstance(cells, (Coded, kernels.Cells)):
        return cells.values()
    return cells.tolist() if isinstance(cells, np.ndarray) else cells  # type: ignore[no-any-return]


def require(table: Table, names: Sequence[str], what: str) -> None:
    """Raise an error if the table lacks one of these columns; `what` needs them."""
    for name in names:
        if name not in table.columns:
            table.reader.settle()
            raise no_column(table.reader.source, name, table.names, what)
