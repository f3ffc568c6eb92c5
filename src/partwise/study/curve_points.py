"""Curves: precision over recall, effort-precision over gain-recall, gain over rank, text over what is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from partwise.errors import PartwiseError
from partwise.evaluators import evaluator_of, scores_of
from partwise.messages import studies
from partwise.model import Scores
from partwise.parameters import check_choice
from partwise.records import record
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row
from partwise.units import UNITS, base, words


@record()
class Kind:
    """A kind of curve: its axes, the measure of its values, and the points at which they are taken."""

    x: str
    y: str
    measure: str
    at: tuple[float, ...]
    logarithmic: bool = False

    def names(self) -> list[str]:
        return [self.measure.format(f"{x:g}") for x in self.at]

    def counted(self, unit: str) -> Kind:
        """The curve for what this unit counts: the name of the axis, and budgets of a fitting size."""
        if not self.logarithmic:
            return self
        at = tuple(dict.fromkeys(round(x * SMALLEST_BUDGET.get(unit, 1)) for x in self.at))
        return replace(self, x=self.x.format(unit=words(unit)), at=tuple(filter(None, at)))


SMALLEST_BUDGET = {"tokens": 0.25, "lines": 0.02, "seconds": 0.01}
"""The budgets of curves relative to those in characters."""


KINDS: dict[str, Kind] = {
    "recall-precision": Kind("text recall", "interpolated precision", "iP@{}", tuple(i / 100 for i in range(101))),
    "effort-precision": Kind("gain-recall", "effort-precision", "ep@{}", tuple(i / 50 for i in range(1, 51))),
    "gain": Kind("results read", "cumulated gain (xCG)", "xCG@{}", tuple(range(1, 51))),
    "normalised-gain": Kind("results read", "share of the ideal gain (nxCG)", "nxCG@{}", tuple(range(1, 51))),
    "budget": Kind(
        "{unit} read",
        "share of the relevant text seen (TextR)",
        "TextR(budget={})",
        tuple(round(100 * 2 ** (i / 3)) for i in range(25)),
        logarithmic=True,
    ),
    "budget-precision": Kind(
        "{unit} read",
        "share of what is read that is relevant (TextP)",
        "TextP(budget={})",
        tuple(round(100 * 2 ** (i / 3)) for i in range(25)),
        logarithmic=True,
    ),
}


@record(repr=False)
class Curves(Findings):
    """The points of one kind of curve, one row per run and point."""

    labels: ClassVar[int] = 1
    key_columns: ClassVar[tuple[str, ...]] = ("run_id",)
    pivoted: ClassVar[tuple[Any, Any, str] | None] = ("x", "run_id", "y")
    kind: Kind
    points: Sequence[Row]
    notes: Sequence[str]
    unit: str = "chars"

    def rows(self) -> list[Row]:
        return list(self.points)

    def tables(self) -> list[tuple[str, list[Row]]]:
        """One table with a column per run."""
        rows: dict[float, Row] = {}
        for row in self.points:
            rows.setdefault(row["x"], {self.kind.x: f"{row['x']:g}"})[row["run_id"]] = row["y"]
        return [(self.kind.y, list(rows.values()))]


def curve_measures(kind: str, unit: str = "chars") -> list[str]:
    """The measures whose means are the points of a curve, for assessments that count `unit`."""
    check_choice("kind", kind, tuple(KINDS))
    check_choice("unit", unit, UNITS)
    return KINDS[kind].counted(unit).names()


def curves(
    qrels: Any, runs: Any = None, *, kind: str = "recall-precision", progress: Progress | None = None, **options: Any
) -> Curves:
    """The curve of every run.

    `kind` is ``recall-precision``, ``effort-precision``, ``gain``, ``normalised-gain``, ``budget`` or
    ``budget-precision``. `qrels`, `runs` and `options` are those of `partwise.evaluate`; scores of the measures of this
    kind of curve may be given instead of all of them.

    - `progress`: a function that is called with the number of steps done and their total.
    """
    check_choice("kind", kind, tuple(KINDS))
    if not isinstance(qrels, Scores):
        evaluator = evaluator_of(qrels, None if hasattr(qrels, "evaluation") else curve_measures(kind)[:1], options)
        qrels, options = evaluator.with_measures(curve_measures(kind, evaluator.unit)), {}
    scores, notes = scores_of(qrels, runs, None, options, progress)
    unit = base(scores.unit)
    names = curve_measures(kind, unit)
    counted = KINDS[kind].counted(unit)
    means = scores.mean()
    rows: list[Row] = []
    for run_id, of_run in means.items():
        values = list(of_run.values())
        if len(values) != len(names):
            raise PartwiseError(
                studies.POINTS_OF_CURVE(
                    kind=kind, points=len(names), run=run_id, count=len(values), first=names[0], last=names[-1]
                )
            )
        rows += [{"run_id": run_id, "x": float(x), "y": y} for x, y in zip(counted.at, values, strict=True)]
    return Curves(counted, rows, tuple(notes), unit)
