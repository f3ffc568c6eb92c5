"""The stored index: the nodes of a collection in one Parquet file, a row each.

Columns: ``doc, preorder, parent, depth, tag, path, start, end``, and ``text`` in the row of a document's root. With a
tokenizer, also the tokens of each document: see `stored_tokens`.
Documents do not cross row groups, so each group can be read alone. The metadata of the file contains a directory (the
id, number of nodes and length of each document, in order) and the structural summary (the number of nodes with each
label path).
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from partwise.collection import stored_tokens
from partwise.collection.document import Document, StoredTokens, distinct, positions
from partwise.collection.sources import Source
from partwise.errors import PartwiseError, shown
from partwise.files import is_unicode, refuse_large_parquet, refuse_stream
from partwise.messages import documents as messages
from partwise.model import Coded, Ints, numbers_of
from partwise.outputs import replacing
from partwise.settings import Reading, current

if TYPE_CHECKING:
    import pyarrow

    from partwise.tokens import Tokenizer

Progress = Callable[[int, int], None]

VERSION = 2
_VERSION_KEY, _DIRECTORY_KEY, _LABELS_KEY = b"partwise.index", b"partwise.documents", b"partwise.labels"
_CHECKSUM_KEY = b"partwise.checksum"
"""The checksum of directory and labels. The directory has one of every document, which is verified when it is read:
those of Parquet do not cover its own metadata."""
_INTEGERS = ("parent", "start", "end")
_NODES, _CHARACTERS = 1 << 15, 1 << 22
"""A row group ends with the document that brings it to this many nodes, or characters of stored text."""
_DICTIONARY = 1 << 26
"""The largest dictionary of the paths of a row group, in bytes."""
_GROUPS_KEPT = 4


# ---- writing ------------------------------------------------------------------------------------------------


def write(
    documents: Iterable[Document],
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
    entries: list[_Entry] = []
    counts: list[stored_tokens.Count] = []
    labels: Counter[str] = Counter()
    with (
        replacing(name) as file,
        pq.ParquetWriter(
            file,
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
        batch: list[Document] = []
        spans: list[tuple[Ints, Ints]] = []
        nodes = characters = 0
        for done, document in enumerate(documents, 1):
            if not is_unicode(document.doc_id):
                raise PartwiseError(messages.ID_NOT_UNICODE(doc_id=shown(document.doc_id)))
            if texts and document.utf8 is None:
                raise PartwiseError(messages.NO_TEXT_TO_WRITE(doc_id=document.doc_id))
            batch.append(document)
            entries.append(_Entry(document.doc_id, len(document), document.length, _checksum(document, texts)))
            if tokenizer is not None:
                spans.append(document.token_spans(tokenizer))
                counts.append(stored_tokens.counted(*spans[-1], described))
            nodes += len(document)
            characters += document.length if texts or tokenizer is not None else 0
            if nodes >= _NODES or characters >= _CHARACTERS or done == count:
                table = _table(batch, schema, labels, spans)
                if written is not None:
                    written.result()
                written = thread.submit(writer.write_table, table, row_group_size=nodes)
                batch, spans, nodes, characters = [], [], 0, 0
            if progress is not None:
                progress(done, count)
        if written is not None:
            written.result()
        import json

        directory, label_counts = _packed(entries, counts).encode(), json.dumps(labels).encode()
        writer.add_key_value_metadata(
            {
                _VERSION_KEY: str(VERSION),
                _DIRECTORY_KEY: directory,
                _LABELS_KEY: label_counts,
                _CHECKSUM_KEY: str(crc32(label_counts, crc32(directory))),
                **({} if tokenizer is None else {stored_tokens.KEY: described}),
            }
        )


class _Entry(NamedTuple):
    """A document in the directory."""

    doc_id: str
    nodes: int
    length: int
    checksum: int


def _checksum(document: Document, texts: bool) -> int:
    """The checksum of a document's tree, and of its text if the index has texts."""
    value = crc32(f"{document.doc_id}\0{document.length}\0".encode() + "\0".join(document.tag).encode())
    for column in (document.parent, document.start, document.end):
        value = crc32(np.asarray(column, np.int64).tobytes(), value)
    return crc32(document.utf8 or b"", value) if texts else value


