"""A laboratory of retrieval systems: chunkers by retrievers, on 472 questions over five long texts.

Cuts the texts in fourteen ways, searches the pieces in four, scores all 56 systems with eleven measures, and studies
the measures: which agree, how often they contradict themselves, how many queries they need, how much they tell apart.
Equal retrieval scores are in the order of documents and offsets.

Usage: python examples/laboratory.py DATA OUT [--quick]
DATA has corpora/*.md and questions_df.csv; OUT gets qrels.jsonl, runs/*.run and scores.parquet, for `partwise compare`
and `partwise study`. With --quick: eight systems, 60 questions, and scores only.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import Stemmer
from retrieval import STOP_WORDS, bm25, cosine, words

import partwise as pw

Span = tuple[int, int]
Chunk = tuple[str, int, int]
DEPTH = 50
MEASURES = "iAP iP@0.01 TextAP TextP@5 TextR@5 TextF@5 TextIoU@5 TextR(budget=2000) TextF(budget=2000) T2IAP nDCG@10"


# ---- chunkers -------------------------------------------------------------------------------------------------


def windows(text: str, size: int, step: int) -> Iterator[Span]:
    for start in range(0, len(text), step):
        yield start, min(start + size, len(text))
        if start + size >= len(text):
            return


def pieces(text: str, pattern: str) -> list[Span]:
    return [match.span() for match in re.finditer(pattern, text, re.DOTALL)]


def paragraphs(text: str) -> list[Span]:
    return pieces(text, r"\S.*?(?=\n\s*\n|\s*\Z)")


def sentences(text: str) -> list[Span]:
    return pieces(text, r"\S.*?(?:[.!?][\"')\]]*(?=\s)|(?=\n\s*\n)|(?=\s*\Z))")


def grouped(spans: Sequence[Span], count: int) -> Iterator[Span]:
    """So many neighbours as one."""
    for i in range(0, len(spans), count):
        some = spans[i : i + count]
        yield some[0][0], some[-1][1]


def packed(spans: Sequence[Span], size: int) -> Iterator[Span]:
    """As many neighbours as one as fit into the size; what is longer by itself is cut."""
    start, end = -1, -1
    for low, high in spans:
        if start >= 0 and high - start <= size:
            end = high
            continue
        if start >= 0:
            yield start, end
        while high - low > size:
            yield low, low + size
            low += size
        start, end = low, high
    if start >= 0:
        yield start, end


CHUNKERS: dict[str, Callable[[str], Iterator[Span]]] = {
    **{f"fixed{size}": lambda text, size=size: windows(text, size, size) for size in (200, 400, 800, 1600)},
    **{f"half{size}": lambda text, size=size: windows(text, size, size // 2) for size in (200, 400, 800, 1600)},
    **{f"sentences{n}": lambda text, n=n: grouped(sentences(text), n) for n in (1, 3)},
    "paragraphs": lambda text: iter(paragraphs(text)),
    **{f"packed{size}": lambda text, size=size: packed(sentences(text), size) for size in (400, 800, 1600)},
}


# ---- retrievers -----------------------------------------------------------------------------------------------


def four_letters(text: str) -> list[str]:
    flat = " ".join(text.lower().split())
    return [flat[i : i + 4] for i in range(len(flat) - 3)]


STEM = Stemmer.Stemmer("english").stemWord
RETRIEVERS: dict[str, Callable[[list[str], list[str], int], tuple[Any, Any]]] = {
    "bm25": lambda texts, queries, depth: bm25(texts, queries, depth, STOP_WORDS),
    "bm25stem": lambda texts, queries, depth: bm25(texts, queries, depth, STOP_WORDS, STEM),
    "tfidf": lambda texts, queries, depth: cosine(texts, queries, depth, words),
    "letters": lambda texts, queries, depth: cosine(texts, queries, depth, four_letters),
}


# ---- the laboratory -------------------------------------------------------------------------------------------


def questions(folder: Path, limit: int | None = None) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Questions by id, and the passages that answer them."""
    with open(folder / "questions_df.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    step = max(1, len(rows) // limit) if limit else 1
    chosen = {f"q{i}": row for i, row in enumerate(rows) if i % step == 0}
    chosen = dict(list(chosen.items())[:limit])
    spans = dict.fromkeys(
        (query, row["corpus_id"], reference["start_index"], reference["end_index"])
        for query, row in chosen.items()
        for reference in json.loads(row["references"])
    )
    qrels = [{"query_id": q, "doc_id": d, "start": s, "end": e} for q, d, s, e in spans]
    return {query: row["question"] for query, row in chosen.items()}, qrels


def retrieved(texts: dict[str, str], asked: dict[str, str], chunker: str, retriever: str) -> list[dict[str, Any]]:
    """The run of one system."""
    chunks = [(doc, start, end) for doc, text in texts.items() for start, end in sorted(CHUNKERS[chunker](text))]
    bodies = [texts[doc][start:end] for doc, start, end in chunks]
    hits, scores = RETRIEVERS[retriever](bodies, list(asked.values()), min(DEPTH, len(chunks)))
    return [
        {"query_id": query, "doc_id": chunks[hit][0], "start": chunks[hit][1], "end": chunks[hit][2], "rank": rank,
         "score": float(score)}
        for query, row, values in zip(asked, hits.tolist(), scores.tolist(), strict=True)
        for rank, (hit, score) in enumerate(zip(row, values, strict=True), 1)
    ]  # fmt: skip


def run_systems(
    folder: Path, chunkers: Sequence[str], retrievers: Sequence[str], limit: int | None = None, out: Path | None = None
) -> pw.Scores:
    """The scores of all systems; with a folder to write to, their runs and the assessments too."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))}
    asked, qrels = questions(folder, limit)
    lengths = {doc: len(text) for doc, text in texts.items()}
    qrels = [{**row, "length": lengths[row["doc_id"]]} for row in qrels]
    if out is not None:
        (out / "runs").mkdir(parents=True, exist_ok=True)
        (out / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in qrels), encoding="utf-8")
    evaluator = pw.Evaluator(qrels, MEASURES)
    blocks: list[Any] = []
    for chunker in chunkers:
        for retriever in retrievers:
            name = f"{chunker}-{retriever}"
            rows = retrieved(texts, asked, chunker, retriever)
            blocks += evaluator.evaluate({name: rows}).blocks
            if out is not None:
                lines = (
                    f"{row['query_id']} Q0 {row['doc_id']} {row['rank']} {row['score']!r} {name} "
                    f"{row['start']} {row['end'] - row['start']}\n"
                    for row in rows
                )
                (out / "runs" / f"{name}.run").write_text("".join(lines), encoding="utf-8")
    return pw.Scores(blocks, len(asked))


def save(scores: pw.Scores, out: Path) -> None:
    pq.write_table(scores.to_arrow(mean=True), out / "scores.parquet")


def studies(scores: pw.Scores, trials: int) -> dict[str, pw.Findings]:
    """What the laboratory is for."""
    return {
        "agreement": pw.study.agreement(scores),
        "error rate": pw.study.error_rate(scores, trials=trials),
        "queries": pw.study.queries(scores, trials=trials),
        "power": pw.study.power(scores, trials=10 * trials),
    }


def main(arguments: Sequence[str]) -> dict[str, pw.Findings]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    if given.quick:
        scores = run_systems(given.data, ["fixed400", "half800", "sentences3", "packed1600"], ["bm25", "tfidf"], 60)
    else:
        scores = run_systems(given.data, list(CHUNKERS), list(RETRIEVERS), out=given.out)
    save(scores, given.out)
    return studies(scores, 20 if given.quick else 100)


if __name__ == "__main__":
    for title, found in main(sys.argv[1:]).items():
        print(f"== {title}")
        for line, rows in found.tables():
            print(line)
            for row in rows:
                print("  ", *(f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row.values()), sep="  ")
