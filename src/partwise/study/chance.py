"""Random numbers that depend on the seed only, not on the number of threads that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar
from zlib import crc32

import numpy as np

Result = TypeVar("Result")
Progress = Callable[[int, int], None]
"""Called with the work done and the total."""


def streams(seed: int, purpose: str, trials: int, size: int) -> list[tuple[np.random.Generator, int]]:
    """Random generators with the number of trials for each, at most `size`, whatever the number of threads.

    `purpose` gives each test its own random numbers for the same seed. It is part of the seed, so these texts never
    change.
    """
    counts = [min(size, trials - begun) for begun in range(0, trials, size)]
    seeds = np.random.SeedSequence([seed, crc32(purpose.encode("utf-8", "surrogatepass"))]).spawn(len(counts))
    return [(np.random.default_rng(one), count) for one, count in zip(seeds, counts, strict=True)]


def map_pieces(
    job: Callable[[np.random.Generator, int], Result],
    pieces: list[tuple[np.random.Generator, int]],
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Result]:
    """The result of the job for every piece, in order."""

    def collected(results: Iterator[Result]) -> list[Result]:
        done = []
        for result in results:
            done.append(result)
            if progress is not None:
                progress(len(done), len(pieces))
        return done

    if jobs == 1 or len(pieces) == 1:
        return collected(job(*piece) for piece in pieces)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        return collected(pool.map(lambda piece: job(*piece), pieces))
