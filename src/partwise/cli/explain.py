"""``partwise explain``: every relevant part of a query as a hit, a near-miss or a miss."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.options import add_option, one_of
from partwise.later import api

FORMATS = ("table", "tsv", "csv", "jsonl")
PARTS = ("elements", "passages")
RELS = ("binary", "length", "spe")
MATCHES = ("exact", "contains")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "explain",
        help="show what became of every relevant part of a query",
        description="Show what became of every relevant part of a query: a hit at a rank, a near-miss that users reach "
        "from a result with some chance, or a miss; and the later ranks at which results show it again.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="assessments")
    parser.add_argument("run_file", metavar="RUN", help="a run")
    parser.add_argument("--query-id", metavar="ID", required=True, help="the query")
    add_option(parser, "collection", help="the documents; without them passages are relevant")
    parser.add_argument("--nav", metavar="MODEL", help="how users go on: depth, coverage, distance(A=0.1) ...")
    add_option(parser, "navigation", help="a learned navigation model; repeatable")
    parser.add_argument("--parts", type=one_of(PARTS), metavar="|".join(PARTS), help="what is relevant")
    parser.add_argument("--rel", type=one_of(RELS), metavar="|".join(RELS), help="what a relevant part is worth")
    parser.add_argument("--match", type=one_of(MATCHES), metavar="|".join(MATCHES), help="what retrieves a part")
    parser.add_argument("--cutoff", type=int, metavar="K", help="how many results count")
    add_option(parser, "assessor")
    add_option(parser, "lengths")
    parser.add_argument(
        "-f", dest="format", type=one_of(FORMATS), metavar="FORMAT", help=f"one of {', '.join(FORMATS)}"
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:

    format = output.chosen_format(given.format, None, FORMATS)
    rows = api.explain(
        given.qrels,
        given.run_file,
        query_id=given.query_id,
        collection=given.collection,
        nav=given.nav,
        navigation=given.navigation,
        parts=given.parts,
        rel=given.rel,
        match=given.match,
        cutoff=given.cutoff,
        assessor=given.assessor,
        lengths=given.lengths,
    )
    output.write(output.rows(rows, 3, format, None, output.to_terminal(None)), None)
    return 0
