"""Locating chunks in each reading: four times as many in four times the text take at most six times as long.

The text is made of random words, so that chunks occur once; the chunks of a reading are changed so that no stricter
reading finds them.
"""

from __future__ import annotations

import random
import sys
import time

from common import verdict

import partwise as pw
from partwise.types import Match

MOST = 6.0
CHANGES: dict[Match, tuple[str, str]] = {
    "exact": ("", ""),
    "casefolded": ("w", "W"),
    "markup": ("w1", "**w1**"),
    "fuzzy": (" w1", " another"),
}


def seconds(match: Match, words: int) -> float:
    chance = random.Random(3)
    text = " ".join(f"w{chance.randrange(words)}" for _ in range(words))
    chunks = []
    for _ in range(words // 100):
        at = text.index(" ", chance.randrange(len(text) - 600)) + 1
        chunk = text[at : text.index(" ", at + 400)]
        old, new = CHANGES[match]
        chunks.append(chunk.replace(old, new, 3) if old else chunk)
    began = time.process_time()
    located = pw.locate(chunks, {"d": text}, match=match, min_score=0.7 if match == "fuzzy" else None)
    took = time.process_time() - began
    print(f"{match}: {len(chunks)} chunks in {len(text) / 1e6:.1f} MB: {took:.2f} s ({located.summary()})")
    return took


def main() -> int:
    pw.locate(["a b"], {"d": "a b"})  # load everything
    met = True
    for match in CHANGES:
        small = seconds(match, 40_000)
        met &= verdict(f"{match}, four times as much", seconds(match, 160_000) / small, MOST, at_least=False)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
