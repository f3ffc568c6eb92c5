"""The objects of other packages, without these packages: shapes alone."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import partwise as pw


class Qrel(NamedTuple):
    """As in ir_measures."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


QRELS = [Qrel("q1", "d1", 0), Qrel("q1", "d2", 2), Qrel("q2", "d1", 1)]
RUN = [ScoredDoc("q1", "d1", 2.0), ScoredDoc("q1", "d2", 1.0), ScoredDoc("q2", "d1", 0.5)]
EXPECTED = {"RR": 0.75, "P@1": 0.5}


def scored(qrels: Any, runs: Any) -> dict[str, dict[str, float]]:
    scores = pw.evaluate(qrels, runs, "RR P@1")
    assert scores.notes == ()
    return scores.mean()


def generated(rows: list[Any]) -> Iterator[Any]:
    yield from rows


def test_named_tuples() -> None:
    assert scored(QRELS, RUN) == {"run": EXPECTED}
    assert scored(generated(QRELS), generated(RUN)) == {"run": EXPECTED}
    assert scored(iter(QRELS), {"bm25": generated(RUN), "dense": RUN}) == {"bm25": EXPECTED, "dense": EXPECTED}
    assert scored(QRELS, [RUN, generated(RUN)]) == {"run1": EXPECTED, "run2": EXPECTED}
    assert scored(generated([row._asdict() for row in QRELS]), RUN) == {"run": EXPECTED}


def test_dicts_of_dicts() -> None:
    """As in pytrec_eval."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for qrel in QRELS:
        qrels.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
    for result in RUN:
        run.setdefault(result.query_id, {})[result.doc_id] = result.score
    assert scored(qrels, run) == {"run": EXPECTED}


@pytest.mark.parametrize(("qrels", "run"), [("-", "run.txt"), ("qrels.txt", "-")])
def test_standard_input(qrels: str, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels.txt").write_text("# judged in May\n" + "".join(f"{q} 0 {d} {g}\n" for q, d, g, _ in QRELS))
    (tmp_path / "run.txt").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in RUN))
    monkeypatch.chdir(tmp_path)
    data = (tmp_path / ("qrels.txt" if qrels == "-" else "run.txt")).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert scored(qrels, run) == {"stdin" if run == "-" else "run": EXPECTED}


def test_a_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate("-", RUN, "RR")
    assert str(error.value) == "-: standard input is closed; redirect a file to it, or give the path of a file"


def test_text_after_the_run_tag(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(
        "# BM25\n" + "".join(f"{q} Q0 {d} 1 {s} tag {'as tuned' if d == 'd1' else ''}\n" for q, d, s in RUN)
    )
    scores = pw.evaluate(QRELS, path, "RR P@1")
    assert scores.mean() == {"run": EXPECTED}
    assert scores.notes == (f"{path}: the text after the run tag was not read in 2 lines",)


def test_a_run_whose_offsets_are_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 d1 1 2.0 tag 0-100\n")
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(QRELS, path, "RR")
    assert str(error.value) == f"{path}:1: the offset is '0-100'; it must be a whole number from 0"
