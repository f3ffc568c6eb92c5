"""Kills commands while they write, and reports what they leave; run as a script by tests/test_outputs.py.

Every command runs in a fork of this process, which has imported everything before. It is killed at a call that writes
(by itself, so that the place is exact), or from outside after a random time.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np  # noqa: F401
import pyarrow.parquet  # noqa: F401
import scipy.stats  # noqa: F401
import vl_convert  # noqa: F401

import partwise.api
import partwise.collection.xml
import partwise.formats.scores
import partwise.report.build
import partwise.report.compose
import partwise.study.comparison
from partwise.cli import evaluate, main  # noqa: F401
from partwise.outputs import write_files

COMMANDS = {
    "scores.tsv": ["evaluate", "q.txt", "a.run", "-m", "iAP", "-q"],
    "docs.parquet": ["index", "docs"],
    "run.csv": ["convert", "a.run"],
    "report.html": ["report", "q.txt", "a.run", "b.run", "-m", "iAP"],
    "compared.tsv": ["compare", "q.txt", "a.run", "b.run", "-m", "iAP", "--trials", "100"],
}
"""The commands by the file that they write."""
POINTS = ("opened", "fsync", "synced", "replace", "replaced")
BEFORE_RENAMING = POINTS[:4]
OLD = b"old\n" * 50_000


def words(output: str) -> list[str]:
    command = COMMANDS[output]
    return [*command, output] if command[0] == "convert" else [*command, "-o", output]


def kill_at(point: str, number: int) -> None:
    """Let this process kill itself when it reaches a point."""

    def die() -> None:
        os.kill(os.getpid(), number)

    def patched(name: str, before: bool, is_meant: Callable[..., bool] = lambda *_: True) -> None:
        original = getattr(os, name)

        def call(*args: Any, **options: Any) -> Any:
            meant = is_meant(*args)
            if meant and before:
                die()
            value = original(*args, **options)
            if meant and not before:
                die()
            return value

        setattr(os, name, call)

    if point == "opened":
        patched("open", False, lambda path, *_: str(path).endswith(".part"))
    else:
        patched("fsync" if point in ("fsync", "synced") else "replace", point in ("fsync", "replace"))


def child(work: Callable[[], int]) -> int:
    process = os.fork()
    if process == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os._exit(work())
    return process


def leftovers() -> list[str]:
    return sorted(name for name in os.listdir(".") if name.endswith(".part"))


def killed(output: str, point: str | None, number: int, delay: float) -> dict[str, Any]:
    """Run a command that is killed, and describe what it leaves."""

    def work() -> int:
        if point is not None:
            kill_at(point, number)
        return main(words(output))

    process = child(work)
    if point is None:
        time.sleep(delay)
        os.kill(process, number)
    status = os.waitpid(process, 0)[1]
    left = leftovers()
    content = Path(output).read_bytes() if Path(output).exists() else None
    return {
        "output": output,
        "point": point,
        "signal": number,
        "killed": os.WIFSIGNALED(status),
        "content": "old" if content == OLD else "none" if content is None else describe(output),
        "left": left,
    }


def describe(output: str) -> str:
    """``new`` if the file is whole, else what is wrong with it."""
    try:
        if output == "docs.parquet":
            documents = partwise.api.Collection.open(output)
            return "new" if [documents[doc].length for doc in documents] == [1003] * 30 else "other documents"
        text = Path(output).read_text()
        if output == "report.html":
            return "new" if text.rstrip().endswith("</html>") else "cut short"
        return "new" if text == Path(f"reference-{output}").read_text() else "other text"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def prepare() -> dict[str, float]:
    """Write the inputs and the expected outputs; returns how long every command takes."""
    Path("q.txt").write_text("".join(f"t{i} Q0 d{i} 50 1000 10 10:50\n" for i in range(200)))
    for name, start in (("a", 10), ("b", 30)):
        lines = [f"t{i} Q0 d{i} 1 0.9 {name} {start} 50\n" for i in range(200)]
        Path(f"{name}.run").write_text("".join(lines))
    Path("docs").mkdir()
    for i in range(30):
        Path(f"docs/d{i}.xml").write_text(f"<a><b>{'x' * 1000}</b><c>abc</c></a>")
    write = child(lambda: Path("bundle.js").write_bytes(partwise.report.build.bundle()) * 0)
    assert os.waitpid(write, 0)[1] == 0
    script = Path("bundle.js").read_bytes()  # it takes a second each time, and does not write
    partwise.report.build.bundle = lambda: script
    seconds = {}
    for output in COMMANDS:
        begin = time.monotonic()
        status = os.waitpid(child(lambda output=output: main(words(output))), 0)[1]  # type: ignore[misc]
        seconds[output] = time.monotonic() - begin
        assert (status, leftovers()) == (0, []), output
        if output.endswith(("tsv", "csv")):
            os.rename(output, f"reference-{output}")
        assert describe(output) == "new" or not Path(output).exists(), output
    return seconds


def run(count: int, seed: int) -> None:
    chance = random.Random(seed)
    seconds = prepare()
    names = list(COMMANDS)
    for turn in range(count):
        output = names[turn % len(names)]
        number = (signal.SIGKILL, signal.SIGTERM)[turn // len(names) % 2]
        points = [*POINTS, *BEFORE_RENAMING, None, None, None]
        point = points[turn // (2 * len(names)) % len(points)]
        Path(output).write_bytes(OLD)
        if chance.random() < 0.25:
            os.unlink(output)
        outcome = killed(output, point, number, chance.uniform(0, 1.2 * seconds[output]))
        if outcome["left"] or chance.random() < 0.2:
            contents = dict.fromkeys([output, f"{output}.provenance.json"][: 1 + (output == "scores.tsv")], OLD)
            write = child(lambda contents=contents: write_files(contents) or 0)  # type: ignore[misc]
            outcome["status"] = os.waitpid(write, 0)[1]
            outcome["left later"] = leftovers()
        print(json.dumps(outcome))


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    run(int(sys.argv[2]), int(sys.argv[3]))
