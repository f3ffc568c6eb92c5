"""Errors that our code catches with ``except Exception``: expected ones of libraries, or hidden faults of ours.

The handlers are found in the syntax trees of the modules and report what they catch; `install` must run before
partwise is imported.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import CodeType, ModuleType
from typing import Any

REPORT = "__attack_caught__"
BROAD = ("Exception", "BaseException")
OURS = (
    AttributeError, TypeError, NameError, LookupError, AssertionError, ArithmeticError, RecursionError,
    NotImplementedError, MemoryError,
)  # fmt: skip
"""Types of errors that are faults of the code that raises them, whoever catches them."""

_reported: list[BaseException] = []


def is_broad(handler: ast.ExceptHandler) -> bool:
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return handler.type is None or any(isinstance(name, ast.Name) and name.id in BROAD for name in names)


def broad_handlers(tree: ast.AST) -> list[ast.ExceptHandler]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and is_broad(node)]


def reporting(source: str | bytes, path: str) -> CodeType:
    """The module, with a report at the start of each broad handler."""
    tree = ast.parse(source, path)
    for handler in broad_handlers(tree):
        handler.body.insert(0, ast.parse(f"__import__('sys').{REPORT}()").body[0])
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        return reporting(self.get_data(path), path)


class _Finder(MetaPathFinder):
    """Loads the modules of partwise that have broad handlers, as `importlib` finds them."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if not fullname.startswith("partwise."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return None
        with open(spec.origin, "rb") as file:
            source = file.read()
        if b"except Exception" not in source and b"except BaseException" not in source:
            return None
        spec.loader = _Loader(fullname, spec.origin)
        return spec


def install() -> None:
    """Report what broad handlers catch, in every module that is imported from now on."""

    def caught() -> None:
        error = sys.exc_info()[1]
        if isinstance(error, OURS):
            _reported.append(error)

    setattr(sys, REPORT, caught)
    sys.meta_path.insert(0, _Finder())


class Caught:
    """The errors that were reported since the last `forget`."""

    def forget(self) -> None:
        _reported.clear()

    def errors(self) -> list[tuple[BaseException, str]]:
        """Those that were raised by our code rather than by a library, with their places."""
        of_ours = []
        for error in _reported:
            frames = error.__traceback__
            while frames is not None and frames.tb_next is not None:
                frames = frames.tb_next
            name = frames.tb_frame.f_code.co_filename if frames is not None else ""
            if f"{os.sep}partwise{os.sep}" in name and frames is not None:
                place = f"{name.rpartition('partwise' + os.sep)[2]}:{frames.tb_frame.f_code.co_name}"
                of_ours.append((error, place))
        return of_ours
