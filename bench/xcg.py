"""How the cost of cumulated gain grows: at most 13x the time for 10x the results, on documents of 1,000 nodes.

Only scoring is measured, in this process, best of five, with documents, grades and runs prepared.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any

from common import verdict

import partwise as pw

DOCUMENTS = 20
SECTIONS, PARAGRAPHS, SENTENCES = 9, 10, 10


def article(chance: random.Random) -> str:
    """An article of about 1,000 nodes."""
    parts = []
    for _ in range(SECTIONS):
        paragraphs = []
        for _ in range(PARAGRAPHS):
            sentences = "".join(f"<s>{'x' * chance.randrange(20, 90)}</s>" for _ in range(SENTENCES))
            paragraphs.append(f"<p>{sentences}</p>")
        parts.append(f"<sec>{''.join(paragraphs)}</sec>")
    return f"<article>{''.join(parts)}</article>"


def main() -> int:
    chance = random.Random(7)
    collection = pw.Collection.open({f"d{i}": article(chance) for i in range(DOCUMENTS)})
    documents = {name: collection[name] for name in collection.doc_ids()}
    grades = [
        {"query_id": "t", "doc_id": name, "path": path, "exhaustivity": chance.randrange(1, 4), "specificity": s,
         "scale": "four-point"}
        for name, document in documents.items()
        for path, s in zip(document.path, (chance.randrange(0, 4) for _ in document.path), strict=True)
        if s
    ]  # fmt: skip
    elements = [{"doc_id": name, "path": path} for name, document in documents.items() for path in document.path]

    def time_of(count: int) -> float:
        rows: dict[str, list[dict[str, Any]]] = {"t": chance.sample(elements, count)}
        evaluator = pw.Evaluator(grades, "MAep nxCG@10", collection=collection)
        [run] = evaluator.read(rows)
        evaluator.evaluation.score(run)
        times = []
        for _ in range(5):
            began = time.perf_counter()
            evaluator.evaluation.score(run)
            times.append(time.perf_counter() - began)
        return min(times)

    few, many = time_of(150), time_of(1500)
    print(f"{DOCUMENTS} documents of {len(next(iter(documents.values())).path):,} nodes, 150 and 1,500 results")
    return 0 if verdict("1,500 results to 150 results", many / few, 13, at_least=False) else 1


if __name__ == "__main__":
    sys.exit(main())
