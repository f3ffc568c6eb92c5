"""What measures require of the assessments and the collection, the errors if it is missing, and notes on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from partwise.errors import PartwiseError
from partwise.measures import Measure
from partwise.messages import Message
from partwise.messages import measures as needs
from partwise.messages import scores as notes_on
from partwise.model import NO_GRADE, NONE
from partwise.resolving import Judgements
from partwise.resolving.entry_points import all_the_same, outside
from partwise.tables import BEPS, COLLECTION, GOLD, GRADES, HIGHLIGHTS, LENGTHS, PARTS
from partwise.units import as_written


def needs_marks(measure: Measure) -> bool:
    """Whether a measure can score only documents with highlighted or graded parts."""
    return any(required in (HIGHLIGHTS, GRADES, GOLD) for key in measure.needs() for required in key.required())


def _check_paths(measure: Measure, judgements: Judgements, lines: Sequence[int], message: Message) -> None:
    """Raise an error if there are paths (at these lines) and no collection to resolve them."""
    if judgements.collection is None and len(lines):
        raise judgements.assessments.source.error(message(measure=measure.name), line=int(lines[0]))


def _check_highlights(measure: Measure, judgements: Judgements) -> None:
    _check_paths(measure, judgements, judgements.assessments.passages.lines.tolist(), needs.PASSAGES_ARE_PATHS)
    if judgements.has_highlights:
        return
    message = needs.NOTHING_HIGHLIGHTED
    if len(judgements.assessments.spans.lines):
        message = needs.NO_RELEVANT_PASSAGE
    elif len(judgements.assessments.elements.lines):
        message = needs.ONLY_GRADED_ELEMENTS
    elif (judgements.grade != NO_GRADE).any():
        message = needs.ONLY_DOCUMENT_GRADES
    raise judgements.assessments.source.error(message(measure=measure.name))


def _check_collection(measure: Measure, judgements: Judgements) -> None:
    if judgements.collection is None:
        raise PartwiseError(needs.ELEMENTS_NEEDED(measure=measure.name))


def _check_grades(measure: Measure, judgements: Judgements) -> None:
    if not judgements.has_grades:
        _check_highlights(measure, judgements)


def _check_parts(measure: Measure, judgements: Judgements) -> None:
    if not len(judgements.tree_pair):
        _check_grades(measure, judgements)


def _check_gold(measure: Measure, judgements: Judgements) -> None:
    """Passages, trees or elements, and the documents where their places are paths."""
    assessments = judgements.assessments
    lines = [*assessments.passages.lines.tolist(), *assessments.trees.lines.tolist()]
    _check_paths(measure, judgements, sorted(lines), needs.PASSAGES_ARE_PATHS)
    if len(judgements.tree_pair) or judgements.has_highlights:
        return
    if not len(assessments.elements.lines):
        _check_highlights(measure, judgements)
    _check_paths(measure, judgements, assessments.elements.lines.tolist(), needs.PASSAGES_ARE_PATHS)


def _check_beps(measure: Measure, judgements: Judgements) -> None:
    documents = judgements.assessments.documents
    lines = [line for line, path in zip(documents.lines.tolist(), documents.bep_path or (), strict=False) if path]
    _check_paths(measure, judgements, lines, needs.ENTRY_POINTS_ARE_PATHS)
    for pair in np.flatnonzero((judgements.highlighted > 0) & (judgements.bep == NONE))[:1].tolist():
        query, doc = judgements.pair_name(pair)
        raise judgements.error(needs.NO_ENTRY_POINT(doc=doc, query=query, measure=measure.name), pair=pair)


def _check_lengths(measure: Measure, judgements: Judgements) -> None:
    for pair in np.flatnonzero((judgements.highlighted > 0) & (judgements.pair_length == NONE))[:1].tolist():
        doc = judgements.pair_name(pair)[1]
        raise judgements.error(needs.NO_LENGTH(doc=doc, measure=measure.name), pair=pair)


_CHECKS = {
    HIGHLIGHTS: _check_highlights,
    COLLECTION: _check_collection,
    BEPS: _check_beps,
    LENGTHS: _check_lengths,
    GRADES: _check_grades,
    PARTS: _check_parts,
    GOLD: _check_gold,
}


def check_requirement(required: str, measure: Measure, judgements: Judgements) -> None:
    """Raise an error if the inputs lack what a measure requires."""
    _CHECKS[required](measure, judgements)


def notes_on_entry_points(measures: Iterable[Measure], judgements: Judgements) -> list[str]:
    """Notes about best entry points that cannot be judgements, if a measure uses them."""
    users = [measure.name for measure in measures if any(BEPS in key.required() for key in measure.needs())]
    if not users:
        return []
    notes, names = [], ", ".join(users)
    given = judgements.bep[judgements.bep != NONE]
    if all_the_same(given):
        bep = as_written(int(given[0]), judgements.assessments.unit)
        notes.append(notes_on.SAME_ENTRY_POINTS.note(count=len(given), bep=bep, measures=names))
    misplaced = int(outside(judgements.bep, judgements.pair_length).sum())
    if misplaced:
        notes.append(notes_on.ENTRY_POINTS_OUTSIDE.note(count=misplaced, measures=names))
    return [note.on(judgements.assessments.source.name) for note in notes]
