"""Reading XML in one pass, without a tree of the file, and writing it.

The parser opens no other file: a document type may name one, which is never looked for, and entities that a file
declares itself are refused.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.formats.problems import Reader, number_remedy
from partwise.messages import Text
from partwise.model import LARGEST_OFFSET

ITEM = "element"
"""What is skipped when lenient."""

Attributes = Mapping[str, str]
_BLOCK = 1 << 20
_PATH = "a path that begins with /"
_WHOLE = re.compile("[0-9]{1,18}")
_TAG = re.compile(rb"""<(?:[^"'<>]|"[^"<]*"|'[^'<]*')*>""")
_FOREIGN = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)[^;]*;")


class Listener:
    """Hears elements start and end; `depth` is how many are open, `text` what was read since the last tag."""

    root: str
    wanted: str
    """What a user should have given."""

    def __init__(self, reader: Reader, before: int = 0) -> None:
        self.reader = reader
        self.before = before
        """Lines of other files before the first of this one."""
        self.depth = 0
        self.text: list[str] = []
        self.items = 0
        self.item = (before, 0)
        """What is skipped as a whole if something is wrong with it: its line, and its number."""

    def begin_item(self, line: int) -> None:
        self.items += 1
        self.item = self.before + line, self.items

    def problem(self, line: int, problem: str | Text, remedy: str = "") -> None:
        self.reader.problem(self.before + line, problem, remedy, self.item)

    def error(self, problem: str | Text, remedy: str = "", line: int = 0) -> PartwiseError:
        return self.reader.source.error(problem, remedy, self.before + line)

    def start(self, name: str, attributes: Attributes, line: int) -> None:
        if self.depth == 0:
            if name != self.root:
                raise self.error(f"has the root element {shown(name)}", self.wanted, line)
            self.begin(attributes, line)
        else:
            self.open(name, attributes, line)
        self.depth += 1
        self.text = []

    def end(self, name: str, line: int) -> None:
        self.depth -= 1
        self.close(name, "".join(self.text).strip(), line)
        self.text = []

    def hear(self, text: str) -> None:
        self.text.append(text)

    def begin(self, attributes: Attributes, line: int) -> None:
        """The root."""
        raise NotImplementedError

    def open(self, name: str, attributes: Attributes, line: int) -> None:
        """An element below the root."""
        raise NotImplementedError

    def close(self, name: str, text: str, line: int) -> None:
        """The end of an element, and its text if it has no elements in it."""

    def natural(self, text: str | None, noun: str, line: int) -> int | None:
        """A whole number from 0; None, and a problem, if it is none."""
        if text is None:
            self.problem(line, f"has no {noun}", "it must be a whole number from 0")
            return None
        if _WHOLE.fullmatch(text.strip()) and int(text) <= LARGEST_OFFSET:
            return int(text)
        self.problem(line, f"the {noun} is {shown(text)}", number_remedy(text.strip()))
        return None

    def edges(self, attributes: Attributes, line: int) -> tuple[str, str] | None:
        """Where a passage starts and ends; None, and a problem, if one of the two is missing."""
        start, end = (self.path(attributes.get(edge), f"{edge} of the passage", line) for edge in ("start", "end"))
        return None if start is None or end is None else (start, end)

    def path(self, text: str | None, noun: str, line: int) -> str | None:
        """A path or pointer; None, and a problem, if it is none."""
        path = (text or "").strip()
        if path.startswith("/") and len(path.split()) == 1:
            return path
        told = f"the {noun} is {shown(path)}" if path else f"has no {noun}"
        self.problem(line, told, f"it must be {_PATH}")
        return None


def hear(data: bytes, listener: Listener) -> None:
    """Read the file; what is not well formed is an error, also when lenient, for nobody knows how it goes on."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.buffer_text = True

    def declared(name: str, is_parameter: bool, *_: Any) -> None:
        if not is_parameter:
            raise listener.error(
                f"declares the entity {shown(name)}, a file's own entities are not expanded",
                "write its text in its place",
                parser.CurrentLineNumber,
            )

    def start(name: str, given: dict[str, str]) -> None:
        listener.start(name, given, parser.CurrentLineNumber)

    def start_if_known(name: str, given: dict[str, str]) -> None:
        """In attributes the parser leaves out entities of a DTD that is not read, and does not say so."""
        tag = _TAG.match(data, parser.CurrentByteIndex)
        foreign = None if tag is None else _FOREIGN.search(tag[0])
        if foreign is not None:
            raise listener.error(
                f"the entity {foreign[0].decode('utf-8', 'backslashreplace')} is not known in an attribute",
                "write the character itself or its number",
                parser.CurrentLineNumber,
            )
        start(name, given)

    parser.StartElementHandler = start_if_known if _FOREIGN.search(data) else start
    parser.EndElementHandler = lambda name: listener.end(name, parser.CurrentLineNumber)
    parser.CharacterDataHandler = listener.hear
    parser.SkippedEntityHandler = lambda name, _: listener.hear(f"&{name};")  # of a DTD that is not read
    parser.EntityDeclHandler = declared
    try:
        for at in range(0, len(data), _BLOCK):
            parser.Parse(data[at : at + _BLOCK], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        told = expat.ErrorString(error.code)
        raise listener.error(f"is not well-formed XML ({told})", "mend it there", error.lineno) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, PartwiseError):
            raise
        raise listener.error(f"is in an encoding that is not known ({error})", "save it as UTF-8", 1) from None


class _FoundRoot(Exception):
    """Ends the reading at the root."""


class _RootOnly(Listener):
    found = ""

    def start(self, name: str, attributes: Attributes, line: int) -> None:
        self.found = name
        raise _FoundRoot


def root_of(data: bytes, reader: Reader) -> str:
    """The name of the root element."""
    listener = _RootOnly(reader)
    with contextlib.suppress(_FoundRoot):
        hear(data, listener)
    return listener.found


def attribute_text(**values: Any) -> str:
    from xml.sax.saxutils import quoteattr

    return "".join(f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in values.items())


def element_text(name: str, text: Any) -> str:
    from xml.sax.saxutils import escape

    return f"<{name}>{escape(str(text))}</{name}>"


def unwritable(names: Iterable[str]) -> str | None:
    """The first name that would not be read back as it is: blanks around it, or characters that XML has not."""
    for name in names:
        if name != name.strip() or not name or not name.isprintable():
            return name
    return None
