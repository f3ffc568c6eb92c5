"""ragas: assessments from the reference contexts of a data set, and runs from its retrieved contexts.

A data set is a file (JSON Lines, JSON, CSV or Parquet), an ``EvaluationDataset`` or ``Testset``, a data frame, or a
list of dicts. A sample has a question, ``user_input``, texts that were retrieved, ``retrieved_contexts``, and texts
that answer it, ``reference_contexts``. Version 0.1 called the first two ``question`` and ``contexts``; its
``ground_truths`` are answers, like ``reference``, and not read.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partwise.adapters.chunks import Hook, Hooks
from partwise.adapters.dataset import Dataset, add_once, cell, json_values
from partwise.adapters.placing import Row, assessments_of, texts_of
from partwise.adapters.records import Record, described, id_in, rows_of_records, run_of_records, text_in
from partwise.errors import PartwiseError, shown
from partwise.files import split_suffixes
from partwise.formats import is_path, read_rows
from partwise.location import ERROR, KEEP
from partwise.messages import adapters
from partwise.model import Run, Source

QUESTION, REFERENCES, RETRIEVED = (
    ("user_input", "question"),
    ("reference_contexts",),
    ("retrieved_contexts", "contexts"),
)
_SAMPLES = '{"user_input": ..., "retrieved_contexts": [...], "reference_contexts": [...]}'
_TABLES = (".csv", ".tsv", ".parquet")
_HOP = "-hop>"


def load(
    data: Any,
    documents: Any,
    *,
    column: str | None = None,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Hook = None,
    ambiguous: str = ERROR,
    missing: str = ERROR,
) -> Dataset:
    """The assessments of a data set: its reference contexts are the relevant passages, located in `documents`.

    Query ids are those of a column ``query_id``, or else q0, q1 ... in the order of the samples. The marks of the
    passages of a question over several (``<1-hop>``) are not part of their texts. `column` names another column than
    ``reference_contexts``. `text`, `start`, `end` and `source` are columns of the sample, or functions of a record with
    `text`, `id` (of ``reference_context_ids``) and `metadata` (the sample).

    A passage that occurs in several places is an error unless `ambiguous` is ``first``, ``skip`` or ``keep``, one that
    does not occur is one unless `missing` is ``skip`` or ``keep``; the notes of the scores count them. A sample without
    reference contexts is not judged, which is also a note.
    """
    samples = _Samples(data, [column, text, start, end, source])
    texts = texts_of(documents)
    hooks = Hooks(text, start, end, source)
    names = REFERENCES if column is None else (column,)
    rows: list[Row] = []
    lines: list[int] = []
    for number, records in samples.contexts(names, "reference_context_ids", is_gold=True):
        retrieved = ((samples.ids[number], rank, record) for rank, record in enumerate(records, 1))
        passages, _ = rows_of_records(retrieved, hooks, texts, adapters.NO_CONTEXT_TEXT)
        for row in passages:
            kept = ("query_id", "doc_id", "start", "end", "text")
            rows.append({name: row[name] for name in kept if row.get(name) is not None})
            lines.append(samples.lines[number])
    assessments = assessments_of(rows, lines, samples.source, texts, ambiguous, missing)
    notes = (*assessments.notes, *samples.remarks)
    return Dataset(replace(assessments, notes=notes), samples.questions(), texts)


def run(
    data: Any,
    documents: Any,
    *,
    column: str | None = None,
    text: Hook = None,
    start: Hook = None,
    end: Hook = None,
    source: Hook = None,
    run_id: str = "run",
    ambiguous: str = KEEP,
    missing: str = KEEP,
) -> Run:
    """A run from the retrieved contexts of a data set, which are located in `documents`.

    Query ids are those of `load`. `column` names another column than ``retrieved_contexts``. `text`, `start`, `end` and
    `source` are columns of the sample, or functions of a record with `text`, `id` (of ``retrieved_context_ids``) and
    `metadata` (the sample). A context that occurs in several places, or in none, keeps its rank and size and counts as
    irrelevant, unless `ambiguous` is ``first``, ``skip`` or ``error``, or `missing` is ``skip`` or ``error``; the run's
    notes count them.
    """
    samples = _Samples(data, [column, text, start, end, source])
    hooks = Hooks(text, start, end, source)
    names = RETRIEVED if column is None else (column,)
    retrieved = [
        (samples.ids[number], rank, record)
        for number, records in samples.contexts(names, "retrieved_context_ids", is_gold=False)
        for rank, record in enumerate(records, 1)
    ]
    return run_of_records(
        retrieved,
        hooks,
        texts_of(documents),
        run_id,
        ambiguous,
        missing,
        no_text=adapters.NO_CONTEXT_TEXT,
        remarks=samples.remarks,
    )


class _Samples:
    """The samples of a data set, one after another, with the line and the query id of each."""

    def __init__(self, data: Any, named: Sequence[Any]) -> None:
        *_, source = named
        columns = ("doc_id", *named) if source is None else named
        self.rows, self.lines, self.source = _read(data, tuple(name for name in columns if isinstance(name, str)))
        if not self.rows:
            raise self.source.error(adapters.NO_SAMPLES())
        self.remarks: list[str] = []
        has_ids = any(row.get("query_id") is not None for row in self.rows)
        self.ids = [
            cell(row, "query_id", self.source, line) if has_ids else f"q{number}"
            for number, (row, line) in enumerate(zip(self.rows, self.lines, strict=True))
        ]

    def questions(self) -> dict[str, str]:
        """The questions by query id; an id that occurs again is an error."""
        name = self._column(QUESTION)
        questions: dict[str, str] = {}
        for row, query_id, line in zip(self.rows, self.ids, self.lines, strict=True):
            if isinstance(row.get(name), (list, tuple)):
                raise self.source.error(adapters.RAGAS_TURNS(name=name), line)
            add_once(questions, query_id, cell(row, name, self.source, line), self.source, line)
        return questions

    def contexts(self, names: Sequence[str], ids: str, is_gold: bool) -> Iterator[tuple[int, list[Record]]]:
        """The number of each sample that has contexts, and these; a note counts the others.

        Nothing may have been retrieved, but an empty list of references does not say that nothing is relevant.
        """
        name = self._column(names)
        self.questions()
        lacking = []
        for number, (row, line) in enumerate(zip(self.rows, self.lines, strict=True)):
            contexts = self._listed(name, row.get(name), line)
            if contexts is None or (is_gold and not contexts):
                lacking.append(line)
                continue
            of_contexts = self._listed(ids, row.get(ids), line) or [None] * len(contexts)
            if len(of_contexts) != len(contexts):
                message = adapters.BAD_CONTEXT_IDS(ids=len(of_contexts), name=ids, count=len(contexts))
                raise self.source.error(message, line)
            yield (
                number,
                [
                    Record(_unmarked(text_in(context)), row, id_in(of_context))
                    for context, of_context in zip(contexts, of_contexts, strict=True)
                ],
            )
        if lacking:
            total, first = len(self.rows), self.source.place(lacking[0])
            self.remarks.append(adapters.NOT_JUDGED.note(count=len(lacking), total=total, name=name, first=first))

    def _column(self, names: Sequence[str]) -> str:
        """The first of these names that a sample has."""
        for name in names:
            if any(row.get(name) is not None for row in self.rows):
                return name
        columns = ", ".join(dict.fromkeys(str(name) for row in self.rows for name in row))
        message = adapters.NO_QUESTIONS if names == QUESTION else adapters.NO_RAGAS_COLUMN
        raise self.source.error(message(name=names[0], columns=columns))

    def _listed(self, name: str, value: Any, line: int) -> list[Any] | None:
        """The texts in a cell: a list, or one that CSV has as a text, as ragas or as JSON writes it."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                try:
                    value = ast.literal_eval(value)
                except (ValueError, SyntaxError, RecursionError, MemoryError):
                    raise self.source.error(adapters.BAD_CONTEXTS(name=name, value=shown(value)), line) from None
        if value is None or (isinstance(value, float) and value != value):
            return None
        if hasattr(value, "tolist"):
            value = value.tolist()  # an array, as pandas reads lists from Parquet
        if not isinstance(value, (list, tuple)):
            raise self.source.error(adapters.BAD_CONTEXTS(name=name, value=shown(value)), line)
        return list(value)


