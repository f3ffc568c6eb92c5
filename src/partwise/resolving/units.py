"""Offsets in UTF-8 bytes: conversion to characters, and offsets inside a character."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from partwise.collection import Collection, Document
from partwise.model import TO_END, Bools, Ints, Run, empty_ints


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
    for document, rows in _by_document(collection, docs):
        whole = end[rows] == TO_END
        start[rows], chars = document.chars(start[rows]), document.chars(np.where(whole, 0, end[rows]))
        end[rows] = np.where(whole, TO_END, chars)
    return start, end


def splits_character(collection: Collection, docs: Sequence[str], start: Ints, end: Ints) -> Bools:
    """Whether each span starts or ends inside a character of its document; False if the collection lacks it."""
    splits = np.zeros(len(start), np.bool_)
    for document, rows in _by_document(collection, docs):
        splits[rows] = document.inside_character(start[rows]) | document.inside_character(end[rows])
    return splits


def _by_document(collection: Collection, docs: Sequence[str]) -> Iterator[tuple[Document, Ints]]:
    """The documents that the collection has, each with its rows."""
    _, code = np.unique(np.array(docs, object).astype(str), return_inverse=True) if docs else ([], empty_ints())
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1) if len(order) else ():
        name = docs[int(rows[0])]
        if name in collection:
            yield collection[name], rows
