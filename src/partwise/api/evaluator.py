"""Assessments and measures prepared once, to score runs one after another."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from partwise import formats, kernels, slices
from partwise.api.sources import FileOrObject, HeldRuns, run_sources
from partwise.engines import local
from partwise.errors import CannotScore, PartwiseError
from partwise.evaluation import Evaluation
from partwise.files import real_path
from partwise.formats.quoted import QuotedRows
from partwise.later import checks, listing, spark_files
from partwise.measures import Measure, measures_from
from partwise.messages import commands
from partwise.messages import scores as of_scores
from partwise.messages import slices as slice_messages
from partwise.messages.reading import explain
from partwise.model import Run, Scores
from partwise.notes import notes_on_documents
from partwise.options import FIELDS, AverageOver, Options, Order, RunId, Task, Unit
from partwise.presets import OFFICIAL
from partwise.provenance import Input, Provenance, inputs_of
from partwise.records import record
from partwise.scores import Slices
from partwise.types import (
    CollectionInput,
    LengthsInput,
    MeasuresInput,
    NavigationInput,
    QrelsInput,
    QueriesInput,
    QueryResults,
    RunsInput,
    TokenizerInput,
)

INPUTS = ("lengths", "collection", "navigation")
"""The options that are files or objects."""


@record(eq=False, repr=False)
class Slicing:
    """The queries of each slice and, of slices of the gold, the evaluation that counts only its gold."""

    groups: slices.Groups
    evaluations: Mapping[str, Evaluation]
    notes: Sequence[str]


def sliced_by(by: str, bins: int | None, columns: slices.QueryColumns) -> tuple[str, str]:
    """What `by` asks for: ``query``, ``doc`` or ``gold``, and the column or the pattern."""
    if not isinstance(by, str):
        raise PartwiseError(slice_messages.NOT_BY(type=type(by).__name__, mapping="; scores.by takes mappings, too"))
    kind, name = slices.parsed(by, columns)
    if kind == "tag":
        raise PartwiseError(slice_messages.BY_TAG())
    if kind == "gold" and bins is not None:
        raise PartwiseError(slice_messages.BINS_OF_GOLD())
    return kind, name


class Evaluator:
    """Assessments and measures prepared once, to score runs one after another.

    The parameters are those of `evaluate`.

    >>> import partwise as pw
    >>> evaluator = pw.Evaluator({"q1": [("handbook", 10, 80)]}, ["TextP@5", "TextR@5"])
    >>> evaluator.evaluate({"q1": [("handbook", 0, 100)]}).mean()
    {'run': {'TextP@5': 0.7, 'TextR@5': 1.0}}
    """

    options: Options
    evaluation: Evaluation
    notes: list[str]
    inputs: list[Input]
    """The assessments, and the files and objects among the options."""

    def __init__(
        self,
        qrels: QrelsInput,
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
    ) -> None:
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
        self._prepare(qrels, measures, options)

    @classmethod
    def from_options(cls, qrels: Any, measures: Any, options: Options) -> Self:
        """An evaluator from an `Options` object.

        - `qrels`: the assessments, in any form that `partwise.evaluate` takes.
        - `measures`: the measures, as objects or names (default: a set that fits the assessments).
        - `options`: all options of the evaluation in one object.
        """
        evaluator = cls.__new__(cls)
        evaluator._prepare(qrels, measures, options)
        return evaluator

    def _prepare(self, qrels: Any, measures: Any, options: Options) -> None:
        kernels.keep_memory()
        self.options = options
        self.qrels = qrels
        self.notes = []
        self.inputs = inputs_of("qrels", qrels)
        for role in INPUTS:
            self.inputs += inputs_of(role, getattr(options, role))
        quotes = None if options.collection is None else QuotedRows()
        try:
            self.evaluation = Evaluation.from_options(qrels, measures, options, self.notes, quotes)
        except PartwiseError as error:
            explain(error, self.notes)
            raise
        judgements = self.evaluation.judgements
        source = judgements.assessments.source
        self.notes += self.evaluation.notes_on_assessments(options.assessor)
        if options.task is not None or quotes is not None:
            self.evaluation.rules = checks.errors_while_scoring(options.task)
        self.documents = None
        if quotes is not None:
            self.documents = documents = checks.Documents(judgements.collection, {})
            misplaced = [source.error(message, line) for line, message in documents.misplaced(quotes)]
            unknown = int(documents.lacking(list(judgements.docs)).sum())
            self.notes += notes_on_documents(source.name, unknown, judgements.unreadable, misplaced)

    @property
    def unit(self) -> str:
        """What offsets and measures count."""
        return self.evaluation.unit

    def with_measures(self, measures: MeasuresInput) -> Evaluator:
        """The same assessments and options with other measures; nothing is read again."""
        other = copy.copy(self)
        other.evaluation = self.evaluation.with_measures(measures_from(measures))
        return other

    @property
    def measures(self) -> list[Measure]:
        """The measures, in the order in which they were requested."""
        return list(self.evaluation.measures)

    def evaluate(
        self,
        runs: RunsInput,
        *,
        run_id: RunId | None = None,
        jobs: int | None = None,
        progress: local.Progress | None = None,
        queries: QueriesInput | None = None,
        by: str | None = None,
        bins: int | None = None,
    ) -> Scores:
        """Score one run or several: paths, mappings by query, lists of dicts, pandas, Polars or Arrow tables.

        A mapping of names to any of these names the runs; if one of them holds several runs, their own names follow
        after a slash. `run_id` and `jobs` override those of the evaluator. `jobs` is the number of threads, by default
        one per core; the values do not depend on it.
        `progress` is called with the number of sources of runs done and their total. `queries`, `by` and `bins` are
        those of `partwise.evaluate`.
        """
        options = self._options_with(run_id, jobs)
        columns = formats.query_columns(queries)
        kind = None if by is None else sliced_by(by, bins, columns)[0]
        notes = list(self.notes)
        sources: Sequence[FileOrObject] = self.sources(runs, options, notes)
        inputs = [*inputs_of("queries", queries), *(Input("run", one.item, one.given_name) for one in sources)]
        provenance = self.provenance(inputs, options)
        notes += [of_scores.SAME_FILE.note(source=name) for name in self._in_both(provenance.inputs)]
        if any(source.item is self.qrels for source in sources if not isinstance(source.item, str)):
            notes.append(of_scores.SAME_OBJECT.note())
        held: Sequence[Any] = sources
        if kind == "gold":
            held = [HeldRuns.of(source) for source in sources]
        scores = local.evaluate(self.evaluation, held, notes, progress, options.jobs)
        scores.provenance, scores.official = provenance, OFFICIAL.get(options.task or "", {})
        scores.query_columns = columns
        if by is not None:
            slicing = self.slicing(by, bins, columns, scores.query_ids)
            scores.slices = self.sliced(scores, slicing, held, options.jobs)
            scores.slices.bins = bins
        return scores

    def evaluate_one(self, query_id: str, results: QueryResults) -> dict[str, float]:
        """Score the results of one query: the value of each measure, by its name.

        `results` is what `evaluate` accepts for the query `query_id` in a mapping by query, and the values are the
        same; measures that do not score the query are left out. Notes are not returned: `evaluate` has them.

        >>> import partwise as pw
        >>> evaluator = pw.Evaluator({"q1": [("handbook", 10, 80)]}, ["TextP@5", "TextR@5"])
        >>> evaluator.evaluate_one("q1", [("handbook", 0, 100)])
        {'TextP@5': 0.7, 'TextR@5': 1.0}
        """
        notes: list[str] = []
        try:
            options = self.options
            name, run = formats.objects.results_of_query(query_id, results, options.file_unit, options.lenient, notes)
            return self.evaluation.score_query(run, name)
        except CannotScore as error:
            raise explain(error, [*self.notes, *notes]) from None

    def slicing(self, by: str, bins: int | None, columns: slices.QueryColumns, queries: Sequence[str]) -> Slicing:
        """The slices that `by` asks for: of these `queries` by a column, or of the judged ones by their gold.

        - `bins`: the number of bins for numbers with more different values than that.
        - `columns`: the columns of the queries.
        """
        kind, name = sliced_by(by, bins, columns)
        if kind == "query":
            groups = slices.grouped(by, columns[name], queries, bins)
            return Slicing(groups, {}, groups.notes())
        judged = self.evaluation.judgements.queries
        if kind == "doc":
            groups = slices.grouped(
                by, slices.matched(name, self.evaluation.judgements.relevant_documents()), judged, bins
            )
            return Slicing(groups, {}, groups.notes())
        of_gold, without = self.evaluation.gold_slices(name)
        groups = slices.of_members(by, {one.name: one.queries for one, _ in of_gold}, judged)
        notes = groups.notes() + ([slice_messages.GOLD_WITHOUT.note(count=without, by=name)] if without else [])
        return Slicing(groups, {one.name: evaluation for one, evaluation in of_gold}, notes)

    def sliced(self, scores: Scores, slicing: Slicing, sources: Sequence[Any], jobs: int | None) -> Slices:
        """The `scores` by slice; for slices of the gold, runs are scored again for each.

        - `slicing`: the slices.
        - `sources`: where the runs are read from.
        - `jobs`: the number of threads.
        """
        if not slicing.evaluations:
            return scores.sliced(slicing.groups)
        of_slices: dict[str, Scores] = {}
        for name, queries in slicing.groups.queries.items():
            of_gold = local.evaluate(slicing.evaluations[name], sources, [], None, jobs)
            [of_slices[name]] = of_gold.parts([queries])
        return Slices(slicing.groups.by, scores, of_slices, slicing.notes)

    def sources(self, runs: RunsInput, options: Options, notes: list[str]) -> list[FileOrObject]:
        """A source for each file or object with runs; texts in them are compared with the collection.

        - `options`: the options of the evaluation.
        - `notes`: a list to which notes are added.
        """
        sources = run_sources(runs, options, notes)
        if self.documents is None:
            return sources
        return [replace(source, misplaced=self.documents.misplaced) for source in sources]

    def _in_both(self, inputs: Sequence[Input]) -> list[str]:
        """The files that are given as assessments and as runs."""
        judged = {real_path(item.path) for item in inputs if item.role == "qrels" and item.path is not None}
        paths = [item.path for item in inputs if item.role == "run" and item.path is not None]
        return [path for path in paths if os.path.exists(path) and real_path(path) in judged]

    def evaluate_on_spark(self, paths: Sequence[str], *, master: str | None = None) -> Scores:
        """Score runs in Parquet files, folders or glob patterns, on any store that Spark can read.

        `master` is the URL of the cluster, by default this machine. `partwise.engines.spark.evaluate` takes DataFrames.

        - `paths`: the Parquet files, folders or patterns of the runs.
        """
        provenance = self.provenance(inputs_of("run", list(paths)), self.options)
        scores = spark_files.evaluate_files(self.evaluation, paths, self.notes, self.options, master=master)
        scores.provenance, scores.official = provenance, OFFICIAL.get(self.options.task or "", {})
        return scores

    def provenance(self, runs: Sequence[Input], options: Options) -> Provenance:
        """Where the scores of these runs come from. No file is read for it.

        - `options`: the options of the evaluation.
        """
        values = {name: getattr(options, name) for name in FIELDS if name not in (*INPUTS, "jobs", "tokenizer")}
        values["unit"] = self.evaluation.unit_label
        return Provenance([*self.inputs, *runs], values, [measure.name for measure in self.measures])

    def read(self, runs: RunsInput, *, run_id: RunId | None = None) -> Iterator[Run]:
        """Yield the runs one by one, from anything that `evaluate` accepts.

        - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
        """
        for source in run_sources(runs, self._options_with(run_id), list(self.notes)):
            yield from source()

    def by_tag(self, runs: RunsInput, *, run_id: RunId | None = None) -> list[dict[str, Any]]:
        """What each kind of element contributes to each measure, one row per run and tag.

        The contribution of a tag is the decrease of the measure's mean if its results keep their length but count as
        non-relevant. ``results`` is the number of its results, ``size`` the length of their text, and
        ``highlighted`` how much of it is highlighted and new.

        - `runs`: the runs, in any form that `partwise.evaluate` takes.
        - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
        """
        options = self._options_with(run_id)
        if self.evaluation.judgements.collection is None:
            raise PartwiseError(commands.COLLECTION_FOR_TAGS())
        sources = run_sources(runs, options, list(self.notes))
        return [row for source in sources for run in source() for row in listing.by_tag(self.evaluation, run)]

    def _options_with(self, run_id: RunId | None, jobs: int | None = None) -> Options:
        options = self.options if run_id is None else replace(self.options, run_id=run_id)
        return options if jobs is None else replace(options, jobs=jobs)
