"""The measures of parts found, of reading, and of what was judged: slow and obviously correct.

``value("PartR(match=seen(0.8))@5", query)`` is the value of a measure for a query, None where the query is not scored.
A character is a pair of its document and its position, a passage or a result a set of characters.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracles import brute
from oracles.brute import Judged, Part

Chars = frozenset[tuple[str, int]]
Number = Fraction | float


# ---- gold and results ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GoldRow:
    """A row of grade 1 or more that marks a part of a document."""

    chars: Chars
    grade: int
    nugget: str | None
    set: str | None


@dataclass(frozen=True)
class Passage:
    """All rows with the same characters."""

    chars: Chars
    rows: tuple[GoldRow, ...]

    @property
    def grade(self) -> int:
        return max(row.grade for row in self.rows)

    @property
    def names(self) -> list[str]:
        """The nuggets that rows of this passage name."""
        return [row.nugget for row in self.rows if row.nugget is not None]

    def nuggets_of(self, row: GoldRow) -> set[str | Passage]:
        """The nuggets that a row stands for; a passage that names no nugget is a nugget itself."""
        if row.nugget is not None:
            return {row.nugget}
        # Convention: a row without a nugget, in a passage that names some, stands for all of them.
        return set(self.names) or {self}

    @property
    def nuggets(self) -> set[str | Passage]:
        return set().union(*(self.nuggets_of(row) for row in self.rows))


@dataclass
class Query:
    """The ranked results of a query, its gold, and its judged documents."""

    results: list[Part]
    rows: list[GoldRow]
    """Convention: rows below grade 1 are not here at all; they only make their document judged."""
    judged_docs: set[str]
    has_relevant: bool

    @property
    def passages(self) -> list[Passage]:
        """In the order in which they come first in the file."""
        rows_of: dict[Chars, list[GoldRow]] = {}
        for row in self.rows:
            rows_of.setdefault(row.chars, []).append(row)
        return [Passage(chars, tuple(rows)) for chars, rows in rows_of.items()]


def part_of(row: dict[str, Any], lengths: dict[str, int]) -> Part:
    """The part that a row of a run or of the gold names; without a place, the whole document."""
    if "spans" in row:
        spans = tuple((start, end) for start, end in row["spans"])
    elif "start" in row:
        spans = ((row["start"], row["end"]),)
    else:
        spans = ((0, lengths[row["doc_id"]]),)
    return Part(row["doc_id"], spans)


def chars_of(part: Part) -> Chars:
    return frozenset((part.doc, c) for c in part.chars)


def queries_of(
    gold: list[dict[str, Any]], run: dict[str, list[dict[str, Any]]], lengths: dict[str, int] | None = None
) -> dict[str, Query]:
    """The judged queries, from the rows that the library is given."""
    lengths = lengths or {}
    queries: dict[str, Query] = {}
    for row in gold:
        query_id = row["query_id"]
        if query_id not in queries:
            queries[query_id] = Query([part_of(result, lengths) for result in run.get(query_id, [])], [], set(), False)
        query = queries[query_id]
        if not row["doc_id"]:  # nothing is relevant to this query
            continue
        query.judged_docs.add(row["doc_id"])
        has_part = "spans" in row or "start" in row
        grade = row.get("grade", 1 if has_part else 0)
        if grade < 1:
            continue
        query.has_relevant = True
        if has_part:
            query.rows.append(GoldRow(chars_of(part_of(row, lengths)), grade, row.get("nugget"), row.get("set")))
    return queries


# ---- parameters ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A parameter's value such as ``cover(0.5)`` or ``half(h=100)``; ``any`` has no arguments."""

    name: str
    arguments: tuple[Fraction, ...] = ()


