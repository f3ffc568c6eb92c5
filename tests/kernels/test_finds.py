"""Passages found by results, and relevant text as a reader meets it, compared with slow versions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from partwise.model import Ints

SPAN = st.tuples(st.integers(0, 30), st.integers(0, 8)).map(lambda span: (span[0], span[0] + span[1]))
SPANS = st.lists(SPAN, max_size=3)
LARGE = 2**61


def ints(values: object) -> Ints:
    return np.array(list(values), np.int64)  # type: ignore[call-overload, no-any-return]


def disjoint(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged = oracle.merge_spans([0] * len(spans), [s for s, _ in spans], [e for _, e in spans], touching=True)
    return [(low, high) for _, low, high in merged]


def ragged(rows: list[list[tuple[int, int]]]) -> tuple[Ints, Ints, Ints]:
    """Offsets, starts and ends."""
    flat = [span for row in rows for span in row]
    return ints(np.cumsum([0, *map(len, rows)])), ints(s for s, _ in flat), ints(e for _, e in flat)


OWNERS = st.lists(st.tuples(st.integers(0, 2), SPANS), max_size=10)


@given(OWNERS, OWNERS)
def test_shared_and_fresh(
    a: list[tuple[int, list[tuple[int, int]]]], b: list[tuple[int, list[tuple[int, int]]]]
) -> None:
    columns = [
        (ints(group for group, _ in owners), *ragged([disjoint(spans) for _, spans in owners])) for owners in (a, b)
    ]
    fast = kernels.shared_and_fresh(*columns[0], *columns[1])
    rows = list(zip(*(column.tolist() for column in fast), strict=True))
    assert rows == oracle.shared_and_fresh(*columns[0], *columns[1])


MATCH = st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 6), st.integers(1, 7))


@given(st.lists(MATCH, max_size=25, unique_by=lambda match: match[:2]), st.sampled_from([1, 3, LARGE // 7]))
def test_closest_finds(matches: list[tuple[int, int, int, int]], factor: int) -> None:
    """Also with sizes whose products do not fit into 64 bits."""
    matches = sorted(matches)
    columns = [ints(column) for column in zip(*matches, strict=True)] if matches else [ints([])] * 4
    columns[2:] = [columns[2] * factor, columns[3] * factor]
    assert kernels.closest_finds(*columns, 5).tolist() == oracle.closest_finds(*columns, 5)


def test_fractions_that_differ_in_the_last_bit() -> None:
    """As doubles, both are the same."""
    shared, whole = ints([LARGE - 2, LARGE - 1]), ints([LARGE - 1, LARGE])
    assert kernels.closest_finds(ints([0, 0]), ints([0, 1]), shared, whole, 2).tolist() == [-1, 0]
    assert kernels.closest_finds(ints([0, 0]), ints([0, 1]), shared[::-1].copy(), whole[::-1].copy(), 2).tolist() == [
        0,
        -1,
    ]


@given(
    st.lists(st.lists(st.tuples(st.integers(-1, 2), SPANS), max_size=6), max_size=3),
    st.lists(SPANS, min_size=3, max_size=3),
)
def test_fresh_stretches(
    queries: list[list[tuple[int, list[tuple[int, int]]]]], passages: list[list[tuple[int, int]]]
) -> None:
    """Every stretch, character by character; a stretch is as long as it can be within its passage."""
    results = [result for query in queries for result in query]
    within = ints(np.cumsum([0, *map(len, queries)]))
    spans = ragged([disjoint(spans) for _, spans in results])
    offsets, start, end = ragged([disjoint(spans) for spans in passages])
    before = ints(np.cumsum([0, *(end - start).tolist()]))
    given_ = within, ints(pair for pair, _ in results), *spans, offsets, start, end, before
    characters = [
        (row, first + i, again)
        for row, first, again, length in zip(*(c.tolist() for c in kernels.fresh_stretches(*given_)), strict=True)
        for i in range(length)
    ]
    assert characters == oracle.fresh_stretches(*given_)


def test_many_passages_and_many_results() -> None:
    """The cost grows with what is shared: a query with many passages and as many results."""
    count = 100_000
    start = 10 * np.arange(count)
    zeros, each = np.zeros(count, np.int64), np.arange(count + 1)
    row, passage, shared, fresh = kernels.shared_and_fresh(
        zeros, each, start, start + 5, zeros, each, start + 2, start + 7
    )
    np.testing.assert_array_equal(row, passage)
    assert len(row) == count
    assert (shared == 3).all()
    assert (fresh == 3).all()
    found = kernels.closest_finds(row, passage, shared, shared + 4, count)
    np.testing.assert_array_equal(found, np.arange(count))
