"""Retriever spans of OpenInference as runs: shapes of JSON, which spans are read, and documents in attributes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import partwise as pw
from partwise.adapters import openinference

TEXTS = {
    "handbook": "Leave is granted on request. Ask twice. Ask twice. Unused leave lapses in March.",
    "faq": "Who grants leave?\nYour manager.",
}
DOCUMENTS = [
    {"content": "Ask twice.", "score": 0.75, "metadata": {"source": "handbook", "start_index": 40}, "id": "n1"},
    {"content": "Your  manager.", "score": 0.5, "metadata": {"source": "faq"}, "id": "n2"},
]
LAPSES = [{"content": "Unused leave lapses", "metadata": {"source": "handbook"}}]


def flat(documents: list[dict[str, Any]], query: str | None = "Who?", **more: Any) -> dict[str, Any]:
    """The attributes of a retriever span; metadata are JSON strings."""
    attributes: dict[str, Any] = {"openinference.span.kind": "RETRIEVER"}
    if query is not None:
        attributes |= {"input.value": query, "input.mime_type": "text/plain"}
    for number, document in enumerate(documents):
        for name, value in document.items():
            cell = json.dumps(value) if name == "metadata" else value
            attributes[f"retrieval.documents.{number}.document.{name}"] = cell
    return attributes | more


def span(attributes: Any, number: int = 1, parent: int | None = None, trace: int = 1, second: int = 0) -> Any:
    """A span as the SDK of Python writes it (``ReadableSpan.to_json``)."""
    return {
        "name": f"span {number}",
        "context": {"trace_id": f"0x{trace:032x}", "span_id": f"0x{number:016x}", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": None if parent is None else f"0x{parent:016x}",
        "start_time": f"2026-03-01T12:00:{second:02}.000000Z",
        "end_time": "2026-03-01T12:01:00.000000Z",
        "attributes": attributes,
        "resource": {"attributes": {"service.name": "rag"}, "schema_url": ""},
    }


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": typed(item)} for key, item in value.items()]}}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def otlp(attributes: dict[str, Any], second: int = 0, number: int = 1, **more: Any) -> Any:
    """An export request of OTLP with one span."""
    item = {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": "",
        "name": "retrieve",
        "kind": 1,
        "startTimeUnixNano": str(1_767_225_600_000_000_000 + second * 1_000_000_000),
        "attributes": [{"key": key, "value": typed(value)} for key, value in attributes.items()],
        "status": {},
    }
    scope = {"scope": {"name": "openinference.instrumentation.langchain"}, "spans": [item | more]}
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}


def nested(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """Attributes as Phoenix shows them."""
    return {
        "input": {"value": "Who?"},
        "openinference": {"span": {"kind": "RETRIEVER"}},
        "retrieval": {"documents": [{"document": document} for document in documents]},
    }


def frame_row(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """A row of Phoenix's data frame of spans."""
    listed = [{f"document.{name}": value for name, value in document.items()} for document in documents]
    return {
        "name": "retrieve",
        "span_kind": "RETRIEVER",
        "parent_id": None,
        "context.trace_id": "1",
        "context.span_id": "2",
        "attributes.input.value": "Who?",
        "attributes.retrieval.documents": listed,
    }


def parts(run: pw.Run) -> list[tuple[str, str, int, int]]:
    columns = run.query.values(), run.doc.values(), run.start.tolist(), run.end.tolist()
    return list(zip(*columns, strict=True))


def error_of(call: Callable[[], Any]) -> str:
    with pytest.raises(pw.PartwiseError) as error:
        call()
    return str(error.value)


