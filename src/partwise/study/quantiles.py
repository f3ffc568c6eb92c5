"""Quantiles of the normal and of Student's distribution: importing `scipy.special` for them takes as long as scoring.

A quantile is found by bisection of the probability of what lies above it, so that it is as exact as that probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

_SMALLEST = 1e-300


@cache
def normal_quantile(tail: float) -> float:
    """What a standard normal variable exceeds with this probability."""
    return _quantile(lambda z: math.erfc(z / math.sqrt(2)) / 2, tail)


@cache
def student_quantile(degrees: int, tail: float) -> float:
    """What a variable with Student's distribution exceeds with this probability."""
    return _quantile(lambda t: _beta_share(degrees / (degrees + t * t), degrees / 2, 0.5) / 2, tail)


def _quantile(above: Callable[[float], float], tail: float) -> float:
    if tail > 0.5:
        return -_quantile(above, 1 - tail)
    low, high = 0.0, 1.0
    while above(high) > tail and high < math.inf:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if above(middle) > tail else (low, middle)
    return high


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction where that converges fast."""
    if x <= 0 or x >= 1:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    above, below = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value, step = below, 0
    while True:
        step += 1
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            below = 1 / _not_zero(1 + term * below)
            above = _not_zero(1 + term / above)
            value *= above * below
        if abs(above * below - 1) < 1e-15 or step > 100_000:
            return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _SMALLEST else _SMALLEST
