"""Scores as matrices: the values of one measure by run and query, for the queries that all runs share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError, shown
from partwise.measures import better_of
from partwise.messages import studies
from partwise.model import EQUAL as EQUAL
from partwise.model import LARGEST_SCORE, Block, Bools, Floats, Ints, Scores
from partwise.records import record


@record()
class Matrix:
    """The values of one measure, one row per run and one column per query.

    Queries are sorted by name, so that their order in a file does not change results of tests with random numbers.
    """

    measure: str
    runs: Sequence[str]
    queries: Sequence[str]
    values: Floats
    lower: bool = False
    """Whether lower values are better."""

    @cached_property
    def means(self) -> Floats:
        return np.array([kernels.exact_sum(row) / len(row) for row in self.values])

    @cached_property
    def goodness(self) -> Floats:
        """The values, negated if lower is better, without rounding errors."""
        return np.round(-self.values if self.lower else self.values, 12)

    def take(self, runs: Ints) -> Matrix:
        """The matrix of these runs only."""
        return Matrix(self.measure, [self.runs[i] for i in runs.tolist()], self.queries, self.values[runs], self.lower)


def ranked(goodness: Floats) -> Floats:
    """Means of goodness over queries, equal if they differ by rounding errors only."""
    means: Floats = np.round(goodness.mean(axis=-1), 12)
    return means


def matrices(scores: Scores, same_runs: bool = False) -> tuple[list[Matrix], list[str]]:
    """A matrix per measure, and notes about what is left out: queries that not all runs have, and missing values.

    With `same_runs` all matrices have the runs and queries that every measure has.
    """
    notes: list[str] = []
    measures = scores.measures
    shared: set[str] = set()
    if not measures:
        raise PartwiseError(studies.NO_SCORES())
    tables = _tables(scores, notes)
    runs = [run for run in scores.run_ids if all(run in tables[m] for m in measures)]
    if same_runs:
        left_out = [run for run in scores.run_ids if run not in runs]
        if left_out:
            notes.append(studies.RUNS_WITHOUT_A_MEASURE.note(runs=_listed(left_out)))
        shared = _common(tables[m][run] for m in measures for run in runs)
        if not shared:
            raise PartwiseError(studies.NO_QUERY_WITH_ALL())
        tables = {m: {run: tables[m][run] for run in runs} for m in measures}
        most = max(len(block.queries) for block in scores.blocks)
        if len(shared) < most:
            notes.append(studies.SHARED_QUERIES.note(count=len(shared), most=most))
    for measure in measures:
        left_out = [run for run in scores.run_ids if run not in tables[measure]]
        if left_out and not same_runs:
            notes.append(studies.RUNS_WITHOUT_MEASURE.note(measure=measure, runs=_listed(left_out)))
    return [_matrix(measure, tables[measure], shared if same_runs else None, notes) for measure in measures], notes


class _Scored(NamedTuple):
    """The values of one run and measure, without NaN."""

    places: Mapping[str, int]
    """Where the value of each query is. Runs with the same queries in the same order share it."""
    values: Floats


def _tables(scores: Scores, notes: list[str]) -> dict[str, dict[str, _Scored]]:
    """``{measure: {run: values}}``."""
    tables: dict[str, dict[str, _Scored]] = {measure: {} for measure in scores.measures}
    known: tuple[Sequence[str], Mapping[str, int]] = (), {}
    for measure, by_run in tables.items():
        for block in scores.blocks:
            if block.measure != measure:
                continue
            is_number = _numbers(block)
            queries, values = block.queries, block.values
            missing = len(values) - int(is_number.sum())
            if missing:
                notes.append(studies.NO_VALUES.note(run=block.run_id, measure=measure, count=missing))
                queries = [query for query, keep in zip(queries, is_number.tolist(), strict=True) if keep]
                values = values[is_number]
            if queries != known[0]:
                known = queries, {query: place for place, query in enumerate(queries)}
            by_run[block.run_id] = _Scored(known[1], values)
    return tables


def _common(scored: Iterable[_Scored]) -> set[str]:
    """The queries that all of them have."""
    distinct = {id(one.places): one.places for one in scored}
    return set.intersection(*map(set, distinct.values())) if distinct else set()


def _numbers(block: Block) -> Bools:
    too_large = np.abs(block.values) > LARGEST_SCORE
    if too_large.any():
        first = int(np.argmax(too_large))
        value, query = float(block.values[first]), block.queries[first]
        if np.isinf(value):
            raise PartwiseError(studies.INFINITE(measure=block.measure, run=block.run_id, query=query))
        message = studies.TOO_LARGE(
            measure=block.measure, run=block.run_id, query=query, value=value, limit=LARGEST_SCORE
        )
        raise PartwiseError(message)
    return ~np.isnan(block.values)


def _matrix(measure: str, by_run: dict[str, _Scored], shared: set[str] | None, notes: list[str]) -> Matrix:
    """The matrix of the queries that all runs have or, if it is given, of those that all measures share."""
    common = sorted(_common(by_run.values()) if shared is None else shared)
    if not common:
        raise PartwiseError(studies.NO_COMMON_QUERY(measure=measure))
    most = max(len(of_run.places) for of_run in by_run.values())
    if shared is None and len(common) < most:
        notes.append(studies.COMMON_QUERIES.note(measure=measure, count=len(common), most=most))
    rows = {id(of_run.places): of_run.places for of_run in by_run.values()}
    taken = {key: np.array([places[query] for query in common], np.int64) for key, places in rows.items()}
    grid = np.stack([of_run.values[taken[id(of_run.places)]] for of_run in by_run.values()])
    return Matrix(measure, list(by_run), common, grid, better_of(measure) == "lower")


def _listed(names: Sequence[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def at_least_two_runs(matrix: Matrix) -> None:
    """Raise an error if there is nothing to compare."""
    if len(matrix.runs) < 2:
        raise PartwiseError(studies.ONE_RUN())


def run_index(matrix: Matrix, name: str) -> int:
    """The row of the run with this name."""
    if name not in matrix.runs:
        raise PartwiseError(studies.UNKNOWN_RUN(run=shown(name), runs=_listed(matrix.runs)))
    return list(matrix.runs).index(name)


def pairs_of(count: int) -> tuple[Ints, Ints]:
    """All pairs of `count` runs: the rows of the first runs and of the second runs."""
    first, second = np.triu_indices(count, 1)
    return first.astype(np.int64), second.astype(np.int64)
