"""Gold passages given as elements, trees and paths: found as the spans that they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import partwise as pw

MEASURES = "PartR PartR(match=contains)@1 PartHit(match=iou(1))@1 NuggetR AllFound"
SPANS = {"/a[1]": (0, 20), "/a[1]/b[1]": (0, 4), "/a[1]/c[1]": (4, 10), "/a[1]/c[2]": (10, 20)}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text("<a><b>four</b><c>sixsix</c><c>tencharact</c></a>")
    return tmp_path / "docs"


def scores(gold: list[dict[str, Any]], run: list[dict[str, Any]], docs: Path | None) -> dict[str, float]:
    rows = [{"query_id": "q", "doc_id": "d", **row} for row in gold]
    results = [{"query_id": "q", "doc_id": "d", "rank": rank, **row} for rank, row in enumerate(run, 1)]
    return pw.evaluate(rows, results, MEASURES, collection=docs).mean()["run"]


def spans_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows with the characters of their paths."""
    plain = []
    for row in rows:
        paths = row.get("paths") or [row["path"]]
        others = {name: cell for name, cell in row.items() if name in ("nugget", "set", "grade")}
        plain.append({"spans": [list(SPANS[path]) for path in paths], **others})
    return plain


def graded(path: str, exhaustivity: int = 1, **cells: Any) -> dict[str, Any]:
    return {"path": path, "exhaustivity": exhaustivity, "specificity": 1, "scale": "unit", **cells}


RUNS = [
    [{"path": "/a[1]/c[1]"}, {"path": "/a[1]"}],
    [{"path": "/a[1]"}],
    [{"paths": ["/a[1]/b[1]", "/a[1]/c[2]"]}, {"start": 4, "end": 6}],
    [{"start": 0, "end": 12}],
]


@pytest.mark.parametrize("run", RUNS)
def test_graded_elements_are_passages(docs: Path, run: list[dict[str, Any]]) -> None:
    gold = [graded("/a[1]/b[1]", nugget="x"), graded("/a[1]/c[1]", nugget="x"), graded("/a[1]/c[2]")]
    assert scores(gold, run, docs) == scores(spans_of(gold), run, docs)


@pytest.mark.parametrize("run", RUNS)
def test_trees_are_passages_of_several_spans(docs: Path, run: list[dict[str, Any]]) -> None:
    gold = [
        {"paths": ["/a[1]/b[1]", "/a[1]/c[2]"], "nugget": "x", "set": "s"},
        {"paths": ["/a[1]/c[1]"], "nugget": "y"},
    ]
    assert scores(gold, run, docs) == scores(spans_of(gold), run, docs)


def test_by_hand(docs: Path) -> None:
    """The first result is one of three elements; the second contains all."""
    gold = [graded("/a[1]/b[1]"), graded("/a[1]/c[1]"), graded("/a[1]/c[2]"), graded("/a[1]", exhaustivity=0)]
    values = scores(gold, [{"path": "/a[1]/c[1]"}, {"path": "/a[1]"}], docs)
    assert list(values.values()) == [1.0, 1 / 3, 1.0, 1.0, 1.0]


def test_an_element_of_two_nuggets(docs: Path) -> None:
    gold = [graded("/a[1]/b[1]", nugget="x"), graded("/a[1]/b[1]", nugget="y"), graded("/a[1]/c[1]", nugget="z")]
    rows = [{"query_id": "q", "doc_id": "d", **row} for row in gold]
    values = pw.evaluate(rows, {"q": [{"doc_id": "d", "path": "/a[1]/b[1]"}]}, "NuggetR PartR", collection=docs)
    assert values.mean()["run"] == {"NuggetR": 2 / 3, "PartR": 1 / 2}


def test_paths_need_the_documents() -> None:
    with pytest.raises(
        pw.PartwiseError, match="PartR needs character offsets, but highlighted passages are given as paths"
    ):
        scores([graded("/a[1]/b[1]")], [{"start": 0, "end": 4}], None)
