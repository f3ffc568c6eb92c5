"""Explanations of scores: every relevant part, or every nugget, as a hit, a near-miss or a miss."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from partwise.evaluation import Evaluation, query_not_judged
from partwise.model import NONE, Floats, Ints, Run, empty_ints
from partwise.resolving import Batch, Judgements
from partwise.resolving.gold import gold_of, nuggets_of
from partwise.tables import Condensed, Key, Tables, ratio
from partwise.tables.expected import (
    NEVER,
    Expected,
    Passing,
    holding,
    retrieved_at,
    shares_held,
)
from partwise.tables.links import LinksOfQueries, QueryPlaces
from partwise.tables.parts import NuggetParts, NuggetsTable, Parts, PartsTable, SharedTextTable
from partwise.tables.targets import Relevant, RelevantParts, Targets
from partwise.types import STATUSES, ExplainedRow, FoundRow, Status
from partwise.units import as_written

HIT, NEAR_MISS, MISS = range(len(STATUSES))


def explained(evaluation: Evaluation, run: Run, query: str) -> list[ExplainedRow]:
    """A row per relevant part of a query; the evaluation's measure is ESRHits with the parameters to explain."""
    of_query = _tables_of(evaluation, run, query)
    if of_query is None:
        return []
    tables, at = of_query
    return _explanation(evaluation, tables, range(at, at + 1)).rows()


def _tables_of(evaluation: Evaluation, run: Run, query: str) -> tuple[Tables, int] | None:
    """The tables of the batch with this query, and its number there; None if the query is not evaluated."""
    judgements = evaluation.judgements
    if query not in judgements.queries:
        raise query_not_judged(judgements, query)
    number = list(judgements.queries).index(query)
    for batch in evaluation.batches(run):
        for at in np.flatnonzero(batch.queries == number).tolist():
            return Tables(batch), at
    return None


class PartOutcomes(NamedTuple):
    """What a run does for the relevant parts of the queries of a batch: a row per part, by query, in order.

    The parts of query t of the batch are ``offsets[t]:offsets[t+1]``: hits by rank, near-misses by how likely they are
    seen, misses. A rank of 0 is that of a part without one, and of one that no result leads to.
    """

    queries: Ints
    """The number of each query in the judgements."""
    offsets: Ints
    part: Ints
    """The number of each part among those of its query."""
    status: Ints
    """Its number in `STATUSES`."""
    rank: Ints
    from_rank: Ints
    probability: Floats


def part_outcomes(evaluation: Evaluation, tables: Tables) -> PartOutcomes:
    """The outcomes of all relevant parts of a batch; the evaluation's measure is ESRHits."""
    measure: Any = evaluation.measures[0]
    links: LinksOfQueries = tables.get(Passing(measure.table.parts, measure.table.nav))
    count = len(tables.batch.queries)
    sizes = np.zeros(count, np.int64)
    columns: list[tuple[Ints, ...]] = [tuple(empty_ints() for _ in range(4))]
    probability = [np.empty(0)]
    for queries in links.groups:
        one = _explanation(evaluation, tables, queries)
        order = one.order
        sizes[queries.start : queries.stop] = np.diff(one.offsets)
        part = order - one.offsets[one.query[order]]
        columns.append((part, one.status[order], one.rank[order], one.from_rank[order]))
        probability.append(one.probability[order])
    part, status, rank, from_rank = map(np.concatenate, zip(*columns, strict=True))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return PartOutcomes(tables.batch.queries, offsets, part, status, rank, from_rank, np.concatenate(probability))


def part_names(evaluation: Evaluation, tables: Tables) -> list[list[tuple[str, str]]]:
    """For each query of a batch, the document and the paths or span of its relevant parts."""
    measure: Any = evaluation.measures[0]
    targets = tables.get(Relevant(measure.table.parts)).targets
    judgements = tables.batch.judgements
    unit, known = judgements.assessments.unit, list(judgements.assessments.docs)
    docs = [known[doc] for doc in judgements.pair_doc[targets.pair].tolist()]
    first = targets.offsets[:-1]
    names = _spans_of(targets.start[first], targets.end[first], unit)
    if judgements.collection is not None:
        for target in np.flatnonzero(targets.node[first] != NONE).tolist():
            names[target] = _part(judgements, targets, target)
    parts = list(zip(docs, names, strict=True))
    return [parts[low:high] for low, high in pairwise(targets.query_offsets.tolist())]


def _explanation(evaluation: Evaluation, tables: Tables, queries: range) -> _Explanation:
    measure: Any = evaluation.measures[0]
    return _Explanation(tables, queries, measure.table, measure.cutoff)


