"""``partwise compare`` and ``partwise study``: the output equals that of golden files named after the flags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import partwise as pw
from partwise.cli import main
from support.commands import ASSESSED, MEASURES, STUDIES, on_a_terminal
from support.paths import FILES, TESTS

GOLDEN = TESTS / "golden_study"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with assessments of which two queries have a second assessor."""
    monkeypatch.chdir(tmp_path)
    lines = ["query_id,doc_id,start,end,assessor,length"]
    for line in Path(FILES[0]).read_text().splitlines():
        query, _, doc, _, length, _, *spans = line.split()
        for span in spans:
            start, size = map(int, span.split(":"))
            lines.append(f"{query},{doc},{start},{start + size},first,{length}")
            if query != "notice":
                lines.append(f"{query},{doc},{start + size // 2},{start + size + 40},second,{length}")
    Path(ASSESSED).write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize("name", STUDIES)
def test_output(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(STUDIES[name]) == 0
    captured = capsys.readouterr()
    assert captured.out == (GOLDEN / f"{name}.out").read_text()
    assert captured.err == (GOLDEN / f"{name}.err").read_text()


def test_every_golden_file_is_used() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(STUDIES)


@pytest.mark.parametrize("suffix", ["parquet", "tsv", "csv", "jsonl"])
def test_saved_scores_give_the_same_output_as_runs(
    suffix: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *FILES, *MEASURES, "-q", "-o", f"scores.{suffix}"]) == 0
    capsys.readouterr()
    for golden in ("compare", "agreement-table", "power"):
        command = [word for word in STUDIES[golden] if word not in FILES and word not in MEASURES]
        at = 1 if golden == "compare" else 2
        assert main([*command[:at], f"scores.{suffix}", *command[at:]]) == 0
        assert capsys.readouterr().out == (GOLDEN / f"{golden}.out").read_text()
    assert main(["compare", f"scores.{suffix}", "-m", "TextP@5", "-f", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["measure"] for row in rows} == {"TextP@5"}


def test_output_files_and_compression(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import gzip

    assert main([*STUDIES["compare"], "-o", "c.tsv.gz"]) == 0
    assert gzip.decompress(Path("c.tsv.gz").read_bytes()).decode() == (GOLDEN / "compare.out").read_text()
    assert capsys.readouterr().out == ""


def test_a_terminal_gets_tables() -> None:
    shown = on_a_terminal("compare", *FILES, "-m", "iAP")
    assert "────" in shown
    assert "95% intervals by Wilson's method, scaled" in shown


def test_queries_that_runs_do_not_share_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("short.run").write_text("".join(
        line + "\n" for line in Path(FILES[1]).read_text().splitlines() if not line.startswith("notice")
    ))  # fmt: skip
    assert main(["compare", FILES[0], "short.run", FILES[2], "-m", "iAP", "--average-over", "run"]) == 0
    assert "note: iAP: compared on the 2 queries that all runs share, of up to 3\n" in capsys.readouterr().err


ERRORS: dict[str, tuple[list[str], str]] = {
    "no run": (
        ["compare", FILES[0]],
        f"{FILES[0]}: no run is given; give assessments and runs, or scores saved per query",
    ),
    "unknown baseline": (
        ["compare", *FILES, "--baseline", "x", "-m", "iAP"],
        "there is no run 'x'; the runs are sentences, windows",
    ),
    "unknown test": (
        ["compare", *FILES, "--test", "x"],
        "partwise compare: argument --test: 'x' is not one of randomisation, t, wilcoxon, tukey; "
        "see partwise compare --help",
    ),
    "tukey corrected": (
        ["compare", *FILES, "-m", "iAP", "--test", "tukey", "--correct", "bh"],
        "correct is bh with Tukey's test; leave it out, this test needs no correction",
    ),
    "bad alpha": (
        ["compare", *FILES, "--alpha", "5"],
        "partwise compare: argument --alpha: '5' is not a number between 0 and 1; see partwise compare --help",
    ),
    "bad seed": (
        ["compare", *FILES, "--seed", "-1"],
        "partwise compare: argument --seed: '-1' is not a whole number from 0; see partwise compare --help",
    ),
    "too many trials": (
        ["compare", *FILES, "--trials", "100000000000000000000"],
        "partwise compare: argument --trials: '100000000000000000000' is not a whole number from 1 to 10000000; "
        "see partwise compare --help",
    ),
    "too many sets": (
        ["study", "error-rate", *FILES, "--trials", "10000001"],
        "partwise study error-rate: argument --trials: '10000001' is not a whole number from 1 to 10000000; "
        "see partwise study error-rate --help",
    ),
    "bad picture": (
        ["compare", *FILES, "--plot", "a.gif"],
        "a.gif: unknown picture suffix '.gif'; use one of .svg, .png, .html",
    ),
    "bad level": (
        ["study", "assessors", *FILES, "--level", "sec"],
        "partwise study assessors: argument --level: 'sec' is not of the form NAME=TAG,TAG; "
        "see partwise study assessors --help",
    ),
    "bad difference": (
        ["study", "queries", *FILES, "--difference", "x"],
        "partwise study queries: argument --difference: "
        "'x' is neither a number above 0 nor a percentage; see partwise study queries --help",
    ),
    "measures of a curve": (
        ["study", "curves", *FILES, "-m", "iAP"],
        "-m and --task cannot be used with curves; choose a curve with --kind",
    ),
    "no study": (["study"], "partwise study: the following arguments are required: STUDY; see partwise study --help"),
    "one measure": (
        ["study", "agreement", *FILES, "-m", "iAP"],
        "there is only one measure; give at least two, to compare them with each other",
    ),
    "one assessor": (
        ["study", "assessors", *FILES, "-m", "iAP"],
        f"{FILES[0]}: has one assessor per query; give judgements of several assessors (column assessor)",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_one_line(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, line = ERRORS[name]
    assert main(command) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == line


def test_a_task_with_saved_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *FILES, "-m", "iAP", "-q", "-o", "s.tsv"]) == 0
    capsys.readouterr()
    assert main(["compare", "s.tsv", "--task", "rag"]) == 2
    assert capsys.readouterr().err == ("--task cannot be used with saved scores; choose among their measures with -m\n")


def test_help_of_all_studies(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["agreement", "error-rate", "queries", "power", "assessors", "perturb", "curves"]
    for command in (["compare"], *(["study", name] for name in names)):
        with pytest.raises(SystemExit) as stop:
            main([*command, "--help"])
        assert stop.value.code == 0
        assert f"usage: partwise {' '.join(command)}" in capsys.readouterr().out
    assert sorted(pw.study.__all__) == [
        "agreement", "assessors", "compare", "curves", "error_rate", "perturb", "power", "queries",
    ]  # fmt: skip
