"""The reader of Python objects: equal to plain loops, also over hostile objects, and without leaked references."""

from __future__ import annotations

import gc
import math
import sys
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from partwise.formats.objects import parts_by_query
from partwise.formats.tables import cells_of as cells_of_column
from partwise.model import Coded, Tokenised
from support.arrays import whole

NAMES = frozenset(("query_id", "qid"))


class Text(str):
    """A string of another type."""


class Part(NamedTuple):
    doc_id: str
    start: int
    end: int


class Raising(Mapping[str, Any]):
    """A mapping whose cells cannot be read."""

    def __getitem__(self, name: str) -> Any:
        raise RuntimeError("no cell")

    def __iter__(self) -> Iterator[str]:
        return iter(["doc_id"])

    def __len__(self) -> int:
        return 1


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([2**40, 2**40 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**400]),
    st.floats(),
    st.sampled_from([0.0, -0.0, 3.0, 2.0**40, 2.0**63, 1e300]),
    st.text(max_size=2),
    st.sampled_from(["", "d", "d1", "d\0", "\ud800", "é", "\U0001f600", "5", "d" * 30, Text(""), Text("d"), b"d", b""]),
    st.sampled_from([np.int64(4), np.float64(2), np.float64("nan"), np.str_("d"), np.bool_(True), Decimal(3)]),
    st.lists(st.integers(0, 3), max_size=3),
)


@given(st.lists(CELLS))
def test_cells(cells: list[Any]) -> None:
    codes, names, irregular = kernels.coded_cells(cells)
    assert (whole(codes), names, whole(irregular)) == oracle.coded_cells(cells)
    for kept in (cells, [cell for row, cell in enumerate(cells) if row not in oracle.coded_cells(cells)[2]]):
        column = kernels.token_cells(kept)
        assert (None if column is None else [*map(column.token, range(len(kept)))]) == oracle.token_cells(kept)
    for limits in ((0, 2**40, -1), (-5, 3, -(2**63)), (1, 2**63 - 1, -1)):
        values, irregular = kernels.whole_cells(cells, *limits)
        if limits[1] < 2**53:
            assert (whole(values), whole(irregular)) == oracle.whole_cells(cells, *limits)
    numbers, irregular = kernels.real_cells(cells)
    expected, of_oracle = oracle.real_cells(cells)
    np.testing.assert_array_equal(numbers, np.array(expected, np.float64))
    assert whole(irregular) == of_oracle


@given(st.lists(st.text(max_size=2), unique=True), st.randoms())
def test_numbers_of_names(judged: list[str], chance: Random) -> None:
    numbers = {name: number for number, name in enumerate(judged)}
    copies = ["".join(list(name)) for name in judged]
    for names in (
        judged,
        copies,
        judged[::2],
        ["x", *judged],
        chance.sample(copies, len(copies)),
        [*map(Text, judged)],
    ):
        expected = oracle.numbers_of_names(names, judged, numbers)
        assert whole(kernels.numbers_of_names(names, judged, numbers)) == expected


KEYS = st.sampled_from(["doc_id", "start", "end", "query_id", "qid", "score", "x"])
DICTS = st.dictionaries(KEYS, CELLS, max_size=4)
PLAIN_PARTS = st.one_of(DICTS, st.tuples(CELLS, CELLS, CELLS), st.lists(CELLS, max_size=4), st.text(max_size=1), CELLS)


def subclassed(part: dict[str, Any]) -> list[Any]:
    return [
        OrderedDict(part),
        defaultdict(int, part),
        UserDict(part),
        ChainMap(part),
        {Text(k): v for k, v in part.items()},
    ]


