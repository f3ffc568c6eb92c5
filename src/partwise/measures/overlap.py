"""Measures of how much text is returned more than once."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.measures.base import OURS, Measure, cutoff_param
from partwise.model import Bools, Floats
from partwise.parameters import Param
from partwise.tables import Key, ends, ratio, sums
from partwise.tables.text import Sharing, Spans, SpansTable


class Overlap(Measure):
    """Overlap: the share of results that share text with another result.

    Overlap@k = results among the first k that share text with another of them / results among the first k

    Both must be among the first results, in the same document, with at least one character in common: adjacent parts
    do not overlap. A query without results is left out.
    """

    paper = OURS
    better = "lower"
    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [Spans(), Sharing(self.cutoff)]

    def score(self, spans: SpansTable, shares: Bools) -> Floats:
        return ratio(sums(shares, spans.offsets, self.cutoff), ends(spans.offsets, self.cutoff) - spans.offsets[:-1])


class Redundancy(Measure):
    """Redundancy: the share of the characters shown that were shown before.

    Redundancy@k = 1 - different characters in the first k results / all their characters

    1 - new characters / all characters over the first results, relevant or not. A query without results is left out;
    a list of empty parts only has redundancy 0.
    """

    paper = OURS
    better = "lower"
    counts_text = True
    cutoff: Param[int | None] = cutoff_param()

    def needs(self) -> Sequence[Key]:
        return [Spans()]

    def score(self, spans: SpansTable) -> Floats:
        size = sums(spans.size, spans.offsets, self.cutoff)
        return ratio(size - sums(spans.new, spans.offsets, self.cutoff), size)
