"""Calls as a type checker sees them: `make check` runs mypy on this file.

A line that ends in ``type: ignore`` must be rejected, with this error: mypy reports an ignore that is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, assert_type

import partwise as pw
from partwise.model import Floats
from partwise.tables.text import Text
from partwise.types import QrelsInput, RunInput, RunsInput

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
    assert_type(pw.evaluate(gold, chunks, queries="topics.jsonl", by="corpus").slices, pw.Slices | None)
    assert_type(scores.by({"q1": "wiki"})["wiki"], pw.Scores)
    assert_type(pw.gate(scores, "branch.parquet", floor={"TextR@5": 0.8}, max_drop={"TextR@5": "2%"}).passed, bool)
    pw.gate(scores, scores, floor=0.8)  # type: ignore[arg-type]
    pw.gate(scores)  # type: ignore[call-arg]
    pw.evalute(gold, chunks)  # type: ignore[attr-defined]
    pw.evaluate(gold, chunks, average_over="some")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, order="file")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, unit="words")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, task="ragged")  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, jobs="2")  # type: ignore[arg-type]
    pw.evaluate(gold)  # type: ignore[call-arg]
    pw.evaluate(3, chunks)  # type: ignore[arg-type]
    pw.evaluate(gold, 0.5)  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, 7)  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, collection=["d"])  # type: ignore[arg-type]
    pw.evaluate(gold, chunks, lengths={"d": "long"})  # type: ignore[dict-item]


def inputs_have_types(qrels: QrelsInput, runs: RunsInput, one: RunInput) -> None:
    pw.evaluate(qrels, runs, [pw.TextP @ 5, "iAP", pw.TextR])
    pw.evaluate(Path("qrels.txt"), [Path("a.run"), "b.run"])
    pw.evaluate({"q1": [("d", 0, 50)]}, {"q1": {"d": 1.0}}, "nDCG@10")
    pw.evaluate(gold, {"mine": one, "theirs": "b.run"}, lengths={"d": 100}, collection={"d": "text"})


def rows_have_types() -> None:
    scores = pw.evaluate(gold, chunks, "TextR")
    for row in scores.rows():
        assert_type(row.value, float)
        assert_type(row.query_id, str)
    explained = pw.explain(gold, chunks, query_id="q1")[0]
    assert_type(explained["rel"], float)
    explained["relevance"]  # type: ignore[typeddict-item]
    assert_type(pw.explain(gold, chunks, query_id="q1", measure="NuggetR")[0]["share"], float)
    pw.explain(gold, chunks, query_id="q1", measure="NuggetR", nav="depth")  # type: ignore[call-overload]
    assert_type(pw.tree({"d": "<a/>"}, "d")[0]["size"], int)
    assert_type(pw.check(gold, chunks).rows()[0]["count"], int)
    diagnosis = pw.diagnose(gold, chunks, {"handbook": [(0, 200)]}, k=5)
    assert_type(diagnosis, pw.Diagnosis)
    assert_type(diagnosis.rows(), list[dict[str, Any]])
    pw.diagnose(gold, chunks, k="5")  # type: ignore[arg-type]
    pw.explain(gold, chunks, topic="q1")  # type: ignore[call-overload]
    pw.check(gold, chunks, task="rag-2")  # type: ignore[arg-type]
    pw.compare(scores, test="anova")  # type: ignore[arg-type]
    pw.spans(gold, missing="ignore")  # type: ignore[arg-type]


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
