"""This process: one run after another, each read, scored and let go."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.model import Block, Run, Scores

Progress = Callable[[int, int], None]
"""Called with the number of run files done and of all."""


def evaluate(
    evaluation: Evaluation,
    sources: list[Callable[[], list[Run]]],
    notes: list[str],
    progress: Progress | None = None,
) -> Scores:
    """The scores of all runs that the sources give, in their order."""
    blocks: list[Block] = []
    names: dict[str, str] = {}
    for done, source in enumerate(sources):
        if progress is not None:
            progress(done, len(sources))
        for run in _distinct(source(), names):
            found, odd = evaluation.score(run)
            blocks += found
            notes += odd
    if progress is not None:
        progress(len(sources), len(sources))
    return Scores(blocks, evaluation.judged, tuple(notes))


def _distinct(runs: list[Run], names: dict[str, str]) -> Iterable[Run]:
    for run in runs:
        if run.run_id in names:
            raise PartwiseError(
                f"two runs are called {run.run_id!r}, in {names[run.run_id]} and {run.source.name}",
                "give every run its own name",
            )
        names[run.run_id] = run.source.name
        yield run
