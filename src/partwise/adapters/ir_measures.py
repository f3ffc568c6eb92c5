"""Our measures in ir_measures, and so in PyTerrier: by name, on data frames and tuples with columns for parts.

Importing this module registers every measure under its name and appends a provider to ir_measures' default pipeline. A
name that ir_measures already has keeps its meaning there; our measure is then called ``partwise_Name``.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Metric

from partwise import formats
from partwise.collection import Collection
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.formats import objects
from partwise.formats.assessments import assessments_from_table
from partwise.formats.cells import grade_in, is_missing
from partwise.formats.names import ASSESSMENT_COLUMNS
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, require
from partwise.measures import Measure, all_names
from partwise.measures import parse as our_measure
from partwise.messages import adapters
from partwise.model import Assessments, Run, Source
from partwise.parameters import Call, Parameterised, format_value
from partwise.requirements import needs_marks
from partwise.tokens import tokenizer as tokenizer_of
from partwise.units import CHARS

_log = logging.getLogger("partwise")


class PartQrel(NamedTuple):
    """A judgement as a tuple: a highlighted passage, or a judged document without one."""

    query_id: str
    doc_id: str
    relevance: int
    start: int | None = None
    end: int | None = None
    bep: int | None = None
    length: int | None = None
    iteration: str = "0"
    nugget: str | None = None
    set: str | None = None


class ScoredPart(NamedTuple):
    """A result as a tuple; without start and end it is the whole document."""

    query_id: str
    doc_id: str
    score: float
    start: int | None = None
    end: int | None = None


# ---- measures -----------------------------------------------------------------------------------------------


class PartMeasure(ir_measures.Measure):
    """One of our measures as a measure of ir_measures.

    A query that the measure does not score (nothing relevant) has the value NaN and is left out of the mean.
    """

    DEFAULT = math.nan
    kind: ClassVar[type[Measure]]

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.of_partwise = self._ours()

    def _ours(self) -> Measure:
        arguments = dict(self.params)
        at = arguments.pop(self.AT_PARAM, None)
        return self.kind.called(Call(self.kind.__name__, arguments, at))

    def validate_params(self) -> None:
        self.of_partwise.completed()
        self.validated = True

    def aggregator(self) -> Any:
        return _ScoredQueries(self.of_partwise)

    def __repr__(self) -> str:
        arguments = list(self.of_partwise.given())
        inside = ",".join(f"{param.name}={_literal(value)}" for param, value in arguments if not param.at)
        at = "".join(f"@{format_value(value)}" for param, value in arguments if param.at)
        return f"{self.NAME}{f'({inside})' if inside else ''}{at}"


def _literal(value: Any) -> str:
    """A value in the grammar of ir_measures, where words and calls are quoted."""
    return repr(str(value)) if isinstance(value, (str, Parameterised)) else format_value(value)


class _ScoredQueries:
    """Our aggregate over the queries that have a value."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.values: list[float] = []

    def add(self, value: float) -> None:
        if not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        return self.measure.aggregate(self.values) if self.values else math.nan


def _register_measures() -> dict[str, PartMeasure]:
    """Register a measure of ir_measures for each of ours; all of them, by the names that they got."""
    registry = ir_measures.measures.registry
    by_name: dict[str, PartMeasure] = {}
    by_kind: dict[type[Measure], PartMeasure] = {}
    for alias, kind in all_names().items():
        name = alias if isinstance(registry.get(alias), (PartMeasure, type(None))) else f"partwise_{alias}"
        if kind not in by_kind:
            by_kind[kind] = _part_measure(kind, name)
        registry[name] = by_name[name] = by_kind[kind]
    return by_name


def _part_measure(kind: type[Measure], name: str) -> PartMeasure:
    at = kind.at_param()
    members = {
        "__doc__": kind.page(),
        "__module__": __name__,
        "__name__": name,
        "NAME": name,
        "PRETTY_NAME": name,
        "SHORT_DESC": kind.summary(),
        "AT_PARAM": "cutoff" if at is None else at.name,
        "SUPPORTED_PARAMS": {
            param.name: ir_measures.ParamInfo(
                required=param.required,
                default=ir_measures.measures.base._NOT_PROVIDED if param.required else param.default,
                desc=f"{param.help} ({param.expected()})",
            )
            for param in kind.params.values()
        },
        "kind": kind,
    }
    subclass = type(f"_{name}", (PartMeasure,), members)
    globals()[f"_{name}"] = subclass  # where pickle looks it up
    measure: PartMeasure = subclass()
    return measure


def measure(name: Any) -> ir_measures.Measure:
    """The measure of ir_measures for a name in our grammar or for one of our measures.

    >>> from partwise.adapters.ir_measures import measure
    >>> measure("AgP(score=BEPn(n=500))")
    AgP(score='BEPn(n=500)')
    """
    ours = name if isinstance(name, Measure) else our_measure(name)
    kind = MEASURES.get(type(ours).__name__) or MEASURES.get(f"partwise_{type(ours).__name__}")
    if kind is None:
        return ir_measures.parse_measure(ours.name)
    configured: PartMeasure = kind(**{param.name: value for param, value in ours.given()})
    return configured


