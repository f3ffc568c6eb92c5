"""Documents with structure: collections of XML, Markdown, HTML, plain text and code, as trees over characters."""

from __future__ import annotations

import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.collection import index
from partwise.collection.archives import Tar, Zip
from partwise.collection.batches import parsed_ahead
from partwise.collection.document import Document, label_counts
from partwise.collection.forest import Forest
from partwise.collection.index import Progress, Stored
from partwise.collection.sources import Folder, InUnit, JsonLines, Objects, Source
from partwise.errors import PartwiseError, shown
from partwise.files import COMPRESSIONS
from partwise.later import tokens
from partwise.messages import documents, files
from partwise.model import Bools, Ints

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer

__all__ = ["Collection", "Document", "Forest", "Progress", "opened", "write_index"]

ACCEPTED = "a folder, a .zip, .tar, .tar.gz or .jsonl file, an index (.parquet), or a mapping of ids to texts"
_CACHE = 1 << 27
"""The cache holds documents up to this many characters, a node counting as `_NODE` of them."""
_NODE = 100


class Collection:
    """Documents by id, read on access; it pickles as its path, without the documents.

    >>> import partwise as pw
    >>> articles = pw.Collection.open({"d1": "<article><p>One</p><p>Two</p></article>"})
    >>> articles["d1"].span("/article[1]/p[2]")
    (3, 6)
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._start()

    def _start(self) -> None:
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._weight = 0
        self._labels: dict[str, int] | None = None
        self._lock = threading.RLock()

    def __getstate__(self) -> Source:
        return self.source

    def __setstate__(self, source: Source) -> None:
        self.source = source
        self._start()

    @classmethod
    def open(cls, source: Any) -> Collection:
        """Open a collection from a path or a mapping; one without documents is an error.

        - `source`: a folder, an archive, a file or a mapping.
        """
        if isinstance(source, Collection):
            return source
        collection = cls(_source(source))
        collection.source.check()
        return collection

    @property
    def unit(self) -> str:
        """What the offsets of its documents count."""
        return self.source.unit if isinstance(self.source, InUnit) else "chars"

    @property
    def tokenizer(self) -> Tokenizer | None:
        """What divides its documents into tokens, if offsets in tokens are to be understood."""
        return self.source.tokenizer if isinstance(self.source, InUnit) else None

    def in_unit(self, unit: str, tokenizer: Tokenizer | None = None) -> Collection:
        """The same documents with the offsets of their elements in another unit.

        - `unit`: ``chars``, ``bytes``, ``utf16``, ``lines`` or ``tokens``.
        - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
        """
        if unit == "seconds":
            raise PartwiseError(documents.NO_SECONDS(), file=self.name)
        if unit == self.unit and tokenizer in (None, self.tokenizer):
            return self
        if unit == "tokens" and tokenizer is None:
            raise PartwiseError(documents.NO_TOKENIZER())
        source = self.source.source if isinstance(self.source, InUnit) else self.source
        is_plain = unit == "chars" and tokenizer is None
        other = Collection(source if is_plain else InUnit(source, unit, tokenizer))
        other._lock = self._lock  # they read from the same files
        return other

    @property
    def name(self) -> str:
        """The name for error messages: the path it was opened with."""
        return self.source.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out when it was opened: links that were not followed."""
        return self.source.notes

    def notes_on_reading(self) -> list[str]:
        """Notes on the documents that were read so far: Python files that do not parse."""
        return list(self.source.notes_on_reading())

    def __repr__(self) -> str:
        return f"Collection({self.name!r})"

    def __len__(self) -> int:
        with self._lock:
            return self.source.count()

    def __iter__(self) -> Iterator[str]:
        return iter(self.doc_ids())

    def __contains__(self, doc_id: object) -> bool:
        with self._lock:
            return doc_id in self.source

    def __getitem__(self, doc_id: str) -> Document:
        if not isinstance(doc_id, str):
            raise PartwiseError(documents.ID_NOT_TEXT(doc_id=shown(doc_id)))
        with self._lock:
            kept = self._kept.get(doc_id)
            if kept is not None:
                self._kept.move_to_end(doc_id)
                return kept
            document = self._read(doc_id)
            self._kept[doc_id] = document
            self._weight += _weight(document)
            while self._weight > _CACHE and len(self._kept) > 1:
                self._weight -= _weight(self._kept.popitem(last=False)[1])
            return document

    def has(self, doc_ids: Sequence[str]) -> Bools:
        """Whether it contains each of these documents (`doc_ids`)."""
        with self._lock:
            return self.source.has(doc_ids)

    def forest(self, doc_ids: Sequence[str]) -> Forest:
        """The trees of these documents (`doc_ids`), which it contains, one after the other."""
        with self._lock:
            forest = self.source.forest(doc_ids)
            return Forest.of([self[doc_id] for doc_id in doc_ids]) if forest is None else forest

    def lengths(self, doc_ids: Sequence[str]) -> Ints:
        """The lengths of these documents (`doc_ids`), which it contains."""
        with self._lock:
            lengths = self.source.lengths(doc_ids)
            return np.array([self[doc_id].length for doc_id in doc_ids], np.int64) if lengths is None else lengths

    def _read(self, doc_id: str) -> Document:
        if doc_id not in self.source:
            first = shown(self.doc_ids()[0])
            raise PartwiseError(documents.NO_DOCUMENT(doc_id=shown(doc_id), first=first), file=self.name)
        return self.source.read(doc_id)

    def label_counts(self) -> dict[str, int]:
        """The structural summary: the number of nodes with each label path such as ``/article/bdy/sec``.

        A stored index contains it; otherwise all documents are read once.
        """
        with self._lock:
            if self._labels is None:
                self._labels = self.source.label_counts()
            if self._labels is None:
                counts: Counter[str] = Counter()
                for doc_id in self.source.doc_ids():
                    counts.update(label_counts(self.source.read(doc_id).labels))
                self._labels = dict(counts)
            return self._labels

    def doc_ids(self) -> list[str]:
        """The ids of all documents."""
        with self._lock:
            return self.source.doc_ids()


