"""Lists of results with the text they return, contributions by element type, and judged documents and elements."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation, query_not_judged
from partwise.messages import measures as messages
from partwise.model import NONE, TO_END, Floats, Ints, Run
from partwise.records import record
from partwise.resolving import SEVERAL, Batch, Judgements
from partwise.resolving.gold import gold_of, nuggets_of
from partwise.tables import Facts, Tables
from partwise.tables.gain import Gain, as_elements
from partwise.tables.grades import graded_pairs, relevant_pairs
from partwise.tables.text import Highlights, Spans
from partwise.types import JudgedElement
from partwise.units import CHARS, as_written


@record()
class Results:
    """The ranked lists of the queries of a batch, a row per result: those of query t are ``offsets[t]:offsets[t+1]``.

    The spans of row i are ``span_offsets[i]:span_offsets[i+1]``.
    """

    batch: Batch
    path: list[str | None] | None
    """None if the run has no paths."""
    size: Ints
    highlighted: Ints
    new: Ints
    gained: Ints
    """Highlighted characters that no earlier result contains."""
    worth: Floats | None
    """The gain of cumulated-gain measures; None without a collection and grades."""
    located: Ints | None
    """How each chunk was placed, as numbers (see `partwise.placement`); None if the run is not made of chunks."""

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def queries(self) -> Ints:
        """The number of each query in the judgements."""
        return self.batch.queries

    @property
    def offsets(self) -> Ints:
        return self.batch.offsets

    @property
    def span_offsets(self) -> Ints:
        return self.batch.span_offsets

    @property
    def start(self) -> Ints:
        return self.batch.start

    @property
    def end(self) -> Ints:
        return self.batch.end


def results(evaluation: Evaluation, tables: Tables) -> Results:
    """The ranked lists of the queries of a batch."""
    batch = _countable(tables.batch)
    if batch is not tables.batch:
        tables = Tables(batch)
    judgements = evaluation.judgements
    spans = tables.get(Spans())
    nothing = np.zeros(len(batch), np.int64)
    highlighted, gained = nothing, nothing
    if judgements.has_highlights:
        highlights = tables.get(Highlights())
        highlighted, gained = highlights.count, highlights.new
    worth = None
    graded = judgements.has_grades or judgements.has_highlights
    elements = (batch.node >= 0).any() and not (batch.node == SEVERAL).any()
    if judgements.collection is not None and graded and elements:
        worth = tables.get(Gain(Facts(judgements).quantisation(None))).gain
    placing = batch.run.placing
    return Results(
        batch=batch,
        path=_paths(batch),
        size=spans.size,
        highlighted=highlighted,
        new=spans.new,
        gained=gained,
        worth=worth,
        located=None if placing is None else placing.codes[batch.row].astype(np.int64),
    )


def _paths(batch: Batch) -> list[str | None] | None:
    """The path of each result in the run (all paths of a tree on one line), or None."""
    if batch.run.paths is None:
        return None
    by_row = [batch.run.paths.of_row(row) for row in batch.row.tolist()]
    return [" + ".join(" – ".join(end for end in path if end) for path in paths) or None for paths in by_row]


def _countable(batch: Batch) -> Batch:
    """The batch with an empty span for each result whose characters are unknown; itself if all are known."""
    counts = np.diff(batch.span_offsets)
    unknown, missing = batch.end == TO_END, np.flatnonzero(counts == 0)
    if not unknown.any() and not len(missing):
        return batch
    start, end = batch.start, np.where(unknown, batch.start, batch.end)
    if len(missing):
        at = batch.span_offsets[missing]
        start, end = np.insert(start, at, 0), np.insert(end, at, 0)
        counts = np.maximum(counts, 1)
    return replace(batch, start=start, end=end, span_offsets=np.concatenate([[0], np.cumsum(counts)]))


@record()
class JudgedDocument:
    """The judgements of a document for a query; `doc` is its number in the assessments."""

    doc: int
    passages: list[tuple[int, int]]
    bep: int | None
    length: int | None


def judged_documents(judgements: Judgements) -> list[list[JudgedDocument]]:
    """The judged documents of every query, in the order of the assessments' vocabulary."""
    numbers, place = np.unique(judgements.pair_doc, return_inverse=True)
    names = list(judgements.assessments.docs)
    lengths = judgements.lengths_of([names[number] for number in numbers.tolist()], NONE)[place]
    spans = list(zip(judgements.passage_start.tolist(), judgements.passage_end.tolist(), strict=True))
    documents = [
        JudgedDocument(doc, spans[low:high], None if bep == NONE else bep, None if length == NONE else length)
        for doc, (low, high), bep, length in zip(
            judgements.pair_doc.tolist(),
            pairwise(judgements.passage_offsets.tolist()),
            judgements.bep.tolist(),
            lengths.tolist(),
            strict=True,
        )
    ]
    return [documents[low:high] for low, high in pairwise(judgements.pair_offsets.tolist())]


