"""The report as one HTML file: data, texts, style, scripts and the library that draws curves."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from partwise._version import __version__
from partwise.errors import visible
from partwise.files import encoded
from partwise.report.libraries import bundle
from partwise.report.packing import as_json

MEGABYTE = 1_000_000
_FOLDER = os.path.join(os.path.dirname(__file__), "page")


def in_script(content: Any) -> bytes:
    """JSON that cannot end the script element it is in, in UTF-8."""
    text = as_json(content)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return encoded(text)


class Template:
    """The page without its contents, in UTF-8."""

    def __init__(self, title: str, version: str, library: bytes) -> None:
        scripts = sorted(name for name in os.listdir(os.path.join(_FOLDER, "js")) if name.endswith(".js"))
        self._pieces = _pieces("page.html")
        self._values = {
            b"title": encoded(escape(visible(title))),
            b"version": encoded(escape(version)),
            b"notices": b"\n" + notices() if library else b"",
            b"style": _read("style.css"),
            b"script": b"\n".join(_read(os.path.join("js", name)) for name in scripts),
            b"bundle": b"\n<script>{ " + library + b" }</script>" if library else b"",
        }

    def filled(self, data: bytes, blobs: Sequence[tuple[str, bytes]]) -> bytes:
        """The whole page with data of `in_script`; the names of blobs, and blobs, need no escaping."""
        elements = [b'\n<script type="text/plain" id="%b">%b</script>' % (name.encode(), blob) for name, blob in blobs]
        return _filled(self._pieces, {**self._values, b"data": data, b"blobs": b"".join(elements)})


def chart_page(spec: Any) -> bytes:
    """A page that draws one chart from its Vega-Lite specification, in UTF-8."""
    version = encoded(escape(__version__))
    values = {b"version": version, b"notices": notices(), b"data": in_script(spec), b"bundle": bundle()}
    return _filled(_pieces("chart.html"), values)


def _read(name: str) -> bytes:
    """A file of the page; lines end as they do in our files, whatever ends them after a checkout."""
    with open(os.path.join(_FOLDER, name), "rb") as file:
        return file.read().replace(b"\r\n", b"\n")


def _pieces(name: str) -> list[bytes]:
    """The text of a template, and in every second place the name of the value that is inserted there."""
    return _INSERTED.split(_read(name).removesuffix(b"\n"))


def _filled(pieces: Sequence[bytes], values: Mapping[bytes, bytes]) -> bytes:
    return b"".join([values[piece] if i % 2 else piece for i, piece in enumerate(pieces)])


def escape(text: str) -> str:
    """A text in HTML; importing the html module would take longer, for all of its entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")


_INSERTED = re.compile(rb"\{\{ ([a-z]+) \}\}")


def notices() -> bytes:
    """The licences of the libraries in the page, as a comment."""
    return b"<!--\n" + _read("LIBRARIES.txt").strip() + b"\n-->"
