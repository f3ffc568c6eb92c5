"""Whose fault is it that the answer is not shown: the chunker's or the ranker's? Four chunkers, one retriever.

Splits the texts of Chroma's chunking evaluation with four chunkers of the laboratory, retrieves with BM25 (equal scores
are in the order of documents and offsets), and splits what is lost of the relevant text into what no choice of chunks
could show and what a better ranking of the same chunks would show: for one chunk, for five, and for 1,000 characters.

Usage: python examples/whose_fault.py DATA
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laboratory import CHUNKERS, questions
from retrieval import bm25
from tables import table

import partwise as pw
from partwise.diagnosis.failures import CUT, KINDS

CHOSEN = ("fixed400", "half400", "sentences3", "packed800")
LIMITS: dict[str, dict[str, Any]] = {
    "One chunk": {"k": 1},
    "Five chunks": {"k": 5},
    "1,000 characters": {"budget": 1000},
}
PARTS = ("best", "value", "lost_to_chunking", "lost_to_ranking", "precision_omega")
LOST = (CUT, *KINDS)


def systems(texts: dict[str, str], asked: dict[str, str]) -> dict[str, tuple[Any, Any]]:
    """All chunks of every chunker, and what is retrieved."""
    made = {}
    for name in CHOSEN:
        chunks = [(doc, start, end) for doc, text in texts.items() for start, end in sorted(CHUNKERS[name](text))]
        best, _ = bm25([texts[doc][start:end] for doc, start, end in chunks], list(asked.values()))
        run = {query: [chunks[hit] for hit in hits] for query, hits in zip(asked, best, strict=True)}
        rows = [{"doc_id": doc, "start": start, "end": end} for doc, start, end in chunks]
        made[name] = rows, run
    return made


def means(gold: Sequence[dict[str, Any]], made: dict[str, tuple[Any, Any]], **limit: Any) -> dict[str, dict[str, Any]]:
    """The last row of the diagnosis of every chunker, that of the means."""
    return {name: pw.diagnose(gold, run, chunks, **limit).rows()[-1] for name, (chunks, run) in made.items()}


def main(folder: Path) -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))}
    asked, gold = questions(folder)
    made = systems(texts, asked)
    for title, limit in LIMITS.items():
        found = means(gold, made, **limit)
        rows = [[name, len(made[name][0]), *(row[part] for part in PARTS)] for name, row in found.items()]
        table(f"{title}: means over {len(asked)} questions", ["chunker", "chunks", *PARTS], rows)
        edges = [f"{part}_{edge}" for part in ("lost_to_chunking", "lost_to_ranking") for edge in ("low", "high")]
        rows = [[name, *(row[edge] for edge in edges)] for name, row in found.items()]
        table(f"\n95% intervals ({next(iter(found.values()))['interval']})", ["chunker", *edges], rows)
        rows = [[name, *(row[kind] for kind in LOST)] for name, row in found.items()]
        table(
            "\nPassages that are not shown whole; those that are cut have one of the other kinds too",
            ["chunker", *LOST],
            rows,
        )
        print()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
