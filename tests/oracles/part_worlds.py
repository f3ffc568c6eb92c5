"""Random worlds for measures of parts: graded passages, nuggets, sets, and results that find some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from oracles import parts

Row = dict[str, Any]
DOCS = ("a", "b", "c", "unjudged")
LONGEST = 40


@dataclass
class PartWorld:
    """Rows of gold, rows of results by query, and the lengths of all documents, as the library is given them."""

    gold: list[Row]
    run: dict[str, list[Row]]
    lengths: dict[str, int]
    by_rank: bool = False
    """Whether the library is given one list of ranked rows instead of a list per query."""

    def queries(self) -> dict[str, parts.Query]:
        return parts.queries_of(self.gold, self.run, self.lengths)

    def run_rows(self) -> Any:
        if not self.by_rank:
            return self.run
        return [
            {"query_id": query_id, "rank": rank, **row}
            for query_id, rows in self.run.items()
            for rank, row in enumerate(rows, 1)
        ]

    def with_results(self, query_id: str, rows: list[Row]) -> PartWorld:
        return replace(self, run={**self.run, query_id: rows})


@st.composite
def spans(draw: st.DrawFn, length: int, step: int) -> list[int]:
    """A span that is not empty; with a step above 1 spans often share borders, and IoUs are often equal."""
    start = draw(st.integers(0, (length - 1) // step)) * step
    end = min(length, start + draw(st.integers(1, max(1, (length - start) // step))) * step)
    return [start, end]


@st.composite
def places(draw: st.DrawFn, lengths: dict[str, int], docs: tuple[str, ...], step: int) -> Row:
    """A document, and one span or several."""
    doc = draw(st.sampled_from(docs))
    if draw(st.integers(0, 3)) == 0:
        return {"doc_id": doc, "spans": draw(st.lists(spans(lengths[doc], step), min_size=1, max_size=3))}
    start, end = draw(spans(lengths[doc], step))
    return {"doc_id": doc, "start": start, "end": end}


def halves(place: Row) -> list[Row]:
    """A part cut in two, as a chunker may do."""
    if "spans" in place:
        return [{"doc_id": place["doc_id"], "start": start, "end": end} for start, end in place["spans"]]
    middle = (place["start"] + place["end"] + 1) // 2
    pieces = [{**place, "end": middle}, {**place, "start": middle}]
    return [piece for piece in pieces if piece["start"] < piece["end"]]


def hull(first: Row, second: Row) -> Row:
    """The span from the first of two parts of a document to the other, or the first part."""
    if first["doc_id"] != second["doc_id"]:
        return first
    offsets = [
        offset for place in (first, second) for piece in halves(place) for offset in (piece["start"], piece["end"])
    ]
    return {"doc_id": first["doc_id"], "start": min(offsets), "end": max(offsets)}


@st.composite
def gold_rows(draw: st.DrawFn, query_id: str, lengths: dict[str, int], step: int) -> list[Row]:
    """Nested, overlapping and repeated passages, with and without grades, nuggets and sets; or nothing relevant."""
    if draw(st.integers(0, 5)) == 0:
        return [{"query_id": query_id, "doc_id": ""}]
    pool = draw(st.lists(places(lengths, DOCS[:3], step), min_size=1, max_size=4))
    has_grades, has_nuggets, has_sets = (draw(st.sampled_from([True, True, False])) for _ in range(3))
    chosen = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6))
    if draw(st.booleans()):  # two passages with which their hull has the same IoU, if their sizes are equal
        chosen += halves(draw(st.sampled_from(pool)))
    rows = []
    for place in chosen:
        row = {"query_id": query_id, **place}
        if has_grades and draw(st.integers(0, 4)):
            row["grade"] = draw(st.sampled_from([0, 1, 1, 2, 2, 3]))
        if has_nuggets and draw(st.integers(0, 3)):
            row["nugget"] = draw(st.sampled_from(["n1", "n2", "n3"]))
        if has_sets and draw(st.integers(0, 2)):
            row["set"] = draw(st.sampled_from(["s", "t"]))
        rows.append(row)
    if has_grades and draw(st.integers(0, 3)) == 0:  # a document judged as a whole is judged, but is not gold
        doc = draw(st.sampled_from(DOCS[:3]))
        rows.append({"query_id": query_id, "doc_id": doc, "grade": draw(st.integers(0, 2))})
    return rows


@st.composite
def result_rows(draw: st.DrawFn, gold: list[Row], lengths: dict[str, int], step: int) -> list[Row]:
    """Results of every kind: passages, halves of passages, other parts, whole documents, empty parts, duplicates."""
    passages = [{key: row[key] for key in ("doc_id", "spans", "start", "end") if key in row} for row in gold]
    passages = [place for place in passages if len(place) > 1]
    results: list[Row] = []
    for _ in range(draw(st.integers(0, 7))):
        kind = draw(st.sampled_from(["passage", "half", "halves", "hull", "any", "again", "document", "empty"]))
        if kind == "again" and results:
            results.append(draw(st.sampled_from(results)))
        elif kind == "document":
            results.append({"doc_id": draw(st.sampled_from(DOCS))})
        elif kind == "empty":
            doc = draw(st.sampled_from(DOCS))
            offset = draw(st.integers(0, lengths[doc]))
            results.append({"doc_id": doc, "start": offset, "end": offset})
        elif kind == "any" or not passages:
            results.append(draw(places(lengths, DOCS, step)))
        elif kind == "hull":
            results.append(hull(draw(st.sampled_from(passages)), draw(st.sampled_from(passages))))
        else:
            place = draw(st.sampled_from(passages))
            results += {"half": halves(place)[:1], "halves": halves(place)}.get(kind, [place])
    return results


@st.composite
def part_worlds(draw: st.DrawFn) -> PartWorld:
    lengths = {doc: draw(st.integers(1, LONGEST)) for doc in DOCS}
    step = draw(st.sampled_from([1, 1, 4]))
    gold: list[Row] = []
    run: dict[str, list[Row]] = {}
    for number in range(draw(st.integers(1, 3))):
        query_id = f"q{number}"
        rows = draw(gold_rows(query_id, lengths, step))
        if draw(st.booleans()):
            rows = [{**row, "length": lengths[row["doc_id"]]} if row["doc_id"] else row for row in rows]
        gold += rows
        results = draw(result_rows(rows, lengths, step))
        if results or draw(st.booleans()):
            run[query_id] = results
    return PartWorld(gold, run, lengths, by_rank=draw(st.booleans()))
