"""Assessments in named columns: assessments from a table, and rows from assessments; also document lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.formats.cells import (
    ID,
    PATH,
    PATHS,
    SCALE,
    exhaustivity_in,
    is_missing,
    path_in,
    paths_in,
    scale_in,
    single_path_in,
    text_in,
)
from partwise.formats.columns import assessment_columns, renamed
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.names import ASSESSMENT_COLUMNS
from partwise.formats.placing_notes import placing_in
from partwise.formats.row_notes import assessment_notes
from partwise.formats.runs import first_line, span_edges
from partwise.formats.tables import Table, cells_of, require
from partwise.messages import reading
from partwise.model import NO_GRADE, NONE, Assessments, Bools, Coded, EmptyJudgements, Ints
from partwise.units import CHARS, as_written


def assessments_from_table(table: Table, unit: str | None) -> Assessments:
    """The assessments in a table of named columns."""
    table = assessment_columns(table)
    require(table, ("query_id", "doc_id"), "assessments")
    table.take_unit(unit)
    if table.has("offset"):
        raise table.reader.source.error(reading.OFFSET_COLUMN(), line=first_line(table))
    is_empty = _without_document(table)
    query, doc = table.strings("query_id"), _documents(table, is_empty)
    count = len(table)
    assessor = Coded(np.zeros(count, np.int64), [""])
    if table.has("assessor"):
        assessor = Coded.of(table.each("assessor", text_in, ID, ""))
    raw = RawJudgements(
        query,
        doc,
        assessor,
        table.lines,
        length=table.offsets("length"),
        bep=table.offsets("bep"),
        grade=table.grades("grade"),
    )
    raw.repeats_documents = True
    raw.nugget, raw.nuggets = _words(table, "nugget")
    raw.set, raw.sets = _words(table, "set")
    for pair in (("start", "end"), ("start_line", "end_line")):
        if not any(map(table.has, pair)):
            continue
        require(table, pair, "highlighted passages")
        start, end, _ = span_edges(table, pair)
        raw.span_row = np.flatnonzero(start != NONE)
        raw.start, raw.end = start[raw.span_row], end[raw.span_row]
    if table.has("spans"):
        _several_spans(table, raw)
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
    placing_in(table)  # nothing depends on how quotes were located, but cells that say something else are problems
    scale = _scale(table)
    table.reader.notes.extend(_notes(table, raw, is_empty))
    empty = _empty_queries(table, raw, is_empty)
    if table.bad.any() or is_empty.any():
        raw = raw.take(np.flatnonzero(~table.bad & ~is_empty))
    return assembled(raw, table.reader, scale, table.reader.unit, empty)


def _without_document(table: Table) -> Bools:
    """The rows whose doc_id is an empty text: their query has nothing relevant."""
    cells = table.columns["doc_id"]
    if isinstance(cells, Coded):  # none is empty
        return np.zeros(len(table), np.bool_)
    if isinstance(cells, kernels.Cells):
        return cells.is_empty
    return np.array([isinstance(cell, str) and cell == "" for cell in cells], np.bool_)


def _documents(table: Table, is_empty: Bools) -> Coded:
    """The documents of the rows, with any document in the rows that have none."""
    if not is_empty.any():
        return table.strings("doc_id")
    cells = list(table.columns["doc_id"])
    named = next((cell for cell, empty in zip(cells, is_empty.tolist(), strict=True) if not empty), "-")
    filled = [named if empty else cell for cell, empty in zip(cells, is_empty.tolist(), strict=True)]
    table.columns = {**table.columns, "doc_id": filled}
    return table.strings("doc_id")


def _words(table: Table, name: str) -> tuple[Ints, Sequence[str]]:
    """A column of words as codes, NONE where a row has none, and the words."""
    if not table.has(name):
        return np.full(len(table), NONE), ()
    words = Coded.of(table.each(name, text_in, ID, ""))
    if "" not in words.names:
        return words.codes, words.names
    missing = words.names.index("")
    names = [word for word in words.names if word]
    return np.where(words.codes == missing, NONE, words.codes - (words.codes > missing)), names


def _several_spans(table: Table, raw: RawJudgements) -> None:
    """Read passages of several spans, each in one row."""
    cells = table.spans()
    rows = [row for row, cell in enumerate(cells) if cell is not None]
    for row in np.intersect1d(raw.span_row, rows).tolist():
        table.problem(row, reading.BOTH(first="start", second="spans"))
    pieces = [(row, start, end) for row in rows for start, end in cells[row]]
    row, start, end = np.array(pieces, np.int64).reshape(-1, 3).T
    row, start, end = (np.concatenate(both) for both in ((raw.span_row, row), (raw.start, start), (raw.end, end)))
    order = np.argsort(row, kind="stable")
    raw.span_row, raw.start, raw.end = row[order], start[order], end[order]
    raw.passage = raw.span_row


_SAYS_NOTHING = frozenset(("query_id", "doc_id", "assessor", "scale", "unit", "how", "how_score", "_placing"))


def _empty_queries(table: Table, raw: RawJudgements, is_empty: Bools) -> EmptyJudgements:
    """The queries with nothing relevant; a place or grade in their row, or a relevant part elsewhere, is a problem."""
    if not is_empty.any():
        return EmptyJudgements.none()
    judged = [name for name in ASSESSMENT_COLUMNS if table.has(name) and name not in _SAYS_NOTHING]
    cells = {name: cells_of(table.columns[name]) for name in judged}
    for row in np.flatnonzero(is_empty & ~table.bad).tolist():
        for name in judged:
            if not is_missing(cells[name][row]):
                table.problem(row, reading.JUDGED_WITHOUT_DOCUMENT(name=table.origins.get(name, name)))
                break
    relevant = raw.grade > 0
    parts = np.concatenate([raw.span_row, raw.passage_row, raw.tree_row])
    relevant[parts[raw.grade[parts] == NO_GRADE]] = True
    relevant[raw.element_row[raw.exhaustivity > 0]] = True
    key = raw.query.codes * len(raw.assessor.names) + raw.assessor.codes
    first = {int(key[row]): row for row in np.flatnonzero(relevant & ~table.bad & ~is_empty).tolist()[::-1]}
    rows: dict[int, int] = {}
    for row in np.flatnonzero(is_empty & ~table.bad).tolist():
        if int(key[row]) in first:
            place = table.reader.source.place(int(table.lines[first[int(key[row])]]))
            table.problem(row, reading.NOT_EMPTY(query=raw.query[row], place=place))
        else:
            rows.setdefault(int(key[row]), row)
    chosen = np.array(list(rows.values()), np.int64)
    return EmptyJudgements(raw.query.codes[chosen], raw.assessor.codes[chosen], table.lines[chosen])


def _notes(table: Table, raw: RawJudgements, is_empty: Bools) -> Iterator[str]:
    has_part = is_empty.copy()
    has_part[np.concatenate([raw.span_row, raw.passage_row, raw.element_row, raw.tree_row])] = True
    is_judged = raw.grade != NO_GRADE
    rows = np.flatnonzero((raw.length != NONE) | (raw.bep != NONE))
    if len(rows):
        document = raw.query.codes * len(raw.doc.names) + raw.doc.codes
        is_judged[rows] |= ~np.isin(document[rows], document[has_part])
    if raw.bep_path is not None:
        is_judged |= np.array([bool(path) for path in raw.bep_path.values()], np.bool_)
    size = np.full(len(table), NONE)
    is_single = np.bincount(raw.span_row, minlength=len(table))[raw.span_row] == 1
    size[raw.span_row[is_single]] = (raw.end - raw.start)[is_single]
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
    doc, length = table.strings("doc_id"), table.offsets("length")
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

    def named(table: Any, row: int) -> dict[str, str]:
        """The cells for the nugget and the set of a passage."""
        cells = {}
        for name, words, code in (
            ("nugget", assessments.nuggets, int(table.nugget[row])),
            ("set", assessments.sets, int(table.set[row])),
        ):
            if code != NONE:
                cells[name] = words[code]
        return cells

    unit = assessments.unit
    edges: dict[int, list[tuple[float, float]]] = {}
    first_row: dict[int, int] = {}
    for row, (passage, start, end) in enumerate(
        zip(spans.passage.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True)
    ):
        edges.setdefault(passage, []).append((as_written(start, unit), as_written(end, unit)))
        first_row.setdefault(passage, row)
    seen: set[tuple[Any, ...]] = set()
    for passage, row in first_row.items():
        key = int(spans.query[row]), int(spans.doc[row]), int(spans.assessor[row])
        place = _place(edges[passage])
        part = {**place, **_graded(spans.grade[row]), **named(spans, row)}
        if _added(seen, key, part):
            parts.setdefault(key, []).append((int(spans.lines[row]), part))
    passages = assessments.passages
    for row in range(len(passages.lines)):
        key = int(passages.query[row]), int(passages.doc[row]), int(passages.assessor[row])
        place = {"start_path": passages.first[row], "end_path": passages.last[row]}
        between = {**place, **_graded(passages.grade[row]), **named(passages, row)}
        if _added(seen, key, between):
            parts.setdefault(key, []).append((int(passages.lines[row]), between))
    for row in range(len(elements.lines)):
        key = int(elements.query[row]), int(elements.doc[row]), int(elements.assessor[row])
        grades = {
            "path": elements.path[row],
            "exhaustivity": float(elements.exhaustivity[row]),
            "specificity": float(elements.specificity[row]),
            **named(elements, row),
        }
        parts.setdefault(key, []).append((int(elements.lines[row]), grades))
    trees = assessments.trees
    for row in range(len(trees.lines)):
        key = int(trees.query[row]), int(trees.doc[row]), int(trees.assessor[row])
        tree: dict[str, Any] = {"paths": list(trees.paths[row]), **_graded(trees.grade[row]), **named(trees, row)}
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
        for name, value in (("length", documents.length[row]), ("bep", documents.bep[row])):
            if value != NONE:
                cells[name] = as_written(value, unit)
        if documents.grade[row] != NO_GRADE:
            cells["grade"] = int(documents.grade[row])
        if documents.bep_path is not None and documents.bep_path[row]:
            cells["bep_path"] = documents.bep_path[row]
        if assessments.scale is not None:
            cells["scale"] = assessments.scale
        if unit != CHARS:
            cells["unit"] = unit
        judged = parts.get(key) or [(int(documents.lines[row]), {})]
        rows += [(line, _present({**cells, **part})) for line, part in judged]
    for query, assessor, line in zip(*_lists(assessments.empty), strict=True):
        cells = {"query_id": assessments.queries[query], "doc_id": ""}
        if assessments.assessors[assessor]:
            cells["assessor"] = assessments.assessors[assessor]
        rows.append((line, cells))
    rows.sort(key=lambda item: item[0])
    return [cells for _, cells in rows]


def _lists(empty: EmptyJudgements) -> tuple[list[int], list[int], list[int]]:
    return empty.query.tolist(), empty.assessor.tolist(), empty.lines.tolist()


def _place(spans: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """The cells for the spans of a passage."""
    if len(spans) == 1:
        return {"start": spans[0][0], "end": spans[0][1]}
    return {"spans": [list(span) for span in spans]}


def _added(seen: set[tuple[Any, ...]], key: tuple[int, int, int], part: Mapping[str, Any]) -> bool:
    """Whether a row says something that no row before it says."""
    row = (*key, *((name, str(cell)) for name, cell in part.items()))
    if row in seen:
        return False
    seen.add(row)
    return True


def _present(cells: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cell for name, cell in cells.items() if cell is not None}


def _graded(grade: np.int64) -> dict[str, int | None]:
    """The cell for the grade of a passage; a passage without one does not take that of its document."""
    return {"grade": None if grade == NO_GRADE else int(grade)}
