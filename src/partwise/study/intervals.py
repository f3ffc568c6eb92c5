"""Confidence intervals of means over queries.

Student's t holds its level for 50 queries and more. For fewer it covers skewed scores too rarely, such as recall with
many ones or average precision with many small values; there it is widened on the side of the long tail, as far as
Hall's transformation with half of the sample's skewness reaches. (All of it would make intervals of ordinary scores too
wide, because the skewness of a small sample is uncertain.) Scores that are all 0 or 1, and not all 0, are hits and
misses, whose mean is a proportion: for them Agresti and Coull's interval is used, which has a width also if all are
hits. ``bench/coverage.py`` simulates the coverage.

A. Agresti and B. A. Coull: Approximate is better than "exact" for interval estimation of binomial proportions. The
American Statistician 52 (1998).

P. Hall: On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54 (1992).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partwise.model import Floats

STUDENT = "Student's t"
WIDENED = "Student's t, widened for skewness"
OF_HITS = "Agresti and Coull for hits"
FEW = 50
"""Below this number of queries intervals of means are widened for skewness."""


class Intervals(NamedTuple):
    """The ends of the intervals of several means, NaN where there is none, and the name of the method."""

    low: Floats
    high: Floats
    method: str


def of_means(values: Floats, confidence: float) -> Intervals:
    """The interval of the mean score of every row; there is none for one query.

    If all scores are from 0 to 1, so are the ends; if none is negative, no end is.
    """
    are_hits = values.shape[1] > 1 and bool(((values == 0) | (values == 1)).all() and values.any())
    low, high, method = (_of_hits if are_hits else _unbounded)(values, confidence)
    if (values >= 0).all():
        low = np.maximum(low, 0.0)
        high = np.minimum(high, 1.0) if (values <= 1).all() else high
    return Intervals(low, high, method)


def _of_hits(values: Floats, confidence: float) -> Intervals:
    from scipy.special import ndtri

    quantile = ndtri((1 + confidence) / 2)
    count = values.shape[1] + quantile**2
    share = (values.sum(axis=1) + quantile**2 / 2) / count
    half = quantile * np.sqrt(share * (1 - share) / count)
    return Intervals(share - half, share + half, OF_HITS)


def _unbounded(values: Floats, confidence: float) -> Intervals:
    count = values.shape[1]
    plain = of_differences(values, confidence)
    if not 3 <= count < FEW:
        return plain
    quantile = (plain.high - plain.low) / 2
    means, spread = values.mean(axis=1), values.std(axis=1, ddof=1)
    apart = values - means[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = (apart**3).sum(axis=1) * count / ((count - 1) * (count - 2) * spread**3)
        half = np.where(spread > 0, skewness, 0.0) / 2
        far = np.where(spread > 0, quantile / spread, 0.0)
    low = means - spread * _untransformed(far, half, count)
    high = means - spread * _untransformed(-far, half, count)
    return Intervals(np.minimum(low, plain.low), np.maximum(high, plain.high), WIDENED)


def _untransformed(value: Floats, skewness: Floats, count: int) -> Floats:
    """The inverse of Hall's transformation, x + s x²/3 + s² x³/27 + s/(6n), where s is the skewness."""
    is_skewed = np.abs(skewness) > 1e-6
    safe = np.where(is_skewed, skewness, 1.0)
    result: Floats = np.where(is_skewed, 3 / safe * (np.cbrt(1 + safe * (value - safe / (6 * count))) - 1), value)
    return result


def of_differences(difference: Floats, confidence: float) -> Intervals:
    """The interval of the mean of every row of differences between two runs; there is none for one query.

    Differences are hardly skewed, and by Student's t an interval excludes 0 if the paired t-test is significant.
    """
    from scipy.special import stdtrit

    count = difference.shape[1]
    if count < 2:
        nothing = np.full(len(difference), np.nan)
        return Intervals(nothing, nothing, STUDENT)
    means = difference.mean(axis=1)
    half = stdtrit(count - 1, (1 + confidence) / 2) * difference.std(axis=1, ddof=1) / math.sqrt(count)
    return Intervals(means - half, means + half, STUDENT)
