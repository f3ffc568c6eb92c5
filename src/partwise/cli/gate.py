"""``partwise gate``: may a change be merged?"""

from __future__ import annotations

import argparse
import os
from typing import Any

from partwise.cli import output
from partwise.cli.comparing import whole_from
from partwise.cli.evaluate import add_output, add_slices, check_slices
from partwise.cli.options import INPUTS, add_options, add_reading, options_from
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.files import encoded
from partwise.later import api
from partwise.messages import commands as command_messages
from partwise.messages import files as file_messages
from partwise.messages import gate as messages
from partwise.outputs import together, write_bytes

FORMATS = output.TABLE_FORMATS
RULES = {
    "floor": "fail if the mean is worse than this, PartHit@5=0.8",
    "max-drop": "fail if the mean is worse than that of the baseline by more than this, TextR@5=0.01 or TextR@5=2%%",
    "no-loss": "fail if a loss is significant at this level (one-sided randomisation test), TextR@5=0.05",
}
"""The kinds of rules; each is an option."""
SUMMARY = "GITHUB_STEP_SUMMARY"
MUST_NOT_BE_MERGED = 1


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="check whether a change may be merged: floors, maximal drops, no significant loss",
        description="Check rules on the scores of a change, and on how they differ from those of a baseline, and print "
        "why. Exit code 0: it may be merged; 1: it must not be; 2: the rules or files cannot be used. Rules may also "
        "be in partwise.toml, or in [tool.partwise.gate] of pyproject.toml. In GitHub Actions the result is added to "
        "the summary of the job.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="BASELINE CHANGE: scores per query saved earlier (partwise evaluate -q -o FILE); or QRELS BASELINE "
        "CHANGE: assessments and two runs. For floors the baseline may be left out",
    )
    for kind, meaning in RULES.items():
        parser.add_argument(
            f"--{kind}",
            dest=kind,
            metavar="RULE",
            action="append",
            default=[],
            help=f"{meaning}; for a slice 'wiki: TextR@5=...', for every slice '*: TextR@5=...'; repeatable",
        )
    parser.add_argument(
        "--rules", metavar="FILE", help="a TOML file with more rules (default: partwise.toml or pyproject.toml here)"
    )
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help="slices for rules about slices: a column of --queries; with runs also grade, nugget or doc:PATTERN",
    )
    add_slices(parser)
    parser.add_argument("--junit", metavar="FILE", help="also write JUnit XML, with a test case per rule")
    parser.add_argument("--json", metavar="FILE", help="also write everything as one JSON object")
    parser.add_argument(
        "--seed", type=whole_from(0), metavar="N", default=0, help="seed of the random numbers (default: 0)"
    )
    parser.add_argument(
        "--mix", action="store_true", help="accept saved scores of other assessments, units, assessors or averages"
    )
    add_output(parser, FORMATS)
    add_options(parser, INPUTS)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    format = output.chosen_format(args.format, args.output, FORMATS, args.safe_csv)
    check_slices(args)
    rules = api.rules_from({kind: getattr(args, kind) for kind in RULES}, args.rules)
    options = {"by": args.by, "bins": args.bins}
    if api.holds_scores(args.files[0]):
        for option in options_from(args).given():
            if option != "lenient":
                raise PartwiseError(command_messages.OPTION_WITH_SCORES(name=f"--{option.replace('_', '-')}"))
        if len(args.files) > 2:
            raise PartwiseError(messages.FILES(count=len(args.files)))
        scores = api.scores_to_gate(args.files, args.mix, args.lenient)
        options["queries"] = args.queries
    else:
        scores, rules = _evaluated(args, rules)
    result = api.checked_gate(*scores, rules, **options, seed=args.seed)
    for note in result.notes:
        print_stderr(f"note: {note}")
    on_terminal = output.to_terminal(args.output)
    text = output.findings(result, format, args.places, on_terminal, args.safe_csv)
    with together():
        if args.junit is not None:
            write_bytes(args.junit, encoded(result.junit()))
        if args.json is not None:
            write_bytes(args.json, _json(result.to_dict()))
        output.write(text, args.output, format)
    if format != "table":
        print_stderr(result.summary)
    if os.environ.get(SUMMARY):
        _append(os.environ[SUMMARY], encoded(result.markdown()))
    return 0 if result.passed else MUST_NOT_BE_MERGED


def _evaluated(args: argparse.Namespace, rules: Any) -> tuple[Any, Any]:
    """The scores of the runs of a baseline and a change, by the measures of the rules."""
    qrels, *runs = args.files
    if args.mix:
        raise PartwiseError(command_messages.MIX_WITHOUT_SCORES())
    if len(runs) not in (1, 2):
        raise PartwiseError(messages.FILES(count=len(args.files)))
    measures = list(dict.fromkeys(rule.measure for rule in rules))
    evaluator = api.Evaluator.from_options(qrels, measures, options_from(args))
    scores = []
    with progress_bar("scoring") as progress:
        for path in runs:
            sliced = {"queries": args.queries, "by": args.by, "bins": args.bins}
            scores.append(evaluator.evaluate(path, progress=progress, **sliced))
    return ([None, *scores] if len(scores) == 1 else scores), api.with_names(rules, evaluator)


def _json(content: Any) -> bytes:
    import json

    return encoded(json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def _append(path: str, content: bytes) -> None:
    try:
        with open(path, "ab") as file:
            file.write(content)
    except OSError as error:
        raise PartwiseError(file_messages.CANNOT_WRITE(reason=error.strerror or error), file=path) from None
