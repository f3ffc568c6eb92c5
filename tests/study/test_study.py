"""Studies of measures: by hand, against slow versions, on the papers' examples and on real judgements."""

from __future__ import annotations

import csv
import itertools
import json
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import partwise as pw
from partwise import types
from partwise.cli import main
from partwise.study import assessor_variation, error_rates, query_sets
from partwise.study.chance import streams
from partwise.study.curve_points import curve_measures
from partwise.study.matrix import Matrix, pairs_of
from support.arrays import numpys_permutations
from support.paths import ROOT
from support.scores import DOUBLE, double_runs, one_measure, scores_of
from support.xcg import COLLECTION, COUNTS, QUERY, RUNS, grade_rows, in_doc, inserted, preceded

sys.path.insert(0, str(ROOT / "examples"))

EIGHTHS = st.integers(0, 8).map(lambda number: number / 8)


def matrix_of(values: np.ndarray, lower: bool = False) -> Matrix:
    runs, queries = values.shape
    return Matrix("m", [f"r{i}" for i in range(runs)], [f"t{i:03}" for i in range(queries)], values, lower)


# ---- agreement ------------------------------------------------------------------------------------------------


def agreement_scores() -> pw.Scores:
    """Three systems, four queries; the second measure swaps the last two on two queries and on the mean."""
    first = {"a": [0.9, 0.9, 0.9, 0.9], "b": [0.5, 0.5, 0.5, 0.5], "c": [0.1, 0.1, 0.1, 0.1]}
    second = {"a": [0.8, 0.8, 0.8, 0.8], "b": [0.4, 0.4, 0.1, 0.1], "c": [0.3, 0.3, 0.5, 0.5]}
    return scores_of(
        {
            run: {
                "iAP": {f"t{i}": v for i, v in enumerate(first[run])},
                "TextP@5": {f"t{i}": v for i, v in enumerate(second[run])},
                "Redundancy@5": {f"t{i}": 1 - v for i, v in enumerate(first[run])},
            }
            for run in first
        }
    )


def test_agreement_by_hand() -> None:
    rows = {(row["measure"], row["other"]): row for row in pw.study.agreement(agreement_scores()).rows()}
    row = rows["iAP", "TextP@5"]
    assert row["tau"] == pytest.approx(1 / 3)  # two of three pairs in the same order
    assert row["p"] == pytest.approx(1.0)  # one swap or fewer: 3 of 6 orders, twice
    assert row["tau_ap"] == pytest.approx(2 / 2 * (1 + 1 / 2) - 1)
    assert row["tau_ap_back"] == pytest.approx(2 / 2 * (1 + 1 / 2) - 1)
    assert (row["verdict"], row["appropriate"]) == ("different (<.8)", "yes")
    assert row["topics_alike"] == 0.5
    assert row["topic_tau"] == pytest.approx((1 + 1 + 1 / 3 + 1 / 3) / 4)
    same = rows["iAP", "Redundancy@5"]  # lower is better, so the order is the same
    assert (same["tau"], same["tau_ap"], same["topics_alike"]) == (1.0, 1.0, 1.0)
    assert same["verdict"] == "equivalent (>.9)"


def test_verdicts_are_the_conventions() -> None:
    from partwise.study.measure_agreement import verdict

    assert [verdict(tau) for tau in (0.95, 0.9, 0.85, 0.8, 0.79, -1.0, math.nan)] == [
        "equivalent (>.9)", "between (.8-.9)", "between (.8-.9)", "between (.8-.9)", "different (<.8)",
        "different (<.8)", "",
    ]  # fmt: skip


def test_agreement_of_ties_and_of_one_order() -> None:
    scores = scores_of(
        {run: {"iAP": {"t": 0.5}, "AP": {"t": value}} for run, value in (("a", 0.1), ("b", 0.2), ("c", 0.3))}
    )
    [row] = pw.study.agreement(scores).rows()
    assert (row["tau"], row["p"], row["verdict"], row["appropriate"]) == (None, None, "", "")
    assert row["tau_ap"] == pytest.approx(0)
    assert (row["topics_alike"], row["topic_tau"]) == (0.0, None)


def test_measures_are_compared_on_the_queries_they_share() -> None:
    scores = scores_of(
        {
            "a": {"iAP": {"t1": 0.1, "t2": 0.9}, "AP": {"t1": 0.2}},
            "b": {"iAP": {"t1": 0.3, "t2": 0.0}, "AP": {"t1": 0.1}},
            "c": {"iAP": {"t1": 0.3, "t2": 0.0}},
        }
    )
    result = pw.study.agreement(scores)
    assert [row["tau"] for row in result.rows()] == [-1.0]
    assert list(result.notes) == [
        "runs that are not scored by every measure are left out: c",
        "all measures are computed on the 1 query that they share, of up to 2",
    ]


# ---- error rate -----------------------------------------------------------------------------------------------


