"""What a report says about some queries, all of them or those of a slice: means, curves and diagnoses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from partwise import kernels
from partwise.diagnosis import MEANINGS, Diagnosis
from partwise.diagnosis.failures import KINDS
from partwise.diagnosis.findings import PARTS, Loss
from partwise.model import Floats, Scores
from partwise.records import record
from partwise.report.content import Texts
from partwise.report.packing import (
    SIGNIFICANT_DIGITS,
    Columns,
    as_json,
    packed,
    packed_text,
    rounded_list,
    rounded_lists,
    rounded_numbers,
    signed,
)
from partwise.resolving import Judgements
from partwise.study.comparison import Compared, letters
from partwise.study.curve_points import KINDS as KINDS_OF_CURVES
from partwise.study.curve_points import Kind
from partwise.units import words

CURVES = {
    "recall-precision": (
        "Precision by recall",
        "The highest precision at this recall or beyond (iP), averaged over queries.",
    ),
    "budget": (
        "Recall by text read",
        "The share of the relevant text found after reading this many {unit} in rank order (TextR with a budget).",
    ),
    "effort-precision": (
        "Effort by gain",
        "The ranks that an ideal list needs for a share of all gain, relative to the run's (ep by gain-recall).",
    ),
    "normalised-gain": (
        "Gain by rank",
        "The gain of the first results, relative to the same number of results of an ideal list (nxCG).",
    ),
}


def rounded(value: float | None) -> float | None:
    """A value with the digits that a page shows; None if it is not a finite number."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


class Points(NamedTuple):
    """The points of a line: their heights and, if slices of the queries are drawn, too, the values of each query."""

    heights: list[float | None]
    """The means over the queries."""
    queries: Sequence[str] = ()
    values: Floats | None = None
    """A row per point, a column per query."""

    @classmethod
    def over(cls, queries: Sequence[str], values: Floats, is_sliced: bool) -> Points:
        heights = rounded_numbers(kernels.exact_sums(values) / max(len(queries), 1))
        return cls(heights, queries, values) if is_sliced else cls(heights)

    def of_queries(self, queries: Sequence[str]) -> Points:
        """Those over some queries; queries that the run does not have are left out."""
        if self.values is None:
            raise ValueError("the values of the queries were not kept")
        place = {query: i for i, query in enumerate(self.queries)}
        kept = [query for query in queries if query in place]
        return Points.over(kept, self.values[:, [place[query] for query in kept]], False)


@record()
class DrawnCurve:
    """One kind of curve, with a line per run."""

    name: str
    unit: str
    by_run: Mapping[str, Points]

    @property
    def kind(self) -> Kind:
        return KINDS_OF_CURVES[self.name].counted(self.unit)

    def of_slices(self, slices: Sequence[Sequence[str]]) -> list[DrawnCurve]:
        """The same curve over the queries of each slice."""
        return [
            replace(self, by_run={run: of.of_queries(queries) for run, of in self.by_run.items()}) for queries in slices
        ]

    def content(self, runs: Sequence[str]) -> dict[str, Any]:
        title, description = CURVES[self.name]
        kind = self.kind
        return {
            "title": title,
            "description": description.format(unit=words(self.unit)),
            "xTitle": kind.x,
            "yTitle": kind.y,
            "x": list(kind.at),
            "y": self.heights(runs),
            "log": kind.logarithmic,
        }

    def heights(self, runs: Sequence[str]) -> list[list[float | None]]:
        nothing: list[float | None] = [None] * len(self.kind.at)
        return [self.by_run[run].heights if run in self.by_run else nothing for run in runs]


@record()
class MeasureFacts:
    """A measure on the leaderboard, and the comparison of the runs under it, if they can be compared."""

    name: str
    meaning: str
    better: str
    compared: Compared | None = None

    def content(self, means: Mapping[str, Mapping[str, float]], runs: Sequence[str]) -> dict[str, Any]:
        """By run, the mean, the ends of its interval, and the letters of the runs that it beats."""
        content: dict[str, Any] = {"mean": [rounded(means.get(run, {}).get(self.name)) for run in runs]}
        one = self.compared
        if one is None:
            return {**content, "low": None, "high": None, "letters": None, "interval": None}
        row_of = {run: row for row, run in enumerate(one.matrix.runs)}
        beaten = one.beaten()
        letter_of = {run: letters(number) for number, run in enumerate(runs)}
        letter = [letter_of[run] for run in one.matrix.runs]
        content["letters"] = [
            " ".join([letter[other] for other in beaten[row_of[run]]]) if run in row_of else "" for run in runs
        ]
        for name, bound in (("low", one.low), ("high", one.high)):
            ends = [float(bound[row_of[run]]) if run in row_of else None for run in runs]
            content[name] = [rounded(end) for end in ends] if len(one.matrix.queries) > 1 else None
        return {**content, "interval": one.interval if len(one.matrix.queries) > 1 else None}

    def pairs(self, runs: Sequence[str]) -> str:
        """JSON: for each pair of runs both numbers, the difference of the means, its interval, p, and p corrected."""
        one = self.compared
        if one is None:
            return "[]"
        number = np.array([runs.index(run) for run in one.matrix.runs], np.int64)
        pairs = one.pairs
        columns = (number[pairs.run], number[pairs.baseline], pairs.difference, pairs.low, pairs.high)
        return rounded_lists(np.stack([*columns, pairs.p, pairs.p_corrected], axis=1))


