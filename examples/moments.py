"""Does a search in recordings find the moment? Windows of a video in seconds.

Two systems return windows for two questions; gold is when the answer is shown. A budget is a number of seconds that
somebody is willing to watch. Usage: python examples/moments.py
"""

from __future__ import annotations

from tables import table

import partwise as pw

GOLD = [
    {"query_id": "dough", "doc_id": "baking", "start": 62.5, "end": 81, "unit": "seconds"},
    {"query_id": "oven", "doc_id": "baking", "start": 140, "end": 152.25, "unit": "seconds"},
    {"query_id": "oven", "doc_id": "baking", "start": 200, "end": 210, "unit": "seconds"},
]
SYSTEMS = {
    "minutes": {query: [("baking", at, at + 60) for at in (60, 120, 180)] for query in ("dough", "oven")},
    "shots": {
        "dough": [("baking", 60, 83.5), ("baking", 10, 20)],
        "oven": [("baking", 201.5, 210), ("baking", 139, 149)],
    },
}
MEASURES = ["PartHit(match=iou(0.5))@1", "PartR(match=iou(0.5))@3", "TextIoU@1", "TextR(budget=30)", "Read@1"]


def main() -> pw.Scores:
    return pw.evaluate(GOLD, SYSTEMS, MEASURES, unit="seconds")


if __name__ == "__main__":
    table("Two systems", ["system", *MEASURES], [[run_id, *means.values()] for run_id, means in main().mean().items()])
