"""The queries of a report as the page unpacks them: documents, ranked lists, relevant parts and passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.listing import GoldPassages, JudgedDocument
from partwise.model import Ints, empty_ints
from partwise.report.content import WITHOUT_TEXTS, Texts
from partwise.report.lists import NOT_PLACED, Lists
from partwise.report.packing import Columns, packed
from partwise.report.trees import STATUS_NAMES


class Pages:
    """A page per query; documents are numbered query by query, those with relevant text first."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self._rows, self._totals, self._spans, self._parts, self._shown = lists.sorted()
        rows = dict(self._rows.columns)
        self._worth, self._path, self._doc = lists.worth(self._rows.order), lists.path(self._rows.order), rows["doc"]
        self._leading: list[int] = []
        """At most so many documents of each query are named in what is not a column of results."""
        self._offsets, self._docs, rows["doc"] = self._numbered()
        rows["rank"] = _gaps(self._rank, self._rows.counts)
        is_named = np.zeros(len(lists.docs), np.bool_)
        is_named[self._docs] = True
        self._names = [lists.docs[doc] for doc in np.flatnonzero(is_named).tolist()]
        """The documents of all queries, by their number in the whole report."""
        self._name = (np.cumsum(is_named) - 1)[self._docs]
        stored = {
            "rows": (rows, self._rows.offsets),
            "spans": (self._spans.columns, self._spans.offsets),
            "parts": (self._parts.columns, self._parts.offsets),
            "shown": (self._shown.columns, self._shown.offsets),
            "docs": ({"name": self._name}, self._offsets),
        }
        self._tables = {name: (Columns(columns), offsets) for name, (columns, offsets) in stored.items()}

    def __len__(self) -> int:
        return len(self.lists.queries)

    @property
    def _rank(self) -> Ints:
        rank: Ints = self._rows.columns["rank"].astype(np.int64)
        return rank

    def _numbered(self) -> tuple[Ints, Ints, Ints]:
        """Where the documents of each query begin, all documents, and the number of each row's in its query."""
        lists = self.lists
        leading: list[int] = []
        before = [0]
        for query, judged in enumerate(lists.judged):
            leading += [one.doc for one in judged if one.passages]
            leading += [] if lists.gold is None else lists.gold[query].doc
            leading += [lists.numbers[doc] for of_kind in lists.targets.values() for doc, _ in of_kind.get(query, ())]
            before.append(len(leading))
        self._leading = np.diff(before).tolist()
        rows, counts = self._rows.offsets, np.diff(self._rows.offsets)
        offsets = rows + before
        place = np.arange(rows[-1]) + np.repeat(before[1:], counts)
        doc = np.empty(offsets[-1], np.int64)
        doc[np.arange(len(leading)) + np.repeat(rows[:-1], self._leading)] = leading
        doc[place] = self._doc
        number, first = kernels.first_of_each(doc, offsets)
        begin = np.searchsorted(first, offsets)
        return begin, doc[first], number[place] - np.repeat(begin[:-1], counts)

    def layout(self) -> dict[str, Any]:
        """What all queries have in common: their columns, and words for numbers."""
        return {
            **{name: columns.layout for name, (columns, _) in self._tables.items()},
            "notPlaced": list(NOT_PLACED.values()),
            "statuses": STATUS_NAMES,
            "kinds": self.lists.kinds,
            "why": WITHOUT_TEXTS[1] if self.lists.texts.collection is None else "",
        }

    @property
    def name_sizes(self) -> Ints:
        """About how many bytes the name of each document takes."""
        return np.array([len(name) + 3 for name in self._names], np.int64)

    def named(self, query: int) -> Ints:
        """The numbers of the documents of a query in the whole report."""
        return self._name[self._offsets[query] : self._offsets[query + 1]]

    def packed_names(self, queries: Iterable[int]) -> bytes:
        """The names of the documents of these queries, by their number; empty texts for others."""
        is_needed = np.zeros(len(self._names), np.bool_)
        for query in queries:
            is_needed[self.named(query)] = True
        return packed([name if needed else "" for name, needed in zip(self._names, is_needed.tolist(), strict=True)])

    def docs(self, query: int) -> list[str]:
        """The documents of a query, by their number."""
        return [self.lists.docs[doc] for doc in self._of(query)]

    def _of(self, query: int) -> list[int]:
        of_query: list[int] = self._docs[self._offsets[query] : self._offsets[query + 1]].tolist()
        return of_query

    def by_importance(self, queries: Iterable[int]) -> list[str]:
        """The documents of some queries: first those with relevant text, then the others by their best rank."""
        chosen, lists = list(queries), self.lists
        relevant = dict.fromkeys(one.doc for query in chosen for one in lists.judged[query] if one.passages)
        inside = [slice(*self._rows.offsets[query : query + 2].tolist()) for query in chosen]
        doc = np.concatenate([empty_ints(), *(self._doc[rows] for rows in inside)])
        rank = np.concatenate([empty_ints(), *(self._rank[rows] for rows in inside)])
        number, first = kernels.first_of_each(doc, np.array([0, len(doc)]))
        best = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(best, number, rank)
        others = doc[first][np.argsort(best, kind="stable")].tolist()
        return [lists.docs[one] for one in dict.fromkeys([*relevant, *others])]

    def packed(self, query: int) -> bytes:
        columns = [columns.rows(*offsets[query : query + 2].tolist()) for columns, offsets in self._tables.values()]
        return packed(self._content(query), b"".join(columns))

    def _content(self, query: int) -> dict[str, Any]:
        """What is not a column of numbers."""
        lists, texts = self.lists, self.lists.texts
        docs, judged = self._of(query), lists.judged[query]
        # those with relevant text are the first; the numbers of others are needed only sometimes
        are_first = query not in lists.trees and all(one.passages for one in judged)
        number = {doc: i for i, doc in enumerate(docs[: self._leading[query]] if are_first else docs)}
        content: dict[str, Any] = {
            "docs": _documents(docs, number, lists.docs, judged, texts),
            "totals": _shortened(self._totals[:, query]),
            "kept": _shortened(self._rows.counts[:, query]),
            "parts": _shortened(self._parts.counts[:, query]),
            "targets": {
                kind: [[number[lists.numbers[doc]] for doc, _ in of_query], [part for _, part in of_query]]
                for kind, of_kind in lists.targets.items()
                if (of_query := of_kind.get(query))
            },
        }
        inside = slice(*self._rows.offsets[query : query + 2].tolist())
        if self._worth is not None:
            content["worth"] = [None if np.isnan(one) else round(one, 4) for one in self._worth[inside].tolist()]
        if self._path is not None:
            content["path"] = self._path[inside].tolist()
        if query in lists.trees:
            of_run = lists.trees[query]
            content["trees"] = [
                {str(number[lists.numbers[doc]]): tree for doc, tree in of_run.get(run, {}).items()}
                for run in range(len(lists.kinds))
            ]
        if lists.gold is not None:
            content |= _gold(lists.gold[query], number, lists.docs, texts)
            content["shown"] = _shortened(self._shown.counts[:, query])
        return content


