"""Single parts of documents: which are ideal, where a text occurs, and which relevant ones a run finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from partwise import formats
from partwise.api.evaluator import Evaluator
from partwise.api.sources import run_sources
from partwise.collection import opened
from partwise.errors import PartwiseError
from partwise.later import esr, explanation, listing, location, placing
from partwise.measures import Measure, measures_from
from partwise.messages import commands
from partwise.model import Assessments, Run
from partwise.navigation import Navigation
from partwise.options import UNITS, Options, Unit
from partwise.parameters import check_choice
from partwise.resolving import judge
from partwise.types import (
    ChunksInput,
    CollectionInput,
    ExplainedRow,
    FoundRow,
    IdealRow,
    IfAmbiguous,
    IfMissing,
    LengthsInput,
    Match,
    MeasureInput,
    NavigationInput,
    QrelsInput,
    RowsInput,
    RunInput,
    TokenizerInput,
    TreeRow,
)

if TYPE_CHECKING:
    from partwise.adapters.placing import LocatedRows
    from partwise.location import Locations


def ideal(
    qrels: QrelsInput,
    *,
    collection: CollectionInput,
    quant: str | None = None,
    assessor: str | None = None,
    unit: Unit | None = None,
) -> IdealRun:
    """The ideal recall base as a run: the best element of every relevant path, in decreasing order of value.

    It is a list of rows that `evaluate` accepts as a run, and that scores 1 on nxCG, ep and MAep. `quant` is the
    quantisation of grades into gain, such as ``strict`` or ``spe``; `assessor` is the one to use where a query has
    several, by default the first.

    - `qrels`: the assessments, in any form that `partwise.evaluate` takes.
    - `collection`: the documents: a `Collection`, a path, or a mapping of ids to texts.
    - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else characters).
    """
    if unit is not None:
        check_choice("unit", unit, UNITS)
    assessments = formats.assessments_from(qrels, unit=unit, lenient=False, notes=[])
    judgements = judge(assessments, assessor, {}, opened(collection))
    return IdealRun(listing.ideal_rows(judgements, quant))


class IdealRun(list[dict[str, Any]]):
    """The ideal elements of all queries, in the order of the ideal run."""

    def rows(self) -> list[IdealRow]:
        """``query_id, doc_id, path, value`` of every ideal element."""
        return [
            {"query_id": row["query_id"], "doc_id": row["doc_id"], "path": row["path"], "value": row["value"]}
            for row in self
        ]

    def run(self, run_id: str = "ideal") -> Run:
        """The same as a `Run`, which `write_run` writes.

        - `run_id`: its name.
        """
        return formats.objects.runs_from_object(list(self), run_id, None, False, [])[0]


def tree(
    collection: CollectionInput,
    doc: str,
    *,
    query_id: str | None = None,
    qrels: QrelsInput | None = None,
    run: RunInput | None = None,
    quant: str | None = None,
    assessor: str | None = None,
) -> list[TreeRow]:
    """The elements of a document, one row each: path, size, and facts about a query.

    With `qrels`, a row has exhaustivity and specificity (from 0 to 1), the value by `quant`, and whether the element is
    ideal, by the judgements of `assessor` (by default the first). With `run`, it has the first rank at which the
    element was returned.

    - `collection`: the documents: a `Collection`, a path, or a mapping of ids to texts.
    - `doc`: the id of the document.
    - `query_id`: the query whose judgements and results are shown.
    """
    documents = opened(collection)
    if documents is None:
        raise PartwiseError(commands.NO_COLLECTION())
    document = documents[doc]
    size = document.end - document.start
    rows: list[TreeRow] = [{"path": p, "size": int(n)} for p, n in zip(document.path, size, strict=True)]
    if (qrels is not None or run is not None) and query_id is None:
        raise PartwiseError(commands.NO_QUERY_ID())
    if qrels is not None:
        assessments = formats.assessments_from(qrels, unit=None, lenient=False, notes=[])
        judgements = judge(assessments, assessor, {}, documents)
        for row, facts in zip(rows, listing.element_facts(judgements, str(query_id), doc, quant), strict=True):
            row["e"], row["s"], row["value"], row["ideal"] = facts["e"], facts["s"], facts["value"], facts["ideal"]
    if run is not None:
        evaluator = Evaluator({str(query_id): {doc: 1}}, "P@1", collection=documents)
        [source] = run_sources([run] if formats.is_path(run) else run, evaluator.options, [])
        ranks = listing.first_ranks(evaluator.evaluation, source()[0], str(query_id), doc)
        for node, row in enumerate(rows):
            row["rank"] = ranks.get(node, "")
    return rows


def spans(
    rows: RowsInput,
    documents: CollectionInput | None = None,
    *,
    ambiguous: IfAmbiguous = "error",
    missing: IfMissing = "error",
    match: Match = "normalised",
    min_score: float | None = None,
    unit: Unit | None = None,
) -> Assessments:
    """Assessments of relevant passages, given as ``query_id, doc_id, start, end`` or quoted as ``text``.

    A quoted text is located in its document, or in all documents if it has no ``doc_id``; `documents` is a mapping of
    ids to texts, a collection, or the path of one. A text that occurs several times is an error unless `ambiguous` is
    ``first`` or ``skip``, a text that does not occur is one unless `missing` is ``skip``; the notes of the scores count
    them. `match` and `min_score` are those of `locate`.

    - `rows`: the passages: a path, a list of dicts or a table.
    - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else characters).

    >>> import partwise as pw
    >>> gold = pw.spans([{"query_id": "q1", "text": "two  three"}], {"d": "One two three."})
    >>> pw.evaluate(gold, {"q1": [("d", 0, 13)]}, ["TextR@5", "TextP@5"]).mean()
    {'run': {'TextR@5': 1.0, 'TextP@5': 0.6923076923076923}}
    """
    if unit is not None:
        check_choice("unit", unit, UNITS)
    passages, lines, source = formats.read_rows(rows, "spans", (*formats.names.ASSESSMENT_COLUMNS, "text"))
    texts = None if documents is None else placing.texts_of(documents)
    matching = location.Matching.of(match, min_score)
    return placing.assessments_of(passages, lines, source, texts, ambiguous, missing, unit, matching)


def locate(
    chunks: ChunksInput,
    documents: CollectionInput,
    *,
    in_order: bool = False,
    match: Match = "normalised",
    min_score: float | None = None,
    strip_prefix: str | Iterable[str] | None = None,
) -> Locations:
    """Locate chunks in their documents: exactly, or in a looser reading; else they are ambiguous or missing.

    The readings are, from the strictest to the loosest: ``exact``, ``whitespace`` (ignored), ``normalised``
    characters, ``casefolded``, ``markup`` (Markdown and HTML ignored), ``ellipsis`` (the pieces of ``A ... B`` one
    after another) and ``fuzzy`` (similar, with a score of at least `min_score`, by default 0.9). `match` is the loosest
    that is allowed. A reading is tried only if the stricter ones find nothing.

    A chunk is a text, a pair ``(doc_id, text)`` or a dict with ``text`` and optionally ``doc_id``; `documents` is a
    mapping of ids to texts, a collection, or the path of one. With `in_order`, the chunks of a document start one after
    another, as a splitter returns them; this locates texts that occur several times but fit between their neighbours
    only once. A chunk that begins with `strip_prefix` (one or several texts, in which ``{doc_id}`` is the document and
    ``{any}`` any characters of a line) is searched for without it.

    >>> import partwise as pw
    >>> pw.locate(["two  three", "e", "four"], {"d": "One two three."}).summary()
    '3 texts: 1 whitespace, 1 ambiguous, 1 missing'
    """
    matching = location.Matching.of(match, min_score)
    prefixes = location.prefixes.checked(strip_prefix)
    pairs, texts = placing.texts_to_find_of(chunks, documents)
    pairs = [(doc_id, location.prefixes.stripped(text, doc_id, prefixes)) for doc_id, text in pairs]
    return location.locate(pairs, texts, in_order, matching)


def locate_rows(
    rows: RowsInput,
    documents: CollectionInput,
    *,
    ambiguous: IfAmbiguous = "keep",
    missing: IfMissing = "keep",
    match: Match = "normalised",
    min_score: float | None = None,
    strip_prefix: str | Iterable[str] | None = None,
) -> LocatedRows:
    """The rows of a run or of assessments, as objects or a file, with ``start, end`` in place of ``text``.

    `ambiguous` and `missing` choose what to do with a text that occurs several times or not at all: ``keep`` it as
    non-relevant text after the end of its document, ``skip`` it, or raise an ``error``; an ambiguous one may also be
    located at its ``first`` place. `match`, `min_score` and `strip_prefix` are those of `locate`.

    - `documents`: the texts of the documents: a mapping, a `Collection` or a path.
    """
    matching = location.Matching.of(match, min_score)
    prefixes = location.prefixes.checked(strip_prefix)
    chunks, lines, source = formats.read_rows(rows, "chunks", (*placing.COLUMNS, "text"), converts=True)
    texts = placing.texts_of(documents)
    return placing.LocatedRows(
        *placing.located_rows(chunks, lines, source, texts, ambiguous, missing, matching, prefixes)
    )


@overload
def explain(
    qrels: QrelsInput,
    run: RunInput,
    *,
    query_id: str,
    collection: CollectionInput | None = None,
    nav: Navigation | str | None = None,
    parts: str | None = None,
    rel: str | None = None,
    match: str | None = None,
    alpha: float = 0.0,
    cutoff: int | None = None,
    navigation: NavigationInput | None = None,
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    measure: None = None,
) -> list[ExplainedRow]: ...


@overload
def explain(
    qrels: QrelsInput,
    run: RunInput,
    *,
    query_id: str,
    measure: MeasureInput,
    collection: CollectionInput | None = None,
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
) -> list[FoundRow]: ...


def explain(
    qrels: QrelsInput,
    run: RunInput,
    *,
    query_id: str,
    collection: CollectionInput | None = None,
    nav: Navigation | str | None = None,
    parts: str | None = None,
    rel: str | None = None,
    match: str | None = None,
    alpha: float = 0.0,
    cutoff: int | None = None,
    navigation: NavigationInput | None = None,
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    measure: MeasureInput | None = None,
) -> list[ExplainedRow] | list[FoundRow]:
    """Why a run scores as it does on a query: one row per relevant part, hits first, then near-misses, then misses.

    ``status`` is hit, near-miss or miss; ``rank`` is that of the result that retrieves the part; ``seen`` is the
    probability that users reach it by navigation before that rank, or at all. ``from_rank``, ``from`` and
    ``probability`` describe the result from which they most probably do; ``gain`` is the part's share of ESRHits or
    ESRNear; ``again`` lists the later ranks at which it is shown again. `nav`, `parts`, `rel`, `match`, `alpha` and
    `cutoff` are the parameters of ESRHits, the others those of `evaluate`.

    With a `measure` of passages or nuggets found, such as ``NuggetR`` or ``PartR(match=iou(0.5))@10``, there is a row
    for each of what it counts: a nugget is a hit if the measure counts it as found, and a near-miss if a result shows
    some of it. ``share`` is how much of the passage ``part`` is shown by the result ``from``, at ``from_rank``, which
    finds it or shows the most of it; ``alternatives`` is the number of passages that state the nugget. Of a range such
    as ``iou(0.5, 0.95)``, the first share counts.

    - `qrels`: the assessments, in any form that `partwise.evaluate` takes.
    - `collection`: the documents: a `Collection`, a path, or a mapping of ids to texts.
    - `assessor`: the assessor to use where a query has several (default: the first).
    - `lengths`: document lengths, as a mapping or a file.
    - `unit`: what offsets count, as in `partwise.evaluate` (default: what the assessments declare, else characters).
    - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.

    >>> import partwise as pw
    >>> gold = [{"query_id": "q1", "doc_id": "d", "start": 0, "end": 10, "nugget": "name"}]
    >>> [row] = pw.explain(gold, {"q1": [("d", 6, 20)]}, query_id="q1", measure="NuggetR")
    >>> row["status"], row["share"], row["from"]
    ('near-miss', 0.4, '6-20')
    """
    options = Options(
        collection=collection,
        navigation=navigation,
        assessor=assessor,
        lengths=lengths,
        unit=unit,
        tokenizer=tokenizer,
    )
    hits = {"nav": nav, "parts": parts, "rel": rel, "match": match, "alpha": alpha or None, "cutoff": cutoff}
    if measure is not None:
        for name, value in {**hits, "navigation": navigation}.items():
            if value is not None:
                raise PartwiseError(commands.WITH_EXPLAINED(name=name))
        evaluator = Evaluator.from_options(qrels, _counts_finds(measure), options)
        return explanation.found_rows(evaluator.evaluation, _only(evaluator, run), str(query_id))
    evaluator = Evaluator.from_options(qrels, esr.ESRHits(**{**hits, "alpha": alpha}), options)
    return explanation.explained(evaluator.evaluation, _only(evaluator, run), str(query_id))


def _only(evaluator: Evaluator, run: RunInput) -> Run:
    runs = list(evaluator.read(run))
    if len(runs) != 1:
        raise PartwiseError(commands.NOT_ONE_RUN(count=len(runs)))
    return runs[0]


def _counts_finds(measure: MeasureInput) -> Measure:
    """The one measure, which counts passages or nuggets that are found."""
    measures = measures_from(measure)
    if len(measures) != 1:
        raise PartwiseError(commands.NOT_ONE_MEASURE(count=len(measures)))
    if not explanation.counts_finds(measures[0]):
        raise PartwiseError(commands.NOT_EXPLAINED(name=measures[0].name))
    return measures[0]