def test_error_rate_and_ties_by_hand() -> None:
    """Four test sets, three systems; a tie is a difference below 5% of the larger score, or equality."""
    scores = np.array([[0.50, 0.40, 0.40], [0.40, 0.50, 0.41], [0.50, 0.49, 0.20], [0.00, 0.00, 0.10]])
    # a and b: > < = =, a and c: > = > <, b and c: = > > <; the rarer verdicts are 1 + 1 + 1, the ties 2 + 1 + 1
    assert error_rates.rates(scores) == (3 / 12, 4 / 12)
    assert error_rates.rates(scores[:1]) == (0.0, 1 / 3)
    assert error_rates.rates(scores[:, :1]) == (0.0, 0.0)
    assert error_rates.rates(np.zeros((3, 2))) == (0.0, 1.0)


def test_a_difference_of_exactly_the_fuzz_is_not_a_tie() -> None:
    assert error_rates.rates(np.array([[1.0, 0.95]])) == (0.0, 0.0)
    assert error_rates.rates(np.array([[1.0, 0.9501]])) == (0.0, 1.0)
    assert error_rates.rates(np.array([[1.0, 0.95], [0.95, 1.0]])) == (0.5, 0.0)


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(2, 5)), elements=EIGHTHS))
def test_error_rate_equals_counting(scores: np.ndarray) -> None:
    errors = ties = comparisons = 0
    for a, b in itertools.combinations(range(scores.shape[1]), 2):
        wins = losses = 0
        for x, y in zip(scores[:, a].tolist(), scores[:, b].tolist(), strict=True):
            comparisons += 1
            if x == y or abs(Fraction(x) - Fraction(y)) < Fraction(1, 20) * max(Fraction(x), Fraction(y)):
                ties += 1
            elif x > y:
                wins += 1
            else:
                losses += 1
        errors += min(wins, losses)
    assert error_rates.rates(scores) == pytest.approx((errors / comparisons, ties / comparisons))


def test_error_rate_of_random_queries() -> None:
    chance = np.random.default_rng(0)
    queries = chance.random(40)
    clear = {f"r{i}": (queries + i).tolist() for i in range(3)}
    [row] = pw.study.error_rate(one_measure(**clear)).rows()
    assert (row["error_rate"], row["topics"], row["sets"], row["comparisons"]) == (0.0, 20, 100, 300)
    noise = {f"r{i}": chance.random(40).tolist() for i in range(3)}
    [row] = pw.study.error_rate(one_measure(**noise), size=5, trials=400).rows()
    assert 0.1 < row["error_rate"] < 0.5
    [every] = pw.study.error_rate(one_measure(**noise), size=40, trials=50).rows()
    assert every["error_rate"] == 0.0  # all queries: always the same verdict
    again = pw.study.error_rate(one_measure(**noise), size=5, trials=400, seed=0).rows()
    assert again == [row]


def test_subset_means_are_means_of_subsets() -> None:
    values = np.random.default_rng(1).random((3, 6))
    possible = {tuple(np.round(values[:, list(s)].mean(axis=1), 9)) for s in itertools.combinations(range(6), 2)}
    result = {tuple(np.round(row, 9)) for row in error_rates.subset_means(matrix_of(values), 2, 500, 0)}
    assert result == possible


# ---- how many queries ------------------------------------------------------------------------------------------


def test_bins_are_those_of_the_paper() -> None:
    names = query_sets.bin_names()
    assert len(names) == 23
    assert names[:5] == ["<.0025", ".0025-.005", ".005-.01", ".01-.02", ".02-.03"]
    assert names[-2:] == [".19-.2", ">=.2"]
    values = [0.0, 0.0024, 0.0025, 0.005, 0.0099, 0.01, 0.02, 0.19, 0.2, 1.0, 0.1 + 0.2 - 0.1, 0.3 - 0.2]
    assert list(map(query_sets.bin_of, values)) == [0, 0, 1, 2, 2, 3, 4, 21, 22, 22, 22, 12]
    assert list(map(query_sets.bin_of, [-0.005, 1e308])) == [2, 22]


@given(arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(2, 7)), elements=EIGHTHS), st.integers(0, 5))
def test_swaps_equal_counting(values: np.ndarray, seed: int) -> None:
    trials = 5
    result, of_two = query_sets.count_swaps([matrix_of(values), matrix_of(values[1::-1])], trials, seed)
    [alone] = query_sets.count_swaps([matrix_of(values[1::-1])], trials, seed)
    assert (of_two.comparisons.tolist(), of_two.swaps.tolist()) == (alone.comparisons.tolist(), alone.swaps.tolist())
    half = values.shape[1] // 2
    comparisons, swaps = np.zeros((half, 23), int), np.zeros((half, 23), int)
    edges = [Fraction(1, 400), Fraction(1, 200), *(Fraction(i, 100) for i in range(1, 21))]
    for size, (chance, _) in enumerate(streams(seed, "two sets of topics", half, 1), 1):
        orders = numpys_permutations(chance, values.shape[1], trials, np.uint32)
        for order in orders.tolist():
            for a, b in itertools.combinations(range(len(values)), 2):
                one, other = (
                    sum(Fraction(values[a, t]) - Fraction(values[b, t]) for t in some) / size
                    for some in (order[:size], order[size : 2 * size])
                )
                bin = sum(abs(one) >= edge for edge in edges)
                comparisons[size - 1, bin] += 1
                swaps[size - 1, bin] += one * other < 0
    assert result.comparisons.tolist() == comparisons.tolist()
    assert result.swaps.tolist() == swaps.tolist()
    assert result.comparisons.sum() == half * trials * len(pairs_of(len(values))[0])


