"""The order of results within their queries: one rule, by which runs are scored, written and checked.

Six-column TREC runs are ordered as trec_eval orders them: by score in single precision, highest first, and equal scores
by document id, descending. In all other runs each query is ordered by rank if every result has one, else by score if
every result has one, else, where no result has either, as in the file. Results with equal ranks or scores tie and stay
in the order of the file. A query in which only some results have a rank or a score has no order.
"""

from __future__ import annotations

import numpy as np

from partwise import kernels
from partwise.messages import Text, inputs
from partwise.model import NONE, Bools, Floats, Ints, Run, counting, taken


class RanksAndScores:
    """The ranks and scores of some rows of a run, and in which queries some or all results have them.

    `rank` and `score` have an item per row, NONE and NaN where a row has none; attributes of queries have an item per
    query number.
    """

    def __init__(self, run: Run, rows: Ints, query: Ints) -> None:
        self.query = query
        self._queries = int(query.max(initial=-1)) + 1
        self.rank = np.full(len(rows), NONE) if run.rank is None else run.rank[rows]
        self.score = np.full(len(rows), np.nan) if run.score is None else run.score[rows]
        self.ranked, self.scored = self.rank != NONE, ~np.isnan(self.score)
        self.some_rank, self.some_score = self._queries_with(self.ranked), self._queries_with(self.scored)
        self.by_rank = self.some_rank & ~self._queries_with(~self.ranked)
        all_scores = self.some_score & ~self._queries_with(~self.scored)
        self.by_score = all_scores & ~self.by_rank
        self.without_order = (self.some_rank | self.some_score) & ~self.by_rank & ~all_scores

    @classmethod
    def of_run(cls, run: Run) -> RanksAndScores:
        """The ranks and scores of a whole run; queries are numbered by their codes."""
        return cls(run, np.arange(len(run)), run.query.codes)

    def _queries_with(self, present: Bools) -> Bools:
        queries = np.zeros(self._queries, np.bool_)
        queries[self.query[present]] = True
        return queries

    @property
    def lacks_score(self) -> Bools:
        """The rows without the score that the order of their query needs."""
        lacking: Bools = (self.without_order & self.some_score)[self.query] & ~self.scored
        return lacking

    @property
    def lacks_rank(self) -> Bools:
        """The rows without the rank that the order of their query needs: none of its results has a score."""
        lacking: Bools = (self.without_order & ~self.some_score)[self.query] & ~self.ranked
        return lacking

    @property
    def key(self) -> Floats:
        """The ascending sort key of rows within their queries: rank, negated score, or the order of the file."""
        in_file = np.arange(len(self.rank), dtype=np.float64)
        by_score = np.where(self.by_score[self.query], -self.score, in_file)
        return np.where(self.by_rank[self.query], self.rank.astype(np.float64), by_score)


def in_order(run: Run, rows: Ints, query: Ints, order: str | None = None) -> tuple[Ints, Ints]:
    """Sort rows by query and rank, with the tie group of each; `query` is the query of each row.

    `order` is ``rank`` or ``score`` to order every query by that. Rows that are in order are returned as the same
    array.
    """
    if order != "rank" and run.trec_order:
        if run.score is None:
            raise run.source.error(inputs.TREC_WITHOUT_SCORES())
        return _as_trec_eval(run, run.score, rows, query)
    if order != "score" and run.rank is not None:
        tie = kernels.ordered_ties(query, taken(run.rank, rows))
        if tie is not None:
            return rows, tie
    if order is None and run.rank is None and run.score is None:
        tie = kernels.ordered_ties(query, counting(len(rows)))
        if tie is not None:
            return rows, tie
    ordering = RanksAndScores(run, rows, query)
    if order is not None:
        lacking, key = (~ordering.ranked, ordering.rank) if order == "rank" else (~ordering.scored, -ordering.score)
        message = inputs.NO_RANK_TO_ORDER_BY if order == "rank" else inputs.NO_SCORE_TO_ORDER_BY
        _require_none(run, rows[lacking], message())
        return _sorted(rows, query, key.astype(np.float64))
    _require_none(run, rows[ordering.lacks_score], inputs.NO_SCORE())
    _require_none(run, rows[ordering.lacks_rank], inputs.NO_RANK())
    return _sorted(rows, query, ordering.key)


