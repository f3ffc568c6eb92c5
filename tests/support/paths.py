"""The paths of the project, its test data and the real collections."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
TINY = TESTS / "tiny"
FILES = [str(TINY / name) for name in ("qrels.txt", "sentences.run", "windows.run")]
DATA = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data"))


def real_data(name: str) -> Path:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"real data not found: no folder {name} in PARTWISE_DATA (by default ../shared/data)")
    return folder
