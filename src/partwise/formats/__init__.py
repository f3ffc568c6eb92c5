"""Files and objects to runs and assessments, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwise import kernels
from partwise.errors import PartwiseError, shown
from partwise.files import (
    COLUMN_SUFFIXES,
    archived,
    decompressed,
    files_below,
    is_archive,
    read_bytes,
    refuse_special,
    run_names,
    split_suffixes,
    write_bytes,
)
from partwise.formats import blocks, columns, inex, inex_xml, objects, queries, trec
from partwise.formats.detect import READABLE, detect
from partwise.formats.problems import Reader
from partwise.formats.text import first_lines, usual_layout, utf8_only
from partwise.model import NO_GRADE, NONE, TO_END, Assessments, Files, Floats, Run, Source

__all__ = [
    "assessments_from",
    "blocks",
    "is_path",
    "lengths_from",
    "named_runs",
    "opened",
    "read_assessments",
    "read_rows",
    "read_runs",
    "run_names",
    "table_in",
    "table_of_file",
    "what_is",
    "write_assessments",
    "write_rows",
    "write_run",
    "write_runs",
]

WRITTEN = ("trec", "inex", "text", "xml", "csv", "tsv", "jsonl", "parquet")
_TEXT_SUFFIXES = ("", ".run", ".txt", ".trec", ".inex", ".qrels", ".res", ".fol")


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


# ---- reading ------------------------------------------------------------------------------------------------


def opened(path: str | os.PathLike[str], lenient: bool, notes: list[str] | None) -> tuple[bytes, str, Reader]:
    """The bytes of a file, what kind of file it is, and a reader for its problems."""
    name = os.fspath(path)
    return _recognised(name, read_bytes(name), lenient, notes)


def _recognised(name: str, data: bytes, lenient: bool, notes: list[str] | None) -> tuple[bytes, str, Reader]:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data and b"\r" in data and not data.startswith(b"PAR1"):
        data = data.replace(b"\r", b"\n")
    reader = Reader(Source(name), lenient, notes if notes is not None else [])
    kind = detect(data, name)
    if kind not in ("parquet", "xml"):
        data = utf8_only(data, reader)
        if not data or data.isspace():
            raise reader.source.error("has no line that can be read", f"give a file of {READABLE}")
    return data, kind, reader


def table_in(data: bytes, kind: str, wanted: tuple[str, ...], reader: Reader) -> columns.Table:
    """Named columns, of a file that has them."""
    if kind == "parquet":
        return columns.table_from_parquet(data, wanted, reader)
    if kind == "jsonl":
        return columns.table_from_jsonl(data, reader)
    return columns.table_from_csv(data, "," if kind == "csv" else "\t", reader)


def table_of_file(path: str | os.PathLike[str], wanted: tuple[str, ...], what: str) -> columns.Table:
    """A file of named columns (CSV, TSV, JSON Lines or Parquet) that has to have these."""
    data, kind, reader = opened(path, False, None)
    if kind in ("text", "xml"):
        raise reader.source.error("has no named columns", f"{what} are CSV, TSV, JSON Lines or Parquet")
    return table_in(data, kind, wanted, reader)


def read_runs(
    path: str | os.PathLike[str],
    *,
    run_id: str | None = None,
    by_tag: bool = False,
    unit: str = "chars",
    lenient: bool = False,
    notes: list[str] | None = None,
) -> list[Run]:
    """The runs in a file: one, or one per id where a columnar file has a column ``run_id``.

    A text file's run is called `run_id` (by default its stem), or with `by_tag` what its tag column says.
    """
    data, kind, reader = opened(path, lenient, notes)
    name = run_id if run_id is not None else run_names([path])[0]
    if kind == "xml":
        run, tags = inex_xml.read_run(data, reader)
        runs = [replace(run, run_id=(by_tag and tags.names[0]) or name)]
    elif kind != "text":
        runs = columns.runs_from_table(table_in(data, kind, columns.RUN_COLUMNS, reader), name)
    else:
        layout, line, count = usual_layout(data, inex.layout_of)
        if layout is None:
            short = "is cut short: it" if count < 6 else "is too long: it"
            raise reader.source.error(
                f"{short} has {count} columns",
                f"a run has 6 (TREC: {trec.RUN.example}) and, for INEX, offset length or a path behind them",
                line,
            )
        run, tags = inex.read_text_run(kernels.read_columns(data, layout.kinds), layout, reader)
        if not by_tag:
            reader.notes.extend(blocks.tags_note(reader.source.name, len(tags.names)))
        runs = columns.split_runs(run, tags) if by_tag and len(run) else [replace(run, run_id=name)]
    if not any(len(run) for run in runs):
        raise reader.source.error("has no results", f"give a run of {READABLE}")
    return [replace(run, unit=unit) for run in runs]


def read_assessments(
    path: Any, *, unit: str = "chars", lenient: bool = False, notes: list[str] | None = None
) -> Assessments:
    """The assessments in a file: TREC qrels, INEX FOL, INEX XML, or named columns.

    A folder or an archive of INEX XML files, one per topic and pool, is read as one; so are several paths.
    """
    paths = [path] if is_path(path) else list(path)
    if len(paths) > 1 or (paths and os.path.isdir(paths[0])):
        return _read_pools([file for item in paths for file in _files_of(item)], _told(paths), unit, lenient, notes)
    if not paths:
        raise PartwiseError("no assessments are given", "give a file")
    name = os.fspath(paths[0])
    content = read_bytes(name)
    if is_archive(content):
        return _read_pools(_archived_files(content, name), name, unit, lenient, notes)
    data, kind, reader = _recognised(name, content, lenient, notes)
    if kind == "xml":
        found = inex_xml.assessments_of([inex_xml.read_pool(data, reader, 0)], [""], reader, unit)
    elif kind != "text":
        table = table_in(data, kind, columns.ASSESSMENT_COLUMNS, reader)
        found = columns.assessments_from_table(table, unit)
    else:
        layout, line, count = usual_layout(data, inex.assessment_layout_of)
        if layout is trec.QRELS:
            found = trec.read_qrels(data, reader, unit)
        elif layout is inex.PASSAGES:
            found = inex.read_assessments(data, reader, unit)
        else:
            raise reader.source.error(
                f"is cut short: it has {count} columns",
                f"assessments have 4 (TREC: {trec.QRELS.example}) or 6 and more (INEX: {inex.PASSAGES.example})",
                line,
            )
    if not len(found.documents.lines):
        raise reader.source.error("has no judgements", f"give assessments as {READABLE}")
    return found


def _told(paths: list[Any]) -> str:
    return os.fspath(paths[0]) if len(paths) == 1 else f"{os.fspath(paths[0])} and {len(paths) - 1} more"


def _files_of(path: Any) -> list[tuple[str, bytes]]:
    """The files that a path stands for, by name: itself, or those of a folder or an archive."""
    name = os.fspath(path)
    if os.path.isdir(name):
        paths = [os.path.join(name, file) for file in sorted(files_below(name)) if _is_xml(file)]
        for file in paths:
            refuse_special(file, file)
        return _some([(file, read_bytes(file)) for file in paths], name)
    data = read_bytes(name)
    return _archived_files(data, name) if is_archive(data) else [(name, data)]


def _archived_files(data: bytes, name: str) -> list[tuple[str, bytes]]:
    found = ((f"{name}/{member}", content) for member, content in archived(data, name, _is_xml))
    return _some([(path, decompressed(content, path)) for path, content in found], name)


def _is_xml(name: str) -> bool:
    return split_suffixes(os.path.basename(name))[1] == ".xml" and not os.path.basename(name).startswith(".")


def _some(files: list[tuple[str, bytes]], name: str) -> list[tuple[str, bytes]]:
    if not files:
        raise PartwiseError("has no XML files", "give assessments as INEX XML, a file per topic and pool", file=name)
    return files


def _read_pools(
    files: list[tuple[str, bytes]], name: str, unit: str, lenient: bool, notes: list[str] | None
) -> Assessments:
    """Files of INEX XML as one; when lenient, a file that cannot be read is left out and counted."""
    before = [0, *np.cumsum([data.count(b"\n") + data.count(b"\r") + 2 for _, data in files]).tolist()]
    source = Files(name, names=[file for file, _ in files], before=before[:-1])
    reader = Reader(source, lenient, notes if notes is not None else [])
    pools, names = [], []
    for (file, data), first in zip(files, before, strict=False):
        try:
            data, kind, _ = _recognised(file, data, lenient, None)
            if kind != "xml":
                raise PartwiseError("is no XML", "several files are read as one only if they are INEX XML", file=file)
            pools.append(inex_xml.read_pool(data, reader, first))
            names.append(file)
        except PartwiseError as error:
            if not lenient:
                reader.settle()
                raise
            reader.found.setdefault((first,), error)
    found = inex_xml.assessments_of(pools, run_names(names), reader, unit)
    if not len(found.documents.lines):
        raise source.error("has no judgements", f"give assessments as {READABLE}")
    return found


def what_is(path: str | os.PathLike[str], lenient: bool = False) -> str | None:
    """Whether a file is a ``run`` or ``assessments``, told by its content; None where it may be either.

    Lines that cannot be read are for those who read it as what it is; where the others do not say, they are the error.
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        return "assessments"
    content = read_bytes(name)
    if is_archive(content):
        return "assessments"
    data, kind, reader = _recognised(name, content, True, None)
    if kind == "xml":
        root = inex_xml.root_of(data, reader)
        return {inex_xml.SUBMISSION: "run", inex_xml.ASSESSMENTS: "assessments"}.get(root)
    if kind == "text":
        return inex.what_is([tokens for _, tokens in first_lines(data)])
    table = table_in(data, kind, (*columns.RUN_COLUMNS, *columns.ASSESSMENT_COLUMNS), reader)
    found = columns.what_is(table)
    if found is None:
        reader.lenient = lenient and len(table) > 0
        reader.settle()
        columns.require(table, ("query_id", "doc_id"), "runs and assessments")
    return found