def _table(batch: list[Document], schema: Any, labels: Counter[str], spans: list[tuple[Ints, Ints]]) -> pyarrow.Table:
    """The rows of some documents; the counts of their label paths are added to `labels`."""
    import pyarrow as pa

    counts = [len(document) for document in batch]
    first = np.cumsum([0, *counts])
    tags: dict[str, int] = {}
    codes = []
    for document in batch:
        code_of = [tags.setdefault(tag, len(tags)) for tag in document.tags.names]
        codes.append(np.array(code_of, np.int32)[document.tags.codes])

    def joined(columns: list[Ints]) -> Any:
        return pa.array(np.concatenate(columns).astype(np.int32))

    tag, depth = np.concatenate(codes), np.concatenate([document.depth for document in batch])
    parent = np.concatenate([document.parent + at for document, at in zip(batch, first.tolist(), strict=False)])
    path, paths, label_of_path, label_names = _paths(parent, depth, tag, list(tags))
    nodes_of_label = np.bincount(label_of_path, np.bincount(path)).astype(np.int64)
    labels.update(dict(zip(label_names, nodes_of_label.tolist(), strict=True)))

    columns = {
        "doc": pa.DictionaryArray.from_arrays(
            np.repeat(np.arange(len(batch), dtype=np.int32), counts), [document.doc_id for document in batch]
        ),
        "preorder": joined([np.arange(count) for count in counts]),
        "parent": joined([document.parent for document in batch]),
        "depth": pa.array(depth.astype(np.int32)),
        "tag": pa.DictionaryArray.from_arrays(tag, list(tags)),
        "path": pa.DictionaryArray.from_arrays(path, paths),
        "start": joined([document.start for document in batch]),
        "end": joined([document.end for document in batch]),
    }
    if spans:
        columns |= stored_tokens.columns(spans, first)
    if "text" in schema.names:
        columns["text"] = _at_roots([document.utf8 or b"" for document in batch], first)
    return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


def _paths(
    parent: Ints, depth: Ints, tag: NDArray[np.int32], names: list[str]
) -> tuple[NDArray[np.int32], list[str], Ints, list[str]]:
    """The path code of each node, the path of each code, the label code of each path, and the label of each code.

    Works level by level and builds each distinct string once. Labels come from the paths, which are fewer than nodes.
    """
    own = np.where(depth > 0, parent, -1 - np.arange(len(parent)))  # the roots of different documents are not siblings
    step = positions(own + len(own), tag.astype(np.int64)) * len(names) + tag
    steps = int(step.max()) + 1
    order = np.argsort(depth.astype(np.int16), kind="stable")
    levels = np.searchsorted(depth[order], np.arange(int(depth.max()) + 2)).tolist()
    code = np.zeros(len(depth), np.int64)
    paths, step_names = [""], _Steps(names)
    labels: list[str] = []
    label: list[Ints] = []
    above_labels, kind, first = [""], np.zeros(1, np.int64), 0
    for low, high in pairwise(levels):
        nodes = order[low:high]
        above = code[parent[nodes]] if low else 0
        pairs, inverse = np.unique(above * steps + step[nodes], return_inverse=True)
        code[nodes] = inverse + len(paths)
        before, last = np.divmod(pairs, steps)
        key = kind[before - first] * len(names) + last % len(names)
        kinds, kind = distinct(key, len(above_labels) * len(names))
        label.append(kind + len(labels))
        above_labels = [f"{above_labels[one // len(names)]}/{names[one % len(names)]}" for one in kinds.tolist()]
        labels += above_labels
        first = len(paths)
        paths += [paths[one] + step_names[step_of] for one, step_of in zip(before.tolist(), last.tolist(), strict=True)]
    return (code - 1).astype(np.int32), paths[1:], np.concatenate(label), labels


