"""The data of a report about queries and documents: ranked lists, element trees and texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partwise.collection import Collection, Document
from partwise.explanation import Shown
from partwise.listing import GoldPassages, JudgedDocument, Results
from partwise.messages import report
from partwise.model import Bools, Ints
from partwise.placement import AMBIGUOUS, MISSING

FIRST = 100
"""This many results of every list are shown, and after them those in documents with relevant text."""

HEADINGS = {"title", "st", "ss", "head", "heading", "label", "subtitle", *(f"h{level}" for level in range(1, 7))}

NOT_PLACED = {AMBIGUOUS: report.CHUNK_AMBIGUOUS.note(), MISSING: report.CHUNK_MISSING.note()}
"""What is shown instead of the offsets of a chunk without a place."""

WITHOUT_TEXTS = None, str(report.TEXT_WITHOUT_COLLECTION.note())
"""The number of a text that is not in the page, and the reason, if there is no collection."""

CELLS = {"td", "th", "entry", "cell"}


@dataclass
class QueryPage:
    """One query: the numbers of its documents, its gold passages, and the ranked list of each run."""

    query: str
    judged: Mapping[str, JudgedDocument]
    gold: GoldPassages | None = None
    docs: dict[str, int] = field(default_factory=dict)
    lists: list[dict[str, Any]] = field(default_factory=list)
    trees: list[dict[str, list[list[Any]]]] = field(default_factory=list)
    parts: list[list[list[Any]]] = field(default_factory=list)
    shown: list[list[list[Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._relevant = {doc for doc, judged in self.judged.items() if judged.passages}
        for doc in self.judged:
            if doc in self._relevant:
                self.number(doc)
        for doc in () if self.gold is None else self.gold.doc:
            self.number(doc)

    def number(self, doc: str) -> int:
        return self.docs.setdefault(doc, len(self.docs))

    def add(
        self, results: Results, explained: Sequence[Mapping[str, Any]], shown: Sequence[Shown], texts: Texts
    ) -> None:
        """Add the list of the next run, the hits and misses among the relevant parts, and the passages found."""
        self.shown.append([[one.rank, _rounded_down(one.share), one.from_rank] for one in shown])
        self.parts.append([self._part(part) for part in explained])
        self.trees.append(self._trees(results, explained, texts))
        relevant = np.array([doc in self._relevant for doc in results.doc], np.bool_)
        kept = np.flatnonzero(relevant | (np.arange(len(results)) < FIRST))
        self.lists.append({"total": len(results), "columns": self._columns(results, kept, texts) if len(kept) else []})

    def add_none(self) -> None:
        """Add an empty list: the next run has no results for this query."""
        self.lists.append({"total": 0, "columns": []})
        self.parts.append([])
        self.shown.append([])
        self.trees.append({})

    def _judged(self, doc: str) -> JudgedDocument:
        return self.judged.get(doc) or JudgedDocument(doc, [], None, None)

    def _columns(self, results: Results, kept: Ints, texts: Texts) -> list[list[Any]]:
        """The columns of some results; spans are starts and lengths, which repeat more often than ends."""
        rows = kept.tolist()
        docs = [results.doc[row] for row in rows]
        not_placed = [None if results.located is None else NOT_PLACED.get(results.located[row]) for row in rows]
        return [
            (kept + 1).tolist(),
            [self.number(doc) for doc in docs],
            _starts_and_lengths(results, kept, docs, not_placed, texts),
            *(column[kept].tolist() for column in (results.size, results.highlighted, results.new, results.gained)),
            [None if results.worth is None else round(float(results.worth[row]), 4) for row in rows],
            [results.path[row] for row in rows],
            results.repeated[kept].astype(np.int64).tolist(),
            not_placed,
        ]

    def _part(self, part: Mapping[str, Any]) -> list[Any]:
        """A relevant part: its document, path or span, status, the rank that leads to it, and the probability."""
        chance = part["probability"]
        rank = part["rank"] if part["status"] == "hit" else part["from_rank"]
        return [
            self.number(part["doc_id"]),
            part["part"],
            STATUSES[part["status"]],
            rank or None,
            None if chance == "" else round(chance, 3),
        ]

    def _trees(
        self, results: Results, explained: Sequence[Mapping[str, Any]], texts: Texts
    ) -> dict[str, list[list[Any]]]:
        """By document, the elements that are relevant or returned, and their ancestors."""
        marks: dict[str, dict[int, tuple[str, str]]] = {}
        for rank, (doc, node) in enumerate(zip(results.doc, results.node.tolist(), strict=True), 1):
            if node >= 0:
                marks.setdefault(doc, {}).setdefault(node, ("", f"returned at rank {rank}"))
        for part in explained:
            document = texts.document(part["doc_id"])
            if document is not None and part["part"].startswith("/") and " " not in part["part"]:
                node = document.node(part["part"])
                marks.setdefault(part["doc_id"], {})[node] = STATUSES[part["status"]], _how(part)
        return {str(self.number(doc)): _folded(texts.document(doc), nodes) for doc, nodes in marks.items()}

    def content(self, texts: Texts) -> dict[str, Any]:
        """The data that the page reads, as JSON; documents and lists are in columns, which compress better."""
        docs = []
        for doc in self.docs:
            judged = self._judged(doc)
            number, why = texts.number_of(doc)
            length = texts.length_of(doc) if judged.length is None else judged.length
            docs.append(
                {
                    "id": doc,
                    "length": None if length is None else texts.positions(doc, [length])[0],
                    "bep": None if judged.bep is None else texts.positions(doc, [judged.bep])[0],
                    "judged": doc in self.judged,
                    "inText": texts.document(doc) is not None,
                    "passages": [texts.positions(doc, span) for span in judged.passages],
                    "text": number,
                    "why": why,
                }
            )
        names = list(docs[0]) if docs else []
        columns = {name: [doc[name] for doc in docs] for name in names}
        content = {"docs": columns, "lists": self.lists, "trees": self.trees, "parts": self.parts}
        return content if self.gold is None else content | self._gold(self.gold, texts)

    def _gold(self, gold: GoldPassages, texts: Texts) -> dict[str, Any]:
        """The document and spans of each gold passage, the nuggets, and what each run shows of the passages."""
        places = zip(gold.doc, gold.spans, strict=True)
        return {
            "gold": [[self.docs[doc], texts.positions(doc, spans)] for doc, spans in places],
            "nuggets": [list(nugget) for nugget in gold.nuggets],
            "shown": self.shown,
        }


STATUSES = {"hit": "hit", "near-miss": "near", "miss": "miss"}


def _rounded_down(share: float) -> float:
    """A share of a passage that is not found never looks like one that is enough."""
    return math.floor(share * 10_000) / 10_000


def _starts_and_lengths(
    results: Results, kept: Ints, docs: Sequence[str], not_placed: Sequence[str | None], texts: Texts
) -> list[list[int]]:
    """The starts and lengths of the spans of some results in turn, as positions in the texts that the page shows."""
    low, high = results.span_offsets[kept], results.span_offsets[kept + 1]
    if texts.collection is None and (high == low + 1).all() and not any(not_placed):
        both: list[list[int]] = np.stack([results.start[low], results.end[low] - results.start[low]], axis=1).tolist()
        return both
    spans = []
    for first, after, doc, reason in zip(low.tolist(), high.tolist(), docs, not_placed, strict=True):
        inside = slice(first, first if reason is not None else after)
        edges = texts.positions(doc, np.stack([results.start[inside], results.end[inside]], axis=1).ravel().tolist())
        spans.append([edge if i % 2 == 0 else edge - edges[i - 1] for i, edge in enumerate(edges)])
    return spans


def _how(part: Mapping[str, Any]) -> str:
    """The rank that leads to a relevant part, in words."""
    if part["status"] == "hit":
        return f"rank {part['rank']}"
    return f"from rank {part['from_rank']}, {part['probability']:.2f}" if part["status"] == "near-miss" else ""


def _folded(document: Document | None, marks: Mapping[int, tuple[str, str]]) -> list[list[Any]]:
    """The marked nodes and their ancestors: depth, path, size, status and description."""
    if document is None:
        return []
    shown: set[int] = set()
    for node in marks:
        while node >= 0 and node not in shown:
            shown.add(node)
            node = int(document.parent[node])
    size = document.end - document.start
    return [
        [int(document.depth[node]), document.path[node], int(size[node]), *marks.get(node, ("", ""))]
        for node in sorted(shown)
    ]


class Texts:
    """The documents whose texts are in the page, each once, by number."""

    def __init__(self, collection: Collection | None) -> None:
        self.collection = collection
        self.numbers: dict[str, int] = {}
        self.left_out: set[str] = set()

    def document(self, doc: str) -> Document | None:
        return self.collection[doc] if self.collection is not None and doc in self.collection else None

    def positions(self, doc: str, offsets: Sequence[int]) -> list[int]:
        """Offsets as positions in the text that the page shows, which it counts in characters."""
        document = self.document(doc)
        if document is None or document is document.characters:
            return list(offsets)
        return [int(position) for position in document.char_positions(np.array(offsets, np.int64))]

    def length_of(self, doc: str) -> int | None:
        document = self.document(doc)
        return None if document is None else document.length

    def number_of(self, doc: str) -> tuple[int | None, str]:
        """The number of an embedded text, or None and the reason why there is none."""
        if doc in self.numbers:
            return self.numbers[doc], ""
        if self.collection is None:
            return WITHOUT_TEXTS
        document = self.document(doc)
        if document is None:
            return None, report.TEXT_NOT_IN_COLLECTION.note()
        if document.text is None:
            return None, report.TEXT_NOT_IN_INDEX.note()
        return None, report.TEXT_LEFT_OUT.note()


def text_content(document: Document) -> dict[str, Any]:
    """A document's text and the starts of its blocks; an element is a block unless it is inline in mixed content.

    All cells of a table row but the first, and a block that begins such a cell, continue the line of the row.
    """
    blocks: dict[int, str] = {}
    rows: set[int] = set()
    for node in np.flatnonzero(_blocks(document)).tolist():
        at, parent = int(document.start[node]), int(document.parent[node])
        is_cell = document.tag[node].lower() in CELLS
        if is_cell and parent in rows:
            blocks[at] = "cell"
        elif blocks.get(at) != "cell":
            blocks[at] = "heading" if document.tag[node].lower() in HEADINGS else "block"
        if is_cell:
            rows.add(parent)
    as_written = document.tag[0] == "document"  # Markdown, HTML and plain text; in XML, white space is layout
    return {"text": document.text, "blocks": sorted(blocks.items()), "asWritten": as_written}


def _blocks(document: Document) -> Bools:
    """Which elements are blocks: those whose ancestors contain no text directly, except white space."""
    text = document.text or ""
    parts = np.zeros(len(document), np.bool_)
    for node, parent in enumerate(document.parent.tolist()):
        parts[node] = parent < 0 or parts[parent]
        if parts[node] and any(not text[start:end].isspace() for start, end in document.text_nodes(node)):
            parts[node] = False  # its children are inline
    block: Bools = np.append(True, parts[document.parent[1:]])
    return block


def docs_by_importance(pages: Iterable[QueryPage]) -> list[str]:
    """The documents of all pages: first those with relevant text, then the others by their best rank."""
    relevant: dict[str, None] = {}
    others: dict[str, int] = {}
    for page in pages:
        names = list(page.docs)
        relevant.update(dict.fromkeys(doc for doc in names if page._judged(doc).passages))
        for one in page.lists:
            for rank, number in zip(*one["columns"][:2], strict=True):
                others[names[number]] = min(others.get(names[number], rank), rank)
    rest = sorted((doc for doc in others if doc not in relevant), key=lambda doc: others[doc])
    return [*relevant, *rest]
