"""Runs and assessments as Python objects: one run or several, in every accepted form."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import partwise as pw

QRELS = [
    {"query_id": "q1", "doc_id": "d1", "start": 0, "end": 10},
    {"query_id": "q2", "doc_id": "d2", "start": 5, "end": 15},
]
RUN = [
    {"query_id": "q1", "doc_id": "d1", "start": 0, "end": 20, "score": 2.0},
    {"query_id": "q1", "doc_id": "d2", "start": 0, "end": 20, "score": 3.0},
    {"query_id": "q2", "doc_id": "d2", "start": 5, "end": 15, "score": 1.0},
]
EXPECTED = {"q1": 0.25, "q2": 1.0}


def by_query(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    queries: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        queries.setdefault(row["query_id"], []).append({key: row[key] for key in row if key != "query_id"})
    return queries


SHAPES = {
    "list of dicts": lambda rows: rows,
    "mapping": by_query,
    "pandas": pd.DataFrame,
    "pandas objects": lambda rows: pd.DataFrame(rows).astype({"query_id": object, "start": "Int64"}),
    "pandas categories": lambda rows: pd.DataFrame(rows).astype({"query_id": "category", "doc_id": "category"}),
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
    "arrow batch": pa.RecordBatch.from_pylist,
    "arrow chunks": lambda rows: pa.concat_tables([pa.Table.from_pylist([row]) for row in rows]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("qrels_shape", SHAPES)
def test_every_shape_gives_the_same_scores(shape: str, qrels_shape: str) -> None:
    scores = pw.evaluate(SHAPES[qrels_shape](QRELS), SHAPES[shape](RUN), "TextP")
    assert scores.per_query() == {"run": {"TextP": EXPECTED}}


def test_polars_texts_of_every_kind() -> None:
    """Arrow's views of short, long, other than ASCII and missing texts, in several chunks and in a part of a column."""
    docs = ["d", "a document whose id is long", "ü", "d" * 12, "d" * 13, "last"]
    rows = [{"query_id": "q", "doc_id": doc, "start": 0, "end": 9} for doc in docs]
    frames = [pl.DataFrame(rows), pl.concat([pl.DataFrame(rows[:2]), pl.DataFrame(rows[2:])], rechunk=False)]
    frames += [
        pl.DataFrame([rows[0], *rows, rows[0]])[1:-1],
        pl.DataFrame(rows).with_columns(pl.col.doc_id.cast(pl.Categorical)),
    ]
    plain = [row for row in rows if row["doc_id"].isascii()]
    frames += [pl.DataFrame([plain[0], *plain, plain[0]])[1:-1]]
    for frame in frames:
        [run] = pw.Evaluator(rows).read(frame)
        assert run.doc.values() == frame["doc_id"].to_list()
    with pytest.raises(pw.PartwiseError, match=r"row 2: .*doc_id"):
        pw.evaluate(rows, pl.DataFrame([rows[0], {**rows[1], "doc_id": None}]), "TextP")


def test_a_run_does_not_change_with_its_data_frame() -> None:
    frame = pd.DataFrame(RUN)
    [run] = pw.Evaluator(QRELS).read(frame)
    before = run.start.tolist(), run.end.tolist(), run.doc.values()
    for name in ("start", "end"):
        frame.loc[:, name] = 7
    frame.loc[:, "doc_id"] = "other"
    assert (run.start.tolist(), run.end.tolist(), run.doc.values()) == before


def test_several_runs_and_their_names(tmp_path: Path) -> None:
    pw.write_run(next(pw.Evaluator(QRELS).read(RUN)), tmp_path / "file.run")
    named = {"a": RUN, "b": by_query(RUN), "c": pd.DataFrame(RUN), "d": tmp_path / "file.run"}
    assert pw.evaluate(QRELS, named, "TextP").mean() == {name: {"TextP": 0.625} for name in "abcd"}
    listed = [RUN, pl.DataFrame(RUN), str(tmp_path / "file.run")]
    assert list(pw.evaluate(QRELS, listed, "TextP").mean()) == ["run1", "run2", "file"]
    column = pd.DataFrame(RUN).assign(run_id=["x", "x", "y"])
    assert pw.evaluate(QRELS, column, "TextP").per_query() == {
        "x": {"TextP": {"q1": 0.25, "q2": 0.0}},
        "y": {"TextP": {"q1": 0.0, "q2": 1.0}},
    }


