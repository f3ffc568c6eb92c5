"""What every comparison and study gives back: rows of named cells, and notes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from partwise.errors import PartwiseError, shown

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


class Findings(ABC):
    """Rows of named cells for people and programs; a cell that is not defined is None."""

    notes: Sequence[str]
    labels: ClassVar[int] = 1
    """How many of the first columns are names."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """Everything that was found, a mapping per row, all with the same names."""

    def tables(self) -> list[tuple[str, list[Row]]]:
        """What a person wants to see: tables with a line above each."""
        return [("", self.rows())]

    def to_pandas(self) -> pandas.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.rows())

    def __repr__(self) -> str:
        rows = self.rows()
        shown_rows = ["  " + "  ".join(f"{name} {_told(cell)}" for name, cell in row.items()) for row in rows[:20]]
        more = [f"  … {len(rows) - 20} more"] if len(rows) > 20 else []
        return "\n".join([f"{type(self).__name__} of {len(rows)} rows", *shown_rows, *more, *self.notes])


def _told(cell: Any) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else "-" if cell is None else str(cell)


def defined(value: float) -> float | None:
    """A number for a row: None where it is not defined."""
    value = float(value)
    return None if math.isnan(value) else value


def choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        raise PartwiseError(f"{name} is {shown(value)}", f"it must be one of {', '.join(choices)}")


def whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PartwiseError(f"{name} is {shown(value)}", f"it must be a whole number from {least}")


def share(name: str, value: Any) -> None:
    """A number between 0 and 1, neither included."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1
    if not good:
        raise PartwiseError(f"{name} is {shown(value)}", "it must be a number between 0 and 1")
