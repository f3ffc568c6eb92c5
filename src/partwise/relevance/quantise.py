"""Quantisations map two grades, exhaustivity and specificity, to one gain in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.messages import inputs
from partwise.model import Floats

FOUR_POINT = "four-point"
INEX_2005 = "inex2005"
UNIT = "unit"
HIGHLIGHTS = "highlights"
"""The scale of grades that highlighted passages give: e = 1, s = the highlighted share."""

Quantisation = Callable[[Floats, Floats], Floats]

_LARGEST = {FOUR_POINT: (3.0, 3.0), INEX_2005: (2.0, 1.0), UNIT: (1.0, 1.0), HIGHLIGHTS: (1.0, 1.0)}
_GEN = {33: 1.0, 23: 0.75, 32: 0.75, 31: 0.75, 13: 0.5, 22: 0.5, 21: 0.5, 12: 0.25, 11: 0.25}
_SOG = {33: 1.0, 23: 0.9, 13: 0.75, 32: 0.75, 22: 0.5, 12: 0.25, 31: 0.25, 21: 0.1, 11: 0.1}


def _looked_up(table: dict[int, float]) -> Quantisation:
    values = np.zeros(100)
    for grades, value in table.items():
        values[grades] = value

    def quantised(e: Floats, s: Floats) -> Floats:
        gain: Floats = values[(10 * e + s).astype(np.int64)]
        return gain

    return quantised


_OF_FOUR_POINTS: dict[str, Quantisation] = {
    "strict": _looked_up({33: 1.0}),
    "gen": _looked_up(_GEN),
    "sog": _looked_up(_SOG),
}
_OF_UNITS: dict[str, Quantisation] = {
    "exhspe": lambda e, s: e * s,
    "strictn": lambda e, s: ((e == 1) & (s == 1)).astype(np.float64),
    "spe": lambda e, s: s,
    "genlifted": lambda e, s: (2 * e + 1) * s / 3,
}
_REGISTERED: dict[str, Quantisation] = {}


def register_quantisation(name: str, function: Quantisation) -> None:
    """Register a quantisation: a function of arrays of unit grades e and s that returns gains in [0, 1].

    - `name`: its name in ``quant=``.
    """
    if name in _OF_FOUR_POINTS or name in _OF_UNITS:
        raise PartwiseError(inputs.QUANTISATION_EXISTS(name=shown(name)))
    _REGISTERED[name] = function


def registered() -> dict[str, Quantisation]:
    """The quantisations that users registered, for passing on to other processes."""
    return dict(_REGISTERED)


def default_quantisation(scale: str) -> str:
    return "sog" if scale == FOUR_POINT else "spe"


def fitting(scale: str) -> list[str]:
    """The names of the quantisations that are defined on a scale."""
    four = list(_OF_FOUR_POINTS) if scale == FOUR_POINT else []
    return [*four, *_OF_UNITS, *_REGISTERED]


def check_quantisation(name: str, scale: str) -> None:
    if name not in fitting(scale):
        on_highlights = scale == HIGHLIGHTS
        message = inputs.QUANTISATION_NOT_ON_HIGHLIGHTS if on_highlights else inputs.QUANTISATION_NOT_ON_SCALE
        raise PartwiseError(message(name=shown(name), scale=scale, defined=", ".join(fitting(scale))))


def quantised(name: str, scale: str, e: Floats, s: Floats) -> Floats:
    """The gain of each pair of grades."""
    check_quantisation(name, scale)
    if name in _OF_FOUR_POINTS:
        value = _OF_FOUR_POINTS[name](e, s)
    else:
        value = np.asarray({**_OF_UNITS, **_REGISTERED}[name](*unit_grades(scale, e, s)), np.float64)
        if ((value < 0) | (value > 1) | np.isnan(value)).any():
            raise PartwiseError(inputs.QUANTISATION_OUT_OF_RANGE(name=name))
    return value


def unit_grades(scale: str, e: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Scale grades to [0, 1]: four-point grades are divided by 3, exhaustivity of INEX 2005 by 2."""
    largest = _LARGEST[scale]
    return e / largest[0], s / largest[1]


def fits_scale(scale: str, e: Floats, s: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each pair of grades is valid on the scale."""
    largest = _LARGEST[scale]
    inside = (e >= 0) & (e <= largest[0]) & (s >= 0) & (s <= largest[1])
    if scale == FOUR_POINT:
        inside &= (e == np.floor(e)) & (s == np.floor(s))
    if scale == INEX_2005:
        inside &= e == np.floor(e)
    return np.asarray(inside)
