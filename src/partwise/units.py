"""What offsets count: characters, bytes, or milliseconds, which users write and read as seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from partwise.errors import CannotScore
from partwise.messages import measures as messages
from partwise.parameters import exact

if TYPE_CHECKING:
    import numpy as np

Unit = Literal["chars", "bytes", "seconds"]

SCALES = {"seconds": 1000}
"""How many units of offsets one unit of the user is, where that is not one."""


def scale_of(unit: str) -> int:
    return SCALES.get(unit, 1)


def as_written(offset: int | np.int64, unit: str) -> int | float:
    """An offset as users write it: milliseconds as seconds."""
    value = int(offset)
    scale = scale_of(unit)
    return value if scale == 1 else value // scale if value % scale == 0 else value / scale


def in_units(size: float, unit: str) -> int:
    """A size as users write it, in the units of offsets; an error if it is not a whole number of these."""
    units = exact(size) * scale_of(unit)
    if units.denominator != 1:
        raise CannotScore(messages.NOT_A_WHOLE_SIZE(size=size, unit=unit))
    return units.numerator
