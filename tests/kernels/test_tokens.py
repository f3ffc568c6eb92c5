"""Lookup of names in other texts: equal to comparing strings."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from oracles import kernels as oracle
from partwise import kernels
from support.arrays import SPAN, flags, ints, offsets_of, spans_of, whole

NAMES = st.one_of(
    st.text("ab", min_size=1, max_size=3),
    st.text("ab", min_size=8, max_size=10),
    st.sampled_from(["é", "日本語", "a" * 64, "a" * 65, "a" * 5000, "a" * 4999 + "b", "\x7f", "\x01" * 8]),
).map(str.encode)
TOKENS = NAMES.filter(lambda name: min(name) > 32)
ALL_TOKENS = NAMES | st.sampled_from(["a b", " ", "\x01", "\x01a", "a\x00b", "\x00a"]).map(str.encode)
ANY_NAMES = NAMES | st.binary(max_size=12)


@given(st.lists(ANY_NAMES, unique=True), st.lists(ANY_NAMES, unique=True))
def test_lookup_of_names(mine: list[bytes], theirs: list[bytes]) -> None:
    """Any bytes, including NUL, blanks and the empty name."""
    one, other = kernels.Tokens.of(mine), kernels.Tokens.of(theirs)
    expected = oracle.codes_in(mine, theirs)
    assert whole(one.codes_in(other)) == expected
    assert whole(one.codes_in(other)) == expected  # also with the cached index
    assert list(one) == [one[code] for code in range(len(one))] == mine


@given(st.lists(TOKENS), st.lists(TOKENS, unique=True))
def test_lookup_of_names_within_a_text(mine: list[bytes], theirs: list[bytes]) -> None:
    """The same name at several offsets, with other text in between."""
    start = offsets_of([name + b"--" for name in mine])[:-1]
    tokens = kernels.Tokens(b"--".join([*mine, b""]), start, start + ints(len(name) for name in mine))
    assert list(tokens) == mine
    assert whole(tokens.codes_in(kernels.Tokens.of(theirs))) == oracle.codes_in(mine, theirs)


def column_of(names: list[bytes], last_line_ends: bool = True) -> Any:
    """A column whose tokens end with blanks."""
    text = b"\n".join(names) + (b"\n" if last_line_ends else b"")
    [column] = kernels.read_columns(text, "d").columns
    return column


@given(st.lists(TOKENS), st.booleans())
def test_codes_of_a_column(names: list[bytes], last_line_ends: bool) -> None:
    column = column_of(names, last_line_ends)
    assert len(column) == len(names)
    codes, distinct = column.coded()
    assert [distinct[code] for code in whole(codes)] == names
    assert sorted(distinct) == sorted(set(names))


RESULTS = st.lists(st.tuples(st.integers(0, 2), ALL_TOKENS, st.lists(SPAN, max_size=2)), max_size=20)


@given(RESULTS, st.lists(ANY_NAMES, unique=True, max_size=8), st.data())
def test_pairs_documents_and_repeated_parts(
    results: list[tuple[int, bytes, list[tuple[int, int]]]], judged: list[bytes], data: st.DataObject
) -> None:
    """In any order of the rows, as `partwise.resolving` may have them; with known ends, and with blanks as ends."""
    names = [name for _, name, _ in results]
    ended = kernels.token_cells([name.decode() for name in names])
    assert ended is not None
    assert [*map(ended.token, range(len(names)))] == names
    for column in [ended] if any(min(name) <= 32 for name in names) else [ended, column_of(names)]:
        check_lookups(column, results, judged, data)


def check_lookups(
    column: Any, results: list[tuple[int, bytes, list[tuple[int, int]]]], judged: list[bytes], data: st.DataObject
) -> None:
    order = sorted(data.draw(st.permutations(range(len(results)))), key=lambda row: results[row][0])
    in_order = [results[row] for row in order]
    names = [name for _, name, _ in in_order]
    query = ints(t for t, _, _ in in_order)
    offsets = np.searchsorted(query, np.arange(4))
    of_query = [sorted(data.draw(st.sets(st.integers(0, len(judged) - 1)))) if judged else [] for _ in range(3)]
    pair_offsets, pair_doc = offsets_of(of_query), ints(doc for docs in of_query for doc in docs)
    index = kernels.JudgedIndex(kernels.Tokens.of(judged), pair_offsets, pair_doc)
    doc = ints(judged.index(name) if name in judged else len(judged) for name in names)
    expected = oracle.pairs_of(query, doc, pair_offsets, pair_doc, len(judged))
    assert whole(column.pairs(ints(order), query, index)) == expected
    assert whole(kernels.pairs_of(query, doc, pair_offsets, pair_doc, len(judged))) == expected
    documents, first = column.documents(ints(order), offsets)
    assert (whole(documents), whole(first)) == oracle.first_of_each(list(zip(query.tolist(), names, strict=True)))
    span_offsets = offsets_of([spans for _, _, spans in in_order])
    start, end = spans_of(span for _, _, spans in in_order for span in spans)
    again = column.repeated(ints(order), offsets, span_offsets, start, end)
    assert flags(again) == oracle.repeated_parts(offsets, names, span_offsets, start, end)


@given(st.lists(TOKENS, min_size=1), st.lists(TOKENS, unique=True, min_size=1))
def test_pickled_columns_work_as_before(names: list[bytes], judged: list[bytes]) -> None:
    columns, tokens = [column_of(names), kernels.token_cells([*map(bytes.decode, names)])], kernels.Tokens.of(judged)
    pair_offsets, pair_doc = ints([0, len(judged)]), np.arange(len(judged))
    index = kernels.JudgedIndex(tokens, pair_offsets, pair_doc)
    rows, query = np.arange(len(names)), np.zeros(len(names), np.int64)
    columns, tokens, index = pickle.loads(pickle.dumps((columns, tokens, index)))
    for column in columns:
        assert whole(column.pairs(rows, query, index)) == oracle.codes_in(names, judged)
    assert list(tokens) == judged


def test_judged_names_that_cannot_be_tokens() -> None:
    column = column_of([b"a"])
    index = kernels.JudgedIndex(kernels.Tokens.of([b"a\x00", b"a b", b""]), ints([0, 3]), ints([0, 1, 2]))
    assert column.pairs(ints([0]), ints([0]), index).tolist() == [-1]


def test_lookup_in_nothing() -> None:
    column, none = column_of([]), kernels.Tokens.of([])
    index = kernels.JudgedIndex(none, ints([0]), ints([]))
    assert whole(column.pairs(ints([]), ints([]), index)) == []
    assert [whole(part) for part in column.documents(ints([]), ints([0]))] == [[], []]
    assert flags(column.repeated(ints([]), ints([0]), ints([0]), ints([]), ints([]))) == []
    assert whole(none.codes_in(kernels.Tokens.of([b"a"]))) == []
    assert whole(kernels.Tokens.of([b"a"]).codes_in(none)) == [-1]


def test_many_names_that_differ_only_at_the_end() -> None:
    """Long names are hashed, and hashes may collide: the names themselves decide."""
    names = [b"x" * 40 + str(i).encode() for i in range(50_000)]
    column = column_of(names * 2)
    codes, distinct = column.coded()
    assert len(distinct) == len(names)
    assert [distinct[code] for code in whole(codes)] == names * 2
    others = kernels.Tokens.of(names[::-2])
    found = whole(kernels.Tokens.of(names).codes_in(others))
    position = {name: i for i, name in enumerate(names[::-2])}
    assert found == [position.get(name, -1) for name in names]


def test_a_used_run_can_be_pickled(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("t Q0 d 5 100 -1 10:5\n")
    (tmp_path / "a.run").write_text("t Q0 d 1 0.5 x 10 5\nt Q0 e 2 0.4 x 1 5\n")
    evaluator = pw.Evaluator(tmp_path / "q.txt", "iAP AgP")
    [run] = pw.read_runs(tmp_path / "a.run")
    scored = [block.values.tolist() for block in evaluator.evaluation.score(run)[0]]
    evaluation, sent = pickle.loads(pickle.dumps((evaluator.evaluation, run)))
    assert [block.values.tolist() for block in evaluation.score(sent)[0]] == scored


@given(st.lists(NAMES))
def test_strings(names: list[bytes]) -> None:
    assert kernels.Tokens.of(names).strings() == [name.decode() for name in names]


@given(st.lists(TOKENS, min_size=1), st.booleans(), st.data())
def test_strings_of_rows(names: list[bytes], last_line_ends: bool, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(names) - 1)))
    assert column_of(names, last_line_ends).strings(ints(rows)) == [names[row].decode() for row in rows]
