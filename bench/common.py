"""Shared by the benchmarks: fresh processes, best of several, ratios instead of absolute times."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def best_time(command: Sequence[str], rounds: int = 5) -> float:
    """The shortest wall-clock time of a command in a fresh process, after one run to warm the cache."""
    # Installed packages have their bytecode; an editable one must be allowed to write it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return min(times[1:])


_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def processor_time(command: Sequence[str], rounds: int = 3) -> tuple[float, float]:
    """The least processor time (user and system, seconds) of a command in a fresh process, and its peak memory in MiB.

    Unlike wall-clock time it hardly depends on what else the machine does. A small process starts the command, because
    the memory of a process that starts another counts towards the other's peak.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    used = []
    for _ in range(rounds):
        starter = [sys.executable, "-S", "-c", _MEASURED, *command]
        printed = subprocess.run(starter, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
        seconds, memory = map(float, printed.split())
        used.append((seconds, memory))
    return min(used)


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def partwise(*arguments: str) -> list[str]:
    """The installed command of this Python environment."""
    return [str(Path(sys.executable).with_name("partwise")), *arguments]


def verdict(name: str, ratio: float, target: float, at_least: bool) -> bool:
    """Print a ratio with its target, and return whether it is met."""
    met = ratio >= target if at_least else ratio <= target
    print(f"{name}: {ratio:.2f}x ({'at least' if at_least else 'at most'} {target:g}x: {'met' if met else 'MISSED'})")
    return met
