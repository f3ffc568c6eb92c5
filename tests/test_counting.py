"""Counting a text in units: the fast way equals sets of characters, and converting there and back changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import counting as slow
from partwise.counting import Counting, counting_of
from partwise.tokens import tokenizer

UNITS = sorted(slow.PIECES)
OWN = tokenizer(slow.own_tokens)
texts = st.text(st.sampled_from("ab .,\n\ré日本\u0301𝄞\U0001f600\U0001f468\u200d"), max_size=24)


def counted(text: str, unit: str) -> Counting:
    return counting_of(text, unit, OWN)


def spans_in(size: int) -> st.SearchStrategy[tuple[int, int]]:
    edge = st.integers(0, size)
    return st.tuples(edge, edge).map(lambda pair: (min(pair), max(pair)))


def converted(way: object, span: tuple[int, int]) -> set[int]:
    start, end = way(np.array([span[0]]), np.array([span[1]]))  # type: ignore[operator]
    return set(range(int(start[0]), int(end[0])))


@given(texts, st.sampled_from(UNITS), st.data())
def test_spans_of_characters_in_units(text: str, unit: str, data: st.DataObject) -> None:
    counting = counted(text, unit)
    assert counting.size == len(slow.PIECES[unit](text))
    span = data.draw(spans_in(len(text)))
    characters = set(range(*span))
    assert converted(counting.from_chars, span) == slow.from_chars(text, unit, characters)
    assert converted(counting.passages_from_chars, span) == slow.passage_from_chars(text, unit, characters)


@given(texts, st.sampled_from(UNITS), st.data())
def test_spans_of_units_in_characters(text: str, unit: str, data: st.DataObject) -> None:
    counting = counted(text, unit)
    span = data.draw(spans_in(counting.size))
    assert converted(counting.to_chars, span) == slow.to_chars(text, unit, span)


@given(texts, st.data())
def test_there_and_back(text: str, data: st.DataObject) -> None:
    """Characters to bytes and UTF-16 and back; lines and tokens to any finer unit and back."""
    finer = {"chars": ("bytes", "utf16"), "lines": ("chars", "bytes", "utf16"), "tokens": ("chars", "bytes", "utf16")}
    unit = data.draw(st.sampled_from(sorted(finer)))
    through = data.draw(st.sampled_from(finer[unit]))
    one, other = counted(text, unit), counted(text, through)
    start, end = (np.array([edge]) for edge in data.draw(spans_in(one.size)))
    there = other.from_chars(*one.to_chars(start, end))
    back = one.from_chars(*other.to_chars(*there))
    assert [int(edge[0]) for edge in back] == [int(start[0]), int(end[0])]


@given(texts, st.sampled_from(UNITS), st.data())
def test_disjoint_spans_share_no_token(text: str, unit: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.lists(st.integers(0, len(text) + 5), min_size=3, max_size=3)))
    start, end = counted(text, unit).from_chars(np.array(edges[:2]), np.array(edges[1:]))
    assert end[0] <= start[1] or unit == "lines"
    assert (start <= end).all()


@given(texts, st.sampled_from(UNITS), st.integers(1, 30))
def test_past_the_end(text: str, unit: str, beyond: int) -> None:
    """What is past the end has a size, and is past the end in every unit."""
    counting = counted(text, unit)
    start, end = counting.from_chars(np.array([len(text)]), np.array([len(text) + beyond]))
    assert int(start[0]) == counting.size
    expected = -(-beyond * counting.size // len(text)) if text and counting.size else beyond
    assert int(end[0]) - counting.size == expected
    first, last = counting.to_chars(start, end)
    assert int(first[0]) == len(text)
    assert int(last[0]) > len(text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\rc\n", 3), ("\n\n", 2), ("\r\n", 1), ("\n\r", 2)],
)
def test_lines_end_at_any_line_end(text: str, lines: int) -> None:
    assert counting_of(text, "lines").size == lines
