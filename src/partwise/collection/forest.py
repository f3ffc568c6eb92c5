"""The trees of several documents as flat columns, so that no step of scoring goes from document to document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from partwise import kernels
from partwise.collection.document import Document, label_paths
from partwise.collection.mapped import packed_names, unpacked_names
from partwise.model import NOT_LOCATED, Coded, Ints, empty_ints


class Forest:
    """The trees of some documents: the nodes of tree i are the rows ``offsets[i]:offsets[i+1]`` of every column.

    The columns are those of `Document`, one document after the other: `parent` and `last` count from 0 in each tree.
    """

    def __init__(
        self,
        doc_ids: Sequence[str],
        offsets: Ints,
        tags: Coded,
        parent: Ints,
        start: Ints,
        end: Ints,
        length: Ints,
    ) -> None:
        self.doc_ids = doc_ids
        self.offsets = offsets
        self.tags = tags
        self.parent = parent
        self.start = start
        self.end = end
        self.length = length

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Forest:
        """The trees of these documents."""
        names: dict[str, int] = {}
        tags = []
        for document in documents:
            code = np.array([names.setdefault(name, len(names)) for name in document.tags.names], np.int64)
            tags.append(code[document.tags.codes])
        counted = [document for document in documents if document.characters is not document]
        return (CountedForest if counted else cls)(
            [document.doc_id for document in documents],
            np.cumsum([0, *map(len, documents)], dtype=np.int64),
            Coded(joined(tags), list(names)),
            joined(document.parent for document in documents),
            joined(document.start for document in documents),
            joined(document.end for document in documents),
            np.array([document.length for document in documents], np.int64),
        )._with(documents)

    def _with(self, documents: Sequence[Document]) -> Forest:
        self._documents: dict[int, Document] = dict(enumerate(documents))
        return self

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.doc_ids)

    def document(self, tree: int) -> Document:
        """A document of its own, without its text."""
        known = self.__dict__.setdefault("_documents", {})
        if tree not in known:
            inside = slice(int(self.offsets[tree]), int(self.offsets[tree + 1]))
            columns = (self.parent[inside], self.start[inside], self.end[inside])
            known[tree] = Document(self.doc_ids[tree], self.tags.take(inside), *columns, int(self.length[tree]))
        document: Document = known[tree]
        return document

    @cached_property
    def _shapes(self) -> tuple[Ints, Ints]:
        return kernels.tree_shapes(self.offsets, self.parent)

    @property
    def depth(self) -> Ints:
        """The depth of each node; a root has depth 0."""
        return self._shapes[0]

    @property
    def last(self) -> Ints:
        """One more than the number of each node's last descendant."""
        return self._shapes[1]

    @cached_property
    def columns(self) -> kernels.Trees:
        """The columns that kernels take."""
        return kernels.Trees(self.offsets, self.parent, self.last, self.start, self.end)

    @cached_property
    def parent_row(self) -> Ints:
        """The row of each node's parent, -1 for a root."""
        first = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.where(self.parent < 0, -1, self.parent + first)

    @cached_property
    def labels(self) -> Coded:
        """The label path of each node, such as ``/article/bdy/sec``."""
        return label_paths(self.parent_row, self.depth, self.tags)

    @cached_property
    def paths(self) -> Coded:
        """The path of each node, such as ``/article[1]/bdy[1]/sec[6]``."""
        if not len(self.parent):
            return Coded(empty_ints(), [])
        codes, *paths = kernels.element_paths(self.parent_row, self.tags.codes, *packed_names(self.tags.names))[:3]
        return Coded(codes, unpacked_names(*paths))

    def located(self, tree: Ints, paths: Coded) -> tuple[Ints, Ints, Ints]:
        """Where each path leads in its tree: the element, the start and the end.

        The element is -1 for a text node or a position in one, and -2 if the path leads nowhere.
        """
        node, start, end = kernels.locate_paths(
            self.columns, self.tags.codes, packed_names(self.tags.names), packed_names(paths.names), tree, paths.codes
        )
        return node, start, end


class CountedForest(Forest):
    """Trees whose offsets count another unit than characters; positions in paths still count characters."""

    @cached_property
    def _characters(self) -> Forest:
        return Forest.of([self.document(tree).characters for tree in range(len(self))])

    def located(self, tree: Ints, paths: Coded) -> tuple[Ints, Ints, Ints]:
        node, start, end = self._characters.located(tree, paths)
        start, end = start.copy(), end.copy()
        order = np.argsort(tree, kind="stable")
        bounds = np.searchsorted(tree[order], np.arange(len(self) + 1)).tolist()
        for number in np.unique(tree).tolist():
            inside = order[bounds[number] : bounds[number + 1]]
            inside = inside[node[inside] != NOT_LOCATED]
            start[inside], end[inside] = self.document(number).from_chars(start[inside], end[inside])
        return node, start, end


def joined(columns: Iterable[Any]) -> Ints:
    """Columns of whole numbers concatenated; an empty one if there are none."""
    return np.concatenate([empty_ints(), *columns])
