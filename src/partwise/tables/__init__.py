"""What measures read: tables computed once per batch and shared.

A *key* names a table and its parameters, says what it requires of the assessments, and builds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from partwise import kernels, later
from partwise.model import Bools, Floats, Ints
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


class Key(ABC):
    """The name of a table: equal keys are one table."""

    requires: ClassVar[tuple[str, ...]] = ()

    def required(self) -> tuple[str, ...]:
        """What the inputs must have for this table."""
        return self.requires

    def only_elements(self) -> bool:
        """Whether a result that is no element can bring nothing here."""
        return False

    @abstractmethod
    def build(self, batch: Batch, tables: Tables) -> Any: ...


IN_RELEVANT = "in relevant documents"
ELEMENTS_THERE = "elements in relevant documents"
"""How many results are in relevant documents, and how many of these are elements: odd if nearly none is."""


class Facts:
    """What a measure may have to know of the assessments to fill in a default that depends on them."""

    def __init__(self, judgements: Judgements) -> None:
        self.judgements = judgements

    def quantisation(self, name: str | None) -> str:
        """The quantisation asked for, or that of the scale; one that does not fit the scale is an error."""
        later.gain.check_scale(self.judgements)
        scale = self.judgements.scale or ""
        name = later.quantise.default_quantisation(scale) if name is None else name
        later.quantise.check_quantisation(name, scale)
        return name

    def relevant_kind(self, given: str | None) -> str:
        """What is relevant: as asked for, else elements where there is a collection or nothing else, else passages."""
        judged = self.judgements
        only_elements = not judged.has_highlights and (judged.has_grades or len(judged.tree_pair) > 0)
        targets = later.targets
        kind = given or (targets.ELEMENTS if judged.collection is not None or only_elements else targets.PASSAGES)
        if kind == targets.ELEMENTS:
            later.gain.check_scale(judged)
            targets.check_trees(judged)
        return kind

    def navigation(self, nav: Navigation | str, kind: str, parameter: str) -> Navigation:
        """The model asked for (or the default of this name), checked: it is known, readable, and fits the parts."""
        model = later.navigation.Navigation.made_from(nav)
        return later.links.checked_navigation(self.judgements, model, kind, parameter)


class Tables:
    """The tables of one batch, each built when it is first asked for."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.counted: Counter[str] = Counter()
        """What is odd about the batch, by name."""
        self._built: dict[Key, Any] = {}

    def get(self, key: Key) -> Any:
        if key not in self._built:
            self._built[key] = key.build(self.batch, self)
        return self._built[key]

    def count_elements(self, are_elements: Bools) -> None:
        """Keep how many results in relevant documents are elements; every table that looks finds the same."""
        self.counted[IN_RELEVANT] = len(are_elements)
        self.counted[ELEMENTS_THERE] = int(are_elements.sum())


def ratio(part: Any, whole: Any) -> Floats:
    """Part by whole, 0 where both are 0."""
    whole = np.asarray(whole, np.float64)
    result: Floats = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole != 0)
    return result


def sums(values: Any, offsets: Ints, cutoff: int | None) -> Any:
    """The sum of the first `cutoff` values of each query; no query's sum depends on another's values."""
    return kernels.segment_sums(values, offsets[:-1], ends(offsets, cutoff))


def ends(offsets: Ints, cutoff: int | None) -> Ints:
    """For each query, the row behind the last one that counts."""
    return offsets[1:] if cutoff is None else np.minimum(offsets[1:], offsets[:-1] + cutoff)


def best_at_levels(
    values: Floats, reached: Floats, whole: Floats, offsets: Ints, levels: Sequence[float], depth: int
) -> Floats:
    """Per query and level, the best value of the first `depth` rows at which `reached` is that share of the whole.

    `reached` need not rise from row to row; a level counts as reached from 1e-9 below it.
    """
    best = np.zeros((len(whole), len(levels)))
    for query, end in enumerate(ends(offsets, depth).tolist()):
        rows = slice(int(offsets[query]), end)
        order = np.argsort(reached[rows])
        top = np.append(np.maximum.accumulate(values[rows][order][::-1])[::-1], 0.0)
        best[query] = top[np.searchsorted(reached[rows][order], np.multiply(levels, whole[query]) - 1e-9)]
    return best
