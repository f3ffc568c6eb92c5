"""Reading runs and assessments from files and objects, and writing them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.files import is_archive, is_unicode, read_bytes, run_names
from partwise.formats import blocks, irds, names, quoted, row_blocks, text
from partwise.formats.base import Format
from partwise.formats.opening import opened, recognised
from partwise.formats.problems import Reader
from partwise.formats.registry import by_suffix, choices, listed, readable, tabular, to_write, written
from partwise.formats.tables import Table, table_from_dicts
from partwise.formats.tabular import Tabular
from partwise.later import assessment_tables, chunks, named_columns, objects, outputs, placing_notes, queries, several
from partwise.messages import Text, reading, writing
from partwise.model import Assessments, Run, Source

__all__ = [
    "assessments_from",
    "blocks",
    "choices",
    "chunks_from",
    "is_path",
    "lengths_from",
    "listed",
    "named_runs",
    "names",
    "objects",
    "opened",
    "query_columns",
    "quoted",
    "read_assessments",
    "read_either",
    "read_rows",
    "read_runs",
    "row_blocks",
    "run_names",
    "table_of_file",
    "text",
    "titles_from",
    "write_assessments",
    "write_rows",
    "write_run",
    "write_runs",
]


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


# ---- reading ------------------------------------------------------------------------------------------------


def _table(path: str | os.PathLike[str], columns: tuple[str, ...], without_columns: Text) -> Table:
    data, format, reader = opened(path, False, None)
    if not isinstance(format, Tabular):
        raise reader.source.error(without_columns)
    return format.table(data, columns, reader)


def table_of_file(path: str | os.PathLike[str], columns: tuple[str, ...], what: str) -> Table:
    """The table in a file of named columns (CSV, TSV, JSON Lines or Parquet); `what` names its rows in errors."""
    return _table(path, columns, writing.NO_NAMED_COLUMNS_FOR(what=what, formats=readable(tabular())))


def read_runs(
    path: str | os.PathLike[str],
    *,
    run_id: str | None = None,
    by_tag: bool = False,
    unit: str | None = None,
    lenient: bool = False,
    notes: list[str] | None = None,
    quotes: quoted.QuotedRows | None = None,
) -> list[Run]:
    """The runs in a file: one, or one per value of the column ``run_id`` of a columnar file.

    The name of a text file's run is `run_id` (by default the stem of the file), or with `by_tag` its tag column. Rows
    of a columnar file with texts are added to `quotes`.
    """
    name = run_id if run_id is not None else run_names([path])[0]
    if irds.is_id(path):
        notes = notes if notes is not None else []
        return objects.runs_from_object(irds.results(os.fspath(path)), name, unit, lenient, notes)
    data, format, reader = opened(path, lenient, notes)
    reader.quotes = quotes
    reader.count_in(unit_of(format, unit, reader))
    return _checked_runs(format.read_runs(data, reader, name, by_tag), reader)


def unit_of(format: Format, unit: str | None, reader: Reader) -> str | None:
    """What the offsets of a file of this format count, if it does not declare that and users ask for `unit`."""
    if format.unit is not None:
        return format.unit
    if unit == "seconds" and not isinstance(format, Tabular):
        raise reader.source.error(reading.NO_SECONDS(format=format.title or format.name))
    return unit


def _checked_runs(runs: list[Run], reader: Reader) -> list[Run]:
    if not any(len(run) for run in runs):
        raise reader.source.error(writing.NO_RESULTS(formats=readable()))
    if reader.quotes is not None:
        reader.quotes.unit = reader.unit
    return [replace(run, unit=reader.unit) for run in runs]


def read_assessments(
    path: Any,
    *,
    unit: str | None = None,
    lenient: bool = False,
    notes: list[str] | None = None,
    quotes: quoted.QuotedRows | None = None,
) -> Assessments:
    """The assessments in a file: TREC qrels, INEX FOL, INEX XML, or named columns.

    The INEX XML files of a folder, an archive or several paths, one per query and pool, are read together. Rows of a
    columnar file with texts are added to `quotes`.
    """
    paths = [path] if is_path(path) else list(path)
    if len(paths) > 1 or (paths and os.path.isdir(paths[0])):
        return several.read_several(paths, unit, lenient, notes)
    if not paths:
        raise PartwiseError(writing.NO_ASSESSMENTS())
    name = os.fspath(paths[0])
    if irds.is_id(name):
        notes = notes if notes is not None else []
        return objects.assessments_from_object(irds.qrels(name), unit, lenient, notes, name)
    content = read_bytes(name)
    if is_archive(content):
        return several.read_archive(content, name, unit, lenient, notes)
    data, format, reader = recognised(name, content, lenient, notes)
    reader.quotes = quotes
    reader.count_in(unit_of(format, unit, reader))
    return _checked_assessments(format.read_assessments(data, reader, reader.unit), reader)


def _checked_assessments(assessments: Assessments, reader: Reader) -> Assessments:
    if not assessments.has_rows:
        raise reader.source.error(writing.NO_JUDGEMENTS(formats=readable()))
    if reader.quotes is not None:
        reader.quotes.unit = assessments.unit
    return assessments


def read_either(
    path: str | os.PathLike[str], *, by_tag: bool, unit: str | None, lenient: bool, notes: list[str]
) -> list[Run] | Assessments | None:
    """The runs or the assessments in a file, whichever it holds; None if it may be either.

    The file is parsed once. Lines that cannot be read do not decide what it holds.
    """
    name = os.fspath(path)
    if irds.is_id(name):
        return read_assessments(name, unit=unit, lenient=lenient, notes=notes)
    if os.path.isdir(name):
        return several.read_several([name], unit, lenient, notes)
    content = read_bytes(name)
    if is_archive(content):
        return several.read_archive(content, name, unit, lenient, notes)
    data, format, reader = recognised(name, content, lenient, notes)
    reader.count_in(unit_of(format, unit, reader))
    contents = format.read_either(data, reader, run_names([name])[0], by_tag, reader.unit)
    if isinstance(contents, list):
        return _checked_runs(contents, reader)
    return None if contents is None else _checked_assessments(contents, reader)


def read_rows(
    value: Any, name: str, columns: tuple[str, ...], converts: bool = False
) -> tuple[list[dict[str, Any]], list[int], Source]:
    """The rows of a columnar file, or of a Python object, which errors call `name`; with the line of each.

    Rows of a frame or of Parquet have these columns only. A missing cell is None. If `converts`, cells are checked and
    have the types of their columns.
    """
    if is_path(value):
        table = _table(value, columns, writing.NO_NAMED_COLUMNS(formats=readable(tabular())))
    else:
        reader = Reader(Source(name, is_file=False), False, [])
        table = objects.table_of(value, columns, "score", reader)
    table.reader.settle()
    table = named_columns.renamed(table, columns)
    rows = table.rows()
    if converts:
        named_columns.convert_cells(rows, table)
    return rows, table.lines.tolist(), table.reader.source


def write_rows(
    rows: list[dict[str, Any]], names: tuple[str, ...], path: str | os.PathLike[str], safe_csv: bool = False
) -> None:
    """Write the columns of `names` that occur in the rows, to a .csv, .tsv, .jsonl or .parquet file."""
    for name in names:
        for cell in (row[name] for row in rows if isinstance(row.get(name), str)):
            if not is_unicode(cell):
                raise PartwiseError(writing.LONE_SURROGATE(what=name, name=shown(cell)), file=os.fspath(path))
    chosen = to_write(path, None, tabular, safe_csv)
    chosen.check_rows(rows, os.fspath(path))
    outputs.write_bytes(path, chosen.write_rows(rows, names))


def assessments_from(
    value: Any, *, unit: str | None, lenient: bool, notes: list[str], quotes: quoted.QuotedRows | None = None
) -> Assessments:
    """Assessments from a path, several paths of INEX XML files, or a Python object."""
    if is_path(value) or (isinstance(value, (list, tuple)) and len(value) > 0 and all(map(is_path, value))):
        return read_assessments(value, unit=unit, lenient=lenient, notes=notes, quotes=quotes)
    if quotes is not None:
        quotes.add_object(value)
    assessments = objects.assessments_from_object(value, unit, lenient, notes)
    if quotes is not None:
        quotes.unit = assessments.unit
    return assessments


def named_runs(value: Any) -> tuple[list[tuple[str | None, Any]], bool]:
    """The runs in an argument of the user, each with its name, or None if it has none.

    Also whether this is one run that is known to be a mapping by query, so that it need not be examined again.
    """
    value = objects.as_given(value)
    if isinstance(value, Mapping):
        if objects.is_by_query(value):
            return [(None, value)], True
        return [(str(name), item) for name, item in value.items()], False
    is_several = isinstance(value, (list, tuple)) and not objects.is_rows(value)
    if is_several and value:
        objects.refuse_rows_without_query(value, "runs")
    runs: list[tuple[str | None, Any]] = [(None, item) for item in value] if is_several else [(None, value)]
    if not runs:
        raise PartwiseError(writing.NO_RUN(accepted=objects.ACCEPTED))
    return runs, False


def lengths_from(value: Any, *, lenient: bool, notes: list[str], unit: str | None = None) -> dict[str, int]:
    """Document lengths from a mapping, a table, or a file with columns ``doc_id, length`` (named, or only these)."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        rows = [{"doc_id": doc, "length": length} for doc, length in value.items()]
        reader = Reader(Source("lengths", is_file=False), lenient, notes)
        reader.count_in(unit)
        return assessment_tables.lengths_from_table(table_from_dicts(rows, reader)) if rows else {}
    columns = ("doc_id", "length")
    if not is_path(value):
        reader = Reader(Source("lengths", is_file=False), lenient, notes)
        reader.count_in(unit)
        return assessment_tables.lengths_from_table(objects.table_of(value, columns, "length", reader))
    data, format, reader = opened(value, lenient, notes)
    reader.count_in(unit)
    return assessment_tables.lengths_from_table(format.lengths_table(data, reader))


