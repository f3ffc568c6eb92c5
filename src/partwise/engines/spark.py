"""The Spark engine: scores runs where they are stored. Assessments go to the workers, runs never to the driver.

A run is one group of rows; one of more than `rows_per_task` rows is split by query, because a group per query would
cost far more than it saves. Pieces are scored, then merged by run: queries without results, means, notes.
A DataFrame has no order: results of equal rank or score are ordered by a column ``row``, else by document and part.
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
from partwise.engines import registrations
from partwise.errors import CannotScore, PartwiseError, shown
from partwise.evaluation import Evaluation
from partwise.formats import names
from partwise.formats.columns import present, unknown_place
from partwise.formats.names import ASSESSMENT_COLUMNS, ROW, RUN_COLUMNS
from partwise.formats.problems import Reader, no_column
from partwise.formats.row_notes import notes_of_pieces
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import table_from_arrow
from partwise.messages import Text, commands, engines, inputs, reading
from partwise.model import ALL, NONE, Assessments, Irregular, Piece, Run, Source
from partwise.options import AverageOver, Options, Order, Task, Unit
from partwise.outcomes import Outcome, ScoredPiece
from partwise.types import CollectionInput, LengthsInput, MeasuresInput, NavigationInput, TokenizerInput

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

ROWS_PER_TASK = 1 << 20

ABOUT_PANDAS = "PySpark does not yet fully support pandas"
"""A warning about pandas, which PySpark requires and we do not use."""

RUN, PIECE, SOURCE, FILE = "_partwise_run", "_partwise_piece", "_partwise_source", "_partwise_file"
_PIECES = "run_id string, source int, last_source int, file int, row long, unnamed boolean, notes binary, piece binary"
_BLOCKS = (
    "run_id string, source int, file int, row long, unnamed boolean, number int, measure string, "
    "query_id array<string>, value array<double>, mean double, reason string, notes array<string>, packed_notes binary"
)


def evaluate(
    qrels: Any,
    runs: DataFrame,
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
    lenient: bool = False,
    mean: bool = False,
    rows_per_task: int = ROWS_PER_TASK,
) -> DataFrame:
    """Score the runs in a Spark DataFrame: ``run_id, measure, query_id, value``, with `mean` also the means (``all``).

    `runs` has the columns of a run table and, if order matters beyond rank and score, ``row``. `qrels` and `lengths`
    are Spark DataFrames too, or anything that `partwise.evaluate` takes. They are read immediately, so errors in them,
    in the measures or in the columns are raised immediately; runs are read when Spark computes the result.
    The collection is a path that every worker can read.
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
        lenient=lenient,
    )
    return _rows(_blocks(qrels, runs, measures, options, rows_per_task, []), mean)


def notes(
    qrels: Any, runs: DataFrame, measures: Any = None, *, rows_per_task: int = ROWS_PER_TASK, **options: Any
) -> DataFrame:
    """The notes on the runs: ``run_id, note``; notes on the assessments have no run.

    Takes the arguments of `evaluate`, and scores the runs once more.
    """
    require_packages()
    from pyspark.sql import functions as F

    options.pop("mean", None)
    of_assessments: list[str] = []
    blocks = _blocks(qrels, runs, measures, Options(**options), rows_per_task, of_assessments)
    of_runs = blocks.select("run_id", F.explode("notes").alias("note"))
    rows = [(None, str(note)) for note in of_assessments]
    return runs.sparkSession.createDataFrame(rows, of_runs.schema).unionAll(of_runs) if rows else of_runs


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Use this around whatever makes Spark compute: errors of partwise on a worker are raised as their one line."""
    try:
        yield
    except Exception as error:
        line = _error_line(error)
        if line is None:
            raise
        raise PartwiseError(engines.FROM_WORKER(line=line)) from None


def _error_line(error: Exception) -> str | None:
    """The line of a partwise error that a worker raised, from its traceback."""
    lines = re.findall(r"^(?:[\w.]*\.)?PartwiseError: (.*)$", str(error), re.MULTILINE)
    return lines[0].strip() if lines else None


def require_packages() -> None:
    """Fail unless the packages that Spark's Arrow functions need are installed."""
    for name in ("pyspark", "pandas"):
        try:
            __import__(name)
        except ImportError:
            raise PartwiseError(engines.SPARK_PACKAGE_MISSING(package=name)) from None