class _Explanation:
    """Some consecutive queries of a batch, with the outcome of each of their relevant parts.

    The parts of the i-th of the queries are ``offsets[i]:offsets[i+1]``, and `query` is the i of each part.
    """

    def __init__(self, tables: Tables, queries: range, key: Expected, cutoff: int | None) -> None:
        relevant: RelevantParts = tables.get(Relevant(key.parts))
        links: LinksOfQueries = tables.get(Passing(key.parts, key.nav))
        targets = relevant.targets
        self.targets, self.batch, self.queries = targets, tables.batch, queries
        self.begin = int(targets.query_offsets[queries.start])
        self.offsets = targets.query_offsets[queries.start : queries.stop + 1] - self.begin
        self.query = np.repeat(np.arange(len(queries)), np.diff(self.offsets))
        inside = slice(self.begin, int(targets.query_offsets[queries.stop]))
        self.first = first = self.batch.offsets[queries.start : queries.stop][self.query]
        self._last = last = np.full(len(first), NEVER) if cutoff is None else first + cutoff
        self._match = key.match
        places = links.places(queries)
        found_at = retrieved_at(places, key.match)
        self.found_at = found_at = np.where(found_at < last, found_at, NEVER)
        near = links.of(queries)
        self.near = near = near.where(near.row < np.minimum(found_at, last)[near.target])
        self.rel = relevant.worth(key.rel)[inside]
        self._alpha, self._places = key.alpha, places

        count = len(first)
        hit = found_at != NEVER
        self.seen = np.zeros(count)
        self.seen[near.target[near.last]] = 1 - near.unseen[near.last]
        self.status = np.where(hit, HIT, np.where(self.seen > 0, NEAR_MISS, MISS))
        self.rank = np.where(hit, found_at - first + 1, 0)
        best = _first_of_largest(near.target, near.probability, count)
        self.best_row = np.where(best == NONE, NONE, _at(near.row, best))
        self.from_rank = np.where(best == NONE, 0, self.best_row - first + 1)
        self.probability = np.where(best == NONE, 0.0, _at(near.probability, best))

    @cached_property
    def order(self) -> Ints:
        """The parts by query: hits by rank, near-misses by how likely they are seen, misses."""
        by_status = (self.query * len(STATUSES) + self.status) * (int(self.rank.max(initial=0)) + 1) + self.rank
        return np.lexsort((-self.seen, by_status))

    @cached_property
    def held(self) -> Floats:
        """How much of the worth of each part the results before the one that retrieves it show."""
        held: Floats = self._alpha * shares_held(self._places, self.found_at)
        return held

    @cached_property
    def again(self) -> dict[int, set[int]]:
        """The rows that retrieve a part once more, by part."""
        everywhere = QueryPlaces(self._places.batch, self.targets, self.queries, repeats=True)
        row, target = holding(everywhere, self._match)
        shown_at = everywhere.row[row]
        later = (shown_at > self.found_at[target]) & (shown_at < self._last[target])
        again: dict[int, set[int]] = {}
        for part, at in zip(target[later].tolist(), shown_at[later].tolist(), strict=True):
            again.setdefault(part, set()).add(at)
        return again

    def rows(self) -> list[ExplainedRow]:
        return [self._row(i) for i in self.order.tolist()]

    def _row(self, i: int) -> ExplainedRow:
        first, seen, rel = int(self.first[i]), float(self.seen[i]), float(self.rel[i])
        status = STATUSES[self.status[i]]
        row: ExplainedRow = {
            "doc_id": self.batch.judgements.pair_name(int(self.targets.pair[self.begin + i]))[1],
            "part": _part(self.batch.judgements, self.targets, self.begin + i),
            "status": status,
            "rank": int(self.rank[i]) or "",
            "rel": rel,
            "seen": seen,
            "gain": rel * ((1 - float(self.held[i])) * (1 - seen) if status == "hit" else seen),
            "from_rank": int(self.from_rank[i]) or "",
            "from": "",
            "probability": "",
            "again": " ".join(str(at - first + 1) for at in sorted(self.again.get(i, ()))),
        }
        if row["from_rank"]:
            row["from"] = _result(self.batch, int(self.best_row[i]))
            row["probability"] = float(self.probability[i])
        return row


def _first_of_largest(group: Ints, value: Floats, groups: int) -> Ints:
    """For each group the place of its largest value, the first of equal ones; NONE for a group without values.

    The values of a group are together, and groups ascend.
    """
    best = np.full(groups, NONE)
    if len(group):
        starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
        largest = np.repeat(np.maximum.reduceat(value, starts), np.diff(starts, append=len(group)))
        places = np.flatnonzero(value == largest)[::-1]
        best[group[places]] = places
    return best


