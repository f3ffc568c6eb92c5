"""Renaming, dropping or doubling columns of a valid table never changes a score without an error or a note."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise.formats.names import ASSESSMENT_COLUMNS, COLUMNS, EXTRAS, RUN_COLUMNS

QUERIES, DOCS = ["q1", "q2"], ["d1", "d2", "d3"]
LENGTHS = dict.fromkeys(DOCS, 100)
MEASURES = "TextP TextR TextR@2 RR nDCG"
NAMES = sorted({name for column in COLUMNS.values() for name in column.names} - EXTRAS)
Rows = list[dict[str, Any]]


@st.composite
def runs(draw: st.DrawFn) -> Rows:
    """Results in any order of rows; ranks and scores agree."""
    rows: Rows = []
    for query in QUERIES:
        for rank in range(1, draw(st.integers(1, 4)) + 1):
            start = draw(st.integers(0, 90))
            end = draw(st.integers(start + 1, 100))
            cells = {"doc_id": draw(st.sampled_from(DOCS)), "start": start, "end": end}
            rows.append({"query_id": query, "rank": rank, "score": 10.5 - rank, **cells})
    return draw(st.permutations(rows))


@st.composite
def golds(draw: st.DrawFn) -> Rows:
    rows: Rows = []
    for query in QUERIES:
        for doc in draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True)):
            start = draw(st.integers(0, 90))
            cells = {"start": start, "end": draw(st.integers(start + 1, 100)), "grade": draw(st.integers(0, 2))}
            rows.append({"query_id": query, "doc_id": doc, **cells})
        rows[-1]["grade"] = 2
    return rows


def outcome(gold: Rows, run: Rows) -> tuple[Any, set[str]]:
    """The scores and notes, or an error."""
    try:
        scores = pw.evaluate(gold, run, MEASURES, lengths=LENGTHS)
    except pw.PartwiseError as error:
        return str(error), set()
    return scores.per_query(), set(scores.notes)


@st.composite
def changes(draw: st.DrawFn, rows: Rows, known: tuple[str, ...]) -> Rows:
    """The same rows after one column was renamed, dropped, doubled or swapped with another."""
    column = draw(st.sampled_from(list(rows[0])))
    how = draw(st.sampled_from(["rename", "alias", "drop", "double", "swap"]))
    if how == "drop":
        dropped = {column, *draw(st.lists(st.sampled_from(list(rows[0])), max_size=2))}
        return [{name: cell for name, cell in row.items() if name not in dropped} for row in rows]
    if how == "swap":  # what people do swap; a grade in place of an offset is a number like any other
        column, other = draw(st.sampled_from([pair for pair in SWAPPED if pair[0] in rows[0]]))
        return [{**row, column: row[other], other: row[column]} for row in rows]
    if how == "alias":
        name = draw(st.sampled_from(COLUMNS[column].names))
    else:
        words = st.text("abcdefgz_", min_size=1, max_size=6).filter(lambda word: word not in EXTRAS)
        name = draw(st.sampled_from([name for name in NAMES if name not in known]) | words)
    if how == "double":
        values = draw(st.permutations([row[column] for row in rows]))
        return [{**row, name: value} for row, value in zip(rows, values, strict=True)]
    return [{name if key == column else key: cell for key, cell in row.items()} for row in rows]


SWAPPED = [("start", "end"), ("query_id", "doc_id"), ("rank", "score")]
UNDETECTABLE = {
    # a table that lacks these is as valid as one that has them: every passage is then relevant
    "grade",
}


@settings(max_examples=300)
@given(st.data())
def test_columns_of_runs(data: st.DataObject) -> None:
    gold, run = data.draw(golds()), data.draw(runs())
    before = outcome(gold, run)
    changed = data.draw(changes(run, RUN_COLUMNS))
    after = outcome(gold, changed)
    assert after[0] == before[0] or isinstance(after[0], str) or after[1] - before[1], (before, after)


@settings(max_examples=300)
@given(st.data())
def test_columns_of_assessments(data: st.DataObject) -> None:
    gold, run = data.draw(golds()), data.draw(runs())
    before = outcome(gold, run)
    changed = data.draw(changes(gold, ASSESSMENT_COLUMNS))
    if UNDETECTABLE & (set(gold[0]) - set(changed[0])) and not set(changed[0]) - set(gold[0]):
        return
    after = outcome(changed, run)
    assert after[0] == before[0] or isinstance(after[0], str) or after[1] - before[1], (before, after)


def test_a_column_of_outcomes_with_other_cells() -> None:
    """Grades under the old name of ``how``, which assessments of located quotes have."""
    rows = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 1, "located": 2}]
    with pytest.raises(pw.PartwiseError, match=r"^qrels, row 1: the located is '2'; it must be one of given, exact"):
        pw.evaluate(rows, {"q": [("d", 0, 1)]}, "TextR")
    scores = pw.evaluate([{**rows[0], "located": "exact"}], {"q": [("d", 0, 1)]}, "TextR")
    assert scores.mean() == {"run": {"TextR": 1.0}}
