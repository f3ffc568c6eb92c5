"""The local engine: reads, scores and releases runs in this process, in one thread per core.

Large files are read in pieces of whole queries; a piece, or a whole small run, is the unit of work. The result does not
depend on the number of threads: scores, notes and the first error are those of scoring one run after another.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from partwise.errors import CannotScore, PartwiseError
from partwise.evaluation import Evaluation, Listener
from partwise.messages import engines, grouped
from partwise.messages.reading import explain
from partwise.model import Block, Irregular, Piece, Run, Scores
from partwise.outcomes import Outcome, ScoredPiece
from partwise.settings import cores
from partwise.types import UnscoredRow

if TYPE_CHECKING:
    import threading

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the number of runs that are done and the number of all runs."""


class RunSource(Protocol):
    """A file or an object that runs are read from."""

    def read(self, notes: list[str]) -> list[Run]:
        """Its runs; warnings about them are added to `notes`."""
        ...

    def pieces(self) -> Iterator[Callable[[], Piece]] | None:
        """Functions that return its one run piece by piece; None if it must be read whole."""
        ...

    def whole(self, pieces: Sequence[ScoredPiece]) -> tuple[str, list[str]]:
        """The id of its run, and the notes that reading it whole would have made; `Irregular` if that is necessary."""
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
    listener: Listener | None = None,
) -> Scores:
    """The scores of all runs of the sources, in their order; an error if none of them can be scored.

    With a `listener`, runs are scored as wholes, and it is called with each that was scored, in this thread.
    """
    blocks: list[Block] = []
    unscored: list[UnscoredRow] = []
    first_reason: CannotScore | None = None
    names: dict[str, str] = {}
    judged_text: dict[str, float] = {}
    report = progress or (lambda done, total: None)
    if jobs is None:
        jobs = cores()
    if len(sources) == 1 and sources[0].pieces() is None:
        jobs = 1
    work = _Work(evaluation, sources, keeps_tables=listener is not None)
    report(0, len(sources))
    done = 0
    for outcome in _outcomes(work.tasks(), jobs, AHEAD if listener is None else 0):
        ended = work.took(outcome)
        for scored in ended or ():
            run_id, origin = scored.run_id, scored.source
            if run_id in names:
                raise PartwiseError(engines.SAME_RUN_NAME(run_id=run_id, first=names[run_id], second=origin))
            names[run_id] = origin
            outcome_of_run = scored.outcome()
            if listener is not None and scored.run is not None and outcome_of_run.blocks:
                listener(scored.run, scored.tables or evaluation.tables(scored.run))
            blocks += outcome_of_run.blocks
            notes += outcome_of_run.notes
            if outcome_of_run.judged_text is not None:
                judged_text[run_id] = outcome_of_run.judged_text
            for measure, reason in outcome_of_run.unscored:
                first_reason = first_reason or reason
                unscored.append(UnscoredRow(run_id, measure, str(reason)))
        if ended is not None:
            done += 1
            report(done, len(sources))
    collection = evaluation.judgements.collection
    notes += [] if collection is None else collection.notes_on_reading()
    if first_reason is not None and not blocks:
        raise explain(first_reason, notes)
    scores = Scores(
        blocks,
        evaluation.judged,
        tuple(grouped(notes)),
        unscored,
        kinds=evaluation.kinds,
        unit=evaluation.unit_label,
    )
    scores.judged_text = judged_text
    return scores


AHEAD = 3
"""Tasks that are read ahead of those that are running. With none, a worker that finishes early waits for the reader."""


class Scored(NamedTuple):
    """A scored run."""

    run_id: str
    source: str
    outcome: Callable[[], Outcome]
    """Returns its scores and notes, or raises its error."""
    run: Run | None = None
    tables: Sequence[Any] = ()
    """Those of all its batches, if they are kept: those of one run of a source, which may have many."""


