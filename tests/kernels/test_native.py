"""The native kernels against the NumPy reference: the same numbers, to the last bit unless it is said otherwise."""

from __future__ import annotations

import itertools
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
import support.old_reference as reference
from partwise import kernels as native
from support.arrays import SPAN, ints, texts

FAR = 2**63 - 1
LAYOUTS = ["s-dofs", "s-dnfsnn", "s-dnfsn", "s-dnfss", "s-si", "sn", "snfi", "ofds"]


def same(*functions: tuple[Any, Any]) -> None:
    """Equal in values, kind and shape."""
    for mine, theirs in functions:
        if isinstance(theirs, tuple):
            same(*zip(mine, theirs, strict=True))
        elif isinstance(theirs, np.ndarray):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs)
        else:
            assert mine == theirs


# ---- readers ------------------------------------------------------------------------------------------------


def strings(column: Any) -> list[bytes]:
    codes, names = column.coded() if isinstance(column, native.TokenColumn) else column
    return [names[code] for code in codes.tolist()]


def same_table(data: bytes, kinds: str) -> None:
    mine, theirs = native.read_columns(data, kinds), reference.read_columns(data, kinds)
    assert mine.problems == theirs.problems
    assert mine.lines.tolist() == theirs.lines.tolist()
    for kind, one, other in zip(kinds, mine.columns, theirs.columns, strict=True):
        if kind in "sd":
            assert strings(one) == strings(other)
        elif kind == "f":
            assert one.tobytes() == other.tobytes()
        elif kind != "-":
            same((one, other))


ODD = [b"t", b"1", b"0.5", b"d" * 9, b"x" * 70, b"\xff", b"\xc3\xa9", b"1e999", b"-1e-999", b"inf", b"9" * 19,
       b"0" * 30, b"123456789012345.6", b"1:2", b"/a[1]", b"\x00", b"-", b"+1", b"1.", b".5"]  # fmt: skip
BYTES = st.one_of(
    texts().map(str.encode),
    st.binary(max_size=300),
    st.lists(st.sampled_from([*ODD, b"\n", b"\n", b" ", b"\t", b"\r\n"]), max_size=60).map(b" ".join),
)


@given(BYTES, st.sampled_from(LAYOUTS))
def test_columns(data: bytes, kinds: str) -> None:
    same_table(data, kinds)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**9), st.floats(allow_nan=False)), max_size=40), st.data()
)
def test_columns_of_runs(rows: list[tuple[int, int, float]], data: st.DataObject) -> None:
    """Lines as they usually are, among which one is broken."""
    lines = [f"t{t} Q0 doc{n} {n} {score!r} run {n} {t}".encode() for t, n, score in rows]
    if lines:
        at = data.draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        lines[at] = data.draw(st.sampled_from([line[:-2], line + b" x", line.replace(b" ", b"  "), b"", line[::-1]]))
    same_table(b"\n".join(lines), "s-dnfsnn")
    same_table(b"\n".join(line.rsplit(b" ", 2)[0] for line in lines), "s-dofs")


def test_columns_across_blocks() -> None:
    lines = [f"t{i % 7} Q0 d{i} {i} {i / 8} run {i} {i}" for i in range(60_000)]
    lines[100] = "t " + "x" * 2_000_000 + " 1"
    lines[40_000] = "t Q0 d x 1 run 1 1"
    same_table("\n".join(lines).encode(), "s-dnfsnn")


@given(BYTES)
def test_passages(data: bytes) -> None:
    mine, theirs = native.read_passages(data), reference.read_passages(data)
    assert mine.problems == theirs.problems
    for name in ("query", "doc"):
        assert strings(getattr(mine, name)) == strings(getattr(theirs, name))
        assert list(getattr(mine, name)[1]) == list(getattr(theirs, name)[1])
    for name in ("length", "bep", "lines", "row_of", "start", "size"):
        same((getattr(mine, name), getattr(theirs, name)))


