"""Chunks and quotes of real texts, changed as pipelines and models change them: placed right, or reported.

A place is right if it has the same words as the original: its first and last letter or digit are at the same offsets. A
text that occurs several times may be placed at the only one of them that has no markup, where it is exactly the same.
"""

from __future__ import annotations

import csv
import json
import re
from bisect import bisect_left
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import partwise as pw

Span = tuple[int, int]
HEADER = "[Document: {doc_id}.md]"


def letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def core(text: str, span: Span) -> Span:
    """A span from its first to its last letter or digit."""
    inside = [at for at in range(*span) if text[at].isalnum()]
    return (inside[0], inside[-1] + 1) if inside else span


@pytest.fixture(scope="module")
def texts(chunking: Path) -> dict[str, str]:
    """The corpora; ``<unk>``, which one of them has for rare words, would be a tag."""
    paths = sorted((chunking / "corpora").glob("*.md"))
    return {path.stem: path.read_text(encoding="utf-8").replace("<unk>", "#unk#") for path in paths}


# ---- chunks -----------------------------------------------------------------------------------------------------

WORD = re.compile(r"\S+")


def chunks_of(text: str, random: Random) -> list[Span]:
    """Whole words, about 400 characters at a time; one chunk in four of longer texts."""
    words = [match.span() for match in WORD.finditer(text)]
    spans = []
    while words:
        size = next((i for i, word in enumerate(words) if word[1] - words[0][0] > 400), len(words))
        spans.append((words[0][0], words[max(size, 1) - 1][1]))
        words = words[max(size, 1) :]
    return spans if len(spans) < 200 else sorted(random.sample(spans, 200))


def marked_up(text: str, random: Random) -> tuple[str, list[int]]:
    """The text with Markdown and HTML in it, and the new offset of each of its characters."""
    around = (
        ("**", "**"), ("*", "*"), ("`", "`"), ("~~", "~~"), ("[", "](https://example.org/a_(b))"), ("<b>", "</b>"),
        ('<span class="x">', "</span>"), ("![", "](picture.png)"),
    )  # fmt: skip
    out: list[str] = []
    places: list[int] = []
    size = 0

    def add(piece: str) -> None:
        nonlocal size
        out.append(piece)
        size += len(piece)

    for piece in re.findall(r"\n|[^\S\n]+|\S+", text):
        if (not out or out[-1].endswith("\n")) and piece[0].isalpha():
            add(random.choice(("", "", "# ", "### ", "- ", "> ", "> - ")))
        before, after = random.choice(around) if piece.isalpha() and random.random() < 0.15 else ("", "")
        add(before)
        for character in piece:
            places.append(size)
            add("&amp;" if character == "&" else character)
        add(after)
    return "".join(out), [*places, size]


def spaced(text: str, random: Random) -> str:
    return re.sub(r"\s+", lambda _: random.choice((" ", "\n", "  ", "\t")), text)


CHANGES = {
    "whitespace": (spaced,),
    "case": (lambda text, random: random.choice((str.upper, str.lower, str.title))(text),),
    "everything": (spaced, lambda text, random: random.choice((str.upper, str.lower))(text)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("has_markup", [False, True])
@pytest.mark.parametrize("has_header", [False, True])
def test_changed_chunks(texts: dict[str, str], change: str, has_markup: bool, has_header: bool) -> None:
    random = Random(f"{change} {has_markup} {has_header}")
    documents, chunks, truth, offsets = {}, [], [], {}
    for doc_id, text in texts.items():
        documents[doc_id], offsets[doc_id] = text, list(range(len(text) + 1))
        if has_markup:
            documents[doc_id], offsets[doc_id] = marked_up(text, random)
        everything = letters(text)
        for span in chunks_of(text, random):
            chunk = text[slice(*span)]
            is_unique = everything.count(letters(chunk)) == 1
            for apply in CHANGES[change]:
                chunk = apply(chunk, random)
            header = HEADER.format(doc_id=doc_id) + "\n" if has_header else ""
            chunks.append((doc_id, header + chunk))
            truth.append((doc_id, core(text, span), is_unique))
    located = pw.locate(chunks, documents, match="markup", strip_prefix=HEADER if has_header else None)
    outcomes: Counter[tuple[bool, str]] = Counter()
    for (doc_id, span, is_unique), place in zip(truth, located, strict=True):
        how = "not placed"
        if place.start is not None and place.end is not None:
            original = [bisect_left(offsets[doc_id], at) for at in (place.start, place.end)]
            there = core(texts[doc_id], (original[0], original[1]))
            is_same = letters(texts[doc_id][slice(*there)]) == letters(texts[doc_id][slice(*span)])
            is_right = place.doc_id == doc_id and (there == span if is_unique else is_same)
            how = "right" if is_right else "wrong"
        outcomes[is_unique, how] += 1
    assert sum(outcomes.values()) > 600
    assert outcomes[True, "wrong"] == outcomes[False, "wrong"] == 0
    assert outcomes[True, "right"] >= 0.99 * (outcomes[True, "right"] + outcomes[True, "not placed"])
    assert outcomes[True, "right"] > 500


def test_chunks_with_markup_that_the_document_lacks(texts: dict[str, str]) -> None:
    random = Random(5)
    text = texts["state_of_the_union"]
    spans = [span for span in chunks_of(text, random) if letters(text).count(letters(text[slice(*span)])) == 1]
    located = pw.locate([marked_up(text[slice(*span)], random)[0] for span in spans], {"d": text}, match="markup")
    assert [core(text, (place.start or 0, place.end or 0)) for place in located] == [core(text, s) for s in spans]


# ---- quotes -----------------------------------------------------------------------------------------------------


def abridged(quote: str, words: list[Span], random: Random, _: str) -> tuple[str, Span]:
    first = random.randrange(1, len(words) - 1)
    last = min(len(words) - 1, first + random.randrange(1, 7))
    ellipsis = random.choice(("... ", "… ", "[...] ", "[…] "))
    return quote[: words[first][0]] + ellipsis + quote[words[last][0] :], (0, len(quote))


def without_a_word(quote: str, words: list[Span], random: Random, _: str) -> tuple[str, Span]:
    start, end = words[random.randrange(1, len(words) - 1)]
    return quote[:start] + quote[end:].lstrip(), (0, len(quote))


def with_another_word(quote: str, words: list[Span], random: Random, text: str) -> tuple[str, Span]:
    """With any word replaced by another of the document; a place has no word that is not in the text."""
    number = random.randrange(len(words))
    start, end = words[number]
    low = words[1][0] if number == 0 else 0
    high = words[-2][1] if number == len(words) - 1 else len(quote)
    return quote[:start] + random.choice(re.findall(r"\w+", text)) + quote[end:], (low, high)


def test_perturbed_quotes(texts: dict[str, str], chunking: Path) -> None:
    texts = {doc_id: text.replace("#unk#", "<unk>") for doc_id, text in texts.items()}
    with open(chunking / "questions_df.csv", newline="") as file:
        gold = {
            (row["corpus_id"], reference["start_index"], reference["end_index"])
            for row in csv.DictReader(file)
            for reference in json.loads(row["references"])
        }
    everything = {doc_id: letters(text) for doc_id, text in texts.items()}
    unique = [one for one in sorted(gold) if everything[one[0]].count(letters(texts[one[0]][one[1] : one[2]])) == 1]
    random = Random(18)
    quotes, truth, whole = [], [], []
    for number, (doc_id, start, end) in enumerate(random.sample(unique, 200)):
        quote = texts[doc_id][start:end]
        words = [match.span() for match in re.finditer(r"\S*\w\S*", quote)]
        perturb = (abridged, without_a_word, with_another_word)[number % 3]
        changed, (low, high) = perturb(quote, words, random, texts[doc_id])
        quotes.append((doc_id, changed))
        truth.append(core(texts[doc_id], (start + low, start + high)))
        whole.append(core(texts[doc_id], (start, end)))
    located = pw.locate(quotes, texts, match="fuzzy", min_score=0.9)
    right, wrong = 0, []
    for (doc_id, quote), true, all_of_it, place in zip(quotes, truth, whole, located, strict=True):
        if place.start is not None and place.end is not None:
            span = core(texts[doc_id], (place.start, place.end))
            if place.doc_id == doc_id and span in (true, all_of_it):
                right += 1
            else:
                wrong.append((quote, place, true))
            assert place.how != "fuzzy" or (place.score or 0) >= 0.9
    assert wrong == []
    assert right >= 190
    counts = located.counts
    assert counts["ambiguous"] + counts["missing"] == 200 - right
    assert counts["ellipsis"] > 60
    assert counts["fuzzy"] > 110
