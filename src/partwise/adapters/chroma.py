"""Chroma's chunking evaluation: questions with the passages that answer them, ``questions_df.csv``, and the corpora."""

from __future__ import annotations

import json
import os
from typing import Any

from partwise.adapters.dataset import Dataset, cell, no_folder, read_text, rows_of, span_of
from partwise.adapters.placing import Row, assessments_of
from partwise.errors import shown
from partwise.model import Source

QUESTIONS, CORPORA, SUFFIXES = "questions_df.csv", "corpora", (".md", ".txt")
_REFERENCES = '[{"content": ..., "start_index": ..., "end_index": ...}]'


def load(folder: str | os.PathLike[str]) -> Dataset:
    """The data set in a folder: ``questions_df.csv``, and ``corpora/`` with a file per ``corpus_id``.

    Queries are called q0, q1 ... in the order of the file. Every reference is compared with the text at its place.
    """
    where = os.fspath(folder)
    if not os.path.isdir(where):
        raise no_folder(where, f"{QUESTIONS} and {CORPORA}")
    rows, lines, source = rows_of(
        os.path.join(where, QUESTIONS), ("question", "references", "corpus_id"), "chunking questions"
    )
    documents: dict[str, str] = {}
    queries: dict[str, str] = {}
    passages: dict[tuple[str, str, int, int], tuple[Row, int]] = {}
    for number, (row, line) in enumerate(zip(rows, lines, strict=True)):
        query, doc = f"q{number}", cell(row, "corpus_id", source, line)
        queries[query] = cell(row, "question", source, line)
        if doc not in documents:
            documents[doc] = _corpus(where, doc, source, line)
        for start, end in _references(row["references"], documents[doc], source, line):
            passage = {"query_id": query, "doc_id": doc, "start": start, "end": end, "length": len(documents[doc])}
            passages.setdefault((query, doc, start, end), (passage, line))
    found = list(passages.values())
    assessments = assessments_of([row for row, _ in found], [line for _, line in found], source)
    return Dataset(assessments, queries, documents)


def _corpus(folder: str, doc: str, source: Source, line: int) -> str:
    inside = os.path.join(folder, CORPORA)
    for name in (doc, *(doc + suffix for suffix in SUFFIXES)):
        path = os.path.join(inside, name)
        if os.path.basename(name) == name and os.path.isfile(path):
            return read_text(path)
    raise source.error(f"there is no corpus {shown(doc)} in {inside}", f"give {doc}{SUFFIXES[0]} there", line)


def _references(cell: Any, text: str, source: Source, line: int) -> list[tuple[int, int]]:
    """The spans of a question's references, each of which must be the text that stands there."""
    try:
        given = json.loads(cell) if isinstance(cell, str) else cell
        found = [(item["content"], item["start_index"], item["end_index"]) for item in given]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise source.error(f"the references are {shown(cell)}", f"write {_REFERENCES}", line) from None
    spans = []
    for content, start, end in found:
        span = span_of(start, end)
        if span is None or text[span[0] : span[1]] != content:
            raise source.error(
                f"the reference {shown(content)} does not stand at {start} to {end}",
                "offsets count the characters of the corpus as it stands in its file",
                line,
            )
        spans.append(span)
    return spans