def chunks_from(value: Any, *, unit: str | None, lenient: bool, notes: list[str]) -> Run:
    """All chunks of a system as a run of one query, from a path or a Python object.

    A file may be of any format of runs. The chunks of a columnar file need no query; of a run of another format, all
    results are chunks, whatever their queries.
    """
    if not is_path(value):
        return chunks.chunks_from_object(value, unit, lenient, notes)
    data, format, reader = opened(value, lenient, notes)
    reader.count_in(unit_of(format, unit, reader))
    if isinstance(format, Tabular):
        runs = [chunks.chunks_from_table(format.table(data, chunks.COLUMNS, reader))]
    else:
        runs = format.read_runs(data, reader, chunks.CHUNKS, False)
    if len(runs) != 1:
        raise reader.source.error(reading.SEVERAL_RUNS_OF_CHUNKS(count=len(runs)))
    return _checked_runs(runs, reader)[0]


def titles_from(value: Any) -> queries.Titles:
    """Titles and descriptions of queries from a mapping of ids to titles, a table, or a file (named columns or XML)."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(title, str) for title in value.values()):
        return {str(query): (title, "") for query, title in value.items()}
    if not is_path(value):
        reader = Reader(Source("queries", is_file=False), False, [])
        return queries.titles_from_table(objects.table_of(value, names.QUERY_COLUMNS, "title", reader))
    name = os.fspath(value)
    if irds.is_id(name):
        return titles_from(irds.titles(name))
    data = read_bytes(name).removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"<"):
        return queries.titles_from_xml(data, Reader(Source(name), False, []))
    return queries.titles_from_table(_table(name, names.QUERY_COLUMNS, writing.NO_QUERY_COLUMNS()))


def query_columns(value: Any) -> queries.Columns:
    """All columns of the queries, by which they can be sliced, from what `titles_from` accepts."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(title, str) for title in value.values()):
        return {"title": {str(query): title for query, title in value.items()}}
    if not is_path(value):
        reader = Reader(Source("queries", is_file=False), False, [])
        columns = value.column_names if hasattr(value, "column_names") else getattr(value, "columns", ())
        every = [name for name in columns if isinstance(name, str)]
        return queries.columns_from_table(objects.table_of(value, every, "title", reader))
    name = os.fspath(value)
    if irds.is_id(name):
        return query_columns(irds.titles(name))
    data = read_bytes(name).removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"<"):
        return queries.columns_from_xml(data, Reader(Source(name), False, []))
    data, format, reader = opened(name, False, None)
    if not isinstance(format, Tabular):
        raise reader.source.error(writing.NO_QUERY_COLUMNS())
    return queries.columns_from_table(format.table(data, format.column_names(data, reader), reader))


