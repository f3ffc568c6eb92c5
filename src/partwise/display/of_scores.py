"""Scores and slices as sheets: runs down and measures across, or the other way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partwise.display.sheets import Cell, Column, Sheet
from partwise.later import measures as known_measures
from partwise.messages import scores as messages
from partwise.scores import ALL, EQUAL, Scores, Slices

MANY_MEASURES, FEW_RUNS = 6, 6
"""With more measures than this, and at most this number of runs, measures are rows unless something else is chosen."""


def sheet(scores: Scores | Slices, places: int, transpose: bool | None = None, per_query: bool = False) -> Sheet:
    """Means of the runs, the best of each measure marked; or, per query, all values."""
    total = scores.total if isinstance(scores, Slices) else scores
    runs, measures = total.run_ids, total.measures
    is_down = len(measures) > MANY_MEASURES and len(runs) <= FEW_RUNS if transpose is None else transpose
    is_down = is_down and not per_query
    marks = _marks(total)
    names = [name for name, _ in marks]
    groups: list[tuple[list[str], Scores]] = [([], total)]
    columns: list[Column] = []
    if isinstance(scores, Slices):
        sliced = [*scores.items(), (ALL, total)]
        groups = [([name, str(of_slice.usual_count())], of_slice) for name, of_slice in sliced]
        columns += [Column("slice", "label"), Column("queries", "label")]
    if is_down:
        columns += [Column(name, "label") for name in ("measure", *reversed(names))]
        columns += [Column(run) for run in runs]
    else:
        columns += [Column(name, "label") for name in ("run", *(["query"] if per_query else []))]
        columns += [Column(measure, marks=tuple(of.get(measure, "") for _, of in marks)) for measure in measures]
    rows: list[list[Cell]] = []
    for labels, of_group in groups:
        means: dict[str, dict[str, float]] = {run: {} for run in runs} | of_group.mean()
        if per_query:
            rows += [[*map(Cell, labels), *row] for row in _by_query(of_group, runs, measures, places)]
            continue
        grid = {
            measure: _best_marked(measure, [means[run].get(measure) for run in runs], places) for measure in measures
        }
        if is_down:
            for measure in measures:
                about = [of.get(measure, "") for _, of in reversed(marks)]
                rows.append([*map(Cell, [*labels, measure, *about]), *grid[measure]])
        else:
            for place, run in enumerate(runs):
                rows.append([*map(Cell, [*labels, run]), *(grid[measure][place] for measure in measures)])
    heading = [f"{name}: {cell}" for name, cell in total.common_cells.items()]
    footer = [*scores.summary(), *total.unjudged_text()]
    return Sheet(columns, rows, heading, footer, _caption(scores, total, rows, per_query))


def _marks(scores: Scores) -> list[tuple[str, Mapping[str, str]]]:
    """What is noted of measures: what they score, where some score documents, and their official names."""
    marks: list[tuple[str, Mapping[str, str]]] = []
    if "documents" in scores.kinds.values():
        marks.append(("scores", scores.kinds))
    if scores.official:
        marks.append(("official name", scores.official))
    return marks


def _by_query(scores: Scores, runs: Sequence[str], measures: Sequence[str], places: int) -> list[list[Cell]]:
    by_run, means = scores.per_query(), scores.mean()
    rows = []
    for run in runs:
        values = by_run.get(run, {})
        for query in dict.fromkeys(query for measure in measures for query in values.get(measure, ())):
            numbers = [_number(values.get(measure, {}).get(query), places) for measure in measures]
            rows.append([Cell(run), Cell(query), *map(Cell, numbers)])
        numbers = [_number(means.get(run, {}).get(measure), places) for measure in measures]
        rows.append([Cell(run), Cell(ALL), *map(Cell, numbers)])
    return rows


def _best_marked(measure: str, values: Sequence[float | None], places: int) -> list[Cell]:
    is_best = best(values, known_measures.better_of(measure) == "lower")
    return [Cell(_number(value, places), mark) for value, mark in zip(values, is_best, strict=True)]


def best(values: Sequence[float | None], lower: bool) -> list[bool]:
    """Which values are the best, up to rounding errors; none if all are equal, or if there is only one."""
    present = [value for value in values if value is not None and value == value]
    if not present or max(present) - min(present) <= EQUAL:
        return [False] * len(values)
    limit = min(present) if lower else max(present)
    return [value is not None and abs(value - limit) <= EQUAL for value in values]


def _number(value: float | None, places: int) -> str:
    return "" if value is None else f"{value:.{places}f}"


def _caption(scores: Scores | Slices, total: Scores, rows: Sequence[Sequence[Cell]], per_query: bool) -> str:
    count = total.usual_count()
    sentences: list[str] = []
    if isinstance(scores, Slices):
        sentences.append(messages.SLICES_CAPTION.note(by=scores.by))
    else:
        sentences.append((messages.VALUES_CAPTION if per_query else messages.MEANS_CAPTION).note(count=count))
    sentences += [messages.UNIT_CAPTION.note(unit=unit) for unit in total.common_cells.values()]
    if any(cell.best for row in rows for cell in row):
        sentences.append(messages.BEST_CAPTION.note())
    return " ".join(sentences)
