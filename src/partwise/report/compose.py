"""Gathers the contents of a report: compared scores, ranked lists, documents, curves and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partwise._version import __version__
from partwise.diagnosis import Chunks, Diagnosis, chunks_of, diagnose
from partwise.errors import PartwiseError
from partwise.evaluation import RARE, Evaluation
from partwise.explanation import PartOutcomes, PassagesShown, counts_finds, part_names, part_outcomes
from partwise.listing import Results, gold_passages, judged_documents, results
from partwise.measures import measures_from
from partwise.measures.parts import NuggetR
from partwise.measures.text import TextR
from partwise.messages import report
from partwise.messages.diagnosis import WITHOUT_CHUNKS
from partwise.model import Run, Scores
from partwise.options import Options
from partwise.report.build import ELEMENT_CURVES, TEXT_CURVES, Contents
from partwise.report.content import Texts
from partwise.report.facts import DrawnCurve, Facts, MeasureFacts, Points, Slice, SlicedBy
from partwise.report.lists import Lists
from partwise.report.trees import trees_of
from partwise.resolving.gold import gold_of
from partwise.scores import Slices
from partwise.study.comparison import Comparison, compare, letters
from partwise.study.curve_points import curve_measures
from partwise.tables import Tables
from partwise.units import base, words


def contents_of_scores(scores: Scores, meanings: Mapping[str, tuple[str, str]], title: str, seed: int) -> Contents:
    """The contents that need only scores: the leaderboard and the queries.

    `meanings` has for every measure its meaning and "higher" or "lower", whichever is better.
    """
    comparison = compare(scores, seed=seed)
    lists_of_queries: list[Sequence[str]] = []
    for block in scores.blocks:
        if block.queries not in lists_of_queries:
            lists_of_queries.append(block.queries)
    queries = list(dict.fromkeys(query for of_block in lists_of_queries for query in of_block))
    runs = scores.run_ids
    several = len(runs) > 1
    return Contents(
        title=title,
        sentence=f"{_counted(len(runs), 'run')}, from scores saved earlier: {'; '.join(scores.summary())}.",
        settings=[("version", f"partwise {__version__}")],
        facts=Facts(queries, scores, _measures(scores, comparison, meanings)),
        queries=queries,
        titles={},
        run_letters=[letters(number) for number in range(len(runs))] if several else [],
        confidence=comparison.confidence,
        letters=(
            "Letters after a value name the runs that it beats by the randomisation test at "
            f"{comparison.alpha:g} with Holm's correction over all pairs of a measure (seed {seed})."
        )
        if several
        else "",
        notes=[*scores.notes, *comparison.notes],
    )


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def add_settings(contents: Contents, evaluation: Evaluation, options: Options) -> None:
    """Add the inputs and the options that the scores depend on."""
    judgements = evaluation.judgements
    contents.settings = [
        ("assessments", judgements.assessments.source.name),
        ("runs", ", ".join(contents.facts.scores.run_ids)),
        ("documents", judgements.collection.name if judgements.collection is not None else "not given"),
        ("queries averaged", "all judged" if options.average_over == "judged" else "those of each run"),
        ("assessor", options.assessor or "the first of each query"),
        ("offsets count", contents.facts.scores.unit),
        *contents.settings,
    ]


def sentence_of_runs(contents: Contents, evaluation: Evaluation) -> str:
    """The sentence under the title: the number of runs, results and queries, and the source of the judgements."""
    judgements = evaluation.judgements
    scores = contents.facts.scores
    results = 0 if contents.lists is None else contents.lists.results
    source = judgements.assessments.source.name
    return (
        f"{_counted(len(scores.run_ids), 'run')} with {_counted(results, 'result')}, judged by {source} "
        f"on {_counted(len(judgements.queries), 'query', 'queries')}: {'; '.join(scores.summary())}."
    )


def _measures(
    scores: Scores, comparison: Comparison | None, meanings: Mapping[str, tuple[str, str]]
) -> list[MeasureFacts]:
    compared = {} if comparison is None else {one.matrix.measure: one for one in comparison.measures}
    return [
        MeasureFacts(name, *meanings.get(name, ("", "higher")), compared=compared.get(name)) for name in scores.measures
    ]


class ListedRuns:
    """What a report shows of runs besides their scores: lists, hits and misses, documents, curves and diagnoses.

    Runs are added one by one, each with the tables of which its scores were made, which are then let go.
    """

    def __init__(self, evaluation: Evaluation, diagnoser: Diagnoser | None, is_sliced: bool) -> None:
        """`is_sliced` is whether slices will be added."""
        judgements = evaluation.judgements
        self._evaluation, self._diagnoser = evaluation, diagnoser
        self._finds = _finding(evaluation)
        gold = None if self._finds is None else gold_passages(judgements)
        self._lists = Lists(judgements, Texts(judgements.collection), judged_documents(judgements), gold)
        self._curves = CurvesOfRuns(evaluation, is_sliced)
        self._diagnoses = None if diagnoser is None else DiagnosesOfRuns(diagnoser, evaluation)
        self._explainers: dict[str, Evaluation | PartwiseError] = {}
        self._without_elements: list[str] = []
        self._notes: list[str] = []

    def add(self, run: Run, tables: Sequence[Tables]) -> None:
        """Add a run that was scored; `tables` are those of all its batches."""
        listed = [results(self._evaluation, one) for one in tables]
        elements = sum(int((of_batch.batch.node >= 0).sum()) for of_batch in listed)
        if elements * RARE < sum(map(len, listed)):
            self._without_elements.append(run.run_id)
        self._lists.begin_run()
        for of_batch in listed:
            self._lists.add(of_batch)
        kind = "elements" if elements > 0 else "passages"
        outcomes = self._explained(run, kind, tables)
        if elements > 0:
            _add_trees(self._lists, kind, listed, outcomes)
        self._add_shown(run, tables)
        self._curves.add(run.run_id, tables, run.run_id in self._without_elements)
        if self._diagnoses is not None:
            self._diagnoses.add(run, tables)

    def add_to(self, contents: Contents) -> None:
        """Add all that was made of the runs."""
        curves, diagnoser, diagnoses = self._curves, self._diagnoser, self._diagnoses
        contents.notes += [*self._notes, *curves.notes()]
        contents.facts.curves = curves.drawn()
        if diagnoser is not None and diagnoses is not None:
            found = [*diagnoser.notes, *diagnoses.notes]
            contents.notes += [note for note in found if note not in contents.notes]
            contents.facts.diagnoses = diagnoses.of_runs
            contents.diagnosed = diagnoser.limit(self._evaluation)
        contents.without_elements = self._without_elements
        contents.match = "" if self._finds is None else _match(self._finds)
        contents.lists, contents.queries = self._lists, self._lists.queries

    def _explained(self, run: Run, kind: str, tables: Sequence[Tables]) -> Sequence[PartOutcomes]:
        """Add hits, near-misses and misses of every query, among elements if there are any, else among passages."""
        lists, explainers = self._lists, self._explainers
        if kind not in explainers:
            try:
                explainers[kind] = self._evaluation.with_measures(measures_from(f"ESRHits(parts={kind})"))
            except PartwiseError as error:
                explainers[kind] = error
        try:
            explainer = explainers[kind]
            if isinstance(explainer, PartwiseError):
                raise explainer
            outcomes = [part_outcomes(explainer, one) for one in tables]
            known = lists.targets.setdefault(kind, {})
            for one in tables:
                if not known.keys() >= set(one.batch.queries.tolist()):
                    known.update(zip(one.batch.queries.tolist(), part_names(explainer, one), strict=True))
        except PartwiseError as error:
            self._notes.append(report.NO_HITS.note(run=run.run_id, reason=error))
            return []
        for of_batch in outcomes:
            lists.add_parts(kind, of_batch)
        return outcomes

    def _add_shown(self, run: Run, tables: Sequence[Tables]) -> None:
        """Add what the run shows of the gold passages of every query."""
        if self._finds is None:
            return
        try:
            shown = [PassagesShown(one, self._finds.measures[0]).outcomes() for one in tables]
        except PartwiseError as error:
            self._notes.append(report.NO_PASSAGES_FOUND.note(run=run.run_id, reason=error))
            return
        passages = gold_of(self._finds.judgements).offsets
        for one, outcomes in zip(tables, shown, strict=True):
            self._lists.add_shown(one.batch.queries, outcomes, passages)


def _add_trees(lists: Lists, kind: str, listed: Sequence[Results], outcomes: Sequence[PartOutcomes]) -> None:
    run = len(lists.kinds) - 1
    for i, of_batch in enumerate(listed):
        of_batch_parts = outcomes[i] if outcomes else None
        for query, trees in trees_of(of_batch, lists.targets.get(kind, {}), of_batch_parts, lists.texts).items():
            lists.trees.setdefault(query, {})[run] = trees


def _finding(evaluation: Evaluation) -> Evaluation | None:
    """The evaluation that finds passages, by the match of the first measure that has one; None without passages."""
    if not evaluation.judgements.has_highlights:
        return None
    counting: list[Any] = [measure for measure in evaluation.measures if counts_finds(measure)]
    finder = NuggetR(match=next(counting[0].match.thresholds())) if counting else NuggetR()
    return evaluation.with_measures([finder])


def _match(finds: Evaluation) -> str:
    """When a result finds a gold passage."""
    finder: Any = finds.measures[0]
    meaning = finder.match.__doc__ or ""
    return f"{finder.match.name}: {meaning[:1].lower()}{meaning[1:]}"


class CurvesOfRuns:
    """The curves of runs that are added one by one; the notes are on those that cannot be computed.

    Runs of chunks, in which hardly any result is an element, have no curves of gain if they gain nothing: only elements
    count for it.
    """

    def __init__(self, evaluation: Evaluation, is_sliced: bool) -> None:
        judgements = evaluation.judgements
        self._is_sliced = is_sliced
        has_elements = judgements.collection is not None and judgements.scale is not None
        self._kinds: dict[str, tuple[Evaluation, dict[str, Points]]] = {}
        self._notes: dict[str, list[str]] = {}
        self._left_out: dict[str, None] = {}
        for kind in (*TEXT_CURVES, *(ELEMENT_CURVES if has_elements else ())):
            self._notes[kind] = []
            try:
                points = evaluation.with_measures(measures_from(curve_measures(kind, evaluation.unit)))
            except PartwiseError as error:
                self._notes[kind].append(report.NO_CURVE.note(kind=kind, reason=error))
            else:
                self._kinds[kind] = points, {}

    def add(self, run_id: str, tables: Sequence[Tables], is_of_chunks: bool) -> None:
        """Add the points of a run of which these are all batches."""
        for kind, (points, by_run) in self._kinds.items():
            try:
                queries, values = points.joined(tables).matrix()
            except PartwiseError as error:
                self._notes[kind].append(report.NO_CURVE_OF_RUN.note(run=run_id, kind=kind, reason=error))
                continue
            gains_nothing = kind in ELEMENT_CURVES and not values.any()
            if gains_nothing and is_of_chunks:
                self._left_out[run_id] = None
            else:
                by_run[run_id] = Points.over(queries, values, self._is_sliced)

    def drawn(self) -> list[DrawnCurve]:
        return [
            DrawnCurve(kind, base(points.unit_label), by_run)
            for kind, (points, by_run) in self._kinds.items()
            if by_run
        ]

    def notes(self) -> list[str]:
        notes = [note for of_kind in self._notes.values() for note in of_kind]
        if self._left_out:
            notes.append(report.NO_GAIN_CURVES.note(count=len(self._left_out), runs=", ".join(self._left_out)))
        return notes


def _curves_of_slice(evaluation: Evaluation, runs: Sequence[Run], without_elements: Sequence[str]) -> list[DrawnCurve]:
    """The curves by the gold of a slice."""
    curves = CurvesOfRuns(evaluation, is_sliced=True)
    for run in runs:
        curves.add(run.run_id, evaluation.tables(run), run.run_id in without_elements)
    return curves.drawn()


def add_slices(
    contents: Contents,
    slices: Slices,
    members: Sequence[Sequence[str]],
    evaluations: Sequence[Evaluation],
    runs: Sequence[Run],
    diagnoser: Diagnoser | None,
    seed: int,
) -> None:
    """Add what is said about the queries of each slice; `evaluations` are those of slices of the gold."""
    facts = contents.facts
    drawn = [curve for curve in facts.curves if curve is not None]
    curves: list[list[DrawnCurve | None]]
    if evaluations:
        curves = []
        for of_slice, queries in zip(evaluations, members, strict=True):
            of_kind = {
                curve.name: curve.of_slices([queries])[0]
                for curve in _curves_of_slice(of_slice, runs, contents.without_elements)
            }
            curves.append([of_kind.get(curve.name) for curve in drawn])
    else:
        by_curve = [curve.of_slices(members) for curve in drawn]
        curves = [[of_slices[i] for of_slices in by_curve] for i in range(len(members))]
    meanings = {measure.name: (measure.meaning, measure.better) for measure in facts.measures}
    sliced = []
    for i, (name, scores) in enumerate(slices.items()):
        diagnoses = facts.diagnoses
        if evaluations and diagnoser is not None:
            diagnoses = diagnoser.diagnoses(evaluations[i], runs)
        of_queries = [None if one is None else one.of_queries(members[i]) for one in diagnoses]
        comparison = None
        try:
            comparison = compare(scores, seed=seed)
        except PartwiseError as error:
            contents.notes.append(report.NO_COMPARISON.note(by=slices.by, name=name, reason=error))
        measures = _measures(facts.scores, comparison, meanings)
        sliced.append(Slice(name, Facts(members[i], scores, measures, curves[i], of_queries), bool(evaluations)))
    contents.sliced.append(SlicedBy(slices.by, sliced))
    contents.notes += [note for note in slices.notes if note not in contents.notes]


class Diagnoser:
    """Diagnoses the runs of a report, under a measure of text recall.

    `chunks` returns all chunks of the run with a name, always the same; `notes` are those on how they were read.
    """

    def __init__(
        self, measure: TextR, chunks: Callable[[str], Run | None], confidence: float, notes: Sequence[str] = ()
    ) -> None:
        self.measure, self.chunks, self.confidence, self.notes = measure, chunks, confidence, notes

    def limit(self, evaluation: Evaluation) -> str:
        """What is read of a run, in words."""
        if self.measure.budget is None:
            return report.READ_RESULTS.note(count=self.measure.cutoff)
        return report.READ_BUDGET.note(budget=self.measure.budget, unit=words(evaluation.unit))

    def diagnoses(self, evaluation: Evaluation, runs: Sequence[Run]) -> Sequence[Diagnosis | None]:
        """The diagnosis of each run, None if it cannot be diagnosed."""
        diagnoses = DiagnosesOfRuns(self, evaluation)
        for run in runs:
            diagnoses.add(run)
        return diagnoses.of_runs


class DiagnosesOfRuns:
    """The diagnoses of runs that are added one by one, None for one that cannot be diagnosed.

    Notes say why, or why one is diagnosed without chunks.
    """

    def __init__(self, diagnoser: Diagnoser, evaluation: Evaluation) -> None:
        self._evaluation = evaluation.with_measures([diagnoser.measure])
        self.of_runs: list[Diagnosis | None] = []
        self.notes: list[str] = []
        self._diagnoser = diagnoser
        self._prepared: dict[int, Chunks] = {}

    def add(self, run: Run, tables: Sequence[Tables] = ()) -> None:
        """Add the diagnosis of a run; `tables` are those of all its batches, if they are known already."""
        chunks = self._diagnoser.chunks(run.run_id)
        if chunks is not None and id(chunks) not in self._prepared:
            self._prepared[id(chunks)] = chunks_of(self._evaluation, chunks)
        of_run = None if chunks is None else self._prepared[id(chunks)]
        self.of_runs.append(self._diagnosed(run, tables, of_run))

    def _diagnosed(self, run: Run, tables: Sequence[Tables], chunks: Chunks | None) -> Diagnosis | None:
        try:
            diagnosis = diagnose(self._evaluation, run, chunks, self._diagnoser.confidence, tables)
        except PartwiseError as error:
            if chunks is None:
                self.notes.append(report.NO_DIAGNOSIS.note(run=run.run_id, reason=error))
                return None
            self.notes.append(report.DIAGNOSED_WITHOUT_CHUNKS.note(run=run.run_id, reason=error))
            return self._diagnosed(run, tables, None)
        known = {*self._diagnoser.notes, *self.notes, WITHOUT_CHUNKS.note()}
        self.notes += [note for note in diagnosis.notes if note not in known]
        return diagnosis
