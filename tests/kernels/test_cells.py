"""Named columns of JSON Lines, CSV and TSV: equal to Python's json and csv modules, on valid and on hostile texts."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from partwise.errors import PartwiseError
from partwise.formats import cells as rules
from partwise.formats.problems import Reader
from partwise.formats.tables import Table
from partwise.kernels.cells import PLAIN
from partwise.model import Source
from support.arrays import whole

DEEPEST = 4


def spelled(columns: Any) -> dict[str, list[str]]:
    """Values as Python writes them, so that 1, 1.0 and True differ."""
    return {name: list(map(repr, cells)) for name, cells in columns.items()}


# ---- JSON Lines ---------------------------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from('ab"\\/\n\t\x7f\x00éß€😀\ud800\udc00 '), max_size=6) | st.text(max_size=30)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
OBJECTS = st.dictionaries(st.sampled_from(["query_id", "start", "é", ""]) | TEXTS, VALUES, max_size=5)
HOSTILE = [
    b'{"a":1,"a":[2]}', b'{"\\u0061":3}', b'{"a":"\\ud800"}', b'{"a":"\\ud83d\\ude00"}',
    b'{"a":"\\ud83d\\ud83d\\ude00"}',
    b'{"a":"\\udc00\\ud800"}', b'{"\\ud800":1}', b'{"a":NaN}', b'{"a":[NaN]}', b'{"a":-Infinity,"b":Infinity}',
    b'{"a":-NaN}', b'{"a":1.}', b'{"a":.5}', b'{"a":01}', b'{"a":-0}', b'{"a":-}', b'{"a":1e}', b'{"a":1e+5}',
    b'{"a":1E400}',
    b'{"a":+1}', b'{"a":tru}', b'{"a":truex}', b'{"a":nulll}', b'{"a" :\t1 , "b": [ ] }', b'{"a":{"b":{"c":{}}}}',
    b'{"a":{"b":{"c":{"d":1}}}}', b'{"a":[[[[]]]]}', b'{"a":[[[1,{"b":2}],3]', b'{"a":[1,]}', b'{"a":1,}', b'{,}',
    b'{"a"}',
    b'{"a":"\\x"}', b'{"a":"\\u12g4"}', b'{"a":"\\u123', b'{"a":"\\', b'{"a":"b', b'{"a":"\x01"}', b'{"a":"\x7f"}',
    b"{}", b"[]",
    b"[1, 2]", b'"x"', b"1", b"null", b"", b" ", b"\x0b{}\x0c", b"\xef\xbb\xbf{}", b"\xef\xbb\xbf\xef\xbb\xbf{}",
    b"{}\xef\xbb\xbf",
    b"{} {}", b"{}{}", b"}", b"{", b'{"a":1}\r', b'\r{"a":1}', b'{"a"\r:1}', b'{"a":1}#', b'{1:2}',
    b'{"a":{"b":1,"b"}}',
    b'{"a":{1}}', b'{"a":[}', b'{"a":{]}', "{\"a\":\"\u2028\xa0\"}".encode(), b'{"a":' + b"9" * 40 + b"}", b"NaN",
    b"[[[[[[[1]]]]]]]",
]  # fmt: skip


@st.composite
def json_lines(draw: st.DrawFn) -> bytes:
    lines = []
    for kind in draw(st.lists(st.integers(0, 3), max_size=8)):
        if kind == 0:
            lines.append(draw(st.sampled_from(HOSTILE)))
            continue
        line = json.dumps(
            draw(OBJECTS),
            ensure_ascii=draw(st.booleans()),
            separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])),
        ).encode("utf-8", "backslashreplace")
        if kind == 1 and line:
            at = draw(st.integers(0, len(line)))
            piece = draw(st.sampled_from([b'"', b"\\", b"{", b"]", b",", b":", b"\xc3\xa9", b"0", b"\x1f", b" ", b""]))
            line = line[:at] + piece + line[at + draw(st.integers(0, 1)) :]
        lines.append(line)
    return b"\n".join(lines) + draw(st.sampled_from([b"", b"\n", b"\r\n", b"  "]))


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_json(data: bytes) -> None:
    skipped = [number for number in range(1, data.count(b"\n") + 2) if number % 5 == 0]
    for left_out in ([], skipped):
        table = kernels.read_json(data, DEEPEST, sys.get_int_max_str_digits(), left_out)
        (columns, lines, bad), halved = oracle.read_json(data, DEEPEST, left_out)
        assert list(table.columns) == list(columns)
        assert spelled(table.columns) == spelled(columns)
        assert whole(table.lines) == lines
        assert [(line.line, line.what) for line in table.bad] == bad
        assert [line.line for line in table.halved] == halved
        stripped = [line.strip() for line in data.split(b"\n")]
        assert all(data[line.start : line.end] == stripped[line.line - 1] for line in [*table.bad, *table.halved])


@given(json_lines().filter(is_text))
@example(b"\n".join(HOSTILE))
def test_json_lines(data: bytes) -> None:
    check_json(data)


@given(st.binary(max_size=60).filter(is_text))
def test_any_text_as_json_lines(data: bytes) -> None:
    check_json(data)
    check_json(b'{"a":' + data + b"}")
    check_json(b'{"a":"' + data + b'"}')


ESCAPES = [
    b'\\"', b"\\\\", b"\\\\\\\\", b"\\/", b"\\n", b"\\u00e9", b"\\uD83D\\uDE00", b"\\ud83d", b"\\udE00", b"\\ud7ff",
    b"\\u0064",
    b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"u", b"ud", b" ", b"xy", b'"', b"\\", b"\\x", b"\\u12", b"\\u00g0", b"\x01",
    b"\x7f",
]  # fmt: skip
"""Pieces of strings; with most of those at the end, a string is not JSON."""


@st.composite
def long_strings(draw: st.DrawFn) -> bytes:
    """A string whose escapes are at any place of the blocks of 64 bytes in which it is read."""
    pieces = st.sampled_from(ESCAPES[: draw(st.sampled_from([13, 17, len(ESCAPES)]))])
    stretches = st.tuples(st.integers(0, 70) | st.integers(0, 2), st.lists(pieces, max_size=4))
    return b"".join(b"x" * count + b"".join(some) for count, some in draw(st.lists(stretches, max_size=5)))


@given(st.integers(0, 130), long_strings(), long_strings())
@example(0, b"", b"x" * 63 + b"\\" * 129)
@example(59, b"", b"x" * 63 + b'\\\\\\"' * 40)
def test_strings_around_blocks(before: int, key: bytes, value: bytes) -> None:
    start = b" " * before
    check_json(start + b'{"' + key + b'":"' + value + b'"}')
    check_json(start + b'{"a":"' + value + b'"}\n{"a":"' + key + b'","b":["' + value + b'"]}\n{"a":"' + value + b'"}')


@given(st.integers(0, 130), long_strings())
def test_lengths_of_strings_around_blocks(before: int, value: bytes) -> None:
    table = kernels.read_json(b" " * before + b'{"a":"' + value + b'"}', DEEPEST, 0)
    if not table.bad and value:
        [length] = table.columns["a"].lengths().tolist()
        assert length == len(json.loads(b'"' + value + b'"'))


@pytest.mark.parametrize("expected", [0, 1, 5, 41, 42, 100])
def test_lengths_that_are_expected_of_what_is_not_utf_8(expected: int) -> None:
    """Bytes that only continue a character may be many, and are none."""
    cells = kernels.read_delimited(b"a\nx" + b"\x90" * 41 + b"\n", ",", 1 << 20).columns["a"]
    assert (cells.lengths(np.array([expected])) == expected).tolist() == [expected == 1]


GAPS = [
    b'"a":',
    b'"a" : ',
    b'"a": ',
    b' "b":',
    b'"b":',
    b'"\\u0061":',
    b'"":',
    b'"long name of a column": ',
    b'"\\ud800":',
]


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(GAPS), st.sampled_from([b"1", b'"x"', b"[2]", b"null", b""])), max_size=4)
    )
)
def test_lines_with_keys_like_those_before(lines: list[list[tuple[bytes, bytes]]]) -> None:
    check_json(b"\n".join(b"{" + b",".join(gap + value for gap, value in line) + b"}" for line in lines))


NESTED = [
    [b"[", b"]"], [b'{"b":', b"}"], [b'{"b": [', b", ", b'], "c": ', b"}"], [b'{"\\ud800":', b"}"], [b"[[[", b"]]]"],
    [b"[", b",", b", ", b",", b"]"], [b"[", *[b","] * 40, b"]"], [b"[", b",]"], [b"[ {}, [ ], ", b" ]"], [b"{}"],
    [b"[[[[]]]]"],
    [b'{"b":', b',"c":', b"}"], [b'{"b":', b',"c"', b"}"],
]  # fmt: skip
"""What is before, between and after the scalars and strings of arrays and objects."""
LEAVES = [b"1", b"-2.5e3", b"true", b"null", b'"x"', b'"a\\"b"', b'"\\ud800"', b"{}", b"[3]", b"", b"NaN", b'"']


@st.composite
def nested_values(draw: st.DrawFn) -> bytes:
    first, *others = draw(st.sampled_from(NESTED))
    leaves = st.sampled_from(LEAVES[: draw(st.sampled_from([6, 7, len(LEAVES)]))])
    return first + b"".join(draw(leaves) + stretch for stretch in others)


@given(st.lists(st.tuples(nested_values(), nested_values(), st.booleans()), max_size=6))
@example([(b"[[[[]]]]", b"[1]", False), (b"[1]", b"[2]", False)])  # the first is too deep
@example([(b'{"b":1', b"1", False), (b'{"b":1}', b"1", False)])  # not JSON, but its beginning is
def test_lines_with_values_like_those_before(lines: list[tuple[bytes, bytes, bool]]) -> None:
    written = [value if is_alone else b'{"a":' + value + b', "b": ' + other + b"}" for value, other, is_alone in lines]
    check_json(b"\n".join(written))


@pytest.mark.parametrize("bracket", [b"[", b'{"a":', b'[{"a":'])
@pytest.mark.parametrize("is_closed", [True, False])
def test_deep_json_takes_no_stack(bracket: bytes, is_closed: bool) -> None:
    levels = 200_000
    ends = bracket[::-1].translate(bytes.maketrans(b"[{", b"]}")).replace(b":", b"").replace(b'"a"', b"")
    line = b'{"x":' + levels * bracket + b"1" + (levels * ends if is_closed else b"") + b"}"
    table = kernels.read_json(line, 100, 0)
    assert [(bad.line, bad.what) for bad in table.bad] == [(1, 3 if is_closed else 1)]


def test_long_whole_numbers() -> None:
    line = b'{"a":[-' + 50 * b"1" + b"]}\n"
    assert [bad.what for bad in kernels.read_json(line, 9, 49).bad] == [1]
    assert not kernels.read_json(line, 9, 50).bad
    assert not kernels.read_json(line, 9, 0).bad
    assert not kernels.read_json(line.replace(b"]", b".5]"), 9, 49).bad


def test_a_new_key_in_every_line_takes_little() -> None:
    """Columns hold the cells that exist, not one for each line."""
    lines = 200_000
    table = kernels.read_json(b"".join(b'{"k%d":%d}\n' % (i, i) for i in range(lines)), 9, 0)
    assert len(table.columns) == len(table.lines) == lines
    cells = table.columns["k70000"]
    assert (cells[70_000], cells[0], cells[-1]) == (70_000, None, None)


QUERIES = [
    b'{"q":"a","d":1}\n', b'{"d":"q","q":"a"}\n', b'{"q":"b"}\n', b'{"q":12}\n', b'{"d":1}\n', b"\n", b"{]\n",
    b"[]\n",
]  # fmt: skip
INCOMPLETE = b'{"q":"a"'
RECURRING = b'{"q":"b","q":"a"}\r\n'


@given(st.lists(st.sampled_from(QUERIES)).map(b"".join), st.sampled_from([b"", INCOMPLETE]))
def test_the_last_query_of_json_lines(lines: bytes, rest: bytes) -> None:
    data = lines + rest
    assert kernels.last_json_query(data, "q") == oracle.last_json_query(data, "q")


@given(st.lists(st.sampled_from([*QUERIES, INCOMPLETE, RECURRING])).map(b"".join))
@example(RECURRING + b'{"q":"b"}\n')
def test_the_last_query_starts_no_later_if_lines_are_irregular(data: bytes) -> None:
    cut, lines = kernels.last_json_query(data, "q")
    assert cut <= oracle.last_json_query(data, "q")[0]
    assert data[:cut].count(b"\n") == lines
    assert cut == 0 or data[cut - 1 : cut] == b"\n"


# ---- CSV and TSV --------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["q", "1", "0.5", ",", ",", "\t", '"', '"', '""', "\n", "\n", "\r\n", "\r", " ", "é",
     "\xa0", "\u2003", "\x85", "\x1c", "\u3000", 'a"b', "-", "", "\x00", "x" * 20, "\u200b", "\u180e", "\ufeff"]
)  # fmt: skip
CELLS = st.text(st.sampled_from('ab",\t\n\r é\u2028'), max_size=4)


@st.composite
def delimited(draw: st.DrawFn) -> tuple[str, str]:
    """A text of cells that are quoted where necessary, and often where not, with some damage; and its separator."""
    separator = draw(st.sampled_from([",", "\t"]))
    width = draw(st.integers(1, 4))
    rows = []
    for row in draw(st.lists(st.lists(st.tuples(CELLS, st.booleans()), min_size=1, max_size=4), max_size=6)):
        cells = [
            '"' + cell.replace('"', '""') + '"' if always or set(cell) & set(',\t\n\r"') else cell
            for cell, always in (row * width)[:width]
        ]
        rows.append(separator.join(cells))
    text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(rows) + draw(st.sampled_from(["", "\n", '"', "\n\n"]))
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(PIECES | st.just("")) + text[at:], separator


def check_delimited(text: str, separator: str) -> None:
    data = text.encode()
    table = kernels.read_delimited(data, separator, 2**31 - 1)
    columns, lines, bad = oracle.read_delimited(data, separator)
    if len(set(table.names)) == len(table.names):
        assert spelled(table.columns) == spelled(columns)
        assert list(table.names) == list(columns)
    assert whole(table.lines) == lines
    assert [(line.line, line.what) for line in table.bad] == bad
    names = ["a", "b"]
    table = kernels.read_delimited(data, separator, 2**31 - 1, names)
    columns, lines, bad = oracle.read_delimited(data, separator, names)
    assert (spelled(table.columns), whole(table.lines)) == (spelled(columns), lines)
    assert [(line.line, line.what) for line in table.bad] == bad
    for column in (0, 1):
        for has_header in (True, False):
            cut = kernels.last_delimited_query(data, separator, column, has_header)
            assert cut == oracle.last_delimited_query(data, separator, column, has_header)


@given(delimited())
@example(('""" "\n\t""\n', ","))  # the same bytes, but other cells
@example(('x\n"a""b"\na"b\n', ","))  # other bytes, but the same cell
def test_delimited(text: tuple[str, str]) -> None:
    check_delimited(*text)


