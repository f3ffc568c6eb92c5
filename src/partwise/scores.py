"""The outcome of an evaluation: values, means and notes.

NumPy is not imported, because a command that only prints help or saved scores does not need it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from partwise import slices
from partwise.errors import PartwiseError, one_line, shown
from partwise.later import measures as known_measures
from partwise.later import selection
from partwise.messages import scores as messages
from partwise.messages import slices as slice_messages
from partwise.notes import note_about
from partwise.provenance import Provenance
from partwise.showing import Shown, counted
from partwise.slices import ALL as ALL
from partwise.slices import Groups, QueryColumns
from partwise.types import MeasureKind, ScoreRow, SliceRow, UnscoredRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, overload

    import numpy as np
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

    Choice: TypeAlias = str | Iterable[str] | Callable[[str], bool] | None
    """Names that are chosen: one, several, those for which a function is true, or all (None)."""

COLUMNS = ScoreRow._fields
CHARS = "chars"
"""The unit that is not mentioned."""
EQUAL = 1e-12
"""Scores that differ by at most this are equal: the difference is a rounding error."""


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


class Tabular(Shown):
    """Rows of named cells, as data frames and tables for people."""

    fields: tuple[str, ...]
    """The names of the columns."""

    def rows(self, queries: bool = True, mean: bool = False) -> Iterator[tuple[Any, ...]]:
        raise NotImplementedError

    @property
    def common_cells(self) -> dict[str, str]:
        """Further columns that have the same cell in every row: the unit, where it is not characters."""
        raise NotImplementedError

    def columns(self, queries: bool = True, mean: bool = False) -> dict[str, list[Any]]:
        """The cells by column: of the rows of `queries`, and of those of the `mean`."""
        rows = [tuple(map(_as_unicode, row)) for row in self.rows(queries, mean)]
        columns = {name: [row[i] for row in rows] for i, name in enumerate(self.fields)}
        return columns | {name: [cell] * len(rows) for name, cell in self.common_cells.items()}

    def to_arrow(self, queries: bool = True, mean: bool = False) -> pyarrow.Table:
        """An Arrow table with a row per value: of the `queries`, and of the `mean`."""
        import pyarrow as pa

        types = {"value": pa.float64(), "queries": pa.int64()}
        columns = self.columns(queries, mean)
        return pa.table(columns, schema=pa.schema([(name, types.get(name, pa.string())) for name in columns]))

    def to_pandas(self, queries: bool = True, mean: bool = False) -> pandas.DataFrame:
        """A pandas data frame with a row per value: of the `queries`, and of the `mean`."""
        import pandas as pd

        return pd.DataFrame(self.columns(queries, mean))

    def to_polars(self, queries: bool = True, mean: bool = False) -> polars.DataFrame:
        """A Polars data frame with a row per value: of the `queries`, and of the `mean`."""
        import polars as pl

        types = {"value": pl.Float64, "queries": pl.Int64}
        columns = self.columns(queries, mean)
        return pl.DataFrame(columns, schema={name: types.get(name, pl.String) for name in columns})

    def _pivot(self, index: str | Sequence[str], columns: str | Sequence[str]) -> pandas.DataFrame:
        names = [index] if isinstance(index, str) else list(index)
        names += [columns] if isinstance(columns, str) else columns
        with_queries = "query_id" in names
        rows = [dict(zip(self.fields, row, strict=True)) for row in self.rows(with_queries, mean=not with_queries)]
        return selection.pivoted(rows, index, columns, "value", repeated=False)


class Scores(Tabular):
    """The outcome of an evaluation: a value per run, measure and query.

    ``scores["bm25"]`` are the scores of one run, ``scores["bm25", "iAP"]`` is its mean, and ``scores["bm25", "iAP",
    "q1"]`` the value of one query. Iteration yields a named row per value, and `len` is their number. A notebook shows
    the means.

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
        """Rows ``(run_id, measure, query_id, value)`` of the `queries`, and of the `mean`, with query id ``all``."""
        for block in self.blocks:
            if queries:
                for query, value in block.by_query():
                    yield ScoreRow(block.run_id, block.measure, query, value)
            if mean:
                yield ScoreRow(block.run_id, block.measure, ALL, block.aggregate)

    @property
    def common_cells(self) -> dict[str, str]:
        return {} if self.unit == CHARS else {"unit": _as_unicode(self.unit)}

    def __iter__(self) -> Iterator[ScoreRow]:
        return self.rows()

    def __len__(self) -> int:
        return sum(len(block.queries) for block in self.blocks)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, key: object) -> bool:
        names = key if isinstance(key, tuple) else (key,)
        return any(names == (block.run_id, block.measure)[: len(names)] for block in self.blocks)

    def _ipython_key_completions_(self) -> list[str]:
        return self.run_ids

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: str) -> Scores: ...
        @overload
        def __getitem__(self, key: tuple[Any, ...]) -> float: ...

    def __getitem__(self, key: Any) -> Any:
        names = key if isinstance(key, tuple) else (key,)
        if not 1 <= len(names) <= 3 or not isinstance(names[0], str):
            raise PartwiseError(messages.NO_SUCH_KEY(key=shown(key)))
        run = self.filter(run_id=names[0])
        if len(names) == 1:
            return run
        [block] = run.filter(measure=names[1]).blocks
        if len(names) == 2:
            return block.aggregate
        values = dict(block.by_query())
        if names[2] not in values:
            raise selection.unknown("query", names[2], values)
        return values[names[2]]

    def filter(self, *, run_id: Choice = None, measure: Any = None, query_id: Choice = None) -> Scores:
        """The scores of some runs, measures and queries; means are those of the queries that are left.

        - `run_id`: a run, several, or a function that is true for their names (default: all).
        - `measure`: the same for measures, which may be objects such as ``pw.iP @ 0.01``.
        - `query_id`: the same for queries.
        """
        runs = selection.chosen("run", run_id, self.run_ids)
        measures = selection.chosen("measure", measure, self.measures, selection.measure_name)
        blocks = [block for block in self.blocks if block.run_id in runs and block.measure in measures]
        judged = self.judged
        if query_id is not None:
            queries = selection.chosen("query", query_id, self.query_ids)
            blocks = [part for block in blocks for part in block.sliced([queries])]
            judged = len(queries)
        left_out = [run for run in self.run_ids if run not in runs]
        return self._with(blocks, judged, [note for note in self.notes if getattr(note, "about", "") not in left_out])

    def sort(self, measure: Any) -> Scores:
        """The scores with the runs in the order of their means under a measure, the best first.

        - `measure`: its name, or an object such as ``pw.iP @ 0.01``. Runs without it are last.
        """
        [name] = selection.chosen("measure", [measure], self.measures, selection.measure_name)
        sign = 1 if known_measures.better_of(name) == "lower" else -1
        means = self.mean()
        key = {run: sign * of_run[name] if name in of_run else float("inf") for run, of_run in means.items()}
        return self._ordered(sorted(key, key=lambda run: key[run]))

    def _ordered(self, runs: Sequence[str]) -> Scores:
        """The scores, and their slices, with the runs in this order."""
        place = {run: number for number, run in enumerate(runs)}
        scores = self._with(sorted(self.blocks, key=lambda block: place[block.run_id]), self.judged, self.notes)
        if self.slices is not None:
            parts = {name: of_slice._ordered(runs) for name, of_slice in self.slices.items()}
            scores.slices = Slices(self.slices.by, scores, parts, self.slices.notes)
            scores.slices.bins = self.slices.bins
        return scores

    def _with(self, blocks: Sequence[Block], judged: int, notes: Sequence[str]) -> Scores:
        """Scores of the same inputs with these blocks."""
        about: dict[str, Any] = {"provenance": self.provenance, "kinds": self.kinds, "unit": self.unit}
        runs, measures = ({getattr(block, name) for block in blocks} for name in ("run_id", "measure"))
        scores = Scores(blocks, judged, notes, [row for row in self.unscored if row[0] in runs], **about)
        scores.kinds = {name: kind for name, kind in self.kinds.items() if name in measures}
        scores.query_columns, scores.official = self.query_columns, self.official
        scores.judged_text = {run: share for run, share in self.judged_text.items() if run in runs}
        return scores

    def pivot(
        self, index: str | Sequence[str] = "run_id", columns: str | Sequence[str] = "measure"
    ) -> pandas.DataFrame:
        """A pandas data frame of rows by columns; means, unless ``query_id`` is among them.

        - `index`: the rows: ``run_id``, ``measure`` or ``query_id``, or several of them.
        - `columns`: the columns, chosen in the same way.
        """
        return self._pivot(index, columns)

    def by(self, by: str | Mapping[str, Any], *, bins: int | None = None) -> Slices:
        """The scores of slices: queries that share a value.

        `by` is a column of the queries, if the scores have them (``queries=`` of `evaluate` and `read_scores`), or a
        mapping of query ids to values. A query with several values, in a list, counts in the slice of each. Numbers
        with more than ten different values are put into four bins, or into `bins`, that end at quantiles.

        Slices of the gold need the runs: pass ``by="grade"`` to `evaluate`, and the same here.
        """
        if not isinstance(by, str):
            slices.check_mapping(by)
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
        unit = "" if self.unit == CHARS else f", in {self.unit}"
        runs, measures = counted(len(self.run_ids), "run"), counted(len(self.measures), "measure")
        return one_line(f"Scores of {runs}, {measures}, {counted(len(self.query_ids), 'query')}{unit}")

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {b.run_id}  {b.measure}  {b.aggregate:.4f}" for b in self.blocks[:20])]
        lines += [f"  … {len(self.blocks) - 20} more"] if len(self.blocks) > 20 else []
        return "\n".join(map(one_line, [*lines, *(f"  {line}" for line in [*self.summary(), *self.notes])]))


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
        """Rows of the `queries` and the `mean`, after their slice and its size; the last slice, ``all``, is of all."""
        for name, scores in (*self.items(), (ALL, self.total)):
            for block in scores.blocks:
                count = len(block.queries)
                for row in Scores([block], scores.judged).rows(queries, mean):
                    yield SliceRow(name, count, *row)

    def summary(self) -> list[str]:
        """How many judged queries were scored, and the slices, measures and runs for which the number differs."""
        of_slices = [note_about(name, line) for name, scores in self.items() for line in scores.summary()[1:]]
        return [*self.total.summary(), *of_slices]

    def filter(self, *, run_id: Choice = None, measure: Any = None, query_id: Choice = None) -> Slices:
        """The slices of some runs, measures and queries, chosen as in `Scores.filter`.

        - `run_id`: a run, several, or a function that is true for their names (default: all).
        - `measure`: the same for measures.
        - `query_id`: the same for queries; a slice keeps those that it has.
        """
        runs = selection.chosen("run", run_id, self.total.run_ids)
        queries = set(selection.chosen("query", query_id, self.total.query_ids))
        parts = {
            name: scores.filter(
                run_id=[run for run in runs if run in scores.run_ids],
                measure=measure,
                query_id=None if query_id is None else queries.__contains__,
            )
            for name, scores in self.items()
        }
        total = self.total.filter(run_id=runs, measure=measure, query_id=None if query_id is None else queries)
        return Slices(self.by, total, parts, self.notes)

    def pivot(
        self, index: str | Sequence[str] = ("slice", "run_id"), columns: str | Sequence[str] = "measure"
    ) -> pandas.DataFrame:
        """A pandas data frame of rows by columns; means, unless ``query_id`` is among them.

        - `index`: the rows: ``slice``, ``run_id``, ``measure`` or ``query_id``, or several of them.
        - `columns`: the columns, chosen in the same way.
        """
        return self._pivot(index, columns)

    def __repr__(self) -> str:
        runs, measures = counted(len(self.total.run_ids), "run"), counted(len(self.total.measures), "measure")
        return one_line(f"Slices by {self.by}: {counted(len(self._scores), 'slice')}, {runs}, {measures}")

    def __str__(self) -> str:
        lines = [f"Slices by {self.by}"]
        for name, scores in (*self.items(), (ALL, self.total)):
            lines += [f"  {name} ({len(b.queries)})  {b.run_id}  {b.measure}  {b.aggregate:.4f}" for b in scores.blocks]
        more = [f"  … {len(lines) - 41} more"] if len(lines) > 41 else []
        return "\n".join(map(one_line, [*lines[:41], *more, *self.notes]))


def _as_unicode(cell: Any) -> Any:
    """A cell for data frames, which hold no lone surrogates: they become escapes."""
    return cell if not isinstance(cell, str) or cell.isascii() else cell.encode("utf-8", "backslashreplace").decode()
