"""Perturbation: how a measure reacts to non-relevant results at the top of the list or after the first result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from partwise.evaluation import Evaluation
from partwise.evaluators import evaluator_of
from partwise.measures import better_of
from partwise.messages import studies
from partwise.model import TO_END, Coded, Ints, Paths, Run
from partwise.options import RunId
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row, check_whole

COUNTS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
MOST_INSERTED = 100_000
PLACES = {"before": 0, "between": 1}
"""The number of results before the inserted ones: before rank 1, or between ranks 1 and 2."""


@dataclass(frozen=True, repr=False)
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
    rows: list[Row] = []
    all_runs = list(evaluator.read(runs, run_id=run_id))
    steps = [(place, count) for place in PLACES for count in dict.fromkeys((0, *counts))]
    for number, run in enumerate(all_runs):
        base, size = in_order(evaluation, run)
        means: dict[str, float] = {}
        for step, (place, count) in enumerate(steps):
            blocks, _ = evaluation.score(base if count == 0 else inserted(base, PLACES[place], count, size))
            for block in blocks:
                if count == 0:
                    means[block.measure] = block.aggregate
                rows.append(
                    {
                        "run_id": run.run_id,
                        "measure": block.measure,
                        "place": place,
                        "inserted": count,
                        "mean": block.aggregate,
                        "change": block.aggregate / means[block.measure] - 1 if means[block.measure] else None,
                    }
                )
            if progress is not None:
                progress(number * len(steps) + step + 1, len(all_runs) * len(steps))
    order = {measure.name: i for i, measure in enumerate(evaluation.measures)}
    rows.sort(key=lambda row: (order[row["measure"]], row["place"]))  # stable: runs and numbers stay in order
    lower = [measure for measure in order if better_of(measure) == "lower"]
    notes = [studies.LOWER_IS_BETTER.note(measures=", ".join(lower))] if lower else []
    return Perturbation(rows, tuple(notes))


def in_order(evaluation: Evaluation, run: Run) -> tuple[Run, int]:
    """The judged queries of the run with ranks from 1, and the median size of its results."""
    taken, ranks, sizes = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for batch in evaluation.batches(run):
        taken.append(batch.row)
        ranks.append(np.arange(len(batch)) - batch.offsets[batch.query_of_row])
        size = np.bincount(
            batch.row_of_span, np.where(batch.end == TO_END, -np.inf, batch.end - batch.start), minlength=len(batch)
        )
        sizes.append(size[size > 0].astype(np.int64))
    rank = np.concatenate(ranks)
    all_sizes = np.concatenate(sizes)
    base = run.take(np.concatenate(taken))
    return _ranked(base, rank), max(1, int(np.median(all_sizes))) if len(all_sizes) else 1


def _ranked(run: Run, rank: Ints) -> Run:
    return replace(run, rank=rank + 1, score=-rank.astype(np.float64), trec_order=False)


def inserted(run: Run, kept: int, count: int, size: int) -> Run:
    """The run with `count` results of an unjudged document after the first `kept` of every query."""
    if run.rank is None:
        raise RuntimeError("a run must be ordered before results are inserted")
    rank = run.rank - 1
    queries = np.unique(run.query.codes)
    fresh = len(queries) * count
    names = list(run.doc.names)
    unjudged = "unjudged"
    while unjudged in names:
        unjudged += "'"
    place = np.tile(np.arange(count), len(queries))
    start = place * size
    offsets = run.span_offsets
    paths = run.paths
    if paths is not None:
        paths = Paths(np.append(paths.offsets, np.full(fresh, paths.offsets[-1])), paths.first, paths.last)
    held = np.minimum(np.bincount(run.query.codes, minlength=len(run.query.names)), kept)[np.repeat(queries, count)]
    longer = replace(
        run,
        query=Coded(np.append(run.query.codes, np.repeat(queries, count)), run.query.names),
        doc=Coded(np.append(run.doc.codes, np.full(fresh, len(names))), [*names, unjudged]),
        span_offsets=np.append(offsets, offsets[-1] + 1 + np.arange(fresh)),
        start=np.append(run.start, start),
        end=np.append(run.end, start + size),
        paths=paths,
        lines=np.append(run.lines if run.lines is not None else np.arange(len(run)) + 1, np.zeros(fresh, np.int64)),
    )
    return _ranked(longer, np.append(np.where(rank < kept, rank, rank + count), held + place))