PASSAGES = st.lists(
    st.sampled_from([b"t", b"Q0", b"7", b"-1", b"5:7", b"20:0", b"9" * 19, b"1:" + b"9" * 20, b"3:x", b":", b"\n"]),
    max_size=60,
)


@given(PASSAGES.map(b" ".join))
def test_passages_that_nearly_fit(data: bytes) -> None:
    test_passages.hypothesis.inner_test(data)  # type: ignore[attr-defined]


@given(BYTES)
def test_what_a_text_is_made_of(data: bytes) -> None:
    assert native.content(data) == reference.content(data)
    same((native.line_shapes(data), reference.line_shapes(data)))
    assert native.last_topic(data) == reference.last_topic(data)


@given(st.lists(st.sampled_from([b"a b\n", b"a c\n", b" a\n", b"b\n", b"\n", b"ab"]), max_size=12))
def test_last_topic(lines: list[bytes]) -> None:
    data = b"".join(lines)
    cut = native.last_topic(data)
    assert cut == reference.last_topic(data)
    whole = data[: data.rfind(b"\n") + 1]
    before, behind = (
        [line.split()[:1] for line in part.splitlines() if line.split()] for part in (data[:cut], whole[cut:])
    )
    assert all(topic == behind[0] for topic in behind)
    assert not before or before[-1] != behind[0]


NAMES = st.text("ab", min_size=1, max_size=3) | st.text("ab", min_size=8, max_size=10)


@given(st.lists(NAMES, unique=True), st.lists(NAMES, unique=True))
def test_names_are_found_again(mine: list[str], theirs: list[str]) -> None:
    found = []
    for tokens in (native.Tokens, reference.Tokens):
        one, other = tokens.of([n.encode() for n in mine]), tokens.of([n.encode() for n in theirs])
        found.append(one.codes_in(other).tolist())
        assert list(one) == [one[code] for code in range(len(one))] == [n.encode() for n in mine]
    assert found[0] == found[1] == [theirs.index(name) if name in theirs else -1 for name in mine]


@given(st.lists(st.tuples(st.integers(0, 2), NAMES, SPAN)), st.lists(NAMES, unique=True, max_size=8), st.data())
def test_tokens_equal_codes(
    rows: list[tuple[int, str, tuple[int, int]]], judged: list[str], data: st.DataObject
) -> None:
    """What is found by tokens (pairs, documents, repeated parts) is what is found by codes."""
    rows.sort(key=lambda row: row[0])
    [column] = native.read_columns("".join(f"{name}\n" for _, name, _ in rows).encode(), "d").columns
    every = np.arange(len(rows))
    topic = ints([t for t, _, _ in rows])
    offsets = np.searchsorted(topic, np.arange(4))
    of_topic = [sorted(data.draw(st.sets(st.integers(0, len(judged) - 1)))) if judged else [] for _ in range(3)]
    pair_offsets = np.concatenate([[0], np.cumsum([len(docs) for docs in of_topic])]).astype(np.int64)
    pair_doc = ints([doc for docs in of_topic for doc in docs])
    index = native.JudgedIndex(native.Tokens.of([name.encode() for name in judged]), pair_offsets, pair_doc)
    doc = ints([judged.index(name) if name in judged else len(judged) for _, name, _ in rows])
    expected = reference.pairs_of(topic, doc, pair_offsets, pair_doc, len(judged))
    same(
        (column.pairs(every, topic, index), expected),
        (native.pairs_of(topic, doc, pair_offsets, pair_doc, len(judged)), expected),
    )
    codes, _ = column.coded()
    group = topic * (len(rows) + 1) + codes
    same((column.documents(every, offsets), reference.first_of_each(group)))
    single = np.arange(len(rows) + 1)
    start, end = (ints([span[i] for _, _, span in rows]) for i in (0, 1))
    expected = reference.repeated_parts(offsets, codes, single, start, end)
    same((column.repeated(every, offsets, single, start, end), expected))
    same((native.repeated_parts(offsets, codes, single, start, end), expected))


