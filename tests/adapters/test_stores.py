"""Adapters of retrievers and stores: Haystack, Chroma's queries, Qdrant, and hooks in all of them."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.adapters import chroma, haystack, langchain, openinference, qdrant, strings
from support.paths import ROOT

TEXT = "Leave is granted on request. Ask twice. Ask twice. Unused leave lapses in March."
TEXTS = {"handbook": TEXT, "faq": "Who grants leave?\nYour manager."}


def parts(run: pw.Run) -> list[tuple[str, str, int, int]]:
    columns = run.query.values(), run.doc.values(), run.start.tolist(), run.end.tolist()
    return list(zip(*columns, strict=True))


def outcomes(run: pw.Run) -> list[str]:
    assert run.placing is not None
    return run.placing.outcomes


def scores(run: pw.Run) -> list[float]:
    assert run.score is not None
    return run.score.tolist()


def error_of(call: Callable[[], Any]) -> str:
    with pytest.raises(pw.PartwiseError) as error:
        call()
    return str(error.value)


# ---- Haystack ---------------------------------------------------------------------------------------------------


def document(content: str | None, start: int | None = None, source: str | None = "d1", **more: Any) -> Any:
    """A document as Haystack's splitters make it: `DocumentSplitter` of version 3."""
    meta = {"source_id": source, "page_number": 1, "split_id": 0, "split_idx_start": start}
    present = {name: value for name, value in meta.items() if value is not None}
    known = {name: more.pop(name, None) for name in ("id", "score")}
    return SimpleNamespace(content=content, meta=present | more, blob=None, embedding=None, **known)


WHOLE = [
    SimpleNamespace(id="d1", content=TEXT, meta={"file_path": "docs/handbook.txt"}, score=None),
    SimpleNamespace(id="d2", content=TEXTS["faq"], meta={"file_path": "docs/faq.txt"}, score=None),
]
CHUNKS = [
    document("Ask twice. ", 40, score=2.5, id="c1"),
    document("Your  manager.", None, "d2", score=1.5, id="c2"),
]


@pytest.mark.parametrize(
    "shape",
    [
        lambda chunks: chunks,
        lambda chunks: {"documents": chunks},
        lambda chunks: {"retriever": {"documents": chunks}, "prompt": {"text": "..."}},
        lambda chunks: [vars(chunk) for chunk in chunks],
        lambda chunks: [{**chunk.meta, "content": chunk.content, "score": chunk.score} for chunk in chunks],
    ],
    ids=["list", "retriever", "pipeline", "dicts", "flat dicts"],
)
def test_haystack_documents(shape: Callable[[Any], Any]) -> None:
    run = haystack.run({"q1": shape(CHUNKS), "q2": []}, documents=WHOLE, run_id="mine")
    assert parts(run) == [("q1", "d1", 40, 51), ("q1", "d2", 18, 31)]
    assert (run.run_id, outcomes(run), scores(run)) == ("mine", ["exact", "whitespace"], [2.5, 1.5])
    assert parts(haystack.run({"q1": shape(CHUNKS[:1])})) == [("q1", "d1", 40, 51)]


def test_haystack_documents_by_their_files() -> None:
    def name(item: Any) -> str:
        return Path(item.meta["file_path"]).stem

    assert haystack.documents(WHOLE, source=name) == TEXTS
    chunk = document("Ask twice.", 29, file_path="docs/handbook.txt")
    assert parts(haystack.run({"q1": [chunk]}, WHOLE, source=name)) == [("q1", "handbook", 29, 39)]
    assert parts(haystack.run({"q1": [chunk]}, source="file_path")) == [("q1", "docs/handbook.txt", 29, 39)]
    assert parts(haystack.run({"q1": WHOLE[1:]}, WHOLE)) == [("q1", "d2", 0, 31)]


def hierarchy() -> list[Any]:
    """What `HierarchicalDocumentSplitter` makes: source and start of a chunk are those of its parent."""

    def chunk(name: str, content: str, start: int | None, parent: str | None, level: int) -> Any:
        return document(content, start, parent, id=name, __level=level, __parent_id=parent, __block_size=9 - level)

    return [
        chunk("d1", TEXT, None, None, 0),
        chunk("p", TEXT[29:], 29, "d1", 1),
        chunk("c", "Ask twice. ", 11, "p", 2),
        chunk("g", "twice. ", 4, "c", 3),
    ]


