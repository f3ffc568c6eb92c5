"""The number of trials of tests: raised where a correction needs smaller p-values, the same decisions as at once."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise.study import significance, statistics
from partwise.study.matrix import Matrix, pairs_of
from partwise.study.significance import least_p, raised_sign_flips
from support.scores import one_measure

FEW_TRIALS = "no p-value can be small enough: "
CORRECTIONS = ("holm", "bonferroni", "bh", "none")


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few trials, so that small worlds need more of them."""
    monkeypatch.setattr(significance, "TRIALS", 20)
    monkeypatch.setattr(statistics, "PIECE", 10)


def differences(pairs: int, seed: int, queries: int = 20) -> np.ndarray:
    """Differences in quarters, from none at all to the same sign everywhere."""
    chance = np.random.default_rng(seed)
    lean = np.linspace(0, 1, pairs)[:, None] ** 0.5
    signs = np.where(chance.random((pairs, queries)) < (1 + lean) / 2, 1, -1)
    return signs * chance.integers(0, 5, (pairs, queries)) / 4


@pytest.mark.usefixtures("small_steps")
@settings(max_examples=60)
@given(
    st.integers(1, 12),
    st.integers(0, 10_000),
    st.sampled_from(CORRECTIONS),
    st.sampled_from([0.3, 0.1, 0.05, 0.01]),
    st.integers(1, 3),
)
def test_steps_decide_as_all_trials_at_once(pairs: int, seed: int, correction: str, alpha: float, jobs: int) -> None:
    """Every p-value is that of its number of trials at once, and the significant pairs are those of the most trials."""
    difference = differences(pairs, seed)
    p, trials = raised_sign_flips(difference, correction, alpha, seed, jobs)
    for number in set(trials.tolist()):
        at_once = statistics.sign_flips(difference, number, seed)
        assert p[trials == number].tolist() == at_once[trials == number].tolist()
    most = int(trials.max())
    factor = 1 if correction == "none" else pairs
    if correction != "bh":
        assert most == 20 or factor / 21 > alpha
    if most > 20:
        assert most <= 4 * factor / alpha + 10
        full = significance._enough(factor, alpha)
        decided = statistics.corrected(statistics.sign_flips(difference, full, seed), correction) <= alpha
        assert (statistics.corrected(p, correction) <= alpha).tolist() == decided.tolist()


