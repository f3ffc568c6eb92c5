"""Data sets of the package ir_datasets, by their ids: ``irds:beir/scifact/test``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.messages import inputs

PREFIX = "irds:"


def is_id(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) and os.fspath(value).startswith(PREFIX)


def qrels(name: str) -> list[Any]:
    """The qrels of a data set, as named tuples."""
    return list(_read(name, "qrels"))


def results(name: str) -> list[Any]:
    """The run that comes with a data set, as named tuples."""
    return list(_read(name, "scoreddocs"))


def titles(name: str) -> dict[str, str]:
    """The texts of the queries of a data set."""
    return {query.query_id: query.default_text() for query in _read(name, "queries")}


def _read(name: str, what: str) -> Iterator[Any]:
    """The rows of a data set, which are downloaded if they are not there."""
    try:
        yield from getattr(_dataset(name, what), f"{what}_iter")()
    except PartwiseError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PartwiseError(inputs.DATASET_UNREADABLE(reason=shown(reason, 200)), file=name) from None


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