class _Work:
    """Turns sources into tasks, and the outcomes of tasks into scored runs."""

    def __init__(self, evaluation: Evaluation, sources: Sequence[RunSource], keeps_tables: bool = False) -> None:
        self.evaluation = evaluation
        self.sources = sources
        self.keeps_tables = keeps_tables
        self.pieces: list[ScoredPiece] = []
        self.irregular: set[int] = set()

    def tasks(self) -> Iterator[Callable[[], Any]]:
        """The pieces of each source followed by an end mark, its number; or the source as a whole."""
        for number, source in enumerate(self.sources):
            pieces = None if self.keeps_tables else source.pieces()
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
            scored = self.evaluation.score_piece(piece())
            if not scored.is_complete:
                raise Irregular  # the reasons are those of the whole run
            return scored
        except (Irregular, PartwiseError):
            self.irregular.add(number)
            return None

    def _whole(self, source: RunSource) -> Iterator[Scored]:
        """The scored runs of a source, up to the first that cannot be scored."""
        notes: list[str] = []
        runs = source.read(notes)
        for run in runs:
            reading_notes, notes = notes, []
            tables: Sequence[Any] = ()
            try:
                if self.keeps_tables and len(runs) == 1:
                    with contextlib.suppress(CannotScore):  # the outcome has the reason
                        tables = self.evaluation.tables(run)
                outcome = self.evaluation.outcome(run, tables)
            except PartwiseError as error:
                yield Scored(run.run_id, run.source.name, _raising(error))
                return
            outcome = outcome._replace(notes=reading_notes + outcome.notes)
            yield Scored(run.run_id, run.source.name, _returning(outcome), run, tables)

    def took(self, outcome: Any) -> Iterable[Scored] | None:
        """The scored runs of a source if this outcome completes it, else None."""
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
            run_id, notes = source.whole(pieces)
            scored = self.evaluation.score_pieces(run_id, pieces)
        except Irregular:
            return self._whole(source)
        return [Scored(run_id, source.name, _returning(scored._replace(notes=notes + scored.notes)))]


def _returning(outcome: Outcome) -> Callable[[], Outcome]:
    return lambda: outcome


def _raising(error: PartwiseError) -> Callable[[], Outcome]:
    def scored() -> Outcome:
        raise error

    return scored


def _outcomes(tasks: Iterator[Callable[[], T]], jobs: int, ahead: int = AHEAD) -> Iterator[T]:
    """The outcomes of the tasks in their order, `jobs` at a time; the error raised is the first in that order.

    Tasks are drawn only a few `ahead`, so that memory holds little more than the tasks that are running.
    """
    if jobs == 1:
        for task in tasks:
            yield task()
        return
    import queue
    import threading

    Answer = queue.SimpleQueue[tuple[Any, BaseException | None]]
    waiting: queue.SimpleQueue[tuple[Callable[[], T], Answer] | None] = queue.SimpleQueue()
    begun: queue.SimpleQueue[Answer | BaseException | None] = queue.SimpleQueue()
    slots = threading.Semaphore(jobs + ahead)
    is_running = True

    def work() -> None:
        while (item := waiting.get()) is not None:
            task, answer = item
            try:
                answer.put((task() if is_running else None, None))
            except BaseException as error:
                answer.put((None, error))
            del item, task, answer

    def take() -> None:
        """Draw the tasks: files are read and decompressed while others are scored."""
        try:
            for task in tasks:
                answer: Answer = queue.SimpleQueue()
                waiting.put((task, answer))
                begun.put(answer)
                del task
                if len(workers) < jobs:
                    with contextlib.suppress(RuntimeError):  # no more threads: go on with those that started
                        workers.append(_started(work))
                slots.acquire()
                if not is_running:
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
            slots.release()
            yield value
    finally:
        is_running = False
        slots.release()
        taking.join()
        for _ in workers:
            waiting.put(None)
        for worker in workers:
            worker.join()


def _started(target: Callable[[], None]) -> threading.Thread:
    import threading

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread
