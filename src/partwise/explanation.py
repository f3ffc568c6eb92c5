"""Explanations of scores: every relevant part, or every nugget, as a hit, a near-miss or a miss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from partwise.evaluation import Evaluation, query_not_judged
from partwise.model import NONE, Ints, Run
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
from partwise.tables.targets import Relevant, RelevantParts
from partwise.types import STATUSES, ExplainedRow, FoundRow, Status
from partwise.units import as_written


def explained(evaluation: Evaluation, run: Run, query: str) -> list[ExplainedRow]:
    """A row per relevant part of a query; the evaluation's measure is ESRHits with the parameters to explain."""
    of_query = _tables_of(evaluation, run, query)
    if of_query is None:
        return []
    tables, at = of_query
    return _explanation(evaluation, tables, range(at, at + 1)).rows(at)


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


def explained_queries(evaluation: Evaluation, run: Run) -> Iterator[tuple[str, list[ExplainedRow]]]:
    """The rows of every query of the run."""
    measure: Any = evaluation.measures[0]
    for batch in evaluation.batches(run):
        tables = Tables(batch)
        key: Expected = measure.table
        links: LinksOfQueries = tables.get(Passing(key.parts, key.nav))
        rows: dict[int, list[ExplainedRow]] = {}
        for queries in links.groups:
            explanation = _explanation(evaluation, tables, queries)
            rows |= {query: explanation.rows(query) for query in queries}
        for at, number in enumerate(batch.queries.tolist()):
            yield evaluation.judgements.queries[number], rows.get(at, [])


def _explanation(evaluation: Evaluation, tables: Tables, queries: range) -> _Explanation:
    measure: Any = evaluation.measures[0]
    return _Explanation(tables, queries, measure.table, measure.cutoff)


class _Explanation:
    """Some consecutive queries of a batch, with the outcome of each of their relevant parts."""

    def __init__(self, tables: Tables, queries: range, key: Expected, cutoff: int | None) -> None:
        relevant: RelevantParts = tables.get(Relevant(key.parts))
        links: LinksOfQueries = tables.get(Passing(key.parts, key.nav))
        targets = relevant.targets
        self.targets, self.batch = targets, tables.batch
        self.begin = int(targets.query_offsets[queries.start])
        inside = slice(self.begin, int(targets.query_offsets[queries.stop]))
        first = np.repeat(
            self.batch.offsets[queries.start : queries.stop],
            np.diff(targets.query_offsets[queries.start : queries.stop + 1]),
        )
        last = np.full(len(first), NEVER) if cutoff is None else first + cutoff
        places = links.places(queries)
        found_at = retrieved_at(places, key.match)
        found_at = np.where(found_at < last, found_at, NEVER)
        near = links.of(queries)
        near = near.where(near.row < np.minimum(found_at, last)[near.target])
        everywhere = QueryPlaces(links.batch, targets, queries, repeats=True)
        row, target = holding(everywhere, key.match)
        shown_at = everywhere.row[row]
        later = (shown_at > found_at[target]) & (shown_at < last[target])
        # plain numbers, because each of them is looked at alone
        self.first: list[int] = first.tolist()
        self.found_at: list[int] = found_at.tolist()
        self.rel: list[float] = relevant.worth(key.rel)[inside].tolist()
        self.held: list[float] = (key.alpha * shares_held(places, found_at)).tolist()
        self.pair: list[int] = targets.pair[inside].tolist()
        self.bounds: list[int] = np.searchsorted(near.target, np.arange(len(first) + 1)).tolist()
        self.unseen: list[float] = near.unseen.tolist()
        self.probability: list[float] = near.probability.tolist()
        self.row: list[int] = near.row.tolist()
        self.again: dict[int, set[int]] = {}
        for part, at in zip(target[later].tolist(), shown_at[later].tolist(), strict=True):
            self.again.setdefault(part, set()).add(at)

    def rows(self, query: int) -> list[ExplainedRow]:
        low, high = (int(at) - self.begin for at in self.targets.query_offsets[query : query + 2])
        rows = [self._row(i) for i in range(low, high)]
        rows.sort(key=lambda row: (STATUSES.index(row["status"]), row["rank"] or 0, -row["seen"]))
        return rows

    def _row(self, i: int) -> ExplainedRow:
        links = range(self.bounds[i], self.bounds[i + 1])
        first = self.first[i]
        seen = 1 - self.unseen[links[-1]] if links else 0.0
        hit = self.found_at[i] != NEVER
        row: ExplainedRow = {
            "doc_id": self.batch.judgements.pair_name(self.pair[i])[1],
            "part": self._part(self.begin + i),
            "status": "hit" if hit else "near-miss" if seen > 0 else "miss",
            "rank": self.found_at[i] - first + 1 if hit else "",
            "rel": self.rel[i],
            "seen": seen,
            "gain": self.rel[i] * ((1 - self.held[i]) * (1 - seen) if hit else seen),
            "from_rank": "",
            "from": "",
            "probability": "",
            "again": " ".join(str(at - first + 1) for at in sorted(self.again.get(i, ()))),
        }
        if links:
            best = max(links, key=self.probability.__getitem__)  # the first of equal ones
            row["from_rank"], row["from"] = self.row[best] - first + 1, _result(self.batch, self.row[best])
            row["probability"] = self.probability[best]
        return row

    def _part(self, target: int) -> str:
        """The paths of a relevant part, or its span."""
        members = range(int(self.targets.offsets[target]), int(self.targets.offsets[target + 1]))
        judgements = self.batch.judgements
        if self.targets.node[members[0]] == NONE or judgements.collection is None:
            first = slice(members[0], members[0] + 1)
            return _spans(judgements, self.targets.start[first], self.targets.end[first])
        document = judgements.collection[judgements.pair_name(int(self.targets.pair[target]))[1]]
        return " ".join(document.path[int(self.targets.node[member])] for member in members)