def exponential(start: float, slope: float, sizes: int = 20, count: int = 10**9) -> query_sets.Swaps:
    """Rates that fall exponentially, all in one bin."""
    size = np.arange(1, sizes + 1)
    comparisons, swaps = np.zeros((sizes, 23), np.int64), np.zeros((sizes, 23), np.int64)
    comparisons[:, 3] = count
    swaps[:, 3] = np.round(count * start * np.exp(slope * size))
    return query_sets.Swaps("m", 2, size, comparisons, swaps)


def test_extrapolation_continues_the_fit() -> None:
    swaps = exponential(0.4, -0.05)
    assert swaps.extrapolated(60, 3) == pytest.approx(0.4 * math.exp(-3), rel=1e-6)
    assert swaps.extrapolated(0, 3) == pytest.approx(0.4, rel=1e-6)
    queries, guessed = swaps.needed(3, 0.05)
    assert (queries, guessed) == (math.ceil(math.log(0.05 / 0.4) / -0.05), True)
    assert swaps.needed(3, 0.2) == (14, False)  # 0.4 exp(-0.7) is below 0.2, 0.4 exp(-0.65) is not
    assert math.isnan(swaps.extrapolated(60, 4))
    never = query_sets.Swaps("m", 2, swaps.sizes, swaps.comparisons, np.zeros_like(swaps.swaps))
    assert never.extrapolated(60, 3) == 0.0
    assert never.needed(3, 0.05) == (1, False)
    assert swaps.needed(4, 0.05) == (None, True)
    assert exponential(0.2, 0.01).needed(3, 0.05) == (None, True)
    assert exponential(0.4, 0.0).extrapolated(10_000, 3) == pytest.approx(0.4, rel=1e-6)


@given(st.lists(st.tuples(st.integers(1, 60), st.floats(0, 1)), min_size=2, max_size=8))
def test_the_fit_is_the_likeliest(cells: list[tuple[int, float]]) -> None:
    """No neighbour of the fit has a greater likelihood, if there is a best fit."""
    sizes = np.arange(1, len(cells) + 1)
    comparisons = np.array([count for count, _ in cells])
    swaps = np.array([int(count * share) for count, share in cells])
    assume((swaps > 0).sum() >= 2)
    intercept, slope = query_sets.exponential_fit(sizes, comparisons, swaps)

    def likelihood(a: float, b: float) -> float:
        log_rate = a + b * sizes
        return math.fsum((swaps * log_rate - comparisons * np.exp(log_rate)).tolist())

    best = likelihood(intercept, slope)
    for step in (1e-2, 1e-3):
        for a, b in itertools.product((-step, 0, step), repeat=2):
            assert likelihood(intercept + a, slope + b) <= best + 1e-7


def test_queries_needed_for_a_difference() -> None:
    """Two systems that differ by 0.03 under noise: a few queries swap them, many do not."""
    chance = np.random.default_rng(4)
    base = chance.random(400) / 5
    runs = {f"r{i}": (base + 0.03 * i + chance.normal(0, 0.05, 400)).tolist() for i in range(4)}
    result = pw.study.queries(one_measure(**runs), difference=0.031)
    [row] = result.needed()
    assert row["difference"] == ".03-.04"
    assert row["how"] == "observed"
    assert 3 <= int(row["queries needed"]) <= 60
    rates = {r["topics"]: r["rate"] for r in result.rows() if r["difference"] == ".03-.04"}
    assert rates[1] > 0.1 > rates[100]
    assert {r["extrapolated"] for r in result.rows()} == {"yes", "no"}
    assert all(r["comparisons"] is None for r in result.rows() if r["extrapolated"] == "yes")
    assert result.rows() == pw.study.queries(one_measure(**runs), difference=0.031).rows()
    best = max(np.mean(values) for values in runs.values())
    assert pw.study.queries(one_measure(**runs), difference=f"{3.1 / best}%").needed() == [row]


def test_only_the_best_runs_are_used() -> None:
    values = np.arange(69)[:, None] + np.zeros((69, 4))
    assert list(query_sets.best_runs(matrix_of(values), 0.75).runs) == [f"r{i}" for i in range(18, 69)]  # 51 of 69
    assert list(query_sets.best_runs(matrix_of(values, lower=True), 0.75).runs) == [f"r{i}" for i in range(51)]
    assert len(query_sets.best_runs(matrix_of(values[:2]), 0.1).runs) == 2


# ---- power ----------------------------------------------------------------------------------------------------


