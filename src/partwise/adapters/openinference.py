"""OpenInference: runs from the retriever spans of OpenTelemetry traces, as JSON.

A span has its documents in flat attributes, ``retrieval.documents.0.document.content`` (and ``id``, ``score``,
``metadata``, a JSON string), or nested in the same way. Files are OTLP JSON, lists of spans, JSON Lines of either, or
spans one after another, as exporters to the console write them; rows of a Phoenix data frame are spans too.

Of retriever spans inside each other only the outermost is read, because it returned what was passed on. If a query has
several others in one trace, as those of agents have, their documents are ranked one after another; if it occurs in
several traces, the last trace is read. Notes count all of these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from partwise.adapters.chunks import Hook, Hooks, keys_of
from partwise.adapters.dataset import json_values
from partwise.adapters.placing import texts_of
from partwise.adapters.records import Record, described, id_in, run_of_records, score_in, text_in
from partwise.errors import PartwiseError, shown
from partwise.formats import is_path
from partwise.location import KEEP
from partwise.messages import Counted, adapters
from partwise.model import Run

DOCUMENTS, KIND, QUERY, MIME_TYPE = "retrieval.documents", "openinference.span.kind", "input.value", "input.mime_type"
_SPANS = '{"resourceSpans": [...]}, a list of spans, or JSON Lines of spans'
_TRACE = ("context.trace_id", "traceId", "trace_id")
_SPAN = ("context.span_id", "spanId", "span_id")
_PARENT = ("parent_id", "parentSpanId", "parent_span_id")
_TIME = ("startTimeUnixNano", "start_time", "startTime", "start_time_unix_nano")
_DROPPED = ("droppedAttributesCount", "dropped_attributes_count")
_FIELDS = ("id", "content", "score", "metadata")


@dataclass(frozen=True)
class Span:
    """A span: what functions that are given as `query` receive."""

    name: str
    attributes: Mapping[str, Any]
    """Flat attributes, such as ``input.value``."""
    trace_id: str
    span_id: str
    parent_id: str
    time: float
    dropped: int
    where: str

    @property
    def input(self) -> str | None:
        """The text of ``input.value``; of JSON, the ``query`` in it."""
        value = self.attributes.get(QUERY)
        if isinstance(value, str) and self.attributes.get(MIME_TYPE) == "application/json":
            try:
                inside = json.loads(value)
            except (ValueError, RecursionError):
                return value
            value = inside.get("query", value) if isinstance(inside, dict) else inside
        return value if isinstance(value, str) else None


def run(
    spans: Any,
    documents: Any = None,
    *,
    queries: Mapping[Any, str] | None = None,
    query: Hook = None,
    prefix: str = DOCUMENTS,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Hook = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from the retriever spans of a file, of parsed JSON, or of span objects of the OpenTelemetry SDK.

    With `queries`, ``{query_id: text}``, a span belongs to the query whose text is its input, or else that of the
    nearest span around it; other spans are left out, with a note. Without, the query id is the input itself, unless
    `query` names another attribute or is a function of the span (`Span`). `prefix` is where the documents are:
    ``reranker.output_documents`` reads rerankers instead.

    Document, start and end are looked up in the metadata of a document under the names that columns of tables may have
    (``source``, ``start_index`` ...); `text`, `start`, `end` and `source` name other keys, or are functions of a record
    with `id`, `text`, `metadata` and `score`.

    With `documents` (a mapping of ids to texts, or a collection) every chunk is checked: one that is not at its
    offsets, or has none, is located by its text. One that occurs in several places, or in none, keeps its rank and size
    and counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or
    ``error``; the run's notes count them. Without documents, a chunk whose place is not certain is an error.
    """
    hooks = Hooks(text, start, end, source)
    texts = None if documents is None else texts_of(documents)
    try:
        all_spans = [_span(item, where) for item, where in _items(spans)]
    except RecursionError:
        raise PartwiseError(adapters.NOT_SPANS(found="nested too deeply"), file=_name(spans)) from None
    retrievers = [span for span in all_spans if _retrieves(span, prefix)]
    if not retrievers:
        kinds = sorted({str(span.attributes.get(KIND, "without a kind")) for span in all_spans}) or ["none"]
        values = {"prefix": f"{prefix}.0.document.content", "count": len(all_spans), "kinds": ", ".join(kinds)}
        raise PartwiseError(adapters.NO_RETRIEVER_SPANS(**values), file=_name(spans))
    remarks: list[str] = []
    by_query = _by_query(retrievers, all_spans, _by_text(queries), query, remarks)
    retrieved = [
        (query_id, rank, record)
        for query_id, of_query in by_query.items()
        for rank, record in enumerate((record for span in of_query for record in _records(span, prefix)), 1)
    ]
    no_text = adapters.NO_SPAN_TEXT
    return run_of_records(retrieved, hooks, texts, run_id, ambiguous, missing, no_text=no_text, remarks=remarks)


