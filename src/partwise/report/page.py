"""The report as one HTML file: data, texts, style, scripts and the library that draws curves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from partwise._version import __version__
from partwise.errors import visible
from partwise.report.libraries import bundle
from partwise.report.packing import as_json

MEGABYTE = 1_000_000
_FOLDER = Path(__file__).with_name("page")


def in_script(content: Any) -> str:
    """JSON that cannot end the script element it is in."""
    text = as_json(content)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


class Template:
    """The page without its contents."""

    def __init__(self, title: str, version: str, library: str) -> None:
        scripts = sorted((_FOLDER / "js").glob("*.js"))
        self._pieces = _pieces("page.html")
        self._values = {
            "title": escape(visible(title)),
            "version": escape(version),
            "notices": f"\n{notices()}" if library else "",
            "style": (_FOLDER / "style.css").read_text("utf-8"),
            "script": "\n".join(item.read_text("utf-8") for item in scripts),
            "bundle": f"\n<script>{{ {library} }}</script>" if library else "",
        }

    def filled(self, data: Any, blobs: Sequence[tuple[str, str]]) -> str:
        """The whole page; the names of blobs, and blobs, are letters, digits and signs that need no escaping."""
        elements = [f'\n<script type="text/plain" id="{name}">{blob}</script>' for name, blob in blobs]
        return _filled(self._pieces, {**self._values, "data": in_script(data), "blobs": "".join(elements)})


def chart_page(spec: Any) -> str:
    """A page that draws one chart from its Vega-Lite specification."""
    values = {"version": escape(__version__), "notices": notices(), "data": in_script(spec), "bundle": bundle()}
    return _filled(_pieces("chart.html"), values)


def _pieces(name: str) -> list[str]:
    """The text of a template, and in every second place the name of the value that is inserted there."""
    return _INSERTED.split((_FOLDER / name).read_text("utf-8").removesuffix("\n"))


def _filled(pieces: Sequence[str], values: Mapping[str, str]) -> str:
    return "".join([values[piece] if i % 2 else piece for i, piece in enumerate(pieces)])


def escape(text: str) -> str:
    """A text in HTML; importing the html module would take longer, for all of its entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")


_INSERTED = re.compile(r"\{\{ ([a-z]+) \}\}")


def notices() -> str:
    """The licences of the libraries in the page, as a comment."""
    return f"<!--\n{(_FOLDER / 'LIBRARIES.txt').read_text('utf-8').strip()}\n-->"
