"""The options of an evaluation, defined once.

The Python functions, the commands, studies, the report and Spark all build an `Options` and pass it on; the
command-line options are made from its fields (`partwise.cli.options`).
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, Literal, get_args

from partwise.errors import PartwiseError, shown
from partwise.messages import commands
from partwise.parameters import check_choice
from partwise.records import record
from partwise.types import CollectionInput, LengthsInput, NavigationInput, TokenizerInput
from partwise.units import UNITS as UNITS
from partwise.units import Unit as Unit

Task = Literal[
    "focused",
    "thorough",
    "relevant-in-context",
    "best-in-context",
    "relevant-in-context-2009",
    "best-in-context-2009",
    "rag",
    "moments",
    "genomics-2007",
]
AverageOver = Literal["judged", "run"]
Order = Literal["rank", "score"]
RunId = Literal["stem", "tag"]

TASKS: tuple[str, ...] = get_args(Task)

RUN_IDS: tuple[str, ...] = get_args(RunId)


def _described(
    help: str,
    *,
    choices: tuple[str, ...] = (),
    metavar: str | None = None,
    repeatable: bool = False,
    at_most: int | None = None,
) -> dict[str, Any]:
    """The metadata from which the command line makes an option; `at_most` limits a whole number."""
    return {
        "help": help,
        "choices": choices,
        "metavar": metavar or "|".join(choices),
        "repeatable": repeatable,
        "at_most": at_most,
    }


@record(kw_only=True)
class Options:
    """The options of an evaluation besides assessments, runs and measures.

    `lengths`, `collection` and `navigation` are paths or objects, as the user passes them. A value that is not among
    the choices of its option is an error.
    """

    task: Task | None = field(
        default=None,
        metadata=_described("report the measures of a task: " + ", ".join(TASKS), choices=TASKS, metavar="TASK"),
    )
    average_over: AverageOver = field(
        default="judged",
        metadata=_described(
            "average over all judged queries (default; without results they score 0) or over the queries of the run",
            choices=get_args(AverageOver),
        ),
    )
    order: Order | None = field(
        default=None,
        metadata=_described(
            "order results by this column (default: as the format orders them)", choices=get_args(Order)
        ),
    )
    unit: Unit | None = field(
        default=None,
        metadata=_described(
            "what offsets and measures count: characters (default), UTF-8 bytes, UTF-16 units, tokens, lines or "
            "seconds; files that declare another unit are converted through the texts of the collection",
            choices=UNITS,
        ),
    )
    tokenizer: TokenizerInput | None = field(
        default=None,
        metadata=_described(
            "with --unit tokens: count tokens of this kind in files whose offsets are in characters; words, a "
            "tokenizer.json file, an encoding of tiktoken, or a name that a package registers",
            metavar="NAME",
        ),
    )
    assessor: str | None = field(
        default=None,
        metadata=_described(
            "use the judgements of this assessor if a query has several (default: the first)", metavar="NAME"
        ),
    )
    lengths: LengthsInput | None = field(
        default=None, metadata=_described("file of document lengths, with columns doc_id and length", metavar="FILE")
    )
    collection: CollectionInput | None = field(
        default=None,
        metadata=_described(
            "the documents, needed for elements: a folder, an archive, JSON Lines or an index",
            metavar="DOCS",
        ),
    )
    navigation: NavigationInput | None = field(
        default=None,
        metadata=_described(
            "file of a learned navigation model; measures use its name without suffix; repeatable",
            metavar="FILE",
            repeatable=True,
        ),
    )
    run_id: RunId = field(
        default="stem",
        metadata=_described("name a run after its file (default) or by its run column", choices=RUN_IDS),
    )
    lenient: bool = field(default=False, metadata=_described("skip bad lines and report their number"))
    jobs: int | None = field(
        default=None,
        metadata=_described(
            "number of threads (default: one per core, or one for a report without documents)",
            metavar="N",
            at_most=4096,
        ),
    )

    def __post_init__(self) -> None:
        for name, option in FIELDS.items():
            value = getattr(self, name)
            may_be_none = option.default is None and value is None
            if option.metadata["choices"] and not may_be_none:
                check_choice(name, value, option.metadata["choices"])
        if not isinstance(self.lenient, bool) and str(getattr(self.lenient, "dtype", "")) != "bool":
            check_choice("lenient", shown(self.lenient), ("True", "False"))
        if self.tokenizer is not None and self.unit != "tokens":
            raise PartwiseError(commands.TOKENIZER_WITHOUT_TOKENS())
        jobs = self.jobs
        if jobs is not None and (not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1):
            raise PartwiseError(commands.MUST_BE_WHOLE(name="jobs", value=shown(jobs), least=1))

    @property
    def file_unit(self) -> Unit | None:
        """What the offsets of files count that do not declare a unit; None if the user does not say so.

        A tokenizer is given to count tokens of texts: such offsets are then in characters.
        """
        return "chars" if self.tokenizer is not None else self.unit

    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        changed = {}
        for name, option in FIELDS.items():
            value, default = getattr(self, name), option.default
            if value is not default and (default is None or value != default):
                changed[name] = value
        return changed


FIELDS = {option.name: option for option in fields(Options)}
"""The options by name, in the order in which the help lists them."""
