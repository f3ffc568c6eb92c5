"""Resampling against one pass of NumPy over the same number of values, in this process, best of several.

Randomised Tukey HSD over 69 runs, 34 queries and 10,000 permutations permutes 10,000 x 34 x 69 values. The baseline
sums an array of that size once (``array.sum(axis=1)``), the least that any test must do: at most 50x. The time that
NumPy takes to draw and to permute (``Generator.permuted``) the same number of values is printed too.

The study of query-set sizes over the same matrix makes 17 x 100 x 1,275 comparisons of 51 runs on two sets of queries.
The baseline sums the same number of pairs twice: at most 50x.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from common import verdict

from partwise.study import query_sets, statistics
from partwise.study.matrix import Matrix, pairs_of

RUNS, QUERIES, TRIALS = 69, 34, 10_000
ROUNDS = 5


def best(job: Callable[[], object], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        job()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> int:
    chance = np.random.default_rng(7)
    values = chance.random((RUNS, QUERIES))
    matrix = Matrix("m", [f"r{i:02}" for i in range(RUNS)], [f"t{i:02}" for i in range(QUERIES)], values)
    numbers = np.tile(values.T, (TRIALS, 1, 1))
    one_pass = best(lambda: numbers.sum(axis=1))
    drawing = best(lambda: chance.random(numbers.shape))
    permuting = best(lambda: chance.permuted(numbers, axis=2), 2)
    first, second = pairs_of(RUNS)
    tukey = best(lambda: statistics.p_values(matrix, first, second, "tukey", trials=TRIALS, seed=1))
    flips = best(lambda: statistics.p_values(matrix, first, second, "randomisation", trials=TRIALS, seed=1))

    some = query_sets.best_runs(matrix, 0.75)
    pairs = len(pairs_of(len(some.runs))[0])
    two = chance.random((2, QUERIES // 2 * 100, pairs))
    adding = best(lambda: (two[0] + two[1]).sum() + (two[0] - two[1]).sum())
    sizes = best(lambda: query_sets.count_swaps([some], 100, seed=1))
    print(f"{RUNS} runs, {QUERIES} queries, {TRIALS:,} permutations: {1000 * tukey:.0f} ms")
    print(f"one pass over the values {1000 * one_pass:.0f} ms, drawing {1000 * drawing:.0f} ms, ", end="")
    print(f"permuting {1000 * permuting:.0f} ms; sign flips of {len(first):,} pairs {1000 * flips:.0f} ms")
    print(f"{QUERIES // 2} sizes of query sets, 100 trials, {pairs:,} pairs: {1000 * sizes:.0f} ms")
    met = [
        verdict("randomised Tukey HSD to one pass", tukey / one_pass, 50, at_least=False),
        verdict("query-set sizes to two passes", sizes / adding, 50, at_least=False),
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
