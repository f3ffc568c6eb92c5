"""Lines on standard error: notes, summaries and errors."""

from __future__ import annotations

import contextlib
import sys

from partwise.errors import one_line


def print_stderr(line: str) -> None:
    """Print a line on standard error, if there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(one_line(line), file=sys.stderr, flush=True)
