"""Instructions per unit of work, counted by valgrind on fixed inputs and compared with `instructions.tsv`.

Counts do not depend on the load of the machine, so a small increase shows where times would not. Each work is counted
in two processes, which do it once and three times; half of the difference is the count without the interpreter's start
and the preparation. Start-up is what a small evaluation takes beyond ``import numpy``; it and others that are mostly
Python code are compared only with counts of the same version of Python. Another compiler, or a processor without AVX2,
may need a new record (``--record``).

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

ARTICLES = "articles.parquet"
"""An index of the articles that runs of elements are about."""

Call = Callable[[], Any]
Prepare = Callable[[Path], tuple[Call, int]]
"""A function of the folder with the files that returns a call and its units."""
WORKS: dict[str, tuple[str, Prepare]] = {}
"""By name: what a unit is, and the function that prepares the work."""
IN_PYTHON = {START}
"""Works whose counts depend on the version of Python, because much of them is Python code."""


def work(name: str, unit: str, in_python: bool = False) -> Callable[[Prepare], None]:
    def add(prepare: Prepare) -> None:
        WORKS[name] = unit, prepare
        IN_PYTHON.update([name] if in_python else [])

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


@work("JSON Lines with texts (read_json)", "row")
def json_lines(folder: Path) -> tuple[Call, int]:
    from partwise import kernels

    data = (folder / "texts0.jsonl").read_bytes()
    return lambda: kernels.read_json(data, 100, 4300), QUERIES * DEPTH


@work("lengths of these texts (Cells.lengths)", "row")
def lengths(folder: Path) -> tuple[Call, int]:
    from partwise import kernels

    cells = kernels.read_json((folder / "texts0.jsonl").read_bytes(), 100, 4300).columns["text"]
    return cells.lengths, QUERIES * DEPTH


@work("CSV (read_delimited)", "row")
def delimited(folder: Path) -> tuple[Call, int]:
    from partwise import kernels

    data = (folder / "run0.csv").read_bytes()
    return lambda: kernels.read_delimited(data, ",", 1 << 20), QUERIES * DEPTH


def evaluator_of_objects() -> tuple[Any, Any]:
    import objects

    import partwise as pw

    qrels, run = objects.world(1000, 10, 2)
    return pw.Evaluator(qrels, objects.MEASURES), run


@work("tuples of Python to scores (Evaluator.evaluate)", "result", in_python=True)
def tuples(_: Path) -> tuple[Call, int]:
    evaluator, run = evaluator_of_objects()
    return lambda: evaluator.evaluate(run), 10_000


@work("a query of ten tuples (Evaluator.evaluate_one)", "query", in_python=True)
def one_query(_: Path) -> tuple[Call, int]:
    evaluator, run = evaluator_of_objects()
    return lambda: [evaluator.evaluate_one(query, run[query]) for query in ("q0", "q1", "q2", "q3")], 4


@work("XML to elements (read_markups)", "article")
def markup(folder: Path) -> tuple[Call, int]:
    import zipfile

    from partwise import kernels

    with zipfile.ZipFile(folder / "articles.zip") as archive:
        sources = [archive.read(name) for name in archive.namelist()[:200]]
    return lambda: kernels.read_markups(sources), len(sources)


def scored_elements(measure: str) -> Prepare:
    """From a run of elements and an index to scores."""

    def prepare(folder: Path) -> tuple[Call, int]:
        import partwise as pw

        files = str(folder / "qrels.inex"), [str(folder / "run0.inex")]
        options: dict[str, Any] = {"collection": str(folder / ARTICLES), "jobs": 1}
        return lambda: pw.evaluate(*files, measure, **options), QUERIES * DEPTH

    return prepare


for element_measure in ("MAnxCG", "PRUM@0.5", "ESRR@10"):
    work(f"elements from files to scores ({element_measure})", "row")(scored_elements(element_measure))


def scores_of_runs() -> Any:
    import numpy as np

    return np.random.default_rng(7).random((60, 500))


@work("sign flips of 60 runs and 500 queries (flip_counts)", "trial")
def flips(_: Path) -> tuple[Call, int]:
    import numpy as np

    from partwise import kernels

    values, trials = scores_of_runs(), 1000
    first, second = np.triu_indices(len(values), 1)
    total = values.sum(axis=1)
    reached = np.abs(total[first] - total[second]) + 30.0  # few trials reach as far as this
    signs = kernels.random_signs(kernels.generators(np.array([7], np.uint64), 0, 1), np.array([trials]), 500)
    return lambda: kernels.flip_counts(signs, values.ravel(), 500, first, second, reached, False), trials


@work("permutations of 60 runs and 500 queries (largest_ranges)", "trial")
def permuted(_: Path) -> tuple[Call, int]:
    from partwise.study.statistics import largest_ranges

    values, trials = scores_of_runs()[None], 2000
    return lambda: largest_ranges(values, trials, 7), trials


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
        generate(folder, 1, QUERIES, DEPTH, {"fol", "texts", "csv", "inex", "articles"})
        index = partwise("index", str(folder / "articles.zip"), "-o", str(folder / ARTICLES))
        subprocess.run(index, check=True, capture_output=True)
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
        unit = "thousand" if name == START else WORKS[name][0]
        lines.append(f"{name}\t{unit}\t{count:.1f}\t{version if name in IN_PYTHON else ''}")
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
