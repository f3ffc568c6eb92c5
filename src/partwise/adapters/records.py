"""Chunks of stores, traces and data sets, as records with a text and metadata, whose usual keys are recognised.

The document, the start and the end of a chunk are looked up in its metadata under the names that tables may use for
these columns (`formats/names.py`), also in a dict ``metadata`` or ``meta`` inside it, where LangChain and Haystack put
their own when they write to a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise.adapters.chunks import METADATA, Hooks, claim_of, keys_of, result_error, run_of
from partwise.adapters.placing import Claim, Row
from partwise.errors import PartwiseError, shown
from partwise.formats.names import names_of
from partwise.messages import Message, adapters
from partwise.model import Run

START, SOURCE = "split_idx_start", "source_id"
"""The keys of Haystack's splitters. A document that has a name too, such as a ``file_path``, is called by that."""
_LATER = {"doc_id": [SOURCE], "start": [START], "end": [], "text": ["document"]}
"""Keys that are read if there is none of the names of the column; ``document`` is that of Qdrant's own embedding."""
NOT_FOUND = -1
"""The start of a chunk that LangChain's splitter did not find in its document."""


@dataclass(frozen=True)
class Record:
    """A retrieved chunk. Hooks that are functions receive `chunk`, or else the record itself."""

    text: str | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    score: float | None = None
    chunk: Any = None


Retrieved = Iterable[tuple[str, int, Record]]
"""Query, rank and chunk, one by one."""


def value_in(metadata: Mapping[str, Any], column: str) -> tuple[str, Any] | None:
    """The key and the value that metadata have for one of our columns, None if there is none.

    Our own name comes first; two others with different values are an error.
    """
    levels = [metadata, *(metadata[name] for name in METADATA if isinstance(metadata.get(name), Mapping))]

    def present(names: Sequence[str]) -> list[tuple[str, Any]]:
        return [(name, level[name]) for level in levels for name in names if level.get(name) is not None]

    ours = present([column])
    if ours:
        return ours[0]
    others = present(names_of(column)) or present(_LATER[column])
    for name, value in others[1:]:
        if value != others[0][1]:
            first, second = (f"{key} is {shown(cell)}" for key, cell in (others[0], (name, value)))
            raise PartwiseError(adapters.TWO_KEYS(first=first, second=second, hook=_hook(column)))
    return others[0] if others else None


def _hook(column: str) -> str:
    return "source" if column == "doc_id" else column


def run_of_records(
    retrieved: Retrieved,
    hooks: Hooks,
    texts: Mapping[str, str] | None,
    run_id: str,
    ambiguous: str,
    missing: str,
    *,
    no_text: Message,
    remarks: Iterable[str] = (),
) -> Run:
    """The run of these chunks; `no_text` is the message for a chunk without a text, `remarks` are notes about all."""
    rows, claims = rows_of_records(retrieved, hooks, texts, no_text)
    return run_of(rows, claims, texts, run_id, ambiguous, missing, adapters.NO_RECORD_PLACE, remarks)


def rows_of_records(
    retrieved: Retrieved, hooks: Hooks, texts: Mapping[str, str] | None, no_text: Message
) -> tuple[list[Row], list[Claim]]:
    """A row per chunk, with the document and the offsets that it says, and what else it says about its place."""
    rows: list[Row] = []
    claims: list[Claim] = []
    for query, rank, record in retrieved:
        try:
            row, claim = _row(query, rank, record, hooks, texts, no_text)
        except PartwiseError as error:
            if error.file is not None:
                raise
            raise result_error(query, rank, error.text) from None
        rows.append(row)
        claims.append(claim)
    return rows, claims


def _row(
    query: str, rank: int, record: Record, hooks: Hooks, texts: Mapping[str, str] | None, no_text: Message
) -> tuple[Row, Claim]:
    chunk = record if record.chunk is None else record.chunk
    if record.text is None and not hooks.has("text"):
        raise PartwiseError(no_text(keys=keys_of(record.metadata)))
    text = hooks.text(chunk, record.text or "", query, rank)
    row: Row = {"query_id": query, "rank": rank, "text": text, "doc_id": _doc_id(record, chunk, hooks, query, rank)}
    if row["doc_id"] is None and record.id in (texts or ()):
        row["doc_id"] = record.id
    if record.score is not None:
        row["score"] = record.score
    recorded = None if hooks.has("start") else value_in(record.metadata, "start")
    recorded_end = None if hooks.has("start") or hooks.has("end") else value_in(record.metadata, "end")
    if recorded is not None and recorded[1] == NOT_FOUND:
        return row, Claim(problem=adapters.NOT_FOUND_BY_SPLITTER(text=shown(text)))
    start = hooks.offset("start", chunk, None if recorded is None else recorded[1], query, rank)
    end = hooks.offset("end", chunk, None if recorded_end is None else recorded_end[1], query, rank)
    return row, claim_of(row, start, end)


def _doc_id(record: Record, chunk: Any, hooks: Hooks, query: str, rank: int) -> str | None:
    if hooks.has("source"):
        return hooks.source(chunk, query, rank)
    found = value_in(record.metadata, "doc_id")
    if found is None:
        return None
    key, value = found
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise PartwiseError(adapters.BAD_SOURCE(key=key, value=shown(value), type=type(value).__name__))
    return str(value)


def attribute(chunk: Any, name: str) -> Any:
    """An attribute of an object, or an item of a dict of JSON; None if there is none."""
    return chunk.get(name) if isinstance(chunk, Mapping) else getattr(chunk, name, None)


def described(value: Any) -> str:
    """What a value is that is not understood: its type, and the keys of a dict."""
    if isinstance(value, Mapping):
        return f"a dict with the keys {keys_of(value)}"
    return f"of type {type(value).__name__}"


def score_in(value: Any) -> float | None:
    """A score, or None if it is not a number."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        return None
    return float(value)


def text_in(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def id_in(value: Any) -> str | None:
    """An id (a text or a number, as in Qdrant) as a text."""
    return None if value is None or isinstance(value, (bool, Mapping, list)) else str(value)
