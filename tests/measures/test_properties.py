"""The fast measures equal the slow ones on random worlds, and have the properties that all measures must have."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as Fr

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles import brute
from oracles.brute import Part, Query
from oracles.worlds import World, worlds
from partwise.evaluation import Evaluation
from partwise.formats.objects import assessments_from_object, runs_from_object
from partwise.measures import measures_from

THIRD = Fr("0.3333333333333333")
Slow = Callable[[Query], Fr]

SLOW: dict[str, Slow] = {
    "TextP": brute.text_p,
    "TextP@1": lambda t: brute.text_p(t, 1),
    "TextP@3": lambda t: brute.text_p(t, 3),
    "TextP(alpha=0)@3": lambda t: brute.text_p(t, 3, Fr(0)),
    "TextP(alpha=0.3)": lambda t: brute.text_p(t, None, Fr(3, 10)),
    "TextP(budget=17)": lambda t: brute.text_p(t, budget=17),
    "TextR": brute.text_r,
    "TextR@2": lambda t: brute.text_r(t, 2),
    "TextR(alpha=0.3)@4": lambda t: brute.text_r(t, 4, Fr(3, 10)),
    "TextR(budget=17)": lambda t: brute.text_r(t, budget=17),
    "TextR(alpha=0.5,budget=30)": lambda t: brute.text_r(t, alpha=Fr(1, 2), budget=30),
    "TextF@3": lambda t: brute.text_f(t, 3),
    "TextF(beta=0.5)": lambda t: brute.text_f(t, None, Fr(1, 2)),
    "TextF(budget=9)": lambda t: brute.text_f(t, budget=9),
    "TextIoU": brute.text_iou,
    "TextIoU@2": lambda t: brute.text_iou(t, 2),
    "TextIoU(budget=17)": lambda t: brute.text_iou(t, budget=17),
    "iP@0": lambda t: brute.i_p(t, Fr(0)),
    "iP@0.01": lambda t: brute.i_p(t, Fr(1, 100)),
    "iP@0.1": lambda t: brute.i_p(t, Fr(1, 10)),
    "iP@0.5": lambda t: brute.i_p(t, Fr(1, 2)),
    "iP@1": lambda t: brute.i_p(t, Fr(1)),
    "iP(alpha=0.3)@0.7": lambda t: brute.i_p(t, Fr(7, 10), Fr(3, 10)),
    "iP(alpha=0)@0.3": lambda t: brute.i_p(t, Fr(3, 10), Fr(0)),
    "iAP": brute.i_ap,
    "iAP(points=11)": lambda t: brute.i_ap(t, 11),
    "iAP(alpha=0.3)": lambda t: brute.i_ap(t, alpha=Fr(3, 10)),
    "TextAP": brute.text_ap,
    "TextP(alpha=0.3333333333333333)": lambda t: brute.text_p(t, None, THIRD),
    "TextR(alpha=0.3333333333333333)": lambda t: brute.text_r(t, None, THIRD),
    "iP(alpha=0.3333333333333333)@0.1234567890123456": lambda t: brute.i_p(t, Fr("0.1234567890123456"), THIRD),
    "TextAP(alpha=0.5)": lambda t: brute.text_ap(t, Fr(1, 2)),
    "gP@2": lambda t: brute.g_p(t, brute.score_f, 2),
    "gP": lambda t: brute.g_p(t, brute.score_f),
    "gP(score=F(beta=0.25))@3": lambda t: brute.g_p(t, lambda x, d: brute.score_f(x, d, Fr(1, 4)), 3),
    "gP(score=BEP)@2": lambda t: brute.g_p(t, brute.score_bep, 2),
    "gP(score=BEPn(n=7))@2": lambda t: brute.g_p(t, lambda x, d: brute.score_bep_n(x, d, 7), 2),
    "gP(score=T2I(tolerance=5))@2": lambda t: brute.g_p(t, lambda x, d: brute.score_t2i(x, d, 5), 2),
    "gP(score=T2I)@2": lambda t: brute.g_p(t, brute.score_t2i, 2),
    "gR@1": lambda t: brute.g_r(t, 1),
    "gR": brute.g_r,
    "AgP": lambda t: brute.ag_p(t, brute.score_f),
    "AgP(score=T2I(tolerance=1))": lambda t: brute.ag_p(t, lambda x, d: brute.score_t2i(x, d, 1)),
    "AgP(score=BEP(A=0.5))": lambda t: brute.ag_p(t, lambda x, d: brute.score_bep(x, d, Fr(1, 2))),
    "AgP(score=BEPn)": lambda t: brute.ag_p(t, brute.score_bep_n),
}
OF_RESULTS: dict[str, Slow] = {
    "Overlap": brute.overlap,
    "Overlap@2": lambda t: brute.overlap(t, 2),
    "Overlap@4": lambda t: brute.overlap(t, 4),
    "Redundancy": brute.redundancy,
    "Redundancy@3": lambda t: brute.redundancy(t, 3),
}
MEASURES = measures_from([*SLOW, *OF_RESULTS])
BELOW_ONE = [name for name in [*SLOW, *OF_RESULTS] if "alpha=0" not in name]


def scored(
    world: World,
    measures: list[pw.iP] | None = None,
    rows_per_batch: int = 1 << 20,
    average_over: str = "judged",
    with_notes=False,
):
    """``{measure: {query_id: value}}`` by the library, through its own pipeline."""
    evaluation = Evaluation(
        assessments_from_object(world.qrels(), "chars", False, []),
        measures or MEASURES,
        rows_per_batch=rows_per_batch,
        average_over=average_over,
    )
    [run] = runs_from_object(world.run(), "run", "chars", False, [])
    blocks, notes = evaluation.score(run)
    if with_notes:
        return blocks, notes
    return {block.measure: dict(zip(block.queries, block.values.tolist(), strict=True)) for block in blocks}


def is_scorable(world: World) -> bool:
    """Whether text measures can be computed: some text must be highlighted."""
    return any(query.total for query in world.queries().values())


@given(worlds())
def test_fast_equals_slow(world: World) -> None:
    assume(is_scorable(world))
    library_values = scored(world)
    queries = world.queries()
    for name, slow in SLOW.items():
        expected = {query_id: float(slow(query)) for query_id, query in queries.items() if query.total}
        assert library_values[name] == pytest.approx(expected, abs=1e-12), name
    for name, slow in OF_RESULTS.items():
        expected = {query_id: float(slow(query)) for query_id, query in queries.items() if query.parts}
        assert library_values[name] == pytest.approx(expected, abs=1e-12), name


@given(worlds(), st.integers(1, 6))
def test_splitting_queries_into_batches_changes_nothing(world: World, rows: int) -> None:
    assume(is_scorable(world))
    assert scored(world, rows_per_batch=rows) == scored(world)
    documents = measures_from("AP nDCG@2 gP")
    split, notes = scored(world, documents, rows_per_batch=rows, with_notes=True)
    whole, same_notes = scored(world, documents, with_notes=True)
    assert notes == same_notes
    assert [(block.queries, block.values.tolist(), block.aggregate) for block in split] == [
        (block.queries, block.values.tolist(), block.aggregate) for block in whole
    ]


LEVELS = st.lists(st.sampled_from(["0", "0.01", "0.1", "0.5", "0.3333333333333333", "1"]), min_size=2, unique=True)
BUDGETS = st.lists(st.integers(1, 60), min_size=2, max_size=5, unique=True)


@given(worlds(), LEVELS, BUDGETS, st.sampled_from(["", "alpha=0.3,", "pack=True,", "judged_only=True,"]), st.booleans())
def test_scoring_measures_together_changes_nothing(
    world: World, levels: list[str], budgets: list[int], others: str, split: bool
) -> None:
    assume(is_scorable(world))
    given_to_ip = others.rstrip(",") if "pack" not in others else "alpha=1"
    names = [f"iP({given_to_ip})@{level}" for level in levels]
    names += [f"TextR({others}budget={budget})" for budget in budgets]
    names += ["TextR@2", "iAP"]
    together = scored(world, measures_from(names), rows_per_batch=3 if split else 1 << 20)
    alone = [scored(world, [measure]) for measure in measures_from(names)]
    assert together == {name: values for one in alone for name, values in one.items()}


@given(worlds(), worlds())
def test_reusing_an_evaluation_changes_nothing(first: World, second: World) -> None:
    assume(is_scorable(first))
    second.results = {query_id: parts for query_id, parts in second.results.items() if query_id in first.judged}
    second.scores = None
    assume(any(second.results.values()))
    evaluator = pw.Evaluator(first.qrels(), MEASURES)
    alone = evaluator.evaluate(first.run()).per_query()
    evaluator.evaluate(second.run())
    assert evaluator.evaluate(first.run()).per_query() == alone
    assert pw.evaluate(first.qrels(), first.run(), MEASURES).per_query() == alone


@given(worlds())
def test_values_stay_in_bounds(world: World) -> None:
    assume(is_scorable(world))
    library_values = scored(world)
    for name in BELOW_ONE:
        assert all(0 <= value <= 1 for value in library_values[name].values()), name


@given(worlds())
def test_a_perfect_run_scores_one(world: World) -> None:
    perfect = {
        query_id: [Part(doc, tuple((c, c + 1) for c in sorted(chars))) for doc, chars in query.marked.items() if chars]
        for query_id, query in world.queries().items()
    }
    assume(any(perfect.values()))
    names = ["TextP", "TextR", "TextF", "TextIoU", "iP@0", "iP@1", "iAP", "TextAP", "gP", "gR", "AgP"]
    library_values = scored(World(world.judged, perfect), measures_from(names))
    assert library_values == {name: {query_id: 1 for query_id, parts in perfect.items() if parts} for name in names}


@given(worlds(), st.data())
def test_a_duplicate_never_raises_recall(world: World, data: st.DataObject) -> None:
    assume(is_scorable(world) and any(world.results.values()))
    query_id = data.draw(st.sampled_from([query_id for query_id, parts in world.results.items() if parts]))
    parts = world.results[query_id]
    again = data.draw(st.integers(0, len(parts) - 1))
    names = measures_from("TextR gR")
    before = scored(world, names)
    scores = world.scores
    if scores is not None:
        scores = {**scores, query_id: [*scores[query_id][: again + 1], *scores[query_id][again:]]}
    more = World(world.judged, {**world.results, query_id: [*parts[: again + 1], *parts[again:]]}, scores)
    after = scored(more, names)
    assert after == before


@given(worlds())
def test_averages_over_the_run_use_its_judged_queries(world: World) -> None:
    assume(any(query.total and query.parts for query in world.queries().values()))
    judged = scored(world, measures_from("iAP"))["iAP"]
    of_run = scored(world, measures_from("iAP"), average_over="run")["iAP"]
    assert of_run == {query_id: value for query_id, value in judged.items() if world.results.get(query_id)}