def test_power_counts_pairs() -> None:
    chance = np.random.default_rng(5)
    base = chance.random(30)
    good = {f"r{i}": (base + i + chance.random(30) / 10).tolist() for i in range(4)}
    noise = {f"r{i}": chance.random(30).tolist() for i in range(4)}
    scores = scores_of(
        {
            run: {name: {f"t{i}": v for i, v in enumerate(of[run])} for name, of in (("iAP", good), ("AP", noise))}
            for run in good
        }
    )
    for test in ("tukey", "t", "randomisation", "wilcoxon"):
        result = pw.study.power(scores, test=test, trials=999)
        rows = {row["measure"]: row for row in result.rows()}
        assert rows["iAP"]["power"] == 1.0, test
        assert rows["iAP"]["significant"] == rows["iAP"]["pairs"] == 6
        assert rows["iAP"]["largest_not"] is None
        assert rows["AP"]["power"] < 0.5
        curve = [row["p"] for row in result.curve() if row["measure"] == "AP"]
        assert curve == sorted(curve, reverse=True)
        assert len(curve) == 6


def test_power_of_identical_runs_and_one_query() -> None:
    [row] = pw.study.power(one_measure(a=[0.1, 0.2], b=[0.1, 0.2])).rows()
    assert (row["power"], row["least_significant"], row["largest_not"]) == (0.0, None, 0.0)
    [row] = pw.study.power(one_measure(a=[0.1], b=[0.2]), test="t").rows()
    assert row["power"] == 0.0


# ---- perturbation: Kazai and Lalmas, Figure 6 ------------------------------------------------------------------


def figure_six() -> dict[tuple[str, str], list[float]]:
    names = [f"{name}(quant=sog)" for name in ("xR", "xQ", "MAep", "iMAep", "MAnxCG")]
    names += [f"ep(quant=sog)@{g}" for g in (0.1, 1)] + [f"nxCG(quant=sog)@{k}" for k in (1, 2, 3, 5)]
    evaluator = pw.Evaluator(grade_rows(), names, collection=COLLECTION)
    result = pw.study.perturb(evaluator, {"ideal": {QUERY: in_doc(RUNS["ideal"])}})
    curves: dict[tuple[str, str], list[float]] = {}
    for row in result.rows():
        curves.setdefault((row["measure"].replace("(quant=sog)", ""), row["place"]), []).append(row["mean"])
    return curves


def test_figure_six() -> None:
    """The curves of the ideal run, and the statements of the text about them."""
    curves = figure_six()
    assert {len(curve) for curve in curves.values()} == {1 + len(COUNTS)}
    assert {curve[0] for curve in curves.values()} == {1.0}
    assert curves["xR", "between"][1:] == pytest.approx([0.5714] * 10, abs=5e-5)
    assert curves["ep@0.1", "between"] == pytest.approx([1.0] * 11)
    assert curves["nxCG@1", "between"] == pytest.approx([1.0] * 11)
    assert curves["nxCG@1", "before"][1:] == pytest.approx([0.0] * 10)
    assert curves["nxCG@2", "between"][1:] == pytest.approx([2 / 3] * 10)
    assert curves["nxCG@2", "before"][1:] == pytest.approx([2 / 3] + [0.0] * 9)
    assert curves["nxCG@3", "between"] == pytest.approx([1, 1] + [2 / 3] * 9)
    assert curves["nxCG@5", "between"] == pytest.approx([1, 1, 1, 1] + [2 / 3] * 7)
    assert curves["nxCG@3", "before"] == pytest.approx([1, 1, 2 / 3] + [0.0] * 8)
    drops = [100 * (1 - curves[name, "before"][1] / curves[name, "between"][1]) for name in ("xQ", "MAep", "iMAep")]
    assert [round(drop, 1) for drop in drops] == [24.1, 30.0, 47.1]
    for name in ("xQ", "MAep", "iMAep", "MAnxCG", "ep@1"):
        for place in ("before", "between"):
            assert curves[name, place] == sorted(curves[name, place], reverse=True)
    falls = {name: curves[name, "between"][1] - curves[name, "before"][1] for name in ("ep@1", "MAnxCG", "MAep", "xQ")}
    assert max(falls["ep@1"], falls["MAnxCG"]) < min(falls["MAep"], falls["xQ"])  # the two most stable


def test_perturbed_runs_score_as_the_same_runs_written_out() -> None:
    names = [f"{name}(quant=sog)" for name in ("xQ", "MAep", "iMAep", "MAnxCG")]
    evaluator = pw.Evaluator(grade_rows(), names, collection=COLLECTION)
    result = pw.study.perturb(evaluator, {"ideal": {QUERY: in_doc(RUNS["ideal"])}}, counts=[1, 3, 100])
    ways: tuple[tuple[str, Callable[[int], Any]], ...] = (("before", preceded), ("between", inserted))
    for place, made in ways:
        for count in (1, 3, 100):
            means = evaluator.evaluate({QUERY: made(count)}).mean()["run"]
            rows = [row for row in result.rows() if (row["place"], row["inserted"]) == (place, count)]
            assert {row["measure"]: row["mean"] for row in rows} == pytest.approx(means)


