"""``partwise locate``: find the offsets of chunks that are given as text."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.documents import opened
from partwise.cli.options import add_reading, add_safe_csv, one_of
from partwise.cli.stderr import print_stderr
from partwise.later import api
from partwise.messages import commands as messages
from partwise.types import IF_AMBIGUOUS, IF_MISSING, MATCHES, IfMissing

FORMATS = ("table", "tsv")
SHOWN = 5
INCOMPLETE = 1


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "locate",
        help="find chunks in their documents by their text",
        description="Find chunks in their documents by their text: exactly, else ignoring white space, else with "
        "normalised characters, and in looser readings with --match. "
        "Chunks are rows of CSV, TSV, JSON Lines or Parquet with query_id and text, and "
        "optionally doc_id, rank, score and run_id; assessments with quoted passages have the same form. The exit code "
        "is 1 if a text occurs several times or not at all.",
    )
    parser.add_argument("chunks", metavar="CHUNKS", help="file of rows with a column text")
    parser.add_argument(
        "--corpus",
        metavar="DOCS",
        required=True,
        help="the documents: a folder, an archive, JSON Lines or an index",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to this file: .jsonl, .csv, .tsv or .parquet")
    parser.add_argument(
        "--gold", action="store_true", help="the rows are assessments: a text that cannot be located is an error"
    )
    parser.add_argument(
        "--ambiguous",
        type=one_of(IF_AMBIGUOUS),
        metavar="|".join(IF_AMBIGUOUS),
        help="a text that occurs several times: keep it as non-relevant text after the end of its document (the "
        "default), take the first place, skip it, or stop with an error",
    )
    parser.add_argument(
        "--missing",
        type=one_of(IF_MISSING),
        metavar="|".join(IF_MISSING),
        help="the same for a text that does not occur",
    )
    parser.add_argument(
        "--match",
        type=one_of(MATCHES),
        default="normalised",
        metavar="|".join(MATCHES),
        help="the loosest reading that is tried if the stricter ones, which precede it here, find nothing (default: "
        "normalised); fuzzy needs rapidfuzz",
    )
    parser.add_argument(
        "--min-score",
        type=float,
        metavar="SCORE",
        help="the lowest similarity of a fuzzy match, from 0.5 to 1 (default: 0.9)",
    )
    parser.add_argument(
        "--strip-prefix",
        action="append",
        metavar="TEXT",
        help="search for chunks without this text before them; {doc_id} is the id of the document, {any} any "
        "characters of a line; may be repeated",
    )
    add_safe_csv(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    default: IfMissing = "error" if args.gold else "keep"
    located = api.locate_rows(
        args.chunks,
        opened(args.corpus),
        ambiguous=args.ambiguous or default,
        missing=args.missing or default,
        match=args.match,
        min_score=args.min_score,
        strip_prefix=args.strip_prefix,
    )
    if args.output is not None:
        located.write(args.output, safe_csv=args.safe_csv)
    else:
        format = output.chosen_format(None, None, FORMATS, args.safe_csv)
        text = output.rows(located.cells(), 2, format, None, output.to_terminal(None), args.safe_csv)
        output.write(text, None, format)
    for line in located.problems[:SHOWN]:
        print_stderr(line)
    if len(located.problems) > SHOWN:
        print_stderr(messages.MORE_PROBLEMS.note(count=len(located.problems) - SHOWN))
    for note in located.notes:
        print_stderr(f"note: {note}")
    print_stderr(located.locations.summary())
    return 0 if located.locations.complete else INCOMPLETE
