"""Results inserted into resolved lists give the values of results inserted into the run, for every measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles.part_worlds import PartWorld, part_worlds
from oracles.perturbation import perturbed
from oracles.structure_worlds import World as Structured
from oracles.structure_worlds import worlds as structured_worlds
from oracles.worlds import World, worlds
from partwise.measures import families, measures_from

CUTOFFS: dict[type, tuple[str, ...]] = {int: ("@1", "@2", "@5"), float: ("@0.1", "@1")}


def names_of(kind: type[pw.Measure]) -> list[str]:
    """A measure with some values after the ``@``, and without one if it needs none."""
    at = kind.at_param()
    if at is None:
        return [kind.__name__]
    return [kind.__name__ + cutoff for cutoff in (*CUTOFFS[at.kind], *(() if at.required else ("",)))]


DOCUMENTS = ["AP", "nDCG@2", "P@1", "RR", "Rprec"]
NAMES = [name for kinds in families().values() for kind in kinds for name in names_of(kind)] + DOCUMENTS
NAMES += [f"{name}({argument})" for name in ("TextP", "TextF", "TextIoU", "PartP", "PartR", "NuggetR")
          for argument in ("budget=17", "budget=30,pack=True", "judged_only=True", "rel=2")]  # fmt: skip
NAMES += ["TextP(judged_only=True)@2", "PartHit(judged_only=True)@1", "TextR(alpha=0.3)", "iAP(alpha=0.5,points=11)"]
NAMES += ["TextU(decay=half(h=9))", "TextU(decay=linear(L=20))", "TextRBP(p=0.5)", "MASRiP(depth=3)", "MAESRP(depth=2)"]
NAMES += ["PartAP(match=seen(0.5))@3", "PartR(match=iou(0.3))@2", "PartAP(match=iou(0.2,0.4),interpolated=True)"]
NAMES += [
    "gP(score=T2I(tolerance=5))@2",
    "gP(score=BEPn(n=7))",
    "T2IAP(tolerance=4,one=False)",
    "iP(judged_only=True)@0.5",
]

SOME = st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True)
COUNTS = st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True)
ROWS_PER_BATCH = st.sampled_from([1 << 20, 1, 9])
AVERAGES: Any = st.sampled_from(["judged", "run"])


def check(evaluator: pw.Evaluator, run: Any, counts: list[int], rows_per_batch: int) -> None:
    evaluator.evaluation.rows_per_batch = rows_per_batch
    try:
        expected: Any = perturbed(evaluator, run, counts)
    except pw.PartwiseError as error:
        expected = str(error)
    try:
        rows: Any = pw.study.perturb(evaluator, run, counts=counts).rows()
    except pw.PartwiseError as error:
        rows = str(error)
    assert rows == expected


def evaluator_with(qrels: Any, names: list[str], **options: Any) -> pw.Evaluator:
    """An evaluator with those of the measures that can be scored."""
    scorable = []
    for name in names:
        try:
            pw.Evaluator(qrels, name, **options)
        except pw.PartwiseError:
            continue
        scorable.append(name)
    assume(scorable)
    return pw.Evaluator(qrels, scorable, **options)


@given(worlds(), SOME, AVERAGES, COUNTS, ROWS_PER_BATCH)
def test_spans(world: World, names: list[str], average_over: Any, counts: list[int], rows_per_batch: int) -> None:
    evaluator = evaluator_with(world.qrels(), names, average_over=average_over)
    check(evaluator, world.run(), counts, rows_per_batch)


@given(part_worlds(), SOME, AVERAGES, COUNTS, st.booleans())
def test_passages_nuggets_and_documents(
    world: PartWorld, names: list[str], average_over: Any, counts: list[int], knows_lengths: bool
) -> None:
    lengths = world.lengths if knows_lengths else None
    check(evaluator_with(world.gold, names, average_over=average_over, lengths=lengths), world.run_rows(), counts, 1)


def test_results_that_gain_nothing_change_no_bit() -> None:
    """One long result is inserted instead of many: sums of eight numbers and more are rounded in another order."""
    gold = [{"query_id": "q", "doc_id": "a", "start": start, "end": end} for start, end in ((4, 5), (0, 4))]
    spans = [(4, 5), (4, 5), (0, 2), (2, 4), *[(4, 5)] * 4]
    run = {"q": [{"doc_id": "a", "start": start, "end": end} for start, end in spans]}
    check(pw.Evaluator(gold, "TextAP"), run, [8], 1)


def as_trees(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each element together with the first element of its document that is returned."""
    first: dict[str, str] = {}
    trees = []
    for row in rows:
        others = {key: value for key, value in row.items() if key != "path"}
        if "path" in row:
            others["paths"] = list(dict.fromkeys([first.setdefault(row["doc_id"], row["path"]), row["path"]]))
        trees.append(others)
    return trees