def _gaps(rank: Ints, counts: Ints) -> Ints:
    """How many results are left out before each of those that are kept."""
    of_list = counts.T.ravel()
    before = np.concatenate([[0], rank[:-1]])[: len(rank)]
    before[(np.cumsum(of_list) - of_list)[of_list > 0]] = 0
    gaps: Ints = rank - before - 1
    return gaps


def _shortened(counts: Ints) -> int | list[int]:
    """A number for each run, or one for all."""
    numbers: list[int] = counts.tolist()
    return numbers[0] if len(set(numbers)) == 1 else numbers


def _documents(
    docs: Sequence[int], number: dict[int, int], names: Sequence[str], judged: Sequence[JudgedDocument], texts: Texts
) -> dict[str, Any]:
    """Their number, and columns of documents; those after the last that differs from what is usual are left out."""
    here = [(number[one.doc], one) for one in judged if one.doc in number]
    count = len(docs) if texts.collection is not None else max((i + 1 for i, _ in here), default=0)
    length: list[int | None] = [None] * count
    bep: list[int | None] = [None] * count
    is_judged, in_text = [False] * count, [False] * count
    passages: list[list[list[int]]] = [[]] * count
    text: list[int | None] = [None] * count
    why = [""] * count
    if texts.collection is not None:
        for i, doc in enumerate(docs):
            name = names[doc]
            text[i], why[i] = texts.number_of(name)
            length[i] = texts.length_of(name)
            in_text[i] = texts.document(name) is not None
    for i, one in here:
        name = names[one.doc]
        is_judged[i] = True
        length[i] = length[i] if one.length is None else one.length
        bep[i] = None if one.bep is None else texts.positions(name, [one.bep])[0]
        passages[i] = [texts.positions(name, span) for span in one.passages]
    length = [None if of is None else texts.positions(names[docs[i]], [of])[0] for i, of in enumerate(length)]
    return {
        "count": len(docs),
        "length": _trimmed(length, None),
        "bep": _trimmed(bep, None),
        "judged": _trimmed(is_judged, False),
        "inText": _trimmed(in_text, False),
        "passages": _trimmed(passages, []),
        "text": _trimmed(text, None),
        "why": _trimmed(why, ""),
    }


def _trimmed(values: list[Any], usual: Any) -> list[Any]:
    count = len(values)
    while count and values[count - 1] == usual:
        count -= 1
    return values[:count]


def _gold(gold: GoldPassages, number: dict[int, int], names: Sequence[str], texts: Texts) -> dict[str, Any]:
    """The document and spans of each gold passage, and the nuggets."""
    places = zip(gold.doc, gold.spans, strict=True)
    return {
        "gold": [[number[doc], texts.positions(names[doc], spans)] for doc, spans in places],
        "nuggets": gold.nuggets,
    }
