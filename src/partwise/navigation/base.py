"""What a navigation model is asked, and what it answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from partwise import kernels, later
from partwise.collection import Collection, Document
from partwise.errors import PartwiseError, shown
from partwise.model import NONE, Bools, Floats, Ints
from partwise.parameters import Call, Param, Parameterised, parse_name


@dataclass(frozen=True)
class Places:
    """Parts of documents, a row each: the number of the document, the element (-1 if it is none), and the spans.

    The spans of row i are ``start[span_offsets[i]:span_offsets[i+1]]`` (the same slice of `end`), sorted and disjoint.
    A row that is no element and has one empty span is a point: an entry.
    """

    document: Ints
    node: Ints
    span_offsets: Ints
    start: Ints
    end: Ints

    @classmethod
    def of_single_spans(cls, document: Ints, node: Ints, start: Ints, end: Ints) -> Places:
        return cls(document, node, np.arange(len(document) + 1), start, end)

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def first(self) -> Ints:
        """Where each begins."""
        return self.start[self.span_offsets[:-1]]

    @cached_property
    def size(self) -> Ints:
        """How many characters each has."""
        sizes: Ints = kernels.segment_sums(self.end - self.start, self.span_offsets[:-1], self.span_offsets[1:])
        return sizes

    def spans(self, row: int) -> Ints:
        """The spans of a row, a column each."""
        inside = slice(int(self.span_offsets[row]), int(self.span_offsets[row + 1]))
        return np.stack([self.start[inside], self.end[inside]])

    @cached_property
    def identity(self) -> list[Ints]:
        """Columns that are equal for equal parts; of several spans, only where they begin, how many and how long."""
        if (self.node != NONE).all():
            zeros = np.zeros(len(self), np.int64)
            return [self.document, self.node, zeros, zeros, zeros]
        is_text = self.node == NONE
        told = (self.first, self.size, np.diff(self.span_offsets))
        return [self.document, self.node, *(np.where(is_text, column, 0) for column in told)]

    @cached_property
    def is_point(self) -> Bools:
        found: Bools = (self.node == NONE) & (self.size == 0)
        return found


class Links(NamedTuple):
    """Sparse columns: from which origin, to which target, how likely. Pairs that are left out are never gone."""

    origin: Ints
    target: Ints
    probability: Floats


@dataclass(frozen=True)
class Question:
    """How likely do users who have an origin before them reach a target of the same document?

    `documents` and `lengths` are by the number of the document: its tree (None where there is no collection) and its
    length (-1 where it is not known).
    """

    origins: Places
    targets: Places
    documents: Sequence[Document | None]
    lengths: Ints

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of an origin and a target of the same document."""
        return kernels.pairs_of_groups(self.origins.document, self.targets.document)

    @cached_property
    def elements(self) -> tuple[Ints, Ints]:
        """All pairs of two elements of the same document."""
        origin, target = self.pairs
        both = (self.origins.node[origin] != NONE) & (self.targets.node[target] != NONE)
        return origin[both], target[both]

    def of(self, places: Places, column: Callable[[Document], Any], missing: Any) -> Any:
        """A column of the documents' elements (``lambda document: document.depth``) for each place that is one."""
        found = np.full(len(places), missing)
        order = np.argsort(places.document, kind="stable")
        bounds = np.searchsorted(places.document[order], np.arange(len(self.documents) + 1)).tolist()
        for number, document in enumerate(self.documents):
            rows = order[bounds[number] : bounds[number + 1]]
            rows = rows[places.node[rows] != NONE]
            if document is not None and len(rows):
                found[rows] = np.asarray(column(document))[places.node[rows]]
        return found

    @cached_property
    def same(self) -> tuple[Ints, Ints]:
        """The pairs that are one part: the same element, or the same characters of what is none."""
        a, b = self.origins, self.targets
        origin, target = kernels.equal_rows(a.identity, b.identity)
        several = np.flatnonzero((a.node[origin] == NONE) & (np.diff(a.span_offsets)[origin] > 1))
        if not len(several):
            return origin, target
        equal = np.ones(len(origin), np.bool_)
        for pair in several.tolist():
            equal[pair] = bool((a.spans(int(origin[pair])) == b.spans(int(target[pair]))).all())
        return origin[equal], target[equal]

    def is_same(self, origin: Ints, target: Ints) -> Bools:
        """Which of these pairs are one part."""
        count = max(len(self.targets), 1)
        found: Bools = np.isin(origin * count + target, self.same[0] * count + self.same[1])
        return found

    def to_all_elements(self) -> Question:
        """The same question to all elements of the origins' documents."""
        columns: list[tuple[Ints, Ints, Ints, Ints]] = []
        for number in np.unique(self.origins.document).tolist():
            document = self.documents[number]
            if document is not None:
                nodes = np.arange(len(document))
                columns.append((np.full(len(nodes), number), nodes, document.start, document.end))
        empty = np.empty(0, np.int64)
        joined = [np.concatenate([empty, *column]) for column in zip(*columns, strict=True)] if columns else [empty] * 4
        return Question(self.origins, Places.of_single_spans(*joined), self.documents, self.lengths)


