"""Runs in named columns: runs from a table, and rows from a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.formats.cells import PATH, PATHS, path_in, paths_in
from partwise.formats.columns import run_columns
from partwise.formats.names import ROW
from partwise.formats.placing_notes import add_placing, completed, placing_in
from partwise.formats.ranks import as_ranked
from partwise.formats.row_notes import run_notes
from partwise.formats.tables import Table, require
from partwise.messages import reading
from partwise.model import LARGEST_OFFSET, NONE, TO_END, Coded, Ints, Paths, Run, constant, counting
from partwise.units import CHARS, as_written


def runs_from_table(table: Table, default_id: str | None) -> list[Run]:
    """The runs in a table: one per value of its column ``run_id``, or one run named `default_id`."""
    table = run_columns(table)
    require(table, ("query_id", "doc_id"), "runs")
    table.take_unit(table.reader.requested_unit)
    source = table.reader.source
    columns = table.columns
    query, doc = table.strings("query_id"), table.tokens("doc_id")
    run_id = table.strings("run_id") if "run_id" in columns else None
    steps = "step" in columns and _are_steps(table)
    rank = table.naturals("step" if steps else "rank") if steps or "rank" in columns else None
    score = table.numbers("score") if "score" in columns else None
    offsets, start, end, paths = _parts(table)
    placing, about = placing_in(table)
    table.reader.settle()
    no_order = (rank is None or (rank == NONE).all()) and (score is None or np.isnan(score).all())
    if no_order and not table.is_ranked and ROW not in table.names:
        lists = query.codes if run_id is None else query.codes * len(run_id.names) + run_id.codes
        if len(np.unique(lists)) < len(lists):
            table.reader.notes.append(reading.ORDER_OF_ROWS.note(source=source.name))
    counts = kernels.span_counts(start, end, TO_END)
    table.reader.notes.extend(run_notes(table, offsets, start, end, counts))
    run = Run(
        run_id=default_id or "run",
        query=query,
        doc=doc,
        rank=rank,
        score=score,
        span_offsets=offsets,
        start=start,
        end=end,
        paths=paths,
        unit=table.reader.unit,
        source=source,
        lines=table.lines,
        placing=placing,
        single=paths is None and "spans" not in columns,
        bounded=paths is None and len(end) > 0 and not counts[0],
    )
    if table.has_bad:
        good = np.flatnonzero(~table.bad)
        run = run.take(good)
        run_id = None if run_id is None else run_id.take(good)
    runs = [run] if run_id is None else split_runs(run, run_id)
    if steps:
        runs = [by_step(run) for run in runs]
    return [completed(run, about) for run in runs]


def _are_steps(table: Table) -> bool:
    """Whether the results of a table with steps of an agent are ranked by these; ranks take precedence."""
    if table.has("rank"):
        table.reader.notes.append(reading.STEPS_NOT_READ.note(source=table.reader.source.name))
    return not table.has("rank")


def by_step(run: Run) -> Run:
    """The run with all spans of a document that were read at one step of a query as one result.

    Elements, given as paths, stay results of their own.
    """
    if run.rank is None or run.paths is not None or not len(run):
        return run
    key = np.stack([run.query.codes, run.rank, run.doc.codes], axis=1)
    key[:, 1] = np.where(run.rank == NONE, -2 - np.arange(len(run)), run.rank)
    _, first, group = np.unique(key, axis=0, return_index=True, return_inverse=True)
    rows = np.sort(first)
    if len(rows) == len(run):
        return run
    result = np.searchsorted(rows, first[group.reshape(-1)])
    owner = result[np.repeat(np.arange(len(run)), np.diff(run.span_offsets))]
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(rows))
    return replace(
        run.take(rows),
        span_offsets=np.concatenate([[0], np.cumsum(counts)]),
        start=run.start[order],
        end=run.end[order],
        single=False,
    )


def split_runs(run: Run, run_id: Coded) -> list[Run]:
    """One run per distinct id, in order of first occurrence."""
    order = np.argsort(run_id.codes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(run_id.codes[order])) + 1)
    groups.sort(key=lambda rows: int(rows[0]) if len(rows) else 0)
    if len(groups) == 1:
        return [replace(run, run_id=run_id[0] if len(run_id) else run.run_id)]
    return [replace(run.take(rows), run_id=run_id[int(rows[0])]) for rows in groups]


PAIRS = (("start", "end"), ("offset", "length"), ("start_line", "end_line"))
"""Columns that give the first and last place of a part."""
_OTHER_PARTS = ("spans", "path", "paths")
"""Columns that give parts otherwise."""


def _parts(table: Table) -> tuple[Ints, Ints, Ints, Paths | None]:
    """The spans and paths of every row."""
    count = len(table)
    columns = table.columns
    pairs = [pair for pair in PAIRS if pair[0] in columns or pair[1] in columns]
    start = end = constant(NONE, count)
    are_spans = False
    if len(pairs) == 2:
        names = ", ".join(filter(table.has, ("start", "end", "offset", "length")))
        raise table.reader.source.error(reading.TWO_KINDS_OF_OFFSETS(columns=names), line=first_line(table))
    for pair in pairs:
        require(table, pair, f"runs with a column {pair[0] if table.has(pair[0]) else pair[1]}")
        start, end, are_spans = span_edges(table, pair)
    if are_spans and columns.keys().isdisjoint(_OTHER_PARTS):
        return counting(count + 1), start, end, None
    spans = table.spans() if table.has("spans") else None
    path = _cells(table, "path", path_in, PATH)
    several = _cells(table, "paths", paths_in, PATHS)
    has_path = path is not None or several is not None
    has_span = start != NONE
    if spans is None and not has_path:
        end = np.where(has_span, end, TO_END)
        start = np.where(has_span, start, 0)
        return counting(count + 1), start, end, None
    path_cells: list[list[tuple[str, str | None]] | None] = [None] * count
    if path is not None and not pairs and spans is None and several is None and None not in path:
        no_spans = np.empty(0, np.int64)
        return np.zeros(count + 1, np.int64), no_spans, no_spans, Paths.of_pairs(np.arange(count + 1), path)
    span_cells: list[list[tuple[int, int]]] = [[]] * count
    for row in range(count):
        forms = [
            name
            for name, is_present in (
                (pairs[0][0] if pairs else "start", bool(has_span[row])),
                ("spans", spans is not None and spans[row] is not None),
                ("path", path is not None and path[row] is not None),
                ("paths", several is not None and several[row] is not None),
            )
            if is_present
        ]
        if len(forms) > 1:
            table.problem(row, reading.BOTH(first=forms[0], second=forms[1]))
        if has_span[row]:
            span_cells[row] = [(int(start[row]), int(end[row]))]
        elif spans is not None and spans[row] is not None:
            span_cells[row] = spans[row]
        elif path is not None and path[row] is not None:
            path_cells[row] = [path[row]]
        elif several is not None and several[row] is not None:
            path_cells[row] = several[row]
        else:
            span_cells[row] = [(0, TO_END)]
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum([len(cell) for cell in span_cells], out=offsets[1:])
    flat = np.array([span for cell in span_cells for span in cell], np.int64).reshape(-1, 2)
    path_offsets = np.zeros(count + 1, np.int64)
    np.cumsum([len(cell or ()) for cell in path_cells], out=path_offsets[1:])
    ranges = [path_range for cell in path_cells for path_range in cell or ()]
    paths = Paths.of_pairs(path_offsets, ranges) if ranges else None
    return offsets, flat[:, 0].copy(), flat[:, 1].copy(), paths


def span_edges(table: Table, pair: tuple[str, str]) -> tuple[Ints, Ints, bool]:
    """The start and end of every row from a pair of columns, NONE in rows that have neither; bad ones are problems.

    Also whether it is known that every row has both, and that both are good.
    """
    is_lines = pair[0] == "start_line"
    read = table.lines_from if is_lines else table.offsets
    first, second = read(pair[0]), read(pair[1])
    if pair[0] == "start" and kernels.are_spans(first, second, LARGEST_OFFSET):
        return first, second, True
    for row in np.flatnonzero(((first == NONE) != (second == NONE)) & ~table.bad).tolist():
        present, absent = pair if second[row] == NONE else pair[::-1]
        table.problem(row, reading.ONLY_ONE(present=present, absent=absent))
    end = np.where(second == NONE, NONE, first + second) if pair[0] == "offset" else second
    for row in np.flatnonzero((end > LARGEST_OFFSET) & ~table.bad).tolist():
        unit = table.reader.unit
        largest = as_written(LARGEST_OFFSET, unit)
        message = reading.TOO_LARGE(name="end of the part", value=shown(as_written(end[row], unit)), largest=largest)
        table.problem(row, message)
    for row in np.flatnonzero((end < first) & (end != NONE) & ~table.bad).tolist():
        edges = as_written(end[row], table.reader.unit), as_written(first[row], table.reader.unit)
        table.problem(row, reading.END_BEFORE_START(end=edges[0], start=edges[1]))
    start = np.where(first == NONE, NONE, first - 1) if is_lines else first
    return start, end, kernels.are_spans(start, end, LARGEST_OFFSET)


def first_line(table: Table) -> int | None:
    """The line for errors of the columns of a table, its header; none if the table is not from a file."""
    return 1 if table.reader.source.is_file else None


def _cells(table: Table, name: str, convert: Callable[[Any], Any], expected: str) -> list[Any] | None:
    return table.each(name, convert, expected, None) if table.has(name) else None


def run_rows(run: Run) -> list[dict[str, Any]]:
    """A run as rows of named columns; a six-column run in the order of its scores, with ranks by this order."""
    rows = []
    run = as_ranked(run)
    single = bool((np.diff(run.span_offsets) <= 1).all())
    for row, (query, doc) in enumerate(zip(run.query.values(), run.doc.values(), strict=True)):
        cells: dict[str, Any] = {"query_id": query, "doc_id": doc}
        if run.rank is not None:
            cells["rank"] = None if run.rank[row] == NONE else int(run.rank[row])
        if run.score is not None:
            cells["score"] = None if np.isnan(run.score[row]) else float(run.score[row])
        cells["run_id"] = run.run_id
        inside = range(int(run.span_offsets[row]), int(run.span_offsets[row + 1]))
        spans = [(as_written(run.start[i], run.unit), as_written(run.end[i], run.unit)) for i in inside]
        paths = run.paths.of_row(row) if run.paths is not None else []
        if len(paths) > 1:
            cells["paths"] = [" ".join(filter(None, path)) for path in paths]
        elif paths:
            cells["path"] = " ".join(filter(None, paths[0]))
        elif spans and run.end[inside[0]] != TO_END:
            if single:
                cells["start"], cells["end"] = spans[0]
            else:
                cells["spans"] = [list(span) for span in spans]
        if run.unit != CHARS:
            cells["unit"] = run.unit
        rows.append(cells)
    add_placing(rows, run.placing)
    return rows