EXPECTED = [("Who?", "handbook", 40, 50), ("Who?", "faq", 18, 31)]
CHAIN = span({"openinference.span.kind": "CHAIN", "input.value": "What?"}, 9)
SHAPES = {
    "list": [CHAIN, span(flat(DOCUMENTS), 2, 9)],
    "OTLP": otlp(flat(DOCUMENTS)),
    "OTLP with lists": otlp({"input.value": "Who?", "retrieval.documents": [{"document": d} for d in DOCUMENTS]}),
    "nested": [span(nested(DOCUMENTS))],
    "frame": [frame_row(DOCUMENTS), {"context.span_id": "3", "attributes.retrieval.documents": float("nan")}],
    "spans": {"spans": [span(flat(DOCUMENTS))]},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_spans(shape: str, tmp_path: Path) -> None:
    """A run is the same from parsed JSON, from a file of one value, and from one with a value per line."""
    value = SHAPES[shape]
    runs = [openinference.run(value, TEXTS)]
    for name, text in (
        ("spans.json", json.dumps(value, indent=2)),
        ("spans.jsonl", "\n".join(json.dumps(item) for item in (value if isinstance(value, list) else [value]))),
        (
            "console.txt",
            "\n".join(json.dumps(item, indent=4) for item in (value if isinstance(value, list) else [value])),
        ),
    ):
        path = tmp_path / name
        path.write_text(text)
        runs.append(openinference.run(path, TEXTS))
    for run in runs:
        assert parts(run) == EXPECTED
        assert run.score is not None
        assert run.score.tolist() == [0.75, 0.5]
        assert list(run.notes) == []


def test_spans_of_the_sdk() -> None:
    made = SimpleNamespace(attributes=flat(DOCUMENTS), to_json=lambda: json.dumps(span(flat(DOCUMENTS)), indent=4))
    assert parts(openinference.run((made,), TEXTS)) == EXPECTED


def test_places_without_documents() -> None:
    assert parts(openinference.run([span(flat(DOCUMENTS[:1]))])) == EXPECTED[:1]
    by_id = {"content": TEXTS["faq"], "id": "faq"}
    assert parts(openinference.run([span(flat([by_id]))], TEXTS)) == [("Who?", "faq", 0, 31)]


def test_hooks() -> None:
    document = {
        "content": "# FAQ\nYour manager.",
        "metadata": {"file": {"name": "faq"}, "at": 18},
        "id": "n7",
        "score": 1,
    }
    spans = [span(flat([document]))]
    run = openinference.run(spans, text=lambda record: record.text.partition("\n")[2], start="at", source="file.name")
    assert parts(run) == [("Who?", "faq", 18, 31)]
    ids = openinference.run(
        spans, TEXTS, text=lambda record: "Your manager.", source=lambda record: {"n7": "faq"}[record.id]
    )
    assert parts(ids) == [("Who?", "faq", 18, 31)]


# ---- which query ------------------------------------------------------------------------------------------------


def test_queries_by_their_text() -> None:
    """A rewritten query belongs to the question of the chain around it."""
    spans = [
        span({"input.value": '{"query": "When?"}', "input.mime_type": "application/json"}, 1, trace=1),
        span(flat(LAPSES, "lapse of leave"), 2, 1, trace=1),
        span(flat(DOCUMENTS, "Who?"), 3, trace=2),
        span(flat(LAPSES, "What for?"), 4, trace=3),
    ]
    run = openinference.run(spans, TEXTS, queries={"q1": "Who?", "q2": "When?"})
    assert parts(run) == [
        ("q2", "handbook", 51, 70),
        ("q1", "handbook", 40, 50),
        ("q1", "faq", 18, 31),
    ]
    assert list(run.notes) == ["1 of 3 retriever spans has another query than queries= (first: 'What for?'); left out"]
    assert sorted(set(openinference.run(spans, TEXTS).query.values())) == ["What for?", "Who?", "lapse of leave"]


def test_queries_by_attribute_and_function() -> None:
    spans = [span(flat(DOCUMENTS, **{"session.id": 7}))]
    assert set(openinference.run(spans, TEXTS, query="session.id").query.values()) == {"7"}
    run = openinference.run(spans, TEXTS, query=lambda each: each.trace_id[-1], queries={"q1": "1"})
    assert set(run.query.values()) == {"q1"}


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ('{"query": "Who?", "top_k": 5}', "application/json", "Who?"),  # Haystack
        ('"Who?"', "application/json", "Who?"),
        ('{"question": "Who?"}', "application/json", '{"question": "Who?"}'),
        ("{Who?", "application/json", "{Who?"),
        ('{"query": "Who?"}', "text/plain", '{"query": "Who?"}'),
    ],
)
def test_inputs_of_spans(value: str, kind: str, expected: str) -> None:
    spans = [span(flat(LAPSES, None, **{"input.value": value, "input.mime_type": kind}))]
    assert openinference.run(spans, TEXTS).query.values() == [expected]


