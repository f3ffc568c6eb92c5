"""Offsets in bytes turned into offsets in characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.collection import Collection
from partwise.model import TO_END, Ints, Run, empty_ints


def given_as_chars(
    run: Run, rows: Ints, owner: Ints, start: Ints, end: Ints, collection: Collection
) -> tuple[Ints, Ints]:
    """Offsets in bytes as characters; spans of rows that are given as paths are characters already."""
    is_path = np.zeros(len(rows), np.bool_) if run.paths is None else np.diff(run.paths.offsets)[rows] > 0
    given = np.flatnonzero(~is_path[owner])
    start, end = start.copy(), end.copy()
    docs = [run.doc[int(row)] for row in rows[owner[given]]]
    start[given], end[given] = as_chars(collection, docs, start[given], end[given])
    return start, end


def as_chars(collection: Collection, docs: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Offsets in UTF-8 bytes as offsets in characters, document by document."""
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
