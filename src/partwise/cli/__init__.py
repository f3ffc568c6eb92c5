"""The command line: one module per command, each thin over the Python interface."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

from partwise._version import __version__
from partwise.cli.options import reading_from
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.files import streams_read_once
from partwise.messages import commands
from partwise.settings import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

BAD_INPUT = 2
COMMANDS = (
    "evaluate",
    "compare",
    "gate",
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
    "diagnose",
    "navigation",
    "demo",
)
"""The commands in the order in which the help lists them; each has a module."""

COLLECTED_AT_ONCE = 200_000
"""New objects after which Python looks for unreachable cycles. A command keeps most of what it makes until it ends, and
a small evaluation, which makes 40,000, ends before the first search."""


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal; argparse would import `shutil` for that, even if no help is printed."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (AttributeError, OSError, ValueError):
        return 80


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        raise PartwiseError(commands.USAGE(command=self.prog, problem=message))


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"partwise {__version__} (native kernels)")
        parser.exit()


def parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of all commands, or of those named: importing the others takes longer than a small evaluation."""
    top = _Parser(
        prog="partwise",
        description="Evaluate the retrieval of parts of documents: passages, XML elements, RAG chunks.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    subparsers = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_Parser, prog=top.prog
    )
    for name in names:
        import_module(f"partwise.cli.{name}").add(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 for success, 1 if it reported problems, 2 for bad input or usage."""
    if arguments is not None:
        return _exit_code(list(arguments))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # else NumPy starts threads that are not used and spin
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own keeps a third more for small tables
    gc.set_threshold(COLLECTED_AT_ONCE)
    code = _exit_code(sys.argv[1:])
    gc.freeze()  # the process ends: there is no need to search all objects for cycles once more
    return code


_WRITTEN = ("output", "target", "junit", "json", "plot")
"""The arguments that name files to write."""
_NO_FILES = (*_WRITTEN, "command", "measures", "words")


def _refuse_to_overwrite(args: argparse.Namespace) -> None:
    """Raise an error if a file to write is also a file to read, or is to be written twice."""
    written: set[str] = set()
    for name in _WRITTEN:
        path = getattr(args, name, None)
        if isinstance(path, str) and (os.path.isfile(path) or not os.path.exists(path)):
            place = os.path.realpath(path)
            if place in written:
                raise PartwiseError(commands.WRITTEN_TWICE(), file=path)
            written.add(place)
    for name, value in vars(args).items():
        if name not in _NO_FILES and written:
            for path in _texts(value):
                if os.path.isfile(path) and os.path.realpath(path) in written:
                    raise PartwiseError(commands.OVERWRITES_INPUT(), file=path)


def _texts(value: Any) -> Iterator[str]:
    """The texts in an argument, which may be files: those of ``--as`` are in pairs."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)


def _exit_code(words: list[str]) -> int:
    try:
        args = parser(words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS).parse_args(words)
        args.words = words
        _refuse_to_overwrite(args)
        with reading(**reading_from(args)), streams_read_once():
            code = int(args.run(args))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except PartwiseError as error:
        for note in getattr(error, "__notes__", ()):
            print_stderr(f"note: {note}")
        print_stderr(str(error))
        return BAD_INPUT
    except MemoryError:
        print_stderr(commands.OUT_OF_MEMORY.note())
        return BAD_INPUT
    except BrokenPipeError:
        # The reader of the pipe has gone: the flush at exit must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # Errors of files are PartwiseErrors, so this one is about standard output.
        print_stderr(commands.CANNOT_WRITE.note(reason=error.strerror or error))
        return BAD_INPUT
    except KeyboardInterrupt:
        print_stderr(commands.INTERRUPTED.note())
        return 130