def test_a_judged_name_that_no_token_can_have() -> None:
    [column] = native.read_columns(b"a\n", "d").columns
    index = native.JudgedIndex(native.Tokens.of([b"a\x00", b"a b"]), ints([0, 2]), ints([0, 1]))
    assert column.pairs(ints([0]), ints([0]), index).tolist() == [-1]


def test_what_was_used_can_be_sent_away(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("t Q0 d 5 100 -1 10:5\n")
    (tmp_path / "a.run").write_text("t Q0 d 1 0.5 x 10 5\nt Q0 e 2 0.4 x 1 5\n")
    evaluator = pw.Evaluator(tmp_path / "q.txt", "iAP AgP")
    [run] = pw.read_runs(tmp_path / "a.run")
    scored = [block.values.tolist() for block in evaluator.evaluation.score(run)[0]]
    evaluation, sent = pickle.loads(pickle.dumps((evaluator.evaluation, run)))
    assert [block.values.tolist() for block in evaluation.score(sent)[0]] == scored


# ---- rows, spans, curves ------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3))), st.booleans())
def test_order(rows: list[tuple[int, int]], ordered: bool) -> None:
    rows = sorted(rows) if ordered else rows
    columns = ints([t for t, _ in rows]), ints([r for _, r in rows])
    same((native.ordered_ties(*columns), reference.ordered_ties(*columns)))


NEAR = st.tuples(st.integers(FAR - 40, FAR - 1), st.integers(0, 40)).map(lambda p: (p[0], min(FAR, p[0] + p[1])))
ITEMS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), SPAN | NEAR))


@given(ITEMS, st.booleans())
def test_spans(items: list[tuple[int, int, tuple[int, int]]], touching: bool) -> None:
    owner, group = ints([o for o, _, _ in items]), ints([g for _, g, _ in items])
    start, end = ints([s for _, _, (s, _) in items]), ints([e for _, _, (_, e) in items])
    same(
        (native.merge_spans(owner, start, end, touching), reference.merge_spans(owner, start, end, touching)),
        (native.novel_lengths(owner, group, start, end, 7), reference.novel_lengths(owner, group, start, end, 7)),
    )


def axis_of(pair: Any, start: Any, end: Any, pairs: int) -> tuple[Any, ...]:
    pair, start, end = reference.merge_spans(pair, start, end)
    offsets = np.searchsorted(pair, np.arange(pairs + 1))
    return offsets, start, end, np.concatenate([[0], np.cumsum(end - start)])


@given(
    st.lists(st.tuples(st.integers(0, 2), SPAN)), st.lists(st.tuples(st.integers(-1, 2), st.lists(SPAN, max_size=3)))
)
def test_highlights(passages: list[tuple[int, tuple[int, int]]], rows: list[tuple[int, list[tuple[int, int]]]]) -> None:
    axis = axis_of(
        ints([p for p, _ in passages]), ints([s for _, (s, _) in passages]), ints([e for _, (_, e) in passages]), 3
    )
    pair = ints([p for p, _ in rows])
    offsets = np.concatenate([[0], np.cumsum([len(spans) for _, spans in rows], dtype=np.int64)])
    flat = np.array([span for _, spans in rows for span in spans], np.int64).reshape(-1, 2)
    spans = flat[:, 0].copy(), flat[:, 1].copy()
    same(
        (
            native.highlighted_rows(pair, offsets, *spans, *axis),
            reference.highlighted_rows(pair, offsets, *spans, *axis),
        )
    )
    asked = ints([max(p, 0) for p, _ in rows]), ints([sum(s for s, _ in spans) for _, spans in rows])
    same((native.highlighted_before(*asked, *axis), reference.highlighted_before(*asked, *axis)))
    for tolerance, one in itertools.product((1, 5), (False, True)):
        given_ = *asked, np.full(len(rows), 30), *axis[:3], tolerance, one
        same((native.passages_found(*given_), reference.passages_found(*given_)))


ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=8)


