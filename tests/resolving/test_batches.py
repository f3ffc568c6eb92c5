"""The order of results: as in trec_eval, by rank, by score, in file order; and ties."""

from __future__ import annotations

from typing import Any

import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st

import partwise as pw
from partwise.formats.objects import assessments_from_object, runs_from_object
from partwise.resolving import Batch, batches, faults, judge


def resolved(run: Any, order: str | None = None, queries: tuple[str, ...] = ("t",)) -> Batch:
    qrels = assessments_from_object({query: [("x", 0, 1)] for query in queries}, "chars", False, [])
    [parsed] = runs_from_object(run, "run", "chars", False, []) if not isinstance(run, pw.Run) else [run]
    [batch] = batches(parsed, judge(qrels, None, {}), order=order)
    return batch


def ordered(run: Any, order: str | None = None) -> list[tuple[str, int]]:
    """Documents in the order of the batch, each with its tie group."""
    batch = resolved(run, order)
    return [(batch.doc_names[doc], tie) for doc, tie in zip(batch.doc.tolist(), batch.tie.tolist(), strict=True)]


def rows(**columns: list[Any]) -> list[dict[str, Any]]:
    names = list(columns)
    return [
        {"query_id": "t", "doc_id": f"d{i}", **dict(zip(names, cells, strict=True))}
        for i, cells in enumerate(zip(*columns.values(), strict=True))
    ]


def test_by_rank_when_every_result_has_one() -> None:
    assert ordered(rows(rank=[2, 0, 1], score=[9.0, 1.0, 5.0])) == [("d1", 0), ("d2", 1), ("d0", 2)]


def test_by_score_otherwise_with_ties_in_file_order() -> None:
    assert ordered(rows(rank=[2, None, 1], score=[1.0, 5.0, 5.0])) == [("d1", 0), ("d2", 0), ("d0", 1)]


def test_equal_ranks_are_ties() -> None:
    assert ordered(rows(rank=[3, 1, 3])) == [("d1", 0), ("d0", 1), ("d2", 1)]


def test_file_order_without_ranks_and_scores() -> None:
    assert ordered(rows(start=[0, 0, 0], end=[1, 1, 1])) == [("d0", 0), ("d1", 1), ("d2", 2)]


def test_order_can_be_requested() -> None:
    run = rows(rank=[1, 2, 3], score=[1.0, 2.0, 3.0])
    assert [doc for doc, _ in ordered(run, "rank")] == ["d0", "d1", "d2"]
    assert [doc for doc, _ in ordered(run, "score")] == ["d2", "d1", "d0"]


def test_queries_are_ordered_independently() -> None:
    run = [
        {"query_id": "a", "doc_id": "d0", "rank": 2, "score": 2.0},
        {"query_id": "b", "doc_id": "d2", "score": 1.0},
        {"query_id": "a", "doc_id": "d1", "rank": 1, "score": 1.0},
        {"query_id": "b", "doc_id": "d3", "score": 2.0},
    ]
    batch = resolved(run, queries=("b", "a"))
    assert [batch.doc_names[doc] for doc in batch.doc] == ["d3", "d2", "d1", "d0"]
    assert batch.offsets.tolist() == [0, 2, 4]


SCORES = st.sampled_from([0.0, -1.5, 2.0, 2.0 + 1e-9, 0.1, 0.1 + 1e-12, 1e30, 3e38, 1e300])


@given(st.lists(SCORES, min_size=1, max_size=8), st.integers(0, 7), st.data())
def test_six_columns_are_ordered_as_trec_eval_orders_them(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float], relevant: int, data: st.DataObject
) -> None:
    """The rank of one relevant document equals the one that trec_eval computes (as reciprocal rank)."""
    names = data.draw(st.permutations(["d1", "d10", "d2", "D", "é", "z", "日", "d"]))[: len(scores)]
    relevant_doc = names[relevant % len(names)]
    path = tmp_path_factory.mktemp("trec") / "a.run"
    lines = [f"t Q0 {name} {i} {score!r} tag\n" for i, (name, score) in enumerate(zip(names, scores, strict=True))]
    path.write_text("".join(lines))
    theirs = pytrec_eval.RelevanceEvaluator({"t": {relevant_doc: 1}}, {"recip_rank"}).evaluate(
        {"t": dict(zip(names, scores, strict=True))}
    )
    [run] = pw.read_runs(path)
    docs = [doc for doc, _ in ordered(run)]
    assert 1 / (docs.index(relevant_doc) + 1) == pytest.approx(theirs["t"]["recip_rank"])
    assert sorted(docs) == sorted(names)


