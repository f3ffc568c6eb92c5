"""The results of comparisons and studies: rows of named cells, and notes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from partwise.errors import PartwiseError, shown
from partwise.later import selection
from partwise.messages import commands
from partwise.records import record
from partwise.showing import Shown, counted

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


class Findings(Shown, ABC):
    """Rows of named cells; an undefined cell is None.

    Iteration yields the rows, and `len` is their number. ``findings[0]`` is a row; ``findings["bm25"]`` and
    ``findings["bm25", "iAP"]`` are the rows with these cells in their first columns of names (`key_columns`).
    """

    notes: Sequence[str]
    labels: ClassVar[int] = 1
    """The number of leading columns that are names."""
    key_columns: ClassVar[tuple[str, ...]] = ("measure",)
    """The columns by which rows are looked up."""
    pivoted: ClassVar[tuple[Any, Any, str] | None] = None
    """Index, columns and values of `pivot`, unless others are chosen."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """All results, one mapping per row, all with the same keys."""

    def tables(self) -> list[tuple[str, list[Row]]]:
        """Tables for people, with a heading each."""
        return [("", self.rows())]

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    def __len__(self) -> int:
        return len(self.rows())

    def __bool__(self) -> bool:
        return True  # as objects without a length; a gate without checks passes

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, slice)):
            return self.rows()[key]
        names = key if isinstance(key, tuple) else (key,)
        if len(names) > len(self.key_columns):
            raise selection.unknown("key", names, self.key_columns)
        return self.filter(**dict(zip(self.key_columns, names, strict=False)))

    def filter(self, **cells: Any) -> Selected:
        """The rows with these cells, as findings.

        - `cells`: for each column, by its name, a cell, several of them, or a function that is true for the cells to
          keep: ``filter(measure="iAP", p=lambda p: p < 0.01)``.
        """
        return Selected(selection.filtered(self.rows(), cells), f"{type(self).__name__}", self.notes)

    def pivot(self, index: Any = None, columns: Any = None, values: str | None = None) -> pandas.DataFrame:
        """A pandas data frame of rows by columns; without arguments what is usual for these findings.

        - `index`: the column, or columns, whose cells are the rows.
        - `columns`: the column, or columns, whose cells are the columns; if there are none, all others are.
        - `values`: the column of the values.
        """
        usual = self.pivoted or (None, None, None)
        index, columns, values = (
            mine if one is None else one for one, mine in zip((index, columns, values), usual, strict=True)
        )
        if columns is None or values is None:
            return self.to_pandas().set_index(list(self.key_columns) if index is None else index)
        return selection.pivoted(self.rows(), index, columns, values)

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {counted(len(self), 'row')}"

    def __str__(self) -> str:
        rows = self.rows()
        shown_rows = ["  " + "  ".join(f"{name} {_cell_text(cell)}" for name, cell in row.items()) for row in rows[:20]]
        more = [f"  … {len(rows) - 20} more"] if len(rows) > 20 else []
        return "\n".join([repr(self), *shown_rows, *more, *self.notes])


@record(repr=False)
class Selected(Findings):
    """Some of the rows of other findings."""

    chosen: Sequence[Row]
    of: str
    """The name of the class of these findings."""
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.chosen)

    def __repr__(self) -> str:
        return f"{self.of}, {counted(len(self), 'row')} selected"


def _cell_text(cell: Any) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else "-" if cell is None else str(cell)


def defined(value: float) -> float | None:
    """A number, or None for NaN."""
    value = float(value)
    return None if math.isnan(value) else value


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise an error unless a value is a whole number from `least` to `most`."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and value >= least and (most is None or value <= most):
        return
    if most is None:
        raise PartwiseError(commands.MUST_BE_WHOLE(name=name, value=shown(value), least=least))
    raise PartwiseError(commands.MUST_BE_WHOLE_TO(name=name, value=shown(value), least=least, most=most))


def check_share(name: str, value: Any) -> None:
    """Raise an error unless a value is a number between 0 and 1, both excluded."""
    is_share = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1
    if not is_share:
        raise PartwiseError(commands.MUST_BE_BETWEEN(name=name, value=shown(value)))
