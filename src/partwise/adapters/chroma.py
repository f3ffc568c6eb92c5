"""Chroma's chunking evaluation: questions with the passages that answer them, ``questions_df.csv``, and the corpora."""

from __future__ import annotations

import json
import os
from typing import Any

from partwise.adapters.dataset import Dataset, cell, no_folder, read_text, rows_of, span_of
from partwise.adapters.placing import Row, assessments_of
from partwise.errors import shown
from partwise.messages import adapters
from partwise.model import Source

QUESTIONS, CORPORA, SUFFIXES = "questions_df.csv", "corpora", (".md", ".txt")
_REFERENCES = '[{"content": ..., "start_index": ..., "end_index": ...}]'


def load(folder: str | os.PathLike[str]) -> Dataset:
    """The data set in a folder: ``questions_df.csv``, and ``corpora/`` with a file per ``corpus_id``.

    Query ids are q0, q1 ... in the order of the file. Every reference is compared with the text at its offsets.
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
        for content, start, end in _references(row["references"], source, line):
            passage = {"query_id": query, "doc_id": doc, "start": start, "end": end, "length": len(documents[doc])}
            passages.setdefault((query, doc, start, end), (passage | {"text": content}, line))
    judged = list(passages.values())
    assessments = assessments_of([row for row, _ in judged], [line for _, line in judged], source, documents)
    return Dataset(assessments, queries, documents)


def _corpus(folder: str, doc: str, source: Source, line: int) -> str:
    inside = os.path.join(folder, CORPORA)
    for name in (doc, *(doc + suffix for suffix in SUFFIXES)):
        path = os.path.join(inside, name)
        if os.path.basename(name) == name and os.path.isfile(path):
            return read_text(path)
    raise source.error(adapters.NO_CORPUS(name=shown(doc), folder=inside, file=doc + SUFFIXES[0]), line=line)


def _references(cell: Any, source: Source, line: int) -> list[tuple[str, int, int]]:
    """The texts and spans of a question's references."""
    try:
        items = json.loads(cell) if isinstance(cell, str) else cell
        references = [(item["content"], item["start_index"], item["end_index"]) for item in items]
        if not all(isinstance(content, str) for content, _, _ in references):
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise source.error(adapters.BAD_REFERENCES(value=shown(cell), expected=_REFERENCES), line=line) from None
    spans = []
    for content, start, end in references:
        span = span_of(start, end)
        if span is None:
            raise source.error(adapters.BAD_REFERENCE(text=shown(content), start=start, end=end), line=line)
        spans.append((content, *span))
    return spans
