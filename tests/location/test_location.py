"""Locating texts in documents: by hand, and equal to trying every span of the document."""

from __future__ import annotations

import unicodedata
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise import location
from partwise.location import Locations
from partwise.location.readings import normalised, squeezed
from partwise.location.search import Haystack, scanned

# ---- slow and obviously right -----------------------------------------------------------------------------------


def slow_fold(text: str) -> str:
    """The text that `normalised` compares, from its definition and Unicode's decomposition."""
    text = plain(unicodedata.normalize("NFKD", plain(text)))
    text = "".join(
        c for c in text if not c.isspace() and unicodedata.category(c) != "Cf" and not "\ufe00" <= c <= "\ufe0f"
    )
    text = "".join(c for i, c in enumerate(text) if c != "-" or text[i + 1 : i + 2].isdecimal())
    return unicodedata.normalize("NFD", text)


def plain(text: str) -> str:
    for simple, others in (("'", "‘’‚‛ʼ′`´"), ('"', "“”„‟″"), ("-", "‐‑‒–—―−⁃")):
        for other in others:
            text = text.replace(other, simple)
    return text


def slow_places(text: str, wanted: str) -> tuple[str | None, list[tuple[int, int]]]:
    """The strictest reading with a match, and every span of the document that matches in it."""
    every = [(start, end) for start in range(len(text)) for end in range(start + 1, len(text) + 1)]
    if not wanted.strip():
        return None, []
    exact = [span for span in every if text[slice(*span)] == wanted]
    if exact:
        return "exact", exact
    bare = "".join(wanted.split())
    found = [
        (start, end)
        for start, end in every
        if "".join(text[start:end].split()) == bare and not text[start].isspace() and not text[end - 1].isspace()
    ]
    if found:
        return "whitespace", found
    folded = slow_fold(wanted)
    found = [
        (start, end)
        for start, end in every
        if folded
        and slow_fold(text[start:end]) == folded
        and slow_fold(text[start + 1 : end]) != folded
        and slow_fold(text[start : end - 1]) != folded
        and (not slow_fold(text[:start]) or not begins_with_mark(text[start:]))
        and not begins_with_mark(text[end:])
    ]
    return ("normalised", found) if found else (None, [])


def begins_with_mark(text: str) -> bool:
    """Whether the next compared character is a mark of the letter before it."""
    folded = slow_fold(text)
    return bool(folded) and unicodedata.combining(folded[0]) > 0


def overlapping(text: str, wanted: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(wanted, at)]


# ---- by hand ----------------------------------------------------------------------------------------------------

HANDBOOK = (
    "Leave is\n  granted “on request” — see the em-\nployee hand­book, 10–20 days (−5 °C).\nLeave is granted twice."
)


@pytest.mark.parametrize(
    ("wanted", "how", "span"),
    [
        ("granted “on request”", "exact", "granted “on request”"),
        ("Leave is granted “on", "whitespace", "Leave is\n  granted “on"),
        ("is granted\ttwice.\n", "whitespace", "is granted twice."),
        ('granted "on request" - see', "normalised", "granted “on request” — see"),
        ("on request” -- see", "normalised", "on request” — see"),
        ("the employee handbook", "normalised", "the em-\nployee hand­book"),
        ("the em-ployee handbook", "normalised", "the em-\nployee hand­book"),
        ("10-20 days (-5 °C)", "normalised", "10–20 days (−5 °C)"),
        ("1020 days", "missing", None),
        ("Leave is", "ambiguous", None),
        ("leave is granted", "missing", None),
        ("", "missing", None),
        (" \n", "missing", None),
        ("—", "exact", "—"),
        ("−", "exact", "−"),
        ("―", "missing", None),
    ],
)
def test_by_hand(wanted: str, how: str, span: str | None) -> None:
    [found] = pw.locate([wanted], {"handbook": HANDBOOK})
    assert found.how == how
    assert found.doc_id == "handbook"
    if span is None:
        assert (found.start, found.end) == (None, None)
    else:
        assert HANDBOOK[found.start : found.end] == span
        assert found.places == [("handbook", found.start, found.end)]


def test_a_match_splits_neither_letters_and_marks_nor_ligatures() -> None:
    def how(wanted: str, text: str) -> str:
        return pw.locate([wanted], {"d": text})[0].how

    assert how("cafe ", "caf\u00e9") == "missing"
    assert how("cafe\u0301 ", "caf\u00e9") == "normalised"
    assert how("caf\u00e9", "cafe\u0301 noir") == "normalised"
    assert how("find me", "\ufb01nd me") == "normalised"
    assert how("nd  me", "\ufb01nd me") == "whitespace"
    assert how("ind me", "o\ufb03nd­ me") == "missing"
    assert how("é\u0316", "e\u0316\u0301") == "normalised"  # marks in the order of NFC and of NFD


