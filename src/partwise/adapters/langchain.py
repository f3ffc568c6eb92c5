"""LangChain: documents that retrievers return (``page_content``, ``metadata``), as runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.placing import Row, at_result, offset, ranked, run_of, texts_by_id, texts_of
from partwise.location import KEEP
from partwise.model import Run

SOURCE = "source"
_RESULTS = "lists of LangChain documents, or of pairs of a document and its score"
_OFFSETS = "split with add_start_index=True and keep the source in metadata"

Of = str | Callable[[Any], Any]
"""The key in a document's metadata that says which document it is (of), or a function that says it."""


def _id(document: Any, source: Of) -> str | None:
    """Which document this is, or is a part of; None if it does not say."""
    found = source(document) if callable(source) else (getattr(document, "metadata", None) or {}).get(source)
    return None if found is None else str(found)


def documents(given: Iterable[Any], *, source: Of = SOURCE) -> dict[str, str]:
    """The texts of LangChain documents by what their metadata calls `source`, else by their ``id``."""
    return texts_by_id(
        given,
        lambda document: getattr(document, "page_content", None),
        lambda document: _id(document, source) or getattr(document, "id", None),
        "LangChain documents",
        "tell pages apart: source=lambda d: f\"{d.metadata['source']}#{d.metadata['page']}\"",
    )


def run(
    results: Mapping[Any, Iterable[Any]],
    documents: Any = None,
    *,
    source: Of = SOURCE,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """What a retriever returned, ``{query_id: documents in rank order}``, as a run.

    A chunk stands at ``metadata["start_index"]`` of the document that `source` names. One without either is looked for
    in `documents`: LangChain's own, a mapping of ids to texts, or a collection. With documents at hand every offset is
    checked. A chunk that has no one place keeps its rank and size and brings nothing, unless `ambiguous` says
    ``first``, ``skip`` or ``error``, and `missing` ``skip`` or ``error``; the run's notes count them.
    """
    known = _known(documents, source)
    rows: list[Row] = []
    for query, rank, item in ranked(results, _RESULTS):
        chunk, score = item if isinstance(item, (tuple, list)) and len(item) == 2 else (item, None)
        text = getattr(chunk, "page_content", None)
        if not isinstance(text, str):
            raise at_result(query, rank)(f"is of type {type(chunk).__name__}", f"give {_RESULTS}")
        row: Row = {"query_id": query, "rank": rank, "text": text, "doc_id": _id(chunk, source)}
        if score is not None:
            row["score"] = score
        if row["doc_id"] is None and getattr(chunk, "id", None) in (known or ()):
            row["doc_id"] = chunk.id
        start = offset((getattr(chunk, "metadata", None) or {}).get("start_index"))
        if row["doc_id"] is not None and start is not None:
            row |= {"start": start, "end": start + len(text)}
        rows.append(row)
    return run_of(rows, known, run_id, ambiguous, missing, _OFFSETS)


def _known(given: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(given, (list, tuple)):
        return documents(given, source=source)
    return None if given is None else texts_of(given)
