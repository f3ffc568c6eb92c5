"""The layers of the package: which of them may import which. An import against this table is a design error."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import partwise
from partwise import later
from support.paths import ROOT, TESTS

PACKAGE = Path(partwise.__file__).parent
NATIVE = ROOT / "src" / "native"
FIRST_ROW = [
    "errors",
    "messages",
    "records",
    "settings",
    "files",
    "outputs",
    "parameters",
    "units",
    "options",
    "plugins",
    "tokens",
    "counting",
    "presets",
    "later",
    "types",
    "provenance",
]
"""The packages of the first row of the table in docs/architecture.md, which all others may import."""
EVERYWHERE = {*FIRST_ROW, "_version"}
MAY_IMPORT: dict[str, set[str]] = {
    "messages": set(),
    "errors": {"messages"},
    "records": set(),
    "settings": {"errors", "messages", "records"},
    "files": {"errors", "messages", "settings"},
    "outputs": {"errors", "files", "messages"},
    "parameters": {"errors", "messages", "records"},
    "units": {"errors", "messages", "parameters"},
    "options": {"errors", "messages", "parameters", "records", "types", "units"},
    "plugins": {"errors", "messages"},
    "tokens": {"errors", "messages", "plugins"},
    "counting": {"errors", "messages", "tokens"},
    "presets": set(),
    "later": {"*"},
    "types": {"collection", "measures", "model", "navigation", "tokens"},
    "provenance": {"errors", "files", "messages", "settings", "_version"},
    "_version": set(),
    "slices": set(),
    "showing": {"display", "report"},  # loaded when it is used
    "selection": {"measures"},
    "notes": set(),
    "scores": {"slices", "notes", "showing", "selection", "measures"},
    "score_files": {"scores"},
    "placement": set(),
    "model": {"scores", "placement", "showing", "selection"},
    "kernels": set(),
    "order": {"model", "kernels"},
    "formats": {"model", "placement", "kernels", "order"},
    "location": {"model", "placement"},
    "quotes": {"model", "formats", "location"},
    "collection": {"model", "kernels"},
    "relevance": {"model", "collection"},
    "navigation": {"model", "collection", "relevance", "kernels", "formats"},
    "resolving": {"model", "collection", "kernels", "order"},
    "conversion": {"model", "formats", "collection", "resolving"},
    "tables": {"model", "kernels", "collection", "relevance", "navigation", "resolving"},
    "reference": set(),
    "measures": {"tables", "model", "navigation", "reference"},
    "requirements": {"model", "resolving", "tables", "measures"},
    "outcomes": {"model"},
    "evaluation": {
        "requirements",
        "outcomes",
        "model",
        "kernels",
        "formats",
        "collection",
        "relevance",
        "navigation",
        "resolving",
        "tables",
        "measures",
        "scores",
        "notes",
    },
    "checks": {"model", "placement", "quotes", "kernels", "order", "formats", "collection", "relevance", "resolving"},
    "engines": {"evaluation", "outcomes", "model", "formats", "measures", "collection", "relevance"},
    "explanation": {"evaluation", "model", "navigation", "resolving", "tables"},
    "evaluators": {"evaluation", "model", "scores"},
    "study": {
        "evaluators",
        "evaluation",
        "measures",
        "collection",
        "model",
        "kernels",
        "resolving",
        "showing",
        "selection",
    },
    "display": {"scores", "model", "formats", "measures", "study"},
    "diagnosis": {
        "study",
        "evaluation",
        "measures",
        "model",
        "placement",
        "kernels",
        "resolving",
        "tables",
        "notes",
        "showing",
    },
    "listing": {"evaluation", "resolving", "tables", "model"},
    "report": {
        "tables",
        "resolving",
        "kernels",
        "listing",
        "study",
        "diagnosis",
        "explanation",
        "evaluation",
        "measures",
        "collection",
        "model",
        "placement",
        "scores",
    },
    "adapters": {
        "evaluation",
        "requirements",
        "model",
        "placement",
        "formats",
        "collection",
        "location",
        "quotes",
        "measures",
    },
    "api": {"*"},
    "cli": {"api", "slices", "scores", "score_files", "display"},
    "__init__": {"*"},
    "__main__": {"cli"},
    "pytest_plugin": {"api", "study"},
    "demo_data": {"collection"},
}
HEAVY = {
    "rapidfuzz",
    "pyarrow",
    "pandas",
    "polars",
    "pyspark",
    "py4j",
    "scipy",
    "rich",
    "ir_measures",
    "lxml",
    "markdown_it",
    "altair",
    "vl_convert",
    "tokenizers",
    "tiktoken",
    "gzip",
    "bz2",
    "lzma",
    "csv",
}

MOST_LINES = 500


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, top_only: bool) -> list[str]:
    """The names that a module imports anywhere, or only those that it imports at the top level."""
    tree = ast.parse(path.read_text())
    nodes = list(tree.body) if top_only else list(ast.walk(tree))
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} has a relative import"
            module = str(node.module)
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return names


def packages_imported(path: Path) -> set[str]:
    packages = {package_of(other) for other in modules()} | set(MAY_IMPORT)
    names = [name for name in imports(path, top_only=False) if name.startswith("partwise.")]
    late = [name.removeprefix("partwise.later.") for name in names if name.startswith("partwise.later.")]
    for node in ast.walk(ast.parse(path.read_text())):  # later.gain.check_scale imports tables.gain
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "later":
            late.append(node.attr)
    names += [f"partwise.{later.MODULES[name]}" for name in late if name in later.MODULES]
    return {parts[1] for parts in (name.split(".") for name in names) if parts[1] in packages}


def test_imports_inside_functions_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("import partwise.api\ndef f():\n    from partwise import cli\n    import lxml.etree\n")
    assert packages_imported(path) == {"api", "cli"}
    assert imports(path, top_only=True) == ["partwise.api"]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_packages_import_only_what_they_may(path: Path) -> None:
    package = package_of(path)
    assert package in MAY_IMPORT, f"{package} is a new package: enter it here and in docs/architecture.md"
    if "*" not in MAY_IMPORT[package]:
        allowed = MAY_IMPORT[package] | {package} | (set() if package in EVERYWHERE else EVERYWHERE)
        assert packages_imported(path) <= allowed


def documented_layers() -> list[tuple[list[str], set[str]]]:
    """The rows of the table in docs/architecture.md: the packages, and those they may import ("*" for everything)."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    header = "| package | contents | may import |\n|---|---|---|\n"
    rows = [line.strip("|").split("|") for line in text.partition(header)[2].partition("\n\n")[0].splitlines()]
    return [
        (re.findall(r"`(\w+)`", packages), {"*"} if may.strip() == "everything" else set(re.findall(r"`(\w+)`", may)))
        for packages, _, may in rows
    ]


