"""Explanations of scores: every relevant part as a hit, a near-miss or a miss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from partwise.evaluation import Evaluation, query_not_judged
from partwise.model import NONE, Floats, Ints, Run
from partwise.tables import Tables
from partwise.tables.expected import (
    NEVER,
    Expected,
    Passing,
    holding,
    retrieved_at,
    shares_held,
)
from partwise.tables.links import LinksOfQueries, QueryLinks, QueryPlaces
from partwise.tables.targets import Relevant, RelevantParts
from partwise.types import STATUSES, ExplainedRow


def explained(evaluation: Evaluation, run: Run, query: str) -> list[ExplainedRow]:
    """A row per relevant part of a query; the evaluation's measure is ESRHits with the parameters to explain."""
    judgements = evaluation.judgements
    if query not in judgements.queries:
        raise query_not_judged(judgements, query)
    number = list(judgements.queries).index(query)
    for batch in evaluation.batches(run):
        for at in np.flatnonzero(batch.queries == number).tolist():
            return _explanation(evaluation, Tables(batch), at).rows()
    return []


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
            return f"{self.targets.start[members[0]]}-{self.targets.end[members[0]]}"
        document = judgements.collection[judgements.pair_name(int(self.targets.pair[target]))[1]]
        return " ".join(document.path[int(self.targets.node[member])] for member in members)

    def _result(self, at: int) -> str:
        """The paths of a result if the run has them, else its spans."""
        row = int(self.batch.offsets[self.query]) + at
        paths = self.batch.run.paths.of_row(int(self.batch.row[row])) if self.batch.run.paths is not None else []
        if paths:
            return " ".join(word for pair in paths for word in pair if word is not None)
        spans = range(int(self.batch.span_offsets[row]), int(self.batch.span_offsets[row + 1]))
        return " ".join(f"{self.batch.start[i]}-{self.batch.end[i]}" for i in spans)
