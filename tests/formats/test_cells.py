"""Columns of Python cells: the kernels, with the functions for irregular cells, equal those functions cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partwise.formats import cells as of_cells
from partwise.formats.problems import Reader
from partwise.formats.tables import Table
from partwise.messages import reading
from partwise.model import NO_GRADE, NONE, Source


class Text(str):
    """A string of another type."""


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([10**6, 10**6 + 1, -(10**6), 2**40, 2**40 + 1, 2**63, -(2**63) - 1, 10**400]),
    st.floats(),
    st.sampled_from([0.0, -0.0, 3.0, 2.0**40, 2.0**63, 1e300]),
    st.text(max_size=2),
    st.sampled_from(["", "d", "\ud800", " 5 ", "5.0", "-5", "5_0", "d" * 30, Text(""), Text("7"), b"d", b"", b"\xff"]),
    st.sampled_from([np.int64(4), np.float64(2), np.float64("nan"), np.str_("d"), np.bool_(True), Decimal(3)]),
    st.lists(st.integers(0, 3), max_size=3),
    st.just({"start": 1}),
)


def table_of(cells: Any) -> Table:
    return Table(
        {"x": cells}, range(1, len(cells) + 1), Reader(Source("run", is_file=False), True, []), None, {"x": "y"}
    )


def plain(table: Table, convert: Callable[[Any], Any], expected: str, missing: Any) -> list[Any]:
    return table.each("x", convert, expected, missing)


def plain_strings(table: Table) -> list[str]:
    values = plain(table, of_cells.text_in, of_cells.ID, None)
    for row, value in enumerate(values):
        if value is None and not table.bad[row]:
            table.problem(row, reading.NO_VALUE(name="y"))
    return ["" if value is None else value for value in values]


def checked(table: Table) -> tuple[list[str], list[bool]]:
    return [str(error) for _, error in sorted(table.reader.errors.items())], table.bad.tolist()


@given(st.lists(CELLS, min_size=1), st.booleans())
def test_cells(cells: list[Any], is_tuple: bool) -> None:
    given_ = tuple(cells) if is_tuple else cells
    fast, slow = table_of(given_), table_of(cells)
    strings = fast.strings("x")
    values = plain_strings(slow)
    assert strings.values() == values
    assert list(strings.names) == list(dict.fromkeys(values))
    assert checked(fast) == checked(slow)
    for method, *how in (
        ("naturals", of_cells.natural_in, of_cells.NATURAL, NONE),
        ("lines_from", of_cells.line_in, of_cells.LINE, NONE),
        ("grades", of_cells.grade_in, of_cells.GRADE, NO_GRADE),
        ("numbers", of_cells.number_in, of_cells.NUMBER, np.nan),
    ):
        fast, slow = table_of(given_), table_of(cells)
        column = getattr(fast, method)("x")
        np.testing.assert_array_equal(column, np.array(plain(slow, *how), column.dtype))
        assert checked(fast) == checked(slow)


@given(st.lists(st.integers(-3, 2**41) | st.integers(-(2**20), 2**20), min_size=1), st.sampled_from("iuf"))
def test_arrays(numbers: list[int], kind: str) -> None:
    array = np.array([abs(number) for number in numbers] if kind == "u" else numbers).astype(f"{kind}8")
    for method in ("naturals", "lines_from", "grades", "numbers"):
        fast, slow = table_of(array), table_of(list(array))
        np.testing.assert_array_equal(getattr(fast, method)("x"), getattr(slow, method)("x"))
        assert checked(fast) == checked(slow)
