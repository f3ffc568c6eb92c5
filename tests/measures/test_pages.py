"""The pages of measures: they are plain text, and their statements about perfect runs are true."""

from __future__ import annotations

import re
from typing import Any

import pytest

import partwise as pw
from partwise.measures import documents

QRELS = [
    {"query_id": "q", "doc_id": doc, "start": start, "end": end, "length": 2000}
    for doc, start, end in (("d", 100, 200), ("d", 1000, 1100), ("e", 0, 200))
]
PASSAGES: list[Any] = [("d", 100, 200), ("d", 1000, 1100), ("e", 0, 200)]
IRRELEVANT: list[Any] = [("f", i, i + 10) for i in range(0, 30, 10)]


def value(measure: str, results: list[Any], **options: Any) -> float:
    scores = pw.evaluate(QRELS, {"q": results}, measure, lengths={"f": 2000}, **options)
    return scores.blocks[0].aggregate


@pytest.mark.parametrize("name", documents.known_names())
def test_pages_of_ir_measures_are_plain_text(name: str) -> None:
    page = pw.measure_page(name)
    assert not re.search(r"::|`|^\.\. |^\s*:\w+:", page, re.M), page
    assert "\n\n\n" not in page
    assert page.startswith(f"{name}\n\n")


def test_a_page_of_ir_measures() -> None:
    page = pw.measure_page("RPrec")
    assert page.split("\n\n")[2:] == [
        "Paper: Buckley and Voorhees. Retrieval System Evaluation. 2005.\n"
        "https://www.nist.gov/publications/retrieval-system-evaluation",
        "Parameters:\n  rel: a whole number, default 1. minimum relevance score to be considered relevant (inclusive)\n"
        "  judged_only: True or False, default False. ignore returned documents that do not have relevance judgments",
        "A measure of ir_measures.",
        "A document's rank is that of its first part; its relevance is its grade in TREC qrels, else 1 if it has "
        "highlighted\ntext or a relevant element. The mean is that of ir_measures: a judged query with nothing "
        "relevant counts as 0.\nScores: documents",
    ]
    assert "Paper: https://dblp.org/rec/journals/tois/JarvelinK02\n" in pw.measure_page("nDCG")
    assert "  @cutoff: a whole number, required. ranking cutoff threshold\n" in pw.measure_page("P")


def test_cutoffs_in_context_count_documents() -> None:
    for name in ("gP", "gR"):
        assert "@cutoff: a whole number from 1. how many documents count; without it the whole list" in pw.measure_page(
            name
        )
    assert "how many results count" in pw.measure_page("TextP")


@pytest.mark.parametrize(
    ("name", "of_two"),
    [("T2IAP", 2 / 3), ("AEPRUM", 2 / 3), ("ESRP", 1), ("ESRR", 2 / 3), ("SRiP", 1), ("MASRiP", 51 / 101)],
)
def test_statements_of_pages_about_perfect_runs(name: str, of_two: float) -> None:
    assert "\n\nIt is 1 if " in pw.measure_page(name)
    assert value(name, PASSAGES) == 1
    assert value(name, PASSAGES[::-1]) == 1
    assert value(name, PASSAGES[:2]) == pytest.approx(of_two)
    late = value(name, [*IRRELEVANT, *PASSAGES])
    assert late == 1 if name == "ESRR" else 0 < late < 1


def test_other_statements_of_pages() -> None:
    between = [result for pair in zip(IRRELEVANT, PASSAGES, strict=True) for result in pair]
    assert value("T2IAP", between) == 0.5
    assert value("T2IAP", [("d", 0, 1), ("d", 701, 702), ("e", 0, 1)]) == 1
    assert value("T2IAP", [("d", 0, 1), ("d", 700, 701), ("e", 0, 1)]) == pytest.approx((1 + 2 / 3) / 3)
    assert value("T2IAP(one=False,tolerance=2000)", [("d", 0, 1), ("e", 0, 1)]) == 1
    assert value("AEPRUM", PASSAGES[:1]) == pytest.approx(1 / 3)
    assert value("AEPRUM(nav=distance)", PASSAGES) == 1
    assert value("ESRP@4", PASSAGES) == 0.75
    assert value("ESRP@1", [("d", 0, 1200)]) == 2
    assert value("ESRR", IRRELEVANT) == 0
    assert value("SRiP", [*PASSAGES, PASSAGES[0]]) == pytest.approx(0.8)
    assert value("SRiP2", [("d", 100, 110), ("d", 190, 200)]) == pytest.approx(0.95)


def test_a_list_of_relevant_elements_has_less_if_users_navigate_between_them() -> None:
    xml = "<a><p>aaaa</p><p>bbbb</p></a>"
    grade = {"query_id": "q", "doc_id": "d", "exhaustivity": 1, "specificity": 1, "scale": "unit"}
    paths = ["/a[1]/p[1]", "/a[1]/p[2]"]
    qrels = [{**grade, "path": path} for path in paths]
    run = {"q": [{"doc_id": "d", "path": path} for path in paths]}
    means = pw.evaluate(qrels, run, "ESRP(nav=none)@2 ESRP@2 ESRR@2", collection={"d": xml}).mean()["run"]
    plain, navigating, recall = means.values()
    assert (plain, recall) == (1, 1)
    weights = [1, 1 / 2, 1 / 3, 1 / 4]  # nav=depth: paragraphs are at the second of four levels
    seen_before = weights[1] / sum(weights)
    assert navigating == pytest.approx((1 + 1 - seen_before) / 2)
