"""Scores, and assessments by two assessors, written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import partwise as pw
from partwise.model import Block


def scores_of(values: Mapping[str, Mapping[str, Mapping[str, float]]]) -> pw.Scores:
    """Scores from ``{run: {measure: {query: value}}}``."""
    blocks = [
        Block(
            run, measure, list(queries), np.array(list(queries.values()), float), float(np.mean(list(queries.values())))
        )
        for run, measures in values.items()
        for measure, queries in measures.items()
    ]
    return pw.Scores(blocks, max(len(block.queries) for block in blocks))


def one_measure(measure: str = "iAP", **runs: list[float]) -> pw.Scores:
    return scores_of({run: {measure: {f"t{i}": v for i, v in enumerate(values)}} for run, values in runs.items()})


DOUBLE = [
    {"query_id": "t1", "doc_id": "d", "start": 0, "end": 10, "assessor": "ann"},
    {"query_id": "t1", "doc_id": "d", "start": 5, "end": 15, "assessor": "bob"},
    {"query_id": "t2", "doc_id": "d", "start": 0, "end": 10, "assessor": "bob"},
    {"query_id": "t3", "doc_id": "d", "start": 20, "end": 30, "assessor": "bob"},
    {"query_id": "t3", "doc_id": "e", "start": 0, "end": 10, "assessor": "ann"},
]


def double_runs() -> dict[str, Any]:
    return {
        "x": {"t1": [("d", 0, 10)], "t2": [("d", 0, 10)], "t3": [("d", 20, 30)]},
        "y": {"t1": [("d", 10, 15)], "t2": [("d", 5, 10)], "t3": [("e", 0, 10)]},
    }
