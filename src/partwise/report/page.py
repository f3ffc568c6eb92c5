"""The report as one HTML file: data, texts, style, scripts and the library that draws curves."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from partwise._version import __version__
from partwise.errors import visible
from partwise.report.libraries import bundle, package
from partwise.report.packing import as_json

MEGABYTE = 1_000_000


def in_script(content: Any) -> str:
    """JSON that cannot end the script element it is in."""
    text = as_json(content)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def rendered(title: str, version: str, data: Any, blobs: Sequence[tuple[str, str]], library: str) -> str:
    """The whole page."""
    folder = _folder()
    scripts = sorted((item for item in (folder / "js").iterdir() if item.name.endswith(".js")), key=lambda f: f.name)
    safe = package("markupsafe").Markup
    return _filled(
        "page.html",
        title=visible(title),
        version=version,
        notices=safe(notices() if library else ""),
        style=safe((folder / "style.css").read_text("utf-8")),
        script=safe("\n".join(item.read_text("utf-8") for item in scripts)),
        data=safe(in_script(data)),
        blobs=blobs,
        bundle=safe(library),
    )


def chart_page(spec: Any) -> str:
    """A page that draws one chart from its Vega-Lite specification."""
    safe = package("markupsafe").Markup
    return _filled(
        "chart.html", version=__version__, notices=safe(notices()), data=safe(in_script(spec)), bundle=safe(bundle())
    )


def _filled(name: str, **values: Any) -> str:
    jinja2 = package("jinja2")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    page: str = environment.from_string((_folder() / name).read_text("utf-8")).render(**values)
    return page


def _folder() -> Traversable:
    return files("partwise.report") / "page"


def notices() -> str:
    """The licences of the libraries in the page, for a comment."""
    return (_folder() / "LIBRARIES.txt").read_text("utf-8").strip()
