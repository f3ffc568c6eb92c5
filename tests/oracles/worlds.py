"""Random worlds: documents, judgements and runs with the irregularities of real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from oracles.brute import Judged, Part, Query

DOCS = ("a", "b", "c", "unjudged")
LONGEST = 40


@dataclass
class World:
    """Judgements and results per query; a query may lack either."""

    judged: dict[str, dict[str, Judged]]
    results: dict[str, list[Part]]
    scores: dict[str, list[int]] | None = None
    """Scores of the results, with ties: results are then read highest first, tied ones in the order of the run."""

    def qrels(self) -> list[dict[str, Any]]:
        rows = []
        for query, docs in self.judged.items():
            for doc, judgement in docs.items():
                common = {"query_id": query, "doc_id": doc, "length": judgement.length, "bep": judgement.bep}
                rows += [{**common, "start": start, "end": end} for start, end in judgement.spans] or [common]
        return rows

    def run(self) -> dict[str, list[dict[str, Any]]]:
        rows = {
            query: [{"doc_id": part.doc, "spans": [list(span) for span in part.spans]} for part in parts]
            for query, parts in self.results.items()
        }
        for query, scores in (self.scores or {}).items():
            for row, score in zip(rows[query], scores, strict=True):
                row["score"] = score
        return rows

    def ranked(self, query: str) -> list[Part]:
        parts = self.results.get(query, [])
        if self.scores is None:
            return parts
        order = sorted(range(len(parts)), key=lambda i: -self.scores[query][i])
        return [parts[i] for i in order]

    def queries(self) -> dict[str, Query]:
        return {query: Query(self.ranked(query), docs) for query, docs in self.judged.items()}


def spans(longest: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(0, longest), st.integers(0, longest)).map(lambda pair: (min(pair), max(pair)))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    queries = [f"t{i}" for i in range(draw(st.integers(1, 4)))]
    lengths = {doc: draw(st.integers(1, LONGEST)) for doc in DOCS}
    judged: dict[str, dict[str, Judged]] = {}
    results: dict[str, list[Part]] = {}
    for query in queries:
        docs: dict[str, Judged] = {}
        for doc in draw(st.lists(st.sampled_from(DOCS[:3]), min_size=1, unique=True)):
            marked = draw(st.lists(spans(lengths[doc]), max_size=4, unique=True))
            docs[doc] = Judged(lengths[doc], draw(st.integers(0, lengths[doc])), tuple(marked))
        judged[query] = docs
        parts: list[Part] = []
        for _ in range(draw(st.integers(0, 8))):
            if parts and draw(st.integers(0, 5)) == 0:
                parts.append(draw(st.sampled_from(parts)))
                continue
            pieces = draw(st.lists(spans(LONGEST + 5), min_size=1, max_size=3))
            parts.append(Part(draw(st.sampled_from(DOCS)), tuple(pieces)))
        if parts or draw(st.booleans()):
            results[query] = parts
    scores = None
    if draw(st.booleans()):
        scores = {query: [draw(st.integers(0, 3)) for _ in parts] for query, parts in results.items()}
    return World(judged, results, scores)
