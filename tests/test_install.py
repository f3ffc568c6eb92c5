"""The package as users install it: a wheel in a separate environment."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from support.paths import ROOT, TESTS


def installed(folder: Path, **environment: str) -> tuple[Path, str]:
    """Build a wheel and install it; the folder of the environment's programs, and the name of the wheel."""
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    settings = ["--config-settings=build-dir=" + str(folder / "build")]
    subprocess.run([*build, *settings], check=True, cwd=folder, env={**os.environ, **environment})
    [wheel] = wheels.iterdir()
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", str(wheel)], check=True, cwd=folder)
    return programs, wheel.name


def output(folder: Path, *command: str | Path) -> str:
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_a_wheel_installs_and_runs(tmp_path: Path) -> None:
    programs, wheel = installed(tmp_path)
    assert not wheel.endswith("-none-any.whl")
    assert output(tmp_path, programs / "partwise", "--version").endswith("(native kernels)\n")
    assert output(tmp_path, programs / "partwise", "demo") == without_report()


def without_report() -> str:
    """The output of the demo if the packages for a report are not installed."""
    golden = (TESTS / "golden" / "demo.out").read_text()
    without = "There is no report: the report needs jinja2, which is not installed; run pip install 'partwise[report]'."
    report = "To look at lists, documents and curves, open partwise-demo/report.html in a browser."
    assert report in golden
    return golden.replace(report, without)
