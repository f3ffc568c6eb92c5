"""Gates: decisions against computations by hand, files of rules, outputs, the command and the plugin of pytest."""

from __future__ import annotations

import itertools
import json
import math
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.cli import main, parser
from partwise.model import Block
from partwise.study import detection, statistics
from partwise.study import gate as study_gate
from partwise.study.gate_rules import KINDS, combined, rule_of_text
from partwise.study.significance import fewest_queries, one_sided_test
from support.paths import ROOT

pytest_plugins = ["pytester"]

COLUMNS = [
    "rule", "measure", "slice", "run_id", "result", "reason", "baseline", "value", "drop", "limit", "queries", "p",
    "detectable",
]  # fmt: skip


def scores(values: list[float], measure: str = "TextR@5", run_id: str = "run") -> pw.Scores:
    queries = [f"q{i}" for i in range(len(values))]
    return pw.Scores([Block(run_id, measure, queries, list(values), sum(values) / len(values))], len(values))


def result(before: list[float], after: list[float], measure: str = "TextR@5", **rules: Any) -> Any:
    limits = {name: {measure: limit} for name, limit in rules.items()}
    [check] = pw.gate(scores(before, measure), scores(after, measure), **limits).checks
    return check


# ---- decisions ----------------------------------------------------------------------------------------------------


def test_floors() -> None:
    assert result([0.1, 0.1], [0.7, 0.9], floor=0.8).result == "pass"
    assert result([0.1, 0.1], [0.7, 0.89], floor=0.8).result == "fail"
    assert result([0.1] * 3, [0.1, 0.2, 0.3], floor=0.2).result == "pass"  # 0.6000000000000001 / 3
    assert result([0.1, 0.1], [0.7, 0.89], floor=0.8).reason == "0.7950 is below 0.8"
    assert pw.gate(None, scores([0.7, 0.9]), floor={"TextR@5": 0.8}).passed


def test_maximal_drops() -> None:
    assert result([0.5, 0.7], [0.5, 0.68], max_drop=0.01).result == "pass"
    assert result([0.5, 0.7], [0.5, 0.679], max_drop=0.01).result == "fail"
    assert result([0.5, 0.7], [0.5, 0.676], max_drop="2%").result == "pass"  # 0.012 of 0.6
    assert result([0.5, 0.7], [0.5, 0.675], max_drop="2%").result == "fail"
    better = result([0.5, 0.7], [0.9, 0.7], max_drop=0)
    assert (better.result, better.reason) == ("pass", "better by 0.2000 (0.6000 to 0.8000)")
    assert better.drop == pytest.approx(-0.2)
    assert result([0.5, 0.7], [0.7, 0.5], max_drop=0).reason == "unchanged (0.6000)"
    worse = result([0.5, 0.7], [0.5, 0.675], max_drop="2%")
    assert worse.reason == "worse by 0.0125 (0.6000 to 0.5875), more than 0.0120"
    assert worse.limit == pytest.approx(0.012)


NEVER = "can never fail: no score of TextR@5 is outside 0 to 1; give a smaller number, or"
OUTSIDE = "is outside 0 to 1, but no score of TextR@5 is; give a number from 0 to 1"


