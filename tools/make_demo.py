"""Generates the files of the demo except its articles: queries, assessments and runs of BM25.

The articles are in src/partwise/demo_data/articles; queries and judgements are written by hand in demo_judgements.toml,
as quotes that are located here. The same input gives the same bytes.
Usage: python tools/make_demo.py
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import bm25s

import partwise as pw
from partwise.outputs import write_bytes

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src" / "partwise" / "demo_data"
JUDGEMENTS = Path(__file__).with_name("demo_judgements.toml")

TOO_SMALL = 25
"""An element of fewer characters is too small to be judged for exhaustivity."""
DEPTH = 20
CHUNK = 600
STOP_WORDS = """
    a an and are as at be but by can do does for from how if in into is it its made makes may much must no not of on
    one or should such that the their them then there these they this to was what when where which who why will with
""".split()  # noqa: SIM905


# ---- judgements ---------------------------------------------------------------------------------------------


def span_of(quote: str, document: pw.Document) -> tuple[int, int]:
    """The span of a quote, which must occur exactly once."""
    first, dots, last = (part.strip() for part in quote.partition("…"))
    start = _place(first, document)
    end = _place(last, document) + len(last) if dots else start + len(first)
    if end <= start:
        raise SystemExit(f"{document.doc_id}: {quote!r} ends before it begins")
    return start, end


def _place(words: str, document: pw.Document) -> int:
    text = document.text or ""
    if text.count(words) != 1:
        raise SystemExit(f"{document.doc_id}: {words!r} occurs {text.count(words)} times; quote text that occurs once")
    return text.index(words)


def passages(judged: dict[str, Any], name: str, document: pw.Document) -> list[tuple[int, int]]:
    return [span_of(quote, document) for quote in judged.get(name, [])]


def graded_elements(
    document: pw.Document, answers: list[tuple[int, int]], marked: list[tuple[int, int]]
) -> Iterator[dict[str, Any]]:
    """Every element with highlighted text: specificity is the highlighted share, exhaustivity 2 for a whole answer."""
    for node, path in enumerate(document.path):
        start, end = int(document.start[node]), int(document.end[node])
        highlighted = sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in marked)
        if highlighted:
            whole = any(start <= begin and stop <= end for begin, stop in answers)
            exhaustivity = 2 if whole else "?" if end - start < TOO_SMALL else 1
            yield {
                "path": path,
                "exhaustivity": exhaustivity,
                "specificity": round(highlighted / (end - start), 6),
                "scale": "inex2005",
            }


def judgement_rows(query: dict[str, Any], collection: pw.Collection) -> Iterator[dict[str, Any]]:
    """The rows of one query, by assessor and document."""
    for assessor, relevant in query.items():
        if not isinstance(relevant, dict):
            continue
        unknown = set(relevant) - set(collection)
        if unknown:
            raise SystemExit(f"{query['id']}: unknown article {sorted(unknown)[0]}")
        for doc_id in collection:
            document, judged = collection[doc_id], relevant.get(doc_id, {})
            row = {"query_id": query["id"], "doc_id": doc_id, "assessor": assessor}
            answers, partly = (passages(judged, name, document) for name in ("answers", "partly"))
            marked = sorted(answers + partly)
            if any(stop > begin for (_, stop), (begin, _) in pairwise(marked)):
                raise SystemExit(f"{query['id']}, {assessor}, {doc_id}: two passages overlap")
            facts: dict[str, Any] = {"length": document.length, "grade": 2 if answers else 1 if partly else 0}
            if marked:
                facts["bep"] = _place(judged["entry"], document)
            yield row | facts
            yield from (row | {"start": start, "end": end} for start, end in marked)
            yield from (row | element for element in graded_elements(document, answers, marked))


# ---- retrieval ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A part that can be retrieved, and the text that identifies it after the first six columns of a run."""

    document: pw.Document
    start: int
    end: int
    columns: str

    @property
    def text(self) -> str:
        return (self.document.text or "")[self.start : self.end]


def element(document: pw.Document, node: int) -> Part:
    return Part(document, int(document.start[node]), int(document.end[node]), " " + document.path[node])


def whole(document: pw.Document) -> Iterator[Part]:
    yield Part(document, 0, document.length, "")


def sections(document: pw.Document) -> Iterator[Part]:
    """The abstract, and the sections of the body with everything inside them."""
    for node, path in enumerate(document.path):
        if path.count("/") == 3 - (document.tag[node] == "abstract") and document.tag[node] in ("abstract", "section"):
            yield element(document, node)


