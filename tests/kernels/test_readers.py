"""Readers of text: equal to reading token by token, on valid texts, arbitrary bytes and difficult cases."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from support.arrays import BYTES, floats, rows, texts, whole

LAYOUTS = ["s-dofs", "s-dnfsnn", "s-dnfsn", "s-dnfss", "s-si", "sn", "snfi", "ofds"]


def strings(column: Any) -> list[bytes]:
    """The string of each row; a column of tokens is coded first."""
    codes, names = column if isinstance(column, tuple) else column.coded()
    return [names[code] for code in whole(codes)]


def bits(values: list[float]) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]


def check_columns(data: bytes, kinds: str) -> None:
    """To the last bit, problems included."""
    check_table(kernels.read_columns(data, kinds), data, kinds)


def check_table(table: Any, data: bytes, kinds: str) -> None:
    columns, lines, problems = oracle.read_columns(data, kinds)
    assert table.problems == problems
    cut = [number for number, tokens in oracle.lines_of(data) if oracle.without_more_text(tokens, kinds) != tokens]
    assert table.with_more_text == len(cut)
    assert whole(table.lines) == lines
    for kind, found, expected in zip(kinds, table.columns, columns, strict=True):
        if expected is None:
            assert found is None
        elif kind in "sd":
            assert strings(found) == expected
        elif kind == "f":
            assert bits(floats(found)) == bits(expected)
        else:
            assert whole(found) == expected


@given(BYTES, st.sampled_from(LAYOUTS))
def test_columns(data: bytes, kinds: str) -> None:
    check_columns(data, kinds)


RUN_LINES = st.lists(
    st.sampled_from([b"q Q0 d 1 2.5 tag", b"# q Q0 d 1 2.5 tag", b"#", b"q Q0 d2 2 2 tag more", b"q\tQ0 d 1 1 t a b c"])
    | st.tuples(
        st.sampled_from([b"x", b"7", b"-7", b"/a", b"[1", b"v2"]), st.sampled_from([b"", b" 3", b" y", b" /b"])
    ).map(lambda end: b"q Q0 d 1 2.5 tag " + b"".join(end)),
    max_size=20,
).map(b"\n".join)


@given(RUN_LINES)
def test_comments_and_text_after_the_tag(data: bytes) -> None:
    """As trec_eval reads them, except that what may be a place is not passed over."""
    check_columns(data, "s-dofs")
    check_columns(data + b"\n" + b" " * 80, "s-dofs")


@given(texts())
def test_columns_of_four_kinds(text: str) -> None:
    check_columns(text.encode(), "snfi")


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**9), st.floats(allow_nan=False)), max_size=40), st.data()
)
def test_columns_of_runs(results: list[tuple[int, int, float]], data: st.DataObject) -> None:
    """Typical lines, one of them malformed."""
    lines = [f"t{t} Q0 doc{n} {n} {score!r} run {n} {t}".encode() for t, n, score in results]
    if lines:
        at = data.draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        lines[at] = data.draw(st.sampled_from([line[:-2], line + b" x", line.replace(b" ", b"  "), b"", line[::-1]]))
    check_columns(b"\n".join(lines), "s-dnfsnn")
    check_columns(b"\n".join(line.rsplit(b" ", 2)[0] for line in lines), "s-dofs")


@given(st.lists(st.floats(allow_nan=False, width=64) | st.decimals(-1000, 1000, places=6).map(float), min_size=1))
def test_numbers_are_read_to_the_last_bit(values: list[float]) -> None:
    table = kernels.read_columns("\n".join(map(repr, values)).encode(), "f")
    assert bits(floats(table.columns[0])) == bits(values)


@pytest.mark.parametrize(
    "token",
    [
        b"0" * 100 + b"1", b"9" * 15, b"9" * 16, b"9" * 17, b"9" * 18, b"9" * 19, b"1" + b"0" * 400, b"-" + b"9" * 18,
        b"+" + b"9" * 18, b"-" + b"9" * 19, b"0" * 18 + b"7", b"-0", b"+0", b"--1", b"+-1", b"1e", b"1e+", b"e5",
        b"1e5", b"0x10", b"nan", b"-nan", b"-inf", b"+Infinity", b"infinit", b"1.5.2", b".", b"-.", b"-.5", b"5.",
        b"1_0", b"4.9e-324", b"2.5e-324", b"2.4703282292062328e-324", b"1.7976931348623157e308",
        b"1.7976931348623159e308", b"0." + b"0" * 400 + b"1", b"9007199254740993",
        b"9007199254740993.0000000000000000000001",
        b"1\xc2\xa02", b"\xef\xbc\x91", b"\xff\xfe", b"\x80", b"x" * 100_000, b"1" * 100_000,
    ],
    ids=lambda token: repr(token[:24]),
)  # fmt: skip
def test_tokens_that_are_hard_to_read(token: bytes) -> None:
    for kind in "sdnoif-":
        check_columns(token, kind)
        check_columns(b"t " + token + b"\nt 1\n", "s" + kind)
        check_columns(b"1 t\n" + token + b"\tt\r\n\n1 t", kind + "s")


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n", b"\n\n\n", b" ", b"\t\n \r\n", b"a", b"a\n", b"\x00", b"a\x00b\n", b"a\x1fb\n", b"a\x0bb\x0cc\n",
        b"\x7f\n", b"a b", b"a  b\t\n", b"\r", b"a\rb\n", b"a\n\x00\nb", b"\xc3(\n", b"\xed\xa0\x80\n", b"\xf5\x80\n",
    ],
)  # fmt: skip
def test_texts_that_are_hard_to_read(data: bytes) -> None:
    for kinds in ("s", "d", "ss", "-d", "o"):
        check_columns(data, kinds)
    check_passages(data)
    check_shapes(data)


def test_reading_continues_across_blocks() -> None:
    """More than a block of text, with a line that is longer than a block, and malformed lines near block boundaries."""
    lines = [f"t{i % 7} {i} {i / 8} {-i}" for i in range(120_000)]
    lines[40_000] = ""
    lines[80_000] = "t " + "x" * 2_000_000 + " 1 1"
    lines[-1] = "t 1 1"
    check_columns("\n".join(lines).encode(), "snfi")
    lines = [f"t{i % 7} Q0 d{i} {i} {i / 8} run {i} {i}" for i in range(60_000)]
    lines[100] = "t " + "x" * 2_000_000 + " 1"
    lines[40_000] = "t Q0 d x 1 run 1 1"
    check_columns("\n".join(lines).encode(), "s-dnfsnn")


def test_long_and_colliding_ids_stay_distinct() -> None:
    names = ["a" * 9, "a" * 10, "a" * 8, "a" * 64, "a" * 63 + "b", "a" * 70, "a" * 71, "b" + "a" * 8]
    for chosen in (names[:5], names):
        text = "\n".join(chosen * 2)
        codes, found = kernels.read_columns(text.encode(), "s").columns[0]
        assert [found[code].decode() for code in codes] == chosen * 2
        assert len(found) == len(chosen)


def test_optional_numbers_are_minus_one_where_missing() -> None:
    table = kernels.read_columns(b"a 1\nb -1\nc x\nd 7\n", "so")
    assert table.columns[1].tolist() == [1, -1, -1, 7]
    assert table.problems == []


# ---- passages -----------------------------------------------------------------------------------------------


def check_passages(data: bytes) -> None:
    """To the last bit, problems included; names are in the order of the file."""
    table = kernels.read_passages(data)
    judged, problems = oracle.read_passages(data)
    assert table.problems == problems
    assert strings(table.query) == [row.query for row in judged]
    assert strings(table.doc) == [row.doc for row in judged]
    assert list(table.query[1]) == list(dict.fromkeys(row.query for row in judged))
    assert list(table.doc[1]) == list(dict.fromkeys(row.doc for row in judged))
    for name in ("relevant", "length", "bep"):
        assert whole(getattr(table, name)) == [getattr(row, name) for row in judged]
    assert whole(table.lines) == [row.line for row in judged]
    passages = [(i, start, size) for i, row in enumerate(judged) for start, size in row.passages]
    assert rows((table.row_of, table.start, table.size)) == passages


@given(BYTES)
def test_passages(data: bytes) -> None:
    check_passages(data)


PASSAGES = st.lists(
    st.sampled_from([b"t", b"Q0", b"7", b"-1", b"5:7", b"20:0", b"9" * 19, b"1:" + b"9" * 20, b"3:x", b":", b"\n"]),
    max_size=60,
)


@given(PASSAGES.map(b" ".join))
def test_passages_that_are_nearly_valid(data: bytes) -> None:
    check_passages(data)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"t", b"t2", b"u" * 9]),
            st.sampled_from([b"d", b"e" * 8, b"f" * 9]),
            st.sampled_from([b"0", b"007", b"9" * 18, b"9" * 19, b"x"]),
            st.sampled_from([b"-1", b"0", b"-2", b"12"]),
            st.lists(st.sampled_from([b"0:0", b"5:7", b"9" * 18 + b":1", b"1:" + b"9" * 19, b"1", b"1:2:3"])),
        ),
        max_size=6,
    )
)  # fmt: skip
def test_passages_of_mostly_valid_lines(lines: list[tuple[bytes, bytes, bytes, bytes, list[bytes]]]) -> None:
    check_passages(b"\n".join(b" ".join([t, b"Q0", d, n, b"100", bep, *spans]) for t, d, n, bep, spans in lines))


def test_passages_are_read_line_by_line() -> None:
    text = b"t1 Q0 d1\t12  100 -1 5:7 20:5\n\nt1 Q0 d2 0 50 0\r\nt2 Q0 d1 0 9 0 3:x\nt2 Q0\nt2 Q0 d3 a 9 0\n"
    table = kernels.read_passages(text)
    (query, queries), (doc, docs) = table.query, table.doc
    assert (query.tolist(), list(queries), doc.tolist(), list(docs)) == ([0, 0], [b"t1"], [0, 1], [b"d1", b"d2"])
    assert (table.length.tolist(), table.bep.tolist(), table.lines.tolist()) == ([100, 50], [-1, 0], [1, 3])
    assert (table.row_of.tolist(), table.start.tolist(), table.size.tolist()) == ([0, 0], [5, 20], [7, 5])
    assert table.problems == [(4, 6, b"3:x"), (5, -1, b"2"), (6, 3, b"a")]


# ---- content and lines of a text ----------------------------------------------------------------------------


def check_shapes(data: bytes) -> None:
    assert kernels.content(data) == oracle.content(data)
    assert rows(kernels.line_shapes(data)) == oracle.line_shapes(data)
    assert kernels.last_query(data) == oracle.last_query(data)


@given(BYTES)
def test_content_of_a_text(data: bytes) -> None:
    check_shapes(data)


UTF8 = ["a", "\x00", "é", "ࠀ", "\uffff", "\U00010000", "\U0010ffff"]
BROKEN = [b"\x80", b"\xc0\x80", b"\xc3", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80",
          b"\xf5\x80\x80\x80", b"\xff", b"\xe2\x82", b"\xf0\x9f\x92"]  # fmt: skip


@given(st.lists(st.sampled_from([*(text.encode() for text in UTF8), b"x" * 20, *BROKEN]), max_size=12).map(b"".join))
def test_utf8_is_recognised(data: bytes) -> None:
    """Overlong, truncated, surrogates, beyond the last character, and all of these after a run of ASCII."""
    assert kernels.content(data) == oracle.content(data)
    assert kernels.content(b"x" * 100 + data) == oracle.content(b"x" * 100 + data)


@given(
    st.lists(
        st.sampled_from(
            [b"a /b\n", b"/a b\n", b"/a /b\n", b"/\n", b"a/\n", b" /x y z", b"\n", b"\t", b"# a\n", b" #\n"]
        ),
        max_size=12,
    )
)
def test_shapes_of_lines(lines: list[bytes]) -> None:
    check_shapes(b"".join(lines))


@given(st.lists(st.sampled_from([b"a b\n", b"a c\n", b" a\n", b"b\n", b"\n", b"#a\n", b"a\x00\n", b"a" * 9 + b"\n"])))
def test_last_query(lines: list[bytes]) -> None:
    data = b"".join(lines)
    cut = kernels.last_query(data)
    assert cut == oracle.last_query(data)
    whole_lines = data[: data.rfind(b"\n") + 1]
    before, after = ([tokens[0] for _, tokens in oracle.lines_of(part)] for part in (data[:cut], whole_lines[cut:]))
    assert len(set(after)) <= 1
    assert (cut == 0) == (not before)
    assert not before or before[-1] != after[0]


QUERIES = st.lists(
    st.sampled_from(
        [b"a b\n", b"a c\n", b" a\n", b"b\n", b"\n", b" \n", b"ab", b"a-query-of-many-bytes\n", b"# a\n", b"\x00\n"]
    ),
    max_size=30,
).map(b"".join)


@given(st.lists(QUERIES | BYTES, max_size=4))
def test_queries_of_texts(blocks: list[bytes]) -> None:
    log = kernels.QueryLog()
    found = [log.add(text) for text in blocks]
    plain = [(whole(start), whole(query), known, lines) for start, query, known, lines in found]
    assert plain == oracle.query_stretches(blocks)


def test_queries_of_a_long_text() -> None:
    text = b"".join(b"query%d Q0 doc%d 1 0.5 run 10 %d\n" % (i // 7 % 50, i, i) for i in range(5000))
    [(start, query, known, lines)] = [kernels.QueryLog().add(text)]
    assert [(whole(start), whole(query), known, lines)] == oracle.query_stretches([text])


@given(BYTES, st.sampled_from(LAYOUTS), st.booleans())
def test_texts_are_read_as_columns_or_refused(data: bytes, kinds: str, counted: bool) -> None:
    lines = kernels.QueryLog().add(data)[3] if counted else -1
    table = kernels.read_text(data, kinds, lines)
    _, is_utf8, has_nul = oracle.content(data)
    assert (table is None) == (has_nul or not is_utf8)
    if table is not None:
        check_table(table, data, kinds)


def test_a_wrong_number_of_lines_is_an_error() -> None:
    """Nothing is written past the memory that was allocated."""
    for line in (b"a b 1\n", b"a  b 1\n"):
        with pytest.raises(Exception, match="more lines than were counted"):
            kernels.read_text(line * 1000, "ssn", 999)
