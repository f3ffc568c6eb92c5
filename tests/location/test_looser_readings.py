"""Readings beyond normalised characters: case, markup, ellipsis, similarity; and prefixes of chunks."""

from __future__ import annotations

import builtins
import itertools
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.location import ellipsis, prefixes
from partwise.location.readings import casefolded
from partwise.types import MATCHES, Match

GUIDE = (
    "# Leave *policy*\n\nSee the [handbook](https://example.org/a_(b).html) &amp; ask <b>your</b> manager.\n\n"
    "1. Unused leave lapses in `March`.\n2. Overtime is paid.\n\n| day | pay |\n|:---|---:|\n| Sunday | double |\n"
)


@pytest.mark.parametrize(
    ("text", "how", "span"),
    [
        ("OVERTIME is paid", "casefolded", "Overtime is paid"),
        ("Leave policy", "markup", "Leave *policy"),
        ("See the handbook & ask your manager.", "markup",
         "See the [handbook](https://example.org/a_(b).html) &amp; ask <b>your</b> manager."),
        ("& ASK", "markup", "&amp; ask"),
        ("lapses in March. Overtime is paid.", "markup", "lapses in `March`.\n2. Overtime is paid."),
        ("lapses in March. 2. Overtime is paid.", "markup", "lapses in `March`.\n2. Overtime is paid."),
        ("day pay Sunday double", "markup", "day | pay |\n|:---|---:|\n| Sunday | double"),
        ("Overtime **is** <i>paid</i>", "markup", "Overtime is paid"),
        ("Unused leave ... Overtime is paid", "ellipsis", "Unused leave lapses in `March`.\n2. Overtime is paid"),
        ("[…] Overtime is paid. …", "ellipsis", "Overtime is paid."),
        ("Unused annual leave lapses in March", "fuzzy", "Unused leave lapses in `March"),
        ("Nothing of this kind is in the document", "missing", None),
    ],
)  # fmt: skip
def test_by_hand(text: str, how: str, span: str | None) -> None:
    [found] = pw.locate([text], {"guide": GUIDE}, match="fuzzy", min_score=0.8)
    assert found.how == how
    assert (None if found.start is None else GUIDE[found.start : found.end]) == span
    assert (found.score is not None) == (how == "fuzzy")
    if how in MATCHES and how != "exact":
        stricter = MATCHES[MATCHES.index(how) - 1]
        assert pw.locate([text], {"guide": GUIDE}, match=stricter)[0].how in ("missing", "ambiguous")


def test_the_default_is_normalised_characters() -> None:
    assert pw.locate(["overtime"], {"guide": GUIDE})[0].how == "missing"
    assert list(pw.locate([], {}).counts) == ["exact", "whitespace", "normalised", "ambiguous", "missing"]
    assert list(pw.locate([], {}, match="fuzzy").counts) == [*MATCHES, "ambiguous", "missing"]


# ---- case and markup --------------------------------------------------------------------------------------------


@given(st.text(max_size=30))
def test_case_folding_is_that_of_every_character(text: str) -> None:
    """Folding what is folded changes nothing, and upper case makes no difference where Unicode's folding makes none."""
    folded = casefolded(text).text
    assert casefolded(folded).text == folded
    if text.upper().casefold() == text.casefold() and text.isascii():
        assert casefolded(text.upper()).text == folded
    assert "strasse" in casefolded(f"{text} STRASSE").text
    assert "strasse" in casefolded(f"{text} Straße").text


WRAPPED = ("{}", "**{}**", "_{}_", "`{}`", "<em>{}</em>", "[{}](http://x.y/z)", '<a href="u">{}</a>', "~~{}~~")


@given(st.lists(st.tuples(st.sampled_from(WRAPPED), st.integers(0, 40)), min_size=3, max_size=25), st.data())
def test_words_are_found_within_markup(words: list[tuple[str, int]], data: st.DataObject) -> None:
    """A stretch of words is found from its first to its last character, whatever markup is between them."""
    text, spans = "", []
    for position, (wrapping, number) in enumerate(words):
        word = f"w{position}x{number}"
        at = len(text) + wrapping.index("{}")
        spans.append((at, at + len(word)))
        text += wrapping.format(word) + data.draw(st.sampled_from((" ", "\n", "\n\n> ", "\n- ", "\n\n## ")))
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    chunk = " ".join(text[slice(*span)].upper() for span in spans[first : last + 1])
    [found] = pw.locate([chunk], {"d": text}, match="markup")
    assert (spans[first][0], spans[last][1]) in [(place.start, place.end) for place in found.places]


