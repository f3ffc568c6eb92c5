"""The results of readers: columns of a text, and tokens that can be looked up without making strings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from partwise.kernels import _native
from partwise.kernels.arrays import Bools, Ints, Words
from partwise.records import record

__all__ = [
    "JudgedIndex",
    "Passages",
    "Problem",
    "TextColumns",
    "TokenColumn",
    "Tokens",
    "read_columns",
    "read_passages",
    "read_text",
    "token_cells",
]


class Problem(NamedTuple):
    """A line that could not be read: the column that is wrong (-1: the number of columns) and its text."""

    line: int
    column: int
    text: bytes


@record(eq=False, repr=False)
class TextColumns:
    """Columns of a text file. A string column is a pair: the code of each row, the token of each code."""

    columns: list[Any]
    lines: Ints
    problems: list[Problem]
    with_more_text: int = 0
    """The lines of a TREC run that have text after the run tag, which is not read."""


@record(eq=False, repr=False)
class Passages:
    """Lines ``query Q0 doc relevant-chars length bep offset:length ...``; `row_of` gives a passage's row.

    A string column is a pair: the code of each row, and the string of each code, in the order of the file.
    """

    query: tuple[Ints, Tokens]
    doc: tuple[Ints, Tokens]
    relevant: Ints
    length: Ints
    bep: Ints
    lines: Ints
    row_of: Ints
    start: Ints
    size: Ints
    problems: list[Problem]


class Tokens(Sequence[bytes]):
    """Distinct strings of a text, as offsets into it, with lookups that make no Python strings."""

    def __init__(self, data: Any, start: Ints, end: Ints) -> None:
        self.data, self.start, self.end = data, start, end
        self._index: _native._NameIndex | None = None

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Tokens:
        size = np.fromiter(map(len, strings), np.int64, len(strings))
        end = np.cumsum(size)
        return cls(b"".join(strings), end - size, end)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, code: Any) -> Any:
        return bytes(self.data[self.start[code] : self.end[code]])

    def __iter__(self) -> Iterator[bytes]:
        data = self.data
        return (bytes(data[start:end]) for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True))

    def strings(self) -> list[str]:
        """All of them, decoded; they must be valid UTF-8."""
        return _native._strings(self.data, self.start, self.end)

    def __reduce__(self) -> Any:
        return Tokens, (bytes(self.data), self.start, self.end)

    def codes_in(self, others: Tokens) -> Ints:
        """The code of each string among `others`, -1 where it does not occur."""
        if others._index is None:
            others._index = _native._NameIndex(others.data, others.start, others.end)
        return others._index.find(self.data, self.start, self.end)


_BLANK = re.compile(rb"[\x00-\x20]")
"""What separates tokens, as in the kernels."""


class TokenColumn:
    """A column of tokens in their text; codes are computed by `coded`.

    The `key` of a token of at most eight bytes is these bytes; that of a longer token is a hash whose lowest byte is 1.
    Blanks end the tokens of a column without `end`.
    """

    def __init__(self, data: bytes, key: Words, start: Ints, end: Ints | None = None) -> None:
        self.data, self.key, self.start = data, key, start
        self.end = np.empty(0, np.int64) if end is None else end
        self._tokens = data, key, start, self.end

    def __len__(self) -> int:
        return len(self.start)

    def coded(self) -> tuple[Ints, Tokens]:
        """The code of each row, and the token of each code."""
        codes, start, end = _native._coded_tokens(*self._tokens)
        return codes, Tokens(self.data, start, end)

    def token(self, row: int) -> bytes:
        """The token of a row."""
        if len(self.end):
            return bytes(self.data[self.start[row] : self.end[row]])
        start, size = int(self.start[row]), 64
        while True:
            text = bytes(self.data[start : start + size])
            blank = _BLANK.search(text)
            if blank is not None or len(text) < size:
                return text[: None if blank is None else blank.start()]
            size *= 8

    def strings(self, rows: Ints) -> list[str]:
        """The tokens of these rows, decoded; they must be valid UTF-8."""
        return _native._strings_of_rows(*self._tokens, rows)

    def __reduce__(self) -> Any:
        return TokenColumn, (bytes(self.data), self.key, self.start, self.end)

    def pairs(self, rows: Ints, query: Ints, judged: JudgedIndex) -> Ints:
        """The judged pair of each of these rows, -1 where its document is not judged for its query."""
        return judged.index.find(*self._tokens, rows, query)

    def documents(self, rows: Ints, offsets: Ints) -> tuple[Ints, Ints]:
        """The document of each row, numbered query by query in the order of their first rows; and these first rows."""
        return _native._documents_of(*self._tokens, rows, offsets)

    def repeated(self, rows: Ints, offsets: Ints, span_offsets: Ints, start: Ints, end: Ints) -> Bools:
        """Whether each row returns the document and the spans of an earlier row of its query."""
        return _native._repeated_tokens(*self._tokens, rows, offsets, span_offsets, start, end)


def column_of_tokens(made: tuple[bytes, Words, Ints] | None) -> TokenColumn | None:
    """A column of tokens that follow one another in their text, from the text, their keys and their edges."""
    return None if made is None else TokenColumn(made[0], made[1], made[2][:-1], made[2][1:])


def token_cells(cells: list[Any]) -> TokenColumn | None:
    """Strings and whole numbers of 64 bits as tokens.

    None if a cell is something else, is empty, ends in a NUL character or has half a character.
    """
    return column_of_tokens(_native._token_cells(cells))


class JudgedIndex:
    """An index of the judged documents of every query, for `TokenColumn.pairs`."""

    def __init__(self, names: Tokens, pair_offsets: Ints, pair_doc: Ints) -> None:
        self._made_of = names, pair_offsets, pair_doc
        self.index = _native._JudgedIndex(names.data, names.start, names.end, pair_offsets, pair_doc)

    def __reduce__(self) -> Any:
        return JudgedIndex, self._made_of


def _coded(data: bytes, column: Any) -> Any:
    if not isinstance(column, tuple):
        return column
    if len(column) == 2:
        return TokenColumn(data, *column)
    codes, start, end = column
    return codes, Tokens(data, start, end)


def read_columns(data: bytes, kinds: str) -> TextColumns:
    """Read lines of blank- or tab-separated columns.

    `kinds` has a letter per column: ``s`` string, ``d`` string that may stay a token of the text until its code is
    accessed, ``n`` whole number from 0, ``o`` the same or else -1, ``i`` whole number, ``f`` number, ``-`` ignored.
    Empty lines and comments, which begin with ``#``, are skipped. A line with another number of columns, or with a
    value of another kind, is left out and listed as a problem; but text after the tag of a TREC run is only counted.
    """
    return _columns(data, _native._read_columns(data, kinds))


def _columns(data: Any, table: Any) -> TextColumns:
    columns, lines, problems, with_more_text = table
    coded = [_coded(data, column) for column in columns]
    return TextColumns(coded, lines, [Problem(*problem) for problem in problems], with_more_text)


def read_text(data: Any, kinds: str, lines: int = -1) -> TextColumns | None:
    """Read a text like `read_columns`; None if it is not UTF-8 or has a NUL byte.

    `lines` is the number of lines, if it is known.
    """
    table = _native._read_text(data, kinds, lines)
    return None if table is None else _columns(data, table)


def read_passages(data: bytes) -> Passages:
    """Read FOL assessments. A line that cannot be read is left out and listed as a problem."""
    query, doc, relevant, length, bep, lines, row_of, start, size, problems = _native._read_passages(data)
    return Passages(
        _coded(data, query),
        _coded(data, doc),
        relevant,
        length,
        bep,
        lines,
        row_of,
        start,
        size,
        [Problem(*problem) for problem in problems],
    )
