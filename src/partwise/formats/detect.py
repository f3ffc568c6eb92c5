"""What a file is: known from its content, and from its name where content leaves it open."""

from __future__ import annotations

import os

from partwise.errors import PartwiseError
from partwise.files import COLUMN_SUFFIXES, split_suffixes

READABLE = "TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet"


def first_line(data: bytes) -> tuple[int, bytes]:
    """The number and text of the first line that is not blank."""
    position, number = 0, 1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        line = data[position:stop].strip()
        if line:
            return number, line
        position, number = stop + 1, number + 1
    return number, b""


def _is_number(token: bytes) -> bool:
    return token.replace(b".", b"", 1).removeprefix(b"-").isdigit()


def detect(data: bytes, name: str) -> str:
    """One of ``parquet``, ``jsonl``, ``csv``, ``tsv``, ``xml`` or ``text`` (blank-separated columns)."""
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise PartwiseError("is UTF-16 text", "save it as UTF-8", file=name)
    line_number, line = first_line(data)
    if not line:
        raise PartwiseError("is empty", f"give a file of {READABLE}", file=name)
    if b"\x00" in data:
        raise PartwiseError("is not text", f"give a file of {READABLE}", file=name)
    if line.startswith(b"{"):
        return "jsonl"
    if line.startswith(b"<"):
        return "xml"
    if line.startswith(b"["):
        raise PartwiseError("looks like a JSON array", f"give {READABLE}", file=name, line=line_number)
    for kind, comma in (("csv", b","), ("tsv", b"\t")):
        cells = [cell.strip().strip(b'"') for cell in line.split(comma)]
        if b"query_id" in cells or (len(cells) > 1 and b"doc_id" in cells):
            return kind
    kind = COLUMN_SUFFIXES.get(split_suffixes(os.path.basename(name))[1], "text")
    tokens = line.replace(b",", b" ").split()
    if kind in ("csv", "tsv") and len(tokens) >= 4 and any(_is_number(token) for token in tokens):
        return "text"  # a TREC or INEX file under another name: a header has no numbers
    if kind == "parquet":
        raise PartwiseError("is not a Parquet file", f"give a file of {READABLE}", file=name)
    return kind
