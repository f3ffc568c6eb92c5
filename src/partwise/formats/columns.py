"""The columns of a table under our names: aliases, columns that are not read, and places that are not understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError, shown
from partwise.formats.cells import (
    GRADE,
    ID,
    NATURAL,
    NUMBER,
    PATH,
    PATHS,
    SCALE,
    SPANS,
    UNIT,
    exhaustivity_in,
    grade_in,
    is_missing,
    natural_in,
    number_in,
    path_in,
    paths_in,
    scale_in,
    single_path_in,
    spans_in,
    text_in,
    unit_in,
)
from partwise.formats.names import (
    ASSESSMENT_COLUMNS,
    EXTRAS,
    PLACE_COLUMNS,
    RUN_COLUMNS,
    looks_like_a_place,
    names_of,
)
from partwise.formats.tables import Table, cells_of
from partwise.messages import reading
from partwise.model import Coded, Source
from partwise.types import Kind


def run_columns(table: Table) -> Table:
    """The table with the columns of runs under our names."""
    return _understood(table, RUN_COLUMNS, "run")


def assessment_columns(table: Table) -> Table:
    """The table with the columns of assessments under our names."""
    if table.has("rank"):
        raise table.reader.source.error(reading.RUN_AS_ASSESSMENTS(name=repr("rank")))
    return _understood(table, ASSESSMENT_COLUMNS, "assessments")


def renamed(table: Table, columns: Sequence[str], in_assessments: bool = False) -> Table:
    """The table with these columns under our names; the others keep theirs.

    Of several columns that mean the same, ours is read, or else the first, if they have the same values.
    """
    origins: dict[str, str] = {}
    for column, first, others in _read_from(tuple(table.columns), tuple(columns), in_assessments):
        if others and first != column:
            for other in others:
                _refuse_difference(table, first, other)
        if first != column:
            origins[column] = first
        for other in others:
            _fill(table, first, other)
    if not origins:
        return table
    ours = {theirs: column for column, theirs in origins.items()}
    cells = {ours.get(name, name): cells for name, cells in table.columns.items() if name not in origins}
    result = Table(cells, table.lines, table.reader, table.names, origins)
    result.bad, result.is_ranked = table.bad, table.is_ranked
    return result


@lru_cache(maxsize=256)
def _read_from(
    names: tuple[str, ...], columns: tuple[str, ...], in_assessments: bool
) -> list[tuple[str, str, list[str]]]:
    """Of the columns that are read from another name or from several: the name, and the other names."""
    read = []
    for column in columns:
        first, *others = present(names, column, in_assessments) or [column]
        if others or first != column:
            read.append((column, first, others))
    return read


_CELLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    **dict.fromkeys(("query_id", "doc_id", "run_id", "assessor", "nugget", "set"), (text_in, ID)),
    **dict.fromkeys(("rank", "start", "end", "offset", "length", "bep"), (natural_in, NATURAL)),
    **dict.fromkeys(("score", "specificity"), (number_in, NUMBER)),
    "exhaustivity": (exhaustivity_in, NUMBER),
    "grade": (grade_in, GRADE),
    "spans": (spans_in, SPANS),
}
_CHECKED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "path": (path_in, PATH),
    "paths": (paths_in, PATHS),
    **dict.fromkeys(("start_path", "end_path", "bep_path"), (single_path_in, PATH)),
    "scale": (scale_in, SCALE),
    "unit": (unit_in, UNIT),
}


_PAIRS: tuple[tuple[str, str], ...] = (("start", "end"), ("offset", "length"), ("start_path", "end_path"))


def convert_cells(rows: Sequence[dict[str, Any]], table: Table) -> None:
    """Give the cells of these rows of a table the types of their columns; a cell that has another is an error."""
    for name, (convert, expected) in {**_CELLS, **_CHECKED}.items():
        if not table.has(name):
            continue
        for row, value in zip(rows, table.each(name, convert, expected, None), strict=True):
            if name in _CELLS and name in row:
                row[name] = value
    for pair in _PAIRS:
        for number, row in enumerate(rows):
            first, second = (row.get(name) is not None for name in pair)
            if pair[0] == "start" and first and row.get("doc_id") is not None and isinstance(row.get("text"), str):
                continue  # the text gives the end
            if first != second and (first or pair[1] != "length"):  # in assessments, length is that of the document
                present, absent = pair if first else pair[::-1]
                table.problem(number, reading.ONLY_ONE(present=present, absent=absent))
    table.reader.settle()


def present(names: Collection[str], column: str, in_assessments: bool = False) -> list[str]:
    """Those of these names that a column has, best first. PyTerrier's ``docid`` is a number of its index."""
    found = [name for name in names_of(column, in_assessments) if name in names]
    return [name for name in found if name != "docid"] if {"qid", "docno", "docid"} <= set(names) else found


def _understood(table: Table, columns: Sequence[str], what: Kind) -> Table:
    """The table under our names, with a note about every column that is not read and not known to be irrelevant."""
    result = renamed(table, columns, what == "assessments")
    if result.columns.keys().isdisjoint(PLACE_COLUMNS):
        for name in (*_left(table.names, columns, what), "metadata"):
            place = _place_in(name, table.columns.get(name, ()))
            if place is not None:
                raise unknown_place(table.reader.source, place)
    notes = _notes_on_columns(tuple(table.names), tuple(columns), what, table.reader.source.name, tuple(table.filled))
    table.reader.notes.extend([*table.filled.values(), *notes])
    return result


