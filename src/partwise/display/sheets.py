"""Tables for people before they are drawn: columns, cells and what is marked in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

Kind = Literal["label", "number", "text"]
LONG = 40
"""A text of more characters is broken into lines where a format can do that."""


class Cell(NamedTuple):
    """A cell: its text as it is meant, not escaped, and what is shown about it."""

    text: str
    best: bool = False
    interval: str = ""
    beats: str = ""
    """The letters of all runs that this one beats."""
    above: str = ""
    """Letters or a dagger after the number, above the line."""
    below: str = ""
    """Letters after the number, below the line."""


class Column(NamedTuple):
    """A column: its name, and lines about it below the name."""

    name: str
    kind: Kind = "number"
    marks: tuple[str, ...] = ()
    with_parts: bool = False
    """Whether cells have an interval and the letters of the runs that are beaten."""


class Sheet(NamedTuple):
    """A table with a heading above and lines below it on a terminal, and a caption in papers.

    `across` is what the columns of numbers are, for a table with rows and columns swapped.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    heading: Sequence[str] = ()
    footer: Sequence[str] = ()
    caption: str = ""
    across: str = ""

    @property
    def labels(self) -> int:
        """The number of leading columns that are labels."""
        kinds = [column.kind for column in self.columns]
        return next((place for place, kind in enumerate(kinds) if kind != "label"), len(kinds))

    def first(self, count: int) -> Sheet:
        """The sheet with the first rows only."""
        return self._replace(rows=self.rows[:count])


def plain(header: Sequence[str], rows: Sequence[Sequence[str]], labels: int, texts: Collection[str] = ()) -> Sheet:
    """A sheet of texts without marks: the first columns are labels, the others numbers, except those in `texts`."""
    columns = [
        Column(name, "label" if i < labels else "text" if name in texts else "number") for i, name in enumerate(header)
    ]
    return Sheet(columns, [[Cell(cell) for cell in row] for row in rows])


def transposed(sheet: Sheet) -> Sheet:
    """The sheet with rows and columns swapped; the labels of a row are the name of its column."""
    labels, columns = sheet.labels, sheet.columns
    names = [" ".join(cell.text for cell in row[:labels] if cell.text) for row in sheet.rows]
    with_parts = any(column.with_parts for column in columns)
    numeric = all(column.kind == "number" for column in columns[labels:])
    across = [Column(name, "number" if numeric else "text", with_parts=with_parts) for name in names]
    rows = [[Cell(column.name), *(row[i] for row in sheet.rows)] for i, column in enumerate(columns) if i >= labels]
    return sheet._replace(columns=[Column(sheet.across, "label"), *across], rows=rows, across=columns[labels - 1].name)


def expanded(sheet: Sheet) -> Sheet:
    """The sheet with intervals, and the letters of runs that are beaten, in columns of their own."""
    if not any(column.with_parts for column in sheet.columns):
        return sheet
    columns: list[Column] = []
    for column in sheet.columns:
        columns.append(column._replace(with_parts=False))
        if column.with_parts:
            columns += [Column(f"{column.name} interval", "text"), Column(f"{column.name} beats", "text")]
    rows = []
    for row in sheet.rows:
        cells: list[Cell] = []
        for column, cell in zip(sheet.columns, row, strict=True):
            cells.append(cell)
            if column.with_parts:
                cells += [Cell(cell.interval), Cell(cell.beats)]
        rows.append(cells)
    return sheet._replace(columns=columns, rows=rows)
