"""The pages that are made of the code: measures, commands, the Python interface."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import shutil
from pathlib import Path

from partwise import api
from partwise.cli import parser
from partwise.measures import documents, families
from partwise.measures.base import Measure
from partwise.parameters import Param, format_value

MADE = "<!-- made from the code -->\n\n"


def escaped(text: str) -> str:
    """Prose in which formulas stay as they are; text in backticks is left alone."""
    parts = re.split(r"(``?[^`]+``?)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*_<>|\[\]\\])", r"\\\1", p) for p in parts)


def described(docstring: str) -> str:
    """A docstring as Markdown: examples become blocks of code, everything else is prose."""
    blocks = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(f"```python\n{b}\n```" if b.startswith(">>> ") else escaped(b) for b in blocks)


def _told(param: Param[object]) -> str:
    if param.required:
        return "required"
    return "" if param.default is None else f"`{format_value(param.default)}`"


def measure_page(kind: type[Measure]) -> str:
    """The page of one measure: what it means, its formula, its parameters, its paper."""
    lines = [f"# {kind.__name__}", "", f"`{kind.signature()}`", "", described(kind.__doc__ or ""), ""]
    if kind.params:
        lines += ["| parameter | value | default | meaning |", "|---|---|---|---|"]
        for param in kind.params.values():
            name = f"@{param.name}" if param.at else param.name
            lines.append(f"| `{name}` | {escaped(param.expected())} | {_told(param)} | {escaped(param.help)} |")
        lines.append("")
    if kind.aliases:
        lines += [f"Also called {', '.join(f'`{name}`' for name in kind.aliases)}.", ""]
    lines += [f"Better: {kind.better}. Paper: {escaped(kind.paper)}.", ""]
    return "\n".join(lines)


def measures_page() -> str:
    """All measures by family, ours and those of ir_measures."""
    lines = ["# Measures", "", "What `partwise measures` lists; `partwise measures NAME` shows the page of one.", ""]
    for family, kinds in families().items():
        lines += [f"## {family.capitalize()}", "", "| measure | meaning |", "|---|---|"]
        for kind in kinds:
            lines.append(f"| [{kind.__name__}](measures/{kind.__name__}.md) | {escaped(kind.summary())} |")
        lines.append("")
    lines += ["## Documents", "", "Every measure of ir_measures, on the documents of the run.", ""]
    lines += ["| measure | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {escaped(meaning)} |" for name, _, meaning, _ in documents.listed()]
    names = [kind.__name__ for kinds in families().values() for kind in kinds]
    lines += ["", "```{toctree}", ":hidden:", "", *(f"measures/{name}" for name in names), "```", ""]
    return "\n".join(lines)


def _commands(of: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A command's own commands, or itself where it has none."""
    inner = [a for a in of._actions if isinstance(a, argparse._SubParsersAction)]
    return [leaf for action in inner for command in action.choices.values() for leaf in _commands(command)] or [of]


def commands_page() -> str:
    """What every command says of itself."""
    os.environ["COLUMNS"] = "100"
    lines = ["# Commands", ""]
    for command in _commands(parser()):
        lines += [f"## {command.prog}", "", "```text", command.format_help().rstrip(), "```", ""]
    lines += [
        "Exit codes: 0 when all is well, 1 when `check` finds something or `locate` cannot place a text, 2 on bad",
        "input or usage, with one line that says what is wrong, where, and what would be right.",
        "",
    ]
    return "\n".join(lines)


def python_page() -> str:
    """The Python interface, as its docstrings tell it."""
    lines = [
        "# Python",
        "",
        "`import partwise as pw` offers these names, and every measure by its own (`pw.iP @ 0.01`).",
        "",
    ]
    for name in sorted(api.__all__, key=str.lower):
        value = getattr(api, name)
        lines += [f"## {name}", ""]
        if inspect.isclass(value):
            lines += ["```{eval-rst}", f".. autoclass:: partwise.{name}", "   :members:", "```", ""]
        elif callable(value):
            lines += ["```{eval-rst}", f".. autofunction:: partwise.{name}", "```", ""]
        elif inspect.ismodule(value):
            lines += ["```{eval-rst}", f".. automodule:: {value.__name__}", "   :members:", "```", ""]
        else:
            lines += [f"The value `{value!r}`.", ""]
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Every generated page by its path."""
    found = {"measures.md": measures_page(), "commands.md": commands_page(), "python.md": python_page()}
    for kinds in families().values():
        found.update({f"measures/{kind.__name__}.md": measure_page(kind) for kind in kinds})
    return {name: MADE + text for name, text in found.items()}


def write(folder: Path) -> None:
    """Write them anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
