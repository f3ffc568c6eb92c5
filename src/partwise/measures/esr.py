"""Extended structural relevance: the expected hits, near-misses and misses of users who navigate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from partwise import parameters
from partwise.measures.base import Measure, cutoff_param
from partwise.measures.navigation import nav_param
from partwise.model import Floats
from partwise.navigation import Navigation
from partwise.parameters import Param
from partwise.tables import Facts, Key, best_at_levels, ratio
from partwise.tables.expected import Expected, ExpectedTable
from partwise.tables.text import Spans, SpansTable

ALI_2011 = "Ali, Consens and Lalmas, Extended Structural Relevance Framework"
SMALLEST = 1e-9
_DEFAULT_NAV = {"elements": "depth", "passages": "coverage"}
_DEFAULT_MATCH = {"elements": "exact", "passages": "contains"}


class _Extended(Measure):
    """The common part of the measures of extended structural relevance."""

    kind = "parts"
    paper = ALI_2011
    for_passages = "parts=passages"
    default_rel: ClassVar[str] = "binary"
    parts: Param[str | None] = Param(
        str,
        default=None,
        choices=("elements", "passages"),
        help="the relevant parts: judged elements and trees, or highlighted passages. By default elements if there is "
        "a collection, else passages",
    )
    nav: Param[Navigation | None] = nav_param("depth for elements, coverage for passages")
    rel: Param[str | None] = Param(
        str,
        default=None,
        choices=("binary", "length", "spe"),
        help="the worth of a relevant part: 1, its highlighted characters, or its specificity. By default length for "
        "SRiP, SRiR, iSRiP, MASRiP and their variants with near-misses, else binary",
    )
    match: Param[str | None] = Param(
        str,
        default=None,
        choices=("exact", "contains"),
        help="which results retrieve a part: those equal to it, or those that contain all of it. By default exact for "
        "elements, contains for passages",
    )
    alpha: Param[float] = Param(
        float, default=0.0, low=0, high=1, help="how much of a hit's text in earlier results is subtracted"
    )

    def resolved(self, facts: Facts) -> Measure:
        parts = facts.relevant_kind(self.parts)
        nav = facts.navigation(self.nav or _DEFAULT_NAV[parts], parts, "parts")
        match = None if self.match == _DEFAULT_MATCH[parts] else self.match
        return self(parts=parts, nav=nav, rel=self.rel or self.default_rel, match=match)

    @property
    def table(self) -> Expected:
        parts = self.parts or "passages"
        nav = self.nav or Navigation.from_value(_DEFAULT_NAV[parts])
        return Expected(parts, nav, self.rel or self.default_rel, self.match or _DEFAULT_MATCH[parts], self.alpha)

    def needs(self) -> Sequence[Key]:
        return [self.table]


def _depth_param() -> Param[int]:
    return Param(int, default=1000, low=1, help="the number of results that are used", of_results=True)


def _level_param() -> Param[float]:
    return Param(float, at=True, low=0, high=1, example=0.1, help="the recall level")


# ---- the expectations themselves ------------------------------------------------------------------------------


class ESRHits(_Extended):
    """Expected hits: the worth of relevant parts that are retrieved and were not seen by navigating before.

    ESRHits = sum over relevant parts a retrieved at rank m of rel(a) * (1 - p(a; R before m))

    p(a;R) = 1 - prod (1 - p(a;t)) over the results t. Between trees p(a;t) is the sum of P(e | f) over elements e of a
    not in t and f of t not in a, divided by the numbers of elements of both.
    """

    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return expected.at(expected.hits, self.cutoff)


class ESRNear(_Extended):
    """Expected near-misses: the worth of relevant parts that are not retrieved but navigated to.

    ESRNear = sum over relevant parts a that are not retrieved of rel(a) * p(a;R)

    p(a;R) is the probability that users reach a from the results (see ESRHits).
    """

    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return expected.at(expected.near, self.cutoff)


class ESRMisses(_Extended):
    """Expected misses: the worth of relevant parts that are neither retrieved nor navigated to.

    ESRMisses = sum over relevant parts a that are not retrieved of rel(a) * (1 - p(a;R))

    p(a;R) is the probability that users reach a from the results (see ESRHits).
    """

    better = "lower"
    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return expected.base_at(self.cutoff) - expected.at(expected.both, self.cutoff)


class ESRBase(_Extended):
    """The expected recall base: hits, near-misses and misses together.

    ESRBase = ESRHits + ESRNear + ESRMisses
    """

    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return expected.base_at(self.cutoff)


class ESRShrinkage(_Extended):
    """Shrinkage: the worth that hits lose because users have seen them before, navigating from earlier results.

    ESRShrinkage = sum over relevant parts a retrieved at rank m of rel(a) * p(a; R before m)

    Added to the recall base it gives the worth of all relevant parts.
    """

    better = "lower"
    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return expected.at(expected.shrinkage, self.cutoff)


# ---- precision and recall -------------------------------------------------------------------------------------


class ESRP(_Extended):
    """Structural relevance in precision: expected hits per result.

    ESRP@k = ESRHits@k / k

    Hits / k at the cutoff k, even if the list is shorter. Hits is the sum over the relevant parts a that the first k
    results retrieve, each at its first rank m, of rel(a) (1 - p(a; R before m)): parts that users have seen by
    navigating from earlier results count less (see ESRHits).

    It is 1 if each of the first k results retrieves another relevant part and users do not navigate from one to
    another: passages returned exactly as highlighted, or elements with nav=none. Under models that lead from element to
    element even a list of relevant elements has less. With rel=length it counts characters per result, and a result
    that contains several relevant parts (match=contains) is several hits, so it may be more than 1.
    """

    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return ratio(expected.at(expected.hits, self.cutoff), _ranks(expected, self.cutoff))


def _ranks(expected: ExpectedTable, cutoff: int | None) -> Any:
    return expected.ranks if cutoff is None else np.full(len(expected.ranks), cutoff)


class ESRR(_Extended):
    """Structural relevance in recall: expected hits and near-misses, as a share of the expected recall base.

    ESRR@k = (ESRHits@k + ESRNear@k) / ESRBase@k

    (Hits + Near) / Recall-base at the cutoff. Hits: relevant parts that are retrieved, each worth rel(a) times the
    probability that users have not seen it before. Near: those that are not retrieved, worth rel(a) times the
    probability p(a;R) that users navigate to them. Recall-base = Hits + Near + Misses, which is the worth of all
    relevant parts less the worth that hits lose because they were seen before (ESRShrinkage).

    It is 1 if every relevant part is retrieved or certain to be seen, in any order; an empty list has 0.
    """

    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        return ratio(expected.at(expected.both, self.cutoff), expected.base_at(self.cutoff))


class _BySize(_Extended):
    """A measure whose relevant parts are by default worth their highlighted characters."""

    default_rel = "length"


class SRiP(_BySize):
    """Structural relevance in text precision: expected hits per character read.

    SRiP@k = ESRHits@k / sum of size over the first k results

    Hits / sum of size over the first results. By default (rel=length) a hit is worth its highlighted characters times
    the probability that users have not seen it before, so this is the share of the text read that is relevant and new;
    a repeated part is read again and gains nothing.

    It is 1 if the results are exactly the highlighted passages, each once: users do not navigate from one to another.
    An element that is highlighted in part gains at most its highlighted share. SRiP2 adds near-misses, and may be more
    than 1.
    """

    near: ClassVar[bool] = False
    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [self.table, Spans()]

    def score(self, expected: ExpectedTable, spans: SpansTable) -> Floats:
        gained = expected.at(expected.both if self.near else expected.hits, self.cutoff)
        return ratio(gained, expected.at(_read(spans), self.cutoff))


def _read(spans: SpansTable) -> Floats:
    """The characters read down to each rank."""
    total = np.concatenate([[0], np.cumsum(spans.size)])
    start = np.repeat(spans.offsets[:-1], np.diff(spans.offsets))
    read: Floats = (total[1:] - total[start]).astype(np.float64)
    return read


class SRiP2(SRiP):
    """Structural relevance in text precision with near-misses: expected hits and near-misses per character read.

    SRiP2@k = (ESRHits@k + ESRNear@k) / sum of size over the first k results
    """

    near = True


class SRiR(_BySize):
    """Structural relevance in text recall: expected hits, as a share of the worth of all relevant parts.

    SRiR@k = ESRHits@k / sum of rel(a) over all relevant parts
    """

    near: ClassVar[bool] = False
    base: Param[str] = Param(
        str,
        default="all",
        choices=("all", "expected"),
        help="the base of recall: the worth of all relevant parts, or the expected recall base",
    )
    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        gained = expected.at(expected.both if self.near else expected.hits, self.cutoff)
        return ratio(gained, expected.total if self.base == "all" else expected.base_at(self.cutoff))


class SRiR2(SRiR):
    """Structural relevance in text recall with near-misses: both as a share of the worth of all relevant parts.

    SRiR2@k = (ESRHits@k + ESRNear@k) / sum of rel(a) over all relevant parts
    """

    near = True


class NSRCG(_Extended):
    """Normalised structural relevance in cumulated gain: expected hits relative to those desired by this rank.

    NSRCG@i = ESRHits@i / (i * l * ESRBase@i / m)

    A user who wants the share l of the recall base within m ranks desires i*l*Recall-base/m by rank i.
    """

    near: ClassVar[bool] = False
    l: Param[float] = Param(float, default=1.0, above=0, high=1, help="the desired share of the recall base")  # noqa: E741
    m: Param[int] = Param(int, default=10, low=1, help="the desired number of ranks")
    cutoff: Param[int | None] = cutoff_param()

    def score(self, expected: ExpectedTable) -> Floats:
        gained = expected.at(expected.both if self.near else expected.hits, self.cutoff)
        return ratio(gained, _ranks(expected, self.cutoff) * self.l * expected.base_at(self.cutoff) / self.m)


class NSRCG2(NSRCG):
    """Normalised structural relevance in cumulated gain with near-misses: expected worth relative to that desired.

    NSRCG2@i = (ESRHits@i + ESRNear@i) / (i * l * ESRBase@i / m)
    """

    near = True


class SRPRUM(_Extended):
    """Precision of users who navigate, by expectations: hits and near-misses per rank, where recall is reached.

    SRPRUM = (ESRHits@C + ESRNear@C) / C, where C = the first rank with ESRR@C >= recall

    At C, the first rank where ESRR is at least `recall` (the last one if none is): (hits + near-misses) / C.
    """

    recall: Param[float] = Param(float, default=1.0, above=0, high=1, help="the recall to be reached")

    def score(self, expected: ExpectedTable) -> Floats:
        values = np.zeros(len(expected.ranks))
        for query, count in enumerate(expected.ranks.tolist()):
            if count:
                rows = slice(int(expected.offsets[query]), int(expected.offsets[query + 1]))
                enough = expected.both[rows] >= self.recall * expected.base[rows] - SMALLEST
                rank = int(np.argmax(enough)) if enough.any() else count - 1
                values[query] = expected.both[rows][rank] / (rank + 1)
        return values


# ---- interpolated ---------------------------------------------------------------------------------------------


class _Interpolated(_BySize):
    """The common part of the interpolated measures: the best text precision at a level of SRiR2 or beyond."""

    near: ClassVar[bool] = False
    depth: Param[int] = _depth_param()

    def needs(self) -> Sequence[Key]:
        return [self.table, Spans()]

    def curve(self, expected: ExpectedTable, spans: SpansTable, levels: Sequence[float]) -> Floats:
        precision = ratio(expected.both if self.near else expected.hits, _read(spans))
        return best_at_levels(precision, expected.both, expected.total, expected.offsets, levels, self.depth)


class iSRiP(_Interpolated):
    """Interpolated structural relevance: the best SRiP at this level of SRiR2 or beyond.

    iSRiP@x = max of SRiP@k over the ranks k with SRiR2@k >= x
    """

    recall: Param[float] = _level_param()

    def score(self, expected: ExpectedTable, spans: SpansTable) -> Floats:
        return self.curve(expected, spans, [float(parameters.exact(self.recall))])[:, 0]


class iSRiP2(iSRiP):
    """Interpolated structural relevance with near-misses: the best SRiP2 at this level of SRiR2 or beyond.

    iSRiP2@x = max of SRiP2@k over the ranks k with SRiR2@k >= x
    """

    near = True


_LEVELS = [point / 100 for point in range(101)]


class MASRiP(_Interpolated):
    """Mean interpolated structural relevance: the mean of iSRiP at 0, 0.01 ... 1.

    MASRiP = mean of iSRiP@x over x = 0, 0.01 ... 1

    iSRiP@x is the highest SRiP over the ranks at which SRiR2 is at least x, 0 if none is: SRiP = Hits / characters
    read, SRiR2 = (Hits + Near) / the worth of all relevant parts. The mean is over x = 0/100, 1/100 ... 100/100; the
    list is cut at `depth` results. SRiR2 may fall from one rank to the next (a near-miss that is then retrieved counts
    only to the extent that users had not seen it), so all ranks are searched for a level.

    It is 1 if the list begins with exactly the highlighted passages, all of them, each once. Levels that are never
    reached count as 0, so half of the text, perfectly chosen, has about one half.
    """

    def score(self, expected: ExpectedTable, spans: SpansTable) -> Floats:
        mean: Floats = self.curve(expected, spans, _LEVELS).mean(axis=1)
        return mean


class MASRiP2(MASRiP):
    """Mean interpolated structural relevance with near-misses: the mean of iSRiP2 at 0, 0.01 ... 1.

    MASRiP2 = mean of iSRiP2@x over x = 0, 0.01 ... 1
    """

    near = True


class MAESRP(_Extended):
    """Mean interpolated ESRP: the mean, over ESRR 0, 0.01 ... 1, of the best ESRP at that level or beyond.

    MAESRP = mean over x = 0, 0.01 ... 1 of the highest ESRP@k at a rank k with ESRR@k >= x
    """

    depth: Param[int] = _depth_param()

    def score(self, expected: ExpectedTable) -> Floats:
        rank = np.arange(len(expected.hits)) - np.repeat(expected.offsets[:-1], expected.ranks) + 1
        recall = ratio(expected.both, expected.base)
        curve = best_at_levels(
            expected.hits / rank, recall, np.ones(len(expected.ranks)), expected.offsets, _LEVELS, self.depth
        )
        mean: Floats = curve.mean(axis=1)
        return mean