@given(st.lists(PIECES, max_size=20).map("".join), st.sampled_from([",", "\t"]))
@example('a,b\n"1', ",")
@example('a,b\n"1\n2"x,3\n4,5', ",")
def test_any_text_as_delimited(text: str, separator: str) -> None:
    check_delimited(text, separator)


def test_cells_that_are_too_long() -> None:
    table = kernels.read_delimited('a,b\néé,é\nééé,1\n"é""",1\n"ééé""",1\n'.encode(), ",", 2)
    assert [(bad.line, bad.what) for bad in table.bad] == [(3, 3), (5, 3)]
    assert [list(cells) for cells in table.columns.values()] == [["éé", 'é"'], ["é", "1"]]


# ---- values -------------------------------------------------------------------------------------------------

NUMBERS = [
    "0", "7", "007", "1099511627776", "1099511627777", "-3", "-0", "3.0", "3.00", "3.5", "1e2", "1e400", "-1e400",
    ".5", "5.", "+5", "inf",
    "Infinity", "nan", "1_0", "１", "9" * 18, "9" * 19, "9" * 310, "0.1", "123456789.123456789", " 4", "4 ", "", "x",
    "true", "12345678", "0.30000000000000004",
]  # fmt: skip
JSON_NUMBERS = [
    "0", "7", "1099511627776", "1099511627777", "-3", "-0", "-0.0", "3.0", "3.00", "3.5", "1e2", "1E400", "-1e400",
    "0.1", "Infinity", "true", "null",
    "[1]", "{}", "9" * 18, "9" * 19, "9" * 310, "1" + "0" * 330, "123456789.123456789", "1099511627776.0", "1e-400",
    "12345678", "0.30000000000000004",
]  # fmt: skip
ANY_CELLS = st.lists(
    st.sampled_from(NUMBERS).map(json.dumps) | st.sampled_from(JSON_NUMBERS) | VALUES.map(json.dumps),
    min_size=1,
    max_size=12,
)


