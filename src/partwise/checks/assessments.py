"""The checks of assessments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from partwise import kernels
from partwise.checks.documents import Documents
from partwise.checks.findings import Finding, Notebook
from partwise.checks.nuggets import check_nuggets
from partwise.errors import PathError
from partwise.messages import Message, Text, checks
from partwise.model import (
    NO_GRADE,
    NONE,
    Assessments,
    Bools,
    DocumentJudgements,
    Ints,
    PassageJudgements,
    SpanJudgements,
)
from partwise.relevance.quantise import fits_scale
from partwise.resolving import Judgements, judge, refuse_query_all
from partwise.resolving.entry_points import all_the_same, outside
from partwise.units import as_written, words


def check_assessments(
    assessments: Assessments,
    notes: Sequence[str],
    documents: Documents,
    task: str | None,
    quoted: Sequence[tuple[int, Text]] = (),
) -> list[Finding]:
    """The findings about assessments.

    `notes` are those of reading them, `quoted` the lines with texts that are not at their offsets.
    """
    refuse_query_all(assessments)
    book = Notebook(assessments.source, task)
    book.add_notes([*notes, *assessments.notes])
    book.add_messages("passage-elsewhere", quoted)
    judged = _Judged(_located(assessments, documents, book), documents)
    for rules in (_passages, _grades, _entry_points, _queries, _judged_documents):
        rules(judged, book)
    check_nuggets(judged.judgements, book)
    return book.findings()


def _located(assessments: Assessments, documents: Documents, book: Notebook) -> Assessments:
    """The assessments with paths turned into characters where possible; paths that do not exist are left out."""
    table, passages = assessments.documents, assessments.passages
    unlocated: list[tuple[int, Text]] = []
    wrong: list[tuple[int, Text]] = []

    def locate(part: Message, doc: int, line: int, *path: str, **values: str) -> tuple[int, int] | PathError | None:
        name = assessments.docs[doc]
        span = documents.span(name, *path)
        if isinstance(span, PathError):
            wrong.append((line, Text(span.code, span.problem)))
        elif documents.collection is None:
            unlocated.append((line, checks.NOT_LOCATED(part=part.note(doc=name, **values))))
        return span

    rows = zip(passages.doc.tolist(), passages.lines.tolist(), passages.first, passages.last, strict=True)
    edges = [locate(checks.PASSAGE, doc, line, first, last, start=first, end=last) for doc, line, first, last in rows]
    located = np.array([row for row, edge in enumerate(edges) if isinstance(edge, tuple)], np.int64)
    unknown = np.array([row for row, edge in enumerate(edges) if edge is None], np.int64)
    characters = np.array([edge for edge in edges if isinstance(edge, tuple)], np.int64).reshape(-1, 2)
    bep, bep_path = table.bep.copy(), list(table.bep_path or ())
    for row in [row for row, path in enumerate(bep_path) if path]:
        path = bep_path[row]
        point = locate(checks.ENTRY_POINT, int(table.doc[row]), int(table.lines[row]), path, path=path)
        if point is not None:
            bep_path[row] = ""
        if isinstance(point, tuple):
            bep[row] = point[0]
    book.add_messages("unlocated", unlocated)
    book.add_messages("judged-unknown-path", wrong)
    return replace(
        assessments,
        documents=replace(table, bep=bep, bep_path=bep_path or None),
        spans=assessments.spans.joined(passages.take(located), characters),
        passages=passages.take(unknown),
    )


class _Judged:
    """Assessments with the values that the rules need."""

    def __init__(self, assessments: Assessments, documents: Documents) -> None:
        self.assessments = assessments
        self.documents = documents
        self.table, self.spans, self.elements = assessments.documents, assessments.spans, assessments.elements
        self.size = self.spans.end - self.spans.start

    @cached_property
    def judgements(self) -> Judgements:
        """The judgements of the first assessor of each query, as an evaluation uses them."""
        return judge(self.assessments, None, {})

    @cached_property
    def length(self) -> Ints:
        """The length of each document from the assessments, the lengths or the collection, else NONE."""
        length = np.full(len(self.assessments.docs), NONE)
        length[self.table.doc] = self.table.length
        for doc in np.flatnonzero(length == NONE).tolist():
            name = self.assessments.docs[doc]
            length[doc] = self.documents.lengths.get(name, NONE)
            if length[doc] == NONE:
                length[doc] = self.documents.stored_length(name)
        return length

    def key(self, table: DocumentJudgements | SpanJudgements | PassageJudgements) -> Ints:
        """A code for query, document and assessor together."""
        docs, assessors = len(self.assessments.docs), len(self.assessments.assessors)
        return (table.query * docs + table.doc) * assessors + table.assessor

    def row_of(self, table: SpanJudgements | PassageJudgements) -> Ints:
        """The row of each passage's document in the table of documents."""
        key = self.key(self.table)
        order = np.argsort(key, kind="stable")
        return order[np.searchsorted(key[order], self.key(table))]

    @cached_property
    def row_of_span(self) -> Ints:
        return self.row_of(self.spans)

    @cached_property
    def repeats(self) -> Bools:
        """Whether each span belongs to a passage that an earlier line judges too, with exactly these spans."""
        spans = self.spans
        key = self.key(spans)
        repeats = np.zeros(len(key), np.bool_)
        _, code = np.unique(np.stack([key, spans.start, spans.end]), axis=1, return_inverse=True)
        code = code.reshape(-1)
        candidates = np.flatnonzero((np.bincount(code) > 1)[code])
        members: dict[int, list[int]] = {}
        for row in np.flatnonzero(np.isin(spans.passage, spans.passage[candidates])).tolist():
            members.setdefault(int(spans.passage[row]), []).append(row)
        first: dict[tuple[int, ...], int] = {}
        for rows in members.values():
            line = int(spans.lines[rows[0]])
            repeats[rows] = first.setdefault(tuple(sorted(code[rows].tolist())), line) != line
        return repeats

    @cached_property
    def highlighted(self) -> Bools:
        """Whether each judged document has a passage with text, or one that may have some."""
        passages = self.assessments.passages
        highlighted = np.zeros(len(self.table.lines), np.bool_)
        highlighted[self.row_of_span[self.size > 0]] = True
        highlighted[self.row_of(passages)[passages.may_hold_text]] = True
        return highlighted

    @cached_property
    def has_bep(self) -> Bools:
        """Whether each judged document has a best entry point, even one that is not located."""
        has: Bools = self.table.bep != NONE
        return has if self.table.bep_path is None else has | np.array([path != "" for path in self.table.bep_path])

    def doc(self, table: Any, row: int) -> str:
        return self.assessments.docs[int(table.doc[row])]

    def query(self, table: Any, row: int) -> str:
        return self.assessments.queries[int(table.query[row])]

    def passage(self, row: int) -> str:
        start, end = int(self.spans.start[row]), int(self.spans.end[row])
        return checks.PASSAGE.note(start=start, end=end, doc=self.doc(self.spans, row))


