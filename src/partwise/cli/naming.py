"""``--as NAME=FILE``: names for runs and for files of scores."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands
from partwise.messages import files as file_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def add_names(parser: argparse.ArgumentParser, what: str = "run") -> None:
    parser.add_argument(
        "--as",
        dest="names",
        type=name_and_file,
        metavar="NAME=FILE",
        action="append",
        default=[],
        help=f"name the {what} in this file, which need not be given again; repeatable",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for runs, which may also be given with ``--as``."""
    runs = parser.add_argument("runs", metavar="RUN", nargs="+", default=[], help="files of runs")
    runs.required = False  # with nargs="*" argparse would not accept options between QRELS and RUN
    add_names(parser)


def name_and_file(text: str) -> tuple[str, str]:
    """The type of an option that is ``NAME=FILE``."""
    name, _, file = text.partition("=")
    if not name or not file:
        raise argparse.ArgumentTypeError(commands.NOT_A_NAME(value=repr(text)).problem)
    return name, file


def named_files(files: Sequence[str], names: Sequence[tuple[str, str]]) -> Any:
    """The files of a command: a name of ``--as`` renames a file that is given, or adds its own."""
    name_of: dict[str, str] = {}
    added = []
    for name, file in names:
        if name in name_of.values():
            raise PartwiseError(commands.SAME_NAME(name=name))
        if os.path.normpath(file) in name_of:
            raise PartwiseError(file_messages.GIVEN_TWICE(path=file))
        name_of[os.path.normpath(file)] = name
        if os.path.normpath(file) not in map(os.path.normpath, files):
            added.append(file)
    return api.NamedFiles((name_of.get(os.path.normpath(file)), file) for file in (*files, *added))


def runs_of(args: argparse.Namespace, command: str) -> Any:
    """The runs of a command, at least one."""
    runs = named_files(args.runs, args.names)
    if not runs:
        raise PartwiseError(commands.USAGE(command=command, problem=commands.NO_RUN_ARGUMENT().problem))
    return runs