@pytest.mark.parametrize(
    ("rule", "limit", "line"),
    [
        ("max_drop", 2, f"max-drop TextR@5=2 {NEVER} 2%"),
        ("max_drop", 1, f"max-drop TextR@5=1 {NEVER} 1%"),
        ("floor", 1.5, f"the limit of floor TextR@5=1.5 {OUTSIDE}"),
        ("floor", -0.5, f"the limit of floor TextR@5=-0.5 {OUTSIDE}"),
    ],
)
def test_limits_that_scores_cannot_reach(rule: str, limit: float, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        result([0.5, 0.7], [0.1, 0.2], **{rule: limit})
    assert str(error.value) == line
    assert result([5, 7], [3, 2], **{rule: limit}).result in ("pass", "fail")  # gains may be above 1


def test_lower_is_better_for_redundancy() -> None:
    assert result([0.1], [0.3], "Redundancy@5", max_drop=0.1).result == "fail"
    assert result([0.3], [0.1], "Redundancy@5", max_drop=0.1).result == "pass"
    check = result([0.1], [0.3], "Redundancy@5", floor=0.2)
    assert (check.result, check.reason) == ("fail", "0.3000 is above 0.2")
    assert result([0.1], [0.2], "Redundancy@5", floor=0.2).reason == "0.2000 is at most 0.2"
    assert result([0.1] * 6, [0.2] * 6, "Redundancy@5", no_loss=0.05).result == "fail"
    assert result([0.2] * 6, [0.1] * 6, "Redundancy@5", no_loss=0.05).result == "pass"


def test_no_significant_loss_by_hand() -> None:
    """All five queries lose: 1 of 32 assignments of signs is as bad. With one that wins as much, 6 of 32 are."""
    lost = result([0.5] * 5, [0.4, 0.4, 0.4, 0.4, 0.4], no_loss=0.05)
    assert (lost.result, lost.p) == ("fail", 1 / 32)
    assert lost.reason == "worse by 0.1000 (0.5000 to 0.4000): a significant loss (p = 0.0312, level 0.05)"
    one_won = result([0.5] * 5, [0.4, 0.4, 0.4, 0.4, 0.6], no_loss=0.05)
    assert (one_won.result, one_won.p) == ("pass", 6 / 32)
    assert result([0.5] * 5, [0.6] * 5, no_loss=0.05).p == 1.0
    few = result([0.5] * 4, [0.0] * 4, no_loss=0.05)
    assert (few.result, few.p) == ("undecided", None)
    assert few.reason.endswith("; 4 queries cannot show a loss at level 0.05; it needs 5")
    same = result([0.5] * 8, [0.5] * 8, no_loss=0.05)
    assert same.reason == (
        "unchanged (0.5000): no significant loss (p = 1.0000, level 0.05); all queries change equally, so it is not "
        "known how large a loss would be found"
    )


def decisions_only() -> Any:
    """Without the simulations of the smallest loss, on which no decision depends."""
    return mock.patch.object(study_gate, "smallest_detectable", return_value=None)


tenths = st.integers(0, 10).map(lambda n: n / 10)


@given(st.lists(st.tuples(tenths, tenths), min_size=1, max_size=7), st.sampled_from(["0.1", "0.25", "0.05"]))
def test_decisions_equal_fractions(pairs: list[tuple[float, float]], limit: str) -> None:
    """The slow way: exact fractions, and every assignment of signs."""
    before, after = ([Fraction(round(10 * value), 10) for value in side] for side in zip(*pairs, strict=True))
    count, exact = len(pairs), Fraction(limit)
    drop = sum(before) / count - sum(after) / count
    losses = [one - other for one, other in zip(before, after, strict=True)]
    signs = list(itertools.product([1, -1], repeat=count))
    p = Fraction(sum(sum(map(lambda s, d: s * d, sign, losses)) >= sum(losses) for sign in signs), len(signs))
    expected = {
        "floor": sum(after) / count < exact,
        "max_drop": drop > exact,
        "no_loss": p <= exact and Fraction(1, len(signs)) <= exact,
    }
    sides = [float(value) for value in before], [float(value) for value in after]
    with decisions_only():
        for kind, fails in expected.items():
            assert (result(*sides, **{kind: float(limit)}).result == "fail") == fails, kind
        relative = result(*sides, max_drop=f"{100 * float(limit):g}%")
        assert (relative.result == "fail") == (drop > exact * sum(before) / count)
        check = result(*sides, no_loss=float(limit))
        assert (check.result == "undecided") == (Fraction(1, len(signs)) > exact)
        assert check.p is None or check.p == float(p)


def test_enough_queries_for_a_level() -> None:
    assert [fewest_queries(level) for level in (0.5, 0.25, 0.1, 0.05, 1 / 32, 0.01)] == [1, 2, 4, 5, 5, 7]


def test_one_sided_p_values_of_random_signs_are_near_those_of_all() -> None:
    chance = np.random.default_rng(0)
    loss = chance.normal(0.03, 0.1, (20, 16))
    exact = statistics.sign_flips(loss, 0, 0, one_sided=True)
    random = (statistics.flip_counts(loss, 0, 40_000, 0, one_sided=True) + 1) / 40_001
    assert np.abs(exact - random).max() < 0.012
    two_sided = statistics.sign_flips(loss, 0, 0)
    assert np.allclose(two_sided, 2 * np.minimum(exact, statistics.sign_flips(-loss, 0, 0, one_sided=True)), atol=1e-12)


def test_a_low_level_has_enough_trials() -> None:
    loss = np.full((1, 40), 0.1)
    assert one_sided_test(loss, 1e-5, 0)[0] <= 1e-5


# ---- what queries can show ------------------------------------------------------------------------------------------

POPULATIONS = {
    "normal": lambda chance, count: chance.normal(0, 0.1, count),
    "mostly ties": lambda chance, count: np.where(chance.random(count) < 0.6, 0.0, chance.normal(0, 0.2, count)),
    "skewed": lambda chance, count: chance.exponential(0.1, count) - 0.1,
}


@pytest.mark.parametrize(
    ("population", "queries"),
    [
        ("normal", 25),
        ("mostly ties", 12),
        *(
            pytest.param(population, queries, marks=pytest.mark.slow)
            for population in POPULATIONS
            for queries in (12, 25, 60, 200)
            if (population, queries) not in (("normal", 25), ("mostly ties", 12))
        ),
    ],
)
def test_a_loss_is_found_as_often_as_printed(population: str, queries: int) -> None:
    """1,000 simulations: queries are drawn from the observed differences, and all lose the printed amount."""
    chance = np.random.default_rng(queries)
    noise = POPULATIONS[population](chance, queries)
    before = np.full(queries, 0.5)
    check = result(before.tolist(), (before - noise + noise.mean()).tolist(), no_loss=0.05)
    pattern = rf"; {queries} queries show a loss of {check.detectable:.4f} in (\d+)% of cases$"
    printed = re.search(pattern, check.reason)
    assert printed
    centred = (noise - noise.mean()) * math.sqrt(queries / (queries - 1))
    simulated = centred[chance.integers(0, queries, (1000, queries))] + check.detectable
    found = one_sided_test(simulated, 0.05, 1) <= 0.05
    power = int(printed[1]) / 100
    assert power >= detection.POWER - 0.005
    assert abs(found.mean() - power) <= 0.03
    for row in range(20):  # the gate decides as the test does
        with decisions_only():
            changed = result(before.tolist(), (before - simulated[row]).tolist(), no_loss=0.05)
        assert (changed.result == "fail") == found[row] or abs(changed.p - 0.05) < 0.01


def test_a_loss_is_found_as_often_as_printed_in_new_samples() -> None:
    """The spread is estimated: on average over samples of a normal population, the power is as printed."""
    chance, queries = np.random.default_rng(3), 40
    printed = [detection.smallest_detectable(chance.normal(0, 0.1, queries), 0.05, seed) for seed in range(10)]
    size = float(np.mean([one.size for one in printed if one is not None]))
    found = one_sided_test(chance.normal(size, 0.1, (1000, queries)), 0.05, 1) <= 0.05
    assert abs(found.mean() - detection.POWER) <= 0.03


def test_false_alarms_are_as_rare_as_the_level() -> None:
    chance = np.random.default_rng(0)
    found = one_sided_test(chance.normal(0, 0.1, (2000, 30)), 0.05, 1) <= 0.05
    assert abs(found.mean() - 0.05) <= 0.015


# ---- rules ----------------------------------------------------------------------------------------------------------


def test_rules_as_texts() -> None:
    rule = rule_of_text("max-drop", "wiki: TextR(budget=4000)=2%")
    assert (rule.measure, rule.limit, rule.is_relative, rule.of_slice) == ("TextR(budget=4000)", 0.02, True, "wiki")
    assert rule.name == "max-drop wiki: TextR(budget=4000)=2%"
    assert rule_of_text("floor", "AP = 0.5").name == "floor AP=0.5"


@pytest.mark.parametrize(
    ("option", "text", "line"),
    [
        ("floor", "AP", "'AP' is not a rule; write MEASURE=NUMBER or SLICE: MEASURE=NUMBER, such as PartHit@5=0.8"),
        ("floor", "=1", "'=1' is not a rule; write MEASURE=NUMBER or SLICE: MEASURE=NUMBER, such as PartHit@5=0.8"),
        ("floor", "AP=x", "the floor of 'AP' is 'x'; it must be a number"),
        ("floor", "AP=2%", "the floor of 'AP' is '2%'; it must be a number"),
        ("floor", "AP=nan", "the floor of 'AP' is 'nan'; it must be a number"),
        ("max-drop", "AP=-1", "the max-drop of 'AP' is '-1'; it must be a number from 0, or a percentage such as 2%"),
        ("no-loss", "AP=1", "the no-loss of 'AP' is '1'; it must be a level between 0 and 1, such as 0.05"),
        ("no-loss", "AP=5%", "the no-loss of 'AP' is '5%'; it must be a level between 0 and 1, such as 0.05"),
        ("floor", "APP=0.1", "unknown measure 'APP'; did you mean AP, MAP or iAP?"),
        ("floor", "AP=0.1", "floor AP=0.1 matches nothing: there are no scores for it; there are scores for TextR@5"),
        (
            "floor",
            "wiki: TextR@5=0",
            "floor wiki: TextR@5=0 is about a slice, but there are none; choose slices with by ",
        ),
    ],
)
def test_rules_that_cannot_be_used(
    option: str, text: str, line: str, two_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gate", "main.tsv", "branch.tsv", f"--{option}", text]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(line), printed.err
    assert len(printed.err.splitlines()) == 1


# ---- the command ----------------------------------------------------------------------------------------------------

BEFORE = [0.5, 0.6, 0.7, 0.8, 0.9, 0.4]
AFTER = [0.5, 0.6, 0.6, 0.8, 0.9, 0.4]
TOPICS = "query_id,corpus\nq0,wiki\nq1,wiki\nq2,wiki\nq3,law\nq4,law\nq5,law\n"


@pytest.fixture
def two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for name, values in {"main": BEFORE, "branch": AFTER}.items():
        pw.write_scores(scores(values), f"{name}.tsv")
    Path("topics.csv").write_text(TOPICS)
    return tmp_path


@pytest.mark.usefixtures("two_files")
def test_exit_codes_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["gate", "main.tsv", "branch.tsv", "-f", "table"]
    assert main([*ask, "--floor", "TextR@5=0.6", "--max-drop", "TextR@5=0.02"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "may be merged: 2 of 2 rules passed",
        "result   rule                    queries   why",
        "─" * 96,
        "pass     floor TextR@5=0.6             6   0.6333 is at least 0.6",
        "pass     max-drop TextR@5=0.02         6   worse by 0.0167 (0.6500 to 0.6333), of 0.0200 allowed",
    ]
    assert main([*ask, "--floor", "TextR@5=0.6", "--max-drop", "TextR@5=0.01"]) == 1
    assert capsys.readouterr().out.startswith("must not be merged: 1 of 2 rules failed\n")
    assert main([*ask, "--no-loss", "TextR@5=0.01"]) == 0
    assert capsys.readouterr().out.startswith("may be merged: 0 of 1 rules passed, 1 could not be decided\n")
    assert main(ask) == 2
    line = "there are no rules; give --floor, --max-drop or --no-loss, or write them into partwise.toml\n"
    assert capsys.readouterr().err == line


@pytest.mark.usefixtures("two_files")
def test_rows_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    rules = ["--max-drop", "TextR@5=0.01", "--no-loss", "TextR@5=0.05"]
    assert main(["gate", "main.tsv", "branch.tsv", *rules, "-f", "jsonl", "--json", "gate.json"]) == 1
    printed = capsys.readouterr()
    rows = [json.loads(line) for line in printed.out.splitlines()]
    assert [list(row) for row in rows] == [COLUMNS, COLUMNS]
    assert printed.err == "must not be merged: 1 of 2 rules failed\n"
    content = json.loads(Path("gate.json").read_text())
    assert list(content) == ["passed", "summary", "rules", "notes"]
    assert (content["passed"], content["rules"]) == (False, rows)
    again = pw.gate("main.tsv", "branch.tsv", max_drop={"TextR@5": 0.01}, no_loss={"TextR@5": 0.05})
    assert again.rows() == rows
    assert again.to_pandas().columns.tolist() == COLUMNS
    assert repr(again) == "Gate of 2 rows: must not be merged: 1 of 2 rules failed"
    assert str(again).startswith(f"{again!r}\n")


@pytest.mark.usefixtures("two_files")
def test_rules_about_slices(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["gate", "main.tsv", "branch.tsv", "--queries", "topics.csv", "--by", "corpus", "-f", "jsonl"]
    assert main([*ask, "--max-drop", "*: TextR@5=0.02", "--floor", "law: TextR@5=0.7"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["rule"], row["slice"], row["queries"], row["result"]) for row in rows] == [
        ("floor", "law", 3, "pass"),
        ("max-drop", "law", 3, "pass"),
        ("max-drop", "wiki", 3, "fail"),
    ]
    assert main([*ask, "--floor", "news: TextR@5=0.7"]) == 2
    line = "floor news: TextR@5=0.7 matches nothing: there is no slice 'news'; there are law, wiki\n"
    assert capsys.readouterr().err == line
    assert main([*ask, "--floor", "TextR@5=0.7"]) == 2
    assert capsys.readouterr().err.startswith("there are slices, but no rule is about one; write *: ")
    before, after = scores(BEFORE), scores(AFTER)
    checked = pw.gate(before, after, max_drop={"*: TextR@5": 0.02}, by="corpus", queries="topics.csv")
    assert [check.name for check in checked.failed] == ["max-drop wiki: TextR@5=0.02"]
    assert before.query_columns == {}


def test_the_command_evaluates_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gold = [{"query_id": f"q{i}", "doc_id": "d", "start": 0, "end": 10, "grade": 1 + i % 2} for i in range(6)]
    Path("gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    for name, end in (("main", 10), ("branch", 9)):
        rows = [{"query_id": f"q{i}", "doc_id": "d", "start": 0, "end": end, "rank": 1} for i in range(6)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = ["gold.jsonl", "main.jsonl", "branch.jsonl"]
    assert main(["gate", *files, "--no-loss", "TextR@5=0.05", "--floor", "nDCG@5=1"]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert [row.split("\t")[:5] for row in rows[1:]] == [
        ["floor", "nDCG@5", "all", "branch", "pass"],
        ["no-loss", "TextR@5", "all", "branch", "fail"],
    ]
    assert main(["gate", *files, "--max-drop", "*: TextR@5=0.2", "--by", "grade"]) == 0
    assert [row.split("\t")[2] for row in capsys.readouterr().out.splitlines()[1:]] == ["1", "2"]
    assert main(["gate", files[0], files[2], "--floor", "TextR@5=0.9"]) == 0
    capsys.readouterr()
    assert main(["gate", files[0], files[2], "--max-drop", "TextR@5=0.9"]) == 2
    line = "max-drop TextR@5=0.9 needs scores to compare with; give the scores of the baseline first\n"
    assert capsys.readouterr().err == line
    assert main(["gate", *files, files[2], "--floor", "TextR@5=0.9"]) == 2
    assert capsys.readouterr().err.startswith("4 files are given; ")


@pytest.mark.usefixtures("two_files")
def test_scores_that_cannot_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    rules = ["--max-drop", "TextR@5=0.01"]
    pw.write_scores(scores(AFTER[:5]), "fewer.tsv", provenance="none")
    assert main(["gate", "main.tsv", "fewer.tsv", *rules]) == 2
    assert capsys.readouterr().err == (
        "max-drop TextR@5=0.01: the baseline has 6 queries and the change 5, and only one of them has 'q5'; "
        "score both with the same assessments, over all judged queries\n"
    )
    gold = {"q1": [("d", 0, 10)]}
    for name, length in (("gold1", 10), ("gold2", 20)):
        Path(f"{name}.jsonl").write_text(f'{{"query_id": "q1", "doc_id": "d", "start": 0, "end": {length}}}\n')
        pw.write_scores(pw.evaluate(f"{name}.jsonl", gold, "TextR@5"), f"{name}.parquet")
    assert main(["gate", "gold1.parquet", "gold2.parquet", *rules]) == 2
    assert capsys.readouterr().err.startswith("gold2.parquet: qrels is gold2.jsonl (SHA-256 ")
    both = [pw.read_scores(f"{name}.parquet") for name in ("gold1", "gold2")]
    with pytest.raises(pw.PartwiseError, match=r"^change: qrels is gold2.jsonl .* in baseline; "):
        pw.gate(*both, floor={"TextR@5": 0})
    assert pw.gate(*both, floor={"TextR@5": 0}, mix=True).passed
    assert main(["gate", "gold1.parquet", "gold2.parquet", "--floor", "TextR@5=0", "--mix"]) == 0
    capsys.readouterr()
    for name in ("two", "other"):
        blocks = [*scores(BEFORE, run_id="a").blocks, *scores(AFTER, run_id="b" if name == "two" else "c").blocks]
        pw.write_scores(pw.Scores(blocks, 6), f"{name}.tsv", provenance="none")
    assert main(["gate", "two.tsv", "two.tsv", *rules]) == 0
    assert [line.split("\t")[3] for line in capsys.readouterr().out.splitlines()[1:]] == ["a", "b"]
    assert main(["gate", "two.tsv", "other.tsv", *rules]) == 2
    assert "is in one of the two files only" in capsys.readouterr().err
    Path("nan.tsv").write_text(Path("branch.tsv").read_text().replace("\tq1\t0.6", "\tq1\tnan"))
    assert main(["gate", "main.tsv", "nan.tsv", *rules]) == 2
    assert "max-drop TextR@5=0.01: query 'q1' has no value (NaN); " in capsys.readouterr().err


def test_wrong_objects() -> None:
    with pytest.raises(pw.PartwiseError, match="change is of type dict; give scores, or the path of saved scores"):
        pw.gate(None, {}, floor={"AP": 1})  # type: ignore[arg-type]
    with pytest.raises(pw.PartwiseError, match="max_drop is of type float; give a mapping of measures to limits"):
        pw.gate(None, scores([1.0]), max_drop=0.1)  # type: ignore[arg-type]


# ---- files of rules -------------------------------------------------------------------------------------------------


def test_a_rule_replaces_that_of_the_same_measure_in_another_spelling() -> None:
    on_command_line = [
        rule_of_text("max-drop", "TextR(pack=True,budget=1600)=0.5"),
        rule_of_text("floor", "TextR@5=0.1"),
    ]
    saved = [rule_of_text("max-drop", "TextR(budget=1600,pack=True)=0.02"), rule_of_text("max-drop", "TextR@5=0.02")]
    assert [(rule.kind, rule.limit) for rule in combined(on_command_line, saved)] == [
        ("floor", 0.1), ("max-drop", 0.5), ("max-drop", 0.02),
    ]  # fmt: skip
    with pytest.raises(pw.PartwiseError, match="TextR"):
        combined([*on_command_line, rule_of_text("floor", "TextR(alpha=1)@5=0.2")])


@pytest.mark.usefixtures("two_files")
@pytest.mark.parametrize(
    ("file", "table"), [("partwise.toml", "gate"), ("pyproject.toml", "tool.partwise.gate")], ids=["own", "project"]
)
def test_rules_in_files(file: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(file).write_text(f'[{table}.floor]\n"TextR@5" = 0.6\n[{table}.max-drop]\n"TextR@5" = "1%"\n')
    assert main(["gate", "main.tsv", "branch.tsv"]) == 1
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["floor", "max-drop"]
    assert main(["gate", "main.tsv", "branch.tsv", "--max-drop", "TextR@5=0.02"]) == 0, "a given rule comes first"
    assert pw.gate("main.tsv", "branch.tsv", rules=file).summary == "must not be merged: 1 of 2 rules failed"
    assert pw.gate("main.tsv", "branch.tsv", rules=file, max_drop={"TextR@5": 0.9}).passed


@pytest.mark.usefixtures("two_files")
@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("partwise.toml", "[gate.flor]\nAP = 1\n", "partwise.toml: unknown key 'flor' in [gate]; did you mean floor?"),
        (
            "partwise.toml",
            "[gate]\nseed = 1\n",
            "partwise.toml: unknown key 'seed' in [gate]; it may have floor, ",
        ),
        ("partwise.toml", "[gates]\n", "partwise.toml: unknown key 'gates' in [partwise.toml]; did you mean gate?"),
        (
            "pyproject.toml",
            "[tool.partwise.gat]\n",
            "pyproject.toml: unknown key 'gat' in [tool.partwise]; did ",
        ),
        ("partwise.toml", "[gate\n", "partwise.toml: is not TOML "),
        (
            "partwise.toml",
            "[gate]\nfloor = 1\n",
            "partwise.toml: gate.floor is not a table; write [gate.floor] ",
        ),
        ("partwise.toml", "[gate.floor]\nAP = 'x'\n", "partwise.toml: the floor of 'AP' is 'x'; it must be a number"),
        (
            "partwise.toml",
            "[gate.floor]\nAP = true\n",
            "partwise.toml: the floor of 'AP' is 'True'; it must be a ",
        ),
    ],
)
def test_mistakes_in_files_of_rules(file: str, text: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(file).write_text(text)
    assert main(["gate", "main.tsv", "branch.tsv", "--floor", "TextR@5=0"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(line)
    assert len(printed.splitlines()) == 1


@pytest.mark.usefixtures("two_files")
def test_other_tables_of_projects_and_two_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text('[project]\nname = "x"\n[tool.ruff]\nline-length = 100\n')
    assert main(["gate", "main.tsv", "branch.tsv", "--floor", "TextR@5=0"]) == 0
    assert main(["gate", "main.tsv", "branch.tsv", "--rules", "pyproject.toml"]) == 2
    assert "pyproject.toml: has no rules; write them into the table [tool.partwise.gate]\n" in capsys.readouterr().err
    Path("pyproject.toml").write_text("[tool.partwise.gate.floor]\nAP = 1\n")
    Path("partwise.toml").write_text("[gate.floor]\nAP = 1\n")
    assert main(["gate", "main.tsv", "branch.tsv"]) == 2
    line = "partwise.toml and pyproject.toml have rules; keep one of them, or choose with --rules FILE\n"
    assert capsys.readouterr().err == line


# ---- JUnit, Markdown ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("two_files")
def test_junit_is_read_back() -> None:
    import junitparser

    rules = ["--max-drop", "TextR@5=0.01", "--floor", "TextR@5=0.6", "--no-loss", "TextR@5=0.01", "--junit", "gate.xml"]
    assert main(["gate", "main.tsv", "branch.tsv", *rules]) == 1
    [suite] = junitparser.JUnitXml.fromfile("gate.xml")
    assert (suite.name, suite.tests, suite.failures, suite.skipped, suite.errors) == ("partwise gate", 3, 1, 1, 0)
    cases = {case.name: case for case in suite}
    assert list(cases) == ["floor TextR@5=0.6", "max-drop TextR@5=0.01", "no-loss TextR@5=0.01"]
    assert [case.is_passed for case in cases.values()] == [True, False, False]
    [failure] = cases["max-drop TextR@5=0.01"].result
    assert isinstance(failure, junitparser.Failure)
    assert failure.message == "worse by 0.0167 (0.6500 to 0.6333), more than 0.0100"
    assert cases["no-loss TextR@5=0.01"].is_skipped
    assert cases["max-drop TextR@5=0.01"].classname == "partwise.gate.max-drop"


def test_names_that_act_in_xml_and_markdown() -> None:
    import junitparser

    name = 'a|b<i>`"&\x1b\x00\n*'
    checked = pw.gate(None, scores([0.5, 0.5], measure=name), floor={name: 0.6})
    [suite] = junitparser.JUnitXml.fromstring(checked.junit().encode())
    [case] = suite
    assert case.name == 'floor a|b<i>`"&\\x1b\\x00\\n*=0.6'
    row = checked.markdown().splitlines()[4]
    assert row == "| ❌ fail | `floor a\\|b<i>'\"&\\x1b\\x00\\n*=0.6` | 2 | 0.5000 is below 0.6 |"


@pytest.mark.usefixtures("two_files")
def test_the_summary_of_a_job_is_continued(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert main(["gate", "main.tsv", "branch.tsv", "--floor", "TextR@5=0.9"]) == 1
    assert Path("summary.md").read_text().splitlines() == [
        "before",
        "### partwise gate: must not be merged: 1 of 1 rules failed",
        "",
        "| | rule | queries | why |",
        "|---|---|--:|---|",
        "| ❌ fail | `floor TextR@5=0.9` | 6 | 0.6333 is below 0.9 |",
    ]
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder")
    assert main(["gate", "main.tsv", "branch.tsv", "--floor", "TextR@5=0.9"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("no/such/folder: cannot be written (")


# ---- the plugin ---------------------------------------------------------------------------------------------------


def test_the_plugin_fails_a_test(pytester: pytest.Pytester, two_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pytester.path)
    pytester.makepyfile(
        f"""
        MAIN, BRANCH = {str(two_files / "main.tsv")!r}, {str(two_files / "branch.tsv")!r}

        def test_good(partwise_gate):
            assert partwise_gate(MAIN, BRANCH, max_drop={{"TextR@5": 0.02}}).passed

        def test_bad(partwise_gate):
            partwise_gate(MAIN, BRANCH, max_drop={{"TextR@5": 0.01}})

        def test_rules_of_the_project(partwise_gate):
            partwise_gate(MAIN, BRANCH)
        """
    )
    pytester.makefile(".toml", partwise='[gate.floor]\n"TextR@5" = 0.9\n')
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=1, failed=2)
    outcome.stdout.fnmatch_lines(
        [
            "must not be merged: 1 of 1 rules failed",
            "  max-drop TextR@5=0.01: worse by 0.0167 (0.6500 to 0.6333), more than 0.0100",
            "  floor TextR@5=0.9: 0.6333 is below 0.9",
        ]
    )


def test_the_plugin_is_registered_and_imports_nothing_heavy() -> None:
    from importlib.metadata import entry_points

    [ours] = [entry for entry in entry_points(group="pytest11") if entry.name == "partwise"]
    assert ours.value == "partwise.pytest_plugin"
    code = "import partwise.pytest_plugin, sys; print(sorted({'numpy', 'pyarrow', 'scipy', 'rich'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"


def test_the_workflow_of_the_documentation_has_valid_commands() -> None:
    [workflow] = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "gate.md").read_text(), re.DOTALL)
    commands = [shlex.split(line) for line in re.findall(r"run: (partwise .*)", workflow)]
    assert [words[1] for words in commands] == ["evaluate", "gate"]
    for words in commands:
        parser().parse_args(words[1:])


def test_options_do_not_change() -> None:
    subcommands = parser(["evaluate", "gate"])._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    options = {name: set(command._option_string_actions) for name, command in subcommands.items()}  # type: ignore[union-attr]
    assert {"--by", "--queries", "--bins"} <= options["evaluate"] & options["gate"]
    assert options["gate"] - options["evaluate"] == {
        "--floor", "--max-drop", "--no-loss", "--rules", "--junit", "--json", "--seed", "--mix",
    }  # fmt: skip
    lacks = {"-m", "-q", "--as", "--task", "--jobs", "--engine", "--master", "--provenance"}
    lacks |= {"--sort", "--transpose", "--no-transpose"}
    assert options["evaluate"] - options["gate"] == lacks


def test_kinds_of_rules_are_options_keys_and_keywords() -> None:
    import inspect

    from partwise.cli.gate import RULES

    assert tuple(RULES) == KINDS == ("floor", "max-drop", "no-loss")
    assert {kind.replace("-", "_") for kind in KINDS} <= set(inspect.signature(pw.gate).parameters)
