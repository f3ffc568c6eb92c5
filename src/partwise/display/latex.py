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
TEXT_WIDTH, SMALL_WIDTH = 68, 84
"""The characters in a line of an article: of ordinary size, and of the size of footnotes."""
WRAPPED = 20
"""The characters from which the texts of a wide table wrap."""
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
    """A ``tabular``; letters and daggers are columns of their own, so that numbers stay aligned.

    One that is wider than the text of an article has smaller letters, headings of several lines, and texts that wrap.
    """
    marked = [any(row[i].above or row[i].below for row in sheet.rows) for i in range(len(sheet.columns))]
    is_wide = sum(_widths(sheet, is_wide=False)) > TEXT_WIDTH

    def header(column: Column, is_marked: bool) -> str:
        name = escaped(column.name)
        if is_wide and column.kind == "number" and " " in name:
            name = r"\shortstack[r]{" + name.replace(" ", r" \\ ") + "}"
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

    columns = _alignments(sheet, is_wide)
    aligned = "".join(f"{one}@{{}}l" if is_marked else one for one, is_marked in zip(columns, marked, strict=True))
    return "\n".join(
        [
            *([r"\footnotesize\setlength{\tabcolsep}{3pt}"] if is_wide else []),
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


def _widths(sheet: Sheet, is_wide: bool) -> list[int]:
    """The number of characters of each column and the gap after it."""
    widths = []
    for i, column in enumerate(sheet.columns):
        heading = column.name.split(" ") if is_wide and column.kind == "number" else [column.name]
        texts = [row[i].text + row[i].above + row[i].below for row in sheet.rows]
        widths.append(max(map(len, [*heading, *texts])) + 2)
    return widths


def _alignments(sheet: Sheet, is_wide: bool) -> list[str]:
    """Numbers to the right, texts to the left; the long texts of a wide table share the room that the others leave."""
    widths = _widths(sheet, is_wide)
    texts = {i for i, column in enumerate(sheet.columns) if column.kind != "number"}
    wrapped = {i for i in texts if widths[i] > (WRAPPED if is_wide else LONG)}
    left = max(SMALL_WIDTH - sum(width for i, width in enumerate(widths) if i not in wrapped), SMALL_WIDTH // 3)
    total = sum(widths[i] for i in wrapped)
    shares = {i: 0.4 if not is_wide else left * widths[i] / total / SMALL_WIDTH for i in wrapped}
    return [
        rf"p{{{shares[i]:.2g}\linewidth}}" if i in wrapped else "l" if i in texts else "r" for i in range(len(widths))
    ]


def _marks(cell: Cell) -> str:
    """Letters or daggers, above and below the line."""
    parts = []
    for sign, marks in (("^", cell.above), ("_", cell.below)):
        if marks:
            listed = ",".join(_DAGGERS.get(mark, rf"\mathrm{{{mark}}}") for mark in marks.split(" "))
            parts.append(f"{sign}{{{listed}}}")
    return f"${''.join(parts)}$" if parts else ""
