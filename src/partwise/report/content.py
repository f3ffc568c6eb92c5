"""What a report shows of queries and documents: the lists of all runs, and the documents they lead into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partwise.collection import Collection, Document
from partwise.listing import JudgedDocument, Results
from partwise.model import Bools

FIRST = 100
"""Of every list so many results are shown, and behind them those in documents with relevant text."""

HEADINGS = {"title", "st", "ss", "head", "heading", "label", "subtitle", *(f"h{level}" for level in range(1, 7))}

CELLS = {"td", "th", "entry", "cell"}


@dataclass
class QueryPage:
    """One query: its documents by number, and for each run its list."""

    query: str
    judged: Mapping[str, JudgedDocument]
    docs: dict[str, int] = field(default_factory=dict)
    lists: list[dict[str, Any]] = field(default_factory=list)
    trees: list[dict[str, list[list[Any]]]] = field(default_factory=list)
    parts: list[list[list[Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for doc, known in self.judged.items():
            if known.passages:
                self.number(doc)

    def number(self, doc: str) -> int:
        return self.docs.setdefault(doc, len(self.docs))

    def add(self, results: Results, explained: Sequence[Mapping[str, Any]], texts: Texts) -> None:
        """Put the list of the next run, and what became of the relevant parts, behind those that are there."""
        self.parts.append([self._part(part) for part in explained])
        self.trees.append(self._trees(results, explained, texts))
        relevant = np.array([bool(self._known(doc).passages) for doc in results.doc], np.bool_)
        kept = np.flatnonzero(relevant | (np.arange(len(results)) < FIRST))
        self.lists.append({"total": len(results), "rows": [self._row(results, i) for i in kept.tolist()]})

    def add_none(self) -> None:
        """The next run has no list for this query."""
        self.lists.append({"total": 0, "rows": []})
        self.parts.append([])
        self.trees.append({})

    def _known(self, doc: str) -> JudgedDocument:
        return self.judged.get(doc) or JudgedDocument(doc, [], None, None)

    def _row(self, results: Results, i: int) -> list[Any]:
        low, high = int(results.span_offsets[i]), int(results.span_offsets[i + 1])
        spans = np.stack([results.start[low:high], results.end[low:high]], axis=1).ravel().tolist()
        return [
            i + 1,
            self.number(results.doc[i]),
            spans,
            int(results.size[i]),
            int(results.highlighted[i]),
            int(results.new[i]),
            int(results.gained[i]),
            None if results.worth is None else round(float(results.worth[i]), 4),
            results.path[i],
            int(results.repeated[i]),
        ]

    def _part(self, part: Mapping[str, Any]) -> list[Any]:
        """A relevant part: its document and place, what became of it, from which rank, how likely."""
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
        """Of every document the elements that matter: relevant or returned, and those around them."""
        told: dict[str, dict[int, tuple[str, str]]] = {}
        for rank, (doc, node) in enumerate(zip(results.doc, results.node.tolist(), strict=True), 1):
            if node >= 0:
                told.setdefault(doc, {}).setdefault(node, ("", f"returned at rank {rank}"))
        for part in explained:
            document = texts.document(part["doc_id"])
            if document is not None and part["part"].startswith("/") and " " not in part["part"]:
                node = document.node(part["part"])
                told.setdefault(part["doc_id"], {})[node] = STATUSES[part["status"]], _how(part)
        return {str(self.number(doc)): _folded(texts.document(doc), nodes) for doc, nodes in told.items()}

    def content(self, texts: Texts) -> dict[str, Any]:
        """The page as the browser takes it."""
        docs = []
        for doc in self.docs:
            known = self._known(doc)
            number, why = texts.number_of(doc)
            length = texts.length_of(doc) if known.length is None else known.length
            docs.append(
                {"id": doc, "length": length, "bep": known.bep, "passages": known.passages, "text": number, "why": why}
            )
        return {"docs": docs, "lists": self.lists, "trees": self.trees, "parts": self.parts}


STATUSES = {"hit": "hit", "near-miss": "near", "miss": "miss"}


def _how(part: Mapping[str, Any]) -> str:
    """How a relevant part was met, in words."""
    if part["status"] == "hit":
        return f"rank {part['rank']}"
    return f"from rank {part['from_rank']}, {part['probability']:.2f}" if part["status"] == "near-miss" else ""


def _folded(document: Document | None, told: Mapping[int, tuple[str, str]]) -> list[list[Any]]:
    """These nodes and their ancestors: depth, path, size, status and words."""
    if document is None:
        return []
    shown: set[int] = set()
    for node in told:
        while node >= 0 and node not in shown:
            shown.add(node)
            node = int(document.parent[node])
    size = document.end - document.start
    return [
        [int(document.depth[node]), document.path[node], int(size[node]), *told.get(node, ("", ""))]
        for node in sorted(shown)
    ]


class Texts:
    """The documents that the page carries, each once, by number."""

    def __init__(self, collection: Collection | None) -> None:
        self.collection = collection
        self.numbers: dict[str, int] = {}
        self.left_out: set[str] = set()

    def document(self, doc: str) -> Document | None:
        return self.collection[doc] if self.collection is not None and doc in self.collection else None

    def length_of(self, doc: str) -> int | None:
        document = self.document(doc)
        return None if document is None else document.length

    def number_of(self, doc: str) -> tuple[int | None, str]:
        """The number of an embedded text, or why there is none."""
        if doc in self.numbers:
            return self.numbers[doc], ""
        if self.collection is None:
            return None, "The text is not shown: the report was made without the documents (--collection)."
        document = self.document(doc)
        if document is None:
            return None, "The text is not shown: the collection has no such document."
        if document.text is None:
            return None, "The text is not shown: the stored index does not hold it."
        return None, "The text is left out of this page, which would have become too large (--max-mb)."


def text_content(document: Document) -> dict[str, Any]:
    """A document's text, and where its blocks begin: an element is a block unless its text is mixed into a parent's.

    The cells of a row but the first are beside one another, and so is what a cell begins with.
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
    """Which elements stand by themselves: those all of whose ancestors have no text of their own but blanks."""
    text = document.text or ""
    parts = np.zeros(len(document), np.bool_)
    for node, parent in enumerate(document.parent.tolist()):
        parts[node] = parent < 0 or parts[parent]
        if parts[node] and any(not text[start:end].isspace() for start, end in document.text_nodes(node)):
            parts[node] = False  # its children are inline
    block: Bools = np.append(True, parts[document.parent[1:]])
    return block


def wanted_texts(pages: Iterable[QueryPage]) -> list[str]:
    """The documents of all pages, those that matter most first: with relevant text, then by rank."""
    relevant: dict[str, None] = {}
    others: dict[str, int] = {}
    for page in pages:
        names = list(page.docs)
        relevant.update(dict.fromkeys(doc for doc in names if page._known(doc).passages))
        for rows in page.lists:
            for row in rows["rows"]:
                others[names[row[1]]] = min(others.get(names[row[1]], row[0]), row[0])
    rest = sorted((doc for doc in others if doc not in relevant), key=lambda doc: others[doc])
    return [*relevant, *rest]
