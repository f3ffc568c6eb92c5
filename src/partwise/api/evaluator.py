"""Assessments and measures made ready once, to score runs as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

from partwise.api.sources import run_sources
from partwise.engines import local
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.later import listing, spark_files
from partwise.measures import Measure
from partwise.model import Run, Scores
from partwise.options import AverageOver, Options, Order, RunId, Task, Unit
from partwise.scores import notes_of_assessments
from partwise.types import CollectionInput, LengthsInput, MeasuresInput, NavigationInput, QrelsInput, RunsInput


class Evaluator:
    """Assessments and measures made ready once, to score runs as they come.

    >>> import partwise as pw
    >>> evaluator = pw.Evaluator({"q1": [("handbook", 10, 80)]}, ["TextP@5", "TextR@5"])
    >>> evaluator.evaluate({"q1": [("handbook", 0, 100)]}).mean()
    {'run': {'TextP@5': 0.7, 'TextR@5': 1.0}}
    """

    options: Options
    evaluation: Evaluation
    notes: list[str]

    def __init__(
        self,
        qrels: QrelsInput,
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
    ) -> None:
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
        self._prepare(qrels, measures, options)

    @classmethod
    def from_options(cls, qrels: Any, measures: Any, options: Options) -> Self:
        """An evaluator from options that are made already."""
        evaluator = cls.__new__(cls)
        evaluator._prepare(qrels, measures, options)
        return evaluator

    def _prepare(self, qrels: Any, measures: Any, options: Options) -> None:
        self.options = options
        self.notes = []
        self.evaluation = Evaluation.from_options(qrels, measures, options, self.notes)
        judgements = self.evaluation.judgements
        source = judgements.assessments.source.name
        self.notes += [f"{source}: {note}" for note in judgements.assessments.notes]
        self.notes += notes_of_assessments(source, judgements.past_end)

    @property
    def measures(self) -> list[Measure]:
        """The measures, in the order asked for."""
        return list(self.evaluation.measures)

    def evaluate(
        self,
        runs: RunsInput,
        *,
        run_id: RunId | None = None,
        jobs: int | None = None,
        progress: local.Progress | None = None,
    ) -> Scores:
        """Score one run or several: paths, mappings by query, lists of dicts, pandas, Polars or Arrow tables.

        A mapping of names to any of these gives the runs their names; several runs in one of them keep their own
        behind it. `run_id` and `jobs` are those of the evaluator unless they are given here. `jobs` is the number of
        threads, by default one per core (one for measures of elements, where more do not help); the values do not
        depend on it.
        """
        options = self._options_with(run_id, jobs)
        notes = list(self.notes)
        return local.evaluate(self.evaluation, run_sources(runs, options, notes), notes, progress, options.jobs)

    def evaluate_on_spark(self, paths: Sequence[str], *, master: str | None = None) -> Scores:
        """Score runs in Parquet files, folders or patterns of them, on any store that Spark reads.

        `master` is the cluster; by default it is this machine. For DataFrames see `partwise.engines.spark.evaluate`.
        """
        return spark_files.evaluate_files(self.evaluation, paths, self.notes, self.options, master=master)

    def read(self, runs: RunsInput, *, run_id: RunId | None = None) -> Iterator[Run]:
        """The runs one by one, from whatever `evaluate` takes."""
        for source in run_sources(runs, self._options_with(run_id), list(self.notes)):
            yield from source()

    def by_tag(self, runs: RunsInput, *, run_id: RunId | None = None) -> list[dict[str, Any]]:
        """What each kind of element contributes to each measure, a row per run and tag.

        The contribution of a tag is what the measure's mean loses when its results stay as long as they are and bring
        nothing; ``results``, ``characters`` and ``highlighted`` say how many there are, what they show, and how much
        new highlighted text that is.
        """
        options = self._options_with(run_id)
        if self.evaluation.judgements.collection is None:
            raise PartwiseError("tags are those of the documents' elements", "give the collection (--collection)")
        sources = run_sources(runs, options, list(self.notes))
        return [row for source in sources for run in source() for row in listing.by_tag(self.evaluation, run)]

    def _options_with(self, run_id: RunId | None, jobs: int | None = None) -> Options:
        options = self.options if run_id is None else replace(self.options, run_id=run_id)
        return options if jobs is None else replace(options, jobs=jobs)