def _unmarked(context: str | None) -> str | None:
    """A context without the mark of ragas that numbers the passages of a question over several, ``<1-hop>``."""
    if context is not None and context.startswith("<"):
        number, mark, text = context[1:].partition(_HOP)
        if mark and number.isdecimal():
            return text.lstrip()
    return context


def _read(data: Any, named: tuple[str, ...]) -> tuple[list[dict[str, Any]], list[int], Source]:
    """The samples of a file or an object, with the line or number of each."""
    if is_path(data):
        if split_suffixes(os.fspath(data))[1] in _TABLES:
            columns = (*QUESTION, *REFERENCES, *RETRIEVED, "retrieved_context_ids", "reference_context_ids", "query_id")
            return read_rows(data, "", (*columns, *named))
        values, source = json_values(data, _SAMPLES)
        items = [(item, line) for value, line in values for item in (value if isinstance(value, list) else [value])]
    else:
        source = Source("samples", is_file=False)
        items = [(item, number) for number, item in enumerate(_items(data), 1)]
    for item, line in items:
        if not isinstance(item, Mapping):
            raise source.error(adapters.NOT_RESULTS(found=described(item), expected=_SAMPLES), line)
    return [dict(item) for item, _ in items], [line for _, line in items], source


def _items(data: Any) -> list[Any]:
    """The samples of an object: of ragas or Hugging Face, a data frame, a dict of columns, or a list."""
    for name in ("to_list", "to_dicts", "to_pylist"):
        if hasattr(data, name):
            return list(getattr(data, name)())
    if hasattr(data, "columns") and hasattr(data, "to_dict"):
        return list(data.to_dict("records"))
    columns = list(data.values()) if isinstance(data, Mapping) else []
    if columns and all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        return [dict(zip(data, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if isinstance(data, (list, tuple)):
        return list(data)
    raise PartwiseError(adapters.NOT_RESULTS(found=described(data), expected=_SAMPLES), file="samples")
