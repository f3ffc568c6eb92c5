"""Tables in HTML, for pages and notebooks.

They refer to nothing outside, and take their colours from the page, so that they are readable in the dark. Characters
beyond ASCII are written as references, which every encoding of a page can hold.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from partwise.display.sheets import LONG, Cell, Column, Sheet
from partwise.errors import visible
from partwise.messages import scores as messages

MOST_ROWS = 20
"""A notebook shows at most this number of rows of a table."""
STYLE = """
.partwise { font-size: 13px; line-height: 1.4; overflow-x: auto; }
.partwise table { border-collapse: collapse; margin: 4px 0 8px; border: 0; font-size: 13px; }
.partwise th, .partwise td { padding: 2px 10px; text-align: right; white-space: nowrap; border: 0; vertical-align: top;
 background: none; color: inherit; font-variant-numeric: tabular-nums; }
.partwise th.pw-text, .partwise td.pw-text { text-align: left; }
.partwise td.pw-long { white-space: normal; min-width: 16em; max-width: 40em; }
.partwise thead th { border-bottom: 1px solid rgba(128, 128, 128, .7); font-weight: 600; }
.partwise tbody tr { background: none; border: 0; }
.partwise tbody tr:hover { background: rgba(128, 128, 128, .15); }
.partwise td small, .partwise thead small { font-size: 10.5px; font-weight: normal; opacity: .7; }
.partwise p { margin: 2px 0; opacity: .8; max-width: 60em; }
.partwise p.pw-title { font-weight: 600; opacity: 1; }
""".replace("\n ", " ").strip()


def escaped(text: str) -> str:
    """A text that HTML shows as it is."""
    return html.escape(visible(text)).encode("ascii", "xmlcharrefreplace").decode()


def table(sheet: Sheet) -> str:
    """A ``<table>`` with its caption, and no style of its own."""
    lines = ["<table>"]
    if sheet.caption:
        lines.append(f"<caption>{escaped(sheet.caption)}</caption>")
    names = "".join(f"<th{_class(column)}>{_name(column)}</th>" for column in sheet.columns)
    long = [
        column.kind != "number" and max((len(row[i].text) for row in sheet.rows), default=0) > LONG
        for i, column in enumerate(sheet.columns)
    ]
    lines += [f"<thead><tr>{names}</tr></thead>", "<tbody>"]
    for row in sheet.rows:
        places = zip(sheet.columns, long, row, strict=True)
        cells = "".join(f"<td{_class(column, is_long)}>{_cell(cell)}</td>" for column, is_long, cell in places)
        lines.append(f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>", ""])


def notebook(title: str, sheets: Sequence[Sheet], notes: Sequence[str]) -> str:
    """What a notebook shows: a title, tables of at most twenty rows, how many more there are, and notes."""
    parts = [f'<div class="partwise"><style>{STYLE}</style>', f'<p class="pw-title">{escaped(title)}</p>']
    for sheet in sheets:
        if sheet.caption and sheet.caption not in title:
            parts.append(_line(sheet.caption))
        if sheet.rows:
            parts.append(table(sheet.first(MOST_ROWS)._replace(caption="")))
        more = len(sheet.rows) - MOST_ROWS
        if more > 0:
            parts.append(_line(messages.MORE_ROWS.note(count=more)))
        parts += [_line(line) for line in sheet.footer]
    return "\n".join([*parts, *(_line(f"note: {note}") for note in notes), "</div>"])


def _line(text: str) -> str:
    return f"<p>{escaped(text)}</p>"


def _class(column: Column, is_long: bool = False) -> str:
    names = [*(["pw-text"] if column.kind != "number" else []), *(["pw-long"] if is_long else [])]
    return f' class="{" ".join(names)}"' if names else ""


def _name(column: Column) -> str:
    return escaped(column.name) + "".join(f"<br><small>{escaped(mark)}</small>" for mark in column.marks if mark)


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    above, below = cell.above.replace(" ", ","), cell.below.replace(" ", ",")
    return "".join(
        [
            f"<strong>{text}</strong>" if cell.best else text,
            f"<sup>{escaped(above)}</sup>" if above else "",
            f"<sub>{escaped(below)}</sub>" if below else "",
            f"<br><small>{escaped(cell.interval)}</small>" if cell.interval else "",
        ]
    )
