"""Slices: groups of queries that share a value, such as their corpus, and what ``by`` asks for.

A query with several values (a list) is in the slice of each; one without a value is in none. Numbers with many
different values are put into bins of about the same number of queries.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from partwise.errors import PartwiseError, shown
from partwise.messages import slices as messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALL = "all"
"""The name under which all queries are reported, as a query and as a slice."""
GOLD = ("grade", "nugget")
"""Columns of the gold by which it can be sliced."""
TAG = "tag"
BINS = 4
SEPARATE = 10
"""Numbers with at most this many different values are slices of their own."""
LISTED = 3
"""A note names at most this many queries."""

QueryColumns = Mapping[str, Mapping[str, "Any"]]
"""The columns of the queries: for each the cell of every query."""


class Groups:
    """The queries of each slice, in the order of the slices; `without` are those that are in none."""

    def __init__(self, by: str, queries: Mapping[str, Sequence[str]], without: Sequence[str]) -> None:
        self.by, self.queries, self.without = by, queries, without

    def notes(self) -> list[str]:
        """Notes on queries without a value, and on queries in several slices."""
        notes: list[str] = []
        if self.without:
            more = len(self.without) - LISTED
            names = ", ".join(self.without[:LISTED]) + (f" and {more} more" if more > 0 else "")
            notes.append(messages.WITHOUT_VALUE.note(count=len(self.without), by=self.by, names=names))
        members = [query for queries in self.queries.values() for query in queries]
        repeated = len(members) - len(set(members))
        if repeated:
            times: dict[str, int] = {}
            for query in members:
                times[query] = times.get(query, 0) + 1
            several = sum(count > 1 for count in times.values())
            notes.append(messages.IN_SEVERAL.note(count=several, by=self.by))
        return notes


def parsed(by: str, columns: QueryColumns) -> tuple[str, str]:
    """What ``by`` asks for: ``gold``, ``doc``, ``query`` or ``tag``, and the column or the pattern."""
    kind, separator, name = by.partition(":")
    if kind == "doc" and separator:
        return "doc", name
    if kind == "gold" and separator:
        if name not in GOLD:
            raise PartwiseError(messages.NOT_OF_GOLD(name=shown(name), columns=", ".join(GOLD)))
        return "gold", name
    if kind == "query" and separator and by not in columns:
        return "query", _known(name, columns)
    if by in GOLD:
        if by in columns:
            raise PartwiseError(messages.AMBIGUOUS(name=by))
        return "gold", by
    if by == TAG and by not in columns:
        return "tag", ""
    return "query", _known(by, columns)


def _known(name: str, columns: QueryColumns) -> str:
    if name in columns:
        return name
    if not columns:
        raise PartwiseError(messages.NO_QUERIES(name=shown(name)))
    import difflib

    nearest = difflib.get_close_matches(name, columns, 1)
    remedy = messages.NEAREST if nearest else messages.KNOWN_COLUMNS
    raise PartwiseError(remedy(name=shown(name), nearest="".join(nearest), columns=", ".join(columns)))


def grouped(by: str, values: Mapping[str, Any], queries: Iterable[str], bins: int | None = None) -> Groups:
    """The queries by their values. `bins` is the number of bins for numbers with more different values than that."""
    if bins is not None and (not isinstance(bins, int) or isinstance(bins, bool) or bins < 1):
        raise PartwiseError(messages.BAD_BINS(value=shown(bins)))
    cells = {query: _cells(values.get(query)) for query in queries}
    present = [cell for of_query in cells.values() for cell in of_query]
    if not present:
        raise PartwiseError(messages.NO_VALUES(by=shown(by)))
    key: Callable[[Any], Any]
    others = [cell for cell in present if not _is_nan(cell)]
    numbers = [number for cell in others if (number := _number(cell)) is not None]
    if numbers and len(numbers) == len(others):
        cells = {query: [cell for cell in of_query if not _is_nan(cell)] for query, of_query in cells.items()}
        key, names = _number, _bins(numbers, bins)
    else:
        key, names = _text, {text: text for text in sorted(map(_text, present))}
    members: dict[str, dict[str, None]] = {name: {} for name in names.values()}
    for query, of_query in cells.items():
        for cell in of_query:
            members[names[key(cell)]][query] = None
    return of_members(by, {name: list(of_slice) for name, of_slice in members.items()}, cells)


def check_mapping(by: Any) -> None:
    """Raise an error if `by` is not a mapping."""
    if not isinstance(by, Mapping):
        mapping = ", or a mapping of query ids to values"
        raise PartwiseError(messages.NOT_BY(type=type(by).__name__, mapping=mapping))


def of_members(by: str, members: Mapping[str, Sequence[str]], queries: Iterable[str]) -> Groups:
    """The groups with these members; the other queries are in none."""
    if not members:
        raise PartwiseError(messages.NO_VALUES(by=shown(by)))
    if ALL in members:
        raise PartwiseError(messages.CALLED_ALL(by=shown(by)))
    inside = {query for of_slice in members.values() for query in of_slice}
    return Groups(by, members, [query for query in queries if query not in inside])


def _cells(cell: Any) -> list[Any]:
    """The values in a cell: of a list or tuple all of them, without those that are missing."""
    if isinstance(cell, (list, tuple, set, frozenset)) or hasattr(cell, "tolist"):
        several = cell.tolist() if hasattr(cell, "tolist") else list(cell)
        return [one for item in (several if isinstance(several, list) else [several]) for one in _cells(item)]
    if cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, float) and math.isnan(cell)):
        return []
    return [] if isinstance(cell, str) and not cell.strip() else [cell]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    number = cell if isinstance(cell, (int, float)) else None
    return " ".join(str(cell).split()) if number is None else _written(number)


def _is_nan(cell: Any) -> bool:
    """Whether it is the word NaN, which is a missing value among numbers, and a name among names."""
    return isinstance(cell, str) and cell.strip().lower() == "nan"


def _is_code(text: str) -> bool:
    """Whether a text is a name that looks like a number: 007 is another than 7."""
    digits = text.strip().lstrip("+-")
    return (digits[:1] == "0" and digits[1:2].isdigit()) or "_" in text or not text.isascii()


def _number(cell: Any) -> int | float | None:
    """The number in a cell, whole ones exactly, so that different ones stay different."""
    if isinstance(cell, bool) or (isinstance(cell, str) and _is_code(cell)):
        return None
    if isinstance(cell, int):
        return cell
    for kind in (int, float) if isinstance(cell, str) else (float,):
        try:
            value: int | float = kind(cell)
        except (TypeError, ValueError, OverflowError):
            continue
        return None if value != value else value
    return None


def _written(number: float) -> str:
    if isinstance(number, int):
        return str(number)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _bins(numbers: Sequence[float], bins: int | None) -> dict[Any, str]:
    """The name of the slice of every number, in ascending order: the number, or the smallest and largest of its bin.

    A bin ends at a quantile of the numbers, and equal numbers are in the same bin.
    """
    different = sorted(set(numbers))
    if len(different) <= (SEPARATE if bins is None else bins):
        return {number: _written(number) for number in different}
    count = BINS if bins is None else bins
    ordered = sorted(numbers)
    ends = sorted({ordered[math.ceil(len(ordered) * part / count) - 1] for part in range(1, count + 1)})
    names: dict[Any, str] = {}
    edges = [0, *(bisect_left(different, end) + 1 for end in ends)]
    for first, after in pairwise(edges):
        low, high = _written(different[first]), _written(different[after - 1])
        names |= dict.fromkeys(different[first:after], low if low == high else f"{low} to {high}")
    return names


def matched(pattern: str, docs: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What a regular expression finds in the documents of each query: its first group, or all that it matches."""
    import re

    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise PartwiseError(messages.BAD_PATTERN(pattern=shown(pattern), reason=error)) from None
    found: dict[str, list[str]] = {}
    for query, of_query in docs.items():
        matches = [match for doc in of_query if (match := compiled.search(doc))]
        parts = [(match.group(1) if compiled.groups else match.group()) for match in matches]
        found[query] = [part for part in dict.fromkeys(parts) if part]
    return found
