"""Every measure again, slow and obviously correct: sets of characters, fractions, loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Part:
    doc: str
    spans: tuple[tuple[int, int], ...]

    @property
    def chars(self) -> frozenset[int]:
        return frozenset(c for start, end in self.spans for c in range(start, end))

    @property
    def start(self) -> int:
        chars = self.chars
        return min(chars) if chars else min(start for start, _ in self.spans)


@dataclass(frozen=True)
class Judged:
    length: int
    bep: int
    spans: tuple[tuple[int, int], ...]

    @property
    def chars(self) -> frozenset[int]:
        return frozenset(c for start, end in self.spans for c in range(start, end))


@dataclass
class Query:
    """The ranked parts of a run for a query, and its judgements."""

    parts: list[Part]
    judged: dict[str, Judged]
    marked: dict[str, frozenset[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.marked = {doc: judgement.chars for doc, judgement in self.judged.items()}

    @property
    def total(self) -> int:
        return sum(len(chars) for chars in self.marked.values())

    def relevant_chars(self, part: Part) -> frozenset[int]:
        return part.chars & self.marked.get(part.doc, frozenset())


def div(a: Fraction | int, b: Fraction | int) -> Fraction:
    return Fraction(a) / Fraction(b) if b else Fraction(0)


def cut(parts: list[Part], budget: int) -> list[Part]:
    """Read in rank order until the budget is spent; the last part is cut there."""
    read = []
    for part in parts:
        chars = sorted(part.chars)[:budget]
        budget -= len(chars)
        read.append(Part(part.doc, tuple((c, c + 1) for c in chars) or ((part.start, part.start),)))
    return read


def gains(query: Query, parts: list[Part], alpha: Fraction) -> list[Fraction]:
    seen: set[tuple[str, int]] = set()
    values = []
    for part in parts:
        relevant = {(part.doc, c) for c in query.relevant_chars(part)}
        values.append(len(relevant) - alpha * len(relevant & seen))
        seen |= {(part.doc, c) for c in part.chars}
    return values


def precision_recall(query: Query, parts: list[Part], alpha: Fraction) -> tuple[Fraction, Fraction]:
    gain = sum(gains(query, parts, alpha), Fraction(0))
    return div(gain, sum(len(part.chars) for part in parts)), div(gain, query.total)


def text_p(query: Query, k: int | None = None, alpha: Fraction = Fraction(1), budget: int | None = None) -> Fraction:
    parts = query.parts[:k] if budget is None else cut(query.parts, budget)
    return precision_recall(query, parts, alpha)[0]


def text_r(query: Query, k: int | None = None, alpha: Fraction = Fraction(1), budget: int | None = None) -> Fraction:
    parts = query.parts[:k] if budget is None else cut(query.parts, budget)
    return precision_recall(query, parts, alpha)[1]


def text_f(query: Query, k: int | None = None, beta: Fraction = Fraction(1), budget: int | None = None) -> Fraction:
    p, r = text_p(query, k, budget=budget), text_r(query, k, budget=budget)
    return div((1 + beta**2) * p * r, beta**2 * p + r)


def text_iou(query: Query, k: int | None = None, budget: int | None = None) -> Fraction:
    parts = query.parts[:k] if budget is None else cut(query.parts, budget)
    retrieved = {(part.doc, c) for part in parts for c in part.chars}
    relevant = {(doc, c) for doc, chars in query.marked.items() for c in chars}
    return div(len(retrieved & relevant), len(retrieved | relevant))


def i_p(query: Query, level: Fraction, alpha: Fraction = Fraction(1)) -> Fraction:
    best = Fraction(0)
    for rank in range(1, len(query.parts) + 1):
        precision, recall = precision_recall(query, query.parts[:rank], alpha)
        if recall >= level:
            best = max(best, precision)
    return best


def i_ap(query: Query, points: int = 101, alpha: Fraction = Fraction(1)) -> Fraction:
    curve = [precision_recall(query, query.parts[:rank], alpha) for rank in range(1, len(query.parts) + 1)]
    total = Fraction(0)
    for point in range(points):
        total += max((p for p, r in curve if r >= Fraction(point, points - 1)), default=Fraction(0))
    return total / points


def text_ap(query: Query, alpha: Fraction = Fraction(1)) -> Fraction:
    found = gains(query, query.parts, alpha)
    at = [text_p(query, rank, alpha) for rank, gain in enumerate(found, 1) if gain > 0]
    return div(sum(at, Fraction(0)), len(at)) * text_r(query, alpha=alpha)


def overlap(query: Query, k: int | None = None) -> Fraction:
    parts = query.parts[:k]
    sharing = sum(
        any(i != j and a.doc == b.doc and a.chars & b.chars for j, b in enumerate(parts)) for i, a in enumerate(parts)
    )
    return div(sharing, len(parts))


def redundancy(query: Query, k: int | None = None) -> Fraction:
    parts = query.parts[:k]
    size = sum(len(part.chars) for part in parts)
    distinct = {(part.doc, c) for part in parts for c in part.chars}
    return div(size - len(distinct), size)


# ---- in context ---------------------------------------------------------------------------------------------


def documents(query: Query) -> list[str]:
    return list(dict.fromkeys(part.doc for part in query.parts))


def score_f(query: Query, doc: str, beta: Fraction = Fraction(1)) -> Fraction:
    union = frozenset().union(*(part.chars for part in query.parts if part.doc == doc))
    found = len(union & query.marked[doc])
    p, r = div(found, len(union)), div(found, len(query.marked[doc]))
    return div((1 + beta**2) * p * r, beta**2 * p + r)


def score_bep(query: Query, doc: str, a: Fraction = Fraction(1, 10)) -> Fraction:
    entry = next(part.start for part in query.parts if part.doc == doc)
    judged = query.judged[doc]
    return div(a * judged.length, a * judged.length + abs(entry - judged.bep))


def score_bep_n(query: Query, doc: str, n: int = 1000) -> Fraction:
    entry = next(part.start for part in query.parts if part.doc == doc)
    return Fraction(max(0, n - abs(entry - query.judged[doc].bep)), n)


def score_t2i(query: Query, doc: str, tolerance: int = 300) -> Fraction:
    union = frozenset().union(*(part.chars for part in query.parts if part.doc == doc))
    text = range(query.judged[doc].length)
    good = bad = 0
    for c in [c for c in text if c in union] + [c for c in text if c not in union]:
        if bad >= tolerance:
            break
        if c in query.marked[doc]:
            good += 1
        else:
            bad += 1
    return div(good, good + bad)


def scores(query: Query, score) -> list[Fraction]:
    return [score(query, doc) if query.marked.get(doc) else Fraction(0) for doc in documents(query)]


def relevant_documents(query: Query) -> int:
    return sum(bool(chars) for chars in query.marked.values())


def g_p(query: Query, score, r: int | None = None) -> Fraction:
    found = scores(query, score)[:r]
    return div(sum(found, Fraction(0)), len(found) if r is None else r)


def g_r(query: Query, r: int | None = None) -> Fraction:
    return div(sum(bool(query.marked.get(doc)) for doc in documents(query)[:r]), relevant_documents(query))


def ag_p(query: Query, score) -> Fraction:
    ranks = [r for r, doc in enumerate(documents(query), 1) if query.marked.get(doc)]
    return div(sum((g_p(query, score, r) for r in ranks), Fraction(0)), relevant_documents(query))
