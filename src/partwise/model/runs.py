"""Runs: what systems returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from partwise.errors import PartwiseError, one_line
from partwise.later import selection
from partwise.messages import Text
from partwise.model.columns import Bools, Coded, Floats, Ints, Paths, Source, slices
from partwise.placement import Placing
from partwise.records import record
from partwise.showing import Displayed, counted

if TYPE_CHECKING:
    from partwise.scores import Choice


@record(eq=False, repr=False)
class Run(Displayed):
    """What one system returned: a row per result, in file order.

    A notebook shows the first of them; `len` is their number.

    A result owns the spans ``start[span_offsets[i]:span_offsets[i+1]]`` (the same slice of `end`); a whole
    document is the span ``[0, TO_END)``; a result given as paths has no span until it is resolved.
    """

    run_id: str
    query: Coded
    doc: Coded
    rank: Ints | None
    score: Floats | None
    span_offsets: Ints
    start: Ints
    end: Ints
    paths: Paths | None = None
    trec_order: bool = False
    """Ordered as trec_eval orders six-column runs: by score, ties by document id, both descending."""
    unit: str = "chars"
    source: Source = field(default_factory=lambda: Source("run", is_file=False))
    lines: Ints | None = None
    notes: Sequence[str] = ()
    """Warnings from reading it."""
    single: bool = False
    """Whether it is known that every result owns exactly one span."""
    bounded: bool = False
    """Whether it is known that every part has a known end of at most `LARGEST_OFFSET`."""
    placing: Placing | None = None
    """How its chunks were placed in their documents, if it was made of chunks."""

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        queries, docs = (
            counted(len(np.unique(of.codes)), name) for of, name in ((self.query, "query"), (self.doc, "document"))
        )
        unit = "" if self.unit == "chars" else f", in {self.unit}"
        return one_line(f"Run {self.run_id!r}: {counted(len(self), 'result')}, {queries}, {docs}{unit}")

    def filter(self, *, query_id: Choice) -> Run:
        """The run of some queries only.

        - `query_id`: a query, several, or a function that is true for their ids. A query without results is an error.
        """
        names = list(self.query.names)
        present = np.unique(self.query.codes).tolist()
        chosen = set(selection.chosen("query", query_id, [names[code] for code in present]))
        keep = np.array([name in chosen for name in names], np.bool_)
        return self.take(np.flatnonzero(keep[self.query.codes]))

    def line(self, row: int) -> int:
        """The line of the file, or the number of the object, that a `row` was."""
        return int(self.lines[row]) if self.lines is not None else row + 1

    def error(self, message: Text, row: int) -> PartwiseError:
        """An error with this `message` about a `row`."""
        return self.source.error(message, self.line(row))

    def throughout_query(self, present: Bools) -> Bools:
        """Whether `present` is true of all rows of each row's query."""
        lacking = np.zeros(len(self.query.names), np.bool_)
        lacking[self.query.codes[~present]] = True
        throughout: Bools = ~lacking[self.query.codes]
        return throughout

    def take(self, rows: Ints) -> Run:
        """The run of these `rows` only."""
        offsets, inside = slices(self.span_offsets, rows)
        return replace(
            self,
            query=self.query.take(rows),
            doc=self.doc.take(rows),
            rank=None if self.rank is None else self.rank[rows],
            score=None if self.score is None else self.score[rows],
            span_offsets=offsets,
            start=self.start[inside],
            end=self.end[inside],
            paths=None if self.paths is None else self.paths.take(rows),
            lines=self.lines[rows] if self.lines is not None else rows + 1,
            placing=None if self.placing is None else self.placing.take(rows),
        )


class Irregular(Exception):
    """A run cannot be read in pieces; reading it whole reports what is wrong, if anything is."""


@record(eq=False, repr=False)
class Piece:
    """Some queries of a run with all their rows, and the run tags of these rows.

    A query may occur again in a later piece. One piece then `withdraws` the rows that were taken for complete, and the
    last piece has all of them.
    """

    run: Run
    tags: frozenset[str]
    withdraws: bool = False
    is_last: bool = False
    columns: str = ""
    """What must be the same in all pieces of a file of named columns, for example their names."""
    notes: tuple[str, ...] = ()
    """Warnings about its rows."""
