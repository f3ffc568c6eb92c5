"""The part of a stored index that is mapped into memory: ids, where documents are, and the nodes of their trees.

It lies between the row groups and the footer of the Parquet file, where other readers do not look, as sections of
numbers of 64 bits, the lowest byte first:

- ``blocks``: the nodes of each document: all parents, then all starts, ends and tags, as integers of 32 bits
- ``first`` (the first node of each document), ``length``, ``checksum`` (of id, length and block), ``text_checksum``;
  with a tokenizer ``tokens`` and ``token_checksum``
- ``ids`` and ``id_offsets``; ``keys``, the hashes of the ids in ascending order, and ``key_of``, the document of each
- ``labels``: the structural summary, as JSON

A header in JSON says where they are, with checksums for when a section is read as a whole; a document has its own. 32
bytes before the footer say where the header is.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import IO, Any, NamedTuple
from zlib import crc32

import numpy as np

from partwise import kernels
from partwise.model import Ints

MAGIC = b"PARTWISE"
_TRAILER = struct.Struct("<8sQQQ")
_END = struct.Struct("<I4s")
"""The end of a Parquet file: the size of its footer and its magic number."""
NODE = 16
"""The bytes of a node: parent, start, end and tag."""
_HELD = 1 << 23
"""So many bytes of sections are held in memory."""
_TWICE = "an id occurs twice"
_COLUMNS = ("first", "length", "checksum", "text_checksum", "tokens", "token_checksum", "id_offsets")


class NotMapped(Exception):
    """A file without mapped sections, or with damaged ones."""


def packed_names(names: Iterable[str]) -> tuple[Any, Ints]:
    """Names as bytes with offsets; one that is not Unicode becomes bytes that no other has."""
    encoded = [name.encode(errors="surrogatepass") for name in names]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)], dtype=np.int64)


def unpacked_names(data: Any, offsets: Ints) -> list[str]:
    """Names from bytes with offsets."""
    whole, places = data.tobytes(), offsets.tolist()
    return [whole[low:high].decode(errors="surrogatepass") for low, high in pairwise(places)]


class _InFile(NamedTuple):
    """A piece of a section in a temporary file."""

    file: IO[bytes]
    at: int
    size: int

    def read(self) -> bytes:
        self.file.seek(self.at)
        return self.file.read(self.size)


class MappedWriter:
    """Collects the sections while documents are written; what is too large for memory, in a temporary file.

    The keys of ids, which are sorted at the end, stay in memory.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._held = 0
        self._pieces: dict[str, list[memoryview | _InFile]] = {}
        self._keys: list[Any] = []
        self._nodes = self._id_bytes = 0
        self._add("first", np.zeros(1, "<i8"))
        self._add("id_offsets", np.zeros(1, "<i8"))

    def __enter__(self) -> MappedWriter:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def _add(self, section: str, content: Any) -> None:
        """Add a piece, which must not change afterwards."""
        data = memoryview(content).cast("B")
        pieces = self._pieces.setdefault(section, [])
        if self._held + len(data) <= _HELD:
            self._held += len(data)
            pieces.append(data)
            return
        if self._file is None:
            import tempfile

            self._file = tempfile.TemporaryFile()  # noqa: SIM115
        pieces.append(_InFile(self._file, self._file.tell(), len(data)))
        self._file.write(data)

    def add(self, offsets: Ints, blocks: Any, ids: Any, id_offsets: Ints, **numbers: Ints) -> None:
        """Add documents: the nodes of document i are ``offsets[i]:offsets[i+1]`` of those of the blocks.

        - `numbers`: further columns.
        """
        self._add("blocks", blocks)
        self._add("ids", ids)
        self._keys.append(kernels.name_keys(ids, id_offsets))
        columns = {"first": offsets[1:] + self._nodes, "id_offsets": id_offsets[1:] + self._id_bytes, **numbers}
        for name, column in columns.items():
            self._add(name, column.astype("<i8"))
        self._nodes += int(offsets[-1])
        self._id_bytes += int(id_offsets[-1])

    def write(self, sink: Sink, labels: bytes, entries: Mapping[str, Any]) -> None:
        """Write the sections, and the footer after them."""
        import json

        footer = bytes(sink.held or b"")
        sink.held = None
        keys = np.concatenate(self._keys)
        self._keys.clear()
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        sections = {"blocks": self._copied("blocks", sink, 0)}
        sections |= {name: self._copied(name, sink) for name in (*_COLUMNS, "ids") if name in self._pieces}
        sections["keys"] = _written(keys.astype("<u8", copy=False), sink)
        sections["key_of"] = _written(order.astype("<i8", copy=False), sink)
        sections["labels"] = _written(labels, sink)
        at = sink.aligned()
        header = json.dumps({**entries, "sections": sections}).encode()
        sink.write(header + _TRAILER.pack(MAGIC, at, len(header), crc32(header)) + footer)

    def _copied(self, section: str, sink: Sink, checksum: int | None = None) -> list[int]:
        """Copy a section: where it is then, its size and its checksum, unless that is given."""
        start, is_given, checksum = sink.aligned(), checksum is not None, checksum or 0
        for piece in self._pieces[section]:
            data = piece if isinstance(piece, memoryview) else piece.read()
            checksum = checksum if is_given else crc32(data, checksum)
            sink.write(data)
        return [start, sink.size - start, checksum]


