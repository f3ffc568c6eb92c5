"""``partwise demo``: the main job on a tiny example that comes with the package."""

from __future__ import annotations

import argparse
from typing import Any

MEASURES = "nDCG@10 iAP iP@0.01 TextP@5 TextR@5 Redundancy@5 AgP"


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="evaluate a tiny built-in example",
        description="Evaluate a tiny built-in example: three topics, two runs, one of sentences and one of windows.",
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    from importlib.resources import as_file, files

    from partwise import api
    from partwise.cli import output

    with as_file(files("partwise") / "demo_data") as folder:
        runs = [str(folder / "sentences.run"), str(folder / "windows.run")]
        scores = api.evaluate(str(folder / "qrels.txt"), runs, MEASURES)
    lines = [
        "A tiny example made for this package, no real collection: three topics over three documents, one run of",
        "sentences and one of windows of 400 characters that overlap by half.",
        "",
        output.table(scores, False, output.PLACES, output.to_terminal(None)).rstrip("\n"),
        "",
        "Counting documents the windows win (nDCG@10). Counting the text that is read they lose: most of what they",
        "show is not relevant (TextP@5) and a fifth of it was shown before (Redundancy@5).",
    ]
    output.write("\n".join(lines) + "\n", None)
    return 0
