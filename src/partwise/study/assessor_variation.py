"""How much scores depend on the assessor: all combinations of judgements, and the agreement of assessors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from partwise.collection import Collection
from partwise.evaluation import Evaluation
from partwise.evaluators import Evaluates, evaluator_of
from partwise.measures import better_of
from partwise.messages import studies
from partwise.model import Assessments, Bools, Floats, Ints
from partwise.options import RunId
from partwise.parameters import check_choice
from partwise.records import record
from partwise.study.chance import Progress, streams
from partwise.study.error_rates import FUZZ, rates
from partwise.study.findings import Findings, Row, check_whole, defined
from partwise.study.ranking import tau_b
from partwise.types import ASSESSOR_TABLES, MOST_TRIALS, AssessorTable

LEVELS: dict[str, tuple[str, ...]] = {
    "section": ("sec", "section", "ss1", "ss2", "ss3"),
    "paragraph": ("p", "ip1", "ip2", "para"),
}
"""The tags of sections and paragraphs by default."""
SCOPES = ("several assessors", "all queries")


@record()
class Variation:
    """The means of all runs under one measure for every combination of assessors; the first is the official one."""

    measure: str
    scope: str
    runs: Sequence[str]
    queries: int
    means: Floats
    lower: bool

    def taus(self) -> list[float]:
        """tau of every other combination against the official one, if defined."""
        good = np.round(-self.means if self.lower else self.means, 12)
        taus = [tau_b(good[0], row) for row in good[1:]]
        return [tau for tau in taus if not math.isnan(tau)]


@record(repr=False)
class AssessorStudy(Findings):
    """The result of `assessors`: the stability of the ranking by measure and scope, spreads, and agreement.

    ``rows()`` are those of the ranking, or of what `shows` names.
    """

    labels: ClassVar[int] = 2
    variations: Sequence[Variation]
    agreement: Sequence[Row]
    notes: Sequence[str]
    shows: AssessorTable = "ranking"

    def rows(self) -> list[Row]:
        parts: dict[AssessorTable, Callable[[], list[Row]]] = {
            "ranking": self.ranking,
            "spread": self.spread,
            "agreement": lambda: list(self.agreement),
        }
        return parts[self.shows]()

    def ranking(self) -> list[Row]:
        """How the ranking of the runs changes with the assessors, by measure and scope."""
        rows: list[Row] = []
        for of in self.variations:
            taus = of.taus()
            error, ties = rates(-of.means if of.lower else of.means, FUZZ)
            rows.append(
                {
                    "measure": of.measure,
                    "scope": of.scope,
                    "runs": len(of.runs),
                    "topics": of.queries,
                    "combinations": len(of.means),
                    "tau_mean": math.fsum(taus) / len(taus) if taus else None,
                    "tau_min": min(taus, default=None),
                    "tau_max": max(taus, default=None),
                    "error_rate": error,
                    "ties": ties,
                }
            )
        return rows

    def spread(self) -> list[Row]:
        """The official mean, and the mean, lowest and highest over all combinations, by measure, scope and run."""
        return [
            {
                "measure": of.measure,
                "scope": of.scope,
                "run": run,
                "official": float(of.means[0, i]),
                "mean": float(of.means[:, i].mean()),
                "low": float(of.means[:, i].min()),
                "high": float(of.means[:, i].max()),
            }
            for of in self.variations
            for i, run in enumerate(of.runs)
        ]

    def tables(self) -> list[tuple[str, list[Row]]]:
        tables: list[tuple[str, list[Row]]] = [
            (studies.RANKING_STABILITY.note(), self.ranking()),
            (studies.SPREAD.note(), self.spread()),
        ]
        if self.agreement:
            tables.append((studies.ASSESSOR_AGREEMENT.note(), list(self.agreement)))
        return tables


def assessors(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    levels: Mapping[str, Sequence[str]] | None = None,
    limit: int = 1000,
    seed: int = 0,
    shows: AssessorTable = "ranking",
    run_id: RunId | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> AssessorStudy:
    """Score the runs under every combination of the assessors of queries that several judged.

    The official combination has the first assessor of every query in the file. If there are more than `limit`
    combinations, the official one and random others are used. `levels` maps names of levels, such as ``section``, to
    the tags of the elements on which the agreement of assessors is computed. `shows` chooses what ``rows()`` returns:
    ``ranking``, ``spread`` or ``agreement``.

    `qrels`, `runs`, `measures` and `options` are those of `partwise.evaluate`; a `partwise.Evaluator` may be given
    instead of the assessments, without measures and options.

    - `seed`: the seed of the random numbers, on which alone they depend.
    - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
    - `progress`: a function that is called with the number of steps done and their total.
    """
    check_choice("shows", shows, ASSESSOR_TABLES)
    check_whole("limit", limit, 2, MOST_TRIALS)
    check_whole("seed", seed, 0)
    evaluator = evaluator_of(qrels, measures, options)
    evaluation = evaluator.evaluation
    assessments = evaluation.judgements.assessments
    choices = assessors_by_query(assessments)
    several = [query for query, names in choices.items() if len(names) > 1]
    if not several:
        raise assessments.source.error(studies.ONE_ASSESSOR())
    notes: list[str] = []
    values, names = _values(evaluator, runs, choices, run_id, progress)
    counts = np.array([len(choices[query]) for query in evaluation.judgements.queries])
    chosen = combinations_of(counts, limit, seed)
    possible = math.prod(counts.tolist())
    if possible > len(chosen):
        notes.append(studies.SOME_COMBINATIONS.note(possible=_count(possible), count=len(chosen) - 1))
    variations = []
    for i, measure in enumerate(evaluation.measures):
        for scope, queries in zip(SCOPES, (counts > 1, counts > 0), strict=True):
            means = combined_means(values[i], chosen, queries)
            lower = better_of(measure.name) == "lower"
            variations.append(Variation(measure.name, scope, names, int(queries.sum()), means, lower))
    agreement = agreement_of(
        assessments, evaluation.judgements.collection, choices, LEVELS if levels is None else levels
    )
    return AssessorStudy(variations, agreement, tuple(notes), shows)


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"about 10^{len(str(number)) - 1}"


def assessors_by_query(assessments: Assessments) -> dict[str, list[str]]:
    """The assessors of every query, in the order of the file."""
    documents = assessments.documents
    assessors_of: dict[str, list[str]] = {}
    for row in np.argsort(documents.lines, kind="stable").tolist():
        names = assessors_of.setdefault(assessments.queries[int(documents.query[row])], [])
        name = assessments.assessors[int(documents.assessor[row])]
        if name not in names:
            names.append(name)
    return assessors_of


def combinations_of(counts: Ints, limit: int, seed: int) -> Ints:
    """The number of each query's assessor in each combination: all combinations, or the first and random others."""
    if math.prod(counts.tolist()) <= limit:
        number = np.arange(math.prod(counts.tolist()))
        chosen = np.zeros((len(number), len(counts)), np.int64)
        for query in range(len(counts) - 1, -1, -1):
            number, chosen[:, query] = np.divmod(number, counts[query])
        return chosen
    [(chance, count)] = streams(seed, "assessors", limit - 1, limit)
    others = chance.integers(0, counts, (count, len(counts)))
    return np.concatenate([np.zeros((1, len(counts)), np.int64), others])


