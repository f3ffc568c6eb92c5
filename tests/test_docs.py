"""The commands, outputs and examples of the documentation are correct."""

from __future__ import annotations

import ast
import doctest
import glob
import re
import runpy
import shlex
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
from partwise.cli import main
from partwise.measures import all_names
from partwise.presets import OFFICIAL
from support.paths import ROOT, TESTS

sys.path.insert(0, str(ROOT / "docs"))
import generate

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = {"peers.md", "studies.md"}  # need PyTerrier, or the laboratory's runs: tested with these
WITH_COMMANDS = [path for path in DOCUMENTS if "```console\n" in path.read_text() and path.name not in ELSEWHERE]
WITH_PYTHON = [path for path in DOCUMENTS if "\n>>> " in path.read_text() and path.name not in ELSEWHERE]
EXIT_CODES = {
    "partwise check qrels.jsonl runs/overlapping.run --task focused -f table": 1,
    "partwise locate chunks.jsonl --corpus texts/ -o run.jsonl": 1,
    "partwise evaluate qrels.jsonl runs/chunks.run -m iAPP": 2,
    "partwise compare before.tsv after.tsv": 2,
    'partwise evaluate gold.jsonl agent.jsonl -m "TextR TextP"': 2,
    'partwise gate main.parquet branch.parquet --max-drop "TextR@5=0.01" --floor "PartHit@5=0.8" '
    '--no-loss "TextR@5=0.05" -f table': 1,
    "partwise gate main.parquet branch.parquet --queries about.csv --by about -f table": 1,
}
"""The exit codes of commands in the documents that do not end with 0."""


def file_name(path: Path) -> str:
    return path.name


def test_which_documents_have_examples() -> None:
    assert {"README.md", "start-ir.md", "rag.md", "navigation.md", "check.md"} <= {path.name for path in WITH_COMMANDS}
    assert {"README.md", "start-ir.md", "rag.md", "which-measure.md"} <= {path.name for path in WITH_PYTHON}


@pytest.fixture
def in_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(partwise.api.demo().write(tmp_path / "demo").folder)


@pytest.mark.usefixtures("in_the_demo")
@pytest.mark.parametrize("path", WITH_PYTHON, ids=file_name)
def test_python_of_the_documents(path: Path) -> None:
    results = doctest.testfile(str(path), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.usefixtures("in_the_demo")
@pytest.mark.parametrize("path", WITH_COMMANDS, ids=file_name)
def test_commands_of_the_documents(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands run one after another in the demo's folder and print exactly what the document shows.

    A command that fails prints its error line, which goes to standard error; notes, which do so too, are shown before
    the output or left out.
    """
    commands = 0
    for block in re.findall(r"```console\n(.*?)```", path.read_text(), re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            words = shlex.split(command)
            if words[0] == "cat":  # a file that later commands read
                Path(words[1]).parent.mkdir(exist_ok=True)
                Path(words[1]).write_text(output)
                continue
            assert words[0] == "partwise"
            expanded = [sorted(glob.glob(word)) if "*" in word else [word] for word in words[1:]]
            code = main([word for matches in expanded for word in matches])
            printed = capsys.readouterr()
            notes = printed.err if output.startswith("note: ") else ""
            assert (notes + printed.out if code == 0 or notes else printed.out + printed.err) == output
            assert code == EXIT_CODES.get(command, 0)
            commands += 1
    assert commands > 0


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
    for path in DOCUMENTS:
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
