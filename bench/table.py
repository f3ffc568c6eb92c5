"""partwise against other tools, from files to a mean, on the same number of rows, in one run.

Every figure is the median of several fresh processes after one that warms the cache; peak memory and start-up (the same
command on one line of input) are those of the process. Ratios to pytrec_eval are of wall-clock time, of wall-clock time
without start-up (net), and of processor time, which other work on the machine affects least.

The other tools score documents in TREC columns (average precision), partwise passages in INEX columns (interpolated
average precision), then one measure of every other family; measures of elements use a collection of 2,000 articles. The
other tools run in ``PARTWISE_PEERS`` (a Python with pytrec_eval, ir_measures and ranx), by default in this Python; a
missing tool is reported and left out. At 12 million rows, to save time, all but pytrec_eval and our text measures are
measured ``--slow-rounds`` times, and families that need a collection are left out; the table says so.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common import partwise, verdict
from evaluate import PEER
from made_files import generate

SIZES = {"0.1": (8, 120, 105), "1.2": (8, 120, 1250), "12": (77, 120, 1300)}
"""Files, queries and results per query, by millions of rows."""
LARGEST = "12"

IR_MEASURES = """
import sys
import ir_measures
qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
evaluator = ir_measures.evaluator([ir_measures.AP], qrels)
for path in sys.argv[2:]:
    print(path, evaluator.calc_aggregate(ir_measures.read_trec_run(path)))
"""
RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
for path in sys.argv[2:]:
    print(path, evaluate(qrels, Run.from_file(path, kind="trec"), "map", make_comparable=True))
"""
FAMILIES = {
    "text (TextAP)": ("TextAP", "fol"),
    "parts found (PartAP)": ("PartAP", "fol"),
    "reading (CharAP)": ("CharAP", "fol"),
    "text, from Parquet (iAP)": ("iAP", "parquet"),
    "in context (AgP)": ("AgP", "fol"),
    "tolerance (T2I@0.5)": ("T2I@0.5", "fol"),
    "overlap (Redundancy)": ("Redundancy", "fol"),
    "documents (AP)": ("AP", "trec"),
    "cumulated gain (MAnxCG)": ("MAnxCG", "inex"),
    "graded elements (inexAP)": ("inexAP", "inex"),
    "navigation (PRUM@0.5)": ("PRUM@0.5", "inex"),
    "structural (SRP@10)": ("SRP@10", "inex"),
    "extended structural (ESRR@10)": ("ESRR@10", "inex"),
}
ARTICLES = "articles.parquet"


@dataclass(frozen=True)
class Tool:
    name: str
    command: list[str]
    kind: str
    slow: bool = False

    def on(self, folder: Path) -> list[str]:
        runs = sorted(str(path) for path in folder.glob(f"run*.{self.kind}"))
        if self.command[0] == "trec_eval":  # takes one run at a time
            each = " ".join(f"trec_eval -m map {folder}/qrels.trec {run};" for run in runs)
            return ["sh", "-c", each]
        collection = ["--collection", str(folder.parent / ARTICLES)] if self.kind == "inex" else []
        judged = "fol" if self.kind == "parquet" else self.kind
        return [*self.command, str(folder / f"qrels.{judged}"), *runs, *collection]


@dataclass(frozen=True)
class Cost:
    seconds: float
    cpu: float
    megabytes: float


LAUNCHER = """
import os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
errors = process.stderr.read()
_, status, usage = os.wait4(process.pid, 0)
print(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
sys.exit(errors.decode()[-500:] if status else 0)
"""


