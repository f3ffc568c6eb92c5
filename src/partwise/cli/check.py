"""``partwise check``: errors and suspicious data in assessments and runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from partwise.cli import output
from partwise.cli.documents import opened
from partwise.cli.naming import add_names, named_files
from partwise.cli.options import add_format, add_option, add_reading, one_of
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError, one_line
from partwise.later import api
from partwise.messages import commands as messages
from partwise.options import TASKS

if TYPE_CHECKING:
    from partwise.api import Findings

FORMATS = ("table", "tsv", "jsonl")
SUSPICIOUS = 1


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="look for errors and suspicious data in assessments and runs",
        description="Look for errors and suspicious data in assessments and runs, and print how often each rule is "
        "broken, with the first examples. The exit code is 0 if nothing is suspicious, 1 if something is, and 2 if a "
        "file cannot be read. --rules lists the rules.",
    )
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="assessments")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="files of runs")
    add_names(parser)
    add_option(parser, "task", type=one_of(TASKS), help="apply the rules of this task: " + ", ".join(TASKS))
    parser.add_argument(
        "--rules", action="store_true", help="list all rules and their severity in each task, then exit"
    )
    add_format(parser, FORMATS)
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to this file, in the format of its suffix")
    add_option(parser, "collection", help="the documents, to check ids, paths and offsets against")
    add_option(parser, "lengths")
    add_option(parser, "unit")
    add_option(parser, "tokenizer")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, args.output, FORMATS, args.safe_csv)
    on_terminal = output.to_terminal(args.output)
    if args.rules:
        rules = api.check_rules()
        output.write(output.rows(rules, len(rules[0]), format, None, on_terminal, args.safe_csv), args.output, format)
        return 0
    if args.qrels is None:
        raise PartwiseError(messages.NO_ASSESSMENTS())
    with progress_bar("checking") as progress:
        findings = api.check(
            args.qrels,
            named_files(args.runs, args.names),
            task=args.task,
            collection=None if args.collection is None else opened(args.collection),
            lengths=args.lengths,
            unit=args.unit,
            tokenizer=args.tokenizer,
            progress=progress,
        )
    output.write(_rendered(findings, format, on_terminal, args.safe_csv), args.output, format)
    if format != "table":
        print_stderr(findings.summary())
    return 0 if findings.fine else SUSPICIOUS


def _rendered(findings: Findings, format: str, on_terminal: bool, safe_csv: bool) -> str:
    if format == "jsonl":
        return output.rows([finding.full_row() for finding in findings], 0, format, None, on_terminal)
    if format == "tsv":
        header = [dict(zip(findings.columns, findings.columns, strict=True))]
        return output.rows([*header, *findings.rows()], 0, format, None, on_terminal, safe_csv).partition("\n")[2]
    cells = []
    for finding in findings:
        start = [finding.severity, finding.rule, str(finding.count)]
        for example in finding.examples:
            cells.append([*start, example])
            start = [""] * len(start)
    drawn = output.drawn(("severity", "rule", "count", "examples"), cells, 4, on_terminal) if cells else ""
    return f"{drawn}{one_line(findings.summary())}\n"
