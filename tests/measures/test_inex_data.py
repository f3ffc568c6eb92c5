"""INEX ad hoc 2009 and 2010: the official tool's values, ir_measures' values, and sets of characters."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import ir_measures
import pytest

import partwise as pw

OFFICIAL_NAMES = {"iP@0.00": "iP@0", "iP@0.01": "iP@0.01", "iP@0.05": "iP@0.05", "iP@0.10": "iP@0.1", "iAP": "iAP"}


def test_all_values_of_the_official_tool(inex: Path) -> None:
    with open(inex / "official-focused.tsv") as file:
        official = [
            (row["query_id"], row["measure"], float(row["value"])) for row in csv.DictReader(file, delimiter="\t")
        ]
    assert len(official) == 600
    scores = pw.evaluate(inex / "qrels.txt", inex / "focused.run", list(OFFICIAL_NAMES.values()), average_over="run")
    queries, means = scores.per_query()["focused"], scores.mean()["focused"]
    for query, name, value in official:
        ours = OFFICIAL_NAMES[name]
        our_value = means[ours] if query == "all" else queries[ours][query]
        assert our_value == pytest.approx(value, abs=1e-9), (query, name)
    assert scores.summary() == ["119 of 120 queries scored"]


def test_a_query_missing_from_the_run_scores_zero(inex: Path) -> None:
    scores = pw.evaluate(inex / "qrels.txt", inex / "focused.run", ["iAP", "Redundancy"])
    queries = scores.per_query()["focused"]
    official = pw.evaluate(inex / "qrels.txt", inex / "focused.run", ["iAP"], average_over="run").mean()["focused"][
        "iAP"
    ]
    assert len(queries["iAP"]) == 120
    assert sum(value == 0 for value in queries["iAP"].values()) >= 1
    assert scores.mean()["focused"]["iAP"] == pytest.approx(official * 119 / 120, abs=1e-12)
    assert scores.summary() == ["120 of 120 queries scored", "Redundancy (focused): 119 of 120 queries scored"]
    assert "focused: 1 judged query without results" in scores.notes


def mask(start: int, end: int) -> int:
    """A set of characters as the bits of a number."""
    return ((1 << (end - start)) - 1) << start


def passages_by_sets(folder: Path) -> dict[str, dict[str, float]]:
    """iP, iAP, TextP, TextR, TextIoU and Redundancy of passages.run from sets of characters, query by query."""
    marked: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.txt").read_text().splitlines():
        query, _, doc, _, _, _, *spans = line.split()
        bits = 0
        for span in spans:
            offset, length = map(int, span.split(":"))
            bits |= mask(offset, offset + length)
        marked[query][doc] = bits
    results: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for line in (folder / "passages.run").read_text().splitlines():
        query, _, doc, rank, _, _, offset, length = line.split()
        results[query].append((int(rank), doc, mask(int(offset), int(offset) + int(length))))
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for query, docs in marked.items():
        total = sum(bits.bit_count() for bits in docs.values())
        seen: dict[str, int] = defaultdict(int)
        read = gained = 0
        curve = []
        for rank, (_, doc, bits) in enumerate(sorted(results[query]), 1):
            gained += (bits & docs.get(doc, 0) & ~seen[doc]).bit_count()
            read += bits.bit_count()
            seen[doc] |= bits
            curve.append((gained, gained / read))
            if rank == 10:
                values["TextP@10"][query] = gained / read
                values["TextR@10"][query] = gained / total
                distinct = sum(bits.bit_count() for bits in seen.values())
                union = sum((seen[d] | docs.get(d, 0)).bit_count() for d in {*seen, *docs})
                values["TextIoU@10"][query] = gained / union
                values["Redundancy@10"][query] = 1 - distinct / read
        points = [max((p for g, p in curve if g * 100 >= level * total), default=0.0) for level in range(101)]
        values["iAP"][query] = sum(points) / 101
        for level in (0, 1, 5, 10):
            values[f"iP@{level / 100:g}"][query] = points[level]
    return values


def test_passages_equal_sets_of_characters(inex: Path) -> None:
    expected = passages_by_sets(inex)
    scores = pw.evaluate(inex / "qrels.txt", inex / "passages.run", list(expected))
    values_by_measure = scores.per_query()["passages"]
    assert len(values_by_measure["iAP"]) == 120
    for name, values in expected.items():
        assert values_by_measure[name] == pytest.approx(values, abs=1e-9), name


def test_document_measures_equal_ir_measures(inex: Path) -> None:
    names = ["AP", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "Success@5", "NumRet", "NumRelRet", "ERR@20"]
    measures = [ir_measures.parse_measure(name) for name in names]
    qrels = [
        ir_measures.Qrel(query, doc, int(int(relevant) > 0))
        for query, _, doc, relevant, *_ in (line.split() for line in (inex / "qrels.txt").read_text().splitlines())
    ]
    run = list(ir_measures.read_trec_run(str(inex / "documents.run")))
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for metric in ir_measures.iter_calc(measures, qrels, run):
        expected[str(metric.measure)][metric.query_id] = metric.value
    scores = pw.evaluate(inex / "qrels.txt", inex / "documents.run", measures)
    values_by_measure = scores.per_query()["documents"]
    aggregates = ir_measures.calc_aggregate(measures, qrels, run)
    for measure in measures:
        assert values_by_measure[str(measure)] == pytest.approx(expected[str(measure)], abs=1e-12)
        assert scores.mean()["documents"][str(measure)] == pytest.approx(aggregates[measure], abs=1e-12)


@pytest.mark.parametrize(
    "measure", ["iAP", "iP@0.1", "TextP@10", "TextR", "TextF", "TextIoU@5", "TextAP", "Redundancy"]
)
def test_text_measures_on_documents_need_lengths(inex: Path, measure: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(inex / "qrels.txt", inex / "documents.run", measure)
    assert str(error.value) == (
        f"{inex / 'documents.run'}:2: the length of document 3260076 is unknown, "
        "and results that are whole documents need it; give it in the assessments or as lengths (--lengths FILE)"
    )


def test_in_context_measures_need_only_the_lengths_of_relevant_documents(inex: Path) -> None:
    length, marked = {}, defaultdict(dict)
    for line in (inex / "qrels.txt").read_text().splitlines():
        query, _, doc, relevant, size, *_ = line.split()
        length[doc] = int(size)
        marked[query][doc] = int(relevant)
    results = defaultdict(list)
    for line in (inex / "documents.run").read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        results[query].append((float(score), doc))
    expected = {}
    for query, docs in marked.items():
        total = precision_sum = 0.0
        for rank, (_, doc) in enumerate(sorted(results[query], reverse=True), 1):
            if doc in docs:
                # a whole document: recall 1, precision its highlighted share
                precision = docs[doc] / length[doc]
                total += 2 * precision / (precision + 1)
                precision_sum += total / rank
        expected[query] = precision_sum / len(docs)
    values = pw.evaluate(inex / "qrels.txt", inex / "documents.run", "AgP").per_query()["documents"]["AgP"]
    assert values == pytest.approx(expected, abs=1e-12)
