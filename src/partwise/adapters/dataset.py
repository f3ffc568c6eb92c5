"""What the loaders of other data sets share: assessments, queries and documents."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partwise.collection.plain import decoded
from partwise.errors import PartwiseError, shown
from partwise.files import read_bytes
from partwise.formats import read_rows
from partwise.formats.problems import no_column
from partwise.messages import adapters
from partwise.model import Assessments, Source


@dataclass(frozen=True, repr=False)
class Dataset:
    """Assessments, and by id the queries and the texts of the documents (as far as they are available)."""

    assessments: Assessments
    queries: dict[str, str]
    documents: Mapping[str, str]

    def __repr__(self) -> str:
        return f"<Dataset: {len(self.queries)} queries, {len(self.documents)} documents, {self.assessments!r}>"


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, unchanged."""
    return decoded(read_bytes(path), os.fspath(path))


def json_values(path: str | os.PathLike[str], expected: str) -> tuple[list[tuple[Any, int]], Source]:
    """The JSON values of a file, with the line of each: one value, a value per line, or values one after another."""
    name = os.fspath(path)
    source, text = Source(name), read_text(path)
    decoder, at, line = json.JSONDecoder(), 0, 1
    values: list[tuple[Any, int]] = []
    while True:
        while at < len(text) and text[at].isspace():
            line += text[at] == "\n"
            at += 1
        if at == len(text):
            return values, source
        try:
            value, after = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise source.error(adapters.NOT_JSON(reason=error.msg, expected=expected), line=error.lineno) from None
        except (ValueError, RecursionError):
            raise source.error(adapters.NOT_JSON(reason="it cannot be read", expected=expected), line=line) from None
        values.append((value, line))
        line += text.count("\n", at, after)
        at = after


def rows_of(
    path: str | os.PathLike[str], names: Sequence[str], what: str
) -> tuple[list[dict[str, Any]], list[int], Source]:
    """The rows of a file that must have these columns, with the line of each row."""
    rows, lines, source = read_rows(path, "", tuple(names))
    for name in names:
        if rows and not any(name in row for row in rows):
            raise no_column(source, name, list(rows[0]), what)
    return rows, lines, source


def cell(row: Mapping[str, Any], name: str, source: Source, line: int) -> str:
    """A string or whole number of a row, as a string."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise source.error(adapters.NOT_TEXT_OR_NUMBER(name=name, value=shown(value)), line=line)
    return str(value)


def span_of(start: Any, end: Any) -> tuple[int, int] | None:
    """Start and end as a span, or None if they are not one."""
    valid = all(isinstance(edge, int) and not isinstance(edge, bool) for edge in (start, end)) and 0 <= start <= end
    return (start, end) if valid else None


def add_once(texts: dict[str, str], name: str, text: str, source: Source, line: int) -> None:
    """Add a text under its id; an id that occurs again is an error."""
    if name in texts:
        raise source.error(adapters.ID_TWICE(id=shown(name)), line=line)
    texts[name] = text


def no_folder(path: str, files: str) -> PartwiseError:
    return PartwiseError(adapters.NO_FOLDER(files=files), file=path)
