"""Charts: written without the network, in three formats, and readable in grey."""

from __future__ import annotations

import math
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.cli import main
from partwise.errors import visible
from partwise.report import charts
from partwise.study.curve_points import KINDS, curve_measures
from support.commands import STUDIES
from support.paths import FILES
from support.scores import DOUBLE, double_runs, one_measure, scores_of


def many_scores(runs: int = 4, queries: int = 20) -> pw.Scores:
    chance = np.random.default_rng(0)
    names = ["m1", "m2"]
    base = chance.random(queries)
    return scores_of(
        {
            f"run{r}": {
                m: {f"t{t}": float(base[t] + r / 20 + chance.random() / 4) for t in range(queries)} for m in names
            }
            for r in range(runs)
        }
    )


def all_charts() -> dict[str, Any]:
    scores = many_scores()
    evaluator = pw.Evaluator(DOUBLE, "TextR TextP")
    curve = pw.evaluate(*map(str, FILES[:2]), curve_measures("budget"))
    recall = pw.evaluate(FILES[0], FILES[1:], curve_measures("recall-precision"))
    return {
        "differences": charts.differences(pw.compare(scores, baseline="run0", trials=10)),
        "differences of many queries": charts.differences(pw.compare(many_scores(2, 60), trials=10)),
        "agreement": charts.agreement(pw.study.agreement(scores)),
        "error rate": charts.error_rate(pw.study.error_rate(scores)),
        "queries": charts.query_sets(pw.study.queries(scores, trials=5)),
        "power": charts.power(pw.study.power(scores, trials=50)),
        "assessors": charts.assessors(pw.study.assessors(evaluator, double_runs())),
        "perturbation": charts.perturbation(pw.study.perturb(evaluator, double_runs())),
        "budget": charts.curves(pw.study.curves(curve, kind="budget")),
        "recall-precision": charts.curves(pw.study.curves(recall, kind="recall-precision")),
    }


def test_every_chart_is_drawn_in_every_format(tmp_path: Path) -> None:
    for name, chart in all_charts().items():
        charts.write_picture(chart, tmp_path / "a.svg")
        svg = (tmp_path / "a.svg").read_text()
        assert svg.startswith("<svg"), name
        assert not re.search(r"NaN|undefined|Infinity", svg), name
        charts.write_picture(chart, tmp_path / "a.png")
        png = (tmp_path / "a.png").read_bytes()
        assert png.startswith(b"\x89PNG"), name
        width, height = struct.unpack(">II", png[16:24])
        assert min(width, height) > 200, name
    charts.write_picture(chart, tmp_path / "a.html")
    html = (tmp_path / "a.html").read_text()
    assert "<script src=" not in html  # everything is in the page
    assert "vegaEmbed" in html


def strokes(svg: str) -> list[tuple[str, str]]:
    """Colour and dashes of every line."""
    strokes_of_lines = []
    for path in re.findall(r"<path[^>]*aria-roledescription=\"line mark\"[^>]*>", svg):
        colour = re.search(r'stroke="([^"]+)"', path)
        dash = re.search(r'stroke-dasharray="([^"]+)"', path)
        strokes_of_lines.append((colour.group(1) if colour else "", dash.group(1) if dash else ""))
    return strokes_of_lines


def test_lines_differ_in_more_than_colour() -> None:
    """Ten runs: no two lines have the same dashes and colour, and the first eight all have their own dashes."""
    qrels = {"t": [("d", 0, 1000)]}
    runs = {f"run{i}": {"t": [("d", 100 * i, 100 * i + 150), ("d", 0, 50 + 90 * i)]} for i in range(10)}
    chart = charts.curves(pw.study.curves(pw.evaluate(qrels, runs, curve_measures("budget")), kind="budget"))
    svg = charts.picture(chart, ".svg").decode()
    lines = strokes(svg)
    assert len(lines) == 10
    assert len(set(lines)) == 10
    assert len({dash for _, dash in lines[:8]}) == 8
    assert len(set(re.findall(r'aria-roledescription="point"[^>]* d="([^"]+)"', svg))) == 8


def test_extrapolations_are_marked() -> None:
    svg = charts.picture(charts.query_sets(pw.study.queries(many_scores(), trials=5)), ".svg").decode()
    assert "extrapolated" in svg


