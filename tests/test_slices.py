"""Scores by slice: of queries, of the gold and of relevant documents; from Python and from the command line."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise import slices
from partwise.cli import main
from partwise.types import SliceRow

MEASURES = ["TextP@5", "TextR@5", "TextF@5", "PartR@5", "PartnDCG@5", "NuggetR@5", "AllFound@5", "nDCG@5", "P@5", "AP"]
GOLD = [
    {"query_id": "q1", "doc_id": "a/d1", "start": 0, "end": 10, "grade": 2, "nugget": "name"},
    {"query_id": "q1", "doc_id": "b/d2", "start": 0, "end": 10, "grade": 1},
    {"query_id": "q2", "doc_id": "a/d1", "start": 20, "end": 40, "grade": 1, "nugget": "name"},
    {"query_id": "q3", "doc_id": "b/d2", "start": 5, "end": 10, "grade": 1, "nugget": "date"},
]
RUN = {"q1": [("a/d1", 0, 10)], "q2": [("a/d1", 30, 40)]}
QUERIES = [
    {"query_id": "q1", "corpus": "wiki", "hops": 1, "kinds": ["who", "when"]},
    {"query_id": "q2", "corpus": "wiki", "hops": 2, "kinds": ["who"]},
    {"query_id": "q3", "corpus": None, "hops": 3, "kinds": []},
]


TOPICS = ["--queries", "topics.jsonl"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    results = [
        {"query_id": query, "doc_id": doc, "start": start, "end": end, "rank": rank}
        for query, parts in RUN.items()
        for rank, (doc, start, end) in enumerate(parts, 1)
    ]
    for name, rows in {"gold": GOLD, "run": results, "topics": QUERIES}.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def means(sliced: pw.Slices, measure: str) -> dict[str, float]:
    return {name: scores.mean()["run"][measure] for name, scores in sliced.items()}


def test_by_a_column_of_the_queries() -> None:
    scores = pw.evaluate(GOLD, RUN, ["TextR@5", "P@5"], queries=QUERIES)
    by_corpus = scores.by("corpus")
    assert list(by_corpus) == ["wiki"]
    assert by_corpus["wiki"].mean() == {"run": {"TextR@5": 0.5, "P@5": 0.2}}
    assert by_corpus["wiki"].judged == 2
    assert by_corpus.notes == ["1 query has no value for corpus and is in no slice: q3"]
    assert means(scores.by("hops"), "TextR@5") == {"1": 0.5, "2": 0.5, "3": 0.0}
    assert scores.slices is None
    in_bins = pw.evaluate(GOLD, RUN, "TextR@5", queries=QUERIES, by="hops", bins=2)
    assert list(in_bins.by("hops", bins=2)) == ["1 to 2", "3"]
    assert list(in_bins.by("hops")) == ["1", "2", "3"]
    again = pw.evaluate(GOLD, RUN, ["TextR@5", "P@5"], queries=QUERIES, by="corpus").slices
    assert again is not None
    assert list(again.rows(mean=True)) == list(by_corpus.rows(mean=True))


def test_by_a_column_with_lists() -> None:
    by_kind = pw.evaluate(GOLD, RUN, "TextR@5", queries=QUERIES).by("kinds")
    assert {name: list(scores.per_query()["run"]["TextR@5"]) for name, scores in by_kind.items()} == {
        "when": ["q1"],
        "who": ["q1", "q2"],
    }
    assert by_kind.notes == [
        "1 query has no value for kinds and is in no slice: q3",
        "1 query has several values for kinds and counts in each of these slices",
    ]


def test_by_a_mapping() -> None:
    scores = pw.evaluate(GOLD, RUN, "TextR@5")
    assert means(scores.by({"q1": "a", "q2": "b", "q3": "b"}), "TextR@5") == {"a": 0.5, "b": 0.25}


def test_by_the_grade_and_the_nugget_of_the_gold() -> None:
    by_grade = pw.evaluate(GOLD, RUN, ["TextR@5", "TextP@5", "P@1"], by="grade").slices
    assert by_grade is not None
    assert {name: scores.per_query()["run"] for name, scores in by_grade.items()} == {
        "1": {
            "TextR@5": {"q1": 0.0, "q2": 0.5, "q3": 0.0},
            "TextP@5": {"q1": 0.0, "q2": 1.0, "q3": 0.0},
            "P@1": {"q1": 0.0, "q2": 1.0, "q3": 0.0},
        },
        "2": {"TextR@5": {"q1": 1.0}, "TextP@5": {"q1": 1.0}, "P@1": {"q1": 1.0}},
    }
    scores = pw.evaluate(GOLD, RUN, "TextR@5", by="nugget")
    by_nugget = scores.by("nugget")
    assert by_nugget is scores.slices
    assert means(by_nugget, "TextR@5") == {"date": 0.0, "name": 0.75}
    assert by_nugget.notes == ["1 gold row has no nugget and is in no slice"]


def test_by_relevant_documents() -> None:
    by_folder = pw.evaluate(GOLD, RUN, "TextR@5", by="doc:^([^/]+)/").slices
    assert by_folder is not None
    assert means(by_folder, "TextR@5") == {"a": 0.5, "b": 0.25}
    by_doc = pw.evaluate(GOLD, RUN, "TextR@5", by="doc:d2").slices
    assert by_doc is not None
    assert means(by_doc, "TextR@5") == {"d2": 0.25}
    assert by_doc.notes == ["1 query has no value for doc:d2 and is in no slice: q2"]


def test_a_slice_without_results_scores_0() -> None:
    by_nugget = pw.evaluate(GOLD, RUN, ["TextR@5", "P@5"], by="nugget").slices
    assert by_nugget is not None
    assert by_nugget["date"].mean() == {"run": {"TextR@5": 0.0, "P@5": 0.0}}


def test_documents_elements_and_trees_are_gold() -> None:
    by_grade = pw.evaluate({"q": {"d1": 1, "d2": 2, "d3": 0}}, {"q": {"d2": 2.0, "d1": 1.0}}, "P@1", by="grade").slices
    assert by_grade is not None
    assert means(by_grade, "P@1") == {"1": 0.0, "2": 1.0}
    elements = [
        {"query_id": "q", "doc_id": "d", "path": "/a[1]/p[1]", "exhaustivity": 1, "specificity": 1, "scale": "unit"},
        {"query_id": "q", "doc_id": "d", "path": "/a[1]/p[2]", "exhaustivity": 1, "specificity": 1, "scale": "unit"},
    ]
    for row, nugget in zip(elements, "xy", strict=True):
        row["nugget"] = nugget
    run = [{"query_id": "q", "doc_id": "d", "path": "/a[1]/p[2]", "rank": 1}]
    collection = pw.Collection.open({"d": "<a><p>one</p><p>two</p></a>"})
    by_nugget = pw.evaluate(elements, run, ["nxCG@1", "ESRR@1"], collection=collection, by="nugget").slices
    assert by_nugget is not None
    assert means(by_nugget, "nxCG(quant=spe)@1") == {"x": 0.0, "y": 1.0}
    trees = [
        {"query_id": "q", "doc_id": "d", "paths": ["/a[1]/p[1]"], "grade": 1},
        {"query_id": "q", "doc_id": "d", "paths": ["/a[1]/p[2]"], "grade": 2},
    ]
    of_trees = pw.evaluate(trees, run, ["PartR@1", "P@1"], collection=collection, by="grade").slices
    assert of_trees is not None
    assert means(of_trees, "PartR@1") == {"1": 0.0, "2": 1.0}


@st.composite
def gold_and_run(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, list[tuple[str, int, int]]]]:
    spans = st.sampled_from([(0, 10), (5, 15), (20, 30), (40, 44)])
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for query in ("q1", "q2", "q3"):
        for _ in range(draw(st.integers(1, 4))):
            doc, (start, end) = draw(st.sampled_from("de")), draw(spans)
            row = {
                "query_id": query,
                "doc_id": doc,
                "start": start,
                "end": end,
                "assessor": draw(st.sampled_from("ab")),
            }
            row["grade"] = draw(st.sampled_from([None, 0, 1, 2, 3]))
            row["nugget"] = draw(st.sampled_from([None, "m", "n"]))
            rows[query, doc, start, row["assessor"]] = {name: cell for name, cell in row.items() if cell is not None}
    run = {
        query: [(doc, *span) for doc, span in draw(st.lists(st.tuples(st.sampled_from("def"), spans), max_size=4))]
        for query in ("q1", "q2")
    }
    return list(rows.values()), run


@given(gold_and_run(), st.sampled_from(["grade", "nugget"]))
def test_slices_of_the_gold_are_scores_with_the_rest_judged_not_relevant(
    world: tuple[list[dict[str, Any]], dict[str, list[tuple[str, int, int]]]], column: str
) -> None:
    """The slow way: rows of the gold that are not in the slice get grade 0, and queries without gold are left out."""
    rows, run = world
    run = {query: results for query, results in run.items() if results} or {"q1": [("d", 0, 10)]}
    first: dict[str, str] = {}
    for row in rows:
        first.setdefault(row["query_id"], row["assessor"])

    def value(row: dict[str, Any]) -> Any:
        is_gold = row.get("grade", 1) > 0 and row["assessor"] == first[row["query_id"]]
        return (row.get("grade", 1) if column == "grade" else row.get("nugget")) if is_gold else None

    values = sorted({value(row) for row in rows} - {None})
    if not values:
        with pytest.raises(pw.PartwiseError, match="no query that is scored has a value"):
            pw.evaluate(rows, run, ["P@5", "AP"], by=column)
        return
    sliced = pw.evaluate(rows, run, MEASURES, by=column).slices
    assert sliced is not None
    assert list(sliced) == [str(of_slice) for of_slice in values]
    for of_slice in values:
        changed = [row if value(row) == of_slice else {**row, "grade": 0} for row in rows]
        queries = {row["query_id"] for row in rows if value(row) == of_slice}
        expected = pw.evaluate(changed, run, MEASURES).per_query()["run"]
        found = sliced[str(of_slice)].per_query()["run"]
        for measure in found:
            of_queries = {query: score for query, score in expected[measure].items() if query in queries}
            assert found[measure] == pytest.approx(of_queries, abs=1e-12)


def test_sums_stay_sums() -> None:
    scores = pw.evaluate(GOLD, RUN, "NumRet")
    assert means(scores.by({"q1": "a", "q2": "a", "q3": "b"}), "NumRet") == {"a": 2.0, "b": 0.0}


# ---- groups -------------------------------------------------------------------------------------------------------


def test_by_of_another_type() -> None:
    gold, run = {"q": [("d", 0, 5)]}, {"q": [("d", 0, 5)]}
    scores = pw.evaluate(gold, run, "TextR")
    column, mapping = "column; scores.by takes mappings, too", "column, or a mapping of query ids to values"
    for call, type_of, rest in (
        (lambda: pw.evaluate(gold, run, "TextR", by={"q": 1}), "dict", column),
        (lambda: pw.evaluate(gold, run, "TextR", by=5), "int", column),
        (lambda: scores.by(5), "int", mapping),
        (lambda: scores.by(None), "NoneType", mapping),
    ):
        with pytest.raises(pw.PartwiseError) as error:
            call()
        assert str(error.value) == f"by is of type {type_of}; give the name of a {rest}"


def names_of(*cells: object, bins: int | None = None) -> list[str]:
    values = {f"q{i}": cell for i, cell in enumerate(cells)}
    return list(slices.grouped("x", values, values, bins).queries)


def test_names_that_look_like_numbers_stay_apart() -> None:
    assert names_of("007", "7", "07") == ["007", "07", "7"]
    ids = [str(1234567890123456700 + i) for i in range(6)]
    assert names_of(*ids) == names_of(*map(int, ids)) == ids
    assert names_of("1e3", "1000", "0.50", 0.5) == ["0.5", "1000"]  # numbers, written in two ways
    assert names_of(10**400, 1) == ["1", str(10**400)]


def test_nan_among_numbers_is_missing_and_among_names_a_name() -> None:
    groups = slices.grouped("x", {"a": "1", "b": "NaN", "c": "2", "d": "nan"}, "abcd", bins=2)
    assert (list(groups.queries), groups.without) == (["1", "2"], ["b", "d"])
    assert names_of("NaN", "x") == ["NaN", "x"]
    assert names_of("NaN") == ["NaN"]
    assert names_of(1, 2, "inf", bins=2) == ["1 to 2", "inf"]


def test_few_numbers_are_slices_and_many_are_bins() -> None:
    few = slices.grouped("hops", {f"q{i}": i % 10 for i in range(40)}, [f"q{i}" for i in range(40)])
    assert list(few.queries) == [str(i) for i in range(10)]
    many = slices.grouped("length", {f"q{i}": i / 2 for i in range(40)}, [f"q{i}" for i in range(40)])
    assert {name: len(queries) for name, queries in many.queries.items()} == {
        "0 to 4.5": 10,
        "5 to 9.5": 10,
        "10 to 14.5": 10,
        "15 to 19.5": 10,
    }
    texts = slices.grouped("length", {f"q{i}": str(i) for i in range(40)}, [f"q{i}" for i in range(40)], bins=2)
    assert list(texts.queries) == ["0 to 19", "20 to 39"]
    mixed = slices.grouped("x", {"a": 1, "b": "one", "c": True, "d": math.nan, "e": ""}, "abcde")
    assert mixed.queries == {"1": ["a"], "one": ["b"], "true": ["c"]}
    assert mixed.without == ["d", "e"]


@given(st.lists(st.integers(-5, 30), min_size=1, max_size=60), st.integers(1, 6))
def test_bins_keep_equal_numbers_together_and_cover_all(numbers: list[int], bins: int) -> None:
    values = {str(i): number for i, number in enumerate(numbers)}
    groups = slices.grouped("x", values, values, bins)
    assert sorted(query for queries in groups.queries.values() for query in queries) == sorted(values)
    assert len(groups.queries) <= bins
    ranges = []
    for name, queries in groups.queries.items():
        inside = [values[query] for query in queries]
        low, high = min(inside), max(inside)
        assert name == (str(low) if low == high else f"{low} to {high}")
        ranges.append((low, high))
    assert all(first[1] < second[0] for first, second in pairwise(ranges))
    if len(set(numbers)) > bins:
        largest_tie = max(numbers.count(number) for number in numbers)
        assert max(map(len, groups.queries.values())) <= math.ceil(len(numbers) / bins) + largest_tie


# ---- the command --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_the_command_writes_slices(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["evaluate", "gold.jsonl", "run.jsonl", "-m", "TextR@5 P@5", "--queries", "topics.jsonl", "--by", "corpus"]
    assert main([*ask, "-f", "table"]) == 0
    printed = capsys.readouterr()
    assert printed.out.split("\n") == [
        "                        TextR@5         P@5",
        "slice   queries   run      text   documents",
        "───────────────────────────────────────────",
        "wiki    2         run    0.5000      0.2000",
        "all     3         run    0.3333      0.1333",
        "3 of 3 queries scored",
        "",
    ]
    assert "note: 1 query has no value for corpus and is in no slice: q3\n" in printed.err
    assert main(ask) == 0
    assert capsys.readouterr().out.split("\n") == [
        "slice\tqueries\trun_id\tmeasure\tquery_id\tvalue",
        "wiki\t2\trun\tTextR@5\tall\t0.5",
        "wiki\t2\trun\tP@5\tall\t0.2",
        "all\t3\trun\tTextR@5\tall\t0.3333333333333333",
        "all\t3\trun\tP@5\tall\t0.13333333333333333",
        "",
    ]
    assert main([*ask, "-f", "latex", "--places", "2"]) == 0
    assert r"wiki & 2 & run & 0.50 & 0.20 \\" in capsys.readouterr().out


@pytest.mark.usefixtures("files")
def test_the_command_and_python_write_the_same(tmp_path: Path) -> None:
    ask = ["evaluate", "gold.jsonl", "run.jsonl", "-m", "TextR@5", "--by", "grade", "-q"]
    sliced = pw.evaluate("gold.jsonl", "run.jsonl", "TextR@5", by="grade").slices
    assert sliced is not None
    for suffix in ("tsv", "csv", "jsonl", "parquet"):
        assert main([*ask, "-o", f"a.{suffix}"]) == 0
        pw.write_scores(sliced, f"b.{suffix}")
        if suffix != "parquet":
            assert Path(f"a.{suffix}").read_bytes() == Path(f"b.{suffix}").read_bytes()
    import pyarrow.parquet as pq

    rows = pq.read_table("a.parquet").to_pylist()
    assert rows == [row._asdict() for row in sliced.rows(mean=True)]
    assert tuple(rows[0]) == SliceRow._fields == ("slice", "queries", "run_id", "measure", "query_id", "value")
    assert sliced.to_pandas(mean=True).to_dict("records") == rows
    assert sliced.to_polars(mean=True).to_dicts() == rows


@pytest.mark.usefixtures("files")
def test_saved_scores_are_sliced_too() -> None:
    assert main(["evaluate", "gold.jsonl", "run.jsonl", "-m", "TextR@5 NumRet", "-q", "-o", "scores.tsv"]) == 0
    scores = pw.read_scores("scores.tsv", queries="topics.jsonl")
    assert scores.by("corpus")["wiki"].mean() == {"run": {"TextR@5": 0.5, "NumRet": 2.0}}


XML = """<topics>
<topic id="q1" kind="CO"><title>a</title><corpus>wiki</corpus></topic>
<topic id="q2"><title>b</title></topic>
</topics>"""


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "query_id,title,corpus\nq1,a,wiki\nq2,b,\n"),
        ("t.tsv", "qid\tcorpus\nq1\twiki\nq2\t\n"),
        ("t.jsonl", '{"query_id": "q1", "corpus": "wiki"}\n{"query_id": "q2"}\n'),
        ("t.xml", XML),
    ],
)
def test_columns_of_every_format_of_queries(name: str, text: str) -> None:
    Path(name).write_text(text)
    scores = pw.evaluate(GOLD, RUN, "TextR@5", queries=name)
    assert means(scores.by("corpus"), "TextR@5") == {"wiki": 0.5}
    if name == "t.xml":
        assert means(scores.by("kind"), "TextR@5") == {"CO": 0.5}


def test_columns_of_data_frames() -> None:
    import pandas as pd
    import polars as pl

    for frame in (pd.DataFrame(QUERIES[:2]), pl.DataFrame(QUERIES[:2]), pl.DataFrame(QUERIES[:2]).to_arrow()):
        scores = pw.evaluate(GOLD, RUN, "TextR@5", queries=frame)
        assert means(scores.by("hops"), "TextR@5") == {"1": 0.5, "2": 0.5}
        assert list(scores.by("kinds")) == ["when", "who"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--by", "corpsu", "--queries", "topics.jsonl"],
            "the queries have no column 'corpsu'; did you mean 'corpus'?",
        ),
        (
            ["--by", "zzz", *TOPICS],
            "the queries have no column 'zzz'; they have corpus, hops, kinds",
        ),
        (
            ["--by", "corpus"],
            "there is no column 'corpus' to slice by, because no queries are given; give their file (--queries FILE)",
        ),
        (["--by", "gold:x"], "the gold cannot be sliced by 'x'; slice it by one of grade, nugget"),
        (["--by", "doc:("], "the pattern '(' is not a regular expression "),
        (
            ["--by", "doc:zzz"],
            "no query that is scored has a value for 'doc:zzz'; do the files use the same ",
        ),
        (["--by", "grade", "--bins", "2"], "the gold is not put into bins; leave out bins, or slice by a column of "),
        (["--queries", "topics.jsonl"], "--queries needs --by; choose one of their columns with --by COLUMN"),
        (["--bins", "3"], "--bins needs --by; choose a column with --by COLUMN"),
        (["--by", "grade", "--bins", "0"], "partwise evaluate: argument --bins: '0' is not a whole number from 1"),
        (["--by", "grade", "-f", "trec"], "slices cannot be written as trec; write parquet, tsv or another format"),
        (
            ["--by", "grade", "--queries", "twice.csv"],
            "grade is a column of the queries and of the gold; write ",
        ),
        (
            ["--by", "x", "--queries", "twice.csv"],
            "twice.csv:3: query 'q1' has two values for x: '1' and '2'; give ",
        ),
        (["--by", "x", "--queries", "all.csv"], "a slice by 'x' would be called all, like the scores of all queries; "),
    ],
)
def test_errors(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("twice.csv").write_text("query_id,grade,x\nq1,1,1\nq1,1,2\n")
    Path("all.csv").write_text("query_id,x\nq1,all\n")
    if "grade" in words and "twice.csv" in words:
        Path("twice.csv").write_text("query_id,grade\nq1,1\n")
    assert main(["evaluate", "gold.jsonl", "run.jsonl", "-m", "TextR@5", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(line)
    assert len(printed.err.splitlines()) == 1


@pytest.mark.usefixtures("files")
def test_a_column_of_both_needs_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.csv").write_text("query_id,grade\nq1,easy\nq2,hard\nq3,hard\n")
    for by, expected in (("query:grade", ["easy", "hard"]), ("gold:grade", ["1", "2"])):
        sliced = pw.evaluate("gold.jsonl", "run.jsonl", "TextR@5", queries="t.csv", by=by).slices
        assert sliced is not None
        assert list(sliced) == expected
    with pytest.raises(pw.PartwiseError, match="scores alone cannot be sliced by 'gold:grade'; evaluate with by="):
        pw.evaluate("gold.jsonl", "run.jsonl", "TextR@5").by("gold:grade")


@pytest.mark.usefixtures("files")
def test_scores_by_slice_cannot_be_read_as_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "gold.jsonl", "run.jsonl", "-m", "TextR@5", "--by", "grade", "-q", "-o", "s.tsv"]) == 0
    capsys.readouterr()
    assert main(["compare", "s.tsv"]) == 2
    line = "s.tsv: these are scores by slice (column slice); save scores without --by; slice those that are read\n"
    assert capsys.readouterr().err == line
