"""The time until a report can be used: the INEX runs in a browser, against an empty page with the same bundle.

Both pages are opened from disk in the same browser, fresh each time, best of five: until the report has drawn its
leaderboard, and until the empty page has loaded. The targets: at most 5x, and a report of less than 10 MB.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from common import verdict
from playwright.sync_api import Browser, sync_playwright

import partwise as pw
from partwise.report.page import bundle

DATA = Path(os.environ.get("PARTWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "inex2009-2010"
ROUNDS = 5


def opened(browser: Browser, path: Path, ready: str) -> float:
    """The shortest time until a condition holds in a new page."""
    times = []
    for _ in range(ROUNDS + 1):
        page = browser.new_page()
        began = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_function(ready)
        times.append(time.perf_counter() - began)
        page.close()
    return min(times[1:])


def main() -> int:
    runs = [DATA / f"{name}.run" for name in ("focused", "passages", "documents")]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report, empty = Path(folder) / "report.html", Path(folder) / "empty.html"
        size = pw.write_report(
            DATA / "qrels.txt", runs, report, "nDCG@10 AP", unit="bytes", queries=DATA / "topics.xml"
        )
        empty.write_text(f"<!doctype html><title>empty</title><script>{{ {bundle()} }}</script>")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        peer = opened(browser, empty, "window.vegaEmbed !== undefined")
        ours = opened(browser, report, "document.querySelector('.board') !== null")
        browser.close()
    print(f"120 queries, 3 runs: {size / 1e6:.1f} MB")
    small = verdict("size of the report to 1 MB", size / 1e6, 10, at_least=False)
    return 0 if verdict("report to empty page", ours / peer, 5, at_least=False) and small else 1


if __name__ == "__main__":
    sys.exit(main())
