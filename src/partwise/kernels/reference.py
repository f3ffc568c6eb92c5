"""The kernels in NumPy: whole columns at a time, readable, exact in integers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class TextColumns:
    """Columns of a text file. A string column is a pair: the code of each row, the token of each code."""

    columns: list[Any]
    lines: Ints
    problems: list[Problem]


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

    `kinds` has a letter per column: ``s`` string, ``n`` whole number from 0, ``o`` the same or else -1, ``i`` whole
    number, ``f`` number, ``-`` not wanted. Empty lines are passed over. A line with another number of columns, or with
    a value of another kind, is left out and listed as a problem.
    """
    text = _Text(data)
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

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, code: int) -> bytes:
        return self.text.data[self.start[code] : self.end[code]]

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


@dataclass(frozen=True)
class Passages:
    """Lines ``topic Q0 doc relevant-chars length bep offset:length ...``; `line_of` gives a passage's line."""

    query: list[bytes]
    doc: list[bytes]
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
    query: list[bytes] = []
    doc: list[bytes] = []
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
                query.append(tokens[0])
                doc.append(tokens[2])
                relevant.append(int(tokens[3]))
                length.append(int(tokens[4]))
                bep.append(int(tokens[5]))
                lines.append(number)
    return Passages(
        query,
        doc,
        np.array(relevant, np.int64),
        np.array(length, np.int64),
        np.array(bep, np.int64),
        np.array(lines, np.int64),
        np.array(row_of, np.int64),
        np.array(start, np.int64),
        np.array(size, np.int64),
        problems,
    )


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


def repeated_parts(group: Ints, offsets: Ints, start: Ints, end: Ints) -> Bools:
    """Whether each row has the group and the spans ``offsets[i]:offsets[i+1]`` of an earlier row; rows need a span."""
    counts = np.diff(offsets)
    again = np.zeros(len(counts), np.bool_)
    rows = np.flatnonzero(counts > 0)
    if (counts == 1).all() and not _may_repeat(group, start, end):
        return again
    code = _classes(group[rows], counts[rows])
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
    key = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        key = (key ^ (key >> np.uint64(31)) ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    key.sort()
    return bool((key[1:] == key[:-1]).any())


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


@dataclass(frozen=True)
class Tree:
    """The nodes of a document in preorder: parent, number behind the last descendant, and span."""

    parent: Ints
    last: Ints
    start: Ints
    end: Ints


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


def nodes_at(start: Ints, end: Ints, depth: Ints, wanted_start: Ints, wanted_end: Ints) -> Ints:
    """The node that covers exactly each wanted span, the deepest of several (the first of equally deep), -1 if none."""
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
    tree: Tree,
    value: Floats,
    ideal: Ints,
    nodes: Ints,
    spans: Sequence[tuple[Ints, Ints]],
    alpha: float,
    shared: bool,
) -> tuple[Floats, Floats]:
    """The gain of each result of one document in rank order, and what each ideal element gave.

    A result is an element (its number in `nodes`) or only text (-1). With `shared` a result draws on the budgets of all
    ideal elements above, below or equal to it; else on its own alone.
    """
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
