"""Results that a task may forbid: those that share text with others, are empty, or are in unknown documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from partwise import kernels
from partwise.model import NONE, Bools, Coded, Ints, slices
from partwise.resolving.batch import Batch
from partwise.resolving.judgements import Judgements

MOST_RESULTS = 1500
"""The number of results that INEX accepted for one query."""
BEYOND = 1 << 42
"""The end of a whole document of unknown length, larger than any offset."""


def sizes(batch: Batch) -> Ints:
    """The number of characters of each result."""
    size = np.zeros(len(batch), np.int64)
    np.add.at(size, batch.row_of_span, np.minimum(batch.end, BEYOND) - batch.start)
    return size


def repeated(batch: Batch) -> Bools:
    """Whether each result is a part that was already returned for its query, also where paths are not located."""
    return batch.repeated | _repeated_paths(batch)


def _repeated_paths(batch: Batch) -> Bools:
    """Rows without a span whose paths occur in an earlier row of the same query and document."""
    again = np.zeros(len(batch), np.bool_)
    rows = np.flatnonzero(np.diff(batch.span_offsets) == 0)
    paths = batch.run.paths
    if not len(rows) or paths is None:
        return again
    codes = Coded.of(" ".join(map(str, paths.of_row(row))) for row in batch.row[rows].tolist()).codes
    key = batch.document[rows] * (int(codes.max()) + 1) + codes
    _, first = np.unique(key, return_index=True)
    again[rows] = True
    again[rows[first]] = False
    return again


def sharing_text(batch: Batch) -> Bools:
    """Whether each result shares text with an earlier one, but is not the same part."""
    owner, end = batch.row_of_span, np.minimum(batch.end, BEYOND)
    new = kernels.novel_lengths(owner, batch.document[owner], batch.start, end, len(batch))
    shares: Bools = (new < sizes(batch)) & ~repeated(batch)
    return shares


def empty(batch: Batch) -> Bools:
    """Whether each result has no characters."""
    without: Bools = (sizes(batch) == 0) & (np.diff(batch.span_offsets) > 0)
    return without


def again_in_document(batch: Batch) -> Bools:
    """Whether each result is in the document of an earlier one."""
    _, first = np.unique(batch.document, return_index=True)
    again = np.ones(len(batch), np.bool_)
    again[first] = False
    return again


def in_unknown_document(batch: Batch) -> Bools:
    """Whether each result is in a document that the collection does not have."""
    collection, doc = batch.judgements.collection, batch.run.doc
    if collection is None or not len(batch):
        return np.zeros(len(batch), np.bool_)
    codes, place = np.unique(doc.codes[batch.row], return_inverse=True)
    return ~collection.has(doc.names_of(codes))[place]


FIRST = 3


def in_similar_document(batch: Batch) -> Bools:
    """Whether each result is in a document that is not judged, but one of almost the same id is.

    Only queries are considered that have no result in a judged document, so that other ids are the likely reason. Names
    are slow to compare: if no id among the first results of these queries has the last part of a judged one, the others
    are not compared.
    """
    similar = np.zeros(len(batch), np.bool_)
    judged = np.diff(np.searchsorted(batch.judged_rows, batch.offsets))
    queries = np.flatnonzero((judged == 0) & (np.diff(batch.offsets) > 0))
    if not len(queries):
        return similar
    offsets, rows = slices(batch.offsets, queries)
    is_first = np.arange(len(rows)) - np.repeat(offsets[:-1], np.diff(offsets)) < FIRST
    doc, first = batch.run.doc, rows[is_first]
    if not len(_with_judged_names(batch, first, doc.of_rows(batch.row[first]))):
        return similar
    used, place = np.unique(doc.codes[batch.row[rows]], return_inverse=True)
    for row in _with_judged_names(batch, rows, doc.names_of(used), place).tolist():
        similar[row] = _is_similar(batch, row)
    return similar


def _last_parts(doc_ids: Sequence[str]) -> list[str]:
    """The last part of the path of each plain id; all at once where they are words, without paths and suffixes."""
    text = "\n".join(doc_ids).casefold()
    words = text.split("\n")
    if words == text.split() and len(words) == len(doc_ids) and not any(sign in text for sign in "./\\"):
        return words
    return [_plain(doc_id)[0].rpartition("/")[2] for doc_id in doc_ids]


def _with_judged_names(batch: Batch, rows: Ints, doc_ids: Sequence[str], place: Any = slice(None)) -> Ints:
    """Those of these rows whose ids end in the last part of an id that is judged for their query.

    The ids of the rows are ``doc_ids[place]``.
    """
    judgements = batch.judgements
    codes, judged_part = judgements.remembered("last parts of ids", partial(_numbered_last_parts, judgements))
    part = np.fromiter(map(codes.get, _last_parts(doc_ids), repeat(NONE)), np.int64, len(doc_ids))[place]
    known = np.flatnonzero(part != NONE)
    number = _query_numbers(batch, rows[known])
    queries, _ = np.unique(number, return_index=True)  # without the index, it would load `numpy.ma`
    _, pairs = slices(judgements.pair_offsets, queries)
    judged = np.sort(judgements.pair_query[pairs] * len(codes) + judged_part[judgements.pair_doc[pairs]])
    wanted = number * len(codes) + part[known]
    found: Bools = np.searchsorted(judged, wanted, "right") > np.searchsorted(judged, wanted)  # as `np.isin` would
    chosen: Ints = rows[known[found]]
    return chosen


def _query_numbers(batch: Batch, rows: Any) -> Any:
    """The numbers of the queries of some rows."""
    return batch.queries[np.searchsorted(batch.offsets, rows, "right") - 1]


def _numbered_last_parts(judgements: Judgements) -> tuple[dict[str, int], Ints]:
    """A number for each last part of the ids of judged documents, and that of each of these documents."""
    codes: dict[str, int] = {}
    parts = [codes.setdefault(name, len(codes)) for name in _last_parts(list(judgements.assessments.docs))]
    return codes, np.array(parts, np.int64)


def _is_similar(batch: Batch, row: int) -> bool:
    """Whether the id of a row's document, of which the last part is that of a judged one, is almost the same."""
    judgements, query = batch.judgements, int(_query_numbers(batch, row))
    by_name = judgements.remembered(("plain ids", query), partial(_judged_ids, judgements, query))
    path, suffix = _plain(batch.run.doc[int(batch.row[row])])
    return any(
        (not suffix or not other_suffix or suffix == other_suffix)
        and (path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}"))
        for other, other_suffix in by_name.get(path.rpartition("/")[2], ())
    )