# ---- several spans ----------------------------------------------------------------------------------------------


def test_only_the_outermost_of_nested_retrievers_is_read() -> None:
    spans = [
        span(flat(LAPSES, "one rewriting"), 2, 1),
        span({"openinference.span.kind": "CHAIN"}, 4, 1),
        span(flat(DOCUMENTS, "another"), 3, 4),
        span(flat(DOCUMENTS), 1),
    ]
    run = openinference.run(spans, TEXTS)
    assert parts(run) == EXPECTED
    assert list(run.notes) == [
        "2 of 3 retriever spans are inside other retrievers (first: 'one rewriting'); only what the outer one returned "
        "is read"
    ]


def test_spans_of_one_trace_follow_one_another_in_time() -> None:
    spans = [span(flat(DOCUMENTS), 2, second=20), span(flat(LAPSES), 1, second=10)]
    run = openinference.run(spans, TEXTS)
    assert parts(run) == [("Who?", "handbook", 51, 70), *EXPECTED]
    assert run.rank is not None
    assert run.rank.tolist() == [1, 2, 3]
    assert list(run.notes) == [
        "1 query has several retriever spans in its trace (first: 'Who?'); ranked one after another, in the order of "
        "time"
    ]


@pytest.mark.parametrize("ordered", [True, False])
def test_the_last_of_several_traces_is_read(ordered: bool) -> None:
    spans = [otlp(flat(DOCUMENTS), 10, 1), otlp(flat(LAPSES), 20, 2)]
    run = openinference.run(spans if ordered else spans[::-1], TEXTS)
    assert parts(run) == [("Who?", "handbook", 51, 70)]
    assert list(run.notes) == ["1 query occurs in several traces (first: 'Who?'); the last of them is read"]


def test_rerankers() -> None:
    attributes = {
        "openinference.span.kind": "RERANKER",
        "input.value": "Who?",
        "reranker.output_documents.0.document.content": "Unused leave lapses",
    }
    spans = [span(flat(DOCUMENTS)), span(attributes, 2)]
    assert parts(openinference.run(spans, TEXTS)) == EXPECTED
    run = openinference.run(spans, TEXTS, prefix="reranker.output_documents")
    assert parts(run) == [("Who?", "handbook", 51, 70)]


def test_retrievers_that_found_nothing() -> None:
    spans = [span(flat([])), span(flat(LAPSES, "When?"), 2, trace=2)]
    assert openinference.run(spans, TEXTS).query.values() == ["When?"]
    assert len(openinference.run(spans[:1], TEXTS)) == 0


def test_dropped_attributes_and_notes_in_files(tmp_path: Path) -> None:
    run = openinference.run(otlp(flat(DOCUMENTS), droppedAttributesCount=12), TEXTS)
    notes = [
        "1 of 1 retriever spans dropped attributes (first: 'Who?'); documents may be missing: raise "
        "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"
    ]
    assert list(run.notes) == notes
    pw.write_run(run, tmp_path / "run.jsonl")
    [again] = pw.read_runs(tmp_path / "run.jsonl")
    assert (parts(again), list(again.notes)) == (EXPECTED, notes)


# ---- errors -----------------------------------------------------------------------------------------------------

