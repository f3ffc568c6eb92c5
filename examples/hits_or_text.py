"""Which chunker is best? Hits and characters give different answers: fourteen chunkers, one retriever, 472 questions.

Splits the texts of Chroma's chunking evaluation with the chunkers of the laboratory, retrieves with BM25, and compares
measures that count found passages (PartHit, PartP, PartR) with measures that count characters (TextP, TextR, TextIoU):
how they rank the chunkers, and what length, overlap and the edges of chunks have to do with it.

Usage: python examples/hits_or_text.py DATA
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from laboratory import CHUNKERS, questions
from retrieval import bm25
from tables import table

import partwise as pw

DEPTH = 20
SIZE = "Read@5"
HITS = ["PartHit@5", "PartP@5", "PartR@5", "PartR(match=cover(1))@5", "PartR(match=iou(0.5))@5", "PartR(budget=2000)"]
TEXT = ["TextP@5", "TextR@5", "TextIoU@5", "TextR(budget=2000)"]
OVERLAP = ["PartP@5", "PartP(new=False)@5", "PartR@5", "PartR(match=cover(1))@5", "TextP@5", "TextR@5", "Redundancy@5"]

Chunk = tuple[str, int, int]
Runs = dict[str, dict[str, list[Chunk]]]


def retrieved(texts: dict[str, str], asked: dict[str, str]) -> Runs:
    """The results of every chunker; chunks are in the order of documents and offsets."""
    runs = {}
    for name, chunker in CHUNKERS.items():
        chunks = [(doc, start, end) for doc, text in texts.items() for start, end in sorted(chunker(text))]
        best, _ = bm25([texts[doc][start:end] for doc, start, end in chunks], list(asked.values()), DEPTH)
        runs[name] = {query: [chunks[hit] for hit in hits] for query, hits in zip(asked, best, strict=True)}
    return runs


def means(scores: pw.Scores, names: Iterable[str], measures: Sequence[str]) -> list[list[Any]]:
    values = scores.mean()
    return [[name, *(values[name][measure] for measure in measures)] for name in names]


def orders(scores: pw.Scores, queries: Sequence[str]) -> list[float]:
    """How PartR@5 and TextR@5 order all pairs of chunkers on single questions.

    The shares in the same order (or tied in both), in opposite orders, tied in PartR@5 only, and in TextR@5 only.
    """
    signs = []
    for measure in ("PartR@5", "TextR@5"):
        values = np.array([[of[measure][query] for query in queries] for of in scores.per_query().values()])
        first, second = map(list, zip(*itertools.combinations(range(len(values)), 2), strict=True))
        signs.append(np.sign(np.round(values[first] - values[second], 9)))
    hits, text = signs
    kinds = hits == text, hits * text < 0, (hits == 0) & (text != 0), (hits != 0) & (text == 0)
    return [float(kind.mean()) for kind in kinds]


def groups(gold: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Questions by how different the lengths of their passages are."""
    lengths: dict[str, list[int]] = {}
    for row in gold:
        lengths.setdefault(row["query_id"], []).append(row["end"] - row["start"])
    several = {query: max(sizes) / min(sizes) for query, sizes in lengths.items() if len(sizes) > 1}
    return {
        "one passage": [query for query in lengths if query not in several],
        "several, the longest below twice the shortest": [query for query, times in several.items() if times < 2],
        "several, the longest at least twice": [query for query, times in several.items() if times >= 2],
    }


def main(folder: Path) -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))}
    asked, gold = questions(folder)
    scores = pw.evaluate(gold, retrieved(texts, asked), list(dict.fromkeys([SIZE, *HITS, *TEXT, *OVERLAP])))
    by_size = sorted(means(scores, CHUNKERS, [SIZE, *HITS, *TEXT]), key=lambda row: row[1])
    table("Chunkers, by the number of characters in their first five chunks", ["chunker", SIZE, *HITS, *TEXT], by_size)
    tau = {(row["measure"], row["other"]): row["tau"] for row in pw.study.agreement(scores).rows()}
    rows = [[hit, tau[SIZE, hit], *(tau[hit, text] for text in TEXT)] for hit in HITS]
    table("\nKendall's tau between the rankings of the chunkers", ["", SIZE, *TEXT], rows)
    windows = [name for size in (200, 400, 800, 1600) for name in (f"fixed{size}", f"half{size}")]
    table("\nWindows without overlap, and overlapping by half", ["chunker", *OVERLAP], means(scores, windows, OVERLAP))
    rows = [[name, len(queries), *orders(scores, queries)] for name, queries in groups(gold).items()]
    head = ["questions with", "questions", "same order", "opposite", "PartR@5 ties", "TextR@5 ties"]
    table("\nHow PartR@5 and TextR@5 order two chunkers on one question", head, rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
