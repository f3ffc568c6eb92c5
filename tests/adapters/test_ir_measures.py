"""Our measures in ir_measures: the same names and values, parts stay separate, its own measures do not change."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from ir_measures import AP, P, nDCG

import partwise as pw
from oracles.worlds import World, worlds
from partwise.adapters import ir_measures as adapter
from partwise.measures import all_names, families
from support.examples import run_examples
from support.paths import ROOT

QREL_COLUMNS = ["query_id", "doc_id", "relevance", "start", "end", "bep", "length"]
QRELS = [
    ("q1", "a", 1, 10, 20, 10, 100),
    ("q1", "a", 1, 40, 60, 10, 100),
    ("q1", "c", 0, None, None, None, 50),
    ("q2", "b", 2, 0, 50, 0, 80),
]
RUN_COLUMNS = ["query_id", "doc_id", "score", "start", "end"]
RUN = [
    ("q1", "a", 3.0, 0, 30),
    ("q1", "a", 2.0, 40, 70),
    ("q1", "c", 1.0, 0, 10),
    ("q2", "c", 2.0, 0, 5),
    ("q2", "b", 1.0, 10, 60),
]


def qrels_frame(rows: list[Any] = QRELS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=QREL_COLUMNS)


def run_frame(rows: list[Any] = RUN) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


def named(values: dict[Any, float]) -> dict[str, float]:
    return {str(measure): value for measure, value in values.items()}


def test_by_hand() -> None:
    """TextP@1 of q1: 10 of 30; q2: 0 of 5. TextR@2: all 30 of 30; 40 of 50."""
    result = ir_measures.calc([adapter.TextP @ 1, adapter.TextR @ 2], qrels_frame(), run_frame())
    assert sorted(result.per_query, key=repr) == [
        ir_measures.Metric("q1", adapter.TextP @ 1, 1 / 3),
        ir_measures.Metric("q1", adapter.TextR @ 2, 1.0),
        ir_measures.Metric("q2", adapter.TextP @ 1, 0.0),
        ir_measures.Metric("q2", adapter.TextR @ 2, 0.8),
    ]
    assert named(result.aggregated) == {"TextP@1": 1 / 6, "TextR@2": 0.9}


def test_relevance_as_text() -> None:
    """A relevance of '0' does not highlight, like one of 0."""
    rows = [("q1", "a", 1, 10, 20, 10, 100), ("q2", "b", 0, 0, 50, 0, 80)]
    numbers = qrels_frame(rows)
    texts = numbers.assign(relevance=numbers["relevance"].astype(str))
    result = [
        ir_measures.calc_aggregate([adapter.iAP, adapter.TextR @ 1], qrels, run_frame()) for qrels in (numbers, texts)
    ]
    # Only q1 has relevant text, and its first result has all 10 characters of it among 30.
    assert result[0] == result[1] == {adapter.iAP: pytest.approx(1 / 3), adapter.TextR @ 1: 1}
    with pytest.raises(pw.PartwiseError, match="qrels, row 1: the grade is 'high'; it must be a whole number"):
        ir_measures.calc_aggregate([adapter.iAP], numbers.assign(relevance="high"), run_frame())


def test_every_measure_parses_under_its_names() -> None:
    for name, kind in all_names().items():
        assert ir_measures.parse_measure(name).of_partwise == kind()
    assert all(
        name in adapter.MEASURES for family in families().values() for name in (kind.__name__ for kind in family)
    )


@pytest.mark.parametrize(
    ("written", "canonical", "ours"),
    [
        ("iP@0.01", "iP@0.01", "iP@0.01"),
        ("iP(alpha=0)@0.10", "iP(alpha=0)@0.1", "iP(alpha=0)@0.1"),
        ("iP(trel='elements', alpha=0)@1", "iP(alpha=0,trel='elements')@1", "iP(alpha=0,trel=elements)@1"),
        ("MAiP", "iAP", "iAP"),
        ("TextF(beta=2)@5", "TextF(beta=2)@5", "TextF(beta=2)@5"),
        ("TextR(budget=2000)", "TextR(budget=2000)", "TextR(budget=2000)"),
        ("AgP(score='F(beta=0.25)')", "AgP(score='F(beta=0.25)')", "AgP(score=F(beta=0.25))"),
        ("AgP(score='BEPn(n=500)')", "AgP(score='BEPn(n=500)')", "AgP(score=BEPn(n=500))"),
        ("AgP(score='F')", "AgP", "AgP"),
        ("nxCG(quant='sog')@10", "nxCG(quant='sog')@10", "nxCG(quant=sog)@10"),
        ("ngR(overlap=False)@10", "ngR(overlap=False)@10", "ngR(overlap=False)@10"),
    ],
)
def test_names(written: str, canonical: str, ours: str) -> None:
    measure = ir_measures.parse_measure(written)
    assert str(measure) == canonical
    assert measure.of_partwise == pw.measure(ours)
    assert ir_measures.parse_measure(canonical) == measure
    assert adapter.measure(ours) == measure == adapter.measure(pw.measure(ours))
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_measure_reads_our_grammar_and_theirs() -> None:
    assert adapter.measure("AgP(score=BEPn(n=500))") == adapter.AgP(score=pw.BEPn(n=500))
    assert adapter.measure("nDCG@10") == nDCG @ 10


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("iP@1.5", "iP: recall is '1.5'; it must be a number from 0 to 1"),
        ("iP(foo=1)@0.1", "iP has no parameter 'foo'; it takes recall, alpha, trel, rel, judged_only"),
        ("iAP@10", "iAP takes no cutoff; write iAP without @10"),
        ("AgP(score='G')", "AgP: score is 'G'; it must be one of BEP, BEPn, F, T2I"),
        ("TextP@2.5", "TextP: cutoff is '2.5'; it must be a whole number from 1"),
    ],
)
def test_wrong_names_have_our_errors(name: str, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        ir_measures.parse_measure(name)
    assert str(error.value) == line


def test_a_call_without_quotes_is_an_error_of_their_grammar() -> None:
    with pytest.raises(ValueError, match="values must be str, float, int, bool"):
        ir_measures.parse_measure("AgP(score=BEPn(n=500))")


def test_a_missing_level_is_an_error_when_scoring() -> None:
    with pytest.raises(pw.PartwiseError, match=r"^iP requires the parameter recall; write iP@0\.01$"):
        ir_measures.calc_aggregate([adapter.iP], qrels_frame(), run_frame())


def test_beside_their_own_measures() -> None:
    measures = [adapter.iP @ 0.01, nDCG @ 10, adapter.AgP, AP, P @ 2]
    result = ir_measures.calc_aggregate(measures, qrels_frame(), adapter.best_part_last(run_frame()))
    ours = pw.evaluate(qrels_frame().rename(columns={"relevance": "grade"}), run_frame(), measures).mean()["run"]
    assert named(result) == pytest.approx(ours, abs=1e-12)


def test_their_own_measures_take_a_documents_last_row() -> None:
    """The reason for `best_part_last`: b's best part is ranked above c, its last part below."""
    run = run_frame([("q1", "b", 3.0, 0, 5), ("q1", "c", 2.0, 0, 5), ("q1", "b", 1.0, 5, 9)])
    qrels = qrels_frame([("q1", "b", 1, 0, 5, 0, 10)])
    measure = ir_measures.RR
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == 0.5
    assert ir_measures.calc_aggregate([measure], qrels, adapter.best_part_last(run))[measure] == 1.0
    tuples = [adapter.ScoredPart(*row) for row in run.itertuples(index=False)]
    assert ir_measures.calc_aggregate([measure], qrels, adapter.best_part_last(tuples))[measure] == 1.0


