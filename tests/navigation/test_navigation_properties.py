"""Measures of navigation: the fast ones equal the slow ones on random worlds, and properties of all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction as Fr
from itertools import count
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, currently_in_test_context, given, note
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import partwise as pw
from oracles import nav_brute as slow
from oracles import structure_brute
from oracles import worlds as text_worlds
from oracles.nav_brute import Part, Piece
from oracles.structure_brute import Place, Result, Tree
from oracles.structure_worlds import KINDS, QUANTS, World, as_row, random_world

Values = dict[str, dict[str, float]]
MOST_DISCOVERIES = 3000
"""Queries with more possible outcomes than this are skipped."""


fewer = hypothesis_settings(max_examples=max(hypothesis_settings.default.max_examples // 4, 1))
"""For properties whose values are compared with the slow measures elsewhere."""


# ---- random worlds: elements and trees -------------------------------------------------------------------------


@dataclass(frozen=True)
class TreeResult(Result):
    """A result of several elements, or of a list of one."""

    paths: tuple[str, ...] = ()


@dataclass
class Elements:
    """A random collection with judgements; results may be trees. `dice` draws anything else that tests need."""

    world: World
    dice: Random
    returned: dict[str, list[Result]]

    @property
    def trees(self) -> dict[str, Tree]:
        return self.world.trees

    def qrels(self) -> list[dict[str, Any]]:
        return self.world.grades()

    def run(self, returned: Mapping[str, Sequence[Result]] | None = None) -> dict[str, list[dict[str, Any]]]:
        given_results = self.returned if returned is None else returned
        return {query_id: [row_of(result) for result in results] for query_id, results in given_results.items()}

    def queries(self) -> dict[str, structure_brute.Query]:
        """The judgements."""
        return {query_id: replace(query, results=()) for query_id, query in self.world.queries().items()}

    def parts(self, query_id: str, returned: Sequence[Result] | None = None) -> list[Part]:
        """The results in rank order, tied ones in the order of the run."""
        results = self.returned.get(query_id, []) if returned is None else returned
        ranked = bool(results) and all(result.rank is not None for result in results)
        parts = [
            Part(pieces_of(self.trees[result.doc], result), (result.rank or 0) if ranked else place)
            for place, result in enumerate(results)
        ]
        return sorted(parts, key=lambda part: part.rank)

    def node(self, place: Place) -> Piece:
        return slow.of_node(place[0], self.trees[place[0]].at[place[1]])


def row_of(result: Result) -> dict[str, Any]:
    if isinstance(result, TreeResult):
        ranked = {} if result.rank is None else {"rank": result.rank}
        return {"doc_id": result.doc, "paths": list(result.paths), **ranked}
    return as_row(result)


def pieces_of(tree: Tree, result: Result) -> tuple[Piece, ...]:
    if isinstance(result, TreeResult):
        return tuple(slow.of_node(result.doc, tree.at[path]) for path in result.paths)
    if result.path is not None:
        return (slow.of_node(result.doc, tree.at[result.path]),)
    start, end = result.span or (0, len(tree.text))
    return (slow.element_or_span(tree, result.doc, start, end),)


def random_elements(dice: Random, kind: str, most: int, with_trees: bool) -> Elements:
    world = random_world(dice, kind)
    returned = {}
    for query_id, results in world.results.items():
        returned[query_id] = [
            random_tree(dice, world, result) if with_trees and not dice.randint(0, 3) else result
            for result in results[:most]
        ]
    return Elements(world, dice, returned)


def random_tree(dice: Random, world: World, result: Result) -> TreeResult:
    nodes = world.trees[result.doc].nodes
    chosen = dice.sample(nodes, min(len(nodes), dice.choice([1, 2, 2, 3])))
    return TreeResult(result.doc, rank=result.rank, paths=tuple(node.path for node in chosen))


def dice_rolls() -> st.SearchStrategy[Random]:
    """Half of them drawn choice by choice, which shrink; half from a seed, which are larger."""
    return st.one_of(st.randoms(use_true_random=False), st.integers(0, 2**32).map(Random))


def elements(kinds: Sequence[str] = KINDS, most: int = 7, with_trees: bool = True) -> st.SearchStrategy[Elements]:
    return st.builds(random_elements, dice_rolls(), st.sampled_from(kinds), st.just(most), st.just(with_trees))


# ---- random worlds: text without structure ---------------------------------------------------------------------


@dataclass
class Text:
    """Passages and entry points; parts of one span or several, in documents without structure."""

    world: text_worlds.World

    def parts(self, query_id: str) -> list[Part]:
        world = self.world
        results = world.results.get(query_id, [])
        order = list(range(len(results)))
        ranks = order if world.scores is None else [-score for score in world.scores.get(query_id, [])]
        parts = [Part((slow.of_spans(results[i].doc, results[i].spans),), ranks[i]) for i in order]
        return sorted(parts, key=lambda part: part.rank)

    def passages(self, query_id: str) -> list[Piece]:
        return [
            slow.of_spans(doc, [span])
            for doc, judgement in self.world.judged[query_id].items()
            for span in structure_brute.merged(judgement.spans)
        ]

    def entries(self, query_id: str) -> list[Piece]:
        """The best entry point of every document with highlighted text."""
        return [
            Piece(doc, frozenset(), judgement.bep)
            for doc, judgement in self.world.judged[query_id].items()
            if judgement.chars
        ]

    def lengths(self, query_id: str) -> dict[str, int]:
        return {doc: judgement.length for doc, judgement in self.world.judged[query_id].items()}


texts = text_worlds.worlds().map(Text)


# ---- navigation models -----------------------------------------------------------------------------------------


@dataclass
class Navigation:
    """The name of a model, and the slow version of it."""

    name: str
    model: slow.Model
    whole: bool = False
    """Whether it takes a tree as one part."""


NAMES = count()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("navigation")


def new_file(folder: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    path = folder / f"{next(NAMES)}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def random_table(dice: Random, trees: Mapping[str, Tree]) -> dict[tuple[str | None, str, str], Fr]:
    """Probabilities for some pairs of paths, in one document or in all."""
    pairs: dict[tuple[str | None, str, str], Fr] = {}
    for doc, tree in trees.items():
        for _ in range(dice.randint(1, 12)):
            source, target = dice.choice(tree.nodes).path, dice.choice(tree.nodes).path
            pairs[dice.choice([doc, None]), source, target] = Fr(dice.randint(0, 8), 8)
    return pairs


Stops = list[structure_brute.Node]


def random_routes(dice: Random, trees: Mapping[str, Tree]) -> list[tuple[str | None, Stops]]:
    """Routes through a document; some apply to every document."""
    return [
        (dice.choice([doc, None]), [dice.choice(tree.nodes) for _ in range(dice.randint(2, 5))])
        for doc, tree in trees.items()
        for _ in range(dice.randint(1, 4))
    ]


def random_weights(dice: Random, trees: Mapping[str, Tree], by: str) -> dict[tuple[str, str], Fr]:
    """Weights between partitions, not always in both directions; some partitions have none."""
    names = sorted({slow.PARTITION[by](node) for tree in trees.values() for node in tree.nodes})
    weights = {(dice.choice(names), dice.choice(names)): Fr(dice.randint(1, 5)) for _ in range(dice.randint(1, 6))}
    return {pair: weight for pair, weight in weights.items() if weight}


def in_document(doc: str | None) -> dict[str, str]:
    return {} if doc is None else {"doc_id": doc}


def table_file(folder: Path, pairs: Mapping[tuple[str | None, str, str], Fr]) -> str:
    rows = [
        {**in_document(doc), "from": source, "to": target, "probability": float(p)}
        for (doc, source, target), p in pairs.items()
    ]
    return new_file(folder, rows)


def routes_file(folder: Path, dice: Random, observed: Sequence[tuple[str | None, Stops]], by: str | None) -> str:
    """Stops are elements or, for partitions, also written as partitions."""
    rows = []
    for doc, stops in observed:
        as_paths = by is None or dice.choice([True, False])
        route = [stop.path if as_paths or by is None else slow.PARTITION[by](stop) for stop in stops]
        rows.append({**in_document(doc), "route": route})
    return new_file(folder, rows)


def weights_file(folder: Path, weights: Mapping[tuple[str, str], Fr]) -> str:
    rows = [{"from": i, "to": j, "weight": float(weight)} for (i, j), weight in weights.items()]
    return new_file(folder, rows)


MODELS = ("none", "coverage", "hierarchy", "distance", "depth", "summary", "weights", "routes", "table")


def draw_navigation(world: Elements, folder: Path, data: st.DataObject, models: Sequence[str] = MODELS) -> Navigation:
    """One of all models with any of its parameters."""
    kind = data.draw(st.sampled_from(models))
    normalise = data.draw(st.booleans()) and kind != "none"
    plain = named_model(world, folder, kind)
    if not normalise:
        return plain
    return Navigation(named(plain.name, normalise=True), slow.normalised(plain.model, world.trees), plain.whole)


def named_model(world: Elements, folder: Path, kind: str) -> Navigation:
    dice, trees = world.dice, world.trees
    lengths = {doc: len(tree.text) for doc, tree in trees.items()}
    if kind == "none":
        return Navigation("none", slow.nowhere)
    if kind == "coverage":
        return Navigation("coverage", slow.coverage, whole=True)
    if kind == "hierarchy":
        return Navigation("hierarchy", slow.hierarchy)
    if kind == "depth":
        return Navigation("depth", slow.depth)
    if kind == "distance":
        a = dice.choice(["0.1", "0.5", "2"])
        return Navigation(f"distance(A={a})", slow.distance(lengths, Fr(a)), whole=True)
    if kind == "table":
        pairs = random_table(dice, trees)
        return Navigation(f"table(file='{table_file(folder, pairs)}')", slow.table(pairs))
    if kind == "routes":
        by: str | None = dice.choice([None, "tag", "path"])
        abandon = dice.choice([True, False])
        observed = random_routes(dice, trees)
        partition = "" if by is None else f",by={by}"
        name = f"routes(file='{routes_file(folder, dice, observed, by)}'{partition},abandon={abandon})"
        stops = slow.PARTITION.get(by or "", lambda node: node.path)
        walked = [(doc if by is None else None, [stops(node) for node in route]) for doc, route in observed]
        return Navigation(name, slow.routes(walked, by, abandon))
    by = dice.choice(["tag", "path"])
    if kind == "summary":
        return Navigation(f"summary(by={by})", slow.summary(trees.values(), by))
    weights = random_weights(dice, trees, by)
    name = f"summary(by={by},weights='{weights_file(folder, weights)}')"
    return Navigation(name, slow.summary(trees.values(), by, weights))


# ---- fast and slow ---------------------------------------------------------------------------------------------


def settings(**values: Any) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())


def named(name: str, **values: Any) -> str:
    """``NavR@3`` with its settings: ``NavR(ideals=elements)@3``; settings in the name come first."""
    head, at, level = name.partition("@")
    head, _, own = head.removesuffix(")").partition("(")
    inside = ",".join(filter(None, [own, settings(**values)]))
    return f"{head}({inside}){at}{level}" if inside else name


def fast(qrels: Any, run: Any, names: Sequence[str], collection: Any = None) -> Values:
    """``{requested name: {query_id: value}}`` by the library."""
    if currently_in_test_context():
        note(f"pw.evaluate({qrels!r}, {run!r}, names, collection={collection!r})")
    scores = pw.evaluate(qrels, run, list(names), collection=collection)
    [per_query] = scores.per_query().values()
    return dict(zip(names, per_query.values(), strict=True))


def agree(actual: Values, expected: Values, within: float = 1e-9) -> None:
    for name, values in expected.items():
        assert actual[name] == pytest.approx(values, abs=within, rel=0), name


LEVELS = {"0.01": Fr(1, 100), "0.3": Fr(3, 10), "0.5": Fr(1, 2), "1": Fr(1)}
CUTOFFS = (None, 1, 2, 5, 20)


def at_cutoffs(name: str, of: Callable[..., Fr], **values: Any) -> dict[str, Callable[..., Fr]]:
    return {
        name if k is None else f"{name}@{k}": (lambda *given_values, k=k: of(*given_values, k=k, **values))
        for k in CUTOFFS
    }


@dataclass
class Seen:
    """The units of a query, and the probabilities of seeing them from each rank."""

    matrix: list[list[Fr]]
    length: int
    discoveries: slow.Discoveries = field(init=False)

    def __post_init__(self) -> None:
        self.discoveries = slow.quick_discoveries(self.matrix) if self.small else {}

    @property
    def small(self) -> bool:
        return prod(sum(p > 0 for p in row) + 1 for row in self.matrix) <= MOST_DISCOVERIES


OF_ALL: dict[str, Callable[[Seen], Fr]] = at_cutoffs("NavR", lambda seen, k: slow.nav_r(seen.matrix, k))
OF_SMALL: dict[str, Callable[[Seen], Fr]] = {
    **{
        f"EPRUM@{x}": (lambda seen, level=level: slow.eprum(seen.discoveries, len(seen.matrix), level))
        for x, level in LEVELS.items()
    },
    **{
        f"PRUM@{x}": (lambda seen, level=level: slow.prum(seen.discoveries, len(seen.matrix), seen.length, level))
        for x, level in LEVELS.items()
    },
    "AEPRUM": lambda seen: slow.a_eprum(seen.discoveries, len(seen.matrix)),
    **at_cutoffs("EPRUMrank", lambda seen, k: slow.eprum_rank(seen.discoveries, seen.length, k)),
}


def check_seen(qrels: Any, run: Any, seen: Mapping[str, Seen], collection: Any, **values: Any) -> None:
    """All measures of units seen, for queries that have units; examples count only if one of these is small."""
    of_query = {query_id: one for query_id, one in seen.items() if one.matrix}
    assume(of_query)
    expected: Values = {}
    for name, of in OF_ALL.items():
        expected[named(name, **values)] = {query_id: float(of(one)) for query_id, one in of_query.items()}
    for name, small_of in OF_SMALL.items():
        expected[named(name, **values)] = {
            query_id: float(small_of(one)) for query_id, one in of_query.items() if one.small
        }
    computed = fast(qrels, run, list(expected), collection)
    for name, by_query in computed.items():
        assert set(by_query) == set(of_query), name
    agree({name: {q: by_query[q] for q in expected[name]} for name, by_query in computed.items()}, expected)
    assume(any(one.small for one in of_query.values()))


def seen_in(units: Sequence[Piece], run: Sequence[Part], navigation: Navigation) -> Seen:
    return Seen([slow.reaches(unit, run, navigation.model, navigation.whole) for unit in units], len(run))


@dataclass
class Gained:
    """The relevant parts of a query, and the expected hits and near-misses by every rank."""

    relevant: slow.Relevant
    ranks: list[slow.Expected]

    def at(self, k: int | None) -> slow.Expected:
        return slow.at(self.relevant, self.ranks, k)


def of_curve(of: Callable[..., Fr], **values: Any) -> Callable[..., Fr]:
    return lambda gained, k: of(gained.relevant, gained.ranks, k, **values)


OF_GAINED: dict[str, Callable[[Gained], Fr]] = {
    **at_cutoffs("ESRHits", lambda gained, k: gained.at(k).hits),
    **at_cutoffs("ESRNear", lambda gained, k: gained.at(k).near),
    **at_cutoffs("ESRMisses", lambda gained, k: gained.at(k).misses),
    **at_cutoffs("ESRBase", lambda gained, k: gained.at(k).base),
    **at_cutoffs("ESRShrinkage", lambda gained, k: gained.at(k).shrinkage),
    **at_cutoffs("ESRP", of_curve(slow.esrp)),
    **at_cutoffs("ESRR", of_curve(slow.esrr)),
    **at_cutoffs("SRiP", of_curve(slow.srip)),
    **at_cutoffs("SRiR", of_curve(slow.srir)),
    **at_cutoffs("SRiR(base=expected)", of_curve(slow.srir, base="expected")),
    **at_cutoffs("SRiP2", of_curve(slow.srip, near=True)),
    **at_cutoffs("SRiR2", of_curve(slow.srir, near=True)),
    **at_cutoffs("SRiR2(base=expected)", of_curve(slow.srir, near=True, base="expected")),
    **at_cutoffs("NSRCG", of_curve(slow.nsrcg)),
    **at_cutoffs("NSRCG2(l=0.4,m=3)", of_curve(slow.nsrcg, near=True, recall=Fr(2, 5), m=3)),
    "SRPRUM": lambda gained: slow.srprum(gained.relevant, gained.ranks),
    "SRPRUM(recall=0.3)": lambda gained: slow.srprum(gained.relevant, gained.ranks, Fr(3, 10)),
    "iSRiP@0": lambda gained: slow.isrip(gained.relevant, gained.ranks, Fr(0)),
    "iSRiP@0.3": lambda gained: slow.isrip(gained.relevant, gained.ranks, Fr(3, 10)),
    "iSRiP2@0.3": lambda gained: slow.isrip(gained.relevant, gained.ranks, Fr(3, 10), near=True),
    "iSRiP2(depth=2)@0.1": lambda gained: slow.isrip(gained.relevant, gained.ranks, Fr(1, 10), near=True, cut=2),
    "MASRiP": lambda gained: slow.ma_srip(gained.relevant, gained.ranks),
    "MASRiP(depth=3)": lambda gained: slow.ma_srip(gained.relevant, gained.ranks, cut=3),
    "MASRiP2": lambda gained: slow.ma_srip(gained.relevant, gained.ranks, near=True),
    "MAESRP": lambda gained: slow.ma_esrp(gained.relevant, gained.ranks),
    "MAESRP(depth=2)": lambda gained: slow.ma_esrp(gained.relevant, gained.ranks, cut=2),
}
ALPHAS = {"0": Fr(0), "0.3": Fr(3, 10), "1": Fr(1)}
RELS = ("binary", "length", "spe")


def gained_of(relevant: slow.Relevant, run: Sequence[Part], model: slow.Model, match: str, alpha: str) -> Gained:
    return Gained(relevant, slow.curve(relevant, run, model, match, ALPHAS[alpha]))


def check_gained(
    data: st.DataObject, qrels: Any, run: Any, gained: Mapping[str, Gained], collection: Any, **values: Any
) -> None:
    """Some measures of hits and near-misses, for queries with relevant parts."""
    of_query = {query_id: one for query_id, one in gained.items() if one.relevant.all}
    assume(of_query)
    names = data.draw(st.lists(st.sampled_from(list(OF_GAINED)), min_size=10, max_size=30, unique=True))
    expected = {
        named(name, **values): {query_id: float(OF_GAINED[name](one)) for query_id, one in of_query.items()}
        for name in names
    }
    agree(fast(qrels, run, list(expected), collection), expected)


# ---- elements --------------------------------------------------------------------------------------------------


def relevant_elements(world: Elements, query: structure_brute.Query, rel: str) -> slow.Relevant:
    places = query.relevant()
    grades = query.unit_grades()
    worth = []
    for place in places:
        doc, node = place[0], world.trees[place[0]].at[place[1]]
        s = grades[place][1]
        if rel == "length":
            marked = query.marked(doc)
            worth.append(Fr(len(node.chars & marked)) if marked else s * node.size)
        else:
            worth.append(s if rel == "spe" else Fr(1))
    return slow.Relevant([Part((world.node(place),)) for place in places], worth)


def is_judged(world: Elements) -> bool:
    return any(query.relevant() for query in world.queries().values())


@given(world=elements(), data=st.data())
def test_ideal_elements_seen_equal_the_slow_ones(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    quant = data.draw(st.sampled_from(QUANTS[world.world.scale]))
    navigation = draw_navigation(world, folder, data)
    seen = {}
    for query_id, query in world.queries().items():
        units = [world.node(place) for place in structure_brute.ideal_elements(query, quant)]
        seen[query_id] = seen_in(units, world.parts(query_id), navigation)
    check_seen(
        world.qrels(),
        world.run(),
        seen,
        world.world.xml,
        ideals="elements",
        quant=quant,
        nav=navigation.name,
    )


@given(world=elements(), data=st.data())
def test_esr_of_elements_and_trees_equals_the_slow_one(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    rel, match = data.draw(st.sampled_from(RELS)), data.draw(st.sampled_from(["exact", "contains"]))
    alpha = data.draw(st.sampled_from(sorted(ALPHAS)))
    navigation = draw_navigation(world, folder, data)
    gained = {
        query_id: gained_of(relevant_elements(world, query, rel), world.parts(query_id), navigation.model, match, alpha)
        for query_id, query in world.queries().items()
    }
    check_gained(
        data,
        world.qrels(),
        world.run(),
        gained,
        world.world.xml,
        nav=navigation.name,
        rel=rel,
        match=match,
        alpha=alpha,
    )


OF_LIST: dict[str, Callable[..., Fr]] = {
    **at_cutoffs("SR", slow.sr),
    **at_cutoffs("SRP", slow.srp),
    **{f"SRPL@{x}": (lambda *of, level=level: slow.srpl(*of, level=level)) for x, level in LEVELS.items()},
    **{
        f"SRPL(base=retrieved)@{x}": (lambda *of, level=level: slow.srpl(*of, level=level, base="retrieved"))
        for x, level in LEVELS.items()
    },
}


@given(world=elements(with_trees=False, most=8), data=st.data())
def test_structural_relevance_equals_the_slow_one(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    navigation = draw_navigation(world, folder, data)
    how = data.draw(st.sampled_from(["document", "kin", "lineage"]))
    relevant = {
        query_id: [world.node(place).key for place in query.relevant()]
        for query_id, query in world.queries().items()
        if query.relevant()
    }
    expected = {
        named(name, nav=navigation.name, related=how): {
            query_id: float(of(world.parts(query_id), keys, navigation.model, how))
            for query_id, keys in relevant.items()
        }
        for name, of in OF_LIST.items()
    }
    agree(fast(world.qrels(), world.run(), list(expected), world.world.xml), expected)


# ---- text ------------------------------------------------------------------------------------------------------


@dataclass
class TextModel:
    """A model for text: its name, and how the slow version is created for the units of a query."""

    kind: str
    a: str
    normalise: bool

    @property
    def name(self) -> str:
        name = f"distance(A={self.a})" if self.kind == "distance" else self.kind
        return named(name, normalise=True) if self.normalise else name

    def of(self, units: Sequence[Piece], lengths: Mapping[str, int], entries: bool = False) -> Navigation:
        cover = slow.covers_entry if entries else slow.coverage
        models = {"none": slow.nowhere, "coverage": cover, "distance": slow.distance(lengths, Fr(self.a))}
        model = models[self.kind]
        if self.normalise:
            model = slow.normalised_over(model, lambda doc: [unit for unit in units if unit.doc == doc])
        return Navigation(self.name, model, whole=True)


TEXT_MODELS = st.builds(
    TextModel, st.sampled_from(["none", "coverage", "distance"]), st.sampled_from(["0.1", "0.5", "2"]), st.booleans()
)


@given(world=texts, nav=TEXT_MODELS, entries=st.booleans())
def test_passages_and_entry_points_seen_equal_the_slow_ones(world: Text, nav: TextModel, entries: bool) -> None:
    seen = {}
    for query_id in world.world.judged:
        units = world.entries(query_id) if entries else world.passages(query_id)
        seen[query_id] = seen_in(units, world.parts(query_id), nav.of(units, world.lengths(query_id), entries))
    ideals = "bep" if entries else "passages"
    check_seen(world.world.qrels(), world.world.run(), seen, None, ideals=ideals, nav=nav.name)


def relevant_passages(passages: Sequence[Piece], rel: str) -> slow.Relevant:
    return slow.Relevant(
        [Part((passage,)) for passage in passages],
        [Fr(len(passage.chars)) if rel == "length" else Fr(1) for passage in passages],
    )


@given(world=texts, nav=TEXT_MODELS, data=st.data())
def test_esr_of_passages_equals_the_slow_one(world: Text, nav: TextModel, data: st.DataObject) -> None:
    rel, match = data.draw(st.sampled_from(RELS)), data.draw(st.sampled_from(["exact", "contains"]))
    alpha = data.draw(st.sampled_from(sorted(ALPHAS)))
    gained = {}
    for query_id in world.world.judged:
        passages = world.passages(query_id)
        model = nav.of(passages, world.lengths(query_id)).model
        gained[query_id] = gained_of(relevant_passages(passages, rel), world.parts(query_id), model, match, alpha)
    check_gained(
        data, world.world.qrels(), world.world.run(), gained, None, nav=nav.name, rel=rel, match=match, alpha=alpha
    )


def as_text(parts: Sequence[Part]) -> list[Part]:
    """Elements as their characters."""
    return [Part((Piece(part.doc, part.chars, part.start),), part.rank) for part in parts]


@given(world=elements(("highlights", "both")), nav=TEXT_MODELS)
def test_passages_seen_from_elements_equal_the_slow_ones(world: Elements, nav: TextModel) -> None:
    lengths = {doc: len(tree.text) for doc, tree in world.trees.items()}
    seen = {}
    for query_id, query in world.queries().items():
        units = [slow.of_spans(doc, [span]) for doc, spans in query.passages.items() for span in spans]
        seen[query_id] = seen_in(units, as_text(world.parts(query_id)), nav.of(units, lengths))
    check_seen(world.qrels(), world.run(), seen, world.world.xml, ideals="passages", nav=nav.name)


# ---- judged trees ----------------------------------------------------------------------------------------------


@dataclass
class JudgedTree:
    doc: str
    paths: tuple[str, ...]
    specificity: Fr | None

    def row(self, query_id: str) -> dict[str, Any]:
        graded = {} if self.specificity is None else {"exhaustivity": 1, "specificity": float(self.specificity)}
        return {"query_id": query_id, "doc_id": self.doc, "paths": list(self.paths), "scale": "unit", **graded}


def judged_trees(world: Elements, least: int) -> dict[str, list[JudgedTree]]:
    """Some trees of at least this many nodes per query, sometimes a returned one, each judged once."""
    trees: dict[str, list[JudgedTree]] = {}
    for query_id in world.world.judged:
        chosen: dict[tuple[str, frozenset[str]], JudgedTree] = {}
        for _ in range(world.dice.randint(0, 4)):
            returned = [result for result in world.returned.get(query_id, []) if isinstance(result, TreeResult)]
            doc = world.dice.choice(sorted(world.trees))
            result = random_tree(world.dice, world.world, Result(doc))
            if returned and world.dice.randint(0, 1):
                result = world.dice.choice(returned)
            specificity = world.dice.choice([None, Fr(1), Fr(1, 4)])
            if len(result.paths) >= least:
                chosen[result.doc, frozenset(result.paths)] = JudgedTree(result.doc, result.paths, specificity)
        trees[query_id] = list(chosen.values())
    return trees


def relevant_trees(world: Elements, trees: Sequence[JudgedTree], rel: str) -> slow.Relevant:
    parts, worth = [], []
    for tree in trees:
        parts.append(Part(tuple(world.node((tree.doc, path)) for path in tree.paths)))
        s = Fr(1) if tree.specificity is None else tree.specificity
        worth.append({"binary": Fr(1), "spe": s, "length": s * len(parts[-1].chars)}[rel])
    return slow.Relevant(parts, worth)


@given(world=elements(("unit",)), beside=st.booleans(), data=st.data())
def test_esr_of_judged_trees_equals_the_slow_one(
    folder: Path, world: Elements, beside: bool, data: st.DataObject
) -> None:
    """Only trees, or trees and elements; a tree of one node is the element."""
    trees = judged_trees(world, least=2 if beside else 1)
    assume(any(trees.values()))
    rel, match = data.draw(st.sampled_from(RELS)), data.draw(st.sampled_from(["exact", "contains"]))
    alpha = data.draw(st.sampled_from(sorted(ALPHAS)))
    navigation = draw_navigation(world, folder, data)
    qrels = world.qrels() if beside else []
    gained = {}
    for query_id, query in world.queries().items():
        relevant = relevant_trees(world, trees[query_id], rel)
        if beside:
            single = relevant_elements(world, query, rel)
            relevant = slow.Relevant([*relevant.parts, *single.parts], [*relevant.rel, *single.rel])
        gained[query_id] = gained_of(relevant, world.parts(query_id), navigation.model, match, alpha)
        # a query without relevant trees is still a judged one
        qrels += [tree.row(query_id) for tree in trees[query_id]] or (
            [] if beside else [{"query_id": query_id, "doc_id": "d0"}]
        )
    check_gained(
        data, qrels, world.run(), gained, world.world.xml, nav=navigation.name, rel=rel, match=match, alpha=alpha
    )


@given(world=elements(("highlights", "both")), nav=TEXT_MODELS, data=st.data())
def test_esr_of_passages_in_documents_equals_the_slow_one(world: Elements, nav: TextModel, data: st.DataObject) -> None:
    rel, match = data.draw(st.sampled_from(RELS)), data.draw(st.sampled_from(["exact", "contains"]))
    alpha = data.draw(st.sampled_from(sorted(ALPHAS)))
    lengths = {doc: len(tree.text) for doc, tree in world.trees.items()}
    gained = {}
    for query_id, query in world.queries().items():
        passages = [slow.of_spans(doc, [span]) for doc, spans in query.passages.items() for span in spans]
        model = nav.of(passages, lengths).model
        gained[query_id] = gained_of(
            relevant_passages(passages, rel), as_text(world.parts(query_id)), model, match, alpha
        )
    same = {"parts": "passages", "nav": nav.name, "rel": rel, "match": match, "alpha": alpha}
    check_gained(data, world.qrels(), world.run(), gained, world.world.xml, **same)


# ---- models of users -------------------------------------------------------------------------------------------


class Siblings(pw.Navigation):
    """Three users in ten go from an element to its next sibling, one in ten to its parent."""

    needs_nodes = True

    def probabilities(self, question: Any) -> Any:
        origin, target = question.elements
        probabilities = []
        for i, j in zip(origin.tolist(), target.tolist(), strict=True):
            document = question.documents[question.origins.document[i]]
            paths = document.path[question.origins.node[i]], document.path[question.targets.node[j]]
            probabilities.append(float(own_probability(*paths)))
        return origin, target, np.array(probabilities)


def own_probability(source: str, target: str) -> Fr:
    """From the paths only."""
    above, _, last = source.rpartition("/")
    if target == above:
        return Fr(1, 10)
    tag, _, number = last.removesuffix("]").partition("[")
    return Fr(3, 10) if target == f"{above}/{tag}[{int(number) + 1}]" else Fr(0)


def own_model(x: Piece, r: Piece) -> Fr:
    return Fr(0) if x.node is None or r.node is None else own_probability(r.node.path, x.node.path)


def user_model(world: Elements, folder: Path, kind: str) -> tuple[Any, slow.Model]:
    """A model with a name: a subclass, or one learned from routes, as an object or in a file."""
    if kind == "own":
        return Siblings(), own_model
    by = world.dice.choice([None, "tag", "path"])
    abandon = world.dice.choice([True, False])
    observed = random_routes(world.dice, world.trees)
    graph = pw.learn_navigation(routes_file(folder, world.dice, observed, by), by=by, abandon=abandon)
    stops = slow.PARTITION.get(by or "", lambda node: node.path)
    walked = [(doc if by is None else None, [stops(node) for node in route]) for doc, route in observed]
    model = slow.routes(walked, by, abandon)
    if kind == "graph":
        return graph, model
    path = folder / f"{next(NAMES)}.json"
    graph.write(path)
    return str(path), model


@fewer
@given(world=elements(), kind=st.sampled_from(["own", "graph", "file"]), data=st.data())
def test_named_models_equal_the_slow_ones(folder: Path, world: Elements, kind: str, data: st.DataObject) -> None:
    assume(is_judged(world))
    quant = data.draw(st.sampled_from(QUANTS[world.world.scale]))
    option, model = user_model(world, folder, kind)
    expected: Values = {}
    for query_id, query in world.queries().items():
        units = [world.node(place) for place in structure_brute.ideal_elements(query, quant)]
        run = world.parts(query_id)
        if units:
            matrix = [slow.reaches(unit, run, model) for unit in units]
            expected.setdefault(f"NavR(quant={quant},nav=users)", {})[query_id] = float(slow.nav_r(matrix))
        relevant = relevant_elements(world, query, "binary")
        if relevant.all:
            gained = gained_of(relevant, run, model, "exact", "0")
            expected.setdefault("ESRNear(nav=users)@3", {})[query_id] = float(gained.at(3).near)
            expected.setdefault("ESRHits(nav=users)", {})[query_id] = float(gained.at(None).hits)
    scores = pw.evaluate(
        world.qrels(), world.run(), list(expected), collection=world.world.xml, navigation={"users": option}
    )
    [per_query] = scores.per_query().values()
    agree(dict(zip(expected, per_query.values(), strict=True)), expected)


def test_a_registered_model_is_requested_by_name() -> None:
    pw.register_navigation("siblings", Siblings)
    xml = {"d": "<a><p>one</p><p>two</p></a>"}
    qrels = [
        {"query_id": "t", "doc_id": "d", "path": "/a[1]/p[2]", "exhaustivity": 1, "specificity": 1, "scale": "unit"}
    ]
    run = {"t": [{"doc_id": "d", "path": "/a[1]/p[1]"}]}
    names = ["ESRNear(nav=siblings)", "NavR(nav=siblings)@1", "SR(nav=siblings)"]
    computed = fast(qrels, run, names, xml)
    assert [computed[name]["t"] for name in names] == pytest.approx([0.3, 0.3, 0])


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    xml = {"d": "<a><p>one</p><p>two</p></a>"}
    qrels = [
        {"query_id": "t", "doc_id": "d", "path": "/a[1]/p[2]", "exhaustivity": 1, "specificity": 1, "scale": "unit"}
    ]
    run = {"t": [{"doc_id": "d", "path": "/a[1]/p[1]"}]}
    file = tmp_path / "t.csv"
    name = f"ESRNear(nav=table(file='{file}'))"
    for p in (0.25, 0.75):
        file.write_text(f"from,to,probability\n/a[1]/p[1],/a[1]/p[2],{p}\n", encoding="utf-8")
        assert fast(qrels, run, [name], xml)[name] == {"t": pytest.approx(p)}


# ---- defaults --------------------------------------------------------------------------------------------------

RESOLVED = {
    "NavR@2": "NavR(ideals=elements,quant=spe,nav=hierarchy)@2",
    "EPRUM@0.5": "EPRUM(ideals=elements,quant=spe,nav=hierarchy)@0.5",
    "PRUM@1": "PRUM(ideals=elements,quant=spe,nav=hierarchy)@1",
    "NavR(ideals=passages)": "NavR(ideals=passages,nav=coverage)",
    "NavR(ideals=bep)": "NavR(ideals=bep,nav=distance(A=0.1))",
    "SR": "SR(nav=summary(by=path),related=document)",
    "SRPL@1": "SRPL(nav=summary(by=path),related=document)@1",
    "ESRP@3": "ESRP(parts=elements,nav=depth,rel=binary,match=exact,alpha=0)@3",
    "ESRP(parts=passages)@3": "ESRP(parts=passages,nav=coverage,rel=binary,match=contains,alpha=0)@3",
    "SRiP": "SRiP(parts=elements,nav=depth,rel=length,match=exact,alpha=0)",
    "SRiR": "SRiR(parts=elements,nav=depth,rel=length,match=exact,alpha=0)",
    "SRiP2": "SRiP2(parts=elements,nav=depth,rel=length,match=exact,alpha=0)",
    "SRiR2": "SRiR2(parts=elements,nav=depth,rel=length,match=exact,alpha=0)",
    "MASRiP": "MASRiP(parts=elements,nav=depth,rel=length,match=exact,alpha=0,depth=1000)",
    "MASRiP2": "MASRiP2(parts=elements,nav=depth,rel=length,match=exact,alpha=0,depth=1000)",
    "iSRiP@0.2": "iSRiP(parts=elements,nav=depth,rel=length,match=exact,alpha=0,depth=1000)@0.2",
    "MAESRP": "MAESRP(parts=elements,nav=depth,rel=binary,match=exact,alpha=0,depth=1000)",
    "NSRCG@2": "NSRCG(l=1,m=10,parts=elements,nav=depth,rel=binary,match=exact,alpha=0)@2",
    "SRPRUM": "SRPRUM(recall=1,parts=elements,nav=depth,rel=binary,match=exact,alpha=0)",
}


def test_defaults_are_printed_as_resolved() -> None:
    """A measure and the same one with its defaults written out have the same name and value."""
    xml = {"d": "<a><s><p>one two</p><p>three</p></s><s>four</s></a>"}
    qrels = [
        {"query_id": "t", "doc_id": "d", "start": start, "end": end, "bep": 2} for start, end in ((2, 9), (11, 14))
    ]
    run = {"t": [{"doc_id": "d", "path": path} for path in ("/a[1]/s[1]/p[2]", "/a[1]", "/a[1]/s[1]/p[1]")]}
    short = pw.evaluate(qrels, run, list(RESOLVED), collection=xml)
    whole = pw.evaluate(qrels, run, list(RESOLVED.values()), collection=xml)
    assert short.per_query() == whole.per_query()
    assert len(short.measures) == len(RESOLVED)
    for name in short.measures:
        if not name.startswith("SR(") and not name.startswith("SRPL"):
            assert "nav=" in name
    assert {name for name in short.measures if name.startswith(("NavR(ideals=passages", "ESRP(parts=passages"))}


# ---- by hand ---------------------------------------------------------------------------------------------------


def test_entry_points_by_hand() -> None:
    """A part contains the point at which it begins, not the one at which it ends; a point is itself."""
    qrels = [{"query_id": "t", "doc_id": "d", "start": 5, "end": 9, "bep": 5, "length": 20}]
    names = [f"NavR(ideals=bep,nav={nav})" for nav in ("coverage", "none", "distance", "distance(A=1)")]
    for start, end, expected in (
        (0, 5, [0, 0, 2 / 7, 20 / 25]),
        (0, 6, [1, 0, 2 / 7, 20 / 25]),
        (5, 6, [1, 0, 1, 1]),
        (5, 5, [1, 1, 1, 1]),
        (15, 20, [0, 0, 2 / 12, 20 / 30]),
    ):
        computed = fast(qrels, {"t": [{"doc_id": "d", "start": start, "end": end}]}, names)
        assert [computed[name]["t"] for name in names] == pytest.approx(expected), (start, end)


def test_judged_trees_take_precedence_over_highlights() -> None:
    """A tree of eight characters, two of them highlighted; the elements around them do not count as relevant."""
    xml = {"d": "<a><p>one</p><p>two</p><q>three</q></a>"}
    tree = ["/a[1]/p[1]", "/a[1]/q[1]"]
    qrels = [
        {"query_id": "t", "doc_id": "d", "start": 0, "end": 2},
        {"query_id": "t", "doc_id": "d", "paths": tree},
    ]
    run = {"t": [{"doc_id": "d", "paths": tree}, {"doc_id": "d", "path": "/a[1]/p[1]"}]}
    names = [f"ESRHits(nav=none,rel={rel})" for rel in RELS]
    computed = fast(qrels, run, names, xml)
    assert [computed[name]["t"] for name in names] == pytest.approx([1, 2, 2 / 8])


# ---- properties of all measures --------------------------------------------------------------------------------


@fewer
@given(st.lists(st.lists(st.fractions(0, 1, max_denominator=4), min_size=3, max_size=3), min_size=1, max_size=3))
def test_the_two_slow_ways_agree(matrix: list[list[Fr]]) -> None:
    """All outcomes of all units and ranks one by one, and unit by unit."""
    by_outcomes = {first: chance for first, chance in slow.discoveries(matrix).items() if chance}
    assert by_outcomes == slow.quick_discoveries(matrix)
    assert sum(by_outcomes.values()) == 1
    at_end = sum(chance * sum(rank is not None for rank in first) for first, chance in by_outcomes.items())
    assert at_end / len(matrix) == slow.nav_r(matrix)


@fewer
@given(elements())
def test_without_navigation_esr_is_precision_and_recall(world: Elements) -> None:
    """Classical precision and recall; a part counts at its first rank."""
    assume(is_judged(world))
    same = {"nav": "none", "alpha": 0, "rel": "binary", "match": "exact"}
    expected: Values = {}
    for query_id, query in world.queries().items():
        relevant = {frozenset([world.node(place).key]) for place in query.relevant()}
        if not relevant:
            continue
        returned = [part.keys for part in world.parts(query_id)]
        for k in (1, 3, 10):
            hits = len(relevant & set(returned[:k]))
            expected.setdefault(named(f"ESRP@{k}", **same), {})[query_id] = hits / k
            expected.setdefault(named(f"ESRR@{k}", **same), {})[query_id] = hits / len(relevant)
    agree(fast(world.qrels(), world.run(), list(expected), world.world.xml), expected)


@fewer
@given(world=elements(), data=st.data())
def test_recall_base_and_shrinkage_add_up_to_all_relevance(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    rel, match = data.draw(st.sampled_from(RELS)), data.draw(st.sampled_from(["exact", "contains"]))
    alpha = data.draw(st.sampled_from(sorted(ALPHAS)))
    same = {"nav": draw_navigation(world, folder, data).name, "rel": rel, "match": match, "alpha": alpha}
    queries = world.queries().items()
    everything = {query_id: float(relevant_elements(world, query, rel).all) for query_id, query in queries}
    everything = {query_id: value for query_id, value in everything.items() if value}
    assume(everything)
    for k in ("", "@1", "@3"):
        names = [named(f"{kind}{k}", **same) for kind in ("ESRHits", "ESRNear", "ESRMisses", "ESRBase", "ESRShrinkage")]
        hits, near, misses, base, shrinkage = fast(world.qrels(), world.run(), names, world.world.xml).values()
        for query_id, value in everything.items():
            assert hits[query_id] + near[query_id] + misses[query_id] == pytest.approx(base[query_id], abs=1e-9)
            assert base[query_id] + shrinkage[query_id] == pytest.approx(value, abs=1e-9)


WHOLE_LIST = ("NavR", "SR", "ESRHits", "ESRNear", "ESRMisses", "ESRBase", "ESRShrinkage", "SRiR", "SRiR2", "ESRR")


@fewer
@given(world=elements(with_trees=False), data=st.data())
def test_repeated_results_gain_nothing(folder: Path, world: Elements, data: st.DataObject) -> None:
    """After all others, any number of them."""
    assume(is_judged(world) and any(world.returned.values()))
    nav = draw_navigation(world, folder, data).name
    names = [named(name, nav=nav) for name in WHOLE_LIST]
    more = {}
    for query_id, results in world.returned.items():
        again = data.draw(st.lists(st.sampled_from(results), max_size=3)) if results else []
        ranked = bool(results) and results[0].rank is not None
        more[query_id] = [
            *results,
            *(replace(result, rank=10 + i if ranked else None) for i, result in enumerate(again)),
        ]
    xml = world.world.xml
    before = fast(world.qrels(), world.run(), names, xml)
    agree(fast(world.qrels(), world.run(more), names, xml), before, within=1e-12)


EVERY = (
    *("NavR", "NavR@2", "EPRUM@0.5", "EPRUM@1", "AEPRUM", "EPRUMrank@3", "PRUM@0.5", "PRUM@1"),
    *("ESRP@3", "ESRR", "SRiP", "SRiR", "SRiP2@3", "SRiR2", "NSRCG@3", "NSRCG2@3", "SRPRUM", "iSRiP@0.3"),
    *("iSRiP2@0.1", "MASRiP", "MASRiP2", "MAESRP", "ESRHits", "ESRNear", "ESRMisses", "ESRBase", "ESRShrinkage"),
)
OF_NODES = ("SR", "SR@3", "SRP@3", "SRPL@0.4", "SRPL@1", "SRPL(base=retrieved)@0.5")


def one_element(world: Elements, result: Result) -> Result:
    """The same element as a tree of one."""
    return TreeResult(result.doc, rank=result.rank, paths=(result.path,)) if result.path is not None else result


@fewer
@given(world=elements(with_trees=False), data=st.data())
def test_a_tree_of_one_node_is_that_element(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    nav = draw_navigation(world, folder, data).name
    names = [named(name, nav=nav) for name in (*EVERY, *OF_NODES)]
    trees = {
        query_id: [one_element(world, result) for result in results] for query_id, results in world.returned.items()
    }
    xml = world.world.xml
    assert fast(world.qrels(), world.run(trees), names, xml) == fast(world.qrels(), world.run(), names, xml)


@fewer
@given(world=elements(with_trees=False), data=st.data())
def test_the_order_of_tied_elements_does_not_matter(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    how = data.draw(st.sampled_from(["document", "kin", "lineage"]))
    nav = draw_navigation(world, folder, data).name
    names = [
        named(name, nav=nav, related=how) for name in ("SR", "SRP", "SRPL@0.4", "SRPL@1", "SRPL(base=retrieved)@1")
    ]
    tied = {
        query_id: [replace(result, rank=data.draw(st.integers(1, 3))) for result in dict.fromkeys(results)]
        for query_id, results in world.returned.items()
    }
    turned = {query_id: data.draw(st.permutations(results)) for query_id, results in tied.items()}
    xml = world.world.xml
    computed = fast(world.qrels(), world.run(tied), names, xml)
    agree(fast(world.qrels(), world.run(turned), names, xml), computed, within=1e-12)


UNBOUNDED = ("SR(", "ESRHits", "ESRNear", "ESRMisses", "ESRBase", "ESRShrinkage", "NSRCG", "SRPRUM", "SRiP2", "MASRiP2")


@fewer
@given(world=elements(with_trees=False), data=st.data())
def test_values_stay_in_bounds(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    nav = draw_navigation(world, folder, data).name
    names = [named(name, nav=nav) for name in (*EVERY, *OF_NODES)]
    for name, values in fast(world.qrels(), world.run(), names, world.world.xml).items():
        bounded = not name.startswith(UNBOUNDED) and not name.startswith("iSRiP2")
        highest = 1 + 1e-12 if bounded else float("inf")
        assert all(0 <= value <= highest for value in values.values()), (name, values)


@fewer
@given(world=elements(with_trees=False), data=st.data())
def test_splitting_and_reordering_queries_change_nothing(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    nav = draw_navigation(world, folder, data).name
    names = [named(name, nav=nav) for name in (*EVERY, *OF_NODES)]
    xml = world.world.xml
    together = fast(world.qrels(), world.run(), names, xml)
    order = data.draw(st.permutations(sorted(world.world.judged)))
    turned = {query_id: world.returned[query_id] for query_id in order if query_id in world.returned}
    assert fast(world.world.grades(order), world.run(turned), names, xml) == together
    for query_id, query in world.queries().items():
        if query.relevant():
            alone_run = world.run({query_id: world.returned[query_id]} if query_id in world.returned else {})
            alone = fast(world.world.grades([query_id]), alone_run, names, xml)
            for name in names:
                assert alone[name] == {q: value for q, value in together[name].items() if q == query_id}, name


@fewer
@given(world=texts, nav=TEXT_MODELS, entries=st.booleans(), pairs=st.sampled_from([0, 1, 5, 20]))
def test_queries_processed_together_have_the_same_bits_as_alone(
    world: Text, nav: TextModel, entries: bool, pairs: int
) -> None:
    """For any number of queries in one question to a navigation model."""
    assume(any(world.passages(query_id) for query_id in world.world.judged))
    assume(not entries or any(world.entries(query_id) for query_id in world.world.judged))
    ideals = "bep" if entries else "passages"
    names = [named(name, nav=nav.name, ideals=ideals) for name in EVERY[:8]]
    names += [named(name, nav=nav.name) for name in EVERY[8:]] + [named("ESRHits", nav=nav.name, alpha=0.5)]
    given_ = world.world.qrels(), world.world.run(), names
    together = fast(*given_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partwise.tables.links.PAIRS_AT_ONCE", pairs)
        assert fast(*given_) == together


@fewer
@given(world=elements(), data=st.data())
def test_the_ideal_elements_are_a_perfect_run(folder: Path, world: Elements, data: st.DataObject) -> None:
    """Every unit is seen at its own rank, if not earlier."""
    quant = data.draw(st.sampled_from(QUANTS[world.world.scale]))
    ideal = {query_id: structure_brute.ideal_elements(query, quant) for query_id, query in world.queries().items()}
    assume(any(ideal.values()))
    run = {query_id: [{"doc_id": doc, "path": path} for doc, path in places] for query_id, places in ideal.items()}
    same = {"ideals": "elements", "quant": quant, "nav": draw_navigation(world, folder, data).name}
    names = [named(name, **same) for name in ("NavR", "EPRUM@0.01", "EPRUM@0.4", "EPRUM@1", "AEPRUM")]
    expected = {query_id: 1.0 for query_id, places in ideal.items() if places}
    agree(fast(world.qrels(), run, names, world.world.xml), dict.fromkeys(names, expected))
    still = {**same, "nav": "none"}
    names = [named(name, **still) for name in ("PRUM@0.01", "PRUM@0.4", "PRUM@1", "EPRUMrank@1")]
    agree(fast(world.qrels(), run, names, world.world.xml), dict.fromkeys(names, expected))


@fewer
@given(elements())
def test_all_relevant_elements_are_a_perfect_run_without_navigation(world: Elements) -> None:
    assume(is_judged(world))
    relevant = {query_id: query.relevant() for query_id, query in world.queries().items()}
    run = {query_id: [{"doc_id": doc, "path": path} for doc, path in places] for query_id, places in relevant.items()}
    names = [
        named(name, nav="none", rel="binary", match="exact")
        for name in ("ESRP", "ESRR", "SRiR", "SRiR2", "SRPRUM", "MAESRP", "NSRCG(m=1)@1")
    ]
    names += ["SRP(nav=none)", "SRPL(nav=none)@0.3", "SRPL(nav=none)@1"]
    expected = {query_id: 1.0 for query_id, places in relevant.items() if places}
    counts = {query_id: float(len(places)) for query_id, places in relevant.items() if places}
    computed = fast(world.qrels(), run, names, world.world.xml)
    by_rank = computed.pop(names[6])
    assert by_rank == pytest.approx({query_id: 1 / value for query_id, value in counts.items()})
    agree(computed, dict.fromkeys(computed, expected))


@fewer
@given(world=elements(with_trees=False), data=st.data())
def test_a_missing_query_is_an_empty_list(folder: Path, world: Elements, data: st.DataObject) -> None:
    assume(is_judged(world))
    rel = data.draw(st.sampled_from(RELS))
    nav = draw_navigation(world, folder, data).name
    esr = [name for name in EVERY if not name.startswith(("NavR", "EPRUM", "AEPRUM", "PRUM"))]
    names = [named(name, nav=nav) for name in EVERY if name not in esr] + [named(name, nav=nav) for name in OF_NODES]
    of_rel = [named(name, nav=nav, rel=rel) for name in esr]
    everything = {query_id: relevant_elements(world, query, rel).all for query_id, query in world.queries().items()}
    everything = {query_id: value for query_id, value in everything.items() if value}
    assume(everything)
    for name, values in fast(world.qrels(), {}, names + of_rel, world.world.xml).items():
        if name.startswith(("ESRMisses", "ESRBase")):
            assert values == pytest.approx({query_id: float(value) for query_id, value in everything.items()}), name
        else:
            assert all(value == 0 for value in values.values()), name
            assert name not in of_rel or set(values) == set(everything), name
