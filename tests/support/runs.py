"""Random runs and assessments in text files."""

from __future__ import annotations

import random
from pathlib import Path


def write_world(folder: Path, seed: int, runs: int = 4, queries: int = 12, rows: int = 30) -> list[Path]:
    chance = random.Random(seed)
    docs = [f"d{i}" if i % 3 else f"a-document-with-a-long-name-{i}" for i in range(25)]
    lines = []
    for query in range(queries):
        for doc in chance.sample(docs, 8):
            spans = " ".join(f"{100 * i + chance.randrange(50)}:{chance.randrange(60)}" for i in range(3))
            lines.append(f"t{query} Q0 {doc} 1 1000 5 {spans}\n")
    (folder / "qrels.txt").write_text("".join(lines))
    paths = []
    for run in range(runs):
        order = chance.sample(range(queries + 3), queries)  # some judged queries are missing, some are not judged
        lines = []
        for query in order:
            for rank in range(rows):
                part = f"{chance.randrange(300)} {chance.randrange(90)}"
                lines.append(f"t{query} Q0 {chance.choice(docs)} {rank} {chance.random()} r{run} {part}\n")
        paths.append(folder / f"run{run}.run")
        paths[-1].write_text("".join(lines))
    return paths
