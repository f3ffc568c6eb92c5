"""The types of what users give and of the rows they get back, for annotations and type checkers.

``from partwise.types import RunsInput``. Wherever a path is accepted it may be a string or a `pathlib.Path`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NotRequired, Protocol, TypeAlias, TypedDict, get_args

if TYPE_CHECKING:
    from partwise.collection import Collection, Document
    from partwise.measures import Measure
    from partwise.model import Assessments, Run
    from partwise.navigation import Navigation, NavigationGraph
    from partwise.tokens import Tokenizer

PathInput: TypeAlias = str | os.PathLike[str]


class Frame(Protocol):
    """A pandas or Polars DataFrame or an Arrow table: something with columns."""

    @property
    def columns(self) -> Any: ...


class DocumentMeasure(Protocol):
    """A measure of ir_measures."""

    NAME: Any

    def aggregator(self) -> Any: ...


class DictObject(Protocol):
    """A ``Run`` or ``Qrels`` of ranx: ``{query_id: {doc_id: score or grade}}`` in an object."""

    def to_dict(self) -> Any: ...


NamedTuples: TypeAlias = "Iterator[tuple[Any, ...]] | Sequence[tuple[Any, ...]]"
"""Named tuples, such as ``Qrel`` and ``ScoredDoc`` of ir_measures, in a list or from a generator."""
Row: TypeAlias = Mapping[str, Any]
"""Named cells, as in a JSON Lines file."""
Part: TypeAlias = str | tuple[str, int, int] | Row
"""One result or passage: ``(doc_id, start, end)``, a row, or a document as a whole."""
QueryResults: TypeAlias = Sequence[Part] | Sequence[Row] | Mapping[str, float] | None
"""The parts of one query, or ``{doc_id: score or grade}``."""
ByQuery: TypeAlias = Mapping[str, QueryResults]
"""``{query_id: parts}``, or ``{query_id: {doc_id: score or grade}}``."""

RunInput: TypeAlias = "PathInput | Run | ByQuery | Sequence[Row] | Frame | NamedTuples | DictObject"
SeveralRuns: TypeAlias = (
    "Sequence[PathInput | Run | Row | tuple[Any, ...] | Frame | DictObject | Sequence[Row]] | Mapping[str, RunInput]"
)
RunsInput: TypeAlias = "PathInput | Run | ByQuery | Frame | Iterator[tuple[Any, ...]] | DictObject | SeveralRuns"
"""One run, several, or ``{run_id: run}``."""
ScoresInput: TypeAlias = PathInput | Sequence[PathInput] | Mapping[str, PathInput]
"""One file of saved scores, several, or ``{run_id: file}``."""
QrelsInput: TypeAlias = (
    "PathInput | Sequence[PathInput] | Assessments | ByQuery | Sequence[Row] | Frame | NamedTuples | DictObject"
)
MeasureInput: TypeAlias = "str | Measure | type[Measure] | DocumentMeasure"
MeasuresInput: TypeAlias = "MeasureInput | Iterable[MeasureInput]"
CollectionInput: TypeAlias = "PathInput | Collection | Mapping[str, str | Document]"
LengthsInput: TypeAlias = PathInput | Mapping[str, int] | Sequence[Row] | Frame
NavigationInput: TypeAlias = (
    "PathInput | Sequence[PathInput] | Mapping[str, PathInput | Navigation | NavigationGraph | Mapping[str, Any]]"
)
TokenizerInput: TypeAlias = "PathInput | Callable[[str], Iterable[tuple[int, int]]] | Tokenizer"
"""The name of a tokenizer, a file, or a function that returns the start and end of each token of a text."""
QueriesInput: TypeAlias = PathInput | Mapping[str, str] | Sequence[Row] | Frame
"""What queries ask for: ``{query_id: title}``, or rows with query_id and title."""
LimitsInput: TypeAlias = Mapping[str, float | str]
"""Limits of a gate by measure, or by ``slice: measure``."""
RowsInput: TypeAlias = PathInput | Sequence[Row] | Frame
AllChunksInput: TypeAlias = "PathInput | Run | Sequence[Row] | Mapping[str, Sequence[tuple[int, int]]] | Frame"
"""All chunks of a system: rows with a document and a place, or ``{doc_id: [(start, end), ...]}``."""
ChunksInput: TypeAlias = Iterable[str | tuple[str | None, str] | Row]

# Each list of choices is written here once: for type checkers, and as a tuple for the code and the command line.
IfAmbiguous = Literal["keep", "first", "skip", "error"]
IF_AMBIGUOUS: tuple[IfAmbiguous, ...] = get_args(IfAmbiguous)
IfMissing = Literal["keep", "skip", "error"]
IF_MISSING: tuple[IfMissing, ...] = get_args(IfMissing)
Match = Literal["exact", "whitespace", "normalised", "casefolded", "markup", "ellipsis", "fuzzy"]
"""Readings of a text, the strictest first; as a choice it is the loosest that is allowed."""
MATCHES: tuple[Match, ...] = get_args(Match)
Test = Literal["randomisation", "t", "wilcoxon", "tukey"]
MOST_TRIALS = 10_000_000
"""The largest number of random trials, sets or combinations that a comparison or a study draws on request."""
TESTS: tuple[Test, ...] = get_args(Test)
Correction = Literal["holm", "bonferroni", "bh", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
Curve = Literal["recall-precision", "effort-precision", "gain", "normalised-gain", "budget", "budget-precision"]
CURVES: tuple[Curve, ...] = get_args(Curve)
AssessorTable = Literal["ranking", "spread", "agreement"]
ASSESSOR_TABLES: tuple[AssessorTable, ...] = get_args(AssessorTable)
Kind = Literal["run", "assessments"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MeasureKind = Literal["documents", "text", "parts"]
MEASURE_KINDS: tuple[MeasureKind, ...] = get_args(MeasureKind)
Grouping = Literal["tag", "path"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
CheckedTask = Literal["focused", "thorough", "relevant-in-context", "best-in-context", "rag"]
CHECKED_TASKS: tuple[CheckedTask, ...] = get_args(CheckedTask)
ScoreFormat = Literal["tsv", "jsonl", "csv", "parquet", "trec"]
SCORE_FORMATS: tuple[ScoreFormat, ...] = get_args(ScoreFormat)
PlaceOfProvenance = Literal["file", "head", "none"]
PLACES_OF_PROVENANCE: tuple[PlaceOfProvenance, ...] = get_args(PlaceOfProvenance)
Status = Literal["hit", "near-miss", "miss"]
STATUSES: tuple[Status, ...] = get_args(Status)
Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


class ScoreRow(NamedTuple):
    """One value; the query of a mean is ``all``."""

    run_id: str
    measure: str
    query_id: str
    value: float


class SliceRow(NamedTuple):
    """One value of a slice, with the number of queries that are scored in it."""

    slice: str
    queries: int
    run_id: str
    measure: str
    query_id: str
    value: float


class UnscoredRow(NamedTuple):
    """A run and a measure that cannot be scored, and the reason as an error line."""

    run_id: str
    measure: str
    reason: str


class MeasureRow(NamedTuple):
    """A measure as `partwise measures` lists it."""

    name: str
    parameters: str
    meaning: str
    paper: str


class FindingRow(TypedDict):
    """A finding of `check`, with its first example."""

    severity: Severity
    rule: str
    count: int
    file: str
    run_id: str
    example: str


class IdealRow(TypedDict):
    """An element of the ideal recall base."""

    query_id: str
    doc_id: str
    path: str
    value: float


class TreeRow(TypedDict):
    """An element of a document; with assessments its grades, with a run the first rank that returns it (or "")."""

    path: str
    size: int
    e: NotRequired[float]
    s: NotRequired[float]
    value: NotRequired[float]
    ideal: NotRequired[str]
    rank: NotRequired[int | Literal[""]]


class JudgedElement(TypedDict):
    """The grades of an element on the unit scale, its value, and whether it is ideal (``ideal`` or "")."""

    e: float
    s: float
    value: float
    ideal: str


ExplainedRow = TypedDict(
    "ExplainedRow",
    {
        "doc_id": str,
        "part": str,
        "status": Status,
        "rank": int | Literal[""],
        "rel": float,
        "seen": float,
        "gain": float,
        "from_rank": int | Literal[""],
        "from": str,
        "probability": float | Literal[""],
        "again": str,
    },
)
"""What became of a relevant part, as `explain` reports it; "" where there is nothing to report."""


FoundRow = TypedDict(
    "FoundRow",
    {
        "nugget": str,
        "doc_id": str,
        "part": str,
        "status": Status,
        "rank": int | Literal[""],
        "grade": int,
        "share": float,
        "from_rank": int | Literal[""],
        "from": str,
        "again": str,
        "alternatives": int,
        "set": str,
    },
)
"""What became of a nugget or a gold passage, as `explain` with a measure reports it; "" where there is nothing."""
