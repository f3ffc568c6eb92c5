"""Rows with texts to rows with offsets: shared by `chunks`, the loaders of data sets, `locate` and `spans`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partwise.collection import Collection
from partwise.collection.texts import Texts
from partwise.counting import counting_of
from partwise.errors import PartwiseError, shown
from partwise.formats import write_rows
from partwise.formats.assessments import assessments_from_table
from partwise.formats.cells import natural_in
from partwise.formats.names import ASSESSMENT_COLUMNS, RUN_COLUMNS
from partwise.formats.placing_notes import ABOUT, HOW, SCORE, add_placing
from partwise.formats.problems import Reader, no_column
from partwise.formats.tables import table_from_dicts
from partwise.location import DEFAULT, ERROR, Located, Locations, Matching, TextToFind, locate, problem_of, settled
from partwise.location import prefixes as of_prefixes
from partwise.messages import Message, Text, adapters
from partwise.messages import documents as of_documents
from partwise.model import Assessments, Source
from partwise.parameters import check_choice
from partwise.placement import (
    AMBIGUOUS,
    CASEFOLDED,
    EXACT,
    FIRST,
    FUZZY,
    GIVEN,
    MOVED,
    TRIMMED,
    LeftOut,
    Placing,
)
from partwise.quotes import quotes_in, refuse_misplaced
from partwise.types import IF_AMBIGUOUS, IF_MISSING
from partwise.units import CHARS

Row = dict[str, Any]
RowError = Callable[[int, Text], PartwiseError]
"""The error of a row: called with the row's number and a `Text`, it adds the place of the row."""

_CHUNK = "a text, (doc_id, text) or a dict with text"
_PARTS = ("start", "offset", "spans", "path", "paths")


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
class Claim:
    """What a chunk says about its place besides the offsets in its row."""

    outcome: str = GIVEN
    """The outcome if its text is at the offsets in its row."""
    start: int | None = None
    """A start that is not in its row because it counts from elsewhere."""
    within: tuple[int, int] | None = None
    """Offsets that its text must cover, such as those of a sentence in it."""
    problem: Text | None = None
    """Why its place is not certain without documents."""


@dataclass(frozen=True)
class Placed:
    """Rows with the offsets of their texts, the numbers of the original rows, and how each text was located.

    `offers` are notes about prefixes without which more texts would be found.
    """

    rows: list[Row]
    kept: list[int]
    outcomes: list[str]
    scores: list[float | None]
    left_out: dict[str, list[int]]
    searched: list[int]
    locations: Locations
    offers: Sequence[str] = ()

    def placing(self, place: Callable[[int], str], remarks: Sequence[str] = ()) -> Placing:
        """The outcomes of all rows; `place` describes an original row."""
        left_out = {how: LeftOut(len(numbers), place(numbers[0])) for how, numbers in self.left_out.items()}
        return Placing.of(self.outcomes, left_out, (*remarks, *self.offers), self.scores)


def has_part(row: Mapping[str, Any]) -> bool:
    """Whether a row has offsets or an element path."""
    return any(row.get(name) not in (None, "") for name in _PARTS)


