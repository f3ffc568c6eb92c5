"""What commands show: names on a terminal, in messages, in charts and in files for spreadsheets."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.cli import main
from partwise.errors import one_line, visible
from partwise.model import Block
from partwise.report import charts
from support.commands import on_a_terminal
from support.scores import scores_of

CONTROL = "a\x1b[31mb\x9bc\x7f\u202ed"
LONE = "a\ud800b"


def saved(folder: Path, run: str, query: str = "q", value: float = 0.5) -> str:
    path = folder / "scores.jsonl"
    rows = [
        {"run_id": name, "measure": "AP", "query_id": f"{query}{number}", "value": value / (number + shift + 1)}
        for shift, name in enumerate((run, "tame"))
        for number in range(3)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def evaluated(folder: Path, query: str) -> list[str]:
    for name in ("qrels", "run"):
        row = {"query_id": query, "doc_id": "d", "start": 0, "end": 9}
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return ["evaluate", str(folder / "qrels.jsonl"), str(folder / "run.jsonl"), "-m", "iAP", "-q"]


@pytest.mark.parametrize("format", ["table", "tsv", "csv", "jsonl", "trec", "latex"])
def test_a_terminal_shows_escapes(tmp_path: Path, format: str) -> None:
    text = on_a_terminal(*evaluated(tmp_path, CONTROL), "-f", format)
    for raw in ("\x1b[31mb", "\x9b", "\x7f", "\u202e"):
        assert raw not in text
    assert ("\\u001b" if format == "jsonl" else "x1b") in text


def test_files_have_the_bytes(tmp_path: Path) -> None:
    for format in ("tsv", "csv", "jsonl"):
        out = tmp_path / f"out.{format}"
        assert main([*evaluated(tmp_path, CONTROL), "-o", str(out)]) == 0
        if format == "jsonl":
            assert CONTROL in {json.loads(line)["query_id"] for line in out.read_text().splitlines() if line}
        else:
            assert CONTROL in out.read_text()


def test_messages_are_short_and_visible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 1_000_000
    qrels = {long: [("d", 0, 9)]}
    with pytest.raises(pw.PartwiseError) as error:
        pw.explain(qrels, {"q": [("d", 0, 9)]}, query_id="other" + long)
    assert len(str(error.value)) < 2000
    scores = pw.evaluate({"q": [("d", 0, 9)], "r": [("d", 0, 9)]}, {long: {"r": [("d", 0, 9)]}}, "iAP")
    assert scores.notes
    assert all(len(note) < 2000 for note in scores.notes)
    assert main(["compare", saved(tmp_path, long), "--baseline", "no" + long]) == 2
    assert len(capsys.readouterr().err) < 4000
    assert one_line("word " * 100_000).count("…") == 1
    assert max(len(one_line(text)) for text in ("word " * 900, "\x01 " * 100_000, "\x01" * 100_000)) < 3000
    assert visible("\u202e\x00\ufeff\ud800") == "\\u202e\\x00\\ufeff\\ud800"


@pytest.mark.parametrize("name", ["\x00", "\x01", "\x1b[31m", "\uffff", "\u2028", "</script>", "\u202e"])
def test_charts_of_any_name(tmp_path: Path, name: str) -> None:
    for suffix in ("svg", "png", "html"):
        path = tmp_path / f"chart.{suffix}"
        command = ["compare", saved(tmp_path, f"run{name}"), "--trials", "10", "--plot", str(path)]
        assert main([*command, "-o", str(tmp_path / "out.tsv")]) == 0
    svg = (tmp_path / "chart.svg").read_text()
    texts = "".join(ET.fromstring(svg).itertext())
    assert f"run{visible(name)}" in texts
    assert "run</script>" not in (tmp_path / "chart.html").read_text()


@pytest.mark.parametrize("value", [1e308, -1e308, 1.1e100])
def test_scores_that_are_too_large(tmp_path: Path, value: float, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["compare"], ["study", "agreement"], ["report"]):
        path = saved(tmp_path, "run", value=value)
        assert main([*command, path]) == 2
        line = f"{path}:1: the value is '{value!r}'; it must be a number, of at most 1e100 in size\n"
        assert capsys.readouterr().err == line
    scores = scores_of({run: {"AP": {"q": value, "r": value / 3}} for run in "ab"})
    with pytest.raises(pw.PartwiseError, match="too large to be compared"):
        pw.compare(scores)


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "tukey"])
@pytest.mark.parametrize("value", [1e100, 1e-308, 5e-324])
def test_extreme_scores_are_compared(value: float, test: Any) -> None:
    scores = scores_of(
        {
            run: {"AP": {f"q{q}": value * (-1) ** (q + shift) * (1 - q / 10) for q in range(6)}}
            for shift, run in enumerate("abc")
        }
    )
    findings = pw.compare(scores, test=test, trials=50)
    charts.picture(charts.differences(findings), ".svg")


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", ' "=1', "a;=1", 'a"=1']


@pytest.mark.parametrize(("format", "separator"), [("csv", ","), ("tsv", "\t")])
def test_no_cell_is_a_formula(tmp_path: Path, format: str, separator: str) -> None:
    qrels = {f"q{number}": [("d", 0, 9)] for number in range(2)}
    scores = pw.evaluate(qrels, dict.fromkeys(FORMULAS, qrels), "iAP")
    path = tmp_path / f"scores.{format}"
    pw.write_scores(scores, path, safe_csv=True)
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=separator))
    assert len(rows) == 1 + 3 * len(FORMULAS)
    for row in rows:
        assert not any(cell.lstrip(" ").startswith(("=", "+", "@", "\t", "-")) for cell in row)
    assert [row[0] for row in rows[1::3]][:2] == ["'=1+1", "'+1"]
    assert {row[3] for row in rows[1:]} == {"1.0"}


def test_converted_files_for_spreadsheets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"query_id": "=q", "doc_id": "-d", "start": 0, "end": 9, "score": -0.5, "rank": 1}
    (tmp_path / "run.jsonl").write_text(json.dumps(row) + "\n")
    source, target = str(tmp_path / "run.jsonl"), tmp_path / "run.csv"
    assert main(["convert", source, str(target), "--as", "run", "--safe-csv"]) == 0
    header, line = target.read_text().splitlines()
    cells = dict(zip(header.replace('"', "").split(","), line.split(","), strict=True))
    assert cells["query_id"] == '"\'=q"'
    assert cells["doc_id"] == '"\'-d"'
    assert cells["score"] == "-0.5"
    assert main(["convert", source, str(tmp_path / "run.parquet"), "--as", "run", "--safe-csv"]) == 2
    assert main([*evaluated(tmp_path, "q"), "-f", "jsonl", "--safe-csv"]) == 2
    problem = "--safe-csv (in Python safe_csv) is for CSV and TSV, not for {}; leave it out\n"
    assert capsys.readouterr().err == problem.format("Parquet") + problem.format("jsonl")


def test_lone_surrogates(tmp_path: Path) -> None:
    qrels, run = {"q": [("d", 0, 9)]}, {"q": [("d", 0, 5)]}
    for call in (
        lambda: pw.evaluate(qrels, {LONE: run}, "iAP"),
        lambda: pw.evaluate({LONE: [("d", 0, 9)]}, run, "iAP"),
        lambda: pw.evaluate(qrels, "no" + LONE, "iAP"),
        lambda: pw.check(qrels, {LONE: run}),
        lambda: pw.locate_rows([{"query_id": LONE, "text": "abc"}], {"d": "abc"}).write(tmp_path / "l.parquet"),
        lambda: pw.write_report(qrels, {LONE: run}, tmp_path / "r.html"),
    ):
        with pytest.raises(pw.PartwiseError, match=r"a\\ud800b"):
            call()
    blocks = [Block(name, "AP", [LONE, "q"], np.array([0.5, k]), 0.5) for name, k in ((LONE, 0.1), ("b", 0.2))]
    scores = pw.Scores(blocks, 2)
    for suffix in ("tsv", "csv", "jsonl", "parquet", "trec"):
        pw.write_scores(scores, tmp_path / f"scores.{suffix}")
        assert b"\\ud800" in (tmp_path / f"scores.{suffix}").read_bytes()
    assert scores.to_polars()["run_id"][0] == "a\\ud800b"
    pw.write_scores_report(scores, tmp_path / "scores.html", title=LONE)
    charts.write_picture(charts.differences(pw.compare(scores, trials=10)), tmp_path / "chart.svg")
