"""Tables of named columns in a text: cells stay spans of the text until their values are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from partwise.kernels import _native
from partwise.kernels.arrays import Bools, Floats, Ints
from partwise.kernels.readers import TokenColumn, Tokens, column_of_tokens
from partwise.records import record

__all__ = ["BadLine", "CellTable", "Cells", "last_delimited_query", "last_json_query", "read_delimited", "read_json"]

# the kinds of cells, as in src/native/cells.hpp
PLAIN, ESCAPED, DOUBLED = 1, 2, 3


class BadLine(NamedTuple):
    """A line that could not be read: where it is in the text, what is wrong (see the readers), and how many cells."""

    line: int
    start: int
    end: int
    what: int
    cells: int


class Cells(Sequence[Any]):
    """A column of cells of CSV (texts) or JSON Lines (any JSON value; None where a row has none).

    Values are made on access. Methods that convert a column return the rows that they leave to others as `irregular`.
    """

    def __init__(self, data: Any, count: int, cells: Ints, rows: Ints) -> None:
        """`rows` are the rows of the cells, in a column of `count` rows; empty if every row up to the last has one.

        Two numbers say where a cell is and what: its start, and 8 times its size plus its kind.
        """
        self.data = data
        self._count, self._sparse, self._rows = count, cells, rows
        self._dense: Ints | None = None

    @classmethod
    def of_texts(cls, data: Any, cells: Ints) -> Cells:
        """Texts that are parts of a text in UTF-8, as `text_cells` returns them."""
        return cls(memoryview(data), len(cells) // 2, cells.reshape(-1, 2), np.empty(0, np.int64))

    @property
    def _cells(self) -> Ints:
        """The two numbers of each row; 0, 0, which is a missing cell, where there is none."""
        if self._dense is None:
            dense = self._sparse
            if len(self._sparse) < self._count:
                dense = np.zeros((self._count, 2), np.int64)
                dense[self._rows if len(self._rows) else slice(0, len(self._sparse))] = self._sparse
            self._dense = dense.reshape(-1)  # of one row after another, as the kernels need it
        return self._dense

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return self.values(np.arange(self._count)[row])
        return self.values(np.array([range(self._count)[row]]))[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())

    def values(self, rows: Ints | None = None) -> list[Any]:
        """The values of these rows, or of all."""
        data = self.data
        out: list[Any] = []
        spelled: list[Any] = []  # what JSON spells, read together
        places: list[int] = []
        cells = self._cells.reshape(-1, 2)
        for start, size in (cells if rows is None else cells[rows]).tolist():
            end, kind = start + (size >> 3), size & 7
            if kind == PLAIN:
                out.append(str(data[start:end], "utf-8"))
                continue
            if kind > DOUBLED or kind == ESCAPED:
                places.append(len(out))
                spelled.append(data[start - 1 : end + 1] if kind == ESCAPED else data[start:end])
            out.append(None if kind != DOUBLED else str(data[start:end], "utf-8").replace('""', '"'))
        if places:
            import json

            for place, value in zip(places, json.loads(b"[" + b",".join(spelled) + b"]"), strict=True):
                out[place] = value
        return out

    @property
    def is_empty(self) -> Bools:
        """Which cells are empty texts."""
        empty: Bools = self._cells[1::2] == PLAIN
        return empty

    @property
    def has_missing(self) -> bool:
        """Whether a row has no cell or an empty text."""
        return bool((self._cells[1::2] <= PLAIN).any())

    def naturals(self, largest: int) -> tuple[Ints, Ints]:
        """Whole numbers from 0 to `largest`, -1 where missing, and the irregular rows."""
        return _native._cell_naturals(self.data, self._cells, largest)

    def reals(self) -> tuple[Floats, Ints]:
        """Numbers, NaN where missing, and the irregular rows."""
        return _native._cell_reals(self.data, self._cells)

    def texts(self) -> tuple[Ints, Tokens, Ints]:
        """The code of each row's text, the texts in the order of their first rows, and the irregular rows.

        Whole numbers are texts too. Rows without a text are irregular.
        """
        codes, text, start, end, irregular = _native._cell_texts(self.data, self._cells)
        return codes, Tokens(text, start, end), irregular

    def tokens(self) -> TokenColumn | None:
        """The texts as tokens, for which no codes are computed; whole numbers are texts too.

        None if a row has no text, or one that ends in a NUL character or is spelled otherwise in its file.
        """
        return column_of_tokens(_native._cell_tokens(self.data, self._cells))

    def lengths(self, expected: Ints | None = None) -> Ints:
        """The number of characters of each text, -1 for an empty one and for anything else.

        With `expected` lengths, texts whose number of bytes shows that they have another are not counted; instead of
        their length there is another number that is not the one expected.
        """
        return _native._cell_lengths(self.data, self._cells, expected)

    def distinct(self) -> tuple[Ints, list[Any]]:
        """The code of each row and the value of each code; equal values that are spelled differently have two."""
        codes, first = _native._cell_codes(self.data, self._cells)
        return codes, self.values(first)


@record(eq=False, repr=False)
class CellTable:
    """Columns of a text by name, in the order of their first occurrence, and what could not be read."""

    columns: Mapping[str, Cells]
    names: Sequence[str]
    """Of all columns; one may occur twice in the header of a CSV file."""
    lines: Ints
    bad: list[BadLine]
    halved: list[BadLine]
    """Lines that are read and have half a character (a lone surrogate) somewhere."""
    header: int
    """The line of the header."""


def _table(data: Any, table: Any) -> CellTable:
    columns, lines, bad, halved, header = table
    names = [name.decode("utf-8", "surrogatepass") for name, *_ in columns]
    cells = [Cells(data, len(lines), packed.reshape(-1, 2), rows) for _, packed, rows in columns]
    return CellTable(
        dict(zip(names, cells, strict=True)),
        names,
        lines,
        [BadLine(*line) for line in bad],
        [BadLine(*line) for line in halved],
        header,
    )


NOT_JSON, NOT_AN_OBJECT, TOO_DEEP = 1, 2, 3


def read_json(data: Any, deepest: int, most_digits: int, skipped: Sequence[int] = ()) -> CellTable:
    """Read JSON Lines, which must be UTF-8, as Python's json module does, but for NaN.

    A bad line is not JSON (1), not an object (2), or nested more than `deepest` levels deep (3). A whole number has at
    most `most_digits` digits, unless that is 0. Lines in `skipped`, in ascending order, are left out.
    """
    return _table(data, _native._read_json_lines(data, deepest, most_digits, np.array(skipped, np.int64)))


AFTER_QUOTE, END_OF_DATA, TOO_LONG, COLUMN_COUNT = 1, 2, 3, 4


def read_delimited(data: Any, separator: str, longest: int, names: Sequence[str] | None = None) -> CellTable:
    """Read CSV or TSV, which must be UTF-8, as Python's csv module does if it is strict; cells are stripped.

    `names` are those of the columns, if the text has no header. A bad line has text after a quoted cell (1), a quoted
    cell without an end (2), a cell of more than `longest` characters (3), or another number of cells (4).
    """
    columns = -1 if names is None else len(names)
    table = _native._read_delimited(data, separator, columns, longest)
    if names is not None:
        table = ([(name.encode(), *arrays) for name, (_, *arrays) in zip(names, table[0], strict=True)], *table[1:])
    return _table(data, table)


def last_json_query(data: Any, key: str) -> tuple[int, int]:
    """The start of the last run of complete lines with the same value of a key, 0 if all have the same; and the number
    of lines before it."""
    return _native._last_json_query(data, key.encode())


def last_delimited_query(data: Any, separator: str, column: int, has_header: bool) -> tuple[int, int]:
    """The start of the last run of complete rows with the same cell in a column, 0 if all have the same; and the number
    of lines before it."""
    return _native._last_delimited_query(data, separator, column, has_header)
