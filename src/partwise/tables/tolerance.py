"""The highlighted passages found from each result by a reader who gives up after too much irrelevant text."""

from __future__ import annotations

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Ints
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import HIGHLIGHTS, LENGTHS, Key, Tables


@record()
class Findings(Key):
    """The rank at which each passage is found."""

    tolerance: int
    one: bool
    requires = (HIGHLIGHTS, LENGTHS)

    def build(self, batch: Batch, tables: Tables) -> FindingsTable:
        judged = batch.judgements
        total = np.diff(judged.passage_offsets[judged.pair_offsets])[batch.queries]
        relevant = np.flatnonzero((batch.pair != NONE) & (judged.highlighted[batch.pair] > 0))
        batch.require_parts(relevant)
        pair = batch.pair[relevant]
        rows = kernels.passages_found(
            pair,
            batch.start[batch.span_offsets[relevant]],
            judged.pair_length[pair],
            judged.passage_offsets,
            judged.passage_start,
            judged.passage_end,
            self.tolerance,
            self.one,
        )
        row = relevant[rows]
        query = batch.query_of_row[row]
        rank = row - batch.offsets[query] + 1
        return FindingsTable(total, np.split(rank, np.searchsorted(query, np.arange(1, len(batch.queries)))))


@record(eq=False, repr=False)
class FindingsTable:
    """Per query: the number of passages, and the ranks at which they are found, in order."""

    total: Ints
    ranks: list[Ints]

    @property
    def scored(self) -> Bools:
        return self.total > 0
