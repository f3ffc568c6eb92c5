"""Spark: runs scored where they lie. Assessments travel to the workers, runs never to the driver.

A run is one group of rows; one of more than `rows_per_task` rows is split by query, as a group per query would cost far
more than it brings. Pieces are scored, then those of a run are put together: queries without results, means, notes.
A DataFrame has no order: results of equal rank or score stand as a column ``row`` says, else by document and part.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
import re
import socket
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise import formats
from partwise.errors import PartwiseError, shown
from partwise.evaluation import Evaluation, ScoredPiece
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.problems import Reader, no_column
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import table_from_arrow
from partwise.measures import register_measure, registered_measures
from partwise.messages import Text
from partwise.model import ALL, NONE, Assessments, Block, Irregular, Piece, Run, Source
from partwise.options import AverageOver, Options, Order, Task, Unit
from partwise.relevance.quantise import register_quantisation, registered
from partwise.types import CollectionInput, LengthsInput, MeasuresInput, NavigationInput

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

ROWS_PER_TASK = 1 << 20
ROW = "row"
"""The column that gives the order of rows, and their names in error lines."""

ABOUT_PANDAS = "PySpark does not yet fully support pandas"
"""A warning about pandas, which must be installed and is not used."""

RUN, PIECE, SOURCE, FILE = "_partwise_run", "_partwise_piece", "_partwise_source", "_partwise_file"
_PIECES = (
    "run_id string, source int, last_source int, file int, row long, unnamed boolean, notes array<string>, piece binary"
)
_BLOCKS = (
    "run_id string, source int, file int, row long, unnamed boolean, number int, measure string, "
    "query_id array<string>, value array<double>, mean double, notes array<string>"
)


def evaluate(
    qrels: Any,
    runs: DataFrame,
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
    lenient: bool = False,
    mean: bool = False,
    rows_per_task: int = ROWS_PER_TASK,
) -> DataFrame:
    """Score the runs in a Spark DataFrame: ``run_id, measure, query_id, value``, with `mean` also the means (``all``).

    `runs` has the columns of every run table and, where order matters beyond rank and score, ``row``. `qrels` and
    `lengths` are Spark DataFrames too, or whatever `partwise.evaluate` takes. They are read at once, and what is wrong
    with them, with the measures or with the columns is told at once; runs are read when Spark is asked for the result.
    The collection is a path that every worker can read.
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
        lenient=lenient,
    )
    return _rows(_blocks(qrels, runs, measures, options, rows_per_task), mean)


def notes(
    qrels: Any, runs: DataFrame, measures: Any = None, *, rows_per_task: int = ROWS_PER_TASK, **options: Any
) -> DataFrame:
    """What is odd about the runs: ``run_id, note``. Takes what `evaluate` takes, and scores the runs once more."""
    from pyspark.sql import functions as F

    options.pop("mean", None)
    blocks = _blocks(qrels, runs, measures, Options(**options), rows_per_task)
    return blocks.select("run_id", F.explode("notes").alias("note"))


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Around whatever makes Spark work: what partwise found wrong with a run is raised as its one line."""
    try:
        yield
    except Exception as error:
        told = _told(error)
        if told is None:
            raise
        raise PartwiseError(told) from None


def _told(error: Exception) -> str | None:
    """The line of a partwise error that a worker raised; the last line of its traceback."""
    found = re.findall(r"^(?:[\w.]*\.)?PartwiseError: (.*)$", str(error), re.MULTILINE)
    return found[0].strip() if found else None


def require_packages() -> None:
    """Fail unless there is what Spark's Arrow functions need."""
    for name in ("pyspark", "pandas"):
        try:
            __import__(name)
        except ImportError:
            raise PartwiseError(f"the engine spark needs {name}", "pip install 'partwise[spark]'") from None


# ---- inputs -------------------------------------------------------------------------------------------------


def _blocks(qrels: Any, runs: Any, measures: Any, options: Options, rows_per_task: int) -> DataFrame:
    """A row per run and measure: queries and values as arrays."""
    require_packages()
    from pyspark.sql import DataFrame

    if not isinstance(runs, DataFrame):
        raise PartwiseError(f"runs is of type {type(runs).__name__}", "give a Spark DataFrame")
    has_order = not isinstance(qrels, DataFrame) or ROW in qrels.columns
    if isinstance(qrels, DataFrame):
        qrels = _collected(qrels, ASSESSMENT_COLUMNS)
    if isinstance(options.lengths, DataFrame):
        options = replace(options, lengths=_collected(options.lengths, ("doc_id", "length")))
    evaluation = Evaluation.from_options(qrels, measures, options, [])
    if not has_order:
        _one_assessor(evaluation.judgements.assessments, options.assessor)
    frame = _checked(runs, options.order)
    shared = Shared(light(evaluation), options.unit, options.lenient, ROW in runs.columns)
    return planned(frame, shared, rows_per_task)


