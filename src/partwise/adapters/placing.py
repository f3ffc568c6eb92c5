"""Rows with texts to rows with offsets: shared by all adapters, `locate` and `spans`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    KEEP,
    MISSING,
    SKIP,
    Locations,
    TextToFind,
    locate,
    problem_of,
    settled,
)
from partwise.messages import Message, Text, adapters
from partwise.messages import documents as of_documents
from partwise.model import LARGEST_OFFSET, Assessments, Run, Source
from partwise.parameters import check_choice
from partwise.types import IF_AMBIGUOUS, IF_MISSING

Row = dict[str, Any]
RowError = Callable[[int, Text], PartwiseError]
"""The error of a row: called with the row's number and a `Text`, it adds the place of the row."""

_CHUNK = "a text, (doc_id, text) or a dict with text"
_PARTS = ("start", "offset", "spans", "path", "paths")
_AMBIGUOUS: dict[str, Message] = {
    KEEP: adapters.AMBIGUOUS_KEPT,
    FIRST: adapters.AMBIGUOUS_FIRST,
    SKIP: adapters.AMBIGUOUS_SKIPPED,
}
_MISSING: dict[str, Message] = {KEEP: adapters.MISSING_KEPT, SKIP: adapters.MISSING_SKIPPED}


def texts_of(documents: Any) -> Mapping[str, str]:
    """Texts by document id, from a mapping (used as it is) or from anything that opens as a collection."""
    if isinstance(documents, Mapping):
        for doc_id, text in documents.items():
            if not isinstance(doc_id, str):
                raise PartwiseError(of_documents.ID_NOT_TEXT(doc_id=shown(doc_id)))
            if not isinstance(text, str):
                raise PartwiseError(adapters.DOCUMENT_TYPE(doc_id=doc_id, type=type(text).__name__))
        return documents
    if isinstance(documents, (str, os.PathLike, Collection)):
        return Texts(Collection.open(documents))
    raise PartwiseError(adapters.DOCUMENTS_TYPE(type=type(documents).__name__))


def texts_by_id(
    documents: Iterable[Any],
    text_of: Callable[[Any], Any],
    id_of: Callable[[Any], str | None],
    expected: str,
    second: Message,
) -> dict[str, str]:
    """The texts of another package's documents by id; `second` is the message for an id that occurs again."""
    texts: dict[str, str] = {}
    for number, document in enumerate(documents, 1):
        where = f"documents, row {number}"
        text = text_of(document)
        if not isinstance(text, str):
            raise PartwiseError(adapters.WRONG_TYPE(type=type(document).__name__, expected=expected), file=where)
        name = id_of(document)
        if name is None:
            raise PartwiseError(adapters.NO_DOCUMENT_ID(), file=where)
        if name in texts:
            raise PartwiseError(second(doc_id=shown(name)), file=where)
        texts[name] = text
    return texts


def checked(ambiguous: str, missing: str) -> None:
    """Fail unless these are options for texts that are ambiguous or missing."""
    for name, value, choices in (("ambiguous", ambiguous, IF_AMBIGUOUS), ("missing", missing, IF_MISSING)):
        check_choice(name, value, choices)


@dataclass(frozen=True)
class Placed:
    """Rows with the offsets of their texts, the numbers of the original rows, and how each text was located."""

    rows: list[Row]
    kept: list[int]
    searched: list[int]
    locations: Locations
    moved: int

    def notes(self, things: str, ambiguous: str, missing: str) -> list[str]:
        """Notes that count the texts without exactly one place, and those with wrong offsets."""
        counts = self.locations.counts
        total = len({*self.kept, *self.searched})
        notes: list[str] = []
        if counts[AMBIGUOUS]:
            notes.append(_AMBIGUOUS[ambiguous].note(count=counts[AMBIGUOUS], total=total, things=things))
        if counts[MISSING]:
            notes.append(_MISSING[missing].note(count=counts[MISSING], total=total, things=things))
        if self.moved:
            notes.append(adapters.WRONG_OFFSETS.note(count=self.moved, total=total, things=things))
        return notes


def has_part(row: Mapping[str, Any]) -> bool:
    """Whether a row has offsets or an element path."""
    return any(row.get(name) not in (None, "") for name in _PARTS)