def test_marks_without_a_letter_are_covered_whole() -> None:
    [found] = pw.locate(["\u0316\u0301x"], {"d": "\u0301\u0316x"})
    assert (found.how, found.start, found.end) == ("normalised", 0, 3)


def test_overlapping_places_count() -> None:
    [found] = pw.locate(["aa"], {"d": "aaa"})
    assert (found.how, found.count, found.places) == ("ambiguous", 2, [("d", 0, 2), ("d", 1, 3)])


def test_the_strictest_reading_decides() -> None:
    [found] = pw.locate(["a b"], {"d": "a  b, a b"})
    assert (found.how, found.start, found.count) == ("exact", 6, 1)


def test_texts_without_a_document_are_located_in_all() -> None:
    documents = {"a": "one two", "empty": "", "b": "two three", "c": "one  four"}
    found = pw.locate(["three", "two", "one two two three", "one four", ("b", "two"), ("a", "three")], documents)
    assert [item.how for item in found] == ["exact", "ambiguous", "missing", "whitespace", "exact", "missing"]
    assert [item.doc_id for item in found] == ["b", None, None, "c", "b", "a"]
    assert found[1].places == [("a", 4, 7), ("b", 0, 3)]
    assert found.counts == {"exact": 2, "whitespace": 1, "normalised": 0, "ambiguous": 1, "missing": 2}
    assert found.summary() == "6 texts: 2 exact, 1 whitespace, 1 ambiguous, 2 missing"
    assert not found.complete


def test_order_decides_only_if_requested() -> None:
    documents = {"d": "x. a. x. b. x. a."}
    chunks = [("d", text) for text in ("x.", "a.", "x.", "b.")]
    assert [item.how for item in pw.locate(chunks, documents)] == ["ambiguous", "ambiguous", "ambiguous", "exact"]
    assert [item.start for item in pw.locate(chunks, documents, in_order=True)] == [0, 3, 6, 9]
    loose = pw.locate([("d", "x."), ("d", "a.")], documents, in_order=True)
    assert [item.how for item in loose] == ["ambiguous", "ambiguous"]
    backwards = pw.locate([("d", "b."), ("d", "x."), ("d", "x.")], documents, in_order=True)
    assert [item.how for item in backwards] == ["exact", "ambiguous", "ambiguous"]
    gap = pw.locate([("d", "x."), ("d", "absent"), ("d", "a."), ("d", "b.")], documents, in_order=True)
    assert [item.start for item in gap] == [0, None, 3, 9]


# ---- random texts -----------------------------------------------------------------------------------------------

SMALL = st.text("ab ", max_size=14)
SPECIAL = st.text([*"ab1 \n-—“'\"", "é", "e", "\u0301", "\u0316", "\u00ad", "ﬁ", "f", "i", "½", "\u200b"], max_size=14)


@given(SPECIAL | SMALL, SPECIAL | SMALL)
def test_places_are_those_of_trying_every_span(text: str, wanted: str) -> None:
    same_as_slow(text, wanted)


@given(SPECIAL, st.randoms(use_true_random=False))
def test_places_of_disturbed_pieces_are_those_of_trying_every_span(text: str, random: Random) -> None:
    start, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
    same_as_slow(text, disturbed(text[start:end], random))


def same_as_slow(text: str, wanted: str) -> None:
    reading, spans = slow_places(text, wanted)
    [found] = pw.locate([wanted], {"d": text})
    assert [(place.start, place.end) for place in found.places] == spans
    assert found.count == len(spans)
    assert found.reading == reading
    assert found.how == ("missing" if not spans else "ambiguous" if len(spans) > 1 else reading)


def disturbed(text: str, random: Random) -> str:
    """The text as another tool may write it: the same words with other blanks, quotes, dashes and compositions."""
    out = []
    for character in unicodedata.normalize(random.choice(("NFC", "NFD", "NFKC", "NFKD")), text):
        if character == " ":
            out.append(random.choice((" ", "\n", "\u00a0 ", "  ")))
        elif character in "—-":
            out.append(random.choice("—-–"))
        elif character in "“\"'":
            out.append({"“": '"', '"': "”", "'": "’"}[character])
        else:
            out.append(character + random.choice(("", "", "\u00ad")))
    return "".join(out)


WORDS = [
    "Die",
    "naïve",
    "café",
    "ﬁnal",
    "10–20",
    "“quoted”",
    "em-\ndash",
    "co-operate",
    "½",
    "—",
    "x²",
    "日本語",
    "don’t",
]


