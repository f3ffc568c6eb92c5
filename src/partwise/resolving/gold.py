"""Gold passages: the judged passages that results can find, and the nuggets and sets that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise import kernels
from partwise.errors import PathError
from partwise.model import NO_GRADE, NONE, Bools, Ints, empty_ints, is_relevant, slices
from partwise.resolving.locating import passages_of

if TYPE_CHECKING:
    from partwise.resolving.judgements import Judgements


@dataclass(frozen=True, eq=False, repr=False)
class Gold:
    """Gold passages, query after query in the order of the file: those of query q are ``offsets[q]:offsets[q+1]``.

    Passage i has the spans ``span_offsets[i]:span_offsets[i+1]``, sorted and disjoint. `lines` is the first line that
    judges it, and `grade` its highest grade.
    """

    offsets: Ints
    pair: Ints
    span_offsets: Ints
    start: Ints
    end: Ints
    grade: Ints
    lines: Ints

    def __len__(self) -> int:
        return len(self.pair)

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each passage."""
        sizes: Ints = kernels.segment_sums(self.end - self.start, self.span_offsets[:-1], self.span_offsets[1:])
        return sizes

    def take(self, passages: Bools) -> Gold:
        """These passages alone."""
        rows = np.flatnonzero(passages)
        span_offsets, inside = slices(self.span_offsets, rows)
        offsets = np.concatenate([[0], np.cumsum(passages)])[self.offsets]
        columns = (
            self.pair[rows],
            span_offsets,
            self.start[inside],
            self.end[inside],
            self.grade[rows],
            self.lines[rows],
        )
        return Gold(offsets, *columns)


@dataclass(frozen=True, eq=False, repr=False)
class Nuggets:
    """Nuggets, query after query: those of query q are ``offsets[q]:offsets[q+1]``.

    Passage ``passage[i]`` states nugget ``nugget[i]``. The set ``set[j]`` has the nugget ``set_nugget[j]``; sets are
    numbered query after query, and `set_query` is the query of each.
    """

    offsets: Ints
    grade: Ints
    name: Sequence[str]
    """The name of each, empty for a passage that is a nugget of its own."""
    passage: Ints
    nugget: Ints
    set: Ints
    set_nugget: Ints
    set_query: Ints
    set_name: Sequence[str]


@dataclass(frozen=True, eq=False, repr=False)
class _Rows:
    """A row per judgement of a passage, with its spans in `owner`, `start`, `end`."""

    pair: Ints
    line: Ints
    grade: Ints
    nugget: Ints
    set: Ints
    owner: Ints
    start: Ints
    end: Ints


def gold_of(judgements: Judgements, rel: int = 1) -> Gold:
    """The passages of at least this grade."""
    gold = _all(judgements).gold
    return gold if rel == 1 else judgements.remembered(("gold", rel), lambda: gold.take(gold.grade >= rel))


def nuggets_of(judgements: Judgements) -> Nuggets:
    """The nuggets of all passages."""
    return judgements.remembered("nuggets", lambda: _nuggets(judgements, _all(judgements)))


def highlighted_spans(judgements: Judgements, rel: int) -> tuple[Ints, Ints, Ints]:
    """The pair, start and end of the spans of highlighted passages of at least this grade."""
    rows = _joined([_spans(judgements), _located(judgements)])
    kept = rows.grade[rows.owner] >= rel
    return rows.pair[rows.owner[kept]], rows.start[kept], rows.end[kept]


@dataclass(frozen=True, eq=False, repr=False)
class _Judged:
    """All passages, and the rows that judge them: `passage` is that of each row in this `order`."""

    gold: Gold
    rows: _Rows
    order: Ints
    passage: Ints


def _all(judgements: Judgements) -> _Judged:
    return judgements.remembered("gold", lambda: _computed(judgements))


