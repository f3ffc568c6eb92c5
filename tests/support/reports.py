"""Reports, and data that contains markup."""

from __future__ import annotations

import base64
import gzip
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import partwise as pw

MEASURES = "nDCG@10 iAP TextP@10 Redundancy@10 nxCG@10"


def report(qrels: Any, runs: Any, *measures: Any, **options: Any) -> str:
    """The written page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        size = pw.write_report(qrels, runs, path, *measures, **options)
        assert path.stat().st_size == size
        return path.read_text()


def data_of(html: str) -> dict[str, Any]:
    """What a page has at its start."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert match
    content: dict[str, Any] = json.loads(match[1])
    return content


def blobs_of(html: str) -> dict[str, Any]:
    """What a page unpacks when it is needed, by name."""
    blobs = re.findall(r'<script type="text/plain" id="([^"]+)">([^<]*)</script>', html)
    contents = {name: json.loads(gzip.decompress(base64.b64decode(blob))) for name, blob in blobs}
    for name, content in contents.items():
        if name.startswith("query-"):
            docs = content["docs"]
            content["docs"] = [dict(zip(docs, cells, strict=True)) for cells in zip(*docs.values(), strict=True)]
            for one in content["lists"]:
                one["rows"] = [list(row) for row in zip(*one["columns"], strict=True)]
                for row in one["rows"]:  # spans are starts and lengths
                    row[2] = [edge + row[2][i - 1] if i % 2 else edge for i, edge in enumerate(row[2])]
    return contents


NUGGETS = [
    {"query_id": "set-honey", "doc_id": doc, "start": start, "end": end, "nugget": nugget}
    for doc, start, end, nugget in (
        ("honey", 1968, 2285, "why it sets"),
        ("forage-calendar", 3681, 3783, "why it sets"),
        ("honey", 3289, 3381, "how to melt it"),
        ("honey", 2800, 3177, "how to cream it"),
        ("honey", 3853, 4012, ""),
    )
]
"""Judgements of the demo with alternatives and with a passage that is a nugget of its own."""


HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>&amp;\u2028"


HOSTILE_TEXT = f"Text: {HOSTILE}"


def hostile_page() -> str:
    row = {"query_id": HOSTILE, "doc_id": HOSTILE, "length": len(HOSTILE_TEXT), "nugget": HOSTILE, "set": HOSTILE}
    qrels = [row | {"start": 0, "end": 9}, row | {"start": 12, "end": 20}]
    return report(
        qrels,
        {
            HOSTILE: [
                {"query_id": HOSTILE, "doc_id": HOSTILE, "start": 2, "end": 30},
                {"query_id": HOSTILE, "doc_id": f"unjudged {HOSTILE}", "start": 2, "end": 30},
            ],
            "tame": {HOSTILE: [(HOSTILE, 0, 9)]},
        },
        "iAP TextP@1",
        collection={HOSTILE: HOSTILE_TEXT},
        queries={HOSTILE: HOSTILE},
        by=["title", "nugget"],
        chunks=[{"doc_id": HOSTILE, "start": 0, "end": 9}],
        title=HOSTILE,
    )


ABOUT = {
    "no-swarms": "beekeeping", "set-honey": "honey", "autumn-food": "beekeeping", "broodless": "beekeeping",
    "bee-nests": "wild bees", "cold-blossom": "plants", "hedge-cutting": "plants", "syrup": "beekeeping",
    "water": "honey", "june-gap": "plants",
}  # fmt: skip
"""What some queries of the demo are about."""


def demo_queries() -> list[dict[str, Any]]:
    """The queries of the demo with a column of words and one of numbers."""
    lines = (pw.demo().folder / "topics.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [row | {"about": ABOUT.get(row["query_id"]), "number": 10 * i} for i, row in enumerate(rows)]


def demo_chunks() -> list[dict[str, Any]]:
    """All chunks that the run `chunks` of the demo could return: 600 characters each."""
    [run] = pw.Evaluator(pw.demo().qrels, "TextR").read(pw.demo().runs["chunks"])
    documents = [run.doc.names[code] for code in run.doc.codes.tolist()]
    spans = sorted(set(zip(documents, run.start.tolist(), run.end.tolist(), strict=True)))
    return [{"doc_id": doc, "start": start, "end": end} for doc, start, end in spans]
