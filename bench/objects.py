"""Python objects to scores: partwise against pytrec_eval on as many results, in one run.

Every figure is the processor time of scoring in a fresh process, the best of several rounds there, and of five such
processes the median. pytrec_eval scores ``{query: {document: score}}``; partwise scores the same number of parts under
TextP, TextR and TextIoU at 5, with the assessments prepared in an `Evaluator`, as pytrec_eval has them.

The targets: dicts, tuples and lists of rows at half of its pace or more, tables of pandas, Polars and Arrow at one and
a half times; one query by `evaluate_one` in at most 40 times what pytrec_eval takes for one query; and ten times the
results, the queries or the gold passages in at most eleven times the time.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

from common import verdict

QUERIES, DEPTH, DOCUMENTS, GOLD = 5_000, 10, 20_000, 2
MEASURES = ["TextP@5", "TextR@5", "TextIoU@5"]
Parts = dict[str, list[tuple[str, int, int]]]


def world(queries: int, depth: int, gold: int) -> tuple[Parts, Parts]:
    """Gold passages and results of every query; one result in four is in a judged document."""
    chance = Random(7)
    qrels: Parts = {}
    run: Parts = {}
    for query in (f"q{number}" for number in range(queries)):
        docs = [f"doc{chance.randrange(DOCUMENTS)}" for _ in range(gold)]
        qrels[query] = [(doc, 600 * i, 600 * i + 300) for i, doc in enumerate(docs)]
        parts = []
        for _ in range(depth):
            doc = chance.choice(docs) if chance.random() < 0.25 else f"doc{chance.randrange(DOCUMENTS)}"
            start = chance.randrange(5_000)
            parts.append((doc, start, start + 500))
        run[query] = parts
    return qrels, run


def rows_of(run: Parts) -> list[dict[str, Any]]:
    return [
        {"query_id": query, "doc_id": doc, "start": start, "end": end, "rank": rank}
        for query, parts in run.items()
        for rank, (doc, start, end) in enumerate(parts, 1)
    ]


def best(work: Callable[[], Any], rounds: int, times: int = 1) -> float:
    """The shortest processor time of a call, of several rounds of so many calls."""
    seconds = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(times):
            work()
        seconds.append((time.process_time() - began) / times)
    return min(seconds)


def peer(qrels: Parts, run: Parts) -> tuple[Any, dict[str, dict[str, float]]]:
    import pytrec_eval

    grades = {query: {doc: 1 for doc, _, _ in parts} for query, parts in qrels.items()}
    scores = {query: {f"{doc}-{n}": -float(n) for n, (doc, _, _) in enumerate(parts)} for query, parts in run.items()}
    return pytrec_eval.RelevanceEvaluator(grades, {"P.5", "recall.5", "map_cut.5"}), scores


def seconds_of(shape: str, queries: int, depth: int, gold: int) -> float:
    """The time of scoring one shape; of ``gold``, that of preparing the evaluator."""
    qrels, run = world(queries, depth, gold)
    if shape == "pytrec_eval":
        evaluator, scores = peer(qrels, run)
        return best(lambda: evaluator.evaluate(scores), 7)
    if shape == "pytrec_eval, one query":
        evaluator, scores = peer(qrels, run)
        one = {"q0": scores["q0"]}
        return best(lambda: evaluator.evaluate(one), 50, 100)

    import partwise as pw

    if shape == "gold":
        return best(lambda: pw.Evaluator(qrels, MEASURES), 7)
    evaluator = pw.Evaluator(qrels, MEASURES)
    if shape == "one query":
        return best(lambda: evaluator.evaluate_one("q0", run["q0"]), 50, 20)
    given: Any = run
    if shape == "dicts":
        names = ("doc_id", "start", "end")
        given = {query: [dict(zip(names, part, strict=True)) for part in parts] for query, parts in run.items()}
    elif shape == "rows":
        given = rows_of(run)
    elif shape == "pandas":
        import pandas as pd

        given = pd.DataFrame(rows_of(run))
    elif shape == "Polars":
        import polars as pl

        given = pl.DataFrame(rows_of(run))
    elif shape == "Arrow":
        import pyarrow as pa

        given = pa.Table.from_pylist(rows_of(run))
    return best(lambda: evaluator.evaluate(given), 7)


def fresh(shape: str, queries: int = QUERIES, depth: int = DEPTH, gold: int = GOLD) -> float:
    """The same in a fresh process."""
    numbers = [str(number) for number in (queries, depth, gold)]
    done = subprocess.run([sys.executable, __file__, "--shape", shape, *numbers], check=True, stdout=subprocess.PIPE)
    return float(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", nargs=4, metavar=("SHAPE", "QUERIES", "DEPTH", "GOLD"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.shape:
        shape, *numbers = options.shape
        print(seconds_of(shape, *map(int, numbers)))
        return 0

    at_least = {"tuples": 0.5, "dicts": 0.5, "rows": 0.5, "pandas": 1.5, "Polars": 1.5, "Arrow": 1.5}
    ones = ["pytrec_eval, one query", "one query"]
    samples: dict[str, list[float]] = {shape: [] for shape in ["pytrec_eval", *at_least, *ones]}
    for _ in range(options.rounds):  # in turns, so that a slow minute slows all of them
        for shape, seconds in samples.items():
            seconds.append(fresh(shape))
    medians = {shape: statistics.median(seconds) for shape, seconds in samples.items()}
    rows = QUERIES * DEPTH
    print(f"{rows:,} results of {QUERIES:,} queries, median of {options.rounds} fresh processes")
    for shape in ["pytrec_eval", *at_least]:
        print(f"{shape:12}{rows / medians[shape] / 1e6:6.2f} M rows/s")
    print(f"one query: pytrec_eval {medians[ones[0]] * 1e6:.1f} us, evaluate_one {medians[ones[1]] * 1e6:.0f} us")
    met = [
        verdict(f"{shape} to pytrec_eval", medians["pytrec_eval"] / medians[shape], target, at_least=True)
        for shape, target in at_least.items()
    ]
    met.append(verdict("evaluate_one to pytrec_eval", medians[ones[1]] / medians[ones[0]], 40, at_least=False))
    for what, shape, few, many in (
        ("results", "dicts", (500, 10, 2), (500, 100, 2)),
        ("queries", "dicts", (5_000, 10, 2), (50_000, 10, 2)),  # the dicts of 1,000 fit into the processor's cache
        ("gold passages", "gold", (500, 10, 5), (500, 10, 50)),
    ):
        pairs = [(fresh(shape, *many), fresh(shape, *few)) for _ in range(options.rounds)]
        of_many, of_few = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
        met.append(verdict(f"ten times the {what}, in time", of_many / of_few, 11, at_least=False))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
