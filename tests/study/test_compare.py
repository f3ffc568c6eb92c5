"""Comparing runs: queries, notes, options, and saved scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.cli import main
from partwise.display import of_findings
from partwise.types import TESTS
from support.scores import one_measure, scores_of

NAN = float("nan")


def pair(result: pw.Comparison, run: str, baseline: str) -> dict[str, Any]:
    [row] = [row for row in result.rows() if (row["run_id"], row["baseline"]) == (run, baseline)]
    return row


def few_queries(count: int, least: float) -> str:
    queries = "1 query" if count == 1 else f"{count} queries"
    return f"no p-value can be small enough: with {queries} it is at least {least}, but significance needs 0.05"


def test_a_comparison_by_hand() -> None:
    scores = one_measure(a=[0.1, 0.2, 0.3, 0.4], b=[0.2, 0.4, 0.6, 0.4], c=[0.0, 0.2, 0.3, 0.9])
    result = pw.compare(scores, baseline="a", test="randomisation", correct="bonferroni", seed=1)
    row = pair(result, "b", "a")
    assert row["difference"] == pytest.approx(0.15)
    assert (row["wins"], row["ties"], row["losses"]) == (3, 1, 0)
    assert row["effect"] == pytest.approx(0.15 / np.std([0.1, 0.2, 0.3, 0.0], ddof=1))
    assert row["p"] == 4 / 16  # all signs equal, times the sign of the tie
    assert row["p_corrected"] == 8 / 16
    assert row["significant"] == "no"
    row = pair(result, "c", "a")
    assert (row["wins"], row["ties"], row["losses"]) == (1, 2, 1)
    assert row["p"] == 1.0  # of 0.5 and -0.1 no signs make a sum nearer to 0
    [alone] = [row for row in result.rows() if row["run_id"] == "a"]
    assert alone["baseline"] is None
    assert alone["mean"] == pytest.approx(0.25)
    half = 3.1824463 * np.std([0.1, 0.2, 0.3, 0.4], ddof=1) / 2  # Student's t with 3 degrees of freedom
    scale = half**2 / (0.25 * 0.75)
    ends = sorted(np.roots([1 + scale, -(2 * 0.25 + scale), 0.25**2]))  # (0.25 - m)² = scale m (1 - m)
    assert (alone["low"], alone["high"]) == pytest.approx(tuple(ends))
    assert alone["interval"] == "Wilson's method, scaled"
    half = 3.1824463 * np.std([0.1, 0.2, 0.3, 0.0], ddof=1) / 2
    low, high = (pair(result, "b", "a")[f"difference_{edge}"] for edge in ("low", "high"))
    assert (low, high) == pytest.approx((0.15 - half, 0.15 + half))


def test_baselines_and_all_pairs() -> None:
    scores = one_measure(a=[0.1, 0.2], b=[0.2, 0.3], c=[0.4, 0.1], d=[0.0, 0.0])

    def pairs(baseline: Any) -> list[tuple[str, str]]:
        rows = pw.compare(scores, baseline=baseline, trials=10).rows()
        return [(row["run_id"], row["baseline"]) for row in rows if row["baseline"] is not None]

    assert pairs(None) == [("b", "a"), ("c", "a"), ("c", "b"), ("d", "a"), ("d", "b"), ("d", "c")]
    assert pairs("b") == [("a", "b"), ("c", "b"), ("d", "b")]
    assert pairs(["b", "d"]) == [("a", "b"), ("a", "d"), ("c", "b"), ("c", "d"), ("d", "b")]
    assert pairs(["b", "b"]) == pairs("b")


def test_which_runs_beat_which() -> None:
    chance = np.random.default_rng(0)
    queries = chance.random(40)
    scores = one_measure(
        good=(queries + 0.3 + chance.random(40) / 50).tolist(),
        bad=(queries + chance.random(40) / 50).tolist(),
        close=(queries + chance.random(40) / 50).tolist(),
    )
    for test in TESTS:
        result = pw.compare(scores, test=test)
        beats = {row["run_id"]: (row["letter"], row["beats"]) for row in result.rows()}
        assert beats == {"good": ("a", "b c"), "bad": ("b", ""), "close": ("c", "")}, test


def test_lower_can_be_better() -> None:
    scores = one_measure("Redundancy@5", a=[0.1] * 20, b=[0.5 + i / 100 for i in range(20)])
    result = pw.compare(scores)
    row = pair(result, "b", "a")
    assert row["difference"] > 0
    assert (row["wins"], row["losses"]) == (0, 20)
    assert [r["beats"] for r in result.rows()] == ["b", ""]


def test_letters_after_z() -> None:
    chance = np.random.default_rng(1)
    runs = {f"r{i:02}": (chance.random(20) / 1000 + i / 10).tolist() for i in range(40)}
    result = pw.compare(one_measure(**runs), test="t")
    last = next(row for row in result.rows() if row["run_id"] == "r39")
    assert last["letter"] == "an"
    assert last["beats"].split()[24:28] == ["y", "z", "aa", "ab"]
    assert len(last["beats"].split()) == 39


def test_common_queries_only_with_a_note() -> None:
    scores = scores_of(
        {
            "a": {"iAP": {"t1": 0.5, "t2": 0.7, "t3": 0.9}, "AP": {"t1": 1.0, "t2": 0.0, "t3": 0.0}},
            "b": {"iAP": {"t2": 0.5, "t3": 0.1, "t4": 0.9}, "AP": {"t1": 1.0, "t2": 0.5, "t3": 0.0}},
        }
    )
    result = pw.compare(scores)
    assert [(row["measure"], row["run_id"], row["topics"], row["mean"]) for row in result.rows()] == [
        ("iAP", "a", 2, pytest.approx(0.8)),
        ("iAP", "b", 2, pytest.approx(0.3)),
        ("AP", "a", 3, pytest.approx(1 / 3)),
        ("AP", "b", 3, pytest.approx(0.5)),
    ]
    assert list(result.notes) == [
        "iAP: compared on the 2 queries that all runs share, of up to 3",
        f"iAP: {few_queries(2, 0.5)}",
        f"AP: {few_queries(3, 0.25)}",
    ]


def test_a_value_that_is_not_a_number_is_left_out_with_a_note() -> None:
    result = pw.compare(one_measure(a=[0.5, NAN, 0.7], b=[0.1, 0.2, 0.3]))
    assert [row["mean"] for row in result.rows()] == [pytest.approx(0.6), pytest.approx(0.2)]
    assert list(result.notes) == [
        "a: iAP has no value for 1 query, which is left out",
        "iAP: compared on the 2 queries that all runs share, of up to 3",
        f"iAP: {few_queries(2, 0.5)}",
    ]


def test_a_run_without_a_measure_is_left_out_with_a_note() -> None:
    result = pw.compare(
        scores_of(
            {
                "a": {"iAP": {"t1": 0.5, "t2": 0.1}},
                "b": {"iAP": {"t1": 0.5, "t2": 0.3}, "AP": {"t1": 0.5, "t2": 0.3}},
                "c": {"AP": {"t1": 0.5, "t2": 0.3}},
            }
        )
    )
    letters = [(row["measure"], row["run_id"], row["letter"]) for row in result.rows()]
    assert letters == [("iAP", "a", "a"), ("iAP", "b", "b"), ("AP", "b", "b"), ("AP", "c", "c")]
    assert list(result.notes) == [
        "iAP: runs that are not scored by it are left out: c",
        "AP: runs that are not scored by it are left out: a",
        f"iAP, AP: {few_queries(2, 0.5)}",
    ]


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int]] = []
    pw.compare(one_measure(a=[0.1] * 20, b=[0.2] * 20), trials=1000, progress=lambda *done: seen.append(done))
    assert seen[-1] == (4, 4)
    assert all(done <= total for done, total in seen)


def test_identical_runs_one_query_one_run_and_all_ties() -> None:
    for test in TESTS:
        row = pair(pw.compare(one_measure(a=[0.2, 0.5, 0.1], b=[0.2, 0.5, 0.1]), test=test), "b", "a")
        assert (row["p"], row["p_corrected"], row["effect"], row["ties"]) == (1.0, 1.0, 0.0, 3), test
        result = pw.compare(one_measure(a=[0.2], b=[0.3]), test=test)
        row = pair(result, "b", "a")
        assert (row["low"], row["difference_low"], row["effect"]) == (None, None, None)
        assert row["p"] == (None if test == "t" else 1.0), test
        assert row["significant"] == "no"
        one = "one query is not enough for intervals and the t-test"
        assert list(result.notes) == ([one] if test == "t" else [one, f"iAP: {few_queries(1, 1)}"])
        [alone] = pw.compare(one_measure(a=[0.2, 0.4]), test=test).rows()
        assert (alone["run_id"], alone["baseline"], alone["beats"]) == ("a", None, "")
        assert alone["mean"] == pytest.approx(0.3)
        nothing = pair(pw.compare(one_measure(a=[0.0] * 4, b=[0.0] * 4), test=test), "b", "a")
        assert (nothing["p"], nothing["ties"]) == (1.0, 4)


@given(st.permutations(range(20)), st.permutations(range(3)), st.sampled_from(TESTS))
def test_the_order_of_queries_and_runs_changes_nothing(queries: list[int], runs: list[int], test: str) -> None:
    chance = np.random.default_rng(2)
    values = {f"r{i}": {f"t{j}": float(v) for j, v in enumerate(chance.random(20))} for i in range(3)}
    turned = {f"r{i}": {"iAP": {f"t{j}": values[f"r{i}"][f"t{j}"] for j in queries}} for i in runs}
    straight = pw.compare(scores_of({run: {"iAP": of_run} for run, of_run in values.items()}), test=test, trials=300)
    result = pw.compare(scores_of(turned), test=test, trials=300)

    def by_pair(comparison: pw.Comparison) -> dict[Any, Any]:
        return {
            frozenset((row["run_id"], row["baseline"])): (abs(row["difference"]), row["p"], row["p_corrected"])
            for row in comparison.rows()
            if row["baseline"] is not None
        }

    def intervals(comparison: pw.Comparison) -> dict[Any, Any]:
        return {row["run_id"]: (row["mean"], row["low"], row["high"]) for row in comparison.rows()}

    assert {key: pytest.approx(value) for key, value in by_pair(straight).items()} == by_pair(result)
    assert {key: pytest.approx(value) for key, value in intervals(straight).items()} == intervals(result)


def test_same_seed_same_rows_whatever_the_jobs() -> None:
    chance = np.random.default_rng(3)
    scores = one_measure(**{f"r{i}": chance.random(30).tolist() for i in range(5)})
    rows = pw.compare(scores, test="tukey", seed=7, trials=2000).rows()
    assert rows == pw.compare(scores, test="tukey", seed=7, trials=2000, jobs=3).rows()
    assert rows != pw.compare(scores, test="tukey", seed=8, trials=2000).rows()


def test_findings_for_python() -> None:
    result = pw.compare(one_measure(a=[0.2, 0.5], b=[0.3, 0.1]))
    frame = result.to_pandas()
    assert frame["run_id"].tolist() == ["a", "b"]
    assert repr(result) == "Comparison of 2 rows"
    assert str(result).startswith("Comparison of 2 rows\n  measure iAP  run_id a")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"baseline": "x"}, "there is no run 'x'; the runs are a, b"),
        ({"test": "z"}, "test is 'z'; it must be one of randomisation, t, wilcoxon, tukey"),
        ({"correct": "z"}, "correct is 'z'; it must be one of holm, bonferroni, bh, none"),
        (
            {"test": "tukey", "correct": "holm"},
            "correct is holm with Tukey's test; leave it out, this test needs no correction",
        ),
        ({"alpha": 1}, "alpha is '1'; it must be a number between 0 and 1"),
        ({"confidence": "x"}, "confidence is 'x'; it must be a number between 0 and 1"),
        ({"trials": 0}, "trials is '0'; it must be a whole number from 1 to 10000000"),
        ({"trials": 10**7 + 1}, "trials is '10000001'; it must be a whole number from 1 to 10000000"),
        ({"seed": -1}, "seed is '-1'; it must be a whole number from 0"),
        ({"jobs": 1.5}, "jobs is '1.5'; it must be a whole number from 1"),
    ],
)
def test_wrong_options(options: dict[str, Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.compare(one_measure(a=[0.1, 0.2], b=[0.2, 0.3]), **options)
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"a": {"iAP": {"t1": 0.1}}, "b": {"iAP": {"t2": 0.1}}},
            "the runs have no query in common that iAP scores; give runs for the same queries",
        ),
        (
            {"a": {"iAP": {"t1": 0.1, "t2": float("inf")}}},
            "iAP of run a is infinite for query t2; leave out that query or that measure",
        ),
    ],
)
def test_wrong_scores(values: Any, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.compare(scores_of(values))
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("arguments", "options", "line"),
    [
        (({},), {}, "no run is given; give scores, or assessments and runs"),
        ((one_measure(a=[0.1, 0.2]),), {"measures": "iAP"},
         "measures cannot be used with scores; leave it out, or give assessments and runs"),
        ((one_measure(a=[0.1, 0.2]),), {"collection": {}},
         "collection cannot be used with scores; leave it out, or give assessments and runs"),
        ((one_measure(a=[0.1, 0.2]), "a"), {},
         "runs cannot be used with scores; name a run to compare with: baseline=..."),
    ],
)  # fmt: skip
def test_scores_or_runs(arguments: Any, options: Any, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.compare(*arguments, **options)
    assert str(error.value) == line


# ---- runs, and saved scores ------------------------------------------------------------------------------------

QRELS = {"t1": [("d1", 10, 50)], "t2": [("d2", 0, 20)], "t3": [("d1", 70, 99)]}
RUNS = {
    "good": {"t1": [("d1", 10, 40)], "t2": [("d2", 0, 20)], "t3": [("d1", 60, 90)]},
    "bad": {"t1": [("d1", 0, 90)], "t2": [("d2", 20, 30), ("d2", 0, 30)]},
}


def test_runs_and_their_scores_give_the_same_comparison() -> None:
    measures = ["iAP", "TextR@1"]
    options = {"average_over": "run", "lengths": {"d1": 100}}
    scores = pw.evaluate(QRELS, RUNS, measures, **options)
    for baseline in (None, "bad"):
        result = pw.compare(QRELS, RUNS, measures, baseline=baseline, seed=3, **options)
        assert result.rows() == pw.compare(scores, baseline=baseline, seed=3).rows()
        assert list(result.notes) == [*scores.notes, *pw.compare(scores, baseline=baseline).notes]
    assert pw.compare(QRELS, RUNS, measures="iAP").notes[0] == "bad: 1 judged query without results"
    assert [row["measure"] for row in pw.compare(QRELS, RUNS, task="focused", trials=10).rows()][::2] == [
        "iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "iAP",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["s.parquet", "s.tsv", "s.csv", "s.jsonl", "s.tsv.gz"])
def test_saved_scores_are_the_scores(tmp_path: Path, name: str) -> None:
    from partwise.cli import output
    from partwise.outputs import write_bytes

    scores = pw.evaluate(QRELS, RUNS, "iAP TextF(beta=2)@5 nDCG@10")
    kind = output.chosen_format(None, name, ("parquet", "tsv", "csv", "jsonl"))
    content = output.rendered(scores, kind, True, None, False)
    write_bytes(tmp_path / name, content.encode() if isinstance(content, str) else content)
    again = pw.read_scores(tmp_path / name)
    assert again.per_query() == scores.per_query()
    assert again.mean() == scores.mean()
    assert pw.compare(again, seed=1).rows() == pw.compare(scores, seed=1).rows()
    some = pw.read_scores(str(tmp_path / name), "nDCG@10 iAP")
    assert some.measures == ["nDCG@10", "iAP"]
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores(tmp_path / name, "AP")
    assert str(error.value) == "there are no scores for AP; there are scores for iAP, TextF(beta=2)@5, nDCG@10"


def test_what_trec_eval_prints(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "map                   \t301\t0.2574\nP_10 301 0.4\nmap 302 0.1\nP_10 302 0.2\n"
        "runid                 \tall\tbm25\nmap all 0.1787\nP_10 all 0.3\n"
        "map 301 0.3\nmap 302 0.5\nrunid all dense\nmap all 0.4\n"
    )
    scores = pw.read_scores(path)
    assert scores.per_query() == {
        "bm25": {"map": {"301": 0.2574, "302": 0.1}, "P_10": {"301": 0.4, "302": 0.2}},
        "dense": {"map": {"301": 0.3, "302": 0.5}},
    }
    assert scores.mean()["bm25"] == {"map": 0.1787, "P_10": 0.3}


def test_scores_in_several_files(tmp_path: Path) -> None:
    for run, value in (("a", 0.1), ("b", 0.3)):
        (tmp_path / f"{run}.txt").write_text(f"map 1 {value}\nmap 2 {value}\n")
    scores = pw.read_scores([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert scores.mean() == {"a": {"map": pytest.approx(0.1)}, "b": {"map": pytest.approx(0.3)}}


def test_a_missing_value_in_a_file_is_reported(tmp_path: Path) -> None:
    rows = [("a", "t1", 0.5), ("a", "t2", None), ("b", "t1", 0.1), ("b", "t2", 0.3)]
    (tmp_path / "s.jsonl").write_text(
        "".join(json.dumps({"run_id": r, "measure": "iAP", "query_id": t, "value": v}) + "\n" for r, t, v in rows)
    )
    result = pw.compare(pw.read_scores(tmp_path / "s.jsonl"))
    assert [row["mean"] for row in result.rows()] == [0.5, 0.1]
    assert result.notes[0] == "a: iAP has no value for 1 query, which is left out"
    (tmp_path / "s.tsv").write_text("run_id\tmeasure\tquery_id\tvalue\na\tiAP\tt1\tnan\na\tiAP\tt2\t0.25\n")
    assert pw.compare(pw.read_scores(tmp_path / "s.tsv")).rows()[0]["mean"] == 0.25


HEADER = "run_id\tmeasure\tquery_id\tvalue\n"


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        (
            "s.tsv",
            HEADER + "a\tiAP\tall\t0.5\n",
            "s.tsv: has no values per query; save scores with partwise evaluate -q",
        ),
        (
            "s.tsv",
            HEADER + "a\tiAP\tt1\tx\n",
            "s.tsv:2: the value is 'x'; it must be a number, of at most 1e100 in size",
        ),
        (
            "s.tsv",
            HEADER + "a\tiAP\tt1\tinf\n",
            "s.tsv:2: the value is 'inf'; it must be a number, of at most 1e100 in size",
        ),
        (
            "s.tsv",
            HEADER + "a\tiAP\tt1\t1\na\tiAP\tt1\t2\n",
            "s.tsv:3: repeats the iAP of query t1 of run a from line 2; give every score once",
        ),
        (
            "s.csv",
            "run_id,query_id,value\na,t1,0.5\n",
            "s.csv: has no column 'measure' (it has 'run_id', 'query_id', 'value'); "
            "scores (run_id, measure, query_id, value) need it",
        ),
        ("s.txt", "map 301 0.5\nmap 302\n", "s.txt:2: has 2 columns; scores have 3: map 301 0.2574"),
        (
            "s.txt",
            "map 301 0.5\nmap 302 x\n",
            "s.txt:2: the value is 'x'; it must be a number, of at most 1e100 in size",
        ),
    ],
)
def test_wrong_files_of_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content)
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores(name)
    assert str(error.value) == line


def test_one_run_in_two_files_of_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of two runs of one name are not mixed; files with different measures of a run are read together."""
    monkeypatch.chdir(tmp_path)
    head = "run_id\tmeasure\tquery_id\tvalue\n"
    Path("old.tsv").write_text(head + "run\tTextR\tq1\t1\nrun\tTextR\tq2\t0.5\n")
    Path("new.tsv").write_text(head + "run\tTextR\tq1\t0\nrun\tTextR\tq2\t0\n")
    line = (
        "new.tsv: holds TextR of the run 'run', as does old.tsv; give every run its own name with --as NAME=new.tsv "
        "(in Python {NAME: new.tsv})\n"
    )
    assert main(["compare", "old.tsv", "new.tsv"]) == 2
    assert capsys.readouterr().err == line
    Path("more.tsv").write_text(head + "run\tTextP\tq1\t0.25\nrun\tTextP\tq2\t0.5\n")
    scores = pw.read_scores(["old.tsv", "more.tsv"])
    assert scores.mean() == {"run": {"TextR": 0.75, "TextP": 0.375}}
    assert scores.summary() == ["2 of 2 queries scored"]


def test_the_unit_is_shown_where_it_is_not_characters() -> None:
    qrels = {"q1": [("d", 0, 10)], "q2": [("d", 5, 9)]}
    runs = {"a": {"q1": [("d", 0, 5)], "q2": [("d", 0, 9)]}, "b": {"q1": [("d", 2, 9)], "q2": [("d", 7, 8)]}}
    compared = pw.compare(pw.evaluate(qrels, runs, "TextR", unit="bytes"))
    assert {row["unit"] for row in compared.rows()} == {"bytes"}
    assert compared.tables()[0][0].endswith("; text is counted in bytes")
    assert "Text is counted in bytes." in compared.to_latex()
    assert all("unit" not in row for row in pw.compare(pw.evaluate(qrels, runs, "TextR")).rows())


def test_small_p_values_are_not_shown_as_zero() -> None:
    scores = one_measure(a=[0.1 + i / 1000 for i in range(40)], b=[0.8 + (i % 3) / 1000 for i in range(40)])
    compared = pw.compare(scores, test="t")
    assert 0 < compared.rows()[1]["p"] < 1e-9
    texts = [cell.text for row in of_findings.sheets(compared, 4, None)[-1].rows for cell in row]
    assert texts.count("<0.0001") == 2  # p, and p corrected