@given(structured_worlds(), SOME, COUNTS, ROWS_PER_BATCH, st.sampled_from(["chars", "bytes"]), st.booleans())
def test_elements(
    world: Structured, names: list[str], counts: list[int], rows_per_batch: int, unit: Any, of_trees: bool
) -> None:
    evaluator = evaluator_with(world.grades(), names, collection=pw.Collection.open(world.xml), unit=unit)
    run = world.run()
    check(evaluator, {query: as_trees(run[query]) for query in run} if of_trees else run, counts, rows_per_batch)


TREC = "".join(f"t1 Q0 d{i} {i} {score} x\n" for i, score in enumerate((3.5, 3.5, 1, 9))) + "t2 Q0 d7 1 1 x\n"
FOL = "t1 Q0 d1 1 9 x 5 10\nt1 Q0 d2 2 8 x 0 100\nt3 Q0 d1 1 3 x 0 7\n"


@pytest.mark.parametrize("text", [TREC, FOL])
def test_runs_in_files(tmp_path: Path, text: str) -> None:
    """Whole documents in the order of trec_eval, with ties, and ids that stay in the text of the file."""
    path = tmp_path / "x.txt"
    path.write_text(text)
    qrels = {"t1": [("d1", 0, 9), ("d3", 5, 20)], "t2": [("d7", 0, 5)], "t3": [("d1", 3, 5)]}
    lengths = {f"d{i}": 40 + i for i in range(9)}
    evaluator = pw.Evaluator(qrels, "iAP TextP@2 Redundancy Overlap gP AgP AP nDCG@2 PartRR", lengths=lengths)
    check(evaluator, str(path), [1, 3, 30], 1 << 20)


def test_the_inserted_document_is_judged_for_no_query() -> None:
    """Even if the assessments have one of the name that results would be given, and the run does not return it."""
    qrels = {"t1": [("d", 0, 10), ("unjudged", 0, 10)]}
    rows = pw.study.perturb(qrels, {"t1": [("d", 0, 10)]}, "TextR AP", counts=[1]).rows()
    assert {row["mean"] for row in rows if row["measure"] == "TextR"} == {0.5}


def test_results_are_inserted_in_the_unit_of_the_evaluation() -> None:
    """A run in another unit is converted first: the inserted document is not in the collection."""
    collection = pw.Collection.open({"d": "<a>äöü xyz xyz</a>"})
    qrels = [{"query_id": "t1", "doc_id": "d", "start": 0, "end": 3}]
    run = [{"query_id": "t1", "doc_id": "d", "start": 0, "end": 7, "unit": "chars"}]
    evaluator = pw.Evaluator(qrels, "TextP Read", collection=collection, unit="bytes")
    rows = pw.study.perturb(evaluator, run, counts=[1]).rows()
    assert [row["mean"] for row in rows if row["measure"] == "Read"] == [10.0, 20.0, 10.0, 20.0]


def test_what_a_measure_can_see() -> None:
    """The number of results that can change a value, and whether unjudged neighbours can be joined."""
    seen = {name: (one.results_used, one.joins_unjudged) for name in NAMES for one in measures_from([name])}
    assert seen["TextP@5"] == seen["PartHit@5"] == seen["nxCG@5"] == seen["Overlap@5"] == (5, False)
    assert seen["MAESRP(depth=2)"] == (2, False)
    assert seen["MAnxCG"] == (1500, False)
    assert seen["TextP"] == seen["iAP(alpha=0.5,points=11)"] == seen["CharAP"] == seen["Redundancy"] == (None, True)
    assert seen["TextP(budget=17)"] == seen["TextP(judged_only=True)@2"] == (None, True)
    assert seen["TextP(budget=30,pack=True)"] == seen["PartP"] == seen["TextRBP(p=0.5)"] == (None, False)
    assert (
        seen["gP@5"] == seen["AP"] == seen["PartHit(judged_only=True)@1"] == (None, False)
    )  # of documents, or condensed


class Results(pw.TextP):  # type: ignore[misc, name-defined]
    """A measure derived from one of ours that counts results instead of text."""

    def score(self, text: Any) -> Any:
        return 1 / (1 + np.diff(text.offsets))


def test_a_measure_derived_from_one_of_ours_sees_every_result() -> None:
    for cutoff in (None, 2):
        measure = Results(cutoff=cutoff)
        assert measure.results_used is None
        assert not measure.joins_unjudged
    gold = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 9}]
    check(pw.Evaluator(gold, [Results(), Results(cutoff=2)]), {"q": [("d", 0, 5), ("e", 3, 8)]}, [1, 3], 100)
