"""Tables on a terminal: numbers are never broken, and a file gets the whole width."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.cli import output
from partwise.display import terminal
from partwise.display.sheets import plain
from support.scores import scores_of

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(text: str) -> list[str]:
    return ESCAPE.sub("", text).splitlines()


def wide(measures: int, name: str = "run") -> pw.Scores:
    names = [f"TextR(budget={1000 * (i + 1)})" for i in range(measures)]
    values = {f"{name}{r}": {m: {"q": 0.1 + r / 10 + i / 100} for i, m in enumerate(names)} for r in range(8)}
    return scores_of(values)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_measures_that_do_not_fit_are_stacked(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    scores = wide(6)
    lines = on_terminal(output.table(scores, False, 4, True))
    assert max(map(len, lines)) <= width
    headers = [line for line in lines if line.startswith("run ")]
    assert [name for line in headers for name in re.findall(r"\S+", line)[1:]] == scores.measures
    assert len(headers) == {40: 6, 60: 3, 80: 2, 200: 1}[width]
    numbers = [number for line in lines for number in re.findall(r"\d\.\d+", line)]
    assert sorted(numbers) == sorted(f"{value:.4f}" for of in scores.mean().values() for value in of.values())


def test_a_file_has_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = output.table(wide(6), False, 4, False).splitlines()
    assert len(lines) == 2 + 8 + 1
    assert not any("\x1b" in line for line in lines)


def test_intervals_stay_with_their_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    values = {
        f"r{r}": {m: {f"q{q}": (q * r % 7) / 7 for q in range(9)} for m in ("iAP", "AgP", "gR")} for r in range(4)
    }
    lines = on_terminal(output.findings(pw.compare(scores_of(values), trials=10), "table", None, True))
    headers = [line.split("   ") for line in lines if "interval" in line and "beats" in line][1:]
    assert [[name.strip() for name in line if name.strip()] for line in headers] == [
        ["run", m, f"{m} interval", f"{m} beats"] for m in ("iAP", "AgP", "gR")
    ]
    assert any(re.search(r"\d\.\d{4}–\d\.\d{4}", line) for line in lines)


@given(
    st.lists(st.sampled_from(["a", "a long name of a column", "TextR(budget=4000)", "x" * 30]), min_size=1, max_size=6),
    st.integers(40, 120),
    st.integers(1, 50),
)
def test_no_number_is_broken(names: list[str], width: int, length: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        row = ["r" * length, *(f"{i}.123456" for i in range(len(names)))]
        lines = on_terminal(terminal.drawn(plain(["run", *names], [row], 1), True))
    found = [number for line in lines for number in re.findall(r"\d\.\d+", line)]
    assert found == row[1:]


def test_the_best_is_bold_on_a_terminal() -> None:
    scores = scores_of({"a": {"iAP": {"q": 0.25}}, "b": {"iAP": {"q": 0.5}}})
    assert "\x1b[1m0.5000" in output.table(scores, False, 4, True)
    assert "\x1b[1m0.2500" not in output.table(scores, False, 4, True)
