"""Curves behind the numbers: precision over recall, effort over gain, gain over rank, text over reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from partwise.errors import PartwiseError
from partwise.model import Scores
from partwise.study.findings import Findings, Row, choice


@dataclass(frozen=True)
class Kind:
    """A curve: what its axes are, the measure whose values it joins, and where they are taken."""

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
    """The points of one kind of curve, a row per run and point."""

    labels: ClassVar[int] = 1
    kind: Kind
    found: Sequence[Row]
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        return list(self.found)

    def tables(self) -> list[tuple[str, list[Row]]]:
        """Runs across."""
        rows: dict[float, Row] = {}
        for row in self.found:
            rows.setdefault(row["x"], {self.kind.x: f"{row['x']:g}"})[row["run_id"]] = row["y"]
        return [(self.kind.y, list(rows.values()))]


def curve_measures(kind: str) -> list[str]:
    """The measures whose means are the points of a curve, to be evaluated."""
    choice("kind", kind, tuple(KINDS))
    return KINDS[kind].names()


def curves(scores: Scores, kind: str) -> Curves:
    """The curve of every run, from the scores of `curve_measures`."""
    wanted = curve_measures(kind)
    means = scores.mean()
    rows: list[Row] = []
    for run_id, of_run in means.items():
        values = list(of_run.values())
        if len(values) != len(wanted):
            raise PartwiseError(
                f"a {kind} curve has {len(wanted)} points and run {run_id} has {len(values)} measures",
                f"evaluate {wanted[0]} to {wanted[-1]}",
            )
        rows += [{"run_id": run_id, "x": float(x), "y": y} for x, y in zip(KINDS[kind].at, values, strict=True)]
    return Curves(KINDS[kind], rows, ())
