"""``partwise locate``: chunks known by their text become spans."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.options import one_of
from partwise.cli.stderr import say
from partwise.later import api

TYPE_CHECKING = False
if TYPE_CHECKING:
    from partwise.types import IfMissing

IF_AMBIGUOUS = ("keep", "first", "skip", "error")
IF_MISSING = ("keep", "skip", "error")
SHOWN = 5
INCOMPLETE = 1


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "locate",
        help="find chunks in their documents by their text",
        description="Find chunks in their documents by their text: exactly, else without regard to white space, else "
        "in normalised characters. Chunks are rows of CSV, TSV, JSON Lines or Parquet with query_id and text, and "
        "where known doc_id, rank, score, run_id; assessments with quoted passages are rows of the same kind. The exit "
        "code is 1 if some text stands in several places or in none.",
    )
    parser.add_argument("chunks", metavar="CHUNKS", help="rows with a column text")
    parser.add_argument(
        "--corpus",
        metavar="DOCS",
        required=True,
        help="the documents: a folder, an archive, JSON Lines or a stored index; offsets count in their text",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write .jsonl, .csv, .tsv or .parquet")
    parser.add_argument(
        "--gold", action="store_true", help="the rows are assessments: what cannot be placed is an error"
    )
    parser.add_argument(
        "--ambiguous",
        type=one_of(IF_AMBIGUOUS),
        metavar="keep|first|skip|error",
        help="a text in several places: keep it behind the end of its document, where it costs reading and brings "
        "nothing (default); take the first place; leave it out; or stop",
    )
    parser.add_argument(
        "--missing", type=one_of(IF_MISSING), metavar="keep|skip|error", help="the same for a text that is not found"
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:

    usual: IfMissing = "error" if given.gold else "keep"
    found = api.locate_rows(
        given.chunks, given.corpus, ambiguous=given.ambiguous or usual, missing=given.missing or usual
    )
    if given.output is not None:
        found.write(given.output)
    else:
        on_terminal = output.to_terminal(None)
        output.write(output.rows(found.cells(), 2, "table" if on_terminal else "tsv", None, on_terminal), None)
    for line in found.problems[:SHOWN]:
        say(line)
    if len(found.problems) > SHOWN:
        say(f"... and {len(found.problems) - SHOWN} more")
    say(found.locations.summary())
    return 0 if found.locations.complete else INCOMPLETE
