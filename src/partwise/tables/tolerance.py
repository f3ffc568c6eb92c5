"""Which highlighted passages a reader finds from which result, reading on until patience runs out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.model import NONE, Bools, Ints
from partwise.resolve import Batch
from partwise.tables import HIGHLIGHTS, LENGTHS, Key, Tables


@dataclass(frozen=True)
class Findings(Key):
    """The rank at which each passage is found."""

    tolerance: int
    one: bool
    requires = (HIGHLIGHTS, LENGTHS)

    def build(self, batch: Batch, tables: Tables) -> FindingsTable:
        judged = batch.judgements
        total = np.diff(judged.passage_offsets[judged.pair_offsets])[batch.topics]
        relevant = np.flatnonzero((batch.pair != NONE) & (judged.highlighted[batch.pair] > 0))
        batch.require_parts(relevant)
        begin = batch.start[np.minimum(batch.span_offsets[:-1], max(len(batch.start) - 1, 0))]
        ranks: list[list[int]] = [[] for _ in batch.topics]
        found = np.zeros(len(judged.passage_start), np.bool_)
        rows = zip(relevant.tolist(), batch.topic_of_row[relevant].tolist(), batch.pair[relevant].tolist(), strict=True)
        for row, topic, pair in rows:
            rank = row - int(batch.offsets[topic]) + 1
            passages = range(int(judged.passage_offsets[pair]), int(judged.passage_offsets[pair + 1]))
            position = int(begin[row])
            if position >= judged.pair_length[pair]:
                continue
            for passage in passages:
                if judged.passage_end[passage] <= position:
                    continue
                if judged.passage_start[passage] - position >= self.tolerance:
                    break
                position = int(judged.passage_end[passage])
                if not found[passage]:
                    found[passage] = True
                    ranks[topic].append(rank)
                    if self.one:
                        break
        return FindingsTable(total, [np.array(found, np.int64) for found in ranks])


@dataclass(frozen=True)
class FindingsTable:
    """Per topic: how many passages there are, and the ranks at which they are found, in order."""

    total: Ints
    ranks: list[Ints]

    @property
    def scored(self) -> Bools:
        return self.total > 0
