"""LlamaIndex: runs from the nodes that retrievers return, with or without scores.

The offsets of a node count from the start of its document, unless the node has a parent that is another node: then they
count from the start of the parent, as those of hierarchical node parsers do. If the text of a node was replaced by one
of its metadata, such as the window around a sentence, its offsets are still those of the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.chunks import Hook, Hooks, claim_of, id_of, metadata_of, offset, ranked, result_error, run_of
from partwise.adapters.placing import Claim, Row, texts_by_id, texts_of
from partwise.errors import shown
from partwise.location import KEEP, Matching
from partwise.messages import adapters
from partwise.model import Run
from partwise.placement import GIVEN, PARENT
from partwise.types import Match

_RESULTS = "lists of LlamaIndex nodes, with scores or without"
_DOCUMENT = "4"
"""The value of ``ObjectType.DOCUMENT``."""

Of = str | Callable[[Any], Any] | None
"""The metadata key that holds the id of a node's document, or a function; None: its ``ref_doc_id``."""


def _text(node: Any) -> str | None:
    text = getattr(node, "text", None)
    if text is None and hasattr(node, "get_content"):
        text = node.get_content()
    return text if isinstance(text, str) else None


def _id(node: Any, source: Of, attribute: str) -> str | None:
    if source is not None:
        return id_of(node, source)
    name = getattr(node, attribute, None)
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
    nodes: Iterable[Any] = (),
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Of = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
    match: Match = "normalised",
    min_score: float | None = None,
) -> Run:
    """A run from what a retriever returned, ``{query_id: nodes in rank order}``, or responses with their source nodes.

    A node is at ``start_char_idx`` to ``end_char_idx`` of the document ``ref_doc_id`` (or `source`). If these count
    from a parent node, the place follows from the parent, which must be among the results or in `nodes` (such as those
    of a docstore). `text`, `start`, `end` and `source` are metadata keys, or functions of the node: `text` gives the
    text as it is in the document if the node's was changed.

    With `documents` (LlamaIndex documents, a mapping of ids to texts, or a collection) every node is checked: one that
    is not at its offsets, or has none, is located by its text. A node that occurs in several places, or in none, keeps
    its rank and size and counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is
    ``skip`` or ``error``; the run's notes count them. `match` is the loosest reading in which texts are compared, and
    `min_score` the lowest similarity if that is ``fuzzy``. Without documents, a node whose place is not certain is an
    error.
    """
    matching = Matching.of(match, min_score)
    hooks = Hooks(text, start, end, source)
    texts = _texts(documents, source)
    retrieved = list(ranked(_nodes(results), _RESULTS))
    family = _Family([*nodes, *(getattr(item, "node", item) for _, _, item in retrieved)])
    rows: list[Row] = []
    claims: list[Claim] = []
    for query, rank, item in retrieved:
        node = getattr(item, "node", item)
        content = _text(node)
        if content is None:
            raise result_error(query, rank, adapters.WRONG_TYPE(type=type(item).__name__, expected=_RESULTS))
        original = hooks.text(node, content, query, rank)
        doc_id = hooks.source(node, query, rank) if hooks.has("source") else family.document_of(node)
        row: Row = {"query_id": query, "rank": rank, "text": original, "doc_id": doc_id}
        score = getattr(item, "score", None)
        if score is not None:
            row["score"] = score
        if doc_id is None and _id(node, None, "node_id") in (texts or ()):
            row["doc_id"] = node.node_id
        rows.append(row)
        if hooks.has("start") or hooks.has("end"):
            first = hooks.offset("start", node, getattr(node, "start_char_idx", None), query, rank)
            claims.append(claim_of(row, first, hooks.offset("end", node, None, query, rank)))
        else:
            claims.append(family.claim(node, row))
    return run_of(rows, claims, texts, run_id, ambiguous, missing, adapters.NO_LLAMAINDEX_PLACE, matching=matching)


def _offsets(node: Any) -> tuple[int, int] | None:
    start, end = (offset(getattr(node, name, None)) for name in ("start_char_idx", "end_char_idx"))
    return None if start is None or end is None else (start, end)


class _Family:
    """Nodes by id, and what follows for each from its parents."""

    def __init__(self, nodes: Iterable[Any]) -> None:
        self.by_id = {_id(node, None, "node_id"): node for node in nodes}

    def claim(self, node: Any, row: Row) -> Claim:
        """Enter the offsets of a node in its row, and return what else it says about its place."""
        own, text = _offsets(node), row["text"]
        if own is None:
            return Claim()
        quoted = {"text": shown(text)}
        is_metadata = any(isinstance(value, str) and value == text for value in metadata_of(node).values())
        if own[1] - own[0] != len(text) and is_metadata:
            return Claim(within=None if _parent(node) else own, problem=adapters.WINDOW_TEXT(**quoted))
        if _parent(node) is None:
            return claim_of(row, *own)
        place = self._place(node, own, text)
        if place is None:
            return Claim(start=own[0], problem=adapters.RELATIVE_OFFSETS(**quoted))
        if isinstance(place, str):
            return Claim(start=own[0], problem=adapters.NOT_IN_PARENT(**quoted, start=own[0], end=own[1]))
        return claim_of(row, *place, GIVEN if place == own else PARENT)

    def document_of(self, node: Any) -> str | None:
        """The id of a node's document, not that of another node from which it was made; None if it is not known."""
        seen: set[int] = set()
        source = getattr(node, "source_node", None)
        while source is not None and not _is_document(source) and id(node) not in seen:
            seen.add(id(node))
            node = self.by_id.get(str(source.node_id))
            if node is None:
                return None
            source = getattr(node, "source_node", None)
        return _id(node, None, "ref_doc_id")

    def _place(self, node: Any, own: tuple[int, int], text: str) -> tuple[int, int] | str | None:
        """The offsets of a node in its document; None if a parent is not known, "no" if a parent lacks the text."""
        start, end = own
        for _ in range(len(self.by_id) + 1):
            related = _parent(node)
            if related is None:
                return start, end
            parent = self.by_id.get(str(related.node_id))
            of_parent = None if parent is None else _offsets(parent)
            if parent is None or of_parent is None:
                return None
            if (_text(parent) or "")[own[0] : own[1]] != text:
                return "no"
            node, text, own = parent, _text(parent) or "", of_parent
            if own[1] - own[0] != len(text):
                return None
            start, end = start + own[0], end + own[0]
        return None


def _is_document(related: Any) -> bool:
    """Whether a related node is a document, as far as it says what it is."""
    kind = getattr(related, "node_type", None)
    return kind is None or getattr(kind, "value", kind) == _DOCUMENT


def _parent(node: Any) -> Any:
    """The other node, not the document, from whose start the offsets of a node count; None if there is none."""
    for related in (getattr(node, "parent_node", None), getattr(node, "source_node", None)):
        if related is not None and not _is_document(related):
            return related
    return None


def _nodes(results: Any) -> Any:
    if not isinstance(results, Mapping):
        return results
    return {query: getattr(response, "source_nodes", response) for query, response in results.items()}


def _texts(documents_input: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(documents_input, (list, tuple)):
        return documents(documents_input, source=source)
    return None if documents_input is None else texts_of(documents_input)
