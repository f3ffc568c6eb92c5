"""Sets of characters: equal to counting them, even at the largest offsets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from support.arrays import FAR, MANY, NEAR, SPAN, Ints, ints, offsets_of, rows, spans_of, whole

EMPTY_OR_BACKWARDS = st.tuples(st.integers(0, 30), st.integers(-3, 0)).map(lambda pair: (pair[0], pair[0] + pair[1]))
ANY_SPAN = st.one_of(SPAN, NEAR, EMPTY_OR_BACKWARDS, st.just((0, FAR)), st.just((2**62 - 1, 2**62 + 1)))
OWNER = st.integers(0, 6)
ITEMS = st.lists(st.tuples(OWNER, st.integers(0, 2), ANY_SPAN))


def columns_of(items: list[tuple[int, int, tuple[int, int]]]) -> tuple[Ints, Ints, Ints, Ints]:
    return ints(o for o, _, _ in items), ints(g for _, g, _ in items), *spans_of(span for _, _, span in items)


@given(ITEMS, st.booleans())
def test_merged_spans(items: list[tuple[int, int, tuple[int, int]]], touching: bool) -> None:
    owner, _, start, end = columns_of(items)
    expected = oracle.merge_spans(owner, start, end, touching)
    assert rows(kernels.merge_spans(owner, start, end, touching)) == expected


@given(st.lists(st.tuples(st.integers(0, 3), SPAN)))
def test_merged_spans_are_the_union_and_touching_ones_stay_apart(items: list[tuple[int, tuple[int, int]]]) -> None:
    merged = rows(kernels.merge_spans(ints(o for o, _ in items), *spans_of(span for _, span in items)))
    assert merged == sorted(merged)
    assert {(o, c) for o, s, e in merged for c in range(s, e)} == {(o, c) for o, (s, e) in items for c in range(s, e)}
    assert sum(e - s for _, s, e in merged) == len({(o, c) for o, (s, e) in items for c in range(s, e)})
    # A boundary between two spans is a position inside no span.
    for (o, _, e), (p, s, _) in itertools.pairwise(merged):
        if o == p and e == s:
            assert not any(q == o and a < e < b for q, (a, b) in items)


def test_touching_spans_are_merged_when_asked() -> None:
    spans = ints([0, 0, 0, 1]), ints([0, 5, 9, 9]), ints([5, 8, 12, 10])
    assert rows(kernels.merge_spans(*spans, touching=True)) == [(0, 0, 8), (0, 9, 12), (1, 9, 10)]


def test_adjacent_passages_stay_apart_and_huge_offsets_do_not_overflow() -> None:
    far = 2**62
    merged = kernels.merge_spans(ints([1, 0, 0, 1]), ints([0, 5, 0, far]), ints([3, 9, 5, far + 2]))
    assert rows(merged) == [(0, 0, 5), (0, 5, 9), (1, 0, 3), (1, far, far + 2)]


@given(st.lists(st.tuples(OWNER, st.integers(0, 2) | st.just(FAR), SPAN | NEAR | EMPTY_OR_BACKWARDS)))
def test_novel_lengths(items: list[tuple[int, int, tuple[int, int]]]) -> None:
    given_ = *columns_of(items), 7
    assert whole(kernels.novel_lengths(*given_)) == oracle.novel_lengths(*given_)


@given(st.lists(st.tuples(OWNER, st.integers(0, 2), SPAN)))
def test_novel_lengths_equal_sets(items: list[tuple[int, int, tuple[int, int]]]) -> None:
    found = kernels.novel_lengths(*columns_of(items), 7)
    seen: set[tuple[int, int]] = set()
    for owner in range(7):
        own = {(g, c) for o, g, (s, e) in items if o == owner for c in range(s, e)}
        assert found[owner] == len(own - seen)
        seen |= own


@pytest.mark.parametrize("count", [1, 2, 1000])
def test_novel_lengths_of_nested_spans(count: int) -> None:
    """Every span inside the one before it, and in reverse order."""
    owner, group = np.arange(count), np.zeros(count, np.int64)
    start, end = np.arange(count), 3 * count - np.arange(count)
    inward = kernels.novel_lengths(owner, group, start, end, count)
    assert inward.tolist() == [3 * count, *[0] * (count - 1)]
    outward = kernels.novel_lengths(owner, group, start[::-1], end[::-1], count)
    assert outward.tolist() == [int(end[-1] - start[-1]), *[2] * (count - 1)]


MILLION = np.arange(MANY)


def million_spans(shape: str) -> tuple[Ints, Ints, Ints, list[tuple[int, int, int]] | None]:
    """Starts and ends, the characters that each span adds to those before it, and their union (None: unchanged)."""
    i = MILLION
    first = (i == 0).astype(np.int64)
    match shape:
        case "all the same":
            return 0 * i + 5, 0 * i + 10, 5 * first, [(0, 5, 10)]
        case "abutting":
            return 10 * i, 10 * i + 10, 0 * i + 10, None
        case "nested":
            return i, 3 * MANY - i, 3 * MANY * first, [(0, 0, 3 * MANY)]
        case "far away":
            far = FAR - 2 * MANY
            return far + i, far + MANY + i, (MANY - 1) * first + 1, [(0, far, FAR - 1)]
        case "overlapping":
            return i, i + 1000, 999 * first + 1, [(0, 0, MANY + 999)]
    raise ValueError(shape)


@pytest.mark.parametrize("shape", ["all the same", "abutting", "nested", "far away", "overlapping"])
def test_a_million_results_in_one_document(shape: str) -> None:
    start, end, novel, union = million_spans(shape)
    group = np.zeros(MANY, np.int64)
    np.testing.assert_array_equal(kernels.novel_lengths(MILLION, group, start, end, MANY), novel)
    merged = kernels.merge_spans(group, start, end)
    if union is None:
        np.testing.assert_array_equal(merged, (group, start, end))
    else:
        assert rows(merged) == union
    repeated = kernels.repeated_parts(ints([0, MANY]), group, np.arange(MANY + 1), start, end)
    assert repeated.sum() == (MANY - 1 if shape == "all the same" else 0)


# ---- highlighted passages -----------------------------------------------------------------------------------

Passages = list[tuple[int, tuple[int, int]]]


def axis_of(passages: Passages, pairs: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Offsets of pairs, starts and ends of their passages, and their positions on the axis of all passages."""
    merged = (
        oracle.merge_spans([p for p, _ in passages], *zip(*(span for _, span in passages), strict=True))
        if passages
        else []
    )
    offsets = offsets_of([[p for p, _, _ in merged if p == pair] for pair in range(pairs)])
    lengths = [range(low, high) for _, low, high in merged]
    return offsets, *spans_of((low, high) for _, low, high in merged), offsets_of(lengths)