def _at(values: Any, places: Ints) -> Any:
    """The values at these places; any value where the place is NONE."""
    return values[places] if len(values) else np.zeros(len(places), values.dtype)


def _part(judgements: Judgements, targets: Targets, target: int) -> str:
    """The paths of a relevant part, or its span."""
    members = range(int(targets.offsets[target]), int(targets.offsets[target + 1]))
    if targets.node[members[0]] == NONE or judgements.collection is None:
        first = slice(members[0], members[0] + 1)
        return _spans(judgements, targets.start[first], targets.end[first])
    document = judgements.collection[judgements.pair_name(int(targets.pair[target]))[1]]
    return " ".join(document.path[int(targets.node[member])] for member in members)


def _result(batch: Batch, row: int) -> str:
    """The paths of a result if the run has them, else its spans."""
    paths = batch.run.paths.of_row(int(batch.row[row])) if batch.run.paths is not None else []
    if paths:
        return " ".join(word for pair in paths for word in pair if word is not None)
    low, high = int(batch.span_offsets[row]), int(batch.span_offsets[row + 1])
    return _spans(batch.judgements, batch.start[low:high], batch.end[low:high])


def _spans(judgements: Judgements, start: Ints, end: Ints) -> str:
    return " ".join(_spans_of(start, end, judgements.assessments.unit))


def _spans_of(start: Ints, end: Ints, unit: str) -> list[str]:
    pairs = zip(start.tolist(), end.tolist(), strict=True)
    return [f"{as_written(first, unit)}-{as_written(last, unit)}" for first, last in pairs]


# ---- gold passages and nuggets --------------------------------------------------------------------------------


class Shown(NamedTuple):
    """How much of a gold passage a run shows: the share that its match looks at, and the result that shows it.

    The result is the one that finds the passage, else the first one that shows the most of it. Ranks count from 1.
    """

    rank: int | None
    share: float
    from_rank: int | None
    result: str
    again: tuple[int, ...]
    """The later ranks that match it."""

    @property
    def status(self) -> Status:
        return "hit" if self.rank is not None else "near-miss" if self.share > 0 else "miss"

    @property
    def order(self) -> tuple[int, int, float]:
        """Sorts hits by rank, then near-misses by share, then misses."""
        return STATUSES.index(self.status), self.rank or 0, -self.share


def counts_finds(measure: Any) -> bool:
    """Whether a measure counts passages or nuggets that are found, so that it can be explained by them."""
    return any(isinstance(_uncondensed(key), (Parts, NuggetParts)) for key in measure.needs())


def _uncondensed(key: Key) -> Any:
    return key.key if isinstance(key, Condensed) else key


class PassageOutcomes(NamedTuple):
    """What a run shows of gold passages: a row per passage of the assessments, in their order.

    A rank of 0 is that of a passage that is not found, and of one of which nothing is shown.
    """

    rank: Ints
    share: Floats
    from_rank: Ints


class PassagesShown:
    """What a run shows of the gold passages of the queries of a batch, by the match of a measure."""

    def __init__(self, tables: Tables, measure: Any) -> None:
        key, cutoff = measure.needs()[0], getattr(measure, "cutoff", None)
        full, tables = tables, tables.condensed if isinstance(key, Condensed) else tables
        needed = _uncondensed(key)
        self.key: Parts = needed.parts if isinstance(needed, NuggetParts) else needed
        self.table: PartsTable = tables.get(self.key)
        self.by_nugget: NuggetsTable | None = tables.get(needed) if isinstance(needed, NuggetParts) else None
        self.batch, self.judgements = tables.batch, tables.batch.judgements
        self._end = self.table.ends(cutoff)[self.batch.query_of_row]
        place = full.batch.judged_rows if tables is not full else np.arange(len(full.batch))
        self._rank: Ints = place - full.batch.offsets[self.batch.query_of_row] + 1
        sharing: SharedTextTable = tables.get(self.key.sharing)
        count = len(self.table.gold)
        counting = np.flatnonzero(sharing.row < self._end[sharing.row])
        pairs = counting[np.argsort(sharing.passage[counting], kind="stable")]
        row, passage = sharing.row[pairs], sharing.passage[pairs]
        share = ratio(*sharing.measured(self.key.match))[pairs]
        best = _first_of_largest(passage, share, count)
        found = self.table.found[passage]
        finding = np.flatnonzero(row == found)
        best[passage[finding]] = finding
        self._is_found = np.zeros(count, np.bool_)
        self._is_found[passage[finding]] = True
        self._row = np.where(best == NONE, NONE, _at(row, best))
        self._share = np.where(best == NONE, 0.0, _at(share, best))

    def passages(self, query: int) -> range:
        """The numbers of the gold passages of a query of the batch."""
        number = int(self.batch.queries[query])
        return range(*self.table.gold.offsets[number : number + 2].tolist())

    def part(self, passage: int) -> tuple[str, str]:
        """The document and the spans of a passage."""
        gold = self.table.gold
        low, high = int(gold.span_offsets[passage]), int(gold.span_offsets[passage + 1])
        doc = self.judgements.pair_name(int(gold.pair[passage]))[1]
        return doc, _spans(self.judgements, gold.start[low:high], gold.end[low:high])

    def outcomes(self) -> PassageOutcomes:
        """Of all passages; those of queries that are not in the batch are not shown."""
        from_rank = np.where(self._row == NONE, 0, _at(self._rank, self._row))
        return PassageOutcomes(np.where(self._is_found, from_rank, 0), self._share, from_rank)

    def of(self, passage: int) -> Shown:
        row = int(self._row[passage])
        if row == NONE:
            return Shown(None, 0.0, None, "", ())
        is_found = bool(self._is_found[passage])
        again: tuple[int, ...] = ()
        if is_found:
            matching = self.table.row[self.table.passage == passage]
            later = matching[(matching > row) & (matching < self._end[matching])]
            again = tuple(self._rank[later].tolist())
        rank = int(self._rank[row])
        return Shown(rank if is_found else None, float(self._share[passage]), rank, _result(self.batch, row), again)


