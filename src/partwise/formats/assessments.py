"""Assessments in named columns: assessments from a table, and rows from assessments; also document lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from partwise.formats.cells import (
    ID,
    PATH,
    PATHS,
    SCALE,
    exhaustivity_in,
    path_in,
    paths_in,
    scale_in,
    single_path_in,
    text_in,
)
from partwise.formats.columns import assessment_columns, renamed
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.row_notes import assessment_notes
from partwise.formats.runs import first_line, span_edges
from partwise.formats.tables import Table, require
from partwise.messages import reading
from partwise.model import NO_GRADE, NONE, Assessments, Coded


def assessments_from_table(table: Table, unit: str) -> Assessments:
    """The assessments in a table of named columns."""
    table = assessment_columns(table)
    require(table, ("query_id", "doc_id"), "assessments")
    if table.has("offset"):
        raise table.reader.source.error(reading.OFFSET_COLUMN(), line=first_line(table))
    query, doc = table.strings("query_id"), table.strings("doc_id")
    count = len(table)
    assessor = Coded(np.zeros(count, np.int64), [""])
    if table.has("assessor"):
        assessor = Coded.of(table.each("assessor", text_in, ID, ""))
    raw = RawJudgements(
        query,
        doc,
        assessor,
        table.lines,
        length=table.naturals("length"),
        bep=table.naturals("bep"),
        grade=table.grades("grade"),
    )
    raw.repeats_documents = True
    if table.has("start") or table.has("end"):
        require(table, ("start", "end"), "highlighted passages")
        start, end = span_edges(table, ("start", "end"))
        raw.span_row = np.flatnonzero(start != NONE)
        raw.start, raw.end = start[raw.span_row], end[raw.span_row]
    if table.has("start_path") or table.has("end_path"):
        require(table, ("start_path", "end_path"), "highlighted passages between paths")
        _passages(table, raw)
    if table.has("bep_path"):
        raw.bep_path = Coded.of(table.each("bep_path", single_path_in, PATH, ""))
        for row in np.flatnonzero(raw.bep != NONE).tolist():
            if raw.bep_path[row]:
                table.problem(row, reading.BOTH(first="bep", second="bep_path"))
    if table.has("path"):
        require(table, ("path", "exhaustivity", "specificity"), "graded elements")
        cells = table.each("path", path_in, PATH, None)
        rows = [row for row, cell in enumerate(cells) if cell is not None]
        raw.element_row = np.array(rows, np.int64)
        raw.path = [" ".join(filter(None, cells[row])) for row in rows]
        raw.exhaustivity = table.numbers("exhaustivity", exhaustivity_in)[raw.element_row]
        raw.specificity = table.numbers("specificity")[raw.element_row]
        for name, values in (("exhaustivity", raw.exhaustivity), ("specificity", raw.specificity)):
            for item in np.flatnonzero(np.isnan(values) & ~table.bad[raw.element_row]).tolist():
                table.problem(rows[item], reading.ELEMENT_GRADE(name=name))
    if table.has("paths"):
        _read_trees(table, raw)
    scale = _scale(table)
    table.reader.notes.extend(_notes(table, raw))
    if table.bad.any():
        raw = raw.take(np.flatnonzero(~table.bad))
    return assembled(raw, table.reader, scale, unit)


def _notes(table: Table, raw: RawJudgements) -> Iterator[str]:
    has_part = np.zeros(len(table), np.bool_)
    has_part[np.concatenate([raw.span_row, raw.passage_row, raw.element_row, raw.tree_row])] = True
    judged_part = set(zip(raw.query.codes[has_part].tolist(), raw.doc.codes[has_part].tolist(), strict=True))
    is_judged = raw.grade != NO_GRADE
    for row in np.flatnonzero((raw.length != NONE) | (raw.bep != NONE)).tolist():
        is_judged[row] |= (int(raw.query.codes[row]), int(raw.doc.codes[row])) not in judged_part
    if raw.bep_path is not None:
        is_judged |= np.array([bool(path) for path in raw.bep_path.values()], np.bool_)
    size = np.full(len(table), NONE)
    size[raw.span_row] = raw.end - raw.start
    return assessment_notes(table, has_part, is_judged, size)


def _passages(table: Table, raw: RawJudgements) -> None:
    """Read highlighted passages from one path or pointer to another."""
    edges = [table.each(name, single_path_in, PATH, "") for name in ("start_path", "end_path")]
    for row, (first, last) in enumerate(zip(*edges, strict=True)):
        if bool(first) != bool(last) and not table.bad[row]:
            present, absent = ("start_path", "end_path") if first else ("end_path", "start_path")
            table.problem(row, reading.ONLY_ONE(present=present, absent=absent))
    rows = [row for row, first in enumerate(edges[0]) if first]
    raw.passage_row = np.array(rows, np.int64)
    raw.first, raw.last = [edges[0][row] for row in rows], [edges[1][row] for row in rows]
    for row in np.intersect1d(raw.span_row, raw.passage_row).tolist():
        table.problem(row, reading.BOTH(first="start", second="start_path"))


def _read_trees(table: Table, raw: RawJudgements) -> None:
    """Read relevant trees: several paths in a row, with both grades or neither."""
    cells = table.each("paths", paths_in, PATHS, None)
    rows = [row for row, cell in enumerate(cells) if cell is not None]
    raw.tree_row = np.array(rows, np.int64)
    raw.tree = [tuple(path for path, _ in cells[row]) for row in rows]
    raw.tree_exhaustivity = table.numbers("exhaustivity", exhaustivity_in)[raw.tree_row]
    raw.tree_specificity = table.numbers("specificity")[raw.tree_row]
    is_half_graded = np.isnan(raw.tree_exhaustivity) != np.isnan(raw.tree_specificity)
    for item in np.flatnonzero(is_half_graded & ~table.bad[raw.tree_row]).tolist():
        grades = "exhaustivity", "specificity"
        present, absent = grades if np.isnan(raw.tree_specificity[item]) else grades[::-1]
        table.problem(rows[item], reading.ONLY_ONE(present=present, absent=absent))
    both = np.intersect1d(raw.tree_row, np.concatenate([raw.element_row, raw.span_row]))
    for row in both[~table.bad[both]].tolist():
        other = "path" if row in raw.element_row else "start"
        table.problem(row, reading.BOTH(first=other, second="paths"))


def _scale(table: Table) -> str | None:
    if not table.has("scale"):
        return None
    cells = table.each("scale", scale_in, SCALE, None)
    scales = [(cell, row) for row, cell in enumerate(cells) if cell is not None]
    for scale, row in scales:
        if scale != scales[0][0]:
            table.problem(row, reading.TWO_SCALES(scale=scale, earlier=scales[0][0]))
    return scales[0][0] if scales else None


def lengths_from_table(table: Table) -> dict[str, int]:
    """Document lengths from the columns ``doc_id, length``."""
    table = renamed(table, ("doc_id", "length"))
    require(table, ("doc_id", "length"), "lengths")
    doc, length = table.strings("doc_id"), table.naturals("length")
    for row in np.flatnonzero((length == NONE) & ~table.bad).tolist():
        table.problem(row, reading.NO_LENGTH())
    lengths: dict[str, int] = {}
    for row, (name, size) in enumerate(zip(doc.values(), length.tolist(), strict=True)):
        if not table.bad[row] and lengths.setdefault(name, size) != size:
            table.problem(row, reading.TWO_VALUES(doc=name, name="length", value=size, earlier=lengths[name]))
    table.reader.settle()
    return lengths


def assessment_rows(assessments: Assessments) -> list[dict[str, Any]]:
    """Assessments as rows of named columns: one per passage, element or tree, or one for a document without any."""
    documents = assessments.documents
    parts: dict[tuple[int, int, int], list[tuple[int, Mapping[str, Any]]]] = {}
    spans, elements = assessments.spans, assessments.elements
    for row in _once(spans.query, spans.doc, spans.assessor, spans.start, spans.end, spans.grade):
        key = int(spans.query[row]), int(spans.doc[row]), int(spans.assessor[row])
        part = {"start": int(spans.start[row]), "end": int(spans.end[row]), **_graded(spans.grade[row])}
        parts.setdefault(key, []).append((int(spans.lines[row]), part))
    passages = assessments.passages
    for row in _once(passages.query, passages.doc, passages.assessor, passages.first, passages.last, passages.grade):
        key = int(passages.query[row]), int(passages.doc[row]), int(passages.assessor[row])
        between = {"start_path": passages.first[row], "end_path": passages.last[row], **_graded(passages.grade[row])}
        parts.setdefault(key, []).append((int(passages.lines[row]), between))
    for row in range(len(elements.lines)):
        key = int(elements.query[row]), int(elements.doc[row]), int(elements.assessor[row])
        grades = {
            "path": elements.path[row],
            "exhaustivity": float(elements.exhaustivity[row]),
            "specificity": float(elements.specificity[row]),
        }
        parts.setdefault(key, []).append((int(elements.lines[row]), grades))
    trees = assessments.trees
    for row in range(len(trees.lines)):
        key = int(trees.query[row]), int(trees.doc[row]), int(trees.assessor[row])
        tree: dict[str, Any] = {"paths": list(trees.paths[row])}
        if not np.isnan(trees.exhaustivity[row]):
            tree["exhaustivity"] = float(trees.exhaustivity[row])
            tree["specificity"] = float(trees.specificity[row])
        parts.setdefault(key, []).append((int(trees.lines[row]), tree))
    rows = []
    for row in range(len(documents.lines)):
        key = int(documents.query[row]), int(documents.doc[row]), int(documents.assessor[row])
        cells: dict[str, Any] = {"query_id": assessments.queries[key[0]], "doc_id": assessments.docs[key[1]]}
        if assessments.assessors[key[2]]:
            cells["assessor"] = assessments.assessors[key[2]]
        for name, value, missing in (
            ("length", documents.length[row], NONE),
            ("bep", documents.bep[row], NONE),
            ("grade", documents.grade[row], NO_GRADE),
        ):
            if value != missing:
                cells[name] = int(value)
        if documents.bep_path is not None and documents.bep_path[row]:
            cells["bep_path"] = documents.bep_path[row]
        if assessments.scale is not None:
            cells["scale"] = assessments.scale
        judged = parts.get(key) or [(int(documents.lines[row]), {})]
        rows += [(line, _present({**cells, **part})) for line, part in judged]
    rows.sort(key=lambda item: item[0])
    return [cells for _, cells in rows]


def _once(*columns: Any) -> list[int]:
    """The rows of highlighted passages, without those that repeat another: FOL and INEX XML may, named columns may not.

    The last column is the grade, of which the highest counts, as in scoring.
    """
    best: dict[tuple[Any, ...], int] = {}
    grades = columns[-1]
    for row, key in enumerate(zip(*columns[:-1], strict=True)):
        if key not in best or grades[row] > grades[best[key]]:
            best[key] = row
    return sorted(best.values())


def _present(cells: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cell for name, cell in cells.items() if cell is not None}


def _graded(grade: np.int64) -> dict[str, int | None]:
    """The cell for the grade of a passage; a passage without one does not take that of its document."""
    return {"grade": None if grade == NO_GRADE else int(grade)}