@dataclass
class Facts:
    """What a report says about some queries."""

    queries: Sequence[str]
    scores: Scores
    measures: Sequence[MeasureFacts]
    curves: Sequence[DrawnCurve | None] = ()
    """None in a slice without a curve that all queries have."""
    diagnoses: Sequence[Diagnosis | None] = ()
    """By run; None if it cannot be diagnosed."""

    def measured(self, runs: Sequence[str]) -> list[dict[str, Any]]:
        means = self.scores.mean()
        return [measure.content(means, runs) for measure in self.measures]

    def pairs(self, runs: Sequence[str]) -> str:
        """JSON of the pairs of runs by measure."""
        return f"[{','.join(measure.pairs(runs) for measure in self.measures)}]"

    def values(self, runs: Sequence[str], queries: Sequence[str]) -> str:
        """JSON of the values by measure, run and query."""
        blocks = {(block.measure, block.run_id): block for block in self.scores.blocks}
        none = np.full(len(queries), np.nan)
        lists = []
        for measure in self.measures:
            of_runs = [blocks.get((measure.name, run)) for run in runs]
            rows = [none if block is None else in_order(block.values, block.queries, queries) for block in of_runs]
            lists.append(rounded_lists(rows))
        return f"[{','.join(lists)}]"


@record()
class Slice:
    """The queries of a slice and what is said about them; `has_own_gold` if only some of the gold counts in it."""

    name: str
    facts: Facts
    has_own_gold: bool


@record()
class SlicedBy:
    """The slices by a column, or by the gold."""

    by: str
    slices: Sequence[Slice]


# ---- diagnoses ----------------------------------------------------------------------------------------------------


def about_diagnoses(diagnoses: Sequence[Diagnosis | None], limit: str) -> dict[str, Any] | None:
    """What all diagnoses of a report have in common; None if there are none."""
    known = [one for one in diagnoses if one is not None]
    if not known:
        return None
    return {
        "measure": known[0].measure,
        "limit": limit,
        "confidence": known[0].confidence,
        "parts": list(PARTS),
        "kinds": [[name, meaning] for name, meaning in MEANINGS.items()],
    }


def diagnosis_means(
    diagnosis: Diagnosis | None, query_numbers: Mapping[str, int], texts: Texts
) -> dict[str, Any] | None:
    """The means of a diagnosis with their intervals, and the kinds of loss with an example each."""
    if diagnosis is None:
        return None
    ends = [diagnosis.ends.get(name, (None, None)) for name in PARTS]
    return {
        "means": [rounded(diagnosis.means[name]) for name in PARTS],
        "low": [rounded(low) for low, _ in ends],
        "high": [rounded(high) for _, high in ends],
        "interval": diagnosis.interval,
        "queries": len(diagnosis.queries),
        "gold": diagnosis.gold,
        "lost": len(diagnosis.passages.passage),
        "kinds": {
            kind.name: [
                kind.passages,
                kind.queries,
                rounded(kind.share),
                None if kind.example is None else _loss(kind.example, query_numbers, texts),
            ]
            for kind in diagnosis.kinds()
        },
    }


def packed_passages(judgements: Judgements, query_numbers: Mapping[str, int], texts: Texts) -> bytes:
    """The relevant passages of all queries, to which lost passages refer by their number."""
    pair = judgements.pair_of_passage
    numbers = np.array([query_numbers[query] for query in judgements.queries], np.int64)
    used, doc = np.unique(judgements.pair_doc[pair], return_inverse=True)
    names = [judgements.assessments.docs[number] for number in used.tolist()]
    start, end = texts.places(names, doc, judgements.passage_start, judgements.passage_end)
    size = judgements.passage_end - judgements.passage_start
    columns = Columns(
        {
            "query": numbers[judgements.pair_query[pair]],
            "doc": doc.ravel().astype(np.int64),
            "start": start,
            "length": end - start,
            "size": signed(size - (end - start)),
        }
    )
    content = {"docs": names, "count": len(pair), "layout": columns.layout}
    return packed(content, columns.rows(0, len(pair)))


def packed_losses(diagnosis: Diagnosis, queries: Sequence[str], passages: str) -> bytes:
    """By query the value and the best that chunks can show, and the passages that are not shown whole.

    `passages` is the name of what `packed_passages` returned.
    """
    lost = diagnosis.passages
    cut = diagnosis.cut
    columns = Columns(
        {
            "gap": lost.passage - np.concatenate([[0], lost.passage[:-1] + 1])[: len(lost.passage)],
            "kind": lost.kind + _KIND_NUMBERS[next(iter(KINDS))],
            "cut": np.zeros(len(lost.kind), np.int64) if cut is None else cut.astype(np.int64) + 1,
            "lost": lost.lost,
            "rank": lost.rank,
        }
    )
    value, best = ("null" if of is None else rounded_list(in_order(of, diagnosis.queries, queries))
                   for of in (diagnosis.value, diagnosis.best))  # fmt: skip
    rest = as_json({"passages": passages, "count": len(lost.passage), "layout": columns.layout})
    return packed_text(f'{{"value":{value},"best":{best},{rest[1:]}', columns.rows(0, len(lost.passage)))


def in_order(values: Floats, queries: Sequence[str], all_queries: Sequence[str]) -> Floats:
    """The values of all queries, NaN where there is none."""
    if queries == all_queries:
        return values
    of_query = dict(zip(queries, values.tolist(), strict=True))
    return np.array([of_query.get(query, math.nan) for query in all_queries], np.float64)


_KIND_NUMBERS = {name: number for number, name in enumerate(MEANINGS)}


def _loss(loss: Loss, query_numbers: Mapping[str, int], texts: Texts) -> list[Any]:
    start, end = texts.positions(loss.doc, [loss.start, loss.end])
    is_cut = None if loss.is_cut is None else int(loss.is_cut)
    size = loss.end - loss.start
    kind = _KIND_NUMBERS[loss.kind]
    return [query_numbers[loss.query], loss.doc, start, end, kind, is_cut, loss.lost, size, loss.rank]