@dataclass
class Options:
    """The parameters of all measures, and the cutoff."""

    at: Fraction | None = None
    match: Call | None = None
    rel: int = 1
    budget: int | None = None
    pack: bool = False
    judged_only: bool = False
    new: bool = True
    interpolated: bool = False
    weight: Call | None = None
    decay: Call = Call("linear", (Fraction(132_000),))
    p: Fraction = Fraction(4, 5)
    alpha: Fraction = Fraction(1)
    beta: Fraction = Fraction(1)
    points: int = 101

    @property
    def k(self) -> int | None:
        return None if self.at is None else int(self.at)


def argument(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, float):
            return Fraction(str(node.value))
        return node.value
    if isinstance(node, ast.Name):
        return Call(node.id)
    assert isinstance(node, ast.Call)
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    return Call(ast.unparse(node.func), tuple(Fraction(argument(value)) for value in values))


def parsed(name: str) -> tuple[str, Options]:
    """``PartR(match=seen(0.8))@5`` as ``PartR`` and its options."""
    text, _, at = name.partition("@")
    node = ast.parse(text, mode="eval").body
    keywords = node.keywords if isinstance(node, ast.Call) else []
    options = Options(**{str(keyword.arg): argument(keyword.value) for keyword in keywords})
    if at:
        options.at = Fraction(at)
    return ast.unparse(node.func if isinstance(node, ast.Call) else node), options


def value(name: str, query: Query) -> Number | None:
    """The value of a measure for a query; None if nothing is relevant to it in the measure's sense."""
    measure, options = parsed(name)
    return MEASURES[measure](query, options)


def values_of(name: str, queries: dict[str, Query]) -> dict[str, float]:
    """The values of the queries that are scored."""
    of_queries = {query_id: value(name, query) for query_id, query in queries.items()}
    return {query_id: float(number) for query_id, number in of_queries.items() if number is not None}


# ---- what is read -------------------------------------------------------------------------------------------


def results_of(query: Query, options: Options) -> list[Part]:
    """The results, of judged documents only where that is asked for."""
    if options.judged_only:
        return [part for part in query.results if part.doc in query.judged_docs]
    return query.results


def read_results(query: Query, options: Options) -> list[Part]:
    """The results that count: of judged documents only, down to the cutoff, within the budget."""
    results = results_of(query, options)
    if options.budget is None:
        return results[: options.k]
    read: list[Part] = []
    spent = 0
    for part in results:
        size = len(part.chars)
        if options.pack:
            # Convention: the longest prefix that fits; an empty part after a full budget still fits.
            if spent + size > options.budget:
                break
            read.append(part)
        else:
            # Convention: a part is read, though perhaps cut, if fewer characters than the budget come before it.
            if spent >= options.budget:
                break
            shown = sorted(part.chars)[: options.budget - spent]
            read.append(Part(part.doc, tuple((c, c + 1) for c in shown) or ((part.start, part.start),)))
        spent += size
    return read


# ---- matching -----------------------------------------------------------------------------------------------


def single_matches(match: Call) -> list[Call]:
    """``iou(low, high)`` is many: low, low + 0.05 ... while not above high."""
    if match.name != "iou" or len(match.arguments) == 1:
        return [match]
    threshold, high = match.arguments
    thresholds = []
    while threshold <= high:
        thresholds.append(Call("iou", (threshold,)))
        threshold += Fraction(5, 100)
    return thresholds


def iou(result: Chars, gold: Chars) -> Fraction:
    return Fraction(len(result & gold), len(result | gold))


def matched(results: list[Chars], gold: list[Chars], match: Call) -> list[set[int]]:
    """For every result, which passages it matches, whether they were found before or not."""
    by_rank = []
    seen: Chars = frozenset()
    for result in results:
        matches = set()
        for number, passage in enumerate(gold):
            shown = result & passage
            if match.name == "any":
                matches_it = bool(shown)
            elif match.name == "contains":
                matches_it = shown == passage
            elif match.name == "cover":
                matches_it = Fraction(len(shown), len(passage)) >= match.arguments[0]
            elif match.name == "seen":
                together = (seen | result) & passage
                adds = bool(shown - seen)
                matches_it = adds and Fraction(len(together), len(passage)) >= match.arguments[0]
            else:
                assert match.name == "iou"
                matches_it = iou(result, passage) >= match.arguments[0]
            if matches_it:
                matches.add(number)
        by_rank.append(matches)
        seen |= result
    return by_rank


