"""Counts of what is worth a note about a run, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from partwise.model import NONE, TO_END, Run, slices
from partwise.order import contradictions
from partwise.resolving.batch import Batch
from partwise.resolving.faults import FAULTS, in_similar_document

RESULTS, WHOLE = "results in the run", "whole documents in the run"
TIES = "tied results"


def kinds_of_results(run: Run) -> dict[str, int]:
    """The number of results of a run, and of those that are whole documents."""
    if run.trec_order:
        return {RESULTS: len(run), WHOLE: len(run)}
    return {RESULTS: len(run), WHOLE: 0 if run.bounded else int(np.count_nonzero(run.end == TO_END))}


def counts_of(batch: Batch, rules: Iterable[str], order: str | None) -> Counter[str]:
    """What the notes about a run count, in one batch; `rules` are those of `FAULTS` that are applied."""
    rows = np.flatnonzero(batch.pair != NONE)
    owner = inside = rows
    if not batch.single:
        _, inside = slices(batch.span_offsets, rows)
        owner = np.repeat(rows, batch.span_offsets[rows + 1] - batch.span_offsets[rows])
    length = batch.judgements.verified_length[batch.pair[owner]]
    past = (batch.end[inside] > length) & (length != NONE) & (batch.end[inside] != TO_END)
    if batch.run.placing is not None:
        past &= ~batch.run.placing.unplaced[batch.row[owner]]
    other, opposed, agreed = contradictions(batch.run, batch.row, batch.tie, batch.offsets, order)
    return Counter(
        {
            f"{other} opposed": opposed,
            f"{other} agreed": agreed,
            "without results": int((np.diff(batch.offsets) == 0).sum()),
            "repeated": int(np.count_nonzero(batch.repeated)),
            "past the end": int(np.count_nonzero(past)),
            "splitting": batch.splitting,
            "results": len(batch),
            "judged results": len(rows),
            TIES: 0 if batch.run.trec_order or other == "scores" else int((batch.tie[1:] == batch.tie[:-1]).sum()),
            "similar": int(np.count_nonzero(in_similar_document(batch))),
            **{rule: int(np.count_nonzero(FAULTS[rule](batch))) for rule in rules},
        }
    )


def names_used(run: Run) -> list[str]:
    """The ids of the queries with results in a run."""
    if run.query.all_used:
        return list(run.query.names)
    used = np.bincount(run.query.codes, minlength=len(run.query.names)) > 0
    return [name for name, is_used in zip(run.query.names, used.tolist(), strict=True) if is_used]