def test_tuples_score_as_frames_do() -> None:
    measures = [adapter.iP @ 0.01, nDCG @ 10, adapter.AgP(score="BEP")]
    qrels = [adapter.PartQrel(*row) for row in QRELS]
    run = sorted((adapter.ScoredPart(*row) for row in RUN), key=lambda row: row.score)
    expected = ir_measures.calc_aggregate(measures, qrels_frame(), adapter.best_part_last(run_frame()))
    assert ir_measures.calc_aggregate(measures, iter(qrels), iter(run)) == expected


def test_mappings_by_query() -> None:
    qrels = {"q1": [("a", 10, 20), ("a", 40, 60)], "q2": [("b", 0, 50)]}
    run = {"q1": [("a", 0, 30), ("a", 40, 70)], "q2": [("c", 0, 5), ("b", 10, 60)]}
    result = ir_measures.calc_aggregate([adapter.TextP @ 1, adapter.TextR @ 2], qrels, run)
    assert named(result) == {"TextP@1": 1 / 6, "TextR@2": 0.9}


def test_an_evaluator_scores_run_after_run() -> None:
    evaluator = ir_measures.evaluator([adapter.TextR @ 1, nDCG], qrels_frame())
    assert evaluator.calc_aggregate(run_frame())[adapter.TextR @ 1] == pytest.approx(1 / 6)
    assert evaluator.calc_aggregate(run_frame(RUN[1:]))[adapter.TextR @ 1] == pytest.approx(1 / 3)