def found_rows(evaluation: Evaluation, run: Run, query: str) -> list[FoundRow]:
    """A row per nugget of a query, or per gold passage, whichever the evaluation's measure counts."""
    of_query = _tables_of(evaluation, run, query)
    if of_query is None:
        return []
    tables, at = of_query
    measure: Any = evaluation.measures[0]
    return _FoundRows(PassagesShown(tables, measure), at).rows()


class _FoundRows:
    """The rows of one query."""

    def __init__(self, shown: PassagesShown, query: int) -> None:
        self.shown, self.query = shown, query
        self.nuggets = nuggets_of(shown.judgements)

    def rows(self) -> list[FoundRow]:
        table = self.shown.by_nugget
        if table is None:
            units = [(self._nuggets_of(passage), [passage]) for passage in self.shown.passages(self.query)]
        else:
            number = int(self.shown.batch.queries[self.query])
            inside = range(*self.nuggets.offsets[number : number + 2].tolist())
            units = [([nugget], self._passages_of(nugget)) for nugget in inside if table.selected[nugget]]
        rows = [self._row(nuggets, passages) for nuggets, passages in units]
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])]

    def _passages_of(self, nugget: int) -> list[int]:
        passages: list[int] = self.nuggets.passage[self.nuggets.nugget == nugget].tolist()
        return passages

    def _nuggets_of(self, passage: int) -> list[int]:
        """The nuggets that a passage states."""
        number = np.flatnonzero(gold_of(self.shown.judgements).grade >= self.shown.key.rel)[passage]
        nuggets: list[int] = self.nuggets.nugget[self.nuggets.passage == number].tolist()
        return nuggets

    def _sets_of(self, nuggets: list[int]) -> list[str]:
        sets = self.nuggets.set[np.isin(self.nuggets.set_nugget, nuggets)]
        return [self.nuggets.set_name[number] for number in np.unique(sets).tolist()]

    def _row(self, nuggets: list[int], passages: list[int]) -> tuple[tuple[int, int, float], FoundRow]:
        shown = {passage: self.shown.of(passage) for passage in passages}
        best = min(passages, key=lambda passage: shown[passage].order)
        doc, part = self.shown.part(best)
        outcome = shown[best]
        alternatives = {passage for nugget in nuggets for passage in self._passages_of(nugget)}
        again = {rank for passage in passages for rank in (*shown[passage].again, shown[passage].rank or 0)}
        row: FoundRow = {
            "nugget": ", ".join(self.nuggets.name[nugget] for nugget in nuggets),
            "doc_id": doc,
            "part": part,
            "status": outcome.status,
            "rank": outcome.rank or "",
            "grade": int(self.nuggets.grade[nuggets[0]] if self.shown.by_nugget else self.shown.table.gold.grade[best]),
            "share": outcome.share,
            "from_rank": outcome.from_rank or "",
            "from": outcome.result,
            "again": " ".join(str(rank) for rank in sorted(again) if outcome.rank and rank > outcome.rank),
            "alternatives": len(alternatives),
            "set": ", ".join(self._sets_of(nuggets)),
        }
        return outcome.order, row
