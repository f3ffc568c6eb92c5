"""What offsets count: characters, bytes, UTF-16 units, tokens, lines, or milliseconds, which users write as seconds."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

from partwise.errors import CannotScore
from partwise.messages import measures as messages
from partwise.parameters import exact

if TYPE_CHECKING:
    import numpy as np

Unit = Literal["chars", "bytes", "utf16", "tokens", "lines", "seconds"]
UNITS: tuple[Unit, ...] = get_args(Unit)

CHARS: Unit = "chars"
TOKENS: Unit = "tokens"
LINES: Unit = "lines"
SECONDS: Unit = "seconds"
ENCODINGS = ("bytes", "utf16")
"""Units of which a character may have several."""

WORDS = {"chars": "characters", "utf16": "UTF-16 units"}
"""What users call units, where that is not their name."""

SCALES = {"seconds": 1000}
"""How many units of offsets one unit of the user is, where that is not one."""


def words(unit: str) -> str:
    """The unit in sentences, for several of them."""
    return WORDS.get(unit, unit)


def label(unit: str, tokenizer: str | None) -> str:
    """The unit with the name of the tokenizer, as it is shown with scores: ``tokens(words)``."""
    return f"{unit}({tokenizer})" if unit == TOKENS and tokenizer else unit


def base(label: str) -> str:
    """The unit in a label: ``tokens`` of ``tokens(words)``."""
    return label.partition("(")[0]


def scale_of(unit: str) -> int:
    return SCALES.get(unit, 1)


def as_written(offset: int | np.int64, unit: str) -> int | float:
    """An offset as users write it: milliseconds as seconds."""
    value = int(offset)
    scale = scale_of(unit)
    return value if scale == 1 else value // scale if value % scale == 0 else value / scale


@lru_cache(maxsize=1024)
def in_units(size: float, unit: str) -> int:
    """A size as users write it, in the units of offsets; an error if it is not a whole number of these."""
    units = exact(size) * scale_of(unit)
    if units.denominator != 1:
        raise CannotScore(messages.NOT_A_WHOLE_SIZE(size=size, unit=words(unit)))
    return units.numerator
