"""What measures read: tables computed once per batch and shared.

A *key* names a table and its parameters, says what it requires of the assessments, and builds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import Any, ClassVar

import numpy as np

from partwise import kernels
from partwise.model import Floats, Ints
from partwise.resolve import Batch, Judgements

HIGHLIGHTS = "highlights"
BEPS = "beps"
LENGTHS = "lengths"
COLLECTION = "collection"
GRADES = "grades"


class Key(ABC):
    """The name of a table: equal keys are one table."""

    requires: ClassVar[tuple[str, ...]] = ()

    def required(self) -> tuple[str, ...]:
        """What the inputs must have for this table."""
        return self.requires

    @abstractmethod
    def build(self, batch: Batch, tables: Tables) -> Any: ...


class Facts:
    """What a measure may have to know of the assessments to fill in a default that depends on them."""

    def __init__(self, judgements: Judgements) -> None:
        self.judgements = judgements

    def quantisation(self, name: str | None) -> str:
        """The quantisation asked for, or that of the scale; one that does not fit the scale is an error."""
        from partwise.relevance.quantise import check_quantisation, default_quantisation
        from partwise.tables.gain import check_scale

        check_scale(self.judgements)
        scale = self.judgements.scale or ""
        name = default_quantisation(scale) if name is None else name
        check_quantisation(name, scale)
        return name


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


def ratio(part: Any, whole: Any) -> Floats:
    """Part by whole, 0 where both are 0."""
    whole = np.asarray(whole, np.float64)
    result: Floats = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole != 0)
    return result


def sums(values: Any, offsets: Ints, cutoff: int | None) -> Any:
    """The sum of the first `cutoff` values of each topic; no topic's sum depends on another's values."""
    return kernels.segment_sums(values, offsets[:-1], ends(offsets, cutoff))


def ends(offsets: Ints, cutoff: int | None) -> Ints:
    """For each topic, the row behind the last one that counts."""
    return offsets[1:] if cutoff is None else np.minimum(offsets[1:], offsets[:-1] + cutoff)
