"""Rows that are known by their text become rows of characters: what all adapters, `locate` and `spans` share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from partwise.collection import Collection
from partwise.collection.texts import Texts
from partwise.errors import PartwiseError, shown
from partwise.formats import write_rows
from partwise.formats.assessments import assessments_from_table
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.problems import Reader, no_column
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import Table, table_from_dicts
from partwise.location import (
    AMBIGUOUS,
    ERROR,
    FIRST,
    IF_AMBIGUOUS,
    IF_MISSING,
    KEEP,
    MISSING,
    SKIP,
    Locations,
    Wanted,
    locate,
    problem_of,
    settled,
)
from partwise.messages import Text
from partwise.model import LARGEST_OFFSET, Assessments, Run, Source

Row = dict[str, Any]
Error = Callable[..., PartwiseError]
"""What is wrong with a row, and what would be right, as an error that says where the row stands."""

_PARTS = ("start", "offset", "spans", "path", "paths")
_FATE = {
    KEEP: "counted as text that is read and brings nothing",
    FIRST: "taken to stand in the first",
    SKIP: "left out",
}


def texts_of(documents: Any) -> Mapping[str, str]:
    """Texts by document id: a mapping of texts, taken as they are, or anything that opens as a collection."""
    if isinstance(documents, Mapping):
        for doc_id, text in documents.items():
            if not isinstance(doc_id, str):
                raise PartwiseError(f"the document id {shown(doc_id)} is no text", "give ids as text")
            if not isinstance(text, str):
                raise PartwiseError(f"document {doc_id} is of type {type(text).__name__}", "give its text")
        return documents
    if isinstance(documents, (str, os.PathLike, Collection)):
        return Texts(Collection.open(documents))
    raise PartwiseError(
        f"the documents are of type {type(documents).__name__}",
        "give a mapping of ids to texts, a collection, or the path of one",
    )


def texts_by_id(
    given: Any, text_of: Callable[[Any], Any], id_of: Callable[[Any], str | None], what: str, apart: str
) -> dict[str, str]:
    """The texts of other people's documents; two of one id are an error that says how to tell them `apart`."""
    texts: dict[str, str] = {}
    for number, document in enumerate(given, 1):
        where = f"documents, row {number}"
        text = text_of(document)
        if not isinstance(text, str):
            raise PartwiseError(f"is of type {type(document).__name__}", f"give {what}", file=where)
        name = id_of(document)
        if name is None:
            raise PartwiseError("does not say what it is called", "give source=, a key or a function", file=where)
        if name in texts:
            raise PartwiseError(f"is a second document {shown(name)}", apart, file=where)
        texts[name] = text
    return texts


def checked(ambiguous: str, missing: str) -> None:
    """Whether these are things that can become of texts without one place."""
    for name, way, ways in (("ambiguous", ambiguous, IF_AMBIGUOUS), ("missing", missing, IF_MISSING)):
        if way not in ways:
            raise PartwiseError(f"{name} is {shown(way)}", f"it must be one of {', '.join(ways)}")


@dataclass(frozen=True)
class Placed:
    """Rows with the characters of their texts; which of the given rows they are; and how each text was found."""

    rows: list[Row]
    kept: list[int]
    looked_for: list[int]
    locations: Locations
    moved: int

    def notes(self, what: str, ambiguous: str, missing: str) -> list[str]:
        """What a reader of the numbers should know."""
        counts = self.locations.counts
        total = len({*self.kept, *self.looked_for})
        told = []
        if counts[AMBIGUOUS]:
            told.append(f"{counts[AMBIGUOUS]} of {total} {what} stand in several places, {_FATE[ambiguous]}")
        if counts[MISSING]:
            told.append(f"{counts[MISSING]} of {total} {what} are not in the documents, {_FATE[missing]}")
        if self.moved:
            told.append(f"{self.moved} of {total} {what} are not where their offsets say, and were looked for")
        return told


def has_part(row: Mapping[str, Any]) -> bool:
    """Whether a row says which characters or elements it is."""
    return any(row.get(name) not in (None, "") for name in _PARTS)


