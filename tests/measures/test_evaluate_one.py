"""`evaluate_one` equals `evaluate` to the last bit, for every measure, and fails as it does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles.structure_worlds import World as Structured
from oracles.structure_worlds import worlds as structured_worlds
from oracles.worlds import World, worlds
from partwise.measures import families


def default_names(kinds: list[type[pw.Measure]]) -> list[str]:
    """A name of each measure, with a value after the ``@`` if it has one."""
    names = []
    for kind in kinds:
        at = kind.at_param()
        names.append(kind.__name__ + ("" if at is None else "@3" if at.kind is int else "@0.5"))
    return names


ALL = [name for kinds in families().values() for name in default_names(kinds)]
ELEMENTS = {
    *("xCG", "nxCG", "MAnxCG", "xGR", "ep", "iMAep", "MAep", "xQ", "xR"),
    *("Precall", "inexAP", "ngP", "ngR", "SR", "SRP", "SRPL"),
}
"""Measures that need a collection."""
WITHOUT_COLLECTION = [name for name in ALL if name.partition("@")[0] not in ELEMENTS]
OTHERS = [
    "TextP",
    "TextR(budget=17)",
    "TextIoU(judged_only=True)@2",
    "iP@0.01",
    "AP",
    "nDCG@3",
    "RR",
    "gP(score=BEP)@2",
]


def expected(evaluator: pw.Evaluator, query: str, results: Any) -> dict[str, float]:
    """The values of a query among those of a run of this query."""
    [of_run] = evaluator.evaluate({query: results}).per_query().values()
    return {measure: values[query] for measure, values in of_run.items() if query in values}


def error_of(call: Any, *arguments: Any) -> tuple[str, list[str]]:
    with pytest.raises(pw.PartwiseError) as error:
        call(*arguments)
    return str(error.value), getattr(error.value, "__notes__", [])


def check(evaluator: pw.Evaluator, query: str, results: Any) -> None:
    try:
        values = expected(evaluator, query, results)
    except pw.PartwiseError:
        assert error_of(evaluator.evaluate_one, query, results) == error_of(evaluator.evaluate, {query: results})
        return
    assert evaluator.evaluate_one(query, results) == values


@given(worlds(), st.sampled_from(["judged", "run"]))
def test_values_without_a_collection(world: World, average_over: Any) -> None:
    judged = [judgement for docs in world.judged.values() for judgement in docs.values()]
    assume(any(start < end for judgement in judged for start, end in judgement.spans))
    evaluator = pw.Evaluator(world.qrels(), WITHOUT_COLLECTION + OTHERS, average_over=average_over)
    run = world.run()
    for query in world.judged:
        check(evaluator, query, run.get(query, []))


@given(structured_worlds())
def test_values_with_a_collection(world: Structured) -> None:
    collection = pw.Collection.open(world.xml)
    try:
        evaluator = pw.Evaluator(
            world.grades(), ["nxCG@3", "MAep", "ESRR@3", "TextR@3", "PRUM@0.5"], collection=collection
        )
    except pw.PartwiseError:
        assume(False)
    run = world.run()
    for query in world.judged:
        check(evaluator, query, run.get(query, []))


QRELS = {"q1": [("d", 10, 80)], "q2": [("d", 0, 5)], "3": [("e", 0, 5)]}


@pytest.fixture(scope="module")
def evaluator() -> pw.Evaluator:
    return pw.Evaluator(QRELS, ["TextP@5", "TextR@5", "AP"])


@pytest.mark.parametrize(
    "results",
    [
        [("d", 0, 100)],
        (("d", 0, 100), ["d", 20, 30]),
        [{"doc_id": "d", "start": 0, "end": 100, "score": 0.5}, {"doc_id": "x", "start": 0, "end": 1, "score": 0.7}],
        [{"doc_id": "d", "start": 0, "end": 100, "rank": 2}, {"doc_id": "x", "start": 0, "end": 1, "rank": 1}],
        [{"docno": "d", "start_index": 0, "end_index": 100, "text": "x" * 100}],
        {"d": 0.5, "e": 0.7},
        ["d", "e"],
        [],
        None,
        [("d", 5, 2)],
        [("d", "x", 2)],
        [("d", 0, None)],
        [("", 0, 1)],
        [("\ud800", 0, 1)],
        [("d", 0)],
        [{"doc_id": "d", "strat": 1}],
        [{"doc_id": "d", "start": 0, "end": 5, "score": None}, {"doc_id": "d", "start": 0, "end": 5, "score": 1}],
        [{"doc_id": "d", "path": "/a[1]"}],
        [object()],
    ],
)
def test_results_are_read_as_in_a_run(evaluator: pw.Evaluator, results: Any) -> None:
    check(evaluator, "q1", results)


def test_queries(evaluator: pw.Evaluator) -> None:
    assert evaluator.evaluate_one("q1", iter([("d", 0, 100)])) == evaluator.evaluate_one("q1", [("d", 0, 100)])
    of_number: Any = 3
    assert evaluator.evaluate_one(of_number, [("e", 0, 5)]) == {"TextP@5": 1.0, "TextR@5": 1.0, "AP": 1.0}
    check(evaluator, "unknown", [("d", 0, 100)])
    assert error_of(evaluator.evaluate_one, "unknown", [])[0] == (
        "qrels: has no judgements for query 'unknown'; its first query is 'q1'"
    )
    rows = [{"query_id": "q1", "doc_id": "d", "start": 0, "end": 100}]
    assert evaluator.evaluate_one("q1", rows) == evaluator.evaluate_one("q1", [("d", 0, 100)])


def test_what_is_not_the_list_of_one_query(evaluator: pw.Evaluator) -> None:
    rows = [{"query_id": query, "doc_id": "d", "start": 0, "end": 100} for query in ("q1", "q2")]
    assert error_of(evaluator.evaluate_one, "q1", rows)[0] == (
        "run: has results of query 'q2'; give the results of query 'q1' only"
    )
    of_runs = [{"run_id": run, "doc_id": "d", "start": 0, "end": 100} for run in "ab"]
    assert error_of(evaluator.evaluate_one, "q1", of_runs)[0] == (
        "run: has 2 runs, but the results of one query are scored; give those of one run"
    )
    assert error_of(evaluator.evaluate_one, "q1", "run.txt")[0] == (
        "run is of type str; give a list of parts or a mapping of documents to scores"
    )
    assert error_of(evaluator.evaluate_one, None, [])[0] == (
        "run: the query_id is 'None'; it must be a string or a whole number"
    )


def test_measures_that_do_not_score_the_query_are_left_out() -> None:
    qrels = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 9}, {"query_id": "none", "doc_id": "d", "grade": 0}]
    evaluator = pw.Evaluator(qrels, ["TextP", "Overlap"])
    assert evaluator.evaluate_one("none", [("d", 0, 9)]) == {"Overlap": 0.0}
    assert evaluator.evaluate_one("none", []) == {}
