"""Which chunker comes close? Chunks judged on what they contain, and on what a reader finds from them nearby.

Chunkers over one handbook: short chunks that miss the answer by a line, and long ones that contain it. Counting hits
alone, the short ones find nothing; users who read on from a chunk (nav=distance) find the answer all the same.
Usage: python examples/near_misses.py
"""

from __future__ import annotations

from tables import table

import partwise as pw

HANDBOOK = 12_000  # characters
GOLD = [
    {"query_id": "refunds", "doc_id": "handbook", "start": 3_050, "end": 3_200, "length": HANDBOOK},
    {"query_id": "refunds", "doc_id": "handbook", "start": 9_000, "end": 9_100, "length": HANDBOOK},
    {"query_id": "warranty", "doc_id": "handbook", "start": 6_400, "end": 6_520, "length": HANDBOOK},
]


def chunks(*starts: int, size: int) -> list[dict[str, object]]:
    return [{"doc_id": "handbook", "start": start, "end": start + size} for start in starts]


RUNS = {
    "short": {"refunds": chunks(2_700, 3_200, 0, size=300), "warranty": chunks(6_150, 6_450, size=300)},
    "long": {"refunds": chunks(2_000, 0, size=2_000), "warranty": chunks(6_000, 0, size=2_000)},
    "far": {"refunds": chunks(11_000, 0, size=300), "warranty": chunks(0, 11_000, size=300)},
}
MEASURES = [
    "ESRHits(nav=none)@3",  # relevant passages that some chunk contains whole
    "ESRR(nav=coverage)@3",  # and what chunks show of the others
    "ESRR(nav=distance(A=0.02))@3",  # and what is near
    "EPRUM(nav=distance(A=0.02))@0.5",
    "TextP@3",
]


def main() -> pw.Scores:
    return pw.evaluate(GOLD, RUNS, MEASURES)


if __name__ == "__main__":
    rows = [[run_id, *means.values()] for run_id, means in main().mean().items()]
    table("Three chunkers", ["chunker", *MEASURES], rows)
    print()
    for row in pw.explain(GOLD, RUNS["short"], query_id="refunds", nav="distance(A=0.02)"):
        print(row["part"], row["status"], f"seen {row['seen']:.2f}, most likely from rank {row['from_rank']}")
