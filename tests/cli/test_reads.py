"""Every run and every file of assessments is read once per command."""

from __future__ import annotations

import builtins
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main

COMMANDS = {
    "evaluate": ["evaluate", "QRELS", "RUNS", "-m", "iAP nxCG@10"],
    "by tag": ["evaluate", "QRELS", "RUNS", "-m", "iAP", "--by", "tag"],
    "by grade": ["evaluate", "QRELS", "RUNS", "-m", "iAP", "--by", "grade"],
    "compare": ["compare", "QRELS", "RUNS", "-m", "iAP"],
    "agreement": ["study", "agreement", "QRELS", "RUNS", "-m", "iAP nxCG@10"],
    "assessors": ["study", "assessors", "QRELS", "RUNS", "-m", "iAP"],
    "perturb": ["study", "perturb", "QRELS", "RUNS", "-m", "iAP"],
    "curves": ["study", "curves", "QRELS", "RUNS"],
    "report": ["report", "QRELS", "RUNS", "-o", "report.html"],
    "check": ["check", "QRELS", "RUNS"],
}
SNIFFED = ("compare", "agreement", "report")
"""Commands that first detect whether their first file holds scores."""


@pytest.mark.parametrize("command", COMMANDS)
def test_runs_and_assessments_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    demo = pw.demo()
    runs = [str(path) for path in demo.runs.values()][:3]
    opened: Counter[str] = Counter()
    real = builtins.open

    def counted(path: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(path, (str, os.PathLike)):
            opened[os.fspath(path)] += 1
        return real(path, *arguments, **options)

    monkeypatch.chdir(tmp_path)
    words = [word for part in COMMANDS[command] for word in (runs if part == "RUNS" else [part])]
    words = [str(demo.qrels) if word == "QRELS" else word for word in words]
    monkeypatch.setattr(builtins, "open", counted)
    code = main([*words, "--collection", str(demo.folder / "articles")])
    monkeypatch.undo()
    assert code == (1 if command == "check" else 0), capsys.readouterr().err
    assert {path: opened[path] for path in runs} == dict.fromkeys(runs, 1)
    assert opened[str(demo.qrels)] == (2 if command in SNIFFED else 1)