def test_hierarchical_chunks_are_placed_through_their_parents() -> None:
    root, parent, child, grandchild = hierarchy()
    expected = [("d1", 40, 51), ("d1", 44, 51)]
    for results, parents in (([child, grandchild, parent], []), ([child, grandchild], [parent])):
        for documents in (None, WHOLE):
            run = haystack.run({"q1": results}, documents, parents=parents)
            assert [part[1:] for part in parts(run)][:2] == expected
            assert outcomes(run)[:2] == ["parent", "parent"]
    assert [part[1:] for part in parts(haystack.run({"q1": [root, parent]}))] == [("d1", 0, 80), ("d1", 29, 80)]


def test_hierarchical_chunks_without_their_parents() -> None:
    _, parent, child, _ = hierarchy()
    assert error_of(lambda: haystack.run({"q1": [child]})) == (
        "query q1, result 1: the offset of the chunk 'Ask twice. ' counts from another chunk, which is not among the "
        "results or parents; pass documents= to place it by its text, or parents= with all documents of the store"
    )
    assert outcomes(haystack.run({"q1": [child]}, WHOLE)) == ["ambiguous"]
    child.content = "Unused leave"
    assert outcomes(haystack.run({"q1": [child]}, WHOLE)) == ["moved"]
    assert error_of(lambda: haystack.run({"q1": [child]}, parents=[parent])) == (
        "query q1, result 1: the chunk 'Unused leave' is not at 11 to 23 of its parent; pass documents= to place it by "
        "its text"
    )


# ---- Chroma -----------------------------------------------------------------------------------------------------


def result(**more: Any) -> dict[str, Any]:
    """What ``collection.query`` of Chroma 1 returns for two queries with everything included but embeddings."""
    columns = {
        "ids": [["c7", "c3"], ["c9"]],
        "documents": [["Ask twice.", "Your  manager."], ["Unused leave"]],
        "metadatas": [[{"source": "handbook", "start_index": 40}, {"source": "faq"}], [{"source": "handbook"}]],
        "distances": [[0.25, 0.5], [0.125]],
        "embeddings": None,
        "uris": None,
        "data": None,
        "included": ["documents", "metadatas", "distances"],
    }
    return columns | more


def test_results_of_chroma() -> None:
    run = chroma.run(result(), TEXTS, queries=["q1", "q2"])
    assert parts(run) == [("q1", "handbook", 40, 50), ("q1", "faq", 18, 31), ("q2", "handbook", 51, 63)]
    assert scores(run) == [-0.25, -0.5, -0.125]
    assert run.rank is not None
    assert run.rank.tolist() == [1, 2, 1]
    by_query = {"q1": result(ids=[["c7"]], documents=[["Ask twice."]], metadatas=[None], distances=None)}
    single = chroma.run(by_query, TEXTS)
    assert (outcomes(single), single.score) == (["ambiguous"], None)
    search = {"ids": [["c"]], "documents": [["Unused"]], "metadatas": [None], "scores": [[0.5]], "select": [[]]}
    assert scores(chroma.run(search, TEXTS, queries=["q1"])) == [-0.5]


def test_the_nearest_chunk_of_chroma_is_first_by_rank_and_by_score() -> None:
    """The score is a negative distance, so that ordering by score does not turn a run around."""
    gold = [{"query_id": "q1", "doc_id": "handbook", "start": 40, "end": 50}]
    run = chroma.run(result(), TEXTS, queries=["q1", "q2"])
    for order in (None, "rank", "score"):
        assert pw.evaluate(gold, run, "TextP@1", order=order).mean() == {"run": {"TextP@1": 1.0}}