def _passages(judged: _Judged, book: Notebook) -> None:
    spans, table, size = judged.spans, judged.table, judged.size
    count = len(spans.lines)
    empty = np.flatnonzero(size == 0)
    book.add("empty-passage", spans.lines[empty], lambda i: checks.NO_CHARACTERS(part=judged.passage(int(empty[i]))))
    new = kernels.novel_lengths(np.arange(count), judged.key(spans), spans.start, spans.end, count)
    shares = np.flatnonzero((new < size) & ~judged.repeats)
    book.add(
        "passage-overlap",
        spans.lines[shares],
        lambda i: checks.PASSAGES_OVERLAP(passage=judged.passage(int(shares[i]))),
    )
    length = judged.length[spans.doc] if count else np.empty(0, np.int64)
    past = np.flatnonzero((spans.end > length) & (length != NONE))
    book.add(
        "passage-past-end",
        spans.lines[past],
        lambda i: checks.PAST_END(part=judged.passage(int(past[i])), length=length[past[i]]),
    )
    if table.relevant is None:
        return
    owners = len(table.lines)
    total, union = np.zeros(owners, np.int64), np.zeros(owners, np.int64)
    np.add.at(total, judged.row_of_span, size)
    np.add.at(union, judged.row_of_span, new)
    declared = table.relevant
    wrong = np.flatnonzero((declared != total) & (declared != union))
    book.add(
        "relevant-chars",
        table.lines[wrong],
        lambda i: checks.RELEVANT_CHARACTERS(
            declared=declared[wrong[i]],
            doc=judged.doc(table, int(wrong[i])),
            count=union[wrong[i]],
            unit=words(judged.assessments.unit),
        ),
    )


def _grades(judged: _Judged, book: Notebook) -> None:
    table, elements, assessments = judged.table, judged.elements, judged.assessments
    graded = table.grade != NO_GRADE
    if not judged.highlighted.any():
        book.add("no-highlights", np.array([NONE]), lambda i: checks.NO_HIGHLIGHTS())
    elif graded.any():
        bare = np.flatnonzero(graded & (table.grade > 0) & ~judged.highlighted)
        book.add(
            "grade-without-highlight",
            table.lines[bare],
            lambda i: checks.RELEVANT_WITHOUT_PASSAGE(
                doc=judged.doc(table, int(bare[i])),
                grade=table.grade[bare[i]],
                query=judged.query(table, int(bare[i])),
            ),
        )
        against = np.flatnonzero(graded & (table.grade <= 0) & judged.highlighted)
        book.add(
            "grade-against-highlight",
            table.lines[against],
            lambda i: checks.PASSAGE_IN_NON_RELEVANT(
                doc=judged.doc(table, int(against[i])),
                grade=table.grade[against[i]],
                query=judged.query(table, int(against[i])),
            ),
        )
    if not len(elements.lines):
        return
    if assessments.scale is None:
        book.add("no-scale", np.array([NONE]), lambda i: checks.NO_SCALE())
        return
    wrong = np.flatnonzero(~fits_scale(assessments.scale, elements.exhaustivity, elements.specificity))
    book.add(
        "off-scale",
        elements.lines[wrong],
        lambda i: checks.NOT_ON_SCALE(
            exhaustivity=elements.exhaustivity[wrong[i]],
            specificity=elements.specificity[wrong[i]],
            scale=assessments.scale,
        ),
    )


