"""Evaluation: assessments and measures are prepared once, then runs are scored one batch at a time."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise import formats, later, plugins
from partwise.errors import CannotScore, PartwiseError, shown
from partwise.later import gold, parts, tokens
from partwise.measures import Measure, Step, as_list, measures_from, notes_on_names, plans_of, requested, steps_of
from partwise.messages import measures as needs
from partwise.messages import scores as notes_on
from partwise.model import NONE, Assessments, Block, Irregular, Piece, Run, empty_ints
from partwise.notes import note_about, note_of_no_query, notes_of_assessments, notes_of_run, notes_on_unscored
from partwise.options import Options
from partwise.outcomes import JoinedScores, Outcome, PartialScores, ScoredPiece, counts_only, others
from partwise.parameters import format_value
from partwise.presets import FOR_GRADES, FOR_HIGHLIGHTS
from partwise.requirements import check_requirement, notes_on_entry_points
from partwise.resolving import (
    ROWS_PER_BATCH,
    Batch,
    Judgements,
    batches,
    empty_batch,
    judge,
    refuse_query_all,
)
from partwise.resolving.counts import (
    RESULTS,
    TIES,
    WHOLE,
    codes_used,
    counts_of,
    kinds_of_results,
    names_used,
    share_judged,
)
from partwise.resolving.units import assessments_in, run_in
from partwise.tables import ELEMENTS_IN_RELEVANT, IN_RELEVANT, LONGEST, Facts, Tables
from partwise.types import MeasureKind
from partwise.units import as_written, label

if TYPE_CHECKING:
    from partwise.collection import Collection
    from partwise.navigation import Navigation
    from partwise.resolving.slicing import GoldSlice
    from partwise.tokens import Tokenizer

Listener = Callable[[Run, Sequence[Tables]], None]
"""Called with a run that was scored, and with the tables of all its batches."""
RARE = 20
"""A run with fewer than one element in this many results is treated as one of chunks, some elements by chance."""


class Evaluation:
    """Assessments and measures, checked against each other; scores any number of runs.

    `average_over` is ``judged`` (a judged query missing from a run is scored as an empty list) or ``run`` (it is left
    out); `order` is ``rank`` or ``score`` to override the order of the run.
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
        unit: str | None = None,
        tokenizer: Tokenizer | None = None,
        rows_per_batch: int = ROWS_PER_BATCH,
    ) -> None:
        refuse_query_all(assessments)
        if collection is not None:
            collection = collection.in_unit(unit or assessments.unit, tokenizer)
        assessments = assessments_in(unit, assessments, collection)
        self.judgements = judge(assessments, assessor, lengths or {}, collection, navigation)
        if measures is None:
            measures = measures_from(FOR_HIGHLIGHTS if self.judgements.has_highlights else FOR_GRADES)
        self.average_over = average_over
        self.order = order
        self.rows_per_batch = rows_per_batch
        self.rules: Mapping[str, str] = {}
        """The rules of `FAULTS` that are applied to results, with their meanings; a note counts what breaks them."""
        self.measures = self._checked(measures)

    @classmethod
    def from_options(
        cls,
        qrels: Any,
        measures: Any,
        options: Options,
        notes: list[str],
        quotes: formats.quoted.QuotedRows | None = None,
    ) -> Evaluation:
        """An evaluation with the options of a user; notes from reading the qrels and lengths are added to `notes`.

        Rows of the qrels that quote texts are added to `quotes`.
        """
        measures = None if measures is None else as_list(measures)
        requested_measures = requested(measures, options.task)
        notes += notes_on_names(measures or ())
        unit = options.file_unit
        models = plugins.NAVIGATION_MODELS
        if options.navigation is not None:
            models = later.navigation.models_by_name(options.navigation)
        return cls(
            formats.assessments_from(qrels, unit=unit, lenient=options.lenient, notes=notes, quotes=quotes),
            requested_measures,
            average_over=options.average_over,
            order=options.order,
            assessor=options.assessor,
            lengths=_lengths(options, notes),
            collection=None if options.collection is None else later.collection.opened(options.collection),
            navigation=dict(models),
            unit=options.unit,
            tokenizer=None if options.tokenizer is None else tokens.tokenizer(options.tokenizer),
        )

    def notes_on_assessments(self, assessor: str | None) -> list[str]:
        """What a user should know about the collection and the assessments; `assessor` is the one asked for."""
        judgements = self.judgements
        name = judgements.assessments.source.name
        notes = [] if judgements.collection is None else list(judgements.collection.notes)
        of_rows = judgements.assessments.notes
        notes += [note if getattr(note, "about", "") else note_about(name, note) for note in of_rows]
        notes += notes_of_assessments(name, judgements.past_end, judgements.splitting)
        notes += notes_on_entry_points(self.measures, judgements)
        condensed = [measure.name for measure in self.measures if getattr(measure, "judged_only", False)]
        if condensed and len(judgements.relevance) and (judgements.relevance > 0).all():
            notes.append(note_about(name, notes_on.ONLY_RELEVANT_JUDGED.note(measures=", ".join(condensed))))
        return notes + [note_about(name, note) for note in judgements.notes_on_relevance(assessor)]

    def _checked(self, measures: Sequence[Measure]) -> list[Measure]:
        """The measures with their defaults filled in; an error if the inputs lack what one of them needs."""
        facts = Facts(self.judgements)
        resolved = list(dict.fromkeys(measure.resolved(facts) for measure in measures))
        for measure in resolved:
            for key in measure.needs():
                for required in key.required():
                    check_requirement(required, measure, self.judgements)
        return resolved

    def with_measures(self, measures: Sequence[Measure]) -> Evaluation:
        """The same assessments with other measures."""
        other = copy.copy(self)
        other.measures = other._checked(measures)
        return other

    def with_assessors(self, assessor: Mapping[str, str]) -> Evaluation:
        """The same evaluation with other assessors, by query."""
        judged = self.judgements
        other = copy.copy(self)
        other.judgements = judge(judged.assessments, assessor, judged.lengths, judged.collection, judged.navigation)
        other.measures = other._checked(self.measures)
        return other

    def gold_slices(self, column: str) -> tuple[list[tuple[GoldSlice, Evaluation]], int]:
        """The slices of the gold, each with the evaluation that counts only its gold; and the gold rows in none."""
        judgements = self.judgements
        assessors = judgements.assessments.assessors
        chosen = zip(judgements.assessments.queries, judgements.chosen.tolist(), strict=True)
        assessor = {query: assessors[code] for query, code in chosen if code != NONE}
        of_slices, without = later.slicing.gold_slices(judgements, column)
        evaluations = []
        for of_slice in of_slices:
            other = copy.copy(self)
            other.judgements = judge(
                of_slice.assessments, assessor, judgements.lengths, judgements.collection, judgements.navigation
            )
            other.measures = other._checked(self.measures)
            evaluations.append((of_slice, other))
        return evaluations, without

    @property
    def measures(self) -> list[Measure]:
        return [plan.measure for plan in self._plans]

    @measures.setter
    def measures(self, measures: Sequence[Measure]) -> None:
        self._plans = plans_of(measures)
        self._steps = steps_of(self._plans)

    @property
    def kinds(self) -> dict[str, MeasureKind]:
        """What each measure scores, by its name."""
        return {measure.name: measure.kind for measure in self.measures}

    @property
    def unit(self) -> str:
        """What offsets count."""
        return self.judgements.assessments.unit

    @property
    def unit_label(self) -> str:
        """What offsets count, with the name of the tokenizer, as it is shown with scores."""
        collection = self.judgements.collection
        tokenizer = None if collection is None else collection.tokenizer
        return label(self.unit, None if tokenizer is None else tokenizer.name)

    def in_unit(self, run: Run) -> Run:
        """The run in the unit of this evaluation; `CannotScore` if it cannot be converted."""
        if run.unit == self.unit:
            return run
        try:
            return run_in(self.unit, run, self.judgements.collection)
        except PartwiseError as error:
            raise CannotScore.because(error) from None

    @property
    def judged(self) -> int:
        """The number of judged queries."""
        return len(self.judgements.queries)

    def resolved(self, measure: Measure) -> Measure:
        """The measure with its defaults filled in, as it is named in the scores."""
        return measure.resolved(Facts(self.judgements))

    def batches(self, run: Run, is_piece: bool = False) -> Iterator[Batch]:
        """The run in rank order, some queries at a time: the unit of work of every engine.

        A piece has only the queries that it has results for, and none of them need be judged.
        """
        run = self.in_unit(run)
        queries = "piece" if is_piece else self.average_over
        return batches(run, self.judgements, queries=queries, order=self.order, rows_per_batch=self.rows_per_batch)

    def tables(self, run: Run) -> list[Tables]:
        """The tables of all batches of a run."""
        return [Tables(batch) for batch in self.batches(run)]

    def score_batch(self, batch: Batch) -> PartialScores:
        """The values of all measures for the queries of one batch, where they can be scored."""
        return self._counted(Tables(batch))

    def _counted(self, tables: Tables) -> PartialScores:
        scored = self._scored(tables)
        return replace(scored, counts=counts_of(tables.batch, self.rules, self.order) + tables.counts)

    def _scored(self, tables: Tables) -> PartialScores:
        queries, values = [empty_ints()] * len(self._plans), [np.empty(0)] * len(self._plans)
        unscored: dict[int, CannotScore] = {}
        before, queries_before = None, empty_ints()
        steps = list(self._steps)
        for step in steps:
            try:
                scored, rows = step.score(tables)
            except CannotScore as error:
                if step.together is None:
                    unscored[step.numbers[0]] = error
                else:  # some of them may be scored alone
                    steps += [Step.alone(number, self._plans[number]) for number in step.numbers]
                continue
            if scored is not before:  # measures that read the same table score the same queries
                before, queries_before = scored, tables.batch.queries[scored]
            for number, row in zip(step.numbers, rows, strict=True):
                queries[number], values[number] = queries_before, row
        return PartialScores(queries, values, {}, unscored)

    def joined(self, tables: Iterable[Tables]) -> JoinedScores:
        """The values of all measures for a run of which these are all batches; an error if one cannot be scored."""
        present, pieces = [empty_ints()], []
        for one in tables:
            present.append(one.batch.queries)
            pieces.append(self._scored(one))
        for reason in (piece.unscored[i] for i in range(len(self.measures)) for piece in pieces if i in piece.unscored):
            raise reason
        pieces += self._absent(np.concatenate(present))
        return JoinedScores(pieces, self.judgements.query_names)

    def blocks(self, run_id: str, tables: Iterable[Tables]) -> list[Block]:
        """What `score` returns, without counting what there are notes about."""
        joined = self.joined(tables)
        return [self._block(run_id, i, joined) for i in range(len(self.measures))]

    def aggregates(self, batches: Iterable[Batch]) -> list[float]:
        """The aggregate of each measure for a run of which these are all batches."""
        return [block.aggregate for block in self.blocks("", map(Tables, batches))]

    def _block(self, run_id: str, number: int, joined: JoinedScores) -> Block:
        plan = self._plans[number]
        query_ids, values = joined.of(number)
        mean = plan.aggregate(values) if query_ids else 0.0
        return Block(run_id, plan.name, query_ids, values, mean, plan.measure.aggregate)

    def score_query(self, run: Run, query_id: str) -> dict[str, float]:
        """The values of the one query of a run, by the names of the measures: those that `outcome` has for it.

        `CannotScore` if no measure can be scored.
        """
        run = self.in_unit(run)
        batch = next(batches(run, self.judgements, queries="run", order=self.order), None)
        plans = self._plans
        if batch is None:
            if query_id not in self.judgements.query_numbers:
                raise query_not_judged(self.judgements, query_id)
            batch = empty_batch(self.judgements, np.array([self.judgements.query_numbers[query_id]]))
            plans = [plan for plan in plans if self.average_over == "judged" or plan.measure.counts_absent]
        tables = Tables(batch)
        values: dict[str, float] = {}
        reasons: list[CannotScore] = []
        for plan in plans:
            try:
                _, scores = plan.score(tables)
            except CannotScore as error:
                reasons.append(error)
                continue
            if len(scores):
                values[plan.name] = float(scores[0])
        if reasons and len(reasons) == len(self._plans):
            raise reasons[0]
        return values

    def merged(self, run_id: str, partials: Iterable[PartialScores], earlier_notes: Sequence[str] = ()) -> Outcome:
        """The scores of a run from those of its batches, and the notes about it, `earlier_notes` first.

        Queries are in the order of the assessments, whatever the order of the batches.
        """
        pieces = list(partials)
        counts: Counter[str] = Counter()
        reasons: dict[int, CannotScore] = {}
        longest = max((part.counts.get(LONGEST, 0) for part in pieces), default=0)
        for part in pieces:
            counts.update(part.counts)
            reasons = {**part.unscored, **reasons}
        notes = notes_of_run(run_id, counts, earlier_notes)
        kinds = {plan.name: plan.measure.kind for i, plan in enumerate(self._plans) if i not in reasons}
        more = (*self._notes_on_kinds(counts, kinds), *self._notes_on_elements(counts), *self._notes_on_rules(counts))
        more += tuple(self._notes_on_long_passages(longest))
        notes += [note_about(run_id, note) for note in more]
        joined = JoinedScores(pieces, self.judgements.query_names)
        blocks = [self._block(run_id, i, joined) for i in range(len(self.measures)) if i not in reasons]
        notes += [note_of_no_query(run_id, block.measure) for block in blocks if not block.queries]
        unscored = [(plan.name, reasons[i]) for i, plan in enumerate(self._plans) if i in reasons]
        is_text = any(kind != "documents" for kind in kinds.values())
        judged_text = share_judged(counts) if is_text else None
        return Outcome(blocks, notes + notes_on_unscored(run_id, unscored), unscored, judged_text)

    def nothing_scored(self, run_id: str, reason: CannotScore, earlier_notes: Sequence[str] = ()) -> Outcome:
        """The outcome of a run that no measure can score."""
        unscored = [(measure.name, reason) for measure in self.measures]
        return Outcome([], notes_of_run(run_id, {}, earlier_notes) + notes_on_unscored(run_id, unscored), unscored)

    def _notes_on_kinds(self, counts: Mapping[str, int], kinds: Mapping[str, MeasureKind]) -> Iterator[str]:
        """What is worth knowing if parts are scored as documents, or whole documents as text.

        `kinds` are those of the measures that can be scored, by name.
        """
        results, whole = counts.get(RESULTS, 0), counts.get(WHOLE, 0)
        if set(kinds.values()) == {"documents"} and whole < results:
            message = notes_on.PARTS_AS_DOCUMENTS if self.judgements.has_highlights else notes_on.ONLY_AS_DOCUMENTS
            yield message.note(count=results - whole, measures=", ".join(kinds))
        elif "text" in kinds.values() and 0 < results == whole:
            yield notes_on.DOCUMENTS_AS_TEXT.note(count=whole)
        if "documents" in kinds.values() and 0 < results == whole and counts.get(TIES):
            yield notes_on.TIES.note(count=counts[TIES])

    def _notes_on_long_passages(self, longest: int) -> Iterator[str]:
        """A note on passages that no result of the run is long enough to cover, if a measure requires that."""
        if not longest:
            return
        by_share: dict[tuple[float, int], list[str]] = {}
        for measure in self.measures:
            for item in parts.out_of_reach(self.judgements, measure.needs(), longest).items():
                by_share.setdefault(item, []).append(measure.name)
        for (share, count), measures in by_share.items():
            values = {"passages": len(gold.gold_of(self.judgements)), "share": format_value(share)}
            size = as_written(longest, self.unit)
            yield notes_on.TOO_LONG.note(number=count, longest=size, measures=", ".join(measures), **values)

    def _notes_on_rules(self, counts: Mapping[str, int]) -> Iterator[str]:
        for rule, meaning in self.rules.items():
            if counts.get(rule):
                yield notes_on.BREAKS_RULE.note(count=counts[rule], rule=rule, meaning=meaning)

    def _notes_on_elements(self, counts: Mapping[str, int]) -> Iterator[str]:
        """Alternatives to measures that count only elements, if the run has hardly any."""
        results, elements = counts.get(IN_RELEVANT, 0), counts.get(ELEMENTS_IN_RELEVANT, 0)
        if elements * RARE >= results:
            return
        names: dict[str, dict[str, None]] = {}
        for measure in self.measures:
            if any(key.only_elements() for key in measure.needs()):
                names.setdefault(measure.for_passages, {})[type(measure).__name__] = None
        for argument, measures in names.items():
            values = {"count": elements, "results": results, "measures": ", ".join(measures)}
            if not self.judgements.has_highlights:
                yield notes_on.USE_PATHS.note(**values)
            elif argument:
                yield notes_on.USE_PARAMETER.note(**values, example=f"{next(iter(measures))}({argument})")
            else:
                yield notes_on.USE_TEXT_MEASURES.note(**values)

    def score(self, run: Run, tables: Sequence[Tables] = ()) -> tuple[list[Block], list[str]]:
        """A block per measure, and notes; an error if one cannot be scored; `tables` are those of all batches."""
        return self.outcome(run, tables).complete()

    def outcome(self, run: Run, tables: Sequence[Tables] = ()) -> Outcome:
        """The scores of a run by those measures that can be scored; `tables` are those of all its batches, if known."""
        try:
            run = self.in_unit(run)
            partials = [self._counted(one) for one in tables or map(Tables, self.batches(run))]
        except CannotScore as reason:
            return self.nothing_scored(run.run_id, reason, run.notes)
        numbers = self.judgements.numbers_of(run.query.names)[codes_used(run)]
        partials += self._absent(numbers[numbers != NONE])
        counts = {"unjudged": int(np.count_nonzero(numbers == NONE)), **kinds_of_results(run)}
        partials.append(counts_only(counts, len(self.measures)))
        return self.merged(run.run_id, partials, [*run.notes, *self._other_documents(run)])

    def _absent(self, present: Any) -> list[PartialScores]:
        """The scores of queries without results by measures that count them even if means are over those with some."""
        is_counted = [measure.counts_absent for measure in self.measures]
        if self.average_over == "judged" or not any(is_counted):
            return []
        absent = others(self.judged, present)
        if not len(absent):
            return []
        scored = self.score_batch(empty_batch(self.judgements, absent))
        queries = [column if kept else empty_ints() for column, kept in zip(scored.queries, is_counted, strict=True)]
        values = [column if kept else np.empty(0) for column, kept in zip(scored.values, is_counted, strict=True)]
        return [PartialScores(queries, values, {})]

    def _other_documents(self, run: Run) -> Iterator[str]:
        """A note if documents in which chunks were placed have other lengths than the judged ones."""
        if run.placing is None or not run.placing.lengths or self.unit != "chars":
            return
        judged = self.judgements
        known = dict(zip(judged.pair_doc.tolist(), judged.verified_length.tolist(), strict=True))
        others = [
            (doc, length, known[judged.docs[doc]])
            for doc, length in run.placing.lengths.items()
            if known.get(judged.docs.get(doc, NONE), NONE) not in (NONE, length)
        ]
        if others:
            doc, length, of_judgements = others[0]
            values = {"doc": doc, "length": length, "judged": of_judgements}
            yield notes_on.OTHER_DOCUMENTS.note(count=len(others), total=len(run.placing.lengths), **values)

    # ---- a run in pieces

    def score_piece(self, piece: Piece) -> ScoredPiece:
        """The scores of some queries of a run. `score_pieces` checks what depends on the whole run."""
        if piece.run.unit != self.unit:
            raise Irregular  # notes on its conversion are those of the whole run
        partials = [self.score_batch(batch) for batch in self.batches(piece.run, is_piece=True)]
        partials.append(counts_only(kinds_of_results(piece.run), len(self.measures)))
        queries = frozenset(names_used(piece.run))
        roles = piece.withdraws, piece.is_last, piece.run.run_id, piece.columns, piece.notes
        return ScoredPiece(queries, piece.tags, len(piece.run), partials, *roles)

    def score_pieces(self, run_id: str, pieces: Sequence[ScoredPiece]) -> Outcome:
        """The scores of a run from those of its pieces; `Irregular` if a query is in two of them or none is judged."""
        queries = frozenset().union(*(piece.queries for piece in pieces))
        rescored = frozenset().union(*(piece.queries for piece in pieces if piece.withdraws))
        judged = [number for name, number in self.judgements.query_numbers.items() if name in queries]
        if sum(len(piece.queries) for piece in pieces) != len(queries) + 2 * len(rescored) or not judged:
            raise Irregular
        numbers = [self.judgements.query_numbers[name] for name in rescored if name in self.judgements.query_numbers]
        partials = []
        for piece in pieces:
            if piece.withdraws:
                partials += [partial.withdrawn() for partial in piece.partials]
            elif numbers and not piece.is_last:
                partials += [partial.without(numbers) for partial in piece.partials]
            else:
                partials += piece.partials
        if self.average_over == "judged" and len(judged) < self.judged:
            missing = others(self.judged, judged)
            partials.append(self.score_batch(empty_batch(self.judgements, missing)))
        partials += self._absent(judged)
        unjudged = counts_only({"unjudged": len(queries) - len(judged)}, len(self.measures))
        return self.merged(run_id, [*partials, unjudged])


def _lengths(options: Options, notes: list[str]) -> dict[str, int]:
    """The lengths of documents that the user gives; an error if they would have to be converted."""
    if options.lengths is not None and options.tokenizer is not None:
        raise PartwiseError(needs.LENGTHS_IN_CHARS())
    return formats.lengths_from(options.lengths, lenient=options.lenient, notes=notes, unit=options.unit)


def query_not_judged(judgements: Judgements, query: str) -> PartwiseError:
    """The error for a query without judgements."""
    first = shown(judgements.queries[0]) if len(judgements.queries) else "none"
    return judgements.assessments.source.error(needs.QUERY_NOT_JUDGED(query=shown(query), first=first))
