"""``partwise report``: write an HTML report."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.comparing import add_files, saved_or_runs
from partwise.cli.diagnose import add_limit
from partwise.cli.evaluate import add_slices
from partwise.cli.naming import name_and_file
from partwise.cli.options import add_option, options_from
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands as messages
from partwise.messages import slices

MAX_MB = 20.0


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="write one HTML page: leaderboard, curves, diagnosis, queries, documents",
        description="Write a report as one HTML file that opens offline: a leaderboard with intervals and "
        "significance, curves, what runs lose and why, scores by query, and a browser of result lists and documents "
        "that marks relevant, returned and repeated text. All of it can be shown for a slice of the queries. From "
        "saved scores it has the leaderboard and the queries only.",
    )
    add_files(parser)
    add_option(parser, "jobs")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", default="report.html", help="the file to write (default: report.html)"
    )
    parser.add_argument("--title", metavar="TEXT", default="partwise report", help="heading of the page")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        action="append",
        help="offer the slices by a column of --queries, by grade or nugget of the gold, or by doc:PATTERN, what a "
        "regular expression finds in the ids of relevant documents; repeatable",
    )
    add_slices(parser, "titles of the queries, and columns for --by")
    parser.add_argument(
        "--chunks",
        metavar="FILE",
        help="all chunks that can be retrieved: doc_id, start and end, in any format of runs (without them the loss is "
        "not split into chunking and ranking)",
    )
    parser.add_argument(
        "--chunks-of",
        type=name_and_file,
        metavar="RUN=FILE",
        action="append",
        default=[],
        help="the chunks of one run, if runs have different ones; repeatable",
    )
    add_limit(parser, "diagnose the first K results (default: 5)", required=False)
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
        "by": args.by,
        "bins": args.bins,
    }
    if args.by is None and args.bins is not None:
        raise PartwiseError(slices.BINS_WITHOUT_BY())
    scores, runs = saved_or_runs(args)
    if scores is not None:
        for name, value in {
            "--chunks": args.chunks,
            "--chunks-of": args.chunks_of or None,
            "-k": args.k,
            "--budget": args.budget,
        }.items():
            if value is not None:
                raise PartwiseError(messages.OPTION_WITH_SCORES(name=name))
        size = api.write_scores_report(scores, args.output, **page)
    else:
        with progress_bar("scoring") as progress:
            size = api.write_report(
                args.qrels,
                runs,
                args.output,
                args.measures,
                **options_from(args).given(),
                chunks=args.chunks,
                chunks_of=dict(args.chunks_of),
                k=args.k,
                budget=args.budget,
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
