"""Comparisons, studies, diagnoses and gates as sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise.display.of_scores import best
from partwise.display.sheets import Cell, Column, Kind, Sheet, transposed
from partwise.messages import scores as captions
from partwise.messages import studies
from partwise.study.comparison import Comparison, correction_name, test_name
from partwise.study.findings import Findings
from partwise.units import CHARS

BETTER, WORSE = "†", "‡"


P_VALUES = ("p", "p_corrected")
"""The columns of p-values, which are never 0."""


def sheets(findings: Findings, places: int, transpose: bool | None = None) -> list[Sheet]:
    """The tables of findings for people; of a comparison, rows and columns of the first may be swapped."""
    tables = [table(title, rows, places) for title, rows in findings.tables()]
    if isinstance(findings, Comparison):
        first = systems(findings, places)
        return [transposed(first) if transpose else first, *tables[1:]]
    return [transposed(one) if transpose and one.rows else one for one in tables]


def for_notebooks(findings: Findings, places: int) -> list[Sheet]:
    """The tables of findings for notebooks: of a comparison the means with their intervals, and the pairs."""
    if not isinstance(findings, Comparison):
        return sheets(findings, places)
    means = for_papers(findings, places, None, intervals=True)
    pairs = sheets(findings, places)[1:]
    count = sum(len(compared.pairs.run) for compared in findings.measures)
    listed = [one if one.rows else Sheet([], [], caption=studies.PAIRS_IN_ROWS.note(count=count)) for one in pairs]
    return [*means, *listed]


def for_papers(findings: Findings, places: int, transpose: bool | None, intervals: bool = False) -> list[Sheet]:
    """The tables of findings for papers and notebooks: of a comparison the means.

    A comparison with one baseline has daggers, so that runs need no letters.
    """
    if not isinstance(findings, Comparison):
        return [one for one in sheets(findings, places, transpose) if one.rows]
    first = systems(findings, places)
    if intervals:
        first = first._replace(caption=f"{first.caption} {_intervals(findings)}")
    else:
        first = first._replace(rows=[[cell._replace(interval="") for cell in row] for row in first.rows])
    if len(findings.baselines) == 1:
        first = first._replace(columns=first.columns[1:], rows=[row[1:] for row in first.rows])
    return [transposed(first) if transpose else first]


def table(title: str, rows: Sequence[Mapping[str, Any]], places: int) -> Sheet:
    """Rows of named cells: the first columns of texts are labels."""
    names = list(rows[0]) if rows else []
    is_text = {name: all(isinstance(row[name], str) for row in rows) for name in names}
    columns: list[Column] = []
    for name in names:
        kind: Kind = "text" if is_text[name] else "number"
        is_label = is_text[name] and all(column.kind == "label" for column in columns)
        columns.append(Column(name, "label" if is_label else kind))
    cells = [[Cell(_text(cell, places, name)) for name, cell in row.items()] for row in rows]
    heading = title.split("\n") if title else []
    return Sheet(columns, cells, heading, caption=" ".join(heading))


def _text(cell: Any, places: int, name: str = "") -> str:
    """A cell as people read it; a p-value that would be rounded to 0 is below the smallest number shown."""
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return str(cell)
    text = f"{cell:.{places}f}"
    return f"<{10.0**-places:.{places}f}" if name in P_VALUES and cell < 0.5 * 10.0**-places else text


def systems(comparison: Comparison, places: int) -> Sheet:
    """A row per run: means with intervals, the best of each measure, and what is significantly better and worse.

    With one baseline, a dagger marks what is better than it and a double dagger what is worse. With several baselines,
    these are the letters of baselines above and below the line; without any, the letters of all runs that are beaten.
    """
    systems = comparison.systems()
    letter = {row["run"]: row[""] for row in systems}
    baselines = [letter[name] for name in comparison.baselines]
    columns = [Column("", "label"), Column("run", "label")]
    rows = [[Cell(row[""]), Cell(row["run"])] for row in systems]
    for compared in comparison.measures:
        measure = compared.matrix.measure
        columns.append(Column(measure, with_parts=True))
        means = [None if row[measure] == "" else row[measure] for row in systems]
        beaten = {row[""]: row[f"{measure} beats"].split() for row in systems}
        is_best = best(means, compared.matrix.lower)
        for place, row in enumerate(systems):
            above, below = _marks(row[""], beaten, baselines)
            number, interval = _text(means[place], places), row[f"{measure} interval"]
            rows[place].append(Cell(number, is_best[place], interval, row[f"{measure} beats"], above, below))
    [(heading, _), *_] = comparison.tables()
    return Sheet(columns, rows, [heading], caption=_caption(comparison, rows), across="measure")


def _marks(run: str, beaten: Mapping[str, Sequence[str]], baselines: Sequence[str]) -> tuple[str, str]:
    """What is above and below the line after the mean of a run; runs are letters."""
    if not baselines:
        return " ".join(beaten[run]), ""
    better = [baseline for baseline in baselines if baseline in beaten[run]]
    worse = [baseline for baseline in baselines if run in beaten[baseline]]
    if len(baselines) == 1:
        return BETTER if better else WORSE if worse else "", ""
    return " ".join(better), " ".join(worse)


def _intervals(comparison: Comparison) -> str:
    has_intervals = any(row[name] for row in comparison.systems() for name in row if name.endswith(" interval"))
    values = {"confidence": comparison.confidence, "method": comparison.interval}
    return studies.INTERVALS_CAPTION.note(**values) if has_intervals else ""


def _caption(comparison: Comparison, rows: Sequence[Sequence[Cell]]) -> str:
    counts = sorted({len(compared.matrix.queries) for compared in comparison.measures})
    queries = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    test: dict[str, Any] = {"test": test_name(comparison.test), "alpha": comparison.alpha}
    correction = correction_name(comparison.correction)
    test["correction"] = f"{correction} correction" if correction else ""
    sentences: list[str] = [studies.MEANS_CAPTION.note(count=counts[-1], queries=queries)]
    if comparison.unit != CHARS:
        sentences.append(captions.UNIT_CAPTION.note(unit=comparison.unit))
    if any(cell.best for row in rows for cell in row):
        sentences.append(studies.BEST_CAPTION.note())
    if len(comparison.baselines) == 1:
        sentences.append(studies.DAGGERS_CAPTION.note(baseline=comparison.baselines[0], **test))
    elif comparison.baselines:
        sentences.append(studies.BASELINES_CAPTION.note(baselines=", ".join(comparison.baselines), **test))
    elif len(rows) > 1:
        sentences.append(studies.LETTERS_CAPTION.note(**test))
    return " ".join(sentences)
