"""The Spark engine: the values of the local engine, to the last bit, and errors of one line."""

from __future__ import annotations

import json
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles.worlds import World, worlds
from partwise.cli import main
from partwise.engines import spark as engine
from partwise.engines import spark_files
from partwise.formats.assessments import assessment_rows
from partwise.formats.runs import run_rows
from support.paths import ROOT

TEXT = ["iAP", "iP@0.01", "TextP@10", "TextR(budget=500)", "TextIoU@5", "Redundancy@10", "AgP", "T2I@0.1"]
DOCUMENTS = ["nDCG@10", "AP", "P@10", "R@100", "NumRet"]

QRELS = [
    {"query_id": "q1", "doc_id": "d1", "start": 10, "end": 80, "length": 100},
    {"query_id": "q2", "doc_id": "d1", "start": 0, "end": 8, "length": 100},
    {"query_id": "q2", "doc_id": "d2", "start": 3, "end": 9, "length": 60},
    {"query_id": "q3", "doc_id": "d3", "start": 0, "end": 8, "length": 40},
]


# ---- the work of the workers, without Spark -----------------------------------------------------------------------


def in_pieces(evaluator: pw.Evaluator, rows: list[dict[str, Any]], piece_of: dict[str, int]) -> list[dict[str, Any]]:
    """The merged result of a run whose queries are dealt out to pieces, each with its rows reversed."""
    shared = engine.Shared(engine.light(evaluator.evaluation), "chars", False, True)
    shared = pickle.loads(pickle.dumps(shared))
    pieces = []
    for piece in sorted(set(piece_of.values())):
        of_piece = [row for row in rows if piece_of[row["query_id"]] == piece]
        if of_piece:
            pieces.append(engine._scored_piece(shared, "run", pa.Table.from_pylist(of_piece[::-1])))
    merged: list[dict[str, Any]] = engine._merged(shared, "run", pa.concat_tables(pieces)).to_pylist()
    return merged


@given(worlds(), st.lists(st.integers(0, 2), min_size=5, max_size=5), st.sampled_from(["judged", "run"]))
def test_a_run_in_pieces_scores_as_a_whole(world: World, dealt: list[int], queries: str) -> None:
    rows: list[dict[str, Any]] = [
        {"query_id": query, **row, "row": i} for query, parts in world.run().items() for i, row in enumerate(parts)
    ]
    rows += [{**row, "query_id": "nobody judges this"} for row in rows[:1]]
    marked = [span for docs in world.judged.values() for judged in docs.values() for span in judged.spans]
    assume(rows and any(start < end for start, end in marked))
    lengths = {"unjudged": 50, **{doc: judged.length for docs in world.judged.values() for doc, judged in docs.items()}}
    evaluator = pw.Evaluator(world.qrels(), [*TEXT, *DOCUMENTS], average_over=queries, lengths=lengths)
    local = evaluator.evaluate(pa.Table.from_pylist(rows))
    piece_of = dict(zip(dict.fromkeys(row["query_id"] for row in rows), dealt, strict=False))
    merged = in_pieces(evaluator, rows, piece_of)
    assert [block["measure"] for block in merged] == local.measures
    for block, expected in zip(merged, local.blocks, strict=True):
        assert (block["query_id"], block["value"]) == (list(expected.queries), expected.values.tolist())
        assert block["mean"] == expected.aggregate
    assert [*evaluator.notes, *(note for block in merged for note in block["notes"])] == list(local.notes)


def test_ties_are_ordered_by_document_and_part() -> None:
    rows = [
        {"query_id": "q1", "doc_id": doc, "spans": [[start, start + 20]], "score": 1.0}
        for doc in ("d2", "d1")
        for start in (40, 20, 0)
    ]
    table = pa.Table.from_pylist(rows)
    orders = [engine._in_order(table.take(np.random.default_rng(seed).permutation(6))).to_pylist() for seed in range(9)]
    expected = sorted(rows, key=lambda row: (row["doc_id"], str(row["spans"])))
    assert all(order == expected for order in orders)