def outcomes(table: Table) -> list[Any]:
    """What every method of a table returns for its column, and the problems it finds."""
    table.reader.unit = "chars"
    coded = table.strings("c")
    columns = [
        coded.values(),
        sorted(set(coded.codes.tolist())),
        table.naturals("c").tolist(),
        list(map(repr, table.numbers("c").tolist())),
        table.grades("c").tolist(),
        table.lines_from("c").tolist(),
        table.spans(),
        table.each("c", rules.path_in, rules.PATH, None),
        table.rows(),
        table.bad.tolist(),
    ]
    try:
        table.reader.settle()
    except PartwiseError as error:
        columns.append(str(error))
    return [*columns, sorted(table.reader.errors), list(map(str, table.reader.errors.values()))]


def tokens_of(column: Any) -> list[bytes]:
    codes, tokens = column.coded()
    return [tokens[code] for code in codes]


def check_values(cells: Any, plain: list[Any]) -> None:
    lines = range(1, len(plain) + 1)
    tables = [Table({"c": column, "spans": column}, lines, Reader(Source("f"), False, [])) for column in (cells, plain)]
    assert repr(outcomes(tables[0])) == repr(outcomes(tables[1]))
    tokens, (codes, texts, irregular) = cells.tokens(), cells.texts()
    if tokens is not None:
        assert len(irregular) == 0
        assert [*map(tokens.token, range(len(plain)))] == tokens_of(tokens) == [texts[code] for code in codes]
    else:  # a text may be spelled otherwise in its file
        assert len(irregular) or any(text.endswith(b"\0") for text in texts) or (cells._cells[1::2] & 7 != PLAIN).any()
    lengths = [len(value) if isinstance(value, str) and value else -1 for value in plain]
    assert whole(cells.lengths()) == lengths
    for more in (-1, 0, 1, 100):  # lengths that are expected are found, and no others
        expected = np.array(lengths, np.int64) + more
        assert (cells.lengths(expected) == expected).tolist() == [not more] * len(lengths)
    assert cells.is_empty.tolist() == [value == "" for value in plain]
    assert cells.has_missing == any(value is None or value == "" for value in plain)
    codes, distinct = cells.distinct()
    assert repr([distinct[code] for code in codes]) == repr(plain)
    assert repr([cells[row] for row in range(len(plain))]) == repr(plain)


