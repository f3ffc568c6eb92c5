"""Every format is read, detected by content and name, and written again."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from oracles.worlds import World, worlds
from partwise import formats, kernels
from partwise.files import split_suffixes
from partwise.formats.assessments import assessment_rows
from partwise.formats.runs import run_rows
from partwise.model import NONE, TO_END, Assessments, Run

FOL_RUN = "t1 Q0 d1 1 0.9 tag 10 5\nt1 Q0 d2 2 0.8 tag 0 7\nt2 Q0 d1 1 0.7 tag 3 0\n"
FOL_QRELS = "t1 Q0 d1 8 100 10 10:5 30:3\nt1 Q0 d2 0 50 -1\nt2 Q0 d1 4 100 3 20:0 3:4\n"


def rows_of(run: Run) -> list[dict[str, object]]:
    return run_rows(run)


def judged(assessments: Assessments) -> list[dict[str, object]]:
    return assessment_rows(assessments)


def read_text(tmp_path: Path, content: str | bytes, name: str = "a.run") -> Run:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    [run] = pw.read_runs(path)
    return run


def read_qrels(tmp_path: Path, content: str, name: str = "q.txt") -> Assessments:
    (tmp_path / name).write_text(content)
    return pw.read_assessments(tmp_path / name)


# ---- text columns -------------------------------------------------------------------------------------------


def test_inex_offsets(tmp_path: Path) -> None:
    run = read_text(tmp_path, FOL_RUN)
    assert rows_of(run) == [
        {"query_id": "t1", "doc_id": "d1", "rank": 1, "score": 0.9, "run_id": "a", "start": 10, "end": 15},
        {"query_id": "t1", "doc_id": "d2", "rank": 2, "score": 0.8, "run_id": "a", "start": 0, "end": 7},
        {"query_id": "t2", "doc_id": "d1", "rank": 1, "score": 0.7, "run_id": "a", "start": 3, "end": 3},
    ]


@pytest.mark.parametrize(
    "content",
    [
        FOL_RUN.replace(" ", "\t"),
        FOL_RUN.replace(" ", "  \t "),
        FOL_RUN.replace("\n", "\r\n"),
        "\n\n" + FOL_RUN.replace("\n", "\n\n"),
        FOL_RUN.rstrip("\n"),
        "\ufeff" + FOL_RUN,
        "  " + FOL_RUN.replace("\n", " \n  "),
    ],
    ids=["tabs", "many blanks", "CRLF", "blank lines", "no last newline", "BOM", "indented"],
)
@pytest.mark.parametrize("name", ["a.run", "a.txt", "a.tsv", "a"])
def test_blanks_and_names_do_not_matter(tmp_path: Path, content: str, name: str) -> None:
    assert rows_of(read_text(tmp_path, content, name)) == rows_of(read_text(tmp_path, FOL_RUN))


def test_trec_run(tmp_path: Path) -> None:
    run = read_text(tmp_path, "t1 Q0 d1 1 0.9 tag\n")
    assert rows_of(run) == [{"query_id": "t1", "doc_id": "d1", "rank": 1, "score": 0.9, "run_id": "a"}]
    assert run.trec_order
    assert run.end.tolist() == [TO_END]


def test_entry_points_elements_and_ranges(tmp_path: Path) -> None:
    entry = read_text(tmp_path, "t1 Q0 d1 1 0.9 tag 42\n")
    assert (entry.start.tolist(), entry.end.tolist(), entry.trec_order) == ([42], [42], False)
    element = read_text(tmp_path, "t1 Q0 d1 1 0.9 tag /article[1]/p[2]\n")
    assert element.paths is not None
    assert element.paths.of_row(0) == [("/article[1]/p[2]", None)]
    between = read_text(tmp_path, "t1 Q0 d1 1 0.9 tag /article[1]/p[2] /article[1]/p[4]\n")
    assert between.paths is not None
    assert between.paths.of_row(0) == [("/article[1]/p[2]", "/article[1]/p[4]")]


def test_ids_may_be_any_unicode(tmp_path: Path) -> None:
    run = read_text(tmp_path, "тема Q0 文書 1 0.9 é 0 5\nтема Q0 d 2 0.8 é 0 5\n")
    assert run.query.values() == ["тема", "тема"]
    assert run.doc.values() == ["文書", "d"]


def test_fol_assessments(tmp_path: Path) -> None:
    assert judged(read_qrels(tmp_path, FOL_QRELS)) == [
        {"query_id": "t1", "doc_id": "d1", "length": 100, "bep": 10, "start": 10, "end": 15},
        {"query_id": "t1", "doc_id": "d1", "length": 100, "bep": 10, "start": 30, "end": 33},
        {"query_id": "t1", "doc_id": "d2", "length": 50},
        {"query_id": "t2", "doc_id": "d1", "length": 100, "bep": 3, "start": 20, "end": 20},
        {"query_id": "t2", "doc_id": "d1", "length": 100, "bep": 3, "start": 3, "end": 7},
    ]


def test_trec_qrels(tmp_path: Path) -> None:
    assert judged(read_qrels(tmp_path, "t2 0 d1 2\nt1 0 d1 0\nt1\t0  d2 -1\n")) == [
        {"query_id": "t2", "doc_id": "d1", "grade": 2},
        {"query_id": "t1", "doc_id": "d1", "grade": 0},
        {"query_id": "t1", "doc_id": "d2", "grade": -1},
    ]


# ---- named columns ------------------------------------------------------------------------------------------

ROWS = [
    {"query_id": "t1", "doc_id": "d1", "rank": 1, "score": 0.5, "run_id": "x", "start": 10, "end": 15},
    {"query_id": "t1", "doc_id": "d2", "rank": 2, "score": 0.25, "run_id": "x", "start": 0, "end": 7},
    {"query_id": "t2", "doc_id": "d1", "rank": 1, "score": 1e-300, "run_id": "y", "start": 3, "end": 3},
]


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in names}), path)
    else:
        comma = "," if path.suffix == ".csv" else "\t"
        lines = [comma.join(names), *(comma.join(str(row.get(name, "")) for name in names) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_columnar_runs(tmp_path: Path, suffix: str) -> None:
    path = write_rows(tmp_path / f"many.{suffix}", ROWS)
    runs = pw.read_runs(path)
    assert [run.run_id for run in runs] == ["x", "y"]
    assert [row for run in runs for row in rows_of(run)] == ROWS
    assert not any(run.trec_order for run in runs)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_columnar_files_are_detected_by_content(tmp_path: Path, suffix: str) -> None:
    path = write_rows(tmp_path / f"many.{suffix}", ROWS)
    nameless = tmp_path / "nameless"
    nameless.write_bytes(path.read_bytes())
    assert [rows_of(run) for run in pw.read_runs(nameless)] == [rows_of(run) for run in pw.read_runs(path)]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_parts_in_columns(tmp_path: Path, suffix: str) -> None:
    rows: list[dict[str, object]] = [
        {"query_id": "7", "doc_id": "d1", "offset": 10, "length": 5, "text": "ignored"},
        {"query_id": "7", "doc_id": "d2"},
    ]
    [run] = pw.read_runs(write_rows(tmp_path / f"a.{suffix}", rows))
    assert (run.start.tolist(), run.end.tolist()) == ([10, 0], [15, TO_END])
    assert run.rank is None
    assert run.score is None
    assert run.run_id == "a"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_several_spans_and_paths(tmp_path: Path, suffix: str) -> None:
    rows: list[dict[str, object]] = [
        {"query_id": "t", "doc_id": "d", "spans": [[30, 40], [10, 20]]},
        {"query_id": "t", "doc_id": "d", "path": "/a[1]/b[2]"},
        {"query_id": "t", "doc_id": "d", "paths": ["/a[1]/b[1]", "/a[1]/b[3]"]},
    ]
    [run] = pw.read_runs(write_rows(tmp_path / f"a.{suffix}", rows))
    assert run.span_offsets.tolist() == [0, 2, 2, 2]
    assert run.start.tolist() == [30, 10]
    assert run.paths is not None
    assert run.paths.of_row(1) == [("/a[1]/b[2]", None)]
    assert run.paths.of_row(2) == [("/a[1]/b[1]", None), ("/a[1]/b[3]", None)]


ASSESSED = [
    {"query_id": "t1", "doc_id": "d1", "assessor": "ann", "length": 100, "bep": 4, "scale": "unit",
     "start": 4, "end": 9},
    {"query_id": "t1", "doc_id": "d1", "assessor": "ann", "length": 100, "bep": 4, "scale": "unit",
     "path": "/a[1]", "exhaustivity": 1.0, "specificity": 0.05},
    {"query_id": "t1", "doc_id": "d1", "assessor": "bob", "length": 100, "grade": 2, "scale": "unit"},
    {"query_id": "t1", "doc_id": "d2", "assessor": "ann", "scale": "unit"},
]  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_columnar_assessments(tmp_path: Path, suffix: str) -> None:
    assessments = pw.read_assessments(write_rows(tmp_path / f"q.{suffix}", ASSESSED))
    assert judged(assessments) == ASSESSED
    assert assessments.scale == "unit"
    assert list(assessments.assessors) == ["ann", "bob"]


def test_too_small_elements_are_grade_zero(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"query_id": "t", "doc_id": "d", "path": "/a[1]", "exhaustivity": "?", "specificity": 1.0, "scale": "inex2005"}
    ]
    assessments = pw.read_assessments(write_rows(tmp_path / "q.jsonl", rows))
    assert assessments.elements.exhaustivity.tolist() == [0.0]


# ---- compression --------------------------------------------------------------------------------------------


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), (".zst", zstd)],
)
def test_compressed_files(tmp_path: Path, suffix: str, compress) -> None:
    plain = rows_of(read_text(tmp_path, FOL_RUN))
    run = read_text(tmp_path, compress(FOL_RUN.encode()), f"a.run{suffix}")
    assert run.run_id == "a"
    assert rows_of(run) == plain
    assert rows_of(read_text(tmp_path, compress(FOL_RUN.encode()), "misnamed.run"))[0]["start"] == 10
    pw.write_run(run, tmp_path / f"b.run{suffix}")
    pw.write_run(run, tmp_path / "b.run")
    assert (tmp_path / f"b.run{suffix}").read_bytes() != (tmp_path / "b.run").read_bytes()
    assert rows_of(pw.read_runs(tmp_path / f"b.run{suffix}")[0]) == rows_of(pw.read_runs(tmp_path / "b.run")[0])


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".bz2", bz2.compress), (".xz", lzma.compress), (".gz", gzip.compress)]
)
def test_every_stream_of_a_compressed_file_is_read(tmp_path: Path, suffix: str, compress) -> None:
    first, second = FOL_RUN[:24].encode(), FOL_RUN[24:].encode()
    both = compress(first) + compress(second)
    assert rows_of(read_text(tmp_path, both, f"a.run{suffix}")) == rows_of(read_text(tmp_path, FOL_RUN))
    for broken in (both[:-5], both + b"garbage", compress(first) + compress(second)[:12] + b"xx"):
        with pytest.raises(pw.PartwiseError, match="is damaged or cut short"):
            read_text(tmp_path, broken, f"a.run{suffix}")


# ---- round trips --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "run", "csv.gz", "jsonl.zst"])
def test_runs_round_trip(tmp_path: Path, suffix: str) -> None:
    run = read_text(tmp_path, FOL_RUN)
    pw.write_run(run, tmp_path / f"b.{suffix}")
    [again] = pw.read_runs(tmp_path / f"b.{suffix}")
    assert [{**row, "run_id": ""} for row in rows_of(again)] == [{**row, "run_id": ""} for row in rows_of(run)]


@pytest.mark.parametrize("part", ["", " /a[1]", " /a[1] /b[1]"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "run"])
def test_other_parts_round_trip(tmp_path: Path, part: str, suffix: str) -> None:
    run = read_text(tmp_path, f"t1 Q0 d1 1 0.9 a{part}\n")
    pw.write_run(run, tmp_path / f"a.{suffix}")
    [again] = pw.read_runs(tmp_path / f"a.{suffix}")
    assert rows_of(again) == rows_of(run)


@given(world=worlds())
def test_random_worlds_round_trip(tmp_path_factory: pytest.TempPathFactory, world: World) -> None:
    folder = tmp_path_factory.mktemp("worlds")
    assessments = formats.assessments_from(world.qrels(), unit="chars", lenient=False, notes=[])
    [run] = formats.objects.runs_from_object(world.run(), "run", "chars", False, [])
    for suffix in ("csv", "tsv", "jsonl", "parquet"):
        pw.write_assessments(assessments, folder / f"q.{suffix}")
        assert judged(pw.read_assessments(folder / f"q.{suffix}")) == judged(assessments)
        if len(run):
            pw.write_run(run, folder / f"r.{suffix}")
            assert rows_of(pw.read_runs(folder / f"r.{suffix}")[0]) == rows_of(run)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "txt", "txt.xz"])
def test_assessments_round_trip(tmp_path: Path, suffix: str) -> None:
    assessments = read_qrels(tmp_path, FOL_QRELS)
    pw.write_assessments(assessments, tmp_path / f"r.{suffix}")
    assert judged(pw.read_assessments(tmp_path / f"r.{suffix}")) == judged(assessments)
    if suffix == "txt":
        assert (tmp_path / "r.txt").read_text() == FOL_QRELS
    trec = read_qrels(tmp_path, "t1 0 d1 2\n")
    pw.write_assessments(trec, tmp_path / f"s.{suffix}")
    assert judged(pw.read_assessments(tmp_path / f"s.{suffix}")) == judged(trec)


def test_text_columns_get_ranks_and_scores_from_the_order(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"query_id": q, "doc_id": "d", "start": i, "end": i + 1} for i, q in enumerate(["t", "u", "t"])
    ]
    [run] = pw.read_runs(write_rows(tmp_path / "a.jsonl", rows))
    pw.write_run(run, tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "t Q0 d 1 2.0 a 0 1\nu Q0 d 1 2.0 a 1 1\nt Q0 d 2 1.0 a 2 1\n"


def test_text_columns_keep_the_order_of_ranks(tmp_path: Path) -> None:
    """Six columns are ordered by score: scores that contradict the ranks are replaced."""
    for scores in ((None, None), (9.0, 1.0), (5.0, 5.0)):
        rows: list[dict[str, object]] = [
            {"query_id": "t", "doc_id": doc, "rank": rank, **({} if score is None else {"score": score})}
            for doc, rank, score in zip("ab", (2, 1), scores, strict=True)
        ]
        [run] = pw.read_runs(write_rows(tmp_path / "a.jsonl", rows))
        pw.write_run(run, tmp_path / "a.run")
        qrels = {"t": {"b": 1}}
        assert pw.evaluate(qrels, tmp_path / "a.run", "RR").mean()["a"] == {"RR": 1.0}
    kept: list[dict[str, object]] = [
        {"query_id": "t", "doc_id": doc, "rank": rank, "score": score}
        for doc, rank, score in zip("ab", (2, 1), (0.25, 0.5), strict=True)
    ]
    [run] = pw.read_runs(write_rows(tmp_path / "a.jsonl", kept))
    pw.write_run(run, tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "t Q0 a 2 0.25 a\nt Q0 b 1 0.5 a\n"


def test_six_columns_keep_their_order_in_other_formats(tmp_path: Path) -> None:
    """Six columns are ordered by score, then document id; other formats by rank."""
    (tmp_path / "a.run").write_text("t Q0 b 1 1.0 x\nt Q0 a 2 9.0 x\nt Q0 c 3 1.0 x\n")
    for suffix in ("csv", "jsonl", "parquet"):
        pw.write_run(pw.read_runs(tmp_path / "a.run")[0], tmp_path / f"b.{suffix}")
        [run] = pw.read_runs(tmp_path / f"b.{suffix}")
        assert run.rank is not None
        assert list(zip(run.doc.values(), run.rank.tolist(), strict=True)) == [("a", 1), ("c", 2), ("b", 2)]


def test_fol_counts_overlapping_passages_once(tmp_path: Path) -> None:
    assessments = formats.assessments_from(
        [{"query_id": "t", "doc_id": "d", "length": 50, "start": s, "end": e} for s, e in ((0, 10), (5, 8), (9, 20))],
        unit="chars",
        lenient=False,
        notes=[],
    )
    pw.write_assessments(assessments, tmp_path / "q.txt")
    assert (tmp_path / "q.txt").read_text() == "t Q0 d 20 50 -1 0:10 5:3 9:11\n"


def test_blanks_around_cells_are_stripped(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id, doc_id, start, end\n1, d1, 0, 50\n")
    [run] = pw.read_runs(tmp_path / "a.csv")
    assert rows_of(run) == [{"query_id": "1", "doc_id": "d1", "run_id": "a", "start": 0, "end": 50}]


def test_old_line_ends(tmp_path: Path) -> None:
    assert rows_of(read_text(tmp_path, FOL_RUN.replace("\n", "\r"))) == rows_of(read_text(tmp_path, FOL_RUN))


def test_nul_is_a_character_like_others() -> None:
    qrels = [{"query_id": "t", "doc_id": "d\0", "start": 0, "end": 1}]
    assert kernels.Tokens.of([b"d"]).codes_in(kernels.Tokens.of([b"d\0", b"d"])).tolist() == [1]
    assert pw.evaluate(qrels, {"t": [("d", 0, 1)]}, "TextR").mean()["run"]["TextR"] == 0


def test_many_tags_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("t Q0 d 5 100 10 10:5\n")
    (tmp_path / "a.run").write_text("t Q0 d 1 0.9 y 10 5\nt Q0 d 2 0.8 x 20 5\nt Q0 d 3 0.7 y 30 5\n")
    merged = pw.evaluate(tmp_path / "q.txt", tmp_path / "a.run", "TextP")
    assert list(merged.mean()) == ["a"]
    assert f"{tmp_path / 'a.run'}: 2 run tags, treated as one run" in merged.notes
    by_tag = pw.evaluate(tmp_path / "q.txt", tmp_path / "a.run", "TextP", run_id="tag")
    assert by_tag.mean() == {"y": {"TextP": 0.5}, "x": {"TextP": 0.0}}


@pytest.mark.parametrize(
    "row", [{"doc_id": "my doc"}, {"query_id": "my query"}, {"run_id": "my run"}, {"doc_id": "a\nb"}]
)
def test_blanks_do_not_fit_into_text_columns(tmp_path: Path, row: dict[str, object]) -> None:
    [run] = pw.read_runs(
        write_rows(tmp_path / "a.jsonl", [{"query_id": "t", "doc_id": "d", "start": 0, "end": 1, **row}])
    )
    with pytest.raises(pw.PartwiseError, match="blanks separate the columns of text files"):
        pw.write_run(run, tmp_path / "a.run")
    assert not (tmp_path / "a.run").exists()


@pytest.mark.parametrize(("bad", "columns"), [("garbage", "1 column"), ("t1 Q0 d1 1 0.9 tag", "6 columns")])
def test_a_bad_first_line_does_not_decide(tmp_path: Path, bad: str, columns: str) -> None:
    (tmp_path / "a.run").write_text(f"{bad}\n{FOL_RUN}")
    with pytest.raises(pw.PartwiseError, match=rf"a\.run:1: has {columns}; expected"):
        pw.read_runs(tmp_path / "a.run")
    [run] = pw.read_runs(tmp_path / "a.run", lenient=True)
    assert [row["start"] for row in rows_of(run)] == [10, 0, 3]
    (tmp_path / "q.txt").write_text(f"t9 Q0\n{FOL_QRELS}")
    with pytest.raises(pw.PartwiseError, match=r"q\.txt:1: has 2 columns; expected"):
        pw.read_assessments(tmp_path / "q.txt")
    assert len(pw.read_assessments(tmp_path / "q.txt", lenient=True).documents.lines) == 3


def test_lenient_skips_lines_in_another_encoding_or_with_bad_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(b"t1 Q0 \xe9 1 0.9 tag 0 5\n" + FOL_RUN.encode())
    [run] = pw.read_runs(tmp_path / "a.run", lenient=True)
    assert len(run) == 3
    (tmp_path / "a.csv").write_text('query_id,doc_id\nt,"d"x\nt,d\n')
    with pytest.raises(pw.PartwiseError, match=r"a\.csv:2: is not CSV \(.*\); check its quotes"):
        pw.read_runs(tmp_path / "a.csv")
    [run] = pw.read_runs(tmp_path / "a.csv", lenient=True)
    assert run.doc.values() == ["d"]


def test_errors_and_notes_of_reading_have_codes(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(FOL_QRELS)
    (tmp_path / "a.run").write_text(f"{FOL_RUN}t1 Q0\n")
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(tmp_path / "q.txt", tmp_path / "a.run", "TextP")
    assert error.value.code == "R20"
    [note, *_] = pw.evaluate(tmp_path / "q.txt", tmp_path / "a.run", "TextP", lenient=True).notes
    assert getattr(note, "code", None) == "R01"
    assert note == f"{tmp_path}/a.run: 1 bad line skipped, the first: {error.value}"


def test_ranks_of_six_column_runs_may_be_anything(tmp_path: Path) -> None:
    """trec_eval ignores them."""
    run = read_text(tmp_path, "t Q0 a -1 0.5 tag\nt Q0 b x 0.9 tag\n")
    assert run.rank is not None
    assert run.rank.tolist() == [NONE, NONE]


def test_output_through_a_link_reaches_its_target(tmp_path: Path) -> None:
    (tmp_path / "real.run").write_text("before")
    (tmp_path / "link.run").symlink_to("real.run")
    pw.write_run(read_text(tmp_path, FOL_RUN), tmp_path / "link.run")
    assert (tmp_path / "link.run").is_symlink()
    assert (tmp_path / "real.run").read_text().startswith("t1 Q0 d1 1 0.9 a 10 5\n")


def test_what_a_format_cannot_hold_is_an_error(tmp_path: Path) -> None:
    [run] = formats.objects.runs_from_object(
        {"t": [{"doc_id": "d", "spans": [[0, 1], [3, 4]]}]}, "r", "chars", False, []
    )
    with pytest.raises(pw.PartwiseError, match="INEX columns hold one span or one path per result"):
        pw.write_run(run, tmp_path / "r.run")
    with pytest.raises(pw.PartwiseError, match="TREC columns hold whole documents only"):
        pw.write_run(run, tmp_path / "r.run", format="trec")
    with pytest.raises(pw.PartwiseError, match=r"cannot be written: unknown suffix \.docx"):
        pw.write_run(run, tmp_path / "r.docx")
    assessments = formats.assessments_from(ASSESSED, unit="chars", lenient=False, notes=[])
    with pytest.raises(pw.PartwiseError, match="FOL assessments hold the passages of one assessor"):
        pw.write_assessments(assessments, tmp_path / "q.txt")
    with pytest.raises(pw.PartwiseError, match="TREC qrels hold one grade of every document"):
        pw.write_assessments(assessments, tmp_path / "q.txt", format="trec")
    assert list(tmp_path.iterdir()) == []


# ---- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.run", ("a", ".run", "")),
        ("a.run.GZ", ("a", ".run", ".gz")),
        ("bm25.k1.run", ("bm25.k1", ".run", "")),
        ("bm25-k1.2", ("bm25-k1.2", "", "")),
        (".run", (".run", "", "")),
        ("plain", ("plain", "", "")),
        ("a.jsonl.zst", ("a", ".jsonl", ".zst")),
    ],
)
def test_suffixes(name: str, parts: tuple[str, str, str]) -> None:
    assert split_suffixes(name) == parts


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.run", "b.run"], ["a", "b"]),
        (["x/a.run", "y/a.run"], ["x/a", "y/a"]),
        (["x/a.run", "y/a.run", "b.run"], ["x/a", "y/a", "b"]),
        (["p/x/a.run", "q/x/a.run"], ["p/x/a", "q/x/a"]),
        (["a.run", "a.txt"], ["a.run", "a.txt"]),
        (["a.run", "x/a.run"], ["a", "x/a"]),
        (["x/a.run.gz", "y/a.run"], ["x/a", "y/a"]),
        (["a.run", "a.csv", "a.run.txt"], ["a.run", "a.csv", "a.run.txt"]),
    ],
)
def test_run_names_are_as_short_as_they_can_be(paths: list[str], names: list[str]) -> None:
    assert formats.run_names(paths) == names


# ---- hostile ------------------------------------------------------------------------------------------------


@given(st.binary(max_size=200) | st.text('t1 Q0d\n\t,{}":/0123456789-.[]\x00\ufeff', max_size=120).map(str.encode))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(data)
    for read in (pw.read_runs, pw.read_assessments):
        for lenient in (False, True):
            try:
                read(path, lenient=lenient)
            except pw.PartwiseError as error:
                message = error.problem + error.remedy
            else:
                message = ""
            assert "\n" not in message


def test_missing_numbers_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id,doc_id,rank,score,start,end\nt,d,,,1,2\nt,d,3,0.5,,\n")
    [run] = pw.read_runs(tmp_path / "a.csv")
    assert run.rank is not None
    assert run.score is not None
    assert run.rank.tolist() == [NONE, 3]
    assert np.isnan(run.score[0])
    assert run.end.tolist() == [2, TO_END]
