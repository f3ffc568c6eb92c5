"""One document: its text and its tree, as flat columns in preorder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.model import Coded, Ints

_STEP = re.compile(r"/([^/\[\]\s]+)(?:\[([0-9]{1,9})\])?")
_PATH = re.compile(r"(?:/[^/\[\]\s]+(?:\[[0-9]{1,9}\])?)+")
_SMALL = 16
_TEXT_NODE = re.compile(r"(.*)/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,13}))?", re.DOTALL)


class PathError(PartwiseError):
    """A path or pointer that names nothing in its document."""


class Document:
    """The tree of one document over its characters.

    Nodes are numbered in preorder, the root is 0. A node has a tag (its local name), a parent (-1 for the root) and the
    half-open span of its characters. A text node of an element is a stretch of its characters between its children.
    """

    def __init__(
        self,
        doc_id: str,
        tags: Coded | Sequence[str],
        parent: Ints,
        start: Ints,
        end: Ints,
        length: int,
        text: str | bytes | None = None,
        depth: Ints | None = None,
    ) -> None:
        self.doc_id = doc_id
        self.tags = tags if isinstance(tags, Coded) else Coded.of(tags)
        self.parent = parent
        self.start = start
        self.end = end
        self.length = length
        self._given = text
        if depth is not None:
            self.depth = depth

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.parent)

    def __repr__(self) -> str:
        return f"Document({self.doc_id!r}, {len(self)} nodes, {self.length} characters)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return (
            self.doc_id == other.doc_id
            and self.length == other.length
            and np.array_equal(self.parent, other.parent)
            and np.array_equal(self.start, other.start)
            and np.array_equal(self.end, other.end)
            and self.tag == other.tag
            and self.text == other.text
        )

    def __hash__(self) -> int:
        return hash((self.doc_id, self.length, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Document, (self.doc_id, self.tags, self.parent, self.start, self.end, self.length, self._given)

    @cached_property
    def text(self) -> str | None:
        """All characters, where they are stored."""
        return self._given.decode() if isinstance(self._given, bytes) else self._given

    @property
    def utf8(self) -> bytes | None:
        """The text as bytes."""
        return self._given.encode() if isinstance(self._given, str) else self._given

    # ---- the tree ---------------------------------------------------------------------------------------------

    @cached_property
    def tag(self) -> list[str]:
        """The local name of each node."""
        return self.tags.values()

    @cached_property
    def depth(self) -> Ints:
        """How far below the root each node lies."""
        depth = np.zeros(len(self), np.int64)
        at, above = np.flatnonzero(self.parent >= 0), self.parent.copy()
        while len(at):
            depth[at] += 1
            above[at] = self.parent[above[at]]
            at = at[above[at] >= 0]
        return depth

    @cached_property
    def last(self) -> Ints:
        """The number behind each node's last descendant: the subtree of n is ``n..last[n]-1``."""
        last = np.arange(1, len(self) + 1)
        by_depth = np.argsort(self.depth, kind="stable")
        levels = np.searchsorted(self.depth[by_depth], np.arange(int(self.depth.max(initial=0)) + 2))
        for depth in range(len(levels) - 2, 0, -1):
            nodes = by_depth[levels[depth] : levels[depth + 1]]
            np.maximum.at(last, self.parent[nodes], last[nodes])
        return last

    @cached_property
    def position(self) -> Ints:
        """The place of each node, from 1, among its siblings of the same tag."""
        return positions(self.parent, self.tags.codes)

    @cached_property
    def path(self) -> list[str]:
        """The path of each node, as ``/article[1]/bdy[1]/sec[6]``."""
        position, tags = self.position, max(len(self.tags.names), 1)
        steps, code = np.unique(position * tags + self.tags.codes, return_inverse=True)
        told = [f"/{self.tags.names[step % tags]}[{step // tags}]" for step in steps.tolist()]
        step_of_node = [told[step] for step in code.tolist()]
        found = step_of_node[:1]
        add = found.append
        for above, step in zip(self.parent.tolist()[1:], step_of_node[1:], strict=True):
            add(found[above] + step)
        return found

    @cached_property
    def labels(self) -> Coded:
        """The label path of each node, as ``/article/bdy/sec``."""
        return label_paths(self.parent, self.depth, self.tags)

    @cached_property
    def _node_of_path(self) -> dict[str, int]:
        return {path: node for node, path in enumerate(self.path)}

    # ---- paths and pointers -----------------------------------------------------------------------------------

    def node(self, path: str) -> int:
        """The node of an element path; a step without its place is the first: ``/article/bdy`` is ``[1]`` each."""
        found = self._node_of_path.get(path)
        if found is not None:
            return found
        if not _PATH.fullmatch(path):
            raise PathError(f"{shown(path)} is no path", "write it as /article[1]/bdy[1]/sec[6]")
        deepest = ""
        for tag, place in _STEP.findall(path):
            step = f"{deepest}/{tag}[{int(place or 1)}]"
            if step not in self._node_of_path:
                break
            deepest = step
        else:
            return self._node_of_path[deepest]
        full = "".join(f"/{tag}[{int(place or 1)}]" for tag, place in _STEP.findall(path))
        there = f"it has {deepest}" if deepest else f"its root is {self.path[0]}"
        raise PathError(f"document {self.doc_id} has no {shown(full, 300)[1:-1]}", there)

    def text_nodes(self, node: int) -> list[tuple[int, int]]:
        """The spans of an element's own text, cut at its child elements."""
        inside = np.arange(node + 1, int(self.last[node]))
        children = inside[self.parent[inside] == node]
        starts = [int(self.start[node]), *self.end[children].tolist()]
        ends = [*self.start[children].tolist(), int(self.end[node])]
        return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]

    def offset(self, pointer: str) -> int:
        """The character that a pointer as ``/a[1]/p[3]/text()[1].10`` names; an element path names its first."""
        return self._ends(pointer)[0]

    def span(self, path: str, last: str | None = None) -> tuple[int, int]:
        """The characters of an element path; with `last`, from the start of one to the end of the other."""
        start, end = self._ends(path)
        if last is None:
            return start, end
        its_start, end = self._ends(last)
        if end < start or its_start < end == start:
            raise PathError(f"document {self.doc_id}: {last} ends before {path} starts", "give the earlier one first")
        return start, end

    def _ends(self, path: str) -> tuple[int, int]:
        """The characters of an element, of a text node, or (an empty span) of a pointer into one."""
        found = _TEXT_NODE.fullmatch(path)
        if found is None:
            node = self.node(path)
            return int(self.start[node]), int(self.end[node])
        node = self.node(found[1])
        texts, wanted = self.text_nodes(node), int(found[2] or 1)
        owner = self.path[node]
        if not 1 <= wanted <= len(texts):
            nodes = "1 text node" if len(texts) == 1 else f"{len(texts)} text nodes"
            raise PathError(f"document {self.doc_id} has no {owner}/text()[{wanted}]", f"{owner} has {nodes}")
        start, end = texts[wanted - 1]
        if found[3] is None:
            return start, end
        if int(found[3]) > end - start:
            raise PathError(
                f"document {self.doc_id} has no {owner}/text()[{wanted}].{int(found[3])}",
                f"that text node has {end - start} characters",
            )
        return start + int(found[3]), start + int(found[3])

    # ---- bytes ------------------------------------------------------------------------------------------------

    @cached_property
    def _first_bytes(self) -> Ints | None:
        """Where the bytes of each character start in UTF-8, and where all end; None if that is one byte each."""
        utf8 = self.utf8
        if utf8 is None:
            raise PartwiseError(
                f"the text of document {self.doc_id} is not stored", "byte offsets need it: index it with texts"
            )
        if utf8.isascii():
            return None
        data = np.frombuffer(utf8, np.uint8)
        return np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))

    def chars(self, byte_offsets: Ints) -> Ints:
        """The character at each UTF-8 byte offset (one within a character is that character's), at most the length."""
        offsets = np.maximum(np.asarray(byte_offsets, np.int64), 0)
        first = self._first_bytes
        if first is None:
            return np.minimum(offsets, self.length)
        return np.minimum(np.searchsorted(first, offsets, side="right") - 1, self.length)


