"""Reports, and data that contains markup."""

from __future__ import annotations

import base64
import json
import re
import tempfile
import zlib
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
    contents: dict[str, Any] = {}
    for name, blob in blobs:
        data = zlib.decompress(base64.b64decode(blob))
        end = 4 + int.from_bytes(data[:4], "little")
        contents[name] = json.loads(data[4:end])
        if name.startswith("query-"):
            contents[name] = query_of(data_of(html), contents[name], ColumnsRead(data[end:]), contents["names"])
        if name.startswith(("losses-", "passages")):
            of = contents[name]
            of["rows"] = rows_of(ColumnsRead(data[end:]).read(of.pop("layout"), of.pop("count")))
    for name, content in contents.items():
        if name.startswith("losses-"):
            content["losses"] = losses_of(content.pop("rows"), contents[content.pop("passages")])
    return {name: content for name, content in contents.items() if not name.startswith("passages")}


def rows_of(columns: dict[str, list[int]]) -> list[dict[str, int]]:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def losses_of(rows: list[dict[str, int]], passages: dict[str, Any]) -> list[list[Any]]:
    """The lost passages, as the page has them."""
    losses: list[list[Any]] = []
    at = -1
    for row in rows:
        at += row["gap"] + 1
        of = passages["rows"][at]
        place = [of["query"], passages["docs"][of["doc"]], of["start"], of["start"] + of["length"]]
        cut, size = row["cut"] - 1 if row["cut"] else None, of["length"] + signed(of["size"])
        losses.append([*place, row["kind"], cut, row["lost"], size, row["rank"] or None])
    return losses


class ColumnsRead:
    """Reads columns of numbers, byte by byte."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def read(self, layout: list[list[Any]], rows: int) -> dict[str, list[int]]:
        columns = {}
        for name, width in layout:
            places = [self.data[self.at + i * rows : self.at + (i + 1) * rows] for i in range(width)]
            columns[name] = [sum(place[row] << 8 * i for i, place in enumerate(places)) for row in range(rows)]
            self.at += width * rows
        return columns


def signed(number: int) -> int:
    return -(number + 1) // 2 if number % 2 else number // 2


def query_of(data: dict[str, Any], content: dict[str, Any], columns: ColumnsRead, doc_ids: list[str]) -> dict[str, Any]:
    """A query with its documents, lists, parts and passages as rows; `doc_ids` are those of all documents."""
    runs, layout = data["runs"], data["lists"]

    def per_run(counts: Any) -> list[int]:
        return counts if isinstance(counts, list) else [counts] * len(runs)

    kept = per_run(content["kept"])
    rows = columns.read(layout["rows"], sum(kept))
    counts = [signed(count) + 1 for count in rows["spans"]]
    spans = columns.read(layout["spans"], sum(counts))
    lists: list[Any] = []
    row = span = 0
    for of_run, total in zip(kept, per_run(content["totals"]), strict=True):
        listed: list[list[Any]] = []
        for _ in range(of_run):
            inside = range(span, span := span + counts[row])
            edges = [edge for i in inside for edge in (spans["start"][i], spans["start"][i] + spans["length"][i])]
            size = signed(rows["size"][row]) + sum(spans["length"][i] for i in inside)
            place = rows["not_placed"][row]
            listed.append([
                rows["rank"][row] + 1 + (listed[-1][0] if listed else 0), rows["doc"][row], edges, size,
                rows["highlighted"][row], size - rows["known"][row],
                rows["highlighted"][row] - rows["known_highlighted"][row],
                content["worth"][row] if "worth" in content else None,
                content["path"][row] if "path" in content else None,
                rows["repeated"][row], layout["notPlaced"][place - 1] if place else None,
            ])  # fmt: skip
            row += 1
        lists.append({"total": total, "rows": listed})
    usual = {"length": None, "bep": None, "judged": False, "inText": False, "passages": [], "text": None}
    usual["why"] = layout["why"]
    found = {**content, "lists": lists, "parts": []}
    sizes = per_run(content["parts"])
    part = columns.read(layout["parts"], sum(sizes))
    at = 0
    for size, kind in zip(sizes, layout["kinds"], strict=True):
        found["parts"].append([])
        for i in range(at, at := at + size):
            of, names = content["targets"][kind]
            number, chance = part["part"][i], part["chance"][i]
            status = layout["statuses"][part["status"][i]]
            chance = (chance - 1) / 1000 if chance else None
            found["parts"][-1].append([of[number], names[number], status, part["rank"][i] or None, chance])
    if "gold" in content:
        sizes = per_run(content["shown"])
        shown = columns.read(layout["shown"], sum(sizes))
        cells = zip(shown["rank"], shown["share"], shown["from_rank"], strict=True)
        each = iter([[rank or None, share / 10_000, from_rank or None] for rank, share, from_rank in cells])
        found["shown"] = [[next(each) for _ in range(size)] for size in sizes]
    docs = columns.read(layout["docs"], content["docs"]["count"])
    found["docs"] = [
        {"id": doc_ids[doc]} | {name: (content["docs"][name][i : i + 1] or [value])[0] for name, value in usual.items()}
        for i, doc in enumerate(docs["name"])
    ]
    assert columns.at == len(columns.data)
    return found


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