def read_rows(value: Any, name: str, wanted: tuple[str, ...]) -> tuple[list[dict[str, Any]], list[int], Source]:
    """The rows of a columnar file, or of a Python object that `name` stands for, as they are; with the line of each.

    Those of a frame or of Parquet have the wanted columns only. A missing cell is None.
    """
    if is_path(value):
        data, kind, reader = opened(value, False, None)
        if kind in ("text", "xml"):
            raise reader.source.error("has no named columns", "give CSV, TSV, JSON Lines or Parquet")
        table = table_in(data, kind, wanted, reader)
    else:
        reader = Reader(Source(name, is_file=False), False, [])
        table = objects.table_of(value, wanted, "score", reader)
    reader.settle()
    return table.rows(), table.lines.tolist(), reader.source


def write_rows(rows: list[dict[str, Any]], names: tuple[str, ...], path: str | os.PathLike[str]) -> None:
    """Write rows, with those columns of `names` that occur, as the suffix says: .csv, .tsv, .jsonl or .parquet."""
    kind = _kind_for(path, None, ("csv", "tsv", "jsonl", "parquet"))
    write_bytes(path, columns.written(rows, names, kind))


def assessments_from(value: Any, *, unit: str, lenient: bool, notes: list[str]) -> Assessments:
    """Assessments from a path, several paths of INEX XML files, or a Python object."""
    if is_path(value) or (isinstance(value, (list, tuple)) and len(value) > 0 and all(map(is_path, value))):
        return read_assessments(value, unit=unit, lenient=lenient, notes=notes)
    return objects.assessments_from_object(value, unit, lenient, notes)


