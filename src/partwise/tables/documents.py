"""The documents of a run: their ranks, the union of their parts, their entry points, and their scores."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from dataclasses import field
from functools import cached_property

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Floats, Ints
from partwise.parameters import Param, Parameterised
from partwise.records import record
from partwise.resolving import Batch, Judgements
from partwise.tables import BEPS, HIGHLIGHTS, LENGTHS, Key, Tables, f_measure, ratio


@record()
class Documents(Key):
    """The run as ranked documents: a document has the rank of its first part, and all its parts."""

    def build(self, batch: Batch, tables: Tables) -> DocumentsTable:
        of_row, first = batch.documents
        return DocumentsTable(batch, first, of_row)


class HighlightedDocuments(Documents):
    """The ranked documents, where relevance means highlighted text."""

    requires = (HIGHLIGHTS,)

    def build(self, batch: Batch, tables: Tables) -> DocumentsTable:
        table: DocumentsTable = tables.get(Documents())
        tables.counts["interleaved"] = table.interleaved
        return table


@record(eq=False, repr=False)
class DocumentsTable:
    """Documents in rank order, query after query; `first` is a document's first row, `of_row` a row's document."""

    batch: Batch
    first: Ints
    of_row: Ints
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    """The values of document measures, by measure and by the names of the queries in `qrels` and `ranking`."""

    @cached_property
    def offsets(self) -> Ints:
        return np.searchsorted(self.first, self.batch.offsets)

    @cached_property
    def query(self) -> Ints:
        return self.batch.query_of_row[self.first]

    @cached_property
    def pair(self) -> Ints:
        return self.batch.pair[self.first]

    @cached_property
    def relevant(self) -> Bools:
        """Whether the document has highlighted text."""
        highlighted = self.batch.judgements.highlighted
        relevant: Bools = (self.pair != NONE) & (highlighted[self.pair] > 0)
        return relevant

    def running_sums(self, values: Floats) -> Floats:
        """Sums over the documents of each query down to each document."""
        return kernels.running_sums(values, self.offsets)

    @property
    def relevant_in_query(self) -> Ints:
        """The number of documents of each query with highlighted text, retrieved or not."""
        return self.batch.judgements.query_relevant[self.batch.queries]

    @property
    def scored(self) -> Bools:
        return self.relevant_in_query > 0

    @cached_property
    def interleaved(self) -> int:
        """The number of documents whose parts are at non-adjacent ranks."""
        starts = np.ones(len(self.of_row), np.bool_)
        starts[1:] = self.of_row[1:] != self.of_row[:-1]
        blocks = np.bincount(self.of_row[starts], minlength=len(self.first))
        return int((blocks > 1).sum())

    @cached_property
    def query_names(self) -> list[str]:
        """The names of the queries in `qrels` and `ranking`: their numbers in the batch."""
        return [str(number) for number in range(len(self.batch.queries))]

    @cached_property
    def qrels(self) -> dict[str, dict[str, int]]:
        """``{query: {document: relevance}}``, queries and documents by their numbers in the batch."""
        judged = self.batch.judgements
        grades_by_query = {}
        for name, query in zip(self.query_names, self.batch.queries.tolist(), strict=True):
            pairs = slice(int(judged.pair_offsets[query]), int(judged.pair_offsets[query + 1]))
            docs, grades = judged.pair_doc[pairs].tolist(), judged.relevance[pairs].tolist()
            if not docs:  # a query with nothing relevant and no judged document
                continue
            grades_by_query[name] = {str(doc): grade for doc, grade in zip(docs, grades, strict=True)}
            if max(grades, default=0) < 0:  # pytrec_eval crashes on these; a document that no run has changes no value
                grades_by_query[name][""] = 0
        return grades_by_query

    @cached_property
    def ranking(self) -> dict[str, dict[str, float]]:
        """``{query: {document: score}}``, numbered in the same way, with scores that fall by one per rank."""
        docs = self.batch.doc[self.first].tolist()
        scores_by_query = {}
        bounds = self.offsets.tolist()
        for name, (low, high) in zip(self.query_names, itertools.pairwise(bounds), strict=True):
            if low < high:
                scores = map(float, range(high - low, 0, -1))
                scores_by_query[name] = dict(zip(map(str, docs[low:high]), scores, strict=True))
        return scores_by_query

    @cached_property
    def of_relevant(self) -> RelevantDocuments:
        return RelevantDocuments(self)


class RelevantDocuments:
    """The retrieved documents with highlighted text: the unions of their parts, and their judgements."""

    def __init__(self, documents: DocumentsTable) -> None:
        self.batch = documents.batch
        self.judgements: Judgements = documents.batch.judgements
        self.at = np.flatnonzero(documents.relevant)
        self.pair = documents.pair[self.at]
        self.first = documents.first[self.at]
        place = np.full(len(documents.first), NONE)
        place[self.at] = np.arange(len(self.at))
        self.of_row = place[documents.of_row]

    @cached_property
    def union(self) -> tuple[Ints, Ints, Ints]:
        """The union of each document's parts, as (document, start, end)."""
        rows = np.flatnonzero(self.of_row != NONE)
        self.batch.require_ends(rows)
        owner = self.of_row[self.batch.row_of_span]
        inside = owner != NONE
        return kernels.merge_spans(owner[inside], self.batch.start[inside], self.batch.end[inside])

    @cached_property
    def passages(self) -> tuple[Ints, Ints, Ints]:
        """The highlighted passages, as (document, start, end)."""
        judged = self.judgements
        counts = judged.passage_offsets[self.pair + 1] - judged.passage_offsets[self.pair]
        owner = np.repeat(np.arange(len(self.pair)), counts)
        base = np.repeat(judged.passage_offsets[self.pair] - (np.cumsum(counts) - counts), counts)
        inside = np.arange(len(owner)) + base
        return owner, judged.passage_start[inside], judged.passage_end[inside]

    @cached_property
    def retrieved(self) -> Ints:
        """Characters in each document's union of parts."""
        owner, start, end = self.union
        return self._summed(owner, end - start)

    @cached_property
    def retrieved_highlights(self) -> Ints:
        """Highlighted characters in each document's union of parts."""
        owner, start, end = self.union
        judged = self.judgements
        axis = judged.passage_offsets, judged.passage_start, judged.passage_end, judged.before
        pair = self.pair[owner]
        return self._summed(
            owner, kernels.highlighted_before(pair, end, *axis) - kernels.highlighted_before(pair, start, *axis)
        )

    def _summed(self, owner: Ints, values: Ints) -> Ints:
        total = np.zeros(len(self.pair), np.int64)
        np.add.at(total, owner, values)
        return total

    @cached_property
    def highlighted(self) -> Ints:
        return self.judgements.highlighted[self.pair]

    @cached_property
    def entry_point(self) -> Ints:
        """The start of each document's first-listed part."""
        self.batch.require_parts(self.first)
        return self.batch.start[self.batch.span_offsets[self.first]]

    @cached_property
    def bep(self) -> Ints:
        return self.judgements.bep[self.pair]

    @property
    def length(self) -> Ints:
        return self.judgements.pair_length[self.pair]


