"""``partwise navigation``: learn from observed routes how users navigate, and show the model."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli import output
from partwise.cli.options import add_format, add_reading, one_of
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands as messages
from partwise.types import GROUPINGS

FORMATS = output.ROW_FORMATS
SUFFIX = ".json"


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "navigation",
        help="learn how users navigate within documents",
        description="Learn a navigation model from observed routes, or show a learned one.",
    )
    inner = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    learn = inner.add_parser(
        "learn",
        help="learn from observed routes",
        description="Learn with what probability users go from one element to another. Routes are JSON Lines: "
        '{"doc_id": "d1", "route": ["/article[1]/sec[2]", "/article[1]"]}.',
    )
    learn.add_argument("routes", metavar="ROUTES", help="observed routes, one per line")
    learn.add_argument(
        "--by",
        type=one_of(GROUPINGS),
        metavar="|".join(GROUPINGS),
        help="treat elements with the same tag, or the same path of tags, as one",
    )
    learn.add_argument(
        "--abandon", action="store_true", help="count the end of a route as a step from its last element to itself"
    )
    learn.add_argument("-o", dest="output", metavar="FILE.json", required=True, help="the file to write")
    add_reading(learn)
    learn.set_defaults(run=run_learn)
    show = inner.add_parser("show", help="show a learned model", description="Show a learned model, one step per row.")
    show.add_argument("graph", metavar="FILE.json", help="file written by navigation learn")
    add_format(show, FORMATS)
    add_reading(show)
    show.set_defaults(run=run_show)


def run_learn(args: argparse.Namespace) -> int:
    if not args.output.lower().endswith(SUFFIX):
        raise PartwiseError(messages.NAVIGATION_SUFFIX(suffix=SUFFIX), file=args.output)
    graph = api.learn_navigation(args.routes, by=args.by, abandon=args.abandon)
    graph.write(args.output)
    print_stderr(messages.LEARNED.note(count=len(graph.weight)))
    return 0


def run_show(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, None, FORMATS, args.safe_csv)
    rows = api.read_navigation(args.graph).rows()
    labels = 3 if rows and "doc_id" in rows[0] else 2
    text = output.rows(rows, labels, format, None, output.to_terminal(None), args.safe_csv)
    output.write(text, None, format)
    return 0
