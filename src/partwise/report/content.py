"""The texts in a report: which documents it has, and what the page draws of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.messages import report
from partwise.model import Bools, Ints
from partwise.units import CHARS

if TYPE_CHECKING:
    from partwise.collection import Collection, Document

HEADINGS = {"title", "st", "ss", "head", "heading", "label", "subtitle", *(f"h{level}" for level in range(1, 7))}

WITHOUT_TEXTS = None, str(report.TEXT_WITHOUT_COLLECTION.note())
"""The number of a text that is not in the page, and the reason, if there is no collection."""

CELLS = {"td", "th", "entry", "cell"}


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

    def places(self, docs: Sequence[str], doc: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Spans as places in the texts that the page shows; `doc` is the number of each one's document in `docs`."""
        if self.collection is None or self.collection.unit == CHARS:
            return start, end
        start, end = start.copy(), end.copy()
        order = np.argsort(doc, kind="stable")
        for spans in np.split(order, np.flatnonzero(np.diff(doc[order])) + 1):
            document = self.document(docs[int(doc[spans[0]])]) if len(spans) else None
            if document is not None and document is not document.characters:
                start[spans], end[spans] = document.char_positions(start[spans]), document.char_positions(end[spans])
        return start, end

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
