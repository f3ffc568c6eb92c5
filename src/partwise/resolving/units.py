"""Runs and assessments in another unit, through the texts of their documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from partwise import later
from partwise.errors import PartwiseError
from partwise.messages import Message, Text, inputs, measures, scores
from partwise.model import NONE, TO_END, Assessments, Bools, Ints, Run, empty_ints
from partwise.units import ENCODINGS, SECONDS, words

if TYPE_CHECKING:
    from partwise.collection import Collection, Document


def run_in(unit: str, run: Run, collection: Collection | None) -> Run:
    """The run in a unit, which is that of the collection if there is one; an error if it cannot be converted."""
    if run.unit == unit:
        return run
    if collection is None or SECONDS in (unit, run.unit):
        raise run.source.error(_different(measures.DIFFERENT_UNITS, run.unit, unit))
    return converted_run(run, collection)


def assessments_in(unit: str | None, assessments: Assessments, collection: Collection | None) -> Assessments:
    """The assessments in a unit (None for their own), as `run_in`."""
    if unit is None or unit == assessments.unit:
        return assessments
    if collection is None or SECONDS in (unit, assessments.unit):
        raise assessments.source.error(_different(measures.ANOTHER_UNIT, assessments.unit, unit))
    return converted_assessments(assessments, collection)


def converted_run(run: Run, collection: Collection) -> Run:
    """The run in the unit of the collection; itself if it is in that unit."""
    if run.unit == collection.unit:
        return run
    if run.unit == SECONDS:
        raise run.source.error(_different(inputs.SECONDS_OF_TEXT, run.unit, collection.unit))
    owner = np.repeat(np.arange(len(run)), np.diff(run.span_offsets))
    start, end = run.start.copy(), run.end.copy()
    splits = np.zeros(len(run), np.bool_)
    unplaced = run.placing.unplaced if run.placing is not None else np.zeros(len(run), np.bool_)
    nowhere = [empty_ints()]
    is_span = np.flatnonzero(end != TO_END)
    for document, spans in _by_document(run.doc.codes[owner], run.doc.names, is_span, collection):
        if document is None and unplaced[owner[spans]].all():
            nowhere.append(spans)
            continue
        if document is None:
            row = int(owner[spans[0]])
            raise run.error(_not_there(run.doc[row], run.unit, collection), row=row)
        splits[owner[spans[_splits(document, run.unit, start[spans], end[spans])]]] = True
        start[spans], end[spans] = _converted(document, run.unit, collection, start[spans], end[spans])
    notes = [scores.SPLITTING.note(count=int(splits.sum()))] if splits.any() else []
    lost = np.concatenate(nowhere)
    if len(lost):
        known = np.setdiff1d(is_span, lost)
        size, of_known = run.end - run.start, int((end - start)[known].sum())
        # a chunk whose document is not known has a size, which is about that of the others of as many characters
        start[lost] = 0
        end[lost] = -(-size[lost] * of_known // max(int(size[known].sum()), 1)) if len(known) else size[lost]
        notes.append(scores.ESTIMATED.note(count=len(lost), unit=words(collection.unit)))
    return replace(run, start=start, end=end, unit=collection.unit, bounded=False, notes=(*run.notes, *notes))


def converted_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """The assessments in the unit of the collection; themselves if they are in that unit.

    A note counts the passages that have no unit, such as white space between tokens: they are ignored.
    """
    if assessments.unit == collection.unit:
        return assessments
    if assessments.unit == SECONDS:
        raise assessments.source.error(_different(inputs.SECONDS_OF_TEXT, assessments.unit, collection.unit))
    spans, documents = assessments.spans, assessments.documents
    start, end = spans.start.copy(), spans.end.copy()
    bep, length = documents.bep.copy(), np.full(len(documents.length), NONE)
    splits = np.zeros(len(start), np.bool_)

    def refused(doc: int, line: int) -> PartwiseError:
        return assessments.source.error(_not_there(assessments.docs[doc], assessments.unit, collection), line)

    for document, rows in _by_document(spans.doc, assessments.docs, np.arange(len(start)), collection):
        if document is None:
            raise refused(int(spans.doc[rows[0]]), int(spans.lines[rows[0]]))
        given = spans.start[rows], spans.end[rows]
        splits[rows] = _splits(document, assessments.unit, *given)
        start[rows], end[rows] = _converted(document, assessments.unit, collection, *given)
        empty = _first_of_empty(spans.passage[rows], start[rows], end[rows], *given)
        kept = given[0][empty], given[1][empty]
        start[rows[empty]], end[rows[empty]] = _converted(document, assessments.unit, collection, *kept, is_gold=True)
    for document, rows in _by_document(documents.doc, assessments.docs, np.arange(len(bep)), collection):
        marked = rows[bep[rows] != NONE]
        if document is None and len(marked):
            raise refused(int(documents.doc[marked[0]]), int(documents.lines[marked[0]]))
        if document is not None:
            length[rows] = document.length
            bep[marked], _ = _converted(document, assessments.unit, collection, bep[marked], bep[marked])
    empty = _first_of_empty(spans.passage, start, end, spans.start, spans.end)
    notes = [scores.WITHOUT_UNIT.note(count=len(empty), unit=words(collection.unit))] if len(empty) else []
    if splits.any():
        notes.append(scores.PASSAGES_SPLITTING.note(count=len(np.unique(spans.passage[splits]))))
    return replace(
        assessments,
        documents=replace(documents, bep=bep, length=length, relevant=None),
        spans=replace(spans, start=start, end=end),
        unit=collection.unit,
        notes=(*assessments.notes, *notes),
    )


def _first_of_empty(passage: Ints, start: Ints, end: Ints, given_start: Ints, given_end: Ints) -> Ints:
    """The first span of every passage that was not empty as given, and is empty now."""
    numbers, number = np.unique(passage, return_inverse=True)
    size = np.bincount(number, end - start, minlength=len(numbers))
    rows = np.flatnonzero((size[number] == 0) & (given_start < given_end))
    rows = rows[np.lexsort((given_start[rows], number[rows]))]
    first = np.ones(len(rows), np.bool_)
    first[1:] = number[rows[1:]] != number[rows[:-1]]
    return rows[first]


def _different(message: Message, unit: str, other: str) -> Text:
    chosen = inputs.SECONDS_OF_TEXT if SECONDS in (unit, other) else message
    return chosen(unit=words(unit), other=words(other))


def _not_there(doc_id: str, unit: str, target: Collection) -> Text:
    return inputs.CANNOT_CONVERT(doc_id=doc_id, collection=target.name, unit=words(unit), other=words(target.unit))


def _converted(
    document: Document, unit: str, target: Collection, start: Ints, end: Ints, is_gold: bool = False
) -> tuple[Ints, Ints]:
    chars = document.counting(unit, target.tokenizer).to_chars(start, end)
    counting = document.counting(target.unit, target.tokenizer)
    return counting.passages_from_chars(*chars) if is_gold else counting.from_chars(*chars)


def _splits(document: Document, unit: str, start: Ints, end: Ints) -> Bools:
    """Whether each span starts or ends inside a character."""
    counting = document.counting(unit) if unit in ENCODINGS else later.counting.Counting(0)
    return counting.inside_character(start) | counting.inside_character(end)


def splits_character(collection: Collection, docs: Sequence[str], start: Ints, end: Ints) -> Bools:
    """Whether each span, in the unit of the collection, starts or ends inside a character of its document.

    It is False if the collection lacks the document.
    """
    splits = np.zeros(len(start), np.bool_)
    names = {name: code for code, name in enumerate(dict.fromkeys(docs))}
    codes = np.array([names[name] for name in docs], np.int64)
    for document, rows in _by_document(codes, list(names), np.arange(len(docs)), collection):
        if document is not None:
            splits[rows] = _splits(document, collection.unit, start[rows], end[rows])
    return splits


def _by_document(
    codes: Ints, names: Sequence[str], rows: Ints, collection: Collection
) -> Iterator[tuple[Document | None, Ints]]:
    """The document of each group of these rows that have the same code, None if the collection lacks it.

    Groups are in the order of their first rows, so that the first error is that of the first row.
    """
    order = rows[np.argsort(codes[rows], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []
    for group in sorted(groups, key=lambda group: int(group[0])):
        name = names[int(codes[group[0]])]
        document = collection[name] if name in collection else None  # noqa: SIM401
        yield document, group
