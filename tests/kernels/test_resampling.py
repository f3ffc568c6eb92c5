"""Randomisation tests: counts of sums with random signs, and ranges after permutations, of numbers that NumPy draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from partwise.kernels.arrays import Floats, Octets, Words
from partwise.study import statistics
from partwise.study.chance import generators, streams
from support.arrays import ints, numpys_permutations, reals

WHOLE = st.integers(-50, 50).map(float)
"""Values whose sums are exact, so that any order of additions must give the same counts."""


def packed(signs: Octets) -> Octets:
    """The highest bits of bytes by trial and query, as `flip_counts` takes them."""
    return np.packbits(signs >= 128, axis=1, bitorder="little").T.ravel()


def words(chance: np.random.Generator, count: int) -> list[int]:
    """The next 64-bit numbers of a generator."""
    return chance.bit_generator.random_raw(count).tolist()


def state_of(chance: np.random.Generator) -> Words:
    """The state of a generator as kernels take it."""
    state: Any = chance.bit_generator.state["state"]
    return np.array([divmod(state[name], 1 << 64) for name in ("state", "inc")], np.uint64).ravel()


@given(st.lists(st.integers(0, 2**32 - 1), max_size=9), st.one_of(st.integers(0, 9), st.integers(0, 2**40)))
def test_generators(entropy: list[int], first: int) -> None:
    """They are seeded as NumPy seeds them."""
    assert kernels.generators(np.array(entropy, np.uint64), first, 3).tolist() == oracle.generators(entropy, first, 3)


@given(st.integers(0, 2**130), st.text(max_size=9), st.integers(0, 9))
def test_generators_of_a_seed(seed: int, purpose: str, first: int) -> None:
    states, trials = generators(seed, purpose, first + 3, 1, first)
    assert trials.tolist() == [1, 1, 1]
    entropy = [seed, crc32(purpose.encode("utf-8", "surrogatepass"))]
    theirs = np.random.SeedSequence(entropy).spawn(first + 3)[first:]
    assert states.tolist() == [word for one in theirs for word in state_of(np.random.default_rng(one)).tolist()]


def test_streams_are_numpys_generators() -> None:
    entropy = [7, crc32(b"test")]
    theirs = [np.random.default_rng(seeds) for seeds in np.random.SeedSequence(entropy).spawn(4)]
    ours = streams(7, "test", 31, 9)
    assert [count for _, count in ours] == [9, 9, 9, 4]
    assert [chance.random(3).tolist() for chance, _ in ours] == [chance.random(3).tolist() for chance in theirs]


@given(st.integers(0, 2**32), st.integers(1, 70), st.lists(st.integers(0, 30), max_size=20))
def test_random_signs(seed: int, queries: int, trials: list[int]) -> None:
    """Streams that are drawn side by side have the numbers that NumPy draws with each of them."""
    states, _ = generators(seed, "test", len(trials), 1)
    drawn = [
        chance.integers(0, 2, (count, queries), np.int8)
        for (chance, _), count in zip(streams(seed, "test", len(trials), 1), trials, strict=True)
    ]
    signs = np.concatenate([np.empty((0, queries), np.int8), *drawn]).astype(np.uint8) << 7
    random = [words(chance, 30 * queries) for chance, _ in streams(seed, "test", len(trials), 1)]
    theirs = oracle.random_signs(random, trials, queries)
    assert kernels.random_signs(states, ints(trials), queries).tolist() == packed(signs).tolist() == theirs


@given(st.data(), st.integers(1, 40), st.integers(1, 9), st.sampled_from([0.0, 0.25, 1e-9]))
def test_differences(data: st.DataObject, queries: int, columns: int, equal: float) -> None:
    """Bit for bit, with zeros of either sign, infinite values and values that are not numbers."""
    value = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 0.5, 0.75, 0.5 + 1e-9, 1e-9]))
    values = data.draw(st.lists(value, min_size=columns * queries, max_size=columns * queries))
    column = st.integers(0, columns - 1)
    pairs = data.draw(st.lists(st.tuples(column, column), max_size=9))
    first, second = ([pair[i] for pair in pairs] for i in range(2))
    found = kernels.differences(reals(values), queries, ints(first), ints(second), equal)
    plain = oracle.differences(values, queries, first, second, equal)
    assert [repr(number) for number in found.tolist()] == [repr(number) for number in plain]


@given(st.integers(0, 2**32), st.integers(1, 700), st.integers(0, 4), st.sampled_from([1, 2, 1000]))
def test_sums_of_rows(seed: int, columns: int, rows: int, steps: int) -> None:
    """Bit for bit those of NumPy, of many numbers too, and of numbers that are often the same."""
    chance = np.random.default_rng(seed)
    numbers = (
        chance.integers(-steps, steps + 1, rows * columns) / 3 if steps < 1000 else chance.normal(size=rows * columns)
    )
    found = [column.tolist() for column in kernels.row_sums(numbers, columns)]
    expected = oracle.row_sums(numbers, columns)
    assert [list(map(repr, column)) for column in found] == [list(map(repr, column)) for column in expected]


@given(st.data(), st.integers(1, 20), st.integers(1, 5))
def test_what_setting_differences_to_0_changes(data: st.DataObject, queries: int, columns: int) -> None:
    value = st.sampled_from([0.0, 0.5, 0.75, 1.0])
    values = data.draw(st.lists(value, min_size=columns * queries, max_size=columns * queries))
    column = st.integers(0, columns - 1)
    pairs = data.draw(st.lists(st.tuples(column, column), max_size=9))
    first, second = ([pair[i] for pair in pairs] for i in range(2))
    apart = kernels.differences(reals(values), queries, ints(first), ints(second), 0.25)
    found = kernels.changed_sums(reals(values), queries, ints(first), ints(second), apart)
    assert found.tolist() == oracle.changed_sums(values, queries, first, second, apart.tolist())


@given(st.data(), st.integers(1, 40), st.integers(1, 20), st.integers(0, 12), st.booleans())
def test_flip_counts(data: st.DataObject, queries: int, columns: int, trials: int, one_sided: bool) -> None:
    chance = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    signs = chance.integers(0, 256, trials * queries, np.uint8)
    values = chance.integers(-50, 51, columns * queries).astype(np.float64)
    column = st.integers(0, columns - 1)
    pairs = data.draw(st.lists(st.tuples(column, column, WHOLE), max_size=30))
    first, second, reached = ([pair[i] for pair in pairs] for i in range(3))
    counted = kernels.flip_counts(
        packed(signs.reshape(trials, queries)), values, queries, ints(first), ints(second), reals(reached), one_sided
    )
    plain = signs.tolist(), values.tolist(), queries, first, second, reached, one_sided
    assert counted.tolist() == oracle.flip_counts(*plain)


@given(
    st.integers(0, 2**32),
    st.integers(0, 700),
    st.booleans(),
    st.sampled_from([0, 1020, -1060]),
    st.sampled_from([0.0, 0.5, 1.0, 1.5]),
)
def test_flip_counts_of_many_trials(seed: int, trials: int, one_sided: bool, exponent: int, beyond: float) -> None:
    """Whole sums at the difference that is reached, just below it and just above it, with the largest exponents."""
    chance = np.random.default_rng(seed)
    signs, values = chance.integers(0, 256, (trials, 9), np.uint8), chance.integers(-2, 3, (20, 9))
    sums = np.where(signs >= 128, 1, -1) @ values.T
    first, second = chance.integers(0, 20, (2, 12))
    apart = sums[:, first] - sums[:, second]
    reached = chance.integers(-3, 30, 12) + beyond - 0.5
    plain = ((apart if one_sided else np.abs(apart)) >= reached).sum(axis=0)
    scaled = np.ldexp(values.astype(np.float64), exponent - 6), np.ldexp(reached, exponent - 6)
    counted = kernels.flip_counts(packed(signs), scaled[0].ravel(), 9, first, second, scaled[1], one_sided)
    assert counted.tolist() == plain.tolist()


def sums_in_order(signs: Octets, values: Floats) -> Floats:
    """Sums by trial and column as the kernel rounds them: four values, eight of them, and then each further eight."""
    trials, queries = signs.shape
    padded = np.zeros((len(values), -(-queries // 8) * 8))
    padded[:, :queries] = values
    is_kept = np.zeros((trials, padded.shape[1]), np.bool_)
    is_kept[:, :queries] = signs >= 128
    sums = np.zeros((trials, len(values)))
    for begin in range(0, queries, 8):
        halves = [np.zeros_like(sums), np.zeros_like(sums)]
        for query in range(begin, begin + 8):
            halves[query % 8 // 4] += np.where(is_kept[:, query, None], padded[:, query], -padded[:, query])
        sums += halves[0] + halves[1]
    return sums


VALUES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "ties": lambda chance, shape: chance.integers(-2, 3, shape) / 4,
    "thirds": lambda chance, shape: chance.integers(0, 7, shape) / 3,
    "any": lambda chance, shape: chance.random(shape) * chance.choice([0.0, 1.0, 1e-6], shape),
    "one large column": lambda chance, shape: chance.random(shape) * np.where(np.arange(shape[0]), 1, 1e4)[:, None],
    "zeros": lambda chance, shape: np.zeros(shape),
    "tiny": lambda chance, shape: chance.random(shape) * 10.0 ** chance.integers(-323, -275),
    "huge": lambda chance, shape: chance.random(shape) * 10.0 ** chance.integers(285, 308),
    "not numbers": lambda chance, shape: np.where(chance.random(shape) < 0.01, np.nan, chance.random(shape)),
    "infinite": lambda chance, shape: np.where(chance.random(shape) < 0.01, -np.inf, chance.random(shape)),
}


@pytest.mark.parametrize("trials", [129, 700, 1000])
def test_flip_counts_of_a_short_last_tile(trials: int) -> None:
    """A difference of about 0 is reached in less than half of the trials; marks of an earlier tile are not counted."""
    chance = np.random.default_rng(trials)
    values = chance.random((20, 64))
    signs = chance.integers(0, 256, (trials, 64), np.uint8)
    apart = np.where(signs >= 128, 1, -1) @ (values[0] - values[1])
    signs[np.flatnonzero(apart > 0)[: trials // 4]] ^= 128  # so that fewer are positive
    apart = np.where(signs >= 128, 1, -1) @ (values[0] - values[1])
    for reached in np.linspace(0, 0.1, 200).tolist():
        counted = kernels.flip_counts(packed(signs), values.ravel(), 64, ints([0]), ints([1]), reals([reached]), True)
        assert counted.tolist() == [(apart >= reached).sum()], reached


@given(
    st.integers(0, 2**32),
    st.one_of(st.integers(1, 40), st.sampled_from([200, 500])),
    st.sampled_from([1, 2, 16, 17, 33, 64, 65, 130]),
    st.one_of(st.integers(0, 20), st.sampled_from([255, 256, 257, 600, 1100])),
    st.sampled_from(list(VALUES)),
    st.sampled_from([0.0, 0.0, 0.01, 0.5, 1.0]),
    st.booleans(),
)
def test_flip_counts_have_the_bits_of_all_sums(
    seed: int, queries: int, columns: int, trials: int, kind: str, p: float, one_sided: bool
) -> None:
    """Differences that are reached by the sums of one trial or missed by one bit, with small and large p."""
    chance = np.random.default_rng(seed)
    signs, values = chance.integers(0, 256, (trials, queries), np.uint8), VALUES[kind](chance, (columns, queries))
    first, second = chance.integers(0, columns, (2, 30))
    with np.errstate(all="ignore"):
        sums = sums_in_order(signs, values)
        apart = sums[:, first] - sums[:, second]
    apart = apart if one_sided else np.abs(apart)
    reached = (
        np.sort(np.where(np.isnan(apart), -np.inf, apart), axis=0)[::-1][int(p * (trials - 1))]
        if trials
        else np.zeros(30)
    )
    reached = np.where(np.arange(30) % 2, reached, np.nextafter(reached, np.inf))
    reached[:3] = chance.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-320, 1e300], 3)
    counted = kernels.flip_counts(packed(signs), values.ravel(), queries, first, second, reached, one_sided)
    assert counted.tolist() == (apart >= reached).sum(axis=0).tolist()


@given(
    st.integers(0, 2**32),
    st.integers(1, 11),
    st.one_of(st.integers(1, 40), st.sampled_from([63, 64, 65, 128, 129, 257])),
    st.integers(1, 4),
    st.lists(st.integers(0, 3), max_size=10),
)
def test_permuted_ranges(seed: int, queries: int, runs: int, measures: int, trials: list[int]) -> None:
    """Streams whose trials are made together have the numbers that each of them has alone."""
    values = np.random.default_rng(seed).random(queries * runs * measures)
    states, _ = generators(seed, "test", len(trials), 1)
    ranges = kernels.permuted_ranges(states, ints(trials), values, queries, runs, measures)
    plain: list[float] = []
    for (chance, _), count in zip(streams(seed, "test", len(trials), 1), trials, strict=True):
        drawn = words(chance, count * queries * runs + 100)
        plain += oracle.permuted_ranges(drawn, values.tolist(), queries, runs, measures, count)
    assert ranges.tolist() == plain


@given(st.integers(0, 2**32), st.integers(1, 70), st.integers(0, 5), st.data())
def test_permutations(seed: int, count: int, trials: int, data: st.DataObject) -> None:
    kept = data.draw(st.integers(0, count))
    chance, other = np.random.default_rng(seed), np.random.default_rng(seed)
    permuted = kernels.permutations(state_of(chance), count, trials, kept)
    theirs = numpys_permutations(other, count, trials, np.uint32)[:, :kept].ravel()
    drawn = words(chance, trials * count + 100)
    assert permuted.tolist() == theirs.tolist() == oracle.permutations(drawn, count, trials, kept)


@pytest.mark.parametrize("runs", [3_000, 5_000, 40_000, 65_535])
def test_ranges_of_many_runs(runs: int) -> None:
    """Pieces of 16 bits are often dropped, up to half of them."""
    chance, other = np.random.default_rng(runs), np.random.default_rng(runs)
    values = chance.bit_generator.random_raw(2 * runs).astype(np.float64)
    other.bit_generator.state = chance.bit_generator.state
    found = kernels.permuted_ranges(state_of(chance), ints([1]), values, 2, runs, 1)
    orders = numpys_permutations(other, runs, 2, np.uint16)
    theirs = np.ptp(np.take_along_axis(values.reshape(2, runs), orders, axis=1).sum(axis=0))
    assert found.tolist() == [theirs] == oracle.permuted_ranges(words(chance, 2 * runs), values.tolist(), 2, runs, 1, 1)


def test_a_permutation_of_many_numbers() -> None:
    """Some pieces of 32 bits are dropped."""
    count, seed = 400_000, 7
    chance, other, bare = (np.random.default_rng(seed) for _ in range(3))
    permuted = kernels.permutations(state_of(chance), count, 1, count)
    pieces = bare.bit_generator.random_raw(count // 2).astype("<u8").view("<u4")[: count - 1].astype(np.uint64)
    bounds = np.arange(count, 1, -1).astype(np.uint64)
    assert ((pieces * bounds & 0xFFFFFFFF) < 2**32 % bounds).sum() > 3
    assert permuted.tolist() == numpys_permutations(other, count, 1, np.uint32)[0].tolist()
    assert permuted.tolist() == oracle.permutations(words(chance, count), count, 1, count)


@given(st.data(), st.integers(1, 7), st.lists(st.integers(0, 9), min_size=1, max_size=3), st.integers(0, 4))
def test_swap_counts(data: st.DataObject, size: int, runs: list[int], trials: int) -> None:
    """Values are multiples of 1/64, far from each edge between steps or on it."""
    runs[0] += not any(runs)
    chance = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    queries = 2 * size + data.draw(st.integers(0, 2))
    values = chance.integers(0, 9, queries * sum(runs)) / data.draw(st.sampled_from([8, 64]))
    orders = np.concatenate([chance.permutation(queries)[: 2 * size] for _ in range(trials)] or [ints([])])
    offsets, per_unit, steps = ints([0, *np.cumsum(runs)]), data.draw(st.sampled_from([4.0, 400.0])), 9
    counted = kernels.swap_counts(orders, size, values, offsets, 1e-9, per_unit, 1e-9, steps)
    plain = orders.tolist(), size, values.tolist(), offsets.tolist(), 1e-9, per_unit, 1e-9, steps
    assert counted.tolist() == oracle.swap_counts(*plain)


@given(st.integers(0, 2**32), st.integers(1, 70), st.integers(1, 9))
def test_the_numbers_are_those_of_numpy(seed: int, runs: int, queries: int) -> None:
    """Permutations are made with the numbers that its generators draw."""
    values = np.random.default_rng(1).random((2, runs, queries))
    for (chance, trials), ranges in zip(
        streams(seed, "tukey", 5, 5), [statistics.largest_ranges(values, 5, seed)], strict=True
    ):
        orders = numpys_permutations(chance, runs, trials * queries, np.uint16)
        for of_measure, found in zip(values, ranges, strict=True):
            permuted = np.take_along_axis(np.tile(of_measure.T, (trials, 1)), orders, axis=1)
            sums = permuted.reshape(trials, queries, runs).sum(axis=1)
            assert (np.ptp(sums, axis=1) / queries).tolist() == found.tolist()


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(17, 60), st.sampled_from([0.25, 1e-3, 1e-13, None]))
def test_pairs_that_share_sums_have_the_same_counts(seed: int, runs: int, queries: int, step: float | None) -> None:
    """Also with ties, with differences that are rounding errors, and with values much larger than differences."""
    chance = np.random.default_rng(seed)
    values = chance.random((runs, queries)) if step is None else chance.integers(0, 5, (runs, queries)) * step
    values += chance.choice([0.0, 0.0, 1e9])
    first, second = (side.astype(np.int64) for side in np.triu_indices(runs, 1))
    difference = statistics.differences(values, first, second)
    for one_sided in (False, True):
        alone = statistics.flip_counts(difference, 0, 300, seed, one_sided=one_sided)
        pairing = statistics.Pairing(values, first, second)
        shared = statistics.flip_counts(difference, 0, 300, seed, one_sided=one_sided, pairing=pairing)
        total = difference.sum(axis=1)
        reached = (total if one_sided else np.abs(total)) - 1e-10 * np.abs(difference).sum(axis=1)
        counts = np.zeros(len(first), np.int64)
        for generator, trials in streams(seed, "sign flips", 300, statistics.PIECE):
            signs = np.where(generator.integers(0, 2, (trials, queries), np.int8), 1.0, -1.0)
            sums = signs @ difference.T
            counts += ((sums if one_sided else np.abs(sums)) >= reached).sum(axis=0)
        assert alone.tolist() == shared.tolist() == counts.tolist()


def test_columns_that_are_missing_are_errors() -> None:
    signs, values, one = np.zeros(1, np.uint8), np.zeros(4), ints([0])
    for wrong in (ints([1]), ints([-1])):
        with pytest.raises(IndexError):
            kernels.flip_counts(signs, values, 4, one, wrong, np.zeros(1), False)
        with pytest.raises(IndexError):
            kernels.differences(values, 4, wrong, one, 0.0)
    with pytest.raises(ValueError, match="differ in length"):
        kernels.differences(values, 4, one, ints([]), 0.0)
    with pytest.raises(ValueError, match="be negative"):
        kernels.differences(values, -1, one, one, 0.0)
    with pytest.raises(ValueError, match="the same number of values"):
        kernels.row_sums(values, len(values) - 1)
    with pytest.raises(ValueError, match="pairs differ in length"):
        kernels.changed_sums(values, 4, one, one, values[:1])
    with pytest.raises(ValueError, match="differ in length"):
        kernels.flip_counts(signs, values, 4, one, ints([]), np.zeros(1), False)
    with pytest.raises(ValueError, match="not signs"):
        kernels.flip_counts(np.zeros(3, np.uint8), np.zeros(9), 9, one, one, np.zeros(1), False)
    with pytest.raises(ValueError, match="this shape"):
        kernels.permuted_ranges(np.zeros(4, np.uint64), ints([1]), values, 2, 2, 2)
    with pytest.raises(ValueError, match="at most 65,535 runs"):
        kernels.permuted_ranges(np.zeros(4, np.uint64), ints([1]), np.zeros(65_536), 1, 65_536, 1)
    with pytest.raises(ValueError, match="be negative"):
        kernels.permuted_ranges(np.zeros(8, np.uint64), ints([1, -1]), values, 1, 2, 2)
    with pytest.raises(ValueError, match="be negative"):
        kernels.random_signs(np.zeros(4, np.uint64), ints([1]), -1)
    with pytest.raises(ValueError, match="four words"):
        kernels.random_signs(np.zeros(3, np.uint64), ints([1]), 1)
    for first, count in ((-1, 1), (0, -1)):
        with pytest.raises(ValueError, match="no such generators"):
            kernels.generators(np.zeros(1, np.uint64), first, count)
    with pytest.raises(ValueError, match="32 bits"):
        kernels.generators(np.array([2**32], np.uint64), 0, 1)
    for count, trials, kept in ((0, 1, 0), (2, 1, 3), (2, -1, 1), (2, 1, -1), (2**31 + 1, 0, 0)):
        with pytest.raises(ValueError, match="no such permutations"):
            kernels.permutations(np.zeros(4, np.uint64), count, trials, kept)
    with pytest.raises(ValueError, match="four words"):
        kernels.permutations(np.zeros(3, np.uint64), 1, 1, 1)
    with pytest.raises(ValueError, match="four words"):
        kernels.permuted_ranges(np.zeros(5, np.uint64), ints([1]), values, 1, 2, 2)
    for orders, size, offsets in (([0], 1, [0, 2]), ([0, 1], 0, [0, 2]), ([0, 1], 1, [0, 3, 2]), ([0, 1], 1, [0])):
        with pytest.raises(ValueError, match="this shape"):
            kernels.swap_counts(ints(orders), size, values, ints(offsets), 0.0, 1.0, 0.0, 1)
    with pytest.raises(ValueError, match="this shape"):
        kernels.swap_counts(ints([0, 1]), 1, values, ints([0, 2]), 0.0, 1.0, 0.0, 2**31)
    with pytest.raises(IndexError):
        kernels.swap_counts(ints([0, 2]), 1, values, ints([0, 2]), 0.0, 1.0, 0.0, 1)


def test_signs_that_are_shared_are_those_that_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    difference = np.random.default_rng(5).normal(0.05, 1, (4, 33))
    for kept in (0, 300, statistics.KEPT_BYTES):
        monkeypatch.setattr(statistics, "KEPT_BYTES", kept)
        signs = statistics.Signs()
        for begun, end, seed in ((0, 5250, 1), (5250, 5300, 1), (0, 5250, 1), (0, 5250, 2), (0, 700, 1)):
            drawn = statistics.flip_counts(difference, begun, end, seed)
            for _ in range(2):
                assert statistics.flip_counts(difference, begun, end, seed, signs=signs).tolist() == drawn.tolist()
