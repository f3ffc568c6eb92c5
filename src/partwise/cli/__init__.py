"""The command line: one module per command, each thin over the Python interface."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from partwise._version import __version__
from partwise.errors import PartwiseError

BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise PartwiseError(f"{self.prog}: {message}", f"see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="partwise",
        description="Evaluate the retrieval of parts of documents: passages, XML elements, RAG chunks.",
    )
    parser.add_argument("--version", action="version", version=f"partwise {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    from partwise.cli import demo, evaluate, measures

    for module in (evaluate, measures, demo):
        module.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all is fine, 2 on bad input or usage."""
    try:
        given = _parser().parse_args(arguments)
        code = int(given.run(given))
        sys.stdout.flush()
        return code
    except PartwiseError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has seen enough; nothing more may be written, also not at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