def paragraphs(document: pw.Document) -> Iterator[Part]:
    """Paragraphs, tables, and list items without paragraphs."""
    with_paragraph = {int(document.parent[node]) for node, tag in enumerate(document.tag) if tag == "p"}
    for node, tag in enumerate(document.tag):
        if tag in ("p", "table") or (tag == "item" and node not in with_paragraph):
            yield element(document, node)


def elements(document: pw.Document) -> Iterator[Part]:
    return (element(document, node) for node in range(len(document)))


def chunks(document: pw.Document, step: int) -> Iterator[Part]:
    """Chunks of fixed size, one every `step` characters."""
    for start in range(0, max(1, document.length - CHUNK + step), step):
        end = min(start + CHUNK, document.length)
        yield Part(document, start, end, f" {start} {end - start}")


def singular(words: list[str]) -> list[str]:
    """A minimal stemmer that removes a plural s."""
    return [word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word for word in words]


def words(texts: Sequence[str]) -> list[list[str]]:
    tokens = bm25s.tokenize(list(texts), stopwords=STOP_WORDS, stemmer=singular, return_ids=False, show_progress=False)
    return [list(of_text) for of_text in tokens]


def ranked(parts: list[Part], queries: list[str]) -> list[tuple[float, Part]]:
    """The best parts for all of these queries together; parts that are retrieved twice are kept."""
    hits = []
    for query in words(queries):
        scores = index_of(tuple(parts)).get_scores(query).tolist()
        hits += [(round(score, 3), part) for score, part in zip(scores, parts, strict=True) if round(score, 3) > 0]
    # Ties: the later document first, as in trec_eval, and the earlier part of a document.
    hits.sort(key=lambda hit: (hit[1].start, -hit[1].end))
    hits.sort(key=lambda hit: hit[1].document.doc_id, reverse=True)
    hits.sort(key=lambda hit: -hit[0])
    return hits[:DEPTH]


_INDEXES: dict[tuple[Part, ...], bm25s.BM25] = {}


def index_of(parts: tuple[Part, ...]) -> bm25s.BM25:
    if parts not in _INDEXES:
        index = bm25s.BM25(dtype="float64", backend="numpy")
        index.index(words([part.text for part in parts]), show_progress=False)
        _INDEXES[parts] = index
    return _INDEXES[parts]


def run_lines(name: str, parts: list[Part], queries: list[dict[str, Any]], separately: bool) -> Iterator[str]:
    """A run in TREC's six columns, followed by INEX's columns for the part."""
    for query in queries:
        texts = [query["title"], query["description"]]
        for rank, (score, part) in enumerate(ranked(parts, texts if separately else [" ".join(texts)]), 1):
            yield f"{query['id']} Q0 {part.document.doc_id} {rank} {score:.3f} {name}{part.columns}\n"


# ---- files --------------------------------------------------------------------------------------------------


def demo_files() -> dict[str, bytes]:
    """The content of every generated file, by its path in the demo's folder."""
    collection = pw.Collection.open(DATA / "articles")
    documents = [collection[doc_id] for doc_id in collection]
    queries: list[dict[str, Any]] = tomllib.loads(JUDGEMENTS.read_text(encoding="utf-8"))["query"]
    described = ({"query_id": query["id"], **{name: query[name] for name in QUERY_FIELDS}} for query in queries)
    judged = (row for query in queries for row in judgement_rows(query, collection))
    files = {"topics.jsonl": _json_lines(described), "qrels.jsonl": _json_lines(judged)}
    for name, cut in {
        "articles": whole,
        "sections": sections,
        "paragraphs": paragraphs,
        "chunks": lambda document: chunks(document, CHUNK),
        "overlapping": lambda document: chunks(document, CHUNK // 2),
        "careless": elements,
    }.items():
        parts = [part for document in documents for part in cut(document)]
        lines = run_lines(name, parts, queries, separately=name == "careless")
        files[f"runs/{name}.run"] = "".join(lines).encode()
    return files


QUERY_FIELDS = ("title", "description", "narrative")


def _json_lines(rows: Iterator[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def main() -> None:
    for name, content in demo_files().items():
        (DATA / name).parent.mkdir(exist_ok=True)
        write_bytes(DATA / name, content)
        print(f"{len(content):7} bytes  {name}")


if __name__ == "__main__":
    main()
