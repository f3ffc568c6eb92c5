"""The probabilities that users have seen the ideal units of a query, rank by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from partwise import kernels
from partwise.model import Bools, Floats, Ints
from partwise.navigation import Navigation
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import COLLECTION, LENGTHS, Key, Tables
from partwise.tables.links import LinksOfQueries, QueryLinks
from partwise.tables.targets import ELEMENTS, Returned, Units, joined

LINKS_AT_ONCE = 1 << 21


@record()
class Reach(Key):
    """The probability of reaching each ideal unit from each result."""

    units: Units
    nav: Navigation

    def required(self) -> tuple[str, ...]:
        lengths = (LENGTHS,) if self.nav.needs_lengths else ()
        return (*self.units.required(), *((COLLECTION,) if self.nav.needs_nodes else ()), *lengths)

    def only_elements(self) -> bool:
        return self.units.ideals == ELEMENTS and self.nav.only_from_elements

    def build(self, batch: Batch, tables: Tables) -> ReachTable:
        returned = tables.get(Returned(self.units.ideals == ELEMENTS))
        return ReachTable(LinksOfQueries(returned, tables.get(self.units), self.nav, between_trees=False))


@record()
class ReachTable:
    links: LinksOfQueries

    @property
    def scored(self) -> Bools:
        return self.links.targets.scored

    @property
    def units(self) -> Ints:
        """The number of ideal units of each query."""
        return self.links.targets.count

    @property
    def ranks(self) -> Ints:
        """The length of each query's list."""
        return np.diff(self.links.batch.offsets)

    def seen(self, cutoffs: Ints) -> Floats:
        """The expected number of units of each query seen by its cutoff."""
        batch = self.links.batch
        total = np.zeros(len(self.units))
        end = batch.offsets[:-1] + np.minimum(cutoffs, self.ranks)
        for queries in self.links.groups:
            links = self.links.of(queries)
            inside = slice(queries.start, queries.stop)
            if (end[inside] < batch.offsets[1:][inside]).any():
                links = links.where(links.row < end[batch.query_of_row[links.row]])
            seen = 1 - links.unseen[links.last]
            query = batch.query_of_row[links.row[links.last]]
            bounds = np.searchsorted(query, np.arange(queries.start, queries.stop + 1))
            total[inside] = kernels.segment_sums(seen, bounds[:-1], bounds[1:])
        return total

    def steps(self) -> Iterator[Steps]:
        """The links of all queries with units, some queries at a time."""
        group: list[range] = []
        links_of_group: list[QueryLinks] = []
        for queries in self.links.groups:
            links = self.links.of(queries)
            if group and sum(map(len, links_of_group)) + len(links) > LINKS_AT_ONCE:
                yield Steps.of(self.links, group, links_of_group)
                group, links_of_group = [], []
            group.append(queries)
            links_of_group.append(links)
        if group:
            yield Steps.of(self.links, group, links_of_group)


@record()
class Steps:
    """Links of some queries with the probabilities that the unit is seen before and after them, by query and unit.

    A step is a rank from which a unit is reached; those of query q are ``rank[offsets[q]:offsets[q+1]]``.
    """

    queries: Ints
    query: Ints
    unit: Ints
    step: Ints
    before: Floats
    after: Floats
    offsets: Ints
    rank: Ints

    @classmethod
    def of(cls, links: LinksOfQueries, groups: Sequence[range], parts: Sequence[QueryLinks]) -> Steps:
        """The steps of consecutive groups of queries, from the links of each group."""
        batch, targets = links.batch, links.targets
        every = np.arange(groups[0].start, groups[-1].stop)
        queries = every[targets.scored[every]]
        row = joined([part.row for part in parts])
        unit = [part.target + targets.query_offsets[group.start] for group, part in zip(groups, parts, strict=True)]
        first = int(batch.offsets[groups[0].start])
        is_step = np.zeros(int(batch.offsets[groups[-1].stop]) - first, np.bool_)
        is_step[row - first] = True
        place = np.concatenate([[0], np.cumsum(is_step)])
        begin, end = place[batch.offsets[queries] - first], place[batch.offsets[queries + 1] - first]
        query = np.searchsorted(queries, batch.query_of_row[row])
        at = np.flatnonzero(is_step) + first
        return cls(
            queries,
            query,
            joined(unit),
            place[row - first] - begin[query],
            1 - np.concatenate([part.before for part in parts]),
            1 - np.concatenate([part.unseen for part in parts]),
            np.append(begin, end[-1:]),
            at - batch.offsets[batch.query_of_row[at]] + 1,
        )

    @property
    def _links(self) -> tuple[Ints, Ints, Ints, Floats, Floats, Ints]:
        return self.query, self.unit, self.step, self.before, self.after, np.diff(self.offsets)

    def below(self, need: Ints) -> tuple[Floats, Floats]:
        """The probabilities that after each step fewer than `need` units are seen, and that also none is new at it."""
        return kernels.chances_below(*self._links, need)

    def mean_effort(self, units: Ints) -> Floats:
        return kernels.mean_effort(*self._links, self.rank, units)

    def each(self) -> Iterator[tuple[int, slice]]:
        """Every query with its steps."""
        for query, low, high in zip(
            self.queries.tolist(), self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True
        ):
            yield query, slice(low, high)
