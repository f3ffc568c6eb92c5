"""Rows of a run: equal to loops over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from support.arrays import FAR, MANY, flags, ints, offsets_of, rows, spans_of, whole


def ties(query: Any, rank: Any) -> list[int] | None:
    found = kernels.ordered_ties(query, rank)
    return None if found is None else whole(found)


HUGE = st.sampled_from([FAR, FAR - 1, 2**62])


@given(st.lists(st.tuples(st.integers(0, 3) | HUGE, st.integers(-1, 3) | HUGE)), st.booleans())
def test_order(results: list[tuple[int, int]], ordered: bool) -> None:
    results = sorted(results) if ordered else results
    query, rank = ints(t for t, _ in results), ints(r for _, r in results)
    assert ties(query, rank) == oracle.ordered_ties(query, rank)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))).map(sorted))
def test_ties_of_rows_in_order(results: list[tuple[int, int]]) -> None:
    query, rank = ints(t for t, _ in results), ints(r for _, r in results)
    expected = oracle.ordered_ties(query, rank)
    assert expected is not None
    assert ties(query, rank) == expected


def test_all_ties_and_none() -> None:
    zeros, every = np.zeros(MANY, np.int64), np.arange(MANY)
    np.testing.assert_array_equal(kernels.ordered_ties(zeros, zeros), zeros)
    np.testing.assert_array_equal(kernels.ordered_ties(zeros, every), every)
    np.testing.assert_array_equal(kernels.ordered_ties(every, zeros), every)
    assert kernels.ordered_ties(every[::-1].copy(), zeros) is None
    assert kernels.ordered_ties(zeros, zeros - 1) is None


@given(st.lists(st.sets(st.integers(0, 6), max_size=5), min_size=1, max_size=4), st.integers(0, 7), st.data())
def test_pairs(judged: list[set[int]], docs: int, data: st.DataObject) -> None:
    """Documents from `docs` on are not judged, whatever their number."""
    of_query = [sorted(doc for doc in of_query if doc < docs) for of_query in judged]
    pair_offsets, pair_doc = offsets_of(of_query), ints(doc for found in of_query for doc in found)
    asked = data.draw(
        st.lists(st.tuples(st.integers(0, len(judged) - 1), st.integers(0, 9) | st.just(2**62)), max_size=20)
    )
    given_ = ints(t for t, _ in asked), ints(d for _, d in asked), pair_offsets, pair_doc, docs
    assert whole(kernels.pairs_of(*given_)) == oracle.pairs_of(*given_)


@given(st.lists(st.lists(st.integers(-3, 3) | HUGE)))
def test_first_of_each(codes: list[list[int]]) -> None:
    """Codes are numbered segment by segment; some segments are empty."""
    found = kernels.first_of_each(ints(code for segment in codes for code in segment), offsets_of(codes))
    named = [(number, code) for number, segment in enumerate(codes) for code in segment]
    assert tuple(whole(column) for column in found) == oracle.first_of_each(named)


SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)) | st.just((FAR - 1, FAR)), max_size=3)
PARTS = st.lists(st.tuples(st.integers(0, 2) | st.just(-FAR), SPANS))
ONE_SPAN = st.lists(st.tuples(st.integers(0, 2), SPANS.map(lambda spans: spans[:1])))


@given(PARTS | ONE_SPAN, st.lists(st.integers(0, 20), max_size=3))
def test_repeated_parts(parts: list[tuple[int, list[tuple[int, int]]]], cuts: list[int]) -> None:
    """Parts are compared within their segment of rows; some segments are empty."""
    within = ints(sorted([0, *(min(cut, len(parts)) for cut in cuts), len(parts)]))
    start, end = spans_of(span for _, spans in parts for span in spans)
    given_ = within, ints(g for g, _ in parts), offsets_of([spans for _, spans in parts]), start, end
    assert flags(kernels.repeated_parts(*given_)) == oracle.repeated_parts(*given_)


CELL = st.integers(0, 2) | st.sampled_from([-1, FAR, -FAR - 1])
ROWS_OF_THREE = st.lists(st.tuples(CELL, CELL, CELL), max_size=20)


@given(ROWS_OF_THREE, ROWS_OF_THREE)
def test_equal_rows(a: list[tuple[int, int, int]], b: list[tuple[int, int, int]]) -> None:
    for width in (1, 2, 3):
        tables = [[ints(row[i] for row in table) for i in range(width)] for table in (a, b)]
        assert rows(kernels.equal_rows(*tables)) == oracle.equal_rows(*tables)


@given(st.lists(CELL), st.lists(CELL))
def test_pairs_of_groups(a: list[int], b: list[int]) -> None:
    assert rows(kernels.pairs_of_groups(ints(a), ints(b))) == oracle.pairs_of_groups(a, b)


@pytest.mark.parametrize("step", [1, 1 << 20, 1 << 40])
def test_a_million_rows_that_are_equal_to_one(step: int) -> None:
    every, zeros = np.arange(MANY), np.zeros(MANY, np.int64)
    i, j = kernels.equal_rows([every * step, zeros], [every[::-1] * step, zeros])
    np.testing.assert_array_equal(i, every)
    np.testing.assert_array_equal(j, every[::-1])


def test_a_million_rows_that_are_equal_to_one_or_none() -> None:
    every, zeros = np.arange(MANY), np.zeros(MANY, np.int64)
    one = [ints([7]), ints([7])]
    assert rows(kernels.equal_rows(one, [zeros, zeros])) == []
    i, j = kernels.equal_rows([zeros + 7, zeros + 7], one)
    np.testing.assert_array_equal(i, every)
    np.testing.assert_array_equal(j, zeros)


NUMBERS = st.sampled_from([-1, 0, 1, 2**53, 2**53 + 1, FAR])
REALS = st.sampled_from([-np.inf, -0.0, 0.0, 1.5, np.inf, np.nan])


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), max_size=4), max_size=4), st.data())
def test_falls_and_rises(queries: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    parts = [row for query in queries for row in query]
    order = ints(row for row, _ in parts), ints(np.cumsum([step for _, step in parts])), offsets_of(queries)
    whole_numbers = ints(data.draw(st.lists(NUMBERS, min_size=5, max_size=5)))
    reals = np.array(data.draw(st.lists(REALS, min_size=5, max_size=5)))
    for column in (whole_numbers, reals):
        assert kernels.falls_and_rises(column, *order) == oracle.falls_and_rises(column, *order)


@given(PARTS | ONE_SPAN, st.lists(st.integers(0, 20), max_size=3), st.integers(1, 4), st.data())
def test_judged_text(
    parts: list[tuple[int, list[tuple[int, int]]]], cuts: list[int], depth: int, data: st.DataObject
) -> None:
    """The first rows of each segment count; none if one of them has no span or an unknown end."""
    within = ints(sorted([0, *(min(cut, len(parts)) for cut in cuts), len(parts)]))
    pair = ints(data.draw(st.lists(st.integers(-1, 2), min_size=len(parts), max_size=len(parts))))
    sorted_spans = [[(min(span), max(span)) for span in spans] for _, spans in parts]
    start, end = spans_of(span for spans in sorted_spans for span in spans)
    given_ = within, pair, offsets_of(sorted_spans), start, end, depth, FAR
    assert kernels.judged_text(*given_) == oracle.judged_text(*given_)


@given(st.lists(st.integers(0, 5)).map(sorted), st.integers(0, 7))
def test_rows_of_queries(query: list[int], count: int) -> None:
    """By number, of `count` queries, and of those that have rows."""
    assert whole(kernels.query_offsets(ints(query), count)) == oracle.query_offsets(query, count)
    queries, offsets = kernels.rows_by_query(ints(query))
    assert (whole(queries), whole(offsets)) == oracle.rows_by_query(query)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2, 3, FAR]))))
def test_counts_of_spans(spans: list[tuple[int, int]]) -> None:
    start, end = ints(low for low, _ in spans), ints(high for _, high in spans)
    assert kernels.span_counts(start, end, FAR) == oracle.span_counts(start, end, FAR)


def test_every_span_has_two_ends() -> None:
    with pytest.raises(ValueError, match="every span needs a start and an end"):
        kernels.span_counts(ints([1]), ints([]), FAR)
    with pytest.raises(ValueError, match="cannot be negative"):
        kernels.query_offsets(ints([]), -1)
