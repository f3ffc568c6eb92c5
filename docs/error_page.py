"""The page of all messages, from the catalogue in partwise.messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from string import Formatter

from measure_pages import escaped

from partwise import messages
from partwise.messages import Counted, Message


def _areas() -> dict[str, list[tuple[str, Message]]]:
    areas: dict[str, list[tuple[str, Message]]] = {}
    for area, name, message in messages.catalogue():
        areas.setdefault(area, []).append((name, message))
    return areas


def _shown(text: str) -> str:
    """A message with its values in italics."""
    parts = Formatter().parse(text.replace("\n", " "))
    return "".join(escaped(literal) + (f"*{escaped(name)}*" if name else "") for literal, name, _, _ in parts)


def _rows(found: list[tuple[str, Message]]) -> Iterator[str]:
    for _, message in sorted(found, key=lambda item: item[1].code):
        problems = [message.problem, *([message.several] if isinstance(message, Counted) else [])]
        problem = " *or* ".join(_shown(text) for text in dict.fromkeys(problems))
        yield f"| `{message.code}` | {problem} | {_shown(message.remedy)} |"


def page() -> str:
    """Every message: its code, what is wrong, and what to do."""
    lines = [
        "# Errors and notes",
        "",
        "An error is one line, `file:line: problem; remedy`, on standard error, with exit code 2 and nothing",
        "written. A note begins with `note: ` and does not change the exit code. Every message has a code that",
        "never means anything else: in Python it is `code` of `pw.PartwiseError` and of a note. Values in *italics*",
        "are filled in; a problem without a subject follows the name of its file. Messages are listed by area:",
        "search this page for the words that you see.",
        "",
    ]
    for area, found in _areas().items():
        title = (import_module(f"partwise.messages.{area}").__doc__ or area).strip().split("\n")[0].rstrip(".")
        title = re.sub(r" \(letter .\)", "", title)
        lines += [f"## {escaped(title)}", "", "| code | problem | remedy |", "|---|---|---|", *_rows(found), ""]
    return "\n".join(lines)
