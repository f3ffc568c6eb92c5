"""Names of runs and of files of scores: ``--as NAME=FILE``, and mappings in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import partwise as pw
from partwise.cli import main

QRELS = "t1 Q0 d1 10 100 10 10:10\nt2 Q0 d2 10 100 10 20:10\n"
RUN = "t1 Q0 d1 1 0.9 tag 10 5\nt2 Q0 d2 1 0.8 tag 20 10\n"
HEADER = "run_id\tmeasure\tquery_id\tvalue\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    Path("b.run").write_text(RUN.replace(" 10 5", " 12 8"))
    Path("several.csv").write_text("query_id,doc_id,rank,start,end,run_id\nt1,d1,1,10,15,x\nt1,d1,1,12,20,y\n")
    Path("old.tsv").write_text(HEADER + "run\tTextR\tq1\t1\nrun\tTextR\tq2\t0.5\n")
    Path("new.tsv").write_text(HEADER + "run\tTextR\tq1\t0\nrun\tTextR\tq2\t0\n")
    Path("both.tsv").write_text(HEADER + "x\tTextR\tq1\t0\ny\tTextR\tq1\t1\n")


def run_ids(capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    capsys.readouterr()
    assert main([*command, "-f", "jsonl"]) == 0, capsys.readouterr().err
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return list(dict.fromkeys(row.get("run_id") or row.get("run") for row in rows))


def test_names_of_runs(capsys: pytest.CaptureFixture[str]) -> None:
    def names(*words: str) -> list[str]:
        return run_ids(capsys, "evaluate", *words, "-m", "iAP")

    assert names("q.txt", "--as", "bm25=a.run", "--as", "dense=b.run") == ["bm25", "dense"]
    assert names("q.txt", "a.run", "--as", "dense=b.run") == ["a", "dense"]
    assert names("q.txt", "a.run", "b.run", "--as", "bm25=a.run") == ["bm25", "b"]  # its place stays
    assert names("q.txt", "a.run", "--as", "x=./a.run") == ["x"]
    assert names("q.txt", "--as", "s=several.csv") == ["s/x", "s/y"]
    assert names("q.txt", "several.csv", "--as", "a=a.run") == ["x", "y", "a"]
    assert names("q.txt", "--as", "x=a.run", "b.run", "--run-id", "tag") == ["tag", "x"]
    assert names("q.txt", "-m", "iAP", "a.run") == ["a"]  # options between QRELS and RUN


def test_names_in_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--as", "one=a.run", "--as", "two=b.run"]
    assert run_ids(capsys, "compare", "q.txt", *both, "-m", "iAP") == ["one", "two"]
    assert run_ids(capsys, "study", "perturb", "q.txt", *both, "-m", "iAP", "--count", "1") == ["one", "two"]
    assert run_ids(capsys, "study", "curves", "q.txt", *both) == ["one", "two"]
    assert main(["study", "power", "q.txt", *both, "-m", "iAP"]) == 0
    capsys.readouterr()
    assert main(["report", "q.txt", *both, "-m", "iAP", "-o", "r.html"]) == 0
    assert "two" in Path("r.html").read_text()
    Path("b.run").write_text(RUN + "t3 Q0 d1 1 0.9 tag 10 5\n")
    capsys.readouterr()
    assert main(["check", "q.txt", *both, "-f", "jsonl"]) in (0, 1)
    assert {json.loads(line)["run_id"] for line in capsys.readouterr().out.splitlines()} <= {"one", "two", ""}
    assert main(["check", "q.txt", *both, "-f", "tsv"]) == 1
    assert "\ttwo\t" in capsys.readouterr().out


def test_names_of_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_ids(capsys, "compare", "--as", "old=old.tsv", "--as", "new=new.tsv") == ["old", "new"]
    assert run_ids(capsys, "compare", "old.tsv", "--as", "new=new.tsv") == ["run", "new"]
    assert run_ids(capsys, "compare", "old.tsv", "new.tsv", "--as", "new=new.tsv") == ["run", "new"]
    assert run_ids(capsys, "compare", "old.tsv", "--as", "b=both.tsv") == ["run", "b/x", "b/y"]
    assert main(["report", "--as", "old=old.tsv", "--as", "new=new.tsv", "-o", "r.html"]) == 0


def test_names_in_python() -> None:
    scores = pw.read_scores({"old": "old.tsv", "new": Path("new.tsv")})
    assert scores.mean() == {"old": {"TextR": 0.75}, "new": {"TextR": 0.0}}
    assert scores.summary() == ["2 of 2 queries scored"]
    assert pw.read_scores({"b": "both.tsv"}).run_ids == ["b/x", "b/y"]
    Path("t.txt").write_text("map q1 0.5\nrunid all bm25\nmap all 0.5\n")
    assert pw.read_scores({"mine": "t.txt"}).run_ids == ["mine"]
    assert pw.evaluate("q.txt", {"bm25": "a.run", "dense": Path("b.run")}, "iAP").run_ids == ["bm25", "dense"]
    assert pw.evaluate("q.txt", {"s": "several.csv"}, "iAP").run_ids == ["s/x", "s/y"]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (
            ["evaluate", "q.txt"],
            "partwise evaluate: the following arguments are required: RUN; see partwise evaluate --help",
        ),
        (
            ["study", "perturb", "q.txt"],
            "partwise study perturb: the following arguments are required: RUN; see partwise study perturb --help",
        ),
        (["compare"], "no file is given; give assessments and runs, or scores saved per query"),
        (
            ["compare", "--as", "a=a.run"],
            "a.run: no run is given; give assessments and runs, or scores saved per query",
        ),
        (["compare", "q.txt"], "q.txt: no run is given; give assessments and runs, or scores saved per query"),
        (
            ["evaluate", "q.txt", "--as", "x=a.run", "--as", "x=b.run"],
            "--as names two files x; give every file its own name",
        ),
        (
            ["evaluate", "q.txt", "--as", "x=a.run", "--as", "y=a.run"],
            "a.run is given twice; give every file once",
        ),
        (
            ["evaluate", "q.txt", "--as", "a.run"],
            "partwise evaluate: argument --as: 'a.run' is not of the form NAME=FILE; see partwise evaluate --help",
        ),
        (
            ["evaluate", "q.txt", "--as", "x=a.run", "--engine", "spark"],
            "--as cannot be used with --engine spark; name the runs in their column run_id",
        ),
        (
            ["compare", "old.tsv", "new.tsv"],
            "new.tsv: holds TextR of the run 'run', as does old.tsv; give every run its own name with --as "
            "NAME=new.tsv (in Python {NAME: new.tsv})",
        ),
    ],
)
def test_wrong_names(command: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    assert capsys.readouterr().err == line + "\n"
