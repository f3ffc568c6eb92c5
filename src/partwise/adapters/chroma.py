"""Chroma: `run` for the results of queries, `load` for its chunking evaluation.

The evaluation is a file of questions with the passages that answer them, ``questions_df.csv``, and the corpora. Results
have a list per query in every column: ``ids``, ``documents``, ``metadatas`` and ``distances`` (``scores`` of a search),
or None for a column that was not included.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from partwise.adapters.chunks import Hook, Hooks
from partwise.adapters.dataset import Dataset, cell, no_folder, read_text, rows_of, span_of
from partwise.adapters.placing import Row, assessments_of, texts_of
from partwise.adapters.records import Record, described, id_in, run_of_records, score_in, text_in
from partwise.errors import PartwiseError, shown
from partwise.location import KEEP
from partwise.messages import adapters
from partwise.model import Run, Source

QUESTIONS, CORPORA, SUFFIXES = "questions_df.csv", "corpora", (".md", ".txt")
_REFERENCES = '[{"content": ..., "start_index": ..., "end_index": ...}]'
_RESULTS = "a result of collection.query, or {query_id: result of one query}"


def run(
    results: Mapping[Any, Any],
    documents: Any = None,
    *,
    queries: Iterable[Any] | None = None,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Hook = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from a result of ``collection.query`` or ``collection.search``, whose query ids are `queries`, in order.

    Without `queries` it is ``{query_id: result}``, each of one query. Chunks are ranked as they are listed, the nearest
    first; the score of a chunk is its negative distance. Document, start and end are looked up in the metadata under
    the names that columns of tables may have (``source``, ``start_index`` ...); `text`, `start`, `end` and `source`
    name other keys, or are functions of a record with `id`, `text`, `metadata` and `score`.

    With `documents` (a mapping of ids to texts, or a collection) every chunk is checked: one that is not at its
    offsets, or has none, is located by its text. One that occurs in several places, or in none, keeps its rank and size
    and counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or
    ``error``; the run's notes count them. Without documents, a chunk whose place is not certain is an error.
    """
    hooks = Hooks(text, start, end, source)
    texts = None if documents is None else texts_of(documents)
    retrieved = _records(results, None if queries is None else _ids(queries))
    return run_of_records(retrieved, hooks, texts, run_id, ambiguous, missing, no_text=adapters.NO_CHROMA_TEXT)


def _ids(queries: Any) -> list[str]:
    if isinstance(queries, (str, bytes)) or not hasattr(queries, "__iter__"):
        raise PartwiseError(adapters.NOT_RESULTS(found=described(queries), expected="a list of ids"), file="queries")
    ids = [str(query) for query in queries]
    for number, query in enumerate(ids):
        if query in ids[:number]:
            raise PartwiseError(adapters.QUERY_TWICE(query=shown(query)))
    return ids


def _records(results: Any, queries: list[str] | None) -> Iterator[tuple[str, int, Record]]:
    if queries is not None:
        yield from _of_result(results, queries, None)
        return
    if not isinstance(results, Mapping):
        raise PartwiseError(adapters.RESULTS_TYPE(type=type(results).__name__, expected="result of collection.query"))
    if isinstance(results.get("ids"), list):
        raise PartwiseError(adapters.CHROMA_QUERIES(count=len(results["ids"]), names="none"))
    for query, result in results.items():
        yield from _of_result(result, [str(query)], f"query {query}")


def _of_result(result: Any, queries: list[str], where: str | None) -> Iterator[tuple[str, int, Record]]:
    ids = result.get("ids") if isinstance(result, Mapping) else None
    if not isinstance(ids, list) or not all(isinstance(of_query, list) for of_query in ids):
        found = "a result of collection.get, which has no order" if isinstance(ids, list) else described(result)
        raise PartwiseError(adapters.NOT_RESULTS(found=found, expected=_RESULTS), file=where)
    if len(ids) != len(queries):
        raise PartwiseError(adapters.CHROMA_QUERIES(count=len(ids), names=len(queries)), file=where)
    read = ("documents", "metadatas", "scores" if result.get("distances") is None else "distances")
    for number, (query, names) in enumerate(zip(queries, ids, strict=True)):
        columns = [_column(result, column, number, query, len(names)) for column in read]
        for rank, (name, document, metadata, distance) in enumerate(zip(names, *columns, strict=True), 1):
            away = score_in(distance)
            score = None if away is None else -away
            yield query, rank, Record(text_in(document), metadata or {}, id_in(name), score)


def _column(result: Mapping[str, Any], column: str, number: int, query: str, count: int) -> list[Any]:
    """The cells of one query, None for each if the column is not included."""
    cells = result.get(column)
    if cells is not None:
        cells = cells[number] if isinstance(cells, list) and number < len(cells) else cells
    if cells is None:
        return [None] * count
    if not isinstance(cells, list) or len(cells) != count:
        found = f"a list of {len(cells)}" if isinstance(cells, list) else described(cells)
        raise PartwiseError(adapters.CHROMA_COLUMN(column=column, found=found, count=count), file=f"query {query}")
    return cells


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
