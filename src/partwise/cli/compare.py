"""``partwise compare``: which runs are better, by how much, and how likely that is chance."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.comparing import TESTED_TRIALS, add_chance, add_files, add_outcome, add_threads, between, on_scores
from partwise.cli.evaluate import add_layout
from partwise.cli.options import one_of
from partwise.later import api
from partwise.types import CORRECTIONS, TESTS


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare runs: differences, intervals, significance",
        description="Compare runs under each measure: means with intervals, differences to baselines or "
        "between all pairs, effect sizes, queries won and lost, and significance tests. Every run has a letter; next "
        "to its mean are the letters of the runs that it beats significantly.",
    )
    add_files(parser)
    parser.add_argument(
        "--baseline", metavar="RUN", action="append", help="compare with this run only; repeatable (default: all pairs)"
    )
    parser.add_argument(
        "--test",
        type=one_of(TESTS),
        metavar="TEST",
        default=TESTS[0],
        help=f"significance test: {', '.join(TESTS)} (default: {TESTS[0]})",
    )
    parser.add_argument(
        "--correct",
        type=one_of(CORRECTIONS),
        metavar="HOW",
        help=f"correction for several pairs: {', '.join(CORRECTIONS)} (default: holm; tukey needs none)",
    )
    parser.add_argument("--alpha", type=between, metavar="A", default=0.05, help="significance level (default: 0.05)")
    parser.add_argument(
        "--confidence",
        type=between,
        metavar="C",
        default=0.95,
        help="confidence level of the intervals (default: 0.95)",
    )
    add_chance(parser, None, "number of random assignments", TESTED_TRIALS)
    add_threads(parser)
    add_outcome(parser, "the differences query by query")
    add_layout(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    def compare(scores: Any, progress: Any) -> Any:
        return api.compare(
            scores if args.sort is None else scores.sort(args.sort),
            baseline=args.baseline,
            test=args.test,
            correct=args.correct,
            alpha=args.alpha,
            confidence=args.confidence,
            trials=args.trials,
            seed=args.seed,
            jobs=args.threads,
            progress=progress,
        )

    return on_scores(args, "comparing", compare)