@given(ANY_CELLS)
@example([json.dumps(number) for number in NUMBERS])
@example(JSON_NUMBERS)
def test_values_in_json(values: list[str]) -> None:
    """A column of a text gives the values and the problems that a list of its cells gives."""
    data = "".join('{"x":1%s}\n' % ("" if value == "null" else f',"c":{value}') for value in values).encode()
    table = kernels.read_json(data, 100, sys.get_int_max_str_digits())
    plain = [json.loads(value) for value in values]
    if "c" in table.columns:
        check_values(table.columns["c"], plain)


@given(st.lists(st.sampled_from(NUMBERS) | CELLS | TEXTS, min_size=1, max_size=12))
@example(NUMBERS)
def test_values_in_csv(values: list[str]) -> None:
    values = [value.encode("utf-8", "ignore").decode() for value in values]
    data = "x,c\n" + "".join('1,"' + value.replace('"', '""') + '"\n' for value in values)
    table = kernels.read_delimited(data.encode(), ",", 2**31 - 1)
    check_values(table.columns["c"], [value.strip() for value in values])


def test_usual_cells_are_read_natively() -> None:
    """Not left to the rules for single cells, which take a thousand times longer."""
    table = kernels.read_json(
        b'{"i":"d\\u00e9/\\n","n":12,"f":0.25}\n{"i":17,"n":"3","f":3}\n{"i":"x","n":4.0,"f":-1e-3}\n', 9, 0
    )
    codes, texts, irregular = table.columns["i"].texts()
    assert ([texts.strings()[code] for code in codes], len(irregular)) == (["dé/\n", "17", "x"], 0)
    naturals, irregular = table.columns["n"].naturals(2**40)
    assert (naturals.tolist(), len(irregular)) == ([12, 3, 4], 0)
    reals, irregular = table.columns["f"].reals()
    assert (reals.tolist(), len(irregular)) == ([0.25, 3.0, -0.001], 0)
    assert isinstance(table.columns["i"], kernels.Cells)
    np.testing.assert_array_equal(table.columns["i"].lengths(), [4, -1, 1])


EDGES = st.lists(st.integers(-1, 30)) | st.lists(st.integers(0, 30)).map(sorted)


@given(EDGES, st.integers(0, 31), st.integers(-40, 40), st.sampled_from([np.int32, np.int64]))
def test_texts_that_follow_one_another(edges: list[int], largest: int, shift: int, kind: Any) -> None:
    cells = kernels.text_cells(np.array(edges, kind), largest, shift)
    assert (None if cells is None else whole(cells)) == oracle.text_cells(edges, largest, shift)


@given(st.lists(TEXTS.map(lambda text: text.encode("utf-8", "ignore")), max_size=8))
def test_values_of_texts_that_follow_one_another(texts: list[bytes]) -> None:
    edges = np.cumsum([0, *map(len, texts)])
    cells = kernels.text_cells(edges, int(edges[-1]), 0)
    assert cells is not None
    check_values(kernels.Cells.of_texts(b"".join(texts), cells), [text.decode() for text in texts])


def test_edges_that_are_far_apart() -> None:
    """Damaged Arrow buffers may hold any numbers."""
    for edges in ([0, 2**63 - 1], [-(2**63), 2**63 - 1], [2**63 - 1, -(2**63), 4]):
        assert kernels.text_cells(np.array(edges), 10, 5) is None


