"""The reader of Python objects once more: plain loops over rows and cells, with the names of the kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def are_rows(value: Any, names: frozenset[str]) -> bool:
    return len(value) > 0 and all(isinstance(row, Mapping) for row in value) and any(set(row) & names for row in value)


def lists_by_query(values: list[Any], names: frozenset[str]) -> bool:
    for value in values:
        if isinstance(value, Mapping):
            good = all(hasattr(number, "__float__") for number in value.values())
        else:
            good = value is None or (isinstance(value, (list, tuple)) and not are_rows(value, names))
        if not good:
            return False
    return True


def cells_of_rows(rows: Sequence[Mapping[Any, Any]]) -> tuple[dict[Any, list[Any]], int]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}, len(rows)


def cells_by_query(
    value: Mapping[Any, Any], number: str, unknown_part: Callable[[Any, Any], Exception]
) -> tuple[dict[Any, list[Any]], int]:
    """From a mapping of queries to their results; `unknown_part` makes the error for a part that is not understood."""
    rows: list[dict[Any, Any]] = []
    for query, items in value.items():
        if isinstance(items, Mapping):
            rows += [{"query_id": query, "doc_id": doc, number: cell} for doc, cell in items.items()]
            continue
        if items is not None and not len(items) and number == "grade":
            rows.append({"query_id": query, "doc_id": ""})
        for item in items or ():
            if isinstance(item, Mapping):
                rows.append({"query_id": query, **dict(item.items())})
            elif isinstance(item, str):
                rows.append({"query_id": query, "doc_id": item})
            elif isinstance(item, Sequence) and not isinstance(item, bytes) and len(item) == 3:
                rows.append({"query_id": query, **dict(zip(("doc_id", "start", "end"), item, strict=True))})
            else:
                raise unknown_part(query, item)
    return cells_of_rows(rows)


def coded_cells(cells: Sequence[Any]) -> tuple[list[int], list[str], list[int]]:
    names: dict[str, int] = {}
    codes, irregular = [], []
    for row, cell in enumerate(cells):
        text = str(cell) if type(cell) is int and -(2**63) <= cell < 2**63 else cell
        if type(text) is str and text and not any("\ud800" <= character <= "\udfff" for character in text):
            codes.append(names.setdefault(text, len(names)))
        else:
            codes.append(-1)
            irregular.append(row)
    return codes, list(names), irregular


def token_cells(cells: Sequence[Any]) -> list[bytes] | None:
    codes, names, irregular = coded_cells(cells)
    if irregular or any(name.endswith("\0") for name in names):
        return None
    return [names[code].encode() for code in codes]


def _is_missing(cell: Any) -> bool:
    return cell is None or (type(cell) is str and cell == "") or (type(cell) is float and math.isnan(cell))


def numbers_of_names(names: list[str], in_order: list[str], numbers: dict[str, int]) -> list[int]:
    return [numbers.get(name, -1) for name in names]


def whole_cells(cells: Sequence[Any], low: int, high: int, missing: int) -> tuple[list[int], list[int]]:
    values, irregular = [], []
    for row, cell in enumerate(cells):
        is_whole = type(cell) is int or (type(cell) is float and cell.is_integer())
        if is_whole and low <= cell <= high:
            values.append(int(cell))
        else:
            values.append(missing)
            irregular += [] if _is_missing(cell) else [row]
    return values, irregular


def real_cells(cells: Sequence[Any]) -> tuple[list[float], list[int]]:
    values, irregular = [], []
    for row, cell in enumerate(cells):
        if type(cell) is float or (type(cell) is int and -(2**63) <= cell < 2**63):
            values.append(float(cell))
        else:
            values.append(math.nan)
            irregular += [] if _is_missing(cell) else [row]
    return values, irregular
