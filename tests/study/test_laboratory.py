"""The laboratory of real systems: a small version always, the full one as a slow test against the documentation."""

from __future__ import annotations

import glob
import re
import shlex
import sys
from pathlib import Path

import pytest

import partwise as pw
from partwise.cli import main
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "examples"))
STUDIES = (ROOT / "docs" / "studies.md").read_text()


def test_the_laboratory_in_small(chunking: Path, tmp_path: Path) -> None:
    import laboratory

    result = laboratory.main([str(chunking), str(tmp_path), "--quick"])
    scores = pw.read_scores(tmp_path / "scores.parquet")
    assert len(scores.run_ids) == 8
    assert scores.measures == laboratory.MEASURES.split()
    assert {len(queries) for of_run in scores.per_query().values() for queries in of_run.values()} == {60}
    tau = {(row["measure"], row["other"]): row["tau"] for row in result["agreement"].rows()}
    assert len(tau) == 55
    assert tau["iAP", "TextAP"] > 0.8
    assert tau["TextP@5", "TextR@5"] < 0  # precision wants small chunks, recall large ones
    assert {row["measure"] for row in result["power"].rows()} == set(scores.measures)
    assert all(0 <= row["error_rate"] < 0.2 for row in result["error rate"].rows())
    swaps = result["queries"].rows()
    comparisons: dict[tuple[str, int], int] = {}
    for row in swaps:
        if row["extrapolated"] == "no":
            key = row["measure"], row["topics"]
            comparisons[key] = comparisons.get(key, 0) + row["comparisons"]
            assert row["rate"] == row["swaps"] / row["comparisons"]
    # 20 trials with the 15 pairs of the best 6 of 8 runs, for sets of 1 to 30 of the 60 queries
    assert comparisons == {(measure, size): 20 * 15 for measure in scores.measures for size in range(1, 31)}
    extrapolated = {(row["measure"], row["topics"]) for row in swaps if row["extrapolated"] == "yes"}
    assert extrapolated == {(measure, size) for measure in scores.measures for size in (60, 120)}


def test_chunkers_cover_what_they_should(chunking: Path) -> None:
    import laboratory

    text = (chunking / "corpora" / "state_of_the_union.md").read_text(encoding="utf-8")
    for name, chunker in laboratory.CHUNKERS.items():
        spans = list(chunker(text))
        assert all(0 <= start < end <= len(text) for start, end in spans), name
        covered = set()
        for start, end in spans:
            covered.update(range(start, end))
        assert all(text[i].isspace() for i in range(len(text)) if i not in covered), name
        size = re.search(r"(?:fixed|half|packed)(\d+)", name)
        if size:
            assert max(end - start for start, end in spans) <= int(size.group(1)), name


@pytest.mark.slow
def test_the_laboratory_in_full(
    chunking: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """56 systems; every command of docs/studies.md prints the output shown there."""
    import laboratory

    scores = laboratory.run_systems(chunking, list(laboratory.CHUNKERS), list(laboratory.RETRIEVERS), out=tmp_path)
    assert len(scores.run_ids) == 56
    laboratory.save(scores, tmp_path)
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    commands = re.findall(r"```console\n\$ partwise (.*)\n((?:.*\n)*?)```", STUDIES)
    assert len(commands) == 7
    for command, output in commands:
        expanded = [sorted(glob.glob(word)) if "*.run" in word else [word] for word in shlex.split(command)]
        assert main([word for words in expanded for word in words]) == 0
        assert capsys.readouterr().out == output, command


def test_equal_scores_are_in_the_order_of_the_chunks() -> None:
    import retrieval

    texts = ["leave of absence", "refunds", "leave of absence", "absence"]
    assert retrieval.bm25(texts, ["absence"])[0].tolist() == [[3, 0, 2, 1]]
    assert retrieval.cosine(texts, ["absence"], 3, retrieval.words)[0].tolist() == [[3, 0, 2]]
