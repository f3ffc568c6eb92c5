"""Runs and measures that do not fit: the others are scored, and notes and rows say which are not, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main
from partwise.engines import local
from partwise.evaluation import Outcome
from partwise.model import Run

QRELS = "".join(f"q{i}\t0\td{i}\t10\t100\t0\t10:10\n" for i in (1, 2))
CHUNKS = "".join(f"q{i} Q0 d{i} 1 2.0 t 10 10\nq{i} Q0 x 2 1.0 t 0 10\n" for i in (1, 2))
WHOLE = "q1 Q0 d1 1 2.0 t\nq1 Q0 y 2 1.0 t\nq2 Q0 d2 1 1.0 t\n"
LENGTH = (
    "whole.run:2: the length of document y is unknown, and results that are whole documents need it; "
    "give it in the assessments or as lengths (--lengths FILE)"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    qrels = [{"query_id": f"q{i}", "doc_id": f"d{i}", "start": 10, "end": 20, "length": 100} for i in (1, 2)]
    (tmp_path / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in qrels))
    (tmp_path / "chunks.run").write_text(CHUNKS)
    (tmp_path / "whole.run").write_text(WHOLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ["qrels.jsonl", "chunks.run", "whole.run"]
NAMES = "TextP TextR AP"


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_can_be_scored_is_scored(folder: Path, jobs: int) -> None:
    scores = pw.evaluate(FILES[0], FILES[1:], NAMES, jobs=jobs)
    assert scores.mean() == {"chunks": {"TextP": 0.5, "TextR": 1.0, "AP": 1.0}, "whole": {"AP": 1.0}}
    assert [tuple(row) for row in scores.unscored] == [("whole", "TextP", LENGTH), ("whole", "TextR", LENGTH)]
    assert list(scores.notes) == [f"whole: TextP, TextR cannot be scored: {LENGTH}"]
    assert scores.per_query()["whole"] == {"AP": {"q1": 1.0, "q2": 1.0}}
    lengths = {"y": 50}
    assert pw.evaluate(FILES[0], FILES[1:], NAMES, jobs=jobs, lengths=lengths).unscored == []


def test_the_command_shows_empty_cells_and_succeeds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *FILES, "-m", NAMES, "-f", "table"]) == 0
    shown = capsys.readouterr()
    assert [line.split() for line in shown.out.splitlines()[3:5]] == [
        ["chunks", "0.5000", "1.0000", "1.0000"],
        ["whole", "1.0000"],
    ]
    assert shown.err == f"note: whole: TextP, TextR cannot be scored: {LENGTH}\n"
    assert main(["evaluate", *FILES, "-m", NAMES, "-f", "table", "-q"]) == 0
    per_query = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["whole", "q1", "1.0000"] in per_query
    assert ["chunks", "q1", "0.5000", "1.0000", "1.0000"] in per_query
    assert main(["evaluate", *FILES, "-m", NAMES, "-f", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row for row in rows if row.startswith("whole")] == ["whole,AP,all,1.0"]
    for format in ("latex", "trec", "jsonl", "tsv"):
        assert main(["evaluate", *FILES, "-m", NAMES, "-f", format, "-q"]) == 0
    many = "TextP@1 TextP@2 TextP@3 TextR@1 TextR@2 TextR@3 AP"
    capsys.readouterr()
    assert main(["evaluate", *FILES, "-m", many, "-f", "table"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["TextP@1", "text", "1.0000"] in lines
    assert ["AP", "documents", "1.0000", "1.0000"] in lines


def test_nothing_to_score_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels.jsonl", "whole.run", "-m", "TextP TextR"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", LENGTH + "\n")
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate("qrels.jsonl", "whole.run", "TextP")
    assert str(caught.value) == LENGTH


def test_a_bad_line_is_still_an_error_of_the_command(folder: Path) -> None:
    (folder / "bad.run").write_text(CHUNKS + "q1 Q0 d1 3\n")
    with pytest.raises(pw.PartwiseError, match=r"^bad\.run:5: "):
        pw.evaluate("qrels.jsonl", ["chunks.run", "bad.run"], NAMES)


@pytest.mark.parametrize("rows", [1, 2, 1000])
def test_the_reason_does_not_depend_on_batches(folder: Path, rows: int) -> None:
    evaluator = pw.Evaluator("qrels.jsonl", NAMES)
    evaluator.evaluation.rows_per_batch = rows
    [run] = evaluator.read("whole.run")
    outcome = evaluator.evaluation.outcome(run)
    assert isinstance(outcome, Outcome)
    assert [(name, str(reason)) for name, reason in outcome.unscored] == [("TextP", LENGTH), ("TextR", LENGTH)]
    with pytest.raises(pw.PartwiseError, match="the length of document y is unknown"):
        evaluator.evaluation.score(run)


XML = {"d1": "<a>0123456789<b>0123456789</b><c>x</c></a>", "d2": "<a>0123456789<b>0123456789</b></a>"}
CASES: dict[str, tuple[Any, dict[str, Any], list[str], str]] = {
    "paths without a collection": (
        {"q1": [{"doc_id": "d1", "path": "/a[1]/b[1]"}]}, {}, ["AP"],
        "runs, row 1: the part is given as the path '/a[1]/b[1]', which needs the documents; "
        "give the collection (--collection), or the start and end of the part",
    ),
    "a tree where measures take elements": (
        {"q1": [{"doc_id": "d1", "paths": ["/a[1]/b[1]", "/a[1]/c[1]"]}]}, {"collection": XML}, ["TextP", "AP"],
        "runs, row 1: the part is a tree of several elements; this measure takes single elements",
    ),
    "no query in common": (
        {"other": [("d1", 0, 5)]}, {}, [],
        "runs: has no query in common with qrels; its first query is 'other', that of the assessments is 'q1'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_reasons(name: str) -> None:
    run, options, scored, reason = CASES[name]
    qrels = {"q1": [("d1", 10, 20)], "q2": [("d2", 10, 20)]}
    names = ["TextP", "AP", *(["nxCG@1"] if options else [])]
    other = {"q1": [("d1", 10, 20)]}
    scores = pw.evaluate(qrels, {"this": run, "other": other}, names, **options)
    assert list(scores.mean().get("this", {})) == scored
    assert len(scores.mean()["other"]) == len(names)
    assert {(row.run_id, row.reason.partition(": ")[2]) for row in scores.unscored} == {
        ("this", reason.partition(": ")[2])
    }


def test_a_run_in_another_unit() -> None:
    qrels = {"q1": [("d1", 10, 20)]}
    [in_bytes] = pw.Evaluator(qrels, unit="bytes").read({"q1": [("d1", 10, 20)]})
    evaluation = pw.Evaluator(qrels, "TextP AP").evaluation
    outcome = evaluation.outcome(in_bytes)
    assert (outcome.blocks, [name for name, _ in outcome.unscored]) == ([], ["TextP", "AP"])
    assert "offsets are in bytes, but characters are counted" in str(outcome.unscored[0][1])


def test_comparisons_and_reports_leave_out_what_is_not_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for format in ("table", "jsonl", "latex"):
        assert main(["compare", *FILES, "-m", NAMES, "-f", format]) == 0
        captured = capsys.readouterr()
        assert f"note: whole: TextP, TextR cannot be scored: {LENGTH}\n" in captured.err
    (folder / "other.run").write_text("z Q0 d1 1 1.0 t\n")
    assert main(["report", *FILES, "other.run", "-m", NAMES, "-o", "report.html"]) == 0
    assert f"whole: TextP, TextR cannot be scored: {LENGTH}" in (folder / "report.html").read_text()
    assert "other: TextP, TextR, AP cannot be scored: other.run: has no query" in (folder / "report.html").read_text()


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_listener_gets_the_tables_of_each_scored_run(folder: Path, jobs: int) -> None:
    evaluator = pw.Evaluator(FILES[0], "TextP TextR")
    runs = {f"run {number}": FILES[1 + number % 2] for number in range(6)}
    sources = evaluator.sources(runs, evaluator.options, [])
    heard: list[tuple[str, list[float]]] = []

    def listener(run: Run, tables: Sequence[Any]) -> None:
        joined = evaluator.evaluation.joined(tables)
        heard.append((run.run_id, joined.of(0)[1].tolist()))

    scores = local.evaluate(evaluator.evaluation, sources, [], None, jobs, listener)
    assert heard == [(f"run {number}", [0.5, 0.5]) for number in (0, 2, 4)]  # the others cannot be scored
    assert scores.mean() == local.evaluate(evaluator.evaluation, sources, [], None, jobs).mean()
