"""``partwise evaluate``: score runs against assessments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from partwise import score_files
from partwise.cli import output
from partwise.cli.naming import add_runs, runs_of
from partwise.cli.options import INPUTS, add_format, add_option, add_options, add_reading, one_of, options_from
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands as messages
from partwise.messages import slices
from partwise.slices import TAG
from partwise.types import PLACES_OF_PROVENANCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.scores import Scores

FORMATS = output.SCORE_FORMATS
ENGINES = ("local", "spark")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="score runs against assessments",
        description="Score runs of document parts against assessments. Files are TREC or INEX columns, INEX XML, CSV, "
        "TSV, JSON Lines or Parquet, plain or compressed (.gz .bz2 .xz .zst); the format is detected.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="assessments; INEX XML may be a folder or an archive")
    add_runs(parser)
    add_measures(parser)
    parser.add_argument("-q", dest="per_query", action="store_true", help="also write the value of each query")
    add_output(parser, FORMATS)
    add_layout(parser)
    parser.add_argument(
        "--provenance",
        type=one_of(PLACES_OF_PROVENANCE),
        metavar="|".join(PLACES_OF_PROVENANCE),
        help="where -o FILE keeps command, options and hashes of the inputs: in Parquet or in FILE.provenance.json "
        "(file, the default), in lines at the head of TSV, or nowhere",
    )
    add_options(parser, INPUTS)
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help="write scores by slice: by a column of --queries, by grade or nugget of the gold, or by doc:PATTERN, what "
        "a regular expression finds in the ids of relevant documents; tag: write what each kind of element contributes",
    )
    add_slices(parser)
    add_option(parser, "jobs")
    parser.add_argument(
        "--engine",
        type=one_of(ENGINES),
        metavar="local|spark",
        default="local",
        help="where to compute (default: local); spark reads Parquet files, folders or patterns",
    )
    parser.add_argument(
        "--master", metavar="URL", help="URL of the Spark cluster (default: local[*], all cores of this machine)"
    )
    add_reading(parser)
    parser.set_defaults(run=run)


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options for the format and the destination of the output."""
    add_format(parser, formats)
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to this file, in the format of its suffix")
    parser.add_argument(
        "--places",
        type=places,
        metavar="N",
        help="number of decimal places (default: 4 in tables, all in other formats)",
    )


def add_layout(parser: argparse.ArgumentParser) -> None:
    """Add the options for the order of runs, and for what is across."""
    parser.add_argument("--sort", metavar="MEASURE", help="order the runs by this measure, the best first")
    parser.add_argument(
        "--transpose",
        action=argparse.BooleanOptionalAction,
        help="have measures as rows and runs as columns of a table (default: if there are many measures and few runs)",
    )


def check_layout(args: argparse.Namespace, format: str) -> None:
    """Fail if rows and columns of a format that has none are to be swapped."""
    if args.transpose is not None and format not in output.PEOPLE:
        raise PartwiseError(messages.TRANSPOSED_ROWS(format=format))


def add_slices(parser: argparse.ArgumentParser, queries: str = "the queries, with columns for --by") -> None:
    """Add the options for the queries and their columns, which come with ``--by``."""
    parser.add_argument("--queries", metavar="FILE", help=f"{queries}: JSON Lines, CSV, TSV, Parquet or XML")
    parser.add_argument(
        "--bins",
        type=_bins,
        metavar="N",
        help="put numbers into this number of bins if they have more different values (default: 4 if more than 10)",
    )


