"""Guides that are notebooks: Markdown with code cells, which MyST-NB executes when the site is built.

Such a guide begins with ``file_format: mystnb``. Outputs are not kept as JSON: the comment ``<!-- shows: ... -->``
after a cell is its output as text, so that a figure that changes is seen and reviewed. Here the cells are run, without
Jupyter, and their outputs are compared with the comments. A number in the prose must be one that a cell shows, with all
its digits (a rounded one could be many), or one of a section that the paragraph links to; whole numbers may also be
those of the code.
"""

from __future__ import annotations

import ast
import html
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

RULES = re.DOTALL | re.MULTILINE
HERE = Path(__file__).resolve().parent
HEAD = "---\nfile_format: mystnb\n"
CELL = re.compile(
    r"^```\{code-cell\} python\n(?:---\n.*?^---\n)?(?P<code>.*?)^```\n(?:\n<!-- shows:\n(?P<shows>.*?)\n-->\n)?",
    RULES,
)
NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+)(?!\w)")
CODE_SPAN = re.compile(r"`[^`]+`")
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#]*)#?([^)]*)\)")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Cell(NamedTuple):
    """A code cell of a guide, what the guide says it shows, and the text of both in the guide."""

    code: str
    shows: str
    source: str


def is_notebook(text: str) -> bool:
    return text.startswith(HEAD)


def cells(text: str) -> list[Cell]:
    return [Cell(match["code"], match["shows"] or "", match[0]) for match in CELL.finditer(text)]


def text_of(value: Any) -> str:
    """What a notebook shows of the value of a cell, as text: of a table, a line per row."""
    if value is None:
        return ""
    if type(value).__module__.startswith("altair."):
        return "a chart"
    if not hasattr(value, "_repr_html_"):
        return repr(value)
    rows = re.sub(r"<style[^>]*>.*?</style>", "", value._repr_html_(), flags=re.DOTALL)
    rows = re.sub(r"</t[hd]>\s*(?=<t[hd])", " | ", rows.replace("<br>", " "))
    lines = html.unescape(re.sub(r"<[^>]+>", "", rows)).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


@contextmanager
def _elsewhere() -> Iterator[None]:
    """In an empty folder, as when the site is built."""
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run_cells(text: str) -> Iterator[tuple[Cell, str]]:
    """Every cell with what it shows when it is run."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with _elsewhere():
        for cell in cells(text):
            body = ast.parse(cell.code).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            with redirect_stdout(io.StringIO()) as printed:
                exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
            yield cell, "\n".join(filter(None, [printed.getvalue().rstrip("\n"), text_of(value)]))


def numbers(text: str) -> set[float]:
    return {float(number.replace(",", "")) for number in NUMBER.findall(text)}


def paragraphs(text: str) -> list[str]:
    """The prose of a guide, without headings, blocks and the numbers of lists."""
    prose = re.sub(r"\A---\n.*?^---\n|^```.*?^```\n|<!--.*?-->", "", text, flags=RULES)
    prose = re.sub(r"^(#.*|\s*\d+\. )", "", prose, flags=re.MULTILINE)
    return [paragraph.strip() for paragraph in re.split(r"\n\s*\n", prose) if paragraph.strip()]


def section(file: str, anchor: str) -> str:
    """What a link leads to: the text from a heading to the next, or without an anchor all of it."""
    path = HERE / file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for match in re.finditer(r"^#+ (.*)$", text, re.MULTILINE):
        if anchor == re.sub(r"[^\w-]", "", match[1].lower().replace(" ", "-")):
            return re.split(r"^#+ ", text[match.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    return "" if anchor else text


def unfounded(text: str) -> Iterator[tuple[str, str]]:
    """Numbers in the prose that come from nowhere, each with its paragraph."""
    shown = numbers("\n".join(cell.shows for cell in cells(text)))
    code = numbers("\n".join(cell.code for cell in cells(text))) | {0.0, 1.0}  # and the ends of the scale
    for paragraph in paragraphs(text):
        cited = numbers("\n".join(section(file, anchor) for _, file, anchor in LINK.findall(paragraph)))
        spans = numbers(" ".join(CODE_SPAN.findall(paragraph)))
        for number in NUMBER.findall(LINK.sub(r"\1", CODE_SPAN.sub("", paragraph))):
            value = float(number.replace(",", ""))
            if value not in (shown | cited if "." in number else shown | cited | code | spans):
                yield number, " ".join(paragraph.split())


def updated(text: str) -> str:
    """A guide with what its cells show now."""
    for cell, shown in list(run_cells(text)):
        fence = cell.source[: cell.source.index("\n```\n") + len("\n```\n")]
        text = text.replace(cell.source, fence + (f"\n<!-- shows:\n{shown}\n-->\n" if shown else ""), 1)
    return text


def _plain(prose: str) -> str:
    """Prose outside of the site: no comments, no offer of the notebook, and of links to other pages their text."""
    return LINK.sub(r"\1", re.sub(r"<!--.*?-->|^This page is a notebook: .*?\n\n", "", prose, flags=RULES)).strip()


def ipynb(text: str) -> str:
    """A guide as a file for Jupyter, without outputs."""
    made: list[dict[str, Any]] = []

    def add(kind: str, source: str, **further: Any) -> None:
        if source:
            made.append({"id": f"cell-{len(made) + 1}", "cell_type": kind, "metadata": {}, "source": source, **further})

    at = text.index("\n---\n", len(HEAD) - 1) + len("\n---\n")
    for match in CELL.finditer(text):
        add("markdown", _plain(text[at : match.start()]))
        add("code", match["code"].rstrip("\n"), execution_count=None, outputs=[])
        at = match.end()
    add("markdown", _plain(text[at:]))
    content = {"cells": made, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """Every guide that is a notebook as a file for Jupyter, by its path below ``generated``."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.md"))}
    return {f"notebooks/{name}.ipynb": ipynb(text) for name, text in texts.items() if is_notebook(text)}
