"""Runs from the chunks that other packages retrieve: hooks, checks without documents, and placing with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partwise.adapters.placing import Claim, Row, checked, has_part, placed
from partwise.errors import PartwiseError, shown
from partwise.formats.placing_notes import with_notes
from partwise.formats.problems import Reader
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import Table, table_from_dicts
from partwise.messages import Message, Note, Text, adapters
from partwise.model import LARGEST_OFFSET, Run, Source
from partwise.placement import GIVEN, MOVED, Placing
from partwise.quotes import quotes_in, reason

Hook = str | Callable[[Any], Any] | None
"""How a fact about a chunk is obtained: a metadata key, or a function of the chunk; None: as the package records it."""

USUAL_SOURCE = "source"
"""The metadata key that most loaders of LangChain use; unlike one that the user names, it may be missing."""
_OFFSET = "a whole number from 0, or None"


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


# ---- hooks ----------------------------------------------------------------------------------------------------


METADATA = ("metadata", "meta", "payload")
"""What packages call the metadata of a chunk: LangChain and LlamaIndex, Haystack, Qdrant."""


def metadata_of(chunk: Any) -> Mapping[str, Any]:
    """The metadata of a chunk, an object or a dict of JSON; a dict without metadata is metadata itself."""
    is_dict = isinstance(chunk, Mapping)
    for name in METADATA:
        metadata = chunk.get(name) if is_dict else getattr(chunk, name, None)
        if isinstance(metadata, Mapping):
            return metadata
    return chunk if is_dict else {}


def at_key(metadata: Mapping[str, Any], key: str) -> Any:
    """The value of a key, or of a path of keys such as ``metadata.source``; None if there is none."""
    if key in metadata or "." not in key:
        return metadata.get(key)
    first, _, rest = key.partition(".")
    inside = metadata.get(first)
    return at_key(inside, rest) if isinstance(inside, Mapping) else None


def _source(chunk: Any, source: Hook) -> Any:
    return source(chunk) if callable(source) else at_key(metadata_of(chunk), str(source))


def id_of(document: Any, source: Hook) -> str | None:
    """The document id that a hook gives; None if there is no such metadata key."""
    name = _source(document, source)
    return None if name is None else str(name)


class Hooks:
    """The hooks of a call, applied to one chunk after another; an error names query, rank and hook."""

    def __init__(self, text: Hook, start: Hook, end: Hook, source: Hook) -> None:
        self.by_name = {"text": text, "start": start, "end": end, "source": source}

    def has(self, name: str) -> bool:
        return self.by_name[name] is not None

    def text(self, chunk: Any, default: str, query: str, rank: int) -> str:
        """The text that is located: that of the hook, or else the chunk's."""
        if not self.has("text"):
            return default
        value = self._value("text", chunk, query, rank)
        if not isinstance(value, str):
            raise self._error("text", value, "a text", query, rank)
        return value

    def offset(self, name: str, chunk: Any, default: Any, query: str, rank: int) -> int | None:
        """The start or end: that of the hook, or else the chunk's; None if it is not known."""
        if not self.has(name):
            return offset(default)
        value = self._value(name, chunk, query, rank)
        if value is not None and offset(value) is None:
            raise self._error(name, value, _OFFSET, query, rank)
        return offset(value)

    def source(self, chunk: Any, query: str, rank: int) -> str | None:
        """The document id that the hook gives, None if it is not known."""
        hook = self.by_name["source"]
        value = _source(chunk, hook) if hook == USUAL_SOURCE else self._value("source", chunk, query, rank)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (str, int))):
            raise self._error("source", value, "a document id: a text, a whole number, or None", query, rank)
        return None if value is None else str(value)

    def _value(self, name: str, chunk: Any, query: str, rank: int) -> Any:
        hook = self.by_name[name]
        if callable(hook):
            return hook(chunk)
        metadata = metadata_of(chunk)
        value = at_key(metadata, str(hook))
        if value is None and hook not in metadata:
            raise result_error(query, rank, adapters.HOOK_KEY(key=shown(hook), hook=name, keys=keys_of(metadata)))
        return value

    def _error(self, name: str, value: Any, expected: str, query: str, rank: int) -> PartwiseError:
        message = adapters.HOOK_TYPE(hook=name, value=shown(value), type=type(value).__name__, expected=expected)
        return result_error(query, rank, message)


def keys_of(metadata: Mapping[str, Any]) -> str:
    """The keys of metadata, as error lines name them."""
    return ", ".join(map(shown, metadata)) or "none"


