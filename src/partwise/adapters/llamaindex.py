"""LlamaIndex: nodes that retrievers return, with their scores or bare, as runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.placing import Row, at_result, offset, ranked, run_of, texts_by_id, texts_of
from partwise.location import KEEP
from partwise.model import Run

_RESULTS = "lists of LlamaIndex nodes, with scores or without"
_OFFSETS = "use a node parser that sets start_char_idx"

Of = str | Callable[[Any], Any] | None
"""The key in a node's metadata that says which document it is of, or a function; None for its ``ref_doc_id``."""


def _text(node: Any) -> str | None:
    text = getattr(node, "text", None)
    if text is None and hasattr(node, "get_content"):
        text = node.get_content()
    return text if isinstance(text, str) else None


def _id(node: Any, source: Of, attribute: str) -> str | None:
    if source is None:
        found = getattr(node, attribute, None)
    else:
        found = source(node) if callable(source) else (getattr(node, "metadata", None) or {}).get(source)
    return None if found is None else str(found)


def documents(given: Iterable[Any], *, source: Of = None) -> dict[str, str]:
    """The texts of LlamaIndex documents by their ids, or by what their metadata calls `source`."""
    return texts_by_id(
        given,
        _text,
        lambda document: _id(document, source, "node_id"),
        "LlamaIndex documents",
        "give source=, a function that tells them apart",
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
    """What a retriever returned, ``{query_id: nodes in rank order}``, as a run; a response stands for its source nodes.

    A node stands at ``start_char_idx`` to ``end_char_idx`` of the document ``ref_doc_id`` (or `source`). One without
    them is looked for in `documents`: LlamaIndex's own, a mapping of ids to texts, or a collection. With documents at
    hand every offset is checked. A node that has no one place keeps its rank and size and brings nothing, unless
    `ambiguous` says ``first``, ``skip`` or ``error``, and `missing` ``skip`` or ``error``; the run's notes count them.
    """
    known = _known(documents, source)
    rows: list[Row] = []
    for query, rank, item in ranked(_nodes(results), _RESULTS):
        node = getattr(item, "node", item)
        text = _text(node)
        if text is None:
            raise at_result(query, rank)(f"is of type {type(item).__name__}", f"give {_RESULTS}")
        score = getattr(item, "score", None)
        row: Row = {"query_id": query, "rank": rank, "text": text, "doc_id": _id(node, source, "ref_doc_id")}
        if score is not None:
            row["score"] = score
        if row["doc_id"] is None and _id(node, None, "node_id") in (known or ()):
            row["doc_id"] = node.node_id
        start, end = (offset(getattr(node, name, None)) for name in ("start_char_idx", "end_char_idx"))
        if row["doc_id"] is not None and start is not None and end is not None:
            row |= {"start": start, "end": end}
        rows.append(row)
    return run_of(rows, known, run_id, ambiguous, missing, _OFFSETS)


def _nodes(results: Any) -> Any:
    if not isinstance(results, Mapping):
        return results
    return {query: getattr(found, "source_nodes", found) for query, found in results.items()}


def _known(given: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(given, (list, tuple)):
        return documents(given, source=source)
    return None if given is None else texts_of(given)
