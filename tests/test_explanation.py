"""``partwise explain`` with a measure: nuggets and gold passages as hits, near-misses and misses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles import parts
from oracles.part_worlds import PartWorld, part_worlds
from partwise import types
from partwise.cli import main


def gold(doc_id: str, start: int, end: int, **columns: Any) -> dict[str, Any]:
    return {"query_id": "q", "doc_id": doc_id, "start": start, "end": end, **columns}


GOLD = [
    gold("d", 0, 10, nugget="name", set="x"),
    gold("e", 0, 20, nugget="name", set="x", grade=2),
    gold("d", 30, 50, nugget="date", set="x"),
    gold("d", 30, 50, nugget="place", set="y"),
    gold("d", 70, 90),
    gold("d", 100, 110, nugget="city", set="y", grade=2),
    gold("d", 60, 65, nugget="nothing", grade=0),
]
RUN = {"q": [("z", 0, 20), ("d", 6, 34), ("e", 0, 12), ("d", 34, 50), ("d", 75, 84), ("d", 0, 10)]}


def explained(measure: str, run: Any = RUN, qrels: Any = GOLD, **options: Any) -> list[types.FoundRow]:
    return pw.explain(qrels, run, query_id="q", measure=measure, **options)


def brief(rows: list[types.FoundRow]) -> list[tuple[Any, ...]]:
    return [(row["nugget"], row["part"], row["status"], row["rank"], row["share"], row["from_rank"]) for row in rows]


def test_nuggets() -> None:
    rows = explained("NuggetR")
    assert brief(rows) == [
        ("name", "0-20", "hit", 3, 0.6, 3),
        ("date", "30-50", "hit", 4, 0.8, 4),
        ("place", "30-50", "hit", 4, 0.8, 4),
        ("", "70-90", "near-miss", "", 0.45, 5),
        ("city", "100-110", "miss", "", 0.0, ""),
    ]
    assert [row["from"] for row in rows] == ["0-12", "34-50", "34-50", "75-84", ""]
    assert [row["again"] for row in rows] == ["6", "", "", "", ""]  # the other alternative, found later
    assert [row["alternatives"] for row in rows] == [2, 1, 1, 1, 1]
    assert [row["grade"] for row in rows] == [2, 1, 1, 1, 2]
    assert [row["set"] for row in rows] == ["x", "x", "y", "", "y"]
    assert [row["doc_id"] for row in rows] == ["e", "d", "d", "d", "d"]
    assert list(rows[0]) == list(types.FoundRow.__annotations__)


def test_passages() -> None:
    """A measure of passages has a row for each, with the nuggets that it states."""
    assert brief(explained("PartR@4")) == [
        ("name", "0-20", "hit", 3, 0.6, 3),
        ("date, place", "30-50", "hit", 4, 0.8, 4),
        ("name", "0-10", "near-miss", "", 0.4, 2),
        ("", "70-90", "miss", "", 0.0, ""),
        ("city", "100-110", "miss", "", 0.0, ""),
    ]


def test_the_match_and_the_other_parameters_are_those_of_the_measure() -> None:
    assert brief(explained("PartR(match=seen(0.9),rel=2)")) == [
        ("name", "0-20", "near-miss", "", 0.6, 3),
        ("city", "100-110", "miss", "", 0.0, ""),
    ]
    assert brief(explained("NuggetR(rel=2)@3"))[0] == ("name", "0-20", "hit", 3, 0.6, 3)
    assert brief(explained("AspectAP"))[0] == ("name", "0-10", "hit", 2, 0.4, 2)
    assert explained("AspectAP")[0]["again"] == "3 6"
    assert brief(explained("NuggetR(budget=40)"))[0] == ("name", "0-10", "near-miss", "", 0.4, 2)
    seen = explained("PartR(match=seen(0.9))")[0]
    assert (seen["part"], seen["rank"], seen["share"]) == ("30-50", 4, 1.0)  # 4 characters at rank 2, 16 at rank 4
    ranged = explained("PartR(match=iou(0.4,0.9))")
    assert brief(ranged) == brief(explained("PartR(match=iou(0.4))"))


def test_ranks_are_those_of_the_run_even_if_a_measure_leaves_out_results() -> None:
    rows = explained("NuggetR(judged_only=True)@2")
    assert brief(rows)[0] == ("name", "0-20", "hit", 3, 0.6, 3)
    assert {row["status"] for row in explained("NuggetR@2")} == {"near-miss", "miss"}


def test_an_empty_list_and_a_query_with_nothing_relevant() -> None:
    assert {row["status"] for row in explained("NuggetR", {"q": []})} == {"miss"}
    other = [gold("d", 0, 10), {"query_id": "nothing", "doc_id": ""}]
    assert pw.explain(other, RUN, query_id="nothing", measure="NuggetR") == []


def test_seconds_are_shown_as_seconds() -> None:
    rows = explained("PartR", {"q": [("d", 1.5, 4)]}, [gold("d", 1, 2.25)], unit="seconds")
    assert (rows[0]["part"], rows[0]["from"]) == ("1-2.25", "1.5-4")
    [old] = pw.explain([gold("d", 1, 2.25)], {"q": [("d", 1.5, 4)]}, query_id="q", unit="seconds")
    assert (old["part"], old["from"]) == ("1-2.25", "1.5-4")


@given(
    part_worlds(),
    st.sampled_from(["any", "cover(0.5)", "contains", "seen(0.6)", "iou(0.3)"]),
    st.sampled_from(["", "rel=2", "judged_only=True", "budget=20"]),
    st.sampled_from([None, 1, 3]),
)
def test_hits_are_those_that_measures_count(world: PartWorld, match: str, other: str, cutoff: int | None) -> None:
    at = "" if cutoff is None or other == "budget=20" else f"@{cutoff}"
    inside = f"match={match}{',' if other else ''}{other}"
    assume(any("start" in row or "spans" in row for row in world.gold) and any(world.run.values()))
    for name in ("PartR", "NuggetR"):
        measure = f"{name}({inside}){at}"
        for query_id, query in world.queries().items():
            expected = parts.value(measure, query)
            if expected is None:
                continue
            rows = pw.explain(world.gold, world.run_rows(), query_id=query_id, measure=measure, lengths=world.lengths)
            hits = [row for row in rows if row["status"] == "hit"]
            assert len(hits) / len(rows) == pytest.approx(float(expected))
            assert all((row["share"] > 0) == (row["status"] != "miss") for row in rows)


# ---- the command line -----------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    rows = [
        {"query_id": "q", "doc_id": doc, "start": start, "end": end, "rank": rank}
        for rank, (doc, start, end) in enumerate(RUN["q"], 1)
    ]
    Path("run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["explain", "qrels.jsonl", "run.jsonl", "--query-id", "q"]


TABLE = """\
nugget   doc_id   part      status      rank   grade    share   from_rank    from   again   alternatives   set
──────────────────────────────────────────────────────────────────────────────────────────────────────────────
name     e        0-20      hit            3       2   0.6000           3    0-12       6              2     x
date     d        30-50     hit            4       1   0.8000           4   34-50                      1     x
place    d        30-50     hit            4       1   0.8000           4   34-50                      1     y
         d        70-90     near-miss              1   0.4500           5   75-84                      1
