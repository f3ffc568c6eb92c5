"""Locating the parts of runs and assessments that are given as paths."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from partwise import kernels
from partwise.errors import PathError
from partwise.messages import inputs
from partwise.model import (
    NONE,
    TO_END,
    Assessments,
    Ints,
    PassageJudgements,
    Run,
    Source,
    constant,
    empty_ints,
    slices,
)
from partwise.records import record
from partwise.resolving.units import converted_assessments, converted_run

if TYPE_CHECKING:
    from partwise.collection import Collection, Document

NOT_A_NODE = -1
"""A part given as characters, even if it covers exactly the characters of an element."""

SEVERAL = -2
"""A part of several elements: a tree."""


# ---- assessments ---------------------------------------------------------------------------------------------


def passages_of(assessments: Assessments, rows: Ints, collection: Collection) -> tuple[Ints, Ints]:
    """The starts and ends of these passages given as paths."""
    passages = assessments.passages
    edges = np.empty((len(rows), 2), np.int64)
    for place, row in enumerate(rows.tolist()):
        where = assessments.docs[int(passages.doc[row])], int(passages.lines[row])
        document = _judged_document(assessments, *where, collection)
        with _at_line(assessments.source, where[1]):
            edges[place] = document.span(passages.first[row], passages.last[row])
    return edges[:, 0], edges[:, 1]


def entry_points_of(assessments: Assessments, rows: Ints, bep: Ints, collection: Collection) -> Ints:
    """The best entry points of these documents, with those given as paths located."""
    documents = assessments.documents
    if documents.bep_path is None:
        return bep
    bep = bep.copy()
    for place, row in enumerate(rows.tolist()):
        if documents.bep_path[row]:
            where = assessments.docs[int(documents.doc[row])], int(documents.lines[row])
            document = _judged_document(assessments, *where, collection)
            with _at_line(assessments.source, where[1]):
                bep[place] = document.offset(documents.bep_path[row])
    return bep


def _judged_document(assessments: Assessments, doc: str, line: int, collection: Collection) -> Document:
    if doc not in collection:
        message = inputs.NOT_IN_COLLECTION(doc_id=doc, collection=collection.name)
        raise assessments.source.error(message, line=line)
    return collection[doc]


@contextlib.contextmanager
def _at_line(source: Source, line: int) -> Iterator[None]:
    """Report a path that does not exist in its document as an error of this line."""
    try:
        yield
    except PathError as error:
        raise source.error(error.text, line=line) from None


def located_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """The assessments as spans, in the unit of the collection, with the lengths of its documents."""
    assessments = converted_assessments(assessments, collection)
    documents, spans, passages = assessments.documents, assessments.spans, assessments.passages
    edges = np.stack(passages_of(assessments, np.arange(len(passages.lines)), collection), axis=1)
    length = documents.length.copy()
    names = [assessments.docs[doc] for doc in documents.doc.tolist()]
    for row, name in enumerate(names):
        if name in collection and length[row] == NONE:
            length[row] = collection[name].length
    bep = entry_points_of(assessments, np.arange(len(names)), documents.bep, collection)
    return replace(
        assessments,
        documents=replace(documents, bep=bep, length=length, bep_path=None),
        spans=spans.joined(passages, edges),
        passages=PassageJudgements.none(),
    )


# ---- runs ----------------------------------------------------------------------------------------------------


def located_run(run: Run, collection: Collection) -> Run:
    """The run as spans, in the unit of the collection, also of whole documents that it has."""
    run = converted_run(run, collection)
    rows = np.arange(len(run))
    offsets, start, end = spans_of(run, rows, located_parts(run, rows, collection))
    owner = np.repeat(rows, np.diff(offsets))
    for i in np.flatnonzero(end == TO_END).tolist():
        name = run.doc[int(owner[i])]
        end[i] = collection[name].length if name in collection else TO_END
    return replace(run, span_offsets=offsets, start=start, end=end, paths=None)


def spans_of(run: Run, rows: Ints, parts: LocatedParts) -> tuple[Ints, Ints, Ints]:
    """The spans of these rows, sorted and merged within each row; a row of only empty spans keeps one."""
    offsets, inside = slices(run.span_offsets, rows)
    start, end = run.start[inside], run.end[inside]
    counts = np.diff(offsets)
    owner = np.repeat(np.arange(len(rows)), counts)
    if len(parts.owner):
        owner = np.concatenate([owner, parts.owner])
        start, end = np.concatenate([start, parts.start]), np.concatenate([end, parts.end])
        at = np.argsort(owner, kind="stable")
        owner, start, end = owner[at], start[at], end[at]
        offsets = np.searchsorted(owner, np.arange(len(rows) + 1))
        counts = np.diff(offsets)
    if not (counts > 1).any():
        return offsets, start, end
    merged_owner, merged_start, merged_end = kernels.merge_spans(owner, start, end, touching=True)
    emptied = np.ones(len(rows), np.bool_)
    emptied[merged_owner] = False
    kept = np.flatnonzero(emptied & (counts > 0))
    owner = np.concatenate([merged_owner, kept])
    start = np.concatenate([merged_start, start[offsets[kept]]])
    end = np.concatenate([merged_end, end[offsets[kept]]])
    at = np.argsort(owner, kind="stable")
    offsets = np.searchsorted(owner[at], np.arange(len(rows) + 1))
    return offsets, start[at], end[at]


@record(eq=False, repr=False)
class LocatedParts:
    """The element of each row, all its elements, and the spans of the rows given as paths."""

    node: Ints
    member_offsets: Ints
    member: Ints
    owner: Ints
    start: Ints
    end: Ints


def located_parts(run: Run, rows: Ints, collection: Collection | None) -> LocatedParts:
    """Locate the parts of these rows that are given as paths; without a collection, none are located."""
    if run.paths is None or collection is None:
        none = empty_ints()
        return LocatedParts(constant(NOT_A_NODE, len(rows)), constant(0, len(rows) + 1), none, none, none, none)
    paths = run.paths.take(rows)
    owner = np.repeat(np.arange(len(rows)), np.diff(paths.offsets))
    where = run.doc.codes[rows][owner] * len(paths.first.names) + paths.first.codes
    if paths.last is not None:
        where = np.unique(where, return_inverse=True)[1] * len(paths.last.names) + paths.last.codes
    _, first, part = np.unique(where, return_index=True, return_inverse=True)
    facts = np.empty((len(first), 3), np.int64)
    for number in np.argsort(first).tolist():  # the first error of the list is the one to report
        at = int(first[number])
        row = int(rows[owner[at]])
        last = paths.last[at] or None if paths.last is not None else None
        facts[number] = _located(run, row, collection, run.doc[row], paths.first[at], last)
    node_of_path, start, end = facts[part].T
    order = np.lexsort((node_of_path, owner))
    by_owner, by_node = owner[order], node_of_path[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (by_owner[1:] != by_owner[:-1]) | (by_node[1:] != by_node[:-1])
    by_owner, by_node = by_owner[fresh], by_node[fresh]
    counts = np.bincount(by_owner, minlength=len(rows))
    lowest = np.full(len(rows), NOT_A_NODE)
    lowest[by_owner[::-1]] = by_node[::-1]
    node = np.where(counts > 1, SEVERAL, lowest)
    are_elements = lowest != NOT_A_NODE
    return LocatedParts(
        node,
        np.concatenate([[0], np.cumsum(np.where(are_elements, counts, 0))]),
        by_node[are_elements[by_owner]],
        owner,
        start,
        end,
    )


def _located(run: Run, row: int, collection: Collection, doc: str, path: str, last: str | None) -> tuple[int, int, int]:
    """The element (NOT_A_NODE for a range or a pointer), start and end of a path."""
    if doc not in collection:
        raise run.error(inputs.NOT_IN_COLLECTION(doc_id=doc, collection=collection.name), row=row)
    document = collection[doc]
    try:
        start, end = document.span(path, last)
        is_element = last is None and "text()" not in path
        return document.node(path) if is_element else NOT_A_NODE, start, end
    except PathError as error:
        raise run.error(error.text, row=row) from None