def _computed(judgements: Judgements) -> _Judged:
    tables = [_spans(judgements), _located(judgements), _trees(judgements)]
    if not len(tables[0].pair) and not len(tables[1].pair):
        tables.append(_elements(judgements))
    rows = _joined(tables)
    owner, start, end = kernels.merge_spans(rows.owner, rows.start, rows.end, touching=True)
    size = np.bincount(owner, minlength=len(rows.pair))
    query = judgements.pair_query[rows.pair]
    order = np.lexsort((np.arange(len(query)), rows.line, query))
    order = order[size[order] > 0]  # a passage without characters cannot be found
    number, first = _numbered(rows.pair, owner, start, end, size, order)
    grade = np.full(len(first), NO_GRADE)
    np.maximum.at(grade, number, rows.grade[order])
    span_offsets, inside = slices(np.concatenate([[0], np.cumsum(size)]), first)
    queries = np.arange(len(judgements.queries) + 1)
    gold = Gold(
        np.searchsorted(query[first], queries),
        rows.pair[first],
        span_offsets,
        start[inside],
        end[inside],
        grade,
        rows.line[first],
    )
    return _Judged(gold, rows, order, number)


def _numbered(pair: Ints, owner: Ints, start: Ints, end: Ints, size: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The passage of each row in this order, and the first row of each passage: rows of equal spans are one."""
    offsets = np.concatenate([[0], np.cumsum(size)])
    if (size[order] == 1).all():
        at = offsets[order]
        _, first, number = np.unique(
            np.stack([pair[order], start[at], end[at]]), axis=1, return_index=True, return_inverse=True
        )
        in_order = np.argsort(first)
        place = np.empty(len(first), np.int64)
        place[in_order] = np.arange(len(first))
        return place[number.reshape(-1)], order[first[in_order]]
    numbers: dict[tuple[Any, ...], int] = {}
    edges = list(zip(start.tolist(), end.tolist(), strict=True))
    passage, firsts = [], []
    for row, of_pair in zip(order.tolist(), pair[order].tolist(), strict=True):
        key = of_pair, *edges[offsets[row] : offsets[row + 1]]
        if key not in numbers:
            firsts.append(row)
        passage.append(numbers.setdefault(key, len(numbers)))
    return np.array(passage, np.int64), np.array(firsts, np.int64)


def _nuggets(judgements: Judgements, judged: _Judged) -> Nuggets:
    """Nuggets by name; a passage that names none is one of its own."""
    assessments = judgements.assessments
    gold, number, rows, order = judged.gold, judged.passage, judged.rows, judged.order
    if (rows.nugget == NONE).all() and (rows.set == NONE).all():
        each, none = np.arange(len(gold)), empty_ints()
        return Nuggets(gold.offsets, gold.grade, [""] * len(gold), each, each, none, none, none, ())
    query = np.repeat(np.arange(len(judgements.queries)), np.diff(gold.offsets))
    is_named = rows.nugget[order] != NONE
    names_one = np.zeros(len(gold), np.bool_)
    names_one[number[is_named]] = True
    keys: dict[tuple[int, int, int], int] = {}
    links: dict[tuple[int, int], None] = {}
    grades: dict[int, int] = {}
    of_passage: list[list[int]] = [[] for _ in range(len(gold))]
    entries = zip(
        number.tolist(), rows.nugget[order].tolist(), rows.set[order].tolist(), rows.grade[order].tolist(), strict=True
    )
    in_sets: list[tuple[int, int, int]] = []  # passage, nugget or NONE, set
    for passage, nugget, of_set, grade in entries:
        if nugget != NONE or not names_one[passage]:
            own = passage if nugget == NONE else NONE
            code = keys.setdefault((int(query[passage]), nugget, own), len(keys))
            if (passage, code) not in links:
                links[passage, code] = None
                of_passage[passage].append(code)
            grades[code] = max(grades.get(code, grade), grade)
        else:
            code = NONE
        if of_set != NONE:
            in_sets.append((passage, code, of_set))
    sets: dict[tuple[int, int], int] = {}
    members: dict[tuple[int, int], None] = {}
    for passage, code, of_set in in_sets:
        number_of_set = sets.setdefault((int(query[passage]), of_set), len(sets))
        for nugget in of_passage[passage] if code == NONE else [code]:
            members[number_of_set, nugget] = None
    link, member = (np.array(list(pairs), np.int64).reshape(-1, 2) for pairs in (links, members))
    nugget_query = np.array([key[0] for key in keys], np.int64)  # ascending, because passages are in this order
    return Nuggets(
        np.searchsorted(nugget_query, np.arange(len(judgements.queries) + 1)),
        np.array([grades[code] for code in range(len(keys))], np.int64),
        ["" if nugget == NONE else assessments.nuggets[nugget] for _, nugget, _ in keys],
        link[:, 0],
        link[:, 1],
        member[:, 0],
        member[:, 1],
        np.array([of_query for of_query, _ in sets], np.int64),
        [assessments.sets[of_set] for _, of_set in sets],
    )


# ---- rows of the assessments ----------------------------------------------------------------------------------


def _joined(tables: Sequence[_Rows]) -> _Rows:
    before = np.cumsum([0, *(len(table.pair) for table in tables)]).tolist()
    owner = np.concatenate([table.owner + first for table, first in zip(tables, before, strict=False)])
    names = ("pair", "line", "grade", "nugget", "set", "start", "end")
    columns = {name: np.concatenate([getattr(table, name) for table in tables]) for name in names}
    return _Rows(owner=owner, **columns)


def _grades(grade: Ints) -> Ints:
    return np.where(grade == NO_GRADE, 1, grade)


def _spans(judgements: Judgements) -> _Rows:
    spans = judgements.assessments.spans
    used = np.flatnonzero(judgements.is_used(spans) & spans.highlighted)
    _, first, owner = np.unique(spans.passage[used], return_index=True, return_inverse=True)
    rows = used[first]
    return _Rows(
        judgements.pairs_of_rows(spans, rows),
        spans.lines[rows],
        _grades(spans.grade[rows]),
        spans.nugget[rows],
        spans.set[rows],
        owner.reshape(-1),
        spans.start[used],
        spans.end[used],
    )


def _located(judgements: Judgements) -> _Rows:
    """Passages given as paths; without a collection they have no characters."""
    passages = judgements.assessments.passages
    rows = np.flatnonzero(judgements.is_used(passages) & passages.highlighted)
    none = empty_ints()
    owner, start, end = none, none, none
    if judgements.collection is not None:
        owner = np.arange(len(rows))
        start, end = passages_of(judgements.assessments, rows, judgements.collection)
    return _Rows(
        judgements.pairs_of_rows(passages, rows),
        passages.lines[rows],
        _grades(passages.grade[rows]),
        passages.nugget[rows],
        passages.set[rows],
        owner,
        start,
        end,
    )


def _trees(judgements: Judgements) -> _Rows:
    trees = judgements.assessments.trees
    positive = ~(trees.exhaustivity <= 0) & ~(trees.specificity <= 0) & is_relevant(trees.grade)
    rows = np.flatnonzero(judgements.is_used(trees) & positive)
    paths = [trees.paths[row] for row in rows.tolist()]
    return _of_paths(judgements, trees, rows, paths, _grades(trees.grade[rows]))


def _elements(judgements: Judgements) -> _Rows:
    elements = judgements.assessments.elements
    positive = (elements.exhaustivity > 0) & (elements.specificity > 0)
    rows = np.flatnonzero(judgements.is_used(elements) & positive)
    paths = [(elements.path[row],) for row in rows.tolist()]
    return _of_paths(judgements, elements, rows, paths, np.ones(len(rows), np.int64))


def _of_paths(judgements: Judgements, table: Any, rows: Ints, paths: Sequence[tuple[str, ...]], grade: Ints) -> _Rows:
    pieces: list[tuple[int, int, int]] = []
    collection, source = judgements.collection, judgements.assessments.source
    for place, row in enumerate(rows.tolist() if collection is not None else ()):
        doc = judgements.assessments.docs[int(table.doc[row])]
        document = None if collection is None or doc not in collection else collection[doc]
        for path in paths[place]:
            if document is not None:
                try:
                    pieces.append((place, *document.span(*path.split())))
                except PathError as error:
                    raise source.error(error.text, line=int(table.lines[row])) from None
    owner, start, end = np.array(pieces, np.int64).reshape(-1, 3).T
    pair = judgements.pairs_of_rows(table, rows)
    return _Rows(pair, table.lines[rows], grade, table.nugget[rows], table.set[rows], owner, start, end)
