"""What ``import partwise as pw`` offers."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from partwise import formats
from partwise.collection import Collection, Document, write_index
from partwise.engines import local
from partwise.errors import PartwiseError, shown
from partwise.evaluation import Evaluation, by_tag, element_facts, first_ranks, ideal_rows
from partwise.files import write_bytes
from partwise.measures import Measure, by_name, families, measures_from, unknown
from partwise.measures import parse as measure
from partwise.model import ALL, COLUMNS, Assessments, Piece, Run, Scores
from partwise.navigation import (
    Links,
    Navigation,
    NavigationGraph,
    Places,
    Question,
    given_models,
    read_graph,
    register_navigation,
    routes_in,
)
from partwise.parameters import Param, parse_name
from partwise.parameters import check_choice as _choice
from partwise.presets import TASKS
from partwise.relevance.quantise import register_quantisation
from partwise.resolve import judge
from partwise.scores import notes_of_assessments
from partwise.tables.documents import BEP, BEPn, F

if TYPE_CHECKING:
    from partwise import study as study
    from partwise.adapters.placing import LocatedRows as LocatedRows
    from partwise.checks import Finding as Finding
    from partwise.checks import Findings as Findings
    from partwise.demo_data import Demo as Demo
    from partwise.location import Located as Located
    from partwise.location import Locations as Locations
    from partwise.report import charts as charts
    from partwise.report.charts import check_picture as check_picture
    from partwise.report.charts import write_picture as write_picture
    from partwise.study.comparison import Comparison as Comparison
    from partwise.study.curve_points import curve_measures as curve_measures

__all__ = [
    "ALL",
    "BEP",
    "COLUMNS",
    "Assessments",
    "BEPn",
    "Collection",
    "Comparison",
    "Demo",
    "Document",
    "Evaluator",
    "F",
    "Finding",
    "Findings",
    "IdealRun",
    "Links",
    "Located",
    "LocatedRows",
    "Locations",
    "Navigation",
    "NavigationGraph",
    "Param",
    "PartwiseError",
    "Places",
    "Question",
    "Run",
    "Scores",
    "check",
    "check_rules",
    "compare",
    "convert",
    "demo",
    "evaluate",
    "explain",
    "ideal",
    "learn_navigation",
    "list_measures",
    "locate",
    "locate_rows",
    "measure",
    "measure_page",
    "read_assessments",
    "read_navigation",
    "read_runs",
    "read_scores",
    "register_navigation",
    "register_quantisation",
    "spans",
    "study",
    "tree",
    "write_assessments",
    "write_index",
    "write_report",
    "write_run",
    "write_scores_report",
]

TOPICS = ("judged", "run")
ORDERS = ("rank", "score")
UNITS = ("chars", "bytes")
RUN_IDS = ("stem", "tag")


_LATER = {
    "Demo": "demo_data",
    "Finding": "checks",
    "Findings": "checks",
    "Located": "location",
    "LocatedRows": "adapters.placing",
    "Locations": "location",
    "Comparison": "study.comparison",
    "curve_measures": "study.curve_points",
    "check_picture": "report.charts",
    "write_picture": "report.charts",
}
_ROOMS = {"study": "study", "charts": "report.charts"}
"""Where names live that are loaded when they are first asked for: an evaluation needs none of them."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"partwise.{_ROOMS[name]}")
    if name in _LATER:
        return getattr(import_module(f"partwise.{_LATER[name]}"), name)
    raise AttributeError(f"module 'partwise.api' has no attribute {name!r}")


