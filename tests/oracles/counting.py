"""Units of a text, obviously right: the set of characters of every unit, one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Span = tuple[int, int]
Piece = range
"""The characters of a unit; a unit inside a character has that character."""


def byte_pieces(text: str) -> list[Piece]:
    return [range(at, at + 1) for at, character in enumerate(text) for _ in character.encode()]


def utf16_pieces(text: str) -> list[Piece]:
    return [range(at, at + 1) for at, character in enumerate(text) for _ in range(1 + (ord(character) > 0xFFFF))]


def line_pieces(text: str) -> list[Piece]:
    pieces, at = [], 0
    while at < len(text):
        start = at
        while at < len(text) and text[at] not in "\r\n":
            at += 1
        if text[at : at + 2] == "\r\n":
            at += 1
        at = min(at + 1, len(text))
        pieces.append(range(start, at))
    return pieces


def token_pieces(text: str) -> list[Piece]:
    """Runs of letters, and any other sign, as a simple tokenizer of one's own returns them."""
    return [range(*match.span()) for match in re.finditer(r"[a-z]+|[^\sa-z]", text)]


def char_pieces(text: str) -> list[Piece]:
    return [range(at, at + 1) for at in range(len(text))]


PIECES: dict[str, Callable[[str], list[Piece]]] = {
    "chars": char_pieces,
    "bytes": byte_pieces,
    "utf16": utf16_pieces,
    "lines": line_pieces,
    "tokens": token_pieces,
}


def own_tokens(text: str) -> list[Span]:
    return [(piece.start, piece.stop) for piece in token_pieces(text)]


def to_chars(text: str, unit: str, span: Span) -> set[int]:
    """The characters of a span of units; between tokens, those that are between its first and last."""
    pieces = PIECES[unit](text)[slice(*span)]
    return set(range(pieces[0].start, pieces[-1].stop)) if pieces else set()


def from_chars(text: str, unit: str, characters: set[int]) -> set[int]:
    """The units of a set of characters: tokens whose first character it has, other units that share a character."""
    pieces = PIECES[unit](text)
    if unit == "tokens":
        return {number for number, piece in enumerate(pieces) if piece.start in characters}
    return {number for number, piece in enumerate(pieces) if not characters.isdisjoint(piece)}


def passage_from_chars(text: str, unit: str, characters: set[int]) -> set[int]:
    """As `from_chars`; a passage in which no token starts has the one that holds its first character."""
    units = from_chars(text, unit, characters)
    if unit != "tokens" or units or not characters:
        return units
    first = min(characters)
    return {number for number, piece in enumerate(PIECES[unit](text)) if first in piece}


def measured(gold: Sequence[set[tuple[str, int]]], results: Sequence[set[tuple[str, int]]]) -> dict[str, float]:
    """Text and part measures over sets of (document, unit)."""
    relevant = set().union(*gold)
    returned = set().union(*results)
    read = sum(map(len, results))
    hit = len(returned & relevant)
    return {
        "TextP": hit / read if read else 0.0,
        "TextR": hit / len(relevant),
        "TextIoU": hit / len(returned | relevant),
        "Redundancy": 1 - len(returned) / read if read else 0.0,
        "PartHit(match=any)": float(any(result & passage for result in results for passage in gold)),
    }
