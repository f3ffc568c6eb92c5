"""``partwise demo``: the demo collection, evaluated, explained and left in a folder to play with."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from partwise.cli import output
from partwise.later import api

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
        help="evaluate a built-in collection, and leave it in a folder",
        description="Evaluate the collection that comes with partwise (articles, queries, assessments, six runs), say "
        "what the numbers show, and leave the files in a folder to play with. A folder that has other files in it, "
        "or files of the demo that were changed, is left as it is.",
    )
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=FOLDER, help=f"by default {FOLDER}")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    import shlex

    demo = api.demo().write(given.folder)
    scores, others = (
        api.evaluate(demo.qrels, demo.runs, MEASURES, collection=demo.collection, assessor=assessor)
        for assessor in (None, OTHER_ASSESSOR)
    )
    report = _report(demo)
    told = story(scores.mean(), others.mean(), *second_opinion(api.read_assessments(demo.qrels)))
    lines = [
        *_wrapped("", introduction(demo)),
        "",
        output.table(scores, False, output.PLACES, output.to_terminal(None)).rstrip("\n"),
        "",
        *(line for subject, text in told for line in _wrapped(f"{subject:<12}", text)),
        "",
        report,
        "",
        "The files are yours to play with:",
        "",
        f"  cd {shlex.quote(given.folder)}",
        *(f"  {command}" for command in COMMANDS),
    ]
    output.write("".join(line + "\n" for line in lines), None)
    return 0


def _report(demo: Demo) -> str:
    """Write a report beside the files, and say where it is; without the packages for it, say what to install."""
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
        return f"There is no report: {error}."
    return f"To look at lists, documents and curves, open {path} in a browser."


def second_opinion(assessments: Assessments) -> tuple[int, float]:
    """How many queries the other assessor judged, and how much that one highlighted there, as a share of the first."""
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
        f"graded elements and best entry points, and {len(demo.runs)} runs. All are BM25 and differ in what they "
        "return: whole articles, sections, paragraphs, chunks of 600 characters, chunks that overlap by half, and, "
        "carelessly, any element for each of two queries."
    )


def story(means: Means, others: Means, judged_twice: int, marked: float) -> list[tuple[str, str]]:
    """What the numbers show, by subject; names and numbers are taken from the means.

    `means` are by the judgements that count by default, `others` by those of the other assessor where there are any,
    who judged so many queries and marked such a share of what the first one did.
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
            "Counting documents there is little to choose: nDCG@10 lies between "
            f"{value(documents[-1], 'nDCG@10')} ({documents[-1]}) and {value(documents[0], 'nDCG@10')} "
            f"({documents[0]}). Articles stand above paragraphs, and do not pay for their length.",
        ),
        (
            "Reading",
            f"Counting text there is. Ten {complete} hold {share(complete, 'TextR@10')} of all that is relevant, but "
            f"only {share(complete, 'TextP@10', 1)} of their text is; of {precise[0]}, the most precise, "
            f"{share(precise[0], 'TextP@10', 1)}. Who reads 2,000 characters has found {share(read[0], READ)} of it in "
            f"{read[0]}, and {share(read[-1], READ)} in {read[-1]}.",
        ),
        (
            "Overlap",
            f"{share('overlapping', 'Redundancy@10')} of what overlapping shows, and "
            f"{share('careless', 'Redundancy@10')} of careless, was shown before. Let it count again, and {again} is "
            f"the best run: iAP(alpha=0) {value(again, 'iAP(alpha=0)')}. Count it once, and {once} is, with an iAP of "
            f"{value(once, 'iAP')}: {again} falls to {value(again, 'iAP')}, and overlapping, until then ahead of "
            "chunks, behind them.",
        ),
        (
            "Elements",
            f"Against an ideal list of elements the best run at rank 10 is {elements[0]} (nxCG "
            f"{value(elements[0], NXCG)}, then {elements[1]} {value(elements[1], NXCG)}); over the whole list "
            f"{effort[0]} and {effort[1]} are level (MAep {value(effort[0], MAEP)} and {value(effort[1], MAEP)}). "
            "Chunks are no elements and gain nothing.",
        ),
        (
            "Assessors",
            f"On {judged_twice} queries there is a second assessor, {OTHER_ASSESSOR}, who marks {marked:.0%} as much. "
            f"Take those judgements, and the level two part: MAep {value(other_effort[0], MAEP, others)} for "
            f"{other_effort[0]}, {value(other_effort[1], MAEP, others)} for {other_effort[1]}. Values change, yet "
            f"the best run by iAP is still {ranking(others, 'iAP')[0]}.",
        ),
    ]


def ranking(means: Means, measure: str) -> list[str]:
    """The runs from best to worst."""
    return sorted(means, key=lambda run_id: -means[run_id][measure])


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label))
