"""Large text runs, read in blocks of whole queries, so that memory use does not grow with the length of the file.

A file with anything irregular (a line that cannot be read, or only in part, a byte that is not text) raises
`Irregular` and is read whole, which reports the error with its line. A query may recur in a later block: such blocks
are kept, and scored together with the earlier lines of their queries, which are the only lines that are read a second
time. A compressed file in which a query recurs is read whole. One that is read in blocks may expand to any size, but
the lines of one query may not.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError
from partwise.files import STDIN, stream, too_much
from partwise.formats import inex, registry
from partwise.formats.detect import detect
from partwise.formats.problems import Reader
from partwise.formats.text import HEAD, Layout
from partwise.messages import files as messages
from partwise.model import Ints, Irregular, Piece, Source
from partwise.records import record
from partwise.settings import current

BOM = b"\xef\xbb\xbf"
BLOCK = 4 << 20
"""Bytes of a block; a query that is longer gets a longer block."""


@record()
class TextRun:
    """A text file that is read in blocks, as one run."""

    path: str
    name: str
    unit: str

    def pieces(self) -> Iterator[Callable[[], Piece]]:
        """Functions that read one block each, in file order; `Irregular` if the file must be read whole."""
        layout: Layout | None = None
        queries = _Queries(self.path)
        for block, is_compressed in whole_queries(self.path, kernels.last_query):
            layout = layout or _layout(block, self.path)
            lines = queries.lines_unless_kept(block)
            if lines is None and is_compressed:
                raise Irregular
            if lines is not None:
                yield self._piece(block, layout, lines)
        if queries.kept and layout is not None:
            earlier = queries.earlier()
            yield self._piece(earlier, layout, withdraws=True)
            yield self._piece(b"".join([earlier, *queries.kept]), layout, is_last=True)

    def _piece(self, block: Any, layout: Layout, lines: int = -1, **role: Any) -> Callable[[], Piece]:
        def piece() -> Piece:
            table = kernels.read_text(block, layout.kinds, lines)
            if table is None:
                raise Irregular
            reader = Reader(Source(self.path), False, [])
            try:
                run, tags = inex.read_text_run(table, layout, reader)
            except PartwiseError:
                raise Irregular from None
            if reader.notes:
                raise Irregular
            return Piece(replace(run, run_id=self.name, unit=self.unit), frozenset(tags.names), **role)

        return piece


class _Queries:
    """The queries in the blocks of a file, and the blocks that are kept because a query of theirs occurred before."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.kept: list[Any] = []
        self._log = kernels.QueryLog()
        self._at = 0
        self._recurring: list[Ints] = []
        self._stretches: list[tuple[Ints, Ints, Ints]] = []
        """For each block that is not kept, the query, start and end in the file of each run of lines of one query."""

    def lines_unless_kept(self, block: Any) -> int | None:
        """The number of lines of the block; None if it is kept, because an earlier block has one of its queries."""
        start, query, earlier_queries, lines = self._log.add(block)
        recurs = query < earlier_queries
        if recurs.any():
            self.kept.append(block)
            self._recurring.append(query[recurs])
        else:
            self._stretches.append((query, start + self._at, np.append(start[1:], len(block)) + self._at))
        self._at += len(block)
        return None if recurs.any() else lines

    def earlier(self) -> bytes:
        """The lines of recurring queries in the blocks that were not kept."""
        recurring = np.unique(np.concatenate(self._recurring))
        lines = []
        with open(self.path, "rb", buffering=0) as file:
            start = file.read(len(BOM))
            text_start = len(BOM) if start == BOM else 0
            for query, begin, end in self._stretches:
                inside = np.isin(query, recurring)
                for low, high in zip(begin[inside].tolist(), end[inside].tolist(), strict=True):
                    file.seek(text_start + low)
                    lines.append(_filled(file, high - low))
        return b"".join(lines)


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether this is a file that can be read more than once; a pipe cannot."""
    try:
        return os.fspath(path) != STDIN and stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Whether this is a regular file that may hold blank-separated columns."""
    by_name = registry.by_suffix(path)
    return is_regular(path) and (by_name is None or by_name.is_blank_separated)


def whole_queries(path: str, last_query: Callable[[memoryview], int]) -> Iterator[tuple[memoryview, bool]]:
    """The text of a file in blocks that end where a query ends, and whether it is compressed.

    `last_query` returns where the last query of a block starts, which may be incomplete: it starts the next block.
    """
    try:
        with stream(path) as (file, is_compressed):
            most = current().max_unpacked + 1
            start = file.read(len(BOM))
            rest = memoryview(start.removeprefix(BOM))
            size = BLOCK
            while True:
                block, is_end = _next(file, rest, min(size, most) if is_compressed else size)
                cut = len(block) if is_end else last_query(block)
                if cut:
                    yield block[:cut], is_compressed
                if is_end:
                    return
                if is_compressed and not cut and len(block) == most:
                    raise too_much(messages.QUERY_TOO_LARGE, path, current())
                rest = block[cut:]
                size = max(BLOCK, 2 * len(rest))
    except (GeneratorExit, Irregular, PartwiseError, MemoryError):
        raise
    except Exception as error:
        raise Irregular from error


def _next(file: BinaryIO, rest: memoryview, size: int) -> tuple[memoryview, bool]:
    """A block of this size, filled with `rest` and then from the file; and whether the file ended within it."""
    block = memoryview(np.empty(size, np.uint8))  # type: ignore[arg-type]
    block[: len(rest)] = rest
    at = len(rest)
    while at < size:
        count = file.readinto(block[at:])  # type: ignore[attr-defined]
        if not count:
            return block[:at], True
        at += count
    return block, False


def _filled(file: BinaryIO, size: int) -> memoryview:
    block, is_short = _next(file, memoryview(b""), size)
    if is_short:
        raise Irregular
    return block


def _layout(block: memoryview, path: str) -> Layout:
    """The layout of a text file, from the beginning of its first block."""
    head = bytes(block[: 2 * HEAD])
    if b"\n" not in head:
        head = bytes(block)
    try:
        layout = detect(head, path).run_layout(head) if b"\n" in head else None
    except PartwiseError:
        layout = None
    if layout is None:
        raise Irregular
    return layout
