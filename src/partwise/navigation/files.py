"""Files of navigation models: tables of probabilities and weights, observed routes, and learned graphs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.files import encoded, read_bytes
from partwise.formats import table_of_file
from partwise.formats.problems import Reader
from partwise.formats.tables import Table, require, table_from_dicts
from partwise.later import outputs
from partwise.messages import navigation as messages
from partwise.model import Source
from partwise.records import record
from partwise.types import GROUPINGS

FORMAT = "partwise navigation"
VERSION = 1
_STEP = re.compile(r"/([^/\[\]\s]+)(?:\[([0-9]{1,9})\])?")
_PATH = re.compile(r"(?:/[^/\[\]\s]+(?:\[[0-9]{1,9}\])?)+")

StepKey = tuple[str | None, str, str]
"""The document (None for all), the origin and the target of a step."""


@record()
class NavigationGraph:
    """How often users moved from one stop to another: elements (`by` is None), tags or label paths."""

    by: str | None
    abandon: bool
    weight: Mapping[StepKey, float]

    def rows(self) -> list[dict[str, Any]]:
        """A row per step with from, to, weight and probability, and the document if steps belong to one."""
        leaving: dict[tuple[str | None, str], float] = {}
        for (doc, start, _), weight in self.weight.items():
            leaving[doc, start] = leaving.get((doc, start), 0.0) + weight
        several = any(doc is not None for doc, _, _ in self.weight)
        rows = []
        for row, (doc, start, _) in zip(self._steps(), self.weight, strict=True):
            step = {"doc_id": doc or "", **row} if several else row
            rows.append({**step, "probability": row["weight"] / (leaving[doc, start] or 1)})
        return rows

    def _steps(self) -> list[dict[str, Any]]:
        return [
            {"from": start, "to": end, "weight": int(weight) if float(weight).is_integer() else weight}
            for (_, start, end), weight in self.weight.items()
        ]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as JSON, for --navigation.

        - `path`: the path of the file.
        """
        rows = [
            row if doc is None else {"doc_id": doc, **row}
            for row, (doc, _, _) in zip(self._steps(), self.weight, strict=True)
        ]
        content = {"format": FORMAT, "version": VERSION, "by": self.by, "abandon": self.abandon, "steps": rows}
        import json

        outputs.write_bytes(path, encoded(json.dumps(content, ensure_ascii=False, indent=1) + "\n"))


def stop(text: Any, by: str | None) -> str | None:
    """The partition (or element) that a stop names; None if it is not valid."""
    if not isinstance(text, str) or not text:
        return None
    if not _PATH.fullmatch(text):
        return text if by == "tag" and "/" not in text and len(text.split()) == 1 else None
    steps = _STEP.findall(text)
    if by == "tag":
        return str(steps[-1][0])
    if by == "path":
        return "".join(f"/{tag}" for tag, _ in steps)
    return "".join(f"/{tag}[{int(place or 1)}]" for tag, place in steps)


def _expected_stop(by: str | None) -> str:
    if by == "tag":
        return "a tag or a path such as /article[1]/sec[2]"
    return f"a path such as {'/article/sec' if by == 'path' else '/article[1]/sec[2]'}"


# ---- routes ---------------------------------------------------------------------------------------------------


def routes_in(source: Any, by: str | None, abandon: bool) -> NavigationGraph:
    """The steps of the routes in a file, or in a list of dicts with ``route`` and optionally ``doc_id``."""
    if isinstance(source, (str, os.PathLike)):
        table = table_of_file(source, ("doc_id", "route"), "routes")
    else:
        table = table_from_dicts(list(source), Reader(Source("routes", is_file=False), False, []))
    require(table, ("route",), "routes")
    docs = _documents(table)
    routes: list[tuple[str | None, list[str]]] = []
    for row, cell in enumerate(table.columns["route"]):
        stops = cell.split() if isinstance(cell, str) else list(cell) if isinstance(cell, (list, tuple)) else []
        if not stops:
            table.problem(row, messages.INVALID_ROUTE(value=shown(cell)))
        named = [stop(one, by) for one in stops]
        for text, name in zip(stops, named, strict=True):
            if name is None:
                table.problem(row, messages.INVALID_STOP(value=shown(text), expected=_expected_stop(by)))
        routes.append((docs[row], [name for name in named if name is not None]))
    table.reader.settle()
    return steps_of(routes, by, abandon)