def placed(
    rows: Sequence[Row], texts: Mapping[str, str], ambiguous: str, missing: str, error: RowError, check: bool = False
) -> Placed:
    """The rows with ``doc_id, start, end`` in place of ``text``; rows that have a part keep it.

    With `check`, a part is kept only if its text is there; else the text is searched for, and if one of several places
    begins where the part does, that place is taken.
    """
    searched, moved = [], 0
    for number, row in enumerate(rows):
        doc_id, is_part = row.get("doc_id"), has_part(row)
        if doc_id is not None and doc_id not in texts and (check or not is_part):
            raise error(number, _unknown(doc_id, texts))
        if not is_part:
            searched.append(number)
        elif check and doc_id is not None and texts[doc_id][row["start"] : row["end"]] != row["text"]:
            searched.append(number)
            moved += 1
    targets = [(rows[number].get("doc_id"), rows[number]["text"]) for number in searched]
    locations = locate(targets, texts)
    for item, number in enumerate(searched):
        starts = [place.start for place in locations[item].places] if has_part(rows[number]) else []
        if locations[item].how == AMBIGUOUS and rows[number].get("start") in starts:
            locations[item] = locations[item].at(starts.index(rows[number]["start"]))
    places = settled(targets, locations, texts, ambiguous, missing, lambda item, *text: error(searched[item], *text))
    place_of = dict(zip(searched, places, strict=True))
    located, kept = [], []
    for number, row in enumerate(rows):
        cells = {name: value for name, value in row.items() if name != "text"}
        if number in place_of:
            place = place_of[number]
            if place is None:
                continue
            cells |= {"doc_id": place.doc_id, "start": place.start, "end": place.end}
        located.append(cells)
        kept.append(number)
    return Placed(located, kept, searched, locations, moved)


def _unknown(doc_id: str, texts: Mapping[str, str]) -> Text:
    first = next(iter(texts), None)
    if first is None:
        return adapters.NO_DOCUMENTS(doc_id=shown(doc_id))
    return adapters.UNKNOWN_DOCUMENT(doc_id=shown(doc_id), first=shown(first))


def texts_to_find_of(chunks: Any, documents: Any) -> tuple[list[TextToFind], Mapping[str, str]]:
    """Chunks as `locate` takes them: the document id (None if not known) and the text of each; and the documents."""
    if isinstance(chunks, (str, bytes, Mapping)) or not hasattr(chunks, "__iter__"):
        raise PartwiseError(adapters.CHUNKS_TYPE(type=type(chunks).__name__))
    texts = texts_of(documents)
    pairs: list[TextToFind] = []
    for number, chunk in enumerate(chunks, 1):
        where = f"chunks, row {number}"
        pair: tuple[Any, Any] = (None, chunk)
        if isinstance(chunk, Mapping):
            pair = chunk.get("doc_id"), chunk.get("text")
        elif isinstance(chunk, (tuple, list)) and len(chunk) == 2:
            pair = chunk[0], chunk[1]
        doc_id, text = pair
        if not isinstance(text, str) or not isinstance(doc_id, str | None):
            raise PartwiseError(adapters.WRONG_TYPE(type=type(chunk).__name__, expected=_CHUNK), file=where)
        if doc_id is not None and doc_id not in texts:
            raise PartwiseError(_unknown(doc_id, texts), file=where)
        pairs.append((doc_id, text))
    return pairs, texts


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
    """The rows of a file with the offsets of their texts, and an error line for each text without exactly one place."""
    checked(ambiguous, missing)

    def error(number: int, message: Text) -> PartwiseError:
        return source.error(message, int(lines[number]))

    if rows and not any("text" in row for row in rows):
        raise no_column(source, "text", list(rows[0]), "chunks")
    clean: list[Row] = []
    for number, row in enumerate(rows):
        if row.get("query_id") is None:
            raise error(number, adapters.NO_QUERY_ID())
        if not has_part(row) and not isinstance(row.get("text"), str):
            text = row.get("text")
            raise error(number, adapters.NO_TEXT() if text is None else adapters.BAD_TEXT(value=shown(text)))
        doc_id = row.get("doc_id")
        clean.append({**row, "doc_id": doc_id if doc_id is None or isinstance(doc_id, str) else str(doc_id)})
    result = placed(clean, texts, ambiguous, missing, error)
    how = {number: located.how for number, located in zip(result.searched, result.locations, strict=True)}
    for number, row in zip(result.kept, result.rows, strict=True):
        row["located"] = how.get(number)
    problems = [
        str(error(number, problem_of(located, clean[number]["text"])))
        for number, located in zip(result.searched, result.locations, strict=True)
        if not located.found
    ]
    return result, problems


