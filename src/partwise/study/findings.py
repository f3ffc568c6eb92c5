"""The results of comparisons and studies: rows of named cells, and notes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from partwise.errors import PartwiseError, shown
from partwise.messages import commands

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


class Findings(ABC):
    """Rows of named cells; an undefined cell is None."""

    notes: Sequence[str]
    labels: ClassVar[int] = 1
    """The number of leading columns that are names."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """All results, one mapping per row, all with the same keys."""

    def tables(self) -> list[tuple[str, list[Row]]]:
        """Tables for people, with a heading each."""
        return [("", self.rows())]

    def to_pandas(self) -> pandas.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.rows())

    def __repr__(self) -> str:
        rows = self.rows()
        shown_rows = ["  " + "  ".join(f"{name} {_cell_text(cell)}" for name, cell in row.items()) for row in rows[:20]]
        more = [f"  … {len(rows) - 20} more"] if len(rows) > 20 else []
        return "\n".join([f"{type(self).__name__} of {len(rows)} rows", *shown_rows, *more, *self.notes])


def _cell_text(cell: Any) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else "-" if cell is None else str(cell)


def defined(value: float) -> float | None:
    """A number, or None for NaN."""
    value = float(value)
    return None if math.isnan(value) else value


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise an error unless a value is a whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PartwiseError(commands.MUST_BE_WHOLE(name=name, value=shown(value), least=least))


def check_share(name: str, value: Any) -> None:
    """Raise an error unless a value is a number between 0 and 1, both excluded."""
    is_share = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1
    if not is_share:
        raise PartwiseError(commands.MUST_BE_BETWEEN(name=name, value=shown(value)))
