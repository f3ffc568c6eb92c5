"""A collection's nodes in one Parquet file, a row each, documents in batches that can be read alone.

Columns: ``doc, preorder, parent, depth, tag, path, start, end``, and ``text`` in the row of a document's root.
Documents do not cross row groups. The metadata of the file has a directory: the id, nodes and length of each document
in order. It also has the structural summary: how many nodes have each label path.
"""

from __future__ import annotations

import base64
import json
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partwise.collection.document import Document, distinct, positions
from partwise.collection.sources import Source
from partwise.errors import PartwiseError
from partwise.files import replacing
from partwise.model import Coded, Ints, numbers_of

if TYPE_CHECKING:
    import pyarrow

Progress = Callable[[int, int], None]

VERSION = 1
_VERSION_KEY, _DIRECTORY_KEY, _LABELS_KEY = b"partwise.index", b"partwise.documents", b"partwise.labels"
_NODES, _CHARACTERS = 1 << 15, 1 << 22
"""A row group ends behind the document with which it has that many nodes, or characters of stored text."""
_DICTIONARY = 1 << 26
"""Bytes of the paths of a row group that are stored once each."""
_GROUPS_KEPT = 4


# ---- writing ------------------------------------------------------------------------------------------------


def write(
    documents: Iterable[Document],
    count: int,
    path: str | os.PathLike[str],
    texts: bool = True,
    progress: Progress | None = None,
) -> None:
    """Write these documents to one Parquet file, whole or not at all."""
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
    schema = pa.schema([*fields, ("text", pa.string())] if texts else fields)
    entries: list[tuple[str, int, int]] = []
    labels: Counter[str] = Counter()
    with (
        replacing(name) as temporary,
        pq.ParquetWriter(
            temporary,
            schema,
            compression={"text": "lz4", "path": "lz4"} if texts else {"path": "lz4"},
            use_dictionary=["doc", "tag", "path"],
            dictionary_pagesize_limit=_DICTIONARY,
            column_encoding=dict.fromkeys(("preorder", "parent", "depth", "start", "end"), "DELTA_BINARY_PACKED"),
            write_statistics=["doc"],
            write_page_checksum=True,
        ) as writer,
        ThreadPoolExecutor(1) as thread,  # encodes and compresses while the next documents are read
    ):
        written: Future[None] | None = None
        batch: list[Document] = []
        nodes = characters = 0
        for done, document in enumerate(documents, 1):
            _check_name(document.doc_id)
            if texts and document.utf8 is None:
                raise PartwiseError(f"the text of document {document.doc_id} is not at hand", "write without texts")
            batch.append(document)
            entries.append((document.doc_id, len(document), document.length))
            nodes, characters = nodes + len(document), characters + (document.length if texts else 0)
            if nodes >= _NODES or characters >= _CHARACTERS or done == count:
                table = _table(batch, schema, labels)
                if written is not None:
                    written.result()
                written = thread.submit(writer.write_table, table, row_group_size=nodes)
                batch, nodes, characters = [], 0, 0
            if progress is not None:
                progress(done, count)
        if written is not None:
            written.result()
        writer.add_key_value_metadata(
            {_VERSION_KEY: str(VERSION), _DIRECTORY_KEY: _packed(entries), _LABELS_KEY: json.dumps(labels)}
        )


def _check_name(doc_id: str) -> None:
    try:
        doc_id.encode()
    except UnicodeEncodeError:
        raise PartwiseError(f"the document id {doc_id!r} is not UTF-8", "rename the document") from None


def _table(batch: list[Document], schema: Any, labels: Counter[str]) -> pyarrow.Table:
    """The rows of some documents; their label paths are counted in `labels`."""
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
    counted = np.bincount(label_of_path, np.bincount(path)).astype(np.int64)
    labels.update(dict(zip(label_names, counted.tolist(), strict=True)))

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
    if "text" in schema.names:
        columns["text"] = _at_roots([document.utf8 or b"" for document in batch], first)
    return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


def _paths(
    parent: Ints, depth: Ints, tag: NDArray[np.int32], names: list[str]
) -> tuple[NDArray[np.int32], list[str], Ints, list[str]]:
    """The code of each node's path, the path of each code; and of each path its label path, by a code of its own.

    Level by level, and what several nodes have is made once: the labels are found among paths, which are fewer.
    """
    own = np.where(depth > 0, parent, -1 - np.arange(len(parent)))  # a root is nobody's sibling
    step = positions(own + len(own), tag.astype(np.int64)) * len(names) + tag
    steps = int(step.max()) + 1
    order = np.argsort(depth.astype(np.int16), kind="stable")
    levels = np.searchsorted(depth[order], np.arange(int(depth.max()) + 2)).tolist()
    code = np.zeros(len(depth), np.int64)
    paths, told = [""], _Steps(names)
    labels: list[str] = []
    label: list[Ints] = []
    above_labels, kind, first = [""], np.zeros(1, np.int64), 0
    for low, high in pairwise(levels):
        nodes = order[low:high]
        above = code[parent[nodes]] if low else 0
        found, inverse = np.unique(above * steps + step[nodes], return_inverse=True)
        code[nodes] = inverse + len(paths)
        before, last = np.divmod(found, steps)
        key = kind[before - first] * len(names) + last % len(names)
        kinds, kind = distinct(key, len(above_labels) * len(names))
        label.append(kind + len(labels))
        above_labels = [f"{above_labels[one // len(names)]}/{names[one % len(names)]}" for one in kinds.tolist()]
        labels += above_labels
        first = len(paths)
        paths += [paths[one] + told[step_of] for one, step_of in zip(before.tolist(), last.tolist(), strict=True)]
    return (code - 1).astype(np.int32), paths[1:], np.concatenate(label), labels


