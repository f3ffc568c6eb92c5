"""Reports, and data that contains markup."""

from __future__ import annotations

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
        title=HOSTILE,
    )
