"""TREC columns: runs ``query Q0 document rank score run`` and qrels ``query iteration document grade``."""

from __future__ import annotations

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.formats import base
from partwise.formats.base import ONE_RUN, Limit
from partwise.formats.blank_separated import Columns
from partwise.formats.cells import GRADE
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.problems import Reader
from partwise.formats.ranks import trec_numbers
from partwise.formats.text import Layout, column_problems, decoded
from partwise.messages import reading, writing
from partwise.model import LARGEST_GRADE, NONE, TO_END, Assessments, Coded, Run, constant, counting

RUN = Layout("s-dofs", ("query", "Q0", "document", "rank", "score", "run tag"), "query Q0 document rank score run")
QRELS = Layout("s-si", ("query", "iteration", "document", "grade"), "query iteration document grade")


def run_of(table: kernels.TextColumns, reader: Reader) -> tuple[Run, Coded]:
    """A run of whole documents, and the run tags of its rows."""
    column_problems(reader, table.problems, RUN)
    reader.settle()
    if table.with_more_text:
        note = reading.MORE_TEXT.note(source=reader.source.name, count=table.with_more_text)
        reader.notes.append(note)
    query, _, doc, rank, score, tag = table.columns
    count = len(table.lines)
    run = Run(
        run_id="",
        query=decoded(query),
        doc=decoded(doc),
        rank=rank,
        score=score,
        span_offsets=counting(count + 1),
        start=constant(0, count),
        end=constant(TO_END, count),
        trec_order=True,
        source=reader.source,
        lines=table.lines,
        single=True,
    )
    return run, decoded(tag)


def read_qrels(data: bytes, reader: Reader, unit: str) -> Assessments:
    """Assessments from grades of whole documents."""
    table = kernels.read_columns(data, QRELS.kinds)
    column_problems(reader, table.problems, QRELS)
    query, _, doc, grade = table.columns
    for row in np.flatnonzero(np.abs(grade) > LARGEST_GRADE).tolist():
        message = reading.BAD_VALUE(name="grade", value=shown(grade[row]), expected=GRADE)
        reader.problem(int(table.lines[row]), message)
    count = len(table.lines)
    unknown = np.full(count, NONE)
    raw = RawJudgements(
        in_file_order(decoded(query)),
        decoded(doc),
        Coded(np.zeros(count, np.int64), [""]),
        table.lines,
        length=unknown,
        bep=unknown,
        grade=grade,
    )
    return assembled(raw.take(np.flatnonzero(np.abs(grade) <= LARGEST_GRADE)), reader, None, unit)


def in_file_order(column: Coded) -> Coded:
    """The same column with its names in order of first occurrence."""
    codes, first = np.unique(column.codes, return_index=True)
    order = codes[np.argsort(first)]
    new_code = np.empty(len(column.names), np.int64)
    new_code[order] = np.arange(len(order))
    return Coded(new_code[column.codes], [column.names[code] for code in order])


def run_lines(run: Run, ranks: list[int], scores: list[str]) -> list[str]:
    """The lines of a run of whole documents."""
    rows = zip(run.query.values(), run.doc.values(), ranks, scores, strict=True)
    return [f"{query} Q0 {doc} {rank} {score} {run.run_id}" for query, doc, rank, score in rows]


def qrels_lines(assessments: Assessments) -> list[str]:
    """The lines of qrels."""
    table = assessments.documents
    rows = zip(table.query.tolist(), table.doc.tolist(), table.grade.tolist(), strict=True)
    return [f"{assessments.queries[query]} 0 {assessments.docs[doc]} {grade}" for query, doc, grade in rows]


class Trec(Columns):
    """Runs of whole documents, and grades of documents."""

    name = "trec"
    title = "TREC columns"
    run_limits = (
        ONE_RUN,
        base.NO_OTHER_UNITS,
        Limit(frozenset(base.IN_RUNS) - {base.DOCUMENTS, base.SEVERAL_RUNS}, writing.DOCUMENTS_ONLY),
    )
    assessment_limits = (
        *Columns.assessment_limits,
        Limit(
            frozenset({base.ELEMENTS, base.JUDGED_TREES, base.UNGRADED, base.PASSAGES}),
            writing.GRADES_ONLY,
        ),
    )
    drops = frozenset({base.LENGTHS, base.OFFSET_BEPS})

    def run_lines(self, run: Run) -> list[str]:
        return run_lines(run, *trec_numbers(run))

    def assessment_lines(self, assessments: Assessments) -> list[str]:
        return qrels_lines(assessments)


TREC = Trec()
