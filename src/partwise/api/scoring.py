"""`evaluate`, `compare` and `check`."""

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
from partwise.later import checks, comparison, spark_files, tokens
from partwise.messages import commands
from partwise.model import Scores
from partwise.options import TASKS, AverageOver, Options, Order, RunId, Task, Unit
from partwise.parameters import check_choice
from partwise.resolving.units import assessments_in, run_in
from partwise.types import (
    CollectionInput,
    Correction,
    LengthsInput,
    MeasuresInput,
    NavigationInput,
    QrelsInput,
    QueriesInput,
    RunsInput,
    Test,
    TokenizerInput,
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
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    collection: CollectionInput | None = None,
    navigation: NavigationInput | None = None,
    run_id: RunId = "stem",
    lenient: bool = False,
    jobs: int | None = None,
    progress: local.Progress | None = None,
    queries: QueriesInput | None = None,
    by: str | None = None,
    bins: int | None = None,
) -> Scores:
    """Score runs of document parts against assessments.

    `qrels` and each of `runs` are a path, a mapping by query, a list of dicts, or a pandas, Polars or Arrow table; a
    measure is an object (``pw.iP @ 0.01``) or a name (``"iP@0.01"``). Without measures a default set is reported.

    - `task`: report the measures of this task.
    - `average_over`: ``judged`` averages over all judged queries (without results a query scores 0), ``run`` over those
      of the run.
    - `order`: order results by ``rank`` or ``score`` (default: as the format orders them).
    - `unit`: what offsets and measures count: ``chars``, ``bytes`` (of UTF-8), ``utf16``, ``tokens``, ``lines`` or
      ``seconds`` (default: what the assessments declare, else characters). Files that declare another unit are
      converted through the texts of the `collection`.
    - `tokenizer`: with ``unit="tokens"``, the tokens that are counted in files whose offsets are in characters:
      ``words``, a function from a text to the ``(start, end)`` of each token, or what ``--tokenizer`` takes.
    - `assessor`: the assessor to use where a query has several (default: the first).
    - `lengths`: document lengths, as a mapping or a file.
    - `collection`: the documents, needed for elements: a `Collection` or a path.
    - `navigation`: navigation models by name; ``{"users": "users.json"}`` allows ``nav=users`` in measures.
    - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
    - `lenient`: skip bad lines; the notes of the scores report them.
    - `jobs`: the number of threads (default: one per core).
    - `progress`: a function that is called with the number of sources of runs done and their total.
    - `queries`: the queries, with columns by which ``scores.by("corpus")`` slices the scores: a table or a file.
    - `by`: also compute ``scores.slices``: by a column of the queries, by ``grade`` or ``nugget`` (a slice counts its
      gold only), or by ``doc:PATTERN``, what a regular expression finds in the ids of relevant documents.
    - `bins`: the number of bins for numbers with more different values than that (default: 4 bins for more than 10).

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
        tokenizer=tokenizer,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        navigation=navigation,
        run_id=run_id,
        lenient=lenient,
        jobs=jobs,
    )
    evaluator = Evaluator.from_options(qrels, measures, options)
    return evaluator.evaluate(runs, progress=progress, queries=queries, by=by, bins=bins)


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
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: local.Progress | None = None,
    task: Task | None = None,
    average_over: AverageOver = "judged",
    order: Order | None = None,
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    collection: CollectionInput | None = None,
    navigation: NavigationInput | None = None,
    run_id: RunId = "stem",
    lenient: bool = False,
) -> Comparison:
    """Compare the runs with each other, or with one or several baselines, under every measure.

    Pass the same assessments, runs, measures and options as to `evaluate`: ``compare(qrels, runs, ["iAP"],
    baseline="bm25")``; or scores alone: ``compare(scores, baseline="bm25")``.

    `test` is ``randomisation`` (sign flips; exact up to 16 queries), ``t``, ``wilcoxon`` or ``tukey`` (randomised HSD
    over all runs). `correct` is ``holm`` (the default), ``bonferroni``, ``bh`` or ``none``, over the pairs of one
    measure; Tukey's test needs no correction. `alpha` is the significance level, `confidence` the level of the
    intervals, which are by Wilson's method for means, scaled to the scores, and by Student's t for differences.
    `trials` is the number of random assignments; by default there are 10,000, and more for pairs that could be
    significant if there are so many pairs that 10,000 cannot show it. `jobs` is the number of threads for the tests;
    random numbers depend on `seed` only.

    - `progress`: a function that is called with the number of steps done and their total.
    - `task`: report the measures of this task.
    - `average_over`: ``judged`` averages over all judged queries, ``run`` over those of the run.
    - `order`: order results by ``rank`` or ``score`` (default: as the format orders them).
    - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else characters).
    - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
    - `assessor`: the assessor to use where a query has several (default: the first).
    - `lengths`: document lengths, as a mapping or a file.
    - `collection`: the documents: a `Collection`, a path, or a mapping of ids to texts.
    - `navigation`: navigation models by name.
    - `lenient`: skip bad lines; notes report them.

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
        tokenizer=tokenizer,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        navigation=navigation,
        run_id=run_id,
        lenient=lenient,
    )
    notes: Sequence[str] = ()
    if isinstance(qrels, Scores):
        if runs is not None:
            raise PartwiseError(commands.RUNS_WITH_SCORES())
        for name in ["measures"] * (measures is not None) + list(options.given()):
            raise PartwiseError(commands.OPTION_WITH_SCORES(name=name))
        scores = qrels
    elif runs is None:
        raise PartwiseError(commands.NO_RUN())
    else:
        scores = Evaluator.from_options(qrels, measures, options).evaluate(runs)
        notes = scores.notes
    result = comparison.compare(
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
    return replace(result, notes=(*notes, *result.notes))


def on_spark(path: str | None, master: str | None = None) -> Any:
    """Assessments or lengths in Parquet at a URL (``s3a://...``), read by Spark; other paths unchanged."""
    if path is None or "://" not in path:
        return path
    return spark_files.read_table(path, master)


def check(
    qrels: QrelsInput,
    runs: RunsInput = (),
    *,
    task: Task | None = None,
    collection: CollectionInput | None = None,
    lengths: LengthsInput | None = None,
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    run_id: RunId = "stem",
    progress: local.Progress | None = None,
) -> Findings:
    """Look for errors and suspicious data in assessments and runs.

    `task` applies the rules of that task; `check_rules` lists them all, and tasks that it does not name have the rules
    of no task, those of 2009 the rules of the others. With a `collection` or `lengths`, documents,
    paths and offsets are checked too. Lines that cannot be read are findings, and the rest is checked without them.
    `unit` and `tokenizer` are those of `evaluate`.

    - `qrels`: the assessments, in any form that `partwise.evaluate` takes.
    - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
    - `progress`: a function that is called with the number of steps done and their total.

    >>> import partwise as pw
    >>> run = {"q1": [("handbook", 0, 100), ("handbook", 50, 120)]}
    >>> findings = pw.check({"q1": [("handbook", 10, 80)]}, run, task="focused")
    >>> [(finding.severity, finding.rule, finding.count) for finding in findings]
    [('error', 'overlap', 1)]
    >>> findings[0].examples
    ('run, row 2: the part 50 to 120 of document handbook shares text with the result in row 1, for query q1',)
    """
    if task is not None:
        check_choice("task", task, TASKS)
    options = Options(
        collection=collection, lengths=lengths, unit=unit, tokenizer=tokenizer, run_id=run_id, lenient=True
    )
    notes: list[str] = []
    quotes = None if collection is None else formats.quoted.QuotedRows()
    assessments = formats.assessments_from(
        qrels, unit=options.file_unit, lenient=options.lenient, notes=notes, quotes=quotes
    )
    known_lengths = formats.lengths_from(options.lengths, lenient=False, notes=[], unit=options.unit)
    documents_given = opened(options.collection)
    if documents_given is not None:
        documents_given = documents_given.in_unit(
            options.unit or assessments.unit, None if tokenizer is None else tokens.tokenizer(tokenizer)
        )
    assessments = assessments_in(options.unit, assessments, documents_given)
    documents = checks.Documents(documents_given, known_lengths)
    elsewhere = documents.misplaced(quotes)
    findings = checks.Findings(checks.check_assessments(assessments, notes, documents, task, elsewhere))
    without_runs = runs is None or (isinstance(runs, (list, tuple, dict)) and not runs)
    notes_of_source: list[str] = []
    sources = [] if without_runs else run_sources(runs, options, notes_of_source)
    for done, source in enumerate(sources):
        if progress is not None:
            progress(done, len(sources))
        notes_of_source.clear()
        quotes = None if collection is None else formats.quoted.QuotedRows()
        runs_of_source = [
            run_in(assessments.unit, run, documents.collection) for run in replace(source, quotes=quotes)()
        ]
        elsewhere = documents.misplaced(quotes)
        for number, run in enumerate(runs_of_source):
            lines = set() if run.lines is None or not elsewhere else set(run.lines.tolist())
            of_run = [(line, message) for line, message in elsewhere if line in lines]
            findings += checks.check_run(run, [] if number else notes_of_source, assessments, documents, task, of_run)
    findings += documents.findings(task)
    return findings


def check_rules() -> list[dict[str, str]]:
    """The rules of `check`, one row each: name, what it checks, severity in each task, meaning."""
    return checks.rule_rows()
