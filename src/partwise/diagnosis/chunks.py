"""All chunks of a system, and the best that any choice of them can show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.messages import diagnosis as messages
from partwise.messages import inputs
from partwise.model import NONE, TO_END, Bools, Coded, Ints, Run, Source
from partwise.records import record
from partwise.resolving import Batch, Judgements
from partwise.resolving.locating import located_parts, spans_of
from partwise.units import as_written


@record(eq=False, repr=False)
class Chunks:
    """The distinct chunks of a system; `doc` is the number of each one's document in `names`."""

    judgements: Judgements
    source: Source
    names: list[str]
    doc: Ints
    start: Ints
    end: Ints
    memory: dict[Any, Any] = field(default_factory=dict)
    """What is computed once for all runs."""

    def remembered(self, key: Any, compute: Callable[[], Any]) -> Any:
        """What `compute` returned when it was first called for this key."""
        if key not in self.memory:
            self.memory[key] = compute()
        return self.memory[key]

    @classmethod
    def of(cls, chunks: Run, judgements: Judgements) -> Chunks:
        """The chunks that were read as a run, in the unit of the assessments; each must be one span."""
        rows = np.arange(len(chunks))
        offsets, start, end = spans_of(chunks, rows, located_parts(chunks, rows, judgements.collection))
        counts = np.diff(offsets)
        for row in np.flatnonzero(counts != 1)[:1].tolist():
            paths = chunks.paths.of_row(row) if chunks.paths is not None else []
            if counts[row] == 0:
                raise chunks.error(inputs.PATH_WITHOUT_COLLECTION(path=shown(paths[0][0] if paths else "")), row)
            raise chunks.error(messages.SEVERAL_SPANS(count=int(counts[row])), row)
        names = list(chunks.doc.names)
        doc = chunks.doc.codes
        whole = np.flatnonzero(end == TO_END)
        if len(whole):
            length = judgements.lengths_of(names, TO_END)
            end = end.copy()
            end[whole] = length[doc[whole]]
            for row in whole[end[whole] == TO_END][:1].tolist():
                raise chunks.error(inputs.LENGTH_UNKNOWN(doc_id=names[int(doc[row])]), row)
        order = np.lexsort((end, start, doc))
        doc, start, end = doc[order], start[order], end[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (np.diff(doc) != 0) | (np.diff(start) != 0) | (np.diff(end) != 0)
        return cls(judgements, chunks.source, names, doc[new], start[new], end[new])

    def refuse_others(self, batch: Batch, is_unplaced: Bools) -> None:
        """Raise an error if a result is none of the chunks; those whose place is unknown cannot be compared."""
        batch.require_ends()
        place = {name: number for number, name in enumerate(self.names)}
        number = np.array([place.get(name, NONE) for name in batch.run.doc.names], np.int64)
        single = np.flatnonzero(np.diff(batch.span_offsets) == 1)
        span = batch.span_offsets[single]
        results = number[batch.run.doc.codes[batch.row[single]]], batch.start[span], batch.end[span]
        found, _ = kernels.equal_rows(results, (self.doc, self.start, self.end))
        is_other = ~is_unplaced
        is_other[single[found]] = False
        for row in np.flatnonzero(is_other)[:1].tolist():
            unit = batch.judgements.assessments.unit
            spans = range(int(batch.span_offsets[row]), int(batch.span_offsets[row + 1]))
            part = " ".join(f"{as_written(batch.start[i], unit)}-{as_written(batch.end[i], unit)}" for i in spans)
            message = messages.NOT_A_CHUNK(
                part=part, doc_id=batch.doc_names[int(batch.doc[row])], chunks=self.source.name
            )
            raise batch.run.error(message, int(batch.row[row]))

    @cached_property
    def _sharing(self) -> tuple[Ints, Ints, Ints]:
        """The chunks that share text with a relevant passage: the chunk, the passage, the number of units shared."""
        judged = self.judgements
        number = np.array([judged.docs.get(name, NONE) for name in self.names], np.int64)
        group = number[self.doc] if len(self.doc) else self.doc
        rows = np.flatnonzero(group != NONE)
        pair = judged.pair_of_passage
        chunk, passage, shared = kernels.shared_lengths(
            group[rows],
            np.arange(len(rows) + 1),
            self.start[rows],
            self.end[rows],
            judged.pair_doc[pair],
            np.arange(len(pair) + 1),
            judged.passage_start,
            judged.passage_end,
        )
        return rows[chunk], passage, shared

    @cached_property
    def relevant(self) -> tuple[Ints, Ints]:
        """The chunks that share text with a passage, with its judged pair, by pair."""
        chunk, passage, _ = self._sharing
        pair = self.judgements.pair_of_passage[passage]
        keys = np.unique(pair * max(len(self.doc), 1) + chunk)
        pair, chunk = np.divmod(keys, max(len(self.doc), 1))
        return pair, chunk

    @cached_property
    def holding(self) -> tuple[Bools, Bools]:
        """For each relevant passage, whether a chunk shares text with it, and whether a chunk holds it whole."""
        _, passage, shared = self._sharing
        size = self.judgements.passage_end - self.judgements.passage_start
        touched, held = np.zeros(len(size), np.bool_), np.zeros(len(size), np.bool_)
        touched[passage] = True
        held[passage[shared == size[passage]]] = True
        return touched, held

    def best(self, limit: int, by_size: bool) -> Ints:
        """For each query, the most relevant units that chunks can show: `limit` of them, or as many as fit into it."""
        best: Ints = self.remembered((limit, by_size), lambda: self._best(limit, by_size))
        return best

    def _best(self, limit: int, by_size: bool) -> Ints:
        judged = self.judgements
        pair, chunk = self.relevant
        axis = judged.axis(1)
        start = kernels.highlighted_before(pair, self.start[chunk], *axis)
        end = kernels.highlighted_before(pair, self.end[chunk], *axis)
        cost = self.end[chunk] - self.start[chunk] if by_size else np.ones(len(chunk), np.int64)
        offsets = np.searchsorted(judged.pair_query[pair], np.arange(len(judged.queries) + 1))
        return kernels.best_cover(offsets, start, end, cost, limit)

    def omega(self) -> Run:
        """Every chunk that shares text with what is relevant to a query, as a run."""
        pair, chunk = self.relevant
        judged = self.judgements
        return Run(
            run_id="omega",
            query=Coded(judged.pair_query[pair], judged.queries),
            doc=Coded(judged.pair_doc[pair], judged.assessments.docs),
            rank=None,
            score=None,
            span_offsets=np.arange(len(pair) + 1),
            start=self.start[chunk],
            end=self.end[chunk],
            unit=judged.assessments.unit,
        )
