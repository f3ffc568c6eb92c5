"""Charts, built with Altair and written as SVG, PNG or HTML without the network.

They are readable in grey and by colour-blind people: lines differ in dashes, shapes or labels as well as in colour.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from partwise.errors import PartwiseError, visible
from partwise.files import split_suffixes
from partwise.messages import report
from partwise.outputs import write_bytes
from partwise.report.page import chart_page
from partwise.study import statistics
from partwise.study.assessor_variation import AssessorStudy
from partwise.study.comparison import Compared, Comparison
from partwise.study.curve_points import Curves
from partwise.study.discriminative_power import Power
from partwise.study.error_rates import ErrorRate
from partwise.study.findings import Row, defined
from partwise.study.matrix import EQUAL
from partwise.study.measure_agreement import Agreement
from partwise.study.perturbation import Perturbation
from partwise.study.query_sets import QuerySets, Swaps, bin_names

if TYPE_CHECKING:
    import altair

SUFFIXES = (".svg", ".png", ".html")
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31"]
"""Okabe and Ito's colours, which colour-blind people can distinguish, without yellow: it is too pale for lines."""
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2, 1, 2], [1, 4], [10, 2, 2, 2, 2, 2]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
VERDICTS = ["better", "equal", "worse"]
VERDICT_COLOURS = ["#1f4e79", "#999999", "#f0b27a"]
STATUS_COLOURS = ["#0072B2", "#000000", "#D55E00", "#777777"]
STATUS_SHAPES = ["triangle-up", "diamond", "triangle-down", "circle"]
"""Of what is better, the reference, what is worse, and what does not differ."""
WIDTH, HEIGHT, PANEL = 520, 320, 280
ROW = 18
"""The height of the row of a run."""
COLUMNS = 3
MOST_SIZES = 40
MOST_PAIRS = 6
MOST_PANELS = 12
"""More pairs under one measure, or in all, are not drawn query by query."""
LONGEST_LEGEND = 24
POINTS = 12
"""The number of points of a curve that are marked with a shape."""


def check_picture(path: str | os.PathLike[str]) -> str:
    """The suffix of a picture; an error before any work if such a picture cannot be written."""
    name = os.fspath(path)
    suffix = split_suffixes(os.path.basename(name))[1]
    if suffix not in SUFFIXES:
        raise PartwiseError(report.PICTURE_SUFFIX(suffix=suffix, suffixes=", ".join(SUFFIXES)), file=name)
    altair_package()
    return suffix


def altair_package() -> Any:
    try:
        import altair as alt
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise PartwiseError(report.PICTURE_PACKAGE_MISSING(package=error.name)) from None
    return alt


def write_picture(chart: altair.TopLevelMixin, path: str | os.PathLike[str]) -> None:
    """Write a chart in the format of the suffix, completely or not at all."""
    suffix = check_picture(path)
    write_bytes(path, picture(chart, suffix))


def picture(chart: altair.TopLevelMixin, suffix: str) -> bytes:
    """A chart as bytes of SVG, PNG or a self-contained HTML page."""
    import vl_convert

    spec = _visible(chart.to_dict())
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=2))
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    return chart_page(spec)


def _visible(spec: Any) -> Any:
    """A specification whose texts XML can hold, and with which the library that draws it does not fail.

    The library writes the title of an axis into an expression, where it escapes quotes, but not backslashes.
    """
    if isinstance(spec, dict):
        texts = {name: _visible(value) for name, value in spec.items()}
        if "field" in texts and isinstance(texts.get("title"), str):
            texts["title"] = texts["title"].replace("\\", "\\\\")
        return texts
    if isinstance(spec, list):
        return [_visible(value) for value in spec]
    return visible(spec) if isinstance(spec, str) else spec


# ---- shared by the charts ----------------------------------------------------------------------------------------


def styled(chart: Any, legend: str = "right") -> Any:
    return (
        chart.configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=13, gridColor="#e4e4e4", labelLimit=260)
        .configure_legend(
            orient=legend, labelFontSize=12, titleFontSize=12, symbolSize=90, symbolStrokeWidth=0, labelLimit=260
        )
        .configure_title(fontSize=14, anchor="start")
        .configure_header(labelFontSize=13, titleFontSize=13)
    )


def data_of(rows: Sequence[Row]) -> Any:
    return altair_package().Data(values=list(rows))


