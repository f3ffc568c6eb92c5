"""``partwise locate``: files of texts become files of spans; ambiguous and missing texts are reported by line."""

from __future__ import annotations

import csv
import doctest
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import partwise as pw
import partwise.adapters.strings
import partwise.location.ellipsis
import partwise.location.prefixes
import partwise.location.readings
from partwise.cli import main
from support.paths import ROOT

HANDBOOK = "Leave is granted on request.\nAsk your manager – or HR.\nAsk twice."
CHUNKS = [
    {"query_id": "q1", "doc_id": "handbook", "text": "Leave is granted", "rank": 1, "score": 0.9, "run_id": "a"},
    {"query_id": "q1", "doc_id": None, "text": "on request. Ask your", "rank": 2, "score": 0.8, "run_id": "a"},
    {"query_id": "q1", "doc_id": "handbook", "text": "manager - or HR", "rank": 3, "score": 0.7, "run_id": "a"},
    {"query_id": "q1", "doc_id": "handbook", "text": "Ask", "rank": 4, "score": 0.6, "run_id": "a"},
    {"query_id": "q2", "doc_id": None, "text": "nothing", "rank": 1, "score": 0.5, "run_id": "a"},
]
SPANS = [("handbook", 0, 16), ("handbook", 17, 37), ("handbook", 38, 53), ("handbook", 65, 68), ("unplaced-1", 0, 7)]
HOW = ["exact", "whitespace", "normalised", "ambiguous", "missing"]
PROBLEMS = [
    "chunks.jsonl:4: the text 'Ask' occurs 2 times in document handbook, first at 29; give its start and end",
    "chunks.jsonl:5: the text 'nothing' is not in the documents; give it as it is there, or its start and end",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (tmp_path / "texts" / "other.xml").write_text("<a><b>One</b>\n<b>two</b></a>")
    monkeypatch.chdir(tmp_path)
    written(CHUNKS)
    return tmp_path


def written(rows: list[dict[str, object]], name: str = "chunks.jsonl") -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


def test_chunks_become_spans(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "run.jsonl"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        *PROBLEMS, "5 texts: 1 exact, 1 whitespace, 1 normalised, 1 ambiguous, 1 missing",
    ]  # fmt: skip
    rows = read("run.jsonl")
    assert [(row["doc_id"], row["start"], row["end"]) for row in rows] == SPANS
    assert [row["how"] for row in rows] == HOW
    assert [row["score"] for row in rows] == [row["score"] for row in CHUNKS]
    gold = [{"query_id": "q1", "doc_id": "handbook", "start": 0, "end": 37}]
    assert pw.evaluate(gold, "run.jsonl", "TextR TextP").mean() == {"a": {"TextR": 36 / 37, "TextP": 36 / 54}}


def test_all_found_is_zero(capsys: pytest.CaptureFixture[str]) -> None:
    written(CHUNKS[:3])
    assert main(["locate", "chunks.jsonl", "--corpus", "texts"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "3 texts: 1 exact, 1 whitespace, 1 normalised\n"
    assert captured.out.splitlines() == [
        "query_id\tdoc_id\trank\tscore\trun_id\tstart\tend\thow",
        "q1\thandbook\t1\t0.9\ta\t0\t16\texact",
        "q1\thandbook\t2\t0.8\ta\t17\t37\twhitespace",
        "q1\thandbook\t3\t0.7\ta\t38\t53\tnormalised",
    ]


def test_elements_are_counted_in_the_text_of_the_collection() -> None:
    written([{"query_id": "q1", "doc_id": "other", "text": "One two"}])
    assert main(["index", "texts", "-o", "texts.parquet"]) == 0
    for corpus in ("texts", "texts.parquet"):
        assert main(["locate", "chunks.jsonl", "--corpus", corpus, "-o", "run.jsonl"]) == 0
        assert read("run.jsonl") == [{"query_id": "q1", "doc_id": "other", "start": 0, "end": 7, "how": "whitespace"}]


def test_every_columnar_format_in_and_out() -> None:
    names = list(CHUNKS[0])
    with open("chunks.csv", "w", newline="") as file:
        csv.writer(file).writerows([names, *([row[name] for name in names] for row in CHUNKS)])
    pq.write_table(pa.Table.from_pylist(CHUNKS), "chunks.parquet")
    for chunks in ("chunks.csv", "chunks.parquet", "chunks.jsonl"):
        for suffix in ("csv", "tsv", "jsonl", "parquet"):
            assert main(["locate", chunks, "--corpus", "texts", "-o", f"run.{suffix}"]) == 1
            [run] = pw.read_runs(f"run.{suffix}")
            assert list(zip(run.doc.values(), run.start.tolist(), run.end.tolist(), strict=True)) == SPANS
            assert run.rank is not None
            assert run.rank.tolist() == [1, 2, 3, 4, 1]


def test_ambiguous_and_missing_texts(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["locate", "chunks.jsonl", "--corpus", "texts", "-o", "run.jsonl"]
    assert main([*command, "--ambiguous", "first", "--missing", "skip"]) == 1
    assert [row["start"] for row in read("run.jsonl")] == [0, 17, 38, 29]
    assert [row["how"] for row in read("run.jsonl")] == [*HOW[:3], "first"]
    notes = [
        "a: 1 of 5 chunks occurs in several places (first: query q1, rank 4, document handbook); located at the first",
        "a: 1 of 5 chunks is not in the documents (first: line 5); left out",
    ]
    gold = [{"query_id": "q1", "doc_id": "handbook", "start": 0, "end": 37}]
    for suffix in ("jsonl", "csv", "tsv", "parquet"):
        assert main([*command[:-1], f"run.{suffix}", "--ambiguous", "first", "--missing", "skip"]) == 1
        assert list(pw.evaluate(gold, f"run.{suffix}", "TextR").notes)[:2] == notes
    Path("run.jsonl").unlink()
    capsys.readouterr()
    for options in (["--ambiguous", "error"], ["--gold"]):
        assert main([*command, *options]) == 2
        assert capsys.readouterr().err == PROBLEMS[0] + ", or choose with --ambiguous how to treat such texts\n"
    assert main([*command, "--gold", "--ambiguous", "skip"]) == 2
    assert capsys.readouterr().err == PROBLEMS[1] + ", or choose with --missing how to treat such texts\n"
    assert not Path("run.jsonl").exists()


def test_gold_keeps_its_columns() -> None:
    written([
        {"query_id": "q1", "doc_id": "handbook", "text": "granted on  request", "assessor": "ann", "length": 65},
        {"query_id": "q1", "doc_id": "handbook", "start": 3, "end": 5, "assessor": "ann"},
    ])  # fmt: skip
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "--gold", "-o", "gold.jsonl"]) == 0
    gold = pw.read_assessments("gold.jsonl")
    assert list(zip(gold.spans.start.tolist(), gold.spans.end.tolist(), strict=True)) == [(9, 27), (3, 5)]
    assert (list(gold.assessors), gold.documents.length.tolist()) == (["ann"], [65])


def test_rows_with_both_a_text_and_offsets(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"query_id": "q1", "doc_id": "handbook", "start": 9, "end": 16, "text": "granted"}
    written([row])
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "run.jsonl"]) == 0
    assert [row["how"] for row in read("run.jsonl")] == ["exact"]
    written([{name: cell for name, cell in row.items() if name != "text"}, {"query_id": "q1", "text": "on request"}])
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "run.jsonl"]) == 0
    assert [row["how"] for row in read("run.jsonl")] == ["given", "exact"]
    written([row, {**row, "start": 8, "end": 15}])
    capsys.readouterr()
    assert main(["locate", "chunks.jsonl", "--corpus", "texts"]) == 2
    assert capsys.readouterr().err == (
        "chunks.jsonl:2: the text 'granted' is not at 8 to 15 of document handbook, where ' grante' is; its only place "
        "there is 9 to 16\n"
    )