def _collected(frame: DataFrame, wanted: Sequence[str]) -> Any:
    """A small DataFrame as an Arrow table, in the order of its column ``row`` where it has one."""
    there = [name for name in frame.columns if name in wanted]
    if ROW not in frame.columns:
        return frame.select(there).toArrow()
    return frame.select([*there, ROW]).toArrow().sort_by(ROW).select(there)


def _one_assessor(assessments: Assessments, assessor: str | None) -> None:
    """Fail where the first assessor of a query counts, as a DataFrame has no first."""
    documents = assessments.documents
    by_query: dict[int, set[int]] = {}
    for query, judge in zip(documents.query.tolist(), documents.assessor.tolist(), strict=True):
        by_query.setdefault(query, set()).add(judge)
    for query, judges in by_query.items():
        if len(judges) > 1 and assessor not in [assessments.assessors[judge] for judge in judges]:
            raise assessments.source.error(
                f"query {assessments.queries[query]} has {len(judges)} assessors, and a DataFrame has no first one",
                "name one (assessor=...), or number the rows in a column row",
            )


@dataclass
class Shared:
    """What travels to the workers: one copy for each of their processes."""

    evaluation: Evaluation
    unit: str
    lenient: bool
    has_rows: bool
    files: Sequence[str] = ()
    sources: Sequence[str] = ()
    own: bytes = b""
    """What the user registered, for processes that do not have it."""
    is_ready: bool = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "evaluation": pickle.dumps(self.evaluation)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What the user registered comes first: measures are pickled by their names."""
        quantisations, measures = pickle.loads(state["own"]) if state["own"] else ({}, {})
        for name, function in quantisations.items():
            register_quantisation(name, function)
        for kind in dict.fromkeys(measures.values()):
            register_measure(kind)
        self.__dict__.update({**state, "evaluation": pickle.loads(state["evaluation"])})

    def ready(self) -> Evaluation:
        """The evaluation; an error where the collection is not within reach of this worker."""
        if self.is_ready:
            return self.evaluation
        collection = self.evaluation.judgements.collection
        if collection is not None:
            try:
                collection.doc_ids()
            except (OSError, PartwiseError) as error:
                raise PartwiseError(
                    f"the worker on {socket.gethostname()} cannot read the collection {collection.name} ({error})",
                    "give a path that every worker can read",
                ) from None
        self.is_ready = True
        return self.evaluation


def light(evaluation: Evaluation) -> Evaluation:
    """The evaluation without what is computed on the way, and with names that are plain strings."""
    judgements = evaluation.judgements
    given = judgements.assessments
    assessments = replace(
        given,
        queries=list(given.queries),
        docs=list(given.docs),
        assessors=list(given.assessors),
        elements=replace(given.elements, path=list(given.elements.path)),
    )
    light = copy.copy(evaluation)
    light.judgements = replace(judgements, assessments=assessments, memory={})
    return light


# ---- the plan -----------------------------------------------------------------------------------------------


def _checked(runs: DataFrame, order: str | None) -> DataFrame:
    """The columns of a run that a DataFrame has, and the name of each row's run."""
    from pyspark.sql import functions as F

    source = Source("runs", is_file=False)
    there = [name for name in runs.columns if name in (*RUN_COLUMNS, ROW)]
    for name in there:
        if there.count(name) > 1:
            raise source.error(f"has two columns {name!r}", "give every column its own name")
    for name in ("query_id", "doc_id"):
        if name not in there:
            raise no_column(source, name, runs.columns, "runs")
    kinds = {column.name: column.dataType.typeName() for column in runs.schema}
    whole = ("byte", "short", "integer", "long")
    if ROW in there and kinds[ROW] not in whole:
        raise source.error(f"the column {ROW!r} is of type {kinds[ROW]}", "number the rows with whole numbers")
    if "run_id" in there and kinds["run_id"] not in (*whole, "string"):
        raise source.error(f"the column 'run_id' is of type {kinds['run_id']}", "give a text or a whole number")
    if order is None and not {"rank", "score", ROW} & set(there):
        raise source.error("has no column 'rank', 'score' or 'row'", "a DataFrame has no order: give one of them")
    run = F.col("run_id").cast("string") if "run_id" in there else F.lit("run")
    return runs.select(*there, run.alias(RUN))


