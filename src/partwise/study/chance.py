"""Random numbers that depend on the seed only, not on the number of threads that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from partwise.kernels.arrays import Words

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Stream = tuple[np.random.Generator, int]
"""A random generator and the number of trials that use it."""
Progress = Callable[[int, int], None]
"""Called with the work done and the total."""


def streams(seed: int, purpose: str, trials: int, size: int, begun: int = 0) -> list[Stream]:
    """Random generators with the number of trials for each, at most `size`, whatever the number of threads.

    Those of trials before `begun`, a multiple of `size`, are left out; the others are the same. `purpose` gives each
    test its own random numbers for the same seed. It is part of the seed, so these texts never change.
    """
    entropy = [seed, crc32(purpose.encode("utf-8", "surrogatepass"))]
    return [
        # what SeedSequence(entropy).spawn returns at this place
        (_generator(np.random.SeedSequence(entropy, spawn_key=(at // size,))), min(size, trials - at))
        for at in range(begun, trials, size)
    ]


def _generator(seeds: np.random.SeedSequence) -> np.random.Generator:
    """What `np.random.default_rng` returned when these numbers became a promise, and kernels continue."""
    return np.random.Generator(np.random.PCG64(seeds))


def state_of(chance: np.random.Generator) -> Words:
    """The state of a generator as `kernels.permuted_ranges` takes it."""
    state: Any = chance.bit_generator.state["state"]
    halves = [divmod(state[name], 1 << 64) for name in ("state", "inc")]
    return np.array(halves, np.uint64).ravel()


def words(chance: np.random.Generator, count: int) -> Words:
    """The next 64-bit numbers of a generator."""
    drawn: Words = chance.bit_generator.random_raw(count)
    return drawn


def map_pieces(
    job: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int = 1, progress: Progress | None = None
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
        return collected(job(piece) for piece in pieces)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        return collected(pool.map(job, pieces))