def named_runs(value: Any) -> list[tuple[str | None, Any]]:
    """What a user gave as runs, one by one, each with its name where it has one."""
    if isinstance(value, Mapping) and not objects.is_by_query(value):
        return [(str(name), item) for name, item in value.items()]
    several = isinstance(value, (list, tuple)) and not objects.is_rows(value)
    given: list[tuple[str | None, Any]] = [(None, item) for item in value] if several else [(None, value)]
    if not given:
        raise PartwiseError("no run is given", f"give one as {objects.ACCEPTED}")
    return given


def lengths_from(value: Any, *, lenient: bool, notes: list[str]) -> dict[str, int]:
    """Document lengths: a mapping, a table, or a file with columns ``doc_id, length`` (named, or just these two)."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        rows = [{"doc_id": doc, "length": length} for doc, length in value.items()]
        reader = Reader(Source("lengths", is_file=False), lenient, notes)
        return columns.lengths_from_table(columns.table_from_dicts(rows, reader)) if rows else {}
    wanted = ("doc_id", "length")
    if not is_path(value):
        reader = Reader(Source("lengths", is_file=False), lenient, notes)
        return columns.lengths_from_table(objects.table_of(value, wanted, "length", reader))
    data, kind, reader = opened(value, lenient, notes)
    if kind == "xml":
        raise reader.source.error("is XML", "lengths are columns doc_id and length")
    if kind != "text":
        return columns.lengths_from_table(table_in(data, kind, wanted, reader))
    from partwise import kernels
    from partwise.formats.text import Layout, column_problems, decoded

    layout = Layout("sn", ("document", "length"), "document length")
    table = kernels.read_columns(data, layout.kinds)
    column_problems(reader, table.problems, layout)
    named = {"doc_id": decoded(table.columns[0]).values(), "length": table.columns[1]}
    return columns.lengths_from_table(columns.Table(named, table.lines.tolist(), reader))


def titles_from(value: Any) -> queries.Titles:
    """What topics ask for: a mapping of ids to titles, a table, or a file (named columns or XML)."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(title, str) for title in value.values()):
        return {str(query): (title, "") for query, title in value.items()}
    if not is_path(value):
        reader = Reader(Source("queries", is_file=False), False, [])
        return queries.titles_from_table(objects.table_of(value, queries.COLUMNS, "title", reader))
    name = os.fspath(value)
    data = read_bytes(name).removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"<"):
        return queries.titles_from_xml(data, Reader(Source(name), False, []))
    data, kind, reader = opened(name, False, None)
    if kind == "text":
        raise reader.source.error("has no named columns", "give query_id and title as JSON Lines, CSV, TSV or XML")
    return queries.titles_from_table(table_in(data, kind, queries.COLUMNS, reader))


