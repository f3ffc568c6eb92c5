"""The command line: one module per command, each thin over the Python interface."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from partwise._version import __version__
from partwise.cli.stderr import say
from partwise.errors import PartwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

BAD_INPUT = 2
COMMANDS = (
    "evaluate",
    "compare",
    "study",
    "report",
    "check",
    "measures",
    "convert",
    "locate",
    "index",
    "tree",
    "ideal",
    "explain",
    "navigation",
    "demo",
)
"""A module each, in the order of the help."""


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal; argparse itself would load `shutil` to know that, even where no help is wanted."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (AttributeError, OSError, ValueError):
        return 80


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        raise PartwiseError(f"{self.prog}: {message}", f"see {self.prog} --help")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"partwise {__version__} (native kernels)")
        parser.exit()


def parser(wanted: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The command line: all of it, or some commands, for to load the others takes longer than a small evaluation."""
    top = _Parser(
        prog="partwise",
        description="Evaluate the retrieval of parts of documents: passages, XML elements, RAG chunks.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show the version")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser, prog=top.prog)
    for name in wanted:
        import_module(f"partwise.cli.{name}").add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all is fine, 1 if something was odd and it said so, 2 on bad input or usage."""
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        given = parser(words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS).parse_args(words)
        code = int(given.run(given))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except PartwiseError as error:
        say(str(error))
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has seen enough; nothing more may be written, also not at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # Files tell their own errors; what is left is standard output.
        say(f"standard output cannot be written ({error.strerror or error}), give -o FILE")
        return BAD_INPUT
    except KeyboardInterrupt:
        say("interrupted")
        return 130
