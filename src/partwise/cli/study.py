"""``partwise study``: how reliable measures are."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.comparing import (
    TESTED_TRIALS,
    add_chance,
    add_files,
    add_outcome,
    add_threads,
    between,
    on_runs,
    on_scores,
    whole_from,
)
from partwise.cli.evaluate import evaluator_from
from partwise.cli.naming import runs_of
from partwise.cli.options import one_of
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands as messages
from partwise.types import ASSESSOR_TABLES, CORRECTIONS, CURVES, MOST_TRIALS, TESTS


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "study",
        help="study the measures: agreement, error rates, queries needed",
        description="Study how reliable measures are, with your runs.",
    )
    studies = parser.add_subparsers(dest="study", metavar="STUDY", required=True, parser_class=type(parser))
    for adding in (_agreement, _error_rate, _queries, _power, _assessors, _perturb, _curves):
        adding(studies)


def _agreement(studies: Any) -> None:
    parser = studies.add_parser(
        "agreement",
        help="do two measures rank the runs in the same order?",
        description="Kendall's tau-b with its p-value and tau_AP between the rankings of runs by every two "
        "measures, and the share of queries for which both rank the runs in the same order.",
    )
    add_files(parser)
    add_outcome(parser, "a heatmap of tau")
    parser.set_defaults(run=run_agreement)


def run_agreement(args: argparse.Namespace) -> int:
    return on_scores(args, "ranking", lambda scores, _: api.study.agreement(scores))


def _error_rate(studies: Any) -> None:
    parser = studies.add_parser(
        "error-rate",
        help="how often does a measure contradict itself?",
        description="Error rate and share of ties over random sets of queries (Buckley and Voorhees 2000).",
    )
    add_files(parser)
    parser.add_argument(
        "--size", type=whole_from(1), metavar="N", help="number of queries in a set (default: half of all)"
    )
    parser.add_argument(
        "--fuzz",
        type=_fuzz,
        metavar="F",
        default=0.05,
        help="relative difference below which runs tie; 0: only equal scores do (default: 0.05)",
    )
    add_chance(parser, 100, "number of sets of queries")
    add_outcome(parser, "error rate against ties")
    parser.set_defaults(run=run_error_rate)


def run_error_rate(args: argparse.Namespace) -> int:
    def study(scores: Any, progress: Any) -> Any:
        return api.study.error_rate(
            scores, size=args.size, trials=args.trials, fuzz=args.fuzz, seed=args.seed, progress=progress
        )

    return on_scores(args, "drawing queries", study)


def _queries(studies: Any) -> None:
    parser = studies.add_parser(
        "queries",
        help="how many queries are needed to trust a difference?",
        description="Swap rates between two disjoint sets of queries, by their size and by the difference of two runs, "
        "and the number of queries needed to trust a difference (Voorhees and Buckley 2002).",
    )
    add_files(parser)
    parser.add_argument(
        "--difference",
        type=_difference,
        metavar="D",
        help="the difference of interest: 0.02, or 10%% of the best mean (default: all)",
    )
    parser.add_argument("--error", type=between, metavar="E", default=0.05, help="accepted error rate (default: 0.05)")
    parser.add_argument(
        "--best", type=_share, metavar="S", default=0.75, help="share of the runs to use, the best ones (default: 0.75)"
    )
    parser.add_argument(
        "--project",
        type=whole_from(1),
        metavar="N",
        action="append",
        help="extrapolate to this number of queries; repeatable",
    )
    add_chance(parser, 100, "number of pairs of sets for every size")
    add_outcome(parser, "error rates by number of queries")
    parser.set_defaults(run=run_queries)


def run_queries(args: argparse.Namespace) -> int:
    def study(scores: Any, progress: Any) -> Any:
        return api.study.queries(
            scores,
            trials=args.trials,
            best=args.best,
            error=args.error,
            difference=args.difference,
            project=args.project,
            seed=args.seed,
            progress=progress,
        )

    return on_scores(args, "drawing queries", study)


def _power(studies: Any) -> None:
    parser = studies.add_parser(
        "power",
        help="how many pairs of runs does a measure distinguish?",
        description="Discriminative power: the share of pairs of runs that differ significantly (Sakai 2006).",
    )
    add_files(parser)
    parser.add_argument(
        "--test",
        type=one_of(TESTS),
        metavar="TEST",
        default="tukey",
        help="significance test, as in compare (default: tukey)",
    )
    parser.add_argument(
        "--correct",
        type=one_of(CORRECTIONS),
        metavar="HOW",
        default="none",
        help="correction, as in compare (default: none)",
    )
    parser.add_argument("--alpha", type=between, metavar="A", default=0.05, help="significance level (default: 0.05)")
    add_chance(parser, None, "number of random assignments", TESTED_TRIALS)
    add_threads(parser)
    add_outcome(parser, "curves of achieved significance levels")
    parser.set_defaults(run=run_power)


def run_power(args: argparse.Namespace) -> int:
    def study(scores: Any, progress: Any) -> Any:
        return api.study.power(
            scores,
            test=args.test,
            correct=args.correct,
            alpha=args.alpha,
            trials=args.trials,
            seed=args.seed,
            jobs=args.threads,
            progress=progress,
        )

    return on_scores(args, "testing", study)


def _assessors(studies: Any) -> None:
    parser = studies.add_parser(
        "assessors",
        help="how much do scores depend on the assessor?",
        description="Rankings and scores under all combinations of assessors, and the agreement of assessors.",
    )
    add_files(parser, saved=False)
    parser.add_argument(
        "--level",
        type=_level,
        metavar="NAME=TAG,TAG",
        action="append",
        help="tags of the elements on which assessors are compared; repeatable (default: section and paragraph)",
    )
    parser.add_argument(
        "--limit",
        type=whole_from(2, MOST_TRIALS),
        metavar="N",
        default=1000,
        help=f"largest number of combinations, at most {MOST_TRIALS} (default: 1000)",
    )
    parser.add_argument(
        "--seed", type=whole_from(0), metavar="N", default=0, help="seed of the random combinations (default: 0)"
    )
    parser.add_argument(
        "--show",
        type=one_of(ASSESSOR_TABLES),
        metavar="|".join(ASSESSOR_TABLES),
        default=ASSESSOR_TABLES[0],
        help=f"what formats other than table and latex contain (default: {ASSESSOR_TABLES[0]})",
    )
    add_outcome(parser, "scores with error bars")
    parser.set_defaults(run=run_assessors)


def run_assessors(args: argparse.Namespace) -> int:
    def study(progress: Any) -> Any:
        levels = None if args.level is None else dict(args.level)
        return api.study.assessors(
            evaluator_from(args),
            runs_of(args, f"partwise study {args.study}"),
            levels=levels,
            limit=args.limit,
            seed=args.seed,
            shows=args.show,
            progress=progress,
        )

    return on_runs(args, "scoring", study)


def _perturb(studies: Any) -> None:
    parser = studies.add_parser(
        "perturb",
        help="how does a measure react to non-relevant results?",
        description="Means after results of an unjudged document are inserted before rank 1, or between ranks 1 and 2.",
    )
    add_files(parser, saved=False)
    parser.add_argument(
        "--count",
        type=whole_from(1),
        metavar="N",
        action="append",
        help="number of results to insert; repeatable (default: ten numbers from 1 to 1000)",
    )
    add_outcome(parser, "means by the number of inserted results")
    parser.set_defaults(run=run_perturb)


def run_perturb(args: argparse.Namespace) -> int:
    def study(progress: Any) -> Any:
        counts = {} if args.count is None else {"counts": args.count}
        return api.study.perturb(
            evaluator_from(args), runs_of(args, f"partwise study {args.study}"), progress=progress, **counts
        )

    return on_runs(args, "scoring", study)


def _curves(studies: Any) -> None:
    parser = studies.add_parser(
        "curves",
        help="points of curves such as precision over recall",
        description="Means over queries as curves: precision over recall, effort-precision over gain-recall, gain over "
        "rank, relevant text over what is read.",
    )
    add_files(parser, saved=False)
    parser.add_argument(
        "--kind",
        type=one_of(CURVES),
        metavar="KIND",
        default=CURVES[0],
        help=f"kind of curve: {', '.join(CURVES)} (default: {CURVES[0]})",
    )
    add_outcome(parser, "the curves")
    parser.set_defaults(run=run_curves)


def run_curves(args: argparse.Namespace) -> int:
    if args.measures is not None or args.task is not None:
        raise PartwiseError(messages.MEASURES_OF_CURVES())

    def study(progress: Any) -> Any:
        args.measures = api.curve_measures(args.kind)[:1]
        return api.study.curves(
            evaluator_from(args), runs_of(args, "partwise study curves"), kind=args.kind, progress=progress
        )

    return on_runs(args, "scoring", study)


def _fuzz(text: str) -> float:
    return 0.0 if text in ("0", "0.0") else between(text)


def _share(text: str) -> float:
    return 1.0 if text in ("1", "1.0") else between(text)


def _difference(text: str) -> float | str:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(messages.NOT_A_DIFFERENCE(value=repr(text)).problem)
    return text if text.endswith("%") else value


def _level(text: str) -> tuple[str, list[str]]:
    name, _, tags = text.partition("=")
    names = [tag for tag in tags.split(",") if tag]
    if not name or not names:
        raise argparse.ArgumentTypeError(messages.NOT_A_LEVEL(value=repr(text)).problem)
    return name, names
