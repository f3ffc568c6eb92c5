"""``partwise check``: what is wrong or odd about assessments and runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from partwise.cli import output
from partwise.cli.options import add_option, one_of
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import say
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.presets import CHECKED as TASKS

if TYPE_CHECKING:
    from partwise.api import Findings

FORMATS = ("table", "tsv", "jsonl")
SOMETHING_ODD = 1


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="say what is wrong or odd about assessments and runs",
        description="Say what is wrong or odd about assessments and runs: how often, and the first examples. Ends with "
        "0 if nothing is, 1 if something is, 2 if a file cannot be read. --rules lists what is looked for.",
    )
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="assessments")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="runs")
    add_option(parser, "task", type=one_of(TASKS), help="by whose rules: " + ", ".join(TASKS))
    parser.add_argument("--rules", action="store_true", help="list all rules, and how severe they are in each task")
    parser.add_argument(
        "-f", dest="format", type=one_of(FORMATS), metavar="FORMAT", help=f"one of {', '.join(FORMATS)}"
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, in the format of its suffix")
    add_option(parser, "collection", help="the documents, to look for documents, paths and ends in")
    add_option(parser, "lengths")
    add_option(parser, "unit", help="what offsets count")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:

    format = output.chosen_format(given.format, given.output, FORMATS)
    on_terminal = output.to_terminal(given.output)
    if given.rules:
        rules = api.check_rules()
        output.write(output.rows(rules, len(rules[0]), format, None, on_terminal), given.output)
        return 0
    if given.qrels is None:
        raise PartwiseError("partwise check: no assessments are given", "see partwise check --help")
    with progress_bar("checking") as progress:
        found = api.check(
            given.qrels,
            given.runs,
            task=given.task,
            collection=given.collection,
            lengths=given.lengths,
            unit=given.unit,
            progress=progress,
        )
    output.write(_rendered(found, format, on_terminal), given.output)
    if format != "table":
        say(found.summary())
    return 0 if found.fine else SOMETHING_ODD


def _rendered(found: Findings, format: str, on_terminal: bool) -> str:

    if format == "jsonl":
        return output.rows([finding.full_row() for finding in found], 0, format, None, on_terminal)
    if format == "tsv":
        header = [dict(zip(found.columns, found.columns, strict=True))]
        return output.rows(header + found.rows(), 0, format, None, on_terminal).partition("\n")[2]
    cells = []
    for finding in found:
        start = [finding.severity, finding.rule, str(finding.count)]
        for example in finding.examples:
            cells.append([*start, example])
            start = [""] * len(start)
    drawn = output.drawn(("severity", "rule", "count", "examples"), cells, 4, on_terminal) if cells else ""
    return f"{drawn}{found.summary()}\n"