# ---- inputs -------------------------------------------------------------------------------------------------

_PLACES = ("start", "end", "spans", "path", "paths", "start_path", "end_path", "exhaustivity", "specificity")
_PARTS = ("start", "end"), ("start_line", "end_line"), ("offset", "length"), ("spans",), ("path",), ("paths",)


@dataclass(frozen=True)
class Inputs:
    """Inputs that ir_measures has no arguments for: documents, lengths, the unit of offsets, the assessor."""

    collection: Any = None
    lengths: Any = None
    unit: str | None = None
    tokenizer: Any = None
    assessor: str | None = None

    @property
    def file_unit(self) -> str | None:
        """What offsets count in rows that do not declare it; with a tokenizer, which counts texts, characters."""
        return CHARS if self.tokenizer is not None else self.unit


_inputs: ContextVar[Inputs] = ContextVar("partwise inputs", default=Inputs())  # noqa: B039


@contextlib.contextmanager
def using(
    *,
    collection: Any = None,
    lengths: Any = None,
    unit: str | None = None,
    tokenizer: Any = None,
    assessor: str | None = None,
) -> Iterator[None]:
    """Use these inputs for everything that ir_measures and PyTerrier compute inside the block."""
    opened = None if collection is None else Collection.open(collection)
    token = _inputs.set(Inputs(opened, lengths, unit, tokenizer, assessor))
    try:
        yield
    finally:
        _inputs.reset(token)


def _cells(value: Any, name: str) -> dict[str, list[Any]] | None:
    """The columns of a data frame or of named tuples; None for anything else."""
    if hasattr(value, "itertuples"):
        return {column: _present(value[column]) for column in value.columns if isinstance(column, str)}
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        return None
    rows = list(value)
    if not all(isinstance(row, tuple) and hasattr(row, "_fields") for row in rows):
        raise PartwiseError(adapters.NOT_A_TABLE(name=name, type=type(value).__name__))
    names = dict.fromkeys(field for row in rows for field in row._fields)
    return {field: [getattr(row, field, None) for row in rows] for field in names}


def _present(series: Any) -> list[Any]:
    """The cells of a column, with None for missing values of any kind."""
    return [None if missing else cell for cell, missing in zip(series.tolist(), series.isna().tolist(), strict=True)]


def _assessments(qrels: Any, unit: str | None) -> tuple[Assessments | None, bool]:
    """The assessments in qrels of ir_measures (None if there are none), and False if they could mark parts but do not.

    A row that is not relevant is judged and not highlighted, whatever its offsets. Qrels with columns for parts that
    mark none are those of queries with nothing relevant.
    """
    cells = _cells(qrels, "qrels")
    if cells is None:
        return (objects.assessments_from_object(qrels, unit, False, []) if qrels else None), True
    count = len(next(iter(cells.values()), ()))
    if not count:
        return None, False
    reader = Reader(Source("qrels", is_file=False), False, [])
    require(Table(cells, range(1, count + 1), reader), ("query_id", "doc_id"), "qrels")
    kept = {name: list(cells[name]) for name in ASSESSMENT_COLUMNS if name in cells and name != "grade"}
    rows = list(range(count))
    if "relevance" in cells:
        kept["grade"], rows = _graded(cells["relevance"], kept)
    lines = [row + 1 for row in rows]
    table = Table({name: [column[row] for row in rows] for name, column in kept.items()}, lines, reader)
    assessments = assessments_from_table(table, unit)
    spans = assessments.spans
    has_marks = bool(((spans.end > spans.start) & spans.highlighted).any() or len(assessments.elements.lines))
    return assessments, has_marks or not {"start", "spans", "path"} & set(kept)


def _graded(relevance: list[Any], kept: dict[str, list[Any]]) -> tuple[list[Any], list[int]]:
    """The grade of each row, and the rows to keep: of rows without a part, the first of each document.

    It has the highest grade of them.
    """
    grades = [_whole(value) for value in relevance]
    assessors = kept.get("assessor") or [None] * len(grades)
    first: dict[tuple[Any, ...], int] = {}
    rows = []
    for row, owner in enumerate(zip(kept["query_id"], kept["doc_id"], assessors, strict=True)):
        if any(not is_missing(kept[name][row]) for name in _PLACES if name in kept):
            rows.append(row)
        elif owner not in first:
            first[owner] = row
            rows.append(row)
        elif _is_number(grades[row]) and not (_is_number(grades[first[owner]]) and grades[first[owner]] >= grades[row]):
            grades[first[owner]] = grades[row]
    return grades, rows


def _whole(relevance: Any) -> Any:
    """A relevance that is written as text as its number; others unchanged, to be rejected as grades."""
    grade = grade_in(relevance) if isinstance(relevance, str) else None
    return relevance if grade is None else grade


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not is_missing(value)


