"""Arrays in and out of kernels, and strategies for the spans and texts they take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FAR = 2**63 - 1
MANY = 10**6
SPAN = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))
NEAR = st.tuples(st.integers(FAR - 40, FAR - 1), st.integers(0, 40)).map(lambda p: (p[0], min(FAR, p[0] + p[1])))
"""Spans near the largest offset."""


def ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), np.int64)


def reals(values: Iterable[float]) -> Floats:
    return np.array(list(values), np.float64)


def offsets_of(columns: Iterable[Sequence[Any] | NDArray[Any]]) -> Ints:
    """The start of each column when they are concatenated, and the end of the last."""
    return ints(accumulate((len(column) for column in columns), initial=0))


def joined(columns: Iterable[Any]) -> Ints:
    return np.concatenate([ints([]), *columns])


def spans_of(spans: Iterable[tuple[int, int]]) -> tuple[Ints, Ints]:
    """The starts and the ends."""
    flat = list(spans)
    return ints(start for start, _ in flat), ints(end for _, end in flat)


def numpys_permutations(chance: np.random.Generator, count: int, times: int, dtype: type[Any]) -> Ints:
    """Rows of permutations, whose random places are drawn in one call."""
    lasts = np.arange(count - 1, 0, -1)
    places = chance.integers(0, np.tile(lasts, times), dtype=dtype, endpoint=True).reshape(times, count - 1).tolist()
    orders = [list(range(count)) for _ in range(times)]
    for order, of_order in zip(orders, places, strict=True):
        for last, place in zip(lasts.tolist(), of_order, strict=True):
            order[last], order[place] = order[place], order[last]
    return np.array(orders, np.int64).reshape(times, count)


# ---- results of kernels -------------------------------------------------------------------------------------


def whole(column: Any) -> list[int]:
    """A column of whole numbers."""
    assert column.dtype == np.int64
    numbers: list[int] = column.tolist()
    return numbers


def rows(columns: Iterable[Any]) -> list[tuple[int, ...]]:
    """Columns of whole numbers, row by row."""
    return list(zip(*map(whole, columns), strict=True))


def floats(column: Any) -> list[Any]:
    assert column.dtype == np.float64
    numbers: list[Any] = column.tolist()
    return numbers


def flags(column: Any) -> list[bool]:
    assert column.dtype == np.bool_
    values: list[bool] = column.tolist()
    return values


def assert_close(actual: Any, expected: Iterable[float | Fraction], tolerance: float = 1e-12) -> None:
    """Compare floats with others, which may be exact."""
    numbers, exact = floats(actual), list(expected)
    assert len(numbers) == len(exact)
    for number, value in zip(numbers, exact, strict=True):
        assert abs(Fraction(number) - Fraction(value)) <= tolerance, (number, float(value))


# ---- texts --------------------------------------------------------------------------------------------------

TOKEN = st.one_of(
    st.from_regex(r"[0-9]{1,20}", fullmatch=True),
    st.from_regex(r"[-+]?[0-9]{0,12}\.?[0-9]{0,8}(e-?[0-9]{1,2})?", fullmatch=True).filter(bool),
    st.from_regex(r"[!-~]{1,20}", fullmatch=True),
    st.sampled_from(["é", "日本語", "-", ".", "nan", "inf", "1_0", "0" * 30, "9" * 19, "x" * 100, "００1", "²"]),
)
BLANKS = st.sampled_from([" ", "  ", "\t", " \t ", "\r "])


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = []
    for _ in range(draw(st.integers(0, 6))):
        count = draw(st.sampled_from([4, 4, 4, 4, 0, 3, 5]))
        tokens = [draw(TOKEN) for _ in range(count)]
        if count == 4 and draw(st.booleans()):
            tokens[1], tokens[2] = str(draw(st.integers(0, 10**18))), str(draw(st.floats(-1e6, 1e6)))
            tokens[3] = str(draw(st.integers(-9, 99)))
        line = "".join(token + draw(BLANKS) for token in tokens)
        lines.append(draw(st.sampled_from(["", " ", "\t"])) + line + draw(st.sampled_from(["", "\r"])))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


IRREGULAR = [b"t", b"1", b"0.5", b"d" * 9, b"x" * 70, b"\xff", b"\xc3\xa9", b"1e999", b"-1e-999", b"inf", b"9" * 19,
       b"0" * 30, b"123456789012345.6", b"1:2", b"/a[1]", b"\x00", b"-", b"+1", b"1.", b".5", b"#", b"#1"]  # fmt: skip
BYTES = st.one_of(
    texts().map(str.encode),
    st.binary(max_size=300),
    st.lists(st.sampled_from([*IRREGULAR, b"\n", b"\n", b" ", b"\t", b"\r\n"]), max_size=60).map(b" ".join),
)
"""Texts of four columns, arbitrary bytes, and texts in between that are hard to read."""
