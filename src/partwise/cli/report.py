"""``partwise report``: write an HTML report."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.comparing import add_files, saved_or_runs
from partwise.cli.options import add_option, options_from
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.later import api
from partwise.messages import commands as messages

MAX_MB = 20.0


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="write one HTML page: leaderboard, curves, queries, documents",
        description="Write a report as one HTML file that opens offline: a leaderboard with intervals and "
        "significance, curves, scores by query, and a browser of result lists and documents that marks relevant, "
        "returned and repeated text. From saved scores it has the leaderboard and the queries only.",
    )
    add_files(parser)
    add_option(parser, "jobs")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", default="report.html", help="the file to write (default: report.html)"
    )
    parser.add_argument("--title", metavar="TEXT", default="partwise report", help="heading of the page")
    parser.add_argument(
        "--queries", metavar="FILE", help="titles of the queries: query_id and title in JSON Lines, CSV, TSV or XML"
    )
    parser.add_argument(
        "--max-mb",
        type=_megabytes,
        metavar="N",
        default=MAX_MB,
        help=f"largest size of the page in MB (default: {MAX_MB:g}); the page lists what is left out",
    )
    parser.add_argument("--seed", type=int, metavar="N", default=0, help="seed of the random numbers (default: 0)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    page = {
        "title": args.title,
        "queries": args.queries,
        "max_mb": args.max_mb,
        "seed": args.seed,
    }
    scores, runs = saved_or_runs(args)
    if scores is not None:
        size = api.write_scores_report(scores, args.output, **page)
    else:
        with progress_bar("scoring") as progress:
            size = api.write_report(
                args.qrels,
                runs,
                args.output,
                args.measures,
                **options_from(args).given(),
                progress=progress,
                **page,
            )
    print_stderr(messages.REPORT_WRITTEN.note(file=args.output, size=size / 1e6))
    return 0


def _megabytes(text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size <= 2000:
        raise argparse.ArgumentTypeError(messages.NOT_A_SIZE(value=repr(text), most=2000).problem)
    return size
