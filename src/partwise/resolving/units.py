"""Conversion of offsets in bytes to offsets in characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.collection import Collection
from partwise.model import TO_END, Ints, Run, empty_ints


def given_as_chars(
    run: Run, rows: Ints, owner: Ints, start: Ints, end: Ints, collection: Collection
) -> tuple[Ints, Ints]:
    """Convert byte offsets to characters; the spans of rows given as paths are in characters already."""
    is_path = np.zeros(len(rows), np.bool_) if run.paths is None else np.diff(run.paths.offsets)[rows] > 0
    in_bytes = np.flatnonzero(~is_path[owner])
    start, end = start.copy(), end.copy()
    docs = [run.doc[int(row)] for row in rows[owner[in_bytes]]]
    start[in_bytes], end[in_bytes] = as_chars(collection, docs, start[in_bytes], end[in_bytes])
    return start, end


def as_chars(collection: Collection, docs: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Convert offsets in UTF-8 bytes to offsets in characters, for documents in the collection."""
    start, end = start.copy(), end.copy()
    _, code = np.unique(np.array(docs, object).astype(str), return_inverse=True) if docs else ([], empty_ints())
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1) if len(order) else ():
        name = docs[int(rows[0])]
        if name in collection:
            document = collection[name]
            whole = end[rows] == TO_END
            start[rows], chars = document.chars(start[rows]), document.chars(np.where(whole, 0, end[rows]))
            end[rows] = np.where(whole, TO_END, chars)
    return start, end
