"""The list of formats, from which all else about them follows: detection, suffixes, choices, errors, documentation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from partwise.errors import PartwiseError
from partwise.files import split_suffixes
from partwise.formats.base import Format
from partwise.formats.delimited import CSV, TSV
from partwise.formats.inex import INEX
from partwise.formats.inex_xml import XML
from partwise.formats.jsonl import JSONL
from partwise.formats.parquet import PARQUET
from partwise.formats.tabular import Tabular
from partwise.formats.trec import TREC
from partwise.formats.trec_or_inex import TEXT

OURS: tuple[Format, ...] = (TREC, INEX, TEXT, XML, CSV, TSV, JSONL, PARQUET)
"""In the order in which messages and help name them."""

DEFAULT: Format = TEXT
"""What a file is that is of no other format."""

F = TypeVar("F", bound=Format)
_added: list[Format] = []


def register(format: Format) -> None:
    """Add a format; it is asked before ours whether a file is of it."""
    for other in listed():
        if other.name == format.name or set(other.suffixes) & set(format.suffixes):
            raise PartwiseError(
                f"there is a format {other.name} ({' '.join(filter(None, other.suffixes))}) already",
                "give the format another name and other suffixes",
            )
    _added.append(format)


def unregister(format: Format) -> None:
    """Take away a format that was added."""
    _added.remove(format)


def listed() -> tuple[Format, ...]:
    """All formats, in the order in which messages and help name them."""
    return (*OURS, *_added)


def in_order_of_detection() -> tuple[Format, ...]:
    return (*_added, *OURS)


def readable(among: Sequence[Format] | None = None) -> str:
    """What can be read, in a sentence; formats that are forms of another are meant by that one."""
    among = listed() if among is None else among
    forms = [form for format in among for form in format.forms]
    names = [format.title or format.name for format in among if format not in forms]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def written() -> tuple[Format, ...]:
    """The formats that can be written."""
    return tuple(format for format in listed() if format.is_written)


def choices() -> tuple[str, ...]:
    """The names of the formats that can be chosen to be written."""
    return tuple(format.name for format in written() if not format.forms)


def tabular() -> tuple[Tabular, ...]:
    """The formats of named columns."""
    return tuple(format for format in listed() if isinstance(format, Tabular))


def suffix_of(path: str | os.PathLike[str]) -> str:
    return split_suffixes(os.path.basename(os.fspath(path)))[1]


def by_suffix(path: str | os.PathLike[str]) -> Format | None:
    """The format that the name of a file says, compressed or not."""
    suffix = suffix_of(path)
    return next((format for format in listed() if suffix in format.suffixes), None)


def to_write(path: str | os.PathLike[str], name: str | None, among: Sequence[F]) -> F:
    """That of these formats in which a file is written: the one of this name, or else of the file's suffix."""
    of_suffix = by_suffix(path) if name is None else None
    wanted = name if of_suffix is None else of_suffix.name
    found = next((format for format in among if format.name == wanted), None)
    if found is None:
        what = f"its suffix is {suffix_of(path)}" if wanted is None else f"the format is {wanted}"
        names = ", ".join(format.name for format in among)
        raise PartwiseError(f"cannot be written: {what}", f"use one of {names}", file=os.fspath(path))
    return found
