"""Calls as a type checker sees them: `make check` runs mypy on this file.

A line that ends in ``type: ignore`` must be rejected, with this error: mypy reports an ignore that is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_type

import partwise as pw
from partwise.model import Floats
from partwise.tables.text import Text

gold = [{"query_id": "q1", "doc_id": "handbook", "start": 120, "end": 300}]
chunks = {"q1": [{"doc_id": "handbook", "start": 0, "end": 200}]}


def measures_are_measures() -> None:
    measure: pw.Measure = pw.iP @ 0.1
    assert_type(pw.iP @ 0.1, pw.iP)
    assert_type(pw.TextR(alpha=0.5) @ 5, pw.TextR)
    assert_type(pw.measure("iP@0.1"), pw.Measure)
    assert_type(measure.name, str)
    pw.iP @ "high"  # type: ignore[operator]
    pw.iPP @ 0.1  # type: ignore[attr-defined]


def evaluations_give_scores() -> None:
    scores = pw.evaluate(gold, chunks, ["TextP@2", pw.iP @ 0.01], average_over="run", jobs=1)
    assert_type(scores, pw.Scores)
    assert_type(scores.mean(), dict[str, dict[str, float]])
    assert_type(pw.Evaluator(gold, "iAP").evaluate(chunks), pw.Scores)
    assert_type(pw.read_assessments("qrels.txt"), pw.Assessments)
    assert_type(pw.read_runs("a.run"), list[pw.Run])
    pw.evalute(gold, chunks)  # type: ignore[attr-defined]
    pw.evaluate(gold, chunks, average_over="some")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, order="file")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, unit="words")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, task="ragged")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, jobs="2")  # type: ignore[arg-type]
    pw.evaluate(gold)  # type: ignore[call-arg]


def comparisons_take_scores_or_runs() -> None:
    scores = pw.evaluate(gold, {"a": chunks, "b": chunks}, "iAP")
    assert_type(pw.compare(scores, baseline="a"), pw.Comparison)
    pw.compare(gold, {"a": chunks, "b": chunks}, "iAP", baseline="a")


@pw.register_measure
class Shown(pw.Measure):
    """Whether any relevant text is shown."""

    cutoff: pw.Param[int | None] = pw.Param(int, at=True, default=None, low=1)

    def needs(self) -> Sequence[Text]:
        return [Text()]

    def score(self, *tables: Any) -> Floats:
        reached: Floats = tables[0].recall(self.cutoff) > 0
        return reached


assert_type(Shown() @ 5, Shown)
assert_type(Shown().cutoff, int | None)
