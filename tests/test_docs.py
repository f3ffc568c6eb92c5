"""The commands, outputs and examples of the documentation are correct."""

from __future__ import annotations

import ast
import doctest
import json
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import partwise.api
import partwise.api.diagnosing
import partwise.api.evaluator
import partwise.api.files
import partwise.api.gates
import partwise.api.parts
import partwise.api.scoring
import partwise.demo_data
import partwise.measures.parts
import partwise.measures.reading
import partwise.measures.text
import partwise.navigation.text
import partwise.tokens
from partwise.measures import all_names
from partwise.presets import OFFICIAL
from support.paths import DATA, ROOT, TESTS, real_data

sys.path.insert(0, str(ROOT / "docs"))
import cells
import checking
import generate

WITH_COMMANDS = {path.name for path in checking.DOCUMENTS if "```console\n" in path.read_text()}
WITH_PYTHON = {path.name for path in checking.DOCUMENTS if "\n>>> " in path.read_text()}
NOTEBOOKS = [path for path in checking.DOCUMENTS if cells.is_notebook(path.read_text())]
WITH_DATA = [path for path in checking.DOCUMENTS if any(one.needs_data for one in checking.printed(path.read_text()))]


def file_name(path: Path) -> str:
    return path.name


def test_which_documents_have_examples() -> None:
    assert {"README.md", "start-ir.md", "rag.md", "navigation.md", "check.md"} <= WITH_COMMANDS
    assert {"README.md", "start-ir.md", "rag.md", "which-measure.md"} <= WITH_PYTHON
    assert {"rag.md", "structure.md", "studies.md", "diagnose.md"} <= set(map(file_name, WITH_DATA))
    assert {"guide-chunk-size.md", "guide-few-questions.md", "guide-overlap.md"} <= set(map(file_name, NOTEBOOKS))


@pytest.mark.parametrize("path", checking.DOCUMENTS, ids=file_name)
def test_figures_of_the_documents(path: Path) -> None:
    """Commands, Python examples and scripts print exactly what the document shows."""
    assert checking.check(path) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_DATA, ids=file_name)
def test_figures_from_real_collections(path: Path) -> None:
    """Scripts on the real collections print exactly what the document shows."""
    real_data("chunking")
    assert checking.check_printed(path.name, path.read_text(), DATA) == []


def test_a_figure_that_is_changed_is_detected() -> None:
    text = (ROOT / "README.md").read_text()
    [number] = re.findall(r"^sections .*?(\d\.\d{4})$", text, re.MULTILINE)
    changed = text.replace(number, f"{float(number) + 0.0001:.4f}")
    problems = checking.check_sessions("README.md", changed)
    assert problems[0].startswith("README.md: partwise evaluate ")
    assert any(line.startswith("+sections ") and number in line for line in problems)
    value = re.findall(r"'TextP@2': ([\d.]+)", text)[0]
    assert checking.check_python("README.md", text.replace(f"'TextP@2': {value}", "'TextP@2': 0.46"))
    page = (ROOT / "docs" / "navigation.md").read_text()
    assert checking.check_printed("navigation.md", page, None) == []
    problems = checking.check_printed(
        "navigation.md", page.replace("\nfar                  0.0000", "\nfar                  0.0001"), None
    )
    assert problems[0] == "navigation.md: python examples/near_misses.py: the output differs"
    assert any(line.startswith("-far                  0.0001") for line in problems)


def test_a_figure_of_a_notebook_that_is_changed_is_detected() -> None:
    name = "guide-few-questions.md"
    text = (ROOT / "docs" / name).read_text()
    assert checking.check_cells(name, text) == []
    problems = checking.check_cells(name, text.replace("chunks | 0.7164 ", "chunks | 0.7165 "))
    assert problems[0] == f"{name}: cell 1: the output differs"
    assert any(line.startswith("+a | chunks | 0.7164 ") for line in problems)
    problems = checking.check_cells(name, text.replace('"TextR@10"', '"TextR@5"'))
    assert problems[0] == f"{name}: cell 1: the output differs"
    [problem] = checking.check_cells(name, text.replace("differ by 0.0347;", "differ by 0.0348;"))
    assert problem.startswith(f"{name}: no cell shows 0.0348: The means differ by ")
    [problem] = checking.check_cells(name, text.replace(" 81 questions", " 84 questions"))
    assert problem.startswith(f"{name}: no cell shows 84: On the [same data](studies.md#")
    without = re.sub(r"\n<!-- shows:.*?-->\n", "", text, flags=re.DOTALL)
    assert len(checking.check_cells(name, without)) > len(cells.cells(text))
    assert cells.updated(without) == text


def test_numbers_of_prose() -> None:
    cell = "```{code-cell} python\nlen(range(1600))\n```\n\n<!-- shows:\n1600 in 0.1251\n-->\n"
    text = f"{cells.HEAD}---\n\n# 7 things\n\n1. Of 1,600 chunks `5@5` 5 or 0.1251, 0.125 and .25\n\n{cell}"
    assert [number for number, _ in cells.unfounded(text)] == ["0.125", ".25"]
    assert [number for number, _ in cells.unfounded(text.replace("1,600", "1,601"))] == ["1,601", "0.125", ".25"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=file_name)
