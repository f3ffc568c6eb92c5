"""Opening a file: its bytes, its format, and a reader for its problems."""

from __future__ import annotations

import os

from partwise.files import read_bytes
from partwise.formats import registry
from partwise.formats.base import Format
from partwise.formats.detect import detect, is_binary
from partwise.formats.problems import Reader
from partwise.formats.text import first_line, utf8_only
from partwise.messages import reading
from partwise.model import Source


def opened(path: str | os.PathLike[str], lenient: bool, notes: list[str] | None) -> tuple[bytes, Format, Reader]:
    """The bytes of a file, its format, and a reader for its problems."""
    name = os.fspath(path)
    return recognised(name, read_bytes(name), lenient, notes)


def recognised(name: str, data: bytes, lenient: bool, notes: list[str] | None) -> tuple[bytes, Format, Reader]:
    """These bytes of a file as lines of UTF-8 if its format has lines, the format, and a reader for its problems."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data and b"\r" in data and not is_binary(data, name):
        data = data.replace(b"\r", b"\n")
    reader = Reader(Source(name), lenient, notes if notes is not None else [])
    format = detect(data, name)
    if format.content == "lines":
        data = utf8_only(data, reader)
        if not first_line(data)[1]:
            raise reader.source.error(reading.NO_READABLE_LINE(formats=registry.readable()))
    return data, format, reader
