"""The tokens of documents in a stored index.

The columns ``token_start`` and ``token_end`` have lists, in the row of a document's root. The header of what is mapped
names the tokenizer, and its sections have the number of tokens of each document and their checksum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from partwise.collection.document import StoredTokens
from partwise.model import Ints

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer

COLUMNS = ("token_start", "token_end")
ENCODINGS = dict.fromkeys((f"{name}.list.element" for name in COLUMNS), "DELTA_BINARY_PACKED")


def described(tokenizer: Tokenizer) -> bytes:
    """The tokenizer as the metadata of an index name it."""
    import json

    return json.dumps({"name": tokenizer.name, "key": tokenizer.key}).encode()


def key_in(described: bytes) -> str:
    """What identifies the tokens; an error of `ValueError` or `TypeError` if it is damaged."""
    import json

    key = json.loads(described)["key"]
    if not isinstance(key, str) or not key:
        raise ValueError("the tokenizer has no key")
    return key


class Count(NamedTuple):
    """The tokens of a document in the directory."""

    tokens: int
    token_checksum: int


def counted(start: Ints, end: Ints, described: bytes) -> Count:
    value = crc32(described)
    for column in (start, end):
        value = crc32(np.asarray(column, np.int64).tobytes(), value)
    return Count(len(start), value)


def columns(spans: list[tuple[Ints, Ints]], first: Ints) -> dict[str, Any]:
    """The two columns of some documents: lists in the first row of each document, null in the other rows."""
    import pyarrow as pa

    rows = int(first[-1])
    is_root = np.zeros(rows, np.bool_)
    is_root[first[:-1]] = True
    bounds = np.cumsum([0, *(len(start) for start, _ in spans)])
    offsets = np.zeros(rows + 1, np.int32)
    offsets[1:] = bounds[np.cumsum(is_root)]
    validity = pa.py_buffer(np.packbits(is_root, bitorder="little"))
    kind = pa.list_(pa.int32())
    made = {}
    for at, name in enumerate(COLUMNS):
        values = pa.array(np.concatenate([span[at] for span in spans]).astype(np.int32))
        made[name] = pa.ListArray.from_buffers(kind, rows, [validity, pa.py_buffer(offsets)], children=[values])
    return made


def read(table: Any, key: str, described: bytes, count: Count, length: int) -> StoredTokens | None:
    """The tokens in the rows of a document; None if they are damaged."""
    if any(str(table[name].type.value_type) != "int32" for name in COLUMNS):
        return None
    start, end = (_list(table[name]) for name in COLUMNS)
    ordered = (
        len(start) == len(end) == count.tokens
        and bool((start < end).all())
        and bool((start[1:] >= end[:-1]).all())
        and (not len(start) or (int(start[0]) >= 0 and int(end[-1]) <= length))
    )
    return StoredTokens(key, start, end) if ordered and counted(start, end, described) == count else None


def _list(column: Any) -> Ints:
    first = column[0]
    values = first.values if first.is_valid else None
    if values is None or values.null_count:
        return np.full(1, -1, np.int64)  # which no token has
    numbers: Ints = np.asarray(values.to_numpy(zero_copy_only=False), np.int64)
    return numbers
