"""Data sets of the package ir_datasets, by their ids: ``irds:beir/scifact/test``."""

from __future__ import annotations

import os
from typing import Any

from partwise.errors import PartwiseError
from partwise.messages import inputs

PREFIX = "irds:"


def is_id(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) and os.fspath(value).startswith(PREFIX)


def qrels(name: str) -> list[Any]:
    """The qrels of a data set, as named tuples."""
    return list(_dataset(name, "qrels").qrels_iter())


def results(name: str) -> list[Any]:
    """The run that comes with a data set, as named tuples."""
    return list(_dataset(name, "scoreddocs").scoreddocs_iter())


def titles(name: str) -> dict[str, str]:
    """The texts of the queries of a data set."""
    return {query.query_id: query.default_text() for query in _dataset(name, "queries").queries_iter()}


def _dataset(name: str, what: str) -> Any:
    """The data set with this id, which must have `what`."""
    try:
        import ir_datasets
    except ImportError:
        raise PartwiseError(inputs.NO_IR_DATASETS(), file=name) from None
    try:
        dataset = ir_datasets.load(name.removeprefix(PREFIX))
    except KeyError:
        raise PartwiseError(inputs.UNKNOWN_DATASET(), file=name) from None
    if not getattr(dataset, f"has_{what}")():
        raise PartwiseError(inputs.DATASET_WITHOUT(what=what), file=name)
    return dataset
