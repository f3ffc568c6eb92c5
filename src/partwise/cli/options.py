"""The command line's options for an evaluation, made from the fields of `Options`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from partwise.options import FIELDS, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INPUTS = [name for name in FIELDS if name not in ("task", "jobs")]
"""How assessments and runs are read: all but what is computed, and in how many threads."""


def add_option(parser: argparse.ArgumentParser, name: str, **changes: Any) -> None:
    """An option as its field describes it, but for what this command has otherwise."""
    of_option = FIELDS[name]
    settings: dict[str, Any] = {"default": of_option.default, "help": of_option.metadata["help"]}
    if of_option.default is False:
        settings["action"] = "store_true"
    else:
        settings["metavar"] = of_option.metadata["metavar"]
        if of_option.metadata["repeatable"]:
            settings["action"] = "append"
        elif of_option.metadata["choices"]:
            settings["type"] = one_of(of_option.metadata["choices"])
        elif of_option.metadata["at_most"] is not None:
            settings["type"] = _whole(of_option.metadata["at_most"])
    parser.add_argument(f"--{name.replace('_', '-')}", **{**settings, **changes})


def add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    for name in names:
        add_option(parser, name)


def options_from(given: argparse.Namespace) -> Options:
    """The options that a command was given; those that it does not have are left at their defaults."""
    return Options(**{name: getattr(given, name) for name in FIELDS if hasattr(given, name)})


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """An option's type: one of these words."""

    def chosen(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")
        return text

    return chosen


def _whole(at_most: int) -> Callable[[str], int]:
    """An option's type: a whole number from 1 to this."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:10]) <= at_most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {at_most}")
        return int(text)

    return number
