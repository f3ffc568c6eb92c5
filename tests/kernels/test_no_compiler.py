"""Without a compiler, an installation from source fails with a one-line remedy."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.paths import ROOT

REMEDY = (
    "partwise needs a C++17 compiler and the headers of Python; install them (apt-get install g++ python3-dev, "
    "on macOS xcode-select --install) or install a wheel (pip install --only-binary partwise partwise)"
)


def test_the_remedy_is_one_line() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    assert settings["messages"]["after-failure"] == REMEDY


@pytest.mark.slow
def test_pip_without_a_compiler(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(tmp_path / "target"), str(ROOT)]
    settings = ["--config-settings=build-dir=" + str(tmp_path / "build")]
    environment = {**os.environ, "CXX": "/nowhere/c++"}
    found = subprocess.run(
        [*command, *settings], check=False, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert found.returncode != 0
    lines = [line.strip() for line in (found.stdout + found.stderr).splitlines()]
    assert lines.count(REMEDY) == 1
    assert lines[lines.index(REMEDY) + 1] == "[end of output]"  # it is the last line of the build
    assert not (tmp_path / "target").exists()