def test_hooks_of_chroma() -> None:
    records = []

    def text(record: Any) -> str:
        records.append((record.id, record.metadata, record.score))
        return str(record.text.removeprefix("[faq] "))

    changed = result(
        ids=[["c1"]], documents=[["[faq] Your manager."]], metadatas=[[{"file": "x", "doc": "faq"}]], distances=[[1]]
    )
    run = chroma.run({"q1": changed}, TEXTS, text=text, source="doc")
    assert (parts(run), outcomes(run)) == ([("q1", "faq", 18, 31)], ["exact"])
    assert records == [("c1", {"file": "x", "doc": "faq"}, -1.0)]
    places = {"at": 18, "to": 31, "doc": "faq"}
    placed = result(ids=[["c1"]], documents=None, metadatas=[[places]], distances=None)
    run = chroma.run({"q1": placed}, text=lambda record: "Your manager.", start="at", end="to", source="doc")
    assert parts(run) == [("q1", "faq", 18, 31)]


# ---- Qdrant -----------------------------------------------------------------------------------------------------


def point(number: int, score: float, **payload: Any) -> Any:
    """A `ScoredPoint` of the client."""
    return SimpleNamespace(id=number, version=0, score=score, payload=payload, vector=None, shard_key=None)


POINTS = [
    point(7, 0.75, page_content="Ask twice.", metadata={"source": "handbook", "start_index": 40}),
    point(3, 0.5, page_content="Your  manager.", metadata={"source": "faq"}),
]


def as_json(item: Any) -> Any:
    return {"id": item.id, "version": 0, "score": item.score, "payload": item.payload}


@pytest.mark.parametrize(
    "response",
    [
        POINTS,
        SimpleNamespace(points=POINTS),
        SimpleNamespace(
            groups=[SimpleNamespace(hits=POINTS[:1], id="handbook"), SimpleNamespace(hits=POINTS[1:], id="faq")]
        ),
        {"result": {"points": [as_json(item) for item in POINTS]}, "status": "ok", "time": 0.1},
        {"result": [as_json(item) for item in POINTS], "status": "ok", "time": 0.1},
        {"result": {"groups": [{"id": "all", "hits": [as_json(item) for item in POINTS]}]}, "status": "ok"},
    ],
    ids=["points", "response", "groups", "JSON", "JSON of search", "JSON of groups"],
)
def test_points_of_qdrant(response: Any) -> None:
    run = qdrant.run({"q1": response}, TEXTS)
    assert parts(run) == [("q1", "handbook", 40, 50), ("q1", "faq", 18, 31)]
    assert (outcomes(run), scores(run)) == (["exact", "whitespace"], [0.75, 0.5])


@pytest.mark.parametrize(
    "payload",
    [
        {"content": "Ask twice.", "meta": {"source_id": "handbook", "split_idx_start": 40}},  # Haystack
        {"text": "Ask twice.", "doc_id": "handbook", "document_id": "handbook", "start_char_idx": 40},
        {"document": "Ask twice.", "file_path": "handbook", "start": 40, "end": 50},
    ],
)
def test_usual_payloads_of_qdrant(payload: dict[str, Any]) -> None:
    assert parts(qdrant.run({"q1": [point(1, 0.5, **payload)]})) == [("q1", "handbook", 40, 50)]


def test_hooks_of_qdrant() -> None:
    payload = {"body": {"raw": "Ask twice."}, "where": {"file": "handbook", "from": 40}}
    run = qdrant.run({"q1": [point(1, 0.5, **payload)]}, text="body.raw", source="where.file", start="where.from")
    assert parts(run) == [("q1", "handbook", 40, 50)]
    run = qdrant.run({"q1": [point(1, 0.5, **payload)]}, TEXTS, text=lambda item: item.payload["body"]["raw"])
    assert outcomes(run) == ["ambiguous"]
    run = qdrant.run({"q1": [point(1, 0.5, text="Unused leave")]}, TEXTS, source=lambda item: "handbook")
    assert parts(run) == [("q1", "handbook", 51, 63)]


# ---- hooks in other adapters ------------------------------------------------------------------------------------


ADAPTERS = ["chroma", "haystack", "langchain", "llamaindex", "openinference", "qdrant", "ragas", "strings"]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_adapter_has_the_same_options(adapter: str) -> None:
    run = importlib.import_module(f"partwise.adapters.{adapter}").run
    options = ("text", "start", "end", "source", "run_id", "ambiguous", "missing")
    parameters = inspect.signature(run).parameters
    assert list(parameters)[1] == "documents"
    assert tuple(name for name in parameters if name in options) == options
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in options)


