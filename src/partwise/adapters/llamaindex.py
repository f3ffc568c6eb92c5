"""LlamaIndex: runs from the nodes that retrievers return, with or without scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.placing import Row, offset, ranked, result_error, run_of, texts_by_id, texts_of
from partwise.location import KEEP
from partwise.messages import adapters
from partwise.model import Run

_RESULTS = "lists of LlamaIndex nodes, with scores or without"

Of = str | Callable[[Any], Any] | None
"""The metadata key that holds the id of a node's document, or a function; None: its ``ref_doc_id``."""


def _text(node: Any) -> str | None:
    text = getattr(node, "text", None)
    if text is None and hasattr(node, "get_content"):
        text = node.get_content()
    return text if isinstance(text, str) else None


def _id(node: Any, source: Of, attribute: str) -> str | None:
    if source is None:
        name = getattr(node, attribute, None)
    else:
        name = source(node) if callable(source) else (getattr(node, "metadata", None) or {}).get(source)
    return None if name is None else str(name)


def documents(given: Iterable[Any], *, source: Of = None) -> dict[str, str]:
    """The texts of LlamaIndex documents, by their ids or by the `source` in their metadata."""
    return texts_by_id(
        given,
        _text,
        lambda document: _id(document, source, "node_id"),
        "LlamaIndex documents",
        adapters.SECOND_LLAMAINDEX_DOCUMENT,
    )


def run(
    results: Mapping[Any, Any],
    documents: Any = None,
    *,
    source: Of = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from what a retriever returned, ``{query_id: nodes in rank order}``, or responses with their source nodes.

    A node is at ``start_char_idx`` to ``end_char_idx`` of the document ``ref_doc_id`` (or `source`). A node without
    them is searched for in `documents`: LlamaIndex documents, a mapping of ids to texts, or a collection. If there are
    documents, every offset is checked. A node that occurs in several places, or in none, keeps its rank and size and
    counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or
    ``error``; the run's notes count them.
    """
    texts = _texts(documents, source)
    rows: list[Row] = []
    for query, rank, item in ranked(_nodes(results), _RESULTS):
        node = getattr(item, "node", item)
        text = _text(node)
        if text is None:
            raise result_error(query, rank, adapters.WRONG_TYPE(type=type(item).__name__, expected=_RESULTS))
        score = getattr(item, "score", None)
        row: Row = {"query_id": query, "rank": rank, "text": text, "doc_id": _id(node, source, "ref_doc_id")}
        if score is not None:
            row["score"] = score
        if row["doc_id"] is None and _id(node, None, "node_id") in (texts or ()):
            row["doc_id"] = node.node_id
        start, end = (offset(getattr(node, name, None)) for name in ("start_char_idx", "end_char_idx"))
        if row["doc_id"] is not None and start is not None and end is not None:
            row |= {"start": start, "end": end}
        rows.append(row)
    return run_of(rows, texts, run_id, ambiguous, missing, adapters.NO_LLAMAINDEX_PLACE)


def _nodes(results: Any) -> Any:
    if not isinstance(results, Mapping):
        return results
    return {query: getattr(response, "source_nodes", response) for query, response in results.items()}


def _texts(documents_input: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(documents_input, (list, tuple)):
        return documents(documents_input, source=source)
    return None if documents_input is None else texts_of(documents_input)