def placed(
    rows: Sequence[Row],
    texts: Mapping[str, str],
    ambiguous: str,
    missing: str,
    error: RowError,
    claims: Sequence[Claim] | None = None,
    matching: Matching = DEFAULT,
) -> Placed:
    """The rows with ``doc_id, start, end`` in place of ``text``; rows that have a part keep it.

    With `claims`, one per row, a part is kept only if its text is there. Otherwise the text is searched for; of several
    places the one that agrees with the claim is taken, and of a text that does not occur the part at its offsets.
    `matching` says how loosely texts are compared.
    """
    searched: list[int] = []
    outcome: dict[int, str] = {}
    for number, row in enumerate(rows):
        doc_id, is_part = row.get("doc_id"), has_part(row)
        if doc_id is not None and doc_id not in texts and (claims is not None or not is_part):
            raise error(number, _unknown(doc_id, texts))
        how = GIVEN if is_part else None
        if is_part and claims is not None and doc_id is not None:
            how = _how_at(texts[doc_id], row)
            how = claims[number].outcome if how == EXACT and claims[number].outcome != GIVEN else how
        if how is None:
            searched.append(number)
        else:
            outcome[number] = how
    targets = [(rows[number].get("doc_id"), rows[number]["text"]) for number in searched]
    locations = locate(targets, texts, matching=matching)
    offers = of_prefixes.offers(targets, locations, texts, matching)
    score: dict[int, float | None] = {}
    for item, number in enumerate(searched):
        claim = Claim() if claims is None else claims[number]
        locations[item], trimmed = _by_claim(locations[item], rows[number], claim, texts)
        located = locations[item]
        score[number] = located.score
        start = claim.start if claim.start is not None else rows[number].get("start")
        if trimmed:
            outcome[number] = TRIMMED
        elif located.found and located.how != FUZZY and start is not None and located.start != start:
            outcome[number] = MOVED
        else:
            outcome[number] = FIRST if located.how == AMBIGUOUS and ambiguous == FIRST else located.how
    places = settled(targets, locations, texts, ambiguous, missing, lambda item, *text: error(searched[item], *text))
    place_of = dict(zip(searched, places, strict=True))
    located_rows, kept = [], []
    left_out: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        cells = {name: value for name, value in row.items() if name != "text"}
        if number in place_of:
            spans = place_of[number]
            if spans is None:
                left_out.setdefault(outcome[number], []).append(number)
                continue
            cells |= {"doc_id": spans[0].doc_id, "start": spans[0].start, "end": spans[0].end}
            if len(spans) > 1:
                cells |= {"start": None, "end": None, "spans": [[span.start, span.end] for span in spans]}
        located_rows.append(cells)
        kept.append(number)
    outcomes, scores = [outcome[number] for number in kept], [score.get(number) for number in kept]
    return Placed(located_rows, kept, outcomes, scores, left_out, searched, locations, offers)


def _how_at(text: str, row: Row) -> str | None:
    """How the text of a row is at its own offsets: exactly, except for upper and lower case, or not (None)."""
    there = text[row["start"] : row["end"]]
    if there == row["text"]:
        return EXACT
    return CASEFOLDED if there and there.casefold() == row["text"].casefold() else None


def _by_claim(located: Located, row: Row, claim: Claim, texts: Mapping[str, str]) -> tuple[Located, bool]:
    """A location that what the chunk says about itself makes certain, and whether it is only a part of its text."""
    start, doc_id = row.get("start"), row.get("doc_id")
    if located.how == AMBIGUOUS and located.reading != FUZZY:
        within = None if claim.within is None or doc_id is None else _visible(texts[doc_id], *claim.within)
        fitting = [
            number
            for number, place in enumerate(located.places)
            if place.start == start or (within and place.start <= within[0] and within[1] <= place.end)
        ]
        return (located.at(fitting[0]), False) if len(fitting) == 1 else (located, False)
    if located.reading not in (None, FUZZY) or doc_id is None or start is None:
        return located, False
    size = shared_size(row["text"], texts[doc_id], start, row["end"])
    if size < CERTAIN:
        return located, False
    return Located(EXACT, EXACT, doc_id, start, start + size, 1), True


