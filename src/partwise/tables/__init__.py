"""Tables that measures read, computed once per batch and shared.

A *key* identifies a table and its parameters, lists what the table requires of the inputs, and builds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from partwise import kernels, later
from partwise.kernels import exact_sum as exact_sum
from partwise.model import Bools, Floats, Ints
from partwise.records import record
from partwise.resolving import Batch, Judgements

if TYPE_CHECKING:
    from partwise.navigation import Navigation

HIGHLIGHTS = "highlights"
BEPS = "beps"
LENGTHS = "lengths"
COLLECTION = "collection"
GRADES = "grades"
PARTS = "parts"
"""Highlighted passages, graded elements or relevant trees."""
GOLD = "gold"
"""Passages that results can find."""


LONGEST = "longest result"
"""The number of characters of the longest result of a run, from which a note is made."""


class Key(ABC):
    """The identity of a table: equal keys share one table."""

    requires: ClassVar[tuple[str, ...]] = ()

    def required(self) -> tuple[str, ...]:
        """The inputs that this table requires."""
        return self.requires

    def only_elements(self) -> bool:
        """Whether only results that are elements count in this table."""
        return False

    @abstractmethod
    def build(self, batch: Batch, tables: Tables) -> Any: ...


@record()
class Condensed(Key):
    """A table of the results in judged documents alone."""

    key: Key

    def required(self) -> tuple[str, ...]:
        return self.key.required()

    def build(self, batch: Batch, tables: Tables) -> Any:
        return tables.condensed.get(self.key)


IN_RELEVANT = "in relevant documents"
ELEMENTS_IN_RELEVANT = "elements in relevant documents"
"""Counts of the results in relevant documents and of the elements among them; a note warns if they are too few."""


class Facts:
    """The facts about the assessments that measures need for defaults that depend on them."""

    def __init__(self, judgements: Judgements) -> None:
        self.judgements = judgements

    def quantisation(self, name: str | None) -> str:
        """The requested quantisation, or the default of the scale; an error if it does not fit the scale."""
        later.grades.check_scale(self.judgements)
        scale = self.judgements.scale or ""
        name = later.quantise.default_quantisation(scale) if name is None else name
        later.quantise.check_quantisation(name, scale)
        return name

    def relevant_kind(self, requested: str | None) -> str:
        """The kind of relevant parts: as requested, else elements if there is a collection or nothing but elements
        (or trees) is judged, else passages."""
        judged = self.judgements
        only_elements = not judged.has_highlights and (judged.has_grades or len(judged.tree_pair) > 0)
        targets = later.targets
        kind = requested or (targets.ELEMENTS if judged.collection is not None or only_elements else targets.PASSAGES)
        if kind == targets.ELEMENTS:
            later.grades.check_scale(judged)
            targets.check_trees(judged)
        return kind

    def navigation(self, nav: Navigation | str, kind: str, parameter: str) -> Navigation:
        """The navigation model, checked: it exists, its files can be read, and it fits the kind of parts."""
        model = later.navigation.Navigation.from_value(nav)
        return later.links.checked_navigation(self.judgements, model, kind, parameter)


class Tables:
    """The tables of one batch, each built on first use."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.counts: Counter[str] = Counter()
        """Counts for the notes about the run, by name."""
        self._built: dict[Key, Any] = {}
        self._known: dict[int, tuple[Key, Any]] = {}

    def get(self, key: Key) -> Any:
        known = self._known.get(id(key))  # without its hash, which takes longer than a table of a few rows
        if known is not None:
            return known[1]
        table = self._built.get(key)
        if table is None:
            table = self._built[key] = key.build(self.batch, self)
        self._known[id(key)] = key, table  # while the key is held here, no other has its number
        return table

    @cached_property
    def condensed(self) -> Tables:
        """The tables of the results in judged documents alone."""
        return Tables(self.batch.take(self.batch.judged_rows))

    def count_elements(self, are_elements: Bools) -> None:
        """Set the number of results in relevant documents and of the elements among them (the same in all tables)."""
        self.counts[IN_RELEVANT] = len(are_elements)
        self.counts[ELEMENTS_IN_RELEVANT] = int(are_elements.sum())


def ratio(part: Any, whole: Any) -> Floats:
    """Part divided by whole, 0 where the whole is 0."""
    return kernels.ratios(part, whole)


def chosen_values(values: Any, is_chosen: Any) -> tuple[Floats, bool]:
    """Some of the values, one per query, and whether one of these is NaN."""
    chosen = kernels.chosen_values(values, is_chosen)
    if chosen is not None:
        return chosen
    others: Floats = values[is_chosen]  # a measure of a user may return another type
    return others, bool(np.isnan(others).any())


def f_measure(precision: Floats, recall: Floats, beta: float) -> Floats:
    """The weighted harmonic mean, 0 where both are 0."""
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def sums(values: Any, offsets: Ints, cutoff: int | None) -> Any:
    """The sum of the first `cutoff` values of each query; rounding in one query never depends on another."""
    return kernels.first_sums(values, offsets, cutoff)


def ends(offsets: Ints, cutoff: int | None) -> Ints:
    """For each query, the row after the last one that counts."""
    return offsets[1:] if cutoff is None else np.minimum(offsets[1:], offsets[:-1] + cutoff)


def best_at_levels(
    values: Floats, reached: Floats, whole: Floats, offsets: Ints, levels: Sequence[float], depth: int
) -> Floats:
    """Per query and level, the best of the first `depth` values at which `reached` is at least this share of `whole`.

    `reached` need not increase from row to row; a level counts as reached from 1e-9 below it.
    """
    best = np.zeros((len(whole), len(levels)))
    for query, end in enumerate(ends(offsets, depth).tolist()):
        rows = slice(int(offsets[query]), end)
        order = np.argsort(reached[rows])
        top = np.append(np.maximum.accumulate(values[rows][order][::-1])[::-1], 0.0)
        best[query] = top[np.searchsorted(reached[rows][order], np.multiply(levels, whole[query]) - 1e-9)]
    return best
