"""Reading blank-separated columns, for TREC and INEX files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.formats.problems import WHOLE_NUMBER, Reader, bad_number
from partwise.messages import reading
from partwise.model import LARGEST_OFFSET, Bools, Coded, Ints, Irregular, LazyNames, Tokenised
from partwise.records import record

HEAD = 1 << 16
"""Bytes at the beginning of a text from which its layout is detected."""
_TOO_LONG = 19
"""Digits of a number beyond 64 bits; of a passage with such a number, the kernel reports the number alone."""
_EXPECTED = {"n": WHOLE_NUMBER, "i": "a whole number", "f": "a number", "p": "offset:length"}
_BLANKS = bytes(range(33))
"""The bytes that separate columns, here and in the kernels."""
_TO_SPACES = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))


@record()
class Layout:
    """The columns of a text file: the kind and the name of each, and an example of a line."""

    kinds: str
    nouns: Sequence[str]
    example: str


def first_line(data: bytes) -> tuple[int, bytes]:
    """The number and text of the first line that is not blank."""
    position, number = 0, 1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        line = data[position:stop].strip(_BLANKS)
        if line:
            return number, line
        position, number = stop + 1, number + 1
    return number, b""


def columns_of(line: bytes) -> list[bytes]:
    """The columns of a line; every byte up to the space separates them, as in the kernels that read them."""
    return line.translate(_TO_SPACES).split()


def first_lines(data: bytes) -> list[tuple[int, list[bytes]]]:
    """The first lines that are neither blank nor comments, as numbers and columns, without one that is cut off."""
    lines = enumerate(map(columns_of, _head(data).split(b"\n")), 1)
    return [(number, tokens) for number, tokens in lines if tokens and not tokens[0].startswith(b"#")]


def _head(data: bytes) -> bytes:
    if len(data) <= HEAD:
        return data
    end = data.rfind(b"\n", 0, HEAD)
    if end < 0:
        end = data.find(b"\n", HEAD)  # the first line is longer than HEAD
    return data[: end if end >= 0 else len(data)]


def usual_layout(data: bytes, layout_of: Callable[[list[bytes]], Layout | None]) -> tuple[Layout | None, int, int]:
    """The layout of most of the first lines (None if they have none), its first line and the columns there."""
    head = _head(data)
    number, columns, slashes = kernels.line_shapes(head)
    if not len(number):
        first, line = first_line(data)
        tokens = columns_of(line)
        return layout_of(tokens), first, len(tokens)
    layouts: dict[int, tuple[int, int, Layout | None]] = {}  # with their first line and its number of columns
    votes: Counter[int] = Counter()
    shape, place = kernels.first_of_each(columns * 4 + slashes, np.array([0, len(columns)]))
    for at, count in zip(place.tolist(), np.bincount(shape).tolist(), strict=True):
        layout = layout_of(columns_of(head.split(b"\n", int(number[at]))[int(number[at]) - 1]))
        layouts.setdefault(id(layout), (int(number[at]), int(columns[at]), layout))
        if layout is not None:
            votes[id(layout)] += count
    winner = votes.most_common(1)[0][0] if votes else id(None)
    line_number, count, layout = layouts[winner]
    return layout, line_number, count


def utf8_only(data: bytes, reader: Reader) -> bytes:
    """The text with lines that are not UTF-8 replaced by empty ones; each is a problem."""
    if data.isascii():
        return data
    try:
        data.decode()
        return data
    except UnicodeDecodeError:
        lines = data.split(b"\n")
        for i, line in enumerate(lines):
            try:
                line.decode()
            except UnicodeDecodeError:
                reader.problem(i + 1, reading.NOT_UTF8())
                lines[i] = b""
        if not reader.lenient:
            reader.settle()
        return b"\n".join(lines)


def refuse_other_text(block: memoryview) -> None:
    """Raise `Irregular` if a block of a file cannot be read by itself: bytes that are not text, lines without ends."""
    _, is_utf8, has_nul = kernels.content(block)
    if has_nul or not is_utf8 or b"\n" not in bytes(block[:HEAD]):
        raise Irregular


def column_problems(reader: Reader, problems: Sequence[kernels.Problem], layout: Layout) -> None:
    """Report the lines and values that a reading kernel rejected."""
    for line, column, text in problems:
        if column < 0:
            reader.problem(line, reading.COLUMN_COUNT(count=int(text), columns=layout.example))
            continue
        noun = layout.nouns[min(column, len(layout.nouns) - 1)]
        token = text.decode("utf-8", "backslashreplace")
        kind = layout.kinds[min(column, len(layout.kinds) - 1)]
        expected = _EXPECTED[kind]
        is_whole = kind != "f" and not (kind == "p" and len(token) < _TOO_LONG)
        bad_value = reading.BAD_VALUE(name=noun, value=shown(token), expected=expected)
        reader.problem(line, bad_number(noun, token, expected) if is_whole else bad_value)


def too_large(reader: Reader, lines: Ints, values: Ints, noun: str) -> Bools:
    """Rows whose offset or length is larger than LARGEST_OFFSET; each is a problem."""
    if int(values.max(initial=0)) <= LARGEST_OFFSET:
        return np.zeros(len(values), np.bool_)
    large = values > LARGEST_OFFSET
    for row in np.flatnonzero(large).tolist():
        message = reading.TOO_LARGE(name=noun, value=shown(values[row]), largest=LARGEST_OFFSET)
        reader.problem(int(lines[row]), message)
    return large


def decoded(column: Any) -> Coded:
    """A column of tokens as names; the tokens must be valid UTF-8."""
    return Coded(column[0], LazyNames(column[1]), True) if isinstance(column, tuple) else Tokenised(column)


def tags_note(path: str, count: int) -> list[str]:
    """A note if a file that is read as one run has several run tags."""
    return [reading.RUN_TAGS.note(source=path, count=count)] if count > 1 else []
