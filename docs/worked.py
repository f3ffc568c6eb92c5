"""The worked examples of the pages, evaluated by partwise, and what their lists show about a measure's behaviour."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import partwise as pw
from partwise import measures, reference
from partwise.errors import PartwiseError
from partwise.reference import Entry

Result = list[Any]
"""A document and a path, or a document, a start and an end."""
KNOWN = {"log2": math.log2, "sum": sum, "range": range, "min": min, "max": max, "abs": abs}


class Example:
    """A worked example: gold passages, a ranked list, and the documents or their lengths."""

    def __init__(self, name: str) -> None:
        table = reference.examples()[name]
        self.name, self.title, self.about = name, table["title"], table["about"].strip()
        self.gold: list[dict[str, Any]] = [{"query_id": "q", **row} for row in table["gold"]]
        run = table["run"]
        self.run: dict[str, list[Result]] = run if isinstance(run, dict) else {"q": run}
        self.lengths: dict[str, int] = table["lengths"]
        self.nodes: list[tuple[str, int, int]] = [tuple(node) for node in table.get("document", [])]

    @property
    def collection(self) -> dict[str, str] | None:
        """The document as XML, with as many letters in each element as the example says."""
        return {self.gold[0]["doc_id"]: self._xml("")} if self.nodes else None

    def _xml(self, parent: str) -> str:
        text = ""
        for path, start, end in self.nodes:
            if path.rpartition("/")[0] == parent:
                tag = path.rpartition("/")[2].partition("[")[0]
                text += f"<{tag}>{self._xml(path) or 'x' * (end - start)}</{tag}>"
        return text

    def length(self, doc: str) -> int:
        if self.nodes:
            return self.nodes[0][2]
        return next((row["length"] for row in self.gold if row["doc_id"] == doc), 0) or self.lengths[doc]

    def span(self, result: Result) -> tuple[str, int, int]:
        """The document and the characters of a result."""
        if len(result) == 3:
            return result[0], result[1], result[2]
        start, end = next((start, end) for path, start, end in self.nodes if path == result[1])
        return result[0], start, end

    def value(self, measure: str, lists: dict[str, list[Result]] | None = None) -> float | None:
        """The mean value of a measure; None if no query is scored."""
        run = self.run if lists is None else lists
        rows = [
            {"query_id": query, "doc_id": result[0], "rank": rank}
            | ({"path": result[1]} if len(result) == 2 else {"start": result[1], "end": result[2]})
            for query, results in run.items()
            for rank, result in enumerate(results, 1)
        ]
        return self._mean(measure, rows)

    def tied(self, measure: str, results: Sequence[Result], scores: Sequence[float]) -> float | None:
        """The value of a list that is ordered by these scores, ties as listed."""
        rows = [
            {"query_id": "q", "doc_id": result[0], "score": score}
            | ({"path": result[1]} if len(result) == 2 else {"start": result[1], "end": result[2]})
            for result, score in zip(results, scores, strict=True)
        ]
        return self._mean(measure, rows)

    def _mean(self, measure: str, rows: list[dict[str, Any]]) -> float | None:
        lengths = None if self.nodes else self.lengths
        scores = pw.evaluate(self.gold, {"run": rows}, measure, lengths=lengths, collection=self.collection)
        return scores.blocks[0].aggregate if len(scores.blocks[0].values) else None


@contextmanager
def with_file(entry: Entry) -> Iterator[None]:
    """In a folder that has the file which the example of this entry needs."""
    if entry.file is None:
        yield
        return
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        Path(folder, entry.file[0]).write_text(entry.file[1])
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def calculated(working: str) -> float:
    """The value of the expression that a page shows."""
    return float(eval(working, {"__builtins__": {}, **KNOWN}))


def shown(entry: Entry) -> float | None:
    """The value of the measure that a page shows, from partwise."""
    with with_file(entry):
        return Example(entry.example).value(entry.show)


# ---- behaviour ------------------------------------------------------------------------------------------------

SMALLEST = 1e-9


def without_cutoff(name: str, cutoff: int | None = None) -> str:
    """The measure with another rank cutoff, or none; unchanged if it has no rank cutoff."""
    kind = measures.by_name(name.partition("(")[0].partition("@")[0])
    at = None if kind is None else kind.at_param()
    if at is None or at.kind is not int:
        return name
    if cutoff is None and at.default is not None:  # a cutoff with a default, such as that of MAnxCG
        return name.partition("@")[0] + "@100"
    return name.partition("@")[0] + ("" if cutoff is None else f"@{cutoff}")


def has_cutoff(name: str) -> bool:
    return without_cutoff(name, 7).endswith("@7")


def _compared(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return "left out"
    if abs(after - before) < SMALLEST:
        return "same"
    return "higher" if after > before else "lower"


def _lists(example: Example) -> tuple[str, list[Result], Result]:
    """The query, a list without overlap, and a result that overlaps its first."""
    query, results = next(iter(example.run.items()))
    if example.nodes:
        return query, [results[0], results[1], results[3]], results[2]
    if len(results) < 4:
        return query, results, [results[0][0], results[0][1] + 100, results[0][2]]
    return query, [results[0], results[1], *results[3:]], results[2]


def behaviour(entry: Entry) -> dict[str, str]:
    """What happens to the value with overlap, duplicates, ties, empty and short lists."""
    example, name = Example(entry.example), without_cutoff(entry.show)
    query, base, overlapping = _lists(example)

    def value(results: list[Result], measure: str = name) -> float | None:
        return example.value(measure, {query: results})

    before = value(base)
    found = {
        "overlap": _compared(before, value([base[0], overlapping, *base[1:]])),
        "duplicate": _compared(before, value([base[0], base[0], *base[1:]])),
        "tie": "order" if _order_matters(example, entry.show, [*base[:2], overlapping, *base[2:]]) else "same",
    }
    empty = example.value(name, {})
    found["empty"] = "left out" if empty is None else "zero" if empty == 0 else "one" if empty == 1 else "all"
    if has_cutoff(entry.show):
        full = value(base, without_cutoff(name, len(base)))
        found["short"] = _compared(full, value(base, without_cutoff(name, 10 * len(base))))
    else:
        found["short"] = _compared(before, value(base[:1]))
    return found


def _order_matters(example: Example, name: str, results: list[Result]) -> bool:
    """Whether any two neighbours with equal scores change a value if they change places in the file."""
    if next(iter(example.run)) != "q":
        return False
    names = [without_cutoff(name, cutoff) for cutoff in (*range(1, len(results)), None)] if has_cutoff(name) else [name]
    for listed in (results, results[::-1]):
        for at in range(len(listed) - 1):
            scores = [float(len(listed) - rank) for rank in range(len(listed))]
            scores[at + 1] = scores[at]
            swapped = [*listed[:at], listed[at + 1], listed[at], *listed[at + 2 :]]
            for one in names:
                if _compared(example.tied(one, listed, scores), example.tied(one, swapped, scores)) != "same":
                    return True
    return False


def of_all_measures() -> Iterator[tuple[Any, Entry]]:
    """Every measure with its entry."""
    for kinds in measures.families().values():
        for kind in kinds:
            entry = reference.of_measure(kind)
            if entry is None:
                raise PartwiseError(f"{kind.__name__} has no entry in partwise.reference")
            yield kind, entry
