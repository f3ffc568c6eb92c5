"""Runs in Parquet on any store that Spark reads, for the command line; scores and order are those of local files."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise import formats
from partwise.engines.spark import (
    ABOUT_PANDAS,
    FILE,
    ROWS_PER_TASK,
    RUN,
    SOURCE,
    Shared,
    light,
    plain_errors,
    planned,
    require_packages,
    under_our_names,
)
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.formats import names
from partwise.formats.columns import notes_on_columns
from partwise.formats.names import ASSESSMENT_COLUMNS, ROW, RUN_COLUMNS
from partwise.formats.problems import no_column
from partwise.messages import engines, grouped
from partwise.messages import files as of_files
from partwise.model import Block, Scores, Source
from partwise.options import Options
from partwise.types import UnscoredRow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def session(master: str | None = None) -> SparkSession:
    """The active session, or a new one without console output, on this machine unless there is a `master`."""
    require_packages()
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    warnings.filterwarnings("ignore", ABOUT_PANDAS, FutureWarning)
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    where = master or "local[*]"
    conf = SparkConf().setMaster(where).setAppName("partwise")
    conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    if where.startswith("local"):
        conf.set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
        if "SPARK_CONF_DIR" not in os.environ:
            conf.set("spark.sql.shuffle.partitions", str(4 * (os.cpu_count() or 1)))
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with _quiet():
            started: SparkSession = SparkSession.builder.config(conf=conf).getOrCreate()
        return started
    except Exception as error:
        reason = str(error).strip().split("\n")[0]
        raise PartwiseError(engines.SPARK_DOES_NOT_START(master=where, reason=reason)) from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Discard what Java writes to standard error: a process started inside inherits the null device."""
    stderr = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(null)


@contextlib.contextmanager
def _spark_errors(name: str) -> Iterator[None]:
    """Raise Spark's errors about files as one line."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        with plain_errors():
            yield
    except (PySparkException, Py4JError) as error:
        message = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
        if "FOOTER" in message or "is not a Parquet file" in message:
            match = re.search(r"file (?:file:)?(\S+?)\. ", message)
            file = match[1] if match and " " in name else name
            raise PartwiseError(engines.NOT_PARQUET(), file=file) from None
        reason = re.sub(r"(?<!\s)\s*SQLSTATE: \w+", "", message.strip().split("\n")[0])
        raise PartwiseError(engines.UNREADABLE(reason=reason), file=name) from None


@dataclass(frozen=True)
class _Files:
    """Parquet files as a DataFrame with file and row numbers; `sources` are the given paths, or matches of patterns."""

    frame: DataFrame
    sources: Sequence[str]
    files: Sequence[str]
    columns: Sequence[str]


def _files(spark: SparkSession, paths: Sequence[str], wanted: Sequence[str]) -> _Files:
    from urllib.parse import unquote

    from pyspark.sql import functions as F

    roots: dict[str, str] = {}
    for path in paths:
        for root, name in _matches(spark, path):
            if root in roots:
                raise PartwiseError(of_files.GIVEN_TWICE(path=name))
            roots[root] = name
    reader = spark.read.option("mergeSchema", "true")
    with _spark_errors(", ".join(paths) if len(paths) < 4 else f"{paths[0]} and others"):
        frame = reader.parquet(*(re.sub(r"([\\*?\[\]{},])", r"\\\1", root) for root in roots))
        uris = sorted({_plain_uri(uri) for uri in frame.inputFiles()}, key=unquote)
    sources = list(roots)
    owner = [_owner(unquote(uri), sources) for uri in uris]
    order = sorted(range(len(uris)), key=lambda i: owner[i])
    rows = [(uris[i], owner[i], number) for number, i in enumerate(order)]
    files = [_file_name(unquote(uri), sources[at], roots[sources[at]]) for uri, at, _ in rows]
    places = spark.createDataFrame(rows, f"_uri string, {SOURCE} int, {FILE} int")
    existing = list(frame.columns)
    columns = names.needed(existing, wanted)
    uri = F.regexp_replace("_metadata.file_path", "^file:/+", "file:/").alias("_uri")
    numbered = frame.select(*columns, F.col("_metadata.row_index").alias(ROW), uri)
    return _Files(numbered.join(F.broadcast(places), "_uri").drop("_uri"), list(roots.values()), files, existing)


def _matches(spark: SparkSession, path: str) -> list[tuple[str, str]]:
    """The files or folders that a path or pattern matches: the URI that Spark uses, and the name for the user."""
    with _spark_errors(path):
        as_path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path
        store = as_path(path).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        is_local = "://" not in path and store.getUri().getScheme() == "file"
        hadoop = as_path(os.path.abspath(path) if is_local else path)  # Java keeps its initial working directory
        if store.exists(hadoop):
            return [(_plain_uri(store.getFileStatus(hadoop).getPath().toString()), path)]
        matches = store.globStatus(hadoop) or ()
        roots = sorted(_plain_uri(status.getPath().toString()) for status in matches)
    if not roots:
        raise PartwiseError(of_files.NO_SUCH_PATH(), file=path)
    return [(root, root.removeprefix("file:")) for root in roots]


def _plain_uri(uri: str) -> str:
    return re.sub("^file:/+", "file:/", uri)


def _owner(uri: str, roots: Sequence[str]) -> int:
    inside = [i for i, root in enumerate(roots) if uri == root or uri.startswith(root.rstrip("/") + "/")]
    return max(inside, key=lambda i: len(roots[i]))


def _file_name(uri: str, root: str, name: str) -> str:
    """The path of a file, starting with the name that the user gave its root."""
    return name.rstrip("/") + uri.removeprefix(root.rstrip("/")) if uri != root else name


def read_table(path: str, master: str | None = None) -> Any:
    """Assessments or lengths in Parquet on a store that only Spark reads, as an Arrow table in file order."""
    files = _files(session(master), [path], ASSESSMENT_COLUMNS)
    with _spark_errors(path):
        table = files.frame.toArrow()
    return table.sort_by([(FILE, "ascending"), (ROW, "ascending")]).drop_columns([FILE, ROW, SOURCE])


def evaluate_files(
    evaluation: Evaluation,
    paths: Sequence[str],
    notes: Sequence[str],
    options: Options,
    *,
    master: str | None = None,
) -> Scores:
    """The scores of runs in Parquet on any store that Spark reads; the same as those of local files, in the same order.

    A path is a file, a folder of files, or a pattern. Without a column ``run_id`` each is a run, named by its stem.
    """
    spark = session(master)
    from pyspark.sql import functions as F

    files = _files(spark, paths, RUN_COLUMNS)
    files = replace(files, frame=under_our_names(files.frame, Source(files.sources[0])))
    for name in ("query_id", "doc_id"):
        if name not in files.frame.columns:
            raise no_column(Source(files.sources[0]), name, files.columns, "runs")
    run_names = spark.createDataFrame(
        list(enumerate(formats.run_names(list(files.sources)))), f"{SOURCE} int, {RUN} string"
    )
    frame = files.frame.join(F.broadcast(run_names), SOURCE)
    if "run_id" in frame.columns:
        run_id = F.col("run_id").cast("string")
        frame = frame.withColumn(RUN, F.coalesce(F.when(run_id != "", run_id), F.col(RUN)))
    shared = Shared(light(evaluation), options.file_unit, options.lenient, True, files.files, files.sources)
    with _spark_errors(files.sources[0]):
        table = planned(frame, shared, ROWS_PER_TASK).toArrow()
    rows = sorted(table.to_pylist(), key=lambda row: (row["source"], row["file"], row["row"], row["number"]))
    _check_sources(rows, files)
    blocks = [
        Block(row["run_id"], row["measure"], row["query_id"], np.array(row["value"], np.float64), row["mean"])
        for row in rows
        if row["reason"] is None
    ]
    unscored = [UnscoredRow(row["run_id"], row["measure"], row["reason"]) for row in rows if row["reason"] is not None]
    if unscored and not blocks:
        raise PartwiseError(engines.FROM_WORKER(line=unscored[0].reason))
    notes_on_runs = [note for row in rows for note in pickle.loads(row["packed_notes"])]
    of_columns = notes_on_columns(files.columns, RUN_COLUMNS, "run", ", ".join(files.sources))
    together = tuple(grouped([*notes, *of_columns, *notes_on_runs]))
    kinds, unit = evaluation.kinds, evaluation.unit_label
    return Scores(blocks, evaluation.judged, together, unscored, kinds=kinds, unit=unit)


def _check_sources(rows: Sequence[dict[str, Any]], files: _Files) -> None:
    """Fail unless every source has results, and either all or none of its rows have a ``run_id``."""
    for source, name in enumerate(files.sources):
        of_source = [row for row in rows if row["source"] == source]
        if not of_source:
            raise Source(name).error(engines.NO_RESULTS())
        unnamed = [row for row in of_source if row["unnamed"]]
        if unnamed and len({row["run_id"] for row in of_source}) > len({row["run_id"] for row in unnamed}):
            row = unnamed[0]
            raise PartwiseError(engines.NO_RUN_ID(), file=files.files[row["file"]], line=row["row"] + 1)
