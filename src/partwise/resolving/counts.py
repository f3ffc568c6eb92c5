"""Counts of what is worth a note about a run, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from partwise import kernels
from partwise.model import JUDGED_DEPTH, NONE, TO_END, Run, slices
from partwise.order import contradictions
from partwise.resolving.batch import Batch
from partwise.resolving.faults import FAULTS, in_similar_document

RESULTS, WHOLE = "results in the run", "whole documents in the run"
TIES = "tied results"
JUDGED_SHARE, JUDGED_LISTS = "share of judged text", "lists with text"
BILLION = 10**9
"""Shares are added up as whole billionths, so that the sum does not depend on the order of batches."""


def kinds_of_results(run: Run) -> dict[str, int]:
    """The number of results of a run, and of those that are whole documents."""
    if run.trec_order:
        return {RESULTS: len(run), WHOLE: len(run)}
    return {RESULTS: len(run), WHOLE: 0 if run.bounded else int(np.count_nonzero(run.end == TO_END))}


def counts_of(batch: Batch, rules: Iterable[str], order: str | None) -> Counter[str]:
    """What the notes about a run count, in one batch; `rules` are those of `FAULTS` that are applied."""
    rows = batch.judged_rows
    owner = inside = rows
    if not batch.single:
        _, inside = slices(batch.span_offsets, rows)
        owner = np.repeat(rows, batch.span_offsets[rows + 1] - batch.span_offsets[rows])
    length = batch.judgements.verified_length[batch.pair[owner]]
    past = (batch.end[inside] > length) & (length != NONE) & (batch.end[inside] != TO_END)
    if batch.run.placing is not None:
        past &= ~batch.run.placing.unplaced[batch.row[owner]]
    is_empty = np.diff(batch.offsets) == 0
    other, opposed, agreed = contradictions(batch.run, batch.row, batch.tie, batch.offsets, order)
    return Counter(
        {
            f"{other} opposed": opposed,
            f"{other} agreed": agreed,
            "queries": len(batch.queries),
            "without results": int((is_empty & batch.judgements.has_relevant[batch.queries]).sum()),
            "empty lists": int(is_empty.sum()),
            "repeated": int(np.count_nonzero(batch.repeated)),
            "past the end": int(np.count_nonzero(past)),
            "splitting": batch.splitting,
            "results": len(batch),
            "judged results": len(rows),
            TIES: 0 if batch.run.trec_order or other == "scores" else int((batch.tie[1:] == batch.tie[:-1]).sum()),
            **_judged_text(batch),
            "similar": int(np.count_nonzero(in_similar_document(batch))),
            **{rule: int(np.count_nonzero(FAULTS[rule](batch))) for rule in rules},
        }
    )


def _judged_text(batch: Batch) -> dict[str, int]:
    """Sums over the queries with results from which the mean of TextJudged at `JUDGED_DEPTH` is computed.

    None if a part among the first results has no known end.
    """
    rows = batch.offsets, batch.pair, batch.span_offsets, batch.start, batch.end
    sums = kernels.judged_text(*rows, JUDGED_DEPTH, TO_END)
    return {} if sums is None else {JUDGED_SHARE: sums[0], JUDGED_LISTS: sums[1]}


def share_judged(counts: Mapping[str, int]) -> float | None:
    """The mean of TextJudged at `JUDGED_DEPTH` over the queries with results; None if not known for all of them."""
    lists = counts.get(JUDGED_LISTS, 0)
    if not lists or lists + counts.get("empty lists", 0) != counts.get("queries", 0):
        return None
    return counts[JUDGED_SHARE] / lists / BILLION


def names_used(run: Run) -> list[str]:
    """The ids of the queries with results in a run."""
    return run.query.used()


def codes_used(run: Run) -> Any:
    """The codes of the queries with results in a run, as an index."""
    if run.query.all_used:
        return slice(None)
    return np.flatnonzero(np.bincount(run.query.codes, minlength=len(run.query.names)))