def first_found(results: list[Chars], gold: list[Chars], match: Call, whole: list[Chars]) -> list[list[int]]:
    """For every result, which passages it is the first to find; `whole` are the results before any was cut.

    Convention: with iou a part returned again finds nothing, though another passage may be left to find.
    """
    by_rank: list[list[int]] = []
    found: set[int] = set()
    for rank, (result, matches) in enumerate(zip(results, matched(results, gold, match), strict=True)):
        new = sorted(matches - found)
        if match.name == "iou" and new:
            # max returns the first of several that are equal, the first in file order
            closest = max(new, key=lambda number: iou(result, gold[number]))
            new = [] if whole[rank] in whole[:rank] else [closest]
        found |= set(new)
        by_rank.append(new)
    return by_rank


def mean(values: Sequence[Number]) -> Number:
    return sum(values) / len(values) if isinstance(values[0], float) else sum(values, Fraction(0)) / len(values)


# ---- measures of passages -----------------------------------------------------------------------------------


@dataclass
class Search:
    """The passages of a query, what its results match, and what each is the first to find."""

    gold: list[Passage]
    matched: list[set[int]]
    new: list[list[int]]

    @property
    def finding(self) -> list[bool]:
        """For every result, whether it finds something new."""
        return [bool(new) for new in self.new]


def searched(query: Query, gold: list[Passage], match: Call, options: Options) -> Search:
    results = [chars_of(part) for part in read_results(query, options)]
    passages = [passage.chars for passage in gold]
    whole = [chars_of(part) for part in results_of(query, options)]
    return Search(gold, matched(results, passages, match), first_found(results, passages, match, whole))


def mean_over_matches(
    query: Query, gold: list[Passage], options: Options, score: Callable[[Search, Options], Number]
) -> Number:
    match = options.match or Call("cover", (Fraction(1, 2),))
    return mean([score(searched(query, gold, one, options), options) for one in single_matches(match)])


def of_passages(score: Callable[[Search, Options], Number]) -> Callable[[Query, Options], Number | None]:
    """A measure of passages. Convention: only passages of grade `rel` or more exist, also for iou's choice."""

    def measure(query: Query, options: Options) -> Number | None:
        gold = [passage for passage in query.passages if passage.grade >= options.rel]
        return mean_over_matches(query, gold, options, score) if gold else None

    return measure


def part_hit(search: Search, options: Options) -> Fraction:
    return Fraction(any(search.finding))


def part_rr(search: Search, options: Options) -> Fraction:
    for rank, finds in enumerate(search.finding, 1):
        if finds:
            return Fraction(1, rank)
    return Fraction(0)


def part_p(search: Search, options: Options) -> Fraction:
    hits = search.finding if options.new else [bool(matches) for matches in search.matched]
    # Convention: without a cutoff, divided by the results there are; with a budget, by the results read.
    return brute.div(sum(hits), len(hits) if options.k is None else options.k)


def part_r(search: Search, options: Options) -> Fraction:
    return Fraction(sum(len(new) for new in search.new), len(search.gold))


def part_ap(search: Search, options: Options) -> Fraction:
    finding = search.finding
    precisions = [Fraction(sum(finding[:rank]), rank) for rank in range(1, len(finding) + 1)]
    total = Fraction(0)
    for index, new in enumerate(search.new):
        precision = max(precisions[index:]) if options.interpolated else precisions[index]
        total += len(new) * precision
    return total / len(search.gold)


