"""Comparison of systems: means with intervals, differences with tests, and which systems beat which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from partwise.errors import PartwiseError
from partwise.messages import studies
from partwise.messages.diagnosis import IN_UNIT
from partwise.model import Bools, Floats, Ints, Scores
from partwise.parameters import check_choice
from partwise.records import record
from partwise.study import statistics
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row, check_share, check_whole, defined
from partwise.study.intervals import STUDENT, of_differences, of_means, together
from partwise.study.matrix import Matrix, matrices, pairs_of, run_index
from partwise.study.significance import Ranges, Tested, notes_by_measure, significance
from partwise.types import CORRECTIONS, MOST_TRIALS, TESTS, MeasureKind
from partwise.units import CHARS

LISTED_PAIRS = 60
"""A table for people lists at most this number of pairs."""


def letters(number: int) -> str:
    """The name of a system in a table: a, b ... z, aa, ab ..."""
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        name = chr(ord("a") + digit) + name
    return name


@record()
class Pairs:
    """Pairs of a run and a baseline under one measure."""

    run: Ints
    baseline: Ints
    difference: Floats
    low: Floats
    high: Floats
    effect: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    p: Floats
    p_corrected: Floats


@record()
class Compared:
    """All runs under one measure."""

    matrix: Matrix
    low: Floats
    high: Floats
    methods: Sequence[str]
    """The methods of the intervals of the means, by run."""
    pairs: Pairs
    alpha: float
    tested: Tested

    @property
    def interval(self) -> str:
        """All methods of the intervals of the means."""
        return together(self.methods)

    def significant(self) -> Bools:
        significant: Bools = self.pairs.p_corrected <= self.alpha  # False for NaN
        return significant

    def beaten(self) -> list[list[int]]:
        """The runs that each run beats, which is to be significantly better."""
        beaten: list[list[int]] = [[] for _ in self.matrix.runs]
        better = -self.pairs.difference if self.matrix.lower else self.pairs.difference
        for pair in np.flatnonzero(self.significant()).tolist():
            run, baseline = int(self.pairs.run[pair]), int(self.pairs.baseline[pair])
            if better[pair] > 0:
                beaten[run].append(baseline)
            elif better[pair] < 0:
                beaten[baseline].append(run)
        return [sorted(others) for others in beaten]


@record(repr=False)
class Comparison(Findings):
    """The result of `compare`, measure by measure."""

    labels: ClassVar[int] = 3
    key_columns: ClassVar[tuple[str, ...]] = ("run_id", "measure")
    pivoted: ClassVar[tuple[Any, Any, str] | None] = ("run_id", "measure", "mean")
    measures: Sequence[Compared]
    test: str
    correction: str
    alpha: float
    confidence: float
    notes: Sequence[str]
    kinds: Mapping[str, MeasureKind] = field(default_factory=dict)
    """What each measure scores, by name, where it is known."""
    baselines: Sequence[str] = ()
    """The runs with which the others are compared, none if all pairs are."""
    unit: str = CHARS
    """The unit in which text is counted, of the scores."""

    def rows(self) -> list[Row]:
        """One row per measure, run and baseline; a run without a baseline has one row."""
        rows: list[Row] = []
        in_unit: Row = {} if self.unit == CHARS else {"unit": self.unit}
        for compared in self.measures:
            matrix, pairs = compared.matrix, compared.pairs
            beaten = compared.beaten()
            cells = _pair_cells(compared)
            of_run: dict[int, list[int]] = {}
            for pair, run in enumerate(pairs.run.tolist()):
                of_run.setdefault(run, []).append(pair)
            letter = {name: letters(self.run_ids.index(name)) for name in matrix.runs}
            for run, name in enumerate(matrix.runs):
                system: Row = {
                    "measure": matrix.measure,
                    "run_id": name,
                    "letter": letter[name],
                    "topics": len(matrix.queries),
                    "mean": float(matrix.means[run]),
                    "low": defined(compared.low[run]),
                    "high": defined(compared.high[run]),
                    "interval": compared.methods[run] if len(matrix.queries) > 1 else None,
                    "beats": " ".join(letter[matrix.runs[other]] for other in beaten[run]),
                }
                if run not in of_run:
                    rows.append({**system, **dict.fromkeys(_PAIR_COLUMNS), **in_unit})
                names, of_system, last = (*system, *_PAIR_COLUMNS, *in_unit), system.values(), in_unit.values()
                for pair in of_run.get(run, []):
                    rows.append(dict(zip(names, (*of_system, *cells[pair], *last), strict=True)))
        return rows

    @property
    def interval(self) -> str:
        """All methods of the intervals of the means."""
        return together(method for compared in self.measures for method in compared.methods)

    @property
    def run_ids(self) -> list[str]:
        return list(dict.fromkeys(name for compared in self.measures for name in compared.matrix.runs))

    def systems(self) -> list[Row]:
        """One row per run: for every measure its mean, the interval, and the letters of the runs it beats."""
        names = self.run_ids
        letter = {name: letters(place) for place, name in enumerate(names)}
        rows: list[Row] = [{"": letter[name], "run": name} for name in names]
        for compared in self.measures:
            matrix, beaten = compared.matrix, compared.beaten()
            measure = matrix.measure
            for row in rows:
                row |= dict.fromkeys((measure, f"{measure} interval", f"{measure} beats"), "")
                if row["run"] in matrix.runs:
                    run = run_index(matrix, row["run"])
                    row[measure] = float(matrix.means[run])
                    if not np.isnan(compared.low[run]):
                        row[f"{measure} interval"] = f"{compared.low[run]:.4f}–{compared.high[run]:.4f}"
                    row[f"{measure} beats"] = " ".join(letter[matrix.runs[other]] for other in beaten[run])
        return rows

    def tables(self) -> list[tuple[str, list[Row]]]:
        counts = sorted({len(compared.matrix.queries) for compared in self.measures})
        heading: str = studies.COMPARISON.note(
            count=counts[-1],
            queries=counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
            confidence=self.confidence,
            method=self.interval,
            test=test_name(self.test),
            alpha=self.alpha,
            correction=correction_name(self.correction),
        )
        of_documents = [name for name, kind in self.kinds.items() if kind == "documents"]
        if of_documents:
            heading = f"{heading}; {studies.OF_DOCUMENTS.note(measures=', '.join(of_documents))}"
        if self.unit != CHARS:
            heading = f"{heading}; {IN_UNIT.note(unit=self.unit)}"
        tables: list[tuple[str, list[Row]]] = [(heading, self.systems())]
        pairs = [row for row in self.rows() if row["baseline"] is not None]
        if pairs and len(pairs) <= LISTED_PAIRS:
            columns = ("measure", "run_id", *(name for name in _PAIR_COLUMNS if name != "difference_interval"))
            tables.append(("", [{name: row[name] for name in columns} for row in pairs]))
        elif pairs:
            tables.append((studies.MANY_PAIRS.note(count=len(pairs)), []))
        return tables


_PAIR_COLUMNS = (
    "baseline", "difference", "difference_low", "difference_high", "difference_interval", "effect", "wins", "ties",
    "losses", "p", "p_corrected", "significant",
)  # fmt: skip


_TEST_NAMES = {
    "randomisation": "randomisation test",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "tukey": "randomised Tukey HSD test",
}
_CORRECTION_NAMES = {"holm": ", Holm", "bonferroni": ", Bonferroni", "bh": ", Benjamini-Hochberg", "none": ""}


def test_name(test: str) -> str:
    """A significance test as it is called in a sentence."""
    return _TEST_NAMES[test]


def correction_name(correction: str) -> str:
    """A correction as it follows the test in a sentence."""
    return _CORRECTION_NAMES[correction]


def _pair_cells(compared: Compared) -> list[tuple[Any, ...]]:
    """The cells of every pair, in the order of `_PAIR_COLUMNS`."""
    pairs, runs = compared.pairs, compared.matrix.runs
    p_values = [pairs.p, pairs.p_corrected]
    method = STUDENT if len(compared.matrix.queries) > 1 else None
    return list(
        zip(
            [runs[baseline] for baseline in pairs.baseline.tolist()],
            pairs.difference.tolist(),
            *(map(defined, column.tolist()) for column in (pairs.low, pairs.high)),
            [method] * len(pairs.low),
            map(defined, pairs.effect.tolist()),
            *(column.tolist() for column in (pairs.wins, pairs.ties, pairs.losses)),
            *(map(defined, column.tolist()) for column in p_values),
            ["yes" if significant else "no" for significant in compared.significant().tolist()],
            strict=True,
        )
    )


def compare(
    scores: Scores,
    *,
    baseline: str | Sequence[str] | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the runs with each other, or with one or several baselines, under every measure.

    `partwise.compare` describes the parameters. `correct` applies to the pairs of one measure; random numbers depend on
    `seed` only.

    - `scores`: the scores of the runs.
    - `baseline`: the run, or runs, to compare with (default: all pairs).
    - `test`: ``randomisation``, ``t``, ``wilcoxon`` or ``tukey``.
    - `alpha`: the significance level.
    - `confidence`: the level of the intervals.
    - `trials`: the number of random assignments.
    - `jobs`: the number of threads; results do not depend on it.
    - `progress`: a function that is called with the number of steps done and their total.
    """
    check_choice("test", test, TESTS)
    if correct is not None:
        check_choice("correct", correct, CORRECTIONS)
    if test == "tukey" and correct not in (None, "none"):
        raise PartwiseError(studies.CORRECTED_TUKEY(correct=correct))
    correction = correct or ("none" if test == "tukey" else "holm")
    check_share("alpha", alpha)
    check_share("confidence", confidence)
    if trials is not None:
        check_whole("trials", trials, 1, MOST_TRIALS)
    check_whole("seed", seed, 0)
    check_whole("jobs", jobs, 1)
    baselines = [baseline] if isinstance(baseline, str) else list(baseline) if baseline is not None else []
    by_measure, notes = matrices(scores)

    def part(number: int) -> Progress | None:
        if progress is None:
            return None
        return lambda done, total: progress(number * total + done, len(by_measure) * total)

    ranges = Ranges(by_measure)
    compared = [
        _compared(matrix, list(dict.fromkeys(baselines)), test, correction, alpha, confidence,
                  _Chance(trials, seed, jobs, part(i), ranges))
        for i, matrix in enumerate(by_measure)
    ]  # fmt: skip
    if any(len(matrix.queries) == 1 for matrix in by_measure):
        notes.append(studies.NOTHING_FROM_ONE_QUERY.note())
    notes += notes_by_measure(one.tested for one in compared)
    kinds = {matrix.measure: scores.kinds[matrix.measure] for matrix in by_measure if matrix.measure in scores.kinds}
    return Comparison(
        compared, test, correction, alpha, confidence, tuple(notes), kinds, tuple(dict.fromkeys(baselines)), scores.unit
    )


