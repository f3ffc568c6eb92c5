"""Blank-separated columns: what TREC and INEX files have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.formats.problems import Reader, number_remedy
from partwise.model import LARGEST_OFFSET, Bools, Coded, Ints, LazyNames, Tokenised

HEAD = 1 << 16
"""Bytes at the beginning of a text from which its layout is known."""
_TOO_LONG = 19
"""Digits of a number that no reader takes: of a passage, such a number is told alone."""


@dataclass(frozen=True)
class Layout:
    """The columns of a text file: what kind each is, what it is called, and how a line looks."""

    kinds: str
    nouns: Sequence[str]
    example: str


def first_line(data: bytes) -> tuple[int, bytes]:
    """The number and text of the first line that is not blank."""
    position, number = 0, 1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        line = data[position:stop].strip()
        if line:
            return number, line
        position, number = stop + 1, number + 1
    return number, b""


def first_lines(data: bytes) -> list[tuple[int, list[bytes]]]:
    """The first lines that are not blank, as numbers and columns; one that is cut off is left out."""
    return [(number, tokens) for number, tokens in enumerate(map(bytes.split, _head(data).split(b"\n")), 1) if tokens]


def _head(data: bytes) -> bytes:
    if len(data) <= HEAD:
        return data
    end = data.rfind(b"\n", 0, HEAD)
    if end < 0:
        end = data.find(b"\n", HEAD)  # a first line longer than all that
    return data[: end if end >= 0 else len(data)]


def usual_layout(data: bytes, layout_of: Callable[[list[bytes]], Layout | None]) -> tuple[Layout | None, int, int]:
    """The layout that most of the first lines have (None if they have none), its first line and its columns there."""
    head = _head(data)
    number, columns, slashes = kernels.line_shapes(head)
    if not len(number):
        first, line = first_line(data)
        return layout_of(line.split()), first, len(line.split())
    found: dict[int, tuple[int, int, Layout | None]] = {}  # by layout: its first line and columns there
    votes: Counter[int] = Counter()
    shape, place = kernels.first_of_each(columns * 4 + slashes)
    for at, count in zip(place.tolist(), np.bincount(shape).tolist(), strict=True):
        layout = layout_of(head.split(b"\n", int(number[at]))[int(number[at]) - 1].split())
        found.setdefault(id(layout), (int(number[at]), int(columns[at]), layout))
        if layout is not None:
            votes[id(layout)] += count
    winner = votes.most_common(1)[0][0] if votes else id(None)
    line_number, count, layout = found[winner]
    return layout, line_number, count


def utf8_only(data: bytes, reader: Reader) -> bytes:
    """The same text; lines that are not UTF-8 are problems and come out empty."""
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
                reader.problem(i + 1, "is not UTF-8", "save the file as UTF-8")
                lines[i] = b""
        if not reader.lenient:
            reader.settle()
        return b"\n".join(lines)


def column_problems(reader: Reader, problems: Sequence[kernels.Problem], layout: Layout) -> None:
    """Turn what a reading kernel rejected into error lines."""
    for line, column, text in problems:
        if column < 0:
            count, expected = int(text), len(layout.kinds)
            kind = "is cut short: it" if count < expected else "is too long: it"
            reader.problem(line, f"{kind} has {count} columns", f"write {layout.example}")
            continue
        noun = layout.nouns[min(column, len(layout.nouns) - 1)]
        token = text.decode("utf-8", "backslashreplace")
        wanted = {"n": "a whole number from 0", "i": "a whole number", "f": "a number", "p": "offset:length"}
        kind = layout.kinds[min(column, len(layout.kinds) - 1)]
        is_number = kind != "f" and not (kind == "p" and len(token) < _TOO_LONG)
        remedy = number_remedy(token, wanted[kind]) if is_number else f"it must be {wanted[kind]}"
        reader.problem(line, f"the {noun} is {shown(token)}", remedy)


def too_large(reader: Reader, lines: Ints, values: Ints, noun: str) -> Bools:
    """Rows whose offset or length is beyond what is counted exactly; each is a problem."""
    if int(values.max(initial=0)) <= LARGEST_OFFSET:
        return np.zeros(len(values), np.bool_)
    large = values > LARGEST_OFFSET
    for row in np.flatnonzero(large).tolist():
        reader.problem(int(lines[row]), f"the {noun} is {shown(values[row])}", f"it must be at most {LARGEST_OFFSET}")
    return large


def decoded(column: Any) -> Coded:
    """A column of tokens as names; the text is known to be UTF-8."""
    return Coded(column[0], LazyNames(column[1]), True) if isinstance(column, tuple) else Tokenised(column)


def tags_note(path: str, count: int) -> list[str]:
    """The note that a file that is taken as one run has several run tags."""
    return [f"{path}: {count} run tags, taken as one run"] if count > 1 else []
