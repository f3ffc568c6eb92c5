"""The types of what users give and of the rows they get back, for annotations and type checkers.

``from partwise.types import RunsInput``. Wherever a path is accepted it may be a string or a `pathlib.Path`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NotRequired, Protocol, TypeAlias, TypedDict

if TYPE_CHECKING:
    from partwise.collection import Collection, Document
    from partwise.measures import Measure
    from partwise.model import Assessments, Run
    from partwise.navigation import Navigation, NavigationGraph

PathInput: TypeAlias = str | os.PathLike[str]


class Frame(Protocol):
    """A pandas or Polars DataFrame or an Arrow table: something with columns."""

    @property
    def columns(self) -> Any: ...


class DocumentMeasure(Protocol):
    """A measure of ir_measures."""

    NAME: Any

    def aggregator(self) -> Any: ...


Row: TypeAlias = Mapping[str, Any]
"""Named cells, as in a JSON Lines file."""
Part: TypeAlias = str | tuple[str, int, int] | Row
"""One result or passage: ``(doc_id, start, end)``, a row, or a document as a whole."""
ByQuery: TypeAlias = Mapping[str, Sequence[Part] | Sequence[Row] | Mapping[str, float] | None]
"""``{query_id: parts}``, or ``{query_id: {doc_id: score or grade}}``."""

RunInput: TypeAlias = "PathInput | Run | ByQuery | Sequence[Row] | Frame"
SeveralRuns: TypeAlias = "Sequence[PathInput | Run | Row | Frame | Sequence[Row]] | Mapping[str, RunInput]"
RunsInput: TypeAlias = "PathInput | Run | ByQuery | Frame | SeveralRuns"
"""One run, several, or ``{run_id: run}``."""
QrelsInput: TypeAlias = "PathInput | Sequence[PathInput] | Assessments | ByQuery | Sequence[Row] | Frame"
MeasureInput: TypeAlias = "str | Measure | type[Measure] | DocumentMeasure"
MeasuresInput: TypeAlias = "MeasureInput | Iterable[MeasureInput]"
CollectionInput: TypeAlias = "PathInput | Collection | Mapping[str, str | Document]"
LengthsInput: TypeAlias = PathInput | Mapping[str, int] | Sequence[Row] | Frame
NavigationInput: TypeAlias = (
    "PathInput | Sequence[PathInput] | Mapping[str, PathInput | Navigation | NavigationGraph | Mapping[str, Any]]"
)
QueriesInput: TypeAlias = PathInput | Mapping[str, str] | Sequence[Row] | Frame
"""What queries ask for: ``{query_id: title}``, or rows with query_id and title."""
RowsInput: TypeAlias = PathInput | Sequence[Row] | Frame
ChunksInput: TypeAlias = Iterable[str | tuple[str | None, str] | Row]

IfAmbiguous = Literal["keep", "first", "skip", "error"]
IfMissing = Literal["keep", "skip", "error"]
Test = Literal["randomisation", "t", "wilcoxon", "tukey"]
Correction = Literal["holm", "bonferroni", "bh", "none"]
Kind = Literal["run", "assessments"]
CheckedTask = Literal["focused", "thorough", "relevant-in-context", "best-in-context", "rag"]
Status = Literal["hit", "near-miss", "miss"]
Severity = Literal["error", "warning", "info"]


class ScoreRow(NamedTuple):
    """One value; the query of a mean is ``all``."""

    run_id: str
    measure: str
    query_id: str
    value: float


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
