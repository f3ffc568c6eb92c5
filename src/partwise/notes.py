"""The notes about a run, about assessments and about documents, from what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from partwise.messages import Note
from partwise.messages import scores as messages

_NOTES = {
    "without results": messages.WITHOUT_RESULTS,
    "unjudged": messages.UNJUDGED,
    "repeated": messages.REPEATED,
    "past the end": messages.PAST_END,
    "splitting": messages.SPLITTING,
    "interleaved": messages.INTERLEAVED,
    "similar": messages.SIMILAR_IDS,
}
_ORDERS = {
    "ranks": (messages.RANKS_REVERSED, messages.RANKS_CONTRADICT),
    "rows": (messages.ROWS_REVERSED, None),
    "scores": (messages.SCORES_REVERSED, messages.SCORES_CONTRADICT),
}
"""Notes for a column that says the opposite of the order everywhere, and somewhere."""
_CLEARLY = 4
"""The number of neighbours in the opposite order from which this is no coincidence, if none are in the same."""


def note_about(name: str, note: str) -> Note:
    """The note with the name of the run or file that it is about."""
    return (note if isinstance(note, Note) else Note.of("", note)).on(name)


def notes_of_run(run_id: str, counts: Mapping[str, int], earlier: Sequence[str] = ()) -> list[str]:
    """The notes about a run: those from reading it, then those that follow from the counts of its batches."""
    notes: list[str] = [message.note(count=counts[name]) for name, message in _NOTES.items() if counts.get(name)]
    if counts.get("results") and not counts.get("judged results") and not counts.get("similar"):
        notes.append(messages.NO_DOCUMENT_JUDGED.note())
    for name, (reversed_order, contradiction) in _ORDERS.items():
        opposed = counts.get(f"{name} opposed", 0)
        if opposed >= _CLEARLY and not counts.get(f"{name} agreed"):
            notes.append(reversed_order.note())
        elif opposed and contradiction is not None:
            notes.append(contradiction.note(count=opposed))
    return [note_about(run_id, note) for note in (*earlier, *notes)]


def notes_on_unscored(run_id: str, unscored: Iterable[tuple[str, object]]) -> list[str]:
    """A note per reason, with the measures that cannot be scored for it."""
    measures: dict[str, tuple[object, list[str]]] = {}
    for measure, reason in unscored:
        measures.setdefault(str(reason), (reason, []))[1].append(measure)
    return [
        messages.CANNOT_SCORE.note(measures=", ".join(names), reason=reason).on(run_id)
        for reason, names in measures.values()
    ]


def note_of_no_query(run_id: str, measure: str) -> str:
    return note_about(run_id, messages.NOTHING_TO_SCORE.note(measure=measure))


def notes_of_assessments(name: str, past_end: int, splitting: int) -> list[str]:
    """Notes about highlighted passages that reach past the end of their document, or start or end in a character."""
    counts = {messages.PASSAGES_PAST_END: past_end, messages.PASSAGES_SPLITTING: splitting}
    return [note_about(name, message.note(count=count)) for message, count in counts.items() if count]


def notes_on_documents(name: str, unknown: int, unreadable: Sequence[object], misplaced: Sequence[object]) -> list[str]:
    """Notes about judged documents that the collection lacks or that cannot be read, and texts elsewhere in it."""
    notes = [messages.JUDGED_UNKNOWN.note(count=unknown)] if unknown else []
    for message, errors in ((messages.JUDGED_UNREADABLE, unreadable), (messages.ELSEWHERE, misplaced)):
        notes += [message.note(count=len(errors), first=errors[0])] if errors else []
    return [note.on(name) for note in notes]
