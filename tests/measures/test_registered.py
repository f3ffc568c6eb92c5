"""Measures and navigation models of users: registered, or provided by an installed package."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise import measures, plugins
from partwise.cli import main
from partwise.measures import register_measure
from partwise.measures.base import Measure
from partwise.tables.text import Text

QRELS = {"q": [("d", 0, 10)], "r": [("d", 0, 10)]}
RUN = {"q": [("e", 0, 9), ("d", 5, 20)], "r": [("e", 0, 1)]}


class Shown(Measure):
    """Whether any relevant text is shown."""

    cutoff: pw.Param[int | None] = pw.Param(int, at=True, default=None, low=1)

    def needs(self) -> list[Any]:
        return [Text()]

    def score(self, text: Any) -> Any:
        return (text.recall(self.cutoff) > 0).astype(np.float64)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_REGISTERED", {})
    register_measure(Shown)


def test_a_registered_measure_is_requested_by_name(shown: None) -> None:
    scores = pw.evaluate(QRELS, RUN, ["Shown@5", "TextR", Shown() @ 1])
    assert scores.mean() == {"run": {"Shown@5": 0.5, "TextR": 0.25, "Shown@1": 0.0}}
    assert scores.per_query()["run"]["Shown@5"] == {"q": 1.0, "r": 0.0}
    assert pickle.loads(pickle.dumps(Shown() @ 5)) == Shown() @ 5
    assert pw.measure_page("Shown").startswith("Shown[@cutoff]\n\nWhether any relevant text is shown.\n")


def test_a_measure_can_be_registered_again(shown: None) -> None:
    assert register_measure(Shown) is Shown


def test_the_error_for_an_unknown_name_suggests_registered_measures(shown: None) -> None:
    with pytest.raises(pw.PartwiseError, match=r"^unknown measure 'Shwon'; did you mean .*Shown.*\?$"):
        pw.measure("Shwon@5")


class iAP(Shown):
    """A measure of partwise has this name."""


class nDCG(Shown):
    """A measure of ir_measures has this name."""


class Empty(Measure):
    """Has no method score."""

    def needs(self) -> list[Any]:
        return []


class Silent(Shown):
    __doc__ = ""


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (iAP, "a measure named 'iAP' already exists; choose another name"),
        (nDCG, "a measure named 'nDCG' already exists; choose another name"),
        (Empty, "Empty has no method score(); define it; see help(partwise.Measure)"),
        (Silent, "Silent has no docstring; describe the measure in its first line"),
        (Shown(), "'Shown' is not a measure class; give a subclass of partwise.Measure"),
        (5, "'5' is not a measure class; give a subclass of partwise.Measure"),
    ],
    ids=str,
)
def test_errors(monkeypatch: pytest.MonkeyPatch, kind: Any, line: str) -> None:
    monkeypatch.setattr(measures, "_REGISTERED", {})
    with pytest.raises(pw.PartwiseError) as error:
        register_measure(kind)
    assert str(error.value) == line
    assert measures.registered_measures() == {}


PACKAGE = '''
import numpy as np
from partwise.measures.base import Measure
from partwise.navigation import Links, Navigation
from partwise.tables.text import Text


class Brought(Measure):
    """Always one."""

    def needs(self):
        return [Text()]

    def score(self, text):
        return np.ones(len(text.relevant))


class everywhere(Navigation):
    """Users reach everything with probability 1/2."""

    def probabilities(self, question):
        origin, target = question.pairs
        return Links(origin, target, np.full(len(origin), 0.5))
'''
ENTRIES = """
[partwise.measures]
Brought = brought:Brought
Broken = brought:NotThere

[partwise.navigation]
anywhere = brought:everywhere
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of an installed package."""
    (tmp_path / "brought.py").write_text(PACKAGE)
    info = tmp_path / "brought-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    return tmp_path


@pytest.fixture
def installed(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(package)
    monkeypatch.setattr(measures, "_REGISTERED", {})
    monkeypatch.setattr(plugins, "NAVIGATION_MODELS", {})
    yield
    sys.modules.pop("brought", None)


def test_a_package_provides_a_measure(installed: None) -> None:
    assert pw.evaluate(QRELS, RUN, "Brought TextR").mean() == {"run": {"Brought": 1.0, "TextR": 0.25}}


def test_a_package_provides_a_navigation_model(installed: None) -> None:
    means = pw.evaluate(QRELS, RUN, "NavR(nav=anywhere)").mean()
    assert means == {"run": {"NavR(ideals=passages,nav=anywhere)": 0.25}}


def test_a_measure_that_cannot_be_loaded(installed: None) -> None:
    line = r"^'Broken' of the package brought cannot be loaded \(module 'brought' has no attribute 'NotThere'\)$"
    with pytest.raises(pw.PartwiseError, match=line):
        pw.measure("Broken")


def test_names_of_packages_are_suggested(installed: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "Brougth"]) == 2
    assert "Brought" in capsys.readouterr().err


def test_entry_points_are_read_for_unknown_names_only() -> None:
    code = (
        "import sys, partwise as pw; pw.evaluate({'q': [('d', 0, 9)]}, {'q': [('d', 0, 9)]}, 'iAP TextR@5 MAgP');"
        "print('importlib.metadata' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"
