"""Titles and descriptions of queries, for the readers of a report, and their other columns, for slices."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.formats.columns import renamed
from partwise.formats.names import DESCRIPTIONS, TITLES
from partwise.formats.problems import Reader, no_column
from partwise.formats.tables import Table
from partwise.messages import slices, xml

IDS = ("id", "topic-id", "topic_id", "topic", "number", "num", "qid", "query_id", "query-id")

Titles = dict[str, tuple[str, str]]
"""The title and description of each query; either may be empty."""
Columns = dict[str, dict[str, Any]]
"""The cell of each query, by column."""


def titles_from_table(table: Table) -> Titles:
    """Queries in named columns: ``query_id``, ``title`` (or text, query, question) and optionally ``description``."""
    table = renamed(table, ("query_id",))
    if not table.has("query_id"):
        raise no_column(table.reader.source, "query_id", table.names, "queries")
    title = next((name for name in TITLES if table.has(name)), None)
    if title is None:
        raise no_column(table.reader.source, "title", table.names, "queries")
    description = next((name for name in DESCRIPTIONS if table.has(name)), None)
    ids, titles = table.columns["query_id"], table.columns[title]
    descriptions = table.columns[description] if description else [""] * len(table)
    return {_plain(i): (_plain(t), _plain(d)) for i, t, d in zip(ids, titles, descriptions, strict=True)}


def columns_from_table(table: Table) -> Columns:
    """All columns of queries in named columns, with the cell of each query."""
    table = renamed(table, ("query_id",))
    if not table.has("query_id"):
        raise no_column(table.reader.source, "query_id", table.names, "queries")
    table.reader.settle()
    columns: Columns = {name: {} for name in table.columns if name != "query_id"}
    for row, line in zip(table.rows(), table.lines.tolist(), strict=True):
        query = _plain(row["query_id"])
        for name, cells in columns.items():
            earlier = cells.setdefault(query, row[name])
            if earlier != row[name]:
                values = {"value": shown(earlier), "other": shown(row[name])}
                raise table.reader.source.error(slices.TWO_VALUES(query=shown(query), column=name, **values), line=line)
    return columns


def columns_from_xml(data: bytes, reader: Reader) -> Columns:
    """The attributes and children of queries in XML, with the text of each."""
    columns: Columns = {}
    for query, cells in _parsed(data, reader).cells.items():
        for name, text in cells.items():
            columns.setdefault(name, {})[query] = text
    return columns


def titles_from_xml(data: bytes, reader: Reader) -> Titles:
    """Queries in XML: all elements with an id (an attribute or a child) and a title or text below them."""
    return _parsed(data, reader).titles


def _parsed(data: bytes, reader: Reader) -> _Queries:
    from xml.parsers import expat

    listener = _Queries()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = listener.start
    parser.EndElementHandler = listener.end
    parser.CharacterDataHandler = listener.add_text

    def declared(*_: Any) -> None:
        raise reader.source.error(xml.DECLARES_ENTITIES(), line=parser.CurrentLineNumber)

    parser.EntityDeclHandler = declared
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise reader.source.error(xml.NOT_WELL_FORMED(reason=reason), line=error.lineno) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, PartwiseError):
            raise
        raise reader.source.error(xml.CANNOT_DECODE(reason=error), line=1) from None
    if not listener.titles:
        raise reader.source.error(xml.NO_QUERIES())
    return listener


class _Queries:
    """Receives the elements of a file of queries."""

    def __init__(self) -> None:
        self.open: list[_Element] = []
        self.titles: Titles = {}
        self.cells: dict[str, dict[str, str]] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        query_id = next((attributes[key] for key in IDS if key in attributes), "")
        cells = {key: _plain(value) for key, value in attributes.items() if key not in IDS}
        self.open.append(_Element({"id": query_id.strip()} if query_id else {}, cells))

    def add_text(self, text: str) -> None:
        self.open[-1].text.append(text)

    def end(self, name: str) -> None:
        element, tag = self.open.pop(), name
        text, name = _plain("".join(element.text)), name.lower()
        if self.open:
            above = self.open[-1]
            above.text.append(text)
            if name not in IDS:
                above.cells.setdefault(tag, text)
            kinds = (("id", IDS), ("title", TITLES), ("description", DESCRIPTIONS))
            for field_name in (kind for kind, names in kinds if name in names and text):
                above.fields.setdefault(field_name, text)
        if {"id", "title"} <= element.fields.keys():
            fields = element.fields
            self.cells[fields["id"]] = element.cells
            self.titles[fields["id"]] = _without_operators(fields["title"]), fields.get("description", "")


@dataclass
class _Element:
    """An open element: the fields of a query in its attributes and children, its other cells, and its text."""

    fields: dict[str, str]
    cells: dict[str, str]
    text: list[str] = field(default_factory=list)


def _without_operators(text: str) -> str:
    """The words of an Indri query such as ``#combine( olive oil )``; other text unchanged."""
    return " ".join(re.sub(r"#\w+\(|\)", " ", text).split()) if text.startswith("#") else text


def _plain(cell: Any) -> str:
    return "" if cell is None else " ".join(str(cell).split())
