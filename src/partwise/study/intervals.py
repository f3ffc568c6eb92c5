"""Confidence intervals of means over queries.

Scores from 0 to 1 vary less if their mean is close to 0 or 1. Student's t takes the variance of the sample for that of
any mean, so that its intervals of skewed scores of few queries cover too rarely: recall with many ones, average
precision with many small values. Wilson's method for proportions takes the variance that belongs to each possible mean
m, m (1 - m), and asks which means the sample does not contradict. For scores this variance is scaled to the sample's:
in

    (mean - m)² = t² f m (1 - m) / n,   f = variance of the sample / (mean (1 - mean)),

the two solutions m are the ends, where t is the quantile of Student's distribution. So variance is a multiple of m (1 -
m), as in quasi-likelihood. The ends lie between 0 and 1, and for many queries they are those of Student's t. If scores
exceed 1, as gains do, and none is negative, variance is a multiple of m. If some are negative, Student's t is used.

Scores of a run that are all 0 or 1 are hits and misses, whose mean is a proportion: for them Agresti and Coull's
interval is used, an approximation of Wilson's, which has a width also if all are hits, or none is.
``bench/coverage.py`` simulates the coverage.

E. B. Wilson: Probable inference, the law of succession, and statistical inference. Journal of the American Statistical
Association 22 (1927).

R. W. M. Wedderburn: Quasi-likelihood functions, generalized linear models, and the Gauss-Newton method. Biometrika 61
(1974).

A. Agresti and B. A. Coull: Approximate is better than "exact" for interval estimation of binomial proportions. The
American Statistician 52 (1998).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from partwise.model import EQUAL, Floats
from partwise.study.quantiles import normal_quantile, student_quantile
from partwise.study.statistics import Sums

STUDENT = "Student's t"
OF_SCORES = "Wilson's method, scaled"
OF_GAINS = "Wilson's method, scaled, no upper bound"
OF_HITS = "Agresti and Coull for hits"


class Intervals(NamedTuple):
    """The ends of the intervals of several means, NaN where there is none, and the names of their methods."""

    low: Floats
    high: Floats
    methods: Sequence[str]

    @property
    def method(self) -> str:
        """The methods of all of them."""
        return together(self.methods)


def together(methods: Iterable[str]) -> str:
    """The names of methods, each once."""
    return " or ".join(dict.fromkeys(methods))


def of_means(values: Floats, confidence: float) -> Intervals:
    """The interval of the mean score of every row; there is none for one query.

    If all scores are from 0 to 1, so are the ends; if none is negative, no end is. What is so close to 0 or 1 that it
    can only differ by rounding is taken for it.
    """
    for bound in (0.0, 1.0):
        values = np.where(np.abs(values - bound) <= EQUAL, bound, values)
    if (values < 0).any():
        return of_differences(Sums.of(values), confidence)
    if (values > 1).any():
        return Intervals(*_scaled(values, confidence, is_bounded=False), [OF_GAINS] * len(values))
    are_hits = ((values == 0) | (values == 1)).all(axis=1) & (values.shape[1] > 1)
    hits, scores = _of_hits(values, confidence), _scaled(values, confidence, is_bounded=True)
    low, high = (np.where(are_hits, *ends) for ends in zip(hits, scores, strict=True))
    methods = [OF_HITS if are else OF_SCORES for are in are_hits.tolist()]
    return Intervals(np.maximum(low, 0.0), np.minimum(high, 1.0), methods)


def _of_hits(values: Floats, confidence: float) -> tuple[Floats, Floats]:
    quantile = normal_quantile((1 - confidence) / 2)
    count = values.shape[1] + quantile**2
    share = (values.sum(axis=1) + quantile**2 / 2) / count
    half = quantile * np.sqrt(np.maximum(share * (1 - share), 0.0) / count)
    return share - half, share + half


def _scaled(values: Floats, confidence: float, is_bounded: bool) -> tuple[Floats, Floats]:
    """The solutions m of ``(mean - m)² = scale m (1 - m)``, or of ``(mean - m)² = scale m`` without an upper bound."""
    sums = Sums.of(values)
    means, half = sums.mean, _half_width(sums, confidence)
    variance = means * (1 - means) if is_bounded else means
    scale = np.divide(half**2, variance, out=np.zeros_like(means), where=variance > 0)
    shrink = 1 + scale if is_bounded else 1.0
    root = np.sqrt(half**2 + scale**2 / 4)
    return np.maximum((means + scale / 2 - root) / shrink, 0.0), (means + scale / 2 + root) / shrink


def of_differences(sums: Sums, confidence: float) -> Intervals:
    """The interval of the mean difference of every pair of runs; there is none for one query.

    Differences are hardly skewed, and by Student's t an interval excludes 0 if the paired t-test is significant.
    """
    half = _half_width(sums, confidence)
    return Intervals(sums.mean - half, sums.mean + half, [STUDENT] * len(half))


def _half_width(sums: Sums, confidence: float) -> Floats:
    """Half of the width of the intervals by Student's t, NaN for one query."""
    if sums.queries < 2:
        return np.full(len(sums.total), np.nan)
    quantile = student_quantile(sums.queries - 1, (1 - confidence) / 2)
    return quantile * sums.deviation / math.sqrt(sums.queries)
