"""The kernels in C++, behind the functions of the reference: the same arguments, the same results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise.kernels import _native
from partwise.kernels._native import (
    Pool,
    TopicLog,
    content,
    highlighted_before,
    highlighted_rows,
    keep_memory,
    last_topic,
    line_shapes,
    mean_over_orders,
    nodes_at,
    novel_lengths,
    ordered_ties,
    pairs_of,
    passages_found,
    precision_by_rank,
    repeated_parts,
    running_products,
    shared_lengths,
)
from partwise.kernels.reference import (
    LARGEST_SUM,
    Bools,
    Floats,
    Ints,
    Passages,
    Problem,
    TextColumns,
    Trees,
    segment_sums,
)
from partwise.kernels.reference import best_precision as best_precision_exactly

__all__ = [
    "Pool",
    "Reading",
    "Tokens",
    "TopicLog",
    "best_precision",
    "chances_below",
    "content",
    "element_gains",
    "equal_rows",
    "highlighted_before",
    "highlighted_rows",
    "judged_index",
    "keep_memory",
    "last_topic",
    "line_shapes",
    "mean_effort",
    "mean_over_orders",
    "merge_spans",
    "nodes_at",
    "novel_lengths",
    "ordered_ties",
    "pairs_of",
    "passages_found",
    "precision_by_rank",
    "read_columns",
    "read_passages",
    "repeated_parts",
    "running_products",
    "shared_lengths",
]


Keys = NDArray[np.uint64]


class Tokens(Sequence[bytes]):
    """Distinct strings of a text, by their edges in it: found in one another without making a string of each."""

    def __init__(self, data: bytes, start: Ints, end: Ints) -> None:
        self.data, self.start, self.end = data, start, end
        self._index: _native.NameIndex | None = None

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Tokens:
        size = np.array([len(string) for string in strings], np.int64)
        end = np.cumsum(size)
        return cls(b"".join(strings), end - size, end)

    @classmethod
    def within(cls, data: bytes, start: Ints, end: Ints) -> Tokens:
        return cls(data, start, end)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, code: Any) -> Any:
        return bytes(self.data[self.start[code] : self.end[code]])

    def __iter__(self) -> Iterator[bytes]:
        data = self.data
        return (bytes(data[start:end]) for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True))

    def __reduce__(self) -> Any:
        return Tokens, (bytes(self.data), self.start, self.end)

    def codes_in(self, others: Tokens) -> Ints:
        """The code that each string has among the others, -1 where it is not there."""
        if others._index is None:
            others._index = _native.NameIndex(others.data, others.start, others.end)
        return others._index.find(self.data, self.start, self.end)


class TokenColumn:
    """A column of tokens in their text; codes are found when somebody asks.

    The `key` of a token of at most eight bytes is these bytes; that of a longer one is a hash (its lowest byte is 1).
    """

    def __init__(self, data: bytes, key: Keys, start: Ints) -> None:
        self.data, self.key, self.start = data, key, start

    def __len__(self) -> int:
        return len(self.start)

    def coded(self) -> tuple[Ints, Tokens]:
        """The code of each row, and the token of each code."""
        codes, start, end = _native.coded_tokens(self.data, self.key, self.start)
        return codes, Tokens(self.data, start, end)

    def __reduce__(self) -> Any:
        return TokenColumn, (bytes(self.data), self.key, self.start)

    def pairs(self, rows: Ints, topic: Ints, judged: JudgedIndex) -> Ints:
        """The judged pair of each of these rows, -1 where its document is not judged for its topic."""
        return judged.index.find(self.data, self.key, self.start, rows, topic)

    def documents(self, rows: Ints, offsets: Ints) -> tuple[Ints, Ints]:
        """The document of each row, numbered topic by topic in the order of their first rows; and these first rows."""
        return _native.documents_of(self.data, self.key, self.start, rows, offsets)

    def repeated(self, rows: Ints, offsets: Ints, span_offsets: Ints, start: Ints, end: Ints) -> Bools:
        """Whether each row returns the document and the spans of an earlier row of its topic."""
        return _native.repeated_tokens(self.data, self.key, self.start, rows, offsets, span_offsets, start, end)


class JudgedIndex:
    """The judged documents of every topic, to be found by `TokenColumn.pairs`; it pickles as what it is made of."""

    def __init__(self, names: Tokens, pair_offsets: Ints, pair_doc: Ints) -> None:
        self._made_of = names, pair_offsets, pair_doc
        self.index = _native.JudgedIndex(names.data, names.start, names.end, pair_offsets, pair_doc)

    def __reduce__(self) -> Any:
        return JudgedIndex, self._made_of


def judged_index(names: Tokens, pair_offsets: Ints, pair_doc: Ints) -> JudgedIndex:
    return JudgedIndex(names, pair_offsets, pair_doc)


def _coded(data: bytes, column: Any) -> Any:
    if not isinstance(column, tuple):
        return column
    if len(column) == 2:
        return TokenColumn(data, *column)
    codes, start, end = column
    return codes, Tokens(data, start, end)


def read_columns(data: bytes, kinds: str) -> TextColumns:
    return _columns(data, _native.read_columns(data, kinds))


def _columns(data: bytes, found: Any) -> TextColumns:
    columns, lines, problems = found
    return TextColumns([_coded(data, column) for column in columns], lines, [Problem(*found) for found in problems])


class Reading:
    """A text that is read into columns by a thread of a pool, or, without one, when it is asked for."""

    def __init__(self, pool: Pool | None, data: Any, kinds: str) -> None:
        self._data = data
        self._reading = _native.Reading(pool, data, kinds)

    def result(self) -> TextColumns | None:
        """As `read_columns` gives it; None if the text is not UTF-8 or has a NUL byte."""
        found = self._reading.result()
        return None if found is None else _columns(self._data, found)


def read_passages(data: bytes) -> Passages:
    query, doc, relevant, length, bep, lines, row_of, start, size, problems = _native.read_passages(data)
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
        [Problem(*found) for found in problems],
    )


def merge_spans(owner: Ints, start: Ints, end: Ints, touching: bool = False) -> tuple[Ints, Ints, Ints]:
    return _native.merge_spans(owner, start, end, touching)


def best_precision(
    offsets: Ints,
    found: Ints,
    fresh: Ints,
    size: Ints,
    alpha: float,
    ratio: tuple[int, int],
    relevant: Ints,
    levels: tuple[Sequence[int], Sequence[int]],
) -> Floats:
    largest = max(int(found.sum()), int(relevant.max(initial=0)) * max(levels[1], default=1)) * max(ratio)
    if max(largest, *levels[1]) >= LARGEST_SUM:
        return best_precision_exactly(offsets, found, fresh, size, alpha, ratio, relevant, levels)
    numerator, denominator = (np.array(column, np.int64) for column in levels)
    best = _native.best_precision(offsets, found, fresh, size, alpha, *ratio, relevant, numerator, denominator)
    return best.reshape(len(relevant), len(numerator))


def element_gains(
    trees: Trees,
    value: Floats,
    ideal_offsets: Ints,
    ideal: Ints,
    row_offsets: Ints,
    nodes: Ints,
    span_offsets: Ints,
    span_start: Ints,
    span_end: Ints,
    alpha: float,
    shared: bool,
) -> tuple[Floats, Floats]:
    edges = trees.offsets, trees.parent, trees.last, trees.start, trees.end
    rows = row_offsets, nodes, span_offsets, span_start, span_end
    return _native.element_gains(*edges, value, ideal_offsets, ideal, *rows, alpha, shared)


def chances_below(
    topic: Ints, unit: Ints, step: Ints, before: Floats, after: Floats, steps: Ints, need: Ints
) -> tuple[Floats, Floats]:
    return _native.chances_below(topic, unit, step, before, after, steps, need, int(steps.sum()))


def mean_effort(
    topic: Ints, unit: Ints, step: Ints, before: Floats, after: Floats, steps: Ints, rank: Ints, units: Ints
) -> Floats:
    efforts = _native.step_efforts(topic, unit, step, before, after, steps, rank)
    begin = np.cumsum(steps) - steps
    return np.asarray(segment_sums(efforts, begin, begin + steps) / units, np.float64)


def equal_rows(first: Sequence[Ints], second: Sequence[Ints]) -> tuple[Ints, Ints]:
    return _native.equal_rows(np.concatenate(first), np.concatenate(second), len(first))
