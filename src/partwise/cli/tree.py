"""``partwise tree``: show the elements of a document, with grades and ranks for a query."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.documents import opened, print_notes_on_reading
from partwise.cli.options import add_format, add_option, add_reading
from partwise.later import api

FORMATS = output.ROW_FORMATS


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "tree",
        help="show the elements of a document",
        description="Show the elements of a document with path and size and, for a query, their grades, whether they "
        "are ideal, and the rank at which a run returned them.",
    )
    parser.add_argument(
        "collection", metavar="DOCS", help="the documents: a folder, an archive, JSON Lines or an index"
    )
    parser.add_argument("doc", metavar="DOC", help="id of the document")
    parser.add_argument("--query-id", metavar="ID", help="the query whose judgements and results are shown")
    parser.add_argument("--qrels", metavar="QRELS", help="graded elements or highlighted passages")
    parser.add_argument(
        "--run", dest="run_file", metavar="RUN", help="a run, to show at which rank it returned an element"
    )
    parser.add_argument("--quant", metavar="NAME", help="quantisation of grades into gain: strict, gen, sog, spe ...")
    add_option(parser, "assessor")
    add_format(parser, FORMATS)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, None, FORMATS, args.safe_csv)
    collection = opened(args.collection)
    rows = api.tree(
        collection,
        args.doc,
        query_id=args.query_id,
        qrels=args.qrels,
        run=args.run_file,
        quant=args.quant,
        assessor=args.assessor,
    )
    print_notes_on_reading(collection)
    if format == "table":
        rows = [{**row, "path": "  " * (row["path"].count("/") - 1) + row["path"].split("/")[-1]} for row in rows]
    text = output.rows(rows, 1, format, None, output.to_terminal(None), args.safe_csv)
    output.write(text, None, format)
    return 0
