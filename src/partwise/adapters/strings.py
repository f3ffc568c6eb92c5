"""Plain strings: runs from chunks that have a text and no offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from partwise.adapters.chunks import Hook, Hooks, claim_of, ranked, result_error, run_of
from partwise.adapters.placing import Claim, Row, texts_of
from partwise.location import KEEP
from partwise.messages import adapters
from partwise.model import Run

_RESULTS = "lists of texts, or of pairs of a doc_id and a text"


def run(
    results: Mapping[Any, Iterable[Any]],
    documents: Any,
    *,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Hook = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from the texts that a pipeline passes on, ``{query_id: texts in rank order}``.

    Each is a text, which may be from any document, or a pair of a doc_id and a text. `text`, `start`, `end` and
    `source` are functions of an item of the list: `text` gives the text as it is in the document if it was changed. A
    text that occurs in several places, or in none, keeps its rank and size and counts as irrelevant, unless `ambiguous`
    is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or ``error``; the run's notes count them.

    >>> from partwise.adapters import strings
    >>> run = strings.run({"q1": ["two  three"]}, {"d": "One two three."})
    >>> int(run.start[0]), int(run.end[0])
    (4, 13)
    """
    hooks = Hooks(text, start, end, source)
    rows: list[Row] = []
    claims: list[Claim] = []
    for query, rank, item in ranked(results, _RESULTS):
        doc_id, content = item if isinstance(item, (tuple, list)) and len(item) == 2 else (None, item)
        if not isinstance(content, str) or not isinstance(doc_id, str | None):
            raise result_error(query, rank, adapters.WRONG_TYPE(type=type(item).__name__, expected=_RESULTS))
        if hooks.has("source"):
            doc_id = hooks.source(item, query, rank)
        row: Row = {"query_id": query, "rank": rank, "text": hooks.text(item, content, query, rank), "doc_id": doc_id}
        rows.append(row)
        first, last = (hooks.offset(name, item, None, query, rank) for name in ("start", "end"))
        claims.append(claim_of(row, first, last))
    return run_of(rows, claims, texts_of(documents), run_id, ambiguous, missing)
