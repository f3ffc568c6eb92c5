"""Ranks and scores for formats that need them, from the order in which a run is scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise.model import NONE, Floats, Run
from partwise.order import places, ranks, tie_places


def as_ranked(run: Run) -> Run:
    """A six-column run, which is ordered by score, sorted and with ranks by this order; other runs unchanged."""
    if not run.trec_order:
        return run
    queries, first = np.unique(run.query.codes, return_index=True)
    first_row = np.zeros(len(run.query.names), np.int64)
    first_row[queries] = first
    order = np.lexsort((places(run), first_row[run.query.codes]))
    return replace(replace(run, rank=ranks(run)).take(order), trec_order=False)


def trec_numbers(run: Run) -> tuple[list[int], list[str]]:
    """Ranks and scores for columns that are ordered by score, in single precision.

    The scores are those of the run if they reproduce its order and ties, else others that do. Ties that conflict with
    the order of document ids are lost; the order never is.
    """
    place, tie = places(run), tie_places(run)
    last = int(place.max(initial=0)) + 1
    candidates = [] if run.score is None or np.isnan(run.score).any() else [run.score]
    for score in (*candidates, (last - tie).astype(np.float64)):
        by_score = replace(run, score=score, trec_order=True)
        if np.array_equal(places(by_score), place) and np.array_equal(tie_places(by_score), tie):
            break
    else:
        score = (last - place).astype(np.float64)
    rank = ranks(run)
    if run.trec_order and run.rank is not None and not (run.rank == NONE).any():
        rank = run.rank
    return rank.tolist(), _written(score)


def inex_numbers(run: Run) -> tuple[list[int], list[str]]:
    """Ranks and scores for columns that are ordered by rank."""
    score = run.score
    if score is None or np.isnan(score).any():
        place = places(run)
        score = (place.max(initial=0) + 1 - place).astype(np.float64)
    return ranks(run).tolist(), _written(score)


def _written(score: Floats) -> list[str]:
    return [repr(value) for value in score.tolist()]
