"""Choosing some of the rows of results, and putting rows into a table of rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from partwise.errors import PartwiseError, shown
from partwise.later import measures
from partwise.messages import scores as messages

if TYPE_CHECKING:
    import pandas

LISTED = 5


def chosen(
    what: str, wanted: Any, names: Sequence[Any], as_named: Callable[[Any], Any] = lambda name: name
) -> list[Any]:
    """Those of these names that are wanted: one, several, or those for which a function is true; None: all.

    A name that does not exist is an error, which says `what` it is. `as_named` turns what is wanted into a name.
    """
    if wanted is None:
        return list(names)
    if callable(wanted) and not isinstance(wanted, type) and not isinstance(getattr(wanted, "name", None), str):
        return [name for name in names if wanted(name)]
    several = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
    several = [name if name in names else as_named(name) for name in several]
    for name in several:
        if name not in names:
            raise unknown(what, name, names)
    return [name for name in names if name in several]


def unknown(what: str, name: Any, names: Collection[Any]) -> PartwiseError:
    """The error if there is nothing of this name."""
    listed = [str(one) for one, _ in zip(names, range(LISTED), strict=False)]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return PartwiseError(messages.UNKNOWN_NAME(what=what, name=shown(name), names=", ".join(listed) + more))


def measure_name(measure: Any) -> Any:
    """The name that scores have for a measure: of an object, or of another way to write it."""
    try:
        return measures.measures_from(measure)[0].name
    except PartwiseError:
        return measure


def filtered(rows: Sequence[Mapping[str, Any]], cells: Mapping[str, Any]) -> list[Any]:
    """The rows with these cells; each is a cell, several, or a function, as in `chosen`."""
    kept = list(rows)
    for column, wanted in cells.items():
        if rows and column not in rows[0]:
            raise unknown("column", column, rows[0])
        values = list(dict.fromkeys(row[column] for row in rows))
        among = set(chosen(column, wanted, values))
        kept = [row for row in kept if row[column] in among]
    return kept


def pivoted(
    rows: Sequence[Mapping[str, Any]],
    index: str | Sequence[str],
    columns: str | Sequence[str],
    values: str,
    *,
    repeated: bool = True,
) -> pandas.DataFrame:
    """A data frame with a row for every value of `index`, a column for every value of `columns`, and cells of `values`.

    Both keep the order of the rows. Different values for one cell are an error, and equal ones too unless they may be
    `repeated`.
    """
    import pandas as pd

    down, across = ([names] if isinstance(names, str) else list(names) for names in (index, columns))
    cells: dict[tuple[Any, ...], dict[tuple[Any, ...], Any]] = {}
    for row in rows:
        for name in (*down, *across, values):
            if name not in row:
                raise unknown("column", name, row)
        place = tuple(row[name] for name in down), tuple(row[name] for name in across)
        of_row = cells.setdefault(place[0], {})
        if place[1] in of_row and not (repeated and of_row[place[1]] == row[values]):
            names = ", ".join(
                f"{name} {cell}" for name, cell in zip((*down, *across), (*place[0], *place[1]), strict=True)
            )
            raise PartwiseError(messages.SEVERAL_VALUES(values=values, names=names))
        of_row[place[1]] = row[values]
    keys = list(dict.fromkeys(key for of_row in cells.values() for key in of_row))
    return pd.DataFrame(
        [[of_row.get(key) for key in keys] for of_row in cells.values()],
        index=_axis(list(cells), down),
        columns=_axis(keys, across),
    )


def _axis(keys: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Any:
    import pandas as pd

    if len(names) == 1:
        return pd.Index([key[0] for key in keys], name=names[0])
    return pd.MultiIndex.from_tuples(keys, names=list(names))
