"""This process: runs read, scored and let go, in as many threads as there are cores.

Large files come in pieces of whole topics; a piece, or a whole small run, is the unit of work. The outcome does not
depend on the number of threads: scores, notes and the first error are those of one run after another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from partwise.direct import Progress as Progress
from partwise.direct import cores
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation, ScoredPiece
from partwise.kernels import Pool
from partwise.model import Block, Irregular, Piece, Run, Scores

T = TypeVar("T")


class RunSource(Protocol):
    """Where runs come from: a file or an object."""

    def read(self, notes: list[str]) -> list[Run]:
        """Its runs; what is odd about them is noted."""
        ...

    def pieces(self, pool: Pool | None) -> Iterator[Callable[[], Piece]] | None:
        """What gives its one run piece by piece, read ahead by the pool; None if it is to be read whole."""
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
    readers, workers = _shared_out(jobs)
    work = _Work(evaluation, sources, Pool(readers) if readers else None)
    told(0, len(sources))
    done = 0
    for outcome in _outcomes(work.tasks(), workers, readers + 1 if readers else 0):
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

    def __init__(self, evaluation: Evaluation, sources: Sequence[RunSource], pool: Pool | None) -> None:
        self.evaluation = evaluation
        self.sources = sources
        self.pool = pool
        self.pieces: list[ScoredPiece] = []
        self.irregular: set[int] = set()

    def tasks(self) -> Iterator[Callable[[], Any]]:
        """The pieces of each source and a mark behind the last; or the source as a whole."""
        for number, source in enumerate(self.sources):
            pieces = source.pieces(self.pool)
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


def _shared_out(jobs: int) -> tuple[int, int]:
    """So many threads: those that read blocks, which need no interpreter, and those that score."""
    return jobs // 2, jobs - jobs // 2


def _ahead(tasks: Iterator[T], count: int) -> Iterator[T]:
    """The same tasks, taken so many ahead by a thread: files are read and unpacked while others are scored."""
    import queue
    import threading

    taken: queue.SimpleQueue[tuple[list[T], BaseException | None]] = queue.SimpleQueue()
    room = threading.Semaphore(count)
    is_wanted = True

    def take() -> None:
        try:
            for task in tasks:
                taken.put(([task], None))
                del task
                room.acquire()
                if not is_wanted:
                    return
            taken.put(([], None))
        except BaseException as error:
            taken.put(([], error))

    threading.Thread(target=take, daemon=True).start()
    try:
        while True:
            task, error = taken.get()
            if error is not None:
                raise error
            if not task:
                return
            yield task.pop()
            room.release()
    finally:
        is_wanted = False
        room.release()


def _outcomes(tasks: Iterator[Callable[[], T]], workers: int, ahead: int) -> Iterator[T]:
    """What the tasks give, in their order, some of them worked on at a time; the first error is the first in order.

    So many tasks are taken ahead; little more than what is worked on is in memory.
    """
    if ahead:
        tasks = _ahead(tasks, ahead)
    if workers == 1:
        for task in tasks:
            yield task()
        return
    import queue
    import threading

    given: queue.SimpleQueue[tuple[Callable[[], T], queue.SimpleQueue[Any]] | None] = queue.SimpleQueue()

    def work() -> None:
        while (item := given.get()) is not None:
            task, answer = item
            try:
                answer.put((task(), None))
            except BaseException as error:
                answer.put((None, error))
            del item, task, answer

    threads: list[threading.Thread] = []
    begun: deque[queue.SimpleQueue[Any]] = deque()

    def first() -> T:
        value, error = begun.popleft().get()
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    try:
        for task in tasks:
            if len(threads) < workers:
                threads.append(threading.Thread(target=work, daemon=True))
                threads[-1].start()
            answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
            given.put((task, answer))
            begun.append(answer)
            del task
            if len(begun) > workers:
                yield first()
        while begun:
            yield first()
    finally:
        for _ in threads:
            given.put(None)
