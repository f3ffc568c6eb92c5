"""HTML reports of runs or of saved scores."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Mapping, Sequence
from typing import Any

from partwise import formats
from partwise.api.evaluator import Evaluator, sliced_by
from partwise.api.sources import HeldRuns
from partwise.engines import local
from partwise.errors import PartwiseError, shown
from partwise.formats.names import TITLES
from partwise.later import diagnosis, report_contents, report_libraries, report_page
from partwise.measures import Measure, parse
from partwise.messages import commands, report
from partwise.messages import diagnosis as diagnosing
from partwise.model import Scores
from partwise.options import AverageOver, Options, Order, RunId, Task, Unit
from partwise.outputs import write_bytes
from partwise.parameters import format_value
from partwise.types import (
    AllChunksInput,
    CollectionInput,
    LengthsInput,
    MeasuresInput,
    NavigationInput,
    QrelsInput,
    QueriesInput,
    RunsInput,
    TokenizerInput,
)

DIAGNOSED = 5
"""The number of results that are read of a run that is diagnosed, unless another is given."""
CONFIDENCE = 0.95


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
    by: str | Sequence[str] | None = None,
    bins: int | None = None,
    chunks: AllChunksInput | None = None,
    chunks_of: Mapping[str, AllChunksInput] | None = None,
    k: int | None = None,
    budget: float | None = None,
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
    megabytes; the page lists what is left out. `seed` is that of the random numbers of tests.

    `by` are columns of the queries, ``grade`` or ``nugget``, or ``doc:PATTERN``, as in `evaluate`: the page can show
    each of their slices alone, numbers in `bins`. `chunks` are all chunks that can be retrieved, as in `diagnose`;
    `chunks_of` has those of single runs, by their names. With them, the page splits what each run loses of the relevant
    text into chunking and ranking. The first `k` results are read (5), or whole results within a `budget`.

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
    - `jobs`: the number of threads (default: one per core, or one without a `collection`); results do not depend on it.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    report_libraries.require_packages()
    if not formats.is_path(path):
        raise PartwiseError(commands.PATH_OF_REPORT(type=type(path).__name__))
    titles, columns = _queries(queries, by)
    kinds = [sliced_by(one, bins, columns)[0] for one in _listed(by)]
    if k is not None and budget is not None:
        raise PartwiseError(diagnosing.TWO_LIMITS())
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
    diagnoser = None
    if evaluation.judgements.has_highlights or any(value is not None for value in (chunks, chunks_of, k, budget)):
        measure = diagnosis.recall(DIAGNOSED if k is None and budget is None else k, budget)
        diagnoser = _diagnoser(measure, chunks, chunks_of or {}, options)
    sources: Sequence[Any] = evaluator.sources(runs, options, [])
    if "gold" in kinds:
        sources = [HeldRuns.of(source) for source in sources]
    listed = report_contents.ListedRuns(evaluation, diagnoser, is_sliced=bool(kinds))
    # without documents, lists take longer than scores, and threads would wait for each other
    threads = 1 if jobs is None and evaluation.judgements.collection is None else jobs
    scores = local.evaluate(evaluation, sources, list(evaluator.notes), progress, threads, listed.add)
    for name in chunks_of or ():
        if name not in scores.run_ids:
            raise PartwiseError(report.CHUNKS_OF_NO_RUN(run=shown(name), runs=", ".join(scores.run_ids)))
    contents = report_contents.contents_of_scores(scores, _meanings(evaluator.measures), title, seed)
    contents.titles = titles
    report_contents.add_settings(contents, evaluation, options)
    listed.add_to(contents)
    held: list[Any] = []
    for one in _listed(by):
        slicing = evaluator.slicing(one, bins, columns, scores.query_ids)
        slices = evaluator.sliced(scores, slicing, sources, options.jobs)
        members = list(slicing.groups.queries.values())
        evaluations = list(slicing.evaluations.values())
        held = [run for source in sources for run in source.runs if run.run_id in scores.run_ids] if evaluations else []
        report_contents.add_slices(contents, slices, members, evaluations, held, diagnoser, seed)
    contents.sentence = report_contents.sentence_of_runs(contents, evaluation)
    del sources, held, listed  # the page is made in the memory that they take
    return _write_page(contents, path, max_mb)


def _listed(by: str | Sequence[str] | None) -> list[str]:
    return [] if by is None else [by] if isinstance(by, str) else list(dict.fromkeys(by))


def _queries(queries: Any, by: str | Sequence[str] | None) -> tuple[Any, Any]:
    """The titles of the queries and, to slice them, their columns; queries to slice by need no titles."""
    if by is None:
        return formats.titles_from(queries), {}
    columns = formats.query_columns(queries)
    has_titles = any(name in columns for name in TITLES)
    return formats.titles_from(queries) if has_titles else {}, columns


def _diagnoser(measure: Any, chunks: Any, chunks_of: Mapping[str, Any], options: Options) -> Any:
    """Diagnoses runs by all chunks of each: its own, which are read when the run is diagnosed, or the common ones."""
    notes: list[str] = []

    def read(one: Any) -> Any:
        return formats.chunks_from(one, unit=options.file_unit, lenient=options.lenient, notes=notes)

    common = None if chunks is None else read(chunks)
    own: dict[str, Any] = {}

    def chunks_of_run(run_id: str) -> Any:
        if run_id in chunks_of and run_id not in own:
            own[run_id] = read(chunks_of[run_id])
        return own.get(run_id, common)

    return report_contents.Diagnoser(measure, chunks_of_run, CONFIDENCE, notes)


def write_scores_report(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    title: str = "partwise report",
    queries: QueriesInput | None = None,
    max_mb: float = 20,
    seed: int = 0,
    by: str | Sequence[str] | None = None,
    bins: int | None = None,
) -> int:
    """Write a report of scores alone, such as those of `read_scores`: leaderboard and queries.

    The parameters and the result are those of `write_report`.

    - `path`: the path of the file.
    - `title`: the title of the page.
    - `max_mb`: the largest size of the page, in megabytes.
    - `seed`: the seed of the random numbers, on which alone they depend.
    - `by`: columns of the queries whose slices the page can show alone.
    - `bins`: the number of bins for numbers with more different values than that.
    """
    if not isinstance(scores, Scores):
        raise PartwiseError(commands.NOT_SCORES(type=type(scores).__name__))
    measures = []
    for name in scores.measures:
        with contextlib.suppress(PartwiseError):  # a measure that is not registered is shown without its meaning
            measures.append(parse(name))
    contents = report_contents.contents_of_scores(scores, _meanings(measures), title, seed)
    contents.titles, columns = _queries(queries, by)
    if columns:
        scores = copy.copy(scores)
        scores.query_columns = columns
    for one in _listed(by):
        slices = scores.by(one, bins=bins)
        members = [of_slice.query_ids for of_slice in slices.values()]
        report_contents.add_slices(contents, slices, members, [], [], None, seed)
    return _write_page(contents, path, max_mb)


def _write_page(contents: Any, path: str | os.PathLike[str], max_mb: float) -> int:
    html: bytes = report_page.page(contents, max_mb)
    write_bytes(path, html)
    return len(html)


def _meanings(measures: Sequence[Measure]) -> dict[str, tuple[str, str]]:
    return {one.name: (_explained(one), one.better) for one in measures}


def _explained(measure: Measure) -> str:
    """What a measure means, and those of its parameters that differ from their defaults."""
    sentences = []
    for param in measure.params.values():
        value = param.__get__(measure, type(measure))
        if value is None or value == param.default:
            continue
        if param.at and isinstance(value, int):
            sentences.append(f"The first {value:,} results count." if value > 1 else "The first result counts.")
        else:
            shown_value = format_value(value)
            help = param.help.partition(";")[0]
            sentences.append(f"{f'@{shown_value}' if param.at else f'{param.name}={shown_value}'}: {help}.")
    return " ".join([measure.meaning, *sentences])