def placed(
    rows: Sequence[Row], texts: Mapping[str, str], ambiguous: str, missing: str, error: Error, check: bool = False
) -> Placed:
    """The rows with ``doc_id, start, end`` in place of ``text``; rows that have a part keep it.

    With `check` a part is kept only if the text stands there; if it does not, and stands in several places of which one
    begins where the part does, it is that one.
    """
    looked_for, moved = [], 0
    for number, row in enumerate(rows):
        doc_id, given = row.get("doc_id"), has_part(row)
        if doc_id is not None and doc_id not in texts and (check or not given):
            raise error(number, f"document {shown(doc_id)} is not among the documents", _first(texts))
        if not given:
            looked_for.append(number)
        elif check and doc_id is not None and texts[doc_id][row["start"] : row["end"]] != row["text"]:
            looked_for.append(number)
            moved += 1
    wanted = [(rows[number].get("doc_id"), rows[number]["text"]) for number in looked_for]
    locations = locate(wanted, texts)
    for item, number in enumerate(looked_for):
        starts = [place.start for place in locations[item].places] if has_part(rows[number]) else []
        if locations[item].how == AMBIGUOUS and rows[number].get("start") in starts:
            locations[item] = locations[item].at(starts.index(rows[number]["start"]))
    places = settled(wanted, locations, texts, ambiguous, missing, lambda item, *told: error(looked_for[item], *told))
    found = dict(zip(looked_for, places, strict=True))
    fresh, kept = [], []
    for number, row in enumerate(rows):
        cells = {name: value for name, value in row.items() if name != "text"}
        if number in found:
            place = found[number]
            if place is None:
                continue
            cells |= {"doc_id": place.doc_id, "start": place.start, "end": place.end}
        fresh.append(cells)
        kept.append(number)
    return Placed(fresh, kept, looked_for, locations, moved)


def _first(texts: Mapping[str, str]) -> str:
    first = next(iter(texts), None)
    return "there are none" if first is None else f"the first is {shown(first)}"


def wanted_of(chunks: Any, documents: Any) -> tuple[list[Wanted], Mapping[str, str]]:
    """Chunks as `locate` takes them: the document, if it is known, and the text of each."""
    if isinstance(chunks, (str, bytes, Mapping)) or not hasattr(chunks, "__iter__"):
        raise PartwiseError(f"the chunks are of type {type(chunks).__name__}", "give a list of them")
    texts = texts_of(documents)
    wanted: list[Wanted] = []
    for number, chunk in enumerate(chunks, 1):
        where = f"chunks, row {number}"
        pair: tuple[Any, Any] = (None, chunk)
        if isinstance(chunk, Mapping):
            pair = chunk.get("doc_id"), chunk.get("text")
        elif isinstance(chunk, (tuple, list)) and len(chunk) == 2:
            pair = chunk[0], chunk[1]
        doc_id, text = pair
        if not isinstance(text, str) or not isinstance(doc_id, str | None):
            raise PartwiseError(
                f"is of type {type(chunk).__name__}", "give a text, (doc_id, text) or a dict with text", file=where
            )
        if doc_id is not None and doc_id not in texts:
            raise PartwiseError(f"document {shown(doc_id)} is not among the documents", _first(texts), file=where)
        wanted.append((doc_id, text))
    return wanted, texts


# ---- files ----------------------------------------------------------------------------------------------------

COLUMNS = tuple(dict.fromkeys((*RUN_COLUMNS, *ASSESSMENT_COLUMNS, "located")))


def located_rows(
    rows: Sequence[Row],
    lines: Sequence[int],
    source: Source,
    texts: Mapping[str, str],
    ambiguous: str,
    missing: str,
) -> tuple[Placed, list[str]]:
    """Rows of a file with the characters of their texts, and a line for each text that has no one place."""
    checked(ambiguous, missing)

    def error(number: int, problem: str | Text, remedy: str = "") -> PartwiseError:
        return source.error(problem, remedy, int(lines[number]))

    if rows and not any("text" in row for row in rows):
        raise no_column(source, "text", list(rows[0]), "chunks")
    clean: list[Row] = []
    for number, row in enumerate(rows):
        if row.get("query_id") is None:
            raise error(number, "has no query_id", "give every row its query_id")
        if not has_part(row) and not isinstance(row.get("text"), str):
            problem = "has no text" if row.get("text") is None else f"the text is {shown(row['text'])}"
            raise error(number, problem, "give every row its text, or start and end")
        doc_id = row.get("doc_id")
        clean.append({**row, "doc_id": doc_id if doc_id is None or isinstance(doc_id, str) else str(doc_id)})
    found = placed(clean, texts, ambiguous, missing, error)
    how = {number: located.how for number, located in zip(found.looked_for, found.locations, strict=True)}
    for number, row in zip(found.kept, found.rows, strict=True):
        row["located"] = how.get(number)
    problems = [
        str(error(number, problem_of(located, clean[number]["text"])))
        for number, located in zip(found.looked_for, found.locations, strict=True)
        if not located.found
    ]
    return found, problems


# ---- runs -----------------------------------------------------------------------------------------------------