@given(st.lists(ROWS, min_size=1, max_size=4), st.sampled_from([(1, 1), (0, 1), (1, 3), (1, 2**61)]), st.data())
def test_curves(topics: list[list[tuple[int, int, int]]], alpha: tuple[int, int], data: st.DataObject) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in topics])]).astype(np.int64)
    flat = [(max(a, b), min(a, b), c) for rows in topics for a, b, c in rows]
    found, fresh, size = (ints([row[i] for row in flat]) for i in range(3))
    relevant = ints(data.draw(st.lists(st.integers(0, 40), min_size=len(topics), max_size=len(topics))))
    rows = offsets, found, fresh, size, alpha[0] / alpha[1]
    over = data.draw(st.sampled_from([1, 2, 10, 100]))
    levels = list(range(over + 1)), [over] * (over + 1)
    same(
        (native.precision_by_rank(*rows), reference.precision_by_rank(*rows)),
        (
            native.best_precision(*rows, alpha, relevant, levels),
            reference.best_precision(*rows, alpha, relevant, levels),
        ),
    )


def random_tree(chance: random.Random, nodes: int) -> reference.Tree:
    parent, start, end = [-1], [0], [4096]
    free = [0]
    for node in range(1, nodes):
        above = node - 1
        while parent[above] >= 0 and (chance.random() < 0.4 or free[above] >= end[above]):
            above = parent[above]
        low = min(free[above] + chance.randrange(3), end[above])
        high = chance.randint(low, end[above])
        parent.append(above)
        start.append(low)
        end.append(high)
        free.append(low)
        free[above] = high
    last = list(range(1, nodes + 1))
    for node in range(nodes - 1, 0, -1):
        last[parent[node]] = max(last[parent[node]], last[node])
    return reference.Tree(*map(ints, (parent, last, start, end)))


def rows_of_document(chance: random.Random) -> tuple[Any, ...]:
    """A tree, values, ideal elements, results and their spans."""
    nodes = chance.randrange(1, 40)
    tree = random_tree(chance, nodes)
    value = np.array([chance.choice([0.0, 0.25, 0.9, 1.0, 1 / 3]) for _ in range(nodes)])
    ideal = ints(sorted(chance.sample(range(nodes), chance.randrange(0, nodes + 1))))
    results = ints([chance.randrange(-1, nodes) for _ in range(chance.randrange(25))])
    spans = []
    for node in results.tolist():
        low = chance.randrange(4000)
        text = ([low], [low + chance.randrange(300)]) if chance.random() < 0.9 else ([], [])
        spans.append((tree.start[node : node + 1], tree.end[node : node + 1]) if node >= 0 else tuple(map(ints, text)))
    return tree, value, ideal, results, spans


def offsets_of(columns: Any) -> Any:
    return ints([0, *np.cumsum([len(column) for column in columns])])


def joined(columns: Any) -> Any:
    return np.concatenate([ints([]), *columns])


