"""Who reaches what: how likely the ideal units of a query are seen, from rank to rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from partwise import kernels
from partwise.model import Bools, Floats, Ints
from partwise.navigation import Navigation
from partwise.resolving import Batch
from partwise.tables import COLLECTION, LENGTHS, Key, Tables
from partwise.tables.links import LinksOfQueries, QueryLinks
from partwise.tables.targets import ELEMENTS, Returned, Units, joined

LINKS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class Reach(Key):
    """How likely each ideal unit is reached from each result."""

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


@dataclass(frozen=True)
class ReachTable:
    links: LinksOfQueries

    @property
    def scored(self) -> Bools:
        return self.links.targets.scored

    @property
    def units(self) -> Ints:
        """How many ideal units each query has."""
        return self.links.targets.count

    @property
    def ranks(self) -> Ints:
        """How long each query's list is."""
        return np.diff(self.links.batch.offsets)

    def seen(self, cutoffs: Ints) -> Floats:
        """The expected number of units seen in each query by a rank."""
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
        """The links of all queries that have units, some queries at a time."""
        group: list[range] = []
        found: list[QueryLinks] = []
        for queries in self.links.groups:
            links = self.links.of(queries)
            if group and sum(map(len, found)) + len(links) > LINKS_AT_ONCE:
                yield Steps.of(self.links, group, found)
                group, found = [], []
            group.append(queries)
            found.append(links)
        if group:
            yield Steps.of(self.links, group, found)


@dataclass(frozen=True)
class Steps:
    """Links of some queries with the chances that the unit is seen before and after them, sorted by query and unit.

    A step is a rank from which something is reached; those of query t are ``rank[offsets[t]:offsets[t+1]]``.
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
    def of(cls, links: LinksOfQueries, groups: Sequence[range], found: Sequence[QueryLinks]) -> Steps:
        """Steps of groups of queries that follow each other, from their links."""
        batch, targets = links.batch, links.targets
        every = np.arange(groups[0].start, groups[-1].stop)
        queries = every[targets.scored[every]]
        row = joined([part.row for part in found])
        unit = [part.target + targets.query_offsets[group.start] for group, part in zip(groups, found, strict=True)]
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
            1 - np.concatenate([part.before for part in found]),
            1 - np.concatenate([part.unseen for part in found]),
            np.append(begin, end[-1:]),
            at - batch.offsets[batch.query_of_row[at]] + 1,
        )

    @property
    def _links(self) -> tuple[Ints, Ints, Ints, Floats, Floats, Ints]:
        return self.query, self.unit, self.step, self.before, self.after, np.diff(self.offsets)

    def below(self, need: Ints) -> tuple[Floats, Floats]:
        """After each step, the chance that fewer than `need` units are seen; and that so few were, none new at it."""
        return kernels.chances_below(*self._links, need)

    def mean_effort(self, units: Ints) -> Floats:
        return kernels.mean_effort(*self._links, self.rank, units)

    def each(self) -> Iterator[tuple[int, slice]]:
        """Every query with its steps."""
        for query, low, high in zip(
            self.queries.tolist(), self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True
        ):
            yield query, slice(low, high)