def unknown_place(source: Source, name: str) -> PartwiseError:
    """The error if no column gives a place, but one that is not known looks like it: never a whole document."""
    places = ", ".join(column for column in PLACE_COLUMNS if column in RUN_COLUMNS)
    return source.error(reading.UNKNOWN_PLACE(name=shown(name), places=places))


def _left(names: Sequence[str], columns: Sequence[str], what: Kind) -> list[str]:
    """The columns that are not read and not known to be irrelevant."""
    read = {name for column in columns for name in present(names, column, what == "assessments")}
    irrelevant = {*read, *EXTRAS, *(("docid",) if {"qid", "docno"} <= read else ())}
    return [name for name in names if name not in irrelevant]


def notes_on_columns(
    names: Sequence[str], columns: Sequence[str], what: Kind, source: str, filled: Collection[str] = ()
) -> list[str]:
    """Notes about columns of these names that are not read, as runs or assessments with these columns.

    Those in `filled` were read in some rows.
    """
    in_assessments = what == "assessments"
    notes: list[str] = []
    for column in columns:
        first, *others = present(names, column, in_assessments) or [column]
        notes += [
            reading.SAME_MEANING.note(source=source, name=repr(name), first=repr(first))
            for name in others
            if name not in filled
        ]
    left = _left(names, columns, what)
    known = [name for column in columns for name in names_of(column, in_assessments)]
    foreign = [name for name in left if any(name in names_of(column) for column in (*RUN_COLUMNS, *ASSESSMENT_COLUMNS))]
    if foreign:
        message = reading.BELONGS_TO_RUNS if in_assessments else reading.BELONGS_TO_ASSESSMENTS
        notes.append(message.note(source=source, count=len(foreign), names=_listed(foreign)))
    unknown = [name for name in left if name not in foreign]
    if unknown:
        named = ", ".join(_with_nearest(name, known) for name in unknown[:8]) + (" ..." if len(unknown) > 8 else "")
        notes.append(reading.UNKNOWN_COLUMNS.note(source=source, count=len(unknown), names=named))
    return notes


_notes_on_columns = lru_cache(maxsize=256)(notes_on_columns)
"""The same for tuples: the columns of runs that are scored one after another are the same."""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names))


def _with_nearest(name: str, known: Sequence[str]) -> str:
    import difflib

    nearest = difflib.get_close_matches(name.lower(), known, n=1) if name not in _INDEX else []
    return f"{shown(name)} (nearest: {nearest[0]})" if nearest else shown(name)


_INDEX = ("", "index", "level_0", "Unnamed: 0")
"""What pandas calls the column of its index."""


def _refuse_difference(table: Table, first: str, other: str) -> None:
    """Raise an error if two columns that mean the same have different values."""
    pairs = zip(cells_of(table.columns[first]), cells_of(table.columns[other]), strict=True)
    for row, (cell, same) in enumerate(pairs):
        if cell != same and str(cell) != str(same) and not (is_missing(cell) or is_missing(same)):
            message = reading.DIFFERENT_VALUES(first=repr(first), second=repr(other), one=shown(cell), two=shown(same))
            raise table.reader.source.error(message, int(table.lines[row]))


def _fill(table: Table, first: str, other: str) -> None:
    """Take the cells of another column of the same meaning where the first has none."""
    cells = table.columns[first]
    if isinstance(cells, Coded) or (isinstance(cells, np.ndarray) and cells.dtype.kind in "iu"):
        return  # nothing is missing
    if isinstance(cells, kernels.Cells) and not cells.has_missing:
        return
    ours, theirs = list(cells_of(cells)), cells_of(table.columns[other])
    rows = [row for row, cell in enumerate(ours) if is_missing(cell) and not is_missing(theirs[row])]
    if rows:
        for row in rows:
            ours[row] = theirs[row]
        table.columns = {**table.columns, first: ours}
        table.filled[other] = reading.FILLED.note(
            source=table.reader.source.name, count=len(rows), name=repr(other), first=repr(first)
        )


def _place_in(name: str, cells: Any) -> str | None:
    """The name of a column, or of a key of the mappings in it, that looks like a place and has numbers."""
    if looks_like_a_place(name):
        return name if any(_holds_number(cell) for cell in cells_of(cells)) else None
    if name == "metadata":
        keys = {key: cell for item in cells_of(cells) if isinstance(item, Mapping) for key, cell in item.items()}
        return next((f"{name}.{key}" for key, cell in keys.items() if _place_in(str(key), [cell]) is not None), None)
    return None


def _holds_number(cell: Any) -> bool:
    if isinstance(cell, str):
        return re.fullmatch(r"\W*[0-9]{1,18}(?:\W+[0-9]+)*\W*", cell) is not None
    if isinstance(cell, (list, tuple)):
        return any(map(_holds_number, cell))
    return isinstance(cell, (int, float)) and not isinstance(cell, bool) and cell == cell
