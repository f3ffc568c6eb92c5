"""Recall levels are compared exactly, however many decimals users write."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise import kernels

ROW = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
LARGE_ROW = st.tuples(*[st.integers(2**57, 2**58)] * 3)
QUERIES = st.lists(st.lists(ROW, max_size=6) | st.lists(LARGE_ROW, max_size=6), min_size=1, max_size=3)
PROPORTION = st.sampled_from([0.0, 1.0, 0.5, 0.1, 1 / 3, 2 / 3, 5e-324, 1e-300, 1 - 2**-53]) | st.floats(0, 1)


def exact(value: float) -> Fraction:
    """The decimal number as written: 0.1 is one tenth."""
    return Fraction(Decimal(str(value)))


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


def best_precision(rows: list[tuple[int, int, int]], alpha: float, relevant: int, level: Fraction) -> float:
    """The best precision at or after the first row whose exact recall reaches the level."""
    weight = exact(alpha)
    found = seen = read = 0
    is_reached, best = False, 0.0
    for of_row, fresh, size in rows:
        found, seen, read = found + of_row, seen + of_row - fresh, read + size
        is_reached = is_reached or found - weight * seen >= level * relevant
        if is_reached and read:
            best = max(best, (found - alpha * seen) / read)
    return best


@given(QUERIES, PROPORTION, st.lists(PROPORTION, min_size=1, max_size=4), st.data())
def test_levels_equal_fractions(
    queries: list[list[tuple[int, int, int]]], alpha: float, levels: list[float], data: st.DataObject
) -> None:
    queries = [[(max(a, b), min(a, b), c) for a, b, c in rows] for rows in queries]
    relevant = []
    for rows in queries:  # often exactly the gain of some row
        gains = [sum(fresh for _, fresh, _ in rows[: i + 1]) for i in range(len(rows))]
        relevant.append(data.draw(st.sampled_from([*gains, 0, 1, 2**58]) | st.integers(0, 40)))
    fractions = sorted(exact(level) for level in levels)
    flat = [row for rows in queries for row in rows]
    found = kernels.best_precision(
        np.concatenate([[0], np.cumsum([len(rows) for rows in queries])]).astype(np.int64),
        *(ints([row[i] for row in flat]) for i in range(3)),
        alpha,
        exact(alpha).as_integer_ratio(),
        ints(relevant),
        ([level.numerator for level in fractions], [level.denominator for level in fractions]),
    )
    assert found.shape == (len(queries), len(fractions))
    assert found.tolist() == [
        [best_precision(rows, alpha, whole, level) for level in fractions]
        for rows, whole in zip(queries, relevant, strict=True)
    ]


@pytest.mark.parametrize("width", [1, 31, 32, 33, 63, 64, 65, 200, 1100])
def test_one_character_decides_at_any_width(width: int) -> None:
    """A level of k / (2**width) of 2**40 characters: reached with exactly that number, and not with one less."""
    whole, many = 2**40, 3 * 2**38
    level = Fraction(many, whole)
    scale = 2**width + 1  # fractions need not be in lowest terms
    levels = [level.numerator * scale], [level.denominator * scale]
    for gained, expected in ((many, 1.0), (many - 1, 0.0)):
        row = ints([gained])
        best = kernels.best_precision(ints([0, 1]), row, row, row, 1.0, (scale, scale), ints([whole]), levels)
        assert best.tolist() == [[expected]]


def test_numerators_and_denominators_must_have_the_same_length() -> None:
    row = ints([1])
    for levels in (([0], [1, 1]), ([0, 1], [1])):
        with pytest.raises(ValueError, match="denominator"):
            kernels.best_precision(ints([0, 1]), row, row, row, 1.0, (1, 1), row, levels)