@record()
class GoldPassages:
    """The gold passages of a query in the order of the assessments, and its nuggets with the passages of each."""

    doc: list[int]
    """The number of each passage's document in the assessments."""
    spans: list[list[int]]
    """Starts and ends in turn."""
    nuggets: list[tuple[str, list[int]]]
    """The name of each, empty for a passage of its own, and the numbers of its passages."""


def gold_passages(judgements: Judgements) -> list[GoldPassages]:
    """The gold passages of every query."""
    gold, nuggets = gold_of(judgements), nuggets_of(judgements)
    doc = judgements.pair_doc[gold.pair].tolist()
    edges = np.stack([gold.start, gold.end], axis=1).ravel().tolist()
    spans = [edges[2 * low : 2 * high] for low, high in pairwise(gold.span_offsets.tolist())]
    first = gold.offsets.tolist()
    passages: list[list[int]] = [[] for _ in range(len(nuggets.name))]
    query = np.searchsorted(gold.offsets, nuggets.passage, side="right") - 1
    own = (nuggets.passage - gold.offsets[query]).tolist()
    for nugget, passage in zip(nuggets.nugget.tolist(), own, strict=True):
        passages[nugget].append(passage)
    named = list(zip(nuggets.name, passages, strict=True))
    bounds = zip(pairwise(first), pairwise(nuggets.offsets.tolist()), strict=True)
    return [GoldPassages(doc[low:high], spans[low:high], named[begin:end]) for (low, high), (begin, end) in bounds]


def by_tag(evaluation: Evaluation, run: Run) -> list[dict[str, Any]]:
    """The contribution of each tag to each measure, tags with the most results first.

    The contribution of a tag is how much the mean of the measure falls if the results with this tag keep their length
    but gain nothing. Each row also has the number of these results, the size of their text, and how much of it is
    highlighted and new, in the unit of the evaluation.
    """
    batches = list(evaluation.batches(run))
    tags = [np.array(batch.tags, object) for batch in batches]
    counted: Counter[str] = Counter(tag for of_batch in tags for tag in of_batch)
    sizes: Counter[str] = Counter()
    highlighted: Counter[str] = Counter()
    for batch, of_batch in zip(batches, tags, strict=True):
        tables = Tables(batch)
        new = tables.get(Highlights()).new if evaluation.judgements.has_highlights else np.zeros(len(batch), np.int64)
        for tag in set(of_batch):
            sizes[tag] += int(tables.get(Spans()).size[of_batch == tag].sum())
            highlighted[tag] += int(new[of_batch == tag].sum())

    def means(muted: str | None) -> list[float]:
        kept = [
            batch if muted is None else batch.without(of_batch == muted)
            for batch, of_batch in zip(batches, tags, strict=True)
        ]
        return [
            block.aggregate for block in evaluation.merged(run.run_id, map(evaluation.score_batch, kept)).complete()[0]
        ]

    whole, unit = means(None), evaluation.unit
    rows = []
    for tag, results in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        row = {"run_id": run.run_id, "tag": tag, "results": results}
        row |= {"size": as_written(sizes[tag], unit), "highlighted": as_written(highlighted[tag], unit)}
        row |= {} if unit == CHARS else {"unit": evaluation.unit_label}
        lost = zip(evaluation.measures, whole, means(tag), strict=True)
        rows.append({**row, **{measure.name: full - rest for measure, full, rest in lost}})
    return rows


