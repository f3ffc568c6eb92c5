"""Batches with results that a run does not have, for the question of how a measure reacts to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from partwise.model import NONE, Ints, constant, counting
from partwise.resolving.batch import Batch
from partwise.resolving.locating import NOT_A_NODE


def first_results(batch: Batch, count: int) -> Batch:
    """The batch of the first `count` results of each query."""
    rank = counting(len(batch)) - batch.offsets[:-1][batch.query_of_row]
    return batch.take(np.flatnonzero(rank < count))


def pieces(batch: Batch, added: int, most_rows: int) -> Iterator[Batch]:
    """The batch in parts that have at most `most_rows` results, or one query, if `added` are added to each query."""
    end = batch.offsets[1:] + added * np.arange(1, len(batch.queries) + 1)
    first, before = 0, 0
    while first < len(batch.queries):
        last = max(first + 1, int(end.searchsorted(before + most_rows, side="right")))
        yield batch if last - first == len(batch.queries) else batch.of_queries(first, last)
        first, before = last, int(end[last - 1])


class Unjudged:
    """A batch with `count` more results after the first `kept` of each query that has results; no results are tied.

    They are parts of a document that is not judged for any query, one after another from its start.
    """

    def __init__(self, batch: Batch, kept: int, count: int) -> None:
        results = np.diff(batch.offsets)
        answered = results > 0
        rows = _Gaps(len(batch), (batch.offsets[:-1] + np.minimum(results, kept))[answered], count)
        self._spans = rows if batch.single else _Gaps(len(batch.start), batch.span_offsets[rows.at], count)
        self._place = np.tile(np.arange(count), len(rows.at))
        has_members = len(batch.member) > 0
        has_nodes = batch.run.paths is not None
        self._batch = replace(
            batch,
            offsets=batch.offsets + np.concatenate([[0], np.cumsum(count * answered)]),
            pair=rows.filled(batch.pair, NONE),
            tie=counting(rows.length),
            row=rows.filled(batch.row, NONE),
            span_offsets=counting(rows.length + 1) if batch.single else rows.offsets(batch.span_offsets, 1),
            start=self._spans.filled(batch.start, 0),
            end=self._spans.filled(batch.end, 0),
            node=rows.filled(batch.node, NOT_A_NODE) if has_nodes else constant(NOT_A_NODE, rows.length),
            member_offsets=rows.offsets(batch.member_offsets, 0) if has_members else constant(0, rows.length + 1),
            known_docs=rows.filled(batch.doc, batch.doc_names.unused),
        )

    def of_size(self, size: int) -> Batch:
        """The batch with parts of `size` characters."""
        start, end = self._batch.start.copy(), self._batch.end.copy()
        start[self._spans.gap] = size * self._place
        end[self._spans.gap] = size * (self._place + 1)
        return replace(self._batch, start=start, end=end)


class _Gaps:
    """Gaps of `count` items in a column of `length` items, before each of the items `at`."""

    def __init__(self, length: int, at: Ints, count: int) -> None:
        self.at = at
        self.length = length + len(at) * count
        self.gap: Ints = ((at + count * counting(len(at)))[:, None] + counting(count)).ravel()
        is_kept = np.ones(self.length, np.bool_)
        is_kept[self.gap] = False
        self._source = np.where(is_kept, np.cumsum(is_kept) - 1, length)

    def filled(self, column: Ints, value: int) -> Ints:
        """The column with this value in its gaps."""
        padded = np.empty(len(column) + 1, np.int64)
        padded[:-1], padded[-1] = column, value
        return padded.take(self._source)

    def offsets(self, offsets: Ints, count: int) -> Ints:
        """The offsets of rows that have parts, where the rows in gaps have `count` parts each."""
        return np.concatenate([[0], np.cumsum(self.filled(np.diff(offsets), count))])
