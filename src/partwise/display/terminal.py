"""Tables drawn with lines, for terminals and text files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from partwise.display.sheets import Cell, Column, Sheet, expanded
from partwise.errors import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

WIDEST = 10_000


def drawn(sheet: Sheet, on_terminal: bool) -> str:
    """A table; only on a terminal it has colours, and is broken into blocks of the columns that fit its width.

    Every block begins with the labels. A number is never broken. Names are shown without characters that act on a
    terminal.
    """
    import io

    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, width=None if on_terminal else WIDEST, force_terminal=on_terminal, highlight=False)
    sheet = expanded(sheet)
    blocks = _blocks(sheet, console) if on_terminal else [sheet]
    for number, block in enumerate(blocks):
        if number:
            console.print()
        console.print(_grid(block, on_terminal))
    return "".join(line.rstrip() + "\n" for line in text.getvalue().rstrip("\n").split("\n"))


def with_lines(sheet: Sheet, on_terminal: bool) -> str:
    """A table between the lines above and below it."""
    above = "".join(visible(line) + "\n" for line in sheet.heading)
    below = "".join(one_line(line) + "\n" for line in sheet.footer)
    return above + (drawn(sheet, on_terminal) if sheet.rows else "") + below


def _grid(sheet: Sheet, on_terminal: bool) -> Any:
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, column in enumerate(sheet.columns):
        name = "\n".join(map(visible, (column.name, *column.marks)))
        cells = [row[place] for row in sheet.rows]
        width = None  # as much as there is
        if on_terminal and _is_unbroken(column, cells):
            width = max(cell_len(line) for line in (*name.split("\n"), *(visible(cell.text) for cell in cells)))
        justify: Literal["left", "right"] = "right" if column.kind == "number" else "left"
        grid.add_column(Text(name), justify=justify, overflow="fold", width=width, no_wrap=width is not None)
    for row in sheet.rows:
        grid.add_row(*(Text(visible(cell.text), "bold" if on_terminal and cell.best else "") for cell in row))
    return grid


def _is_unbroken(column: Column, cells: Sequence[Cell]) -> bool:
    """Whether a column holds numbers or intervals, which are not broken into lines."""
    return column.kind == "number" or (column.kind == "text" and not any(" " in cell.text for cell in cells))


def _blocks(sheet: Sheet, console: Console) -> list[Sheet]:
    """The sheet in blocks of columns that fit the width, each with the labels; intervals stay with their numbers."""
    from rich.measure import Measurement

    labels, unlimited = sheet.labels, console.options.update(max_width=WIDEST)
    groups: list[list[int]] = []
    for place in range(labels, len(sheet.columns)):
        is_part = groups and sheet.columns[place].name in (
            f"{sheet.columns[groups[-1][0]].name} {part}" for part in ("interval", "beats")
        )
        if is_part:
            groups[-1].append(place)
        else:
            groups.append([place])

    def chosen(places: Sequence[int]) -> Sheet:
        both = [*range(labels), *places]
        return sheet._replace(
            columns=[sheet.columns[i] for i in both],
            rows=[[row[i] for i in both] for row in sheet.rows],
        )

    def fits(places: Sequence[int]) -> bool:
        grid = _grid(chosen(places), on_terminal=True)
        return Measurement.get(console, unlimited, grid).minimum <= console.width

    blocks: list[list[int]] = []
    for group in groups:
        if blocks and fits([*blocks[-1], *group]):
            blocks[-1] += group
        else:
            blocks.append(list(group))
    return [chosen(places) for places in blocks] or [sheet]