@given(st.lists(st.sampled_from(WORDS), min_size=30, max_size=120), st.randoms(use_true_random=False))
def test_a_disturbed_chunk_is_located(words: list[str], random: Random) -> None:
    """Whole words, written differently, are located: every match reads the same, and one is where they come from."""
    text, starts = "", []
    for number, word in enumerate(words):
        starts.append(len(text))
        text += f"{word}{number % 7} "
    first, last = sorted(random.randrange(len(words)) for _ in range(2))
    end = starts[last] + len(words[last])
    chunk = text[starts[first] : end]
    [found] = pw.locate([disturbed(chunk, random)], {"d": text})
    assert found.count >= 1
    folded = normalised(chunk).text
    assert all(normalised(text[start:stop]).text == folded for _, start, stop in found.places)
    if folded.strip("-"):
        assert any(start >= starts[first] and stop <= end for _, start, stop in found.places)


@given(st.text(max_size=40))
def test_readings_follow_their_definitions(text: str) -> None:
    bare, folded = squeezed(text), normalised(text)
    assert bare.text == "".join(text.split())
    assert bare.first is not None
    assert bare.text == "".join(text[place] for place in bare.first)
    assert folded.text == slow_fold(text)


def test_white_space_is_that_of_python() -> None:
    """Also beyond the characters of the table, and for texts long enough for the other way of counting."""
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    assert squeezed(everything).text == "".join(everything.split())
    place = squeezed(everything).first
    assert place is not None
    assert not any(everything[at].isspace() for at in place)
    assert normalised(everything[:9000] * 2).text == slow_fold(everything[:9000] * 2)


@given(st.text("ab", max_size=60), st.text("ab", min_size=1, max_size=12))
def test_scanning_finds_overlapping_places(text: str, wanted: str) -> None:
    assert scanned(text, wanted).tolist() == overlapping(text, wanted)


@given(st.text("ab", min_size=1, max_size=5), st.integers(1, 30), st.text("ab", max_size=4), st.integers(1, 30))
def test_scanning_follows_periods(period: str, times: int, between: str, size: int) -> None:
    text = period * times + between + period * times
    wanted = (period * 30)[:size]
    assert scanned(text, wanted).tolist() == overlapping(text, wanted)


@given(st.integers(), st.sampled_from(["ab", "abcdefgh ", "a"]), st.integers(1, 120))
def test_the_index_finds_what_scanning_finds(seed: int, letters: str, size: int) -> None:
    random = Random(seed)
    piece = "".join(random.choices(letters, k=300))
    text = "".join(
        random.choice((piece, piece[::-1], "-" * 80, "".join(random.choices(letters, k=99)))) for _ in range(12)
    )
    at = random.randrange(len(text) - size)
    wanted = text[at : at + size]
    if random.random() < 0.3:
        wanted = wanted[:-1] + "!"
    found = Haystack(text).places(wanted).tolist()
    assert found == overlapping(text, wanted)


def test_many_places_take_linear_time() -> None:
    """A long text of one character matches almost everywhere; comparing at each offset would take forever."""
    [found] = pw.locate(["-" * 1_000_000], {"d": "-" * 3_000_000})
    assert found.count == 2_000_001


def test_unknown_documents_and_bad_chunks_are_errors() -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.locate([("a", "x"), ("b", "x")], {"a": "x"})
    assert str(error.value) == "chunks, row 2: document 'b' is not among the documents; the first is 'a'"
    with pytest.raises(pw.PartwiseError) as error:
        pw.locate([3], {"a": "x"})
    assert str(error.value) == "chunks, row 1: is of type int; give a text, (doc_id, text) or a dict with text"
    with pytest.raises(pw.PartwiseError) as error:
        pw.locate("one text", {"a": "x"})
    assert str(error.value) == "the chunks are of type str; give a list of them"
    with pytest.raises(pw.PartwiseError) as error:
        pw.locate(["x"], {"a": 3})
    assert str(error.value) == "document a is of type int; give its text"


def test_order_decides_like_trying_all() -> None:
    random = Random(7)
    for _ in range(300):
        text = "".join(random.choices("ab", k=random.randrange(1, 9)))
        chunks = ["".join(random.choices("ab", k=random.randrange(1, 3))) for _ in range(random.randrange(1, 5))]
        places = [overlapping(text, chunk) for chunk in chunks]
        present = [row for row, matches in enumerate(places) if matches]
        orders = [()]  # type: list[tuple[int, ...]]
        for row in present:
            orders = [(*order, at) for order in orders for at in places[row] if not order or at > order[-1]]
        found = pw.locate([("d", chunk) for chunk in chunks], {"d": text}, in_order=True)
        for number, row in enumerate(present):
            possible = {order[number] for order in orders} if orders else set(places[row])
            assert found[row].found == (len(possible) == 1)
            if len(possible) == 1:
                assert {found[row].start} == possible


def test_results_are_public() -> None:
    found = pw.locate(["x"], {"a": "x"})
    assert isinstance(found, Locations)
    assert isinstance(found[0], location.Located)
    assert np.issubdtype(type(found[0].start), int)