def test_missing_cells_are_missing() -> None:
    frame = pd.DataFrame(
        {"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "start": [0, None], "end": [20, None], "score": [1, 2]}
    )
    assert pw.evaluate(QRELS, frame, "gR").mean()["run"] == {"gR": 0.5}
    with pytest.raises(pw.PartwiseError, match="row 2: the length of document d2 is unknown"):
        pw.evaluate(QRELS, frame, "TextP")
    assert pw.evaluate(QRELS, frame, "TextP", lengths={"d2": 20}).per_query()["run"]["TextP"]["q1"] == 0.25


def test_ids_may_be_numbers() -> None:
    qrels = [{"query_id": 1, "doc_id": 7, "start": 0, "end": 10}]
    for run in (
        {1: [(7, 0, 10)]},
        {"1": [("7", 0, 10)]},
        pd.DataFrame({"query_id": [1], "doc_id": [7], "start": 0, "end": 10}),
    ):
        assert pw.evaluate(qrels, run, "TextP").per_query()["run"]["TextP"] == {"1": 1.0}


def test_documents_as_in_pytrec_eval() -> None:
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 2}}
    run = {"q1": {"d1": 0.5, "d2": 0.9}, "q2": {"d2": 0.1}}
    assert pw.evaluate(qrels, run, ["RR", "nDCG@10"]).per_query()["run"]["RR"] == {"q1": 0.5, "q2": 1.0}
    assert pw.evaluate(qrels, {"q1": ["d1"], "q2": ["d2"]}, "RR").mean() == {"run": {"RR": 1.0}}


def test_the_default_measures_fit_the_assessments() -> None:
    assert pw.evaluate(QRELS, RUN).measures == ["iAP", "iP@0.01", "TextP@10", "TextR@10", "Redundancy@10", "AgP"]
    graded = pw.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.5}})
    assert graded.measures == ["AP", "nDCG@10", "P@10", "R@100"]


def test_scores_as_tables() -> None:
    scores = pw.evaluate(QRELS, RUN, ["TextP", "TextR@1"])
    rows = [
        ("run", "TextP", "q1", 0.25),
        ("run", "TextP", "q2", 1.0),
        ("run", "TextR@1", "q1", 0.0),
        ("run", "TextR@1", "q2", 1.0),
    ]
    means = [("run", "TextP", "all", 0.625), ("run", "TextR@1", "all", 0.5)]
    names = ["run_id", "measure", "query_id", "value"]
    assert list(scores.rows()) == rows
    assert list(scores.rows(queries=False, mean=True)) == means
    assert scores.to_arrow().to_pylist() == [dict(zip(names, row, strict=True)) for row in rows]
    assert scores.to_polars().rows() == rows
    assert list(scores.to_pandas().itertuples(index=False, name=None)) == rows
    assert list(scores.to_pandas().columns) == names
    assert scores.to_arrow(queries=False, mean=True).num_rows == 2
    assert [str(kind) for kind in scores.to_arrow().schema.types] == ["string", "string", "string", "double"]


def test_tables_without_rows_keep_their_columns() -> None:
    scores = pw.evaluate(QRELS, {"q1": []}, "Redundancy")
    assert scores.mean() == {"run": {"Redundancy": 0.0}}
    assert scores.summary() == ["0 of 2 queries scored"]
    assert "run: Redundancy has no query to score, so its mean is 0" in scores.notes
    assert scores.to_arrow().num_rows == 0
    assert scores.to_polars().columns == ["run_id", "measure", "query_id", "value"]
    assert list(scores.to_pandas().columns) == ["run_id", "measure", "query_id", "value"]


