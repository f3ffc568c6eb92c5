"""What a command loads: no more than it needs, with OpenBLAS limited to one thread before NumPy is loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.paths import FILES

CODE = """
import json, os, sys

class Watch:
    threads = None

    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            Watch.threads = os.environ.get("OPENBLAS_NUM_THREADS")

sys.meta_path.insert(0, Watch())
from partwise.cli import main
sys.stdout = open(os.devnull, "w")
code = main()
print(json.dumps([code, Watch.threads, sorted(sys.modules)]), file=sys.__stdout__)
"""

NOT_NEEDED = {
    "decimal",
    "fractions",
    "importlib.metadata",
    "numpy.ma",
    "pyarrow",
    "partwise.api.files",
    "partwise.api.scoring",
    "partwise.checks",
    "partwise.collection",
    "partwise.counting",
    "partwise.formats.assessments",
    "partwise.formats.objects",
    "partwise.formats.pools",
    "partwise.formats.runs",
    "partwise.measures.esr",
    "partwise.navigation",
    "partwise.outputs",
    "partwise.relevance",
    "partwise.resolving.slicing",
    "partwise.study",
    "partwise.tables.documents",
    "partwise.tokens",
}
"""What scoring text in files does not use; loading it took a third of the start-up beside NumPy."""


def started(*words: str, **variables: str) -> tuple[int, str | None, set[str]]:
    """The exit code of a command in a fresh process, the limit of OpenBLAS when NumPy was loaded, and all modules."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words], env=environment | variables, check=True, capture_output=True, text=True
    )
    answer: Any = json.loads(done.stdout)
    return answer[0], answer[1], set(answer[2])


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_openblas_starts_no_threads(command: str) -> None:
    words = [command, *FILES, "-m", "iAP"]
    assert started(*words)[:2] == (0, "1")
    assert started(*words, OPENBLAS_NUM_THREADS="2")[1] == "2"


def test_scoring_text_loads_only_what_it_needs(tmp_path: Path) -> None:
    lines = Path(FILES[1]).read_text().splitlines(keepends=True)
    without_queries = tmp_path / "without-queries.run"
    without_queries.write_text("".join(line for line in lines if line.split()[0] == lines[0].split()[0]))
    code, _, modules = started("evaluate", *FILES, str(without_queries), "-m", "iAP")
    assert code == 0
    assert "partwise.tables.text" in modules
    assert modules & NOT_NEEDED == set()