def test_scores_decide_and_ranks_break_ties() -> None:
    run = run_frame([("q1", "a", 1.0, 70, 80), ("q1", "a", 1.0, 10, 20), ("q1", "a", 2.0, 40, 50)])
    measure = adapter.TextP @ 2
    assert ir_measures.calc_aggregate([measure], qrels_frame(QRELS[:2]), run)[measure] == 0.5
    run["rank"] = [9, 8, 7]
    assert ir_measures.calc_aggregate([measure], qrels_frame(QRELS[:2]), run)[measure] == 1.0
    by_rank = run.drop(columns="score").assign(rank=[1, 2, 3])
    assert ir_measures.calc_aggregate([measure], qrels_frame(QRELS[:2]), by_rank)[measure] == 0.5


def test_columns_that_are_not_parts_are_ignored() -> None:
    run = run_frame().assign(run_id=list("vwxyz"), length=7, text="...", path="file.txt")
    measure = adapter.TextR @ 2
    assert ir_measures.calc_aggregate([measure], qrels_frame(), run)[measure] == 0.9


def test_other_ways_to_give_a_part() -> None:
    measure = adapter.TextR @ 2
    offsets = run_frame().assign(offset=lambda f: f.start, length=lambda f: f.end - f.start)
    spans = run_frame().assign(spans=[[[row[3], row[4]]] for row in RUN])
    for frame in (offsets, spans):
        assert (
            ir_measures.calc_aggregate([measure], qrels_frame(), frame.drop(columns=["start", "end"]))[measure] == 0.9
        )


def test_a_start_without_an_end_is_an_error() -> None:
    with pytest.raises(pw.PartwiseError) as error:
        ir_measures.calc_aggregate([adapter.iAP], qrels_frame(), run_frame().drop(columns="end"))
    assert str(error.value) == (
        "run: has no column 'end' (it has 'query_id', 'doc_id', 'score', 'start'); runs with a column start need it"
    )


def test_qrels_of_documents_alone_are_an_error() -> None:
    qrels = {"q1": {"a": 1}}
    with pytest.raises(pw.PartwiseError) as error:
        ir_measures.calc_aggregate([adapter.iAP], qrels, run_frame())
    assert str(error.value) == (
        "qrels: iAP needs highlighted passages, but there are only document grades; give the start and end "
        "of relevant text, or use document measures such as nDCG@10"
    )
    documents = qrels_frame().drop(columns=["start", "end"]).drop_duplicates()
    with pytest.raises(pw.PartwiseError, match="only document grades"):
        ir_measures.calc_aggregate([adapter.iAP], documents, run_frame())