# ---- writing ------------------------------------------------------------------------------------------------


def write_run(
    run: Run, path: str | os.PathLike[str], format: str | None = None, *, safe_csv: bool = False
) -> list[str]:
    """Write a run as ``trec``, ``inex``, ``xml`` (an INEX submission), ``csv``, ``tsv``, ``jsonl`` or ``parquet``, by
    default according to the suffix.

    Text columns need a rank and a score. If the run has none, or if reading them back would give another order, they
    are counted from the order of the run. Returns notes about what the format does not record: how chunks were placed
    in their documents, if it has no named columns.

    With `safe_csv`, texts in CSV and TSV are quoted, after an apostrophe if a spreadsheet would take them for formulas.

    - `path`: the path of the file.
    """
    return write_runs([run], path, format, safe_csv=safe_csv)


def write_runs(
    runs: Sequence[Run], path: str | os.PathLike[str], format: str | None = None, *, safe_csv: bool = False
) -> list[str]:
    """Write several runs to one file of named columns, or one run in any format; returns the notes of `write_run`."""
    chosen = to_write(path, format, written, safe_csv)
    data = chosen.runs_written(runs, os.fspath(path))
    _refuse_another_format(data, chosen, os.fspath(path))
    outputs.write_bytes(path, data)
    return (
        []
        if isinstance(chosen, Tabular)
        else placing_notes.notes_lost(runs, os.fspath(path), chosen.title or chosen.name)
    )


