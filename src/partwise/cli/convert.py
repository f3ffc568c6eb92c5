"""``partwise convert``: a run or assessments in another format."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from partwise.cli.options import add_option, one_of
from partwise.cli.stderr import say
from partwise.later import api

KINDS = ("run", "assessments")


class _Formats(Sequence[str]):
    """The names of the formats, which are asked for only where they are needed: to load them all takes long."""

    def _names(self) -> tuple[str, ...]:
        return api.format_names()

    def __len__(self) -> int:
        return len(self._names())

    def __getitem__(self, place: Any) -> Any:
        return self._names()[place]


def add(commands: Any) -> None:
    formats = _Formats()
    parser = commands.add_parser(
        "convert",
        help="write a run or assessments in another format",
        description="Write a run or assessments in another format. What the input is, and in which format, is found "
        "out; the output is what its suffix says, compressed if it ends in .gz, .bz2, .xz or .zst. A format that "
        "cannot hold all of it is refused.",
    )
    parser.add_argument("source", metavar="IN", help="a run, assessments, or a folder or archive of INEX XML")
    parser.add_argument("target", metavar="OUT", help="the file to write; a .zip holds INEX XML of several queries")
    parser.add_argument(
        "--as", dest="kind", type=one_of(KINDS), metavar="run|assessments", help="what IN is, where it may be either"
    )
    parser.add_argument(
        "--to",
        type=one_of(formats),
        choices=formats,
        metavar="FORMAT",
        help="one of %(choices)s; by default as OUT ends",
    )
    add_option(parser, "collection", help="the documents, for --spans")
    parser.add_argument(
        "--spans",
        action="store_true",
        help="write parts, passages and entry points given as paths (or in bytes) as characters of the documents",
    )
    parser.add_argument("--no-grades", dest="grades", action="store_false", help="leave out grades of elements")
    parser.add_argument("--run", dest="name", metavar="NAME", help="write this run where IN has several")
    add_option(parser, "run_id", default="tag", help="name a run after its file, or by its run column (the default)")
    add_option(parser, "assessor", help="one assessor per query: this one, or the first")
    add_option(parser, "unit", help="what offsets count")
    add_option(parser, "lenient")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:

    notes = api.convert(
        given.source,
        given.target,
        kind=given.kind,
        to=given.to,
        collection=given.collection,
        spans=given.spans,
        grades=given.grades,
        run=given.name,
        run_id=given.run_id,
        assessor=given.assessor,
        unit=given.unit,
        lenient=given.lenient,
    )
    for note in notes:
        say(f"note: {note}")
    return 0
