"""What measures read: tables computed once per batch and shared.

A *key* names a table and its parameters, says what it requires of the assessments, and builds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from partwise.resolve import Batch

HIGHLIGHTS = "highlights"
BEPS = "beps"
COLLECTION = "collection"


class Key(ABC):
    """The name of a table: equal keys are one table."""

    requires: ClassVar[tuple[str, ...]] = ()

    def required(self) -> tuple[str, ...]:
        """What the inputs must have for this table."""
        return self.requires

    @abstractmethod
    def build(self, batch: Batch, tables: Tables) -> Any: ...


class Tables:
    """The tables of one batch, each built when it is first asked for."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.notes: list[str] = []
        self._built: dict[Key, Any] = {}

    def get(self, key: Key) -> Any:
        if key not in self._built:
            self._built[key] = key.build(self.batch, self)
        return self._built[key]
