"""In-context measures: documents in rank order, each scored by how well its parts match the relevant text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.measures.base import INEX_2007, Measure, cutoff_param
from partwise.model import Floats
from partwise.parameters import Param
from partwise.tables import Key, ratio, sums
from partwise.tables.documents import DocumentScore, DocumentsTable, F, HighlightedDocuments, ScoredDocuments


def _score() -> Param[DocumentScore]:
    return Param(
        DocumentScore,
        name="score",
        default=F(),
        help="how a document is scored: F(beta=1), BEP(A=0.1), BEPn(n=1000) or T2I(tolerance=300)",
    )


class gP(Measure):
    """Generalised precision: the mean score of the first documents.

    gP@r = (S(d_1) + ... + S(d_r)) / r

    The run is read as a list of documents: each is ranked at its first part and has all its parts. S(d) is
    the score of a document, 0 if it is not relevant. The sum is divided by r even if the list is shorter.
    """

    paper = INEX_2007
    document_score: Param[DocumentScore] = _score()
    cutoff: Param[int | None] = cutoff_param("documents")

    def needs(self) -> Sequence[Key]:
        return [HighlightedDocuments(), ScoredDocuments(self.document_score)]

    def score(self, documents: DocumentsTable, scores: Floats) -> Floats:
        total = sums(scores, documents.offsets, self.cutoff)
        return ratio(total, np.diff(documents.offsets) if self.cutoff is None else np.full(len(total), self.cutoff))


class gR(Measure):
    """Generalised recall: the share of the relevant documents among the first documents.

    gR@r = relevant documents among the first r / all relevant documents

    A document is relevant if it has highlighted text, whatever its score.
    """

    paper = INEX_2007
    cutoff: Param[int | None] = cutoff_param("documents")

    def needs(self) -> Sequence[Key]:
        return [HighlightedDocuments()]

    def score(self, documents: DocumentsTable) -> Floats:
        return ratio(sums(documents.relevant, documents.offsets, self.cutoff), documents.relevant_in_query)


class AgP(Measure):
    """Average generalised precision: gP at the ranks of relevant documents, averaged over all relevant documents.

    AgP = (sum of gP@r over the ranks r of relevant documents) / all relevant documents

    Relevant documents count whether retrieved or not. Its mean over queries is what INEX calls MAgP.
    """

    paper = INEX_2007
    aliases = ("MAgP",)
    document_score: Param[DocumentScore] = _score()

    def needs(self) -> Sequence[Key]:
        return [HighlightedDocuments(), ScoredDocuments(self.document_score)]

    def score(self, documents: DocumentsTable, scores: Floats) -> Floats:
        rank = np.arange(len(scores)) - documents.offsets[documents.query] + 1
        precision = documents.running_sums(scores) / rank
        precision[~documents.relevant] = 0.0
        return ratio(sums(precision, documents.offsets, None), documents.relevant_in_query)
