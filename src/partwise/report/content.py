"""What a report shows of topics and documents: the lists of all runs, and the documents they lead into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partwise.collection import Collection, Document
from partwise.listing import JudgedDocument, Results
from partwise.model import Bools

FIRST = 100
"""Of every list so many results are shown, and behind them those in documents with relevant text."""

HEADINGS = {"title", "st", "ss", "head", "heading", "label", "subtitle", *(f"h{level}" for level in range(1, 7))}


@dataclass
class TopicPage:
    """One topic: its documents by number, and for each run its list."""

    topic: str
    judged: Mapping[str, JudgedDocument]
    docs: dict[str, int] = field(default_factory=dict)
    lists: list[dict[str, Any]] = field(default_factory=list)
    trees: list[dict[str, list[list[Any]]]] = field(default_factory=list)
    parts: list[list[dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for doc, known in self.judged.items():
            if known.passages:
                self.number(doc)

    def number(self, doc: str) -> int:
        return self.docs.setdefault(doc, len(self.docs))

    def add(self, results: Results) -> None:
        """Put the list of the next run behind those that are there."""
        relevant = np.array([bool(self._known(doc).passages) for doc in results.doc], np.bool_)
        kept = np.flatnonzero(relevant | (np.arange(len(results)) < FIRST))
        self.lists.append({"total": len(results), "rows": [self._row(results, i) for i in kept.tolist()]})

    def add_none(self) -> None:
        """The next run has no list for this topic."""
        self.lists.append({"total": 0, "rows": []})

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
    """A document's text, and where its blocks begin: an element is a block unless its text is mixed into a parent's."""
    blocks = {}
    for node in np.flatnonzero(_blocks(document)).tolist():
        at = int(document.start[node])
        blocks[at] = "heading" if document.tag[node].lower() in HEADINGS else "block"
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


def wanted_texts(pages: Iterable[TopicPage]) -> list[str]:
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
