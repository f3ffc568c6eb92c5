"""The measures over trees again, slow and obviously right: explicit trees, sets of characters, fractions, loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction as Fr
from math import ceil
from xml.etree import ElementTree

from oracles import brute

EPSILON = Fr(1, 10**9)
"""A gain below this is none; a level counts as reached from this far below it."""


# ---- documents ----------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Node:
    path: str
    start: int
    end: int
    parent: Node | None
    children: list[Node] = field(default_factory=list)

    @property
    def chars(self) -> frozenset[int]:
        return frozenset(range(self.start, self.end))

    @property
    def size(self) -> int:
        return self.end - self.start

    @property
    def ancestors(self) -> list[Node]:
        """From the parent up to the root."""
        return [] if self.parent is None else [self.parent, *self.parent.ancestors]

    @property
    def depth(self) -> int:
        return len(self.ancestors)

    def below(self) -> Iterator[Node]:
        """The descendants in document order."""
        for child in self.children:
            yield child
            yield from child.below()

    def is_kin(self, other: Node) -> bool:
        """The same node, an ancestor or a descendant."""
        return self is other or other in self.ancestors or self in other.ancestors


class Tree:
    """A document: its text and its nodes in document order."""

    def __init__(self, xml: str) -> None:
        self.text = ""
        self.root = self._read(ElementTree.fromstring(xml), None, "", 1)
        self.nodes = [self.root, *self.root.below()]
        self.at = {node.path: node for node in self.nodes}

    def _read(self, element: ElementTree.Element, parent: Node | None, above: str, position: int) -> Node:
        tag = element.tag.split("}")[-1]
        node = Node(f"{above}/{tag}[{position}]", len(self.text), len(self.text), parent)
        self.text += element.text or ""
        counted: dict[str, int] = {}
        for inner in element:
            name = inner.tag.split("}")[-1]
            counted[name] = counted.get(name, 0) + 1
            node.children.append(self._read(inner, node, node.path, counted[name]))
            self.text += inner.tail or ""
        node.end = len(self.text)
        return node

    def deepest(self, start: int, end: int) -> Node | None:
        """The deepest node that is exactly this span, the first of several."""
        fitting = [node for node in self.nodes if (node.start, node.end) == (start, end)]
        return max(fitting, key=lambda node: node.depth, default=None)


# ---- queries -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A result: a path; or a span; or, with neither, the whole document. `rank` may tie."""

    doc: str
    path: str | None = None
    span: tuple[int, int] | None = None
    rank: int | None = None


@dataclass(eq=False)
class Found:
    """A result in the documents: its characters and, if it is a node, its node."""

    doc: str
    start: int
    end: int
    node: Node | None
    rank: int
    again: bool = False
    """Whether the same part was returned before."""

    @property
    def chars(self) -> frozenset[int]:
        return frozenset(range(self.start, self.end))

    @property
    def size(self) -> int:
        return self.end - self.start


Grade = tuple[Fr, Fr]
Place = tuple[str, str]
"""A document and a path in it."""


@dataclass
class Query:
    """The judgements and the results of one query. Grades are on their own scale."""

    trees: Mapping[str, Tree]
    scale: str
    grades: Mapping[str, Mapping[str, Grade]] = field(default_factory=dict)
    highlights: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    results: Sequence[Result] = ()
    docs: Sequence[str] = ()
    """The judged documents as the assessments list them; those of the grades, then of the highlights, by default."""

    def __post_init__(self) -> None:
        self.docs = list(self.docs) or list(dict.fromkeys([*self.grades, *self.highlights]))
        self.passages = {doc: merged(spans) for doc, spans in self.highlights.items()}
        self.found = located(self.trees, self.results)

    def marked(self, doc: str) -> frozenset[int]:
        return frozenset(c for start, end in self.passages.get(doc, ()) for c in range(start, end))

    def node(self, place: Place) -> Node:
        return self.trees[place[0]].at[place[1]]

    def places(self) -> list[Place]:
        """Every node of every judged document, in the order of the assessments and of the document."""
        return [(doc, node.path) for doc in self.docs for node in self.trees[doc].nodes]

    def judged(self) -> dict[Place, Grade]:
        """The grades of every judged node; for a document without grades, those of its highlights."""
        found: dict[Place, Grade] = {}
        for doc in self.docs:
            for node in self.trees[doc].nodes:
                if self.grades.get(doc):
                    if node.path in self.grades[doc]:
                        found[doc, node.path] = self.grades[doc][node.path]
                elif node.chars & self.marked(doc):
                    found[doc, node.path] = Fr(1), Fr(len(node.chars & self.marked(doc)), node.size)
        return found

    def unit_grades(self) -> dict[Place, Grade]:
        e_most, s_most = {"four-point": (3, 3), "inex2005": (2, 1), "unit": (1, 1)}[self.scale]
        return {place: (e / e_most, s / s_most) for place, (e, s) in self.judged().items()}

    def relevant(self) -> list[Place]:
        return [place for place, (e, s) in self.judged().items() if e > 0 and s > 0]


def merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans without empty ones, overlapping ones merged, adjacent ones kept apart."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if start == end:
            continue
        if kept and start < kept[-1][1]:
            kept[-1] = kept[-1][0], max(end, kept[-1][1])
        else:
            kept.append((start, end))
    return kept


def located(trees: Mapping[str, Tree], results: Sequence[Result]) -> list[Found]:
    """The results in rank order, tied ones in the order of the run."""
    ranked = bool(results) and all(result.rank is not None for result in results)
    order = sorted(range(len(results)), key=lambda i: results[i].rank or 0) if ranked else range(len(results))
    found: list[Found] = []
    before: set[object] = set()
    for place, i in enumerate(order):
        result = results[i]
        tree = trees[result.doc]
        if result.path is not None:
            node: Node | None = tree.at[result.path]
            start, end = node.start, node.end
        else:
            start, end = result.span or (0, len(tree.text))
            node = tree.deepest(start, end)
        part = (result.doc, node.path) if node is not None else (result.doc, start, end)
        rank = result.rank if ranked and result.rank is not None else place
        found.append(Found(result.doc, start, end, node, rank, again=part in before))
        before.add(part)
    return found


def div(a: Fr | int, b: Fr | int) -> Fr:
    return Fr(a) / Fr(b) if b else Fr(0)


def total(values: Sequence[Fr] | Iterator[Fr]) -> Fr:
    return sum(values, Fr(0))


# ---- quantisation -------------------------------------------------------------------------------------------

FOUR_POINT: dict[str, dict[str, str]] = {
    "strict": {"1": "33"},
    "gen": {"1": "33", "0.75": "23 32 31", "0.5": "13 22 21", "0.25": "12 11"},
    "sog": {"1": "33", "0.9": "23", "0.75": "13 32", "0.5": "22", "0.25": "12 31", "0.1": "21 11"},
}
UNIT: dict[str, Callable[[Fr, Fr], Fr]] = {
    "exhspe": lambda e, s: e * s,
    "strictn": lambda e, s: Fr(e == 1 and s == 1),
    "spe": lambda e, s: s,
    "genlifted": lambda e, s: (2 * e + 1) * s / 3,
}


def quantised(query: Query, quant: str) -> dict[Place, Fr]:
    """The value of every judged node."""
    if quant in UNIT:
        return {place: UNIT[quant](e, s) for place, (e, s) in query.unit_grades().items()}
    value_of = {pair: Fr(value) for value, pairs in FOUR_POINT[quant].items() for pair in pairs.split()}
    return {place: value_of.get(f"{int(e)}{int(s)}", Fr(0)) for place, (e, s) in query.judged().items()}


# ---- the ideal recall base ----------------------------------------------------------------------------------


def ideal_elements(query: Query, quant: str, ideal: str = "focused") -> dict[Place, Fr]:
    """The ideal elements and their values, as the ideal run ranks them."""
    q = quantised(query, quant)
    relevant = set(query.relevant())
    if ideal == "all":
        kept = {place for place in relevant if q[place] > 0}
    else:
        chosen: set[Place] = set()
        for doc, path in relevant:
            leaf = query.node((doc, path))
            if any((doc, node.path) in relevant for node in leaf.below()):
                continue
            downwards = [node for node in [*reversed(leaf.ancestors), leaf] if (doc, node.path) in relevant]
            best = max(q[doc, node.path] for node in downwards)
            if best > 0:
                deepest = [node for node in downwards if q[doc, node.path] == best][-1]
                chosen.add((doc, deepest.path))
        kept = {
            (doc, path)
            for doc, path in chosen
            if not any((doc, above.path) in chosen for above in query.node((doc, path)).ancestors)
        }
    in_order = [place for place in query.places() if place in kept]
    return {place: q[place] for place in sorted(in_order, key=lambda place: -q[place])}


# ---- gain ---------------------------------------------------------------------------------------------------


@dataclass
class Gains:
    """The gain at every rank, the ideal gains, and the number of ideal elements without gain."""

    run: list[Fr]
    ideal: list[Fr]
    untouched: int