# ---- runs -----------------------------------------------------------------------------------------------------


def ranked(results: Any, expected: str) -> Iterator[tuple[str, int, Any]]:
    """Query, rank and result, one by one, from ``{query_id: results in rank order}``."""
    if not isinstance(results, Mapping):
        raise PartwiseError(adapters.RESULTS_TYPE(type=type(results).__name__, expected=expected))
    for query, items in results.items():
        if isinstance(items, (str, bytes, Mapping)) or not hasattr(items, "__iter__"):
            raise PartwiseError(
                adapters.RESULTS_OF_QUERY_TYPE(query=shown(query), type=type(items).__name__, expected=expected)
            )
        for rank, item in enumerate(items, 1):
            yield str(query), rank, item


def offset(value: Any) -> int | None:
    """An offset as an int (some stores return floats), or None if it is not an offset, such as LangChain's -1."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        return None
    return int(value) if 0 <= value <= LARGEST_OFFSET and int(value) == value else None


def result_error(query: str, rank: int, message: Text) -> PartwiseError:
    """The error of one result."""
    return PartwiseError(message, file=f"query {query}, result {rank}")


def run_of(
    rows: Sequence[Row],
    documents: Mapping[str, str] | None,
    run_id: str,
    ambiguous: str,
    missing: str,
    no_place: Message = adapters.NO_PLACE,
) -> Run:
    """The run of these rows, which have ``query_id, rank, text``, and ``doc_id, start, end`` where known.

    `no_place` is the message for a chunk that has no document or offset when there are no documents to search.
    """
    checked(ambiguous, missing)

    def error(number: int, message: Text) -> PartwiseError:
        return result_error(rows[number]["query_id"], rows[number]["rank"], message)

    notes: list[str] = []
    located: Sequence[Row] = rows
    if documents is not None:
        result = placed(rows, documents, ambiguous, missing, error, check=True)
        located, notes = result.rows, result.notes("chunks", ambiguous, missing)
    for number, row in enumerate(located):
        if not has_part(row) or row.get("doc_id") is None:
            lacking = "document" if row.get("doc_id") is None else "offset"
            raise error(number, no_place(text=shown(row["text"]), missing=lacking))
    reader = Reader(Source(run_id, is_file=False), lenient=False, notes=[])
    if not located:
        table = Table({"query_id": [], "doc_id": []}, [], reader)
    else:
        table = table_from_dicts(located, reader)
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
    """The assessments of these rows; passages given as text are located in the documents."""
    checked(ambiguous, missing)

    def error(number: int, message: Text) -> PartwiseError:
        return source.error(message, int(lines[number]))

    notes: list[str] = []
    quoted = [number for number, row in enumerate(rows) if row.get("text") is not None and not has_part(row)]
    if quoted and documents is None:
        raise error(quoted[0], adapters.PASSAGE_AS_TEXT())
    if documents is not None and quoted:
        texts = [rows[number] for number in quoted]
        result = placed(texts, documents, ambiguous, missing, lambda item, *text: error(quoted[item], *text))
        notes = result.notes("passages", ambiguous, missing)
        located = dict(zip((quoted[item] for item in result.kept), result.rows, strict=True))
        skipped = set(quoted).difference(located)
        kept = [number for number in range(len(rows)) if number not in skipped]
        rows, lines = [located.get(number, rows[number]) for number in kept], [lines[number] for number in kept]
    if not rows:
        raise source.error(adapters.NO_JUDGEMENTS())
    table = table_from_dicts(rows, Reader(source, lenient=False, notes=[]), lines)
    return replace(assessments_from_table(table, unit), notes=tuple(notes))


class LocatedRows(list[dict[str, Any]]):
    """Rows of a run or of assessments with offsets in place of texts; the column `located` is how each was matched.

    `locations` are the locations of the texts that were searched for, `problems` the error lines of those without
    exactly one place.
    """

    COLUMNS = COLUMNS

    def __init__(self, result: Placed, problems: Sequence[str]) -> None:
        super().__init__(result.rows)
        self.locations = result.locations
        self.problems = problems

    def cells(self) -> list[dict[str, Any]]:
        """The rows, each with every column that any row has; missing cells are empty strings."""
        names = [name for name in self.COLUMNS if any(row.get(name) is not None for row in self)]
        return [{name: "" if row.get(name) is None else row[name] for name in names} for row in self]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as CSV, TSV, JSON Lines or Parquet, depending on the suffix."""
        write_rows(self, self.COLUMNS, path)
