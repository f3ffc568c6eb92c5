"""A progress bar on standard error, shown on a terminal for jobs that take more than a second."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

PATIENCE = 1.0


@contextlib.contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function of the work done and the total, or None if standard error is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    import threading

    bar = _Bar(title)
    timer = threading.Timer(PATIENCE, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.advance
    finally:
        timer.cancel()
        bar.close()


class _Bar:
    """A bar that counts from the start and is drawn once `show` has been called."""

    def __init__(self, title: str) -> None:
        import threading

        self.title = title
        self.done, self.total = 0, 0
        self.lock = threading.Lock()
        self.closed = False
        self.drawn: contextlib.ExitStack | None = None

    def show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        with self.lock:
            if self.closed:
                return
            self.drawn = contextlib.ExitStack()
            self.progress = self.drawn.enter_context(Progress(console=Console(stderr=True), transient=True))
            self.task = self.progress.add_task(self.title, total=self.total or None, completed=self.done)

    def advance(self, done: int, total: int) -> None:
        with self.lock:
            self.done, self.total = done, total
            if self.drawn is not None:
                self.progress.update(self.task, completed=done, total=total)

    def close(self) -> None:
        with self.lock:
            self.closed = True
            if self.drawn is not None:
                self.drawn.close()