def test_what_was_left_out_is_kept_run_by_run() -> None:
    written([{"query_id": "q1", "text": text, "run_id": run} for run in "ab" for text in ("Leave", "no " + run)][:-1])
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "run.jsonl", "--missing", "skip"]) == 1
    first, second = pw.read_runs("run.jsonl")
    assert list(first.notes) == ["1 of 2 chunks is not in the documents (first: line 2); left out"]
    assert list(second.notes) == []


def test_only_the_first_examples_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    written([{"query_id": "q1", "text": f"nothing {number}"} for number in range(8)])
    assert main(["locate", "chunks.jsonl", "--corpus", "texts"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[4].startswith("chunks.jsonl:5: the text 'nothing 4' is not in the documents")
    assert lines[5:] == ["... and 3 more", "8 texts: 8 missing"]


@pytest.mark.parametrize(
    ("content", "options", "line"),
    [
        ('{"query_id": "q1", "doc_id": "gone", "text": "x"}', [],
         "chunks.jsonl:1: document 'gone' is not among the documents; the first is 'handbook'"),
        ('{"query_id": "q1", "doc_id": "handbook"}', [],
         "chunks.jsonl: has no column 'text' (it has 'query_id', 'doc_id'); chunks need it"),
        ('{"query_id": "q1", "text": "Leave"}\n{"query_id": "q1"}', [],
         "chunks.jsonl:2: has no text; give every row its text, or start and end"),
        ('{"query_id": "q1", "text": 3}', [],
         "chunks.jsonl:1: the text is '3'; give every row its text, or start and end"),
        ('{"text": "x"}', [], "chunks.jsonl:1: has no query_id; give every row its query_id"),
        ('{"text": "x"', [], "chunks.jsonl:1: is not JSON (Expecting ',' delimiter); write one JSON object per line"),
        ("q1 Q0 d 1 1 x", [], "chunks.jsonl:1: is not JSON (Expecting value); write one JSON object per line"),
        ('{"query_id": "q1", "text": "x"}', ["-o", "run.run"],
         "run.run: cannot be written as text; use one of csv, tsv, jsonl, parquet"),
        ('{"query_id": "q1", "text": "x"}', ["--ambiguous", "all"],
         "partwise locate: argument --ambiguous: 'all' is not one of keep, first, skip, error; "
         "see partwise locate --help"),
    ],
)  # fmt: skip
def test_errors(content: str, options: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("chunks.jsonl").write_text(content + "\n")
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", *options]) == 2
    assert capsys.readouterr().err == line + "\n"


def test_a_corpus_without_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "texts", "--no-texts", "-o", "bare.parquet"]) == 0
    capsys.readouterr()
    assert main(["locate", "chunks.jsonl", "--corpus", "bare.parquet"]) == 2
    assert capsys.readouterr().err == (
        "bare.parquet: the text of document handbook is not stored; index the collection with texts\n"
    )
    assert main(["locate", "chunks.jsonl", "--corpus", "gone"]) == 2
    assert capsys.readouterr().err == (
        "gone: no such file or folder; give a path that exists\n"
    )  # fmt: skip


def test_text_files_are_not_chunks(capsys: pytest.CaptureFixture[str]) -> None:
    Path("chunks.run").write_text("q1 Q0 d 1 1 x\n")
    assert main(["locate", "chunks.run", "--corpus", "texts"]) == 2
    assert capsys.readouterr().err == "chunks.run: has no named columns; save it as CSV, TSV, JSON Lines or Parquet\n"


def test_docstrings() -> None:
    for module in (
        partwise.location.ellipsis,
        partwise.location.prefixes,
        partwise.location.readings,
        partwise.adapters.strings,
    ):
        results = doctest.testmod(module)
        assert results.attempted > 0
        assert results.failed == 0


# ---- looser readings --------------------------------------------------------------------------------------------

LOOSE = [
    {"query_id": "q1", "rank": 1, "doc_id": "handbook", "text": "LEAVE IS GRANTED"},
    {"query_id": "q1", "rank": 2, "doc_id": "handbook", "text": "**Leave** is"},
    {"query_id": "q1", "rank": 3, "doc_id": "handbook", "text": "Leave is ... your manager"},
    {"query_id": "q1", "rank": 4, "doc_id": "handbook", "text": "Leave is always granted on request. Ask your manager"},
    {"query_id": "q1", "rank": 5, "doc_id": "handbook", "text": "Nothing like this is in the handbook"},
]


def test_each_reading_is_recorded_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    written(LOOSE)
    command = ["locate", "chunks.jsonl", "--corpus", "texts", "--match", "fuzzy", "--min-score", "0.85"]
    assert main([*command, "-o", "run.jsonl"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "5 texts: 1 casefolded, 1 markup, 1 ellipsis, 1 fuzzy, 1 missing"
    )
    rows = read("run.jsonl")
    assert [row["how"] for row in rows] == ["casefolded", "markup", "ellipsis", "fuzzy", "missing"]
    assert [(row["start"], row["end"]) for row in rows[:4]] == [(0, 16), (0, 8), (0, 45), (0, 45)]
    assert [row.get("how_score") is not None for row in rows] == [False, False, False, True, False]
    assert rows[3]["how_score"] == pytest.approx(2 * 38 / (38 + 44))
    notes = [
        "run: 1 of 5 chunks is only similar to its place (first: query q1, rank 4, document handbook); the column "
        "how_score has the similarity",
        "run: 1 of 5 chunks is not in the documents (first: query q1, rank 5, document handbook); counted as "
        "irrelevant text",
    ]
    gold = [{"query_id": "q1", "doc_id": "handbook", "start": 0, "end": 37}]
    for suffix in ("jsonl", "csv", "tsv", "parquet"):
        assert main([*command, "-o", f"run.{suffix}"]) == 1
        assert list(pw.evaluate(gold, f"run.{suffix}", "TextR").notes)[:2] == notes
        [run] = pw.read_runs(f"run.{suffix}")
        assert run.placing is not None
        assert run.placing.scores is not None
        assert run.placing.take([3]).scores == pytest.approx([rows[3]["how_score"]])
        pw.write_run(run, "again.jsonl")
        assert [row.get("how_score") for row in read("again.jsonl")] == [None, None, None, rows[3]["how_score"], None]
    assert pw.locate_rows("chunks.jsonl", "texts", match="fuzzy", min_score=0.85) == rows


def test_a_looser_reading_must_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    written(LOOSE)
    for match, missing in (("normalised", 5), ("casefolded", 4), ("markup", 3), ("ellipsis", 2)):
        assert main(["locate", "chunks.jsonl", "--corpus", "texts", "--match", match]) == 1
        assert capsys.readouterr().err.splitlines()[-1].endswith(f"{missing} missing")


def test_prefixes_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    sentences = ("Leave is granted", "on request.", "Ask your manager", "Ask twice.")
    written([{"query_id": "q1", "doc_id": "handbook", "text": f"[Document: handbook] {text}"} for text in sentences])
    command = ["locate", "chunks.jsonl", "--corpus", "texts"]
    assert main(command) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[-2:] == [
        "note: 4 of 4 texts of document handbook begin with '[Document: {doc_id}]', and 4 would be found without it; "
        "pass --strip-prefix '[Document: {doc_id}]' (strip_prefix= or, to an adapter, text= in Python)",
        "4 texts: 4 missing",
    ]
    assert main([*command, "--strip-prefix", "[Document: {doc_id}]"]) == 0
    assert capsys.readouterr().err == "4 texts: 4 exact\n"


def test_files_with_the_former_name_of_the_column_are_read() -> None:
    row = {"query_id": "q1", "doc_id": "handbook", "rank": 1, "start": 70, "end": 80, "located": "missing"}
    written([row], "run.jsonl")
    [run] = pw.read_runs("run.jsonl")
    assert run.placing is not None
    assert run.placing.outcomes == ["missing"]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--match", "any"], "partwise locate: argument --match: 'any' is not one of exact, whitespace, normalised, "
         "casefolded, markup, ellipsis, fuzzy; see partwise locate --help"),
        (["--match", "fuzzy", "--min-score", "2"], "the min_score is '2.0'; it must be a number from 0.5 to 1"),
        (["--min-score", "0.9"],
         "min_score is of no use with the match normalised, which has no scores; leave it out, or choose fuzzy"),
    ],
)  # fmt: skip
def test_bad_options(options: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", *options]) == 2
    assert capsys.readouterr().err == line + "\n"


def test_a_score_that_is_not_understood() -> None:
    written([{"query_id": "q1", "doc_id": "d", "rank": 1, "start": 0, "end": 3, "how": "fuzzy", "how_score": 7}])
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_runs("chunks.jsonl")
    assert str(error.value) == "chunks.jsonl:1: the how_score is '7'; it must be a number from 0 to 1"


# ---- docs/rag.md ------------------------------------------------------------------------------------------------


def test_python_of_the_page() -> None:
    results = doctest.testfile(str(ROOT / "docs" / "rag.md"), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


BAD_CELLS = {
    "rank": ("x", "the rank is 'x'; it must be a whole number from 0 to 1099511627776"),
    "score": (True, "the score is 'True'; it must be a number"),
    "query_id": ([1], "the query_id is '[1]'; it must be a string or a whole number"),
    "grade": ("good", "the grade is 'good'; it must be a whole number from -1000000 to 1000000"),
    "path": ("a", "the path is 'a'; it must be a path that begins with /"),
    "spans": ("x", "the spans is 'x'; it must be a list of [start, end]"),
    "scale": ({}, "the scale is '{}'; it must be one of four-point, inex2005, unit"),
    "start": (5, "has start but no end; give both or neither"),
}


@pytest.mark.parametrize("name", BAD_CELLS)
@pytest.mark.parametrize("target", ["out.jsonl", "out.csv", "out.parquet"])
def test_cells_that_would_not_be_read(name: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns are checked before they are passed on: what is written can be scored."""
    cell, message = BAD_CELLS[name]
    good = {"query_id": "q", "text": "Leave is granted"}
    Path("chunks.jsonl").write_text(json.dumps(good) + "\n" + json.dumps({**good, name: cell}) + "\n")
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", target]) == 2
    assert capsys.readouterr().err == f"chunks.jsonl:2: {message}\n"
    assert not Path(target).exists()


def test_cells_of_several_types() -> None:
    """Numbers and texts of the same meaning get one type, as columns of Parquet need it."""
    rows = [
        {"query_id": 1, "text": "Leave is granted", "rank": "1", "score": 10**30, "run_id": 7},
        {"query_id": "1", "text": "on request", "rank": 2, "score": "0.5", "run_id": "7"},
    ]
    Path("chunks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "out.parquet"]) == 0
    [run] = pw.read_runs("out.parquet")
    assert run.run_id == "7"
    assert [(run.query[row], run.rank[row], run.score[row]) for row in (0, 1)] == [("1", 1, 1e30), ("1", 2, 0.5)]


def test_ids_that_a_format_would_change(capsys: pytest.CaptureFixture[str]) -> None:
    Path("chunks.jsonl").write_text(json.dumps({"query_id": " q", "text": "Leave is granted"}) + "\n")
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "out.csv"]) == 2
    assert capsys.readouterr().err == (
        "out.csv: the name ' q' would not be read back from CSV unchanged; "
        "write .jsonl or .parquet, which hold every part\n"
    )
    assert main(["locate", "chunks.jsonl", "--corpus", "texts", "-o", "out.jsonl"]) == 0
