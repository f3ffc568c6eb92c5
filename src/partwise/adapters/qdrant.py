"""Qdrant: runs from the points that queries return (``id``, ``score``, ``payload``), as objects or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from partwise.adapters.chunks import Hook, Hooks, ranked, result_error
from partwise.adapters.placing import texts_of
from partwise.adapters.records import (
    Record,
    attribute,
    described,
    id_in,
    run_of_records,
    score_in,
    text_in,
    value_in,
)
from partwise.errors import PartwiseError
from partwise.location import KEEP
from partwise.messages import adapters
from partwise.model import Run

_RESULTS = "responses of query_points or query_points_groups, or lists of their points"


def run(
    results: Mapping[Any, Any],
    documents: Any = None,
    *,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Hook = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from what Qdrant returned, ``{query_id: response}``, as the client or its REST interface returns it.

    Points are ranked as they are listed, those of groups group by group. Text, document, start and end are looked up
    in the payload, and in ``metadata`` or ``meta`` inside it, under the names that columns of tables may have
    (``page_content``, ``source``, ``start_index`` ...); `text`, `start`, `end` and `source` name other keys
    (``metadata.file`` is a key inside ``metadata``), or are functions of the point.

    With `documents` (a mapping of ids to texts, or a collection) every point is checked: one that is not at its
    offsets, or has none, is located by its text. One that occurs in several places, or in none, keeps its rank and size
    and counts as irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or
    ``error``; the run's notes count them. Without documents, a point whose place is not certain is an error.
    """
    hooks = Hooks(text, start, end, source)
    texts = None if documents is None else texts_of(documents)
    retrieved = _records(results, hooks)
    return run_of_records(retrieved, hooks, texts, run_id, ambiguous, missing, no_text=adapters.NO_QDRANT_TEXT)


def _records(results: Any, hooks: Hooks) -> Iterator[tuple[str, int, Record]]:
    listed = results
    if isinstance(results, Mapping):
        listed = {query: list(_points(response, f"query {query}")) for query, response in results.items()}
    for query, rank, point in ranked(listed, _RESULTS):
        if attribute(point, "id") is None or attribute(point, "score") is None:
            raise result_error(query, rank, adapters.NOT_RESULTS(found=described(point), expected=_RESULTS))
        payload = attribute(point, "payload")
        if not isinstance(payload, Mapping):
            raise result_error(query, rank, adapters.NO_PAYLOAD())
        try:
            found = None if hooks.has("text") else value_in(payload, "text")
        except PartwiseError as error:
            raise result_error(query, rank, error.text) from None
        content = None if found is None else text_in(found[1])
        number = id_in(attribute(point, "id"))
        yield query, rank, Record(content, payload, number, score_in(attribute(point, "score")), point)


def _points(response: Any, where: str) -> Iterable[Any]:
    """The points of a response, of its groups, or of the JSON around them."""
    for name in ("result", "points", "groups"):
        inside = attribute(response, name)
        if inside is not None:
            return _points(inside, where)
    if not isinstance(response, (list, tuple)):
        raise PartwiseError(adapters.NOT_RESULTS(found=described(response), expected=_RESULTS), file=where)
    points: list[Any] = []
    for item in response:
        hits = attribute(item, "hits")
        points += [item] if hits is None else hits
    return points
