"""Documents in batches, as they are written to an index: their trees and texts as flat columns.

Sources of XML that a kernel recognises as well-formed are read together, without an object per document; all others
become documents first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from partwise.collection import xml
from partwise.collection.document import Document
from partwise.collection.forest import Forest
from partwise.collection.sources import Source
from partwise.errors import PartwiseError
from partwise.kernels import read_markups
from partwise.model import Coded, Ints
from partwise.settings import cores

Reader = Callable[[], Document]
Spans = list[tuple[Ints, Ints]]

_BYTES, _DOCUMENTS = 1 << 18, 1 << 9
"""A batch ends with the document that brings it to this many bytes of sources or documents."""
_UNKNOWN = 1 << 15
"""What a document counts whose source is not in memory."""
_AHEAD = 1 << 22
"""So many bytes of sources are read ahead of the documents that are written; at least a batch for each thread."""


class Batch(NamedTuple):
    """Some documents: the text of document i is ``text[bounds[i]:bounds[i+1]]``, in UTF-8.

    Its documents, and the spans of their tokens, are there only if they were asked for.
    """

    forest: Forest
    text: Any
    bounds: Ints
    without_text: str | None = None
    """The id of the first document that has none."""
    documents: Sequence[Document] = ()
    spans: Spans | None = None

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Batch:
        texts = [document.utf8 for document in documents]
        missing = (document.doc_id for document, text in zip(documents, texts, strict=True) if text is None)
        bounds = np.cumsum([0, *(len(text or b"") for text in texts)], dtype=np.int64)
        text = b"".join(text or b"" for text in texts)
        return cls(Forest.of(documents), text, bounds, next(missing, None), documents)

    def part(self, low: int, high: int) -> Batch:
        """The documents from one to another."""
        if (low, high) == (0, len(self.forest)):
            return self
        forest, bounds = self.forest, self.bounds[low : high + 1]
        first, last = forest.offsets[[low, high]].tolist()
        tags = forest.tags.codes[first:last]
        occurs = np.full(len(forest.tags.names), len(tags))
        occurs[tags[::-1]] = np.arange(len(tags))[::-1]  # the first node with each tag
        codes = np.argsort(occurs, kind="stable")[: np.count_nonzero(occurs < len(tags))]
        rank = np.zeros(len(occurs), np.int64)
        rank[codes] = np.arange(len(codes))
        inside = Forest(
            forest.doc_ids[low:high],
            forest.offsets[low : high + 1] - first,
            Coded(rank[tags], [forest.tags.names[code] for code in codes.tolist()]),
            forest.parent[first:last],
            forest.start[first:last],
            forest.end[first:last],
            forest.length[low:high],
        )
        text = memoryview(self.text)[int(bounds[0]) : int(bounds[-1])]
        spans = None if self.spans is None else self.spans[low:high]
        return Batch(inside, text, bounds - bounds[0], spans=spans)


def parsed(readers: Sequence[Reader], as_documents: bool) -> list[Batch]:
    """The documents of these readers, in their order; with `as_documents`, also as objects."""
    batches: list[Batch] = []
    alone: list[Document] = []

    def finish_alone() -> None:
        if alone:
            batches.append(Batch.of(alone.copy()))
            alone.clear()

    sources = [None if as_documents else xml.plain_source(read) for read in readers]
    at = 0
    while at < len(readers):
        together = [source for source in takewhile(bool, sources[at:]) if source]
        if together:
            offsets, tags, names, parent, start, end, length, text, bounds = read_markups(together)
            if len(length):
                finish_alone()
                doc_ids = [read.args[0] for read in readers[at : at + len(length)]]  # type: ignore[attr-defined]
                forest = Forest(doc_ids, offsets, Coded(tags, names), parent, start, end, length)
                batches.append(Batch(forest, text, bounds))
                at += len(length)
        if at < len(readers):  # of another format, or not recognised as well-formed
            alone.append(readers[at]())
            at += 1
    finish_alone()
    return batches


def _raise(error: PartwiseError) -> Document:
    raise error


def _read_together(source: Source) -> Iterator[tuple[int, list[Reader]]]:
    """Readers of documents that are parsed together, with the size of their sources; an error ends them."""
    together: list[Reader] = []
    size = 0
    try:
        for read in source.readers():
            together.append(read)
            size += len(read.args[1]) if isinstance(read, partial) else _UNKNOWN
            if size >= _BYTES or len(together) >= _DOCUMENTS:
                yield size, together
                together, size = [], 0
    except PartwiseError as error:
        together.append(partial(_raise, error))  # after any error of the documents before
    yield size, together


def parsed_ahead(source: Source, as_documents: bool) -> Iterator[Batch]:
    """All documents in order, read in this thread and parsed by one thread per core."""
    from concurrent.futures import Future, ThreadPoolExecutor

    threads = cores()
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[tuple[int, Future[list[Batch]]]] = deque()
        bytes_ahead = 0
        try:
            for size, together in _read_together(source):
                ahead.append((size, pool.submit(parsed, together, as_documents)))
                bytes_ahead += size
                while ahead and (ahead[0][1].done() or (len(ahead) > threads and bytes_ahead > _AHEAD)):
                    size, future = ahead.popleft()
                    bytes_ahead -= size
                    yield from future.result()
            while ahead:
                yield from ahead.popleft()[1].result()
        finally:
            for _, future in ahead:
                future.cancel()
