"""Whether a converted file holds what its source holds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

CHANGING = ("--spans", "--no-grades", "--run", "--assessor", "--unit", "--to-unit", "--to", "--run-id", "--safe-csv")
"""Options with which a conversion changes its content, or names its format in place of the suffix."""


def content(path: str, kind: str | None, lenient: bool) -> Any:
    """The runs or assessments in a file, as `convert` reads them."""
    from partwise import formats

    if kind == "run":
        return formats.read_runs(path, by_tag=True, lenient=lenient)
    if kind == "assessments":
        return formats.read_assessments(path, lenient=lenient)
    return formats.read_either(path, by_tag=True, unit="chars", lenient=lenient, notes=[])


def ordered(run: Any) -> list[Any]:
    """The results of a run in order, each with its query, document and part."""
    from partwise.errors import PartwiseError
    from partwise.order import in_order

    rows = np.arange(len(run))
    with contextlib.suppress(PartwiseError):  # a run that scoring would refuse is converted in the order of its rows
        rows, _ = in_order(run, rows, run.query.codes)
    by_query: dict[str, list[Any]] = {}
    for row in rows.tolist():
        first, last = run.span_offsets[row], run.span_offsets[row + 1]
        spans = list(zip(run.start[first:last].tolist(), run.end[first:last].tolist(), strict=True))
        paths = [] if run.paths is None else run.paths.of_row(row)
        by_query.setdefault(run.query[row], []).append((run.doc[row], [] if paths else spans, paths))
    return sorted(by_query.items())


def judgements(found: Any) -> dict[str, list[Any]]:
    """The judgements of assessments by kind, without what a format may leave out."""

    def named(table: Any, *columns: Any) -> list[Any]:
        queries = [found.queries[code] for code in table.query.tolist()]
        docs = [found.docs[code] for code in table.doc.tolist()]
        return sorted(set(zip(queries, docs, *columns, strict=True)), key=repr)

    characters = named(found.spans, found.spans.start.tolist(), found.spans.end.tolist(), found.spans.grade.tolist())
    return {
        "documents": sorted({row[:2] for row in named(found.documents)}),
        "spans": [row for row in characters if row[2] < row[3]],
        "elements": named(found.elements, found.elements.path),
        "trees": named(found.trees, found.trees.paths),
        "passages": named(found.passages, found.passages.first, found.passages.last),
    }


def differences(words: tuple[str, ...], folder: Path) -> Iterator[tuple[str, str]]:
    """How the output of ``partwise convert IN OUT ...`` differs from its input, after a conversion that succeeded."""
    from partwise.errors import PartwiseError

    source, target, options = words[1], words[2], words[3:]
    if source == "-" or set(options) & set(CHANGING) or not os.path.isfile(folder / target):
        return
    kind = options[options.index("--as") + 1] if "--as" in options else None
    before = content(source, kind, "--lenient" in options)
    known = "run" if isinstance(before, list) else "assessments"
    try:
        after = content(target, known, False)
    except PartwiseError as error:
        yield "a conversion writes what is refused", str(error)
        return
    if isinstance(before, list):
        if any(ordered(one) != ordered(other) for one, other in zip(before, after, strict=False)):
            yield (
                "a conversion changes a run",
                f"{[ordered(run) for run in before]} {[ordered(run) for run in after]}"[:600],
            )
        elif len(before) != len(after):
            yield "a conversion changes the number of runs", f"{len(before)} {len(after)}"
    else:
        old, new = judgements(before), judgements(after)
        for name in old:
            if old[name] != new[name]:
                yield f"a conversion changes {name}", f"{old[name]} {new[name]}"[:600]
