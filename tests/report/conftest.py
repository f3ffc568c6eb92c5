"""The browser in which pages are opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.browsing import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched
