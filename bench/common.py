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
