"""What ``import partwise as pw`` offers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from partwise import formats
from partwise.engines import local
from partwise.errors import PartwiseError, shown
from partwise.evaluation import Evaluation
from partwise.measures import BY_NAME, FAMILIES, TASKS, Measure, measures_from, unknown
from partwise.model import ALL, COLUMNS, Assessments, Run, Scores
from partwise.parameters import parse_name

__all__ = [
    "ALL",
    "COLUMNS",
    "Evaluator",
    "Scores",
    "evaluate",
    "list_measures",
    "measure_page",
    "read_assessments",
    "read_runs",
    "write_assessments",
    "write_run",
]

TOPICS = ("judged", "run")
ORDERS = ("rank", "score")
UNITS = ("chars", "bytes")
RUN_IDS = ("stem", "tag")


def _choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        raise PartwiseError(f"{name} is {shown(value)}", f"it must be one of {', '.join(choices)}")


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
        lenient=lenient,
    )
    return evaluator.evaluate(runs, run_id=run_id, progress=progress)


def list_measures() -> list[tuple[str, str, str, str]]:
    """Name, parameters, meaning and paper of every measure: ours by family, then those of ir_measures."""
    from partwise.measures import documents

    ours = [
        (measure.__name__, measure.signature().removeprefix(measure.__name__), measure.summary(), measure.paper)
        for family in FAMILIES.values()
        for measure in family
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