def label_paths(parent: Ints, depth: Ints, tags: Coded) -> Coded:
    """The path of tags from the root to each node, level by level; the nodes may be those of several documents."""
    count = max(len(tags.names), 1)
    order = np.argsort(depth.astype(np.int16) if depth.max(initial=0) < 1 << 15 else depth, kind="stable")
    levels = np.searchsorted(depth[order], np.arange(int(depth.max(initial=-1)) + 2)).tolist()
    code = np.zeros(len(depth), np.int64)
    names: list[str] = []
    above_names = [""]
    for level, (low, high) in enumerate(pairwise(levels)):
        nodes = order[low:high]
        above = code[parent[nodes]] - (len(names) - len(above_names)) if level else 0
        key = above * count + tags.codes[nodes]
        found, inverse = distinct(key, len(above_names) * count)
        code[nodes] = inverse + len(names)
        above_names = [f"{above_names[one // count]}/{tags.names[one % count]}" for one in found.tolist()]
        names += above_names
    return Coded(code, names)


def distinct(key: Ints, size: int) -> tuple[Ints, Ints]:
    """The keys that occur, and which of them each is; keys are below `size`."""
    if size > _SMALL * (len(key) + 1):
        found, inverse = np.unique(key, return_inverse=True)
        return found, inverse
    there = np.zeros(size, np.bool_)  # few enough to be found without sorting
    there[key] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[key]


def label_counts(labels: Coded) -> dict[str, int]:
    """How many nodes have each label path."""
    return dict(zip(labels.names, np.bincount(labels.codes, minlength=len(labels.names)).tolist(), strict=True))


def positions(parent: Ints, tag: Ints) -> Ints:
    """The place of each node, from 1, among those of the same parent and tag."""
    key = (parent + 1) * (int(tag.max()) + 1) + tag
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    fresh = np.ones(len(key), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    first = np.flatnonzero(fresh)
    position = np.empty(len(key), np.int64)
    position[order] = np.arange(1, len(key) + 1) - first[np.cumsum(fresh) - 1]
    return position


class TreeBuilder:
    """Nodes noted in preorder while a text is walked."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.parents: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.stack: list[int] = []

    def open(self, tag: str, start: int, end: int = -1) -> int:
        """A node below the one that is open."""
        node = len(self.tags)
        self.tags.append(tag)
        self.parents.append(self.stack[-1] if self.stack else -1)
        self.starts.append(start)
        self.ends.append(end)
        self.stack.append(node)
        return node

    def close(self, end: int | None = None) -> None:
        node = self.stack.pop()
        if end is not None:
            self.ends[node] = end

    def drop(self) -> None:
        """Undo the opening of the innermost node, which has no children."""
        self.stack.pop()
        for column in (self.tags, self.parents, self.starts, self.ends):
            column.pop()

    def leaf(self, tag: str, start: int, end: int) -> None:
        self.open(tag, start, end)
        self.stack.pop()

    def document(self, doc_id: str, text: str) -> Document:
        parent, start, end = (np.array(column, np.int64) for column in (self.parents, self.starts, self.ends))
        return Document(doc_id, self.tags, parent, start, end, len(text), text)
