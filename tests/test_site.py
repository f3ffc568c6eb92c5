"""The documentation as a web site: every measure and command is documented, and every link is valid."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import partwise.measures.parts
import partwise.measures.reading
from partwise import api, messages, reference
from partwise.cli import COMMANDS
from partwise.measures import all_names
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import cells
import generate
import links
import measure_pages


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return generate.pages()


def test_every_measure_has_a_page(pages: dict[str, str]) -> None:
    for kind in set(all_names().values()):
        page = pages[f"measures/{kind.__name__}.md"]
        assert f"# {kind.__name__}\n\n`{kind.signature()}`" in page
        assert all(f"| `{'@' * param.at}{param.name}` |" in page for param in kind.params.values())
        assert f"(measures/{kind.__name__}.md)" in pages["measures.md"]


def test_every_command_is_documented(pages: dict[str, str]) -> None:
    assert "evaluate" in COMMANDS
    for command in COMMANDS:
        assert f"## partwise {command}" in pages["commands.md"]


def test_every_public_name_is_documented(pages: dict[str, str]) -> None:
    assert all(f"## {name}\n" in pages["python.md"] for name in api.__all__)
    modules = {path.stem for path in (ROOT / "src" / "partwise" / "adapters").glob("*.py")}
    internal = {"__init__", "chunks", "dataset", "placing", "records"}
    assert modules - internal == {name for name in modules if f"## {name}\n" in pages["adapters.md"]}


def test_every_value_of_a_parameter_has_a_page(pages: dict[str, str]) -> None:
    for file in reference.KINDS:
        for entry in reference.entries(file).values():
            path = f"{measure_pages.folder(entry)}/{entry.name}.md"
            assert f"# {entry.name}\n\nA {entry.kind}: a value of `{entry.parameter}`." in pages[path]
            assert f"({path})" in pages["values.md"]


def test_every_message_is_listed(pages: dict[str, str]) -> None:
    rows = [line for line in pages["errors.md"].splitlines() if line.startswith("| `")]
    codes = [message.code for _, _, message in messages.catalogue()]
    assert sorted(row.split("`")[1] for row in rows) == sorted(codes)
    [row] = [row for row in rows if "`G15`" in row]
    assert row == "| `G15` | has no rules | write them into the table \\[*table*\\] |"


def test_pages_of_measures_have_formula_picture_number_and_paper(pages: dict[str, str]) -> None:
    drawn = measure_pages.drawings()
    for name, page in pages.items():
        if not name.startswith("measures/"):
            continue
        assert "\n```{math}\n" in page
        [picture] = re.findall(r"\]\(\.\./(pictures/.*\.svg)\)", page)
        assert "<svg " in drawn[picture]
        assert re.search(r"\n## A worked example\n(.*\n)+?```text\n.+ = .+\n(= -?[\d.]+\n)?```\n", page), name
        assert re.search(r"\n## Paper\n\n- .+", page)


def test_the_picture_of_the_readme_is_that_of_the_example() -> None:
    drawn = measure_pages.drawings()["pictures/handbook.svg"]
    assert (ROOT / "docs" / "images" / "what-counts.svg").read_text() == drawn


def test_python_of_generated_pages(pages: dict[str, str]) -> None:
    """The examples print what the pages show."""
    runner = doctest.DocTestRunner(verbose=False)
    for name, page in pages.items():
        if name != "python.md":
            for number, block in enumerate(re.findall(r"```python\n(>>> .*?)```", page, re.DOTALL)):
                runner.run(doctest.DocTestParser().get_doctest(block, {}, f"{name} {number}", name, 0))
    assert runner.tries > 200
    assert runner.failures == 0


@pytest.mark.parametrize("module", [partwise.measures.parts, partwise.measures.reading])
def test_measures_of_parts_have_a_worked_example(module: ModuleType, pages: dict[str, str]) -> None:
    names = [kind.__name__ for kind in set(all_names().values()) if kind.__module__ == module.__name__]
    assert len(names) >= 5
    for name in names:
        assert re.search(
            r"\n```python\n>>> import partwise as pw\n(.+\n)+\{'.+\}\n```\n", pages[f"measures/{name}.md"]
        ), name


def test_formulas_survive_markdown() -> None:
    assert measure_pages.escaped("sum of s*size*(1-o), `x*y` and a_b") == r"sum of s\*size\*(1-o), `x*y` and a\_b"


def test_broken_links_are_detected(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="here"><a href="http://example.org/">4</a><a href="#here">5</a>')
    assert sorted(links.broken(tmp_path)) == ["a.html: b.html#gone", "a.html: c.html", "b.html: http://example.org/"]


@pytest.mark.slow
def test_the_site_builds_and_its_links_are_valid(tmp_path: Path) -> None:
    if find_spec("myst_nb") is None or not (ROOT / ".venv" / "npm" / "node_modules" / "mathjax").is_dir():
        pytest.skip("Sphinx, MyST-NB or MathJax is not installed: make test-all installs them")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "trees")]
    subprocess.run([*command, str(ROOT / "docs"), str(tmp_path / "site")], check=True)
    assert (tmp_path / "site" / "generated" / "measures" / "iP.html").is_file()
    assert list(links.broken(tmp_path / "site")) == []
    for guide in (ROOT / "docs").glob("guide-*.md"):
        if cells.is_notebook(guide.read_text()):
            page = (tmp_path / "site" / f"{guide.stem}.html").read_text()
            check_executed(re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL), guide.read_text())
    assert len(list((tmp_path / "site").glob("_downloads/*/guide-*.ipynb"))) == len(cells.files()) >= 3


def check_executed(page: str, text: str) -> None:
    """The page of a notebook shows the figures and charts of its cells, and loads nothing from the network."""
    shown = [cell.shows for cell in cells.cells(text)]
    assert cells.numbers(" ".join(shown)) <= cells.numbers(re.sub(r"<[^>]+>", " ", page))
    assert len(re.findall(r'<img alt="[A-Z][^"]+" src="_images/\w+\.svg"', page)) == shown.count("a chart")
    assert not re.search(r'(src|<link[^>]* href)="https?:|cdn\.', page)
