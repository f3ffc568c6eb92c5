"""Files and objects to runs and assessments, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.files import read_bytes, split_suffixes, write_bytes
from partwise.formats import blocks, columns, inex, objects, trec
from partwise.formats.detect import COLUMN_SUFFIXES, READABLE, detect
from partwise.formats.problems import Reader
from partwise.formats.text import usual_layout, utf8_only
from partwise.model import NO_GRADE, NONE, TO_END, Assessments, Ints, Run, Source

__all__ = [
    "assessments_from",
    "blocks",
    "is_path",
    "lengths_from",
    "named_runs",
    "read_assessments",
    "read_runs",
    "run_names",
    "write_assessments",
    "write_run",
]

_TEXT_SUFFIXES = ("", ".run", ".txt", ".trec", ".inex", ".qrels", ".res", ".fol")


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


# ---- reading ------------------------------------------------------------------------------------------------


def _opened(path: str | os.PathLike[str], lenient: bool, notes: list[str] | None) -> tuple[bytes, str, Reader]:
    name = os.fspath(path)
    data = read_bytes(name).removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data and b"\r" in data and not data.startswith(b"PAR1"):
        data = data.replace(b"\r", b"\n")
    reader = Reader(Source(name), lenient, notes if notes is not None else [])
    kind = detect(data, name)
    if kind != "parquet":
        data = utf8_only(data, reader)
        if not data or data.isspace():
            raise reader.source.error("has no line that can be read", f"give a file of {READABLE}")
    return data, kind, reader


def _table(data: bytes, kind: str, wanted: tuple[str, ...], reader: Reader) -> columns.Table:
    if kind == "parquet":
        return columns.table_from_parquet(data, wanted, reader)
    if kind == "jsonl":
        return columns.table_from_jsonl(data, reader)
    return columns.table_from_csv(data, "," if kind == "csv" else "\t", reader)


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
    data, kind, reader = _opened(path, lenient, notes)
    name = run_id if run_id is not None else run_names([path])[0]
    if kind != "text":
        runs = columns.runs_from_table(_table(data, kind, columns.RUN_COLUMNS, reader), name)
    else:
        layout, line, count = usual_layout(data, inex.layout_of)
        if layout is None:
            short = "is cut short: it" if count < 6 else "is too long: it"
            raise reader.source.error(
                f"{short} has {count} columns",
                f"a run has 6 (TREC: {trec.RUN.example}) and, for INEX, offset length or a path behind them",
                line,
            )
        run, tags = trec.read_run(data, reader) if layout is trec.RUN else inex.read_run(data, layout, reader)
        if not by_tag:
            reader.notes.extend(blocks.tags_note(reader.source.name, len(tags.names)))
        runs = columns.split_runs(run, tags) if by_tag and len(run) else [replace(run, run_id=name)]
    if not any(len(run) for run in runs):
        raise reader.source.error("has no results", f"give a run of {READABLE}")
    return [replace(run, unit=unit) for run in runs]


def read_assessments(
    path: str | os.PathLike[str], *, unit: str = "chars", lenient: bool = False, notes: list[str] | None = None
) -> Assessments:
    """The assessments in a file: TREC qrels, INEX FOL, or named columns."""
    data, kind, reader = _opened(path, lenient, notes)
    if kind != "text":
        table = _table(data, kind, columns.ASSESSMENT_COLUMNS, reader)
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


def assessments_from(value: Any, *, unit: str, lenient: bool, notes: list[str]) -> Assessments:
    """Assessments from a path or a Python object."""
    if is_path(value):
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


def run_names(paths: list[Any]) -> list[str]:
    """A name per file: its stem, or as much of its path as tells it from the others."""
    names = [split_suffixes(os.path.basename(os.fspath(path).rstrip("/")))[0] for path in paths]
    same: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        same.setdefault(name, []).append(i)
    for clash in (found for found in same.values() if len(found) > 1):
        from pathlib import PurePath

        bare = [list(PurePath(os.fspath(paths[i])).parts) for i in clash]
        fresh = _distinguished([[*part[:-1], names[i]] for part, i in zip(bare, clash, strict=True)])
        fresh = fresh or _distinguished(bare)
        if fresh is None:
            raise PartwiseError(f"{os.fspath(paths[clash[0]])} is given twice", "give every run once")
        for i, told in zip(clash, fresh, strict=True):
            names[i] = told
    if len(set(names)) < len(names):
        names = [os.fspath(path) for path in paths]
    return [name.encode("utf-8", "backslashreplace").decode() for name in names]


def _distinguished(parts: list[list[str]]) -> list[str] | None:
    for depth in range(1, max(len(part) for part in parts) + 1):
        told = ["/".join(part[-depth:]).replace("//", "/") for part in parts]
        if len(set(told)) == len(told):
            return told
    return None


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
    data, kind, reader = _opened(value, lenient, notes)
    if kind != "text":
        return columns.lengths_from_table(_table(data, kind, wanted, reader))
    from partwise import kernels
    from partwise.formats.text import Layout, column_problems, decoded

    layout = Layout("sn", ("document", "length"), "document length")
    table = kernels.read_columns(data, layout.kinds)
    column_problems(reader, table.problems, layout)
    named = {"doc_id": decoded(table.columns[0]).values(), "length": table.columns[1]}
    return columns.lengths_from_table(columns.Table(named, table.lines.tolist(), reader))


# ---- writing ------------------------------------------------------------------------------------------------


def _kind_for(path: str | os.PathLike[str], kind: str | None, kinds: tuple[str, ...]) -> str:
    suffix = split_suffixes(os.path.basename(os.fspath(path)))[1]
    if kind is None:
        kind = COLUMN_SUFFIXES.get(suffix) or ("text" if suffix in _TEXT_SUFFIXES else None)
    if kind not in kinds:
        what = f"its suffix is {suffix}" if kind is None else f"the format is {kind}"
        raise PartwiseError(f"cannot be written: {what}", f"use one of {', '.join(kinds)}", file=os.fspath(path))
    return kind


def write_run(run: Run, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a run: ``trec``, ``inex``, ``csv``, ``tsv``, ``jsonl`` or ``parquet``, by default as its suffix says.

    Text columns need a rank and a score. Where the run has none, or has them in another order than the one in which
    the format will be read, they are counted from its order.
    """
    kind = _kind_for(path, format, ("trec", "inex", "text", "csv", "tsv", "jsonl", "parquet"))
    if kind in ("csv", "tsv", "jsonl", "parquet"):
        write_bytes(path, columns.written(columns.run_rows(run), columns.RUN_COLUMNS, kind))
        return
    _without_blanks(path, "the run id", [run.run_id])
    _without_blanks(path, "a topic", run.query.names)
    _without_blanks(path, "a document", run.doc.names)
    whole = (np.diff(run.span_offsets) == 1).all() and bool((run.end == TO_END).all())
    if kind == "trec" or (kind == "text" and whole):
        if not whole or run.paths is not None:
            raise _unfit(path, "TREC columns hold whole documents only")
        lines = trec.run_lines(run, *_ranks_and_scores(run, by_score=True))
    else:
        counts = np.diff(run.span_offsets) + (np.diff(run.paths.offsets) if run.paths is not None else 0)
        if (counts != 1).any() or bool((run.end == TO_END).any()):
            raise _unfit(path, "INEX columns hold one span or one path per result, and no whole documents")
        lines = inex.run_lines(run, *_ranks_and_scores(run, by_score=False))
    write_bytes(path, "".join(line + "\n" for line in lines).encode())


