"""Reading XML in one pass, without building a tree, and writing it.

The parser opens no other file: a DTD that the document type names is never loaded, and entities that a file declares
itself are an error.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.formats.problems import WHOLE_NUMBER, Reader
from partwise.messages import Message, Text, reading
from partwise.messages import xml as messages
from partwise.model import LARGEST_OFFSET

ITEM = "element"
"""The unit that is skipped and counted when lenient."""

Attributes = Mapping[str, str]
_BLOCK = 1 << 20
_WHOLE = re.compile("[0-9]{1,18}")
_TAG = re.compile(rb"""<(?:[^"'<>]++|"[^"<]*+"|'[^'<]*+')*+>""")
_FOREIGN = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)[^&;]*;")


class Listener:
    """Receives the elements of a file; `depth` is the number of open ones, `text` the text since the last tag."""

    root: str
    wrong_root: Message
    """The error if the root element is another, with its ``{name}``."""

    def __init__(self, reader: Reader, before: int = 0) -> None:
        self.reader = reader
        self.before = before
        """Lines of other files before the first of this one."""
        self.depth = 0
        self.text: list[str] = []
        self.items = 0
        self.item = (before, 0)
        """Line and number of the current item, which is skipped as a whole if there is a problem in it."""

    def begin_item(self, line: int) -> None:
        self.items += 1
        self.item = self.before + line, self.items

    def problem(self, line: int, message: Text) -> None:
        self.reader.problem(self.before + line, message, item=self.item)

    def error(self, message: Text, line: int) -> PartwiseError:
        return self.reader.source.error(message, line=self.before + line)

    def start(self, name: str, attributes: Attributes, line: int) -> None:
        if self.depth == 0:
            if name != self.root:
                raise self.error(self.wrong_root(name=shown(name)), line)
            self.begin(attributes, line)
        else:
            self.open(name, attributes, line)
        self.depth += 1
        self.text = []

    def end(self, name: str, line: int) -> None:
        self.depth -= 1
        self.close(name, "".join(self.text).strip(), line)
        self.text = []

    def add_text(self, text: str) -> None:
        self.text.append(text)

    def begin(self, attributes: Attributes, line: int) -> None:
        """The start of the root element."""
        raise NotImplementedError

    def open(self, name: str, attributes: Attributes, line: int) -> None:
        """The start of an element below the root."""
        raise NotImplementedError

    def close(self, name: str, text: str, line: int) -> None:
        """The end of an element, with its text if it has no child elements."""

    def natural(self, text: str | None, name: str, line: int) -> int | None:
        """A whole number from 0; None, and a problem, if the text is not one."""
        if text is None:
            self.problem(line, messages.NO_NUMBER(name=name))
            return None
        digits = text.strip()
        if _WHOLE.fullmatch(digits) and int(digits) <= LARGEST_OFFSET:
            return int(digits)
        if digits.isascii() and digits.isdigit():
            self.problem(line, reading.TOO_LARGE(name=name, value=shown(text), largest=LARGEST_OFFSET))
        else:
            self.problem(line, reading.BAD_VALUE(name=name, value=shown(text), expected=WHOLE_NUMBER))
        return None

    def edges(self, attributes: Attributes, line: int) -> tuple[str, str] | None:
        """The start and end of a passage; None, and a problem, if one of them is missing."""
        start, end = (self.path(attributes.get(edge), edge, "passage", line) for edge in ("start", "end"))
        return None if start is None or end is None else (start, end)

    def path(self, text: str | None, name: str, element: str, line: int) -> str | None:
        """A path or pointer; None, and a problem, if the text is not one."""
        path = (text or "").strip()
        if path.startswith("/") and len(path.split()) == 1:
            return path
        if path:
            self.problem(line, messages.NOT_A_PATH(name=name, element=element, value=shown(path)))
        else:
            self.problem(line, messages.NO_PATH(name=name, element=element))
        return None


def parse(data: bytes, listener: Listener) -> None:
    """Pass the elements of the file to the listener. XML that is not well formed is an error even when lenient, because
    the rest of the file cannot be interpreted."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.buffer_text = True

    def declared(name: str, is_parameter: bool, *_: Any) -> None:
        if not is_parameter:
            raise listener.error(messages.DECLARES_ENTITY(name=shown(name)), parser.CurrentLineNumber)

    def start(name: str, attributes: dict[str, str]) -> None:
        listener.start(name, attributes, parser.CurrentLineNumber)

    def start_if_known(name: str, attributes: dict[str, str]) -> None:
        """In attributes, the parser silently drops entities of a DTD that is not read."""
        tag = _TAG.match(data, parser.CurrentByteIndex)
        foreign = None if tag is None else _FOREIGN.search(tag[0])
        if foreign is not None:
            entity = foreign[0].decode("utf-8", "backslashreplace")
            raise listener.error(messages.UNKNOWN_ENTITY(entity=entity), parser.CurrentLineNumber)
        start(name, attributes)

    parser.StartElementHandler = start_if_known if _FOREIGN.search(data) else start
    parser.EndElementHandler = lambda name: listener.end(name, parser.CurrentLineNumber)
    parser.CharacterDataHandler = listener.add_text
    parser.SkippedEntityHandler = lambda name, _: listener.add_text(f"&{name};")  # of a DTD that is not read
    parser.EntityDeclHandler = declared
    try:
        for at in range(0, len(data), _BLOCK):
            parser.Parse(data[at : at + _BLOCK], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise listener.error(messages.NOT_WELL_FORMED(reason=reason), error.lineno) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, PartwiseError):
            raise
        raise listener.error(messages.CANNOT_DECODE(reason=error), 1) from None


class _RootSeen(Exception):
    """Ends the reading at the root."""


class _RootOnly(Listener):
    name = ""

    def start(self, name: str, attributes: Attributes, line: int) -> None:
        self.name = name
        raise _RootSeen


def root_of(data: bytes, reader: Reader) -> str:
    """The name of the root element."""
    listener = _RootOnly(reader)
    with contextlib.suppress(_RootSeen):
        parse(data, listener)
    return listener.name


def attribute_text(**values: Any) -> str:
    from xml.sax.saxutils import quoteattr

    return "".join(f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in values.items())


def element_text(name: str, text: Any) -> str:
    from xml.sax.saxutils import escape

    return f"<{name}>{escape(str(text))}</{name}>"


def unwritable(names: Iterable[str]) -> str | None:
    """The first name that would not be read back unchanged: one with blanks around it or characters outside of XML."""
    for name in names:
        if name != name.strip() or not name or not name.isprintable():
            return name
    return None
