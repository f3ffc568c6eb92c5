"""The stored index: the nodes of a collection in one Parquet file, a row each.

Columns: ``doc, preorder, parent, depth, tag, path, start, end``, and ``text`` in the row of a document's root. With a
tokenizer, also the tokens of each document: see `stored_tokens`. Other programs may read them; of these columns,
partwise itself reads only texts and tokens. Trees are mapped into memory: see `mapped`. Documents do not cross row
groups.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from partwise import kernels
from partwise.collection import stored_tokens
from partwise.collection.batches import Batch
from partwise.collection.document import Document, StoredTokens
from partwise.collection.forest import Forest
from partwise.collection.mapped import (
    Mapped,
    MappedWriter,
    NotMapped,
    Sink,
    packed_names,
    unpacked_names,
)
from partwise.collection.sources import Source
from partwise.errors import PartwiseError, shown
from partwise.files import is_unicode, refuse_large_parquet, refuse_stream
from partwise.messages import documents as messages
from partwise.model import Bools, Coded, Ints
from partwise.outputs import replacing
from partwise.settings import Reading, current

if TYPE_CHECKING:
    import pyarrow

    from partwise.tokens import Tokenizer

Progress = Callable[[int, int], None]

VERSION = 3
_VERSION_KEY = b"partwise.index"
_NUMBERS = ("doc", "preorder", "parent", "depth", "tag", "path", "start", "end")
"""The columns of numbers, in the order of `kernels.node_rows`."""
_NODES, _CHARACTERS = 1 << 15, 1 << 22
"""A row group ends with the document that brings it to this many nodes, or characters of stored text."""
_DICTIONARY = 1 << 26
"""The largest dictionary of the paths of a row group, in bytes."""
_GROUPS_KEPT = 4


# ---- writing ------------------------------------------------------------------------------------------------


def write(
    batches: Iterable[Batch],
    count: int,
    path: str | os.PathLike[str],
    texts: bool = True,
    progress: Progress | None = None,
    tokenizer: Tokenizer | None = None,
) -> None:
    """Write documents to one Parquet file; an existing file is replaced only if this succeeds."""
    from concurrent.futures import Future, ThreadPoolExecutor

    import pyarrow as pa
    import pyarrow.parquet as pq

    name = os.fspath(path)
    fields = [
        ("doc", pa.dictionary(pa.int32(), pa.string())),
        ("preorder", pa.int32()),
        ("parent", pa.int32()),
        ("depth", pa.int32()),
        ("tag", pa.dictionary(pa.int32(), pa.string())),
        ("path", pa.dictionary(pa.int32(), pa.string())),
        ("start", pa.int32()),
        ("end", pa.int32()),
    ]
    if tokenizer is not None:
        if not tokenizer.key:
            raise PartwiseError(messages.TOKENS_NOT_STORABLE(name=tokenizer.name))
        fields += [(column, pa.list_(pa.int32())) for column in stored_tokens.COLUMNS]
    described = b"" if tokenizer is None else stored_tokens.described(tokenizer)
    schema = pa.schema([*fields, ("text", pa.string())] if texts else fields)
    labels: Counter[str] = Counter()
    tags: dict[str, int] = {}
    with replacing(name) as file, MappedWriter() as mapped:
        sink = Sink(file)
        with (
            pq.ParquetWriter(
                sink,
                schema,
                compression={"text": "lz4", "path": "lz4"} if texts else {"path": "lz4"},
                use_dictionary=["doc", "tag", "path"],
                dictionary_pagesize_limit=_DICTIONARY,
                column_encoding={
                    **dict.fromkeys(("preorder", "parent", "depth", "start", "end"), "DELTA_BINARY_PACKED"),
                    **({} if tokenizer is None else stored_tokens.ENCODINGS),
                },
                write_statistics=["doc"],
                write_page_checksum=True,
            ) as writer,
            ThreadPoolExecutor(1) as thread,  # encodes and compresses while the next documents are read
        ):
            written: Future[None] | None = None
            group: list[Batch] = []
            nodes = characters = done = 0
            for whole in batches:
                batch = _checked(whole, texts, tokenizer)
                _add(mapped, batch, texts, tags, described)
                sizes = np.diff(batch.forest.offsets).tolist()
                low = 0
                for high, (size, length) in enumerate(zip(sizes, batch.forest.length.tolist(), strict=True), 1):
                    nodes += size
                    characters += length if texts or tokenizer is not None else 0
                    done += 1
                    if nodes >= _NODES or characters >= _CHARACTERS or done == count:
                        group.append(batch.part(low, high))
                        table = _table(group, schema, labels)
                        if written is not None:
                            written.result()
                        written = thread.submit(writer.write_table, table, row_group_size=nodes)
                        group, nodes, characters, low = [], 0, 0, high
                    if progress is not None:
                        progress(done, count)
                if low < len(sizes):
                    group.append(batch.part(low, len(sizes)))
            if written is not None:
                written.result()
            writer.add_key_value_metadata({_VERSION_KEY: str(VERSION)})
            sink.hold()
        import json

        header = {"version": VERSION, "texts": texts, "tags": list(tags)}
        header |= {} if tokenizer is None else {"tokenizer": described.decode()}
        mapped.write(sink, json.dumps(labels).encode(), header)


def _checked(batch: Batch, texts: bool, tokenizer: Tokenizer | None) -> Batch:
    """A batch that can be written, with the tokens of its documents."""
    for doc_id in batch.forest.doc_ids:
        if not is_unicode(doc_id):
            raise PartwiseError(messages.ID_NOT_UNICODE(doc_id=shown(doc_id)))
    if texts and batch.without_text is not None:
        raise PartwiseError(messages.NO_TEXT_TO_WRITE(doc_id=batch.without_text))
    if tokenizer is None:
        return batch
    return batch._replace(spans=[document.token_spans(tokenizer) for document in batch.documents])


def _add(mapped: MappedWriter, batch: Batch, texts: bool, tags: dict[str, int], described: bytes) -> None:
    """Add the documents of a batch to what is mapped, and the codes of new tags to `tags`."""
    forest, ids = batch.forest, packed_names(batch.forest.doc_ids)
    codes = np.array([tags.setdefault(tag, len(tags)) for tag in forest.tags.names], np.int64)
    columns = (forest.parent, forest.start, forest.end, codes[forest.tags.codes])
    blocks, checksum = kernels.write_trees(forest.offsets, forest.length, *columns, *ids)
    numbers = {"length": forest.length, "checksum": checksum}
    if texts:
        whole = memoryview(batch.text)
        checksums = [crc32(whole[low:high]) for low, high in pairwise(batch.bounds.tolist())]
        numbers["text_checksum"] = np.array(checksums, np.int64)
    if batch.spans is not None:
        counts = np.array([stored_tokens.counted(*spans, described) for spans in batch.spans], np.int64)
        numbers |= dict(zip(stored_tokens.Count._fields, counts.T, strict=True))
    mapped.add(forest.offsets, blocks, *ids, **numbers)


def _table(group: list[Batch], schema: Any, labels: Counter[str]) -> pyarrow.Table:
    """The rows of some documents; the counts of their label paths are added to `labels`."""
    import pyarrow as pa

    tags: dict[str, int] = {}
    batches = []
    for batch in group:
        forest = batch.forest
        codes = np.array([tags.setdefault(name, len(tags)) for name in forest.tags.names], np.int64)
        spans = forest.parent, forest.start, forest.end
        batches.append((forest.offsets, forest.tags.codes, codes, *spans, batch.bounds))
    names = packed_names(tags)
    numbers, paths, (*label_names, nodes_of_label), (bounds, has_text) = kernels.node_rows(batches, *names)
    labels.update(dict(zip(unpacked_names(*label_names), nodes_of_label.tolist(), strict=True)))
    columns = dict(zip(_NUMBERS, numbers, strict=True))
    doc_ids = packed_names(doc_id for batch in group for doc_id in batch.forest.doc_ids)
    for name, strings in {"doc": doc_ids, "tag": names, "path": paths}.items():
        columns[name] = pa.DictionaryArray.from_arrays(columns[name], _strings(*strings))
    if group[0].spans is not None:
        of_documents = [of_document for batch in group for of_document in batch.spans or ()]
        counts = np.concatenate([np.diff(batch.forest.offsets) for batch in group])
        columns |= stored_tokens.columns(of_documents, np.cumsum([0, *counts], dtype=np.int64))
    if "text" in schema.names:
        buffers = pa.py_buffer(bounds), _joined([batch.text for batch in group]), pa.py_buffer(has_text)
        columns["text"] = pa.StringArray.from_buffers(len(bounds) - 1, *buffers)
    return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


def _strings(data: Any, offsets: Ints) -> Any:
    import pyarrow as pa

    buffers = pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)
    return pa.StringArray.from_buffers(len(offsets) - 1, *buffers)


def _joined(texts: list[Any]) -> Any:
    """Texts laid end to end, in memory that Arrow keeps for the next ones: other memory would have to be cleared."""
    import pyarrow as pa

    whole = pa.allocate_buffer(sum(map(len, texts)))
    view = memoryview(whole).cast("B")
    at = 0
    for text in texts:
        view[at : at + len(text)] = text
        at += len(text)
    return whole


# ---- reading ------------------------------------------------------------------------------------------------


class Stored(Source):
    """A stored index: ids and trees are mapped into memory; texts and tokens are read by row group."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self.settings = current()
        self._opened: tuple[int, Any] | None = None
        self._mapped: Mapped | None = None
        self._groups: OrderedDict[int, Any] = OrderedDict()
        self._token_key = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _stored, (self.name, self.path, self.settings)

    def _damaged(self, error: Exception) -> PartwiseError:
        reason = " ".join(str(error).split()) or type(error).__name__
        return PartwiseError(messages.DAMAGED_INDEX(reason=reason), file=self.name)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Report whatever goes wrong inside as damage."""
        try:
            yield
        except (MemoryError, PartwiseError):
            raise
        except Exception as error:
            raise self._damaged(error) from None

    # ---- what is mapped -------------------------------------------------------------------------------------

    @property
    def mapped(self) -> Mapped:
        if self._mapped is None:
            refuse_stream(self.path, self.name)
            try:
                mapped = Mapped(self.path, VERSION)
            except (NotMapped, OSError, ValueError, RecursionError) as error:
                raise self._not_mapped(error) from None
            if mapped.version != VERSION:
                raise self._of_version(mapped.version)
            with self._reading():
                consistent = mapped.is_consistent()
                if mapped.tokenizer is not None:
                    self._token_key = stored_tokens.key_in(mapped.tokenizer.encode())
            if not consistent:
                raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
            self._mapped = mapped
        return self._mapped

    def _of_version(self, version: object) -> PartwiseError:
        return PartwiseError(messages.OTHER_VERSION(version=version, supported=VERSION), file=self.name)

    def _not_mapped(self, error: Exception) -> PartwiseError:
        """Why a file has no mapped sections: another Parquet file, an index of an earlier version, or damage."""
        metadata = self._file().metadata.metadata or {}
        if _VERSION_KEY not in metadata:
            return PartwiseError(messages.NOT_AN_INDEX(), file=self.name)
        version = metadata[_VERSION_KEY].decode(errors="replace")
        return self._damaged(error) if version == str(VERSION) else self._of_version(version)

    def label_counts(self) -> dict[str, int]:
        mapped = self.mapped
        with self._reading():
            import json

            stored = json.loads(mapped.bytes_of("labels", verified=True).tobytes())
        counts: dict[str, int] = stored if isinstance(stored, dict) else {}
        right = all(type(count) is int and count > 0 and label.startswith("/") for label, count in counts.items())
        if not right or sum(counts.values()) != mapped.nodes:
            raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
        return counts

    def check(self) -> None:
        _ = self.mapped

    def doc_ids(self) -> list[str]:
        mapped = self.mapped
        with self._reading():
            return mapped.doc_ids()

    def has(self, doc_ids: Sequence[str]) -> Bools:
        mapped = self.mapped
        with self._reading():
            there: Bools = mapped.find(doc_ids) >= 0
        return there

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and bool(self.has([doc_id])[0])

    def lengths(self, doc_ids: Sequence[str]) -> Ints:
        mapped = self.mapped
        with self._reading():
            lengths: Ints = mapped.numbers("length", verified=True)[mapped.find(doc_ids)]
        return lengths

    def forest(self, doc_ids: Sequence[str]) -> Forest:
        mapped = self.mapped
        with self._reading():
            numbers = mapped.find(doc_ids)
            offsets, parent, start, end, tag, damaged = mapped.trees(numbers)
        if damaged >= 0:
            raise self._damaged_nodes(doc_ids[damaged])
        length = mapped.numbers("length")[numbers]
        return Forest(doc_ids, offsets, Coded(tag, mapped.tags), parent, start, end, length)

    def _damaged_nodes(self, doc_id: str) -> PartwiseError:
        return PartwiseError(messages.DAMAGED_NODES(doc_id=shown(doc_id)[1:-1]), file=self.name)

    # ---- texts and tokens -----------------------------------------------------------------------------------

    def _file(self) -> Any:
        import pyarrow.parquet as pq

        if self._opened is None or self._opened[0] != os.getpid():
            refuse_stream(self.path, self.name)
            with self._reading():
                file = pq.ParquetFile(self.path, page_checksum_verification=True)
            self._opened = os.getpid(), file
        return self._opened[1]

    def _rows(self, doc_id: str, first: int, nodes: int) -> Any:
        """The rows of a document in the columns of texts and tokens."""
        file, mapped = self._file(), self.mapped
        rows = np.array([file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)], np.int64)
        bounds = np.concatenate([[0], np.cumsum(rows)])
        group = int(np.searchsorted(bounds, first, side="right")) - 1
        if bounds[-1] != mapped.nodes or first + nodes > bounds[group + 1]:
            raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
        return self._group(group).slice(first - int(bounds[group]), nodes)

    def _group(self, number: int) -> Any:
        """A row group; a few are cached because neighbouring documents are often read together."""
        if number in self._groups:
            self._groups.move_to_end(number)
            return self._groups[number]
        file = self._file()
        columns = [*(["text"] if self.mapped.has_texts else []), *(stored_tokens.COLUMNS if self._token_key else ())]
        refuse_large_parquet(file.metadata, len(columns), [number], self.name, self.settings)
        with self._reading():
            table = file.read_row_group(number, columns=columns, use_threads=False)
        self._groups[number] = table
        while len(self._groups) > _GROUPS_KEPT:
            self._groups.popitem(last=False)
        return table

    def reader(self, doc_id: str) -> Callable[[], Document]:
        document = self._document(doc_id)
        return lambda: document

    def _document(self, doc_id: str) -> Document:
        mapped, forest = self.mapped, self.forest([doc_id])
        length = int(forest.length[0])
        tags, codes = np.unique(forest.tags.codes, return_inverse=True)
        names = Coded(codes, [mapped.tags[tag] for tag in tags.tolist()])
        text: str | None = None
        tokens: StoredTokens | None = None
        if mapped.has_texts or self._token_key:
            number = int(mapped.find([doc_id])[0])
            table = self._rows(doc_id, int(mapped.numbers("first")[number]), len(forest.parent))
            with self._reading():
                if mapped.has_texts:
                    text = table["text"][0].as_py()
                    checksum = int(mapped.numbers("text_checksum")[number])
                    if not isinstance(text, str) or len(text) != length or crc32(text.encode()) != checksum:
                        raise self._damaged_nodes(doc_id)
                if self._token_key:
                    fields = (int(mapped.numbers(name)[number]) for name in stored_tokens.Count._fields)
                    count, described = stored_tokens.Count(*fields), (mapped.tokenizer or "").encode()
                    tokens = stored_tokens.read(table, self._token_key, described, count, length)
                    if tokens is None:
                        raise self._damaged_nodes(doc_id)
        return Document(doc_id, names, forest.parent, forest.start, forest.end, length, text, tokens=tokens)


def _stored(name: str, path: str, settings: Reading) -> Stored:
    source = Stored(name)
    source.path, source.settings = path, settings
    return source
