"""How the chunks of a run were placed, in files: the columns ``how``, ``how_score`` and ``_placing``.

``how`` has the outcome of each row, and ``how_score`` the score of a fuzzy match. ``_placing`` is in the first row of a
run only, and only if needed: what the rows cannot say, as JSON, which is the number of chunks left out, further notes,
and the lengths of the documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwise.formats.cells import number_in
from partwise.formats.tables import Table
from partwise.messages import adapters
from partwise.model import NONE, Run
from partwise.placement import AS_SAID, GIVEN, NUMBERS, OUTCOMES, UNPLACED, LeftOut, Placing, scores_of

HOW, SCORE, ABOUT = "how", "how_score", "_placing"
_OUTCOME = f"one of {', '.join(OUTCOMES)}"
_SCORE = "a number from 0 to 1"
_ABOUT = "as partwise wrote it"

About = tuple[dict[str, LeftOut], tuple[str, ...], dict[str, int]]
"""The chunks left out, further notes, and the lengths of documents."""


def place_in_run(run: Run, row: int) -> str:
    """A row as notes name it."""
    rank = NONE if run.rank is None else int(run.rank[row])
    if rank == NONE:
        return adapters.UNRANKED_CHUNK.note(query=run.query[row], row=run.line(row), doc_id=run.doc[row])
    return adapters.CHUNK.note(query=run.query[row], rank=rank, doc_id=run.doc[row])


def with_notes(run: Run) -> Run:
    """The run with the notes about how its chunks were placed."""
    return replace(run, notes=(*run.notes, *_notes(run)))


def _notes(run: Run) -> list[str]:
    return [] if run.placing is None else run.placing.notes("chunks", lambda row: place_in_run(run, row))


# ---- reading ------------------------------------------------------------------------------------------------


def placing_in(table: Table) -> tuple[Placing | None, dict[int, About]]:
    """The outcome of every row, and by line what is said about the run; bad cells are problems of the table."""
    if HOW not in table.columns and ABOUT not in table.columns:
        return None, {}
    codes = [NUMBERS[GIVEN]] * len(table)
    if table.has(HOW):
        codes = table.each(HOW, _number, _OUTCOME, NUMBERS[GIVEN])
    scores = scores_of(table.each(SCORE, _score, _SCORE, None)) if table.has(SCORE) else None
    about: Sequence[About | None] = table.each(ABOUT, _about, _ABOUT, None) if table.has(ABOUT) else ()
    by_line = {int(table.lines[row]): one for row, one in enumerate(about) if one is not None}
    return Placing(np.array(codes, np.int8), scores=scores), by_line


def completed(run: Run, about: Mapping[int, About]) -> Run:
    """A run that was read, with what is said about it, and its notes."""
    if run.placing is None:
        return run
    left_out: dict[str, LeftOut] = {}
    remarks: list[str] = []
    lengths: dict[str, int] = {}
    for row in range(len(run)) if about else ():
        if run.line(row) in about:
            more, notes, of_documents = about[run.line(row)]
            left_out |= more
            remarks += notes
            lengths |= of_documents
    placing = replace(run.placing, left_out=left_out, remarks=tuple(remarks), lengths=lengths)
    return with_notes(replace(run, placing=placing))


def _number(cell: Any) -> int | None:
    return NUMBERS.get(cell) if isinstance(cell, str) else None


def _score(cell: Any) -> float | None:
    score = number_in(cell)
    return score if score is not None and 0 <= score <= 1 else None


def _about(cell: Any) -> About | None:
    import json

    try:
        value = json.loads(cell) if isinstance(cell, str) else cell
        left_out = {
            str(outcome): LeftOut(int(left["count"]), str(left["first"])) for outcome, left in value["left_out"].items()
        }
        remarks = tuple(str(note) for note in value["notes"])
        lengths = {str(doc): int(length) for doc, length in value.get("lengths", {}).items()}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return (left_out, remarks, lengths) if set(left_out) <= set(UNPLACED) else None


# ---- writing ------------------------------------------------------------------------------------------------


def add_placing(rows: Sequence[dict[str, Any]], placing: Placing | None) -> None:
    """Add the cells ``how`` and ``how_score`` to the rows of a run, and ``_placing`` to the first if it is needed."""
    if placing is None:
        return
    for row, outcome in zip(rows, placing.outcomes, strict=True):
        row[HOW] = outcome
    scores = [] if placing.scores is None else placing.scores.tolist()
    for row, score in zip(rows, scores, strict=False):
        if not np.isnan(score):
            row[SCORE] = score
    if rows and (placing.left_out or placing.remarks or placing.lengths):
        left_out = {outcome: {"count": left.count, "first": left.first} for outcome, left in placing.left_out.items()}
        about = {"left_out": left_out, "notes": list(placing.remarks), "lengths": dict(placing.lengths)}
        import json

        rows[0][ABOUT] = json.dumps(about, ensure_ascii=False)


def notes_lost(runs: Sequence[Run], path: str, title: str) -> list[str]:
    """Notes about chunks whose placing a format without these columns does not record."""
    notes: list[str] = []
    for run in runs:
        lost = _notes(run)
        if run.placing is None or not lost:
            continue
        counts = run.placing.counts
        total = sum(counts.values())
        count = total - sum(counts.get(outcome, 0) for outcome in AS_SAID)
        values = {"path": path, "title": title, "total": total, "notes": ", ".join(lost)}
        notes.append(adapters.PLACING_LOST.note(count=count, **values))
    return notes
