"""A process that runs cases: a part of all, or those that it is sent one by one."""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from attacks import watch
from attacks.case import Case

RESTART = 75
"""The exit code with which a worker asks for a new process, because a case may have left threads running."""
ADDRESS_SPACE = 4 * 2**30
"""How much memory a case may take in addition to what the worker has."""
PATIENCE, GRACE = 10, 5.0
"""A case that does not react to the alarm is stopped after so many times its time, and so many seconds."""


def _prepared(plant: str | None) -> None:
    watch.install()
    import partwise as pw
    from partwise.cli import parser

    parser()
    for name in dir(pw):
        getattr(pw, name, None)
    if plant is not None:
        runpy.run_path(plant)
    import pyarrow.parquet  # noqa: F401

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()


def _limit_memory(case: Case) -> None:
    """Limit the address space, except for charts: their engine reserves more than it uses."""
    with open("/proc/self/statm", "rb") as file:
        size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    draws = any("--plot" in words or words[0] == "report" for words in case.steps)
    limit = resource.RLIM_INFINITY if draws else size + ADDRESS_SPACE
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def _keys(judge: object, case: Case, seconds: float) -> Iterator[tuple[str, str, str]]:
    from attacks.judge import Judge

    assert isinstance(judge, Judge)
    _limit_memory(case)
    faulthandler.dump_traceback_later(PATIENCE * seconds + GRACE, exit=True)
    for fault in judge.faults(case):
        yield fault.kind, fault.place, fault.details
    faulthandler.cancel_dump_traceback_later()


def run_range(seed: int, numbers: range, at_file: Path, findings: Path, seconds: float, plant: str | None) -> int:
    """Run these cases; `at_file` has the number of the one that is running, `findings` gets a line per fault."""
    faulthandler.enable()
    _prepared(plant)
    from attacks.cases import case
    from attacks.judge import Judge

    judge = Judge(seconds)
    parent = os.getppid()
    handle = os.open(at_file, os.O_WRONLY | os.O_CREAT)
    try:
        for number in numbers:
            os.pwrite(handle, b"%20d" % number, 0)
            slow = False
            for kind, place, details in _keys(judge, case(seed, number), seconds):
                line = {"seed": seed, "case": number, "kind": kind, "place": place, "details": details}
                with open(findings, "a") as file:
                    file.write(json.dumps(line) + "\n")
                slow |= kind in ("slow", "memory", "MemoryError")
            if os.getppid() != parent:  # nobody waits for the others
                return 0
            if slow:
                return RESTART
        return 0
    finally:
        judge.close()


def serve(seconds: float, plant: str | None) -> int:
    """Run the cases on standard input, a line each, and print their faults, a line each."""
    faulthandler.enable()
    _prepared(plant)
    from attacks.judge import Judge

    judge = Judge(seconds)
    requests, answers = sys.stdin, sys.stdout
    try:
        for line in requests:
            keys = list(_keys(judge, Case.from_json(line), seconds))
            answers.write(json.dumps(keys) + "\n")
            answers.flush()
        return 0
    finally:
        judge.close()
