"""Inputs that once broke a command or a call: each folder of tests/corpus has files and `command`, or `call`."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest

from partwise.cli import main
from partwise.errors import PartwiseError
from support.paths import ROOT, TESTS

sys.path.insert(0, str(ROOT / "tools"))

from attacks.calls import namespace
from attacks.reading import differences

CASES = sorted(path.parent for path in (TESTS / "corpus").glob("*/command"))
CALLS = sorted(path.parent for path in (TESTS / "corpus").glob("*/call"))
SECONDS = 20
"""More than any of them takes, on a slow machine too; some took minutes, or did not end."""


def test_there_are_cases() -> None:
    assert len(CASES) > 10
    assert CALLS


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_commands_end_in_order(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With results, with findings, or with one error line and nothing written."""
    shutil.copytree(case, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    files = sorted(path.name for path in tmp_path.rglob("*"))
    start = time.process_time()
    words = shlex.split((case / "command").read_text())
    code = main(words)
    assert time.process_time() - start < SECONDS
    error = capsys.readouterr().err
    assert code in (0, 1, 2)
    assert "Traceback" not in error
    if code == 2:
        lines = [line for line in error.splitlines() if not line.startswith("note: ")]
        assert len(lines) == 1, error
        assert len(lines[0]) < 3000, error
        assert sorted(path.name for path in tmp_path.rglob("*")) == files
    if code == 0 and words[0] == "convert":
        assert list(differences(tuple(words), tmp_path)) == []


@pytest.mark.parametrize("case", CALLS, ids=lambda path: path.name)
def test_calls_end_in_order(case: Path) -> None:
    """With a value, or with an error of ours on one line."""
    try:
        eval((case / "call").read_text(), namespace())
    except PartwiseError as error:
        assert "\n" not in str(error)  # noqa: PT017 (a value is as good)
