"""Plain text: paragraphs between blank lines. And what text files have in common."""

from __future__ import annotations

import re

from partwise.collection.document import Document, TreeBuilder
from partwise.errors import PartwiseError

LARGEST = 256 * 1024 * 1024
"""Documents of more bytes are refused."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def too_large(source: bytes | str, name: str) -> None:
    if len(source) > LARGEST:
        raise PartwiseError(
            "is too large for one document", f"documents have at most {LARGEST // 2**20} MB: split it", file=name
        )


def decoded(source: bytes | str, name: str) -> str:
    """The text of a file, as it stands: no byte order mark, line end or blank is changed."""
    too_large(source, name)
    if isinstance(source, str):
        try:
            source.encode()
        except UnicodeEncodeError:
            raise PartwiseError("has half a character (a lone surrogate)", "give whole characters", file=name) from None
        return source
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise PartwiseError("is not UTF-8", "save the file as UTF-8", file=name, line=line) from None


class Lines:
    """Where each line of a text starts, and where it ends without its line end and blanks."""

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.blank: list[bool] = []
        for found in _LINE.finditer(text):
            line = found.group()
            if not line:
                break
            self.starts.append(found.start())
            self.ends.append(found.start() + len(line.rstrip("\r\n")))
            self.blank.append(not line.strip())
        self.starts.append(len(text))

    def __len__(self) -> int:
        return len(self.ends)

    def span(self, first: int, behind: int) -> tuple[int, int]:
        """The characters of lines ``first..behind-1`` without the blank lines and the line end behind them."""
        behind = min(behind, len(self))
        while behind > first + 1 and self.blank[behind - 1]:
            behind -= 1
        start = self.starts[first]
        return start, self.ends[behind - 1] if behind > first else start


def parse(doc_id: str, source: bytes | str, name: str) -> Document:
    """The document of this text: a root and its paragraphs."""
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
