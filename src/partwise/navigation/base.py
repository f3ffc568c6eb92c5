"""The base class of navigation models, the questions they are asked and the links they return."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partwise import kernels, later
from partwise.errors import PartwiseError, shown
from partwise.messages import measures, navigation
from partwise.model import NONE, Bools, Floats, Ints, slices
from partwise.parameters import Call, Param, Parameterised, parse_name
from partwise.records import record

if TYPE_CHECKING:
    from partwise.collection import Collection, Document, Forest


@record()
class Places:
    """Parts of documents, a row each: the number of the document, the element (-1 for other parts), and the spans.

    The spans of row i are ``start[span_offsets[i]:span_offsets[i+1]]`` (the same slice of `end`), sorted and disjoint.
    A row that is not an element and has one empty span is an entry point.
    """

    document: Ints
    node: Ints
    span_offsets: Ints
    start: Ints
    end: Ints

    @classmethod
    def of_single_spans(cls, document: Ints, node: Ints, start: Ints, end: Ints) -> Places:
        """Places that have one span each.

        - `document`: the document of each place.
        - `node`: its element.
        - `start`: its start.
        - `end`: its end.
        """
        return cls(document, node, np.arange(len(document) + 1), start, end)

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def first(self) -> Ints:
        """The start of each part."""
        return self.start[self.span_offsets[:-1]]

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each part."""
        sizes: Ints = kernels.segment_sums(self.end - self.start, self.span_offsets[:-1], self.span_offsets[1:])
        return sizes

    def spans(self, row: int) -> Ints:
        """The spans of a row as columns."""
        inside = slice(int(self.span_offsets[row]), int(self.span_offsets[row + 1]))
        return np.stack([self.start[inside], self.end[inside]])

    @cached_property
    def identity(self) -> list[Ints]:
        """Columns that are equal for equal parts; parts of several spans may have equal columns and differ."""
        if (self.node != NONE).all():
            zeros = np.zeros(len(self), np.int64)
            return [self.document, self.node, zeros, zeros, zeros]
        is_text = self.node == NONE
        of_text = (self.first, self.size, np.diff(self.span_offsets))
        return [self.document, self.node, *(np.where(is_text, column, 0) for column in of_text)]

    @cached_property
    def is_point(self) -> Bools:
        points: Bools = (self.node == NONE) & (self.size == 0)
        return points


class Links(NamedTuple):
    """Sparse columns of origins, targets and probabilities; pairs that are left out have probability 0."""

    origin: Ints
    target: Ints
    probability: Floats


class TreesOfDocuments(Sequence["Document | None"]):
    """Documents by number, each made on access, and their trees: document i is ``tree[i]`` of the forest or, if that
    is -1, None."""

    def __init__(self, forest: Forest, tree: Ints, document: Callable[[int], Document]) -> None:
        self.forest = forest
        self.tree = tree
        self._document = document

    @classmethod
    def of(cls, documents: Sequence[Document | None]) -> TreesOfDocuments:
        known = [document for document in documents if document is not None]
        tree = np.full(len(documents), NONE)
        tree[[document is not None for document in documents]] = np.arange(len(known))
        return cls(later.collection.Forest.of(known), tree, known.__getitem__)

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        tree = int(self.tree[number])
        return None if tree == NONE else self._document(tree)

    def rows(self, document: Ints, node: Ints) -> tuple[Ints, Ints]:
        """Which of these places are elements of a tree, and their rows in the forest."""
        tree = self.tree[document] if len(self) else document
        are_elements = np.flatnonzero((tree != NONE) & (node != NONE))
        rows: Ints = self.forest.offsets[tree[are_elements]] + node[are_elements]
        return are_elements, rows