@pytest.mark.usefixtures("small_steps")
def test_pairs_that_cannot_become_significant_keep_their_trials() -> None:
    queries = 20
    clear, equal = np.full((2, queries), 0.5), np.tile([0.25, -0.25], (38, queries // 2))
    p, trials = raised_sign_flips(np.concatenate([clear, equal]), "holm", 0.05, 0)
    assert trials.tolist() == [3200] * 2 + [20] * 38
    assert p[:2].tolist() == [1 / 3201] * 2
    assert (p[2:] == 1).all()
    assert (statistics.corrected(p, "holm") <= 0.05).tolist() == [True] * 2 + [False] * 38
    _, none = raised_sign_flips(equal, "holm", 0.05, 0)
    assert none.tolist() == [20] * 38


def brute_least(test: str, queries: int, runs: int) -> float:
    """The smallest share of assignments that are as extreme as the data, over data that favour extremes."""
    if test == "tukey":
        values = np.array([[run * 10.0**query for query in range(queries)] for run in range(runs)])
        orders = list(itertools.permutations(range(runs)))
        ranges = [
            np.ptp(sum(values[list(order), query] for query, order in enumerate(assignment)))
            for assignment in itertools.product(orders, repeat=queries)
        ]
        return float(np.mean(np.array(ranges) >= np.ptp(values.sum(axis=1)) - 1e-9))
    sums = [abs(sum(signs)) for signs in itertools.product((1, -1), repeat=queries)]
    return sum(total >= queries for total in sums) / len(sums)


@pytest.mark.parametrize("queries", [1, 2, 3, 4, 8])
def test_the_smallest_p_value_of_few_queries(queries: int) -> None:
    for test in ("randomisation", "wilcoxon"):
        assert least_p(test, queries, 2) == brute_least(test, queries, 2)
    p = statistics.p_values(
        Matrix("iAP", ["a", "b"], [str(i) for i in range(queries)], np.array([[1.0] * queries, [0.0] * queries])),
        *pairs_of(2), "randomisation", trials=1, seed=0,
    )  # fmt: skip
    assert p.tolist() == [least_p("randomisation", queries, 2)]
    assert least_p("t", queries, 2) == 0
    assert least_p("wilcoxon", 51, 2) == 0


@pytest.mark.parametrize(("queries", "runs"), [(1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (3, 3), (2, 4)])
def test_tukey_of_few_queries_and_runs_is_never_smaller(queries: int, runs: int) -> None:
    least = least_p("tukey", queries, runs)
    assert least == pytest.approx(math.factorial(runs) / math.factorial(runs) ** queries)
    assert brute_least("tukey", queries, runs) >= least - 1e-12
    if runs == 2:
        assert brute_least("tukey", queries, runs) == pytest.approx(least)


def test_pairs_are_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for queries in (5, 20):
        difference = differences(30, 1, queries)
        p = statistics.sign_flips(difference, 1000, 0)
        monkeypatch.setattr(statistics, "NUMBERS_AT_ONCE", 700)
        assert statistics.sign_flips(difference, 1000, 0).tolist() == p.tolist()
        monkeypatch.undo()


# ---- compare and power ------------------------------------------------------------------------------------------


def many(runs: int = 40, queries: int = 30) -> pw.Scores:
    """Runs of which the first is much worse than the others, which are the same but for noise."""
    chance = np.random.default_rng(5)
    values = chance.random((runs, queries)) / 10 + chance.random(queries)
    values[0] -= 1
    return one_measure(**{f"r{i:02}": row.tolist() for i, row in enumerate(values)})


def significant(result: pw.Comparison) -> set[frozenset[str]]:
    return {frozenset((row["run_id"], row["baseline"])) for row in result.rows() if row["significant"] == "yes"}


def test_many_pairs_get_the_trials_they_need() -> None:
    """780 pairs: the smallest p-value of 10,000 trials, times 780, is above 0.05."""
    scores = many()
    result = pw.compare(scores)
    assert significant(result) >= {frozenset(("r00", f"r{i:02}")) for i in range(1, 40)}
    assert len(result.notes) == 1
    assert result.notes[0].startswith("iAP: used up to 62,500 trials for ")
    assert result.notes[0].endswith(" of 780 pairs; 10,000 are too few for significance at 0.05")
    assert result.rows() == pw.compare(scores, jobs=3).rows()
    few = pw.compare(scores, trials=10_000)
    assert significant(few) == set()
    assert list(few.notes) == [
        f"iAP: {FEW_TRIALS}with 10,000 trials it is at least 0.0001, but significance needs 6.4e-05; "
        "leave out trials, or give at least 15,600"
    ]
    usual = {(row["run_id"], row["baseline"]): row["p"] for row in few.rows()}
    raised = {(row["run_id"], row["baseline"]): row["p"] for row in result.rows()}
    kept = [pair for pair, p in usual.items() if raised[pair] == p]
    assert (
        len(kept) + int(result.notes[0].split(" pairs")[0].split(" of ")[0].split()[-1]) == 781
    )  # r00 has no baseline


def test_few_pairs_keep_their_values() -> None:
    scores = many(runs=10)
    result = pw.compare(scores)
    assert result.rows() == pw.compare(scores, trials=10_000).rows()
    assert list(result.notes) == []


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_corrections_of_many_pairs(correction: Any) -> None:
    result = pw.compare(many(), correct=correction)
    assert significant(result) >= {frozenset(("r00", f"r{i:02}")) for i in range(1, 40)}
    assert len(result.notes) == (correction in ("holm", "bonferroni"))  # with bh, 39 small p-values are enough


def test_benjamini_hochberg_with_one_difference() -> None:
    """One small p-value of 599 needs what Bonferroni's correction needs; that is known after the first trials only."""
    noise = np.tile([0.01, -0.01], 15)
    values = {f"r{i:03}": (0.5 + noise * i / 1000).tolist() for i in range(600)}
    values["r001"] = [0.9] * 30
    scores = one_measure(**values)
    seen: list[float] = []
    result = pw.compare(scores, baseline="r000", correct="bh", progress=lambda done, total: seen.append(done / total))
    assert significant(result) == {frozenset(("r000", "r001"))}
    assert list(result.notes) == [
        "iAP: used up to 48,000 trials for 1 of 599 pairs; 10,000 are too few for significance at 0.05"
    ]
    assert seen[-1] == 1
    few = pw.compare(scores, baseline="r000", correct="bh", trials=10_000)
    assert significant(few) == set()
    assert list(few.notes) == [
        f"iAP: {FEW_TRIALS}with 10,000 trials it is at least 0.0001, but significance needs 8.3e-05; "
        "leave out trials, or give at least 11,980"
    ]


def test_tukey_below_its_resolution() -> None:
    scores = many(runs=3)
    result = pw.compare(scores, test="tukey", alpha=0.00005)
    assert significant(result) == {frozenset(("r00", "r01")), frozenset(("r00", "r02"))}
    assert list(result.notes) == [
        "iAP: used up to 80,000 trials for 3 of 3 pairs; 10,000 are too few for significance at 5e-05"
    ]
    few = pw.compare(scores, test="tukey", alpha=0.00005, trials=100)
    assert list(few.notes) == [
        "iAP: no p-value can be small enough: with 100 trials it is at least 0.0099, but significance needs 5e-05; "
        "leave out trials, or give at least 20,000"
    ]
    assert list(pw.compare(scores, test="tukey").notes) == []


def test_too_few_queries_for_so_many_pairs() -> None:
    """With 12 queries the exact p-value is at least 2 / 4096, too much for 780 pairs and enough for 45."""
    result = pw.compare(many(queries=12))
    assert list(result.notes) == [
        "iAP: no p-value can be small enough: with 12 queries it is at least 0.00049, but significance needs 6.4e-05"
    ]
    assert list(pw.compare(many(runs=10, queries=12)).notes) == []
    random = pw.compare(many(runs=120, queries=17), baseline=None)
    assert list(random.notes) == [
        "iAP: no p-value can be small enough: with 17 queries it is at least 1.5e-05, but significance needs 7e-06"
    ]


def test_power_counts_what_compare_finds() -> None:
    scores = many()
    [row] = pw.study.power(scores, test="randomisation", correct="holm").rows()
    assert row["significant"] == len(significant(pw.compare(scores)))
    few = pw.study.power(scores, test="randomisation", correct="holm", trials=10_000)
    assert few.rows()[0]["significant"] == 0
    assert few.notes == pw.compare(scores, trials=10_000).notes
