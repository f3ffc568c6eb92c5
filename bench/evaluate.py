"""Rows per second from files to a mean: partwise against pytrec_eval, on as many rows, in the same run.

Both read eight runs of the same topics, documents and ranks, in fresh processes, best of five: partwise passages in
INEX columns (iAP), pytrec_eval documents in TREC columns (map). The bar: partwise at least as fast.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from common import best_time, partwise, python, verdict

PEER = """
import sys
import pytrec_eval
with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map"})
for path in sys.argv[2:]:
    with open(path) as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    print(path, sum(topic["map"] for topic in values.values()) / len(values))
"""


def write_world(folder: Path, runs: int, topics: int, depth: int) -> None:
    """Runs and assessments twice: as passages for partwise, as documents for pytrec_eval."""
    chance = random.Random(7)
    docs = [str(number) for number in chance.sample(range(10**4, 10**8), 60_000)]
    with open(folder / "qrels.fol", "w") as passages, open(folder / "qrels.trec", "w") as grades:
        for topic in range(topics):
            for doc in chance.sample(docs, 86):
                start = chance.randrange(5000)
                spans = [(start + 900 * i, chance.randrange(1, 800)) for i in range(chance.randrange(1, 5))]
                told = " ".join(f"{offset}:{length}" for offset, length in spans)
                size = sum(length for _, length in spans)
                passages.write(f"{2009001 + topic} Q0 {doc} {size} 20000 {start} {told}\n")
                grades.write(f"{2009001 + topic} 0 {doc} 1\n")
    for run in range(runs):
        with open(folder / f"run{run}.fol", "w") as passages, open(folder / f"run{run}.trec", "w") as whole:
            for topic in range(topics):
                for rank, doc in enumerate(chance.sample(docs, depth), 1):
                    line = f"{2009001 + topic} Q0 {doc} {rank} {1000 / rank:.6f} run{run}"
                    passages.write(f"{line} {chance.randrange(12000)} {chance.randrange(1, 3000)}\n")
                    whole.write(f"{line}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--topics", type=int, default=120)
    parser.add_argument("--depth", type=int, default=1250)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    rows = given.runs * given.topics * given.depth
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_world(folder, given.runs, given.topics, given.depth)
        trec = [str(folder / f"run{run}.trec") for run in range(given.runs)]
        fol = [str(folder / f"run{run}.fol") for run in range(given.runs)]
        peer = best_time(python(PEER, str(folder / "qrels.trec"), *trec), given.rounds)
        ours = best_time(partwise("evaluate", str(folder / "qrels.fol"), *fol, "-m", "iAP"), given.rounds)
    print(f"{rows:,} rows in {given.runs} files, best of {given.rounds}, fresh processes")
    print(f"pytrec_eval  {rows / peer / 1e6:6.2f} M rows/s")
    print(f"partwise     {rows / ours / 1e6:6.2f} M rows/s")
    return 0 if verdict("partwise to pytrec_eval", peer / ours, 1.0, at_least=True) else 1


if __name__ == "__main__":
    sys.exit(main())