def test_perturbation_of_passages() -> None:
    """Inserted results have the median length of the run's results, and no two are the same."""
    qrels = {"t1": [("d", 0, 10)], "t2": [("d", 0, 10)], "t3": [("d", 0, 10)]}
    run = {"t1": [("d", 0, 10), ("unjudged", 5, 15)], "t2": [("d", 20, 30), ("d", 0, 10)]}
    evaluator = pw.Evaluator(qrels, "TextP TextR@2 Redundancy nDCG@2")
    result = {
        (row["measure"], row["place"], row["inserted"]): row
        for row in pw.study.perturb(evaluator, run, counts=[1, 8]).rows()
    }
    assert result["TextP", "before", 0]["mean"] == pytest.approx(1 / 3)
    assert result["TextP", "before", 1]["mean"] == result["TextP", "between", 1]["mean"] == pytest.approx(2 / 9)
    assert result["TextP", "before", 8]["mean"] == pytest.approx(2 / 30)
    assert result["TextP", "before", 8]["change"] == pytest.approx(0.2 - 1)
    assert result["TextR@2", "between", 1]["mean"] == pytest.approx(1 / 3)
    assert result["TextR@2", "before", 1]["mean"] == pytest.approx(1 / 3)
    assert result["TextR@2", "before", 8]["mean"] == 0
    assert result["Redundancy", "before", 8]["mean"] == 0
    ranked = [{"query_id": "t1", "doc_id": "d", "start": 0, "end": 10, "score": 0.5},
              {"query_id": "t1", "doc_id": "e", "start": 0, "end": 10, "score": 0.9}]  # fmt: skip
    rows = pw.study.perturb(pw.Evaluator({"t1": [("d", 0, 10)]}, "TextR@2"), ranked, counts=[1]).rows()
    assert [row["mean"] for row in rows] == [1.0, 0.0, 1.0, 0.0]  # the run's own order is kept


# ---- assessors ------------------------------------------------------------------------------------------------


def test_assessors_by_hand() -> None:
    """x scores 1 and 0.5 on t1, 1 and 0 on t3; y 0 and 0.5, 0 and 1; t2 has one assessor."""
    result = pw.study.assessors(pw.Evaluator(DOUBLE, "TextR"), double_runs())
    twice, every = result.variations
    assert (twice.scope, every.scope) == ("several assessors", "all queries")
    assert twice.means.tolist() == [[1.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    assert every.means == pytest.approx(np.array([[3, 0.5], [2, 1.5], [2.5, 1.0], [1.5, 2.0]]) / 3)
    rows = result.rows()
    assert [(row["topics"], row["combinations"]) for row in rows] == [(2, 4), (3, 4)]
    assert (rows[0]["tau_mean"], rows[0]["tau_min"], rows[0]["tau_max"]) == (0.0, -1.0, 1.0)  # one has all scores equal
    assert rows[1]["tau_mean"] == pytest.approx(1 / 3)
    assert (rows[1]["error_rate"], rows[1]["ties"]) == (0.25, 0.0)
    spread = {(row["scope"], row["run"]): row for row in result.spread()}
    assert spread["several assessors", "x"] == {
        "measure": "TextR", "scope": "several assessors", "run": "x", "official": 1.0, "mean": 0.625, "low": 0.25,
        "high": 1.0,
    }  # fmt: skip
    agreement = {row["level"]: row for row in result.agreement}
    assert list(agreement) == ["article", "character", "exact"]  # no collection, no elements
    assert (agreement["article"]["both"], agreement["article"]["either"]) == (1, 3)
    assert (agreement["character"]["both"], agreement["character"]["either"]) == (5, 35)
    assert (agreement["exact"]["both"], agreement["exact"]["either"]) == (0, 4)
    assert agreement["article"]["mean"] == pytest.approx((1 + 0) / 2)


def test_all_combinations_or_random_ones() -> None:
    counts = np.array([2, 1, 3])
    every = assessor_variation.combinations_of(counts, 6, 0)
    assert every.tolist() == [list(choice) for choice in itertools.product(range(2), range(1), range(3))]
    some = assessor_variation.combinations_of(np.full(200, 2), 50, 3)
    assert some.shape == (50, 200)
    assert not some[0].any()
    assert some.tolist() == assessor_variation.combinations_of(np.full(200, 2), 50, 3).tolist()


@given(st.data())
def test_combined_means_equal_means_of_the_chosen_assessors(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4)))
    values = data.draw(arrays(np.float64, shape, elements=st.one_of(EIGHTHS, st.just(math.nan))))
    chosen = data.draw(arrays(np.int64, (4, shape[2]), elements=st.integers(0, shape[0] - 1)))
    queries = data.draw(arrays(np.bool_, shape[2]))
    result = assessor_variation.combined_means(values, chosen, queries)
    for row, choice in zip(result, chosen, strict=True):
        for run in range(shape[1]):
            kept = [values[choice[t], run, t] for t in range(shape[2]) if queries[t]]
            kept = [value for value in kept if not math.isnan(value)]
            assert row[run] == pytest.approx(sum(kept) / len(kept) if kept else 0.0)


