"""``partwise evaluate``: score runs against assessments."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from partwise.errors import PartwiseError
from partwise.presets import TASKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.scores import Scores

FORMATS = ("table", "tsv", "jsonl", "csv", "latex", "parquet", "trec")
TOPICS = ("judged", "run")
ORDERS = ("rank", "score")
UNITS = ("chars", "bytes")
RUN_IDS = ("stem", "tag")
BY = ("tag",)
ENGINES = ("local", "spark")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="score runs against assessments",
        description="Score runs of document parts against assessments. Files are TREC or INEX columns, INEX XML, CSV, "
        "TSV, JSON Lines or Parquet, plain or compressed (.gz .bz2 .xz .zst); the format is found out.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="assessments; those in INEX XML may be a folder or an archive")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="runs")
    add_measures(parser)
    parser.add_argument("-q", dest="per_topic", action="store_true", help="also a value per topic")
    add_output(parser, FORMATS)
    add_inputs(parser)
    parser.add_argument(
        "--by", type=one_of(BY), metavar="tag", help="what each kind of element contributes, instead of the values"
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="threads to work in (by default one per core; for measures of elements, where more do not help, one)",
    )
    parser.add_argument(
        "--engine",
        type=one_of(ENGINES),
        metavar="local|spark",
        default="local",
        help="where to work; spark takes runs in Parquet (files, folders, patterns) on any store that Spark reads",
    )
    parser.add_argument(
        "--master", metavar="URL", help="the Spark cluster (by default all cores of this machine: local[*])"
    )
    parser.set_defaults(run=run)


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """The options that say how and where the outcome is written."""
    parser.add_argument(
        "-f",
        dest="format",
        type=one_of(formats),
        metavar="FORMAT",
        help=f"one of {', '.join(formats)}; by default a table on a terminal, else tsv",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, in the format of its suffix")
    parser.add_argument("--places", type=places, metavar="N", help="decimals (tables 4, other formats all)")


def add_measures(parser: argparse.ArgumentParser) -> None:
    """The options that say what is computed."""
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURES", action="append", help="measures, several in one string; repeatable"
    )
    parser.add_argument("--task", type=one_of(tuple(TASKS)), metavar="TASK", help="ready sets: " + ", ".join(TASKS))


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """The options that say how assessments and runs are read."""
    parser.add_argument(
        "--topics",
        type=one_of(TOPICS),
        metavar="judged|run",
        default="judged",
        help="average over all judged topics (one without results scores 0), or over those the run has",
    )
    parser.add_argument("--order", type=one_of(ORDERS), metavar="rank|score", help="order results by this column")
    parser.add_argument(
        "--unit",
        type=one_of(UNITS),
        metavar="chars|bytes",
        default="chars",
        help="what offsets count, in assessments and runs alike",
    )
    parser.add_argument("--assessor", metavar="NAME", help="use this assessor's judgements where there are several")
    parser.add_argument("--lengths", metavar="FILE", help="document lengths, in columns doc_id and length")
    parser.add_argument(
        "--collection",
        metavar="DOCS",
        help="the documents: a folder, an archive, JSON Lines or a stored index; for elements and their measures",
    )
    parser.add_argument(
        "--navigation",
        action="append",
        metavar="FILE",
        help="a learned navigation model, known to measures by the stem of its file; repeatable",
    )
    parser.add_argument(
        "--run-id",
        type=one_of(RUN_IDS),
        metavar="stem|tag",
        default="stem",
        help="name a run after its file, or by its run column",
    )
    parser.add_argument("--lenient", action="store_true", help="skip bad lines, count them and say so")


def evaluator_from(given: argparse.Namespace) -> Any:
    """An evaluator as these options say."""
    from partwise import api

    return api.Evaluator(given.qrels, given.measures, **options_of(given))


def options_of(given: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_measures` and `add_inputs` say, by the names that the Python interface has for them."""
    names = "task", "topics", "order", "unit", "assessor", "lengths", "collection", "navigation", "lenient"
    return {name: getattr(given, name) for name in names}


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """An option's type: one of these words."""

    def chosen(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")
        return text

    return chosen


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:10]) <= 4096:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 4096")
    return int(text)


def places(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > 17:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 17")
    return int(text)


def _scores(given: argparse.Namespace, progress: Callable[[int, int], None] | None) -> Scores:
    """The scores of the runs, in this process or on Spark."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # or NumPy starts threads that nothing here uses, and that spin
    from partwise import kernels

    kernels.keep_memory()
    evaluator = evaluator_from(given)
    scores: Scores
    if given.engine == "spark":
        scores = evaluator.evaluate_on_spark(given.runs, master=given.master)
    else:
        scores = evaluator.evaluate(given.runs, run_id=given.run_id, jobs=given.jobs, progress=progress)
    return scores


def run(given: argparse.Namespace) -> int:
    from partwise.cli import output, say
    from partwise.cli.progress import progress_bar

    format = output.chosen_format(given.format, given.output, FORMATS)
    if format == "parquet" and given.places is not None:
        raise PartwiseError("--places is given with parquet", "leave it out: parquet keeps full precision")
    if given.engine == "spark" and given.by is not None:
        raise PartwiseError("--by is given with --engine spark", "leave one of them out")
    if given.engine != "spark" and given.master is not None:
        raise PartwiseError("--master is given without --engine spark", "add --engine spark, or leave it out")
    if given.engine == "spark":
        from partwise import api

        given.qrels, given.lengths = (api.on_spark(path, given.master) for path in (given.qrels, given.lengths))
    on_terminal = output.to_terminal(given.output)
    if given.by is not None:
        rows = evaluator_from(given).by_tag(given.runs, run_id=given.run_id)
        output.write(output.rows(rows, 2, format, given.places, on_terminal), given.output)
        return 0
    with progress_bar("scoring") as progress:
        scores = _scores(given, progress)
    for note in scores.notes:
        say(f"note: {note}")
    output.write(output.rendered(scores, format, given.per_topic, given.places, on_terminal), given.output)
    if format != "table":
        for line in scores.summary():
            say(line)
    return 0