def test_the_heatmap_is_labelled_with_its_values() -> None:
    scores = scores_of({r: {"iAP": {"t": v}, "AP": {"t": v}} for r, v in (("a", 0.1), ("b", 0.2))})
    svg = charts.picture(charts.agreement(pw.study.agreement(scores)), ".svg").decode()
    assert svg.count(">1.00<") == 4


def test_commands_write_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("compare", "agreement", "error-rate", "power", "perturb", "curves-table")):
        assert main([*STUDIES[name], "--plot", f"{number}.svg", "-o", f"{number}.txt", "-f", "tsv"]) == 0
        assert Path(f"{number}.svg").read_text().startswith("<svg")
    assert main([*STUDIES["queries-table"], "--plot", "queries.png", "-o", "t.txt"]) == 0
    assert Path("queries.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in ("effort-precision", "gain", "normalised-gain")]
)
def test_curves_of_passages(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "c.svg"
    assert main(["study", "curves", *FILES, "--kind", kind, "--plot", str(path), "-o", str(tmp_path / "c.tsv")]) == 0
    assert KINDS[kind].counted("chars").x in path.read_text()


@pytest.mark.parametrize("kind", ["effort-precision", "gain", "normalised-gain"])
def test_curves_of_elements(kind: str, tmp_path: Path) -> None:
    from support.xcg import COLLECTION, QUERY, RUNS, grade_rows, in_doc

    runs = {name: {QUERY: in_doc(paths)} for name, paths in RUNS.items()}
    scores = pw.evaluate(grade_rows(), runs, curve_measures(kind), collection=COLLECTION)
    points = pw.study.curves(scores, kind=kind)
    charts.write_picture(charts.curves(points), tmp_path / "c.svg")
    ideal = [row["y"] for row in points.rows() if row["run_id"] == "ideal"]
    if kind == "gain":
        assert ideal[:3] == pytest.approx([1.0, 1.5, 1.5])
    else:
        assert ideal == pytest.approx([1.0] * len(ideal))


def test_a_picture_of_one_run_is_an_error() -> None:
    with pytest.raises(pw.PartwiseError) as error:
        charts.differences(pw.compare(one_measure(a=[0.1, 0.2])))
    assert str(error.value) == "there is only one run; give at least two, to compare them with each other"


def many_runs(count: int, measures: int, queries: int = 30) -> pw.Scores:
    chance = np.random.default_rng(4)
    names = [f"m{m}" for m in range(measures)]
    return scores_of(
        {
            f"a-run-{r:02d}": {m: {f"t{t}": r / 50 + chance.random() / 3 for t in range(queries)} for m in names}
            for r in range(count)
        }
    )


def size_of(chart: Any) -> tuple[int, int]:
    return struct.unpack(">II", charts.picture(chart, ".png")[16:24])  # type: ignore[return-value]


@pytest.mark.parametrize(("runs", "measures", "baseline"), [(60, 1, None), (60, 6, "a-run-30"), (24, 6, None)])
def test_many_pairs_are_drawn_as_means(runs: int, measures: int, baseline: str | None) -> None:
    """A row per run, a panel per measure; the picture grows, and says what is not drawn."""
    chart = pw.compare(many_runs(runs, measures), baseline=baseline, test="t").plot()
    svg = charts.picture(chart, ".svg").decode()
    rows_of_panels = math.ceil(measures / 3)
    for run in range(runs):
        assert svg.count(f">a-run-{run:02d}<") == rows_of_panels + (f"a-run-{run:02d}" == baseline)
    assert f"Means of {runs} runs, in the order of m0" in svg
    assert "are too many to be drawn query by query" in svg
    assert size_of(chart)[1] > 2 * charts.ROW * runs * rows_of_panels
    marks = [f"better than {baseline}", f"worse than {baseline}"] if baseline else ["worse than the best run"]
    assert all(f">{mark}<" in svg for mark in marks)


def test_few_pairs_are_small_multiples() -> None:
    """Bars of the same measure have the same axis."""
    chart = pw.compare(many_runs(3, 2), test="t").plot()
    panels = chart.to_dict()["concat"]
    assert len(panels) == 6
    domains = [panel["encoding"]["y"]["scale"]["domain"] for panel in panels]
    assert panels[0]["encoding"]["y"]["title"] == [
        "difference",
        "(higher is better)",
    ]  # one line is longer than the axis
    assert domains[0] == domains[1] == domains[2] != domains[3]
    assert [panel["title"]["subtitle"][:2] for panel in panels[:3]] == [
        ["a-run-01", "minus a-run-00"],
        ["a-run-02", "minus a-run-00"],
        ["a-run-02", "minus a-run-01"],
    ]


def rows_in(spec: Any) -> Iterator[dict[str, Any]]:
    """The rows of all data in a specification."""
    if isinstance(spec, dict):
        yield from spec["values"] if isinstance(spec.get("values"), list) else ()
    for part in spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ():
        yield from rows_in(part)


def test_the_means_show_what_compare_decides() -> None:
    comparison = pw.compare(many_runs(15, 1), baseline="a-run-07", test="t")
    rows = [row for row in comparison.rows() if row["baseline"]]
    spec = comparison.plot().to_dict()
    shown = {row["run"]: row["status"] for row in rows_in(spec) if "status" in row}
    for row in rows:
        expected = "better" if row["difference"] > 0 else "worse"
        expected = f"{expected} than a-run-07" if row["significant"] == "yes" else "not significantly different"
        assert shown[row["run_id"]] == expected
    assert {"better than a-run-07", "worse than a-run-07"} <= set(shown.values())


def test_negative_agreement_has_a_colour_of_its_own() -> None:
    scores = scores_of({r: {"iAP": {"t": v}, "AP": {"t": 1 - v}} for r, v in (("a", 0.1), ("b", 0.2))})
    svg = charts.picture(pw.study.agreement(scores).plot(), ".svg").decode()
    assert svg.count(">-1.00<") == 2 or svg.count(">−1.00<") == 2
    assert "rgb(160, 64, 0)" in svg


def test_charts_of_scores_slices_gates_and_diagnoses() -> None:
    scores = many_runs(3, 4)
    gold, chunks = {"q1": [("d", 40, 60)], "q2": [("d", 120, 140)]}, {"d": [(0, 50), (50, 100), (100, 150)]}
    run = {"q1": [("d", 0, 50)], "q2": [("d", 50, 100), ("d", 100, 150)]}
    drawn = {
        "a-run-02": scores.plot(),
        "odd": scores.by({f"t{t}": "odd" if t % 2 else "even" for t in range(30)}).plot(),
        "floor m0=0.1": pw.gate(scores["a-run-00"], scores["a-run-01"], floor={"m0": 0.1}).plot(),
        "lost to ranking": pw.diagnose(gold, run, chunks, k=1).plot(),
        "shown": pw.diagnose(gold, run, k=1).plot(),
    }
    for text, chart in drawn.items():
        svg = charts.picture(chart, ".svg").decode()
        assert f">{text}<" in svg
        assert not re.search(r"NaN|undefined|Infinity", svg), text
    with pytest.raises(pw.PartwiseError, match="there is no chart of Selected; draw what it was selected from"):
        pw.compare(scores, trials=10).filter(measure="m0").plot()


def test_a_missing_extra_is_one_line_before_any_work(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['altair'] = None\n"
        "from partwise.cli import main\n"
        f"sys.exit(main(['compare', 'missing.txt', 'missing.run', '--plot', {str(tmp_path / 'a.svg')!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "pictures need altair, which is not installed; run pip install 'partwise[report]'\n"


@pytest.mark.parametrize("measure", ["\x01", "a\\x01", "c:\\temp\\new", "a\\"])
def test_backslashes_in_the_titles_of_axes(measure: str, tmp_path: Path) -> None:
    values = {f"t{number}": number / 10 for number in range(5)}
    compared = pw.compare(scores_of({run: {"iAP": values, measure: values} for run in "abcdef"}), trials=10)
    charts.write_picture(charts.means(compared), tmp_path / "a.png")
    charts.write_picture(charts.means(compared), tmp_path / "a.svg")
    assert f'aria-label="{visible(measure)} (higher is better)' in (tmp_path / "a.svg").read_text()