def test_a_header_before_each_chunk_of_langchain() -> None:
    docs = [SimpleNamespace(page_content=text, metadata={"source": name}) for name, text in TEXTS.items()]
    results = {
        "q1": [
            SimpleNamespace(page_content="Handbook, page 1\n---\nUnused leave lapses", metadata={"source": "handbook"}),
            SimpleNamespace(page_content="FAQ\n---\nYour manager.", metadata={"source": "faq"}),
        ]
    }
    run = langchain.run(results, documents=docs, text=lambda d: d.page_content.split("\n---\n", 1)[1])
    assert parts(run) == [("q1", "handbook", 51, 70), ("q1", "faq", 18, 31)]
    assert (outcomes(run), list(run.notes)) == (["exact", "exact"], [])
    assert outcomes(langchain.run(results, documents=docs)) == ["missing", "missing"]


def test_hooks_of_strings() -> None:
    run = strings.run(
        {"q1": ["faq|18|Your manager."]},
        TEXTS,
        text=lambda item: item.split("|")[2],
        start=lambda item: int(item.split("|")[1]),
        source=lambda item: item.split("|")[0],
    )
    assert (parts(run), outcomes(run)) == ([("q1", "faq", 18, 31)], ["exact"])
    moved = strings.run({"q1": [("handbook", "Ask twice.")]}, TEXTS, start=lambda item: 29, end=lambda item: 39)
    assert (parts(moved), outcomes(moved)) == ([("q1", "handbook", 29, 39)], ["exact"])


@given(
    st.text(alphabet="ab \n\U0001f600é", min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 12)), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_all_adapters_place_the_same_chunks_at_the_same_places(
    text: str, edges: list[tuple[int, int]], has_offsets: bool, has_documents: bool
) -> None:
    spans = [(min(start, len(text) - 1), min(start, len(text) - 1) + size) for start, size in edges]
    chunks = [
        (text[start:end], {"source": "d", **({"start_index": start} if has_offsets else {})}) for start, end in spans
    ]
    documents = {"d": text} if has_documents else None
    attributes: dict[str, Any] = {"input.value": "q", "openinference.span.kind": "RETRIEVER"}
    for number, (content, metadata) in enumerate(chunks):
        attributes[f"retrieval.documents.{number}.document.content"] = content
        attributes[f"retrieval.documents.{number}.document.metadata"] = json.dumps(metadata)
    names = {"source": "source_id", "start_index": "split_idx_start"}
    columns = {
        "ids": [["c"] * len(chunks)],
        "documents": [[c for c, _ in chunks]],
        "metadatas": [[m for _, m in chunks]],
    }
    calls: list[Callable[[], pw.Run]] = [
        lambda: langchain.run({"q": [SimpleNamespace(page_content=c, metadata=m) for c, m in chunks]}, documents),
        lambda: haystack.run(
            {"q": [SimpleNamespace(content=c, meta={names[k]: v for k, v in m.items()}) for c, m in chunks]}, documents
        ),
        lambda: chroma.run(columns, documents, queries=["q"]),
        lambda: qdrant.run({"q": [point(1, 0.5, page_content=c, metadata=m) for c, m in chunks]}, documents),
        lambda: openinference.run([{"attributes": attributes}], documents),
    ]
    found = []
    for call in calls:
        try:
            run = call()
            found.append((parts(run), outcomes(run), list(run.notes)))
        except pw.PartwiseError as error:
            found.append((error.problem, [], []))
    assert found == found[:1] * len(calls)
    assert not has_offsets or found[0][0] == [("q", "d", start, min(end, len(text))) for start, end in spans]


# ---- errors -----------------------------------------------------------------------------------------------------