def planned(frame: DataFrame, shared: Shared, rows_per_task: int) -> DataFrame:
    """Pieces of runs scored, and put together run by run."""
    from pyspark import cloudpickle

    if isinstance(rows_per_task, bool) or not isinstance(rows_per_task, int) or rows_per_task < 1:
        raise PartwiseError(f"rows_per_task is {shown(rows_per_task)}", "it must be a whole number from 1")
    shared.own = cloudpickle.dumps((registered(), registered_measures()))
    sent = frame.sparkSession.sparkContext.broadcast(shared)
    split = _split(frame, rows_per_task)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ABOUT_PANDAS, FutureWarning)
        pieces = split.groupBy(RUN, PIECE).applyInArrow(_piece_scorer(sent), _PIECES)
        return pieces.groupBy("run_id").applyInArrow(_merger(sent), _BLOCKS)


def _split(frame: DataFrame, rows_per_task: int) -> DataFrame:
    """Each row with the number of its piece: query after query, a new piece after every `rows_per_task` rows."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    sizes = frame.groupBy(RUN, "query_id").count()
    earlier = Window.partitionBy(RUN).orderBy("query_id").rowsBetween(Window.unboundedPreceding, -1)
    piece = F.floor(F.coalesce(F.sum("count").over(earlier), F.lit(0)) / F.lit(rows_per_task))
    numbered = sizes.select(RUN, "query_id", piece.alias(PIECE))
    return frame.join(numbered, [RUN, "query_id"], "left").fillna(0, [PIECE])


def _rows(blocks: DataFrame, mean: bool) -> DataFrame:
    from pyspark.sql import functions as F

    if mean:
        blocks = blocks.where("measure is not null").withColumns(
            {
                "query_id": F.concat("query_id", F.array(F.lit(ALL))),
                "value": F.concat("value", F.array("mean")),
            }
        )
    return blocks.select("run_id", "measure", F.inline(F.arrays_zip("query_id", "value")))


# ---- on the workers -----------------------------------------------------------------------------------------


def _piece_scorer(sent: Broadcast[Shared]) -> Callable[[Any, Any], Any]:
    def score(key, table):  # type: ignore[no-untyped-def]  # Spark reads hints
        return _scored_piece(sent.value, key[0].as_py(), table)

    return score


def _merger(sent: Broadcast[Shared]) -> Callable[[Any, Any], Any]:
    def merge(key, table):  # type: ignore[no-untyped-def]
        return _merged(sent.value, key[0].as_py(), table)

    return merge


def _scored_piece(shared: Shared, run_id: str | None, table: Any) -> Any:
    """Some queries of a run, scored: one row that holds them."""
    import pyarrow as pa

    evaluation = shared.ready()
    table = _in_order(table)
    notes: list[str] = []
    run = _run(shared, run_id, table, notes)
    if not shared.has_rows:
        _require_order(run, evaluation)
    scored = evaluation.score_piece(Piece(run, frozenset()))
    source = table.column(SOURCE).to_numpy() if shared.sources else np.zeros(1, np.int64)
    row = {
        "run_id": run_id,
        "source": int(source.min()),
        "last_source": int(source.max()),
        "file": table.column(FILE)[0].as_py() if shared.files else 0,
        "row": table.column(ROW)[0].as_py() if shared.has_rows else 0,
        "unnamed": bool(shared.sources) and ("run_id" not in table.column_names or _lacks(table.column("run_id"))),
        "notes": notes,
        "piece": pickle.dumps(scored),
    }
    return _as_table([row], pa, _PIECES)


def _lacks(column: Any) -> bool:
    return bool(column.null_count) or "" in column.unique().to_pylist()


def _in_order(table: Any) -> Any:
    """The rows in the order of their files, or of ``row``; equal ones by document and part, however they came."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = (FILE, ROW, "query_id", "doc_id", *RUN_COLUMNS)
    keys = {}
    for name in dict.fromkeys(name for name in names if name in table.column_names and name != "run_id"):
        column = table.column(name)
        kind = column.type
        sortable = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_string(kind)
        keys[name] = column if sortable else pa.array([str(cell) for cell in column.to_pylist()])
    return table.take(pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys]))


@dataclass(frozen=True)
class _Rows(Source):
    """Rows of a DataFrame, told in error lines by file and row, by ``row``, or by query and document."""

    table: Any = None
    files: Sequence[str] = ()

    def error(self, problem: str | Text, remedy: str = "", line: int | None = None) -> PartwiseError:
        if line is None:
            return PartwiseError(problem, remedy, file=self.name)
        there = {name: self.table.column(name)[line - 1].as_py() for name in self.table.column_names}
        if self.files:
            return PartwiseError(problem, remedy, file=self.files[there[FILE]], line=there[ROW] + 1)
        place = f"row {there[ROW]}" if ROW in there else f"query {there['query_id']}, document {there['doc_id']}"
        return PartwiseError(problem, remedy, file=f"{self.name}, {place}")


