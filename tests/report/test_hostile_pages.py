"""Every page that partwise writes, opened in a real browser with names and texts that are markup and scripts.

Nothing of them runs, nothing is requested, and they are shown as the texts that they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main
from partwise.errors import visible
from partwise.report import charts
from partwise.study.curve_points import curve_measures
from partwise.tables.text import Text
from support.browsing import SHOWN_TEXT, Visit
from support.scores import scores_of

pytestmark = pytest.mark.slow

PWN = "document.documentElement.dataset.pwned=1"
HOSTILE = {
    "end of script": f"</script><script>{PWN}</script>",
    "comment": f"<!--<script>{PWN}//--><!--</script>",
    "markup": f"<img src=x onerror={PWN}><svg onload={PWN}><a href='javascript:{PWN}'>x</a></svg>\" onfocus={PWN} '",
    "expression": f"javascript:{PWN}//'+({PWN})+' ${{{PWN}}} {{{{{PWN}}}}} datum['x']\u2028{PWN}\u2029",
    "control": "\x00\x01\x1b[31m\x9b31m\x7f\uffff\u202egnp.exe\u2066",
}
QUERIES = [f"q{number}" for number in range(4)]


def hostile_scores(name: str) -> pw.Scores:
    """Two runs, two measures and queries, one of each with a hostile name."""
    return scores_of(
        {
            run: {
                measure: {query + name: (0.1 + number * 0.2 + shift) % 1 for number, query in enumerate(QUERIES)}
                for measure in ("AP", name)
            }
            for shift, run in ((0, "tame"), (0.35, name), (0.5, "third"))
        }
    )


def hostile_evaluation(name: str) -> tuple[Any, Any, Any]:
    qrels = [
        {"query_id": f"q{name}", "doc_id": name, "start": 0, "end": 9, "assessor": assessor}
        for assessor in (name, "tame")
    ]
    qrels += [{"query_id": "r", "doc_id": name, "start": 4, "end": 20, "assessor": "tame"}]
    runs = {
        name: {f"q{name}": [(name, 2, 30)], "r": [(name, 0, 5)]},
        "tame": {f"q{name}": [(name, 0, 9)], "r": [(name, 0, 8)]},
    }
    return qrels, runs, {name: f"Text: {name} and more of it"}


def findings_to_draw(name: str) -> Iterator[tuple[str, Any]]:
    scores = hostile_scores(name)
    qrels, runs, _ = hostile_evaluation(name)
    evaluator = pw.Evaluator(qrels, "TextR TextP")
    yield "differences", pw.compare(scores, trials=10)
    yield "means", pw.compare(scores, trials=10)
    yield "agreement", pw.study.agreement(scores)
    yield "error_rate", pw.study.error_rate(scores, trials=10)
    yield "query_sets", pw.study.queries(scores, trials=5)
    yield "power", pw.study.power(scores, trials=50)
    yield "assessors", pw.study.assessors(evaluator, runs)
    yield "perturbation", pw.study.perturb(evaluator, runs)
    yield "curves", pw.study.curves(pw.evaluate(qrels, runs, curve_measures("budget")), kind="budget")


def looked_at(visit: Visit) -> None:
    """Move over everything that reacts to the pointer, and leave."""
    for mark in visit.page.locator("svg path[aria-roledescription], svg .mark-symbol path").all()[:3]:
        if mark.is_visible():
            mark.hover(force=True)
    assert visit.page.evaluate("document.documentElement.dataset.pwned ?? null") is None
    visit.faults = [fault for fault in visit.faults if not fault.startswith("console: WARN")]  # of Vega, about legends
    assert visit.page.locator("img, iframe, object, [onload], [onerror], [onfocus]").count() == 0
    visit.closes()


@pytest.mark.parametrize("kind", HOSTILE)
def test_charts(browser: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "chart.html"
    for name, findings in findings_to_draw(HOSTILE[kind]):
        charts.write_picture(getattr(charts, name)(findings), path)
        visit = Visit(browser, path, ready="#chart svg")
        if name in ("differences", "agreement", "power"):
            texts = " ".join(visit.page.locator("#chart svg text").all_text_contents())
            expected = visible(HOSTILE[kind])
            assert expected[:20] in texts, (name, texts)
        visit.page.locator("summary").click()
        assert visit.page.locator(".vega-actions a").all_text_contents() == ["Save as SVG", "Save as PNG"]
        looked_at(visit)


def by_commands(name: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Commands that write a page from files with hostile contents."""
    scores = folder / "scores.jsonl"
    rows = [
        dict(zip(("run_id", "measure", "query_id", "value"), row, strict=True)) for row in hostile_scores(name).rows()
    ]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
    qrels, runs, _ = hostile_evaluation(name)
    hostile_file = f"<img src=x onerror={PWN}>"
    (folder / f"{hostile_file}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in qrels))
    for number, run in enumerate(runs.values()):
        lines = [
            {"query_id": query, "doc_id": doc, "start": start, "end": end}
            for query, parts in run.items()
            for doc, start, end in parts
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{hostile_file}{number}.jsonl").write_text(text)
    assessed = [str(folder / f"{hostile_file}{number}.jsonl") for number in ("", 0, 1)]
    (folder / "titles.jsonl").write_text(
        "".join(
            json.dumps({"query_id": query, "title": name, "description": name, "about": name, f"c{name}": number})
            + "\n"
            for number, query in enumerate((f"q{name}", "r"))
        )
    )
    chunks = [{"doc_id": name, "start": start, "end": end} for start, end in ((2, 30), (0, 5), (0, 9), (0, 8))]
    (folder / f"{hostile_file}chunks.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    page = str(folder / "page.html")
    quiet = ["-o", str(folder / "out.tsv")]
    yield "#chart svg", ["compare", str(scores), "--trials", "10", "--plot", page, *quiet]
    yield "#chart svg", ["study", "agreement", str(scores), "--plot", page, *quiet]
    yield "#chart svg", ["study", "curves", *assessed, "--kind", "budget", "--plot", page, *quiet]
    yield "h2", ["report", str(scores), "-o", page, "--title", name.replace("\x00", "")]
    titles = ["--queries", str(folder / "titles.jsonl"), "--by", "about"]
    chunked = ["--chunks", str(folder / f"{hostile_file}chunks.jsonl"), "-k", "1"]
    yield "h2", ["report", *assessed, *titles, *chunked, "-o", page, "--title", "x"]


@pytest.mark.parametrize("kind", HOSTILE)
def test_commands(browser: Any, tmp_path: Path, kind: str) -> None:
    for ready, command in by_commands(HOSTILE[kind], tmp_path):
        assert main(command) == 0, command
        visit = Visit(browser, tmp_path / "page.html", ready=ready)
        if ready == "h2":
            views(visit)
        looked_at(visit)


def views(visit: Visit, saving: bool = False) -> None:
    """Open every view of a report, and save what can be saved."""
    for view in visit.texts("#views a"):
        visit.page.get_by_role("link", name=view, exact=True).click()
        visit.page.wait_for_function(f"document.documentElement.dataset.ready === {view.lower()!r}")
        if view == "Curves":
            visit.shows("#chart-0 svg")
            for mark in visit.page.locator("#chart-0 svg path[aria-roledescription]").all()[:3]:
                mark.hover(force=True)
            visit.page.locator(".runs .entry").first.click()
        if saving:
            saved(visit)
        assert visit.page.evaluate("document.documentElement.dataset.pwned ?? null") is None


def saved(visit: Visit) -> None:
    """Save a table as CSV, and a figure as SVG and PNG, of a view that has any."""
    for kind in ("CSV", "SVG", "PNG"):
        buttons = visit.page.locator(".save", has_text=kind).all()
        for button in [one for one in buttons if one.is_visible()][:1]:
            with visit.page.expect_download() as download:
                button.click()
            content = Path(download.value.path()).read_bytes()
            assert content.startswith(b"\x89PNG") if kind == "PNG" else content
            assert kind != "SVG" or b"<script" not in content
            assert kind != "CSV" or all(not line.startswith((b"=", b"+", b"@")) for line in content.splitlines())


class Whole(pw.Measure):
    """Whether any relevant text is shown."""

    def needs(self) -> list[Text]:
        return [Text()]

    def score(self, text: Any) -> Any:
        return (text.recall(None) > 0).astype(float)


@pytest.mark.parametrize("kind", HOSTILE)
def test_reports_of_runs(browser: Any, tmp_path: Path, kind: str) -> None:
    name = HOSTILE[kind]
    qrels, runs, collection = hostile_evaluation(name)
    measure = type(name.replace("\x00", ""), (Whole,), {"__doc__": f"{name}\n\n{name}"})
    path = tmp_path / "report.html"
    pw.write_report(
        qrels,
        runs,
        path,
        ["iAP", "TextP@1", measure()],
        collection=collection,
        queries=dict.fromkeys((f"q{name}", "r"), name),
        by=["title", "doc:.+"],
        chunks_of={name: {name: [(2, 30), (0, 5)]}},
        k=1,
        title=name,
        assessor="tame",
    )
    visit = Visit(browser, path)
    visit.page.locator("#slices select").select_option(index=1)
    visit.shows(".lead strong")
    views(visit, saving=True)
    visit.shows(".text")
    assert visit.page.evaluate(SHOWN_TEXT) == collection[name]
    heading = visit.page.locator("h1").first.text_content()
    assert heading == visible(name)
    looked_at(visit)


def test_the_report_of_the_demo(browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "<img src=x onerror=document.documentElement.dataset.pwned=1>"
    assert main(["demo", str(folder)]) == 0
    visit = Visit(browser, folder / "report.html")
    views(visit)
    looked_at(visit)
