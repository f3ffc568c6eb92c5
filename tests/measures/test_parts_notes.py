"""What users are told beside the values of parts found: passages out of reach, and what nobody judged."""

from __future__ import annotations

import pytest

import partwise as pw

GOLD = [
    {"query_id": "q", "doc_id": "d", "start": 0, "end": 100},
    {"query_id": "q", "doc_id": "d", "start": 0, "end": 30},
]
SEVERAL = " adds up what several results show"


def test_passages_that_no_result_can_cover() -> None:
    """By the longest result of the run, and only for measures that need one result to cover a share."""
    measures = "PartR PartR(match=contains) PartHit PartR(match=seen(0.5)) PartR(match=iou(0.5)) PartR(budget=50)"
    assert list(pw.evaluate(GOLD, {"q": [("d", 0, 20)]}, measures).notes) == [
        "run: 1 of 2 gold passages are too long for every result: 0.5 of each is more than 20, the size of the "
        "longest result; "
        f"PartR, PartHit cannot find them; match=seen(0.5){SEVERAL}",
        "run: 2 of 2 gold passages are too long for every result: 1 of each is more than 20, the size of the "
        "longest result; "
        f"PartR(match=cover(1)) cannot find them; match=seen(1){SEVERAL}",
    ]
    assert not pw.evaluate(GOLD, {"q": [("e", 0, 50), ("d", 0, 20)]}, "PartR").notes


def test_condensed_lists_of_relevant_documents_alone() -> None:
    run = {"q": [("e", 0, 200), ("d", 0, 100)]}
    hidden = (
        "qrels: every judged document is relevant, so judged_only hides every wrong document (TextP(judged_only=True))"
    )
    assert list(pw.evaluate(GOLD, run, "TextP TextP(judged_only=True)").notes) == [hidden]
    judged = [*GOLD, {"query_id": "q", "doc_id": "e", "grade": 0}]
    assert not pw.evaluate(judged, run, "TextP(judged_only=True)").notes


@pytest.mark.parametrize(
    ("unjudged", "lines"), [(10, []), (12, ["11% of the text in the first 10 results is in documents nobody judged"])]
)
def test_unjudged_text_is_reported_below_nine_tenths(unjudged: int, lines: list[str]) -> None:
    """TextJudged@10 of 90 of 100 characters is 0.9, of 100 of 112 it is less."""
    size = 90 if unjudged == 10 else 100
    scores = pw.evaluate(GOLD, {"q": [("d", 0, size), ("e", 0, unjudged)]}, "TextR TextJudged@10")
    assert scores.unjudged_text() == lines
    assert scores.judged_text["run"] == pytest.approx(scores.mean()["run"]["TextJudged@10"], abs=1e-9)
    assert not pw.evaluate(GOLD, {"q": [("e", 0, 9)]}, "AP").unjudged_text()