def test_irrelevant_rows_are_not_highlighted_and_grades_may_differ() -> None:
    qrels = qrels_frame(
        [
            ("q1", "a", 2, 0, 10, None, 100),
            ("q1", "a", 1, 20, 30, None, 100),
            ("q1", "a", 0, 50, 90, None, 100),
            ("q1", "b", 0, 0, 5, None, 10),
            ("q1", "b", 0, 5, 10, None, 10),
        ]
    )
    run = run_frame([("q1", "a", 1.0, 0, 100)])
    result = ir_measures.calc_aggregate([adapter.TextP, adapter.gR @ 1], qrels, run)
    assert named(result) == {"TextP": 0.2, "gR@1": 1.0}


def test_a_query_with_nothing_to_score_is_nan_and_left_out_of_the_mean() -> None:
    """As in partwise, the mean is over the queries scored, whatever other measures there are."""
    qrels = qrels_frame([*QRELS, ("q3", "a", 0, 0, 5, None, 100)])
    measure = adapter.TextR @ 2
    for others in ([], [nDCG]):
        result = ir_measures.calc([measure, *others], qrels, run_frame())
        assert result.aggregated[measure] == 0.9
        values = {metric.query_id: metric.value for metric in result.per_query if metric.measure == measure}
        assert math.isnan(values.pop("q3"))
        assert values == {"q1": 1.0, "q2": 0.8}


def test_a_query_without_results_scores_as_an_empty_list() -> None:
    result = ir_measures.calc([adapter.TextR, adapter.Redundancy], qrels_frame(), run_frame(RUN[:3]))
    values = {(metric.query_id, str(metric.measure)): metric.value for metric in result.per_query}
    assert values["q2", "TextR"] == 0
    assert math.isnan(values["q2", "Redundancy"])
    assert named(result.aggregated) == {"TextR": 0.5, "Redundancy": 0.0}


@pytest.mark.parametrize("others", [[], [nDCG]])
def test_nothing_at_all(others: list[Any]) -> None:
    empty = run_frame().iloc[:0]
    measures = [adapter.TextR, *others]
    assert ir_measures.calc_aggregate(measures, qrels_frame(), empty)[adapter.TextR] == 0
    unjudged = run_frame([("q9", "a", 1.0, 0, 5)])
    assert ir_measures.calc_aggregate(measures, qrels_frame(), unjudged)[adapter.TextR] == 0
    assert math.isnan(ir_measures.calc_aggregate([adapter.TextR], qrels_frame([]), run_frame())[adapter.TextR])
    irrelevant = qrels_frame([("q1", "a", 0, None, None, None, 100)])
    result = ir_measures.calc_aggregate([adapter.TextR, adapter.Redundancy], irrelevant, run_frame())
    assert math.isnan(result[adapter.TextR])
    assert result[adapter.Redundancy] == 0


def test_whole_numbers_and_missing_cells_of_every_kind() -> None:
    qrels = qrels_frame().assign(query_id=[1, 1, 1, 2]).astype({"start": "Int64", "end": "Int64", "bep": "Int64"})
    run = run_frame().assign(query_id=[1, 1, 1, 2, 2])
    result = ir_measures.calc([adapter.TextR @ 2], qrels, run)
    assert {metric.query_id: metric.value for metric in result.per_query} == {"1": 1.0, "2": 0.8}


def test_inputs_that_ir_measures_has_no_arguments_for() -> None:
    documents = run_frame().drop(columns=["start", "end"]).drop_duplicates(["query_id", "doc_id"])
    qrels = qrels_frame().drop(columns="length")
    measure = adapter.TextP @ 1
    line = (
        "run, row 1: the length of document a is unknown, and results that are whole documents need it; "
        "give it in the assessments or as lengths (--lengths FILE)"
    )
    with pytest.raises(pw.PartwiseError) as error:
        ir_measures.calc_aggregate([measure], qrels, documents)
    assert str(error.value) == line
    lengths = {"a": 100, "b": 80, "c": 50}
    with adapter.using(lengths=lengths):
        assert ir_measures.calc_aggregate([measure], qrels, documents)[measure] == 0.15
    provider = adapter.PartwiseProvider(adapter.Inputs(lengths=lengths))
    assert provider.calc_aggregate([measure], qrels, documents)[measure] == 0.15
    with pytest.raises(pw.PartwiseError) as error:
        ir_measures.calc_aggregate([measure], qrels, documents)
    assert str(error.value) == line