@record()
class _Chance:
    trials: int | None
    seed: int
    jobs: int
    progress: Progress | None
    ranges: Ranges


def _pairs(matrix: Matrix, baselines: Sequence[str]) -> tuple[Ints, Ints]:
    """The runs and baselines of all pairs: with every baseline or, without baselines, with every earlier run."""
    if not baselines:
        first, second = pairs_of(len(matrix.runs))
        return second, first
    rows = [run_index(matrix, name) for name in baselines]
    pairs = [
        (run, row)
        for run in range(len(matrix.runs))
        for row in rows
        if run != row and not (run in rows and rows.index(run) < rows.index(row))  # a pair of baselines once
    ]
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _compared(
    matrix: Matrix,
    baselines: Sequence[str],
    test: str,
    correction: str,
    alpha: float,
    confidence: float,
    chance: _Chance,
) -> Compared:
    run, baseline = _pairs(matrix, baselines)
    difference = statistics.differences(matrix.values, run, baseline)
    sums = statistics.Sums.of(difference)
    negative = sums.queries - sums.positive - sums.zero
    wins, losses = (negative, sums.positive) if matrix.lower else (sums.positive, negative)
    means, of_pairs = of_means(matrix.values, confidence), of_differences(sums, confidence)
    outcome = significance(
        matrix, run, baseline, test, correction,
        alpha=alpha, trials=chance.trials, seed=chance.seed, jobs=chance.jobs, progress=chance.progress,
        ranges=chance.ranges, difference=difference, sums=sums,
    )  # fmt: skip
    pairs = Pairs(
        run=run,
        baseline=baseline,
        difference=sums.mean,
        low=of_pairs.low,
        high=of_pairs.high,
        effect=statistics.effect_size(sums),
        wins=wins,
        ties=sums.zero,
        losses=losses,
        p=outcome.p,
        p_corrected=outcome.p_corrected,
    )
    return Compared(matrix, means.low, means.high, means.methods, pairs, alpha, outcome)