def steps_of(routes: Iterable[tuple[str | None, Sequence[str]]], by: str | None, abandon: bool) -> NavigationGraph:
    """How often each step was taken; partitions are the same in every document."""
    weight: dict[StepKey, float] = {}
    for doc, route in routes:
        steps = list(pairwise(route))
        if abandon and route:
            steps.append((route[-1], route[-1]))
        for start, end in steps:
            key = doc if by is None else None, start, end
            weight[key] = weight.get(key, 0.0) + 1
    return NavigationGraph(by, abandon, weight)


def _documents(table: Table) -> list[str | None]:
    if not table.has("doc_id"):
        return [None] * len(table)

    def text(cell: Any) -> str | None:
        return str(cell) if isinstance(cell, (str, int, np.integer)) and not isinstance(cell, bool) else None

    return list(table.each("doc_id", text, "a text", None))


# ---- tables ---------------------------------------------------------------------------------------------------


def probabilities_in(path: str) -> dict[StepKey, float]:
    """The probabilities of a file with columns from, to, probability and optionally doc_id."""
    return _cells(path, "probability", None, lambda value: 0 <= value <= 1, "a number from 0 to 1", "probabilities")


def weights_in(path: str, by: str) -> dict[tuple[str, str], float]:
    """The weights of a file with columns from, to, weight."""
    weights = _cells(path, "weight", by, lambda value: 0 <= value < np.inf, "a number from 0", "weights")
    return {(start, end): weight for (_, start, end), weight in weights.items()}


def _cells(
    path: str, value: str, by: str | None, is_valid: Callable[[float], bool], expected: str, what: str
) -> dict[StepKey, float]:
    names = ("from", "to", value)
    table = table_of_file(path, (*names, "doc_id") if by is None else names, what)
    require(table, names, what)
    docs = _documents(table) if by is None else [None] * len(table)
    stops = {name: table.each(name, lambda cell: stop(cell, by), _expected_stop(by), None) for name in names[:2]}
    numbers = table.numbers(value)
    steps: dict[StepKey, float] = {}
    for row, number in enumerate(numbers.tolist()):
        start, end = stops["from"][row], stops["to"][row]
        if table.bad[row]:
            continue
        if start is None or end is None or np.isnan(number):
            column = "from" if start is None else "to" if end is None else value
            table.problem(row, messages.MISSING_CELL(column=column, value=value))
        elif not is_valid(number):
            text = shown(f"{number:g}")
            table.problem(row, messages.INVALID_NUMBER(column=value, value=text, expected=expected))
        elif (docs[row], start, end) in steps:
            table.problem(row, messages.REPEATED_ROW(start=start, end=end))
        else:
            steps[docs[row], start, end] = number
    table.reader.settle()
    return steps


# ---- learned graphs -------------------------------------------------------------------------------------------


def read_graph(path: str | os.PathLike[str]) -> NavigationGraph:
    """A learned graph from a file.

    - `path`: the path of the file.
    """
    name = os.fspath(path)
    try:
        import json

        content = json.loads(read_bytes(name))
    except (ValueError, RecursionError):
        content = None
    return graph_from(content, Source(name))


def graph_from(content: Any, source: Source) -> NavigationGraph:
    """A learned graph from the parsed JSON."""
    if not isinstance(content, Mapping) or not isinstance(content.get("steps"), list):
        raise source.error(messages.NOT_A_GRAPH())
    by = content.get("by")
    if by not in (None, *GROUPINGS):
        raise source.error(messages.INVALID_BY(value=shown(by)))
    weight: dict[StepKey, float] = {}
    for number, step in enumerate(content["steps"], 1):
        cells = step if isinstance(step, Mapping) else {}
        start, end, value = stop(cells.get("from"), by), stop(cells.get("to"), by), cells.get("weight")
        doc = cells.get("doc_id")
        is_weight = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < np.inf
        if start is None or end is None or not is_weight or not (doc is None or isinstance(doc, str)):
            raise source.error(messages.INVALID_STEP(number=number, step=shown(step)))
        if (doc, start, end) in weight:
            raise source.error(messages.REPEATED_STEP(number=number))
        weight[doc, start, end] = float(value or 0)
    return NavigationGraph(by, bool(content.get("abandon", False)), weight)


def graph_of(value: Any) -> NavigationGraph:
    """A learned graph from a graph, the path of one, or its parsed JSON."""
    if isinstance(value, NavigationGraph):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read_graph(value)
    if isinstance(value, Mapping):
        return graph_from(value, Source("navigation", is_file=False))
    raise PartwiseError(messages.INVALID_TYPE(type=type(value).__name__))
