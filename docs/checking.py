"""Every number in the documents is printed by something that runs: ``make docs`` and the tests check it here.

A document has three kinds of figures. A ``console`` block is a session in the folder of the demo: ``cat FILE`` shows a
file that later commands read, ``partwise ...`` prints exactly what follows. A Python block with ``>>>`` is a doctest. A
comment ``<!-- prints: python examples/x.py DATA/y -->`` names a script; the ``text`` block after it is what the script
prints. Scripts that need the real collections (``DATA``, which is PARTWISE_DATA) are run by the slow tests.
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
    found = re.findall(r"<!-- prints: (.*?) -->\n+```text\n(.*?)```", text, re.DOTALL)
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


def check_sessions(name: str, text: str) -> list[str]:
    """What differs in the console blocks of a document. Notes are shown before the output, or left out."""
    problems: list[str] = []
    with in_the_demo():
        for command, output in sessions(text):
            words = shlex.split(command)
            if words[0] == "cat":  # a file that later commands read
                Path(words[1]).parent.mkdir(exist_ok=True)
                Path(words[1]).write_text(output)
                continue
            if words[0] != "partwise":
                problems.append(f"{name}: {command} is not a command of partwise")
                continue
            expanded = [sorted(glob.glob(word)) if "*" in word else [word] for word in words[1:]]
            code, out, err = run_command([word for matches in expanded for word in matches])
            notes = err if output.startswith("note: ") else ""
            problems += differences(f"{name}: {command}", output, notes + out if code == 0 or notes else out + err)
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


def check_printed(name: str, text: str, data: Path | None) -> list[str]:
    """What differs in the output of scripts: of those that need no data, or, with a folder, of those that do."""
    problems: list[str] = []
    for command, output in printed(text):
        if ("DATA" in command) != (data is not None):
            continue
        words = [word.replace("DATA", str(data)) for word in shlex.split(command)]
        words[0] = sys.executable
        result = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
        if result.returncode != 0:
            problems.append(f"{name}: {command} ends with {result.returncode}: {result.stderr[-500:]}")
        problems += differences(f"{name}: {command}", output.rstrip("\n"), result.stdout.rstrip("\n"))
    return problems


def check(path: Path) -> list[str]:
    """What differs in a document, except for scripts that need real collections."""
    name, text = path.name, path.read_text(encoding="utf-8")
    problems = check_printed(name, text, None)
    if name not in ELSEWHERE:
        problems += check_sessions(name, text) if "```console\n" in text else []
        problems += check_python(name, text) if "\n>>> " in text else []
    return problems


if __name__ == "__main__":
    found = [problem for path in DOCUMENTS for problem in check(path)]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)
