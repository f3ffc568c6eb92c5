"""What ``import partwise as pw`` offers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from partwise import formats
from partwise.collection import Collection, Document, write_index
from partwise.demo_data import Demo
from partwise.engines import local
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation, by_tag, element_facts, first_ranks, ideal_rows
from partwise.measures import BY_NAME, FAMILIES, TASKS, Measure, measures_from, unknown
from partwise.measures import parse as measure
from partwise.model import ALL, COLUMNS, Assessments, Run, Scores
from partwise.parameters import check_choice as _choice
from partwise.parameters import parse_name
from partwise.relevance.quantise import register_quantisation
from partwise.resolve import judge
from partwise.tables.documents import BEP, BEPn, F

__all__ = [
    "ALL",
    "BEP",
    "COLUMNS",
    "Assessments",
    "BEPn",
    "Collection",
    "Demo",
    "Document",
    "Evaluator",
    "F",
    "IdealRun",
    "PartwiseError",
    "Run",
    "Scores",
    "demo",
    "evaluate",
    "ideal",
    "list_measures",
    "measure",
    "measure_page",
    "read_assessments",
    "read_runs",
    "register_quantisation",
    "tree",
    "write_assessments",
    "write_index",
    "write_run",
]

TOPICS = ("judged", "run")
ORDERS = ("rank", "score")
UNITS = ("chars", "bytes")
RUN_IDS = ("stem", "tag")


class Evaluator:
    """Assessments and measures made ready once, to score runs as they come.

    >>> import partwise as pw
    >>> evaluator = pw.Evaluator({"q1": [("handbook", 10, 80)]}, ["TextP@5", "TextR@5"])
    >>> evaluator.evaluate({"q1": [("handbook", 0, 100)]}).mean()
    {'run': {'TextP@5': 0.7, 'TextR@5': 1.0}}
    """

    def __init__(
        self,
        qrels: Any,
        measures: Any = None,
        *,
        task: str | None = None,
        topics: str = "judged",
        order: str | None = None,
        unit: str = "chars",
        assessor: str | None = None,
        lengths: Any = None,
        collection: Any = None,
        lenient: bool = False,
    ) -> None:
        _choice("topics", topics, TOPICS)
        if order is not None:
            _choice("order", order, ORDERS)
        _choice("unit", unit, UNITS)
        self.unit = unit
        self.lenient = lenient
        self.notes: list[str] = []
        wanted = requested(measures, task)
        assessments = formats.assessments_from(qrels, unit=unit, lenient=lenient, notes=self.notes)
        self.evaluation = Evaluation(
            assessments,
            wanted,
            topics=topics,
            order=order,
            assessor=assessor,
            lengths=formats.lengths_from(lengths, lenient=lenient, notes=self.notes),
            collection=opened(collection),
        )
        past = self.evaluation.judgements.past_end
        if past:
            some = "passage reaches past the end of its document" if past == 1 else "passages reach past the end"
            self.notes.append(f"{assessments.source.name}: {past} highlighted {some}")

    @property
    def measures(self) -> list[Measure]:
        """The measures, in the order asked for."""
        return list(self.evaluation.measures)

    def evaluate(self, runs: Any, *, run_id: str = "stem", progress: local.Progress | None = None) -> Scores:
        """Score one run or several: paths, mappings by query, lists of dicts, pandas, Polars or Arrow tables.

        A mapping of names to any of these gives the runs their names; several runs in one of them keep their own
        behind it.
        """
        _choice("run_id", run_id, RUN_IDS)
        notes = list(self.notes)
        return local.evaluate(self.evaluation, self._sources(runs, run_id, notes), notes, progress)

    def evaluate_on_spark(self, paths: Sequence[str], *, master: str | None = None) -> Scores:
        """Score runs in Parquet files, folders or patterns of them, on any store that Spark reads.

        `master` is the cluster; by default it is this machine. For DataFrames see `partwise.engines.spark.evaluate`.
        """
        from partwise.engines import spark_files

        return spark_files.evaluate_files(
            self.evaluation, paths, self.notes, unit=self.unit, lenient=self.lenient, master=master
        )

    def by_tag(self, runs: Any, *, run_id: str = "stem") -> list[dict[str, Any]]:
        """What each kind of element contributes to each measure, a row per run and tag.

        The contribution of a tag is what the measure's mean loses when its results stay as long as they are and bring
        nothing; ``results``, ``characters`` and ``highlighted`` say how many there are, what they show, and how much
        new highlighted text that is.
        """
        _choice("run_id", run_id, RUN_IDS)
        if self.evaluation.judgements.collection is None:
            raise PartwiseError("tags are those of the documents' elements", "give the collection (--collection)")
        sources = self._sources(runs, run_id, list(self.notes))
        return [row for source in sources for run in source() for row in by_tag(self.evaluation, run)]

    def _sources(self, runs: Any, run_id: str, notes: list[str]) -> list[Callable[[], list[Run]]]:
        given = formats.named_runs(runs)
        paths = [item for name, item in given if name is None and formats.is_path(item)]
        stems = iter(formats.run_names(paths))
        unnamed = [item for name, item in given if name is None and not formats.is_path(item)]
        numbers = iter(range(1, len(unnamed) + 1))
        sources: list[Callable[[], list[Run]]] = []
        for name, item in given:
            if formats.is_path(item):
                told = next(stems) if name is None else name
                source = self._file(item, told, name is None and run_id == "tag", notes)
            else:
                told = name or ("run" if len(unnamed) == 1 else f"run{next(numbers)}")
                source = self._object(item, told, notes)
            sources.append(source if name is None else _named(source, name))
        return sources

    def _file(self, path: str | os.PathLike[str], name: str, by_tag: bool, notes: list[str]) -> Callable[[], list[Run]]:
        return lambda: formats.read_runs(
            path, run_id=name, by_tag=by_tag, unit=self.unit, lenient=self.lenient, notes=notes
        )

    def _object(self, value: Any, name: str, notes: list[str]) -> Callable[[], list[Run]]:
        return lambda: formats.objects.runs_from_object(value, name, self.unit, self.lenient, notes)


def _named(source: Callable[[], list[Run]], name: str) -> Callable[[], list[Run]]:
    """The same runs under a name of the user's; several keep their own behind it."""

    def renamed() -> list[Run]:
        runs = source()
        if len(runs) == 1:
            return [replace(runs[0], run_id=name)]
        return [replace(run, run_id=f"{name}/{run.run_id}") for run in runs]

    return renamed