HOSTILE_PARTS = st.one_of(
    DICTS.flatmap(lambda part: st.sampled_from(subclassed(part))),
    st.dictionaries(st.one_of(KEYS, st.integers(0, 2), st.none(), st.tuples()), CELLS, max_size=3),
    st.builds(Part, CELLS, CELLS, CELLS),
    st.just(Raising()),
    st.lists(CELLS, min_size=3, max_size=3).map(UserList),
    st.just(Text("d")),
    st.just(b"doc"),
)
LISTS = st.lists(st.one_of(DICTS, PLAIN_PARTS, HOSTILE_PARTS), max_size=5)
VALUES = st.one_of(
    st.none(),
    LISTS,
    LISTS.map(tuple),
    LISTS.map(UserList),
    st.dictionaries(CELLS.filter(lambda cell: type(cell) is not list), CELLS, max_size=3),
    st.dictionaries(st.text(max_size=1), CELLS, max_size=3).map(UserDict),
)


class UnknownPart(Exception):
    pass


def unknown_part(query: Any, item: Any) -> Exception:
    return UnknownPart(repr(query), type(item).__name__)


def outcome(read: Callable[[], Any]) -> Any:
    """What is read, or the error; cells that may be NaN, which is not equal to itself, are compared by identity."""
    try:
        columns, count = read()
    except (UnknownPart, RuntimeError, TypeError, ValueError) as error:
        return type(error), str(error)
    return {name: [compared(cell) for cell in cells_of_column(cells)] for name, cells in columns.items()}, count


def compared(cell: Any) -> Any:
    return type(cell), cell if type(cell) in (int, str) else id(cell)


def by_query(value: Mapping[Any, Any], number: str) -> Any:
    """As the reader calls the kernel."""
    return parts_by_query(value, number, unknown_part)


@given(
    st.dictionaries(st.one_of(st.text(max_size=2), st.integers(0, 9), st.none()), VALUES, max_size=4),
    st.sampled_from(["score", "grade"]),
)
def test_parts_by_query(value: dict[Any, Any], number: str) -> None:
    expected = outcome(lambda: oracle.cells_by_query(value, number, unknown_part))
    assert outcome(lambda: by_query(value, number)) == expected
    assert outcome(lambda: by_query(UserDict(value), number)) == expected


@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize(
    ("name", "cell", "others"),
    [
        ("start", 7, [None, -1, 2**63, 1.0, "7", True, np.int64(7), Text("7")]),
        ("doc_id", "d\xe9", [None, 7, "", "d\0", "\ud800", Text("d"), b"d"]),
    ],
)
def test_columns_of_a_kind(name: str, cell: Any, others: list[Any], rows: int) -> None:
    """Numbers and texts stay what they are; a cell of another kind, or a missing one, makes all of them objects."""
    first, last = [{name: cell}] * rows, {name: cell, "x": 1}
    columns, _ = by_query({"q": [*first, last], "r": [last]}, "score")
    assert isinstance(columns[name], Tokenised if name == "doc_id" else np.ndarray)
    assert isinstance(columns["query_id"], Coded)
    assert list(cells_of_column(columns[name])) == [cell] * (rows + 2)
    for part in ({}, {"x": 2}, *({name: other} for other in others)):
        columns, count = by_query({"q": [*first, part, last], "r": []}, "score")
        assert columns[name][:rows] == [cell] * rows
        assert columns[name][rows] is part.get(name)
        assert columns[name][rows + 1 :] == [cell]
        columns, count = by_query({"q": first, "r": [part]}, "score")
        assert (columns[name][rows], count) == (part.get(name), rows + 1)


@pytest.mark.parametrize("query", [7, None, "", "\ud800", Text("r")])
def test_queries_without_a_code(query: Any) -> None:
    columns, _ = by_query({"q": ["d", "e"], query: ["d"]}, "score")
    assert columns["query_id"] == ["q", "q", query]
    assert columns["query_id"][2] is query


def test_query_of_a_part_takes_precedence() -> None:
    columns, _ = by_query({"q": ["d", {"query_id": "r", "doc_id": "e"}, "f"], "s": ["d"]}, "score")
    assert columns["query_id"] == ["q", "r", "q", "s"]
    assert list(cells_of_column(columns["doc_id"])) == ["d", "e", "f", "d"]


def cells_of(_: Any, row: Any) -> list[tuple[Any, Any]]:
    return [(name, row.get(name)) for name in row]


