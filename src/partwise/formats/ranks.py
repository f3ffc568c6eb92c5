"""The order in which a run is scored, as ranks and scores for formats that need them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise.model import NONE, Floats, Ints, Run


def places(run: Run) -> Ints:
    """The place of each row in its topic, from 1, in the order in which the run is scored."""
    return _places(run, *_order_keys(run))


def _places(run: Run, key: Floats, tied: Ints) -> Ints:
    codes = run.query.codes
    order = np.lexsort((tied, key, codes))
    ordered = codes[order]
    found = np.empty(len(codes), np.int64)
    found[order] = np.arange(len(codes)) - np.searchsorted(ordered, ordered) + 1
    return found


def tie_places(run: Run) -> Ints:
    """The place of the first of the results with which each one ties."""
    key, tied = _order_keys(run)
    place = _places(run, key, tied)
    order = np.lexsort((place, run.query.codes))
    topic, value = run.query.codes[order], key[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (topic[1:] != topic[:-1]) | (value[1:] != value[:-1])
    found = np.empty(len(order), np.int64)
    found[order] = place[order[fresh]][np.cumsum(fresh) - 1]
    return found


def ranks(run: Run) -> Ints:
    """Ranks that keep the order and the ties of a run: its own where they give the order, else counted."""
    found = tie_places(run)
    if run.rank is None or run.trec_order:
        return found
    return np.where(run.throughout_topic(run.rank != NONE), run.rank, found)


def _order_keys(run: Run) -> tuple[Floats, Ints]:
    """What orders the rows within their topics, ascending, and what orders those that tie.

    Six columns are ordered as trec_eval orders them; other topics by rank if all their rows have one, else by score,
    else, where there is neither, as they stand.
    """
    in_file = np.arange(len(run))
    if run.trec_order and run.score is not None:
        with np.errstate(over="ignore"):
            key = -run.score.astype(np.float32).astype(np.float64)
        names = [name.encode() for name in run.doc.names]
        place = np.empty(len(names), np.int64)
        place[sorted(range(len(names)), key=names.__getitem__, reverse=True)] = np.arange(len(names))
        return key, place[run.doc.codes] if len(run) else in_file
    rank = np.full(len(run), NONE) if run.rank is None else run.rank
    score = np.full(len(run), np.nan) if run.score is None else run.score
    ranked, scored = rank != NONE, ~np.isnan(score)
    by_rank, by_score = run.throughout_topic(ranked), run.throughout_topic(scored)
    by_file = run.throughout_topic(~ranked & ~scored)
    some_score = ~run.throughout_topic(~scored)
    lost = np.flatnonzero(~(by_rank | by_score | by_file) & np.where(some_score, ~scored, ~ranked))
    if len(lost):
        row = int(lost[0])
        raise run.error(
            f"has no {'score' if some_score[row] else 'rank'}, others of topic {run.query[row]} have",
            "give every result of a topic a rank, or every one a score",
            row,
        )
    return np.where(by_rank, rank, np.where(by_score, -score, in_file)), in_file


def as_ranked(run: Run) -> Run:
    """A six-column run, which goes by score, in its order and with the ranks that this gives it; others as they are."""
    if not run.trec_order:
        return run
    topics, first = np.unique(run.query.codes, return_index=True)
    first_row = np.zeros(len(run.query.names), np.int64)
    first_row[topics] = first
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