def contradictions(run: Run, rows: Ints, tie: Ints, offsets: Ints, order: str | None) -> tuple[str, int, int]:
    """The name of the column that does not give the order, and the numbers of neighbours that it puts in the opposite
    and in the same order.

    The rows are in order, those of query t are ``offsets[t]:offsets[t+1]``; tied neighbours are not counted. The name
    is ``ranks``, ``scores`` or ``rows`` (the order of the file), or empty if there is no such column.
    """
    if order == "rank" or (order is None and run.rank is not None and not run.trec_order):
        if run.score is None or run.placing is not None:  # a retriever's list is in its order, whatever its scores are
            return "", 0, 0
        falls, rises = kernels.falls_and_rises(run.score, rows, tie, offsets)
        return "scores", rises, falls  # rank by rank scores fall
    if run.score is None:
        return "", 0, 0
    if run.rank is not None:
        return "ranks", *kernels.falls_and_rises(run.rank, rows, tie, offsets)
    return "rows", *kernels.falls_and_rises(rows, counting(len(rows)), tie, offsets)


def _require_none(run: Run, lacking: Ints, message: Text) -> None:
    if len(lacking):
        raise run.error(message, row=int(lacking[0]))


def _sorted(rows: Ints, query: Ints, key: Floats) -> tuple[Ints, Ints]:
    ascending = (query[1:] > query[:-1]) | ((query[1:] == query[:-1]) & (key[1:] >= key[:-1]))
    if not ascending.all():
        at = np.lexsort((key, query))
        rows, query, key = rows[at], query[at], key[at]
    return rows, _groups(query, key)


def _groups(*columns: Ints | Floats) -> Ints:
    """Number the groups of consecutive equal rows."""
    fresh = np.zeros(len(columns[0]), np.bool_)
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    return np.cumsum(fresh)


def _as_trec_eval(run: Run, scores: Floats, rows: Ints, query: Ints) -> tuple[Ints, Ints]:
    with np.errstate(over="ignore"):
        key = -scores[rows].astype(np.float32).astype(np.float64)
    at = np.lexsort((key, query))
    tie = _groups(query[at], key[at])
    tied = np.flatnonzero(np.bincount(tie)[tie] > 1)
    if len(tied):
        codes = np.unique(run.doc.codes[rows[at[tied]]], return_index=True)[
            0
        ]  # without return_index, NumPy imports numpy.ma
        names = [run.doc.names[code].encode() for code in codes]
        place = np.zeros(len(run.doc.names), np.int64)
        place[codes[sorted(range(len(names)), key=names.__getitem__, reverse=True)]] = np.arange(len(names))
        at = np.lexsort((place[run.doc.codes[rows]], key, query))
    return rows[at], tie


# ---- whole runs, for writing and checking ---------------------------------------------------------------------


def ordered_by_rank(run: Run) -> Bools:
    """Whether each row of a run is in a query that is ordered by rank."""
    if run.trec_order or run.rank is None:
        return np.zeros(len(run), np.bool_)
    ordering = RanksAndScores.of_run(run)
    by_rank: Bools = ordering.by_rank[ordering.query]
    return by_rank


def places(run: Run) -> Ints:
    """The position of each row in its query, from 1."""
    rows, _, place = _placed(run)
    return _by_row(rows, place)


def tie_places(run: Run) -> Ints:
    """The position of the first result that each row is tied with."""
    rows, tie, place = _placed(run)
    return _by_row(rows, place[np.searchsorted(tie, tie)])


def ranks(run: Run) -> Ints:
    """Ranks that keep the order and the ties of a run: its own where they define the order, else counted."""
    counted = tie_places(run)
    return counted if run.rank is None else np.where(ordered_by_rank(run), run.rank, counted)


def _placed(run: Run) -> tuple[Ints, Ints, Ints]:
    """All rows by query and rank, with the tie group and the position of each."""
    rows, query = np.arange(len(run)), run.query.codes
    if run.trec_order and run.score is not None:
        rows, tie = _as_trec_eval(run, run.score, rows, query)
    else:
        ordering = RanksAndScores.of_run(run)
        for row in np.flatnonzero(ordering.lacks_score | ordering.lacks_rank)[:1].tolist():
            message = inputs.SOME_WITHOUT_SCORE if ordering.some_score[query[row]] else inputs.SOME_WITHOUT_RANK
            raise run.error(message(query_id=run.query[row]), row=row)
        rows, tie = _sorted(rows, query, ordering.key)
    query = query[rows]
    return rows, tie, np.arange(len(run)) - np.searchsorted(query, query) + 1


def _by_row(rows: Ints, values: Ints) -> Ints:
    """The values of these rows, in file order."""
    by_row = np.empty(len(rows), np.int64)
    by_row[rows] = values
    return by_row
