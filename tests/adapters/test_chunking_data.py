"""Questions on five long texts, chunked in three ways, retrieved with BM25, and scored against sets of characters."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bm25s
import pytest

import partwise as pw

Span = tuple[int, int]
DEPTH = 10


def windows(text: str, size: int, step: int) -> Iterator[Span]:
    for start in range(0, len(text), step):
        yield start, min(start + size, len(text))
        if start + size >= len(text):
            return


def paragraphs(text: str) -> Iterator[Span]:
    for match in re.finditer(r"\S.*?(?=\n\s*\n|\s*\Z)", text, re.DOTALL):
        yield match.span()


CHUNKERS = {
    "fixed400": lambda text: windows(text, 400, 400),
    "fixed200half": lambda text: windows(text, 200, 100),
    "paragraphs": paragraphs,
}


@pytest.fixture(scope="module")
def questions(chunking: Path) -> list[dict[str, Any]]:
    with open(chunking / "questions_df.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 472
    return [{**row, "query_id": f"q{i}", "references": json.loads(row["references"])} for i, row in enumerate(rows)]


@pytest.fixture(scope="module")
def qrels(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    spans = {
        (row["query_id"], row["corpus_id"], reference["start_index"], reference["end_index"])
        for row in questions
        for reference in row["references"]
    }
    return [{"query_id": q, "doc_id": d, "start": s, "end": e} for q, d, s, e in sorted(spans)]


@pytest.fixture(scope="module")
def runs(chunking: Path, questions: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Each chunking of the corpora, searched with BM25."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((chunking / "corpora").glob("*.md"))}
    assert len(texts) == 5
    results = {}
    for name, chunker in CHUNKERS.items():
        chunks = [(doc, start, end) for doc, text in texts.items() for start, end in chunker(text)]
        retriever = bm25s.BM25()
        bodies = [texts[doc][start:end] for doc, start, end in chunks]
        retriever.index(bm25s.tokenize(bodies, show_progress=False), show_progress=False)
        queries = bm25s.tokenize([row["question"] for row in questions], show_progress=False)
        hits, scores = retriever.retrieve(queries, k=DEPTH, show_progress=False)
        results[name] = [
            {
                "query_id": row["query_id"],
                "doc_id": chunks[hit][0],
                "start": chunks[hit][1],
                "end": chunks[hit][2],
                "rank": rank,
                "score": float(score),
            }
            for row, row_hits, row_scores in zip(questions, hits.tolist(), scores.tolist(), strict=True)
            for rank, (hit, score) in enumerate(zip(row_hits, row_scores, strict=True), 1)
        ]
    return results


def by_sets(
    qrels: list[dict[str, Any]], run: list[dict[str, Any]], cutoffs: tuple[int, ...]
) -> dict[str, dict[str, float]]:
    documents = sorted({row["doc_id"] for row in (*qrels, *run)})

    def characters(row: dict[str, Any]) -> range:
        """The characters of a part, numbered from a different billion for each document."""
        first = documents.index(row["doc_id"]) * 10**9
        return range(first + row["start"], first + row["end"])

    relevant: dict[str, set[int]] = {}
    for row in qrels:
        relevant.setdefault(row["query_id"], set()).update(characters(row))
    results: dict[str, list[dict[str, Any]]] = {}
    for row in run:
        results.setdefault(row["query_id"], []).append(row)
    values: dict[str, dict[str, float]] = {}
    for query, relevant_text in relevant.items():
        for k in cutoffs:
            shown: set[int] = set()
            read = 0
            for row in results.get(query, [])[:k]:
                read += row["end"] - row["start"]
                shown.update(characters(row))
            hits = len(shown & relevant_text)
            precision, recall = hits / read if read else 0.0, hits / len(relevant_text)
            for name, value in {
                "TextP": precision,
                "TextR": recall,
                "TextF": 2 * precision * recall / (precision + recall) if hits else 0.0,
                "TextIoU": hits / len(shown | relevant_text),
                "Redundancy": 1 - len(shown) / read if read else 0.0,
            }.items():
                values.setdefault(f"{name}@{k}", {})[query] = value
    return values


@pytest.mark.parametrize("name", CHUNKERS)
def test_three_chunkings_equal_sets_of_characters(
    name: str, qrels: list[dict[str, Any]], runs: dict[str, list[dict[str, Any]]]
) -> None:
    expected = by_sets(qrels, runs[name], (1, 5, 10))
    scores = pw.evaluate(qrels, {name: runs[name]}, list(expected))
    values_of_run = scores.per_query()[name]
    assert len(values_of_run["TextR@5"]) == 472
    for measure, values in expected.items():
        assert values_of_run[measure] == pytest.approx(values, abs=1e-12), measure


def test_the_rag_task_distinguishes_the_chunkings(
    qrels: list[dict[str, Any]], runs: dict[str, list[dict[str, Any]]]
) -> None:
    means = pw.evaluate(qrels, runs, task="rag").mean()
    assert list(means) == list(CHUNKERS)
    assert means["fixed400"]["Redundancy@10"] == 0
    assert means["fixed200half"]["Redundancy@10"] > 0.1
    assert means["fixed200half"]["TextP@1"] > means["fixed400"]["TextP@1"]


def test_files_and_objects_give_the_same(
    tmp_path: Path, qrels: list[dict[str, Any]], runs: dict[str, list[dict[str, Any]]]
) -> None:
    (tmp_path / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in qrels))
    (tmp_path / "fixed400.jsonl").write_text("".join(json.dumps(row) + "\n" for row in runs["fixed400"]))
    from_files = pw.evaluate(tmp_path / "qrels.jsonl", tmp_path / "fixed400.jsonl", ["TextIoU@5", "iAP"])
    from_objects = pw.evaluate(qrels, {"fixed400": runs["fixed400"]}, ["TextIoU@5", "iAP"])
    assert from_files.per_query() == from_objects.per_query()


# ---- mistakes that other tools make ---------------------------------------------------------------------------


def test_abutting_chunks_do_not_touch() -> None:
    qrels = {"q": [("d", 0, 10)]}
    scores = pw.evaluate(qrels, {"q": [("d", 10, 20), ("d", 20, 30)]}, ["TextR", "TextIoU", "Overlap", "Redundancy"])
    assert set(scores.mean()["run"].values()) == {0.0}


def test_a_chunk_twice_never_pushes_recall_above_one() -> None:
    qrels = {"q": [("d", 0, 10)]}
    twice = {"q": [("d", 0, 10), ("d", 0, 10)]}
    means = pw.evaluate(qrels, twice, ["TextR", "TextP", "Redundancy", "TextIoU"]).mean()["run"]
    assert means == {"TextR": 1.0, "TextP": 0.5, "Redundancy": 0.5, "TextIoU": 1.0}


def test_an_empty_list_scores_zero() -> None:
    qrels = {"q": [("d", 0, 10)], "p": [("d", 0, 10)]}
    names = ["TextP", "TextR", "TextF", "TextIoU", "iP@0", "iAP", "TextAP", "gP@5", "gR", "AgP", "nDCG@10"]
    scores = pw.evaluate(qrels, {"q": [], "p": [("d", 0, 10)]}, names)
    assert all(values["q"] == 0 and len(values) == 2 for values in scores.per_query()["run"].values())