def ideal_rows(judgements: Judgements, quant: str | None) -> list[dict[str, Any]]:
    """The ideal elements of every query, highest value first; equal ones in the order of documents and elements."""
    if judgements.collection is None:
        raise PartwiseError(messages.IDEAL_NEEDS_DOCUMENTS())
    name = Facts(judgements).quantisation(quant)
    pairs = np.flatnonzero(relevant_pairs(judgements))
    graded = graded_pairs(judgements, pairs, name)
    document = np.repeat(np.arange(len(pairs)), np.diff(graded.ideal_offsets))
    pair, value = graded.pairs[document], graded.value[graded.offsets[document] + graded.ideal]
    paths = graded.forest.paths.take(graded.forest.offsets[graded.trees.tree[document]] + graded.ideal).values()
    query = judgements.pair_query[pair]
    order = np.lexsort((pair, judgements.lines[pair], -np.round(value, 12), query))  # 0.3 * 0.3 is 0.1 * 0.9
    first = np.searchsorted(query[order], query[order])
    return [
        {
            "query_id": judgements.pair_name(int(pair[at]))[0],
            "doc_id": judgements.pair_name(int(pair[at]))[1],
            "path": paths[at],
            "rank": rank,
            "score": float(value[at]),
            "value": float(value[at]),
        }
        for at, rank in zip(order.tolist(), (np.arange(len(order)) - first + 1).tolist(), strict=True)
    ]


def element_facts(judgements: Judgements, query: str, doc: str, quant: str | None) -> list[JudgedElement]:
    """The judgement of each element of a document: grades on the unit scale, value, and whether it is ideal."""
    if query not in judgements.queries:
        raise query_not_judged(judgements, query)
    name = Facts(judgements).quantisation(quant)
    number = np.array([judgements.queries.index(query)])
    pair = int(judgements.pair_of(number, np.array([judgements.docs.get(doc, len(judgements.docs))]))[0])
    count = len(judgements.collection[doc].parent) if judgements.collection is not None else 0
    if pair == NONE:
        return [{"e": 0.0, "s": 0.0, "value": 0.0, "ideal": ""}] * count
    graded = graded_pairs(judgements, np.array([pair]), name)
    ideal = set(graded.ideal.tolist())
    columns = graded.exhaustivity.tolist(), graded.specificity.tolist(), graded.value.tolist()
    return [
        {"e": e, "s": s, "value": value, "ideal": "ideal" if node in ideal else ""}
        for node, (e, s, value) in enumerate(zip(*columns, strict=True))
    ]


def first_ranks(evaluation: Evaluation, run: Run, query: str, doc: str) -> dict[int, int]:
    """The first rank of each element of a document returned for a query, by its path or as exactly its span."""
    collection = evaluation.judgements.collection
    if collection is None:
        raise PartwiseError(messages.RANKS_NEED_DOCUMENTS())
    ranks: dict[int, int] = {}
    number = evaluation.judgements.queries.index(query)
    for batch in evaluation.batches(run):
        rows = np.flatnonzero(batch.queries[batch.query_of_row] == number)
        inside = rows[[batch.doc_names[code] == doc for code in batch.doc[rows].tolist()]] if len(rows) else rows
        nodes = as_elements(batch, collection.forest([doc]), inside, np.zeros(len(inside), np.int64))
        for row, node in zip(inside.tolist(), nodes.tolist(), strict=True):
            if node >= 0:
                ranks.setdefault(node, row - int(rows[0]) + 1)
    return ranks
