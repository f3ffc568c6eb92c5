"""Stored indexes that are written again with changes, which partwise itself would not write."""

from __future__ import annotations

import io
import json
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from partwise import kernels


def restored(path: Path, with_checksums: bool = True, table: pa.Table | None = None, **changes: Any) -> None:
    """Write an index with changed rows, sections or entries of its header, with the right checksums."""
    whole = path.read_bytes()
    rows, footer = parts_of(whole)
    at, size = (int.from_bytes(rows[i : i + 8], "little") for i in (len(rows) - 24, len(rows) - 16))
    header = json.loads(whole[at : at + size])
    contents = {name: whole[start : start + size] for name, (start, size, _) in header["sections"].items()}
    for name, change in changes.items():
        if name not in contents:
            header[name] = change
        else:
            contents[name] = change if isinstance(change, bytes) else np.array(change, "<i8").tobytes()
    if with_checksums:
        contents |= checksums(contents)
    made = whole[: header["sections"]["blocks"][0]]
    if table is not None:
        buffer = io.BytesIO()
        pq.write_table(table.replace_schema_metadata({"partwise.index": str(header["version"])}), buffer)
        made, footer = parts_of(buffer.getvalue())
    for name, content in contents.items():
        made += b"\0" * (-len(made) % 8)
        header["sections"][name] = [len(made), len(content), zlib.crc32(content)]
        made += content
    header["sections"] |= changes.get("places", {})
    packed = json.dumps({**header, **changes.get("header", {})}).encode()
    numbers = (number.to_bytes(8, "little") for number in (len(made), len(packed), zlib.crc32(packed)))
    path.write_bytes(made + packed + b"PARTWISE" + b"".join(numbers) + footer)


def parts_of(whole: bytes) -> tuple[bytes, bytes]:
    """A Parquet file without its footer, and the footer."""
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    return whole[:-footer], whole[-footer:]


def checksums(contents: dict[str, bytes]) -> dict[str, bytes]:
    """The sections of checksums and keys of these others."""
    first, bounds = (np.frombuffer(contents[name], "<i8").tolist() for name in ("first", "id_offsets"))
    ids = [contents["ids"][low:high] for low, high in pairwise(bounds)]
    lengths = [contents["length"][at : at + 8] for at in range(0, len(contents["length"]), 8)]
    blocks = [contents["blocks"][16 * low : 16 * high] for low, high in pairwise(first)]
    sums = [zlib.crc32(b"".join(parts)) for parts in zip(ids, lengths, blocks, strict=True)]
    keys = kernels.name_keys(np.frombuffer(contents["ids"], np.uint8), np.array(bounds, np.int64))
    order = np.argsort(keys)
    return {"checksum": np.array(sums, "<i8").tobytes(), "keys": keys[order].tobytes(), "key_of": order.tobytes()}
