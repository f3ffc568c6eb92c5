"""XML of any vocabulary: the text is the text of all elements, the tree has every element by its local name.

lxml checks that a source is well formed. Where every ``<`` opens a tag, every ``>`` closes one and every ``&`` is one
character, text, tags, depths and spans are then computed from arrays of positions in the source, which is faster than a
walk over the nodes. Any other source (CDATA, entities, other encodings) is first serialised by lxml in this form.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.collection.document import Document
from partwise.collection.plain import too_large
from partwise.errors import PartwiseError, shown
from partwise.messages import documents
from partwise.messages import xml as xml_messages
from partwise.model import Coded, Ints

DEEPEST = 200
"""The largest depth of an element."""

_NAMES = re.compile(rb"<([^/!?\s>][^\s/>]*)")
_ENTITY = re.compile(rb"&(?!amp;|lt;|gt;|quot;|apos;|#)([^&;]*);")
_COMMENT_OR_PI = re.compile(rb"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)
_UTF8 = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']utf-8["']""", re.IGNORECASE)
_UNDEFINED = re.compile(r"Entity '([^']*)' not defined")
_LONGEST = 32
_MASKS = np.tri(_LONGEST, _LONGEST, -1, np.uint8).view(np.uint64) * np.uint64(255)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], np.uint64)
_CACHED = 10_000
"""The number of escapes whose characters are cached."""
_SLOTS = 16
"""Names are hashed to a table of 2 ** _SLOTS slots."""
_PLACE = re.compile(r", line [0-9]+, column [0-9]+$")


@cache
def _no_files() -> Any:
    """A resolver that answers every request for another file (a DTD, an external entity) with an empty one."""
    from lxml import etree

    class NoFiles(etree.Resolver):  # type: ignore[misc]
        def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
            return self.resolve_string("", context)

    return NoFiles()


def parse(doc_id: str, source: bytes | str, name: str) -> Document:
    """Parse XML; `name` is for error messages."""
    too_large(source, name)
    encoding = None
    if isinstance(source, str):
        encoding = "utf-8"
        try:
            source = source.encode()
        except UnicodeEncodeError:
            raise PartwiseError(documents.LONE_SURROGATE(), file=name) from None
    if _is_plain(source, encoding):
        _read(source, encoding, name, _Nothing())
        tree = _tree(_COMMENT_OR_PI.sub(b"", source) if b"<!--" in source else source)
        if tree is not None and int(tree.depth.max()) <= DEEPEST:
            return _document(doc_id, tree)
    root = _read(source, encoding, name, None)
    tree = _tree(_serialised(root, source, name))
    if tree is None:
        raise PartwiseError(documents.UNSUPPORTED_XML(), file=name)
    if int(tree.depth.max()) > DEEPEST:
        line = next(element.sourceline for element in root.iter() if sum(1 for _ in element.iterancestors()) > DEEPEST)
        raise _too_deep(name, line)
    return _document(doc_id, tree)


class _Nothing:
    """A parser target that builds no tree, for checking well-formedness only."""

    def close(self) -> None:
        return None


def _read(source: bytes, encoding: str | None, name: str, target: _Nothing | None) -> Any:
    """Parse with lxml; malformed XML and references to undefined entities are errors."""
    from lxml import etree

    parser = etree.XMLParser(
        encoding=encoding,
        target=target,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        strip_cdata=True,
        collect_ids=False,
    )
    parser.resolvers.add(_no_files())
    try:
        root = etree.fromstring(source, parser)
    except etree.XMLSyntaxError as error:
        raise _malformed(str(error.msg or error), error.lineno, name) from None
    for entry in parser.error_log:
        if _UNDEFINED.search(entry.message):
            raise _malformed(entry.message, entry.line, name)
    return root


def _document(doc_id: str, tree: _Tree) -> Document:
    return Document(
        doc_id, _local(tree.tags), tree.parent, tree.start, tree.end, int(tree.end[0]), tree.text, tree.depth
    )


def _is_plain(source: bytes, encoding: str | None) -> bool:
    """Whether the source is UTF-8 without carriage returns, so that `_tree` can try to read it directly."""
    if source[:1] != b"<" or source[1:2] == b"\0" or b"\r" in source:
        return False
    declaration = source[: source.find(b"?>")] if source.startswith(b"<?xml") else b""
    return encoding is not None or b"encoding" not in declaration or _UTF8.match(declaration) is not None