EXPECTED = "give lists of Haystack documents, or what a retriever or a pipeline returned"
QDRANT = "give responses of query_points or query_points_groups, or lists of their points"
CHROMA = "give a result of collection.query, or {query_id: result of one query}"
NAMES = {"source": "a.txt", "file_path": "b.txt"}


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: haystack.run({"q1": [document("Ask")]}),
         "query q1, result 1: the chunk 'Ask' has no offset; use a splitter that sets source_id and split_idx_start, "
         "or give documents"),
        (lambda: haystack.run({"q1": ["Ask"]}), f"query q1, result 1: is of type str; {EXPECTED}"),
        (lambda: haystack.run({"q1": [document(None)]}),
         "query q1, result 1: has no content; give documents with text, or text= (its meta keys: 'source_id', "
         "'page_number', 'split_id')"),
        (lambda: haystack.run({"q1": {"a": {"documents": []}, "b": {"documents": []}}}),
         'query q1: several components returned documents: a, b; choose one: result["b"]["documents"]'),
        (lambda: haystack.run({"q1": {"llm": {"replies": []}}}),
         f"query q1: is a dict with the keys 'llm'; {EXPECTED}"),
        (lambda: haystack.run({"q1": [document("Ask", 29, "d9")]}, WHOLE),
         "query q1, result 1: document 'd9' is not among the documents; the first is 'd1'"),
        (lambda: haystack.documents([WHOLE[0], WHOLE[0]]),
         "documents, row 2: is a second document 'd1'; set source= to a function that returns a different id for each"),
        (lambda: chroma.run(result()),
         "the result has lists for 2 queries, but queries= names none; give the ids of its queries, in their order"),
        (lambda: chroma.run(result(), queries=["q1"]),
         "the result has lists for 2 queries, but queries= names 1; give the ids of its queries, in their order"),
        (lambda: chroma.run(result(), queries="q1"), "queries: is of type str; give a list of ids"),
        (lambda: chroma.run(result(), queries=["q", "q"]),
         "queries= names 'q' twice; give each query an id of its own"),
        (lambda: chroma.run({"q1": result()}),
         "query q1: the result has lists for 2 queries, but queries= names 1; give the ids of its queries, in their "
         "order"),
        (lambda: chroma.run({"q1": {"ids": ["c1"]}}),
         f"query q1: is a result of collection.get, which has no order; {CHROMA}"),
        (lambda: chroma.run({"q1": [3]}), f"query q1: is of type list; {CHROMA}"),
        (lambda: chroma.run([3]),
         "the results are of type list; give {query_id: result of collection.query}"),
        (lambda: chroma.run(result(documents=None), TEXTS, queries=["q1", "q2"]),
         "query q1, result 1: has no document; include documents in the query, or give its text with text= (its "
         "metadata keys: 'source', 'start_index')"),
        (lambda: chroma.run(result(distances=[[1]]), queries=["q1", "q2"]),
         "query q1: distances is a list of 1; it must be None, or have an item for each of the 2 ids of the query"),
        (lambda: chroma.run(result(metadatas=[{"source": "x"}]), queries=["q1", "q2"]),
         "query q1: metadatas is a dict with the keys 'source'; it must be None, or have an item for each of the 2 ids "
         "of the query"),
        (lambda: chroma.run(result(metadatas=None), queries=["q1", "q2"]),
         "query q1, result 1: the chunk 'Ask twice.' has no document (the first of 3 such chunks); give documents, or "
         "name its metadata with source= and start="),
        (lambda: chroma.run(result(metadatas=[[NAMES, NAMES], [NAMES]]), queries=["q1", "q2"]),
         "query q1, result 1: source is 'a.txt', but file_path is 'b.txt'; choose with source= which one to use"),
        (lambda: chroma.run(result(metadatas=[[{"source": 0.5}, {}], [{}]]), queries=["q1", "q2"]),
         "query q1, result 1: source is '0.5', of type float; set source= to a function that returns the id of its "
         "document"),
        (lambda: chroma.run(result(), TEXTS, queries=["q1", "q2"], source="file"),
         "query q1, result 1: there is no metadata key 'file', which source= names; its keys are 'source', "
         "'start_index'"),
        (lambda: chroma.run(result(metadatas=[[{"source": "faq", "start_index": -1}] * 2, [{}]]), queries=[1, 2]),
         "query 1, result 1: the start_index of the chunk 'Ask twice.' is -1: the splitter did not find it (the first "
         "of 3 such chunks); pass documents= to place it by its text"),
        (lambda: qdrant.run({"q1": 3}), f"query q1: is of type int; {QDRANT}"),
        (lambda: qdrant.run([POINTS]), "the results are of type list; give {query_id: responses of query_points or "
         "query_points_groups, or lists of their points}"),
        (lambda: qdrant.run({"q1": {"status": "ok"}}), f"query q1: is a dict with the keys 'status'; {QDRANT}"),
        (lambda: qdrant.run({"q1": [{"id": 1}]}), f"query q1, result 1: is a dict with the keys 'id'; {QDRANT}"),
        (lambda: qdrant.run({"q1": [{"id": 1, "score": 1.0, "payload": None}]}),
         "query q1, result 1: has no payload; query with with_payload=True"),
        (lambda: qdrant.run({"q1": [point(1, 0.5, body="x", _node_content="{}")]}),
         "query q1, result 1: has no text in its payload; name its key with text= (its keys: 'body', "
         "'_node_content')"),
        (lambda: qdrant.run({"q1": [point(1, 0.5, content="x", passage="y")]}),
         "query q1, result 1: content is 'x', but passage is 'y'; choose with text= which one to use"),
        (lambda: qdrant.run({"q1": [point(1, 0.5, text="x")]}, text="metadata.body"),
         "query q1, result 1: there is no metadata key 'metadata.body', which text= names; its keys are 'text'"),
        (lambda: strings.run({"q1": ["x"]}, TEXTS, source="file"),
         "query q1, result 1: there is no metadata key 'file', which source= names; its keys are none"),
    ],
)  # fmt: skip
def test_errors(call: Callable[[], Any], line: str) -> None:
    assert error_of(call) == line