# ---- with Spark -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: make test-all installs it")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed, and Spark needs it")
    os.environ["PYSPARK_SUBMIT_ARGS"] = " ".join(
        [
            "--conf spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1",
            "pyspark-shell",
        ]
    )
    session = spark_files.session("local[2]")
    yield session
    session.stop()
    del os.environ["PYSPARK_SUBMIT_ARGS"]


pytest_spark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def with_spark(test: Any) -> Any:
    for mark in pytest_spark:
        test = mark(test)
    return test


def frame(spark: Any, tmp_path: Path, table: pa.Table | list[dict[str, Any]], parts: int = 3) -> Any:
    """A DataFrame of several files, with the rows spread over them."""
    table = table if isinstance(table, pa.Table) else pa.Table.from_pylist(table)
    folder = tmp_path / f"frame{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    order = np.random.default_rng(1).permutation(len(table))
    for part in range(parts):
        pq.write_table(table.take(np.sort(order[part::parts])), folder / f"{part}.parquet")
    return spark.read.parquet(str(folder))


def collected(scores: Any) -> list[tuple[Any, ...]]:
    with engine.plain_errors():
        return sorted(map(tuple, scores.collect()))


def as_table(run: pw.Run) -> pa.Table:
    rows = run_rows(run)
    return pa.Table.from_pylist([{**row, "row": i} for i, row in enumerate(rows, 1)])


@with_spark
@pytest.mark.parametrize(
    ("names", "measures"),
    [(("focused", "passages"), [*TEXT, *DOCUMENTS]), (("documents",), DOCUMENTS)],
    ids=["parts", "documents"],
)
@pytest.mark.parametrize("over", ["judged", "run"])
def test_inex(spark: Any, inex: Path, tmp_path: Path, names: tuple[str, ...], measures: list[str], over: str) -> None:
    files = [inex / f"{name}.run" for name in names]
    local = pw.evaluate(inex / "qrels.txt", files, measures, average_over=over)
    runs = [replace(pw.read_runs(file)[0], run_id=name) for file, name in zip(files, names, strict=True)]
    table = pa.concat_tables([as_table(run) for run in runs])
    assessments = pw.read_assessments(inex / "qrels.txt")
    qrels = frame(spark, tmp_path, assessment_rows(assessments))
    scores = engine.evaluate(qrels, frame(spark, tmp_path, table), measures, average_over=over, mean=True)
    assert scores.columns == ["run_id", "measure", "query_id", "value"]
    assert collected(scores) == sorted(local.rows(mean=True))


def generated(runs: int, queries: int, results: int, seed: int) -> pa.Table:
    """Runs of passages of a hundred documents, with ranks from 1 in each query."""
    random = np.random.default_rng(seed)
    count = runs * queries * results
    start = random.integers(0, 900, count)
    return pa.table(
        {
            "run_id": np.repeat([f"run{i}" for i in range(runs)], queries * results),
            "query_id": np.tile(np.repeat([f"t{i}" for i in range(queries)], results), runs),
            "doc_id": pa.array([f"d{i}" for i in random.integers(0, 100, count)]),
            "start": start,
            "end": start + random.integers(1, 100, count),
            "score": random.integers(0, 5, count).astype(float),
            "row": np.arange(count),
        }
    )


