"""What a report says about some queries, all of them or those of a slice: means, curves and diagnoses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from partwise.diagnosis import MEANINGS, Diagnosis
from partwise.diagnosis.findings import PARTS, Loss
from partwise.model import Scores
from partwise.report.content import Texts
from partwise.study.comparison import Compared, letters
from partwise.study.curve_points import Curves, curves
from partwise.units import words

SIGNIFICANT_DIGITS = 6
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


@dataclass(frozen=True)
class DrawnCurve:
    """One kind of curve, with a line per run."""

    kind: str
    scores: Scores

    @cached_property
    def points(self) -> Curves:
        return curves(self.scores, kind=self.kind)

    def of_slices(self, slices: Sequence[Sequence[str]]) -> list[DrawnCurve]:
        """The same curve over the queries of each slice."""
        return [DrawnCurve(self.kind, scores) for scores in self.scores.parts(slices)]

    def content(self, runs: Sequence[str]) -> dict[str, Any]:
        title, description = CURVES[self.kind]
        kind = self.points.kind
        return {
            "title": title,
            "description": description.format(unit=words(self.points.unit)),
            "xTitle": kind.x,
            "yTitle": kind.y,
            "x": list(kind.at),
            "y": self.heights(runs),
            "log": kind.logarithmic,
        }

    def heights(self, runs: Sequence[str]) -> list[list[float | None]]:
        y: dict[str, list[float | None]] = {run: [] for run in runs}
        for row in self.points.rows():
            y[row["run_id"]].append(rounded(row["y"]))
        return [y[run] or [None] * len(self.points.kind.at) for run in runs]


@dataclass(frozen=True)
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
        content["letters"] = [
            " ".join(letters(runs.index(one.matrix.runs[other])) for other in beaten[row_of[run]])
            if run in row_of
            else ""
            for run in runs
        ]
        for name, bound in (("low", one.low), ("high", one.high)):
            ends = [float(bound[row_of[run]]) if run in row_of else None for run in runs]
            content[name] = [rounded(end) for end in ends] if len(one.matrix.queries) > 1 else None
        return {**content, "interval": one.interval if len(one.matrix.queries) > 1 else None}

    def pairs(self, runs: Sequence[str]) -> list[list[Any]]:
        """For each pair of runs: both numbers, the difference of the means, its interval, p, and p corrected."""
        one = self.compared
        if one is None:
            return []
        number = {row: runs.index(run) for row, run in enumerate(one.matrix.runs)}
        pairs = one.pairs
        columns = (pairs.difference, pairs.low, pairs.high, pairs.p, pairs.p_corrected)
        return [
            [
                number[int(pairs.run[i])],
                number[int(pairs.baseline[i])],
                *(rounded(float(column[i])) for column in columns),
            ]
            for i in range(len(pairs.run))
        ]


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

    def pairs(self, runs: Sequence[str]) -> list[list[list[Any]]]:
        return [measure.pairs(runs) for measure in self.measures]

    def values(self, runs: Sequence[str], queries: Sequence[str]) -> list[list[list[float | None]]]:
        """By measure, run and query."""
        values = self.scores.per_query()
        return [
            [[rounded(values.get(run, {}).get(facts.name, {}).get(query)) for query in queries] for run in runs]
            for facts in self.measures
        ]


@dataclass(frozen=True)
class Slice:
    """The queries of a slice and what is said about them; `has_own_gold` if only some of the gold counts in it."""

    name: str
    facts: Facts
    has_own_gold: bool


@dataclass(frozen=True)
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
    row = diagnosis.rows()[-1]
    return {
        "means": [rounded(row[name]) for name in PARTS],
        "low": [rounded(row[f"{name}_low"]) for name in PARTS],
        "high": [rounded(row[f"{name}_high"]) for name in PARTS],
        "interval": row["interval"],
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


def diagnosis_of_queries(
    diagnosis: Diagnosis, queries: Sequence[str], query_numbers: Mapping[str, int], texts: Texts
) -> dict[str, Any]:
    """By query the value and the best that chunks can show, and the passages that are not shown whole."""
    value, best = ({} if of is None else dict(zip(diagnosis.queries, of.tolist(), strict=True))
                   for of in (diagnosis.value, diagnosis.best))  # fmt: skip
    return {
        "value": [rounded(value.get(query)) for query in queries],
        "best": None if diagnosis.best is None else [rounded(best.get(query)) for query in queries],
        "losses": [_loss(loss, query_numbers, texts) for loss in diagnosis.losses()],
    }


_KIND_NUMBERS = {name: number for number, name in enumerate(MEANINGS)}


def _loss(loss: Loss, query_numbers: Mapping[str, int], texts: Texts) -> list[Any]:
    start, end = texts.positions(loss.doc, [loss.start, loss.end])
    is_cut = None if loss.is_cut is None else int(loss.is_cut)
    size = loss.end - loss.start
    kind = _KIND_NUMBERS[loss.kind]
    return [query_numbers[loss.query], loss.doc, start, end, kind, is_cut, loss.lost, size, loss.rank]