@given(st.lists(st.tuples(st.integers(0, 2), SPAN)), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 45))))
def test_the_axis_of_passages(passages: Passages, asked: list[tuple[int, int]]) -> None:
    wanted = ints(p for p, _ in asked), ints(x for _, x in asked)
    found = whole(kernels.highlighted_before(*wanted, *axis_of(passages, 3)))
    assert found == oracle.highlighted_before(*wanted, *axis_of(passages, 3))
    marked = {(p, c) for p, (s, e) in passages for c in range(s, e)}
    assert found == [sum(q < p or (q == p and c < x) for q, c in marked) for p, x in asked]


@given(st.lists(st.tuples(st.integers(0, 2), NEAR)), st.lists(st.tuples(st.integers(0, 2), st.integers(FAR - 50, FAR))))
def test_the_axis_of_passages_far_away(passages: Passages, asked: list[tuple[int, int]]) -> None:
    wanted = ints(p for p, _ in asked), ints(x for _, x in asked)
    axis = axis_of(passages, 3)
    assert whole(kernels.highlighted_before(*wanted, *axis)) == oracle.highlighted_before(*wanted, *axis)


Rows = list[tuple[int, list[tuple[int, int]]]]


def check_highlights(passages: Passages, results: Rows) -> None:
    axis = axis_of(passages, 3)
    spans = spans_of(span for _, spans in results for span in spans)
    given_ = ints(p for p, _ in results), offsets_of([spans for _, spans in results]), *spans, *axis
    found, fresh = kernels.highlighted_rows(*given_)
    assert (whole(found), whole(fresh)) == oracle.highlighted_rows(*given_)


PAIR = st.integers(-1, 2)


@given(st.lists(st.tuples(st.integers(0, 2), SPAN)), st.lists(st.tuples(PAIR, st.lists(SPAN, max_size=3))))
def test_highlighted_rows(passages: Passages, results: Rows) -> None:
    check_highlights(passages, results)


@given(
    st.lists(st.tuples(st.integers(0, 2), NEAR)),
    st.lists(st.tuples(PAIR, st.lists(NEAR | SPAN | st.just((0, FAR)), max_size=3))),
)
def test_highlighted_rows_far_away(passages: Passages, results: Rows) -> None:
    check_highlights(passages, results)


