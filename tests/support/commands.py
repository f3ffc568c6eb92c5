"""Commands as users type them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from support.paths import FILES

MEASURES = ["-m", "iAP TextP@5 Redundancy@5"]


ASSESSED = "assessed.csv"


STUDIES: dict[str, list[str]] = {
    "compare": ["compare", *FILES, *MEASURES, "--places", "6"],
    "compare-table": ["compare", *FILES, *MEASURES, "-f", "table"],
    "compare-latex": ["compare", *FILES, *MEASURES, "-f", "latex", "--alpha", "0.3"],
    "compare-baseline-latex": [
        "compare", *FILES, *MEASURES, "-f", "latex", "--test", "t", "--alpha", "0.2", "--baseline", "sentences",
    ],
    "compare-markdown": ["compare", *FILES, *MEASURES, "-f", "markdown", "--alpha", "0.3"],
    "compare-html-sort-transpose": [
        "compare", *FILES, *MEASURES, "-f", "html", "--alpha", "0.3", "--sort", "Redundancy@5", "--transpose",
    ],
    "compare-baseline-t-bh-jsonl": [
        "compare", *FILES, *MEASURES, "--baseline", "windows", "--test", "t", "--correct", "bh", "-f", "jsonl",
        "--places", "3",
    ],
    "compare-tukey-csv": [
        "compare", *FILES, *MEASURES, "--test", "tukey", "--seed", "7", "--trials", "500", "--jobs", "2", "-f", "csv",
        "--places", "6",
    ],
    "compare-wilcoxon-alpha": ["compare", *FILES, *MEASURES, "--test", "wilcoxon", "--alpha", "0.3", "-f", "table"],
    "agreement": ["study", "agreement", *FILES, *MEASURES],
    "agreement-table": ["study", "agreement", *FILES, *MEASURES, "-f", "table"],
    "agreement-latex": ["study", "agreement", *FILES, *MEASURES, "-f", "latex", "--places", "2"],
    "agreement-markdown": ["study", "agreement", *FILES, *MEASURES, "-f", "markdown"],
    "error-rate": ["study", "error-rate", *FILES, "-m", "iAP AgP", "--trials", "50", "--seed", "1"],
    "error-rate-size-fuzz-table": [
        "study", "error-rate", *FILES, "-m", "iAP AgP", "--size", "2", "--fuzz", "0.5", "-f", "table",
    ],
    "queries": ["study", "queries", *FILES, "-m", "AgP", "--trials", "20"],
    "queries-table": ["study", "queries", *FILES, "-m", "iAP AgP", "-f", "table", "--project", "50", "--best", "1"],
    "queries-difference-table": ["study", "queries", *FILES, "-m", "iAP AgP", "-f", "table", "--difference", "0.5"],
    "queries-difference-share": ["study", "queries", *FILES, "-m", "iAP AgP", "-f", "table", "--difference", "10.2%"],
    "queries-difference-none": ["study", "queries", *FILES, "-m", "iAP", "-f", "table", "--difference", "0.001"],
    "queries-difference-tsv": ["study", "queries", *FILES, "-m", "iAP AgP", "--trials", "20", "--difference", "0.5"],
    "error-rate-fuzz-0": ["study", "error-rate", *FILES, "-m", "iAP AgP", "--trials", "50", "--fuzz", "0"],
    "power": ["study", "power", *FILES, *MEASURES, "--test", "t"],
    "power-table": ["study", "power", *FILES, *MEASURES, "--test", "randomisation", "--alpha", "0.3", "-f", "table"],
    "assessors-table": ["study", "assessors", ASSESSED, *FILES[1:], "-m", "iAP", "-f", "table"],
    "assessors": ["study", "assessors", ASSESSED, *FILES[1:], "-m", "iAP", "--limit", "3", "--seed", "2"],
    "assessors-spread": ["study", "assessors", ASSESSED, *FILES[1:], "-m", "iAP", "--show", "spread"],
    "assessors-agreement": ["study", "assessors", ASSESSED, *FILES[1:], "-m", "iAP", "--show", "agreement"],
    "perturb-table": ["study", "perturb", *FILES, "-m", "iAP TextP@5", "-f", "table", "--count", "1", "--count", "10"],
    "perturb": ["study", "perturb", *FILES, "-m", "iAP Redundancy@5", "--count", "2"],
    "curves-table": ["study", "curves", *FILES, "--kind", "budget", "-f", "table", "--places", "3"],
    "curves-jsonl": ["study", "curves", *FILES, "--kind", "budget-precision", "-f", "jsonl"],
}  # fmt: skip


def on_a_terminal(*arguments: str) -> str:
    """The output of the command when standard output and standard error are a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-m", "partwise", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:
                break
            if not chunk:
                break
            printed += chunk
    os.close(ours)
    assert process.returncode == 0
    return printed.decode()
