"""What a choice of intervals can cover at most, compared with trying every choice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from partwise.model import Ints

INTERVAL = st.tuples(st.integers(0, 25), st.integers(0, 12), st.integers(0, 9))
"""Start, length and cost: intervals overlap, are inside others, touch, are empty and occur twice."""


def ints(values: object) -> Ints:
    return np.array(list(values), np.int64)  # type: ignore[call-overload, no-any-return]


def columns(sets: list[list[tuple[int, int, int]]]) -> tuple[Ints, Ints, Ints, Ints]:
    flat = [interval for one in sets for interval in one]
    offsets = ints(np.cumsum([0, *map(len, sets)]))
    return (
        offsets,
        ints(start for start, _, _ in flat),
        ints(start + length for start, length, _ in flat),
        ints(cost for _, _, cost in flat),
    )


@settings(max_examples=400)
@given(st.lists(st.lists(INTERVAL, max_size=7), max_size=3), st.integers(0, 30))
def test_any_costs(sets: list[list[tuple[int, int, int]]], limit: int) -> None:
    given_ = columns(sets)
    assert kernels.best_cover(*given_, limit).tolist() == oracle.best_cover(*given_, limit)


@settings(max_examples=200)
@given(st.lists(st.lists(INTERVAL, max_size=8), max_size=3), st.integers(0, 5))
def test_a_number_of_intervals(sets: list[list[tuple[int, int, int]]], limit: int) -> None:
    offsets, start, end, cost = columns(sets)
    given_ = offsets, start, end, np.ones_like(cost)
    assert kernels.best_cover(*given_, limit).tolist() == oracle.best_cover(*given_, limit)


@settings(max_examples=200)
@given(st.lists(st.lists(INTERVAL, max_size=8), max_size=3), st.integers(0, 40))
def test_intervals_that_cost_what_they_cover(sets: list[list[tuple[int, int, int]]], limit: int) -> None:
    offsets, start, end, _ = columns(sets)
    given_ = offsets, start, end, end - start
    assert kernels.best_cover(*given_, limit).tolist() == oracle.best_cover(*given_, limit)


def test_greedy_would_be_wrong() -> None:
    """The widest interval first leaves room for one of the two others only."""
    sets = [[(0, 5, 1), (5, 5, 1), (2, 6, 1)]]
    assert kernels.best_cover(*columns(sets), 2).tolist() == [10]


@pytest.mark.parametrize(("limit", "expected"), [(-1, 0), (0, 0), (10**18, 600_000)])
def test_limits_that_allow_nothing_or_everything(limit: int, expected: int) -> None:
    start = 5 * np.arange(100_000)
    sizes = np.full(100_000, 6)
    sizes[-1] = 5 + 100_000
    offsets = ints([0, 100_000])
    assert kernels.best_cover(offsets, start, start + sizes, sizes, limit).tolist() == [expected]


def test_many_intervals_and_a_budget_in_characters() -> None:
    """Overlapping windows of different sizes over one long text: the best choice has none that overlap."""
    start = 50 * np.arange(2_000)
    size = np.where(np.arange(2_000) % 2, 100, 130)
    covered = kernels.best_cover(ints([0, 2_000]), start, start + size, size, 4_000)
    assert covered.tolist() == [4_000]
