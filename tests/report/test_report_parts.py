"""Slices, diagnoses and pairs of runs in the report: their numbers are those of the functions that compute them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main
from partwise.study.comparison import compare
from support.reports import MEASURES, blobs_of, data_of, demo_chunks, demo_queries, report

DEMO = pw.demo()
BY = ["about", "number", "grade", "doc:^([a-z]+)"]


@pytest.fixture(scope="module")
def page() -> str:
    return report(
        DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection, queries=demo_queries(), by=BY, bins=None,
        chunks_of={"chunks": demo_chunks()}, k=3,
    )  # fmt: skip


def close(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("number", range(len(BY)))
def test_slices_are_those_of_evaluate(page: str, number: int) -> None:
    """Means, intervals, letters, pairs, values by query and curves of every slice."""
    data, blobs = data_of(page), blobs_of(page)
    sliced = data["sliced"][number]
    assert sliced["by"] == BY[number]
    queries = [query["id"] for query in data["queries"]]
    scores = pw.evaluate(
        DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection, queries=demo_queries(), by=BY[number]
    )
    curve = pw.evaluate(
        DEMO.qrels, DEMO.runs, "iP@0.5", collection=DEMO.collection, queries=demo_queries(), by=BY[number]
    )
    assert scores.slices is not None
    assert curve.slices is not None
    assert [one["name"] for one in sliced["slices"]] == list(scores.slices)
    runs = data["runs"]
    for j, (name, expected) in enumerate(scores.slices.items()):
        content = blobs[f"slice-{number}-{j}"]
        members = [queries[i] for i in sliced["slices"][j]["queries"]]
        assert set(members) == set(expected.query_ids)
        rows = compare(expected).rows()
        means = {(row["measure"], row["run_id"]): row for row in rows}
        pairs = {(row["measure"], row["run_id"], row["baseline"]): row for row in rows if row["baseline"]}
        for measure, of_measure, of_pairs in zip(scores.measures, content["measures"], content["pairs"], strict=True):
            for r, run in enumerate(runs):
                row = means[measure, run]
                assert of_measure["mean"][r] == close(row["mean"])
                assert of_measure["letters"][r] == row["beats"]
                if len(members) > 1:
                    assert (of_measure["low"][r], of_measure["high"][r]) == (close(row["low"]), close(row["high"]))
                    assert row["interval"] in of_measure["interval"].split(" or ")
                else:
                    assert of_measure["low"] is None
            for run, other, difference, low, high, p, corrected in of_pairs:
                row = pairs[measure, runs[run], runs[other]]
                assert difference == pytest.approx(row["difference"], rel=1e-5, abs=1e-9)
                for shown, column in ((low, "difference_low"), (high, "difference_high")):
                    assert shown == (None if row[column] is None else pytest.approx(row[column], rel=1e-5))
                for shown, column in ((p, "p"), (corrected, "p_corrected")):
                    assert shown == (None if row[column] is None else pytest.approx(row[column], rel=1e-5))
            assert len(of_pairs) == 15
        values = content["values"] or blobs["values"]
        assert (content["values"] is None) == (BY[number] != "grade") == (not sliced["slices"][j]["ownGold"])
        for measure, of_measure in zip(scores.measures, values, strict=True):
            for run, of_run in zip(runs, of_measure, strict=True):
                of_query = expected.per_query()[run][measure]
                assert [of_run[queries.index(query)] for query in members] == [close(of_query[q]) for q in members]
        at = data["curves"][0]["x"].index(0.5)
        assert [y[at] for y in content["curves"][0]] == [
            close(curve.slices[name].mean()[run]["iP@0.5"]) for run in runs
        ]


def loss_rows(losses: list[list[Any]], data: dict[str, Any]) -> list[dict[str, Any]]:
    """The passages of a page as the rows of `failures`."""
    cut = {None: None, 0: "no", 1: "yes"}
    return [
        {
            "query_id": data["queries"][query]["id"], "doc_id": doc, "start": start, "end": end,
            "kind": data["diagnosis"]["kinds"][kind][0], "cut": cut[is_cut], "lost": lost, "size": size, "rank": rank,
        }
        for query, doc, start, end, kind, is_cut, lost, size, rank in losses
    ]  # fmt: skip


def test_diagnoses_are_those_of_diagnose(page: str) -> None:
    """Of all queries, and of the slices of the queries and of the gold; with and without all chunks."""
    data, blobs = data_of(page), blobs_of(page)
    assert data["diagnosis"]["measure"] == "TextR@3"
    assert data["diagnosis"]["limit"] == "the first 3 results"
    queries = [query["id"] for query in data["queries"]]
    parts = data["diagnosis"]["parts"]
    for r, run in enumerate(data["runs"]):
        chunks = demo_chunks() if run == "chunks" else None
        for i, by in enumerate((None, *BY)):
            diagnosis = pw.diagnose(
                DEMO.qrels, DEMO.runs[run], chunks, k=3, collection=DEMO.collection, queries=demo_queries(), by=by
            )
            expected = {"": diagnosis} if diagnosis.slices is None else dict(diagnosis.slices)
            for j, one in enumerate(expected.values()):
                shown = data["diagnoses"][r] if by is None else blobs[f"slice-{i - 1}-{j}"]["diagnoses"][r]
                row = one.rows()[-1]
                assert shown["means"] == [close(row[name]) for name in parts]
                assert shown["low"] == [close(row[f"{name}_low"]) for name in parts]
                assert shown["high"] == [close(row[f"{name}_high"]) for name in parts]
                assert (shown["queries"], shown["lost"]) == (len(one.queries), len(one.failures()))
                assert {name: kind[0] for name, kind in shown["kinds"].items()} == {
                    name: row[name] for name in shown["kinds"]
                }
                examples = loss_rows([kind[3] for kind in shown["kinds"].values() if kind[3]], data)
                assert all(example in one.failures() for example in examples)
                losses = blobs[f"losses-{r}-{i - 1}-{j}" if by == "grade" else f"losses-{r}"]
                inside = [loss for loss in losses["losses"] if queries[loss[0]] in one.queries]
                assert loss_rows(inside, data) == one.failures()
                for query, value in zip(one.queries, one.value.tolist(), strict=True):
                    assert losses["value"][queries.index(query)] == close(value)
                if one.best is None:
                    assert losses["best"] is None
                    assert "cut" not in shown["kinds"]
                else:
                    best = dict(zip(one.queries, one.best.tolist(), strict=True))
                    assert [losses["best"][queries.index(query)] for query in best] == [*map(close, best.values())]


def test_the_kinds_are_those_of_the_table(page: str) -> None:
    data = data_of(page)
    run = data["runs"].index("chunks")
    diagnosis = pw.diagnose(DEMO.qrels, DEMO.runs["chunks"], demo_chunks(), k=3, collection=DEMO.collection)
    [_, (_, table), _] = diagnosis.tables()
    shown = data["diagnoses"][run]["kinds"]
    assert [[name.replace("_", " "), *kind[:3]] for name, kind in shown.items()] == [
        [row["kind"], row["passages"], row["queries"], close(row["of lost text"])] for row in table
    ]


def test_runs_that_are_not_of_the_chunks_are_diagnosed_without_them() -> None:
    page = report(DEMO.qrels, DEMO.runs, "iAP", collection=DEMO.collection, chunks=demo_chunks(), budget=900)
    data = data_of(page)
    assert data["diagnosis"]["limit"] == "whole results of at most 900 characters in all"
    split = [of is not None and of["means"][0] is not None for of in data["diagnoses"]]
    assert dict(zip(data["runs"], split, strict=True)) == {run: run == "chunks" for run in data["runs"]}
    notes = [note for note in data["about"]["notes"] if ": diagnosed without all chunks: " in note]
    assert len(notes) == 5
    assert notes[0].startswith("articles: diagnosed without all chunks: ")


def test_assessments_without_passages_are_not_diagnosed() -> None:
    data = data_of(report({"q": {"a": 1}}, {"q": ["a", "b"]}, "P@1"))
    assert data["diagnosis"] is None
    with pytest.raises(pw.PartwiseError):
        report({"q": {"a": 1}}, {"q": ["a", "b"]}, "P@1", k=3)


def test_saved_scores_are_sliced_by_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in demo_queries()))
    runs = [str(path) for path in DEMO.runs.values()]
    assert main(["evaluate", str(DEMO.qrels), *runs, "-m", "iAP", "-q", "-o", "scores.parquet"]) == 0
    arguments = ["report", "scores.parquet", "--queries", "queries.jsonl", "--by", "about", "--by", "number"]
    assert main([*arguments, "--bins", "2", "-o", "r.html"]) == 0
    data = data_of(Path("r.html").read_text())
    expected = pw.read_scores("scores.parquet", queries="queries.jsonl")
    assert [[one["name"] for one in sliced["slices"]] for sliced in data["sliced"]] == [
        list(expected.by("about")), list(expected.by("number", bins=2)),
    ]  # fmt: skip


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("queries.csv").write_text("query_id,about\nset-honey,honey\nwater,honey\n")
    Path("chunks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in demo_chunks()))
    files = [str(DEMO.qrels), str(DEMO.runs["chunks"])]
    for chunks in (["--chunks", "chunks.jsonl"], ["--chunks-of", "chunks=chunks.jsonl"]):
        assert main(["report", *files, "-m", "TextR@2", "--queries", "queries.csv", "--by", "about", *chunks]) == 0
        data = data_of(Path("report.html").read_text())
        assert data["sliced"][0]["slices"] == [{"name": "honey", "queries": [1, 8], "ownGold": False}]
        assert data["diagnosis"]["measure"] == "TextR@5"
        diagnosis = pw.diagnose(*files, "chunks.jsonl", k=5)
        assert data["diagnoses"][0]["means"] == [close(diagnosis.means[name]) for name in data["diagnosis"]["parts"]]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--by", "nothing"], "there is no column 'nothing' to slice by, because no queries are given; give their file "
         "(--queries FILE)"),
        (["--bins", "3"], "--bins needs --by; choose a column with --by COLUMN"),
        (["--chunks-of", "sections=x"], "there is no run 'sections' that could have chunks; name one of chunks"),
        (["-k", "2", "--budget", "3"], "partwise report: argument --budget: not allowed with argument -k; see partwise "
         "report --help"),
    ],
)  # fmt: skip
def test_errors(arguments: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.html"
    assert main(["report", str(DEMO.qrels), str(DEMO.runs["chunks"]), "-o", str(out), *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == line
    assert not out.exists()


def test_options_that_need_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "scores.tsv"
    assert main(["evaluate", str(DEMO.qrels), str(DEMO.runs["chunks"]), "-m", "iAP", "-q", "-o", str(scores)]) == 0
    capsys.readouterr()
    assert main(["report", str(scores), "-k", "3"]) == 2
    assert capsys.readouterr().err == ("-k cannot be used with scores; leave it out, or give assessments and runs\n")


def test_notes_on_runs_are_in_the_page_once() -> None:
    """The diagnosis of a run says nothing again that its scores say, for all runs together."""
    gold = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 10}]
    twice = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 5, "rank": rank} for rank in (1, 2)]
    scores = pw.evaluate(gold, {"a": twice, "b": twice}, "TextR@5")
    html = report(gold, {"a": twice, "b": twice}, "TextR@5")
    [note] = [note for note in data_of(html)["about"]["notes"] if "repeat" in note]
    assert note in scores.notes
