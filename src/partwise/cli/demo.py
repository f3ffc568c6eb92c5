"""``partwise demo``: evaluate the demo collection, explain the scores, and write the files to a folder."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from partwise.cli import output
from partwise.errors import visible
from partwise.later import api
from partwise.messages import commands as messages

if TYPE_CHECKING:
    from partwise.api import Assessments, Demo

FOLDER = "partwise-demo"
READ, NXCG, MAEP = "TextR(budget=2000)", "nxCG(quant=spe)@10", "MAep(quant=spe)"
MEASURES = f"nDCG@10 TextP@10 TextR@10 {READ} iAP iAP(alpha=0) Redundancy@10 AgP(score=BEP) {NXCG} {MAEP}"
OTHER_ASSESSOR = "ben"
COMMANDS = (
    'partwise evaluate qrels.jsonl runs/*.run --collection articles -f table -m "iAP TextP@5 TextR@5 Redundancy@5"',
    'partwise evaluate qrels.jsonl runs/*.run --collection articles -f table -m "MAep nxCG@10" --assessor ben',
    'partwise evaluate qrels.jsonl runs/careless.run --collection articles --by tag -f table -m "iAP nxCG@10"',
    "partwise tree articles honey --query-id set-honey --qrels qrels.jsonl --run runs/sections.run -f table",
)
WIDTH = 110

Means = Mapping[str, Mapping[str, float]]


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="evaluate a built-in collection, and write it to a folder",
        description="Evaluate the collection that comes with partwise (articles, queries, assessments, six runs), "
        "explain the scores, and write the files to a folder for experiments. A folder that contains other files or "
        "changed files of the demo is not touched.",
    )
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", default=FOLDER, help=f"the folder to write (default: {FOLDER})"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    import shlex

    demo = api.demo().write(args.folder)
    scores, others = (
        api.evaluate(demo.qrels, demo.runs, MEASURES, collection=demo.collection, assessor=assessor)
        for assessor in (None, OTHER_ASSESSOR)
    )
    report = _report(demo)
    quoted = shlex.quote(args.folder)
    paragraphs = story(scores.mean(), others.mean(), *second_opinion(api.read_assessments(demo.qrels)))
    lines = [
        *_wrapped("", introduction(demo)),
        "",
        output.table(scores, False, output.PLACES, output.to_terminal(None)).rstrip("\n"),
        "",
        *(line for subject, text in paragraphs for line in _wrapped(f"{subject:<12}", text)),
        "",
        report,
        "",
        "Try other evaluations of these files:",
        "",
        f"  cd {visible(quoted) if output.to_terminal(None) else quoted}",
        *(f"  {command}" for command in COMMANDS),
    ]
    output.write("".join(line + "\n" for line in lines), None, "table")
    return 0


def _report(demo: Demo) -> str:
    """Write a report next to the files; the line to print names it, or the packages that are missing."""
    path = demo.folder / "report.html"
    try:
        api.write_report(
            demo.qrels,
            demo.runs,
            path,
            MEASURES,
            collection=demo.collection,
            queries=demo.folder / "topics.jsonl",
            title="Bees and gardens",
        )
    except api.PartwiseError as error:
        return messages.NO_REPORT.note(problem=error)
    return f"To look at lists, documents and curves, open {visible(str(path))} in a browser."


def second_opinion(assessments: Assessments) -> tuple[int, float]:
    """The number of queries of the second assessor, and the ratio of text highlighted there to that of the first."""
    import numpy as np

    documents, spans = assessments.documents, assessments.spans
    other = assessments.assessors.index(OTHER_ASSESSOR)
    twice = np.unique(documents.query[documents.assessor == other])
    size = (spans.end - spans.start) * np.isin(spans.query, twice)
    marked = size[spans.assessor == other].sum(), size[spans.assessor != other].sum()
    return len(twice), float(marked[0] / marked[1])


def introduction(demo: Demo) -> str:
    return (
        f"{len(demo.collection)} articles on bees and gardens, {len(demo.queries)} queries with highlighted passages, "
        f"graded elements and best entry points, and {len(demo.runs)} runs. All use BM25 and differ in what they "
        "return: whole articles, sections, paragraphs, chunks of 600 characters, chunks that overlap by half, and "
        "(careless) elements of any kind, merged from two searches."
    )


def story(means: Means, others: Means, judged_twice: int, marked: float) -> list[tuple[str, str]]:
    """What the scores show, by subject; names and numbers are taken from the means.

    `means` are computed with the first assessor of every query, `others` with the second one where there is one, who
    judged `judged_twice` queries and highlighted the share `marked` of what the first one did.
    """

    def value(run_id: str, measure: str, of: Means = means) -> str:
        return f"{of[run_id][measure]:.4f}"

    def share(run_id: str, measure: str, places: int = 0) -> str:
        return f"{means[run_id][measure]:.{places}%}"

    documents, precise = ranking(means, "nDCG@10"), ranking(means, "TextP@10")
    complete, read = ranking(means, "TextR@10")[0], ranking(means, READ)
    once, again = ranking(means, "iAP")[0], ranking(means, "iAP(alpha=0)")[0]
    elements, effort = ranking(means, NXCG), ranking(means, MAEP)
    other_effort = ranking(others, MAEP)
    return [
        (
            "Documents",
            "Judged by documents, the runs hardly differ: nDCG@10 is between "
            f"{value(documents[-1], 'nDCG@10')} ({documents[-1]}) and {value(documents[0], 'nDCG@10')} "
            f"({documents[0]}). Articles score higher than paragraphs, and their length costs nothing.",
        ),
        (
            "Reading",
            f"Judged by text, they do. Ten {complete} contain {share(complete, 'TextR@10')} of the relevant text, but "
            f"only {share(complete, 'TextP@10', 1)} of their own text is relevant; for {precise[0]}, the most precise "
            f"run, it is {share(precise[0], 'TextP@10', 1)}. After 2,000 characters a reader has seen "
            f"{share(read[0], READ)} of the relevant text with {read[0]}, and {share(read[-1], READ)} with {read[-1]}.",
        ),
        (
            "Overlap",
            f"{share('overlapping', 'Redundancy@10')} of the text in overlapping, and "
            f"{share('careless', 'Redundancy@10')} in careless, was shown before. If it counts again, {again} is the "
            f"best run (iAP(alpha=0) {value(again, 'iAP(alpha=0)')}). If it counts once, {once} is the best (iAP "
            f"{value(once, 'iAP')}), {again} drops to {value(again, 'iAP')}, and overlapping drops from above chunks "
            "to below.",
        ),
        (
            "Elements",
            f"Against an ideal list of elements, the best run at rank 10 is {elements[0]} (nxCG "
            f"{value(elements[0], NXCG)}, then {elements[1]} {value(elements[1], NXCG)}); over the whole list "
            f"{effort[0]} and {effort[1]} are nearly equal (MAep {value(effort[0], MAEP)} and "
            f"{value(effort[1], MAEP)}). Chunks are not elements and gain nothing.",
        ),
        (
            "Assessors",
            f"For {judged_twice} queries there is a second assessor, {OTHER_ASSESSOR}, who highlights {marked:.0%} as "
            f"much. With those judgements the two runs differ: MAep {value(other_effort[0], MAEP, others)} for "
            f"{other_effort[0]}, {value(other_effort[1], MAEP, others)} for {other_effort[1]}. Most values change, but "
            f"the best run by iAP is still {ranking(others, 'iAP')[0]}.",
        ),
    ]


def ranking(means: Means, measure: str) -> list[str]:
    """The runs from best to worst."""
    return sorted(means, key=lambda run_id: -means[run_id][measure])


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label))
