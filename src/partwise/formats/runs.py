"""Runs in named columns: a table to runs, and a run to rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from partwise.formats.cells import path_in, paths_in, spans_in
from partwise.formats.names import PART_COLUMNS
from partwise.formats.ranks import as_ranked
from partwise.formats.tables import Table, require
from partwise.model import LARGEST_OFFSET, NONE, TO_END, Coded, Ints, Paths, Run


def runs_from_table(table: Table, default_id: str | None) -> list[Run]:
    """The runs in a table, by its column ``run_id``; without one it is one run, called `default_id`."""
    require(table, ("query_id", "doc_id"), "runs")
    source = table.reader.source
    query, doc = table.strings("query_id"), table.strings("doc_id")
    run_id = table.strings("run_id") if table.has("run_id") else None
    rank = table.naturals("rank") if table.has("rank") else None
    score = table.numbers("score") if table.has("score") else None
    offsets, start, end, paths = _parts(table)
    table.reader.settle()
    if table.has("text") and not any(table.has(name) for name in PART_COLUMNS):
        table.reader.notes.append(
            f"{source.name}: has texts and does not say where they stand, so every result is its whole document; "
            "partwise locate finds them"
        )
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
        source=source,
        lines=table.lines,
    )
    if table.bad.any():
        good = np.flatnonzero(~table.bad)
        run = run.take(good)
        run_id = None if run_id is None else run_id.take(good)
    if run_id is None:
        return [run]
    return split_runs(run, run_id)


def split_runs(run: Run, run_id: Coded) -> list[Run]:
    """One run per distinct id, in the order in which the ids first appear."""
    order = np.argsort(run_id.codes, kind="stable")
    stretches = np.split(order, np.flatnonzero(np.diff(run_id.codes[order])) + 1)
    stretches.sort(key=lambda rows: int(rows[0]) if len(rows) else 0)
    if len(stretches) == 1:
        return [replace(run, run_id=run_id[0] if len(run_id) else run.run_id)]
    return [replace(run.take(rows), run_id=run_id[int(rows[0])]) for rows in stretches]


def _parts(table: Table) -> tuple[Ints, Ints, Ints, Paths | None]:
    """The spans and paths of every row."""
    count = len(table)
    ways = [way for way in (("start", "end"), ("offset", "length")) if table.has(way[0]) or table.has(way[1])]
    start, end = np.full(count, NONE), np.full(count, NONE)
    if len(ways) == 2:
        raise table.reader.source.error(
            "has columns start, end and offset, length", "give one of the two", first_line(table)
        )
    for way in ways:
        require(table, way, f"runs with a column {way[0] if table.has(way[0]) else way[1]}")
        start, end = span_edges(table, way)
    has_span = start != NONE
    spans = _cells(table, "spans", spans_in, "a list of [start, end]")
    path = _cells(table, "path", path_in, "a path that begins with /")
    several = _cells(table, "paths", paths_in, "a list of paths that begin with /")
    path_cells: list[list[tuple[str, str | None]] | None] = [None] * count
    if spans is None and path is None and several is None:
        end = np.where(has_span, end, TO_END)
        start = np.where(has_span, start, 0)
        return np.arange(count + 1), start, end, None
    if path is not None and not ways and spans is None and several is None and None not in path:
        alone = Paths.of_pairs(np.arange(count + 1), path)
        return np.zeros(count + 1, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), alone
    span_cells: list[list[tuple[int, int]]] = [[]] * count
    for row in range(count):
        given = [
            name
            for name, there in (
                (ways[0][0] if ways else "start", bool(has_span[row])),
                ("spans", spans is not None and spans[row] is not None),
                ("path", path is not None and path[row] is not None),
                ("paths", several is not None and several[row] is not None),
            )
            if there
        ]
        if len(given) > 1:
            table.problem(row, f"has both {given[0]} and {given[1]}", "give a part in one way")
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
    pairs = [pair for cell in path_cells for pair in cell or ()]
    paths = Paths.of_pairs(path_offsets, pairs) if pairs else None
    return offsets, flat[:, 0].copy(), flat[:, 1].copy(), paths


def span_edges(table: Table, way: tuple[str, str]) -> tuple[Ints, Ints]:
    """The start and end of every row, NONE in rows that have neither; what does not fit together is a problem."""
    first, second = (table.naturals(name) for name in way)
    for row in np.flatnonzero(((first == NONE) != (second == NONE)) & ~table.bad).tolist():
        there, gone = way if second[row] == NONE else way[::-1]
        article = "an" if there[0] in "eo" else "a"
        table.problem(row, f"has {article} {there} and no {gone}", "give both or neither")
    end = np.where(second == NONE, NONE, first + second) if way[0] == "offset" else second
    for row in np.flatnonzero((end > LARGEST_OFFSET) & ~table.bad).tolist():
        table.problem(row, f"the end of the part is '{end[row]}'", f"it must be at most {LARGEST_OFFSET}")
    for row in np.flatnonzero((end < first) & (end != NONE) & ~table.bad).tolist():
        table.problem(
            row, f"the end {end[row]} lies before the start {first[row]}", "the end must be at least the start"
        )
    return first, end


def first_line(table: Table) -> int | None:
    return 1 if table.reader.source.is_file else None


def _cells(table: Table, name: str, convert: Callable[[Any], Any], wanted: str) -> list[Any] | None:
    return table.each(name, convert, wanted, None) if table.has(name) else None


def run_rows(run: Run) -> list[dict[str, Any]]:
    """A run as rows of named columns; a six-column run in its order, with the ranks that this gives it."""
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
        spans = [(int(run.start[i]), int(run.end[i])) for i in inside]
        paths = run.paths.of_row(row) if run.paths is not None else []
        if len(paths) > 1:
            cells["paths"] = [" ".join(filter(None, path)) for path in paths]
        elif paths:
            cells["path"] = " ".join(filter(None, paths[0]))
        elif spans != [(0, TO_END)]:
            if single:
                cells["start"], cells["end"] = spans[0]
            else:
                cells["spans"] = [list(span) for span in spans]
        rows.append(cells)
    return rows
