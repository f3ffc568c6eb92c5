"""What `diagnose` returns: the loss of every query, its means, and the passages that are lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from partwise import kernels
from partwise.diagnosis.failures import CUT, KINDS, MEANINGS, NEEDS_CHUNKS, Lost, among
from partwise.messages import diagnosis as messages
from partwise.model import ALL, Bools, Floats, Ints
from partwise.records import record
from partwise.resolving import Judgements
from partwise.showing import counted
from partwise.study.findings import Findings, Row, defined
from partwise.study.intervals import Intervals, of_means
from partwise.units import as_written

LISTED_QUERIES = 20
"""A table for people lists at most this number of queries."""
PARTS = ("best", "value", "lost_to_chunking", "lost_to_ranking", "precision_omega")
"""The columns that have means with intervals."""


class Loss(NamedTuple):
    """A passage that is not shown whole; offsets and sizes are in the unit of the assessments."""

    query: str
    doc: str
    start: int
    end: int
    kind: str
    is_cut: bool | None
    """Whether no chunk holds it whole; None if that is not known."""
    lost: int
    rank: int | None
    """The first rank after the cutoff that shows some of what is lost."""


class KindOfLoss(NamedTuple):
    """How passages are lost: how many, of how many queries, their share of the lost text, and the largest of them."""

    name: str
    passages: int
    queries: int
    share: float
    example: Loss | None


@record(eq=False, repr=False)
class Diagnosis(Findings):
    """The result of `diagnose`: the loss of every query, split into chunking and ranking, and the passages lost.

    `relevant` is the number of relevant characters of each query, `shown` and `best_shown` are how many of them the
    run shows and the best choice of chunks would show: ``relevant - best_shown`` are lost to chunking, ``best_shown -
    shown`` to ranking.
    """

    labels: ClassVar[int] = 1
    key_columns: ClassVar[tuple[str, ...]] = ("query_id",)
    run_id: str
    measure: str
    queries: Sequence[str]
    relevant: Ints
    shown: Ints
    value: Floats
    mean: float
    best_shown: Ints | None
    best: Floats | None
    omega: Floats | None
    judgements: Judgements = field(repr=False)
    passages: Lost
    is_cut: Bools | None
    confidence: float
    notes: Sequence[str]
    slices: DiagnosisSlices | None = None
    """The slices that were asked for, if any."""

    def of_queries(self, queries: Sequence[str]) -> Diagnosis:
        """The diagnosis of some of the queries; those that it does not have are left out."""
        place = {query: i for i, query in enumerate(self.queries)}
        rows = np.array([place[query] for query in queries if query in place], np.int64)
        kept = [self.queries[i] for i in rows.tolist()]
        numbers = self.judgements.numbers_of(kept)
        inside = np.flatnonzero(np.isin(self._query, numbers))
        return replace(
            self,
            queries=kept,
            relevant=self.relevant[rows],
            shown=self.shown[rows],
            value=self.value[rows],
            mean=_mean(self.value[rows]),
            best_shown=None if self.best_shown is None else self.best_shown[rows],
            best=None if self.best is None else self.best[rows],
            omega=None if self.omega is None else self.omega[rows],
            passages=self.passages.taken(inside),
            notes=(),
            slices=None,
        )

    @cached_property
    def columns(self) -> dict[str, Floats | None]:
        """The values of all queries by the names of the columns; None without chunks, except the value."""
        if self.best is None:
            return {**dict.fromkeys(PARTS), "value": self.value}
        values = (self.best, self.value, 1 - self.best, self.best - self.value, self.omega)
        return dict(zip(PARTS, values, strict=True))

    @cached_property
    def means(self) -> dict[str, float | None]:
        """The means over queries, by the names of the columns."""
        means = {name: None if of is None else _mean(of) for name, of in self.columns.items()}
        return {**means, "value": self.mean}

    @cached_property
    def intervals(self) -> Intervals:
        """The intervals of the means that are known, in the order of their columns."""
        known = [of for of in self.columns.values() if of is not None]
        return of_means(np.array(known), self.confidence)

    @cached_property
    def counts(self) -> dict[str, Ints | None]:
        """The number of passages of each query that are lost in a way, by its name; None if that is not known."""
        place = np.full(len(self.judgements.queries), len(self.queries))
        place[self._numbers] = np.arange(len(self.queries))
        query = place[self._query]
        counts: dict[str, Ints | None] = {}
        for name, are in self._are.items():
            counts[name] = None if are is None else np.bincount(query[are], minlength=len(self.queries) + 1)[:-1]
        return counts

    @cached_property
    def _numbers(self) -> Ints:
        """The number of each query in the judgements."""
        return self.judgements.numbers_of(self.queries)

    @cached_property
    def _pair(self) -> Ints:
        """The judged pair of each lost passage."""
        return self.judgements.pair_of_passage[self.passages.passage]

    @cached_property
    def _query(self) -> Ints:
        return self.judgements.pair_query[self._pair]

    @cached_property
    def _are(self) -> dict[str, Bools | None]:
        """Which lost passages are cut, and which are of each kind; None if that is not known."""
        are: dict[str, Bools | None] = {CUT: None if self.is_cut is None else self.is_cut[self.passages.passage]}
        for number, name in enumerate(KINDS):
            is_known = self.best is not None or name not in NEEDS_CHUNKS
            are[name] = self.passages.kind == number if is_known else None
        return are

    @property
    def cut(self) -> Bools | None:
        """Whether no chunk holds each lost passage whole; None if that is not known."""
        return self._are[CUT]

    def rows(self) -> list[Row]:
        """A row per query, and one of the means, ``all``: the parts of the loss, and the number of passages lost.

        Intervals, and the name of their method, are in the last row.
        """
        rows = [
            {
                "query_id": query,
                **{name: None if of is None else float(of[i]) for name, of in self.columns.items()},
                **{name: None if of is None else int(of[i]) for name, of in self.counts.items()},
                **dict.fromkeys(_INTERVAL_COLUMNS),
            }
            for i, query in enumerate(self.queries)
        ]
        return [*rows, self.total]

    @cached_property
    def ends(self) -> dict[str, tuple[float | None, float | None]]:
        """The ends of the intervals of the means that are known, by the names of the columns."""
        low, high, _ = self.intervals
        known = [name for name, of in self.columns.items() if of is not None]
        return {name: (defined(low[i]), defined(high[i])) for i, name in enumerate(known)}

    @property
    def interval(self) -> str | None:
        """The method of the intervals; None for one query, which has none."""
        return self.intervals.method if len(self.queries) > 1 else None

    @cached_property
    def total(self) -> Row:
        """The last of the rows: the means, their intervals, and the number of passages lost."""
        ends = self.ends
        total = {name: None if of is None else int(of.sum()) for name, of in self.counts.items()}
        edges = {f"{name}_{edge}": ends.get(name, (None, None))[i] for name in PARTS for i, edge in enumerate(_EDGES)}
        return {"query_id": ALL, **self.means, **total, **edges, "interval": self.interval}

    def losses(self) -> list[Loss]:
        """The passages that are not shown whole, in the order of the assessments."""
        return [self._loss(i) for i in range(len(self.passages.passage))]

    def _loss(self, i: int) -> Loss:
        judged, lost = self.judgements, self.passages
        passage, cut = int(lost.passage[i]), self._are[CUT]
        return Loss(
            *judged.pair_name(int(self._pair[i])),
            int(judged.passage_start[passage]),
            int(judged.passage_end[passage]),
            _KIND_NAMES[int(lost.kind[i])],
            None if cut is None else bool(cut[i]),
            int(lost.lost[i]),
            int(lost.rank[i]) or None,
        )

    def failures(self) -> list[Row]:
        """A row per passage that is not shown whole, in the order of the assessments.

        ``kind`` is why, ``cut`` whether no chunk holds it whole, ``lost`` the number of characters not shown, ``size``
        that of the passage, and ``rank`` the first rank after the cutoff that shows some of what is lost.
        """
        unit = self.judgements.assessments.unit
        return [
            {
                "query_id": loss.query,
                "doc_id": loss.doc,
                "start": as_written(loss.start, unit),
                "end": as_written(loss.end, unit),
                "kind": loss.kind,
                CUT: None if loss.is_cut is None else "yes" if loss.is_cut else "no",
                "lost": as_written(loss.lost, unit),
                "size": as_written(loss.end - loss.start, unit),
                "rank": loss.rank,
                **({} if unit == "chars" else {"unit": unit}),
            }
            for loss in self.losses()
        ]

    def tables(self) -> list[tuple[str, list[Row]]]:
        """The means with their intervals, the kinds of loss with an example each, and the worst queries."""
        low, high, _ = self.intervals
        values = {"measure": self.measure, "run": self.run_id, "confidence": self.confidence}
        values["method"] = self.intervals.method
        heading: str = messages.MEANS.note(count=len(self.queries), **values)
        if self.judgements.assessments.unit != "chars":
            heading = f"{heading}; {messages.IN_UNIT.note(unit=self.judgements.assessments.unit)}"
        known = [name for name, of in self.columns.items() if of is not None]
        means: list[Row] = [
            {"": name.replace("_", " "), "mean": self.means[name], "low": defined(low[i]), "high": defined(high[i])}
            for i, name in enumerate(known)
        ]
        tables = [(heading, means)]
        if len(self.passages.passage):
            heading = messages.LOSSES.note(count=len(self.passages.passage), total=self.gold)
            tables.append((heading, self._kinds()))
        shown = min(len(self.queries), LISTED_QUERIES)
        is_part = shown < len(self.queries)
        title = messages.WORST.note(shown=shown, count=len(self.queries)) if is_part else messages.QUERIES.note()
        return [*tables, (title, self._worst()[:shown])]

    @property
    def gold(self) -> int:
        """The number of relevant passages of the queries."""
        judged = self.judgements
        is_diagnosed = among(len(judged.queries), self._numbers)
        return int(np.diff(judged.passage_offsets)[is_diagnosed[judged.pair_query]].sum())

    def kinds(self) -> list[KindOfLoss]:
        """The kinds that are known: how many passages and queries, their share of the lost text, and an example."""
        lost = self.passages
        all_lost = int(lost.lost.sum())
        kinds = []
        for name, are in self._are.items():
            if are is None:
                continue
            inside = np.flatnonzero(are)
            share = int(lost.lost[inside].sum()) / all_lost if all_lost else 0.0
            example = self._loss(int(inside[np.argmax(lost.lost[inside])])) if len(inside) else None
            kinds.append(
                KindOfLoss(name, len(inside), int(np.count_nonzero(np.bincount(self._query[inside]))), share, example)
            )
        return kinds

    def _kinds(self) -> list[Row]:
        return [
            {
                "kind": kind.name.replace("_", " "),
                "passages": kind.passages,
                "queries": kind.queries,
                "of lost text": kind.share,
                "for example": "" if kind.example is None else self._described(kind.example),
                "meaning": MEANINGS[kind.name],
            }
            for kind in self.kinds()
        ]

    def _described(self, loss: Loss) -> str:
        unit = self.judgements.assessments.unit
        start, end = as_written(loss.start, unit), as_written(loss.end, unit)
        rank = f", rank {loss.rank}" if loss.rank else ""
        return f"query {loss.query}: {loss.doc} {start}-{end}{rank}"

    def _worst(self) -> list[Row]:
        """The queries by the share of their relevant text that is not shown, the worst first."""
        order = np.argsort(self.value, kind="stable")
        rows = self.rows()
        columns = ["query_id", *(name for name, of in self.columns.items() if of is not None)]
        columns += [name for name, of in self.counts.items() if of is not None]
        return [{name.replace("_", " "): rows[i][name] for name in columns} for i in order.tolist()]


@record(eq=False, repr=False)
class DiagnosisSlices(Findings, Mapping[str, Diagnosis]):
    """Diagnoses by slice: ``slices["wiki"]`` is that of the queries in the slice, `total` that of all queries."""

    labels: ClassVar[int] = 3
    key_columns: ClassVar[tuple[str, ...]] = ("slice", "query_id")
    by: str
    total: Diagnosis
    of_slice: Mapping[str, Diagnosis]
    notes: Sequence[str]

    def __getitem__(self, name: str) -> Diagnosis:
        return self.of_slice[name]

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]  # the slices, as in any mapping
        return iter(self.of_slice)

    def __len__(self) -> int:
        return len(self.of_slice)

    def __repr__(self) -> str:
        return f"DiagnosisSlices by {self.by}: {counted(len(self), 'slice')}, {self.total.measure}"

    @property
    def _all(self) -> Iterator[tuple[Row, Diagnosis]]:
        for name, diagnosis in (*self.items(), (ALL, self.total)):
            yield {"slice": name, "queries": len(diagnosis.queries)}, diagnosis

    def rows(self) -> list[Row]:
        """The rows of each diagnosis after their slice and its number of queries; the last slice, ``all``, has every
        query.
        """
        return [{**named, **row} for named, diagnosis in self._all for row in diagnosis.rows()]

    def failures(self) -> list[Row]:
        """The passages that are not shown whole, after their slice and its number of queries."""
        return [{**named, **row} for named, diagnosis in self._all for row in diagnosis.failures()]

    def tables(self) -> list[tuple[str, list[Row]]]:
        """The means and the number of lost passages of each slice."""
        total = self.total
        heading = messages.BY_SLICE.note(measure=total.measure, run=total.run_id, by=self.by)
        names = [*(name for name, of in total.columns.items() if of is not None)]
        names += [name for name, of in total.counts.items() if of is not None]
        means = [
            {**named, **{name.replace("_", " "): row[name] for name in names}}
            for named, diagnosis in self._all
            for row in (diagnosis.total,)
        ]
        return [(heading, means)]


_KIND_NAMES = tuple(KINDS)
_EDGES = ("low", "high")
_INTERVAL_COLUMNS = (*(f"{name}_{edge}" for name in PARTS for edge in _EDGES), "interval")


def _mean(values: Floats) -> float:
    return kernels.exact_sum(values) / len(values) if len(values) else 0.0