class _Steps(dict[int, str]):
    """The last step of a path, by place times the number of tags plus tag."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, key: int) -> str:
        place, tag = divmod(key, len(self.names))
        self[key] = f"/{self.names[tag]}[{place}]"
        return self[key]


def _at_roots(texts: list[bytes], first: Ints) -> Any:
    """A column with each text in the first row of its document, and nothing in the others."""
    import pyarrow as pa

    bounds = np.cumsum([0, *map(len, texts)])
    rows = int(first[-1])
    is_root = np.zeros(rows, np.bool_)
    is_root[first[:-1]] = True
    offsets = np.zeros(rows + 1, np.int32)
    offsets[1:] = bounds[np.cumsum(is_root)]
    known = pa.py_buffer(np.packbits(is_root, bitorder="little"))
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)), known)


def _packed(entries: list[tuple[str, int, int]]) -> str:
    import pyarrow as pa

    table = pa.table(
        {
            "doc": pa.array([entry[0] for entry in entries], pa.string()),
            "nodes": pa.array([entry[1] for entry in entries], pa.int64()),
            "length": pa.array([entry[2] for entry in entries], pa.int64()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(table)
    return base64.b64encode(sink.getvalue().to_pybytes()).decode()


# ---- reading ------------------------------------------------------------------------------------------------


class Stored(Source):
    """A stored index: its directory is read when it is opened, nodes and texts when a document is asked for."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self._opened: tuple[int, Any] | None = None
        self._directory: dict[str, tuple[int, int, int, int]] | None = None
        self._groups: OrderedDict[int, Any] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        return _stored, (self.name, self.path)

    def _file(self) -> Any:
        import pyarrow.parquet as pq

        if self._opened is None or self._opened[0] != os.getpid():
            try:
                self._opened = os.getpid(), pq.ParquetFile(self.path, page_checksum_verification=True)
            except Exception as error:
                raise self._damaged(error) from None
        return self._opened[1]

    def _damaged(self, error: Exception | str) -> PartwiseError:
        told = " ".join(str(error).split()) or type(error).__name__
        return PartwiseError(
            f"is damaged or cut short as a Parquet index ({told})", "write it again with partwise index", file=self.name
        )

    @property
    def directory(self) -> dict[str, tuple[int, int, int, int]]:
        """By id: the row group, the first row in it, the number of nodes and the length."""
        if self._directory is None:
            metadata = self._file().metadata
            found = metadata.metadata or {}
            if _VERSION_KEY not in found or _DIRECTORY_KEY not in found:
                raise PartwiseError("is no index of a collection", "write one with partwise index", file=self.name)
            if found[_VERSION_KEY] != str(VERSION).encode():
                raise PartwiseError(
                    f"is an index of version {found[_VERSION_KEY].decode(errors='replace')}",
                    f"this release reads version {VERSION}: write it again with partwise index",
                    file=self.name,
                )
            self._directory = self._unpacked(found[_DIRECTORY_KEY], metadata)
        return self._directory

    def _unpacked(self, packed: bytes, metadata: Any) -> dict[str, tuple[int, int, int, int]]:
        import pyarrow as pa

        try:
            with pa.ipc.open_stream(base64.b64decode(packed)) as stream:
                table = stream.read_all()
            docs = table["doc"].to_pylist()
            nodes, length = numbers_of(table["nodes"]), numbers_of(table["length"])
        except Exception as error:
            raise self._damaged(error) from None
        first = np.cumsum(nodes) - nodes
        rows = np.array([metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)], np.int64)
        group_first = np.cumsum(rows) - rows
        if int(nodes.sum()) != int(rows.sum()) or not len(nodes) or nodes.min() < 1:
            raise self._damaged("its directory does not fit its rows")
        group = np.searchsorted(group_first, first, side="right") - 1
        places = zip(
            group.tolist(), (first - group_first[group]).tolist(), nodes.tolist(), length.tolist(), strict=True
        )
        return dict(zip(docs, places, strict=True))

    def label_counts(self) -> dict[str, int] | None:
        packed = (self._file().metadata.metadata or {}).get(_LABELS_KEY)
        try:
            return None if packed is None else {str(label): int(count) for label, count in json.loads(packed).items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise self._damaged(error) from None

    def doc_ids(self) -> list[str]:
        return list(self.directory)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.directory

    def _group(self, number: int) -> Any:
        """A row group; a few are kept, for documents that lie together are often read together."""
        if number in self._groups:
            self._groups.move_to_end(number)
            return self._groups[number]
        file = self._file()
        names = set(file.schema_arrow.names)
        wanted = ["parent", "tag", "start", "end", *(["text"] if "text" in names else [])]
        try:
            table = file.read_row_group(number, columns=wanted, use_threads=False)
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
        group, first, nodes, length = self.directory[doc_id]
        table = self._group(group).slice(first, nodes)
        try:
            parent, start, end = (numbers_of(table[name]).astype(np.int64) for name in ("parent", "start", "end"))
            tags = Coded.of(table["tag"].to_pylist())
            text = table["text"][0].as_py() if "text" in table.column_names else None
        except Exception as error:
            raise self._damaged(error) from None
        sound = (
            len(parent) == nodes
            and parent[0] == -1
            and bool((parent[1:] >= 0).all())
            and bool((parent < np.arange(nodes)).all())
            and bool(((start >= 0) & (start <= end) & (end <= length)).all())
            and (text is None or len(text) == length)
        )
        if not sound:
            raise self._damaged(f"the nodes of document {doc_id} do not fit together")
        return Document(doc_id, tags, parent, start, end, length, text)


def _stored(name: str, path: str) -> Stored:
    source = Stored(name)
    source.path = path
    return source
