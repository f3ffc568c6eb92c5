"""Perturbation once more: results are inserted into the run itself, which is then resolved and scored as any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import partwise as pw
from partwise.evaluation import Evaluation
from partwise.model import TO_END, Coded, Paths, Run

PLACES = {"before": 0, "between": 1}


def perturbed(evaluator: pw.Evaluator, runs: Any, counts: Sequence[int]) -> list[dict[str, Any]]:
    """The rows of `partwise.study.perturb`."""
    evaluation = evaluator.evaluation
    rows = []
    for run in evaluator.read(runs):
        base, size = in_order(evaluation, evaluation.in_unit(run))
        for place, kept in PLACES.items():
            means: dict[str, float] = {}
            for count in (0, *counts):
                longer = base if count == 0 else inserted(base, kept, count, size, evaluation)
                for block in evaluation.score(longer)[0]:
                    whole = means.setdefault(block.measure, block.aggregate)
                    row = {"run_id": run.run_id, "measure": block.measure, "place": place, "inserted": count}
                    change = block.aggregate / whole - 1 if whole else None
                    rows.append({**row, "mean": block.aggregate, "change": change})
    order = [measure.name for measure in evaluation.measures]
    return sorted(rows, key=lambda row: (order.index(row["measure"]), row["place"]))


def in_order(evaluation: Evaluation, run: Run) -> tuple[Run, int]:
    """The judged queries of the run with ranks from 1, and the median size of its results."""
    taken, ranks, sizes = [], [], []
    for batch in evaluation.batches(run):
        taken += batch.row.tolist()
        ranks += (np.arange(len(batch)) - batch.offsets[batch.query_of_row]).tolist()
        for low, high in zip(batch.span_offsets[:-1].tolist(), batch.span_offsets[1:].tolist(), strict=True):
            starts, ends = batch.start[low:high].tolist(), batch.end[low:high].tolist()
            if TO_END not in ends and sum(ends) > sum(starts):
                sizes.append(sum(ends) - sum(starts))
    base = run.take(np.array(taken, np.int64))
    return _ranked(base, np.array(ranks, np.int64)), max(1, int(np.median(sizes))) if sizes else 1


def _ranked(run: Run, rank: Any) -> Run:
    return replace(run, rank=rank + 1, score=-rank.astype(np.float64), trec_order=False)


def inserted(run: Run, kept: int, count: int, size: int, evaluation: Evaluation) -> Run:
    """The run with `count` results of an unjudged document after the first `kept` of every query."""
    assert run.rank is not None
    rank = run.rank - 1
    queries = np.unique(run.query.codes)
    fresh = len(queries) * count
    names = list(run.doc.names)
    unjudged = "unjudged"
    while unjudged in names or unjudged in evaluation.judgements.docs:
        unjudged += "'"
    place = np.tile(np.arange(count), len(queries))
    offsets, paths = run.span_offsets, run.paths
    if paths is not None:
        paths = Paths(np.append(paths.offsets, np.full(fresh, paths.offsets[-1])), paths.first, paths.last)
    held = np.minimum(np.bincount(run.query.codes, minlength=len(run.query.names)), kept)[np.repeat(queries, count)]
    longer = replace(
        run,
        query=Coded(np.append(run.query.codes, np.repeat(queries, count)), run.query.names),
        doc=Coded(np.append(run.doc.codes, np.full(fresh, len(names))), [*names, unjudged]),
        span_offsets=np.append(offsets, offsets[-1] + 1 + np.arange(fresh)),
        start=np.append(run.start, place * size),
        end=np.append(run.end, place * size + size),
        paths=paths,
        lines=np.append(run.lines if run.lines is not None else np.arange(len(run)) + 1, np.zeros(fresh, np.int64)),
    )
    return _ranked(longer, np.append(np.where(rank < kept, rank, rank + count), held + place))
