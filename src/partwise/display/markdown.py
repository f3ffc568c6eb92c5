"""Tables in Markdown, as GitHub and notebooks show them."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.display.sheets import Cell, Sheet
from partwise.errors import visible


def escaped(text: str) -> str:
    """A text that Markdown shows as it is, on one line and in one cell."""
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_[]|#~!$^{}" else c for c in text)


def table(sheet: Sheet) -> str:
    """A table after its caption."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    caption = [escaped(sheet.caption), ""] if sheet.caption else []
    rules = ["--:" if column.kind == "number" else ":--" for column in sheet.columns]
    header = [escaped(column.name) for column in sheet.columns]
    return "\n".join([*caption, line(header), line(rules), *(line(list(map(_cell, row))) for row in sheet.rows), ""])


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    above, below = cell.above.replace(" ", ","), cell.below.replace(" ", ",")
    return "".join(
        [
            f"**{text}**" if cell.best else text,
            f"<sup>{escaped(above)}</sup>" if above else "",
            f"<sub>{escaped(below)}</sub>" if below else "",
        ]
    )
