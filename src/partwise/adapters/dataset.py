"""What a data set of others gives: assessments, queries and documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partwise.collection.plain import decoded
from partwise.errors import PartwiseError, shown
from partwise.files import read_bytes
from partwise.formats import read_rows
from partwise.formats.problems import no_column
from partwise.model import Assessments, Source


@dataclass(frozen=True)
class Dataset:
    """Assessments, and by their ids the queries and the texts of the documents (as far as they are at hand)."""

    assessments: Assessments
    queries: dict[str, str]
    documents: Mapping[str, str]


def read_text(path: str | os.PathLike[str]) -> str:
    """A document as it stands in its file."""
    return decoded(read_bytes(path), os.fspath(path))


def rows_of(
    path: str | os.PathLike[str], names: Sequence[str], what: str
) -> tuple[list[dict[str, Any]], list[int], Source]:
    """The rows of a file that has these columns, with the line of each."""
    rows, lines, source = read_rows(path, "", tuple(names))
    for name in names:
        if rows and not any(name in row for row in rows):
            raise no_column(source, name, list(rows[0]), what)
    return rows, lines, source


def cell(row: Mapping[str, Any], name: str, source: Source, line: int) -> str:
    """A text or a whole number of a row, as text."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise source.error(f"the {name} is {shown(value)}", "it must be a text or a whole number", line)
    return str(value)


def span_of(start: Any, end: Any) -> tuple[int, int] | None:
    """These as a span, if they are one."""
    fine = all(isinstance(edge, int) and not isinstance(edge, bool) for edge in (start, end)) and 0 <= start <= end
    return (start, end) if fine else None


def known_once(found: dict[str, str], name: str, text: str, source: Source, line: int) -> None:
    """Enter a text under its id; a second one of that id is an error."""
    if name in found:
        raise source.error(f"the id {shown(name)} stands in an earlier line too", "give every one its own", line)
    found[name] = text


def no_folder(path: str, what: str) -> PartwiseError:
    return PartwiseError("no such folder", f"give the folder of {what}", file=path)