def claim_of(row: Row, start: int | None, end: int | None, outcome: str = GIVEN) -> Claim:
    """Enter the offsets of a chunk in its row, and return what else it says about its place.

    A chunk without an end has the length of its text; another length is a problem unless there are documents.
    """
    text = row["text"]
    if row["doc_id"] is None or start is None:
        return Claim()
    stop = start + len(text) if end is None else end
    row |= {"start": start, "end": stop}
    if stop - start == len(text):
        return Claim(outcome)
    length = {"start": start, "end": stop, "length": stop - start}
    return Claim(problem=adapters.OTHER_LENGTH(text=shown(text), size=len(text), **length))


# ---- runs -----------------------------------------------------------------------------------------------------


def run_of(
    rows: Sequence[Row],
    claims: Sequence[Claim],
    documents: Mapping[str, str] | None,
    run_id: str,
    ambiguous: str,
    missing: str,
    no_place: Message = adapters.NO_PLACE,
    remarks: Iterable[str] = (),
) -> Run:
    """The run of these rows, which have ``query_id, rank, text``, and ``doc_id, start, end`` where known.

    Without documents every place must be certain: `no_place` is the message for a chunk that has no document or offset.
    `remarks` are further notes.
    """
    checked(ambiguous, missing)

    def error(number: int, message: Text) -> PartwiseError:
        return result_error(rows[number]["query_id"], rows[number]["rank"], message)

    def place(number: int) -> str:
        row = rows[number]
        doc_id = "not known" if row.get("doc_id") is None else row["doc_id"]
        return adapters.CHUNK.note(query=row["query_id"], rank=row["rank"], doc_id=doc_id)

    if documents is None:
        problems = _problems(rows, claims, no_place) or _contradictions(rows)
        if problems:
            number, (code, problem, remedy) = problems[0]
            if len(problems) > 1:
                raise error(number, adapters.UNCERTAIN(problem=problem, count=len(problems), remedy=remedy))
            raise error(number, Text(code, problem, remedy))
        located = [{name: cell for name, cell in row.items() if name != "text"} for row in rows]
        placing = Placing.of([claim.outcome for claim in claims], {}, list(remarks))
    else:
        result = placed(rows, documents, ambiguous, missing, error, claims)
        remarks = [*remarks, *(_reason(rows, documents) if MOVED in result.outcomes else [])]
        located = result.rows
        names = dict.fromkeys(row["doc_id"] for row in located if row["doc_id"] in documents)
        lengths = {doc_id: len(documents[doc_id]) for doc_id in names}
        placing = replace(result.placing(place, remarks), lengths=lengths)
    reader = Reader(Source(run_id, is_file=False), lenient=False, notes=[])
    if not located:
        table = Table({"query_id": [], "doc_id": []}, [], reader)
    else:
        table = table_from_dicts(located, reader)
    [run] = runs_from_table(table, run_id)
    return with_notes(replace(run, placing=placing))


def _problems(rows: Sequence[Row], claims: Sequence[Claim], no_place: Message) -> list[tuple[int, Text]]:
    """The chunks whose place is not certain by what they say themselves."""
    problems = []
    for number, (row, claim) in enumerate(zip(rows, claims, strict=True)):
        if claim.problem is not None:
            problems.append((number, claim.problem))
        elif row.get("doc_id") is None or not has_part(row):
            lacking = "document" if row.get("doc_id") is None else "offset"
            problems.append((number, no_place(text=shown(row["text"]), missing=lacking)))
    return problems


def _contradictions(rows: Sequence[Row]) -> list[tuple[int, Text]]:
    """The chunks whose text differs from that of another chunk in characters that both cover, by their offsets."""
    problems = []
    by_doc: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        by_doc.setdefault(row["doc_id"], []).append(number)
    for doc_id, numbers in by_doc.items():
        furthest: int | None = None
        for number in sorted(numbers, key=lambda number: (rows[number]["start"], number)):
            row = rows[number]
            if furthest is not None:
                other = rows[furthest]
                low, high = row["start"], min(row["end"], other["end"])
                ours, theirs = row["text"][: high - low], other["text"][low - other["start"] : high - other["start"]]
                if low < high and ours != theirs:
                    values = {"query": other["query_id"], "rank": other["rank"], "start": low, "end": high}
                    problems.append((number, adapters.CONTRADICTION(text=shown(row["text"]), doc_id=doc_id, **values)))
            if furthest is None or row["end"] > rows[furthest]["end"]:
                furthest = number
    return sorted(problems)


def _reason(rows: Sequence[Row], documents: Mapping[str, str]) -> list[str]:
    """Why chunks are not at their offsets, if all are when these are counted in another way."""
    why = reason(quotes_in(rows)[1], documents)
    return [] if why is None else [Note.of(why.code, f"{why.problem}; {why.remedy}")]
