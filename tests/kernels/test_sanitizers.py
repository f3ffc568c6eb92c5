"""The native kernels built alone: under sanitizers, and their readers under a fuzzer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.paths import ROOT, TESTS

KERNELS = sorted(path for path in (ROOT / "src" / "native").glob("*.cpp") if not path.name.endswith("module.cpp"))
SECONDS = int(os.environ.get("PARTWISE_FUZZ_SECONDS", "60"))


def built(target: Path, source: str, sanitizers: str) -> Path:
    compiler = shutil.which("clang++")
    if compiler is None:
        pytest.skip("clang++ not found: install clang")
    flags = ["-std=c++17", "-O1", "-g", f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"]
    includes = ["-I", str(ROOT / "src" / "native")]
    subprocess.run([compiler, *flags, *includes, TESTS / "native" / source, *KERNELS, "-o", target], check=True)
    return target


def test_kernels_do_not_use_python() -> None:
    native = ROOT / "src" / "native"
    files = [path for path in native.iterdir() if not path.name.endswith(("module.cpp", "module.hpp"))]
    assert {"columns.cpp", "columns.hpp", "rows.cpp", "text.hpp"} <= {path.name for path in files}
    for path in files:
        assert "nanobind" not in path.read_text()
        assert "Python.h" not in path.read_text()


@pytest.mark.slow
def test_no_undefined_behaviour_and_no_access_out_of_bounds(tmp_path: Path) -> None:
    driver = built(tmp_path / "driver", "driver.cpp", "address,undefined")
    found = subprocess.run([driver], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (0, "all kernels ran\n"), found.stderr[-4000:]


@pytest.mark.slow
def test_threads_do_not_race(tmp_path: Path) -> None:
    driver = built(tmp_path / "driver", "driver.cpp", "thread")
    found = subprocess.run([driver, "threads"], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (0, "no race\n"), found.stderr[-4000:]


@pytest.mark.slow
def test_readers_accept_or_reject_any_bytes(tmp_path: Path) -> None:
    """No crash, no hang, and every rejection has its line, its column and the text there."""
    fuzzer = built(tmp_path / "fuzz", "fuzz.cpp", "fuzzer,address,undefined")
    corpus = tmp_path / "corpus"
    shutil.copytree(TESTS / "corpus", corpus)
    limits = [f"-max_total_time={SECONDS}", "-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-seed=7"]
    found = subprocess.run([fuzzer, *limits, corpus], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 0, found.stderr[-4000:]
