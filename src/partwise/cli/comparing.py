"""Files, options and output that ``compare``, ``study`` and ``report`` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from partwise.cli import output
from partwise.cli.evaluate import add_measures, add_output, check_layout, evaluator_from
from partwise.cli.naming import add_names, add_runs, named_files
from partwise.cli.options import INPUTS, add_options, add_reading, options_from
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands
from partwise.outputs import together
from partwise.types import MOST_TRIALS

FORMATS = output.TABLE_FORMATS
TESTED_TRIALS = "10000, and more assignments if significance needs them"
"""The default of ``--trials`` where pairs of runs are tested."""
PICTURES = (".svg", ".png", ".html")


def add_files(parser: argparse.ArgumentParser, saved: bool = True) -> None:
    """Add the arguments for assessments and runs or, if `saved`, for scores saved earlier instead."""
    if saved:
        files = parser.add_argument(
            "files",
            metavar="QRELS RUN | SCORES",
            nargs="+",
            default=[],
            help="assessments and runs, or scores per query saved earlier (partwise evaluate -q -o FILE)",
        )
        files.required = False  # they may be given with --as
        add_names(parser, "run or scores")
        parser.add_argument(
            "--mix", action="store_true", help="accept saved scores of other assessments, units, assessors or averages"
        )
    else:
        parser.add_argument("qrels", metavar="QRELS", help="assessments")
        add_runs(parser)
    add_measures(parser)
    add_options(parser, INPUTS)
    add_reading(parser)


def add_outcome(parser: argparse.ArgumentParser, picture: str) -> None:
    """Add the options for output and for a chart, which shows `picture`."""
    add_output(parser, FORMATS)
    parser.add_argument("--plot", metavar="FILE", help=f"also draw a chart ({', '.join(PICTURES)}): {picture}")


def add_chance(parser: argparse.ArgumentParser, trials: int | None, what: str, usual: str | None = None) -> None:
    """Add the options for the seed and the number of trials; `usual` describes a default that depends on the data."""
    parser.add_argument(
        "--seed", type=whole_from(0), metavar="N", default=0, help="seed of the random numbers (default: 0)"
    )
    parser.add_argument(
        "--trials",
        type=whole_from(1, MOST_TRIALS),
        metavar="N",
        default=trials,
        help=f"{what}, at most {MOST_TRIALS} (default: {usual or trials})",
    )


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Add the option for the threads of tests; the threads of an evaluation are another option."""
    parser.add_argument(
        "--jobs",
        dest="threads",
        type=whole_from(1),
        metavar="N",
        default=1,
        help="number of threads; results do not depend on it (default: 1)",
    )


def whole_from(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an option that is a whole number from `least`, to `most` if that is given."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least or (most is not None and int(text) > most):
            values = {"value": repr(text), "least": least}
            message = commands.NOT_FROM(**values) if most is None else commands.NOT_FROM_TO(**values, most=most)
            raise argparse.ArgumentTypeError(message.problem)
        return int(text)

    return number


def between(text: str) -> float:
    """The type of an option that is a number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(commands.NOT_BETWEEN(value=repr(text)).problem)
    return value


def saved_or_runs(args: argparse.Namespace) -> tuple[Any, Any]:
    """Saved scores and None, or None and the runs; then the assessments are in ``args.qrels``."""
    saved = named_files(args.files, args.names)
    if not saved:
        raise PartwiseError(commands.NO_FILE())
    if api.holds_scores(saved[0][1]):
        for option in options_from(args).given():
            if option == "task":
                raise PartwiseError(commands.TASK_WITH_SCORES())
            if option != "lenient":
                raise PartwiseError(commands.OPTION_WITH_SCORES(name=f"--{option.replace('_', '-')}"))
        return api.read_scores(saved, args.measures, lenient=args.lenient, mix=args.mix), None
    if args.mix:
        raise PartwiseError(commands.MIX_WITHOUT_SCORES())
    runs = named_files(args.files[1:], args.names)
    if not args.files or not runs:
        raise PartwiseError(commands.NO_RUN_FILE(), file=saved[0][1])
    args.qrels = args.files[0]
    return None, runs


def scores_from(args: argparse.Namespace) -> Any:
    """Read scores or compute those of the runs, and print their notes."""

    scores, runs = saved_or_runs(args)
    if scores is None:
        with progress_bar("scoring") as progress:
            scores = evaluator_from(args).evaluate(runs, progress=progress)
    for note in scores.notes:
        print_stderr(f"note: {note}")
    return scores


def on_scores(args: argparse.Namespace, title: str, study: Callable[[Any, Any], Any]) -> int:
    """Call `study` with the scores and a progress bar, and write what it returns."""
    return on_runs(args, title, lambda progress: study(args.scores, progress), scored=True)


def on_runs(args: argparse.Namespace, title: str, study: Callable[[Any], Any], scored: bool = False) -> int:
    """Call `study` with a progress bar, and write the findings that it returns, their notes and the chart.

    Formats and suffixes that cannot be written fail before any work.
    """

    format = output.chosen_format(args.format, args.output, FORMATS, args.safe_csv)
    transpose = getattr(args, "transpose", None)
    if transpose is not None:
        check_layout(args, format)
    if args.plot is not None:
        api.check_picture(args.plot)
    if scored:
        args.scores = scores_from(args)
    with progress_bar(title) as progress:
        findings = study(progress)
    drawn = findings.plot() if args.plot is not None else None
    for note in findings.notes:
        print_stderr(f"note: {note}")
    on_terminal = output.to_terminal(args.output)
    text = output.findings(findings, format, args.places, on_terminal, args.safe_csv, transpose)
    with together():
        if drawn is not None:
            api.write_picture(drawn, args.plot)
        output.write(text, args.output, format)
    return 0
