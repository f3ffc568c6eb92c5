"""``partwise convert``: write a run or assessments in another format."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from partwise.cli.options import add_option, add_reading, add_safe_csv, one_of
from partwise.cli.stderr import print_stderr
from partwise.later import api
from partwise.types import KINDS


class _Formats(Sequence[str]):
    """The names of the formats, looked up when they are first used because importing all formats is slow."""

    def _names(self) -> tuple[str, ...]:
        return api.format_names()

    def __len__(self) -> int:
        return len(self._names())

    def __getitem__(self, place: Any) -> Any:
        return self._names()[place]

    def __contains__(self, name: object) -> bool:
        return True  # an installed package may provide it: an unknown name is an error when it is looked up


def add(commands: Any) -> None:
    formats = _Formats()
    parser = commands.add_parser(
        "convert",
        help="write a run or assessments in another format",
        description="Write a run or assessments in another format. The format of the input is detected; "
        "that of the output is given by its suffix, and it is compressed if it ends in .gz, .bz2, .xz or .zst. If the "
        "format cannot hold all of the data, nothing is written.",
    )
    parser.add_argument("source", metavar="IN", help="a run, assessments, or a folder or archive of INEX XML")
    parser.add_argument("target", metavar="OUT", help="the file to write; a .zip holds INEX XML of several queries")
    parser.add_argument(
        "--as",
        dest="kind",
        type=one_of(KINDS),
        metavar="run|assessments",
        help="what IN holds, if that cannot be detected",
    )
    parser.add_argument(
        "--to",
        choices=formats,
        metavar="FORMAT",
        help="output format: %(choices)s (default: by the suffix of OUT)",
    )
    add_option(parser, "collection", help="the documents, needed for --spans and --to-unit")
    parser.add_argument(
        "--spans",
        action="store_true",
        help="write parts, passages and entry points that are paths as offsets",
    )
    parser.add_argument("--no-grades", dest="grades", action="store_false", help="leave out the grades of elements")
    parser.add_argument("--run", dest="name", metavar="NAME", help="the run to write if IN has several")
    add_option(parser, "run_id", default="tag", help="name a run after its file or by its run column (default)")
    add_option(parser, "assessor", help="write the judgements of this assessor (default: the first of each query)")
    add_option(parser, "unit", help="unit of offsets in IN, if it declares none (default: characters)")
    add_option(parser, "unit", name="to-unit", help="unit of offsets in OUT, through the texts of the collection")
    add_option(parser, "tokenizer", help="the tokens of --unit tokens and --to-unit tokens")
    add_option(parser, "lenient")
    add_safe_csv(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    notes = api.convert(
        args.source,
        args.target,
        kind=args.kind,
        to=args.to,
        collection=args.collection,
        spans=args.spans,
        grades=args.grades,
        run=args.name,
        run_id=args.run_id,
        assessor=args.assessor,
        unit=args.unit,
        to_unit=args.to_unit,
        tokenizer=args.tokenizer,
        lenient=args.lenient,
        safe_csv=args.safe_csv,
    )
    for note in notes:
        print_stderr(f"note: {note}")
    return 0
