"""Diagnoses by slice: each slice is the diagnosis of its queries, or of its gold, alone."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise.cli import main

SPAN = st.tuples(st.sampled_from("ab"), st.integers(0, 24), st.integers(1, 9)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)
QUERIES = ["q1", "q2", "q3", "q4"]


def row(query: str, span: tuple[str, int, int], **more: Any) -> dict[str, Any]:
    return {"query_id": query, "doc_id": span[0], "start": span[1], "end": span[2], **more}


@settings(deadline=None)
@given(st.data())
def test_a_slice_is_the_diagnosis_of_its_part_alone(data: st.DataObject) -> None:
    chunks = data.draw(st.lists(SPAN, min_size=1, max_size=6))
    gold = [
        row(query, span, grade=data.draw(st.integers(1, 2)))
        for query in QUERIES
        for span in data.draw(st.lists(SPAN, min_size=1, max_size=3, unique=True))
    ]
    run = {query: data.draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=5)) for query in QUERIES}
    all_chunks = data.draw(st.sampled_from([None, [{"doc_id": d, "start": s, "end": e} for d, s, e in chunks]]))
    about = data.draw(st.fixed_dictionaries(dict.fromkeys(QUERIES, st.sampled_from(["x", "y"]))))
    columns = [{"query_id": query, "title": query, "about": value} for query, value in about.items()]

    def content(diagnosis: pw.Diagnosis) -> tuple[Any, Any]:
        return diagnosis.rows(), sorted(
            diagnosis.failures(), key=lambda one: (one["query_id"], one["doc_id"], one["start"])
        )

    def alone(part: list[dict[str, Any]]) -> tuple[Any, Any]:
        return content(pw.diagnose(part, run, all_chunks, k=2))

    by_query = pw.diagnose(gold, run, all_chunks, k=2, queries=columns, by="about").slices
    assert by_query is not None
    assert list(by_query) == sorted(set(about.values()))
    for name, of_slice in by_query.items():
        assert content(of_slice) == alone([one for one in gold if about[one["query_id"]] == name])
    by_grade = pw.diagnose(gold, run, all_chunks, k=2, by="grade").slices
    assert by_grade is not None
    for name, of_slice in by_grade.items():
        overlapping = [one for one in gold if str(one["grade"]) == name]
        assert content(of_slice) == alone(overlapping)
    assert by_query.rows()[-1] == {"slice": "all", "queries": 4, **alone(gold)[0][-1]}


GOLD = [
    row("q1", ("d", 40, 60)), row("q2", ("d", 120, 140)), row("q3", ("e", 0, 30)),
]  # fmt: skip
RUN = [
    row("q1", ("d", 0, 50), rank=1), row("q1", ("d", 50, 100), rank=2), row("q2", ("d", 50, 100), rank=1),
    row("q2", ("d", 100, 150), rank=2), row("q3", ("e", 0, 30), rank=1),
]  # fmt: skip
CHUNKS = [{"doc_id": "d", "start": start, "end": start + 50} for start in (0, 50, 100)] + [
    {"doc_id": "e", "start": 0, "end": 30}
]
ABOUT = [{"query_id": "q1", "about": "leave"}, {"query_id": "q2", "about": "leave"}, {"query_id": "q3", "about": "tax"}]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, rows in {"gold": GOLD, "run": RUN, "chunks": CHUNKS, "about": ABOUT}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    gold, run, chunks, about = (str(tmp_path / f"{name}.jsonl") for name in ("gold", "run", "chunks", "about"))
    return ["diagnose", gold, run, "--chunks", chunks, "-k", "1", "--queries", about, "--by", "about"]


def test_machine_formats(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slices = pw.diagnose(files[1], files[2], files[4], k=1, queries=files[8], by="about").slices
    assert slices is not None
    means = {one["slice"]: (one["queries"], one["value"], one["lost_to_chunking"], one["lost_to_ranking"])
             for one in slices.rows() if one["query_id"] == "all"}  # fmt: skip
    assert means == {"leave": (2, 0.25, 0.25, 0.5), "tax": (1, 1.0, 0.0, 0.0), "all": (3, 0.5, 1 / 6, 1 / 3)}
    for more, expected in (([], slices.rows()), (["--failures"], slices.failures())):
        for suffix in ("jsonl", "csv", "parquet"):
            out = tmp_path / f"out.{suffix}"
            assert main([*files, *more, "-o", str(out)]) == 0
            if suffix == "jsonl":
                assert [json.loads(line) for line in out.read_text().splitlines()] == expected
            elif suffix == "csv":
                read = list(csv.DictReader(out.read_text().splitlines()))
                assert [one["slice"] for one in read] == [one["slice"] for one in expected]
                assert list(read[0]) == list(expected[0])
            else:
                assert pq.read_table(out).to_pylist() == expected
    capsys.readouterr()


def test_the_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, "-f", "table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TextR@1 of run by about; the intervals and the queries of each slice with -f tsv"
    assert lines[3].split()[:6] == ["leave", "2", "0.7500", "0.2500", "0.2500", "0.5000"]
    assert [line.split()[0] for line in lines[3:]] == ["leave", "tax", "all"]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["-f", "trec"], "slices cannot be written as trec; write parquet, tsv or another format"),
        (["--by", "tag"], "results of several tags share a query, so there are no slices by tag; use Evaluator.by_tag "
         "(partwise evaluate --by tag)"),
        (["--by", "grade", "--bins", "2"],
         "the gold is not put into bins; leave out bins, or slice by a column of the queries"),
    ],
)  # fmt: skip
def test_mistakes(files: list[str], more: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, *more]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == line


def test_queries_need_a_column(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(files[:-2]) == 2
    assert capsys.readouterr().err == "--queries needs --by; choose one of their columns with --by COLUMN\n"
