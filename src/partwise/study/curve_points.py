"""Curves: precision over recall, effort-precision over gain-recall, gain over rank, text over characters read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from partwise.errors import PartwiseError
from partwise.evaluators import scores_of
from partwise.messages import studies
from partwise.model import Scores
from partwise.parameters import check_choice
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row


@dataclass(frozen=True)
class Kind:
    """A kind of curve: its axes, the measure of its values, and the points at which they are taken."""

    x: str
    y: str
    measure: str
    at: tuple[float, ...]
    logarithmic: bool = False

    def names(self) -> list[str]:
        return [self.measure.format(f"{x:g}") for x in self.at]


KINDS: dict[str, Kind] = {
    "recall-precision": Kind("text recall", "interpolated precision", "iP@{}", tuple(i / 100 for i in range(101))),
    "effort-precision": Kind("gain-recall", "effort-precision", "ep@{}", tuple(i / 50 for i in range(1, 51))),
    "gain": Kind("results read", "cumulated gain (xCG)", "xCG@{}", tuple(range(1, 51))),
    "normalised-gain": Kind("results read", "share of the ideal gain (nxCG)", "nxCG@{}", tuple(range(1, 51))),
    "budget": Kind(
        "characters read",
        "share of the relevant text seen (TextR)",
        "TextR(budget={})",
        tuple(round(100 * 2 ** (i / 3)) for i in range(25)),
        logarithmic=True,
    ),
    "budget-precision": Kind(
        "characters read",
        "share of what is read that is relevant (TextP)",
        "TextP(budget={})",
        tuple(round(100 * 2 ** (i / 3)) for i in range(25)),
        logarithmic=True,
    ),
}


@dataclass(frozen=True, repr=False)
class Curves(Findings):
    """The points of one kind of curve, one row per run and point."""

    labels: ClassVar[int] = 1
    kind: Kind
    points: Sequence[Row]
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.points)

    def tables(self) -> list[tuple[str, list[Row]]]:
        """One table with a column per run."""
        rows: dict[float, Row] = {}
        for row in self.points:
            rows.setdefault(row["x"], {self.kind.x: f"{row['x']:g}"})[row["run_id"]] = row["y"]
        return [(self.kind.y, list(rows.values()))]


def curve_measures(kind: str) -> list[str]:
    """The measures whose means are the points of a curve."""
    check_choice("kind", kind, tuple(KINDS))
    return KINDS[kind].names()


def curves(
    qrels: Any, runs: Any = None, *, kind: str = "recall-precision", progress: Progress | None = None, **options: Any
) -> Curves:
    """The curve of every run.

    `kind` is ``recall-precision``, ``effort-precision``, ``gain``, ``normalised-gain``, ``budget`` or
    ``budget-precision``. `qrels`, `runs` and `options` are those of `partwise.evaluate`; scores of the measures of this
    kind of curve may be given instead of all of them.
    """
    names = curve_measures(kind)
    has_measures = isinstance(qrels, Scores) or hasattr(qrels, "evaluation")
    scores, notes = scores_of(qrels, runs, None if has_measures else names, options, progress)
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
        rows += [{"run_id": run_id, "x": float(x), "y": y} for x, y in zip(KINDS[kind].at, values, strict=True)]
    return Curves(KINDS[kind], rows, tuple(notes))
