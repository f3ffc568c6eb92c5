"""``partwise report``: one page to look at."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.comparing import add_files
from partwise.cli.options import add_option, options_from
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import say
from partwise.errors import PartwiseError
from partwise.later import api

MAX_MB = 20.0


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="one HTML page to look at: leaderboard, curves, queries, documents",
        description="Write a report as one HTML file that opens offline: a leaderboard with intervals and "
        "significance, curves, runs by queries, and an explorer of lists and documents, with what is relevant, what "
        "was returned and what was shown twice. From scores saved earlier: leaderboard and queries.",
    )
    add_files(parser)
    add_option(parser, "jobs")
    parser.add_argument("-o", dest="output", metavar="FILE", default="report.html", help="by default report.html")
    parser.add_argument("--title", metavar="TEXT", default="partwise report", help="the heading of the page")
    parser.add_argument(
        "--queries", metavar="FILE", help="what the queries ask for: query_id and title, in JSON Lines, CSV, TSV or XML"
    )
    parser.add_argument(
        "--max-mb",
        type=_megabytes,
        metavar="N",
        default=MAX_MB,
        help=f"how large the page may get, by default {MAX_MB:g}; it says what is left out",
    )
    parser.add_argument("--seed", type=int, metavar="N", default=0, help="of the random numbers (0)")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:

    page = {
        "title": given.title,
        "queries": given.queries,
        "max_mb": given.max_mb,
        "seed": given.seed,
    }
    if api.holds_scores(given.files[0]):
        scores = api.read_scores(given.files, given.measures, lenient=given.lenient)
        size = api.write_scores_report(scores, given.output, **page)
    else:
        qrels, runs = given.files[0], given.files[1:]
        if not runs:
            raise PartwiseError("no run is given", "give assessments and runs, or scores per query", file=qrels)
        with progress_bar("scoring") as progress:
            size = api.write_report(
                qrels,
                runs,
                given.output,
                given.measures,
                **options_from(given).given(),
                progress=progress,
                **page,
            )
    say(f"{given.output}: {size / 1e6:.1f} MB, open it in a browser")
    return 0


def _megabytes(text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size <= 2000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of megabytes above 0, up to 2000")
    return size
