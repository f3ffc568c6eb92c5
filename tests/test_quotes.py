"""Quoted texts at their offsets, and the reasons why they are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.quotes import Quote, matches, misplaced

CRLF = "One two.\r\nThree four.\r\nFive six.\r\n"
LF = CRLF.replace("\r\n", "\n")


def quote(text: str, counted: str, part: str) -> Quote:
    """A quote whose offsets were counted in another form of the document."""
    start = counted.index(part)
    return Quote("d", start, start + len(part), text)


def lines(quotes: list[Quote], text: str, unit: str = "chars") -> list[str]:
    return [
        f"{one.number}: {one.message.problem}; {one.message.remedy}" for one in misplaced(quotes, {"d": text}, unit)
    ]


def test_quotes_at_their_offsets() -> None:
    assert lines([quote("two", CRLF, "two"), Quote("gone", 0, 3, "abc")], CRLF) == []
    assert lines([Quote("d", 4, 19, "two.  Three  four"[:17])], "One two. Three four.") == []


def test_other_line_ends() -> None:
    quotes = [quote(part, LF, part) for part in ("One", "Three", "Five")]
    why = (
        r"offsets were counted with one character for each line end, but the documents have \r\n: all 3 texts are at "
        r"their offsets if \r\n counts as one; save the documents with \n, or count offsets in the files as they are "
        "(open(..., newline=''))"
    )
    assert lines(quotes, CRLF) == [
        f"1: the text 'Three' is not at 9 to 14 of document d, where '\\nThre' is; {why}",
        f"2: the text 'Five' is not at 21 to 25 of document d, where '\\r\\nFi' is; {why}",
    ]
    quotes = [quote(part, CRLF, part) for part in ("One", "Three", "Five")]
    assert lines(quotes, LF)[0] == (
        "1: the text 'Three' is not at 10 to 15 of document d, where 'hree ' is; offsets were counted with \\r\\n at "
        "line ends, but the documents have \\n: all 3 texts are at their offsets if \\n counts as two; save the "
        "documents with \\r\\n, or count offsets in the files as they are"
    )


def test_units() -> None:
    text = "A 😀 é is here."
    utf16, utf8 = Quote("d", 7, 9, "is"), Quote("d", 10, 12, "is")
    assert lines([utf16], text) == [
        "0: the text 'is' is not at 7 to 9 of document d, where 's ' is; offsets count UTF-16 units, as in JavaScript "
        "and Java: the text is at its offsets in these; convert them to characters (code points)"
    ]
    assert lines([utf8], text) == [
        "0: the text 'is' is not at 10 to 12 of document d, where 'er' is; offsets count UTF-8 bytes: the text is at "
        "its offsets in these; give --unit bytes (unit='bytes')"
    ]
    assert lines([utf8], text, "bytes") == []
    assert lines([Quote("d", 6, 8, "is")], text, "bytes")[0].endswith(
        "offsets count characters: the text is at its offsets in these; leave out --unit bytes (unit='bytes')"
    )


def test_a_byte_order_mark() -> None:
    assert lines([Quote("d", 0, 3, "One")], "\ufeffOne two") == [
        "0: the text 'One' is not at 0 to 3 of document d, where '\\ufeffOn' is; offsets were counted without the byte "
        "order mark at the start of the document: the text is at its offsets after it; save the documents without it, "
        "or add 1 to the offsets"
    ]


def test_without_a_reason() -> None:
    assert lines([Quote("d", 0, 3, "two"), Quote("d", 5, 30, "six"), Quote("d", 0, 2, "gone")], "One two six") == [
        "0: the text 'two' is not at 0 to 3 of document d, where 'One' is; its only place there is 4 to 7",
        "1: the text 'six' is not at 5 to 30 of document d, which ends at 11; its only place there is 8 to 11",
        "2: the text 'gone' is not at 0 to 2 of document d, where 'On' is; give the offsets of the text in this "
        "document",
    ]


@pytest.mark.parametrize(
    ("there", "text", "same"),
    [
        ("two", "two", True),
        ("two\nthree", "two  three", True),
        ("ﬁnd “it”", 'find "it"', True),
        (" two", "two", False),
        ("two ", "two", False),
        ("Two", "two", False),
        ("", "", True),
        ("", "x", False),
    ],
)
def test_what_counts_as_the_same(there: str, text: str, same: bool) -> None:
    assert matches(there, text) is same


@given(st.text(st.sampled_from("ab😀é \r\n"), max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_every_text_is_at_its_own_offsets(text: str, first: int, second: int) -> None:
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    part = text[start:end]
    assert misplaced([Quote("d", start, end, part)], {"d": text}) == []
    before, inside = text[:start].encode(), part.encode()
    in_bytes = Quote("d", len(before), len(before) + len(inside), part)
    assert misplaced([in_bytes], {"d": text}, "bytes") == []