def ranked(results: Any, what: str) -> Iterator[tuple[str, int, Any]]:
    """Query, rank and result, one by one, of ``{query_id: results in rank order}``."""
    if not isinstance(results, Mapping):
        raise PartwiseError(f"the results are of type {type(results).__name__}", f"give {{query_id: {what}}}")
    for query, items in results.items():
        if isinstance(items, (str, bytes, Mapping)) or not hasattr(items, "__iter__"):
            raise PartwiseError(
                f"the results of query {shown(query)} are of type {type(items).__name__}", f"give {what}"
            )
        for rank, item in enumerate(items, 1):
            yield str(query), rank, item


def offset(value: Any) -> int | None:
    """An offset as stores give it back, some of them as a float; None if it is none, as LangChain's -1."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        return None
    return int(value) if 0 <= value <= LARGEST_OFFSET and int(value) == value else None


def at_result(query: str, rank: int) -> Callable[[str | Text, str], PartwiseError]:
    """Errors of one result."""
    return lambda problem, remedy: PartwiseError(problem, remedy, file=f"query {query}, result {rank}")


def run_of(
    rows: Sequence[Row], documents: Mapping[str, str] | None, run_id: str, ambiguous: str, missing: str, offsets: str
) -> Run:
    """The run of these rows, which have ``query_id, rank, text``, and ``doc_id, start, end`` where known.

    `offsets` tells how to get chunks that know their places.
    """
    checked(ambiguous, missing)

    def error(number: int, problem: str | Text, remedy: str = "") -> PartwiseError:
        return at_result(rows[number]["query_id"], rows[number]["rank"])(problem, remedy)

    notes: list[str] = []
    fresh: Sequence[Row] = rows
    if documents is not None:
        found = placed(rows, documents, ambiguous, missing, error, check=True)
        fresh, notes = found.rows, found.notes("chunks", ambiguous, missing)
    for number, row in enumerate(fresh):
        if not has_part(row) or row.get("doc_id") is None:
            gone = "document" if row.get("doc_id") is None else "offset"
            raise error(number, f"the chunk {shown(row['text'])} has no {gone}", f"{offsets}, or give documents")
    reader = Reader(Source(run_id, is_file=False), lenient=False, notes=[])
    if not fresh:
        table = Table({"query_id": [], "doc_id": []}, [], reader)
    else:
        table = table_from_dicts(fresh, reader)
    [run] = runs_from_table(table, run_id)
    return replace(run, notes=tuple(notes))


# ---- assessments ----------------------------------------------------------------------------------------------


def assessments_of(
    rows: Sequence[Row],
    lines: Sequence[int],
    source: Source,
    documents: Mapping[str, str] | None = None,
    ambiguous: str = ERROR,
    missing: str = ERROR,
    unit: str = "chars",
) -> Assessments:
    """The assessments of these rows; quoted texts among them are looked for in the documents."""
    checked(ambiguous, missing)

    def error(number: int, problem: str | Text, remedy: str = "") -> PartwiseError:
        return source.error(problem, remedy, int(lines[number]))

    notes: list[str] = []
    quoted = [number for number, row in enumerate(rows) if row.get("text") is not None and not has_part(row)]
    if quoted and documents is None:
        raise error(quoted[0], "gives its passage as text", "give documents to find it in, or start and end")
    if documents is not None and quoted:
        chosen = [rows[number] for number in quoted]
        found = placed(chosen, documents, ambiguous, missing, lambda item, *told: error(quoted[item], *told))
        notes = found.notes("passages", ambiguous, missing)
        places = dict(zip((quoted[item] for item in found.kept), found.rows, strict=True))
        gone = set(quoted).difference(places)
        left = [number for number in range(len(rows)) if number not in gone]
        rows, lines = [places.get(number, rows[number]) for number in left], [lines[number] for number in left]
    if not rows:
        raise source.error("has no judgements", "give at least one")
    table = table_from_dicts(rows, Reader(source, lenient=False, notes=[]), lines)
    return replace(assessments_from_table(table, unit), notes=tuple(notes))


class LocatedRows(list[dict[str, Any]]):
    """Rows of a run or of assessments whose texts have become characters; `located` says how in each.

    `locations` is where each text stands that was looked for, `problems` what is wrong with those that have no one
    place, as lines that say where.
    """

    COLUMNS = COLUMNS

    def __init__(self, found: Placed, problems: Sequence[str]) -> None:
        super().__init__(found.rows)
        self.locations = found.locations
        self.problems = problems

    def cells(self) -> list[dict[str, Any]]:
        """The rows, each with all columns that occur; a missing cell is empty."""
        there = [name for name in self.COLUMNS if any(row.get(name) is not None for row in self)]
        return [{name: "" if row.get(name) is None else row[name] for name in there} for row in self]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write them as CSV, TSV, JSON Lines or Parquet, as the suffix says."""
        write_rows(self, self.COLUMNS, path)
