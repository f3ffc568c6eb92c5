"""Converting runs and assessments from one format to another."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from partwise import formats
from partwise.collection import Collection
from partwise.errors import PartwiseError, shown
from partwise.messages import writing
from partwise.model import Assessments, ElementJudgements, Run, TreeJudgements
from partwise.resolving import located_assessments, located_run, of_one_assessor
from partwise.resolving.units import converted_assessments, converted_run

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer


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
    unit: str | None = None,
    to_unit: str | None = None,
    tokenizer: Tokenizer | None = None,
    lenient: bool = False,
    safe_csv: bool = False,
) -> list[str]:
    """Write the content of `source` to `target`, and return notes about it."""
    notes: list[str] = [] if collection is None else list(collection.notes)
    if collection is None and (spans or to_unit is not None):
        raise PartwiseError(writing.NEEDS_COLLECTION(option="spans" if spans else "to-unit"))
    is_object = not formats.is_path(source) and not (
        isinstance(source, (list, tuple)) and all(map(formats.is_path, source))
    )
    if kind == "run" and not formats.is_path(source) and not is_object:
        raise PartwiseError(writing.SEVERAL_FILES())
    content: list[Run] | Assessments | None
    if is_object:
        content = _in_object(source, kind, unit, lenient, notes)
    elif kind == "run":
        content = formats.read_runs(source, by_tag=by_tag, unit=unit, lenient=lenient, notes=notes)
    elif kind == "assessments" or not formats.is_path(source):
        content = formats.read_assessments(source, unit=unit, lenient=lenient, notes=notes)
    else:
        content = formats.read_either(source, by_tag=by_tag, unit=unit, lenient=lenient, notes=notes)
    if content is None:
        raise PartwiseError(writing.RUN_OR_ASSESSMENTS(), file=None if is_object else os.fspath(source))
    documents = None
    if spans or to_unit is not None:
        documents = None if collection is None else collection.in_unit(to_unit or "chars", tokenizer)
    if isinstance(content, list):
        _only_for("assessments", {"assessor": assessor is not None, "no-grades": not grades})
        runs = content if run is None else [_named(content, run, source)]
        if documents is not None:
            change = located_run if spans else converted_run
            runs = [change(item, documents) for item in runs]
        notes += formats.write_runs(runs, target, to, safe_csv=safe_csv)
    else:
        _only_for("runs", {"run": run is not None})
        assessments = content if assessor is None else of_one_assessor(content, assessor)
        if not grades:
            assessments = _without_grades(assessments)
        if documents is not None:
            assessments = (located_assessments if spans else converted_assessments)(assessments, documents)
        formats.write_assessments(assessments, target, to, safe_csv=safe_csv)
    return notes


def _in_object(
    source: Any, kind: str | None, unit: str | None, lenient: bool, notes: list[str]
) -> list[Run] | Assessments | None:
    """The runs or assessments in a Python object; None if it may be either."""
    if isinstance(source, Run) or kind == "run":
        return formats.objects.runs_from_object(source, "run", unit, lenient, notes)
    if isinstance(source, Assessments) or kind == "assessments":
        return formats.objects.assessments_from_object(source, unit, lenient, notes)
    return None


def _only_for(what: str, options: dict[str, bool]) -> None:
    for option, is_set in options.items():
        if is_set:
            raise PartwiseError(writing.ONLY_FOR(option=option, what=what))


def _named(runs: list[Run], name: str, source: Any) -> Run:
    for run in runs:
        if run.run_id == name:
            return run
    names = ", ".join(shown(run.run_id) for run in runs[:3]) + (" ..." if len(runs) > 3 else "")
    file = os.fspath(source) if formats.is_path(source) else None
    raise PartwiseError(writing.NO_SUCH_RUN(name=shown(name), names=names), file=file)


def _without_grades(assessments: Assessments) -> Assessments:
    """The same assessments without graded elements and trees; their documents stay judged."""
    return replace(assessments, elements=ElementJudgements.none(), trees=TreeJudgements.none(), scale=None)
