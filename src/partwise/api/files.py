"""Reading, writing and converting files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence

from partwise import formats, score_files
from partwise.api.sources import named_files
from partwise.errors import PartwiseError
from partwise.later import collection as documents
from partwise.later import conversion, saved_scores, tokens
from partwise.measures import kinds_of, measures_from, parse
from partwise.messages import commands
from partwise.model import Assessments, Block, Run, Scores
from partwise.navigation import NavigationGraph, read_graph, routes_in
from partwise.options import RUN_IDS, UNITS, RunId, Unit
from partwise.parameters import check_choice
from partwise.provenance import Record
from partwise.scores import Slices
from partwise.types import (
    GROUPINGS,
    KINDS,
    SCORE_FORMATS,
    CollectionInput,
    Grouping,
    Kind,
    MeasuresInput,
    PathInput,
    PlaceOfProvenance,
    QrelsInput,
    QueriesInput,
    RowsInput,
    RunInput,
    ScoreFormat,
    ScoresInput,
    TokenizerInput,
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
    unit: Unit | None = None,
    to_unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    lenient: bool = False,
    safe_csv: bool = False,
) -> list[str]:
    """Write a file of runs or assessments in another format, and return notes about the data.

    It combines `read_runs` and `write_run` (or `read_assessments` and `write_assessments`). If the target format cannot
    hold all of the data, that is an error and nothing is written.

    `kind` is ``run`` or ``assessments``, if that cannot be detected. `to` is the target format, by default that of
    the suffix of `target`. With `spans`, paths are located in the `collection` and written as offsets. Without
    `grades`, the grades of elements are left out. `run` is the name of the run to write if `source` has several;
    `run_id` names runs by their run column (``tag``) or after the file (``stem``). `assessor` is the one whose
    judgements are written. `lenient` skips bad lines. `safe_csv` is that of `write_run`.

    `unit` is what the offsets of a source count that declares none. With `to_unit`, they are converted to that unit
    through the texts of the `collection`; `tokenizer` divides these into tokens.
    """
    if to_unit is not None:
        check_choice("to_unit", to_unit, UNITS)
    if kind is not None:
        check_choice("kind", kind, KINDS)
    check_choice("run_id", run_id, RUN_IDS)
    if unit is not None:
        check_choice("unit", unit, UNITS)
    return conversion.convert(
        source,
        target,
        kind=kind,
        to=to,
        collection=documents.opened(collection),
        spans=spans,
        grades=grades,
        run=run,
        by_tag=run_id == "tag",
        assessor=assessor,
        unit=unit,
        to_unit=to_unit,
        tokenizer=None if tokenizer is None else tokens.tokenizer(tokenizer),
        lenient=lenient,
        safe_csv=safe_csv,
    )


def format_names() -> tuple[str, ...]:
    """The names of the formats that `convert` can write."""
    return formats.choices()


def read_runs(path: PathInput, *, unit: Unit | None = None, lenient: bool = False) -> list[Run]:
    """The runs in a file; its format and compression are detected.

    `unit` is what its offsets count if it does not declare that, by default characters; `lenient` skips bad lines.

    - `path`: the path of the file.
    """
    if unit is not None:
        check_choice("unit", unit, UNITS)
    return formats.read_runs(path, unit=unit, lenient=lenient)


def read_assessments(
    path: PathInput | Sequence[PathInput], *, unit: Unit | None = None, lenient: bool = False
) -> Assessments:
    """The assessments in a file, or in INEX XML files given as a folder, an archive or several paths.

    `unit` is what offsets count if the file does not declare that, by default characters; `lenient` skips bad lines.

    - `path`: the path of the file.
    """
    if unit is not None:
        check_choice("unit", unit, UNITS)
    return formats.read_assessments(path, unit=unit, lenient=lenient)


def read_scores(
    paths: ScoresInput,
    measures: MeasuresInput | None = None,
    *,
    lenient: bool = False,
    mix: bool = False,
    queries: QueriesInput | None = None,
) -> Scores:
    """Scores per query saved earlier in one or several files, for all measures or those requested.

    Files are written by ``partwise evaluate -q`` or `write_scores` (Parquet, TSV, CSV, JSON Lines), or printed by
    ``trec_eval -q``. A mapping ``{"old": "a.tsv", "new": "b.tsv"}`` names the run in each file; if a file holds several
    runs, their own names follow after a slash.

    Files whose provenance differs in assessments, collection, unit, assessor, the queries averaged over or the number
    of judged queries are an error, unless `mix` is true; files without provenance are accepted. `queries` is that of
    `evaluate`.

    - `paths`: a file, several, or ``{run_id: file}``.
    - `lenient`: skip bad lines; notes report them.
    """
    scores = saved_scores.read_scores(named_files(paths), lenient=lenient, mix=mix, notes=[])
    requested = None if measures is None else [measure.name for measure in measures_from(measures)]
    blocks = _under_one_name(scores.blocks, requested or ())
    present = list(dict.fromkeys(block.measure for block in blocks))
    for name in requested or ():
        if name not in present:
            raise PartwiseError(commands.NO_SCORES_OF_MEASURE(name=name, measures=", ".join(scores.measures)))
    notes = list(scores.notes)
    if requested is not None:
        blocks = [block for name in requested for block in blocks if block.measure == name]
        left_out = [run_id for run_id in scores.run_ids if not any(block.run_id == run_id for block in blocks)]
        values = {"count": len(left_out), "names": ", ".join(left_out), "measures": ", ".join(requested)}
        notes += [commands.RUNS_WITHOUT_MEASURES.note(**values)] if left_out else []
    kinds = kinds_of(requested or present)
    result = Scores(blocks, scores.judged, tuple(notes), provenance=scores.provenance, kinds=kinds, unit=scores.unit)
    result.query_columns = formats.query_columns(queries)
    return result


def _under_one_name(blocks: Sequence[Block], requested: Sequence[str]) -> list[Block]:
    """The blocks with trec_eval's name of a measure replaced by ours, if that is requested or in other files."""
    present = {block.measure for block in blocks} | set(requested)
    ours: dict[str, str] = {}
    aggregated: dict[str, Callable[[list[float]], float]] = {}
    for name in present:
        with contextlib.suppress(PartwiseError):
            measure = parse(name)
            aggregated[name] = measure.aggregate
            if measure.name != name and measure.name in present:
                ours[name] = measure.name
    return [
        Block(
            block.run_id,
            ours.get(block.measure, block.measure),
            block.queries,
            block.values,
            block.aggregate,
            aggregated.get(block.measure, block.aggregated),
        )
        for block in blocks
    ]


