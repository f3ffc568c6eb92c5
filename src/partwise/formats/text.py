"""Blank-separated columns: what TREC and INEX files have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.formats.detect import first_line
from partwise.formats.problems import Reader, number_remedy
from partwise.model import LARGEST_OFFSET, Coded, Ints, LazyNames, Source


@dataclass(frozen=True)
class Layout:
    """The columns of a text file: what kind each is, what it is called, and how a line looks."""

    kinds: str
    nouns: Sequence[str]
    example: str


def first_tokens(data: bytes) -> tuple[int, list[bytes]]:
    """The number of the first line that is not blank, and its columns."""
    number, line = first_line(data)
    return number, line.split()


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
        remedy = f"it must be {wanted[kind]}" if kind in "fp" else number_remedy(token, wanted[kind])
        reader.problem(line, f"the {noun} is {shown(token)}", remedy)


def too_large(reader: Reader, lines: Ints, values: Ints, noun: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Rows whose offset or length is beyond what is counted exactly; each is a problem."""
    large = values > LARGEST_OFFSET
    for row in np.flatnonzero(large).tolist():
        reader.problem(int(lines[row]), f"the {noun} is {shown(values[row])}", f"it must be at most {LARGEST_OFFSET}")
    return np.asarray(large)


def decoded(column: tuple[Ints, kernels.Tokens], source: Source, lines: Ints, noun: str) -> Coded:
    """A column of bytes as strings; ids must be UTF-8."""
    codes, tokens = column
    if not tokens.text.is_ascii:
        for code in range(len(tokens)):
            try:
                tokens[code].decode()
            except UnicodeDecodeError:
                line = int(lines[int(np.argmax(codes == code))])
                raise source.error(
                    f"the {noun} {shown(tokens[code])} is not UTF-8", "save the file as UTF-8", line
                ) from None
    return Coded(codes, LazyNames(tokens))