def _visible(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends, as the locations of texts have none."""
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())


CERTAIN = 16
"""The number of characters at a chunk's own offsets that must agree for the rest of its text to be left out."""


def shared_size(text: str, document: str, start: int, end: int) -> int:
    """The size of the part of a chunk's text that is at its offsets.

    It is what the document has from `start` to `end`, if the text contains that; else the longest end of the text that
    the document has from `start` on, as after a header.
    """
    there = document[start:end]
    if len(there) >= CERTAIN and there in text:
        return len(there)
    for first in range(len(text) - CERTAIN + 1):
        if document.startswith(text[first:], start):
            return len(text) - first
    return 0


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

COLUMNS = (
    *(name for name in dict.fromkeys((*RUN_COLUMNS, *ASSESSMENT_COLUMNS)) if name not in (HOW, SCORE, ABOUT)),
    HOW,
    SCORE,
    ABOUT,
)


def located_rows(
    rows: Sequence[Row],
    lines: Sequence[int],
    source: Source,
    texts: Mapping[str, str],
    ambiguous: str,
    missing: str,
    matching: Matching = DEFAULT,
    strip_prefix: Sequence[str] = (),
) -> tuple[Placed, list[str]]:
    """The rows of a file with the offsets of their texts, and an error line for each text without exactly one place.

    Texts that begin with one of the prefixes in `strip_prefix` are searched for without it.
    """
    checked(ambiguous, missing)

    def error(number: int, message: Text) -> PartwiseError:
        return source.error(message, int(lines[number]))

    if rows and not any("text" in row for row in rows):
        raise no_column(source, "text", list(rows[0]), "chunks")
    for number, row in enumerate(rows):
        if row.get("query_id") is None:
            raise error(number, adapters.NO_QUERY_ID())
        if not has_part(row) and not isinstance(row.get("text"), str):
            text = row.get("text")
            raise error(number, adapters.NO_TEXT() if text is None else adapters.BAD_TEXT(value=shown(text)))
    rows = [_with_end(_without_prefix(row, strip_prefix)) for row in rows]
    refuse_misplaced(rows, lines, source, texts)
    result = placed(rows, texts, ambiguous, missing, error, matching=matching)
    verified = {number for number in quotes_in(rows)[0] if rows[number]["doc_id"] in texts}
    outcomes = [EXACT if number in verified else how for number, how in zip(result.kept, result.outcomes, strict=True)]
    result = replace(result, outcomes=outcomes)
    for rows_of_run, placing in _by_run(result, rows, lambda number: source.place(int(lines[number]))):
        add_placing(rows_of_run, placing)
    problems = [
        str(error(number, problem_of(located, rows[number]["text"])))
        for number, located in zip(result.searched, result.locations, strict=True)
        if not located.found
    ]
    return result, problems


def _without_prefix(row: Row, prefixes: Sequence[str]) -> Row:
    """A row whose text begins with one of these prefixes, without it."""
    if not prefixes or not isinstance(row.get("text"), str):
        return row
    return {**row, "text": of_prefixes.stripped(row["text"], row.get("doc_id"), prefixes)}


def _with_end(row: Row) -> Row:
    """A row that has a start and a text, but no end, as LangChain records places, with its end."""
    start, text = natural_in(row.get("start")), row.get("text")
    if start is None or row.get("end") is not None or row.get("doc_id") is None or not isinstance(text, str):
        return row
    return {**row, "end": start + len(text)}


def _by_run(result: Placed, rows: Sequence[Row], place: Callable[[int], str]) -> Iterator[tuple[list[Row], Placing]]:
    """The rows of each run, and how they were placed."""
    items: dict[Any, list[int]] = {row.get("run_id"): [] for row in rows}
    left_out: dict[Any, dict[str, list[int]]] = {run_id: {} for run_id in items}
    for item, number in enumerate(result.kept):
        items[rows[number].get("run_id")].append(item)
    for how, numbers in result.left_out.items():
        for number in numbers:
            left_out[rows[number].get("run_id")].setdefault(how, []).append(number)
    for run_id, inside in items.items():
        outcomes = [result.outcomes[item] for item in inside]
        scores = [result.scores[item] for item in inside]
        of_run = replace(result, outcomes=outcomes, scores=scores, left_out=left_out[run_id], offers=())
        yield [result.rows[item] for item in inside], of_run.placing(place)


# ---- assessments ----------------------------------------------------------------------------------------------


def assessments_of(
    rows: Sequence[Row],
    lines: Sequence[int],
    source: Source,
    documents: Mapping[str, str] | None = None,
    ambiguous: str = ERROR,
    missing: str = ERROR,
    unit: str | None = None,
    matching: Matching = DEFAULT,
) -> Assessments:
    """The assessments of these rows; passages given as text are located in the documents.

    A passage with both a text and offsets must be at its offsets, which count `unit`, if there are documents.
    """
    checked(ambiguous, missing)

    def error(number: int, message: Text) -> PartwiseError:
        return source.error(message, int(lines[number]))

    notes: list[str] = []
    for number, row in enumerate(rows):
        if row.get("text") is not None and not isinstance(row["text"], str):
            raise error(number, adapters.BAD_TEXT(value=shown(row["text"])))
    quoted = [number for number, row in enumerate(rows) if row.get("text") is not None and not has_part(row)]
    if quoted and documents is None:
        raise error(quoted[0], adapters.PASSAGE_AS_TEXT())
    if documents is not None:
        refuse_misplaced(rows, lines, source, documents, unit or CHARS)
    if documents is not None and quoted:
        texts = [rows[number] for number in quoted]
        result = placed(
            texts, documents, ambiguous, missing, lambda item, *text: error(quoted[item], *text), matching=matching
        )
        described = [quoted[item] for item in result.kept]
        notes = result.placing(lambda item: source.place(int(lines[quoted[item]]))).notes(
            "passages", lambda row: source.place(int(lines[described[row]]))
        )
        rows_in_unit = [_in_unit(row, documents, unit) for row in result.rows]
        located = dict(zip((quoted[item] for item in result.kept), rows_in_unit, strict=True))
        skipped = set(quoted).difference(located)
        kept = [number for number in range(len(rows)) if number not in skipped]
        rows, lines = [located.get(number, rows[number]) for number in kept], [lines[number] for number in kept]
    if not rows:
        raise source.error(adapters.NO_JUDGEMENTS())
    if documents is not None and not any(row.get("length") is not None for row in rows):
        rows = [_with_length(row, documents, unit) for row in rows]
    reader = Reader(source, False, notes)
    reader.count_in(unit)
    table = table_from_dicts(rows, reader, lines)
    return replace(assessments_from_table(table, unit), notes=tuple(notes))


def _with_length(row: Row, documents: Mapping[str, str], unit: str | None) -> Row:
    """A row with the length of its document, by which runs on other texts are recognised."""
    doc_id = None if row.get("doc_id") is None else str(row["doc_id"])
    if doc_id is None or doc_id not in documents:
        return row
    return {**row, "length": counting_of(documents[doc_id], unit or CHARS).size}


def _in_unit(row: Row, documents: Mapping[str, str], unit: str | None) -> Row:
    """A row with its offsets in a unit instead of characters, unless its text has no place."""
    if unit in (None, CHARS) or row["doc_id"] not in documents:
        return row
    counting = counting_of(documents[row["doc_id"]], str(unit))
    given = row.get("spans") or ([[row["start"], row["end"]]] if row.get("start") is not None else [])
    if not given:
        return row
    start, end = counting.from_chars(*np.array(given, np.int64).T)
    spans = [[int(first), int(last)] for first, last in zip(start, end, strict=True)]
    if row.get("spans") is not None:
        return {**row, "spans": spans}
    return {**row, "start": spans[0][0], "end": spans[0][1]}


class LocatedRows(list[dict[str, Any]]):
    """Rows of a run or of assessments with offsets in place of texts; the column `how` is how each was matched.

    `locations` are the locations of the texts that were searched for, `problems` the error lines of those without
    exactly one place, `notes` remedies for many of these.
    """

    COLUMNS = COLUMNS

    def __init__(self, result: Placed, problems: Sequence[str]) -> None:
        super().__init__(result.rows)
        self.locations = result.locations
        self.problems = problems
        self.notes = list(result.offers)

    def cells(self) -> list[dict[str, Any]]:
        """The rows, each with every column that any row has; missing cells are empty strings."""
        names = [name for name in self.COLUMNS if any(row.get(name) is not None for row in self)]
        return [{name: "" if row.get(name) is None else row[name] for name in names} for row in self]

    def write(self, path: str | os.PathLike[str], *, safe_csv: bool = False) -> None:
        """Write the rows as CSV, TSV, JSON Lines or Parquet, depending on the suffix; `safe_csv` as in `write_run`.

        - `path`: the path of the file.
        """
        write_rows(self, self.COLUMNS, path, safe_csv)