def test_graded_elements_agree_by_level_and_grade() -> None:
    xml = "<article><sec><p>one two</p><p>three</p></sec><sec><p>four</p></sec></article>"
    sec, p = "/article[1]/sec[{}]", "/article[1]/sec[{}]/p[{}]"
    marks = {
        "ann": {sec.format(1): (2, 3), p.format(1, 1): (3, 3), p.format(1, 2): (1, 3)},
        "bob": {sec.format(1): (2, 3), p.format(1, 1): (3, 2), sec.format(2): (0, 3), p.format(2, 1): (1, 1)},
    }
    rows = [
        {"query_id": "t", "doc_id": "d", "path": path, "exhaustivity": e, "specificity": s, "assessor": name,
         "scale": "four-point"}
        for name, grades in marks.items() for path, (e, s) in grades.items()
    ]  # fmt: skip
    evaluator = pw.Evaluator(rows, "nxCG@5", collection={"d": xml})
    result = pw.study.assessors(evaluator, {"a": {"t": [{"doc_id": "d", "path": sec.format(1)}]}})
    counts = {row["level"]: (row["both"], row["either"]) for row in result.agreement}
    assert counts == {
        "article": (1, 1), "section": (1, 1), "paragraph": (1, 3), "character": (0, 0), "exact": (1, 5),
    }  # fmt: skip