def write_assessments(
    assessments: Assessments, path: str | os.PathLike[str], format: str | None = None, *, safe_csv: bool = False
) -> None:
    """Write assessments in the formats of `write_run`, by default according to the suffix.

    INEX XML has one file per query and assessor; several are written to a ``.zip`` of such files. `safe_csv` is that of
    `write_run`.

    - `path`: the path of the file.
    - `format`: its format (default: that of the suffix).
    """
    chosen = to_write(path, format, written, safe_csv)
    data = chosen.assessments_written(assessments, os.fspath(path))
    _refuse_another_format(data, chosen, os.fspath(path))
    outputs.write_bytes(path, data)


def _refuse_another_format(data: bytes, chosen: Format, path: str) -> None:
    """Raise an error if the bytes of a file would be recognised as another format than that in which they are written.

    A query named ``{`` at the beginning of columns looks like JSON, for example.
    """
    of_suffix = by_suffix(path)
    if is_archive(data) or (of_suffix is not None and chosen.name not in _names_of(of_suffix)):
        return  # the file has no suffix of this format, so its user names the format
    title = chosen.title or chosen.name
    try:
        detected = recognised(path, data, False, None)[1]
    except PartwiseError as error:
        raise PartwiseError(
            writing.READ_AS_ANOTHER(other=f"a file that {error.problem}", format=title), file=path
        ) from None
    if chosen.name not in _names_of(detected) and detected not in chosen.forms:
        other = detected.title or detected.name
        raise PartwiseError(writing.READ_AS_ANOTHER(other=other, format=title), file=path)


def _names_of(format: Format) -> set[str]:
    return {format.name, *(form.name for form in format.forms)}
