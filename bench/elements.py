"""Measures of elements with a stored index: the cost of opening a large one, and growth.

1. Evaluating on 2,000 articles of an index of a million costs what it costs with an index of these 2,000 alone.
2. Ten times the documents, the results, the judged elements: at most 11 times the processor time.
3. Two threads take less time than one, for four runs.

All figures are of fresh processes, best of several, start-up and opening included: processor times (3: elapsed times).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from common import partwise, verdict
from table import once

from partwise.collection import Document, index
from partwise.collection.batches import Batch
from partwise.model import Coded

MEASURES = ("MAnxCG", "ESRR@10", "PRUM@0.5")
CHOSEN = 2000
SECTIONS, PARAGRAPHS, PARAGRAPH = 2, 3, 40
LENGTH = SECTIONS * PARAGRAPHS * PARAGRAPH


def write_tiny(path: Path, ids: Iterator[str], count: int) -> None:
    """An index of articles of nine elements each, without texts."""
    starts = np.arange(0, LENGTH, PARAGRAPH)
    sections = starts[::PARAGRAPHS]
    start = np.concatenate(
        [[0], *([first, *starts[i * PARAGRAPHS :][:PARAGRAPHS]] for i, first in enumerate(sections))]
    )
    size = np.array([LENGTH, *([PARAGRAPHS * PARAGRAPH, *[PARAGRAPH] * PARAGRAPHS] * SECTIONS)])
    parent = np.array([-1, *(n for i in range(SECTIONS) for n in (0, *[1 + i * (PARAGRAPHS + 1)] * PARAGRAPHS))])
    tags = Coded(np.array([0, *([1, *[2] * PARAGRAPHS] * SECTIONS)]), ["article", "sec", "p"])
    documents = (Document(doc_id, tags, parent, start, start + size, LENGTH) for doc_id in ids)
    together = iter(lambda: list(islice(documents, 500)), [])
    index.write(map(Batch.of, together), count, path, texts=False)


def write_files(folder: Path, docs: list[str], queries: int, depth: int, gold: int) -> list[str]:
    """Assessments and a run of elements of these documents, as offsets and lengths; their paths."""
    chance = random.Random(7)
    parts = [(0, LENGTH)] + [(start, PARAGRAPH) for start in range(0, LENGTH, PARAGRAPH)]
    folder.mkdir()
    with open(folder / "qrels.inex", "w") as qrels, open(folder / "run.inex", "w") as run:
        for query in range(queries):
            for doc in chance.sample(docs, gold):
                qrels.write(f"{query} Q0 {doc} {PARAGRAPH} {LENGTH} 40 40:{PARAGRAPH}\n")
            for rank in range(1, depth + 1):
                start, size = chance.choice(parts)
                run.write(f"{query} Q0 {chance.choice(docs)} {rank} {1000 / rank:.6f} run {start} {size}\n")
    return [str(folder / "qrels.inex"), str(folder / "run.inex")]


def seconds(work: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The shortest processor time of commands in fresh processes that take turns, after a round to warm the cache."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    best = dict.fromkeys(work, float("inf"))
    for turn in range(rounds + 1):
        for name, command in work.items():
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            if status:
                raise SystemExit(f"{' '.join(command)} failed")
            best[name] = min(best[name], usage.ru_utime + usage.ru_stime) if turn else best[name]
    return best


def threads(collection: Path, files: list[str], measure: str, rounds: int) -> bool:
    """Whether two threads are faster than one, for copies of a run."""
    qrels, run = files
    runs = [shutil.copyfile(run, f"{run}.{name}.inex") for name in "abcd"]
    commands = {
        jobs: partwise("evaluate", "-m", measure, qrels, *runs, "--collection", str(collection), "--jobs", jobs)
        for jobs in ("1", "2")
    }
    one, two = (min(once(command).seconds for _ in range(rounds)) for command in commands.values())
    return verdict(f"{measure}: one thread {one:.2f} s, two {two:.2f} s", one / two, 1.0, at_least=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000, help="the articles of the large index")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    met = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        step = options.documents // CHOSEN
        chosen = [f"a{number * step}" for number in range(CHOSEN)]
        small, large, wide = (folder / f"{size}.parquet" for size in ("small", "large", "wide"))
        write_tiny(small, iter(chosen), CHOSEN)
        write_tiny(large, (f"a{number}" for number in range(options.documents)), options.documents)
        files = write_files(folder / "chosen", chosen, 50, 400, 40)
        for measure in MEASURES:
            commands = {
                path.stem: partwise("evaluate", "-m", measure, *files, "--collection", str(path))
                for path in (small, large)
            }
            cost = seconds(commands, options.rounds)
            print(f"{measure}: {CHOSEN} articles {cost['small']:.3f} s, of {options.documents} {cost['large']:.3f} s")
            met.append(verdict(f"{measure}: a large index to a small one", cost["large"] / cost["small"], 1.15, False))
        many = [f"b{number}" for number in range(10 * CHOSEN)]
        write_tiny(wide, iter(many), len(many))
        worlds = {
            "base": write_files(folder / "base", many[:CHOSEN], 100, 1000, 100),
            "documents": write_files(folder / "documents", many, 100, 1000, 100),
            "results": write_files(folder / "results", many[:CHOSEN], 100, 10_000, 100),
            "judged elements": write_files(folder / "judged", many[:CHOSEN], 100, 1000, 1000),
        }
        for measure in MEASURES:
            collection = ["--collection", str(wide)]
            cost = seconds(
                {world: partwise("evaluate", "-m", measure, *files, *collection) for world, files in worlds.items()},
                options.rounds,
            )
            for world in [*worlds][1:]:
                met.append(verdict(f"{measure}: ten times the {world}", cost[world] / cost["base"], 11, at_least=False))
        met += [threads(wide, worlds["results"], measure, options.rounds) for measure in MEASURES]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