def test_assessors() -> None:
    qrels = [
        {"query_id": "q1", "doc_id": "d1", "start": 0, "end": 10, "assessor": "ann"},
        {"query_id": "q2", "doc_id": "d1", "start": 0, "end": 10, "assessor": "bob"},
        {"query_id": "q1", "doc_id": "d1", "start": 0, "end": 20, "assessor": "bob"},
        {"query_id": "q2", "doc_id": "d1", "start": 0, "end": 20, "assessor": "ann"},
        {"query_id": "q3", "doc_id": "d1", "start": 0, "end": 40, "assessor": "ann"},
    ]
    run = {f"q{i}": [("d1", 0, 40)] for i in (1, 2, 3)}

    def precision(assessor: str | None) -> dict[str, float]:
        return pw.evaluate(qrels, run, "TextP", assessor=assessor).per_query()["run"]["TextP"]

    assert precision(None) == {"q1": 0.25, "q2": 0.25, "q3": 1.0}
    assert precision("ann") == {"q1": 0.25, "q2": 0.5, "q3": 1.0}
    assert precision("bob") == {"q1": 0.5, "q2": 0.25, "q3": 1.0}


@pytest.mark.parametrize("name", ["lengths.txt", "lengths.csv", "lengths.jsonl"])
def test_lengths_from_files(tmp_path: Path, name: str) -> None:
    content = {
        "lengths.txt": "d1 100\nd2\t50\n",
        "lengths.csv": "doc_id,length\nd1,100\nd2,50\n",
        "lengths.jsonl": '{"doc_id": "d1", "length": 100}\n{"doc_id": "d2", "length": 50}\n',
    }
    (tmp_path / name).write_text(content[name])
    scores = pw.evaluate(QRELS, {"q1": ["d1"], "q2": ["d2"]}, "TextP", lengths=tmp_path / name)
    assert scores.per_query()["run"]["TextP"] == {"q1": 0.1, "q2": 0.2}


def test_units_must_agree() -> None:
    assert pw.evaluate(QRELS, RUN, "TextP", unit="bytes").mean() == {"run": {"TextP": 0.625}}
    [run] = pw.Evaluator(QRELS, unit="bytes").read(RUN)
    line = "offsets are in bytes, but characters are counted; give --collection, whose texts convert them"
    with pytest.raises(pw.PartwiseError, match=line):
        pw.evaluate(QRELS, run, "TextP")


def test_a_mapping_names_its_runs() -> None:
    column = pd.DataFrame(RUN).assign(run_id="other")
    [run] = pw.Evaluator(QRELS).read(RUN)
    scores = pw.evaluate(QRELS, {"a": column, "b": run, "c": run, "d": []}, "TextP")
    assert scores.mean() == {"a": {"TextP": 0.625}, "b": {"TextP": 0.625}, "c": {"TextP": 0.625}, "d": {"TextP": 0.0}}
    several = pd.DataFrame(RUN).assign(run_id=["x", "x", "y"])
    assert list(pw.evaluate(QRELS, {"mine": several}, "TextP").mean()) == ["mine/x", "mine/y"]


def test_lazy_frames_are_collected() -> None:
    assert pw.evaluate(QRELS, pl.DataFrame(RUN).lazy(), "TextP").per_query() == {"run": {"TextP": EXPECTED}}


def test_a_document_alone_is_not_a_judgement() -> None:
    line = r"^a document id alone is not a judgement; give {doc_id: grade}, or \(doc_id, start, end\)$"
    with pytest.raises(pw.PartwiseError, match=line):
        pw.evaluate({"q1": ["d1"]}, RUN, "AP")