def _written(content: Any, sink: Sink) -> list[int]:
    """Write a section: where it is, its size and its checksum."""
    start, data = sink.aligned(), memoryview(content).cast("B")
    sink.write(data)
    return [start, len(data), crc32(data)]


class Sink:
    """What a Parquet file is written to; from `hold` on, which is called before its footer is written, it is held."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0
        self.held: bytearray | None = None

    def write(self, data: Any) -> int:
        count = len(memoryview(data).cast("B"))
        if self.held is not None:
            self.held += data
        else:
            self.file.write(data)
            self.size += count
        return count

    def hold(self) -> None:
        self.held = bytearray()

    def aligned(self) -> int:
        """The position at which the next section starts."""
        self.write(b"\0" * (-self.size % 8))
        return self.size

    def flush(self) -> None:
        """What is held stays."""


class Section(NamedTuple):
    """Where a section is, and the checksum of all of it."""

    start: int
    size: int
    checksum: int


_SECTIONS = ("blocks", "first", "length", "checksum", "ids", "id_offsets", "keys", "key_of", "labels")


def _is_header(entries: dict[str, Any]) -> bool:
    """Whether a header has all entries, with their types."""
    tags, tokenizer, sections = entries.get("tags"), entries.get("tokenizer"), entries.get("sections")
    if not isinstance(tags, list) or not isinstance(sections, dict) or not isinstance(tokenizer, (str, type(None))):
        return False
    wanted = [*_SECTIONS, *(["text_checksum"] if entries.get("texts") is True else [])]
    wanted += ["tokens", "token_checksum"] if tokenizer is not None else []
    return (
        all(isinstance(tag, str) for tag in tags)
        and all(name in sections for name in wanted)
        and all(isinstance(where, list) and len(where) == 3 for where in sections.values())
        and all(type(number) is int for where in sections.values() for number in where)
    )


class Mapped:
    """The mapped sections of an index of this version; of an index of another, the version alone."""

    def __init__(self, path: str, version: int) -> None:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _END.size + _TRAILER.size:
                raise NotMapped("the file is too short")
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        footer, magic = _END.unpack(self._bytes[-_END.size :])
        if magic != b"PAR1":
            raise NotMapped("the end of the file is not that of a Parquet file")
        end = size - _END.size - footer
        if end < _TRAILER.size:
            raise NotMapped("the footer is larger than the file")
        name, start, length, checksum = _TRAILER.unpack(self._bytes[end - _TRAILER.size : end])
        header = self._bytes[start : start + length] if start + length <= end else b""
        if name != MAGIC or crc32(header) != checksum:
            raise NotMapped("there are no sections before the footer")
        import json

        entries: Any = json.loads(header)
        self.version: Any = entries.get("version") if isinstance(entries, dict) else None
        if not isinstance(entries, dict) or (self.version == version and not _is_header(entries)):
            raise NotMapped("the header is not as it was written")
        self.has_texts = entries.get("texts") is True
        self.tokenizer: str | None = entries.get("tokenizer")
        self.tags: list[str] = entries.get("tags", [])
        self._sections: dict[str, Section] = {}
        if self.version == version:
            self._sections = {name: Section(*where) for name, where in entries["sections"].items()}
        self._end = end
        self._verified: set[str] = set()
        self._numbers: dict[str, Any] = {}

    def bytes_of(self, name: str, verified: bool = False) -> Any:
        """The bytes of a section, compared with its checksum if `verified`; documents have their own."""
        start, size, checksum = self._sections[name]
        if start < 0 or size < 0 or start + size > self._end:
            raise NotMapped(f"the section {name} is not in the file")
        data = np.frombuffer(self._bytes, np.uint8, size, start)
        if verified and name not in self._verified:
            if crc32(data.data) != checksum:
                raise NotMapped(f"the section {name} differs from its checksum")
            self._verified.add(name)
        return data

    def numbers(self, name: str, kind: str = "<i8", verified: bool = False) -> Any:
        """The numbers of a section."""
        if name not in self._numbers or (verified and name not in self._verified):
            data = self.bytes_of(name, verified)
            if len(data) % 8:
                raise NotMapped(f"the section {name} has {len(data)} bytes")
            self._numbers[name] = data.view(kind).astype(kind[1:], copy=False)
        return self._numbers[name]

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.numbers("first")) - 1

    def find(self, doc_ids: Sequence[str]) -> Ints:
        """The number of each of these documents, -1 if it is not there.

        The id of a document that is found was compared. Only if one is not found are all keys and ids compared with
        their checksums: of a million documents, they take longer than looking up thousands.
        """
        keys, of = self.numbers("keys", "<u8"), self.numbers("key_of")
        ids = self.bytes_of("ids"), self.numbers("id_offsets")
        numbers = kernels.find_names(*ids, keys, of, *packed_names(doc_ids))
        if bool((numbers < 0).any()):
            for name in ("keys", "key_of", "ids", "id_offsets"):
                self.bytes_of(name, verified=True)
        if bool((numbers < -2).any()):
            raise NotMapped(_TWICE)
        return np.maximum(numbers, -1)

    def trees(self, documents: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, int]:
        """Offsets, parents, starts, ends and tags of these documents, and the index of the first damaged one or -1."""
        first, length, checksum = (self.numbers(name) for name in ("first", "length", "checksum"))
        ids = self.bytes_of("ids"), self.numbers("id_offsets")
        return kernels.read_trees(self.bytes_of("blocks"), first, length, checksum, *ids, len(self.tags), documents)

    def is_consistent(self) -> bool:
        """Whether there are documents, and sections have their sizes."""
        count = len(self)
        counted = ["length", "checksum", "keys", "key_of", *(["text_checksum"] if self.has_texts else [])]
        counted += ["tokens", "token_checksum"] if self.tokenizer is not None else []
        sizes = {self._sections[name].size for name in counted}
        if count < 1 or sizes != {8 * count} or self._sections["id_offsets"].size != 8 * (count + 1):
            return False
        return self._sections["blocks"].size == NODE * self.nodes

    @property
    def nodes(self) -> int:
        """The number of nodes of all documents."""
        return int(self.numbers("first")[-1])

    def doc_ids(self) -> list[str]:
        """All ids, in the order of the documents."""
        data = self.bytes_of("ids", verified=True).tobytes()
        places = self.numbers("id_offsets", verified=True).tolist()
        ids = [data[low:high].decode() for low, high in pairwise(places)]
        if len(set(ids)) < len(ids):
            raise NotMapped(_TWICE)
        return ids
