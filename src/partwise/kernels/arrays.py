"""Column functions in plain NumPy, and the types that kernels share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise.kernels import _native
from partwise.records import record

__all__ = [
    "LARGEST_SUM",
    "Trees",
    "exact_sum",
    "exact_sums",
    "first_sums",
    "keep_memory",
    "pairs_of_groups",
    "ratios",
    "running_sums",
    "segment_sums",
    "tolerant_reading",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Octets = NDArray[np.uint8]

LARGEST_SUM = 2**62
"""Sums of characters stay below this, so that they are exact in 64 bits."""


@record(eq=False, repr=False)
class Trees:
    """The nodes of several documents, one document after the other; nodes are numbered from 0 in each."""

    offsets: Ints
    parent: Ints
    last: Ints
    start: Ints
    end: Ints


_INT64 = np.dtype(np.int64)
_KEPT = 31 << 20


def keep_memory() -> None:
    """Let the C library keep the memory of one batch for the next, instead of returning it to the system.

    The system clears each page of memory that it hands out again, which takes as long as scoring a batch. glibc keeps
    up to twice as much as the largest array that was freed so far, if that is less than 32 MiB; this frees one that was
    never written to. Other libraries have their own rules.
    """
    np.empty(_KEPT, np.uint8)


def first_sums(values: NDArray[Any], offsets: Ints, cutoff: int | None) -> Any:
    """The sums of the first `cutoff` of ``values[offsets[t]:offsets[t+1]]``, as `segment_sums` computes them."""
    if values.dtype is _INT64:
        return _native._first_sums(values, offsets, cutoff)
    ends = offsets[1:] if cutoff is None else np.minimum(offsets[1:], offsets[:-1] + cutoff)
    return segment_sums(values, offsets[:-1], ends)


def ratios(part: Any, whole: Any) -> Floats:
    """Part divided by whole, 0 where the whole is 0."""
    quotients = _native._ratios(part, whole)
    if quotients is None:  # scalars, or columns of other types or sizes
        whole = np.asarray(whole, np.float64)
        quotients = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole != 0)
    return quotients


def exact_sum(values: Floats) -> float:
    """The sum of a column as `math.fsum` computes it, which rounds it once."""
    total = _native._exact_sums(values, 1)
    return math.fsum(values.tolist()) if total is None else float(total[0])


def exact_sums(rows: Floats) -> Floats:
    """The sum of each row of a matrix, in the same way."""
    totals = _native._exact_sums(rows.ravel(), len(rows))
    return np.array([exact_sum(row) for row in rows]) if totals is None else totals


def segment_sums(values: NDArray[Any], start: Ints, end: Ints) -> Any:
    """The sum of ``values[start[t]:end[t]]``, computed per segment, so that other segments do not affect rounding."""
    if values.dtype.kind in "bi":
        return _native._whole_sums(values.astype(np.int64, copy=False), start, end)
    padded = np.append(values, values.dtype.type(0))
    bounds = np.stack([start, end], axis=1).reshape(-1)
    total = np.add.reduceat(padded, bounds)[::2] if len(bounds) else padded[:0]
    return np.where(start < end, total, 0)


def running_sums(values: Floats, offsets: Ints) -> Floats:
    """Running sums within each segment."""
    sums = np.empty(len(values))
    for low, high in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        np.cumsum(values[low:high], out=sums[low:high])
    return sums


def _order(group: Ints, position: Ints) -> Ints:
    """A stable sort order by group, then position."""
    if not len(group):
        return np.empty(0, np.int64)
    stride = int(position.max()) + 1
    if (int(group.max()) + 1) * stride < 2**62:
        return np.argsort(group * stride + position, kind="stable")
    return np.lexsort((position, group))


def tolerant_reading(
    count: int,
    length: Ints,
    read: tuple[Ints, Ints, Ints],
    relevant: tuple[Ints, Ints, Ints],
    tolerance: int,
) -> tuple[Ints, Ints]:
    """Relevant and irrelevant characters read in each of `count` documents.

    A reader reads the spans `read` (document, start, end) in document order, then the rest of the document in document
    order, and stops after `tolerance` irrelevant characters.
    """
    doc = np.concatenate([read[0], read[0], relevant[0], relevant[0], np.arange(count), np.arange(count)])
    limit = length[doc]
    zeros = np.zeros(count, np.int64)
    at = np.minimum(np.concatenate([read[1], read[2], relevant[1], relevant[2], zeros, length]), limit)
    step = np.concatenate([np.ones(len(read[0]), np.int64), -np.ones(len(read[0]), np.int64)])
    mark = np.concatenate([np.ones(len(relevant[0]), np.int64), -np.ones(len(relevant[0]), np.int64)])
    shown = np.concatenate([step, np.zeros(len(mark) + 2 * count, np.int64)])
    liked = np.concatenate([np.zeros(len(step), np.int64), mark, np.zeros(2 * count, np.int64)])
    order = _order(doc, at)
    doc, at = doc[order], at[order]
    is_shown = (np.cumsum(shown[order]) > 0)[:-1]
    is_liked = (np.cumsum(liked[order]) > 0)[:-1]
    size = np.where(doc[1:] == doc[:-1], at[1:] - at[:-1], 0)
    doc = doc[:-1]
    order = np.lexsort((~is_shown, doc))
    doc, size, is_liked = doc[order], size[order], is_liked[order]
    dull = np.where(is_liked, 0, size)
    passed = np.cumsum(dull) - dull
    first = np.searchsorted(doc, np.arange(count))
    passed -= passed[np.minimum(first, len(passed) - 1)][doc] if len(doc) else 0
    good = np.zeros(count, np.int64)
    bad = np.zeros(count, np.int64)
    np.add.at(good, doc, np.where(is_liked & (passed < tolerance), size, 0))
    np.add.at(bad, doc, np.clip(tolerance - passed, 0, dull))
    return good, bad


def pairs_of_groups(first: NDArray[Any], second: NDArray[Any]) -> tuple[Ints, Ints]:
    """All pairs (i, j) with ``first[i] == second[j]``, by i and then by j."""
    order = np.argsort(second, kind="stable")
    ordered = second[order]
    low = np.searchsorted(ordered, first)
    counts = np.searchsorted(ordered, first, side="right") - low
    i = np.repeat(np.arange(len(first)), counts)
    begins = np.cumsum(counts) - counts
    j = order[np.arange(len(i)) + np.repeat(low - begins, counts)] if len(i) else i
    return i, j
