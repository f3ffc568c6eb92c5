"""Scores as matrices: for one measure a value per run and query, on the queries that all runs share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.measures import better_of
from partwise.model import Block, Bools, Floats, Ints, Scores

EQUAL = 1e-12
"""Scores nearer to each other than this are equal: what is left of them is rounding."""


@dataclass(frozen=True)
class Matrix:
    """The values of one measure: a row per run, a column per query; queries are sorted by name.

    So the order of queries in a file changes no result, not even of tests with random numbers.
    """

    measure: str
    runs: Sequence[str]
    queries: Sequence[str]
    values: Floats
    lower: bool = False
    """Whether a lower value is the better one."""

    @cached_property
    def means(self) -> Floats:
        return np.array([math.fsum(row) / len(row) for row in self.values.tolist()])

    @cached_property
    def goodness(self) -> Floats:
        """The values, turned so that higher is better and without the noise of rounding."""
        return np.round(-self.values if self.lower else self.values, 12)

    def take(self, runs: Ints) -> Matrix:
        """The same for these runs alone."""
        return Matrix(self.measure, [self.runs[i] for i in runs.tolist()], self.queries, self.values[runs], self.lower)


def ranked(goodness: Floats) -> Floats:
    """Means of goodness over queries, equal where they differ by rounding only."""
    means: Floats = np.round(goodness.mean(axis=-1), 12)
    return means


def matrices(scores: Scores, same_runs: bool = False) -> tuple[list[Matrix], list[str]]:
    """A matrix per measure, and notes of what was left out of it: queries that not all runs have, and missing values.

    With `same_runs` all matrices have the same runs and queries, those that every measure has.
    """
    notes: list[str] = []
    measures = scores.measures
    if not measures:
        raise PartwiseError("there are no scores", "give runs and measures")
    tables = {measure: _by_run(scores, measure, notes) for measure in measures}
    runs = [run for run in scores.run_ids if all(run in tables[m] for m in measures)]
    if same_runs:
        left = [run for run in scores.run_ids if run not in runs]
        if left:
            notes.append(f"{_listed(left)} left out: not scored with every measure")
        everywhere = set.intersection(*(set(tables[m][run]) for m in measures for run in runs)) if runs else set()
        if not everywhere:
            raise PartwiseError("no query is scored by every measure for every run", "give measures that share queries")
        tables = {m: {run: {q: tables[m][run][q] for q in everywhere} for run in runs} for m in measures}
        most = max(len(block.queries) for block in scores.blocks)
        if len(everywhere) < most:
            notes.append(f"all measures are taken on the {_queries(len(everywhere))} that they share, of up to {most}")
    for measure in measures:
        left = [run for run in scores.run_ids if run not in tables[measure]]
        if left and not same_runs:
            notes.append(f"{measure}: {_listed(left)} left out: not scored with it")
    return [_matrix(measure, tables[measure], notes) for measure in measures], notes


def _by_run(scores: Scores, measure: str, notes: list[str]) -> dict[str, dict[str, float]]:
    """``{run: {query: value}}`` of one measure, without values that are not numbers."""
    found: dict[str, dict[str, float]] = {}
    for block in scores.blocks:
        if block.measure == measure:
            there = _numbers(block)
            missing = len(block.values) - int(there.sum())
            if missing:
                notes.append(f"{block.run_id}: {measure} has no value for {_queries(missing)}, left out")
            kept = zip(block.queries, block.values.tolist(), there.tolist(), strict=True)
            found[block.run_id] = {query: value for query, value, good in kept if good}
    return found


def _numbers(block: Block) -> Bools:
    if np.isinf(block.values).any():
        query = block.queries[int(np.argmax(np.isinf(block.values)))]
        raise PartwiseError(
            f"{block.measure} of run {block.run_id} is infinite for query {query}", "leave that query or measure out"
        )
    return ~np.isnan(block.values)


def _matrix(measure: str, values: dict[str, dict[str, float]], notes: list[str]) -> Matrix:
    counts = [len(of_run) for of_run in values.values()]
    common = sorted(set.intersection(*(set(of_run) for of_run in values.values())))
    if not common:
        raise PartwiseError(
            f"the runs have no query in common that {measure} scores", "give runs that answer the same queries"
        )
    if len(common) < max(counts):
        notes.append(f"{measure}: compared on the {_queries(len(common))} that all runs share, of up to {max(counts)}")
    grid = np.array([[of_run[query] for query in common] for of_run in values.values()], np.float64)
    return Matrix(measure, list(values), common, grid, better_of(measure) == "lower")


def _queries(count: int) -> str:
    return "1 query" if count == 1 else f"{count} queries"


def _listed(names: Sequence[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def at_least_two_runs(matrix: Matrix) -> None:
    """Fail where there is nothing to compare."""
    if len(matrix.runs) < 2:
        raise PartwiseError("there is one run only", "give at least two: systems are compared with each other")


def run_index(matrix: Matrix, name: str) -> int:
    """The row of a run, by name."""
    if name not in matrix.runs:
        raise PartwiseError(f"there is no run {shown(name)}", f"the runs are {_listed(matrix.runs)}")
    return list(matrix.runs).index(name)


def pairs_of(count: int) -> tuple[Ints, Ints]:
    """All pairs of so many runs: the rows of the first and of the second."""
    first, second = np.triu_indices(count, 1)
    return first.astype(np.int64), second.astype(np.int64)
