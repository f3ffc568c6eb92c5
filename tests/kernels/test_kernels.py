"""The kernels against their plainest equals."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise import kernels
from support.arrays import SPAN, ints, texts

# ---- readers ------------------------------------------------------------------------------------------------


def read_plainly(text: str) -> tuple[list[tuple[int, bytes, int, float, int]], list[tuple[int, int]]]:
    """Rows and problems of four columns ``snfi``, a line and a token at a time."""
    rows, problems = [], []
    for number, line in enumerate(text.encode().split(b"\n"), 1):
        tokens = [token for token in re.split(rb"[\x00-\x20]+", line) if token]
        if not tokens:
            continue
        if len(tokens) != 4:
            problems.append((number, -1))
            continue
        checks = (
            rb".+",
            rb"0*[0-9]{1,18}",
            rb"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(?i:inf(inity)?)",
            rb"[-+]?[0-9]{1,18}",
        )
        bad = [i for i, (check, token) in enumerate(zip(checks, tokens, strict=True)) if not re.fullmatch(check, token)]
        if bad:
            problems.append((number, bad[0]))
        else:
            rows.append((number, tokens[0], int(tokens[1]), float(tokens[2]), int(tokens[3])))
    return rows, problems


@given(texts())
def test_reading_columns_equals_reading_token_by_token(text: str) -> None:
    table = kernels.read_columns(text.encode(), "snfi")
    rows, problems = read_plainly(text)
    codes, names = table.columns[0]
    assert table.lines.tolist() == [row[0] for row in rows]
    assert [names[code] for code in codes] == [row[1] for row in rows]
    assert table.columns[1].tolist() == [row[2] for row in rows]
    assert table.columns[2].tolist() == [row[3] for row in rows]
    assert table.columns[3].tolist() == [row[4] for row in rows]
    assert [(problem.line, problem.column) for problem in table.problems] == problems


@given(st.lists(st.floats(allow_nan=False, width=64) | st.decimals(-1000, 1000, places=6).map(float), min_size=1))
def test_numbers_are_read_to_the_last_bit(values: list[float]) -> None:
    table = kernels.read_columns("\n".join(map(repr, values)).encode(), "f")
    assert table.columns[0].tolist() == values


def test_reading_goes_on_across_blocks() -> None:
    """More than a block of text, with a line that is longer than a block, and odd lines near the seams."""
    lines = [f"t{i % 7} {i} {i / 8} {-i}" for i in range(120_000)]
    lines[40_000] = ""
    lines[80_000] = "t " + "x" * 2_000_000 + " 1 1"
    lines[-1] = "t 1 1"
    table = kernels.read_columns("\n".join(lines).encode(), "snfi")
    good = [i for i in range(120_000) if i not in (40_000, 80_000, 119_999)]
    assert table.lines.tolist() == [i + 1 for i in good]
    assert table.columns[1].tolist() == good
    assert [table.columns[0][1][code] for code in table.columns[0][0][:9]] == [f"t{i % 7}".encode() for i in range(9)]
    assert [(problem.line, problem.column) for problem in table.problems] == [(80_001, 1), (120_000, -1)]


def test_long_and_colliding_ids_stay_apart() -> None:
    names = ["a" * 9, "a" * 10, "a" * 8, "a" * 64, "a" * 63 + "b", "a" * 70, "a" * 71, "b" + "a" * 8]
    for chosen in (names[:5], names):
        text = "\n".join(chosen * 2)
        codes, found = kernels.read_columns(text.encode(), "s").columns[0]
        assert [found[code].decode() for code in codes] == chosen * 2
        assert len(found) == len(chosen)


def test_optional_numbers_are_minus_one_where_they_are_none() -> None:
    table = kernels.read_columns(b"a 1\nb -1\nc x\nd 7\n", "so")
    assert table.columns[1].tolist() == [1, -1, -1, 7]
    assert table.problems == []


def test_passages_are_read_line_by_line() -> None:
    text = b"t1 Q0 d1\t12  100 -1 5:7 20:5\n\nt1 Q0 d2 0 50 0\r\nt2 Q0 d1 0 9 0 3:x\nt2 Q0\nt2 Q0 d3 a 9 0\n"
    table = kernels.read_passages(text)
    (query, queries), (doc, docs) = table.query, table.doc
    assert (query.tolist(), list(queries), doc.tolist(), list(docs)) == ([0, 0], [b"t1"], [0, 1], [b"d1", b"d2"])
    assert (table.length.tolist(), table.bep.tolist(), table.lines.tolist()) == ([100, 50], [-1, 0], [1, 3])
    assert (table.row_of.tolist(), table.start.tolist(), table.size.tolist()) == ([0, 0], [5, 20], [7, 5])
    assert table.problems == [(4, 6, b"3:x"), (5, -1, b"2"), (6, 3, b"a")]


# ---- sets of characters -------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), SPAN)))
def test_merged_spans_are_the_union_and_only_touching_ones_stay_two(items: list[tuple[int, tuple[int, int]]]) -> None:
    owner, start, end = kernels.merge_spans(
        ints([o for o, _ in items]), ints([s for _, (s, _) in items]), ints([e for _, (_, e) in items])
    )
    merged = list(zip(owner.tolist(), start.tolist(), end.tolist(), strict=True))
    assert merged == sorted(merged)
    assert {(o, c) for o, s, e in merged for c in range(s, e)} == {(o, c) for o, (s, e) in items for c in range(s, e)}
    assert sum(e - s for _, s, e in merged) == len({(o, c) for o, (s, e) in items for c in range(s, e)})
    # A seam between two spans is a place that some span's inside does not cover.
    for (o, _, e), (p, s, _) in itertools.pairwise(merged):
        if o == p and e == s:
            assert not any(q == o and a < e < b for q, (a, b) in items)


def test_touching_spans_are_merged_when_asked() -> None:
    spans = ints([0, 0, 0, 1]), ints([0, 5, 9, 9]), ints([5, 8, 12, 10])
    owner, start, end = kernels.merge_spans(*spans, touching=True)
    assert list(zip(owner, start, end, strict=True)) == [(0, 0, 8), (0, 9, 12), (1, 9, 10)]


def test_abutting_passages_stay_two_and_huge_offsets_do_not_overflow() -> None:
    far = 2**62
    owner, start, end = kernels.merge_spans(ints([1, 0, 0, 1]), ints([0, 5, 0, far]), ints([3, 9, 5, far + 2]))
    assert list(zip(owner, start, end, strict=True)) == [(0, 0, 5), (0, 5, 9), (1, 0, 3), (1, far, far + 2)]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), SPAN)))
def test_novel_lengths_equal_sets(items: list[tuple[int, int, tuple[int, int]]]) -> None:
    columns = ([o for o, _, _ in items], [g for _, g, _ in items], [s for _, _, (s, _) in items])
    ends = ints([e for _, _, (_, e) in items])
    found = kernels.novel_lengths(*map(ints, columns), ends, 7)
    seen: set[tuple[int, int]] = set()
    for owner in range(7):
        own = {(g, c) for o, g, (s, e) in items if o == owner for c in range(s, e)}
        assert found[owner] == len(own - seen)
        seen |= own


@pytest.mark.parametrize("count", [1, 2, 1000])
def test_novel_lengths_of_nested_spans(count: int) -> None:
    """Every span inside the one before it, and the other way round."""
    owner, group = np.arange(count), np.zeros(count, np.int64)
    start, end = np.arange(count), 3 * count - np.arange(count)
    inward = kernels.novel_lengths(owner, group, start, end, count)
    assert inward.tolist() == [3 * count, *[0] * (count - 1)]
    outward = kernels.novel_lengths(owner, group, start[::-1], end[::-1], count)
    assert outward.tolist() == [int(end[-1] - start[-1]), *[2] * (count - 1)]


@given(st.lists(st.tuples(st.integers(0, 2), SPAN)), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 45))))
def test_highlight_axis_equals_counting(items: list[tuple[int, tuple[int, int]]], asked: list[tuple[int, int]]) -> None:
    pair, start, end = kernels.merge_spans(
        ints([p for p, _ in items]), ints([s for _, (s, _) in items]), ints([e for _, (_, e) in items])
    )
    offsets = np.searchsorted(pair, np.arange(4))
    before = np.concatenate([[0], np.cumsum(end - start)])
    wanted = ints([p for p, _ in asked]), ints([x for _, x in asked])
    found = kernels.highlighted_before(*wanted, offsets, start, end, before)
    marked = {(p, c) for p, (s, e) in items for c in range(s, e)}
    assert found.tolist() == [sum(q < p or (q == p and c < x) for q, c in marked) for p, x in asked]


SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=3)


@given(
    st.lists(st.tuples(st.integers(0, 2), SPANS)) | st.lists(st.tuples(st.integers(0, 2), SPANS.map(lambda x: x[:1])))
)
def test_repeated_parts_equal_a_set(rows: list[tuple[int, list[tuple[int, int]]]]) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(spans) for _, spans in rows], dtype=np.int64)])
    flat = np.array([span for _, spans in rows for span in spans], np.int64).reshape(-1, 2)
    seen: list[tuple[int, list[tuple[int, int]]]] = []
    expected = []
    for row in rows:
        expected.append(bool(row[1]) and row in seen)
        seen.append(row)
    found = kernels.repeated_parts(
        ints([0, len(rows)]), ints([g for g, _ in rows]), offsets, flat[:, 0].copy(), flat[:, 1].copy()
    )
    assert found.tolist() == expected


# ---- curves -------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.floats(0, 1), max_size=5), min_size=1, max_size=4), st.data())
def test_best_from_equals_max(segments: list[list[float]], data: st.DataObject) -> None:
    values = np.array([value for segment in segments for value in segment])
    ends = np.cumsum([len(segment) for segment in segments])
    starts = ends - [len(segment) for segment in segments]
    first = np.array(
        [
            sorted(data.draw(st.lists(st.integers(int(a), int(b)), min_size=3, max_size=3)))
            for a, b in zip(starts, ends, strict=True)
        ]
    )
    found = kernels.best_from(values, first, ends)
    assert found.tolist() == [
        [max(values[i:end], default=0.0) for i in row] for row, end in zip(first, ends, strict=True)
    ]


@given(st.lists(st.lists(st.floats(0, 1), max_size=20), min_size=1, max_size=4))
def test_segment_sums_have_the_same_bits_in_any_company(segments: list[list[float]]) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(segment) for segment in segments])])
    values = np.array([value for segment in segments for value in segment])
    together = kernels.segment_sums(values, offsets[:-1], offsets[1:])
    running = kernels.running_sums(values, offsets)
    for i, segment in enumerate(segments):
        alone = np.array(segment)
        assert together[i] == kernels.segment_sums(alone, ints([0]), ints([len(segment)]))[0]
        assert running[offsets[i] : offsets[i + 1]].tolist() == np.cumsum(alone).tolist()
    assert together == pytest.approx([sum(segment) for segment in segments])


def test_shared_lengths_are_added_up_whatever_the_number_of_spans() -> None:
    """As many spans as owners, and yet one owner has two and one has none."""
    first = ints([0]), ints([0, 1]), ints([0]), ints([10])
    second = ints([0, 0]), ints([0, 2, 2]), ints([1, 5]), ints([3, 9])
    assert [column.tolist() for column in kernels.shared_lengths(*first, *second)] == [[0], [0], [6]]
    assert [column.tolist() for column in kernels.shared_lengths(*second, *first)] == [[0], [0], [6]]