def once(command: list[str]) -> Cost:
    """The cost of a command in a fresh process.

    A small process starts it: Linux counts the memory of the process that starts another as a peak of the latter.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
    done = subprocess.run(launched, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} failed: {done.stderr}")
    return Cost(*map(float, done.stdout.split()))


def costs(work: dict[str, tuple[list[str], int]]) -> dict[str, Cost]:
    """The median times and the largest peaks of commands, by name, after a round to warm the cache.

    `work` has each command and its number of rounds. The commands take turns, so that other load affects all equally.
    """
    measured: dict[str, list[Cost]] = {name: [] for name in work}
    for turn in range(max(rounds for _, rounds in work.values()) + 1):
        for name, (command, rounds) in work.items():
            if turn <= rounds and (turn > 0 or rounds > 1):
                measured[name].append(once(command))
    medians = {}
    for name, (_, rounds) in work.items():
        kept = measured[name][-rounds:]
        seconds, cpu = statistics.median(cost.seconds for cost in kept), statistics.median(cost.cpu for cost in kept)
        medians[name] = Cost(seconds, cpu, max(cost.megabytes for cost in measured[name]))
    return medians


def tools() -> list[Tool]:
    peers = os.environ.get("PARTWISE_PEERS", sys.executable)
    available = []  # slow: measured fewer times at 12 million rows, to save time
    if shutil.which("trec_eval"):
        available.append(Tool("trec_eval", ["trec_eval"], "trec"))
    else:
        print("trec_eval is not on PATH and is left out")
    for name, module, code in (
        ("pytrec_eval", "pytrec_eval", PEER),
        ("ir_measures", "ir_measures", IR_MEASURES),
        ("ranx", "ranx", RANX),
    ):
        if subprocess.run([peers, "-c", f"import {module}"], check=False, capture_output=True).returncode:
            print(f"{name} is not installed and is left out")
        else:
            available.append(Tool(name, [peers, "-c", code], "trec", name != "pytrec_eval"))
    evaluate = partwise("evaluate")
    for jobs in ("1", None):
        name = f"partwise: text (iAP), {'1 core' if jobs else 'all cores'}"
        options = ["-m", "iAP", *(["--jobs", jobs] if jobs else [])]
        available.append(Tool(name, [*evaluate, *options], "fol"))
    for family, (measure, kind) in FAMILIES.items():
        available.append(Tool(f"partwise: {family}", [*evaluate, "-m", measure], kind, True))
    return available


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="0.1 1.2", help="millions of rows: any of 0.1 1.2 12")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--slow-rounds", type=int, help="rounds at 12 million rows of all but pytrec_eval and text measures"
    )
    parser.add_argument("--tools", default="", help="only tools whose names contain one of these, separated by commas")
    options = parser.parse_args()
    chosen = [tool for tool in tools() if any(part in tool.name for part in options.tools.split(","))]
    table: dict[tuple[str, str], tuple[float, Cost]] = {}
    with tempfile.TemporaryDirectory() as name:
        tiny = Path(name) / "tiny"
        tiny.mkdir()
        kinds = {tool.kind for tool in chosen}
        generate(tiny, 1, 1, 1, kinds | ({"articles"} if "inex" in kinds else set()))
        if "inex" in kinds:
            index = partwise("index", f"{tiny}/articles.zip", "-o", f"{name}/{ARTICLES}")
            subprocess.run(index, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        work = {tool.name: (tool.on(tiny), options.rounds) for tool in chosen}
        start = costs(work | {"numpy": ([sys.executable, "-c", "import numpy"], options.rounds)})
        numpy = start.pop("numpy")
        print(f"{os.cpu_count()} cores, median of {options.rounds} fresh processes, import numpy {numpy.seconds:.3f} s")
        columns = ("M rows", "seconds", "cpu", "M rows/s", "x pytrec", "x net", "x cpu", "peak MB", "start s")
        header = f"{'':42}" + "".join(f"{column:>9}" for column in columns)
        for size in options.sizes.split():
            runs, queries, depth = SIZES[size]
            rows = runs * queries * depth
            folder = Path(name) / size
            folder.mkdir()
            included = [tool for tool in chosen if size != LARGEST or tool.kind != "inex"]
            generate(folder, runs, queries, depth, {tool.kind for tool in included})
            print(header)
            if size == LARGEST and options.slow_rounds:
                print(f"{'':42}all but pytrec_eval and text measures: median of {options.slow_rounds}")
            if len(included) < len(chosen):
                print(f"{'':42}families that need a collection are left out")
            work = {}
            for tool in included:
                few = tool.slow and size == LARGEST and options.slow_rounds
                work[tool.name] = tool.on(folder), options.slow_rounds if few else options.rounds
            measured = costs(work)
            for tool in included:
                cost = measured[tool.name]
                table[size, tool.name] = rows, cost
                peer = table.get((size, "pytrec_eval"), (rows, cost))[1]
                base = peer.seconds - start.get("pytrec_eval", numpy).seconds
                net = cost.seconds - start[tool.name].seconds
                figures = (
                    f"{rows / 1e6:.2f}",
                    f"{cost.seconds:.3f}",
                    f"{cost.cpu:.3f}",
                    f"{rows / cost.seconds / 1e6:.2f}",
                    f"{peer.seconds / cost.seconds:.2f}",
                    f"{base / net:.2f}" if net > 0 < base else "-",
                    f"{peer.cpu / cost.cpu:.2f}",
                    f"{cost.megabytes:.0f}",
                    f"{start[tool.name].seconds:.3f}",
                )
                print(f"{tool.name:42}" + "".join(f"{figure:>9}" for figure in figures), flush=True)
            shutil.rmtree(folder)
    return 0 if all(verdicts(table, start, numpy)) else 1


def verdicts(table: dict[tuple[str, str], tuple[float, Cost]], start: dict[str, Cost], numpy: Cost) -> list[bool]:
    """Whether the targets are met, as far as they were measured."""
    one, every = "partwise: text (iAP), 1 core", "partwise: text (iAP), all cores"
    targets = {("1.2", one): 3.5, ("1.2", every): 4, ("12", one): 9, ("12", every): 13}
    for family, (_, kind) in FAMILIES.items():
        if "PartAP" in family or "CharAP" in family:
            targets["1.2", f"partwise: {family}"] = 3
        if kind == "inex":
            targets |= {("0.1", f"partwise: {family}"): 0.5, ("1.2", f"partwise: {family}"): 1}
    met = []
    if every in start:
        met.append(verdict("start-up to import numpy", start[every].seconds / numpy.seconds, 2, at_least=False))
    for (size, name), target in targets.items():
        if (size, name) in table and (size, "pytrec_eval") in table:
            ratio = table[size, "pytrec_eval"][1].seconds / table[size, name][1].seconds
            met.append(verdict(f"{name} to pytrec_eval, {size} M rows", ratio, target, at_least=True))
    if ("12", every) in table:
        peak = table["12", every][1].megabytes
        print(f"peak memory at 12 M rows: {peak:.0f} MB (at most 100 MB: {'met' if peak <= 100 else 'MISSED'})")
        met.append(peak <= 100)
        for name in (one, every):
            growth = table["12", name][1].seconds / table["1.2", name][1].seconds
            times = table["12", name][0] / table["1.2", name][0]
            met.append(verdict(f"{name}: {times:.1f}x the rows in time", growth / times, 1.1, at_least=False))
    return met


if __name__ == "__main__":
    sys.exit(main())
