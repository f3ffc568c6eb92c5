"""Small cases worked out by hand, one number at a time."""

from __future__ import annotations

import pytest

import partwise as pw

# Document d is 1000 characters long; 100 to 200 and 300 to 350 are highlighted, the best entry point is 100.
QRELS = [
    {"query_id": "t", "doc_id": "d", "start": 100, "end": 200, "length": 1000, "bep": 100},
    {"query_id": "t", "doc_id": "d", "start": 300, "end": 350, "length": 1000, "bep": 100},
    {"query_id": "t", "doc_id": "e", "start": 0, "end": 50, "length": 400, "bep": 0},
]


def value(measure: str, *parts: tuple[str, int, int]) -> float:
    return pw.evaluate(QRELS, {"t": list(parts)}, measure).mean()["run"][pw.measure(measure).name]


def test_precision_recall_and_their_overlap() -> None:
    parts = [("d", 150, 250), ("d", 100, 200), ("x", 0, 100)]
    # rval: 50, then 100 of which 50 were seen, then nothing; sizes 100 each; 200 characters are highlighted in all
    assert value("TextP@1", *parts) == 50 / 100
    assert value("TextP@2", *parts) == 100 / 200
    assert value("TextP", *parts) == 100 / 300
    assert value("TextP(alpha=0)@2", *parts) == 150 / 200
    assert value("TextP(alpha=0.5)@2", *parts) == 125 / 200
    assert value("TextR@2", *parts) == 100 / 200
    assert value("TextF@2", *parts) == 0.5
    assert value("TextF(beta=2)", *parts) == pytest.approx(5 * (1 / 3) * 0.5 / (4 / 3 + 0.5))
    assert value("TextIoU@2", *parts) == 100 / (150 + 200 - 100)
    assert value("Redundancy@2", *parts) == 50 / 200
    assert value("Overlap@2", *parts) == 1
    assert value("Overlap@1", *parts) == 0
    assert value("Overlap", *parts) == pytest.approx(2 / 3)


def test_budget_cuts_the_last_part() -> None:
    parts = [("d", 150, 250), ("d", 90, 190)]
    # 130 characters: 50 of the first 100, then 90 to 120 of which 20 are highlighted
    assert value("TextP(budget=130)", *parts) == 70 / 130
    assert value("TextR(budget=130)", *parts) == 70 / 200
    assert value("TextIoU(budget=130)", *parts) == 70 / (130 + 200 - 70)
    assert value("TextP(budget=100000)", *parts) == value("TextP", *parts)


def test_interpolation() -> None:
    parts = [("x", 0, 100), ("d", 100, 200), ("d", 300, 400), ("e", 0, 50)]
    # precision 0, 1/2, 1/2, 4/7; recall 0, 1/2, 3/4, 1
    assert value("iP@0", *parts) == 4 / 7
    assert value("iP@1", *parts) == 4 / 7
    assert value("iP@0.5", *parts[:3]) == 0.5
    assert value("iP@0.75", *parts[:3]) == 0.5
    assert value("iP@0.76", *parts[:3]) == 0
    assert value("iAP", *parts[:3]) == pytest.approx(0.5 * 76 / 101)
    assert value("iAP(points=5)", *parts[:3]) == pytest.approx(0.5 * 4 / 5)
    assert value("TextAP", *parts) == pytest.approx((1 / 2 + 1 / 2 + 4 / 7) / 3)


def test_recall_levels_are_whole_characters() -> None:
    """7 of 100 characters are 7%, though 0.07 * 100 is above 7 in doubles."""
    assert 0.07 * 100 > 7
    scores = pw.evaluate({"t": [("d", 0, 100)]}, {"t": [("d", 0, 7)]}, "iP@0.07 iP@0.070001")
    assert scores.mean()["run"] == {"iP@0.07": 1.0, "iP@0.070001": 0.0}


def test_documents_in_context() -> None:
    parts = [("x", 0, 10), ("d", 100, 200), ("e", 0, 100), ("d", 150, 250)]
    # documents x, d, e; d shows 100 to 250 of which 100 highlighted of 150; e shows 100 of which 50 of 50
    f_d, f_e = 2 * (2 / 3) * (2 / 3) / (4 / 3), 2 * 0.5 * 1 / 1.5
    assert value("gP@1", *parts) == 0
    assert value("gP@2", *parts) == pytest.approx(f_d / 2)
    assert value("gP@5", *parts) == pytest.approx((f_d + f_e) / 5)
    assert value("gR@2", *parts) == 0.5
    assert value("AgP", *parts) == pytest.approx((f_d / 2 + (f_d + f_e) / 3) / 2)
    quarter = 0.25**2
    f_quarter = (1 + quarter) * (2 / 3) * (2 / 3) / (quarter * 2 / 3 + 2 / 3)
    assert value("gP(score=F(beta=0.25))@2", *parts) == pytest.approx(f_quarter / 2)


