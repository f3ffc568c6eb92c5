"""Systems compared: means with intervals, differences with tests, and who beats whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise.errors import PartwiseError
from partwise.model import Bools, Floats, Ints, Scores
from partwise.study import statistics
from partwise.study.chance import Progress
from partwise.study.findings import Findings, Row, choice, defined, share, whole
from partwise.study.matrix import Matrix, matrices, pairs_of, run_index
from partwise.study.statistics import CORRECTIONS, TESTS

TRIALS = 10_000
LISTED_PAIRS = 60
"""More pairs than this are not for a table that people read."""


def letters(number: int) -> str:
    """The name of a system in a table: a, b ... z, aa, ab ..."""
    told = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        told = chr(ord("a") + digit) + told
    return told


@dataclass(frozen=True)
class Pairs:
    """Pairs of runs under one measure: each is compared with a baseline."""

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


@dataclass(frozen=True)
class Compared:
    """All runs under one measure."""

    matrix: Matrix
    low: Floats
    high: Floats
    pairs: Pairs
    alpha: float

    def significant(self) -> Bools:
        found: Bools = self.pairs.p_corrected <= self.alpha  # False where it is not defined
        return found

    def beaten(self) -> list[list[int]]:
        """For every run those that it beats: better, and significantly so."""
        beaten: list[list[int]] = [[] for _ in self.matrix.runs]
        better = -self.pairs.difference if self.matrix.lower else self.pairs.difference
        for pair in np.flatnonzero(self.significant()).tolist():
            run, baseline = int(self.pairs.run[pair]), int(self.pairs.baseline[pair])
            if better[pair] > 0:
                beaten[run].append(baseline)
            elif better[pair] < 0:
                beaten[baseline].append(run)
        return [sorted(found) for found in beaten]


@dataclass(frozen=True, repr=False)
class Comparison(Findings):
    """What `compare` found, measure by measure."""

    labels: ClassVar[int] = 3
    measures: Sequence[Compared]
    test: str
    correction: str
    alpha: float
    confidence: float
    notes: Sequence[str]

    def rows(self) -> list[Row]:
        """A row per measure, run and baseline; a run that is compared with none has one row without a baseline."""
        rows: list[Row] = []
        for compared in self.measures:
            matrix, pairs = compared.matrix, compared.pairs
            beaten = compared.beaten()
            significant = compared.significant()
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
                    "beats": " ".join(letter[matrix.runs[other]] for other in beaten[run]),
                }
                if run not in of_run:
                    rows.append({**system, **dict.fromkeys(_PAIR_COLUMNS)})
                for pair in of_run.get(run, []):
                    rows.append({**system, **_pair_row(matrix, pairs, pair, bool(significant[pair]))})
        return rows

    @property
    def run_ids(self) -> list[str]:
        return list(dict.fromkeys(name for compared in self.measures for name in compared.matrix.runs))

    def systems(self) -> list[Row]:
        """A row per run: for every measure its mean, the interval, and the letters of the runs it beats."""
        rows: list[Row] = []
        names = self.run_ids
        for name in names:
            row: Row = {"": letters(names.index(name)), "run": name}
            for compared in self.measures:
                matrix = compared.matrix
                measure = matrix.measure
                row |= dict.fromkeys((measure, f"{measure} interval", f"{measure} beats"), "")
                if name in matrix.runs:
                    run = run_index(matrix, name)
                    row[measure] = float(matrix.means[run])
                    if not np.isnan(compared.low[run]):
                        row[f"{measure} interval"] = f"{compared.low[run]:.4f}–{compared.high[run]:.4f}"
                    beaten = [matrix.runs[other] for other in compared.beaten()[run]]
                    row[f"{measure} beats"] = " ".join(letters(names.index(other)) for other in beaten)
            rows.append(row)
        return rows

    def tables(self) -> list[tuple[str, list[Row]]]:
        counts = sorted({len(compared.matrix.queries) for compared in self.measures})
        queries = f"{counts[0]} queries" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} queries"
        told = f"{queries}, {self.confidence:.0%} bootstrap intervals; beats: by the {_named_test(self)}"
        found = [(told, self.systems())]
        pairs = [row for row in self.rows() if row["baseline"] is not None]
        if pairs and len(pairs) <= LISTED_PAIRS:
            columns = ("measure", "run_id", *_PAIR_COLUMNS)
            found.append(("", [{name: row[name] for name in columns} for row in pairs]))
        elif pairs:
            found.append((f"{len(pairs)} pairs: -f tsv lists them", []))
        return found


_PAIR_COLUMNS = (
    "baseline", "difference", "difference_low", "difference_high", "effect", "wins", "ties", "losses", "p",
    "p_corrected", "significant",
)  # fmt: skip


def _named_test(comparison: Comparison) -> str:
    names = {
        "randomisation": "randomisation test",
        "t": "paired t-test",
        "wilcoxon": "Wilcoxon signed-rank test",
        "tukey": "randomised Tukey HSD test",
    }
    corrections = {"holm": ", Holm", "bonferroni": ", Bonferroni", "bh": ", Benjamini-Hochberg", "none": ""}
    return f"{names[comparison.test]} at {comparison.alpha:g}{corrections[comparison.correction]}"


def _pair_row(matrix: Matrix, pairs: Pairs, pair: int, significant: bool) -> Row:
    return {
        "baseline": matrix.runs[int(pairs.baseline[pair])],
        "difference": float(pairs.difference[pair]),
        "difference_low": defined(pairs.low[pair]),
        "difference_high": defined(pairs.high[pair]),
        "effect": defined(pairs.effect[pair]),
        "wins": int(pairs.wins[pair]),
        "ties": int(pairs.ties[pair]),
        "losses": int(pairs.losses[pair]),
        "p": defined(pairs.p[pair]),
        "p_corrected": defined(pairs.p_corrected[pair]),
        "significant": "yes" if significant else "no",
    }


def compare(
    scores: Scores,
    *,
    baseline: str | Sequence[str] | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the runs with each other, or with one or several baselines, under every measure: see `partwise.compare`.

    A family of pairs, for `correct`, is those of one measure; random numbers come from `seed` alone.
    """
    choice("test", test, TESTS)
    if correct is not None:
        choice("correct", correct, tuple(CORRECTIONS))
    if test == "tukey" and correct not in (None, "none"):
        raise PartwiseError(f"correct is {correct} with Tukey's test", "leave it out: the test holds for all pairs")
    correction = correct or ("none" if test == "tukey" else "holm")
    share("alpha", alpha)
    share("confidence", confidence)
    _checked_numbers(trials, seed, jobs)
    given = [baseline] if isinstance(baseline, str) else list(baseline) if baseline is not None else []
    found, notes = matrices(scores)
    parts = 2 * len(found)

    def part(number: int) -> Progress | None:
        if progress is None:
            return None
        return lambda done, total: progress(number * total + done, parts * total)

    compared = [
        _compared(matrix, list(dict.fromkeys(given)), test, correction, alpha, confidence,
                  _Chance(trials, seed, jobs, part(2 * i), part(2 * i + 1)))
        for i, matrix in enumerate(found)
    ]  # fmt: skip
    if any(len(matrix.queries) == 1 for matrix in found):
        notes.append("one query says nothing about others: no intervals, and no t-test")
    return Comparison(compared, test, correction, alpha, confidence, tuple(notes))


