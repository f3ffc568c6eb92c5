"""What a format is: how it is recognised, read and written, and what it can hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.formats.problems import Reader
from partwise.formats.text import Layout
from partwise.model import NO_GRADE, NONE, TO_END, Assessments, Run

if TYPE_CHECKING:
    from partwise.formats.tables import Table

What = Literal["run", "assessments"]

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
IN_RUNS = (
    DOCUMENTS, SPANS, SEVERAL_SPANS, ENTRY_POINTS, PATHS, PATH_RANGES, TREES, TREES_OF_RANGES, MIXED, SEVERAL_RUNS,
)  # fmt: skip
"""All that a run may have in it."""

GRADES = "document grades"
UNGRADED = "no document grades"
PASSAGES = "passages as spans"
PATH_PASSAGES = "passages as paths"
OFFSET_BEPS = "best entry points as offsets"
PATH_BEPS = "best entry points as paths"
LENGTHS = "document lengths"
UNKNOWN_LENGTHS = "unknown document lengths"
ELEMENTS = "graded elements"
JUDGED_TREES = "judged trees"
ASSESSORS = "several assessors per query"
IN_ASSESSMENTS = (
    GRADES, UNGRADED, PASSAGES, PATH_PASSAGES, OFFSET_BEPS, PATH_BEPS, LENGTHS, UNKNOWN_LENGTHS, ELEMENTS,
    JUDGED_TREES, ASSESSORS,
)  # fmt: skip
"""All that assessments may have in them."""

HOLDS_EVERYTHING = "write .jsonl or .parquet, which hold every part"

RUN_NAME, QUERY_NAME, DOC_NAME, ASSESSOR_NAME = "the run id", "a query", "a document", "an assessor"


@dataclass(frozen=True)
class Limit:
    """What a format cannot hold, and the error where it is to be written."""

    what: frozenset[str]
    problem: str
    """May name ``{count}`` and ``{names}``, those of the runs."""
    remedy: str = HOLDS_EVERYTHING
    unless: frozenset[str] = frozenset()
    """What makes this limit not worth an error, for another follows whose remedy is the right one."""


ONE_RUN = Limit(
    frozenset({SEVERAL_RUNS}),
    "holds one run and {count} are given ({names})",
    "choose one with --run NAME, or write .jsonl, .csv or .parquet, which hold several",
)


class Format:
    """A format of runs and assessments. One that is added overrides what it has; see CONTRIBUTING.md."""

    name: str
    """What it is called on the command line."""
    title: str = ""
    """What it is called in sentences."""
    suffixes: tuple[str, ...] = ()
    """What files of it are called; the first is the usual one."""
    content: Literal["lines", "markup", "binary"] = "lines"
    """Lines of UTF-8, a text that says its encoding itself, or bytes."""
    is_blank_separated = False
    """Whether its lines are columns without names."""
    forms: tuple[Format, ...] = ()
    """The formats of which a file may be any; what fits decides which one is written."""
    run_limits: tuple[Limit, ...] = ()
    assessment_limits: tuple[Limit, ...] = ()
    drops: frozenset[str] = frozenset()
    """What is left out without an error when assessments are written."""

    # ---- recognising

    def sniff(self, data: bytes, name: str) -> bool:
        """Whether these bytes can be of no other format; `name` is the file's."""
        return False

    def takes(self, data: bytes, name: str) -> bool:
        """Whether a file that has one of its suffixes, and that no format recognised, is of it."""
        return True

    def what_is(self, data: bytes, reader: Reader, lenient: bool) -> What | None:
        """Whether the file is a run or assessments; None where it may be either."""
        if self.reads_runs == self.reads_assessments:
            return None
        return "run" if self.reads_runs else "assessments"

    # ---- reading

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        """The runs in a file. One without a name of its own is called `name`, also if it has one, unless `by_tag`."""
        raise reader.source.error(f"is {self.title or self.name}", "give a run in another format")

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        """The assessments in a file."""
        raise reader.source.error(f"is {self.title or self.name}", "give assessments in another format")

    def lengths_table(self, data: bytes, reader: Reader) -> Table:
        """Document lengths, in columns ``doc_id, length``."""
        raise reader.source.error(f"is {self.title or self.name}", "lengths are columns doc_id and length")

    def run_layout(self, data: bytes) -> Layout | None:
        """The blank-separated columns of a run, with which it can be read in blocks; None if it cannot."""
        return None

    # ---- writing

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        """Runs that are within the limits; `path` is where they go, for its suffix and for errors."""
        raise PartwiseError(f"{self.title or self.name} is not written", "use another format", file=path)

    def write_assessments(self, assessments: Assessments, path: str) -> bytes:
        """Assessments that are within the limits."""
        raise PartwiseError(f"{self.title or self.name} is not written", "use another format", file=path)

    def name_problem(self, what: str, names: Sequence[str]) -> str | None:
        """What is wrong with the first of these names that would not be read back as it is."""
        return None

    # ---- what follows from these

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
        """What it can hold, of `IN_RUNS` and `IN_ASSESSMENTS`."""
        runs = IN_RUNS if self._has("write_runs") else ()
        judged = IN_ASSESSMENTS if self._has("write_assessments") else ()
        limits = (*self.run_limits, *self.assessment_limits)
        return frozenset((*runs, *judged)).difference(self.drops, *(limit.what for limit in limits))

    def runs_written(self, runs: Sequence[Run], path: str) -> bytes:
        """Runs as the bytes of a file; what it cannot hold is an error."""
        if self.run_limits:
            told = {"count": len(runs), "names": _some(run.run_id for run in runs)}
            _refuse(self.run_limits, in_runs(runs), path, told)
        for run in runs:
            names = (RUN_NAME, [run.run_id]), (QUERY_NAME, run.query.names), (DOC_NAME, run.doc.names)
            self._refuse_names(names, path)
        return self.write_runs(runs, path)

    def assessments_written(self, assessments: Assessments, path: str) -> bytes:
        """Assessments as the bytes of a file; what it cannot hold is an error."""
        if self.assessment_limits:
            _refuse(self.assessment_limits, in_assessments(assessments), path, {})
        assessors = list(filter(None, assessments.assessors))
        names = (QUERY_NAME, assessments.queries), (DOC_NAME, assessments.docs), (ASSESSOR_NAME, assessors)
        self._refuse_names(names, path)
        return self.write_assessments(assessments, path)

    def _refuse_names(self, names: Iterable[tuple[str, Sequence[str]]], path: str) -> None:
        for what, some in names:
            problem = self.name_problem(what, some)
            if problem is not None:
                raise unfit(path, problem)