def test_entry_points() -> None:
    parts = [("d", 150, 150), ("e", 0, 100)]
    # d: 50 characters off, a tenth of its length is 100; e: hit
    assert value("gP(score=BEP)@1", *parts) == pytest.approx(100 / 150)
    assert value("gP(score=BEP(A=0.05))@1", *parts) == pytest.approx(50 / 100)
    assert value("gP(score=BEPn)@1", *parts) == pytest.approx(950 / 1000)
    assert value("gP(score=BEPn(n=40))@1", *parts) == 0
    assert value("AgP(score=BEPn(n=100))", *parts) == pytest.approx((0.5 + 1.5 / 2) / 2)
    assert value("gP@2", *parts) == pytest.approx(2 * 0.5 / 1.5 / 2)


def test_tolerance_to_irrelevance() -> None:
    # reads 150 to 250: 50 relevant, 50 not; then 0 to 100: 100 not; 100 to 150: 50 relevant; 250 to 300: 50 not ...
    assert value("gP(score=T2I(tolerance=50))@1", ("d", 150, 250)) == 50 / 100
    assert value("gP(score=T2I(tolerance=150))@1", ("d", 150, 250)) == 50 / 200
    assert value("gP(score=T2I(tolerance=151))@1", ("d", 150, 250)) == pytest.approx(100 / 251)
    assert value("gP(score=T2I(tolerance=10000))@1", ("d", 150, 250)) == pytest.approx(150 / 1000)
    assert value("gP(score=T2I)@1", ("x", 0, 10)) == 0
    # the parts of a document are read in document order, whatever their rank, and text past its end does not count
    assert value("gP(score=T2I(tolerance=60))@1", ("d", 990, 2000), ("d", 100, 150)) == pytest.approx(50 / 110)


def test_thorough_counts_every_time() -> None:
    """Without a penalty for overlap the same text counts again."""
    assert value("TextR(alpha=0)", ("d", 100, 200), ("d", 100, 200)) == 1.0
    assert value("TextR", ("d", 100, 200), ("d", 100, 200)) == 0.5


def test_a_query_with_nothing_relevant_is_left_out_except_of_document_measures() -> None:
    qrels = [*QRELS, {"query_id": "u", "doc_id": "d"}, {"query_id": "v", "doc_id": "d", "start": 5, "end": 5}]
    scores = pw.evaluate(qrels, {"t": [("d", 100, 200)], "u": [("d", 0, 5)]}, "TextP gR Redundancy AP")
    queries = scores.per_query()["run"]
    assert queries["TextP"] == {"t": 1.0}
    assert queries["gR"] == {"t": 0.5}
    assert queries["AP"] == {"t": 0.5, "u": 0.0, "v": 0.0}
    assert queries["Redundancy"] == {"t": 0.0, "u": 0.0}
    assert scores.summary() == [
        "1 of 3 queries scored",
        "Redundancy (run): 2 of 3 queries scored",
        "AP (run): 3 of 3 queries scored",
    ]


def test_relevance_of_documents() -> None:
    """A grade takes precedence; otherwise highlighted text or a relevant element makes a document relevant."""
    qrels = [
        {"query_id": "t", "doc_id": "graded", "grade": 0, "start": 0, "end": 5},
        {"query_id": "t", "doc_id": "marked", "start": 0, "end": 5},
        {"query_id": "t", "doc_id": "element", "path": "/a[1]", "exhaustivity": 1, "specificity": 1},
        {"query_id": "t", "doc_id": "small", "path": "/a[1]", "exhaustivity": 0, "specificity": 1},
    ]
    for doc, value_ in {"graded": 0, "marked": 1, "element": 1, "small": 0}.items():
        assert pw.evaluate(qrels, {"t": [doc]}, "P@1").mean()["run"]["P@1"] == value_


def test_a_query_without_a_document_at_the_level_of_relevance_counts_as_0() -> None:
    qrels = {"t": {"d": 1}, "u": {"d": 2}}
    scores = pw.evaluate(qrels, {"t": {"d": 1.0}, "u": {"d": 1.0}}, "AP(rel=2) AP")
    assert scores.per_query()["run"] == {"AP(rel=2)": {"t": 0.0, "u": 1.0}, "AP": {"t": 1.0, "u": 1.0}}
