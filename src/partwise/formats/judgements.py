"""Assessments from raw judgement rows, with a check that nothing is judged twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from partwise.formats.problems import Reader
from partwise.messages import Message, reading
from partwise.model import (
    LARGEST_GRADE,
    NO_GRADE,
    NONE,
    Assessments,
    Bools,
    Coded,
    DocumentJudgements,
    ElementJudgements,
    Floats,
    Ints,
    PassageJudgements,
    SpanJudgements,
    TreeJudgements,
)

_ASSEMBLED = 1 << 40
"""Sorts the problems of assembling after those of reading the same line."""


class RawJudgements:
    """One row per judgement, as in files; every row judges its document or a part of it."""

    def __init__(
        self, query: Coded, doc: Coded, assessor: Coded, lines: Ints, length: Ints, bep: Ints, grade: Ints
    ) -> None:
        self.query, self.doc, self.assessor, self.lines = query, doc, assessor, lines
        self.length, self.bep, self.grade = length, bep, grade
        none = np.empty(0, np.int64)
        self.span_row, self.start, self.end = none, none, none
        self.passage_row: Ints = none
        self.first: Sequence[str] = ()
        self.last: Sequence[str] = ()
        self.bep_path: Coded | None = None
        """Best entry points as paths, empty in rows without one."""
        self.element_row: Ints = none
        self.path: Sequence[str] = ()
        self.exhaustivity: Floats = np.empty(0)
        self.specificity: Floats = np.empty(0)
        self.relevant: Ints | None = None
        self.tree_row: Ints = none
        self.tree: Sequence[tuple[str, ...]] = ()
        self.tree_exhaustivity: Floats = np.empty(0)
        self.tree_specificity: Floats = np.empty(0)
        self.repeats_documents = False
        """Whether several rows may have the same document (columnar files), or that is a repeated judgement."""

    def take(self, rows: Ints) -> RawJudgements:
        """These rows, with their spans, passages, elements and trees."""
        taken = RawJudgements(
            self.query.take(rows),
            self.doc.take(rows),
            self.assessor.take(rows),
            self.lines[rows],
            self.length[rows],
            self.bep[rows],
            self.grade[rows],
        )
        new_row = np.full(len(self.lines), NONE)
        new_row[rows] = np.arange(len(rows))
        spans = new_row[self.span_row] != NONE
        taken.span_row = new_row[self.span_row[spans]]
        taken.start, taken.end = self.start[spans], self.end[spans]
        passages = np.flatnonzero(new_row[self.passage_row] != NONE)
        taken.passage_row = new_row[self.passage_row[passages]]
        taken.first, taken.last = _chosen(self.first, passages), _chosen(self.last, passages)
        taken.bep_path = None if self.bep_path is None else self.bep_path.take(rows)
        elements = np.flatnonzero(new_row[self.element_row] != NONE)
        taken.element_row = new_row[self.element_row[elements]]
        taken.path = _chosen(self.path, elements)
        taken.exhaustivity, taken.specificity = self.exhaustivity[elements], self.specificity[elements]
        taken.relevant = None if self.relevant is None else self.relevant[rows]
        trees = np.flatnonzero(new_row[self.tree_row] != NONE)
        taken.tree_row = new_row[self.tree_row[trees]]
        taken.tree = [self.tree[i] for i in trees.tolist()]
        taken.tree_exhaustivity, taken.tree_specificity = self.tree_exhaustivity[trees], self.tree_specificity[trees]
        taken.repeats_documents = self.repeats_documents
        return taken


def _chosen(values: Sequence[str], places: Ints) -> list[str]:
    return [values[i] for i in places.tolist()]


def assembled(raw: RawJudgements, reader: Reader, scale: str | None, unit: str) -> Assessments:
    """The assessments; a judgement that an assessor repeats, or that contradicts an earlier one, is a problem."""
    key = _codes(raw.query.codes, raw.doc.codes, raw.assessor.codes)
    dropped = np.zeros(len(key), np.bool_)

    def repeated(message: Message, row: int, earlier: int, **part: object) -> None:
        place = reader.source.place(int(raw.lines[earlier]))
        text = message(doc=raw.doc[row], query=raw.query[row], place=place, **part)
        reader.problem(int(raw.lines[row]), text, item=(int(raw.lines[row]), _ASSEMBLED, row))
        dropped[row] = True

    once = np.ones(len(key), np.bool_)
    if raw.repeats_documents:
        once[raw.span_row] = False
        once[raw.passage_row] = False
        once[raw.element_row] = False
        once[raw.tree_row] = False
        for item, earlier in _repetitions(_codes(key[raw.span_row], raw.start, raw.end)):
            rows = int(raw.span_row[item]), int(raw.span_row[earlier])
            repeated(reading.SPAN_TWICE, *rows, start=raw.start[item], end=raw.end[item])
        edges = Coded.of(raw.first).codes, Coded.of(raw.last).codes
        for item, earlier in _repetitions(_codes(key[raw.passage_row], *edges)):
            rows = int(raw.passage_row[item]), int(raw.passage_row[earlier])
            repeated(reading.PASSAGE_TWICE, *rows, first=raw.first[item], last=raw.last[item])
        for item, earlier in _repetitions(_codes(key[raw.element_row], Coded.of(raw.path).codes)):
            rows = int(raw.element_row[item]), int(raw.element_row[earlier])
            repeated(reading.ELEMENT_TWICE, *rows, path=raw.path[item])
        nodes = Coded.of(" ".join(sorted(set(paths))) for paths in raw.tree).codes
        for item, earlier in _repetitions(_codes(key[raw.tree_row], nodes)):
            rows = int(raw.tree_row[item]), int(raw.tree_row[earlier])
            repeated(reading.TREE_TWICE, *rows, paths=" ".join(raw.tree[item]))
    document_rows = np.flatnonzero(once)
    for item, earlier in _repetitions(key[document_rows]):
        repeated(reading.DOCUMENT_TWICE, int(document_rows[item]), int(document_rows[earlier]))

    def agreed(name: str, column: Ints, missing: int, owner: Ints, written: Callable[[Any], Any] = str) -> Ints:
        return _agreed(owner, column, missing, dropped, raw, reader, name, written)

    length = agreed("length", raw.length, NONE, raw.doc.codes)
    bep = agreed("best entry point", raw.bep, NONE, key)
    grade = _highest_grades(raw, key, dropped)
    bep_path = None
    if raw.bep_path is not None:
        names = ["", *raw.bep_path.names]
        codes = np.array([0 if name == "" else code for code, name in enumerate(raw.bep_path.names, 1)], np.int64)
        bep_path = agreed("best entry point", codes[raw.bep_path.codes], 0, key, names.__getitem__)

    reader.settle()
    _, first = np.unique(key[~dropped], return_index=True)
    document_rows = np.sort(np.flatnonzero(~dropped)[first])
    spans = np.flatnonzero(~dropped[raw.span_row])
    passages = np.flatnonzero(~dropped[raw.passage_row])
    elements = np.flatnonzero(~dropped[raw.element_row])
    trees = np.flatnonzero(~dropped[raw.tree_row])

    span_rows, element_rows, tree_rows = raw.span_row[spans], raw.element_row[elements], raw.tree_row[trees]
    passage_rows = raw.passage_row[passages]
    return Assessments(
        queries=raw.query.names,
        docs=raw.doc.names,
        assessors=raw.assessor.names,
        documents=DocumentJudgements(
            raw.query.codes[document_rows],
            raw.doc.codes[document_rows],
            raw.assessor.codes[document_rows],
            length[raw.doc.codes[document_rows]],
            bep[key[document_rows]],
            grade[key[document_rows]],
            raw.lines[document_rows],
            None if bep_path is None else [names[code] for code in bep_path[key[document_rows]].tolist()],
            None if raw.relevant is None else raw.relevant[document_rows],
        ),
        spans=SpanJudgements(
            raw.query.codes[span_rows],
            raw.doc.codes[span_rows],
            raw.assessor.codes[span_rows],
            raw.start[spans],
            raw.end[spans],
            raw.lines[span_rows],
            raw.grade[span_rows],
        ),
        elements=ElementJudgements(
            raw.query.codes[element_rows],
            raw.doc.codes[element_rows],
            raw.assessor.codes[element_rows],
            _chosen(raw.path, elements),
            raw.exhaustivity[elements],
            raw.specificity[elements],
            raw.lines[element_rows],
        ),
        trees=TreeJudgements(
            raw.query.codes[tree_rows],
            raw.doc.codes[tree_rows],
            raw.assessor.codes[tree_rows],
            [raw.tree[i] for i in trees.tolist()],
            raw.tree_exhaustivity[trees],
            raw.tree_specificity[trees],
            raw.lines[tree_rows],
        ),
        scale=scale,
        unit=unit,
        source=reader.source,
        passages=PassageJudgements(
            raw.query.codes[passage_rows],
            raw.doc.codes[passage_rows],
            raw.assessor.codes[passage_rows],
            _chosen(raw.first, passages),
            _chosen(raw.last, passages),
            raw.lines[passage_rows],
            raw.grade[passage_rows],
        ),
    )


def _highest_grades(raw: RawJudgements, key: Ints, dropped: Bools) -> Ints:
    """The grade of each document: the highest of its rows, where a passage without a grade counts as 1.

    NO_GRADE where no row has a grade.
    """
    highest = np.full(int(key.max(initial=-1)) + 1, NO_GRADE)
    rows = np.flatnonzero((raw.grade != NO_GRADE) & ~dropped)
    is_graded = np.zeros(len(highest), np.bool_)
    is_graded[key[rows]] = True
    highest[is_graded] = -LARGEST_GRADE
    np.maximum.at(highest, key[rows], raw.grade[rows])
    parts = np.concatenate([raw.span_row, raw.passage_row])
    parts = parts[(raw.grade[parts] == NO_GRADE) & is_graded[key[parts]] & ~dropped[parts]]
    np.maximum.at(highest, key[parts], 1)
    return highest


def _codes(*columns: Ints) -> Ints:
    """A code per distinct combination of the columns."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, code = np.unique(code, return_inverse=True)
        values, inner = np.unique(column, return_inverse=True)
        code = code * max(len(values), 1) + inner
    _, code = np.unique(code, return_inverse=True)
    return code.astype(np.int64)


def _repetitions(key: Ints) -> list[tuple[int, int]]:
    """Rows whose key occurred before, each with the first row that has it."""
    values, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    if len(values) == len(key):
        return []
    repeated = np.flatnonzero(first[inverse] != np.arange(len(key)))
    return [(int(row), int(first[inverse[row]])) for row in repeated]


def _agreed(
    owner: Ints,
    column: Ints,
    missing: int,
    dropped: Bools,
    raw: RawJudgements,
    reader: Reader,
    name: str,
    written: Callable[[Any], Any],
) -> Ints:
    """The value of each owner, from its first row that has one; rows with another value are problems."""
    agreed = np.full(int(owner.max(initial=-1)) + 1, missing, np.int64)
    rows = np.flatnonzero((column != missing) & ~dropped)
    agreed[owner[rows][::-1]] = column[rows][::-1]
    for row in rows[agreed[owner[rows]] != column[rows]].tolist():
        value, earlier = written(column[row]), written(agreed[owner[row]])
        message = reading.TWO_VALUES(doc=raw.doc[row], name=name, value=value, earlier=earlier)
        reader.problem(int(raw.lines[row]), message, item=(int(raw.lines[row]), _ASSEMBLED, row))
        dropped[row] = True
    return agreed