def combined_means(values: Floats, chosen: Ints, queries: Bools) -> Floats:
    """Means by combination and run over these queries; a query without a value (NaN) for an assessor is left out.

    `values` has the axes number of the assessor, run and query.
    """
    scored = ~np.isnan(values) & queries
    filled = np.where(scored, values, 0.0)
    total, count = np.zeros((len(chosen), values.shape[1])), np.zeros((len(chosen), values.shape[1]))
    for choice in range(len(values)):
        picked = (chosen == choice).astype(np.float64)
        total += picked @ filled[choice].T
        count += picked @ scored[choice].T
    return np.divide(total, count, out=np.zeros_like(total), where=count > 0)


def _values(
    evaluator: Evaluates,
    runs: Any,
    choices: Mapping[str, Sequence[str]],
    run_id: RunId | None,
    progress: Progress | None,
) -> tuple[list[Floats], list[str]]:
    """For each measure the values by number of the assessor, run and query (NaN if not scored); the names of runs."""
    evaluation = evaluator.evaluation
    rounds = max(len(names) for names in choices.values())
    each = [
        evaluation.with_assessors({query: names[min(i, len(names) - 1)] for query, names in choices.items()})
        for i in range(rounds)
    ]
    place = {query: i for i, query in enumerate(evaluation.judgements.queries)}
    names: list[str] = []
    values: list[list[list[Floats]]] = []  # by run, number of the assessor, measure
    all_runs = list(evaluator.read(runs, run_id=run_id))
    for number, run in enumerate(all_runs):
        names.append(run.run_id)
        values.append([_by_query(one, run, place) for one in each])
        if progress is not None:
            progress(number + 1, len(all_runs))
    return [
        np.array([[of_run[i][m] for of_run in values] for i in range(rounds)]) for m in range(len(evaluation.measures))
    ], names


def _by_query(evaluation: Evaluation, run: Any, place: Mapping[str, int]) -> list[Floats]:
    values = []
    for block in evaluation.score(run)[0]:
        row = np.full(len(place), np.nan)
        row[[place[query] for query in block.queries]] = block.values
        values.append(row)
    return values


# ---- agreement of assessors -----------------------------------------------------------------------------------