class _Steps(dict[int, str]):
    """The last step of a path, by position times the number of tags plus tag."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, key: int) -> str:
        position, tag = divmod(key, len(self.names))
        self[key] = f"/{self.names[tag]}[{position}]"
        return self[key]


def _at_roots(texts: list[bytes], first: Ints) -> Any:
    """A column with each text in the first row of its document and null in the other rows."""
    import pyarrow as pa

    bounds = np.cumsum([0, *map(len, texts)])
    rows = int(first[-1])
    is_root = np.zeros(rows, np.bool_)
    is_root[first[:-1]] = True
    offsets = np.zeros(rows + 1, np.int32)
    offsets[1:] = bounds[np.cumsum(is_root)]
    validity = pa.py_buffer(np.packbits(is_root, bitorder="little"))
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)), validity)


def _packed(entries: list[_Entry], counts: list[stored_tokens.Count]) -> str:
    import pyarrow as pa

    of_tokens = dict(zip(stored_tokens.DIRECTORY, zip(*counts, strict=True), strict=True)) if counts else {}
    table = pa.table(
        {
            "doc": pa.array([entry.doc_id for entry in entries], pa.string()),
            "nodes": pa.array([entry.nodes for entry in entries], pa.int64()),
            "length": pa.array([entry.length for entry in entries], pa.int64()),
            "checksum": pa.array([entry.checksum for entry in entries], pa.int64()),
            **{name: pa.array(column, pa.int64()) for name, column in of_tokens.items()},
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(table)
    import base64

    return base64.b64encode(sink.getvalue().to_pybytes()).decode()


# ---- reading ------------------------------------------------------------------------------------------------


class _Stored(NamedTuple):
    """Where a document is: the row group, the first row in it, the number of nodes; its length and checksum; the same
    of its tokens, 0 if none are stored."""

    group: int
    first: int
    nodes: int
    length: int
    checksum: int
    tokens: int
    token_checksum: int


class Stored(Source):
    """A stored index: the directory is read when it is opened, nodes and texts on access."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self.settings = current()
        self._opened: tuple[int, Any] | None = None
        self._directory: dict[str, _Stored] | None = None
        self._groups: OrderedDict[int, Any] = OrderedDict()
        self._tokenizer: bytes | None = None
        self._token_key = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _stored, (self.name, self.path, self.settings)

    def _file(self) -> Any:
        import pyarrow.parquet as pq

        if self._opened is None or self._opened[0] != os.getpid():
            refuse_stream(self.path, self.name)
            try:
                self._opened = os.getpid(), pq.ParquetFile(self.path, page_checksum_verification=True)
            except MemoryError:
                raise
            except Exception as error:
                raise self._damaged(error) from None
        return self._opened[1]

    def _damaged(self, error: Exception) -> PartwiseError:
        reason = " ".join(str(error).split()) or type(error).__name__
        return PartwiseError(messages.DAMAGED_INDEX(reason=reason), file=self.name)

    @property
    def directory(self) -> dict[str, _Stored]:
        """Where each document is, by its id."""
        if self._directory is None:
            metadata = self._file().metadata
            entries = metadata.metadata or {}
            if _VERSION_KEY not in entries or _DIRECTORY_KEY not in entries:
                raise PartwiseError(messages.NOT_AN_INDEX(), file=self.name)
            if entries[_VERSION_KEY] != str(VERSION).encode():
                version = entries[_VERSION_KEY].decode(errors="replace")
                raise PartwiseError(messages.OTHER_VERSION(version=version, supported=VERSION), file=self.name)
            checksum = crc32(entries.get(_LABELS_KEY, b""), crc32(entries[_DIRECTORY_KEY]))
            if entries.get(_CHECKSUM_KEY) != str(checksum).encode():
                raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
            self._tokenizer = entries.get(stored_tokens.KEY)
            self._check_types()
            self._directory = self._unpacked(entries[_DIRECTORY_KEY], metadata)
        return self._directory

    def _check_types(self) -> None:
        """Raise an error unless the columns that are read have their types."""
        import pyarrow as pa

        schema = self._file().schema_arrow
        kinds = {name: schema.field(name).type for name in schema.names if schema.names.count(name) == 1}
        texts = {name: kind.value_type if pa.types.is_dictionary(kind) else kind for name, kind in kinds.items()}
        is_right = {name: name in kinds and pa.types.is_int32(kinds[name]) for name in _INTEGERS}
        is_right |= {name: pa.types.is_string(texts[name]) for name in ("tag", "text") if name in texts}
        if self._tokenizer is not None:
            lists = pa.list_(pa.int32())
            is_right |= {name: name in kinds and kinds[name] == lists for name in stored_tokens.COLUMNS}
            try:
                self._token_key = stored_tokens.key_in(self._tokenizer)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise self._damaged(error) from None
        for name, right in {"tag": False, **is_right}.items():
            if not right:
                kind = kinds.get(name, "missing")
                raise PartwiseError(messages.DAMAGED_INDEX(reason=f"the column {name} is {kind}"), file=self.name)

    def _unpacked(self, packed: bytes, metadata: Any) -> dict[str, _Stored]:
        import pyarrow as pa

        try:
            import base64

            with pa.ipc.open_stream(base64.b64decode(packed)) as stream:
                table = stream.read_all()
            docs = table["doc"].to_pylist()
            names = ["nodes", "length", "checksum", *(stored_tokens.DIRECTORY if self._tokenizer is not None else ())]
            numbers = [numbers_of(table[name]) for name in names]
            nodes, length, checksum, tokens, token_checksum = [*numbers, 0 * numbers[0], 0 * numbers[0]][:5]
        except MemoryError:
            raise
        except Exception as error:
            raise self._damaged(error) from None
        first = np.cumsum(nodes) - nodes
        rows = np.array([metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)], np.int64)
        group_first = np.cumsum(rows) - rows
        total = int(rows.sum())
        whole = all(column.dtype == np.int64 for column in numbers) and len(nodes) > 0
        if not whole or nodes.min() < 1 or nodes.max() > total or int(nodes.sum()) != total or length.min() < 0:
            raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
        group = np.searchsorted(group_first, first, side="right") - 1
        if (first + nodes > group_first[group] + rows[group]).any() or not all(isinstance(doc, str) for doc in docs):
            raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
        columns = (group, first - group_first[group], nodes, length, checksum, tokens, token_checksum)
        places = map(_Stored, *(column.tolist() for column in columns))
        directory = dict(zip(docs, places, strict=True))
        if len(directory) < len(docs):
            raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
        return directory

    def label_counts(self) -> dict[str, int] | None:
        directory = self.directory
        packed = (self._file().metadata.metadata or {}).get(_LABELS_KEY)
        if packed is None:
            return None
        try:
            import json

            counts: dict[str, int] = dict(json.loads(packed).items())
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._damaged(error) from None
        right = all(type(count) is int and count > 0 and label.startswith("/") for label, count in counts.items())
        if not right or sum(counts.values()) != sum(place.nodes for place in directory.values()):
            raise PartwiseError(messages.DAMAGED_DIRECTORY(), file=self.name)
        return counts

    def doc_ids(self) -> list[str]:
        return list(self.directory)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.directory

    def _group(self, number: int) -> Any:
        """A row group; a few are cached because neighbouring documents are often read together."""
        if number in self._groups:
            self._groups.move_to_end(number)
            return self._groups[number]
        file = self._file()
        names = set(file.schema_arrow.names)
        columns = ["parent", "tag", "start", "end", *(["text"] if "text" in names else [])]
        columns += stored_tokens.COLUMNS if self._tokenizer is not None else ()
        refuse_large_parquet(file.metadata, len(columns), [number], self.name, self.settings)
        try:
            table = file.read_row_group(number, columns=columns, use_threads=False)
        except MemoryError:
            raise
        except Exception as error:
            raise self._damaged(error) from None
        self._groups[number] = table
        while len(self._groups) > _GROUPS_KEPT:
            self._groups.popitem(last=False)
        return table

    def reader(self, doc_id: str) -> Callable[[], Document]:
        document = self._document(doc_id)
        return lambda: document

    def _document(self, doc_id: str) -> Document:
        group, first, nodes, length, checksum, *count = self.directory[doc_id]
        table = self._group(group).slice(first, nodes)
        try:
            parent, start, end = (numbers_of(table[name]).astype(np.int64) for name in ("parent", "start", "end"))
            names = table["tag"].to_pylist()
            if not all(isinstance(name, str) for name in names):
                raise PartwiseError(messages.DAMAGED_NODES(doc_id=shown(doc_id)[1:-1]), file=self.name)
            tags = Coded.of(names)
            text = table["text"][0].as_py() if "text" in table.column_names else None
            tokens: StoredTokens | None = None
            if self._tokenizer is not None:
                expected = stored_tokens.Count(*count)
                tokens = stored_tokens.read(table, self._token_key, self._tokenizer, expected, length)
        except (MemoryError, PartwiseError):
            raise
        except Exception as error:
            raise self._damaged(error) from None
        consistent = (
            len(parent) == nodes
            and parent[0] == -1
            and bool((parent[1:] >= 0).all())
            and bool((parent < np.arange(nodes)).all())
            and bool(((start >= 0) & (start <= end) & (end <= length)).all())
            and bool(((start[1:] >= start[parent[1:]]) & (end[1:] <= end[parent[1:]])).all())
            and (text is None or len(text) == length)
            and (self._tokenizer is None) == (tokens is None)
        )
        document = Document(doc_id, tags, parent, start, end, length, text, tokens=tokens)
        if not consistent or _checksum(document, "text" in table.column_names) != checksum:
            raise PartwiseError(messages.DAMAGED_NODES(doc_id=shown(doc_id)[1:-1]), file=self.name)
        return document


def _stored(name: str, path: str, settings: Reading) -> Stored:
    source = Stored(name)
    source.path, source.settings = path, settings
    return source
