"""Columns and where they come from: strings as codes, paths, ragged rows.

Strings are integer codes into a list of names. A missing number is a sentinel of its column (`NONE` for counts and
offsets, NaN for scores).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError
from partwise.messages import Text
from partwise.records import computed, record

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NONE = -1
"""An unknown count or offset."""

NOT_LOCATED = -2
"""The element of a path that leads nowhere."""

NO_GRADE = int(np.iinfo(np.int64).min)
"""The grade of a document that has none."""

TO_END = int(np.iinfo(np.int64).max)
"""The end of a part that reaches to the end of a document of unknown length."""

LARGEST_OFFSET = 2**40
"""Offsets and lengths beyond this are refused, so that sums of characters stay exact."""

LARGEST_SCORE = 1e100
"""Saved and compared scores are at most this, so that sums, differences and squares of them are finite."""
LARGEST_GRADE = 1_000_000
"""Grades beyond this are refused: evaluators allocate memory for every possible grade."""


def empty_ints() -> Ints:
    return np.empty(0, np.int64)


_CONSTANTS: dict[int | None, Ints] = {}
_LONGEST_CONSTANT = 1 << 20
_FEW_ROWS = 100


def _shared(value: int | None, count: int) -> Ints:
    """A constant column, or the numbers from 0 on; unless very long, a read-only slice of a cached array."""
    if count > _LONGEST_CONSTANT:
        return np.arange(count) if value is None else np.full(count, value)
    cached = _CONSTANTS.get(value)
    if cached is None or len(cached) < count:
        longer = 1 << max(12, count.bit_length())
        cached = np.arange(longer) if value is None else np.full(longer, value)
        cached.flags.writeable = False
        _CONSTANTS[value] = cached
    return cached[:count]


@lru_cache(maxsize=512)
def _few(value: int | None, count: int) -> Ints:
    """The same, of a few rows: making a slice takes longer than looking it up."""
    return _shared(value, count)


def counting(count: int) -> Ints:
    """The numbers from 0 to count - 1, in a shared array that must not be changed."""
    return _few(None, count) if count <= _FEW_ROWS else _shared(None, count)


def numbered(count: int) -> Ints:
    """The numbers from 1 to count, in a shared array that must not be changed."""
    return counting(count + 1)[1:]


def constant(value: int, count: int) -> Ints:
    """A constant column, in a shared array that must not be changed."""
    return _few(value, count) if count <= _FEW_ROWS else _shared(value, count)


def numbers_of(column: Any) -> NDArray[Any]:
    """An Arrow column of numbers without nulls as an array; its `to_numpy` would import pandas if installed."""
    chunks = [np.from_dlpack(chunk) for chunk in column.chunks]
    if len(chunks) == 1:
        return chunks[0]  # in Arrow's memory, and read-only
    return np.concatenate(chunks) if chunks else empty_ints()


@record()
class Source:
    """Where rows come from, for error messages: a file with line numbers, or an object with row numbers."""

    name: str
    is_file: bool = True

    def error(self, message: Text, line: int | None = None) -> PartwiseError:
        if self.is_file or line is None:
            return PartwiseError(message, file=self.name, line=line)
        return PartwiseError(message, file=f"{self.name}, row {line}")

    def place(self, line: int) -> str:
        """How an error message refers to another line of the same source."""
        return f"{'line' if self.is_file else 'row'} {line}"


@record()
class Files(Source):
    """Several files read as one: the lines of file i are numbered from ``before[i] + 1``."""

    names: Sequence[str] = ()
    before: Sequence[int] = ()

    def _own(self, line: int) -> tuple[str, int]:
        file = bisect_right(self.before, line - 1) - 1
        return self.names[file], line - self.before[file]

    def error(self, message: Text, line: int | None = None) -> PartwiseError:
        if line is None:
            return super().error(message)
        file, own = self._own(line)
        return PartwiseError(message, file=file, line=own)

    def place(self, line: int) -> str:
        file, own = self._own(line)
        return f"line {own} of {file}"


class Bytes(Protocol):
    """Strings as bytes, by code."""

    def __len__(self) -> int: ...
    def __getitem__(self, code: int, /) -> bytes: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def codes_in(self, others: Any, /) -> Ints: ...
    def strings(self) -> list[str]: ...


class LazyNames(Sequence[str]):
    """Names that stay bytes of their file until they are accessed.

    `shared` means that several runs may use them, so that caching results of lookups pays off.
    """

    _FEW = 1000

    def __init__(self, tokens: Bytes, shared: bool = False) -> None:
        self.tokens = tokens
        self.shared = shared
        self._decoded: list[str] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, code: Any) -> Any:
        if isinstance(code, slice):
            return [self[i] for i in range(*code.indices(len(self)))]
        if not -len(self) <= code < len(self):
            raise IndexError(code)
        return self.tokens[int(code)].decode()

    def __iter__(self) -> Iterator[str]:
        if len(self) > self._FEW:
            return iter(self.tokens.strings())
        if self._decoded is None:
            self._decoded = self.tokens.strings()
        return iter(self._decoded)


@record(eq=False)
class Coded:
    """A column of strings: each row's code, and the name of each code."""

    codes: Ints
    names: Sequence[str]
    all_used: bool = False
    """Whether it is known that every name is used by some row."""

    @classmethod
    def of(cls, values: Iterable[str]) -> Coded:
        index: dict[str, int] = {}
        codes = np.fromiter((index.setdefault(value, len(index)) for value in values), np.int64)
        return cls(codes, list(index))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.names[int(self.codes[row])]

    def of_rows(self, rows: Ints) -> list[str]:
        """The strings of these rows."""
        return [self.names[code] for code in self.codes[rows].tolist()]

    def names_of(self, codes: Ints) -> list[str]:
        """The names of these codes, which are distinct."""
        names = self.names.tokens.strings() if isinstance(self.names, LazyNames) else self.names
        return [names[code] for code in codes.tolist()]

    def take(self, rows: Any) -> Coded:
        return replace(self, codes=self.codes[rows], all_used=False)

    def used(self) -> list[str]:
        """The names that some row has."""
        if self.all_used:
            return list(self.names)
        is_used = np.bincount(self.codes, minlength=len(self.names)) > 0
        return [name for name, has_row in zip(self.names, is_used.tolist(), strict=True) if has_row]

    def values(self) -> list[str]:
        names = list(self.names)  # one string for each name, not for each row
        return [names[code] for code in self.codes.tolist()]


