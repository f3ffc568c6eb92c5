"""Every number in the documents is printed by something that runs: ``make docs`` and the tests check it here.

A document has four kinds of figures. A ``console`` block is a session in the folder of the demo: ``cat FILE`` shows a
file that later commands read, ``partwise ...`` prints exactly what follows. A Python block with ``>>>`` is a doctest. A
comment ``<!-- prints: python examples/x.py DATA/y -->`` names a script; the ``text`` block after it is what the script
prints; it may also be a command of partwise. The cells of a guide that is a notebook show what the comment
``<!-- shows: ... -->`` after them says, and its prose has no other numbers (``cells.py``). What needs the real
collections (``DATA``, which is PARTWISE_DATA) is run by the slow tests.

``python docs/checking.py`` reports what differs; with ``--update FILE ...`` it writes what is printed into these
documents, except for Python examples. Then read them: the prose around a figure may no longer be true.
"""

from __future__ import annotations

import difflib
import doctest
import glob
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cells

import partwise.api
from partwise.cli import main

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = {"peers.md", "studies.md"}
"""Documents whose sessions need PyTerrier, or the runs of the laboratory: the slow tests run them there."""
EXIT_CODES = {
    "partwise check qrels.jsonl runs/overlapping.run --task focused -f table": 1,
    "partwise locate chunks.jsonl --corpus texts/ -o run.jsonl": 1,
    "partwise locate changed.jsonl --corpus texts/ --match ellipsis -o run.jsonl": 1,
    "partwise evaluate qrels.jsonl runs/chunks.run -m iAPP": 2,
    "partwise compare before.tsv after.tsv": 2,
    'partwise evaluate gold.jsonl agent.jsonl -m "TextR TextP"': 2,
    'partwise gate main.parquet branch.parquet --max-drop "TextR@5=0.01" --floor "PartHit@5=0.8" '
    '--no-loss "TextR@5=0.05" -f table': 1,
    "partwise gate main.parquet branch.parquet --queries about.csv --by about -f table": 1,
}
"""The exit codes of commands in the documents that do not end with 0."""


class Printed(NamedTuple):
    """A script that a document names, and what it shows of its output."""

    command: str
    output: str

    @property
    def needs_data(self) -> bool:
        return "DATA" in self.command


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a document, each with the output that follows it."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            yield command, output


def printed(text: str) -> list[Printed]:
    """The scripts that a document names, with their output."""
    found = re.findall(r"<!-- prints: (.*?) -->\n```text\n(.*?)```", text, re.DOTALL)
    return [Printed(command, output) for command, output in found]


@contextmanager
def in_the_demo() -> Iterator[None]:
    """In a folder with the files of the demo."""
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(partwise.api.demo().write(Path(folder) / "demo").folder)
        try:
            yield
        finally:
            os.chdir(before)


def run_command(words: list[str]) -> tuple[int, str, str]:
    """The exit code of a command of partwise, and what it prints to standard output and standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return code, texts[0], texts[1]


def differences(where: str, expected: str, actual: str) -> list[str]:
    """What is shown and what is printed, line by line, if they differ."""
    if expected == actual:
        return []
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "shown", "printed", lineterm="", n=0)
    return [f"{where}: the output differs", *lines]


def run_sessions(text: str) -> Iterator[tuple[str, str, str, int]]:
    """Every command of a document with what it shows, what is printed, and the exit code.

    Notes are shown before the output, or left out; a command that fails prints its error line last.
    """
    with in_the_demo():
        for command, output in sessions(text):
            words = shlex.split(command)
            if words[0] == "cat":  # a file that later commands read
                Path(words[1]).parent.mkdir(exist_ok=True)
                Path(words[1]).write_text(output)
                continue
            if words[0] != "partwise":
                raise SystemExit(f"{command} is not a command of partwise")
            expanded = [sorted(glob.glob(word)) if "*" in word else [word] for word in words[1:]]
            code, out, err = run_command([word for matches in expanded for word in matches])
            notes = err if output.startswith("note: ") else ""
            yield command, output, notes + out if code == 0 or notes else out + err, code


def check_sessions(name: str, text: str) -> list[str]:
    """What differs in the console blocks of a document."""
    problems: list[str] = []
    for command, output, actual, code in run_sessions(text):
        problems += differences(f"{name}: {command}", output, actual)
        if code != EXIT_CODES.get(command, 0):
            problems.append(f"{name}: {command} ends with {code}")
    return problems


def check_python(name: str, text: str) -> list[str]:
    """What differs in the Python examples of a document."""
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    with in_the_demo():
        runner.run(
            doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, name, 0), out=report.append
        )
    return report if runner.failures else []


def run_printed(text: str, data: Path | None) -> Iterator[tuple[str, str, str]]:
    """Every script with what is shown and printed: those that need no data, or, with a folder, those that do."""
    for one in printed(text):
        if one.needs_data != (data is not None):
            continue
        words = [word.replace("DATA", str(data)) for word in shlex.split(one.command)]
        words[:1] = [sys.executable, "-m", "partwise"] if words[0] == "partwise" else [sys.executable]
        result = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
        failure = f"ends with {result.returncode}: {result.stderr[-500:]}\n" if result.returncode else ""
        yield one.command, one.output, failure + result.stdout.rstrip("\n") + "\n"


def check_printed(name: str, text: str, data: Path | None) -> list[str]:
    """What differs in the output of scripts."""
    shown = run_printed(text, data)
    return [line for command, *texts in shown for line in differences(f"{name}: {command}", texts[0], texts[1])]


def check_cells(name: str, text: str) -> list[str]:
    """What differs in the cells of a notebook, and numbers of its prose that no cell shows."""
    problems: list[str] = []
    for number, (cell, actual) in enumerate(cells.run_cells(text), 1):
        problems += differences(f"{name}: cell {number}", cell.shows, actual)
    return problems + [f"{name}: no cell shows {number}: {prose}" for number, prose in cells.unfounded(text)]


def updated(text: str, data: Path) -> str:
    """A document with what its commands, scripts and cells print now."""
    if cells.is_notebook(text):
        text = cells.updated(text)
    for command, output, actual, _ in list(run_sessions(text)):
        text = text.replace(f"$ {command}\n{output}", f"$ {command}\n{actual}", 1)
    for folder in (None, data):
        for command, output, actual in list(run_printed(text, folder)):
            text = text.replace(
                f"<!-- prints: {command} -->\n```text\n{output}", f"<!-- prints: {command} -->\n```text\n{actual}", 1
            )
    return text


def check(path: Path) -> list[str]:
    """What differs in a document, except for scripts that need real collections."""
    name, text = path.name, path.read_text(encoding="utf-8")
    problems = check_printed(name, text, None)
    if name not in ELSEWHERE:
        problems += check_sessions(name, text) if "```console\n" in text else []
        problems += check_python(name, text) if "\n>>> " in text else []
        problems += check_cells(name, text) if cells.is_notebook(text) else []
    return problems


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        for document in map(Path, sys.argv[2:]):
            document.write_text(
                updated(document.read_text(), Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")))
            )
        sys.exit(0)
    found = [problem for path in DOCUMENTS for problem in check(path)]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)
