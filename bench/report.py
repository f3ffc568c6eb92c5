"""The processor time of reports, comparisons and studies against evaluate, and the time until a report can be used.

``report``, ``compare`` and each ``study`` of 60 generated runs of 20 chunks for each of 500 queries, in fresh processes
that read the same files as ``evaluate`` with the same measures, each run once. Each takes turns with ``evaluate``,
because the pace of a shared machine changes from minute to minute; medians of five are compared. The target: at most
3x. With
``--commands`` nothing else is measured. The script that draws curves is kept from the first report on, as it is for
users; what the first report takes is printed as well.

The time until a report can be used is that in a browser, against an empty page with the same bundle.
The reports are of the INEX runs, and of 60 generated runs of 20 chunks for each of 500 queries, with slices and a
diagnosis. All pages are opened from disk in the same browser, fresh each time, best of five: until a report has drawn
its leaderboard, and until the empty page has loaded. The targets: at most 5x, and reports of less than 10 MB.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import partwise, processor_time, verdict
from playwright.sync_api import Browser, sync_playwright

import partwise as pw
from partwise.report.libraries import bundle

DATA = Path(os.environ.get("PARTWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "inex2009-2010"
ROUNDS = 5
MOST_MB = 10


RUNS, QUERIES, RESULTS = 60, 500, 20
MEASURES = "TextR@5 TextP@5 PartHit@5 iAP"
DOCUMENTS, CHUNKS, SIZE = 300, 40, 500
"""Each document is split into this many chunks of this size."""


def generated() -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Assessments, runs that find the relevant chunks with different skill, and queries of four kinds."""
    rng = np.random.default_rng(1)
    gold, relevant = [], {}
    for query in range(QUERIES):
        chunks = rng.integers(0, DOCUMENTS * CHUNKS, 3)
        relevant[query] = chunks
        for chunk in chunks.tolist():
            start = chunk % CHUNKS * SIZE + int(rng.integers(0, SIZE - 1))
            gold.append({**_place(query, chunk), "start": start, "end": start + int(rng.integers(50, 400))})
    runs = {}
    for run in range(RUNS):
        rows = []
        for query in range(QUERIES):
            chunks = rng.integers(0, DOCUMENTS * CHUNKS, RESULTS)
            is_found = rng.random(3) < 0.2 + 0.6 * run / RUNS
            chunks[rng.permutation(RESULTS)[:3][is_found]] = relevant[query][is_found]
            for rank, chunk in enumerate(chunks.tolist(), 1):
                start = chunk % CHUNKS * SIZE
                rows.append({**_place(query, chunk), "start": start, "end": start + SIZE, "rank": rank})
        runs[f"system{run:02}"] = rows
    about = [
        {"query_id": f"q{query:03}", "title": f"query {query}", "kind": "abcd"[query % 4]} for query in range(QUERIES)
    ]
    return gold, runs, about


def _place(query: int, chunk: int) -> dict[str, Any]:
    return {"query_id": f"q{query:03}", "doc_id": f"doc{chunk // CHUNKS:03}"}


def write_generated(path: Path) -> int:
    gold, runs, about = generated()
    chunks = {f"doc{doc:03}": [(i * SIZE, (i + 1) * SIZE) for i in range(CHUNKS)] for doc in range(DOCUMENTS)}
    return pw.write_report(gold, runs, path, MEASURES, queries=about, by="kind", chunks=chunks, max_mb=MOST_MB)


COMMANDS = {
    "compare": ["compare"],
    "study agreement": ["study", "agreement"],
    "study error-rate": ["study", "error-rate"],
    "study queries": ["study", "queries"],
    "study power": ["study", "power"],
    "study perturb": ["study", "perturb"],
    "study curves": ["study", "curves"],
    "report": ["report"],
}
"""All that take assessments and runs; study assessors needs assessments of several assessors."""
MOST_TIMES = 3


def write_rows(path: Path, rows: list[dict[str, Any]]) -> str:
    lines = [rows[0], *(row.values() for row in rows)]
    path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    return str(path)


def measure_commands(folder: Path) -> list[bool]:
    """Print the processor time and peak memory of each command, and its ratio to that of evaluate."""
    gold, runs, _ = generated()
    files = [write_rows(folder / "qrels.tsv", gold)]
    files += [write_rows(folder / f"{name}.tsv", rows) for name, rows in runs.items()]
    options = {name: ["-m", MEASURES] for name in COMMANDS} | {"study curves": []}
    options["report"] += ["-o", str(folder / "report.html")]
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    evaluate = partwise("evaluate", *files, "-m", MEASURES)
    print(f"{RUNS} runs, {QUERIES} queries, {RESULTS} results, median of {ROUNDS}")
    met = []
    for name, words in COMMANDS.items():
        command = partwise(*words, *files, *options[name])
        if name == "report":
            first, _ = processor_time(command, 1)
            print(f"the first report, which makes the script that draws curves: {first:.2f} s")
        turns = [(processor_time(evaluate, 1), processor_time(command, 1)) for _ in range(ROUNDS)]
        base, used = (statistics.median(seconds for seconds, _ in costs) for costs in zip(*turns, strict=True))
        memory = max(megabytes for _, (_, megabytes) in turns)
        print(f"{name}: {used:.2f} s, {memory:.0f} MiB; evaluate {base:.2f} s")
        met.append(verdict(f"{name} to evaluate", used / base, MOST_TIMES, at_least=False))
    return met


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
    with tempfile.TemporaryDirectory() as folder:
        met = measure_commands(Path(folder))
    if "--commands" in sys.argv[1:]:
        return 0 if all(met) else 1
    runs = [DATA / f"{name}.run" for name in ("focused", "passages", "documents")]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        inex, many, empty = (Path(folder) / f"{name}.html" for name in ("inex", "many", "empty"))
        sizes = {
            inex: pw.write_report(
                DATA / "qrels.txt", runs, inex, "nDCG@10 AP", unit="bytes", queries=DATA / "topics.xml"
            )
        }
        began = time.process_time()
        sizes[many] = write_generated(many)
        print(f"{RUNS} runs, {QUERIES} queries: written in {time.process_time() - began:.0f} s of processor time")
        empty.write_bytes(b"<!doctype html><title>empty</title><script>{ " + bundle() + b" }</script>")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        peer = opened(browser, empty, "window.vegaEmbed !== undefined")
        for title, path in (("3 INEX runs, 120 queries", inex), (f"{RUNS} runs, {QUERIES} queries", many)):
            ours = opened(browser, path, "document.querySelector('.board') !== null")
            print(f"{title}: {sizes[path] / 1e6:.1f} MB, {1000 * ours:.0f} ms; empty page {1000 * peer:.0f} ms")
            met.append(verdict(f"{title}, size to 1 MB", sizes[path] / 1e6, MOST_MB, at_least=False))
            met.append(verdict(f"{title}, report to empty page", ours / peer, 5, at_least=False))
        browser.close()
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
