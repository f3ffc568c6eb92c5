"""LangChain: runs from the documents that retrievers return (``page_content``, ``metadata``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.placing import Row, offset, ranked, result_error, run_of, texts_by_id, texts_of
from partwise.location import KEEP
from partwise.messages import adapters
from partwise.model import Run

SOURCE = "source"
_RESULTS = "lists of LangChain documents, or of pairs of a document and its score"

Of = str | Callable[[Any], Any]
"""The metadata key that holds the id of the (original) document, or a function that returns the id."""


def _id(document: Any, source: Of) -> str | None:
    """The id of the document that this is, or is a part of; None if it is not known."""
    name = source(document) if callable(source) else (getattr(document, "metadata", None) or {}).get(source)
    return None if name is None else str(name)


def documents(given: Iterable[Any], *, source: Of = SOURCE) -> dict[str, str]:
    """The texts of LangChain documents, by the `source` in their metadata, or else by their ``id``."""
    return texts_by_id(
        given,
        lambda document: getattr(document, "page_content", None),
        lambda document: _id(document, source) or getattr(document, "id", None),
        "LangChain documents",
        adapters.SECOND_LANGCHAIN_DOCUMENT,
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
    """A run from what a retriever returned, ``{query_id: documents in rank order}``.

    A chunk starts at ``metadata["start_index"]`` of the document that `source` names. A chunk without either is
    searched for in `documents`: LangChain documents, a mapping of ids to texts, or a collection. If there are
    documents, every offset is checked. A chunk that occurs in several places, or in none, keeps its rank and size and
    counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or
    ``error``; the run's notes count them.
    """
    texts = _texts(documents, source)
    rows: list[Row] = []
    for query, rank, item in ranked(results, _RESULTS):
        chunk, score = item if isinstance(item, (tuple, list)) and len(item) == 2 else (item, None)
        text = getattr(chunk, "page_content", None)
        if not isinstance(text, str):
            raise result_error(query, rank, adapters.WRONG_TYPE(type=type(chunk).__name__, expected=_RESULTS))
        row: Row = {"query_id": query, "rank": rank, "text": text, "doc_id": _id(chunk, source)}
        if score is not None:
            row["score"] = score
        if row["doc_id"] is None and getattr(chunk, "id", None) in (texts or ()):
            row["doc_id"] = chunk.id
        start = offset((getattr(chunk, "metadata", None) or {}).get("start_index"))
        if row["doc_id"] is not None and start is not None:
            row |= {"start": start, "end": start + len(text)}
        rows.append(row)
    return run_of(rows, texts, run_id, ambiguous, missing, adapters.NO_LANGCHAIN_PLACE)


def _texts(documents_input: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(documents_input, (list, tuple)):
        return documents(documents_input, source=source)
    return None if documents_input is None else texts_of(documents_input)
