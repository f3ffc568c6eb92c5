"""LangChain: runs from the documents that retrievers return (``page_content``, ``metadata``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from partwise.adapters.chunks import (
    USUAL_SOURCE,
    Hook,
    Hooks,
    claim_of,
    id_of,
    metadata_of,
    ranked,
    result_error,
    run_of,
)
from partwise.adapters.placing import Claim, Row, texts_by_id, texts_of
from partwise.errors import shown
from partwise.location import KEEP, Matching
from partwise.messages import adapters
from partwise.model import Run
from partwise.types import Match

SOURCE, START = USUAL_SOURCE, "start_index"
_RESULTS = "lists of LangChain documents, or of pairs of a document and its score"

Of = str | Callable[[Any], Any]
"""The metadata key that holds the id of the (original) document, or a function that returns the id."""


def documents(given: Iterable[Any], *, source: Of = SOURCE) -> dict[str, str]:
    """The texts of LangChain documents, by the `source` in their metadata, or else by their ``id``."""
    return texts_by_id(
        given,
        lambda document: getattr(document, "page_content", None),
        lambda document: id_of(document, source) or getattr(document, "id", None),
        "LangChain documents",
        adapters.SECOND_LANGCHAIN_DOCUMENT,
    )


def run(
    results: Mapping[Any, Iterable[Any]],
    documents: Any = None,
    *,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Of = SOURCE,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
    match: Match = "normalised",
    min_score: float | None = None,
) -> Run:
    """A run from what a retriever returned, ``{query_id: documents in rank order}``.

    A chunk starts at ``metadata["start_index"]`` of the document that `source` names. `text`, `start`, `end` and
    `source` are metadata keys, or functions of the chunk: `text` gives the text as it is in the document if
    ``page_content`` was changed, for example by a header before it.

    With `documents` (LangChain documents, a mapping of ids to texts, or a collection) every chunk is checked: one that
    is not at its offset, or has none, is located by its text. A chunk that occurs in several places, or in none, keeps
    its rank and size and counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is
    ``skip`` or ``error``; the run's notes count them. `match` is the loosest reading in which texts are compared, and
    `min_score` the lowest similarity if that is ``fuzzy``. Without documents, a chunk whose place is not certain is an
    error.
    """
    matching = Matching.of(match, min_score)
    hooks = Hooks(text, start, end, source)
    texts = _texts(documents, source)
    rows: list[Row] = []
    claims: list[Claim] = []
    for query, rank, item in ranked(results, _RESULTS):
        chunk, score = item if isinstance(item, (tuple, list)) and len(item) == 2 else (item, None)
        content = getattr(chunk, "page_content", None)
        if not isinstance(content, str):
            raise result_error(query, rank, adapters.WRONG_TYPE(type=type(chunk).__name__, expected=_RESULTS))
        original = hooks.text(chunk, content, query, rank)
        row: Row = {"query_id": query, "rank": rank, "text": original, "doc_id": hooks.source(chunk, query, rank)}
        if score is not None:
            row["score"] = score
        if row["doc_id"] is None and getattr(chunk, "id", None) in (texts or ()):
            row["doc_id"] = chunk.id
        recorded = metadata_of(chunk).get(START)
        first = hooks.offset("start", chunk, recorded, query, rank)
        last = hooks.offset("end", chunk, None, query, rank)
        rows.append(row)
        if recorded == -1 and not hooks.has("start"):
            claims.append(Claim(problem=adapters.NOT_FOUND_BY_SPLITTER(text=shown(original))))
        else:
            claims.append(claim_of(row, first, last))
    return run_of(rows, claims, texts, run_id, ambiguous, missing, adapters.NO_LANGCHAIN_PLACE, matching=matching)


def _texts(documents_input: Any, source: Of) -> Mapping[str, str] | None:
    if isinstance(documents_input, (list, tuple)):
        return documents(documents_input, source=source)
    return None if documents_input is None else texts_of(documents_input)