def requested(measures: Any, task: str | None) -> list[Measure] | None:
    """The measures of a task and those named beside it; None when neither is given."""
    if task is not None:
        _choice("task", task, tuple(TASKS))
        preset = measures_from(TASKS[task])
        return preset if measures is None else list(dict.fromkeys([*preset, *measures_from(measures)]))
    return None if measures is None else measures_from(measures)


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    task: str | None = None,
    topics: str = "judged",
    order: str | None = None,
    unit: str = "chars",
    assessor: str | None = None,
    lengths: Any = None,
    collection: Any = None,
    run_id: str = "stem",
    lenient: bool = False,
    progress: local.Progress | None = None,
) -> Scores:
    """Score runs of document parts against assessments.

    `qrels` and each of `runs` are a path, a mapping by query, a list of dicts, or a pandas, Polars or Arrow table; a
    measure is an object (``pw.iP @ 0.01``) or a name (``"iP@0.01"``). Without measures a default set is reported.

    >>> import partwise as pw
    >>> qrels = [{"query_id": "q1", "doc_id": "handbook", "start": 10, "end": 80}]
    >>> run = {"q1": [{"doc_id": "handbook", "start": 0, "end": 100}]}
    >>> pw.evaluate(qrels, run, ["TextIoU@5", pw.iP @ 0.01]).mean()
    {'run': {'TextIoU@5': 0.7, 'iP@0.01': 0.7}}
    """
    evaluator = Evaluator(
        qrels,
        measures,
        task=task,
        topics=topics,
        order=order,
        unit=unit,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        lenient=lenient,
    )
    return evaluator.evaluate(runs, run_id=run_id, progress=progress)


def on_spark(path: str | None, master: str | None = None) -> Any:
    """Assessments or lengths at an address (``s3a://...``), read by Spark from Parquet; other paths as they are."""
    if path is None or "://" not in path:
        return path
    from partwise.engines import spark_files

    return spark_files.read_table(path, master)


