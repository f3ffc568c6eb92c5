"""Which chunks should a RAG pipeline retrieve? Three splitters of LangChain, one retriever, scored by characters.

Reads Chroma's chunking evaluation (questions_df.csv and corpora/), splits the corpora three ways, retrieves with BM25
for every question, and prints how much of the retrieved text is relevant, how much of the relevant text is retrieved,
and how much was retrieved twice. Equal retrieval scores are in the order of documents and offsets.

Usage: python examples/rag_chunkers.py FOLDER
"""

from __future__ import annotations

import sys
from typing import Any

from retrieval import bm25
from tables import table

import partwise as pw
from partwise.adapters import chroma, langchain

MEASURES = ["TextP@5", "TextR@5", "TextIoU@5", "TextR(budget=1000)", "Redundancy@5"]


def langchain_splitters() -> dict[str, Any]:
    from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter

    return {
        "windows": CharacterTextSplitter(separator="", chunk_size=400, chunk_overlap=200, add_start_index=True),
        "recursive-400": RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0, add_start_index=True),
        "recursive-200": RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0, add_start_index=True),
    }


def retrieve(chunks: list[Any], queries: dict[str, str], depth: int = 10) -> dict[str, list[Any]]:
    """The best chunks for every query, as a retriever of LangChain returns them."""
    found, _ = bm25([chunk.page_content for chunk in chunks], list(queries.values()), depth)
    return {query: [chunks[hit] for hit in hits] for query, hits in zip(queries, found.tolist(), strict=True)}


def main(folder: str, splitters: dict[str, Any]) -> pw.Scores:
    data = chroma.load(folder)
    texts, sources = list(data.documents.values()), [{"source": name} for name in data.documents]
    runs = []
    for name, splitter in splitters.items():
        chunks = splitter.create_documents(texts, metadatas=sources)
        runs.append(langchain.run(retrieve(chunks, data.queries), data.documents, run_id=name))
    return pw.evaluate(data.assessments, runs, MEASURES)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    scores = main(sys.argv[1], langchain_splitters())
    [summary] = scores.summary()
    table(summary, ["chunker", *MEASURES], [[run_id, *means.values()] for run_id, means in scores.mean().items()])
    print(*scores.notes, sep="\n", end="\n" if scores.notes else "")
