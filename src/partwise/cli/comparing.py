"""What ``compare`` and ``study`` share: their files, their options, and how findings are shown."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from partwise.cli import output
from partwise.cli.evaluate import add_measures, add_output, evaluator_from
from partwise.cli.options import INPUTS, add_options
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import say
from partwise.errors import PartwiseError
from partwise.later import api

FORMATS = ("table", "tsv", "csv", "jsonl", "latex")
PICTURES = (".svg", ".png", ".html")


def add_files(parser: argparse.ArgumentParser, saved: bool = True) -> None:
    """Assessments and runs, or (where that is enough) scores saved earlier."""
    if saved:
        parser.add_argument(
            "files",
            metavar="QRELS RUN | SCORES",
            nargs="+",
            help="assessments and runs, or scores per query saved earlier (partwise evaluate -q -o FILE)",
        )
    else:
        parser.add_argument("qrels", metavar="QRELS", help="assessments")
        parser.add_argument("runs", metavar="RUN", nargs="+", help="runs")
    add_measures(parser)
    add_options(parser, INPUTS)


def add_outcome(parser: argparse.ArgumentParser, picture: str) -> None:
    """How findings are written, and what a picture of them shows."""
    add_output(parser, FORMATS)
    parser.add_argument("--plot", metavar="FILE", help=f"also a picture ({', '.join(PICTURES)}): {picture}")


def add_chance(parser: argparse.ArgumentParser, trials: int, what: str) -> None:
    parser.add_argument("--seed", type=from_(0), metavar="N", default=0, help="of the random numbers (0)")
    parser.add_argument("--trials", type=from_(1), metavar="N", default=trials, help=f"{what} ({trials})")


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Threads for tests; those in which runs are scored are another option of an evaluation."""
    parser.add_argument(
        "--jobs",
        dest="threads",
        type=from_(1),
        metavar="N",
        default=1,
        help="threads; the outcome does not depend on them (1)",
    )


def from_(least: int) -> Callable[[str], int]:
    """An option's type: a whole number, at least this."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
        return int(text)

    return number


def between(text: str) -> float:
    """An option's type: a number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return value


def scores_from(given: argparse.Namespace) -> Any:
    """The scores of these runs, or those in these files; notes are said."""

    if api.holds_scores(given.files[0]):
        if given.task is not None:
            raise PartwiseError(
                "--task is given with saved scores", "name measures that are there with -m, or leave it out"
            )
        scores = api.read_scores(given.files, given.measures, lenient=given.lenient)
    else:
        given.qrels, runs = given.files[0], given.files[1:]
        if not runs:
            raise PartwiseError("no run is given", "give assessments and runs, or scores per query", file=given.qrels)
        with progress_bar("scoring") as progress:
            scores = evaluator_from(given).evaluate(runs, progress=progress)
    for note in scores.notes:
        say(f"note: {note}")
    return scores


def on_scores(given: argparse.Namespace, title: str, study: Callable[[Any, Any], Any], chart: str) -> int:
    """Study the scores that are given (a function of them and of a progress bar), and show what is found."""
    return on_runs(given, title, lambda progress: study(given.scores, progress), chart, scored=True)


def on_runs(
    given: argparse.Namespace, title: str, study: Callable[[Any], Any], chart: str, scored: bool = False
) -> int:
    """Study the runs that are given, and write findings, their notes, and a picture if one is asked for.

    What could not be written fails before any work.
    """

    format = output.chosen_format(given.format, given.output, FORMATS)
    if given.plot is not None:
        api.check_picture(given.plot)
    if scored:
        given.scores = scores_from(given)
    with progress_bar(title) as progress:
        found = study(progress)
    drawn = getattr(api.charts, chart)(found) if given.plot is not None else None
    for note in found.notes:
        say(f"note: {note}")
    output.write(output.findings(found, format, given.places, output.to_terminal(given.output)), given.output)
    if drawn is not None:
        api.write_picture(drawn, given.plot)
    return 0
