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


HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>&amp;\u2028"


HOSTILE_TEXT = f"Text: {HOSTILE}"


def hostile_page() -> str:
    qrels = [{"query_id": HOSTILE, "doc_id": HOSTILE, "start": 0, "end": 9, "length": len(HOSTILE_TEXT)}]
    return report(
        qrels,
        {
            HOSTILE: [{"query_id": HOSTILE, "doc_id": HOSTILE, "start": 2, "end": 30}],
            "tame": {HOSTILE: [(HOSTILE, 0, 9)]},
        },
        "iAP TextP@1",
        collection={HOSTILE: HOSTILE_TEXT},
        queries={HOSTILE: HOSTILE},
        title=HOSTILE,
    )