def opened(collection: Any) -> Collection | None:
    """Open a folder, an archive, JSON Lines, a stored index or a mapping of texts; None stays None."""
    return None if collection is None else Collection.open(collection)


def _weight(document: Document) -> int:
    return document.length + _NODE * len(document)


def _source(origin: Any) -> Source:
    if isinstance(origin, Mapping):
        return Objects(origin)
    if not isinstance(origin, (str, os.PathLike)):
        raise PartwiseError(documents.WRONG_TYPE(type=type(origin).__name__, accepted=ACCEPTED))
    path = os.fsdecode(origin)
    if os.path.isdir(path):
        return Folder(path)
    if not os.path.exists(path):
        raise PartwiseError(files.NO_SUCH_PATH(), file=path)
    name = os.path.basename(path).lower()
    if name.endswith(".zip"):
        return Zip(path)
    if name.endswith((".tar", ".tar.gz", ".tgz")):
        return Tar(path)
    if name.endswith((".jsonl", *(".jsonl" + suffix for suffix in COMPRESSIONS))):
        return JsonLines(path)
    if name.endswith(".parquet"):
        return Stored(path)
    raise PartwiseError(documents.NOT_A_COLLECTION(accepted=ACCEPTED), file=path)


def write_index(
    collection: Any,
    path: str | os.PathLike[str],
    texts: bool = True,
    progress: Progress | None = None,
    tokenizer: Any = None,
) -> None:
    """Write a collection, or anything that opens as one, to a Parquet file that opens as a collection.

    With a tokenizer (its name, or what `register_tokenizer` takes), the tokens of the documents are stored as well.

    - `path`: the path of the file.
    - `texts`: whether to store the texts too.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    source = Collection.open(collection).source
    stored = None if tokenizer is None else tokens.tokenizer(tokenizer)
    batches = parsed_ahead(source, as_documents=stored is not None)
    index.write(batches, source.count(), path, texts, progress, stored)