def _serialised(root: Any, source: bytes, name: str) -> bytes:
    """The document as lxml serialises it; an entity that remains is an error."""
    from lxml import etree

    markup: bytes = etree.tostring(root, encoding="utf-8", with_tail=False)
    entity_match = _ENTITY.search(markup)
    if entity_match is not None:
        entity = entity_match[0].decode()
        raise PartwiseError(
            documents.DECLARED_ENTITY(entity=shown(entity)[1:-1]), file=name, line=_line_of_entity(root, entity, source)
        )
    return markup


class _Tree(NamedTuple):
    """The columns of the elements, in preorder."""

    tags: Coded
    depth: Ints
    parent: Ints
    start: Ints
    end: Ints
    text: bytes


def _tree(markup: bytes) -> _Tree | None:
    """The elements of well-formed markup; None if not every bracket and escape is as the module describes."""
    data = np.frombuffer(markup, np.uint8)
    edges = np.flatnonzero((data & 0xFD) == ord("<"))  # < and >, which differ in one bit
    left, right = edges[0::2], edges[1::2]
    if len(left) != len(right) or (data[left] != ord("<")).any() or (data[right] != ord(">")).any():
        return None
    width = right - left + 1
    at = left - np.cumsum(width) + width  # bytes of text before each tag
    if not markup.isascii():
        tag_after = _in_text(np.flatnonzero(data.view(np.int8) < -64), left, right)[1]  # continuation bytes
        at = at - np.cumsum(np.bincount(tag_after, minlength=len(left)))[: len(left)]
    escapes, tag_after = _in_text(np.flatnonzero(data == ord("&")), left, right)
    if len(escapes):
        ends = np.flatnonzero(data == ord(";"))
        surplus = np.bincount(tag_after, ends[np.searchsorted(ends, escapes)] - escapes, minlength=len(left))
        at = at - np.cumsum(surplus)[: len(left)].astype(np.int64)

    kind = data[left + 1]
    tags = (kind != ord("!")) & (kind != ord("?"))
    if not tags.all():
        others = zip(left[~tags].tolist(), right[~tags].tolist(), strict=True)
        if not all(_is_whole(markup[start : end + 1]) for start, end in others):
            return None
        left, right, at, kind = left[tags], right[tags], at[tags], kind[tags]
    closes = kind == ord("/")
    single = data[right - 1] == ord("/")
    opens = ~closes
    step = opens.astype(np.int64) - closes - single
    level = np.cumsum(step) - step  # open elements before each tag
    opening, closing = np.flatnonzero(opens), np.flatnonzero(closes | single)
    if len(opening) != len(closing):
        return None
    at = at - at[0]
    inside = slice(*np.searchsorted(edges, (left[0], right[-1] + 1)).tolist())  # from the root's first tag to its last
    text = _text(data, edges[inside])
    if text is None:
        return None
    depth = level[opening]
    # At each depth, opening and closing tags alternate: sorted by depth, the n-th of each belong to one element.
    order = np.argsort(depth.astype(np.int16), kind="stable")
    order_of_closes = np.argsort((level[closing] - closes[closing]).astype(np.int16), kind="stable")
    start, end = at[opening], np.empty(len(opening), np.int64)
    end[order] = at[closing[order_of_closes]]
    # A first child directly follows its parent; any other has the parent of the previous element at its depth.
    first = np.ones(len(opening), np.bool_)
    first[1:] = depth[1:] > depth[:-1]
    nearest = np.maximum.accumulate(np.where(first[order], np.arange(len(order)), 0))
    parent = np.empty(len(opening), np.int64)
    parent[order] = order[nearest] - 1
    return _Tree(_names(markup, left[opening] + 1), depth, parent, start, end, text)


def _is_whole(token: bytes) -> bool:
    """Whether this is a complete processing instruction, or a complete document type without declarations."""
    if token.startswith(b"<?"):
        return token.endswith(b"?>")
    return b"[" not in token and token.count(b'"') % 2 == 0 and token.count(b"'") % 2 == 0


