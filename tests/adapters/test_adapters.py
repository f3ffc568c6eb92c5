"""Adapters: runs from LangChain, LlamaIndex and plain strings, and data sets of other projects."""

from __future__ import annotations

import csv
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.adapters import beir, chroma, langchain, legalbench, llamaindex, strings
from support.paths import ROOT

TEXTS = {"handbook": "Leave is granted on request. Ask twice. Ask twice.", "faq": "Who grants leave?\nYour manager."}
GOLD = [{"query_id": "q1", "doc_id": "handbook", "start": 0, "end": 28}]


def document(text: str, source: str | None = None, start: int | None = None, id: str | None = None) -> Any:
    """The attributes of a LangChain document that the adapter reads."""
    metadata = {"source": source, "start_index": start}
    present = {name: value for name, value in metadata.items() if value is not None}
    return SimpleNamespace(page_content=text, metadata=present, id=id)


def node(text: str, doc: str | None = None, start: int | None = None, **more: Any) -> Any:
    """The attributes of a LlamaIndex node that the adapter reads."""
    end = None if start is None else start + len(text)
    metadata = more.pop("metadata", {})
    return SimpleNamespace(
        text=text, ref_doc_id=doc, start_char_idx=start, end_char_idx=end, node_id="n1", metadata=metadata, **more
    )


def parts(run: pw.Run) -> list[tuple[str, str, int, int]]:
    return list(
        zip(run.query.values(), run.doc.values(), run.start.tolist(), run.end.tolist(), strict=True)
    )  # one span per result


# ---- LangChain and LlamaIndex -----------------------------------------------------------------------------------


def test_langchain_chunks_with_and_without_offsets() -> None:
    documents = [document(text, name) for name, text in TEXTS.items()]
    results = {
        "q1": [document("Leave is granted", "handbook", 0), (document("Your  manager.", "faq"), 0.5)],
        "q2": [document("on request")],
        "q3": [],
    }
    run = langchain.run(results, documents=documents, run_id="mine")
    assert parts(run) == [("q1", "handbook", 0, 16), ("q1", "faq", 18, 31), ("q2", "handbook", 17, 27)]
    assert (run.run_id, list(run.notes)) == ("mine", [])
    assert parts(langchain.run(results, documents=TEXTS)) == parts(run)
    assert run.score is not None
    assert np.isnan(run.score[0])
    assert run.score[1] == 0.5
    assert pw.evaluate(pw.spans(GOLD), run, "TextR@5 TextP@1").mean() == {"mine": {"TextR@5": 16 / 28, "TextP@1": 1.0}}


def test_offsets_alone_need_no_documents() -> None:
    assert parts(langchain.run({"q1": [document("is", "handbook", 6)]})) == [("q1", "handbook", 6, 8)]
    scored = SimpleNamespace(node=node("is", "handbook", 6), score=0.25)
    run = llamaindex.run({"q1": [scored, node("Ask", "handbook", 29)]})
    assert parts(run) == [("q1", "handbook", 6, 8), ("q1", "handbook", 29, 32)]


@pytest.mark.parametrize("start", [6, 6.0, np.int64(6), np.float32(6)])
def test_offsets_of_any_numeric_type(start: Any) -> None:
    assert parts(langchain.run({"q1": [document("is", "handbook", start)]})) == [("q1", "handbook", 6, 8)]


@pytest.mark.parametrize("start", [-1, 6.5, "6", True, float("nan"), float("inf")])
def test_chunks_without_a_valid_offset_are_located_by_text(start: Any) -> None:
    assert parts(langchain.run({"q1": [document("is", "handbook", start)]}, TEXTS)) == [("q1", "handbook", 6, 8)]


