"""Reading character by character, and what nobody judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.measures.base import OURS, Measure, as_asked, cutoff_param, judged_only_param, rel_param
from partwise.measures.parts import GENOMICS_2007
from partwise.model import Bools, Floats, Ints
from partwise.parameters import Param, Parameterised
from partwise.tables import Key, ratio, sums
from partwise.tables.reading import Judged, JudgedTable, Stretches, StretchesTable, harmonic
from partwise.tables.text import Spans, SpansTable, Text, TextTable
from partwise.units import scale_of

U_MEASURE = "Sakai and Dou 2013, Summaries, ranked retrieval and sessions: a unified framework (U-measure)"
MOFFAT_2008 = "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness"


class CharAP(Measure):
    """Average precision character by character.

    CharAP = (sum over relevant characters of n / d) / all relevant characters

    Read the list in rank order, each part in document order. A relevant character read again is skipped; any other
    character adds 1 to d, a relevant one also 1 to n and then n/d to the sum. The sum is divided by the number of
    relevant characters. This is PASSAGE2 of TREC Genomics 2007.

    One irrelevant character is read before two relevant ones: (1/2 + 2/3) / 2.

    >>> import partwise as pw
    >>> gold, run = {"q": [("d", 2, 4)]}, {"q": [("d", 1, 4)]}
    >>> pw.evaluate(gold, run, "CharAP").mean()["run"]
    {'CharAP': 0.5833333333333334}
    """

    paper = GENOMICS_2007
    counts_text = True
    rel = rel_param()
    judged_only = judged_only_param()

    def needs(self) -> Sequence[Key]:
        return as_asked(self, Stretches(self.rel))

    def score(self, stretches: StretchesTable) -> Floats:
        n, d = stretches.gained, stretches.read - stretches.read_again
        value = stretches.length - (d - n) * harmonic(d, stretches.length)
        return ratio(stretches.per_query(value), stretches.relevant)


class Decay(Parameterised):
    """How the gain of a character falls with its position in all that is read."""

    def gain(self, start: Floats, length: Floats, scale: int) -> Floats:
        """The sums of the decay at the positions start + 1 ... start + length, in units of which `scale` are one."""
        raise NotImplementedError


class linear(Decay):
    """1 - p/L, 0 from L on: the decay of the U-measure."""

    L: Param[float] = Param(float, default=132000.0, above=0, help="the position from which nothing is gained")

    def gain(self, start: Floats, length: Floats, scale: int) -> Floats:
        whole = self.L * scale
        last = np.minimum(start + length, np.ceil(whole) - 1)
        count = np.maximum(last - start, 0.0)
        gains: Floats = count * (1 - (start + 1 + last) / (2 * whole))
        return np.maximum(gains, 0.0)


class half(Decay):
    """2^(-p/h): the decay of time-biased gain."""

    h: Param[float] = Param(float, above=0, help="the position at which half is gained")

    def gain(self, start: Floats, length: Floats, scale: int) -> Floats:
        rate = np.log(2) / (self.h * scale)
        gains: Floats = np.exp(-rate * (start + 1)) * (np.expm1(-rate * length) / np.expm1(-rate))
        return gains


class TextU(Measure):
    """Utility of the text read: every new relevant character gains less the later it is read.

    TextU = (sum of decay(p) over new relevant characters) / (sum of decay(p) over p = 1 ... T)

    A character at position p of all that was read (from 1, what is read again counts) gains decay(p). Divided by the
    gain of a list that shows the relevant characters first and nothing else.

    Two relevant characters are at positions 2 and 3 instead of 1 and 2: (2/4 + 1/4) / (3/4 + 2/4).

    >>> import partwise as pw
    >>> gold, run = {"q": [("d", 0, 2)]}, {"q": [("e", 0, 1), ("d", 0, 2)]}
    >>> pw.evaluate(gold, run, "TextU(decay=linear(L=4))").mean()["run"]
    {'TextU(decay=linear(L=4))': 0.6}
    """

    paper = U_MEASURE
    counts_text = True
    decay: Param[Decay] = Param(Decay, default=linear(), help="linear(L) or half(h)")
    rel = rel_param()
    judged_only = judged_only_param()

    def needs(self) -> Sequence[Key]:
        return as_asked(self, Stretches(self.rel))

    def score(self, stretches: StretchesTable) -> Floats:
        scale = scale_of(stretches.batch.judgements.assessments.unit)
        gain = self.decay.gain(stretches.read.astype(np.float64), stretches.length.astype(np.float64), scale)
        ideal = self.decay.gain(np.zeros(len(stretches.relevant)), stretches.relevant.astype(np.float64), scale)
        return ratio(stretches.per_query(gain), ideal)


class TextRBP(Measure):
    """Rank-biased text precision: the share of new relevant text in each result, weighted by its rank.

    TextRBP = (1 - p) * sum over ranks r of p^(r-1) * rval_r / size_r

    rval_r / size_r is the share of the r-th result that is relevant and new.

    The first result is relevant, of the second only the half that is new: 0.5 * (1 + 0.5 * 0.5).

    >>> import partwise as pw
    >>> gold, run = {"q": [("d", 0, 10)]}, {"q": [("d", 0, 5), ("d", 0, 10)]}
    >>> pw.evaluate(gold, run, "TextRBP(p=0.5)").mean()["run"]
    {'TextRBP(p=0.5)': 0.625}
    """

    paper = MOFFAT_2008
    p: Param[float] = Param(float, default=0.8, low=0, high=1, help="how likely a reader goes on to the next result")
    rel = rel_param()
    judged_only = judged_only_param()

    def needs(self) -> Sequence[Key]:
        return as_asked(self, Text(rel=self.rel))

    def score(self, text: TextTable) -> Floats:
        offsets = text.offsets
        before = np.arange(len(text.size)) - np.repeat(offsets[:-1], np.diff(offsets))
        share = ratio(text.highlights.new, text.size)
        values: Floats = (1 - self.p) * sums(self.p**before * share, offsets, None)
        return values


class Read(Measure):
    """The amount of text in the first results: a size to report beside other measures.

    Read@k = sum of size over the first k results

    Counted in characters (or the unit of the offsets), for every judged query; 0 for an empty list.

    Results of 15 and 5 characters:

    >>> import partwise as pw
    >>> gold, run = {"q": [("d", 0, 10)]}, {"q": [("d", 0, 15), ("e", 0, 5)]}
    >>> pw.evaluate(gold, run, "Read@1 Read@5").mean()["run"]
    {'Read@1': 15.0, 'Read@5': 20.0}
    """

    better = "neither"
    paper = OURS
    counts_text = True
    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [Spans()]

    def scored(self, spans: SpansTable) -> Bools:
        return np.ones(len(spans.offsets) - 1, np.bool_)

    def score(self, spans: SpansTable) -> Floats:
        size: Ints = sums(spans.size, spans.offsets, self.cutoff)
        return size / scale_of(spans.batch.judgements.assessments.unit)


class TextJudged(Measure):
    """The share of the text in the first results that is in judged documents.

    TextJudged@k = characters of the first k results in judged documents / all their characters

    A document is judged for a query if the assessments have any row for both. Counted for every judged query with
    results. What is not judged counts as not relevant everywhere, so a low value means that other values are too low.

    15 of 20 characters are in the judged document d:

    >>> import partwise as pw
    >>> gold, run = {"q": [("d", 0, 10)]}, {"q": [("d", 0, 15), ("e", 0, 5)]}
    >>> pw.evaluate(gold, run, "TextJudged@1 TextJudged@5").mean()["run"]
    {'TextJudged@1': 1.0, 'TextJudged@5': 0.75}
    """

    paper = OURS
    counts_text = True
    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [Judged()]

    def score(self, judged: JudgedTable) -> Floats:
        spans = judged.spans
        size = np.where(judged.is_judged, spans.size, 0)
        return ratio(sums(size, spans.offsets, self.cutoff), sums(spans.size, spans.offsets, self.cutoff))
