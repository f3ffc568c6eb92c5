"""Results that a task may forbid: those that share text with others, are empty, or are in unknown documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from partwise import kernels
from partwise.model import Bools, Coded, Ints
from partwise.resolving.batch import Batch

MOST_RESULTS = 1500
"""The number of results that INEX accepted for one query."""
BEYOND = 1 << 42
"""The end of a whole document of unknown length, larger than any offset."""


def sizes(batch: Batch) -> Ints:
    """The number of characters of each result."""
    size = np.zeros(len(batch), np.int64)
    np.add.at(size, batch.row_of_span, np.minimum(batch.end, BEYOND) - batch.start)
    return size


def repeated(batch: Batch) -> Bools:
    """Whether each result is a part that was already returned for its query, also where paths are not located."""
    return batch.repeated | _repeated_paths(batch)


def _repeated_paths(batch: Batch) -> Bools:
    """Rows without a span whose paths occur in an earlier row of the same query and document."""
    again = np.zeros(len(batch), np.bool_)
    rows = np.flatnonzero(np.diff(batch.span_offsets) == 0)
    paths = batch.run.paths
    if not len(rows) or paths is None:
        return again
    codes = Coded.of(" ".join(map(str, paths.of_row(row))) for row in batch.row[rows].tolist()).codes
    key = batch.document[rows] * (int(codes.max()) + 1) + codes
    _, first = np.unique(key, return_index=True)
    again[rows] = True
    again[rows[first]] = False
    return again


def sharing_text(batch: Batch) -> Bools:
    """Whether each result shares text with an earlier one, but is not the same part."""
    owner, end = batch.row_of_span, np.minimum(batch.end, BEYOND)
    new = kernels.novel_lengths(owner, batch.document[owner], batch.start, end, len(batch))
    shares: Bools = (new < sizes(batch)) & ~repeated(batch)
    return shares


def empty(batch: Batch) -> Bools:
    """Whether each result has no characters."""
    without: Bools = (sizes(batch) == 0) & (np.diff(batch.span_offsets) > 0)
    return without


def again_in_document(batch: Batch) -> Bools:
    """Whether each result is in the document of an earlier one."""
    _, first = np.unique(batch.document, return_index=True)
    again = np.ones(len(batch), np.bool_)
    again[first] = False
    return again


def in_unknown_document(batch: Batch) -> Bools:
    """Whether each result is in a document that the collection does not have."""
    collection, doc = batch.judgements.collection, batch.run.doc
    if collection is None or not len(batch):
        return np.zeros(len(batch), np.bool_)
    codes, place = np.unique(doc.codes[batch.row], return_inverse=True)
    unknown = np.array([doc.names[code] not in collection for code in codes.tolist()], np.bool_)
    return unknown[place]


def _crowded(batch: Batch) -> Bools:
    """Whether each query has more results than INEX accepted."""
    return np.diff(batch.offsets) > MOST_RESULTS


FAULTS: dict[str, Callable[[Batch], Bools]] = {
    "overlap": sharing_text,
    "empty-part": empty,
    "several-per-document": again_in_document,
    "too-many": _crowded,
    "unknown-document": in_unknown_document,
}
"""Rules of `check` that an evaluation applies at next to no cost where they are errors."""
