"""Instructions per unit of work, counted by valgrind on fixed inputs and compared with `instructions.tsv`.

Counts do not depend on the load of the machine, so a small increase shows where times would not. Each work is counted
in two processes, which do it once and three times; half of the difference is the count without the interpreter's start
and the preparation. Start-up is what a small evaluation takes beyond ``import numpy``; it depends on the interpreter,
and is compared only with a count of the same version of Python. Another compiler may need a new record (``--record``).

A kernel is added with one function under ``@work``, which prepares its input and returns the call and its units.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from common import partwise, python
from made_files import generate

RECORDED = Path(__file__).with_name("instructions.tsv")
MORE = 1.03
"""Counts may be this many times the recorded ones."""
START = "start of a small evaluation"
QUERIES, DEPTH = 40, 1000

Call = Callable[[], Any]
WORKS: dict[str, tuple[str, Callable[[Path], tuple[Call, int]]]] = {}
"""By name: what a unit is, and a function of the folder with the files that returns a call and its units."""


def work(name: str, unit: str) -> Callable[[Callable[[Path], tuple[Call, int]]], None]:
    def add(prepare: Callable[[Path], tuple[Call, int]]) -> None:
        WORKS[name] = unit, prepare

    return add


# ---- what is counted -----------------------------------------------------------------------------------------


def evaluation_of(folder: Path) -> Any:
    from partwise.evaluation import Evaluation
    from partwise.options import Options

    return Evaluation.from_options(str(folder / "qrels.fol"), ["iAP"], Options(), [])


def piece_of(folder: Path) -> Any:
    from partwise.formats.blocks import TextRun

    [piece] = TextRun(str(folder / "run0.fol"), "run0", "chars").pieces()
    return piece()


def table_of(folder: Path) -> Any:
    from partwise.tables import Tables
    from partwise.tables.text import Text

    [batch] = evaluation_of(folder).batches(piece_of(folder).run, is_piece=True)
    return Tables(batch).get(Text())


@work("queries of a block (QueryLog.add)", "row")
def queries(folder: Path) -> tuple[Call, int]:
    from partwise import kernels

    data = (folder / "run0.fol").read_bytes()
    return lambda: kernels.QueryLog().add(data), QUERIES * DEPTH


@work("columns of a run (read_text)", "row")
def columns(folder: Path) -> tuple[Call, int]:
    from partwise import kernels
    from partwise.formats.inex import OFFSET_LENGTH

    data = (folder / "run0.fol").read_bytes()
    return lambda: kernels.read_text(data, OFFSET_LENGTH.kinds), QUERIES * DEPTH


@work("passages of assessments (read_passages)", "row")
def passages(folder: Path) -> tuple[Call, int]:
    from partwise import kernels

    data = (folder / "qrels.fol").read_bytes()
    return lambda: kernels.read_passages(data), data.count(b"\n")


@work("assessments, from a file to judgements", "row")
def assessments(folder: Path) -> tuple[Call, int]:
    rows = (folder / "qrels.fol").read_bytes().count(b"\n")
    return lambda: evaluation_of(folder), rows


@work("rank order and judged pairs (batches)", "row")
def batches(folder: Path) -> tuple[Call, int]:
    evaluation, run = evaluation_of(folder), piece_of(folder).run
    return lambda: list(evaluation.batches(run, is_piece=True)), QUERIES * DEPTH


@work("precision at recall levels (best_precision)", "row")
def precision(folder: Path) -> tuple[Call, int]:
    table = table_of(folder)
    return lambda: table.interpolated(range(101), [100] * 101), QUERIES * DEPTH


@work("a block of a run, from bytes to scores and counts for notes", "row")
def scored(folder: Path) -> tuple[Call, int]:
    evaluation = evaluation_of(folder)
    return lambda: evaluation.score_piece(piece_of(folder)), QUERIES * DEPTH


# ---- counting ------------------------------------------------------------------------------------------------


def instructions(command: Sequence[str]) -> int:
    """The number of instructions of a command."""
    without = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in without}
    environment |= {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    subprocess.run(command, env=environment, check=True, capture_output=True)  # its bytecode is written
    done = subprocess.run([*valgrind, *command], env=environment, capture_output=True, text=True, check=False)
    counted = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if done.returncode or counted is None:
        raise SystemExit(f"{' '.join(command[:6])} failed: {done.stderr[-500:]}")
    return int(counted[1].replace(",", ""))


def of_work(name: str, folder: Path) -> float:
    """The instructions per unit of a work."""
    once, thrice = (
        instructions([sys.executable, __file__, "--folder", str(folder), "--call", name, "--times", str(times)])
        for times in (1, 3)
    )
    return (thrice - once) / 2 / WORKS[name][1](folder)[1]


def of_start(folder: Path) -> float:
    """The instructions of a small evaluation beyond those of importing NumPy, in thousands."""
    command = partwise("evaluate", str(folder / "tiny.qrels"), str(folder / "tiny.run"), "-m", "iAP")
    small = [sys.executable, *command]
    return (instructions(small) - instructions(python("import numpy"))) / 1000


def counted(names: Sequence[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(temporary)
        generate(folder, 1, QUERIES, DEPTH, {"fol"})
        (folder / "tiny.qrels").write_text("t1 Q0 d1 5 100 10 10:5\n")
        (folder / "tiny.run").write_text("t1 Q0 d1 1 0.9 tag 10 5\n")
        counts = pool.map(lambda name: of_start(folder) if name == START else of_work(name, folder), names)
        return dict(zip(names, counts, strict=True))


# ---- the table -----------------------------------------------------------------------------------------------


def recorded() -> dict[str, tuple[float, str]]:
    """The count of each work, and the version of Python that it depends on, if it does."""
    with open(RECORDED, newline="") as file:
        return {
            row["work"]: (float(row["instructions"]), row["python"]) for row in csv.DictReader(file, delimiter="\t")
        }


def record(counts: dict[str, float], version: str) -> None:
    lines = ["work\tunit\tinstructions\tpython"]
    for name, count in counts.items():
        of = ("thousand", version) if name == START else (WORKS[name][0], "")
        lines.append(f"{name}\t{of[0]}\t{count:.1f}\t{of[1]}")
    RECORDED.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the counts to the table instead of comparing them")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--call", help=argparse.SUPPRESS)
    parser.add_argument("--times", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.call:
        call = WORKS[options.call][1](options.folder)[0]
        for _ in range(options.times):
            call()
        return 0
    if not shutil.which("valgrind"):
        print("valgrind is not on PATH; install it to count instructions")
        return 1
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    counts = counted([START, *WORKS])
    if options.record:
        record(counts, version)
    before = recorded()
    met = True
    for name, count in counts.items():
        unit = "thousand" if name == START else f"per {WORKS[name][0]}"
        if name not in before:
            verdict, met = "not recorded: MISSED", False
        elif before[name][1] not in ("", version):
            verdict = f"recorded with Python {before[name][1]}: not compared"
        else:
            most = before[name][0] * MORE
            met &= count <= most
            verdict = f"recorded {before[name][0]:,.1f}, at most {most:,.1f}: {'met' if count <= most else 'MISSED'}"
        print(f"{name}: {count:,.1f} instructions, {unit} ({verdict})")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