@record()
class Question:
    """How likely is it that users reach a target from an origin in the same document?

    `documents` and `lengths` are indexed by the number of the document: its tree (None without a collection) and its
    length (-1 if it is unknown).
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
        """A column of the documents' elements (``lambda document: document.depth``), `missing` for other places."""
        values = np.full(len(places), missing)
        order = np.argsort(places.document, kind="stable")
        bounds = np.searchsorted(places.document[order], np.arange(len(self.documents) + 1)).tolist()
        for number, document in enumerate(self.documents):
            rows = order[bounds[number] : bounds[number + 1]]
            rows = rows[places.node[rows] != NONE]
            if document is not None and len(rows):
                values[rows] = np.asarray(column(document))[places.node[rows]]
        return values

    @cached_property
    def trees(self) -> TreesOfDocuments:
        """The trees of all documents."""
        known = isinstance(self.documents, TreesOfDocuments)
        return self.documents if known else TreesOfDocuments.of(self.documents)  # type: ignore[return-value]

    def column(self, places: Places, column: Callable[[Forest], Any], missing: Any) -> Any:
        """A column of the forest (``lambda forest: forest.depth``) at each place, `missing` for other places."""
        values = np.full(len(places), missing)
        rows, at = self.trees.rows(places.document, places.node)
        if len(rows):
            values[rows] = column(self.trees.forest)[at]
        return values

    @cached_property
    def same(self) -> tuple[Ints, Ints]:
        """The pairs of equal parts: the same element, or the same characters of other parts."""
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
        """Which of these pairs are equal parts.

        - `origin`: the rows of the results.
        - `target`: the rows of the relevant parts.
        """
        count = max(len(self.targets), 1)
        equal: Bools = np.isin(origin * count + target, self.same[0] * count + self.same[1])
        return equal

    def to_all_elements(self) -> Question:
        """The same question with all elements of the origins' documents as targets."""
        numbers = np.unique(self.origins.document)
        numbers = numbers[self.trees.tree[numbers] != NONE] if len(self.trees) else numbers
        forest = self.trees.forest
        offsets, rows = slices(forest.offsets, self.trees.tree[numbers])
        counts = np.diff(offsets)
        nodes = np.arange(len(rows)) - np.repeat(offsets[:-1], counts)
        elements = Places.of_single_spans(np.repeat(numbers, counts), nodes, forest.start[rows], forest.end[rows])
        return Question(self.origins, elements, self.documents, self.lengths)


class Navigation(Parameterised):
    """How users move within a document, from a result to other parts.

    To write a model, subclass this and define `probabilities`; `register_navigation` gives it a name.
    """

    needs_nodes: bool = False
    """Whether it leads from element to element only, so that a collection is needed."""
    needs_lengths: bool = False
    """Whether it needs the lengths of documents."""
    takes_trees_whole: bool = False
    """Whether it takes a tree of elements as one stretch of text, not element by element."""
    takes_queries_together: bool = False
    """Whether a probability depends only on its origin, target and document, so that several queries may be asked at
    once; otherwise the model is asked query by query."""

    @property
    def only_from_elements(self) -> bool:
        """Whether a result that is not an element leads nowhere."""
        return self.needs_nodes

    normalise: Param[bool] = Param(
        bool, default=False, help="divide by the sum over all other elements of the document (or all other targets)"
    )

    @abstractmethod
    def probabilities(self, question: Question) -> Links:
        """P(target | origin) for all pairs of the question."""

    def check(self) -> None:
        param = self.missing()
        if param is not None:
            name = type(self).__name__
            example = f"{name}({param.name}='{param.example}')"
            raise PartwiseError(measures.MISSING_PARAMETER(owner=name, name=param.name, example=example))

    def ready(self, collection: Collection | None) -> Navigation:
        """This model with the contents of its files and of the collection, which are read once before any run."""
        return self

    @classmethod
    def family(cls) -> dict[str, type[Any]]:
        return dict(later.navigation.MODELS)

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """A model from an instance, a class, a call or a name; the evaluation resolves names that are not built in.

        - `value`: what the model is made from.
        """
        model = super().from_value(value)
        if model is None and isinstance(value, str):
            value = parse_name(value)
        if model is None and isinstance(value, Call) and not value.arguments and value.at is None:
            return Named(value.name)
        return model

    def links(self, question: Question) -> Links:
        """The probabilities of a question, checked and normalised."""
        links = self._checked(question)
        if not self.normalise:
            return links
        whole = question if (question.targets.node == NONE).all() else question.to_all_elements()
        everything = self._checked(whole)
        other = ~whole.is_same(everything.origin, everything.target)
        total = np.bincount(everything.origin[other], everything.probability[other], minlength=len(question.origins))
        divisor = total[links.origin]
        scaled = np.divide(links.probability, divisor, out=np.zeros(len(divisor)), where=divisor > 0)
        return Links(links.origin, links.target, np.minimum(scaled, 1.0))

    def _checked(self, question: Question) -> Links:
        origin, target, probability = self.probabilities(question)
        probability = np.asarray(probability, np.float64)
        if not bool(((probability >= 0) & (probability <= 1)).all()):
            raise PartwiseError(navigation.NOT_PROBABILITIES(name=self.name))
        positive = probability > 0
        return Links(np.asarray(origin)[positive], np.asarray(target)[positive], probability[positive])


class Named(Navigation):
    """A model that is given by its name only; the evaluation resolves it."""

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
        raise PartwiseError(navigation.UNRESOLVED_MODEL(name=shown(self.name)))
