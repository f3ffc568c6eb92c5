"""Named columns: CSV, TSV, JSON Lines, Parquet, and the tables and lists of dicts that Python users have.

Runs have ``query_id, doc_id`` and, where known, ``rank, score, run_id``; a part is ``start, end`` or ``offset,
length`` or ``spans`` (several), ``path`` or ``paths``; with none of them it is the whole document. Assessments have
``query_id, doc_id`` and ``start, end`` (or ``start_path, end_path``) or ``path, exhaustivity, specificity`` or
``paths`` (a relevant tree, graded or not), and ``bep`` (or ``bep_path``), ``length, grade, assessor, scale``. Other
columns are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise import kernels, order
from partwise.errors import shown
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.problems import Reader, no_column
from partwise.model import (
    LARGEST_GRADE,
    LARGEST_OFFSET,
    NO_GRADE,
    NONE,
    TO_END,
    Assessments,
    Bools,
    Coded,
    Floats,
    Ints,
    LazyNames,
    Paths,
    Run,
    numbers_of,
)

RUN_COLUMNS = (
    "query_id", "doc_id", "rank", "score", "run_id", "start", "end", "offset", "length", "spans", "path", "paths",
)  # fmt: skip
_PART_COLUMNS = ("start", "end", "offset", "length", "spans", "path", "paths")
ASSESSMENT_COLUMNS = (
    "query_id", "doc_id", "start", "end", "path", "paths", "exhaustivity", "specificity", "bep", "length", "grade",
    "assessor", "scale", "start_path", "end_path", "bep_path",
)  # fmt: skip
SCALES = ("four-point", "inex2005", "unit")


# ---- tables -------------------------------------------------------------------------------------------------


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

    def problem(self, row: int, problem: str, remedy: str) -> None:
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
        values = self.each(name, _text, "a text or a whole number", None)
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
        return np.array(self.each(name, _natural, wanted, NONE), np.int64)

    def grades(self, name: str) -> Ints:
        if not self.has(name):
            return np.full(len(self), NO_GRADE)
        wanted = f"a whole number from -{LARGEST_GRADE} to {LARGEST_GRADE}"
        return np.array(self.each(name, grade, wanted, NO_GRADE), np.int64)

    def numbers(self, name: str, convert: Callable[[Any], float | None] | None = None) -> Floats:
        """A column of numbers, NaN where missing."""
        if not self.has(name):
            return np.full(len(self), np.nan)
        cells = _array(self.columns[name])
        if cells is not None:
            return cells.astype(np.float64)
        return np.array(self.each(name, convert or number, "a number", np.nan), np.float64)


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


def is_missing(cell: Any) -> bool:
    if cell is None or (isinstance(cell, str) and cell == ""):
        return True
    return isinstance(cell, (float, np.floating)) and math.isnan(cell)


def _text(cell: Any) -> str | None:
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "surrogateescape")
    if isinstance(cell, str):
        return None if any("\ud800" <= c <= "\udfff" for c in cell) else cell
    whole = _integer(cell)
    return None if whole is None else str(whole)


def _integer(cell: Any) -> int | None:
    if isinstance(cell, Decimal) and cell.is_finite() and cell == cell.to_integral_value():
        return int(cell)
    if isinstance(cell, str):
        digits = cell.strip().removeprefix("-")
        whole = digits.removesuffix(".0")
        fine = whole.isascii() and whole.isdigit() and len(whole) <= 18
        return int(cell.strip().removesuffix(".0")) if fine else None
    if isinstance(cell, (bool, np.bool_)):
        return None
    if isinstance(cell, (int, np.integer)):
        return int(cell)
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return int(cell)
    return None


def grade(cell: Any) -> int | None:
    """The grade in a cell; None where there is none."""
    value = _integer(cell)
    return value if value is not None and abs(value) <= LARGEST_GRADE else None


def _natural(cell: Any) -> int | None:
    value = _integer(cell)
    return value if value is not None and 0 <= value <= LARGEST_OFFSET else None


def number(cell: Any) -> float | None:
    if isinstance(cell, (bool, np.bool_)):
        return None
    if isinstance(cell, str) and ("_" in cell or not cell.isascii()):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if math.isnan(value) else value


def _exhaustivity(cell: Any) -> float | None:
    return 0.0 if cell == "?" else number(cell)


# ---- tables from files and objects --------------------------------------------------------------------------


def table_from_csv(data: bytes, separator: str, reader: Reader) -> Table:
    """CSV or TSV with a header line."""
    import csv
    import io

    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    cells: list[list[str]] = []
    lines: list[int] = []
    while True:
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            reader.problem(rows.line_num, f"is not CSV ({error})", "quote cells as CSV does")
            continue
        row = [cell.strip() for cell in row]
        if not row or row == [""]:
            continue
        if not header:
            header = row
            twice = [name for name in header if header.count(name) > 1]
            if twice:
                raise reader.source.error(
                    f"has two columns {twice[0]!r}", "give every column its own name", rows.line_num
                )
        elif len(row) != len(header):
            kind = "is cut short: it" if len(row) < len(header) else "is too long: it"
            reader.problem(rows.line_num, f"{kind} has {len(row)} columns", f"write {len(header)}: {', '.join(header)}")
        else:
            cells.append(row)
            lines.append(rows.line_num)
    columns = zip(*cells, strict=True) if cells else ([] for _ in header)
    return Table(dict(zip(header, columns, strict=True)), lines, reader)


def table_from_jsonl(data: bytes, reader: Reader) -> Table:
    """A JSON object per line."""
    import json

    numbered = [(i, line.strip()) for i, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    try:
        if not all(line.startswith(b"{") and line.endswith(b"}") for _, line in numbered):
            raise ValueError
        rows = json.loads(b"[" + b",".join(line for _, line in numbered) + b"]", parse_constant=_no_constant)
        lines = [i for i, _ in numbered]
        if len(rows) != len(lines) or not all(isinstance(row, dict) for row in rows):
            raise ValueError
    except (ValueError, RecursionError):
        rows, lines = [], []
        for i, line in numbered:
            try:
                row = json.loads(line, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                told = getattr(error, "msg", None) or str(error)
                reader.problem(i, f"is not JSON ({told})", "write one JSON object per line")
                continue
            if not isinstance(row, dict):
                reader.problem(i, f"is not a JSON object but {shown(row)}", "write one JSON object per line")
                continue
            rows.append(row)
            lines.append(i)
    return table_from_dicts(rows, reader, lines)


def _no_constant(name: str) -> float:
    if name == "NaN":
        raise ValueError("NaN is no number")
    return float(name)


def table_from_dicts(rows: Sequence[Mapping[str, Any]], reader: Reader, lines: Sequence[int] | None = None) -> Table:
    """A mapping per row."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return Table(columns, lines if lines is not None else range(1, len(rows) + 1), reader)