def test_repeated_parts_and_interleaved_documents_are_noted() -> None:
    run = {"t": [("x", 0, 1), ("y", 0, 1), ("x", 0, 1), ("x", 0, 2), ("y", 5, 9)], "u": [("x", 0, 1)]}
    scores = pw.evaluate({"t": [{"doc_id": "x", "start": 0, "end": 1, "length": 1}]}, run, "gP@2")
    assert list(scores.notes) == [
        "run: 1 query without judgements, left out",
        "run: 1 result repeats an earlier part",
        "run: 1 part reaches past the end of its document",
        "run: 2 documents return parts at non-adjacent ranks; each is ranked at its first part",
    ]


def test_spans_of_a_result_are_merged_and_sorted() -> None:
    batch = resolved({"t": [{"doc_id": "x", "spans": [[5, 9], [0, 2], [8, 12], [2, 3], [7, 7]]}, ("y", 4, 4)]})
    assert batch.span_offsets.tolist() == [0, 2, 3]
    assert list(zip(batch.start.tolist(), batch.end.tolist(), strict=True)) == [(0, 3), (5, 12), (4, 4)]


@given(st.lists(st.text(st.sampled_from("aBß1-_ ./\\\n\u2028İ"), max_size=6), max_size=4))
@example(["a b", ""])
def test_the_last_parts_of_ids_at_once(doc_ids: list[str]) -> None:
    assert faults._last_parts(doc_ids) == [faults._plain(doc_id)[0].rpartition("/")[2] for doc_id in doc_ids]


IDS = st.text(st.sampled_from("aB./"), min_size=1, max_size=5).filter(str.strip)


@given(
    st.dictionaries(st.sampled_from("tuv"), st.lists(IDS, min_size=1, max_size=4), min_size=1),
    st.dictionaries(st.sampled_from("tuv"), st.lists(IDS, min_size=1, max_size=6), min_size=1),
)
@example({"t": ["a/B.a"]}, {"t": ["B", "x/b.A", "b.B", "B"]})
def test_documents_of_similar_ids(judged: dict[str, list[str]], returned: dict[str, list[str]]) -> None:
    """Each result is compared with each judged document of its query."""
    qrels = assessments_from_object(
        {query: [(doc, 0, 1) for doc in dict.fromkeys(docs)] for query, docs in judged.items()}, "chars", False, []
    )
    if judged.keys().isdisjoint(returned):
        return
    [run] = runs_from_object({q: [(doc, 0, 1) for doc in docs] for q, docs in returned.items()}, "run", None, False, [])
    [batch] = batches(run, judge(qrels, None, {}), queries="run")
    others = {q: docs for q, docs in returned.items() if q in judged and not set(docs) & set(judged[q])}
    is_compared = any(
        faults._last_parts([doc])[0] in faults._last_parts(judged[q])
        for q, docs in others.items()
        for doc in docs[: faults.FIRST]
    )
    expected = [
        is_compared and q in others and any(same_id(doc, other) for other in judged[q])
        for q in judged
        if q in returned
        for doc in returned[q]
    ]
    assert faults.in_similar_document(batch).tolist() == expected


def same_id(one: str, other: str) -> bool:
    (path, suffix), (judged, of_judged) = faults._plain(one), faults._plain(other)
    fits = not suffix or not of_judged or suffix == of_judged
    return fits and (path == judged or path.endswith(f"/{judged}") or judged.endswith(f"/{path}"))
