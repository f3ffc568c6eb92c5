"""Parquet is read by whole columns, with the same result as a list of rows read cell by cell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.formats import cells, objects, parquet, tables
from partwise.formats.problems import Reader
from partwise.formats.runs import run_rows, runs_from_table
from partwise.model import Source

ROW = st.fixed_dictionaries(
    {"query_id": st.sampled_from(["t1", "t2"]), "doc_id": st.sampled_from(["a", "b", "a longer name", "é"])},
    optional={
        "rank": st.none() | st.integers(-1, 5) | st.just(2**50),
        "score": st.none() | st.floats(-5, 5),
        "run_id": st.sampled_from(["r1", "r2"]),
    },
)
SPANS = st.tuples(ROW, st.integers(0, 50), st.integers(0, 9)).map(lambda x: {**x[0], "start": x[1], "end": x[1] + x[2]})
PATHS = st.tuples(ROW, st.sampled_from(["/a", "/a /b", "a", None])).map(lambda x: {**x[0], "path": x[1]})
FLOATS = SPANS.map(lambda row: {**row, "start": float(row["start"]), "rank": None})


def outcome(read: Any) -> Any:
    """The runs as plain values, or the error with its row."""
    try:
        runs = read()
    except pw.PartwiseError as error:
        return error.problem, error.remedy, error.line
    return [(run.run_id, run_rows(run), [run.line(row) for row in range(len(run))]) for run in runs]


@given(
    st.lists(SPANS | PATHS | ROW, min_size=1, max_size=8) | st.lists(FLOATS, min_size=1),
    st.integers(1, 4),
    st.booleans(),
)
def test_columns_equal_cells(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], group: int, lenient: bool
) -> None:
    table = pa.Table.from_pylist([{name: row.get(name) for name in {n for r in rows for n in r}} for row in rows])
    path = tmp_path_factory.mktemp("parquet") / "run.parquet"
    pq.write_table(table, path, row_group_size=group)
    reader = Reader(Source("run"), lenient, [])
    plain = tables.table_from_dicts(table.to_pylist(), reader)

    def cell_by_cell() -> list[pw.Run]:
        runs = runs_from_table(plain, "run")
        if not any(len(run) for run in runs):
            formats = "TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet"
            raise pw.PartwiseError("has no results", f"give a run as {formats}")
        return runs

    assert outcome(lambda: pw.read_runs(path, lenient=lenient)) == outcome(cell_by_cell)


def test_clean_columns_are_not_read_cell_by_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 5000
    table = pa.table(
        {
            "query_id": [f"t{i // 100}" for i in range(count)],
            "doc_id": [f"d{i % 70}" for i in range(count)],
            "rank": pa.array([None if i % 9 == 0 else i for i in range(count)], pa.int32()),
            "score": np.linspace(9, 0, count),
            "start": np.arange(count),
            "end": np.arange(count) + 5,
            "text": ["not needed"] * count,
        }
    )
    pq.write_table(table, tmp_path / "run.parquet", row_group_size=700)
    monkeypatch.setattr(cells, "integer_in", None)
    monkeypatch.setattr(tables, "number_in", None)
    monkeypatch.setattr(tables.ArrowCells, "__iter__", None)
    [run] = pw.read_runs(tmp_path / "run.parquet")
    assert (len(run), run.doc[71], run.query[4999]) == (count, "d1", "t49")
    assert run.rank is not None
    assert run.rank[:3].tolist() == [-1, 1, 2]


def test_many_runs_of_one_file_share_their_names() -> None:
    rows = [{"query_id": "t", "doc_id": f"d{i}", "run_id": f"r{i % 3}", "start": 0, "end": 5} for i in range(9)]
    runs = objects.runs_from_object(pa.Table.from_pylist(rows), "run", "chars", False, [])
    assert len({id(run.doc.names) for run in runs}) == 1
    together = pw.evaluate({"t": [("d4", 0, 5)]}, pa.Table.from_pylist(rows), "TextR").mean()
    assert together == {"r0": {"TextR": 0.0}, "r1": {"TextR": 1.0}, "r2": {"TextR": 0.0}}


NAMES = ["d1", "a name with blanks", "é", "d2", "nul\0inside"]


@pytest.mark.parametrize(
    "docs",
    [
        pa.array(NAMES),
        pa.array(["x", *NAMES, "y"]).slice(1, 5),
        pa.array(NAMES, pa.large_string()),
        pa.array(NAMES, pa.string_view()),
        pa.DictionaryArray.from_arrays([4, 3, 2, 1, 0], pa.array(NAMES[::-1])),
        pa.DictionaryArray.from_arrays([1, 2, 3, 4, 5], pa.array(["x", *NAMES])),
        pa.DictionaryArray.from_arrays([0, 1, 2, 3, 4], pa.array(["x", *NAMES, "y"]).slice(1, 5)),
        pa.DictionaryArray.from_arrays([5, 1, 2, 3, 4], pa.array([*NAMES, "d1"])),  # a name twice
        pa.DictionaryArray.from_arrays([0, 1, 2, 3, 4], pa.array([*NAMES, ""])),
        pa.DictionaryArray.from_arrays([0, 1, 2, 3, 4], pa.array([*NAMES, None])),
        pa.chunked_array([pa.array(NAMES[:2]), pa.array([], pa.string()), pa.array(NAMES[2:])]),
        pa.chunked_array([pa.array(NAMES[:2]).dictionary_encode(), pa.array(NAMES[2:]).dictionary_encode()]),
    ],
)
def test_names_in_every_arrow_type(docs: Any) -> None:
    table = pa.table({"query_id": ["t"] * 5, "doc_id": docs, "start": range(5), "end": range(10, 15)})
    qrels = [{"query_id": "t", "doc_id": name, "start": 0, "end": 12} for name in NAMES[:3]]
    [run] = objects.runs_from_object(table, "run", "chars", False, [])
    assert run.doc.values() == NAMES
    rows = [{"query_id": "t", "doc_id": name, "start": i, "end": 10 + i} for i, name in enumerate(NAMES)]
    assert pw.evaluate(qrels, table, "iAP TextR").mean() == pw.evaluate(qrels, rows, "iAP TextR").mean()


def test_reading_parquet_loads_no_pandas(tmp_path: Path) -> None:
    table = pa.table({"query_id": ["t"], "doc_id": ["d"], "rank": [1], "score": [0.5], "start": [0], "end": [5]})
    pq.write_table(table, tmp_path / "run.parquet")
    (tmp_path / "qrels.txt").write_text("t Q0 d 5 9 0 2:5\n")
    arguments = ["evaluate", str(tmp_path / "qrels.txt"), str(tmp_path / "run.parquet"), "-m", "iAP"]
    code = f"import sys; from partwise.cli import main; main({arguments}); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.endswith("\nFalse\n")


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_row_groups_read_in_parallel_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    cells = [{"query_id": f"t{i % 3}", "doc_id": f"d{i % 7}", "start": i, "end": i + 9} for i in range(20)]
    pq.write_table(pa.Table.from_pylist(cells), tmp_path / "run.parquet", row_group_size=rows)
    qrels = {f"t{i}": [("d1", 0, 12), ("d2", 5, 20)] for i in range(3)}
    expected = pw.evaluate(qrels, tmp_path / "run.parquet", "iAP TextR").per_query()
    read: list[int] = []
    read_row_groups = pq.ParquetFile.read_row_groups
    monkeypatch.setattr(parquet, "_LARGE_PARQUET", 0)
    monkeypatch.setattr(pa, "cpu_count", lambda: 4)
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_groups",
        lambda self, groups, **options: read.extend(groups) or read_row_groups(self, groups, **options),
    )
    assert pw.evaluate(qrels, tmp_path / "run.parquet", "iAP TextR").per_query() == expected
    assert sorted(read) == list(range(-(-20 // rows)))
    assert pw.evaluate(qrels, {"run": cells}, "iAP TextR").per_query() == expected


# ---- damaged columns ----------------------------------------------------------------------------------------


def texts_of(*values: bytes) -> pa.Array:
    """A column of strings with these bytes, valid or not."""
    edges = np.cumsum([0, *map(len, values)]).astype(np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(edges), pa.py_buffer(b"".join(values)))


def coded(*codes: int) -> pa.Array:
    """A dictionary-encoded column with these codes, valid or not."""
    kind = pa.dictionary(pa.int32(), pa.string())
    buffers = [None, pa.py_buffer(np.array(codes, np.int32))]
    return pa.DictionaryArray.from_buffers(kind, len(codes), buffers, pa.array(["d", "e"]))


@pytest.mark.parametrize("name", ["query_id", "doc_id", "run_id", "path"])
@pytest.mark.parametrize("is_coded", [False, True])
def test_texts_that_are_not_utf8(tmp_path: Path, name: str, is_coded: bool) -> None:
    texts = texts_of(b"d", b"\xff")
    columns: dict[str, Any] = {"query_id": ["t", "t"], "doc_id": ["d", "e"], "rank": [1, 2]}
    columns[name] = texts.dictionary_encode() if is_coded else texts
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_runs(path)
    assert str(error.value) == f"{path}:2: the column '{name}' is damaged (not UTF-8); write it again"


@pytest.mark.parametrize("codes", [(0, -1), (0, 2), (-(2**31), 0)])
def test_codes_without_a_text(codes: tuple[int, ...]) -> None:
    """A negative code would otherwise count from the end of the dictionary."""
    table = pa.table({"query_id": ["t", "t"], "doc_id": coded(*codes), "rank": [1, 2]})
    with pytest.raises(pw.PartwiseError, match=r"the column 'doc_id' is damaged .*; write it again"):
        pw.evaluate({"t": {"d": 1}}, table, "P@1")


@pytest.mark.parametrize("name", ["rank", "start", "end"])
def test_numbers_in_half_precision(tmp_path: Path, name: str) -> None:
    columns: dict[str, Any] = {"query_id": ["t"], "doc_id": ["d"], "rank": [1], "start": [0], "end": [5]}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    [expected] = pw.read_runs(path)
    columns[name] = pa.array(np.array(columns[name], np.float16))
    pq.write_table(pa.table(columns), path)
    [run] = pw.read_runs(path)
    assert run_rows(run) == run_rows(expected)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x21]) + data[at + 1 :]


def test_a_changed_byte_in_the_pages_that_we_write_is_detected(tmp_path: Path) -> None:
    rows = [{"query_id": "t", "doc_id": f"d{i}", "rank": i + 1, "start": i, "end": 99} for i in range(20)]
    path = tmp_path / "a.parquet"
    pw.write_run(next(pw.Evaluator({"t": [("d", 0, 5)]}, "TextP@1").read(rows)), path)
    data = path.read_bytes()
    metadata = pq.read_metadata(path).row_group(0)
    for column in map(metadata.column, range(metadata.num_columns)):
        first = column.dictionary_page_offset or column.data_page_offset
        path.write_bytes(flipped(data, first + column.total_compressed_size - 1))
        with pytest.raises(pw.PartwiseError, match=r"is damaged or cut short \(Parquet: .*\); write it again"):
            pw.read_runs(path)


def test_a_changed_byte_anywhere(tmp_path: Path) -> None:
    """Whatever Arrow makes of it, the outcome is a run or one error."""
    columns = {"query_id": ["t", "t"], "doc_id": ["d", "e"], "rank": [1, 2], "start": [0, 1], "end": [4, 5]}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path, compression="none")
    data = path.read_bytes()
    read, errors = 0, []
    for at in range(4, len(data)):
        path.write_bytes(flipped(data, at))
        try:
            read += len(pw.read_runs(path))
        except pw.PartwiseError as error:
            errors.append(str(error))
    assert read
    assert errors
    assert not [error for error in errors if "\n" in error]
