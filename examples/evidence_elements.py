"""Articles, sections or paragraphs? Evidence in biomedical articles, retrieved with BM25 at three grains.

Reads the evidence-inference data (articles as JATS XML, evidence marked in their plain texts), finds every piece of
evidence in the text of the XML article although white space differs, retrieves elements for every prompt, and prints
how the three runs do; with --assessors, how much assessors agree and how much the scores depend on them.

Usage: python examples/evidence_elements.py FOLDER [--assessors]
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retrieval import bm25
from tables import table

import partwise as pw
from partwise.collection import Document

GRAINS = {"articles": ("article",), "sections": ("sec",), "paragraphs": ("p", "td")}
MEASURES = ["nxCG@10", "MAep", "iAP", "AgP", "TextP@10", "TextR@10", "nDCG@10"]
DEPTH = 100


def evidence(folder: Path, collection: pw.Collection) -> list[dict[str, Any]]:
    """The evidence of every prompt as passages of the XML article's text, by assessor."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "txt_files").glob("*.txt")}
    with open(folder / "v2_annotations.csv", newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if 0 <= int(line["Evidence Start"]) < int(line["Evidence End"])]
    marked = [(f"PMC{line['PMCID']}", int(line["Evidence Start"]), int(line["Evidence End"])) for line in lines]
    found = pw.locate([(doc, texts[doc][start:end].strip()) for doc, start, end in marked], collection)
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line, (doc, start, end), located in zip(lines, marked, found, strict=True):
        if not located.places:
            raise SystemExit(f"evidence {start} to {end} of {doc} is not in the XML article")
        share = start / len(texts[doc])  # words that stand in several places: the place nearest to that in the text
        place = min(located.places, key=lambda at: abs(at.start - share * collection[doc].length))
        key = line["PromptID"], doc, line["UserID"], place.start, place.end
        rows[key] = dict(zip(("query_id", "doc_id", "assessor", "start", "end"), key, strict=True))
    return list(rows.values())


def elements(collection: pw.Collection, tags: tuple[str, ...]) -> Iterator[tuple[Document, int]]:
    """The elements of these kinds that have text."""
    for name in collection.doc_ids():
        document = collection[name]
        for node, tag in enumerate(document.tag):
            if tag in tags and document.end[node] > document.start[node]:
                yield document, node


def retrieved(collection: pw.Collection, tags: tuple[str, ...], queries: dict[str, str]) -> list[dict[str, Any]]:
    """The best elements of these kinds for every query."""
    found = list(elements(collection, tags))
    texts = [(document.text or "")[document.start[node] : document.end[node]] for document, node in found]
    hits, scores = bm25(texts, list(queries.values()), min(DEPTH, len(texts)))
    return [
        {"query_id": query, "doc_id": found[hit][0].doc_id, "path": found[hit][0].path[found[hit][1]],
         "rank": rank, "score": score}
        for query, row, values in zip(queries, hits.tolist(), scores.tolist(), strict=True)
        for rank, (hit, score) in enumerate(zip(row, values, strict=True), 1)
    ]  # fmt: skip


def world(folder: Path) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], pw.Collection]:
    """The evidence, the three runs, and the articles."""
    collection = pw.Collection.open(folder / "xml_files")
    with open(folder / "prompts.csv", newline="", encoding="utf-8") as file:
        queries = {
            line["PromptID"]: f"{line['Outcome']} {line['Intervention']} {line['Comparator']}"
            for line in csv.DictReader(file)
        }
    runs = {name: retrieved(collection, tags, queries) for name, tags in GRAINS.items()}
    return evidence(folder, collection), runs, collection


def main(folder: Path) -> pw.Scores:
    qrels, runs, collection = world(folder)
    return pw.evaluate(qrels, runs, MEASURES, collection=collection)


def assessors(folder: Path) -> None:
    """How much assessors agree, and what the scores would be with others."""
    qrels, runs, collection = world(folder)
    evaluator = pw.Evaluator(qrels, "iAP MAep", collection=collection)
    result = pw.study.assessors(evaluator, runs, levels={"section": ("sec",), "paragraph": ("p",)}, limit=1000)
    table("Agreement of assessors", ["level", "both", "either", "overlap"],
          [[row[name] for name in ("level", "both", "either", "overlap")] for row in result.agreement])  # fmt: skip
    names = "measure", "topics", "combinations", "tau_min"
    rows = [[row[name] for name in names] for row in result.ranking() if row["scope"] == "all queries"]
    table("\nThe order of the three runs, all queries", names, rows)
    names = "run", "measure", "official", "low", "high"
    rows = [[row[name] for name in names] for row in result.spread() if row["scope"] == "all queries"]
    table("\nTheir scores over all combinations", names, rows)


if __name__ == "__main__":
    if len(sys.argv) != 2 and sys.argv[2:] != ["--assessors"]:
        raise SystemExit(__doc__)
    if sys.argv[2:]:
        assessors(Path(sys.argv[1]))
    else:
        scores = main(Path(sys.argv[1]))
        [summary] = scores.summary()
        table(
            summary, ["run", *scores.measures], [[run_id, *means.values()] for run_id, means in scores.mean().items()]
        )
