"""``partwise measures``: every measure there is, or the page of one."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

FORMATS = ("table", "tsv", "jsonl")
COLUMNS = ("name", "parameters", "meaning", "paper")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "measures",
        help="list the measures, or show the page of one",
        description="List every measure with its parameters, meaning and paper; with a name, show its whole page.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure's name")
    parser.add_argument("-f", dest="format", choices=FORMATS, help="output format of the list")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    from partwise import api
    from partwise.cli import output

    if given.name is not None:
        output.write(api.measure_page(given.name) + "\n", None)
        return 0
    format = output.chosen_format(given.format, None, FORMATS)
    listed = api.list_measures()
    if format == "jsonl":
        text = "".join(json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) + "\n" for row in listed)
    elif format == "tsv":
        text = "".join("\t".join(row) + "\n" for row in (COLUMNS, *listed))
    else:
        text = _table(listed)
    output.write(text, None)
    return 0


def _table(listed: list[tuple[str, str, str, str]]) -> str:
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    on_terminal = sys.stdout.isatty()
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("measure", "meaning", "paper"):
        grid.add_column(name)
    for name, parameters, meaning, paper in listed:
        grid.add_row(Text(name + parameters), Text(meaning), Text(paper))
    text = io.StringIO()
    console = Console(file=text, width=None if on_terminal else 10_000, force_terminal=on_terminal, highlight=False)
    console.print(grid)
    lines = [line.rstrip() for line in text.getvalue().rstrip("\n").split("\n")]
    return "\n".join(lines) + "\n"