city     d        100-110   miss                   2   0.0000                                          1     y
"""


def test_the_command(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, "-m", "NuggetR", "-f", "table"]) == 0
    assert capsys.readouterr().out == TABLE
    assert main([*files, "-m", "NuggetR", "-f", "jsonl"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == explained("NuggetR")
    assert main([*files, "--measure", "PartR@4", "-f", "tsv"]) == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header.split("\t") == list(types.FoundRow.__annotations__)
    assert first.split("\t") == ["name", "e", "0-20", "hit", "3", "2", "0.6", "3", "0-12", "", "2", "x"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-m", "TextR"],
         "TextR does not count passages or nuggets that are found; explain a measure such as NuggetR or PartR@10"),
        (["-m", "NuggetR PartR"], "2 measures are given; give exactly one measure to explain"),
        (["-m", "NuggetR", "--match", "contains"],
         "match cannot be used with a measure; use the parameters of the measure, such as "
         "NuggetR(match=cover(0.5))@10"),
        (["-m", "NuggetR", "--cutoff", "3"],
         "cutoff cannot be used with a measure; use the parameters of the measure, such as "
         "NuggetR(match=cover(0.5))@10"),
    ],
)  # fmt: skip
def test_errors(files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    assert main([*files, *arguments]) == 2
    assert capsys.readouterr().err == line + "\n"
