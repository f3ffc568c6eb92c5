"""The measures of navigation again, slow and obviously right: sets of characters, all outcomes, all orders of ties."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction as Fr
from functools import cached_property
from itertools import pairwise, permutations, product
from math import ceil

from oracles.structure_brute import EPSILON, Node, Tree, div, total

# ---- parts --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """What users navigate between: a node, or other characters. `start` is its first position."""

    doc: str
    chars: frozenset[int]
    start: int
    node: Node | None = None

    @cached_property
    def key(self) -> object:
        """The path of a node; the characters of anything else."""
        if self.node is not None:
            return self.doc, self.node.path
        return self.doc, self.chars, None if self.chars else self.start


@dataclass(frozen=True)
class Part:
    """One piece, or several nodes: a tree."""

    pieces: tuple[Piece, ...]
    rank: int = 0
    """Results of the same rank are tied."""

    @property
    def doc(self) -> str:
        return self.pieces[0].doc

    @cached_property
    def chars(self) -> frozenset[int]:
        return frozenset[int]().union(*(piece.chars for piece in self.pieces))

    @cached_property
    def start(self) -> int:
        """Of its characters, or if it has none, of its pieces, whatever their order."""
        return min(piece.start for piece in self.pieces if piece.chars or not self.chars)

    @cached_property
    def keys(self) -> frozenset[object]:
        return frozenset(piece.key for piece in self.pieces)

    @cached_property
    def whole(self) -> Piece:
        """All of it as one piece."""
        return self.pieces[0] if len(self.pieces) == 1 else Piece(self.doc, self.chars, self.start)

    @property
    def node(self) -> Node | None:
        return self.pieces[0].node if len(self.pieces) == 1 else None


def of_node(doc: str, node: Node) -> Piece:
    return Piece(doc, node.chars, node.start, node)


def of_spans(doc: str, spans: Iterable[tuple[int, int]]) -> Piece:
    """Characters, even if they are exactly a node."""
    pairs = list(spans)
    chars = frozenset(c for start, end in pairs for c in range(start, end))
    return Piece(doc, chars, min(chars) if chars else pairs[0][0])


def element_or_span(tree: Tree, doc: str, start: int, end: int) -> Piece:
    """A span that is exactly a node is that node."""
    node = tree.deepest(start, end)
    return of_spans(doc, [(start, end)]) if node is None else of_node(doc, node)


def repeated(run: Sequence[Part]) -> list[bool]:
    """Whether the same part was returned before."""
    return [any(part.keys == earlier.keys for earlier in run[:i]) for i, part in enumerate(run)]


# ---- navigation ---------------------------------------------------------------------------------------------

Model = Callable[[Piece, Piece], Fr]
"""P(x | r) of two pieces of one document that are not the same."""


def nowhere(x: Piece, r: Piece) -> Fr:
    return Fr(0)


def coverage(x: Piece, r: Piece) -> Fr:
    return div(len(r.chars & x.chars), len(x.chars))


def covers_entry(x: Piece, r: Piece) -> Fr:
    """Coverage of an entry point, which is a position without text."""
    return Fr(x.start in r.chars)


def hierarchy(x: Piece, r: Piece) -> Fr:
    if x.node is None or r.node is None:
        return Fr(0)
    if r.node in x.node.ancestors:
        return div(len(x.chars), len(r.chars))
    if x.node in r.node.ancestors:
        return div(len(r.chars), len(x.chars))
    return Fr(0)


def distance(lengths: Mapping[str, int], a: Fr = Fr(1, 10)) -> Model:
    return lambda x, r: div(a * lengths[x.doc], a * lengths[x.doc] + abs(x.start - r.start))


def depth(x: Piece, r: Piece) -> Fr:
    if x.node is None or r.node is None:
        return Fr(0)
    weights = [Fr(1, level + 1) for level in range(4)]
    return weights[min(x.node.depth, 3)] / sum(weights)


def tag_of(node: Node) -> str:
    return node.path.rpartition("/")[2].partition("[")[0]


def label_path(node: Node) -> str:
    """The path without its numbers."""
    return "".join("/" + step.partition("[")[0] for step in node.path.split("/")[1:])


PARTITION: dict[str, Callable[[Node], str]] = {"tag": tag_of, "path": label_path}
Weights = Mapping[tuple[str, str], Fr]


def summary_weights(trees: Iterable[Tree], by: str) -> dict[tuple[str, str], Fr]:
    """w of every two partitions of which one has a child of a node of the other."""
    partition = PARTITION[by]
    nodes = [node for tree in trees for node in tree.nodes]
    extent = {name: sum(partition(node) == name for node in nodes) for name in map(partition, nodes)}
    weights: dict[tuple[str, str], Fr] = {}
    for above, below in {(partition(node.parent), partition(node)) for node in nodes if node.parent is not None}:
        for pair in {(above, below), (below, above)}:
            weights[pair] = weights.get(pair, Fr(0)) + extent[below]
    return weights


def stationary(weights: Weights) -> dict[str, Fr]:
    everything = total(iter(weights.values()))
    rows = {i for i, _ in weights} | {j for _, j in weights}
    return {i: div(total(w for (row, _), w in weights.items() if row == i), everything) for i in rows}


def summary(trees: Iterable[Tree], by: str, weights: Weights | None = None) -> Model:
    shares = stationary(summary_weights(trees, by) if weights is None else weights)

    def reach(x: Piece, r: Piece) -> Fr:
        if x.node is None or r.node is None:
            return Fr(0)
        return 1 - shares.get(PARTITION[by](x.node), Fr(0))

    return reach


Route = Sequence[str]
"""The nodes (paths) or partitions that a user went through."""


def steps(routes: Iterable[tuple[str | None, Route]], abandon: bool) -> dict[tuple[str | None, str, str], int]:
    """How often each step was taken, per document where routes belong to one."""
    taken: dict[tuple[str | None, str, str], int] = {}
    for doc, route in routes:
        pairs = list(pairwise(route))
        if abandon and route:
            pairs.append((route[-1], route[-1]))
        for source, target in pairs:
            taken[doc, source, target] = taken.get((doc, source, target), 0) + 1
    return taken


def routes(observed: Iterable[tuple[str | None, Route]], by: str | None = None, abandon: bool = False) -> Model:
    """`observed` has a document with each route, or None for routes that hold in every document."""
    taken = steps(observed, abandon)

    def reach(x: Piece, r: Piece) -> Fr:
        if x.node is None or r.node is None:
            return Fr(0)
        name = (lambda node: node.path) if by is None else PARTITION[by]
        found = leaving = 0
        for (doc, source, target), count in taken.items():
            if (doc is None or doc == r.doc) and source == name(r.node):
                leaving += count
                found += count if target == name(x.node) else 0
        return div(found, leaving)

    return reach


def table(pairs: Mapping[tuple[str | None, str, str], Fr]) -> Model:
    """`pairs` has (document or None, from, to) with its probability."""

    def reach(x: Piece, r: Piece) -> Fr:
        if x.node is None or r.node is None:
            return Fr(0)
        own = pairs.get((x.doc, r.node.path, x.node.path))
        return pairs.get((None, r.node.path, x.node.path), Fr(0)) if own is None else own

    return reach


def normalised(model: Model, trees: Mapping[str, Tree]) -> Model:
    """The probabilities from a part to the nodes of its document sum to one."""
    places = {doc: [of_node(doc, node) for node in tree.nodes] for doc, tree in trees.items()}
    return normalised_over(model, lambda doc: places[doc])


def normalised_over(model: Model, places: Callable[[str], Iterable[Piece]]) -> Model:
    def reach(x: Piece, r: Piece) -> Fr:
        return div(model(x, r), total(model(other, r) for other in places(r.doc) if other.key != r.key))

    return reach


# ---- NavR, PRUM, EPRUM --------------------------------------------------------------------------------------


def reaches(unit: Piece, run: Sequence[Part], model: Model, whole: bool = False) -> list[Fr]:
    """P(unit | result) of every rank: 1 from itself, 0 from another document and from a repeated result."""
    found = []
    for part, again in zip(run, repeated(run), strict=True):
        missed = Fr(1)
        for piece in (part.whole,) if whole else part.pieces:
            if piece.doc == unit.doc:
                missed *= 1 - model(unit, piece) if unit.key not in part.keys else 0
        found.append(Fr(0) if again else 1 - missed)
    return found


Matrix = Sequence[Sequence[Fr]]
"""P(unit | rank), a row per unit."""


def nav_r(matrix: Matrix, k: int | None = None) -> Fr:
    seen = Fr(0)
    for row in matrix:
        missed = Fr(1)
        for p in row[:k]:
            missed *= 1 - p
        seen += 1 - missed
    return div(seen, len(matrix))


def outcomes(matrix: Matrix) -> Iterator[tuple[Fr, list[list[bool]]]]:
    """All outcomes with their probabilities: every unit is seen or not from every rank."""
    flat = [p for row in matrix for p in row]
    length = len(matrix[0]) if matrix else 0
    for events in product(*([True] if p == 1 else [False] if p == 0 else [True, False] for p in flat)):
        chance = Fr(1)
        for p, event in zip(flat, events, strict=True):
            chance *= p if event else 1 - p
        yield chance, [list(events[i * length : (i + 1) * length]) for i in range(len(matrix))]


def discoveries(matrix: Matrix) -> dict[tuple[int | None, ...], Fr]:
    """The probability that the units are discovered at these ranks (None for never), from all outcomes."""
    chances: dict[tuple[int | None, ...], Fr] = {}
    for chance, events in outcomes(matrix):
        first = tuple(next((rank for rank, event in enumerate(row, 1) if event), None) for row in events)
        chances[first] = chances.get(first, Fr(0)) + chance
    return chances


def quick_discoveries(matrix: Matrix) -> dict[tuple[int | None, ...], Fr]:
    """The same for worlds with too many outcomes: units are independent of each other."""
    per_unit: list[list[tuple[int | None, Fr]]] = []
    for row in matrix:
        missed = Fr(1)
        ranks: list[tuple[int | None, Fr]] = []
        for rank, p in enumerate(row, 1):
            if missed * p:
                ranks.append((rank, missed * p))
            missed *= 1 - p
        per_unit.append([*ranks, (None, missed)] if missed else ranks)
    chances: dict[tuple[int | None, ...], Fr] = {}
    for choice in product(*per_unit):
        chance = Fr(1)
        for _, p in choice:
            chance *= p
        chances[tuple(rank for rank, _ in choice)] = chance
    return chances


Discoveries = Mapping[tuple[int | None, ...], Fr]


def reached_at(first: Sequence[int | None], need: int) -> int | None:
    """The rank by which `need` units are discovered."""
    ranks = sorted(rank for rank in first if rank is not None)
    return ranks[need - 1] if len(ranks) >= need else None


def eprum_need(discovered: Discoveries, need: int) -> Fr:
    expected = Fr(0)
    for first, chance in discovered.items():
        rank = reached_at(first, need)
        if rank is not None:
            expected += chance * min(Fr(1), Fr(need, rank))
    return expected


def needed(level: Fr, count: int) -> int:
    return ceil(level * count - EPSILON)


def eprum(discovered: Discoveries, count: int, level: Fr) -> Fr:
    return eprum_need(discovered, needed(level, count))


def a_eprum(discovered: Discoveries, count: int) -> Fr:
    return div(total(eprum_need(discovered, need) for need in range(1, count + 1)), count)


def eprum_rank(discovered: Discoveries, length: int, k: int | None = None) -> Fr:
    k = length if k is None else k
    expected = total(
        chance * sum(rank is not None and rank <= k for rank in first) for first, chance in discovered.items()
    )
    return min(Fr(1), div(ceil(expected - EPSILON), k))


def prum(discovered: Discoveries, count: int, length: int, level: Fr) -> Fr:
    need = needed(level, count)
    reached = consulted = leading = Fr(0)
    for first, chance in discovered.items():
        rank = reached_at(first, need)
        c = length if rank is None else rank
        reached += chance * (rank is not None)
        consulted += chance * c
        leading += chance * len({r for r in first if r is not None and r <= c})
    return reached * div(leading, consulted)


# ---- SR -----------------------------------------------------------------------------------------------------


def related(a: Part, b: Part, how: str) -> bool:
    """Whether users may navigate between two results."""
    if a.doc != b.doc or a.node is None or b.node is None or a.node is b.node:
        return False
    if how == "document":
        return True
    lineage = a.node in b.node.ancestors or b.node in a.node.ancestors
    return lineage or (how == "kin" and a.node.parent is not None and a.node.parent is b.node.parent)


def isolations(run: Sequence[Part], model: Model, how: str = "document") -> list[Fr]:
    """The probability of first seeing each result in the list, over every order of tied results."""
    again = repeated(run)
    fresh = [part for part, repeats in zip(run, again, strict=True) if not repeats]
    values = []
    for e, repeats in zip(run, again, strict=True):
        if repeats:
            values.append(Fr(0))
            continue
        others = [f for f in fresh if f is not e and related(e, f, how)]
        higher = Fr(1)
        for f in others:
            if f.rank < e.rank:
                higher *= 1 - model(e.whole, f.whole)
        orders = list(permutations([e, *(f for f in others if f.rank == e.rank)]))
        tied = Fr(0)
        for order in orders:
            chance = Fr(1)
            for f in order[: order.index(e)]:
                chance *= 1 - model(e.whole, f.whole)
            tied += chance
        values.append(higher * tied / len(orders))
    return values


def relevances(run: Sequence[Part], relevant: Iterable[object]) -> list[int]:
    """1 for every result that is one of the relevant nodes and was not returned before."""
    keys = set(relevant)
    return [int(not again and p.whole.key in keys) for p, again in zip(run, repeated(run), strict=True)]


def sr(run: Sequence[Part], relevant: Sequence[object], model: Model, how: str, k: int | None = None) -> Fr:
    cut = run[:k]
    return total(rel * p for rel, p in zip(relevances(cut, relevant), isolations(cut, model, how), strict=True))


def srp(run: Sequence[Part], relevant: Sequence[object], model: Model, how: str, k: int | None = None) -> Fr:
    return div(sr(run, relevant, model, how, k), len(run) if k is None else k)


def srpl(
    run: Sequence[Part], relevant: Sequence[object], model: Model, how: str, level: Fr, base: str = "judged"
) -> Fr:
    rel = relevances(run, relevant)
    need = level * (sum(rel) if base == "retrieved" else len(relevant))
    before = irrelevant = 0
    for rank in sorted({part.rank for part in run}) if need else ():
        tied = [value for value, part in zip(rel, run, strict=True) if part.rank == rank]
        r, i = sum(tied), len(tied) - sum(tied)
        if before + r >= need - EPSILON:
            gained = sr([part for part in run if part.rank <= rank], relevant, model, how)
            return div(gained, gained + irrelevant + (need - before) * i / (r + 1))
        before, irrelevant = before + r, irrelevant + i
    return Fr(0)


# ---- ESR ----------------------------------------------------------------------------------------------------


def between(a: Part, b: Part, model: Model) -> Fr:
    """p(a; b): users of tree b go to tree a."""
    if a.doc != b.doc:
        return Fr(0)
    pairs = [(e, f) for e in a.pieces if e.key not in b.keys for f in b.pieces if f.key not in a.keys]
    return total(model(e, f) for e, f in pairs) / (len(a.pieces) * len(b.pieces))


def contains(t: Part, a: Part) -> bool:
    """Whether all of a is in t: its nodes for trees, its text otherwise, or that of an element around it."""
    if t.doc != a.doc:
        return False
    if a.keys <= t.keys:
        return True
    if len(a.pieces) > 1 or len(t.pieces) > 1:
        return False
    inside, around = a.pieces[0], t.pieces[0]
    if inside.node is not None and around.node is not None and around.node in inside.node.ancestors:
        return True
    return bool(inside.chars) and inside.chars <= around.chars


@dataclass
class Relevant:
    """The relevant parts of a query and the worth of each."""

    parts: Sequence[Part]
    rel: Sequence[Fr]

    @property
    def all(self) -> Fr:
        return total(iter(self.rel))


@dataclass
class Expected:
    """Expected hits, near-misses and misses of a list."""

    hits: Fr = field(default_factory=Fr)
    near: Fr = field(default_factory=Fr)
    misses: Fr = field(default_factory=Fr)
    shrinkage: Fr = field(default_factory=Fr)
    size: int = 0
    length: int = 0

    @property
    def base(self) -> Fr:
        return self.hits + self.near + self.misses


def expected(
    relevant: Relevant, run: Sequence[Part], model: Model, match: str = "exact", alpha: Fr = Fr(0), k: int | None = None
) -> Expected:
    cut = run[:k]
    again = repeated(cut)
    sums = Expected(size=sum(len(part.chars) for part in cut), length=len(cut))
    for a, rel in zip(relevant.parts, relevant.rel, strict=True):
        hit = [i for i, t in enumerate(cut) if (t.keys == a.keys if match == "exact" else contains(t, a))]
        before = cut[: hit[0]] if hit else cut
        missed = Fr(1)
        for t, repeats in zip(before, again, strict=False):
            if not repeats:
                missed *= 1 - between(a, t, model)
        if hit:
            held = frozenset[int]().union(*(t.chars for t in before if t.doc == a.doc))
            o = div(len(a.chars & held), len(a.chars))
            gained = rel * (1 - alpha * o) * missed
            sums.hits += gained
            sums.shrinkage += rel - gained
        else:
            sums.near += rel * (1 - missed)
            sums.misses += rel * missed
    return sums


Curve = Sequence[Expected]
"""The expectations by every rank; rank 1 is the first."""


def curve(relevant: Relevant, run: Sequence[Part], model: Model, match: str, alpha: Fr) -> list[Expected]:
    return [expected(relevant, run, model, match, alpha, k) for k in range(1, len(run) + 1)]


def at(relevant: Relevant, ranks: Curve, k: int | None) -> Expected:
    """By rank k, or at the end of a shorter list; an empty list has only misses."""
    cut = ranks[:k]
    return cut[-1] if cut else Expected(misses=relevant.all)


def esrp(relevant: Relevant, ranks: Curve, k: int | None = None) -> Fr:
    return div(at(relevant, ranks, k).hits, len(ranks) if k is None else k)


def esrr(relevant: Relevant, ranks: Curve, k: int | None = None) -> Fr:
    here = at(relevant, ranks, k)
    return div(here.hits + here.near, here.base)


def srip(relevant: Relevant, ranks: Curve, k: int | None = None, near: bool = False) -> Fr:
    here = at(relevant, ranks, k)
    return div(here.hits + (here.near if near else 0), here.size)


def srir(relevant: Relevant, ranks: Curve, k: int | None = None, near: bool = False, base: str = "all") -> Fr:
    here = at(relevant, ranks, k)
    return div(here.hits + (here.near if near else 0), here.base if base == "expected" else relevant.all)


def nsrcg(
    relevant: Relevant, ranks: Curve, i: int | None = None, near: bool = False, recall: Fr = Fr(1), m: int = 10
) -> Fr:
    here = at(relevant, ranks, i)
    i = len(ranks) if i is None else i
    return div(here.hits + (here.near if near else 0), i * recall * here.base / m)


def srprum(relevant: Relevant, ranks: Curve, recall: Fr = Fr(1)) -> Fr:
    for c in range(1, len(ranks) + 1):
        if esrr(relevant, ranks, c) >= recall - EPSILON or c == len(ranks):
            return (ranks[c - 1].hits + ranks[c - 1].near) / c
    return Fr(0)


Points = Sequence[tuple[Fr, Fr]]
"""Precision and recall by every rank."""


def interpolated(points: Points, level: Fr) -> Fr:
    """The highest precision among the ranks that reach this recall."""
    return max((precision for precision, recall in points if recall >= level - EPSILON), default=Fr(0))


def srip_points(relevant: Relevant, ranks: Curve, near: bool, cut: int) -> Points:
    return [
        (srip(relevant, ranks, k, near), srir(relevant, ranks, k, near=True))
        for k in range(1, min(len(ranks), cut) + 1)
    ]


def isrip(relevant: Relevant, ranks: Curve, level: Fr, near: bool = False, cut: int = 1000) -> Fr:
    return interpolated(srip_points(relevant, ranks, near, cut), level)


def over_101(points: Points) -> Fr:
    return total(interpolated(points, Fr(i, 100)) for i in range(101)) / 101


def ma_srip(relevant: Relevant, ranks: Curve, near: bool = False, cut: int = 1000) -> Fr:
    return over_101(srip_points(relevant, ranks, near, cut))


def ma_esrp(relevant: Relevant, ranks: Curve, cut: int = 1000) -> Fr:
    every = range(1, min(len(ranks), cut) + 1)
    return over_101([(esrp(relevant, ranks, k), esrr(relevant, ranks, k)) for k in every])