class Evaluator:
    """Assessments and measures made ready once, to score runs as they come.

    >>> import partwise as pw
    >>> evaluator = pw.Evaluator({"q1": [("handbook", 10, 80)]}, ["TextP@5", "TextR@5"])
    >>> evaluator.evaluate({"q1": [("handbook", 0, 100)]}).mean()
    {'run': {'TextP@5': 0.7, 'TextR@5': 1.0}}
    """

    def __init__(
        self,
        qrels: Any,
        measures: Any = None,
        *,
        task: str | None = None,
        topics: str = "judged",
        order: str | None = None,
        unit: str = "chars",
        assessor: str | None = None,
        lengths: Any = None,
        collection: Any = None,
        navigation: Any = None,
        lenient: bool = False,
    ) -> None:
        _choice("topics", topics, TOPICS)
        if order is not None:
            _choice("order", order, ORDERS)
        _choice("unit", unit, UNITS)
        self.unit = unit
        self.lenient = lenient
        self.notes: list[str] = []
        wanted = requested(measures, task)
        assessments = formats.assessments_from(qrels, unit=unit, lenient=lenient, notes=self.notes)
        self.evaluation = Evaluation(
            assessments,
            wanted,
            topics=topics,
            order=order,
            assessor=assessor,
            lengths=formats.lengths_from(lengths, lenient=lenient, notes=self.notes),
            collection=opened(collection),
            navigation=given_models(navigation),
        )
        self.notes += [f"{assessments.source.name}: {note}" for note in assessments.notes]
        self.notes += notes_of_assessments(assessments.source.name, self.evaluation.judgements.past_end)

    @property
    def measures(self) -> list[Measure]:
        """The measures, in the order asked for."""
        return list(self.evaluation.measures)

    def evaluate(
        self,
        runs: Any,
        *,
        run_id: str = "stem",
        jobs: int | None = None,
        progress: local.Progress | None = None,
    ) -> Scores:
        """Score one run or several: paths, mappings by query, lists of dicts, pandas, Polars or Arrow tables.

        A mapping of names to any of these gives the runs their names; several runs in one of them keep their own
        behind it. `jobs` is the number of threads, by default one per core (one for measures of elements, where
        more do not help); the values do not depend on it.
        """
        _choice("run_id", run_id, RUN_IDS)
        if jobs is not None and (not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1):
            raise PartwiseError(f"jobs is {shown(jobs)}", "it must be a whole number from 1")
        notes = list(self.notes)
        return local.evaluate(self.evaluation, self._sources(runs, run_id, notes), notes, progress, jobs)

    def evaluate_on_spark(self, paths: Sequence[str], *, master: str | None = None) -> Scores:
        """Score runs in Parquet files, folders or patterns of them, on any store that Spark reads.

        `master` is the cluster; by default it is this machine. For DataFrames see `partwise.engines.spark.evaluate`.
        """
        from partwise.engines import spark_files

        return spark_files.evaluate_files(
            self.evaluation, paths, self.notes, unit=self.unit, lenient=self.lenient, master=master
        )

    def read(self, runs: Any, *, run_id: str = "stem") -> Iterator[Run]:
        """The runs one by one, from whatever `evaluate` takes."""
        _choice("run_id", run_id, RUN_IDS)
        for source in self._sources(runs, run_id, list(self.notes)):
            yield from source()

    def by_tag(self, runs: Any, *, run_id: str = "stem") -> list[dict[str, Any]]:
        """What each kind of element contributes to each measure, a row per run and tag.

        The contribution of a tag is what the measure's mean loses when its results stay as long as they are and bring
        nothing; ``results``, ``characters`` and ``highlighted`` say how many there are, what they show, and how much
        new highlighted text that is.
        """
        _choice("run_id", run_id, RUN_IDS)
        if self.evaluation.judgements.collection is None:
            raise PartwiseError("tags are those of the documents' elements", "give the collection (--collection)")
        sources = self._sources(runs, run_id, list(self.notes))
        return [row for source in sources for run in source() for row in by_tag(self.evaluation, run)]

    def _sources(self, runs: Any, run_id: str, notes: list[str]) -> list[_Source]:
        return _run_sources(runs, run_id, self.unit, self.lenient, notes)