def judged(queries: int, seed: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    return [
        {"query_id": f"t{query}", "doc_id": f"d{doc}", "start": start, "end": start + 200, "length": 1000}
        for query in range(queries)
        for doc, start in zip(random.permutation(100)[:15].tolist(), random.integers(0, 800, 15).tolist(), strict=True)
    ]


@with_spark
def test_a_thousand_runs(spark: Any, tmp_path: Path) -> None:
    table, qrels = generated(1000, 4, 8, 5), judged(5, 6)
    local = pw.evaluate(qrels, table, ["iAP", "TextP@5", "AgP"])
    scores = engine.evaluate(qrels, frame(spark, tmp_path, table), ["iAP", "TextP@5", "AgP"], mean=True)
    rows = collected(scores)
    assert len(rows) == 1000 * 3 * 6
    assert rows == sorted(local.rows(mean=True))


@with_spark
def test_a_million_rows_of_which_one_query_has_half(spark: Any, tmp_path: Path) -> None:
    count, queries = 1_000_000, 51
    random = np.random.default_rng(7)
    query = np.concatenate(
        [np.zeros(count // 2, np.int64), np.repeat(np.arange(1, queries), count // 2 // (queries - 1))]
    )
    rank = np.concatenate([np.arange(count // 2), np.tile(np.arange(count // 2 // (queries - 1)), queries - 1)]) + 1
    start = random.integers(0, 900, count)
    table = pa.table(
        {
            "query_id": pa.DictionaryArray.from_arrays(query, [f"t{i}" for i in range(queries)]).cast(pa.string()),
            "doc_id": pa.array([f"d{i}" for i in random.integers(0, 5000, count)]),
            "rank": rank,
            "start": start,
            "end": start + random.integers(1, 100, count),
        }
    )
    qrels = judged(queries, 8)
    local = pw.evaluate(qrels, table, ["iAP", "TextP@10", "TextR"])
    runs = frame(spark, tmp_path, table)
    split = engine._split(runs.selectExpr("*", f"'run' as {engine.RUN}"), 100_000)
    sizes = {row[engine.PIECE]: row["count"] for row in split.groupBy(engine.PIECE).count().collect()}
    assert len(sizes) == 6
    assert sum(sizes.values()) == count
    assert sorted(sizes.values())[-1] == count // 2
    scores = engine.evaluate(qrels, runs, ["iAP", "TextP@10", "TextR"], mean=True, rows_per_task=100_000)
    assert collected(scores) == sorted(local.rows(mean=True))


RUN = [
    {"run_id": run, "query_id": query, "doc_id": doc, "start": 5 * i, "end": 5 * i + 20, "score": float(i % 3)}
    for run in ("A", "B")
    for query in ("q1", "q2", "nobody")
    for doc in ("d1", "d2")
    for i in range(4)
]


@with_spark
def test_without_rows_ties_are_broken_the_same_way_each_time(spark: Any, tmp_path: Path) -> None:
    """By document and part: as in a table that is sorted by them."""
    by_part = sorted(RUN, key=lambda row: (row["run_id"], row["query_id"], row["doc_id"], row["start"]))
    local = pw.evaluate(QRELS, pa.Table.from_pylist(by_part), TEXT)
    runs = frame(spark, tmp_path, RUN)
    assert collected(engine.evaluate(QRELS, runs, TEXT, rows_per_task=10)) == sorted(local.rows())
    assert collected(engine.evaluate(QRELS, runs.repartition(5, "start"), TEXT)) == sorted(local.rows())
    notes = [row["note"] for row in engine.notes(QRELS, runs, TEXT, rows_per_task=10).collect()]
    by_run = [pa.Table.from_pylist([row for row in by_part if row["run_id"] == name]) for name in ("A", "B")]
    assert sorted(notes) == sorted(note for run in by_run for note in pw.evaluate(QRELS, run, TEXT).notes)


@with_spark
def test_names_of_other_tools(spark: Any, tmp_path: Path) -> None:
    rows = [
        {"qid": "q1", "docno": "d1", "rank": 1, "start_index": 0, "end_index": 20, "weight": 3},
        {"qid": "q2", "docno": "d2", "rank": 1, "start_index": 3, "end_index": 9, "weight": 3},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    qrels = [{"topic" if key == "query_id" else key: cell for key, cell in row.items()} for row in QRELS]
    pq.write_table(pa.Table.from_pylist(qrels), tmp_path / "q.parquet")
    local = pw.evaluate(tmp_path / "q.parquet", tmp_path / "a.parquet", "TextP TextR")
    there = pw.Evaluator(tmp_path / "q.parquet", "TextP TextR").evaluate_on_spark([str(tmp_path / "a.parquet")])
    assert list(there.rows(mean=True)) == list(local.rows(mean=True))
    assert list(there.notes) == list(local.notes)
    assert local.notes[0] == f"{tmp_path / 'a.parquet'}: 1 column is not known and was not read: 'weight'"
    frame = spark.createDataFrame(rows)
    found = {tuple(row) for row in engine.evaluate(spark.createDataFrame(qrels), frame, "TextP TextR").collect()}
    assert found == {("run", *row[1:]) for row in local.rows()}
    with pytest.raises(pw.PartwiseError) as error:
        engine.evaluate(qrels, frame.withColumnRenamed("weight", "docid").withColumnRenamed("qid", "topic"), "TextP")
    problem = "the columns 'docno' and 'docid' mean the same, and none of them is called 'doc_id'"
    assert str(error.value) == f"runs: {problem}; rename one to 'doc_id'"
    places = frame.drop("end_index").withColumnRenamed("start_index", "start_pos")
    with pytest.raises(pw.PartwiseError, match="the column 'start_pos' looks like a place in a document"):
        engine.evaluate(qrels, places, "TextP")


@with_spark
def test_lenient(spark: Any, tmp_path: Path) -> None:
    rows = [{**row, "row": i, "end": -1 if i == 3 else row["end"]} for i, row in enumerate(RUN)]
    local = pw.evaluate(QRELS, pa.Table.from_pylist(rows), TEXT, lenient=True)
    runs = frame(spark, tmp_path, rows)
    assert collected(engine.evaluate(QRELS, runs, TEXT, lenient=True)) == sorted(local.rows())
    [note] = [row["note"] for row in engine.notes(QRELS, runs, TEXT, lenient=True).collect() if "bad" in row["note"]]
    assert note == (
        "A: 1 bad line skipped, the first: A, row 3: the end is '-1'; it must be a whole number from 0 to 1099511627776"
    )


@with_spark
def test_units_are_converted_on_the_workers(spark: Any, tmp_path: Path) -> None:
    """A run in lines, scored in tokens of the texts, as on this machine."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "guide.txt").write_text("One two three.\nFour five.\nSix seven eight nine.\n")
    gold = [{"query_id": "q1", "doc_id": "guide", "start": 15, "end": 24}]
    rows = [{"query_id": "q1", "doc_id": "guide", "rank": 1, "start_line": 2, "end_line": 3, "run_id": "a", "row": 1}]
    options: dict[str, Any] = {"collection": tmp_path / "texts", "unit": "tokens", "tokenizer": "words"}
    scores = engine.evaluate(gold, frame(spark, tmp_path, rows), "TextP TextR Read", **options)
    local = pw.evaluate(gold, rows, "TextP TextR Read", **options)
    assert collected(scores) == sorted(tuple(row) for row in local.rows())
    assert local.mean()["a"] == {"TextP": 2 / 8, "TextR": 1.0, "Read": 8.0}


@with_spark
def test_notes_on_assessments_have_no_run(spark: Any, tmp_path: Path) -> None:
    qrels = [*QRELS, {"query_id": "q1", "doc_id": "d1", "start": 5, "end": 5, "length": 100}]
    notes = [tuple(row) for row in engine.notes(qrels, frame(spark, tmp_path, RUN), TEXT).collect()]
    assert notes[0] == (None, "qrels: 1 passage is empty and was dropped: row 5")
    assert {run_id for run_id, _ in notes[1:]} <= {row["run_id"] for row in RUN}


UNSCORED = [
    {"run_id": "chunks", "query_id": "q1", "doc_id": "d1", "rank": 1, "start": 10, "end": 80},
    {"run_id": "whole", "query_id": "q1", "doc_id": "d1", "rank": 1, "start": None, "end": None},
    {"run_id": "whole", "query_id": "q1", "doc_id": "nowhere", "rank": 2, "start": None, "end": None},
]


@with_spark
def test_what_can_be_scored_is_scored(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As on the local engine: no rows, and a note; an error if nothing of a DataFrame's run can be scored."""
    qrels = [{"query_id": "q1", "doc_id": "d1", "start": 10, "end": 80, "length": 100}]
    runs = frame(spark, tmp_path, UNSCORED)
    scores = engine.evaluate(qrels, runs, "TextP AP", mean=True)
    assert {tuple(row)[:2] for row in scores.collect()} == {("chunks", "TextP"), ("chunks", "AP"), ("whole", "AP")}
    notes = [tuple(row) for row in engine.notes(qrels, runs, "TextP AP").collect()]
    assert [run_id for run_id, note in notes if "TextP cannot be scored: " in note] == ["whole"]
    with pytest.raises(pw.PartwiseError, match="the length of document nowhere is unknown"):
        collected(engine.evaluate(qrels, runs, "TextP"))
    for run_id in ("chunks", "whole"):
        rows = [row for row in UNSCORED if row["run_id"] == run_id]
        pq.write_table(
            pa.Table.from_pylist(rows, pa.Table.from_pylist(UNSCORED).schema), tmp_path / f"{run_id}.parquet"
        )
    (tmp_path / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in qrels))
    files = [str(tmp_path / name) for name in ("qrels.jsonl", "chunks.parquet", "whole.parquet")]
    local = output_of(capsys, "evaluate", *files, "-m", "TextP AP")
    assert output_of(capsys, "evaluate", *files, "-m", "TextP AP", "--engine", "spark") == local
    assert (local[0], "whole: TextP cannot be scored: " in local[2]) == (0, True)
    alone = [files[0], files[2], "-m", "TextP"]
    assert output_of(capsys, "evaluate", *alone, "--engine", "spark") == output_of(capsys, "evaluate", *alone)
    assert output_of(capsys, "evaluate", *alone)[0] == 2


@with_spark
def test_assessors_need_an_order_or_a_name(spark: Any, tmp_path: Path) -> None:
    two = [{**row, "assessor": name, "row": i} for i, name in enumerate("yx") for row in QRELS]
    two = [{**row, "start": row["start"] + 1} if row["assessor"] == "x" else row for row in two]
    runs, numbered = frame(spark, tmp_path, RUN), frame(spark, tmp_path, two)
    rows = pa.Table.from_pylist(sorted(RUN, key=lambda row: (row["run_id"], row["doc_id"], row["start"])))
    for options in ({}, {"assessor": "x"}):
        local = pw.evaluate(two, rows, TEXT, **options)
        assert collected(engine.evaluate(numbered, runs, TEXT, **options)) == sorted(local.rows())
    assert collected(engine.evaluate(numbered.drop("row"), runs, TEXT, assessor="x")) == sorted(local.rows())
    with pytest.raises(pw.PartwiseError) as error:
        engine.evaluate(numbered.drop("row"), runs, TEXT)
    assert str(error.value) == (
        "qrels: query q1 has 2 assessors, and a DataFrame has no first one; "
        "name one (assessor=...), or number the rows in a column 'row'"
    )


NUMBERED = [{**row, "row": i + 1} for i, row in enumerate(RUN)]
ALONE = RUN[: len(RUN) // 2]


def changed(rows: list[dict[str, Any]], only: int | None = None, **changes: Any) -> list[dict[str, Any]]:
    """Rows with other cells, all of them or only one."""
    return [{**row, **changes} if only in (None, i) else row for i, row in enumerate(rows)]


def without(name: str) -> list[dict[str, Any]]:
    return [{key: cell for key, cell in row.items() if key != name} for row in ALONE]


HERE = "A, query q1, document d2: "
WHOLE = "it must be a whole number from 0 to 1099511627776"
ERRORS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "runs: has no column 'doc_id' (it has 'run_id', 'query_id', 'start', 'end', 'score'); runs need it": (
        without("doc_id"),
        {},
    ),
    "runs: has no column 'rank', 'score' or 'row', and a DataFrame has no order; add one of these columns": (
        without("score"),
        {},
    ),
    "runs: the column 'row' is of type string; number the rows with whole numbers": (changed(ALONE, row="a"), {}),
    "runs: the column 'run_id' is of type double; it must hold strings or whole numbers": (
        changed(ALONE, run_id=0.5),
        {},
    ),
    "average_over is 'all'; it must be one of judged, run": (ALONE, {"average_over": "all"}),
    "order is 'file'; it must be one of rank, score": (ALONE, {"order": "file"}),
    "unit is 'words'; it must be one of chars, bytes, utf16, tokens, lines, seconds": (ALONE, {"unit": "words"}),
    "rows_per_task is '0'; it must be a whole number from 1": (ALONE, {"rows_per_task": 0}),
    "A, query q1, document d1: has no rank; give every result a rank, which --order rank needs": (
        ALONE,
        {"order": "rank"},
    ),
    f"{HERE}the start is '-5'; {WHOLE}": (changed(ALONE, 5, start=-5), {}),
    f"{HERE}the end 1 is before the start 5; it must be at least the start": (changed(ALONE, 5, end=1), {}),
    "A, query None, document d2: has no query_id; give every row its query_id": (changed(ALONE, 5, query_id=None), {}),
    "runs, query q1, document d2: has no run_id; give every row its run_id": (changed(ALONE, 5, run_id=None), {}),
    f"{HERE}has no score; give every result of a query a rank, or every one a score": (
        changed(ALONE, 5, score=None),
        {},
    ),
    "A: query q1 has neither ranks nor scores, and a DataFrame has no order; add a rank, a score or a column 'row'": (
        [{**row, "score": None if row["query_id"] == "q1" else 1.0} for row in ALONE],
        {},
    ),
    f"A, row 6: the end is '-1'; {WHOLE}": (changed(NUMBERED, 5, end=-1), {}),
    f"{HERE}has no row number; number every row": (changed(NUMBERED, 5, row=None), {}),
    "A: has no query in common with qrels; its first query is 'other', that of the assessments is 'q1'": (
        changed(ALONE, query_id="other"),
        {},
    ),
    "A, query q1, document d1: the part is given as the path '/a[1]', which needs the documents; "
    "give the collection (--collection), or the start and end of the part": (
        changed(ALONE, path="/a[1]", start=None, end=None),
        {},
    ),
}


@with_spark
@pytest.mark.parametrize("line", ERRORS)
def test_errors(spark: Any, tmp_path: Path, line: str) -> None:
    """One line that names the run and the row."""
    rows, options = ERRORS[line]
    with pytest.raises(pw.PartwiseError) as error, engine.plain_errors():
        engine.evaluate(QRELS, frame(spark, tmp_path, rows, parts=1), TEXT, **options).collect()
    assert str(error.value) == line


@with_spark
def test_runs_must_be_a_data_frame(spark: Any) -> None:
    with pytest.raises(pw.PartwiseError, match="runs is of type list; give a Spark DataFrame"):
        engine.evaluate(QRELS, RUN)


@with_spark
def test_registered_quantisations_reach_the_workers(spark: Any, demo: Path, tmp_path: Path) -> None:
    pw.register_quantisation("squared on spark", lambda e, s: e * s * s)
    table = as_table(pw.read_runs(demo / "runs" / "sections.run")[0])
    given = demo / "qrels.jsonl", "nxCG(quant='squared on spark')@10"
    local = pw.evaluate(given[0], table, given[1], collection=demo / "articles")
    scores = engine.evaluate(given[0], frame(spark, tmp_path, table), given[1], collection=demo / "articles")
    assert collected(scores) == sorted(local.rows())


@with_spark
def test_a_collection_that_workers_cannot_read(spark: Any, tmp_path: Path) -> None:
    demo = pw.demo().write(tmp_path / "demo")
    collection = pw.Collection.open(str(demo.folder / "articles"))
    runs = frame(spark, tmp_path, as_table(pw.read_runs(demo.folder / "runs" / "sections.run")[0]))
    scores = engine.evaluate(str(demo.folder / "qrels.jsonl"), runs, "nxCG@10", collection=collection)
    (demo.folder / "articles").rename(tmp_path / "elsewhere")
    with pytest.raises(
        pw.PartwiseError, match=r"cannot read the collection .*; give a path that every worker can read"
    ):
        collected(scores)


# ---- the command line --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(pw.demo().write(tmp_path_factory.mktemp("demo files") / "demo").folder)
    for path in sorted((folder / "runs").glob("*.run")):
        pw.write_run(pw.read_runs(path)[0], path.with_suffix(".parquet"))
    return folder


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


MEASURES = "nDCG@10 TextP@10 iAP iAP(alpha=0) nxCG@10 MAep ep@0.1 inexAP AgP T2I@0.1 Overlap"


@with_spark
@pytest.mark.parametrize("format", ["tsv", "trec"])
def test_the_command_prints_the_same_as_the_local_engine(
    spark: Any, demo: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    """Elements of XML documents and all families of measures, with runs as paths and as a pattern."""
    paths = sorted((demo / "runs").glob("*.parquet"))
    rest = ["--collection", demo / "articles", "-m", MEASURES, "-q", "-f", format]
    local = output_of(capsys, "evaluate", demo / "qrels.jsonl", *paths[::-1], *rest)
    assert local[0] == 0
    assert "note: careless: 37 results repeat an earlier part" in local[2]
    assert output_of(capsys, "evaluate", demo / "qrels.jsonl", *paths[::-1], *rest, "--engine", "spark") == local
    pattern = output_of(
        capsys, "evaluate", demo / "qrels.jsonl", demo / "runs" / "*.parquet", *rest, "--engine", "spark"
    )
    assert pattern == output_of(capsys, "evaluate", demo / "qrels.jsonl", *paths, *rest)


@with_spark
def test_a_folder_of_files_is_a_run_in_their_order(
    spark: Any, demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ties are in the order of the files; the assessments are on a store that only Spark reads."""
    rows = [{**row, "score": 1.0} for row in run_rows(pw.read_runs(demo / "runs" / "chunks.run")[0])]
    table = pa.Table.from_pylist(rows).drop_columns(["rank", "run_id"])
    (tmp_path / "tied.parquet").mkdir()
    cut = len(table) // 3
    pq.write_table(table.slice(0, cut), tmp_path / "tied.parquet" / "part-0.parquet")
    pq.write_table(table.slice(cut), tmp_path / "tied.parquet" / "part-1.parquet")
    (tmp_path / "whole").mkdir()
    pq.write_table(table, tmp_path / "whole" / "tied.parquet")
    pw.write_assessments(pw.read_assessments(demo / "qrels.jsonl"), tmp_path / "qrels.parquet")
    local = output_of(
        capsys, "evaluate", demo / "qrels.jsonl", tmp_path / "whole" / "tied.parquet", "-m", "iAP TextP@3", "-q"
    )
    assert local[0] == 0
    spark_qrels = (tmp_path / "qrels.parquet").as_uri()
    words = ["evaluate", spark_qrels, tmp_path / "tied.parquet", "-m", "iAP TextP@3", "-q", "--engine", "spark"]
    assert output_of(capsys, *words) == local


@with_spark
def test_error_lines_of_the_command(
    spark: Any, demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = run_rows(pw.read_runs(demo / "runs" / "chunks.run")[0])
    table = pa.Table.from_pylist(rows)

    def write(name: str, rows: pa.Table | list[dict[str, Any]]) -> None:
        Path(name).parent.mkdir(exist_ok=True)
        pq.write_table(rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows), name)

    write("good.parquet", table)
    write("other.parquet", table)
    write("bad.parquet", [{**row, "end": -1 if i == 3 else row["end"]} for i, row in enumerate(rows)])
    write("folder/part-0.parquet", table.slice(0, 10))
    write("folder/part-1.parquet", [{**row, "end": -1 if i == 3 else row["end"]} for i, row in enumerate(rows[10:])])
    write("empty.parquet", table.slice(0, 0))
    write("columns.parquet", pa.table({"a": [1]}))
    write("unnamed.parquet", [{**row, "run_id": None if i == 3 else "chunks"} for i, row in enumerate(rows)])
    Path("text.parquet").write_text("t1 Q0 d1 1 1.0 run")
    for runs, line in {
        ("bad.parquet",): "bad.parquet:4: the end is '-1'; it must be a whole number from 0 to 1099511627776",
        ("folder",): "folder/part-1.parquet:4: the end is '-1'; it must be a whole number from 0 to 1099511627776",
        ("text.parquet",): "text.parquet: is damaged or not a Parquet file; the spark engine reads Parquet only",
        ("nowhere.parquet",): "nowhere.parquet: no such file or folder; give a path that exists",
        ("nowhere*",): "nowhere*: no such file or folder; give a path that exists",
        ("empty.parquet",): "empty.parquet: has no results; give a run with at least one result",
        ("columns.parquet",): "columns.parquet: has no column 'query_id' (it has 'a'); runs need it",
        ("good.parquet", "good.parquet"): "good.parquet is given twice; give every file once",
        ("good.parquet", "other.parquet"): (
            "two runs are named 'chunks', in good.parquet and other.parquet; "
            "give every run its own name, that of a file with --as NAME=FILE"
        ),
        ("unnamed.parquet",): "unnamed.parquet:4: has no run_id; give every row its run_id",
        ("store://bucket/run.parquet",): (
            "store://bucket/run.parquet: Spark cannot read this "
            '(org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "store"); '
            "check the path, your permissions, and that Spark has the package for this store"
        ),
    }.items():
        output = output_of(capsys, "evaluate", demo / "qrels.jsonl", *runs, "-m", "iAP", "--engine", "spark")
        assert output == (2, "", line + "\n")


@with_spark
def test_the_documentation(
    spark: Any, demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "spark.md").read_text()
    code, *_ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    table, error, command = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"spark": spark}
    exec(code, names)
    assert capsys.readouterr().out.strip() == table.strip()
    with pytest.raises(pw.PartwiseError) as raised, engine.plain_errors():
        engine.evaluate(names["qrels"], names["runs"].replace(350, 3)).collect()
    assert error == f"partwise.errors.PartwiseError: {raised.value}\n"
    monkeypatch.chdir(demo)
    typed, _, output = command.partition("\n")
    printed = output_of(capsys, *shlex.split(typed)[2:])
    assert (printed[0], printed[2] + printed[1]) == (0, output)


@pytest.mark.parametrize("name", ["pyspark", "pandas"])
def test_missing_packages(
    name: str, demo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", sys)  # so that only `name` is missing
    monkeypatch.setitem(sys.modules, name, None)
    line = f"the spark engine needs {name}, which is not installed; run pip install 'partwise[spark]'"
    assert output_of(capsys, "evaluate", demo / "qrels.jsonl", "run.parquet", "--engine", "spark") == (
        2,
        "",
        line + "\n",
    )
    with pytest.raises(pw.PartwiseError) as error:
        engine.evaluate(QRELS, [])
    assert str(error.value) == line


def test_options_that_do_not_go_together(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", demo / "qrels.jsonl", demo / "runs" / "chunks.parquet"]
    for options, line in {
        ("--engine", "flink"): (
            "partwise evaluate: argument --engine: 'flink' is not one of local, spark; see partwise evaluate --help"
        ),
        ("--engine", "spark", "--by", "tag"): "--by cannot be used with --engine spark; leave out one of them",
        ("--master", "yarn"): "--master needs --engine spark; add --engine spark, or leave out --master",
    }.items():
        assert output_of(capsys, *words, *options) == (2, "", line + "\n")


@with_spark
def test_java_prints_nothing(demo: Path, tmp_path: Path) -> None:
    """In a separate process: one line on standard error, without Spark's log."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("pyspark or Java is not installed")
    rows = run_rows(pw.read_runs(demo / "runs" / "chunks.run")[0])
    pq.write_table(pa.Table.from_pylist([{**row, "start": -1} for row in rows]), tmp_path / "bad.parquet")
    words = ["evaluate", demo / "qrels.jsonl", "bad.parquet", "--engine", "spark"]
    done = subprocess.run(
        [sys.executable, "-m", "partwise", *map(str, words)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    line = "bad.parquet:1: the start is '-1'; it must be a whole number from 0 to 1099511627776\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


@pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed")
@pytest.mark.slow
def test_without_java(demo: Path, tmp_path: Path) -> None:
    words = ["evaluate", demo / "qrels.jsonl", demo / "runs" / "chunks.parquet", "--engine", "spark"]
    done = subprocess.run(
        [sys.executable, "-m", "partwise", *map(str, words)],
        env={"PATH": "/nowhere:/usr/bin:/bin", "JAVA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Spark does not start on local[*] (")
    assert done.stderr.endswith("; it needs Java 17 or later and a master that it can reach\n")
    assert done.stderr.count("\n") == 1
