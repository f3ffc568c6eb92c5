"""HTML reports of runs or of saved scores."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from partwise import formats
from partwise.api.evaluator import Evaluator
from partwise.api.sources import HeldRuns
from partwise.engines import local
from partwise.errors import PartwiseError
from partwise.files import encoded
from partwise.later import report_contents, report_files, report_page
from partwise.measures import Measure, parse
from partwise.messages import commands
from partwise.model import Scores
from partwise.options import AverageOver, Options, Order, RunId, Task, Unit
from partwise.outputs import write_bytes
from partwise.types import (
    CollectionInput,
    LengthsInput,
    MeasuresInput,
    NavigationInput,
    QrelsInput,
    QueriesInput,
    RunsInput,
    TokenizerInput,
)


def write_report(
    qrels: QrelsInput,
    runs: RunsInput,
    path: str | os.PathLike[str],
    measures: MeasuresInput | None = None,
    *,
    title: str = "partwise report",
    queries: QueriesInput | None = None,
    max_mb: float = 20,
    seed: int = 0,
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
) -> int:
    """Write a report as one HTML page that opens offline: leaderboard, curves, queries, result lists and documents.

    Returns the size of the page in bytes. The other parameters are those of `evaluate`.

    `queries` are the titles of the queries: a mapping, a table or a file. `max_mb` is the largest size of the page in
    megabytes; the page lists what is left out. `seed` is that of the random numbers of intervals and tests.

    - `qrels`: the assessments, in any form that `partwise.evaluate` takes.
    - `runs`: the runs, in any form that `partwise.evaluate` takes.
    - `path`: the path of the file.
    - `measures`: the measures, as objects or names (default: a set that fits the assessments).
    - `title`: the title of the page.
    - `task`: report the measures of this task.
    - `average_over`: ``judged`` averages over all judged queries, ``run`` over those of the run.
    - `order`: order results by ``rank`` or ``score`` (default: as the format orders them).
    - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else characters).
    - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
    - `assessor`: the assessor to use where a query has several (default: the first).
    - `lengths`: document lengths, as a mapping or a file.
    - `collection`: the documents: a `Collection`, a path, or a mapping of ids to texts.
    - `navigation`: navigation models by name.
    - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
    - `lenient`: skip bad lines; notes report them.
    - `jobs`: the number of threads; results do not depend on it.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    report_files.require_packages()
    if not formats.is_path(path):
        raise PartwiseError(commands.PATH_OF_REPORT(type=type(path).__name__))
    titles = formats.titles_from(queries)
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
    evaluation = evaluator.evaluation
    sources = [HeldRuns.of(source) for source in evaluator.sources(runs, options, [])]
    scores = local.evaluate(evaluation, sources, list(evaluator.notes), progress, options.jobs)
    scored_runs = set(scores.run_ids)
    all_runs = [run for source in sources for run in source.runs if run.run_id in scored_runs]
    contents = report_contents.contents_of_scores(scores, _meanings(evaluator.measures), title, seed)
    contents.titles = titles
    report_contents.add_settings(contents, evaluation, options)
    report_contents.add_lists(contents, evaluation, all_runs)
    report_contents.add_curves(contents, evaluation, all_runs)
    contents.sentence = report_contents.sentence_of_runs(contents, evaluation)
    return _write_page(contents, path, max_mb)


def write_scores_report(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    title: str = "partwise report",
    queries: QueriesInput | None = None,
    max_mb: float = 20,
    seed: int = 0,
) -> int:
    """Write a report of scores alone, such as those of `read_scores`: leaderboard and queries.

    The parameters and the result are those of `write_report`.

    - `path`: the path of the file.
    - `title`: the title of the page.
    - `max_mb`: the largest size of the page, in megabytes.
    - `seed`: the seed of the random numbers, on which alone they depend.
    """
    if not isinstance(scores, Scores):
        raise PartwiseError(commands.NOT_SCORES(type=type(scores).__name__))
    measures = []
    for name in scores.measures:
        with contextlib.suppress(PartwiseError):  # a measure that is not registered is shown without its meaning
            measures.append(parse(name))
    contents = report_contents.contents_of_scores(scores, _meanings(measures), title, seed)
    contents.titles = formats.titles_from(queries)
    return _write_page(contents, path, max_mb)


def _write_page(contents: Any, path: str | os.PathLike[str], max_mb: float) -> int:
    html = encoded(report_page.page(contents, max_mb))
    write_bytes(path, html)
    return len(html)


def _meanings(measures: Sequence[Measure]) -> dict[str, tuple[str, str]]:
    return {one.name: (one.meaning, one.better) for one in measures}