def agreement_of(
    assessments: Assessments,
    collection: Collection | None,
    choices: Mapping[str, Sequence[str]],
    levels: Mapping[str, Sequence[str]],
) -> list[Row]:
    """What both assessors marked as a share of what either marked, over all pairs of assessors of a query.

    A row per level: ``overlap`` pools all queries; ``mean`` is the mean over pairs that marked anything.
    """
    marks = _Marks(assessments, collection)
    names = ["article", *(levels if collection is not None else ()), "character", "exact"]
    both, either = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    shares: dict[str, list[float]] = {name: [] for name in names}
    for query, of_query in choices.items():
        for one, other in combinations(of_query, 2):
            first, second = marks.of(query, one, levels), marks.of(query, other, levels)
            for name in names:
                same, all_of = first.shared(second, name)
                both[name] += same
                either[name] += all_of
                if all_of:
                    shares[name].append(same / all_of)
    return [
        {
            "level": name,
            "both": both[name],
            "either": either[name],
            "overlap": both[name] / either[name] if either[name] else None,
            "pairs": len(shares[name]),
            "mean": defined(math.fsum(shares[name]) / len(shares[name])) if shares[name] else None,
        }
        for name in names
    ]


@record()
class _Marked:
    """What one assessor marked for a query: sets of parts by level, and the passages of each document."""

    sets: Mapping[str, set[Any]]
    passages: Mapping[str, list[tuple[int, int]]]

    def shared(self, other: _Marked, level: str) -> tuple[int, int]:
        """The sizes of the intersection and the union of what two assessors marked."""
        if level != "character":
            one, two = self.sets[level], other.sets[level]
            return len(one & two), len(one | two)
        both = sum(
            max(0, min(end, other_end) - max(start, other_start))
            for doc, spans in self.passages.items()
            for start, end in spans
            for other_start, other_end in other.passages.get(doc, ())
        )
        return both, self.characters() + other.characters() - both

    def characters(self) -> int:
        return sum(end - start for spans in self.passages.values() for start, end in spans)


class _Marks:
    """The marks of each assessor for each query."""

    def __init__(self, assessments: Assessments, collection: Collection | None) -> None:
        self.assessments = assessments
        self.collection = collection
        self.rows = {
            name: _grouped(table.query, table.assessor)
            for name, table in (
                ("documents", assessments.documents),
                ("spans", assessments.spans),
                ("elements", assessments.elements),
            )
        }
        self.query = {name: code for code, name in enumerate(assessments.queries)}
        self.assessor = {name: code for code, name in enumerate(assessments.assessors)}

    def of(self, query: str, assessor: str, levels: Mapping[str, Sequence[str]]) -> _Marked:
        key = self.query[query], self.assessor[assessor]
        spans, elements = self.assessments.spans, self.assessments.elements
        passages: dict[str, list[tuple[int, int]]] = {}
        for row in self.rows["spans"].get(key, ()):
            if not spans.highlighted[row]:
                continue
            doc = self.assessments.docs[int(spans.doc[row])]
            passages.setdefault(doc, []).append((int(spans.start[row]), int(spans.end[row])))
        passages = {doc: merged for doc, of_doc in passages.items() if (merged := _merged(of_doc))}
        graded: dict[str, dict[str, tuple[float, float]]] = {}
        for row in self.rows["elements"].get(key, ()):
            e, s = float(elements.exhaustivity[row]), float(elements.specificity[row])
            if e > 0 and s > 0:
                graded.setdefault(self.assessments.docs[int(elements.doc[row])], {})[elements.path[row]] = e, s
        documents = self.assessments.documents
        whole_documents = {
            self.assessments.docs[int(documents.doc[row])]
            for row in self.rows["documents"].get(key, ())
            if documents.grade[row] > 0
        }
        sets: dict[str, set[Any]] = {
            "article": {*passages, *graded, *whole_documents},
            "exact": {(doc, *span) for doc, of_doc in passages.items() for span in of_doc}
            | {(doc, path, *grades) for doc, of_doc in graded.items() for path, grades in of_doc.items()},
        }
        for name, tags in levels.items():
            sets[name] = set(self._elements(passages, graded, set(tags))) if self.collection is not None else set()
        return _Marked(sets, passages)

    def _elements(
        self,
        passages: Mapping[str, list[tuple[int, int]]],
        graded: Mapping[str, Mapping[str, tuple[float, float]]],
        tags: set[str],
    ) -> Iterator[tuple[str, int]]:
        """Yield the elements with these tags that are graded relevant or contain marked text."""
        for doc in {*passages, *graded}:
            if self.collection is None or doc not in self.collection:
                continue
            document = self.collection[doc]
            for path in graded.get(doc, ()):
                node = document.node(path)
                if document.tag[node] in tags:
                    yield doc, node
            if doc in graded:
                continue  # grades take precedence over highlights
            for start, end in passages.get(doc, ()):
                for node in np.flatnonzero((document.start < end) & (document.end > start)).tolist():
                    if document.tag[node] in tags:
                        yield doc, node


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Passages, sorted and without empty ones; overlapping passages are merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _grouped(query: Ints, assessor: Ints) -> dict[tuple[int, int], list[int]]:
    rows: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(zip(query.tolist(), assessor.tolist(), strict=True)):
        rows.setdefault(key, []).append(row)
    return rows
