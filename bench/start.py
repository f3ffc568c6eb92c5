"""Start-up time against importing NumPy: at most 2x for ``partwise --version`` and for a tiny ``evaluate``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from common import best_time, partwise, python, verdict


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        qrels, run = Path(name) / "qrels.txt", Path(name) / "tiny.run"
        qrels.write_text("t1 Q0 d1 5 100 10 10:5\n")
        run.write_text("t1 Q0 d1 1 0.9 tag 10 5\n")
        numpy = best_time(python("import numpy"), 15)
        version = best_time(partwise("--version"), 15)
        tiny = best_time(partwise("evaluate", str(qrels), str(run), "-m", "iAP iP@0.01"), 15)
    met = [
        verdict("partwise --version to import numpy", version / numpy, 2, at_least=False),
        verdict("tiny evaluate to import numpy", tiny / numpy, 2, at_least=False),
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
