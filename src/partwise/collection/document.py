"""One document: its text and its tree, as flat columns in preorder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partwise.counting import Counting, Tokens, bytes_of, counting_of
from partwise.errors import PartwiseError, PathError, shown
from partwise.messages import documents
from partwise.model import Coded, Ints
from partwise.units import CHARS, TOKENS, words

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer

_STEP = re.compile(r"/([^/\[\]\s]+)(?:\[([0-9]{1,9})\])?")
_PATH = re.compile(r"(?:/[^/\[\]\s]+(?:\[[0-9]{1,9}\])?)+")
_SMALL = 16
_TEXT_NODE = re.compile(r"(.*)/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,13}))?", re.DOTALL)


class StoredTokens(NamedTuple):
    """Tokens that were computed before: what identifies their tokenizer, and their starts and ends in characters."""

    key: str
    start: Ints
    end: Ints


class Document:
    """The tree of one document over its characters.

    Nodes are numbered in preorder, the root is 0. A node has a tag (its local name), a parent (-1 for the root) and the
    half-open span of its characters. A text node of an element is a run of its characters between its children.
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
        tokens: StoredTokens | None = None,
    ) -> None:
        self.doc_id = doc_id
        self.tags = tags if isinstance(tags, Coded) else Coded.of(tags)
        self.parent = parent
        self.start = start
        self.end = end
        self.length = length
        self._text = text
        self._tokens = tokens
        if depth is not None:
            self.depth = depth

    def __len__(self) -> int:
        """The number of nodes."""
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
        columns = (self.doc_id, self.tags, self.parent, self.start, self.end, self.length, self._text)
        return Document, (*columns, None, self._tokens)

    @cached_property
    def text(self) -> str | None:
        """The text, None if it is not stored."""
        return self._text.decode() if isinstance(self._text, bytes) else self._text

    @property
    def utf8(self) -> bytes | None:
        """The text as UTF-8, None if it is not stored."""
        return self._text.encode() if isinstance(self._text, str) else self._text

    # ---- the tree ---------------------------------------------------------------------------------------------

    @cached_property
    def tag(self) -> list[str]:
        """The local name of each node."""
        return self.tags.values()

    @cached_property
    def depth(self) -> Ints:
        """The depth of each node; the root has depth 0."""
        depth = np.zeros(len(self), np.int64)
        at, above = np.flatnonzero(self.parent >= 0), self.parent.copy()
        while len(at):
            depth[at] += 1
            above[at] = self.parent[above[at]]
            at = at[above[at] >= 0]
        return depth

    @cached_property
    def last(self) -> Ints:
        """One more than the number of each node's last descendant: the subtree of n is ``n..last[n]-1``."""
        last = np.arange(1, len(self) + 1)
        by_depth = np.argsort(self.depth, kind="stable")
        levels = np.searchsorted(self.depth[by_depth], np.arange(int(self.depth.max(initial=0)) + 2))
        for depth in range(len(levels) - 2, 0, -1):
            nodes = by_depth[levels[depth] : levels[depth + 1]]
            np.maximum.at(last, self.parent[nodes], last[nodes])
        return last

    @cached_property
    def position(self) -> Ints:
        """The position of each node, from 1, among its siblings with the same tag."""
        return positions(self.parent, self.tags.codes)

    @cached_property
    def path(self) -> list[str]:
        """The path of each node, such as ``/article[1]/bdy[1]/sec[6]``."""
        position, tags = self.position, max(len(self.tags.names), 1)
        steps, code = np.unique(position * tags + self.tags.codes, return_inverse=True)
        step_names = [f"/{self.tags.names[step % tags]}[{step // tags}]" for step in steps.tolist()]
        step_of_node = [step_names[step] for step in code.tolist()]
        paths = step_of_node[:1]
        add = paths.append
        for above, step in zip(self.parent.tolist()[1:], step_of_node[1:], strict=True):
            add(paths[above] + step)
        return paths

    @cached_property
    def labels(self) -> Coded:
        """The label path of each node, such as ``/article/bdy/sec``."""
        return label_paths(self.parent, self.depth, self.tags)

    @cached_property
    def _node_of_path(self) -> dict[str, int]:
        return {path: node for node, path in enumerate(self.path)}

    # ---- paths and pointers -----------------------------------------------------------------------------------

    def node(self, path: str) -> int:
        """The node of an element path; a step without a position means the first: ``/article/bdy``."""
        node = self._node_of_path.get(path)
        if node is not None:
            return node
        if not _PATH.fullmatch(path):
            raise PathError(documents.NOT_A_PATH(path=shown(path)))
        deepest = ""
        for tag, position in _STEP.findall(path):
            step = f"{deepest}/{tag}[{int(position or 1)}]"
            if step not in self._node_of_path:
                break
            deepest = step
        else:
            return self._node_of_path[deepest]
        full = "".join(f"/{tag}[{int(position or 1)}]" for tag, position in _STEP.findall(path))
        full = shown(full, 300)[1:-1]
        if not deepest:
            raise PathError(documents.OTHER_ROOT(doc_id=self.doc_id, path=full, root=self.path[0]))
        raise PathError(documents.NO_ELEMENT(doc_id=self.doc_id, path=full, deepest=deepest))

    def text_nodes(self, node: int) -> list[tuple[int, int]]:
        """The spans of an element's own text, split at its child elements.

        - `node`: the number of the element.
        """
        inside = np.arange(node + 1, int(self.last[node]))
        children = inside[self.parent[inside] == node]
        starts = [int(self.start[node]), *self.end[children].tolist()]
        ends = [*self.start[children].tolist(), int(self.end[node])]
        return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]

    def offset(self, pointer: str) -> int:
        """The offset of a pointer such as ``/a[1]/p[3]/text()[1].10``; of an element path, its start."""
        return self._ends(pointer)[0]

    def span(self, path: str, last: str | None = None) -> tuple[int, int]:
        """The span of an element path; with `last`, from the start of `path` to the end of `last`."""
        start, end = self._ends(path)
        if last is None:
            return start, end
        last_start, end = self._ends(last)
        if end < start or last_start < end == start:
            raise PathError(documents.BACKWARD_RANGE(doc_id=self.doc_id, first=path, last=last))
        return start, end

    def _ends(self, path: str) -> tuple[int, int]:
        """The span of an element or a text node; that of a pointer into a text node is empty."""
        match = _TEXT_NODE.fullmatch(path)
        if match is None:
            node = self.node(path)
            return int(self.start[node]), int(self.end[node])
        node = self.node(match[1])
        texts, number = self.text_nodes(node), int(match[2] or 1)
        owner = self.path[node]
        if not texts:
            raise PathError(documents.NO_OWN_TEXT(doc_id=self.doc_id, owner=owner, number=number))
        if not 1 <= number <= len(texts):
            raise PathError(documents.NO_TEXT_NODE(doc_id=self.doc_id, owner=owner, number=number, last=len(texts)))
        start, end = texts[number - 1]
        if match[3] is None:
            return start, end
        offset = int(match[3])
        if offset > end - start:
            raise PathError(
                documents.PAST_TEXT_NODE(
                    doc_id=self.doc_id, owner=owner, number=number, offset=offset, largest=end - start
                )
            )
        return start + offset, start + offset

    # ---- units ------------------------------------------------------------------------------------------------

    def counting(self, unit: str, tokenizer: Tokenizer | None = None) -> Counting:
        """How `unit` divides the text: ``chars``, ``bytes`` (of UTF-8), ``utf16``, ``lines`` or ``tokens``.

        - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
        """
        key = unit, tokenizer if unit == TOKENS else None
        if key not in self._countings:
            self._countings[key] = self._counting(unit, tokenizer)
        return self._countings[key]

    @cached_property
    def _countings(self) -> dict[tuple[str, Tokenizer | None], Counting]:
        return {}

    def _counting(self, unit: str, tokenizer: Tokenizer | None) -> Counting:
        if unit == CHARS:
            return Counting(self.length)
        if unit == TOKENS and tokenizer is not None:
            return Tokens(self.length, *self.token_spans(tokenizer))
        utf8 = self.utf8
        if utf8 is None or self.text is None:
            raise PartwiseError(documents.UNIT_NEEDS_TEXT(doc_id=self.doc_id, unit=words(unit)))
        return bytes_of(utf8) if unit == "bytes" else counting_of(self.text, unit, tokenizer)

    def token_spans(self, tokenizer: Tokenizer) -> tuple[Ints, Ints]:
        """Where the tokens of the text start and end, in characters: stored ones, or computed once.

        - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
        """
        if self._tokens is not None and self._tokens.key == tokenizer.key:
            return self._tokens.start, self._tokens.end
        spans = self._token_spans.get(tokenizer)
        if spans is None:
            if self.text is None:
                raise PartwiseError(documents.TOKENS_NEED_TEXT(doc_id=self.doc_id, name=tokenizer.name))
            spans = self._token_spans[tokenizer] = tokenizer.spans(self.text)
        return spans

    def token_starts(self, tokenizer: Tokenizer) -> Ints:
        """Where the tokens of the text start, in characters.

        - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
        """
        return self.token_spans(tokenizer)[0]

    @cached_property
    def _token_spans(self) -> dict[Tokenizer, tuple[Ints, Ints]]:
        return {}

    @property
    def characters(self) -> Document:
        """This document with offsets in characters."""
        return self

    def in_unit(self, unit: str, tokenizer: Tokenizer | None = None) -> Document:
        """This document with offsets in a unit; itself if they are the same in both.

        - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
        """
        counting = self.counting(unit, tokenizer)
        return self if type(counting) is Counting else CountedDocument(self, unit, counting)

    def char_positions(self, offsets: Ints) -> Ints:
        """The characters of its text that have these offsets, at most its length."""
        return np.minimum(offsets, self.length)

    def from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Spans of characters, from `start` to `end`, in the unit of its offsets."""
        return start, end


class CountedDocument(Document):
    """A document whose offsets count another unit than characters; the positions in pointers still count characters."""

    def __init__(self, characters: Document, unit: str, counting: Counting) -> None:
        self._characters = characters
        self._unit = unit
        self._of_unit = counting
        start, end = counting.from_chars(characters.start, characters.end)
        super().__init__(
            characters.doc_id,
            characters.tags,
            characters.parent,
            start,
            end,
            counting.size,
            characters._text,
            characters.depth,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return CountedDocument, (self._characters, self._unit, self._of_unit)

    def __repr__(self) -> str:
        return f"Document({self.doc_id!r}, {len(self)} nodes, {self.length} {words(self._unit)})"

    @property
    def characters(self) -> Document:
        return self._characters

    def counting(self, unit: str, tokenizer: Tokenizer | None = None) -> Counting:
        return self._of_unit if unit == self._unit else self._characters.counting(unit, tokenizer)

    def in_unit(self, unit: str, tokenizer: Tokenizer | None = None) -> Document:
        return self if unit == self._unit else self._characters.in_unit(unit, tokenizer)

    def char_positions(self, offsets: Ints) -> Ints:
        return np.minimum(self._of_unit.to_chars(offsets, offsets)[0], self._characters.length)

    @cached_property
    def path(self) -> list[str]:
        return self._characters.path

    @cached_property
    def last(self) -> Ints:
        return self._characters.last

    def node(self, path: str) -> int:
        return self._characters.node(path)

    def _ends(self, path: str) -> tuple[int, int]:
        edges = np.array(self._characters._ends(path), np.int64)
        start, end = self.from_chars(edges[:1], edges[1:])
        return int(start[0]), int(end[0])

    def from_chars(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        return self._of_unit.from_chars(start, end)


def label_paths(parent: Ints, depth: Ints, tags: Coded) -> Coded:
    """The path of tags from the root to each node; the nodes may be those of several documents."""
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
        keys, inverse = distinct(key, len(above_names) * count)
        code[nodes] = inverse + len(names)
        above_names = [f"{above_names[one // count]}/{tags.names[one % count]}" for one in keys.tolist()]
        names += above_names
    return Coded(code, names)


def distinct(key: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct keys, sorted, and the index of each key among them; keys are below `size`."""
    if size > _SMALL * (len(key) + 1):
        keys, inverse = np.unique(key, return_inverse=True)
        return keys, inverse
    occurs = np.zeros(size, np.bool_)  # a table is faster than sorting where keys are dense
    occurs[key] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[key]


def label_counts(labels: Coded) -> dict[str, int]:
    """The number of nodes with each label path."""
    return dict(zip(labels.names, np.bincount(labels.codes, minlength=len(labels.names)).tolist(), strict=True))


def positions(parent: Ints, tag: Ints) -> Ints:
    """The position of each node, from 1, among those with the same parent and tag."""
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
    """Collects nodes in preorder while a text is parsed."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.parents: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.stack: list[int] = []

    def open(self, tag: str, start: int, end: int = -1) -> int:
        """Open a node below the innermost open one."""
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
