"""The diagnosis of a run once more: sets of characters, and every choice of chunks is tried."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Span = tuple[str, int, int]
Chars = frozenset[tuple[str, int]]


def chars(span: Span) -> Chars:
    doc, start, end = span
    return frozenset((doc, at) for at in range(start, end))


def union(spans: Sequence[Span]) -> Chars:
    return frozenset().union(*map(chars, spans))


def passages(gold: Sequence[Span]) -> list[Span]:
    """Overlapping passages as one, in order; those that only touch stay two, and empty ones vanish."""
    merged: list[Span] = []
    for doc, start, end in sorted(span for span in gold if span[1] < span[2]):
        if merged and merged[-1][0] == doc and start < merged[-1][2]:
            merged[-1] = (doc, merged[-1][1], max(end, merged[-1][2]))
        else:
            merged.append((doc, start, end))
    return merged


@dataclass
class Query:
    """A query: its gold, the results in rank order, and all chunks. A limit is of results, or of characters."""

    gold: list[Span]
    results: list[Span]
    chunks: list[Span]
    limit: int
    by_size: bool

    def cost(self, spans: Sequence[Span]) -> int:
        return sum(end - start for _, start, end in spans) if self.by_size else len(spans)

    @property
    def relevant(self) -> Chars:
        return union(self.gold)

    def best(self) -> int:
        """The most relevant characters of any chunks within the limit."""
        chunks = list(set(self.chunks))
        choices = (choice for n in range(len(chunks) + 1) for choice in itertools.combinations(chunks, n))
        return max(len(union(choice) & self.relevant) for choice in choices if self.cost(choice) <= self.limit)

    @property
    def read(self) -> int:
        """The number of results that are read: whole ones, up to the first that does not fit."""
        n = 0
        while n < len(self.results) and self.cost(self.results[: n + 1]) <= self.limit:
            n += 1
        return n

    def shown(self) -> int:
        return len(union(self.results[: self.read]) & self.relevant)

    def omega(self) -> Fraction:
        """Intersection over union of the relevant text and all chunks that share some of it."""
        text = union([chunk for chunk in self.chunks if chars(chunk) & self.relevant])
        return Fraction(len(text & self.relevant), len(text | self.relevant))

    def without_duplicates(self) -> list[int]:
        """The ranks, from 0, of results that show a character that none before them shows, or that are empty."""
        ranks = range(len(self.results))
        seen = [union(self.results[:rank]) for rank in ranks]
        return [rank for rank in ranks if not chars(self.results[rank]) or chars(self.results[rank]) - seen[rank]]

    def failures(self, with_chunks: bool) -> list[tuple[Span, str, bool, int, int]]:
        """Passage, kind, whether it is cut, lost characters, and the first rank that shows some of them (or 0)."""
        rows = []
        for passage in passages(self.gold):
            lost = chars(passage) - union(self.results[: self.read])
            if not lost:
                continue
            later = [rank for rank in range(self.read, len(self.results)) if chars(self.results[rank]) & lost]
            shared = [chunk for chunk in self.chunks if chars(chunk) & chars(passage)]
            is_cut = bool(shared) and not any(chars(passage) <= chars(chunk) for chunk in shared)
            kept = self.without_duplicates()
            within = [rank for rank in kept if self.cost([self.results[r] for r in kept if r <= rank]) <= self.limit]
            if set(later) & set(within):
                kind = "crowded_out"
            elif later:
                kind = "below"
            elif with_chunks and not shared:
                kind = "not_chunked"
            elif passage[0] not in {doc for doc, _, _ in self.results}:
                kind = "never_retrieved"
            else:
                kind = "passed_over"
            rows.append((passage, kind, is_cut, len(lost), later[0] + 1 if later else 0))
        return rows
