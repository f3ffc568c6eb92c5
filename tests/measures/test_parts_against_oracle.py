"""Measures of parts equal the oracle on random worlds, and have the properties that their definitions promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles import parts
from oracles.part_worlds import DOCS, PartWorld, part_worlds, places

Values = dict[str, dict[str, float]]
Scorer = Callable[[PartWorld, list[str]], Values]

PASSAGES = ("PartHit", "PartRR", "PartP", "PartR", "PartAP", "PartnDCG")
NUGGETS = ("NuggetR", "AllFound")
READING = ("CharAP", "TextU", "TextRBP")
TEXT_WITH_BUDGET = ("TextP", "TextR", "TextF", "TextIoU")
TEXT = (*TEXT_WITH_BUDGET, "iP", "iAP", "TextAP")
FAMILIES = {
    "passages": PASSAGES,
    "nuggets": (*NUGGETS, "AspectAP", "Abstain"),
    "reading": (*READING, "Read", "TextJudged"),
    "text": TEXT,
}
ALL = [measure for family in FAMILIES.values() for measure in family]

SHARES = ("0.1", "0.25", "0.3", "0.3333333333333333", "0.5", "0.6", "0.75", "0.8", "0.95", "1")
MATCHES_BY_COVER = st.one_of(
    st.sampled_from(["any", "contains"]), st.sampled_from(SHARES).map(lambda share: f"cover({share})")
)
MATCHES_BY_SEEN = st.sampled_from(SHARES).map(lambda share: f"seen({share})")
MATCHES_BY_IOU = st.one_of(
    st.sampled_from(SHARES).map(lambda share: f"iou({share})"),
    st.sampled_from(["iou(0.5,0.95)", "iou(0.1,0.5)", "iou(0.3,0.44)", "iou(0.05,1)"]),
)
MATCHES = st.one_of(MATCHES_BY_COVER, MATCHES_BY_SEEN, MATCHES_BY_IOU)
DECAYS = st.one_of(
    st.integers(1, 120).map(lambda length: f"linear(L={length})"),
    st.integers(1, 60).map(lambda half: f"half(h={half})"),
)


def named(measure: str, parameters: dict[str, Any], at: Any = None) -> str:
    """``PartR(match=seen(0.8))@5`` from its pieces."""
    inner = ",".join(f"{key}={value}" for key, value in parameters.items())
    return measure + (f"({inner})" if inner else "") + ("" if at is None else f"@{at}")


@st.composite
def names(draw: st.DrawFn, measure: str, matches: st.SearchStrategy[str] = MATCHES, budgets: bool = True) -> str:
    """A measure with random parameters, each often left at its default."""
    if measure == "Abstain":
        return measure
    parameters: dict[str, Any] = {}
    at: Any = None
    if measure in (*PASSAGES, *NUGGETS) and draw(st.integers(0, 4)):
        parameters["match"] = draw(matches)
    if measure == "AspectAP" and draw(st.booleans()):
        parameters["match"] = draw(MATCHES_BY_COVER)
    if measure not in ("Read", "TextJudged"):
        if draw(st.booleans()):
            parameters["rel"] = draw(st.integers(1, 3))
        if draw(st.integers(0, 3)) == 0:
            parameters["judged_only"] = True
    if measure == "PartP" and draw(st.booleans()):
        parameters["new"] = False
    if measure == "PartAP" and draw(st.booleans()):
        parameters["interpolated"] = True
    if measure == "NuggetR" and draw(st.booleans()):
        parameters["weight"] = "grade"
    if measure == "TextU" and draw(st.integers(0, 4)):
        parameters["decay"] = draw(DECAYS)
    if measure == "TextRBP" and draw(st.booleans()):
        parameters["p"] = draw(st.sampled_from(["0.1", "0.5", "0.95"]))
    if measure == "iP":
        at = draw(st.sampled_from(["0", "0.01", "0.3", "0.5", "1"]))
    if measure in (*PASSAGES, *NUGGETS, *TEXT_WITH_BUDGET):
        limit = draw(st.sampled_from(["none", "rank", "budget", "pack"] if budgets else ["none", "rank"]))
        if limit == "rank":
            at = draw(st.integers(1, 9))
        elif limit != "none":
            parameters["budget"] = draw(st.integers(1, 90))
            if limit == "pack":
                parameters["pack"] = True
    if measure in ("Read", "TextJudged") and draw(st.booleans()):
        at = draw(st.integers(1, 9))
    return named(measure, parameters, at)


def by_oracle(world: PartWorld, measures: list[str]) -> Values:
    queries = world.queries()
    return {name: parts.values_of(name, queries) for name in measures}


def by_library(world: PartWorld, measures: list[str]) -> Values:
    scores = pw.evaluate(world.gold, world.run_rows(), measures, lengths=world.lengths)
    values = scores.per_query()["run"]
    return {name: values[pw.measure(name).name] for name in measures}


BOTH = pytest.mark.parametrize("scored", [by_oracle, by_library])
"""A property of the oracle too: it must be right about the definitions."""


def that_score(world: PartWorld, measures: list[str]) -> list[str]:
    """The measures that score a query at least; the others are an error, tested elsewhere."""
    scored = [name for name, values in by_oracle(world, measures).items() if values]
    assume(scored and any(world.run.values()))
    return scored


# ---- the library equals the oracle --------------------------------------------------------------------------


def check_against_oracle(world: PartWorld, measures: list[str]) -> None:
    slow = {name: values for name, values in by_oracle(world, measures).items() if values}
    assume(slow and any(world.run.values()))
    for name, values in by_library(world, list(slow)).items():
        assert values == pytest.approx(slow[name], abs=1e-12), name


@pytest.mark.parametrize("family", FAMILIES)
@given(part_worlds(), st.data())
def test_fast_equals_slow(family: str, world: PartWorld, data: st.DataObject) -> None:
    check_against_oracle(world, [data.draw(names(measure)) for measure in FAMILIES[family]])


@given(part_worlds())
def test_every_measure_with_every_match(world: PartWorld) -> None:
    """Together in one evaluation, where measures share what they need."""
    ats = {"PartHit": 3, "PartP": 2, "PartR": 4, "PartnDCG": 3, "NuggetR": 3}
    matches = ["any", "contains", "cover(0.3)", "seen(0.8)", "iou(0.5)"]
    grid = [named(name, {"match": match}, ats.get(name)) for name in (*PASSAGES, *NUGGETS) for match in matches]
    others = [
        "AspectAP",
        "CharAP",
        "TextU",
        "TextRBP",
        "Read",
        "TextJudged@3",
        "iP(rel=2)@0.1",
        "TextR(judged_only=True)",
    ]
    check_against_oracle(world, [*grid, *others, "PartAP(interpolated=True,match=iou(0.5,0.95))@3", "PartP(new=False)"])


@given(part_worlds())
def test_abstaining_counts_the_queries_with_nothing_relevant(world: PartWorld) -> None:
    """Whatever the others; one that is missing from the run is right."""
    world.gold += [{"query_id": "unanswerable", "doc_id": ""}, {"query_id": "missing", "doc_id": ""}]
    world.run["unanswerable"] = [{"doc_id": "a", "start": 0, "end": 1}]
    values = by_library(world, ["Abstain"])["Abstain"]
    assert values == by_oracle(world, ["Abstain"])["Abstain"]
    assert values["unanswerable"] == 0
    assert values["missing"] == 1


# ---- whole documents ----------------------------------------------------------------------------------------

LENGTHS = {"a": 1, "b": 7, "c": 30, "d": 8, "e": 2}
AS_DOCUMENTS = {
    "PartHit@2": "Success@2",
    "PartHit(rel=2)@3": "Success(rel=2)@3",
    "PartRR": "RR",
    "PartRR@2": "RR@2",
    "PartRR(rel=2)": "RR(rel=2)",
    "PartP": "SetP",
    "PartP@2": "P@2",
    "PartP@9": "P@9",
    "PartP(rel=2)@3": "P(rel=2)@3",
    "PartP(new=False)@3": "P@3",
    "PartR": "SetR",
    "PartR@3": "R@3",
    "PartR(rel=3)@3": "R(rel=3)@3",
    "PartAP": "AP",
    "PartAP@2": "AP@2",
    "PartAP(rel=2)": "AP(rel=2)",
    "PartnDCG": "nDCG",
    "PartnDCG@2": "nDCG@2",
    "PartnDCG@4": "nDCG@4",
    "PartP(judged_only=True)@2": "P(judged_only=True)@2",
    "PartnDCG(judged_only=True)@3": "nDCG(judged_only=True)@3",
}


def with_match(name: str, match: str) -> str:
    measure, at, cutoff = name.partition("@")
    if measure.endswith(")"):
        return f"{measure[:-1]},match={match}){at}{cutoff}"
    return f"{measure}(match={match}){at}{cutoff}"


@BOTH
@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1),
    st.lists(st.sampled_from("abcde"), min_size=1, unique=True),
    st.sampled_from(["any", "contains", "cover(0.5)", "seen(0.7)", "seen(1)", "iou(0.5)", "iou(1)", "iou(0.5,0.95)"]),
    st.booleans(),
)
def test_whole_documents_are_scored_as_by_ir_measures(
    scored: Scorer, grades: dict[str, int], ranking: list[str], match: str, whole: bool
) -> None:
    gold = [
        {"query_id": "q", "doc_id": doc, "start": 0, "end": LENGTHS[doc], "grade": grade}
        for doc, grade in grades.items()
    ]
    results = [{"doc_id": doc} if whole else {"doc_id": doc, "start": 0, "end": LENGTHS[doc]} for doc in ranking]
    world = PartWorld(gold, {"q": results}, LENGTHS)
    of_documents = {with_match(ours, match): ir_measures.parse_measure(name) for ours, name in AS_DOCUMENTS.items()}
    scores = {doc: float(len(ranking) - index) for index, doc in enumerate(ranking)}
    expected = ir_measures.calc_aggregate(list(of_documents.values()), {"q": grades}, {"q": scores})
    for name, values in scored(world, that_score(world, list(of_documents))).items():
        assert values == pytest.approx({"q": expected[of_documents[name]]}), name


# ---- properties ---------------------------------------------------------------------------------------------


@BOTH
@given(part_worlds(), st.data())
def test_a_duplicate_never_raises_a_value(scored: Scorer, world: PartWorld, data: st.DataObject) -> None:
    """Anywhere after the result that it repeats.

    Not with a budget and iou, because a part that is cut may be closer to a passage than the whole part. With a budget
    PartP divides by the results read, and a long duplicate may leave fewer of them.
    """
    with_results = [query_id for query_id, rows in world.run.items() if rows]
    assume(with_results)
    query_id = data.draw(st.sampled_from(with_results))
    rows = world.run[query_id]
    original = data.draw(st.integers(0, len(rows) - 1))
    place = data.draw(st.integers(original + 1, len(rows)))
    longer = world.with_results(query_id, [*rows[:place], rows[original], *rows[place:]])
    without_iou = st.one_of(MATCHES_BY_COVER, MATCHES_BY_SEEN)
    candidates = [
        data.draw(names(measure, without_iou, budgets=measure != "PartP"))
        for measure in (*PASSAGES, *NUGGETS, "AspectAP", "CharAP", "TextU")
    ]
    candidates += [data.draw(names(measure, MATCHES_BY_IOU, budgets=False)) for measure in (*PASSAGES, *NUGGETS)]
    measures = that_score(world, [name for name in candidates if "new=False" not in name])
    before, after = scored(world, measures), scored(longer, measures)
    for name in measures:
        for query, value in after[name].items():
            assert value <= before[name][query] + 1e-12, name


@BOTH
@given(part_worlds(), st.data(), st.sampled_from(SHARES))
def test_seen_finds_whatever_cover_finds(scored: Scorer, world: PartWorld, data: st.DataObject, share: str) -> None:
    """No later, and perhaps more."""
    by_cover = [
        data.draw(names(measure, st.just(f"cover({share})")).filter(lambda name: "cover" in name))
        for measure in ("PartHit", "PartRR", "PartR", "NuggetR", "AllFound")
    ]
    by_cover = that_score(world, by_cover)
    by_seen = [name.replace("cover", "seen") for name in by_cover]
    values = scored(world, [*by_cover, *by_seen])
    for cover, seen in zip(by_cover, by_seen, strict=True):
        for query_id, value in values[seen].items():
            assert value >= values[cover][query_id] - 1e-12, seen


@BOTH
@given(part_worlds(), st.data())
def test_another_alternative_never_lowers_the_recall_of_nuggets(
    scored: Scorer, world: PartWorld, data: st.DataObject
) -> None:
    """A row for a passage of its own, since a passage that names a nugget is no longer a nugget itself."""
    queries = world.queries()
    of_queries = {query_id: {row.nugget for row in query.rows} - {None} for query_id, query in queries.items()}
    pairs = sorted((query_id, nugget) for query_id, nuggets in of_queries.items() for nugget in nuggets)
    assume(pairs)
    query_id, nugget = data.draw(st.sampled_from(pairs))
    place = data.draw(places(world.lengths, DOCS[:3], 1))
    assume(parts.chars_of(parts.part_of(place, {})) not in {row.chars for row in queries[query_id].rows})
    row = {"query_id": query_id, **place, "nugget": nugget, "grade": 1}
    more = PartWorld([*world.gold, row], world.run, world.lengths, world.by_rank)
    without_iou = st.one_of(MATCHES_BY_COVER, MATCHES_BY_SEEN)
    drawn = data.draw(st.lists(names("NuggetR", without_iou), min_size=1, max_size=4))
    # the documents that are judged may change, and with them the list
    measures = that_score(world, [name for name in drawn if "judged_only" not in name])
    before, after = scored(world, measures), scored(more, measures)
    for name in measures:
        for query, value in before[name].items():
            assert after[name][query] >= value - 1e-12, name


@given(part_worlds(), st.data())
def test_values_stay_in_bounds(world: PartWorld, data: st.DataObject) -> None:
    measures = that_score(world, [data.draw(names(measure)) for measure in ALL if measure != "Read"])
    for name, values in by_library(world, measures).items():
        assert all(0 <= value <= 1 + 1e-12 for value in values.values()), name
