"""JSON Lines, CSV, TSV and Parquet against pytrec_eval on as many rows of TREC files, and how time grows with a run.

From files to TextR@5 in fresh processes on one core (``--jobs 1``), start-up included; the median of several, in turns.
``jsonl with texts`` has the text of each chunk (about 240 characters) and its metadata. Growth is that of user and
system time, without start-up, for ten times the rows, queries, documents or gold passages. The peak memory of Parquet
is that of the largest size, on all cores.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from common import partwise, verdict
from evaluate import PEER
from made_files import generate
from table import LARGEST, SIZES, costs, once

TARGETS = {"jsonl": 1.5, "jsonl with texts": 1.5, "csv": 3.0, "tsv": 3.0}
"""The least rows per second, as a multiple of pytrec_eval's."""
PARQUET_MB = 150
"""The largest peak memory of a Parquet run, in megabytes, on all cores."""
GROWTH = 11.0


def against_peer(size: str, rounds: int) -> list[bool]:
    runs, queries, depth = SIZES[size]
    rows = runs * queries * depth
    peer = os.environ.get("PARTWISE_PEERS", sys.executable)
    met = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, runs, queries, depth, {"jsonl", "texts", "csv", "tsv", "parquet"})

        def command(pattern: str, *options: str) -> tuple[list[str], int]:
            files = sorted(map(str, folder.glob(pattern)))
            return partwise("evaluate", str(folder / "qrels.fol"), *files, "-m", "TextR@5", *options), rounds

        trec = sorted(map(str, folder.glob("run*.trec")))
        work = {
            "pytrec_eval": ([peer, "-c", PEER, str(folder / "qrels.trec"), *trec], rounds),
            "jsonl": command("run*.jsonl", "--jobs", "1"),
            "jsonl with texts": command("texts*.jsonl", "--jobs", "1"),
            "csv": command("run*.csv", "--jobs", "1"),
            "tsv": command("run*.tsv", "--jobs", "1"),
            "parquet": command("run*.parquet", "--jobs", "1"),
            "jsonl, all cores": command("run*.jsonl"),
            "parquet, all cores": command("run*.parquet"),
        }
        measured = costs(work)
    base = measured["pytrec_eval"]
    print(f"{rows:,} rows in {runs} files, median of {rounds} fresh processes")
    print(f"{'':22}{'seconds':>9}{'cpu':>9}{'M rows/s':>10}{'x pytrec':>10}{'x cpu':>8}{'peak MB':>9}")
    for name, cost in measured.items():
        print(
            f"{name:22}{cost.seconds:9.3f}{cost.cpu:9.3f}{rows / cost.seconds / 1e6:10.2f}"
            f"{base.seconds / cost.seconds:10.2f}{base.cpu / cost.cpu:8.2f}{cost.megabytes:9.0f}"
        )
    for name, target in TARGETS.items():
        met.append(verdict(f"{name} to pytrec_eval", base.seconds / measured[name].seconds, target, at_least=True))
    return met


def parquet_memory(size: str) -> bool:
    """Whether the peak memory of Parquet runs on all cores is small."""
    runs, queries, depth = SIZES[size]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, runs, queries, depth, {"parquet"})
        files = sorted(map(str, folder.glob("run*.parquet")))
        cost = once(partwise("evaluate", str(folder / "qrels.fol"), *files, "-m", "TextR@5"))
    rows = runs * queries * depth
    is_met = cost.megabytes <= PARQUET_MB
    print(
        f"Parquet, {rows:,} rows, all cores: {rows / cost.seconds / 1e6:.2f} M rows/s, "
        f"peak memory {cost.megabytes:.0f} MB (at most {PARQUET_MB} MB: {'met' if is_met else 'MISSED'})"
    )
    return is_met


def write_world(folder: Path, queries: int, depth: int, documents: int, passages: int) -> None:
    """A run in JSON Lines and its gold passages, in CSV."""
    chance = random.Random(7)
    with open(folder / "qrels.csv", "w") as gold:
        gold.write("query_id,doc_id,start,end\n")
        for query in range(queries):
            for number in range(passages):
                start = 1000 * (number % 50) + chance.randrange(500)
                gold.write(f"q{query},d{chance.randrange(documents)},{start},{start + chance.randrange(1, 400)}\n")
    with open(folder / "run.jsonl", "w") as run:
        for query in range(queries):
            for rank in range(1, depth + 1):
                start = chance.randrange(50_000)
                run.write(
                    f'{{"query_id": "q{query}", "doc_id": "d{chance.randrange(documents)}", "rank": {rank}, '
                    f'"start": {start}, "end": {start + 500}}}\n'
                )


USUAL = {"queries": 2000, "depth": 100, "documents": 2000, "passages": 20}
LARGER = {
    "rows (results of a query)": {"depth": 1000},
    "queries": {"queries": 20_000},
    "documents": {"documents": 20_000},
    "gold passages": {"passages": 200},
}


def growth(rounds: int) -> list[bool]:
    """Ten times as much takes at most eleven times as long."""
    worlds: dict[str, dict[str, int]] = {"": {}, **LARGER, "start": {"queries": 1, "depth": 1, "passages": 1}}
    with tempfile.TemporaryDirectory() as name:
        times: dict[str, float] = {}
        for world, change in worlds.items():
            folder = Path(name) / (world.split()[0] if world else "usual")
            folder.mkdir()
            sizes = {**USUAL, **change}
            subprocess.run([sys.executable, __file__, "--write", str(folder), *map(str, sizes.values())], check=True)
            files = str(folder / "qrels.csv"), str(folder / "run.jsonl")
            command = partwise("evaluate", *files, "-m", "TextR@5", "--jobs", "1")
            times[world] = min(once(command).cpu for _ in range(rounds + 1))
    base = times[""] - times["start"]
    return [
        verdict(f"ten times the {world}, in time", (times[world] - times["start"]) / base, GROWTH, at_least=False)
        for world in LARGER
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="1.2", choices=SIZES, help="millions of rows")
    parser.add_argument("--parquet", default=LARGEST, choices=SIZES, help="millions of rows for the memory of Parquet")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write_world(Path(options.write[0]), *map(int, options.write[1:]))
        return 0
    met = [*against_peer(options.size, options.rounds), *growth(options.rounds), parquet_memory(options.parquet)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
