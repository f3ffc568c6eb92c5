"""Scores and what is concluded from them: `evaluate`, `compare`, `check`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from partwise import formats
from partwise.api.evaluator import Evaluator
from partwise.api.sources import run_sources
from partwise.collection import opened
from partwise.engines import local
from partwise.errors import PartwiseError
from partwise.later import checks, comparison, spark_files
from partwise.model import Scores
from partwise.options import AverageOver, Options, Order, RunId, Task, Unit
from partwise.parameters import check_choice
from partwise.types import (
    CheckedTask,
    CollectionInput,
    Correction,
    LengthsInput,
    MeasuresInput,
    NavigationInput,
    QrelsInput,
    RunsInput,
    Test,
)

if TYPE_CHECKING:
    from partwise.checks import Findings
    from partwise.study.comparison import Comparison


def evaluate(
    qrels: QrelsInput,
    runs: RunsInput,
    measures: MeasuresInput | None = None,
    *,
    task: Task | None = None,
    average_over: AverageOver = "judged",
    order: Order | None = None,
    unit: Unit = "chars",
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    collection: CollectionInput | None = None,
    navigation: NavigationInput | None = None,
    run_id: RunId = "stem",
    lenient: bool = False,
    jobs: int | None = None,
    progress: local.Progress | None = None,
) -> Scores:
    """Score runs of document parts against assessments.

    `qrels` and each of `runs` are a path, a mapping by query, a list of dicts, or a pandas, Polars or Arrow table; a
    measure is an object (``pw.iP @ 0.01``) or a name (``"iP@0.01"``). Without measures a default set is reported.
    `navigation` makes models known by name: ``{"users": "users.json"}`` lets a measure say ``nav=users``.

    >>> import partwise as pw
    >>> qrels = [{"query_id": "q1", "doc_id": "handbook", "start": 10, "end": 80}]
    >>> run = {"q1": [{"doc_id": "handbook", "start": 0, "end": 100}]}
    >>> pw.evaluate(qrels, run, ["TextIoU@5", pw.iP @ 0.01]).mean()
    {'run': {'TextIoU@5': 0.7, 'iP@0.01': 0.7}}
    """
    options = Options(
        task=task,
        average_over=average_over,
        order=order,
        unit=unit,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        navigation=navigation,
        run_id=run_id,
        lenient=lenient,
        jobs=jobs,
    )
    return Evaluator.from_options(qrels, measures, options).evaluate(runs, progress=progress)


def compare(
    qrels: QrelsInput | Scores,
    runs: RunsInput | None = None,
    measures: MeasuresInput | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    test: Test = "randomisation",
    correct: Correction | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: local.Progress | None = None,
    task: Task | None = None,
    average_over: AverageOver = "judged",
    order: Order | None = None,
    unit: Unit = "chars",
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    collection: CollectionInput | None = None,
    navigation: NavigationInput | None = None,
    run_id: RunId = "stem",
    lenient: bool = False,
) -> Comparison:
    """Compare the runs with each other, or with one or several baselines, under every measure.

    Give what `evaluate` takes: assessments, runs, measures and its options, as in ``compare(qrels, runs, ["iAP"],
    baseline="bm25")``; or scores alone: ``compare(scores, baseline="bm25")``.

    `test` is ``randomisation`` (sign flips; exact up to 16 queries), ``t``, ``wilcoxon`` or ``tukey`` (randomised HSD
    over all runs). `correct` is ``holm`` (the default), ``bonferroni``, ``bh`` or ``none``, over the pairs of one
    measure; Tukey's test holds for all pairs already. Random numbers come from `seed` alone, whatever `jobs` is: the
    threads that tests are computed in.

    >>> import partwise as pw
    >>> qrels = {"q1": [("d", 0, 50)], "q2": [("d", 50, 80)]}
    >>> runs = {"a": {"q1": [("d", 0, 50)], "q2": [("d", 50, 80)]}, "b": {"q1": [("d", 0, 100)], "q2": [("d", 0, 80)]}}
    >>> [(row["run_id"], row["mean"]) for row in pw.compare(qrels, runs, "TextP", baseline="a").rows()]
    [('a', 1.0), ('b', 0.4375)]
    """
    options = Options(
        task=task,
        average_over=average_over,
        order=order,
        unit=unit,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        navigation=navigation,
        run_id=run_id,
        lenient=lenient,
    )
    noted: Sequence[str] = ()
    if isinstance(qrels, Scores):
        if runs is not None:
            raise PartwiseError("runs are given with scores", "write baseline=... to compare with one of their runs")
        for name in ["measures"] * (measures is not None) + list(options.given()):
            raise PartwiseError(f"{name} is given with scores", "leave it out, or give assessments and runs")
        scores = qrels
    elif runs is None:
        raise PartwiseError("no run is given", "give scores, or assessments and runs")
    else:
        scores = Evaluator.from_options(qrels, measures, options).evaluate(runs)
        noted = scores.notes
    found = comparison.compare(
        scores,
        baseline=baseline,
        test=test,
        correct=correct,
        alpha=alpha,
        confidence=confidence,
        trials=trials,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    return replace(found, notes=(*noted, *found.notes))


def on_spark(path: str | None, master: str | None = None) -> Any:
    """Assessments or lengths at an address (``s3a://...``), read by Spark from Parquet; other paths as they are."""
    if path is None or "://" not in path:
        return path
    return spark_files.read_table(path, master)


def check(
    qrels: QrelsInput,
    runs: RunsInput = (),
    *,
    task: CheckedTask | None = None,
    collection: CollectionInput | None = None,
    lengths: LengthsInput | None = None,
    unit: Unit = "chars",
    run_id: RunId = "stem",
    progress: local.Progress | None = None,
) -> Findings:
    """What is wrong or odd about assessments and runs, by the rules of a task where one is named.

    Lines that cannot be read are findings too; the rest is checked without them.

    >>> import partwise as pw
    >>> run = {"q1": [("handbook", 0, 100), ("handbook", 50, 120)]}
    >>> found = pw.check({"q1": [("handbook", 10, 80)]}, run, task="focused")
    >>> [(finding.severity, finding.rule, finding.count) for finding in found]
    [('error', 'overlap', 1)]
    >>> found[0].examples
    ('run, row 2: the part 50 to 120 of document handbook shares text with the result in row 1, for query q1',)
    """
    if task is not None:
        check_choice("task", task, checks.TASKS)
    options = Options(collection=collection, lengths=lengths, unit=unit, run_id=run_id, lenient=True)
    notes: list[str] = []
    assessments = formats.assessments_from(qrels, unit=options.unit, lenient=options.lenient, notes=notes)
    known = formats.lengths_from(options.lengths, lenient=False, notes=[])
    documents = checks.Documents(opened(options.collection), known, options.unit)
    found = checks.Findings(checks.check_assessments(assessments, notes, documents, task))
    given = [] if isinstance(runs, (list, tuple)) and not runs else runs
    of_runs: list[str] = []
    sources = run_sources(given, options, of_runs) if given else []
    for done, source in enumerate(sources):
        if progress is not None:
            progress(done, len(sources))
        of_runs.clear()
        for number, run in enumerate(source()):
            found += checks.check_run(run, [] if number else of_runs, assessments, documents, task)
    found += documents.findings(task)
    return found


def check_rules() -> list[dict[str, str]]:
    """Every rule of `check`: its name, what it is about, how severe it is in each task, what it finds."""
    return checks.rule_rows()
