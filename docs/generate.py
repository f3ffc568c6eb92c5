"""The pages that are generated from the code: measures, values, messages, commands, the Python interface, notebooks."""

from __future__ import annotations

import argparse
import inspect
import os
import shutil
from pathlib import Path

import cells
import error_page
import measure_pages

from partwise import api
from partwise.cli import parser

GENERATED = "<!-- generated from the code -->\n\n"


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


ADAPTERS = (
    "langchain", "llamaindex", "haystack", "strings", "chroma", "qdrant", "openinference", "ragas", "legalbench",
    "beir", "ir_measures",
)  # fmt: skip


def adapters_page() -> str:
    """The functions of all adapters, as their docstrings tell it."""
    lines = [
        "# Adapters",
        "",
        "`from partwise.adapters import langchain` and so on: from objects of other packages to runs and gold.",
        "[Getting started for RAG people](../rag.md) shows how they are used.",
        "",
    ]
    for name in ADAPTERS:
        lines += [
            f"## {name}",
            "",
            "```{eval-rst}",
            f".. automodule:: partwise.adapters.{name}",
            "   :members:",
            "```",
            "",
        ]
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Every generated page by its path."""
    made = {
        "commands.md": commands_page(),
        "python.md": python_page(),
        "adapters.md": adapters_page(),
        "errors.md": error_page.page(),
    }
    return {name: GENERATED + text for name, text in {**measure_pages.pages(), **made}.items()}


def write(folder: Path) -> None:
    """Write the pages, pictures and notebooks anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in {**pages(), **measure_pages.drawings(), **cells.files()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