def test_notebooks_for_jupyter(path: Path) -> None:
    """A notebook has the cells of its guide, which offers it, and nothing that only the site can show."""
    text = path.read_text()
    file = f"notebooks/{path.stem}.ipynb"
    assert f"This page is a notebook: [download it](path:generated/{file})" in text
    made = json.loads(cells.files()[file])["cells"]
    assert made[0]["source"].startswith("# ")
    code = [cell["source"] + "\n" for cell in made if cell["cell_type"] == "code"]
    assert code == [cell.code for cell in cells.cells(text)]
    assert text.count("{code-cell}") == len(cells.cells(text))
    prose = "\n".join(cell["source"] for cell in made if cell["cell_type"] == "markdown")
    assert not re.search(r"\]\((?!https:)|<!--|code-cell|mystnb", prose)


@pytest.mark.parametrize(
    "module",
    [
        partwise.api.diagnosing,
        partwise.api.evaluator,
        partwise.api.files,
        partwise.api.gates,
        partwise.api.parts,
        partwise.api.scoring,
        partwise.demo_data,
        partwise.measures.parts,
        partwise.measures.reading,
        partwise.tokens,
    ],
)
def test_docstrings(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_measure_is_in_the_changes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    for measure in all_names().values():
        assert re.search(rf"\b{measure.__name__}\b", text), measure


def test_every_measure_has_its_properties() -> None:
    text = (ROOT / "docs" / "which-measure.md").read_text().partition("\n## Properties\n")[2]
    table = text.partition("\nWhich measures suit")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {measure.__name__ for measure in all_names().values()} <= set(re.findall(r"\w+", " ".join(rows)))


def test_the_official_names_of_tasks_are_documented() -> None:
    text = (ROOT / "docs" / "which-measure.md").read_text()
    for names in OFFICIAL.values():
        for measure, official in names.items():
            assert f"| {official} | `{measure}` |" in text


def test_links_of_the_documents_are_valid() -> None:
    generated = generate.pages()
    followed = 0
    for path in checking.DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            exists = target.removeprefix("generated/") in generated or (path.parent / target).exists()
            assert exists, f"{path.name} links to {target}"
            followed += 1
    assert followed > 20


# ---- the examples of CONTRIBUTING.md --------------------------------------------------------------------------


def examples(section: str, language: str) -> list[str]:
    """The code blocks of a section of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def run_test(code: str, path: str, **names: Any) -> None:
    """Run a test function as if it were in the test file."""
    [name] = re.findall(r"^def (test_\w+)", code, re.MULTILINE)
    namespace = {**runpy.run_path(str(TESTS / path)), **names}
    exec(code, namespace)
    namespace[name]()


def test_the_measure_of_contributing() -> None:
    measure, test = examples("Adding a measure", "python")
    namespace = dict(vars(partwise.measures.text))
    exec(measure, namespace)
    partwise.measures.register_measure(namespace["TextSuccess"])
    run_test(test, "measures/test_by_hand.py")


def test_the_navigation_model_of_contributing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, test = examples("Adding a navigation model", "python")
    namespace = dict(vars(partwise.navigation.text))
    exec(model, namespace)
    monkeypatch.setitem(partwise.navigation.MODELS, "nearby", namespace["nearby"])
    run_test(test, "navigation/test_navigation.py")


@pytest.mark.slow
def test_the_kernel_of_contributing(tmp_path: Path) -> None:
    """The kernel and its binding compile without warnings, and the kernel passes its test."""
    nanobind = pytest.importorskip("nanobind")
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ not found: install it")
    header, kernel, binding = examples("Adding a kernel", "cpp")
    stub, test = examples("Adding a kernel", "python")
    (tmp_path / "longest.hpp").write_text(header)
    (tmp_path / "longest.cpp").write_text(kernel)
    (tmp_path / "binding.cpp").write_text(
        f'#include "longest.hpp"\n#include "module.hpp"\nusing namespace partwise;\n{binding}'
        'NB_MODULE(example, module) { module.def("longest_spans", &longest); }\n'
    )
    source = Path(nanobind.source_dir())
    flags = ["-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
    system = [nanobind.include_dir(), sysconfig.get_path("include"), source.parent / "ext" / "robin_map" / "include"]
    includes = [
        "-I",
        tmp_path,
        "-I",
        ROOT / "src" / "native",
        *(part for path in system for part in ("-isystem", path)),
    ]
    sources = [tmp_path / "longest.cpp", tmp_path / "binding.cpp", source / "nb_combined.cpp"]
    target = tmp_path / f"example{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run([compiler, *flags, *includes, *sources, "-o", target], check=True)
    spec = spec_from_file_location("example", target)
    assert spec is not None
    assert spec.loader is not None
    extension = module_from_spec(spec)
    spec.loader.exec_module(extension)
    [declared] = ast.parse(stub).body
    assert isinstance(declared, ast.FunctionDef)
    assert declared.name == "longest_spans"
    run_test(test, "kernels/test_spans.py", kernels=extension)
