"""Moments of videos as QVHighlights writes them: a JSON object per query, with windows in seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from partwise.errors import shown
from partwise.formats.base import Format
from partwise.formats.cells import is_missing, milliseconds_in, number_in
from partwise.formats.jsonl import table_from_jsonl
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, cells_of
from partwise.formats.text import first_line
from partwise.later import assessment_tables, run_tables
from partwise.messages import reading
from partwise.model import Assessments, Run
from partwise.types import Kind

GOLD, PREDICTIONS = "relevant_windows", "pred_relevant_windows"
_IDS = ("qid", "vid")
_KEY = re.compile(rb'"(pred_)?relevant_windows"[ \t]*:')


class Moments(Format):
    """``qid, vid, duration, relevant_windows`` of assessments, ``qid, vid, pred_relevant_windows`` of runs."""

    name = "moments"
    title = "QVHighlights moments"
    is_common = False
    unit = "seconds"

    def sniff(self, data: bytes, name: str) -> bool:
        line = first_line(data)[1]
        return line.startswith(b"{") and _KEY.search(line) is not None

    def what_is(self, data: bytes, reader: Reader) -> Kind | None:
        found = _KEY.search(first_line(data)[1])
        return "run" if found is not None and found.group(1) else "assessments"

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        """A result per window, in the order of scores; without scores in the order of the line."""
        lines = self._table(data, reader, PREDICTIONS, ", score")
        names = [name for name in lines.names if name not in (PREDICTIONS, *_IDS)]
        table = _per_window(lines, _windows(lines, PREDICTIONS, (2, 3)), names)
        table.is_ranked = True
        return run_tables.runs_from_table(table, name)

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        """A passage per window; a video without windows is judged and not relevant."""
        lines = self._table(data, reader, GOLD, "")
        names = [name for name in lines.names if name not in (GOLD, "duration", *_IDS)]
        windows = [cell or [(None, None)] for cell in _windows(lines, GOLD, (2,))]
        table = _per_window(lines, windows, names)
        grades = [0 if start is None else None for start in table.columns["start"]]
        columns = {**table.columns, "grade": grades}
        if lines.has("duration"):
            durations = cells_of(lines.columns["duration"])
            columns["length"] = [cell for cell, of_line in zip(durations, windows, strict=True) for _ in of_line]
        judged = Table(columns, table.lines, reader, [*columns, *names])
        judged.bad = table.bad
        return assessment_tables.assessments_from_table(judged, unit)

    def _table(self, data: bytes, reader: Reader, windows: str, score: str) -> Table:
        table = table_from_jsonl(data, reader, (*_IDS, windows))
        for name in (*_IDS, windows):
            cells = cells_of(table.columns[name]) if table.has(name) else [None] * len(table)
            for row, cell in enumerate(cells):
                if not table.bad[row] and is_missing(cell):
                    table.problem(row, reading.NO_KEY(name=name, names=", ".join((*_IDS, windows))))
        reader.settle()
        return table


def _windows(table: Table, name: str, sizes: Sequence[int]) -> list[list[tuple[Any, ...]]]:
    """The windows of every line; a value that is not a list of them is a problem."""
    windows = []
    for row, cell in enumerate(cells_of(table.columns[name]) if table.has(name) else []):
        good = isinstance(cell, list) and all(_is_window(window, sizes) for window in cell)
        if not good and not table.bad[row]:
            score = ", score" if 3 in sizes else ""
            table.problem(row, reading.BAD_WINDOWS(name=name, value=shown(cell), score=score))
        windows.append([tuple(window) for window in cell] if good else [])
    return windows


def _is_window(window: Any, sizes: Sequence[int]) -> bool:
    if not isinstance(window, list) or len(window) not in sizes:
        return False
    edges = [milliseconds_in(edge) for edge in window[:2]]
    return None not in edges and all(number_in(score) is not None for score in window[2:])


def _per_window(lines: Table, windows: Sequence[Sequence[tuple[Any, ...]]], names: Sequence[str]) -> Table:
    """A row per window; `names` are the other keys of the lines."""
    rows = [(row, window) for row, of_line in enumerate(windows) for window in of_line]
    ids = [cells_of(lines.columns[name]) if lines.has(name) else [None] * len(lines) for name in _IDS]
    columns: dict[str, Any] = {
        "query_id": [ids[0][row] for row, _ in rows],
        "doc_id": [ids[1][row] for row, _ in rows],
        "start": [window[0] for _, window in rows],
        "end": [window[1] for _, window in rows],
    }
    if any(len(window) == 3 for _, window in rows):
        columns["score"] = [window[2] if len(window) == 3 else None for _, window in rows]
    table = Table(columns, [int(lines.lines[row]) for row, _ in rows], lines.reader, [*columns, *names])
    table.bad[:] = [bool(lines.bad[row]) for row, _ in rows]
    return table


MOMENTS = Moments()
