"""The report in a real browser, opened from disk."""

from __future__ import annotations

import csv
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import partwise as pw
from support.browsing import SHOWN_TEXT, Visit
from support.reports import HOSTILE, HOSTILE_TEXT, MEASURES, NUGGETS, demo_chunks, demo_queries, hostile_page

pytestmark = pytest.mark.slow

DEMO = pw.demo()
AXE = Path(os.environ.get("PARTWISE_AXE", Path(sys.prefix) / "npm/node_modules/axe-core/axe.min.js"))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "demo.html"
    pw.write_report(
        DEMO.qrels, DEMO.runs, path, MEASURES, collection=DEMO.collection, queries=demo_queries(),
        by=["about", "grade"], chunks_of={"chunks": demo_chunks()},
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def nuggets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "nuggets.html"
    options = {"collection": DEMO.collection, "queries": DEMO.folder / "topics.jsonl"}
    pw.write_report(NUGGETS, DEMO.runs, path, "NuggetR@3 TextP@3", **options)
    return path


@pytest.fixture
def visit(browser: Any, report: Path) -> Iterator[Visit]:
    visit = Visit(browser, report)
    yield visit
    visit.closes()


def test_the_leaderboard_sorts(visit: Visit) -> None:
    means = pw.evaluate(DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection).mean()

    def runs() -> list[str]:
        return [text.split()[-1] for text in visit.texts(".board tbody th")]

    assert runs() == list(means)
    visit.page.get_by_role("button", name="iAP", exact=True).click()
    assert runs() == sorted(means, key=lambda run: -means[run]["iAP"])
    assert visit.page.locator('[aria-sort="descending"]').inner_text() == "iAP\ntext"
    visit.page.get_by_role("button", name="iAP", exact=True).click()
    assert runs() == sorted(means, key=lambda run: means[run]["iAP"])
    visit.page.get_by_role("button", name="Redundancy@10").click()
    assert means[runs()[0]]["Redundancy@10"] == 0, "if lower is better, the lowest value is first"
    visit.page.get_by_role("button", name="run", exact=True).click()
    assert runs() == sorted(means)


def test_curves_switch_and_isolate_runs(visit: Visit) -> None:
    visit.page.get_by_role("link", name="Curves").click()
    visit.shows("#chart-0 svg")
    assert visit.page.locator(".chart svg").count() == 4
    lines = "#chart-0 svg .mark-line path"
    opacity = f"[...document.querySelectorAll('{lines}')].map(line => line.getAttribute('opacity') ?? '1')"
    assert visit.texts(".runs .entry") == list(DEMO.runs)
    assert visit.page.locator(lines).count() == 6
    visit.page.get_by_role("checkbox", name="show careless").uncheck()
    visit.page.wait_for_function(f"document.querySelectorAll('{lines}').length === 5")
    visit.page.get_by_role("button", name="sections", exact=True).click()
    visit.page.wait_for_function(f"{opacity}.filter(x => x === '1').length === 1")
    assert "only=sections" in visit.page.url
    assert visit.page.get_by_role("button", name="sections", exact=True).get_attribute("aria-pressed") == "true"
    visit.page.get_by_role("button", name="sections", exact=True).click()
    visit.page.wait_for_function(f"{opacity}.every(x => x === '1')")
    visit.page.locator("summary").first.click()
    assert visit.page.locator("details table").first.is_visible()


def test_24_runs_look_different(browser: Any, tmp_path: Path) -> None:
    runs = {f"run{i}": list(DEMO.runs.values())[i % 6] for i in range(24)}
    pw.write_report(DEMO.qrels, runs, tmp_path / "many.html", "iAP", collection=DEMO.collection)
    visit = Visit(browser, tmp_path / "many.html", "#view=curves")
    visit.shows("#chart-0 svg")
    looks = visit.page.eval_on_selector_all(
        ".runs .entry svg",
        "all => all.map(svg => [svg.children[0].getAttribute('stroke'),"
        " svg.children[0].getAttribute('stroke-dasharray'), svg.children[1].getAttribute('d')])",
    )
    assert len({tuple(look) for look in looks}) == 24
    assert len({(colour, dash) for colour, dash, _ in looks}) == 24
    assert len({(colour, shape) for colour, _, shape in looks}) == 18, "three turns of six shapes"
    drawn = visit.page.eval_on_selector_all(
        "#chart-0 svg .mark-line path",
        "all => all.map(line => [line.getAttribute('stroke'), line.getAttribute('stroke-dasharray')])",
    )
    assert [colour for colour, _ in drawn] == [colour for colour, _, _ in looks]
    visit.closes()


def test_a_value_of_the_heatmap_opens_its_query(visit: Visit) -> None:
    visit.page.get_by_role("link", name="Queries").click()
    visit.shows(".heat")
    assert visit.page.locator(".heat tbody tr").count() == 11
    visit.page.get_by_role("link", name="query set-honey, sections:").click()
    visit.shows("h2", "Query set-honey")
    assert visit.page.locator(".pane > h2").inner_text() == "sections"
    assert "query=set-honey" in visit.page.url
    assert "run=sections" in visit.page.url


def test_queries_are_searched_and_compared(visit: Visit) -> None:
    visit.page.keyboard.press("/")
    visit.shows("#find")
    visit.page.wait_for_function("document.activeElement.id === 'find'")
    visit.page.keyboard.type("honey")
    visit.shows('[role="status"]', "2 of 11 queries")
    assert visit.texts(".heat tbody th") == ["set-honey: crystallised honey", "water: water content of honey"]
    visit.page.get_by_label("Compare").select_option("sections")
    visit.page.get_by_label("with", exact=True).select_option("chunks")
    visit.shows("h3", "sections against chunks")
    numbers = [float(text) for text in visit.texts(".differences .number")]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 2


def test_the_table_of_queries_shows_all_runs_or_a_hint_at_more(browser: Any, report: Path, tmp_path: Path) -> None:
    box = ".split .scroll"
    few = Visit(browser, report, "#view=queries")
    few.shows(".heat")
    assert few.page.eval_on_selector(box, "box => box.scrollWidth <= box.clientWidth")
    assert few.page.locator(".more-right").count() == 0
    few.closes()
    runs = {f"{name}{i}": run for i in range(3) for name, run in DEMO.runs.items()}
    pw.write_report(DEMO.qrels, runs, tmp_path / "many.html", "iAP", collection=DEMO.collection)
    more = Visit(browser, tmp_path / "many.html", "#view=queries")
    more.shows(f"{box}.more-right")
    more.page.eval_on_selector(box, "box => { box.scrollLeft = box.scrollWidth }")
    more.page.wait_for_function("document.querySelectorAll('.more-right').length === 0")
    query = more.page.locator(".heat tbody th").first
    assert query.bounding_box()["x"] >= 0, "the query stays visible"
    more.page.set_viewport_size({"width": 2600, "height": 900})
    more.page.set_viewport_size({"width": 500, "height": 900})
    more.page.eval_on_selector(box, "box => { box.scrollLeft = 0 }")
    more.shows(f"{box}.more-right")
    more.closes()


def test_labels_of_an_axis_do_not_touch(visit: Visit) -> None:
    visit.page.get_by_role("link", name="Curves").click()
    visit.shows("#chart-3 svg")
    for chart in range(4):
        boxes = visit.page.eval_on_selector_all(
            f"#chart-{chart} .role-axis-label text",
            """labels => labels.filter(l => l.getAttribute('opacity') !== '0').map(l => l.getBoundingClientRect())
                .filter(r => r.width > 0).map(r => [r.left, r.right, r.top, r.bottom])""",
        )
        assert len(boxes) > 5
        for i, (left, right, top, bottom) in enumerate(boxes):
            for other in boxes[:i]:
                beside = left >= other[1] + 4 or other[0] >= right + 4
                assert beside or top >= other[3] - 1 or other[2] >= bottom - 1, (chart, boxes)


def test_cells_of_a_row_are_on_one_line(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, "#view=explorer&query=set-honey&run=articles&doc=honey")
    visit.shows(".text .cell")
    rows = [" ".join(p.inner_text().split()) for p in visit.page.locator(".text p:has(.cell)").all()]
    assert [row.replace("▸1", "").replace("1◂", "").strip() for row in rows][:2] == ["fructose 38", "glucose 31"]
    visit.closes()


def test_a_link_leads_to_the_same_place(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, "#query=no-swarms&run=careless&doc=swarming&rank=6")
    chosen = visit.shows('.result[aria-current="true"]')
    assert chosen.count() == 1
    assert "/article[1]/body[1]/section[3]" in chosen.inner_text()
    assert visit.page.locator(".document h3").first.inner_text().startswith("swarming")
    assert visit.page.locator(".text mark").count() > 3
    visit.closes()
    lost = Visit(browser, report, "#query=nowhere&run=nobody&rank=x")
    lost.shows("h2", "Overview")
    lost.closes()


def test_stepping_by_keyboard(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, "#query=set-honey&run=chunks")
    visit.shows(".result")

    def rank() -> str:
        return str(visit.page.locator('.result[aria-current="true"] .rank').inner_text())

    assert rank() == "1"
    visit.page.keyboard.press("j")
    visit.page.wait_for_function("location.hash.includes('rank=2')")
    visit.page.wait_for_function("document.querySelector('.result[aria-current] .rank').textContent === '2'")
    visit.page.keyboard.press("k")
    visit.page.wait_for_function("document.querySelector('.result[aria-current] .rank').textContent === '1'")
    first = visit.page.locator(".document h3").first.inner_text()
    visit.page.keyboard.press("]")
    visit.page.wait_for_function(f"document.querySelector('.document h3').innerText !== {first!r}")
    visit.page.keyboard.press("[")
    visit.page.wait_for_function(f"document.querySelector('.document h3').innerText === {first!r}")
    visit.page.keyboard.press("n")
    visit.shows("h2", "Query autumn-food")
    visit.page.keyboard.press("p")
    visit.shows("h2", "Query set-honey")
    visit.page.keyboard.press("?")
    assert visit.page.locator("#keys").is_visible()
    visit.page.keyboard.press("Escape")
    assert not visit.page.locator("#keys").is_visible()
    visit.closes()


def test_the_explorer_counts_what_is_new(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, "#query=no-swarms&run=careless")
    facts = visit.texts(".result .facts")
    assert facts[0].startswith("290 characters · 100 % relevant · 100 % new · 290 gained")
    assert visit.shows(".repeat").count() >= 1
    assert visit.page.locator(".result .old-relevant").count() == len(facts)
    document = DEMO.collection["swarming"]
    assert visit.page.locator(".map .part").count() >= 5
    assert visit.page.evaluate(SHOWN_TEXT) == document.text
    assert visit.page.locator(".text .bep").count() == 1
    visit.closes()


HONEY = "#query=set-honey&run=chunks&doc=honey"


def test_passages_are_numbered_and_ticked(browser: Any, nuggets: Path) -> None:
    visit = Visit(browser, nuggets, HONEY)
    visit.shows(".text .passage")
    assert visit.texts(".text .passage") == ["¶1 ✓", "¶4 ✓", "¶3 ✓", "¶5 ✓"]  # in the order of the text
    labels = [mark.get_attribute("aria-label") for mark in visit.page.locator(".text .passage").all()]
    assert labels[0] == "passage 1 (why it sets) found at rank 1"
    assert labels[3] == "passage 5 found at rank 4"
    assert visit.texts(".nuggets summary") == ["Nuggets: 4 of 4 found"]
    first = visit.page.locator(".nuggets > ul > li").first
    assert " ".join(first.inner_text().split()) == (
        "why it sets found, 2 alternatives: ¶1 ✓ honey 1,968–2,285 found at rank 1 "
        "¶2 ✓ forage-calendar 3,681–3,783 found at rank 3"
    )
    assert visit.page.locator(".document .map .gold.hit").count() == 4
    assert visit.page.evaluate(SHOWN_TEXT) == DEMO.collection["honey"].text
    visit.page.get_by_role("link", name="passage 2 in forage-calendar").click()
    visit.shows(".document h3", "forage-calendar")
    visit.closes()


def test_passages_that_are_not_found(browser: Any, nuggets: Path) -> None:
    visit = Visit(browser, nuggets, "#query=set-honey&run=sections&doc=honey")
    rows = pw.explain(NUGGETS, DEMO.folder / "runs" / "sections.run", query_id="set-honey", measure="NuggetR",
                      collection=DEMO.collection)  # fmt: skip
    found = sum(row["status"] == "hit" for row in rows)
    assert visit.texts(".nuggets summary") == [f"Nuggets: {found} of 4 found"]
    visit.closes()


def test_documents_that_nobody_judged_are_marked(browser: Any, nuggets: Path) -> None:
    visit = Visit(browser, nuggets, HONEY)
    result = visit.page.locator(".result", has_text="colony-year").first
    assert "unjudged" in result.inner_text()
    assert "relevant" not in result.inner_text()
    result.click()
    visit.shows(".document h3 .mark-unjudged")
    assert visit.texts(".document > p")[0].startswith("unjudged, ")
    assert visit.page.locator(".list .mark-unjudged").count() < visit.page.locator(".list .result").count()
    assert "not judged" in visit.texts(".legend")[0]
    visit.closes()


@pytest.mark.parametrize("width", [1440, 2000])
def test_two_runs_side_by_side(browser: Any, report: Path, width: int) -> None:
    """Their parts begin at the same heights, one after another."""
    visit = Visit(browser, report, "#query=no-swarms&run=chunks", viewport={"width": width, "height": 1000})
    visit.page.get_by_label("Second run").select_option("careless")
    visit.page.wait_for_function("document.querySelectorAll('.pane').length === 2")
    for part in ("", " > h2", " > .relevant", " .list", " .document"):
        left, right = (box.bounding_box() for box in visit.page.locator(f".pane{part}").all())
        assert left["x"] < right["x"]
        assert abs(left["y"] - right["y"]) < 2, part
    for pane in visit.page.locator(".pane").all():
        boxes = [child.bounding_box() for child in pane.locator("> *").all()]
        gaps = [after["y"] - before["y"] - before["height"] for before, after in itertools.pairwise(boxes)]
        assert max(gaps) < 60, gaps
    lines = visit.texts(".scores")
    assert lines[0].startswith("chunks: nDCG@10 ")
    assert lines[1].startswith("careless: nDCG@10 ")
    visit.closes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes(browser: Any, report: Path, scheme: str) -> None:
    visit = Visit(browser, report, color_scheme=scheme)

    def ground() -> str:
        return str(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    before = ground()
    assert before == {"light": "rgb(253, 253, 251)", "dark": "rgb(21, 23, 26)"}[scheme]
    visit.page.locator("#theme").click()
    assert ground() != before
    visit.closes()


@pytest.mark.parametrize("width", [360, 2560])
@pytest.mark.parametrize("view", ["overview", "curves", "diagnosis", "queries", "explorer"])
def test_narrow_and_wide(browser: Any, report: Path, width: int, view: str) -> None:
    visit = Visit(browser, report, f"#view={view}", viewport={"width": width, "height": 900})
    visit.page.wait_for_function(f"document.documentElement.dataset.ready === {view!r}")
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.closes()


def test_print_shows_everything(browser: Any, report: Path) -> None:
    visit = Visit(browser, report, "#query=set-honey&run=chunks")
    visit.page.emulate_media(media="print")
    assert not visit.page.locator(".controls").first.is_visible()
    assert visit.page.evaluate("getComputedStyle(document.querySelector('.list')).maxHeight") == "none"
    visit.closes()


def test_hostile_data_is_text(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(hostile_page())
    visit = Visit(browser, path)
    for view in ("Curves", "Diagnosis", "Queries", "Explorer"):
        visit.page.get_by_role("link", name=view, exact=True).click()
        visit.page.wait_for_function(f"document.documentElement.dataset.ready === {view.lower()!r}")
    visit.shows(".text")
    assert visit.page.evaluate(SHOWN_TEXT) == HOSTILE_TEXT
    assert visit.page.locator(".nuggets strong").text_content() == HOSTILE
    assert visit.page.locator(".list .mark-unjudged").count() == 1
    assert visit.page.locator("main script, main img").count() == 0
    assert visit.page.title().startswith("</script>")
    visit.closes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "place",
    [
        "#view=overview&by=about&slice=honey", "#view=curves&only=chunks", "#view=queries&sort=spread", HONEY,
        "#view=diagnosis&run=chunks&kind=below", "#query=no-swarms&run=careless&other=chunks",
    ],
)  # fmt: skip
def test_accessible(browser: Any, report: Path, nuggets: Path, place: str, scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make test-all installs it from npm")
    page = nuggets if place == HONEY else report
    visit = Visit(browser, page, place, color_scheme=scheme, bypass_csp=True)
    visit.page.wait_for_function("document.documentElement.dataset.ready")
    if "curves" in place:
        visit.shows("#chart-0 svg")
    visit.page.evaluate(AXE.read_text())
    audit = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [
        f"{one['id']}: {one['help']}: {[node['html'] for node in one['nodes'][:3]]}"
        for one in audit["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
    visit.closes()


def test_saved_scores_have_no_explorer(browser: Any, tmp_path: Path) -> None:
    scores = pw.evaluate(DEMO.qrels, DEMO.runs, "iAP", collection=DEMO.collection)
    path = tmp_path / "scores.html"
    pw.write_scores_report(scores, path)
    visit = Visit(browser, path)
    assert visit.texts("#views a") == ["Overview", "Queries"]
    visit.page.get_by_role("link", name="Queries").click()
    visit.shows(".heat")
    assert visit.page.locator(".heat a").count() == 0
    visit.closes()


# ---- slices, diagnosis, order, scatter, files -------------------------------------------------------------------


def choose_slice(visit: Visit, label: str) -> None:
    visit.page.locator("#slices select").select_option(label=label)
    visit.page.wait_for_function("location.hash.includes('slice=')")


def test_a_slice_redraws_everything(browser: Any, report: Path) -> None:
    scores = pw.evaluate(
        DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection, queries=demo_queries(), by="about"
    )
    assert scores.slices is not None
    honey = scores.slices["honey"].mean()
    visit = Visit(browser, report)
    choose_slice(visit, "about: honey (2)")
    visit.shows(".lead strong", "about: honey")
    shown = visit.page.locator(".board tbody tr", has_text="sections").inner_text()
    assert f"{honey['sections']['iAP']:.4f}" in shown
    assert "by=about&slice=honey" in visit.page.url
    visit.page.get_by_role("link", name="Queries").click()
    visit.shows('[role="status"]', "2 of 2 queries")
    assert len(visit.texts(".differences .row")) == 2
    assert visit.page.locator("#scatter .dot").count() == 2
    visit.page.get_by_role("link", name="Diagnosis").click()
    visit.shows(".worst")
    assert visit.page.locator(".worst tbody tr").count() == 2
    visit.page.get_by_role("link", name="Curves").click()
    visit.shows("#chart-0 svg")
    visit.page.locator("summary").first.click()
    half = pw.evaluate(DEMO.qrels, DEMO.runs, "iP@0.5", collection=DEMO.collection).by(
        {row["query_id"]: row["about"] for row in demo_queries()}
    )
    row = visit.page.locator("details[open] tbody tr").filter(has=visit.page.locator("th", has_text="0.5")).first
    assert f"{half['honey'].mean()['sections']['iP@0.5']:.4f}" in row.inner_text()
    visit.page.get_by_role("link", name="Explorer").click()
    visit.shows("h2", "Query set-honey")
    assert visit.page.get_by_label("Query", exact=True).locator("option").count() == 2
    visit.page.keyboard.press("n")
    visit.shows("h2", "Query water")
    visit.page.reload()
    visit.shows("h2", "Query water")
    assert visit.page.locator("#slices select").input_value() == "0,1"
    visit.closes()


def test_a_slice_of_the_gold(browser: Any, report: Path) -> None:
    scores = pw.evaluate(DEMO.qrels, DEMO.runs, "iAP", collection=DEMO.collection, by="grade").slices
    assert scores is not None
    name = list(scores)[-1]
    visit = Visit(browser, report, f"#view=queries&by=grade&slice={name}&measure=iAP")
    visit.shows(".heat")
    query, value = next(iter(scores[name].per_query()["sections"]["iAP"].items()))
    assert visit.page.locator(f'.heat a[aria-label="query {query}, sections: {value:.3f}"]').count() == 1
    visit.closes()


def test_from_the_diagnosis_into_the_explorer(browser: Any, report: Path) -> None:
    diagnosis = pw.diagnose(DEMO.qrels, DEMO.runs["chunks"], demo_chunks(), k=5, collection=DEMO.collection)
    visit = Visit(browser, report, "#view=diagnosis")
    assert visit.page.locator("#losses a").count() == 6
    label = visit.page.locator('#losses [role="img"]').nth(3).get_attribute("aria-label")
    means = diagnosis.means
    assert label == (
        f"chunks: shown {means['value']:.3f}, lost to ranking {means['lost_to_ranking']:.3f}, "
        f"lost to chunking {means['lost_to_chunking']:.3f}"
    )
    visit.page.locator("#losses a").nth(3).click()
    visit.shows("h3", "How chunks loses passages")
    worst = [query for _, query in sorted(zip(diagnosis.value.tolist(), diagnosis.queries, strict=True))]
    assert visit.texts(".worst tbody th")[0].startswith(worst[0])
    visit.page.get_by_role("link", name="passages that are below").click()
    below = [row for row in diagnosis.failures() if row["kind"] == "below"]
    visit.shows(".lost-passages summary", f"{len(below)} passages: below")
    assert "kind=below" in visit.page.url
    largest = max(below, key=lambda row: row["lost"])
    visit.page.locator(".passages a").first.click()
    visit.shows("h2", f"Query {largest['query_id']}")
    visit.shows(".text .sought")
    assert visit.page.locator(".map .sought").count() == 1
    assert visit.page.locator('.result[aria-current="true"] .rank').inner_text() == str(largest["rank"])
    sought = visit.page.locator(".text .sought").first
    assert sought.bounding_box()["y"] < visit.page.locator(".text").bounding_box()["y"] + 400
    visit.closes()


def test_the_heatmap_is_sorted_and_its_order_is_in_the_link(visit: Visit) -> None:
    visit.page.get_by_role("link", name="Queries").click()
    visit.page.locator('.heat button[data-sort="1"]').click()
    visit.page.wait_for_function("location.hash.includes('sort=run%3Asections&down=1')")

    def values() -> list[float]:
        return [float(text) for text in visit.texts(".heat tbody tr td:nth-child(3)")]

    assert values() == sorted(values(), reverse=True)
    visit.page.locator('.heat button[data-sort="1"]').click()
    visit.page.wait_for_function("!location.hash.includes('down=1')")
    assert values() == sorted(values())
    visit.page.reload()
    visit.shows('.heat th[aria-sort="ascending"]')
    assert values() == sorted(values())
    visit.page.locator('.heat button[data-sort="query"]').click()
    visit.shows('.heat th[aria-sort="ascending"]', "query")
    assert visit.texts(".heat tbody th") == sorted(visit.texts(".heat tbody th"))


def test_pairs_and_scatter(visit: Visit) -> None:
    rows = pw.compare(pw.evaluate(DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection)).rows()
    row = next(r for r in rows if (r["measure"], r["run_id"], r["baseline"]) == ("iAP", "paragraphs", "sections"))
    for run, other, sign in (("paragraphs", "sections", 1), ("sections", "paragraphs", -1)):
        place = f"#view=queries&measure=iAP&run={run}&baseline={other}"
        visit.page.evaluate("place => { location.hash = place }", place)
        visit.shows(".pair", f"iAP: {sign * row['difference']:+.4f}")
        [line] = visit.texts(".pair")
        ends = sorted([sign * row["difference_low"], sign * row["difference_high"]])
        assert f"95% interval {ends[0]:+.4f} to {ends[1]:+.4f}" in line
        assert f"{row['p_corrected']:.3f} with Holm's correction" in line
    assert visit.page.locator("#scatter .dot").count() == 11
    visit.page.get_by_label("Horizontal and vertical").select_option(label="this measure and TextP@10")
    visit.shows("#scatter .title", "TextP@10")
    assert "against=TextP%4010" in visit.page.url
    visit.page.locator("#scatter a").first.click()
    visit.shows("h2", "Query ")


def test_figures_and_tables_are_saved(visit: Visit) -> None:
    def saved(label: str) -> bytes:
        visit.page.wait_for_timeout(150)  # Chromium drops downloads after the tenth within a second
        with visit.page.expect_download() as download:
            visit.page.get_by_role("button", name=label, exact=True).click()
        return Path(download.value.path()).read_bytes()

    means = pw.evaluate(DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection).mean()
    rows = list(csv.DictReader(saved("CSV of leaderboard").decode().splitlines()))
    assert [float(row["iAP"]) for row in rows] == [pytest.approx(means[row["run"]]["iAP"], rel=1e-5) for row in rows]
    for view, figures in (("diagnosis", 1), ("curves", 1), ("queries", 2)):
        visit.page.get_by_role("link", name=view.capitalize(), exact=True).click()
        visit.page.wait_for_function(f"document.documentElement.dataset.ready === {view!r}")
        labels = [str(one.get_attribute("aria-label")) for one in visit.page.locator(".save", has_text="SVG").all()]
        assert len(labels) >= figures
        for label in labels:
            drawing = saved(label)
            assert ElementTree.fromstring(drawing).tag.endswith("svg")
            assert b"var(--" not in drawing
            assert saved(label.replace("SVG", "PNG")).startswith(b"\x89PNG")