def _entry_points(judged: _Judged, book: Notebook) -> None:
    table = judged.table
    marked = np.flatnonzero(table.bep != NONE)
    if all_the_same(table.bep):
        book.add(
            "constant-bep",
            table.lines[marked],
            lambda i: checks.SAME_ENTRY_POINT(bep=table.bep[marked[i]]),
        )
    length, unit = judged.length[table.doc], judged.assessments.unit
    misplaced = np.flatnonzero(outside(table.bep, length))
    book.add(
        "bep-outside",
        table.lines[misplaced],
        lambda i: checks.ENTRY_POINT_OUTSIDE(
            bep=as_written(table.bep[misplaced[i]], unit),
            doc=judged.doc(table, int(misplaced[i])),
            length=as_written(length[misplaced[i]], unit),
            unit=words(unit),
        ),
    )
    lacking = np.flatnonzero(judged.highlighted & ~judged.has_bep)
    book.add(
        "no-bep",
        table.lines[lacking],
        lambda i: checks.NO_ENTRY_POINT(
            doc=judged.doc(table, int(lacking[i])), query=judged.query(table, int(lacking[i]))
        ),
    )


def _queries(judged: _Judged, book: Notebook) -> None:
    table = judged.table
    judgements = judged.judgements
    has_documents = np.diff(judgements.pair_offsets) > 0  # the others say that nothing is relevant
    empty = np.flatnonzero((judgements.documents_of_grade(1) == 0) & has_documents)
    lines = judgements.lines[judgements.pair_offsets[empty]]
    book.add("nothing-relevant", lines, lambda i: checks.NOTHING_RELEVANT(query=judgements.queries[empty[i]]))
    pairs = np.unique(np.stack([table.query, table.assessor]), axis=1)
    counts = np.bincount(pairs[0], minlength=len(judged.assessments.queries))
    several = np.flatnonzero(counts > 1)
    first = [int(table.lines[table.query == query].min()) for query in several.tolist()]
    book.add(
        "several-assessors",
        np.array(first, np.int64),
        lambda i: checks.SEVERAL_ASSESSORS(query=judged.assessments.queries[several[i]], count=counts[several[i]]),
    )


def _judged_documents(judged: _Judged, book: Notebook) -> None:
    table, elements, documents = judged.table, judged.elements, judged.documents
    names = judged.assessments.docs
    _, first = np.unique(table.doc, return_index=True)
    lengths: list[tuple[int, Text]] = []
    unknown: list[tuple[int, Text]] = []
    for row in np.sort(first).tolist():
        name, line, length = names[int(table.doc[row])], int(table.lines[row]), int(table.length[row])
        if documents.collection is not None and name not in documents.collection:
            unknown.append((line, checks.NOT_IN_COLLECTION(doc=name, collection=documents.collection.name)))
        for other, message in (
            (documents.lengths.get(name, NONE), checks.LENGTH_IN_LENGTHS),
            (documents.stored_length(name), checks.LENGTH_IN_COLLECTION),
        ):
            if NONE not in (length, other) and other != length:
                lengths.append((line, message(doc=name, length=length, other=other)))
    book.add_messages("judged-unknown-document", unknown)
    book.add_messages("length-differs", lengths)
    wrong = []
    trees, passages = judged.assessments.trees, judged.assessments.passages
    ranges = [f"{first} {last}" for first, last in zip(passages.first, passages.last, strict=True)]
    graded = [
        *zip(elements.lines.tolist(), elements.doc.tolist(), elements.path, strict=True),
        *zip(passages.lines.tolist(), passages.doc.tolist(), ranges, strict=True),
        *(
            (line, doc, path)
            for line, doc, paths in zip(trees.lines.tolist(), trees.doc.tolist(), trees.paths, strict=True)
            for path in paths
        ),
    ]
    for line, doc, path in sorted(graded):
        first_path, _, last = path.partition(" ")
        span = documents.span(names[doc], first_path, last or None)
        if isinstance(span, PathError):
            wrong.append((line, Text(span.code, span.problem)))
    book.add_messages("judged-unknown-path", wrong)