REMEDY = "give spans: OTLP JSON with resourceSpans, or spans with attributes"
BAD = flat(DOCUMENTS)
BAD["retrieval.documents.1.document.metadata"] = "{'source': 'faq'"
GAP = {key: value for key, value in flat(DOCUMENTS).items() if ".documents.0." not in key}


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: openinference.run(3), f"spans: is of type int; {REMEDY}"),
        (lambda: openinference.run([{"data": 1}]), f"spans: is a dict with the keys 'data'; {REMEDY}"),
        (lambda: openinference.run([span('{"input.value": "Who?"}')]),
         f"spans: is a span with attributes of type str; {REMEDY}"),
        (lambda: openinference.run([CHAIN, span({})]),
         "spans: has no span with retrieval.documents.0.document.content (2 spans: CHAIN, without a kind); export "
         "retriever spans with their OpenInference attributes"),
        (lambda: openinference.run({"resourceSpans": [{"resource": {}}]}),
         "spans: has no span with retrieval.documents.0.document.content (0 spans: none); export retriever spans with "
         "their OpenInference attributes"),
        (lambda: openinference.run([span(flat(DOCUMENTS, None))]),
         "spans, span 0x0000000000000001: has no input.value; say with query= what its query is"),
        (lambda: openinference.run([span(flat(DOCUMENTS))], query="session.id"),
         "spans, span 0x0000000000000001: there is no metadata key 'session.id', which query= names; its keys are "
         + ", ".join(map(repr, flat(DOCUMENTS)))),
        (lambda: openinference.run([span(BAD)]),
         "spans, span 0x0000000000000001: the metadata of document 1 is not a JSON object: \"{'source': 'faq'\"; "
         "record it whole, as a JSON string"),
        (lambda: openinference.run([span(GAP)]),
         "spans, span 0x0000000000000001: has document 1, but not document 0; record all attributes: "
         "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT is 128 by default"),
        (lambda: openinference.run([span(flat([{"id": "n1", "metadata": {"source": "faq"}}]))], TEXTS),
         "query Who?, result 1: has no document.content; record contents in traces, or give text= (its metadata keys: "
         "'source')"),
        (lambda: openinference.run([span(flat(DOCUMENTS))]),
         "query Who?, result 2: the chunk 'Your  manager.' has no offset; give documents, or name its metadata with "
         "source= and start="),
        (lambda: openinference.run([span(flat(DOCUMENTS))], TEXTS, queries={"a": "Who?", "b": "Who?"}),
         "the queries a and b have the same text 'Who?'; give one id for each text"),
        (lambda: openinference.run([span(flat(DOCUMENTS))], TEXTS, queries=["Who?"]),
         "queries: is of type list; give {query_id: text}"),
    ],
)  # fmt: skip
def test_errors(call: Callable[[], Any], line: str) -> None:
    assert error_of(call) == line


def test_errors_of_files(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps(CHAIN) + "\n\n" + json.dumps(span(GAP)) + "\n")
    assert error_of(lambda: openinference.run(path)).startswith(f"{path}:3, span 0x0000000000000001: has document 1")
    path.write_text(json.dumps(CHAIN) + "\n{broken\n")
    assert error_of(lambda: openinference.run(path)) == (
        f"{path}:2: is not JSON (Expecting property name enclosed in double quotes); write "
        '{"resourceSpans": [...]}, a list of spans, or JSON Lines of spans'
    )
    path.write_text("[" * 100_000)
    assert error_of(lambda: openinference.run(path)).startswith(f"{path}:1: is not JSON (")
    path.write_text("")
    assert error_of(lambda: openinference.run(path)).startswith(f"{path}: has no span with retrieval.documents.0")
    assert "no such file" in error_of(lambda: openinference.run(tmp_path / "gone.json")).lower()
    deep: Any = flat(DOCUMENTS)
    inside = deep
    for _ in range(20_000):
        inside["x"] = {}
        inside = inside["x"]
    assert error_of(lambda: openinference.run([span(deep)])) == f"spans: is nested too deeply; {REMEDY}"
