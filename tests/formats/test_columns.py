"""Columns under the names of other tools, columns that are not known, and grades of passages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.formats.names import ASSESSMENT_COLUMNS, COLUMNS, RUN_COLUMNS

RUN = [
    {"query_id": "q1", "doc_id": "d1", "rank": 1, "start": 0, "end": 20},
    {"query_id": "q1", "doc_id": "d2", "rank": 2, "start": 5, "end": 10},
]
GOLD = [
    {"query_id": "q1", "doc_id": "d1", "start": 10, "end": 30, "grade": 1},
    {"query_id": "q1", "doc_id": "d2", "start": 0, "end": 50, "grade": 0},
]
MEASURES = "TextP TextR nDCG@5"
Rows = Sequence[Mapping[str, Any]]


def with_name(rows: Rows, column: str, name: str) -> list[dict[str, Any]]:
    return [{name if key == column else key: cell for key, cell in row.items()} for row in rows]


def shapes(rows: Rows, folder: Path, name: str) -> dict[str, Any]:
    """The same rows in every shape that holds named columns."""
    frame = pd.DataFrame(rows)
    for suffix, separator in (("csv", ","), ("tsv", "\t")):
        frame.to_csv(folder / f"{name}.{suffix}", sep=separator, index=False)
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(list(rows)), folder / f"{name}.parquet")
    files = {suffix: folder / f"{name}.{suffix}" for suffix in ("csv", "tsv", "jsonl", "parquet")}
    return {"rows": list(rows), "pandas": frame, "polars": pl.DataFrame(rows), **files}


EXPECTED = pw.evaluate(GOLD, RUN, MEASURES)


def test_the_usual_names() -> None:
    assert EXPECTED.mean() == {"run": {"TextP": 0.4, "TextR": 0.5, "nDCG@5": 1.0}}
    assert EXPECTED.notes == ()


@pytest.mark.parametrize(
    ("column", "name"),
    [(column, name) for column in ("query_id", "doc_id", "start", "end", "grade") for name in COLUMNS[column].also],
)
def test_every_alias_in_every_shape(tmp_path: Path, column: str, name: str) -> None:
    """A column under another name is the same column, without a note."""
    runs = shapes(with_name(RUN, column, name), tmp_path, "run")
    golds = shapes(with_name(GOLD, column, name), tmp_path, "gold")
    for shape in runs:
        scores = pw.evaluate(golds[shape], runs[shape], MEASURES)
        assert next(iter(scores.mean().values())) == EXPECTED.mean()["run"], shape
        assert scores.notes == (), shape


def test_the_scores_of_beir_are_grades(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
    assert pw.evaluate(path, {"q1": {"d2": 2.0, "d1": 1.0}}, "P@1 RR").mean() == {"run": {"P@1": 0.0, "RR": 0.5}}
    pw.convert(path, tmp_path / "test.qrels")
    assert (tmp_path / "test.qrels").read_text() == "q1 0 d1 2\nq1 0 d2 0\n"


def test_a_grade_of_0_is_judged_and_not_relevant() -> None:
    """A passage with this grade is not highlighted; the grade of a document is the highest of its passages."""
    gold = [
        {"query_id": "q1", "doc_id": "d1", "start": 0, "end": 10, "grade": 0},
        {"query_id": "q1", "doc_id": "d1", "start": 40, "end": 50, "grade": 2},
        {"query_id": "q1", "doc_id": "d2", "start": 0, "end": 10, "grade": -1},
        {"query_id": "q1", "doc_id": "d3", "start": 0, "end": 10, "grade": 0},
        {"query_id": "q1", "doc_id": "d3", "start": 20, "end": 30},
    ]
    run = {"q1": [("d1", 0, 20), ("d2", 0, 20), ("d3", 0, 20), ("d1", 40, 45)]}
    values = pw.evaluate(gold, run, "TextR TextR@1 P(rel=2)@1 P(rel=1)@3").mean()["run"]
    assert values == {"TextR": 0.25, "TextR@1": 0.0, "P(rel=2)@1": 1.0, "P@3": 2 / 3}


def test_grades_of_passages_survive_conversion(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("query_id,doc_id,start,end,grade\nq1,d1,0,10,0\nq1,d1,40,50,2\nq1,d2,0,5,\n")
    for suffix in ("jsonl", "parquet", "tsv"):
        pw.convert(tmp_path / "gold.csv", tmp_path / f"gold.{suffix}")
        pw.convert(tmp_path / f"gold.{suffix}", tmp_path / "back.csv")
        assert (tmp_path / "back.csv").read_text() == (tmp_path / "gold.csv").read_text()


worlds = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2"]),
        st.sampled_from(["d1", "d2"]),
        st.integers(0, 20),
        st.integers(0, 10),
        st.sampled_from([None, -1, 0, 1, 2]),
    ),
    min_size=1,
    unique_by=lambda row: row[:4],
)


@given(worlds)
def test_graded_passages_against_sets_of_characters(world: list[tuple[str, str, int, int, int | None]]) -> None:
    gold = [
        {"query_id": query, "doc_id": doc, "start": start, "end": start + size, "grade": grade}
        for query, doc, start, size, grade in world
    ]
    run = {query: [("d1", 0, 15), ("d2", 5, 30)] for query in ("q1", "q2")}
    marked: dict[str, set[tuple[str, int]]] = {}
    for query, doc, start, size, grade in world:
        if grade is None or grade > 0:
            marked.setdefault(query, set()).update((doc, place) for place in range(start, start + size))
    marked = {query: places for query, places in marked.items() if places}
    seen = {("d1", place) for place in range(15)} | {("d2", place) for place in range(5, 30)}
    if not marked:
        with pytest.raises(pw.PartwiseError, match="TextR"):
            pw.evaluate(gold, run, "TextR")
        return
    values = pw.evaluate(gold, run, "TextR").per_query()["run"]["TextR"]
    assert values == {query: len(places & seen) / len(places) for query, places in marked.items()}


# ---- several names, and names that are not known --------------------------------------------------------------


def notes_of(run: Any, gold: Any = GOLD) -> list[str]:
    return list(pw.evaluate(gold, run, MEASURES).notes)


def test_our_name_takes_precedence() -> None:
    rows = [{**row, "docid": "another", "begin": 3} for row in RUN]
    assert pw.evaluate(GOLD, rows, MEASURES).mean() == EXPECTED.mean()
    assert notes_of(rows) == [
        "run: the column 'docid' was not read, because 'doc_id' means the same and was",
        "run: the column 'begin' was not read, because 'start' means the same and was",
    ]


def test_two_other_names_with_the_same_values() -> None:
    rows = [{**row, "docid": row["docno"]} for row in with_name(RUN, "doc_id", "docno")]
    assert pw.evaluate(GOLD, rows, MEASURES).mean() == EXPECTED.mean()
    assert notes_of(rows) == ["run: the column 'docid' was not read, because 'docno' means the same and was"]


def test_two_other_names_with_different_values(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,docno,docid,start,end\nq1,d1,d1,0,20\nq1,d2,d3,5,10\n")
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_runs(path)
    assert str(error.value) == (
        f"{path}:3: the columns 'docno' and 'docid' mean the same, but here they have 'd2' and 'd3'; remove or rename "
        "one of them"
    )


def test_the_docid_of_pyterrier_is_a_number_of_its_index() -> None:
    frame = pd.DataFrame(
        {"qid": ["q1", "q1"], "docid": [7, 9], "docno": ["d2", "d1"], "rank": [0, 1], "score": [2.0, 1.0], "query": "x"}
    )
    qrels = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "label": [1, 0]})
    scores = pw.evaluate(qrels, frame, "RR")
    assert (scores.mean(), scores.notes) == ({"run": {"RR": 0.5}}, ())


@pytest.mark.parametrize("shape", ["rows", "pandas", "polars", "csv", "tsv", "jsonl", "parquet"])
def test_columns_that_are_not_known(tmp_path: Path, shape: str) -> None:
    rows = [{**row, "weight": 3, "rnk": 1, "url": "x"} for row in RUN]
    run = shapes(rows, tmp_path, "run")[shape]
    source = "run" if shape in ("rows", "pandas", "polars") else str(run)
    [note] = notes_of(run)
    assert note == (f"{source}: 3 columns are not known and were not read: 'weight', 'rnk' (nearest: rank), 'url'")


def test_columns_of_the_other_kind() -> None:
    assert notes_of([{**row, "relevance": 1} for row in RUN]) == [
        "run: 1 column belongs to assessments and was not read from a run: 'relevance'"
    ]
    assert notes_of(RUN, [{**row, "run_id": "x"} for row in GOLD]) == [
        "qrels: 1 column belongs to runs and was not read from assessments: 'run_id'"
    ]
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(RUN, GOLD, MEASURES)
    assert str(error.value) == (
        "qrels: has a column 'rank', so it is a run; give assessments first, then runs; or remove the column"
    )


def test_errors_name_the_column_as_the_file_does(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("qid,docno,start_index,end_index\nq1,d1,0,x\n")
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_runs(path)
    assert str(error.value).startswith(f"{path}:2: the end_index is 'x'; it must be a whole number")


def test_known_columns_are_those_of_runs_and_assessments() -> None:
    """No name means two columns of one kind of table."""
    for columns in (RUN_COLUMNS, ASSESSMENT_COLUMNS):
        names = [name for column in columns for name in COLUMNS[column].names]
        assert len(names) == len(set(names))


def test_shapes_that_are_not_understood() -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(GOLD, [{"query": "q1", "text": "Ask twice."}], MEASURES)
    assert str(error.value) == (
        "runs is a list of dicts without query_id; it has 'query', 'text'; give every row its query_id"
    )
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate([{"id": 1, "text": "Ask twice."}], RUN, MEASURES)
    assert str(error.value) == (
        "qrels is a list of dicts without query_id; it has 'id', 'text'; give every row its query_id"
    )