@given(st.lists(DICTS | DICTS.flatmap(lambda part: st.sampled_from(subclassed(part)))))
def test_rows(rows: list[Any]) -> None:
    expected = outcome(lambda: oracle.cells_of_rows(rows))
    assert outcome(lambda: kernels.cells_of_rows(rows, cells_of)) == expected
    assert outcome(lambda: kernels.cells_of_rows(tuple(rows), cells_of)) == expected


@given(st.lists(DICTS | PLAIN_PARTS | HOSTILE_PARTS, min_size=1, max_size=5))
def test_shapes(items: list[Any]) -> None:
    answer = kernels.are_rows(items, NAMES)
    plain = all(type(item) is dict and all(type(name) is str for name in item) for item in items)
    assert answer == oracle.are_rows(items, NAMES) if answer is not None or plain else True
    assert kernels.are_rows(UserList(items), NAMES) is None


@given(st.lists(VALUES, max_size=4))
def test_lists_by_query(values: list[Any]) -> None:
    unknown, good = kernels.lists_by_query(dict(enumerate(values)), NAMES)
    known = [value for value in values if not any(value is one for one in unknown)]
    if good:
        assert all(oracle.lists_by_query([value], NAMES) for value in known)
    else:
        assert not oracle.lists_by_query(values, NAMES)


def test_kernels_refuse_other_types() -> None:
    for rows in ({}, "text", iter([]), UserList()):
        with pytest.raises(TypeError):
            kernels.cells_of_rows(rows, cells_of)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kernels.coded_cells(("d",))  # type: ignore[arg-type]


def test_objects_that_change_while_they_are_read() -> None:
    """Functions in Python may change what is read; nothing is read that is no longer there."""
    parts: list[Any] = [{"doc_id": "a"}, Part("b", 0, 1), {"doc_id": "c"}]
    lists: dict[str, Any] = {"q": parts, "r": [("d", 0, 1)]}

    def shrinking(_: Any, item: Any) -> list[tuple[Any, Any]]:
        parts.clear()
        lists.clear()
        return [("doc_id", item[0])]

    columns, count = kernels.cells_by_query(lists, "score", False, lambda query, value: value, shrinking, {})
    assert columns["doc_id"] == ["a", "b", "d"]
    assert count == 3

    growing: dict[Any, Any] = {"doc_id": "a", 1: "x"}
    rows = [growing, {"doc_id": "b"}]

    def adding(_: Any, row: Any) -> list[tuple[Any, Any]]:
        pairs = list(row.items())
        row[len(row)] = "more"
        rows.pop()
        return pairs

    assert kernels.cells_of_rows(rows, adding) == ({"doc_id": ["a"], 1: ["x"]}, 1)


def test_references_are_released() -> None:
    class Cell(str):
        pass

    key, doc, plain, query = "start" + str(id(object())), Cell("doc"), "document " * 3, "query " * 3
    part = {"doc_id": plain, key: 12345678901}
    mapping = UserDict({key: doc})
    number = 10**30
    held = [key, doc, plain, query, part, mapping, number]
    before = [sys.getrefcount(item) for item in held]

    def raising(_: Any, item: Any) -> list[tuple[Any, Any]]:
        raise RuntimeError("refused")

    for _ in range(200):
        by_query({query: [part, mapping, (plain, 1, number), plain], "r": {plain: 0.5}}, "score")
        kernels.cells_of_rows([part, part, mapping], cells_of)
        kernels.coded_cells([plain, doc, query, 7, number, plain])
        kernels.token_cells([plain, doc, query, 7, number, plain])
        kernels.whole_cells([number, plain, 3], 0, 9, -1)
        kernels.real_cells([number, plain, math.nan])
        kernels.are_rows([part, mapping], NAMES)
        kernels.lists_by_query({1: [part], 2: {plain: 1}, 3: [mapping], 4: query}, NAMES)
        with pytest.raises(RuntimeError):
            kernels.cells_of_rows([part, mapping], raising)
        with pytest.raises(RuntimeError):
            kernels.cells_by_query({query: [part, mapping]}, "score", False, raising, raising, {})
    gc.collect()
    assert [sys.getrefcount(item) for item in held] == before
