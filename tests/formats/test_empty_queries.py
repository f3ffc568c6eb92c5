"""Queries with nothing relevant: read, written, and scored by the measures that count them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import partwise as pw

ROWS = [{"query_id": "q1", "doc_id": "d", "start": 0, "end": 10}, {"query_id": "q2", "doc_id": ""}]
RUN = {"q1": [("d", 0, 10)], "q3": [("d", 0, 10)]}


@pytest.mark.parametrize("gold", [ROWS, {"q1": [("d", 0, 10)], "q2": []}], ids=["rows", "by query"])
def test_only_abstain_counts_them(gold: Any) -> None:
    scores = pw.evaluate(gold, RUN, "Abstain PartR TextR AP")
    assert scores.per_query()["run"] == {
        "Abstain": {"q2": 1.0}, "PartR": {"q1": 1.0}, "TextR": {"q1": 1.0}, "AP": {"q1": 1.0},
    }  # fmt: skip
    assert scores.judged == 2
    assert not [note for note in scores.notes if "without results" in note]
    answered = pw.evaluate(gold, {**RUN, "q2": [("d", 0, 3)]}, "Abstain")
    assert answered.mean() == {"run": {"Abstain": 0.0}}


def test_queries_missing_from_the_run_count_whatever_is_averaged_over() -> None:
    scores = pw.evaluate(ROWS, {"q1": [("d", 0, 5)]}, "Abstain PartR", average_over="run")
    assert scores.per_query()["run"] == {"Abstain": {"q2": 1.0}, "PartR": {"q1": 1.0}}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_they_are_read_back(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"gold.{suffix}"
    pw.write_assessments(pw.read_assessments(_csv(tmp_path)), file)
    assessments = pw.read_assessments(file)
    assert [assessments.queries[code] for code in assessments.empty.query.tolist()] == ["q2"]
    assert pw.evaluate(file, RUN, "Abstain").mean() == {"run": {"Abstain": 1.0}}


@pytest.mark.parametrize("name", ["q.txt", "q.xml"])
def test_other_formats_cannot_hold_them(tmp_path: Path, name: str) -> None:
    with pytest.raises(pw.PartwiseError, match="a query has nothing relevant, which only named columns hold"):
        pw.convert(_csv(tmp_path), tmp_path / name, kind="assessments")


def _csv(folder: Path) -> Path:
    file = folder / "source.csv"
    file.write_text("query_id,doc_id,start,end,length\nq1,d,0,10,50\nq2,,,,\n")
    return file


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"nugget": "a", "start": 0, "end": 5}, "passages have nuggets or sets, which only named columns hold"),
        ({"spans": [[0, 5], [7, 9]]}, "a passage is several spans, which only named columns hold"),
    ],
)
def test_nothing_is_dropped_in_silence(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    rows = [{"query_id": "q1", "doc_id": "d", "length": 50, **row}]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(pw.PartwiseError, match=message):
        pw.convert(tmp_path / "q.jsonl", tmp_path / "q.txt", kind="assessments")
    pw.convert(tmp_path / "q.jsonl", tmp_path / "q.csv", kind="assessments")
    assert (
        pw.evaluate(tmp_path / "q.csv", RUN, "NuggetR PartR").mean()
        == pw.evaluate(tmp_path / "q.jsonl", RUN, "NuggetR PartR").mean()
    )
