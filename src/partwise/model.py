"""Runs, assessments and scores: flat columns, named as in the files.

Strings are integer codes into a list of names. A missing number is a sentinel of its column (`NONE` for
counts and offsets, NaN for scores). Rows keep file order; `partwise.resolving` puts them in rank order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError
from partwise.messages import Text
from partwise.placement import Placing as Placing
from partwise.scores import ALL as ALL
from partwise.scores import COLUMNS as COLUMNS
from partwise.scores import Block as Block
from partwise.scores import Scores as Scores

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NONE = -1
"""An unknown count or offset."""

NO_GRADE = int(np.iinfo(np.int64).min)
"""The grade of a document that has none."""

TO_END = int(np.iinfo(np.int64).max)
"""The end of a part that reaches to the end of a document of unknown length."""

LARGEST_OFFSET = 2**40
"""Offsets and lengths beyond this are refused, so that sums of characters stay exact."""

_PLACE_IN_TEXT = re.compile(r"/text\(\)(?:\[[0-9]+\])?\.[0-9]+$")

LARGEST_SCORE = 1e100
"""Saved and compared scores are at most this, so that sums, differences and squares of them are finite."""
LARGEST_GRADE = 1_000_000
"""Grades beyond this are refused: evaluators allocate memory for every possible grade."""


def empty_ints() -> Ints:
    return np.empty(0, np.int64)


_CONSTANTS: dict[int | None, Ints] = {}
_LONGEST_CONSTANT = 1 << 20


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


def counting(count: int) -> Ints:
    """The numbers from 0 to count - 1, in a shared array that must not be changed."""
    return _shared(None, count)


def constant(value: int, count: int) -> Ints:
    """A constant column, in a shared array that must not be changed."""
    return _shared(value, count)


def numbers_of(column: Any) -> NDArray[Any]:
    """An Arrow column of numbers without nulls as an array; its `to_numpy` would import pandas if installed."""
    chunks = [np.from_dlpack(chunk) for chunk in column.chunks]
    return np.concatenate(chunks) if chunks else empty_ints()


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
            return (token.decode() for token in self.tokens)
        if self._decoded is None:
            self._decoded = [token.decode() for token in self.tokens]
        return iter(self._decoded)


@dataclass(frozen=True, eq=False)
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

    def take(self, rows: Any) -> Coded:
        return replace(self, codes=self.codes[rows], all_used=False)

    def values(self) -> list[str]:
        names = list(self.names)  # one string for each name, not for each row
        return [names[code] for code in self.codes.tolist()]


class TokenColumn(Protocol):
    """A column of tokens of a text."""

    def __len__(self) -> int: ...
    def coded(self) -> tuple[Ints, Bytes]: ...
    def pairs(self, rows: Ints, query: Ints, judged: Any) -> Ints: ...
    def documents(self, rows: Ints, offsets: Ints) -> tuple[Ints, Ints]: ...
    def repeated(self, rows: Ints, offsets: Ints, span_offsets: Ints, start: Ints, end: Ints) -> Bools: ...


class Tokenised(Coded):
    """A column of strings that stay tokens of their text; codes and names are computed on access."""

    def __init__(self, column: TokenColumn) -> None:
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "all_used", True)

    column: TokenColumn

    @cached_property
    def _coded(self) -> tuple[Ints, Bytes]:
        return self.column.coded()

    @property
    def codes(self) -> Ints:
        return self._coded[0]

    @cached_property
    def names(self) -> Sequence[str]:
        return LazyNames(self._coded[1])

    def __len__(self) -> int:
        return len(self.column)

    def take(self, rows: Any) -> Coded:
        return Coded(self.codes[rows], self.names)


@dataclass(frozen=True, eq=False, repr=False)
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

    @property
    def is_range(self) -> Bools:
        if self.last is None:
            return np.zeros(len(self.first), np.bool_)
        ranged: Bools = np.array([name != "" for name in self.last.names], np.bool_)[self.last.codes]
        return ranged


@dataclass(frozen=True, eq=False)
class Run:
    """What one system returned: a row per result, in file order.

    A result owns the spans ``start[span_offsets[i]:span_offsets[i+1]]`` (the same slice of `end`); a whole
    document is the span ``[0, TO_END)``; a result given as paths has no span until it is resolved.
    """

    run_id: str
    query: Coded
    doc: Coded
    rank: Ints | None
    score: Floats | None
    span_offsets: Ints
    start: Ints
    end: Ints
    paths: Paths | None = None
    trec_order: bool = False
    """Ordered as trec_eval orders six-column runs: by score, ties by document id, both descending."""
    unit: str = "chars"
    source: Source = field(default_factory=lambda: Source("run", is_file=False))
    lines: Ints | None = None
    notes: Sequence[str] = ()
    """Warnings from reading it."""
    single: bool = False
    """Whether it is known that every result owns exactly one span."""
    bounded: bool = False
    """Whether it is known that every part has a known end of at most `LARGEST_OFFSET`."""
    placing: Placing | None = None
    """How its chunks were placed in their documents, if it was made of chunks."""

    def __len__(self) -> int:
        return len(self.query)

    def line(self, row: int) -> int:
        return int(self.lines[row]) if self.lines is not None else row + 1

    def error(self, message: Text, row: int) -> PartwiseError:
        return self.source.error(message, self.line(row))

    def throughout_query(self, present: Bools) -> Bools:
        """Whether `present` is true of all rows of each row's query."""
        lacking = np.zeros(len(self.query.names), np.bool_)
        lacking[self.query.codes[~present]] = True
        throughout: Bools = ~lacking[self.query.codes]
        return throughout

    def take(self, rows: Ints) -> Run:
        """The run of these rows only."""
        offsets, inside = slices(self.span_offsets, rows)
        return replace(
            self,
            query=self.query.take(rows),
            doc=self.doc.take(rows),
            rank=None if self.rank is None else self.rank[rows],
            score=None if self.score is None else self.score[rows],
            span_offsets=offsets,
            start=self.start[inside],
            end=self.end[inside],
            paths=None if self.paths is None else self.paths.take(rows),
            lines=self.lines[rows] if self.lines is not None else rows + 1,
            placing=None if self.placing is None else self.placing.take(rows),
        )


