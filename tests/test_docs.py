"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import glob
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

import partwise.api
import partwise.demo_data
from conftest import ROOT
from partwise.cli import main
from partwise.measures import BY_NAME

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_python_of_the_readme() -> None:
    assert blocks("python")
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


def test_commands_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(partwise.api.demo().write(tmp_path / "demo").folder)
    commands = [block.partition("\n") for block in blocks("console")]
    assert commands
    for command, _, output in commands:
        assert command.startswith("$ partwise ")
        words = [sorted(glob.glob(word)) if "*" in word else [word] for word in shlex.split(command)[2:]]
        assert main([word for expanded in words for word in expanded]) == 0
        assert capsys.readouterr().out == output


@pytest.mark.parametrize("module", [partwise.api, partwise.demo_data])
def test_docstrings(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_every_measure_is_in_the_changes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    for measure in BY_NAME.values():
        assert re.search(rf"\b{measure.__name__}\b", text), measure


def test_links_of_the_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
