"""Tables for papers: LaTeX with the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.display.sheets import LONG, Cell, Column, Sheet
from partwise.errors import visible

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", "[": "{[}", "*": "{*}", "–": "--", "…": r"\dots{}",
    "†": r"$\dagger$", "‡": r"$\ddagger$",
}  # fmt: skip
"""A bracket or a star at the beginning of a row would be taken for an argument of the end of the row before it."""
_DAGGERS = {"†": r"\dagger", "‡": r"\ddagger"}


def escaped(text: str) -> str:
    """A text with the special characters of LaTeX escaped, on one line."""
    text = visible(text)
    while "--" in text:  # would be drawn as one dash
        text = text.replace("--", "-\0-")
    return "".join(_ESCAPES.get(c, c) for c in text).replace("\0", "{}")


def table(sheet: Sheet, caption: str | None = None, label: str | None = None) -> str:
    """A ``table`` with a caption: that of the sheet, or `caption`, which is LaTeX; a ``tabular`` alone if it is empty.

    `label` is the name by which ``\\ref`` finds it.
    """
    text = escaped(sheet.caption) if caption is None else caption
    if not text:
        return tabular(sheet)
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{text}}}"]
    if label is not None:
        lines.append(rf"\label{{{label}}}")
    return "\n".join([*lines, tabular(sheet) + r"\end{table}", ""])


def tabular(sheet: Sheet) -> str:
    """A ``tabular``; letters and daggers are columns of their own, so that numbers stay aligned."""
    marked = [any(row[i].above or row[i].below for row in sheet.rows) for i in range(len(sheet.columns))]

    def header(column: Column, is_marked: bool) -> str:
        name = escaped(column.name)
        return rf"\multicolumn{{2}}{{r}}{{{name}}}" if is_marked else name

    def cells(row: Sequence[Cell]) -> list[str]:
        texts: list[str] = []
        for cell, is_marked in zip(row, marked, strict=True):
            text = escaped(cell.text)
            texts.append(rf"\textbf{{{text}}}" if cell.best else text)
            if is_marked:
                texts.append(_marks(cell))
        return texts

    def line(texts: Sequence[str]) -> str:
        return " & ".join(texts) + r" \\"

    columns = [_alignment(column, [row[i].text for row in sheet.rows]) for i, column in enumerate(sheet.columns)]
    aligned = "".join(f"{one}@{{}}l" if is_marked else one for one, is_marked in zip(columns, marked, strict=True))
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{aligned}}}",
            r"\toprule",
            line([header(*pair) for pair in zip(sheet.columns, marked, strict=True)]),
            r"\midrule",
            *(line(cells(row)) for row in sheet.rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _alignment(column: Column, texts: Sequence[str]) -> str:
    if column.kind == "number":
        return "r"
    return r"p{0.4\linewidth}" if max(map(len, texts), default=0) > LONG else "l"


def _marks(cell: Cell) -> str:
    """Letters or daggers, above and below the line."""
    parts = []
    for sign, marks in (("^", cell.above), ("_", cell.below)):
        if marks:
            listed = ",".join(_DAGGERS.get(mark, rf"\mathrm{{{mark}}}") for mark in marks.split(" "))
            parts.append(f"{sign}{{{listed}}}")
    return f"${''.join(parts)}$" if parts else ""
