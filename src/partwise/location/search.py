"""All matches of a string in another."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from partwise.location.readings import codes_of
from partwise.model import Ints

_GRAM = 16
"""The index has the blocks of 16 characters at offsets 0, 16, 32, ..."""
_FEW = 64
_SCANNED_PER_CANDIDATE = 1000
"""Comparing at one offset takes as long as scanning about this many characters."""
_FACTORS = np.array([pow(0x9E3779B97F4A7C15, i, 2**64) for i in range(1, _GRAM + 1)], np.uint64)


class Haystack:
    """A string with an index that finds all matches of another without scanning everything.

    A match of 31 or more characters contains at least one indexed block, so 16 lookups find all candidates. Shorter
    strings are searched by scanning.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _index(self) -> tuple[NDArray[np.uint64], Ints]:
        """The hashes of the blocks, ascending, and the number of each block."""
        codes = codes_of(self.text)
        blocks = codes[: len(codes) // _GRAM * _GRAM].reshape(-1, _GRAM)
        hashes = np.zeros(len(blocks), np.uint64)
        for i in range(_GRAM):
            hashes += blocks[:, i].astype(np.uint64) * _FACTORS[i]
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order

    def places(self, pattern: str) -> Ints:
        """The start of every match of `pattern`, overlapping ones too."""
        if len(pattern) < 2 * _GRAM - 1 or len(self.text) < 64 * _GRAM:
            return scanned(self.text, pattern)
        bounds, shift = self._candidates(pattern[: 2 * _GRAM - 1]), 0
        few = _FEW + len(self.text) // _SCANNED_PER_CANDIDATE
        if (bounds[1] - bounds[0]).sum() > _FEW:
            bounds = self._candidates(pattern)
            in_window = np.convolve(bounds[1] - bounds[0], np.ones(_GRAM, np.int64), "valid")
            shift = int(in_window.argmin())
            if in_window[shift] > few:
                return scanned(self.text, pattern)
        block_number = self._index[1]
        matches = [
            at
            for before in range(shift, shift + _GRAM)
            for block in block_number[bounds[0][before] : bounds[1][before]].tolist()
            if (at := block * _GRAM - before) >= 0 and self.text.startswith(pattern, at)
        ]
        return np.array(sorted(matches), np.int64)

    def _candidates(self, pattern: str) -> tuple[Ints, Ints]:
        """For every window of `pattern`, the range of index entries that have its hash."""
        windows = np.lib.stride_tricks.sliding_window_view(codes_of(pattern).astype(np.uint64), _GRAM)
        hashes = (windows * _FACTORS).sum(axis=1, dtype=np.uint64)
        indexed = self._index[0]
        return np.searchsorted(indexed, hashes), np.searchsorted(indexed, hashes, side="right")


def scanned(text: str, pattern: str) -> Ints:
    """The start of every match of `pattern` in `text`, in linear time.

    Matches closer than half its length form a periodic run; the end of such a run is computed instead of searching for
    each match in it.
    """
    matches: list[Iterable[int]] = []
    size = len(pattern)
    at = text.find(pattern)
    while at >= 0:
        matches.append((at,))
        again = text.find(pattern, at + 1)
        step = again - at
        if again >= 0 and 2 * step <= size:
            end = _end_of_period(text, again + size, step)
            last = again + (end - size - again) // step * step
            matches.append(range(again, last + 1, step))
            again = text.find(pattern, max(last, end - step) + 1)
        at = again
    return np.array([start for run in matches for start in run], np.int64)


def _end_of_period(text: str, at: int, step: int) -> int:
    """The first offset from `at` on whose character differs from the one `step` before it."""
    size = 64
    while at < len(text):
        size = min(size, len(text) - at)
        if text[at : at + size] == text[at - step : at - step + size]:
            at, size = at + size, 2 * size
        elif size == 1:
            return at
        else:
            size = (size + 1) // 2
    return at
