"""``partwise explain``: every relevant part of a query as a hit, a near-miss or a miss."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.documents import opened
from partwise.cli.options import add_format, add_option, add_reading, one_of
from partwise.later import api

FORMATS = output.ROW_FORMATS
PARTS = ("elements", "passages")
RELS = ("binary", "length", "spe")
MATCHES = ("exact", "contains")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "explain",
        help="show which relevant parts of a query a run finds",
        description="Show for every relevant part of a query whether it is a hit at some rank, a near-miss that users "
        "may reach from a result, or a miss, and at which later ranks it is shown again.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="assessments")
    parser.add_argument("run_file", metavar="RUN", help="a run")
    parser.add_argument("--query-id", metavar="ID", required=True, help="id of the query")
    add_option(parser, "collection", help="the documents (without them, the relevant parts are passages)")
    parser.add_argument(
        "--nav",
        metavar="MODEL",
        help="how users navigate from a result: depth (default for elements), coverage (default for passages), "
        "distance(A=0.1) ...",
    )
    add_option(parser, "navigation", help="file of a learned navigation model; repeatable")
    parser.add_argument(
        "--parts",
        type=one_of(PARTS),
        metavar="|".join(PARTS),
        help="which parts can be relevant (default: elements if there is a collection)",
    )
    parser.add_argument(
        "--rel",
        type=one_of(RELS),
        metavar="|".join(RELS),
        help="how much a relevant part counts: 1 (default), its relevant characters, or its specificity",
    )
    parser.add_argument(
        "--match",
        type=one_of(MATCHES),
        metavar="|".join(MATCHES),
        help="whether a result must be the part (default for elements) or may contain it (default for passages)",
    )
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="show what this measure counts instead, by its match: the nuggets (NuggetR, AllFound, AspectAP) or the "
        "gold passages (PartR@10 ...) that results find, show in part or miss",
    )
    parser.add_argument("--cutoff", type=int, metavar="K", help="use only the first K results (default: all)")
    add_option(parser, "assessor")
    add_option(parser, "lengths")
    add_format(parser, FORMATS)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, None, FORMATS, args.safe_csv)
    rows = api.explain(
        args.qrels,
        args.run_file,
        query_id=args.query_id,
        collection=None if args.collection is None else opened(args.collection),
        nav=args.nav,
        navigation=args.navigation,
        parts=args.parts,
        rel=args.rel,
        match=args.match,
        cutoff=args.cutoff,
        assessor=args.assessor,
        lengths=args.lengths,
        measure=args.measure,
    )
    text = output.rows(rows, 3 if args.measure is None else 4, format, None, output.to_terminal(None), args.safe_csv)
    output.write(text, None, format)
    return 0
