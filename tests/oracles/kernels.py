"""Every kernel once more: plain loops over plain numbers, written from what the kernel is defined to return.

A function has the name and the arguments of its kernel. Arguments may be lists or arrays; what is returned are lists of
whole numbers, floats, bytes or booleans. Where a kernel's floats depend on the order of operations, the oracle computes
in fractions.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
import struct
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from oracles.objects import are_rows as are_rows
from oracles.objects import cells_by_query as cells_by_query
from oracles.objects import cells_of_rows as cells_of_rows
from oracles.objects import coded_cells as coded_cells
from oracles.objects import lists_by_query as lists_by_query
from oracles.objects import numbers_of_names as numbers_of_names
from oracles.objects import real_cells as real_cells
from oracles.objects import token_cells as token_cells
from oracles.objects import whole_cells as whole_cells
from oracles.resampling import changed_sums as changed_sums
from oracles.resampling import differences as differences
from oracles.resampling import flip_counts as flip_counts
from oracles.resampling import generators as generators
from oracles.resampling import permutations as permutations
from oracles.resampling import permuted_ranges as permuted_ranges
from oracles.resampling import random_signs as random_signs
from oracles.resampling import row_sums as row_sums
from oracles.resampling import swap_counts as swap_counts

Column = Sequence[int]
Reals = Sequence[float]


def plain(column: Any) -> list[Any]:
    """An array, or any other sequence, as a list of Python's own numbers."""
    values: list[Any] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return values


def segments(offsets: Column) -> list[range]:
    return [range(low, high) for low, high in itertools.pairwise(plain(offsets))]


# ---- documents ----------------------------------------------------------------------------------------------


def read_markup(source: bytes | str) -> tuple[list[str], list[int], list[int], list[int], list[int], str]:
    """Tag, parent, depth, start and end of each element, and the text, by recursion over another parser's tree."""
    rows: list[list[Any]] = []
    text: list[str] = []

    def here() -> int:
        return sum(map(len, text))

    def walk(element: ElementTree.Element, parent: int, depth: int) -> None:
        row = len(rows)
        rows.append([element.tag.rpartition("}")[2], parent, depth, here(), None])
        text.append(element.text or "")
        for child in element:
            walk(child, row, depth + 1)
            text.append(child.tail or "")
        rows[row][4] = here()

    walk(ElementTree.fromstring(source), -1, 0)
    tags, parents, depths, starts, ends = (list(column) for column in zip(*rows, strict=True))
    return tags, parents, depths, starts, ends, "".join(text)


def read_markups(
    sources: Iterable[bytes],
) -> list[tuple[list[str], list[int], list[int], list[int], int, str]]:
    """Tags, parents, starts, ends, length and text of each document."""
    documents = []
    for source in sources:
        tags, parents, _, starts, ends, text = read_markup(source)
        documents.append((tags, parents, starts, ends, len(text), text))
    return documents


def read_tar(content: bytes, count: int) -> tuple[list[tuple[str, int, int]], int]:
    """The names, places and sizes of the first members, which must be regular files, and where the next header is."""
    members: list[tuple[str, int, int]] = []
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        while len(members) < count and (info := archive.next()) is not None:
            assert info.isreg()
            members.append((info.name, info.offset_data, info.size))
        return members, archive.offset


# ---- readers ------------------------------------------------------------------------------------------------

PATTERNS = {
    "s": rb".+",
    "d": rb".+",
    "-": rb".+",
    "n": rb"0*[0-9]{1,18}",
    "i": rb"[-+]?[0-9]{1,18}",
    "f": rb"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(?i:inf(inity)?)",
}


