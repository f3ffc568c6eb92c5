"""Detecting the format of a file from its content, or from its name if the content is ambiguous."""

from __future__ import annotations

from partwise.errors import PartwiseError
from partwise.formats import registry
from partwise.formats.base import Format
from partwise.formats.text import first_line
from partwise.messages import writing


def is_binary(data: bytes, name: str) -> bool:
    return _sniffed(data, name, binary=True) is not None


def detect(data: bytes, name: str) -> Format:
    """The format of a file with this content and name."""
    format = _sniffed(data, name, binary=True)
    if format is not None:
        return format
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise PartwiseError(writing.UTF_16(), file=name)
    line_number, line = first_line(data)
    if not line:
        raise PartwiseError(writing.EMPTY(formats=registry.readable()), file=name)
    if b"\x00" in data:
        raise PartwiseError(writing.NOT_TEXT(formats=registry.readable()), file=name)
    format = _sniffed(data, name, binary=False)
    if format is not None:
        return format
    if line.startswith(b"["):
        raise PartwiseError(writing.JSON_ARRAY(formats=registry.readable()), file=name, line=line_number)
    format = registry.by_suffix(name)
    if format is None or not format.takes(data, name):
        return registry.DEFAULT
    if format.content == "binary":
        message = writing.NOT_OF_FORMAT(format=format.title or format.name, formats=registry.readable())
        raise PartwiseError(message, file=name)
    return format


def _sniffed(data: bytes, name: str, binary: bool) -> Format | None:
    candidates = (format for format in registry.in_order_of_detection() if (format.content == "binary") == binary)
    return next((format for format in candidates if format.sniff(data, name)), None)
