"""Random numbers that a seed decides, in pieces that any number of threads may work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar
from zlib import crc32

import numpy as np

Found = TypeVar("Found")
Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


def streams(seed: int, purpose: str, trials: int, size: int) -> list[tuple[np.random.Generator, int]]:
    """Generators with the number of trials that each is for; `size` trials a piece, whoever works on them.

    `purpose` keeps the numbers of one test apart from those of another with the same seed. It is part of the seed: with
    another text other numbers are drawn, so these texts never change.
    """
    counts = [min(size, trials - begun) for begun in range(0, trials, size)]
    seeds = np.random.SeedSequence([seed, crc32(purpose.encode())]).spawn(len(counts))
    return [(np.random.default_rng(one), count) for one, count in zip(seeds, counts, strict=True)]


def worked(
    job: Callable[[np.random.Generator, int], Found],
    pieces: list[tuple[np.random.Generator, int]],
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Found]:
    """What the job finds in every piece, in order."""

    def told(found: Iterator[Found]) -> list[Found]:
        done = []
        for item in found:
            done.append(item)
            if progress is not None:
                progress(len(done), len(pieces))
        return done

    if jobs == 1 or len(pieces) == 1:
        return told(job(*piece) for piece in pieces)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        return told(pool.map(lambda piece: job(*piece), pieces))
