"""Raw judgement rows to the assessment tables, held to the rule that nothing is judged twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from partwise.formats.problems import Reader
from partwise.model import (
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
"""Told behind what was wrong with a line when it was read."""


class RawJudgements:
    """One row per judgement as files give them; every row says something of its document."""

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
        """Best entry points given as paths, an empty one where a row has none."""
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
        """Whether several rows may speak of one document (columnar files) or that is a judgement twice."""

    def take(self, rows: Ints) -> RawJudgements:
        """These rows alone, with the spans, elements and trees that belong to them."""
        taken = RawJudgements(
            self.query.take(rows),
            self.doc.take(rows),
            self.assessor.take(rows),
            self.lines[rows],
            self.length[rows],
            self.bep[rows],
            self.grade[rows],
        )
        fresh = np.full(len(self.lines), NONE)
        fresh[rows] = np.arange(len(rows))
        spans = fresh[self.span_row] != NONE
        taken.span_row = fresh[self.span_row[spans]]
        taken.start, taken.end = self.start[spans], self.end[spans]
        passages = np.flatnonzero(fresh[self.passage_row] != NONE)
        taken.passage_row = fresh[self.passage_row[passages]]
        taken.first, taken.last = _chosen(self.first, passages), _chosen(self.last, passages)
        taken.bep_path = None if self.bep_path is None else self.bep_path.take(rows)
        elements = np.flatnonzero(fresh[self.element_row] != NONE)
        taken.element_row = fresh[self.element_row[elements]]
        taken.path = _chosen(self.path, elements)
        taken.exhaustivity, taken.specificity = self.exhaustivity[elements], self.specificity[elements]
        taken.relevant = None if self.relevant is None else self.relevant[rows]
        trees = np.flatnonzero(fresh[self.tree_row] != NONE)
        taken.tree_row = fresh[self.tree_row[trees]]
        taken.tree = [self.tree[i] for i in trees.tolist()]
        taken.tree_exhaustivity, taken.tree_specificity = self.tree_exhaustivity[trees], self.tree_specificity[trees]
        taken.repeats_documents = self.repeats_documents
        return taken


def _chosen(values: Sequence[str], places: Ints) -> list[str]:
    return [values[i] for i in places.tolist()]


def assembled(raw: RawJudgements, reader: Reader, scale: str | None, unit: str) -> Assessments:
    """The tables of judgements. A judgement given twice by one assessor, or two that contradict, is a problem."""
    key = _codes(raw.query.codes, raw.doc.codes, raw.assessor.codes)
    dropped = np.zeros(len(key), np.bool_)

    def twice(row: int, earlier: int, what: str) -> None:
        reader.problem(
            int(raw.lines[row]),
            f"judges {what} of query {raw.query[row]} a second time, first in "
            f"{reader.source.place(int(raw.lines[earlier]))}",
            "one assessor judges it once",
            (int(raw.lines[row]), _ASSEMBLED, row),
        )
        dropped[row] = True

    once = np.ones(len(key), np.bool_)
    if raw.repeats_documents:
        once[raw.span_row] = False
        once[raw.passage_row] = False
        once[raw.element_row] = False
        once[raw.tree_row] = False
        for item, earlier in _second_times(_codes(key[raw.span_row], raw.start, raw.end)):
            row = int(raw.span_row[item])
            what = f"characters {raw.start[item]} to {raw.end[item]} of document {raw.doc[row]}"
            twice(row, int(raw.span_row[earlier]), what)
        edges = Coded.of(raw.first).codes, Coded.of(raw.last).codes
        for item, earlier in _second_times(_codes(key[raw.passage_row], *edges)):
            row = int(raw.passage_row[item])
            what = f"{raw.first[item]} to {raw.last[item]} of document {raw.doc[row]}"
            twice(row, int(raw.passage_row[earlier]), what)
        for item, earlier in _second_times(_codes(key[raw.element_row], Coded.of(raw.path).codes)):
            row = int(raw.element_row[item])
            twice(row, int(raw.element_row[earlier]), f"{raw.path[item]} of document {raw.doc[row]}")
        nodes = Coded.of(" ".join(sorted(set(paths))) for paths in raw.tree).codes
        for item, earlier in _second_times(_codes(key[raw.tree_row], nodes)):
            row = int(raw.tree_row[item])
            twice(row, int(raw.tree_row[earlier]), f"the tree {' '.join(raw.tree[item])} of document {raw.doc[row]}")
    rows = np.flatnonzero(once)
    for item, earlier in _second_times(key[rows]):
        twice(int(rows[item]), int(rows[earlier]), f"document {raw.doc[int(rows[item])]}")

    def agreed(name: str, column: Ints, missing: int, owner: Ints, told: Callable[[Any], Any] = str) -> Ints:
        return _agreed(owner, column, missing, dropped, raw, reader, name, told)

    length = agreed("length", raw.length, NONE, raw.doc.codes)
    bep = agreed("best entry point", raw.bep, NONE, key)
    grade = agreed("grade", raw.grade, NO_GRADE, key)
    bep_path = None
    if raw.bep_path is not None:
        names = ["", *raw.bep_path.names]
        codes = np.array([0 if name == "" else code for code, name in enumerate(raw.bep_path.names, 1)], np.int64)
        bep_path = agreed("best entry point", codes[raw.bep_path.codes], 0, key, names.__getitem__)

    reader.settle()
    _, first = np.unique(key[~dropped], return_index=True)
    rows = np.sort(np.flatnonzero(~dropped)[first])
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
            raw.query.codes[rows],
            raw.doc.codes[rows],
            raw.assessor.codes[rows],
            length[raw.doc.codes[rows]],
            bep[key[rows]],
            grade[key[rows]],
            raw.lines[rows],
            None if bep_path is None else [names[code] for code in bep_path[key[rows]].tolist()],
            None if raw.relevant is None else raw.relevant[rows],
        ),
        spans=SpanJudgements(
            raw.query.codes[span_rows],
            raw.doc.codes[span_rows],
            raw.assessor.codes[span_rows],
            raw.start[spans],
            raw.end[spans],
            raw.lines[span_rows],
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
        ),
    )


def _codes(*columns: Ints) -> Ints:
    """A code per distinct combination of the columns."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, code = np.unique(code, return_inverse=True)
        values, inner = np.unique(column, return_inverse=True)
        code = code * max(len(values), 1) + inner
    _, code = np.unique(code, return_inverse=True)
    return code.astype(np.int64)


def _second_times(key: Ints) -> list[tuple[int, int]]:
    """Rows whose key stood before, each with the first row that has it."""
    values, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    if len(values) == len(key):
        return []
    again = np.flatnonzero(first[inverse] != np.arange(len(key)))
    return [(int(row), int(first[inverse[row]])) for row in again]


def _agreed(
    owner: Ints,
    column: Ints,
    missing: int,
    dropped: Bools,
    raw: RawJudgements,
    reader: Reader,
    name: str,
    told: Callable[[Any], Any],
) -> Ints:
    """The one value that all rows of an owner give; rows that give another are problems."""
    agreed = np.full(int(owner.max(initial=-1)) + 1, missing, np.int64)
    rows = np.flatnonzero((column != missing) & ~dropped)
    agreed[owner[rows][::-1]] = column[rows][::-1]
    for row in rows[agreed[owner[rows]] != column[rows]].tolist():
        reader.problem(
            int(raw.lines[row]),
            f"gives document {raw.doc[row]} the {name} {told(column[row])}, "
            f"an earlier one gives {told(agreed[owner[row]])}",
            "give one value",
            (int(raw.lines[row]), _ASSEMBLED, row),
        )
        dropped[row] = True
    return agreed