def test_sources_by_key_by_function_and_by_id() -> None:
    chunk = SimpleNamespace(page_content="granted", metadata={"file": "/data/handbook.md"}, id="uuid")
    run = langchain.run({"q1": [chunk]}, TEXTS, source=lambda item: Path(item.metadata["file"]).stem)
    assert parts(run) == [("q1", "handbook", 9, 16)]
    whole = [document(TEXTS["faq"], id="faq")]
    assert langchain.documents(whole) == {"faq": TEXTS["faq"]}
    assert parts(langchain.run({"q1": whole}, whole)) == [("q1", "faq", 0, 31)]
    named = node("granted", "uuid", metadata={"file_name": "handbook"})
    assert parts(llamaindex.run({"q1": [named]}, TEXTS, source="file_name")) == [("q1", "handbook", 9, 16)]
    loose = SimpleNamespace(get_content=lambda: "granted")
    assert parts(llamaindex.run({"q1": [loose]}, TEXTS)) == [("q1", "handbook", 9, 16)]
    response = SimpleNamespace(source_nodes=[node("granted", "handbook", 9)])
    assert parts(llamaindex.run({"q1": response})) == [("q1", "handbook", 9, 16)]
    texts = [SimpleNamespace(text="a b", node_id="d1", metadata={})]
    assert llamaindex.documents(texts) == {"d1": "a b"}


def test_offsets_are_checked_if_there_are_documents() -> None:
    """A wrong offset is corrected and noted; of several places the one at the offset is taken."""
    results = {
        "q1": [document("granted", "handbook", 3), document("Ask  twice.", "handbook", 40), document("x", "faq", -1)]
    }
    run = langchain.run(results, TEXTS)
    assert parts(run)[:2] == [("q1", "handbook", 9, 16), ("q1", "handbook", 40, 50)]
    assert list(run.notes) == [
        "1 of 3 chunks is not in the documents (first: query q1, rank 3, document faq); counted as irrelevant text",
        "1 of 3 chunks is not at its offsets (first: query q1, rank 1, document handbook); located by text",
    ]


@pytest.mark.parametrize(
    ("options", "expected", "notes"),
    [
        ({}, [("handbook", 50, 60), ("faq", 31, 38), ("unplaced-1", 0, 7), ("handbook", 50, 60)],
         ["2 of 4 chunks occur in several places (first: query q1, rank 1, document handbook); counted as irrelevant "
          "text",
          "2 of 4 chunks are not in the documents (first: query q1, rank 2, document faq); counted as irrelevant "
          "text"]),
        ({"ambiguous": "first", "missing": "skip"}, [("handbook", 29, 39), ("handbook", 29, 39)],
         ["2 of 4 chunks occur in several places (first: query q1, rank 1, document handbook); located at the first",
          "2 of 4 chunks are not in the documents (first: query q1, rank 2, document faq); left out"]),
        ({"ambiguous": "skip"}, [("faq", 31, 38), ("unplaced-1", 0, 7)],
         ["2 of 4 chunks occur in several places (first: query q1, rank 1, document not known); left out",
          "2 of 4 chunks are not in the documents (first: query q1, rank 2, document faq); counted as irrelevant "
          "text"]),
    ],
)  # fmt: skip
def test_chunks_without_exactly_one_place(options: dict[str, str], expected: list[Any], notes: list[str]) -> None:
    """If kept, they have their size, overlap only themselves, and are not relevant."""
    results = {"q1": ["Ask twice.", ("faq", "nothing"), "nothing", "Ask twice."]}
    run = strings.run(results, TEXTS, **options)
    assert [part[1:] for part in parts(run)] == expected
    scores = pw.evaluate(GOLD, run, "TextP TextR Redundancy")
    assert list(scores.notes)[: len(notes)] == [f"run: {note}" for note in notes]
    if not options:
        assert scores.mean()["run"] == {"TextP": 0.0, "TextR": 0.0, "Redundancy": 10 / 34}


def test_kept_chunks_lower_precision() -> None:
    texts = strings.run({"q1": ["Leave is granted on request.", "Ask twice."]}, TEXTS)
    alone = strings.run({"q1": ["Leave is granted on request."]}, TEXTS)
    assert pw.evaluate(GOLD, texts, "TextP").mean()["run"]["TextP"] == 28 / 38
    assert pw.evaluate(GOLD, alone, "TextP").mean()["run"]["TextP"] == 1


def test_ranks_are_unchanged_when_chunks_are_left_out() -> None:
    run = strings.run({"q1": ["nothing", "granted"]}, TEXTS, missing="skip")
    assert run.rank is not None
    assert run.rank.tolist() == [2]
    assert len(strings.run({"q1": ["nothing"]}, TEXTS, missing="skip")) == 0


