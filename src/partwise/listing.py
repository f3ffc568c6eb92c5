"""Per result: what it shows, what of that is highlighted, what was new, and what it gained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from partwise.evaluation import Evaluation
from partwise.model import NONE, TO_END, Bools, Floats, Ints, Run
from partwise.resolving import SEVERAL, Batch
from partwise.tables import Facts, Tables
from partwise.tables.gain import Gain
from partwise.tables.text import Highlights, Spans


@dataclass(frozen=True)
class Results:
    """The ranked list of one topic, a row per result; the spans of row i are ``span_offsets[i]:span_offsets[i+1]``."""

    topic: str
    doc: list[str]
    path: list[str | None]
    node: Ints
    judged: Bools
    span_offsets: Ints
    start: Ints
    end: Ints
    size: Ints
    highlighted: Ints
    new: Ints
    gained: Ints
    """Highlighted characters that no earlier result has."""
    worth: Floats | None
    """The gain of cumulated-gain measures, where there are documents and grades for it."""
    repeated: Bools

    def __len__(self) -> int:
        return len(self.doc)


def results(evaluation: Evaluation, run: Run) -> Iterator[Results]:
    """The lists of all topics of a run that are evaluated, in the order of the assessments."""
    for batch in evaluation.batches(run):
        yield from _of_batch(evaluation, _countable(batch))


def _of_batch(evaluation: Evaluation, batch: Batch) -> Iterator[Results]:
    judgements = evaluation.judgements
    tables = Tables(batch)
    spans = tables.get(Spans())
    nothing = np.zeros(len(batch), np.int64)
    found, gained = nothing, nothing
    if judgements.has_highlights:
        highlights = tables.get(Highlights())
        found, gained = highlights.found, highlights.new
    worth = None
    graded = judgements.has_grades or judgements.has_highlights
    elements = (batch.node >= 0).any() and not (batch.node == SEVERAL).any()
    if judgements.collection is not None and graded and elements:
        worth = tables.get(Gain(Facts(judgements).quantisation(None))).gain
    paths = _paths(batch)
    for number, topic in enumerate(batch.topics.tolist()):
        low, high = int(batch.offsets[number]), int(batch.offsets[number + 1])
        first, behind = int(batch.span_offsets[low]), int(batch.span_offsets[high])
        yield Results(
            topic=judgements.topics[topic],
            doc=[batch.doc_names[code] for code in batch.doc[low:high].tolist()],
            path=paths[low:high],
            node=batch.node[low:high],
            judged=batch.pair[low:high] != NONE,
            span_offsets=batch.span_offsets[low : high + 1] - first,
            start=batch.start[first:behind],
            end=batch.end[first:behind],
            size=spans.size[low:high],
            highlighted=found[low:high],
            new=spans.new[low:high],
            gained=gained[low:high],
            worth=None if worth is None else worth[low:high],
            repeated=batch.repeated[low:high],
        )


def _paths(batch: Batch) -> list[str | None]:
    """What each result was called, where it was given by a path: a tree's paths in one line."""
    given = batch.run.paths
    if given is None:
        return [None] * len(batch)
    told = [given.of_row(row) for row in batch.row.tolist()]
    return [" + ".join(" – ".join(step for step in one if step) for one in paths) or None for paths in told]


def _countable(batch: Batch) -> Batch:
    """The batch with every result countable: one whose characters are not known counts none."""
    counts = np.diff(batch.span_offsets)
    start, end = batch.start, np.where(batch.end == TO_END, batch.start, batch.end)
    if (counts == 0).any():
        missing = np.flatnonzero(counts == 0)
        at = batch.span_offsets[missing]
        start, end = np.insert(start, at, 0), np.insert(end, at, 0)
        counts = np.maximum(counts, 1)
    return replace(batch, start=start, end=end, span_offsets=np.concatenate([[0], np.cumsum(counts)]))


@dataclass(frozen=True)
class JudgedDocument:
    """What the assessor said of a document for a topic."""

    doc: str
    passages: list[tuple[int, int]]
    bep: int | None
    length: int | None


def judged_documents(evaluation: Evaluation, topic: str) -> list[JudgedDocument]:
    """The judged documents of a topic, in the order of the assessments' vocabulary."""
    judgements = evaluation.judgements
    number = judgements.topics.index(topic)
    found = []
    for pair in range(int(judgements.pair_offsets[number]), int(judgements.pair_offsets[number + 1])):
        low, high = int(judgements.passage_offsets[pair]), int(judgements.passage_offsets[pair + 1])
        spans = judgements.passage_start[low:high].tolist(), judgements.passage_end[low:high].tolist()
        doc = judgements.pair_name(pair)[1]
        length, bep = judgements.length_of(doc, NONE), int(judgements.bep[pair])
        found.append(
            JudgedDocument(
                doc,
                list(zip(*spans, strict=True)),
                None if bep == NONE else bep,
                None if length == NONE else length,
            )
        )
    return found
