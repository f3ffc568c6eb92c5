"""``partwise measures``: list all measures, or show the page of one."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.options import add_format
from partwise.later import api

FORMATS = ("table", "tsv", "jsonl")
COLUMNS = ("name", "parameters", "meaning", "paper")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "measures",
        help="list the measures, or show the page of one",
        description="List all measures with their parameters, meaning and paper, or show the whole page of one, or of "
        "a value of their parameters (BEPn, sog, coverage, seen). "
        "Names of trec_eval (map, ndcg_cut_10, P, official) and of INEX (iP[0.01], MAiP) are understood everywhere.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="name of a measure, or of a value of a parameter")
    add_format(parser, FORMATS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.name is not None:
        output.write(api.measure_page(args.name) + "\n", None, "text")
        return 0
    format = output.chosen_format(args.format, None, FORMATS, args.safe_csv)
    listed = api.list_measures()
    if format != "table":
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in listed]
        text = output.rows(rows, len(COLUMNS), format, None, output.to_terminal(None), args.safe_csv)
    else:
        cells = [(name + parameters, meaning, paper) for name, parameters, meaning, paper in listed]
        text = output.drawn(("measure", "meaning", "paper"), cells, 3, output.to_terminal(None))
    output.write(text, None, format)
    return 0