class Navigation(Parameterised):
    """How users move within a document, from what they have before them to other parts.

    A model of one's own is a class with one method, `probabilities`; `register_navigation` makes it known by a name.
    """

    needs_nodes: bool = False
    """Whether it goes between elements only, so that a collection is needed."""
    needs_lengths: bool = False
    """Whether it has to know the lengths of documents."""
    takes_trees_whole: bool = False
    """Whether it looks at the characters of a tree together, not at its elements one by one."""
    takes_queries_together: bool = False
    """Whether an answer needs no more than its own origin, target and document, so that it may be asked about several
    queries at once; else it is asked query by query."""

    @property
    def only_from_elements(self) -> bool:
        """Whether a result that is no element leads nowhere."""
        return self.needs_nodes

    normalise: Param[bool] = Param(
        bool, default=False, help="divide by the sum over all other elements of the document (or all other targets)"
    )

    @abstractmethod
    def probabilities(self, question: Question) -> Links:
        """P(target | origin) for the pairs of the question, all at once."""

    def check(self) -> None:
        param = self.missing()
        if param is not None:
            name = type(self).__name__
            raise PartwiseError(f"{name} has no {param.name}", f"write {name}({param.name}='{param.example}')")

    def ready(self, collection: Collection | None) -> Navigation:
        """This model with all it has to know of its files and of the collection; read once, before any run."""
        return self

    @classmethod
    def family(cls) -> dict[str, type[Any]]:
        return dict(later.navigation.MODELS)

    @classmethod
    def made_from(cls, value: Any) -> Any:
        """A model from an instance, a class, a call or a name; a name that is none of ours is looked up later."""
        found = super().made_from(value)
        if found is None and isinstance(value, str):
            value = parse_name(value)
        if found is None and isinstance(value, Call) and not value.arguments and value.at is None:
            return Named(value.name)
        return found

    def links(self, question: Question) -> Links:
        """The answer to a question, checked and normalised."""
        found = self._checked(question)
        if not self.normalise:
            return found
        whole = question if (question.targets.node == NONE).all() else question.to_all_elements()
        everything = self._checked(whole)
        other = ~whole.is_same(everything.origin, everything.target)
        total = np.bincount(everything.origin[other], everything.probability[other], minlength=len(question.origins))
        share = total[found.origin]
        scaled = np.divide(found.probability, share, out=np.zeros(len(share)), where=share > 0)
        return Links(found.origin, found.target, np.minimum(scaled, 1.0))

    def _checked(self, question: Question) -> Links:
        origin, target, probability = self.probabilities(question)
        probability = np.asarray(probability, np.float64)
        if not bool(((probability >= 0) & (probability <= 1)).all()):
            raise PartwiseError(
                f"the navigation model {self.name} gives a probability outside [0, 1]", "let it give probabilities"
            )
        going = probability > 0
        return Links(np.asarray(origin)[going], np.asarray(target)[going], probability[going])


class Named(Navigation):
    """A model that a user made known by a name; which one that is, and what it needs, the evaluation knows."""

    def __init__(self, word: str, model: Navigation | None = None) -> None:
        super().__init__()
        self._values["word"] = word
        if model is not None:
            self.needs_nodes, self.needs_lengths = model.needs_nodes, model.needs_lengths

    @property
    def name(self) -> str:
        return str(self._values["word"])

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (self.name,)

    def probabilities(self, question: Question) -> Links:
        raise PartwiseError(f"the navigation model {shown(self.name)} is not known here", "look it up first")
