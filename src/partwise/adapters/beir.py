"""BEIR: a folder with ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv``."""

from __future__ import annotations

import os

from partwise.adapters.dataset import Dataset, add_once, cell, no_folder, rows_of
from partwise.adapters.placing import assessments_of
from partwise.errors import shown
from partwise.messages import adapters


def load(folder: str | os.PathLike[str], split: str = "test") -> Dataset:
    """The data set in a folder, with the document grades of one split.

    The text of a document is its title, a blank and its text, as BEIR's models read it; offsets refer to that text.
    """
    where = os.fspath(folder)
    if not os.path.isdir(where):
        raise no_folder(where, "corpus.jsonl, queries.jsonl and qrels")
    documents: dict[str, str] = {}
    rows, lines, source = rows_of(os.path.join(where, "corpus.jsonl"), ("_id", "text"), "documents of BEIR")
    for row, line in zip(rows, lines, strict=True):
        title, text = row.get("title") or "", row.get("text") or ""
        for name, value in (("title", title), ("text", text)):
            if not isinstance(value, str):
                raise source.error(adapters.NOT_TEXT(name=name, value=shown(value)), line=line)
        add_once(documents, cell(row, "_id", source, line), f"{title} {text}".strip(), source, line)
    queries: dict[str, str] = {}
    rows, lines, source = rows_of(os.path.join(where, "queries.jsonl"), ("_id", "text"), "queries of BEIR")
    for row, line in zip(rows, lines, strict=True):
        add_once(queries, cell(row, "_id", source, line), cell(row, "text", source, line), source, line)
    names = ("query-id", "corpus-id", "score")
    rows, lines, source = rows_of(os.path.join(where, "qrels", f"{split}.tsv"), names, "qrels of BEIR")
    grades = [{"query_id": row["query-id"], "doc_id": row["corpus-id"], "grade": row["score"]} for row in rows]
    return Dataset(assessments_of(grades, lines, source), queries, documents)
