"""Parquet files, with usual columns or with columns of types that nobody expects."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

TYPES = (
    "float16", "float32", "decimal", "dictionary", "null codes", "negative codes", "codes out of range",
    "invalid utf-8", "large string", "binary", "null", "bool", "timestamp", "int8", "uint64", "list", "struct",
    "string view", "nulls", "fixed", "strings",
)  # fmt: skip


def usual(cells: Sequence[Any]) -> Any:
    import pyarrow as pa

    for values in (list(cells), [None if cell is None else str(cell) for cell in cells]):
        try:
            return pa.array(values)
        except (pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError):
            continue
    return pa.array([repr(cell) for cell in cells])


def _dictionary(cells: Sequence[Any], codes: Sequence[int | None]) -> Any:
    """A dictionary whose codes need not be valid, as a damaged or hostile file may have them."""
    import pyarrow as pa

    names = pa.array(["q1", "a", "b"])
    indices = pa.array((list(codes) * len(cells))[: len(cells)], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, names, safe=False)


def _invalid(cells: Sequence[Any]) -> Any:
    import pyarrow as pa

    data = b"a\xff"
    offsets = np.arange(0, 2 * len(cells) + 1, 2, dtype=np.int32)
    return pa.StringArray.from_buffers(len(cells), pa.py_buffer(offsets), pa.py_buffer(data * len(cells)))


def _numbers(cells: Sequence[Any]) -> list[float]:
    return [cell if isinstance(cell, (int, float)) and abs(cell) < 100 else 1 for cell in cells]


def column(cells: Sequence[Any], kind: str) -> Any:
    """The cells as a column of this type; values that it cannot hold are replaced."""
    import pyarrow as pa

    numbers = _numbers(cells)
    make = {
        "float16": lambda: pa.array(np.array(numbers, np.float16)),
        "float32": lambda: pa.array(np.array(numbers, np.float32)),
        "decimal": lambda: pa.array(numbers, pa.float64()).cast(pa.decimal128(20, 4)),
        "dictionary": lambda: usual([str(cell) for cell in cells]).dictionary_encode(),
        "null codes": lambda: _dictionary(cells, (0, None)),
        "negative codes": lambda: _dictionary(cells, (0, -1)),
        "codes out of range": lambda: _dictionary(cells, (0, 7)),
        "invalid utf-8": lambda: _invalid(cells),
        "large string": lambda: pa.array([str(cell) for cell in cells], pa.large_string()),
        "binary": lambda: pa.array([repr(cell).encode() for cell in cells], pa.binary()),
        "null": lambda: pa.nulls(len(cells)),
        "bool": lambda: pa.array([True] * len(cells)),
        "timestamp": lambda: pa.array([int(number) for number in numbers], pa.timestamp("s")),
        "int8": lambda: pa.array([int(number) for number in numbers], pa.int8()),
        "uint64": lambda: pa.array([2**64 - 1] * len(cells), pa.uint64()),
        "list": lambda: pa.array([[1, None]] * len(cells)),
        "struct": lambda: pa.array([{"a": 1}] * len(cells)),
        "string view": lambda: pa.array([str(cell) for cell in cells]).cast(pa.string_view()),
        "nulls": lambda: usual([None, *cells][: len(cells)]),
        "fixed": lambda: pa.array([b"ab"] * len(cells), pa.binary(2)),
        "strings": lambda: pa.array([str(cell) for cell in cells]),
    }[kind]
    try:
        return make()
    except (pa.ArrowException, UnicodeError, OverflowError, ValueError):
        return usual(cells)


UNWRITABLE = ("negative codes", "codes out of range")
"""Arrow crashes when it writes these columns. In files, the codes of a usual dictionary are overwritten instead."""


def parquet_bytes(
    names: Sequence[str], rows: Sequence[Sequence[Any]], types: dict[int, str], metadata: dict[str, str] | None = None
) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    overwritten = any(kind in UNWRITABLE for kind in types.values())
    types = {at: "dictionary" if kind in UNWRITABLE else kind for at, kind in types.items()}
    columns = []
    for at, _ in enumerate(names):
        cells = [row[at] if at < len(row) else None for row in rows]
        columns.append(column(cells, types[at]) if at in types else usual(cells))
    safe = [name.encode("utf-8", "replace").decode() for name in names]
    schema = pa.schema(
        [pa.field(name, array.type) for name, array in zip(safe, columns, strict=True)], metadata=metadata
    )
    file = io.BytesIO()
    try:
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), file, compression="none")
    except (pa.ArrowException, OSError, IndexError, UnicodeError):  # Arrow refuses some invalid columns itself
        columns = list(zip(*rows, strict=False))[: len(safe)]  # rows may be longer or shorter than the names
        texts = [usual([str(cell) for cell in cells]) for cells in columns]
        file = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(texts, names=safe[: len(texts)]), file, compression="none")
    return _with_other_codes(file.getvalue()) if overwritten else file.getvalue()


def _with_other_codes(data: bytes) -> bytes:
    """The file with the highest codes in the first page of each column that is a dictionary."""
    import pyarrow.parquet as pq

    changed = bytearray(data)
    group = pq.read_metadata(io.BytesIO(data)).row_group(0)
    for at in range(group.num_columns):
        chunk = group.column(at)
        if chunk.has_dictionary_page and chunk.physical_type == "BYTE_ARRAY":
            end = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
            changed[end - 1] = 0xFF
    return bytes(changed)