def _judged_ids(judgements: Judgements, query: int) -> dict[str, list[tuple[str, str]]]:
    """The plain ids of the judged documents of a query, by the last parts of their paths."""
    pairs = slice(int(judgements.pair_offsets[query]), int(judgements.pair_offsets[query + 1]))
    by_name: dict[str, list[tuple[str, str]]] = {}
    for code in judgements.pair_doc[pairs].tolist():
        path, suffix = _plain(judgements.assessments.docs[code])
        by_name.setdefault(path.rpartition("/")[2], []).append((path, suffix))
    return by_name


_SUFFIX = re.compile(r"\.[a-z][a-z0-9]{0,4}\Z")


def _plain(doc_id: str) -> tuple[str, str]:
    """An id without differences in case, blanks and kinds of slashes, and its suffix apart."""
    path = doc_id.strip().casefold().replace("\\", "/").removeprefix("./")
    suffix = _SUFFIX.search(path) if "." in path else None
    return (path, "") if suffix is None else (path[: suffix.start()], suffix[0])


def _crowded(batch: Batch) -> Bools:
    """Whether each query has more results than INEX accepted."""
    return np.diff(batch.offsets) > MOST_RESULTS


FAULTS: dict[str, Callable[[Batch], Bools]] = {
    "overlap": sharing_text,
    "empty-part": empty,
    "several-per-document": again_in_document,
    "too-many": _crowded,
    "unknown-document": in_unknown_document,
}
"""Rules of `check` that an evaluation applies at next to no cost where they are errors."""
