"""The order in which a run is scored, as ranks and scores for formats that need them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise.model import NONE, Floats, Run
from partwise.order import places, ranks, tie_places


def as_ranked(run: Run) -> Run:
    """A six-column run, which goes by score, in its order and with the ranks that this gives it; others as they are."""
    if not run.trec_order:
        return run
    queries, first = np.unique(run.query.codes, return_index=True)
    first_row = np.zeros(len(run.query.names), np.int64)
    first_row[queries] = first
    order = np.lexsort((places(run), first_row[run.query.codes]))
    return replace(replace(run, rank=ranks(run)).take(order), trec_order=False)


def trec_numbers(run: Run) -> tuple[list[int], list[str]]:
    """Ranks and scores for columns that are read by score, in single precision: the run's own scores if they give its
    order and ties, else some that do; ties against the order of document ids are lost, the order never."""
    place, tie = places(run), tie_places(run)
    last = int(place.max(initial=0)) + 1
    candidates = [] if run.score is None or np.isnan(run.score).any() else [run.score]
    for score in (*candidates, (last - tie).astype(np.float64)):
        again = replace(run, score=score, trec_order=True)
        if np.array_equal(places(again), place) and np.array_equal(tie_places(again), tie):
            break
    else:
        score = (last - place).astype(np.float64)
    rank = ranks(run)
    if run.trec_order and run.rank is not None and not (run.rank == NONE).any():
        rank = run.rank
    return rank.tolist(), _told_scores(score)


def inex_numbers(run: Run) -> tuple[list[int], list[str]]:
    """Ranks and scores for columns that are read by rank."""
    score = run.score
    if score is None or np.isnan(score).any():
        place = places(run)
        score = (place.max(initial=0) + 1 - place).astype(np.float64)
    return ranks(run).tolist(), _told_scores(score)


def _told_scores(score: Floats) -> list[str]:
    return [repr(value) for value in score.tolist()]
