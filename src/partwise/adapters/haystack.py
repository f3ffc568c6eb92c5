"""Haystack: runs from the documents that retrievers and pipelines return (``content``, ``meta``, ``score``).

The offset of a chunk, ``split_idx_start``, counts from the start of the document ``source_id``. Both name the parent
of a chunk, not its document, if `HierarchicalDocumentSplitter` made it from another chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.chunks import Hook, Hooks, claim_of, id_of, metadata_of, offset, ranked, result_error, run_of
from partwise.adapters.placing import Claim, Row, texts_by_id, texts_of
from partwise.adapters.records import SOURCE, START, attribute, described, id_in, score_in
from partwise.errors import PartwiseError, shown
from partwise.location import KEEP
from partwise.messages import adapters
from partwise.model import Run
from partwise.placement import GIVEN, PARENT

DOCUMENTS, LEVEL, PARENT_ID = "documents", "__level", "__parent_id"
_RESULTS = "lists of Haystack documents, or what a retriever or a pipeline returned"

Of = str | Callable[[Any], Any] | None
"""The key in `meta` that holds the id of a chunk's document, or a function; None: its ``source_id``."""


def documents(given: Iterable[Any], *, source: Of = None) -> dict[str, str]:
    """The texts of Haystack documents, by their ids or by the `source` in their meta."""
    return texts_by_id(
        given,
        lambda document: attribute(document, "content"),
        lambda document: id_in(attribute(document, "id")) if source is None else id_of(document, source),
        "Haystack documents",
        adapters.SECOND_HAYSTACK_DOCUMENT,
    )


def run(
    results: Mapping[Any, Any],
    documents: Any = None,
    *,
    parents: Iterable[Any] = (),
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Of = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from what a retriever returned, ``{query_id: documents in rank order}``, or from results of pipelines.

    A chunk starts at ``meta["split_idx_start"]`` of the document ``meta["source_id"]`` (or `source`). If these are of
    another chunk, the place follows from that, which must be among the results or in `parents` (such as all documents
    of the store). `text`, `start`, `end` and `source` are keys of `meta`, or functions of the chunk: `text` gives the
    text as it is in the document if ``content`` was changed, for example by a cleaner after the splitter.

    With `documents` (Haystack documents, a mapping of ids to texts, or a collection) every chunk is checked: one that
    is not at its offset, or has none, is located by its text. A chunk that occurs in several places, or in none, keeps
    its rank and size and counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is
    ``skip`` or ``error``; the run's notes count them. Without documents, a chunk whose place is not certain is an
    error.
    """
    hooks = Hooks(text, start, end, source)
    texts = _texts(documents, source)
    retrieved = list(ranked(_listed(results), _RESULTS))
    by_id = {id_in(attribute(chunk, "id")): chunk for chunk in (*parents, *(chunk for _, _, chunk in retrieved))}
    rows: list[Row] = []
    claims: list[Claim] = []
    for query, rank, chunk in retrieved:
        content = attribute(chunk, "content")
        if not isinstance(content, str) and not hooks.has("text"):
            if content is None and attribute(chunk, "meta") is not None:
                keys = ", ".join(map(shown, metadata_of(chunk))) or "none"
                raise result_error(query, rank, adapters.NO_HAYSTACK_TEXT(keys=keys))
            raise result_error(query, rank, adapters.WRONG_TYPE(type=type(chunk).__name__, expected=_RESULTS))
        original = hooks.text(chunk, content, query, rank)
        place = _place(chunk, original, by_id)
        doc_id = hooks.source(chunk, query, rank) if hooks.has("source") else place[0]
        row: Row = {"query_id": query, "rank": rank, "text": original, "doc_id": doc_id}
        score = score_in(attribute(chunk, "score"))
        if score is not None:
            row["score"] = score
        if doc_id is None and id_in(attribute(chunk, "id")) in (texts or ()):
            row["doc_id"] = id_in(attribute(chunk, "id"))
        rows.append(row)
        if hooks.has("start") or hooks.has("end"):
            first = hooks.offset("start", chunk, metadata_of(chunk).get(START), query, rank)
            claims.append(claim_of(row, first, hooks.offset("end", chunk, None, query, rank)))
        elif isinstance(place[2], Claim):
            claims.append(place[2])
        else:
            claims.append(claim_of(row, place[1], None, place[2]))
    return run_of(rows, claims, texts, run_id, ambiguous, missing, adapters.NO_HAYSTACK_PLACE)


Place = tuple[str | None, int | None, str | Claim]
"""The document of a chunk, its start there, and how it was placed, or what else it says about its place."""


def _place(chunk: Any, text: str, by_id: Mapping[str | None, Any]) -> Place:
    """Where a chunk is by its own meta and those of the chunks from which it was made."""
    meta = metadata_of(chunk)
    if meta.get(LEVEL) == 0:
        return id_in(attribute(chunk, "id")), 0, GIVEN
    recorded = offset(meta.get(START))
    start, own, inside = recorded, recorded, text
    for _ in range(len(by_id) + 1):
        if start is None or own is None or meta.get(PARENT_ID) is None or meta.get(LEVEL) == 1:
            return id_in(meta.get(SOURCE)), start, GIVEN if meta is metadata_of(chunk) else PARENT
        parent = by_id.get(id_in(meta[PARENT_ID]))
        if parent is None:
            break
        content = str(attribute(parent, "content") or "")
        if content[own : own + len(inside)] != inside:
            problem = adapters.NOT_IN_PARENT(text=shown(inside), start=own, end=own + len(inside))
            return None, None, Claim(start=recorded, problem=problem)
        meta, inside = metadata_of(parent), content
        own = offset(meta.get(START))
        start = None if own is None else start + own
    return None, None, Claim(start=recorded, problem=adapters.RELATIVE_TO_CHUNK(text=shown(text)))


def _listed(results: Any) -> Any:
    """The documents of each query, from whatever a component or a pipeline returned."""
    if not isinstance(results, Mapping):
        return results
    return {query: _documents(query, result) for query, result in results.items()}


def _documents(query: Any, result: Any) -> Any:
    if not isinstance(result, Mapping):
        return result
    if DOCUMENTS in result:
        return result[DOCUMENTS]
    names = [name for name, output in result.items() if isinstance(output, Mapping) and DOCUMENTS in output]
    where = f"query {query}"
    if len(names) > 1:
        raise PartwiseError(adapters.SEVERAL_COMPONENTS(names=", ".join(names), first=names[-1]), file=where)
    if not names:
        raise PartwiseError(adapters.NOT_RESULTS(found=described(result), expected=_RESULTS), file=where)
    return result[names[0]][DOCUMENTS]


def _texts(documents_input: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(documents_input, (list, tuple)):
        return documents(documents_input, source=source)
    return None if documents_input is None else texts_of(documents_input)
