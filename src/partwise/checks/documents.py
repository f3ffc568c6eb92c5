"""The documents against which runs and assessments are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partwise.checks.findings import Finding, Notebook
from partwise.collection import Collection, Document
from partwise.errors import PartwiseError, PathError
from partwise.formats.quoted import QuotedRows
from partwise.messages import Text
from partwise.model import NONE, Bools, Source
from partwise.quotes import misplaced, quotes_in


class Documents:
    """Lengths and an optional collection, whose unreadable documents are collected as errors."""

    def __init__(self, collection: Collection | None, lengths: Mapping[str, int]) -> None:
        self.collection = collection
        self.lengths = lengths
        self.unreadable: dict[str, PartwiseError] = {}

    def lacking(self, docs: Sequence[str]) -> Bools:
        """Which of these documents the collection does not have."""
        return np.zeros(len(docs), np.bool_) if self.collection is None else ~self.collection.has(docs)

    def read(self, doc: str) -> Document | None:
        """The document, or None if it does not exist or cannot be read."""
        if self.collection is None or doc in self.unreadable or doc not in self.collection:
            return None
        try:
            return self.collection[doc]
        except PartwiseError as error:
            self.unreadable[doc] = error
            return None

    def stored_length(self, doc: str) -> int:
        """The length in the collection, in the unit of offsets, or NONE if unknown."""
        document = self.read(doc)
        return NONE if document is None else int(document.length)

    def misplaced(self, quoted: QuotedRows | None) -> list[tuple[int, Text]]:
        """The lines of rows whose text is not at their offsets in the collection, each with a message."""
        if quoted is None:
            return []
        numbers, quotes = quotes_in(quoted.rows, quoted.unit)
        if self.collection is None:
            return []
        texts: dict[str, str] = {}
        for doc in dict.fromkeys(quote.doc_id for quote in quotes):
            document = self.read(doc)
            if document is not None and document.text is not None:
                texts[doc] = document.text
        found = misplaced(quotes, texts, quoted.unit, self.collection.tokenizer)
        return [(quoted.lines[numbers[number]], message) for number, message in found]

    def span(self, doc: str, path: str, last: str | None = None) -> tuple[int, int] | PathError | None:
        """The span of a path, the error if it does not exist, or None if the document does not exist."""
        document = self.read(doc)
        try:
            return None if document is None else document.span(path, last)
        except PathError as error:
            return error

    def findings(self, task: str | None) -> list[Finding]:
        if self.collection is None or not self.unreadable:
            return []
        book = Notebook(Source(self.collection.name), task)
        book.counts["unreadable-document"] = len(self.unreadable)
        book.examples["unreadable-document"] = [(0, str(error)) for error in self.unreadable.values()]
        return book.findings()
