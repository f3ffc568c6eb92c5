"""The kernels of randomisation tests once more, with fractions and with lists of 32-bit numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


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


def permuted_ranges(
    words: Sequence[int], values: Sequence[float], queries: int, runs: int, measures: int, trials: int
) -> list[float] | None:
    """For every trial and measure the range of the runs' sums; None if there are too few words."""
    numbers = iter([half for word in words for half in (word % 2**32, word // 2**32)])
    ranges = []
    try:
        for _ in range(trials):
            sums = [[0.0] * measures for _ in range(runs)]
            for query in range(queries):
                begin = query * runs * measures
                rows = [values[begin + run * measures : begin + (run + 1) * measures] for run in range(runs)]
                for last in range(runs - 1, 0, -1):
                    place = last + 1
                    while place > last:
                        place = next(numbers) % 2 ** last.bit_length()
                    rows[last], rows[place] = rows[place], rows[last]
                for of_run, row in zip(sums, rows, strict=True):
                    for measure, value in enumerate(row):
                        of_run[measure] += value
            ranges += [max(of_measure) - min(of_measure) for of_measure in zip(*sums, strict=True)]
    except StopIteration:
        return None
    return ranges
