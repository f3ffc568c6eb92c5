"""Locating the parts of runs and assessments that are given as paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError, PathError
from partwise.messages import Text, inputs
from partwise.model import (
    NONE,
    NOT_LOCATED,
    TO_END,
    Assessments,
    Bools,
    Coded,
    Ints,
    PassageJudgements,
    Paths,
    Run,
    constant,
    slices,
)
from partwise.records import record
from partwise.resolving.units import converted_assessments, converted_run

if TYPE_CHECKING:
    from partwise.collection import Collection

NOT_A_NODE = -1
"""A part given as characters, even if it covers exactly the characters of an element."""

SEVERAL = -2
"""A part of several elements: a tree."""


# ---- assessments ---------------------------------------------------------------------------------------------


def passages_of(assessments: Assessments, rows: Ints, collection: Collection) -> tuple[Ints, Ints]:
    """The starts and ends of these passages given as paths."""
    passages = assessments.passages
    first, last = (Coded.of(column[row] for row in rows.tolist()) for column in (passages.first, passages.last))
    _, start, end = _located(
        collection,
        Coded(passages.doc[rows], assessments.docs),
        Paths(np.arange(len(rows) + 1), first, last),
        np.ones(len(rows), np.bool_),
        lambda place, text: assessments.source.error(text, line=int(passages.lines[rows[place]])),
    )
    return start, end


def entry_points_of(assessments: Assessments, rows: Ints, bep: Ints, collection: Collection) -> Ints:
    """The best entry points of these documents, with those given as paths located."""
    documents = assessments.documents
    if documents.bep_path is None:
        return bep
    paths = [documents.bep_path[row] for row in rows.tolist()]
    given = np.flatnonzero([bool(path) for path in paths])
    _, start, _ = _located(
        collection,
        Coded(documents.doc[rows[given]], assessments.docs),
        Paths(np.arange(len(given) + 1), Coded.of(paths[place] for place in given.tolist())),
        np.zeros(len(given), np.bool_),
        lambda place, text: assessments.source.error(text, line=int(documents.lines[rows[given[place]]])),
    )
    bep = bep.copy()
    bep[given] = start
    return bep


def _located(
    collection: Collection, docs: Coded, paths: Paths, is_range: Bools, error: Callable[[int, Text], PartwiseError]
) -> tuple[Ints, Ints, Ints]:
    """The element (NOT_A_NODE for a range or a pointer), start and end of each path in its document.

    `error` makes the error of a part from its index; that of the first part with one is raised.
    """
    codes, first, doc = np.unique(docs.codes, return_index=True, return_inverse=True)
    names = docs.names_of(codes)
    missing = np.flatnonzero(~collection.has(names)[doc])
    if len(missing):
        before, place = np.arange(missing[0]), int(missing[0])
        if place:  # an error of an earlier part comes first
            _located(collection, docs.take(before), paths.take_parts(before), is_range[before], error)
        raise error(place, inputs.NOT_IN_COLLECTION(doc_id=names[int(doc[place])], collection=collection.name))
    order = np.argsort(first)
    tree = np.empty(len(order), np.int64)
    tree[order] = np.arange(len(order))
    tree = tree[doc]
    forest = collection.forest([names[number] for number in order.tolist()])
    node, start, end = forest.located(tree, paths.first)
    is_wrong = node == NOT_LOCATED
    ranges = np.flatnonzero(is_range)
    if len(ranges) and paths.last is not None:
        last, last_start, last_end = forest.located(tree[ranges], paths.last.take(ranges))
        is_wrong[ranges] |= last == NOT_LOCATED
        is_wrong[ranges] |= (last_end < start[ranges]) | ((last_start < last_end) & (last_end == start[ranges]))
        node[ranges], end[ranges] = NOT_A_NODE, last_end
    for place in np.flatnonzero(is_wrong).tolist():
        document, path = forest.document(int(tree[place])), paths.first[place]
        try:
            start[place], end[place] = document.span(
                path, paths.last[place] if is_range[place] and paths.last else None
            )
            is_element = not is_range[place] and "text()" not in path
            node[place] = document.node(path) if is_element else NOT_A_NODE
        except PathError as problem:
            raise error(place, problem.text) from None
    return node, start, end


def located_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """The assessments as spans, in the unit of the collection, with the lengths of its documents."""
    assessments = converted_assessments(assessments, collection)
    documents, spans, passages = assessments.documents, assessments.spans, assessments.passages
    edges = np.stack(passages_of(assessments, np.arange(len(passages.lines)), collection), axis=1)
    length = documents.length.copy()
    unknown = np.flatnonzero(length == NONE)
    length[unknown] = _lengths(Coded(documents.doc[unknown], assessments.docs), collection, NONE)
    bep = entry_points_of(assessments, np.arange(len(length)), documents.bep, collection)
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
    whole = np.flatnonzero(end == TO_END)
    end[whole] = _lengths(run.doc.take(owner[whole]), collection, TO_END)
    return replace(run, span_offsets=offsets, start=start, end=end, paths=None)


def _lengths(docs: Coded, collection: Collection, missing: int) -> Ints:
    """The lengths of documents, `missing` for those that the collection does not have."""
    codes, place = np.unique(docs.codes, return_inverse=True)
    names = docs.names_of(codes)
    length = np.full(len(codes), missing)
    known = np.flatnonzero(collection.has(names))
    length[known] = collection.lengths([names[number] for number in known.tolist()])
    return length[place]


def spans_of(run: Run, rows: Ints, parts: LocatedParts) -> tuple[Ints, Ints, Ints]:
    """The spans of these rows, sorted and merged within each row; a row of only empty spans keeps the first of them."""
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
    first = np.full(len(rows), np.iinfo(np.int64).max)  # in the document, not in the order in which they are given
    np.minimum.at(first, owner, start)
    owner = np.concatenate([merged_owner, kept])
    start = np.concatenate([merged_start, first[kept]])
    end = np.concatenate([merged_end, first[kept]])
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
        none = constant(0, 0)
        return LocatedParts(constant(NOT_A_NODE, len(rows)), constant(0, len(rows) + 1), none, none, none, none)
    paths = run.paths.take(rows)
    owner = np.repeat(np.arange(len(rows)), np.diff(paths.offsets))
    where = run.doc.codes[rows][owner] * len(paths.first.names) + paths.first.codes
    if paths.last is not None:
        where = np.unique(where, return_inverse=True)[1] * len(paths.last.names) + paths.last.codes
    _, first, part = np.unique(where, return_index=True, return_inverse=True)
    in_order = np.argsort(first)  # the first error of the list is the one to report
    at = first[in_order]
    facts = np.empty((3, len(first)), np.int64)
    facts[:, in_order] = _located(
        collection,
        run.doc.take(rows[owner[at]]),
        paths.take_parts(at),
        paths.is_range[at],
        lambda place, text: run.error(text, row=int(rows[owner[at[place]]])),
    )
    node_of_path, start, end = facts[:, part]
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