def part_ndcg(search: Search, options: Options) -> float:
    gain = 0.0
    number = 0  # of the passage, in the order found
    for rank, new in enumerate(search.new, 1):
        for grade in sorted((search.gold[passage].grade for passage in new), reverse=True):
            number += 1
            position = max(rank, number)
            if options.k is None or position <= options.k:
                gain += grade / math.log2(position + 1)
    best = sorted((passage.grade for passage in search.gold), reverse=True)[: options.k]
    return gain / sum(grade / math.log2(position + 1) for position, grade in enumerate(best, 1))


# ---- measures of nuggets ------------------------------------------------------------------------------------


def nugget_grades(query: Query, rel: int) -> dict[str | Passage, int]:
    """The nuggets whose highest row has this grade at least, with their grades."""
    grades: dict[str | Passage, int] = {}
    for passage in query.passages:
        for row in passage.rows:
            # A row without a nugget, in a passage that names some, has no say in their grades.
            nugget = row.nugget if row.nugget is not None else passage
            if row.nugget is not None or not passage.names:
                grades[nugget] = max(grades.get(nugget, 0), row.grade)
    return {nugget: grade for nugget, grade in grades.items() if grade >= rel}


def found_nuggets(search: Search) -> set[str | Passage]:
    return set().union(*(search.gold[number].nuggets for new in search.new for number in new))


def of_nuggets(
    score: Callable[[Query, Search, dict[str | Passage, int], Options], Number],
) -> Callable[[Query, Options], Number | None]:
    """A measure of nuggets. Convention: results are matched to all passages of grade 1 or more, whatever `rel`."""

    def measure(query: Query, options: Options) -> Number | None:
        nuggets = nugget_grades(query, options.rel)
        if not nuggets:
            return None
        return mean_over_matches(
            query, query.passages, options, lambda search, _: score(query, search, nuggets, options)
        )

    return measure


def nugget_r(query: Query, search: Search, nuggets: dict[str | Passage, int], options: Options) -> Fraction:
    weights = nuggets if options.weight == Call("grade") else dict.fromkeys(nuggets, 1)
    found = found_nuggets(search)
    return Fraction(sum(weight for nugget, weight in weights.items() if nugget in found), sum(weights.values()))


def all_found(query: Query, search: Search, nuggets: dict[str | Passage, int], options: Options) -> Fraction:
    sets: dict[str, set[str | Passage]] = {}
    for passage in query.passages:
        for row in passage.rows:
            if row.set is not None:
                sets.setdefault(row.set, set()).update(passage.nuggets_of(row) & set(nuggets))
    # Convention: where `rel` empties all sets, the query has no sets, and all its nuggets count.
    required = [members for members in sets.values() if members] or [set(nuggets)]
    found = found_nuggets(search)
    return Fraction(any(members <= found for members in required))


def aspect_ap(query: Query, options: Options) -> Fraction | None:
    nuggets = nugget_grades(query, options.rel)
    if not nuggets:
        return None
    search = searched(query, query.passages, options.match or Call("any"), options)
    n = d = 0
    total = Fraction(0)
    shown_before: set[str | Passage] = set()
    for matches in search.matched:
        shown = set().union(*(search.gold[number].nuggets for number in matches))
        shown &= set(nuggets)  # Convention: a nugget that `rel` does not select is no nugget here.
        if not shown:
            d += 1
        elif shown - shown_before:
            n += 1
            d += 1
            total += len(shown - shown_before) * Fraction(n, d)
        shown_before |= shown
    return total / len(nuggets)


def abstain(query: Query, options: Options) -> Fraction | None:
    return None if query.has_relevant else Fraction(not query.results)


# ---- measures of characters ---------------------------------------------------------------------------------


def relevant_chars(query: Query, rel: int) -> Chars:
    return frozenset().union(*(row.chars for row in query.rows if row.grade >= rel))


def of_text(
    score: Callable[[brute.Query, Options], Fraction],
) -> Callable[[Query, Options], Fraction | None]:
    """A measure of section 1, on the gold and the results that count."""

    def measure(query: Query, options: Options) -> Fraction | None:
        relevant = relevant_chars(query, options.rel)
        if not relevant:
            return None
        judged = {
            doc: Judged(0, 0, tuple((c, c + 1) for d, c in relevant if d == doc))
            for doc in {doc for doc, _ in relevant}
        }
        return score(brute.Query(read_results(query, options), judged), options)

    return measure


