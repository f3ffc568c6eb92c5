"""Which results find which gold passages, and which nuggets they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError
from partwise.messages import measures as messages
from partwise.model import NONE, Bools, Floats, Ints, slices
from partwise.parameters import MISSING, Param, Parameterised, exact
from partwise.records import record
from partwise.resolving import Batch, Judgements
from partwise.resolving.gold import Gold, Nuggets, gold_of, nuggets_of
from partwise.tables import GOLD, LONGEST, Key, Tables, ratio
from partwise.tables.text import Spans, SpansTable

# ---- match ----------------------------------------------------------------------------------------------------


class Match(Parameterised):
    """When a result finds a passage."""

    positional = True

    @classmethod
    def from_value(cls, value: Any) -> Any:
        match = super().from_value(value)
        return cover(share=1.0) if isinstance(match, contains) else match

    def check(self) -> None:
        if "share" in self.params and self._values["share"] is MISSING:
            raise PartwiseError(messages.NO_SHARE(name=type(self).__name__))

    def thresholds(self) -> Iterator[Match]:
        """The matches whose values are averaged: only this one, unless it is a range."""
        yield self


def _share() -> Param[float]:
    return Param(float, above=0, high=1, help="the share that must be reached")


class any_(Match):
    """They share at least one character."""


any_.__name__ = "any"


class contains(Match):
    """The result shows all of the passage: cover(1)."""


class cover(Match):
    """The result shows at least this share of the passage."""

    share = _share()


class seen(Match):
    """The results down to this rank show at least this share of the passage together, and this one adds to it."""

    share = _share()


class iou(Match):
    """The intersection over union is at least this; a result finds one passage, the closest that is not found yet."""

    share = _share()
    high: Param[float | None] = Param(
        float, default=None, above=0, high=1, help="with it, the mean over shares from the first to this, 0.05 apart"
    )

    def check(self) -> None:
        super().check()
        if self.high is not None and self.high < self.share:
            raise PartwiseError(messages.SHARES_REVERSED(name=self.name))

    def thresholds(self) -> Iterator[Match]:
        if self.high is None:
            yield self
            return
        level, high = exact(self.share), exact(self.high)
        while level <= high:
            yield iou(share=float(level))
            level += Fraction(1, 20)


def out_of_reach(judgements: Judgements, keys: Iterable[Key], longest: int) -> dict[float, int]:
    """The number of passages that no result of this length covers, by the shares that keys require."""
    matches = [key.match for key in keys if isinstance(key, (Parts, NuggetParts)) and key.budget is None]
    size = gold_of(judgements).size
    shares = dict.fromkeys(match.share for match in matches if isinstance(match, cover))
    counts = {share: int(np.count_nonzero(~reaches(np.full(len(size), longest), share, size))) for share in shares}
    return {share: count for share, count in counts.items() if count}


def reaches(part: Ints, share: float, whole: Ints) -> Bools:
    """Whether part / whole is at least this share, compared as exact fractions."""
    level = exact(share)
    largest = int(max(part.max(initial=0), whole.max(initial=0)))
    if largest * level.denominator >= kernels.LARGEST_SUM:
        part, whole = part.astype(object), whole.astype(object)
    reached: Bools = np.asarray(part * level.denominator >= whole * level.numerator, np.bool_)
    return reached


# ---- results and passages -------------------------------------------------------------------------------------


@record()
class SharedText(Key):
    """The results that share text with gold passages of at least the grade `rel`."""

    rel: int = 1
    budget: float | None = None
    pack: bool = False
    requires = (GOLD,)

    def build(self, batch: Batch, tables: Tables) -> SharedTextTable:
        gold = gold_of(batch.judgements, self.rel)
        has_gold = np.zeros(len(batch.judgements.pair_doc) + 1, np.bool_)  # the last is for documents not judged
        has_gold[gold.pair] = True
        rows = np.flatnonzero(has_gold[batch.pair])
        batch.require_parts(rows)
        start, end = batch.start, batch.end
        if self.budget is not None:
            spans: SpansTable = tables.get(Spans(self.budget, self.pack))
            start, end = spans.start, spans.end
        elif len(batch):
            tables.counts[LONGEST] = int((end - start).max(initial=0)) if batch.single else _longest(batch)
        offsets, inside = slices(batch.span_offsets, rows)
        row, passage, shared, fresh = kernels.shared_and_fresh(
            batch.pair[rows], offsets, start[inside], end[inside], gold.pair, gold.span_offsets, gold.start, gold.end
        )
        return SharedTextTable(batch, gold, rows[row], passage, shared, fresh, start, end)


def _longest(batch: Batch) -> int:
    sizes: Ints = kernels.segment_sums(batch.end - batch.start, batch.span_offsets[:-1], batch.span_offsets[1:])
    return int(sizes.max(initial=0))


@record(eq=False, repr=False)
class SharedTextTable:
    """Result ``row[i]`` and passage ``passage[i]`` share ``shared[i]`` characters, by row.

    ``fresh[i]`` of them are in no earlier result of the query.
    """

    batch: Batch
    gold: Gold
    row: Ints
    passage: Ints
    shared: Ints
    fresh: Ints
    start: Ints
    end: Ints

    def measured(self, match: Match) -> tuple[Ints, Ints]:
        """For each pair, the characters that count for the match, and those of which they must be a share."""
        size = self.gold.size[self.passage]
        if isinstance(match, seen):
            return self._seen, size
        if isinstance(match, iou):
            self.batch.require_ends(np.unique(self.row))
            bounds = self.batch.span_offsets
            of_row = kernels.segment_sums(self.end - self.start, bounds[self.row], bounds[self.row + 1])
            return self.shared, of_row + size - self.shared
        return self.shared, size

    def matching(self, match: Match) -> tuple[Bools, Ints]:
        """Which of these pairs match, and the number of characters of both together."""
        part, whole = self.measured(match)
        if isinstance(match, (cover, iou)):
            return reaches(part, match.share, whole), whole
        if isinstance(match, seen):
            return (self.fresh > 0) & reaches(part, match.share, whole), whole
        return np.ones(len(self.row), np.bool_), whole

    @cached_property
    def _seen(self) -> Ints:
        """How much of the passage the results down to this row show."""
        order = np.argsort(self.passage, kind="stable")
        total = np.cumsum(self.fresh[order])
        first = np.searchsorted(self.passage[order], self.passage[order])
        seen = np.empty(len(total), np.int64)
        seen[order] = total - np.concatenate([[0], total])[first]
        return seen


@record()
class Parts(Key):
    """Which result finds each gold passage first."""

    match: Match
    rel: int = 1
    budget: float | None = None
    pack: bool = False
    requires = (GOLD,)

    @property
    def sharing(self) -> SharedText:
        return SharedText(self.rel, self.budget, self.pack)

    def build(self, batch: Batch, tables: Tables) -> PartsTable:
        sharing: SharedTextTable = tables.get(self.sharing)
        matches, whole = sharing.matching(self.match)
        row, passage = sharing.row[matches], sharing.passage[matches]
        if isinstance(self.match, iou):
            matches &= ~batch.repeated[sharing.row]  # a part returned again finds nothing, whatever is left to find
            candidates = sharing.row[matches], sharing.passage[matches], sharing.shared[matches], whole[matches]
            found = kernels.closest_finds(*candidates, len(sharing.gold))
        else:
            found = np.full(len(sharing.gold), NONE)
            found[passage[::-1]] = row[::-1]
        ends = None if self.budget is None else tables.get(Spans(self.budget, self.pack)).read
        return PartsTable(batch, sharing.gold, row, passage, found, ends)


@record(eq=False, repr=False)
class PartsTable:
    """Matches (result ``row[i]`` and passage ``passage[i]``, by row), and the row that finds each passage, or NONE."""

    batch: Batch
    gold: Gold
    row: Ints
    passage: Ints
    found: Ints
    read: Ints | None
    """For each query, the row after the last one within the budget; None without one."""

    @property
    def offsets(self) -> Ints:
        return self.batch.offsets

    @cached_property
    def count(self) -> Ints:
        """The number of gold passages of each query."""
        return np.diff(self.gold.offsets)[self.batch.queries]

    @property
    def scored(self) -> Bools:
        return self.count > 0

    def ends(self, cutoff: int | None) -> Ints:
        """For each query, the row after the last one that counts."""
        last = self.offsets[1:] if self.read is None else self.read
        return last if cutoff is None else np.minimum(last, self.offsets[:-1] + cutoff)

    def sum(self, of_row: Any, cutoff: int | None) -> Any:
        """The sum over the results of each query that count."""
        return kernels.segment_sums(of_row, self.offsets[:-1], self.ends(cutoff))

    @cached_property
    def new(self) -> Ints:
        """The number of passages that each result finds first."""
        return np.bincount(self.found[self.found != NONE], minlength=len(self.batch))

    @cached_property
    def matched(self) -> Bools:
        """Whether each result matches a passage, found before or not."""
        matched = np.zeros(len(self.batch), np.bool_)
        matched[self.row] = True
        return matched

    @cached_property
    def finders(self) -> Ints:
        """For each result, how many of its query's results down to it find a new passage."""
        total = np.cumsum(self.new > 0)
        before = np.concatenate([[0], total])[self.offsets[:-1]]
        running: Ints = total - before[self.batch.query_of_row]
        return running

    @cached_property
    def rank(self) -> Ints:
        """The rank of each result."""
        return np.arange(len(self.batch)) - self.offsets[:-1][self.batch.query_of_row] + 1

    @property
    def precision(self) -> Floats:
        """At each result, the share of the results down to it that find a new passage."""
        return self.finders / self.rank

    def interpolated(self, ends: Ints) -> Floats:
        """At each result, the highest precision at its rank or a later one before `ends`."""
        precision = np.where(np.arange(len(self.batch)) < ends[self.batch.query_of_row], self.precision, 0.0)
        for low, high in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            precision[low:high] = np.maximum.accumulate(precision[low:high][::-1])[::-1]
        return precision

    def cumulated_gain(self, cutoff: int | None) -> Floats:
        """The discounted grades of the passages in the order in which they are found."""
        row_end = self.ends(cutoff)
        finds = np.flatnonzero(self.found != NONE)
        finds = finds[np.lexsort((-self.gold.grade[finds], self.found[finds]))]
        row = self.found[finds]
        query = self.batch.query_of_row[row]
        first = np.searchsorted(query, np.arange(len(self.batch.queries) + 1))
        place = np.arange(len(finds)) - first[query] + 1
        position = np.maximum(self.rank[row], place)
        counts = row < row_end[query]
        if cutoff is not None:
            counts &= position <= cutoff
        gain = np.where(counts, self.gold.grade[finds] / np.log2(position + 1), 0.0)
        sums: Floats = kernels.segment_sums(gain, first[:-1], first[1:])
        return sums

    def ideal_gain(self, cutoff: int | None) -> Floats:
        """The discounted grades of all passages, the highest first."""
        gold = self.gold
        query = np.repeat(np.arange(len(gold.offsets) - 1), np.diff(gold.offsets))
        grade = gold.grade[np.lexsort((-gold.grade, query))]
        place = np.arange(len(gold)) - gold.offsets[query] + 1
        gain = grade / np.log2(place + 1)
        if cutoff is not None:
            gain = np.where(place <= cutoff, gain, 0.0)
        offsets = gold.offsets
        sums: Floats = kernels.segment_sums(gain, offsets[:-1], offsets[1:])[self.batch.queries]
        return sums


