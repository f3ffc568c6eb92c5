"""The chart of each kind of result, and the charts of scores, slices, gates and diagnoses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from partwise.diagnosis import Diagnosis, DiagnosisSlices
from partwise.errors import PartwiseError
from partwise.messages import report
from partwise.model import ALL
from partwise.report import charts
from partwise.report.charts import (
    COLOURS,
    COLUMNS,
    PANEL,
    ROW,
    altair_package,
    data_of,
    named,
    side_by_side,
    styled,
)
from partwise.scores import Scores, Slices
from partwise.study.assessor_variation import AssessorStudy
from partwise.study.comparison import Comparison
from partwise.study.curve_points import Curves
from partwise.study.discriminative_power import Power
from partwise.study.error_rates import ErrorRate
from partwise.study.gate import Gate
from partwise.study.measure_agreement import Agreement
from partwise.study.perturbation import Perturbation
from partwise.study.query_sets import QuerySets

MOST_QUERIES = 40


def chart_of(results: Any) -> Any:
    """The chart of scores, slices or findings."""
    for kind, draw in _CHARTS.items():
        if isinstance(results, kind):
            return draw(results)
    raise PartwiseError(report.NO_CHART(name=type(results).__name__))


def scores(results: Scores) -> Any:
    """Means: a panel per measure, a row per run, in the order of the runs."""
    alt = altair_package()
    panels = []
    for number, measure in enumerate(results.measures):
        rows = [{"run": block.run_id, "mean": block.aggregate} for block in results.blocks if block.measure == measure]
        axis = alt.Axis(title=None) if number % COLUMNS == 0 else None
        y = alt.Y("run:N", sort=results.run_ids, axis=axis)
        base = alt.Chart(data_of(rows)).encode(y=y, x=alt.X("mean:Q", title=measure))
        marks = base.mark_bar(color="#c9d6e2", height=3) + base.mark_point(
            filled=True, size=70, opacity=1, color=COLOURS[0]
        )
        panels.append(marks.properties(width=PANEL, height=ROW * len(results.run_ids)))
    return styled(side_by_side(panels, COLUMNS))


def slices(results: Slices) -> Any:
    """Means by slice: a panel per measure, a row per slice, a colour and a shape per run."""
    alt = altair_package()
    names, order = results.total.run_ids, [*results, ALL]
    panels = []
    for number, measure in enumerate(results.total.measures):
        rows = [row._asdict() for row in results.rows(queries=False, mean=True) if row.measure == measure]
        style = named("run_id", "run", names)
        axis = alt.Axis(title=None) if number % COLUMNS == 0 else None
        y = alt.Y("slice:N", sort=order, axis=axis)
        points = alt.Chart(data_of(rows)).mark_point(filled=True, size=75, opacity=0.9)
        points = points.encode(y=y, x=alt.X("value:Q", title=measure), color=style["color"], shape=style["shape"])
        panels.append(points.properties(width=PANEL, height=max(80, 28 * len(order))))
    return styled(side_by_side(panels, COLUMNS).resolve_scale(shape="shared"))


def gate(results: Gate) -> Any:
    """The mean before and after the change, a row per check."""
    alt = altair_package()
    names = ["pass", "undecided", "fail"]
    rows = [
        {"check": results.check_name(check), "before": check.baseline, "after": check.value, "result": check.result}
        for check in results.checks
    ]
    order = [row["check"] for row in rows]
    base = alt.Chart(data_of(rows)).encode(y=alt.Y("check:N", sort=order, title=None, axis=alt.Axis(labelLimit=400)))
    color = alt.Color("result:N", title=None, sort=names).scale(domain=names, range=["#0072B2", "#777777", "#D55E00"])
    shape = alt.Shape("result:N", title=None, sort=names).scale(domain=names, range=["circle", "diamond", "cross"])
    x = alt.X("after:Q", title="mean (tick: baseline, shape: change)").scale(zero=False)
    marks = base.mark_tick(thickness=2, color="#333333").encode(x="before:Q")
    marks += base.mark_rule().encode(x="before:Q", x2="after:Q", color=color)
    marks += base.mark_point(filled=True, size=90, opacity=1).encode(x=x, color=color, shape=shape)
    return styled(marks.properties(width=charts.WIDTH, height=28 * len(rows), title=results.summary))


def diagnosis(results: Diagnosis) -> Any:
    """A bar for the mean, and one per query, the worst first."""
    *rows, mean = results.rows()
    worst = sorted(rows, key=lambda row: row["value"])[:MOST_QUERIES]
    few = len(worst) < len(rows)
    subtitle = report.WORST_QUERIES.note(shown=MOST_QUERIES, count=len(rows)) if few else ""
    return _shares(results, {row["query_id"]: row for row in (mean, *worst)}, subtitle)


def diagnosis_slices(results: DiagnosisSlices) -> Any:
    """A bar for the mean of every slice."""
    bars = {name: one.rows()[-1] for name, one in (*results.items(), (ALL, results.total))}
    return _shares(results.total, bars, "")


def _shares(about: Diagnosis, bars: Mapping[str, Mapping[str, Any]], subtitle: str) -> Any:
    """What is shown, and lost to ranking and to chunking, in bars of these names."""
    alt = altair_package()
    parts = {"value": "shown", "lost_to_ranking": "lost to ranking", "lost_to_chunking": "lost to chunking"}
    if about.best is None:
        parts = {"value": "shown"}
    cells = [
        {"bar": bar, "part": title, "share": row[name], "order": place}
        for bar, row in bars.items()
        for place, (name, title) in enumerate(parts.items())
    ]
    color = alt.Color("part:N", title=None, sort=list(parts.values())).scale(
        domain=list(parts.values()), range=["#1f4e79", "#f0b27a", "#bbbbbb"][: len(parts)]
    )
    drawn = alt.Chart(data_of(cells)).mark_bar(stroke="#333333", strokeWidth=0.4)
    drawn = drawn.encode(
        y=alt.Y("bar:N", sort=list(bars), title=None),
        x=alt.X("share:Q", title="share of the relevant text"),
        color=color,
        order="order:Q",
    )
    title = alt.TitleParams(f"{about.measure} of {about.run_id}", subtitle=subtitle)
    return styled(drawn.properties(width=charts.WIDTH, height=ROW * len(bars), title=title))


_CHARTS: dict[type, Callable[[Any], Any]] = {
    Scores: scores,
    Slices: slices,
    Comparison: charts.differences,
    Agreement: charts.agreement,
    ErrorRate: charts.error_rate,
    QuerySets: charts.query_sets,
    Power: charts.power,
    AssessorStudy: charts.assessors,
    Perturbation: charts.perturbation,
    Curves: charts.curves,
    Gate: gate,
    Diagnosis: diagnosis,
    DiagnosisSlices: diagnosis_slices,
}
