"""Tables of plain text, which the documents show as the examples print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a title and a table; floats have four digits."""
    cells = [list(head)] + [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(title)
    for first, *others in cells:
        print(f"{first:{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)))
