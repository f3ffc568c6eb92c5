"""Runs in Parquet on any store that Spark reads, for the command line: scores, order and lines as of local files."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise import formats
from partwise.engines.spark import (
    ABOUT_PANDAS,
    FILE,
    ROW,
    ROWS_PER_TASK,
    RUN,
    SOURCE,
    Shared,
    light,
    plain_errors,
    planned,
    require_packages,
)
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.problems import no_column
from partwise.model import Block, Scores, Source
from partwise.options import Options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def session(master: str | None = None) -> SparkSession:
    """The session there is, or a quiet one, on this machine unless `master` says where."""
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
        told = str(error).strip().split("\n")[0]
        raise PartwiseError(
            f"Spark does not start on {where} ({told})", "it needs Java 17 or later and a master that can be reached"
        ) from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What Java writes to standard error is let go: a process started in here inherits none."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextlib.contextmanager
def _spark_errors(what: str) -> Iterator[None]:
    """Whatever Spark has to say about files, in one line."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        with plain_errors():
            yield
    except (PySparkException, Py4JError) as error:
        told = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
        first = re.sub(r"\s*SQLSTATE: \w+", "", told.strip().split("\n")[0])
        if "FOOTER" in told or "is not a Parquet file" in told:
            found = re.search(r"file (?:file:)?(\S+?)\. ", told)
            where = found[1] if found and " " in what else what
            raise PartwiseError("is not Parquet, or damaged", "the engine spark reads Parquet", file=where) from None
        remedy = "see that Spark reaches it: the path, your rights, Spark's package for such a store"
        raise PartwiseError(f"Spark cannot read this ({first})", remedy, file=what) from None


@dataclass(frozen=True)
class _Files:
    """Parquet files as a DataFrame with file and row numbers; `sources` are what the user named, or a pattern found."""

    frame: DataFrame
    sources: Sequence[str]
    files: Sequence[str]
    columns: Sequence[str]


def _files(spark: SparkSession, given: Sequence[str], wanted: Sequence[str]) -> _Files:
    from urllib.parse import unquote

    from pyspark.sql import functions as F

    roots: dict[str, str] = {}
    for path in given:
        for root, told in _found(spark, path):
            if root in roots:
                raise PartwiseError(f"{told} is given twice", "give every run once")
            roots[root] = told
    reader = spark.read.option("mergeSchema", "true")
    with _spark_errors(", ".join(given) if len(given) < 4 else f"{given[0]} and others"):
        frame = reader.parquet(*(re.sub(r"([\\*?\[\]{},])", r"\\\1", root) for root in roots))
        uris = sorted({_plain_uri(uri) for uri in frame.inputFiles()}, key=unquote)
    sources = list(roots)
    owner = [_owner(unquote(uri), sources) for uri in uris]
    order = sorted(range(len(uris)), key=lambda i: owner[i])
    rows = [(uris[i], owner[i], number) for number, i in enumerate(order)]
    files = [_told_file(unquote(uri), sources[at], roots[sources[at]]) for uri, at, _ in rows]
    places = spark.createDataFrame(rows, f"_uri string, {SOURCE} int, {FILE} int")
    there = [name for name in frame.columns if name in wanted]
    uri = F.regexp_replace("_metadata.file_path", "^file:/+", "file:/").alias("_uri")
    numbered = frame.select(*there, F.col("_metadata.row_index").alias(ROW), uri)
    return _Files(numbered.join(F.broadcast(places), "_uri").drop("_uri"), list(roots.values()), files, frame.columns)


def _found(spark: SparkSession, path: str) -> list[tuple[str, str]]:
    """The file or folder that a path names, or those that a pattern finds: where Spark sees it, and what to call it."""
    with _spark_errors(path):
        as_path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path
        store = as_path(path).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        is_local = "://" not in path and store.getUri().getScheme() == "file"
        hadoop = as_path(os.path.abspath(path) if is_local else path)  # Java keeps the folder that it started in
        if store.exists(hadoop):
            return [(_plain_uri(store.getFileStatus(hadoop).getPath().toString()), path)]
        found = store.globStatus(hadoop) or ()
        roots = sorted(_plain_uri(status.getPath().toString()) for status in found)
    if not roots:
        raise PartwiseError("no such file or folder", "give the path of a file that exists", file=path)
    return [(root, root.removeprefix("file:")) for root in roots]


def _plain_uri(uri: str) -> str:
    return re.sub("^file:/+", "file:/", uri)


def _owner(uri: str, roots: Sequence[str]) -> int:
    inside = [i for i, root in enumerate(roots) if uri == root or uri.startswith(root.rstrip("/") + "/")]
    return max(inside, key=lambda i: len(roots[i]))


def _told_file(uri: str, root: str, told: str) -> str:
    """A file as the user would name it."""
    return told.rstrip("/") + uri.removeprefix(root.rstrip("/")) if uri != root else told


def read_table(path: str, master: str | None = None) -> Any:
    """Assessments or lengths that lie where only Spark reads: Parquet, as an Arrow table in the order of its files."""
    found = _files(session(master), [path], ASSESSMENT_COLUMNS)
    with _spark_errors(path):
        table = found.frame.toArrow()
    return table.sort_by([(FILE, "ascending"), (ROW, "ascending")]).drop_columns([FILE, ROW, SOURCE])


def evaluate_files(
    evaluation: Evaluation,
    paths: Sequence[str],
    notes: Sequence[str],
    options: Options,
    *,
    master: str | None = None,
) -> Scores:
    """The scores of runs in Parquet, on any store that Spark reads; the same as of local files, in the same order.

    A path is a file, a folder of files, or a pattern. Without a column ``run_id`` each is a run, called by its stem.
    """
    spark = session(master)
    from pyspark.sql import functions as F

    found = _files(spark, paths, RUN_COLUMNS)
    for name in ("query_id", "doc_id"):
        if name not in found.frame.columns:
            raise no_column(Source(found.sources[0]), name, found.columns, "runs")
    names = spark.createDataFrame(
        list(enumerate(formats.run_names(list(found.sources)))), f"{SOURCE} int, {RUN} string"
    )
    frame = found.frame.join(F.broadcast(names), SOURCE)
    if "run_id" in frame.columns:
        own = F.col("run_id").cast("string")
        frame = frame.withColumn(RUN, F.coalesce(F.when(own != "", own), F.col(RUN)))
    shared = Shared(light(evaluation), options.unit, options.lenient, True, found.files, found.sources)
    with _spark_errors(found.sources[0]):
        table = planned(frame, shared, ROWS_PER_TASK).toArrow()
    rows = sorted(table.to_pylist(), key=lambda row: (row["source"], row["file"], row["row"], row["number"]))
    _check_sources(rows, found)
    blocks = [
        Block(row["run_id"], row["measure"], row["query_id"], np.array(row["value"], np.float64), row["mean"])
        for row in rows
    ]
    return Scores(blocks, evaluation.judged, (*notes, *(note for row in rows for note in row["notes"])))


def _check_sources(rows: Sequence[dict[str, Any]], found: _Files) -> None:
    """Every source has results, and its rows have all a ``run_id`` or none."""
    for source, name in enumerate(found.sources):
        of_source = [row for row in rows if row["source"] == source]
        if not of_source:
            raise Source(name).error("has no results", "give a run as Parquet")
        unnamed = [row for row in of_source if row["unnamed"]]
        if unnamed and len({row["run_id"] for row in of_source}) > len({row["run_id"] for row in unnamed}):
            row = unnamed[0]
            raise PartwiseError(
                "has no run_id", "give every row its run_id", file=found.files[row["file"]], line=row["row"] + 1
            )
