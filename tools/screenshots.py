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

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
VIEWS = {
    "report-overview": "#view=overview",
    "report-curves": "#view=curves",
    "report-explorer": "#query=no-swarms&run=overlapping&doc=swarming",
}


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
