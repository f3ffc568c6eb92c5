"""Rows per second from files to a mean: partwise against pytrec_eval, on the same number of rows, in one run.

Both read eight runs of the same queries, documents and ranks, in fresh processes, best of five: partwise passages in
INEX columns (iAP), pytrec_eval documents in TREC columns (map). The target: partwise is at least as fast.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from common import best_time, partwise, python, verdict
from made_files import write_world

PEER = """
import sys
import pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map"})
for path in sys.argv[2:]:
    with open(path) as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    print(path, sum(query["map"] for query in values.values()) / len(values))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--queries", type=int, default=120)
    parser.add_argument("--depth", type=int, default=1250)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = options.runs * options.queries * options.depth
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_world(folder, options.runs, options.queries, options.depth)
        trec = [str(folder / f"run{run}.trec") for run in range(options.runs)]
        fol = [str(folder / f"run{run}.fol") for run in range(options.runs)]
        peer = best_time(python(PEER, str(folder / "qrels.trec"), *trec), options.rounds)
        ours = best_time(partwise("evaluate", str(folder / "qrels.fol"), *fol, "-m", "iAP"), options.rounds)
    print(f"{rows:,} rows in {options.runs} files, best of {options.rounds}, fresh processes")
    print(f"pytrec_eval  {rows / peer / 1e6:6.2f} M rows/s")
    print(f"partwise     {rows / ours / 1e6:6.2f} M rows/s")
    return 0 if verdict("partwise to pytrec_eval", peer / ours, 1.0, at_least=True) else 1


if __name__ == "__main__":
    sys.exit(main())