Read = list[list[tuple[int, list[tuple[int, int]]]]]


def check_gains_within(passages: Passages, queries: Read, limits: list[tuple[int, bool]], alpha: float) -> None:
    results = [row for rows in queries for row in rows]
    start, end = spans_of(span for _, spans in results for span in spans)
    passed, ended = [], []
    for rows_of_query in queries:
        before = 0
        for _, spans in rows_of_query:
            sizes = [max(0, high - low) for low, high in spans]
            passed += [before + sum(sizes[:i]) for i in range(len(sizes))]
            before += sum(sizes)
            ended += [before] * len(sizes)
    read = ints(passed), ints(ended), np.maximum(end - start, 0)
    columns = (
        ints(p for p, _ in results),
        offsets_of([spans for _, spans in results]),
        start,
        read,
        axis_of(passages, 3),
    )
    asked = ints(limit for limit, _ in limits), np.array([is_whole for _, is_whole in limits], np.bool_)
    gains = kernels.gains_within(offsets_of(queries), *columns, *asked, alpha)
    assert gains.shape == (len(limits), len(queries))
    assert gains.tolist() == oracle.gains_within(offsets_of(queries), *columns, *asked, alpha)


LIMITS = st.lists(st.tuples(st.integers(0, 120), st.booleans()), max_size=4)


@given(
    st.lists(st.tuples(st.integers(0, 2), SPAN)),
    st.lists(st.lists(st.tuples(PAIR, st.lists(SPAN, max_size=3))), max_size=3),
    LIMITS,
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_gains_within_limits(passages: Passages, queries: Read, limits: list[tuple[int, bool]], alpha: float) -> None:
    check_gains_within(passages, queries, limits, alpha)


@given(
    st.lists(st.tuples(st.integers(0, 2), NEAR)),
    st.lists(st.lists(st.tuples(PAIR, st.lists(NEAR, max_size=3)), max_size=3), max_size=2),
    LIMITS,
)
def test_gains_within_limits_far_away(passages: Passages, queries: Read, limits: list[tuple[int, bool]]) -> None:
    check_gains_within(passages, queries, limits, 1.0)


@pytest.mark.parametrize("shift", [0, FAR - 11 * MANY])
def test_a_million_passages(shift: int) -> None:
    """They are adjacent, so that every character of a result up to the end of the last is highlighted."""
    start, end = 10 * MILLION + shift, 10 * MILLION + 10 + shift
    axis = ints([0, MANY]), start, end, np.arange(0, 10 * MANY + 1, 10)
    chance = np.random.default_rng(7)
    low = shift + chance.integers(0, 10 * MANY, 1000)
    high = low + chance.integers(0, 50_000, 1000)
    zeros = np.zeros(1000, np.int64)
    found, fresh = kernels.highlighted_rows(zeros, np.arange(1001), low, high, *axis)
    shown = np.minimum(high, 10 * MANY + shift)
    np.testing.assert_array_equal(found, shown - low)
    seen = np.zeros(10 * MANY, np.bool_)
    for i, (a, b) in enumerate(zip((low - shift).tolist(), (shown - shift).tolist(), strict=True)):
        assert fresh[i] == b - a - seen[a:b].sum()
        seen[a:b] = True


@given(
    st.lists(st.tuples(st.integers(0, 2), SPAN)),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 45), st.integers(0, 45))),
    st.sampled_from([1, 2, 5, 50]),
    st.booleans(),
    st.sampled_from([0, 2**62, FAR - 200]),
)
def test_passages_found(
    passages: Passages, readers: list[tuple[int, int, int]], tolerance: int, one: bool, shift: int
) -> None:
    """Anywhere in a document, up to the largest offsets."""
    pair, position, length = (ints(reader[i] for reader in readers) for i in range(3))
    offsets, start, end, _ = axis_of(passages, 3)
    expected = oracle.passages_found(pair, position, length, offsets, start, end, tolerance, one)
    moved = pair, position + shift, length + shift, offsets, start + shift, end + shift
    assert whole(kernels.passages_found(*moved, tolerance, one)) == expected


def test_a_million_readers_find_a_million_passages() -> None:
    start, end = 10 * MILLION, 10 * MILLION + 5
    pair, length = np.zeros(MANY, np.int64), np.full(MANY, 10 * MANY)
    within = ints([0, MANY]), start, end
    np.testing.assert_array_equal(kernels.passages_found(pair, start, length, *within, 5, True), MILLION)
    np.testing.assert_array_equal(
        kernels.passages_found(pair[:1], start[:1], length[:1], *within, 6, False), 0 * MILLION
    )
    assert whole(kernels.passages_found(pair[:1], start[:1], length[:1], *within, 5, False)) == [0]


