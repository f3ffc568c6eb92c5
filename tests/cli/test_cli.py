"""The command line: the output equals that of golden files named after the flags."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import partwise
from partwise.cli import main
from support.commands import on_a_terminal
from support.paths import FILES, TESTS, TINY

GOLDEN = TESTS / "golden"

COMMANDS: dict[str, list[str]] = {
    "evaluate": ["evaluate", *FILES],
    "evaluate-q-tsv": ["evaluate", *FILES, "-q", "-f", "tsv", "-m", "iAP iP@0.10"],
    "evaluate-m-m": ["evaluate", *FILES, "-m", "iAP iP@0.01", "-m", "AgP(score=F(beta=0.25))"],
    "evaluate-csv": ["evaluate", *FILES, "-f", "csv", "-m", "TextF(beta=2,alpha=0)@3 nDCG@10"],
    "evaluate-q-csv": ["evaluate", *FILES, "-q", "-f", "csv", "-m", "iAP"],
    "evaluate-jsonl": ["evaluate", *FILES, "-f", "jsonl", "-m", "iAP nDCG@10"],
    "evaluate-q-jsonl-places": ["evaluate", *FILES, "-q", "-f", "jsonl", "-m", "iAP", "--places", "3"],
    "evaluate-tsv-places": ["evaluate", *FILES, "--places", "2"],
    "evaluate-table": ["evaluate", *FILES, "-f", "table"],
    "evaluate-q-table": ["evaluate", *FILES, "-q", "-f", "table", "-m", "iAP Redundancy@5"],
    "evaluate-latex": ["evaluate", *FILES, "-f", "latex", "-m", "iAP TextF(beta=2)@3"],
    "evaluate-q-latex": ["evaluate", *FILES, "-q", "-f", "latex", "-m", "iAP", "--places", "2"],
    "evaluate-markdown": ["evaluate", *FILES, "-f", "markdown", "-m", "iAP nDCG@10 Redundancy@5"],
    "evaluate-html": ["evaluate", *FILES, "-f", "html", "-m", "iAP nDCG@10 Redundancy@5"],
    "evaluate-sort-transpose": [
        "evaluate",
        *FILES,
        "-f",
        "table",
        "-m",
        "iAP Redundancy@5",
        "--sort",
        "Redundancy@5",
        "--transpose",
    ],
    "evaluate-trec": ["evaluate", *FILES, "-f", "trec", "-m", "iAP AgP(score=BEPn(n=500))"],
    "evaluate-q-trec": ["evaluate", *FILES, "-q", "-f", "trec", "-m", "iAP nDCG@10"],
    "evaluate-task-focused": ["evaluate", *FILES, "--task", "focused"],
    "evaluate-task-relevant-in-context": ["evaluate", *FILES, "--task", "relevant-in-context", "-f", "table"],
    "evaluate-task-best-in-context": ["evaluate", *FILES, "--task", "best-in-context", "-f", "table"],
    "evaluate-task-relevant-in-context-2009": ["evaluate", *FILES, "--task", "relevant-in-context-2009"],
    "evaluate-task-best-in-context-2009": ["evaluate", *FILES, "--task", "best-in-context-2009", "-f", "table"],
    "evaluate-task-rag-m": ["evaluate", *FILES, "--task", "rag", "-m", "TextR@5 iAP", "-f", "table"],
    "evaluate-order-score": ["evaluate", *FILES, "--order", "score", "-m", "iAP"],
    "evaluate-run-id-tag": ["evaluate", *FILES, "--run-id", "tag", "-m", "iAP"],
    "evaluate-unit-bytes": ["evaluate", *FILES, "--unit", "bytes", "-m", "iAP"],
    "measures": ["measures"],
    "measures-jsonl": ["measures", "-f", "jsonl"],
    "measures-iP": ["measures", "iP"],
    "measures-AgP": ["measures", "MAgP"],
    "demo": ["demo"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(COMMANDS[name]) == 0
    captured = capsys.readouterr()
    expected = (GOLDEN / f"{name}.out").read_text()
    if name in ("measures", "measures-jsonl"):  # they end with those of the installed ir_measures
        assert "nDCG" in captured.out
        captured = captured._replace(out=captured.out[: len(expected)])
    assert captured.out == expected
    assert captured.err == (GOLDEN / f"{name}.err").read_text()


def test_the_list_of_measures_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "-f", "table"]) == 0
    shown = capsys.readouterr().out
    for name, parameters, meaning, _ in partwise.list_measures():
        assert f"{name}{parameters}" in shown
        assert meaning in shown


def test_every_golden_file_is_used() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(COMMANDS)


@pytest.mark.parametrize(
    ("name", "golden"),
    [
        ("scores.tsv", "evaluate-m-m"),
        ("scores.jsonl", "evaluate-jsonl"),
        ("scores.csv", "evaluate-csv"),
        ("scores.tex", "evaluate-latex"),
        ("scores.trec", "evaluate-trec"),
        ("scores.txt", "evaluate-table"),
    ],
)
def test_output_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, golden: str) -> None:
    """The suffix decides the format; standard output stays empty."""
    command = COMMANDS[golden]
    if "-f" in command:
        at = command.index("-f")
        command = command[:at] + command[at + 2 :]
    assert main([*command, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_text() == (GOLDEN / f"{golden}.out").read_text()
    assert capsys.readouterr().out == ""


def test_parquet_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.parquet"
    assert main(["evaluate", *FILES, "-q", "-m", "iAP", "-o", str(path)]) == 0
    table = pq.read_table(path)
    assert table.column_names == ["run_id", "measure", "query_id", "value"]
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        (run, measure, query, float(value))
        for run, measure, query, value in (
            line.split(",") for line in (GOLDEN / "evaluate-q-csv.out").read_text().splitlines()[1:]
        )
    ]


def test_compressed_output(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "scores.tsv.gz"
    assert main([*COMMANDS["evaluate-m-m"], "-o", str(path)]) == 0
    assert gzip.decompress(path.read_bytes()).decode() == (GOLDEN / "evaluate-m-m.out").read_text()


def test_assessors_lengths_and_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run, lengths = tmp_path / "q.csv", tmp_path / "a.run", tmp_path / "lengths.tsv"
    qrels.write_text("query_id,doc_id,start,end,assessor\nt1,d,0,10,ann\nt1,d,0,20,bob\nt2,d,0,10,ann\n")
    run.write_text("t1 Q0 d 1 0.5 x\n")
    lengths.write_text("doc_id\tlength\nd\t40\n")
    command = ["evaluate", str(qrels), str(run), "-m", "TextP", "--lengths", str(lengths)]
    for options, value, summary in (
        ([], 0.125, "2 of 2 queries scored"),
        (["--average-over", "run"], 0.25, "1 of 2 queries scored"),
        (["--average-over", "run", "--assessor", "bob"], 0.5, "1 of 2 queries scored"),
    ):
        assert main([*command, *options]) == 0
        captured = capsys.readouterr()
        assert captured.out.splitlines()[1] == f"a\tTextP\tall\t{value}"
        assert captured.err.splitlines()[-1] == summary


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"partwise {partwise.__version__} (native kernels)\n"


@pytest.mark.parametrize("command", [["--help"], ["evaluate", "--help"], ["measures", "--help"]])
def test_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(command)
    assert stop.value.code == 0
    assert "usage: partwise" in capsys.readouterr().out


def test_usage_errors_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == ("partwise: the following arguments are required: COMMAND; see partwise --help\n")
    assert main(["measures", "iPP"]) == 2
    assert capsys.readouterr().err == "unknown measure 'iPP'; did you mean iP, iAP or SRiP?\n"


def test_a_terminal_gets_a_table_and_a_pipe_gets_tsv() -> None:
    shown = on_a_terminal("evaluate", *FILES, "-m", "iAP")
    assert "sentences" in shown
    assert "────" in shown
    assert "3 of 3 queries scored" in shown
    assert "run_id" not in shown


def test_a_file_never_gets_colours(tmp_path: Path) -> None:
    on_a_terminal("evaluate", *FILES, "-f", "table", "-o", str(tmp_path / "scores.txt"))
    assert (tmp_path / "scores.txt").read_text() == (GOLDEN / "evaluate-table.out").read_text()


def test_names_from_data_are_not_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "[bold]x[_].run"
    run.write_text((TINY / "windows.run").read_text())
    assert main(["evaluate", FILES[0], str(run), "-m", "iAP", "-f", "table"]) == 0
    assert "[bold]x[_]" in capsys.readouterr().out


def test_progress_is_shown_on_terminals_only() -> None:
    from partwise.cli import progress

    with progress.progress_bar("scoring") as advance:
        assert advance is None


def test_progress_is_shown_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    from partwise.cli import progress

    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with progress.progress_bar("scoring") as advance:
        assert advance is not None
        advance(1, 3)
    assert screen.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.progress_bar("scoring") as advance:
        assert advance is not None
        advance(1, 3)
        for _ in range(500):
            if "scoring" in screen.getvalue():
                break
            time.sleep(0.01)
        advance(3, 3)
    assert "scoring" in screen.getvalue()