def test_assessors_with_a_learned_navigation_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every combination of assessors is scored with the model that the evaluation has."""
    demo = pw.demo()
    graph = pw.learn_navigation([{"route": ["section", "p", "section", "article"]}], by="tag")
    users = tmp_path / "users.json"
    graph.write(users)
    measure = "ESRR(nav=users)@10"
    runs = [demo.runs["sections"], demo.runs["chunks"]]
    for navigation in ({"users": graph}, users):
        evaluator = pw.Evaluator(demo.qrels, measure, collection=demo.collection, navigation=navigation)
        result = pw.study.assessors(evaluator, runs)
        means = {run: values for run, of_run in evaluator.evaluate(runs).mean().items() for values in of_run.values()}
        official = {row["run"]: row["official"] for row in result.spread() if row["scope"] == "all queries"}
        assert official == pytest.approx(means)
        assert any(row["low"] < row["high"] for row in result.spread())
    command = ["study", "assessors", str(demo.qrels), *map(str, runs), "--collection", str(demo.folder / "articles")]
    assert main([*command, "-m", measure, "--navigation", str(users), "-f", "jsonl"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == result.rows()


@pytest.fixture(scope="module")
def evidence_world(evidence: Path) -> tuple[list[dict[str, Any]], dict[str, Any], pw.Collection]:
    import evidence_elements as example

    collection = pw.Collection.open(evidence / "xml_files")
    with open(evidence / "prompts.csv", newline="", encoding="utf-8") as file:
        queries = {
            line["PromptID"]: f"{line['Outcome']} {line['Intervention']} {line['Comparator']}"
            for line in csv.DictReader(file)
        }
    runs = {name: example.retrieved(collection, tags, queries) for name, tags in example.GRAINS.items()}
    return example.evidence(evidence, collection), runs, collection


def test_two_assessors_of_evidence(evidence_world: tuple[list[dict[str, Any]], dict[str, Any], pw.Collection]) -> None:
    """Assessors agree less at finer levels; three systems of different granularity keep their order."""
    qrels, runs, collection = evidence_world
    levels = {"section": ("sec",), "paragraph": ("p",)}
    evaluator = pw.Evaluator(qrels, "iAP TextP@10", collection=collection)
    result = pw.study.assessors(evaluator, runs, levels=levels, limit=200)
    agreement = {row["level"]: row for row in result.agreement}

    marked: dict[str, dict[str, dict[str, set[Any]]]] = {}
    for row in qrels:
        of = marked.setdefault(row["query_id"], {}).setdefault(
            row["assessor"], {"article": set(), "section": set(), "paragraph": set(), "character": set()}
        )
        doc, start, end = row["doc_id"], row["start"], row["end"]
        document = collection[doc]
        of["article"].add(doc)
        of["character"].update((doc, i) for i in range(start, end))
        for name, tags in levels.items():
            of[name].update(
                (doc, node)
                for node, tag in enumerate(document.tag)
                if tag in tags and document.start[node] < end and start < document.end[node]
            )
    for level in ("article", "section", "paragraph", "character"):
        both = either = 0
        for by_assessor in marked.values():
            for one, other in itertools.combinations(by_assessor.values(), 2):
                both += len(one[level] & other[level])
                either += len(one[level] | other[level])
        assert (agreement[level]["both"], agreement[level]["either"]) == (both, either), level
    shares = [agreement[level]["overlap"] for level in ("article", "section", "paragraph", "character", "exact")]
    assert shares == sorted(shares, reverse=True)
    assert [round(share, 3) for share in shares] == [1.0, 0.513, 0.399, 0.267, 0.086]

    assert len([query for query, by_assessor in marked.items() if len(by_assessor) > 1]) == result.rows()[0]["topics"]
    for row in result.rows():
        assert (row["tau_min"], row["error_rate"]) == (1.0, 0.0)
    official = evaluator.evaluate(runs)
    for of in result.variations:
        queries = official.per_query()["sections"][of.measure]
        if of.scope == "all queries":
            assert of.means[0] == pytest.approx([official.mean()[run][of.measure] for run in runs])
            assert of.queries == len(queries)
        assert (of.means.max(axis=0) > of.means.min(axis=0)).all()
    assert list(result.notes) == ["about 10^83 combinations: the official one and 199 random others are used"]


# ---- curves ---------------------------------------------------------------------------------------------------


def test_curves_are_the_means_of_their_measures() -> None:
    from partwise.study.curve_points import KINDS, curve_measures

    qrels = {"t1": [("d", 0, 100)], "t2": [("d", 50, 250)]}
    runs = {"a": {"t1": [("d", 0, 50), ("d", 40, 120)], "t2": [("d", 0, 300)]}, "b": {"t1": [("d", 60, 400)]}}
    for kind in ("recall-precision", "budget", "budget-precision"):
        scores = pw.evaluate(qrels, runs, curve_measures(kind))
        result = pw.study.curves(scores, kind=kind)
        assert [row["x"] for row in result.rows() if row["run_id"] == "a"] == [float(x) for x in KINDS[kind].at]
        assert [row["y"] for row in result.rows()] == [block.aggregate for block in scores.blocks]
    [first, *_] = pw.study.curves(pw.evaluate(qrels, runs, curve_measures("budget")), kind="budget").rows()
    assert (first["x"], first["y"]) == (100.0, pytest.approx((0.9 + 0.25) / 2))
    assert list(KINDS) == [
        "recall-precision", "effort-precision", "gain", "normalised-gain", "budget", "budget-precision",
    ]  # fmt: skip


# ---- errors ---------------------------------------------------------------------------------------------------

TWO = {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.4]}


@pytest.mark.parametrize(
    ("job", "line"),
    [
        (lambda: pw.study.agreement(one_measure(**TWO)),
         "there is only one measure; give at least two, to compare them with each other"),
        (lambda: pw.study.agreement(scores_of({"a": {"iAP": {"t": 1.0}, "AP": {"t": 1.0}}})),
         "there is only one run; give at least two, to compare them with each other"),
        (lambda: pw.study.agreement(scores_of({r: {"iAP": {"t": 1.0}, "AP": {"u": 1.0}} for r in "ab"})),
         "no query has a score of every measure for every run; give measures that share queries"),
        (lambda: pw.study.error_rate(one_measure(a=[0.1])),
         "there is only one run; give at least two, to compare them with each other"),
        (lambda: pw.study.error_rate(one_measure(**TWO), size=4),
         "size is 4, but iAP has 3 queries; it must be at most 3"),
        (lambda: pw.study.error_rate(one_measure(**TWO), fuzz=1),
         "fuzz is '1'; it must be a number from 0, and below 1"),
        (lambda: pw.study.error_rate(one_measure(**TWO), trials=1),
         "trials is '1'; it must be a whole number from 2 to 10000000"),
        *((lambda study=study: study(one_measure(**TWO), trials=10**20),
           f"trials is '100000000000000000000'; it must be a whole number from {least} to 10000000")
          for study, least in ((pw.compare, 1), (pw.study.power, 1), (pw.study.queries, 1), (pw.study.error_rate, 2))),
        (lambda: pw.study.assessors(pw.Evaluator(DOUBLE, "TextR"), double_runs(), limit=10**7 + 1),
         "limit is '10000001'; it must be a whole number from 2 to 10000000"),
        (lambda: pw.study.queries(one_measure(a=[0.1], b=[0.2])),
         "iAP has only one query; give scores of at least two queries"),
        (lambda: pw.study.queries(one_measure(**TWO), best=0),
         "best is 0; it must be a share of the runs, above 0 and up to 1"),
        (lambda: pw.study.queries(one_measure(**TWO), difference=0),
         "difference is '0'; it must be a number above 0, or a percentage such as '10%'"),
        (lambda: pw.study.queries(one_measure(**TWO), difference="10"),
         "difference is '10'; it must be a number above 0, or a percentage such as '10%'"),
        (lambda: pw.study.queries(one_measure(**TWO), difference=5),
         "no two means can differ by '5': none is above 1; give a smaller number, or a percentage such as '5%'"),
        (lambda: pw.study.power(one_measure(**TWO), test="x"),
         "test is 'x'; it must be one of randomisation, t, wilcoxon, tukey"),
        (lambda: pw.study.assessors(pw.Evaluator(DOUBLE[:1], "TextR"), double_runs()),
         "qrels: has one assessor per query; give judgements of several assessors (column assessor)"),
        (lambda: pw.study.perturb(pw.Evaluator(DOUBLE, "TextR"), double_runs(), counts=[0]),
         "counts is '0'; it must be a whole number from 1 to 100000"),
        (lambda: pw.study.perturb(pw.Evaluator(DOUBLE, "TextR"), double_runs(), counts=[10**20]),
         "counts is '100000000000000000000'; it must be a whole number from 1 to 100000"),
        (lambda: pw.study.curves(one_measure(**TWO), kind="round"),
         "kind is 'round'; it must be one of recall-precision, effort-precision, gain, normalised-gain, budget, "
         "budget-precision"),
        (lambda: pw.study.curves(one_measure(**TWO), kind="gain"),
         "a gain curve has 50 points, but run a has 1 measures; evaluate xCG@1 to xCG@50"),
    ],
)  # fmt: skip
def test_errors_of_studies(job: Callable[[], Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        job()
    assert str(error.value) == line


# ---- qrels and runs instead of scores ---------------------------------------------------------------------------

GOLD = {f"q{i}": [("d", 10 * i, 10 * i + 6)] for i in range(6)}
LISTS = {
    "exact": {f"q{i}": [("d", 10 * i, 10 * i + 6)] for i in range(6)},
    "near": {f"q{i}": [("d", 10 * i + 2, 10 * i + 9), ("d", 0, 5)] for i in range(6)},
    "far": {f"q{i}": [("d", 10 * i + 5, 10 * i + 20)] for i in range(5)},
}


@pytest.mark.parametrize("name", ["agreement", "error_rate", "queries", "power"])
def test_studies_of_scores_take_qrels_and_runs(name: str) -> None:
    study = getattr(pw.study, name)
    measures = ["TextP@5", "TextR@5"]
    scores = pw.evaluate(GOLD, LISTS, measures)
    result = study(GOLD, LISTS, measures)
    assert result.rows() == study(scores).rows()
    assert list(result.notes) == [*scores.notes, *study(scores).notes]
    assert len(scores.notes) == 1  # a query without results
    averaged = pw.evaluate(GOLD, LISTS, measures, average_over="run")
    assert study(GOLD, LISTS, measures, average_over="run").rows() == study(averaged).rows()


def test_studies_of_runs_take_qrels_and_runs() -> None:
    evaluator = pw.Evaluator(GOLD, "TextP@5")
    assert pw.study.perturb(GOLD, LISTS, "TextP@5").rows() == pw.study.perturb(evaluator, LISTS).rows()
    rows = [
        {"query_id": query, "doc_id": doc, "start": start + shift, "end": end, "assessor": assessor}
        for assessor, shift in (("one", 0), ("two", 3))
        for query, parts in GOLD.items()
        for doc, start, end in parts
    ]
    evaluator = pw.Evaluator(rows, "TextP@5")
    for shows in types.ASSESSOR_TABLES:
        result = pw.study.assessors(rows, LISTS, "TextP@5", shows=shows)
        assert result.rows() == pw.study.assessors(evaluator, LISTS, shows=shows).rows()
    assert result.rows() == list(result.agreement)
    scores = pw.evaluate(GOLD, LISTS, curve_measures("budget"))
    result = pw.study.curves(GOLD, LISTS, kind="budget")
    assert result.rows() == pw.study.curves(scores, kind="budget").rows()
    evaluator = pw.Evaluator(GOLD, curve_measures("budget"))
    assert result.rows() == pw.study.curves(evaluator, LISTS, kind="budget").rows()
    assert list(result.notes) == list(scores.notes)


@pytest.mark.parametrize(
    ("study", "line"),
    [
        (lambda: pw.study.power(GOLD), "no run is given; give scores, or assessments and runs"),
        (
            lambda: pw.study.power(one_measure(**TWO), LISTS),
            "runs cannot be used with scores; leave them out, or give assessments",
        ),
        (
            lambda: pw.study.power(one_measure(**TWO), order="rank"),
            "order cannot be used with scores; leave it out, or give assessments and runs",
        ),
        (
            lambda: pw.study.perturb(pw.Evaluator(GOLD), LISTS, "TextP"),
            "measures cannot be used with an evaluator; leave it out, or give assessments instead of the evaluator",
        ),
        (lambda: pw.study.power(GOLD, LISTS, order="x"), "order is 'x'; it must be one of rank, score"),
    ],
)
def test_mixed_inputs_of_studies(study: Callable[[], Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        study()
    assert str(error.value) == line


def test_without_fuzz_only_equal_scores_tie() -> None:
    scores = one_measure(a=[0.5, 0.5], b=[0.5, 0.5], c=[0.5001, 0.5001])
    [row] = pw.study.error_rate(scores, fuzz=0, trials=10).rows()
    assert row["ties"] == pytest.approx(1 / 3)
    [row] = pw.study.error_rate(scores, trials=10).rows()
    assert row["ties"] == 1.0


def test_rows_answer_how_many_queries_are_needed() -> None:
    noise = np.random.default_rng(3).normal(0, 0.1, (3, 40))
    runs = {name: (0.5 + 0.04 * i + noise[i]).tolist() for i, name in enumerate("abc")}
    every = pw.study.queries(one_measure(**runs))
    result = pw.study.queries(one_measure(**runs), difference=0.031)
    assert {row["difference"] for row in result.rows()} == {row["difference"] for row in result.needed()}
    assert result.rows() == [row for row in every.rows() if row["difference"] == result.rows()[0]["difference"]]
    for answer in every.needed():
        of_bin = [row for row in every.rows() if row["difference"] == answer["difference"]]
        needed = {(row["needed"], row["needed_how"], row["of_best"]) for row in of_bin}
        [(count, how, of_best)] = needed
        assert answer["of the best"] == of_best
        assert answer["queries needed"].removeprefix("~") == ("not found" if count is None else str(count))
        assert answer["how"] == (how or "")
    none = pw.study.queries(one_measure(a=[0.1, 0.9] * 5, b=[0.1, 0.9] * 5), difference=0.05)
    assert none.rows() == []
    assert list(none.notes) == ["no pair of runs differs by 0.05 on any set of queries"]
