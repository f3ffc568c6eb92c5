"""The kernels of randomisation tests once more, with fractions, lists of random words and NumPy's seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, TypeVar

import numpy as np

Item = TypeVar("Item")


def generators(entropy: Sequence[int], first: int, count: int) -> list[int]:
    """The states and increments that NumPy gives its generators, in halves."""
    words: list[int] = []
    for key in range(first, first + count):
        state: Any = np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(key,))).state["state"]
        words += [half for name in ("state", "inc") for half in divmod(state[name], 1 << 64)]
    return words


def random_signs(words: Sequence[Sequence[int]], trials: Sequence[int], queries: int) -> list[int]:
    """Bit q % 8 of byte q // 8 of each trial, the first bytes of all trials before the second ones.

    Each sign is the highest bit of a byte of the 64-bit random words of a generator, the lowest byte first.
    """
    rows: list[list[int]] = []
    for of_generator, count in zip(words, trials, strict=True):
        drawn = [byte >> 7 for word in of_generator for byte in word.to_bytes(8, "little")]
        rows += [drawn[i * queries : (i + 1) * queries] for i in range(count)]
    return [
        sum(sign << i for i, sign in enumerate(row[begin : begin + 8]))
        for begin in range(0, queries, 8)
        for row in rows
    ]


def row_sums(numbers: Sequence[float], columns: int) -> list[list[float]]:
    """By NumPy, whose last bits they have."""
    rows = np.array(numbers, np.float64).reshape(-1, columns)
    spread = rows.std(axis=1, ddof=1) if columns > 1 else np.full(len(rows), np.nan)
    sums = rows.sum(axis=1), np.abs(rows).sum(axis=1), spread, np.ptp(rows, axis=1)
    return [column.tolist() for column in (*sums, (rows > 0).sum(axis=1), (rows == 0).sum(axis=1))]


def changed_sums(
    values: Sequence[float], queries: int, first: Sequence[int], second: Sequence[int], changed: Sequence[float]
) -> list[float]:
    """By how much these differences are not those of the columns."""
    apart = differences(values, queries, first, second, 0.0)
    sizes = [abs(a - b) for a, b in zip(apart, changed, strict=True)]
    return [sum(sizes[i : i + queries]) for i in range(0, len(sizes), queries)]


def differences(
    values: Sequence[float], queries: int, first: Sequence[int], second: Sequence[int], equal: float
) -> list[float]:
    """Differences of the values of two columns, without those that are no larger than `equal`."""
    columns = [values[i : i + queries] for i in range(0, len(values), queries)]
    apart = [a - b for i, j in zip(first, second, strict=True) for a, b in zip(columns[i], columns[j], strict=True)]
    return [0.0 if abs(difference) <= equal else difference for difference in apart]


def flip_counts(
    signs: Sequence[int],
    values: Sequence[float],
    queries: int,
    first: Sequence[int],
    second: Sequence[int],
    reached: Sequence[float],
    one_sided: bool,
) -> list[int]:
    """In how many trials the exact sums of two columns with these signs are at least `reached` apart."""
    columns = [values[i : i + queries] for i in range(0, len(values), queries)]
    counts = [0] * len(first)
    for trial in range(0, len(signs), queries):
        kept = [byte >= 128 for byte in signs[trial : trial + queries]]
        sums = [
            sum((Fraction(value) if keep else -Fraction(value) for value, keep in zip(column, kept, strict=True)))
            for column in columns
        ]
        for pair, (one, other) in enumerate(zip(first, second, strict=True)):
            apart = sums[one] - sums[other]
            counts[pair] += (apart if one_sided else abs(apart)) >= Fraction(reached[pair])
    return counts


def pieces(words: Sequence[int], bits: int) -> Iterator[int]:
    """The pieces of 64-bit random words, the lowest of each word first."""
    return (word >> begin & (1 << bits) - 1 for word in words for begin in range(0, 64, bits))


def permuted(items: Sequence[Item], drawn: Iterator[int], bits: int) -> list[Item]:
    """The items after each of them, from the last one on, is exchanged with a random one up to it.

    Of the product of a piece and the number of possible places, the upper half is the place. The piece is
    dropped if the lower half is too small: otherwise some places would have one piece more than others.
    """
    order = list(items)
    for count in range(len(order), 1, -1):
        product = next(drawn) * count
        while product % 2**bits < 2**bits % count:
            product = next(drawn) * count
        place = product // 2**bits
        order[count - 1], order[place] = order[place], order[count - 1]
    return order


def permuted_ranges(
    words: Sequence[int], values: Sequence[float], queries: int, runs: int, measures: int, trials: int
) -> list[float]:
    """For every trial and measure the range of the runs' sums, with enough 64-bit random words."""
    drawn = pieces(words, 16)
    ranges: list[float] = []
    for _ in range(trials):
        sums = [[0.0] * measures for _ in range(runs)]
        for query in range(queries):
            begin = query * runs * measures
            rows = [values[begin + run * measures : begin + (run + 1) * measures] for run in range(runs)]
            for of_run, row in zip(sums, permuted(rows, drawn, 16), strict=True):
                for measure, value in enumerate(row):
                    of_run[measure] += value
        ranges += [max(of_measure) - min(of_measure) for of_measure in zip(*sums, strict=True)]
    return ranges


def permutations(words: Sequence[int], count: int, trials: int, kept: int) -> list[int]:
    """The first numbers of a permutation for every trial, with enough 64-bit random words."""
    drawn = pieces(words, 32)
    return [number for _ in range(trials) for number in permuted(range(count), drawn, 32)[:kept]]


def swap_counts(
    orders: Sequence[int],
    size: int,
    values: Sequence[float],
    offsets: Sequence[int],
    equal: float,
    per_unit: float,
    slack: float,
    steps: int,
) -> list[int]:
    """Differences of the exact means of pairs of runs, by measure, step and whether the other set swaps them."""
    columns = offsets[-1]
    counts = [0] * (2 * steps * (len(offsets) - 1))

    def mean(queries: Sequence[int], column: int) -> Fraction:
        return sum((Fraction(values[query * columns + column]) for query in queries), Fraction(0)) / size

    for trial in range(0, len(orders), 2 * size):
        sets = orders[trial : trial + size], orders[trial + size : trial + 2 * size]
        for measure, (low, high) in enumerate(pairwise(offsets)):
            for one, other in combinations(range(low, high), 2):
                apart, again = (mean(queries, one) - mean(queries, other) for queries in sets)
                step = min(int(abs(apart) * Fraction(per_unit) + Fraction(slack)), steps - 1)
                is_swap = min(abs(apart), abs(again)) > Fraction(equal) and (apart > 0) != (again > 0)
                counts[2 * (measure * steps + step) + is_swap] += 1
    return counts
