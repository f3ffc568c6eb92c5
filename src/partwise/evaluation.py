"""Assessments and measures made ready once, then runs scored one batch at a time."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from partwise import formats
from partwise.collection import Collection, opened
from partwise.errors import PartwiseError
from partwise.measures import Measure, measures_from, requested
from partwise.model import (
    NO_GRADE,
    NONE,
    TO_END,
    Assessments,
    Block,
    Floats,
    Ints,
    Irregular,
    Piece,
    Run,
    empty_ints,
    slices,
)
from partwise.navigation import Navigation, given_models
from partwise.options import Options
from partwise.presets import FOR_GRADES, FOR_HIGHLIGHTS
from partwise.resolving import ROWS_PER_BATCH, Batch, Judgements, batches, empty_batch, judge, refuse_query_all
from partwise.scores import note_of_no_query, notes_of_run
from partwise.tables import (
    BEPS,
    COLLECTION,
    ELEMENTS_THERE,
    GRADES,
    HIGHLIGHTS,
    IN_RELEVANT,
    LENGTHS,
    PARTS,
    Facts,
    Tables,
)

RARE = 20
"""Fewer elements than one in so many results are nearly none: a chunk may happen to be a short paragraph."""


@dataclass(frozen=True, eq=False, repr=False)
class PartialScores:
    """What one batch gives: per measure the queries that count (as numbers) and their values, and what was odd."""

    queries: Sequence[Ints]
    values: Sequence[Floats]
    odd: Mapping[str, int]

    def without(self, queries: Sequence[int]) -> PartialScores:
        """The same without the values of these queries; what was counted about them stays."""
        kept = [~np.isin(of_measure, queries) for of_measure in self.queries]
        numbers = [of_measure[rows] for of_measure, rows in zip(self.queries, kept, strict=True)]
        values = [of_measure[rows] for of_measure, rows in zip(self.values, kept, strict=True)]
        return PartialScores(numbers, values, self.odd)

    def withdrawn(self) -> PartialScores:
        """No values, and counts that take back what was counted."""
        return _only_odd({name: -count for name, count in self.odd.items()}, len(self.queries))


def _only_odd(odd: Mapping[str, int], measures: int) -> PartialScores:
    """No scores, only something odd."""
    return PartialScores([empty_ints()] * measures, [np.empty(0)] * measures, odd)


@dataclass(frozen=True, eq=False, repr=False)
class ScoredPiece:
    """What a piece of a run gives: its queries, judged or not, its run tags and rows, and its scores."""

    queries: frozenset[str]
    tags: frozenset[str]
    rows: int
    partials: Sequence[PartialScores]
    withdraws: bool = False
    is_last: bool = False


class Evaluation:
    """Assessments and measures, checked against each other; scores any number of runs.

    `average_over` is ``judged`` (a judged query that a run misses scores as an empty list) or ``run`` (it is left out);
    `order` is ``rank`` or ``score`` where the run's own order is not wanted.
    """

    def __init__(
        self,
        assessments: Assessments,
        measures: Sequence[Measure] | None = None,
        *,
        average_over: str = "judged",
        order: str | None = None,
        assessor: str | Mapping[str, str] | None = None,
        lengths: Mapping[str, int] | None = None,
        collection: Collection | None = None,
        navigation: Mapping[str, Navigation] | None = None,
        rows_per_batch: int = ROWS_PER_BATCH,
    ) -> None:
        refuse_query_all(assessments)
        self.judgements = judge(assessments, assessor, lengths or {}, collection, navigation)
        if measures is None:
            measures = measures_from(FOR_HIGHLIGHTS if self.judgements.has_highlights else FOR_GRADES)
        self.average_over = average_over
        self.order = order
        self.rows_per_batch = rows_per_batch
        self.measures = self._checked(measures)

    @classmethod
    def from_options(cls, qrels: Any, measures: Any, options: Options, notes: list[str]) -> Evaluation:
        """An evaluation as a user asks for it; what reading notes about lines and lengths is added to `notes`."""
        requested_measures = requested(measures, options.task)
        return cls(
            formats.assessments_from(qrels, unit=options.unit, lenient=options.lenient, notes=notes),
            requested_measures,
            average_over=options.average_over,
            order=options.order,
            assessor=options.assessor,
            lengths=formats.lengths_from(options.lengths, lenient=options.lenient, notes=notes),
            collection=opened(options.collection),
            navigation=given_models(options.navigation),
        )

    def _checked(self, measures: Sequence[Measure]) -> list[Measure]:
        """The measures as they are computed here; an error if the assessments lack what one of them needs."""
        facts = Facts(self.judgements)
        resolved = list(dict.fromkeys(measure.resolved(facts) for measure in measures))
        for measure in resolved:
            for key in measure.needs():
                for required in key.required():
                    _CHECKS[required](measure, self.judgements)
        return resolved

    def with_measures(self, measures: Sequence[Measure]) -> Evaluation:
        """The same assessments, judged already, for other measures."""
        other = copy.copy(self)
        other.__dict__.pop("threads_help", None)
        other.measures = other._checked(measures)
        return other

    def with_assessors(self, assessor: Mapping[str, str]) -> Evaluation:
        """The same evaluation by other assessors, named by query."""
        judgements = self.judgements
        other = copy.copy(self)
        other.judgements = judge(
            judgements.assessments, assessor, judgements.lengths, judgements.collection, judgements.navigation
        )
        other.measures = other._checked(self.measures)
        return other

    @cached_property
    def threads_help(self) -> bool:
        """Whether several runs are scored sooner at a time than one after another.

        Tables of elements go from document to document in Python, so that threads would only wait for each other.
        """
        return not any(COLLECTION in key.required() for measure in self.measures for key in measure.needs())

    @property
    def judged(self) -> int:
        """How many queries the assessments judge."""
        return len(self.judgements.queries)

    def resolved(self, measure: Measure) -> Measure:
        """The measure as it is computed here, and called in the scores."""
        return measure.resolved(Facts(self.judgements))

    def batches(self, run: Run, is_piece: bool = False) -> Iterator[Batch]:
        """The run in rank order, some queries at a time: the unit of work of every engine.

        A piece has the queries that it has results for, and need not have any that is judged.
        """
        if run.unit != self.judgements.assessments.unit:
            raise run.source.error(
                f"counts in {run.unit}, the assessments in {self.judgements.assessments.unit}", "give both in one unit"
            )
        queries = "piece" if is_piece else self.average_over
        return batches(run, self.judgements, queries=queries, order=self.order, rows_per_batch=self.rows_per_batch)

    def score_batch(self, batch: Batch) -> PartialScores:
        """The values of all measures for the queries of one batch."""
        tables = Tables(batch)
        queries, values = [], []
        for measure in self.measures:
            needed = [tables.get(key) for key in measure.needs()]
            counted = measure.scored(*needed)
            found = measure.score(*needed)[counted]
            if np.isnan(found).any():
                raise RuntimeError(f"{measure.name} gave a value that is not a number")
            queries.append(batch.queries[counted])
            values.append(found)
        return PartialScores(queries, values, _odd(batch) + tables.counted)

    def merged(
        self, run_id: str, partials: Iterable[PartialScores], noted: Sequence[str] = ()
    ) -> tuple[list[Block], list[str]]:
        """The scores of a run from those of its batches, and notes of what was odd about it, beside what is `noted`.

        Queries come out in the order of the assessments, whatever that of the batches.
        """
        parts = list(partials)
        odd: Counter[str] = Counter()
        for part in parts:
            odd.update(part.odd)
        notes = notes_of_run(run_id, odd, noted)
        notes += [f"{run_id}: {note}" for note in self._told_of_elements(odd)]
        blocks = []
        for i, measure in enumerate(self.measures):
            queries = np.concatenate([empty_ints(), *(part.queries[i] for part in parts)])
            values = np.concatenate([np.empty(0), *(part.values[i] for part in parts)])
            if (queries[1:] < queries[:-1]).any():
                order = np.argsort(queries, kind="stable")
                queries, values = queries[order], values[order]
            query_ids = [self.judgements.queries[query] for query in queries.tolist()]
            if not query_ids:
                notes.append(note_of_no_query(run_id, measure.name))
            mean = measure.aggregate(values.tolist()) if query_ids else 0.0
            blocks.append(Block(run_id, measure.name, query_ids, values, mean))
        return blocks, notes

    def _told_of_elements(self, odd: Mapping[str, int]) -> Iterator[str]:
        """What to do where measures that credit nothing but elements are asked about a run that has (nearly) none."""
        results, elements = odd.get(IN_RELEVANT, 0), odd.get(ELEMENTS_THERE, 0)
        if elements * RARE >= results:
            return
        names: dict[str, dict[str, None]] = {}
        for measure in self.measures:
            if any(key.only_elements() for key in measure.needs()):
                names.setdefault(measure.for_passages, {})[type(measure).__name__] = None
        there = f"{elements or 'no'} element{'s' * (elements > 1)} among its results in relevant documents ({results})"
        for remedy, found in names.items():
            way = f"write {next(iter(found))}({remedy})" if remedy else "iP, TextR and their kin credit any text"
            if not self.judgements.has_highlights:
                way = "give its results as paths"
            yield f"{there}, and {', '.join(found)} credit{'s' * (len(found) == 1)} nothing else; {way}"

    def score(self, run: Run) -> tuple[list[Block], list[str]]:
        """A block of values per measure, and what was odd about the run."""
        partials = [self.score_batch(batch) for batch in self.batches(run)]
        unjudged = sum(name not in self.judgements.query_numbers for name in names_used(run))
        odd = _only_odd({"unjudged": unjudged}, len(self.measures))
        return self.merged(run.run_id, [*partials, odd], run.notes)

    # ---- a run in pieces

    def score_piece(self, piece: Piece) -> ScoredPiece:
        """The scores of some queries of a run. What the whole run must be asked for is left to `score_pieces`."""
        partials = [self.score_batch(batch) for batch in self.batches(piece.run, is_piece=True)]
        queries = frozenset(names_used(piece.run))
        return ScoredPiece(queries, piece.tags, len(piece.run), partials, piece.withdraws, piece.is_last)

    def score_pieces(self, run_id: str, pieces: Sequence[ScoredPiece]) -> tuple[list[Block], list[str]]:
        """The scores of a run from those of its pieces; `Irregular` if a query is in two of them or none is judged."""
        there = frozenset().union(*(piece.queries for piece in pieces))
        again = frozenset().union(*(piece.queries for piece in pieces if piece.withdraws))
        judged = [number for name, number in self.judgements.query_numbers.items() if name in there]
        if sum(len(piece.queries) for piece in pieces) != len(there) + 2 * len(again) or not judged:
            raise Irregular
        numbers = [self.judgements.query_numbers[name] for name in again if name in self.judgements.query_numbers]
        partials = []
        for piece in pieces:
            if piece.withdraws:
                partials += [partial.withdrawn() for partial in piece.partials]
            elif numbers and not piece.is_last:
                partials += [partial.without(numbers) for partial in piece.partials]
            else:
                partials += piece.partials
        if self.average_over == "judged" and len(judged) < self.judged:
            missing = np.setdiff1d(np.arange(self.judged), judged)
            partials.append(self.score_batch(empty_batch(self.judgements, missing)))
        unjudged = _only_odd({"unjudged": len(there) - len(judged)}, len(self.measures))
        return self.merged(run_id, [*partials, unjudged])


def needs_marks(measure: Measure) -> bool:
    """Whether a measure has nothing to score where no part of any document is highlighted or graded."""
    return any(required in (HIGHLIGHTS, GRADES) for key in measure.needs() for required in key.required())


# ---- requirements -------------------------------------------------------------------------------------------


def _check_found(measure: Measure, judgements: Judgements, lines: Sequence[int], what: str) -> None:
    """Fail if there is no collection in which to find what is given as paths."""
    if judgements.collection is None and len(lines):
        raise judgements.assessments.source.error(
            f"{measure.name} needs characters, and {what} given as paths",
            "give the documents in which to find them (--collection)",
            int(lines[0]),
        )


def _check_highlights(measure: Measure, judgements: Judgements) -> None:
    _check_found(measure, judgements, judgements.assessments.passages.lines.tolist(), "highlighted passages are")
    if judgements.has_highlights:
        return
    there = "and nothing is highlighted"
    if len(judgements.assessments.elements.lines):
        there = "and there are only graded elements"
    elif (judgements.grade != NO_GRADE).any():
        there = "and there are only document grades"
    raise judgements.assessments.source.error(
        f"{measure.name} needs highlighted passages {there}",
        "give start and end of what is relevant, or ask for document measures such as nDCG@10",
    )


def _check_collection(measure: Measure, judgements: Judgements) -> None:
    if judgements.collection is None:
        raise PartwiseError(f"{measure.name} needs the documents' elements", "give the collection (--collection)")


def _check_grades(measure: Measure, judgements: Judgements) -> None:
    if not judgements.has_grades:
        _check_highlights(measure, judgements)


def _check_parts(measure: Measure, judgements: Judgements) -> None:
    if not len(judgements.tree_pair):
        _check_grades(measure, judgements)


def _check_beps(measure: Measure, judgements: Judgements) -> None:
    documents = judgements.assessments.documents
    lines = [line for line, path in zip(documents.lines.tolist(), documents.bep_path or (), strict=False) if path]
    _check_found(measure, judgements, lines, "best entry points are")
    for pair in np.flatnonzero((judgements.highlighted > 0) & (judgements.bep == NONE))[:1].tolist():
        query, doc = judgements.pair_name(pair)
        raise judgements.error(
            f"document {doc} is relevant to query {query} and has no best entry point",
            f"{measure.name} needs one for every relevant document",
            pair,
        )


def _check_lengths(measure: Measure, judgements: Judgements) -> None:
    for pair in np.flatnonzero((judgements.highlighted > 0) & (judgements.pair_length == NONE))[:1].tolist():
        raise judgements.error(
            f"the length of document {judgements.pair_name(pair)[1]} is not known",
            f"{measure.name} needs it: give it in the assessments or as lengths (--lengths FILE)",
            pair,
        )


_CHECKS = {
    HIGHLIGHTS: _check_highlights,
    COLLECTION: _check_collection,
    BEPS: _check_beps,
    LENGTHS: _check_lengths,
    GRADES: _check_grades,
    PARTS: _check_parts,
}


# ---- what is odd about a run --------------------------------------------------------------------------------


def _odd(batch: Batch) -> Counter[str]:
    rows = np.flatnonzero(batch.pair != NONE)
    owner = inside = rows
    if not batch.single:
        _, inside = slices(batch.span_offsets, rows)
        owner = np.repeat(rows, batch.span_offsets[rows + 1] - batch.span_offsets[rows])
    length = batch.judgements.given_length[batch.pair[owner]]
    past = (batch.end[inside] > length) & (length != NONE) & (batch.end[inside] != TO_END)
    return Counter(
        {
            "without results": int((np.diff(batch.offsets) == 0).sum()),
            "repeated": int(np.count_nonzero(batch.repeated)),
            "past the end": int(np.count_nonzero(past)),
            "results": len(batch),
            "judged results": len(rows),
        }
    )


def names_used(run: Run) -> list[str]:
    """The queries that a run has results for."""
    if run.query.all_used:
        return list(run.query.names)
    used = np.bincount(run.query.codes, minlength=len(run.query.names)) > 0
    return [name for name, is_used in zip(run.query.names, used.tolist(), strict=True) if is_used]