def _run(shared: Shared, run_id: str | None, table: Any, notes: list[str]) -> Run:
    name = shared.sources[table.column(SOURCE)[0].as_py()] if shared.sources else run_id or "runs"
    reader = Reader(_Rows(name, False, table, shared.files), shared.lenient, notes)
    if shared.has_rows and table.column(ROW).null_count:
        first = int(np.argmax(table.column(ROW).is_null().to_numpy()))
        raise _Rows(name, False, table.drop_columns([ROW])).error("has no row", "number every row", first + 1)
    wanted = [name for name in RUN_COLUMNS if name != "run_id" or not shared.sources]
    [run] = runs_from_table(table_from_arrow(table, wanted, reader), run_id)
    return replace(run, unit=shared.unit)


def _require_order(run: Run, evaluation: Evaluation) -> None:
    """Fail where a query would stand in the order of its rows, which a DataFrame does not have."""
    if evaluation.order is not None or not len(run):
        return
    known = np.zeros(len(run), np.bool_)
    if run.rank is not None:
        known |= run.rank != NONE
    if run.score is not None:
        known |= ~np.isnan(run.score)
    ordered = np.zeros(len(run.query.names), np.bool_)
    ordered[run.query.codes[known]] = True
    for code in np.unique(run.query.codes[~ordered[run.query.codes]]).tolist():
        if run.query.names[code] in evaluation.judgements.query_numbers:
            raise run.source.error(
                f"query {run.query.names[code]} has neither ranks nor scores, and a DataFrame has no order",
                "give rank, score or row",
            )


def _merged(shared: Shared, run_id: str | None, table: Any) -> Any:
    """The pieces of a run put together: a row per measure."""
    import pyarrow as pa

    evaluation = shared.ready()
    parts = sorted(table.to_pylist(), key=lambda part: (part["file"], part["row"]))
    sources = sorted({part[name] for part in parts for name in ("source", "last_source")})
    if len(sources) > 1:
        first, second = (shared.sources[source] for source in sources[:2])
        raise PartwiseError(f"two runs are called {run_id!r}, in {first} and {second}", "give every run its own name")
    noted = [note for part in parts for note in part["notes"]]
    place = {name: parts[0][name] for name in ("run_id", "source", "file", "row")}
    place["unnamed"] = any(part["unnamed"] for part in parts)
    if run_id is None:  # nothing but rows without a run, which were skipped
        return _as_table([{**place, "query_id": [], "value": [], "notes": noted}], pa, _BLOCKS)
    blocks, odd = _put_together(shared, evaluation, run_id, [pickle.loads(part["piece"]) for part in parts], sources)
    rows = [
        {
            **place,
            "number": number,
            "measure": block.measure,
            "query_id": list(block.queries),
            "value": block.values.tolist(),
            "mean": block.aggregate,
            "notes": [] if number else noted + odd,
        }
        for number, block in enumerate(blocks)
    ]
    return _as_table(rows, pa, _BLOCKS)


def _put_together(
    shared: Shared, evaluation: Evaluation, run_id: str, pieces: Sequence[ScoredPiece], sources: Sequence[int]
) -> tuple[list[Block], list[str]]:
    if not any(piece.rows for piece in pieces):
        [empty] = formats.objects.runs_from_object({}, run_id, shared.unit, False, [])
        return evaluation.score(empty)
    try:
        return evaluation.score_pieces(run_id, pieces)
    except Irregular:
        first = min(query for piece in pieces for query in piece.queries)
        raise PartwiseError(
            f"has no query in common with {evaluation.judgements.assessments.source.name}",
            f"its first query is {shown(first)}, theirs is {shown(evaluation.judgements.queries[0])}",
            file=shared.sources[sources[0]] if shared.sources else run_id,
        ) from None


def _as_table(rows: list[dict[str, Any]], pa: Any, schema: str) -> Any:
    """Rows as an Arrow table of a Spark schema."""
    kinds = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "boolean": pa.bool_(),
        "binary": pa.binary(),
        "double": pa.float64(),
        "array<string>": pa.list_(pa.string()),
        "array<double>": pa.list_(pa.float64()),
    }
    fields = [(name, kinds[kind]) for name, kind in (part.split() for part in schema.split(", "))]
    return pa.table({name: pa.array([row.get(name) for row in rows], kind) for name, kind in fields})
