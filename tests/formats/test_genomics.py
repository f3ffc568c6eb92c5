"""TREC Genomics 2007: passages with aspects, runs of passages, and the figures of the official scorer."""

from __future__ import annotations

from pathlib import Path

import pytest

import partwise as pw
from partwise.cli import main
from support.paths import real_data

GOLD = "200\t11\t10\t20\tCAFÉ|TNF\n200\t12\t0\t5\tTNF\n".encode("latin-1")
RUN = b"200 12 2 0 5 9 tag\n200 12 1 100 5 8 tag\n200 11 1 15 5 7 tag\n"


def files(tmp_path: Path, gold: bytes = GOLD, run: bytes = RUN) -> tuple[str, str]:
    paths = tmp_path / "gold.tsv", tmp_path / "made.run"
    paths[0].write_bytes(gold)
    paths[1].write_bytes(run)
    return str(paths[0]), str(paths[1])


def test_the_official_scorer() -> None:
    """DOCUMENT, ASPECT and PASSAGE2 of all 36 queries and their means, to 1e-8."""
    folder = real_data("genomics2007")
    names = {"DOCUMENT": "AP", "ASPECT": "AspectAP", "PASSAGE2": "CharAP"}
    scores = pw.evaluate(folder / "gold.tsv", folder / "made.run", list(names.values()))
    values = scores.per_query()["made"]
    lines = (folder / "official-made.tsv").read_text().splitlines()[1:]
    assert len(lines) == 3 * 37
    for line in lines:
        _, measure, query, value = line.split("\t")
        ours = scores.mean()["made"][names[measure]] if query == "MAP" else values[names[measure]][query]
        assert ours == pytest.approx(float(value), abs=1e-8), line


def test_the_task_prints_official_names(capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_data("genomics2007")
    run = ["evaluate", str(folder / "gold.tsv"), str(folder / "made.run"), "--task", "genomics-2007"]
    assert main([*run, "-f", "table"]) == 0
    table = capsys.readouterr().out
    for name in ("AP", "AspectAP", "CharAP", "DOCUMENT", "ASPECT", "PASSAGE2", "0.3573", "0.2686", "0.0344"):
        assert name in table


def test_aspects_are_nuggets(tmp_path: Path) -> None:
    gold, run = files(tmp_path)
    assessments = pw.read_assessments(gold)
    assert assessments.nuggets == ["CAFÉ", "TNF"]
    assert assessments.spans.nugget.tolist() == [0, 1, 1]
    scores = pw.evaluate(gold, run, "PartR(match=any) NuggetR(match=any)@2 AspectAP")
    # by rank, then document: 11 (two nuggets), 12 at 100 (none), 12 at 0 (an old one)
    assert list(scores.mean()["made"].values()) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("gold", "run", "message"),
    [
        (GOLD + b"200\t12\tx\t5\tTNF\n", RUN, "gold.tsv:3: the offset is 'x'; it must be a whole number from 0"),
        (
            GOLD + b"200 12 1 5 TNF\n",
            RUN,
            "gold.tsv:3: is not a line of TREC Genomics 2007 (topic, document, offset, length and aspects, separated "
            "by tabs are expected); fix the line, or skip it with --lenient",
        ),
        (
            GOLD,
            RUN + b"200 12 1 0 5\n",
            "made.run:4: is not a line of TREC Genomics 2007 (topic, document, rank, offset, length, score and tag are "
            "expected); fix the line, or skip it with --lenient",
        ),
        (GOLD, RUN + b"200 12 1 0 5 high tag\n", "made.run:4: the score is 'high'; it must be a number"),
    ],
)
def test_bad_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str], gold: bytes, run: bytes, message: str) -> None:
    assert main(["evaluate", *files(tmp_path, gold, run), "-m", "PartR"]) == 2
    assert capsys.readouterr().err == f"{tmp_path}/{message}\n"


@pytest.mark.parametrize("line", ["200 Q0 11 1 9 tag 5", "200 Q0 11 1 9 7 x", "200 Q0 11 1 9 tag 5 10", "1 Q0 2 3 4 5"])
def test_other_columns_are_not_taken_for_it(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.run").write_text(line + "\n")
    [run] = pw.read_runs(tmp_path / "a.run")
    assert run.doc[0] in ("11", "2")