# ---- ellipsis ---------------------------------------------------------------------------------------------------


def slow_chains(matches: list[list[tuple[int, int]]], reach: float) -> list[tuple[tuple[int, int], ...]]:
    """Every way to choose a match of each piece, one after another and at most `reach` apart."""
    return [
        chain
        for chain in itertools.product(*matches)
        if all(0 <= after[0] - before[1] <= reach for before, after in itertools.pairwise(chain))
    ]


@given(st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=5, unique=True), min_size=1, max_size=4))
def test_places_are_those_of_trying_all_chains(starts: list[list[int]]) -> None:
    """With a unit of 50 characters, so that some pieces are near and some are far."""
    matches = [[(at * 50, at * 50 + 30) for at in sorted(of_piece)] for of_piece in starts]
    chains = slow_chains(matches, ellipsis.NEAR) or slow_chains(matches, float("inf"))
    edges = [(pw_array([m[0] for m in of_piece]), pw_array([m[1] for m in of_piece])) for of_piece in matches]
    found = [spans for _, spans in ellipsis.places({0: edges})]
    outer = {(chain[0][0], chain[-1][1]) for chain in chains}
    assert {(spans[0][0], spans[-1][1]) for spans in found} <= outer
    assert bool(found) == bool(chains)
    if len(found) == 1 and len(outer) > 1:  # one leaves out far less than all others
        sizes = sorted({end - start for start, end in outer})
        assert found[0][-1][1] - found[0][0][0] == sizes[0]
    if len(found) > 1:
        assert {spans[0][0] for spans in found} == {chain[0][0] for chain in chains}
        assert {spans[-1][1] for spans in found} == {chain[-1][1] for chain in chains}


def pw_array(values: list[int]) -> Any:
    import numpy as np

    return np.array(values, np.int64)


LONG = "Leave is granted on request. " + "Filler text without end. " * 30 + "Overtime is paid double."


def test_pieces_that_are_far_apart_are_spans_of_one_result(tmp_path: Any) -> None:
    text = "Leave is granted [...] Overtime is paid double."
    [found] = pw.locate([text], {"d": LONG}, match="ellipsis")
    assert [(place.start, place.end) for place in found.spans] == [(0, 16), (len(LONG) - 24, len(LONG))]
    rows = pw.locate_rows([{"query_id": "q", "rank": 1, "doc_id": "d", "text": text}], {"d": LONG}, match="ellipsis")
    for suffix in ("jsonl", "csv", "parquet"):
        rows.write(tmp_path / f"run.{suffix}")
        [run] = pw.read_runs(tmp_path / f"run.{suffix}")
        assert run.start.tolist() == [0, len(LONG) - 24]
        assert run.span_offsets.tolist() == [0, 2]
    gold = pw.spans([{"query_id": "q", "doc_id": "d", "text": text}], {"d": LONG}, match="ellipsis")
    assert pw.evaluate(gold, tmp_path / "run.jsonl", "TextR TextP").mean() == {"run": {"TextR": 1.0, "TextP": 1.0}}
    in_bytes = pw.spans(
        [{"query_id": "q", "doc_id": "d", "text": text}], {"d": "é" + LONG}, match="ellipsis", unit="bytes"
    )
    assert in_bytes.spans.start.tolist() == [2, len(LONG) - 22]


def test_repeated_pieces_are_ambiguous() -> None:
    text = "The first clause begins. It ends here. It ends here. The first clause begins again."
    [found] = pw.locate(["The first clause ... It ends here."], {"d": text}, match="ellipsis")
    assert (found.how, found.reading, found.count) == ("ambiguous", "ellipsis", 2)
    [found] = pw.locate(["A ... B"], {"d": "A and B"}, match="ellipsis")
    assert found.how == "missing"  # too little text