def test_elements_with_a_collection() -> None:
    qrels = pd.DataFrame(
        [("q1", "d", 1, "/article[1]/p[2]", 3, 3, "four-point")],
        columns=["query_id", "doc_id", "relevance", "path", "exhaustivity", "specificity", "scale"],
    )
    run = pd.DataFrame([("q1", "d", 1.0, "/article[1]/p[2]")], columns=["query_id", "doc_id", "score", "path"])
    with adapter.using(collection={"d": "<article><p>One</p><p>Two</p></article>"}):
        result = ir_measures.calc_aggregate([adapter.nxCG @ 1, adapter.nxCG(quant="sog") @ 1], qrels, run)
    assert named(result) == {"nxCG@1": 1.0, "nxCG(quant='sog')@1": 1.0}


def test_measures_go_back_to_partwise() -> None:
    scores = pw.evaluate({"q1": [("a", 0, 10)]}, {"q1": [("a", 0, 20)]}, [adapter.TextP @ 1, ir_measures.RR])
    assert scores.mean() == {"run": {"TextP@1": 0.5, "RR": 1.0}}
    assert not {name for name, *_ in pw.list_measures()[len({*all_names().values()}) :]} & set(all_names())


def test_existing_names_keep_their_meaning() -> None:
    """A measure registered earlier under one of our names stays; ours gets another name."""
    code = """
import ir_measures
class Theirs(ir_measures.Measure):
    NAME = __name__ = "gP"
theirs = Theirs()
ir_measures.measures.register(theirs)
before = dict(ir_measures.measures.registry)
providers = list(ir_measures.DefaultPipeline.providers)
from partwise.adapters import ir_measures as adapter
registry = ir_measures.measures.registry
assert all(registry[name] is kind for name, kind in before.items())
assert ir_measures.DefaultPipeline.providers[:-1] == providers
assert ir_measures.parse_measure("gP") is not adapter.partwise_gP and type(ir_measures.parse_measure("gP")) is Theirs
print(ir_measures.parse_measure("partwise_gP@5"), adapter.measure("gP@5"), hasattr(adapter, "gP"))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "partwise_gP@5 partwise_gP@5 False\n"


def test_no_name_of_ours_is_one_of_theirs_today() -> None:
    assert all(name == kind.NAME or name in kind.kind.aliases for name, kind in adapter.MEASURES.items())


def test_tuples_need_no_pandas() -> None:
    code = """
import sys
sys.modules["pandas"] = None
import ir_measures
from partwise.adapters.ir_measures import PartQrel, ScoredPart, TextR
qrels = [PartQrel("q1", "a", 1, 0, 10)]
print(ir_measures.calc_aggregate([TextR @ 1], qrels, [ScoredPart("q1", "a", 1.0, 5, 10)]))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "{TextR@1: 0.5}\n"


MEASURES = ["iP@0.1", "iAP", "TextF@3", "AgP", "AgP(score=BEP)", "gP@2", "Redundancy", "Overlap@4", "T2I@0.5"]


@given(worlds())
def test_values_are_those_of_partwise(world: World) -> None:
    assume(
        any(start < end for docs in world.judged.values() for judged in docs.values() for start, end in judged.spans)
    )
    run = world.run()
    expected = pw.evaluate(world.qrels(), run, MEASURES)
    qrels = pd.DataFrame(world.qrels()).assign(relevance=lambda frame: frame.start.notna().astype(int))
    rows = [
        {"query_id": query, "score": -place, **row}
        for query, results in run.items()
        for place, row in enumerate(results)
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "spans"])
    result = ir_measures.calc([adapter.measure(name) for name in MEASURES], qrels, frame)
    queries = {
        (metric.query_id, metric.measure.of_partwise.name): metric.value
        for metric in result.per_query
        if not math.isnan(metric.value)
    }
    assert queries == {(query, name): value for _, name, query, value in expected.rows()}
    means = {measure.of_partwise.name: value for measure, value in result.aggregated.items()}
    scored = {name for _, name in queries}
    assert {name: value for name, value in means.items() if not math.isnan(value)} == {
        name: value for name, value in expected.mean()["run"].items() if name in scored
    }


