"""Products and counts of chances: close to exact fractions, and independent to the last bit of other queries.

Kernels multiply in an order of their own, so they are compared to 1e-12 with exact numbers. That a query, a segment or
an owner has the same bits alone and among others is part of what they promise.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import kernels as oracle
from oracles.links import CHANCE, TINY, Links, seen_links
from partwise import kernels
from support.arrays import MANY, Ints, assert_close, floats, ints, offsets_of, reals

# ---- products -----------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 2), CHANCE), max_size=60), st.booleans())
def test_products(items: list[tuple[int, float]], ordered: bool) -> None:
    """To 1e-12 of the product, unless it is almost zero."""
    items = sorted(items, key=lambda item: item[0]) if ordered else items
    values, segment = reals(value for _, value in items), ints(number for number, _ in items)
    found = floats(kernels.running_products(values, segment))
    for product, exact in zip(found, oracle.running_products(values, segment), strict=True):
        assert abs(Fraction(product) - exact) <= exact * Fraction(1e-12) + Fraction(1e-300)


@given(st.lists(st.lists(CHANCE, min_size=1, max_size=20), max_size=5))
def test_products_do_not_depend_on_other_segments(segments: list[list[float]]) -> None:
    segment = ints(i for i, values in enumerate(segments) for _ in values)
    together = kernels.running_products(reals(value for values in segments for value in values), segment)
    alone = [kernels.running_products(reals(values), np.full(len(values), 7)) for values in segments]
    assert floats(together) == [product for products in alone for product in floats(products)]


@pytest.mark.parametrize("length", [1, 1000, MANY])
def test_a_million_factors(length: int) -> None:
    """Zeros, halves, ones and the largest number below one: checked by counting each."""
    chance = np.random.default_rng(7)
    values = chance.choice([0.0, TINY, 0.5, 1.0, 1 - 2**-53], MANY, p=[0.00001, 0.00001, 0.00008, 0.5, 0.4999])
    segment = np.arange(MANY) // length

    def so_far(value: float) -> Any:
        count = np.cumsum(values == value)
        before = count - (values == value)
        return count - before[segment * length]

    expected = 0.5 ** so_far(0.5) * np.exp(so_far(1 - 2**-53) * math.log1p(-(2**-53)))
    vanished = so_far(0.0) + so_far(TINY) > 0
    found = kernels.running_products(values, segment)
    np.testing.assert_allclose(found[~vanished], expected[~vanished], rtol=1e-12)
    assert (found[vanished] <= TINY).all()
    assert not found[so_far(0.0) > 0].any()


# ---- counts of units ----------------------------------------------------------------------------------------


def check_counts(links: Links, need: Ints, rank: Ints, units: Ints) -> None:
    for found, expected in zip(kernels.chances_below(*links, need), oracle.chances_below(*links, need), strict=True):
        assert_close(found, expected)
        assert all(0 <= chance <= 1 for chance in floats(found))
    assert_close(kernels.mean_effort(*links, rank, units), oracle.mean_effort(*links, rank, units))


def ranks_of(steps: Ints, gaps: list[int]) -> Ints:
    """Ranks that increase within each query by these gaps."""
    bounds = offsets_of([range(count) for count in steps.tolist()]).tolist()
    return ints(rank for low, high in pairwise(bounds) for rank in itertools.accumulate(gaps[low:high]))


@given(seen_links(), st.data())
def test_counts(links: Links, data: st.DataObject) -> None:
    steps = links[-1]
    need = ints(data.draw(st.integers(-1, 8)) for _ in steps)
    gaps = [data.draw(st.integers(1, 5)) for _ in range(int(steps.sum()))]
    check_counts(links, need, ranks_of(steps, gaps), np.full(len(steps), 6))


@given(seen_links(), st.integers(0, 8))
def test_counts_do_not_depend_on_other_queries(links: Links, need: int) -> None:
    steps = links[-1]
    bounds = offsets_of([range(count) for count in steps.tolist()])
    rank = np.arange(bounds[-1]) + 1
    below, quiet = map(floats, kernels.chances_below(*links, np.full(len(steps), need)))
    efforts = floats(kernels.mean_effort(*links, rank, np.full(len(steps), 7)))
    for query, (low, high) in enumerate(pairwise(bounds.tolist())):
        inside = links[0] == query
        of_query, unit, step, before, after = (column[inside] for column in links[:5])
        alone = 0 * of_query, unit, step, before, after, steps[query : query + 1]
        found = [floats(column) for column in kernels.chances_below(*alone, ints([need]))]
        assert found == [below[low:high], quiet[low:high]]
        assert floats(kernels.mean_effort(*alone, rank[low:high], ints([7]))) == [efforts[query]]


def all_outcomes(matrix: list[list[Fraction]], need: int) -> tuple[list[Fraction], list[Fraction]]:
    """The result of `chances_below` for one query, by enumerating all outcomes."""
    steps = len(matrix[0])
    below, quiet = [Fraction(0)] * steps, [Fraction(0)] * steps
    for events in itertools.product(*(itertools.product(*([0, 1] if p else [0] for p in row)) for row in matrix)):
        chance = Fraction(1)
        for row, of_unit in zip(matrix, events, strict=True):
            for p, event in zip(row, of_unit, strict=True):
                chance *= p if event else 1 - p
        seen = [sum(any(of_unit[: step + 1]) for of_unit in events) for step in range(steps)]
        for step in range(steps):
            before = seen[step - 1] if step else 0
            below[step] += chance * (seen[step] < need)
            quiet[step] += chance * (before < need and seen[step] == before)
    return below, quiet


def links_of(matrices: list[list[list[Fraction]]]) -> Links:
    """Links of queries, each given as P(unit | step)."""
    rows = []
    for query, matrix in enumerate(matrices):
        for unit, row in enumerate(matrix):
            missed = Fraction(1)
            for step, p in enumerate(row):
                if p:
                    rows.append((query, unit, step, float(1 - missed), float(1 - missed * (1 - p))))
                    missed *= 1 - p
    query_, unit_, step_ = (ints(row[i] for row in rows) for i in range(3))
    steps = ints(len(matrix[0]) for matrix in matrices)
    return query_, unit_, step_, reals(row[3] for row in rows), reals(row[4] for row in rows), steps


CHANCES = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
MATRICES = st.integers(1, 3).flatmap(
    lambda steps: st.lists(st.lists(CHANCES, min_size=steps, max_size=steps), min_size=1, max_size=3)
)


@settings(max_examples=60)
@given(st.lists(st.tuples(MATRICES, st.integers(1, 3)), min_size=1, max_size=3))
def test_counts_are_those_of_all_outcomes(queries: list[tuple[list[list[Fraction]], int]]) -> None:
    links = links_of([matrix for matrix, _ in queries])
    below, quiet = kernels.chances_below(*links, ints(need for _, need in queries))
    expected = [all_outcomes(matrix, need) for matrix, need in queries]
    assert_close(below, [p for found, _ in expected for p in found])
    assert_close(quiet, [p for _, found in expected for p in found])
    rank = ints(rank for matrix, _ in queries for rank in range(2, len(matrix[0]) + 2))
    mean = kernels.mean_effort(*links, rank, ints(len(matrix) for matrix, _ in queries))
    efforts = []
    for matrix, _ in queries:
        total = Fraction(0)
        for need in range(1, len(matrix) + 1):
            before = Fraction(1)
            for step, chance in enumerate(all_outcomes(matrix, need)[0]):
                total += (before - chance) * min(Fraction(1), Fraction(need, step + 2))
                before = chance
        efforts.append(total / len(matrix))
    assert_close(mean, efforts)


def test_many_units_are_counted_exactly() -> None:
    """2,000 units of one half each, seen at once: a binomial distribution."""
    units, need = 2000, 1010
    below, _ = kernels.chances_below(*links_of_one_query(np.arange(units), 0, 0.0, 0.5), ints([need]))
    expected = Fraction(sum(math.comb(units, k) for k in range(need)), 2**units)
    assert_close(below, [expected], 1e-13)


def links_of_one_query(unit: Any, step: Any, before: Any, after: Any) -> Links:
    count = len(unit)
    return (
        np.zeros(count, np.int64), np.broadcast_to(unit, count), np.broadcast_to(step, count),
        np.broadcast_to(before, count).astype(float), np.broadcast_to(after, count).astype(float),
        ints([int(np.max(step, initial=-1)) + 1]),
    )  # fmt: skip


def test_counts_of_nothing() -> None:
    nothing = ints([]), ints([]), ints([]), reals([]), reals([])
    for steps in ([], [0], [3], [0, 2, 0]):
        need = np.ones(len(steps), np.int64)
        check_counts((*nothing, ints(steps)), need, ranks_of(ints(steps), [1] * sum(steps)), need)


def test_one_unit_reached_a_million_times() -> None:
    every = np.arange(MANY)
    seen = 1 - 0.999999 ** np.arange(MANY + 1)
    links = links_of_one_query(0 * every, every, seen[:-1], seen[1:])
    below, quiet = kernels.chances_below(*links, ints([1]))
    np.testing.assert_allclose(below, 1 - seen[1:], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(below, quiet)
    below, quiet = kernels.chances_below(*links, ints([2]))  # one unit is never two
    np.testing.assert_allclose(below, 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(quiet, 1 - np.diff(seen), rtol=0, atol=1e-12)
    effort = kernels.mean_effort(*links, every + 1, ints([1]))
    assert_close(effort, [math.fsum(np.diff(seen) / (every + 1))])


def test_a_million_units_that_are_certain() -> None:
    every = np.arange(MANY)
    links = links_of_one_query(every, every, 0.0, 1.0)
    below, quiet = kernels.chances_below(*links, ints([MANY]))
    np.testing.assert_array_equal(below, every < MANY - 1)
    assert not quiet.any()
    assert_close(kernels.mean_effort(*links, every + 1, ints([MANY])), [1.0])


@pytest.mark.parametrize("chance", [0.0, TINY, 1e-200])
def test_a_million_units_that_are_hardly_seen_among_certain_ones(chance: float) -> None:
    """Only the certain ones count."""
    every = np.arange(MANY)
    certain = every % 2 == 1
    links = links_of_one_query(every, every, 0.0, np.where(certain, 1.0, chance))
    below, quiet = kernels.chances_below(*links, ints([MANY // 4]))
    np.testing.assert_array_equal(below, np.cumsum(certain) < MANY // 4)
    np.testing.assert_array_equal(quiet, (np.cumsum(certain) < MANY // 4) & ~certain)
    assert_close(kernels.mean_effort(*links, every + 1, ints([MANY // 2])), [0.5])


def test_a_million_units_at_one_step() -> None:
    """None seen, and at most two of a million."""
    every, rare = np.arange(MANY), 1 / MANY
    links = links_of_one_query(every, 0 * every, 0.0, rare)
    below = [kernels.chances_below(*links, ints([need]))[0][0] for need in (0, 1, 3)]
    none = (1 - rare) ** MANY
    one, two = none * MANY * rare / (1 - rare), none * MANY * (MANY - 1) / 2 * (rare / (1 - rare)) ** 2
    assert below == pytest.approx([0, none, none + one + two], abs=1e-9)  # the powers are not more exact


def test_counts_that_vanish() -> None:
    """Chances so small that products become denormal and then zero, among others of one half."""
    chance = np.random.default_rng(7)
    units, steps = 3000, 40
    after = chance.choice([TINY, 1e-310, 1e-160, 0.5, 1 - 2**-53], units)
    step = chance.integers(0, steps, units)
    links = links_of_one_query(np.arange(units), step, 0.0, after)
    distribution = np.zeros(units + 1)  # of the number of units seen, step by step
    distribution[0] = 1.0
    below, quiet, reached = [], [], []
    for here in range(steps):
        none_new = math.prod((1 - after[step == here]).tolist())
        quiet.append(none_new * np.cumsum(distribution))
        for p in after[step == here].tolist():
            distribution[1:] = distribution[1:] * (1 - p) + distribution[:-1] * p
            distribution[0] *= 1 - p
        below.append(np.cumsum(distribution))
        reached.append(np.cumsum(distribution[::-1])[::-1])
    for need in (1, 500, units):
        found = kernels.chances_below(*links, ints([need]))
        assert_close(found[0], [chances[need - 1] for chances in below])
        assert_close(found[1], [chances[need - 1] for chances in quiet])
    new = np.diff([np.zeros(units + 1), *reached], axis=0)[:, 1:]  # the chance that a need is reached at a step
    worth = np.minimum(1.0, np.arange(1, units + 1) / (np.arange(steps)[:, None] + 1))
    assert_close(kernels.mean_effort(*links, np.arange(steps) + 1, ints([units])), [float((new * worth).sum() / units)])


# ---- orders -------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 2), CHANCE), max_size=9), st.integers(3, 5))
def test_means_over_orders(items: list[tuple[int, float]], owners: int) -> None:
    kept: list[tuple[int, float]] = []
    for owner, chance in items:
        if sum(other == owner for other, _ in kept) < 5:  # more items have too many orders
            kept.append((owner, chance))
    given_ = ints(owner for owner, _ in kept), reals(chance for _, chance in kept), owners
    assert_close(kernels.mean_over_orders(*given_), oracle.mean_over_orders(*given_))


@given(st.lists(CHANCE, max_size=5))
def test_many_orders_are_all_orders(chances: list[float]) -> None:
    """Both slow versions agree."""
    [exact] = oracle.mean_over_orders([0] * len(chances), chances, 1)
    assert oracle.mean_over_many_orders(chances) == pytest.approx(float(exact), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), CHANCE), max_size=40), st.integers(5, 8))
def test_means_over_many_orders(items: list[tuple[int, float]], owners: int) -> None:
    """To 1e-12; to the last bit, what each owner has without the others."""
    found = kernels.mean_over_orders(ints(owner for owner, _ in items), reals(chance for _, chance in items), owners)
    for owner in range(owners):
        chances = [chance for other, chance in items if other == owner]
        assert_close(found[owner : owner + 1], [oracle.mean_over_many_orders(chances)])
        alone = kernels.mean_over_orders(np.zeros(len(chances), np.int64), reals(chances), 1)
        assert floats(alone) == [found[owner]]


def test_a_million_owners_and_an_owner_of_thousands() -> None:
    chance = np.random.default_rng(7)
    values = chance.choice([0.0, TINY, 0.5, 1.0, 1 - 2**-53], MANY)
    means = kernels.mean_over_orders(np.arange(MANY), values, MANY)
    np.testing.assert_array_equal(means, (1 + values) / 2)
    owner, values = np.concatenate([np.zeros(2000, np.int64), np.arange(2000)]), chance.random(4000)
    means = kernels.mean_over_orders(owner, values, 2000)
    np.testing.assert_allclose(means[1:], (1 + values[2001:]) / 2, rtol=0, atol=1e-12)
    assert_close(means[:1], [oracle.mean_over_many_orders(values[:2001])])
    same = kernels.mean_over_orders(np.zeros(2000, np.int64), np.full(2000, 0.75), 1)
    assert_close(same, [(1 - 0.75**2001) / 0.25 / 2001])
