"""The kernels in NumPy, as they were: what tests compare the C++ kernels with for the time being."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

# ---- readers ------------------------------------------------------------------------------------------------


class Problem(NamedTuple):
    """A line that could not be read: the column it fails in (-1: its number of columns) and the text there."""

    line: int
    column: int
    text: bytes


@dataclass(frozen=True, eq=False, repr=False)
class TextColumns:
    """Columns of a text file. A string column is a pair: the code of each row, the token of each code."""

    columns: list[Any]
    lines: Ints
    problems: list[Problem]


LARGEST_SUM = 2**62
"""Sums of characters stay below this, so that they are exact in 64 bits."""

_BLOCK = 1 << 20
_LONGEST_FAST = 64
_FLOAT = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf(?:inity)?", re.IGNORECASE)
_INTEGER = re.compile(rb"[-+]?\d{1,18}")
_U8 = np.dtype("<u8")
_ZEROS = np.uint64(0x3030303030303030)
_DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_BLANKS = bytes(32 if byte < 32 and byte != 10 else byte for byte in range(256))
_POWERS = 10 ** np.arange(19)
_TENTHS = 10.0 ** np.arange(23)


class _Text:
    """The bytes of a file, padded so that eight of them can be read from any position."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        padded = np.zeros(len(data) + 2 * _LONGEST_FAST, np.uint8)
        padded[: len(data)] = np.frombuffer(data, np.uint8)
        self.bytes = padded
        self.is_ascii = data.isascii()
        self.eight = np.ndarray((len(padded) - 7,), _U8, padded.data, strides=(1,))

    def words(self, start: Ints, end: Ints) -> Words:
        """Each token in as many 64-bit words as the longest needs, zero behind its end."""
        size = end - start
        count = max(1, -(-int(size.max(initial=1)) // 8))
        words = np.empty((len(start), count), np.uint64)
        for j in range(count):
            words[:, j] = self.eight[start + 8 * j] & _MASKS[np.clip(size - 8 * j, 0, 8)]
        return words

    def token(self, start: int, end: int) -> bytes:
        return self.data[start:end]


def read_columns(data: bytes, kinds: str) -> TextColumns:
    """Read lines of blank- or tab-separated columns.

    `kinds` has a letter per column: ``s`` string, ``d`` string that may stay a token of the text until somebody asks
    for its code, ``n`` whole number from 0, ``o`` the same or else -1, ``i`` whole number, ``f`` number, ``-`` not
    wanted. Empty lines are passed over. A line with another number of columns, or with a value of another kind, is left
    out and listed as a problem.
    """
    text = _Text(bytes(data))
    kinds = kinds.replace("d", "s")
    parts: list[list[Any]] = [[] for _ in kinds]
    lines: list[Ints] = []
    problems: list[Problem] = []
    for start, end, line, block_problems in _blocks_of_tokens(text, len(kinds)):
        values: list[Any] = []
        good = np.ones(len(line), np.bool_)
        for column, kind in enumerate(kinds):
            first, last = start[:, column], end[:, column]
            value: Any
            bad: Bools | None
            if kind in "nio":
                value, bad = _whole_numbers(text, first, last, signed=kind == "i")
                if kind == "o":
                    value[bad], bad = -1, None
            elif kind == "f":
                value, bad = _numbers(text, first, last)
            else:
                value, bad = (first, last), None
            values.append(value)
            if bad is not None and bad.any():
                for row in np.flatnonzero(bad & good).tolist():
                    token = text.token(int(first[row]), int(last[row]))
                    block_problems.append(Problem(int(line[row]), column, token))
                good &= ~bad
        for column, kind in enumerate(kinds):
            if kind == "s":
                parts[column].append(tuple(edge[good] for edge in values[column]))
            elif kind != "-":
                parts[column].append(values[column][good])
        lines.append(line[good])
        problems += block_problems
    problems.sort()
    columns = [_joined(text, kind, part) for kind, part in zip(kinds, parts, strict=True)]
    return TextColumns(columns, np.concatenate(lines) if lines else np.empty(0, np.int64), problems)


def _joined(text: _Text, kind: str, parts: list[Any]) -> Any:
    if kind == "-":
        return None
    if kind == "s":
        edges = [np.concatenate([p[i] for p in parts]) if parts else np.empty(0, np.int64) for i in (0, 1)]
        return _coded(text, *edges)
    empty = np.empty(0, np.float64 if kind == "f" else np.int64)
    return np.concatenate([empty, *parts])


def _blocks_of_tokens(text: _Text, count: int) -> Iterator[tuple[Ints, Ints, Ints, list[Problem]]]:
    """Rows of token edges, a megabyte of text at a time, with line numbers and the lines that do not fit."""
    data = text.data
    size = len(data)
    position, line = 0, 1
    while position < size:
        stop = min(size, position + _BLOCK)
        if stop < size:
            cut = data.rfind(b"\n", position, stop) + 1
            if cut == 0:
                cut = data.find(b"\n", stop) + 1 or size
            stop = cut
        piece = text.bytes[position:stop]
        blank = np.ones(len(piece) + 2, np.bool_)
        np.less_equal(piece, 32, out=blank[1:-1])
        edges = np.flatnonzero(blank[1:] != blank[:-1])
        start, end = edges[0::2] + position, edges[1::2] + position
        breaks = np.flatnonzero(piece == 10) + position
        total = len(breaks) + (stop == size and not data.endswith(b"\n"))
        problems: list[Problem] = []
        rows = len(start) // count
        uniform = len(start) == rows * count and rows == total
        if uniform:
            first, last = start.reshape(rows, count)[:, 0], end.reshape(rows, count)[:, -1]
            inner = breaks[: rows - 1]
            uniform = bool((last[:-1] <= inner).all() and (inner < first[1:]).all())
        if uniform:
            numbers = np.arange(line, line + rows)
        else:
            of_line = np.searchsorted(breaks, start)
            tokens = np.bincount(of_line, minlength=total)
            for index in np.flatnonzero((tokens != count) & (tokens > 0)).tolist():
                problems.append(Problem(line + index, -1, str(tokens[index]).encode()))
            fits = tokens[of_line] == count
            start, end = start[fits], end[fits]
            numbers = np.flatnonzero(tokens == count) + line
        yield start.reshape(-1, count), end.reshape(-1, count), numbers, problems
        line += len(breaks)
        position = stop


def _whole_numbers(text: _Text, start: Ints, end: Ints, signed: bool) -> tuple[Ints, Bools]:
    value, bad = _digits(text, start, end)
    for row in np.flatnonzero(bad).tolist():
        token = text.token(int(start[row]), int(end[row]))
        token = token if signed else (token.lstrip(b"0") or b"0")
        if _INTEGER.fullmatch(token) and (signed or token.isdigit()):
            value[row] = int(token)
            bad[row] = False
    return value, bad


def _digits(text: _Text, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Up to 16 digits as a number (nothing is 0); and whether they are too many or no digits."""
    size = end - start
    words = text.words(start, np.minimum(end, start + 16))
    value = np.zeros(len(start), np.int64)
    good = size <= 16
    for j in range(words.shape[1]):
        here = np.clip(size - 8 * j, 0, 8)
        digits, fine = _eight_digits(words[:, j], here.astype(np.uint64))
        good &= fine
        value = digits if j == 0 else value * _POWERS[here] + digits
    return value, ~good


def _eight_digits(words: Words, size: NDArray[np.uint64]) -> tuple[Ints, Bools]:
    """Up to eight ASCII digits in a word, as a number; and whether they are all digits."""
    u = np.uint64
    shift = (u(64) - u(8) * size) & u(63)
    digits = (words ^ (_ZEROS >> shift)) << shift
    digits[size == 0] = 0
    high = (digits + u(0x0606060606060606)) | digits
    fine = (high & u(0xF0F0F0F0F0F0F0F0)) == 0
    value = (digits * u(10) + (digits >> u(8))) & u(0x00FF00FF00FF00FF)
    value = (value * u(100) + (value >> u(16))) & u(0x0000FFFF0000FFFF)
    value = (value * u(10000) + (value >> u(32))) & u(0xFFFFFFFF)
    return value.astype(np.int64), fine


def _numbers(text: _Text, start: Ints, end: Ints) -> tuple[Floats, Bools]:
    """Decimal numbers. Up to 15 digits are exact as an integer over a power of ten; others go one by one."""
    negative = text.bytes[start] == 45
    begin = start + negative
    point = _first_point(text, begin, end)
    after = np.minimum(point + 1, end)
    whole, bad = _digits(text, begin, point)
    part, bad_part = _digits(text, after, end)
    places = end - after
    count = point - begin + places
    bad |= bad_part | (count == 0) | (count > 15)
    value = (whole * _POWERS[np.minimum(places, 18)] + part) / _TENTHS[np.minimum(places, 22)]
    np.negative(value, out=value, where=negative)
    for row in np.flatnonzero(bad).tolist():
        token = text.token(int(start[row]), int(end[row]))
        if _FLOAT.fullmatch(token):
            value[row] = float(token)
            bad[row] = False
    return value, bad


def _first_point(text: _Text, start: Ints, end: Ints) -> Ints:
    """Where the first ``.`` of each token stands, within its first 16 bytes; its end if nowhere there."""
    words = text.words(start, np.minimum(end, start + 16))
    found = end.copy()
    for j in range(words.shape[1] - 1, -1, -1):
        dots = words[:, j] ^ _DOTS
        marks = (dots - _ONES) & ~dots & _HIGHS
        here = np.flatnonzero(marks)
        lowest = marks[here] & (~marks[here] + np.uint64(1))
        found[here] = start[here] + 8 * j + (np.frexp(lowest.astype(np.float64))[1] - 1) // 8
    return found


class Tokens:
    """Distinct strings of a text, by their edges in it: found in one another without making a string of each."""

    def __init__(self, text: _Text, start: Ints, end: Ints) -> None:
        self.text, self.start, self.end = text, start, end

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Tokens:
        end = np.cumsum([len(string) for string in strings], dtype=np.int64)
        start = end - np.array([len(string) for string in strings], np.int64)
        return cls(_Text(b"".join(strings)), start, end)

    @classmethod
    def within(cls, data: bytes, start: Ints, end: Ints) -> Tokens:
        """The strings between these edges of a text."""
        return cls(_Text(data), start, end)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, code: int) -> bytes:
        return self.text.data[self.start[code] : self.end[code]]

    def __iter__(self) -> Iterator[bytes]:
        data = self.text.data
        return (data[start:end] for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True))

    @property
    def longest(self) -> int:
        return int((self.end - self.start).max(initial=0))

    def codes_in(self, others: Tokens) -> Ints:
        """The code that each string has among the others, -1 where it is not there."""
        if not len(self) or not len(others):
            return np.full(len(self), -1)
        if max(self.longest, others.longest) > _LONGEST_FAST or b"\x00" in others.text.data:
            index = {others[code]: code for code in range(len(others))}
            return np.fromiter((index.get(self[code], -1) for code in range(len(self))), np.int64)
        mine, theirs = self.text.words(self.start, self.end), others.text.words(others.start, others.end)
        width = max(mine.shape[1], theirs.shape[1])
        mine, theirs = _widened(mine, width), _widened(theirs, width)
        keys, wanted = _hashed(theirs), _hashed(mine)
        order = np.argsort(keys, kind="stable")
        found = np.full(len(self), -1)
        at = np.searchsorted(keys[order], wanted)
        while True:  # strings with one hash stand side by side
            near = np.minimum(at, len(order) - 1)
            open_ = (found < 0) & (at < len(order)) & (keys[order[near]] == wanted)
            if not open_.any():
                return found
            same = open_ & (theirs[order[near]] == mine).all(axis=1)
            found[same] = order[near[same]]
            at += 1


def _widened(words: Words, width: int) -> Words:
    return np.pad(words, ((0, 0), (0, width - words.shape[1])))


def _hashed(words: Words) -> Words:
    key = words[:, 0]
    for j in range(1, words.shape[1]):
        key = (key ^ (key >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + words[:, j]
    return key


def _coded(text: _Text, start: Ints, end: Ints) -> tuple[Ints, Tokens]:
    """A code for each token, and the distinct tokens."""
    if not len(start):
        return np.empty(0, np.int64), Tokens(text, start, end)
    if int((end - start).max()) > _LONGEST_FAST:
        index: dict[bytes, int] = {}
        edges = zip(start.tolist(), end.tolist(), strict=True)
        codes = np.fromiter((index.setdefault(text.data[s:e], len(index)) for s, e in edges), np.int64)
        _, first = np.unique(codes, return_index=True)
        return codes, Tokens(text, start[first], end[first])
    words = text.words(start, end)
    fresh = np.ones(len(words), np.bool_)
    fresh[1:] = (words[1:] != words[:-1]).any(axis=1) if words.shape[1] > 1 else words[1:, 0] != words[:-1, 0]
    stretches = np.flatnonzero(fresh)
    if 2 * len(stretches) < len(words):
        codes, tokens = _coded(text, start[stretches], end[stretches])
        return np.repeat(codes, np.diff(np.append(stretches, len(words)))), tokens
    keys = _hashed(words)
    order = np.argsort(keys)
    fresh = np.ones(len(keys), np.bool_)
    fresh[1:] = keys[order[1:]] != keys[order[:-1]]
    codes = np.empty(len(keys), np.int64)
    codes[order] = np.cumsum(fresh) - 1
    first = order[fresh]
    if words.shape[1] > 1 and (words != words[first[codes]]).any():
        _, first, codes = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return codes.reshape(-1), Tokens(text, start[first], end[first])


@dataclass(frozen=True, eq=False, repr=False)
class Passages:
    """Lines ``topic Q0 doc relevant-chars length bep offset:length ...``; `row_of` gives a passage's row.

    A string column is a pair: the code of each row, and the string of each code, in the order of the file.
    """

    query: tuple[Ints, Sequence[bytes]]
    doc: tuple[Ints, Sequence[bytes]]
    relevant: Ints
    length: Ints
    bep: Ints
    lines: Ints
    row_of: Ints
    start: Ints
    size: Ints
    problems: list[Problem]


def read_passages(data: bytes) -> Passages:
    """Read FOL assessments. A line that cannot be read is left out and listed as a problem."""
    query: list[int] = []
    doc: list[int] = []
    queries: dict[bytes, int] = {}
    docs: dict[bytes, int] = {}
    relevant: list[int] = []
    length: list[int] = []
    bep: list[int] = []
    lines: list[int] = []
    row_of: list[int] = []
    start: list[int] = []
    size: list[int] = []
    problems: list[Problem] = []
    for number, line in enumerate(data.translate(_BLANKS).split(b"\n"), 1):
        tokens = line.split()
        if not tokens:
            continue
        if len(tokens) < 6:
            problems.append(Problem(number, -1, str(len(tokens)).encode()))
            continue
        for column in (3, 4, 5):
            token = tokens[column]
            if not (token.isdigit() and len(token) <= 18) and not (column == 5 and token == b"-1"):
                problems.append(Problem(number, column, token))
                break
        else:
            pairs: list[int] = []
            for column, token in enumerate(tokens[6:], 6):
                first, colon, second = token.partition(b":")
                if not (colon and first.isdigit() and second.isdigit()):
                    problems.append(Problem(number, column, token))
                    break
                if max(len(first), len(second)) > 18:
                    problems.append(Problem(number, column, max(first, second, key=len)))
                    break
                pairs += int(first), int(second)
            else:
                start += pairs[0::2]
                size += pairs[1::2]
                row_of += [len(query)] * (len(pairs) // 2)
                query.append(queries.setdefault(tokens[0], len(queries)))
                doc.append(docs.setdefault(tokens[2], len(docs)))
                relevant.append(int(tokens[3]))
                length.append(int(tokens[4]))
                bep.append(int(tokens[5]))
                lines.append(number)
    return Passages(
        (np.array(query, np.int64), list(queries)),
        (np.array(doc, np.int64), list(docs)),
        np.array(relevant, np.int64),
        np.array(length, np.int64),
        np.array(bep, np.int64),
        np.array(lines, np.int64),
        np.array(row_of, np.int64),
        np.array(start, np.int64),
        np.array(size, np.int64),
        problems,
    )


def content(data: bytes) -> tuple[bool, bool, bool]:
    """Whether a text is ASCII, whether it is UTF-8, and whether it has a NUL byte."""
    data = bytes(data)
    try:
        data.isascii() or data.decode()
        is_utf8 = True
    except UnicodeDecodeError:
        is_utf8 = False
    return data.isascii(), is_utf8, b"\x00" in data


def line_shapes(data: bytes) -> tuple[Ints, Ints, Ints]:
    """The lines that are not empty: number, columns, whether the last (1) and the one before (2) begin with ``/``."""
    found = []
    for number, line in enumerate(data.translate(_BLANKS).split(b"\n"), 1):
        tokens = line.split()
        if tokens:
            slashes = sum(bit for token, bit in zip(tokens[:-3:-1], (1, 2), strict=False) if token.startswith(b"/"))
            found.append((number, len(tokens), slashes))
    line_number, columns, slashed = np.array(found, np.int64).reshape(-1, 3).T
    return line_number, columns, slashed


def last_topic(data: bytes) -> int:
    """Where the last stretch of whole lines begins that have the same first column; 0 if all have.

    An unfinished line belongs to it.
    """
    stop = data.rfind(b"\n") + 1
    boundary, topic = stop, b""
    while stop > 0:
        line = data.rfind(b"\n", 0, stop - 1) + 1
        here = data[line:stop].translate(_BLANKS).split(None, 1)[:1]
        if here:
            if topic and here[0] != topic:
                return boundary
            topic, boundary = here[0], line
        stop = line
    return 0


# ---- rows of a run ------------------------------------------------------------------------------------------


def ordered_ties(topic: Ints, rank: Ints) -> Ints | None:
    """The tie group of each row if rows rise by topic, then rank, and none lacks a rank; else None."""
    same = topic[1:] == topic[:-1]
    rises = (topic[1:] > topic[:-1]) | (same & (rank[1:] >= rank[:-1]))
    if not rises.all() or (rank < 0).any():
        return None
    tie = np.zeros(len(topic), np.int64)
    np.cumsum(~same | (rank[1:] != rank[:-1]), out=tie[1:])
    return tie


def pairs_of(topic: Ints, doc: Ints, pair_offsets: Ints, pair_doc: Ints, docs: int) -> Ints:
    """The judged pair of each topic and document, -1 where the document is not judged for the topic.

    The documents judged for topic t are ``pair_doc[pair_offsets[t]:pair_offsets[t+1]]``, sorted; documents from `docs`
    on are judged for none.
    """
    pair = np.full(len(topic), -1)
    if not len(pair_doc):
        return pair
    key = np.repeat(np.arange(len(pair_offsets) - 1), np.diff(pair_offsets)) * docs + pair_doc
    known = np.flatnonzero(doc < docs)
    wanted = topic[known] * docs + doc[known]
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    pair[known] = np.where(key[at] == wanted, at, -1)
    return pair


def keep_memory() -> None:
    """Keep freed memory for the next batch, where that can be arranged; for processes of our own."""


def judged_index(names: Tokens, pair_offsets: Ints, pair_doc: Ints) -> Any:
    """What finds the judged pairs of tokens; here there is none, since here all strings are coded."""
    return None


def first_of_each(code: Ints) -> tuple[Ints, Ints]:
    """Codes numbered anew in the order of their first rows, and the first row of each."""
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    in_order = np.argsort(first)
    place = np.empty(len(first), np.int64)
    place[in_order] = np.arange(len(first))
    return place[inverse.reshape(-1)], first[in_order]


# ---- sets of characters -------------------------------------------------------------------------------------


def _order(group: Ints, position: Ints) -> Ints:
    """A stable order by group, then position."""
    if not len(group):
        return np.empty(0, np.int64)
    stride = int(position.max()) + 1
    if (int(group.max()) + 1) * stride < 2**62:
        return np.argsort(group * stride + position, kind="stable")
    return np.lexsort((position, group))


def merge_spans(owner: Ints, start: Ints, end: Ints, touching: bool = False) -> tuple[Ints, Ints, Ints]:
    """The union of each owner's spans: sorted by owner and start, empty ones dropped, overlapping ones merged.

    Spans that only touch stay two, or are merged with `touching`.
    """
    keep = end > start
    owner, start, end = owner[keep], start[keep], end[keep]
    if not len(owner):
        return owner, start, end
    order = _order(owner, start)
    owner, start, end = owner[order], start[order], end[order]
    changes = np.ones(len(owner), np.bool_)
    changes[1:] = owner[1:] != owner[:-1]
    # A running maximum within each owner, over ranks of the ends so that it cannot overflow.
    values, rank = np.unique(end, return_inverse=True)
    reach = np.maximum.accumulate((np.cumsum(changes) - 1) * len(values) + rank) % len(values)
    fresh = changes
    fresh[1:] |= start[1:] > values[reach[:-1]] if touching else start[1:] >= values[reach[:-1]]
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(owner)) - 1
    return owner[first], start[first], values[reach[last]]


def novel_lengths(owner: Ints, group: Ints, start: Ints, end: Ints, owners: int) -> Ints:
    """How many positions each owner covers that no owner of a lower number covers, within the same group."""
    novel = np.zeros(owners, np.int64)
    keep = end > start
    owner, group, start, end = owner[keep], group[keep], start[keep], end[keep]
    count = len(owner)
    if not count:
        return novel
    order = _order(group, start)
    sorted_group = group[order]
    apart = (end[order][:-1] <= start[order][1:]) | (sorted_group[1:] != sorted_group[:-1])
    if apart.all():
        np.add.at(novel, owner, end - start)
        return novel
    position = np.concatenate([start, end])
    both = np.concatenate([group, group])
    order = _order(both, position)
    position, both = position[order], both[order]
    fresh = np.ones(2 * count, np.bool_)
    fresh[1:] = (position[1:] != position[:-1]) | (both[1:] != both[:-1])
    place = np.empty(2 * count, np.int64)
    place[order] = np.cumsum(fresh) - 1
    edge = position[fresh]
    first = _first_cover(place[:count], place[count:], owner, len(edge))
    covered = np.flatnonzero(first[:-1] < owners)
    np.add.at(novel, first[covered], edge[covered + 1] - edge[covered])
    return novel


def _first_cover(first: Ints, last: Ints, owner: Ints, cells: int) -> Ints:
    """The lowest owner over each cell, where owner k covers the cells ``first[k]`` to ``last[k] - 1``.

    Every stretch is two overlapping blocks of a power of two; blocks are then halved, level by level.
    """
    nobody = np.iinfo(np.int64).max
    level = np.frexp((last - first).astype(np.float64))[1] - 1
    lowest = np.full(cells, nobody, np.int64)
    for height in range(int(level.max()), -1, -1):
        here = level == height
        if here.any():
            np.minimum.at(lowest, first[here], owner[here])
            np.minimum.at(lowest, last[here] - (1 << height), owner[here])
        if height:
            half = 1 << (height - 1)
            halved = lowest.copy()
            np.minimum(halved[half:], lowest[:-half], out=halved[half:])
            lowest = halved
    return lowest


def highlighted_before(pair: Ints, position: Ints, offsets: Ints, start: Ints, end: Ints, before: Ints) -> Ints:
    """Positions on the axis on which all highlighted passages lie end to end.

    Passages ``offsets[p]:offsets[p+1]`` are those of pair p, sorted and disjoint; `before` is the axis position of
    each passage's start (one more at the end).
    """
    low, high = offsets[pair], offsets[pair + 1]
    floor = low
    while True:
        open_ = low < high
        if not open_.any():
            break
        middle = (low + high) // 2
        right = np.zeros(len(low), np.bool_)
        right[open_] = start[middle[open_]] < position[open_]
        low = np.where(open_ & right, middle + 1, low)
        high = np.where(open_ & ~right, middle, high)
    inside = low > floor
    at = np.maximum(low - 1, 0)
    if not len(start):
        return before[floor]
    return np.where(inside, before[at] + np.minimum(position, end[at]) - start[at], before[floor])


def highlighted_rows(
    pair: Ints,
    span_offsets: Ints,
    span_start: Ints,
    span_end: Ints,
    offsets: Ints,
    start: Ints,
    end: Ints,
    before: Ints,
) -> tuple[Ints, Ints]:
    """Highlighted characters in each row, and those of them that no earlier row has.

    Row i owns the spans ``span_offsets[i]:span_offsets[i+1]``; its pair is -1 where nothing is judged. The passages are
    those of `highlighted_before`.
    """
    owner = np.repeat(np.arange(len(pair)), np.diff(span_offsets))
    inside = np.flatnonzero(pair[owner] >= 0)
    owner = owner[inside]
    low = highlighted_before(pair[owner], span_start[inside], offsets, start, end, before)
    high = highlighted_before(pair[owner], span_end[inside], offsets, start, end, before)
    touched = high > low
    owner, low, high = owner[touched], low[touched], high[touched]
    found = np.zeros(len(pair), np.int64)
    np.add.at(found, owner, high - low)
    # No two pairs meet on the axis, so one group holds them all.
    return found, novel_lengths(owner, np.zeros(len(owner), np.int64), low, high, len(pair))


def repeated_parts(within: Ints, group: Ints, offsets: Ints, start: Ints, end: Ints) -> Bools:
    """Whether each row has the group and the spans of an earlier row of its stretch; rows need a span.

    Row i owns the spans ``offsets[i]:offsets[i+1]``; stretch t is the rows ``within[t]:within[t+1]``.
    """
    counts = np.diff(offsets)
    again = np.zeros(len(counts), np.bool_)
    rows = np.flatnonzero(counts > 0)
    stretch = np.repeat(np.arange(len(within) - 1), np.diff(within))
    if (counts == 1).all() and not _may_repeat(stretch, group, start, end):
        return again
    code = _classes(stretch[rows], group[rows], counts[rows])
    compared = 0
    while len(rows):
        shared = np.bincount(code)[code] > 1
        rows, code = rows[shared], code[shared]
        done = counts[rows] == compared
        _, first = np.unique(code[done], return_index=True)
        again[rows[done]] = True
        again[rows[done][first]] = False
        rows, code = rows[~done], code[~done]
        at = offsets[rows] + compared
        code = _classes(code, start[at], end[at])
        compared += 1
    return again


def _may_repeat(*columns: Ints) -> bool:
    """Whether two rows may be equal in all columns; a quick no is certain."""
    key = _row_hash(columns)
    key.sort()
    return bool((key[1:] == key[:-1]).any())


def _row_hash(columns: Sequence[Ints]) -> Words:
    """A number for each row, equal for equal rows and hardly ever for others."""
    key = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        key = (key ^ (key >> np.uint64(31)) ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    return key


def _classes(*columns: Ints) -> Ints:
    """A number for each distinct row."""
    if not len(columns[0]):
        return np.empty(0, np.int64)
    order = np.lexsort(columns)
    fresh = np.zeros(len(order), np.bool_)
    for column in columns:
        fresh[1:] |= column[order[1:]] != column[order[:-1]]
    code = np.empty(len(order), np.int64)
    code[order] = np.cumsum(fresh)
    return code


# ---- curves -------------------------------------------------------------------------------------------------


def precision_by_rank(offsets: Ints, found: Ints, fresh: Ints, size: Ints, alpha: float) -> Floats:
    """Gain by characters read, from the first row of its topic down to each row.

    Per row: highlighted characters found, those of them that are new, and characters read; the gain is what was found
    less `alpha` times what was seen before.
    """
    start = np.repeat(offsets[:-1], np.diff(offsets))
    end = np.arange(1, len(start) + 1)
    sums = [np.concatenate([[0], np.cumsum(column)]) for column in (found, found - fresh, size)]
    total, seen, read = (column[end] - column[start] for column in sums)
    whole = read.astype(np.float64)
    precision: Floats = np.divide(total - alpha * seen, whole, out=np.zeros(len(whole)), where=whole != 0)
    return precision


def best_precision(
    offsets: Ints,
    found: Ints,
    fresh: Ints,
    size: Ints,
    alpha: float,
    ratio: tuple[int, int],
    relevant: Ints,
    levels: tuple[Sequence[int], Sequence[int]],
) -> Floats:
    """The best precision of every topic at every recall level or beyond, 0 where the level is not reached.

    Levels are fractions (numerators and denominators), rising. They are decided in whole numbers: with alpha = p/q,
    the `ratio`, gains are counted in units of 1/q character.
    """
    p, q = ratio
    over = max(levels[1], default=1)
    largest = max(int(found.sum()), int(relevant.max(initial=0)) * over) * q
    kind: Any = np.int64 if max(largest, over) < LARGEST_SUM else object
    numerator, denominator = (np.array(column, kind) for column in levels)
    gained = np.concatenate([[0], np.cumsum(found)]).astype(kind) * q
    gained -= np.concatenate([[0], np.cumsum(found - fresh)]).astype(kind) * p
    need = -(-(relevant.astype(kind) * q)[:, None] * numerator // denominator)
    row = np.searchsorted(gained[1:], gained[offsets[:-1], None] + need)
    first = np.clip(row, offsets[:-1, None], offsets[1:, None])
    return best_from(precision_by_rank(offsets, found, fresh, size, alpha), first, offsets[1:])


def best_from(values: Floats, first: Ints, end: Ints) -> Floats:
    """The highest of ``values[first[t, j]:end[t]]``, 0 where that is empty; `first` rises along each row."""
    bounds = np.concatenate([first, end[:, None]], axis=1)
    padded = np.append(values, 0.0)
    best = np.maximum.reduceat(padded, bounds.reshape(-1)).reshape(bounds.shape)[:, :-1]
    best = np.where(bounds[:, :-1] < bounds[:, 1:], best, 0.0)
    return np.ascontiguousarray(np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1])


def segment_sums(values: NDArray[Any], start: Ints, end: Ints) -> Any:
    """The sum of ``values[start[t]:end[t]]``, each by itself, so that it has the same bits in any company."""
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    padded = np.append(values, values.dtype.type(0))
    bounds = np.stack([start, end], axis=1).reshape(-1)
    total = np.add.reduceat(padded, bounds)[::2] if len(bounds) else padded[:0]
    return np.where(start < end, total, 0)


def running_sums(values: Floats, offsets: Ints) -> Floats:
    """Sums from the start of each segment, each by itself."""
    sums = np.empty(len(values))
    for low, high in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        np.cumsum(values[low:high], out=sums[low:high])
    return sums


def tolerant_reading(
    count: int,
    length: Ints,
    read: tuple[Ints, Ints, Ints],
    relevant: tuple[Ints, Ints, Ints],
    tolerance: int,
) -> tuple[Ints, Ints]:
    """Relevant and irrelevant characters read in each of `count` documents.

    The reader takes the spans `read` (document, start, end) in document order, then the rest of the document in
    document order, and stops as soon as `tolerance` irrelevant characters are read.
    """
    doc = np.concatenate([read[0], read[0], relevant[0], relevant[0], np.arange(count), np.arange(count)])
    limit = length[doc]
    zeros = np.zeros(count, np.int64)
    at = np.minimum(np.concatenate([read[1], read[2], relevant[1], relevant[2], zeros, length]), limit)
    step = np.concatenate([np.ones(len(read[0]), np.int64), -np.ones(len(read[0]), np.int64)])
    mark = np.concatenate([np.ones(len(relevant[0]), np.int64), -np.ones(len(relevant[0]), np.int64)])
    shown = np.concatenate([step, np.zeros(len(mark) + 2 * count, np.int64)])
    liked = np.concatenate([np.zeros(len(step), np.int64), mark, np.zeros(2 * count, np.int64)])
    order = _order(doc, at)
    doc, at = doc[order], at[order]
    is_shown = (np.cumsum(shown[order]) > 0)[:-1]
    is_liked = (np.cumsum(liked[order]) > 0)[:-1]
    size = np.where(doc[1:] == doc[:-1], at[1:] - at[:-1], 0)
    doc = doc[:-1]
    order = np.lexsort((~is_shown, doc))
    doc, size, is_liked = doc[order], size[order], is_liked[order]
    dull = np.where(is_liked, 0, size)
    passed = np.cumsum(dull) - dull
    first = np.searchsorted(doc, np.arange(count))
    passed -= passed[np.minimum(first, len(passed) - 1)][doc] if len(doc) else 0
    good = np.zeros(count, np.int64)
    bad = np.zeros(count, np.int64)
    np.add.at(good, doc, np.where(is_liked & (passed < tolerance), size, 0))
    np.add.at(bad, doc, np.clip(tolerance - passed, 0, dull))
    return good, bad


# ---- trees --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The nodes of a document in preorder: parent, number behind the last descendant, and span."""

    parent: Ints
    last: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Trees:
    """The nodes of documents, one document after the other; each document numbers its own from 0."""

    offsets: Ints
    parent: Ints
    last: Ints
    start: Ints
    end: Ints

    def nodes(self, document: int) -> slice:
        return slice(int(self.offsets[document]), int(self.offsets[document + 1]))

    def tree(self, document: int) -> Tree:
        inside = self.nodes(document)
        return Tree(self.parent[inside], self.last[inside], self.start[inside], self.end[inside])


class _SeenText:
    """The characters seen so far, as disjoint sorted stretches."""

    def __init__(self) -> None:
        self.start = np.empty(0, np.int64)
        self.end = np.empty(0, np.int64)
        self.before = np.zeros(1, np.int64)

    def add(self, start: Ints, end: Ints) -> None:
        zeros = np.zeros(len(self.start) + len(start), np.int64)
        both = np.concatenate([self.start, start]), np.concatenate([self.end, end])
        _, self.start, self.end = merge_spans(zeros, *both, touching=True)
        self.before = np.concatenate([[0], np.cumsum(self.end - self.start)])

    def until(self, position: Ints) -> Ints:
        """How many seen characters lie before each position."""
        if not len(self.start):
            return np.zeros(len(position), np.int64)
        at = np.searchsorted(self.start, position, side="right") - 1
        inside = np.maximum(at, 0)
        part = np.minimum(position, self.end[inside]) - self.start[inside]
        return np.where(at >= 0, self.before[inside] + part, 0)


def nodes_at(
    offsets: Ints, start: Ints, end: Ints, depth: Ints, document: Ints, wanted_start: Ints, wanted_end: Ints
) -> Ints:
    """The node that covers exactly each wanted span, the deepest of several (the first of equally deep), -1 if none.

    The nodes of document d are ``offsets[d]:offsets[d+1]``, numbered from 0; spans stand document by document.
    """
    found = np.empty(len(document), np.int64)
    bounds = np.searchsorted(document, np.arange(len(offsets))).tolist()
    for (low, high), (first, last) in zip(pairwise(offsets.tolist()), pairwise(bounds), strict=True):
        if first < last:
            spans = wanted_start[first:last], wanted_end[first:last]
            found[first:last] = _nodes_in_document(start[low:high], end[low:high], depth[low:high], *spans)
    return found


def _nodes_in_document(start: Ints, end: Ints, depth: Ints, wanted_start: Ints, wanted_end: Ints) -> Ints:
    order = np.lexsort((np.arange(len(start)), -depth, end, start))
    length = int(end.max(initial=0)) + 1
    key = start[order] * length + end[order]
    inside = wanted_end < length
    wanted = np.where(inside, wanted_start * length + wanted_end, -1)
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    return np.where(inside & (key[at] == wanted), order[at], -1)


def passages_found(
    pair: Ints,
    position: Ints,
    length: Ints,
    offsets: Ints,
    start: Ints,
    end: Ints,
    tolerance: int,
    one: bool,
) -> Ints:
    """The results that find a passage, once for each passage they find.

    A reader begins at `position` in the document of `pair` and reads on until `tolerance` irrelevant characters in a
    row, or, with `one`, to the end of the first passage not found before.
    """
    found = np.zeros(len(start), np.bool_)
    finders: list[int] = []
    for i, (document, at, size) in enumerate(zip(pair.tolist(), position.tolist(), length.tolist(), strict=True)):
        if at >= size:
            continue
        for passage in range(int(offsets[document]), int(offsets[document + 1])):
            if end[passage] <= at:
                continue
            if start[passage] - at >= tolerance:
                break
            at = int(end[passage])
            if not found[passage]:
                found[passage] = True
                finders.append(i)
                if one:
                    break
    return np.array(finders, np.int64)


def element_gains(
    trees: Trees,
    value: Floats,
    ideal_offsets: Ints,
    ideal: Ints,
    row_offsets: Ints,
    nodes: Ints,
    span_offsets: Ints,
    span_start: Ints,
    span_end: Ints,
    alpha: float,
    shared: bool,
) -> tuple[Floats, Floats]:
    """The gain of each result, document by document in rank order, and what each ideal element gave.

    A result is an element (its number in `nodes`) or only text (-1), and shows ``span_offsets[i]:span_offsets[i+1]``.
    With `shared` it draws on the budgets of all ideal elements above, below or equal to it; else on its own alone.
    """
    gains, given = np.zeros(len(nodes)), np.zeros(len(ideal))
    for document, (low, high) in enumerate(pairwise(row_offsets.tolist())):
        ideals = slice(int(ideal_offsets[document]), int(ideal_offsets[document + 1]))
        spans = [(span_start[a:b], span_end[a:b]) for a, b in pairwise(span_offsets[low : high + 1].tolist())]
        of_document = trees.tree(document), value[trees.nodes(document)], ideal[ideals], nodes[low:high], spans
        gains[low:high], given[ideals] = _gains_in_document(*of_document, alpha, shared)
    return gains, given


def _gains_in_document(
    tree: Tree,
    value: Floats,
    ideal: Ints,
    nodes: Ints,
    spans: Sequence[tuple[Ints, Ints]],
    alpha: float,
    shared: bool,
) -> tuple[Floats, Floats]:
    left = value[ideal].astype(np.float64)
    given = np.zeros(len(ideal))
    shown = np.zeros(len(value), np.bool_)
    seen = _SeenText()
    gains = np.zeros(len(nodes))
    for i, node in enumerate(nodes.tolist()):
        if node >= 0 and value[node] > 0:
            worth = _worth_now(tree, value, node, shown, seen, alpha)
            if shared:
                related = ((ideal >= node) & (ideal < tree.last[node])) | ((ideal < node) & (tree.last[ideal] > node))
            else:
                related = ideal == node
            available = float(left[related].sum())
            gain = max(0.0, min(worth, available))
            if gain >= _SMALLEST_GAIN:
                share = gain * left[related] / available
                left[related] -= share
                given[related] += share
                gains[i] = gain
        if node >= 0:
            shown[node : tree.last[node]] = True
        seen.add(*spans[i])
    return gains, given


_SMALLEST_GAIN = 1e-9


def _worth_now(tree: Tree, value: Floats, node: int, shown: Bools, seen: _SeenText, alpha: float) -> float:
    """The value of an element given what was seen: all of it, none, or by way of its children what is new."""
    whole = float(value[node])
    size = int(tree.end[node] - tree.start[node])
    edges = seen.until(np.array([tree.start[node], tree.end[node]]))
    covered = int(edges[1] - edges[0])
    if shown[node] or (size > 0 and covered == size):
        return (1 - alpha) * whole
    if covered == 0:
        return whole
    inside = slice(node, int(tree.last[node]))
    sizes = tree.end[inside] - tree.start[inside]
    covers = seen.until(tree.end[inside]) - seen.until(tree.start[inside])
    values = value[inside]
    full = shown[inside] | ((sizes > 0) & (covers == sizes))
    partial = ~full & (covers > 0)
    worth = np.where(full, (1 - alpha) * values, values)
    parent = tree.parent[inside] - node
    count = len(values)
    new = sizes - covers
    own = new - np.bincount(parent[1:], new[1:], minlength=count)
    weight = np.where(partial, 0.0, worth * sizes)
    of_children = np.bincount(parent[1:], weight[1:], minlength=count)
    for i in np.flatnonzero(partial)[::-1].tolist():
        fresh = (of_children[i] + values[i] * own[i]) / sizes[i]
        worth[i] = min(values[i], alpha * fresh + (1 - alpha) * values[i])
        if i:
            of_children[parent[i]] += worth[i] * sizes[i]
    return float(worth[0])


# ---- navigation ---------------------------------------------------------------------------------------------


def equal_rows(first: Sequence[Ints], second: Sequence[Ints]) -> tuple[Ints, Ints]:
    """All pairs (i, j) of rows that are equal in all columns."""
    i, j = pairs_of_groups(_row_hash(first), _row_hash(second))
    equal = np.ones(len(i), np.bool_)
    for a, b in zip(first, second, strict=True):
        equal &= a[i] == b[j]
    return i[equal], j[equal]


def pairs_of_groups(first: NDArray[Any], second: NDArray[Any]) -> tuple[Ints, Ints]:
    """All pairs (i, j) with ``first[i] == second[j]``, by i and then by j."""
    order = np.argsort(second, kind="stable")
    ordered = second[order]
    low = np.searchsorted(ordered, first)
    counts = np.searchsorted(ordered, first, side="right") - low
    i = np.repeat(np.arange(len(first)), counts)
    begins = np.cumsum(counts) - counts
    j = order[np.arange(len(i)) + np.repeat(low - begins, counts)] if len(i) else i
    return i, j


def shared_lengths(
    group_a: Ints,
    offsets_a: Ints,
    start_a: Ints,
    end_a: Ints,
    group_b: Ints,
    offsets_b: Ints,
    start_b: Ints,
    end_b: Ints,
) -> tuple[Ints, Ints, Ints]:
    """The pairs (i, j) of one group that have positions in common, and how many; each owns disjoint spans."""
    owner_a = np.repeat(np.arange(len(group_a)), np.diff(offsets_a))
    owner_b = np.repeat(np.arange(len(group_b)), np.diff(offsets_b))
    i, j = pairs_of_groups(group_a[owner_a], group_b[owner_b])
    shared = np.minimum(end_a[i], end_b[j]) - np.maximum(start_a[i], start_b[j])
    there = shared > 0
    a, b, shared = owner_a[i[there]], owner_b[j[there]], shared[there]
    if (np.diff(offsets_a) == 1).all() and (np.diff(offsets_b) == 1).all():
        return a, b, shared
    key, inverse = np.unique(a * max(len(group_b), 1) + b, return_inverse=True)
    total = np.zeros(len(key), np.int64)
    np.add.at(total, inverse, shared)
    return key // max(len(group_b), 1), key % max(len(group_b), 1), total


def running_products(values: Floats, segment: Ints) -> Floats:
    """Products from the start of each stretch of equal segments down to each value, each stretch by itself."""
    products = values.copy()
    fresh = np.ones(len(values), np.bool_)
    fresh[1:] = segment[1:] != segment[:-1]
    first = np.flatnonzero(fresh)
    place = np.arange(len(values)) - first[np.cumsum(fresh) - 1] if len(values) else np.empty(0, np.int64)
    reach, later = 1, np.flatnonzero(place >= 1)
    while len(later):
        products[later] *= products[later - reach]
        reach *= 2
        later = later[place[later] >= reach]
    return products


CELLS = 1 << 22
"""Numbers of a block of distributions that are held at once."""


def _count_distributions(
    topic: Ints, first: Ints, last: Ints, unseen: Floats, seen: Floats, moments: Ints
) -> Iterator[tuple[Ints, Floats]]:
    """The coefficients of the product of (unseen + seen*z) over the factors that hold at a moment, block by block.

    Topic t has ``moments[t]`` moments, numbered on from topic to topic; a factor of it holds at ``first..last-1`` of
    them. Stretches are put together from blocks of a power of two, level by level, so that a factor is multiplied in
    O(log moments) times and never divided out: every term is positive. Topics stand in blocks of their own, so that
    they have the same bits in any company, and moments are worked on in parts only where they are too many to be held.
    """
    begin = np.cumsum(moments) - moments
    size = 1 << np.ceil(np.log2(np.maximum(moments, 1))).astype(np.int64)
    events = np.zeros(int(moments.sum()) + len(moments) + 1, np.int64)
    shifted = begin + np.arange(len(moments))  # one moment more for each, at which all factors have ended
    np.add.at(events, shifted[topic] + first, 1)
    np.add.at(events, shifted[topic] + last, -1)
    at_once = np.cumsum(events)
    degree = np.maximum.reduceat(at_once, shifted) if len(moments) else moments
    for group in _groups_of_topics(size, degree + 1):
        width = int(degree[group].max()) + 1
        inside = np.isin(topic, group)
        base = np.zeros(len(moments), np.int64)
        base[group] = np.cumsum(size[group]) - size[group]
        leaves = 1 << (int(size[group].sum()) - 1).bit_length()
        left, right = base[topic[inside]] + first[inside], base[topic[inside]] + last[inside]
        placed = _placed(left + leaves, right + leaves, leaves)
        place = np.arange(int(moments[group].sum()))
        place -= np.repeat(np.cumsum(moments[group]) - moments[group], moments[group])
        cells = place + np.repeat(begin[group], moments[group])
        leaf = place + np.repeat(base[group], moments[group])
        together = leaves
        while together > 1 and together * width > CELLS:
            together //= 2
        chances = unseen[inside], seen[inside]
        for low in range(0, int(leaf[-1]) + 1 if len(leaf) else 0, together):
            counts = _counts_below(placed, (leaves + low) // together, *chances, width)
            here = slice(*np.searchsorted(leaf, [low, low + together]))
            yield cells[here], counts[leaf[here] - low]


def _groups_of_topics(size: Ints, width: Ints) -> Iterator[Ints]:
    """Topics to work on together, largest blocks first, so that every block starts at a multiple of its size."""
    order = np.lexsort((-width, -size)).tolist()
    group: list[int] = []
    total = widest = 0
    for topic in order:
        if group and (total + int(size[topic])) * max(widest, int(width[topic])) > CELLS:
            yield np.array(group)
            group, total, widest = [], 0, 0
        group.append(topic)
        total, widest = total + int(size[topic]), max(widest, int(width[topic]))
    if group:
        yield np.array(group)


def _placed(left: Ints, right: Ints, leaves: int) -> list[tuple[Ints, Ints]]:
    """At which nodes of a tree factors stand, level by level from its root; one spans the leaves ``left..right-1``.

    The root is node 1, those below node i are 2i and 2i+1, leaves come last.
    """
    factor = np.arange(len(left))
    placed: list[tuple[Ints, Ints]] = []
    while leaves:
        odd, uneven = (left < right) & (left % 2 == 1), (left < right) & (right % 2 == 1)
        node = np.concatenate([left[odd], right[uneven] - 1])
        order = np.argsort(node, kind="stable")
        placed.append((node[order], np.concatenate([factor[odd], factor[uneven]])[order]))
        left, right = (left + odd) // 2, (right - uneven) // 2
        leaves //= 2
    return placed[::-1]


def _counts_below(placed: list[tuple[Ints, Ints]], root: int, unseen: Floats, seen: Floats, width: int) -> Floats:
    """The products at all leaves below a node: of the factors from the root of the tree down."""
    depth = root.bit_length() - 1
    counts = np.zeros((1, width))
    counts[0, 0] = 1.0
    for level, (nodes, factors) in enumerate(placed):
        below = level - depth
        if below > 0:
            counts = np.repeat(counts, 2, axis=0)
        begin = root << below if below > 0 else root >> -below
        low, high = np.searchsorted(nodes, [begin, begin + len(counts)])
        if low == high:
            continue
        node, which = nodes[low:high] - begin, factors[low:high]
        turn = np.arange(len(node)) - np.searchsorted(node, node)
        by_turn = np.argsort(turn, kind="stable")
        rounds = np.searchsorted(turn[by_turn], np.arange(int(turn[by_turn[-1]]) + 2)).tolist()
        rows, order = node[by_turn], which[by_turn]
        a, b = unseen[order, None], seen[order, None]
        for start, stop in pairwise(rounds):
            at = rows[start:stop]
            old = counts[at]
            fresh = old * a[start:stop]
            fresh[:, 1:] += old[:, :-1] * b[start:stop]
            counts[at] = fresh
    return counts


class _Counting:
    """How the number of units seen changes: which are certain after each step, and which are seen perhaps, and when.

    Links are sorted by topic, unit and step, and say how likely the unit is seen before and after the step; the steps
    of a topic are numbered from 0, there are ``steps[topic]``. Units are independent.
    """

    def __init__(self, topic: Ints, unit: Ints, step: Ints, before: Floats, after: Floats, steps: Ints) -> None:
        open_ = before < 1
        self.topic, self.step, self.before, self.after = topic[open_], step[open_], before[open_], after[open_]
        unit = unit[open_]
        self.steps = steps
        self.begin = np.cumsum(steps) - steps
        self.topic_of_step = np.repeat(np.arange(len(steps)), steps)
        sure = self.after >= 1
        added = np.bincount(self.begin[self.topic[sure]] + self.step[sure], minlength=int(steps.sum()))
        total = np.cumsum(added)
        known = np.append(0, total)[self.begin]
        self.certain = total - known[self.topic_of_step]
        self.added = added
        until = steps[self.topic]
        same = np.flatnonzero((unit[1:] == unit[:-1]) & (self.topic[1:] == self.topic[:-1]))
        until[same] = self.step[same + 1]
        self.perhaps = np.flatnonzero(self.after < 1)
        self.until = until[self.perhaps]


def _distinct_moments(topic: Ints, first: Ints, last: Ints, moments: Ints, asked: Ints) -> tuple[Ints, ...]:
    """Moments between two changes of their factors are one: the factors' moments anew, how many there are of each
    topic, and the moment (numbered on from topic to topic) that each of the asked ones is now."""
    begin = np.cumsum(moments) - moments
    fresh = np.zeros(int(moments.sum()) + 1, np.bool_)
    fresh[begin[topic] + first] = True
    ended = last < moments[topic]
    fresh[begin[topic[ended]] + last[ended]] = True
    fresh[begin[moments > 0]] = True
    cell = np.cumsum(fresh) - 1
    wanted, place = np.unique(cell[asked], return_inverse=True)
    topic_of_moment = np.repeat(np.arange(len(moments)), moments)
    first_moment = np.flatnonzero(fresh[:-1]) if len(asked) else np.empty(0, np.int64)
    counts = np.bincount(topic_of_moment[first_moment[wanted]], minlength=len(moments))
    offset = np.cumsum(counts) - counts

    def moved(at: Ints) -> Ints:
        # Behind the last moment of a topic stands the end of its cells.
        inside = at < moments[topic]
        where = np.searchsorted(wanted, cell[begin[topic] + np.where(inside, at, 0)])
        return np.where(inside, where - offset[topic], counts[topic])

    return moved(first), moved(last), counts, place


def chances_below(
    topic: Ints, unit: Ints, step: Ints, before: Floats, after: Floats, steps: Ints, need: Ints
) -> tuple[Floats, Floats]:
    """After each step, the chance that fewer than `need` units are seen; and that so few were, with none new, at it.

    Links as `_Counting` takes them; the steps of all topics stand one after the other in the answer.
    """
    counting = _Counting(topic, unit, step, before, after, steps)
    topic, step, before, after = counting.topic, counting.step, counting.before, counting.after
    perhaps = counting.perhaps
    # Moments: 2j is "nothing new at step j", 2j+1 is "after step j".
    owner = np.concatenate([topic[perhaps], topic])
    first = np.concatenate([2 * step[perhaps] + 1, 2 * step])
    last = np.concatenate([2 * counting.until, 2 * step + 1])
    unseen = np.concatenate([1 - after[perhaps], 1 - after])
    seen = np.concatenate([after[perhaps], before])
    most = need[counting.topic_of_step] - 1 - np.stack([counting.certain - counting.added, counting.certain])
    most = most.T.reshape(-1)
    never = most < 0
    hopeless = (after >= 1) & (before <= 0)
    never[2 * (counting.begin[topic[hopeless]] + step[hopeless])] = True
    asked = np.flatnonzero(~never)
    first, last, cells, place = _distinct_moments(owner, first, last, 2 * steps, asked)
    used = first < last
    chance = np.zeros(len(most))
    order = np.argsort(place, kind="stable")
    for found, counts in _count_distributions(owner[used], first[used], last[used], unseen[used], seen[used], cells):
        at, row = _rows_of_cells(place[order], found)
        sums = np.cumsum(counts, axis=1)
        where = asked[order[at]]
        chance[where] = sums[row, np.minimum(most[where], counts.shape[1] - 1)]
    return np.minimum(chance[1::2], 1.0), np.minimum(chance[::2], 1.0)


def _rows_of_cells(place: Ints, cells: Ints) -> tuple[Ints, Ints]:
    """For items sorted by place, those whose place is one of the cells, and which."""
    low, high = np.searchsorted(place, cells), np.searchsorted(place, cells, side="right")
    row = np.repeat(np.arange(len(cells)), high - low)
    begins = np.cumsum(high - low) - (high - low)
    return np.arange(len(row)) + np.repeat(low - begins, high - low), row


def mean_effort(
    topic: Ints, unit: Ints, step: Ints, before: Floats, after: Floats, steps: Ints, rank: Ints, units: Ints
) -> Floats:
    """The mean, over all needs from one unit to all, of the expected min(1, need / rank at which need is seen).

    Links as `_Counting` takes them; `rank` is that of each step. With phi(f, k) the sum of min(1, need/k) over the
    needs up to f, a count of f between a step at rank k and the next at rank k' adds phi(f, k) - phi(f, k').
    """
    counting = _Counting(topic, unit, step, before, after, steps)
    perhaps = counting.perhaps
    asked = np.arange(int(steps.sum()))
    owner = counting.topic[perhaps]
    seen = counting.after[perhaps]
    first, last, cells, place = _distinct_moments(owner, counting.step[perhaps], counting.until, steps, asked)
    following = np.append(rank[1:], 0).astype(np.float64)
    following[(counting.begin + steps - 1)[steps > 0]] = np.inf
    total = np.zeros(len(asked))
    order = np.argsort(place, kind="stable")
    for found, counts in _count_distributions(owner, first, last, 1 - seen, seen, cells):
        at, row = _rows_of_cells(place[order], found)
        for low in range(0, len(at), block := max(1, CELLS // counts.shape[1])):
            here = order[at[low : low + block]]
            count = counting.certain[here, None] + np.arange(counts.shape[1])
            effort = _summed_efforts(count, rank[here, None]) - _summed_efforts(count, following[here, None])
            effort *= counts[row[low : low + block]]
            total[here] = np.cumsum(effort, axis=1)[:, -1]
    return np.asarray(segment_sums(total, counting.begin, counting.begin + steps) / units, np.float64)


def _summed_efforts(count: Ints, rank: Any) -> Floats:
    """The sum of min(1, need/rank) over the needs from 1 to count; 0 at an infinite rank."""
    within = np.minimum(count, rank)
    total: Floats = within * (within + 1) / (2 * rank) + (count - within)
    return total


def mean_over_orders(owner: Ints, chance: Floats, owners: int) -> Floats:
    """For each owner, the mean over all orders of it and its items of the product of the chances of items before it.

    The mean over subsets of j items of the product of their chances follows from that over one item fewer as a weighted
    mean of two such means; the answer is the mean of these over j.
    """
    order = np.argsort(owner, kind="stable")
    owner, chance = owner[order], chance[order]
    count = np.bincount(owner, minlength=owners)
    begin = np.cumsum(count) - count
    means = np.zeros((owners, int(count.max(initial=0)) + 1))
    means[:, 0] = 1.0
    for number in range(1, means.shape[1]):
        rows = np.flatnonzero(count >= number)
        q = chance[begin[rows] + number - 1][:, None]
        size = np.arange(number + 1)
        old = means[rows, : number + 1]
        fresh = old * (number - size)
        fresh[:, 1:] += size[1:] * q * old[:, :-1]
        means[rows, : number + 1] = fresh / number
    # In order: zeros behind the means of an owner change no bit, however many items others have.
    total: Floats = np.cumsum(means, axis=1)[:, -1] / (count + 1)
    return total
