"""What an evaluation is asked with, written once.

The Python functions, the commands, studies, the report and Spark build one `Options` and pass it on; the command line's
options are made from its fields (`partwise.cli.options`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from partwise.errors import PartwiseError, shown
from partwise.parameters import check_choice
from partwise.types import CollectionInput, LengthsInput, NavigationInput

Task = Literal[
    "focused",
    "thorough",
    "relevant-in-context",
    "best-in-context",
    "relevant-in-context-2009",
    "best-in-context-2009",
    "rag",
]
AverageOver = Literal["judged", "run"]
Order = Literal["rank", "score"]
Unit = Literal["chars", "bytes"]
RunId = Literal["stem", "tag"]

TASKS: tuple[str, ...] = get_args(Task)
UNITS: tuple[str, ...] = get_args(Unit)
RUN_IDS: tuple[str, ...] = get_args(RunId)


def _described(
    help: str,
    *,
    choices: tuple[str, ...] = (),
    metavar: str | None = None,
    repeatable: bool = False,
    at_most: int | None = None,
) -> dict[str, Any]:
    """What a command line must know about a field; `at_most` is for whole numbers."""
    return {
        "help": help,
        "choices": choices,
        "metavar": metavar or "|".join(choices),
        "repeatable": repeatable,
        "at_most": at_most,
    }


@dataclass(frozen=True, kw_only=True)
class Options:
    """What an evaluation is asked with, besides assessments, runs and measures.

    `lengths`, `collection` and `navigation` are what a user gives: paths or objects. A value that is not among the
    choices is an error as soon as the options are made.
    """

    task: Task | None = field(
        default=None, metadata=_described("ready sets: " + ", ".join(TASKS), choices=TASKS, metavar="TASK")
    )
    average_over: AverageOver = field(
        default="judged",
        metadata=_described(
            "average over all judged queries (one without results scores 0), or over those the run has",
            choices=get_args(AverageOver),
        ),
    )
    order: Order | None = field(
        default=None, metadata=_described("order results by this column", choices=get_args(Order))
    )
    unit: Unit = field(
        default="chars", metadata=_described("what offsets count, in assessments and runs alike", choices=UNITS)
    )
    assessor: str | None = field(
        default=None, metadata=_described("use this assessor's judgements where there are several", metavar="NAME")
    )
    lengths: LengthsInput | None = field(
        default=None, metadata=_described("document lengths, in columns doc_id and length", metavar="FILE")
    )
    collection: CollectionInput | None = field(
        default=None,
        metadata=_described(
            "the documents: a folder, an archive, JSON Lines or a stored index; for elements and their measures",
            metavar="DOCS",
        ),
    )
    navigation: NavigationInput | None = field(
        default=None,
        metadata=_described(
            "a learned navigation model, known to measures by the stem of its file; repeatable",
            metavar="FILE",
            repeatable=True,
        ),
    )
    run_id: RunId = field(
        default="stem", metadata=_described("name a run after its file, or by its run column", choices=RUN_IDS)
    )
    lenient: bool = field(default=False, metadata=_described("skip bad lines, count them and say so"))
    jobs: int | None = field(
        default=None,
        metadata=_described(
            "threads to work in (by default one per core; for measures of elements, where more do not help, one)",
            metavar="N",
            at_most=4096,
        ),
    )

    def __post_init__(self) -> None:
        for name, of_option in FIELDS.items():
            value = getattr(self, name)
            may_be_none = of_option.default is None and value is None
            if of_option.metadata["choices"] and not may_be_none:
                check_choice(name, value, of_option.metadata["choices"])
        jobs = self.jobs
        if jobs is not None and (not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1):
            raise PartwiseError(f"jobs is {shown(jobs)}", "it must be a whole number from 1")

    def given(self) -> dict[str, Any]:
        """The options that are not left at their defaults."""
        found = {}
        for name, of_option in FIELDS.items():
            value, default = getattr(self, name), of_option.default
            if value is not default and (default is None or value != default):
                found[name] = value
        return found


FIELDS = {of_option.name: of_option for of_option in fields(Options)}
"""The options by name, in the order in which help shows them."""
