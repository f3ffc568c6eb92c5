"""The package as users get it: a wheel in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from conftest import ROOT


@pytest.mark.slow
def test_a_wheel_installs_and_runs(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run(build, check=True, cwd=tmp_path)
    [wheel] = wheels.iterdir()
    assert wheel.name.endswith("-py3-none-any.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True, cwd=tmp_path)
    command = tmp_path / "venv" / "bin" / "partwise"
    shown = subprocess.run([command, "demo"], check=True, cwd=tmp_path, capture_output=True, text=True).stdout
    golden = (ROOT / "tests" / "golden" / "demo.out").read_text()
    without = "There is no report: the report needs jinja2, which is not installed, pip install 'partwise[report]'."
    report = "To look at lists, documents and curves, open partwise-demo/report.html in a browser."
    assert report in golden
    assert shown == golden.replace(report, without)
