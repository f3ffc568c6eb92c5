"""Gathers the contents of a report: compared scores, ranked lists, documents, curves and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise._version import __version__
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.explanation import Shown, counts_finds, explained_queries, shown_passages
from partwise.listing import gold_passages, judged_documents, results
from partwise.measures import measures_from
from partwise.measures.parts import NuggetR
from partwise.messages import report
from partwise.model import Block, Run, Scores
from partwise.options import Options
from partwise.report.build import ELEMENT_CURVES, TEXT_CURVES, Contents, DrawnCurve, MeasureFacts
from partwise.report.content import QueryPage, Texts
from partwise.study.comparison import Comparison, compare, letters
from partwise.study.curve_points import curve_measures, curves
from partwise.types import ExplainedRow


def contents_of_scores(scores: Scores, meanings: Mapping[str, tuple[str, str]], title: str, seed: int) -> Contents:
    """The contents that need only scores: the leaderboard and the queries.

    `meanings` has for every measure its meaning and "higher" or "lower", whichever is better.
    """
    comparison = compare(scores, seed=seed)
    queries = list(dict.fromkeys(query for block in scores.blocks for query in block.queries))
    runs = scores.run_ids
    several = len(runs) > 1
    return Contents(
        title=title,
        sentence=f"{_counted(len(runs), 'run')}, from scores saved earlier: {'; '.join(scores.summary())}.",
        settings=[("version", f"partwise {__version__}")],
        scores=scores,
        measures=_measures(scores, comparison, meanings),
        queries=queries,
        titles={},
        run_letters=[letters(number) for number in range(len(runs))] if several else [],
        intervals=f"Means over queries, with {_intervals(comparison)}; ★ marks the best." if len(queries) > 1 else "",
        letters=(
            "Letters after a value name the runs that it beats by the randomisation test at "
            f"{comparison.alpha:g} with Holm's correction over all pairs of a measure (seed {seed})."
        )
        if several
        else "",
        notes=[*scores.notes, *comparison.notes],
    )


def _intervals(comparison: Comparison) -> str:
    methods = dict.fromkeys(compared.interval for compared in comparison.measures)
    return f"{comparison.confidence:.0%} intervals by {' or '.join(methods)}"


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def add_settings(contents: Contents, evaluation: Evaluation, options: Options) -> None:
    """Add the inputs and the options that the scores depend on."""
    judgements = evaluation.judgements
    contents.settings = [
        ("assessments", judgements.assessments.source.name),
        ("runs", ", ".join(contents.scores.run_ids)),
        ("documents", judgements.collection.name if judgements.collection is not None else "not given"),
        ("queries averaged", "all judged" if options.average_over == "judged" else "those of each run"),
        ("assessor", options.assessor or "the first of each query"),
        ("offsets count", contents.scores.unit),
        *contents.settings,
    ]


def sentence_of_runs(contents: Contents, evaluation: Evaluation) -> str:
    """The sentence under the title: the number of runs, results and queries, and the source of the judgements."""
    judgements = evaluation.judgements
    scores = contents.scores
    results = sum(rows["total"] for page in contents.pages for rows in page.lists)
    source = judgements.assessments.source.name
    return (
        f"{_counted(len(scores.run_ids), 'run')} with {_counted(results, 'result')}, judged by {source} "
        f"on {_counted(len(judgements.queries), 'query', 'queries')}: {'; '.join(scores.summary())}."
    )


def _measures(scores: Scores, comparison: Comparison, meanings: Mapping[str, tuple[str, str]]) -> list[MeasureFacts]:
    runs = scores.run_ids
    compared = {one.matrix.measure: one for one in comparison.measures}
    facts = []
    for name in scores.measures:
        meaning, better = meanings.get(name, ("", "higher"))
        one = compared.get(name)
        if one is None:
            facts.append(MeasureFacts(name, meaning, better))
            continue
        row_of = {run: row for row, run in enumerate(one.matrix.runs)}
        beaten = one.beaten()
        letters_of_runs = [
            " ".join(letters(runs.index(one.matrix.runs[other])) for other in beaten[row_of[run]])
            if run in row_of
            else ""
            for run in runs
        ]
        low, high = (
            [float(bound[row_of[run]]) if run in row_of else float("nan") for run in runs]
            for bound in (one.low, one.high)
        )
        if len(one.matrix.queries) > 1:
            facts.append(MeasureFacts(name, meaning, better, low, high, letters_of_runs))
        else:
            facts.append(MeasureFacts(name, meaning, better, letters=letters_of_runs))
    return facts


def add_lists(contents: Contents, evaluation: Evaluation, runs: Sequence[Run]) -> None:
    """Add the ranked lists of all queries, the hits and misses among the relevant parts, and the documents."""
    judgements = evaluation.judgements
    contents.collection = judgements.collection
    texts = Texts(judgements.collection)
    finds = _finding(contents, evaluation)
    pages = {
        query: QueryPage(
            query,
            {judged.doc: judged for judged in judged_documents(evaluation, query)},
            None if finds is None else gold_passages(evaluation, query),
        )
        for query in judgements.queries
    }
    for run in runs:
        listed = {of_query.query: of_query for of_query in results(evaluation, run)}
        has_elements = any((of_query.node >= 0).any() for of_query in listed.values())
        explained = _explained(contents, run, evaluation, has_elements)
        shown = {} if finds is None else _shown(contents, run, finds)
        for query, page in pages.items():
            if query in listed:
                page.add(listed[query], explained.get(query, []), shown.get(query, []), texts)
            else:
                page.add_none()
    contents.pages = list(pages.values())
    contents.queries = list(pages)


def _explained(
    contents: Contents, run: Run, evaluation: Evaluation, has_elements: bool
) -> dict[str, list[ExplainedRow]]:
    """Hits, near-misses and misses of every query, among elements if the run returns any, else among passages."""
    try:
        hits = measures_from(f"ESRHits(parts={'elements' if has_elements else 'passages'})")
        return dict(explained_queries(evaluation.with_measures(hits), run))
    except PartwiseError as error:
        contents.notes.append(report.NO_HITS.note(run=run.run_id, reason=error))
        return {}


def _finding(contents: Contents, evaluation: Evaluation) -> Evaluation | None:
    """The evaluation that finds passages, by the match of the first measure that has one; None without passages."""
    if not evaluation.judgements.has_highlights:
        return None
    counting: list[Any] = [measure for measure in evaluation.measures if counts_finds(measure)]
    finder: Any = NuggetR()
    if counting:
        finder = NuggetR(match=next(counting[0].match.thresholds()))
    meaning = finder.match.__doc__ or ""
    contents.match = f"{finder.match.name}: {meaning[:1].lower()}{meaning[1:]}"
    return evaluation.with_measures([finder])


def _shown(contents: Contents, run: Run, finds: Evaluation) -> dict[str, list[Shown]]:
    """What the run shows of the gold passages of every query."""
    try:
        return dict(shown_passages(finds, run))
    except PartwiseError as error:
        contents.notes.append(report.NO_PASSAGES_FOUND.note(run=run.run_id, reason=error))
        return {}


def add_curves(contents: Contents, evaluation: Evaluation, runs: Sequence[Run]) -> None:
    """Add the curves that can be computed, and a note for each that cannot."""
    judgements = evaluation.judgements
    has_elements = judgements.collection is not None and judgements.scale is not None
    for kind in (*TEXT_CURVES, *(ELEMENT_CURVES if has_elements else ())):
        blocks: list[Block] = []
        try:
            points = evaluation.with_measures(measures_from(curve_measures(kind, evaluation.unit)))
        except PartwiseError as error:
            contents.notes.append(report.NO_CURVE.note(kind=kind, reason=error))
            continue
        for run in runs:
            try:
                blocks += points.score(run)[0]
            except PartwiseError as error:
                contents.notes.append(report.NO_CURVE_OF_RUN.note(run=run.run_id, kind=kind, reason=error))
        if blocks:
            contents.curves.append(
                DrawnCurve(kind, curves(Scores(blocks, points.judged, unit=points.unit_label), kind=kind))
            )