# ---- similarity -------------------------------------------------------------------------------------------------

RULES = (
    "In 2016 the company granted forty days of leave to every employee who asked for it. "
    "In 2017 the company granted fifty days of leave to every employee who asked for it. "
    "Overtime on Sundays and public holidays is paid double after the third hour."
)


def test_a_changed_word_does_not_decide_between_places_that_differ_in_it() -> None:
    text = "the company granted ninety days of leave to every employee who asked for it"
    [found] = pw.locate([text], {"d": RULES}, match="fuzzy", min_score=0.8)
    assert (found.how, found.reading, found.count) == ("ambiguous", "fuzzy", 2)
    [found] = pw.locate([f"In 2017 {text}"], {"d": RULES}, match="fuzzy", min_score=0.8)
    assert (found.how, RULES[found.start : found.start + 7]) == ("fuzzy", "In 2017")  # type: ignore[operator]


def test_nothing_below_the_lowest_score_is_accepted() -> None:
    text = "Overtime on Sundays and holidays is paid twofold after the third hour."
    [found] = pw.locate([text], {"d": RULES}, match="fuzzy", min_score=0.8)
    assert found.how == "fuzzy"
    assert found.score is not None
    below = round(found.score + 0.01, 2)
    assert pw.locate([text], {"d": RULES}, match="fuzzy", min_score=below)[0].how == "missing"


@given(st.integers(0, 10_000))
def test_the_score_is_the_share_of_common_characters(seed: int) -> None:
    """It is that of the longest common subsequence, and the place is inside a word nowhere."""
    random = Random(seed)
    vocabulary = ["".join(random.choices("abcdefgh", k=random.randrange(2, 9))) for _ in range(60)]
    words = random.choices(vocabulary, k=80)
    first = random.randrange(60)
    changed = words[first : first + 15]
    changed[random.randrange(15)] = "zzzz"
    text, chunk = " ".join(words), " ".join(changed)
    [found] = pw.locate([chunk], {"d": text}, match="fuzzy", min_score=0.7)
    if found.score is None or found.start is None or found.end is None:
        return
    m, n = chunk.replace(" ", ""), text[found.start : found.end].replace(" ", "")
    assert found.score == pytest.approx(2 * common(m, n) / (len(m) + len(n)))
    assert found.score >= 0.7
    assert f" {text} "[found.start] == " "
    assert f" {text} "[found.end + 1] == " "


def common(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(row[j + 1], new[-1]))
        row = new
    return row[-1]


def test_similar_texts_of_other_documents() -> None:
    documents = {"a": "Nothing here.", "b": RULES}
    [found] = pw.locate(["Overtime on Sundays and public holidays is remunerated double"], documents,
                        match="fuzzy", min_score=0.75)  # fmt: skip
    assert (found.doc_id, found.how) == ("b", "fuzzy")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"match": "loose"}, f"match is 'loose'; it must be one of {', '.join(MATCHES)}"),
        ({"match": "fuzzy", "min_score": 0.2}, "the min_score is '0.2'; it must be a number from 0.5 to 1"),
        ({"match": "fuzzy", "min_score": True}, "the min_score is 'True'; it must be a number from 0.5 to 1"),
        ({"min_score": 0.9},
         "min_score is of no use with the match normalised, which has no scores; leave it out, or choose fuzzy"),
        ({"strip_prefix": [" "]}, "the prefix is ' '; give the text before the chunks, such as '[Document: {any}]'"),
    ],
)  # fmt: skip
def test_bad_choices(options: dict[str, Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.locate(["x"], {"d": "x"}, **options)
    assert str(error.value) == line


def test_without_rapidfuzz(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("rapidfuzz"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert pw.locate(["x"], {"d": "x"}, match="ellipsis")[0].how == "exact"
    with pytest.raises(pw.PartwiseError) as error:
        pw.locate(["x"], {"d": "x"}, match="fuzzy")
    assert str(error.value) == (
        "fuzzy matching needs rapidfuzz, which is not installed; run pip install 'partwise[fuzzy]'"
    )


# ---- prefixes ---------------------------------------------------------------------------------------------------

SENTENCES = [f"Sentence {number} is about item {number * 7}." for number in range(12)]
TEXTS = {"guide": " ".join(SENTENCES[:6]), "manual": " ".join(SENTENCES[6:])}


@pytest.mark.parametrize(
    ("header", "offered"),
    [
        ("[Document: {doc_id}.md]\n", "[Document: {doc_id}.md]"),
        ("Title: The book\n---\n", "Title: The book ---"),
        ("passage: ", "passage:"),
        ("[Document: {doc_id}, page {page}] ", "[Document: {doc_id}, page{any}]"),
        ("", None),
    ],
)
def test_prefixes_are_offered_and_removed(header: str, offered: str | None) -> None:
    chunks = [
        {"query_id": "q", "doc_id": doc_id, "text": header.format(doc_id=doc_id, page=number) + sentence}
        for number, sentence in enumerate(SENTENCES)
        for doc_id in [("guide", "manual")[number // 6]]
    ]
    rows = pw.locate_rows(chunks, TEXTS)
    if offered is None:
        assert rows.notes == []
        return
    [note] = rows.notes
    assert note == (
        f"12 of 12 texts begin with '{offered}', and 12 would be found in the documents without it; pass "
        f"--strip-prefix '{offered}' (strip_prefix= or, to an adapter, text= in Python)"
    )
    assert rows.locations.counts["missing"] == 12  # offered, not applied
    again = pw.locate_rows(chunks, TEXTS, strip_prefix=offered)
    assert again.notes == []
    assert again.locations.complete


def test_prefixes_of_one_document() -> None:
    pairs = [("guide", f"[guide] {sentence}") for sentence in SENTENCES[:6]] + [("manual", s) for s in SENTENCES[6:]]
    chunks = [{"query_id": "q", "doc_id": doc_id, "text": text} for doc_id, text in pairs]
    [note] = pw.locate_rows(chunks, TEXTS, match="fuzzy").notes
    assert note.startswith("6 of 6 texts of document guide begin with '[{doc_id}]', and 6 would be found without it")


def test_a_prefix_is_removed_once_and_only_where_it_is() -> None:
    assert prefixes.stripped("p: p: x", None, ["p:"]) == "p: x"
    assert prefixes.stripped("x p: y", None, ["p:"]) == "x p: y"
    assert prefixes.stripped("Title: a book\ntext", None, ["Title: {any}"]) == "text"
    assert prefixes.stripped("[a.b] text", "a+b", ["[{doc_id}]"]) == "[a.b] text"


# ---- adapters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("match", ["casefolded", "fuzzy"])
def test_adapters_have_the_same_choices(match: Match) -> None:
    from types import SimpleNamespace

    from partwise.adapters import langchain, llamaindex, strings

    text = "OVERTIME ON SUNDAYS AND PUBLIC HOLIDAYS IS PAID DOUBLE"
    if match == "fuzzy":
        text = text.replace("PAID", "GRANTED")
    score = 0.8 if match == "fuzzy" else None
    chunk = SimpleNamespace(page_content=text, metadata={"source": "d"})
    node = SimpleNamespace(text=text, node_id="n", ref_doc_id="d", metadata={})
    for run in (
        strings.run({"q": [("d", text)]}, {"d": RULES}, match=match, min_score=score),
        langchain.run({"q": [chunk]}, {"d": RULES}, match=match, min_score=score),
        llamaindex.run({"q": [node]}, {"d": RULES}, match=match, min_score=score),
    ):
        assert run.placing is not None
        assert run.placing.counts == {match: 1}
        assert RULES[int(run.start[0]) : int(run.end[0])].startswith("Overtime on Sundays")
        assert (run.placing.scores is not None) == (match == "fuzzy")
        assert list(run.notes) == (
            ["1 of 1 chunks is only similar to its place (first: query q, rank 1, document d); the column how_score "
             "has the similarity"] if match == "fuzzy" else []
        )  # fmt: skip


def test_adapters_offer_a_remedy_for_prefixes() -> None:
    from partwise.adapters import strings

    run = strings.run({"q": [("guide", f"Header: {sentence}") for sentence in SENTENCES[:6]]}, TEXTS)
    assert [note for note in run.notes if "'Header:'" in note and "text= in Python" in note]