def _run_sources(runs: Any, run_id: str, unit: str, lenient: bool, notes: list[str]) -> list[_Source]:
    """What reads each of the runs that a user gives, under its name."""
    given = formats.named_runs(runs)
    paths = [item for name, item in given if name is None and formats.is_path(item)]
    stems = iter(formats.run_names(paths))
    unnamed = [item for name, item in given if name is None and not formats.is_path(item)]
    numbers = iter(range(1, len(unnamed) + 1))
    sources = []
    for name, item in given:
        if formats.is_path(item):
            told = next(stems) if name is None else name
            by_tag = name is None and run_id == "tag"
        else:
            told = name or ("run" if len(unnamed) == 1 else f"run{next(numbers)}")
            by_tag = False
        sources.append(_Source(item, told, name, by_tag, unit, lenient, notes))
    return sources


@dataclass(frozen=True, eq=False, repr=False)
class _Source:
    """A file or an object with runs; `given_name` is the user's own name for it."""

    item: Any
    run_id: str
    given_name: str | None
    by_tag: bool
    unit: str
    lenient: bool
    notes: list[str]

    @property
    def name(self) -> str:
        return str(os.fspath(self.item))

    def __call__(self) -> list[Run]:
        return self.read(self.notes)

    def read(self, notes: list[str]) -> list[Run]:
        unit, lenient = self.unit, self.lenient
        if formats.is_path(self.item):
            runs = formats.read_runs(
                self.item, run_id=self.run_id, by_tag=self.by_tag, unit=unit, lenient=lenient, notes=notes
            )
        else:
            runs = formats.objects.runs_from_object(self.item, self.run_id, unit, lenient, notes)
        name = self.given_name
        if name is None:
            return runs
        if len(runs) == 1:
            return [replace(runs[0], run_id=name)]
        return [replace(run, run_id=f"{name}/{run.run_id}") for run in runs]  # several keep their own behind it

    def pieces(self) -> Iterator[Callable[[], Piece]] | None:
        if not formats.is_path(self.item) or self.by_tag or not formats.blocks.is_plain(self.item):
            return None
        return formats.blocks.TextRun(self.name, self.run_id, self.unit).pieces()

    def notes_of_pieces(self, tags: frozenset[str]) -> list[str]:
        return formats.text.tags_note(self.name, len(tags))


@dataclass(frozen=True, eq=False, repr=False)
class _Held:
    """Runs that were read and are needed several times, and the notes of reading them."""

    name: str
    run_id: str
    runs: list[Run]
    notes: list[str]

    @classmethod
    def of(cls, source: _Source) -> _Held:
        notes: list[str] = []
        runs = source.read(notes)
        return cls(source.name if formats.is_path(source.item) else source.run_id, source.run_id, runs, notes)

    def read(self, notes: list[str]) -> list[Run]:
        notes += self.notes
        return self.runs

    def pieces(self) -> None:
        return None

    def notes_of_pieces(self, tags: frozenset[str]) -> list[str]:
        return []


def requested(measures: Any, task: str | None) -> list[Measure] | None:
    """The measures of a task and those named beside it; None when neither is given."""
    if task is not None:
        _choice("task", task, tuple(TASKS))
        preset = measures_from(TASKS[task])
        return preset if measures is None else list(dict.fromkeys([*preset, *measures_from(measures)]))
    return None if measures is None else measures_from(measures)


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    task: str | None = None,
    topics: str = "judged",
    order: str | None = None,
    unit: str = "chars",
    assessor: str | None = None,
    lengths: Any = None,
    collection: Any = None,
    navigation: Any = None,
    run_id: str = "stem",
    lenient: bool = False,
    jobs: int | None = None,
    progress: local.Progress | None = None,
) -> Scores:
    """Score runs of document parts against assessments.

    `qrels` and each of `runs` are a path, a mapping by query, a list of dicts, or a pandas, Polars or Arrow table; a
    measure is an object (``pw.iP @ 0.01``) or a name (``"iP@0.01"``). Without measures a default set is reported.
    `navigation` makes models known by name: ``{"users": "users.json"}`` lets a measure say ``nav=users``.

    >>> import partwise as pw
    >>> qrels = [{"query_id": "q1", "doc_id": "handbook", "start": 10, "end": 80}]
    >>> run = {"q1": [{"doc_id": "handbook", "start": 0, "end": 100}]}
    >>> pw.evaluate(qrels, run, ["TextIoU@5", pw.iP @ 0.01]).mean()
    {'run': {'TextIoU@5': 0.7, 'iP@0.01': 0.7}}
    """
    evaluator = Evaluator(
        qrels,
        measures,
        task=task,
        topics=topics,
        order=order,
        unit=unit,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        navigation=navigation,
        lenient=lenient,
    )
    return evaluator.evaluate(runs, run_id=run_id, jobs=jobs, progress=progress)