def _text(data: NDArray[np.uint8], edges: Ints) -> bytes | None:
    """The text between the tags; None if it contains entities that XML does not predefine."""
    sizes = np.diff(edges)
    sizes[0::2] += 1  # a tag includes both its brackets
    sizes[1::2] -= 1
    in_text = np.zeros(len(sizes), np.bool_)
    in_text[1::2] = True
    text: bytes = data[edges[0] : edges[-1] + 1][np.repeat(in_text, sizes)].tobytes()
    if b"&" in text:
        first, *escapes = text.split(b"&")
        pieces = [first]
        add = pieces.append
        try:
            for escape in escapes:
                name, _, rest = escape.partition(b";")
                add(_CHARACTERS[name])
                add(rest)
        except KeyError:
            return None
        text = b"".join(pieces)
    return text


class _Characters(dict[bytes, bytes]):
    """The character of each escape, as a bounded cache."""

    def __init__(self) -> None:
        super().__init__({b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"})

    def __missing__(self, name: bytes) -> bytes:
        if not name.startswith(b"#"):
            raise KeyError(name)
        digits, base = (name[2:], 16) if name.startswith(b"#x") else (name[1:], 10)
        character = chr(int(digits, base)).encode()
        if len(self) < _CACHED:
            self[name] = character
        return character


_CHARACTERS = _Characters()


def _in_text(places: Ints, left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Those places that are not inside a tag, and the number of the tag after each."""
    tag_after = np.searchsorted(left, places, side="right")
    outside = places > right[tag_after - 1]
    return places[outside], tag_after[outside]


def _names(markup: bytes, at: Ints) -> Coded:
    """The names that start at these offsets, up to a blank, a slash or the end of the tag.

    Names of up to 31 bytes are compared as words of eight bytes; if one is longer, all are compared as text.
    """
    windows = np.ndarray(len(markup), f"V{_LONGEST}", markup + b">" * _LONGEST, 0, (1,))[at]
    letters = windows.view(np.uint8).reshape(-1, _LONGEST)
    ends = (letters <= ord(" ")) | (letters == ord("/")) | (letters == ord(">"))
    size = ends.argmax(axis=1)
    words = windows.view(np.uint64).reshape(-1, _LONGEST // 8) & _MASKS[size]
    slot = ((words @ _FACTORS) >> np.uint64(64 - _SLOTS)).astype(np.int64)
    rows = np.arange(len(at))
    first_in_slot = np.empty(1 << _SLOTS, np.int32)
    first_in_slot[slot[::-1]] = rows[::-1]
    first = first_in_slot[slot]
    if size.all() and np.array_equal(words, words[first]):  # no two names share a slot
        is_first = first == rows
        places = zip(at[is_first].tolist(), size[is_first].tolist(), strict=True)
        names = [markup[start : start + length].decode() for start, length in places]
        return Coded((np.cumsum(is_first) - 1)[first], names)
    return Coded.of(name.decode() for name in _NAMES.findall(markup))


def _local(tags: Coded) -> Coded:
    """Tags without namespace prefixes."""
    if not any(":" in name for name in tags.names):
        return tags
    names = Coded.of(name.rpartition(":")[2] for name in tags.names)
    return Coded(names.codes[tags.codes], names.names)


def _line_of_entity(root: Any, entity: str, source: bytes) -> int | None:
    from lxml import etree

    for node in root.iter(etree.Entity):
        if node.text == entity:
            return int(node.sourceline)
    place = source.find(entity.encode(), max(source.find(b"]>"), 0))  # in an attribute
    return None if place < 0 else source.count(b"\n", 0, place) + 1


def _malformed(message: str, line: int | None, name: str) -> PartwiseError:
    entity = _UNDEFINED.search(message)
    if entity is not None:
        return PartwiseError(documents.UNDEFINED_ENTITY(name=shown(entity[1])[1:-1]), file=name, line=line)
    if message.startswith("Excessive depth"):
        return _too_deep(name, line)
    reason = " ".join(_PLACE.sub("", message).split())
    return PartwiseError(xml_messages.NOT_WELL_FORMED(reason=reason), file=name, line=line)


def _too_deep(name: str, line: int | None) -> PartwiseError:
    return PartwiseError(documents.TOO_DEEP(limit=DEEPEST), file=name, line=line)
