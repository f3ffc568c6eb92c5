"""The cost of navigation: when units, ranks and nodes double, and on a real run relative to interpolated precision.

Only scoring is measured, as processor time in this process, best of several, with inputs prepared. The real run is
that of INEX 2009 and 2010 (``PARTWISE_DATA``): 120 queries, of which 55 have more than 100 passages and one has 4,342.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from common import verdict

import partwise as pw

DATA = Path(os.environ.get("PARTWISE_DATA", Path(__file__).parent.parent.parent / "shared" / "data")) / "inex2009-2010"
MEASURES = ("EPRUM(nav=distance)@0.5", "PRUM(nav=distance)@0.5", "ESRR(nav=distance)@10")
REAL = "NavR AEPRUM PRUM@0.5 ESRR"


def best_of(evaluator: pw.Evaluator, run: pw.Run, rounds: int) -> float:
    """The shortest time to score a run, after one warm-up."""
    times = []
    for _ in range(rounds + 1):
        began = time.process_time()
        evaluator.evaluation.score(run)
        times.append(time.process_time() - began)
    return min(times[1:])


def run_of(evaluator: pw.Evaluator, rows: dict[str, list[dict[str, Any]]]) -> pw.Run:
    [run] = evaluator.read(rows)
    return run


def passages(units: int, ranks: int, chance: random.Random) -> tuple[Any, Any]:
    """One query over ten documents: relevant passages, and results anywhere, each of which may lead to any passage."""
    length = 1_000_000
    qrels = [
        {"query_id": "t", "doc_id": f"d{i % 10}", "start": i * 100, "end": i * 100 + 50, "length": length}
        for i in range(units)
    ]
    rows = [
        {"doc_id": f"d{chance.randrange(10)}", "start": s, "end": s + 40} for s in chance.sample(range(length), ranks)
    ]
    return qrels, {"t": rows}


def time_of(measure: str, units: int, ranks: int) -> float:
    qrels, rows = passages(units, ranks, random.Random(7))
    evaluator = pw.Evaluator(qrels, measure)
    return best_of(evaluator, run_of(evaluator, rows), 7)


def time_of_nodes(measure: str, nodes: int) -> float:
    """The time on two documents of this many nodes, 40 of them relevant, 100 of them returned."""
    chance = random.Random(7)
    xml = "<a>" + "".join(f"<s><p>{'x' * 9}</p><p>{'y' * 7}</p></s>" for _ in range(nodes // 3)) + "</a>"
    collection = pw.Collection.open({"d0": xml, "d1": xml})
    paths = collection["d0"].path
    grades = [
        {"query_id": "t", "doc_id": "d0", "path": path, "exhaustivity": 1, "specificity": 1, "scale": "unit"}
        for path in chance.sample(paths, 40)
    ]
    evaluator = pw.Evaluator(grades, measure, collection=collection)
    rows = [{"doc_id": f"d{i % 2}", "path": path} for i, path in enumerate(chance.sample(paths, 100))]
    return best_of(evaluator, run_of(evaluator, {"t": rows}), 7)


def main() -> int:
    met = True
    for measure in MEASURES:
        few = time_of(measure, 400, 400)
        met &= verdict(f"{measure}: 800 units to 400", time_of(measure, 800, 400) / few, 5, at_least=False)
        met &= verdict(f"{measure}: 800 ranks to 400", time_of(measure, 400, 800) / few, 3, at_least=False)
    for measure in ("EPRUM@0.5", "PRUM@0.5", "ESRR@10"):
        ratio = time_of_nodes(measure, 6000) / time_of_nodes(measure, 3000)
        met &= verdict(f"{measure}: 6,000 nodes to 3,000", ratio, 3, at_least=False)
    if not DATA.is_dir():
        print("no folder inex2009-2010 in PARTWISE_DATA: the real run is left out")
        return 0 if met else 1
    qrels = pw.read_assessments(DATA / "qrels.txt")
    [run] = pw.read_runs(DATA / "passages.run")
    baseline = best_of(pw.Evaluator(qrels, "iAP"), run, 5)
    met &= verdict(
        f"{REAL} to iAP, 120 queries", best_of(pw.Evaluator(qrels, REAL), run, 3) / baseline, 20, at_least=False
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
