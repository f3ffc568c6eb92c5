"""``partwise report``: one page to look at."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.evaluate import add_inputs, input_options
from partwise.errors import PartwiseError

MAX_MB = 20.0


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="one HTML page to look at: leaderboard, curves, topics, documents",
        description="Write a report as one HTML file that opens offline: a leaderboard with intervals and significance, "
        "curves, runs by topics, and an explorer of ranked lists and documents, with what is relevant, what was "
        "returned and what was shown twice.",
    )
    add_inputs(parser)
    parser.add_argument("-o", dest="output", metavar="FILE", default="report.html", help="by default report.html")
    parser.add_argument("--title", metavar="TEXT", default="partwise report", help="the heading of the page")
    parser.add_argument(
        "--queries", metavar="FILE", help="what the topics ask for: query_id and title, in JSON Lines, CSV, TSV or XML"
    )
    parser.add_argument(
        "--max-mb", type=_megabytes, metavar="N", default=MAX_MB, help=f"how large the page may get (by default {MAX_MB:g})"
    )
    parser.set_defaults(run=run)


def _megabytes(text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size <= 2000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of megabytes above 0 and up to 2000")
    return size
