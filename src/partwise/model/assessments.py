"""Assessments: what assessors judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.errors import one_line
from partwise.later import selection
from partwise.model.columns import NO_GRADE, NONE, Bools, Floats, Ints, Source, empty_ints
from partwise.records import record
from partwise.showing import Displayed, counted

if TYPE_CHECKING:
    from partwise.scores import Choice

_PLACE_IN_TEXT = re.compile(r"/text\(\)(?:\[[0-9]+\])?\.[0-9]+$")


@record(eq=False, repr=False)
class DocumentJudgements:
    """A row per query, document and assessor: length, best entry point and grade, each where known.

    A best entry point given as a path or pointer is in `bep_path` (empty where there is none) until it is located in
    the document.
    """

    query: Ints
    doc: Ints
    assessor: Ints
    length: Ints
    bep: Ints
    grade: Ints
    lines: Ints
    bep_path: Sequence[str] | None = None
    relevant: Ints | None = None
    """The number of relevant characters that the file states, if its format has that."""


def is_relevant(grade: Ints) -> Bools:
    """Whether parts with these grades are relevant; one without a grade is."""
    relevant: Bools = (grade > 0) | (grade == NO_GRADE)
    return relevant


@record(eq=False, repr=False)
class SpanJudgements:
    """A row per judged passage, as in the file; it is highlighted unless its grade says that it is not relevant."""

    query: Ints
    doc: Ints
    assessor: Ints
    start: Ints
    end: Ints
    lines: Ints
    grade: Ints
    """The grade of each passage, NO_GRADE where it has none."""
    passage: Ints
    """The number of the passage that each span belongs to: a passage may be several spans."""
    nugget: Ints
    set: Ints

    @property
    def highlighted(self) -> Bools:
        return is_relevant(self.grade)

    @classmethod
    def none(cls) -> SpanJudgements:
        return cls(*[empty_ints()] * 10)

    def joined(self, passages: PassageJudgements, edges: Ints) -> SpanJudgements:
        """These spans, followed by passages whose starts and ends (`edges`) were located."""
        others = {"start": edges[:, 0], "end": edges[:, 1]}
        others["passage"] = int(self.passage.max(initial=NONE)) + 1 + np.arange(len(edges))
        columns = [(getattr(self, name), others.get(name)) for name in _SPAN_COLUMNS]
        rest = zip(_SPAN_COLUMNS, columns, strict=True)
        both = [(ours, getattr(passages, name) if theirs is None else theirs) for name, (ours, theirs) in rest]
        return SpanJudgements(*map(np.concatenate, both))


_SPAN_COLUMNS = tuple(column.name for column in fields(SpanJudgements))


@record(eq=False, repr=False)
class PassageJudgements:
    """A row per judged passage given as paths or pointers: from the start of `first` to the end of `last`."""

    query: Ints
    doc: Ints
    assessor: Ints
    first: Sequence[str]
    last: Sequence[str]
    lines: Ints
    grade: Ints
    nugget: Ints
    set: Ints

    @property
    def highlighted(self) -> Bools:
        return is_relevant(self.grade)

    @property
    def may_hold_text(self) -> Bools:
        """Whether each may have characters: it has none if both ends are the same pointer into a text node."""
        pairs = zip(self.first, self.last, strict=True)
        return np.array([first != last or not _PLACE_IN_TEXT.search(first) for first, last in pairs], np.bool_)

    def take(self, rows: Ints) -> PassageJudgements:
        """These rows only."""
        first, last = ([column[row] for row in rows.tolist()] for column in (self.first, self.last))
        columns = self.query[rows], self.doc[rows], self.assessor[rows]
        others = self.lines[rows], self.grade[rows], self.nugget[rows], self.set[rows]
        return PassageJudgements(*columns, first, last, *others)

    @classmethod
    def none(cls) -> PassageJudgements:
        none = empty_ints()
        return cls(none, none, none, (), (), none, none, none, none)


@record(eq=False, repr=False)
class ElementJudgements:
    """A row per graded element; grades are on the scale that the assessments declare.

    An element of several nuggets or sets has a row for each, with the same grades.
    """

    query: Ints
    doc: Ints
    assessor: Ints
    path: Sequence[str]
    exhaustivity: Floats
    specificity: Floats
    lines: Ints
    nugget: Ints
    set: Ints

    @classmethod
    def none(cls) -> ElementJudgements:
        none = empty_ints()
        return cls(none, none, none, (), np.empty(0), np.empty(0), none, none, none)


@record(eq=False, repr=False)
class TreeJudgements:
    """A row per relevant tree: the paths of its elements, and its grades, NaN where none are given.

    `grade` is its grade as a passage, NO_GRADE where it has none. A tree of several nuggets or sets has a row for each.
    """

    query: Ints
    doc: Ints
    assessor: Ints
    paths: Sequence[tuple[str, ...]]
    exhaustivity: Floats
    specificity: Floats
    lines: Ints
    grade: Ints
    nugget: Ints
    set: Ints

    @classmethod
    def none(cls) -> TreeJudgements:
        ints, floats = empty_ints(), np.empty(0)
        return cls(ints, ints, ints, (), floats, floats, ints, ints, ints, ints)


@record(eq=False, repr=False)
class EmptyJudgements:
    """A row per query and assessor who found nothing relevant to it, and judged no document."""

    query: Ints
    assessor: Ints
    lines: Ints

    @classmethod
    def none(cls) -> EmptyJudgements:
        return cls(empty_ints(), empty_ints(), empty_ints())


@record(eq=False, repr=False)
class Assessments(Displayed):
    """The judgements of assessors: tables over one set of query, document and assessor names.

    A notebook shows the first of them; `len` is the number of judged documents, each counted once per query and
    assessor.

    `passages` are highlighted like `spans`, but given as paths, so that locating them needs the documents.
    """

    queries: Sequence[str]
    docs: Sequence[str]
    assessors: Sequence[str]
    documents: DocumentJudgements
    spans: SpanJudgements
    elements: ElementJudgements
    trees: TreeJudgements = field(default_factory=TreeJudgements.none)
    scale: str | None = None
    unit: str = "chars"
    source: Source = field(default_factory=lambda: Source("qrels", is_file=False))
    passages: PassageJudgements = field(default_factory=PassageJudgements.none)
    notes: Sequence[str] = ()
    """Warnings from reading them."""
    nuggets: Sequence[str] = ()
    """The names of the nuggets; a passage without one has NONE."""
    sets: Sequence[str] = ()
    """The names of the sets of nuggets; a passage in none has NONE."""
    empty: EmptyJudgements = field(default_factory=EmptyJudgements.none)

    @property
    def has_rows(self) -> bool:
        """Whether anything is judged."""
        return len(self.documents.lines) + len(self.empty.lines) > 0

    def __len__(self) -> int:
        return len(self.documents.lines)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        parts = {
            "passage": len(np.unique(self.spans.passage[self.spans.highlighted]))
            + int(self.passages.highlighted.sum()),
            "element": len(self.elements.lines),
            "tree": len(self.trees.lines),
        }
        counts = [
            counted(len(self.queries), "query"),
            f"{len(self):,} judged documents" if len(self) != 1 else "1 judged document",
        ]
        counts += [counted(count, name) for name, count in parts.items() if count]
        assessors = len({name for name in self.assessors if name})
        counts += [counted(assessors, "assessor")] if assessors else []
        unit = "" if self.unit == "chars" else f", in {self.unit}"
        return one_line(f"Assessments: {', '.join(counts)}{unit}")

    def filter(self, *, query_id: Choice) -> Assessments:
        """The judgements of some queries only.

        - `query_id`: a query, several, or a function that is true for their ids.
        """
        chosen = selection.chosen("query", query_id, list(self.queries))
        code = {name: place for place, name in enumerate(chosen)}
        codes = np.array([code.get(name, NONE) for name in self.queries], np.int64)
        tables = {
            name: _of_queries(getattr(self, name), codes)
            for name in ("documents", "spans", "elements", "trees", "passages", "empty")
        }
        return replace(self, queries=chosen, **tables)


def _of_queries(table: Any, codes: Ints) -> Any:
    """The rows of a table of judgements whose queries have a code here, with these codes."""
    rows = np.flatnonzero(codes[table.query] != NONE) if len(table.query) else empty_ints()
    columns: dict[str, Any] = {}
    for column in fields(table):
        cells = getattr(table, column.name)
        if cells is not None:
            columns[column.name] = (
                cells[rows] if isinstance(cells, np.ndarray) else [cells[row] for row in rows.tolist()]
            )
    return replace(table, **{**columns, "query": codes[columns["query"]]})
