"""Pages in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

SHOWN_TEXT = """[...document.querySelectorAll('.text p')].map(p => [...p.childNodes]
    .filter(n => !n.classList || !['tag', 'bep', 'passage'].some(name => n.classList.contains(name)))
    .map(n => n.textContent).join('')).join('')"""
"""The text of the document without the marks for results, passages and entry points."""


@contextmanager
def chromium() -> Iterator[Any]:
    """The Chromium of the system."""
    program = shutil.which("chromium")
    if program is None or find_spec("playwright") is None:
        pytest.skip("a browser is missing: chromium and playwright are needed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield launched
        launched.close()


class Visit:
    """An open page, with a list of everything that it should not have done."""

    def __init__(self, browser: Any, path: Path, place: str = "", ready: str = "h2", **options: Any) -> None:
        self.page = browser.new_page(**{"viewport": {"width": 1400, "height": 900}, **options})
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.faults.append("a dialog"), dialog.dismiss()))
        self.page.on("request", self._requested)
        self.page.goto(path.as_uri() + place)
        self.shows(ready)

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"request: {request.url}")

    def shows(self, selector: str, text: str | None = None) -> Any:
        matches = self.page.locator(selector)
        matches = matches.filter(has_text=text) if text is not None else matches
        matches.first.wait_for(state="attached")
        return matches

    def texts(self, selector: str) -> list[str]:
        return [" ".join(text.split()) for text in self.page.locator(selector).all_text_contents()]

    def closes(self) -> None:
        self.page.close()
        assert self.faults == [], self.faults
