"""Notes about rows that are read as something else than their author may mean: no place, empty parts, other texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.counting import counting_of
from partwise.formats.names import COLUMNS, PART_COLUMNS
from partwise.formats.tables import Table, cells_of
from partwise.messages import SUMMED, Message, Note, reading
from partwise.model import NONE, TO_END, Bools, Ints
from partwise.units import CHARS, ENCODINGS, LINES

_TEXTS = COLUMNS["text"].names


def run_notes(table: Table, span_offsets: Ints, start: Ints, end: Ints, counts: tuple[int, int]) -> Iterator[str]:
    """Notes about the results of a table, with the spans of every row.

    `counts` are the numbers of spans that reach to the end of their document and of those that are empty.
    """
    has_place = not table.columns.keys().isdisjoint(PART_COLUMNS)
    if not has_place and not set(table.names).isdisjoint(_TEXTS):
        yield reading.TEXTS_ONLY.note(source=table.reader.source.name)
    if not has_place or not len(start):
        return
    unbounded, without_text = counts
    has_texts = _texts(table) is not None
    if not unbounded and without_text < len(start) and not has_texts:
        return
    first: Any = slice(None)
    is_single: Any = True
    if any(map(table.has, ("spans", "path", "paths"))):
        first = np.minimum(span_offsets[:-1], len(start) - 1)
        is_single = np.diff(span_offsets) == 1
    whole = is_single & (end[first] == TO_END)
    if whole.any() and not whole.all():
        yield from _counted(reading.SOME_WHOLE, table, whole, total=len(table))
    empty = is_single & (end[first] == start[first])
    if empty.all():
        yield from _counted(reading.ALL_EMPTY, table, empty)
    if has_texts:
        yield from _other_lengths(table, np.where(is_single & ~whole, end[first] - start[first], NONE))


_COUNTED = {message.code: message for message in (reading.SOME_WHOLE, reading.ALL_EMPTY, reading.OTHER_LENGTHS)}


def notes_of_pieces(pieces: Sequence[Sequence[str]]) -> list[str]:
    """The notes about a run from those about its pieces, whose counts are added up."""
    merged: dict[object, str] = {}
    codes = [{note.code for note in notes if isinstance(note, Note)} for notes in pieces]
    for number, notes in enumerate(pieces):
        for place, note in enumerate(notes):
            if not isinstance(note, Note) or note.code not in _COUNTED:
                merged[number, place] = note
            elif note.code != reading.ALL_EMPTY.code or all(note.code in of_piece for of_piece in codes):
                earlier = merged.get(note.code)
                merged[note.code] = _added(earlier, note) if isinstance(earlier, Note) else note
    return list(merged.values())


def _added(one: Note, other: Note) -> Note:
    sums = {name: int(str(one.values[name])) + int(str(other.values[name])) for name in SUMMED if name in one.values}
    return _COUNTED[one.code].note(**{**one.values, **sums})


def assessment_notes(table: Table, has_part: Bools, is_judged: Bools, size: Ints) -> Iterator[str]:
    """Notes about judgements.

    `has_part` are the rows with a part of their document, `is_judged` those that say something about the document
    itself, and `size` is the number of characters of each passage, NONE in rows without one.
    """
    yield from _counted(reading.NO_JUDGEMENT, table, ~has_part & ~is_judged, total=len(table))
    yield from _counted(reading.EMPTY_PASSAGES, table, size == 0)
    yield from _other_lengths(table, size)


def _counted(message: Message, table: Table, rows: Bools, **values: object) -> Iterator[str]:
    chosen = np.flatnonzero(rows & ~table.bad)
    if len(chosen):
        source = table.reader.source
        place = source.place(int(table.lines[chosen[0]]))
        yield message.note(source=source.name, count=len(chosen), first=place, **values)


def _texts(table: Table) -> str | None:
    """The name of the column of texts, None if it was not loaded."""
    if table.columns.keys().isdisjoint(_TEXTS):
        return None
    return next(name for name in _TEXTS if table.has(name))


_LENGTHS = (CHARS, LINES, *ENCODINGS)
"""The units in which the length of a text is known."""


def _other_lengths(table: Table, size: Ints) -> Iterator[str]:
    """A note if texts do not have the length of their parts, unless texts are compared with the documents anyway."""
    name = _texts(table)
    if name is None or table.reader.quotes is not None or not (size != NONE).any():
        return
    unit = table.reader.unit
    if unit not in _LENGTHS:
        return
    cells = table.columns[name]
    if isinstance(cells, kernels.Cells) and unit == CHARS:
        lengths = cells.lengths(size)
    else:
        lengths = np.full(len(table), NONE)
        for row, text in enumerate(cells_of(cells)):
            if isinstance(text, str) and text:
                lengths[row] = len(text) if unit == CHARS else counting_of(text, unit).size
    yield from _counted(
        reading.OTHER_LENGTHS, table, (size != NONE) & (lengths != NONE) & (lengths != size), total=len(table)
    )