def test_the_layers_are_documented() -> None:
    (first_row, _), *others = documented_layers()
    assert first_row == FIRST_ROW
    not_layers = {*EVERYWHERE, "__init__", "__main__"}
    expected = {package: may for package, may in MAY_IMPORT.items() if package not in not_layers}
    assert {package: may for [package], may in others} == expected


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    own = {path.stem} if package_of(path) == "adapters" else set()  # users of an adapter have its package
    assert not {name.split(".")[0] for name in imports(path, top_only=True)} & (HEAVY - own)


def test_no_assert_in_the_package() -> None:
    """User errors are never asserts."""
    for path in modules():
        assert not [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Assert)], path


def test_source_files_have_at_most_500_lines() -> None:
    native = [path for path in NATIVE.iterdir() if path.suffix in (".cpp", ".hpp")]
    assert NATIVE / "module.cpp" in native
    lengths = {str(path): len(path.read_text().splitlines()) for path in [*modules(), *native]}
    assert not {name: length for name, length in lengths.items() if length > MOST_LINES}


@pytest.mark.parametrize(
    "name",
    [
        "api",
        "options",
        "evaluation",
        "order",
        "resolving",
        "resolving.judgements",
        "resolving.locating",
        "tables.gain",
        "tables.targets",
        "tables.links",
        "measures",
        "collection",
        "formats",
        "formats.scores",
        "study",
        "report.charts",
        "explanation",
        "listing",
        "cli",
        "checks",
        "adapters.ir_measures",
        "location",
        "adapters.placing",
        "adapters.chroma",
        "adapters.openinference",
        "adapters.ragas",
    ],
)
def test_every_package_can_be_imported_first(name: str) -> None:
    subprocess.run([sys.executable, "-c", f"import partwise.{name}"], check=True)


ABOUT_THE_PROJECT = {"attack", "docs", "examples", "install", "layout", "mistakes", "patterns", "site"}
"""Test files at the top level that are not about one module."""


def test_folders_of_tests_are_named_after_packages() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    packages = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("__init__.py")}
    assert {".", "kernels", "measures"} <= folders
    assert folders <= packages


def test_test_files_at_the_top_level_are_named_after_modules() -> None:
    top_modules = {path.stem for path in PACKAGE.glob("*.py")}
    tested = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert {"layout", "conversion"} <= tested
    assert tested <= top_modules | ABOUT_THE_PROJECT
