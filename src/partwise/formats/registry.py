"""The list of formats, from which detection, suffixes, choices, errors and documentation are derived."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar, cast

from partwise import plugins
from partwise.errors import PartwiseError, shown
from partwise.files import split_suffixes
from partwise.formats.base import Format
from partwise.formats.delimited import CSV, TSV
from partwise.formats.genomics import GENOMICS
from partwise.formats.inex import INEX
from partwise.formats.inex_xml import XML
from partwise.formats.jsonl import JSONL
from partwise.formats.moments import MOMENTS
from partwise.formats.parquet import PARQUET
from partwise.formats.tabular import Tabular
from partwise.formats.trec import TREC
from partwise.formats.trec_or_inex import TEXT
from partwise.messages import writing

OURS: tuple[Format, ...] = (TREC, INEX, TEXT, XML, GENOMICS, CSV, TSV, MOMENTS, JSONL, PARQUET)
"""In the order in which messages and help name them."""

DEFAULT: Format = TEXT
"""The format of a file that is of no other format."""

F = TypeVar("F", bound=Format)
_added: list[Format] = []


A = TypeVar("A", Format, type[Format])


def register(added: A) -> A:
    """Add a format (an object or its class): ``pw.register_format``. It is tried before ours when a file is detected.

    Help, the choices of ``partwise convert`` and error messages then name it like ours.

    - `added`: the format.
    """
    format = added() if isinstance(added, type) else added
    if not isinstance(format, Format):
        raise PartwiseError(writing.NOT_A_FORMAT(value=shown(added)))
    for other in listed():
        if other.name == format.name or set(other.suffixes) & set(format.suffixes):
            suffixes = " ".join(filter(None, other.suffixes))
            raise PartwiseError(writing.FORMAT_EXISTS(name=other.name, suffixes=suffixes))
    _added.append(format)
    return added


@cache
def _of_package(name: str) -> Format | None:
    """The format that an installed package provides under this name, or for files with this suffix."""
    format = plugins.find(plugins.FORMATS, name)
    if format is None:
        return None
    register(format)
    return _added[-1]


def listed() -> tuple[Format, ...]:
    """All formats, in the order in which messages and help name them."""
    return (*OURS, *_added)


def in_order_of_detection() -> tuple[Format, ...]:
    return (*_added, *OURS)


def readable(among: Sequence[Format] | None = None) -> str:
    """The titles of the common formats as a list in a sentence, without those that another one groups."""
    among = listed() if among is None else among
    forms = [form for format in among for form in format.forms]
    names = [format.title or format.name for format in among if format not in forms and format.is_common]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def written() -> tuple[Format, ...]:
    """The formats that can be written."""
    return tuple(format for format in listed() if format.is_written)


def choices() -> tuple[str, ...]:
    """The names of the formats that a user can choose to write."""
    return tuple(format.name for format in written() if not format.forms)


def tabular() -> tuple[Tabular, ...]:
    """The formats of named columns."""
    return tuple(format for format in listed() if isinstance(format, Tabular))


def suffix_of(path: str | os.PathLike[str]) -> str:
    return split_suffixes(os.path.basename(os.fspath(path)))[1]


def by_suffix(path: str | os.PathLike[str]) -> Format | None:
    """The format with the suffix of this file, compressed or not; None if there is none."""
    suffix = suffix_of(path)
    format = next((format for format in listed() if suffix in format.suffixes), None)
    return _of_package(suffix.removeprefix(".")) if format is None else format


def to_write(
    path: str | os.PathLike[str], name: str | None, among: Callable[[], Sequence[F]], safe_csv: bool = False
) -> F:
    """The format of this name, or else of the file's suffix; it must be among these.

    With `safe_csv` it is for spreadsheets.
    """
    of_suffix = by_suffix(path) if name is None else None
    chosen = name if of_suffix is None else of_suffix.name
    if chosen is not None and all(format.name != chosen for format in listed()):
        _of_package(chosen)
    format = next((format for format in among() if format.name == chosen), None)
    if format is None:
        names = ", ".join(format.name for format in among())
        message = (
            writing.UNKNOWN_SUFFIX(suffix=suffix_of(path), formats=names)
            if chosen is None
            else writing.NOT_A_CHOICE(format=chosen, formats=names)
        )
        raise PartwiseError(message, file=os.fspath(path))
    return cast(F, format.for_spreadsheets()) if safe_csv else format