def _run(run: Any, unit: str | None) -> Run:
    """A run of ir_measures, ordered by score as ir_measures does; ties by rank if there is one, else as given."""
    frame = run
    if not isinstance(run, Mapping):
        names = list(run.columns) if hasattr(run, "itertuples") else None
        cells = None if names is not None else _cells(run, "run")
        columns = list(names if names is not None else cells or ())
        part = next((part for part in _PARTS if _has(part, columns)), ())
        used = [name for name in ("query_id", "doc_id", "rank", "score", *part) if name in columns]
        if cells is not None:
            rows = zip(*(cells[name] for name in used), strict=True)
            frame = [dict(zip(used, row, strict=True)) for row in rows]
        else:
            frame = run[used]
    result = objects.runs_from_object(frame, "run", unit, False, [])[0]
    if result.score is not None and result.rank is not None:
        result = replace(result.take(np.argsort(result.rank, kind="stable")), rank=None)
    return result


def _has(part: tuple[str, ...], columns: list[str]) -> bool:
    """Whether these columns are there; of start and end one suffices, so that the missing other is an error."""
    return any(name in columns for name in part) if part == ("start", "end") else all(name in columns for name in part)


def best_part_last(run: Any) -> Any:
    """The same results in rising order of score.

    ir_measures' own measures give a document the score of its last row; in this order that is the score of its best
    part. Our measures have the same values in any order.
    """
    if hasattr(run, "sort_values"):
        return run.sort_values("score", kind="stable")
    return sorted(run, key=lambda row: row.score)


# ---- the provider -------------------------------------------------------------------------------------------


class PartwiseProvider(ir_measures.Provider):
    """Computes our measures with these `inputs`, or else with those of the `using` block around a call."""

    NAME = "partwise"
    SUPPORTED_MEASURES: list[ir_measures.Measure]

    def __init__(self, inputs: Inputs | None = None) -> None:
        super().__init__()
        self.inputs = inputs

    def supports(self, measure: ir_measures.Measure) -> bool:
        measure.validate_params()
        return isinstance(measure, PartMeasure)

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> PartwiseEvaluator:
        ours = [measure for measure in measures if isinstance(measure, PartMeasure)]
        return PartwiseEvaluator(ours, qrels, self.inputs or _inputs.get())


class PartwiseEvaluator(ir_measures.Evaluator):
    """Scores runs with qrels and measures that are prepared once."""

    def __init__(self, measures: list[PartMeasure], qrels: Any, inputs: Inputs) -> None:
        self.inputs = inputs
        self.evaluation: Evaluation | None = None
        self.computed: dict[str, list[PartMeasure]] = {}
        assessments, marked = _assessments(qrels, inputs.file_unit)
        queries: set[str] = set()
        if assessments is not None:
            self.evaluation = self._prepared(measures, assessments, marked)
            queries = set(self.evaluation.judgements.queries)
        super().__init__(measures, queries)

    def _prepared(self, measures: list[PartMeasure], assessments: Assessments, marked: bool) -> Evaluation:
        inputs = self.inputs
        lengths = formats.lengths_from(inputs.lengths, lenient=False, notes=[], unit=inputs.unit)
        collection = None if inputs.collection is None else Collection.open(inputs.collection)

        computable = [measure for measure in measures if marked or not needs_marks(measure.of_partwise)]
        ours = [measure.of_partwise for measure in computable]
        evaluation = Evaluation(
            assessments,
            ours,
            assessor=inputs.assessor,
            lengths=lengths,
            collection=collection,
            unit=inputs.unit,
            tokenizer=None if inputs.tokenizer is None else tokenizer_of(inputs.tokenizer),
        )
        for measure in computable:
            self.computed.setdefault(evaluation.resolved(measure.of_partwise).name, []).append(measure)
        return evaluation

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        if self.evaluation is None or not self.computed:
            return
        blocks, notes = self.evaluation.score(_judged(_run(run, self.inputs.file_unit), self.evaluation))
        for note in notes:
            _log.info(note)
        for block in blocks:
            for measure in self.computed[block.measure]:
                for query, value in zip(block.queries, block.values.tolist(), strict=True):
                    yield Metric(query_id=query, measure=measure, value=value)


def _judged(run: Run, evaluation: Evaluation) -> Run:
    """The judged queries of a run; as in ir_measures, a run without any has no results."""
    queries = set(evaluation.judgements.queries)
    judged = np.array([name in queries for name in run.query.names], np.bool_)
    return run.take(np.flatnonzero(judged[run.query.codes]) if len(run) else np.empty(0, np.int64))


def _registered() -> dict[str, PartMeasure]:
    """Register the measures and the provider, which replaces the provider of an earlier import."""
    measures = _register_measures()
    PartwiseProvider.SUPPORTED_MEASURES = list(dict.fromkeys(measures.values()))
    provider = ir_measures.providers.register(PartwiseProvider())
    pipeline: Any = ir_measures.DefaultPipeline
    pipeline.providers[:] = [*(other for other in pipeline.providers if other.NAME != provider.NAME), provider]
    return measures


MEASURES = _registered()
"""Our measures as ir_measures knows them, by name: ``MEASURES["iP"] @ 0.01``."""


def __getattr__(name: str) -> PartMeasure:
    if name in MEASURES:
        return MEASURES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