# ---- scores of a document -----------------------------------------------------------------------------------


class DocumentScore(Parameterised):
    """How well the parts of a relevant document match its highlights, in [0, 1]; other documents score 0."""

    requires: tuple[str, ...] = (HIGHLIGHTS,)

    @abstractmethod
    def of(self, documents: RelevantDocuments) -> Floats: ...


class F(DocumentScore):
    """F-measure of character precision and recall of the union of the document's parts."""

    beta: Param[float] = Param(float, default=1.0, above=0, help="weight of recall over precision")

    def of(self, documents: RelevantDocuments) -> Floats:
        """The scores of documents.

        - `documents`: the table of documents to score.
        """
        precision = ratio(documents.retrieved_highlights, documents.retrieved)
        recall = ratio(documents.retrieved_highlights, documents.highlighted)
        return f_measure(precision, recall, self.beta)


class BEP(DocumentScore):
    """Nearness of the entry point to the best one, relative to the document's length: A·L / (A·L + distance)."""

    A: Param[float] = Param(float, default=0.1, above=0, help="the tolerated distance, as a share of the length")
    requires = (HIGHLIGHTS, BEPS, LENGTHS)

    def of(self, documents: RelevantDocuments) -> Floats:
        """The scores of documents.

        - `documents`: the table of documents to score.
        """
        tolerated = self.A * documents.length
        return ratio(tolerated, tolerated + np.abs(documents.entry_point - documents.bep))


class BEPn(DocumentScore):
    """Nearness of the entry point to the best one in characters: (n - distance) / n, 0 beyond n."""

    n: Param[int] = Param(int, default=1000, low=1, help="the distance in characters from which the score is 0")
    requires = (HIGHLIGHTS, BEPS)

    def of(self, documents: RelevantDocuments) -> Floats:
        """The scores of documents.

        - `documents`: the table of documents to score.
        """
        distance = np.abs(documents.entry_point - documents.bep)
        near: Floats = np.clip(self.n - distance, 0, None) / self.n
        return near


class T2I(DocumentScore):
    """Tolerance to irrelevance: the share of relevant text in the text read before the user gives up.

    The document's parts are read in document order, then its other text in document order; reading stops as soon as
    `tolerance` irrelevant characters are read.
    """

    tolerance: Param[int] = Param(
        int, default=300, low=1, help="how many irrelevant characters are read before the user gives up"
    )
    requires = (HIGHLIGHTS, LENGTHS)

    def of(self, documents: RelevantDocuments) -> Floats:
        good, bad = kernels.tolerant_reading(
            len(documents.pair), documents.length, documents.union, documents.passages, self.tolerance
        )
        return ratio(good, good + bad)


@record()
class ScoredDocuments(Key):
    """The scores of the ranked documents."""

    score: DocumentScore

    def required(self) -> tuple[str, ...]:
        return self.score.requires

    def build(self, batch: Batch, tables: Tables) -> Floats:
        documents: DocumentsTable = tables.get(Documents())
        scores = np.zeros(len(documents.first))
        scores[documents.of_relevant.at] = self.score.of(documents.of_relevant)
        return scores
