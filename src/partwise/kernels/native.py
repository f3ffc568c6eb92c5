"""The kernels in C++, behind the functions of the reference: the same arguments, the same results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.kernels import _native
from partwise.kernels._native import (
    content,
    highlighted_before,
    highlighted_rows,
    novel_lengths,
    ordered_ties,
    pairs_of,
    passages_found,
    repeated_parts,
)
from partwise.kernels.reference import Floats, Ints, Passages, Problem, TextColumns, Tree

__all__ = [
    "Tokens",
    "content",
    "element_gains",
    "highlighted_before",
    "highlighted_rows",
    "merge_spans",
    "novel_lengths",
    "ordered_ties",
    "pairs_of",
    "passages_found",
    "read_columns",
    "read_passages",
    "repeated_parts",
]


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

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, code: Any) -> Any:
        return bytes(self.data[self.start[code] : self.end[code]])

    def codes_in(self, others: Tokens) -> Ints:
        """The code that each string has among the others, -1 where it is not there."""
        if others._index is None:
            others._index = _native.NameIndex(others.data, others.start, others.end)
        return others._index.find(self.data, self.start, self.end)


def _coded(data: bytes, column: Any) -> Any:
    if not isinstance(column, tuple):
        return column
    codes, start, end = column
    return codes, Tokens(data, start, end)


def read_columns(data: bytes, kinds: str) -> TextColumns:
    columns, lines, problems = _native.read_columns(data, kinds)
    return TextColumns([_coded(data, column) for column in columns], lines, [Problem(*found) for found in problems])


def read_passages(data: bytes) -> Passages:
    query, doc, *numbers, problems = _native.read_passages(data)
    return Passages(_coded(data, query), _coded(data, doc), *numbers, [Problem(*found) for found in problems])


def merge_spans(owner: Ints, start: Ints, end: Ints, touching: bool = False) -> tuple[Ints, Ints, Ints]:
    return _native.merge_spans(owner, start, end, touching)


def element_gains(
    tree: Tree,
    value: Floats,
    ideal: Ints,
    nodes: Ints,
    spans: Sequence[tuple[Ints, Ints]],
    alpha: float,
    shared: bool,
) -> tuple[Floats, Floats]:
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum([len(start) for start, _ in spans], out=offsets[1:])
    none = np.empty(0, np.int64)
    starts = np.concatenate([none, *(start for start, _ in spans)])
    ends = np.concatenate([none, *(end for _, end in spans)])
    edges = tree.parent, tree.last, tree.start, tree.end
    return _native.element_gains(*edges, value, ideal, nodes, offsets, starts, ends, alpha, shared)
