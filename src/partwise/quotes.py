"""Checks that quoted texts are at their offsets in documents, and finds out why if they are not.

If all quotes of a source are at their offsets when these are counted in another way, that is reported as the reason:
line ends of one character instead of two (or the reverse), UTF-16 units, UTF-8 bytes, a byte order mark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partwise.counting import counting_of
from partwise.errors import shown
from partwise.formats.cells import line_in, natural_in
from partwise.location import Finder, normalised
from partwise.messages import Message, Text, adapters
from partwise.model import Source
from partwise.units import LINES

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer


class Quote(NamedTuple):
    """A text and where it is said to be."""

    doc_id: str
    start: int
    end: int
    text: str


class Misplaced(NamedTuple):
    """A quote that is not at its offsets, by its number, and the message about it."""

    number: int
    message: Text


def matches(there: str, text: str) -> bool:
    """Whether the text at some offsets is a quoted text, perhaps with other white space or characters inside it."""
    if there == text:
        return True
    if there[:1].isspace() != text[:1].isspace() or there[-1:].isspace() != text[-1:].isspace():
        return False
    return bool(there.strip()) and normalised(there).text == normalised(text).text


# ---- ways to count offsets ------------------------------------------------------------------------------------


class _Counted:
    """The text of a document, sliced by offsets that count in some way."""

    def __init__(self, text: str) -> None:
        self.text = text

    def slice(self, start: int, end: int) -> str:
        return self.text[start:end]

    @property
    def size(self) -> int:
        return len(self.text)


class _Encoded:
    def __init__(self, text: str, encoding: str, width: int) -> None:
        self.data, self.encoding, self.width = text.encode(encoding, "surrogatepass"), encoding, width

    def slice(self, start: int, end: int) -> str:
        return self.data[start * self.width : end * self.width].decode(self.encoding, "replace")

    @property
    def size(self) -> int:
        return len(self.data) // self.width


class _Pieces:
    """The text of a document, sliced by lines or tokens."""

    def __init__(self, text: str, unit: str, tokenizer: Tokenizer | None) -> None:
        self.text = text
        self.counting = counting_of(text, unit, tokenizer)

    def slice(self, start: int, end: int) -> str:
        first, last = self.counting.to_chars(np.array([start]), np.array([end]))
        return self.text[int(first[0]) : int(last[0])]

    @property
    def size(self) -> int:
        return self.counting.size


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n")


_COUNTS: dict[str, Callable[[str], _Counted | _Encoded]] = {
    "chars": _Counted,
    "lf": lambda text: _Counted(_lf(text)),
    "crlf": lambda text: _Counted(_lf(text).replace("\n", "\r\n")),
    "utf16": lambda text: _Encoded(text, "utf-16-le", 2),
    "bytes": lambda text: _Encoded(text, "utf-8", 1),
    "mark": lambda text: _Counted(text.removeprefix("\ufeff")),
}
_REASONS: dict[str, Message] = {
    "chars": adapters.IN_CHARS,
    "lf": adapters.IN_LF,
    "crlf": adapters.IN_CRLF,
    "mark": adapters.AFTER_MARK,
    "utf16": adapters.IN_UTF16,
    "bytes": adapters.IN_BYTES,
}


def _count(text: str, unit: str, tokenizer: Tokenizer | None = None) -> _Counted | _Encoded | _Pieces:
    return _COUNTS[unit](text) if unit in _COUNTS else _Pieces(text, unit, tokenizer)


def _at_offsets(
    quotes: Sequence[Quote], texts: Mapping[str, str], unit: str, tokenizer: Tokenizer | None = None
) -> list[bool]:
    """Whether each quote is at its offsets, counted in this way; one in whole lines or tokens may be a part of them."""

    @cache
    def counted(doc_id: str) -> _Counted | _Encoded | _Pieces:
        return _count(texts[doc_id], unit, tokenizer)

    there = [_lf(counted(quote.doc_id).slice(quote.start, quote.end)) for quote in quotes]
    agrees = matches if unit in _COUNTS else _is_inside
    return [agrees(text, _lf(quote.text)) for text, quote in zip(there, quotes, strict=True)]


def _is_inside(there: str, text: str) -> bool:
    """Whether a quoted text is a part of the text at its place, or the reverse."""
    place, quoted = normalised(there).text.strip(), normalised(text).text.strip()
    return bool(place) and (quoted in place or place in quoted)


def reason(quotes: Sequence[Quote], texts: Mapping[str, str], unit: str = "chars") -> Text | None:
    """The way of counting by which all quotes are at their offsets, as a message; None if there is none.

    Ends may have been derived from starts by the numbers of characters of texts, whatever the starts count.
    """
    is_derived = bool(quotes) and all(quote.end - quote.start == len(quote.text) for quote in quotes)
    for other, message in _REASONS.items():
        candidates = [quotes]
        if is_derived:
            sizes = [_COUNTS[other](quote.text).size for quote in quotes]
            candidates.append(
                [quote._replace(end=quote.start + size) for quote, size in zip(quotes, sizes, strict=True)]
            )
        if other != unit and quotes and any(all(_at_offsets(several, texts, other)) for several in candidates):
            return message(count=len(quotes))
    return None


def misplaced(
    quotes: Sequence[Quote], texts: Mapping[str, str], unit: str = "chars", tokenizer: Tokenizer | None = None
) -> list[Misplaced]:
    """The quotes that are not at their offsets, which count `unit`; quotes in other documents are not checked.

    The message of each says what is there instead, and the reason or the place of the text if that is certain.
    """
    numbers = [number for number, quote in enumerate(quotes) if quote.doc_id in texts]
    known = [quotes[number] for number in numbers]
    wrong = [row for row, is_there in enumerate(_at_offsets(known, texts, unit, tokenizer)) if not is_there]
    why = reason(known, texts, unit) if wrong else None
    finders: dict[str, Finder] = {}
    found = []
    for row in wrong:
        quote = known[row]
        text = texts[quote.doc_id]
        finder = finders.setdefault(quote.doc_id, Finder([quote.doc_id], [text]))
        found.append(Misplaced(numbers[row], _message(quote, _count(text, unit, tokenizer), unit, finder, why)))
    return found


def _message(quote: Quote, counted: _Counted | _Encoded | _Pieces, unit: str, finder: Finder, why: Text | None) -> Text:
    length = counted.size
    there = counted.slice(quote.start, quote.end)
    remedy: str = adapters.OCCURS_NOWHERE.note()
    if why is not None:
        remedy = f"{why.problem}; {why.remedy}"
    elif unit == "chars":
        located = finder.find(quote.text)
        if located.found:
            remedy = adapters.OCCURS_ELSEWHERE.note(start=located.start, end=located.end)
    place = {"text": shown(quote.text), "start": quote.start, "end": quote.end, "doc_id": quote.doc_id}
    if quote.end > length:
        return adapters.BEYOND_END(**place, length=length, remedy=remedy)
    return adapters.NOT_AT_OFFSETS(**place, there=shown(there), remedy=remedy)


# ---- rows -----------------------------------------------------------------------------------------------------


def quotes_in(rows: Sequence[Mapping[str, Any]], unit: str = "chars") -> tuple[list[int], list[Quote]]:
    """The numbers of the rows that have a document, offsets (in `unit`) and a text, and these as quotes."""
    numbers, quotes = [], []
    for number, row in enumerate(rows):
        doc_id, text = row.get("doc_id"), row.get("text")
        start, end = natural_in(row.get("start")), natural_in(row.get("end"))
        if unit == LINES and row.get("start_line") is not None:
            first = line_in(row["start_line"])
            start, end = None if first is None else first - 1, natural_in(row.get("end_line"))
        if doc_id is None or start is None or end is None or not isinstance(text, str) or not text.strip():
            continue
        numbers.append(number)
        quotes.append(Quote(str(doc_id), start, end, text))
    return numbers, quotes


def refuse_misplaced(
    rows: Sequence[Mapping[str, Any]],
    lines: Sequence[int],
    source: Source,
    texts: Mapping[str, str],
    unit: str = "chars",
) -> None:
    """Raise an error if the text of a row is not at its offsets; rows without a text or offsets are not checked."""
    numbers, quotes = quotes_in(rows, unit)
    for number, message in misplaced(quotes, texts, unit):
        raise source.error(message, int(lines[numbers[number]]))
