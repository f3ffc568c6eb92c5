"""How the chunks of a run were placed in their documents: an outcome for each, and the notes that count them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise.messages import Message, adapters
from partwise.records import record

GIVEN, EXACT, WHITESPACE, NORMALISED = "given", "exact", "whitespace", "normalised"
CASEFOLDED, MARKUP, ELLIPSIS, FUZZY = "casefolded", "markup", "ellipsis", "fuzzy"
MOVED, PARENT, TRIMMED, FIRST, AMBIGUOUS, MISSING = "moved", "parent", "trimmed", "first", "ambiguous", "missing"

OUTCOMES: dict[str, str] = {
    GIVEN: "at its own offsets, which could not be checked",
    EXACT: "its text is at this place, character by character",
    WHITESPACE: "the same except for white space",
    NORMALISED: "the same in normalised characters",
    CASEFOLDED: "the same except for upper and lower case",
    MARKUP: "the same without Markdown or HTML markup",
    ELLIPSIS: "the pieces before and after each ellipsis are here, one after another",
    FUZZY: "a similar text is here, as the score in ``how_score`` says",
    MOVED: "its text is not at its own offsets, but here",
    PARENT: "its own offsets count from the start of a larger chunk, which is here",
    TRIMMED: "the part of its text that is at its offsets; the rest, such as a header, is not in the document",
    FIRST: "the first of several places",
    AMBIGUOUS: "not placed: its text occurs in several places",
    MISSING: "not placed: its text does not occur",
}
"""The values of the column ``how``, with their meaning."""

UNPLACED = (AMBIGUOUS, MISSING)
UNKNOWN_DOCUMENT = "unplaced-"
"""How the names begin that documents of unplaced chunks get if they are unknown; underscores may precede it."""
AS_SAID = (GIVEN, EXACT, WHITESPACE, NORMALISED, CASEFOLDED, MARKUP, ELLIPSIS)
"""The outcomes that need no note."""
NUMBERS = {outcome: number for number, outcome in enumerate(OUTCOMES)}

_IN_RUN: dict[str, Message] = {
    FUZZY: adapters.FUZZY,
    AMBIGUOUS: adapters.AMBIGUOUS_KEPT,
    FIRST: adapters.AMBIGUOUS_FIRST,
    MISSING: adapters.MISSING_KEPT,
    MOVED: adapters.WRONG_OFFSETS,
    PARENT: adapters.RELATIVE_TO_PARENT,
    TRIMMED: adapters.TRIMMED,
}
_LEFT_OUT: dict[str, Message] = {AMBIGUOUS: adapters.AMBIGUOUS_SKIPPED, MISSING: adapters.MISSING_SKIPPED}


def scores_of(scores: Sequence[float | None]) -> NDArray[np.float64] | None:
    """A column of scores, NaN where there is none; None if there are none at all."""
    if all(score is None for score in scores):
        return None
    return np.array([np.nan if score is None else score for score in scores], np.float64)


@record()
class LeftOut:
    """The number of chunks with one outcome that are not in a run, and the first of them."""

    count: int
    first: str


@record(eq=False)
class Placing:
    """How each chunk was placed.

    `codes` has the number of each row's outcome, `scores` the similarity of those placed by similarity (NaN elsewhere;
    None if there are none), `left_out` the chunks that are not in the run by outcome, `remarks`
    are further notes, and `lengths` the numbers of characters of the documents that chunks were compared with.
    """

    codes: NDArray[np.int8]
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    lengths: Mapping[str, int] = field(default_factory=dict)
    scores: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        outcomes: Sequence[str],
        left_out: Mapping[str, LeftOut] | None = None,
        remarks: Sequence[str] = (),
        scores: Sequence[float | None] = (),
    ) -> Placing:
        codes = np.array([NUMBERS[outcome] for outcome in outcomes], np.int8)
        return cls(codes, left_out or {}, tuple(remarks), scores=scores_of(scores))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def outcomes(self) -> list[str]:
        """The outcome of each row."""
        names = list(OUTCOMES)
        return [names[code] for code in self.codes.tolist()]

    @property
    def unplaced(self) -> NDArray[np.bool_]:
        """Whether each row was not placed: it keeps its rank and size, and is relevant nowhere."""
        return np.isin(self.codes, [NUMBERS[outcome] for outcome in UNPLACED])

    @property
    def counts(self) -> dict[str, int]:
        """The number of chunks with each outcome that occurs, including those left out of the run."""
        in_run = np.bincount(self.codes, minlength=len(OUTCOMES)).tolist()
        left_out = {outcome: left.count for outcome, left in self.left_out.items()}
        counts = {outcome: in_run[number] + left_out.get(outcome, 0) for outcome, number in NUMBERS.items()}
        return {outcome: count for outcome, count in counts.items() if count}

    def take(self, rows: Any) -> Placing:
        """The same for these rows only."""
        return replace(self, codes=self.codes[rows], scores=None if self.scores is None else self.scores[rows])

    def notes(self, things: str, place: Callable[[int], str]) -> list[str]:
        """Notes that count what was not simply placed; `place` describes a row."""
        total = len(self) + sum(left.count for left in self.left_out.values())
        notes: list[str] = []
        for outcome, message in _IN_RUN.items():
            rows = np.flatnonzero(self.codes == NUMBERS[outcome])
            if len(rows):
                first = place(int(rows[0]))
                notes.append(message.note(count=len(rows), total=total, things=things, first=first))
            if outcome in self.left_out:
                left = self.left_out[outcome]
                note = _LEFT_OUT[outcome].note(count=left.count, total=total, things=things, first=left.first)
                notes.append(note)
        return [*notes, *self.remarks]
