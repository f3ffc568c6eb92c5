"""LegalBench-RAG: a JSON file of tests, each a query with snippets (``file_path, span``) of the documents."""

from __future__ import annotations

import json
import os
from typing import Any

from partwise.adapters.dataset import Dataset, span_of
from partwise.adapters.placing import Row, assessments_of, texts_of
from partwise.collection.plain import decoded
from partwise.errors import PartwiseError, shown
from partwise.files import read_bytes
from partwise.messages import adapters
from partwise.model import Source
from partwise.quotes import Quote, misplaced

_TESTS = '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": [start, end]}]}]}'


def load(path: str | os.PathLike[str], corpus: Any = None) -> Dataset:
    """The benchmark in a JSON file, and the documents of `corpus`: a folder, an archive, or texts by id.

    Query ids are q0, q1 ... in the order of the file. A document's id is its path without the suffix, as in
    collections. The ``answer`` of a snippet must be at its span in these documents.
    """
    name = os.fspath(path)
    source = Source(name)
    text = decoded(read_bytes(path), name)
    try:
        tests = json.loads(text)["tests"]
        pairs = [
            (test["query"], [(item.get("answer"), item["file_path"], *item["span"]) for item in test["snippets"]])
            for test in tests
        ]
    except json.JSONDecodeError as error:
        raise source.error(adapters.NOT_JSON(reason=error.msg, expected=_TESTS), line=error.lineno) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise source.error(adapters.NOT_LEGALBENCH(expected=_TESTS)) from None
    queries: dict[str, str] = {}
    passages: dict[tuple[str, str, int, int], Row] = {}
    answers: list[tuple[str, Quote]] = []
    for number, (query, snippets) in enumerate(pairs):
        query_id = f"q{number}"
        where = f"{name}, test {number + 1}"
        if not isinstance(query, str):
            raise PartwiseError(adapters.NOT_TEXT(name="query", value=shown(query)), file=where)
        queries[query_id] = query
        for answer, *item in snippets:
            span = span_of(*item[1:]) if len(item) == 3 else None
            if span is None or not isinstance(item[0], str):
                raise PartwiseError(adapters.BAD_SNIPPET(value=shown(tuple(item))), file=where)
            doc, (start, end) = os.path.splitext(item[0])[0], span
            passage = {"query_id": query_id, "doc_id": doc, "start": start, "end": end}
            passages.setdefault((query_id, doc, start, end), passage)
            if isinstance(answer, str):
                answers.append((where, Quote(doc, start, end, answer)))
    documents = {} if corpus is None else texts_of(corpus)
    for found, message in misplaced([quote for _, quote in answers], documents):
        raise PartwiseError(message, file=answers[found][0])
    rows = list(passages.values())
    assessments = assessments_of(rows, range(1, len(rows) + 1), Source(name, is_file=False))
    return Dataset(assessments, queries, documents)
