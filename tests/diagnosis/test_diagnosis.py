"""Diagnoses: the best choice of chunks, the parts of the loss, and how passages are lost."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partwise as pw
from oracles.diagnosis import Query, Span
from partwise.cli import main
from partwise.diagnosis.failures import KINDS
from partwise.formats.objects import runs_from_object
from partwise.placement import EXACT, MISSING, Placing

DOCS = "abc"
SPAN = st.tuples(st.sampled_from(DOCS), st.integers(0, 24), st.integers(1, 9)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)
"""Chunks overlap, are inside others, touch, and occur twice; gold has several documents."""


@st.composite
def worlds(draw: st.DrawFn) -> tuple[dict[str, Query], int, bool]:
    chunks = draw(st.lists(SPAN, min_size=1, max_size=8))
    by_size = draw(st.booleans())
    limit = draw(st.integers(1, 30) if by_size else st.integers(1, 4))
    queries = {}
    for name in draw(st.sampled_from([["q1"], ["q1", "q2", "q3"]])):
        gold = draw(st.lists(SPAN, min_size=1, max_size=4))
        results = draw(st.lists(st.sampled_from(chunks), max_size=7))
        queries[name] = Query(gold, results, chunks, limit, by_size)
    return queries, limit, by_size


def by_doc(chunks: list[Span]) -> dict[str, list[tuple[int, int]]]:
    spans: dict[str, list[tuple[int, int]]] = {}
    for doc, start, end in chunks:
        spans.setdefault(doc, []).append((start, end))
    return spans


def diagnosed(queries: dict[str, Query], limit: int, by_size: bool, with_chunks: bool = True) -> pw.Diagnosis:
    chunks = by_doc(next(iter(queries.values())).chunks) if with_chunks else None
    gold: Any = {name: query.gold for name, query in queries.items()}
    run: Any = {name: query.results for name, query in queries.items()}
    if by_size:
        return pw.diagnose(gold, run, chunks, budget=limit)
    return pw.diagnose(gold, run, chunks, k=limit)


@settings(max_examples=300, deadline=None)
@given(worlds())
def test_everything_equals_the_enumeration(world: tuple[dict[str, Query], int, bool]) -> None:
    queries, _, _ = world
    diagnosis = diagnosed(*world)
    assert diagnosis.best_shown is not None
    rows = {row["query_id"]: row for row in diagnosis.rows()}
    failures = diagnosis.failures()
    for i, name in enumerate(diagnosis.queries):
        query, row = queries[name], rows[name]
        total = len(query.relevant)
        assert (diagnosis.relevant[i], diagnosis.shown[i], diagnosis.best_shown[i]) == (
            total,
            query.shown(),
            query.best(),
        )
        assert row["best"] == query.best() / total
        assert row["value"] == query.shown() / total
        assert Fraction(row["precision_omega"]).limit_denominator(1000) == query.omega()
        expected = query.failures(with_chunks=True)
        of_query = [failure for failure in failures if failure["query_id"] == name]
        assert expected == sorted(
            ((f["doc_id"], f["start"], f["end"]), f["kind"], f["cut"] == "yes", f["lost"], f["rank"] or 0)
            for f in of_query
        )
        for kind in KINDS:
            assert row[kind] == sum(one[1] == kind for one in expected)
        assert row["cut"] == sum(one[2] for one in expected)
    assert diagnosis.queries == list(queries)


@settings(max_examples=100, deadline=None)
@given(worlds())
def test_the_parts_add_up(world: tuple[dict[str, Query], int, bool]) -> None:
    """In characters exactly, and as shares but for the last bit; nothing is negative."""
    diagnosis = diagnosed(*world)
    assert diagnosis.best_shown is not None
    lost_to_chunking, lost_to_ranking = (
        diagnosis.relevant - diagnosis.best_shown,
        diagnosis.best_shown - diagnosis.shown,
    )
    assert (lost_to_chunking >= 0).all()
    assert (lost_to_ranking >= 0).all()
    np.testing.assert_array_equal(lost_to_chunking + lost_to_ranking + diagnosis.shown, diagnosis.relevant)
    lost = np.bincount(
        [diagnosis.queries.index(row["query_id"]) for row in diagnosis.failures()],
        [row["lost"] for row in diagnosis.failures()],
        len(diagnosis.queries),
    )
    np.testing.assert_array_equal(lost + diagnosis.shown, diagnosis.relevant)
    for row in diagnosis.rows():
        assert math.isclose(row["lost_to_chunking"] + row["lost_to_ranking"], 1 - row["value"], abs_tol=1e-15 * 4)
        assert row["lost_to_ranking"] >= 0


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_the_value_is_the_measure(world: tuple[dict[str, Query], int, bool]) -> None:
    queries, limit, by_size = world
    measure = f"TextR(budget={limit},pack=True)" if by_size else f"TextR@{limit}"
    gold: Any = {name: query.gold for name, query in queries.items()}
    scores = pw.evaluate(gold, {name: query.results for name, query in queries.items()}, measure)  # type: ignore[arg-type]
    values = scores.per_query()["run"][measure]
    rows = {row["query_id"]: row["value"] for row in diagnosed(*world).rows()}
    assert rows.pop("all") == scores.mean()["run"][measure]
    assert rows == values


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_without_chunks_the_rest_is_known(world: tuple[dict[str, Query], int, bool]) -> None:
    queries, _, _ = world
    diagnosis = diagnosed(*world, with_chunks=False)
    for name, query in queries.items():
        of_query = [row for row in diagnosis.failures() if row["query_id"] == name]
        kinds = sorted(((row["doc_id"], row["start"], row["end"]), row["kind"]) for row in of_query)
        assert kinds == [(passage, kind) for passage, kind, _, _, _ in query.failures(with_chunks=False)]
    for row in diagnosis.rows():
        unknown = ("best", "lost_to_chunking", "lost_to_ranking", "precision_omega", "cut", "not_chunked")
        assert [row[name] for name in unknown] == [None] * 6
        assert row["value"] is not None
    assert diagnosis.notes[-1] == (
        "without all chunks, the loss cannot be split into chunking and ranking; give them with --chunks FILE"
    )


# ---- by hand ------------------------------------------------------------------------------------------------

GOLD = [
    {"query_id": "cut", "doc_id": "d", "start": 40, "end": 60},
    {"query_id": "low", "doc_id": "d", "start": 110, "end": 120},
    {"query_id": "gone", "doc_id": "e", "start": 0, "end": 10},
    {"query_id": "crowd", "doc_id": "d", "start": 60, "end": 70},
    {"query_id": "never", "doc_id": "d", "start": 210, "end": 220},
]
CHUNKS = [
    {"doc_id": doc, "start": start, "end": start + 50, "text": "not read"}
    for doc, starts in (("d", (0, 50, 100, 150)), ("e", (0,)))
    for start in starts
]
RUN = [
    {"query_id": query, "doc_id": doc, "start": start, "end": start + 50, "rank": rank}
    for query, results in {
        "cut": [("d", 0), ("d", 150)],
        "low": [("d", 0), ("d", 50), ("d", 100)],
        "gone": [("d", 0)],
        "crowd": [("d", 0), ("d", 0), ("d", 50)],
        "never": [("d", 0)],
    }.items()
    for rank, (doc, start) in enumerate(results, 1)
]


def test_by_hand() -> None:
    diagnosis = pw.diagnose(GOLD, RUN, CHUNKS, k=2)
    rows = {row["query_id"]: row for row in diagnosis.rows()}
    parts = {name: (row["best"], row["value"], row["lost_to_chunking"], row["lost_to_ranking"])
             for name, row in rows.items()}  # fmt: skip
    assert parts == {
        "cut": (1.0, 0.5, 0.0, 0.5),
        "low": (1.0, 0.0, 0.0, 1.0),
        "gone": (1.0, 0.0, 0.0, 1.0),
        "crowd": (1.0, 0.0, 0.0, 1.0),
        "never": (0.0, 0.0, 1.0, 0.0),
        "all": (0.8, 0.1, 0.2, pytest.approx(0.7)),
    }
    assert [(row["query_id"], row["kind"], row["cut"], row["rank"]) for row in diagnosis.failures()] == [
        ("cut", "passed_over", "yes", None),
        ("low", "below", "no", 3),
        ("gone", "never_retrieved", "no", None),
        ("crowd", "crowded_out", "no", 3),
        ("never", "not_chunked", "no", None),
    ]
    assert rows["cut"]["precision_omega"] == 0.2
    assert rows["all"]["interval"] == "Agresti and Coull for hits or Wilson's method, scaled"
    scale = 2.7764451**2 * (0.05 / 5) / (0.1 * 0.9)  # Student's t with 4 degrees of freedom
    ends = sorted(np.roots([1 + scale, -(2 * 0.1 + scale), 0.1**2]))  # (0.1 - m)² = scale m (1 - m)
    assert (rows["all"]["value_low"], rows["all"]["value_high"]) == pytest.approx(tuple(ends))
    worst = diagnosis.tables()[-1][1]
    assert [row["query id"] for row in worst] == ["low", "gone", "crowd", "never", "cut"]


def test_columns() -> None:
    """A promise: columns may be added, none renamed."""
    [row, *_] = pw.diagnose(GOLD, RUN, CHUNKS, k=2).rows()
    parts = ["best", "value", "lost_to_chunking", "lost_to_ranking", "precision_omega"]
    edges = [f"{name}_{edge}" for name in parts for edge in ("low", "high")]
    assert list(row) == ["query_id", *parts, "cut", *KINDS, *edges, "interval"]
    assert list(KINDS) == ["crowded_out", "below", "unplaced", "not_chunked", "never_retrieved", "passed_over"]
    [failure, *_] = pw.diagnose(GOLD, RUN, CHUNKS, k=2).failures()
    assert list(failure) == ["query_id", "doc_id", "start", "end", "kind", "cut", "lost", "size", "rank"]


def test_results_at_an_unknown_place() -> None:
    """They are none of the chunks, and what is lost may be there."""
    diagnosis = pw.diagnose(GOLD, _run_with_unplaced(), CHUNKS, k=2)
    kinds = {row["query_id"]: row["kind"] for row in diagnosis.failures()}
    assert kinds == {
        "cut": "passed_over",
        "low": "below",
        "gone": "unplaced",
        "crowd": "crowded_out",
        "never": "unplaced",
    }
    assert diagnosis.notes[-1] == (
        "run: 2 results have an unknown place and show nothing: the loss to ranking is an upper bound"
    )


def _run_with_unplaced() -> pw.Run:
    """In query gone the document is unknown, in query never it is known."""
    added = [
        {"query_id": "gone", "doc_id": "unplaced-1", "start": 0, "end": 30, "rank": 2},
        {"query_id": "never", "doc_id": "d", "start": 400, "end": 430, "rank": 2},
    ]
    [run] = runs_from_object([*RUN, *added], "run", "chars", False, [])
    return replace(run, placing=Placing.of([EXACT] * len(RUN) + [MISSING] * 2))


def test_averages_over_the_queries_of_the_run() -> None:
    run = [row for row in RUN if row["query_id"] in ("cut", "low")]
    rows = pw.diagnose(GOLD, run, CHUNKS, k=2, average_over="run").rows()
    assert [row["query_id"] for row in rows] == ["cut", "low", "all"]
    assert rows[-1]["value"] == 0.25
    everything = pw.diagnose(GOLD, run, CHUNKS, k=2).rows()
    assert [row["query_id"] for row in everything] == [*dict.fromkeys(str(row["query_id"]) for row in GOLD), "all"]


def test_whole_documents_as_chunks() -> None:
    """Their length must be known."""
    gold = {"q": [("d", 10, 20)]}
    rows = pw.diagnose(gold, {"q": ["d"]}, [{"doc_id": "d"}], budget=100, lengths={"d": 100}).rows()
    assert (rows[0]["best"], rows[0]["value"]) == (1.0, 1.0)
    rows = pw.diagnose(gold, {"q": ["d"]}, [{"doc_id": "d"}], budget=99, lengths={"d": 100}).rows()
    assert (rows[0]["best"], rows[0]["value"]) == (0.0, 0.0)
    with pytest.raises(pw.PartwiseError, match="the length of document d is unknown"):
        pw.diagnose(gold, {"q": [("d", 0, 20)]}, [{"doc_id": "d"}], k=1)


def test_elements_as_chunks(tmp_path: Path) -> None:
    """Paths are located in the collection, those of the chunks as those of the run."""
    (tmp_path / "d.xml").write_text("<a><p>0123456789</p><p>0123456789</p></a>")
    chunks = [{"doc_id": "d", "path": f"/a[1]/p[{i}]"} for i in (1, 2)]
    run = [{"query_id": "q", "doc_id": "d", "path": "/a[1]/p[2]", "rank": 1}]
    diagnosis = pw.diagnose({"q": [("d", 5, 12)]}, run, chunks, k=1, collection=tmp_path)
    [row, _] = diagnosis.rows()
    assert (row["best"], row["value"], row["cut"]) == (5 / 7, 2 / 7, 1)
    tree = [{"doc_id": "d", "paths": ["/a[1]/p[1]", "/a[1]/p[2]"]}]  # they touch, so they are one span
    [row, _] = pw.diagnose({"q": [("d", 5, 12)]}, run, [*chunks, *tree], k=1, collection=tmp_path).rows()
    assert row["best"] == 1.0


def test_budgets_in_seconds() -> None:
    gold = [{"query_id": "q", "doc_id": "v", "start": 1.5, "end": 3.0, "unit": "seconds"}]
    chunks = [{"doc_id": "v", "start": s, "end": s + 2, "unit": "seconds"} for s in (0, 2, 4)]
    run = [{"query_id": "q", "doc_id": "v", "start": 4, "end": 6, "unit": "seconds"}]
    diagnosis = pw.diagnose(gold, run, chunks, budget=2.5, unit="seconds")
    [row, _] = diagnosis.rows()
    assert (row["best"], row["value"]) == (2 / 3, 0.0)
    [failure] = diagnosis.failures()
    assert (failure["start"], failure["lost"], failure["unit"]) == (1.5, 1.5, "seconds")
    assert diagnosis.tables()[0][0].endswith("; text is counted in seconds")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({}, "neither k nor a budget is given; give one of them: -k 5, or --budget 4000"),
        ({"k": 1, "budget": 5}, "k and a budget are given; give one of them"),
        ({"k": 1, "confidence": 95}, "confidence is '95'; it must be a number between 0 and 1"),
        (
            {"k": 1, "chunks": [{"doc_id": "d", "start": 0, "end": 50}]},
            "run, row 2: the result 150-200 of document d is none of the chunks in chunks; give all chunks that can be "
            "retrieved, or leave out the chunks",
        ),
        (
            {"k": 1, "chunks": [{"doc_id": "d", "spans": [[0, 10], [20, 30]]}]},
            "chunks, row 1: the chunk has 2 spans; give one span per chunk",
        ),
        (
            {"k": 1, "chunks": [{"doc_id": "d", "path": "/a[1]"}]},
            "chunks, row 1: the part is given as the path '/a[1]', which needs the documents; give the collection "
            "(--collection), or the start and end of the part",
        ),
        (
            {"k": 1, "chunks": [{"start": 0, "end": 10}]},
            "chunks: has no column 'doc_id' (it has 'start', 'end'); runs need it",
        ),
        (
            {"k": 1, "chunks": 7},
            "chunks is of type int; give a path, a list of dicts, {doc_id: [(start, end), ...]}, or a pandas, Polars "
            "or Arrow table",
        ),
    ],
)
def test_mistakes(arguments: dict[str, Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.diagnose(GOLD, RUN, **arguments)
    assert str(error.value) == line


def test_units_of_chunks_and_assessments() -> None:
    chunks = [{"doc_id": "d", "start": 0, "end": 50, "unit": "seconds"}]
    with pytest.raises(pw.PartwiseError, match="chunks: offsets are in seconds, but characters are counted"):
        pw.diagnose(GOLD, RUN, chunks, k=1)


# ---- files and the command line --------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, rows in (("gold", GOLD), ("run", RUN), ("chunks", CHUNKS)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(tmp_path / f"{name}.jsonl") for name in ("gold", "run", "chunks")]


def command(files: list[str], *more: str) -> list[str]:
    gold, run, chunks = files
    return ["diagnose", gold, run, "--chunks", chunks, "-k", "2", *more]


def test_machine_formats_agree(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = pw.diagnose(*files, k=2).rows()  # type: ignore[arg-type]
    assert main(command(files, "-f", "jsonl")) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        assert main(command(files, "-f", format)) == 0
        header, *rows = csv.reader(capsys.readouterr().out.splitlines(), delimiter=separator)
        assert header == list(expected[0])
        assert rows == [["" if cell is None else str(cell) for cell in row.values()] for row in expected]
    assert main(command(files, "-o", str(tmp_path / "d.parquet"))) == 0
    assert pq.read_table(tmp_path / "d.parquet").to_pylist() == expected
    assert main(command(files, "-f", "trec")) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["value", "cut", "0.5000"] in lines
    assert ["below", "all", "1"] in lines
    assert main(command(files, "-f", "latex")) == 0
    assert "lost to ranking & 0.7000" in capsys.readouterr().out


def test_failures_in_machine_formats(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = pw.diagnose(*files, k=2).failures()  # type: ignore[arg-type]
    assert main(command(files, "--failures", "-f", "jsonl")) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected
    assert main(command(files, "--failures", "-f", "trec")) == 2
    assert "these rows cannot be written as trec" in capsys.readouterr().err
    assert main(command(files, "--failures", "-o", str(tmp_path / "d.parquet"))) == 0
    assert pq.read_table(tmp_path / "d.parquet").to_pylist() == expected


def test_the_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(files, "-f", "table")) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "TextR@2 of run, 5 queries; 95% intervals by Agresti and Coull for hits or Wilson's method, scaled\n"
    )
    assert "5 of 5 gold passages are not shown whole." in out
    assert "query crowd: d 60-70, rank 3" in out


def test_a_long_table_says_what_it_leaves_out() -> None:
    gold: Any = {f"q{i}": [("d", 10 * i, 10 * i + 5)] for i in range(30)}
    tables = pw.diagnose(gold, {"q1": [("d", 0, 300)]}, {"d": [(0, 300)]}, k=1).tables()
    assert tables[-1][0] == "The 20 worst of 30 queries; all of them with -f tsv"
    assert len(tables[-1][1]) == 20


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl"])
def test_chunks_in_any_columnar_format(files: list[str], tmp_path: Path, suffix: str) -> None:
    import pyarrow as pa
    import pyarrow.csv

    rows = [{"source": row["doc_id"], "start_index": row["start"], "end_index": row["end"]} for row in CHUNKS]
    path = tmp_path / f"all.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        separator = "," if suffix == "csv" else "\t"
        path.write_text("\n".join(separator.join(map(str, row)) for row in [rows[0], *(r.values() for r in rows)]))
    expected = pw.diagnose(GOLD, RUN, CHUNKS, k=2).rows()
    assert pw.diagnose(GOLD, RUN, path, k=2).rows() == expected


def test_chunks_in_columns_of_inex(files: list[str], tmp_path: Path) -> None:
    """Whatever the queries are."""
    path = tmp_path / "all.run"
    path.write_text("".join(f"x Q0 {row['doc_id']} 1 1 r {row['start']} 50\n" for row in CHUNKS))
    assert pw.diagnose(GOLD, RUN, path, k=2).rows() == pw.diagnose(GOLD, RUN, CHUNKS, k=2).rows()


def test_chunks_as_tables() -> None:
    pandas = pytest.importorskip("pandas")
    expected = pw.diagnose(GOLD, RUN, CHUNKS, k=2).rows()
    assert pw.diagnose(GOLD, RUN, pandas.DataFrame(CHUNKS), k=2).rows() == expected
    assert len(pw.diagnose(GOLD, RUN, CHUNKS, k=2).to_pandas()) == len(expected)


def test_errors_of_files(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text('{"doc_id": "d", "start": 0, "end": 50}\n{"doc_id": "d", "start": 50, "end": 40}\n')
    assert main(command([*files[:2], str(few)])) == 2
    assert capsys.readouterr().err == (f"{few}:2: the end 40 is before the start 50; it must be at least the start\n")
    few.write_text('{"doc_id": "d", "start": 0, "end": 50}\n')
    assert main(command([*files[:2], str(few)], "-o", str(tmp_path / "out.tsv"))) == 2
    assert capsys.readouterr().err == (
        f"{files[1]}:2: the result 150-200 of document d is none of the chunks in {few}; give all chunks that can be "
        "retrieved, or leave out the chunks\n"
    )
    assert not (tmp_path / "out.tsv").exists()
    assert main(["diagnose", *files[:2]]) == 2
    assert "one of the arguments -k --budget is required" in capsys.readouterr().err
