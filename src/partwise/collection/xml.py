"""XML of any vocabulary: the text is the text of all elements, the tree has every element by its local name.

The kernel `read_markup` computes text, tags, depths and spans, which is faster than a walk over nodes. It recognises
most sources as well-formed; of any other, lxml decides whether it is, without building a tree. A source that the kernel
does not read (with declared entities, or in another encoding) is first serialised by lxml as one that it reads.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from partwise.collection.document import Document
from partwise.collection.plain import too_large
from partwise.errors import PartwiseError, shown
from partwise.kernels import read_markup
from partwise.messages import documents
from partwise.messages import xml as xml_messages
from partwise.model import Coded

DEEPEST = 200
"""The largest depth of an element."""

_ENTITY = re.compile(rb"&(?!amp;|lt;|gt;|quot;|apos;|#)([^&;]*);")
_UTF8 = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']utf-8["']""", re.IGNORECASE)
_UNDEFINED = re.compile(r"Entity '([^']*)' not defined")
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
        document, is_well_formed = _document(doc_id, source)
        if not is_well_formed:
            _read(source, encoding, name, builds_tree=False)
        if document is not None and not _is_too_deep(document):
            return document
    root = _read(source, encoding, name, builds_tree=True)
    document, _ = _document(doc_id, _serialised(root, source, name))
    if document is None:
        raise PartwiseError(documents.UNSUPPORTED_XML(), file=name)
    if _is_too_deep(document):
        line = next(element.sourceline for element in root.iter() if sum(1 for _ in element.iterancestors()) > DEEPEST)
        raise _too_deep(name, line)
    return document


class _Nothing:
    """A parser target that builds no tree, for checking well-formedness only."""

    def close(self) -> None:
        return None


class _Parsers(threading.local):
    """The parsers of a thread, which take longer to make than a small document takes to read."""

    def __init__(self) -> None:
        self._made: dict[tuple[str | None, bool], Any] = {}

    def parser(self, encoding: str | None, builds_tree: bool) -> Any:
        from lxml import etree

        key = encoding, builds_tree
        if key not in self._made:
            parser = self._made[key] = etree.XMLParser(
                encoding=encoding,
                target=None if builds_tree else _Nothing(),
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
        return self._made[key]


_PARSERS = _Parsers()


def _read(source: bytes, encoding: str | None, name: str, builds_tree: bool) -> Any:
    """Parse with lxml; malformed XML and references to undefined entities are errors."""
    from lxml import etree

    parser = _PARSERS.parser(encoding, builds_tree)
    try:
        root = etree.fromstring(source, parser)
    except etree.XMLSyntaxError as error:
        raise _malformed(str(error.msg or error), error.lineno, name) from None
    for entry in parser.error_log:
        if _UNDEFINED.search(entry.message):
            raise _malformed(entry.message, entry.line, name)
    return root


def _document(doc_id: str, markup: bytes) -> tuple[Document | None, bool]:
    """The document of well-formed markup, None if the kernel does not read it; and whether it is known to be so."""
    columns = read_markup(markup)
    if columns is None:
        return None, False
    tag, names, parent, depth, start, end, text, is_well_formed = columns
    return Document(doc_id, Coded(tag, names), parent, start, end, int(end[0]), text, depth), is_well_formed


def _is_too_deep(document: Document) -> bool:
    return int(document.depth.max()) > DEEPEST


def plain_source(read: Callable[[], Document]) -> bytes | None:
    """The source that a call of `parse` is to read, if the kernel can try to read it."""
    if not isinstance(read, partial) or read.func is not parse:
        return None
    source: bytes | str = read.args[1]
    if isinstance(source, bytes):
        return source if _is_plain(source, None) else None
    try:
        encoded = source.encode()
    except UnicodeEncodeError:
        return None
    return encoded if _is_plain(encoded, "utf-8") else None


def _is_plain(source: bytes, encoding: str | None) -> bool:
    """Whether the source is UTF-8 and starts with markup, so that the kernel can try to read it."""
    if source[:1] != b"<" or source[1:2] == b"\0":
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
