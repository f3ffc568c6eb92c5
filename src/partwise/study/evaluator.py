"""The evaluator that studies need, as a protocol so that they do not import `partwise.api`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from partwise.evaluation import Evaluation
from partwise.model import Run, Scores
from partwise.options import RunId


class Evaluates(Protocol):
    """Prepared assessments and measures that score and read runs: `partwise.Evaluator`."""

    evaluation: Evaluation

    def read(self, runs: Any, *, run_id: RunId | None = None) -> Iterator[Run]:
        """Yield the runs one by one, named by `run_id` or else by the option of the evaluator."""
        ...

    def evaluate(self, runs: Any, *, run_id: RunId | None = None, progress: Any = None) -> Scores:
        """The scores of the runs."""
        ...