# ---- spans ----------------------------------------------------------------------------------------------------


def _name(spans: Any) -> str:
    return str(spans) if is_path(spans) else "spans"


def _items(spans: Any) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Every span of a file or an object, and where it is."""
    if is_path(spans):
        values, source = json_values(spans, _SPANS)
        for value, line in values:
            yield from _spans_in(value, f"{source.name}:{line}")
    else:
        yield from _spans_in(spans, "spans")


def _spans_in(value: Any, where: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    if hasattr(value, "to_json") and hasattr(value, "attributes"):
        value = json.loads(value.to_json())  # a span of the SDK
    if isinstance(value, Mapping):
        for name in ("resourceSpans", "scopeSpans", "spans"):
            if isinstance(value.get(name), list):
                yield from _spans_in(value[name], where)
                return
        if not any(isinstance(key, str) and key.split(".")[0] == "attributes" for key in value):
            if "resource" in value or "scope" in value:
                return  # of a service, without spans
            raise PartwiseError(adapters.NOT_SPANS(found=described(value)), file=where)
        yield value, where
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _spans_in(item, where)
    else:
        raise PartwiseError(adapters.NOT_SPANS(found=described(value)), file=where)


def _span(item: Mapping[str, Any], where: str) -> Span:
    own = _decoded(item.get("attributes") or {})
    if not isinstance(own, Mapping):
        raise PartwiseError(adapters.NOT_SPANS(found=f"a span with attributes {described(own)}"), file=where)
    flat = dict(_flat("", {**item, "attributes": own}))
    attributes = {key.partition(".")[2]: value for key, value in flat.items() if key.startswith("attributes.")}

    def first(names: Iterable[str]) -> Any:
        return next((flat[name] for name in names if flat.get(name) is not None), "")

    return Span(
        name=str(item.get("name", "")),
        attributes=attributes,
        trace_id=str(first(_TRACE)),
        span_id=str(first(_SPAN)),
        parent_id=str(first(_PARENT)),
        time=_seconds(first(_TIME)),
        dropped=_whole(first(_DROPPED)) or 0,
        where=where,
    )


def _decoded(value: Any) -> Any:
    """Attributes of OTLP, a list of keys and values with their types, as a dict; others as they are."""
    if isinstance(value, list) and all(isinstance(item, Mapping) and "key" in item for item in value):
        return {str(item["key"]): _typed(item.get("value")) for item in value}
    return value


def _typed(value: Any) -> Any:
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    [(kind, inside)] = value.items()
    if kind in ("arrayValue", "kvlistValue"):
        values = inside.get("values") if isinstance(inside, Mapping) else None
        listed = values if isinstance(values, list) else []
        return _decoded(listed) if kind == "kvlistValue" else [_typed(item) for item in listed]
    if kind == "intValue":  # a text, because JSON has no whole numbers of 64 bits
        return inside if _whole(inside) is None else _whole(inside)
    return inside


def _whole(value: Any) -> int | None:
    """A whole number from 0, also one that is a text; None if it is not one of at most 64 bits."""
    text = str(value) if isinstance(value, (str, int)) else ""
    return int(text) if len(text) <= 20 and text.isdecimal() else None


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values of nested dicts and lists, each under the path to it; an empty list is a value."""
    if isinstance(value, Mapping):
        items: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, (list, tuple)) and value:
        items = enumerate(value)
    else:
        yield path, value
        return
    for key, inside in items:
        yield from _flat(f"{path}.{key}" if path else str(key), inside)


def _seconds(time: Any) -> float:
    """A time as a number: nanoseconds, ISO 8601, or a time object; 0 if it is none of these."""
    nanoseconds = _whole(time)
    if nanoseconds is not None:
        return nanoseconds / 1e9
    try:
        moment = time if isinstance(time, datetime) else datetime.fromisoformat(str(time))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


# ---- which spans are read -------------------------------------------------------------------------------------


def _retrieves(span: Span, prefix: str) -> bool:
    has_documents = any(key.startswith(f"{prefix}.") for key in span.attributes)
    return (
        has_documents
        or span.attributes.get(prefix) == []
        or (prefix == DOCUMENTS and span.attributes.get(KIND) == "RETRIEVER")
    )


def _by_text(queries: Any) -> dict[str, str] | None:
    if queries is None:
        return None
    if not isinstance(queries, Mapping):
        raise PartwiseError(adapters.NOT_RESULTS(found=described(queries), expected="{query_id: text}"), file="queries")
    by_text: dict[str, str] = {}
    for query_id, text in queries.items():
        if str(text) in by_text:
            raise PartwiseError(adapters.SAME_QUERY(first=by_text[str(text)], second=query_id, text=shown(text)))
        by_text[str(text)] = str(query_id)
    return by_text


