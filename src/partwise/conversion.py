"""A file of runs or assessments written again in another format."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from partwise import formats
from partwise.collection import Collection
from partwise.errors import PartwiseError, shown
from partwise.model import Assessments, ElementJudgements, Run, TreeJudgements, empty_ints
from partwise.resolving import located_assessments, located_run, of_one_assessor

KINDS = ("run", "assessments")


def convert(
    source: Any,
    target: str | os.PathLike[str],
    *,
    kind: str | None = None,
    to: str | None = None,
    collection: Collection | None = None,
    spans: bool = False,
    grades: bool = True,
    run: str | None = None,
    by_tag: bool = True,
    assessor: str | None = None,
    unit: str = "chars",
    lenient: bool = False,
) -> list[str]:
    """Write `target` with what `source` has; the answer is what was odd about it."""
    notes: list[str] = []
    if spans and collection is None:
        raise PartwiseError("paths are found in the documents", "give the collection (--collection)")
    if kind is None:
        kind = formats.what_is(source, lenient) if formats.is_path(source) else "assessments"
    if kind is None:
        raise PartwiseError(
            "may be a run or assessments", "say which (--as run, --as assessments)", file=os.fspath(source)
        )
    if kind == "run":
        if not formats.is_path(source):
            raise PartwiseError("several files are given as a run", "give one")
        _only_for("assessments", {"assessor": assessor is not None, "no-grades": not grades})
        read = formats.read_runs(source, by_tag=by_tag, unit=unit, lenient=lenient, notes=notes)
        runs = read if run is None else [_named(read, run, source)]
        if spans and collection is not None:
            runs = [located_run(item, collection) for item in runs]
        formats.write_runs(runs, target, to)
    else:
        _only_for("runs", {"run": run is not None})
        found = formats.read_assessments(source, unit=unit, lenient=lenient, notes=notes)
        if assessor is not None:
            found = of_one_assessor(found, assessor)
        if not grades:
            found = _without_grades(found)
        if spans and collection is not None:
            found = located_assessments(found, collection)
        formats.write_assessments(found, target, to)
    return notes


def _only_for(what: str, given: dict[str, bool]) -> None:
    for option, is_given in given.items():
        if is_given:
            raise PartwiseError(f"--{option} is for {what}", "leave it out")


def _named(runs: list[Run], name: str, source: Any) -> Run:
    found = [run for run in runs if run.run_id == name]
    if not found:
        some = ", ".join(shown(run.run_id) for run in runs[:3]) + (" ..." if len(runs) > 3 else "")
        raise PartwiseError(f"has no run {shown(name)}", f"it has {some}", file=os.fspath(source))
    return found[0]


def _without_grades(assessments: Assessments) -> Assessments:
    """The same assessments without graded elements and trees; their documents stay judged."""
    none = empty_ints()
    elements = ElementJudgements(none, none, none, (), np.empty(0), np.empty(0), none)
    return replace(assessments, elements=elements, trees=TreeJudgements.none(), scale=None)
