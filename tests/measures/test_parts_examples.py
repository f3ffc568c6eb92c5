"""Measures of parts on small cases worked out by hand; the oracle and the library both have to give these numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import partwise as pw
from oracles import parts

Row = dict[str, Any]
Values = Callable[[list[Row], list[Row], list[str]], dict[str, float | None]]
LENGTHS = {"d": 100, "e": 100, "x": 100}


def gold(start: int, end: int, **columns: Any) -> Row:
    return {"query_id": "q", "doc_id": "d", "start": start, "end": end, **columns}


def result(start: int, end: int, doc_id: str = "d") -> Row:
    return {"doc_id": doc_id, "start": start, "end": end}


OTHER_QUERY: list[Row] = [
    {"query_id": "other", "doc_id": "e", "start": 0, "end": 10, "grade": 3},
    {"query_id": "nothing", "doc_id": ""},
]
"""Two more queries, so that every measure scores one of them at least."""


def by_oracle(rows: list[Row], results: list[Row], names: list[str]) -> dict[str, float | None]:
    query = parts.queries_of(rows, {"q": results}, LENGTHS)["q"]
    values = {name: parts.value(name, query) for name in names}
    return {name: None if value is None else float(value) for name, value in values.items()}


def by_library(rows: list[Row], results: list[Row], names: list[str]) -> dict[str, float | None]:
    run = {"q": results, "other": [result(0, 10, "e")]}
    values = pw.evaluate([*rows, *OTHER_QUERY], run, names, lengths=LENGTHS).per_query()["run"]
    return {name: values[pw.measure(name).name].get("q") for name in names}


@pytest.fixture(params=[by_oracle, by_library])
def values(request: pytest.FixtureRequest) -> Values:
    return request.param


def check(values: Values, rows: list[Row], results: list[Row], expected: dict[str, float | None]) -> None:
    assert values(rows, results, list(expected)) == pytest.approx(expected, abs=1e-12)


def test_shares_of_a_passage(values: Values) -> None:
    """4 of the 10 characters of the passage, then 8, then all; each result has 10, 10 and 20 characters."""
    rows = [gold(10, 20)]
    results = [result(4, 14), result(8, 18), result(0, 20)]
    expected = {
        "PartRR(match=any)": 1,
        "PartRR(match=cover(0.4))": 1,
        "PartRR(match=cover(0.41))": 1 / 2,
        "PartRR": 1 / 2,  # cover(0.5)
        "PartRR(match=cover(0.8))": 1 / 2,
        "PartRR(match=cover(0.81))": 1 / 3,
        "PartRR(match=contains)": 1 / 3,
        "PartRR(match=cover(1))": 1 / 3,
        # IoU 4 / 16, 8 / 12, 10 / 20
        "PartRR(match=iou(0.25))": 1,
        "PartRR(match=iou(0.26))": 1 / 2,
        "PartRR(match=iou(0.67))": 0,
        "PartRR@1": 0,
        "PartHit@1": 0,
        "PartHit@2": 1,
        "PartHit(match=iou(0.67))": 0,
    }
    check(values, rows, results, expected)


def test_shares_are_exact(values: Values) -> None:
    """7 of 100 characters are 0.07, though 0.07 * 100 is above 7 in doubles."""
    assert 0.07 * 100 > 7
    expected = {"PartHit(match=cover(0.07))": 1, "PartHit(match=seen(0.07))": 1, "PartHit(match=iou(0.07))": 1}
    check(values, [gold(0, 100)], [result(0, 7)], expected)


def test_an_answer_cut_in_two(values: Values) -> None:
    """Characters 0 to 4, nothing, and 4 to 8 of a passage of 10: 8 of 10 from rank 3 on."""
    rows = [gold(0, 10), gold(50, 60)]
    results = [result(0, 4), result(20, 30), result(4, 8), result(0, 8)]
    expected = {
        "PartR(match=cover(0.8))@3": 0,
        "PartR(match=cover(0.8))": 1 / 2,
        "PartR(match=seen(0.8))@2": 0,
        "PartR(match=seen(0.8))@3": 1 / 2,
        "PartRR(match=seen(0.8))": 1 / 3,
        "PartRR(match=seen(0.4))": 1,
        "PartHit(match=seen(0.81))": 0,
        # ranks 1 and 3 add to a passage of which 0.4 is seen then; rank 4 shows only what was seen
        "PartP(match=seen(0.4))": 1 / 4,
        "PartP(match=seen(0.4),new=False)": 2 / 4,
        "PartP(match=cover(0.4),new=False)": 3 / 4,
    }
    check(values, rows, results, expected)


def test_precision_recall_and_average_precision(values: Values) -> None:
    """Ranks 1, 3 and 4 find the passages 1, then none, 2, 3; passage 4 is not found."""
    rows = [gold(0, 10), gold(20, 30), gold(40, 50), gold(60, 70)]
    results = [result(0, 10), result(0, 10), result(20, 30), result(40, 50)]
    expected = {
        "PartP": 3 / 4,
        "PartP@1": 1,
        "PartP@2": 1 / 2,
        "PartP@10": 3 / 10,  # divided by 10 though the list has 4
        "PartP(new=False)@2": 1,
        "PartR@2": 1 / 4,
        "PartR": 3 / 4,
        "PartAP": (1 / 1 + 2 / 3 + 3 / 4) / 4,
        "PartAP@3": (1 / 1 + 2 / 3) / 4,
        # the precision 2/3 at rank 3 is replaced by 3/4 at rank 4, if that rank is there
        "PartAP(interpolated=True)": (1 + 3 / 4 + 3 / 4) / 4,
        "PartAP(interpolated=True)@3": (1 + 2 / 3) / 4,
    }
    check(values, rows, results, expected)


def test_one_result_finds_several_passages(values: Values) -> None:
    """Rank 2 finds passages of grades 1 and 3, rank 3 another of grade 2; one of grade 2 is not found."""
    rows = [gold(0, 10, grade=1), gold(20, 30, grade=3), gold(40, 50, grade=2), gold(60, 70, grade=2)]
    results = [result(80, 90), result(0, 30), result(40, 50)]
    # The first stands at max(2, 1), the second at max(2, 2), the third at max(3, 3).
    gain_2 = 3 / math.log2(3) + 1 / math.log2(3)
    gain = gain_2 + 2 / math.log2(4)
    best_2 = 3 / math.log2(2) + 2 / math.log2(3)
    best_3 = best_2 + 2 / math.log2(4)
    best = best_3 + 1 / math.log2(5)
    expected = {
        "PartnDCG": gain / best,
        "PartnDCG@1": 0,
        "PartnDCG@2": gain_2 / best_2,
        "PartnDCG@3": gain / best_3,
        "PartnDCG(rel=2)": (3 / math.log2(3) + 2 / math.log2(4)) / best_3,
        "PartP@3": 2 / 3,
        "PartR": 3 / 4,
        "PartAP": (2 * 1 / 2 + 1 * 2 / 3) / 4,
    }
    check(values, rows, results, expected)


def test_many_passages_at_the_first_rank_do_not_beat_the_ideal(values: Values) -> None:
    """One result finds both passages, which stand at positions 1 and 2; the second is beyond a cutoff of 1."""
    rows = [gold(0, 10, grade=1), gold(20, 30, grade=3)]
    expected = {"PartnDCG": 1, "PartnDCG@1": 1, "PartR@1": 1, "PartP@1": 1, "PartAP": 1}
    check(values, rows, [result(0, 40)], expected)


def test_iou_finds_one_passage_per_result(values: Values) -> None:
    """The first result has IoU 1/2 with both halves: it finds the first in the file, the second result the other."""
    rows = [gold(10, 20, grade=3), gold(0, 10, grade=1)]
    results = [result(0, 20), result(0, 20, "x"), result(0, 12)]
    # rank 3: 10 / 12 with the second passage, 2 / 20 with the first
    expected = {
        "PartR(match=iou(0.5))@1": 1 / 2,
        "PartR(match=any)@1": 1,
        "PartnDCG(match=iou(0.5))@1": 1,  # the first in the file has grade 3
        "PartR(match=iou(0.5))": 1,
        "PartAP(match=iou(0.5))": (1 + 2 / 3) / 2,
        "PartR(match=iou(0.8))": 1 / 2,
        "PartR(match=iou(0.8))@1": 0,
    }
    check(values, rows, results, expected)


def test_iou_prefers_the_passage_of_highest_iou(values: Values) -> None:
    """IoU 5 / 10 with the first passage, 8 / 10 with the second."""
    rows = [gold(0, 5, grade=1), gold(2, 10, grade=3)]
    ideal_1 = 3 / math.log2(2)
    expected = {
        "PartnDCG(match=iou(0.5))@1": 3 / ideal_1,
        "PartnDCG(match=iou(0.8))@1": 3 / ideal_1,
        "PartHit(match=iou(0.81))": 0,
    }
    check(values, rows, [result(0, 10)], expected)


def test_mean_over_levels_of_iou(values: Values) -> None:
    """IoU 7 / 10: found at 0.5, 0.55, 0.6, 0.65 and 0.7, and not at 0.75 ... 0.95, which is a level too."""
    rows = [gold(0, 10)]
    expected = {
        "PartHit(match=iou(0.5,0.95))@1": 5 / 10,
        "PartAP(match=iou(0.5,0.95),interpolated=True)@10": 5 / 10,
        "PartR(match=iou(0.6,0.79))": 3 / 4,  # 0.6, 0.65, 0.7, 0.75
        "NuggetR(match=iou(0.7,0.75))": 1 / 2,
    }
    check(values, rows, [result(0, 7)], expected)


def test_equal_spans_are_one_passage_of_the_highest_grade(values: Values) -> None:
    rows = [gold(0, 10, grade=1), gold(0, 10, grade=2), gold(20, 30, grade=2), gold(40, 50, grade=0)]
    expected = {
        "PartR": 1 / 2,
        "PartR(rel=2)": 1 / 2,
        "PartR(rel=3)": None,
        "PartnDCG": 1 / (1 + 1 / math.log2(3)),
        "TextR(rel=2)": 10 / 20,
        "TextR(rel=3)": None,
    }
    check(values, rows, [result(0, 10), result(40, 50)], expected)


def test_several_spans_are_one_passage(values: Values) -> None:
    """A passage of 4 + 6 characters; a result of two spans shows 2 + 3 of them."""
    rows = [{"query_id": "q", "doc_id": "d", "spans": [[0, 4], [10, 16]]}]
    results = [{"doc_id": "d", "spans": [[2, 6], [13, 20]]}]
    # 5 of 10, and 5 / (10 + 11 - 5)
    expected = {
        "PartR(match=cover(0.5))": 1,
        "PartR(match=cover(0.51))": 0,
        "PartR(match=iou(0.3125))": 1,
        "PartR(match=iou(0.32))": 0,
        "TextR": 5 / 10,
        "TextP": 5 / 11,
        "Read": 11,
    }
    check(values, rows, results, expected)


def test_nuggets_have_alternatives(values: Values) -> None:
    """Nuggets n1 (two rows, grade 2), n2 (grade 1), and the passage without a nugget (grade 3)."""
    rows = [
        gold(0, 10, nugget="n1", grade=2),
        gold(20, 30, nugget="n1", grade=1),
        gold(40, 50, nugget="n2", grade=1),
        gold(60, 70, grade=3),
    ]
    results = [result(20, 30), result(0, 10), result(60, 70)]
    expected = {
        "NuggetR@1": 1 / 3,
        "NuggetR@2": 1 / 3,
        "NuggetR": 2 / 3,
        "NuggetR(weight=grade)@1": 2 / 6,
        "NuggetR(weight=grade)": 5 / 6,
        "NuggetR(rel=2)@1": 1 / 2,  # n1 by its row of grade 1
        "NuggetR(rel=2)": 1,
        "NuggetR(rel=2,weight=grade)@1": 2 / 5,
        "NuggetR(rel=4)": None,
        "AllFound": 0,
        "AllFound(rel=2)": 1,
        "AllFound(rel=2)@2": 0,
        "PartR": 3 / 4,
        "PartR(rel=2)@1": 0,
    }
    check(values, rows, results, expected)


def test_a_passage_with_several_nuggets(values: Values) -> None:
    rows = [gold(0, 10, nugget="n1"), gold(0, 10, nugget="n2"), gold(20, 30, nugget="n3")]
    check(values, rows, [result(0, 10)], {"NuggetR": 2 / 3, "PartR": 1 / 2, "AllFound": 0})


def test_sets_of_nuggets(values: Values) -> None:
    """Set s needs n1 and n2, set t needs n3; n4 belongs to no set."""
    rows = [
        gold(0, 10, nugget="n1", set="s", grade=2),
        gold(20, 30, nugget="n2", set="s", grade=1),
        gold(80, 90, nugget="n2", grade=1),
        gold(40, 50, nugget="n3", set="t", grade=1),
        gold(60, 70, nugget="n4", grade=3),
    ]
    results = [result(0, 10), result(80, 90), result(40, 50)]
    expected = {
        "AllFound@1": 0,
        "AllFound@2": 1,  # n2 through its row without a set
        "AllFound": 1,
        "AllFound(rel=2)@1": 1,  # of s only n1 is left, and t is gone
        "AllFound(rel=3)": 0,  # no set is left: n4 is needed
        "AllFound(rel=4)": None,
    }
    check(values, rows, results, expected)
    check(values, rows, [result(40, 50)], {"AllFound": 1, "AllFound(rel=2)": 0})
    check(values, rows, [result(60, 70)], {"AllFound": 0, "AllFound(rel=3)": 1})


def test_a_row_with_a_set_alone_stands_for_the_nuggets_of_its_passage(values: Values) -> None:
    rows = [gold(0, 10, nugget="n1"), gold(0, 10, nugget="n2"), gold(0, 10, set="s"), gold(20, 30, nugget="n3")]
    expected = {"AllFound": 1, "NuggetR": 2 / 3}
    check(values, rows, [result(0, 10)], expected)
    # n1 and n2 through other rows
    more = [*rows, gold(40, 50, nugget="n1"), gold(60, 70, nugget="n2")]
    check(values, more, [result(40, 50), result(60, 70)], {"AllFound@1": 0, "AllFound": 1})


def test_average_precision_of_aspects(values: Values) -> None:
    """The three cases: nothing shown, something new shown, only the same shown again."""
    rows = [gold(0, 10, nugget="n1"), gold(20, 30, nugget="n2"), gold(20, 30, nugget="n3"), gold(60, 70, nugget="n4")]
    results = [result(90, 95), result(0, 30), result(5, 8), result(20, 22), result(80, 90), result(69, 75)]
    # rank 1: d = 1; rank 2: n = 1, d = 2, three new; ranks 3 and 4: nothing changes; rank 5: d = 3;
    # rank 6: n = 2, d = 4, one new
    expected = {
        "AspectAP": (3 * 1 / 2 + 1 * 2 / 4) / 4,
        # by halves, ranks 3, 4 and 6 show nothing: rank 2 is all
        "AspectAP(match=cover(0.5))": (3 * 1 / 2) / 4,
        "AspectAP(match=contains)": (3 * 1 / 2) / 4,
    }
    check(values, rows, results, expected)


def test_aspects_that_are_not_selected_are_not_shown(values: Values) -> None:
    """The first result shows n1, of grade 1; with rel=2 it shows nothing."""
    rows = [gold(0, 10, nugget="n1", grade=1), gold(20, 30, nugget="n2", grade=2), gold(40, 50, nugget="n2", grade=1)]
    results = [result(0, 10), result(40, 50)]
    check(values, rows, results, {"AspectAP": 1, "AspectAP(rel=2)": 1 / 2, "AspectAP(rel=3)": None})


def test_abstaining(values: Values) -> None:
    unanswerable = [{"query_id": "q", "doc_id": ""}]
    not_relevant = [gold(0, 10, grade=0)]
    for rows in (unanswerable, not_relevant):
        check(values, rows, [], {"Abstain": 1, "PartR": None, "Read": 0, "TextR": None})
        check(values, rows, [result(0, 10)], {"Abstain": 0, "PartR": None, "Read": 10, "CharAP": None})
    check(values, [gold(0, 10)], [], {"Abstain": None, "PartR": 0, "PartP": 0, "AspectAP": 0, "CharAP": 0})
    check(values, [gold(0, 10)], [result(0, 10)], {"Abstain": None})


def test_reading_character_by_character(values: Values) -> None:
    """Relevant: 2 to 4. Read 1 to 3, then 0 to 4, where 2 is read again."""
    rows = [gold(2, 4)]
    results = [result(1, 3), result(0, 4)]
    # 1: d=1. 2: n=1, d=2, 1/2. Then 0: d=3. 1, not relevant, again: d=4. 2: skipped. 3: n=2, d=5, 2/5.
    expected = {"CharAP": (1 / 2 + 2 / 5) / 2}
    # For TextU they are at positions 2 and 6, as what is read again counts; the ideal has them at 1 and 2.
    expected["TextU(decay=linear(L=10))"] = (8 / 10 + 4 / 10) / (9 / 10 + 8 / 10)
    expected["TextU(decay=linear(L=5))"] = (3 / 5 + 0) / (4 / 5 + 3 / 5)
    expected["TextU(decay=half(h=2))"] = (2**-1 + 2**-3) / (2**-0.5 + 2**-1)
    expected["TextU"] = (2 - 8 / 132_000) / (2 - 3 / 132_000)
    # 1 of 2 characters, then 1 new of 4
    expected["TextRBP"] = 0.2 * (1 / 2 + 0.8 * 1 / 4)
    expected["TextRBP(p=0.5)"] = 0.5 * (1 / 2 + 0.5 * 1 / 4)
    expected["Read"] = 6
    expected["Read@1"] = 2
    check(values, rows, results, expected)


def test_reading_with_grades(values: Values) -> None:
    """Of 0 to 4, only 2 to 4 has grade 2."""
    rows = [gold(0, 4, grade=1), gold(2, 4, grade=2)]
    results = [result(0, 4)]
    expected = {
        "CharAP": 1,
        "CharAP(rel=2)": (1 / 3 + 2 / 4) / 2,
        "TextU(decay=linear(L=10),rel=2)": (7 / 10 + 6 / 10) / (9 / 10 + 8 / 10),
        "TextRBP(p=0.5,rel=2)": 0.5 * 2 / 4,
        "TextP(rel=2)": 2 / 4,
        "TextR(rel=2)": 1,
        "TextF(rel=2)": 2 / 3,
        "TextIoU(rel=2)": 2 / 4,
        "iP(rel=2)@1": 2 / 4,
        "iAP(rel=2)": 2 / 4,
        "TextAP(rel=2)": 2 / 4,
    }
    check(values, rows, results, expected)


def test_budgets_cut_the_last_part(values: Values) -> None:
    """Parts of 10, 20 and 10 characters; the gold is the first, 10 of the second, and the third."""
    rows = [gold(0, 10, grade=2), gold(20, 30), gold(60, 70)]
    results = [result(0, 10), result(20, 40), result(60, 70)]
    expected = {
        # 14 characters: the second part is cut to 4, which are 0.4 of its passage
        "PartR(budget=14)": 1 / 3,
        "PartR(budget=14,match=cover(0.4))": 2 / 3,
        "PartP(budget=14)": 1 / 2,
        "PartP(budget=14,match=any)": 1,
        "PartP(budget=10)": 1,  # nothing of the second part is read
        "PartR(budget=15)": 2 / 3,
        # cut to 10, the second part is exactly its passage
        "PartR(budget=20,match=iou(1))": 2 / 3,
        "PartR(match=iou(1))": 2 / 3,
        "PartR(budget=1000,match=iou(1))": 2 / 3,
        "PartR(budget=1000)": 1,
        # the ideal is all gold
        "PartnDCG(budget=10)": 2 / (2 + 1 / math.log2(3) + 1 / math.log2(4)),
        "TextR(budget=14)": 14 / 30,
        # Packed, the second part fits from 30 on.
        "PartR(budget=29,pack=True)": 1 / 3,
        "PartP(budget=29,pack=True)": 1,
        "PartR(budget=30,pack=True)": 2 / 3,
        "PartR(budget=39,pack=True)": 2 / 3,
        "PartR(budget=40,pack=True)": 1,
        "PartR(budget=9,pack=True)": 0,
        "PartP(budget=9,pack=True)": 0,
        "TextR(budget=29,pack=True)": 10 / 30,
        "TextP(budget=39,pack=True)": 20 / 30,
        "TextF(budget=9,pack=True)": 0,
        "TextIoU(budget=29,pack=True)": 10 / 30,
        "NuggetR(budget=14)": 1 / 3,
        "AllFound(budget=40,pack=True)": 1,
        "AllFound(budget=39,pack=True)": 0,
    }
    check(values, rows, results, expected)


def test_packing_stops_before_the_first_part_that_does_not_fit(values: Values) -> None:
    """The third part would fit into 20 characters, but the second does not."""
    rows = [gold(0, 10), gold(60, 70)]
    results = [result(0, 10), result(20, 40), result(60, 70)]
    check(values, rows, results, {"PartR(budget=20,pack=True)": 1 / 2, "TextR(budget=20,pack=True)": 1 / 2})


def test_parts_of_several_spans_are_cut_in_document_order(values: Values) -> None:
    """The 5 characters that the budget allows are 0 to 4 and 20, whatever the order of the spans."""
    rows = [gold(0, 4), gold(20, 24)]
    results = [{"doc_id": "d", "spans": [[20, 24], [0, 4]]}]
    expected = {"PartR(budget=5)": 1 / 2, "PartR(budget=5,match=any)": 1, "TextR(budget=5)": 5 / 8, "CharAP": 1}
    check(values, rows, results, expected)


def test_documents_that_nobody_judged(values: Values) -> None:
    """Documents d and e are judged, e as not relevant; x is not."""
    rows = [gold(0, 10), {"query_id": "q", "doc_id": "e", "start": 0, "end": 10, "grade": 0}]
    results = [result(0, 30, "x"), result(0, 10, "e"), result(0, 10)]
    expected = {
        "TextJudged": 20 / 50,
        "TextJudged@1": 0,
        "TextJudged@2": 10 / 40,
        "PartRR": 1 / 3,
        "PartRR(judged_only=True)": 1 / 2,
        "PartP(judged_only=True)": 1 / 2,
        "PartP(judged_only=True)@2": 1 / 2,
        "PartR(budget=20,judged_only=True)": 1,
        "PartR(budget=20)": 0,
        "TextP(judged_only=True)": 10 / 20,
        "TextR(judged_only=True)@1": 0,
        "TextR(judged_only=True)@2": 1,
        "iP(judged_only=True)@1": 10 / 20,
        "CharAP(judged_only=True)": sum(n / (10 + n) for n in range(1, 11)) / 10,
        "AspectAP": 1 / 3,
        "AspectAP(judged_only=True)": 1 / 2,
    }
    check(values, rows, results, expected)
    check(values, rows, [], {"TextJudged": None, "Read": 0})


def test_whole_documents_as_results(values: Values) -> None:
    """Document d has 100 characters."""
    rows = [gold(0, 50)]
    results = [{"doc_id": "d"}]
    expected = {
        "PartHit(match=contains)": 1,
        "PartHit(match=iou(0.5))": 1,
        "PartHit(match=iou(0.51))": 0,
        "PartHit(budget=24)": 0,
        "PartHit(budget=25)": 1,
        "PartHit(budget=99,pack=True)": 0,
        "Read": 100,
        "TextJudged": 1,
    }
    check(values, rows, results, expected)


def test_empty_parts_keep_their_rank(values: Values) -> None:
    rows = [gold(0, 10)]
    results = [result(5, 5), result(0, 10)]
    expected = {
        "PartRR(match=any)": 1 / 2,
        "PartP": 1 / 2,
        "AspectAP": 1 / 2,
        "TextRBP(p=0.5)": 0.5 * 0.5,
        "CharAP": 1,
        "PartP(budget=10)": 1 / 2,
    }
    check(values, rows, results, expected)
