"""How does a measure take irrelevant results, at the top of the list or behind the first result?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from partwise.evaluation import Evaluation
from partwise.measures import better_of
from partwise.model import TO_END, Coded, Ints, Paths, Run
from partwise.options import RunId
from partwise.study.chance import Progress
from partwise.study.evaluator import Evaluates
from partwise.study.findings import Findings, Row, whole

COUNTS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
PLACES = {"before": 0, "between": 1}
"""Before rank 1, or between ranks 1 and 2: how many results stay in front."""


@dataclass(frozen=True, repr=False)
class Perturbation(Findings):
    """What `perturb` found: a row per run, measure, place and number of results put in."""

    labels: ClassVar[int] = 3
    found: Sequence[Row]
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.found)

    def tables(self) -> list[tuple[str, list[Row]]]:
        """Numbers of results across."""
        rows: dict[tuple[str, str, str], Row] = {}
        for row in self.found:
            key = row["run_id"], row["measure"], row["place"]
            told = rows.setdefault(key, {"run": key[0], "measure": key[1], "place": key[2]})
            told[str(row["inserted"])] = row["mean"]
        return [("Means after so many results of an unjudged document are put in", list(rows.values()))]


def perturb(
    evaluator: Evaluates,
    runs: Any,
    *,
    counts: Sequence[int] = COUNTS,
    run_id: RunId | None = None,
    progress: Progress | None = None,
) -> Perturbation:
    """Put results of an unjudged document into every query of the runs and score them again (Kazai and Lalmas 2006).

    They are as long as the run's results usually are (the median), and all different. Queries without results stay so.
    """
    for count in counts:
        whole("counts", count, 1)
    evaluation = evaluator.evaluation
    rows: list[Row] = []
    given = list(evaluator.read(runs, run_id=run_id))
    steps = [(place, count) for place in PLACES for count in dict.fromkeys((0, *counts))]
    for number, run in enumerate(given):
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
                progress(number * len(steps) + step + 1, len(given) * len(steps))
    order = {measure.name: i for i, measure in enumerate(evaluation.measures)}
    rows.sort(key=lambda row: (order[row["measure"]], row["place"]))  # stable: runs and numbers stay in order
    lower = [measure for measure in order if better_of(measure) == "lower"]
    notes = [f"lower is better for {', '.join(lower)}"] if lower else []
    return Perturbation(rows, tuple(notes))


def in_order(evaluation: Evaluation, run: Run) -> tuple[Run, int]:
    """The judged queries of the run with ranks counted anew, and the median size of its results."""
    taken, ranks, sizes = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for batch in evaluation.batches(run):
        taken.append(batch.row)
        ranks.append(np.arange(len(batch)) - batch.offsets[batch.query_of_row])
        size = np.bincount(
            batch.row_of_span, np.where(batch.end == TO_END, -np.inf, batch.end - batch.start), minlength=len(batch)
        )
        sizes.append(size[size > 0].astype(np.int64))
    rank = np.concatenate(ranks)
    known = np.concatenate(sizes)
    base = run.take(np.concatenate(taken))
    return _ranked(base, rank), max(1, int(np.median(known))) if len(known) else 1


def _ranked(run: Run, rank: Ints) -> Run:
    return replace(run, rank=rank + 1, score=-rank.astype(np.float64), trec_order=False)


def inserted(run: Run, kept: int, count: int, size: int) -> Run:
    """The run with so many results of an unjudged document behind the first `kept` of every query."""
    if run.rank is None:
        raise RuntimeError("a run is put in order before it is perturbed")
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