def unfit(path: str, problem: str) -> PartwiseError:
    """The error that a file cannot hold what is to be written."""
    return PartwiseError(problem, HOLDS_EVERYTHING, file=path)


def changed(name: str, format: str) -> str:
    return f"a name is {name!r}, and {format} would not give it back as it is"


def _some(names: Iterable[str]) -> str:
    known = list(names)
    return ", ".join(map(shown, known[:3])) + (" ..." if len(known) > 3 else "")


def _refuse(limits: Iterable[Limit], there: set[str], path: str, told: dict[str, Any]) -> None:
    for limit in limits:
        if limit.what & there and not limit.unless & there:
            raise PartwiseError(limit.problem.format(**told), limit.remedy, file=os.fspath(path))


def in_runs(runs: Sequence[Run]) -> set[str]:
    """What of `IN_RUNS` these runs have."""
    return set().union(*map(_in_run, runs), {SEVERAL_RUNS} if len(runs) != 1 else set())


def _in_run(run: Run) -> set[str]:
    whole = run.end == TO_END
    there = {
        DOCUMENTS: whole.any(),
        SPANS: not whole.all(),
        SEVERAL_SPANS: (np.diff(run.span_offsets) > 1).any(),
        ENTRY_POINTS: (run.start == run.end).any(),
    }
    if run.paths is not None:
        of_row = np.diff(run.paths.offsets)
        is_range = run.paths.is_range
        there |= {
            PATHS: not is_range.all(),
            PATH_RANGES: is_range.any(),
            TREES: (of_row > 1).any(),
            TREES_OF_RANGES: (is_range & (np.repeat(of_row, of_row) > 1)).any(),
        }
    there[MIXED] = sum(bool(there.get(kind)) for kind in (DOCUMENTS, SPANS, PATHS, PATH_RANGES)) > 1
    return {what for what, is_there in there.items() if is_there}


def in_assessments(assessments: Assessments) -> set[str]:
    """What of `IN_ASSESSMENTS` these have."""
    documents = assessments.documents
    queries = set(documents.query.tolist())
    pools = set(zip(documents.query.tolist(), documents.assessor.tolist(), strict=True))
    is_graded = bool((documents.grade != NO_GRADE).any())
    there = {
        GRADES: is_graded,
        UNGRADED: not is_graded,
        PASSAGES: len(assessments.spans.lines),
        PATH_PASSAGES: len(assessments.passages.lines),
        OFFSET_BEPS: (documents.bep != NONE).any(),
        PATH_BEPS: any(documents.bep_path or ()),
        LENGTHS: (documents.length != NONE).any(),
        UNKNOWN_LENGTHS: (documents.length == NONE).any(),
        ELEMENTS: len(assessments.elements.lines),
        JUDGED_TREES: len(assessments.trees.lines),
        ASSESSORS: len(pools) > len(queries),
    }
    return {what for what, is_there in there.items() if is_there}
