"""Models of observed behaviour: learned from routes, or given in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from partwise.model import NONE, Floats, Ints
from partwise.navigation.base import Links, Navigation, Places, Question
from partwise.navigation.files import NavigationGraph, StepKey, probabilities_in, routes_in
from partwise.navigation.structure import partition
from partwise.parameters import Param
from partwise.types import GROUPINGS

if TYPE_CHECKING:
    from partwise.collection import Collection, Forest


class Lookup:
    """Numbers by document, origin and target, with sorted keys so that whole columns are looked up at once."""

    def __init__(self, values: Mapping[StepKey, float], stops: Mapping[str, int], docs: Mapping[str, int]) -> None:
        self.count = len(stops) + 1
        keys = [
            self._key(0 if doc is None else docs[doc], stops[start], stops.get(end, len(stops)))
            for doc, start, end in values
        ]
        order = np.argsort(np.array(keys, np.int64))
        self.keys = np.array(keys, np.int64)[order]
        self.values = np.array(list(values.values()), np.float64)[order]

    def _key(self, doc: int, start: int, end: int) -> int:
        return (doc * self.count + start) * self.count + end

    def find(self, doc: Ints, start: Ints, end: Ints) -> Floats:
        """The numbers of these steps, NaN for unknown ones; a stop or document of -1 is unknown."""
        values = np.full(len(start), np.nan)
        if not len(self.keys):
            return values
        valid = np.flatnonzero((doc >= 0) & (start >= 0) & (end >= 0))
        keys = (doc[valid] * self.count + start[valid]) * self.count + end[valid]
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_key = self.keys[at] == keys
        values[valid[is_key]] = self.values[at[is_key]]
        return values


class _Observed(Navigation):
    """A model that looks up steps between elements or their partitions."""

    needs_nodes = True
    takes_queries_together = True

    def __init__(self, by: str | None, steps: Mapping[StepKey, float], normalise: bool) -> None:
        super().__init__(normalise=normalise)
        self.by = by
        self.stops: dict[str, int] = {}
        self.docs: dict[str, int] = {}
        for doc, start, end in steps:
            self.stops.setdefault(start, len(self.stops))
            self.stops.setdefault(end, len(self.stops))
            if doc is not None:
                self.docs.setdefault(doc, len(self.docs) + 1)
        self.steps = Lookup(steps, self.stops, self.docs)

    def stop_codes(self, question: Question, places: Places) -> Ints:
        """The code of each place's stop, -1 if no step has it."""

        def codes(forest: Forest) -> Ints:
            of_node = forest.paths if self.by is None else partition(forest, self.by)
            return np.array([self.stops.get(name, NONE) for name in of_node.names], np.int64)[of_node.codes]

        stops: Ints = question.column(places, codes, NONE)
        return stops

    def doc_codes(self, question: Question) -> Ints:
        """The code of each document, -1 if no step has it."""
        trees = question.trees
        codes = np.array([*(self.docs.get(doc_id, NONE) for doc_id in trees.forest.doc_ids), NONE], np.int64)
        return codes[trees.tree]  # a document without a tree has the last

    def coded_pairs(self, question: Question) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Pairs of elements: origin, target, and the codes of their document and stops."""
        origin, target = question.elements
        start, end = self.stop_codes(question, question.origins), self.stop_codes(question, question.targets)
        doc = self.doc_codes(question)[question.origins.document]
        return origin, target, doc[origin], start[origin], end[target]


class Walks(_Observed):
    """P(to | from) = steps from -> to / all steps that leave from."""

    def __init__(self, steps: NavigationGraph, normalise: bool = False) -> None:
        super().__init__(steps.by, steps.weight, normalise)
        leaving: dict[StepKey, float] = {}
        for (doc, start, _), weight in steps.weight.items():
            leaving[doc, start, ""] = leaving.get((doc, start, ""), 0.0) + weight
        self.leaving = Lookup(leaving, self.stops, self.docs)

    def probabilities(self, question: Question) -> Links:
        origin, target, doc, start, end = self.coded_pairs(question)
        everywhere, anywhere = np.zeros(len(doc), np.int64), np.full(len(doc), len(self.stops))

        def total(lookup: Lookup, to: Ints) -> Floats:
            in_all: Floats = np.nan_to_num(lookup.find(everywhere, start, to))
            return in_all + np.nan_to_num(lookup.find(doc, start, to))

        steps, leaving = total(self.steps, end), total(self.leaving, anywhere)
        return Links(origin, target, np.divide(steps, leaving, out=np.zeros(len(steps)), where=leaving > 0))


class Written(_Observed):
    """P(to | from) as in a table; a row for one document takes precedence over one for all."""

    def probabilities(self, question: Question) -> Links:
        origin, target, doc, start, end = self.coded_pairs(question)
        own, common = self.steps.find(doc, start, end), self.steps.find(np.zeros(len(doc), np.int64), start, end)
        return Links(origin, target, np.nan_to_num(np.where(np.isnan(own), common, own)))


class routes(Navigation):
    """Users go where users were observed to go: P(to | from) = steps from -> to / all steps that leave from.

    Steps are counted between elements, or between their tags or label paths, which several elements may share.
    """

    needs_nodes = True
    file: Param[str] = Param(str, example="routes.jsonl", help="the observed routes")
    by: Param[str | None] = Param(
        str, default=None, choices=GROUPINGS, help="how elements are grouped; by default they are not"
    )
    abandon: Param[bool] = Param(bool, default=False, help="whether a route's last stop is a step to itself")

    def ready(self, collection: Collection | None) -> Navigation:
        return Walks(routes_in(self.file, self.by, self.abandon), self.normalise)

    def probabilities(self, question: Question) -> Links:
        return self.ready(None).probabilities(question)


class table(Navigation):
    """Users follow a table: probabilities for pairs of element paths."""

    needs_nodes = True
    file: Param[str] = Param(str, example="table.csv", help="columns from, to, probability and optionally doc_id")

    def ready(self, collection: Collection | None) -> Navigation:
        return Written(None, probabilities_in(self.file), self.normalise)

    def probabilities(self, question: Question) -> Links:
        return self.ready(None).probabilities(question)
