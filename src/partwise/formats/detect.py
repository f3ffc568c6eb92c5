"""What a file is: known from its content, and from its name where content leaves it open."""

from __future__ import annotations

from partwise.errors import PartwiseError
from partwise.formats import registry
from partwise.formats.base import Format
from partwise.formats.text import first_line


def is_binary(data: bytes, name: str) -> bool:
    return _sniffed(data, name, binary=True) is not None


def detect(data: bytes, name: str) -> Format:
    """The format of these bytes of a file with this name."""
    found = _sniffed(data, name, binary=True)
    if found is not None:
        return found
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise PartwiseError("is UTF-16 text", "save it as UTF-8", file=name)
    line_number, line = first_line(data)
    if not line:
        raise PartwiseError("is empty", f"give a file of {registry.readable()}", file=name)
    if b"\x00" in data:
        raise PartwiseError("is not text", f"give a file of {registry.readable()}", file=name)
    found = _sniffed(data, name, binary=False)
    if found is not None:
        return found
    if line.startswith(b"["):
        raise PartwiseError("looks like a JSON array", f"give {registry.readable()}", file=name, line=line_number)
    found = registry.by_suffix(name)
    if found is None or not found.takes(data, name):
        return registry.DEFAULT
    if found.content == "binary":
        raise PartwiseError(
            f"is not a {found.title or found.name} file", f"give a file of {registry.readable()}", file=name
        )
    return found


def _sniffed(data: bytes, name: str, binary: bool) -> Format | None:
    asked = (format for format in registry.in_order_of_detection() if (format.content == "binary") == binary)
    return next((format for format in asked if format.sniff(data, name)), None)
