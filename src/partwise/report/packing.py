"""What a page unpacks when it is needed: JSON, followed by columns of whole numbers, compressed, in Base64."""

from __future__ import annotations

import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.model import Floats, Ints

SIGNIFICANT_DIGITS = 6
LEVEL = 1
"""A third of the time of level 6, for 6% more bytes of columns of numbers."""


def packed(content: Any, columns: bytes = b"") -> bytes:
    """JSON and columns, for a part of the page that is unpacked when it is opened."""
    return packed_text(as_json(content), columns)


def packed_text(text: str, columns: bytes = b"") -> bytes:
    """The same, from JSON that is written already: its number of bytes, itself, and the columns."""
    data = text.encode()
    whole = len(data).to_bytes(4, "little") + data + columns
    return binascii.b2a_base64(zlib.compress(whole, LEVEL), newline=False)


def as_json(content: Any) -> str:
    """Compact JSON; a lone surrogate, as in a file name that is not UTF-8, becomes its escape."""
    return _ENCODER.encode(content).encode("utf-8", "backslashreplace").decode()


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def rounded_list(values: Floats) -> str:
    """JSON of numbers with the digits that a page shows, null for those that are not finite."""
    return rounded_lists([values])[1:-1]


def rounded_lists(rows: Sequence[Floats] | Floats) -> str:
    """JSON of lists of such numbers."""
    offsets = np.cumsum([0, *map(len, rows)])
    values = rows.ravel() if isinstance(rows, np.ndarray) else np.concatenate([np.empty(0), *rows])
    return kernels.json_lists(values, offsets, SIGNIFICANT_DIGITS)


def rounded_numbers(values: Floats) -> list[float | None]:
    """Such numbers themselves."""
    numbers: list[float | None] = json.loads(rounded_list(values), parse_int=float)
    return numbers


def signed(values: Ints) -> Ints:
    """Numbers of both signs as numbers from 0: 0, -1, 1, -2, 2 ... in this order."""
    return (values << 1) ^ (values >> 63)


def narrowed(values: Ints) -> Any:
    """Whole numbers in 1, 2 or 4 bytes each if none is larger, or below 0."""
    highest = int(values.view(np.uint64).max(initial=0))  # a number below 0 is taken for one above all others
    for too_high, narrow in _TYPES:
        if highest < too_high:
            return values.astype(narrow)
    return values


_TYPES = tuple((1 << 8 * dtype.itemsize, dtype) for dtype in map(np.dtype, (np.uint8, np.uint16, np.uint32)))


class Columns:
    """Columns of numbers from 0, of the same length, as bytes: of each column first the lowest bytes of all numbers.

    Bytes of the same place are similar, and compress better together. A column takes no more bytes for a number than
    its largest number needs, none if all are 0.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.layout: list[tuple[str, int]] = []
        """The name of each column, and the bytes of its numbers."""
        self._planes: list[bytes] = []
        for name, column in columns.items():
            if len(column) and int(column.min()) < 0:
                raise ValueError(f"column {name} has a number below 0")
            width = -(-int(column.max(initial=0)).bit_length() // 8)
            self.layout.append((name, width))
            bytes_each = column.dtype.itemsize
            places = column.astype(column.dtype.newbyteorder("<"), copy=False).view(np.uint8).reshape(-1, bytes_each)
            self._planes += [places[:, place].tobytes() for place in range(width)]

    def rows(self, low: int, high: int) -> bytes:
        """The bytes of these rows."""
        return b"".join([plane[low:high] for plane in self._planes])