def side_by_side(documents: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """What `element_gains` takes, but alpha and whether budgets are shared."""
    trees, values, ideals, results, spans = zip(*documents, strict=True) if documents else ([],) * 5
    all_spans = [span for of_document in spans for span in of_document]
    edges = (joined([getattr(tree, name) for tree in trees]) for name in ("parent", "last", "start", "end"))
    return (
        reference.Trees(offsets_of(values), *edges),
        np.concatenate([np.empty(0), *values]),
        offsets_of(ideals), joined(ideals), offsets_of(results), joined(results),
        offsets_of([start for start, _ in all_spans]),
        joined([start for start, _ in all_spans]), joined([end for _, end in all_spans]),
    )  # fmt: skip


@given(st.integers(0, 10**9), st.integers(0, 4), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_gains(seed: int, documents: int, alpha: float, shared: bool) -> None:
    """To 1e-12: sums of budgets may be taken in another order."""
    chance = random.Random(seed)
    given_ = *side_by_side([rows_of_document(chance) for _ in range(documents)]), alpha, shared
    for mine, theirs in zip(native.element_gains(*given_), reference.element_gains(*given_), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


@given(st.integers(0, 10**9), st.integers(0, 4), st.booleans())
def test_nodes_at(seed: int, documents: int, in_order: bool) -> None:
    chance = random.Random(seed)
    trees = [random_tree(chance, chance.randrange(1, 30)) for _ in range(documents)]
    columns: list[list[Any]] = [[], [], []]
    for tree in trees:
        order = np.arange(len(tree.start))
        if not in_order:
            chance.shuffle(order)
        for column, values in zip(columns, (tree.start, tree.end, tree.last % 5), strict=True):
            column.append(values[order])
    document = ints(sorted(chance.randrange(documents) for _ in range(20))) if documents else ints([])
    wanted = []
    for number in document.tolist():
        node = chance.randrange(len(trees[number].start))
        moved = chance.randrange(-1, 2) if chance.random() < 0.3 else 0
        wanted.append((trees[number].start[node], trees[number].end[node] + moved))
    spans = ints([start for start, _ in wanted]), ints([end for _, end in wanted])
    given_ = offsets_of(columns[0]), *map(joined, columns), document, *spans
    same((native.nodes_at(*given_), reference.nodes_at(*given_)))


# ---- navigation ---------------------------------------------------------------------------------------------

TINY = 5e-324
CHANCE = st.sampled_from([0.0, 0.0, TINY, 1e-310, 1e-200, 0.25, 1 / 3, 0.5, 1 - 2**-53, 1.0]) | st.floats(0, 1)


@st.composite
def seen_links(draw: st.DrawFn) -> tuple[Any, ...]:
    """Links of some topics, some of them without steps or links, as `chances_below` takes them."""
    rows: list[tuple[int, int, int, float, float]] = []
    steps = draw(st.lists(st.integers(0, 9), max_size=4))
    for topic, count in enumerate(steps):
        for unit in range(draw(st.integers(0, 6)) if count else 0):
            missed = 1.0
            for step in sorted(draw(st.sets(st.integers(0, count - 1)))):
                before, missed = missed, missed * (1 - draw(CHANCE))
                rows.append((topic, unit, step, 1 - before, 1 - missed))
    kinds = np.int64, np.int64, np.int64, np.float64, np.float64
    columns = [np.array([row[i] for row in rows], kind) for i, kind in enumerate(kinds)]
    return *columns, ints(steps)


def same_counts(links: tuple[Any, ...], need: Any, rank: Any, units: Any) -> None:
    same(
        (native.chances_below(*links, need), reference.chances_below(*links, need)),
        (native.mean_effort(*links, rank, units), reference.mean_effort(*links, rank, units)),
    )


@given(seen_links(), st.sampled_from([1 << 22, 64, 8, 1]), st.data())
def test_counts(links: tuple[Any, ...], cells: int, data: st.DataObject) -> None:
    steps = links[-1]
    need = ints([data.draw(st.integers(-1, 8)) for _ in steps])
    gaps = ints([data.draw(st.integers(1, 5)) for _ in range(int(steps.sum()))])
    rank = reference.running_sums(gaps.astype(float), np.concatenate([[0], np.cumsum(steps)])).astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "CELLS", cells)
        same_counts(links, need, rank, np.full(len(steps), 6))


@given(seen_links(), st.integers(0, 8))
def test_topics_stand_alone(links: tuple[Any, ...], need: int) -> None:
    steps = links[-1]
    bounds = np.concatenate([[0], np.cumsum(steps)])
    rank = np.arange(bounds[-1]) + 1
    together = native.chances_below(*links, np.full(len(steps), need))
    efforts = native.mean_effort(*links, rank, np.full(len(steps), 7))
    for topic, (low, high) in enumerate(itertools.pairwise(bounds.tolist())):
        inside = links[0] == topic
        alone = 0 * links[0][inside], *(column[inside] for column in links[1:5]), steps[topic : topic + 1]
        same((native.chances_below(*alone, ints([need])), tuple(column[low:high] for column in together)))
        same((native.mean_effort(*alone, rank[low:high], ints([7])), efforts[topic : topic + 1]))


@given(st.lists(st.tuples(st.integers(0, 4), CHANCE), max_size=40), st.integers(5, 8))
def test_orders(items: list[tuple[int, float]], owners: int) -> None:
    given_ = ints([owner for owner, _ in items]), np.array([chance for _, chance in items], np.float64), owners
    same((native.mean_over_orders(*given_), reference.mean_over_orders(*given_)))


@given(st.lists(st.tuples(st.integers(0, 2), CHANCE), max_size=60), st.booleans())
def test_products(items: list[tuple[int, float]], ordered: bool) -> None:
    items = sorted(items, key=lambda item: item[0]) if ordered else items
    given_ = np.array([value for _, value in items], np.float64), ints([segment for segment, _ in items])
    same((native.running_products(*given_), reference.running_products(*given_)))


OWNERS = st.lists(st.tuples(st.sampled_from([0, 1, 2, -5, FAR]), st.lists(SPAN | NEAR, max_size=3)), max_size=12)


def owned(owners: list[tuple[int, list[tuple[int, int]]]]) -> tuple[Any, ...]:
    """Groups, and the disjoint spans of each owner."""
    number = ints([i for i, (_, spans) in enumerate(owners) for _ in spans])
    flat = np.array([span for _, spans in owners for span in spans], np.int64).reshape(-1, 2)
    number, start, end = reference.merge_spans(number, flat[:, 0].copy(), flat[:, 1].copy(), touching=True)
    return ints([g for g, _ in owners]), np.searchsorted(number, np.arange(len(owners) + 1)), start, end


@given(OWNERS, OWNERS, st.booleans(), st.booleans())
def test_shared_text(
    a: list[tuple[int, list[tuple[int, int]]]], b: list[tuple[int, list[tuple[int, int]]]], single: bool, small: bool
) -> None:
    if small:
        a, b = ([(abs(group) % 7, spans) for group, spans in owners] for owners in (a, b))
    if single:
        a, b = ([(group, spans[:1]) for group, spans in owners if spans] for owners in (a, b))
    given_ = *owned(a), *owned(b)
    same((native.shared_lengths(*given_), reference.shared_lengths(*given_)))


ROWS_OF_THREE = st.lists(st.tuples(*[st.integers(0, 2) | st.sampled_from([-1, FAR])] * 3), max_size=20)


@given(ROWS_OF_THREE, ROWS_OF_THREE)
def test_equal_rows(a: list[tuple[int, int, int]], b: list[tuple[int, int, int]]) -> None:
    given_ = [[ints([row[i] for row in rows]) for i in range(3)] for rows in (a, b)]
    same((native.equal_rows(*given_), reference.equal_rows(*given_)))
    expected = [(i, j) for i, one in enumerate(a) for j, other in enumerate(b) if one == other]
    assert list(zip(*(column.tolist() for column in native.equal_rows(*given_)), strict=True)) == expected


# ---- hostile input ------------------------------------------------------------------------------------------

MANY = 10**6


def many(shape: str) -> tuple[Any, Any]:
    """A million spans of one document."""
    i = np.arange(MANY)
    return {
        "all the same": (np.full(MANY, 5), np.full(MANY, 10)),
        "abutting": (10 * i, 10 * i + 10),
        "nested": (i, 3 * MANY - i),
        "far away": (FAR - 2 * MANY + i, FAR - MANY + i),
        "overlapping": (i, i + 1000),
    }[shape]


SHAPES = ["all the same", "abutting", "nested", "far away", "overlapping"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_million_results_in_one_document(shape: str) -> None:
    start, end = many(shape)
    owner, group = np.arange(MANY), np.zeros(MANY, np.int64)
    same(
        (native.novel_lengths(owner, group, start, end, MANY), reference.novel_lengths(owner, group, start, end, MANY)),
        (native.merge_spans(group, start, end), reference.merge_spans(group, start, end)),
    )
    within, single = ints([0, MANY]), np.arange(MANY + 1)
    repeated = native.repeated_parts(within, group, single, start, end)
    assert repeated.sum() == (MANY - 1 if shape == "all the same" else 0)


@pytest.mark.parametrize("shape", ["abutting", "far away"])
def test_a_million_passages(shape: str) -> None:
    start, end = many("abutting")
    if shape == "far away":
        start, end = start + (FAR - 11 * MANY), end + (FAR - 11 * MANY)
    axis = axis_of(np.zeros(MANY, np.int64), start, end, 1)
    assert len(axis[1]) == MANY  # abutting ones stay
    chance = np.random.default_rng(7)
    low = start[0] + chance.integers(0, 10 * MANY, 1000)
    spans = ints([0] * 1000), np.arange(1001), low, low + chance.integers(0, 50_000, 1000)
    same((native.highlighted_rows(*spans, *axis), reference.highlighted_rows(*spans, *axis)))


def test_all_ties() -> None:
    zeros = np.zeros(MANY, np.int64)
    same((native.ordered_ties(zeros, zeros), reference.ordered_ties(zeros, zeros)))


def test_a_million_results_gain_in_one_document() -> None:
    tree = random_tree(random.Random(7), 50)
    value = np.full(50, 0.5)
    nodes = np.full(MANY // 10, -1)
    spans = [(ints([i]), ints([i + 1])) for i in range(MANY // 10)]
    gains, given_ = native.element_gains(*side_by_side([(tree, value, ints([0]), nodes, spans)]), 1.0, True)
    assert not gains.any()
    assert not given_.any()


def links_of_one_topic(unit: Any, step: Any, before: Any, after: Any) -> tuple[Any, ...]:
    count = len(unit)
    return (
        np.zeros(count, np.int64), np.broadcast_to(unit, count), np.broadcast_to(step, count),
        np.broadcast_to(before, count).astype(float), np.broadcast_to(after, count).astype(float),
        ints([int(np.max(step, initial=-1)) + 1]),
    )  # fmt: skip


def test_one_unit_reached_a_million_times() -> None:
    every = np.arange(MANY)
    seen = 1 - 0.999999 ** np.arange(MANY + 1)
    links = links_of_one_topic(0 * every, every, seen[:-1], seen[1:])
    same_counts(links, ints([1]), every + 1, ints([1]))
    below, quiet = native.chances_below(*links, ints([1]))
    np.testing.assert_allclose(below, 1 - seen[1:], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(below, quiet)
    below, quiet = native.chances_below(*links, ints([2]))  # one unit is never two
    np.testing.assert_allclose(below, 1.0, rtol=0, atol=1e-12)


def test_a_million_units_that_are_certain() -> None:
    every = np.arange(MANY)
    links = links_of_one_topic(every, every, 0.0, 1.0)
    same_counts(links, ints([MANY]), every + 1, ints([MANY]))
    np.testing.assert_array_equal(native.chances_below(*links, ints([MANY]))[0], every < MANY - 1)


@pytest.mark.parametrize("chance", [0.0, TINY, 1e-200])
def test_a_million_units_that_are_hardly_seen_among_certain_ones(chance: float) -> None:
    """Too slow for the reference, so by hand: only the certain ones count."""
    every = np.arange(MANY)
    certain = every % 2 == 1
    links = links_of_one_topic(every, every, 0.0, np.where(certain, 1.0, chance))
    below, quiet = native.chances_below(*links, ints([MANY // 4]))
    np.testing.assert_array_equal(below, np.cumsum(certain) < MANY // 4)
    np.testing.assert_array_equal(quiet, (np.cumsum(certain) < MANY // 4) & ~certain)
    efforts = native.mean_effort(*links, every + 1, ints([MANY // 2]))
    assert efforts == pytest.approx([0.5], abs=1e-12)


def test_a_million_units_at_one_step() -> None:
    """Too slow for the reference, so by hand: none seen, and at most two of a million."""
    every, rare = np.arange(MANY), 1 / MANY
    links = links_of_one_topic(every, 0 * every, 0.0, rare)
    below = [native.chances_below(*links, ints([need]))[0][0] for need in (0, 1, 3)]
    none = (1 - rare) ** MANY
    one, two = none * MANY * rare / (1 - rare), none * MANY * (MANY - 1) / 2 * (rare / (1 - rare)) ** 2
    assert below == pytest.approx([0, none, none + one + two], abs=1e-9)


def test_counts_that_vanish() -> None:
    """Chances so small that products become denormal and then zero, among others of one half."""
    chance = np.random.default_rng(7)
    units, steps = 3000, 40
    after = chance.choice([TINY, 1e-310, 1e-160, 0.5, 1 - 2**-53], units)
    links = links_of_one_topic(np.arange(units), chance.integers(0, steps, units), 0.0, after)
    for need in (1, 500, units):
        same_counts(links, ints([need]), np.arange(steps) + 1, ints([units]))


def test_a_million_factors_and_items() -> None:
    chance = np.random.default_rng(7)
    values = chance.choice([0.0, TINY, 0.5, 1.0, 1 - 2**-53], MANY, p=[0.00001, 0.00001, 0.00008, 0.5, 0.4999])
    for segment in (np.zeros(MANY, np.int64), np.arange(MANY), np.arange(MANY) // 1000):
        same((native.running_products(values, segment), reference.running_products(values, segment)))
    means = native.mean_over_orders(np.arange(MANY), values, MANY)
    np.testing.assert_array_equal(means, (1 + values) / 2)
    owner = np.concatenate([np.zeros(2000, np.int64), np.arange(2000)])
    given_ = owner, chance.random(4000), 2000
    same((native.mean_over_orders(*given_), reference.mean_over_orders(*given_)))


def test_a_million_parts_that_share_little() -> None:
    """A document as a whole and a million pieces, on either side: by hand, as the reference looks at all pairs."""
    start, end = many("abutting")
    pieces = np.zeros(MANY, np.int64), np.arange(MANY + 1), start, end
    whole = ints([0] * (MANY + 1)), np.arange(MANY + 2), np.append(0, start), np.append(10 * MANY, end)
    first, second, length = native.shared_lengths(*pieces, *whole)
    assert first.tolist() == np.repeat(np.arange(MANY), 2).tolist()
    assert second.tolist() == np.stack([np.zeros(MANY, np.int64), np.arange(1, MANY + 1)], axis=1).ravel().tolist()
    assert (length == 10).all()


def test_a_million_rows_that_are_equal_to_one_or_none() -> None:
    every, zeros = np.arange(MANY), np.zeros(MANY, np.int64)
    for step in (1, 1 << 20, 1 << 40):
        rows = [every * step, zeros], [every[::-1] * step, zeros]
        same((native.equal_rows(*rows), (every, every[::-1])))
    one = [ints([7]), ints([7])]
    same((native.equal_rows(one, [zeros, zeros]), (every[:0], every[:0])))
    same((native.equal_rows([zeros + 7, zeros + 7], one), (every, zeros)))
