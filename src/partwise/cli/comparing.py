"""What ``compare`` and ``study`` share: their files, their options, and how findings are shown."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from partwise.cli.evaluate import add_inputs, add_measures, evaluator_from, one_of, places
from partwise.errors import PartwiseError

FORMATS = ("table", "tsv", "csv", "jsonl", "latex")
PICTURES = (".svg", ".png", ".html")


def add_files(parser: argparse.ArgumentParser, saved: bool = True) -> None:
    """Assessments and runs, or (where that is enough) scores saved earlier."""
    if saved:
        parser.add_argument(
            "files",
            metavar="QRELS RUN | SCORES",
            nargs="+",
            help="assessments and runs, or scores per topic saved earlier (partwise evaluate -q -o FILE)",
        )
    else:
        parser.add_argument("qrels", metavar="QRELS", help="assessments")
        parser.add_argument("runs", metavar="RUN", nargs="+", help="runs")
    add_measures(parser)
    add_inputs(parser)


def add_output(parser: argparse.ArgumentParser, picture: str | None) -> None:
    parser.add_argument(
        "-f",
        dest="format",
        type=one_of(FORMATS),
        metavar="FORMAT",
        help=f"one of {', '.join(FORMATS)}; by default a table on a terminal, else tsv",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, in the format of its suffix")
    parser.add_argument("--places", type=places, metavar="N", help="decimals (tables 4, other formats all)")
    if picture is not None:
        parser.add_argument("--plot", metavar="FILE", help=f"also a picture ({', '.join(PICTURES)}): {picture}")


def add_chance(parser: argparse.ArgumentParser, trials: int, what: str) -> None:
    parser.add_argument("--seed", type=from_(0), metavar="N", default=0, help="of the random numbers (0)")
    parser.add_argument("--trials", type=from_(1), metavar="N", default=trials, help=f"{what} ({trials})")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", type=from_(1), metavar="N", default=1, help="threads; the outcome does not depend on them (1)"
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
    from partwise import api
    from partwise.cli import say
    from partwise.cli.progress import progress_bar

    if api.holds_scores(given.files[0]):
        if given.task is not None:
            raise PartwiseError(
                "--task is given with saved scores", "name measures that are there with -m, or leave it out"
            )
        scores = api.read_scores(given.files, given.measures, lenient=given.lenient)
    else:
        given.qrels, runs = given.files[0], given.files[1:]
        if not runs:
            raise PartwiseError("no run is given", "give assessments and runs, or scores per topic", file=given.qrels)
        with progress_bar("scoring") as progress:
            scores = evaluator_from(given).evaluate(runs, run_id=given.run_id, progress=progress)
    for note in scores.notes:
        say(f"note: {note}")
    return scores


def check_plot(given: argparse.Namespace) -> None:
    """Fail at once where a picture cannot be made."""
    if getattr(given, "plot", None) is not None:
        from partwise import api

        api.check_picture(given.plot)


def show(given: argparse.Namespace, found: Any, draw: Callable[[], Any] | None = None) -> int:
    """Write findings, their notes, and a picture if one is asked for."""
    from partwise.cli import output, say

    format = output.chosen_format(given.format, given.output, FORMATS)
    for note in found.notes:
        say(f"note: {note}")
    output.write(output.findings(found, format, given.places, output.to_terminal(given.output)), given.output)
    if draw is not None and given.plot is not None:
        from partwise import api

        api.write_picture(draw(), given.plot)
    return 0
