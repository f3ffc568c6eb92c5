"""What a page unpacks: columns of numbers, and numbers with the digits that it shows."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.report.facts import rounded
from partwise.report.lists import Stack, thousandths
from partwise.report.packing import Columns, rounded_list, rounded_lists, signed
from support.reports import ColumnsRead
from support.reports import signed as unsigned

NUMBERS = st.one_of(st.integers(0, 3), st.integers(0, 300), st.integers(0, 2**53))


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.just(0)), max_size=30), st.data())
def test_columns_are_read_again(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    names = ("a", "b", "none")
    columns = Columns({name: np.array([row[i] for row in rows], np.int64) for i, name in enumerate(names)})
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
    packed = columns.rows(low, high)
    read = ColumnsRead(packed).read([list(one) for one in columns.layout], high - low)
    assert read == {name: [row[i] for row in rows[low:high]] for i, name in enumerate(names)}
    assert dict(columns.layout)["none"] == 0


def test_a_number_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="column a has a number below 0"):
        Columns({"a": np.array([1, -1])})


@given(st.lists(st.integers(-(2**50), 2**50)))
def test_numbers_of_both_signs(numbers: list[int]) -> None:
    packed = signed(np.array(numbers, np.int64)).tolist()
    assert all(number >= 0 for number in packed)
    assert [unsigned(number) for number in packed] == numbers


@given(st.lists(st.lists(st.floats())))
def test_numbers_have_the_digits_that_the_page_shows(rows: list[list[float]]) -> None:
    expected = [[rounded(value) for value in row] for row in rows]
    assert json.loads(rounded_lists([np.array(row, np.float64) for row in rows])) == expected
    for row, values in zip(rows, expected, strict=True):
        assert json.loads(rounded_list(np.array(row, np.float64))) == values


@given(st.lists(st.one_of(st.floats(0, 1), st.integers(0, 2000).map(lambda i: i / 2000))))
def test_thousandths_are_rounded_as_python_rounds(chances: list[float]) -> None:
    found = [number / 1000 for number in thousandths(np.array(chances, np.float64)).tolist()]
    assert found == [round(chance, 3) for chance in chances]


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 99))), max_size=5))
def test_rows_are_sorted_by_query_and_run(runs: list[list[tuple[int, int]]]) -> None:
    stack = Stack(5, ["value"])
    for run in runs:
        stack.begin_run()
        rows = sorted(run, key=lambda row: row[0])
        stack.add(np.array([query for query, _ in rows], np.int64), np.array([value for _, value in rows], np.int64))
    found = stack.sorted()
    expected = [[[value for q, value in run if q == query] for run in runs] for query in range(5)]
    assert found.counts.T.tolist() == [[len(of_run) for of_run in of_query] for of_query in expected]
    for query, of_query in enumerate(expected):
        inside = slice(int(found.offsets[query]), int(found.offsets[query + 1]))
        assert found.columns["value"][inside].tolist() == [value for of_run in of_query for value in of_run]


def test_what_is_not_finite_is_null() -> None:
    assert rounded_list(np.array([math.nan, math.inf, -math.inf, -0.5])) == "[null,null,null,-0.5]"
