"""Assessments from raw judgement rows, with a check that nothing is judged twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from partwise.formats.problems import Reader, RepeatedPassages
from partwise.messages import Message, Text, reading
from partwise.model import (
    LARGEST_GRADE,
    NO_GRADE,
    NONE,
    Assessments,
    Bools,
    Coded,
    DocumentJudgements,
    ElementJudgements,
    EmptyJudgements,
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
        self.passage: Ints | None = None
        """The number of the passage that each span belongs to; None if every span is a passage."""
        self.nugget, self.set = np.full(len(lines), NONE), np.full(len(lines), NONE)
        self.nuggets: Sequence[str] = ()
        self.sets: Sequence[str] = ()
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
        taken.passage = None if self.passage is None else self.passage[spans]
        taken.nugget, taken.set, taken.nuggets, taken.sets = self.nugget[rows], self.set[rows], self.nuggets, self.sets
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


def assembled(
    raw: RawJudgements, reader: Reader, scale: str | None, unit: str, empty: EmptyJudgements | None = None
) -> Assessments:
    """The assessments; a judgement that an assessor repeats, or that contradicts an earlier one, is a problem.

    `empty` are the queries without any judged document.
    """
    key = _codes(raw.query.codes, raw.doc.codes, raw.assessor.codes)
    dropped = np.zeros(len(key), np.bool_)

    def text_of(message: Message, row: int, earlier: int, **part: object) -> Text:
        place = reader.source.place(int(raw.lines[earlier]))
        return message(doc=raw.doc[row], query=raw.query[row], place=place, **part)

    def repeated(message: Message, row: int, earlier: int, **part: object) -> None:
        text = text_of(message, row, earlier, **part)
        reader.problem(int(raw.lines[row]), text, item=(int(raw.lines[row]), _ASSEMBLED, row))
        dropped[row] = True

    once = np.ones(len(key), np.bool_)
    if raw.repeats_documents:
        once[raw.span_row] = False
        once[raw.passage_row] = False
        once[raw.element_row] = False
        once[raw.tree_row] = False
        as_passages = raw.grade, raw.nugget, raw.set
        same = _repeated_passages(raw, key, as_passages)
        if same:
            errors = [
                reader.source.error(text_of(reading.SAME_PASSAGE, row, earlier), line=int(raw.lines[row]))
                for row, earlier in same
            ]
            reader.notes.append(RepeatedPassages.from_errors(reader.source, errors))
        for item, earlier in _repeated_elements(raw, key):
            rows = int(raw.element_row[item]), int(raw.element_row[earlier])
            repeated(reading.ELEMENT_TWICE, *rows, path=raw.path[item])
        for item, earlier in _repeated_trees(raw, key):
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
    numbers = np.arange(len(raw.span_row)) if raw.passage is None else raw.passage
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
            numbers[spans],
            raw.nugget[span_rows],
            raw.set[span_rows],
        ),
        elements=ElementJudgements(
            raw.query.codes[element_rows],
            raw.doc.codes[element_rows],
            raw.assessor.codes[element_rows],
            _chosen(raw.path, elements),
            raw.exhaustivity[elements],
            raw.specificity[elements],
            raw.lines[element_rows],
            raw.nugget[element_rows],
            raw.set[element_rows],
        ),
        trees=TreeJudgements(
            raw.query.codes[tree_rows],
            raw.doc.codes[tree_rows],
            raw.assessor.codes[tree_rows],
            [raw.tree[i] for i in trees.tolist()],
            raw.tree_exhaustivity[trees],
            raw.tree_specificity[trees],
            raw.lines[tree_rows],
            raw.grade[tree_rows],
            raw.nugget[tree_rows],
            raw.set[tree_rows],
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
            raw.nugget[passage_rows],
            raw.set[passage_rows],
        ),
        nuggets=raw.nuggets,
        sets=raw.sets,
        empty=empty or EmptyJudgements.none(),
    )


def _repeated_passages(raw: RawJudgements, key: Ints, values: tuple[Ints, ...]) -> list[tuple[int, int]]:
    """The rows whose passage, with its spans or paths, grade, nugget and set, an earlier row has, and this row."""
    of_spans = np.zeros(len(key), np.int64)
    if raw.passage is None:
        of_spans[raw.span_row] = _codes(raw.start, raw.end) + 1
    else:
        order = np.lexsort((raw.end, raw.start, raw.span_row))
        spans: dict[int, list[tuple[int, int]]] = {}
        columns = (column[order].tolist() for column in (raw.span_row, raw.start, raw.end))
        for row, start, end in zip(*columns, strict=True):
            spans.setdefault(row, []).append((start, end))
        numbers: dict[tuple[tuple[int, int], ...], int] = {}
        for row, cell in spans.items():
            of_spans[row] = numbers.setdefault(tuple(cell), len(numbers)) + 1
    of_paths = np.zeros(len(key), np.int64)
    of_paths[raw.passage_row] = _codes(Coded.of(raw.first).codes, Coded.of(raw.last).codes) + 1
    rows = np.flatnonzero((of_spans > 0) | (of_paths > 0))
    same = _repetitions(_codes(key[rows], of_spans[rows], of_paths[rows], *(value[rows] for value in values)))
    return [(int(rows[row]), int(rows[earlier])) for row, earlier in same]


def _repeated_elements(raw: RawJudgements, key: Ints) -> list[tuple[int, int]]:
    """Elements judged again with the same nugget and set, or with other grades."""
    element = _codes(key[raw.element_row], Coded.of(raw.path).codes)
    return _repeated_or_different(raw, raw.element_row, element, (raw.exhaustivity, raw.specificity))


def _repeated_trees(raw: RawJudgements, key: Ints) -> list[tuple[int, int]]:
    """Trees judged again with the same nugget and set, or with other grades."""
    nodes = Coded.of(" ".join(sorted(set(paths))) for paths in raw.tree).codes
    tree = _codes(key[raw.tree_row], nodes)
    return _repeated_or_different(raw, raw.tree_row, tree, (raw.tree_exhaustivity, raw.tree_specificity))


def _repeated_or_different(
    raw: RawJudgements, rows: Ints, part: Ints, grades: tuple[Floats, ...]
) -> list[tuple[int, int]]:
    again = _repetitions(_codes(part, raw.nugget[rows], raw.set[rows]))
    names = {row for row, _ in again}
    different = [
        (row, earlier)
        for row, earlier in _repetitions(part)
        if row not in names and any(not _same(grade[row], grade[earlier]) for grade in grades)
    ]
    return sorted([*again, *different])


def _same(one: float, other: float) -> bool:
    return one == other or (np.isnan(one) and np.isnan(other))


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
