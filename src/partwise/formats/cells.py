"""The values of cells: texts, numbers, spans and paths; None for a cell that holds something else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partwise.files import is_unicode
from partwise.model import LARGEST_GRADE, LARGEST_OFFSET
from partwise.units import UNITS

# what the functions below accept, for messages
ID = "a string or a whole number"
NATURAL = f"a whole number from 0 to {LARGEST_OFFSET}"
LINE = f"the number of a line, from 1 to {LARGEST_OFFSET}"
SECONDS = f"seconds from 0 to {LARGEST_OFFSET // 1000}, with at most three decimals"
GRADE = f"a whole number from -{LARGEST_GRADE} to {LARGEST_GRADE}"
NUMBER = "a number"
SPANS = "a list of [start, end]"
SCALES = ("four-point", "inex2005", "unit")
SCALE = "one of " + ", ".join(SCALES)
UNIT = "one of " + ", ".join(UNITS)
PATH = "a path that begins with /"
PATHS = "a list of paths that begin with /"


def is_missing(cell: Any) -> bool:
    if cell is None or (isinstance(cell, str) and cell == "") or type(cell).__name__ == "NAType":  # of pandas
        return True
    return isinstance(cell, (float, np.floating)) and math.isnan(cell)


def has_half_character(cell: Any) -> bool:
    """Whether a text in a cell, or in a list or mapping in it, has a lone surrogate, which no encoding can write."""
    if isinstance(cell, str):
        return not is_unicode(cell)
    if isinstance(cell, dict):
        return any(map(has_half_character, (*cell, *cell.values())))
    return isinstance(cell, (list, tuple)) and any(map(has_half_character, cell))


def text_in(cell: Any) -> str | None:
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "surrogateescape")
    if isinstance(cell, str):
        return None if has_half_character(cell) else cell
    whole = integer_in(cell)
    return None if whole is None else str(whole)


def integer_in(cell: Any) -> int | None:
    if isinstance(cell, str):
        digits = cell.strip().removeprefix("-")
        whole = digits.removesuffix(".0")
        is_whole = whole.isascii() and whole.isdigit() and len(whole) <= 18
        return int(cell.strip().removesuffix(".0")) if is_whole else None
    if isinstance(cell, (bool, np.bool_)):
        return None
    if isinstance(cell, (int, np.integer)):
        return int(cell)
    if isinstance(cell, (float, np.floating)):
        return int(cell) if float(cell).is_integer() else None
    from decimal import Decimal

    is_whole = isinstance(cell, Decimal) and cell.is_finite() and cell == cell.to_integral_value()
    return int(cell) if is_whole else None


def grade_in(cell: Any) -> int | None:
    """The grade in a cell; None for anything else."""
    value = integer_in(cell)
    return value if value is not None and abs(value) <= LARGEST_GRADE else None


def natural_in(cell: Any) -> int | None:
    value = integer_in(cell)
    return value if value is not None and 0 <= value <= LARGEST_OFFSET else None


def line_in(cell: Any) -> int | None:
    """The number of a line, from 1; None for anything else."""
    value = natural_in(cell)
    return value or None


def milliseconds_in(cell: Any) -> int | None:
    """Seconds, with at most three decimals, as milliseconds; None for anything else."""
    from decimal import Decimal, InvalidOperation

    if isinstance(cell, (bool, np.bool_)) or not isinstance(cell, (str, int, float, np.number, Decimal)):
        return None
    text = cell.strip() if isinstance(cell, str) else repr(cell.item() if isinstance(cell, np.number) else cell)
    text = str(cell) if isinstance(cell, Decimal) else text
    if not text.isascii() or len(text) > 40 or "_" in text:
        return None
    try:
        value = Decimal(text) * 1000
    except InvalidOperation:
        return None
    good = value.is_finite() and 0 <= value <= LARGEST_OFFSET and value == value.to_integral_value()
    return int(value) if good else None


def number_in(cell: Any) -> float | None:
    if isinstance(cell, (bool, np.bool_)):
        return None
    if isinstance(cell, str) and ("_" in cell or not cell.isascii()):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if math.isnan(value) else value


def unit_in(cell: Any) -> str | None:
    return cell if isinstance(cell, str) and cell in UNITS else None


def scale_in(cell: Any) -> str | None:
    return cell if isinstance(cell, str) and cell in SCALES else None


def exhaustivity_in(cell: Any) -> float | None:
    return 0.0 if isinstance(cell, str) and cell == "?" else number_in(cell)


def spans_in(cell: Any, offset_in: Callable[[Any], int | None] = natural_in) -> list[tuple[int, int]] | None:
    """The spans in ``[[10, 20], [40, 60]]``, or in ``10-20 40-60`` where a cell can only be text."""
    if isinstance(cell, str):
        cell = [item.split("-") for item in cell.split()]
    try:
        if any(isinstance(pair, (str, bytes)) for pair in cell):
            return None
        pairs = [(offset_in(start), offset_in(end)) for start, end in cell]
    except (TypeError, ValueError):
        return None
    good = [(a, b) for a, b in pairs if a is not None and b is not None and a <= b]
    return good if good and len(good) == len(pairs) else None


def path_in(cell: Any) -> tuple[str, str | None] | None:
    """A path, or two separated by a blank: from the start of the first to the end of the second."""
    words = cell.split() if isinstance(cell, str) else []
    if not 1 <= len(words) <= 2 or not all(word.startswith("/") for word in words):
        return None
    return words[0], words[1] if len(words) == 2 else None


def paths_in(cell: Any) -> list[tuple[str, str | None]] | None:
    """Paths in a list, each as in `path_in`; in a text, paths of single elements separated by blanks."""
    items = cell.split() if isinstance(cell, str) else list(cell) if isinstance(cell, (list, tuple)) else []
    paths = [path_in(item) for item in items]
    good = [path for path in paths if path is not None]
    return good if good and len(good) == len(paths) else None


def single_path_in(cell: Any) -> str | None:
    path = path_in(cell)
    return None if path is None or path[1] is not None else path[0]
