"""Confidence intervals of means over queries, by the method that covers best for their number."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partwise.model import Floats

STUDENT = "Student's t"


class Intervals(NamedTuple):
    """The ends of the intervals of several means, NaN where there is none, and the name of the method."""

    low: Floats
    high: Floats
    method: str


def of_means(values: Floats, confidence: float) -> Intervals:
    """The interval of the mean of every row; there is none for one query."""
    from scipy.special import stdtrit

    count = values.shape[1]
    if count < 2:
        nothing = np.full(len(values), np.nan)
        return Intervals(nothing, nothing, STUDENT)
    means = values.mean(axis=1)
    half = stdtrit(count - 1, (1 + confidence) / 2) * values.std(axis=1, ddof=1) / math.sqrt(count)
    return Intervals(means - half, means + half, STUDENT)
