"""A kernel is declared once, in the stub: the extension defines and `partwise.kernels` exports the same names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from partwise import kernels
from partwise.kernels import _native

STUB = Path(kernels.__file__).parent / "_native.pyi"
DECLARED = {
    node.name: node for node in ast.parse(STUB.read_text()).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
}
KERNELS = {name: node for name, node in DECLARED.items() if not name.startswith("_")}


def parameters(node: ast.FunctionDef) -> int:
    return len(node.args.posonlyargs) + len(node.args.args)


def test_the_stub_declares_what_the_extension_has() -> None:
    assert {name for name in dir(_native) if not name.startswith("__")} == set(DECLARED)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_exported_and_documented(name: str) -> None:
    node = KERNELS[name]
    kernel = getattr(_native, name)
    assert getattr(kernels, name) is kernel
    assert ast.get_docstring(node)
    if isinstance(node, ast.ClassDef):
        return
    [(signature, *_)] = kernel.__nb_signature__
    plain = re.sub(r"ndarray\[[^]]*\]", "ndarray", signature).replace("\\0", "...")  # \0 is a default
    [bound] = ast.parse(f"{plain}: ...").body
    assert isinstance(bound, ast.FunctionDef)
    assert parameters(bound) == parameters(node)


def test_no_other_file_of_the_package_lists_kernels() -> None:
    """Apart from calls and documentation: a quoted name is an entry of a list."""
    package = STUB.parent.parent
    listed = [
        (path.name, node.value)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in KERNELS
    ]
    assert not [entry for entry in listed if entry[1] != "content"]  # also an ordinary word
