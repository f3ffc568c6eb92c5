"""Text runs in blocks of whole topics, so that memory does not grow with the file.

This is the quick way through a file where nothing is odd. Whatever is odd (a line that cannot be read, a topic that
comes again, another format) ends it with `Irregular`, and the file is read whole: that way has all error lines, and
both give the same values.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from partwise import kernels
from partwise.errors import PartwiseError
from partwise.files import stream
from partwise.formats import inex, trec
from partwise.formats.detect import detect
from partwise.formats.problems import Reader
from partwise.formats.text import Layout, usual_layout
from partwise.model import Irregular, Piece, Source

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 21
"""Bytes of a block; one topic that is longer makes a longer block."""


@dataclass(frozen=True)
class TextRun:
    """A text file as one run, to be read in blocks."""

    path: str
    name: str
    unit: str

    def pieces(self) -> Iterator[Callable[[], Piece]]:
        """What reads each block, in the order of the file; `Irregular` as soon as something is odd."""
        layout: Layout | None = None
        for number, block in enumerate(_blocks(self.path)):
            if number == 0:
                layout = _layout(block, self.path)
            if layout is None:
                raise Irregular
            yield _reading(self, block, layout)


def is_large(path: str | os.PathLike[str]) -> bool:
    """Whether a file is worth reading in blocks."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > BLOCK


def _blocks(path: str) -> Iterator[bytes]:
    """The text of a file, cut where topics end."""
    try:
        with stream(path) as file:
            start = file.read(len(BOM))
            if isinstance(file, io.FileIO):
                yield from _plain_blocks(file.fileno(), 0 if start != BOM else len(BOM))
            else:
                yield from _streamed_blocks(file, start.removeprefix(BOM))
    except GeneratorExit:
        raise
    except Exception as error:
        raise Irregular from error


def _plain_blocks(file: int, at: int) -> Iterator[bytes]:
    """What is cut off a block is read again: that is less than copying all the rest."""
    end, size = os.fstat(file).st_size, BLOCK
    while at < end:
        data = os.pread(file, size, at)
        if len(data) < min(size, end - at):
            raise Irregular
        cut = len(data) if at + len(data) == end else kernels.last_topic(data)
        if cut:
            yield cast("bytes", memoryview(data)[:cut])  # which kernels read like bytes
        at, size = at + cut, BLOCK if cut else 2 * size


def _streamed_blocks(file: BinaryIO, rest: bytes) -> Iterator[bytes]:
    size = BLOCK
    while chunk := file.read(size):
        data = rest + chunk
        cut = kernels.last_topic(data)
        if cut:
            yield data[:cut]
        rest = data[cut:]
        size = max(BLOCK - len(rest), len(rest))
    if rest:
        yield rest


def _layout(block: bytes, path: str) -> Layout | None:
    block = bytes(block)
    try:
        if b"\n" in block and detect(block, path) == "text":
            return usual_layout(block, inex.layout_of)[0]
    except PartwiseError:
        pass
    return None


def _reading(run: TextRun, block: bytes, layout: Layout) -> Callable[[], Piece]:
    return lambda: _read(run, block, layout)


def _read(run: TextRun, block: bytes, layout: Layout) -> Piece:
    _, is_utf8, has_nul = kernels.content(block)
    if has_nul or not is_utf8:
        raise Irregular
    reader = Reader(Source(run.path), False, [])
    try:
        found, tags = trec.read_run(block, reader) if layout is trec.RUN else inex.read_run(block, layout, reader)
    except PartwiseError:
        raise Irregular from None
    return Piece(replace(found, run_id=run.name, unit=run.unit), frozenset(tags.names))


def tags_note(path: str, count: int) -> list[str]:
    """The note that a file that is taken as one run has several run tags."""
    return [f"{path}: {count} run tags, taken as one run"] if count > 1 else []