# ---- the real package -------------------------------------------------------------------------------------------


@pytest.fixture
def no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")


@pytest.mark.slow
@pytest.mark.usefixtures("no_telemetry")
def test_the_pipeline_of_haystack(chunking: Path) -> None:
    from haystack import Document, Pipeline
    from haystack.components.preprocessors import DocumentSplitter, HierarchicalDocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    texts = {name: text for name, text in chroma.load(chunking).documents.items() if len(text) < 200_000}
    whole = [Document(content=text, meta={"file_path": f"{name}.md"}) for name, text in texts.items()]
    chunks = DocumentSplitter(split_by="word", split_length=60, split_overlap=20).run(whole)["documents"]
    assert len(chunks) > 200
    run = haystack.run({"q": chunks}, documents=whole)
    assert (list(run.notes), set(outcomes(run))) == ([], {"exact"})
    assert parts(haystack.run({"q": chunks})) == parts(run)
    by_file = haystack.run({"q": chunks}, texts, source=lambda chunk: chunk.meta["file_path"].removesuffix(".md"))
    assert [texts[doc][start:end] for _, doc, start, end in parts(by_file)] == [chunk.content for chunk in chunks]

    store = InMemoryDocumentStore()
    store.write_documents(chunks)
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=5))
    result = pipeline.run({"retriever": {"query": "What did the president say about inflation?"}})
    retrieved = haystack.run({"q": result}, documents=whole)
    assert len(retrieved) == 5
    assert scores(retrieved) == sorted(scores(retrieved), reverse=True)

    tree = HierarchicalDocumentSplitter(block_sizes={200, 50, 10}, split_by="word").run(whole[:1])["documents"]
    leaves = [chunk for chunk in tree if chunk.meta["__level"] == 3]
    assert len(leaves) > 100
    run = haystack.run({"q": leaves}, documents=whole, parents=tree)
    assert set(outcomes(run)) == {"parent"}
    assert [whole[0].content[start:end] for _, _, start, end in parts(run)] == [leaf.content for leaf in leaves]


@pytest.mark.slow
@pytest.mark.usefixtures("no_telemetry")
def test_the_example_of_haystack(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "rag.md").read_text()
    code, _, rest = page.split("```python\nfrom haystack")[1].partition("```\n\nprints `")
    exec("from haystack" + code, {})
    assert capsys.readouterr().out == rest.split("`")[0] + "\n"
