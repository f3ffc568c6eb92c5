"""Extended cumulated gain: overlapping elements and near-misses, compared with an ideal list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.measures.base import Measure, cutoff_param
from partwise.model import Floats
from partwise.parameters import Param
from partwise.tables import Facts, Key
from partwise.tables.gain import Curve, Gain, GainTable

KAZAI_LALMAS = "Kazai and Lalmas 2006, eXtended Cumulated Gain Measures"


def quant_param() -> Param[str | None]:
    return Param(
        str,
        default=None,
        help="how grades become gain: strict, gen, sog on four points; exhspe, strictn, spe, genlifted on unit grades; "
        "or a registered one. By default sog on four points, else spe",
    )


class GradedMeasure(Measure):
    """A measure of graded elements, with a quantisation whose default depends on the scale of the grades."""

    kind = "parts"
    quant: Param[str | None] = quant_param()

    def resolved(self, facts: Facts) -> Measure:
        return self(quant=facts.quantisation(self.quant))


class _Gain(GradedMeasure):
    """The common part of the measures of cumulated gain."""

    paper = KAZAI_LALMAS
    quant: Param[str | None] = quant_param()
    alpha: Param[float] = Param(
        float, default=1.0, low=0, high=1, help="how much of the text seen before is subtracted; 0 ignores overlap"
    )
    ideal: Param[str] = Param(
        str,
        default="focused",
        choices=("focused", "all"),
        help="the ideal elements: the best on every relevant path, or every relevant element by itself (Thorough)",
    )

    def needs(self) -> Sequence[Key]:
        return [Gain(self.quant or "", self.alpha, self.ideal)]

    def score(self, gain: GainTable) -> Floats:
        # A query without an ideal element is not scored.
        return np.array([self.of(run, ideal, left) if len(ideal) else 0.0 for run, ideal, left in gain.curves()])

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        """The value of one query."""
        raise NotImplementedError


class xCG(_Gain):
    """Cumulated gain: the total gain of the first results.

    xCG@k = xG_1 + ... + xG_k

    The gain xG of an element is its quantised grade, less the part that earlier
    results have shown, and at most the remaining gain of the ideal elements above, below or equal to it.
    """

    cutoff: Param[int | None] = cutoff_param()

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        return float(run.at(len(run) if self.cutoff is None else self.cutoff))


class nxCG(_Gain):
    """Normalised cumulated gain: the gain of the first results, relative to the ideal gain at the same rank.

    nxCG@k = xCG[k] / xCI[k]

    xCG and xCI are the cumulated gains of the run and of the ideal list, both constant after their ends.
    """

    cutoff: Param[int | None] = cutoff_param()

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        rank = len(run) if self.cutoff is None else self.cutoff
        return float(run.at(rank) / ideal.at(rank)) if rank else 0.0


class MAnxCG(_Gain):
    """Mean normalised cumulated gain: the mean of nxCG at all ranks down to the cutoff (default 1500).

    MAnxCG@k = (nxCG@1 + ... + nxCG@k) / k
    """

    cutoff: Param[int] = Param(
        int, at=True, default=1500, low=1, high=10_000_000, help="the last rank of the mean", of_results=True
    )

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        ranks = np.arange(1, self.cutoff + 1)
        return float((run.at(ranks) / ideal.at(ranks)).mean())


class xGR(_Gain):
    """Gain-recall: the gain of the first results, relative to the total ideal gain.

    xGR@k = xCG[k] / xCI[end]
    """

    cutoff: Param[int | None] = cutoff_param()

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        rank = len(run) if self.cutoff is None else self.cutoff
        return float(run.at(rank) / ideal.total[-1])


class ep(_Gain):
    """Effort-precision: how deep the ideal list must be read for this gain, relative to this list.

    ep@x = rank at which the ideal list gains x * xCI[end] / rank at which the run does

    The rank at which the ideal curve reaches the share of all gain, divided by the rank at which the run's does; 0 if
    it never does. A rank is interpolated: (k-1) + r/C[k] at the first rank k whose cumulated gain C[k] is at least r.
    """

    recall: Param[float] = Param(float, at=True, above=0, high=1, example=0.1, help="the share of all gain")

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        return float(_effort_precision(run, ideal, np.array([self.recall]))[0])


class iMAep(_Gain):
    """Interpolated mean effort-precision: the mean of ep at gain-recall 0.1, 0.2 ... 1.

    iMAep = (ep@0.1 + ep@0.2 + ... + ep@1) / 10
    """

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        return float(_effort_precision(run, ideal, np.arange(1, 11) / 10).mean())


def _effort_precision(run: Curve, ideal: Curve, recall: Floats) -> Floats:
    gain = recall * ideal.total[-1]
    return ideal.rank_reaching(gain) / run.rank_reaching(gain)


class MAep(_Gain):
    """Mean average effort-precision: effort-precision averaged over ranks with gain and ideal elements missed.

    MAep = (sum over ranks k with gain of (ideal rank of xCG[k]) / k) / (ranks with gain + ideal elements missed)

    The sum, over the ranks k with gain, of the rank at which the ideal list reaches xCG[k] divided by k; divided by the
    number of such ranks plus the number of ideal elements from which no gain came.
    """

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        ranks = run.gaining
        return float((ideal.rank_reaching(run.at(ranks)) / ranks).sum() / (len(ranks) + unreached))


class xQ(_Gain):
    """Q-measure on cumulated gain: a blend of gain and precision at the ranks with gain.

    xQ = (sum over ranks k with gain of cbg[k] / (xCI[k] + k)) / (ranks with gain + ideal elements missed)

    The sum over ranks with gain of cbg[k] / (xCI[k] + k), cbg being the cumulated gain with a bonus of 1 for every rank
    with gain; the divisor is that of MAep.
    """

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        ranks = run.gaining
        return float((_bonus(run).at(ranks) / (ideal.at(ranks) + ranks)).sum() / (len(ranks) + unreached))


class xR(_Gain):
    """R-measure on cumulated gain: cbg[R] / (xCI[R] + R) at R, the number of ideal elements.

    xR = cbg[R] / (xCI[R] + R)
    """

    def of(self, run: Curve, ideal: Curve, unreached: int) -> float:
        rank = len(ideal)
        return float(_bonus(run).at(rank) / (ideal.at(rank) + rank))


def _bonus(run: Curve) -> Curve:
    return Curve(np.where(run.gains > 0, run.gains + 1, 0.0))
