"""Evaluators for studies: what they need of one, and how qrels, runs and options become one.

Studies are below `partwise.api`, which has the evaluator. So `partwise` itself says here how to get it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from partwise.errors import PartwiseError
from partwise.messages import Message, commands
from partwise.options import Options, RunId
from partwise.scores import Scores

if TYPE_CHECKING:
    from partwise.evaluation import Evaluation
    from partwise.model import Run


class Evaluates(Protocol):
    """Prepared assessments and measures that score and read runs: `partwise.Evaluator`."""

    evaluation: Evaluation

    @property
    def unit(self) -> str:
        """What offsets and measures count."""
        ...

    def with_measures(self, measures: Any) -> Evaluates:
        """The same with other measures."""
        ...

    def read(self, runs: Any, *, run_id: RunId | None = None) -> Iterator[Run]:
        """Yield the runs one by one, named by `run_id` or else by the option of the evaluator."""
        ...

    def evaluate(self, runs: Any, *, run_id: RunId | None = None, progress: Any = None) -> Scores:
        """The scores of the runs."""
        ...


class _Factory:
    """Returns the class of evaluators; set by `partwise`, and called when one is needed."""

    load: Callable[[], Any]


def set_evaluator(load: Callable[[], Any]) -> None:
    _Factory.load = staticmethod(load)


def evaluator_of(qrels: Any, measures: Any, options: dict[str, Any]) -> Evaluates:
    """An evaluator as it is given, or one of qrels, measures and the options of `evaluate`."""
    if hasattr(qrels, "evaluation"):
        _refuse_others(commands.OPTION_WITH_EVALUATOR, measures, options)
        evaluator: Evaluates = qrels
        return evaluator
    made: Evaluates = _Factory.load().from_options(qrels, measures, Options(**options))
    return made


def scores_of(
    qrels: Any, runs: Any, measures: Any, options: dict[str, Any], progress: Any = None
) -> tuple[Scores, list[str]]:
    """Scores as they are given, or those of runs; and the notes of scoring them."""
    if isinstance(qrels, Scores):
        if runs is not None:
            raise PartwiseError(commands.RUNS_AND_SCORES())
        _refuse_others(commands.OPTION_WITH_SCORES, measures, options)
        return qrels, []
    if runs is None:
        raise PartwiseError(commands.NO_RUN())
    scores = evaluator_of(qrels, measures, options).evaluate(runs, progress=progress)
    return scores, list(scores.notes)


def _refuse_others(message: Message, measures: Any, options: dict[str, Any]) -> None:
    """Raise an error if measures or options are given with what already has them."""
    for name in ["measures"] * (measures is not None) + list(Options(**options).given()):
        raise PartwiseError(message(name=name))