def _cycled(values: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """One of these values for each name, starting over when they run out."""
    return [values[i % len(values)] for i in range(len(names))]


def named(field: str, title: str | None, names: Sequence[str]) -> dict[str, Any]:
    """Colour, dashes and shape of lines by name, in one legend."""
    alt = altair_package()
    # When the colours start over, dashes and shapes are shifted by one, so that no two lines look the same.
    dashes = [DASHES[(i + i // len(COLOURS)) % len(DASHES)] for i in range(len(names))]
    shapes = [SHAPES[(i + i // len(COLOURS)) % len(SHAPES)] for i in range(len(names))]
    columns = math.ceil(len(names) / LONGEST_LEGEND)
    legend = alt.Legend(title=title, symbolDash=[1, 0], symbolStrokeWidth=0, columns=columns, symbolLimit=len(names))
    kind = f"{field}:N"
    return {
        "color": alt.Color(kind, title=title, sort=list(names), legend=legend).scale(
            domain=list(names), range=_cycled(COLOURS, names)
        ),
        "strokeDash": alt.StrokeDash(kind, sort=list(names), legend=None).scale(domain=list(names), range=dashes),
        "shape": alt.Shape(kind, title=title, sort=list(names)).scale(domain=list(names), range=shapes),
    }


def _lines(
    rows: Sequence[Row], x: Any, y: Any, by: str, title: str | None, names: Sequence[str], order: str | None = None
) -> Any:
    """Lines by name, with shapes on some of their points and a shared legend."""
    alt = altair_package()
    style = named(by, title, names)
    marked = _marked(rows, by, order)
    lines = (
        alt.Chart(data_of(rows))
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=style["color"], strokeDash=style["strokeDash"])
    )
    shapes = (
        alt.Chart(data_of(marked))
        .mark_point(size=55, filled=True, opacity=1)
        .encode(x=x, y=y, color=style["color"], shape=style["shape"])
    )
    return lines + shapes


def _marked(rows: Sequence[Row], by: str, facet: str | None) -> list[Row]:
    """Evenly spaced points of each line, few enough that their shapes do not cover it."""
    lines: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        lines.setdefault((row[by], row[facet] if facet else None), []).append(row)
    chosen = []
    for line in lines.values():
        step = max(1, math.ceil(len(line) / POINTS))
        chosen += line[::step] if (len(line) - 1) % step == 0 else [*line[::step], line[-1]]
    return chosen


def side_by_side(charts: Sequence[Any], columns: int = 2) -> Any:
    alt = altair_package()
    return charts[0] if len(charts) == 1 else alt.concat(*charts, columns=columns).resolve_scale(color="shared")


# ---- charts ---------------------------------------------------------------------------------------------------


def curves(findings: Curves) -> Any:
    """Precision by recall, effort by gain, gain by rank, or recall by what is read: a line per run."""
    alt = altair_package()
    names = list(dict.fromkeys(row["run_id"] for row in findings.rows()))
    kind = "log" if findings.kind.logarithmic else "linear"
    chart = _lines(
        findings.rows(),
        alt.X("x:Q", title=findings.kind.x, axis=alt.Axis(labelOverlap="greedy", labelSeparation=8)).scale(
            type=kind, nice=not findings.kind.logarithmic
        ),
        alt.Y("y:Q", title=findings.kind.y),
        "run_id",
        "run",
        names,
    )
    return styled(chart.properties(width=WIDTH, height=_height(names)))


def _height(names: Sequence[str]) -> int:
    """A height for lines of these names: that of their legend, if it is longer than a chart."""
    return max(HEIGHT, ROW * min(len(names), LONGEST_LEGEND) + 30)


def differences(findings: Comparison) -> Any:
    """Differences by query, largest first, for every measure and pair of runs; of many pairs the means instead."""
    pairs = [len(compared.pairs.run) for compared in findings.measures]
    if not any(pairs):
        raise PartwiseError(report.ONE_RUN())
    if max(pairs) > MOST_PAIRS or sum(pairs) > MOST_PANELS:
        return means(findings)
    panels = []
    for compared in findings.measures:
        values = statistics.differences(compared.matrix.values, compared.pairs.run, compared.pairs.baseline)
        domain = [float(values.min(initial=0)), float(values.max(initial=0))]  # the same for all pairs of a measure
        small = sum(pairs) > 1
        panels += [_difference(compared, pair, domain, small) for pair in range(len(compared.pairs.run))]
    return styled(side_by_side(panels, 2 if len(panels) <= 4 else 3).resolve_scale(color="shared"))


def _difference(compared: Compared, pair: int, domain: Sequence[float], small: bool) -> Any:
    """The differences of one pair of runs: a bar per query, the largest first."""
    alt = altair_package()
    matrix, pairs = compared.matrix, compared.pairs
    run, baseline = int(pairs.run[pair]), int(pairs.baseline[pair])
    values = [
        0.0 if abs(value) <= EQUAL else value for value in (matrix.values[run] - matrix.values[baseline]).tolist()
    ]
    ordered = sorted(zip(values, matrix.queries, strict=True), key=lambda item: (-item[0], item[1]))
    rows = [
        {"place": place, "query": query, "difference": value, "verdict": _verdict(value, matrix.lower)}
        for place, (value, query) in enumerate(ordered, 1)
    ]
    counts = f"better {pairs.wins[pair]}, equal {pairs.ties[pair]}, worse {pairs.losses[pair]}"
    subtitle = [matrix.runs[run], f"minus {matrix.runs[baseline]}", counts]
    title = alt.TitleParams(matrix.measure, subtitle=subtitle, limit=PANEL if small else WIDTH)
    x = (
        alt.X("query:N", sort=[row["query"] for row in rows], title="query")
        if len(rows) <= (40 if not small else 20)
        else alt.X("place:O", title="queries, by difference", axis=alt.Axis(labels=False, ticks=False))
    )
    better = "lower" if matrix.lower else "higher"
    return (
        alt.Chart(data_of(rows))
        .mark_bar(stroke="#333333", strokeWidth=0.4)
        .encode(
            x=x,
            y=alt.Y("difference:Q", title=["difference", f"({better} is better)"]).scale(domain=domain),
            color=alt.Color("verdict:N", title=None, sort=VERDICTS).scale(domain=VERDICTS, range=VERDICT_COLOURS),
        )
        .properties(width=PANEL if small else WIDTH, height=HEIGHT // 2, title=title)
    )


def means(findings: Comparison) -> Any:
    """Means with intervals, a panel per measure and a row per run; shapes show what differs significantly.

    Runs are compared with the baseline (the first, if there are several), or with the best run of each measure.
    """
    alt = altair_package()
    order = _by_mean(findings)
    reference = findings.baselines[0] if findings.baselines else "the best run"
    statuses = [reference, f"better than {reference}", f"worse than {reference}", "not significantly different"]
    if not findings.baselines:
        statuses.remove(f"better than {reference}")
    styles = dict(zip((f"better than {reference}", statuses[0], *statuses[-2:]), range(4), strict=True))
    panels = []
    for number, compared in enumerate(findings.measures):
        matrix, beaten = compared.matrix, compared.beaten()
        goodness = -matrix.means if matrix.lower else matrix.means
        other = matrix.runs.index(reference) if findings.baselines else int(goodness.argmax())
        rows = []
        for run, name in enumerate(matrix.runs):
            status = statuses[-1]
            if run == other:
                status = statuses[0]
            elif other in beaten[run]:
                status = f"better than {reference}"
            elif run in beaten[other]:
                status = f"worse than {reference}"
            low, high = (defined(edge[run]) for edge in (compared.low, compared.high))
            rows.append({"run": name, "mean": float(matrix.means[run]), "low": low, "high": high, "status": status})
        axis = alt.Axis(labels=True, title=None) if number % COLUMNS == 0 else None
        base = alt.Chart(data_of(rows)).encode(y=alt.Y("run:N", sort=order, axis=axis))
        color = alt.Color("status:N", title=None, sort=statuses).scale(
            domain=statuses, range=[STATUS_COLOURS[styles[one]] for one in statuses]
        )
        shape = alt.Shape("status:N", title=None, sort=statuses).scale(
            domain=statuses, range=[STATUS_SHAPES[styles[one]] for one in statuses]
        )
        x = alt.X("low:Q", title=f"{matrix.measure} ({'lower' if matrix.lower else 'higher'} is better)").scale(
            zero=False
        )
        parts = base.mark_rule(strokeWidth=1.5).encode(x=x, x2="high:Q", color=color)
        parts += base.mark_point(size=70, filled=True, opacity=1).encode(x="mean:Q", color=color, shape=shape)
        mean = [{"mean": float(matrix.means[other])}]
        parts = alt.Chart(data_of(mean)).mark_rule(color="#999999", strokeDash=[3, 3]).encode(x="mean:Q") + parts
        panels.append(parts.properties(width=PANEL, height=ROW * len(order)))
    count = sum(len(compared.pairs.run) for compared in findings.measures)
    title = alt.TitleParams(
        report.MEANS_OF_RUNS.note(runs=len(order), measure=findings.measures[0].matrix.measure),
        subtitle=report.MANY_PAIRS.note(pairs=count, confidence=findings.confidence),
    )
    chart = side_by_side(panels, COLUMNS).resolve_scale(color="shared", shape="shared")
    return styled(chart.properties(title=title), legend="top")


def _by_mean(findings: Comparison) -> list[str]:
    """The runs by their means under the first measure, the best first; those without it last."""
    first = findings.measures[0].matrix
    ranked = sorted(range(len(first.runs)), key=lambda run: first.means[run] * (1 if first.lower else -1))
    best = [first.runs[run] for run in ranked]
    return [*best, *(name for name in findings.run_ids if name not in best)]


def _verdict(value: float, lower: bool) -> str:
    return VERDICTS[1] if value == 0 else VERDICTS[0] if (value > 0) != lower else VERDICTS[2]


def agreement(findings: Agreement) -> Any:
    """A heatmap of tau between measures, labelled with the values."""
    alt = altair_package()
    names = [matrix.measure for matrix in findings.matrices]
    cells = [{"a": name, "b": name, "tau": 1.0} for name in names]
    for row in findings.rows():
        cells += [
            {"a": row["measure"], "b": row["other"], "tau": row["tau"]},
            {"a": row["other"], "b": row["measure"], "tau": row["tau"]},
        ]
    cells = [{**cell, "label": "" if cell["tau"] is None else f"{cell['tau']:.2f}"} for cell in cells]
    base = alt.Chart(data_of(cells)).encode(
        x=alt.X("a:N", sort=names, title=None, axis=alt.Axis(labelAngle=-45)), y=alt.Y("b:N", sort=names, title=None)
    )
    squares = base.mark_rect().encode(
        color=alt.Color("tau:Q", title="tau").scale(domain=[-1, 0, 1], range=["#a04000", "#ffffff", "#1f3a5f"])
    )
    labels = base.mark_text(fontSize=12).encode(
        text="label:N", color=alt.condition("abs(datum.tau) > 0.55", alt.value("white"), alt.value("black"))
    )
    step = 52
    return styled((squares + labels).properties(width=step * len(names), height=step * len(names)))


def error_rate(findings: ErrorRate) -> Any:
    """Error rate against ties, a labelled point per measure."""
    alt = altair_package()
    rows = [{**row, "error": 100 * row["error_rate"], "tied": 100 * row["ties"]} for row in findings.rows()]
    names = [row["measure"] for row in rows]
    style = named("measure", "measure", names)
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X("tied:Q", title="ties, %").scale(zero=False, padding=30),
        y=alt.Y("error:Q", title="error rate, %").scale(zero=True),
    )
    points = base.mark_point(size=110, filled=True, opacity=1).encode(color=style["color"], shape=style["shape"])
    labels = base.mark_text(align="left", dx=9, dy=-6, fontSize=12).encode(text="measure:N")
    return styled((points + labels).properties(width=WIDTH, height=HEIGHT))


def query_sets(findings: QuerySets, bins: int = 8) -> Any:
    """Swap rates by number of queries and size of the difference; extrapolations are thin dotted lines."""
    alt = altair_package()
    order = bin_names()
    charts = []
    for swaps in findings.swaps:
        names = [name for i, name in enumerate(order) if swaps.comparisons[:, i].any()][:bins]
        observed = [
            {"difference": name, "queries": size, "percent": 100 * rate}
            for name in names
            for size, rate in _pooled(swaps, order.index(name))
        ]
        fitted = [
            {"difference": name, "queries": size, "percent": 100 * rate}
            for name in names
            for size in _steps(int(swaps.sizes[-1]), max(findings.projected, default=0))
            if not math.isnan(rate := swaps.extrapolated(size, order.index(name)))
        ]
        x = alt.X("queries:Q", title="queries in a set")
        y = alt.Y("percent:Q", title="swaps, %").scale(domain=[0, 50], clamp=True)
        chart = _lines(observed, x, y, "difference", "difference", names)
        if fitted:
            style = named("difference", "difference", names)
            chart += (
                alt.Chart(data_of(fitted))
                .mark_line(strokeWidth=1, strokeDash=[1, 3])
                .encode(x=x, y=y, color=style["color"])
            )
        limit = alt.Chart(data_of([{"percent": 100 * findings.error}])).mark_rule(color="#555555").encode(y=y)
        charts.append(
            (chart + limit).properties(width=WIDTH, height=HEIGHT, title=f"{swaps.measure} (dotted: extrapolated)")
        )
    return styled(side_by_side(charts))


def _pooled(swaps: Swaps, bin: int) -> list[tuple[float, float]]:
    """Sizes with their swap rates; neighbouring sizes are pooled if there are too many for a picture."""
    step = math.ceil(len(swaps.sizes) / MOST_SIZES)
    rates = []
    for first in range(0, len(swaps.sizes), step):
        pool = slice(first, first + step)
        count = int(swaps.comparisons[pool, bin].sum())
        if count:
            rates.append((float(swaps.sizes[pool].mean()), int(swaps.swaps[pool, bin].sum()) / count))
    return rates


def _steps(first: int, last: int, count: int = 40) -> list[int]:
    return sorted({first + round(i * (last - first) / count) for i in range(count + 1)}) if last > first else []


def power(findings: Power) -> Any:
    """Achieved significance levels of all pairs, in descending order; the lower the curve, the more discriminative."""
    alt = altair_package()
    names = [of.matrix.measure for of in findings.levels]
    x, y = alt.X("pair:Q", title="pairs of runs, by p-value"), alt.Y("p:Q", title="achieved significance level (p)")
    chart = _lines(findings.curve(), x, y, "measure", "measure", names)
    limit = alt.Chart(data_of([{"p": findings.alpha}])).mark_rule(color="#555555").encode(y=y)
    return styled((chart + limit).properties(width=WIDTH, height=HEIGHT))


def assessors(findings: AssessorStudy) -> Any:
    """The official score of every run, with a bar from its lowest to its highest over all combinations of assessors."""
    alt = altair_package()
    charts = []
    spread = findings.spread()
    for measure, scope in dict.fromkeys((row["measure"], row["scope"]) for row in spread):
        rows = [row for row in spread if (row["measure"], row["scope"]) == (measure, scope)]
        order = [row["run"] for row in sorted(rows, key=lambda row: -row["official"])]
        base = alt.Chart(data_of(rows)).encode(y=alt.Y("run:N", sort=order, title=None))
        bars = base.mark_rule(strokeWidth=1.5, color="#333333").encode(
            x=alt.X("low:Q", title=measure).scale(zero=False), x2="high:Q"
        )
        official = base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(x="official:Q")
        mean = base.mark_point(shape="diamond", size=90, color=COLOURS[1], opacity=1).encode(x="mean:Q")
        title = alt.TitleParams(f"{measure}, {scope}", subtitle="dot: official, diamond: mean, line: lowest to highest")
        charts.append((bars + official + mean).properties(width=PANEL, height=ROW * len(rows), title=title))
    return styled(side_by_side(charts))


def perturbation(findings: Perturbation) -> Any:
    """Means by number of irrelevant results inserted, a line per measure; a chart for each run and place."""
    alt = altair_package()
    rows = findings.rows()
    names = list(dict.fromkeys(row["measure"] for row in rows))
    charts = []
    places = list(dict.fromkeys((row["run_id"], row["place"]) for row in rows))
    few = len(places) <= 4
    width, height = (WIDTH // 4 * 3, HEIGHT) if few else (PANEL, HEIGHT // 2)
    for run, place in places:
        of = [row for row in rows if (row["run_id"], row["place"]) == (run, place)]
        title = f"{run}: {'before rank 1' if place == 'before' else 'between ranks 1 and 2'}"
        ticks = sorted({row["inserted"] for row in of})
        axis = alt.Axis(values=ticks, labelOverlap="greedy")
        x = alt.X("inserted:Q", title="irrelevant results inserted", axis=axis).scale(type="symlog")
        chart = _lines(of, x, alt.Y("mean:Q", title="mean"), "measure", "measure", names)
        charts.append(chart.properties(width=width, height=height, title=title))
    return styled(side_by_side(charts, 2 if few else 4))
