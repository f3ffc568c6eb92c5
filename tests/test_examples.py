"""The short examples run, and show what the documentation says about them."""

from __future__ import annotations

import runpy
import sys
from typing import Any

import pytest

from support.paths import ROOT


def main_of(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "examples"))
    path = ROOT / "examples" / f"{name}.py"
    assert len(path.read_text().splitlines()) < 50
    return runpy.run_path(str(path))["main"]()


def test_token_budgets() -> None:
    scores = main_of("token_budgets")
    assert scores.unit == "tokens(words)"
    means = scores.mean()
    small, large = "TextR(budget=400,pack=True)", "TextR(budget=1600,pack=True)"
    assert means["paragraphs"][small] > means["windows-1600"][small]
    assert means["windows-400"][small] > means["windows-1600"][small]
    assert means["windows-1600"][large] == max(of_run[large] for of_run in means.values())


def test_an_agent_that_reads() -> None:
    """Of 18 lines the agent read one of the fix, at its third step; a file was read again in part."""
    by_unit = main_of("agent_reading")
    assert by_unit["lines"] == pytest.approx(
        {"TextR@2": 0, "TextR": 1, "TextP": 1 / 18, "Redundancy": 3 / 18, "PartRR": 1 / 3, "Read": 18}
    )
    assert by_unit["tokens(words)"]["TextR"] == 1
    assert by_unit["tokens(words)"]["Read"] > 18


def test_moments() -> None:
    scores = main_of("moments")
    assert scores.unit == "seconds"
    minutes, shots = scores.mean()["minutes"], scores.mean()["shots"]
    assert (minutes["PartHit(match=iou(0.5))@1"], shots["PartHit(match=iou(0.5))@1"]) == (0, 1)
    assert shots["Read@1"] == (23.5 + 8.5) / 2
    assert minutes["TextR(budget=30)"] == pytest.approx((1 + 0) / 2)
