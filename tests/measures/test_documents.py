"""Document measures: the values and means of ir_measures and pytrec_eval, on random qrels and runs."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw

NAMES = [
    *("AP", "AP(rel=2)", "AP@3", "Bpref", "Compat(p=0.8)", "IPrec@0.1", "Judged@3", "NumQ", "NumRel", "NumRet"),
    *("NumRet(rel=2)", "P@2", "P(rel=2)@2", "R@3", "R(rel=2)@3", "RR", "RR(rel=2)", "RR@3", "Rprec", "SetAP"),
    *("SetF", "SetP", "SetR", "Success@2", "infAP", "nDCG", "nDCG@3"),
]
OF_PYTREC_EVAL = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@5": "ndcg_cut_5",
    "P@5": "P_5",
    "RR": "recip_rank",
    "Rprec": "Rprec",
}
QUERIES = ("q1", "q2", "q3", "q4")
DOCS = ("a", "b", "c", "d", "e", "f")

Qrels = dict[str, dict[str, int]]
Ranking = dict[str, dict[str, float]]

grades = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 0, 1, 1, 2, 3]), min_size=1).filter(
    lambda docs: max(docs.values()) >= 0  # pytrec_eval itself crashes on the others
)
qrels_of_queries = st.dictionaries(st.sampled_from(QUERIES), grades, min_size=1)
ranked = st.lists(st.sampled_from(DOCS), min_size=1, unique=True).map(
    lambda docs: {doc: float(len(docs) - place) for place, doc in enumerate(docs)}
)
rankings = st.dictionaries(st.sampled_from(QUERIES), ranked, min_size=1)


def qrels_rows(qrels: Qrels) -> list[dict[str, Any]]:
    return [
        {"query_id": query, "doc_id": doc, "grade": grade}
        for query, docs in qrels.items()
        for doc, grade in docs.items()
    ]


def run_rows(ranking: Ranking) -> list[dict[str, Any]]:
    return [
        {"query_id": query, "doc_id": doc, "score": score}
        for query, docs in ranking.items()
        for doc, score in docs.items()
    ]


@given(qrels_of_queries, rankings, st.sampled_from(["judged", "run"]))
def test_values_and_means_are_those_of_ir_measures(qrels: Qrels, ranking: Ranking, average_over: Any) -> None:
    """Queries without results and queries with nothing relevant included; with average_over=run, those of the run."""
    assume(set(qrels) & set(ranking))
    scores = pw.evaluate(qrels_rows(qrels), run_rows(ranking), NAMES, average_over=average_over)
    counted = {query: docs for query, docs in qrels.items() if average_over == "judged" or query in ranking}
    measures = [ir_measures.parse_measure(name) for name in NAMES]
    expected: dict[str, dict[str, float]] = {}
    for metric in ir_measures.iter_calc(measures, counted, ranking):
        if metric.query_id in counted:
            expected.setdefault(str(metric.measure), {})[metric.query_id] = metric.value
    means = ir_measures.calc_aggregate(measures, counted, ranking)
    [values] = scores.per_query().values()
    for measure in measures:
        name = str(measure)
        assert values[name] == pytest.approx(expected[name]), name
        assert set(values[name]) == set(counted), name
        assert scores.mean()["run"][name] == pytest.approx(means[measure]), name


@given(qrels_of_queries, rankings)
def test_means_are_those_of_trec_eval(qrels: Qrels, ranking: Ranking) -> None:
    """trec_eval -c: every judged query counts, those without results or anything relevant as 0."""
    assume(set(qrels) & set(ranking))
    values = pytrec_eval.RelevanceEvaluator(qrels, set(OF_PYTREC_EVAL.values())).evaluate(ranking)
    means = pw.evaluate(qrels_rows(qrels), run_rows(ranking), list(OF_PYTREC_EVAL)).mean()["run"]
    for ours, name in OF_PYTREC_EVAL.items():
        total = math.fsum(of_query[name] for query, of_query in values.items() if query in qrels)
        assert means[ours] == pytest.approx(total / len(qrels)), name


def test_a_query_with_nothing_relevant_counts_as_0_for_documents_only() -> None:
    """For text measures it is left out; the summary shows the difference."""
    qrels = [
        {"query_id": "q1", "doc_id": "a", "start": 0, "end": 10},
        {"query_id": "q2", "doc_id": "a", "start": 0, "end": 0},
    ]
    scores = pw.evaluate(qrels, {"q1": [("a", 0, 10)], "q2": [("a", 0, 10)]}, "AP RR TextP")
    assert scores.mean() == {"run": {"AP": 0.5, "RR": 0.5, "TextP": 1.0}}
    assert scores.summary() == ["2 of 2 queries scored", "TextP (run): 1 of 2 queries scored"]


def test_queries_that_ir_measures_leaves_out_are_left_out() -> None:
    """Its Accuracy is undefined where nothing relevant is returned."""
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    ranking = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
    scores = pw.evaluate(qrels_rows(qrels), run_rows(ranking), "Accuracy")
    assert scores.per_query() == {"run": {"Accuracy": {"q1": 1.0}}}
    measure = ir_measures.parse_measure("Accuracy")
    assert scores.mean()["run"]["Accuracy"] == ir_measures.calc_aggregate([measure], qrels, ranking)[measure]


def test_a_query_with_negative_grades_only_counts_as_0() -> None:
    qrels = {"q1": {"a": -1}, "q2": {"a": 1}}
    names = [name for name in NAMES if not name.startswith(("Num", "Judged"))]
    values = pw.evaluate(qrels_rows(qrels), run_rows({"q1": {"a": 2.0, "b": 1.0}}), names).per_query()["run"]
    assert values == {name: {"q1": 0, "q2": 0} for name in values}


@pytest.mark.parametrize("code", [0, 3])
def test_programs_of_measures_do_not_print_between_our_lines(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    perl = tmp_path / "perl"
    perl.write_text(f"#!/bin/sh\necho noise\necho 'more\nnoise' >&2\nexit {code}\n")
    perl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    qrels, run = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    if code == 0:
        assert pw.evaluate(qrels, run, "ERR@10").mean() == {"run": {"ERR@10": 0.0}}
    else:
        with pytest.raises(pw.PartwiseError) as error:
            pw.evaluate(qrels, run, "ERR@10")
        assert str(error.value) == "ERR@10 cannot be computed on this run (CalledProcessError: noise); leave it out"
    assert capfd.readouterr() == ("", "")


IN_THREADS = """
import gc, random, time
from concurrent.futures import ThreadPoolExecutor
import partwise as pw

def scores(measure):
    return list(pw.evaluate(qrels, runs, measure, jobs=1))

choose = random.Random(1)
names = [f"d{i}" for i in range(40)]
qrels = {f"q{q}": {doc: choose.randrange(3) for doc in choose.sample(names, 10)} for q in range(100)}
runs = [{f"q{q}": {doc: choose.random() for doc in choose.sample(names, 20)} for q in range(100)}]
measures = ["nDCG@5", "P@10", "nDCG@10", "P@3"] * 20
expected = [scores(measure) for measure in measures]
gc.callbacks.append(lambda phase, info: time.sleep(0.0001))
gc.set_threshold(10)
with ThreadPoolExecutor(4) as pool:
    assert list(pool.map(scores, measures)) == expected
"""


def test_threads_do_not_disturb_each_other() -> None:
    """Not even where the garbage collector lets another thread go on in the middle of trec_eval's work."""
    done = subprocess.run([sys.executable, "-c", IN_THREADS], check=False, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
