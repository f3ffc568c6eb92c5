"""Random documents as trees, with grades, highlights and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction as Fr
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from oracles import structure_brute as slow
from oracles.structure_brute import Result, Tree

QUANTS = {
    "four-point": ("strict", "gen", "sog"),
    "unit": ("exhspe", "strictn", "spe", "genlifted"),
    "inex2005": ("exhspe", "strictn", "spe", "genlifted"),
}


@dataclass
class JudgedDocument:
    grades: dict[str, tuple[Fr, Fr]] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class World:
    """Documents, judgements and results; a query may lack either of the last two."""

    xml: dict[str, str]
    scale: str
    judged: dict[str, dict[str, JudgedDocument]]
    results: dict[str, list[Result]]

    def __post_init__(self) -> None:
        self.trees = {doc: Tree(xml) for doc, xml in self.xml.items()}

    def grades(self, queries: Sequence[str] | None = None) -> list[dict[str, Any]]:
        rows = []
        for query in self.judged if queries is None else queries:
            for doc, judgement in self.judged[query].items():
                common = {"query_id": query, "doc_id": doc}
                of_doc: list[dict[str, Any]] = []
                for path, (e, s) in judgement.grades.items():
                    given_e: Any = "?" if self.scale == "inex2005" and e == 0 else float(e)
                    row = {"path": path, "exhaustivity": given_e, "specificity": float(s), "scale": self.scale}
                    of_doc.append({**common, **row})
                of_doc += [{**common, "start": start, "end": end} for start, end in judgement.spans]
                rows += of_doc or [common]
        return rows

    def run(self, queries: Sequence[str] | None = None) -> dict[str, list[dict[str, Any]]]:
        chosen = self.results if queries is None else [query for query in queries if query in self.results]
        return {query: [as_row(result) for result in self.results[query]] for query in chosen}

    def queries(self) -> dict[str, slow.Query]:
        return {
            query: slow.Query(
                trees=self.trees,
                scale=self.scale,
                grades={doc: judgement.grades for doc, judgement in docs.items()},
                highlights={doc: judgement.spans for doc, judgement in docs.items()},
                results=self.results.get(query, []),
                docs=list(docs),
            )
            for query, docs in self.judged.items()
        }


def as_row(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {"doc_id": result.doc}
    if result.path is not None:
        row["path"] = result.path
    elif result.span is not None:
        row["start"], row["end"] = result.span
    if result.rank is not None:
        row["rank"] = result.rank
    return row


SHAPES = {
    0: ["rich"] * 9 + ["wrap", "text", "empty"],
    1: ["rich"] * 4 + ["wrap", "wrap", "text", "text", "empty"],
    2: ["rich", "rich", "text", "text", "wrap", "empty"],
    3: ["text", "text", "empty"],
}


LETTERS = "xyz é&<𝒳\n"


def random_text(dice: Random) -> str:
    return escape("".join(dice.choice(LETTERS) for _ in range(dice.randint(1, 5))))


def random_element(dice: Random, depth: int = 0) -> str:
    """An element with nested ones, text, both or neither; sometimes with just one nested element."""
    tag = dice.choice("abp")
    shape = dice.choice(SHAPES[depth])
    inside: list[str] = []
    if shape == "wrap":
        inside.append(random_element(dice, depth + 1))
    elif shape == "text":
        inside.append(random_text(dice))
    elif shape == "rich":
        for _ in range(dice.randint(2, 4)):
            kind = dice.choice(["element"] * 6 + ["text"] * 3 + ["comment"])
            if kind == "text":
                inside.append(random_text(dice))
            elif kind == "comment":
                inside.append("<!--no <p>text</p>-->")
            else:
                inside.append(random_element(dice, depth + 1))
    return f"<{tag}>{''.join(inside)}</{tag}>"


def random_grade(dice: Random, scale: str) -> tuple[Fr, Fr]:
    if not dice.randint(0, 4):
        return Fr(0), Fr(0)
    if scale == "four-point":
        return Fr(dice.randint(1, 3)), Fr(dice.randint(1, 3))
    if scale == "inex2005":
        return Fr(dice.randint(0, 2)), Fr(dice.randint(1, 4), 4)
    return Fr(dice.randint(0, 5), 5), Fr(dice.randint(0, 10), 10)


def random_span(dice: Random, length: int) -> tuple[int, int]:
    edges = dice.randint(0, length), dice.randint(0, length)
    return min(edges), max(edges)


def random_results(dice: Random, trees: dict[str, Tree]) -> list[Result]:
    drawn: list[Result] = []
    for _ in range(dice.choice([0, 1, 3, 5, 8, 12])):
        kind = dice.choice(["path"] * 6 + ["node", "span", "whole", "again"])
        if kind == "again" and drawn:
            drawn.append(dice.choice(drawn))
            continue
        doc = dice.choice(sorted(trees))
        node = dice.choice(trees[doc].nodes)
        if kind in ("path", "again"):
            drawn.append(Result(doc, path=node.path))
        elif kind == "node":
            drawn.append(Result(doc, span=(node.start, node.end)))
        elif kind == "whole":
            drawn.append(Result(doc))
        else:
            drawn.append(Result(doc, span=random_span(dice, len(trees[doc].text) + 2)))
    if dice.randint(0, 1):
        drawn = [Result(r.doc, r.path, r.span, dice.randint(0, 6)) for r in drawn]
    return drawn


def random_world(dice: Random, kind: str) -> World:
    """A world of one kind of judgements: a scale of grades, highlights, or both."""
    xml = {f"d{i}": random_element(dice) for i in range(dice.choice([1, 1, 2, 3]))}
    scale = {"highlights": "unit", "both": dice.choice(sorted(QUANTS))}.get(kind, kind)
    trees = {doc: Tree(text) for doc, text in xml.items()}
    judged: dict[str, dict[str, JudgedDocument]] = {}
    results: dict[str, list[Result]] = {}
    for query in [f"t{i}" for i in range(dice.randint(1, 3))]:
        judged[query] = {}
        for doc in dice.sample(sorted(xml), dice.randint(1, len(xml))):
            judgement = judged[query][doc] = JudgedDocument()
            if kind in ("highlights", "both"):
                spans = [random_span(dice, len(trees[doc].text)) for _ in range(dice.randint(0, 4))]
                judgement.spans = list(dict.fromkeys(spans))
            if kind != "highlights":
                # a document with both has a grade for its root, so that its grades decide
                for node in trees[doc].nodes:
                    if (kind == "both" and node is trees[doc].root) or dice.randint(0, 3):
                        judgement.grades[node.path] = random_grade(dice, scale)
        if dice.randint(0, 5):
            results[query] = random_results(dice, trees)
    return World(xml, scale, judged, results)


KINDS = ("four-point", "unit", "inex2005", "highlights", "both")


def worlds(kinds: Sequence[str] = KINDS) -> st.SearchStrategy[World]:
    """Half of them drawn choice by choice, which shrink; half from a seed, which are larger."""
    dice = st.one_of(st.randoms(use_true_random=False), st.integers(0, 2**32).map(Random))
    return st.builds(random_world, dice, st.sampled_from(kinds))
