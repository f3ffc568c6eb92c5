"""The tests of all pairs of runs under one measure, with as many random trials as their correction needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from partwise.messages import Note, studies
from partwise.model import Floats, Ints
from partwise.records import record
from partwise.study import statistics
from partwise.study.chance import Progress
from partwise.study.matrix import Matrix

TRIALS = 10_000
"""The number of trials unless a correction needs more."""
MARGIN = 4
"""Trials are raised to this multiple of the number with which a p-value without any exceedance is just significant."""
GROWTH = 4
"""Before the trials of a pair grow by this factor, pairs that can no longer become significant are dropped."""


@record()
class Tested:
    """The p-values of all pairs, before and after correction, and a note if they cannot be small enough."""

    measure: str
    p: Floats
    p_corrected: Floats
    note: Note | None


class Ranges:
    """The ranges of Tukey's test for several measures; those with the same runs and queries share permutations.

    Their randomisation tests share `signs`.
    """

    def __init__(self, matrices: Sequence[Matrix]) -> None:
        self._matrices = matrices
        self.signs = statistics.Signs() if len(matrices) > 1 else None
        self._known: dict[tuple[str, int, int], Floats] = {}

    def of(self, matrix: Matrix, trials: int, seed: int, jobs: int, progress: Progress | None) -> Floats:
        """The range of the means in each trial."""
        if (matrix.measure, trials, seed) not in self._known:
            order = statistics.order_by_name(matrix.runs)
            same = [one for one in self._matrices if (one.runs, one.queries) == (matrix.runs, matrix.queries)]
            values = np.stack([one.values[order] for one in same])
            ranges = statistics.largest_ranges(values, trials, seed, jobs, progress)
            self._known |= {(one.measure, trials, seed): row for one, row in zip(same, ranges, strict=True)}
        return self._known[matrix.measure, trials, seed]


def notes_by_measure(outcomes: Iterable[Tested]) -> list[str]:
    """The notes of several measures; measures with the same note share it."""
    measures: dict[Note, list[str]] = {}
    for outcome in outcomes:
        if outcome.note is not None:
            measures.setdefault(outcome.note, []).append(outcome.measure)
    return [note.on(", ".join(names)) for note, names in measures.items()]


def significance(
    matrix: Matrix,
    first: Ints,
    second: Ints,
    test: str,
    correction: str,
    *,
    alpha: float,
    trials: int | None,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    ranges: Ranges | None = None,
    difference: Floats | None = None,
    sums: statistics.Sums | None = None,
) -> Tested:
    """Test every pair of runs. Without `trials` there are 10,000, and more if significance needs smaller p-values.

    `ranges` are those of Tukey's test, with the signs that measures share; `difference` is that of the pairs, and
    `sums` are its sums, if they are known already.
    """
    pairs = len(first)
    signs = None if ranges is None else ranges.signs
    if not pairs:
        return Tested(matrix.measure, np.empty(0), np.empty(0), None)
    factor = pairs if correction in ("holm", "bonferroni") else 1
    queries = len(matrix.queries)
    exact_least = least_p(test, queries, len(matrix.runs))
    impossible = exact_least * factor > alpha
    is_random = test == "tukey" or (test == "randomisation" and queries > statistics.EXACT_QUERIES)
    used = np.full(pairs, TRIALS if trials is None else trials)
    if test == "randomisation" and is_random and trials is None and not impossible:
        if difference is None:
            difference = statistics.differences(matrix.values, first, second)
        pairing = statistics.Pairing(matrix.values, first, second)
        p, used = raised_sign_flips(difference, correction, alpha, seed, jobs, progress, pairing, signs, sums)
    else:
        if test == "tukey" and trials is None and not impossible and _is_coarse(1, alpha):
            used[:] = _enough(1, alpha)
        known = None
        if test == "tukey" and ranges is not None:
            known = ranges.of(matrix, int(used[0]), seed, jobs, progress)
        p = statistics.p_values(
            matrix, first, second, test, trials=int(used[0]), seed=seed, jobs=jobs, progress=progress, ranges=known,
            signs=signs,
        )  # fmt: skip
    p_corrected = statistics.corrected(p, correction)
    note: Note | None = None
    if impossible:
        note = studies.TOO_FEW_QUERIES.note(count=queries, least=exact_least, needed=alpha / factor)
    elif is_random and trials is not None and not (p_corrected <= alpha).any():
        is_least = p <= 1 / (trials + 1)
        needed = alpha * max(1, int(is_least.sum())) / pairs if correction == "bh" else alpha / factor
        if 1 / (trials + 1) > needed:
            enough = math.ceil((1 if correction == "none" else pairs) / alpha)
            note = studies.TOO_FEW_TRIALS.note(trials=trials, least=1 / (trials + 1), needed=needed, enough=enough)
    elif is_random and used.max() > TRIALS:
        count = int((used > TRIALS).sum())
        note = studies.MORE_TRIALS.note(trials=int(used.max()), count=count, pairs=pairs, usual=TRIALS, alpha=alpha)
    return Tested(matrix.measure, p, p_corrected, note)


def least_p(test: str, queries: int, runs: int) -> float:
    """The smallest p-value that a test can give, before correction and with any number of trials.

    Flipping all signs leaves the size of a mean as it is, and so does giving the runs each other's names in Tukey's
    test: at least that many of all assignments are as extreme as the data.
    """
    if test == "randomisation" or (test == "wilcoxon" and queries <= statistics.EXACT_SIGNED_RANKS):
        return math.ldexp(1.0, 1 - queries)
    if test == "tukey":
        return math.exp((1 - queries) * math.lgamma(runs + 1))
    return 0.0


def one_sided_test(difference: Floats, alpha: float, seed: int) -> Floats:
    """P-values of the randomisation test that means are above 0, with enough trials for the level `alpha`.

    Up to 16 queries they are exact.
    """
    return statistics.sign_flips(difference, max(TRIALS, _enough(1, alpha)), seed, one_sided=True)


def fewest_queries(alpha: float) -> int:
    """The smallest number of queries with which the one-sided randomisation test can be significant."""
    return math.ceil(-math.log2(alpha) - 1e-12)


def raised_sign_flips(
    difference: Floats,
    correction: str,
    alpha: float,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    pairing: statistics.Pairing | None = None,
    signs: statistics.Signs | None = None,
    sums: statistics.Sums | None = None,
) -> tuple[Floats, Ints]:
    """P-values of the randomisation test, and the trials of each pair; with `pairing` and shared `signs` it is faster.

    If 10,000 trials cannot give a p-value that is significant after correction, the trials of some pairs are raised in
    steps: of those that would be significant if no further trial were as extreme as the data. The others cannot become
    significant, so that which pairs are significant does not depend on the steps.
    """
    pairs = len(difference)
    factor = 1 if correction == "none" else pairs
    most = _enough(factor, alpha)
    is_coarse = _is_coarse(factor, alpha)
    is_certain = is_coarse and correction != "bh"  # there it depends on the number of small p-values
    total = (most if is_certain else TRIALS) // statistics.PIECE

    sums = statistics.Sums.of(difference) if sums is None else sums

    def counted(rows: Ints | None, begun: int, end: int) -> Ints:
        def advance(done: int, _: int) -> None:
            if progress is not None:
                progress(begun // statistics.PIECE + done, max(total, end // statistics.PIECE))

        return statistics.flip_counts(
            difference, begun, end, seed, jobs, advance, pairing=pairing, signs=signs, rows=rows, sums=sums
        )

    counts = counted(None, 0, TRIALS)
    trials = np.full(pairs, TRIALS)
    p: Floats = (counts + 1) / (TRIALS + 1)
    if is_coarse and (is_certain or ((counts == 0) & (statistics.corrected(p, correction) > alpha)).any()):
        done = TRIALS
        while done < most:
            at_best = statistics.corrected((counts + 1) / (most + 1), correction)
            rows = np.flatnonzero(at_best <= alpha)
            if not len(rows):
                break
            end = min(most, GROWTH * done)
            counts[rows] += counted(rows, done, end)
            trials[rows] = done = end
        p = (counts + 1) / (trials + 1)
        if progress is not None:
            progress(total, total)
    return p, trials


def _is_coarse(factor: int, alpha: float) -> bool:
    """Whether the smallest p-value of the usual number of trials is not significant after multiplication."""
    return factor / (TRIALS + 1) > alpha


def _enough(factor: int, alpha: float) -> int:
    """Trials that are enough for a p-value well below alpha / factor, in whole pieces."""
    return math.ceil(MARGIN * factor / alpha / statistics.PIECE) * statistics.PIECE
