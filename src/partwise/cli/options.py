"""The command-line options of an evaluation, made from the fields of `Options`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from partwise.errors import PartwiseError
from partwise.messages import commands
from partwise.options import FIELDS, Options
from partwise.settings import FIELDS as READING
from partwise.settings import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INPUTS = [name for name in FIELDS if name not in ("task", "jobs")]
"""The options that control how assessments and runs are read."""


def add_option(parser: argparse.ArgumentParser, field: str, *, name: str | None = None, **changes: Any) -> None:
    """Add the option that a field describes, with `changes` for this command, by default under the field's name."""
    option = FIELDS[field]
    settings: dict[str, Any] = {"default": option.default, "help": option.metadata["help"]}
    if option.default is False:
        settings["action"] = "store_true"
    else:
        settings["metavar"] = option.metadata["metavar"]
        if option.metadata["repeatable"]:
            settings["action"] = "append"
        elif option.metadata["choices"]:
            settings["type"] = one_of(option.metadata["choices"])
        elif option.metadata["at_most"] is not None:
            settings["type"] = _whole(option.metadata["at_most"])
    parser.add_argument(f"--{(name or field).replace('_', '-')}", **{**settings, **changes})


def add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    for name in names:
        add_option(parser, name)


def options_from(args: argparse.Namespace) -> Options:
    """The options given on the command line; those that the command does not have keep their defaults."""
    return Options(**{name: getattr(args, name) for name in FIELDS if hasattr(args, name)})


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has that reads files; a command passes them on by `READING`."""
    for name, setting in READING.items():
        option = f"--{name.replace('_', '-')}"
        if setting.default is False:
            parser.add_argument(option, action="store_true", default=None, help=setting.metadata["help"])
        else:
            parser.add_argument(
                option,
                type=_bytes,
                metavar=setting.metadata["metavar"],
                help=setting.metadata["help"],
            )


def reading_from(args: argparse.Namespace) -> dict[str, Any]:
    """The settings of readers that are given on the command line; None for those that stay as they are."""
    return {name: getattr(args, name) for name in READING if hasattr(args, name)}


def _bytes(text: str) -> int:
    try:
        return size(text)
    except PartwiseError as error:
        raise argparse.ArgumentTypeError(f"{error.problem}; {error.remedy}") from None


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """The type of an option that is one of these words."""

    def chosen(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(commands.NOT_ONE_OF(value=repr(text), choices=", ".join(choices)).problem)
        return text

    return chosen


def add_safe_csv(parser: argparse.ArgumentParser) -> None:
    """Add the option for CSV and TSV that are opened in a spreadsheet."""
    parser.add_argument(
        "--safe-csv",
        action="store_true",
        help="quote texts in CSV and TSV, with an apostrophe before those that a spreadsheet would take for formulas",
    )


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options for the format of the output."""
    add_safe_csv(parser)
    parser.add_argument(
        "-f",
        dest="format",
        type=one_of(formats),
        metavar="FORMAT",
        help=f"output format: {', '.join(formats)} (default: table on a terminal, else tsv)",
    )


def _whole(at_most: int) -> Callable[[str], int]:
    """The type of an option that is a whole number from 1 to `at_most`."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:10]) <= at_most:
            raise argparse.ArgumentTypeError(commands.NOT_FROM_TO(value=repr(text), least=1, most=at_most).problem)
        return int(text)

    return number