def _unfit(path: str | os.PathLike[str], problem: str) -> PartwiseError:
    return PartwiseError(problem, "write .jsonl or .parquet, which hold every part", file=os.fspath(path))


def _without_blanks(path: str | os.PathLike[str], what: str, names: Sequence[str]) -> None:
    for name in names:
        if len(name.split()) != 1 or name.split()[0] != name:
            raise _unfit(path, f"{what} is called {name!r}, and blanks part the columns of text files")


def _ranks_and_scores(run: Run, by_score: bool) -> tuple[list[int], list[str]]:
    """Ranks and scores to write; counted anew where reading by score (or by rank) would change the order."""
    place = columns.places(run)
    rank = place if run.rank is None or (run.rank == NONE).any() else run.rank
    score = run.score
    if score is None or np.isnan(score).any() or (by_score and not run.trec_order and not _falls(run, place)):
        score = (place.max(initial=0) + 1 - place).astype(np.float64)
    return rank.tolist(), [repr(value) for value in score.tolist()]


def _falls(run: Run, place: Ints) -> bool:
    """Whether the scores fall from place to place, in the single precision in which they will be compared."""
    if run.score is None:
        return False
    order = np.lexsort((place, run.query.codes))
    with np.errstate(over="ignore"):
        score = run.score[order].astype(np.float32)
    codes = run.query.codes[order]
    return bool(((score[1:] < score[:-1]) | (codes[1:] != codes[:-1])).all())


def write_assessments(assessments: Assessments, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write assessments in the formats that `write_run` has, by default as the suffix says."""
    kind = _kind_for(path, format, ("trec", "inex", "text", "csv", "tsv", "jsonl", "parquet"))
    if kind in ("csv", "tsv", "jsonl", "parquet"):
        rows = columns.assessment_rows(assessments)
        write_bytes(path, columns.written(rows, columns.ASSESSMENT_COLUMNS, kind))
        return
    documents = assessments.documents
    _without_blanks(path, "a topic", assessments.queries)
    _without_blanks(path, "a document", assessments.docs)
    graded = bool((documents.grade != NO_GRADE).any())
    structured = len(assessments.elements.lines) > 0 or len(assessments.assessors) > 1
    if kind == "trec" or (kind == "text" and graded and not len(assessments.spans.lines)):
        if structured or not graded or len(assessments.spans.lines):
            raise _unfit(path, "TREC qrels hold the document grades of one assessor only")
        lines = trec.qrels_lines(assessments)
    else:
        if structured or graded or bool((documents.length == NONE).any()):
            raise _unfit(path, "FOL assessments hold the passages of one assessor, with every document's length")
        lines = inex.assessment_lines(assessments)
    write_bytes(path, "".join(line + "\n" for line in lines).encode())