# ---- inputs -------------------------------------------------------------------------------------------------


def _blocks(qrels: Any, runs: Any, measures: Any, options: Options, rows_per_task: int, notes: list[str]) -> DataFrame:
    """A row per run and measure: queries and values as arrays; notes on the assessments are added to `notes`."""
    require_packages()
    from pyspark.sql import DataFrame

    if not isinstance(runs, DataFrame):
        raise PartwiseError(engines.RUNS_TYPE(type=type(runs).__name__))
    has_order = not isinstance(qrels, DataFrame) or ROW in qrels.columns
    if isinstance(qrels, DataFrame):
        qrels = _collected(qrels, ASSESSMENT_COLUMNS)
    if isinstance(options.lengths, DataFrame):
        options = replace(options, lengths=_collected(options.lengths, ("doc_id", "length")))
    evaluation = Evaluation.from_options(qrels, measures, options, notes)
    notes += evaluation.notes_on_assessments(options.assessor)
    if not has_order:
        _one_assessor(evaluation.judgements.assessments, options.assessor)
    frame = _checked(runs, options.order)
    shared = Shared(light(evaluation), options.file_unit, options.lenient, ROW in runs.columns)
    return planned(frame, shared, rows_per_task)


def _collected(frame: DataFrame, wanted: Sequence[str]) -> Any:
    """The columns of these names as an Arrow table, in the order of the column ``row`` if there is one."""
    columns = names.needed(frame.columns, wanted)
    if ROW not in frame.columns:
        return frame.select(columns).toArrow()
    return frame.select([*columns, ROW]).toArrow().sort_by(ROW).select(columns)


def _one_assessor(assessments: Assessments, assessor: str | None) -> None:
    """Fail where the first assessor of a query would be used, because a DataFrame has no order."""
    documents = assessments.documents
    by_query: dict[int, set[int]] = {}
    for query, judge in zip(documents.query.tolist(), documents.assessor.tolist(), strict=True):
        by_query.setdefault(query, set()).add(judge)
    for query, judges in by_query.items():
        if len(judges) > 1 and assessor not in [assessments.assessors[judge] for judge in judges]:
            name = assessments.queries[query]
            raise assessments.source.error(engines.SEVERAL_ASSESSORS(query=name, count=len(judges)))


@dataclass
class Shared:
    """The data that is sent to the workers: one copy for each of their processes."""

    evaluation: Evaluation
    unit: str | None
    """What the offsets of runs count that do not declare it; None for characters."""
    lenient: bool
    has_rows: bool
    files: Sequence[str] = ()
    sources: Sequence[str] = ()
    registrations: bytes = b""
    """What the user registered, pickled."""
    is_ready: bool = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "evaluation": pickle.dumps(self.evaluation)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Register what the user registered first: the evaluation pickles it by name."""
        if state["registrations"]:
            registrations.restore(state["registrations"])
        self.__dict__.update({**state, "evaluation": pickle.loads(state["evaluation"])})

    def ready(self) -> Evaluation:
        """The evaluation; an error if this worker cannot read the collection."""
        if self.is_ready:
            return self.evaluation
        collection = self.evaluation.judgements.collection
        if collection is not None:
            try:
                collection.doc_ids()
            except (OSError, PartwiseError) as error:
                host = socket.gethostname()
                raise PartwiseError(
                    engines.COLLECTION_UNREADABLE(host=host, collection=collection.name, reason=error)
                ) from None
        self.is_ready = True
        return self.evaluation


def light(evaluation: Evaluation) -> Evaluation:
    """The evaluation without cached results, and with names that are plain strings."""
    judgements = evaluation.judgements
    original = judgements.assessments
    assessments = replace(
        original,
        queries=list(original.queries),
        docs=list(original.docs),
        assessors=list(original.assessors),
        elements=replace(original.elements, path=list(original.elements.path)),
    )
    light = copy.copy(evaluation)
    light.judgements = replace(judgements, assessments=assessments, memory={})
    return light


# ---- the plan -----------------------------------------------------------------------------------------------


def _checked(runs: DataFrame, order: str | None) -> DataFrame:
    """The run columns of a DataFrame, checked, with the name of each row's run."""
    from pyspark.sql import functions as F

    source = Source("runs", is_file=False)
    runs = under_our_names(runs, source)
    columns = [name for name in runs.columns if name in (*RUN_COLUMNS, ROW)]
    for name in columns:
        if columns.count(name) > 1:
            raise source.error(reading.COLUMN_TWICE(name=repr(name)))
    for name in ("query_id", "doc_id"):
        if name not in columns:
            raise no_column(source, name, runs.columns, "runs")
    kinds = {column.name: column.dataType.typeName() for column in runs.schema}
    whole = ("byte", "short", "integer", "long")
    if ROW in columns and kinds[ROW] not in whole:
        raise source.error(engines.ROW_TYPE(name=ROW, type=kinds[ROW]))
    if "run_id" in columns and kinds["run_id"] not in (*whole, "string"):
        raise source.error(engines.RUN_ID_TYPE(type=kinds["run_id"]))
    if order is None and not {"rank", "score", ROW} & set(columns):
        raise source.error(engines.NO_ORDER_COLUMN())
    run = F.col("run_id").cast("string") if "run_id" in columns else F.lit("run")
    return runs.select(*columns, run.alias(RUN))


