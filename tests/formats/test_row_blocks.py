"""Runs of named columns in blocks of whole queries: the scores, notes and errors of reading the file whole."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise import formats
from partwise.api.sources import FileOrObject
from partwise.errors import PartwiseError
from partwise.formats import blocks, parquet, row_blocks
from partwise.model import Irregular

QRELS = {f"q{query}": [(f"d{doc}", 10 * doc, 10 * doc + 60) for doc in range(0, 9, 2)] for query in range(8)}
KINDS = ["jsonl", "csv", "tsv", "parquet"]
Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 300)
    monkeypatch.setattr(parquet, "_BATCH", 7)


def usual(queries: int = 8, depth: int = 6, **more: Any) -> Rows:
    return [
        {"query_id": f"q{query}", "doc_id": f"d{(query + rank) % 9}", "rank": rank, "score": 1 / rank,
         "start": 7 * rank, "end": 7 * rank + 40, **more}
        for query in range(queries)
        for rank in range(1, depth + 1)
    ]  # fmt: skip


def write(rows: Rows, kind: str, path: Path) -> Path:
    if kind == "jsonl":
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    elif kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = io.BytesIO()
        names = dict.fromkeys(name for row in rows for name in row)
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in names}), sink, row_group_size=10)
        data = sink.getvalue()
    else:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]), delimiter="\t" if kind == "tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
        data = text.getvalue().encode()
    path = path / f"run.{kind}"
    path.write_bytes(data)
    return path


def outcome(path: Path, **options: Any) -> Any:
    """The scores and the notes of a file, or its error."""
    try:
        scores = pw.evaluate(QRELS, {"named": str(path)} if options.pop("is_named", False) else str(path), **options)
    except PartwiseError as error:
        return str(error)
    return list(scores.rows(mean=True)), list(scores.notes), scores.run_ids


def pieces_of(path: Path) -> int:
    source = FileOrObject(str(path), "run", None, False, None, False, [])
    try:
        return sum(len(piece().run) > 0 for piece in source.pieces() or ())
    except Irregular:
        return 0


def check(path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Any:
    """The outcome of reading in blocks, on one thread or two, is that of reading the file whole."""
    measures = ["TextR@5", "TextP@3", "iAP"]
    found = [outcome(path, measures=measures, jobs=jobs, **options) for jobs in (1, 2)]
    with monkeypatch.context() as patch:
        patch.setattr(row_blocks, "format_of", lambda path: None)
        expected = outcome(path, measures=measures, jobs=1, **options)
    assert found == [expected, expected]
    return expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"text": "é" * 40, "metadata": "m"},
        {"text": "short", "colour": "red", "label": 3},
        {"run_id": "bm25"},
        {"unit": "chars", "passage": "x"},
        {"topic": "q1"},
    ],
)
def test_blocks_give_what_the_whole_file_gives(
    kind: str, more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(usual(**more), kind, tmp_path)
    assert pieces_of(path) > 3
    assert not isinstance(check(path, monkeypatch), str)
    check(path, monkeypatch, is_named=True)


def _without(rows: Rows, name: str, at: int) -> Rows:
    return [{key: cell for key, cell in row.items() if key != name or i != at} for i, row in enumerate(rows)]


WRONG = {
    "a query recurs": usual() + usual(1),
    "rank by rank": sorted(usual(), key=lambda row: row["rank"]),
    "several runs": usual(4, run_id="a") + usual(4, run_id="b"),
    "two runs of blocks": usual(4, run_id="a") + [{**row, "query_id": "x"} for row in usual(4, run_id="b")],
    "one end missing": [{**row, "end": None if i == 40 else row["end"]} for i, row in enumerate(usual())],
    "one whole document": [
        {**row, "start": None if i == 40 else row["start"], "end": None if i == 40 else row["end"]}
        for i, row in enumerate(usual())
    ],
    "some blocks whole": [
        {**row, "start": None if i > 20 else row["start"], "end": None if i > 20 else row["end"]}
        for i, row in enumerate(usual())
    ],
    "empty parts": [{**row, "end": row["start"] if i > 20 else row["end"]} for i, row in enumerate(usual())],
    "a bad number": [{**row, "rank": "x" if i == 40 else str(row["rank"])} for i, row in enumerate(usual())],
    "an end before its start": [{**row, "end": 0 if i == 40 else row["end"]} for i, row in enumerate(usual())],
    "no query": [{**row, "query_id": "" if i == 40 else row["query_id"]} for i, row in enumerate(usual())],
    "two units": [{**row, "unit": "chars" if i < 40 else "bytes"} for i, row in enumerate(usual())],
    "a unit later": [{**row, "unit": None if i < 20 else "bytes"} for i, row in enumerate(usual())],
    "filled": [
        {**row, "pid": row["doc_id"], "doc_id": None if i == 40 else row["doc_id"]} for i, row in enumerate(usual())
    ],
    "how": usual(how="exact"),
    "one query": [{**row, "rank": i, "query_id": "q1"} for i, row in enumerate(usual())],
    "no judged query": [{**row, "query_id": "x" + row["query_id"]} for row in usual()],
    "no order": [{key: row[key] for key in ("query_id", "doc_id", "start", "end")} for row in usual()],
    "numbers as queries": [{**row, "query_id": int(row["query_id"][1:])} for row in usual()],
    "other numbers": [{**row, "start": float(row["start"]), "score": 2**60} for row in usual()],
    "places of unknown columns": [
        {"query_id": row["query_id"], "doc_id": row["doc_id"], "startPos": 3} for row in usual()
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRONG)
def test_irregular_files_are_read_whole(kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(write(WRONG[name], kind, tmp_path), monkeypatch)


@pytest.mark.parametrize(
    "rows",
    [
        _without(usual(), "score", 40),
        [*usual(4), *usual(8, colour="red")[24:]],
        [*usual(4), *usual(8, text="x")[24:]],
        [{"qid" if i < 20 else "query_id": row.pop("query_id"), **row} for i, row in enumerate(usual())],
    ],
)
def test_lines_with_other_keys(rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(write(rows, "jsonl", tmp_path), monkeypatch)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\n\n"),
        lambda data: data[:-1],
        lambda data: data[:700] + b"\xff" + data[700:],
        lambda data: data[:700] + b"\0" + data[700:],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"{]\n",
        lambda data: data + b'"\n',
        lambda data: b"\n" * 400 + data,
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: data[: len(data) // 2] + b"\xc3\xa9" + data[len(data) // 2 :],
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_other_bytes(kind: str, change: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(usual(text="a\nb"), kind, tmp_path)
    path.write_bytes(change(path.read_bytes()))
    check(path, monkeypatch)
    check(path, monkeypatch, lenient=True)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv"])
def test_compressed_files_are_read_in_blocks(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(usual(), kind, tmp_path)
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert pieces_of(packed) > 3
    assert check(packed, monkeypatch) == check(path, monkeypatch)
    with pw.reading(max_unpacked="1kB"):  # no query is larger, the file is
        assert outcome(packed, measures="TextR@5") == outcome(path, measures="TextR@5")
    with pw.reading(max_unpacked="100B"):
        assert "more than 100 bytes" in outcome(packed, measures="TextR@5")


CELLS = st.sampled_from(["q0", "q1", "q2", "a,b", 'a"b', "a\nb", " q0", "é", "q0\r\n"])


@st.composite
def runs(draw: st.DrawFn) -> Rows:
    rows = draw(st.lists(st.tuples(CELLS, st.integers(0, 8), st.integers(0, 50), st.integers(0, 50)), min_size=1))
    if draw(st.booleans()):
        rows.sort(key=lambda row: row[0].strip())
    return [
        {"doc_id": f"d{doc}", "query_id": query, "rank": i, "start": start, "end": start + size, "text": "x" * size}
        for i, (query, doc, start, size) in enumerate(rows)
    ]


@given(runs(), st.sampled_from(KINDS))
def test_any_run(rows: Rows, kind: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 200)
        patch.setattr(parquet, "_BATCH", 3)
        check(write(rows, kind, Path(folder)), patch)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose runs are read, once for each time."""
    found: list[str] = []
    read, pieces = formats.read_runs, row_blocks.RowsRun.pieces

    def read_runs(path: Any, **options: Any) -> Any:
        found.append(Path(path).name)
        return read(path, **options)

    def counted(run: Any) -> Any:
        found.append(Path(run.path).name)
        yield from pieces(run)

    monkeypatch.setattr(formats, "read_runs", read_runs)
    monkeypatch.setattr(row_blocks.RowsRun, "pieces", counted)
    return found


@pytest.mark.parametrize("command", ["evaluate", "compare", "report", "assessors", "gold"])
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_every_run_is_read_once(command: str, kind: str, tmp_path: Path, reads: list[str]) -> None:
    """By commands that need them several times, too."""
    paths = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        written = write(usual(depth=3 + number), kind, folder)
        paths.append(str(written.rename(written.with_name(f"run{number}.{kind}"))))
    gold = [
        {"query_id": query, "doc_id": doc, "start": start, "end": end, "assessor": who, "grade": 1 + number % 2}
        for query, parts in QRELS.items()
        for number, (doc, start, end) in enumerate(parts)
        for who in (["a", "b"] if command == "assessors" else ["a"])
    ]
    if command == "report":
        pw.write_report(gold, paths, tmp_path / "report.html", "TextR@5")
    elif command == "compare":
        pw.compare(pw.evaluate(gold, paths, "TextR@5"))
    elif command == "assessors":
        pw.study.assessors(gold, paths, "TextR@5")
    elif command == "gold":
        pw.evaluate(gold, paths, "TextR@5", by="gold:grade")
    else:
        pw.evaluate(gold, paths, "TextR@5")
    assert sorted(reads) == [f"run{number}.{kind}" for number in range(3)]
