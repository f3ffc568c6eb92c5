"""Screenshots of the demo's report for the documentation: ``make screenshots`` (needs Chromium and Playwright)."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import partwise as pw
from partwise.cli.demo import MEASURES
from partwise.demo_data import Demo

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
VIEWS = {
    "report-overview": "#view=overview",
    "report-curves": "#view=curves",
    "report-diagnosis": "#view=diagnosis&run=overlapping",
    "report-queries": "#view=queries&measure=iAP&run=sections&baseline=chunks&sort=spread&down=1",
    "report-explorer": "#query=no-swarms&run=overlapping&doc=swarming",
}
SIZE = 600
STEPS = {"chunks": 600, "overlapping": 300}
"""How the two runs of chunks of the demo split the articles."""


def all_chunks(demo: Demo, step: int) -> dict[str, list[tuple[int, int]]]:
    """The chunks of every article, which begin at each step and have the same size, but the last."""
    chunks = {}
    for doc in demo.collection:
        length = demo.collection[doc].length
        chunks[doc] = [(start, min(start + SIZE, length)) for start in range(0, length, step)]
    return chunks


def main() -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is not on PATH; install it", file=sys.stderr)
        return 2
    demo = pw.demo()
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        queries = demo.folder / "topics.jsonl"
        os.chdir(demo.folder)  # so that the page shows a relative path
        pw.write_report(
            demo.qrels.name,
            demo.runs,
            report,
            MEASURES,
            collection=demo.collection,
            queries=queries,
            by="grade",
            chunks_of={run: all_chunks(demo, step) for run, step in STEPS.items()},
            title="Bees and gardens",
        )
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, place in VIEWS.items():
            page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
            page.goto(report.as_uri() + place)
            page.wait_for_function("document.documentElement.dataset.ready")
            page.wait_for_timeout(800)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
