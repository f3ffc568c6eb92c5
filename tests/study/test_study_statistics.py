"""Tests, corrections, intervals and rank correlations: against other libraries, by hand, and against slow versions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partwise import types
from partwise.model import Floats
from partwise.study import intervals, quantiles, statistics
from partwise.study.chance import Stream, map_pieces, streams
from partwise.study.comparison import letters
from partwise.study.matrix import Matrix, pairs_of
from partwise.study.ranking import tau_ap, tau_b, tau_p_value

GRID = st.integers(0, 8).map(lambda number: number / 8)


def matrices(runs: int = 5, queries: int = 8) -> st.SearchStrategy[np.ndarray]:
    """Scores of runs and queries in eighths, so that ties are common and sums are exact."""
    return st.tuples(st.integers(2, runs), st.integers(1, queries)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=GRID)
    )


def rankings(least: int = 2, most: int = 6) -> st.SearchStrategy[tuple[list[float], list[float]]]:
    return st.integers(least, most).flatmap(
        lambda count: st.tuples(*[st.lists(GRID, min_size=count, max_size=count)] * 2)
    )


def all_differences(values: np.ndarray) -> np.ndarray:
    return statistics.differences(values, *pairs_of(len(values)))


# ---- against other libraries ----------------------------------------------------------------------------------


@pytest.mark.parametrize("queries", [2, 3, 10, 50, 120])
def test_t_equals_scipy(queries: int) -> None:
    from scipy.stats import ttest_rel

    values = np.random.default_rng(queries).random((4, queries))
    expected = [ttest_rel(values[i], values[j]).pvalue for i, j in itertools.combinations(range(4), 2)]
    assert statistics.paired_t(all_differences(values)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("queries", [1, 5, 13, 49, 50, 51, 200])
def test_wilcoxon_equals_scipy(queries: int) -> None:
    """Without ties: exact up to 50 queries, the normal distribution beyond."""
    from scipy.stats import wilcoxon

    chance = np.random.default_rng(queries)
    values = chance.random((3, queries)) + np.array([[0.0], [0.1], [0.3]])
    method = "exact" if queries <= 50 else "asymptotic"
    expected = [wilcoxon(values[i], values[j], method=method).pvalue for i, j in itertools.combinations(range(3), 2)]
    assert statistics.wilcoxon(all_differences(values)) == pytest.approx(expected, rel=1e-9)


def test_wilcoxon_with_ties_and_zeros_equals_scipy() -> None:
    from scipy.stats import wilcoxon

    chance = np.random.default_rng(3)
    differences = chance.integers(-4, 6, (5, 90)) / 4
    assert ((differences != 0).sum(axis=1) > 50).all()
    expected = [wilcoxon(row, method="asymptotic").pvalue for row in differences]
    assert statistics.wilcoxon(differences) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("ours", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")])
@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_corrections_equal_statsmodels(ours: str, theirs: str, count: int) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(count).random(count) ** 3
    p[count // 2] = p[0]
    assert statistics.corrected(p, ours) == pytest.approx(multipletests(p, method=theirs)[1], rel=1e-12)


@pytest.mark.parametrize("count", [2, 3, 8, 33, 34, 60])
def test_tau_and_its_p_value_equal_scipy(count: int) -> None:
    from scipy.stats import kendalltau

    chance = np.random.default_rng(count)
    for noise in (0.1, 1.0, 10.0):
        first = chance.random(count)
        second = first + noise * chance.random(count)
        expected = kendalltau(first, second)
        assert tau_b(first, second) == pytest.approx(expected.statistic)
        assert tau_p_value(first, second) == pytest.approx(expected.pvalue, rel=1e-9)


def test_tau_with_ties_equals_scipy() -> None:
    from scipy.stats import kendalltau

    chance = np.random.default_rng(5)
    for count in (3, 10, 40):
        for levels in (2, 5):
            first, second = chance.integers(0, levels, (2, count)).astype(float)
            first[:2], second[:2] = (0, 1), (1, 0)
            expected = kendalltau(first, second)
            assert tau_b(first, second) == pytest.approx(expected.statistic)
            assert tau_p_value(first, second) == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_quantiles_equal_scipy(confidence: float) -> None:
    from scipy.special import ndtri, stdtrit

    tail = (1 - confidence) / 2
    assert quantiles.normal_quantile(tail) == pytest.approx(ndtri((1 + confidence) / 2), rel=1e-12, abs=1e-12)
    for degrees in (1, 2, 3, 9, 29, 49, 118, 471, 5_000):
        expected = stdtrit(degrees, (1 + confidence) / 2)
        assert quantiles.student_quantile(degrees, tail) == pytest.approx(expected, rel=1e-11, abs=1e-10)
        assert quantiles.student_quantile(degrees, 1 - tail) == pytest.approx(-expected, rel=1e-11, abs=1e-10)
    assert quantiles.student_quantile(10**6, tail) == pytest.approx(ndtri((1 + confidence) / 2), rel=1e-4)


@pytest.mark.parametrize("count", [2, 5, 49, 50, 200])
def test_intervals_by_student_equal_scipy(count: int) -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(1).random((3, count)) ** 2
    low, high, methods = intervals.of_differences(statistics.Sums.of(values), 0.9)
    assert set(methods) == {"Student's t"}
    for run in range(3):
        theirs = ttest_1samp(values[run], 0).confidence_interval(0.9)
        assert (low[run], high[run]) == pytest.approx((theirs.low, theirs.high))
    below = intervals.of_means(values - 1, 0.9)  # what is negative has no other variance
    np.testing.assert_allclose((below.low + 1, below.high + 1), (low, high))
    assert below.methods == methods


Scores = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(Scores, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_ends_are_the_means_that_the_sample_just_allows(scores: list[float], confidence: float) -> None:
    """Their distance to the mean is t standard errors, where variance is scaled to the possible mean."""
    from scipy.stats import t

    values = np.array([[*scores, 0.25, 0.5]])  # neither hits only nor constant
    quantile = t.ppf((1 + confidence) / 2, values.size - 1)
    for factor, method in ((1, "Wilson's method, scaled"), (8, "Wilson's method, scaled, no upper bound")):
        sample = factor * values
        low, high, methods = intervals.of_means(sample, confidence)
        assert methods == [method]
        mean, variance = sample.mean(), sample.var(ddof=1)
        assert 0 <= low[0] < mean < high[0]
        for end in (low[0], high[0]):
            expected = variance * end / mean * ((1 - end) / (1 - mean) if factor == 1 else 1)
            assert (end - mean) ** 2 == pytest.approx(quantile**2 * expected / values.size, rel=1e-6, abs=1e-12)


def test_intervals_of_skewed_scores_are_longer_on_the_side_of_the_long_tail() -> None:
    values = np.array([[0, 0, 0, 0.1, 0.1, 0.2, 0.3, 1.0], [1, 1, 1, 0.9, 0.9, 0.8, 0.7, 0], [0.2, 0.4, 0.6, 0.8] * 2])
    low, high, _ = intervals.of_means(values, 0.95)
    above, below = high - values.mean(axis=1), values.mean(axis=1) - low
    assert above[0] > 1.5 * below[0]
    assert below[1] == pytest.approx(above[0])  # the same scores, counted from 1 downwards
    assert above[1] == pytest.approx(below[0])
    assert above[2] == pytest.approx(below[2])


def test_intervals_stay_where_scores_can_be() -> None:
    values = np.array([[0.0, 1.0, 1.0], [0.0, 0.5, 1.0]])
    low, high, _ = intervals.of_means(values, 0.95)
    assert (low > 0).all()
    assert (high < 1).all()
    low, high, _ = intervals.of_means(3 * values, 0.95)
    assert (low > 0).all()
    assert (high > 3).all()
    low, _, _ = intervals.of_means(-values, 0.95)
    assert (low < -1).all()


def test_intervals_of_hits_equal_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    values = np.array([[1.0] * hits + [0.0] * (10 - hits) for hits in (0, 3, 8, 10)])
    low, high, methods = intervals.of_means(values, 0.9)
    assert set(methods) == {"Agresti and Coull for hits"}
    theirs = proportion_confint(np.array([0, 3, 8, 10]), 10, 0.1, method="agresti_coull")
    np.testing.assert_allclose((low, high), np.clip(theirs, 0, 1))


def test_the_interval_of_a_run_does_not_depend_on_the_others() -> None:
    values = np.array([[1.0] * 8, [0.0] * 8, [0.5] * 8, [0.0, 1.0] * 4, [0.25, 0.5] * 4])
    together = intervals.of_means(values, 0.9)
    for run, scores in enumerate(values):
        alone = intervals.of_means(scores[None], 0.9)
        assert (alone.low[0], alone.high[0]) == (together.low[run], together.high[run])
        assert alone.method == together.methods[run]
    assert together.method == "Agresti and Coull for hits or Wilson's method, scaled"


@pytest.mark.parametrize(("exact", "rounded"), [(1.0, 1.0000000000000002), (0.0, -1e-17), (0.0, 1e-17)])
def test_rounding_does_not_change_the_method(exact: float, rounded: float) -> None:
    for others in ([0.4, 0.9, 0.8], [1.0, 0.0, 1.0]):
        first, second = (intervals.of_means(np.array([[one, *others]]), 0.9) for one in (exact, rounded))
        assert first.method == second.method
        assert (first.low[0], first.high[0]) == (second.low[0], second.high[0])


@pytest.mark.parametrize("count", [10, 30, 50, 200])
@pytest.mark.parametrize("rate", [0.7, 0.8])
def test_intervals_of_hits_cover_their_rate(count: int, rate: float) -> None:
    from scipy.stats import binom

    hits = np.arange(count + 1)
    low, high, _ = intervals.of_means((np.arange(count) < hits[:, None]).astype(float), 0.95)
    assert 0.93 <= binom.pmf(hits, count, rate)[(low <= rate) & (rate <= high)].sum() <= 0.97


def test_intervals_that_are_not_defined() -> None:
    for score in (0.5, 1.0):
        low, high, _ = intervals.of_means(np.array([[score]]), 0.95)
        assert np.isnan([low[0], high[0]]).all()
    low, high, _ = intervals.of_means(np.full((1, 10), 0.5), 0.95)
    assert (low[0], high[0]) == (0.5, 0.5)


@pytest.mark.parametrize("count", [10, 30])
def test_intervals_cover_the_mean_as_often_as_they_claim(count: int) -> None:
    """Recall with many ones, average precision with many small values, reciprocal ranks; bench/coverage.py has more."""
    chance, shape = np.random.default_rng(3), (4000, count)
    rank = chance.geometric(0.4, shape)
    of_reciprocal = sum(0.4 * 0.6 ** (rank - 1) / rank for rank in range(1, 11))
    for values, mean in (
        (np.where(chance.random(shape) < 0.4, 1.0, chance.beta(1, 1.5, shape)), 0.4 + 0.6 * 0.4),
        (chance.beta(1, 4, shape), 0.2),
        (np.where(rank > 10, 0.0, 1 / rank), of_reciprocal),
    ):
        low, high, _ = intervals.of_means(values, 0.95)
        assert 0.93 <= ((low <= mean) & (mean <= high)).mean() <= 0.97


def test_sign_flips_equal_scipy() -> None:
    from scipy.stats import permutation_test

    values = np.random.default_rng(4).random((2, 10)) + np.array([[0.2], [0.0]])

    def mean(x: np.ndarray, axis: int) -> np.ndarray:
        return x.mean(axis=axis)

    difference = all_differences(values)
    theirs = permutation_test((difference[0],), mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert statistics.sign_flips(difference, 1, 0) == pytest.approx([theirs])


# ---- by hand --------------------------------------------------------------------------------------------------


def test_small_cases_by_hand() -> None:
    three = np.array([[1.0, 2.0, 3.0]])
    assert statistics.sign_flips(three, 10, 0).tolist() == [2 / 8]  # +++ and --- of eight
    assert statistics.sign_flips(np.array([[1.0, 2.0, -3.0]]), 10, 0).tolist() == [1.0]
    # sums of 1 2 -4 by signs: ±1 ±3 ±5 ±7, each once; |-1| and beyond is everything
    assert statistics.sign_flips(np.array([[1.0, 2.0, -4.0]]), 10, 0).tolist() == [1.0]
    assert statistics.sign_flips(np.array([[-1.0, 2.0, 4.0]]), 10, 0).tolist() == [4 / 8]
    assert statistics.wilcoxon(three).tolist() == [2 / 8]
    assert statistics.wilcoxon(np.array([[1.0, 2.0, -3.0]])).tolist() == [1.0]
    assert statistics.wilcoxon(np.array([[-1.0, 2.0, 3.0]])).tolist() == [4 / 8]  # rank sums 0 and 1, twice
    assert statistics.wilcoxon(np.array([[0.0, 2.0, 2.0]])).tolist() == [2 / 4]  # zeros out, ranks shared
    assert statistics.paired_t(three)[0] == pytest.approx(1 - math.sqrt(12 / 14))  # t = 2*sqrt(3), 2 degrees
    assert statistics.effect_size(statistics.Sums.of(three)).tolist() == [2.0]


def test_without_differences() -> None:
    """All ties, one query, and the same difference everywhere."""
    ties = np.zeros((1, 4))
    assert statistics.sign_flips(ties, 10, 0).tolist() == [1.0]
    assert statistics.wilcoxon(ties).tolist() == [1.0]
    assert statistics.paired_t(ties).tolist() == [1.0]
    assert statistics.effect_size(statistics.Sums.of(ties)).tolist() == [0.0]
    one = np.array([[0.5]])
    assert statistics.sign_flips(one, 10, 0).tolist() == [1.0]
    assert statistics.wilcoxon(one).tolist() == [1.0]
    assert np.isnan(statistics.paired_t(one)).all()
    assert np.isnan(statistics.effect_size(statistics.Sums.of(one))).all()
    same = np.full((1, 5), 0.1 + 0.2)
    assert statistics.paired_t(same).tolist() == [0.0]
    assert np.isnan(statistics.effect_size(statistics.Sums.of(same))).all()


def test_rounding_errors_are_not_differences() -> None:
    values = np.array([[0.1 + 0.2, 0.5], [0.3, 0.5]])
    assert all_differences(values).tolist() == [[0.0, 0.0]]


def test_corrections_by_hand() -> None:
    p = np.array([0.01, 0.04, 0.03, np.nan])
    assert statistics.corrected(p, "bonferroni")[:3] == pytest.approx([0.03, 0.12, 0.09])
    assert statistics.corrected(p, "holm")[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert statistics.corrected(p, "bh")[:3] == pytest.approx([0.03, 0.04, 0.04])
    assert statistics.corrected(p, "none")[:3] == pytest.approx([0.01, 0.04, 0.03])
    assert np.isnan(statistics.corrected(p, "holm")[3])


def test_letters_do_not_run_out() -> None:
    names = [letters(number) for number in range(2000)]
    assert names[:3] == ["a", "b", "c"]
    assert names[25:29] == ["z", "aa", "ab", "ac"]
    assert names[26 + 26 * 26 - 1 : 26 + 26 * 26 + 1] == ["zz", "aaa"]
    assert len(set(names)) == 2000


def test_tau_ap_by_hand() -> None:
    """Yilmaz, Aslam and Robertson: a swap at the top costs more than one at the bottom."""
    reference = np.array([4.0, 3.0, 2.0, 1.0])
    assert tau_ap(reference, reference) == 1
    assert tau_ap(-reference, reference) == -1
    top = np.array([3.0, 4.0, 2.0, 1.0])  # shares above: 0/1, 2/2, 3/3
    assert tau_ap(top, reference) == pytest.approx(2 / 3 * 2 - 1)
    bottom = np.array([4.0, 3.0, 1.0, 2.0])  # 1/1, 2/2, 2/3
    assert tau_ap(bottom, reference) == pytest.approx(2 / 3 * (2 + 2 / 3) - 1)
    assert tau_ap(np.ones(4), reference) == pytest.approx(0)
    assert math.isnan(tau_ap(np.ones(1), np.ones(1)))
    assert math.isnan(tau_b(np.ones(3), np.arange(3.0)))
    assert math.isnan(tau_p_value(np.ones(3), np.arange(3.0)))


# ---- against slow versions ------------------------------------------------------------------------------------


@given(matrices())
def test_sign_flips_equal_all_combinations(values: np.ndarray) -> None:
    result = statistics.sign_flips(all_differences(values), 100, 0)
    for p, (i, j) in zip(result, itertools.combinations(range(len(values)), 2), strict=True):
        difference = values[i] - values[j]
        sums = [abs(sum(s * d for s, d in zip(signs, difference, strict=True)))
                for signs in itertools.product((1, -1), repeat=len(difference))]  # fmt: skip
        assert p == sum(total >= abs(difference.sum()) for total in sums) / len(sums)


@given(matrices(queries=7))
def test_wilcoxon_equals_all_combinations(values: np.ndarray) -> None:
    result = statistics.wilcoxon(all_differences(values))
    for p, (i, j) in zip(result, itertools.combinations(range(len(values)), 2), strict=True):
        difference = [d for d in (values[i] - values[j]).tolist() if d]
        size = [abs(d) for d in difference]
        ranks = [sum(other < one for other in size) + (sum(other == one for other in size) + 1) / 2 for one in size]
        observed = sum(rank for rank, d in zip(ranks, difference, strict=True) if d > 0)
        sums = [sum(rank for rank, up in zip(ranks, ups, strict=True) if up)
                for ups in itertools.product((False, True), repeat=len(ranks))]  # fmt: skip
        below = sum(total <= observed for total in sums) / len(sums)
        above = sum(total >= observed for total in sums) / len(sums)
        assert p == pytest.approx(min(1.0, 2 * min(below, above)))


@given(matrices(runs=3, queries=3))
def test_tukey_is_close_to_all_permutations(values: np.ndarray) -> None:
    first, second = pairs_of(len(values))
    trials = 20_000
    result = statistics.tukey(values, first, second, trials, seed=1)
    ranges = []
    for dealt in itertools.product(*(set(itertools.permutations(column)) for column in values.T.tolist())):
        totals = [sum(column[run] for column in dealt) for run in range(len(values))]
        ranges.append((max(totals) - min(totals)) / values.shape[1])
    # equal scores make some deals the same: all distinct deals of a query are equally likely
    for p, i, j in zip(result, first, second, strict=True):
        apart = abs(values[i].mean() - values[j].mean())
        exact = sum(one >= apart - 1e-12 for one in ranges) / len(ranges)
        standard_error = (exact * (1 - exact) / trials) ** 0.5
        assert p == pytest.approx((exact * trials + 1) / (trials + 1), abs=5 * standard_error + 1e-12)


def test_tukey_of_two_runs_is_the_randomisation_test() -> None:
    values = np.random.default_rng(6).random((2, 12)) + np.array([[0.15], [0.0]])
    exact = statistics.sign_flips(all_differences(values), 1, 0)
    assert statistics.tukey(values, *pairs_of(2), 40_000, seed=3) == pytest.approx(exact, abs=0.01)


def test_tukey_is_stricter_than_pairs_alone() -> None:
    values = np.random.default_rng(7).random((8, 30)) + np.arange(8)[:, None] / 20
    alone = statistics.sign_flips(all_differences(values), 5000, 0)
    together = statistics.tukey(values, *pairs_of(8), 5000, 0)
    smallest = 1 / 5001
    assert (together >= alone).all()
    assert (together > alone)[alone > smallest].all()


@given(rankings())
def test_tau_ap_is_the_mean_over_all_ways_to_break_ties(lists: tuple[list[float], list[float]]) -> None:
    ranking, reference = lists

    def orders(scores: list[float]) -> list[tuple[int, ...]]:
        return [
            order
            for order in itertools.permutations(range(len(scores)))
            if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
        ]

    def value(order: tuple[int, ...], base: tuple[int, ...]) -> float:
        place = {system: i for i, system in enumerate(base)}
        shares = [sum(place[above] < place[system] for above in order[:i]) / i for i, system in enumerate(order) if i]
        return 2 * sum(shares) / (len(order) - 1) - 1

    assume(len(ranking) <= 4 or len(set(ranking)) > 1 or len(set(reference)) > 1)  # 720 by 720 orders are too many
    values = [value(order, base) for order in orders(ranking) for base in orders(reference)]
    assert tau_ap(np.array(ranking), np.array(reference)) == pytest.approx(sum(values) / len(values), abs=1e-9)


@given(rankings())
def test_tau_b_equals_counting_pairs(lists: tuple[list[float], list[float]]) -> None:
    pairs = list(itertools.combinations(range(len(lists[0])), 2))

    def sign(x: float) -> int:
        return (x > 0) - (x < 0)

    signs = [(sign(lists[0][i] - lists[0][j]), sign(lists[1][i] - lists[1][j])) for i, j in pairs]
    untied = [sum(s[k] != 0 for s in signs) for k in (0, 1)]
    result = tau_b(np.array(lists[0]), np.array(lists[1]))
    if not all(untied):
        assert math.isnan(result)
    else:
        assert result == pytest.approx(sum(a * b for a, b in signs) / math.sqrt(untied[0] * untied[1]))


def test_exact_p_of_tau_equals_all_permutations() -> None:
    for count in (2, 3, 4, 5, 6):
        base = np.arange(count, dtype=float)
        taus = [tau_b(base, np.array(order, float)) for order in itertools.permutations(range(count))]
        for order in itertools.islice(itertools.permutations(range(count)), 0, None, 7):
            tau = tau_b(base, np.array(order, float))
            below, above = (sum(t <= tau + 1e-9 for t in taus), sum(t >= tau - 1e-9 for t in taus))
            expected = min(1.0, 2 * min(below, above) / len(taus))
            assert tau_p_value(base, np.array(order, float)) == pytest.approx(expected)


# ---- seeds, jobs and order ------------------------------------------------------------------------------------


def matrix_of(values: np.ndarray) -> Matrix:
    runs, queries = values.shape
    return Matrix("m", [f"r{i}" for i in range(runs)], [f"t{i:03}" for i in range(queries)], values)


@pytest.mark.parametrize("test", types.TESTS)
def test_the_same_seed_gives_the_same_whatever_the_jobs(test: str) -> None:
    matrix = matrix_of(np.random.default_rng(8).random((6, 40)))
    pairs = pairs_of(6)
    one, several, again = (
        statistics.p_values(matrix, *pairs, test, trials=3000, seed=5, jobs=jobs).tolist() for jobs in (1, 4, 1)
    )
    assert one == several == again
    if test in ("randomisation", "tukey"):
        assert one != statistics.p_values(matrix, *pairs, test, trials=3000, seed=6).tolist()


def test_the_order_of_runs_changes_nothing() -> None:
    matrix = matrix_of(np.random.default_rng(9).random((5, 30)))
    turned = matrix.take(np.array([3, 1, 4, 0, 2]))
    for test in types.TESTS:
        result = []
        for one in (matrix, turned):
            first, second = pairs_of(5)
            p = statistics.p_values(one, first, second, test, trials=2000, seed=1)
            names = [frozenset((one.runs[i], one.runs[j])) for i, j in zip(first, second, strict=True)]
            result.append(dict(zip(names, p.tolist(), strict=True)))
        assert result[0] == pytest.approx(result[1])


def test_random_pieces_do_not_overlap_and_all_run() -> None:
    pieces = streams(3, "test", 1050, 250)
    assert [count for _, count in pieces] == [250, 250, 250, 250, 50]
    later = streams(3, "test", 1050, 250, begun=500)
    assert [count for _, count in later] == [250, 250, 50]
    assert later[0][0].bit_generator.state == pieces[2][0].bit_generator.state
    seen: list[tuple[int, int]] = []

    def drawn(stream: Stream) -> Floats:
        chance, count = stream
        return chance.random(count)

    numbers = map_pieces(drawn, pieces, 2, lambda done, all: seen.append((done, all)))
    assert len(np.unique(np.concatenate(numbers))) == 1050
    assert seen == [(i, 5) for i in range(1, 6)]
    other = map_pieces(drawn, streams(3, "another", 1050, 250))
    assert not np.isin(np.concatenate(numbers), np.concatenate(other)).any()


def test_p_values_are_never_zero_by_chance() -> None:
    values = np.stack([np.ones(40), np.zeros(40)])
    assert statistics.sign_flips(all_differences(values), 999, 0).tolist() == [1 / 1000]
    assert statistics.tukey(values, *pairs_of(2), 999, 0).tolist() == [1 / 1000]
