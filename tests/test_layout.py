"""The rooms of the house: who may import whom. An import against this table is a design error."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import partwise

PACKAGE = Path(partwise.__file__).parent
EVERYWHERE = {"errors", "messages", "files", "parameters", "options", "plugins", "presets", "_version"}
READS = {"model", "kernels", "collection", "relevance", "navigation", "resolving", "tables"}
MAY_IMPORT: dict[str, set[str]] = {
    "messages": set(),
    "errors": {"messages"},
    "files": {"errors"},
    "parameters": {"errors", "messages"},
    "options": {"errors", "parameters"},
    "plugins": {"errors"},
    "presets": set(),
    "_version": set(),
    "scores": set(),
    "model": {"scores"},
    "kernels": set(),
    "order": {"model", "kernels"},
    "formats": {"model", "kernels", "order"},
    "location": {"model"},
    "collection": {"model"},
    "relevance": {"model", "collection"},
    "navigation": {"model", "collection", "relevance", "kernels", "formats"},
    "resolving": {"model", "collection", "kernels", "order"},
    "conversion": {"model", "formats", "collection", "resolving"},
    "tables": READS,
    "measures": {"tables", "model", "navigation"},
    "evaluation": {
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
    },
    "checks": {"model", "kernels", "order", "formats", "collection", "relevance", "resolving"},
    "engines": {"evaluation", "model", "formats", "measures", "collection", "relevance"},
    "explanation": {"evaluation", "model", "navigation", "resolving", "tables"},
    "study": {"evaluation", "measures", "collection", "model"},
    "listing": {"evaluation", "resolving", "tables", "model"},
    "report": {"listing", "study", "explanation", "evaluation", "measures", "collection", "model"},
    "adapters": {"evaluation", "model", "formats", "collection", "location", "measures"},
    "api": {"*"},
    "cli": {"api", "scores", "kernels"},  # kernels for how memory is kept
    "__init__": {"*"},
    "__main__": {"cli"},
    "demo_data": {"collection"},
}
HEAVY = {
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
    "jinja2",
    "gzip",
    "bz2",
    "lzma",
    "csv",
}

STILL_TO_BE_SPLIT: set[str] = set()


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, top_only: bool) -> list[str]:
    """What a module imports: all of it, or what it imports as soon as it is loaded."""
    tree = ast.parse(path.read_text())
    nodes: list[ast.AST] = list(ast.walk(tree))
    if top_only:
        nodes = list(tree.body)
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def rooms_imported(path: Path) -> set[str]:
    known = {room(other) for other in modules()} | set(MAY_IMPORT)
    names = [name.split(".") for name in imports(path, top_only=False) if name.startswith("partwise.")]
    return {parts[1] for parts in names if parts[1] in known}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_what_they_may(path: Path) -> None:
    here = room(path)
    assert here in MAY_IMPORT, f"{here} is a new room: enter it here and in docs/architecture.md"
    allowed = MAY_IMPORT[here] | {here} | (set() if here in EVERYWHERE else EVERYWHERE)
    if "*" not in allowed:
        assert rooms_imported(path) <= allowed


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    own = {path.stem} if room(path) == "adapters" else set()  # who loads an adapter has its package
    assert not {name.split(".")[0] for name in imports(path, top_only=True)} & (HEAVY - own)


def test_no_assert_in_the_package() -> None:
    """User errors are never asserts."""
    for path in modules():
        assert not [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Assert)], path


def test_modules_have_at_most_500_lines() -> None:
    lengths = {path.relative_to(PACKAGE).as_posix(): len(path.read_text().splitlines()) for path in modules()}
    assert {name for name, length in lengths.items() if length > 500} <= STILL_TO_BE_SPLIT


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
    ],
)
def test_every_room_can_be_entered_first(name: str) -> None:
    subprocess.run([sys.executable, "-c", f"import partwise.{name}"], check=True)


TESTS = Path(__file__).parent
ABOUT_THE_PROJECT = {"docs", "install", "layout", "site"}
"""Test files at the top that are not about one module."""


def test_folders_of_tests_are_named_after_packages() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    packages = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("__init__.py")}
    assert {".", "kernels", "measures"} <= folders
    assert folders <= packages


def test_test_files_at_the_top_are_named_after_modules() -> None:
    modules_at_the_top = {path.stem for path in PACKAGE.glob("*.py")}
    named = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert {"layout", "conversion"} <= named
    assert named <= modules_at_the_top | ABOUT_THE_PROJECT
