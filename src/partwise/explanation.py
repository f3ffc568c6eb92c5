"""Explanations of scores: every relevant part, or every nugget, as a hit, a near-miss or a miss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from partwise.evaluation import Evaluation, query_not_judged
from partwise.model import NONE, Floats, Ints, Run
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
from partwise.tables.links import LinksOfQueries, QueryLinks, QueryPlaces
from partwise.tables.parts import NuggetParts, NuggetsTable, Parts, PartsTable, SharedTextTable
from partwise.tables.targets import Relevant, RelevantParts
from partwise.types import STATUSES, ExplainedRow, FoundRow, Status
from partwise.units import as_written


def explained(evaluation: Evaluation, run: Run, query: str) -> list[ExplainedRow]:
    """A row per relevant part of a query; the evaluation's measure is ESRHits with the parameters to explain."""
    of_query = _tables_of(evaluation, run, query)
    return [] if of_query is None else _explanation(evaluation, *of_query).rows()


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
    for batch in evaluation.batches(run):
        tables = Tables(batch)
        for at, number in enumerate(batch.queries.tolist()):
            yield evaluation.judgements.queries[number], _explanation(evaluation, tables, at).rows()


def _explanation(evaluation: Evaluation, tables: Tables, query: int) -> _Explanation:
    measure: Any = evaluation.measures[0]
    return _Explanation(tables, query, measure.table, measure.cutoff)


class _Explanation:
    """One query of a batch, with the outcome of each of its relevant parts."""

    def __init__(self, tables: Tables, query: int, key: Expected, cutoff: int | None) -> None:
        relevant: RelevantParts = tables.get(Relevant(key.parts))
        links: LinksOfQueries = tables.get(Passing(key.parts, key.nav))
        targets = relevant.targets
        self.query, self.targets, self.batch = query, targets, tables.batch
        self.first = int(self.batch.offsets[query])
        self.last = NEVER if cutoff is None else self.first + cutoff
        self.inside = np.arange(targets.query_offsets[query], targets.query_offsets[query + 1])
        self.rel: Floats = relevant.worth(key.rel)[self.inside]
        alone = range(query, query + 1)
        places = links.places(alone)
        found_at = retrieved_at(places, key.match)
        self.found_at: Ints = np.where(found_at < self.last, found_at, NEVER)
        all_links = links.of(alone)
        self.links: QueryLinks = all_links.where(all_links.row < np.minimum(self.found_at, self.last)[all_links.target])
        self.held: Floats = key.alpha * shares_held(places, self.found_at)
        self.bounds = np.searchsorted(self.links.target, np.arange(len(self.rel) + 1))
        everywhere = QueryPlaces(links.batch, targets, alone, repeats=True)
        row, target = holding(everywhere, key.match)
        shown_at = everywhere.row[row]
        later = (shown_at > self.found_at[target]) & (shown_at < self.last)
        self.again = target[later], shown_at[later]

    def rows(self) -> list[ExplainedRow]:
        rows = [self._row(i) for i in range(len(self.rel))]
        rows.sort(key=lambda row: (STATUSES.index(row["status"]), row["rank"] or 0, -row["seen"]))
        return rows

    def _row(self, i: int) -> ExplainedRow:
        links = slice(int(self.bounds[i]), int(self.bounds[i + 1]))
        seen = float(1 - self.links.unseen[links][-1]) if links.start < links.stop else 0.0
        hit = bool(self.found_at[i] != NEVER)
        gain = float(self.rel[i]) * ((1 - float(self.held[i])) * (1 - seen) if hit else seen)
        target, shown_at = self.again
        row: ExplainedRow = {
            "doc_id": self.batch.judgements.pair_name(int(self.targets.pair[self.inside[i]]))[1],
            "part": self._part(int(self.inside[i])),
            "status": "hit" if hit else "near-miss" if seen > 0 else "miss",
            "rank": int(self.found_at[i]) - self.first + 1 if hit else "",
            "rel": float(self.rel[i]),
            "seen": seen,
            "gain": gain,
            "from_rank": "",
            "from": "",
            "probability": "",
            "again": " ".join(str(at - self.first + 1) for at in np.unique(shown_at[target == i]).tolist()),
        }
        if links.start < links.stop:
            best = links.start + int(np.argmax(self.links.probability[links]))
            at = int(self.links.row[best]) - self.first
            row["from_rank"], row["from"] = at + 1, self._result(at)
            row["probability"] = float(self.links.probability[best])
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

    def _result(self, at: int) -> str:
        return _result(self.batch, int(self.batch.offsets[self.query]) + at)


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
        self._sharing, self._share = sharing, ratio(*sharing.measured(self.key.match))

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
        pairs = self._pairs(self._sharing.row, self._sharing.passage, query, passage)
        if not len(pairs):
            return Shown(None, 0.0, None, "", ())
        row = self._sharing.row[pairs]
        found = int(self.table.found[passage])
        is_found = found != NONE and found < self._end[query]
        best = int(np.flatnonzero(row == found)[0] if is_found else np.argmax(self._share[pairs]))
        matches = self.table.row[self._pairs(self.table.row, self.table.passage, query, passage)]
        again = tuple(self._rank(query, later) for later in matches[matches > found].tolist()) if is_found else ()
        rank = self._rank(query, int(row[best]))
        result = _result(self.batch, int(row[best]))
        return Shown(rank if is_found else None, float(self._share[pairs[best]]), rank, result, again)

    def _pairs(self, row: Ints, of_pair: Ints, query: int, passage: int) -> Ints:
        """Which pairs, by row, are of this passage and of results of the query that count."""
        low, high = np.searchsorted(row, [self.batch.offsets[query], self._end[query]]).tolist()
        pairs: Ints = low + np.flatnonzero(of_pair[low:high] == passage)
        return pairs

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
