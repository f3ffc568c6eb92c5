"""Words and signs, character by character."""

from __future__ import annotations

import unicodedata


def words(text: str) -> list[tuple[int, int]]:
    """The start and end of each word and sign of a text."""
    tokens: list[tuple[int, int]] = []
    can_grow = False  # whether the last token is a word, and nothing has ended it
    after_space = True
    for at, character in enumerate(text):
        category = unicodedata.category(character)
        if character.isspace():
            can_grow, after_space = False, True
            continue
        if category in ("Mn", "Mc", "Me", "Cf") and not after_space:
            tokens[-1] = (tokens[-1][0], at + 1)
            continue
        is_letter = (category[0] in "LN" or character == "_") and not written_without_blanks(character)
        if is_letter and can_grow:
            tokens[-1] = (tokens[-1][0], at + 1)
        else:
            tokens.append((at, at + 1))
        can_grow, after_space = is_letter, False
    return tokens


def written_without_blanks(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "HENTAIGANA")) or (
        character in "々〆〇〡〢〣〤〥〦〧〨〩"
    )
