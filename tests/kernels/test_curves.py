"""Curves and sums: equal to loops, with exact recall levels."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from support.arrays import Ints, assert_close, floats, ints, offsets_of, reals, whole

Queries = list[list[tuple[int, int, int]]]
SMALL = st.integers(0, 9)
LARGE = st.integers(0, 2**56)
"""The sum of about thirty of them stays below the largest sum allowed."""


def rows_of(number: st.SearchStrategy[int]) -> st.SearchStrategy[Queries]:
    return st.lists(st.lists(st.tuples(number, number, number), max_size=8), min_size=1, max_size=4)


def columns_of(queries: Queries) -> tuple[Ints, Ints, Ints, Ints]:
    """Offsets of queries; for each row, highlighted characters, new ones among them, and characters read."""
    flat = [(max(a, b), min(a, b), c) for results in queries for a, b, c in results]
    found, fresh, size = (ints(row[i] for row in flat) for i in range(3))
    return offsets_of(queries), found, fresh, size


ALPHAS = st.sampled_from([(1, 1), (0, 1), (1, 3), (3, 10), (1, 2**61), (2**61 - 1, 2**61), (10**17, 10**18)])
OVER = st.sampled_from([1, 2, 10, 100])


def check_curves(queries: Queries, alpha: tuple[int, int], relevant: list[int], over: int) -> None:
    """To the last bit: the same sums of whole numbers, and the same operations on floats after them."""
    columns = *columns_of(queries), alpha[0] / alpha[1]
    assert floats(kernels.precision_by_rank(*columns)) == oracle.precision_by_rank(*columns)
    levels = list(range(over + 1)), [over] * (over + 1)
    best = kernels.best_precision(*columns, alpha, ints(relevant), levels)
    assert best.shape == (len(queries), over + 1)
    assert floats(best) == oracle.best_precision(*columns, alpha, relevant, levels)


@given(rows_of(SMALL), ALPHAS, st.data())
def test_curves(queries: Queries, alpha: tuple[int, int], data: st.DataObject) -> None:
    relevant = data.draw(st.lists(st.integers(0, 40), min_size=len(queries), max_size=len(queries)))
    check_curves(queries, alpha, relevant, data.draw(OVER))


@given(rows_of(SMALL | LARGE), ALPHAS, st.data())
def test_curves_of_huge_documents(queries: Queries, alpha: tuple[int, int], data: st.DataObject) -> None:
    """Even where a sum times a level exceeds 64 bits; relevant characters differ from those found by at most one."""
    totals = [sum(max(a, b) for a, b, _ in results) for results in queries]
    relevant = [max(0, total + data.draw(st.integers(-1, 1))) for total in totals]
    check_curves(queries, alpha, relevant, data.draw(OVER))


@given(rows_of(SMALL), st.integers(1, 40), st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1).map(sorted))
def test_levels_of_any_denominator(queries: Queries, relevant: int, levels: list[object]) -> None:
    columns = *columns_of(queries), 1.0
    numerators = [level.numerator for level in levels]  # type: ignore[attr-defined]
    denominators = [level.denominator for level in levels]  # type: ignore[attr-defined]
    wanted = ints([relevant] * len(queries))
    best = kernels.best_precision(*columns, (1, 1), wanted, (numerators, denominators))
    assert floats(best) == oracle.best_precision(*columns, (1, 1), wanted, (numerators, denominators))


@pytest.mark.parametrize("missing", [0, 1])
def test_one_character_decides_a_level_beyond_62_bits(missing: int) -> None:
    """In floats, 2**61 characters and one less are the same."""
    found = 2**61 - missing
    columns = ints([0, 1]), ints([found]), ints([found]), ints([found]), 1.0
    best = kernels.best_precision(*columns, (1, 1), ints([2**61]), ([0, 99, 100], [100, 100, 100]))
    assert floats(best) == [[1.0, 1.0, 0.0 if missing else 1.0]]
    best = kernels.best_precision(*columns, (1, 1), ints([2**61]), ([1], [1]))
    assert floats(best) == [[0.0 if missing else 1.0]]


def test_curves_of_nothing() -> None:
    nothing = ints([0]), ints([]), ints([]), ints([]), 1.0
    assert floats(kernels.precision_by_rank(*nothing)) == []
    assert kernels.best_precision(*nothing, (1, 1), ints([]), ([1], [2])).shape == (0, 1)


# ---- best and sums ------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.floats(0, 1), max_size=20), min_size=1, max_size=4))
def test_sums_do_not_depend_on_other_segments(segments: list[list[float]]) -> None:
    """Sums of segments to 1e-12, because NumPy does not specify the order of addition; running sums to the last bit."""
    offsets = offsets_of(segments)
    values = reals(value for segment in segments for value in segment)
    together = kernels.segment_sums(values, offsets[:-1], offsets[1:])
    assert_close(together, oracle.segment_sums(values, offsets[:-1], offsets[1:]))
    assert floats(kernels.running_sums(values, offsets)) == oracle.running_sums(values, offsets)
    for i, segment in enumerate(segments):
        alone = kernels.segment_sums(reals(segment), ints([0]), ints([len(segment)]))
        assert floats(alone) == [together[i]]


@given(st.lists(st.integers(-(2**59), 2**59), max_size=8), st.data())
def test_sums_of_whole_numbers(values: list[int], data: st.DataObject) -> None:
    """Exactly; segments may be empty, overlap, or leave rows out."""
    edges = st.tuples(*[st.integers(0, len(values))] * 2).map(sorted)
    spans = data.draw(st.lists(edges, max_size=6))
    start, end = ints(low for low, _ in spans), ints(high for _, high in spans)
    assert whole(kernels.segment_sums(ints(values), start, end)) == oracle.segment_sums(values, start, end)


@given(st.lists(st.booleans(), max_size=8), st.integers(0, 8), st.integers(0, 8))
def test_sums_of_flags_are_counts(values: list[bool], low: int, high: int) -> None:
    start, end = ints([min(low, len(values))]), ints([min(high, len(values))])
    assert whole(kernels.segment_sums(np.array(values, np.bool_), start, end)) == oracle.segment_sums(
        values, start, end
    )


@given(st.lists(st.lists(st.integers(-(2**59), 2**59), max_size=4), max_size=4), st.none() | st.integers(1, 5))
def test_sums_of_first_values(segments: list[list[int]], cutoff: int | None) -> None:
    """Exactly, of whole numbers, flags and floats."""
    offsets, values = offsets_of(segments), [value for segment in segments for value in segment]
    assert whole(kernels.first_sums(ints(values), offsets, cutoff)) == oracle.first_sums(values, offsets, cutoff)
    odd = np.array([value % 2 == 1 for value in values], np.bool_)
    assert whole(kernels.first_sums(odd, offsets, cutoff)) == oracle.first_sums(odd, offsets, cutoff)
    assert floats(kernels.first_sums(odd / 2, offsets, cutoff)) == oracle.first_sums(odd / 2, offsets, cutoff)


@given(rows_of(SMALL) | rows_of(LARGE), st.none() | st.integers(1, 9), st.floats(0, 1))
def test_gains_at_a_cutoff(queries: Queries, cutoff: int | None, alpha: float) -> None:
    """To the last bit."""
    offsets, found, fresh, _ = columns_of(queries)
    expected = oracle.gains_at(offsets, found, fresh, cutoff, alpha)
    assert floats(kernels.gains_at(offsets, found, fresh, cutoff, alpha)) == expected


WHOLE = st.integers(-(2**62), 2**62) | st.just(0)
REAL = st.floats(-1e100, 1e100) | st.floats(1e-100, 1) | st.just(0.0)


@given(st.data(), st.integers(0, 5), st.sampled_from([WHOLE, REAL]), st.sampled_from([WHOLE, REAL]))
def test_ratios(
    data: st.DataObject, count: int, parts: st.SearchStrategy[float], wholes: st.SearchStrategy[float]
) -> None:
    """To the last bit those of Python, for columns of whole numbers and of floats."""
    drawn = [(of, data.draw(st.lists(of, min_size=count, max_size=count))) for of in (parts, wholes)]
    part, base = (ints(values) if of is WHOLE else reals(values) for of, values in drawn)
    assert floats(kernels.ratios(part, base)) == oracle.ratios(part, base)


def test_ratios_of_other_shapes() -> None:
    """A scalar, flags, a table, every other row."""
    assert float(kernels.ratios(1, 4)) == 0.25
    assert floats(kernels.ratios(6, ints([4, 0, 3]))) == [1.5, 0.0, 2.0]
    assert floats(kernels.ratios(np.array([True, False]), ints([4, 3]))) == [0.25, 0.0]
    assert kernels.ratios(np.ones((1, 2)), np.array([[4.0, 0.0]])).tolist() == [[0.25, 0.0]]
    assert floats(kernels.ratios(ints([6, 1, 8])[::2], ints([4, 0, 4])[::2])) == [1.5, 2.0]


@given(st.lists(st.tuples(st.floats(), st.booleans())))
def test_chosen_values(rows: list[tuple[float, bool]]) -> None:
    values, is_chosen = reals(value for value, _ in rows), np.array([kept for _, kept in rows], np.bool_)
    chosen, expected = kernels.chosen_values(values, is_chosen), oracle.chosen_values(values, is_chosen)
    assert chosen is not None
    assert (list(map(repr, floats(chosen[0]))), chosen[1]) == (list(map(repr, expected[0])), expected[1])


def test_only_columns_are_chosen_from() -> None:
    assert kernels.chosen_values(ints([1, 2]), np.array([True, False])) is None
    assert kernels.chosen_values(reals([1.0, 2.0]), np.array([True])) is None
    assert kernels.chosen_values([1.0], [True]) is None


POWER = st.builds(math.ldexp, st.integers(-(2**53), 2**53).map(float), st.integers(-1200, 900))


@given(st.lists(st.floats(-1e280, 1e280) | st.floats(0, 1) | POWER, max_size=20), st.integers(0, 20), st.randoms())
def test_exact_sum(values: list[float], taken_back: int, chance: random.Random) -> None:
    """Rounded once, and therefore as `math.fsum` does it; some numbers are subtracted again."""
    values += [-value for value in values[:taken_back]]
    chance.shuffle(values)
    expected = oracle.exact_sum(reals(values))
    assert repr(kernels.exact_sum(reals(values))) == repr(expected) == repr(math.fsum(values))


@given(st.integers(0, 3), st.integers(0, 20), st.data())
def test_exact_sums_of_rows(rows: int, columns: int, data: st.DataObject) -> None:
    number = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0, 1 / 3, 1e-300, 2.0**53, -(2.0**53)])
    matrix = np.array(
        data.draw(st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    )
    matrix = matrix.reshape(rows, columns)
    assert list(map(repr, floats(kernels.exact_sums(matrix)))) == list(map(repr, oracle.exact_sums(matrix.tolist())))


def test_sums_of_rows_with_huge_numbers_are_those_of_python() -> None:
    assert floats(kernels.exact_sums(np.array([[1e308, -1e308, 1.0], [1.0, 2.0, 3.0]]))) == [1.0, 6.0]
    with pytest.raises(ValueError, match="the same number of values"):
        kernels._native._exact_sums(reals([1.0, 2.0, 3.0]), 2)


def test_sum_halfway_between_two_numbers() -> None:
    assert kernels.exact_sum(reals([2.0**53, 1.0])) == 2.0**53
    assert kernels.exact_sum(reals([2.0**53, 1.0, 5e-324])) == 2.0**53 + 2
    assert kernels.exact_sum(reals([2.0**53 + 2, 1.0])) == 2.0**53 + 4
    assert kernels.exact_sum(reals([5e-324] * 3)) == 1.5e-323


def test_sums_of_huge_numbers_are_those_of_python() -> None:
    assert kernels.exact_sum(reals([1e308, -1e308, 1.0])) == 1.0
    assert kernels.exact_sum(reals([math.inf, 1.0])) == math.inf
    assert math.isnan(kernels.exact_sum(reals([math.nan])))
    with pytest.raises(OverflowError):
        kernels.exact_sum(reals([1e308, 1e308]))
    assert kernels.exact_sum(reals([0.5, 9.0, 0.25])[::2]) == 0.75


@given(st.lists(st.lists(st.floats() | st.floats(0, 1) | st.integers(-(10**7), 10**7).map(float))), st.integers(1, 17))
def test_json_lists(rows: list[list[float]], digits: int) -> None:
    values, offsets = reals(value for row in rows for value in row), offsets_of(rows)
    assert kernels.json_lists(values, offsets, digits) == oracle.json_lists(values, offsets, digits)


def test_json_lists_that_are_not_inside() -> None:
    assert kernels.json_lists(reals([]), ints([]), 6) == kernels.json_lists(reals([]), ints([0]), 6) == "[]"
    for offsets in ([-1, 1], [0, 3], [1, 0], [0, 2, 1]):
        with pytest.raises(ValueError, match="offsets ascend and end with the values"):
            kernels.json_lists(reals([0.5, 1.5]), ints(offsets), 6)
    for digits in (0, 18):
        with pytest.raises(ValueError, match="digits are from 1 to 17"):
            kernels.json_lists(reals([0.5]), ints([0, 1]), digits)
