"""Did the agent read the right lines? A trajectory of a coding agent, scored step by step.

Gold is the lines that the fix changed; a step is one result, and what is read again costs again. The same trajectory is
then counted in tokens of the files, which is what the agent pays for. Usage: python examples/agent_reading.py
"""

from __future__ import annotations

from tables import table

import partwise as pw

FILES = {
    "app.py": "from prices import total\n\n\ndef show(basket):\n    print(total(basket, 0.19))\n",
    "prices.py": '"""Prices."""\n\n\ndef total(basket, tax):\n    net = sum(basket)\n    return net + tax\n\n\n'
    "def rounded(price):\n    return round(price, 2)\n",
}
FIX = [{"query_id": "bug-7", "doc_id": "prices.py", "start_line": 6, "end_line": 6}]
TRAJECTORY = [
    {"query_id": "bug-7", "step": 1, "doc_id": "app.py", "start_line": 1, "end_line": 5},
    {"query_id": "bug-7", "step": 2, "doc_id": "prices.py", "start_line": 9, "end_line": 10},
    {"query_id": "bug-7", "step": 2, "doc_id": "prices.py", "start_line": 1, "end_line": 1},
    {"query_id": "bug-7", "step": 3, "doc_id": "prices.py", "start_line": 1, "end_line": 10},
]
MEASURES = ["TextR@2", "TextR", "TextP", "Redundancy", "PartRR", "Read"]


def main() -> dict[str, dict[str, float]]:
    in_lines = pw.evaluate(FIX, TRAJECTORY, MEASURES)
    in_tokens = pw.evaluate(FIX, TRAJECTORY, MEASURES, collection=FILES, unit="tokens", tokenizer="words")
    return {scores.unit: scores.mean()["run"] for scores in (in_lines, in_tokens)}


if __name__ == "__main__":
    table("What the agent read", ["unit", *MEASURES], [[unit, *means.values()] for unit, means in main().items()])
