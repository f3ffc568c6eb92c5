"""Notes about rows that are read as something else than their author may mean: no place, empty parts, other texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from partwise.formats.names import COLUMNS, PART_COLUMNS
from partwise.formats.tables import Table, cells_of
from partwise.messages import Message, reading
from partwise.model import NONE, TO_END, Bools, Ints


def run_notes(table: Table, span_offsets: Ints, start: Ints, end: Ints) -> Iterator[str]:
    """Notes about the results of a table, with the spans of every row."""
    has_place = any(table.has(name) for name in PART_COLUMNS)
    if not has_place and not set(table.names).isdisjoint(COLUMNS["text"].names):
        yield reading.TEXTS_ONLY.note(source=table.reader.source.name)
    first = np.minimum(span_offsets[:-1], max(len(start) - 1, 0))
    is_single = np.diff(span_offsets) == 1
    if not has_place or not len(start):
        return
    whole = is_single & (end[first] == TO_END)
    if not whole.all():
        yield from _counted(reading.SOME_WHOLE, table, whole, total=len(table))
    empty = is_single & (end[first] == start[first])
    if empty.all():
        yield from _counted(reading.ALL_EMPTY, table, empty)
    yield from _other_lengths(table, np.where(is_single & ~whole, end[first] - start[first], NONE))


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
    return next((name for name in COLUMNS["text"].names if table.has(name)), None)


def _other_lengths(table: Table, size: Ints) -> Iterator[str]:
    """A note if texts do not have the length of their parts, unless texts are compared with the documents anyway."""
    name = _texts(table)
    if name is None or table.reader.quotes is not None or not (size != NONE).any():
        return
    in_bytes = table.reader.unit == "bytes"
    lengths = np.full(len(table), NONE)
    for row, text in enumerate(cells_of(table.columns[name])):
        if isinstance(text, str) and text:
            lengths[row] = len(text.encode(errors="surrogatepass") if in_bytes else text)
    yield from _counted(
        reading.OTHER_LENGTHS, table, (size != NONE) & (lengths != NONE) & (lengths != size), total=len(table)
    )