def _checked_numbers(trials: int, seed: int, jobs: int) -> None:
    whole("trials", trials, 1)
    whole("seed", seed, 0)
    whole("jobs", jobs, 1)


@dataclass(frozen=True)
class _Chance:
    trials: int
    seed: int
    jobs: int
    resampling: Callable[[int, int], None] | None
    testing: Callable[[int, int], None] | None


def _pairs(matrix: Matrix, baselines: Sequence[str]) -> tuple[Ints, Ints]:
    """Runs and what they are compared with: every baseline, or (all pairs) every run before them."""
    if not baselines:
        first, second = pairs_of(len(matrix.runs))
        return second, first
    rows = [run_index(matrix, name) for name in baselines]
    pairs = [
        (run, row)
        for run in range(len(matrix.runs))
        for row in rows
        if run != row and not (run in rows and rows.index(run) < rows.index(row))  # two baselines meet once
    ]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


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
    better = -difference if matrix.lower else difference
    if len(matrix.queries) > 1:
        samples = statistics.resampled_means(matrix.values, chance.trials, chance.seed, chance.jobs, chance.resampling)
        low, high = statistics.intervals(samples, confidence)
        pair_low, pair_high = statistics.difference_intervals(samples, run, baseline, confidence)
    else:
        low = high = np.full(len(matrix.runs), np.nan)
        pair_low = pair_high = np.full(len(run), np.nan)
    p = statistics.p_values(
        matrix, run, baseline, test, trials=chance.trials, seed=chance.seed, jobs=chance.jobs, progress=chance.testing
    )
    pairs = Pairs(
        run=run,
        baseline=baseline,
        difference=difference.mean(axis=1),
        low=pair_low,
        high=pair_high,
        effect=statistics.effect_size(difference),
        wins=(better > 0).sum(axis=1),
        ties=(better == 0).sum(axis=1),
        losses=(better < 0).sum(axis=1),
        p=p,
        p_corrected=statistics.corrected(p, correction),
    )
    return Compared(matrix, low, high, pairs, alpha)
