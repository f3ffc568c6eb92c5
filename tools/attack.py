"""An attack on partwise: mutated files and hostile objects for every format and every command.

Usage: python tools/attack.py --cases 300000 --seed 1 [--from K] [--jobs J] [--findings FOLDER]
       python tools/attack.py --seed 1 --case K     (one case again, with what it prints)

Case K of a seed is always the same. Cases run in worker processes, so that one that hangs or aborts is found, named and
skipped. Progress is kept in the folder of findings: the same command goes on where it was interrupted. Faults of one
kind and place are one finding, which is made small and written as a folder with its files and `command`. The exit code
is 1 if there are findings. docs/attack.md describes what is attacked and what counts as a fault.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from attacks import minimise, worker
from attacks.case import CASE, Case

SECONDS = 10.0
MINIMISING = 20.0
MEMORY = "/dev/shm"
"""Where files are written, if it exists: on a disk, flushing outputs takes a third of the time."""
PROGRESS, FINDINGS = "progress.json", "findings.jsonl"
_FRAME = re.compile(r'File "[^"]*[/\\]src[/\\]partwise[/\\]([^"]+)", line \d+ in (\S+)')


@dataclass
class Finding:
    """Faults of one kind and place."""

    kind: str
    place: str
    details: str
    cases: list[tuple[int, int]] = field(default_factory=list)
    """Seeds and numbers."""

    @property
    def key(self) -> str:
        return f"{self.kind} in {self.place}" if self.place else self.kind

    @property
    def folder(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.key.lower()).strip("-")[:100]


def command(options: argparse.Namespace, *more: str) -> list[str]:
    plant = [] if options.plant is None else ["--plant", options.plant]
    return [sys.executable, __file__, "--seconds", str(options.seconds), *plant, *more]


def death(code: int, log: str) -> tuple[str, str]:
    """Why a worker ended, and the innermost function of ours in the log of faulthandler."""
    place = _FRAME.search(log)
    where = f"{place[1]}:{place[2]}" if place else ""
    if code == 1 and "Timeout (" in log:
        return "hang", where
    try:
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    except ValueError:
        name = f"exit code {code}"
    return f"abort {name}", where


# ---- running ------------------------------------------------------------------------------------------------


class Share:
    """The cases of one worker process, which is started again after each that it does not survive."""

    def __init__(self, options: argparse.Namespace, numbers: range, name: int, folder: Path) -> None:
        self.options, self.numbers, self.folder = options, numbers, folder
        self.at_file, self.log = folder / f"worker-{name}.at", folder / f"worker-{name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.at_file.unlink(missing_ok=True)
        self.start(numbers.start)

    @property
    def at(self) -> int:
        """The case that is running."""
        with contextlib.suppress(OSError, ValueError):
            return int(self.at_file.read_text())
        return self.numbers.start

    def start(self, first: int) -> None:
        left = range(first, self.numbers.stop, self.numbers.step)
        self.first = first
        if not left:
            self.process = None
            return
        words = ["--range", str(left.start), str(left.stop), str(left.step), "--seed", str(self.options.seed)]
        words += ["--at-file", str(self.at_file), "--findings", str(self.folder)]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command(self.options, *words), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def poll(self) -> dict[str, object] | None:
        """Start the process again if it ended early, and return the fault of which it died."""
        if self.process is None or (code := self.process.poll()) is None:
            return None
        if code == 0:
            self.process = None
            return None
        at = self.at
        if code != worker.RESTART and not self.at_file.exists():
            raise RuntimeError(f"a worker does not start:\n{self.log.read_text(errors='replace')[-2000:]}")
        log = self.log.read_text(errors="replace")
        self.start(at + self.numbers.step)
        if code == worker.RESTART:
            return None
        if code == 1 and "Traceback (most recent call last)" in log and "Timeout (" not in log:
            raise RuntimeError(f"case {at} of seed {self.options.seed} fails in the attack itself:\n{log[-3000:]}")
        kind, place = death(code, log)
        return {"seed": self.options.seed, "case": at, "kind": kind, "place": place, "details": log[-500:]}


def done_before(folder: Path, seed: int) -> int:
    """How many cases of this seed an earlier run of the attack completed."""
    path = folder / PROGRESS
    return json.loads(path.read_text()).get(str(seed), 0) if path.exists() else 0


def keep_progress(folder: Path, seed: int, done: int) -> None:
    path = folder / PROGRESS
    progress = json.loads(path.read_text()) if path.exists() else {}
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({**progress, str(seed): done}))
    temporary.replace(path)


def run(options: argparse.Namespace, folder: Path) -> int:
    """Run all cases that are left, and return their number."""
    first = max(options.first, done_before(folder, options.seed))
    last, jobs = options.first + options.cases, options.jobs
    shares = [
        Share(options, range(first + job, last, jobs), job, folder) for job in range(min(jobs, max(0, last - first)))
    ]
    started = shown = time.monotonic()
    try:
        while any(share.process for share in shares):
            time.sleep(0.05)
            for share in shares:
                fault = share.poll()
                if fault is not None:
                    with open(folder / FINDINGS, "a") as file:
                        file.write(json.dumps(fault) + "\n")
            running = [share.at for share in shares if share.process]
            if running:
                keep_progress(folder, options.seed, max(first, min(running)))
            if time.monotonic() - shown > 30 and running:
                shown = time.monotonic()
                speed = (min(running) - first) / (shown - started)
                print(
                    f"case {min(running)} of {last}, {speed:.0f} per second, {len(findings_in(folder))} findings",
                    flush=True,
                )
        keep_progress(folder, options.seed, max(first, last))
    finally:
        for share in shares:
            if share.process is not None:
                share.process.kill()
                share.process.wait()
            if share.log.exists() and not share.process:
                share.log.unlink()
                share.at_file.unlink(missing_ok=True)
    return max(0, last - first)


def findings_in(folder: Path) -> dict[str, Finding]:
    """The faults that were reported, by kind and place."""
    findings: dict[str, Finding] = {}
    path = folder / FINDINGS
    for line in path.read_text().splitlines() if path.exists() else ():
        fault = json.loads(line)
        finding = Finding(fault["kind"], fault["place"], fault["details"])
        case = (fault["seed"], fault["case"])
        cases = findings.setdefault(finding.key, finding).cases
        if case not in cases:
            cases.append(case)
    return findings


# ---- single cases -------------------------------------------------------------------------------------------


class Server:
    """A worker that runs the cases it is sent, started again when it ends."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        self.process: subprocess.Popen[str] | None = None

    def keys(self, case: Case) -> list[tuple[str, str, str]]:
        """Kind, place and details of the faults of a case."""
        if self.process is None:
            self.log.truncate(0)
            self.log.seek(0)
            self.process = subprocess.Popen(
                command(self.options, "--serve"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(case.to_json() + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            self.log.seek(0)
            log = self.log.read().decode(errors="replace")
            self.close()
            return [(*death(code, log), log[-500:])]
        faults = [(kind, place, details) for kind, place, details in json.loads(answer)]
        if any(kind in ("slow", "memory", "MemoryError") for kind, _, _ in faults):
            self.close()
        return faults

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def keep(finding: Finding, folder: Path, server: Server, seconds: float) -> str:
    """Make the first case of a finding small and write it to its folder; returns a remark."""
    from attacks.cases import case as case_of

    case = case_of(*finding.cases[0])

    def still(smaller: Case) -> bool:
        return (finding.kind, finding.place) in [(kind, place) for kind, place, _ in server.keys(smaller)]

    remark = ""
    if still(case):
        case = minimise.minimised(case, still, seconds)
    else:
        remark = " (not when it runs alone)"
    target = folder / finding.folder
    case.save(target)
    (folder / f"{finding.folder}.{CASE}").write_text(case.to_json())
    return remark


def repeat(options: argparse.Namespace) -> int:
    """Run one case and print everything about it."""
    from attacks.cases import case as case_of

    if options.case.isdecimal():
        case = case_of(options.seed, int(options.case))
    else:
        case = Case.from_json(Path(options.case).read_text())
    print(case.call if case.call is not None else case.command)
    for name, content in case.files.items():
        print(f"{name!r}: {content if len(repr(content)) < 1500 else repr(content)[:1500]}")
    server = Server(options)
    faults = server.keys(case)
    server.close()
    for kind, place, details in faults:
        print(f"FAULT {kind} in {place}: {details}")
    return 1 if faults else 0


# ---- command line -------------------------------------------------------------------------------------------


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000, help="number of cases (default: 20000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the cases (default: 1)")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="K", help="the first case (default: 0)")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes (default: 2)")
    parser.add_argument(
        "--findings", default="build/attack", metavar="FOLDER", help="where progress and findings are kept"
    )
    parser.add_argument("--case", metavar="K", help="repeat this case, or that of a file .case.json")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the time for a case (default: 10)")
    parser.add_argument(
        "--minimise", type=float, default=MINIMISING, metavar="SECONDS", help="time to make a finding small"
    )
    hidden = argparse.SUPPRESS
    parser.add_argument("--plant", help=hidden)
    parser.add_argument("--range", nargs=3, type=int, help=hidden)
    parser.add_argument("--at-file", help=hidden)
    parser.add_argument("--serve", action="store_true", help=hidden)
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    options = arguments(words)
    if options.range is not None:
        folder = Path(options.findings)
        numbers = range(*options.range)
        return worker.run_range(
            options.seed, numbers, Path(options.at_file), folder / FINDINGS, options.seconds, options.plant
        )
    if options.serve:
        return worker.serve(options.seconds, options.plant)
    if options.case is not None:
        return repeat(options)
    folder = Path(options.findings).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    in_memory = MEMORY if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) else None
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # workers and their files go too
    # workers that abort leave their files there
    with tempfile.TemporaryDirectory(prefix="attack-", dir=in_memory) as scratch:
        os.environ["TMPDIR"] = scratch
        return attack(options, folder)


def attack(options: argparse.Namespace, folder: Path) -> int:
    """Run the cases, make the findings small, and print them."""
    started = time.monotonic()
    number = run(options, folder)
    seconds = time.monotonic() - started
    findings = findings_in(folder)
    server = Server(options)
    for finding in findings.values():
        written = (folder / finding.folder).exists()
        remark = "" if written else keep(finding, folder, server, options.minimise)
        seed, first = finding.cases[0]
        cases = f"{len(finding.cases)} cases, the first {first} of seed {seed}"
        print(f"{finding.key}{remark}: {cases}; {folder / finding.folder}")
    server.close()
    print(f"{number} cases of seed {options.seed} in {seconds:.0f} s, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