def _by_query(
    retrievers: list[Span], spans: list[Span], by_text: dict[str, str] | None, query: Hook, remarks: list[str]
) -> dict[str, list[Span]]:
    """The spans to read for each query, in the order of time; what is not simply read is added to `remarks`."""
    by_id = {(span.trace_id, span.span_id): span for span in spans if span.span_id}
    retrieving = {(span.trace_id, span.span_id) for span in retrievers}
    inner, unknown = [], []
    chosen: dict[str, list[Span]] = {}
    for span in sorted(retrievers, key=lambda span: span.time):
        around = list(_around(span, by_id))
        if any((outer.trace_id, outer.span_id) in retrieving for outer in around):
            inner.append(span)
            continue
        query_id = _query_id(span, around, by_text, query)
        if query_id is None:
            unknown.append(span)
        else:
            chosen.setdefault(query_id, []).append(span)

    def remark(message: Counted, found: list[Span]) -> None:
        if found:
            first = shown(found[0].input or found[0].name)
            remarks.append(message.note(count=len(found), total=len(retrievers), first=first))

    remark(adapters.INNER_SPANS, inner)
    remark(adapters.OTHER_QUERIES, unknown)
    repeated, joined = [], []
    for query_id, found in chosen.items():
        last = [span for span in found if span.trace_id == found[-1].trace_id]
        if not found[-1].trace_id:
            last = found
        repeated += [query_id] if len(last) < len(found) else []
        joined += [query_id] if len(last) > 1 else []
        chosen[query_id] = last
    for message, ids in ((adapters.EARLIER_TRACES, repeated), (adapters.JOINED_SPANS, joined)):
        if ids:
            remarks.append(message.note(count=len(ids), first=shown(ids[0])))
    remark(adapters.DROPPED_ATTRIBUTES, [span for found in chosen.values() for span in found if span.dropped])
    return chosen


def _around(span: Span, by_id: Mapping[tuple[str, str], Span]) -> Iterator[Span]:
    """The spans around a span, the nearest first."""
    seen = {span.span_id}
    parent = by_id.get((span.trace_id, span.parent_id))
    while parent is not None and parent.span_id not in seen:
        seen.add(parent.span_id)
        yield parent
        parent = by_id.get((parent.trace_id, parent.parent_id))


def _query_id(span: Span, around: list[Span], by_text: dict[str, str] | None, query: Hook) -> str | None:
    if query is not None:
        value = query(span) if callable(query) else span.attributes.get(str(query))
        if value is None and not callable(query):
            message = adapters.HOOK_KEY(key=shown(query), hook="query", keys=keys_of(span.attributes))
            raise PartwiseError(message, file=_place(span))
        text = None if value is None else str(value)
        return text if by_text is None or text is None else by_text.get(text)
    if by_text is not None:
        return next((by_text[each.input] for each in (span, *around) if each.input in by_text), None)
    if span.input is None:
        raise PartwiseError(adapters.NO_SPAN_QUERY(), file=_place(span))
    return span.input


def _place(span: Span) -> str:
    return f"{span.where}, span {span.span_id or shown(span.name)}"


# ---- documents ------------------------------------------------------------------------------------------------


def _records(span: Span, prefix: str) -> list[Record]:
    """The documents of a span, in their order."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in span.attributes.items():
        digits, _, rest = key.removeprefix(f"{prefix}.").partition(".document.")
        name, _, inside = rest.partition(".")
        number = _whole(digits)
        if not key.startswith(f"{prefix}.") or number is None or name not in _FIELDS:
            continue
        fields = found.setdefault(number, {})
        if inside:
            fields.setdefault(name, {})[inside] = value
        else:
            fields[name] = value
    numbers = sorted(found)
    for expected, listed in enumerate(numbers):
        if listed != expected:
            raise PartwiseError(adapters.DOCUMENT_GAP(number=listed, gap=expected), file=_place(span))
    return [_record(found[listed], listed, span) for listed in numbers]


def _record(fields: Mapping[str, Any], number: int, span: Span) -> Record:
    metadata = fields.get("metadata")
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except (ValueError, RecursionError):
            metadata = fields["metadata"]
    if metadata is not None and not isinstance(metadata, Mapping):
        message = adapters.BAD_SPAN_METADATA(number=number, value=shown(fields["metadata"]))
        raise PartwiseError(message, file=_place(span))
    return Record(
        text_in(fields.get("content")), metadata or {}, id_in(fields.get("id")), score_in(fields.get("score"))
    )