def _result(batch: Batch, row: int) -> str:
    """The paths of a result if the run has them, else its spans."""
    paths = batch.run.paths.of_row(int(batch.row[row])) if batch.run.paths is not None else []
    if paths:
        return " ".join(word for pair in paths for word in pair if word is not None)
    low, high = int(batch.span_offsets[row]), int(batch.span_offsets[row + 1])
    return _spans(batch.judgements, batch.start[low:high], batch.end[low:high])


def _spans(judgements: Judgements, start: Ints, end: Ints) -> str:
    unit = judgements.assessments.unit
    pairs = zip(start.tolist(), end.tolist(), strict=True)
    return " ".join(f"{as_written(first, unit)}-{as_written(last, unit)}" for first, last in pairs)


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


class _PairsOfPassages:
    """Pairs of a result and a gold passage, sorted by result, of those results that count."""

    def __init__(self, row: Ints, passage: Ints, end: Ints, passages: int) -> None:
        counting = np.flatnonzero(row < end[row])
        order = counting[np.argsort(passage[counting], kind="stable")]
        self.row: list[int] = row.tolist()
        self._order: list[int] = order.tolist()
        self._bounds: list[int] = np.searchsorted(passage[order], np.arange(passages + 1)).tolist()

    def of(self, passage: int) -> list[int]:
        """The pairs of a passage, by result."""
        return self._order[self._bounds[passage] : self._bounds[passage + 1]]


class PassagesShown:
    """What a run shows of the gold passages of the queries of a batch, by the match of a measure."""

    def __init__(self, tables: Tables, key: Key, cutoff: int | None) -> None:
        full, tables = tables, tables.condensed if isinstance(key, Condensed) else tables
        needed = _uncondensed(key)
        self.key: Parts = needed.parts if isinstance(needed, NuggetParts) else needed
        self.table: PartsTable = tables.get(self.key)
        self.by_nugget: NuggetsTable | None = tables.get(needed) if isinstance(needed, NuggetParts) else None
        self.batch, self.judgements = tables.batch, tables.batch.judgements
        self._end = self.table.ends(cutoff)
        self._place = full.batch.judged_rows if tables is not full else np.arange(len(full.batch))
        self._first = full.batch.offsets
        sharing: SharedTextTable = tables.get(self.key.sharing)
        end = self._end[self.batch.query_of_row]
        self._shares = ratio(*sharing.measured(self.key.match)).tolist()
        self._sharing = _PairsOfPassages(sharing.row, sharing.passage, end, len(self.table.gold))
        self._matching = _PairsOfPassages(self.table.row, self.table.passage, end, len(self.table.gold))
        self._found: list[int] = self.table.found.tolist()

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

    def of(self, query: int, passage: int) -> Shown:
        pairs = self._sharing.of(passage)
        if not pairs:
            return Shown(None, 0.0, None, "", ())
        rows, found = self._sharing.row, self._found[passage]
        is_found = found != NONE and found < self._end[query]
        if is_found:
            best = next(pair for pair in pairs if rows[pair] == found)
        else:
            best = max(pairs, key=self._shares.__getitem__)  # the first of equal ones
        later = [self._matching.row[pair] for pair in self._matching.of(passage)] if is_found else []
        again = tuple(self._rank(query, row) for row in later if row > found)
        rank = self._rank(query, rows[best])
        result = _result(self.batch, rows[best])
        return Shown(rank if is_found else None, self._shares[best], rank, result, again)

    def _rank(self, query: int, row: int) -> int:
        """The rank of a result in the list of the run."""
        return int(self._place[row] - self._first[query]) + 1


def shown_passages(evaluation: Evaluation, run: Run) -> Iterator[tuple[str, list[Shown]]]:
    """What the run shows of the gold passages of every query, in the order of the assessments."""
    measure: Any = evaluation.measures[0]
    for batch in evaluation.batches(run):
        shown = PassagesShown(Tables(batch), measure.needs()[0], getattr(measure, "cutoff", None))
        for at, number in enumerate(batch.queries.tolist()):
            query = evaluation.judgements.queries[number]
            yield query, [shown.of(at, passage) for passage in shown.passages(at)]


def found_rows(evaluation: Evaluation, run: Run, query: str) -> list[FoundRow]:
    """A row per nugget of a query, or per gold passage, whichever the evaluation's measure counts."""
    of_query = _tables_of(evaluation, run, query)
    if of_query is None:
        return []
    tables, at = of_query
    measure: Any = evaluation.measures[0]
    return _FoundRows(PassagesShown(tables, measure.needs()[0], getattr(measure, "cutoff", None)), at).rows()


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
        shown = {passage: self.shown.of(self.query, passage) for passage in passages}
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
