"""Measures over trees: small cases by hand, and the fast ones equal to the slow ones on random trees and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as Fr
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles import brute
from oracles import structure_brute as slow
from oracles.structure_worlds import QUANTS, World, worlds

ALPHAS = {"0": Fr(0), "0.3": Fr(3, 10), "1": Fr(1)}
Queries = Mapping[str, slow.Query]
Values = dict[str, dict[str, float]]


# ---- fast and slow ------------------------------------------------------------------------------------------


def fast(world: World, names: Sequence[str], queries: Sequence[str] | None = None, run: Any = None) -> Values:
    """``{requested name: {query_id: value}}`` by the library."""
    returned = world.run(queries) if run is None else run
    scores = pw.evaluate(world.grades(queries), returned, list(names), collection=world.xml)
    [per_query] = scores.per_query().values()
    return {name: per_query.get(pw.measure(name).name, {}) for name in names}


def gain_measures(settings: str) -> dict[str, Callable[[slow.Gains], Fr]]:
    return {
        f"xCG({settings})": slow.x_cg,
        f"xCG({settings})@1": lambda g: slow.x_cg(g, 1),
        f"xCG({settings})@3": lambda g: slow.x_cg(g, 3),
        f"nxCG({settings})": slow.nx_cg,
        f"nxCG({settings})@1": lambda g: slow.nx_cg(g, 1),
        f"nxCG({settings})@2": lambda g: slow.nx_cg(g, 2),
        f"nxCG({settings})@20": lambda g: slow.nx_cg(g, 20),
        f"MAnxCG({settings})@3": lambda g: slow.ma_nx_cg(g, 3),
        f"MAnxCG({settings})": slow.ma_nx_cg,
        f"xGR({settings})": slow.x_gr,
        f"xGR({settings})@2": lambda g: slow.x_gr(g, 2),
        f"ep({settings})@0.1": lambda g: slow.ep(g, Fr(1, 10)),
        f"ep({settings})@0.5": lambda g: slow.ep(g, Fr(1, 2)),
        f"ep({settings})@1": lambda g: slow.ep(g, Fr(1)),
        f"iMAep({settings})": slow.i_ma_ep,
        f"MAep({settings})": slow.ma_ep,
        f"xQ({settings})": slow.x_q,
        f"xR({settings})": slow.x_r,
    }


def grade_measures(quant: str) -> dict[str, Callable[[slow.Query], Fr]]:
    return {
        f"Precall(quant={quant})@0.01": lambda t: slow.precall(t, quant, Fr(1, 100)),
        f"Precall(quant={quant})@0.3": lambda t: slow.precall(t, quant, Fr(3, 10)),
        f"Precall(quant={quant})@0.5": lambda t: slow.precall(t, quant, Fr(1, 2)),
        f"Precall(quant={quant})@1": lambda t: slow.precall(t, quant, Fr(1)),
        f"Precall(quant={quant},variant=simple)@0.3": lambda t: slow.precall(t, quant, Fr(3, 10), "simple"),
        f"Precall(quant={quant},variant=simple)@1": lambda t: slow.precall(t, quant, Fr(1), "simple"),
        f"inexAP(quant={quant})": lambda t: slow.inex_ap(t, quant),
        f"inexAP(quant={quant},points=7)": lambda t: slow.inex_ap(t, quant, 7),
    }


NG: dict[str, Callable[[slow.Query], Fr]] = {
    "ngP": lambda t: slow.ng(t)[0],
    "ngP@2": lambda t: slow.ng(t, 2)[0],
    "ngP(overlap=False)@3": lambda t: slow.ng(t, 3, overlap=False)[0],
    "ngR": lambda t: slow.ng(t)[1],
    "ngR@2": lambda t: slow.ng(t, 2)[1],
    "ngR(overlap=False)": lambda t: slow.ng(t, overlap=False)[1],
}
TOLERANCE: dict[str, Callable[[slow.Query], Fr]] = {
    "T2I@0.01": lambda t: slow.t2i(t, Fr(1, 100)),
    "T2I@1": lambda t: slow.t2i(t, Fr(1)),
    "T2I(tolerance=1)@0.5": lambda t: slow.t2i(t, Fr(1, 2), 1),
    "T2I(tolerance=3)@0.5": lambda t: slow.t2i(t, Fr(1, 2), 3),
    "T2I(tolerance=3,one=False)@0.5": lambda t: slow.t2i(t, Fr(1, 2), 3, one=False),
    "T2I(one=False)@1": lambda t: slow.t2i(t, Fr(1), one=False),
    "T2IAP": slow.t2i_ap,
    "T2IAP(tolerance=2)": lambda t: slow.t2i_ap(t, 2),
    "T2IAP(tolerance=4,one=False)": lambda t: slow.t2i_ap(t, 4, one=False),
}
ON_TEXT: dict[str, Callable[[brute.Query], Fr]] = {
    "TextP": brute.text_p,
    "TextP@2": lambda t: brute.text_p(t, 2),
    "TextP(alpha=0.3)@3": lambda t: brute.text_p(t, 3, Fr(3, 10)),
    "TextP(budget=7)": lambda t: brute.text_p(t, budget=7),
    "TextR": brute.text_r,
    "TextR@2": lambda t: brute.text_r(t, 2),
    "TextF@3": lambda t: brute.text_f(t, 3),
    "TextIoU@3": lambda t: brute.text_iou(t, 3),
    "iP@0": lambda t: brute.i_p(t, Fr(0)),
    "iP@0.3": lambda t: brute.i_p(t, Fr(3, 10)),
    "iAP(points=11)": lambda t: brute.i_ap(t, 11),
    "TextAP": brute.text_ap,
    "gP@2": lambda t: brute.g_p(t, brute.score_f, 2),
    "gR@1": lambda t: brute.g_r(t, 1),
    "AgP": lambda t: brute.ag_p(t, brute.score_f),
    "AgP(score=F(beta=0.25))": lambda t: brute.ag_p(t, lambda x, d: brute.score_f(x, d, Fr(1, 4))),
    "AgP(score=T2I(tolerance=3))": lambda t: brute.ag_p(t, lambda x, d: brute.score_t2i(x, d, 3)),
}
ON_ALL_ELEMENTS: dict[str, Callable[[brute.Query], Fr]] = {
    "TextR(trel=elements)": brute.text_r,
    "TextR(alpha=0,trel=elements)@3": lambda t: brute.text_r(t, 3, Fr(0)),
    "TextF(trel=elements)@3": lambda t: brute.text_f(t, 3),
    "iP(trel=elements)@0.1": lambda t: brute.i_p(t, Fr(1, 10)),
    "iP(alpha=0,trel=elements)@0.3": lambda t: brute.i_p(t, Fr(3, 10), Fr(0)),
    "iAP(points=11,alpha=0,trel=elements)": lambda t: brute.i_ap(t, 11, Fr(0)),
    "TextAP(alpha=0.3,trel=elements)": lambda t: brute.text_ap(t, Fr(3, 10)),
}
OF_RESULTS: dict[str, Callable[[brute.Query], Fr]] = {
    "Overlap@3": lambda t: brute.overlap(t, 3),
    "Redundancy": brute.redundancy,
}


def expected_gains(queries: Queries, settings: str, quant: str, alpha: Fr, ideal: str) -> Values:
    gains = {query_id: slow.gains(query, quant, alpha, ideal) for query_id, query in queries.items()}
    return {
        name: {query_id: float(of(g)) for query_id, g in gains.items() if g.ideal}
        for name, of in gain_measures(settings).items()
    }


def is_judged(world: World) -> bool:
    """Whether measures of elements can be computed: some element must be relevant."""
    return any(query.relevant() for query in world.queries().values())


def is_highlighted(world: World) -> bool:
    return any(slow.passage_count(query) for query in world.queries().values())


def agree(actual: Values, expected: Values) -> None:
    for name, values in expected.items():
        assert actual[name] == pytest.approx(values, abs=1e-9, rel=0), name


@given(worlds(), st.sampled_from(sorted(ALPHAS)), st.sampled_from(["focused", "all"]), st.data())
def test_gain_measures_equal_the_slow_ones(world: World, alpha: str, ideal: str, data: st.DataObject) -> None:
    assume(is_judged(world))
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    settings = f"quant={quant},alpha={alpha},ideal={ideal}"
    expected = expected_gains(world.queries(), settings, quant, ALPHAS[alpha], ideal)
    agree(fast(world, list(expected)), expected)


@given(worlds(), st.data())
def test_inex_eval_equals_the_slow_ones(world: World, data: st.DataObject) -> None:
    assume(is_judged(world))
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    queries = world.queries()
    expected = {
        name: {query_id: float(of(t)) for query_id, t in queries.items() if slow.recall_base(t, quant)}
        for name, of in grade_measures(quant).items()
    }
    expected |= {
        name: {query_id: float(of(t)) for query_id, t in queries.items() if t.relevant()} for name, of in NG.items()
    }
    agree(fast(world, list(expected)), expected)


@given(worlds(("highlights", "both")))
def test_tolerance_to_irrelevance_equals_the_slow_one(world: World) -> None:
    assume(is_highlighted(world))
    expected = {
        name: {query_id: float(of(t)) for query_id, t in world.queries().items() if slow.passage_count(t)}
        for name, of in TOLERANCE.items()
    }
    agree(fast(world, list(expected)), expected)


@given(worlds(("highlights", "both")))
def test_elements_in_text_measures_equal_the_slow_ones(world: World) -> None:
    assume(is_highlighted(world) and is_judged(world))
    plain = {query_id: slow.as_text(query) for query_id, query in world.queries().items()}
    thorough = {query_id: slow.as_thorough(query) for query_id, query in world.queries().items()}
    expected = {
        name: {query_id: float(of(t)) for query_id, t in plain.items() if t.total} for name, of in ON_TEXT.items()
    }
    expected |= {
        name: {query_id: float(of(t)) for query_id, t in thorough.items() if t.total}
        for name, of in ON_ALL_ELEMENTS.items()
    }
    expected |= {
        name: {query_id: float(of(t)) for query_id, t in plain.items() if t.parts} for name, of in OF_RESULTS.items()
    }
    agree(fast(world, list(expected)), expected)


# ---- properties of all measures -----------------------------------------------------------------------------

PERFECT = (
    "nxCG",
    "nxCG@1",
    "nxCG@2",
    "nxCG@50",
    "MAnxCG",
    "xGR",
    "ep@0.1",
    "ep@0.7",
    "ep@1",
    "iMAep",
    "MAep",
    "xQ",
    "xR",
)


def with_settings(names: Sequence[str], settings: str) -> list[str]:
    """``nxCG@1`` with ``quant=sog`` is ``nxCG(quant=sog)@1``."""
    parted = (name.partition("@") for name in names)
    return [f"{head}({settings}){at}{level}" for head, at, level in parted]


@given(worlds(), st.sampled_from(sorted(ALPHAS)), st.data())
def test_the_ideal_run_scores_one(world: World, alpha: str, data: st.DataObject) -> None:
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    ideal = {query_id: slow.ideal_elements(query, quant) for query_id, query in world.queries().items()}
    assume(any(ideal.values()))
    base = pw.ideal(world.grades(), collection=world.xml, quant=quant)
    rows = list(base.rows())
    for query_id, places in ideal.items():
        of_query = [(row["doc_id"], row["path"]) for row in rows if row["query_id"] == query_id]
        assert of_query == list(places)
        values = [row["value"] for row in rows if row["query_id"] == query_id]
        assert values == pytest.approx([float(value) for value in places.values()])
    assert {row["query_id"] for row in rows} == {query_id for query_id, places in ideal.items() if places}
    names = with_settings(PERFECT, f"quant={quant},alpha={alpha}")
    expected = {query_id: 1.0 for query_id, places in ideal.items() if places}
    agree(fast(world, names, run=base), dict.fromkeys(names, expected))
    as_rows = [{key: row[key] for key in ("query_id", "doc_id", "path")} for row in rows]
    agree(fast(world, names, run=as_rows), dict.fromkeys(names, expected))


@given(worlds(), st.data())
def test_without_overlap_every_relevant_element_is_its_own_ideal(world: World, data: st.DataObject) -> None:
    """alpha=0 and ideal=all: a result gains its value, once; returning all of them in order scores 1."""
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    queries = world.queries()
    every = {query_id: slow.ideal_elements(query, quant, "all") for query_id, query in queries.items()}
    assume(any(every.values()))
    settings = f"quant={quant},alpha=0,ideal=all"
    returned = {
        query_id: {(r.doc, r.node.path) for r in query.found if r.node is not None}
        for query_id, query in queries.items()
    }
    gained = {
        query_id: float(sum(value for place, value in places.items() if place in returned[query_id]))
        for query_id, places in every.items()
        if places
    }
    agree(fast(world, [f"xCG({settings})"]), {f"xCG({settings})": gained})
    run = {query_id: [{"doc_id": doc, "path": path} for doc, path in places] for query_id, places in every.items()}
    names = with_settings(PERFECT, settings)
    agree(fast(world, names, run=run), dict.fromkeys(names, dict.fromkeys(gained, 1.0)))


@given(worlds(), st.sampled_from(sorted(ALPHAS)), st.sampled_from(["focused", "all"]), st.data())
def test_values_stay_in_bounds(world: World, alpha: str, ideal: str, data: st.DataObject) -> None:
    assume(is_judged(world))
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    names = [*gain_measures(f"quant={quant},alpha={alpha},ideal={ideal}"), *grade_measures(quant), *NG]
    if is_highlighted(world):
        names += TOLERANCE
    for name, values in fast(world, names).items():
        highest = float("inf") if name.startswith("xCG") else 1 + 1e-12
        assert all(0 <= value <= highest for value in values.values()), name


ORDER_NAMES = ("xCG@3", "nxCG@2", "MAnxCG@4", "xGR", "ep@0.5", "iMAep", "MAep", "xQ", "xR", "Precall@0.4", "inexAP")


@given(worlds(), st.data())
def test_splitting_and_reordering_queries_change_nothing(world: World, data: st.DataObject) -> None:
    assume(is_judged(world))
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    names = [*with_settings(ORDER_NAMES, f"quant={quant}"), *NG]
    together = fast(world, names)
    order = data.draw(st.permutations(sorted(world.judged)))
    assert fast(world, names, queries=order) == together
    for query_id, query in world.queries().items():
        if query.relevant():
            alone = fast(world, names, queries=[query_id])
            for name in names:
                assert alone[name] == {q: value for q, value in together[name].items() if q == query_id}, name


@given(worlds(), st.data())
def test_returning_a_part_again_gains_nothing(world: World, data: st.DataObject) -> None:
    """Directly after itself, with alpha=1; gains at earlier ranks do not change."""
    assume(is_judged(world) and any(world.results.values()))
    quant = data.draw(st.sampled_from(QUANTS[world.scale]))
    query_id = data.draw(st.sampled_from([query_id for query_id, results in world.results.items() if results]))
    results = world.results[query_id]
    at = data.draw(st.integers(0, len(results) - 1))
    names = [f"xGR(quant={quant})", "ngR"]
    before = fast(world, names)
    more = {**world.results, query_id: [*results[: at + 1], *results[at:]]}
    agree(fast(World(world.xml, world.scale, world.judged, more), names), before)


# ---- by hand ------------------------------------------------------------------------------------------------


def graded(grades: Mapping[str, tuple[Any, float]], scale: str = "unit", doc: str = "d") -> list[dict[str, Any]]:
    return [
        {"query_id": "t", "doc_id": doc, "path": path, "exhaustivity": e, "specificity": s, "scale": scale}
        for path, (e, s) in grades.items()
    ]


def values(xml: str, grades: list[dict[str, Any]], parts: list[dict[str, Any]], *names: str) -> list[float]:
    of_run = pw.evaluate(grades, {"t": parts}, list(names), collection={"d": xml}).per_query()["run"]
    return [of_run[pw.measure(name).name]["t"] for name in names]


def paths(*given_paths: str) -> list[dict[str, Any]]:
    return [{"doc_id": "d", "path": path} for path in given_paths]


def test_own_text_of_a_partly_seen_element_counts() -> None:
    """A paragraph of ten characters whose inline element of two was read: eight tenths of it are new."""
    xml = "<p>12345<i>67</i>890</p>"
    names = [f"xCG(quant=spe,ideal=all,alpha={alpha})" for alpha in ("1", "0.5", "0")]
    gains = values(xml, graded({"/p[1]": (1, 0.5)}), paths("/p[1]/i[1]", "/p[1]"), *names)
    assert gains == pytest.approx([0.4, 0.5 * 0.4 + 0.5 * 0.5, 0.5])


def test_a_half_read_element_gains_no_more_than_an_unread_one() -> None:
    """The unread half is worth 1 and fills half of its parent, which is worth 0.2 whole."""
    xml = "<s><p>abcd</p><p>efgh</p></s>"
    grades = graded({"/s[1]": (1, 0.2), "/s[1]/p[2]": (1, 1)})
    assert values(xml, grades, paths("/s[1]/p[1]", "/s[1]"), "xCG(quant=spe)") == pytest.approx([0.2])


def test_elements_of_equal_extent_are_seen_together() -> None:
    xml = "<a><b><c>text</c></b> more</a>"
    grades = graded({"/a[1]/b[1]": (1, 1), "/a[1]/b[1]/c[1]": (1, 0.5)})
    names = ("xCG(quant=spe,ideal=all)@1", "xCG(quant=spe,ideal=all)@2", "xCG(quant=spe,ideal=all,alpha=0.25)@2")
    assert values(xml, grades, paths("/a[1]/b[1]/c[1]", "/a[1]/b[1]"), *names) == pytest.approx([0.5, 0.5, 1.25])
    span = {"doc_id": "d", "start": 0, "end": 4}
    assert values(xml, grades, [span], names[0]) == pytest.approx([0.5])


def test_an_element_without_text_is_seen_by_itself_or_an_ancestor_alone() -> None:
    xml = "<a>ab<fig/>cd</a>"
    grades = graded({"/a[1]": (1, 0.1), "/a[1]/fig[1]": (1, 1)})
    name = "xCG(quant=spe,ideal=all)@2"
    whole_text = {"doc_id": "d", "start": 0, "end": 3}
    assert values(xml, grades, [whole_text, *paths("/a[1]/fig[1]")], name) == pytest.approx([1])
    assert values(xml, grades, paths("/a[1]", "/a[1]/fig[1]"), name) == pytest.approx([0.1])
    assert values(xml, grades, paths("/a[1]/fig[1]", "/a[1]/fig[1]"), name) == pytest.approx([1])
    assert values(xml, grades, paths("/a[1]/fig[1]", "/a[1]"), name) == pytest.approx([1.1])


def test_an_ancestor_of_several_ideals_draws_on_each() -> None:
    """The root, worth 0.4, takes in the proportion 1 : 0.5 from its two ideals; they keep the rest."""
    xml = "<a><p>aaaa</p><p>bbbb</p><p>cccc</p></a>"
    grades = graded({"/a[1]": (1, 0.4), "/a[1]/p[1]": (1, 1), "/a[1]/p[2]": (1, 0.5)})
    run = paths("/a[1]", "/a[1]/p[1]", "/a[1]/p[2]")
    names = [f"xCG(quant=spe,alpha=0)@{k}" for k in (1, 2, 3)]
    left = 1 - 0.4 * 2 / 3
    assert values(xml, grades, run, *names) == pytest.approx([0.4, 0.4 + left, 1.5])
    assert values(xml, grades, run, "MAep(quant=spe)") == pytest.approx([0.4])
    lone = values(xml, grades, paths("/a[1]/p[3]", "/a[1]/p[1]"), "MAep(quant=spe)", "xQ(quant=spe)", "xR(quant=spe)")
    assert lone == pytest.approx([0.5 / 2, 2 / 3.5 / 2, 2 / 3.5])


def test_precall_by_hand() -> None:
    """N = 2; two results tie at rank 2, one of value 1 and one of value 0."""
    xml = "<a><p>a</p><p>b</p><p>c</p><p>d</p></a>"
    grades = graded({"/a[1]/p[1]": (1, 1), "/a[1]/p[2]": (1, 0.5), "/a[1]/p[3]": (1, 0.5)})
    run = [
        {**row, "rank": rank}
        for row, rank in zip(
            paths("/a[1]/p[2]", "/a[1]/p[4]", "/a[1]/p[1]", "/a[1]/p[1]", "/a[1]/p[3]"), (1, 2, 2, 3, 4), strict=True
        )
    ]
    names = [f"Precall(quant=spe)@{x}" for x in ("0.25", "0.5", "1")]
    # need 0.5: r = i = 0.5; need 1: j = 0.5, s = 0.5, r = i = 1; need 2: j = 2.5, including the repeated part
    first = 0.5 / (0.5 + 0.5 * 0.5 / 1.5)
    second = 1 / (1 + 0.5 + 0.5 * 1 / 2)
    last = 2 / (2 + 2.5 + 0.5 * 0.5 / 1.5)
    assert values(xml, grades, run, *names) == pytest.approx([first, second, last])
    assert values(xml, grades, run, "Precall(quant=spe,variant=simple)@1") == pytest.approx([2 / 5])
    assert values(xml, grades, run[:2], "Precall(quant=spe)@0.5") == [0]
    assert values(xml, grades, run, "inexAP(quant=spe,points=2)") == pytest.approx([(second + last) / 2])


def test_ng_by_hand() -> None:
    """Four-point grades are divided by 3; half of the section was seen in its paragraph."""
    xml = "<s><p>aaaa</p><q>bbbb</q></s>"
    grades = graded({"/s[1]": (3, 2), "/s[1]/p[1]": (2, 3)}, "four-point")
    run = paths("/s[1]/p[1]", "/s[1]")
    assert values(xml, grades, run, "ngP", "ngR") == pytest.approx([(4 + 4 * 2 / 3) / 8, (2 / 3 + 0.5) / (5 / 3)])
    apart = values(xml, grades, run, "ngP(overlap=False)", "ngR(overlap=False)")
    assert apart == pytest.approx([(4 + 8 * 2 / 3) / 12, 1])


def test_tolerance_by_hand() -> None:
    """Three passages of a text of thirty; two of them abut."""
    xml = f"<a>{'.' * 10}<p>{'r' * 6}</p>{'.' * 8}rr....</a>"
    grades = [
        {"query_id": "t", "doc_id": "d", "start": start, "end": end} for start, end in ((10, 13), (13, 16), (24, 26))
    ]
    start = {"doc_id": "d", "start": 0, "end": 1}
    inside = {"doc_id": "d", "start": 12, "end": 30}
    element = {"doc_id": "d", "path": "/a[1]/p[1]"}
    assert values(xml, grades, [start], "T2I(tolerance=10)@0.1", "T2I(tolerance=11)@0.1") == [0, 1]
    assert values(xml, grades, [inside, element, start], "T2I@0.1", "T2I@0.5", "T2I@1", "T2IAP") == [1, 1, 1, 1]
    near = values(xml, grades, [inside, element, start], "T2I(tolerance=8)@1", "T2IAP(tolerance=8)")
    assert near == pytest.approx([0, 2 / 3])
    assert values(xml, grades, [start, element], "T2I(one=False)@1", "T2I(one=False)@0.1") == [1, 1]


def test_defaults_are_those_of_the_scale() -> None:
    xml = "<a><p>aaaa</p><p>bb</p></a>"
    run = {"t": paths("/a[1]/p[1]")}

    def names(grades: list[dict[str, Any]]) -> dict[str, float]:
        return pw.evaluate(grades, run, "nxCG@1 MAep", collection={"d": xml}).mean()["run"]

    assert names(graded({"/a[1]/p[1]": (2, 3)}, "four-point")) == {"nxCG(quant=sog)@1": 1, "MAep(quant=sog)": 1}
    assert names(graded({"/a[1]/p[1]": (1, 0.5)})) == {"nxCG(quant=spe)@1": 1, "MAep(quant=spe)": 1}
    highlights = [{"query_id": "t", "doc_id": "d", "start": 0, "end": 2}]
    assert names(highlights) == {"nxCG(quant=spe)@1": 1, "MAep(quant=spe)": 1}


@pytest.mark.parametrize(
    ("quant", "scale", "fitting"),
    [("sog", "unit", QUANTS["unit"]), ("gen", "inex2005", QUANTS["inex2005"])],
)
def test_a_quantisation_that_does_not_fit_names_those_that_do(quant: str, scale: str, fitting: Sequence[str]) -> None:
    with pytest.raises(pw.PartwiseError) as caught:
        values("<a>x</a>", graded({"/a[1]": (1, 1)}, scale), paths("/a[1]"), f"nxCG(quant={quant})@1")
    assert all(name in str(caught.value) for name in [quant, *fitting])


@pytest.mark.parametrize("quant", ["spe", "genlifted"])
def test_an_element_that_is_too_small_is_never_ideal(quant: str) -> None:
    """The section has the highest specificity, but e = 0: the paragraph inside it is ideal instead."""
    xml = "<a><sec>xx<p>yy</p></sec><p>zzzz</p></a>"
    qrels = graded({"/a[1]/sec[1]": ("?", 1), "/a[1]/sec[1]/p[1]": (1, 0.5), "/a[1]/p[1]": (2, 0.25)}, "inex2005")
    ideal = pw.ideal(qrels, collection={"d": xml}, quant=quant)
    assert {row["path"] for row in ideal.rows()} == {"/a[1]/sec[1]/p[1]", "/a[1]/p[1]"}
    only_too_small = graded({"/a[1]/sec[1]": ("?", 1)}, "inex2005")
    assert list(pw.ideal(only_too_small, collection={"d": xml}, quant=quant).rows()) == []


def test_queries_without_ideal_elements_are_left_out() -> None:
    """Nothing is highly relevant to query u, so strict leaves it out; a query missing from the run scores 0."""
    xml = "<a><p>x</p></a>"
    grades = graded({"/a[1]/p[1]": (3, 3)}, "four-point")
    grades += [{**row, "query_id": "u", "specificity": 2} for row in grades] + [{**grades[0], "query_id": "v"}]
    scores = pw.evaluate(
        grades, {"t": paths("/a[1]/p[1]")}, "MAep(quant=strict) MAep(quant=gen)", collection={"d": xml}
    )
    queries = scores.per_query()["run"]
    assert queries == {"MAep(quant=strict)": {"t": 1, "v": 0}, "MAep(quant=gen)": {"t": 1, "u": 0, "v": 0}}
    assert scores.mean()["run"]["MAep(quant=strict)"] == 0.5