def worth(node: Node, value: Callable[[Node], Fr], seen: frozenset[int], retrieved: Sequence[Node], alpha: Fr) -> Fr:
    """rv: the value of a node for a user who has seen these characters and these nodes."""
    q = value(node)
    was_retrieved = any(other is node or other in node.ancestors for other in retrieved)
    if was_retrieved or (node.chars and node.chars <= seen):
        return (1 - alpha) * q
    if not node.chars & seen:
        return q
    in_children = frozenset[int]().union(*(child.chars for child in node.children))
    fresh = q * len(node.chars - in_children - seen)
    fresh += total(worth(child, value, seen, retrieved, alpha) * child.size for child in node.children)
    return min(q, alpha * fresh / node.size + (1 - alpha) * q)


def gains(query: Query, quant: str, alpha: Fr = Fr(1), ideal: str = "focused") -> Gains:
    q = quantised(query, quant)
    ideals = ideal_elements(query, quant, ideal)
    left = dict(ideals)
    seen: dict[str, frozenset[int]] = {}
    retrieved: dict[str, list[Node]] = {}
    run: list[Fr] = []
    for result in query.found:
        gain = Fr(0)
        if result.node is not None:
            doc, node = result.doc, result.node
            rv = worth(
                node,
                lambda inner, doc=doc: q.get((doc, inner.path), Fr(0)),
                seen.get(doc, frozenset()),
                retrieved.get(doc, []),
                alpha,
            )
            related = [
                place
                for place in ideals
                if place[0] == doc and (query.node(place) is node if ideal == "all" else query.node(place).is_kin(node))
            ]
            there = total(left[place] for place in related)
            gain = max(Fr(0), min(rv, there))
            gain = gain if gain >= EPSILON else Fr(0)
            for place in related if gain else ():
                left[place] -= gain * left[place] / there
            retrieved.setdefault(doc, []).append(node)
        seen[result.doc] = seen.get(result.doc, frozenset()) | result.chars
        run.append(gain)
    return Gains(run, list(ideals.values()), sum(left[place] == ideals[place] for place in ideals))


def cumulated(values: Sequence[Fr], rank: int) -> Fr:
    """The sum of the first ranks, constant after the end."""
    return total(values[:rank])


def rank_of(values: Sequence[Fr], level: Fr) -> Fr | None:
    """The rank, between two whole ones, at which the cumulated gain reaches a level."""
    for rank in range(1, len(values) + 1):
        here = cumulated(values, rank)
        if here >= level - EPSILON:
            return rank - 1 + div(level, here)
    return None


def x_cg(g: Gains, k: int | None = None) -> Fr:
    return cumulated(g.run, len(g.run) if k is None else k)


def nx_cg(g: Gains, k: int | None = None) -> Fr:
    k = len(g.run) if k is None else k
    return div(cumulated(g.run, k), cumulated(g.ideal, k))


def ma_nx_cg(g: Gains, k: int = 1500) -> Fr:
    level = max(len(g.run), len(g.ideal), 1)
    at = [nx_cg(g, rank) for rank in range(1, min(k, level) + 1)]
    return (total(at) + max(0, k - level) * at[-1]) / k


def x_gr(g: Gains, k: int | None = None) -> Fr:
    return div(x_cg(g, k), total(g.ideal))


def ep(g: Gains, level: Fr) -> Fr:
    gain = level * total(g.ideal)
    of_ideal, of_run = rank_of(g.ideal, gain), rank_of(g.run, gain)
    return Fr(0) if of_ideal is None or of_run is None else div(of_ideal, of_run)


def i_ma_ep(g: Gains) -> Fr:
    return total(ep(g, Fr(i, 10)) for i in range(1, 11)) / 10


def gaining(g: Gains) -> list[int]:
    """The ranks with gain."""
    return [rank for rank, gain in enumerate(g.run, 1) if gain > 0]


def ma_ep(g: Gains) -> Fr:
    found = total((rank_of(g.ideal, x_cg(g, rank)) or Fr(0)) / rank for rank in gaining(g))
    return div(found, len(gaining(g)) + g.untouched)


def bonus(g: Gains, k: int) -> Fr:
    return total(gain + 1 for gain in g.run[:k] if gain > 0)


def x_q(g: Gains) -> Fr:
    found = total(div(bonus(g, rank), cumulated(g.ideal, rank) + rank) for rank in gaining(g))
    return div(found, len(gaining(g)) + g.untouched)


def x_r(g: Gains) -> Fr:
    r = len(g.ideal)
    return div(bonus(g, r), cumulated(g.ideal, r) + r)


