"""Mutations of valid inputs: of cells, rows and columns, of markup, of bytes, and of files as a whole."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from functools import cache
from random import Random
from typing import Any

from attacks import values
from attacks.case import FIFO, FOLDER, LINK, Content, Special
from attacks.parquet import TYPES
from attacks.seeds import Grid, as_jsonl, as_parquet, encoded

LONG = 200_000
"""The characters of an input that takes long to read if reading is quadratic."""


def count(rng: Random) -> int:
    """How often something is mutated: usually once, sometimes not at all or several times."""
    return rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 5))


# ---- rows and columns ---------------------------------------------------------------------------------------


def _cell(rng: Random, grid: Grid) -> None:
    row = rng.choice(grid.rows)
    if row:
        at = rng.randrange(len(row))
        usual = row[at]
        value: Any = values.cell(rng, usual, surrogates=grid.encode is as_jsonl)
        if grid.encode in (as_jsonl, as_parquet):
            value = _typed(rng, value)
        if isinstance(usual, list) and rng.random() < 0.7:
            value = [*usual, *usual, value] if rng.random() < 0.5 else [value]
        row[at] = value
        if rng.random() < 0.3:  # the same everywhere, so that the value survives to the output
            for other in grid.rows:
                if at < len(other) and other[at] == usual:
                    other[at] = value


def _typed(rng: Random, value: str) -> Any:
    """The value as a text, a number, or nested, as JSON may have it."""
    kind = rng.random()
    if kind < 0.5:
        try:
            return int(value) if kind < 0.25 else float(value)
        except ValueError:
            return value
    if kind < 0.6:
        return rng.choice((None, True, [value], {"a": value}, [], {}, [[value, value]], [[[1]]], 0, -1, 1.5))
    return value


def _drop_row(rng: Random, grid: Grid) -> None:
    del grid.rows[rng.randrange(len(grid.rows))]


def _repeat_row(rng: Random, grid: Grid) -> None:
    row = rng.choice(grid.rows)
    grid.rows[rng.randrange(len(grid.rows)) : 0] = [list(row) for _ in range(rng.choice((1, 1, 2, 50)))]


def _swap_rows(rng: Random, grid: Grid) -> None:
    i, j = rng.randrange(len(grid.rows)), rng.randrange(len(grid.rows))
    grid.rows[i], grid.rows[j] = grid.rows[j], grid.rows[i]


def _shuffle(rng: Random, grid: Grid) -> None:
    rng.shuffle(grid.rows)


def _cut_row(rng: Random, grid: Grid) -> None:
    row = rng.choice(grid.rows)
    if rng.random() < 0.5:
        row.append(values.number(rng))
    elif row:
        row.pop(rng.randrange(len(row)))


OTHER_NAMES = (
    "start", "end", "offset", "length", "spans", "path", "paths", "rank", "score", "grade", "bep", "run_id", "assessor",
    "text", "how", "how_score", "located", "_placing", "metadata", "scale", "docno", "qid", "value", "measure",
)  # fmt: skip


def _rename(rng: Random, grid: Grid) -> None:
    at = rng.randrange(len(grid.names))
    name = rng.choice(OTHER_NAMES) if rng.random() < 0.7 else values.text(rng)
    grid.names[at] = rng.choice((name, grid.names[at].upper(), f" {grid.names[at]}", rng.choice(grid.names)))


def _drop_column(rng: Random, grid: Grid) -> None:
    at = rng.randrange(len(grid.names))
    grid.names.pop(at)
    for row in grid.rows:
        if at < len(row):
            row.pop(at)


def _repeat_column(rng: Random, grid: Grid) -> None:
    at = rng.randrange(len(grid.names))
    grid.names.append(grid.names[at])
    for row in grid.rows:
        row.append(row[at] if at < len(row) else None)


def _swap_columns(rng: Random, grid: Grid) -> None:
    at = rng.randrange(len(grid.names))
    other = rng.randrange(len(grid.names))
    for row in grid.rows:
        if max(at, other) < len(row):
            row[at], row[other] = row[other], row[at]


def _type(rng: Random, grid: Grid) -> None:
    grid.types[rng.randrange(len(grid.names))] = rng.choice(TYPES)


_OF_ROWS = (_drop_row, _repeat_row, _swap_rows, _shuffle, _cut_row)
_OF_COLUMNS = (_rename, _rename, _drop_column, _repeat_column, _swap_columns)


def grid(rng: Random, made: Grid, times: int) -> Grid:
    """Mutate a grid in place, so many times."""
    for _ in range(times):
        if not made.rows or not made.names:
            break
        kind = rng.random()
        if made.encode is as_parquet and kind < 0.5:
            _type(rng, made)
        elif kind < 0.65:
            _cell(rng, made)
        elif kind < 0.85:
            rng.choice(_OF_ROWS)(rng, made)
        else:
            rng.choice(_OF_COLUMNS)(rng, made)
    return made


# ---- bytes and markup ---------------------------------------------------------------------------------------


def flip(rng: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def _cut(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] if rng.random() < 0.5 else data[:start] + data[start + rng.randrange(1, 20) :]


def _repeat(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.randrange(1, 40)]
    return data[:start] + piece * rng.choice((2, 2, 3, 100)) + data[start:]


def _insert(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    raw = (
        b"\xff",
        b"\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xc0\x80",
        b"\0",
        b"\n",
        b"\r",
        b"\x1a",
        b"\xef\xbb\xbf",
    )
    piece = rng.choice(raw) if rng.random() < 0.4 else encoded(rng.choice((values.text, values.number))(rng))
    return data[:start] + piece + data[start:]


def _recoded(rng: Random, data: bytes) -> bytes:
    try:
        return data.decode().encode(rng.choice(("utf-16", "utf-32", "latin-1", "utf-8-sig", "utf-16-le")))
    except UnicodeError:
        return data


def _line_ends(rng: Random, data: bytes) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\0", b"\x85", b"\x0c")))


def raw(rng: Random, data: bytes, times: int = 1) -> bytes:
    """Mutate bytes without regard to their format."""
    for _ in range(times):
        data = rng.choice((flip, flip, _cut, _repeat, _insert, _insert, _line_ends, _recoded))(rng, data)
    return data


_DTD = '<!DOCTYPE x [<!ENTITY e "{}">]>'
_BILLION = (
    "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
    + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


def _quadratic(rng: Random) -> str:
    """Long inputs of few tokens, whose reading must be linear."""
    of_markup = (
        "<!--",
        "<!-- x",
        "<!-- -->",
        "<!--x-->",
        "<![CDATA[",
        "<![CDATA[<!--]]>",
        "<a ",
        "&",
        "<",
        "</",
        "<?",
        "]]>",
        '"',
        "-",
    )
    of_text = ("(", "[", "*", "_", "`", "<b>", "> ", "\n- ", "\t", "#", "\\", "![", "|", "~")
    piece = rng.choice(of_markup[:6] if rng.random() < 0.5 else of_markup + of_text)
    return piece * (LONG // len(piece))


def markup(rng: Random, data: bytes) -> bytes:
    """Mutate XML, HTML or Markdown: comments, CDATA, entities, deep trees, long runs of one token."""
    text = data.decode("utf-8", "surrogatepass")
    kind = rng.random()
    place = rng.choice([at for at, char in enumerate(text) if char in "<>"] or [0]) + rng.randrange(2)
    if kind < 0.15:
        inserted = rng.choice(("<!-- x -->", "<!-- <topic> -->", "<!---->", "<!-- -- -->", "<!--", "-->"))
    elif kind < 0.3:
        inserted = rng.choice(
            ("<![CDATA[x]]>", "<![CDATA[<!--]]>", "<![CDATA[</result>]]>", "<![CDATA[", "]]>", "<![CDATA[<!-- x ]]>-->")
        )
    elif kind < 0.45:
        inserted = rng.choice(
            ("&lt;", "&#0;", "&#x1F;", "&#xD800;", "&nbsp;", "&e;", "&", "&#99999999;", "&amp", "&#65;")
        )
    elif kind < 0.55:
        head = rng.choice((_DTD.format("v"), _DTD.format("&e;"), _BILLION, '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
                           '<?xml version="1.0" encoding="utf-7"?>', '<?xml version="1.0" encoding="utf-16"?>',
                           '<?xml version="1.1"?>', '<?xml version="1.0" encoding="nonsense"?>'))  # fmt: skip
        return encoded(head + text)
    elif kind < 0.6:
        depth = rng.choice((5, 300, 3_000))
        inserted = "<n>" * depth + "x" + "</n>" * (depth if rng.random() < 0.8 else depth - 1)
    elif kind < 0.8:
        inserted = _quadratic(rng)
        if rng.random() < 0.4:
            inserted = rng.choice(("<![CDATA[{}]]>", "<!--{}-->", "<![CDATA[<!--]]>{}", "<p>{}</p>")).format(inserted)
    elif kind < 0.86:
        name = rng.choice(("x", "id", "file", "path", "offset", "xml:space", "xmlns", "xmlns:a"))
        inserted = f' {name}="{rng.choice(("", "1", "http://x", values.number(rng)))}"'
        place = text.find(">", place) if ">" in text[place:] else place
    elif kind < 0.93:
        parts = text.split("<")
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        parts[i], parts[j] = parts[j], parts[i]
        return encoded("<".join(parts))
    else:
        inserted = values.text(rng)
    return encoded(text[:place] + inserted + text[place:])


# ---- files --------------------------------------------------------------------------------------------------


@cache
def bomb(compression: str) -> bytes:
    """A compressed file of 1 MB or less that expands to 400 MB without a line end, or to one line of JSON."""
    block = b" " * (1 << 20)
    if compression == ".gz":
        return gzip.compress(b"q1 Q0 a 1 ", mtime=0) + gzip.compress(b"1" * (1 << 20), mtime=0) * 400
    if compression == ".bz2":
        return bz2.compress(b"q1 Q0 a 1 1 t\n") + bz2.compress(block) * 400
    return lzma.compress(b"q1 Q0 a 1 1 t\n") + lzma.compress(block) * 400


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name.encode("utf-8", "replace").decode()), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


COMPRESS = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def compressed(rng: Random, data: bytes) -> tuple[str, bytes]:
    """The bytes compressed once, twice, cut short, damaged or in several streams, and the suffix."""
    suffix = rng.choice(list(COMPRESS))
    pack = COMPRESS[suffix]
    kind = rng.random()
    if kind < 0.5:
        packed = pack(data)
    elif kind < 0.6:
        packed = pack(COMPRESS[rng.choice(list(COMPRESS))](data))
    elif kind < 0.7:
        packed = pack(data)[: -rng.randrange(1, 12)]
    elif kind < 0.8:
        packed = flip(rng, pack(data))
    elif kind < 0.9:
        half = len(data) // 2
        packed = pack(data[:half]) + pack(data[half:])
    elif kind < 0.95:
        packed = pack(data) + rng.choice((b"x", b"\0" * 100, zlib.compress(b"x")))
    else:
        packed = zipped({"x": data})
    return suffix if rng.random() < 0.8 else "", packed


SPECIAL: tuple[Content | None, ...] = (
    b"", b"\n", b"\0", None, Special(FOLDER), Special(LINK, "loop"), Special(LINK, "."), Special(LINK, "/dev/null"),
    b"\xff\xfe", b"PK\x03\x04", b"\x1f\x8b", b"PAR1PAR1", b"{", b"<",
)  # fmt: skip
"""In place of an input; None for nothing at all. A pipe without a writer would block any program."""
SPECIAL_OUTPUTS: tuple[Content, ...] = (
    b"old", b"old", b"old", Special(FOLDER), Special(FOLDER), Special(FIFO), Special(LINK, "loop"),
    Special(LINK, "new"), Special(LINK, "/dev/null"), Special(LINK, "/dev/full"), Special(LINK, "missing/new"),
)  # fmt: skip
"""Something that is already where an output is to be written."""