# ---- shared text --------------------------------------------------------------------------------------------

Owners = list[tuple[int, list[tuple[int, int]]]]
OWNERS = st.lists(st.tuples(st.sampled_from([0, 1, 2, -5, FAR]), st.lists(SPAN | NEAR, max_size=3)), max_size=12)


def owned(owners: Owners) -> tuple[Ints, Ints, Ints, Ints]:
    """Groups, and the disjoint spans of each owner."""
    disjoint = [
        [(low, high) for _, low, high in oracle.merge_spans([0] * len(spans), *spans_of(spans), touching=True)]
        for _, spans in owners
    ]
    return ints(g for g, _ in owners), offsets_of(disjoint), *spans_of(span for spans in disjoint for span in spans)


@given(OWNERS, OWNERS, st.booleans(), st.booleans())
def test_shared_text(a: Owners, b: Owners, single: bool, small: bool) -> None:
    if small:
        a, b = ([(abs(group) % 7, spans) for group, spans in owners] for owners in (a, b))
    if single:
        a, b = ([(group, spans[:1]) for group, spans in owners if spans] for owners in (a, b))
    given_ = *owned(a), *owned(b)
    assert rows(kernels.shared_lengths(*given_)) == oracle.shared_lengths(*given_)


def test_shared_lengths_are_summed_over_spans() -> None:
    """The same number of spans and owners, but one owner has two and one has none."""
    first = ints([0]), ints([0, 1]), ints([0]), ints([10])
    second = ints([0, 0]), ints([0, 2, 2]), ints([1, 5]), ints([3, 9])
    assert rows(kernels.shared_lengths(*first, *second)) == [(0, 0, 6)]
    assert rows(kernels.shared_lengths(*second, *first)) == [(0, 0, 6)]


def test_a_million_parts_that_share_little() -> None:
    """A whole document and a million pieces of it, on either side."""
    start, end = 10 * MILLION, 10 * MILLION + 10
    pieces = np.zeros(MANY, np.int64), np.arange(MANY + 1), start, end
    with_whole = ints([0] * (MANY + 1)), np.arange(MANY + 2), np.append(0, start), np.append(10 * MANY, end)
    first, second, length = kernels.shared_lengths(*pieces, *with_whole)
    np.testing.assert_array_equal(first, np.repeat(MILLION, 2))
    np.testing.assert_array_equal(second, np.stack([0 * MILLION, MILLION + 1], axis=1).ravel())
    assert (length == 10).all()


# ---- reading with tolerance ---------------------------------------------------------------------------------

IN_DOCUMENTS = st.lists(st.tuples(st.integers(0, 2), SPAN), max_size=8)


@given(
    st.lists(st.integers(0, 40), min_size=3, max_size=3),
    IN_DOCUMENTS,
    IN_DOCUMENTS,
    st.integers(0, 45),
    st.sampled_from([1, 1000, 2**54]),
)
def test_tolerant_reading(length: list[int], read: Passages, relevant: Passages, tolerance: int, scale: int) -> None:
    """Documents of any size: counts scale with offsets."""
    count = 3
    spans = [(ints(d for d, _ in items), *spans_of(span for _, span in items)) for items in (read, relevant)]
    expected = oracle.tolerant_reading(count, length, spans[0], spans[1], tolerance)
    scaled: list[Any] = [(doc, start * scale, end * scale) for doc, start, end in spans]
    found = kernels.tolerant_reading(count, ints(length) * scale, scaled[0], scaled[1], tolerance * scale)
    assert tuple([count // scale for count in whole(column)] for column in found) == expected
    assert all(count % scale == 0 for column in found for count in whole(column))


def test_tolerant_reading_of_no_documents() -> None:
    nothing = ints([]), ints([]), ints([])
    assert [whole(column) for column in kernels.tolerant_reading(1, ints([0]), nothing, nothing, 5)] == [[0], [0]]


@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3) | st.just(FAR)), max_size=3), st.sampled_from([2, FAR])
)
def test_are_spans(spans: list[tuple[int, int]], largest: int) -> None:
    start, end = spans_of(spans)
    assert kernels.are_spans(start, end, largest) == oracle.are_spans(start, end, largest)
