"""Slices of the gold: assessments in which only the gold of one grade, or of one nugget, is relevant.

The rest stays judged, and is not relevant: results that show it count as results that show other text of judged
documents. A slice has the queries that have gold in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from partwise.model import NO_GRADE, NONE, Assessments, Bools, Ints, is_relevant
from partwise.resolving.judgements import Judgements


class GoldSlice(NamedTuple):
    """The gold of one value: its name, the queries that have such gold, and the assessments."""

    name: str
    queries: list[str]
    assessments: Assessments


class _Rows(NamedTuple):
    """A table of parts: the document of each row as a key, its value in the column, and whether it is gold."""

    table: Any
    key: Ints
    value: Ints
    is_gold: Bools


def gold_slices(judgements: Judgements, column: str) -> tuple[list[GoldSlice], int]:
    """A slice for every ``grade`` or ``nugget`` of the gold, and the number of gold rows that have none.

    Gold without a grade has grade 1, as in measures. Documents judged without any part have a grade only.
    """
    assessments = judgements.assessments
    documents = assessments.documents
    parts = {
        name: _rows(judgements, getattr(assessments, name), column)
        for name in ("spans", "passages", "trees", "elements")
    }
    key = _keys(assessments, documents)
    has_parts = np.isin(key, np.concatenate([rows.key for rows in parts.values()]))
    used = judgements.is_used(documents)
    whole = _Rows(documents, key, documents.grade, used & ~has_parts & (documents.grade > 0) & (column == "grade"))
    tables = [*parts.values(), whole]
    values = np.unique(np.concatenate([rows.value[rows.is_gold] for rows in tables]))
    named = {str(v) if column == "grade" else assessments.nuggets[v]: v for v in values.tolist() if v != NONE}
    numbers = {query: number for number, query in enumerate(assessments.queries)}
    slices = []
    for name in sorted(named, key=lambda name: (named[name] if column == "grade" else 0, name)):
        chosen = [rows.is_gold & (rows.value == named[name]) for rows in tables]
        gold = np.concatenate([rows.table.query[rows_of] for rows, rows_of in zip(tables, chosen, strict=True)])
        present = np.zeros(len(assessments.queries), np.bool_)
        present[gold] = True
        queries = [query for query in judgements.queries if present[numbers[query]]]
        slices.append(GoldSlice(name, queries, _restricted(assessments, list(parts.items()), whole, chosen)))
    without = sum(int((rows.is_gold & (rows.value == NONE)).sum()) for rows in tables)
    return slices, without


def _keys(assessments: Assessments, table: Any) -> Ints:
    keys: Ints = (table.query * len(assessments.docs) + table.doc) * len(assessments.assessors) + table.assessor
    return keys


def _rows(judgements: Judgements, table: Any, column: str) -> _Rows:
    grade = getattr(table, "grade", np.full(len(table.lines), NO_GRADE))
    gold = judgements.is_used(table) & is_relevant(grade)
    if hasattr(table, "exhaustivity"):
        gold &= ~(table.exhaustivity <= 0)  # a tree without grades is relevant
    value = table.nugget if column == "nugget" else np.where(grade == NO_GRADE, 1, grade)
    return _Rows(table, _keys(judgements.assessments, table), value, gold)


def _restricted(
    assessments: Assessments, parts: list[tuple[str, _Rows]], whole: _Rows, chosen: list[Bools]
) -> Assessments:
    """The assessments with the chosen rows as the only relevant ones; documents are judged as before."""
    documents = assessments.documents
    tables: dict[str, Any] = {}
    grade = np.where(documents.grade > 0, 0, documents.grade)
    grade[documents.grade == NO_GRADE] = 0
    is_kept = chosen[-1].copy()
    grade[is_kept] = documents.grade[is_kept]
    for (name, rows), kept in zip(parts, chosen, strict=False):
        table = rows.table
        changes: dict[str, Any] = {}
        if hasattr(table, "grade"):
            changes["grade"] = np.where(kept | ~is_relevant(table.grade), table.grade, 0)
        if hasattr(table, "exhaustivity"):
            changes["exhaustivity"] = np.where(kept, table.exhaustivity, 0.0)
            changes["specificity"] = np.where(kept, table.specificity, 0.0)
        tables[name] = replace(table, **changes)
        highest = np.ones(int(kept.sum()), np.int64)
        if hasattr(table, "grade"):
            highest = np.where(table.grade[kept] == NO_GRADE, 1, table.grade[kept])
        order = np.argsort(whole.key, kind="stable")
        row = order[np.searchsorted(whole.key[order], rows.key[kept])]
        is_kept[row] = True
        np.maximum.at(grade, row, highest)
    grade[is_kept & (documents.grade == NO_GRADE)] = NO_GRADE
    bep_path = documents.bep_path
    if bep_path is not None:
        bep_path = [path if kept else "" for path, kept in zip(bep_path, is_kept.tolist(), strict=True)]
    judged = replace(documents, grade=grade, bep=np.where(is_kept, documents.bep, NONE), bep_path=bep_path)
    return replace(assessments, documents=judged, **tables)
