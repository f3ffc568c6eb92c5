"""The outcome of an evaluation: values, means and notes.

NumPy is not imported, because a command that only prints help or saved scores does not need it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from partwise import slices
from partwise.errors import PartwiseError, one_line, shown
from partwise.messages import Note
from partwise.messages import scores as messages
from partwise.messages import slices as slice_messages
from partwise.provenance import Provenance
from partwise.slices import ALL as ALL
from partwise.slices import Groups, QueryColumns
from partwise.types import MeasureKind, ScoreRow, SliceRow, UnscoredRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

COLUMNS = ScoreRow._fields
CHARS = "chars"
"""The unit that is not mentioned."""


def mean_of(values: Sequence[float]) -> float:
    """The mean of values, 0 if there are none."""
    import math

    return math.fsum(values) / len(values) if values else 0.0


class Block:
    """The values of one measure for one run, and their aggregate (the mean, unless the measure defines another)."""

    def __init__(
        self,
        run_id: str,
        measure: str,
        queries: Sequence[str],
        values: list[float] | NDArray[np.float64],
        aggregate: float,
        aggregated: Callable[[list[float]], float] = mean_of,
    ) -> None:
        """`aggregated` computes the aggregate of some of the queries."""
        self.run_id = run_id
        self.measure = measure
        self.queries = queries
        self.aggregate = aggregate
        self.aggregated = aggregated
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

    def sliced(self, slices: Iterable[Sequence[str]]) -> Iterator[Block]:
        """The values of each slice, and their aggregate, in which missing values (NaN) do not count."""
        value_of = dict(self.by_query())
        for of_slice in slices:
            queries = [query for query in of_slice if query in value_of]
            values = [value_of[query] for query in queries]
            present = [value for value in values if value == value]
            aggregate = self.aggregated(present) if present else 0.0
            yield Block(self.run_id, self.measure, queries, values, aggregate, self.aggregated)


ENOUGH_JUDGED = 0.9
JUDGED_DEPTH = 10


class Tabular:
    """Rows of named cells as data frames."""

    fields: tuple[str, ...]
    """The names of the columns."""

    def rows(self, queries: bool = True, mean: bool = False) -> Iterator[tuple[Any, ...]]:
        raise NotImplementedError

    @property
    def common_cells(self) -> dict[str, str]:
        """Further columns that have the same cell in every row: the unit, where it is not characters."""
        raise NotImplementedError

    def columns(self, queries: bool = True, mean: bool = False) -> dict[str, list[Any]]:
        rows = [tuple(map(_as_unicode, row)) for row in self.rows(queries, mean)]
        columns = {name: [row[i] for row in rows] for i, name in enumerate(self.fields)}
        return columns | {name: [cell] * len(rows) for name, cell in self.common_cells.items()}

    def to_arrow(self, queries: bool = True, mean: bool = False) -> pyarrow.Table:
        import pyarrow as pa

        types = {"value": pa.float64(), "queries": pa.int64()}
        columns = self.columns(queries, mean)
        return pa.table(columns, schema=pa.schema([(name, types.get(name, pa.string())) for name in columns]))

    def to_pandas(self, queries: bool = True, mean: bool = False) -> pandas.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.columns(queries, mean))

    def to_polars(self, queries: bool = True, mean: bool = False) -> polars.DataFrame:
        import polars as pl

        types = {"value": pl.Float64, "queries": pl.Int64}
        columns = self.columns(queries, mean)
        return pl.DataFrame(columns, schema={name: types.get(name, pl.String) for name in columns})


class Scores(Tabular):
    """The outcome of an evaluation: a value per run, measure and query.

    `judged` is the number of judged queries, `notes` are warnings about the inputs. `unscored` has a row
    ``(run_id, measure, reason)`` for each run and measure that cannot be scored, and so has no values. `provenance` is
    where the scores come from, None if that is not known. `kinds` says what each measure scores: documents, text or
    parts. `query_columns` are the columns of the queries, `slices` those that were asked for. `unit` is what offsets
    and sizes count, for tokens with their tokenizer: ``tokens(words)``.
    """

    fields = COLUMNS

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
        self.query_columns: QueryColumns = {}
        """The columns of the queries by which they can be sliced, if the queries are given."""
        self.slices: Slices | None = None
        """The slices that were asked for, if any."""
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
        return {} if self.unit == CHARS else {"unit": _as_unicode(self.unit)}

    def by(self, by: str | Mapping[str, Any], *, bins: int | None = None) -> Slices:
        """The scores of slices: queries that share a value.

        `by` is a column of the queries, if the scores have them (``queries=`` of `evaluate` and `read_scores`), or a
        mapping of query ids to values. A query with several values, in a list, counts in the slice of each. Numbers
        with more than ten different values are put into four bins, or into `bins`, that end at quantiles.

        Slices of the gold need the runs: pass ``by="grade"`` to `evaluate`, and the same here.
        """
        if not isinstance(by, str):
            values = {str(query): value for query, value in by.items()}
            return self.sliced(slices.grouped("the mapping", values, self.query_ids, bins))
        if self.slices is not None and (self.slices.by, self.slices.bins) == (by, bins):
            return self.slices
        kind, name = slices.parsed(by, self.query_columns)
        if kind == "tag":
            raise PartwiseError(slice_messages.BY_TAG())
        if kind != "query":
            raise PartwiseError(slice_messages.NOT_SLICED(by=shown(by)))
        return self.sliced(slices.grouped(by, self.query_columns[name], self.query_ids, bins))

    @property
    def query_ids(self) -> list[str]:
        """The queries that are scored, of any run and measure."""
        return list(dict.fromkeys(query for block in self.blocks for query in block.queries))

    def sliced(self, groups: Groups) -> Slices:
        """The scores of groups of queries."""
        members = list(groups.queries.values())
        return Slices(groups.by, self, dict(zip(groups.queries, self.parts(members), strict=True)), groups.notes())

    def parts(self, slices: Sequence[Sequence[str]]) -> list[Scores]:
        """The scores of some queries, for each of the slices."""
        by_block = [list(block.sliced(slices)) for block in self.blocks]
        common: dict[str, Any] = {"unscored": self.unscored, "provenance": self.provenance, "kinds": self.kinds}
        common["unit"] = self.unit
        return [
            Scores([blocks[number] for blocks in by_block], len(queries), **common)
            for number, queries in enumerate(slices)
        ]

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


class Slices(Tabular, Mapping[str, Scores]):
    """Scores by slice: ``slices["wiki"]`` are the scores of the queries in that slice, `total` those of all queries.

    `by` is what they are sliced by, `notes` say which queries are in no slice or in several.
    """

    fields = SliceRow._fields

    def __init__(self, by: str, total: Scores, scores: Mapping[str, Scores], notes: Sequence[str] = ()) -> None:
        self.by, self.total, self.notes = by, total, notes
        self.bins: int | None = None
        """The number of bins that was asked for, None if none was."""
        self._scores = dict(scores)

    @property
    def common_cells(self) -> dict[str, str]:
        return self.total.common_cells

    def __getitem__(self, name: str) -> Scores:
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def rows(self, queries: bool = True, mean: bool = False) -> Iterator[SliceRow]:
        """Rows of the scores after their slice and its number of queries; all queries are the last slice, ``all``."""
        for name, scores in (*self.items(), (ALL, self.total)):
            for block in scores.blocks:
                count = len(block.queries)
                for row in Scores([block], scores.judged).rows(queries, mean):
                    yield SliceRow(name, count, *row)

    def summary(self) -> list[str]:
        """How many judged queries were scored, and the slices, measures and runs for which the number differs."""
        of_slices = [note_about(name, line) for name, scores in self.items() for line in scores.summary()[1:]]
        return [*self.total.summary(), *of_slices]

    def __repr__(self) -> str:
        lines = [f"Slices by {self.by}"]
        for name, scores in (*self.items(), (ALL, self.total)):
            lines += [f"  {name} ({len(b.queries)})  {b.run_id}  {b.measure}  {b.aggregate:.4f}" for b in scores.blocks]
        more = [f"  … {len(lines) - 41} more"] if len(lines) > 41 else []
        return "\n".join(map(one_line, [*lines[:41], *more, *self.notes]))


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
