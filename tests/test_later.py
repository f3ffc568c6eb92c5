"""The one table through which our own modules are loaded late."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import partwise
from partwise import later

PACKAGE = Path(partwise.__file__).parent


def imported_for_checkers() -> dict[str, str]:
    """What type checkers see in the table: each name and the module that it is."""
    tree = ast.parse((PACKAGE / "later.py").read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    found = {}
    for node in block.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("partwise"):
            for alias in node.names:
                found[str(alias.asname)] = f"{node.module}.{alias.name}".removeprefix("partwise.")
    return found


def test_checkers_and_the_interpreter_see_the_same_modules() -> None:
    assert imported_for_checkers() == later.MODULES


@pytest.mark.parametrize("name", sorted(later.MODULES))
def test_each_stands_for_its_module(name: str) -> None:
    module = import_module(f"partwise.{later.MODULES[name]}")
    public = next(key for key, value in vars(module).items() if not key.startswith("_") and value is not None)
    assert getattr(getattr(later, name), public) is getattr(module, public)


@pytest.mark.parametrize("name", sorted(later.NAMES))
def test_each_late_name_is_offered(name: str) -> None:
    assert getattr(partwise.api, name) is getattr(getattr(later, later.NAMES[name]), name)


def test_names_that_are_not_in_the_table() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        later.nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        later.api.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys; from partwise.later import api; print('numpy' in sys.modules); "
        "api.evaluate; print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\nTrue\n"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_function_imports_a_module_of_ours(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom):
                    assert not str(node.module).startswith("partwise"), f"{path}:{node.lineno}"
