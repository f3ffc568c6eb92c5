"""This process: runs read, scored and let go, in as many threads as there are cores.

Large files come in pieces of whole queries; a piece, or a whole small run, is the unit of work. The outcome does not
depend on the number of threads: scores, notes and the first error are those of one run after another.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation, ScoredPiece
from partwise.model import Block, Irregular, Piece, Run, Scores

if TYPE_CHECKING:
    import threading

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the number of runs done and of all."""


def cores() -> int:
    """How many threads can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class RunSource(Protocol):
    """Where runs come from: a file or an object."""

    def read(self, notes: list[str]) -> list[Run]:
        """Its runs; what is odd about them is noted."""
        ...

    def pieces(self) -> Iterator[Callable[[], Piece]] | None:
        """What gives its one run piece by piece; None if it is to be read whole."""
        ...

    def notes_of_pieces(self, tags: frozenset[str]) -> list[str]:
        """What reading it whole would have noted."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def run_id(self) -> str: ...


def evaluate(
    evaluation: Evaluation,
    sources: Sequence[RunSource],
    notes: list[str],
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Scores:
    """The scores of all runs that the sources give, in their order."""
    blocks: list[Block] = []
    names: dict[str, str] = {}
    told = progress or (lambda done, total: None)
    if jobs is None:
        jobs = cores() if evaluation.threads_help else 1
    if len(sources) == 1 and sources[0].pieces() is None:
        jobs = 1
    work = _Work(evaluation, sources)
    told(0, len(sources))
    done = 0
    for outcome in _outcomes(work.tasks(), jobs):
        ended = work.took(outcome)
        for run_id, origin, scored in ended or ():
            if run_id in names:
                raise PartwiseError(
                    f"two runs are called {run_id!r}, in {names[run_id]} and {origin}", "give every run its own name"
                )
            names[run_id] = origin
            found, odd = scored()
            blocks += found
            notes += odd
        if ended is not None:
            done += 1
            told(done, len(sources))
    return Scores(blocks, evaluation.judged, tuple(notes))


Scored = tuple[str, str, Callable[[], tuple[list[Block], list[str]]]]
"""The id of a run, where it comes from, and what gives its scores and notes or raises its error."""


class _Work:
    """Sources to tasks, and what tasks gave to scored runs."""

    def __init__(self, evaluation: Evaluation, sources: Sequence[RunSource]) -> None:
        self.evaluation = evaluation
        self.sources = sources
        self.pieces: list[ScoredPiece] = []
        self.irregular: set[int] = set()

    def tasks(self) -> Iterator[Callable[[], Any]]:
        """The pieces of each source and a mark behind the last; or the source as a whole."""
        for number, source in enumerate(self.sources):
            pieces = source.pieces()
            begun = False
            try:
                for piece in pieces or ():
                    if number in self.irregular:
                        break
                    begun = True
                    yield lambda piece=piece, number=number: self._piece(number, piece)  # type: ignore[misc]
            except Irregular:
                self.irregular.add(number)
            if begun:
                yield lambda number=number: number  # type: ignore[misc]
            else:
                yield lambda source=source: list(self._whole(source))  # type: ignore[misc]

    def _piece(self, number: int, piece: Callable[[], Piece]) -> ScoredPiece | None:
        try:
            return self.evaluation.score_piece(piece())
        except (Irregular, PartwiseError):
            self.irregular.add(number)
            return None

    def _whole(self, source: RunSource) -> Iterator[Scored]:
        """The scored runs of a source; the first that cannot be scored is the last."""
        notes: list[str] = []
        for run in source.read(notes):
            given, notes = notes, []
            try:
                blocks, odd = self.evaluation.score(run)
            except PartwiseError as error:
                yield run.run_id, run.source.name, _raising(error)
                return
            yield run.run_id, run.source.name, _giving(blocks, given + odd)

    def took(self, outcome: Any) -> Iterable[Scored] | None:
        """The runs of a source when all of it is there, else None."""
        if outcome is None or isinstance(outcome, ScoredPiece):
            if outcome is not None:
                self.pieces.append(outcome)
            return None
        if isinstance(outcome, list):
            return outcome
        pieces, self.pieces = self.pieces, []
        source = self.sources[outcome]
        try:
            if outcome in self.irregular or not sum(piece.rows for piece in pieces):
                raise Irregular
            blocks, odd = self.evaluation.score_pieces(source.run_id, pieces)
        except Irregular:
            return self._whole(source)
        tags = frozenset[str]().union(*(piece.tags for piece in pieces))
        return [(source.run_id, source.name, _giving(blocks, source.notes_of_pieces(tags) + odd))]


def _giving(blocks: list[Block], notes: list[str]) -> Callable[[], tuple[list[Block], list[str]]]:
    return lambda: (blocks, notes)


def _raising(error: PartwiseError) -> Callable[[], tuple[list[Block], list[str]]]:
    def scored() -> tuple[list[Block], list[str]]:
        raise error

    return scored


def _outcomes(tasks: Iterator[Callable[[], T]], jobs: int) -> Iterator[T]:
    """What the tasks give, in their order, some of them worked on at a time; the first error is the first in order.

    Tasks are taken a few ahead, so that little more than what is worked on is in memory.
    """
    if jobs == 1:
        for task in tasks:
            yield task()
        return
    import queue
    import threading

    Answer = queue.SimpleQueue[tuple[Any, BaseException | None]]
    given: queue.SimpleQueue[tuple[Callable[[], T], Answer] | None] = queue.SimpleQueue()
    begun: queue.SimpleQueue[Answer | BaseException | None] = queue.SimpleQueue()
    room = threading.Semaphore(jobs)
    is_wanted = True

    def work() -> None:
        while (item := given.get()) is not None:
            task, answer = item
            try:
                answer.put((task() if is_wanted else None, None))
            except BaseException as error:
                answer.put((None, error))
            del item, task, answer

    def take() -> None:
        """Take the tasks: files are read, and unpacked, while others are scored."""
        try:
            for task in tasks:
                answer: Answer = queue.SimpleQueue()
                given.put((task, answer))
                begun.put(answer)
                del task
                if len(workers) < jobs:
                    with contextlib.suppress(RuntimeError):  # no more can be had: those that there are will do
                        workers.append(_started(work))
                room.acquire()
                if not is_wanted:
                    return
            begun.put(None)
        except BaseException as error:
            begun.put(error)

    workers = [_started(work)]
    taking = _started(take)
    try:
        while (answer := begun.get()) is not None:
            if isinstance(answer, BaseException):
                raise answer
            value, error = answer.get()
            if error is not None:
                raise error
            room.release()
            yield value
    finally:
        is_wanted = False
        room.release()
        taking.join()
        for _ in workers:
            given.put(None)
        for worker in workers:
            worker.join()


def _started(target: Callable[[], None]) -> threading.Thread:
    import threading

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread
