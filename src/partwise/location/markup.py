"""Markdown and HTML markup, left out of a text so that its words are compared with text that has none.

What is markup is decided by patterns and not by a parser, because a chunk may start and end anywhere. Signs that only
mark up, such as asterisks, are left out of both the chunk and the document, so that it does not matter whether they
were markup there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import numpy as np

from partwise.location.readings import Form, Reading, casefolded, codes_of, text_of
from partwise.model import Ints

_SIGNS = re.compile(r"[*_`|\[\]]|~~|!(?=\[)|\\(?=[!-/:-@\[-`{-~])|(?<!\S)[-+•–—](?!\S)")
"""Signs that are left out wherever they are: emphasis, code, tables, brackets of links, escapes, bullets."""
_ADDRESSES = re.compile(r"\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,4}\)")
"""The address of a link or image, from the bracket after its text."""
_TAGS = re.compile(
    r"<(?!(?:[A-Za-z][A-Za-z0-9+.-]{0,60}://|mailto:))/?[A-Za-z][^\s<>/]{0,200}(?:[\s/][^<>]*)?>"
    r"|<![A-Za-z\[][^<>]*>|<\?[^<>]*>"
)
_AUTOLINKS = re.compile(r"(<)(?:[A-Za-z][A-Za-z0-9+.-]{0,60}://|mailto:)[^<>\s]*(>)")
"""Addresses that are their own text, of which the brackets are left out."""
_LINES = re.compile(
    r"^[ \t]*[|:=+*_~-][|:=+*_~ \t-]+$"  # underlines, rules, the second row of tables
    r"|^[ \t>]*\#{1,6}(?=[ \t]|$)|[ \t]\#+[ \t]*$"  # headings
    r"|^[ \t]*>[> \t]*",  # quotes
    re.MULTILINE,
)
_RENDERED = re.compile(
    r"^[ \t>]*\d{1,9}[.)](?=[ \t])"  # numbers of lists
    r"|^[ \t>]*[-+*][ \t]+\[[ xX]\](?=[ \t])"  # boxes of tasks
    r"|^[ \t>]*(?:`{3,}|~{3,})[^\n`]*$"  # fences with the name of a language
    r"|^ {0,3}\[[^\]\n]{1,200}\]:[ \t]+\S[^\n]*$"  # addresses of links by name
    r"|!\[[^\[\]\n]{0,1000}\](?=\()"  # the words for an image
    r"|(?<=\])\[[^\[\]\n]{0,200}\]|\[\^[^\[\]\n]{1,200}\]",  # names of links, footnotes
    re.MULTILINE,
)
_ENTITIES = re.compile(r"&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_INVISIBLE = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"))

Span = tuple[int, int]


def _elements(text: str) -> Iterator[Span]:
    """Comments, scripts and style sheets, with their contents; one without an end is text."""
    low = text.lower() if len(text.lower()) == len(text) else text
    for opening, closing in _INVISIBLE:
        at = low.find(opening)
        while at >= 0 and (end := low.find(closing, at)) >= 0:
            yield at, end + len(closing)
            at = low.find(opening, end)


def _spans(matches: Iterable[re.Match[str]]) -> Iterator[Span]:
    return (match.span() for match in matches)


def signs_left_out(text: str) -> Reading:
    """A text that has no markup, without the signs that are left out of documents wherever they are."""
    return _without(text, _spans(_SIGNS.finditer(text)), entities=False)


def source_left_out(text: str) -> Reading:
    """A text without its markup, but with numbers of lists, names of links, and words for images."""
    return _without(text, _markup(text), entities=True)


def rendered(text: str) -> Reading:
    """A text as a browser shows it: without these either."""
    return _without(text, chain(_spans(_RENDERED.finditer(text)), _markup(text)), entities=True)


def _markup(text: str) -> Iterator[Span]:
    brackets = (match.span(group) for match in _AUTOLINKS.finditer(text) for group in (1, 2))
    signs = (_ADDRESSES.finditer(text), _TAGS.finditer(text), _LINES.finditer(text), _SIGNS.finditer(text))
    return chain(_elements(text), brackets, *map(_spans, signs))


def _without(text: str, spans: Iterator[Span], entities: bool) -> Reading:
    """The text without these spans, and with characters in place of entities such as ``&amp;``."""
    kept = np.ones(len(text), np.bool_)
    for start, end in spans:
        kept[start:end] = False
    codes = codes_of(text).copy()
    first: Ints = np.arange(len(text))
    last = first.copy()
    for match in _ENTITIES.finditer(text) if entities else ():
        start, end = match.span()
        characters = html.unescape(match.group())
        if characters == match.group() or len(characters) > end - start or not kept[start:end].all():
            continue
        stop = start + len(characters)
        codes[start:stop] = codes_of(characters)
        first[start:stop], last[start:stop] = start, end - 1
        kept[stop:end] = False
    return Reading(text_of(codes[kept]), first[kept], last[kept])


def _folded(strip: Callable[[str], Reading]) -> Callable[[str], Reading]:
    """The stripped text in case-folded characters, with offsets into the text before it was stripped."""

    def read(text: str) -> Reading:
        stripped = strip(text)
        folded = casefolded(stripped.text)
        if stripped.first is None or stripped.last is None or folded.first is None or folded.last is None:
            return folded
        return Reading(folded.text, stripped.first[folded.first], stripped.last[folded.last], folded.edge)

    return read


_OF_TEXTS = (_folded(signs_left_out), _folded(source_left_out))
FORMS = tuple(Form(_folded(strip), _OF_TEXTS) for strip in (source_left_out, rendered))
"""A text may have no markup or have its own; a document is read as it is written, and as it is shown."""