def check_slices(args: argparse.Namespace) -> None:
    """Fail if queries or bins are given without a column."""
    if args.by is None and (args.queries is not None or args.bins is not None):
        raise PartwiseError(slices.BINS_WITHOUT_BY() if args.queries is None else slices.QUERIES_WITHOUT_BY())


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the measures."""
    parser.add_argument(
        "-m",
        dest="measures",
        metavar="MEASURES",
        action="append",
        help="measures, separated by blanks or commas; repeatable (default: a set that fits the assessments)",
    )
    add_option(parser, "task")


def evaluator_from(args: argparse.Namespace) -> Any:
    """The evaluator that these options describe."""
    return api.Evaluator.from_options(args.qrels, args.measures, options_from(args))


def places(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > 17:
        raise argparse.ArgumentTypeError(messages.NOT_FROM_TO(value=repr(text), least=0, most=17).problem)
    return int(text)


def _bins(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(messages.NOT_FROM(value=repr(text), least=1).problem)
    return int(text)


def _scores(args: argparse.Namespace, runs: Any, progress: Callable[[int, int], None] | None) -> Scores:
    """The scores of the runs, in this process or on Spark."""
    evaluator = evaluator_from(args)
    scores: Scores
    if args.engine == "spark":
        scores = evaluator.evaluate_on_spark(args.runs, master=args.master)
    else:
        scores = evaluator.evaluate(runs, progress=progress, queries=args.queries, by=args.by, bins=args.bins)
    return scores


def run(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, args.output, FORMATS, args.safe_csv)
    if format == "parquet" and args.places is not None:
        raise PartwiseError(messages.PLACES_WITH_PARQUET())
    if args.engine == "spark" and args.by is not None:
        raise PartwiseError(messages.BY_WITH_SPARK())
    if args.engine == "spark" and args.names:
        raise PartwiseError(messages.NAMES_WITH_SPARK())
    runs = runs_of(args, "partwise evaluate")
    if args.engine != "spark" and args.master is not None:
        raise PartwiseError(messages.MASTER_WITHOUT_SPARK())
    if args.engine == "spark":
        args.qrels, args.lengths = (api.on_spark(path, args.master) for path in (args.qrels, args.lengths))
    check_slices(args)
    check_layout(args, format)
    if args.transpose and args.per_query:
        raise PartwiseError(messages.TRANSPOSED_QUERIES())
    by_tag = args.by == TAG and (args.queries is None or not api.has_query_column(args.queries, TAG))
    for option in ("sort", "transpose"):
        if by_tag and getattr(args, option) is not None:
            raise PartwiseError(messages.SORTED_TAGS(name=option))
    if by_tag and args.provenance is not None:
        raise PartwiseError(messages.PROVENANCE_WITH_BY())
    if args.by is not None and format == "trec":
        raise PartwiseError(slices.NO_TREC())
    if args.output is None and args.provenance == "file":
        raise PartwiseError(messages.PROVENANCE_WITHOUT_FILE())
    score_files.check_place(args.provenance or "file", format)
    on_terminal = output.to_terminal(args.output)
    if by_tag:
        rows = evaluator_from(args).by_tag(runs)
        output.write(output.rows(rows, 2, format, args.places, on_terminal, args.safe_csv), args.output, format)
        return 0
    with progress_bar("scoring") as progress:
        scores = _scores(args, runs, progress)
    if args.sort is not None:
        scores = scores.sort(args.sort)
    shown = scores if scores.slices is None else scores.slices
    for note in dict.fromkeys((*scores.notes, *shown.notes)):
        print_stderr(f"note: {note}")
    _write(scores, format, args)
    if format != "table":
        for line in (*shown.summary(), *scores.official_names()):
            print_stderr(line)
    return 0


def _write(scores: Scores, format: str, args: argparse.Namespace) -> None:
    """Save scores in a file with their provenance, or print them, with their provenance if that is requested."""

    def render(record: dict[str, Any] | None) -> bytes:
        on_terminal = output.to_terminal(args.output)
        shown = scores if scores.slices is None else scores.slices
        return output.rendered(
            shown, format, args.per_query, args.places, on_terminal, record, args.safe_csv, args.transpose
        )

    if args.output is None and args.provenance != "head":
        output.write(render(None), None, format)
        return
    import shlex

    command = shlex.join(["partwise", *args.words])
    if args.output is None:
        output.write(render(score_files.record_of(scores, command)), None, format)
        return
    score_files.save(scores, args.output, format, args.provenance or "file", render, command)