def compare(
    scores: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    baseline: str | Sequence[str] | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: local.Progress | None = None,
    **inputs: Any,
) -> Comparison:
    """Compare the runs with each other, or with one or several baselines, under every measure.

    Give scores (``compare(scores, "bm25")`` compares with that baseline), or what `evaluate` takes: assessments, runs,
    measures, and among `inputs` a collection and the like (``compare(qrels, runs, ["iAP"], baseline="bm25")``).

    `test` is ``randomisation`` (sign flips; exact up to 16 topics), ``t``, ``wilcoxon`` or ``tukey`` (randomised HSD
    over all runs). `correct` is ``holm`` (the default), ``bonferroni``, ``bh`` or ``none``, over the pairs of one
    measure; Tukey's test holds for all pairs already. Random numbers come from `seed` alone, whatever `jobs` is.

    >>> import partwise as pw
    >>> qrels = {"q1": [("d", 0, 50)], "q2": [("d", 50, 80)]}
    >>> runs = {"a": {"q1": [("d", 0, 50)], "q2": [("d", 50, 80)]}, "b": {"q1": [("d", 0, 100)], "q2": [("d", 0, 80)]}}
    >>> [(row["run_id"], row["mean"]) for row in pw.compare(qrels, runs, "TextP", baseline="a").rows()]
    [('a', 1.0), ('b', 0.4375)]
    """
    from partwise.study import comparison

    noted: tuple[str, ...] = ()
    if isinstance(scores, Scores):
        for name in ["measures"] * (measures is not None) + list(inputs):
            raise PartwiseError(f"{name} is given with scores", "leave it out, or give assessments and runs")
        if runs is not None and baseline is not None:
            raise PartwiseError("the baseline is given twice", "give it once")
        baseline = runs if runs is not None else baseline
    elif runs is None:
        raise PartwiseError("no run is given", "give scores, or assessments and runs")
    else:
        scores = evaluate(scores, runs, measures, **inputs)
        noted = scores.notes
    found = comparison.compare(
        scores,
        baseline,
        test=test,
        correct=correct,
        alpha=alpha,
        confidence=confidence,
        trials=trials,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    return replace(found, notes=(*noted, *found.notes))


def on_spark(path: str | None, master: str | None = None) -> Any:
    """Assessments or lengths at an address (``s3a://...``), read by Spark from Parquet; other paths as they are."""
    if path is None or "://" not in path:
        return path
    from partwise.engines import spark_files

    return spark_files.read_table(path, master)


def write_report(
    path: str | os.PathLike[str],
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    title: str = "partwise report",
    queries: Any = None,
    max_mb: float = 20,
    seed: int = 0,
    task: str | None = None,
    topics: str = "judged",
    order: str | None = None,
    unit: str = "chars",
    assessor: str | None = None,
    lengths: Any = None,
    collection: Any = None,
    navigation: Any = None,
    run_id: str = "stem",
    lenient: bool = False,
    progress: local.Progress | None = None,
) -> int:
    """Write a report as one HTML page that opens offline: leaderboard, curves, topics, ranked lists and documents.

    Inputs are those of `evaluate`. `queries` are the topics' titles (a mapping, a table or a file), `max_mb` is how
    large the page may get: what does not fit is left out, and the page says so. Returns its size in bytes.
    """
    from partwise.report.compose import add_curves, add_lists, add_settings, contents_of_scores, sentence_of_runs
    from partwise.report.page import require_packages

    require_packages()
    titles = formats.titles_from(queries)
    evaluator = Evaluator(
        qrels,
        measures,
        task=task,
        topics=topics,
        order=order,
        unit=unit,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        navigation=navigation,
        lenient=lenient,
    )
    _choice("run_id", run_id, RUN_IDS)
    evaluation = evaluator.evaluation
    sources = [_Held.of(source) for source in evaluator._sources(runs, run_id, [])]
    scores = local.evaluate(evaluation, sources, list(evaluator.notes), progress)
    found = [run for source in sources for run in source.runs]
    contents = contents_of_scores(scores, _meanings(evaluator.measures), title, seed)
    contents.titles = titles
    add_settings(contents, evaluation, assessor)
    add_lists(contents, evaluation, found)
    add_curves(contents, evaluation, found)
    contents.sentence = sentence_of_runs(contents, evaluation)
    return _write_page(path, contents, max_mb)


def write_scores_report(
    path: str | os.PathLike[str],
    scores: Scores,
    *,
    title: str = "partwise report",
    queries: Any = None,
    max_mb: float = 20,
    seed: int = 0,
) -> int:
    """Write a report of scores alone, such as those saved earlier: leaderboard and topics."""
    from partwise.report.compose import contents_of_scores

    measures = []
    for name in scores.measures:
        with contextlib.suppress(PartwiseError):  # a measure that is known no more is shown all the same
            measures.append(measure(name))
    contents = contents_of_scores(scores, _meanings(measures), title, seed)
    contents.titles = formats.titles_from(queries)
    return _write_page(path, contents, max_mb)


def _write_page(path: str | os.PathLike[str], contents: Any, max_mb: float) -> int:
    from partwise.report.build import page

    html = page(contents, max_mb).encode()
    write_bytes(path, html)
    return len(html)


def _meanings(measures: Sequence[Measure]) -> dict[str, tuple[str, str]]:
    return {one.name: (one.meaning, one.better) for one in measures}


def check(
    qrels: Any,
    runs: Any = (),
    *,
    task: str | None = None,
    collection: Any = None,
    lengths: Any = None,
    unit: str = "chars",
    run_id: str = "stem",
    progress: local.Progress | None = None,
) -> Findings:
    """What is wrong or odd about assessments and runs, by the rules of a task where one is named.

    Lines that cannot be read are findings too; the rest is checked without them.

    >>> import partwise as pw
    >>> run = {"q1": [("handbook", 0, 100), ("handbook", 50, 120)]}
    >>> found = pw.check({"q1": [("handbook", 10, 80)]}, run, task="focused")
    >>> [(finding.severity, finding.rule, finding.count) for finding in found]
    [('error', 'overlap', 1)]
    >>> found[0].examples
    ('run, row 2: the part 50 to 120 of document handbook shares text with the result in row 1, for topic q1',)
    """
    from partwise import checks

    if task is not None:
        _choice("task", task, checks.TASKS)
    _choice("unit", unit, UNITS)
    _choice("run_id", run_id, RUN_IDS)
    notes: list[str] = []
    assessments = formats.assessments_from(qrels, unit=unit, lenient=True, notes=notes)
    known = formats.lengths_from(lengths, lenient=False, notes=[])
    documents = checks.Documents(opened(collection), known, unit)
    found = checks.Findings(checks.check_assessments(assessments, notes, documents, task))
    given = [] if isinstance(runs, (list, tuple)) and not runs else runs
    of_runs: list[str] = []
    sources = _run_sources(given, run_id, unit, True, of_runs) if given else []
    for done, source in enumerate(sources):
        if progress is not None:
            progress(done, len(sources))
        of_runs.clear()
        for number, run in enumerate(source()):
            found += checks.check_run(run, [] if number else of_runs, assessments, documents, task)
    found += documents.findings(task)
    return found


def check_rules() -> list[dict[str, str]]:
    """Every rule of `check`: its name, what it is about, how severe it is in each task, what it finds."""
    from partwise import checks

    return checks.rule_rows()


def opened(collection: Any) -> Collection | None:
    """A collection from what a user gives: a folder, an archive, JSON Lines, a stored index, or a mapping of texts."""
    return collection if collection is None or isinstance(collection, Collection) else Collection.open(collection)


def ideal(
    qrels: Any, *, collection: Any, quant: str | None = None, assessor: str | None = None, unit: str = "chars"
) -> IdealRun:
    """The ideal recall base as a run: the best element of every relevant path, in falling order of value.

    It is a list of rows that `evaluate` takes as a run, and that scores 1 on nxCG, ep and MAep.
    """
    _choice("unit", unit, UNITS)
    assessments = formats.assessments_from(qrels, unit=unit, lenient=False, notes=[])
    judgements = judge(assessments, assessor, {}, opened(collection))
    return IdealRun(ideal_rows(judgements, quant))


def tree(
    collection: Any,
    doc: str,
    *,
    topic: str | None = None,
    qrels: Any = None,
    run: Any = None,
    quant: str | None = None,
    assessor: str | None = None,
) -> list[dict[str, Any]]:
    """The elements of a document, a row each: path and size, and what is known of them for a topic.

    With `qrels`: exhaustivity and specificity (on the unit scale), value, and whether the element is ideal, by the
    `assessor` named or the first; with `run`: the first rank at which it was returned.
    """
    documents = opened(collection)
    if documents is None:
        raise PartwiseError("there is no collection", "give the documents")
    document = documents[doc]
    size = document.end - document.start
    rows: list[dict[str, Any]] = [{"path": p, "size": int(n)} for p, n in zip(document.path, size, strict=True)]
    if (qrels is not None or run is not None) and topic is None:
        raise PartwiseError("no topic is given", "say whose judgements and results are wanted (--topic)")
    if qrels is not None:
        assessments = formats.assessments_from(qrels, unit="chars", lenient=False, notes=[])
        judgements = judge(assessments, assessor, {}, documents)
        for row, known in zip(rows, element_facts(judgements, str(topic), doc, quant), strict=True):
            row.update(known)
    if run is not None:
        evaluator = Evaluator({str(topic): {doc: 1}}, "P@1", collection=documents)
        [given] = evaluator._sources([run] if formats.is_path(run) else run, "stem", [])
        ranks = first_ranks(evaluator.evaluation, given()[0], str(topic), doc)
        for node, row in enumerate(rows):
            row["rank"] = ranks.get(node, "")
    return rows


def spans(
    rows: Any, documents: Any = None, *, ambiguous: str = "error", missing: str = "error", unit: str = "chars"
) -> Assessments:
    """Assessments of what is relevant: passages with ``query_id, doc_id, start, end``, or quoted as ``text``.

    A quoted text is looked for in its document, or in all if it has no ``doc_id``; `documents` is a mapping of ids to
    texts, a collection, or the path of one. A text that stands in several places is an error unless `ambiguous` says
    ``first`` or ``skip``, one that is not there unless `missing` says ``skip``; the notes of the scores count them.

    >>> import partwise as pw
    >>> gold = pw.spans([{"query_id": "q1", "text": "two  three"}], {"d": "One two three."})
    >>> pw.evaluate(gold, {"q1": [("d", 0, 13)]}, ["TextR@5", "TextP@5"]).mean()
    {'run': {'TextR@5': 1.0, 'TextP@5': 0.6923076923076923}}
    """
    from partwise.adapters import placing

    _choice("unit", unit, UNITS)
    given, lines, source = formats.read_rows(rows, "spans", (*formats.names.ASSESSMENT_COLUMNS, "text"))
    texts = None if documents is None else placing.texts_of(documents)
    return placing.assessments_of(given, lines, source, texts, ambiguous, missing, unit)


def locate(chunks: Any, documents: Any, *, in_order: bool = False) -> Locations:
    """Where each chunk stands: exactly, without regard to white space, normalised; ambiguous, or missing.

    A chunk is a text, a pair ``(doc_id, text)`` or a dict with ``text`` and perhaps ``doc_id``; `documents` is a
    mapping of ids to texts, a collection, or the path of one. `in_order` says that the chunks of a document begin one
    behind the other in it, as a splitter gives them, and finds those of which only one place fits between the others.

    >>> import partwise as pw
    >>> pw.locate(["two  three", "e", "four"], {"d": "One two three."}).summary()
    '3 texts: 1 whitespace, 1 ambiguous, 1 missing'
    """
    from partwise import location
    from partwise.adapters import placing

    return location.locate(*placing.wanted_of(chunks, documents), in_order)


def locate_rows(rows: Any, documents: Any, *, ambiguous: str = "keep", missing: str = "keep") -> LocatedRows:
    """The rows of a run or of assessments, or of a file of one, with ``start, end`` in place of ``text``."""
    from partwise.adapters import placing

    given, lines, source = formats.read_rows(rows, "chunks", (*placing.COLUMNS, "text"))
    return placing.LocatedRows(
        *placing.located_rows(given, lines, source, placing.texts_of(documents), ambiguous, missing)
    )


def explain(
    qrels: Any,
    run: Any,
    *,
    topic: str,
    collection: Any = None,
    nav: Any = None,
    parts: str | None = None,
    rel: str | None = None,
    match: str | None = None,
    alpha: float = 0.0,
    cutoff: int | None = None,
    navigation: Any = None,
    assessor: str | None = None,
    lengths: Any = None,
    unit: str = "chars",
) -> list[dict[str, Any]]:
    """Why a run scores as it does on a topic: a row per relevant part, hits first, then near-misses, then misses.

    ``status`` is hit, near-miss or miss; ``rank`` that of the result which retrieves the part; ``seen`` the chance that
    users meet it otherwise: before that rank, or at all. ``from_rank``, ``from`` and ``probability`` tell the result
    from which they most likely do; ``gain`` is the part's share of ESRHits or ESRNear; ``again`` are the later ranks at
    which results show it once more. The parameters are those of ESRHits.
    """
    from partwise.explanation import explained
    from partwise.measures.esr import ESRHits

    hits = ESRHits(nav=nav, parts=parts, rel=rel, match=match, alpha=alpha, cutoff=cutoff)
    evaluator = Evaluator(
        qrels,
        hits,
        collection=collection,
        navigation=navigation,
        assessor=assessor,
        lengths=lengths,
        unit=unit,
    )
    sources = evaluator._sources([run] if formats.is_path(run) else run, "stem", [])
    runs = [found for source in sources for found in source()]
    if len(runs) != 1:
        raise PartwiseError(f"{len(runs)} runs are given", "give one run to explain")
    return explained(evaluator.evaluation, runs[0], str(topic))


def learn_navigation(routes: Any, *, by: str | None = None, abandon: bool = False) -> NavigationGraph:
    """Learn how users move from observed routes: a file, or a list of ``{"route": [...], "doc_id": ...}``.

    >>> import partwise as pw
    >>> graph = pw.learn_navigation([{"route": ["article", "sec", "p", "sec"]}], by="tag")
    >>> [(row["from"], row["to"], row["probability"]) for row in graph.rows()]
    [('article', 'sec', 1.0), ('sec', 'p', 1.0), ('p', 'sec', 1.0)]
    """
    if by is not None:
        _choice("by", by, ("tag", "path"))
    return routes_in(routes, by, abandon)


read_navigation = read_graph


class IdealRun(list[dict[str, Any]]):
    """The ideal elements of all topics, in the order of the ideal run."""

    def rows(self) -> list[dict[str, Any]]:
        """``query_id, doc_id, path, value`` of every ideal element."""
        return [{name: row[name] for name in ("query_id", "doc_id", "path", "value")} for row in self]

    def run(self, run_id: str = "ideal") -> Run:
        """The same as a run, to be written."""
        return formats.objects.runs_from_object(list(self), run_id, "chars", False, [])[0]


def demo() -> Demo:
    """The collection that comes with partwise, for trying things out: articles, topics, assessments and runs."""
    from partwise.demo_data import Demo

    return Demo()


def list_measures() -> list[tuple[str, str, str, str]]:
    """Name, parameters, meaning and paper of every measure: ours by family, then those of ir_measures."""
    from partwise.measures import documents

    ours = [
        (kind.__name__, kind.signature().removeprefix(kind.__name__), kind.summary(), kind.paper)
        for family in families().values()
        for kind in family
    ]
    return ours + documents.listed()


def measure_page(name: str) -> str:
    """The whole documentation of a measure, ours or of ir_measures."""
    name = parse_name(name).name
    if (kind := by_name(name)) is not None:
        return kind.page()
    from partwise.measures import documents

    if name not in documents.known_names():
        raise unknown(name)
    return documents.page(name)


def convert(
    source: Any,
    target: str | os.PathLike[str],
    *,
    kind: str | None = None,
    to: str | None = None,
    collection: Any = None,
    spans: bool = False,
    grades: bool = True,
    run: str | None = None,
    run_id: str = "tag",
    assessor: str | None = None,
    unit: str = "chars",
    lenient: bool = False,
) -> list[str]:
    """Write a file of runs or assessments in another format; the answer is what was odd about it.

    The format of `target` is that of its suffix, or `to`. With `spans`, what is given as paths is found in the
    `collection` and written as characters. A target that cannot hold all of it is an error, and nothing is written.
    It is `read_runs` and `write_run` (or `read_assessments` and `write_assessments`) in one.
    """
    from partwise import conversion

    if kind is not None:
        _choice("kind", kind, conversion.KINDS)
    _choice("run_id", run_id, RUN_IDS)
    _choice("unit", unit, UNITS)
    return conversion.convert(
        source,
        target,
        kind=kind,
        to=to,
        collection=opened(collection),
        spans=spans,
        grades=grades,
        run=run,
        by_tag=run_id == "tag",
        assessor=assessor,
        unit=unit,
        lenient=lenient,
    )


def format_names() -> tuple[str, ...]:
    """The formats that `convert` can write."""
    return formats.choices()


def read_runs(path: str | os.PathLike[str], *, unit: str = "chars", lenient: bool = False) -> list[Run]:
    """The runs in a file, whatever its format and compression."""
    _choice("unit", unit, UNITS)
    return formats.read_runs(path, unit=unit, lenient=lenient)


def read_assessments(path: Any, *, unit: str = "chars", lenient: bool = False) -> Assessments:
    """The assessments in a file, whatever its format and compression; or in INEX XML files, given as a folder, an
    archive or several paths."""
    _choice("unit", unit, UNITS)
    return formats.read_assessments(path, unit=unit, lenient=lenient)


def read_scores(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], measures: Any = None, *, lenient: bool = False
) -> Scores:
    """Scores saved earlier, a value per topic, from one file or several: of some measures, or of all.

    Files are what ``partwise evaluate -q`` writes (Parquet, TSV, CSV, JSON Lines) or what trec_eval -q prints.
    """
    from partwise.formats.scores import read_scores as read

    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = read(given, lenient=lenient, notes=[])
    if measures is None:
        return found
    wanted = [measure.name for measure in measures_from(measures)]
    for name in wanted:
        if name not in found.measures:
            raise PartwiseError(f"there are no scores of {name}", f"there are {', '.join(found.measures)}")
    chosen = [block for name in wanted for block in found.blocks if block.measure == name]
    return Scores(chosen, found.judged, found.notes)


def holds_scores(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds saved scores (and no assessments or run)."""
    from partwise.formats.scores import holds_scores as holds

    return holds(path)


write_run = formats.write_run
write_assessments = formats.write_assessments