_LARGE_PARQUET = 1 << 25
"""Bytes of a file whose row groups are read side by side; smaller files are read side by side themselves."""


def _columns_of(data: bytes, names: Sequence[str], texts: Sequence[str], groups: int) -> Any:
    """These columns of a Parquet file alone, texts as the codes that the file has for them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def read(some: Sequence[int]) -> Any:
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=list(texts))
        return file.read_row_groups(list(some), columns=list(names), use_threads=False)

    threads = min(groups, pa.cpu_count()) if len(data) >= _LARGE_PARQUET else 1
    if threads <= 1:
        return read(range(groups))
    from concurrent.futures import ThreadPoolExecutor

    shares = [range(i * groups // threads, (i + 1) * groups // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return pa.concat_tables(pool.map(read, shares))


def table_from_parquet(data: bytes, wanted: Sequence[str], reader: Reader) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        there = [name for name in file.schema_arrow.names if name in wanted]
        twice = [name for name in there if there.count(name) > 1]
        if twice:
            raise reader.source.error(f"has two columns {twice[0]!r}", "give every column its own name")
        kinds = {name: file.schema_arrow.field(name).type for name in there}
        texts = [name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]
        table = _columns_of(data, there, texts, file.num_row_groups)
    except (pa.ArrowException, OSError) as error:
        first = str(error).split("\n")[0]
        raise reader.source.error(f"is damaged or cut short as Parquet ({first})", "write it again") from None
    if not there:
        raise no_column(reader.source, "query_id", file.schema_arrow.names, "runs and assessments")
    return table_from_arrow(table, wanted, reader)


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
        whole_id = name in ("query_id", "doc_id", "run_id", "assessor") and pa.types.is_integer(kind)
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


def what_is(table: Table) -> str | None:
    """Whether a table is a run or assessments, by the columns that only one of them has; None if it may be either."""
    of_run = any(map(table.has, ("rank", "score", "run_id", "offset", "spans", "paths")))
    of_run |= table.has("path") and not table.has("exhaustivity")
    judged = ("grade", "bep", "bep_path", "exhaustivity", "specificity", "assessor", "scale", "start_path", "end_path")
    of_assessments = any(map(table.has, judged))
    if of_run == of_assessments:
        return None
    return "run" if of_run else "assessments"


# ---- runs ---------------------------------------------------------------------------------------------------


def runs_from_table(table: Table, default_id: str | None) -> list[Run]:
    """The runs in a table, by its column ``run_id``; without one it is one run, called `default_id`."""
    require(table, ("query_id", "doc_id"), "runs")
    source = table.reader.source
    query, doc = table.strings("query_id"), table.strings("doc_id")
    run_id = table.strings("run_id") if table.has("run_id") else None
    rank = table.naturals("rank") if table.has("rank") else None
    score = table.numbers("score") if table.has("score") else None
    offsets, start, end, paths = _parts(table)
    table.reader.settle()
    if table.has("text") and not any(table.has(name) for name in _PART_COLUMNS):
        table.reader.notes.append(
            f"{source.name}: has texts and does not say where they stand, so every result is its whole document; "
            "partwise locate finds them"
        )
    run = Run(
        run_id=default_id or "run",
        query=query,
        doc=doc,
        rank=rank,
        score=score,
        span_offsets=offsets,
        start=start,
        end=end,
        paths=paths,
        source=source,
        lines=table.lines,
    )
    if table.bad.any():
        good = np.flatnonzero(~table.bad)
        run = run.take(good)
        run_id = None if run_id is None else run_id.take(good)
    if run_id is None:
        return [run]
    return split_runs(run, run_id)


def split_runs(run: Run, run_id: Coded) -> list[Run]:
    """One run per distinct id, in the order in which the ids first appear."""
    order = np.argsort(run_id.codes, kind="stable")
    stretches = np.split(order, np.flatnonzero(np.diff(run_id.codes[order])) + 1)
    stretches.sort(key=lambda rows: int(rows[0]) if len(rows) else 0)
    if len(stretches) == 1:
        return [replace(run, run_id=run_id[0] if len(run_id) else run.run_id)]
    return [replace(run.take(rows), run_id=run_id[int(rows[0])]) for rows in stretches]


def _parts(table: Table) -> tuple[Ints, Ints, Ints, Paths | None]:
    """The spans and paths of every row."""
    count = len(table)
    ways = [way for way in (("start", "end"), ("offset", "length")) if table.has(way[0]) or table.has(way[1])]
    start, end = np.full(count, NONE), np.full(count, NONE)
    if len(ways) == 2:
        raise table.reader.source.error(
            "has columns start, end and offset, length", "give one of the two", _first_line(table)
        )
    for way in ways:
        require(table, way, f"runs with a column {way[0] if table.has(way[0]) else way[1]}")
        start, end = _edges(table, way)
    has_span = start != NONE
    spans = _cells(table, "spans", _spans, "a list of [start, end]")
    path = _cells(table, "path", _path, "a path that begins with /")
    several = _cells(table, "paths", _paths, "a list of paths that begin with /")
    path_cells: list[list[tuple[str, str | None]] | None] = [None] * count
    if spans is None and path is None and several is None:
        end = np.where(has_span, end, TO_END)
        start = np.where(has_span, start, 0)
        return np.arange(count + 1), start, end, None
    if path is not None and not ways and spans is None and several is None and None not in path:
        last = [pair[1] for pair in path]
        alone = Paths(np.arange(count + 1), [pair[0] for pair in path], last if any(last) else None)
        return np.zeros(count + 1, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), alone
    span_cells: list[list[tuple[int, int]]] = [[]] * count
    for row in range(count):
        given = [
            name
            for name, there in (
                (ways[0][0] if ways else "start", bool(has_span[row])),
                ("spans", spans is not None and spans[row] is not None),
                ("path", path is not None and path[row] is not None),
                ("paths", several is not None and several[row] is not None),
            )
            if there
        ]
        if len(given) > 1:
            table.problem(row, f"has both {given[0]} and {given[1]}", "give a part in one way")
        if has_span[row]:
            span_cells[row] = [(int(start[row]), int(end[row]))]
        elif spans is not None and spans[row] is not None:
            span_cells[row] = spans[row]
        elif path is not None and path[row] is not None:
            path_cells[row] = [path[row]]
        elif several is not None and several[row] is not None:
            path_cells[row] = several[row]
        else:
            span_cells[row] = [(0, TO_END)]
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum([len(cell) for cell in span_cells], out=offsets[1:])
    flat = np.array([span for cell in span_cells for span in cell], np.int64).reshape(-1, 2)
    path_offsets = np.zeros(count + 1, np.int64)
    np.cumsum([len(cell or ()) for cell in path_cells], out=path_offsets[1:])
    pairs = [pair for cell in path_cells for pair in cell or ()]
    paths = None
    if pairs:
        last = [pair[1] for pair in pairs]
        paths = Paths(path_offsets, [pair[0] for pair in pairs], last if any(last) else None)
    return offsets, flat[:, 0].copy(), flat[:, 1].copy(), paths


def _edges(table: Table, way: tuple[str, str]) -> tuple[Ints, Ints]:
    """The start and end of every row, NONE in rows that have neither; what does not fit together is a problem."""
    first, second = (table.naturals(name) for name in way)
    for row in np.flatnonzero(((first == NONE) != (second == NONE)) & ~table.bad).tolist():
        there, gone = way if second[row] == NONE else way[::-1]
        article = "an" if there[0] in "eo" else "a"
        table.problem(row, f"has {article} {there} and no {gone}", "give both or neither")
    end = np.where(second == NONE, NONE, first + second) if way[0] == "offset" else second
    for row in np.flatnonzero((end > LARGEST_OFFSET) & ~table.bad).tolist():
        table.problem(row, f"the end of the part is '{end[row]}'", f"it must be at most {LARGEST_OFFSET}")
    for row in np.flatnonzero((end < first) & (end != NONE) & ~table.bad).tolist():
        table.problem(
            row, f"the end {end[row]} lies before the start {first[row]}", "the end must be at least the start"
        )
    return first, end


def _first_line(table: Table) -> int | None:
    return 1 if table.reader.source.is_file else None


def _cells(table: Table, name: str, convert: Callable[[Any], Any], wanted: str) -> list[Any] | None:
    return table.each(name, convert, wanted, None) if table.has(name) else None


def _spans(cell: Any) -> list[tuple[int, int]] | None:
    """``[[10, 20], [40, 60]]``, or ``10-20 40-60`` where a cell can only be text."""
    if isinstance(cell, str):
        cell = [item.split("-") for item in cell.split()]
    try:
        if any(isinstance(pair, (str, bytes)) for pair in cell):
            return None
        pairs = [(_natural(start), _natural(end)) for start, end in cell]
    except (TypeError, ValueError):
        return None
    good = [(a, b) for a, b in pairs if a is not None and b is not None and a <= b]
    return good if good and len(good) == len(pairs) else None


def _path(cell: Any) -> tuple[str, str | None] | None:
    """A path, or two with a blank between them: from the start of the one to the end of the other."""
    words = cell.split() if isinstance(cell, str) else []
    if not 1 <= len(words) <= 2 or not all(word.startswith("/") for word in words):
        return None
    return words[0], words[1] if len(words) == 2 else None


def _paths(cell: Any) -> list[tuple[str, str | None]] | None:
    """Paths in a list, each like a `path`; in a text they are elements, with blanks between them."""
    items = cell.split() if isinstance(cell, str) else list(cell) if isinstance(cell, (list, tuple)) else []
    found = [_path(item) for item in items]
    good = [path for path in found if path is not None]
    return good if good and len(good) == len(found) else None


# ---- assessments --------------------------------------------------------------------------------------------


def assessments_from_table(table: Table, unit: str) -> Assessments:
    """The tables of judgements in a table of rows."""
    require(table, ("query_id", "doc_id"), "assessments")
    if table.has("offset"):
        raise table.reader.source.error(
            "has a column 'offset'", "assessments take start and end (length is the document's)", _first_line(table)
        )
    query, doc = table.strings("query_id"), table.strings("doc_id")
    count = len(table)
    assessor = Coded(np.zeros(count, np.int64), [""])
    if table.has("assessor"):
        assessor = Coded.of(table.each("assessor", _text, "a text", ""))
    raw = RawJudgements(
        query,
        doc,
        assessor,
        table.lines,
        length=table.naturals("length"),
        bep=table.naturals("bep"),
        grade=table.grades("grade"),
    )
    raw.repeats_documents = True
    if table.has("start") or table.has("end"):
        require(table, ("start", "end"), "highlighted passages")
        start, end = _edges(table, ("start", "end"))
        raw.span_row = np.flatnonzero(start != NONE)
        raw.start, raw.end = start[raw.span_row], end[raw.span_row]
    if table.has("start_path") or table.has("end_path"):
        require(table, ("start_path", "end_path"), "highlighted passages between paths")
        _passages(table, raw)
    if table.has("bep_path"):
        raw.bep_path = Coded.of(table.each("bep_path", _single_path, "a path that begins with /", ""))
        for row in np.flatnonzero(raw.bep != NONE).tolist():
            if raw.bep_path[row]:
                table.problem(row, "has both bep and bep_path", "give one of the two")
    if table.has("path"):
        require(table, ("path", "exhaustivity", "specificity"), "graded elements")
        cells = table.each("path", _path, "a path that begins with /", None)
        rows = [row for row, cell in enumerate(cells) if cell is not None]
        raw.element_row = np.array(rows, np.int64)
        raw.path = [" ".join(filter(None, cells[row])) for row in rows]
        raw.exhaustivity = table.numbers("exhaustivity", _exhaustivity)[raw.element_row]
        raw.specificity = table.numbers("specificity")[raw.element_row]
        for name, values in (("exhaustivity", raw.exhaustivity), ("specificity", raw.specificity)):
            for item in np.flatnonzero(np.isnan(values) & ~table.bad[raw.element_row]).tolist():
                table.problem(rows[item], f"has a path and no {name}", "give every element both grades")
    if table.has("paths"):
        _read_trees(table, raw)
    scale = _scale(table)
    if table.bad.any():
        raw = raw.take(np.flatnonzero(~table.bad))
    return assembled(raw, table.reader, scale, unit)


def _single_path(cell: Any) -> str | None:
    found = _path(cell)
    return None if found is None or found[1] is not None else found[0]


def _passages(table: Table, raw: RawJudgements) -> None:
    """Highlighted passages from one path or pointer to another."""
    edges = [table.each(name, _single_path, "a path that begins with /", "") for name in ("start_path", "end_path")]
    for row, (first, last) in enumerate(zip(*edges, strict=True)):
        if bool(first) != bool(last) and not table.bad[row]:
            there, gone = ("a start_path", "end_path") if first else ("an end_path", "start_path")
            table.problem(row, f"has {there} and no {gone}", "give both or neither")
    rows = [row for row, first in enumerate(edges[0]) if first]
    raw.passage_row = np.array(rows, np.int64)
    raw.first, raw.last = [edges[0][row] for row in rows], [edges[1][row] for row in rows]
    for row in np.intersect1d(raw.span_row, raw.passage_row).tolist():
        table.problem(row, "has both start and start_path", "give a passage in one way")


def _read_trees(table: Table, raw: RawJudgements) -> None:
    """Relevant trees: several paths in a row, with both grades or neither."""
    cells = table.each("paths", _paths, "a list of paths that begin with /", None)
    rows = [row for row, cell in enumerate(cells) if cell is not None]
    raw.tree_row = np.array(rows, np.int64)
    raw.tree = [tuple(path for path, _ in cells[row]) for row in rows]
    raw.tree_exhaustivity = table.numbers("exhaustivity", _exhaustivity)[raw.tree_row]
    raw.tree_specificity = table.numbers("specificity")[raw.tree_row]
    lacking = np.isnan(raw.tree_exhaustivity) != np.isnan(raw.tree_specificity)
    for item in np.flatnonzero(lacking & ~table.bad[raw.tree_row]).tolist():
        table.problem(rows[item], "grades a tree once", "give exhaustivity and specificity, or neither")
    both = np.intersect1d(raw.tree_row, np.concatenate([raw.element_row, raw.span_row]))
    for row in both[~table.bad[both]].tolist():
        other = "path" if row in raw.element_row else "start"
        table.problem(row, f"has both {other} and paths", "give a part in one way")


def _scale(table: Table) -> str | None:
    if not table.has("scale"):
        return None
    cells = table.each(
        "scale",
        lambda cell: cell if isinstance(cell, str) and cell in SCALES else None,
        "one of " + ", ".join(SCALES),
        None,
    )
    found = [(cell, row) for row, cell in enumerate(cells) if cell is not None]
    for cell, row in found:
        if cell != found[0][0]:
            table.problem(row, f"declares the scale {cell}, earlier rows {found[0][0]}", "a file has one scale")
    return found[0][0] if found else None


# ---- lengths ------------------------------------------------------------------------------------------------


def lengths_from_table(table: Table) -> dict[str, int]:
    """Document lengths from the columns ``doc_id, length``."""
    require(table, ("doc_id", "length"), "lengths")
    doc, length = table.strings("doc_id"), table.naturals("length")
    for row in np.flatnonzero((length == NONE) & ~table.bad).tolist():
        table.problem(row, "has no length", "give every document its length")
    found: dict[str, int] = {}
    for row, (name, size) in enumerate(zip(doc.values(), length.tolist(), strict=True)):
        if not table.bad[row] and found.setdefault(name, size) != size:
            table.problem(
                row, f"gives document {name} the length {size}, an earlier one {found[name]}", "give one value"
            )
    table.reader.settle()
    return found


# ---- writing ------------------------------------------------------------------------------------------------


def places(run: Run) -> Ints:
    """The place of each row in its topic, from 1, in the order in which the run is scored."""
    return order.places(run)


def tie_places(run: Run) -> Ints:
    """The place of the first of the results with which each one ties."""
    return order.tie_places(run)


def ranks(run: Run) -> Ints:
    """Ranks that keep the order and the ties of a run: its own where they give the order, else counted."""
    return order.ranks(run)


def as_ranked(run: Run) -> Run:
    """A six-column run, which goes by score, in its order and with the ranks that this gives it; others as they are."""
    if not run.trec_order:
        return run
    topics, first = np.unique(run.query.codes, return_index=True)
    first_row = np.zeros(len(run.query.names), np.int64)
    first_row[topics] = first
    order = np.lexsort((places(run), first_row[run.query.codes]))
    return replace(replace(run, rank=ranks(run)).take(order), trec_order=False)


def run_rows(run: Run) -> list[dict[str, Any]]:
    """A run as rows of named columns; a six-column run in its order, with the ranks that this gives it."""
    rows = []
    run = as_ranked(run)
    single = bool((np.diff(run.span_offsets) <= 1).all())
    for row, (query, doc) in enumerate(zip(run.query.values(), run.doc.values(), strict=True)):
        cells: dict[str, Any] = {"query_id": query, "doc_id": doc}
        if run.rank is not None:
            cells["rank"] = None if run.rank[row] == NONE else int(run.rank[row])
        if run.score is not None:
            cells["score"] = None if np.isnan(run.score[row]) else float(run.score[row])
        cells["run_id"] = run.run_id
        inside = range(int(run.span_offsets[row]), int(run.span_offsets[row + 1]))
        spans = [(int(run.start[i]), int(run.end[i])) for i in inside]
        paths = run.paths.of_row(row) if run.paths is not None else []
        if len(paths) > 1:
            cells["paths"] = [" ".join(filter(None, path)) for path in paths]
        elif paths:
            cells["path"] = " ".join(filter(None, paths[0]))
        elif spans != [(0, TO_END)]:
            if single:
                cells["start"], cells["end"] = spans[0]
            else:
                cells["spans"] = [list(span) for span in spans]
        rows.append(cells)
    return rows


def assessment_rows(assessments: Assessments) -> list[dict[str, Any]]:
    """Assessments as rows of named columns: one per passage, element or tree, one per document without any."""
    documents = assessments.documents
    parts: dict[tuple[int, int, int], list[tuple[int, Mapping[str, Any]]]] = {}
    spans, elements = assessments.spans, assessments.elements
    for row in range(len(spans.lines)):
        key = int(spans.query[row]), int(spans.doc[row]), int(spans.assessor[row])
        part = {"start": int(spans.start[row]), "end": int(spans.end[row])}
        parts.setdefault(key, []).append((int(spans.lines[row]), part))
    passages = assessments.passages
    for row in range(len(passages.lines)):
        key = int(passages.query[row]), int(passages.doc[row]), int(passages.assessor[row])
        between = {"start_path": passages.first[row], "end_path": passages.last[row]}
        parts.setdefault(key, []).append((int(passages.lines[row]), between))
    for row in range(len(elements.lines)):
        key = int(elements.query[row]), int(elements.doc[row]), int(elements.assessor[row])
        grades = {
            "path": elements.path[row],
            "exhaustivity": float(elements.exhaustivity[row]),
            "specificity": float(elements.specificity[row]),
        }
        parts.setdefault(key, []).append((int(elements.lines[row]), grades))
    trees = assessments.trees
    for row in range(len(trees.lines)):
        key = int(trees.query[row]), int(trees.doc[row]), int(trees.assessor[row])
        tree: dict[str, Any] = {"paths": list(trees.paths[row])}
        if not np.isnan(trees.exhaustivity[row]):
            tree["exhaustivity"] = float(trees.exhaustivity[row])
            tree["specificity"] = float(trees.specificity[row])
        parts.setdefault(key, []).append((int(trees.lines[row]), tree))
    rows = []
    for row in range(len(documents.lines)):
        key = int(documents.query[row]), int(documents.doc[row]), int(documents.assessor[row])
        cells: dict[str, Any] = {"query_id": assessments.queries[key[0]], "doc_id": assessments.docs[key[1]]}
        if assessments.assessors[key[2]]:
            cells["assessor"] = assessments.assessors[key[2]]
        for name, value, missing in (
            ("length", documents.length[row], NONE),
            ("bep", documents.bep[row], NONE),
            ("grade", documents.grade[row], NO_GRADE),
        ):
            if value != missing:
                cells[name] = int(value)
        if documents.bep_path is not None and documents.bep_path[row]:
            cells["bep_path"] = documents.bep_path[row]
        if assessments.scale is not None:
            cells["scale"] = assessments.scale
        found = parts.get(key) or [(int(documents.lines[row]), {})]
        rows += [(line, {**cells, **part}) for line, part in found]
    rows.sort(key=lambda item: item[0])
    return [cells for _, cells in rows]


def written(rows: list[dict[str, Any]], names: Sequence[str], kind: str) -> bytes:
    """Rows as CSV, TSV, JSON Lines or Parquet, with those of `names` that occur."""
    there = [name for name in names if any(name in row for row in rows)]
    if kind == "jsonl":
        import json

        told = json.JSONEncoder(ensure_ascii=False).encode
        lines = (told({name: row[name] for name in there if row.get(name) is not None}) for row in rows)
        return "".join(line + "\n" for line in lines).encode()
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in there}), sink)
        return bytes(sink.getvalue().to_pybytes())
    import csv
    import io

    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="," if kind == "csv" else "\t", lineterminator="\n")
    writer.writerow(there)
    for row in rows:
        writer.writerow([_cell(name, row.get(name)) for name in there])
    return text.getvalue().encode()


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return ""
    if name == "spans":
        return " ".join(f"{start}-{end}" for start, end in value)
    if name == "paths":
        return " ".join(value)
    return repr(value) if isinstance(value, float) else value