class Irregular(Exception):
    """A run cannot be read in pieces; reading it whole reports what is wrong, if anything is."""


@dataclass(frozen=True, eq=False, repr=False)
class Piece:
    """Some queries of a run with all their rows, and the run tags of these rows.

    A query may occur again in a later piece. One piece then `withdraws` the rows that were taken for complete, and the
    last piece has all of them.
    """

    run: Run
    tags: frozenset[str]
    withdraws: bool = False
    is_last: bool = False


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


@dataclass(frozen=True, eq=False, repr=False)
class DocumentJudgements:
    """A row per query, document and assessor: length, best entry point and grade, each where known.

    A best entry point given as a path or pointer is in `bep_path` (empty where there is none) until it is located in
    the document.
    """

    query: Ints
    doc: Ints
    assessor: Ints
    length: Ints
    bep: Ints
    grade: Ints
    lines: Ints
    bep_path: Sequence[str] | None = None
    relevant: Ints | None = None
    """The number of relevant characters that the file states, if its format has that."""


def is_relevant(grade: Ints) -> Bools:
    """Whether parts with these grades are relevant; one without a grade is."""
    relevant: Bools = (grade > 0) | (grade == NO_GRADE)
    return relevant


@dataclass(frozen=True, eq=False, repr=False)
class SpanJudgements:
    """A row per judged passage, as in the file; it is highlighted unless its grade says that it is not relevant."""

    query: Ints
    doc: Ints
    assessor: Ints
    start: Ints
    end: Ints
    lines: Ints
    grade: Ints
    """The grade of each passage, NO_GRADE where it has none."""
    passage: Ints
    """The number of the passage that each span belongs to: a passage may be several spans."""
    nugget: Ints
    set: Ints

    @property
    def highlighted(self) -> Bools:
        return is_relevant(self.grade)

    @classmethod
    def none(cls) -> SpanJudgements:
        return cls(*[empty_ints()] * 10)

    def joined(self, passages: PassageJudgements, edges: Ints) -> SpanJudgements:
        """These spans, followed by passages whose starts and ends (`edges`) were located."""
        others = {"start": edges[:, 0], "end": edges[:, 1]}
        others["passage"] = int(self.passage.max(initial=NONE)) + 1 + np.arange(len(edges))
        columns = [(getattr(self, name), others.get(name)) for name in _SPAN_COLUMNS]
        rest = zip(_SPAN_COLUMNS, columns, strict=True)
        both = [(ours, getattr(passages, name) if theirs is None else theirs) for name, (ours, theirs) in rest]
        return SpanJudgements(*map(np.concatenate, both))