# ---- inex_eval and inex_eval_ng -----------------------------------------------------------------------------


def q_of_results(query: Query, quant: str) -> list[Fr]:
    """The value of every result: 0 for a part that is not a judged node, and for a repeated one."""
    q = quantised(query, quant)
    return [
        q.get((result.doc, result.node.path), Fr(0)) if result.node is not None and not result.again else Fr(0)
        for result in query.found
    ]


def recall_base(query: Query, quant: str) -> Fr:
    return total(iter(quantised(query, quant).values()))


def precall(query: Query, quant: str, level: Fr, variant: str = "expected") -> Fr:
    need = level * recall_base(query, quant)
    q = q_of_results(query, quant)
    if variant == "simple":
        for rank in range(1, len(q) + 1):
            if total(q[:rank]) >= need - EPSILON:
                return need / rank
        return Fr(0)
    before, j = Fr(0), Fr(0)
    for rank in sorted({result.rank for result in query.found}):
        tied = [value for value, result in zip(q, query.found, strict=True) if result.rank == rank]
        r, i = total(tied), total(1 - value for value in tied)
        if before + r >= need - EPSILON:
            s = need - before
            return div(need, need + j + s * i / (r + 1))
        before, j = before + r, j + i
    return Fr(0)


def inex_ap(query: Query, quant: str, points: int = 100) -> Fr:
    return total(precall(query, quant, Fr(i, points)) for i in range(1, points + 1)) / points


def ng(query: Query, k: int | None = None, overlap: bool = True) -> tuple[Fr, Fr]:
    """ngP and ngR."""
    grades = query.unit_grades()
    seen: dict[str, frozenset[int]] = {}
    hit, read, gained = Fr(0), Fr(0), Fr(0)
    for result in query.found[:k]:
        e, s = Fr(0), Fr(0)
        if result.node is not None and not result.again:
            e, s = grades.get((result.doc, result.node.path), (e, s))
        before = seen.get(result.doc, frozenset())
        o = div(len(result.chars & before), result.size) if overlap else Fr(0)
        hit += s * result.size * (1 - o)
        read += result.size * (1 - o)
        gained += e * (1 - o)
        seen[result.doc] = before | result.chars
    return div(hit, read), div(gained, total(e for e, _ in grades.values()))


# ---- tolerance to irrelevance -------------------------------------------------------------------------------


def passages_found(query: Query, tolerance: int, one: bool) -> list[int]:
    """The number of passages found by each rank."""
    found: set[tuple[str, int]] = set()
    counts = []
    for result in query.found:
        in_a_row = 0
        for c in range(result.start, len(query.trees[result.doc].text)):
            inside = [start for start, end in query.passages.get(result.doc, ()) if start <= c < end]
            if not inside:
                in_a_row += 1
                if in_a_row >= tolerance:
                    break
                continue
            in_a_row = 0
            passage = result.doc, inside[0]
            if passage not in found:
                found.add(passage)
                if one:
                    break
        counts.append(len(found))
    return counts


def passage_count(query: Query) -> int:
    return sum(len(spans) for spans in query.passages.values())


def t2i_need(query: Query, need: int, tolerance: int, one: bool) -> Fr:
    for rank, count in enumerate(passages_found(query, tolerance, one), 1):
        if count >= need:
            return min(Fr(1), Fr(need, rank))
    return Fr(0)


def t2i(query: Query, level: Fr, tolerance: int = 300, one: bool = True) -> Fr:
    return t2i_need(query, ceil(level * passage_count(query) - EPSILON), tolerance, one)


def t2i_ap(query: Query, tolerance: int = 300, one: bool = True) -> Fr:
    count = passage_count(query)
    return div(total(t2i_need(query, need, tolerance, one) for need in range(1, count + 1)), count)


# ---- text and in-context measures ---------------------------------------------------------------------------


def as_text(query: Query) -> brute.Query:
    """The query for text measures: elements as their spans."""
    judged = {
        doc: brute.Judged(len(query.trees[doc].text), 0, tuple(query.passages.get(doc, ()))) for doc in query.docs
    }
    return brute.Query([brute.Part(r.doc, ((r.start, r.end),)) for r in query.found], judged)


class Thorough(brute.Query):
    """Text measures against the highlighted text of all relevant elements."""

    every_element: int = 0

    @property
    def total(self) -> int:
        return self.every_element


def as_thorough(query: Query) -> Thorough:
    plain = as_text(query)
    thorough = Thorough(plain.parts, plain.judged)
    thorough.every_element = sum(len(query.node(place).chars & query.marked(place[0])) for place in query.relevant())
    return thorough
