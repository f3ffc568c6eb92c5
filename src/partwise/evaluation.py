"""Assessments and measures made ready once, then runs scored one batch at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures import FOR_GRADES, FOR_HIGHLIGHTS, Measure, measures_from
from partwise.model import NONE, TO_END, Assessments, Block, Floats, Run
from partwise.resolve import ROWS_PER_BATCH, Batch, Judgements, batches, judge
from partwise.tables import BEPS, COLLECTION, HIGHLIGHTS, Tables


class Evaluation:
    """Assessments and measures, checked against each other; scores any number of runs.

    `topics` is ``judged`` (a judged topic that a run misses scores as an empty list) or ``run`` (it is left out);
    `order` is ``rank`` or ``score`` where the run's own order is not wanted.
    """

    def __init__(
        self,
        assessments: Assessments,
        measures: Sequence[Measure] | None = None,
        *,
        topics: str = "judged",
        order: str | None = None,
        assessor: str | None = None,
        lengths: Mapping[str, int] | None = None,
        rows_per_batch: int = ROWS_PER_BATCH,
    ) -> None:
        self.judgements = judge(assessments, assessor, lengths or {})
        if measures is None:
            measures = measures_from(FOR_HIGHLIGHTS if self.judgements.has_highlights else FOR_GRADES)
        self.measures = list(measures)
        self.topics = topics
        self.order = order
        self.rows_per_batch = rows_per_batch
        for measure in self.measures:
            for key in measure.needs():
                for required in key.required():
                    _check(required, measure, self.judgements)

    @property
    def judged(self) -> int:
        """How many topics the assessments judge."""
        return len(self.judgements.topics)

    def score(self, run: Run) -> tuple[list[Block], list[str]]:
        """A block of values per measure, and what was odd about the run."""
        if run.unit != self.judgements.assessments.unit:
            raise run.source.error(
                f"counts in {run.unit}, the assessments in {self.judgements.assessments.unit}", "give both in one unit"
            )
        queries: list[list[str]] = [[] for _ in self.measures]
        values: list[list[Floats]] = [[] for _ in self.measures]
        notes = _Notes()
        for batch in batches(
            run, self.judgements, topics=self.topics, order=self.order, rows_per_batch=self.rows_per_batch
        ):
            tables = Tables(batch)
            names = [self.judgements.topics[topic] for topic in batch.topics.tolist()]
            for i, measure in enumerate(self.measures):
                needed = [tables.get(key) for key in measure.needs()]
                counted = measure.scored(*needed)
                found = measure.score(*needed)[counted]
                if np.isnan(found).any():
                    raise RuntimeError(f"{measure.name} gave a value that is not a number")
                queries[i] += [name for name, counts in zip(names, counted.tolist(), strict=True) if counts]
                values[i].append(found)
            notes.add(batch, tables)
        blocks = []
        for i, measure in enumerate(self.measures):
            joined = np.concatenate([np.empty(0), *values[i]])
            if not queries[i]:
                notes.others.append(f"{measure.name} finds no topic to score, so its mean is 0")
            mean = measure.aggregate(joined.tolist()) if queries[i] else 0.0
            blocks.append(Block(run.run_id, measure.name, queries[i], joined, mean))
        return blocks, notes.told(run, self.judgements)


def _check(required: str, measure: Measure, judgements: Judgements) -> None:
    """Fail unless the assessments have what a table of the measure requires."""
    source = judgements.assessments.source
    if required == HIGHLIGHTS and not judgements.has_highlights:
        kind = "graded elements" if len(judgements.assessments.elements.lines) else "document grades"
        raise source.error(
            f"{measure.name} needs highlighted passages and there are only {kind}",
            "give start and end of what is relevant, or ask for document measures such as nDCG@10",
        )
    if required == COLLECTION:
        raise PartwiseError(f"{measure.name} needs a collection to find the elements in", "leave out trel=elements")
    if required == BEPS:
        missing = np.flatnonzero((judgements.highlighted > 0) & (judgements.bep == NONE))
        if len(missing):
            pair = int(missing[0])
            topic, doc = judgements.pair_name(pair)
            raise judgements.error(
                f"document {doc} is relevant to topic {topic} and has no best entry point",
                f"{measure.name} needs one for every relevant document",
                pair,
            )


class _Notes:
    """What is odd about a run, counted over its batches."""

    def __init__(self) -> None:
        self.repeated = 0
        self.past_end = 0
        self.without_results = 0
        self.others: list[str] = []

    def add(self, batch: Batch, tables: Tables) -> None:
        self.repeated += int(batch.repeated.sum())
        self.without_results += int((np.diff(batch.offsets) == 0).sum())
        self.others += tables.notes
        inside = np.flatnonzero(batch.pair[batch.row_of_span] != NONE)
        length = batch.judgements.pair_length[batch.pair[batch.row_of_span[inside]]]
        past = (batch.end[inside] > length) & (length != NONE) & (batch.end[inside] != TO_END)
        self.past_end += int(past.sum())

    def told(self, run: Run, judgements: Judgements) -> list[str]:
        judged = set(judgements.topics)
        codes = np.flatnonzero(np.bincount(run.query.codes, minlength=1))
        unjudged = sum(run.query.names[code] not in judged for code in codes.tolist()) if len(run) else 0
        notes = []
        if self.without_results:
            notes.append(f"{_many(self.without_results, 'judged topic')} without results")
        if unjudged:
            notes.append(f"{_many(unjudged, 'topic')} without judgements, left out")
        if self.repeated:
            notes.append(f"{_many(self.repeated, 'result')} returning a part again")
        if self.past_end:
            notes.append(f"{_many(self.past_end, 'part')} reaching past the end of the document")
        return [f"{run.run_id}: {note}" for note in [*notes, *self.others]]


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
