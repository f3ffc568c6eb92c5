"""Reading, writing and converting files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from partwise import formats
from partwise.collection import opened
from partwise.errors import PartwiseError
from partwise.later import conversion, saved_scores
from partwise.measures import measures_from
from partwise.messages import commands
from partwise.model import Assessments, Run, Scores
from partwise.navigation import NavigationGraph, read_graph, routes_in
from partwise.options import RUN_IDS, UNITS, RunId, Unit
from partwise.parameters import check_choice
from partwise.types import (
    GROUPINGS,
    KINDS,
    CollectionInput,
    Grouping,
    Kind,
    MeasuresInput,
    PathInput,
    QrelsInput,
    RowsInput,
    RunInput,
)


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
    """Write a file of runs or assessments in another format, and return notes about the data.

    It combines `read_runs` and `write_run` (or `read_assessments` and `write_assessments`). If the target format cannot
    hold all of the data, that is an error and nothing is written.

    `kind` is ``run`` or ``assessments``, if that cannot be detected. `to` is the target format, by default that of
    the suffix of `target`. With `spans`, paths are located in the `collection` and written as characters. Without
    `grades`, the grades of elements are left out. `run` is the name of the run to write if `source` has several;
    `run_id` names runs by their run column (``tag``) or after the file (``stem``). `assessor` is the one whose
    judgements are written. `lenient` skips bad lines.
    """
    if kind is not None:
        check_choice("kind", kind, KINDS)
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
    """The names of the formats that `convert` can write."""
    return formats.choices()


def read_runs(path: PathInput, *, unit: Unit = "chars", lenient: bool = False) -> list[Run]:
    """The runs in a file; its format and compression are detected.

    `unit` is the unit of its offsets, ``chars`` or ``bytes``; `lenient` skips bad lines.
    """
    check_choice("unit", unit, UNITS)
    return formats.read_runs(path, unit=unit, lenient=lenient)


def read_assessments(
    path: PathInput | Sequence[PathInput], *, unit: Unit = "chars", lenient: bool = False
) -> Assessments:
    """The assessments in a file, or in INEX XML files given as a folder, an archive or several paths.

    `unit` is the unit of offsets, ``chars`` or ``bytes``; `lenient` skips bad lines.
    """
    check_choice("unit", unit, UNITS)
    return formats.read_assessments(path, unit=unit, lenient=lenient)


def read_scores(
    paths: PathInput | Sequence[PathInput], measures: MeasuresInput | None = None, *, lenient: bool = False
) -> Scores:
    """Scores per query saved earlier in one or several files, for all measures or those requested.

    Files are written by ``partwise evaluate -q`` (Parquet, TSV, CSV, JSON Lines) or printed by ``trec_eval -q``.
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    scores = saved_scores.read_scores(files, lenient=lenient, notes=[])
    if measures is None:
        return scores
    requested = [measure.name for measure in measures_from(measures)]
    for name in requested:
        if name not in scores.measures:
            raise PartwiseError(commands.NO_SCORES_OF_MEASURE(name=name, measures=", ".join(scores.measures)))
    blocks = [block for name in requested for block in scores.blocks if block.measure == name]
    return Scores(blocks, scores.judged, scores.notes)


def holds_scores(path: PathInput) -> bool:
    """Whether a file holds saved scores, and not assessments or a run."""
    return saved_scores.holds_scores(path)


write_run = formats.write_run
write_assessments = formats.write_assessments


def learn_navigation(routes: RowsInput, *, by: Grouping | None = None, abandon: bool = False) -> NavigationGraph:
    """Learn how users navigate from observed routes: a file, or a list of ``{"route": [...], "doc_id": ...}``.

    `by` treats elements with the same ``tag`` or the same ``path`` of tags as one. With `abandon`, the end of a route
    counts as a step from its last element to itself.

    >>> import partwise as pw
    >>> graph = pw.learn_navigation([{"route": ["article", "sec", "p", "sec"]}], by="tag")
    >>> [(row["from"], row["to"], row["probability"]) for row in graph.rows()]
    [('article', 'sec', 1.0), ('sec', 'p', 1.0), ('p', 'sec', 1.0)]
    """
    if by is not None:
        check_choice("by", by, GROUPINGS)
    return routes_in(routes, by, abandon)


read_navigation = read_graph