# ---- writing ------------------------------------------------------------------------------------------------


def _kind_for(path: str | os.PathLike[str], kind: str | None, kinds: tuple[str, ...] = WRITTEN) -> str:
    suffix = split_suffixes(os.path.basename(os.fspath(path)))[1]
    if kind is None:
        kind = COLUMN_SUFFIXES.get(suffix) or ("text" if suffix in _TEXT_SUFFIXES else None)
        kind = "xml" if suffix in (".xml", ".zip") else kind
    if kind not in kinds:
        what = f"its suffix is {suffix}" if kind is None else f"the format is {kind}"
        raise PartwiseError(f"cannot be written: {what}", f"use one of {', '.join(kinds)}", file=os.fspath(path))
    return kind


def write_run(run: Run, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a run: ``trec``, ``inex``, ``xml`` (an INEX submission), ``csv``, ``tsv``, ``jsonl`` or ``parquet``, by
    default as its suffix says.

    Text columns need a rank and a score. Where the run has none, or has them in another order than the one in which
    the format will be read, they are counted from its order.
    """
    write_runs([run], path, format)


def write_runs(runs: Sequence[Run], path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write several runs to one file of named columns, or one run to any."""
    kind = _kind_for(path, format)
    if kind in ("csv", "tsv", "jsonl", "parquet"):
        rows = [row for run in runs for row in columns.run_rows(run)]
        if kind in ("csv", "tsv") and any(" " in part for row in rows for part in row.get("paths", ())):
            raise _unfit(path, "CSV and TSV hold one range of paths per result")
        _names_for_columns(
            path, kind, [name for run in runs for name in (run.run_id, *run.query.names, *run.doc.names)]
        )
        write_bytes(path, columns.written(rows, columns.RUN_COLUMNS, kind))
        return
    if len(runs) != 1:
        some = ", ".join(shown(run.run_id) for run in runs[:3])
        raise PartwiseError(
            f"holds one run and {len(runs)} are given ({some}{' ...' if len(runs) > 3 else ''})",
            "choose one with --run NAME, or write .jsonl, .csv or .parquet, which hold several",
            file=os.fspath(path),
        )
    [run] = runs
    if kind == "xml":
        _write_submission(run, path)
        return
    _without_blanks(path, "the run id", [run.run_id])
    _without_blanks(path, "a topic", run.query.names)
    _without_blanks(path, "a document", run.doc.names)
    whole = (np.diff(run.span_offsets) == 1).all() and bool((run.end == TO_END).all())
    if kind == "trec" or (kind == "text" and whole):
        if not whole or run.paths is not None:
            raise _unfit(path, "TREC columns hold whole documents only")
        lines = trec.run_lines(run, *_trec_numbers(run))
    else:
        counts = np.diff(run.span_offsets) + (np.diff(run.paths.offsets) if run.paths is not None else 0)
        if (counts != 1).any() or bool((run.end == TO_END).any()):
            raise _unfit(path, "INEX columns hold one span or one path per result, and no whole documents")
        if not inex.is_of_one_kind(run):
            raise _unfit(path, "INEX columns hold parts of one kind, all spans, all paths or all ranges of paths")
        run = columns.as_ranked(run)
        lines = inex.run_lines(run, *_inex_numbers(run))
    write_bytes(path, "".join(line + "\n" for line in lines).encode())


def _unfit(path: str | os.PathLike[str], problem: str) -> PartwiseError:
    return PartwiseError(problem, "write .jsonl or .parquet, which hold every part", file=os.fspath(path))


def _write_submission(run: Run, path: str | os.PathLike[str]) -> None:
    if split_suffixes(os.path.basename(os.fspath(path)))[1] == ".zip":
        raise PartwiseError("a run is one file", "give a name that ends in .xml", file=os.fspath(path))
    _xml_names(path, [*([run.run_id] if run.run_id else []), *run.query.names, *run.doc.names])
    run = columns.as_ranked(run)
    ranks = [None] * len(run) if run.rank is None else [None if value == NONE else value for value in run.rank.tolist()]
    write_bytes(path, inex_xml.submission(run, ranks).encode())


def _xml_names(path: str | os.PathLike[str], names: Sequence[str]) -> None:
    name = inex_xml.unwritable(names)
    if name is not None:
        raise _changed(path, name, "XML")


def _names_for_columns(path: str | os.PathLike[str], kind: str, names: Sequence[str]) -> None:
    if kind in ("csv", "tsv"):
        for name in names:
            if name != name.strip() or "\r" in name or "\0" in name:
                raise _changed(path, name, kind.upper())


def _changed(path: str | os.PathLike[str], name: str, format: str) -> PartwiseError:
    return _unfit(path, f"a name is {name!r}, and {format} would not give it back as it is")


def _without_blanks(path: str | os.PathLike[str], what: str, names: Sequence[str]) -> None:
    for name in names:
        if len(name.split()) != 1 or name.split()[0] != name:
            raise _unfit(path, f"{what} is called {name!r}, and blanks part the columns of text files")


def _trec_numbers(run: Run) -> tuple[list[int], list[str]]:
    """Ranks and scores for columns that are read by score, in single precision: the run's own scores if they give its
    order and ties, else some that do; ties against the order of document ids are lost, the order never."""
    place, tie = columns.places(run), columns.tie_places(run)
    last = int(place.max(initial=0)) + 1
    candidates = [] if run.score is None or np.isnan(run.score).any() else [run.score]
    for score in (*candidates, (last - tie).astype(np.float64)):
        again = replace(run, score=score, trec_order=True)
        if np.array_equal(columns.places(again), place) and np.array_equal(columns.tie_places(again), tie):
            break
    else:
        score = (last - place).astype(np.float64)
    rank = columns.ranks(run)
    if run.trec_order and run.rank is not None and not (run.rank == NONE).any():
        rank = run.rank
    return rank.tolist(), _told_scores(score)


def _inex_numbers(run: Run) -> tuple[list[int], list[str]]:
    """Ranks and scores for columns that are read by rank."""
    score = run.score
    if score is None or np.isnan(score).any():
        place = columns.places(run)
        score = (place.max(initial=0) + 1 - place).astype(np.float64)
    return columns.ranks(run).tolist(), _told_scores(score)


def _told_scores(score: Floats) -> list[str]:
    return [repr(value) for value in score.tolist()]


def write_assessments(assessments: Assessments, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write assessments in the formats that `write_run` has, by default as the suffix says.

    INEX XML is one file per topic and assessor: those of several go to a ``.zip`` of such files.
    """
    kind = _kind_for(path, format)
    if kind in ("csv", "tsv", "jsonl", "parquet"):
        rows = columns.assessment_rows(assessments)
        names = [*assessments.queries, *assessments.docs, *filter(None, assessments.assessors)]
        _names_for_columns(path, kind, names)
        write_bytes(path, columns.written(rows, columns.ASSESSMENT_COLUMNS, kind))
        return
    if kind == "xml":
        _write_pools(assessments, path)
        return
    documents = assessments.documents
    _without_blanks(path, "a topic", assessments.queries)
    _without_blanks(path, "a document", assessments.docs)
    graded = bool((documents.grade != NO_GRADE).any())
    by_topic = set(zip(documents.query.tolist(), documents.assessor.tolist(), strict=True))
    several = len(by_topic) > len(set(documents.query.tolist()))
    structured = len(assessments.elements.lines) + len(assessments.trees.lines) > 0
    if several and not structured:
        raise PartwiseError(
            "text columns hold one assessor per topic",
            "choose one with --assessor NAME, or write .jsonl or .parquet",
            file=os.fspath(path),
        )
    if len(assessments.passages.lines) or any(documents.bep_path or ()):
        raise PartwiseError(
            "text columns hold offsets, and passages or best entry points are paths",
            "find them in the documents (--spans --collection DOCS), or write .jsonl, .parquet or .xml",
            file=os.fspath(path),
        )
    if kind == "trec" or (kind == "text" and graded and not len(assessments.spans.lines)):
        if structured or not graded or len(assessments.spans.lines):
            raise _unfit(path, "TREC qrels hold the document grades of one assessor only")
        lines = trec.qrels_lines(assessments)
    else:
        if structured or graded or bool((documents.length == NONE).any()):
            raise _unfit(path, "FOL assessments hold the passages of one assessor, with every document's length")
        lines = inex.assessment_lines(assessments)
    write_bytes(path, "".join(line + "\n" for line in lines).encode())


def _write_pools(assessments: Assessments, path: str | os.PathLike[str]) -> None:
    problem = inex_xml.unfit(assessments)
    if problem is not None:
        raise _unfit(path, problem)
    _xml_names(path, [*assessments.queries, *assessments.docs, *filter(None, assessments.assessors)])
    for topic in assessments.queries:
        if not inex_xml.is_one_id(topic):
            raise _unfit(path, f"a topic is called {topic!r}, and of several words INEX XML means the last")
    pools = inex_xml.pools_of(assessments)
    if split_suffixes(os.path.basename(os.fspath(path)))[1] == ".zip":
        write_bytes(path, _zipped(pools))
        return
    if len(pools) != 1:
        raise PartwiseError(
            f"an INEX XML file holds one topic and assessor, and there are {len(pools)}",
            "write a .zip of such files, .jsonl or .parquet",
            file=os.fspath(path),
        )
    write_bytes(path, pools[0][2].encode())


def _zipped(pools: list[tuple[str, str, str]]) -> bytes:
    """A zip archive with a file per pool, whose names keep their order; the same pools give the same bytes."""
    import io
    import zipfile
    from urllib.parse import quote

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (topic, pool, content) in enumerate(pools, 1):
            told = f"{number:06d}-topic-{quote(topic, '')}" + (f"-pool-{quote(pool, '')}" if pool else "")
            archive.writestr(zipfile.ZipInfo(f"{told}.xml", (1980, 1, 1, 0, 0, 0)), content.encode())
    return data.getvalue()