def lines_of(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the tokens of every line that has any and is no comment; every byte up to the blank separates."""
    for number, line in enumerate(data.split(b"\n"), 1):
        tokens = [token for token in re.split(rb"[\x00-\x20]+", line) if token]
        if tokens and not tokens[0].startswith(b"#"):
            yield number, tokens


def without_more_text(tokens: list[bytes], kinds: str) -> list[bytes]:
    """The columns of a line of a TREC run without the text after its tag, which is nothing like a place."""
    more = [re.match(rb"[0-9+\-.(\[/]", token) is None for token in tokens[6:]]
    is_text = kinds == "s-dofs" and more and more[0] and not (len(more) == 2 and not more[1])
    return tokens[:6] if is_text else tokens


def read_columns(data: bytes, kinds: str) -> tuple[list[list[Any] | None], list[int], list[tuple[int, int, bytes]]]:
    """Columns (None for those not requested), the lines they are from, and problems."""
    columns: list[list[Any]] = [[] for _ in kinds]
    lines, problems = [], []
    for number, tokens in lines_of(data):
        tokens = without_more_text(tokens, kinds)
        if len(tokens) != len(kinds):
            problems.append((number, -1, str(len(tokens)).encode()))
            continue
        values: list[Any] = []
        for kind, token in zip(kinds, tokens, strict=True):
            is_number = re.fullmatch(PATTERNS["n" if kind == "o" else kind], token, re.DOTALL)
            if kind == "o":
                values.append(int(token) if is_number else -1)
            elif not is_number:
                problems.append((number, len(values), token))
                break
            else:
                values.append(float(token) if kind == "f" else int(token) if kind in "ni" else token)
        else:
            lines.append(number)
            for column, value in zip(columns, values, strict=True):
                column.append(value)
    return [None if kind == "-" else column for kind, column in zip(kinds, columns, strict=True)], lines, problems


class Judged(NamedTuple):
    """One line of FOL assessments."""

    line: int
    query: bytes
    doc: bytes
    relevant: int
    length: int
    bep: int
    passages: list[tuple[int, int]]


def read_passages(data: bytes) -> tuple[list[Judged], list[tuple[int, int, bytes]]]:
    rows, problems = [], []
    for number, tokens in lines_of(data):
        problem = _problem_of_passages(tokens)
        if problem is not None:
            problems.append((number, *problem))
            continue
        passages = [tuple(map(int, token.split(b":"))) for token in tokens[6:]]
        query, _, doc, relevant, length, bep = tokens[:6]
        rows.append(Judged(number, query, doc, int(relevant), int(length), int(bep), passages))  # type: ignore[arg-type]
    return rows, problems


def _problem_of_passages(tokens: list[bytes]) -> tuple[int, bytes] | None:
    """The first column that cannot be read, and the problem: the token, or a number of more than 18 digits."""
    if len(tokens) < 6:
        return -1, str(len(tokens)).encode()
    for column, token in enumerate(tokens):
        if column in (3, 4, 5):
            if not re.fullmatch(rb"[0-9]{1,18}", token) and not (column == 5 and token == b"-1"):
                return column, token
        elif column > 5:
            if not re.fullmatch(rb"[0-9]+:[0-9]+", token):
                return column, token
            first, second = token.split(b":")
            if max(len(first), len(second)) > 18:
                return column, second if len(second) > len(first) else first
    return None


def content(data: bytes) -> tuple[bool, bool, bool]:
    try:
        data.decode()
        is_utf8 = True
    except UnicodeDecodeError:
        is_utf8 = False
    return all(byte < 128 for byte in data), is_utf8, 0 in data


def line_shapes(data: bytes) -> list[tuple[int, int, int]]:
    """Per line: number, columns, whether the last column (1) and the one before (2) begin with a slash."""
    found = []
    for number, tokens in lines_of(data):
        last = tokens[-1].startswith(b"/")
        before = len(tokens) > 1 and tokens[-2].startswith(b"/")
        found.append((number, len(tokens), last + 2 * before))
    return found


def last_query(data: bytes) -> int:
    boundary = position = 0
    query = None
    for line in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]:
        for _, tokens in lines_of(line):
            if query is not None and tokens[0] != query:
                boundary = position
            query = tokens[0]
        position += len(line) + 1
    return boundary


def query_stretches(texts: Sequence[bytes]) -> list[tuple[list[int], list[int], int, int]]:
    """Of each text: starts of stretches of one query, numbers of these queries, queries seen before, lines."""
    known: list[bytes] = []
    found = []
    for text in texts:
        starts, numbers, before, position, query = [], [], len(known), 0, None
        for line in text.split(b"\n"):
            for _, tokens in lines_of(line):
                if tokens[0] != query:
                    query = tokens[0]
                    known += [query] * (query not in known)
                    starts.append(position)
                    numbers.append(known.index(query))
            position += len(line) + 1
        found.append((starts, numbers, before, len(text.removesuffix(b"\n").split(b"\n")) if text else 0))
    return found


def codes_in(mine: Sequence[bytes], others: Sequence[bytes]) -> list[int]:
    return [list(others).index(name) if name in others else -1 for name in mine]


# ---- named columns ------------------------------------------------------------------------------------------

CellColumns = tuple[dict[str, list[Any]], list[int], list[tuple[int, int]]]
"""Columns of values by name, the line of each row, and the lines that cannot be read, each with what is wrong."""


class _Pairs(list[Any]):
    """The keys and values of a JSON object, also of keys that occur twice."""


def _depth(value: Any) -> int:
    if isinstance(value, _Pairs):
        return 1 + max((_depth(item) for _, item in value), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _has_half(value: Any) -> bool:
    if isinstance(value, str):
        return any(0xD800 <= ord(character) < 0xE000 for character in value)
    return isinstance(value, (list, tuple)) and any(map(_has_half, value))


def _number_only(name: str) -> float:
    if name == "NaN":
        raise ValueError(name)
    return float(name)


def text_cells(edges: Sequence[int], largest: int, shift: int) -> list[int] | None:
    if list(edges) != sorted(edges) or any(not 0 <= edge <= largest for edge in edges):
        return None
    return [number for low, high in itertools.pairwise(edges) for number in (low + shift, 8 * (high - low) + 1)]


def view_texts(views: bytes, buffers: Sequence[bytes]) -> tuple[bytes, list[int]] | None:
    texts = []
    for at in range(0, len(views), 16):
        size, _, number, start = struct.unpack("=4i", views[at : at + 16])
        if size <= 12:
            texts.append(views[at + 4 : at + 4 + size])
        elif 0 <= number < len(buffers) and start >= 0 and start + size <= len(buffers[number]):
            texts.append(buffers[number][start : start + size])
        else:
            return None
        if size < 0:
            return None
    edges = [0, *itertools.accumulate(map(len, texts))]
    return b"".join(texts), text_cells(edges, edges[-1], 0) or []


def read_json(data: bytes, deepest: int, skipped: Sequence[int] = ()) -> tuple[CellColumns, list[int]]:
    """The objects of JSON Lines with the json module, and the lines that have half a character somewhere."""
    rows, lines, bad, halved = [], [], [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip() or number in skipped:
            continue
        try:
            text = line.strip().decode("utf-8-sig")  # else the json module takes zero bytes for UTF-16
            pairs = json.loads(text, parse_constant=_number_only, object_pairs_hook=_Pairs)
        except ValueError:
            bad.append((number, 1))
            continue
        if not isinstance(pairs, _Pairs) or _depth(pairs) > deepest:
            bad.append((number, 3 if isinstance(pairs, _Pairs) else 2))
            continue
        rows.append(json.loads(text))
        lines.append(number)
        halved += [number] if _has_half(pairs) else []
    names = dict.fromkeys(name for row in rows for name in row)
    return ({name: [row.get(name) for row in rows] for name in names}, lines, bad), halved


def _csv_rows(data: bytes, separator: str) -> Iterator[tuple[int, int, list[str] | str]]:
    """Each row of the csv module: where it starts, the number of its last line, and its cells or what is wrong."""
    lines = list(io.StringIO(data.decode(), newline=""))
    starts = [0, *itertools.accumulate(len(line.encode()) for line in lines)]
    reader = csv.reader(lines, delimiter=separator, strict=True)
    before = 0
    while True:
        try:
            row: list[str] | str = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            row = str(error)
        yield starts[before], reader.line_num, row
        before = reader.line_num


def read_delimited(data: bytes, separator: str, header: Sequence[str] | None = None) -> CellColumns:
    """The rows of the csv module with their names; what is wrong is the number of the problem, as the kernel has it."""
    names = None if header is None else list(header)
    cells: list[list[str]] = []
    lines, bad = [], []
    for _, line, row in _csv_rows(data, separator):
        if isinstance(row, str):
            bad.append((line, 2 if row == "unexpected end of data" else 3 if "limit" in row else 1))
        elif row and row != [""] and names is None:
            names = row
        elif row and row != [""] and names is not None and len(row) != len(names):
            bad.append((line, 4))
        elif row and row != [""]:
            cells.append(row)
            lines.append(line)
    return {name: [row[i] for row in cells] for i, name in enumerate(names or [])}, lines, bad


def last_json_query(data: bytes, key: str) -> tuple[int, int]:
    """The start of the last run of complete lines with the same value of a key, and the number of lines before."""
    at, boundary, query = 0, (0, 0), None
    for number, line in enumerate(data.split(b"\n")[:-1]):
        try:
            row = json.loads(line.strip(), parse_constant=str, parse_int=str, parse_float=str)
        except ValueError:
            row = None
        if isinstance(row, dict) and key in row:
            if query is not None and row[key] != query[0]:
                boundary = at, number
            query = (row[key],)
        at += len(line) + 1
    return boundary


def last_delimited_query(data: bytes, separator: str, column: int, has_header: bool) -> tuple[int, int]:
    """The start of the last run of complete rows with the same cell in a column, and the number of lines before."""
    cut, query, before = (0, 0), None, 0
    rows = list(_csv_rows(data, separator))
    ends = [start for start, _, _ in rows[1:]] + [len(data)]
    for (start, line, row), end in zip(rows, ends, strict=False):
        is_row = not isinstance(row, str) and row and row != [""]
        if is_row and end == len(data) and not data.endswith(b"\n"):
            break
        if is_row and has_header:
            has_header = False
        elif is_row and column < len(row):
            if query is not None and row[column] != query:
                cut = start, before
            query = row[column]
        before = line
    return cut


# ---- rows of a run ------------------------------------------------------------------------------------------


def ordered_ties(query: Column, rank: Column) -> list[int] | None:
    rows = list(zip(plain(query), plain(rank), strict=True))
    if rows != sorted(rows) or any(rank < 0 for _, rank in rows):
        return None
    distinct = sorted(set(rows))
    return [distinct.index(row) for row in rows]


def falls_and_rises(column: Sequence[Any], rows: Column, tie: Column, offsets: Column) -> tuple[int, int]:
    neighbours = [(i - 1, i) for part in segments(offsets) for i in part[1:] if tie[i] != tie[i - 1]]
    falls = sum(bool(column[rows[b]] < column[rows[a]]) for a, b in neighbours)
    rises = sum(bool(column[rows[b]] > column[rows[a]]) for a, b in neighbours)
    return falls, rises


def pairs_of(query: Column, doc: Column, pair_offsets: Column, pair_doc: Column, docs: int) -> list[int]:
    found = []
    for t, d in zip(plain(query), plain(doc), strict=True):
        judged = [pair for pair in segments(pair_offsets)[t] if pair_doc[pair] == d and d < docs]
        found.append(judged[0] if judged else -1)
    return found


def first_of_each(code: Sequence[Any]) -> tuple[list[int], list[int]]:
    distinct = list(dict.fromkeys(plain(code)))
    return [distinct.index(c) for c in plain(code)], [plain(code).index(c) for c in distinct]


def judged_text(
    offsets: Column, pair: Column, span_offsets: Column, start: Column, end: Column, depth: int, unknown: int
) -> tuple[int, int] | None:
    billionths = lists = 0
    for rows in segments(offsets):
        sizes = []
        for row in rows[:depth]:
            spans = segments(span_offsets)[row]
            if not spans or any(end[span] == unknown for span in spans):
                return None
            sizes.append(sum(int(end[span]) - int(start[span]) for span in spans))
        judged = sum(size for row, size in zip(rows, sizes, strict=False) if pair[row] != -1)
        billionths += round(judged / sum(sizes) * 1e9) if sum(sizes) > 0 else 0
        lists += bool(sizes)
    return billionths, lists


def repeated_parts(within: Column, group: Sequence[Any], offsets: Column, start: Column, end: Column) -> list[bool]:
    again = []
    spans_of = [[(start[i], end[i]) for i in spans] for spans in segments(offsets)]
    for rows in segments(within):
        seen: list[Any] = []
        for row in rows:
            again.append(bool(spans_of[row]) and (group[row], spans_of[row]) in seen)
            seen.append((group[row], spans_of[row]))
    return again


def equal_rows(first: Sequence[Column], second: Sequence[Column]) -> list[tuple[int, int]]:
    a, b = list(zip(*map(plain, first), strict=True)), list(zip(*map(plain, second), strict=True))
    return pairs_of_groups(a, b)


def pairs_of_groups(first: Sequence[Any], second: Sequence[Any]) -> list[tuple[int, int]]:
    first, second = plain(first), plain(second)
    return [(i, j) for i, one in enumerate(first) for j, other in enumerate(second) if one == other]


# ---- sets of characters -------------------------------------------------------------------------------------

Spans = Iterable[tuple[int, int, int]]


def merge_spans(owner: Column, start: Column, end: Column, touching: bool = False) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for o, low, high in sorted(zip(plain(owner), plain(start), plain(end), strict=True)):
        if high <= low:
            continue
        if merged and merged[-1][0] == o and low < merged[-1][2] + touching:
            merged[-1] = o, merged[-1][1], max(merged[-1][2], high)
        else:
            merged.append((o, low, high))
    return merged


def are_spans(start: Column, end: Column, largest: int) -> bool:
    return all(0 <= a <= b <= largest for a, b in zip(plain(start), plain(end), strict=True))


def novel_lengths(owner: Column, group: Column, start: Column, end: Column, owners: int) -> list[int]:
    """Positions between two neighbouring edges of a group belong to the same owners, so they are counted together."""
    novel = [0] * owners
    spans = list(zip(plain(owner), plain(group), plain(start), plain(end), strict=True))
    for here in sorted(set(plain(group))):
        of_group = [(o, low, high) for o, g, low, high in spans if g == here and low < high]
        edges = sorted({edge for _, low, high in of_group for edge in (low, high)})
        for low, high in itertools.pairwise(edges):
            covering = [o for o, a, b in of_group if a <= low and high <= b]
            if covering:
                novel[min(covering)] += high - low
    return novel


def overlap(a: int, b: int, c: int, d: int) -> int:
    """The number of positions in both ``a..b-1`` and ``c..d-1``."""
    return max(0, min(b, d) - max(a, c))


def highlighted_before(
    pair: Column, position: Column, offsets: Column, start: Column, end: Column, before: Column
) -> list[int]:
    """Highlighted positions of all pairs before, and of this one before the position."""
    found = []
    for p, x in zip(plain(pair), plain(position), strict=True):
        lengths = [plain(end)[i] - plain(start)[i] for i in range(plain(offsets)[p])]
        inside = [overlap(plain(start)[i], plain(end)[i], plain(start)[i], x) for i in segments(offsets)[p]]
        found.append(sum(lengths) + sum(inside))
    return found


def highlighted_rows(
    pair: Column,
    span_offsets: Column,
    span_start: Column,
    span_end: Column,
    offsets: Column,
    start: Column,
    end: Column,
    before: Column,
) -> tuple[list[int], list[int]]:
    found, pieces = [], []
    span_start, span_end, start, end = map(plain, (span_start, span_end, start, end))
    for row, (p, spans) in enumerate(zip(plain(pair), segments(span_offsets), strict=True)):
        passages = segments(offsets)[p] if p >= 0 else range(0)
        common = [(max(span_start[i], start[j]), min(span_end[i], end[j])) for i in spans for j in passages]
        found.append(sum(max(0, high - low) for low, high in common))
        pieces += [(row, p, low, high) for low, high in common]
    columns = list(zip(*pieces, strict=True)) if pieces else [(), (), (), ()]
    return found, novel_lengths(*columns, len(found))


def passages_found(
    pair: Column,
    position: Column,
    length: Column,
    offsets: Column,
    start: Column,
    end: Column,
    tolerance: int,
    one: bool,
) -> list[int]:
    """Character by character."""
    finders = []
    known = set()
    for reader, (p, begin, size) in enumerate(zip(plain(pair), plain(position), plain(length), strict=True)):
        passage_of = {c: i for i in segments(offsets)[p] for c in range(start[i], end[i])}
        dull = 0  # irrelevant characters in a row
        for c in range(begin, max(size, *passage_of, 0) + 1) if begin < size else ():
            new = passage_of.get(c, -1) not in {-1, *known}
            if new:
                known.add(passage_of[c])
                finders.append(reader)
            dull = 0 if c in passage_of else dull + 1
            if dull == tolerance or (new and one):
                break
    return finders


def shared_lengths(
    group_a: Column,
    offsets_a: Column,
    start_a: Column,
    end_a: Column,
    group_b: Column,
    offsets_b: Column,
    start_b: Column,
    end_b: Column,
) -> list[tuple[int, int, int]]:
    start_a, end_a, start_b, end_b = map(plain, (start_a, end_a, start_b, end_b))
    found = []
    for (a, of_a), (b, of_b) in itertools.product(enumerate(segments(offsets_a)), enumerate(segments(offsets_b))):
        shared = sum(overlap(start_a[i], end_a[i], start_b[j], end_b[j]) for i in of_a for j in of_b)
        if group_a[a] == group_b[b] and shared:
            found.append((a, b, shared))
    return found


def shared_and_fresh(
    group_a: Column,
    offsets_a: Column,
    start_a: Column,
    end_a: Column,
    group_b: Column,
    offsets_b: Column,
    start_b: Column,
    end_b: Column,
) -> list[tuple[int, int, int, int]]:
    """Position by position."""
    start_a, end_a, start_b, end_b = map(plain, (start_a, end_a, start_b, end_b))

    def positions(spans: Iterable[int], start: Column, end: Column) -> set[int]:
        return {position for i in spans for position in range(start[i], end[i])}

    found = []
    shown: dict[int, set[int]] = {}
    for (a, of_a), (b, of_b) in itertools.product(enumerate(segments(offsets_a)), enumerate(segments(offsets_b))):
        if group_a[a] != group_b[b]:
            continue
        shared = positions(of_a, start_a, end_a) & positions(of_b, start_b, end_b)
        if shared:
            found.append((a, b, len(shared), len(shared - shown.setdefault(b, set()))))
            shown[b] |= shared
    return found


def best_cover(offsets: Column, start: Column, end: Column, cost: Column, limit: int) -> list[int]:
    """Every choice of intervals is tried, and its positions are counted one by one."""
    start, end, cost = plain(start), plain(end), plain(cost)
    best = []
    for rows in segments(offsets):
        choices = itertools.chain.from_iterable(itertools.combinations(rows, n) for n in range(len(rows) + 1))
        allowed = [choice for choice in choices if sum(cost[i] for i in choice) <= limit]
        best.append(max(len({at for i in choice for at in range(start[i], end[i])}) for choice in allowed or [()]))
    return best


def closest_finds(row: Column, passage: Column, shared: Column, whole: Column, passages: int) -> list[int]:
    """Row by row, with fractions."""
    found = [-1] * passages
    matches = list(zip(*map(plain, (row, passage, shared, whole)), strict=True))
    for one, of_row in itertools.groupby(matches, key=lambda match: match[0]):
        left = [match for match in of_row if found[match[1]] == -1]
        if left:
            found[max(left, key=lambda match: Fraction(match[2], match[3]))[1]] = one
    return found


def fresh_stretches(
    within: Column,
    pair: Column,
    span_offsets: Column,
    span_start: Column,
    span_end: Column,
    offsets: Column,
    start: Column,
    end: Column,
    before: Column,
) -> list[tuple[int, int, int]]:
    """Character by character: the row, its characters before, and those of them read again, of each new character."""
    pair, span_start, span_end, start, end = map(plain, (pair, span_start, span_end, start, end))
    relevant = [{c for i in passages for c in range(start[i], end[i])} for passages in segments(offsets)]
    spans = segments(span_offsets)
    characters = []
    for rows in segments(within):
        shown: set[tuple[int, int]] = set()
        for row in rows:
            again = 0
            for read, c in enumerate(c for i in spans[row] for c in range(span_start[i], span_end[i])):
                if pair[row] >= 0 and c in relevant[pair[row]]:
                    if (pair[row], c) in shown:
                        again += 1
                    else:
                        characters.append((row, read, again))
                        shown.add((pair[row], c))
    return characters


def tolerant_reading(
    count: int,
    length: Column,
    read: tuple[Column, Column, Column],
    relevant: tuple[Column, Column, Column],
    tolerance: int,
) -> tuple[list[int], list[int]]:
    """Character by character."""
    good, bad = [0] * count, [0] * count
    for doc in range(count):
        shown, liked = (
            {c for d, low, high in zip(*map(plain, spans), strict=True) if d == doc for c in range(low, high)}
            for spans in (read, relevant)
        )
        for c in sorted(range(length[doc]), key=lambda c: (c not in shown, c)):
            if bad[doc] < tolerance:
                good[doc] += c in liked
                bad[doc] += c not in liked
    return good, bad


# ---- curves -------------------------------------------------------------------------------------------------


def precision_by_rank(offsets: Column, found: Column, fresh: Column, size: Column, alpha: float) -> list[float]:
    """Sums in whole numbers, then one product, one difference and one quotient of floats."""
    precision = []
    for rows in segments(offsets):
        total = seen = read = 0
        for row in rows:
            total += plain(found)[row]
            seen += plain(found)[row] - plain(fresh)[row]
            read += plain(size)[row]
            precision.append((float(total) - alpha * float(seen)) / float(read) if read else 0.0)
    return precision


def best_precision(
    offsets: Column,
    found: Column,
    fresh: Column,
    size: Column,
    alpha: float,
    ratio: tuple[int, int],
    relevant: Column,
    levels: tuple[Sequence[int], Sequence[int]],
) -> list[list[float]]:
    """Whether a level is reached is decided in fractions."""
    precision = precision_by_rank(offsets, found, fresh, size, alpha)
    exact_alpha = Fraction(*ratio)
    best = []
    for rows, wanted in zip(segments(offsets), plain(relevant), strict=True):
        of_query = []
        for numerator, denominator in zip(*levels, strict=True):
            gain = Fraction(0)
            beyond = []
            for row in rows:
                gain += plain(found)[row] - exact_alpha * (plain(found)[row] - plain(fresh)[row])
                if gain >= Fraction(numerator, denominator) * wanted:
                    beyond.append(precision[row])
            of_query.append(max(beyond, default=0.0))
        best.append(of_query)
    return best


def segment_sums(values: Sequence[Any], start: Column, end: Column) -> list[Any]:
    """Exactly: floats rounded once."""
    add = math.fsum if any(isinstance(value, float) for value in plain(values)) else sum
    return [add(plain(values)[low:high]) for low, high in zip(plain(start), plain(end), strict=True)]


def first_sums(values: Sequence[Any], offsets: Column, cutoff: int | None) -> list[Any]:
    return [sum([plain(values)[row] for row in rows][:cutoff]) for rows in segments(offsets)]


def gains_at(offsets: Column, found: Column, fresh: Column, cutoff: int | None, alpha: float) -> list[float]:
    """One rounding of each sum, of the product, and of the difference."""
    seen = [a - b for a, b in zip(plain(found), plain(fresh), strict=True)]
    sums = zip(first_sums(found, offsets, cutoff), first_sums(seen, offsets, cutoff), strict=True)
    return [float(highlighted) - alpha * float(again) for highlighted, again in sums]


def gains_within(
    rows: Column,
    pair: Column,
    offsets: Column,
    start: Column,
    read: tuple[Column, Column, Column],
    axis: tuple[Column, Column, Column, Column],
    limits: Column,
    whole_rows: Sequence[bool],
    alpha: float,
) -> list[list[float]]:
    """Limit by limit: the ends of what is read, and what of it is highlighted."""
    gains = []
    for limit, is_whole in zip(plain(limits), plain(whole_rows), strict=True):
        end = []
        for first, passed, ended, size in zip(plain(start), *map(plain, read), strict=True):
            unread = size if is_whole and ended > limit else 0 if is_whole else min(size, max(0, passed + size - limit))
            end.append(first + size - unread)
        found, fresh = highlighted_rows(pair, offsets, start, end, *axis)
        gains.append(gains_at(rows, found, fresh, None, alpha))
    return gains


def ratios(part: Sequence[Any], whole: Sequence[Any]) -> list[float]:
    columns = zip(map(float, plain(part)), map(float, plain(whole)), strict=True)
    return [above / below if below else 0.0 for above, below in columns]


def chosen_values(values: Reals, is_chosen: Sequence[bool]) -> tuple[list[float], bool]:
    chosen = [value for value, kept in zip(plain(values), plain(is_chosen), strict=True) if kept]
    return chosen, any(value != value for value in chosen)


def exact_sum(values: Reals) -> float:
    """Python rounds the quotient of two whole numbers once."""
    total = sum(map(Fraction, plain(values)), Fraction(0))
    return total.numerator / total.denominator


def exact_sums(rows: Sequence[Reals]) -> list[float]:
    return [exact_sum(row) for row in rows]


def json_lists(values: Reals, offsets: Column, digits: int) -> str:
    texts = [f"{value:.{digits}g}" if math.isfinite(value) else "null" for value in plain(values)]
    lists = [",".join(texts[low:high]) for low, high in pairwise(plain(offsets))]
    return f"[{','.join(f'[{one}]' for one in lists)}]"


def query_offsets(query: Column, count: int) -> list[int]:
    return [sum(number < t for number in plain(query)) for t in range(count + 1)]


def rows_by_query(query: Column) -> tuple[list[int], list[int]]:
    queries = sorted(set(plain(query)))
    return queries, [*map(plain(query).index, queries), len(plain(query))]


def span_counts(start: Column, end: Column, unknown: int) -> tuple[int, int]:
    spans = list(zip(plain(start), plain(end), strict=True))
    return sum(high == unknown for _, high in spans), sum(low == high for low, high in spans)


def running_sums(values: Reals, offsets: Column) -> list[float]:
    """One addition after the other."""
    return [total for rows in segments(offsets) for total in itertools.accumulate(plain(values)[i] for i in rows)]


# ---- trees --------------------------------------------------------------------------------------------------


def nodes_at(
    offsets: Column,
    start: Column,
    end: Column,
    depth: Column,
    document: Column,
    wanted_start: Column,
    wanted_end: Column,
) -> list[int]:
    found = []
    for d, low, high in zip(plain(document), plain(wanted_start), plain(wanted_end), strict=True):
        inside = segments(offsets)[d]
        fitting = [node for node in inside if (start[node], end[node]) == (low, high)]
        best = max(fitting, key=lambda node: (depth[node], -node), default=inside.start - 1)
        found.append(best - inside.start)
    return found


class Tree(NamedTuple):
    """Elements in preorder: the parent of each (-1 for the root) and its span."""

    parent: list[int]
    start: list[int]
    end: list[int]

    def children(self, node: int) -> list[int]:
        return [child for child, parent in enumerate(self.parent) if parent == node]

    def around(self, node: int) -> list[int]:
        """The element itself and all that contain it."""
        return [node, *self.around(self.parent[node])] if self.parent[node] >= 0 else [node]

    def characters(self, node: int) -> set[int]:
        return set(range(self.start[node], self.end[node]))


def gains_in_document(
    tree: Tree,
    value: Reals,
    ideal: Column,
    results: Sequence[tuple[int, Sequence[tuple[int, int]]]],
    alpha: float,
    shared: bool,
) -> tuple[list[float], list[float]]:
    """The gain of each result (an element or -1, and its spans), and the gain from each ideal element.

    This is `element_gains` of one document. An element is worth less by the share `alpha` for what was seen of it; a
    result takes what it is worth from the budgets of its ideal elements, in proportion to what is left of them.
    """
    left = [value[node] for node in ideal]
    gains, given = [], [0.0] * len(ideal)
    shown: set[int] = set()  # elements that were results, or within one
    seen: set[int] = set()  # characters

    def worth(node: int) -> float:
        text = tree.characters(node)
        if node in shown or (text and text <= seen):
            return (1 - alpha) * value[node]
        if not text & seen:
            return value[node]
        own = text - seen
        fresh = 0.0
        for child in tree.children(node):
            fresh += worth(child) * len(tree.characters(child))
            own -= tree.characters(child)
        fresh += value[node] * len(own)
        return min(value[node], alpha * fresh / len(text) + (1 - alpha) * value[node])

    for node, spans in results:
        gain = 0.0
        if node >= 0 and value[node] > 0:
            related = [
                i
                for i, other in enumerate(ideal)
                if other == node or (shared and (other in tree.around(node) or node in tree.around(other)))
            ]
            available = math.fsum(left[i] for i in related)
            gain = max(0.0, min(worth(node), available))
            if gain < 1e-9:  # the rest of a budget after rounding does not count
                gain = 0.0
            for i in related if gain else ():
                share = gain * left[i] / available
                left[i] -= share
                given[i] += share
        gains.append(gain)
        shown |= {other for other in range(len(tree.parent)) if node >= 0 and node in tree.around(other)}
        seen |= {c for low, high in spans for c in range(low, high)}
    return gains, given


# ---- probabilities ------------------------------------------------------------------------------------------


def running_products(values: Reals, segment: Column) -> list[Fraction]:
    """Exactly."""
    products: list[Fraction] = []
    for i, value in enumerate(plain(values)):
        goes_on = i > 0 and segment[i] == segment[i - 1]
        products.append(Fraction(value) * (products[-1] if goes_on else 1))
    return products


Link = tuple[int, int, int, float, float]


def links_of(columns: Sequence[Any]) -> list[Link]:
    return list(zip(*map(plain, columns), strict=True))


def counts(factors: Iterable[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """The probabilities of 0, 1, 2 ... from independent pairs of those of 0 and of 1, which may sum to less than 1."""
    chances = [Fraction(1)]
    for zero, one in factors:
        chances = [
            zero * stay + one * rise
            for stay, rise in zip([*chances, Fraction(0)], [Fraction(0), *chances], strict=True)
        ]
    return chances


def units_seen(links: Sequence[Link], query: int, step: int) -> list[Fraction]:
    """The probability that each unit of a query is seen after a step; links are sorted by step."""
    seen: dict[int, float] = {}
    for t, unit, at, _, after in links:
        if t == query and at <= step:
            seen[unit] = after
    return [Fraction(chance) for chance in seen.values()]


def count_after(links: Sequence[Link], query: int, step: int) -> list[Fraction]:
    return counts((1 - chance, chance) for chance in units_seen(links, query, step))


def chances_below(
    query: Column, unit: Column, step: Column, before: Reals, after: Reals, steps: Column, need: Column
) -> tuple[list[Fraction], list[Fraction]]:
    """Exactly. A unit with a link at the step is not new if it was seen before, or is not seen after."""
    links = links_of((query, unit, step, before, after))
    below, quiet = [], []
    for t, (count, least) in enumerate(zip(plain(steps), plain(need), strict=True)):
        for j in range(count):
            below.append(sum(count_after(links, t, j)[: max(least, 0)], Fraction(0)))
            at_step = {u: (1 - Fraction(a), Fraction(b)) for s, u, k, b, a in links if (s, k) == (t, j)}
            others = [link for link in links if link[1] not in at_step]
            not_new = [(1 - chance, chance) for chance in units_seen(others, t, j)]
            quiet.append(sum(counts([*not_new, *at_step.values()])[: max(least, 0)], Fraction(0)))
    return below, quiet


def mean_effort(
    query: Column,
    unit: Column,
    step: Column,
    before: Reals,
    after: Reals,
    steps: Column,
    rank: Column,
    units: Column,
) -> list[Fraction]:
    """Exactly: P(a need is reached at a step) times min(1, need / rank), over all steps and needs."""
    links = links_of((query, unit, step, before, after))
    ranks = iter(plain(rank))
    means = []
    for t, (count, most) in enumerate(zip(plain(steps), plain(units), strict=True)):
        total = Fraction(0)
        reached_before = [Fraction(0)] * (most + 1)
        for j in range(count):
            chances = count_after(links, t, j)
            at = next(ranks)
            for need in range(1, most + 1):
                reached = sum(chances[need:], Fraction(0))
                total += (reached - reached_before[need]) * min(Fraction(1), Fraction(need, at))
                reached_before[need] = reached
        means.append(total / most)
    return means


def mean_over_orders(owner: Column, chance: Reals, owners: int) -> list[Fraction]:
    """Exactly: all orders of an owner and its items."""
    means = []
    for o in range(owners):
        items = [Fraction(c) for other, c in zip(plain(owner), plain(chance), strict=True) if other == o]
        orders = list(itertools.permutations([None, *items]))
        total = sum((math.prod(_before_the_owner(order), start=Fraction(1)) for order in orders), Fraction(0))
        means.append(total / len(orders))
    return means


def _before_the_owner(order: Sequence[Fraction | None]) -> list[Fraction]:
    return [item for item in itertools.takewhile(lambda item: item is not None, order) if item is not None]


def mean_over_many_orders(chances: Reals) -> float:
    """For one owner with many items.

    The owner comes at a time t, uniform from 0 to 1, and each item before it with probability t. So the mean is the
    integral of the product of (1 - t + t*chance) over t, a polynomial, which Gauss-Legendre quadrature integrates
    exactly except for rounding.
    """
    points, weights = np.polynomial.legendre.leggauss(len(chances) // 2 + 1)
    time = (points + 1) / 2
    product = np.ones(len(time))
    for chance in chances:
        product *= 1 - time + time * chance
    return float((weights * product).sum() / 2)


# ---- trees --------------------------------------------------------------------------------------------------


def tree_shapes(parents: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The depth of each node of some trees, and the number after its last descendant."""
    depths, lasts = [], []
    for parent in parents:
        around = [[node] for node in range(len(parent))]
        for nodes in around:
            while parent[nodes[-1]] >= 0:
                nodes.append(parent[nodes[-1]])
        depths += [len(nodes) - 1 for nodes in around]
        lasts += [1 + max(other for other, nodes in enumerate(around) if node in nodes) for node in range(len(parent))]
    return depths, lasts


def ideal_elements(last: Sequence[int], value: Sequence[float], relevant: Sequence[bool]) -> list[int]:
    """The ideal elements of one document, path by path."""
    nodes = [node for node in range(len(value)) if relevant[node]]
    kept = set()
    for leaf in nodes:
        if any(leaf < other < last[leaf] for other in nodes):
            continue
        best = None
        for node in (node for node in nodes if node <= leaf < last[node]):  # from the root
            if best is None or value[node] >= value[best] - 1e-9:
                best = node
        if best is not None and value[best] > 0:
            kept.add(best)
    return sorted(node for node in kept if not any(other < node < last[other] for other in kept))


def element_paths(tags: Sequence[str], parent: Sequence[int]) -> list[str]:
    """The path of each node of one tree: its position is counted among the children of its parent with its tag."""
    paths: list[str] = []
    for node, above in enumerate(parent):
        same = [child for child in range(node + 1) if parent[child] == above and tags[child] == tags[node]]
        paths.append(f"{paths[above] if above >= 0 else ''}/{tags[node]}[{len(same)}]")
    return paths


def locate_paths(tags: Sequence[str], tree: Tree, path: str) -> tuple[int, int, int]:
    """The element of a path in one tree, its start and its end, by comparing the paths of all nodes."""
    children = [[child for child, above in enumerate(tree.parent) if above == node] for node in range(len(tags))]
    paths = {path: node for node, path in enumerate(element_paths(tags, tree.parent))}
    pointer = re.fullmatch(r"(.*)/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,13}))?", path, re.DOTALL)
    steps = re.findall(r"/([^/\[\]]+)(?:\[([0-9]{1,9})\])?", pointer[1] if pointer else path)
    whole = "".join(f"/{tag}[{int(position or 1)}]" for tag, position in steps)
    shape = r"(?:/[^/\[\]]+(?:\[[0-9]{1,9}\])?)+"
    if not re.fullmatch(shape, pointer[1] if pointer else path) or whole not in paths:
        return -2, 0, 0
    node = paths[whole]
    if not pointer:
        return node, tree.start[node], tree.end[node]
    edges = [tree.start[node], *(edge for child in children[node] for edge in (tree.start[child], tree.end[child]))]
    edges.append(tree.end[node])
    texts = [span for span in zip(edges[::2], edges[1::2], strict=True) if span[0] < span[1]]
    number = int(pointer[2] or 1)
    if not 1 <= number <= len(texts):
        return -2, 0, 0
    start, end = texts[number - 1]
    if pointer[3] is None:
        return -1, start, end
    at = start + int(pointer[3])
    return (-1, at, at) if at <= end else (-2, 0, 0)


# ---- the stored index ---------------------------------------------------------------------------------------


def name_keys(names: Sequence[bytes]) -> list[int]:
    """FNV-1a, mixed, in whole numbers of any size."""
    keys = []
    for name in names:
        key = 0xCBF29CE484222325
        for byte in name:
            key = (key ^ byte) * 0x100000001B3 % 2**64
        key = (key ^ key >> 32) * 0x9E3779B97F4A7C15 % 2**64
        keys.append(key ^ key >> 29)
    return keys


def find_names(names: Sequence[bytes], keys: Column, of: Column, wanted: Sequence[bytes]) -> list[int]:
    """The number of the wanted name among those of its key; -3 if several are, -2 if all are others, -1 if none is."""
    found = []
    for name, key in zip(wanted, name_keys(wanted), strict=True):
        candidates = [number for other, number in zip(plain(keys), plain(of), strict=True) if other == key]
        equal = [number for number in candidates if names[number] == name]
        found.append(-3 if len(equal) > 1 else equal[0] if equal else -2 if candidates else -1)
    return found


def read_trees(
    documents: Sequence[tuple[bytes, int, list[tuple[int, int, int, int]]]], checksum: Column, tags: int, asked: Column
) -> tuple[list[tuple[int, int, int, int]], list[int], int]:
    """The nodes (parent, start, end, tag) of documents given as id, length and nodes; their counts; the damaged one."""
    nodes: list[tuple[int, int, int, int]] = []
    counts: list[int] = []
    for place, number in enumerate(asked):
        doc_id, length, rows = documents[number]
        numbers = [row[column] for column in range(4) for row in rows]
        block = b"".join(value.to_bytes(4, "little", signed=True) for value in numbers)
        whole = zlib.crc32(doc_id + length.to_bytes(8, "little", signed=True) + block) == checksum[number]
        for node, (parent, start, end, tag) in enumerate(rows):
            whole &= (parent == -1 if node == 0 else 0 <= parent < node) and 0 <= tag < tags
            whole &= 0 <= start <= end <= length
            whole = whole and (node == 0 or (rows[parent][1] <= start and end <= rows[parent][2]))
        if not whole or not rows:
            return nodes, counts, place
        nodes += rows
        counts.append(len(rows))
    return nodes, counts, -1


def write_trees(documents: Sequence[tuple[bytes, int, list[tuple[int, int, int, int]]]]) -> tuple[bytes, list[int]]:
    """The blocks of documents (id, length, nodes), and their checksums."""
    blocks = [np.array(rows, "<i4").reshape(-1, 4).T.tobytes() for _, _, rows in documents]
    sums = [
        zlib.crc32(doc_id + length.to_bytes(8, "little") + block)
        for (doc_id, length, _), block in zip(documents, blocks, strict=True)
    ]
    return b"".join(blocks), sums
