"""``partwise diagnose``: whether relevant text is lost to the chunks or to their ranking."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.comparing import between, whole_from
from partwise.cli.evaluate import add_output, add_slices, check_slices
from partwise.cli.options import INPUTS, add_options, add_reading, options_from
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands as messages
from partwise.messages import slices

FORMATS = output.SCORE_FORMATS
OPTIONS = [name for name in INPUTS if name != "navigation"]


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "diagnose",
        help="split what a run loses into chunking and ranking",
        description="Split the relevant text that a run does not show into what no choice of chunks could show (lost "
        "to chunking) and the rest (lost to ranking), by query and in the mean, and count how passages are lost.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="assessments")
    parser.add_argument("run_file", metavar="RUN", help="a run")
    parser.add_argument(
        "--chunks",
        metavar="FILE",
        help="all chunks that can be retrieved: doc_id, start and end, in any format of runs (without them the loss is "
        "not split)",
    )
    add_limit(parser, "read the first K results")
    parser.add_argument(
        "--failures", action="store_true", help="write the passages that are not shown whole instead, each with a kind"
    )
    parser.add_argument(
        "--confidence",
        type=between,
        metavar="C",
        default=0.95,
        help="confidence level of the intervals (default: 0.95)",
    )
    add_output(parser, FORMATS)
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help="diagnose by slice: by a column of --queries, by grade or nugget of the gold, or by doc:PATTERN, what a "
        "regular expression finds in the ids of relevant documents",
    )
    add_slices(parser)
    add_options(parser, OPTIONS)
    add_reading(parser)
    parser.set_defaults(run=run)


def add_limit(parser: argparse.ArgumentParser, results: str, required: bool = True) -> None:
    """Add the options for what is read of a run; `results` is the help of a number of results."""
    limit = parser.add_mutually_exclusive_group(required=required)
    limit.add_argument("-k", type=whole_from(1), metavar="K", help=results)
    limit.add_argument(
        "--budget",
        type=float,
        metavar="N",
        help="read whole results, in rank order, of at most N characters (or units) in all",
    )


def run(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, args.output, FORMATS, args.safe_csv)
    if format == "parquet" and args.places is not None:
        raise PartwiseError(messages.PLACES_WITH_PARQUET())
    check_slices(args)
    if args.by is not None and format == "trec":
        raise PartwiseError(slices.NO_TREC())
    options = options_from(args)
    diagnosis = api.diagnose(
        args.qrels,
        args.run_file,
        args.chunks,
        k=args.k,
        budget=args.budget,
        confidence=args.confidence,
        queries=args.queries,
        by=args.by,
        bins=args.bins,
        **{name: getattr(options, name) for name in OPTIONS},
    )
    for note in diagnosis.notes:
        print_stderr(f"note: {note}")
    on_terminal = output.to_terminal(args.output)
    content: str | bytes
    shown = diagnosis if diagnosis.slices is None else diagnosis.slices
    labels = 2 if diagnosis.slices is None else 4
    if format == "parquet":
        content = output.parquet_rows(shown.failures() if args.failures else shown.rows())
    elif args.failures:
        content = output.rows(shown.failures(), labels, format, args.places, on_terminal, args.safe_csv)
    elif format == "trec":
        content = output.trec_rows(shown.rows(), args.places)
    else:
        content = output.findings(shown, format, args.places, on_terminal, args.safe_csv)
    output.write(content, args.output, format)
    return 0
