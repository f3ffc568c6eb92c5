"""Relevant passages that a run does not show whole, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Ints, empty_ints
from partwise.placement import UNKNOWN_DOCUMENT
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import Tables, ends
from partwise.tables.text import Spans, SpansTable

KINDS = {
    "crowded_out": "as below, and the result would come before the cutoff without duplicates",
    "below": "a result after the cutoff shows some of what is lost",
    "unplaced": "no result shows what is lost, but a result is at an unknown place",
    "not_chunked": "no chunk shows any of it",
    "never_retrieved": "no result is in its document",
    "passed_over": "its document is retrieved, but no result shows what is lost",
}
"""Why text of a passage is not shown. Of those that apply, the first is the kind of the passage."""
CUT = "cut"
MEANINGS = {CUT: "no chunk holds it whole: a chunk boundary cuts it", **KINDS}
NEEDS_CHUNKS = (CUT, "not_chunked")
"""The kinds that are known only if all chunks are given."""

CROWDED_OUT, BELOW, UNPLACED, NOT_CHUNKED, NEVER_RETRIEVED, PASSED_OVER = range(len(KINDS))


@record(eq=False, repr=False)
class Lost:
    """The passages of some queries that are not shown whole, by their numbers in the judgements."""

    passage: Ints
    lost: Ints
    """The number of units that are not shown."""
    kind: Ints
    rank: Ints
    """The first rank after the cutoff that shows some of them, 0 if there is none."""

    def taken(self, rows: Ints) -> Lost:
        """Some of the passages."""
        return Lost(*(getattr(self, name)[rows] for name in _COLUMNS))

    @classmethod
    def joined(cls, parts: Sequence[Lost]) -> Lost:
        columns = [np.concatenate([empty_ints(), *(getattr(part, name) for part in parts)]) for name in _COLUMNS]
        return cls(*columns)


_COLUMNS = ("passage", "lost", "kind", "rank")


def lost_passages(
    tables: Tables, limit: int, budget: float | None, is_unplaced: Bools, is_chunked: Bools | None
) -> tuple[Lost, Ints]:
    """The passages that the first results of a batch do not show whole; and the units that each query shows.

    `limit` is a number of results or, with a `budget`, of units. `is_unplaced` says which results are at an unknown
    place, `is_chunked` which passages share text with a chunk.
    """
    batch = tables.batch
    spans: SpansTable = tables.get(Spans())
    judged = batch.judgements
    read_to = ends(batch.offsets, limit) if budget is None else tables.get(Spans(budget, True)).read
    is_read = np.arange(len(batch)) < read_to[batch.query_of_row]

    passages = np.flatnonzero(among(len(judged.queries), batch.queries)[judged.pair_query[judged.pair_of_passage]])
    pair = judged.pair_of_passage[passages]
    row, at, _, new = kernels.shared_and_fresh(
        batch.pair,
        batch.span_offsets,
        batch.start,
        batch.end,
        pair,
        np.arange(len(passages) + 1),
        judged.passage_start[passages],
        judged.passage_end[passages],
    )
    size = judged.passage_end[passages] - judged.passage_start[passages]
    count = len(passages)
    shown = np.bincount(at, np.where(is_read[row], new, 0), count).astype(np.int64)
    lost = size - shown

    later = ~is_read[row] & (new > 0)
    fits = _without_duplicates(batch, spans, budget is not None) <= limit
    rank = np.zeros(count, np.int64)
    rank[at[later][::-1]] = (row - batch.offsets[batch.query_of_row[row]] + 1)[later][::-1]  # rows ascend: the first
    kind = np.full(count, PASSED_OVER)
    kind[~among(len(judged.pair_doc), batch.pair[batch.judged_rows])[pair]] = NEVER_RETRIEVED
    if is_chunked is not None:
        kind[~is_chunked[passages]] = NOT_CHUNKED
    kind[_may_be_unplaced(batch, is_unplaced, judged.pair_query[pair], pair)] = UNPLACED
    kind[at[later]] = BELOW
    kind[at[later & fits[row]]] = CROWDED_OUT
    kept = np.flatnonzero(lost > 0)
    query = np.searchsorted(batch.queries, judged.pair_query[pair])
    shown_by_query = np.bincount(query, shown, len(batch.queries)).astype(np.int64)
    return Lost(passages[kept], lost[kept], kind[kept], rank[kept]), shown_by_query


def among(count: int, numbers: Ints) -> Bools:
    """Which of the numbers from 0 to count - 1 are among these."""
    among = np.zeros(count, np.bool_)
    among[numbers] = True
    return among


def _without_duplicates(batch: Batch, spans: SpansTable, by_size: bool) -> Ints:
    """What each result and those before it cost, if results that show nothing new are left out."""
    cost = spans.size if by_size else np.ones(len(batch), np.int64)
    total = np.concatenate([[0], np.cumsum(np.where((spans.new == 0) & (spans.size > 0), 0, cost))])
    costs: Ints = total[1:] - total[batch.offsets[batch.query_of_row]]
    return costs


def _may_be_unplaced(batch: Batch, is_unplaced: Bools, query: Ints, pair: Ints) -> Bools:
    """Whether a result at an unknown place may show each passage: it is in its document, or in an unknown one."""
    rows = np.flatnonzero(is_unplaced)
    known = batch.pair[rows] != NONE
    in_document: Bools = np.isin(pair, batch.pair[rows[known]])
    if known.all():
        return in_document
    is_named = np.array([_is_made_up(batch.doc_names[doc]) for doc in batch.doc[rows].tolist()], np.bool_)
    unknown = batch.queries[batch.query_of_row[rows[is_named]]]
    anywhere: Bools = in_document | np.isin(query, unknown)
    return anywhere


def _is_made_up(doc: str) -> bool:
    """Whether a document was made up for a text whose document is unknown."""
    return doc.lstrip("_").startswith(UNKNOWN_DOCUMENT)