def test_document_measures_do_not_depend_on_ids() -> None:
    """Some providers accept numbers only, some fail on blanks; that of Accuracy leaves queries out."""
    qrels = {"first query": {"my doc": 1, "other": 0}, "second": {"my doc": 1}, "third": {"x": 1}}
    run = {"first query": {"my doc": 1.0, "other": 2.0}, "second": {"my doc": 1.0}}
    names = ["ERR@20", "RR", "Accuracy", "Judged@10", "Compat(p=0.8)"]
    found = pw.evaluate(qrels, run, ["ERR@20", "RR", "Judged@10"]).per_query()["run"]
    assert found["RR"] == {"first query": 0.5, "second": 1.0, "third": 0.0}
    assert found["ERR@20"]["third"] == 0
    first = pw.evaluate(qrels, {"first query": run["first query"]}, names).per_query()["run"]
    assert {name: list(values) for name, values in first.items()} == {
        name: ["first query"] if name == "Accuracy" else list(qrels) for name in names
    }
    assert first["Compat(p=0.8)"] == {"first query": pytest.approx(2 / 7), "second": 0.0, "third": 0.0}


def test_a_failing_provider_is_reported_in_one_line() -> None:
    with pytest.raises(pw.PartwiseError, match="Accuracy cannot be computed on this run"):
        pw.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "Accuracy")


def test_frames_that_arrow_cannot_hold_are_read_cell_by_cell() -> None:
    with_objects = pd.DataFrame(RUN).assign(more=[object(), 1, "x"], mixed=[1, "a", None])
    assert pw.evaluate(QRELS, with_objects, "TextP").per_query() == {"run": {"TextP": EXPECTED}}
    mixed = pd.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", 2], "start": [0, "x"], "end": [5, 9]})
    with pytest.raises(pw.PartwiseError, match="run, row 2: the start is 'x'"):
        pw.evaluate(QRELS, mixed, "TextP")
    twice = pd.DataFrame([["q1", "d1", "d2"]], columns=["query_id", "doc_id", "doc_id"])
    with pytest.raises(pw.PartwiseError, match="has two columns 'doc_id'; column names must be unique"):
        pw.evaluate(QRELS, twice, "AP")
    decimals = pa.table({"query_id": ["q1"], "doc_id": ["d1"], "start": [Decimal(0)], "end": [Decimal(20)]})
    assert pw.evaluate(QRELS, decimals, "TextP").per_query()["run"]["TextP"]["q1"] == 0.5
    with pytest.raises(pw.PartwiseError, match="run is of type Series"):
        pw.evaluate(QRELS, pl.Series([1]), "TextP")


def test_rows_without_a_query_are_reported() -> None:
    rows = [*RUN, {"doc_id": "d1", "start": 1, "end": 2, "score": 1.0}]
    with pytest.raises(pw.PartwiseError, match="run, row 4: has no query_id"):
        pw.evaluate(QRELS, rows, "TextP")


def test_none_means_no_results() -> None:
    assert pw.evaluate(QRELS, {"q1": [("d1", 0, 10)], "q2": None}, "TextP").mean() == {"run": {"TextP": 0.5}}


def test_passages_past_the_end_are_noted() -> None:
    qrels = [{"query_id": "q1", "doc_id": "d1", "start": 90, "end": 120, "length": 100}]
    scores = pw.evaluate(qrels, {"q1": [("d1", 0, 10)]}, "TextP")
    assert list(scores.notes) == ["qrels: 1 highlighted passage reaches past the end of its document"]


def test_texts_that_were_not_located_are_noted() -> None:
    gold = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 5, "length": 10}]
    chunks = [{"query_id": "q", "doc_id": "d", "text": "Hello"}]
    assert pw.evaluate(gold, chunks, "TextP@1").notes == (
        "run: has texts but no offsets or paths, so every result counts as its whole document; "
        "add offsets with partwise locate",
        "run: its only result is a whole document",
    )
    located = [{**chunks[0], "start": 0, "end": 5}]
    assert pw.evaluate(gold, located, "TextP@1").notes == ()


def test_documents_with_other_ids_are_noted() -> None:
    gold = {"q": [("handbook", 0, 5)]}
    notes = pw.evaluate(gold, {"q": [("manual", 0, 5)]}, "TextP@1").notes
    ids = "do the run and the qrels use the same query and document ids?"
    assert notes == (f"run: none of its documents is judged for its query; {ids}",)
    assert pw.evaluate(gold, {"q": [("handbook", 7, 9), ("other", 0, 5)]}, "TextP@1").notes == ()
