"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import glob
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

import partwise.api
import partwise.api.evaluator
import partwise.api.files
import partwise.api.parts
import partwise.api.scoring
import partwise.demo_data
from partwise.cli import main
from partwise.measures import all_names
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import generate

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = {"peers.md", "studies.md"}  # need PyTerrier, or the laboratory's runs: tests of their own hold them
WITH_COMMANDS = [path for path in DOCUMENTS if "```console\n" in path.read_text() and path.name not in ELSEWHERE]
WITH_PYTHON = [path for path in DOCUMENTS if "\n>>> " in path.read_text() and path.name not in ELSEWHERE]


def named(path: Path) -> str:
    return path.name


def test_the_readme_has_both() -> None:
    assert DOCUMENTS[0] in WITH_COMMANDS
    assert DOCUMENTS[0] in WITH_PYTHON


@pytest.fixture
def in_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(partwise.api.demo().write(tmp_path / "demo").folder)


@pytest.mark.usefixtures("in_the_demo")
@pytest.mark.parametrize("path", WITH_PYTHON, ids=named)
def test_python_of_the_documents(path: Path) -> None:
    assert doctest.testfile(str(path), module_relative=False).failed == 0


@pytest.mark.usefixtures("in_the_demo")
@pytest.mark.parametrize("path", WITH_COMMANDS, ids=named)
def test_commands_of_the_documents(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands run one after another in the demo's folder; what they print is shown whole."""
    for block in re.findall(r"```console\n(.*?)```", path.read_text(), re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            words = shlex.split(command)
            if words[0] == "cat":  # shows a file, which is then there
                Path(words[1]).parent.mkdir(exist_ok=True)
                Path(words[1]).write_text(output)
                continue
            assert words[0] == "partwise"
            expanded = [sorted(glob.glob(word)) if "*" in word else [word] for word in words[1:]]
            code = main([word for found in expanded for word in found])
            printed = capsys.readouterr()
            assert (code, printed.out) == (0, output) or (code in (1, 2) and printed.out + printed.err == output)


@pytest.mark.parametrize(
    "module",
    [partwise.api.evaluator, partwise.api.files, partwise.api.parts, partwise.api.scoring, partwise.demo_data],
)
def test_docstrings(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_every_measure_is_in_the_changes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    for measure in all_names().values():
        assert re.search(rf"\b{measure.__name__}\b", text), measure


def test_links_of_the_documents_lead_somewhere() -> None:
    made = generate.pages()
    followed = 0
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            there = target.removeprefix("generated/") in made or (path.parent / target).exists()
            assert there, f"{path.name} links to {target}"
            followed += 1
    assert followed > 20
