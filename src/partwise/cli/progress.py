"""A progress bar on standard error, once a job has taken a second and somebody is looking."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

PATIENCE = 1.0


@contextlib.contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with what is done and what there is to do; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()
    bar: list[Any] = []

    def advance(done: int, total: int) -> None:
        if not bar:
            if time.monotonic() - began < PATIENCE:
                return
            from rich.console import Console
            from rich.progress import Progress

            progress = Progress(console=Console(stderr=True), transient=True)
            progress.start()
            bar.extend((progress, progress.add_task(title, total=total)))
        bar[0].update(bar[1], completed=done, total=total)

    try:
        yield advance
    finally:
        if bar:
            bar[0].stop()
