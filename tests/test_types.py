"""The types that users see are those of what they get."""

from __future__ import annotations

from typing import get_type_hints

import partwise as pw
from partwise import presets, types
from partwise.study import curve_points, statistics

XML = {"d": "<a><s>one two</s><s>three</s></a>"}
GOLD = [{"query_id": "q", "doc_id": "d", "start": 0, "end": 7}]
RUN = {"q": [{"doc_id": "d", "path": "/a[1]/s[2]"}]}


def test_what_is_implemented_is_what_can_be_chosen() -> None:
    assert tuple(statistics._CORRECTIONS) == types.CORRECTIONS
    assert tuple(curve_points.KINDS) == types.CURVES
    assert set(types.CHECKED_TASKS) <= set(presets.TASKS)


def keys(row: type) -> list[str]:
    return list(get_type_hints(row))


def test_rows_have_the_cells_of_their_types() -> None:
    tree = pw.tree(XML, "d", query_id="q", qrels=GOLD, run=RUN)
    assert {name for row in tree for name in row} == set(keys(types.TreeRow))
    assert list(pw.explain(GOLD, RUN, query_id="q", collection=XML)[0]) == keys(types.ExplainedRow)
    assert list(pw.explain(GOLD, RUN, query_id="q", collection=XML, measure="PartR")[0]) == keys(types.FoundRow)
    assert list(pw.ideal(GOLD, collection=XML).rows()[0]) == keys(types.IdealRow)
    assert list(pw.check(GOLD, {"q": [("d", 0, 99)]}, collection=XML).rows()[0]) == keys(types.FindingRow)
    [score] = pw.evaluate(GOLD, {"q": [("d", 0, 7)]}, "TextR").rows()
    assert score == types.ScoreRow("run", "TextR", "q", 1.0)
    assert (score.run_id, score.measure, score.query_id, score.value) == ("run", "TextR", "q", 1.0)
    assert pw.list_measures()[0].name == pw.list_measures()[0][0]
