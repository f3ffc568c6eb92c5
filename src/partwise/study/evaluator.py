"""What studies ask of an evaluator, so that they need not know the interface that offers it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from partwise.evaluation import Evaluation
from partwise.model import Run, Scores
from partwise.options import RunId


class Evaluates(Protocol):
    """Assessments and measures made ready, and a way to read runs: `partwise.Evaluator`."""

    evaluation: Evaluation

    def read(self, runs: Any, *, run_id: RunId | None = None) -> Iterator[Run]:
        """The runs, one by one, named as the evaluator's options say unless `run_id` is given."""
        ...

    def evaluate(self, runs: Any, *, run_id: RunId | None = None, progress: Any = None) -> Scores:
        """The scores of the runs."""
        ...