# ---- nuggets --------------------------------------------------------------------------------------------------


@record()
class NuggetParts(Key):
    """Which result shows each nugget first: nuggets of at least the grade `rel`, by passages of any relevant grade."""

    match: Match
    rel: int = 1
    budget: float | None = None
    pack: bool = False
    requires = (GOLD,)

    @property
    def parts(self) -> Parts:
        return Parts(self.match, 1, self.budget, self.pack)

    def build(self, batch: Batch, tables: Tables) -> NuggetsTable:
        parts: PartsTable = tables.get(self.parts)
        return NuggetsTable(parts, nuggets_of(batch.judgements), self.rel)


@record(eq=False, repr=False)
class NuggetsTable:
    """The nuggets of each query that are of at least the grade `rel`, and the results that show them."""

    parts: PartsTable
    nuggets: Nuggets
    rel: int

    @cached_property
    def selected(self) -> Bools:
        """Whether each nugget is of the grade."""
        return self.nuggets.grade >= self.rel

    @cached_property
    def of_query(self) -> tuple[Ints, Ints]:
        """Offsets of the queries of the batch, and the numbers of their nuggets."""
        return slices(self.nuggets.offsets, self.parts.batch.queries)

    def per_query(self, of_nugget: Any) -> Any:
        """The sums of a column of all nuggets, for each query of the batch."""
        offsets, inside = self.of_query
        return kernels.segment_sums(of_nugget[inside], offsets[:-1], offsets[1:])

    @cached_property
    def count(self) -> Ints:
        counts: Ints = self.per_query(self.selected)
        return counts

    @property
    def scored(self) -> Bools:
        return self.count > 0

    def shown(self, cutoff: int | None) -> Bools:
        """Whether each nugget is selected and shown in the results that count."""
        nuggets = self.nuggets
        row = self.parts.found[nuggets.passage]
        batch = self.parts.batch
        end = np.zeros(len(batch.judgements.queries), np.int64)
        end[batch.queries] = self.parts.ends(cutoff)
        query = np.repeat(np.arange(len(nuggets.offsets) - 1), np.diff(nuggets.offsets))
        is_shown = np.zeros(len(nuggets.grade), np.bool_)
        is_shown[nuggets.nugget[(row != NONE) & (row < end[query[nuggets.nugget]])]] = True
        return is_shown & self.selected

    def complete(self, cutoff: int | None) -> Bools:
        """Whether each query has all nuggets of one of its sets, or without sets all its nuggets."""
        nuggets, queries = self.nuggets, self.parts.batch.queries
        shown = self.shown(cutoff)
        everything = self.per_query(shown) == self.count
        in_set = self.selected[nuggets.set_nugget]
        members, lacking = np.zeros(len(nuggets.set_query), np.int64), np.zeros(len(nuggets.set_query), np.int64)
        np.add.at(members, nuggets.set[in_set], 1)
        np.add.at(lacking, nuggets.set[in_set], ~shown[nuggets.set_nugget[in_set]])
        has_sets, has_complete = (np.zeros(len(nuggets.offsets) - 1, np.bool_) for _ in range(2))
        has_sets[nuggets.set_query[members > 0]] = True
        has_complete[nuggets.set_query[(members > 0) & (lacking == 0)]] = True
        return np.where(has_sets[queries], has_complete[queries], everything)

    def aspect_precision(self) -> Floats:
        """The sum over results of the number of new nuggets, times the share of useful results that show one."""
        parts, nuggets = self.parts, self.nuggets
        chosen = self.selected[nuggets.nugget]
        match, link = kernels.pairs_of_groups(parts.passage, nuggets.passage[chosen])
        nugget = nuggets.nugget[chosen][link]
        row = parts.row[match]
        shows = np.zeros(len(parts.batch), np.bool_)
        shows[row] = True
        first = np.full(len(nuggets.grade), NONE)
        first[nugget[::-1]] = row[::-1]
        new = np.bincount(first[first != NONE], minlength=len(parts.batch))
        useful = self._running(new > 0)
        value = new * ratio(useful, useful + self._running(~shows))
        sums: Floats = kernels.segment_sums(value, parts.offsets[:-1], parts.offsets[1:])
        return sums

    def _running(self, of_row: Bools) -> Ints:
        """Counts down the list of each query."""
        total = np.cumsum(of_row)
        before = np.concatenate([[0], total])[self.parts.offsets[:-1]]
        running: Ints = total - before[self.parts.batch.query_of_row]
        return running