def under_our_names(runs: DataFrame, source: Source) -> DataFrame:
    """The columns of a run under our names. Of several that mean the same one must be ours: values are not compared."""
    kinds = {column.name: column.dataType.typeName() for column in runs.schema}
    for column in RUN_COLUMNS:
        first, *others = present(list(kinds), column) or [column]
        if others and first != column:
            raise source.error(engines.TWO_NAMES(first=repr(first), second=repr(others[0]), name=repr(column)))
        runs = runs.drop(*others) if first == column else runs.withColumnRenamed(first, column)
    if not names.gives_a_place(runs.columns):
        for name, kind in kinds.items():
            if names.looks_like_a_place(name) and name in runs.columns and kind not in ("string", "boolean"):
                raise unknown_place(source, name)
    return runs


def planned(frame: DataFrame, shared: Shared, rows_per_task: int) -> DataFrame:
    """The plan that scores pieces of runs and merges them by run."""
    if isinstance(rows_per_task, bool) or not isinstance(rows_per_task, int) or rows_per_task < 1:
        raise PartwiseError(commands.MUST_BE_WHOLE(name="rows_per_task", value=shown(rows_per_task), least=1))
    shared.registrations = registrations.packed()
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
        blocks = blocks.where("measure is not null and reason is null").withColumns(
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
    """The scores of some queries of a run, in one row."""
    import pyarrow as pa

    evaluation = shared.ready()
    table = _in_order(table)
    notes: list[str] = []
    run = _run(shared, run_id, table, notes)
    if not shared.has_rows:
        _require_order(run, evaluation)
    in_unit = evaluation.in_unit(run)
    notes += in_unit.notes[len(run.notes) :]
    scored = evaluation.score_piece(Piece(in_unit, frozenset()))
    source = table.column(SOURCE).to_numpy() if shared.sources else np.zeros(1, np.int64)
    row = {
        "run_id": run_id,
        "source": int(source.min()),
        "last_source": int(source.max()),
        "file": table.column(FILE)[0].as_py() if shared.files else 0,
        "row": table.column(ROW)[0].as_py() if shared.has_rows else 0,
        "unnamed": bool(shared.sources) and ("run_id" not in table.column_names or _lacks(table.column("run_id"))),
        "notes": pickle.dumps(notes),
        "piece": pickle.dumps(scored),
    }
    return _as_table([row], pa, _PIECES)


def _lacks(column: Any) -> bool:
    return bool(column.null_count) or "" in column.unique().to_pylist()


def _in_order(table: Any) -> Any:
    """The rows in the order of their files, or of ``row``; ties by document and part, whatever their order was."""
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
    """Rows of a DataFrame; error lines name their file and line, their ``row``, or their query and document."""

    table: Any = None
    files: Sequence[str] = ()

    def error(self, message: Text, line: int | None = None) -> PartwiseError:
        if line is None:
            return PartwiseError(message, file=self.name)
        cells = {name: self.table.column(name)[line - 1].as_py() for name in self.table.column_names}
        if self.files:
            return PartwiseError(message, file=self.files[cells[FILE]], line=cells[ROW] + 1)
        place = f"row {cells[ROW]}" if ROW in cells else f"query {cells['query_id']}, document {cells['doc_id']}"
        return PartwiseError(message, file=f"{self.name}, {place}")


def _run(shared: Shared, run_id: str | None, table: Any, notes: list[str]) -> Run:
    name = shared.sources[table.column(SOURCE)[0].as_py()] if shared.sources else run_id or "runs"
    reader = Reader(_Rows(name, False, table, shared.files), shared.lenient, notes)
    if shared.has_rows and table.column(ROW).null_count:
        first = int(np.argmax(table.column(ROW).is_null().to_numpy()))
        raise _Rows(name, False, table.drop_columns([ROW])).error(engines.NO_ROW_NUMBER(), line=first + 1)
    columns = [name for name in RUN_COLUMNS if name != "run_id" or not shared.sources]
    reader.count_in(shared.unit)
    rows = table_from_arrow(table, columns, reader)
    rows.is_ranked = True
    [run] = runs_from_table(rows, run_id)
    return replace(run, unit=reader.unit)


def _require_order(run: Run, evaluation: Evaluation) -> None:
    """Fail where a query would be ranked by the order of its rows, which a DataFrame does not have."""
    if evaluation.order is not None or not len(run):
        return
    has_place = np.zeros(len(run), np.bool_)
    if run.rank is not None:
        has_place |= run.rank != NONE
    if run.score is not None:
        has_place |= ~np.isnan(run.score)
    ordered = np.zeros(len(run.query.names), np.bool_)
    ordered[run.query.codes[has_place]] = True
    for code in np.unique(run.query.codes[~ordered[run.query.codes]]).tolist():
        if run.query.names[code] in evaluation.judgements.query_numbers:
            raise run.source.error(engines.NO_ORDER(query=run.query.names[code]))


def _merged(shared: Shared, run_id: str | None, table: Any) -> Any:
    """The merged pieces of a run: a row per measure."""
    import pyarrow as pa

    evaluation = shared.ready()
    parts = sorted(table.to_pylist(), key=lambda part: (part["file"], part["row"]))
    sources = sorted({part[name] for part in parts for name in ("source", "last_source")})
    if len(sources) > 1:
        first, second = (shared.sources[source] for source in sources[:2])
        raise PartwiseError(engines.SAME_RUN_NAME(run_id=run_id, first=first, second=second))
    notes = notes_of_pieces([pickle.loads(part["notes"]) for part in parts])
    place = {name: parts[0][name] for name in ("run_id", "source", "file", "row")}
    place["unnamed"] = any(part["unnamed"] for part in parts)
    if run_id is None:  # only rows without a run, which were skipped
        row = {**place, "query_id": [], "value": [], "notes": notes, "packed_notes": pickle.dumps(notes)}
        return _as_table([row], pa, _BLOCKS)
    pieces = [pickle.loads(part["piece"]) for part in parts]
    blocks, more, unscored, _ = _merged_scores(shared, evaluation, run_id, pieces, sources)
    if unscored and not blocks and not shared.sources:  # a DataFrame without rows would be silent
        reason = unscored[0][1]
        raise PartwiseError(reason.text, file=reason.file, line=reason.line)
    rows: list[dict[str, Any]] = []
    for number, block in enumerate(blocks):
        values = {"query_id": list(block.queries), "value": block.values.tolist(), "mean": block.aggregate}
        rows.append({**place, "number": number, "measure": block.measure, **values})
    rows += [
        {**place, "number": number, "measure": measure, "query_id": [], "value": [], "reason": str(reason)}
        for number, (measure, reason) in enumerate(unscored, len(blocks))
    ]
    for number, row in enumerate(rows):
        row["notes"] = [] if number else notes + more
        row["packed_notes"] = pickle.dumps(row["notes"])
    return _as_table(rows, pa, _BLOCKS)


def _merged_scores(
    shared: Shared, evaluation: Evaluation, run_id: str, pieces: Sequence[ScoredPiece], sources: Sequence[int]
) -> Outcome:
    if not any(piece.rows for piece in pieces):
        [empty] = formats.objects.runs_from_object({}, run_id, shared.unit, False, [])
        return evaluation.outcome(empty)
    try:
        return evaluation.score_pieces(run_id, pieces)
    except Irregular:
        first = min(query for piece in pieces for query in piece.queries)
        judgements = evaluation.judgements
        reason = CannotScore(
            inputs.NO_COMMON_QUERY(
                assessments=judgements.assessments.source.name, first=shown(first), judged=shown(judgements.queries[0])
            ),
            file=shared.sources[sources[0]] if shared.sources else run_id,
        )
        return evaluation.nothing_scored(run_id, reason)


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
