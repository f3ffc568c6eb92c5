"""Scores on their way: those of a batch, of a piece of a run, and of a run with its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from operator import is_not
from typing import NamedTuple

import numpy as np

from partwise.errors import CannotScore
from partwise.model import Block, Floats, Ints, empty_ints
from partwise.records import record


@record(eq=False, repr=False)
class PartialScores:
    """The scores of one batch: per measure the numbers of the scored queries and their values, and counts for notes."""

    queries: Sequence[Ints]
    values: Sequence[Floats]
    counts: Mapping[str, int]
    unscored: Mapping[int, CannotScore] = field(default_factory=dict)
    """Why measures cannot be scored, by their number."""

    def without(self, queries: Sequence[int]) -> PartialScores:
        """The same without the values of these queries; the counts include them."""
        kept = [~np.isin(of_measure, queries) for of_measure in self.queries]
        numbers = [of_measure[rows] for of_measure, rows in zip(self.queries, kept, strict=True)]
        values = [of_measure[rows] for of_measure, rows in zip(self.values, kept, strict=True)]
        return PartialScores(numbers, values, self.counts, self.unscored)

    def withdrawn(self) -> PartialScores:
        """No values, and counts that cancel those of this batch."""
        return counts_only({name: -count for name, count in self.counts.items()}, len(self.queries))


def others(count: int, numbers: Sequence[int]) -> Ints:
    """The numbers from 0 to count - 1 that are not among these; `np.setdiff1d` would load `numpy.ma`."""
    is_other = np.ones(count, np.bool_)
    is_other[np.asarray(numbers, np.int64)] = False
    return np.flatnonzero(is_other)


def counts_only(counts: Mapping[str, int], measures: int) -> PartialScores:
    return PartialScores([empty_ints()] * measures, [np.empty(0)] * measures, counts)


class JoinedScores:
    """The values of a run from those of its batches, with queries in the order of the assessments."""

    def __init__(self, pieces: Sequence[PartialScores], names: Sequence[str]) -> None:
        self._pieces, self._names, self._all_ids = pieces, names, list(names)
        self._queries: list[Ints] = []
        self._query_ids: list[str] = []
        self._order: Ints | None = None

    def of(self, number: int) -> tuple[list[str], Floats]:
        """The queries that a measure scores, and their values."""
        of_pieces = [piece.queries[number] for piece in self._pieces]
        if not self._queries or any(map(is_not, of_pieces, self._queries)):  # measures of one table share their queries
            self._queries = of_pieces
            queries = np.concatenate([empty_ints(), *of_pieces])
            self._order = np.argsort(queries, kind="stable") if (queries[1:] < queries[:-1]).any() else None
            queries = queries if self._order is None else queries[self._order]
            is_all = len(queries) == len(self._names)
            self._query_ids = self._all_ids if is_all else [self._names[query] for query in queries.tolist()]
        columns = [piece.values[number] for piece in self._pieces if len(piece.values[number])]
        values = columns[0] if len(columns) == 1 else np.concatenate([np.empty(0), *columns])
        return self._query_ids, values if self._order is None else values[self._order]

    def matrix(self) -> tuple[list[str], Floats]:
        """The queries, which are the same for all measures, and a row of values per measure."""
        query_ids, _ = self.of(0)
        for piece in self._pieces:
            if any(column is not piece.queries[0] for column in piece.queries):
                raise ValueError("measures that score different queries have no matrix of values")
        rows = [np.concatenate(piece.values).reshape(len(piece.values), -1) for piece in self._pieces]
        values = rows[0] if len(rows) == 1 else np.concatenate(rows, axis=1)
        return query_ids, values if self._order is None else values[:, self._order]


class Outcome(NamedTuple):
    """The scores of a run: a block per measure, notes, and the measures that cannot be scored, with the reasons."""

    blocks: list[Block]
    notes: list[str]
    unscored: list[tuple[str, CannotScore]]
    judged_text: float | None = None
    """TextJudged of the first results, if text or parts are scored and it is known."""

    def complete(self) -> tuple[list[Block], list[str]]:
        """The blocks and notes; the first reason is raised if a measure cannot be scored."""
        if self.unscored:
            raise self.unscored[0][1]
        return self.blocks, self.notes


@record(eq=False, repr=False)
class ScoredPiece:
    """The scores of a piece of a run, its queries (judged or not), its number of rows, and what else `Piece` has."""

    queries: frozenset[str]
    tags: frozenset[str]
    rows: int
    partials: Sequence[PartialScores]
    withdraws: bool = False
    is_last: bool = False
    run_id: str = ""
    columns: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every measure was scored."""
        return not any(partial.unscored for partial in self.partials)
