"""``partwise ideal``: the ideal recall base, written as a run."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.documents import opened
from partwise.cli.options import add_option, add_reading, add_safe_csv
from partwise.later import api

FORMATS = ("table", "tsv")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "ideal",
        help="write the ideal elements as a run",
        description="Write the ideal recall base as a run: the best element of every relevant path, in order of value.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="graded elements or highlighted passages")
    add_option(parser, "collection", required=True, help="the documents")
    parser.add_argument("--quant", metavar="NAME", help="quantisation of grades into gain: strict, gen, sog, spe ...")
    add_option(parser, "assessor")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write a run to this file, in the format of its suffix (default: print the elements)",
    )
    add_safe_csv(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    ideal = api.ideal(args.qrels, collection=opened(args.collection), quant=args.quant, assessor=args.assessor)
    if args.output is not None:
        api.write_run(ideal.run(), args.output, safe_csv=args.safe_csv)
        return 0
    format = output.chosen_format(None, None, FORMATS, args.safe_csv)
    text = output.rows(ideal.rows(), 3, format, None, output.to_terminal(None), args.safe_csv)
    output.write(text, None, format)
    return 0
