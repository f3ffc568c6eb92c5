"""A column that looks like a place in a document, under a name that is not known, is never passed over in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import partwise as pw
from partwise.formats.names import looks_like_a_place

GOLD = {"q1": [("d1", 10, 30)]}
ROWS = [{"query_id": "q1", "doc_id": "d1", "start_pos": 10, "end_pos": 20}]
PLACES = (
    "rename it to one of start, end, start_line, end_line, offset, spans, path, paths, or remove it to score whole "
    "documents"
)
PROBLEM = "the column 'start_pos' looks like a place in a document, but no column with a known name gives one"


@pytest.mark.parametrize(
    "run",
    [
        ROWS,
        {"q1": [{"doc_id": "d1", "start_pos": 10, "end_pos": 20}]},
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pa.Table.from_pylist(ROWS),
    ],
    ids=["rows", "by query", "pandas", "polars", "arrow"],
)
def test_objects(run: Any) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(GOLD, run, "TextR")
    assert str(error.value) == f"run: {PROBLEM}; {PLACES}"
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(run, {"q1": [("d1", 10, 30)]}, "TextR")
    assert str(error.value) == f"qrels: {PROBLEM}; {PLACES}"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run.{suffix}"
    frame = pd.DataFrame(ROWS)
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        path.write_text(json.dumps(ROWS[0]) + "\n")
    else:
        frame.to_csv(path, sep="," if suffix == "csv" else "\t", index=False)
    for read in (pw.read_runs, pw.read_assessments):
        with pytest.raises(pw.PartwiseError) as error:
            read(path)
        assert str(error.value) == f"{path}: {PROBLEM}; {PLACES}"


@pytest.mark.parametrize(
    "more",
    [
        {"start": 10, "end": 30, "start_line": 3},  # a place is known
        {"page": "cover"},  # no numbers
        {"page_content": "Ask twice."},
        {"chunk": 7, "stopped": 1, "weekend": 6, "linear": 0.5},  # no whole word
        {"metadata": {"source": "a.txt"}},
        {"token_count": None},
    ],
)
def test_other_columns_are_no_places(more: dict[str, Any]) -> None:
    [run] = [pw.evaluate({"q1": {"d1": 1}}, [{"query_id": "q1", "doc_id": "d1", **more}], "P@1").mean()]
    assert run == {"run": {"P@1": 1.0}}


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"metadata": {"source": "a.txt", "start_index": 10}}, "metadata.start_index"),
        ({"span": [10, 30]}, "span"),
        ({"span": "(10, 30)"}, "span"),
        ({"relevant_windows": [[10, 30]]}, "relevant_windows"),
        ({"Start": 10, "End": 30}, "Start"),
        ({"num_tokens": 300}, "num_tokens"),
    ],
)
def test_places_in_other_shapes(row: dict[str, Any], name: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(GOLD, [{"query_id": "q1", "doc_id": "d1", **row}], "P@1")
    assert str(error.value).startswith(f"run: the column '{name}' looks like a place in a document")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("start_pos", True),
        ("endChar", True),
        ("char-offset", True),
        ("PAGE", True),
        ("line_no", True),
        ("restart", False),
        ("weekend", False),
        ("online", False),
        ("pages_total", False),
        ("", False),
    ],
)
def test_names(name: str, answer: bool) -> None:
    assert looks_like_a_place(name) is answer
