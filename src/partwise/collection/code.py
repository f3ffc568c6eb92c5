"""Source code: files whose ids are their paths. Python files have their classes and functions as elements.

A Python file is a ``module`` with ``class`` and ``function`` elements, nested as in the source. An element starts at
its first decorator, or at ``class``, ``def`` or ``async``, and ends with its last statement. Files of other languages
are a ``file`` without elements. The text is that of the file, unchanged.
"""

from __future__ import annotations

import ast
import warnings

from partwise.collection.document import Document, TreeBuilder
from partwise.collection.plain import Lines, decoded

PYTHON = (".py", ".pyi")
OTHERS = (
    *(".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".m", ".cs", ".go", ".rs", ".swift"),
    *(".java", ".kt", ".scala", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".vue"),
    *(".rb", ".php", ".pl", ".pm", ".lua", ".r", ".jl", ".sh", ".bash", ".ps1", ".sql"),
)
SUFFIXES = (*PYTHON, *OTHERS)
_BOM = "\ufeff"
_TAGS = {ast.ClassDef: "class", ast.FunctionDef: "function", ast.AsyncFunctionDef: "function"}
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""The fields of statements that have statements, in the order of the source."""


def parse(doc_id: str, source: bytes | str, name: str) -> Document:
    """A file without elements."""
    return _whole(doc_id, decoded(source, name), "file")


def parse_python(doc_id: str, source: bytes | str, name: str, unparsed: set[str] | None = None) -> Document:
    """A Python file; the id of one that does not parse, which has no elements, is added to `unparsed`."""
    text = decoded(source, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes in strings
            module = ast.parse(text.removeprefix(_BOM))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if unparsed is not None:
            unparsed.add(doc_id)
        return _whole(doc_id, text, "module")
    places = _Places(text)
    tree = TreeBuilder()
    tree.open("module", 0, len(text))
    stack: list[ast.AST | None] = [*reversed(module.body)]
    while stack:
        node = stack.pop()
        if node is None:
            tree.close()
            continue
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            tree.open(_TAGS[type(node)], places.start(node), places.end(node))
            stack.append(None)
        for block in reversed(_BLOCKS):
            stack.extend(reversed(getattr(node, block, ())))
    return tree.document(doc_id, text)


def _whole(doc_id: str, text: str, tag: str) -> Document:
    tree = TreeBuilder()
    tree.open(tag, 0, len(text))
    return tree.document(doc_id, text)


class _Places:
    """From the lines and columns of `ast`, which count UTF-8 bytes after a byte order mark, to characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = Lines(text).starts
        self.first = int(text.startswith(_BOM))

    def start(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        if not node.decorator_list:
            return self._at(node.lineno, node.col_offset)
        number = node.decorator_list[0].lineno  # of its expression; the sign begins this line or one above it
        while not self._line(number).lstrip().startswith("@"):
            number -= 1
        return self._line_start(number) + self._line(number).index("@")

    def end(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        return self._at(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _line_start(self, number: int) -> int:
        return self.starts[number - 1] + (self.first if number == 1 else 0)

    def _line(self, number: int) -> str:
        return self.text[self._line_start(number) : self.starts[number]]

    def _at(self, number: int, column: int) -> int:
        line = self._line(number)
        if not line.isascii():
            column = len(line.encode()[:column].decode())
        return self._line_start(number) + column
