"""The first rows of runs and assessments as sheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.display.sheets import Cell, Column, Sheet
from partwise.formats.assessments import assessment_rows
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.runs import run_rows
from partwise.messages import scores as messages
from partwise.model import Assessments, Run

COMMON = ("run_id", "unit", "scale", "_placing")
"""Columns that are not shown row by row."""


def of_run(run: Run, most: int) -> Sheet:
    """The first results, in the order of the file."""
    rows = run_rows(run.take(np.arange(min(len(run), most))))
    more = len(run) - len(rows)
    return _sheet(rows, RUN_COLUMNS, [messages.MORE_ROWS.note(count=more)] if more > 0 else [])


def of_assessments(assessments: Assessments, most: int) -> Sheet:
    """What is judged of the first documents."""
    codes = assessments.documents.query[:most]
    first = [assessments.queries[code] for code in dict.fromkeys(codes.tolist())]
    rows = assessment_rows(assessments.filter(query_id=first))[:most]
    more = len(assessments) - len({(row["query_id"], row["doc_id"], row.get("assessor")) for row in rows})
    return _sheet(rows, ASSESSMENT_COLUMNS, [messages.MORE_DOCUMENTS.note(count=more)] if more > 0 else [])


def _sheet(rows: Sequence[dict[str, Any]], names: Sequence[str], footer: Sequence[str]) -> Sheet:
    """A sheet of the columns that occur."""
    present = [name for name in names if name not in COMMON and any(row.get(name) is not None for row in rows)]
    cells = {name: [row.get(name) for row in rows] for name in present}
    columns = [Column(name, "number" if all(map(_is_number, cells[name])) else "text") for name in present]
    body = [[Cell(_text(cells[name][i])) for name in present] for i in range(len(rows))]
    return Sheet(columns, body, footer=footer)


def _is_number(cell: Any) -> bool:
    return cell is None or isinstance(cell, (int, float))


def _text(cell: Any) -> str:
    if isinstance(cell, list):
        return " ".join(f"{one[0]}–{one[1]}" if isinstance(one, list) else str(one) for one in cell)
    return "" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)