def opened(collection: Any) -> Collection | None:
    """A collection from what a user gives: a folder, an archive, JSON Lines, a stored index, or a mapping of texts."""
    return collection if collection is None or isinstance(collection, Collection) else Collection.open(collection)


def ideal(
    qrels: Any, *, collection: Any, quant: str | None = None, assessor: str | None = None, unit: str = "chars"
) -> IdealRun:
    """The ideal recall base as a run: the best element of every relevant path, in falling order of value.

    It is a list of rows that `evaluate` takes as a run, and that scores 1 on nxCG, ep and MAep.
    """
    _choice("unit", unit, UNITS)
    assessments = formats.assessments_from(qrels, unit=unit, lenient=False, notes=[])
    judgements = judge(assessments, assessor, {}, opened(collection))
    return IdealRun(ideal_rows(judgements, quant))


def tree(
    collection: Any,
    doc: str,
    *,
    topic: str | None = None,
    qrels: Any = None,
    run: Any = None,
    quant: str | None = None,
) -> list[dict[str, Any]]:
    """The elements of a document, a row each: path and size, and what is known of them for a topic.

    With `qrels`: exhaustivity and specificity (on the unit scale), value, and whether the element is ideal; with `run`:
    the first rank at which it was returned.
    """
    documents = opened(collection)
    if documents is None:
        raise PartwiseError("there is no collection", "give the documents")
    document = documents[doc]
    size = document.end - document.start
    rows: list[dict[str, Any]] = [{"path": p, "size": int(n)} for p, n in zip(document.path, size, strict=True)]
    if (qrels is not None or run is not None) and topic is None:
        raise PartwiseError("no topic is given", "say whose judgements and results are wanted (--topic)")
    if qrels is not None:
        assessments = formats.assessments_from(qrels, unit="chars", lenient=False, notes=[])
        judgements = judge(assessments, None, {}, documents)
        for row, known in zip(rows, element_facts(judgements, str(topic), doc, quant), strict=True):
            row.update(known)
    if run is not None:
        evaluator = Evaluator({str(topic): {doc: 1}}, "P@1", collection=documents)
        [given] = evaluator._sources([run] if formats.is_path(run) else run, "stem", [])
        ranks = first_ranks(evaluator.evaluation, given()[0], str(topic), doc)
        for node, row in enumerate(rows):
            row["rank"] = ranks.get(node, "")
    return rows


class IdealRun(list[dict[str, Any]]):
    """The ideal elements of all topics, in the order of the ideal run."""

    def rows(self) -> list[dict[str, Any]]:
        """``query_id, doc_id, path, value`` of every ideal element."""
        return [{name: row[name] for name in ("query_id", "doc_id", "path", "value")} for row in self]

    def run(self, run_id: str = "ideal") -> Run:
        """The same as a run, to be written."""
        return formats.objects.runs_from_object(list(self), run_id, "chars", False, [])[0]


def demo() -> Demo:
    """The collection that comes with partwise, for trying things out: articles, topics, assessments and runs."""
    return Demo()


def list_measures() -> list[tuple[str, str, str, str]]:
    """Name, parameters, meaning and paper of every measure: ours by family, then those of ir_measures."""
    from partwise.measures import documents

    ours = [
        (kind.__name__, kind.signature().removeprefix(kind.__name__), kind.summary(), kind.paper)
        for family in FAMILIES.values()
        for kind in family
    ]
    return ours + documents.listed()


def measure_page(name: str) -> str:
    """The whole documentation of a measure, ours or of ir_measures."""
    name = parse_name(name).name
    if name in BY_NAME:
        return BY_NAME[name].page()
    from partwise.measures import documents

    if name not in documents.known_names():
        raise unknown(name)
    return documents.page(name)


def read_runs(path: str | os.PathLike[str], *, unit: str = "chars", lenient: bool = False) -> list[Run]:
    """The runs in a file, whatever its format and compression."""
    _choice("unit", unit, UNITS)
    return formats.read_runs(path, unit=unit, lenient=lenient)


def read_assessments(path: str | os.PathLike[str], *, unit: str = "chars", lenient: bool = False) -> Assessments:
    """The assessments in a file, whatever its format and compression."""
    _choice("unit", unit, UNITS)
    return formats.read_assessments(path, unit=unit, lenient=lenient)


write_run = formats.write_run
write_assessments = formats.write_assessments
