"""Queries with nothing relevant, and whether a run answers them."""

from __future__ import annotations

import numpy as np

from partwise.model import Bools, Ints
from partwise.records import record
from partwise.resolving import Batch
from partwise.tables import Key, Tables


@record()
class Answered(Key):
    """The number of results of each query."""

    def build(self, batch: Batch, tables: Tables) -> AnsweredTable:
        return AnsweredTable(~batch.judgements.has_relevant[batch.queries], np.diff(batch.offsets))


@record(eq=False, repr=False)
class AnsweredTable:
    scored: Bools
    """Queries with nothing relevant."""
    results: Ints