def test_inex_with_the_official_values(inex: Path) -> None:
    rows = [line.split() for line in (inex / "qrels.txt").read_text().splitlines()]
    qrels = pd.DataFrame(
        [
            (query, doc, 1, int(start), int(start) + int(size), int(length))
            for query, _, doc, _, length, _, *spans in rows
            for start, size in (span.split(":") for span in spans)
        ],
        columns=["query_id", "doc_id", "relevance", "start", "end", "length"],
    )
    names = ["query_id", "q0", "doc_id", "rank", "score", "tag", "offset", "length"]
    run = pd.read_csv(inex / "focused.run", sep=r"\s+", names=names, dtype={"query_id": str, "doc_id": str})
    judged = qrels[qrels.query_id.isin(run.query_id)]
    measures = [adapter.iP @ 0.01, adapter.iAP]
    means = named(ir_measures.calc_aggregate(measures, judged, run.drop(columns="score")))
    assert means == pytest.approx({"iP@0.01": 0.3467669467097497, "iAP": 0.11809946239483234}, abs=1e-9)


def test_the_documentation() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "peers.md").read_text(), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        if "pyterrier" not in block:
            results = run_examples(block)
            assert results.attempted > 0
            assert results.failed == 0


def test_passages_have_grades_and_nuggets_of_their_own() -> None:
    """The relevance of a row is the grade of its passage, not of its document."""
    rows = [
        {"query_id": "q1", "doc_id": "a", "relevance": 3, "start": 10, "end": 20, "nugget": "x"},
        {"query_id": "q1", "doc_id": "a", "relevance": 1, "start": 40, "end": 60, "nugget": "y"},
        {"query_id": "q1", "doc_id": "a", "relevance": 0, "start": 60, "end": 70, "nugget": "z"},
        {"query_id": "q1", "doc_id": "b", "relevance": 1, "start": 0, "end": 5, "nugget": "x"},
    ]
    names = ["PartnDCG@2", "PartR(rel=2)@1", "NuggetR@2", "NuggetR(weight=grade)@1", "PartHit(match=iou(0.5))@1"]
    run = run_frame([("q1", "a", 3.0, 40, 70), ("q1", "b", 2.0, 0, 5)])
    measures = [adapter.measure(name) for name in names]
    result = ir_measures.calc_aggregate(measures, pd.DataFrame(rows), run)
    ours = pw.evaluate(
        [{"grade": row["relevance"], **row} for row in rows], {"q1": [("a", 40, 70), ("b", 0, 5)]}, names
    )
    assert [result[measure] for measure in measures] == list(ours.mean()["run"].values())
    found = 1 + 1 / np.log2(3)  # the passage y at rank 1, the one of b at rank 2
    assert ours.mean()["run"]["PartnDCG@2"] == pytest.approx(found / (3 + 1 / np.log2(3)))
    assert list(ours.mean()["run"].values())[1:] == [0.0, 1.0, 0.25, 1.0]


def test_abstaining() -> None:
    rows = [("q1", "a", 1, 10, 20, 10, 100), ("q2", "b", 0, 0, 50, 0, 80), ("q3", "b", 0, None, None, 0, 80)]
    measures = [adapter.Abstain, adapter.PartR]
    result = ir_measures.calc_aggregate(measures, qrels_frame(rows), run_frame([("q3", "b", 1.0, 0, 9)]))
    assert named(result) == {"Abstain": 0.5, "PartR": 0.0}
