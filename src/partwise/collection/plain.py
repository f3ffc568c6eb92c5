"""Plain text: paragraphs between blank lines. Also what all parsers of text share: decoding and lines."""

from __future__ import annotations

import re

from partwise.collection.document import Document, TreeBuilder
from partwise.errors import PartwiseError
from partwise.messages import documents, reading

LARGEST = 256 * 1024 * 1024
"""Larger documents (in bytes) are refused."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def too_large(source: bytes | str, name: str) -> None:
    if len(source) > LARGEST:
        raise PartwiseError(documents.LARGE_DOCUMENT(limit=LARGEST // 2**20), file=name)


def decoded(source: bytes | str, name: str) -> str:
    """The text of a file; byte order marks, line ends and blanks are kept."""
    too_large(source, name)
    if isinstance(source, str):
        try:
            source.encode()
        except UnicodeEncodeError:
            raise PartwiseError(documents.LONE_SURROGATE(), file=name) from None
        return source
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise PartwiseError(reading.NOT_UTF8(), file=name, line=line) from None


class Lines:
    """Where each line of a text starts, where it ends without its line end, and whether it is blank."""

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.blank: list[bool] = []
        for match in _LINE.finditer(text):
            line = match.group()
            if not line:
                break
            self.starts.append(match.start())
            self.ends.append(match.start() + len(line.rstrip("\r\n")))
            self.blank.append(not line.strip())
        self.starts.append(len(text))

    def __len__(self) -> int:
        return len(self.ends)

    def span(self, first: int, stop: int) -> tuple[int, int]:
        """The characters of lines ``first..stop-1`` without trailing blank lines and the last line end."""
        stop = min(stop, len(self))
        while stop > first + 1 and self.blank[stop - 1]:
            stop -= 1
        start = self.starts[first]
        return start, self.ends[stop - 1] if stop > first else start


def parse(doc_id: str, source: bytes | str, name: str) -> Document:
    """Parse plain text: a root and its paragraphs."""
    text = decoded(source, name)
    tree = TreeBuilder()
    tree.open("document", 0, len(text))
    lines = Lines(text)
    first = None
    for line in range(len(lines) + 1):
        blank = line == len(lines) or lines.blank[line]
        if blank and first is not None:
            tree.leaf("p", *lines.span(first, line))
            first = None
        elif not blank and first is None:
            first = line
    return tree.document(doc_id, text)