@given(
    st.lists(TEXTS.map(lambda text: text.encode("utf-8", "ignore").decode()) | st.text("ab", max_size=30)), st.data()
)
def test_texts_of_views(texts: list[str], data: st.DataObject) -> None:
    views, *buffers = map(bytes, pa.array(texts, pa.string_view()).buffers()[1:])
    made = kernels.view_texts(views, buffers)
    assert made is not None
    assert made[0] == "".join(texts).encode()
    check_values(kernels.Cells.of_texts(*made), texts)
    damaged = bytearray(views)
    for at in data.draw(st.lists(st.integers(0, max(0, len(damaged) - 1)), max_size=3 if damaged else 0)):
        damaged[at] = data.draw(st.integers(0, 255))
    read, expected = kernels.view_texts(bytes(damaged), buffers), oracle.view_texts(bytes(damaged), buffers)
    assert (None if read is None else (read[0], whole(read[1]))) == expected


def test_damaged_views() -> None:
    def view(*fields: int) -> bytes:
        return np.array(fields, np.int32).tobytes()

    text = b"0123456789abcdef"
    assert kernels.view_texts(view(13, 0, 0, 3), [text]) == (text[3:], pytest.approx([0, 13 * 8 + PLAIN]))
    for fields in [(-1, 0, 0, 0), (13, 0, 1, 0), (13, 0, -1, 0), (13, 0, 0, 4), (13, 0, 0, -1), (2**31 - 1, 0, 0, 0)]:
        assert kernels.view_texts(view(*fields), [text]) is None
