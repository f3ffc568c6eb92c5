"""What a report says: scores compared, lists and documents gathered, and where it all comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partwise.errors import PartwiseError
from partwise.listing import judged_documents, results
from partwise.model import Scores
from partwise.report.build import ELEMENT_CURVES, TEXT_CURVES, Contents, DrawnCurve, MeasureFacts
from partwise.report.content import TopicPage
from partwise.study.comparison import Comparison, compare, letters
from partwise.study.curve_points import curve_measures, curves
from partwise.study.evaluator import Evaluates

Evaluators = Callable[[Sequence[str]], Evaluates]
"""Gives an evaluator of other measures on the same assessments."""


def contents_of_scores(
    scores: Scores, meanings: Mapping[str, tuple[str, str]], title: str, settings: Sequence[tuple[str, str]], seed: int
) -> Contents:
    """The parts of a report that scores alone give: the leaderboard and the topics.

    `meanings` has, for every measure, what it means and whether higher or lower is better.
    """
    comparison = compare(scores, seed=seed)
    topics = list(dict.fromkeys(query for block in scores.blocks for query in block.queries))
    runs = scores.run_ids
    several = len(runs) > 1
    return Contents(
        title=title,
        sentence="",
        settings=settings,
        scores=scores,
        measures=_measures(scores, comparison, meanings),
        topics=topics,
        titles={},
        run_letters=[letters(number) for number in range(len(runs))] if several else [],
        intervals=f"Means over topics, with {comparison.confidence:.0%} bootstrap intervals; ★ marks the best."
        if len(topics) > 1
        else "",
        letters=(
            "Letters behind a value name the runs that it beats, by the randomisation test at "
            f"{comparison.alpha:g} with Holm's correction over all pairs of a measure (seed {seed})."
        )
        if several
        else "",
        notes=[*scores.notes, *comparison.notes],
    )


def _measures(scores: Scores, comparison: Comparison, meanings: Mapping[str, tuple[str, str]]) -> list[MeasureFacts]:
    runs = scores.run_ids
    compared = {one.matrix.measure: one for one in comparison.measures}
    found = []
    for name in scores.measures:
        meaning, better = meanings.get(name, ("", "higher"))
        one = compared.get(name)
        if one is None:
            found.append(MeasureFacts(name, meaning, better))
            continue
        place = {run: row for row, run in enumerate(one.matrix.runs)}
        beaten = one.beaten()
        told = [
            " ".join(letters(runs.index(one.matrix.runs[other])) for other in beaten[place[run]])
            if run in place
            else ""
            for run in runs
        ]
        low, high = (
            [float(bound[place[run]]) if run in place else float("nan") for run in runs]
            for bound in (one.low, one.high)
        )
        known = len(one.matrix.topics) > 1
        found.append(MeasureFacts(name, meaning, better, low if known else None, high if known else None, told))
    return found


def add_lists(contents: Contents, evaluator: Evaluates, runs: Any, run_id: str) -> None:
    """The ranked lists of all topics, and the documents they lead into."""
    judgements = evaluator.evaluation.judgements
    pages = {
        topic: TopicPage(topic, {known.doc: known for known in judged_documents(evaluator.evaluation, topic)})
        for topic in judgements.topics
    }
    for run in evaluator.read(runs, run_id=run_id):
        listed = {found.topic: found for found in results(evaluator.evaluation, run)}
        for topic, page in pages.items():
            if topic in listed:
                page.add(listed[topic])
            else:
                page.add_none()
    contents.pages = list(pages.values())
    contents.topics = list(pages)
    contents.collection = judgements.collection


def add_curves(contents: Contents, evaluators: Evaluators, runs: Any, run_id: str, has_elements: bool) -> None:
    """Curves, where the assessments and runs allow them; why not is told."""
    drawn = []
    for kind in (*TEXT_CURVES, *(ELEMENT_CURVES if has_elements else ())):
        try:
            scores = evaluators(curve_measures(kind)).evaluate(runs, run_id=run_id)
        except PartwiseError as error:
            contents.notes.append(f"no {kind} curve: {error}")
            continue
        drawn.append(DrawnCurve(kind, curves(scores, kind)))
    contents.curves = drawn
