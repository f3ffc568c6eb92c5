"""The base class of formats: how one is recognised, read and written, and what it can hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.files import is_unicode
from partwise.formats.problems import Reader
from partwise.formats.text import Layout
from partwise.messages import Message, Text, writing
from partwise.messages.writing import HOLDS_EVERYTHING
from partwise.model import NO_GRADE, NONE, TO_END, Assessments, Run
from partwise.records import record
from partwise.types import Kind

if TYPE_CHECKING:
    from partwise.formats.tables import Table


DOCUMENTS = "whole documents"
SPANS = "spans"
SEVERAL_SPANS = "several spans per result"
ENTRY_POINTS = "entry points"
PATHS = "paths"
PATH_RANGES = "ranges of paths"
TREES = "trees"
TREES_OF_RANGES = "trees of ranges"
MIXED = "parts of several kinds"
SEVERAL_RUNS = "several runs"
OTHER_UNITS = "parts in tokens, lines, seconds or UTF-16 units"
UNDECLARED = ("chars", "bytes")
"""Units that columns without names may have: those of INEX."""
IN_RUNS = (
    DOCUMENTS, SPANS, SEVERAL_SPANS, ENTRY_POINTS, PATHS, PATH_RANGES, TREES, TREES_OF_RANGES, MIXED, SEVERAL_RUNS,
    OTHER_UNITS,
)  # fmt: skip
"""Everything that a run may contain."""

GRADES = "document grades"
UNGRADED = "documents without a grade"
PASSAGES = "passages as spans"
PATH_PASSAGES = "passages as paths"
OFFSET_BEPS = "best entry points as offsets"
PATH_BEPS = "best entry points as paths"
LENGTHS = "document lengths"
UNKNOWN_LENGTHS = "unknown document lengths"
ELEMENTS = "graded elements"
JUDGED_TREES = "judged trees"
ASSESSORS = "several assessors per query"
SPAN_GROUPS = "passages of several spans"
NUGGETS = "nuggets and sets"
EMPTY_QUERIES = "queries with nothing relevant"
PASSAGES_IN_UNITS = "passages in tokens, lines, seconds or UTF-16 units"
IN_ASSESSMENTS = (
    GRADES, UNGRADED, PASSAGES, PATH_PASSAGES, OFFSET_BEPS, PATH_BEPS, LENGTHS, UNKNOWN_LENGTHS, ELEMENTS,
    JUDGED_TREES, ASSESSORS, SPAN_GROUPS, NUGGETS, EMPTY_QUERIES, PASSAGES_IN_UNITS,
)  # fmt: skip
"""Everything that assessments may contain."""

RUN_NAME, QUERY_NAME, DOC_NAME, ASSESSOR_NAME = "the run id", "a query", "a document", "an assessor"
PATH_NAME = "an element"
NUGGET_NAME = "a nugget or set"


@record()
class Limit:
    """Something that a format cannot hold, and the error when it is to be written."""

    what: frozenset[str]
    message: Message | str
    """May use ``{count}`` and ``{names}``, the number and the names of the runs."""
    remedy: str = HOLDS_EVERYTHING
    """The remedy if `message` is a string; a `Message` has its own."""
    unless: frozenset[str] = frozenset()
    """Content with which this limit is ignored, because a later one has the right remedy."""

    def text(self, **values: object) -> Text:
        """The error, filled with these values."""
        if isinstance(self.message, str):
            return Text("", self.message.format(**values), self.remedy)
        return self.message(**values)


ONE_RUN = Limit(frozenset({SEVERAL_RUNS}), writing.ONE_RUN)
NO_OTHER_UNITS = Limit(frozenset({OTHER_UNITS}), writing.NO_OTHER_UNITS)
ONLY_IN_TABLES = (
    Limit(frozenset({PASSAGES_IN_UNITS}), writing.NO_OTHER_UNITS),
    Limit(frozenset({SPAN_GROUPS}), writing.NO_SPAN_GROUPS),
    Limit(frozenset({NUGGETS}), writing.NO_NUGGETS),
    Limit(frozenset({EMPTY_QUERIES}), writing.NO_EMPTY_QUERIES),
)
"""What only named columns hold of assessments."""


class Format:
    """A format of runs and assessments. A subclass overrides the methods that it supports; see CONTRIBUTING.md."""

    name: str
    """The name on the command line."""
    title: str = ""
    """The name in sentences."""
    suffixes: tuple[str, ...] = ()
    """The suffixes of its files; the first is the usual one."""
    content: Literal["lines", "markup", "binary"] = "lines"
    """Lines of UTF-8, text that declares its own encoding, or bytes."""
    is_common = True
    """Whether errors name it among the formats that users may give."""
    is_blank_separated = False
    """Whether its lines are columns without names."""
    forms: tuple[Format, ...] = ()
    """The formats that this one groups; the content decides which of them is read or written."""
    unit: str | None = None
    """What its offsets count, if that is fixed; else users choose."""
    run_limits: tuple[Limit, ...] = ()
    assessment_limits: tuple[Limit, ...] = ()
    drops: frozenset[str] = frozenset()
    """Content that is left out without an error when assessments are written."""

    # ---- recognising

    def sniff(self, data: bytes, name: str) -> bool:
        """Whether these bytes can only be of this format; `name` is the name of the file.

        - `data`: the bytes of the file.
        """
        return False

    def takes(self, data: bytes, name: str) -> bool:
        """Whether a file with one of its suffixes that no format recognised is of this format.

        - `data`: the bytes of the file.
        - `name`: the name of the file.
        """
        return True

    def what_is(self, data: bytes, reader: Reader) -> Kind | None:
        """Whether the file is a run or assessments; None if it may be either.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        """
        if self.reads_runs == self.reads_assessments:
            return None
        return "run" if self.reads_runs else "assessments"

    # ---- reading

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        """The runs in a file; `name` is the name of a single run, unless `by_tag` and the file has another.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        """
        raise reader.source.error(writing.HOLDS_NO_RUN(format=self.title or self.name))

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        """The assessments in a file.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else
          characters).
        """
        raise reader.source.error(writing.HOLDS_NO_ASSESSMENTS(format=self.title or self.name))

    def read_either(
        self, data: bytes, reader: Reader, name: str, by_tag: bool, unit: str
    ) -> list[Run] | Assessments | None:
        """The runs or the assessments in a file, whichever it holds; None if it may be either.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        - `name`: the name of the file.
        - `by_tag`: whether runs are named by their run column.
        - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else
          characters).
        """
        what = self.what_is(data, reader)
        if what == "run":
            return self.read_runs(data, reader, name, by_tag)
        return None if what is None else self.read_assessments(data, reader, unit)

    def lengths_table(self, data: bytes, reader: Reader) -> Table:
        """Document lengths, in columns ``doc_id, length``.

        - `data`: the bytes of the file.
        - `reader`: where problems and notes go, and how strict reading is.
        """
        raise reader.source.error(writing.HOLDS_NO_LENGTHS(format=self.title or self.name))

    def run_layout(self, data: bytes) -> Layout | None:
        """The blank-separated columns of a run that can be read in blocks; None if it cannot.

        - `data`: the bytes of the file.
        """
        return None

    # ---- writing

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        """Runs within the limits as the bytes of a file; `path` is that file, for its suffix and for errors.

        - `runs`: the runs to write.
        """
        raise PartwiseError(writing.NOT_WRITTEN(format=self.title or self.name), file=path)

    def write_assessments(self, assessments: Assessments, path: str) -> bytes:
        """Assessments within the limits as the bytes of a file.

        - `assessments`: the assessments to write.
        - `path`: the path of the file.
        """
        raise PartwiseError(writing.NOT_WRITTEN(format=self.title or self.name), file=path)

    def for_spreadsheets(self) -> Format:
        """The format with cells that spreadsheets do not take for formulas."""
        raise PartwiseError(writing.SAFE_CSV(format=self.title or self.name))

    def name_problem(self, what: str, names: Sequence[str]) -> Text | str | None:
        """The error for the first of these names that would not be read back unchanged; None if all would.

        - `what`: what it names, for the message.
        """
        return None

    # ---- derived from these

    @property
    def reads_runs(self) -> bool:
        return self._has("read_runs")

    @property
    def reads_assessments(self) -> bool:
        return self._has("read_assessments")

    @property
    def is_written(self) -> bool:
        return self._has("write_runs") or self._has("write_assessments")

    def _has(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(Format, method)

    @property
    def holds(self) -> frozenset[str]:
        """The content of `IN_RUNS` and `IN_ASSESSMENTS` that it can hold."""
        runs = IN_RUNS if self._has("write_runs") else ()
        judged = IN_ASSESSMENTS if self._has("write_assessments") else ()
        limits = (*self.run_limits, *self.assessment_limits)
        return frozenset((*runs, *judged)).difference(self.drops, *(limit.what for limit in limits))

    def runs_written(self, runs: Sequence[Run], path: str) -> bytes:
        """Runs as the bytes of a file; content that the format cannot hold is an error.

        - `runs`: the runs to write.
        - `path`: the path of the file.
        """
        if self.run_limits:
            names_of_runs = _first_names(run.run_id for run in runs)
            _check_limits(self.run_limits, in_runs(runs), path, count=len(runs), names=names_of_runs)
        for run in runs:
            names = (
                (RUN_NAME, [run.run_id]),
                (QUERY_NAME, run.query.names),
                (DOC_NAME, run.doc.names),
                (PATH_NAME, _paths_of_run(run)),
            )
            self._check_names(names, path)
        return self.write_runs(runs, path)

    def assessments_written(self, assessments: Assessments, path: str) -> bytes:
        """Assessments as the bytes of a file; content that the format cannot hold is an error.

        - `assessments`: the assessments to write.
        - `path`: the path of the file.
        """
        if self.assessment_limits:
            _check_limits(self.assessment_limits, in_assessments(assessments), path)
        assessors = list(filter(None, assessments.assessors))
        names = (
            (QUERY_NAME, assessments.queries),
            (DOC_NAME, assessments.docs),
            (ASSESSOR_NAME, assessors),
            (NUGGET_NAME, [*assessments.nuggets, *assessments.sets]),
            (PATH_NAME, _paths_of_assessments(assessments)),
        )
        self._check_names(names, path)
        return self.write_assessments(assessments, path)

    def _check_names(self, names_by_kind: Iterable[tuple[str, Sequence[str]]], path: str) -> None:
        for what, names in names_by_kind:
            lone = next((name for name in names if not is_unicode(name)), None)
            if lone is not None:
                raise PartwiseError(writing.LONE_SURROGATE(what=what, name=shown(lone)), file=path)
            problem = self.name_problem(what, names)
            if problem is not None:
                raise PartwiseError(
                    problem if isinstance(problem, Text) else Text("", problem, HOLDS_EVERYTHING), file=path
                )


def _paths_of_run(run: Run) -> Sequence[str]:
    if run.paths is None:
        return ()
    return [*run.paths.first.names, *(() if run.paths.last is None else filter(None, run.paths.last.names))]


def _paths_of_assessments(assessments: Assessments) -> Sequence[str]:
    """The paths of all parts; a range is two of them."""
    passages, bep_path = assessments.passages, assessments.documents.bep_path
    paths = [*passages.first, *passages.last, *assessments.elements.path, *filter(None, bep_path or ())]
    paths += [path for tree in assessments.trees.paths for path in tree]
    return [end for path in dict.fromkeys(paths) for end in path.split()]


def _first_names(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(map(shown, listed[:3])) + (" ..." if len(listed) > 3 else "")


def _check_limits(limits: Iterable[Limit], content: set[str], path: str, **values: object) -> None:
    for limit in limits:
        if limit.what & content and not limit.unless & content:
            raise PartwiseError(limit.text(**values), file=os.fspath(path))


def in_runs(runs: Sequence[Run]) -> set[str]:
    """The members of `IN_RUNS` that these runs contain."""
    return set().union(*map(_in_run, runs), {SEVERAL_RUNS} if len(runs) != 1 else set())


def _in_run(run: Run) -> set[str]:
    whole = run.end == TO_END
    contains = {
        OTHER_UNITS: run.unit not in UNDECLARED,
        DOCUMENTS: whole.any(),
        SPANS: not whole.all(),
        SEVERAL_SPANS: (np.diff(run.span_offsets) > 1).any(),
        ENTRY_POINTS: (run.start == run.end).any(),
    }
    if run.paths is not None:
        of_row = np.diff(run.paths.offsets)
        is_range = run.paths.is_range
        contains |= {
            PATHS: not is_range.all(),
            PATH_RANGES: is_range.any(),
            TREES: (of_row > 1).any(),
            TREES_OF_RANGES: (is_range & (np.repeat(of_row, of_row) > 1)).any(),
        }
    contains[MIXED] = sum(bool(contains.get(kind)) for kind in (DOCUMENTS, SPANS, PATHS, PATH_RANGES)) > 1
    return {what for what, is_present in contains.items() if is_present}


def in_assessments(assessments: Assessments) -> set[str]:
    """The members of `IN_ASSESSMENTS` that these assessments contain."""
    documents = assessments.documents
    queries = set(documents.query.tolist())
    pools = set(zip(documents.query.tolist(), documents.assessor.tolist(), strict=True))
    is_graded = documents.grade != NO_GRADE
    contains = {
        GRADES: is_graded.any(),
        UNGRADED: not is_graded.all(),
        PASSAGES: len(assessments.spans.lines),
        PATH_PASSAGES: len(assessments.passages.lines),
        OFFSET_BEPS: (documents.bep != NONE).any(),
        PATH_BEPS: any(documents.bep_path or ()),
        LENGTHS: (documents.length != NONE).any(),
        UNKNOWN_LENGTHS: (documents.length == NONE).any(),
        ELEMENTS: len(assessments.elements.lines),
        JUDGED_TREES: len(assessments.trees.lines),
        ASSESSORS: len(pools) > len(queries),
        SPAN_GROUPS: len(np.unique(assessments.spans.passage)) < len(assessments.spans.passage),
        NUGGETS: len(assessments.nuggets) or len(assessments.sets),
        EMPTY_QUERIES: len(assessments.empty.lines),
        PASSAGES_IN_UNITS: assessments.unit not in UNDECLARED,
    }
    return {what for what, is_present in contains.items() if is_present}
