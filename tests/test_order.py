"""The order of results is one rule: scoring, writing and checking order the same run in the same way."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise import order
from partwise.checks.documents import Documents
from partwise.checks.runs import check_run
from partwise.formats.objects import assessments_from_object, runs_from_object
from partwise.resolving import batches, judge

QUERIES = ("a", "b")
QRELS = assessments_from_object({query: [("x", 0, 1)] for query in QUERIES}, "chars", False, [])
RESULT = st.fixed_dictionaries(
    {
        "query_id": st.sampled_from(QUERIES),
        "doc_id": st.sampled_from(["d1", "d10", "D", "é"]),
        "rank": st.sampled_from([None, 1, 2, 3]),
        "score": st.sampled_from([None, 0.0, -1.5, 2.0, 2.0 + 1e-9, 1e300]),
    }
)


def parsed(rows: list[dict[str, Any]]) -> pw.Run:
    [run] = runs_from_object(rows, "run", "chars", False, [])
    return run


def slow_order(rows: list[dict[str, Any]], six_columns: bool) -> list[list[list[int]]] | None:
    """The tie groups of each query, in order; None if the results of a query have no order."""
    queries = []
    for query in QUERIES:
        inside = [i for i, row in enumerate(rows) if row["query_id"] == query]
        ranks, scores = [rows[i]["rank"] for i in inside], [rows[i]["score"] for i in inside]
        if six_columns:
            inside.sort(key=lambda i: rows[i]["doc_id"].encode(), reverse=True)
            keys = [-single(rows[i]["score"]) for i in inside]
        elif None not in ranks:
            keys = ranks
        elif None not in scores:
            keys = [-score for score in scores]
        elif not any(value is not None for value in ranks + scores):
            keys = list(range(len(inside)))
        else:
            return None
        queries.append([[i for i, k in zip(inside, keys, strict=True) if k == key] for key in sorted(set(keys))])
    return queries


def single(score: float) -> float:
    """The score in single precision; one that is too large is infinite."""
    try:
        [value] = struct.unpack("f", struct.pack("f", score))
    except OverflowError:
        return float("inf")
    return float(value)


@given(st.lists(RESULT, min_size=1, max_size=8), st.booleans())
def test_runs_are_written_in_the_order_in_which_they_are_scored(rows: list[dict[str, Any]], six_columns: bool) -> None:
    if six_columns:
        rows = [{**row, "score": row["score"] or 0.0} for row in rows]
    run = replace(parsed(rows), trec_order=six_columns)
    expected = slow_order(rows, six_columns)
    if expected is None:
        with pytest.raises(pw.PartwiseError, match=r"has no (rank|score); give"):
            list(batches(run, judge(QRELS, None, {})))
        with pytest.raises(
            pw.PartwiseError, match=r"has no (rank|score), but other results of query [ab] have one; give"
        ):
            order.places(run)
        return
    [batch] = batches(run, judge(QRELS, None, {}))
    groups = [group for query in expected for group in query]
    assert batch.row.tolist() == [row for group in groups for row in group]
    assert batch.tie.tolist() == [number for number, group in enumerate(groups) for _ in group]
    place, first = {}, {}
    for query in expected:
        lengths = np.cumsum([0, *map(len, query)]).tolist()
        for group, before in zip(query, lengths, strict=False):
            place |= {row: before + number for number, row in enumerate(group, 1)}
            first |= dict.fromkeys(group, before + 1)
    assert order.places(run).tolist() == [place[row] for row in range(len(rows))]
    assert order.tie_places(run).tolist() == [first[row] for row in range(len(rows))]


@given(st.lists(RESULT, min_size=1, max_size=8))
def test_checking_reports_the_queries_that_scoring_refuses(rows: list[dict[str, Any]]) -> None:
    run = parsed(rows)
    rules = {finding.rule for finding in check_run(run, [], QRELS, Documents(None, {}), None)}
    assert ("no-order" in rules) == (slow_order(rows, False) is None)


def test_ranks_are_those_of_the_run_where_they_give_the_order() -> None:
    rows = [{"query_id": "a", "doc_id": "d1", "rank": 7, "score": 1.0}, {"query_id": "b", "doc_id": "d1", "score": 2.0}]
    assert order.ranks(parsed(rows)).tolist() == [7, 1]
    assert order.ordered_by_rank(parsed(rows)).tolist() == [True, False]