_SPAN_COLUMNS = tuple(column.name for column in fields(SpanJudgements))


@dataclass(frozen=True, eq=False, repr=False)
class PassageJudgements:
    """A row per judged passage given as paths or pointers: from the start of `first` to the end of `last`."""

    query: Ints
    doc: Ints
    assessor: Ints
    first: Sequence[str]
    last: Sequence[str]
    lines: Ints
    grade: Ints
    nugget: Ints
    set: Ints

    @property
    def highlighted(self) -> Bools:
        return is_relevant(self.grade)

    @property
    def may_hold_text(self) -> Bools:
        """Whether each may have characters: it has none if both ends are the same pointer into a text node."""
        pairs = zip(self.first, self.last, strict=True)
        return np.array([first != last or not _PLACE_IN_TEXT.search(first) for first, last in pairs], np.bool_)

    def take(self, rows: Ints) -> PassageJudgements:
        """These rows only."""
        first, last = ([column[row] for row in rows.tolist()] for column in (self.first, self.last))
        columns = self.query[rows], self.doc[rows], self.assessor[rows]
        others = self.lines[rows], self.grade[rows], self.nugget[rows], self.set[rows]
        return PassageJudgements(*columns, first, last, *others)

    @classmethod
    def none(cls) -> PassageJudgements:
        none = empty_ints()
        return cls(none, none, none, (), (), none, none, none, none)


@dataclass(frozen=True, eq=False, repr=False)
class ElementJudgements:
    """A row per graded element; grades are on the scale that the assessments declare.

    An element of several nuggets or sets has a row for each, with the same grades.
    """

    query: Ints
    doc: Ints
    assessor: Ints
    path: Sequence[str]
    exhaustivity: Floats
    specificity: Floats
    lines: Ints
    nugget: Ints
    set: Ints

    @classmethod
    def none(cls) -> ElementJudgements:
        none = empty_ints()
        return cls(none, none, none, (), np.empty(0), np.empty(0), none, none, none)


@dataclass(frozen=True, eq=False, repr=False)
class TreeJudgements:
    """A row per relevant tree: the paths of its elements, and its grades, NaN where none are given.

    `grade` is its grade as a passage, NO_GRADE where it has none. A tree of several nuggets or sets has a row for each.
    """

    query: Ints
    doc: Ints
    assessor: Ints
    paths: Sequence[tuple[str, ...]]
    exhaustivity: Floats
    specificity: Floats
    lines: Ints
    grade: Ints
    nugget: Ints
    set: Ints

    @classmethod
    def none(cls) -> TreeJudgements:
        ints, floats = empty_ints(), np.empty(0)
        return cls(ints, ints, ints, (), floats, floats, ints, ints, ints, ints)


@dataclass(frozen=True, eq=False, repr=False)
class EmptyJudgements:
    """A row per query and assessor who found nothing relevant to it, and judged no document."""

    query: Ints
    assessor: Ints
    lines: Ints

    @classmethod
    def none(cls) -> EmptyJudgements:
        return cls(empty_ints(), empty_ints(), empty_ints())


@dataclass(frozen=True, eq=False)
class Assessments:
    """The judgements of assessors: tables over one set of query, document and assessor names.

    `passages` are highlighted like `spans`, but given as paths, so that locating them needs the documents.
    """

    queries: Sequence[str]
    docs: Sequence[str]
    assessors: Sequence[str]
    documents: DocumentJudgements
    spans: SpanJudgements
    elements: ElementJudgements
    trees: TreeJudgements = field(default_factory=TreeJudgements.none)
    scale: str | None = None
    unit: str = "chars"
    source: Source = field(default_factory=lambda: Source("qrels", is_file=False))
    passages: PassageJudgements = field(default_factory=PassageJudgements.none)
    notes: Sequence[str] = ()
    """Warnings from reading them."""
    nuggets: Sequence[str] = ()
    """The names of the nuggets; a passage without one has NONE."""
    sets: Sequence[str] = ()
    """The names of the sets of nuggets; a passage in none has NONE."""
    empty: EmptyJudgements = field(default_factory=EmptyJudgements.none)

    @property
    def has_rows(self) -> bool:
        """Whether anything is judged."""
        return len(self.documents.lines) + len(self.empty.lines) > 0
