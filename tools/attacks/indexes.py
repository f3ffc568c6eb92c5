"""Stored indexes with other rows, sections or headers than partwise writes, mostly with the right checksums."""

from __future__ import annotations

import io
import json
from random import Random
from typing import Any
from zlib import crc32

STRANGE = (-1, 0, 1, 2, 7, 10**6, 2**31, 2**62, -(2**63), 2**63 - 1)
ABSURD = (
    "[]", "{}", '{"/x": -1}', '{"/x": 1e400}', '{"x": 5}', '{"/article": "x"}', "null", '{"/article": 1e308}',
    '{"/article/sec": 99999999999999999999}', '{"\\ud800": 1}', "[" * 10_000, "NaN", '{"/article": null}',
)  # fmt: skip
"""Counts of label paths that an index cannot have."""
HEADERS: tuple[Any, ...] = (None, 0, 4, "x", [], {}, [1], {"first": [0]}, {"first": [-8, 8, 0]}, True, 1.5)


def parts_of(whole: bytes) -> tuple[bytes, bytes]:
    """A Parquet file without its footer, and the footer."""
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    return whole[:-footer], whole[-footer:]


def sections_of(whole: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The header of what is mapped, and its sections."""
    rows = parts_of(whole)[0]
    at, size = (int.from_bytes(rows[i : i + 8], "little") for i in (len(rows) - 24, len(rows) - 16))
    header = json.loads(whole[at : at + size])
    return header, {name: whole[start : start + size] for name, (start, size, _) in header["sections"].items()}


def written(rows: bytes, header: dict[str, Any], sections: dict[str, bytes], footer: bytes) -> bytes:
    """An index of these sections, with their checksums."""
    places = {}
    for name, content in sections.items():
        rows += b"\0" * (-len(rows) % 8)
        places[name] = [len(rows), len(content), crc32(content)]
        rows += content
    packed = json.dumps({"sections": places, **header}).encode()
    numbers = (number.to_bytes(8, "little") for number in (len(rows), len(packed), crc32(packed)))
    return rows + packed + b"PARTWISE" + b"".join(numbers) + footer


def _checksums(sections: dict[str, bytes]) -> bytes:
    """The checksums of documents, as far as their sections can be read."""

    def numbers(name: str) -> list[int]:
        data = sections[name]
        return [int.from_bytes(data[i : i + 8], "little", signed=True) for i in range(0, len(data), 8)]

    first, ids, made = numbers("first"), numbers("id_offsets"), b""
    for number in range(len(sections["length"]) // 8):
        bounds = first[number : number + 2], ids[number : number + 2]
        if any(len(pair) < 2 or min(pair) < 0 for pair in bounds):
            return sections["checksum"]
        block = sections["blocks"][16 * bounds[0][0] : 16 * bounds[0][1]]
        doc_id, length = sections["ids"][slice(*bounds[1])], sections["length"][8 * number : 8 * number + 8]
        made += crc32(doc_id + length + block).to_bytes(8, "little")
    return made


def with_table(whole: bytes, table: Any) -> bytes:
    """An index with other rows."""
    import pyarrow.parquet as pq

    header, sections = sections_of(whole)
    file = io.BytesIO()
    metadata = {"partwise.index": str(header["version"])}
    pq.write_table(table.replace_schema_metadata(metadata), file, compression="none")
    del header["sections"]
    rows, footer = parts_of(file.getvalue())
    return written(rows, header, sections, footer)


def with_sections(rng: Random, whole: bytes) -> bytes:
    """An index with another number or byte in a section, absurd labels, or another header."""
    header, sections = sections_of(whole)
    rows = whole[: header.pop("sections")["blocks"][0]]
    kind = rng.random()
    if kind < 0.15:
        sections["labels"] = rng.choice(ABSURD).encode()
    elif kind < 0.3:
        header[rng.choice((*header, "sections"))] = rng.choice(HEADERS)
    else:
        name = rng.choice(list(sections))
        data, size = bytearray(sections[name]), 4 if name == "blocks" else 8
        if kind < 0.45:
            data = data[: rng.randrange(len(data) + 1)]
        else:
            at = rng.randrange(max(len(data) // size, 1)) * size
            limit = 1 << (8 * size - 1)
            strange = [number for number in STRANGE if -limit <= number < limit]
            data[at : at + size] = rng.choice(strange).to_bytes(size, "little", signed=True)
        sections[name] = bytes(data)
        if rng.random() < 0.7:
            sections["checksum"] = _checksums(sections)
    return written(rows, header, sections, parts_of(whole)[1])
