"""Perturbation: how a measure reacts to non-relevant results at the top of the list or after the first result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from partwise.evaluation import Evaluation
from partwise.evaluators import evaluator_of
from partwise.measures import Measure, better_of
from partwise.messages import studies
from partwise.model import LARGEST_OFFSET, TO_END, Run, counting
from partwise.options import RunId
from partwise.records import record
from partwise.resolving import Batch
from partwise.resolving.inserting import Unjudged, first_results, pieces
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row, check_whole

COUNTS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
MOST_INSERTED = 100_000
ARRAY_FREED = 1 << 24
PLACES = {"before": 0, "between": 1}
"""The number of results before the inserted ones: before rank 1, or between ranks 1 and 2."""


@record(repr=False)
class Perturbation(Findings):
    """The result of `perturb`: one row per run, measure, place and number of inserted results."""

    labels: ClassVar[int] = 3
    key_columns: ClassVar[tuple[str, ...]] = ("run_id", "measure", "place")
    pivoted: ClassVar[tuple[Any, Any, str] | None] = (key_columns, "inserted", "mean")
    means: Sequence[Row]
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.means)

    def tables(self) -> list[tuple[str, list[Row]]]:
        """One table with a column per number of inserted results."""
        rows: dict[tuple[str, str, str], Row] = {}
        for row in self.means:
            key = row["run_id"], row["measure"], row["place"]
            cells = rows.setdefault(key, {"run": key[0], "measure": key[1], "place": key[2]})
            cells[str(row["inserted"])] = row["mean"]
        return [(studies.PERTURBATION.note(), list(rows.values()))]


def perturb(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    counts: Sequence[int] = COUNTS,
    run_id: RunId | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Perturbation:
    """Insert results of an unjudged document into every query of the runs, and score them (Kazai and Lalmas 2006).

    `counts` are the numbers of results to insert. Their length is the median of the run's results, and no two are the
    same. Queries without results are not changed.

    `qrels`, `runs`, `measures` and `options` are those of `partwise.evaluate`; a `partwise.Evaluator` may be given
    instead of the assessments, without measures and options.

    - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
    - `progress`: a function that is called with the number of steps done and their total.
    """
    for count in counts:
        check_whole("counts", count, 1, MOST_INSERTED)
    evaluator = evaluator_of(qrels, measures, options)
    evaluation = evaluator.evaluation
    views = _views(evaluation)
    all_runs = list(evaluator.read(runs, run_id=run_id))
    steps = [(place, count) for place in PLACES for count in dict.fromkeys((0, *counts))]
    means: list[list[dict[Measure, float]]] = []
    # The C library returns free memory to the system, and gets it back for the next list, a page at a time, unless it
    # is less than twice the largest array that was freed: a third of the time.
    np.empty(ARRAY_FREED, np.uint8)
    for number, run in enumerate(all_runs):
        lists = _lists_of(evaluation, run)
        without = dict(zip(evaluation.measures, evaluation.aggregates(lists.batches), strict=True))
        seen = [view.of(lists) for view in views]
        of_run = []
        for step, (place, count) in enumerate(steps):
            of_run.append(dict(without))
            for lists_seen in seen if count else ():
                of_run[-1] |= lists_seen.means(PLACES[place], count)
            if progress is not None:
                progress(number * len(steps) + step + 1, len(all_runs) * len(steps))
        means.append(of_run)
    rows: list[Row] = [
        {
            "run_id": run.run_id,
            "measure": measure.name,
            "place": place,
            "inserted": count,
            "mean": of_run[step][measure],
            "change": of_run[step][measure] / of_run[0][measure] - 1 if of_run[0][measure] else None,
        }
        for measure in evaluation.measures
        for chosen in PLACES
        for run, of_run in zip(all_runs, means, strict=True)
        for step, (place, count) in enumerate(steps)
        if place == chosen
    ]
    lower = [measure.name for measure in evaluation.measures if better_of(measure.name) == "lower"]
    notes = [studies.LOWER_IS_BETTER.note(measures=", ".join(lower))] if lower else []
    return Perturbation(rows, tuple(notes))


@record()
class _Lists:
    """The results of a run for judged queries, none of them tied, and the length of what is inserted."""

    batches: Sequence[Batch]
    size: int


def _lists_of(evaluation: Evaluation, run: Run) -> _Lists:
    batches = [replace(batch, tie=counting(len(batch))) for batch in evaluation.batches(run)]
    sizes = [np.empty(0, np.int64)]
    for batch in batches:
        size = np.bincount(
            batch.row_of_span, np.where(batch.end == TO_END, -np.inf, batch.end - batch.start), minlength=len(batch)
        )
        sizes.append(size[size > 0].astype(np.int64))
    all_sizes = np.concatenate(sizes)
    return _Lists(batches, max(1, int(np.median(all_sizes))) if len(all_sizes) else 1)


def _views(evaluation: Evaluation) -> list[_View]:
    """The measures by what they can see of inserted results."""
    measures: dict[tuple[int | None, bool], list[Measure]] = {}
    for measure in evaluation.measures:
        measures.setdefault((measure.results_used, measure.joins_unjudged), []).append(measure)
    return [_View(evaluation.with_measures(some), *key) for key, some in measures.items()]


@record()
class _View:
    """Measures that use the same number of results, None for all, and that join unjudged results or do not."""

    evaluation: Evaluation
    results_used: int | None
    joins: bool

    def of(self, lists: _Lists) -> _Seen:
        if self.results_used is None:
            return _Seen(self, lists)
        used = [first_results(batch, self.results_used) for batch in lists.batches]
        return _Seen(self, _Lists(used, lists.size))


class _Seen:
    """The results of a run that some measures can see."""

    def __init__(self, view: _View, lists: _Lists) -> None:
        self._view = view
        self._lists = lists
        self._known: dict[tuple[int, int], dict[Measure, float]] = {}
        self._longer: dict[int, list[Unjudged]] = {}

    def means(self, kept: int, count: int) -> dict[Measure, float]:
        """The means of the measures after `count` results are inserted after the first `kept`."""
        if self._view.results_used is not None:
            count = min(count, max(0, self._view.results_used - kept))
        if (kept, count) not in self._known:
            evaluation = self._view.evaluation
            values = evaluation.aggregates(self._inserted(kept, count))
            self._known[kept, count] = dict(zip(evaluation.measures, values, strict=True))
        return self._known[kept, count]

    def _inserted(self, kept: int, count: int) -> Iterator[Batch]:
        size = self._lists.size
        if self._view.joins and count * size <= LARGEST_OFFSET:
            if kept not in self._longer:
                self._longer[kept] = [Unjudged(batch, kept, 1) for batch in self._lists.batches]
            yield from (longer.of_size(count * size) for longer in self._longer[kept])
            return
        for batch in self._lists.batches:
            for part in pieces(batch, count, self._view.evaluation.rows_per_batch):
                yield Unjudged(part, kept, count).of_size(size)
