"""The elements of documents that are relevant or returned, with their ancestors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from partwise.explanation import PartOutcomes
from partwise.listing import Results
from partwise.report.content import Texts
from partwise.report.lists import Trees
from partwise.types import STATUSES

if TYPE_CHECKING:
    from partwise.collection import Document

STATUS_NAMES = tuple({"hit": "hit", "near-miss": "near", "miss": "miss"}[status] for status in STATUSES)
"""How the page calls hits, near-misses and misses."""

Mark = tuple[str, str]
"""The status of an element, and how a result leads to it."""


def trees_of(
    results: Results, names: Mapping[int, Sequence[tuple[str, str]]], outcomes: PartOutcomes | None, texts: Texts
) -> dict[int, Trees]:
    """By query and document, the elements that are relevant or returned, and their ancestors.

    `names` has the document and the path of each relevant part of each query.
    """
    marks: dict[int, dict[str, dict[int, Mark]]] = {}
    batch = results.batch
    for row in (batch.node >= 0).nonzero()[0].tolist():
        at = int(batch.query_of_row[row])
        of_doc = marks.setdefault(int(batch.queries[at]), {}).setdefault(batch.doc_names[int(batch.doc[row])], {})
        of_doc.setdefault(int(batch.node[row]), ("", f"returned at rank {row - int(batch.offsets[at]) + 1}"))
    if outcomes is not None:
        for at, query in enumerate(outcomes.queries.tolist()):
            for i in range(int(outcomes.offsets[at]), int(outcomes.offsets[at + 1])):
                doc, path = names[query][int(outcomes.part[i])]
                document = texts.document(doc)
                if document is not None and path.startswith("/") and " " not in path:
                    of_doc = marks.setdefault(query, {}).setdefault(doc, {})
                    of_doc[document.node(path)] = _mark(outcomes, i)
    return {
        query: {doc: _folded(texts.document(doc), nodes) for doc, nodes in of_query.items()}
        for query, of_query in marks.items()
    }


def _mark(outcomes: PartOutcomes, i: int) -> Mark:
    """The status of a relevant part, and the rank that leads to it, in words."""
    status = STATUS_NAMES[int(outcomes.status[i])]
    how = f"from rank {int(outcomes.from_rank[i])}, {float(outcomes.probability[i]):.2f}"
    return status, {"hit": f"rank {int(outcomes.rank[i])}", "near": how, "miss": ""}[status]


def _folded(document: Document | None, marks: Mapping[int, Mark]) -> list[list[Any]]:
    """The marked nodes and their ancestors: depth, path, size, status and description."""
    if document is None:
        return []
    shown: set[int] = set()
    for node in marks:
        while node >= 0 and node not in shown:
            shown.add(node)
            node = int(document.parent[node])
    size = document.end - document.start
    return [
        [int(document.depth[node]), document.path[node], int(size[node]), *marks.get(node, ("", ""))]
        for node in sorted(shown)
    ]