@pytest.mark.parametrize(
    ("build", "line"),
    [
        (lambda: langchain.run({"q1": [document("Ask", "handbook")]}),
         "query q1, result 1: the chunk 'Ask' has no offset; split with add_start_index=True and keep the source in "
         "metadata, or give documents"),
        (lambda: langchain.run({"q1": [document("Ask", start=3)]}),
         "query q1, result 1: the chunk 'Ask' has no document; split with add_start_index=True and keep the source in "
         "metadata, or give documents"),
        (lambda: llamaindex.run({"q1": [node("Ask", "handbook")]}),
         "query q1, result 1: the chunk 'Ask' has no offset; use a node parser that sets start_char_idx, or give "
         "documents"),
        (lambda: langchain.run({"q1": [document("Ask", "gone")]}, TEXTS),
         "query q1, result 1: document 'gone' is not among the documents; the first is 'handbook'"),
        (lambda: langchain.run({"q1": ["Ask"]}, TEXTS),
         "query q1, result 1: is of type str; give lists of LangChain documents, or of pairs of a document and its "
         "score"),
        (lambda: llamaindex.run({"q1": [3]}, TEXTS),
         "query q1, result 1: is of type int; give lists of LlamaIndex nodes, with scores or without"),
        (lambda: strings.run({"q1": [3]}, TEXTS),
         "query q1, result 1: is of type int; give lists of texts, or of pairs of a doc_id and a text"),
        (lambda: strings.run({"q1": "Ask"}, TEXTS),
         "the results of query 'q1' are of type str; give lists of texts, or of pairs of a doc_id and a text"),
        (lambda: strings.run([["Ask"]], TEXTS),  # type: ignore[arg-type]
         "the results are of type list; give {query_id: lists of texts, or of pairs of a doc_id and a text}"),
        (lambda: strings.run({"q1": ["Ask"]}, TEXTS, ambiguous="error"),
         "query q1, result 1: the text 'Ask' occurs 2 times in document handbook, first at 29; give its start and "
         "end, or choose with --ambiguous how to treat such texts"),
        (lambda: strings.run({"q1": ["nothing"]}, TEXTS, missing="error"),
         "query q1, result 1: the text 'nothing' is not in the documents; give it as it is there, or its start and "
         "end, or choose with --missing how to treat such texts"),
        (lambda: strings.run({"q1": ["\n"]}, TEXTS, missing="error"),
         "query q1, result 1: the text '\\n' has no visible character; give the text as it is in the document, or "
         "choose with --missing how to treat such texts"),
        (lambda: strings.run({"q1": ["Ask"]}, TEXTS, ambiguous="all"),
         "ambiguous is 'all'; it must be one of keep, first, skip, error"),
        (lambda: strings.run({"q1": ["Ask"]}, TEXTS, missing="first"),
         "missing is 'first'; it must be one of keep, skip, error"),
        (lambda: strings.run({"q1": ["Ask"]}, 3),
         "the documents are of type int; give a mapping of ids to texts, a collection, or the path of one"),
        (lambda: strings.run({"q1": ["Ask"]}, {3: "x"}),
         "the document id '3' is not a string; give document ids as strings"),
        (lambda: langchain.documents([document("a", "d"), document("b", "d")]),
         "documents, row 2: is a second document 'd'; give pages different ids: "
         "source=lambda d: f\"{d.metadata['source']}#{d.metadata['page']}\""),
        (lambda: langchain.documents([document("a")]),
         "documents, row 1: has no document id; set source= to a metadata key or a function"),
        (lambda: langchain.documents(["a"]),
         "documents, row 1: is of type str; give LangChain documents"),
        (lambda: llamaindex.documents([3]),
         "documents, row 1: is of type int; give LlamaIndex documents"),
    ],
)  # fmt: skip
def test_errors_of_adapters(build: Callable[[], Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        build()
    assert str(error.value) == line


def test_adapters_do_not_import_the_packages_that_they_serve() -> None:
    code = (
        "import sys; import partwise; assert 'partwise.adapters' not in sys.modules;"
        "from partwise.adapters import beir, chroma, haystack, langchain, legalbench, llamaindex, openinference;"
        "from partwise.adapters import qdrant, ragas, strings;"
        "assert not {'langchain_core', 'llama_index', 'haystack', 'chromadb', 'qdrant_client', 'opentelemetry', "
        "'datasets', 'pyarrow', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- gold -------------------------------------------------------------------------------------------------------


def test_quoted_gold() -> None:
    rows = [
        {"query_id": "q1", "doc_id": "handbook", "text": "granted  on request"},
        {"query_id": "q1", "text": "Your manager."},
        {"query_id": "q2", "doc_id": "faq", "start": 0, "end": 3},
    ]
    gold = pw.spans(rows, TEXTS)
    assert [gold.docs[code] for code in gold.spans.doc] == ["handbook", "faq", "faq"]
    assert list(zip(gold.spans.start.tolist(), gold.spans.end.tolist(), strict=True)) == [(9, 27), (18, 31), (0, 3)]
    assert pw.evaluate(gold, {"q1": [("faq", 18, 31)]}, "TextR", average_over="run").mean()["run"]["TextR"] == 13 / 31


def test_gold_without_exactly_one_place_is_an_error_by_default() -> None:
    rows = [
        {"query_id": "q1", "doc_id": "handbook", "text": "Leave"},
        {"query_id": "q2", "doc_id": "handbook", "text": "Ask twice."},
        {"query_id": "q3", "doc_id": "handbook", "text": "nothing"},
    ]
    for judgements, line in (
        (rows, "spans, row 2: the text 'Ask twice.' occurs 2 times in document handbook, first at 29; give its "
         "start and end, or choose with --ambiguous how to treat such texts"),
        (rows[2:], "spans, row 1: the text 'nothing' is not in document handbook; give it as it is there, or its "
         "start and end, or choose with --missing how to treat such texts"),
    ):  # fmt: skip
        with pytest.raises(pw.PartwiseError) as error:
            pw.spans(judgements, TEXTS)
        assert str(error.value) == line
    gold = pw.spans(rows, TEXTS, ambiguous="first", missing="skip")
    scores = pw.evaluate(gold, {"q1": [("handbook", 0, 5)], "q2": [("handbook", 29, 39)]}, "TextIoU")
    assert scores.mean() == {"run": {"TextIoU": 1.0}}
    assert list(scores.notes) == [
        "spans: 1 of 3 passages occurs in several places (first: row 2); located at the first",
        "spans: 1 of 3 passages is not in the documents (first: row 3); left out",
    ]
    with pytest.raises(pw.PartwiseError) as error:
        pw.spans(rows)
    assert str(error.value) == "spans, row 1: gives its passage as text; give the documents too, or start and end"
    with pytest.raises(pw.PartwiseError, match="spans: has no judgements; give at least one judgement"):
        pw.spans(rows[2:], TEXTS, missing="skip")


def test_texts_of_a_mapping_are_not_parsed() -> None:
    """A mapping holds plain texts, even if one looks like XML; a collection holds parsed documents."""
    xml = "<a><b>One</b> two</a>"
    assert pw.locate(["<b>One</b>"], {"d": xml})[0].start == 3
    assert pw.locate(["One two"], pw.Collection.open({"d": xml}))[0].start == 0


# ---- data sets --------------------------------------------------------------------------------------------------


def test_beir(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    corpus = [{"_id": "d1", "title": "Leave", "text": "On request."}, {"_id": "d2", "title": "", "text": "No title."}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "leave?", "metadata": {}}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n")
    data = beir.load(tmp_path)
    assert data.documents == {"d1": "Leave On request.", "d2": "No title."}
    assert data.queries == {"1": "leave?"}
    run = strings.run({"1": ["On  request"]}, data.documents)
    assert pw.evaluate(data.assessments, run, "nDCG@10").mean() == {"run": {"nDCG@10": 1.0}}
    for name, content, line in (
        ("qrels/test.tsv", "1\td1\t2\n", "qrels/test.tsv: has no judgements; give at least one judgement"),
        ("qrels/test.tsv", "query-id\tcorpus-id\n1\td1\n",
         "qrels/test.tsv: has no column 'score' (it has 'query-id', 'corpus-id'); qrels of BEIR need it"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\tgood\n",
         "qrels/test.tsv:2: the grade is 'good'; it must be a whole number from -1000000 to 1000000"),
        ("corpus.jsonl", '{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n',
         "corpus.jsonl:2: the id 'd1' is already used in an earlier line; ids must be unique"),
        ("corpus.jsonl", '{"_id": "d1", "text": 3}\n', "corpus.jsonl:1: the text is '3'; it must be a string"),
        ("queries.jsonl", '{"_id": null, "text": "a"}\n',
         "queries.jsonl:1: the _id is 'None'; it must be a string or a whole number"),
    ):  # fmt: skip
        kept = (tmp_path / name).read_text()
        (tmp_path / name).write_text(content)
        with pytest.raises(pw.PartwiseError) as error:
            beir.load(tmp_path)
        assert str(error.value) == f"{tmp_path}/{line}"
        (tmp_path / name).write_text(kept)
    with pytest.raises(pw.PartwiseError, match=r"no such folder; give a folder with corpus\.jsonl"):
        beir.load(tmp_path / "gone")


def test_legalbench(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "nda").mkdir(parents=True)
    (tmp_path / "corpus" / "nda" / "a.v1.txt").write_text("The term is two years.")
    path = tmp_path / "nda.json"
    snippet = {"file_path": "nda/a.v1.txt", "span": [4, 11], "answer": "term is"}
    path.write_text(json.dumps({"tests": [{"query": "How long?", "snippets": [snippet, snippet]}]}))
    data = legalbench.load(path, tmp_path / "corpus")
    assert data.queries == {"q0": "How long?"}
    assert data.documents["nda/a.v1"] == "The term is two years."
    run = strings.run({"q0": ["term is two"]}, data.documents)
    assert pw.evaluate(data.assessments, run, "TextP TextR").mean() == {"run": {"TextP": 7 / 11, "TextR": 1.0}}
    path.write_text(json.dumps({"tests": [{"query": "How long?", "snippets": [{**snippet, "span": [5, 12]}]}]}))
    legalbench.load(path)
    with pytest.raises(pw.PartwiseError) as error:
        legalbench.load(path, tmp_path / "corpus")
    assert str(error.value) == (
        f"{path}, test 1: the text 'term is' is not at 5 to 12 of document nda/a.v1, where 'erm is ' is; its only "
        "place there is 4 to 11"
    )
    shape = '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": [start, end]}]}]}'
    for content, line in (
        ("{", f":1: is not JSON (Expecting property name enclosed in double quotes); write {shape}"),
        ("[]", f": is not a LegalBench-RAG benchmark; write {shape}"),
        ('{"tests": [{"query": 1, "snippets": []}]}', ", test 1: the query is '1'; it must be a string"),
        ('{"tests": [{"query": "a", "snippets": [{"file_path": "b", "span": [5, 2]}]}]}',
         ", test 1: a snippet is \"('b', 5, 2)\"; give its file_path and span"),
    ):  # fmt: skip
        path.write_text(content)
        with pytest.raises(pw.PartwiseError) as error:
            legalbench.load(path)
        assert str(error.value) == f"{path}{line}"


def test_chroma_by_hand(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "talk.md").write_text("One two three.")

    def load(references: Any, corpus: str = "talk") -> Any:
        with open(tmp_path / "questions_df.csv", "w", newline="") as file:
            cell = references if isinstance(references, str) else json.dumps(references)
            csv.writer(file).writerows([("question", "references", "corpus_id"), ("What?", cell, corpus)])
        return chroma.load(tmp_path)

    two = {"content": "two", "start_index": 4, "end_index": 7}
    data = load([two, two])
    assert (data.queries, data.documents) == ({"q0": "What?"}, {"talk": "One two three."})
    assert (data.assessments.spans.start.tolist(), data.assessments.documents.length.tolist()) == ([4], [14])
    where = f"{tmp_path}/questions_df.csv:2: "
    for arguments, line in (
        (([{**two, "start_index": 5}],),
         "the text 'two' is not at 5 to 7 of document talk, where 'wo' is; its only place there is 4 to 7"),
        (([{**two, "end_index": 3}],),
         "the reference 'two' has the offsets 4 and 3; give whole numbers, the end not before the start"),
        (([{**two, "content": 2}],),
         "the references are '[{\"content\": 2, \"start_index\": 4, \"end_index\": 7}]'; write "
         '[{"content": ..., "start_index": ..., "end_index": ...}]'),
        (("[",), "the references are '['; write " '[{"content": ..., "start_index": ..., "end_index": ...}]'),
        (([two], "gone"), f"there is no corpus 'gone' in {tmp_path}/corpora; add gone.md"),
        (([two], "../corpora/talk"),
         f"there is no corpus '../corpora/talk' in {tmp_path}/corpora; add ../corpora/talk.md"),
    ):  # fmt: skip
        with pytest.raises(pw.PartwiseError) as error:
            load(*arguments)
        assert str(error.value) == where + line


# ---- real data and real packages --------------------------------------------------------------------------------


def test_all_references_are_located_by_their_text(chunking: Path) -> None:
    """References that occur once are at their true offsets; the others, counted by hand, are ambiguous."""
    data = chroma.load(chunking)
    assert (len(data.queries), len(data.documents)) == (472, 5)
    with open(chunking / "questions_df.csv", newline="") as file:
        references = [
            (row["corpus_id"], item) for row in csv.DictReader(file) for item in json.loads(row["references"])
        ]
    assert len(references) == 790
    locations = pw.locate([(doc, item["content"]) for doc, item in references], data.documents)
    several = 0
    for (doc, item), located in zip(references, locations, strict=True):
        text, content, true = data.documents[doc], item["content"], (item["start_index"], item["end_index"])
        places, at = [], text.find(content)
        while at >= 0:
            places.append((doc, at, at + len(content)))
            at = text.find(content, at + 1)
        once = places == [(doc, *true)]
        several += not once
        assert located.how == ("exact" if once else "ambiguous")
        assert (located.start, located.end) == (true if once else (None, None))
        assert located.places == places
        assert (doc, *true) in places
    assert several == 97
    assert locations.counts == {"exact": 693, "whitespace": 0, "normalised": 0, "ambiguous": 97, "missing": 0}


def test_all_evidence_is_located_in_the_xml_articles(evidence: Path) -> None:
    """All 509 passages of the plain texts occur in the text of the XML articles, white space aside."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (evidence / "txt_files").glob("*.txt")}
    with open(evidence / "v2_annotations.csv", newline="", encoding="utf-8") as file:
        edges = [(f"PMC{r['PMCID']}", int(r["Evidence Start"]), int(r["Evidence End"])) for r in csv.DictReader(file)]
    marked = sorted({(doc, start, end) for doc, start, end in edges if 0 <= start < end})
    assert len(marked) == 509
    collection = pw.Collection.open(evidence / "xml_files")
    passages = [(doc, texts[doc][start:end]) for doc, start, end in marked]
    locations = pw.locate(passages, collection)
    assert locations.counts == {"exact": 466, "whitespace": 41, "normalised": 0, "ambiguous": 2, "missing": 0}
    for (doc, text), located in zip(passages, locations, strict=True):
        article = collection[doc].text or ""
        bare, read = "".join(text.split()), [article[place.start : place.end] for place in located.places]
        assert all("".join(piece.split()) == bare for piece in read)
        whole = article if located.reading == "exact" else "".join(article.split())
        assert located.count == whole.count(text if located.reading == "exact" else bare) > 0


class Windows:
    """A splitter with the one method that the example calls."""

    def __init__(self, size: int, step: int) -> None:
        self.size, self.step = size, step

    def create_documents(self, texts: list[str], metadatas: list[dict[str, str]]) -> list[Any]:
        return [
            document(text[start : start + self.size], metadata["source"], start)
            for text, metadata in zip(texts, metadatas, strict=True)
            for start in range(0, len(text), self.step)
        ]


def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    monkeypatch.delitem(sys.modules, "rag_chunkers", raising=False)
    return importlib.import_module("rag_chunkers")


def test_the_example(chunking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rag = example(monkeypatch)
    assert len((ROOT / "examples" / "rag_chunkers.py").read_text().splitlines()) < 60
    splitters = {"halves": Windows(400, 200), "w400": Windows(400, 400), "w200": Windows(200, 200)}
    scores = rag.main(str(chunking), splitters)
    means = scores.mean()
    assert list(means) == list(splitters)
    assert scores.summary() == ["472 of 472 queries scored"]
    assert means["halves"]["Redundancy@5"] > 0.1
    assert means["w400"]["Redundancy@5"] == 0
    assert means["w200"]["TextP@5"] > means["w400"]["TextP@5"]
    assert means["w200"]["TextR@5"] < means["w400"]["TextR@5"]


@pytest.mark.slow
def test_chunks_of_langchain(chunking: Path) -> None:
    """Offsets and texts give the same places for every text that occurs once."""
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    texts = chroma.load(chunking).documents
    documents = [Document(page_content=text, metadata={"source": name}) for name, text in texts.items()]
    assert langchain.documents(documents) == texts
    splitter = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=100, add_start_index=True)
    chunks = splitter.split_documents(documents)
    page = " ".join((ROOT / "docs" / "rag.md").read_text().split())
    numbers = re.search(
        r"of the (\d+) chunks of 300 .*?, (\d+) occur in several places.*? all but (\d+) of these", page
    )
    assert numbers is not None
    total, repeated, not_in_order = map(int, numbers.groups())
    assert len(chunks) == total

    class Everything(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return chunks

    with_offsets = langchain.run({"q": Everything().invoke("?")}, documents=documents)
    assert list(with_offsets.notes) == []
    for chunk in chunks:
        del chunk.metadata["start_index"]
    by_text = langchain.run({"q": [(chunk, 0.5) for chunk in chunks]}, documents=documents)
    kept = [n for n, located in enumerate(pw.locate([(c.metadata["source"], c.page_content) for c in chunks], texts))
            if located.found]  # fmt: skip
    assert len(chunks) - len(kept) == repeated
    assert [parts(by_text)[n] for n in kept] == [parts(with_offsets)[n] for n in kept]
    assert by_text.notes[0].startswith(f"{len(chunks) - len(kept)} of {len(chunks)} chunks occur in several places")
    listed = [(chunk.metadata["source"], chunk.page_content) for chunk in chunks]
    in_order = pw.locate(listed, texts, in_order=True)
    assert sum(not located.found for located in in_order) == not_in_order
    places = [(doc, start) for _, doc, start, _ in parts(with_offsets)]
    differing = [n for n, located in enumerate(in_order) if located.found and located.start != places[n][1]]
    assert len(differing) == 1
    for n in differing:  # LangChain's offsets do not rise there
        assert n > 0
        assert places[n - 1][0] == places[n][0]
        assert places[n][1] <= places[n - 1][1]


@pytest.mark.slow
def test_the_pipeline_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "rag.md").read_text()
    code, _, rest = page.split("```python\nfrom langchain_core")[1].partition("```\n\nprints `")
    exec("from langchain_core" + code, {})
    assert capsys.readouterr().out == rest.split("`")[0] + "\n"


@pytest.mark.slow
def test_nodes_of_llamaindex(chunking: Path) -> None:
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import Document, MetadataMode, NodeWithScore

    texts = {name: text for name, text in chroma.load(chunking).documents.items() if len(text) < 200_000}
    documents = [Document(text=text, doc_id=name, metadata={"kind": "corpus"}) for name, text in texts.items()]
    assert llamaindex.documents(documents) == texts
    nodes = SentenceSplitter(chunk_size=128, chunk_overlap=16).get_nodes_from_documents(documents)
    assert len(nodes) > 200
    scored = [NodeWithScore(node=node, score=1 / rank) for rank, node in enumerate(nodes, 1)]
    run = llamaindex.run({"q": scored}, documents=documents)
    assert list(run.notes) == []
    assert parts(llamaindex.run({"q": nodes})) == parts(run)
    contents = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
    assert [texts[doc][start:end] for _, doc, start, end in parts(run)] == contents
