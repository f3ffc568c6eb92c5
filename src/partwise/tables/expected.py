"""Expected hits, near-misses, misses and shrinkage, rank by rank."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Floats, Ints
from partwise.navigation import Navigation
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import COLLECTION, LENGTHS, Key, Tables
from partwise.tables.links import LinksOfQueries, QueryPlaces
from partwise.tables.targets import ELEMENTS, Relevant, RelevantParts, Returned

NEVER = int(np.iinfo(np.int64).max)
"""The row of a part that is not retrieved."""
SMALLEST = 1e-12


@record()
class Passing(Key):
    """The probability that users navigate from each result to each relevant part."""

    parts: str
    nav: Navigation

    def required(self) -> tuple[str, ...]:
        lengths = (LENGTHS,) if self.nav.needs_lengths else ()
        nodes = (COLLECTION,) if self.nav.needs_nodes else ()
        return (*Relevant(self.parts).required(), *nodes, *lengths)

    def build(self, batch: Batch, tables: Tables) -> LinksOfQueries:
        returned = tables.get(Returned(self.parts == ELEMENTS))
        return LinksOfQueries(returned, tables.get(Relevant(self.parts)).targets, self.nav, between_trees=True)


@record()
class Expected(Key):
    """Expected hits, near-misses and shrinkage down to each rank."""

    parts: str
    nav: Navigation
    rel: str
    match: str
    alpha: float = 0.0

    def required(self) -> tuple[str, ...]:
        return Passing(self.parts, self.nav).required()

    def only_elements(self) -> bool:
        return self.parts == ELEMENTS and self.match == "exact" and self.nav.only_from_elements

    def build(self, batch: Batch, tables: Tables) -> ExpectedTable:
        relevant: RelevantParts = tables.get(Relevant(self.parts))
        links: LinksOfQueries = tables.get(Passing(self.parts, self.nav))
        worth = relevant.worth(self.rel)
        bounds = relevant.targets.query_offsets
        total = kernels.segment_sums(worth, bounds[:-1], bounds[1:])
        columns = np.zeros((3, len(batch)))
        for queries in links.groups:
            rel = worth[bounds[queries.start] : bounds[queries.stop]]
            rows = slice(int(batch.offsets[queries.start]), int(batch.offsets[queries.stop]))
            columns[:, rows] = self._gains(links, queries, rel, rows)
        curves = np.stack([kernels.running_sums(column, batch.offsets) for column in columns])
        curves[curves < (SMALLEST * np.maximum(1.0, total))[batch.query_of_row]] = 0.0
        return ExpectedTable(batch.offsets, total, *curves)

    def _gains(self, links: LinksOfQueries, queries: range, rel: Floats, rows: slice) -> Floats:
        """Hits, near-misses and shrinkage of some queries, at each of their rows."""
        places = links.places(queries)
        found_at = retrieved_at(places, self.match)
        earlier = links.of(queries)
        earlier = earlier.where(earlier.row < found_at[earlier.target])
        unseen = np.ones(len(rel))
        unseen[earlier.target[earlier.last]] = earlier.unseen[earlier.last]
        hit = np.flatnonzero(found_at != NEVER)
        held = shares_held(places, found_at)[hit] if self.alpha else 0.0
        gained = rel[hit] * (1 - self.alpha * held) * unseen[hit]

        def at(row: Ints, value: Floats) -> Floats:
            total = np.zeros(rows.stop - rows.start)
            np.add.at(total, row - rows.start, value)
            return total

        near = at(earlier.row, rel[earlier.target] * (earlier.before - earlier.unseen))
        near -= at(found_at[hit], rel[hit] * (1 - unseen[hit]))
        return np.stack([at(found_at[hit], gained), near, at(found_at[hit], rel[hit] - gained)])


@record()
class ExpectedTable:
    """Cumulated sums over the ranks of each query, and the worth of all its relevant parts."""

    offsets: Ints
    total: Floats
    hits: Floats
    near: Floats
    shrinkage: Floats

    @property
    def scored(self) -> Bools:
        return self.total > 0

    @cached_property
    def ranks(self) -> Ints:
        return np.diff(self.offsets)

    def at(self, curve: Floats, cutoff: int | None) -> Floats:
        """A curve at the cutoff, or at the end of a shorter list; 0 for an empty one."""
        last = self.ranks if cutoff is None else np.minimum(self.ranks, cutoff)
        where = self.offsets[:-1] + last - 1
        return np.where(last > 0, np.append(curve, 0.0)[where], 0.0)

    @cached_property
    def base(self) -> Floats:
        """The recall base at each rank: hits, near-misses and misses."""
        return np.repeat(self.total, self.ranks) - self.shrinkage

    def base_at(self, cutoff: int | None) -> Floats:
        return self.total - self.at(self.shrinkage, cutoff)

    @cached_property
    def both(self) -> Floats:
        """Hits and near-misses, never more than the recall base."""
        return np.minimum(self.hits + self.near, self.base)


# ---- retrieved parts ------------------------------------------------------------------------------------------


def retrieved_at(places: QueryPlaces, match: str) -> Ints:
    """The first row that retrieves each relevant part, or NEVER."""
    first = np.full(places.count, NEVER)
    row, target = holding(places, match)
    np.minimum.at(first, target, places.row[row])
    return first


def holding(places: QueryPlaces, match: str) -> tuple[Ints, Ints]:
    """The pairs of a row (its index in `places`) and a relevant part that it equals or, by `match`, contains."""
    return _equal(places) if match == "exact" else _containing(places)


def _equal(places: QueryPlaces) -> tuple[Ints, Ints]:
    """Rows with exactly the elements, or the characters, of a relevant part."""
    question, owner = places.of_parts, places.apart[1]
    origin, target = question.same
    return _all_of(places, owner[origin], places.target_owner[target], np.bincount(owner, minlength=len(places.row)))


def _all_of(places: QueryPlaces, row: Ints, target: Ints, size: Ints | None) -> tuple[Ints, Ints]:
    """The pairs that occur once for every element of the target (and of the row, if `size` is given)."""
    count = max(places.count, 1)
    pair, times = np.unique(row * count + target, return_counts=True)
    row, target = pair // count, pair % count
    whole = times == places.target_size[target]
    if size is not None:
        whole &= size[row] == places.target_size[target]
    return row[whole], target[whole]


def _containing(places: QueryPlaces) -> tuple[Ints, Ints]:
    """Trees with all elements of a relevant part, and single parts that contain one."""
    question, owner = places.of_parts, places.apart[1]
    single = np.bincount(owner, minlength=len(places.row))[owner] == 1
    alone = places.target_size[places.target_owner] == 1
    a, b = question.origins, question.targets
    i, j, shared = kernels.shared_lengths(
        a.document, a.span_offsets, a.start, a.end, b.document, b.span_offsets, b.start, b.end
    )
    around = single[i] & alone[j] & (shared == b.size[j])
    i, j = i[around], j[around]
    if places.without_trees and (b.size > 0).all():
        return i, j
    row, target = _all_of(places, owner[question.same[0]], places.target_owner[question.same[1]], None)
    if (empty := alone & (b.size == 0) & (b.node != NONE)).any():  # an element without text is inside its ancestors
        above, below = question.elements
        chosen = empty[below] & single[above]
        above, below = above[chosen], below[chosen]
        last = question.column(a, lambda forest: forest.last, 0)
        over = (a.node[above] < b.node[below]) & (b.node[below] < last[above])
        i, j = np.concatenate([i, above[over]]), np.concatenate([j, below[over]])
    return np.concatenate([row, owner[i]]), np.concatenate([target, places.target_owner[j]])


def shares_held(places: QueryPlaces, found_at: Ints) -> Floats:
    """The share of each part's text in results before the one that retrieves it."""
    owner, start, end = kernels.merge_spans(
        places.target_owner, places.targets.start, places.targets.end, touching=True
    )
    size = np.bincount(owner, end - start, minlength=places.count)
    earlier = places.whole
    document = places.target_document[owner]
    spans = np.repeat(np.arange(len(earlier)), np.diff(earlier.span_offsets))
    i, j = kernels.pairs_of_groups(earlier.document[spans], document)
    before = places.row[spans[i]] < found_at[owner[j]]
    low, high = np.maximum(earlier.start[i], start[j]), np.minimum(earlier.end[i], end[j])
    shared = before & (low < high)
    held_by, low, high = kernels.merge_spans(owner[j[shared]], low[shared], high[shared], touching=True)
    held = np.bincount(held_by, high - low, minlength=places.count)
    share: Floats = np.divide(held, size, out=np.zeros(places.count), where=size > 0)
    return share
