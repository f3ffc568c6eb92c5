"""Files read, written and converted."""

from __future__ import annotations

import os
from collections.abc import Sequence

from partwise import formats
from partwise.collection import opened
from partwise.errors import PartwiseError
from partwise.later import conversion, saved_scores
from partwise.measures import measures_from
from partwise.model import Assessments, Run, Scores
from partwise.navigation import NavigationGraph, read_graph, routes_in
from partwise.options import RUN_IDS, UNITS, RunId, Unit
from partwise.parameters import check_choice
from partwise.types import CollectionInput, Kind, MeasuresInput, PathInput, QrelsInput, RowsInput, RunInput


def convert(
    source: QrelsInput | RunInput,
    target: PathInput,
    *,
    kind: Kind | None = None,
    to: str | None = None,
    collection: CollectionInput | None = None,
    spans: bool = False,
    grades: bool = True,
    run: str | None = None,
    run_id: RunId = "tag",
    assessor: str | None = None,
    unit: Unit = "chars",
    lenient: bool = False,
) -> list[str]:
    """Write a file of runs or assessments in another format; the answer is what was odd about it.

    The format of `target` is that of its suffix, or `to`. With `spans`, what is given as paths is found in the
    `collection` and written as characters. A target that cannot hold all of it is an error, and nothing is written.
    It is `read_runs` and `write_run` (or `read_assessments` and `write_assessments`) in one.
    """
    if kind is not None:
        check_choice("kind", kind, conversion.KINDS)
    check_choice("run_id", run_id, RUN_IDS)
    check_choice("unit", unit, UNITS)
    return conversion.convert(
        source,
        target,
        kind=kind,
        to=to,
        collection=opened(collection),
        spans=spans,
        grades=grades,
        run=run,
        by_tag=run_id == "tag",
        assessor=assessor,
        unit=unit,
        lenient=lenient,
    )


def format_names() -> tuple[str, ...]:
    """The formats that `convert` can write."""
    return formats.choices()


def read_runs(path: PathInput, *, unit: Unit = "chars", lenient: bool = False) -> list[Run]:
    """The runs in a file, whatever its format and compression."""
    check_choice("unit", unit, UNITS)
    return formats.read_runs(path, unit=unit, lenient=lenient)


def read_assessments(
    path: PathInput | Sequence[PathInput], *, unit: Unit = "chars", lenient: bool = False
) -> Assessments:
    """The assessments in a file, whatever its format and compression; or in INEX XML files, given as a folder, an
    archive or several paths."""
    check_choice("unit", unit, UNITS)
    return formats.read_assessments(path, unit=unit, lenient=lenient)


def read_scores(
    paths: PathInput | Sequence[PathInput], measures: MeasuresInput | None = None, *, lenient: bool = False
) -> Scores:
    """Scores saved earlier, a value per query, from one file or several: of some measures, or of all.

    Files are what ``partwise evaluate -q`` writes (Parquet, TSV, CSV, JSON Lines) or what trec_eval -q prints.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = saved_scores.read_scores(given, lenient=lenient, notes=[])
    if measures is None:
        return found
    wanted = [measure.name for measure in measures_from(measures)]
    for name in wanted:
        if name not in found.measures:
            raise PartwiseError(f"there are no scores of {name}", f"there are {', '.join(found.measures)}")
    chosen = [block for name in wanted for block in found.blocks if block.measure == name]
    return Scores(chosen, found.judged, found.notes)


def holds_scores(path: PathInput) -> bool:
    """Whether a file holds saved scores (and no assessments or run)."""
    return saved_scores.holds_scores(path)


write_run = formats.write_run
write_assessments = formats.write_assessments


def learn_navigation(routes: RowsInput, *, by: str | None = None, abandon: bool = False) -> NavigationGraph:
    """Learn how users move from observed routes: a file, or a list of ``{"route": [...], "doc_id": ...}``.

    >>> import partwise as pw
    >>> graph = pw.learn_navigation([{"route": ["article", "sec", "p", "sec"]}], by="tag")
    >>> [(row["from"], row["to"], row["probability"]) for row in graph.rows()]
    [('article', 'sec', 1.0), ('sec', 'p', 1.0), ('p', 'sec', 1.0)]
    """
    if by is not None:
        check_choice("by", by, ("tag", "path"))
    return routes_in(routes, by, abandon)


read_navigation = read_graph
