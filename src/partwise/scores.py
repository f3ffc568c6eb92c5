"""The outcome of an evaluation: values, means and notes.

NumPy is not imported, because a command that only prints help or saved scores does not need it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from partwise.errors import one_line
from partwise.messages import Note
from partwise.messages import scores as messages
from partwise.provenance import Provenance
from partwise.types import MeasureKind, ScoreRow, UnscoredRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

ALL = "all"
COLUMNS = ScoreRow._fields
VALUE = "value"
CHARS = "chars"
"""The unit that is not mentioned."""


class Block:
    """The values of one measure for one run, and their aggregate (the mean, unless the measure defines another)."""

    def __init__(
        self,
        run_id: str,
        measure: str,
        queries: Sequence[str],
        values: list[float] | NDArray[np.float64],
        aggregate: float,
    ) -> None:
        self.run_id = run_id
        self.measure = measure
        self.queries = queries
        self.aggregate = aggregate
        self._values = values

    @property
    def values(self) -> NDArray[np.float64]:
        """A value per query."""
        if isinstance(self._values, list):
            import numpy as np

            self._values = np.array(self._values, np.float64)
        return self._values

    def by_query(self) -> Iterator[tuple[str, float]]:
        """Queries and their values."""
        values = self._values
        return zip(self.queries, values if isinstance(values, list) else values.tolist(), strict=True)


ENOUGH_JUDGED = 0.9
JUDGED_DEPTH = 10


class Scores:
    """The outcome of an evaluation: a value per run, measure and query.

    `judged` is the number of judged queries, `notes` are warnings about the inputs. `unscored` has a row
    ``(run_id, measure, reason)`` for each run and measure that cannot be scored, and so has no values. `provenance` is
    where the scores come from, None if that is not known. `kinds` says what each measure scores: documents, text or
    parts. `unit` is what offsets and sizes count, for tokens with their tokenizer: ``tokens(words)``.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        judged: int,
        notes: Sequence[str] = (),
        unscored: Sequence[UnscoredRow] = (),
        provenance: Provenance | None = None,
        kinds: Mapping[str, MeasureKind] | None = None,
        unit: str = CHARS,
    ) -> None:
        self.blocks = blocks
        self.judged = judged
        self.notes = notes
        self.unscored = unscored
        self.provenance = provenance
        self.kinds = kinds or {}
        self.unit = unit
        self.judged_text: Mapping[str, float] = {}
        """TextJudged@10 of each run, where text or parts are scored and it is known."""
        self.official: Mapping[str, str] = {}
        """What measures are called where they come from, by our names, if they are those of a task."""

    @property
    def run_ids(self) -> list[str]:
        return list(dict.fromkeys(block.run_id for block in self.blocks))

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(block.measure for block in self.blocks))

    def mean(self) -> dict[str, dict[str, float]]:
        """``{run_id: {measure: mean over the queries scored}}``."""
        means: dict[str, dict[str, float]] = {}
        for block in self.blocks:
            means.setdefault(block.run_id, {})[block.measure] = block.aggregate
        return means

    def per_query(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{run_id: {measure: {query_id: value}}}``."""
        queries: dict[str, dict[str, dict[str, float]]] = {}
        for block in self.blocks:
            queries.setdefault(block.run_id, {})[block.measure] = dict(block.by_query())
        return queries

    def rows(self, queries: bool = True, mean: bool = False) -> Iterator[ScoreRow]:
        """Rows ``(run_id, measure, query_id, value)``; the mean has the query id ``all``."""
        for block in self.blocks:
            if queries:
                for query, value in block.by_query():
                    yield ScoreRow(block.run_id, block.measure, query, value)
            if mean:
                yield ScoreRow(block.run_id, block.measure, ALL, block.aggregate)

    @property
    def common_cells(self) -> dict[str, str]:
        """The columns that have the same cell in every row: the unit, where it is not characters."""
        return {} if self.unit == CHARS else {"unit": _as_unicode(self.unit)}

    def columns(self, queries: bool = True, mean: bool = False) -> dict[str, list[Any]]:
        rows = [tuple(map(_as_unicode, row)) for row in self.rows(queries, mean)]
        columns = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
        return columns | {name: [cell] * len(rows) for name, cell in self.common_cells.items()}

    def to_arrow(self, queries: bool = True, mean: bool = False) -> pyarrow.Table:
        import pyarrow as pa

        columns = self.columns(queries, mean)
        schema = pa.schema([(name, pa.float64() if name == VALUE else pa.string()) for name in columns])
        return pa.table(columns, schema=schema)

    def to_pandas(self, queries: bool = True, mean: bool = False) -> pandas.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.columns(queries, mean))

    def to_polars(self, queries: bool = True, mean: bool = False) -> polars.DataFrame:
        import polars as pl

        columns = self.columns(queries, mean)
        return pl.DataFrame(columns, schema={name: pl.Float64 if name == VALUE else pl.String for name in columns})

    def usual_count(self) -> int:
        """The number of queries scored that most runs and measures have."""
        counts = Counter(len(block.queries) for block in self.blocks)
        return counts.most_common(1)[0][0] if counts else 0

    def summary(self) -> list[str]:
        """How many judged queries were scored; then the measures and runs for which the number differs."""
        counts = {(block.run_id, block.measure): len(block.queries) for block in self.blocks}
        runs: dict[tuple[str, int], list[str]] = {}
        usual = self.usual_count()
        for (run, measure), count in counts.items():
            if count != usual:
                runs.setdefault((measure, count), []).append(run)
        others = [
            messages.SCORED_OTHERWISE.note(measure=measure, runs=", ".join(names), count=count, judged=self.judged)
            for (measure, count), names in runs.items()
        ]
        return [messages.SCORED.note(count=usual, judged=self.judged), *others]

    def unjudged_text(self) -> list[str]:
        """Lines on the runs of which much of the text is in documents that nobody judged."""
        low = {run_id: share for run_id, share in self.judged_text.items() if share < ENOUGH_JUDGED}
        if len(low) > 3:
            shares = sorted(round(100 * (1 - share)) for share in low.values())
            values = {"lowest": shares[0], "highest": shares[-1], "depth": JUDGED_DEPTH}
            return [messages.UNJUDGED_TEXT_OF_RUNS.note(count=len(low), **values)]
        of_run = len(self.run_ids) > 1
        return [
            messages.UNJUDGED_TEXT.note(
                run=f"{run_id}: " if of_run else "", percent=round(100 * (1 - share)), depth=JUDGED_DEPTH
            )
            for run_id, share in low.items()
        ]

    def official_names(self) -> list[str]:
        """What the measures of a task are called where they come from, in a line; none if there is no such task."""
        names = [f"{ours} is {theirs}" for ours, theirs in self.official.items() if ours in self.measures]
        return [messages.OFFICIAL_NAMES.note(names=", ".join(names))] if names else []

    def __repr__(self) -> str:
        counted = "" if self.unit == CHARS else f", in {self.unit}"
        lines = [f"Scores of {len(self.run_ids)} runs, {len(self.measures)} measures{counted}"]
        lines += [f"  {b.run_id}  {b.measure}  {b.aggregate:.4f}" for b in self.blocks[:20]]
        if len(self.blocks) > 20:
            lines.append(f"  … {len(self.blocks) - 20} more")
        lines += [f"  {line}" for line in [*self.summary(), *self.notes]]
        return "\n".join(map(one_line, lines))


def _as_unicode(cell: Any) -> Any:
    """A cell for data frames, which hold no lone surrogates: they become escapes."""
    return cell if not isinstance(cell, str) or cell.isascii() else cell.encode("utf-8", "backslashreplace").decode()


# ---- notes --------------------------------------------------------------------------------------------------

_NOTES = {
    "without results": messages.WITHOUT_RESULTS,
    "unjudged": messages.UNJUDGED,
    "repeated": messages.REPEATED,
    "past the end": messages.PAST_END,
    "splitting": messages.SPLITTING,
    "interleaved": messages.INTERLEAVED,
    "similar": messages.SIMILAR_IDS,
}
_ORDERS = {
    "ranks": (messages.RANKS_REVERSED, messages.RANKS_CONTRADICT),
    "rows": (messages.ROWS_REVERSED, None),
    "scores": (messages.SCORES_REVERSED, messages.SCORES_CONTRADICT),
}
"""Notes for a column that says the opposite of the order everywhere, and somewhere."""
_CLEARLY = 4
"""The number of neighbours in the opposite order from which this is no coincidence, if none are in the same."""


def note_about(name: str, note: str) -> Note:
    """The note with the name of the run or file that it is about."""
    return (note if isinstance(note, Note) else Note.of("", note)).on(name)


def notes_of_run(run_id: str, counts: Mapping[str, int], earlier: Sequence[str] = ()) -> list[str]:
    """The notes about a run: those from reading it, then those that follow from the counts of its batches."""
    notes: list[str] = [message.note(count=counts[name]) for name, message in _NOTES.items() if counts.get(name)]
    if counts.get("results") and not counts.get("judged results") and not counts.get("similar"):
        notes.append(messages.NO_DOCUMENT_JUDGED.note())
    for name, (reversed_order, contradiction) in _ORDERS.items():
        opposed = counts.get(f"{name} opposed", 0)
        if opposed >= _CLEARLY and not counts.get(f"{name} agreed"):
            notes.append(reversed_order.note())
        elif opposed and contradiction is not None:
            notes.append(contradiction.note(count=opposed))
    return [note_about(run_id, note) for note in (*earlier, *notes)]


def notes_on_unscored(run_id: str, unscored: Iterable[tuple[str, object]]) -> list[str]:
    """A note per reason, with the measures that cannot be scored for it."""
    measures: dict[str, tuple[object, list[str]]] = {}
    for measure, reason in unscored:
        measures.setdefault(str(reason), (reason, []))[1].append(measure)
    return [
        messages.CANNOT_SCORE.note(measures=", ".join(names), reason=reason).on(run_id)
        for reason, names in measures.values()
    ]


def note_of_no_query(run_id: str, measure: str) -> str:
    return note_about(run_id, messages.NOTHING_TO_SCORE.note(measure=measure))


def notes_of_assessments(name: str, past_end: int, splitting: int) -> list[str]:
    """Notes about highlighted passages that reach past the end of their document, or start or end in a character."""
    counts = {messages.PASSAGES_PAST_END: past_end, messages.PASSAGES_SPLITTING: splitting}
    return [note_about(name, message.note(count=count)) for message, count in counts.items() if count]


def notes_on_documents(name: str, unknown: int, unreadable: Sequence[object], misplaced: Sequence[object]) -> list[str]:
    """Notes about judged documents that the collection lacks or that cannot be read, and texts elsewhere in it."""
    notes = [messages.JUDGED_UNKNOWN.note(count=unknown)] if unknown else []
    for message, errors in ((messages.JUDGED_UNREADABLE, unreadable), (messages.ELSEWHERE, misplaced)):
        notes += [message.note(count=len(errors), first=errors[0])] if errors else []
    return [note.on(name) for note in notes]