def i_p(query: Query, options: Options) -> Fraction | None:
    level = options.at
    assert level is not None
    options.at = None  # it is not a rank
    return of_text(lambda text, o: brute.i_p(text, level, o.alpha))(query, options)


def characters_read(query: Query, options: Options) -> list[tuple[str, int]]:
    """Every character in the order read, as often as it is read."""
    return [(part.doc, c) for part in read_results(query, options) for c in sorted(part.chars)]


def char_ap(query: Query, options: Options) -> Fraction | None:
    relevant = relevant_chars(query, options.rel)
    if not relevant:
        return None
    n = d = 0
    total = Fraction(0)
    seen: set[tuple[str, int]] = set()
    for char in characters_read(query, options):
        if char in relevant and char in seen:
            continue
        d += 1
        if char in relevant:
            n += 1
            total += Fraction(n, d)
        seen.add(char)
    return total / len(relevant)


def decay_at(decay: Call, position: int) -> Number:
    [length] = decay.arguments
    if decay.name == "linear":
        return max(Fraction(0), 1 - position / length)
    assert decay.name == "half"
    return math.pow(2, -position / length)


def text_u(query: Query, options: Options) -> Number | None:
    relevant = relevant_chars(query, options.rel)
    if not relevant:
        return None
    gain: Number = Fraction(0)
    seen: set[tuple[str, int]] = set()
    for position, char in enumerate(characters_read(query, options), 1):
        if char in relevant and char not in seen:
            gain += decay_at(options.decay, position)
        seen.add(char)
    ideal = sum(decay_at(options.decay, position) for position in range(1, len(relevant) + 1))
    return gain / ideal if ideal else Fraction(0)


def text_rbp(query: Query, options: Options) -> Fraction | None:
    relevant = relevant_chars(query, options.rel)
    if not relevant:
        return None
    total = Fraction(0)
    seen: Chars = frozenset()
    for rank, part in enumerate(read_results(query, options), 1):
        chars = chars_of(part)
        total += options.p ** (rank - 1) * brute.div(len((chars & relevant) - seen), len(chars))
        seen |= chars
    return (1 - options.p) * total


def read(query: Query, options: Options) -> Fraction:
    return Fraction(len(characters_read(query, options)))


def text_judged(query: Query, options: Options) -> Fraction | None:
    if not query.results:
        return None
    chars = characters_read(query, options)
    return brute.div(sum(doc in query.judged_docs for doc, _ in chars), len(chars))


MEASURES: dict[str, Callable[[Query, Options], Number | None]] = {
    "PartHit": of_passages(part_hit),
    "PartRR": of_passages(part_rr),
    "PartP": of_passages(part_p),
    "PartR": of_passages(part_r),
    "PartAP": of_passages(part_ap),
    "PartnDCG": of_passages(part_ndcg),
    "NuggetR": of_nuggets(nugget_r),
    "AllFound": of_nuggets(all_found),
    "AspectAP": aspect_ap,
    "Abstain": abstain,
    "CharAP": char_ap,
    "TextU": text_u,
    "TextRBP": text_rbp,
    "Read": read,
    "TextJudged": text_judged,
    "TextP": of_text(lambda text, o: brute.text_p(text, None, o.alpha)),
    "TextR": of_text(lambda text, o: brute.text_r(text, None, o.alpha)),
    "TextF": of_text(lambda text, o: brute.text_f(text, None, o.beta)),
    "TextIoU": of_text(lambda text, o: brute.text_iou(text)),
    "iP": i_p,
    "iAP": of_text(lambda text, o: brute.i_ap(text, o.points, o.alpha)),
    "TextAP": of_text(lambda text, o: brute.text_ap(text, o.alpha)),
}