def has_query_column(queries: QueriesInput, name: str) -> bool:
    """Whether the queries have a column of this name."""
    return name in formats.query_columns(queries)


def holds_scores(path: PathInput) -> bool:
    """Whether a file holds saved scores, and not assessments or a run."""
    return saved_scores.holds_scores(path)


def write_scores(
    scores: Scores | Slices,
    path: PathInput,
    format: ScoreFormat | None = None,
    *,
    queries: bool = True,
    places: int | None = None,
    provenance: PlaceOfProvenance = "file",
    safe_csv: bool = False,
) -> None:
    """Write scores as ``tsv``, ``csv``, ``jsonl``, ``parquet`` or ``trec``, by default according to the suffix.

    The file is the one that ``partwise evaluate -q -o FILE`` writes, of slices with ``--by``. `queries` includes the
    values of the queries, `places` is the number of decimal places (default: all, or 4 in trec_eval's columns).

    `provenance` is where version, date, options and the hashes of the inputs go: ``file`` into the metadata of
    Parquet, otherwise into a JSON file beside it, ``scores.tsv.provenance.json``; ``head`` into lines at the head of
    TSV; ``none`` nowhere.

    `safe_csv` is that of `write_run`.

    - `path`: the path of the file.
    - `format`: its format (default: that of the suffix).
    """
    if not isinstance(scores, (Scores, Slices)):
        raise PartwiseError(commands.NOT_SCORES_TO_WRITE(type=type(scores).__name__))
    name = os.fspath(path)
    if format is None:
        chosen = score_files.format_of_suffix(name, SCORE_FORMATS)
    else:
        check_choice("format", format, SCORE_FORMATS)
        chosen = format
    if places is not None and chosen == "parquet":
        raise PartwiseError(commands.PLACES_WITH_PARQUET())
    score_files.check_safe(safe_csv, chosen)

    def render(record: Record | None) -> bytes:
        return score_files.rendered(scores, chosen, queries, places, record, safe_csv)

    total = scores.total if isinstance(scores, Slices) else scores
    score_files.save(total, name, chosen, provenance, render)


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
