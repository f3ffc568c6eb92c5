"""Moments of videos in QVHighlights' files, and the unit seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main
from partwise.presets import OFFICIAL
from support.paths import real_data

GOLD = {"qid": 7, "query": "A dog", "vid": "v1", "duration": 150, "relevant_windows": [[10, 20.5], [82, 150]]}
PREDICTED = {"qid": 7, "vid": "v1", "pred_relevant_windows": [[0.0, 10.0, 0.2], [10.0, 20.5, 0.9], [81.999, 150, 0.1]]}


def write(path: Path, *rows: Any) -> str:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def test_the_official_figures() -> None:
    """All 21 figures that the official evaluation prints for the whole split, to two decimals of a percent."""
    folder = real_data("moments")
    official = json.loads((folder / "official-metrics.json").read_text())["full"]
    names = {
        **{f"PartHit(match=iou({share}))@1": ("MR-R1", share) for share in official["MR-R1"]},
        **{
            f"PartAP(match=iou({'0.5,0.95' if share == 'average' else share}),interpolated=True)@10": ("MR-mAP", share)
            for share in official["MR-mAP"]
        },
    }
    assert len(names) == 21
    scores = pw.evaluate(folder / "gold.jsonl", folder / "predictions.jsonl", list(names))
    [means] = scores.mean().values()
    for name, (group, share) in names.items():
        assert round(100 * means[pw.measure(name).name], 2) == official[group][share], name


def test_the_task_prints_official_names(capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_data("moments")
    files = [str(folder / "gold.jsonl"), str(folder / "predictions.jsonl")]
    assert main(["evaluate", *files, "--task", "moments", "-f", "table"]) == 0
    table = capsys.readouterr().out
    for ours, theirs in OFFICIAL["moments"].items():
        assert pw.measure(ours).name == ours
        assert ours in table
        assert theirs in table


def test_windows_are_read_in_seconds(tmp_path: Path) -> None:
    gold, run = write(tmp_path / "gold.jsonl", GOLD), write(tmp_path / "run.jsonl", PREDICTED)
    assessments, [read] = pw.read_assessments(gold), pw.read_runs(run)
    assert (assessments.unit, assessments.spans.start.tolist()) == ("seconds", [10_000, 82_000])
    assert (read.unit, read.end.tolist()) == ("seconds", [10_000, 20_500, 150_000])
    scores = pw.evaluate(gold, run, "PartHit(match=iou(1))@1 TextR Read@1 TextR(budget=10.5) TextR(budget=21.999)")
    assert list(scores.mean()["run"].values()) == pytest.approx(
        [1.0, 1.0, 10.5, 10.5 / 78.5, (10.5 + 1.498) / 78.5], abs=1e-12
    )


def test_a_budget_in_seconds_has_milliseconds(tmp_path: Path) -> None:
    gold, run = write(tmp_path / "gold.jsonl", GOLD), write(tmp_path / "run.jsonl", PREDICTED)
    with pytest.raises(pw.PartwiseError, match=r"a size of 0\.0001 seconds is not a whole number"):
        pw.evaluate(gold, run, "TextR(budget=0.0001)")
    scores = pw.evaluate(gold, run, "TextR(budget=21.999) TextR(budget=0.0001) TextR(budget=10.5)")
    assert [row.measure for row in scores.unscored] == ["TextR(budget=0.0001)"]  # the others are scored all the same
    alone = (
        pw.evaluate(gold, run, "TextR(budget=21.999)").mean()["run"]
        | pw.evaluate(gold, run, "TextR(budget=10.5)").mean()["run"]
    )
    assert scores.mean()["run"] == alone


def test_a_video_without_windows_is_judged(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD, {**GOLD, "qid": 8, "relevant_windows": []})
    run = write(tmp_path / "run.jsonl", PREDICTED)
    assert pw.evaluate(gold, run, "Abstain PartR TextJudged").per_query()["run"] == {
        "Abstain": {"8": 1.0},
        "PartR": {"7": 1.0},
        "TextJudged": {"7": 1.0},
    }


def test_windows_without_scores_are_ranked(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    run = write(tmp_path / "run.jsonl", {**PREDICTED, "pred_relevant_windows": [[0, 5], [10, 20.5]]})
    assert pw.evaluate(gold, run, "PartRR").mean() == {"run": {"PartRR": 0.5}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            {**GOLD, "relevant_windows": [[10, 20, 0.5]]},
            "relevant_windows is '[[10, 20, 0.5]]'; it must be a list of [start, end] in seconds, with at most three "
            "decimals",
        ),
        (
            {**GOLD, "relevant_windows": [[10.0001, 20]]},
            "relevant_windows is '[[10.0001, 20]]'; it must be a list of [start, end] in seconds, with at most three "
            "decimals",
        ),
        ({**GOLD, "relevant_windows": [[20, 10]]}, "the end 10 is before the start 20; it must be at least the start"),
        ({"qid": 8, "relevant_windows": [[1, 2]]}, "has no vid; every line needs qid, vid, relevant_windows"),
    ],
)  # fmt: skip
def test_bad_windows(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: Any, message: str) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD, line)
    assert main(["evaluate", gold, write(tmp_path / "run.jsonl", PREDICTED), "-m", "PartR"]) == 2
    assert capsys.readouterr().err == f"{gold}:2: {message}\n"


def test_unknown_keys_are_named(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", {**GOLD, "saliency_scores": [1], "mood": "happy"})
    scores = pw.evaluate(gold, write(tmp_path / "run.jsonl", PREDICTED), "PartR")
    assert [note for note in scores.notes if "mood" in note] == [
        f"{gold}: 1 column is not known and was not read: 'mood'"
    ]


# ---- seconds in tables ---------------------------------------------------------------------------------------------


def test_tables_in_seconds(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_text("query_id,doc_id,start,end,length\nq,v,1.5,2.25,60\n")
    run.write_text("query_id,doc_id,rank,start,end\nq,v,1,1,2\nq,v,2,,\n")
    scores = pw.evaluate(qrels, run, "TextR@1 Read", unit="seconds")
    assert scores.mean()["run"] == {"TextR@1": 0.5 / 0.75, "Read": 61.0}
    spans = [{"query_id": "q", "doc_id": "v", "spans": [[1.5, 2], [2.001, 2.25]]}]
    results = [{"query_id": "q", "doc_id": "v", "start": 1.5, "end": 2}]
    assert pw.evaluate(spans, results, "TextR", unit="seconds").mean() == {"run": {"TextR": 500 / 749}}


def test_seconds_are_written_as_they_are_read(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    pw.convert(gold, tmp_path / "gold.csv")
    assert (tmp_path / "gold.csv").read_text().splitlines() == [
        "query_id,doc_id,start,end,length,unit",
        "7,v1,10,20.5,150,seconds",
        "7,v1,82,150,150,seconds",
    ]
    pw.convert(write(tmp_path / "run.jsonl", PREDICTED), tmp_path / "run.parquet")
    scores = pw.evaluate(tmp_path / "gold.csv", tmp_path / "run.parquet", "PartR TextP")
    assert scores.mean()["run"] == pw.evaluate(gold, tmp_path / "run.jsonl", "PartR TextP").mean()["run"]


def test_a_file_declares_one_unit(tmp_path: Path) -> None:
    row = {"query_id": "q", "doc_id": "v", "start": 1, "end": 2}
    for units, message in (
        (("seconds", "bytes"), "has offsets in several units"),
        (("hours", "hours"), "the unit is 'hours'; it must be one of chars, bytes, utf16, tokens, lines, seconds"),
        (("bytes", "bytes"), "offsets are in bytes, but seconds are counted; seconds cannot be converted"),
    ):
        rows = [{**row, "unit": unit, "end": number} for number, unit in enumerate(units, 2)]
        with pytest.raises(pw.PartwiseError, match=message):
            pw.evaluate(rows, {"q": [("v", 0, 1)]}, "TextR", unit="seconds")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "q.csv",
            "query_id,doc_id,start,end\nq,v,1.0001,2\n",
            ":2: the start is '1.0001'; it must be seconds from 0 to 1099511627, with at most three decimals",
        ),
        (
            "q.txt",
            "q Q0 v 5 60 0 1:5\n",
            ": TREC or INEX columns has whole numbers as offsets, not seconds; use named columns: CSV, TSV, JSON Lines "
            "or Parquet",
        ),
    ],
)  # fmt: skip
def test_bad_seconds(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    run = write(tmp_path / "run.jsonl", {"query_id": "q", "doc_id": "v", "start": 1, "end": 2})
    assert main(["evaluate", str(tmp_path / name), run, "-m", "TextR", "--unit", "seconds"]) == 2
    assert capsys.readouterr().err == f"{tmp_path / name}{message}\n"


def test_seconds_and_a_collection(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("text")
    with pytest.raises(pw.PartwiseError, match="documents have no offsets in seconds; leave the collection out"):
        pw.evaluate([{"query_id": "q", "doc_id": "v", "start": 0, "end": 1}], {"q": [("v", 0, 1)]}, "TextR",
                    unit="seconds", collection=tmp_path)  # fmt: skip


def test_moments_count_seconds_only(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    with pytest.raises(pw.PartwiseError, match="offsets are in seconds, but bytes are counted"):
        pw.evaluate(gold, write(tmp_path / "run.jsonl", PREDICTED), "TextR", unit="bytes")
