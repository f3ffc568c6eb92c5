"""Random numbers that depend on the seed only, not on the number of threads that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar
from zlib import crc32

import numpy as np

from partwise import kernels
from partwise.kernels.arrays import Words
from partwise.model import Ints

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Stream = tuple["np.random.Generator", int]  # quoted, because importing numpy.random takes longer than many tests
"""A random generator and the number of trials that use it."""
Progress = Callable[[int, int], None]
"""Called with the work done and the total."""


class Generators(NamedTuple):
    """Generators as kernels take them, four words each, and the number of trials that use each of them."""

    states: Words
    trials: Ints


def generators(seed: int, purpose: str, trials: int, size: int, begun: int = 0) -> Generators:
    """Random generators with the number of trials for each, at most `size`, whatever the number of threads.

    Those of trials before `begun`, a multiple of `size`, are left out; the others are the same. `purpose` gives each
    test its own random numbers for the same seed. It is part of the seed, so these texts never change. They are what
    ``PCG64(SeedSequence([seed, crc32(purpose)]).spawn(count)[i])`` of NumPy are.
    """
    entropy = [*_halves(seed), crc32(purpose.encode("utf-8", "surrogatepass"))]
    used = np.minimum(size, trials - np.arange(begun, trials, size))
    return Generators(kernels.generators(np.array(entropy, np.uint64), begun // size, len(used)), used)


def _halves(seed: int) -> list[int]:
    """A number as NumPy takes it for entropy: in words of 32 bits, the lowest first."""
    count = max(1, -(-seed.bit_length() // 32))
    return [seed >> 32 * i & 0xFFFFFFFF for i in range(count)]


def streams(seed: int, purpose: str, trials: int, size: int, begun: int = 0) -> list[Stream]:
    """The same generators for what NumPy draws."""
    states, used = generators(seed, purpose, trials, size, begun)
    return list(zip(map(_generator, states.reshape(-1, 4).tolist()), used.tolist(), strict=True))


def _generator(words: Sequence[int]) -> np.random.Generator:
    """What `np.random.default_rng` returned when these numbers became a promise, in the state that is given."""
    bits = np.random.PCG64(0)
    state, step = (high << 64 | low for high, low in (words[:2], words[2:]))
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": step},
        "has_uint32": 0,
        "uinteger": 0,
    }
    return np.random.Generator(bits)


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