class TokenColumn(Protocol):
    """A column of tokens of a text."""

    def __len__(self) -> int: ...
    def token(self, row: int, /) -> bytes: ...
    def coded(self) -> tuple[Ints, Bytes]: ...
    def strings(self, rows: Ints, /) -> list[str]: ...
    def pairs(self, rows: Ints, query: Ints, judged: Any) -> Ints: ...
    def documents(self, rows: Ints, offsets: Ints) -> tuple[Ints, Ints]: ...
    def repeated(self, rows: Ints, offsets: Ints, span_offsets: Ints, start: Ints, end: Ints) -> Bools: ...


class Tokenised(Coded):
    """A column of strings that stay tokens of their text; codes and names are computed on access.

    `shared` means that several runs may use the names (see `LazyNames`).
    """

    def __init__(self, column: TokenColumn, shared: bool = False) -> None:
        object.__setattr__(self, "__dict__", {"column": column, "shared": shared, "all_used": True})

    column: TokenColumn
    shared: bool

    @computed
    def _coded(self) -> tuple[Ints, Bytes]:
        return self.column.coded()

    @property
    def codes(self) -> Ints:
        return self._coded[0]

    @computed
    def names(self) -> Sequence[str]:
        return LazyNames(self._coded[1], self.shared)

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, row: int) -> str:
        """The string of a row; the codes are not computed for it."""
        return self.column.token(int(row)).decode()

    def of_rows(self, rows: Ints) -> list[str]:
        return self.column.strings(rows)

    def take(self, rows: Any) -> Coded:
        return Coded(self.codes[rows], self.names)


@record(eq=False, repr=False)
class Paths:
    """Parts given as paths: row i owns `first[offsets[i]:offsets[i+1]]`; a `last` that is not empty makes a range."""

    offsets: Ints
    first: Coded
    last: Coded | None = None

    @classmethod
    def of_pairs(cls, offsets: Ints, pairs: Sequence[tuple[str, str | None]]) -> Paths:
        """From the first path of each part, and the last where it is a range."""
        is_range = any(last is not None for _, last in pairs)
        last = Coded.of(last or "" for _, last in pairs) if is_range else None
        return cls(offsets, Coded.of(first for first, _ in pairs), last)

    def of_row(self, row: int) -> list[tuple[str, str | None]]:
        inside = range(int(self.offsets[row]), int(self.offsets[row + 1]))
        return [(self.first[i], self.last[i] or None if self.last is not None else None) for i in inside]

    def take(self, rows: Ints) -> Paths:
        """The paths of these rows alone."""
        offsets, inside = slices(self.offsets, rows)
        return Paths(offsets, self.first.take(inside), None if self.last is None else self.last.take(inside))

    def take_parts(self, parts: Ints) -> Paths:
        """These paths, each a row of its own."""
        last = None if self.last is None else self.last.take(parts)
        return Paths(np.arange(len(parts) + 1), self.first.take(parts), last)

    @property
    def is_range(self) -> Bools:
        if self.last is None:
            return np.zeros(len(self.first), np.bool_)
        ranged: Bools = np.array([name != "" for name in self.last.names], np.bool_)[self.last.codes]
        return ranged


def taken(column: Ints, rows: Ints) -> Ints:
    """The column in these rows, which are ascending; the column itself if these are all its rows."""
    return column if len(rows) == len(column) else column[rows]


def slices(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Gather ragged rows: their offsets, and the old position of each item in the new order."""
    counts = offsets[rows + 1] - offsets[rows]
    fresh = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(counts, out=fresh[1:])
    inside = np.arange(fresh[-1]) + np.repeat(offsets[rows] - fresh[:-1], counts)
    return fresh, inside
